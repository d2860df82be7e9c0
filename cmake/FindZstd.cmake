# Zstd::static and Zstd::shared: Debian's libzstd-dev ships no CMake package in 12.
find_path(Zstd_INCLUDE_DIR zstd.h)
find_library(Zstd_STATIC_LIBRARY NAMES libzstd.a)
find_library(Zstd_SHARED_LIBRARY NAMES libzstd.so)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zstd REQUIRED_VARS Zstd_INCLUDE_DIR Zstd_STATIC_LIBRARY)
if(Zstd_FOUND AND NOT TARGET Zstd::static)
  add_library(Zstd::static UNKNOWN IMPORTED)
  set_target_properties(Zstd::static PROPERTIES
    IMPORTED_LOCATION "${Zstd_STATIC_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${Zstd_INCLUDE_DIR}")
endif()
mark_as_advanced(Zstd_INCLUDE_DIR Zstd_STATIC_LIBRARY Zstd_SHARED_LIBRARY)
