// SPDX-License-Identifier: BSD-3-Clause
// Which call of the plugin is in progress, where it is seen from outside if the process dies in it.
#pragma once

#include <cstddef>
#include <string_view>

namespace ancora::verify {

/// Bytes of the memory that both processes share.
inline constexpr std::size_t kCallNameBytes = 256;

/// Names a call from construction to destruction. With several threads the last one named counts.
class CallInProgress {
public:
    explicit CallInProgress(std::string_view name);
    ~CallInProgress();
    CallInProgress(const CallInProgress&) = delete;
    CallInProgress& operator=(const CallInProgress&) = delete;

    /// [child] Names go to this memory of kCallNameBytes; until then nowhere.
    static void write_to(char* memory);
};

}  // namespace ancora::verify
