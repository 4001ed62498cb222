// SPDX-License-Identifier: BSD-3-Clause
// The same hanging chain in rotations: six coordinates a body, a conserving step, joints.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "step.hpp"

namespace ancora::by_hand {

/// Bodies with centre r, attitude R and angular velocity W in body axes, and a joint to the body
/// before each (force l). With means over a step, V = v + h a / 2, U = W + h A / 2, s the way from
/// the centre to the right end, N = (1 - h^2 U^2 / 4)^-1/2, R1 = R cay(h N U), Rm = N (R + R1) / 2:
///
///   m a = m g - l_i + l_{i+1}
///   J A + N U x J U = s x Rm^T (l_i + l_{i+1})                                           (1)
///   V_i - Rm_i (U_i x s) = V_{i-1} + Rm_{i-1} (U_{i-1} x s)
///
/// R1 s - R s = h Rm (U x s), so that the joints close exactly; (1) times U is the change of
/// kinetic energy, and turned by Rm the change of angular momentum: both are kept to rounding.
/// After J. C. Simo, K. K. Wong, Int. J. Numer. Meth. Eng. 31 (1991) 19, by Cayley's map.
class RotationChain {
public:
    explicit RotationChain(const ChainStart& start)
        : mass_(start.mass()),
          half_(0.5 * start.size),
          arm_(half_.x() * Vec::UnitX()),
          gravity_(start.gravity),
          bodies_(static_cast<std::size_t>(start.count)),
          past_(bodies_.size()) {
        const Vec squares = start.size.cwiseAbs2();
        J_ = mass_ / 12.0 * (squares.sum() * Vec::Ones() - squares);
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            Body& body = bodies_[i];
            body.r = start.centre(static_cast<int>(i));
            body.v = start.turn.cross(body.r);
            body.R = start.attitude;
            body.p = Eigen::Quaterniond(body.R);
            body.W = body.R.transpose() * start.turn;
        }
        energy_at_start_ = 0.0;
        energy_at_start_ = energy();
    }

    /// @throws std::runtime_error if it is too long to be solved
    void step(double h) {
        eliminate<true>(h);
        ++iterations_;
        for (int k = 0; !convergence_.is_reached(k, correct(h)); ++k) {
            eliminate<false>(h);
            ++iterations_;
        }
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            Body& body = bodies_[i];
            const double* const x = body.x.data();
            body.r += h * (body.v + 0.5 * h * vec(x));
            body.v += h * vec(x);
            const Turn turn = turn_of(body, h);
            body.p = turn.p;
            body.p.normalize();
            body.R = body.p.toRotationMatrix();
            body.W += h * vec(x + kTurning);
            past_[i].predict(steps_, body.x);
        }
        ++steps_;
    }

    long iterations() const { return iterations_; }
    /// Centres and base vectors.
    void positions(std::vector<double>& q) const {
        q.clear();
        for (const Body& body : bodies_) {
            q.insert(q.end(), body.r.data(), body.r.data() + 3);
            q.insert(q.end(), body.R.data(), body.R.data() + 9);
        }
    }
    /// Kinetic and potential, from that at the start.
    double energy() const { return kinetic() + potential() - energy_at_start_; }
    double scale() const { return kinetic(); }
    /// Largest distance of two ends that a joint holds together [m].
    double gap() const {
        double out = 0.0;
        Vec end = Vec::Zero();
        for (const Body& body : bodies_) {
            out = std::max(out, (body.r - body.R * arm_ - end).norm());
            end = body.r + body.R * arm_;
        }
        return out;
    }

