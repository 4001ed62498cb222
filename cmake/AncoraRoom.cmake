# Defines ancora_room(), which builds a room of the kernel.
# SPDX-License-Identifier: BSD-3-Clause

include_guard()

# ancora_room(NAME [COLD] SOURCES file... [PUBLIC header...] [OVER room...] [LIBRARIES target...])
#
# Builds the current folder as the object library ancora_room_NAME, a part of Ancora::framework. Its code
# finds the headers of its own folder, of the rooms that it stands OVER and of those below them: an
# include of any other room does not compile. LIBRARIES are those that its code includes. PUBLIC names
# the headers of framework/include that the room answers for; since they lie in one folder, a test
# holds rooms to their order (tests/framework/rooms_test.cmake). A COLD room is one that no step enters:
# it is compiled for the time that this takes, not for the time that it takes.
#
# The property ANCORA_ROOMS holds the object libraries of all rooms; that of a room, ANCORA_PUBLIC,
# its public headers.
function(ancora_room name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "COLD" "" "SOURCES;PUBLIC;OVER;LIBRARIES")
    if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "ancora_room(${name}) in ${CMAKE_CURRENT_SOURCE_DIR}: "
            "write ancora_room(NAME [COLD] SOURCES file... [PUBLIC header...] [OVER room...] "
            "[LIBRARIES target...])")
    endif()

    set(target ancora_room_${name})
    add_library(${target} OBJECT ${arg_SOURCES})
    target_include_directories(${target} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
    list(TRANSFORM arg_OVER PREPEND ancora_room_)
    target_link_libraries(${target}
        PUBLIC ancora_framework_headers ${arg_OVER}
        PRIVATE ancora_build_flags ${arg_LIBRARIES})
    # as if compiled in the shared library itself
    target_compile_definitions(${target} PRIVATE ancora_framework_EXPORTS)
    set_target_properties(${target} PROPERTIES
        POSITION_INDEPENDENT_CODE ON
        ANCORA_PUBLIC "${arg_PUBLIC}")
    if(arg_COLD)
        target_compile_options(${target} PRIVATE ${ANCORA_COLD_OPTIONS})
        ancora_precompiled(cold_kernel ${target})
    else()
        ancora_precompiled(kernel ${target})
    endif()
    set_property(GLOBAL APPEND PROPERTY ANCORA_ROOMS ${target})
endfunction()
