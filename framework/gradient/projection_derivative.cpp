// SPDX-License-Identifier: BSD-3-Clause
// The linear system of a projected step, transposed.
#include "projection_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "difference_moves.hpp"
#include "velocity_projection.hpp"

namespace ancora {
namespace {

constexpr double kAsProjected = 1e-9;  // velocities may differ from (1), relative
// Corrections of the solution of (2), each of the residual of the one before.
constexpr int kMostRefinements = 8;
constexpr double kRefinement = 1e-5;
constexpr double kRefined = 1e-14;

std::span<double> room_of(Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

ProjectionDerivative::ProjectionDerivative(KernelSystem& system)
    : system_(system), data_(system.step_data()), n_(data_.parts.n), extent_(data_.state.extent) {
    // Its multipliers are then those that leave these alone, and (1) is another.
    for (int i = 0; i < n_; ++i)
        if (data_.parts.mass.is_massless(i))
            throw AdjointObstacle{"velocities are projected beside coordinates without mass"};
    const RowSet& rows = data_.parts.rows;
    const int m = data_.parts.m;
    condition_of_row_.assign(m, -1);
    SystemPattern pattern;
    pattern.num_coordinates = n_;
    for (const MassEntry& entry : data_.parts.mass.entries())
        pattern.mass.emplace_back(entry.i, entry.j);
    for (const BodyPart& part : data_.parts.model.bodies)
        pattern.first_of_body.push_back(part.first);
    mass_ = std::make_unique<ConstrainedSolver>(pattern);
    pattern.row_start.push_back(0);
    std::vector<SparseDifferences::Object> objects;
    const auto num_entries = static_cast<int>(rows.B.size());
    condition_of_entry_.assign(rows.B.size(), -1);
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        const std::size_t before = rows_.size();
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            if (!data_.parts.laws.has_rate(k)) continue;
            condition_of_row_[k] = static_cast<int>(rows_.size());
            rows_.push_back(k);
            const std::span<const int> columns = rows.columns(k);
            SparseDifferences::Object object{{columns.begin(), columns.end()}, {num_entries + k}};
            for (const int e : rows.entries(k)) {
                condition_of_entry_[e] = condition_of_row_[k];
                pattern.column.push_back(rows.column_of(e));
                object.outputs.push_back(e);
            }
            pattern.row_start.push_back(static_cast<int>(pattern.column.size()));
            objects.push_back(std::move(object));
        }
        if (rows_.size() > before) blocks_.push_back(static_cast<int>(b));
    }
    jacobian_.assign(pattern.column.size(), 0.0);
    differences_.emplace(n_, num_entries + m, objects);
    solver_ = std::make_unique<ConstrainedSolver>(std::move(pattern));
    for (End* end : {&start_, &end_}) {
        end->A.setZero(num_entries);
        end->pi_t.setZero(m);
        end->w.setZero(n_);
    }
    is_kept_.assign(rows_.size(), 1);
    const std::span<const double> values = data_.parts.mass.values();
    for (std::size_t e = 0; e < data_.parts.mass.entries().size(); ++e)
        mass_values_.push_back(values.empty() ? data_.parts.mass.entries()[e].value : values[e]);
    mass_->factorise(mass_values_, {}, true);
}

void ProjectionDerivative::evaluate_rates(KernelSystem& system, End& end) const {
    system.parts().rows.evaluate_rates(
        blocks_, end.q.data(), end.v.data(), end.t, end.A.data(), end.pi_t.data());
}

/// dA/dq and d(pi_t)/dq.
void ProjectionDerivative::differentiate(End& end) {
    end.at.clear();
    end.slope.clear();
    const Eigen::VectorXd A = end.A, pi_t = end.pi_t, q = end.q;
    differences_->differentiate(
        [&](Eigen::VectorXd& out) {
            evaluate_rates(system_, end);
            out << end.A, end.pi_t;
        },
        end.q,
        [&](int i) {
            return move_of_place(q[i], extent_);
        },
        [&](int i, int j, double value) {
            if (value == 0.0) return;
            end.at.emplace_back(i, j);
            end.slope.push_back(value);
        });
    end.A = A;
    end.pi_t = pi_t;
}

void ProjectionDerivative::add_transposed(const End& end,
                                          const Eigen::VectorXd& x,
                                          Eigen::VectorXd& to) const {
    for (std::size_t c = 0; c < rows_.size(); ++c)
        data_.parts.rows.add_transposed(
            end.A.data(), rows_[c], x[static_cast<Eigen::Index>(c)], to.data());
}

double ProjectionDerivative::row(const RowSet& rows,
                                 const End& end,
                                 std::size_t c,
                                 const Eigen::VectorXd& x) const {
    return rows.multiply(end.A.data(), rows_[c], x.data());
}

Eigen::VectorXd ProjectionDerivative::inverse_mass(const Eigen::VectorXd& force) {
    Eigen::VectorXd out(n_);
    mass_->solve(view(force), {}, room_of(out), {});
    return out;
}

void ProjectionDerivative::take(const AcceptedStep& step, const StepState& next) {
    const AcceptedStep::Projection& given = *step.projection;
    const RowSet& rows = data_.parts.rows;
    step.before.put(system_);
    mu_ = given.mu;
    start_.t = VelocityImpulse::behind(step.before.t);
    start_.q = step.before.q;
    start_.v = given.v;
    start_.factor = given.start_factor;
    end_.t = VelocityImpulse::before(step.before.t + step.h);
    end_.v = step.before.v + step.h * step.a;
    end_.q = step.before.q + step.h * step.before.v + 0.5 * step.h * step.h * step.a;
    end_.factor = given.end_factor;
    for (End* end : {&start_, &end_}) {
        evaluate_rates(system_, *end);
        differentiate(*end);
        end->force.setZero(n_);
        add_transposed(*end, mu_, end->force);
        end->w = inverse_mass(end->force);
        end->energy = end->force.dot(end->w);
    }
    // Factors are 1 where energies are rounding.
    has_energies_ = start_.factor != 1.0 || end_.factor != 1.0;
    v1_ = end_.v - end_.factor * end_.w;
    const double size = std::max(largest_entry(v1_), largest_entry(next.v));
    if (largest_entry(v1_ - next.v) > kAsProjected * size)
        throw AdjointObstacle{fmt::format(
            "t = {:.6g} s: velocities change by more than a step and its projection", next.t)};
    // Dependent rows have no multipliers of their own.
    const bool has_any = mu_.size() > 0 && largest_entry(mu_) > 0.0;
    std::size_t at = 0;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        is_kept_[c] = !has_any || mu_[static_cast<Eigen::Index>(c)] != 0.0 ? 1 : 0;
        for (const int e : rows.entries(rows_[c])) jacobian_[at++] = is_kept_[c] ? end_.A[e] : 0.0;
    }
    solver_->factorise(mass_values_, jacobian_, true, RankUse::decide);
}

