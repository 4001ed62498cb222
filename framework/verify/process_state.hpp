// SPDX-License-Identifier: BSD-3-Clause
// What a process has but once, and a plugin is to leave alone.
#pragma once

#include <csignal>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ancora::verify {

/// Standard streams, signals, working folder, locale, umask, environment, child processes, threads
/// and descriptors at one moment. Of the streams only those are watched that are files.
class ProcessState {
public:
    static ProcessState capture();
    /// What is different now, in words: "wrote 12 bytes to standard output". Empty if nothing is.
    /// Without threads and descriptors, if the kernel may have got some meanwhile.
    std::string changes(bool with_kernels = true) const;
    /// Puts back what can be, so that one finding does not hide another; ends new children.
    void restore() const;

private:
    ProcessState() = default;

    off_t written_[2] = {};
    std::vector<struct sigaction> actions_;
    sigset_t blocked_ = {};
    std::string folder_;
    std::string locale_;
    mode_t umask_ = 0;
    std::map<std::string, std::string> variables_;
    std::set<pid_t> children_;
    std::set<int> threads_;
    std::map<int, std::string> descriptors_;
};

/// Gives standard output a file of its own that nobody else writes to.
void give_standard_output_a_file();

}  // namespace ancora::verify
