// SPDX-License-Identifier: BSD-3-Clause
// Reactions over grid steps and at instants.
#include "reactions.hpp"

#include <algorithm>
#include <utility>

#include <Eigen/Geometry>

#include "state_archive.hpp"

namespace ancora {
namespace {

constexpr int kWrench = 6;

}  // namespace

Reactions::Reactions(const SystemData& of, const StepParts& extra, ConstraintSelection& independent)
    : parts_(of.parts),
      state_(of.state),
      trial_(of.trial),
      extra_(extra),
      independent_(independent) {
    // The values of a constraint follow each other: what it reports, then its wrench.
    int count = 0;
    int largest_u = 0;
    int largest = 0;
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        const RowOwner& owner = parts_.owner_of_constraint(c);
        start_.push_back(count);
        const int own = count_alone(c) + (has_wrench(c) ? kWrench : 0);
        count += own;
        largest = std::max(largest, own);
        largest_u = std::max(largest_u, owner.u_count);
    }
    start_.push_back(count);
    for (Eigen::VectorXd* x : {&sum_, &mean_}) x->setZero(count);
    stress_sum_.setZero(parts_.m);
    for (Eigen::VectorXd* x : {&applied_sum_, &applied_mean_})
        x->setZero(6 * static_cast<Eigen::Index>(num_forces()));
    local_force_.setZero(largest_u);
    one_.setZero(largest);
}

int Reactions::count_alone(std::size_t constraint) const {
    switch (parts_.model.constraints[constraint].reaction) {
        case ReactionKind::force:
            return 3;
        case ReactionKind::effort:
            return 1;
        case ReactionKind::lambda:
            break;
    }
    return parts_.owner_of_constraint(constraint).num_rows;
}

/// Of the step last evaluated, at its middle, or at the present state.
void Reactions::write(std::size_t constraint, const double* s, bool of_step, double* out) const {
    const ConstraintPart& part = parts_.model.constraints[constraint];
    const RowOwner& owner = parts_.owner_of_constraint(constraint);
    const int alone = count_alone(constraint);
    const bool needs_force = part.reaction == ReactionKind::force || has_wrench(constraint);
    if (needs_force && of_step)
        parts_.rows.local_force(static_cast<int>(constraint), s, local_force_.data());
    else if (needs_force)
        parts_.rows.local_force_now(static_cast<int>(constraint), s, local_force_.data());
    switch (part.reaction) {
        // The force on the first attachment, f = -sum_k s_k d(pi_k)/d(r_1) [N], inertial axes.
        case ReactionKind::force:
            std::copy_n(local_force_.data(), 3, out);
            break;
        // lambda = -s, in the units of the rows.
        case ReactionKind::lambda:
            for (int i = 0; i < alone; ++i) out[i] = -s[owner.first_row + i];
            break;
        // -sum_k c_k s_k [N or N m], the effort on the measure; factors c_k are 1, or those of rows
        // that are scaled, as a mean over the step or now.
        case ReactionKind::effort:
            *out = 0.0;
            if (part.effort_factors == nullptr) {
                for (int i = 0; i < owner.num_rows; ++i) *out -= s[owner.first_row + i];
                break;
            }
            factors_.resize(owner.num_rows);
            at_.resize(owner.u_count);
            for (std::size_t i = 0; i < part.attachments.size(); ++i)
                evaluate_attachment(parts_.model.bodies,
                                    part.attachments[i],
                                    of_step ? trial_.mid.data() : state_.q.data(),
                                    nullptr,
                                    at_.data() + 3 * i,
                                    nullptr);
            call_plugin(part.object, "effort_factors", [&] {
                using Moment = SignalSet::Moment;
                RowPoint at{at_, {}, state_.t};
                at.own = parts_.rows.own_values(static_cast<int>(constraint),
                                                of_step ? Moment::middle : Moment::now);
                part.effort_factors->evaluate(at, of_step ? trial_.h : 0.0, factors_);
            });
            for (int i = 0; i < owner.num_rows; ++i) *out -= factors_[i] * s[owner.first_row + i];
            break;
    }
    if (has_wrench(constraint))
        write_wrench(
            part, local_force_.data(), of_step ? trial_.mid.data() : state_.q.data(), out + alone);
}

