// SPDX-License-Identifier: BSD-3-Clause
// Starting and ending of threads, and their rounds.
#include "workers.hpp"

#include <algorithm>
#include <csignal>
#include <exception>

#include <sched.h>

#include "alternate_stack.hpp"

namespace ancora {

namespace {

// More are a slip of the pen.
constexpr int kMost = 256;

}  // namespace

int available_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

void Workers::resize(int num_threads) {
    stop();
    is_ending_ = false;
    round_ = 0;
    // Signals are for the thread that runs the model: it knows what to flush and to say. Not those
    // of a fault, which would end the program without a word where they are blocked.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigdelset(&all, fault);
    largest_.resize(std::clamp(num_threads, 1, kMost));
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        for (int k = 1; k < std::min(num_threads, kMost); ++k)
            threads_.emplace_back(&Workers::serve, this, k);
    } catch (const std::exception&) {
        // How many there are changes no number.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Workers::stop() {
    is_ending_ = true;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

void Workers::run_erased(Call call, const void* job) {
    if (threads_.empty()) return call(job, 0);
    // What ends a run after a crash works on while a round is left open: all by itself.
    if (is_under_way_.exchange(true)) {
        for (int k = 0; k < size(); ++k) call(job, k);
        return;
    }
    call_ = call;
    job_ = job;
    std::fegetenv(&environment_);
    busy_.store(size() - 1, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    call(job, 0);
    for (int busy; (busy = busy_.load(std::memory_order_acquire)) > 0;)
        busy_.wait(busy, std::memory_order_acquire);
    is_under_way_ = false;
}

void Workers::serve(int k) {
    const AlternateStack for_handlers;
    for (unsigned seen = 0;; ++seen) {
        round_.wait(seen, std::memory_order_acquire);
        if (is_ending_) return;
        std::fesetenv(&environment_);
        call_(job_, k);
        if (busy_.fetch_sub(1, std::memory_order_release) == 1) busy_.notify_one();
    }
}

}  // namespace ancora
