# Installs the package files that find_package(Ancora) reads, and documents and examples under share/.
# SPDX-License-Identifier: BSD-3-Clause

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Ancora")

configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/AncoraConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/cmake/AncoraConfig.cmake"
    INSTALL_DESTINATION "${package_dir}")

# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/cmake/AncoraConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)

# Where CMake says "not accepted" and no more, here is why, and what to do.
file(APPEND "${PROJECT_BINARY_DIR}/cmake/AncoraConfigVersion.cmake" [[

if(PACKAGE_VERSION_UNSUITABLE OR (PACKAGE_FIND_VERSION AND NOT PACKAGE_VERSION_COMPATIBLE))
    set(_ancora_why "the project asks for Ancora ${PACKAGE_FIND_VERSION}")
    if(PACKAGE_VERSION_UNSUITABLE)
        set(_ancora_why "it was built for another processor or pointer size")
    endif()
    message(NOTICE "Ancora ${PACKAGE_VERSION} in ${CMAKE_CURRENT_LIST_DIR} does not fit: "
        "${_ancora_why}. Install one that does and name its prefix in CMAKE_PREFIX_PATH, or change "
        "the version in find_package(Ancora ...); before 1.0 each minor version has an interface of "
        "its own, and plugins are rebuilt for it.")
endif()
]])

install(FILES
    "${PROJECT_BINARY_DIR}/cmake/AncoraConfig.cmake"
    "${PROJECT_BINARY_DIR}/cmake/AncoraConfigVersion.cmake"
    DESTINATION "${package_dir}" COMPONENT development)

install(EXPORT AncoraTargets NAMESPACE Ancora:: DESTINATION "${package_dir}"
    COMPONENT development)

# For builds without CMake, and programs in C: `cc main.c $(pkg-config --cflags --libs ancora)`. The prefix
# is found from the file, so that the tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
    BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE ANCORA_PREFIX_FROM_PC)
configure_file("${CMAKE_CURRENT_LIST_DIR}/ancora.pc.in" "${PROJECT_BINARY_DIR}/cmake/ancora.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cmake/ancora.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

# Documents and examples lie under share/ancora as in the repository, so that links between them hold;
# the SDK adds its guides and templates. Without building anything:
#   cmake --install build/release --component documents --prefix PREFIX
set(data_dir "${CMAKE_INSTALL_DATADIR}/ancora")
install(FILES
    "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
    "${PROJECT_SOURCE_DIR}/CITATION.cff"
    "${PROJECT_SOURCE_DIR}/LICENSE"
    "${PROJECT_SOURCE_DIR}/README.md"
    DESTINATION "${data_dir}" COMPONENT documents)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${data_dir}" COMPONENT documents
    PATTERN build* EXCLUDE
    PATTERN results* EXCLUDE
    PATTERN __pycache__ EXCLUDE
    PATTERN .gitignore EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/framework/README.md"
    DESTINATION "${data_dir}/framework" COMPONENT documents)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/framework/docs"
    DESTINATION "${data_dir}/framework" COMPONENT documents)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/plugins" DESTINATION "${data_dir}" COMPONENT documents
    FILES_MATCHING PATTERN README.md
    PATTERN build* EXCLUDE
    PATTERN src EXCLUDE
    PATTERN tests EXCLUDE)
