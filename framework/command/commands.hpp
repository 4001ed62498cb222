// SPDX-License-Identifier: BSD-3-Clause
// The commands of `ancora`; each returns the exit status and throws Error.
#pragma once

#include "options.hpp"

namespace ancora::command {

inline constexpr int kInterrupted = 130;

int run(const Options& options);
int check(const Options& options);
int plugins(const Options& options);
int describe(const Options& options);

}  // namespace ancora::command
