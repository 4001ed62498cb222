// SPDX-License-Identifier: BSD-3-Clause
// Pseudo-transient continuation with a switch to Newton's method.
#include "rest_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "linear_equations.hpp"
#include "part_motion.hpp"
#include "rest_frame.hpp"
#include "rest_stability.hpp"
#include "steady_spin.hpp"
#include "turn_invariance.hpp"

namespace ancora {
namespace {

constexpr double kRounded = 1e-11;    // force left in a spin, of the largest
constexpr double kRoundedWay = 1e-6;  // that it moves what has no stiffness, of the model's size
constexpr double kFirstWay = 0.02;    // of the model's size, by the first step
constexpr double kLongestWay = 0.1;   // by any
constexpr double kLostWay = 1e4;
constexpr double kSlowWay = 1e-9;
constexpr double kHeaviest = 1e6;   // mass term, of the least
constexpr double kNear = 1e-3;      // by a step, from where Newton's may do
constexpr double kAtRest = 1e-13;   // by Newton's last step
constexpr double kBalanced = 1e-9;  // force left, of the largest
constexpr double kBalancedToRounding = 1e-13;
constexpr double kRounding = 1e-14;  // of positions, of the model's size
constexpr double kNudge = 1e-3;      // of the model's size, off an unstable position
constexpr double kClosed = 1e-13;    // gap, of the model's size
constexpr double kNearlyClosed = 1e-10;
constexpr double kMoves = 1e-9;   // rates likewise
constexpr double kPulls = 1e-12;  // of the largest reaction
constexpr int kMostLeft = 20;
constexpr int kMostRises = 60;

/// Evaluations and factorisations of a search do not count in a run's statistics.
class Uncounted {
public:
    explicit Uncounted(KernelSystem& system)
        : motion_(system.motion()),
          face_(system.linearisable()),
          evaluations_(motion_.evaluations),
          factorisations_(face_.factorisations) {}
    ~Uncounted() {
        motion_.evaluations = evaluations_;
        face_.factorisations = factorisations_;
    }
    Uncounted(const Uncounted&) = delete;
    Uncounted& operator=(const Uncounted&) = delete;

private:
    ContinuousMotion& motion_;
    ImplicitFace& face_;
    long evaluations_, factorisations_;
};

class RestSearch {
public:
    RestSearch(KernelSystem& system, const EquilibriumOptions& options)
        : system_(system),
          options_(options),
          own_face_(options.spinning ? system.make_turning_face() : nullptr),
          face_(own_face_ ? *own_face_ : system.linearisable()),
          n_(system.num_coordinates()),
          m_(face_.num_conditions()),
          extent_(std::max(system.state().extent, 1e-9)),
          frame_(system.num_coordinates()) {
        q_ = Eigen::Map<const Eigen::VectorXd>(system.q().data(), n_);
        q_start_ = q_;
        zero_.setZero(n_);
        for (Eigen::VectorXd* x : {&x_, &r_, &a_, &last_, &force_}) x->setZero(n_);
        for (Eigen::VectorXd* x : {&lambda_, &y_, &g_}) x->setZero(m_);
        if (options.spinning) frame_ = RestFrame(system, face_);
        condition_of_.assign(static_cast<std::size_t>(system.parts().m), -1);
        for (int c = 0; c < static_cast<int>(m_); ++c)
            condition_of_[static_cast<std::size_t>(face_.row(c))] = c;
        for (const int row : system.parts().rows.unilateral())
            if (system.parts().laws.is_constraint(row)) closed_.push_back(row);
        evaluate();
        face_.renew_choice();
    }

    ~RestSearch() { face_.forget_prediction(); }
    RestSearch(const RestSearch&) = delete;
    RestSearch& operator=(const RestSearch&) = delete;

    Equilibrium descend_and_judge() {
        Equilibrium out;
        close_gaps();
        for (;;) {
            descend(out);
            judge(out);
            if (out.stability != Stability::unstable || options_.nearest ||
                frame_.spin.is_spinning || out.num_left >= kMostLeft)
                break;
            // Leaves an unstable equilibrium by a perturbation that is small but well above
            // round-off.
            ++out.num_left;
            const double way = system_.parts().space.displacement(downhill_.data());
            q_ += kNudge * extent_ / way * downhill_;
            hold_closed();
            close_gaps();
        }
        return out;
    }

