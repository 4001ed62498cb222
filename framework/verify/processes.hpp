// SPDX-License-Identifier: BSD-3-Clause
// Processes that this one has started, or that have come to it since their own parents ended.
#pragma once

#include <set>

#include <sys/types.h>

namespace ancora::verify {

/// From now on descendants whose parents end become children of this process, also those that have
/// made themselves daemons.
void adopt_orphans();

/// Children that have not ended.
std::set<pid_t> running_children();

/// Ends all children but `spared`, and what then comes of their own.
/// @returns how many had not ended by themselves
int end_children(const std::set<pid_t>& spared);

}  // namespace ancora::verify
