// SPDX-License-Identifier: BSD-3-Clause
// A body as seen from another, and gaps as functions of that.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ancora/sdk/numbers/taylor.hpp"
#include "ancora/sdk/numbers/vector3.hpp"

namespace ancora::contact {

/// The middle and the axes e_i of a in the axes f_j of b, whose middle is d:
///
///   y_j = f_j . (c - d),   Y_ij = f_j . e_i                                              (1)
///
/// They are quadratic in points and directions, so that their increments over a step are those by
/// the Jacobian at its middle exactly, and a rigid motion of both leaves them alone: whatever is a
/// function of (1) has a discrete Jacobian without resultant and moment.
template <class S>
struct Relative {
    Vector3<S> y;
    std::array<Vector3<S>, 3> Y;

    /// A material point or direction of a.
    Vector3<S> turned(const Vec3& x) const { return x[0] * Y[0] + x[1] * Y[1] + x[2] * Y[2]; }
    Vector3<S> point(const Vec3& x) const { return y + turned(x); }
    /// Components along the axes of a.
    Vector3<S> turned_back(const Vector3<S>& v) const {
        return {dot(Y[0], v), dot(Y[1], v), dot(Y[2], v)};
    }
};

inline constexpr std::size_t kNumRelative = 12;
using RelativeValues = std::array<double, kNumRelative>;

/// Where bodies touch, in the axes of b: a point, the normal out of b, and directions across it
/// where the feature has some.
template <class S>
struct Touch {
    Vector3<S> x;
    Vector3<S> n;
    bool has_axes = false;
    std::array<Vector3<S>, 2> t{};
};

/// Which feature a row is about, of those that have several: a number that the pair itself knows,
/// one that a double holds.
using Feature = std::int64_t;

/// The gaps of a pair of shapes, one for each place where it may touch.
class PairGeometry {
public:
    virtual ~PairGeometry() = default;
    virtual int num_rows() const = 0;
    /// Rows that are about features which change: the first ones. The gap of the row behind them is
    /// that of the pair, and nothing presses there.
    virtual int num_features() const { return 0; }
    /// Which they are at the end z1 of a step from z0 on; those that touch stay. Where the shapes
    /// overlap there, as in trials of steps, they are what separates them best of all that did so
    /// at z0, with a negative number: bare, without borders.
    virtual void choose(const RelativeValues& /*z0*/,
                        const RelativeValues& /*z1*/,
                        std::span<double>) const {}
    /// Gaps are linear in (1).
    virtual bool is_linear() const { return false; }
    /// The gap of a feature is at most quadratic in (1), so that w in the middle is exact.
    virtual bool is_quadratic(Feature) const { return is_linear(); }
    /// A length of the pair.
    virtual double size() const = 0;
    /// The gap; behind the border of a feature, where it cannot touch, by how much.
    virtual double value(int row, Feature of, const RelativeValues& z) const = 0;
    /// The gap of the feature, whether or not z is within its borders.
    virtual double gap(int row, Feature of, const RelativeValues& z) const = 0;
    /// And its gradient w.
    virtual double gap(int row, Feature of, const RelativeValues& z, RelativeValues& w) const = 0;
    /// The gradient w over a step from z0 to z1 with the middle z, where the feature knows one with
    /// w . (z1 - z0) = g1 - g0. @returns whether it does
    virtual bool mean_gradient(Feature,
                               const RelativeValues&,
                               const RelativeValues&,
                               const RelativeValues&,
                               RelativeValues&) const {
        return false;
    }
    /// What has a slope over a step may bend too sharply for a second derivative in its middle.
    virtual bool bends_sharply(Feature) const { return false; }
    /// Its second derivative along the course z + z' t + z'' t^2 / 2.
    virtual double second(int row,
                          Feature of,
                          const std::array<autodiff::Taylor2, kNumRelative>& z) const = 0;
    virtual Touch<double> touch(int row, Feature of, const Relative<double>& z) const = 0;
    virtual Touch<autodiff::Taylor2> touch(int row,
                                           Feature of,
                                           const Relative<autodiff::Taylor2>& z) const = 0;
};

template <class S>
Relative<S> relative_of(const std::array<S, kNumRelative>& z) {
    return {{z[0], z[1], z[2]}, {{{z[3], z[4], z[5]}, {z[6], z[7], z[8]}, {z[9], z[10], z[11]}}}};
}

/// Of a class with templates gap(row, feature, Relative<S>) and touch(likewise), and a constant
/// gradient(row) where kIsLinear. kTurns: gaps depend on Y. One with features has
/// kHasFeatures, value(), num_features() and choose() besides.
template <class Shapes>
class GeometryOf final : public PairGeometry {
public:
    explicit GeometryOf(const Shapes& shapes) : shapes_(shapes) {}

