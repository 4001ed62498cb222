// SPDX-License-Identifier: BSD-3-Clause
// Counts and times calls into plugins, and guards the floating-point environment around them.
#pragma once

#include <chrono>
#include <vector>

#include "fp_environment.hpp"
#include "guard.hpp"

namespace ancora {

/// Adds the time from here to the end of its life to `to`, if it is on.
class Stopwatch {
public:
    Stopwatch(bool is_on, double& to) : to_(is_on ? &to : nullptr) {
        if (is_on) begin_ = std::chrono::steady_clock::now();
    }
    ~Stopwatch() {
        if (to_ != nullptr)
            *to_ +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double* to_;
    std::chrono::steady_clock::time_point begin_;
};

/// Account of what each plugin costs. Calls are counted always and timed in sampled steps only, so
/// that clocks do not cost more than the mechanics of a small model.
class CallMeter {
public:
    struct Account {
        double seconds = 0.0;
        long calls = 0;
    };

    void resize(std::size_t num_plugins) { accounts_.resize(num_plugins); }
    /// While sampling, every call is timed and its floating-point environment checked.
    void sample(bool on) { is_sampling_ = on; }
    bool is_sampling() const { return is_sampling_; }
    static constexpr int kSampleEvery = 16;
    /// Of the sampled steps: all, in factorisations, in residuals and tangents, in solves.
    struct Seconds {
        double step = 0.0;
        double factorise = 0.0;
        double assemble = 0.0;
        double solve = 0.0;
    };
    Seconds spent;

    /// Calls `function`, a call of `object`'s plugin named `what`, at time `t`. `capture` is called
    /// if that throws, and returns the PluginCall for the record.
    template <class Function, class Capture = NoCapture>
    void call(const ObjectRef& object,
              const char* what,
              double t,
              Function&& function,
              const Capture& capture = {}) {
        Account& account = accounts_[object.plugin_index];
        ++account.calls;
        if (is_sampling_) {
            call_sampled(account, object, what, t, function, capture);
            return;
        }
        try {
            const CallScope scope(object, what, &t, capture);
            function();
        } catch (...) {
            rethrow_captured(object, what, &t, capture);
        }
    }

    /// Time recorded so far in sampled steps.
    double sampled_seconds() const {
        double sum = 0.0;
        for (const Account& account : accounts_) sum += account.seconds;
        return sum;
    }
    /// Records a step of the integrator that took `seconds`, less the time that the other plugins
    /// took since they had taken `others_before`.
    void record_integrator(const ObjectRef& object, double seconds, double others_before) {
        Account& account = accounts_[object.plugin_index];
        ++account.calls;
        if (!is_sampling_) return;
        const double own = seconds - (sampled_seconds() - others_before);
        account.seconds += own > 0.0 ? own : 0.0;
    }

    /// Counted calls, and the seconds of `step_seconds` that fall to each plugin by its share of
    /// the sampled steps.
    std::vector<Account> accounts(double step_seconds) const {
        std::vector<Account> shared = accounts_;
        const double sampled = sampled_seconds();
        for (Account& account : shared)
            account.seconds *= sampled > 0.0 ? step_seconds / sampled : 0.0;
        return shared;
    }

private:
    template <class Function, class Capture>
    void call_sampled(Account& account,
                      const ObjectRef& object,
                      const char* what,
                      double t,
                      Function&& function,
                      const Capture& capture) {
        const FpEnvironment environment = FpEnvironment::capture();
        const auto begin = std::chrono::steady_clock::now();
        try {
            const CallScope scope(object, what, &t, capture);
            function();
        } catch (...) {
            environment.restore();
            rethrow_captured(object, what, &t, capture);
        }
        const auto end = std::chrono::steady_clock::now();
        account.seconds += std::chrono::duration<double>(end - begin).count();
        if (environment.differs()) {
            environment.restore();
            refuse_environment(object, what, &t);
        }
    }

    std::vector<Account> accounts_;
    bool is_sampling_ = false;
};

}  // namespace ancora