private:
    using Mat = Eigen::Matrix3d;
    static constexpr std::size_t kTurning = 3;
    static constexpr std::size_t kJoint = 6;
    static constexpr std::size_t kUnknowns = 9;  // a, A, l

    struct Body {
        Vec r = Vec::Zero(), v = Vec::Zero(), W = Vec::Zero();
        Eigen::Quaterniond p = Eigen::Quaterniond::Identity();
        Mat R = Mat::Identity();
        std::array<double, kUnknowns> x{};
        // Of the iteration.
        Mat Rm;
        Vec A;     // with the joints unchanged
        Vec w;     // dl = w + Z dl of the next joint
        Mat D, Z;  // D: the inverse of what is left of the joint's block
        Mat KF;    // of (l_i + l_{i+1}) to A
        Mat E;     // of A to the right end, beside 2 / h
        Mat K;     // inverse of the derivative of (1) by A
    };
    struct Turn {
        Vec U;
        double N;
        Eigen::Quaterniond p;
    };
    static Turn turn_of(const Body& body, double h) {
        Turn out;
        out.U = body.W + 0.5 * h * vec(body.x.data() + kTurning);
        out.N = 1.0 / std::sqrt(1.0 - 0.25 * h * h * out.U.squaredNorm());
        const Vec half = 0.5 * h * out.U;  // N U h / 2, over N
        out.p = body.p * Eigen::Quaterniond(1.0 / out.N, half.x(), half.y(), half.z());
        return out;
    }
    /// s x y and the matrix of it.
    static Mat cross(const Vec& s) {
        Mat out;
        out << 0.0, -s.z(), s.y(), s.z(), 0.0, -s.x(), -s.y(), s.x(), 0.0;
        return out;
    }

    double kinetic() const {
        Sum out = 0.0;
        for (const Body& body : bodies_)
            out += 0.5 * mass_ * body.v.squaredNorm() + 0.5 * body.W.dot(J_.cwiseProduct(body.W));
        return static_cast<double>(out);
    }
    double potential() const {
        Sum out = 0.0;
        for (const Body& body : bodies_) out -= mass_ * gravity_.dot(body.r);
        return static_cast<double>(out);
    }

    /// From the hung end on: what each body does with the joints' forces unchanged, and dl_i as a
    /// function of dl_{i+1}.
    /// @tparam kAnew  factorises; else the factors of the step's first iteration serve
    template <bool kAnew>
    void eliminate(double h) {
        const double to_gap = 2.0 / h, over_mass = 1.0 / mass_;
        const Mat I = over_mass * Mat::Identity();
        Mat before = Mat::Zero();
        Vec end = Vec::Zero();  // mean velocity of the right end of the body before / (h / 2)
        const std::size_t count = bodies_.size();
        for (std::size_t i = 0; i < count; ++i) {
            Body& body = bodies_[i];
            const Vec l = vec(body.x.data() + kJoint);
            Vec l_next = Vec::Zero();
            if (i + 1 < count) l_next = vec(bodies_[i + 1].x.data() + kJoint);
            const Turn turn = turn_of(body, h);
            const Mat R1 = turn.p.toRotationMatrix();
            body.Rm = (0.5 * turn.N) * (body.R + R1);
            const Vec JU = J_.cwiseProduct(turn.U);
            if constexpr (kAnew) {
                const Mat by_A =
                    Mat(J_.asDiagonal()) + 0.5 * h * (cross(turn.U) * J_.asDiagonal() - cross(JU));
                body.K = by_A.inverse();
                // d (R1 s) = R1 (d phi x s), d phi = h / N (1 - h N U^ / 2) dU
                body.E = -(R1 * cross(arm_)) *
                         (Mat::Identity() - 0.5 * h * turn.N * cross(turn.U)) / turn.N;
                body.KF = body.K * cross(arm_) * body.Rm.transpose();
            }
            const Vec A = vec(body.x.data() + kTurning);
            const Vec torque = arm_.cross(body.Rm.transpose() * (l + l_next));
            const Vec left = J_.cwiseProduct(A) + turn.N * turn.U.cross(JU) - torque;
            const Vec dA = -(body.K * left);
            body.A = A + dA;
            const Vec centre = to_gap * body.v + gravity_ - over_mass * (l - l_next);
            const Vec to_end = to_gap * (body.Rm * turn.U.cross(arm_)) + body.E * dA;
            const Mat P = body.E * body.KF;
            if constexpr (kAnew) {
                const Mat Y = I - P;
                body.D = (I + P + before).inverse();
                body.Z = body.D * Y;
                before = I + P - Y * body.Z;
            }
            body.w = body.D * (centre - to_end - end);
            end = centre + to_end - (I - P) * body.w;
        }
    }

    /// Back to the hung end. @returns the largest correction [m]
    double correct(double h) {
        const double over_mass = 1.0 / mass_, reach = half_.maxCoeff();
        double largest = 0.0;
        Vec dl_next = Vec::Zero();
        for (std::size_t i = bodies_.size(); i-- > 0;) {
            Body& body = bodies_[i];
            double* const x = body.x.data();
            const Vec dl = body.w + body.Z * dl_next;
            Vec l_next = Vec::Zero();
            if (i + 1 < bodies_.size()) l_next = vec(bodies_[i + 1].x.data() + kJoint);
            vec(x + kJoint) += dl;
            const Vec a = gravity_ - over_mass * (vec(x + kJoint) - l_next);
            const Vec A = body.A + body.KF * (dl + dl_next);
            raise(largest, (a - vec(x)).squaredNorm());
            raise(largest, reach * reach * (A - vec(x + kTurning)).squaredNorm());
            vec(x) = a;
            vec(x + kTurning) = A;
            dl_next = dl;
        }
        return 0.5 * h * h * std::sqrt(largest);
    }

    double mass_;
    Vec half_, arm_, gravity_, J_;
    std::vector<Body> bodies_;
    std::vector<Past<kUnknowns>> past_;
    Convergence convergence_;
    double energy_at_start_ = 0.0;
    long steps_ = 0;
    long iterations_ = 0;
};

}  // namespace ancora::by_hand
