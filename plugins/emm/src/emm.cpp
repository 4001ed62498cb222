// SPDX-License-Identifier: BSD-3-Clause
// Substeps at events and beside singular positions, and the predictor.
#include "emm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ancora/sdk/helpers/step_pieces.hpp"

namespace ancora {
namespace {

// Slow sliding in two directions turns fast before it stops, which only short substeps resolve.
constexpr int kMoreHalvings = 30;
// The worst frictional models fail some forty times in a step; far beyond that substeps never reach
// its end.
constexpr int kMostFailures = 400;
constexpr int kMostSettlings = 1000;  // changes of contact modes at one instant
constexpr int kManyHalvings = 6;      // then it is not the length of the step alone
// A solution with this prediction error, relative to the displacement, and as many times that of
// the steps before, may be on another branch of the motion. mu > max(kJump, kTimesAsFar mu_usual)
// with mu of theory (45).
constexpr double kJump = 1e-2;
constexpr double kTimesAsFar = 10.0;
constexpr double kMuchLess = 0.1;
constexpr double kNoise = 1e3;      // tolerances: what is missed by less is noise
constexpr double kUnbounded = 1e3;  // times the stresses of the last step
// The predictor's order is selected in each of the first steps, then once in so many, or when the
// first correction has grown by so much.
constexpr double kFirstSteps = 16.0;
constexpr double kSeldom = 32.0;
constexpr double kGrown = 4.0;
constexpr double kKnown = 3.0;        // steps after which there is something to compare with
constexpr double kLonger = 1.000001;  // of the shortest piece, against rounding
constexpr double kForgotten = 0.9;    // of the farthest miss so far, in a step
// Lengths of substeps, relative to the step, whose ends and midpoints differ from the step's.
constexpr double kSubsteps[] = {0.7, 0.45, 0.85, 0.3, 0.57, 0.2, 0.12, 0.05};

/// Range of a number of a saved state.
int index_of(double number, std::size_t count) {
    return static_cast<int>(std::clamp(number, 0.0, static_cast<double>(count - 1)));
}

}  // namespace

Emm::Emm(const Arguments& arguments)
    : composition_(arguments), max_halvings_(static_cast<int>(arguments.integer("max_halvings"))) {
    options_.max_iterations = static_cast<int>(arguments.integer("max_iterations"));
}

IntegratorTraits Emm::traits() const {
    IntegratorTraits out;
    out.is_adaptive = composition_.chooses_steps();
    return out;
}

void Emm::prepare(const System& system, const StepSettings& settings) {
    if (composition_.is_wanted()) {
        composition_.prepare(system, settings, options_.max_iterations);
        return;
    }
    if (settings.tolerance > 0.0) options_.tolerance = settings.tolerance;
    const auto n = static_cast<std::size_t>(system.num_coordinates());
    const auto m = static_cast<std::size_t>(system.num_rows());
    for (std::vector<double>* x : {&a_, &predicted_, &way_}) x->assign(n, 0.0);
    s_.assign(m, 0.0);
    events_.resize(system.num_events());
}

int Emm::num_history(const System& system) const {
    if (composition_.is_wanted()) return composition_.num_history();
    return History::kWords + Predictor::kKept * (system.num_coordinates() + system.num_rows());
}

Emm::History Emm::history(System& system) {
    const std::span<double> x = system.history();
    const std::size_t of_a = Predictor::kKept * static_cast<std::size_t>(system.num_coordinates());
    const int newest = index_of(x[History::kNewest], Predictor::kKept);
    return {x[History::kSteps],
            x[History::kLength],
            x[History::kFormula],
            x[History::kNewest],
            x[History::kToJudge],
            x[History::kUsual],
            x[History::kMissed],
            x[History::kKnownSteps],
            Predictor(x.subspan(History::kWords, of_a), newest),
            Predictor(x.subspan(History::kWords + of_a), newest)};
}

void Emm::step(System& system, double t0, double h) {
    if (composition_.is_wanted()) {
        composition_.step(system, t0, h, max_halvings_);
        return;
    }
    if (system.num_events() > 0)
        advance_over_events(system, t0, h);
    else
        advance(system, t0, h, h * std::ldexp(kLonger, -max_halvings_));
}

/// @param shortest substep allowed
void Emm::advance(System& system, double t0, double h, double shortest) {
    // The whole step where that continues the motion; else the best substep beside a singular
    // position; else two halves. The remainder of the step is advanced in the same way.
    const bool has_converged = converge(system, t0, h);
    double part = has_converged ? 1.0 : 0.0;
    const bool is_doubtful = !has_converged || is_jump(system, h) || is_unbounded(system);
    if (is_doubtful && is_beside_singular(system, t0, h) && h > shortest)
        part = best_substep(system, t0, h, has_converged ? 1.0 : 0.0, shortest);
    // Violated dropped rows, and modes that changed, require the step to be solved again.
    bool is_settled = part > 0.0 && settle(system, t0, part * h);
    if (!is_settled && part == 1.0 && h > shortest && is_beside_singular(system, t0, h)) {
        part = best_substep(system, t0, h, 0.0, shortest);
        is_settled = part > 0.0 && settle(system, t0, part * h);
    }
    if (is_settled)
        accept(system, t0, part * h);
    else if (h <= shortest)
        refuse(system, t0, h, max_halvings_ > 0);
    else
        advance(system, t0, (part = 0.5) * h, shortest);
    if (part < 1.0) advance(system, t0 + part * h, (1.0 - part) * h, shortest);
}

/// Updates the active set of a step that has been solved.
bool Emm::settle(System& system, double t0, double h) {
    bool has_converged = true;
    for (int k = 0; has_converged && system.update_active_set({t0, h, a_, s_}); ++k)
        has_converged = k < kMostSettlings && converge(system, t0, h);
    return has_converged;
}

/// The prediction error relative to the step's displacement.
double Emm::prediction_error(System& system, double h) {
    const std::span<const double> v = system.v();
    // Theory (45): mu = |h^2/2 (a - a*)| / |h v + h^2/2 a|, lengths are displacements of matter, a*
    // the prediction. Below kNoise tolerances both are round-off.
    const double half = 0.5 * h * h;
    system.split(a_.size(), [&, half](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) way_[i] = half * (a_[i] - predicted_[i]);
    });
    const double missed = system.displacement(way_);
    if (missed <= kNoise * options_.tolerance) return 0.0;
    system.split(a_.size(), [&, half](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) way_[i] = h * v[i] + half * a_[i];
    });
    return missed / system.displacement(way_);
}

