"""A training loop on the CPU for tests: so many steps of 20 ms or so, with whatever is installed.

    cpu_job.py STEPS [torch]

With `torch` it uses torch.optim (the genuine one, or the stand-in of test/fake/python); else NumPy where it is
installed, else plain Python.
"""

import sys
import time


def work():
    try:
        import numpy
        a = numpy.ones((64, 64))
        return lambda: a @ a
    except ImportError:
        return lambda: sum(i * i for i in range(1000))


def main():
    steps, with_torch = int(sys.argv[1]), "torch" in sys.argv[2:]
    once = work()
    optimizer = None
    if with_torch:
        import torch
        import torch.optim
        if hasattr(torch, "Tensor"):
            optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(4))], lr=0.1)
        else:
            optimizer = torch.optim.Optimizer()
    for _ in range(steps):
        end = time.monotonic() + 0.02
        while time.monotonic() < end:
            once()
        if optimizer is not None:
            optimizer.step()
    print("done")


if __name__ == "__main__":
    main()