    /// Takes the result.
    void stand_there(Equilibrium& out) {
        x_ = q_ - q_start_;
        out.moved = way(x_);
        // What moved by less than positions resolve rests where it was.
        if (out.moved <= kRounding * extent_) {
            q_ = q_start_;
            out.moved = 0.0;
        }
        out.q.assign(q_.begin(), q_.end());
        stand();
        if (frame_.spin.is_spinning) {
            out.spin = {frame_.spin.rate[0], frame_.spin.rate[1], frame_.spin.rate[2]};
            frame_.require_steady(system_);
        }
        if (!bear_together(out)) out.forces = system_.instant().dynamics();
    }

private:
    /// Reactions of least norm of all contacts that touch, if they press. Else some are not needed.
    bool bear_together(Equilibrium& out) {
        const Eigen::VectorXd gaps = open_gaps();
        for (int c = 0; c < static_cast<int>(m_); ++c)
            if (system_.parts().rows.is_unilateral(face_.row(c)) &&
                gaps[c] <= kNearlyClosed * extent_)
                closed_.push_back(face_.row(c));
        if (closed_.empty()) return false;
        hold_closed();
        Dynamics forces = system_.instant().dynamics();
        const Eigen::VectorXd& s = system_.stress_at_instant();
        const double rounding = kPulls * s.lpNorm<Eigen::Infinity>();
        const bool do_press = std::ranges::none_of(closed_, [&](int row) {
            return s[row] > rounding && !is_latch(row);
        });
        if (do_press) out.forces = std::move(forces);
        stand();
        return do_press;
    }
    static std::span<double> room(Eigen::VectorXd& x) {
        return {x.data(), static_cast<std::size_t>(x.size())};
    }
    double way(const Eigen::VectorXd& x) const {
        return system_.parts().space.displacement(x.data());
    }
    /// Velocities and forces in the corotating frame: there nothing moves, and F has - M S (S q +
    /// v0).
    void evaluate() {
        face_.evaluate({system_.time(), view(q_), view(zero_), view(lambda_)});
        std::ranges::copy(face_.force(), force_.begin());
        if (!frame_.spin.is_spinning) return;
        a_ = frame_.spin.S * frame_.turning(q_);
        face_.mass().add_product(-1.0, view(a_), room(force_));
    }
    /// The system at the present position, in the spin if there is one.
    void stand() { system_.set_state(view(q_), view(frame_.velocity(q_)), system_.time()); }

    void differentiate() { face_.differentiate(view(zero_)); }

    double largest_gap() {
        g_.setZero();
        double largest = 0.0;
        for (Eigen::Index k = 0; k < m_; ++k) {
            if (face_.levels()[k] != RowLevel::position) continue;
            g_[k] = -face_.gaps()[k];
            largest = std::max(largest, std::abs(g_[k]));
        }
        return largest;
    }

    /// Projects q onto phi = 0, in the norm of M.
    void close_gaps() {
        const double left = gaps_left();
        if (left != 0.0)
            throw Error(ErrorKind::numerical,
                        fmt::format("equilibrium: the constraints cannot be met on the way to it; "
                                    "the largest gap is {:.3g}",
                                    left));
    }

    /// The same; returns zero on convergence, else the residual left.
    double gaps_left() {
        constexpr int kMost = 40;
        double last = std::numeric_limits<double>::infinity();
        bool has_renewed = false;
        for (int k = 0; k < kMost; ++k) {
            evaluate();
            const double gap = largest_gap();
            if (gap <= kClosed * extent_) return 0.0;
            if (gap >= 0.5 * last && k > 2) {
                // Rows that were dropped as redundant, and no longer are.
                if (has_renewed && gap <= kNearlyClosed * extent_) return 0.0;
                if (!has_renewed) face_.renew_choice();
                has_renewed = true;
            }
            last = gap;
            differentiate();
            r_.setZero();
            if (!face_.factorise(Augmented::positions, {1.0, 0.0, 0.0, 0.0}) &&
                !face_.factorise(Augmented::positions, {1.0, 0.0, 1e-6, 0.0}))
                break;
            face_.solve(Augmented::positions, view(r_), view(g_), room(x_), room(y_));
            const double part = std::min(1.0, 0.3 * extent_ / std::max(way(x_), 1e-300));
            q_ += part * x_;
        }
        return last;
    }