/// The coefficient of A_c,i in P: of the vectors that A_c multiplies there, component i.
double ProjectionDerivative::coefficient(const End& end, std::size_t c, int i) const {
    const auto at = static_cast<Eigen::Index>(c);
    const double by_energy = has_energies_ ? 2.0 * k_ * mu_[at] * end.w[i] / end.energy : 0.0;
    if (&end == &start_) return start_.factor * mu_[at] * y_[i] - by_energy;
    return n_of_[at] * v1_[i] - end_.factor * mu_[at] * x_[i] + by_energy;
}

/// dP/dq of an end.
void ProjectionDerivative::add_slopes(const End& end, Eigen::VectorXd& to) const {
    const RowSet& rows = data_.parts.rows;
    const auto num_entries = static_cast<int>(end.A.size());
    for (std::size_t e = 0; e < end.at.size(); ++e) {
        const auto [output, j] = end.at[e];
        if (output >= num_entries) {
            if (&end == &end_)
                to[j] += n_of_[condition_of_row_[output - num_entries]] * end.slope[e];
            continue;
        }
        const auto c = static_cast<std::size_t>(condition_of_entry_[output]);
        to[j] += coefficient(end, c, rows.column_of(output)) * end.slope[e];
    }
}

/// The step's derivative for z = (n, k), and what (2) leaves.
bool ProjectionDerivative::evaluate(StepDerivative& step,
                                    const Costate& of,
                                    const Eigen::VectorXd& z) {
    const auto m = static_cast<Eigen::Index>(rows_.size());
    const RowSet& rows = data_.parts.rows;
    n_of_ = z.head(m);
    for (Eigen::Index c = 0; c < m; ++c)
        if (is_kept_[static_cast<std::size_t>(c)] == 0) n_of_[c] = 0.0;
    k_ = z[m];
    back_ = of;
    add_transposed(end_, n_of_, back_.v);
    x_ = inverse_mass(back_.v);
    add_slopes(end_, back_.q);
    if (!step.pull_back(back_, motion_, step_rows_)) return false;
    y_ = inverse_mass(back_.v);
    left_.setZero(m + 1);
    for (Eigen::Index c = 0; c < m; ++c) {
        const auto at = static_cast<std::size_t>(c);
        if (is_kept_[at] == 0) continue;
        left_[c] =
            start_.factor * row(rows, start_, at, y_) - end_.factor * row(rows, end_, at, x_);
        if (has_energies_)
            left_[c] += 2.0 * k_ *
                        (row(rows, end_, at, end_.w) / end_.energy -
                         row(rows, start_, at, start_.w) / start_.energy);
    }
    if (has_energies_)
        left_[m] =
            k_ - 0.25 * (start_.factor * y_.dot(start_.force) + end_.factor * x_.dot(end_.force));
    return true;
}

