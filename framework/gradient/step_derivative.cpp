// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of rows, laws and forces over a step, and their sparse matrices.
#include "step_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "impact_derivative.hpp"

namespace ancora {
namespace {

constexpr double kRoundoff = std::numeric_limits<double>::epsilon();
// Distances of differences relative to the size of a coordinate: positions in rows and forces, and
// displacements in forces, which stand for rates of this over h.
constexpr double kMove = 0x1p-15;
constexpr double kMoveOfRate = 0x1p-23;
constexpr double kMoveOfStrain = 0x1p-10;
constexpr double kMoveOfLength = 0x1p-10;
// Slopes on both sides of a corner, or at one and two distances, differ by more than this part;
// then nearer ones are tried.
constexpr double kCorner = 1e-3;
constexpr double kBendOfLaw = 0.2;
constexpr int kCloser = 3;
constexpr double kCloserBy = 0x1p-5;
constexpr double kNoSlope = 1e-300;
// As Massless sees it.
constexpr double kSeenByRounding = 1e-12;
// The check: its distance, and the part by which derivatives may miss.
constexpr double kTry = 0x1p-20;
constexpr double kMiss = 1e-6;
constexpr double kOfTerms = 64.0;  // roundings of a sum
// Corrections of a solve, each of the residual of the one before, and the part that one leaves.
constexpr int kMostCorrections = 6;
constexpr double kCorrection = 1e-7;
constexpr double kEnough = 1e-14;

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

const FilledMatrix::Sparse& FilledMatrix::fill(int rows, int columns, const Triplets& list) {
    const bool is_as_before = matrix_.rows() == rows && matrix_.cols() == columns &&
                              list.size() == at_.size() &&
                              std::ranges::equal(list, at_, [](const auto& entry, const auto& at) {
                                  return entry.row() == at.first && entry.col() == at.second;
                              });
    if (is_as_before) {
        double* const values = matrix_.valuePtr();
        std::fill_n(values, matrix_.nonZeros(), 0.0);
        for (std::size_t e = 0; e < list.size(); ++e) values[place_[e]] += list[e].value();
        return matrix_;
    }
    matrix_.resize(rows, columns);
    matrix_.setFromTriplets(list.begin(), list.end());
    at_.clear();
    place_.clear();
    for (const auto& entry : list) {
        at_.emplace_back(entry.row(), entry.col());
        const int* const inner = matrix_.innerIndexPtr();
        const int* const begin = inner + matrix_.outerIndexPtr()[entry.col()];
        const int* const end = inner + matrix_.outerIndexPtr()[entry.col() + 1];
        place_.push_back(static_cast<int>(std::lower_bound(begin, end, entry.row()) - inner));
    }
    return matrix_;
}

StepDerivative::StepDerivative(KernelSystem& system)
    : system_(system),
      data_(system.step_data()),
      n_(data_.parts.n),
      m_(data_.parts.m),
      extent_(data_.state.extent) {
    for (Eigen::VectorXd* x : {&q_, &dq_, &mid_, &r_motion_}) x->setZero(n_);
    r_rows_.setZero(system.num_rows());
    for (Eigen::VectorXd* x : {&pi_t_, &s_, &gamma_}) x->setZero(m_);
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
    if (system.step_parts().num_rows() > 0) return "it has dry friction";
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
    find_massless();
}

/// Coordinates without mass that rows have in common, with all that these rows see.
void StepDerivative::find_massless() {
    const Assembly& parts = data_.parts;
    const RowSet& rows = parts.rows;
    DisjointSets sets(static_cast<std::size_t>(n_));
    std::vector<int> first_of_row(m_, -1);
    for (int k = 0; k < m_; ++k)
        for (const int i : rows.columns(k)) {
            if (!parts.mass.is_massless(i)) continue;
            if (first_of_row[k] < 0) first_of_row[k] = i;
            sets.join(i, first_of_row[k]);
        }
    std::map<int, SparseDifferences::Object> clusters;
    for (int i = 0; i < n_; ++i)
        if (parts.mass.is_massless(i)) clusters[sets.root(i)].outputs.push_back(i);
    for (int k = 0; k < m_; ++k) {
        if (first_of_row[k] < 0) continue;
        std::vector<int>& inputs = clusters[sets.root(first_of_row[k])].inputs;
        inputs.insert(inputs.end(), rows.columns(k).begin(), rows.columns(k).end());
    }
    std::vector<SparseDifferences::Object> objects;
    for (auto& [root, cluster] : clusters) {
        std::ranges::sort(cluster.inputs);
        cluster.inputs.erase(std::unique(cluster.inputs.begin(), cluster.inputs.end()),
                             cluster.inputs.end());
        objects.push_back(std::move(cluster));
    }
    of_massless_.emplace(n_, n_, objects);
}

double StepDerivative::distance(int coordinate, double part) const {
    return part * std::max(std::abs(q_[coordinate]), std::min(1.0, extent_));
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
    weigh_factors();
    // The system forgets its matrix where other rows are closed.
    if (step_ == nullptr || step.before.closed != closed_) factors_ = Factors::none;
    closed_ = step.before.closed;
    step.before.put(system_);
    if (factors_ == Factors::symmetric &&
        !system_.step_equations()->is_factorised_for(factors_length_))
        factors_ = Factors::none;
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
    s_ = step.s.head(m_);
    for (const int k : rows.dropped()) s_[k] = 0.0;
    take_laws(step);
    differentiate_rows(step);
    differentiate_forces(step);
    assemble(step.h);
    step_ = &step;
    is_fresh_ = false;
}

/// r_rows by I, pi0 and s.
void StepDerivative::take_laws(const AcceptedStep& step) {
    const RowLaws& laws = data_.parts.laws;
    const RowSet& rows = data_.parts.rows;
    const Eigen::VectorXd& pi = data_.state.pi;
    law_I_.clear();
    law_pi_.clear();
    const auto is_dropped = [&](int k) {
        return std::ranges::binary_search(rows.dropped(), k);
    };
    for (int k = 0; k < m_; ++k) {
        gamma_[k] = laws.is_nonlinear(k) ? laws.stiffest_compliance(k) : laws.gamma()[k];
        if (is_dropped(k) || laws[k].kind == RowKind::unilateral) {
            gamma_[k] = 1.0;  // s = 0
            continue;
        }
        if (laws.is_nonlinear(k)) continue;
        law_I_.emplace_back(k, k, 1.0);
        if (laws.theta()[k] != 0.0) law_pi_.emplace_back(k, k, laws.theta()[k]);
    }
    // Differences of the law alone: the slope that it gives is one for an iteration.
    const auto fourth = [&](const auto& f, double d) {
        for (int k = 0; k < kCloser; ++k, d *= kCloserBy) {
            const double up = f(d), down = f(-d), near = up - down;
            const double far = f(2.0 * d) - f(-2.0 * d);
            const double bend = up + down - 2.0 * f(0.0);
            if (std::abs(near - 0.5 * far) <= kCorner * std::abs(near) + kNoSlope &&
                std::abs(bend) <= kBendOfLaw * std::abs(near) + kNoSlope)
                return (8.0 * near - far) / (12.0 * d);
        }
        throw AdjointObstacle{
            fmt::format("t = {:.6g} s: a law of its rows has a corner", step.before.t)};
    };
    const auto size = [&](int k, double increment) {
        return kMoveOfStrain * std::max({std::abs(pi[k]),
                                         std::abs(pi[k] + increment),
                                         std::abs(increment),
                                         laws[k].compliance * std::abs(step.s[k]),
                                         1e-12});
    };
    const ItemLaws& together = laws.together();
    Eigen::VectorXd increments;
    for (const int k : laws.nonlinear()) {
        const double increment = data_.trial.Bdq[k] + rows.tau[k];
        if (together.holds(k)) {
            if (increments.size() == 0) increments.setZero(m_);
            increments[k] = increment;
            continue;
        }
        const double unit = laws.stiffest_compliance(k);
        const auto by_increment = [&](double d) {
            return laws.mean_stress(k, pi[k], increment + d, step.h).stress;
        };
        const auto by_strain = [&](double d) {
            return laws.mean_stress(k, pi[k] + d, increment, step.h).stress;
        };
        law_I_.emplace_back(k, k, unit * fourth(by_increment, size(k, increment)));
        law_pi_.emplace_back(k, k, unit * fourth(by_strain, size(k, increment)));
    }
    for (const ItemLaws::Item& item : together.items()) {
        std::vector<StressMean> mean(m_);
        std::vector<double> D(together.num_slopes());
        const auto count = item.num_rows;
        const std::span<double> own(
            D.data() + item.first_slope,
            static_cast<std::size_t>(count) * static_cast<std::size_t>(count));
        Eigen::VectorXd at = pi;
        together.mean(item, at.data(), increments.data(), step.h, mean.data(), own);
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < count; ++j) {
                const int row = item.first_row + i, by = item.first_row + j;
                // D is symmetric
                law_I_.emplace_back(row, by, laws.stiffest_compliance(row) * own[j * count + i]);
            }
        double d = 0.0;
        for (int k = item.first_row; k < item.first_row + count; ++k)
            d = std::max(d, size(k, increments[k]));
        for (int j = 0; j < count; ++j) {
            const int by = item.first_row + j;
            const auto stresses = [&](double move) {
                at[by] = pi[by] + move;
                together.mean(item, at.data(), increments.data(), step.h, mean.data(), own);
                at[by] = pi[by];
                Eigen::VectorXd out(count);
                for (int i = 0; i < count; ++i) out[i] = mean[item.first_row + i].stress;
                return out;
            };
            const Eigen::VectorXd near = stresses(d) - stresses(-d);
            const Eigen::VectorXd far = stresses(2.0 * d) - stresses(-2.0 * d);
            for (int i = 0; i < count; ++i) {
                const int row = item.first_row + i;
                law_pi_.emplace_back(
                    row, by, laws.stiffest_compliance(row) * (8.0 * near[i] - far[i]) / (12.0 * d));
            }
        }
    }
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
            return distance(i, kMoveOfRate);
        },
        take(by_dq_));
    of_other_forces_->differentiate(
        evaluate,
        q_,
        [&](int i) {
            return distance(i, kMove);
        },
        take(by_q_));
}

