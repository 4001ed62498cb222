// SPDX-License-Identifier: BSD-3-Clause
// The `ancora` program as a user runs it, and what it says.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "support/process.hpp"

namespace ancora::testing {

using CommandArguments = std::vector<std::string>;

inline CommandArguments command_line(CommandArguments arguments) {
    arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
    return arguments;
}

/// `ancora ARGUMENTS` in this folder, with messages alone on standard error.
inline ProcessResult run_ancora(const TempFolder& folder,
                                CommandArguments arguments,
                                ProcessOptions options = {}) {
    options.folder = folder.path();
    return run_for_messages(command_line(std::move(arguments)), options);
}

/// The same with all that it writes to standard error, lines of the manifest too.
inline ProcessResult run_ancora_in_full(const TempFolder& folder,
                                        CommandArguments arguments,
                                        ProcessOptions options = {}) {
    options.folder = folder.path();
    return run_process(command_line(std::move(arguments)), options);
}

/// Whether `part` is in `text`, which is shown where it is not.
inline bool contains(std::string_view text, std::string_view part) {
    const bool is_there = text.find(part) != std::string_view::npos;
    if (!is_there) MESSAGE("not found: \"", part, "\" in:\n", text);
    return is_there;
}

}  // namespace ancora::testing
