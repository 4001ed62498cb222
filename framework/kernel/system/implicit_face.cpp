// SPDX-License-Identifier: BSD-3-Clause
// Patterns, derivatives, and the choice of conditions.
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

// Forces on more coordinates than this are differentiated attachment by attachment.
constexpr std::size_t kMostCoupled = 64;
// Changes of velocities are measured by this at least [m/s].
constexpr double kLeastSpeed = 1.0;
// A along the motion: this part of the model's size, and no longer than this [s].
constexpr double kPartOfSize = 1e-7;
constexpr double kLongest = 1e-6;
// Tolerance of a dropped condition's residual, relative to the model's size or speed, and to its
// residual when it was dropped.
constexpr double kOpenGap = 1e-9;
constexpr double kOpenRate = 1e-7;
constexpr double kTimesAtChoice = 10.0;
// A step over which the slope of a law is no mean any more.
constexpr double kNoRate = 1e30;
constexpr double kRateChange = 1e-6;

RowLevel level_of(RowKind kind) {
    if (kind == RowKind::constraint) return RowLevel::position;
    return is_velocity_kind(kind) ? RowLevel::velocity : RowLevel::acceleration;
}

/// An elastic row with damping of its own; conditions on velocities and dashpots state their rate.
bool is_viscous(const RowLaw& law) {
    return law.kind == RowKind::elastic && law.viscosity != 0.0;
}

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
      may_turn_(may_turn) {
    require_differentiable(parts, is_redundant, {parts.model.traits.follows_own_states, true});
    const RowSet& rows = parts_.rows;
    A_start_.push_back(0);
    for (int k = 0; k < rows.num_rows(); ++k) {
        if (!is_condition(k)) continue;
        rows_.push_back(k);
        for (const int e : rows.entries(k)) {
            entries_.push_back(e);
            A_column_.push_back(rows.column_of(e));
        }
        A_start_.push_back(static_cast<std::int32_t>(entries_.size()));
    }
    // Which of them are independent changes with those that are closed.
    is_redundant_ = is_redundant_ || !rows.unilateral().empty();
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        const RowKind kind =
            rows.is_unilateral(rows_[c]) ? RowKind::constraint : parts_.laws[rows_[c]].kind;
        levels_.push_back(level_of(kind));
        // These fix massless coordinates while positions are projected.
        bool holds_massless = kind == RowKind::gauge;
        for (const int column : rows.columns(rows_[c]))
            holds_massless |= parts_.mass.is_massless(column) && is_velocity_kind(kind);
        is_no_position_.push_back(levels_.back() != RowLevel::position && !holds_massless ? 1 : 0);
    }
    is_dropped_.assign(rows_.size(), 0);
    mask_ = was_open_ = is_dropped_;

    const int n = parts_.n;
    for (Eigen::VectorXd* x :
         {&q_, &v_, &a_, &force_, &base_, &changed_, &field_, &Mx_, &Mfield_, &q_changed_})
        x->setZero(n);
    for (Eigen::VectorXd* x : {&lambda_, &gap_, &rate_, &bias_, &gap_at_choice_})
        x->setZero(static_cast<Eigen::Index>(rows_.size()));
    stress_.setZero(parts_.m);
    tangent_.setZero(rows.K.size());
    pi_t_changed_.setZero(parts_.m);
    A_changed_.setZero(rows.B.size());
    parts_.space.add_uniform(parts_.model.gravity, field_.data());
    choose_what_is_differenced();
    lay_out();
    for (std::vector<double>* values : {&mass_, &stiffness_, &damping_, &geometric_, &S_})
        values->assign(column_.size(), 0.0);
    for (std::vector<double>* values : {&A_, &A_rate_, &lower_})
        values->assign(A_column_.size(), 0.0);
    by_rate_.setZero(parts_.m);
    if (!parts_.laws.together().empty()) DA_.setZero(parts_.rows.B.size());
    own_.assign(parts_.signals.num_continuous(), 0.0);
    own_rate_ = own_;
    for (Kept& kept : kept_) kept.matrix.emplace(start_, column_, A_start_, A_column_);
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

