# Runs examples for a second and makes their reports: FOLDER/NAME/report.html from EXAMPLES/NAME.
# SPDX-License-Identifier: BSD-3-Clause

foreach(report IN LISTS REPORTS)
    cmake_path(GET report PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    execute_process(
        COMMAND "${ANCORA}" run "${EXAMPLES}/${name}/model.toml" --quiet
            --out "${folder}" --set integrator.end=1
        COMMAND_ERROR_IS_FATAL ANY)
    execute_process(
        COMMAND "${ANCORA}" report "${folder}" --quiet
        COMMAND_ERROR_IS_FATAL ANY)
endforeach()
