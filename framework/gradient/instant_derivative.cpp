// SPDX-License-Identifier: BSD-3-Clause
// Solves at an instant, exact derivatives of quadratic rows and laws, differences of the rest.
#include "instant_derivative.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "step_derivative.hpp"

namespace ancora {
namespace {

// Differences of fourth order, relative to the size of what is moved: their own error is that of
// rounding.
constexpr double kMoved = 0x1p-13;
constexpr double kLeastStrain = 1e-5;
constexpr double kSlowest = 1.0;  // [m/s]
// Slopes of a law at two distances differ by less where it is smooth.
constexpr double kBentLaw = 1e-6;

bool is_quadratic(const RowSet& rows, const BlockPart& part) {
    const RowOwner& owner = rows.owners[part.owner];
    for (int k = part.first_row; k < part.first_row + part.num_rows; ++k)
        if (is_velocity_kind(rows.laws[k].kind)) return false;
    if (part.is_constant) return true;
    if (part.block->depends_on_time || part.reads_own) return false;
    const bool is_linear = part.block->degree == Degree::linear && owner.body >= 0;
    return is_linear || (part.block->degree == Degree::quadratic && part.num_tangent > 0);
}

/// dF/dx of fourth order by F at x +- d and x +- 2 d, and whether that at 2 d agrees.
struct Slope {
    double value;
    bool is_smooth;
};
Slope slope_of(double near, double far, double d, double size) {
    const double out = (8.0 * near - far) / (12.0 * d);
    const double off = std::abs(far / (4.0 * d) - near / (2.0 * d));
    return {out, off <= kBentLaw * std::max(std::abs(out), std::abs(size) / d * 1e-6)};
}

}  // namespace

InstantEquations::InstantEquations(KernelSystem& system)
    : system_(system), data_(system.step_data()) {
    const RowSet& rows = data_.parts.rows;
    const int n = data_.parts.n, m = data_.parts.m;
    is_exact_.assign(static_cast<std::size_t>(m), 0);
    is_condition_.assign(static_cast<std::size_t>(m), 0);
    tangent_.setZero(rows.K.size());
    std::vector<SparseDifferences::Object> objects;
    for (const BlockPart& part : rows.blocks) {
        const bool is_known = is_quadratic(rows, part);
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            is_exact_[k] = is_known ? 1 : 0;
            is_condition_[k] = data_.parts.laws.is_constraint(k) ? 1 : 0;
            if (is_known) continue;
            objects.push_back({coordinates_of_row(data_.parts, part, k), {k}});
        }
    }
    of_rows_.emplace(n, m, objects);
    objects.clear();
    const ForceSet& forces = data_.parts.forces;
    for (int part = 0; part < forces.num_parts(); ++part)
        objects.push_back(
            {coordinates_of(forces.tangent_map(part)), coordinates_of(forces.map(part))});
    of_forces_.emplace(n, n, objects);
}

std::string InstantEquations::obstacle(KernelSystem& system) {
    const Assembly& parts = system.parts();
    if (parts.model.traits.is_adaptive) return "the integrator chooses its steps";
    if (!parts.rows.unilateral().empty()) return "it has stops or contacts, and accelerations";
    if (!parts.mass.is_constant()) return "it has bodies whose mass depends on their state";
    if (!parts.forces.loads().empty()) return "forces are applied by the program";
    for (int k = 0; k < parts.m; ++k) {
        const RowKind kind = parts.laws[k].kind;
        if (parts.laws.is_constraint(k) && kind != RowKind::constraint && !is_velocity_kind(kind))
            return fmt::format("{} is a condition on accelerations", parts.rows.row_name(k));
    }
    return {};
}

ContinuousFace& InstantEquations::face(KernelSystem& of) {
    std::unique_ptr<ContinuousFace>& out = faces_[&of];
    if (!out) {
        Assembly& parts = of.step_data().parts;
        out = std::make_unique<ContinuousFace>(parts.model,
                                               parts.rows,
                                               parts.mass,
                                               parts.space,
                                               parts.laws,
                                               parts.forces,
                                               parts.meter);
    }
    return *out;
}

