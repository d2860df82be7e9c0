# What `cmake --install` lays down: the command, the injected library, the headers and static libraries
# for programs that read traces (deepprof::api), the pictures, a CMake package and a .pc file.
#
# deepprof::inject is the injected library: a program that launches jobs asks for its path with
# $<TARGET_FILE:deepprof::inject> and links nothing of it.
include(CMakePackageConfigHelpers)

add_library(deepprof_api INTERFACE)
add_library(deepprof::api ALIAS deepprof_api)
target_link_libraries(deepprof_api INTERFACE deepprof_mining deepprof_core)

foreach(module api core mining)
  set_target_properties(deepprof_${module} PROPERTIES EXPORT_NAME ${module})
  target_include_directories(deepprof_${module} INTERFACE
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/deepprof>")
endforeach()
set(deepprof_installed deepprof_api deepprof_core deepprof_mining)
if(TARGET deepprof_inject)
  set_target_properties(deepprof_inject PROPERTIES EXPORT_NAME inject)
  list(APPEND deepprof_installed deepprof_inject)
endif()

install(TARGETS ${deepprof_installed} EXPORT deepprof
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/deepprof")
# Headers keep their path from the repository root, below include/deepprof.
install(DIRECTORY libdeepprof analysis DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/deepprof"
  FILES_MATCHING PATTERN "*.h"
  PATTERN "libdeepprof/capture" EXCLUDE PATTERN "libdeepprof/cupti" EXCLUDE PATTERN "libdeepprof/sample" EXCLUDE
  PATTERN "analysis/import" EXCLUDE PATTERN "analysis/export" EXCLUDE PATTERN "analysis/cli" EXCLUDE)

file(GLOB deepprof_pictures RELATIVE "${PROJECT_SOURCE_DIR}" "scripts/plot*.py")
install(PROGRAMS ${deepprof_pictures} DESTINATION "${CMAKE_INSTALL_DATADIR}/deepprof/scripts")
install(FILES scripts/step_hook/sitecustomize.py DESTINATION "${CMAKE_INSTALL_DATADIR}/deepprof/scripts/step_hook")
install(FILES README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/deepprof")
install(EXPORT deepprof NAMESPACE deepprof:: FILE deepprofTargets.cmake DESTINATION "${package_folder}")
configure_package_config_file(cmake/deepprofConfig.cmake.in "${PROJECT_BINARY_DIR}/deepprofConfig.cmake"
  INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/deepprofConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/deepprofConfig.cmake" "${PROJECT_BINARY_DIR}/deepprofConfigVersion.cmake"
  cmake/FindZstd.cmake DESTINATION "${package_folder}")

configure_file(cmake/deepprof.pc.in "${PROJECT_BINARY_DIR}/deepprof.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/deepprof.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
