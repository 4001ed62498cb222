// SPDX-License-Identifier: BSD-3-Clause
// Pattern of the matrices, and the derivatives in it.
#include "state_matrices.hpp"

#include <algorithm>
#include <cmath>

namespace ancora {
namespace {

// Forces on more coordinates than this are differentiated attachment by attachment.
constexpr std::size_t kMostCoupled = 64;
// Changes of velocities are measured by this at least [m/s].
constexpr double kLeastSpeed = 1.0;
// A along the motion: this part of the model's size, and no longer than this [s].
constexpr double kPartOfSize = 1e-7;
constexpr double kLongest = 1e-6;
// A step over which the slope of a law is no mean any more.
constexpr double kNoRate = 1e30;
constexpr double kRateChange = 1e-6;

/// An elastic row with damping of its own; conditions on velocities and dashpots state their rate.
bool is_viscous(const RowLaw& law) {
    return law.kind == RowKind::elastic && law.viscosity != 0.0;
}

}  // namespace

StateMatrices::StateMatrices(Assembly& parts,
                             const MotionState& state,
                             Accelerations& accelerations,
                             const ModelConditions& conditions,
                             bool may_turn)
    : parts_(parts),
      state_(state),
      accelerations_(accelerations),
      conditions_(conditions),
      may_turn_(may_turn) {
    for (Eigen::VectorXd* x : {&a_, &base_, &changed_, &field_, &Mx_, &Mfield_, &q_changed_})
        x->setZero(parts_.n);
    for (Eigen::VectorXd* x : {&stress_, &pi_t_changed_, &by_rate_}) x->setZero(parts_.m);
    tangent_.setZero(parts_.rows.K.size());
    A_changed_.setZero(parts_.rows.B.size());
    if (!parts_.laws.together().empty()) DA_.setZero(parts_.rows.B.size());
    parts_.space.add_uniform(parts_.model.gravity, field_.data());
    choose_what_is_differenced();
    lay_out();
    for (std::vector<double>* values : {&mass, &stiffness, &damping, &geometric})
        values->assign(column_.size(), 0.0);
    jacobian_rate.assign(conditions_.entries.size(), 0.0);
}

/// Force objects, bodies whose mass varies, and rows whose curvature nobody states.
void StateMatrices::choose_what_is_differenced() {
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
int StateMatrices::place(int i, int j) const {
    const auto row = static_cast<std::size_t>(i);
    const auto begin = column_.begin() + start_[row];
    return static_cast<int>(std::lower_bound(begin, column_.begin() + start_[row + 1], j) -
                            column_.begin());
}

void StateMatrices::lay_out() {
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
    for_turned([&](std::size_t of_mass, int i, int j, int from, int along) {
        turned_.push_back({of_mass, place(i, j), from, along});
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
void StateMatrices::for_turned(Visit&& visit) const {
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
    const std::span<const MassEntry> entries = parts_.mass.entries();
    for (std::size_t k = 0; k < entries.size(); ++k)
        for (const auto& [i, j] :
             {std::pair(entries[k].i, entries[k].j), std::pair(entries[k].j, entries[k].i)}) {
            const auto from = static_cast<std::size_t>(j);
            for (int c = 0; c < 3 && vector[from] != nullptr; ++c)
                if (const int to = vector[from]->at[c]; to >= 0) visit(k, i, to, axis[from], c);
            if (entries[k].i == entries[k].j) break;
        }
}

void StateMatrices::follow_mass() {
    if (is_mass_filled_) return;
    const std::span<const double> values = parts_.mass.values();
    for (std::size_t k = 0; k < values.size(); ++k) {
        mass[mass_place_[k].first] = values[k];
        mass[mass_place_[k].second] = values[k];
    }
    is_mass_filled_ = parts_.mass.is_constant();
}

void StateMatrices::differentiate(double t,
                                  Eigen::VectorXd& q,
                                  Eigen::VectorXd& v,
                                  std::span<const double> a) {
    const At at{t, q, v};
    std::ranges::copy(a, a_.begin());
    for (std::vector<double>* values : {&stiffness, &damping, &geometric})
        std::ranges::fill(*values, 0.0);
    // (1), with -M a among the forces where M depends on q: K <- laws + G + differences, D
    // likewise. What the curvature of conditions adds, -d(A^T lambda)/dq, is kept apart: it goes
    // with lambda, not with a law.
    add_row_laws();
    add_curvature(at);
    // K <- K + M S S in the frame that turns by S (theory, section 14).
    for (const Turned& entry : turned_)
        stiffness[entry.place] +=
            parts_.mass.values()[entry.mass] * S_squared_(entry.axis, entry.along);
    differentiate_jacobian(at);
    add_differences(
        differenced_forces_,
        at,
        [&](const double* q_now, const double* v_now, Eigen::VectorXd& F) {
            sum_forces(at, q_now, v_now, F);
        },
        stiffness);
    add_differences(
        differenced_conditions_,
        at,
        [&](const double* q_now, const double* v_now, Eigen::VectorXd& F) {
            add_rows(differenced_conditions_, true, at, q_now, v_now, F);
        },
        geometric);
    // Plugins have been asked at other states since.
    if (differences_masses_) parts_.mass.update(q.data(), v.data(), t, parts_.meter, nullptr);
}

/// D A of rows that have a law together, of which A^T D A is then the stiffness.
void StateMatrices::evaluate_laws_together() {
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

void StateMatrices::add_row_laws() {
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
            stiffness[to] += is_together ? A[product.e1] * DA_[product.e2] : by_pi * square;
            damping[to] += by_rate * square;
        }
    }
}

/// G = sum_k s_k d2(pi_k)/dq2, of rows with a law to K, of conditions to the geometric stiffness.
void StateMatrices::add_curvature(const At& at) {
    if (has_curved_elastic_) add_curvature_of(false, at, stiffness);
    if (has_curved_conditions_) add_curvature_of(true, at, geometric);
}

void StateMatrices::add_curvature_of(bool conditions, const At& at, std::vector<double>& to) {
    // s + C^-1 A dq where the last step is known (Magisano et al. 2017, see theory, section 14).
    const Eigen::VectorXd& s =
        has_prediction_ && !conditions ? predicted_ : accelerations_.face().stress();
    for (int k = 0; k < parts_.m; ++k)
        stress_[k] = parts_.laws.is_constraint(k) == conditions ? s[k] : 0.0;
    parts_.rows.evaluate_tangent_at(at.q.data(), stress_.data(), at.t, tangent_.data());
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
void StateMatrices::predict_stress(std::span<const double> dq) {
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
void StateMatrices::differentiate_jacobian(const At& at) {
    if (rate_blocks_.empty()) return;
    const double speed = parts_.space.displacement(at.v.data());
    // A forward difference along the motion,
    //   A' = (A(q + d v, t + d) - A(q, t)) / d,
    // of error d |A''| / 2 + u |A| / d; d moves matter by kPartOfSize of the model's size, and is
    // kLongest at most.
    double span = std::min(kLongest, kPartOfSize * state_.extent / speed);
    // Back into the step, if there is one: a table may end where the step does.
    if (at.t > state_.t) span = -std::min(span, at.t - state_.t);
    q_changed_ = at.q + span * at.v;
    parts_.rows.evaluate_rates(rate_blocks_,
                               q_changed_.data(),
                               at.v.data(),
                               at.t + span,
                               A_changed_.data(),
                               pi_t_changed_.data());
    const double* const A = instant().A.data();
    for (const LawRow& row : law_rows_)
        for (std::size_t p = row.first; row.has_rate && p < row.end; ++p) {
            const auto [place, e1, e2] = products_[p];
            // d(A_k v + pi_t)/dq = A_k', so K += A_k^T (ds/dpi') A_k'.
            stiffness[place] += by_rate_[row.row] * A[e1] * (A_changed_[e2] - A[e2]) / span;
        }
    for (const int b : rate_blocks_) {
        const BlockPart& part = parts_.rows.blocks[b];
        const auto first = std::ranges::lower_bound(conditions_.rows, part.first_row);
        const auto end = std::ranges::lower_bound(conditions_.rows, part.first_row + part.num_rows);
        for (auto row = first; row != end; ++row) {
            const auto c = static_cast<std::size_t>(row - conditions_.rows.begin());
            if (conditions_.levels[c] != RowLevel::position) continue;
            for (int i = conditions_.start[c]; i < conditions_.start[c + 1]; ++i) {
                const auto e = static_cast<std::size_t>(i);
                const int entry = conditions_.entries[e];
                jacobian_rate[e] = (A_changed_[entry] - A[entry]) / span;
            }
        }
    }
}

void StateMatrices::sum_forces(const At& at, const double* q, const double* v, Eigen::VectorXd& F) {
    if (differences_masses_) {
        // F + M (g - a): the derivative of the residual M a - F, with the a that was given.
        parts_.mass.update(q, v, at.t, parts_.meter, F.data());
        Mx_ = field_ - a_;
        parts_.mass.multiply(Mx_.data(), Mfield_.data());
        F += Mfield_;
        parts_.forces.evaluate_loads(q, v, at.t, F.data());
    }
    if (parts_.forces.num_parts() > 0) parts_.forces.evaluate(q, v, at.t, state_.plugin, F.data());
    add_rows(differenced_forces_, false, at, q, v, F);
}

/// Adds the forces of rows with the stresses of the last point; where positions alone have changed,
/// including the change of their rates.
void StateMatrices::add_rows(const Differenced& from,
                             bool conditions,
                             const At& at,
                             const double* q,
                             const double* v,
                             Eigen::VectorXd& F) {
    if (from.blocks.empty()) return;
    parts_.rows.evaluate_rates(from.blocks, q, v, at.t, A_changed_.data(), pi_t_changed_.data());
    const ContinuousFace& face = accelerations_.face();
    const Eigen::VectorXd& s = has_prediction_ && !conditions ? predicted_ : face.stress();
    const bool has_new_rates = !conditions && v == at.v.data();
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
void StateMatrices::add_differences(Differenced& of,
                                    const At& at,
                                    const Sum& sum,
                                    std::vector<double>& stiffness_of) {
    if (of.by.empty()) return;
    // K -= dF/dq and D -= dF/dv, one evaluation of F for all columns of a colour (Curtis, Powell &
    // Reid, J. Inst. Math. Appl. 13 (1974) 117); steps are relative to sizes of q and v.
    const auto subtract = [&](std::vector<double>& from) {
        for (std::size_t e = 0; e < of.place.size(); ++e) from[of.place[e]] -= difference_value_[e];
    };
    of.by.differentiate(
        [&](const Eigen::VectorXd& q, Eigen::VectorXd& F) {
            F.setZero();
            sum(q.data(), at.v.data(), F);
        },
        at.q,
        std::min(1.0, state_.extent),
        base_,
        changed_,
        difference_value_.data());
    subtract(stiffness_of);
    if (!of.has_rates) return;
    of.by.differentiate(
        [&](const Eigen::VectorXd& v, Eigen::VectorXd& F) {
            F.setZero();
            sum(at.q.data(), v.data(), F);
        },
        at.v,
        kLeastSpeed,
        base_,
        changed_,
        difference_value_.data());
    subtract(damping);
}

}  // namespace ancora
