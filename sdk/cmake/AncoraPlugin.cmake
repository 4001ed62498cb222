# Defines ancora_add_plugin(), the one call that a plugin's CMakeLists.txt makes.
# SPDX-License-Identifier: BSD-3-Clause
#
# It works alike in Ancora's own tree and in a project that says find_package(Ancora REQUIRED).

include_guard(GLOBAL)

# ancora_add_plugin(NAME [SDK_VERSION n] SOURCES file... [TESTS file...])
#
#   NAME     name of the plugin, as a model file lists it; also the CMake target and NAME.so
#   SDK_VERSION  the version of the SDK that the sources were written for
#   SOURCES  the plugin's sources, relative to the calling CMakeLists.txt
#   TESTS    doctest sources, built into one program NAME_test when BUILD_TESTING is on. They may
#            include the headers beside SOURCES and use its classes directly, without the kernel's
#            loader. Compiled in: ANCORA_TEST_BIN, the `ancora` program; ANCORA_TEST_PLUGIN_DIR, the
#            folder of NAME.so; ANCORA_TEST_SOURCE_DIR, the root of the project.
#
# Kept elsewhere, the library is written to <build>/plugins/NAME.so, so that
# `ancora --plugin-dir <build>/plugins` finds it, and installed to <prefix>/lib/ancora/plugins.
function(ancora_add_plugin name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SDK_VERSION" "SOURCES;TESTS")
    _ancora_check_plugin_arguments("${name}")

    # Only what Ancora's own build sets differs; these are the values for everyone else.
    if(NOT ANCORA_PLUGIN_OUTPUT_DIR)
        set(ANCORA_PLUGIN_OUTPUT_DIR "${CMAKE_BINARY_DIR}/plugins")
    endif()
    if(NOT ANCORA_PLUGIN_INSTALL_DIR)
        set(ANCORA_PLUGIN_INSTALL_DIR "lib/ancora/plugins")
    endif()

    add_library(${name} MODULE ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE Ancora::sdk)
    set_target_properties(${name} PROPERTIES
        PREFIX ""
        OUTPUT_NAME "${name}"
        SUFFIX ".so"
        LIBRARY_OUTPUT_DIRECTORY "${ANCORA_PLUGIN_OUTPUT_DIR}"
        CXX_EXTENSIONS OFF
        CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON)

    # One symbol leaves the library. Templates and inline variables would otherwise become "unique"
    # symbols, which the loader shares between all plugins that hold them and never unloads.
    set(version_script "${CMAKE_CURRENT_BINARY_DIR}/${name}.map")
    file(CONFIGURE OUTPUT "${version_script}"
        CONTENT "{\n    global: ancora_plugin_descriptor;\n    local: *;\n};\n")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${version_script}")

    # What is missing must be missed here, not at the first call in the middle of a simulation.
    target_link_options(${name} PRIVATE
        "LINKER:--version-script=${version_script}"
        "LINKER:-z,defs"
        "LINKER:--require-defined=ancora_plugin_descriptor")

    install(TARGETS ${name} LIBRARY DESTINATION "${ANCORA_PLUGIN_INSTALL_DIR}")

    if(arg_TESTS AND BUILD_TESTING)
        _ancora_add_plugin_test(${name} "${arg_TESTS}")
    endif()
endfunction()

# Stops with what is wrong, where it was looked for and what to write; reads the caller's arg_*.
function(_ancora_check_plugin_arguments name)
    set(usage "write: ancora_add_plugin(NAME SOURCES src/NAME.cpp src/plugin.cpp [TESTS tests/...])")
    set(where "ancora_add_plugin(${name}) in ${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt")

    if(NOT TARGET Ancora::sdk)
        message(FATAL_ERROR "${where}: there is no target Ancora::sdk; "
            "write find_package(Ancora REQUIRED) above this call and configure with "
            "-DCMAKE_PREFIX_PATH=<prefix where Ancora is installed>")
    endif()
    if(arg_SDK_VERSION AND ANCORA_SDK_VERSION)
        if(arg_SDK_VERSION GREATER ANCORA_SDK_VERSION)
            message(FATAL_ERROR "${where}: it is written for SDK version ${arg_SDK_VERSION}, but "
                "Ancora ${Ancora_VERSION} in ${Ancora_DIR} has SDK version ${ANCORA_SDK_VERSION}; "
                "install a newer Ancora, or name its prefix in CMAKE_PREFIX_PATH")
        elseif(arg_SDK_VERSION LESS ANCORA_SDK_VERSION)
            message(NOTICE "${where}: it is written for SDK version ${arg_SDK_VERSION} and built "
                "with ${ANCORA_SDK_VERSION}; what changed is in the SDK's guide under \"Versions\". "
                "If it compiles and `ancora verify` passes, write SDK_VERSION ${ANCORA_SDK_VERSION}")
        endif()
    endif()
    if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_-]*$")
        message(FATAL_ERROR "${where}: \"${name}\" cannot name a plugin; use a letter or \"_\" "
            "followed by letters, digits, \"_\" and \"-\"")
    endif()
    if(TARGET ${name})
        message(FATAL_ERROR "${where}: a target \"${name}\" exists already; "
            "plugin names and target names share one list, so choose another name")
    endif()
    if(arg_UNPARSED_ARGUMENTS)
        list(JOIN arg_UNPARSED_ARGUMENTS " " unknown)
        message(FATAL_ERROR "${where}: nobody knows what to do with \"${unknown}\"; ${usage}")
    endif()
    if(NOT arg_SOURCES)
        message(FATAL_ERROR "${where}: no SOURCES given; ${usage}")
    endif()
    foreach(file IN LISTS arg_SOURCES arg_TESTS)
        # A generated file exists only later, and a generator expression names no file yet.
        get_source_file_property(generated "${file}" GENERATED)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
            OUTPUT_VARIABLE path)
        if(NOT generated AND NOT file MATCHES "\\$<" AND NOT EXISTS "${path}")
            message(FATAL_ERROR "${where}: the file \"${file}\" does not exist; "
                "looked for \"${path}\"; paths are relative to this CMakeLists.txt")
        endif()
    endforeach()

    # Unoptimised Eigen is many times slower, which looks like a fault of the plugin.
    get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
    if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
        message(NOTICE "${where}: no build type is set, so the plugin will be slow; "
            "configure with -DCMAKE_BUILD_TYPE=Release")
    endif()
