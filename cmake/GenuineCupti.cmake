# Genuine CUPTI releases for tests: their headers check our record layouts, their libraries walk our
# buffers. Nothing that we ship or install uses any of them. They come from the CUDA toolkit where there
# is one, and from the Python packages nvidia-cuda-cupti*, which scripts/test.sh unpacks in build/cupti.
#
# Sets deepprof_cupti_releases, a list of names such as "13.4.92" and "toolkit", and for each of them
# deepprof_cupti_NAME_INCLUDE_DIRS and deepprof_cupti_NAME_LIBRARY (the file, to be loaded at run time).
set(DEEPPROF_CUPTI_PACKAGES "${PROJECT_SOURCE_DIR}/build/cupti" CACHE PATH
  "Folder that holds unpacked nvidia-cuda-cupti packages, each in a folder named by its version")

set(deepprof_cupti_releases "")

# cupti.h includes cuda.h, which these packages lack: any release from 11.8 on serves.
file(GLOB_RECURSE deepprof_cuda_header "${DEEPPROF_CUPTI_PACKAGES}/*/nvidia/*/include/cuda.h")
if(CUDAToolkit_FOUND)
  set(deepprof_cuda_include "${CUDAToolkit_INCLUDE_DIRS}")
elseif(deepprof_cuda_header)
  list(GET deepprof_cuda_header 0 deepprof_cuda_header)
  get_filename_component(deepprof_cuda_include "${deepprof_cuda_header}" DIRECTORY)
endif()

function(deepprof_add_cupti_release name header library)
  get_filename_component(include "${header}" DIRECTORY)
  list(APPEND deepprof_cupti_releases ${name})
  set(deepprof_cupti_releases "${deepprof_cupti_releases}" PARENT_SCOPE)
  set(deepprof_cupti_${name}_INCLUDE_DIRS "${include};${deepprof_cuda_include}" PARENT_SCOPE)
  set(deepprof_cupti_${name}_LIBRARY "${library}" PARENT_SCOPE)
endfunction()

if(deepprof_cuda_include)
  file(GLOB headers "${DEEPPROF_CUPTI_PACKAGES}/*/nvidia/*/include/cupti.h")
  foreach(header IN LISTS headers)
    string(REGEX REPLACE ".*/([0-9.]+)/nvidia/.*" "\\1" name "${header}")
    string(REGEX REPLACE "include/cupti.h$" "lib" folder "${header}")
    file(GLOB library "${folder}/libcupti.so.*")
    deepprof_add_cupti_release(${name} "${header}" "${library}")
  endforeach()
  if(TARGET CUDA::cupti)
    find_path(deepprof_toolkit_cupti cupti.h HINTS ${CUDAToolkit_INCLUDE_DIRS} "${CUDAToolkit_ROOT}/extras/CUPTI/include"
      "${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include" NO_DEFAULT_PATH)
    if(deepprof_toolkit_cupti)
      deepprof_add_cupti_release(toolkit "${deepprof_toolkit_cupti}/cupti.h" "${CUDA_cupti_LIBRARY}")
    endif()
    mark_as_advanced(deepprof_toolkit_cupti)
  endif()
endif()

if(deepprof_cupti_releases)
  message(STATUS "CUPTI releases to check against: ${deepprof_cupti_releases}")
else()
  message(STATUS "No genuine CUPTI: checks of our record layouts against its headers are left out")
endif()