/// Force objects, bodies whose mass varies, and rows whose curvature nobody states.
void ImplicitFace::choose_what_is_differenced() {
    const auto coordinates = [](const AttachmentMap& map, int first, int end) {
        std::vector<int> out;
        for (int scalar = first; scalar < end; ++scalar)
            for (const AttachmentMap::Entry& entry : map.row(scalar))
                out.push_back(entry.coordinate);
        std::ranges::sort(out);
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    };
    // Objects are sets of coordinates that one force depends on: columns of different objects that
    // share no row are differenced together. A force on many coordinates counts as one object per
    // attachment.
    Differenced& forces = differenced_forces_;
    for (int part = 0; part < parts_.forces.num_parts(); ++part) {
        const AttachmentMap& map = parts_.forces.map(part);
        const std::vector<int> all = coordinates(map, 0, map.num_scalars());
        forces.has_rates = true;
        if (all.size() <= kMostCoupled) {
            forces.objects.push_back(all);
            continue;
        }
        for (int first = 0; first < map.num_scalars(); first += 3)
            forces.objects.push_back(coordinates(map, first, first + 3));
    }
    // M(q, v) a: its derivative by q and v within the body.
    for (const BodyPart& body : parts_.model.bodies) {
        if (body.mass_kind != MassKind::of_state) continue;
        differences_masses_ = true;
        forces.has_rates = true;
        forces.objects.emplace_back();
        for (int i = body.first; i < body.first + body.count; ++i)
            forces.objects.back().push_back(i);
    }

    const RowSet& rows = parts_.rows;
    // K-entries that some block states a second derivative for; where a block states none and its
    // rows are curved, sum s_k d2(pi_k)/dq2 comes from differences of A^T s.
    std::vector<char> is_stated(static_cast<std::size_t>(rows.K.size()), 0);
    rows.tangent_terms.for_each_term([&](const TangentTerm& term) {
        is_stated[term.from] = 1;
    });
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        if (part.is_constant) continue;
        bool has_conditions = false, has_positions = false, has_others = false, has_rates = false;
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            const RowKind kind = parts_.laws[k].kind;
            (is_condition(k) ? has_conditions : has_others) = true;
            has_positions |=
                kind == RowKind::constraint || rows.is_unilateral(k) || is_viscous(parts_.laws[k]);
            has_rates |= is_velocity_kind(kind) || kind == RowKind::acceleration_constraint;
        }
        if (has_positions) rate_blocks_.push_back(static_cast<int>(b));
        // A linear function of linear attachments has none, and other conditions state none.
        const bool is_linear_row =
            part.block->degree == Degree::linear && rows.owners[part.owner].body >= 0;
        const auto first = is_stated.begin() + part.first_tangent;
        const bool states_curvature =
            std::find(first, first + part.num_tangent, char{1}) != first + part.num_tangent;
        if ((states_curvature || is_linear_row) && !has_rates) continue;
        const auto add = [&](Differenced& to) {
            to.blocks.push_back(static_cast<int>(b));
            to.has_rates |= has_rates;
            const int per_item = part.block->rows_per_item;
            for (int k = part.first_row; k < part.first_row + part.num_rows; k += per_item) {
                std::vector<int> item;
                for (int row = k; row < k + per_item; ++row)
                    item.insert(item.end(), rows.columns(row).begin(), rows.columns(row).end());
                std::ranges::sort(item);
                item.erase(std::unique(item.begin(), item.end()), item.end());
                to.objects.push_back(item);
            }
        };
        if (has_others) add(differenced_forces_);
        if (has_conditions) add(differenced_conditions_);
    }
}

/// Index of entry (i, j) in the common pattern, by bisection in its row.
int ImplicitFace::place(int i, int j) const {
    const auto row = static_cast<std::size_t>(i);
    const auto begin = column_.begin() + start_[row];
    return static_cast<int>(std::lower_bound(begin, column_.begin() + start_[row + 1], j) -
                            column_.begin());
}

