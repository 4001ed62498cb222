# Writes a forwarding header at each path where a header of the SDK lay before it got a room.
# SPDX-License-Identifier: BSD-3-Clause
#
# They lie in a folder of their own in the build tree and in the installed one, so that plugins with
# the old includes still compile and an author sees only the new paths. `old>new` where the name
# changed too.

set(moved_to_authoring
    argument_list
    differences
    force_law
    holonomic_constraint
    nonholonomic_constraint
    polynomial_degree
    rate_function
    rigid_motion
    row_function
    row_tangent
    strain_block
    vector_body
    written_constraint)
set(moved_to_numbers
    gradient
    math
    taylor
    vector3)
set(moved_to_formula
    formula
    formula_builder>builder
    formula_error>error
    formula_parser>parser
    formula_scope>scope
    formula_tape>tape)
set(moved_to_helpers
    event_locator
    number_file
    rigid_body
    time_function
    time_table)

foreach(room IN ITEMS authoring numbers formula helpers)
    foreach(entry IN LISTS moved_to_${room})
        string(REGEX REPLACE ">.*" "" old "${entry}")
        string(REGEX REPLACE ".*>" "" new "${entry}")
        file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/include/ancora/sdk/${old}.hpp" CONTENT
"// SPDX-License-Identifier: BSD-3-Clause
// This header has moved; include \"ancora/sdk/@room@/@new@.hpp\" instead.
#pragma once

#include \"ancora/sdk/@room@/@new@.hpp\"
" @ONLY)
    endforeach()
endforeach()
