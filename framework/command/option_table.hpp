// SPDX-License-Identifier: BSD-3-Clause
// Every option of every command, in the order of help.
#pragma once

#include <span>

#include "options.hpp"

namespace ancora::command {

/// Of every command, and before one.
constexpr OptionSets kCommon = 0;

/// An option of the commands that have all the sets `of`. If several rows of a command have one
/// name, the first counts.
struct OptionRow {
    OptionSets of;
    const char* name;  ///< with what help calls its value, "out DIR", or its letter, "help,h"
    const char* doc;
    bool Options::*flag;  ///< what it sets; null if it has a value
    bool is_repeatable;
};

std::span<const OptionRow> option_table();

}  // namespace ancora::command
