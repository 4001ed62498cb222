# Debian packages, made by CPack: `cmake --build --preset release --target package`.
# SPDX-License-Identifier: BSD-3-Clause
#
#   ancora          the command, the kernel, plugins, documents and examples
#   ancora-dev      headers, CMake package, pkg-config: for plugins and embedding programs
#   python3-ancora  the Python module
#
# Dependencies on libraries are those that dpkg-shlibdeps finds; it comes with dpkg-dev.

set(CPACK_GENERATOR "DEB")
set(CPACK_PACKAGE_NAME "ancora")
set(CPACK_PACKAGE_VENDOR "The Ancora authors")
set(CPACK_PACKAGE_CONTACT "The Ancora authors <ancora@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Bodies, constraints, forces and integrators are plugins; every run prints what became of its energy and momentum.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX "${PROJECT_BINARY_DIR}/packages")

set(CPACK_COMPONENTS_ALL runtime documents development python)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_RUNTIME_GROUP ancora)
set(CPACK_COMPONENT_DOCUMENTS_GROUP ancora)
set(CPACK_COMPONENT_DEVELOPMENT_GROUP dev)
set(CPACK_COMPONENT_PYTHON_GROUP python)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The kernel, which plugins and the command need, is in the package itself.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${ANCORA_LIB_OUTPUT_DIR}")
set(same_version "(= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_ANCORA_PACKAGE_NAME ancora)
set(CPACK_DEBIAN_ANCORA_PACKAGE_RECOMMENDS "gnuplot-nox")
set(CPACK_DEBIAN_ANCORA_PACKAGE_SUGGESTS "chromium")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME ancora-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "ancora ${same_version}, libeigen3-dev, libpugixml-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "g++, cmake, ninja-build, pkgconf, doctest-dev")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-ancora)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "ancora ${same_version}, python3, python3-numpy")
# removes what Python compiled
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/debian/prerm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas, python3-scipy")

include(CPack)