void StepDerivative::assemble(double h) {
    const RowSet& rows = data_.parts.rows;
    C_q_.fill(n_, n_, by_q_);
    const Sparse& I_dq = I_dq_.fill(m_, n_, rows_dq_);
    I_q_.fill(m_, n_, rows_q_);
    const Sparse& E = E_.fill(m_, m_, law_I_);
    P_.fill(m_, m_, law_pi_);
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
        list_.emplace_back(n_ + k, n_ + k, -gamma_[k] / unit);
    }
    KT_.fill(n_ + m_, n_ + m_, list_);
    scale_ = unit;
}

/// The symmetric matrix of the step's iteration, which is about K^T where rows have linear laws;
/// else, or where that does not serve, K^T itself.
bool StepDerivative::factorise() {
    const bool may_be_symmetric =
        !data_.parts.laws.has_nonlinear() && !(is_fresh_ && factors_ == Factors::symmetric);
    is_fresh_ = true;
    if (may_be_symmetric) {
        step_->before.put(system_);
        evaluate(*step_);
        factors_ = Factors::symmetric;
        factors_length_ = step_->h;
        if (system_.step_equations()->factorise(
                {step_->before.t, step_->h, view(step_->a), view(step_->s)}, Tangent::symmetric))
            return true;
    }
    const bool is_good = is_transposed_ ? lu_.compute(*KT_) : lu_.compute((*KT_).transpose());
    factors_ = is_good ? Factors::exact : Factors::none;
    return factors_ == Factors::exact;
}

