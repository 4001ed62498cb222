# Writes what `ancora completion SHELL` prints to FILE.
# SPDX-License-Identifier: BSD-3-Clause
execute_process(COMMAND "${ANCORA}" completion "${SHELL}"
    OUTPUT_VARIABLE script
    COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${FILE}" "${script}")
