// SPDX-License-Identifier: BSD-3-Clause
// Coefficients; composition, halving and length of steps.
#include "composition.hpp"

#include <algorithm>
#include <cmath>

#include "ancora/sdk/helpers/step_pieces.hpp"

namespace ancora {
namespace {

constexpr double kDefaultError = 1e-8;  // [m, m/s]
constexpr double kWhole = 1e-9;         // a rest shorter than this part of a step belongs to it
// Choice of the next length.
// The next length is h min(kMostGrowth, max(kMostShrinking, kSafety (tol / err)^(1 / (p + 1))))
// (Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, section II.4).
constexpr double kSafety = 0.9;
constexpr double kMostGrowth = 4.0;
constexpr double kMostShrinking = 0.1;
constexpr double kFailed = 0.25;  // after a step without a solution
constexpr int kMostTries = 60;
// Two results agree to round-off, relative to the displacement.
constexpr double kRounding = 1e-14;

/// The first half of a symmetric list and its middle.
std::span<const double> coefficients(int order) {
    static constexpr double kTwo[] = {1.0};
    // 1 / (4 - 4^(1/3)), and the rest of 1 for the middle
    static constexpr double kFour[] = {
        0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857};
    static constexpr double kSix[] = {0.39216144400731413928,
                                      0.33259913678935943860,
                                      -0.70624617255763935981,
                                      0.082213596293550800230,
                                      0.79854399093482996340};
    static constexpr double kEight[] = {0.13020248308889008088,
                                        0.56116298177510838456,
                                        -0.38947496264484728641,
                                        0.15884190655515560090,
                                        -0.39590389413323757734,
                                        0.18453964097831570709,
                                        0.25837438768632204729,
                                        0.29501172360931029887,
                                        -0.60550853383003451170};
    switch (order) {
        case 4:
            return kFour;
        case 6:
            return kSix;
        case 8:
            return kEight;
        default:
            return kTwo;
    }
}

}  // namespace

Composition::Composition(const Arguments& arguments)
    : order_(static_cast<int>(arguments.integer("order"))),
      projects_(arguments.boolean("velocity_projection")),
      controls_error_(arguments.boolean("error_control")) {
    if (order_ % 2 != 0) arguments.fail("order", "it is 2, 4, 6 or 8");
}

void Composition::prepare(const System& system, const StepSettings& settings, int max_iterations) {
    const StepProjection& projection = *system.projection();
    projection.require(order_ > 2);
    step_ = settings.step;
    // Under error control the tolerance is that of the path, and the iteration has its default.
    const double given = settings.tolerance;
    tolerance_ = given > 0.0 ? given : kDefaultError;
    const double of_iteration = given > 0.0 && !controls_error_ ? given : kDefaultTolerance;
    projected_.keep_history_from(kWords);
    projected_.prepare(system, of_iteration, max_iterations, projection.num_conditions());
    const auto n = static_cast<std::size_t>(system.num_coordinates());
    events_.resize(system.num_events());
    q_.assign(n, 0.0);
    v_.assign(n, 0.0);
}

int Composition::num_history() const {
    return kWords + projected_.num_history();
}

double& Composition::next(System& system) const {
    return system.history()[kNext];
}

void Composition::step(System& system, double t0, double h, int max_halvings) {
    if (system.num_events() > 0) {
        if (controls_error_)
            system.refuse(t0,
                          "error_control cannot be taken for a model with stops or contacts; give "
                          "a step instead, and compare with another one (ancora convergence)");
        return step_over_events(system, t0, h, max_halvings);
    }
    StepProjection* const projection = system.projection();
    if (projection != nullptr) projection->save();
    try {
        if (controls_error_ && projection != nullptr) {
            controlled(system, t0, h);
            return;
        }
        const double length = chooses_steps() && h > (1.0 + kWhole) * step_ ? step_ : h;
        if (order_ > 2 && projection != nullptr) projection->note_length(length);
        if (compose(system, t0, length)) return;
        if (projection != nullptr) {
            for (int halvings = 1; halvings <= max_halvings; ++halvings) {
                projection->restore();
                if (halved(system, t0, length, halvings)) return;
            }
        }
        refuse(system, t0, length);
    } catch (...) {
        if (projection != nullptr) projection->restore();
        throw;
    }
}

/// Pieces that end at events, each composed as a whole: its substeps may go beyond an event, its
/// end and the straight way to there do not. Steps of a choice of their own end with their first
/// piece.
void Composition::step_over_events(System& system, double t0, double h, int max_halvings) {
    StepProjection& projection = *system.projection();
    const double whole = chooses_steps() && h > (1.0 + kWhole) * step_ ? step_ : h;
    double longest = whole;
    int halvings = 0;
    for (StepPieces pieces(system, events_, t0, whole); pieces.more();) {
        const double t = pieces.t();
        const double length = std::min(longest, pieces.rest());
        projection.save();
        try {
            if (order_ > 2) projection.note_length(length);
            const bool is_made = pieces.advance(
                length,
                [&](double part) {
                    projection.restore();
                    if (!compose(system, t, part)) return false;
                    projection.evaluate_events(events_.values());
                    return true;
                },
                [](double, double) {},
                [&] {
                    projection.restore();
                });
            if (is_made && pieces.t() > t && chooses_steps()) return;
            if (!is_made && halvings++ == max_halvings) refuse(system, t, length);
            halvings = is_made ? 0 : halvings;
            longest = is_made ? whole : 0.5 * length;
        } catch (...) {
            projection.restore();
            throw;
        }
    }
}

/// 2^halvings steps in place of one.
bool Composition::halved(System& system, double t0, double h, int halvings) {
    // t0 + k h / 2^j, not a running sum.
    const int count = 1 << halvings;
    const double part = h / count;
    for (int k = 0; k < count; ++k)
        if (!compose(system, t0 + k * part, part)) return false;
    return true;
}

bool Composition::compose(System& system, double t0, double h) {
    // sum_i gamma_i = 1 and gamma_i = gamma_(s+1-i): each step is its own adjoint, so the
    // composition is, and its error has even powers of h only. Stage i begins at
    //   t0 + (gamma_1 + ... + gamma_(i-1)) h
    // and goes backwards where gamma_i < 0.
    const std::span<const double> half = coefficients(order_);
    const int stages = 2 * static_cast<int>(half.size()) - 1;
    double sum = 0.0;
    for (int k = 0; k < stages; ++k) {
        const double gamma = half[std::min(k, stages - 1 - k)];
        failed_t0_ = t0 + sum * h;
        failed_h_ = gamma * h;
        if (!projected_.advance(system, failed_t0_, failed_h_)) return false;
        sum += gamma;
    }
    return true;
}

void Composition::controlled(System& system, double t0, double h) {
    StepProjection& projection = *system.projection();
    const double order = order_;
    double length = next(system) > 0.0 ? next(system) : step_;
    bool was_refused = false;
    for (int tries = 0; tries < kMostTries; ++tries) {
        // A remainder of the grid step that exceeds the step by round-off belongs to it.
        const bool is_rest = length >= (1.0 - kWhole) * h;
        const double part = is_rest ? h : length;
        double factor = kFailed;
        if (compose(system, t0, part)) {
            std::ranges::copy(system.q(), q_.begin());
            std::ranges::copy(system.v(), v_.begin());
            projection.restore();
            if (compose(system, t0, 0.5 * part) && compose(system, t0 + 0.5 * part, 0.5 * part)) {
                // Richardson: whole step and two halves of order p differ by (2^p - 1) times the
                // error of the halves,
                //   err = max(|q_whole - q_halves|, |v_whole - v_halves|) / (2^p - 1)    [m, m/s].
                const double size =
                    std::max(system.displacement(system.q()), system.displacement(system.v()));
                for (std::size_t i = 0; i < q_.size(); ++i) {
                    q_[i] -= system.q()[i];
                    v_[i] -= system.v()[i];
                }
                const double error = std::max(system.displacement(q_), system.displacement(v_)) /
                                     (std::exp2(order) - 1.0);
                // The round-off of positions is no error of the method.
                const double relative = std::max(error - kRounding * size, 0.0) / tolerance_;
                factor = relative > 0.0 ? kSafety * std::pow(relative, -1.0 / (order + 1.0))
                                        : kMostGrowth;
                // After a refusal a step does not grow: the estimate has just been too small.
                factor = std::clamp(factor, kMostShrinking, was_refused ? 1.0 : kMostGrowth);
                if (relative <= 1.0) {
                    // The length of a step that the end cut short is no estimate for the next one.
                    next(system) = is_rest ? std::max(length, factor * part) : factor * part;
                    if (order_ > 2) projection.note_length(0.5 * part);
                    return;
                }
            }
        }
        projection.restore();
        was_refused = true;
        length = factor * part;
    }
    refuse(system, failed_t0_, failed_h_);
}

void Composition::refuse(System& system, double t0, double h) {
    system.no_convergence(
        projected_.trial(t0, h),
        "no convergence of the step together with its projection, not even with "
        "the exact tangent and in shorter steps",
        "take shorter steps, or order = 2 without velocity_projection, which goes "
        "over singular positions and events");
}

}  // namespace ancora
