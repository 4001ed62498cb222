// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <unistd.h>

#include "ancora/framework/crash_guard.hpp"

namespace ancora::command {
namespace {

volatile std::sig_atomic_t interrupt_requested = 0;
constexpr unsigned kPatience = 2;  // s until it is said what is waited for

extern "C" void request_interrupt(int signal) {
    // The others come again and again: SIGXCPU every second, SIGHUP from shell and kernel.
    if (interrupt_requested != 0 && (signal == SIGINT || signal == SIGTERM)) {
        CrashGuard::give_up();
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    if (interrupt_requested == 0) ::alarm(kPatience);
    interrupt_requested = 1;
}

extern "C" void say_what_is_waited_for(int) {
    CrashGuard::say_what_is_waited_for();
}

}  // namespace

InterruptGuard::InterruptGuard() {
    for (std::size_t k = 0; k < std::size(kSignals); ++k) {
        struct sigaction action = {};
        action.sa_handler = kSignals[k] == SIGALRM ? &say_what_is_waited_for : &request_interrupt;
        if (kSignals[k] != SIGALRM) action.sa_flags = SA_NODEFER;
        sigaction(kSignals[k], &action, &previous_[k]);
        // `nohup` means it.
        if (kSignals[k] == SIGHUP && previous_[k].sa_handler == SIG_IGN)
            sigaction(SIGHUP, &previous_[k], nullptr);
    }
}

InterruptGuard::~InterruptGuard() {
    ::alarm(0);
    for (std::size_t k = 0; k < std::size(kSignals); ++k)
        sigaction(kSignals[k], &previous_[k], nullptr);
}

bool InterruptGuard::is_asked_for() {
    return interrupt_requested != 0;
}

}  // namespace ancora::command
