# No header of the SDK includes a room that its own may not; no path leads nowhere.
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake -D SOURCE_DIR=... -P rooms_test.cmake

cmake_minimum_required(VERSION 3.25)
set(include "${SOURCE_DIR}/sdk/include")
set(sdk "${include}/ancora/sdk")

# What each room may include besides itself; "interfaces" is the root.
set(allowed_interfaces "")
set(allowed_numbers "")
set(allowed_formula numbers)
set(allowed_authoring interfaces numbers)
set(allowed_helpers interfaces numbers formula)
set(allowed_testing interfaces)

function(room_of path result)
    set(${result} interfaces PARENT_SCOPE)
    if(path MATCHES "^ancora/sdk/([a-z]+)/")
        set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
endfunction()

set(num_includes 0)
set(wrong "")
file(GLOB_RECURSE headers RELATIVE "${include}" "${sdk}/*.hpp")
list(REMOVE_ITEM headers ancora/sdk/authoring.hpp)  # it forwards
foreach(header IN LISTS headers)
    room_of("${header}" room)
    if(NOT DEFINED allowed_${room} AND NOT room STREQUAL "interfaces")
        string(APPEND wrong "${header}: the room \"${room}\" has no rule in this test\n")
    endif()
    file(STRINGS "${include}/${header}" lines REGEX "^ *#include *[\"<]ancora/")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE ".*[\"<](ancora/[^\">]*).*" "\\1" included "${line}")
        math(EXPR num_includes "${num_includes} + 1")
        room_of("${included}" other)
        if(NOT included MATCHES "^ancora/sdk/")
            string(APPEND wrong "${header} includes ${included}, which is no part of the SDK\n")
        elseif(NOT EXISTS "${include}/${included}")
            string(APPEND wrong "${header} includes ${included}, which is not there\n")
        elseif(NOT other STREQUAL room AND NOT other IN_LIST allowed_${room})
            string(APPEND wrong "${header} (${room}) includes ${included} (${other})\n")
        endif()
    endforeach()
endforeach()
if(num_includes LESS 50)
    message(FATAL_ERROR "only ${num_includes} includes were found in ${sdk}")
endif()

# The repository uses paths that there are.
file(GLOB_RECURSE sources "${SOURCE_DIR}/plugins/*.[ch]pp" "${SOURCE_DIR}/framework/*.[ch]pp"
    "${SOURCE_DIR}/tests/*.[ch]pp" "${SOURCE_DIR}/examples/*.[ch]pp"
    "${SOURCE_DIR}/sdk/template/*.[ch]pp")
foreach(source IN LISTS sources)
    file(STRINGS "${source}" lines REGEX "^#include *[\"<]ancora/sdk/")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE ".*[\"<](ancora/[^\">]*).*" "\\1" included "${line}")
        if(NOT EXISTS "${include}/${included}")
            string(APPEND wrong "${source} includes ${included}, which is not there\n")
        endif()
    endforeach()
endforeach()

if(wrong)
    message(FATAL_ERROR "against the order of rooms (README.md of each room):\n${wrong}")
endif()
message(STATUS "${num_includes} includes within the order")