void InstantEquations::add_curvature(const Eigen::VectorXd& q,
                                     double t,
                                     const Eigen::VectorXd& s,
                                     const Eigen::VectorXd& x,
                                     double factor,
                                     Eigen::VectorXd& y) {
    if (tangent_.size() == 0) return;
    RowSet& rows = data_.parts.rows;
    rows.evaluate_tangent_at(q.data(), s.data(), t, tangent_.data());
    rows.tangent_terms.for_each_term([&](const TangentTerm& term) {
        const double value = factor * term.weight * tangent_[term.from];
        y[term.i] += value * x[term.j];
        if (term.i != term.j) y[term.j] += value * x[term.i];
    });
}

double InstantEquations::distance(double value, double least) const {
    return kMoved * std::max(std::abs(value), least);
}

void InstantEquations::stresses(const RowSet::StateValues& at,
                                const Eigen::VectorXd& v,
                                Eigen::VectorXd& s) {
    const Assembly& parts = data_.parts;
    s.setZero(parts.m);
    for (int k = 0; k < parts.m; ++k) {
        if (is_condition_[k] != 0 || parts.laws.together().holds(k)) continue;
        s[k] = parts.laws.stress(
            k, at.pi[k], parts.rows.multiply_onto(at.pi_t[k], at.A.data(), k, v.data()));
    }
    for (const ItemLaws::Item& item : parts.laws.together().items()) {
        parts.laws.together().stress(item, at.pi.data(), s.data());
        for (int k = item.first_row; k < item.first_row + item.num_rows; ++k)
            if (parts.laws[k].viscosity != 0.0)
                s[k] += parts.laws[k].viscosity *
                        parts.rows.multiply_onto(at.pi_t[k], at.A.data(), k, v.data());
    }
}

void InstantEquations::add_slopes(const RowSet::StateValues& at,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& x,
                                  Eigen::VectorXd& of_pi,
                                  Eigen::VectorXd& of_rate) {
    const Assembly& parts = data_.parts;
    const auto require_smooth = [&](const Slope& slope, int k) {
        if (!slope.is_smooth)
            throw AdjointObstacle{
                fmt::format("the law of {} has a corner", parts.rows.row_name(k))};
        return slope.value;
    };
    for (int k = 0; k < parts.m; ++k) {
        const RowLaw& law = parts.laws[k];
        if (is_condition_[k] != 0 || is_exact_[k] == 0 || parts.laws.together().holds(k)) continue;
        const double pi = at.pi[k];
        const double rate = parts.rows.multiply_onto(at.pi_t[k], at.A.data(), k, v.data());
        if (law.law == nullptr || law.kind != RowKind::elastic) {
            if (law.kind == RowKind::elastic) of_pi[k] += x[k] / law.compliance;
            of_rate[k] += x[k] * law.viscosity;
            continue;
        }
        const double here = parts.laws.stress(k, pi, rate);
        const auto slope = [&](double of, double least, const auto& stress) {
            const double d = distance(of, least);
            return require_smooth(slope_of(stress(of + d) - stress(of - d),
                                           stress(of + 2.0 * d) - stress(of - 2.0 * d),
                                           d,
                                           here),
                                  k);
        };
        of_pi[k] += x[k] * slope(pi, kLeastStrain, [&](double strain) {
                        return parts.laws.stress(k, strain, rate);
                    });
        if (law.viscosity != 0.0)
            of_rate[k] += x[k] * slope(rate, kSlowest, [&](double speed) {
                              return parts.laws.stress(k, pi, speed);
                          });
    }
    const ItemLaws& together = parts.laws.together();
    if (together.empty()) return;
    pi_.assign(at.pi.begin(), at.pi.end());
    for (std::vector<double>* s : {&near_, &far_, &below_}) s->assign(pi_.size(), 0.0);
    for (const ItemLaws::Item& item : together.items()) {
        if (is_exact_[item.first_row] == 0) continue;
        for (int k = item.first_row; k < item.first_row + item.num_rows; ++k) {
            of_rate[k] += x[k] * parts.laws[k].viscosity;
            const double pi = pi_[k], d = distance(pi, kLeastStrain);
            const auto stress = [&](double by, std::vector<double>& s) {
                pi_[k] = pi + by * d;
                together.stress(item, pi_.data(), s.data());
            };
            const auto difference = [&](double by, std::vector<double>& s) {
                stress(by, s);
                stress(-by, below_);
                for (int j = item.first_row; j < item.first_row + item.num_rows; ++j)
                    s[j] -= below_[j];
            };
            difference(1.0, near_);
            difference(2.0, far_);
            double size = 0.0;
            for (int j = item.first_row; j < item.first_row + item.num_rows; ++j)
                size = std::max(size, std::abs(below_[j]));
            for (int j = item.first_row; j < item.first_row + item.num_rows; ++j)
                of_pi[k] += x[j] * require_smooth(slope_of(near_[j], far_[j], d, size), j);
            pi_[k] = pi;
        }
    }
}

