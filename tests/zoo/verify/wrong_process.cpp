// SPDX-License-Identifier: BSD-3-Clause
// Bad: constraints with the right mechanics that change the process around them.
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

/// Says in each call that it is there.
class Speaks final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        std::puts("evaluate");
    }
};

/// Does something to the process when it is made.
template <void (*act)()>
class Does final : public Rod {
public:
    explicit Does(const Arguments& arguments) : Rod(arguments) { act(); }
};

void speak() {
    std::fputs("made\n", stderr);
}
void handle_signal() {
    std::signal(SIGINT, SIG_IGN);
}
void change_folder() {
    if (::chdir("/") != 0) std::abort();
}
void set_locale() {
    std::setlocale(LC_ALL, "C.UTF-8");
}
void set_umask() {
    ::umask(0777);
}
void set_variable() {
    ::setenv("ANCORA_TEST_OF_VARIABLES", "1", 1);
}
void leave_thread() {
    std::thread([] {
        std::this_thread::sleep_for(std::chrono::hours(1));  // ends with the process
    }).detach();
}
void leave_descriptor() {
    static_cast<void>(::open("/dev/null", O_RDONLY));
}
void leave_process() {
    if (::fork() == 0) {
        ::sleep(60);
        ::_exit(0);
    }
}
/// A session of its own, no parent, no descriptor of ours.
void become_daemon() {
    const pid_t between = ::fork();
    if (between > 0) {
        ::waitpid(between, nullptr, 0);
        return;
    }
    ::setsid();
    if (::fork() > 0) ::_exit(0);
    for (int k = 0; k < 64; ++k) ::close(k);
    ::sleep(60);
    ::_exit(0);
}
/// The same with all descriptors, so that nobody sees the end of a pipe.
void become_daemon_that_holds() {
    const pid_t between = ::fork();
    if (between > 0) {
        ::waitpid(between, nullptr, 0);
        return;
    }
    ::setsid();
    if (::fork() > 0) ::_exit(0);
    ::sleep(60);
    ::_exit(0);
}
void end_parent() {
    ::kill(::getppid(), SIGKILL);
    ::sleep(60);
}
void end_group() {
    ::kill(0, SIGKILL);
    ::sleep(60);
}

// What a first call does hides from whoever looks later.

/// Closes a descriptor that it has not opened, once.
void close_descriptor() {
    static bool has_closed = false;
    if (!has_closed) ::close(STDIN_FILENO);
    has_closed = true;
}
void leave_file() {
    if (std::FILE* const file = std::fopen("trace.txt", "w"); file != nullptr) std::fclose(file);
}
/// Keeps every object that was ever made in mind.
void remember_objects() {
    static std::vector<int>* const known = new std::vector<int>;
    known->push_back(1);
}

/// Writes its first call into a file.
class WritesLog final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        static const bool has_written = [] {
            leave_file();
            return true;
        }();
        static_cast<void>(has_written);
    }
};
/// Keeps all times at which it was asked.
class KeepsTimes final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        static const std::unique_ptr<std::vector<double>> times(new std::vector<double>);
        times->push_back(at.t);
    }
};
/// Loses a little now and then.
class LosesSometimes final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        thread_local int count = 0;
        thread_local const char* volatile lost = nullptr;  // not to be optimised away
        if (++count % 60 == 0) lost = new char[64];
        static_cast<void>(lost);
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<Speaks>("speaks", Rod::kDocs, Rod::kParameters),
    type<Does<speak>>("speaks_when_made", Rod::kDocs, Rod::kParameters),
    type<Does<handle_signal>>("handles_signal", Rod::kDocs, Rod::kParameters),
    type<Does<change_folder>>("changes_folder", Rod::kDocs, Rod::kParameters),
    type<Does<set_locale>>("sets_locale", Rod::kDocs, Rod::kParameters),
    type<Does<set_umask>>("sets_umask", Rod::kDocs, Rod::kParameters),
    type<Does<set_variable>>("sets_variable", Rod::kDocs, Rod::kParameters),
    type<Does<leave_thread>>("leaves_thread", Rod::kDocs, Rod::kParameters),
    type<Does<leave_descriptor>>("leaves_descriptor", Rod::kDocs, Rod::kParameters),
    type<Does<leave_process>>("leaves_process", Rod::kDocs, Rod::kParameters),
    type<Does<become_daemon>>("becomes_daemon", Rod::kDocs, Rod::kParameters),
    type<Does<become_daemon_that_holds>>("holds_on", Rod::kDocs, Rod::kParameters),
    type<Does<close_descriptor>>("closes_descriptor", Rod::kDocs, Rod::kParameters),
    type<Does<leave_file>>("leaves_file", Rod::kDocs, Rod::kParameters),
    type<WritesLog>("writes_log", Rod::kDocs, Rod::kParameters),
    type<Does<remember_objects>>("remembers_objects", Rod::kDocs, Rod::kParameters),
    type<KeepsTimes>("keeps_times", Rod::kDocs, Rod::kParameters),
    type<LosesSometimes>("loses_sometimes", Rod::kDocs, Rod::kParameters),
    type<Does<end_parent>>("ends_parent", Rod::kDocs, Rod::kParameters),
    type<Does<end_group>>("ends_group", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wrong_process", "1.0.0", kTypes)
