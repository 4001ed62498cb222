# Writes one source that reads others, each in a namespace of its own; see ancora_together().
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake -D OUTPUT=FILE -D "SOURCES=FILE;..." -P together.cmake

# Read first, outside of those namespaces: there each header is passed over as one already read.
set(headers "")
foreach(source IN LISTS SOURCES)
    file(STRINGS "${source}" lines REGEX "^#include ")
    cmake_path(GET source PARENT_PATH folder)
    foreach(line IN LISTS lines)
        string(REGEX MATCH "[<\"][^>\"]+[>\"]" header "${line}")
        string(REGEX REPLACE "[<>\"]" "" name "${header}")
        # one beside the source, which is not beside what is written here
        if(header MATCHES "^\"" AND EXISTS "${folder}/${name}")
            set(header "\"${folder}/${name}\"")
        endif()
        list(APPEND headers "#include ${header}")
    endforeach()
endforeach()
list(REMOVE_DUPLICATES headers)
list(JOIN headers "\n" text)

# Inside, `ancora` and its namespaces for tests are those of the source, and see what is in the real ones.
set(number 0)
foreach(source IN LISTS SOURCES)
    string(APPEND text "\n
namespace source_${number} {
namespace ancora {
using namespace ::ancora;
namespace testing {
using namespace ::ancora::testing;
}  // namespace testing
}  // namespace ancora
#include \"${source}\"
}  // namespace source_${number}")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by the build of these sources together.
namespace ancora::testing {}
${text}
")
