// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of rows, laws and forces over a step, and their sparse matrices.
#include "step_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "difference_moves.hpp"
#include "impact_derivative.hpp"

namespace ancora {
namespace {

// Distances of differences: displacements in forces, which stand for rates of this over h, relative
// to those of places; and lengths of a step.
constexpr double kMoveOfRate = 0x1p-8;
constexpr double kMoveOfLength = 0x1p-10;

bool is_linear(const RowBlock& block) {
    return block.degree == Degree::linear;
}

}  // namespace

std::vector<int> coordinates_of(const AttachmentMap& map) {
    std::vector<int> out;
    for (int scalar = 0; scalar < map.num_scalars(); ++scalar)
        for (const AttachmentMap::Entry& entry : map.row(scalar)) out.push_back(entry.coordinate);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::vector<int> coordinates_of_row(Assembly& parts, const BlockPart& part, int row) {
    const RowOwner& owner = parts.rows.owners[part.owner];
    if (!is_velocity_kind(parts.laws[row].kind) || owner.constraint < 0) {
        const std::span<const int> columns = parts.rows.columns(row);
        return {columns.begin(), columns.end()};
    }
    const LocalScalars scalars(
        parts, parts.model.constraints[static_cast<std::size_t>(owner.constraint)].attachments);
    std::vector<int> out;
    for (int scalar = 0; scalar < scalars.count(); ++scalar)
        for (const LocalScalars::Entry& entry : scalars.entries(scalar))
            out.push_back(entry.coordinate);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

StepDerivative::StepDerivative(KernelSystem& system)
    : system_(system),
      data_(system.step_data()),
      of_parts_(system),
      of_laws_(system),
      massless_(system),
      solve_(system),
      n_(data_.parts.n),
      m_(data_.parts.m),
      all_(system.num_rows()),
      extent_(data_.state.extent) {
    for (Eigen::VectorXd* x : {&q_, &dq_, &mid_, &r_motion_}) x->setZero(n_);
    r_rows_.setZero(system.num_rows());
    for (Eigen::VectorXd* x : {&pi_t_, &s_}) x->setZero(m_);
    for (Eigen::VectorXd* x : {&A0_, &A1_, &B_}) x->setZero(data_.parts.rows.B.size());
    plugin_ = data_.state.plugin;
    find_objects();
}

std::string StepDerivative::obstacle(KernelSystem& system) {
    return system.parts().model.traits.face == Face::discrete
               ? obstacle_of_objects(system)
               : "the integrator solves for accelerations, not for steps";
}

std::string StepDerivative::obstacle_of_objects(KernelSystem& system) {
    const Assembly& parts = system.parts();
    if (const char* const why = ImpactDerivative::obstacle(system)) return why;
    if (parts.laws.may_break()) return "it has elements that may break";
    if (parts.forces.depends_on_reactions()) return "it has forces that depend on reactions";
    const std::vector<std::string> names = parts.signals.names_with_states();
    if (!names.empty())
        return fmt::format("{} has states of its own, or acts at times", names.front());
    if (parts.signals.num_crossings() > 0) return "it has signals that switch";
    if (parts.signals.are_read_by_rows()) return "its rows read signals";
    return {};
}

/// What is differentiated by differences.
void StepDerivative::find_objects() {
    const RowSet& rows = data_.parts.rows;
    is_velocity_.assign(m_, 0);
    for (const BlockPart& part : rows.blocks) {
        bool has_velocity = false;
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            is_velocity_[k] = is_velocity_kind(rows.laws[k].kind) ? 1 : 0;
            has_velocity |= is_velocity_[k] != 0;
        }
        const bool is_known =
            part.is_constant ||
            (!has_velocity &&
             (is_linear(*part.block) ||
              (part.block->degree == Degree::quadratic && part.num_tangent > 0 &&
               // B of such rows need not be A at the middle, nor the tangent its derivative
               !part.block->depends_on_time)));
        is_general_.push_back(is_known ? 0 : 1);
    }
    of_rows_.emplace(system_, is_general_);
    of_forces_.emplace(system_);
    std::vector<SparseDifferences::Object> objects;
    const ForceSet& forces = data_.parts.forces;
    for (int part = 0; part < forces.num_parts(); ++part) {
        if (of_forces_->has(part)) continue;
        other_forces_.push_back(part);
        objects.push_back(
            {coordinates_of(forces.tangent_map(part)), coordinates_of(forces.map(part))});
    }
    of_other_forces_.emplace(n_, n_, objects);
}

void StepDerivative::evaluate(const AcceptedStep& step) {
    system_.step_equations()->evaluate({step.before.t, step.h, view(step.a), view(step.s)},
                                       {r_motion_.data(), static_cast<std::size_t>(n_)},
                                       {r_rows_.data(), static_cast<std::size_t>(r_rows_.size())});
}

void StepDerivative::look(const AcceptedStep& step) {
    const Eigen::VectorXd dq = step.h * step.before.v + 0.5 * step.h * step.h * step.a;
    of_rows_->look(step, dq);
    of_forces_->look(step, dq);
}

void StepDerivative::take(const AcceptedStep& step) {
    solve_.begin(step);
    evaluate(step);
    h_ = step.h;
    motion_left_ = largest_entry(r_motion_);
    rows_left_ = largest_entry(r_rows_);
    RowSet& rows = data_.parts.rows;
    const Trial& trial = data_.trial;
    q_ = data_.state.q;
    dq_ = trial.dq;
    B_ = rows.B;
    increments_ = trial.Bdq + rows.tau;
    if (of_parts_.num_rows() > 0) {
        of_parts_.take(step, q_, dq_);
        evaluate(step);
    }
    s_ = step.s.head(m_);
    for (const int k : rows.dropped()) s_[k] = 0.0;
    of_laws_.take(step);
    differentiate_rows(step);
    differentiate_forces(step);
    assemble(step);
}

/// B^T s and I by displacements and positions.
void StepDerivative::differentiate_rows(const AcceptedStep& step) {
    RowSet& rows = data_.parts.rows;
    const double t1 = step.before.t + step.h;
    by_dq_.clear();
    by_q_.clear();
    rows_dq_.clear();
    rows_q_.clear();
    // G / 2 by dq and G by q0, of rows of which it is the whole answer
    data_.parts.rows.evaluate_tangent(
        data_.trial.mid.data(), s_.data(), false, step.before.t + 0.5 * step.h);
    for (std::size_t b = 0; b < rows.blocks.size(); ++b)
        if (is_general_[b] != 0)
            rows.K.segment(rows.blocks[b].first_tangent, rows.blocks[b].num_tangent).setZero();
    rows.tangent_terms.for_each(rows.K.data(), [&](double weight, double entry, int i, int j) {
        const double value = weight * entry;
        by_dq_.emplace_back(i, j, 0.5 * value);
        by_q_.emplace_back(i, j, value);
        if (i == j) return;
        by_dq_.emplace_back(j, i, 0.5 * value);
        by_q_.emplace_back(j, i, value);
    });
    // A at both ends
    const std::vector<int>& moving = data_.parts.moving_blocks;
    const auto evaluate_ends = [&](const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& v,
                                   double t,
                                   SignalSet::Moment moment,
                                   Eigen::VectorXd& A) {
        A = B_;
        rows.evaluate_rates(moving, q.data(), v.data(), t, A.data(), pi_t_.data(), moment);
        rows.clear_dropped(A.data());
    };
    const Eigen::VectorXd q1 = q_ + dq_, v1 = data_.state.v + step.h * step.a;
    evaluate_ends(q1, v1, t1, SignalSet::Moment::end, A1_);
    evaluate_ends(q_, data_.state.v, step.before.t, SignalSet::Moment::begin, A0_);
    for (int k = 0; k < m_; ++k) {
        if (is_velocity_[k] != 0) continue;
        for (const int e : rows.entries(k)) {
            rows_dq_.emplace_back(k, rows.column_of(e), A1_[e]);
            rows_q_.emplace_back(k, rows.column_of(e), A1_[e] - A0_[e]);
        }
    }
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        if (is_general_[b] != 0) continue;
        // Velocity rows that are constant
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k)
            if (is_velocity_[k] != 0)
                for (const int e : rows.entries(k))
                    rows_dq_.emplace_back(k, rows.column_of(e), B_[e]);
    }
    of_rows_->differentiate(step, q_, dq_, s_, by_dq_, by_q_, rows_dq_, rows_q_);
    by_dq_.insert(by_dq_.end(), of_parts_.motion_dq.begin(), of_parts_.motion_dq.end());
    by_q_.insert(by_q_.end(), of_parts_.motion_q.begin(), of_parts_.motion_q.end());
}

