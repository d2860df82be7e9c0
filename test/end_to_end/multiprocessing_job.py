"""A job as Python's multiprocessing makes them: multiprocessing_job.py LIBCUDA fork|spawn|forkserver.

The parent launches kernels before and after two children ran. Children made by fork only compute, as workers of
an input pipeline do; the others use the GPU themselves. All children end in os._exit, as multiprocessing has it.
"""

import ctypes
import multiprocessing
import sys
import time


def launch(libcuda: str, kernels: int, name: bytes, seconds: float = 0.0) -> None:
    driver = ctypes.CDLL(libcuda)
    assert driver.cuInit(0) == 0
    for _ in range(kernels):
        assert driver.fakeDriverLaunch(name, ctypes.c_uint64(2000)) == 0
        if seconds:
            time.sleep(seconds / kernels)


def load_data(_libcuda: str) -> None:
    sum(range(100_000))


def train(libcuda: str) -> None:
    launch(libcuda, 200, b"kernel_of_child", 0.8)


def main() -> None:
    libcuda, method = sys.argv[1:]
    launch(libcuda, 1000, b"kernel_of_parent")
    context = multiprocessing.get_context(method)
    work = load_data if method == "fork" else train
    children = [context.Process(target=work, args=(libcuda,)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0, child.exitcode
    launch(libcuda, 1000, b"kernel_of_parent")
    print("done")


if __name__ == "__main__":
    main()