/// Theory (55): force and moment on b at the joint point, from the forces on its attachments.
void Reactions::write_wrench(const ConstraintPart& part,
                             const double* f,
                             const double* q,
                             double* out) const {
    const Joint& joint = *part.joint;
    const auto at = [&](int index) {
        Eigen::Vector3d r;
        const Attachment& attachment = part.attachments[index];
        evaluate_attachment(parts_.model.bodies, attachment, q, nullptr, r.data(), nullptr);
        return r;
    };
    // force = sum f_i,  moment = sum (r_i - r_P) x f_i + sum d_j x m_j over the points r_i and
    // directions d_j of b; components along the joint's axes [N, N m].
    Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = force;
    for (const std::int32_t index : joint.on_b) {
        const Eigen::Map<const Eigen::Vector3d> own(f + 3 * index);
        if (!part.attachments[index].is_point) {
            moment += at(index).cross(own);
            continue;
        }
        force += own;
        if (index != joint.point) moment += (at(index) - at(joint.point)).cross(own);
    }
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    for (int k = 0; k < static_cast<int>(part.axes.size()); ++k) {
        Eigen::Vector3d axis;
        const Attachment& attachment = part.axes[k];
        evaluate_attachment(parts_.model.bodies, attachment, q, nullptr, axis.data(), nullptr);
        axes.col(k) = axis;
    }
    Eigen::Map<Eigen::Matrix<double, 6, 1>> wrench(out);
    wrench.head<3>() = axes.transpose() * force;
    wrench.tail<3>() = axes.transpose() * moment;
}

std::vector<bool> Reactions::answers_to(const Eigen::MatrixXd& forceless) const {
    constexpr double kRounding = 1e-7;
    std::vector<bool> out(static_cast<std::size_t>(start_.back()), false);
    Eigen::VectorXd values(start_.back());
    // States of self-stress, the null space of A^T: a reported value that one of them changes is
    // not determined by equilibrium.
    for (Eigen::Index k = 0; k < forceless.cols(); ++k) {
        for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c)
            write(c, forceless.col(k).data(), false, values.data() + start_[c]);
        const double largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0.0;
        for (std::size_t i = 0; i < out.size(); ++i)
            if (std::abs(values[static_cast<Eigen::Index>(i)]) > kRounding * largest) out[i] = true;
    }
    return out;
}

void Reactions::begin_grid_step() {
    sum_.setZero();
    stress_sum_.setZero();
    applied_sum_.setZero();
    time_ = 0.0;
    hide();
}

void Reactions::collect(const StepTrial& trial) {
    const double h = trial.h;
    // sum h R over the substeps of a grid step, and the sum of h s where rows are dropped, see
    // share().
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        const int first = start_[c];
        const int count = start_[c + 1] - first;
        write(c, trial.s.data(), true, one_.data());
        sum_.segment(first, count) += h * one_.head(count);
    }
    add_applied(trial.s.data(), h, applied_sum_);
    if (!independent_.all())
        for (int k = 0; k < parts_.m; ++k) stress_sum_[k] += h * trial.s[k];
    time_ += h;
}

/// An impulse adds to sum h R as it is: the mean over the grid step is that of all momentum that
/// the constraint has passed on.
void Reactions::collect_impulse(const Eigen::VectorXd& s, const Eigen::VectorXd* applied) {
    if (applied != nullptr) applied_sum_ += *applied;
    // What passes on no impulse has none to report.
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        const RowOwner& owner = parts_.owner_of_constraint(c);
        if (s.segment(owner.first_row, owner.num_rows).isZero(0.0)) continue;
        const int first = start_[c];
        const int count = start_[c + 1] - first;
        write(c, s.data(), false, one_.data());
        sum_.segment(first, count) += one_.head(count);
    }
    if (!independent_.all()) stress_sum_ += s;
}