void StepDerivative::differentiate_forces(const AcceptedStep& step) {
    of_forces_->differentiate(step, q_, dq_, by_dq_, by_q_);
    if (of_other_forces_->empty()) return;
    ForceSet& forces = data_.parts.forces;
    Eigen::VectorXd all(n_);
    const auto evaluate = [&](Eigen::VectorXd& out) {
        out.setZero();
        std::ranges::copy(data_.state.plugin, plugin_.begin());
        forces.evaluate_step(
            q_.data(), dq_.data(), step.before.t, step.h, data_.state.plugin, plugin_, all.data());
        for (const int part : other_forces_) forces.add(part, out.data());
    };
    // r_motion has -F
    const auto take = [](Triplets& to) {
        return [&to](int i, int j, double value) {
            to.emplace_back(i, j, -value);
        };
    };
    of_other_forces_->differentiate(
        evaluate,
        dq_,
        [&](int i) {
            return kMoveOfRate * move_of_place(q_[i], extent_);
        },
        take(by_dq_));
    of_other_forces_->differentiate(
        evaluate,
        q_,
        [&](int i) {
            return move_of_place(q_[i], extent_);
        },
        take(by_q_));
}

void StepDerivative::assemble(const AcceptedStep& step) {
    const double h = step.h;
    const RowSet& rows = data_.parts.rows;
    C_q_.fill(n_, n_, by_q_);
    const Sparse& I_dq = I_dq_.fill(m_, n_, rows_dq_);
    I_q_.fill(m_, n_, rows_q_);
    const Sparse& E = E_.fill(m_, m_, of_laws_.by_increments);
    P_.fill(m_, m_, of_laws_.by_strains);
    mass_.clear();
    const std::vector<MassEntry>& mass = data_.parts.mass.entries();
    const std::span<const double> values = data_.parts.mass.values();
    for (std::size_t e = 0; e < mass.size(); ++e) {
        const double value = values.empty() ? mass[e].value : values[e];
        mass_.emplace_back(mass[e].i, mass[e].j, value);
        if (mass[e].i != mass[e].j) mass_.emplace_back(mass[e].j, mass[e].i, value);
    }
    M_.fill(n_, n_, mass_);
    // K^T with the equations of motion times h^2 / 2 and s in units of 2 / h^2: all of the size of
    // masses.
    const double unit = 0.5 * h * h;
    list_ = mass_;
    for (const auto& entry : by_dq_)
        list_.emplace_back(entry.col(), entry.row(), unit * entry.value());
    // (E I_dq)^T; E couples rows of one item at most
    for (int i = 0; i < I_dq.outerSize(); ++i)
        for (Sparse::InnerIterator of(I_dq, i); of; ++of)
            for (Sparse::InnerIterator e(E, of.row()); e; ++e)
                list_.emplace_back(i, n_ + static_cast<int>(e.row()), e.value() * of.value());
    for (int k = 0; k < m_; ++k) {
        for (const int e : rows.entries(k)) list_.emplace_back(n_ + k, rows.column_of(e), B_[e]);
        list_.emplace_back(n_ + k, n_ + k, -of_laws_.gamma[k] / unit);
    }
    const int behind = n_ + m_;
    for (const auto& entry : of_parts_.motion_s)
        list_.emplace_back(behind + entry.col(), entry.row(), entry.value());
    for (const auto& entry : of_parts_.rows_dq)
        list_.emplace_back(entry.col(), behind + entry.row(), entry.value());
    for (const auto& entry : of_parts_.rows_s)
        list_.emplace_back(n_ + entry.col(), behind + entry.row(), entry.value() / unit);
    part_q_.fill(all_ - m_, n_, of_parts_.rows_q);
    scale_ = unit;
    solve_.take(step, list_, scale_);
}

