"""A job that loads and unloads libraries: library_job.py LIBCUDA dlclose|second-cupti [SECOND_LIBCUPTI].

dlclose: closes the driver, the runtime's profiler interface and whatever else it opened between two uses of the GPU.
second-cupti: loads another copy of libcupti into the running job, as a framework's own wheel does.
"""

import _ctypes
import ctypes
import os
import sys
import time


def launch(driver: ctypes.CDLL, kernels: int) -> None:
    assert driver.cuInit(0) == 0
    for _ in range(kernels):
        assert driver.fakeDriverLaunch(b"kernel", ctypes.c_uint64(2000)) == 0


def close_everything(libcuda: str) -> None:
    libcupti = os.environ["DEEPPROF_CUPTI"]
    for _ in range(3):
        handles = [ctypes.CDLL(path)._handle for path in (libcuda, libcupti)]
        for handle in handles:
            _ctypes.dlclose(handle)


def main() -> None:
    libcuda, what = sys.argv[1:3]
    driver = ctypes.CDLL(libcuda)
    launch(driver, 1000)
    if what == "dlclose":
        time.sleep(0.5)
        close_everything(libcuda)
        _ctypes.dlclose(driver._handle)
        driver = ctypes.CDLL(libcuda)
    else:
        ctypes.CDLL(sys.argv[3])
    launch(driver, 1000)
    print("done")


if __name__ == "__main__":
    main()