void ImplicitFace::lay_out() {
    const RowSet& rows = parts_.rows;
    // The union of the patterns of I, M, M S S, A_k^T A_k of rows with a law, G and the
    // differences.
    std::vector<std::pair<int, int>> entries;
    const auto add = [&entries](int i, int j) {
        entries.emplace_back(i, j);
        entries.emplace_back(j, i);
    };
    for (int i = 0; i < parts_.n; ++i) entries.emplace_back(i, i);
    for (const MassEntry& entry : parts_.mass.entries()) add(entry.i, entry.j);
    for_turned([&](std::size_t, int i, int j, int, int) {
        entries.emplace_back(i, j);
    });
    std::size_t num_products = 0;
    for (int k = 0; k < rows.num_rows(); ++k) {
        if (is_condition(k)) continue;
        const std::size_t first = num_products;
        for (const int i : rows.columns(k))
            for (const int j : rows.columns(k)) {
                entries.emplace_back(i, j);
                ++num_products;
            }
        law_rows_.push_back({k, first, num_products});
        const auto holds = [&](int b) {
            const BlockPart& part = rows.blocks[b];
            return k >= part.first_row && k < part.first_row + part.num_rows;
        };
        law_rows_.back().has_rate = is_viscous(parts_.laws[k]) &&
                                    std::ranges::any_of(rate_blocks_, holds) &&
                                    std::ranges::none_of(differenced_forces_.blocks, holds);
    }
    std::vector<char> is_curved(static_cast<std::size_t>(rows.K.size()), 0);
    for (const BlockPart& part : rows.blocks) {
        const RowKind kind = parts_.laws[part.first_row].kind;
        if (is_velocity_kind(kind) || kind == RowKind::acceleration_constraint) continue;
        std::fill_n(is_curved.begin() + part.first_tangent, part.num_tangent, char{1});
        if (part.num_tangent == 0) continue;
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k)
            (is_condition(k) ? has_curved_conditions_ : has_curved_elastic_) = true;
    }
    rows.tangent_terms.for_each_term([&](const TangentTerm& term) {
        if (is_curved[term.from] != 0) add(term.i, term.j);
    });
    for (Differenced* part : {&differenced_forces_, &differenced_conditions_}) {
        part->by = ColouredDifferences(parts_.n, part->objects);
        for (const ColouredDifferences::Entry& entry : part->by.entries())
            entries.emplace_back(entry.row, entry.column);
    }
    std::ranges::sort(entries);
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    // Compressed rows: start_ is the running sum of the entries per row.
    start_.assign(static_cast<std::size_t>(parts_.n) + 1, 0);
    for (const auto& [i, j] : entries) {
        ++start_[static_cast<std::size_t>(i) + 1];
        column_.push_back(j);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(parts_.n); ++i) start_[i + 1] += start_[i];

    // Then where each contribution goes, looked up once: an assembly only adds.
    for (const MassEntry& entry : parts_.mass.entries())
        mass_place_.emplace_back(place(entry.i, entry.j), place(entry.j, entry.i));
    for (const LawRow& law : law_rows_)
        for (const int e1 : rows.entries(law.row))
            for (const int e2 : rows.entries(law.row))
                products_.push_back({place(rows.column_of(e1), rows.column_of(e2)), e1, e2});
    rows.tangent_terms.for_each_term([&](const TangentTerm& term) {
        if (is_curved[term.from] != 0)
            curvature_.push_back({term.from,
                                  place(term.i, term.j),
                                  term.i == term.j ? -1 : place(term.j, term.i),
                                  term.weight});
    });
    for_turned([&](std::size_t mass, int i, int j, int from, int along) {
        turned_.push_back({mass, place(i, j), from, along});
    });
    std::size_t most = 0;
    for (Differenced* part : {&differenced_forces_, &differenced_conditions_}) {
        for (const ColouredDifferences::Entry& entry : part->by.entries())
            part->place.push_back(place(entry.row, entry.column));
        most = std::max(most, part->place.size());
    }
    difference_value_.assign(most, 0.0);
}