    int num_rows() const override { return shapes_.num_rows(); }
    int num_features() const override {
        if constexpr (kHasFeatures)
            return shapes_.num_rows() - 1;
        else
            return 0;
    }
    void choose(const RelativeValues& z0,
                const RelativeValues& z1,
                std::span<double> features) const override {
        if constexpr (kHasFeatures) shapes_.choose(relative_of(z0), relative_of(z1), features);
    }
    bool is_linear() const override { return Shapes::kIsLinear; }
    bool is_quadratic(Feature of) const override {
        if constexpr (kHasFeatures)
            return shapes_.is_quadratic(of);
        else
            return Shapes::kIsLinear;
    }
    double size() const override { return shapes_.size(); }
    double value(int row, Feature of, const RelativeValues& z) const override {
        if constexpr (kHasFeatures)
            return shapes_.value(row, of, relative_of(z));
        else
            return shapes_.gap(row, of, relative_of(z));
    }
    double gap(int row, Feature of, const RelativeValues& z) const override {
        return shapes_.gap(row, of, relative_of(z));
    }
    double gap(int row, Feature of, const RelativeValues& z, RelativeValues& w) const override {
        if constexpr (Shapes::kIsLinear) {
            w = shapes_.gradient(row);
            return shapes_.gap(row, of, relative_of(z));
        } else {
            return differentiate(z, w, [&](const auto& x) {
                return shapes_.gap(row, of, x);
            });
        }
    }
    bool mean_gradient(Feature of,
                       const RelativeValues& z0,
                       const RelativeValues& z1,
                       const RelativeValues& z,
                       RelativeValues& w) const override {
        if constexpr (requires { shapes_.has_mean(of); }) {
            if (!shapes_.has_mean(of)) return false;
            differentiate(z, w, [&](const auto& x) {
                return shapes_.mean_gap(of, relative_of(z0), relative_of(z1), x);
            });
            return true;
        } else {
            return PairGeometry::mean_gradient(of, z0, z1, z, w);
        }
    }
    bool bends_sharply(Feature of) const override {
        if constexpr (requires { shapes_.bends_sharply(of); })
            return shapes_.bends_sharply(of);
        else
            return false;
    }
    double second(int row,
                  Feature of,
                  const std::array<autodiff::Taylor2, kNumRelative>& z) const override {
        return shapes_.gap(row, of, relative_of(z)).second;
    }
    Touch<double> touch(int row, Feature of, const Relative<double>& z) const override {
        return shapes_.touch(row, of, z);
    }
    Touch<autodiff::Taylor2> touch(int row,
                                   Feature of,
                                   const Relative<autodiff::Taylor2>& z) const override {
        return shapes_.touch(row, of, z);
    }

private:
    static constexpr bool kHasFeatures = requires { Shapes::kHasFeatures; };

    template <class Function>
    static double differentiate(const RelativeValues& z,
                                RelativeValues& w,
                                const Function& function) {
        constexpr std::size_t kCount = Shapes::kTurns ? kNumRelative : 3;
        using S = autodiff::Dual<static_cast<int>(kCount)>;
        std::array<S, kNumRelative> x;
        for (std::size_t i = 0; i < kNumRelative; ++i) {
            x[i] = S(z[i]);
            if (i < kCount) x[i].d[i] = 1.0;
        }
        const S g = function(relative_of(x));
        w.fill(0.0);
        std::copy(g.d.begin(), g.d.end(), w.begin());
        return g.value;
    }

    Shapes shapes_;
};

template <class Shapes>
std::unique_ptr<PairGeometry> make_geometry(const Shapes& shapes) {
    return std::make_unique<GeometryOf<Shapes>>(shapes);
}

}  // namespace ancora::contact
