#!/usr/bin/env python3
"""Holds the numbers of libdeepprof/sample/nvml.h against NVIDIA's own Python binding, where it is installed
(the package nvidia-ml-py). Elsewhere it says so and passes."""

import ctypes
import pathlib
import re
import sys

NUMBERS = {
    "kSuccess": "NVML_SUCCESS", "kInvalidArgument": "NVML_ERROR_INVALID_ARGUMENT",
    "kNotSupported": "NVML_ERROR_NOT_SUPPORTED", "kNoPermission": "NVML_ERROR_NO_PERMISSION",
    "kInsufficientSize": "NVML_ERROR_INSUFFICIENT_SIZE", "kFunctionNotFound": "NVML_ERROR_FUNCTION_NOT_FOUND",
    "kGpuIsLost": "NVML_ERROR_GPU_IS_LOST", "kResetRequired": "NVML_ERROR_RESET_REQUIRED",
    "kDeprecated": "NVML_ERROR_DEPRECATED",
    "kTemperatureOfGpu": "NVML_TEMPERATURE_GPU", "kClockSm": "NVML_CLOCK_SM", "kClockMemory": "NVML_CLOCK_MEM",
    "kPcieSent": "NVML_PCIE_UTIL_TX_BYTES", "kPcieReceived": "NVML_PCIE_UTIL_RX_BYTES",
    "kMigEnabled": "NVML_DEVICE_MIG_ENABLE", "kTemperatureVersion": "nvmlTemperature_v1",
}


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    try:
        import pynvml
    except ImportError:
        print("n/a: the package nvidia-ml-py is not installed")
        return 0
    text = (root / "libdeepprof/sample/nvml.h").read_text()
    ours = {name: int(value, 0) for name, value in re.findall(r"\b(k\w+) = (0x[0-9a-f]+|\d+)[;,]", text)}
    faults = [f"{name}: {ours.get(name)}, genuine {getattr(pynvml, genuine)}"
              for name, genuine in NUMBERS.items() if ours.get(name) != getattr(pynvml, genuine)]
    faults += [f"{name} is not checked" for name in ours if name not in NUMBERS]
    # The binding initializes by another function.
    for function in set(re.findall(r'"(nvml[A-Z]\w+)"', (root / "libdeepprof/sample/nvml.cc").read_text())) - {"nvmlInit_v2"}:
        if function not in pathlib.Path(pynvml.__file__).read_text():
            faults.append(f"{function} is no function of NVML")
    sizes = {"c_nvmlUtilization_t": 8, "c_nvmlMemory_t": 24, "c_nvmlProcessInfo_v2_t": 24, "c_nvmlTemperature_v1_t": 12}
    faults += [f"{name} has {ctypes.sizeof(getattr(pynvml, name))} bytes, ours {size}"
               for name, size in sizes.items() if ctypes.sizeof(getattr(pynvml, name)) != size]
    print("\n".join(faults) or f"{len(NUMBERS)} numbers, {len(sizes)} structs: as NVIDIA's binding has them")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