    /// One solve of (1) at the last point. Of contacts that pull one after the other lets go.
    bool solve(double c) {
        while (solve_as_closed(c)) {
            const int pulling = most_pulling();
            if (pulling < 0) return true;
            std::erase(closed_, face_.row(pulling));
            hold_closed();
            evaluate();
        }
        return false;
    }

    /// Setting the state has found others.
    void hold_closed() {
        std::ranges::sort(closed_);
        const auto [first, last] = std::ranges::unique(closed_);
        closed_.erase(first, last);
        system_.close_rows(closed_);
    }

    /// The closed contact that pulls most, -1 if none does.
    int most_pulling() const {
        int most = -1;
        double worst = 0.0;
        for (const int row : closed_) {
            if (is_latch(row)) continue;  // which holds
            const int c = condition_of_[static_cast<std::size_t>(row)];
            if (!(-y_[c] > worst)) continue;
            worst = -y_[c];
            most = c;
        }
        return worst > kPulls * y_.lpNorm<Eigen::Infinity>() ? most : -1;
    }
    bool is_latch(int row) const { return system_.parts().laws[row].prestress > 0.0; }

    /// Gaps of open contacts at the present point, zero for other conditions.
    Eigen::VectorXd open_gaps() {
        evaluate();
        Eigen::VectorXd gaps = Eigen::VectorXd::Zero(m_);
        for (int c = 0; c < static_cast<int>(m_); ++c)
            if (face_.is_open(c)) gaps[c] = face_.open_gap(c);
        return gaps;
    }

    /// Contacts that a step from `before` has met close where the first of them is met: the step
    /// ends there. @returns the part of it that is left
    double close_met(const Eigen::VectorXd& before) {
        if (closed_.size() == system_.parts().rows.unilateral().size()) return 1.0;
        const Eigen::VectorXd after = q_, g1 = open_gaps();
        const double below = -kClosed * extent_;
        if (g1.minCoeff() >= below) return 1.0;
        q_ = before;
        const Eigen::VectorXd g0 = open_gaps().cwiseMax(0.0);
        double part = 1.0;
        for (Eigen::Index c = 0; c < m_; ++c)
            if (g1[c] < below) part = std::min(part, g0[c] / (g0[c] - g1[c]));
        for (int c = 0; c < static_cast<int>(m_); ++c)
            if (g1[c] < below && g0[c] <= part * (g0[c] - g1[c])) closed_.push_back(face_.row(c));
        hold_closed();
        q_ = before + part * (after - before);
        return part;
    }

    bool solve_as_closed(double c) {
        differentiate();
        if (!face_.factorise(Augmented::dynamics, {c, 0.0, 1.0, 0.0})) return false;
        largest_gap();
        face_.solve(Augmented::dynamics, view(force_), view(g_), room(x_), room(y_));
        if (frame_.is_free) frame_.take_rigid_motion_out(system_, face_.mass(), q_, x_);
        return x_.allFinite() && y_.allFinite();
    }

    /// F + A^T lambda at the last point, and the size of F's largest entries.
    double residual(const Eigen::VectorXd& lambda, double& scale) {
        r_ = force_;
        scale = r_.cwiseAbs().maxCoeff();
        a_.setZero();
        face_.jacobian().add_transposed_product(1.0, view(lambda), room(a_));
        scale = std::max(scale, a_.cwiseAbs().maxCoeff());
        r_ += a_;
        return r_.cwiseAbs().maxCoeff();
    }

    struct Attempt {
        bool is_solved = false;
        double moved = std::numeric_limits<double>::infinity();
        bool is_rounding = false, is_uphill = false;
    };
    /// A step with this weight of the mass term from the point last evaluated.
    Attempt attempt(double weight, bool has_moved, bool is_left_by_rounding, double left) {
        Attempt out;
        out.is_solved = solve(weight);
        if (!out.is_solved) return out;
        out.moved = way(x_);
        // r = F + A^T y is the driving force: the step raises the energy where their product is
        // negative.
        double scale = 0.0;
        residual(y_, scale);
        // In a spin forces are in equilibrium with each other, and displacements by their round-off
        // in directions without stiffness have no limit. Likewise without any load.
        out.is_rounding = has_moved && out.moved <= kRoundedWay * extent_ &&
                          (is_left_by_rounding || (frame_.spin.is_spinning && left <= kRounded));
        out.is_uphill = !options_.nearest && !out.is_rounding && x_.dot(r_) < 0.0 &&
                        out.moved > 1e-10 * extent_;
        return out;
    }