/// visit(mass entry, row, column, axis of S S, axis along) of all entries of M S S.
template <class Visit>
void ImplicitFace::for_turned(Visit&& visit) const {
    if (!may_turn_) return;
    std::vector<const Space::Vector*> vector(static_cast<std::size_t>(parts_.n), nullptr);
    std::vector<int> axis(static_cast<std::size_t>(parts_.n), 0);
    for (const Space::Vector& one : parts_.space.vectors())
        for (int c = 0; c < 3; ++c) {
            const int i = one.at[c];
            if (i < 0) continue;
            vector[i] = &one;
            axis[i] = c;
        }
    const std::span<const MassEntry> mass = parts_.mass.entries();
    for (std::size_t k = 0; k < mass.size(); ++k)
        for (const auto& [i, j] :
             {std::pair(mass[k].i, mass[k].j), std::pair(mass[k].j, mass[k].i)}) {
            const auto from = static_cast<std::size_t>(j);
            for (int c = 0; c < 3 && vector[from] != nullptr; ++c)
                if (const int to = vector[from]->at[c]; to >= 0) visit(k, i, to, axis[from], c);
            if (mass[k].i == mass[k].j) break;
        }
}

void ImplicitFace::fill_mass() {
    const std::span<const double> values = parts_.mass.values();
    for (std::size_t k = 0; k < values.size(); ++k) {
        mass_[mass_place_[k].first] = values[k];
        mass_[mass_place_[k].second] = values[k];
    }
    is_mass_filled_ = parts_.mass.is_constant();
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
    for (std::size_t c = 0; c < rows_.size(); ++c) lambda[c] = is_open(c) ? 0.0 : *multiplier++;
    evaluate({t, q, v, lambda});
    if (is_redundant_) choose_dropped();
    // The multipliers of the conditions that are asked for.
    if (!factorise(Augmented::dynamics, {})) return;
    solve(Augmented::dynamics,
          force(),
          biases(),
          {Mx_.data(), static_cast<std::size_t>(Mx_.size())},
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
    for (std::size_t c = 0; c < rows_.size(); ++c)
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
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        const auto i = static_cast<Eigen::Index>(c);
        const RowLevel level = levels_[c];
        if (is_open(c)) {
            gap_[i] = rate_[i] = bias_[i] = 0.0;
            continue;
        }
        gap_[i] = level == RowLevel::position ? now.pi[rows_[c]] : 0.0;
        rate_[i] = level == RowLevel::acceleration ? 0.0 : face.rate(rows_[c]);
        bias_[i] = now.b[rows_[c]];
    }
    for (std::size_t e = 0; e < entries_.size(); ++e) A_[e] = now.A[entries_[e]];
    if (!is_mass_filled_) fill_mass();
    if (!own_.empty()) {
        parts_.signals.evaluate(q_.data(), v_.data(), t_);
        std::ranges::copy(parts_.signals.shown(), own_.begin());
        parts_.signals.differentiate(own_rate_);
    }
    for (std::size_t c = 0; c < rows_.size(); ++c)
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
        parts_.mass.multiply(field_.data(), force.data());
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

void ImplicitFace::differentiate(std::span<const double> a) {
    require_size(parts_.model, "differentiate", "a", a.size(), parts_.n);
    const SignalSet::Following following(parts_.signals);
    std::ranges::copy(a, a_.begin());
    for (std::vector<double>* values : {&stiffness_, &damping_, &geometric_})
        std::ranges::fill(*values, 0.0);
    // (1), with -M a among the forces where M depends on q: K <- laws + G + differences, D
    // likewise. What the curvature of conditions adds, -d(A^T lambda)/dq, is kept apart: it goes
    // with lambda, not with a law.
    add_row_laws();
    add_curvature();
    // K <- K + M S S in the frame that turns by S (theory, section 14).
    for (const Turned& entry : turned_)
        stiffness_[entry.place] +=
            parts_.mass.values()[entry.mass] * S_squared_(entry.axis, entry.along);
    differentiate_jacobian();
    add_differences(
        differenced_forces_,
        [this](const double* q, const double* v, Eigen::VectorXd& F) {
            sum_forces(q, v, F);
        },
        stiffness_);
    add_differences(
        differenced_conditions_,
        [this](const double* q, const double* v, Eigen::VectorXd& F) {
            add_rows(differenced_conditions_, true, q, v, F);
        },
        geometric_);
    // Plugins have been asked at other states since.
    if (differences_masses_) parts_.mass.update(q_.data(), v_.data(), t_, parts_.meter, nullptr);
    is_evaluated_ = false;
}

/// D A of rows that have a law together, of which A^T D A is then the stiffness.
void ImplicitFace::evaluate_laws_together() {
    const ItemLaws& together = parts_.laws.together();
    const double* const A = instant().A.data();
    for (const ItemLaws::Item& item : together.items()) {
        const auto n = static_cast<std::size_t>(item.num_rows);
        const std::span<double> D = std::span(slopes_).first(n * n);
        together.stiffness(item, instant().pi.data(), D);
        for (int i = 0; i < item.num_rows; ++i)
            for (const int e : parts_.rows.entries(item.first_row + i)) {
                const int along = e - parts_.rows.row_begin(item.first_row + i);
                double sum = 0.0;
                for (int j = 0; j < item.num_rows; ++j)
                    sum += D[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)] *
                           A[parts_.rows.row_begin(item.first_row + j) + along];
                DA_[e] = sum;
            }
    }
}

