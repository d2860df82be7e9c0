#!/usr/bin/env python3
"""A small JAX training loop that knows nothing of DeepProf: a job of gpu_check. Prints one line of JSON."""

import argparse
import json
import statistics
import sys
import time

import jax
import jax.numpy as jnp


def loss_of(weights, inputs, targets):
    hidden = jnp.tanh(inputs @ weights[0])
    return jnp.mean((hidden @ weights[1] - targets) ** 2)


@jax.jit
def step(weights, inputs, targets):
    loss, slopes = jax.value_and_grad(loss_of)(weights, inputs, targets)
    return [weight - 0.01 * slope for weight, slope in zip(weights, slopes)], loss


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=50)
    iterations = parser.parse_args().iterations
    keys = jax.random.split(jax.random.PRNGKey(0), 4)
    weights = [jax.random.normal(keys[0], (512, 1024)) * 0.05, jax.random.normal(keys[1], (1024, 10)) * 0.05]
    inputs, targets = jax.random.normal(keys[2], (256, 512)), jax.random.normal(keys[3], (256, 10))
    times = []
    for _ in range(iterations):
        start = time.perf_counter_ns()
        weights, loss = step(weights, inputs, targets)
        loss = float(loss)  # the loop reads its loss, as training loops do
        times.append(time.perf_counter_ns() - start)
    print(json.dumps({"iterations": iterations, "median_step_ns": int(statistics.median(times)), "loss": round(loss, 3)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
