// SPDX-License-Identifier: BSD-3-Clause
// Steps under error control, split at events, with interpolation inside.
#include "dopri5.hpp"

#include <limits>
#include <span>
#include <utility>

#include <boost/numeric/odeint/algebra/range_algebra.hpp>

#include "ancora/sdk/helpers/step_pieces.hpp"
#include "common.hpp"

namespace ancora::explicit_integrators {
namespace {

constexpr double kDefaultTolerance = 1e-9;
// Step control of Hairer, Norsett, Wanner, section II.4, with the memory of Hairer, Wanner, section
// IV.2, in the exponents of their code DOPRI5.
constexpr double kSafety = 0.9;
constexpr double kMostGrowth = 5.0;
constexpr double kMostShrinking = 0.2;
constexpr double kMemory = 0.04;
constexpr double kExponent = 0.2 - 0.75 * kMemory;
constexpr double kLeastError = 1e-10;
constexpr double kLeastLastError = 1e-4;
constexpr int kMostTries = 100;
// An error this far above the tolerance may come from a singular position in the step, beside which
// stages that are off the constraints by their errors see accelerations without bound. The error of
// a step across it then grows by much less than that of smooth motion, by the fifth power, or even
// falls. Such a step may err by so much; other motions would differ by far more.
constexpr double kSuspicious = 30.0;
constexpr double kAcross[] = {1.2, 1.4, 1.7, 2.0, 2.5};
constexpr double kErrsLess = 0.1;
constexpr double kOffMotion = 1e-6;
// Steps this much shorter than usual, beside a singular position, are determined by round-off.
constexpr double kLed = 1e-4;
// Of a run, where no longest step is given.
constexpr double kPartOfRun = 1.0 / 50.0;

}  // namespace

Dopri5::Dopri5(const Arguments& arguments)
    : traits_(read_traits(arguments)),
      shows_steps_(arguments.boolean("show_steps")),
      is_max_given_(arguments.has("max_step")) {
    traits_.is_adaptive = true;
    max_step_ = is_max_given_ ? arguments.number("max_step")
                              : kPartOfRun * (arguments.end_time() - arguments.begin_time());
}

void Dopri5::prepare(const System& system, const StepSettings& settings) {
    const auto size = static_cast<std::size_t>(system.continuous()->size().num_states);
    for (State* x : {&x0_, &dx0_, &x1_, &dx1_, &error_, &off_}) x->assign(size, 0.0);
    stepper_.adjust_size(x0_);
    if (!is_max_given_ && (!system.continuous()->has_formulas_of_time() || !(max_step_ > 0.0)))
        max_step_ = std::numeric_limits<double>::infinity();
    n_ = static_cast<std::size_t>(system.num_coordinates());
    first_step_ = settings.step;
    checker_ = ErrorChecker(settings.tolerance > 0.0 ? settings.tolerance : kDefaultTolerance);
    events_.resize(system.num_events());
}

void Dopri5::evaluate_outputs(std::span<const double> history, std::span<double> y) const {
    y[0] = history[kNext];
    y[1] = history[kLastError];
}

void Dopri5::step(System& system, double t0, double h) {
    ContinuousSystem& model = *system.continuous();
    const auto derivative = [&model](const State& x, State& dx, double t) {
        model.derivative(t, x, dx);
    };
    const auto trial = [&](double length) {
        stepper_.do_step(derivative, x0_, dx0_, t0, x1_, dx1_, length, error_);
    };
    t0_ = t1_ = t0;
    checker_.measure_books_by(model.quadrature_scales());
    // An event that is due at once moves no time; the step begins anew behind it.
    StepPieces pieces(system, events_, t0, h);
    while (t1_ == t0 && pieces.more()) {
        model.read_state(x0_);
        derivative(x0_, dx0_, t0);
        bool is_across = false;
        const double length = control(system, t0, h, trial, is_across);
        bool is_made = true;
        pieces.advance(
            length,
            [&](double part) {
                if (!std::exchange(is_made, false)) trial(part);
                model.evaluate_events(t0 + part, x1_, events_.values());
            },
            [&](double t1, double part) {
                const bool is_led =
                    !is_across && part == length && is_led_astray(system, t0, h, part);
                model.accept_state(t0, t1, x1_);
                if (is_across || is_led) system.record_singular_position(t0, t1, is_across);
                t1_ = t1;
            });
    }
}

/// Error of the last trial in units of the tolerance.
double Dopri5::error_of(System& system, double t0, double h) {
    boost::numeric::odeint::range_algebra algebra;
    const double error = checker_.error(algebra, x0_, dx0_, error_, h);
    if (!(error <= 1.0) || !system.continuous()->constraint_error(t0 + h, x1_, off_)) return error;
    return std::max(error, checker_.error(algebra, x0_, dx0_, off_, h));
}

/// Whether velocities change by less than the tolerance in a step, as far as its begin knows: the
/// estimate of the error then says nothing of what may come.
bool Dopri5::is_uniform(double h) const {
    for (std::size_t i = n_; i < 2 * n_; ++i)
        if (std::abs(h * dx0_[i]) > checker_.tolerance() * (1.0 + std::abs(x0_[i]))) return false;
    return true;
}

/// Finds a length, at most h, whose trial meets the tolerance.
template <class Trial>
double Dopri5::control(System& system, double t0, double h, const Trial& trial, bool& is_across) {
    double& next = system.history()[kNext];
    double& last_error = system.history()[kLastError];
    if (next == 0.0) {
        next = first_step_;
        last_error = kLeastLastError;
    }
    double length = std::min({next, h, max_step_});
    for (int tries = 0;; ++tries) {
        // A rest that would be tiny is shared with the step before it.
        if (h - length < 1e-3 * length) length = h;
        trial(length);
        const double error = error_of(system, t0, length);
        const double by_error = std::isfinite(error)
                                    ? kSafety * std::pow(std::max(error, kLeastError), -kExponent)
                                    : 0.0;
        if (error <= 1.0) {
            // What has just been refused is not tried again at once.
            const double factor = std::clamp(by_error * std::pow(last_error, kMemory),
                                             kMostShrinking,
                                             tries == 0 ? kMostGrowth : 1.0);
            if (!is_max_given_ && length == max_step_ && length < next && is_uniform(length))
                system.continuous()->record_limited_step(t0, t0 + length);
            // A step cut by the end of the run says little about the next.
            if (length < next) {
                next = std::max(next, factor * length);
            } else {
                next = factor * length;
                last_error = std::max(error, kLeastLastError);
            }
            return length;
        }
        if (tries == 0 && !(error <= kSuspicious) && nears_singular(system, t0, length)) {
            const double across = length_across(system, t0, length, h, error, trial);
            if (across > 0.0) {
                is_across = true;
                last_error = 1.0;
                return next = across;
            }
        }
        length *= std::clamp(by_error, kMostShrinking, kSafety);
        next = length;
        const double smallest =
            64.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t0), first_step_);
        if (tries == kMostTries || length < smallest)
            system.refuse(t0,
                          "the error cannot be brought below the tolerance by shorter steps; the "
                          "motion may be singular there, or tolerance too small for the size of "
                          "the coordinates");
    }
}