void ImplicitFace::add_row_laws() {
    if (!parts_.laws.together().empty()) evaluate_laws_together();
    const double* const A = instant().A.data();
    const ContinuousFace& face = accelerations_.face();
    for (const LawRow& row : law_rows_) {
        // ds/dpi = 1 / c and ds/dpi' = eta of a linear law.
        const int k = row.row;
        const RowLaw& law = parts_.laws[k];
        const double pi = instant().pi[k], rate = face.rate(k);
        const bool is_together = parts_.laws.together().holds(k);
        double by_pi = 0.0, by_rate = law.viscosity;
        if (law.kind == RowKind::elastic && law.law == nullptr && !is_together)
            by_pi = 1.0 / law.compliance;
        if (law.law != nullptr) {
            // The mean stress over an increment is s + (ds/dpi) dpi / 2 to first order, so that
            //   ds/dpi = 2 ds_mean/dpi_1;
            // kNoRate in place of h takes the viscous part away.
            by_pi = 2.0 * parts_.laws.mean_stress(k, pi, 0.0, kNoRate).slope;
            const double change = kRateChange * (1.0 + std::abs(rate));
            if (law.viscosity != 0.0)
                by_rate = (parts_.laws.stress(k, pi, rate + change) - face.stress()[k]) / change;
        }
        by_rate_[k] = by_rate;
        // K += A_k^T (ds/dpi) A_k and D += A_k^T (ds/dpi') A_k; of a law of several rows the first
        // is A_k^T (D A)_k.
        for (std::size_t p = row.first; p < row.end; ++p) {
            const Outer& product = products_[p];
            const auto to = static_cast<std::size_t>(product.place);
            const double square = A[product.e1] * A[product.e2];
            stiffness_[to] += is_together ? A[product.e1] * DA_[product.e2] : by_pi * square;
            damping_[to] += by_rate * square;
        }
    }
}

/// G = sum_k s_k d2(pi_k)/dq2, of rows with a law to K, of conditions to the geometric stiffness.
void ImplicitFace::add_curvature() {
    if (has_curved_elastic_) add_curvature_of(false, stiffness_);
    if (has_curved_conditions_) add_curvature_of(true, geometric_);
}

void ImplicitFace::add_curvature_of(bool conditions, std::vector<double>& to) {
    // s + C^-1 A dq where the last step is known (Magisano et al. 2017, see theory, section 14).
    const Eigen::VectorXd& s =
        has_prediction_ && !conditions ? predicted_ : accelerations_.face().stress();
    for (int k = 0; k < parts_.m; ++k)
        stress_[k] = parts_.laws.is_constraint(k) == conditions ? s[k] : 0.0;
    parts_.rows.evaluate_tangent_at(q_.data(), stress_.data(), t_, tangent_.data());
    const double* const G = tangent_.data();
    // One triangle is stored; its mirror image has the same value.
    for (const Curvature& term : curvature_) {
        const double value = term.weight * G[term.from];
        to[term.place] += value;
        if (term.mirror >= 0) to[term.mirror] += value;
    }
}

