// SPDX-License-Identifier: BSD-3-Clause
// The step's iteration, its acceptance, and the ladder of retries.
#include "emm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ancora {
namespace {

constexpr double kDefaultTolerance = 1e-12;  // [m], Sugano section 5
// What residuals may be, in units of what rounding leaves of their own terms.
constexpr double kClosed = 1.0;
// At the rounding floor nothing falls any more; then this much is accepted.
constexpr double kFloorDefect = 1e3;
constexpr double kFloorCorrections = 1e3;  // times the tolerance
// A correction that shrinks by less than this calls for a fresh matrix at once.
constexpr double kSlow = 0.3;
constexpr double kDiverged = 1e6;
// Slow sliding in two directions turns fast before it stops, which only short pieces follow.
constexpr int kMoreHalvings = 30;
constexpr double kNothing = 1e-11;  // of a step
// A trial this short, relative to the step, is too short for its residuals to tell rounding apart.
constexpr double kTooShort = 1e-5;
constexpr double kFewSteps = 4.0;   // from a start, until the extrapolation is at its best
constexpr int kFewIterations = 2;   // one that moves and one that finds nothing left to do
constexpr int kMostPieces = 1000;   // of a step, between events
constexpr int kMostSettlings = 50;  // changes of contact modes at one instant
constexpr int kManyHalvings = 6;    // that shorter steps do not help is then true
constexpr int kWords = 6;           // of the history before its vectors

/// Value at the next step from the last four. Mean accelerations of constrained motion alternate a
/// little from step to step (only the mean velocity obeys the constraints), so formulas 1 and 2
/// are exact for alternation plus a linear, a quadratic course.
double extrapolate(double formula, double x0, double x1, double x2, double x3) {
    if (formula == 0.0) return x0;
    if (formula == 1.0) return x0 + (x1 - x2);
    return x0 + (x0 - x2) - (x2 - x3);
}

}  // namespace

Emm::Emm(const Arguments& arguments)
    : max_iterations_(static_cast<int>(arguments.integer("max_iterations"))),
      max_halvings_(static_cast<int>(arguments.integer("max_halvings"))) {}

void Emm::prepare(const System& system, const StepSettings& settings) {
    tolerance_ = settings.tolerance > 0.0 ? settings.tolerance : kDefaultTolerance;
    const auto n = static_cast<std::size_t>(system.num_coordinates());
    const auto m = static_cast<std::size_t>(system.num_rows());
    for (std::vector<double>* x : {&a_, &r_motion_, &ddq_}) x->assign(n, 0.0);
    for (std::vector<double>* x : {&s_, &r_rows_, &ds_}) x->assign(m, 0.0);
    events_.resize(system.num_events());
}

int Emm::num_history(const System& system) const {
    return kWords + 3 * (system.num_coordinates() + system.num_rows());
}

Emm::History Emm::history(System& system) {
    const std::span<double> x = system.history();
    const auto n = static_cast<std::size_t>(system.num_coordinates());
    const auto m = static_cast<std::size_t>(system.num_rows());
    const std::span<double> a = x.subspan(kWords, 3 * n);
    const std::span<double> s = x.subspan(kWords + 3 * n, 3 * m);
    return {x[0],
            x[1],
            x[2],
            x[3],
            x[4],
            x[5],
            a.subspan(0, n),
            a.subspan(n, n),
            a.subspan(2 * n, n),
            s.subspan(0, m),
            s.subspan(m, m),
            s.subspan(2 * m, m)};
}

void Emm::step(System& system, double t0, double h) {
    if (system.num_events() > 0)
        advance_over_events(system, t0, h);
    else
        advance(system, t0, h, 0);
}

void Emm::advance(System& system, double t0, double h, int depth) {
    bool has_converged = converge(system, t0, h);
    if (!has_converged && system.renew_choice()) has_converged = converge(system, t0, h);
    for (int k = 0; has_converged && system.settle_modes({t0, h, a_, s_}); ++k)
        has_converged = k < kMostSettlings && converge(system, t0, h);
    if (has_converged) return accept(system, t0, h);
    if (depth == max_halvings_) refuse(system, t0, h, depth > 0);
    advance(system, t0, 0.5 * h, depth + 1);
    advance(system, t0 + 0.5 * h, 0.5 * h, depth + 1);
}

