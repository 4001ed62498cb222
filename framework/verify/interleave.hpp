// SPDX-License-Identifier: BSD-3-Clause
// Two calls, one of which is stopped between two of its instructions while the other runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ancora::verify {

/// Races by appointment. The machine steps through the first call; what it does only by chance in
/// two threads, it does here at a chosen instruction.
class Interleave {
public:
    /// `code`: where instructions count. `watched`: words whose changes are noted.
    Interleave(std::pair<std::uintptr_t, std::uintptr_t> code,
               std::vector<const std::uintptr_t*> watched);
    ~Interleave();
    Interleave(const Interleave&) = delete;

    /// Whether this machine can step.
    static bool is_there();

    /// Instructions of `first` in the code, and those that changed a watched word.
    struct Steps {
        std::size_t count = 0;
        std::vector<std::size_t> changes;
    };
    Steps count(const std::function<void()>& first);
    /// Stops `first` after `at` instructions, runs `second` in a thread of its own to its end, or
    /// until it seems to wait for what the first one holds, and lets both end. False if it waited.
    bool run(const std::function<void()>& first,
             const std::function<void()>& second,
             std::size_t at);

private:
    struct Impl;
    Impl* impl_;
};

}  // namespace ancora::verify