bool Dopri5::nears_singular(System& system, double t0, double h) const {
    const auto n = static_cast<std::size_t>(system.num_coordinates());
    return system.nears_singular_position({t0, h, std::span(dx0_).subspan(n, n), {}});
}

/// Length of a step across a singular position that continues the motion, and is its last trial;
/// zero if there is none.
/// @param length of a trial with that `error`
template <class Trial>
double Dopri5::length_across(
    System& system, double t0, double length, double h, double error, const Trial& trial) {
    boost::numeric::odeint::range_algebra algebra;
    double best = 0.0;
    double least = checker_.in_tolerances(kOffMotion);
    for (const double factor : kAcross) {
        const double here = std::min(factor * length, h);
        trial(here);
        const double error_here = checker_.error(algebra, x0_, dx0_, error_, here);
        const double smooth = std::pow(here / length, 5.0) * error;
        if (!(error_here < least) || error_here > kErrsLess * smooth) continue;
        least = error_here;
        best = here;
    }
    if (best == 0.0 || !nears_singular(system, t0, best)) return 0.0;
    trial(best);
    return best;
}

/// Whether a step is so much shorter than usual since a singular position is close by.
bool Dopri5::is_led_astray(System& system, double t0, double h, double length) {
    double& usual = system.history()[kUsual];
    usual = std::max(length, kForgotten * usual);
    return length < h && length < kLed * usual && nears_singular(system, t0, usual);
}

void Dopri5::interpolate(double t, std::span<double> x) const {
    State inside(x0_.size());
    stepper_.calc_state(t, inside, x0_, dx0_, t0_, x1_, dx1_, t1_);
    std::ranges::copy(inside, x.begin());
}

}  // namespace ancora::explicit_integrators