// --- one instant

InstantDerivative::InstantDerivative(InstantEquations& equations, Of what)
    : equations_(equations),
      system_(equations.system()),
      data_(system_.step_data()),
      what_(what),
      n_(data_.parts.n),
      m_(data_.parts.m),
      extent_(data_.state.extent) {
    const RowSet& rows = data_.parts.rows;
    SystemPattern pattern;
    pattern.num_coordinates = n_;
    for (const MassEntry& entry : data_.parts.mass.entries())
        pattern.mass.emplace_back(entry.i, entry.j);
    for (const BodyPart& part : data_.parts.model.bodies)
        pattern.first_of_body.push_back(part.first);
    row_start_.push_back(0);
    for (int k = 0; k < m_; ++k) {
        if (!equations.is_condition(k) || !counts(k)) continue;
        rows_.push_back(k);
        for (const int e : rows.entries(k)) {
            entries_.push_back(e);
            pattern.column.push_back(rows.column_of(e));
        }
        row_start_.push_back(static_cast<int>(entries_.size()));
    }
    pattern.row_start = row_start_;
    jacobian_.assign(entries_.size(), 0.0);
    solver_ = std::make_unique<ConstrainedSolver>(std::move(pattern));
    x_.setZero(n_);
    f_.setZero(n_);
    const auto count = static_cast<Eigen::Index>(rows_.size());
    r_.setZero(count);
    mu_.setZero(count);
    lambda_.setZero(count);
}

bool InstantDerivative::counts(int row) const {
    return what_ != Of::positions || data_.parts.laws[row].kind == RowKind::constraint;
}

/// At (q_, v_).
const RowSet::StateValues& InstantDerivative::evaluate_rows(KernelSystem& system, double t) {
    if (what_ == Of::accelerations) {
        ContinuousFace& face = equations_.face(system);
        face.evaluate(q_.data(), v_.data(), t, system.step_data().state.plugin);
        return face.instant();
    }
    RowSet& rows = system.step_data().parts.rows;
    rows.evaluate(q_.data(), v_.data(), t, moved_, RowSet::Elastic::forces);
    return moved_;
}

/// A x - r of a condition.
double InstantDerivative::left_of_row(const RowSet& rows,
                                      const RowSet::StateValues& at,
                                      double baumgarte,
                                      int k) const {
    const double* const A = at.A.data();
    const double along = rows.multiply_onto(0.0, A, k, x_.data());
    const bool is_of_position = rows.laws[k].kind == RowKind::constraint;
    switch (what_) {
        case Of::positions:
            return along + at.pi[k];
        case Of::velocities:
            return along + rows.multiply_onto(at.pi_t[k], A, k, v_.data());
        case Of::accelerations:
            break;
    }
    double out = along - at.b[k];
    if (baumgarte != 0.0) {
        const double rate = rows.multiply_onto(at.pi_t[k], A, k, v_.data());
        out += is_of_position ? baumgarte * (2.0 * rate + baumgarte * at.pi[k]) : baumgarte * rate;
    }
    return out;
}

bool InstantDerivative::factorise(RankUse use) {
    for (std::size_t e = 0; e < entries_.size(); ++e) jacobian_[e] = at_.A[entries_[e]];
    return solver_->factorise(data_.parts.mass.values(), jacobian_, true, use) ==
           SolverStatus::good;
}

void InstantDerivative::choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) {
    q_ = q;
    v_ = v;
    at_ = evaluate_rows(system_, t);
    has_choice_ = factorise(RankUse::choose);
}

