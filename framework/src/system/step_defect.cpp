// SPDX-License-Identifier: BSD-3-Clause
// How far a trial is from solving the step: residuals against what rounding leaves of their terms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel_system.hpp"

namespace ancora {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Roundings that a sum's terms have behind them, and its own partial sums; on average they cancel.
constexpr double kRoundings = 1.0;
// A difference of values of a function has those of the function's own steps besides.
constexpr double kValueRoundings = 0.1;
// Below this part of the roundings of positions no gap is looked at, and below this part of those
// of a body's largest force no force: at rest nothing else tells them from nothing.
constexpr double kUnseen = 1e-4;
// A force that moves its node by less than this part of the model's size is none: where nothing
// pulls, forces are noise beside noise.
constexpr double kNoForce = 1e-30;
constexpr int kNode = 3;  // coordinates of a point or director

/// What is left in units of what may be.
double ratio(double left, double allowed) {
    return left == 0.0 ? 0.0 : left / allowed;
}

}  // namespace

void KernelSystem::prepare_defect() {
    for (Eigen::VectorXd* x : {&size_q_, &size_dq_, &terms_}) x->setZero(n_);
    row_terms_.setZero(m_);
    for (const BodyPart& part : model_.bodies)
        for (int i = part.first; i < part.first + part.count; i += kNode) {
            first_of_node_.push_back(i);
            body_of_node_.push_back(static_cast<int>(&part - model_.bodies.data()));
        }
    first_of_node_.push_back(n_);
    body_terms_.assign(model_.bodies.size(), 0.0);
    for (const BlockPart& part : rows_.blocks) {
        const bool is_difference =
            part.block->degree == Degree::general || part.block->depends_on_time;
        for (int k = part.first_row; is_difference && k < part.first_row + part.num_rows; ++k)
            if (laws_.carries(k)) valued_rows_.push_back(k);
    }
}

/// Sizes of q and dq are those of nodes, a point's or director's coordinates together, so that the
/// axes do not count. Each residual is compared with what rounding leaves of *its own* terms: of a
/// row
///
///   |B| (|h v0| + |h^2/2 a|) + |tau| + |theta pi0| + |extra| + |gamma s|                 (1)
///
/// and |B| |q|, a small part of it besides and all of it where its increment is a difference of
/// values of pi; of a node
///
///   |M a| + |B|^T |s| + |F|                                                              (2)
///
/// a small part of the largest in its body, and |G| |q| once corrections move positions by
/// roundings only, G the geometric stiffness. So the measure is right at rest, in a drive, and for
/// any mass (theory, section 3.1, "Convergence").
StepDefect KernelSystem::defect(const StepTrial& trial, double slack) {
    const Stopwatch watch(meter_.is_sampling(), sampled.assemble);
    const double h = trial.h;
    const double* a = trial.a.data();
    const double* s = trial.s.data();
    for (std::size_t node = 0; node + 1 < first_of_node_.size(); ++node) {
        double length = 0.0;
        double size = 0.0;
        for (int i = first_of_node_[node]; i < first_of_node_[node + 1]; ++i) {
            length = std::max(length, std::abs(mid_[i]));
            size = std::max(size, std::abs(h * v_[i]) + (0.5 * h * h) * std::abs(a[i]));
            terms_[i] = std::abs(Ma_[i]) + mass_.diagonal(i) * std::abs(a[i]) + std::abs(F_[i]);
        }
        for (int i = first_of_node_[node]; i < first_of_node_[node + 1]; ++i) {
            size_q_[i] = length;
            size_dq_[i] = size + kUnseen * std::max(length, extent_);
        }
    }
    const int* column = rows_.column.data();
    const double* B = rows_.B.data();
    for (const int k : valued_rows_) {
        double values = 0.0;
        const int end = rows_.row_start[static_cast<std::size_t>(k) + 1];
        for (int e = rows_.row_start[static_cast<std::size_t>(k)]; e < end; ++e)
            values += std::abs(B[e]) * size_q_[column[e]];
        row_terms_[k] = kValueRoundings * values;
    }

    StepDefect out;
    worst_row_ = worst_node_ = -1;
    for (int k = 0; k < m_; ++k) {
        const double sk = std::abs(s[k]);
        double terms = row_terms_[k] + std::abs(rows_.tau[k]);
        double reach = 0.0;
        const int end = rows_.row_start[static_cast<std::size_t>(k) + 1];
        for (int e = rows_.row_start[static_cast<std::size_t>(k)]; e < end; ++e) {
            const int i = column[e];
            const double entry = std::abs(B[e]);
            terms += entry * size_dq_[i];
            reach += entry;
            terms_[i] += entry * sk;
        }
        if (laws_.is_nonlinear(k))
            terms += terms_of_law(k, s[k]);
        else
            terms += std::abs(laws_.theta()[k] * pi_[k]) + std::abs(laws_.extra()[k]) +
                     laws_.gamma()[k] * sk;
        const double left = std::abs(r_rows_[static_cast<std::size_t>(k)]);
        const double allowed = kRoundings * kEpsilon * terms + slack * reach;
        if (left <= out.rows * allowed) continue;
        out.rows = ratio(left, allowed);
        worst_row_ = k;
    }
    if (!contacts_.empty()) contact_defect(trial, slack, out);

    if (positions_round_)
        for (const TangentTerm& term : rows_.tangent_terms) {
            const double g = 0.5 * std::abs(term.weight * rows_.K[term.from]);
            terms_[term.i] += g * size_q_[term.j];
            if (term.i != term.j) terms_[term.j] += g * size_q_[term.i];
        }
    for (std::size_t body = 0; body < model_.bodies.size(); ++body) {
        const BodyPart& part = model_.bodies[body];
        body_terms_[body] =
            part.count > 0 ? kUnseen * terms_.segment(part.first, part.count).maxCoeff() : 0.0;
    }
    const double inertia = (slack + kNoForce * extent_) * 2.0 / (h * h);
    for (std::size_t node = 0; node + 1 < first_of_node_.size(); ++node) {
        double left = 0.0;
        double terms = body_terms_[static_cast<std::size_t>(body_of_node_[node])];
        double mass = 0.0;
        for (int i = first_of_node_[node]; i < first_of_node_[node + 1]; ++i) {
            left = std::max(left, std::abs(r_motion_[static_cast<std::size_t>(i)]));
            terms = std::max(terms, terms_[i]);
            mass = std::max(mass, mass_.diagonal(i));
        }
        const double allowed = kRoundings * kEpsilon * terms + inertia * mass;
        if (left <= out.motion * allowed) continue;
        out.motion = ratio(left, allowed);
        worst_node_ = static_cast<int>(node);
    }
    return out;
}