/// Whether the step that was solved last passes a singular position, by its prediction error.
bool Emm::is_beside_singular(System& system, double t0, double h) {
    if (!system.nears_singular_position({t0, h, predicted_, s_})) return false;
    is_beside_singular_ = true;
    return true;
}

bool Emm::is_jump(System& system, double h) {
    prediction_error_ = prediction_error(system, h);
    return history(system).known >= kKnown &&
           prediction_error_ > std::max(kJump, kTimesAsFar * history(system).missed);
}

/// Whether stresses have grown without bound in a solution whose rows are closed to the rounding
/// floor only: where the Jacobian at the middle of the step is singular, and the remaining
/// residuals do work.
bool Emm::is_unbounded(System& system) const {
    // max|s| > kUnbounded max|s| of the step before, of a step that was accepted at the rounding
    // floor.
    if (!is_far_from_closed_) return false;
    const auto largest = [](std::span<const double> s) {
        double most = 0.0;
        for (const double x : s) most = std::max(most, std::abs(x));
        return most;
    };
    return largest(s_) > kUnbounded * largest(system.stress());
}

/// Where a step has no solution that continues the motion, as beside a singular position (a
/// bifurcation): the relative length of a substep that does, solved; 1 if none is better than the
/// whole step, 0 if none is and the whole step has no solution either.
double Emm::best_substep(System& system, double t0, double h, double whole, double shortest) {
    double best = whole;
    double least = std::numeric_limits<double>::infinity();
    if (whole > 0.0) least = kMuchLess * prediction_error(system, h);
    // The first substep with a small prediction error; else the one with the least mu, if that is
    // less than kMuchLess of the whole step's.
    for (const double part : kSubsteps) {
        if (part * h < shortest || !converge(system, t0, part * h) || !settle(system, t0, part * h))
            continue;
        const double here = prediction_error(system, part * h);
        if (!is_unbounded(system) && !is_jump(system, part * h)) {
            is_beside_singular_ = true;
            return part;
        }
        if (here >= least) continue;
        best = part;
        least = here;
    }
    if (best == 0.0 || !converge(system, t0, best * h)) best = 0.0;
    is_beside_singular_ = true;
    return best;
}

/// A step of a model with contacts: substeps that end at events, or are halved where the iteration
/// fails.
void Emm::advance_over_events(System& system, double t0, double h) {
    int halvings = 0, failures = 0;
    double longest = h;
    for (StepPieces pieces(system, events_, t0, h); pieces.more();) {
        const double t = pieces.t();
        // A substep ends where an event function has its root (theory (41)), found with steps of
        // other lengths from the same start: the event lies at the end of a step, exactly, and the
        // balances close over it.
        const double length = system.max_smooth_step(std::min(longest, pieces.rest()));
        const bool is_made = pieces.advance(
            length,
            [&](double part) {
                return solve_with_modes(system, t, part);
            },
            [&](double, double part) {
                accept(system, t, part);
            });
        if (!is_made &&
            (halvings++ == max_halvings_ + kMoreHalvings || failures++ == kMostFailures))
            refuse(system, t, length, true);
        if (is_made) halvings = 0;
        // What had to be halved may have to be again: pieces grow as they shrank.
        longest = is_made ? std::min(h, 2.0 * longest) : 0.5 * length;
    }
}