bool InstantDerivative::solve(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) {
    q_ = q;
    v_ = v;
    t_ = t;
    at_ = evaluate_rows(system_, t);
    if (!factorise(RankUse::keep)) return false;
    if (what_ == Of::accelerations) {
        const ContinuousFace& face = equations_.face(system_);
        f_ = face.Q() + face.C();
        s_here_ = face.stress();
    }
    const RowSet& rows = data_.parts.rows;
    const double baumgarte = data_.parts.model.traits.baumgarte;
    x_.setZero();
    for (std::size_t c = 0; c < rows_.size(); ++c)
        r_[static_cast<Eigen::Index>(c)] = -left_of_row(rows, at_, baumgarte, rows_[c]);
    return solver_->solve(view(f_),
                          view(r_),
                          {x_.data(), static_cast<std::size_t>(n_)},
                          {lambda_.data(), rows_.size()});
}

bool InstantDerivative::pull_back(const Eigen::VectorXd& L,
                                  Pulled& pulled,
                                  Eigen::VectorXd& of_q,
                                  Eigen::VectorXd& of_v) {
    pulled.w.resize(n_);
    if (!solver_->solve(view(L),
                        {},
                        {pulled.w.data(), static_cast<std::size_t>(n_)},
                        {mu_.data(), rows_.size()}))
        return false;
    pulled.n.setZero(m_);
    for (std::size_t c = 0; c < rows_.size(); ++c)
        pulled.n[rows_[c]] = -mu_[static_cast<Eigen::Index>(c)];
    if (what_ == Of::accelerations)
        for (int k = 0; k < m_; ++k)
            if (!equations_.is_condition(k))
                pulled.n[k] = data_.parts.rows.multiply(at_.A.data(), k, pulled.w.data());
    add_exact(pulled, of_q, of_v);
    add_differences(pulled, of_q, of_v);
    return true;
}

void InstantDerivative::add_exact(const Pulled& by, Eigen::VectorXd& of_q, Eigen::VectorXd& of_v) {
    const RowSet& rows = data_.parts.rows;
    const double* const A = at_.A.data();
    const double beta = data_.parts.model.traits.baumgarte;
    // sum_k lambda_k (H_k w) - n_k (H_k y), y = x, or v + x of velocities
    stress_.setZero(m_);
    for (std::size_t c = 0; c < rows_.size(); ++c)
        if (equations_.is_exact(rows_[c]))
            stress_[rows_[c]] = lambda_[static_cast<Eigen::Index>(c)];
    if (what_ == Of::accelerations) {
        // Laws: -s_k (A_k w)
        equations_.stresses(at_, v_, s_);
        Aw_.setZero(m_);
        for (int k = 0; k < m_; ++k) {
            if (equations_.is_condition(k) || !equations_.is_exact(k)) continue;
            stress_[k] = -s_[k];
            Aw_[k] = rows.multiply_onto(0.0, A, k, by.w.data());
        }
        of_pi_.setZero(m_);
        of_rate_.setZero(m_);
        equations_.add_slopes(at_, v_, Aw_, of_pi_, of_rate_);
        bool has_rates = false;
        for (int k = 0; k < m_; ++k) {
            if (of_pi_[k] != 0.0) rows.add_transposed(A, k, -of_pi_[k], of_q.data());
            if (of_rate_[k] == 0.0) continue;
            rows.add_transposed(A, k, -of_rate_[k], of_v.data());
            has_rates = true;
        }
        if (has_rates) equations_.add_curvature(q_, t_, of_rate_, v_, -1.0, of_q);
    }
    equations_.add_curvature(q_, t_, stress_, by.w, 1.0, of_q);
    if (rows_.empty()) return;
    stress_.setZero();
    for (const int k : rows_) {
        if (!equations_.is_exact(k)) continue;
        const double n = by.n[k];
        stress_[k] = n;
        if (what_ == Of::positions) rows.add_transposed(A, k, -n, of_q.data());
        if (what_ == Of::velocities) rows.add_transposed(A, k, -n, of_v.data());
        if (what_ != Of::accelerations || beta == 0.0) continue;
        rows.add_transposed(A, k, -n * beta * beta, of_q.data());
        rows.add_transposed(A, k, -2.0 * n * beta, of_v.data());
    }
    terms_ = x_;
    if (what_ == Of::velocities) terms_ += v_;
    if (beta != 0.0 && what_ == Of::accelerations) terms_ += 2.0 * beta * v_;
    equations_.add_curvature(q_, t_, stress_, terms_, -1.0, of_q);
    // b = -v . H v
    if (what_ == Of::accelerations) equations_.add_curvature(q_, t_, stress_, v_, -2.0, of_v);
}

