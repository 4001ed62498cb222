# Nettle, which comes without a file for CMake: the target Nettle::nettle.
# SPDX-License-Identifier: BSD-3-Clause

find_path(Nettle_INCLUDE_DIR nettle/sha2.h)
find_library(Nettle_LIBRARY nettle)
mark_as_advanced(Nettle_INCLUDE_DIR Nettle_LIBRARY)

if(Nettle_INCLUDE_DIR AND EXISTS "${Nettle_INCLUDE_DIR}/nettle/version.h")
    file(STRINGS "${Nettle_INCLUDE_DIR}/nettle/version.h" numbers
        REGEX "^#define NETTLE_VERSION_(MAJOR|MINOR) ")
    string(REGEX REPLACE "[^0-9;]" "" numbers "${numbers}")
    list(JOIN numbers "." Nettle_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Nettle
    REQUIRED_VARS Nettle_LIBRARY Nettle_INCLUDE_DIR VERSION_VAR Nettle_VERSION)

if(Nettle_FOUND AND NOT TARGET Nettle::nettle)
    add_library(Nettle::nettle UNKNOWN IMPORTED)
    set_target_properties(Nettle::nettle PROPERTIES
        IMPORTED_LOCATION "${Nettle_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Nettle_INCLUDE_DIR}")
endif()
