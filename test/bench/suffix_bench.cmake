# suffix_bench: run by hand. Its peers are no part of the project: libsais is taken from a checkout named by
# LIBSAIS_DIR (variable or environment), divsufsort from the system; without them it prints n/a.
add_executable(suffix_bench suffix_bench.cc)
deepprof_flags(suffix_bench)
target_link_libraries(suffix_bench PRIVATE deepprof::mining)

set(LIBSAIS_DIR "$ENV{LIBSAIS_DIR}" CACHE PATH "A checkout of libsais, for suffix_bench alone")
if(EXISTS "${LIBSAIS_DIR}/include/libsais.h")
  add_library(libsais_peer STATIC EXCLUDE_FROM_ALL "${LIBSAIS_DIR}/src/libsais.c" "${LIBSAIS_DIR}/src/libsais16.c")
  target_compile_options(libsais_peer PRIVATE -O3)  # what its own build uses
  target_include_directories(libsais_peer PUBLIC "${LIBSAIS_DIR}/include")
  target_link_libraries(suffix_bench PRIVATE libsais_peer)
  target_compile_definitions(suffix_bench PRIVATE DEEPPROF_HAVE_LIBSAIS)
else()
  message(STATUS "No LIBSAIS_DIR: suffix_bench prints n/a for libsais")
endif()

find_path(DIVSUFSORT_INCLUDE_DIR divsufsort.h)
find_library(DIVSUFSORT_LIBRARY divsufsort)
if(DIVSUFSORT_INCLUDE_DIR AND DIVSUFSORT_LIBRARY)
  target_include_directories(suffix_bench PRIVATE "${DIVSUFSORT_INCLUDE_DIR}")
  target_link_libraries(suffix_bench PRIVATE "${DIVSUFSORT_LIBRARY}")
  target_compile_definitions(suffix_bench PRIVATE DEEPPROF_HAVE_DIVSUFSORT)
else()
  message(STATUS "No libdivsufsort-dev: suffix_bench prints n/a for divsufsort")
endif()
