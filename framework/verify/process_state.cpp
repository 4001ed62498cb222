// SPDX-License-Identifier: BSD-3-Clause
// Asks the system what the process is like.
#include "process_state.hpp"

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processes.hpp"

namespace ancora::verify {
namespace {

namespace fs = std::filesystem;

// What is on its way out is waited for so long: on a busy machine it has to wait, too.
// What is on its way out is looked for so often, at growing intervals, and for half a second: to
// look at a thousand processes takes longer than to wait for one.
constexpr int kLooks = 16;
constexpr int kMostMicroseconds = 64'000;

template <class Function>
void wait_while(const Function& is_there) {
    int microseconds = 1000;
    for (int k = 0; k < kLooks && is_there(); ++k) {
        ::usleep(static_cast<useconds_t>(microseconds));
        microseconds = std::min(2 * microseconds, kMostMicroseconds);
    }
}

off_t size_of_stream(int descriptor) {
    struct stat file = {};
    return ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) ? file.st_size : 0;
}

std::map<int, std::string> descriptors() {
    std::map<int, std::string> found;
    std::error_code failed;
    // the list's own descriptor is closed again when it is read
    std::vector<int> numbers;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd", failed))
        numbers.push_back(std::atoi(entry.path().filename().c_str()));
    for (const int number : numbers) {
        const fs::path target = fs::read_symlink(fmt::format("/proc/self/fd/{}", number), failed);
        if (!failed) found[number] = target.string();
    }
    return found;
}

std::set<int> threads() {
    std::error_code failed;
    std::set<int> found;
    for (const auto& entry : fs::directory_iterator("/proc/self/task", failed))
        found.insert(std::atoi(entry.path().filename().c_str()));
    return found;
}

/// How many of `now` were not there.
std::size_t count_new(const std::set<int>& now, const std::set<int>& before) {
    return static_cast<std::size_t>(std::ranges::count_if(now, [&](int one) {
        return !before.contains(one);
    }));
}

std::map<std::string, std::string> variables() {
    std::map<std::string, std::string> found;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::size_t at = text.find('=');
        found[text.substr(0, at)] = at == std::string::npos ? "" : text.substr(at + 1);
    }
    return found;
}

std::string folder() {
    std::error_code failed;
    return fs::current_path(failed).string();
}

std::string locale() {
    const char* const name = std::setlocale(LC_ALL, nullptr);
    return name != nullptr ? name : "";
}

mode_t mask() {
    const mode_t now = ::umask(0);
    ::umask(now);
    return now;
}

struct sigaction action_of(int signal) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    return action;
}

bool same(const struct sigaction& a, const struct sigaction& b) {
    return a.sa_handler == b.sa_handler;
}

}  // namespace

ProcessState ProcessState::capture() {
    ProcessState now;
    std::fflush(nullptr);
    std::cout.flush();
    for (int k = 0; k < 2; ++k) now.written_[k] = size_of_stream(k + 1);
    for (int signal = 1; signal < NSIG; ++signal) now.actions_.push_back(action_of(signal));
    ::pthread_sigmask(SIG_BLOCK, nullptr, &now.blocked_);
    now.folder_ = folder();
    now.locale_ = locale();
    now.umask_ = mask();
    now.variables_ = variables();
    now.threads_ = threads();
    now.descriptors_ = descriptors();
    now.children_ = running_children();  // last: it may take longer than a thread lives
    return now;
}

std::string ProcessState::changes(bool with_kernels) const {
    std::string text;
    const auto add = [&](const std::string& change) {
        text += (text.empty() ? "" : ", ") + change;
    };
    ProcessState now = capture();
    // A thread that is on its way out is not left running.
    if (with_kernels)
        wait_while([&] {
            now.threads_ = threads();
            return count_new(now.threads_, threads_) > 0;
        });
    // Nor is a process; one that makes itself a daemon is among the children when its parent ends.
    wait_while([&] {
        now.children_ = running_children();
        return count_new(now.children_, children_) > 0;
    });
    if (const std::size_t count = count_new(now.children_, children_); count > 0)
        add(fmt::format("left {} process{} running", count, count == 1 ? "" : "es"));
    for (int k = 0; k < 2; ++k)
        if (now.written_[k] != written_[k])
            add(fmt::format("wrote {} bytes to standard {}",
                            now.written_[k] - written_[k],
                            k == 0 ? "output" : "error"));
    for (std::size_t k = 0; k < actions_.size(); ++k)
        if (!same(now.actions_[k], actions_[k]))
            add(fmt::format(
                "set the handler of signal {} ({})", k + 1, ::strsignal(static_cast<int>(k) + 1)));
    for (int signal = 1; signal < NSIG; ++signal)
        if (::sigismember(&now.blocked_, signal) != ::sigismember(&blocked_, signal))
            add(fmt::format("blocked or freed signal {} ({})", signal, ::strsignal(signal)));
    if (now.folder_ != folder_)
        add(fmt::format("changed the working folder to \"{}\"", now.folder_));
    if (now.locale_ != locale_) add(fmt::format("set the locale \"{}\"", now.locale_));
    if (now.umask_ != umask_)
        add(fmt::format("set the umask {:03o}", static_cast<unsigned>(now.umask_)));
    for (const auto& [name, value] : now.variables_)
        if (const auto at = variables_.find(name); at == variables_.end() || at->second != value)
            add(fmt::format("set the environment variable {}", name));
    for (const auto& [name, value] : variables_)
        if (!now.variables_.contains(name))
            add(fmt::format("removed the environment variable {}", name));
    if (!with_kernels) return text;
    if (const std::size_t count = count_new(now.threads_, threads_); count > 0)
        add(fmt::format("left {} thread{} running", count, count == 1 ? "" : "s"));
    for (const auto& [number, target] : now.descriptors_)
        if (const auto at = descriptors_.find(number);
            at == descriptors_.end() || at->second != target)
            add(fmt::format("left \"{}\" open as descriptor {}", target, number));
    for (const auto& [number, target] : descriptors_)
        if (!now.descriptors_.contains(number))
            add(fmt::format("closed descriptor {}, which is not its own", number));
    return text;
}

void ProcessState::restore() const {
    if (const std::set<pid_t> now = running_children(); count_new(now, children_) > 0)
        end_children(children_);
    for (std::size_t k = 0; k < actions_.size(); ++k) {
        const int signal = static_cast<int>(k) + 1;
        if (!same(action_of(signal), actions_[k])) ::sigaction(signal, &actions_[k], nullptr);
    }
    ::pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
    std::error_code ignored;
    if (folder() != folder_) fs::current_path(folder_, ignored);
    if (locale() != locale_) std::setlocale(LC_ALL, locale_.c_str());
    ::umask(umask_);
    for (const auto& [name, value] : variables())
        if (!variables_.contains(name)) ::unsetenv(name.c_str());
    for (const auto& [name, value] : variables_) ::setenv(name.c_str(), value.c_str(), 1);
}

void give_standard_output_a_file() {
    const int file = ::memfd_create("ancora-output", MFD_CLOEXEC);
    if (file < 0) return;
    ::dup2(file, STDOUT_FILENO);
    ::close(file);
}

}  // namespace ancora::verify
