// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the rates at which shapes slide.
#include <algorithm>
#include <cmath>

#include "ancora/pairs/across.hpp"
#include "ancora/pairs/shape_contact.hpp"

namespace ancora::contact {
namespace {

constexpr RowLaw kPairSlidingLaw[] = {{.kind = RowKind::velocity_constraint}};

template <class S>
Vector3<S> vector_at(const S* u, std::size_t first) {
    return {u[first], u[first + 1], u[first + 2]};
}
template <class S>
void put_vector(const Vector3<S>& x, S* out) {
    out[0] = x.x;
    out[1] = x.y;
    out[2] = x.z;
}

}  // namespace

PairSliding::PairSliding(const PairGeometry& geometry,
                         const PairPlaces& places,
                         int width,
                         std::span<const Vec3> n,
                         std::span<const double> start)
    : geometry_(geometry), start_(start), places_(places), width_(static_cast<std::size_t>(width)) {
    for (const Vec3& normal : n) {
        axes_.push_back({normal, across(normal)});
        for (int i = 0; i < width; ++i) stencil_.push_back(i);
    }
    block_ = {.name = "sliding",
              .num_items = static_cast<std::int32_t>(n.size()),
              .rows_per_item = 2,
              .scalars_per_item = width,
              .stencil = stencil_,
              .laws = kPairSlidingLaw,
              .degree = Degree::general,
              .tangent = TangentForm::none};
}

/// (1): both rows of an item.
template <class S>
void PairSliding::rows_of(int item, Feature of, const S* u, S* out) const {
    using V = Vector3<S>;
    const V r = vector_at(u, places_.c) - vector_at(u, places_.d);
    V f[3], e[3];
    Relative<S> z;
    for (std::size_t j = 0; j < 3; ++j) f[j] = vector_at(u, places_.f + 3 * j);
    z.y = V(dot(f[0], r), dot(f[1], r), dot(f[2], r));
    for (std::size_t i = 0; i < 3; ++i) {
        z.Y[i] = V(S(0.0), S(0.0), S(0.0));
        if (!places_.has_e) continue;
        e[i] = vector_at(u, places_.e + 3 * i);
        z.Y[i] = V(dot(f[0], e[i]), dot(f[1], e[i]), dot(f[2], e[i]));
    }
    const Touch<S> touch = geometry_.touch(item, of, z);
    // Components along axes that in the middle of a step are not orthonormal: both points of (1)
    // are one there, or the forces at them would have a moment.
    const auto components = [](const V& way, const V* axes) {
        const V across_1 = cross(axes[1], axes[2]);
        const S volume = dot(axes[0], across_1);
        return V(dot(way, across_1) / volume,
                 dot(way, cross(axes[2], axes[0])) / volume,
                 dot(way, cross(axes[0], axes[1])) / volume);
    };
    const V X = places_.has_e ? touch.x : components(r, f);
    V x(S(0.0), S(0.0), S(0.0));
    if (places_.has_e) x = components(f[0] * X.x + f[1] * X.y + f[2] * X.z - r, e);
    const Axes& axes = axes_[static_cast<std::size_t>(item)];
    const V n0(axes.n);
    // Against the axis no way is the shortest.
    S height = dot(n0, touch.n) + 1.0;
    if (autodiff::value_of(height) < 1e-12) height = S(1e-12);
    std::fill_n(out, 2 * width_, S(0.0));
    for (std::size_t k = 0; k < 2; ++k) {
        const V t0(axes.t[k]);
        const V tau =
            touch.has_axes ? touch.t[k] : t0 - (dot(t0, touch.n) / height) * (n0 + touch.n);
        const V t = f[0] * tau.x + f[1] * tau.y + f[2] * tau.z;
        S* const row = out + k * width_;
        put_vector(t, row + places_.c);
        put_vector(-t, row + places_.d);
        const S of_b[] = {X.x, X.y, X.z}, of_a[] = {x.x, x.y, x.z};
        for (std::size_t i = 0; i < 3; ++i) {
            put_vector(-(of_b[i] * t), row + places_.f + 3 * i);
            if (places_.has_e) put_vector(of_a[i] * t, row + places_.e + 3 * i);
        }
    }
}

void PairSliding::evaluate_item(int item,
                                std::span<const double> u,
                                std::span<const double> du,
                                std::span<const double> state,
                                std::span<double> A,
                                std::span<double> b) const {
    using autodiff::Taylor2;
    if (state.empty()) state = start_;
    const Feature of = item < geometry_.num_features()
                           ? static_cast<Feature>(std::abs(state[static_cast<std::size_t>(item)]))
                           : 0;
    if (geometry_.num_features() > 0 && of == 0) {
        // Of no feature: the rows stand for nothing, but are no rows of zeros.
        std::ranges::fill(A, 0.0);
        for (std::size_t k = 0; k < 2; ++k) {
            const std::size_t row = k * width_, f = places_.f + 3 * k;
            if (!A.empty()) {
                vec3(A, row + places_.c) = vec3(u, f);
                vec3(A, row + places_.d) = -vec3(u, f);
            }
            if (!b.empty()) b[k] = -vec3(du, f).dot(vec3(du, places_.c) - vec3(du, places_.d));
        }
        return;
    }
    if (!A.empty()) rows_of(item, of, u.data(), A.data());
    if (b.empty()) return;
    // -A' u'
    std::array<Taylor2, kMostScalars> along;
    std::array<Taylor2, 2 * kMostScalars> course;
    for (std::size_t i = 0; i < width_; ++i) along[i] = Taylor2(u[i], du[i], 0.0);
    rows_of(item, of, along.data(), course.data());
    for (std::size_t k = 0; k < 2; ++k) {
        double sum = 0.0;
        for (std::size_t i = 0; i < width_; ++i) sum += course[k * width_ + i].first * du[i];
        b[k] = -sum;
    }
}

void PairSliding::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    for (int item = 0; item < block_.num_items; ++item) {
        const std::size_t first = 2 * static_cast<std::size_t>(item);
        evaluate_item(item,
                      at.u,
                      at.du,
                      at.state,
                      out.A.empty() ? out.A : out.A.subspan(first * width_, 2 * width_),
                      out.b.empty() ? out.b : out.b.subspan(first, 2));
    }
}

}  // namespace ancora::contact
