# The rooms of the kernel stand one over the other: an include that runs upward does not compile.
# SPDX-License-Identifier: BSD-3-Clause
#
# Of each room the compiler is asked to take the first header of every other one, with the include
# path that the build gives the room. It must refuse those of rooms that are not below, and take
# those that are. Public headers lie in one folder, so that sources and headers are searched for them.

cmake_minimum_required(VERSION 3.25)
include("${ROOMS}")
file(MAKE_DIRECTORY "${WORK}")
set(faults "")

foreach(room IN LISTS rooms)
    foreach(header IN LISTS public_${room})
        set(room_of_${header} ${room})
        if(NOT EXISTS "${PUBLIC}/${header}")
            string(APPEND faults "\n  ${room} answers for ${header}, which is not there")
        endif()
    endforeach()
endforeach()

foreach(room IN LISTS rooms)
    set(flags "")
    foreach(folder IN LISTS includes_${room})
        list(APPEND flags "-I${folder}")
    endforeach()
    set(below "")
    foreach(other IN LISTS rooms)
        if(folder_${other} IN_LIST includes_${room})
            list(APPEND below ${other})
        endif()
    endforeach()

    # Two rooms that stand over each other would be one.
    foreach(other IN LISTS below)
        if(NOT other STREQUAL room AND folder_${room} IN_LIST includes_${other})
            string(APPEND faults "\n  ${room} and ${other} see each other")
        endif()
    endforeach()

    foreach(other IN LISTS rooms)
        file(GLOB headers "${folder_${other}}/*.hpp")
        if(NOT headers)
            continue()
        endif()
        list(GET headers 0 header)
        cmake_path(GET header FILENAME name)
        set(source "${WORK}/${room}_takes_${other}.cpp")
        file(WRITE "${source}" "#include \"${name}\"\n")
        execute_process(
            COMMAND "${COMPILER}" -std=c++20 -M -MG -MF "${source}.d" ${flags} "${source}"
            RESULT_VARIABLE result ERROR_VARIABLE said)
        file(READ "${source}.d" found)
        string(FIND "${found}" "${folder_${other}}/${name}" at)
        if(other IN_LIST below AND at EQUAL -1)
            string(APPEND faults "\n  ${room} does not find ${name} of ${other}: ${said}")
        elseif(NOT other IN_LIST below AND NOT at EQUAL -1)
            string(APPEND faults "\n  ${room} finds ${name} of ${other}, which is not below")
        endif()
    endforeach()

    # One real compilation: what runs upward is an error.
    foreach(other IN LISTS rooms)
        if(other IN_LIST below)
            continue()
        endif()
        set(source "${WORK}/${room}_takes_${other}.cpp")
        execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only ${flags} "${source}"
            RESULT_VARIABLE result ERROR_VARIABLE said)
        if(result EQUAL 0 OR NOT said MATCHES "No such file|file not found")
            string(APPEND faults "\n  ${room} compiles with a header of ${other}: ${said}")
        endif()
        break()
    endforeach()

    file(GLOB files "${folder_${room}}/*.?pp")
    foreach(header IN LISTS public_${room})
        list(APPEND files "${PUBLIC}/${header}")
    endforeach()
    foreach(file IN LISTS files)
        file(STRINGS "${file}" includes REGEX "^#include [\"<]ancora/framework/")
        foreach(line IN LISTS includes)
            string(REGEX REPLACE ".*ancora/framework/([a-z_]+[.]hpp).*" "\\1" header "${line}")
            if(header STREQUAL "export.hpp")
                continue()
            endif()
            if(NOT DEFINED room_of_${header})
                string(APPEND faults "\n  no room answers for ${header} (included by ${file})")
            elseif(NOT room_of_${header} IN_LIST below)
                string(APPEND faults
                    "\n  ${file} of ${room} includes ${header} of ${room_of_${header}}")
            endif()
        endforeach()
    endforeach()
endforeach()

list(LENGTH rooms count)
if(count LESS 10)
    string(APPEND faults "\n  only ${count} rooms")
endif()
if(faults)
    message(FATAL_ERROR "rooms out of order:${faults}")
endif()
message(STATUS "${count} rooms in order")