/// Solves a trial with modes that are admissible over it, and evaluates its events; false if it has
/// no solution.
bool Emm::solve_with_modes(System& system, double t, double h) {
    bool has_converged = converge(system, t, h);
    for (int k = 0; has_converged && system.update_active_set({t, h, a_, s_}); ++k) {
        if (k == kMostSettlings)
            system.refuse(t,
                          "no combination of stick and slip holds for the contacts; their friction "
                          "may be too large for the motion (Painleve's paradox)");
        has_converged = converge(system, t, h);
    }
    if (has_converged) system.evaluate_events({t, h, a_, s_}, events_.values());
    return has_converged;
}

/// Solves a step from its predictor; a_ and s_ are then its solution.
bool Emm::converge(System& system, double t0, double h) {
    predict(system, h);
    const StepReport report = system.solve_step({t0, h, a_, s_}, options_);
    is_beside_singular_ = report.nears_singular_position;
    first_correction_ = report.first_correction;
    is_far_from_closed_ = report.is_far_from_closed;
    return report.has_converged;
}

void Emm::accept(System& system, double t0, double h) {
    const bool was_beside = is_beside_singular_;
    const bool jumps = was_beside && is_jump(system, h);
    // Before the state moves: a and s of the system are those of the step before.
    remember(system, h);
    prediction_error_ = 0.0;
    system.accept({t0, h, a_, s_});
    if (was_beside) system.record_singular_position(t0, t0 + h, !jumps);
}

void Emm::refuse(System& system, double t0, double h, bool was_halved) {
    const bool was_tried = was_halved && max_halvings_ >= kManyHalvings;
    system.no_convergence({t0, h, a_, s_},
                          was_halved ? "no convergence, not even with the exact tangent and in "
                                       "halved steps"
                                     : "no convergence, not even with the exact tangent",
                          was_tried ? "pieces as short as this do not help: look at what happens "
                                      "there at that time, such as a linkage of light parts that "
                                      "meets the end of its travel, a position in which the motion "
                                      "is not determined, or elements that are very stiff; what is "
                                      "only fast, other steps or more max_halvings may pass"
                                    : "take a smaller step, or allow more max_halvings");
}

/// The predictor: extrapolates the last steps by the formula selected in remember().
void Emm::predict(System& system, double h) {
    const History past = history(system);
    // (34) asks for equal steps; after a change of h the last values are repeated.
    const int formula = h == past.h ? index_of(past.formula, Predictor::kExtrapolations.size())
                                    : Predictor::kConstant;
    const std::span<const double> last_a = system.acceleration();
    const std::span<const double> last_s = system.stress();
    system.split(a_.size(), [&](std::size_t begin, std::size_t end) {
        past.a.extrapolate(formula, last_a, a_, begin, end);
        std::copy(a_.data() + begin, a_.data() + end, predicted_.data() + begin);
    });
    system.split(s_.size(), [&](std::size_t begin, std::size_t end) {
        past.s.extrapolate(formula, last_s, s_, begin, end);
    });
}

/// Updates the history; to be called before the system takes the new state.
void Emm::remember(System& system, double h) {
    History past = history(system);
    past.known = std::min(past.known + 1.0, kKnown);
    // mu_usual <- max(kForgotten mu_usual, mu)
    past.missed = std::max(kForgotten * past.missed, past.steps > 0.0 ? prediction_error_ : 0.0);
    past.steps = h == past.h ? past.steps + 1.0 : 1.0;
    past.h = h;
    const bool is_due = past.steps <= kFirstSteps || --past.to_judge <= 0.0 ||
                        first_correction_ > kGrown * past.usual;
    if (is_due) select_extrapolation(system, past);
    const std::span<const double> last_a = system.acceleration();
    const std::span<const double> last_s = system.stress();
    system.split(s_.size(), [&](std::size_t begin, std::size_t end) {
        past.s.keep(last_s, begin, end);
    });
    system.split(a_.size(), [&](std::size_t begin, std::size_t end) {
        past.a.keep(last_a, begin, end);
    });
    past.newest = past.a.next_newest();
}

/// Selects the formula with the least prediction error in the step just solved.
void Emm::select_extrapolation(System& system, History& past) const {
    past.to_judge = kSeldom;
    past.usual = first_correction_;
    past.formula = Predictor::kConstant;
    // sum |a - a*_f|^2 of each formula f, by a alone: s follows a through the same equations.
    const Predictor::Errors misses = past.a.errors(system.acceleration(), a_);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < misses.size(); ++f) {
        // By a step that it could have predicted.
        if (Predictor::kExtrapolations[f].order() >= past.steps || !(misses[f] < least)) continue;
        least = misses[f];
        past.formula = static_cast<double>(f);
    }
}

}  // namespace ancora
