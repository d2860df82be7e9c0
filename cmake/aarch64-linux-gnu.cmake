# Cross-compiles for 64-bit ARM on Debian: crossbuild-essential-arm64 for the compiler, and the arm64 packages
# that `scripts/make_portable.sh aarch64` unpacks below build/arm64-root. Tests run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(deepprof_arm64_root "${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root")
get_filename_component(deepprof_arm64_root "${deepprof_arm64_root}" ABSOLUTE)
set(deepprof_arm64_libraries "${deepprof_arm64_root}/usr/lib/aarch64-linux-gnu")
set(CMAKE_FIND_ROOT_PATH "${deepprof_arm64_root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Libraries that the linked ones need in turn.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${deepprof_arm64_libraries}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,-rpath-link,${deepprof_arm64_libraries}")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=${deepprof_arm64_libraries}")