/// The stress at the end of a step to first order, s + C^-1 A dq of linear laws and s(pi + A dq) of
/// others: what moves across itself is not stiffened by the stretch of second order, and what goes
/// slack is slack.
void ImplicitFace::predict_stress(std::span<const double> dq) {
    predicted_ = accelerations_.face().stress();
    const double* const A = instant().A.data();
    for (const LawRow& row : law_rows_) {
        const RowLaw& law = parts_.laws[row.row];
        if (law.kind != RowKind::elastic || parts_.laws.together().holds(row.row)) continue;
        const double change = parts_.rows.multiply_onto(0.0, A, row.row, dq.data());
        if (law.law != nullptr)
            predicted_[row.row] = parts_.laws.stress(row.row, instant().pi[row.row] + change, 0.0);
        else
            predicted_[row.row] += change / law.compliance;
    }
    has_prediction_ = true;
}

/// dpsi/dq = A' for conditions on positions, since second derivatives commute.
void ImplicitFace::differentiate_jacobian() {
    if (rate_blocks_.empty()) return;
    const double speed = parts_.space.displacement(v_.data());
    // A forward difference along the motion,
    //   A' = (A(q + d v, t + d) - A(q, t)) / d,
    // of error d |A''| / 2 + u |A| / d; d moves matter by kPartOfSize of the model's size, and is
    // kLongest at most.
    double span = std::min(kLongest, kPartOfSize * state_.extent / speed);
    // Back into the step, if there is one: a table may end where the step does.
    if (t_ > state_.t) span = -std::min(span, t_ - state_.t);
    q_changed_ = q_ + span * v_;
    parts_.rows.evaluate_rates(rate_blocks_,
                               q_changed_.data(),
                               v_.data(),
                               t_ + span,
                               A_changed_.data(),
                               pi_t_changed_.data());
    const double* const A = instant().A.data();
    for (const LawRow& row : law_rows_)
        for (std::size_t p = row.first; row.has_rate && p < row.end; ++p) {
            const auto [place, e1, e2] = products_[p];
            // d(A_k v + pi_t)/dq = A_k', so K += A_k^T (ds/dpi') A_k'.
            stiffness_[place] += by_rate_[row.row] * A[e1] * (A_changed_[e2] - A[e2]) / span;
        }
    for (const int b : rate_blocks_) {
        const BlockPart& part = parts_.rows.blocks[b];
        const auto first = std::ranges::lower_bound(rows_, part.first_row);
        const auto end = std::ranges::lower_bound(rows_, part.first_row + part.num_rows);
        for (auto row = first; row != end; ++row) {
            const auto c = static_cast<std::size_t>(row - rows_.begin());
            if (levels_[c] != RowLevel::position) continue;
            for (int i = A_start_[c]; i < A_start_[c + 1]; ++i) {
                const auto e = static_cast<std::size_t>(i);
                A_rate_[e] = (A_changed_[entries_[e]] - A_[e]) / span;
            }
        }
    }
}

void ImplicitFace::sum_forces(const double* q, const double* v, Eigen::VectorXd& F) {
    if (differences_masses_) {
        // F + M (g - a): the derivative of the residual M a - F, with the a that was given.
        parts_.mass.update(q, v, t_, parts_.meter, F.data());
        Mx_ = field_ - a_;
        parts_.mass.multiply(Mx_.data(), Mfield_.data());
        F += Mfield_;
        parts_.forces.evaluate_loads(q, v, t_, F.data());
    }
    if (parts_.forces.num_parts() > 0) parts_.forces.evaluate(q, v, t_, state_.plugin, F.data());
    add_rows(differenced_forces_, false, q, v, F);
}

