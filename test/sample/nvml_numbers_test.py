#!/usr/bin/env python3
"""Every function of NVML that we look up is compared with NVIDIA's header (nvml_layout_check.cc), under the name that it
is looked up by and as the slot that it is put in. And holds the numbers of libdeepprof/sample/nvml.h, and those of the
stand-in, against NVIDIA's own Python binding, where it is installed (the package nvidia-ml-py)."""

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

# Of the stand-in, which answers as the genuine one is to.
FAKE_NUMBERS = {
    "kSuccess": "NVML_SUCCESS", "kUninitialized": "NVML_ERROR_UNINITIALIZED", "kNotSupported": "NVML_ERROR_NOT_SUPPORTED",
    "kNotFound": "NVML_ERROR_NOT_FOUND", "kInsufficientSize": "NVML_ERROR_INSUFFICIENT_SIZE",
    "kGpuIsLost": "NVML_ERROR_GPU_IS_LOST", "kVersionMismatch": "NVML_ERROR_ARGUMENT_VERSION_MISMATCH",
    "kUnknown": "NVML_ERROR_UNKNOWN", "kVersion1": "nvmlTemperature_v1",
}


def numbers_in(text):
    return {name: int(value, 0) for name, value in re.findall(r"\b(k\w+)\s*=\s*(0x[0-9a-f]+|\d+)[;,]", text)}


def uncompared(root):
    """What is looked up and not compared, or as another slot."""
    source, check = ((root / path).read_text() for path in ("libdeepprof/sample/nvml.cc", "test/sample/nvml_layout_check.cc"))
    looked_up = {(slot, name) for slot, names in re.findall(r'bind\(library, api\.(\w+),([^;]*)\);', source)
                 for name in re.findall(r'"(nvml\w+)"', names)}
    compared = set(re.findall(r"SAME_CALL\((\w+), (nvml\w+)\)", check))
    faults = [f"{name} is put in {slot} and not compared as that" for slot, name in sorted(looked_up - compared)]
    return faults + [f"{name} is compared as {slot} and not looked up" for slot, name in sorted(compared - looked_up)]


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    faults = uncompared(root)
    try:
        import pynvml
    except ImportError:
        print("\n".join(faults) or "all functions are compared; n/a: the package nvidia-ml-py is not installed")
        return 1 if faults else 0
    text = (root / "libdeepprof/sample/nvml.h").read_text()
    for whose, all_ours, known in (("ours", numbers_in(text), NUMBERS),
                                   ("stand-in", numbers_in((root / "test/fake/nvml.cc").read_text()), FAKE_NUMBERS)):
        faults += [f"{whose} {name}: {all_ours.get(name)}, genuine {getattr(pynvml, genuine)}"
                   for name, genuine in known.items() if all_ours.get(name) != getattr(pynvml, genuine)]
        faults += [f"{whose} {name} is not checked" for name in all_ours if name not in known]
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
