// SPDX-License-Identifier: BSD-3-Clause
// Which call of the plugin is in progress, where it is seen from outside if the process dies in it.
#pragma once

#include <cstddef>
#include <string_view>

#include <sys/types.h>

namespace ancora::verify {

/// Bytes of the memory that the processes share for that.
inline constexpr std::size_t kCallNameBytes = 256;
inline constexpr int kNotEnded = -1;

/// All that the processes share.
struct SharedPage {
    char call[kCallNameBytes];
    int end;    ///< how the plugin's process ended, as waitpid() says; before that kNotEnded
    pid_t pid;  ///< of the process in which the plugin works; 0 while it does not
    /// How the process of the check in progress ended; kNotEnded while it works and before.
    int end_of_check;
    bool is_checking;               ///< a check is in progress
    bool has_said;                  ///< its process has reported all
    char left[2 * kCallNameBytes];  ///< what it found changed in its process, in words
};

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
