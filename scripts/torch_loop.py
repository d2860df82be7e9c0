#!/usr/bin/env python3
"""A small PyTorch training loop that knows nothing of DeepProf: the job of the demo and of gpu_check.

Prints one line of JSON on stdout: iterations, median step time, last loss. With --trace the loop runs
under torch.profiler, which writes its own trace: what ours is compared with.
"""

import argparse
import atexit
import contextlib
import json
import statistics
import sys
import time

import torch
from torch import nn


def cnn():
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 8 * 8, 10))
    return model, torch.randn(64, 3, 32, 32)


def transformer():
    layer = nn.TransformerEncoderLayer(d_model=128, nhead=4, dim_feedforward=256, batch_first=True, dropout=0.0)
    model = nn.Sequential(nn.TransformerEncoder(layer, num_layers=4, enable_nested_tensor=False), nn.Flatten(),
                          nn.Linear(128 * 32, 10))
    return model, torch.randn(32, 32, 128)


MODELS = {"cnn": cnn, "transformer": transformer}


def eager_step(model, loss_of, optimizer, inputs, targets):
    """One training step from host memory to the loss on the host: copies, kernels and a synchronisation."""
    def step():
        batch = inputs.to(device(), non_blocking=True)
        optimizer.zero_grad()
        loss = loss_of(model(batch), targets)
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def graph_step(model, loss_of, optimizer, inputs, targets):
    """The same step captured once as a CUDA graph and replayed."""
    batch = inputs.to(device())
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # libraries must have set themselves up before a capture
        for _ in range(3):
            optimizer.zero_grad(set_to_none=True)
            loss_of(model(batch), targets).backward()
            optimizer.step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        loss = loss_of(model(batch), targets)
        loss.backward()
        optimizer.step()

    def step():
        graph.replay()
        return loss.item()
    return step


def device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def profiled(path):
    """torch.profiler around the loop, its trace written to `path`; nothing without a path."""
    if not path:
        return contextlib.nullcontext()
    from torch.profiler import ProfilerActivity, profile
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device() == "cuda" else [])
    return profile(activities=activities, on_trace_ready=lambda done: done.export_chrome_trace(path))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--model", choices=MODELS, default="cnn")
    parser.add_argument("--graph", action="store_true", help="replay the step as a CUDA graph")
    parser.add_argument("--go-on", type=float, default=0, metavar="S", help="go on for so long, without torch.profiler")
    parser.add_argument("--trace", help="run under torch.profiler and write its trace here")
    options = parser.parse_args()
    atexit.register(lambda: print("torch_loop: at exit", file=sys.stderr, flush=True))

    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = False  # the same kernels in every run
    with profiled(options.trace):
        model, inputs = MODELS[options.model]()
        model = model.to(device())
        inputs = inputs.pin_memory() if device() == "cuda" else inputs
        targets = torch.randint(0, 10, (inputs.shape[0],), device=device())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        make = graph_step if options.graph else eager_step
        step = make(model, nn.CrossEntropyLoss(), optimizer, inputs, targets)
        times = []
        for _ in range(options.iterations):
            start = time.perf_counter_ns()
            loss = step()
            times.append(time.perf_counter_ns() - start)
    until = time.monotonic() + options.go_on
    while time.monotonic() < until:
        step()
    print(json.dumps({"iterations": options.iterations, "median_step_ns": int(statistics.median(times)),
                      "loss": round(loss, 3)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
