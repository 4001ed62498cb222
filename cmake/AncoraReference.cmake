# Defines the target `reference`, which writes the reference of all types from their own schemas.
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake --build --preset release --target reference        writes <build>/reference.md

set(reference_file "${PROJECT_BINARY_DIR}/reference.md")

# Of the plugins built here alone, whatever the caller's shell has set.
add_custom_target(reference
    COMMAND "${CMAKE_COMMAND}" -E env --unset=ANCORA_PLUGIN_PATH
        "$<TARGET_FILE:ancora_command>" describe --all --markdown > "${reference_file}"
    DEPENDS ancora_plugins ancora_command
    COMMENT "Writing ${reference_file}"
    VERBATIM)
