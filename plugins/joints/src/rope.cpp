// SPDX-License-Identifier: BSD-3-Clause
// Rows of a rope over points.
#include "rope.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>

namespace ancora::joints {
namespace {

Vec3 way_of(std::span<const double> u, std::size_t i) {
    return {u[i + 3] - u[i], u[i + 4] - u[i + 1], u[i + 5] - u[i + 2]};
}

void add_way(const Vec3& e, std::size_t i, std::span<double> A) {
    for (std::size_t k = 0; k < 3; ++k) {
        A[i + k] -= e[static_cast<Eigen::Index>(k)];
        A[i + 3 + k] += e[static_cast<Eigen::Index>(k)];
    }
}

// Of a length, that of typed numbers: as gaps of a start are allowed
constexpr double kTypedLength = 1e-9;

std::string length_text(double number) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", number);
    return buffer;
}

}  // namespace

Rope::Rope(const Arguments& arguments) {
    const int count = arguments.shape("points") == Shape::texts ? arguments.num_texts("points") : 1;
    if (count < 2) arguments.fail("points", "is one point, expected a list of two or more");
    double path = 0.0;
    Vec3 last = Vec3::Zero();
    for (int i = 0; i < count; ++i) {
        const std::string_view text = arguments.text("points", i);
        points_.add(AttachmentRequest::Kind::point, text, "points");
        const FrameStart& point = arguments.frame(text, "points");
        const Vec3 x(point.motion.position[0], point.motion.position[1], point.motion.position[2]);
        if (i > 0 && !((x - last).norm() > 0.0))
            arguments.fail("points",
                           "has two neighbours at one place, \"" +
                               std::string(arguments.text("points", i - 1)) + "\" and \"" +
                               std::string(text) +
                               "\", so that the rope has no direction between them");
        if (i > 0) path += (x - last).norm();
        last = x;
    }
    stencil_.resize(3 * points_.list().size());
    std::iota(stencil_.begin(), stencil_.end(), 0);
    read_length(arguments, path);
    const double stiffness = read_stiffness(arguments);
    const bool gives = std::isfinite(stiffness);
    if (!gives && path > length_ * (1.0 + kTypedLength))
        arguments.fail(arguments.has("length") ? "length" : "points",
                       "the rope is " + length_text(length_) + " m long at the start, and " +
                           "along its points it is " + length_text(path) +
                           " m: make it longer, or give it a stiffness");
    if (gives) {
        if (arguments.number("restitution") != 0.0)
            arguments.fail("restitution",
                           "is that of a rope that does not give; leave it or the "
                           "stiffness out");
        law_ = {.kind = RowKind::elastic,
                .compliance = 1.0 / stiffness,
                .viscosity = arguments.has("damping") ? arguments.number("damping") : 0.0,
                .law = &kSlackLaw};
    } else {
        if (arguments.has("damping"))
            arguments.fail("damping", "is that of a rope that gives: say stiffness as well");
        sign_ = -1.0;
        law_ = {.kind = RowKind::unilateral, .restitution = arguments.number("restitution")};
    }
    block_ = {.name = "length",
              .num_items = 1,
              .rows_per_item = 1,
              .scalars_per_item = static_cast<std::int32_t>(stencil_.size()),
              .stencil = stencil_,
              .laws = {&law_, 1},
              .degree = Degree::general,
              .tangent = TangentForm::full,
              .depends_on_time = has_winch_};
}

void Rope::read_length(const Arguments& arguments, double path) {
    length_ = path;
    if (!arguments.has("length")) return;
    if (arguments.shape("length") == Shape::number) {
        length_ = arguments.number("length");
    } else {
        has_winch_ = true;
        winch_ = read_motion(arguments, "length", {"length"});
        winch_.evaluate(arguments.begin_time(), {&length_, 1});
    }
    if (!(length_ > 0.0)) arguments.fail("length", "is not above zero at the start");
}

/// Infinite where it does not give.
double Rope::read_stiffness(const Arguments& arguments) const {
    const bool has_section = arguments.has("young") || arguments.has("area");
    if (!has_section)
        return arguments.has("stiffness") ? arguments.number("stiffness")
                                          : std::numeric_limits<double>::infinity();
    if (arguments.has("stiffness"))
        arguments.fail("stiffness", "is given beside young and area; give one of them");
    for (const char* key : {"young", "area"})
        if (!arguments.has(key)) arguments.fail(key, "is missing: young and area go together");
    return arguments.number("young") * arguments.number("area") / length_;
}

void Rope::evaluate(int, const RowPoint& at, const RowValues& out) const {
    double length = length_, rate = 0.0, second = 0.0;
    if (has_winch_)
        winch_.evaluate(at.t,
                        {&length, out.pi.empty() ? 0u : 1u},
                        {&rate, out.pi_t.empty() ? 0u : 1u},
                        {&second, out.b.empty() ? 0u : 1u});
    std::ranges::fill(out.A, 0.0);
    double path = 0.0, bias = 0.0;
    for (std::size_t i = 0; i + 3 < at.u.size(); i += 3) {
        const Vec3 d = way_of(at.u, i);
        const double l = d.norm();
        path += l;
        if (!(l > 0.0)) continue;  // no direction, and no force
        if (!out.A.empty()) add_way(sign_ / l * d, i, out.A);
        if (out.b.empty()) continue;
        const Vec3 w = way_of(at.du, i);
        const double along = d.dot(w) / l;
        bias -= (w.squaredNorm() - along * along) / l;
    }
    if (!out.pi.empty()) out.pi[0] = sign_ * (path - length);
    if (!out.pi_t.empty()) out.pi_t[0] = -sign_ * rate;
    if (!out.b.empty()) out.b[0] = sign_ * (bias + second);
}

void Rope::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    std::ranges::fill(out.B, 0.0);
    for (std::size_t i = 0; i + 3 < step.u0.size(); i += 3) {
        const Vec3 d0 = way_of(step.u0, i), d1 = way_of(step.u1, i);
        const double both = d0.norm() + d1.norm();
        if (both > 0.0) add_way(sign_ / both * (d0 + d1), i, out.B);
    }
    if (!has_winch_) return;
    double before = 0.0, after = 0.0;
    winch_.evaluate(step.t0, {&before, 1});
    winch_.evaluate(step.t0 + step.h, {&after, 1});
    out.tau[0] = -sign_ * (after - before);
}

void Rope::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    std::ranges::fill(G, 0.0);
    const std::size_t n = stencil_.size();
    const double tension = sign_ * at.s[0];
    const double s = at.positive_part ? std::max(tension, 0.0) : tension;
    if (s == 0.0) return;
    for (std::size_t i = 0; i + 3 < n; i += 3) {
        const Vec3 d = way_of(at.mid, i);
        const double l = d.norm();
        if (!(l > 0.0)) continue;
        const Mat3 K = s / l * (Mat3::Identity() - d * d.transpose() / (l * l));
        for (std::size_t j = 0; j < 6; ++j)
            for (std::size_t k = 0; k < 6; ++k)
                G[(i + j) * n + i + k] +=
                    ((j < 3) == (k < 3) ? 1.0 : -1.0) *
                    K(static_cast<Eigen::Index>(j % 3), static_cast<Eigen::Index>(k % 3));
    }
}

}  // namespace ancora::joints