    void descend(Equilibrium& out) {
        // A first step of known length.
        lambda_.setZero();
        evaluate();
        double c = first_weight();
        double last = std::numeric_limits<double>::infinity();
        double last_way = std::numeric_limits<double>::infinity();
        int rises = 0;
        int until_newton = 0, wait = 1;  // in steps of descent, after a trial that failed
        bool is_newton = options_.nearest;
        bool is_left_by_rounding = false;  // force that is left, of positions times stiffness
        face_.forget_prediction();
        for (int step = 0; step < options_.most_steps; ++step) {
            Attempt now = attempt(is_newton ? 0.0 : c, step > 0, is_left_by_rounding, out.residual);
            // Free motions have no stiffness, or one of either sign by rounding, which forces at
            // rounding move them by at random: a small mass term keeps them where they are.
            const auto fails = [&](const Attempt& it) {
                return !it.is_solved || it.is_uphill || it.moved > kNear * extent_ ||
                       (it.moved > 2.0 * last_way && !it.is_rounding);
            };
            if (is_newton &&
                (options_.nearest ? !(now.moved <= kLongestWay * extent_) : fails(now))) {
                const Eigen::VectorXd x = x_, y = y_;
                bool is_held = false;
                for (double weight = trace(), most = kHeaviest * weight; weight <= most && !is_held;
                     weight *= 100.0) {
                    evaluate();
                    const Attempt held =
                        attempt(weight, step > 0, is_left_by_rounding, out.residual);
                    // One that mass holds back as much as stiffness is the descent's.
                    const bool is_slow =
                        held.moved > 0.5 * last_way && held.moved > kSlowWay * extent_;
                    is_held = (held.is_solved && !now.is_solved) ||
                              (options_.nearest ? held.moved < 0.5 * now.moved
                                                : !fails(held) && !is_slow);
                    if (is_held) now = held;
                }
                if (!is_held) {
                    x_ = x;
                    y_ = y;
                }
            }
            const auto [is_solved, moved, is_rounding, is_uphill] = now;
            double scale = 0.0;
            const bool is_too_far = !(moved <= kLongestWay * extent_);
            if (!is_newton && (is_uphill || is_too_far)) {
                if (++rises > kMostRises) {
                    if (is_at_rest_but_for_free_motions(out.residual)) return;
                    break;
                }
                c *= is_solved && is_too_far && !is_uphill
                         ? std::clamp(2.0 * moved / (kLongestWay * extent_), 2.0, 1e6)
                         : 8.0;
                evaluate();
                continue;
            }
            if (is_newton && !options_.nearest && fails(now)) {
                // Free motions have a stiffness of either sign by round-off and differences, and
                // forces at round-off would displace them at random: with a small mass term they
                // are at rest.
                if (step > 0 && (is_left_by_rounding || out.residual <= kBalancedToRounding) &&
                    is_at_rest_but_for_free_motions(is_left_by_rounding ? 0.0 : out.residual))
                    return;
                // The descent continues with its own c, which Newton's method does not affect.
                is_newton = false;
                last_way = std::numeric_limits<double>::infinity();
                c = std::max(c, trace());
                until_newton = wait;
                wait *= 2;
                evaluate();
                continue;
            }
            if (!is_solved) break;
            double part = is_too_far ? kLongestWay * extent_ / moved : 1.0;  // of the nearest alone
            const Eigen::VectorXd before = q_, lambda_before = lambda_;
            const double residual_before = out.residual;
            a_ = part * x_;
            face_.predict_stress(view(a_));
            q_ += a_;
            lambda_ = y_;
            part *= close_met(before);
            (is_newton ? out.newton_steps : out.descent_steps) += 1;
            x_ = q_ - q_start_;
            if (!(way(x_) <= kLostWay * extent_)) break;
            if (gaps_left() != 0.0) {
                // The projection does not converge from here, as beside a singular position.
                if (options_.nearest || ++rises > kMostRises) close_gaps();
                q_ = before;
                lambda_ = lambda_before;
                is_newton = false;
                c = std::max(c, trace()) * 8.0;
                face_.forget_prediction();
                evaluate();
                continue;
            }
            evaluate();
            const double left = residual(lambda_, scale);
            // Where all forces vanish, as in an unloaded net, their residual is the round-off of
            // positions.
            const double rounding = kRounding * stiffest() * extent_;
            is_left_by_rounding = left <= rounding;
            scale = std::max(scale, rounding / kBalanced);
            out.residual = scale > 0.0 ? left / scale : 0.0;
            if (is_newton && part == 1.0) {
                const bool is_still =
                    moved <= kAtRest * extent_ ||
                    (moved >= 0.3 * last_way && (moved <= 1e-9 * extent_ || is_rounding));
                if (is_still && out.residual <= kBalanced) return;
                // Where a law has its corner, as in an element that is about to go slack, a step at
                // rounding may cross it: the point before is at rest.
                if (step > 0 && residual_before <= kBalanced && out.residual > kBalanced &&
                    moved <= 1e-9 * extent_) {
                    q_ = before;
                    lambda_ = lambda_before;
                    evaluate();
                    out.residual = residual_before;
                    return;
                }
                if (scale == 0.0) return;
            }
            rises = 0;
            last_way = moved;
            if (!is_newton) {
                c *= std::isfinite(last) && last > 0.0 ? std::clamp(left / last, 0.1, 1.5) : 0.5;
                c *= 0.7;
                if (--until_newton < 0 && moved <= kNear * extent_ &&
                    (left <= last || out.residual <= 1e-3))
                    is_newton = true;
            }
            last = left;
        }
        const std::string part = what_moves_most(system_, x_);
        throw Error(
            ErrorKind::numerical,
            fmt::format(
                "no position of equilibrium was found in {} steps: {} moves on, and {:.3g} of "
                "the largest force is left; either nothing holds it, or it is far away: start "
                "nearer, or look at the forces with `ancora check`",
                out.descent_steps + out.newton_steps,
                part.empty() ? "the model" : part,
                out.residual));
    }

