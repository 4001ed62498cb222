// SPDX-License-Identifier: BSD-3-Clause
// The force type `point_load`: a force on a point and a torque on its body, given over time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/math.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "time_function.hpp"

namespace ancora::point_load {

/// A force F(t) on a point and a torque T(t) on a body, in axes of space or of the body:
///
///   frame "space":   F and T as given;   "body":   F = sum_k F_k d_k,  T = sum_k T_k d_k  (1)
///   on the point   f = F                                                                  (2)
///   on d_i         f_i = a x d_i,   (tr D I - D) a = T,   D = sum_i d_i d_i^T             (3)
///
/// Terms:
///   d_i   the body's axes as directions in space, three attachments
///   f_i   conjugate to d_i [N m], with sum_i d_i x f_i = T for any three axes that are not
///         parallel; of orthonormal ones D = I and a = T / 2
/// For a rigid body d_i' = w x d_i, so the power of (3) is T . w.
///
/// Over a step, F and T are means over the time (see TimeFunction), d_i those of the midpoint,
/// which are a little shorter than 1; (3) takes that into account, so that a torque given in space
/// adds T h to the angular momentum, exactly. The ledger books the work f . du and these impulses.
class PointLoad final : public NonidealForce {
public:
    /// [assembly] Refuses through Arguments::fail loads that miss a force and a torque, or a place,
    /// and what TimeFunction refuses.
    explicit PointLoad(const Arguments& arguments);

    std::span<const char* const> attachments() const override { return {}; }
    std::span<const AttachmentRequest> more_attachments() const override { return requests_; }
    WorkKind work() const override { return WorkKind::external; }

    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override;
    void evaluate_step(const RowStep& step,
                       std::span<const double> mean_velocity,
                       const ForceValues& out) const override;

private:
    /// F and T in the axes of `frame`, u in the order of the requests.
    void apply(Vec3 F, Vec3 T, std::span<const double> u, std::span<double> f) const;

    std::vector<std::string> texts_;
    std::vector<AttachmentRequest> requests_;
    TimeFunction force_;
    TimeFunction torque_;
    bool has_force_;
    bool has_torque_;
    bool follows_;  ///< frame "body"
};

}  // namespace ancora::point_load
