# Defines ancora_precompiled() and the rest for ANCORA_FIRST_BUILD, a build that is made once and edited little.
# SPDX-License-Identifier: BSD-3-Clause
#
# A compiler spends most of its time here on headers that it has read before. With ANCORA_FIRST_BUILD it
# takes several sources of a target at once, and headers of libraries from where they were read first.
# The whole takes half as long, but an edited source drags those with it that are compiled together
# with it; so daily work goes without.

include_guard()

if(ANCORA_FIRST_BUILD)
    set(CMAKE_UNITY_BUILD ON)
    # Few enough that two units of a room fit into memory, and that two processors have work to the end.
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 9)
    # GCC 12 takes strings that it has inlined across sources for accesses beyond them (its bug 105329);
    # daily builds have these warnings.
    add_compile_options(
        "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>")
    # Below one gigabyte it collects no garbage: a tenth to a fifth of its time, for a sixth more memory.
    add_compile_options(
        "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>")
endif()

# ancora_precompiled_set(SET [POSITION_INDEPENDENT]
#                        HEADERS header... LIBRARIES target... [OPTIONS option...])
#
# Headers of other projects alone, or an edit of one of ours would compile everything anew.
function(ancora_precompiled_set set)
    if(NOT ANCORA_FIRST_BUILD)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 arg "POSITION_INDEPENDENT" "" "HEADERS;LIBRARIES;OPTIONS")
    set(target ancora_precompiled_${set})
    # CMake compiles no headers for a target without sources.
    set(source "${PROJECT_BINARY_DIR}/precompiled/${set}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Made by the build: headers need a source to hang on.\n")
    add_library(${target} OBJECT EXCLUDE_FROM_ALL "${source}")
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
    target_compile_options(${target} PRIVATE ${arg_OPTIONS})
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD OFF
        POSITION_INDEPENDENT_CODE ${arg_POSITION_INDEPENDENT})
endfunction()

# ancora_precompiled(SET TARGET...): the targets take the headers of SET from where they were read
# once. They must be compiled alike: the libraries and options of the set, and all of them with or all
# without position-independent code.
function(ancora_precompiled set)
    if(NOT ANCORA_FIRST_BUILD)
        return()
    endif()
    foreach(target IN LISTS ARGN)
        target_precompile_headers(${target} REUSE_FROM ancora_precompiled_${set})
    endforeach()
endfunction()

# ancora_together(OUT NAME SOURCE...): with ANCORA_FIRST_BUILD OUT is one source, made by the build in the
# current binary folder, that compiles all of SOURCE; else OUT is SOURCE itself.
#
# For tests: what each has in namespaces without a name may be called alike in all of them, since each
# is read inside a namespace of its own. Headers are read before, so what is in those may not.
function(ancora_together out name)
    if(NOT ANCORA_FIRST_BUILD)
        set(${out} ${ARGN} PARENT_SCOPE)
        return()
    endif()
    set(paths "")
    foreach(source IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
        list(APPEND paths "${source}")
    endforeach()
    set(script "${PROJECT_SOURCE_DIR}/cmake/together.cmake")
    set(made "${CMAKE_CURRENT_BINARY_DIR}/together/${name}.cpp")
    add_custom_command(OUTPUT "${made}"
        COMMAND "${CMAKE_COMMAND}" -D "OUTPUT=${made}" -D "SOURCES=${paths}" -P "${script}"
        DEPENDS ${paths} "${script}"
        COMMENT "Writing ${name}.cpp"
        VERBATIM)
    set(${out} "${made}" PARENT_SCOPE)
endfunction()