    /// Whether all but rounding is balanced: what no step of the descent lowers, and what with a
    /// small mass term moves nothing any more.
    bool is_at_rest_but_for_free_motions(double left) {
        if (left > kRounded) return false;
        evaluate();
        return solve(kHeaviest * trace()) && way(x_) <= kRoundedWay * extent_;
    }

    /// The largest diagonal entry of the stiffness.
    double stiffest() {
        double most = 0.0;
        const CompressedMatrix K = face_.stiffness();
        for (int i = 0; i < n_; ++i) most = std::max(most, std::abs(diagonal(K, i)));
        return most;
    }

    double trace() {
        double most = 0.0;
        const CompressedMatrix M = face_.mass(), K = face_.stiffness();
        for (int i = 0; i < n_; ++i) {
            const double m = diagonal(M, i);
            if (m > 0.0) most = std::max(most, std::abs(diagonal(K, i)) / m);
        }
        return 1e-10 * (most > 0.0 ? most : 1.0);
    }
    static double diagonal(const CompressedMatrix& of, int i) {
        for (int e = of.row_start[i]; e < of.row_start[static_cast<std::size_t>(i) + 1]; ++e)
            if (of.column[e] == i) return of.value[e];
        return 0.0;
    }

    /// c for which the first step has a given length.
    double first_weight() {
        double c = 1.0;
        constexpr int kMost = 40;
        for (int k = 0; k < kMost; ++k) {
            const bool is_solved = solve(c);
            const double moved = is_solved ? way(x_) : std::numeric_limits<double>::infinity();
            double scale = 0.0;
            if (is_solved) residual(y_, scale);
            const bool is_uphill = is_solved && x_.dot(r_) < 0.0;
            evaluate();
            if (is_solved && !is_uphill && moved <= 2.0 * kFirstWay * extent_) return c;
            c *= std::isfinite(moved) && !is_uphill
                     ? std::clamp(moved / (kFirstWay * extent_), 4.0, 1e6)
                     : 10.0;
        }
        return c;
    }

    /// At the present position, in which the search has ended.
    void judge(Equilibrium& out) {
        face_.forget_prediction();
        if (!frame_.spin.is_spinning) refuse_motion();
        stand();
        downhill_ = judge_stability(system_, frame_, face_.has_differences(), out);
    }

