// SPDX-License-Identifier: BSD-3-Clause
// Counts the heap allocations of a stretch of code, with the help of a preloaded library.
#pragma once

#include <string>

namespace ancora::verify {

/// Counts from construction on, allocations of this thread only. The counting itself is done by
/// the library that `malloc_probe.cpp` makes, which stands before the C library in the child.
class AllocationProbe {
public:
    AllocationProbe();
    ~AllocationProbe();
    AllocationProbe(const AllocationProbe&) = delete;

    /// Whether the library is there.
    static bool is_there();

    /// Allocations so far; ends the counting.
    long count();
    /// Allocations so far that were made by code of `file`, directly or through the C and C++
    /// libraries; ends the counting.
    long count_from(const std::string& file);
};

}  // namespace ancora::verify
