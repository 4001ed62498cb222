// SPDX-License-Identifier: BSD-3-Clause
// A tree of rigid bodies with its equations of motion by recursive Newton-Euler, in minimal
// coordinates: nothing of it is shared with what it is compared with.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "support/dense.hpp"

namespace ancora::testing {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// One body with the joint that ties it to its parent.
struct TreeBody {
    enum class Joint { fixed, hinge, slide };
    static constexpr double kNoLimit = 1e16;
    bool is_limited() const { return lower > -kNoLimit; }

    std::string name, joint_name;
    int parent = -1;  ///< -1: the ground
    // The joint's frame in the parent's, and its axis in its own.
    Matrix3d R_home = Matrix3d::Identity();
    Vector3d p_home = Vector3d::Zero();
    Joint joint = Joint::fixed;
    Vector3d axis = Vector3d::UnitZ();
    double q = 0.0, v = 0.0;
    double damping = 0.0, friction = 0.0, armature = 0.0, stiffness = 0.0, free = 0.0, effort = 0.0;
    double lower = -kNoLimit, upper = kNoLimit;  ///< of q; the equations below know no limits
    double mass = 0.0;
    Vector3d center = Vector3d::Zero();
    Matrix3d inertia = Matrix3d::Zero();  ///< about the centre, axes of the body
};

class ReferenceTree {
public:
    std::vector<TreeBody> bodies;
    Vector3d gravity{0.0, 0.0, -9.81};

    struct Motion {
        Matrix3d R;                  ///< body to inertial axes
        Vector3d p, v, a, w, alpha;  ///< of the origin; inertial axes
    };

    /// Accelerations of all coordinates, and with them the motion of all bodies.
    std::vector<Motion> motion() const {
        const VectorXd rest = VectorXd::Zero(size());
        // M a + h = tau
        const MatrixXd M = mass_matrix();
        const VectorXd h = efforts(rest, true, true);
        VectorXd tau = VectorXd::Zero(size());
        for (int i = 0; i < size(); ++i) {
            const TreeBody& b = bodies[i];
            tau(i) = b.effort - b.damping * b.v - b.stiffness * (b.q - b.free);
            if (b.v != 0.0) tau(i) -= b.friction * (b.v > 0.0 ? 1.0 : -1.0);
        }
        // Rows of what does not move say a = 0
        MatrixXd K = M;
        VectorXd r = tau - h;
        for (int i = 0; i < size(); ++i)
            if (bodies[i].joint == TreeBody::Joint::fixed) {
                K.row(i).setZero();
                K.col(i).setZero();
                K(i, i) = 1.0;
                r(i) = 0.0;
            }
        return kinematics(by_eigen::solved(K, r), true, false);
    }
    double kinetic_energy() const {
        VectorXd v(size());
        for (int i = 0; i < size(); ++i) v(i) = bodies[i].v;
        return 0.5 * v.dot(mass_matrix() * v);
    }
    /// Of gravity, zero at the origin.
    double weight_energy() const {
        const auto at = kinematics(VectorXd::Zero(size()), false, false);
        double sum = 0.0;
        for (int i = 0; i < size(); ++i)
            sum -= bodies[i].mass * gravity.dot(at[i].p + at[i].R * bodies[i].center);
        return sum;
    }

    int size() const { return static_cast<int>(bodies.size()); }

    MatrixXd mass_matrix() const {
        MatrixXd M(size(), size());
        for (int i = 0; i < size(); ++i) {
            M.col(i) = efforts(VectorXd::Unit(size(), i), false, false);
            M(i, i) += bodies[i].armature;
        }
        return M;
    }

    std::vector<Motion> kinematics(const VectorXd& a, bool with_rates, bool falls) const {
        std::vector<Motion> out(bodies.size());
        for (int i = 0; i < size(); ++i) {
            const TreeBody& b = bodies[i];
            Motion parent{Matrix3d::Identity(),
                          Vector3d::Zero(),
                          Vector3d::Zero(),
                          Vector3d::Zero(),
                          Vector3d::Zero(),
                          Vector3d::Zero()};
            // Gravity as an acceleration of the ground
            if (falls) parent.a = -gravity;
            if (b.parent >= 0) parent = out[b.parent];
            const double rate = with_rates ? b.v : 0.0;
            const bool turns = b.joint == TreeBody::Joint::hinge;
            const bool slides = b.joint == TreeBody::Joint::slide;
            const Vector3d axis = b.axis.normalized();
            Motion& m = out[i];
            const Matrix3d R_joint = parent.R * b.R_home;
            const Vector3d n = R_joint * axis;
            m.R = turns ? Matrix3d(R_joint * Eigen::AngleAxisd(b.q, axis).toRotationMatrix())
                        : R_joint;
            const Vector3d r =
                parent.R * b.p_home + (slides ? Vector3d(b.q * n) : Vector3d::Zero());
            const Vector3d dr = slides ? Vector3d(rate * n) : Vector3d::Zero();
            m.p = parent.p + r;
            m.w = parent.w + (turns ? Vector3d(rate * n) : Vector3d::Zero());
            m.v = parent.v + parent.w.cross(r) + dr;
            m.alpha = parent.alpha +
                      (turns ? Vector3d(a(i) * n + parent.w.cross(rate * n)) : Vector3d::Zero());
            m.a = parent.a + parent.alpha.cross(r) + parent.w.cross(parent.w.cross(r)) +
                  (slides ? Vector3d(a(i) * n + 2.0 * parent.w.cross(dr)) : Vector3d::Zero());
        }
        return out;
    }

    /// Efforts on the joints that these accelerations take.
    VectorXd efforts(const VectorXd& a, bool with_rates, bool falls) const {
        const std::vector<Motion> at = kinematics(a, with_rates, falls);
        std::vector<Vector3d> f(bodies.size(), Vector3d::Zero()), n = f;
        VectorXd out = VectorXd::Zero(size());
        for (int i = size() - 1; i >= 0; --i) {
            const TreeBody& b = bodies[i];
            const Motion& m = at[i];
            const Vector3d c = m.R * b.center;
            const Matrix3d J = m.R * b.inertia * m.R.transpose();
            const Vector3d force = b.mass * (m.a + m.alpha.cross(c) + m.w.cross(m.w.cross(c)));
            f[i] += force;
            n[i] += J * m.alpha + m.w.cross(J * m.w) + c.cross(force);
            // The axis does not move in the joint's frame
            const Vector3d axis = m.R * b.axis.normalized();
            if (b.joint == TreeBody::Joint::hinge) out(i) = axis.dot(n[i]);
            if (b.joint == TreeBody::Joint::slide) out(i) = axis.dot(f[i]);
            if (b.parent < 0) continue;
            f[b.parent] += f[i];
            n[b.parent] += n[i] + (m.p - at[b.parent].p).cross(f[i]);
        }
        return out;
    }
};

}  // namespace ancora::testing
