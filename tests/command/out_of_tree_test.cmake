# Installs Ancora into an empty prefix and uses it as a stranger would: nothing but what is installed.
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake -D BUILD_DIR=... -D SOURCE_DIR=... -D CXX=... -D WORK_DIR=... -P out_of_tree_test.cmake
#
# Documents and examples are there; of these, plugins (sdk/template/constraint,
# examples/custom_constraint) and embedding programs (examples/embed_minimal, examples/embed) are
# built and run, the plugins also with -march=native,
# which must not change what the kernel and they agree upon.

include("${CMAKE_CURRENT_LIST_DIR}/installed_package.cmake")

set(data "${prefix}/share/ancora")
set(template "${data}/sdk/template/constraint")

# Documents and examples lie as in the repository, without what building and running leaves there.
foreach(file IN ITEMS LICENSE README.md CHANGELOG.md CITATION.cff examples/README.md
        examples/tumbling_box/model.toml examples/tumbling_box/picture.svg
        examples/sail_net/sail.msh framework/README.md framework/docs/architecture.md
        framework/docs/architecture.svg framework/docs/theory.md plugins/emm/README.md sdk/README.md
        sdk/guides/first_constraint.md sdk/guides/from_phi_to_forces.md)
    run("${file} is installed" COMMAND "${CMAKE_COMMAND}" -E compare_files
        "${data}/${file}" "${SOURCE_DIR}/${file}")
endforeach()
find_program(python NAMES python3)
if(python)
    run("links between installed documents" COMMAND "${python}"
        "${CMAKE_CURRENT_LIST_DIR}/documents_test.py" "${data}"
        CONTRIBUTING.md cmake framework/analyses framework/c framework/fmi framework/import framework/include
        framework/kernel
        framework/modelling framework/parts framework/report framework/run framework/sweep sdk/include tests)
endif()
file(GLOB_RECURSE strays "${data}/*.so" "${data}/*/results/*" "${data}/*/build/*" "${data}/*.pyc")
if(strays)
    message(FATAL_ERROR "installed, though no part of the sources: ${strays}")
endif()
run("an installed example" COMMAND "${ancora}" run "${data}/examples/tumbling_box/model.toml"
    --set integrator.end=0.1 --out "${WORK_DIR}/tumbling_box" MATCHES "tumbling box: completed")

run("reference" COMMAND "${ancora}" describe --all --markdown
    MATCHES "body `ancf_rigid_body`" "constraint `position`" "integrator `emm`")