bool ProjectionDerivative::pull_back(StepDerivative& step,
                                     Costate& of,
                                     Eigen::VectorXd& motion,
                                     Eigen::VectorXd& rows) {
    const auto m = static_cast<Eigen::Index>(rows_.size());
    const auto n = static_cast<std::size_t>(n_);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(m + 1), more;
    Costate nothing;
    nothing.q.setZero(n_);
    nothing.v.setZero(n_);
    nothing.pi.setZero(of.pi.size());
    bool is_good = true;
    double last = std::numeric_limits<double>::infinity();
    for (int turn = 0;; ++turn) {
        if (!evaluate(step, of, z)) return false;
        if (turn == kMostRefinements) break;
        const Eigen::VectorXd left = -left_;
        if (largest_entry(left) == 0.0) break;
        Eigen::VectorXd x(n_), lambda(m), half(m);
        const double part = krylov_.solve(
            [&](const Eigen::VectorXd& v, Eigen::VectorXd& w) {
                is_good = evaluate(step, nothing, v) && is_good;
                w = left_;
            },
            [&](const Eigen::VectorXd& v, Eigen::VectorXd& to) {
                half = v.head(m);
                solver_->solve(
                    {}, {half.data(), static_cast<std::size_t>(m)}, {x.data(), n}, room_of(lambda));
                to.resize(m + 1);
                to << -0.5 * lambda, v[m];
                return to.allFinite();
            },
            left,
            kRefinement,
            more);
        if (!is_good || !(part >= 0.0)) return false;
        const double change = largest_entry(more);
        if (!(change < 0.5 * last)) {
            // z as it was is as good as rounding lets it be
            if (!evaluate(step, of, z)) return false;
            break;
        }
        z += more;
        last = change;
        if (part * change <= kRefined * largest_entry(z)) {
            if (!evaluate(step, of, z)) return false;
            break;
        }
    }
    add_slopes(start_, back_.q);
    of = back_;
    motion = motion_;
    rows = step_rows_;
    return true;
}

void ProjectionDerivative::evaluate(KernelSystem& neighbour,
                                    Eigen::VectorXd& of_coordinates,
                                    Eigen::VectorXd& of_rows) const {
    const Assembly& parts = neighbour.parts();
    End start = start_, end = end_;
    // A neighbour's rows may see coordinates that ours see with a weight of zero.
    start.A.setZero(parts.rows.B.size());
    end.A.setZero(parts.rows.B.size());
    evaluate_rates(neighbour, start);
    evaluate_rates(neighbour, end);
    Eigen::VectorXd Mw0(n_), Mw1(n_);
    parts.mass.multiply(start_.w.data(), Mw0.data());
    parts.mass.multiply(end_.w.data(), Mw1.data());
    of_coordinates = end_.factor * x_.cwiseProduct(Mw1) - start_.factor * y_.cwiseProduct(Mw0);
    if (has_energies_)
        of_coordinates += k_ * (start_.w.cwiseProduct(Mw0) / start_.energy -
                                end_.w.cwiseProduct(Mw1) / end_.energy);
    of_rows.setZero(parts.m);
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        const auto at = static_cast<Eigen::Index>(c);
        double& to = of_rows[rows_[c]];
        to = n_of_[at] * (row(parts.rows, end, c, v1_) + end.pi_t[rows_[c]]) -
             end_.factor * mu_[at] * row(parts.rows, end, c, x_) +
             start_.factor * mu_[at] * row(parts.rows, start, c, y_);
        if (has_energies_)
            to += 2.0 * k_ * mu_[at] *
                  (row(parts.rows, end, c, end_.w) / end_.energy -
                   row(parts.rows, start, c, start_.w) / start_.energy);
    }
}

}  // namespace ancora
