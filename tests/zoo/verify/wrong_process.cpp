// SPDX-License-Identifier: BSD-3-Clause
// Bad: constraints with the right mechanics that change the process around them.
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

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
    type<Does<end_parent>>("ends_parent", Rod::kDocs, Rod::kParameters),
    type<Does<end_group>>("ends_group", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wrong_process", "1.0.0", kTypes)