foreach(flags IN ITEMS "-O2" "-O3 -march=native")
    string(MAKE_C_IDENTIFIER "rod${flags}" name)
    set(plugin "${WORK_DIR}/${name}")
    build("plugin with ${flags}" "${template}" "${plugin}" "-DCMAKE_CXX_FLAGS_RELEASE=${flags}")
    run("plugin with ${flags}, its test"
        COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${plugin}" --output-on-failure)
    run("plugin with ${flags}, a run"
        COMMAND "${ancora}" run "${template}/model.toml" --plugin-dir "${plugin}/plugins"
            --out "${plugin}/results"
        MATCHES "rod: completed" "energy balance +[0-9.]+e-1[0-9] J")
    run("plugin with ${flags}, its description"
        COMMAND "${ancora}" describe rod --plugin-dir "${plugin}/plugins"
        MATCHES "massless bar")
    run("plugin with ${flags}, the conformance kit"
        COMMAND "${ancora}" verify "${plugin}/plugins/rod.so"
        MATCHES "jacobian +pass" "allocation +pass" "0 failed")
endforeach()

# Installed into the same prefix it needs no --plugin-dir.
run("plugin, install" COMMAND "${CMAKE_COMMAND}" --install "${plugin}" --prefix "${prefix}")
run("plugin, check" COMMAND "${ancora}" check "${template}/model.toml" MATCHES "rod 0.1.0")

# A constraint that Ancora does not ship, with its friction. Its test compares the motion under emm
# and rk4 with a solution in minimal coordinates.
set(rope "${WORK_DIR}/custom_constraint")
file(COPY "${data}/examples/custom_constraint" DESTINATION "${WORK_DIR}")
foreach(flags IN ITEMS "default flags" "-O3 -march=native")
    string(MAKE_C_IDENTIFIER "build ${flags}" name)
    set(binary "${rope}/${name}")
    set(option)
    if(flags MATCHES "^-")
        set(option "-DCMAKE_CXX_FLAGS_RELEASE=${flags}")
    endif()
    build("rope with ${flags}" "${rope}" "${binary}" ${option})
    run("rope with ${flags}, its test"
        COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${binary}" --output-on-failure)
    run("rope with ${flags}, the conformance kit"
        COMMAND "${ancora}" verify "${binary}/plugins/rope.so"
        MATCHES "discrete_identity +pass" "dissipation +pass" " 0 failed")
    foreach(type IN ITEMS emm rk4)
        run("rope with ${flags}, a run under ${type}"
            COMMAND "${ancora}" run "${rope}/model.toml" --plugin-dir "${binary}/plugins"
                --set integrator.type=${type} --out "${binary}/results_${type}"
            MATCHES "Atwood's machine: completed" "constraint position +[0-9.]+e-1[4-6] m")
    endforeach()
endforeach()

# An implicit integrator of one's own. Its test compares with dopri5 and asks for second order.
set(bdf2 "${WORK_DIR}/custom_integrator")
file(COPY "${data}/examples/custom_integrator" DESTINATION "${WORK_DIR}")
build("integrator" "${bdf2}" "${bdf2}/build")
run("integrator, its test"
    COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${bdf2}/build" --output-on-failure)
run("integrator, the conformance kit" COMMAND "${ancora}" verify "${bdf2}/build/plugins/bdf2.so"
    MATCHES "order +pass" " 0 failed")

# A plugin that reads a mesh: the guide's example, with the component of the package that it asks for.
set(springs "${WORK_DIR}/springs")
build("mesh plugin" "${SOURCE_DIR}/tests/command/mesh_plugin" "${springs}")
run("mesh plugin, a run"
    COMMAND "${ancora}" run "${SOURCE_DIR}/tests/command/mesh_plugin/model.toml"
        --plugin-dir "${springs}/plugins" --out "${springs}/results"
    MATCHES "three springs: completed")

build("embedding program" "${data}/examples/embed_minimal" "${WORK_DIR}/embed")
run("embedding program, built in code" COMMAND "${WORK_DIR}/embed/embed_minimal"
    MATCHES "pin: reaction" "t = 1 s")
run("embedding program, from a manifest"
    COMMAND "${WORK_DIR}/embed/embed_minimal" "${template}/model.toml"
    MATCHES "rod: reaction" "t = 5 s")

# From C, by the package and by pkg-config; the latter again where the tree has been moved.
build("program in C" "${data}/examples/embed_c" "${WORK_DIR}/embed_c")
run("program in C, a controller at 1 kHz" COMMAND "${WORK_DIR}/embed_c/embed_c" 0.5
    MATCHES "periods of 1 ms" "angle -?[0-9.]+e-0[0-9] rad")
find_program(pkg_config NAMES pkg-config pkgconf)
find_program(cc NAMES gcc cc)
function(build_by_pkg_config root)
    file(GLOB_RECURSE pc "${root}/lib/ancora.pc")
    cmake_path(GET pc PARENT_PATH folder)
    execute_process(
        COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${folder}"
            "${pkg_config}" --cflags --libs ancora
        OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    cmake_path(GET folder PARENT_PATH lib)
    run("program in C by pkg-config in ${root}"
        COMMAND "${cc}" -std=c11 -Wall -Wextra -Werror -pedantic
            "${root}/share/ancora/examples/embed_c/main.c" -o "${WORK_DIR}/by_pkg_config"
            ${flags} "-Wl,-rpath,${lib}" -lm)
    run("program in C by pkg-config, a run" COMMAND "${WORK_DIR}/by_pkg_config" 0.1
        MATCHES "periods of 1 ms")
endfunction()
if(pkg_config AND cc)
    build_by_pkg_config("${prefix}")
endif()

build("larger tool" "${data}/examples/embed" "${WORK_DIR}/tool")
run("larger tool, two kernels and one that fails"
    COMMAND "${WORK_DIR}/tool/embed" "${data}/examples/embed/model.toml"
    MATCHES "rod. failed: t = " "as forecast to the bit" "off its recursion by [0-9]e-1[3-9] m"
        "energy balance [0-9]e-1[5-9], angular")

# The installed tree may be moved as a whole.
file(RENAME "${prefix}" "${WORK_DIR}/moved")
run("moved prefix" COMMAND "${WORK_DIR}/moved/bin/ancora" check
    "${WORK_DIR}/moved/share/ancora/sdk/template/constraint/model.toml"
    MATCHES "${WORK_DIR}/moved/lib")

if(pkg_config AND cc)
    build_by_pkg_config("${WORK_DIR}/moved")
endif()

file(REMOVE_RECURSE "${WORK_DIR}")
