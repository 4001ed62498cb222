// SPDX-License-Identifier: BSD-3-Clause
// What the library of the conformance kit gives to the command, which opens it when it is asked
// for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "runner.hpp"

namespace ancora::verify {

struct Kit {
    /// All checks, in the order in which they are made.
    std::span<const Check> (*checks)();
    /// See verify().
    Report (*verify)(const Settings& settings);
    /// See run_child().
    int (*run_child)(const std::vector<std::string>& arguments);
};

/// The symbol of the library that is a Kit.
inline constexpr const char* kKitSymbol = "ancora_verify_kit";

}  // namespace ancora::verify
