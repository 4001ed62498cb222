// SPDX-License-Identifier: BSD-3-Clause
// Splits a change of points and directions into a rigid motion and a change of shape.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "ancora/sdk/authoring/argument_list.hpp"

namespace ancora {

/// A change du of points r_i and directions d_j over a step with the midpoint m:
///
///   du = c + w x (r_i - r_c) on points,  w x d_j on directions,  + p                       (1)
///
/// The rigid part turns m - du/2 into m + du/2 by a rotation, as (1 + W/2)(1 - W/2)^-1 is one for
/// every skew matrix W = w^ (Cayley). Seen from a frame that turns half of it, the step goes from
/// x - y/2 to x + y/2, with N = (1 - W W / 4)^-1/2:
///
///   x = r_c + N^-1 (m - r_c) - N W p / 4,   y = N p                                        (2)
///
/// so that an invariant function changes by f(x + y/2) - f(x - y/2), the mean of f' there times
/// N p, and by nothing where the shape does not change.
///
/// Terms:
///   c, w   translation and rotation that leave least, in the norm
///          |du|^2 = sum |dr_i|^2 + l^2 sum |dd_j|^2
///   p      the change of shape, what they leave
///   r_c    centroid of the points
///   l      their distance from it, root mean square [m], so that no unit of length is preferred;
///          1 where there is none
/// A rotation that moves nothing, as of collinear points about their line, is no part of w.
/// All functions are [step].
template <class Arguments>
class RigidSplit {
    static constexpr std::size_t kWidth = Arguments::kWidth;
    static_assert(!Arguments::kHasScalars, "space turns vectors, not scalars");
    using Row = std::array<double, kWidth>;
    using Triple = std::array<double, 3>;

public:
    RigidSplit(const double* m, const double* du) {
        center_ = mean_of_points(m);
        std::copy_n(m, kWidth, m_.begin());
        Row x;
        if constexpr (kIsPair) {
            for (std::size_t k = 0; k < 3; ++k) line_[k] = m[k] - m[k + 3];
        } else {
            double square = 0.0;
            for (std::size_t j = 0; j < kWidth; ++j)
                if (is_point(j)) square += (m[j] - center_[j % 3]) * (m[j] - center_[j % 3]);
            if (square > 0.0) l_ = std::sqrt(square / kNumPoints);
            make_turns();
        }
        for (std::size_t j = 0; j < kWidth; ++j) x[j] = weight(j) * du[j];
        const double whole = dot(x, x);
        w_ = remove_rigid_motion(x);
        for (std::size_t j = 0; j < kWidth; ++j) {
            p_[j] = x[j] / weight(j);
            D_[j] = x[j] * weight(j);
        }
        constexpr double kSquareOfRounding = 1e-28;
        const double left = dot(x, x);
        along_ = left > kSquareOfRounding * whole ? left : 0.0;
        kappa_ = std::sqrt(1.0 + 0.25 * (w_[0] * w_[0] + w_[1] * w_[1] + w_[2] * w_[2]));
    }

    /// x of (2).
    Row middle() const {
        // N^-1 v = v - w x (w x v) / (4 (1 + k)),  N W v = W v / k,  k^2 = 1 + w.w / 4
        Row x;
        const double stretch = -0.25 / (1.0 + kappa_);
        for (std::size_t i = 0; i < kWidth; i += 3) {
            Triple rho;
            for (std::size_t k = 0; k < 3; ++k)
                rho[k] = m_[i + k] - (is_point(i) ? center_[k] : 0.0);
            const Triple twice = cross(w_, cross(w_, rho));
            const Triple turned = cross(w_, {p_[i], p_[i + 1], p_[i + 2]});
            for (std::size_t k = 0; k < 3; ++k)
                x[i + k] = m_[i + k] + stretch * twice[k] - 0.25 / kappa_ * turned[k];
        }
        return x;
    }

    /// y of (2).
    Row stretch() const {
        Row y = p_;
        apply_N(y);
        return y;
    }

    /// Replaces a row f' by one that gives f' N p on du and vanishes on rigid motions.
    void pull_back(double* row) const {
        Row x;
        std::copy_n(row, kWidth, x.begin());
        apply_N(x);
        for (std::size_t j = 0; j < kWidth; ++j) x[j] /= weight(j);
        remove_rigid_motion(x);
        for (std::size_t j = 0; j < kWidth; ++j) row[j] = x[j] * weight(j);
    }

    /// A row that vanishes on rigid motions and gives |p|^2 on du, and that number; 0 where p is
    /// rounding.
    const Row& direction() const { return D_; }
    double along() const { return along_; }

private:
    static constexpr bool is_point(std::size_t j) {
        return Arguments::kKind[j / 3] == ArgumentKind::point;
    }
    static constexpr double kNumPoints = [] {
        double n = 0.0;
        for (const ArgumentKind kind : Arguments::kKind) n += kind == ArgumentKind::point;
        return n;
    }();
    /// Two points have one shape, their distance, and closed forms.
    static constexpr bool kIsPair = Arguments::kCount == 2 && kNumPoints == 2.0;

    double weight(std::size_t j) const { return is_point(j) ? 1.0 : l_; }

