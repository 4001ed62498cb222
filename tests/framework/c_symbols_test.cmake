# The functions that the C header declares are those that the library offers, each under the version of
# symbols.map; what is exported without a declaration, or declared and missing, is a fault.
# SPDX-License-Identifier: BSD-3-Clause

cmake_minimum_required(VERSION 3.25)

file(READ "${HEADER}" text)
string(REGEX MATCHALL "ANCORA_API [a-z0-9_ *]+[ *]ancora_[a-z_]+\\(" declarations "${text}")
set(declared "")
foreach(declaration IN LISTS declarations)
    string(REGEX REPLACE ".*[ *](ancora_[a-z_]+)\\($" "\\1" name "${declaration}")
    list(APPEND declared "${name}")
endforeach()
list(SORT declared)
list(LENGTH declared count)
if(count LESS 40)
    message(FATAL_ERROR "only ${count} declarations were found: ${declared}")
endif()

execute_process(COMMAND "${NM}" -D --defined-only --with-symbol-versions "${LIBRARY}"
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T ancora_[^\n]*" lines "${symbols}")
set(exported "")
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^ T (ancora_[a-z_]+)@@ANCORA_C_[12]$")
        message(FATAL_ERROR "a C symbol without the version of the interface:${line}")
    endif()
    list(APPEND exported "${CMAKE_MATCH_1}")
endforeach()
list(SORT exported)
if(NOT declared STREQUAL exported)
    message(FATAL_ERROR "declared: ${declared}\nexported: ${exported}")
endif()
