# Eight kinds of plugins that an author has written from the installed SDK and its guides: built with
# only the installed package, held to the conformance kit, and run against closed forms.
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake -D BUILD_DIR=... -D SOURCE_DIR=... -D CXX=... -D WORK_DIR=... -P outside_test.cmake

include("${CMAKE_CURRENT_LIST_DIR}/installed_package.cmake")

set(outside "${WORK_DIR}/outside")
file(COPY "${SOURCE_DIR}/tests/outside" DESTINATION "${WORK_DIR}")
build("eight kinds" "${outside}" "${outside}/build"
    "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror" -DCMAKE_CXX_FLAGS_RELEASE=-O1)
run("eight kinds, their motions"
    COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${outside}/build" --output-on-failure)
run("eight kinds, the conformance kit"
    COMMAND "${ancora}" verify "${outside}/build/plugins/outside.so"
    MATCHES "bead_on_helix +jacobian +pass" "bouc_wen +events" "cubic_cable +laws +pass"
        "hunt_crossley +momentum +pass" "imu +events +pass" "planar_body +attachments +pass"
        "rope_over_points +tangent +pass" "tr_bdf2 +order +pass" " 0 failed")

file(REMOVE_RECURSE "${WORK_DIR}")
