// SPDX-License-Identifier: BSD-3-Clause
// Splits changes of points and directions into a rigid motion and a change of shape.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "ancora/sdk/argument_list.hpp"

namespace ancora {

/// Rigid motions of points r_i and directions d_j about a configuration, and what is none:
///
///   du = c + w x (r_i - r_c) on points,  w x d_j on directions,  + a change of shape       (1)
///
/// Terms:
///   c, w   the translation and rotation that leave least, in the norm
///          |du|^2 = sum |dr_i|^2 + l^2 sum |dd_j|^2
///   r_c    centroid of the points
///   l      their distance from it, root mean square [m], so that no unit of length is preferred;
///          1 where there is none
/// A rotation that moves nothing, as of collinear points about their line, is no motion.
template <class Arguments>
class ShapeChange {
    static constexpr std::size_t kWidth = Arguments::kWidth;
    static_assert(!Arguments::kHasScalars, "space turns vectors, not scalars");
    using Row = std::array<double, kWidth>;

public:
    /// [step] `at`: the configuration.
    explicit ShapeChange(const double* at) {
        if constexpr (kIsPair) {
            for (std::size_t k = 0; k < 3; ++k) line_[k] = at[k] - at[k + 3];
            return;
        }
        const std::array<double, 3> center = mean_of_points(at);
        double square = 0.0;
        for (std::size_t j = 0; j < kWidth; ++j)
            if (is_point(j)) square += (at[j] - center[j % 3]) * (at[j] - center[j % 3]);
        if (square > 0.0) l_ = std::sqrt(square / kNumPoints);

        // The three turns e_k x r. Directions are multiplied with l, so that the norm is the plain
        // one.
        for (std::size_t j = 0; j < kWidth; j += 3) {
            double r[3];
            for (std::size_t k = 0; k < 3; ++k)
                r[k] = is_point(j) ? at[j + k] - center[k] : l_ * at[j + k];
            for (std::size_t k = 0; k < 3; ++k) {
                turns_[k][j + k] = 0.0;
                turns_[k][j + (k + 1) % 3] = -r[(k + 2) % 3];
                turns_[k][j + (k + 2) % 3] = r[(k + 1) % 3];
            }
        }
        make_orthonormal();
    }

    /// [step] A row D on u that vanishes on every rigid motion and, on du, gives the square of its
    /// change of shape, which is returned; 0 where that is rounding.
    double along(const double* du, double* D) const {
        Row x;
        for (std::size_t j = 0; j < kWidth; ++j) x[j] = is_point(j) ? du[j] : l_ * du[j];
        const double whole = dot(x, x);
        remove_rigid_motion(x);
        for (std::size_t j = 0; j < kWidth; ++j) D[j] = is_point(j) ? x[j] : l_ * x[j];
        constexpr double kSquareOfRounding = 1e-28;
        const double left = dot(x, x);
        return left > kSquareOfRounding * whole ? left : 0.0;
    }

    /// [step] Takes from a row on u what does not vanish on rigid motions.
    void clean(double* row) const {
        Row x;
        for (std::size_t j = 0; j < kWidth; ++j) x[j] = is_point(j) ? row[j] : row[j] / l_;
        remove_rigid_motion(x);
        for (std::size_t j = 0; j < kWidth; ++j) row[j] = is_point(j) ? x[j] : l_ * x[j];
    }

private:
    static constexpr bool is_point(std::size_t j) {
        return Arguments::kKind[j / 3] == ArgumentKind::point;
    }
    static constexpr double kNumPoints = [] {
        double n = 0.0;
        for (const ArgumentKind kind : Arguments::kKind) n += kind == ArgumentKind::point;
        return n;
    }();
    static constexpr bool kIsPair = Arguments::kCount == 2 && kNumPoints == 2.0;

    static std::array<double, 3> mean_of_points(const double* x) {
        std::array<double, 3> mean{};
        for (std::size_t j = 0; j < kWidth; ++j)
            if (is_point(j)) mean[j % 3] += x[j] / kNumPoints;
        return mean;
    }
    static double dot(const Row& a, const Row& b) {
        double sum = 0.0;
        for (std::size_t j = 0; j < kWidth; ++j) sum += a[j] * b[j];
        return sum;
    }
    static void remove(const Row& unit, Row& from) {
        const double part = dot(unit, from);
        for (std::size_t j = 0; j < kWidth; ++j) from[j] -= part * unit[j];
    }

    /// Gram and Schmidt, the largest turn first; what is left of one after the others may be
    /// rounding alone.
    void make_orthonormal() {
        constexpr double kRounding = 1e-12;
        double largest = 0.0;
        for (; num_turns_ < 3; ++num_turns_) {
            const std::size_t k = num_turns_;
            std::size_t best = k;
            for (std::size_t i = k + 1; i < 3; ++i)
                if (dot(turns_[i], turns_[i]) > dot(turns_[best], turns_[best])) best = i;
            std::swap(turns_[k], turns_[best]);
            const double length = std::sqrt(dot(turns_[k], turns_[k]));
            largest = std::max(largest, length);
            if (!(length > kRounding * largest)) return;
            for (double& turn : turns_[k]) turn /= length;
            for (int twice = 0; twice < 2; ++twice)
                for (std::size_t i = k + 1; i < 3; ++i) remove(turns_[k], turns_[i]);
        }
    }
    void remove_rigid_motion(Row& x) const {
        if constexpr (kIsPair) return keep_length(x);
        // Twice, since what is left may be small.
        for (int twice = 0; twice < 2; ++twice) {
            const std::array<double, 3> mean = mean_of_points(x.data());
            for (std::size_t j = 0; j < kWidth; ++j)
                if (is_point(j)) x[j] -= mean[j % 3];
            for (std::size_t k = 0; k < num_turns_; ++k) remove(turns_[k], x);
        }
    }

    /// Two points have one shape, their distance: the closed form of the rest.
    void keep_length(Row& x) const {
        double square = 0.0, product = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            square += line_[k] * line_[k];
            product += line_[k] * (x[k] - x[k + 3]);
        }
        const double radial = square > 0.0 ? 0.5 * product / square : 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            x[k] = radial * line_[k];
            x[k + 3] = -x[k];
        }
    }

    double l_ = 1.0;
    std::array<double, 3> line_;  ///< of a pair
    std::array<Row, 3> turns_;
    std::size_t num_turns_ = 0;
};

}  // namespace ancora