Eigen::VectorXd StepDerivative::strain_change(const StepState& at, const Eigen::VectorXd& x) {
    at.put(system_);
    RowSet& rows = data_.parts.rows;
    A1_ = rows.B;
    rows.evaluate_rates(
        data_.parts.moving_blocks, at.q.data(), at.v.data(), at.t, A1_.data(), pi_t_.data());
    Eigen::VectorXd out = Eigen::VectorXd::Zero(m_);
    for (int k = 0; k < m_; ++k)
        if (is_velocity_[k] == 0)
            for (const int e : rows.entries(k)) out[k] += A1_[e] * x[rows.column_of(e)];
    return out;
}

bool StepDerivative::pull_back(Costate& of,
                               Eigen::VectorXd& motion,
                               Eigen::VectorXd& rows,
                               const StepFunction* besides) {
    b_.setZero(n_ + all_);
    b_.head(n_) = of.q + (2.0 / h_) * of.v;
    b_.head(n_).noalias() += (*I_dq_).transpose() * of.pi;
    if (besides != nullptr) {
        b_.head(n_) += besides->dq;
        b_.tail(all_) += besides->s / scale_;
        of.q += besides->q;
    }
    if (largest_entry(b_) == 0.0) {
        x_.setZero(n_ + all_);
    } else if (!solve_.solve(b_, x_)) {
        return false;
    }
    motion = scale_ * x_.head(n_);
    rows = x_.tail(all_);
    of.q += (*I_q_).transpose() * (of.pi - (*E_).transpose() * rows.head(m_));
    of.q.noalias() -= (*part_q_).transpose() * rows.tail(all_ - m_);
    of.q.noalias() -= (*C_q_).transpose() * motion;
    of.v *= -1.0;
    of.v.noalias() += (2.0 / h_) * (*M_ * motion);
    of.pi.noalias() -= (*P_).transpose() * rows.head(m_);
    return true;
}

