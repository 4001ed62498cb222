// SPDX-License-Identifier: BSD-3-Clause
// The point, its solutions, and the choice of conditions.
#include "implicit_face.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "call_sizes.hpp"
#include "rank_analysis.hpp"
#include "state_archive.hpp"

namespace ancora {
namespace {

// Tolerance of a dropped condition's residual, relative to the model's size or speed, and to its
// residual when it was dropped.
constexpr double kOpenGap = 1e-9;
constexpr double kOpenRate = 1e-7;
constexpr double kTimesAtChoice = 10.0;

}  // namespace

/// m conditions in the order of the continuous formulation; patterns of M, K, D, G and S are one, n
/// x n.
ImplicitFace::ImplicitFace(Assembly& parts,
                           const MotionState& state,
                           Accelerations& accelerations,
                           ContinuousMotion& motion,
                           bool is_redundant,
                           bool may_turn)
    : parts_(parts),
      state_(state),
      accelerations_(accelerations),
      motion_(motion),
      is_redundant_(is_redundant),
      conditions_(parts.rows, parts.laws),
      matrices_(parts, state, accelerations, conditions_, may_turn) {
    require_differentiable(parts, is_redundant, {parts.model.traits.follows_own_states, true});
    // Which conditions are independent changes with those that are closed.
    is_redundant_ = is_redundant_ || !parts.rows.unilateral().empty();
    for (std::size_t c = 0; c < conditions_.count(); ++c) {
        const int k = conditions_.rows[c];
        const RowKind kind = parts_.laws[k].kind;
        // These fix massless coordinates while positions are projected.
        bool holds_massless = kind == RowKind::gauge;
        for (const int column : parts.rows.columns(k))
            holds_massless |= parts_.mass.is_massless(column) && is_velocity_kind(kind);
        const bool is_position = conditions_.levels[c] == RowLevel::position;
        is_no_position_.push_back(!is_position && !holds_massless ? 1 : 0);
    }
    is_dropped_.assign(conditions_.count(), 0);
    mask_ = was_open_ = is_dropped_;

    for (Eigen::VectorXd* x : {&q_, &v_, &force_, &x_, &q_room_, &v_room_}) x->setZero(parts_.n);
    for (Eigen::VectorXd* x : {&lambda_, &gap_, &rate_, &bias_, &gap_at_choice_, &lambda_room_})
        x->setZero(static_cast<Eigen::Index>(conditions_.count()));
    for (std::vector<double>* values : {&A_, &lower_})
        values->assign(conditions_.entries.size(), 0.0);
    S_.assign(matrices_.column().size(), 0.0);
    own_.assign(parts_.signals.num_continuous(), 0.0);
    own_rate_ = own_;
    for (Kept& kept : kept_)
        kept.matrix.emplace(
            matrices_.start(), matrices_.column(), conditions_.start, conditions_.column);
}

void ImplicitFace::differentiate(std::span<const double> a) {
    require_size(parts_.model, "differentiate", "a", a.size(), parts_.n);
    const SignalSet::Following following(parts_.signals);
    // M, K = -dF/dq + d(M a)/dq, D = -dF/dv, G and A' at this a (StateMatrices (1)).
    matrices_.differentiate(t_, q_, v_, a);
    is_evaluated_ = false;
}

void ImplicitFace::require_differentiable(const Assembly& parts, bool is_redundant, Use use) {
    const Model& model = parts.model;
    const std::string needs = fmt::format(
        "{} needs derivatives of all forces and cannot serve it; choose an integrator on the "
        "discrete "
        "face or an explicit one",
        model.integrator_object.label);
    for (const ForcePart& force : model.forces)
        if (force.contact != nullptr)
            throw Error(ErrorKind::manifest,
                        fmt::format("{} (type {}) is dry friction, which sticks and slips: {}",
                                    force.object.label,
                                    force.object.type->name,
                                    needs),
                        force.object.place);
    for (const SignalPart& part : model.signals)
        if (part.of != SignalPart::Of::release &&
            ((part.facts.num_continuous > 0 && !use.follows_own) ||
             (part.facts.num_crossings > 0 && !use.locates_events)))
            throw Error(ErrorKind::manifest,
                        fmt::format("{} has {} of its own: {}",
                                    part.label,
                                    part.facts.num_crossings > 0 ? "events inside a step"
                                                                 : "continuous states",
                                    needs),
                        part.place);
    if (parts.laws.may_break() && !use.locates_events) {
        const int row = parts.laws.breakable().front();
        throw Error(ErrorKind::manifest,
                    fmt::format("{} may break: {}", parts.rows.row_name(row), needs),
                    parts.rows.place_of_row(row));
    }
    if (is_redundant && parts.forces.depends_on_reactions()) {
        const ForceSet::ReactionDependents dependents = parts.forces.reaction_dependents();
        throw Error(ErrorKind::manifest,
                    fmt::format("{} depends on reactions, which are not unique where constraints "
                                "are redundant: {}",
                                dependents.names,
                                needs),
                    dependents.place);
    }
}

void ImplicitFace::refuse_releases(const Model& model) {
    for (const SignalPart& part : model.signals)
        if (part.of == SignalPart::Of::release)
            throw Error(ErrorKind::manifest,
                        fmt::format("{} has a release, and {} has the same constraints all the "
                                    "time; choose an integrator on the discrete face or an "
                                    "explicit one",
                                    part.label,
                                    model.integrator_object.label),
                        part.place);
}

void ImplicitFace::accelerations(double t,
                                 std::span<const double> q,
                                 std::span<const double> v,
                                 std::span<double> a,
                                 std::span<double> lambda) {
    require_size(parts_.model, "accelerations", "q", q.size(), parts_.n);
    require_size(parts_.model, "accelerations", "v", v.size(), parts_.n);
    require_size(parts_.model, "accelerations", "a", a.size(), parts_.n);
    require_size(parts_.model, "accelerations", "lambda", lambda.size(), num_conditions());
    accelerations_.solve(q.data(), v.data(), t, RankUse::choose);
    const ContinuousFace& face = accelerations_.face();
    // a and lambda of least norm; where rows are redundant, those of the rows that are asked for
    // instead,
    //   M a - A^T lambda = Q + C,    A a = b
    std::ranges::copy(face.acceleration(), a.begin());
    const double* multiplier = face.multipliers().data();
    for (std::size_t c = 0; c < conditions_.count(); ++c)
        lambda[c] = is_open(c) ? 0.0 : *multiplier++;
    evaluate({t, q, v, lambda});
    if (is_redundant_) choose_dropped();
    // The multipliers of the conditions that are asked for.
    if (!factorise(Augmented::dynamics, {})) return;
    solve(Augmented::dynamics,
          force(),
          biases(),
          {x_.data(), static_cast<std::size_t>(x_.size())},
          lambda);
}

void ImplicitFace::follow_own(std::span<const double> base, double weight) {
    has_followed_ = true;
    parts_.signals.follow(base, weight);
}

void ImplicitFace::evaluate(const ImplicitPoint& at) {
    require_size(parts_.model, "evaluate", "q", at.q.size(), parts_.n);
    require_size(parts_.model, "evaluate", "v", at.v.size(), parts_.n);
    require_size(parts_.model, "evaluate", "lambda", at.lambda.size(), num_conditions());
    const SignalSet::Following following(parts_.signals);
    t_ = at.t;
    std::ranges::copy(at.q, q_.begin());
    std::ranges::copy(at.v, v_.begin());
    std::ranges::copy(at.lambda, lambda_.begin());
    ++motion_.evaluations;
    ContinuousFace& face = accelerations_.face();
    face.evaluate(q_.data(), v_.data(), t_, state_.plugin);
    // s = -lambda of conditions, the law's stress elsewhere.
    closed_lambda_.resize(static_cast<Eigen::Index>(face.constraint_rows().size()));
    Eigen::Index closed = 0;
    for (std::size_t c = 0; c < conditions_.count(); ++c)
        if (!is_open(c)) closed_lambda_[closed++] = lambda_[static_cast<Eigen::Index>(c)];
    face.take_multipliers(view(closed_lambda_));
    // Reactions are those of the given lambda: forces that depend on them have no loop here.
    if (parts_.forces.depends_on_reactions()) {
        parts_.forces.update_reactions(parts_.rows, face.stress().data(), false);
        face.update_forces(q_.data(), v_.data(), state_.plugin);
    }
    // F = Q + C; phi, A v + pi_t and b of each condition, as its level has them.
    force_ = face.Q() + face.C();
    const RowSet::StateValues& now = face.instant();
    for (std::size_t c = 0; c < conditions_.count(); ++c) {
        const auto i = static_cast<Eigen::Index>(c);
        const RowLevel level = conditions_.levels[c];
        if (is_open(c)) {
            gap_[i] = rate_[i] = bias_[i] = 0.0;
            continue;
        }
        // phi of positions, psi = A v + pi_t of positions and velocities, and b of A q'' = b.
        gap_[i] = level == RowLevel::position ? now.pi[conditions_.rows[c]] : 0.0;
        rate_[i] = level == RowLevel::acceleration ? 0.0 : face.rate(conditions_.rows[c]);
        bias_[i] = now.b[conditions_.rows[c]];
    }
    for (std::size_t e = 0; e < conditions_.entries.size(); ++e)
        A_[e] = now.A[conditions_.entries[e]];
    matrices_.follow_mass();
    if (!own_.empty()) {
        parts_.signals.evaluate(q_.data(), v_.data(), t_);
        std::ranges::copy(parts_.signals.shown(), own_.begin());
        parts_.signals.differentiate(own_rate_);
    }
    for (std::size_t c = 0; c < conditions_.count(); ++c)
        if (is_open(c) != (was_open_[c] != 0)) {
            choose_dropped();
            break;
        }
    is_evaluated_ = true;
}

std::vector<ImplicitFace::Share> ImplicitFace::shares(const Eigen::VectorXd& y) {
    std::vector<Share> out;
    Eigen::VectorXd force = Eigen::VectorXd::Zero(y.size());
    if (parts_.has_gravity) {
        Eigen::VectorXd field = Eigen::VectorXd::Zero(y.size());
        parts_.space.add_uniform(parts_.model.gravity, field.data());
        parts_.mass.multiply(field.data(), force.data());
        out.push_back({nullptr, y.dot(force)});
    }
    // y . F by origin: y^T M g, -sum_k s_k A_k y of each owner of rows, y . f of each force object.
    const Eigen::VectorXd& s = accelerations_.face().stress();
    const double* const A = instant().A.data();
    for (const RowOwner& owner : parts_.rows.owners) {
        if (owner.num_rows == 0) continue;
        double power = 0.0;
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k)
            power -= s[k] * parts_.rows.multiply_onto(0.0, A, k, y.data());
        out.push_back({owner.object, power});
    }
    for (int part = 0; part < parts_.forces.num_parts(); ++part) {
        force.setZero();
        parts_.forces.add(part, force.data());
        out.push_back({&parts_.forces.object(part), y.dot(force)});
    }
    return out;
}

