// SPDX-License-Identifier: BSD-3-Clause
// The force type `point_load`: a force on points and a torque on their body, given over time.
#pragma once

#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::point_load {

/// A force F(t) on a point, or on each point of a group, and a torque T(t) on the body, in axes of
/// space or of the body, times a factor c(t):
///
///   in space    F and T as given;   following:   F = sum_k F_k d_k,  T = sum_k T_k d_k    (1)
///   on a point  f = c F                                                                   (2)
///   on d_i      f_i = a x d_i,   (tr D I - D) a = c T,   D = sum_i d_i d_i^T              (3)
///
/// Terms:
///   d_i   the body's axes as directions in space, three attachments
///   f_i   conjugate to d_i [N m], with sum_i d_i x f_i = T for any three axes that are not
///         parallel; of orthonormal ones D = I and a = T / 2
/// For a rigid body d_i' = w x d_i, so the power of (3) is T . w.
///
/// Over a step, F, T and c are means over the time (see TimeFunction), d_i those of the midpoint,
/// which are a little shorter than 1; (3) takes that into account, so that a torque given in space
/// adds T h to the angular momentum, exactly. The ledger books the work f . du and these impulses.
class PointLoad final : public NonidealForce {
public:
    /// [assembly] Refuses through Arguments::fail loads that miss a force and a torque, or a place,
    /// and what TimeFunction refuses.
    explicit PointLoad(const Arguments& arguments);

    std::span<const AttachmentRequest> more_attachments() const override {
        return requests_.list();
    }
    WorkKind work() const override { return WorkKind::external; }

    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override;
    void evaluate_step(const RowStep& step,
                       std::span<const double> mean_velocity,
                       const ForceValues& out) const override;

private:
    /// One value of a TimeFunction of three components, or of none.
    template <class Call>
    static Vec3 value_of(const TimeFunction& function, Call call);
    /// F and T in the axes of the load; u in the order of the requests: points, then axes.
    void apply(double factor, Vec3 F, Vec3 T, std::span<const double> u, std::span<double> f) const;

    AttachmentTexts requests_;
    TimeFunction force_;
    TimeFunction torque_;
    TimeFunction factor_;
    bool has_force_;
    bool has_torque_;
    bool follows_ = false;  ///< the axes of force and torque are the body's
};

}  // namespace ancora::point_load