void InstantDerivative::add_differences(const Pulled& by,
                                        Eigen::VectorXd& of_q,
                                        Eigen::VectorXd& of_v) {
    Assembly& parts = data_.parts;
    RowSet& rows = parts.rows;
    const double beta = parts.model.traits.baumgarte;
    const auto by_place = [&](int i) {
        return equations_.distance(q_[i], std::min(1.0, extent_));
    };
    const auto by_speed = [&](int i) {
        return equations_.distance(v_[i], kSlowest);
    };
    if (equations_.has_others()) {
        Eigen::VectorXd lambda = Eigen::VectorXd::Zero(m_);
        for (std::size_t c = 0; c < rows_.size(); ++c)
            lambda[rows_[c]] = lambda_[static_cast<Eigen::Index>(c)];
        const auto evaluate = [&](Eigen::VectorXd& out) {
            rows.refresh_own_values(q_.data(), v_.data(), t_);
            rows.evaluate(q_.data(), v_.data(), t_, moved_, RowSet::Elastic::all);
            if (what_ == Of::accelerations) equations_.stresses(moved_, v_, s_);
            for (int k = 0; k < m_; ++k) {
                out[k] = 0.0;
                if (equations_.is_exact(k)) continue;
                const double along = rows.multiply_onto(0.0, moved_.A.data(), k, by.w.data());
                if (!equations_.is_condition(k))
                    out[k] = what_ == Of::accelerations ? -s_[k] * along : 0.0;
                else if (counts(k))
                    out[k] = lambda[k] * along - by.n[k] * left_of_row(rows, moved_, beta, k);
            }
        };
        equations_.of_rows().differentiate(evaluate, q_, by_place, [&](int, int j, double value) {
            of_q[j] += value;
        });
        if (what_ != Of::positions)
            equations_.of_rows().differentiate(
                evaluate, v_, by_speed, [&](int, int j, double value) {
                    of_v[j] += value;
                });
    }
    if (what_ != Of::accelerations || !equations_.has_forces()) return;
    const auto evaluate = [&](Eigen::VectorXd& out) {
        out.setZero();
        parts.forces.evaluate(q_.data(), v_.data(), t_, data_.state.plugin, out.data());
        out = out.cwiseProduct(by.w);
    };
    equations_.of_forces().differentiate(evaluate, q_, by_place, [&](int, int j, double value) {
        of_q[j] += value;
    });
    equations_.of_forces().differentiate(evaluate, v_, by_speed, [&](int, int j, double value) {
        of_v[j] += value;
    });
}

void InstantDerivative::evaluate(KernelSystem& neighbour,
                                 Eigen::VectorXd& motion,
                                 Eigen::VectorXd& rows_left) {
    const RowSet::StateValues& at = evaluate_rows(neighbour, t_);
    const Assembly& parts = neighbour.parts();
    rows_left.setZero(m_);
    motion.resize(n_);
    parts.mass.multiply(x_.data(), motion.data());
    if (what_ == Of::accelerations) {
        const ContinuousFace& face = equations_.face(neighbour);
        motion -= face.Q() + face.C();
        // Laws are equations of their own, with our stresses in the balance.
        for (int k = 0; k < m_; ++k) {
            if (equations_.is_condition(k)) continue;
            rows_left[k] = face.stress()[k];
            parts.rows.add_transposed(at.A.data(), k, s_here_[k] - rows_left[k], motion.data());
        }
    }
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        const int k = rows_[c];
        parts.rows.add_transposed(
            at.A.data(), k, -lambda_[static_cast<Eigen::Index>(c)], motion.data());
        rows_left[k] = left_of_row(parts.rows, at, parts.model.traits.baumgarte, k);
    }
}

}  // namespace ancora
