# Installs the package files that find_package(Ancora) reads, and the data under share/.
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

install(FILES
    "${PROJECT_BINARY_DIR}/cmake/AncoraConfig.cmake"
    "${PROJECT_BINARY_DIR}/cmake/AncoraConfigVersion.cmake"
    DESTINATION "${package_dir}")

install(EXPORT AncoraTargets NAMESPACE Ancora:: DESTINATION "${package_dir}")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/ancora")
