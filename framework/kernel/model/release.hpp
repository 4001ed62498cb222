// SPDX-License-Identifier: BSD-3-Clause
// When a constraint opens for good: the key `release`.
#pragma once

#include <limits>
#include <string>

#include "ancora/sdk/signals.hpp"
#include "bound_arguments.hpp"

namespace ancora {

/// The signals of a constraint's release: it opens at a time, where a condition becomes true, or
/// after another one, and a delay later. A condition is the sign of a function f of the state,
///
///   a < b:  f = b - a,   a > b:  f = a - b,   else  f = (condition) - 1/2                  (1)
///
/// and the event lies where f comes up through zero. One that is true at the start opens there.
///
/// Discrete states: whether it has opened, whether it waits for the end of the delay, and until
/// when. The output `released` is the first of them.
class Release final : public Signals {
public:
    /// [assembly] @throws Error (manifest) for keys that do not go together
    explicit Release(const BoundArguments& keys);

    /// f as a formula, and the key that it comes from.
    static std::string condition(const BoundArguments& keys);
    static const char* condition_key(const BoundArguments& keys);

    /// Whether states z say that it has opened.
    static bool has_opened(std::span<const double> z) { return z[kOpened] > 0.5; }

    std::span<const char* const> inputs() const override;
    std::span<const Output> outputs() const override;
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        y[0] = at.own.z[kOpened];
    }
    int num_discrete() const override { return kNumStates; }
    double next_time(double after, std::span<const double> z) const override;
    int num_crossings() const override { return has_condition_ ? 1 : 0; }
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override;
    void act(const SignalPoint& at,
             int crossing,
             std::span<double> x,
             std::span<double> z) const override;

private:
    enum State { kOpened, kWaits, kUntil, kNumStates };
    void open(double t, std::span<double> z) const;

    double at_ = std::numeric_limits<double>::infinity();
    double delay_ = 0.0;
    bool has_condition_ = false;
};

}  // namespace ancora