bool ImplicitFace::factorise(Augmented which, const AugmentedWeights& weights) {
    const auto& [mass, damping, stiffness, rate] = weights;
    // S = w_M M + w_D D + w_K (K + G); below A is A + w_r A' (ImplicitSystem (3)).
    for (std::size_t e = 0; e < S_.size(); ++e)
        S_[e] = mass * matrices_.mass[e] + damping * matrices_.damping[e] +
                stiffness * (matrices_.stiffness[e] + matrices_.geometric[e]);
    for (std::size_t e = 0; e < A_.size(); ++e)
        lower_[e] = rate != 0.0 ? A_[e] + rate * matrices_.jacobian_rate[e] : A_[e];
    // Dropped conditions have no row; of positions neither have those that say nothing of q.
    for (std::size_t c = 0; c < mask_.size(); ++c) {
        const bool is_out = which == Augmented::positions && is_no_position_[c] != 0;
        mask_[c] = is_dropped_[c] != 0 || is_out ? 1 : 0;
    }
    if (which == Augmented::dynamics) ++factorisations;
    Kept& kept = kept_[index(which)];
    kept.weights = weights;
    return kept.matrix->factorise(S_, A_, lower_, mask_);
}

void ImplicitFace::solve(Augmented which,
                         std::span<const double> r,
                         std::span<const double> g,
                         std::span<double> x,
                         std::span<double> y) {
    require_size(parts_.model, "solve", "r", r.size(), parts_.n);
    require_size(parts_.model, "solve", "g", g.size(), num_conditions());
    require_size(parts_.model, "solve", "x", x.size(), parts_.n);
    require_size(parts_.model, "solve", "y", y.size(), num_conditions());
    kept_[index(which)].matrix->solve(r, g, x, y);
}

