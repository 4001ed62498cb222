// SPDX-License-Identifier: BSD-3-Clause
// A hanging chain of boxes in base vectors, by a loop that knows nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/LU>

#include "step.hpp"

namespace ancora::by_hand {

/// Bodies with centre r and base vectors d_1, d_2, d_3, six rigid rows each (stress s) and a joint
/// to the body before it (force l): r_i - L/2 d_1i - r_{i-1} - L/2 d_1{i-1} = 0.
///
///   m a_i = m g - l_i + l_{i+1}
///   J_1 a_1i = -(B^T s)_1 + L/2 (l_i + l_{i+1}),   J_j a_ji = -(B^T s)_j
///   B(middle) dq = 0,   dq = h v + h^2 / 2 a                                             (1)
///
/// In each iteration B stands still. The rigid rows of a body are then eliminated in closed form:
/// what l does to the ends of a body is made of 1 / m and of L^2 / 4 P,
///
///   P = d_2 d_2^T / (J_1 + J_2) + d_3 d_3^T / (J_1 + J_3)                                (2)
///
/// and what remains are three rows a body, block tridiagonal, eliminated from the hung end on.
class BaseVectorChain {
public:
    explicit BaseVectorChain(const ChainStart& start)
        : rows_(start.mass(), start.size),
          mass_(start.mass()),
          half_(0.5 * start.size),
          gravity_(start.gravity),
          bodies_(static_cast<std::size_t>(start.count)),
          past_(bodies_.size()) {
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            Body& body = bodies_[i];
            body.r = start.centre(static_cast<int>(i));
            body.dr = start.turn.cross(body.r);
            for (int j = 0; j < 3; ++j) {
                const auto at = static_cast<std::size_t>(j);
                body.d[at] = start.attitude.col(j);
                body.v[at] = start.turn.cross(body.d[at]);
            }
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
            body.r += h * (body.dr + 0.5 * h * vec(x));
            body.dr += h * vec(x);
            for (std::size_t j = 0; j < 3; ++j) {
                body.d[j] += h * (body.v[j] + 0.5 * h * vec(x + 3 + 3 * j));
                body.v[j] += h * vec(x + 3 + 3 * j);
            }
            past_[i].predict(steps_, body.x);
        }
        ++steps_;
    }

    long iterations() const { return iterations_; }
    void positions(std::vector<double>& q) const {
        q.clear();
        for (const Body& body : bodies_) {
            q.insert(q.end(), body.r.data(), body.r.data() + 3);
            for (const Vec& d : body.d) q.insert(q.end(), d.data(), d.data() + 3);
        }
    }
    /// Kinetic and potential, from that at the start.
    double energy() const { return kinetic() + potential() - energy_at_start_; }
    double scale() const { return kinetic(); }

private:
    using Mat = Eigen::Matrix3d;
    static constexpr std::size_t kJoint = 12;
    static constexpr std::size_t kStress = 15;
    static constexpr std::size_t kUnknowns = 21;  // a, a_1, a_2, a_3, l, s

    struct Body {
        Vec r, dr;
        std::array<Vec, 3> d, v;
        std::array<double, kUnknowns> x{};
        // Of the iteration.
        std::array<Vec, 3> a;
        Vec w;     // l = w + Z l of the next joint
        Mat D, Z;  // D: the inverse of what is left of the joint's block

        std::array<Vec, 3> middle(double h) const {
            std::array<Vec, 3> out;
            for (std::size_t j = 0; j < 3; ++j)
                out[j] = d[j] + 0.5 * h * (v[j] + 0.5 * h * vec(x.data() + 3 + 3 * j));
            return out;
        }
    };

    double kinetic() const {
        Sum out = 0.0;
        for (const Body& body : bodies_) {
            out += 0.5 * mass_ * body.dr.squaredNorm();
            for (std::size_t j = 0; j < 3; ++j)
                out += 0.5 * rows_.moments[j] * body.v[j].squaredNorm();
        }
        return static_cast<double>(out);
    }
    double potential() const {
        Sum out = 0.0;
        for (const Body& body : bodies_) out -= mass_ * gravity_.dot(body.r);
        return static_cast<double>(out);
    }

    static Mat inverse_of_symmetric(const Mat& D) {
        const double c00 = D(1, 1) * D(2, 2) - D(1, 2) * D(1, 2);
        const double c01 = D(0, 2) * D(1, 2) - D(0, 1) * D(2, 2);
        const double c02 = D(0, 1) * D(1, 2) - D(0, 2) * D(1, 1);
        const double to = 1.0 / (D(0, 0) * c00 + D(0, 1) * c01 + D(0, 2) * c02);
        const double c11 = D(0, 0) * D(2, 2) - D(0, 2) * D(0, 2);
        const double c12 = D(0, 1) * D(0, 2) - D(0, 0) * D(1, 2);
        const double c22 = D(0, 0) * D(1, 1) - D(0, 1) * D(0, 1);
        Mat out;
        out << to * c00, to * c01, to * c02, to * c01, to * c11, to * c12, to * c02, to * c12,
            to * c22;
        return out;
    }