bool StepDerivative::push(Costate& change,
                          const Eigen::VectorXd& motion,
                          const Eigen::VectorXd& rows,
                          const Eigen::VectorXd& increments) {
    const Eigen::VectorXd I_by_q = *I_q_ * change.q;
    b_.resize(n_ + all_);
    b_.head(n_) = -scale_ * (motion + *C_q_ * change.q - (2.0 / h_) * (*M_ * change.v));
    b_.segment(n_, m_) = -(rows.head(m_) + *E_ * I_by_q + *P_ * change.pi);
    b_.tail(all_ - m_) = -(rows.tail(all_ - m_) + *part_q_ * change.q);
    if (largest_entry(b_) == 0.0) {
        x_.setZero(n_ + all_);
    } else if (!solve_.solve(b_, x_)) {
        return false;
    }
    const Eigen::VectorXd ddq = x_.head(n_);
    change.pi += *I_dq_ * ddq + I_by_q + increments;
    change.q += ddq;
    change.v = (2.0 / h_) * ddq - change.v;
    return true;
}

StepDerivative::Change StepDerivative::change_by(const Eigen::VectorXd& dq,
                                                 const Eigen::VectorXd& dq0,
                                                 const Eigen::VectorXd& a,
                                                 const Eigen::VectorXd& ds,
                                                 const Eigen::VectorXd& dpi) const {
    Eigen::VectorXd by_stress = Eigen::VectorXd::Zero(n_), by_dq = by_stress;
    for (int k = 0; k < m_; ++k)
        data_.parts.rows.add_transposed(B_.data(), k, ds[k], by_stress.data());
    for (const auto& entry : of_parts_.motion_s)
        by_stress[entry.row()] += entry.value() * ds[m_ + entry.col()];
    for (const auto& entry : by_dq_) by_dq[entry.row()] += entry.value() * dq[entry.col()];
    const Eigen::VectorXd by_q = *C_q_ * dq0, by_a = *M_ * a;
    Change out;
    out.motion = by_dq + by_q + by_stress + by_a;
    out.motion_terms = by_dq.cwiseAbs()
                           .cwiseMax(by_q.cwiseAbs())
                           .cwiseMax(by_stress.cwiseAbs())
                           .cwiseMax(by_a.cwiseAbs());
    const Eigen::VectorXd I = *I_dq_ * dq + *I_q_ * dq0;
    const Eigen::VectorXd of_stress = of_laws_.gamma.cwiseProduct(ds.head(m_));
    out.rows.setZero(all_);
    out.rows_terms.setZero(all_);
    out.rows.head(m_) = *E_ * I + *P_ * dpi - of_stress;
    out.rows_terms.head(m_) =
        out.rows.head(m_).cwiseAbs().cwiseMax(of_stress.cwiseAbs()).cwiseMax(dpi.cwiseAbs());
    const Eigen::VectorXd of_places = *part_q_ * dq0;
    out.rows.tail(all_ - m_) = of_places;
    out.rows_terms.tail(all_ - m_) = of_places.cwiseAbs();
    const auto add = [&](const Triplets& list, const Eigen::VectorXd& by) {
        for (const auto& entry : list) {
            const double term = entry.value() * by[entry.col()];
            const auto row = m_ + entry.row();
            out.rows[row] += term;
            out.rows_terms[row] = std::max(out.rows_terms[row], std::abs(term));
        }
    };
    add(of_parts_.rows_dq, dq);
    add(of_parts_.rows_s, ds);
    return out;
}

StepDerivative::Shift StepDerivative::shift(const AcceptedStep& step,
                                            const Costate& of,
                                            const Eigen::VectorXd& motion,
                                            const Eigen::VectorXd& rows,
                                            const StepFunction* besides) {
    // L . (q1, v1, pi1) - (m, n) . r does not change with dq and s, by (2): a may be held instead.
    const auto value = [&](double t0, double h) {
        AcceptedStep moved = step;
        moved.before.t = t0;
        moved.h = h;
        moved.before.put(system_);
        evaluate(moved);
        const double more =
            besides != nullptr ? besides->value(system_, {t0, h, view(step.a), view(step.s)}) : 0.0;
        return more + of.q.dot(data_.trial.dq) + h * of.v.dot(step.a) +
               of.pi.dot(data_.trial.Bdq + data_.parts.rows.tau) - motion.dot(r_motion_) -
               rows.dot(r_rows_);
    };
    const double t0 = step.before.t, h = step.h, d = kMoveOfLength * h;
    const auto slope = [&](double by_t, double by_h) {
        const auto at = [&](double factor) {
            return value(t0 + factor * by_t, h + factor * by_h);
        };
        return (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * d);
    };
    return {of.t + slope(d, 0.0), of.t + slope(0.0, d)};
}

}  // namespace ancora
