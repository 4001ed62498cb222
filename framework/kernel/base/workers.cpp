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
            threads_.emplace_back(&Workers::serve, this);
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
    done_.store(0, std::memory_order_relaxed);
    const unsigned round = round_.load(std::memory_order_relaxed) + 1;
    taken_.store(std::uint64_t{round} << 32, std::memory_order_release);
    round_.store(round, std::memory_order_release);
    round_.notify_all();
    int own = 0;
    for (int k; (k = take(round)) >= 0; ++own) call(job, k);
    done_.fetch_add(own, std::memory_order_acq_rel);
    for (int done; (done = done_.load(std::memory_order_acquire)) < size();)
        done_.wait(done, std::memory_order_acquire);
    is_under_way_ = false;
}

/// A job of this round that nobody has begun; -1 if there is none.
int Workers::take(unsigned round) {
    std::uint64_t taken = taken_.load(std::memory_order_acquire);
    while (taken >> 32 == round && static_cast<int>(taken & 0xffffffff) < size())
        if (taken_.compare_exchange_weak(taken, taken + 1, std::memory_order_acq_rel))
            return static_cast<int>(taken & 0xffffffff);
    return -1;
}

void Workers::serve() {
    const AlternateStack for_handlers;
    for (unsigned seen = 0;;) {
        round_.wait(seen, std::memory_order_acquire);
        seen = round_.load(std::memory_order_acquire);
        if (is_ending_) return;
        // A job that is taken holds its round open, and with it what the caller has put down.
        for (int k; (k = take(seen)) >= 0;) {
            std::fesetenv(&environment_);
            call_(job_, k);
            if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == size()) done_.notify_one();
        }
    }
}

}  // namespace ancora
