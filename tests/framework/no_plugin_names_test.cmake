# The kernel and the conformance kit name no plugin: in no source file of the framework does the name
# of a type that is shipped stand outside comments. What the kit builds systems of is data
# (framework/verify/reference_systems.toml). framework/import writes manifests, which name types.
# SPDX-License-Identifier: BSD-3-Clause

cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE plugin_sources "${SOURCE}/plugins/*/src/*.cpp")
set(types "")
foreach(file IN LISTS plugin_sources)
    file(READ "${file}" text)
    string(REGEX MATCHALL "type<[A-Za-z0-9_:]+>\\([ \n]*\"[a-z0-9_]+\"" found "${text}")
    foreach(one IN LISTS found)
        string(REGEX REPLACE ".*\"([a-z0-9_]+)\"" "\\1" name "${one}")
        list(APPEND types "${name}")
    endforeach()
endforeach()
list(LENGTH types count)
if(count LESS 15)
    message(FATAL_ERROR "only ${count} types were found in plugins/*/src: ${types}")
endif()
# words of the kernel's own too
list(REMOVE_ITEM types position general belt contact damper differential distance drive fixed fmu gear
    motor orientation parallel perpendicular planar screw shell spherical spring stop universal)
list(JOIN types "|" any)

set(faults "")
file(GLOB_RECURSE sources "${SOURCE}/framework/*.cpp" "${SOURCE}/framework/*.hpp")
list(FILTER sources EXCLUDE REGEX "/framework/import/")
foreach(file IN LISTS sources)
    file(STRINGS "${file}" lines REGEX "(^|[^A-Za-z0-9_])(${any})([^A-Za-z0-9_]|$)")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "//.*" "" code "${line}")
        if(code MATCHES "(^|[^A-Za-z0-9_])(${any})([^A-Za-z0-9_]|$)")
            string(APPEND faults "\n  ${file}: ${code}")
        endif()
    endforeach()
endforeach()
if(faults)
    message(FATAL_ERROR "The framework names types of plugins:${faults}")
endif()