endfunction()

# Builds NAME_test from the test sources and the plugin's own objects and registers it with CTest.
function(_ancora_add_plugin_test name tests)
    add_executable(${name}_test ${tests} $<TARGET_OBJECTS:${name}>)
    ancora_link_doctest(${name}_test)
    target_link_libraries(${name}_test PRIVATE Ancora::framework)
    set_target_properties(${name}_test PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_definitions(${name}_test PRIVATE
        "ANCORA_TEST_BIN=\"$<TARGET_FILE:Ancora::command>\""
        "ANCORA_TEST_PLUGIN_DIR=\"${ANCORA_PLUGIN_OUTPUT_DIR}\""
        "ANCORA_TEST_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")

    # The plugin's headers lie beside its sources.
    foreach(source IN LISTS arg_SOURCES)
        cmake_path(GET source PARENT_PATH folder)
        cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
        list(APPEND folders "${folder}")
    endforeach()
    list(REMOVE_DUPLICATES folders)
    target_include_directories(${name}_test PRIVATE ${folders})

    # A test may load the library or start the program, which the linker knows nothing about.
    add_dependencies(${name}_test ${name} Ancora::command)

    add_test(NAME plugins.${name} COMMAND ${name}_test)
    set_tests_properties(plugins.${name} PROPERTIES LABELS plugins)
endfunction()

# ancora_link_doctest(TARGET): gives a test program doctest, and a main function if it has none.
function(ancora_link_doctest target)
    if(NOT TARGET ancora_doctest_main)
        find_package(doctest CONFIG QUIET GLOBAL)
        if(NOT TARGET doctest::doctest)
            message(FATAL_ERROR "the test \"${target}\" needs doctest, which was not found; "
                "install it (on Debian: apt-get install doctest-dev), name its folder in "
                "CMAKE_PREFIX_PATH, or turn tests off")
        endif()
        # From a static library the linker takes main only where a program has none of its own.
        add_library(ancora_doctest_main STATIC EXCLUDE_FROM_ALL
            "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/doctest_main.cpp")
        target_link_libraries(ancora_doctest_main PUBLIC doctest::doctest)
        # It reports, and computes nothing: half the time that it takes to compile
        if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
            target_compile_options(ancora_doctest_main PRIVATE -O0)
        endif()
    endif()
    target_link_libraries(${target} PRIVATE ancora_doctest_main)
endfunction()
