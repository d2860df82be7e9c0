# deepprof_library(NAME sources...): a static, position independent module deepprof_NAME with the alias
# deepprof::NAME. The flags are those that let the module be linked into the one self-contained injected
# library: hidden symbols, sections that the linker can drop, no errno from math calls (they would pull
# in libm's newer symbol versions), never link-time optimisation (it defeats the symbol-version pins).
function(deepprof_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> -ffunction-sections -fdata-sections -fno-math-errno
    # GCC 12 warns of std::string's own code at -O2 (its bug 105651), also inside a std::variant.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-maybe-uninitialized>
    $<$<BOOL:${DEEPPROF_WERROR}>:-Werror>)
endfunction()

function(deepprof_library name)
  add_library(deepprof_${name} STATIC ${ARGN})
  add_library(deepprof::${name} ALIAS deepprof_${name})
  deepprof_flags(deepprof_${name})
  deepprof_precompile(deepprof_${name} deepprof_core)
endfunction()

# deepprof_precompile(TARGET FIRST [HEADERS...]): TARGET's files find these headers and the usual ones of the
# standard library compiled already. FIRST is a target of the same flags, whose copy all others use. By default
# for sanitizers alone, as the other presets show where a file misses an include, and where there is no ccache.
set(deepprof_precompile_default OFF)
if(DEEPPROF_SANITIZER AND NOT "${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER}" MATCHES "ccache")
  set(deepprof_precompile_default ON)
endif()
option(DEEPPROF_PRECOMPILE "Precompile headers: less to compile, but nothing that ccache knows"
  ${deepprof_precompile_default})
function(deepprof_precompile target first)
  if(NOT DEEPPROF_PRECOMPILE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)  # where flags differ the text is read
  if(NOT target STREQUAL first)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <atomic> <cmath> <cstdint> <cstdlib>
    <cstring> <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <unordered_map> <vector>)
endfunction()

# deepprof_compile_together(TARGET N): N files of the target at a time are one translation unit. For targets
# whose headers cost more than their files: CLI11 and Catch2 2 are headers that each file compiles anew.
function(deepprof_compile_together target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
endfunction()