/// Factors serve from step to step until the products that they cost more than new ones are worth
/// half of a factorisation, as FactorReuse has it.
void StepDerivative::weigh_factors() {
    constexpr double kExactCostsMore = 8.0;  // in an order of its own, with pivots
    const double last = std::exchange(products_, 0.0);
    if (factors_ == Factors::none || last == 0.0) return;
    if (is_fresh_) {
        products_when_fresh_ = last;
        wasted_ = 0.0;
        return;
    }
    // An iteration there has two solves and two residuals.
    const SolverCost cost = system_.step_equations()->cost();
    const double worth = cost.factorise * (factors_ == Factors::exact ? kExactCostsMore : 1.0);
    wasted_ += std::max(0.0, last - products_when_fresh_) * 0.5 * cost.iterate;
    if (wasted_ > 0.5 * worth) factors_ = Factors::none;
}

/// x is about K^-T b.
bool StepDerivative::precondition(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
    if (factors_ == Factors::exact) {
        lu_.solve(b, x);
        return x.allFinite();
    }
    // In the equations' own units
    const auto n = static_cast<std::size_t>(n_);
    const auto m = static_cast<std::size_t>(m_);
    scaled_ = b;
    scaled_.tail(m_) *= scale_;
    x.resize(n_ + m_);
    system_.step_rows().matrix.solve(
        {scaled_.data(), n}, {scaled_.data() + n_, m}, {x.data(), n}, {x.data() + n_, m});
    x.head(n_) /= scale_;
    return x.allFinite();
}

