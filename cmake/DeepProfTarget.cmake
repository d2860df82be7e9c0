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
endfunction()

# deepprof_compile_together(TARGET N): N files of the target at a time are one translation unit. For targets
# whose headers cost more than their files: CLI11 and Catch2 2 are headers that each file compiles anew.
function(deepprof_compile_together target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
endfunction()