void ImplicitFace::quadrature_rates(std::span<double> w) {
    require_size(
        parts_.model, "quadrature_rates", "rates", w.size(), motion_.num_states() - 2 * parts_.n);
    if (!is_evaluated_) {
        q_room_ = q_;
        v_room_ = v_;
        lambda_room_ = lambda_;
        evaluate({t_, view(q_room_), view(v_room_), view(lambda_room_)});
    }
    // Rates of the balances, then those of own values: the method integrates them as it does v.
    motion_.quadrature_rates(q_.data(), v_.data(), w);
    std::ranges::copy(own_rate_, w.last(own_rate_.size()).begin());
}

bool ImplicitFace::are_dropped_met() const {
    const double speed = parts_.space.displacement(v_.data());
    for (std::size_t c = 0; c < conditions_.count(); ++c) {
        const auto i = static_cast<Eigen::Index>(c);
        if (is_dropped_[c] == 0 || is_open(c)) continue;
        // Dropped rows follow from the others on the manifold. Their residuals may be a part of the
        // model's size, and a few times those at the selection.
        const double gap = kOpenGap * state_.extent + kTimesAtChoice * std::abs(gap_at_choice_[i]);
        const double rate = kOpenRate * (speed + state_.extent);
        if (std::abs(gap_[i]) > gap || std::abs(rate_[i]) > rate) return false;
    }
    return true;
}