/// K^-T b to rounding: the factors of an earlier step serve as long as they lead there.
bool StepDerivative::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
    if (factors_ != Factors::none && solve_by(b, x)) return true;
    for (int tries = 0; tries < 2; ++tries) {
        if (is_fresh_ && factors_ == Factors::exact) return false;
        if (!factorise()) return false;
        if (solve_by(b, x)) return true;
    }
    return false;
}

void StepDerivative::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& to) const {
    if (is_transposed_)
        to.noalias() = *KT_ * x;
    else
        to.noalias() = (*KT_).transpose() * x;
}

bool StepDerivative::solve_by(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
    x.setZero(b.size());
    left_ = b;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kMostCorrections; ++k) {
        const double left = krylov_.solve(
            [this](const Eigen::VectorXd& z, Eigen::VectorXd& w) {
                multiply(z, w);
            },
            [this](const Eigen::VectorXd& v, Eigen::VectorXd& z) {
                return precondition(v, z);
            },
            left_,
            kCorrection,
            more_);
        products_ += krylov_.num_products;
        if (!(left >= 0.0) || (left > kCorrection && (!is_fresh_ || k == 0))) return false;
        const double change = largest_entry(more_);
        if (!std::isfinite(change)) return false;
        if (!(change < 0.5 * last)) return is_rounding(b, x);
        x += more_;
        if (left * change <= kEnough * largest_entry(x)) return true;
        last = change;
        multiply(x, left_);
        left_ = b - left_;
    }
    return is_rounding(b, x);
}

/// Whether the residual left_ is rounding of its terms, which says that no factors do better.
bool StepDerivative::is_rounding(const Eigen::VectorXd& b, const Eigen::VectorXd& x) {
    if (factors_ == Factors::exact) return true;
    scaled_ = b.cwiseAbs();
    const Sparse& KT = *KT_;
    for (int j = 0; j < KT.outerSize(); ++j)
        for (Sparse::InnerIterator it(KT, j); it; ++it) {
            const auto to = is_transposed_ ? it.row() : it.col();
            const auto from = is_transposed_ ? it.col() : it.row();
            scaled_[to] += std::abs(it.value() * x[from]);
        }
    return (left_.array().abs() <= kOfTerms * kRoundoff * scaled_.array()).all();
}

