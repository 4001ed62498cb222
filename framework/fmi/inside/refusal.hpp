// SPDX-License-Identifier: BSD-3-Clause
// Calls that are refused, and limits that several files of an FMU's library share.
#pragma once

#include <string>

#include "ancora/framework/error.hpp"

namespace ancora::fmu {

// Times that importers have read or computed, beside what sums of them lose.
constexpr double kTimeSlack = 1e-6;  // of a step
// Steps to an end that nobody has named.
constexpr double kManySteps = 1e9;

[[noreturn]] inline void refuse(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

}  // namespace ancora::fmu