/// A step of a model with contacts: pieces that end at events, or are halved where the iteration
/// fails.
void Emm::advance_over_events(System& system, double t0, double h) {
    const double end = t0 + h;
    double t = t0;
    double rest = h;
    int halvings = 0;
    double piece = h;
    for (int pieces = 0; rest > 0.0; ++pieces) {
        if (pieces == kMostPieces)
            system.refuse(t,
                          "contacts change between stick and slip without end; check their "
                          "coefficients of friction (too large ones may leave no solution, "
                          "Painleve's paradox)");
        bool has_converged = true;
        double last_length = 0.0;
        const auto trial = [&](double length) {
            if (has_converged) last_length = length;
            has_converged = has_converged && converge(system, t, length);
            for (int k = 0; has_converged && system.settle_modes({t, length, a_, s_}); ++k) {
                if (k == kMostSettlings)
                    system.refuse(t,
                                  "no combination of stick and slip holds for the contacts; their "
                                  "friction may be too large for the motion (Painleve's paradox)");
                has_converged = converge(system, t, length);
            }
            if (has_converged)
                system.evaluate_events({t, length, a_, s_}, events_.values());
            else
                std::ranges::fill(events_.values(), 0.0);
        };
        const double wanted = system.smooth_length(std::min(piece, rest));
        double length = wanted;
        trial(length);
        const int event = has_converged ? events_.shorten(length, trial) : -1;
        // The search for an event that is due at once ends in trials that fail.
        if (event >= 0 && !has_converged && last_length < kTooShort * h) {
            length = 0.0;
            has_converged = true;
        }
        if (!has_converged) {
            if (halvings++ == max_halvings_ + kMoreHalvings) refuse(system, t, wanted, true);
            piece = 0.5 * wanted;
            continue;
        }
        halvings = 0;
        piece = h;
        if (length > 0.0) accept(system, t, length);
        if (event >= 0) system.pass_event(event);
        rest = event < 0 && length == rest ? 0.0 : end - (t + length);
        if (rest < kNothing * h) rest = 0.0;  // an event at the end of the step, but for rounding
        t += length;
    }
}

/// Tries the ladder of tangents on one step; a_ and s_ are then its solution.
bool Emm::converge(System& system, double t0, double h) {
    if (iterate(system, t0, h, Tangent::definite, Reuse::allowed)) return true;
    // What a retry leaves factorised serves no other step.
    for (const Tangent tangent : {Tangent::definite, Tangent::symmetric, Tangent::exact}) {
        const bool done = iterate(system, t0, h, tangent, Reuse::never);
        history(system).is_settled = 0.0;
        if (done) return true;
    }
    return false;
}

void Emm::accept(System& system, double t0, double h) {
    remember(system, h);
    system.accept({t0, h, a_, s_});
    weigh_factorisation(system, last_iterations_, last_was_fresh_);
}

void Emm::refuse(System& system, double t0, double h, bool was_halved) {
    const bool was_tried = was_halved && max_halvings_ >= kManyHalvings;
    system.no_convergence({t0, h, a_, s_},
                          was_halved ? "no convergence, not even with the exact tangent and in "
                                       "halved steps"
                                     : "no convergence, not even with the exact tangent",
                          was_tried ? "shorter steps do not help: look at what happens there at "
                                      "that time, such as a position in which the motion is not "
                                      "determined, a stop, or elements that are very stiff"
                                    : "take a smaller step, or allow more max_halvings");
}

bool Emm::iterate(System& system, double t0, double h, Tangent tangent, Reuse reuse) {
    predict(system, h);
    const StepTrial trial{t0, h, a_, s_};

    bool factorise =
        reuse == Reuse::never || history(system).is_settled == 0.0 || !system.is_factorised_for(h);
    const bool began_fresh = factorise;
    // The first matrix after a start is from before the stresses were known.
    bool is_stale = !factorise || history(system).steps == 0.0;
    double correction = std::numeric_limits<double>::infinity();
    double last_correction = correction;
    double first_correction = correction;
    StepDefect last{correction, correction};
    const double slack = tolerance_ > kDefaultTolerance ? tolerance_ : 0.0;
    bool was_level = false;
    for (int k = 0; k <= max_iterations_; ++k) {
        system.evaluate(trial, r_motion_, r_rows_);
        if (k > 0) {
            const StepDefect defect = system.defect(trial, slack);
            if (std::isnan(defect.motion) || std::isnan(defect.rows)) return false;
            const bool is_still = correction <= tolerance_;
            const bool is_closed = defect.motion <= kClosed && defect.rows <= kClosed;
            // The rounding floor: in two iterations nothing has fallen any more.
            const bool is_level = defect.motion >= 0.5 * last.motion &&
                                  defect.rows >= 0.5 * last.rows &&
                                  (is_still || correction >= 0.5 * last_correction);
            const bool is_at_floor = is_level && was_level && defect.motion <= kFloorDefect &&
                                     defect.rows <= kFloorDefect &&
                                     correction <= kFloorCorrections * tolerance_;
            was_level = is_level;
            if ((is_still && is_closed) || is_at_floor) {
                last_iterations_ = k;
                last_was_fresh_ = began_fresh;
                return true;
            }
            if (k == max_iterations_ ||
                correction > kDiverged * std::max(first_correction, tolerance_))
                return false;
            const Rates rates{correction / last_correction, defect.motion / last.motion};
            if (k > 1 && is_stale && wants_fresh_matrix(system, correction, rates)) {
                factorise = true;
                is_stale = false;
                history(system).wasted = 0.0;
            }
            last = defect;
        }
        if (factorise) {
            if (!system.factorise(trial, tangent)) return false;
            history(system).is_settled = 1.0;
            factorise = reuse == Reuse::never;
        }
        system.solve(r_motion_, r_rows_, ddq_, ds_);
        const double to_acceleration = 2.0 / (h * h);
        for (std::size_t i = 0; i < a_.size(); ++i) a_[i] -= to_acceleration * ddq_[i];
        for (std::size_t i = 0; i < s_.size(); ++i) s_[i] -= ds_[i];
        system.count_iteration();
        last_correction = correction;
        correction = system.displacement(ddq_);
        if (!std::isfinite(correction)) return false;
        if (k == 0) first_correction = correction;
    }
    return false;
}