    /// With prescribed motion there is no rest.
    void refuse_motion() {
        evaluate();
        const std::span<const double> rates = face_.rates();
        for (std::size_t k = 0; k < rates.size(); ++k)
            if (std::abs(rates[k]) > kMoves * extent_)
                throw Error(
                    ErrorKind::numerical,
                    fmt::format("equilibrium: {} moves at t = {:.6g} s as it is prescribed, by "
                                "{:.3g} a second, so that the model rests nowhere; ask it of a "
                                "copy of the model in which that stands still",
                                system_.parts().rows.row_name(face_.row(static_cast<int>(k))),
                                system_.time(),
                                rates[k]));
    }

    KernelSystem& system_;
    const EquilibriumOptions& options_;
    std::unique_ptr<ImplicitFace> own_face_;
    ImplicitFace& face_;
    Eigen::Index n_, m_;
    double extent_;
    Eigen::VectorXd q_, q_start_, zero_, lambda_, x_, y_, r_, a_, g_, last_, downhill_;
    Eigen::VectorXd force_;  // at the point last evaluated
    RestFrame frame_;
    std::vector<int> closed_;        // unilateral rows, ascending
    std::vector<int> condition_of_;  // each row, -1 of none
};

}  // namespace

namespace {

/// Rest of all but spinning axisymmetric parts, which continue to spin about their axes at rest.
/// @returns nothing if the model has other motions, or the parts are not axisymmetric
std::optional<Equilibrium> rest_of_axes(KernelSystem& system, const EquilibriumOptions& options) {
    SteadySpin spin;
    if (add_parts(system, spin) || spin.parts.empty()) return std::nullopt;
    EquilibriumOptions at_rest = options;
    at_rest.spinning = false;
    const auto find = [&] {
        RestSearch search(system, at_rest);
        Equilibrium found = search.descend_and_judge();
        if (at_rest.nearest && !options.nearest && found.stability == Stability::unstable)
            throw Error(ErrorKind::numerical, "the nearest rest is unstable");
        search.stand_there(found);
        return found;
    };
    // Bearings are near where they rest.
    Equilibrium out;
    at_rest.nearest = true;
    try {
        out = find();
    } catch (const Error&) {
        at_rest.nearest = false;
        out = find();
    }
    const Eigen::VectorXd q =
        Eigen::Map<const Eigen::VectorXd>(system.q().data(), system.num_coordinates());
    const Eigen::VectorXd v = spin.N * q, no_drift = Eigen::VectorXd::Zero(q.size());
    system.set_state(view(q), view(v), system.time());
    const LinearEquations at = linear_equations(system);
    if (!is_steady(system, spin, v, no_drift, at.acceleration) ||
        !what_does_not_turn(system, spin, at).empty())
        return std::nullopt;
    out.forces = system.instant().dynamics();
    return out;
}

}  // namespace

Equilibrium find_rest(KernelSystem& system, const EquilibriumOptions& options) {
    require_smooth(system, options.spinning ? "steady spin" : "equilibrium");
    const Uncounted uncounted(system);
    const std::vector<double> q(system.q().begin(), system.q().end());
    const std::vector<double> v(system.v().begin(), system.v().end());
    bool is_found = false;
    try {
        RestSearch search(system, options);
        Equilibrium out = search.descend_and_judge();
        is_found = true;
        search.stand_there(out);
        return out;
    } catch (const Error& error) {
        system.set_state(q, v, system.time());
        if (!options.spinning || error.kind() != ErrorKind::numerical) throw;
        try {
            if (std::optional<Equilibrium> rest = rest_of_axes(system, options)) return *rest;
        } catch (const Error&) {  // the first reason is the one to tell
        }
        system.set_state(q, v, system.time());
        // Where nothing was found, an object that is not invariant under the rotation may be the
        // cause.
        std::string why;
        if (const std::optional<SteadySpin> spin = whole_spin(system);
            !is_found && spin && spin->is_spinning)
            why = what_does_not_turn(system, *spin, linear_equations(system));
        if (why.empty()) throw;
        throw Error(ErrorKind::numerical,
                    fmt::format("{}; in the frame that turns with the spin no shape may rest, "
                                "since {}",
                                error.message(),
                                why));
    } catch (const std::exception& error) {
        // A law that fails at a position of the descent.
        system.set_state(q, v, system.time());
        throw Error(
            ErrorKind::numerical,
            fmt::format("no position of equilibrium was found: on the way down {}", error.what()));
    }
}

}  // namespace ancora
