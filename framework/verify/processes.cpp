// SPDX-License-Identifier: BSD-3-Clause
// Asks /proc who the children are.
#include "processes.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ancora::verify {
namespace {

namespace fs = std::filesystem;

struct Process {
    pid_t parent = -1;
    char state = 'Z';
};

/// "PID (NAME) STATE PPID ...", where the name may be anything.
Process read_process(const fs::path& stat) {
    std::ifstream file(stat);
    std::string text;
    std::getline(file, text, '\0');
    const std::size_t at = text.rfind(')');
    if (at == std::string::npos || at + 4 >= text.size()) return {};
    return {static_cast<pid_t>(std::atoi(text.c_str() + at + 4)), text[at + 2]};
}

/// Calls visit(pid, state) for each child, ended ones that nobody waited for among them.
template <class Visit>
void for_each_child(Visit&& visit) {
    const pid_t own = ::getpid();
    const auto look_at = [&](pid_t pid) {
        const Process process = read_process(fmt::format("/proc/{}/stat", pid));
        if (process.parent == own) visit(pid, process.state);
    };
    std::error_code failed;
    // Not every kernel lists them.
    bool is_listed = false;
    std::set<pid_t> children;
    for (const auto& task : fs::directory_iterator("/proc/self/task", failed)) {
        std::ifstream file(task.path() / "children");
        is_listed |= file.is_open();
        for (pid_t pid = 0; file >> pid;) children.insert(pid);
    }
    for (const pid_t pid : children) look_at(pid);
    if (is_listed) return;
    for (const auto& entry : fs::directory_iterator("/proc", failed))
        if (const pid_t pid = std::atoi(entry.path().filename().c_str()); pid > 0) look_at(pid);
}

}  // namespace

void adopt_orphans() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::set<pid_t> running_children() {
    std::set<pid_t> found;
    for_each_child([&](pid_t pid, char state) {
        if (state != 'Z' && state != 'X') found.insert(pid);
    });
    return found;
}

int end_children(const std::set<pid_t>& spared) {
    constexpr int kMostRounds = 1000;  // a child that starts others faster than they end
    int count = 0;
    for (int round = 0; round < kMostRounds; ++round) {
        bool is_alone = true;
        for_each_child([&](pid_t pid, char state) {
            if (spared.contains(pid)) return;
            is_alone = false;
            if (state != 'Z' && state != 'X') ++count;
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        });
        if (is_alone) break;
    }
    return count;
}

}  // namespace ancora::verify
