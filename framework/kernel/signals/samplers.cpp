// SPDX-License-Identifier: BSD-3-Clause
// Objects that take samples.
#include <algorithm>
#include <cmath>
#include <limits>

#include "signal_set.hpp"

namespace ancora {
namespace {

// After this comes the first time of all.
constexpr double kBeforeAll = -std::numeric_limits<double>::infinity();
// Distances of times k period, which are rounded, differ by less than this part of them.
constexpr double kEqual = 1e-9;
// Where between two samples outputs are looked at: no usual part of a period.
constexpr double kBetween = 0.381966;

/// Values of outputs, by the names of their columns.
std::vector<std::string> columns_of(const SignalPart& part) {
    std::vector<std::string> out;
    for (const Output& output : part.facts.outputs) {
        const std::string name = part.name + "." + output.name;
        if (!output.is_vector)
            out.push_back(name);
        else
            for (const char* axis : {".x", ".y", ".z"}) out.push_back(name + axis);
    }
    return out;
}

}  // namespace

std::vector<SignalSet::Sampler> SignalSet::samplers(double t) const {
    std::vector<Sampler> out;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        // What reads positions, inputs or states of its own moves between samples; what has
        // crossings acts at these, too.
        if (part.of->of != SignalPart::Of::force || part.num_u > 0 || part.num_x > 0 ||
            part.num_y == 0 || part.num_crossings > 0 || part.of->facts.outputs_read_inputs ||
            !std::isfinite(next_times_[i]))
            continue;
        const std::span<const double> z(z_.data() + part.first_z, part.num_z);
        const auto next = [&](double after) {
            return part.of->signals.next_time(meter_, t, after, z);
        };
        Sampler sampler{static_cast<int>(i), std::max(t, next(kBeforeAll)), 0.0, {}};
        const double second = next(sampler.first), third = next(second), fourth = next(third);
        sampler.period = third - second;
        if (!std::isfinite(fourth) || !(sampler.period > 0.0) ||
            !(std::abs(fourth - third - sampler.period) <=
              kEqual * std::max(sampler.period, std::abs(fourth))))
            continue;
        SignalPoint at = point_of(part, second, x_.data());
        at.own.inputs = std::span<const double>(y_none_).first(at.own.inputs.size());
        std::vector<double> before(part.num_y), behind(part.num_y);
        part.of->signals.evaluate_outputs(meter_, at, before);
        at.t += kBetween * sampler.period;
        part.of->signals.evaluate_outputs(meter_, at, behind);
        const std::vector<std::string> columns = columns_of(*part.of);
        for (std::size_t k = 0; k < columns.size(); ++k)
            if (before[k] == behind[k]) sampler.held.push_back(columns[k]);
        if (!sampler.held.empty()) out.push_back(std::move(sampler));
    }
    return out;
}

void SignalSet::sample_anew(std::span<const int> parts, double t) {
    for (const int i : parts) {
        const Part& part = parts_[i];
        std::vector<double> z(part.num_z);
        part.of->signals.start({}, z);
        const double first = std::max(t, part.of->signals.next_time(meter_, t, kBeforeAll, z));
        if (first > t) continue;
        std::ranges::copy(z, z_.data() + part.first_z);
        next_times_[i] = t;
    }
    forget_step();
}

}  // namespace ancora