/// Whether the iterations that a stale matrix still needs would cost more than a new one. The
/// corrections may stay as large where stresses were found first; then the residual has fallen.
bool Emm::wants_fresh_matrix(const System& system, double correction, const Rates& rates) const {
    const SolverCost cost = system.cost();
    if (correction <= tolerance_) return false;
    if (rates.correction > kSlow) return rates.defect > kSlow;
    const double to_come = std::log(tolerance_ / correction) / std::log(rates.correction);
    return to_come * cost.iterate > cost.factorise + 2.0 * cost.iterate;
}

/// Books the iterations that an old factorisation has cost beyond a fresh one's.
void Emm::weigh_factorisation(System& system, int iterations, bool was_fresh) {
    const History past = history(system);
    if (was_fresh) {
        // A factorisation from before the stresses were known, or judged by steps that could not be
        // predicted, may not be the best there is.
        past.iterations_when_fresh =
            past.steps > kFewSteps ? iterations : std::min(iterations, kFewIterations);
        past.wasted = 0.0;
        return;
    }
    const SolverCost cost = system.cost();
    past.wasted += std::max(0.0, iterations - past.iterations_when_fresh) * cost.iterate;
    if (past.wasted > 0.5 * cost.factorise) past.is_settled = 0.0;
}

/// Starts from the last steps by the formula chosen in remember().
void Emm::predict(System& system, double h) {
    const std::span<const double> a0 = system.acceleration();
    const std::span<const double> s0 = system.stress();
    const History past = history(system);
    const double formula = h == past.h && past.steps > 3.0 ? past.predictor : 0.0;
    for (std::size_t i = 0; i < a_.size(); ++i)
        a_[i] = extrapolate(formula, a0[i], past.a1[i], past.a2[i], past.a3[i]);
    for (std::size_t k = 0; k < s_.size(); ++k)
        s_[k] = extrapolate(formula, s0[k], past.s1[k], past.s2[k], past.s3[k]);
    if (!system.stresses_are_unique()) system.clear_constraint_stress(s_);
}

/// Chooses the formula that would have predicted the step just solved best and moves the history
/// on; to be called before the system takes the new state.
void Emm::remember(System& system, double h) {
    const History past = history(system);
    const std::span<const double> a0 = system.acceleration();
    const std::span<const double> s0 = system.stress();
    double miss[3] = {};
    for (std::size_t i = 0; i < a_.size(); ++i)
        for (int formula = 0; formula < 3; ++formula) {
            const double d =
                a_[i] - extrapolate(formula, a0[i], past.a1[i], past.a2[i], past.a3[i]);
            miss[formula] += d * d;
        }
    past.predictor = static_cast<double>(std::min_element(miss, miss + 3) - miss);
    past.steps = h == past.h ? past.steps + 1.0 : 1.0;
    past.h = h;
    const auto shift = [](auto from, std::span<double> to) {
        std::copy(from.begin(), from.end(), to.begin());
    };
    shift(past.a2, past.a3);
    shift(past.a1, past.a2);
    shift(a0, past.a1);
    shift(past.s2, past.s3);
    shift(past.s1, past.s2);
    shift(s0, past.s1);
}

}  // namespace ancora
