// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for work and do it together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace ancora {

/// How many cores this process may use.
int available_cores();

/// The thread that calls and some others. What is done by them must give the same numbers however
/// it is shared out: a job takes pieces that are laid out beforehand, and nothing is summed across
/// pieces but in a fixed order afterwards.
class Workers {
public:
    Workers() = default;
    ~Workers() { stop(); }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Ends the threads that there are and starts as many that there are num_threads with the one
    /// that calls, or as many as the system gives.
    void resize(int num_threads);
    int size() const { return static_cast<int>(threads_.size()) + 1; }

    /// Calls job(k) for each k < size(), each in any of the threads, and returns when all are done.
    /// A job must not throw, and not wait for another. Allocates nothing.
    ///
    /// Threads take jobs as they come to run; this one takes what nobody has begun. On a machine
    /// whose cores are busy elsewhere it does all by itself, in the time of one thread, and waits
    /// only for jobs that are under way.
    template <class Job>
    void run(const Job& job) {
        run_erased(
            [](const void* what, int k) {
                (*static_cast<const Job*>(what))(k);
            },
            &job);
    }

    /// Calls piece(i, k) for each i < count, in any order; k is the thread's number.
    template <class Piece>
    void for_each(int count, const Piece& piece) {
        if (count < 2 || threads_.empty()) {
            for (int i = 0; i < count; ++i) piece(i, 0);
            return;
        }
        std::atomic<int> next{0};
        run([&](int k) {
            for (int i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) piece(i, k);
        });
    }

    /// Whether a loop of so many turns, of some nanoseconds each, is worth waking threads for.
    bool are_worth(int count) const { return count >= kFewestTurns && !threads_.empty(); }
    /// Calls range(begin, end) for ranges that make up [0, count), by threads if they are worth it.
    /// What is written must not depend on where the ranges end.
    template <class Range>
    void split(int count, const Range& range) {
        if (!are_worth(count)) return range(0, count);
        const auto parts = static_cast<long>(size());
        run([&](int k) {
            range(static_cast<int>(k * long{count} / parts),
                  static_cast<int>((k + 1) * long{count} / parts));
        });
    }

    void copy(const double* from, int count, double* to) {
        split(count, [=](int begin, int end) {
            std::copy(from + begin, from + end, to + begin);
        });
    }
    /// The largest of what range(begin, end) gives of such ranges, no number if one of them is
    /// none.
    template <class Range>
    double largest(int count, const Range& range) {
        if (!are_worth(count)) return range(0, count);
        const auto parts = static_cast<long>(size());
        run([&](int k) {
            largest_[k].value = range(static_cast<int>(k * long{count} / parts),
                                      static_cast<int>((k + 1) * long{count} / parts));
        });
        double out = largest_.front().value;
        for (std::size_t k = 1; k < static_cast<std::size_t>(parts); ++k)
            if (const double of = largest_[k].value; of > out || std::isnan(of)) out = of;
        return out;
    }

private:
    /// On a line of memory of its own.
    struct alignas(64) Largest {
        double value;
    };
    static constexpr int kFewestTurns = 1 << 14;

    using Call = void (*)(const void*, int);
    void run_erased(Call call, const void* job);
    int take(unsigned round);
    void serve();
    void stop();

    std::vector<std::thread> threads_;
    std::vector<Largest> largest_;  // of each thread
    Call call_ = nullptr;
    const void* job_ = nullptr;
    std::fenv_t environment_{};  // of the thread that calls: all round alike
    std::atomic<unsigned> round_{0};
    /// The round in the upper half, how many of its jobs are taken in the lower one: a job is taken
    /// of the round that is under way or of none.
    std::atomic<std::uint64_t> taken_{0};
    std::atomic<int> done_{0};
    std::atomic<bool> is_under_way_{false};  // a round
    bool is_ending_ = false;
};

}  // namespace ancora