    static Triple cross(const Triple& a, const Triple& b) {
        return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }
    static Triple mean_of_points(const double* x) {
        Triple mean{};
        for (std::size_t j = 0; j < kWidth; ++j)
            if (is_point(j)) mean[j % 3] += x[j] / kNumPoints;
        return mean;
    }
    /// Of the square of a length, in projections: orthogonal to 4 roundings.
    static constexpr double kMuchLeft = 0.0625;
    static double dot(const Row& a, const Row& b) {
        // Three sums that do not wait for each other.
        double x = 0.0, y = 0.0, z = 0.0;
        for (std::size_t i = 0; i < kWidth; i += 3) {
            x += a[i] * b[i];
            y += a[i + 1] * b[i + 1];
            z += a[i + 2] * b[i + 2];
        }
        return x + y + z;
    }

    /// N v = v + w x (w x v) / (4 k (1 + k)) for each vector of x; N is symmetric.
    void apply_N(Row& x) const {
        const double shrink = 0.25 / (kappa_ * (1.0 + kappa_));
        for (std::size_t i = 0; i < kWidth; i += 3) {
            const Triple twice = cross(w_, cross(w_, {x[i], x[i + 1], x[i + 2]}));
            for (std::size_t k = 0; k < 3; ++k) x[i + k] += shrink * twice[k];
        }
    }

    /// Turns about the three axes, weighted, made orthonormal by Gram and Schmidt, the largest
    /// first; what is left of one after the others may be rounding alone. The axes go with them.
    void make_turns() {
        constexpr double kRounding = 1e-12;
        for (std::size_t i = 0; i < kWidth; i += 3) {
            Triple r;
            for (std::size_t k = 0; k < 3; ++k)
                r[k] = weight(i) * (m_[i + k] - (is_point(i) ? center_[k] : 0.0));
            for (std::size_t k = 0; k < 3; ++k) {  // e_k x r
                turns_[k][i + k] = 0.0;
                turns_[k][i + (k + 1) % 3] = -r[(k + 2) % 3];
                turns_[k][i + (k + 2) % 3] = r[(k + 1) % 3];
            }
        }
        for (std::size_t k = 0; k < 3; ++k) axes_[k][k] = 1.0;

        double largest = 0.0;
        for (; num_turns_ < 3; ++num_turns_) {
            const std::size_t k = num_turns_;
            std::size_t best = k;
            for (std::size_t i = k + 1; i < 3; ++i)
                if (dot(turns_[i], turns_[i]) > dot(turns_[best], turns_[best])) best = i;
            std::swap(turns_[k], turns_[best]);
            std::swap(axes_[k], axes_[best]);
            const double length = std::sqrt(dot(turns_[k], turns_[k]));
            largest = std::max(largest, length);
            if (!(length > kRounding * largest)) return;
            for (double& entry : turns_[k]) entry /= length;
            for (double& entry : axes_[k]) entry /= length;
            for (std::size_t i = k + 1; i < 3; ++i) {
                double before = dot(turns_[i], turns_[i]);
                for (int pass = 0; pass < 2; ++pass) {
                    const double part = dot(turns_[k], turns_[i]);
                    for (std::size_t j = 0; j < kWidth; ++j) turns_[i][j] -= part * turns_[k][j];
                    for (std::size_t j = 0; j < 3; ++j) axes_[i][j] -= part * axes_[k][j];
                    // Turns are orthogonal, so this is what is left of the square.
                    const double left = before - part * part;
                    if (left > kMuchLeft * before) break;
                    before = dot(turns_[i], turns_[i]);
                }
            }
        }
    }

    /// Of a weighted x; returns the rotation in it. Again where what is left is small, and with it
    /// the rounding of what was removed is not (Kahan's rule: twice is enough).
    Triple remove_rigid_motion(Row& x) const {
        if constexpr (kIsPair) return keep_length(x);
        Triple w{};
        double before = dot(x, x);
        for (int pass = 0; pass < 2; ++pass) {
            const Triple mean = mean_of_points(x.data());
            for (std::size_t j = 0; j < kWidth; ++j)
                if (is_point(j)) x[j] -= mean[j % 3];
            for (std::size_t k = 0; k < num_turns_; ++k) {
                const double part = dot(turns_[k], x);
                for (std::size_t j = 0; j < kWidth; ++j) x[j] -= part * turns_[k][j];
                for (std::size_t j = 0; j < 3; ++j) w[j] += part * axes_[k][j];
            }
            const double left = dot(x, x);
            if (left > kMuchLeft * before) break;
            before = left;
        }
        return w;
    }
    Triple keep_length(Row& x) const {
        Triple change;
        double square = 0.0, product = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            change[k] = x[k] - x[k + 3];
            square += line_[k] * line_[k];
            product += line_[k] * change[k];
        }
        const double per_square = square > 0.0 ? 1.0 / square : 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            x[k] = 0.5 * product * per_square * line_[k];
            x[k + 3] = -x[k];
        }
        Triple w = cross(line_, change);
        for (double& entry : w) entry *= per_square;
        return w;
    }

    Row m_;
    Triple center_;
    double l_ = 1.0;
    Triple line_{};                 ///< of a pair
    std::array<Row, 3> turns_;      ///< else
    std::array<Triple, 3> axes_{};  ///< rotations that make the turns
    std::size_t num_turns_ = 0;
    Triple w_;
    double kappa_;
    Row p_, D_;
    double along_;
};

}  // namespace ancora