/// Adds the forces of rows with the stresses of the last point; where positions alone have changed,
/// including the change of their rates.
void ImplicitFace::add_rows(const Differenced& from,
                            bool conditions,
                            const double* q,
                            const double* v,
                            Eigen::VectorXd& F) {
    if (from.blocks.empty()) return;
    parts_.rows.evaluate_rates(from.blocks, q, v, t_, A_changed_.data(), pi_t_changed_.data());
    const ContinuousFace& face = accelerations_.face();
    const Eigen::VectorXd& s = has_prediction_ && !conditions ? predicted_ : face.stress();
    const bool has_new_rates = !conditions && v == v_.data();
    for (const int b : from.blocks) {
        const BlockPart& part = parts_.rows.blocks[b];
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            if (parts_.laws.is_constraint(k) != conditions) continue;
            // s_k at the state changed: s + (ds/dpi') (A_k(q) v + pi_t - rate), so that A_k' needs
            // no term of its own here.
            double stress = s[k];
            if (has_new_rates && by_rate_[k] != 0.0)
                stress += by_rate_[k] *
                          (parts_.rows.multiply_onto(pi_t_changed_[k], A_changed_.data(), k, v) -
                           face.rate(k));
            parts_.rows.add_transposed(A_changed_.data(), k, -stress, F.data());
        }
    }
}

template <class Sum>
void ImplicitFace::add_differences(Differenced& of,
                                   const Sum& sum,
                                   std::vector<double>& stiffness) {
    if (of.by.empty()) return;
    // K -= dF/dq and D -= dF/dv, one evaluation of F for all columns of a colour (Curtis, Powell &
    // Reid, J. Inst. Math. Appl. 13 (1974) 117); steps are relative to sizes of q and v.
    const auto subtract = [&](std::vector<double>& from) {
        for (std::size_t e = 0; e < of.place.size(); ++e) from[of.place[e]] -= difference_value_[e];
    };
    of.by.differentiate(
        [&](const Eigen::VectorXd& q, Eigen::VectorXd& F) {
            F.setZero();
            sum(q.data(), v_.data(), F);
        },
        q_,
        std::min(1.0, state_.extent),
        base_,
        changed_,
        difference_value_.data());
    subtract(stiffness);
    if (!of.has_rates) return;
    of.by.differentiate(
        [&](const Eigen::VectorXd& v, Eigen::VectorXd& F) {
            F.setZero();
            sum(q_.data(), v.data(), F);
        },
        v_,
        kLeastSpeed,
        base_,
        changed_,
        difference_value_.data());
    subtract(damping_);
}

bool ImplicitFace::factorise(Augmented which, const AugmentedWeights& weights) {
    const auto& [mass, damping, stiffness, rate] = weights;
    // S = w_M M + w_D D + w_K (K + G); below A is A + w_r A' (ImplicitSystem (3)).
    for (std::size_t e = 0; e < S_.size(); ++e)
        S_[e] =
            mass * mass_[e] + damping * damping_[e] + stiffness * (stiffness_[e] + geometric_[e]);
    for (std::size_t e = 0; e < A_.size(); ++e)
        lower_[e] = rate != 0.0 ? A_[e] + rate * A_rate_[e] : A_[e];
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
        q_changed_ = q_;
        base_ = v_;
        lambda_room_ = lambda_;
        evaluate({t_, view(q_changed_), view(base_), view(lambda_room_)});
    }
    motion_.quadrature_rates(q_.data(), v_.data(), w);
    std::ranges::copy(own_rate_, w.last(own_rate_.size()).begin());
}

bool ImplicitFace::are_dropped_met() const {
    const double speed = parts_.space.displacement(v_.data());
    for (std::size_t c = 0; c < rows_.size(); ++c) {
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
    for (std::size_t c = 0; c < rows_.size(); ++c)
        if (is_dropped_[c] != 0 && !is_open(c)) before.push_back(rows_[c]);
    const std::vector<int> chosen = dependent_rows(parts_.rows, instant().A, parts_.mass, before);
    for (std::size_t c = 0; c < rows_.size(); ++c) was_open_[c] = is_open(c) ? 1 : 0;
    for (std::size_t c = 0; c < rows_.size(); ++c)
        is_dropped_[c] = is_open(c) || std::ranges::binary_search(chosen, rows_[c]) ? 1 : 0;
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