std::vector<int> StepDerivative::unseen_rows(const StepState& at) {
    std::vector<int> out;
    if (of_massless_->empty()) return out;
    at.put(system_);
    RowSet& rows = data_.parts.rows;
    A1_ = rows.B;
    rows.evaluate_rates(system_.step_rows().massless.blocks(),
                        at.q.data(),
                        at.v.data(),
                        at.t,
                        A1_.data(),
                        pi_t_.data());
    const Eigen::VectorXd reach = data_.parts.space.reaches();
    for (int k = 0; k < m_; ++k) {
        double most = 0.0, seen = -1.0;
        for (const int e : rows.entries(k)) {
            const int i = rows.column_of(e);
            const double entry = std::abs(A1_[e]) / reach[i];
            most = std::max(most, entry);
            if (data_.parts.mass.is_massless(i)) seen = std::max(seen, entry);
        }
        if (seen >= 0.0 && seen <= kSeenByRounding * most) out.push_back(k);
    }
    return out;
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

void StepDerivative::reset_massless(KernelSystem& system, const std::vector<int>& unseen) {
    Massless& massless = system.step_rows().massless;
    if (massless.empty()) return;
    const SystemData data = system.step_data();
    Eigen::VectorXd A = data.parts.rows.B;
    Eigen::VectorXd pi_t = Eigen::VectorXd::Zero(data.parts.m);
    data.parts.rows.evaluate_rates(massless.blocks(),
                                   data.state.q.data(),
                                   data.state.v.data(),
                                   data.state.t,
                                   A.data(),
                                   pi_t.data());
    for (const int k : unseen)
        for (const int e : data.parts.rows.entries(k))
            if (data.parts.mass.is_massless(data.parts.rows.column_of(e))) A[e] = 0.0;
    massless.reset(A, pi_t, data.state.v.data());
}

void StepDerivative::move_massless(const StepState& at, Costate& of) {
    if (of_massless_->empty()) return;
    Eigen::VectorXd by = of.v;
    for (int i = 0; i < n_; ++i)
        if (!data_.parts.mass.is_massless(i)) by[i] = 0.0;
    if (largest_entry(by) == 0.0) return;
    of.v -= by;
    const std::vector<int> unseen = unseen_rows(at);
    q_ = at.q;
    v_ = at.v;
    const auto evaluate = [&](Eigen::VectorXd& out) {
        data_.state.q = q_;
        data_.state.v = v_;
        reset_massless(system_, unseen);
        out = data_.state.v;
    };
    of_massless_->differentiate(
        evaluate,
        q_,
        [&](int i) {
            return distance(i, kMove);
        },
        [&](int i, int j, double value) {
            of.q[j] += by[i] * value;
        });
    // linear in the other velocities
    of_massless_->differentiate(
        evaluate,
        v_,
        [](int) {
            return 1.0;
        },
        [&](int i, int j, double value) {
            if (!data_.parts.mass.is_massless(j)) of.v[j] += by[i] * value;
        });
}

bool StepDerivative::pull_back(Costate& of, Eigen::VectorXd& motion, Eigen::VectorXd& rows) {
    b_.setZero(n_ + m_);
    b_.head(n_) = of.q + (2.0 / h_) * of.v;
    b_.head(n_).noalias() += (*I_dq_).transpose() * of.pi;
    if (largest_entry(b_) == 0.0) {
        x_.setZero(n_ + m_);
    } else if (!solve(b_, x_)) {
        return false;
    }
    motion = scale_ * x_.head(n_);
    rows = x_.tail(m_);
    of.q += (*I_q_).transpose() * (of.pi - (*E_).transpose() * rows);
    of.q.noalias() -= (*C_q_).transpose() * motion;
    of.v *= -1.0;
    of.v.noalias() += (2.0 / h_) * (*M_ * motion);
    of.pi.noalias() -= (*P_).transpose() * rows;
    return true;
}

bool StepDerivative::push(Costate& change,
                          const Eigen::VectorXd& motion,
                          const Eigen::VectorXd& rows,
                          const Eigen::VectorXd& increments) {
    const Eigen::VectorXd I_by_q = *I_q_ * change.q;
    b_.resize(n_ + m_);
    b_.head(n_) = -scale_ * (motion + *C_q_ * change.q - (2.0 / h_) * (*M_ * change.v));
    b_.tail(m_) = -(rows + *E_ * I_by_q + *P_ * change.pi);
    if (largest_entry(b_) == 0.0) {
        x_.setZero(n_ + m_);
    } else if (!solve(b_, x_)) {
        return false;
    }
    const Eigen::VectorXd ddq = x_.head(n_);
    change.pi += *I_dq_ * ddq + I_by_q + increments;
    change.q += ddq;
    change.v = (2.0 / h_) * ddq - change.v;
    return true;
}

StepDerivative::Shift StepDerivative::shift(const AcceptedStep& step,
                                            const Costate& of,
                                            const Eigen::VectorXd& motion,
                                            const Eigen::VectorXd& rows) {
    // L . (q1, v1, pi1) - (m, n) . r does not change with dq and s, by (2): a may be held instead.
    const auto value = [&](double t0, double h) {
        AcceptedStep moved = step;
        moved.before.t = t0;
        moved.h = h;
        moved.before.put(system_);
        evaluate(moved);
        return of.q.dot(data_.trial.dq) + h * of.v.dot(step.a) +
               of.pi.dot(data_.trial.Bdq + data_.parts.rows.tau) - motion.dot(r_motion_) -
               rows.dot(r_rows_.head(m_));
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

std::string StepDerivative::check(const AcceptedStep& step, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    const auto random = [&](Eigen::Index size, double scale) {
        Eigen::VectorXd out(size);
        for (double& x : out) x = scale * any(engine);
        return out;
    };
    const RowSet& rows = data_.parts.rows;
    const RowLaws& laws = data_.parts.laws;
    const Trial& trial = data_.trial;
    step.before.put(system_);
    evaluate(step);
    const double force = std::max({largest_entry(trial.Ma), largest_entry(trial.F), 1e-300});
    Eigen::VectorXd stressed = Eigen::VectorXd::Zero(n_);
    for (int k = 0; k < m_; ++k)
        for (const int e : rows.entries(k))
            stressed[rows.column_of(e)] += std::abs(rows.B[e] * step.s[k]);
    const double terms = std::max(force, largest_entry(stressed));
    if (largest_entry(r_motion_) > 1e-4 * terms)
        return "its equations are not met at the steps of the run";
    const double size = std::min(1.0, extent_);
    const Eigen::VectorXd dq = random(n_, size), dq0 = random(n_, size);
    Eigen::VectorXd ds = random(m_, std::max(largest_entry(step.s), force));
    Eigen::VectorXd dpi = random(m_, 1e-3 * size + largest_entry(step.before.pi));
    for (int k = 0; k < m_; ++k)
        if (!laws.carries(k)) dpi[k] = 0.0;
    const auto is_open = [&](int k) {
        return laws[k].kind == RowKind::unilateral;
    };
    for (int k = 0; k < m_; ++k)
        if (is_open(k)) ds[k] = dpi[k] = 0.0;
    for (const int k : rows.dropped()) ds[k] = dpi[k] = 0.0;
    // With dv0 = ddq / h the mean acceleration stays.
    const auto moved = [&](double by) {
        AcceptedStep out = step;
        out.before.q += by * dq0;
        out.before.v += (by / step.h) * dq;
        out.before.pi += by * dpi;
        out.s.head(m_) += by * ds;
        return out;
    };
    Eigen::VectorXd up_motion, up_rows;
    {
        const AcceptedStep up = moved(kTry);
        up.before.put(system_);
        evaluate(up);
        up_motion = r_motion_;
        up_rows = r_rows_;
        const AcceptedStep down = moved(-kTry);
        down.before.put(system_);
        evaluate(down);
    }
    up_motion = (up_motion - r_motion_) / (2.0 * kTry);
    up_rows = (up_rows - r_rows_) / (2.0 * kTry);
    Sparse C(n_, n_);
    C.setFromTriplets(by_dq_.begin(), by_dq_.end());
    Eigen::VectorXd by_stress = Eigen::VectorXd::Zero(n_);
    for (int k = 0; k < m_; ++k) rows.add_transposed(B_.data(), k, ds[k], by_stress.data());
    const Eigen::VectorXd by_dq = C * dq, by_q = *C_q_ * dq0;
    const Eigen::VectorXd motion = by_dq + by_q + by_stress;
    const Eigen::VectorXd I = *I_dq_ * dq + *I_q_ * dq0;
    Eigen::VectorXd of_rows = *E_ * I + *P_ * dpi - gamma_.cwiseProduct(ds);
    const double noise = kOfTerms * kRoundoff / kTry;
    const double allowed =
        kMiss * std::max({largest_entry(by_dq), largest_entry(by_q), largest_entry(by_stress)}) +
        noise * terms;
    if (largest_entry(up_motion - motion) > allowed)
        return "the derivatives of its forces or stresses are not what they say";
    for (const int k : rows.dropped()) of_rows[k] = up_rows[k];
    for (int k = 0; k < m_; ++k)
        if (is_open(k)) of_rows[k] = up_rows[k];
    double largest_row = 0.0;
    for (int k = 0; k < m_; ++k)
        largest_row = std::max(
            {largest_row, std::abs(of_rows[k]), std::abs(gamma_[k] * ds[k]), std::abs(dpi[k])});
    if (largest_entry(up_rows.head(m_) - of_rows) > kMiss * largest_row + noise * size)
        return "the derivatives of its rows are not what they say";
    // What plugins keep besides
    if (step.before.plugin.empty()) return {};
    AcceptedStep other = step;
    for (double& w : other.before.plugin) w += 1e-7 * (1.0 + std::abs(w)) * any(engine);
    step.before.put(system_);
    evaluate(step);
    const Eigen::VectorXd here_motion = r_motion_, here_rows = r_rows_;
    other.before.put(system_);
    evaluate(other);
    if (largest_entry(r_motion_ - here_motion) > kOfTerms * kRoundoff * terms ||
        largest_entry(r_rows_ - here_rows) >
            kOfTerms * kRoundoff * (size + largest_entry(here_rows)))
        return "it has objects with states of their own";
    return {};
}

}  // namespace ancora
