# Defines the targets of the reference: types from their own schemas, headers from their comments.
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake --build --preset release --target reference        writes <build>/reference.md
#   cmake --build --preset release --target sdk_reference    writes <build>/sdk_reference/html
#   cmake --build --preset release --target site             writes <build>/site/html: all documents,
#       a gallery of the examples and the reference, with search

set(reference_file "${PROJECT_BINARY_DIR}/reference.md")

# Of the plugins built here alone, whatever the caller's shell has set.
add_custom_target(reference
    COMMAND "${CMAKE_COMMAND}" -E env --unset=ANCORA_PLUGIN_PATH
        "$<TARGET_FILE:ancora_command>" describe --all --markdown > "${reference_file}"
    DEPENDS ancora_plugins ancora_command
    COMMENT "Writing ${reference_file}"
    VERBATIM)

find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
    add_custom_target(site
        COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/framework/docs/site/site.py"
            "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/site" --reference "${reference_file}"
        COMMENT "Writing ${PROJECT_BINARY_DIR}/site/html"
        VERBATIM)
    add_dependencies(site reference)
endif()

# Left out where Doxygen is not installed (Debian: doxygen).
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
    return()
endif()

set(DOXYGEN_PROJECT_NAME "Ancora")
set(DOXYGEN_PROJECT_BRIEF "Plugin-based multibody dynamics: SDK and kernel")
set(DOXYGEN_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/sdk_reference")
set(DOXYGEN_STRIP_FROM_PATH
    "${PROJECT_SOURCE_DIR}/sdk/include" "${PROJECT_SOURCE_DIR}/framework/include")
set(DOXYGEN_STRIP_FROM_INC_PATH ${DOXYGEN_STRIP_FROM_PATH})
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE "${PROJECT_SOURCE_DIR}/sdk/README.md")
set(DOXYGEN_FILE_PATTERNS *.hpp *.md)
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_EXCLUDE_SYMBOLS detail *::detail)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_QUIET YES)
# Links of the guides lead to files of the repository, which are no pages there.
set(DOXYGEN_WARNINGS NO)

doxygen_add_docs(sdk_reference
    "${PROJECT_SOURCE_DIR}/sdk/include"
    "${PROJECT_SOURCE_DIR}/framework/include"
    "${PROJECT_SOURCE_DIR}/sdk/README.md"
    "${PROJECT_SOURCE_DIR}/sdk/guides"
    COMMENT "Writing ${PROJECT_BINARY_DIR}/sdk_reference/html")
