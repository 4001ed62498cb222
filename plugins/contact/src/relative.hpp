// SPDX-License-Identifier: BSD-3-Clause
// A body as seen from another, and gaps as functions of that.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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

/// Where bodies touch, in the axes of b: a point of its surface, and its normal out of b.
template <class S>
struct Touch {
    Vector3<S> x;
    Vector3<S> n;
};

/// The gaps of a pair of shapes, one for each place where it may touch.
class PairGeometry {
public:
    virtual ~PairGeometry() = default;
    virtual int num_rows() const = 0;
    /// Gaps are linear in (1).
    virtual bool is_linear() const { return false; }
    /// A length of the pair.
    virtual double size() const = 0;
    virtual double gap(int row, const RelativeValues& z) const = 0;
    /// And its gradient w.
    virtual double gap(int row, const RelativeValues& z, RelativeValues& w) const = 0;
    /// Its second derivative along the course z + z' t + z'' t^2 / 2.
    virtual double second(int row, const std::array<autodiff::Taylor2, kNumRelative>& z) const = 0;
    virtual Touch<double> touch(int row, const Relative<double>& z) const = 0;
    virtual Touch<autodiff::Taylor2> touch(int row, const Relative<autodiff::Taylor2>& z) const = 0;
};

/// Of a class with templates gap(row, Relative<S>) and touch(row, Relative<S>), and a constant
/// gradient(row) where kIsLinear. kTurns: gaps depend on Y.
template <class Shapes>
class GeometryOf final : public PairGeometry {
public:
    explicit GeometryOf(const Shapes& shapes) : shapes_(shapes) {}

    int num_rows() const override { return shapes_.num_rows(); }
    bool is_linear() const override { return Shapes::kIsLinear; }
    double size() const override { return shapes_.size(); }
    double gap(int row, const RelativeValues& z) const override {
        return shapes_.gap(row, relative(z));
    }
    double gap(int row, const RelativeValues& z, RelativeValues& w) const override {
        if constexpr (Shapes::kIsLinear) {
            w = shapes_.gradient(row);
            return shapes_.gap(row, relative(z));
        } else {
            constexpr std::size_t kCount = Shapes::kTurns ? kNumRelative : 3;
            using S = autodiff::Dual<static_cast<int>(kCount)>;
            std::array<S, kNumRelative> x;
            for (std::size_t i = 0; i < kNumRelative; ++i) {
                x[i] = S(z[i]);
                if (i < kCount) x[i].d[i] = 1.0;
            }
            const S g = shapes_.gap(row, relative(x));
            w.fill(0.0);
            std::copy(g.d.begin(), g.d.end(), w.begin());
            return g.value;
        }
    }
    double second(int row, const std::array<autodiff::Taylor2, kNumRelative>& z) const override {
        return shapes_.gap(row, relative(z)).second;
    }
    Touch<double> touch(int row, const Relative<double>& z) const override {
        return shapes_.touch(row, z);
    }
    Touch<autodiff::Taylor2> touch(int row, const Relative<autodiff::Taylor2>& z) const override {
        return shapes_.touch(row, z);
    }

private:
    template <class S>
    static Relative<S> relative(const std::array<S, kNumRelative>& z) {
        return {{z[0], z[1], z[2]},
                {{{z[3], z[4], z[5]}, {z[6], z[7], z[8]}, {z[9], z[10], z[11]}}}};
    }

    Shapes shapes_;
};

}  // namespace ancora::contact
