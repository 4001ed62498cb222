# What tests of the installed package share: an Ancora installed into an empty prefix, and steps.
# SPDX-License-Identifier: BSD-3-Clause
#
# Included by scripts that are called with
#
#   cmake -D BUILD_DIR=... -D SOURCE_DIR=... -D CXX=... -D WORK_DIR=... -P SCRIPT

cmake_minimum_required(VERSION 3.25)

foreach(name IN ITEMS BUILD_DIR SOURCE_DIR CXX WORK_DIR)
    if(NOT ${name})
        message(FATAL_ERROR "write -D ${name}=... before -P")
    endif()
endforeach()

# What the caller's shell has set must not help.
unset(ENV{ANCORA_PLUGIN_PATH})
unset(ENV{LD_LIBRARY_PATH})
unset(ENV{CXXFLAGS})
unset(ENV{CMAKE_PREFIX_PATH})

# run(STEP COMMAND argument... [MATCHES text...]): stops with the step's name and all its output
# unless it ends with status 0 and its output holds every text.
function(run step)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;MATCHES")
    execute_process(COMMAND ${arg_COMMAND}
        RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${step}: status ${status}\n${output}")
    endif()
    foreach(text IN LISTS arg_MATCHES)
        if(NOT output MATCHES "${text}")
            message(FATAL_ERROR "${step}: \"${text}\" is not in its output\n${output}")
        endif()
    endforeach()
    message(STATUS "${step}: passed")
endfunction()

set(prefix "${WORK_DIR}/prefix")
set(ancora "${prefix}/bin/ancora")
file(REMOVE_RECURSE "${WORK_DIR}")

# build(STEP SOURCE BINARY argument...): configures with only the installed package, and builds.
function(build step source binary)
    run("${step}, configure" COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${binary}" -G Ninja
        "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX}"
        -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" ${ARGN})
    run("${step}, build" COMMAND "${CMAKE_COMMAND}" --build "${binary}")
endfunction()

run("install" COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
