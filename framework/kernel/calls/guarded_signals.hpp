// SPDX-License-Identifier: BSD-3-Clause
// The signals of an object, as the kernel calls them.
#pragma once

#include <span>

#include "ancora/sdk/signals.hpp"
#include "call_meter.hpp"

namespace ancora {

/// A view: the object must outlive it. [step] functions are metered and refuse what is not finite.
class GuardedSignals {
public:
    GuardedSignals() = default;
    GuardedSignals(const Signals* signals, const ObjectRef& object)
        : signals_(signals), object_(&object) {}
    /// False if the object has none.
    explicit operator bool() const { return signals_ != nullptr; }
    const ObjectRef& object() const { return *object_; }

    struct Facts {
        std::span<const char* const> inputs;
        std::span<const Output> outputs;
        bool outputs_read_inputs = true;
        int num_continuous = 0;
        int num_discrete = 0;
        int num_crossings = 0;
    };
    /// @throws Error (plugin) for counts below zero and outputs without a name
    Facts facts() const;
    void start(std::span<double> x, std::span<double> z) const;

    void evaluate_outputs(CallMeter& meter, const SignalPoint& at, std::span<double> y) const;
    void differentiate(CallMeter& meter, const SignalPoint& at, std::span<double> dx) const;
    void evaluate_crossings(CallMeter& meter, const SignalPoint& at, std::span<double> g) const;
    /// @param x, z  hold the values before
    void act(CallMeter& meter,
             const SignalPoint& at,
             int crossing,
             std::span<double> x,
             std::span<double> z) const;
    /// The first time after `after`; infinity if there is none.
    /// @param t  now, for messages
    double next_time(CallMeter& meter, double t, double after, std::span<const double> z) const;

private:
    template <class Call>
    void make(CallMeter& meter, double t, Call call, const typename Call::Shape& shape) const;

    const Signals* signals_ = nullptr;
    const ObjectRef* object_ = nullptr;
};

}  // namespace ancora
