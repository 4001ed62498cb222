// SPDX-License-Identifier: BSD-3-Clause
// Calls of Signals.
#include "guarded_signals.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ancora {

GuardedSignals::Facts GuardedSignals::facts() const {
    Facts out;
    call_plugin(*object_, "inputs, outputs or counts of states", [&] {
        out = {signals_->inputs(),
               signals_->outputs(),
               signals_->outputs_read_inputs(),
               signals_->num_continuous(),
               signals_->num_discrete(),
               signals_->num_crossings()};
    });
    const auto refuse = [&](const std::string& what) {
        throw Error(
            ErrorKind::plugin, fmt::format("{}: {}", describe(*object_), what), object_->place);
    };
    if (out.num_continuous < 0) refuse(fmt::format("num_continuous is {}", out.num_continuous));
    if (out.num_discrete < 0) refuse(fmt::format("num_discrete is {}", out.num_discrete));
    if (out.num_crossings < 0) refuse(fmt::format("num_crossings is {}", out.num_crossings));
    for (const Output& output : out.outputs)
        if (output.name == nullptr || *output.name == '\0')
            refuse("one of its outputs has no name");
    return out;
}

void GuardedSignals::start(std::span<double> x, std::span<double> z) const {
    call_plugin(*object_, "start_values", [&] {
        signals_->start_values(x, z);
    });
    for (const std::span<const double> of :
         {std::span<const double>(x), std::span<const double>(z)})
        for (std::size_t i = 0; i < of.size(); ++i)
            if (!std::isfinite(of[i]))
                throw Error(
                    ErrorKind::plugin,
                    fmt::format("{}: start_values writes a {} state, entry {}, that is not finite",
                                describe(*object_),
                                of.data() == x.data() ? "continuous" : "discrete",
                                i),
                    object_->place);
}

template <class Call>
void GuardedSignals::make(CallMeter& meter,
                          double t,
                          Call call,
                          const typename Call::Shape& shape) const {
    meter.call(
        *object_,
        Call::kName,
        t,
        [&] {
            call.make(*signals_);
        },
        [&] {
            return record_of(call);
        });
    require_finite(*object_, call, shape, &t);
}

void GuardedSignals::evaluate_outputs(CallMeter& meter,
                                      const SignalPoint& at,
                                      std::span<double> y) const {
    make(meter, at.t, calls::EvaluateOutputs{at, y}, {});
}

void GuardedSignals::differentiate(CallMeter& meter,
                                   const SignalPoint& at,
                                   std::span<double> dx) const {
    make(meter, at.t, calls::Differentiate{at, dx}, {});
}

void GuardedSignals::evaluate_crossings(CallMeter& meter,
                                        const SignalPoint& at,
                                        std::span<double> g) const {
    make(meter, at.t, calls::EvaluateCrossings{at, g}, {});
}

void GuardedSignals::act(CallMeter& meter,
                         const SignalPoint& at,
                         int crossing,
                         std::span<double> x,
                         std::span<double> z) const {
    const calls::Act call{crossing, at, x, z};
    make(meter, at.t, call, {});
    const auto is_bad = [](double value) {
        return !std::isfinite(value);
    };
    const auto refuse_where = [&](std::span<double> values, std::string_view kind) {
        const auto bad = std::ranges::find_if(values, is_bad);
        if (bad != values.end())
            refuse_call(*object_,
                        record_of(call),
                        fmt::format("act leaves a {} state that is not finite, entry {}, at "
                                    "t = {:.9g} s",
                                    kind,
                                    bad - values.begin(),
                                    at.t));
    };
    refuse_where(x, "continuous");
    refuse_where(z, "discrete");
}

double GuardedSignals::next_time(CallMeter& meter,
                                 double t,
                                 double after,
                                 std::span<const double> z) const {
    calls::NextTime call{after, z, 0.0};
    meter.call(*object_, calls::NextTime::kName, t, [&] {
        call.make(*signals_);
    });
    if (!(call.time > after))
        throw Error(
            ErrorKind::plugin,
            fmt::format("{}: next_time({:.9g}) returns {:.9g}, which does not lie behind it",
                        describe(*object_),
                        after,
                        call.time),
            object_->place);
    return call.time;
}

}  // namespace ancora
