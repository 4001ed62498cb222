# What `ancora new` writes builds, passes its test and `ancora verify`, and runs, offline and at
# once; the tutorial's commands do, in order, as they stand.
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake -D BUILD_DIR=... -D SOURCE_DIR=... -D CXX=... -D WORK_DIR=... -P new_test.cmake

include("${CMAKE_CURRENT_LIST_DIR}/installed_package.cmake")

# --- a plugin of each kind; the constraint is the tutorial's
file(MAKE_DIRECTORY "${WORK_DIR}/new")
foreach(kind IN ITEMS body force integrator unilateral)
    set(name "my_own_${kind}")
    set(folder "${WORK_DIR}/new/${name}")
    set(asked ${kind})
    if(kind STREQUAL "unilateral")
        set(asked constraint --unilateral)
    endif()
    run("new ${kind}" COMMAND "${ancora}" new ${asked} ${name} --dir "${WORK_DIR}/new"
        MATCHES "-DCMAKE_PREFIX_PATH=${prefix}\n" "ancora verify build/plugins/${name}.so")
    build("new ${kind}" "${folder}" "${folder}/build")
    run("new ${kind}, its test"
        COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${folder}/build" --output-on-failure)
    run("new ${kind}, the conformance kit"
        COMMAND "${ancora}" verify "${folder}/build/plugins/${name}.so" MATCHES " 0 failed")
    run("new ${kind}, its model"
        COMMAND "${ancora}" run "${folder}/model.toml" --plugin-dir "${folder}/build/plugins"
            --out "${folder}/results"
        MATCHES "${name}: completed")
endforeach()

# --- a template's own name stands nowhere in what is made of it; under it the copy is exact
file(GLOB_RECURSE files RELATIVE "${WORK_DIR}/new" "${WORK_DIR}/new/*.md" "${WORK_DIR}/new/*.cpp"
    "${WORK_DIR}/new/*.toml" "${WORK_DIR}/new/CMakeLists.txt")
list(FILTER files EXCLUDE REGEX "/build/")
list(LENGTH files num_files)
if(num_files LESS 15)
    message(FATAL_ERROR "only ${num_files} files of the new plugins were found")
endif()
foreach(file IN LISTS files)
    file(STRINGS "${WORK_DIR}/new/${file}" lines REGEX "[Dd]umbbell|[Dd]amper|[Mm]idpoint|[Ww]all")
    if(lines)
        message(FATAL_ERROR "${file} has a name of the template: ${lines}")
    endif()
endforeach()
run("new constraint rod" COMMAND "${ancora}" new constraint rod --dir "${WORK_DIR}/new")
foreach(file IN ITEMS .gitignore CMakeLists.txt README.md model.toml src/rod.cpp tests/rod_test.cpp)
    run("rod, ${file}" COMMAND "${CMAKE_COMMAND}" -E compare_files
        "${WORK_DIR}/new/rod/${file}" "${SOURCE_DIR}/sdk/template/constraint/${file}")
endforeach()

# --- the target of 40 lines of C++ for the distance constraint, and what the tutorial says of it
find_program(awk NAMES awk mawk gawk REQUIRED)
execute_process(COMMAND "${awk}" "!/^ *(\\/\\/.*)?$/ { n += 1 } END { print n }"
        "${SOURCE_DIR}/sdk/template/constraint/src/rod.cpp"
    OUTPUT_VARIABLE num_lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(guide "${SOURCE_DIR}/sdk/guides/first_constraint.md")
file(STRINGS "${guide}" claim REGEX "the plugin, ${num_lines} lines of C\\+\\+ without comments")
if(num_lines GREATER 40 OR NOT claim)
    message(FATAL_ERROR "rod.cpp has ${num_lines} lines; at most 40 are allowed, and the tutorial "
        "states their number")
endif()

# --- an SDK that is missing or does not match is said so
function(refused step)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;MATCHES")
    execute_process(COMMAND ${arg_COMMAND}
        RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    # CMake breaks the lines of its messages where it likes.
    string(REGEX REPLACE "[ \n]+" " " output "${output}")
    foreach(text IN LISTS arg_MATCHES)
        if(status EQUAL 0 OR NOT output MATCHES "${text}")
            message(FATAL_ERROR "${step}: status ${status}, \"${text}\" is not in\n${output}")
        endif()
    endforeach()
    message(STATUS "${step}: refused in words")
endfunction()

set(configure "${CMAKE_COMMAND}" -S "${WORK_DIR}/new/rod" -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}"
    -DCMAKE_BUILD_TYPE=Release)
refused("no Ancora" COMMAND ${configure} -B "${WORK_DIR}/new/rod/missing"
    MATCHES "Could not find a package configuration file provided by \"Ancora\""
        "Add the installation prefix of \"Ancora\" to CMAKE_PREFIX_PATH")
file(READ "${WORK_DIR}/new/rod/CMakeLists.txt" text)
string(REPLACE "SDK_VERSION 12" "SDK_VERSION 99" newer "${text}")
file(WRITE "${WORK_DIR}/new/rod/CMakeLists.txt" "${newer}")
refused("an SDK that is too old" COMMAND ${configure} -B "${WORK_DIR}/new/rod/newer"
        "-DCMAKE_PREFIX_PATH=${prefix}"
    MATCHES "written for SDK version 99, but Ancora [0-9.]+ in [^ ]+ has SDK version 12; install")
string(REPLACE "Ancora 0.3" "Ancora 0.7" other "${text}")
file(WRITE "${WORK_DIR}/new/rod/CMakeLists.txt" "${other}")
refused("another version of Ancora" COMMAND ${configure} -B "${WORK_DIR}/new/rod/other"
        "-DCMAKE_PREFIX_PATH=${prefix}"
    MATCHES "does not fit: the project asks for Ancora 0.7. Install one that does")

# --- the tutorial
execute_process(COMMAND "${awk}" -f "${CMAKE_CURRENT_LIST_DIR}/guide_script.awk" "${guide}"
    OUTPUT_FILE "${WORK_DIR}/tutorial.sh" COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY "${WORK_DIR}/tutorial")
run("tutorial" COMMAND "${CMAKE_COMMAND}" -E chdir "${WORK_DIR}/tutorial"
        "${CMAKE_COMMAND}" -E env "PATH=${prefix}/bin:$ENV{PATH}" "CXX=${CXX}"
        sh -eux "${WORK_DIR}/tutorial.sh"
    MATCHES "constraint `thread` in" "thread: completed" "bead on a thread: completed"
        "passed: [0-9]+ passed, 0 failed"
        "bead that rubs on its thread: completed" "thread 0.2.0")

file(REMOVE_RECURSE "${WORK_DIR}")
