// SPDX-License-Identifier: BSD-3-Clause
// Which own values an object takes, and numbers for them.
#include "own_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ancora::verify {
namespace {

// Magnitudes of x, beside that at the start where it is larger than 1: ten to these powers.
constexpr double kLeastPower = -3.0;
constexpr double kMostPower = 2.0;
constexpr double kPowerStep = 0.125;
constexpr double kMargin = 0.25;
constexpr int kTries = 4;
constexpr int kActs = 3;  // whose z are sampled besides
// As others have been sampled ever since: what inputs mean, and where they end, only the type
// knows.
constexpr double kMostInput = 0.1;

bool is_finite(std::span<const double> x) {
    return std::ranges::all_of(x, [](double value) {
        return std::isfinite(value);
    });
}

}  // namespace

const Signals* signals_of(const Object& object) {
    return object.body         ? facets_of(*object.body).signals
           : object.constraint ? facets_of(*object.constraint).signals
           : object.force      ? facets_of(*object.force).signals
                               : nullptr;
}

OwnSampler::OwnSampler(const Stage& stage, const Object& object) {
    const Signals* const signals = signals_of(object);
    if (signals == nullptr) return;
    num_inputs_ = signals->inputs().size();
    start_.resize(static_cast<std::size_t>(signals->num_continuous()));
    std::vector<double> z(static_cast<std::size_t>(signals->num_discrete()));
    signals->start_values(start_, z);
    z_.push_back(z);

    Random random(1);
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    std::vector<double> u(n), du(n), x = start_, inputs(num_inputs_);
    std::vector<double> rates(start_.size());
    std::vector<double> y(static_cast<std::size_t>(num_values(signals->outputs())));
    std::vector<double> g(static_cast<std::size_t>(signals->num_crossings()));
    const auto point = [&](double t) {
        if (n > 0) stage.motion(random).evaluate(0.0, u, du, {});
        sample_inputs(random, inputs);
        return SignalPoint{t, u, du, {inputs, x, z}};
    };
    // What z it comes to by its own times.
    try {
        double t = -std::numeric_limits<double>::infinity();
        for (int k = 0; k < kActs && !z.empty(); ++k) {
            t = signals->next_time(t, z);
            if (!std::isfinite(t)) break;
            const SignalPoint at = point(std::max(t, 0.0));
            std::vector<double> x1 = x, z1 = z;
            signals->act(at, Signals::kTimeEvent, x1, z1);
            if (!is_finite(z1)) break;
            z = z1;
            z_.push_back(z);
        }
    } catch (const std::exception&) {  // another check reports it
    }
    z = z_.front();
    const auto takes = [&] {
        try {
            for (int k = 0; k < kTries && !x.empty(); ++k) {
                const SignalPoint at = point(0.3);
                signals->differentiate(at, rates);
                if (!y.empty()) signals->evaluate_outputs(at, y);
                if (!g.empty()) signals->evaluate_crossings(at, g);
            }
            return true;
        } catch (const std::exception&) {  // it refuses x
            return false;
        }
    };
    if (takes()) kinds_.push_back(Kind::start);
    std::ranges::fill(x, 0.0);
    if (takes()) kinds_.push_back(Kind::zero);
    for (const Kind kind : {Kind::positive, Kind::negative}) {
        const double sign = kind == Kind::positive ? 1.0 : -1.0;
        double& most = most_power_[kind == Kind::positive ? 1 : 0];
        most = kLeastPower;
        for (double power = kLeastPower; power <= kMostPower; power += kPowerStep) {
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = sign * std::max(std::abs(start_[i]), 1.0) * std::pow(10.0, power);
            if (!takes()) {
                most -= kMargin;  // some way below what is refused
                break;
            }
            most = power;
        }
        if (most > kLeastPower) kinds_.push_back(kind);
    }
    // one that refuses all says why where it is called
    if (kinds_.empty()) kinds_.push_back(Kind::start);
}

double OwnSampler::number(Kind kind, std::size_t i, Random& random) const {
    if (kind == Kind::start) return start_[i];
    if (kind == Kind::zero) return 0.0;
    const double most = most_power_[kind == Kind::positive ? 1 : 0];
    const double size =
        std::max(std::abs(start_[i]), 1.0) * std::pow(10.0, random.uniform(kLeastPower, most));
    return kind == Kind::positive ? size : -size;
}

void OwnSampler::sample_inputs(Random& random, std::span<double> inputs) const {
    for (double& input : inputs) input = random.uniform(0.0, kMostInput);
}

void OwnSampler::sample_x(Random& random, std::span<double> x) const {
    if (x.empty()) return;
    // all of one kind now and then: what several have in common shows
    const Kind common = kinds_[random.bits() % kinds_.size()];
    const bool is_common = random.uniform() < 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = number(is_common ? common : kinds_[random.bits() % kinds_.size()], i, random);
}

void OwnSampler::sample_z(Random& random, std::span<double> z) const {
    if (z.empty()) return;
    std::ranges::copy(z_[random.bits() % z_.size()], z.begin());
}

void OwnSampler::sample(Random& random, std::span<double> own) const {
    sample_inputs(random, own.first(num_inputs()));
    sample_x(random, own.subspan(num_inputs(), num_x()));
    sample_z(random, own.last(num_z()));
}

}  // namespace ancora::verify