bool ImplicitFace::renew_choice() {
    const std::vector<char> before = is_dropped_;
    choose_dropped();
    return is_dropped_ != before;
}

void ImplicitFace::choose_dropped() {
    std::vector<int> before;
    for (std::size_t c = 0; c < conditions_.count(); ++c)
        if (is_dropped_[c] != 0 && !is_open(c)) before.push_back(conditions_.rows[c]);
    const std::vector<int> chosen = dependent_rows(parts_.rows, instant().A, parts_.mass, before);
    for (std::size_t c = 0; c < conditions_.count(); ++c) was_open_[c] = is_open(c) ? 1 : 0;
    for (std::size_t c = 0; c < conditions_.count(); ++c)
        is_dropped_[c] =
            is_open(c) || std::ranges::binary_search(chosen, conditions_.rows[c]) ? 1 : 0;
    // Factors are those of other rows.
    gap_at_choice_ = gap_;
    for (Kept& kept : kept_) kept.matrix->forget();
}

void ImplicitFace::no_convergence(double t,
                                  double h,
                                  std::span<const double> correction,
                                  std::string_view advice) {
    const auto worst = std::ranges::max_element(correction, {}, [](double x) {
        return std::isfinite(x) ? std::abs(x) : std::numeric_limits<double>::infinity();
    });
    const int coordinate = static_cast<int>(worst - correction.begin());
    const auto part = std::ranges::find_if(parts_.model.bodies, [&](const BodyPart& body) {
        return coordinate < body.first + body.count;
    });
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s, step of {:.3g} s: the iteration does not converge; its "
                            "last correction is largest in {} of {} ({:.3g}); {}",
                            t,
                            h,
                            coordinate_name(*part, coordinate),
                            part->object.label,
                            *worst,
                            advice),
                part->object.place);
}

void ImplicitFace::forget() {
    for (Kept& kept : kept_) kept.matrix->forget();
}

template <class Archive>
void ImplicitFace::transfer(Archive& archive) {
    archive.fixed(is_dropped_);
    archive(gap_at_choice_);
    for (Kept& kept : kept_) {
        archive(kept.weights.mass);
        archive(kept.weights.damping);
        archive(kept.weights.stiffness);
        archive(kept.weights.rate);
        kept.matrix->transfer(archive);
    }
    archive(factorisations);
    archive.require(factorisations >= 0, "a count");
}
template void ImplicitFace::transfer(ArchiveWriter&);
template void ImplicitFace::transfer(ArchiveReader&);

}  // namespace ancora
