# Defines ancora_build_flags, the flags that everything built in this tree shares; never exported.
# SPDX-License-Identifier: BSD-3-Clause

include_guard()

add_library(ancora_build_flags INTERFACE)

# Hidden by default: what is not marked for export can be neither called nor overridden from outside.
target_compile_options(ancora_build_flags INTERFACE
    -fvisibility=hidden
    -fvisibility-inlines-hidden
    # Sums that are written twice, by rows and by columns, round alike on every processor.
    -ffp-contract=off
    -Wall
    -Wextra
    -Wpedantic
    -Wcast-align
    -Wextra-semi
    -Wformat=2
    -Wnon-virtual-dtor
    -Wold-style-cast
    -Woverloaded-virtual
    -Wshadow)

# One function of the C library would need a newer one than all others do, see hypot.cpp.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_library(ancora_hypot STATIC "${CMAKE_CURRENT_LIST_DIR}/hypot.cpp")
    set_target_properties(ancora_hypot PROPERTIES
        POSITION_INDEPENDENT_CODE ON
        CXX_VISIBILITY_PRESET hidden)
    target_link_libraries(ancora_build_flags INTERFACE ancora_hypot)
    target_link_options(ancora_build_flags INTERFACE LINKER:--wrap=hypot)
endif()

# For code that waits for the kernel or for its user: tests, the command, the conformance kit. It is
# compiled in two thirds of the time so. CMake's own -O3 stands in front of it; the last one counts.
# There GCC 12 sees faults in std::string that are none.
set(gcc_release "$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>")
set(ANCORA_COLD_OPTIONS
    "$<$<CONFIG:Release>:-O1>"
    "$<${gcc_release}:-Wno-array-bounds;-Wno-maybe-uninitialized;-Wno-restrict;-Wno-stringop-overflow>")

if(ANCORA_WARNINGS_AS_ERRORS)
    target_compile_options(ancora_build_flags INTERFACE -Werror)
endif()

# Bounds checks of the standard library while debugging; unlike _GLIBCXX_DEBUG they keep the ABI.
target_compile_definitions(ancora_build_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(ANCORA_SANITIZE)
    # Stop at the first finding, so that a test cannot pass with one.
    set(sanitizer_options -fsanitize=${ANCORA_SANITIZE} -fno-sanitize-recover=all)

    # The vptr check needs the typeinfo of a class wherever one of its virtual functions is called,
    # and hidden classes do not export theirs: programs that are right would fail to link.
    list(APPEND sanitizer_options -fno-sanitize=vptr)

    target_compile_options(ancora_build_flags INTERFACE
        ${sanitizer_options}
        # Readable stacks, and fast enough for the long suites to finish.
        -fno-omit-frame-pointer -g -O1)
    target_link_options(ancora_build_flags INTERFACE ${sanitizer_options})

    # Clang's sanitizers have their runtime in the program. Plugins must not leave anything undefined,
    # but for that.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        target_link_options(ancora_build_flags INTERFACE
            $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>:LINKER:-z,undefs>)
    endif()
endif()