void Reactions::end_grid_step() {
    if (!(time_ > 0.0)) return;
    // R_mean = sum h R / sum h
    mean_ = sum_ / time_;
    is_shared_ = independent_.all();
    applied_mean_ = applied_sum_ / time_;
    has_mean_ = true;
}

void Reactions::forget() {
    mean_.setZero();
    applied_mean_.setZero();
    is_shared_ = true;
    time_ = 0.0;
    has_mean_ = false;
    hide();
}

Reactions::Means Reactions::means() const {
    share();
    return {mean_, applied_mean_};
}

void Reactions::show(Means means) {
    shown_ = std::move(means);
    is_shown_ = true;
}

void Reactions::take_instant(const double* s) {
    // At an instant the mean is the value itself: s of theory (1) in place of sum h s / sum h.
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        write(c, s, false, mean_.data() + start_[c]);
    }
    applied_mean_ = applied_at_instant();
    show({mean_, applied_mean_});
}

Eigen::VectorXd Reactions::applied_at_instant() const {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(applied_mean_.size());
    add_applied(nullptr, 1.0, out);
    return out;
}

void Reactions::share() const {
    if (is_shared_) return;
    is_shared_ = true;
    // The least-norm stresses are linear in s (theory (36)), and reported values are linear in s:
    // the share of the mean is added once, when somebody asks.
    const Eigen::VectorXd basic = stress_sum_ / time_;
    share_work_ = basic;
    independent_.prepare_minimum_norm();
    independent_.share(share_work_.data());
    share_work_ -= basic;
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        const int first = start_[c];
        const int count = start_[c + 1] - first;
        write(c, share_work_.data(), true, one_.data());
        mean_.segment(first, count) += one_.head(count);
    }
}

/// Adds `factor` times C of every force object, as last evaluated; s of all rows, or null for the
/// instant last solved.
void Reactions::add_applied(const double* s, double factor, Eigen::VectorXd& to) const {
    const auto count = static_cast<int>(num_forces());
    for (int f = 0; f < count; ++f) {
        if (parts_.model.forces[f].effort_on != nullptr) {
            to[3 * f] += factor * parts_.forces.effort(f);
            continue;
        }
        // The force and moment that C of the object adds up to; efforts have the unit of their
        // measure.
        const auto [force, torque] = parts_.forces.applied(f);
        to.segment<3>(3 * f) += factor * force;
        to.segment<3>(3 * (count + f)) += factor * torque;
    }
    const auto entries = static_cast<std::size_t>(3 * count);
    extra_.add_applied(s, factor, {to.data(), entries}, {to.data() + entries, entries});
}

std::vector<double> Reactions::reported(std::size_t constraint,
                                        const double* s,
                                        bool of_step) const {
    write(constraint, s, of_step, one_.data());
    return {one_.data(), one_.data() + count_alone(constraint)};
}

std::vector<double> Reactions::wrench(std::size_t constraint, const double* s) const {
    if (!has_wrench(constraint)) return {};
    write(constraint, s, false, one_.data());
    const double* const first = one_.data() + count_alone(constraint);
    return {first, first + kWrench};
}

template <class Archive>
void Reactions::transfer(Archive& archive) {
    share();
    for (Eigen::VectorXd* x : {&sum_, &stress_sum_, &mean_, &applied_sum_, &applied_mean_})
        archive(*x);
    archive(time_);
    archive(has_mean_);
    if constexpr (Archive::kReads) hide();
}
template void Reactions::transfer(ArchiveWriter&);
template void Reactions::transfer(ArchiveReader&);

}  // namespace ancora