    /// From the hung end on: what each body does with the joint after it unchanged, its rigid rows
    /// put right, and l_i as a function of l_{i+1}.
    /// @tparam kAnew  factorises; else the factors of the step's first iteration serve, from which
    ///                the middle has moved by no more than a correction
    template <bool kAnew>
    void eliminate(double h) {
        const double half = 0.5 * h, to_gap = 1.0 / half;
        const double over_mass = 1.0 / mass_, arm = half_.x();
        const double p2 = arm * arm / (rows_.moments[0] + rows_.moments[1]);
        const double p3 = arm * arm / (rows_.moments[0] + rows_.moments[2]);
        const Mat I = over_mass * Mat::Identity();
        Mat before = Mat::Zero();  // of the right end of the body before
        Vec end = Vec::Zero();     // its mean velocity / (h / 2)
        const std::size_t count = bodies_.size();
        for (std::size_t i = 0; i < count; ++i) {
            Body& body = bodies_[i];
            double* const s = body.x.data() + kStress;
            const Vec l = vec(body.x.data() + kJoint);
            Vec l_next = Vec::Zero();
            if (i + 1 < count) l_next = vec(bodies_[i + 1].x.data() + kJoint);

            const std::array<Vec, 3> mid = body.middle(h);
            body.a[0] = (rows_.inverse[0] * arm) * (l + l_next);
            body.a[1].setZero();
            body.a[2].setZero();
            rows_.push(mid, s, body.a);
            std::array<Vec, 3> mean;
            for (std::size_t j = 0; j < 3; ++j) mean[j] = to_gap * body.v[j] + body.a[j];
            std::array<double, 6> ds;
            rows_.stress(mid, mean, ds.data());
            for (std::size_t j = 0; j < 6; ++j) s[j] += ds[j];
            rows_.push(mid, ds.data(), body.a);

            const Vec centre = to_gap * body.dr + gravity_ - over_mass * (l - l_next);
            const Vec to_end = arm * (to_gap * body.v[0] + body.a[0]);
            if constexpr (kAnew) {
                Mat P = (p2 * mid[1]) * mid[1].transpose();
                P += (p3 * mid[2]) * mid[2].transpose();
                const Mat Y = I - P;
                body.D = inverse_of_symmetric(I + P + before);
                body.Z.noalias() = body.D * Y;
                before = I + P;
                before.noalias() -= Y * body.Z;
            }
            body.w = body.D * (centre - to_end - end);
            const Vec Yw = over_mass * body.w - (p2 * mid[1].dot(body.w)) * mid[1] -
                           (p3 * mid[2].dot(body.w)) * mid[2];
            end = centre + to_end - Yw;
        }
    }

    /// Back to the hung end. @returns the largest correction [m]
    double correct(double h) {
        const double over_mass = 1.0 / mass_, arm = half_.x();
        const std::array<double, 3>& J = rows_.moments;
        const double to_s2 = J[1] / (J[0] + J[1]), to_s3 = J[2] / (J[0] + J[2]);
        double largest = 0.0;
        Vec dl_next = Vec::Zero();
        for (std::size_t i = bodies_.size(); i-- > 0;) {
            Body& body = bodies_[i];
            double* const x = body.x.data();
            const std::array<Vec, 3> mid = body.middle(h);
            const Vec dl = body.w + body.Z * dl_next;
            Vec l_next = Vec::Zero();
            if (i + 1 < bodies_.size()) l_next = vec(bodies_[i + 1].x.data() + kJoint);
            vec(x + kJoint) += dl;
            const Vec a = gravity_ - over_mass * (vec(x + kJoint) - l_next);
            const Vec f = arm * (dl + dl_next);
            const double s1 = f.dot(mid[0]);
            const double s2 = to_s2 * f.dot(mid[1]);
            const double s3 = to_s3 * f.dot(mid[2]);
            body.a[0] += rows_.inverse[0] * (f - s1 * mid[0] - s2 * mid[1] - s3 * mid[2]);
            body.a[1] -= (rows_.inverse[1] * s2) * mid[0];
            body.a[2] -= (rows_.inverse[2] * s3) * mid[0];
            double* const s = x + kStress;
            s[0] += s1;
            s[3] += s2;
            s[5] += s3;
            raise(largest, (a - vec(x)).squaredNorm());
            vec(x) = a;
            for (std::size_t j = 0; j < 3; ++j) {
                const double reach = half_[static_cast<Eigen::Index>(j)];
                raise(largest, reach * reach * (body.a[j] - vec(x + 3 + 3 * j)).squaredNorm());
                vec(x + 3 + 3 * j) = body.a[j];
            }
            dl_next = dl;
        }
        return 0.5 * h * h * std::sqrt(largest);
    }

    RigidRows rows_;
    double mass_;
    Vec half_, gravity_;
    std::vector<Body> bodies_;
    std::vector<Past<kUnknowns>> past_;
    Convergence convergence_;
    double energy_at_start_ = 0.0;
    long steps_ = 0;
    long iterations_ = 0;
};

}  // namespace ancora::by_hand