/// Where several contacts stick they may contradict each other by roundings of positions, which no
/// motion closes; book_contacts() forgets them.
double KernelSystem::unreachable(const Contact& contact, int k) const {
    const auto shares = [&](const Contact& other) {
        return &other != &contact && other.mode == ContactMode::stick &&
               island_of(other) == island_of(contact);
    };
    return std::ranges::any_of(contacts_.all(), shares) ? contacts_.size_along(k, size_q_.data())
                                                        : 0.0;
}

/// The same of contact rows; adds their forces to the terms of motion.
void KernelSystem::contact_defect(const StepTrial& trial, double slack, StepDefect& out) {
    const double* s = trial.s.data() + m_;
    for (const Contact& contact : contacts_.all()) {
        const auto left = [&](int k) {
            return std::abs(r_rows_[static_cast<std::size_t>(m_ + k)]);
        };
        double friction = 0.0;
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k) {
            contacts_.add_size_along(k, std::abs(s[k]), terms_.data());
            friction = std::max(friction, slip_scale(k, trial.h) * std::abs(s[k]) + left(k));
        }
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            // The law's force follows a reaction with its own roundings.
            double terms = kRoundings * friction;
            if (contact.mode == ContactMode::stick)
                terms = contacts_.size_along(k, size_dq_.data()) + std::abs(contacts_.drift(k)) +
                        std::abs(contact.anchor[i]) + unreachable(contact, k);
            const double here = ratio(left(k), kRoundings * kEpsilon * terms + slack);
            if (here <= out.rows) continue;
            out.rows = here;
            worst_row_ = m_ + k;
        }
    }
}

KernelSystem::WorstResidual KernelSystem::worst_residual(const StepTrial& trial) {
    const StepDefect found = defect(trial, 0.0);
    WorstResidual out;
    if (worst_row_ < 0 && worst_node_ < 0) return out;
    if (worst_row_ >= m_) {
        const Contact& contact =
            contacts_.all()[static_cast<std::size_t>(contacts_.contact_of(worst_row_ - m_))];
        out.name = contact.force->object.label;
        out.left = r_rows_[static_cast<std::size_t>(worst_row_)];
        out.is_slipping = contact.mode == ContactMode::slip;
    } else if (found.rows >= found.motion) {
        out.name = rows_.row_name(worst_row_);
        out.left = r_rows_[static_cast<std::size_t>(worst_row_)];
    } else {
        out.unit = "N";
        int worst = first_of_node_[static_cast<std::size_t>(worst_node_)];
        for (int i = worst; i < first_of_node_[static_cast<std::size_t>(worst_node_) + 1]; ++i)
            if (std::abs(r_motion_[static_cast<std::size_t>(i)]) >
                std::abs(r_motion_[static_cast<std::size_t>(worst)]))
                worst = i;
        const auto body =
            static_cast<std::size_t>(body_of_node_[static_cast<std::size_t>(worst_node_)]);
        const BodyPart& part = model_.bodies[body];
        out.name = part.object.label + ", equation of motion of " + coordinate_name(part, worst);
        out.left = r_motion_[static_cast<std::size_t>(worst)];
    }
    out.left = std::abs(out.left);
    return out;
}

}  // namespace ancora
