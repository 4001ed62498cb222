// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `rope_over_points`: a rope over any number of points that may go slack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include <ancora/sdk/authoring.hpp>
#include <ancora/sdk/helpers/stress_laws.hpp>

namespace outside {

using namespace ancora;

/// One row over N points, with a tension that is never negative:
///
///   pi = sum_i |d_i| - L,  d_i = r_i+1 - r_i,   s = <k pi + eta pi'>                       (1)
///
/// The step takes the exact quotient of each |d_i|, which keeps energy and both momenta:
///
///   B_i = (d_i0 + d_i1) / (|d_i0| + |d_i1|)                                               (2)
class RopeOverPoints final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("points", "a list, from end to end").or_texts().required(),
        parameter::number("length", "m", "L, free length").positive().required(),
        parameter::number("stiffness", "N/m", "k, of the whole rope").positive().required(),
        parameter::number("damping", "N s/m", "eta").nonnegative().otherwise("0.0"),
    };

    explicit RopeOverPoints(const Arguments& arguments) : length_(arguments.number("length")) {
        const int count =
            arguments.shape("points") == Shape::texts ? arguments.num_texts("points") : 1;
        if (count < 2) arguments.fail("points", "found one point, expected a list of two or more");
        for (int i = 0; i < count; ++i)
            points_.add(AttachmentRequest::Kind::point, arguments.text("points", i), "points");
        stencil_.resize(3 * points_.list().size());
        std::iota(stencil_.begin(), stencil_.end(), 0);
        law_ = {.kind = RowKind::elastic,
                .compliance = 1.0 / arguments.number("stiffness"),
                .viscosity = arguments.number("damping"),
                .law = &slack_};
        block_ = {.name = "length",
                  .num_items = 1,
                  .rows_per_item = 1,
                  .scalars_per_item = static_cast<std::int32_t>(stencil_.size()),
                  .stencil = stencil_,
                  .laws = {&law_, 1},
                  .degree = Degree::general,
                  .tangent = TangentForm::full};
    }

    std::span<const AttachmentRequest> attachments() const override { return points_.list(); }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        std::ranges::fill(out.A, 0.0);
        std::ranges::fill(out.pi_t, 0.0);
        double sum = -length_, bias = 0.0;
        for (std::size_t i = 0; i + 3 < at.u.size(); i += 3) {
            const Vec3 d = difference(at.u, i);
            const double l = d.norm();
            sum += l;
            if (!out.A.empty()) put(d / l, i, out.A);
            if (out.b.empty()) continue;
            const Vec3 w = difference(at.du, i);
            bias -= (w.squaredNorm() - square(d.dot(w) / l)) / l;
        }
        if (!out.pi.empty()) out.pi[0] = sum;
        if (!out.b.empty()) out.b[0] = bias;
    }

    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        std::ranges::fill(out.B, 0.0);
        for (std::size_t i = 0; i + 3 < step.u0.size(); i += 3) {
            const Vec3 d0 = difference(step.u0, i), d1 = difference(step.u1, i);
            put((d0 + d1) / (d0.norm() + d1.norm()), i, out.B);
        }
    }

    void evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const override {
        std::ranges::fill(G, 0.0);
        const std::size_t n = stencil_.size();
        const double s = at.positive_part ? std::max(at.s[0], 0.0) : at.s[0];
        for (std::size_t i = 0; i + 3 < n; i += 3) {
            const Vec3 d = difference(at.mid, i);
            const double l = d.norm();
            const Mat3 K = s / l * (Mat3::Identity() - d * d.transpose() / (l * l));
            for (std::size_t j = 0; j < 6; ++j)
                for (std::size_t k = 0; k < 6; ++k)
                    G[(i + j) * n + i + k] += ((j < 3) == (k < 3) ? 1.0 : -1.0) *
                                              K(static_cast<int>(j % 3), static_cast<int>(k % 3));
        }
    }

private:
    static double square(double x) { return x * x; }
    static Vec3 difference(std::span<const double> u, std::size_t i) {
        return {u[i + 3] - u[i], u[i + 4] - u[i + 1], u[i + 5] - u[i + 2]};
    }
    static void put(const Vec3& n, std::size_t i, std::span<double> A) {
        for (std::size_t k = 0; k < 3; ++k) {
            A[i + k] -= n[static_cast<int>(k)];
            A[i + 3 + k] += n[static_cast<int>(k)];
        }
    }

    double length_;
    AttachmentTexts points_;
    std::vector<std::int32_t> stencil_;
    SlackLaw slack_;
    RowLaw law_;
    RowBlock block_;
};

constexpr TypeDescriptor kRopeOverPoints =
    type<RopeOverPoints>("rope_over_points",
                         {.doc = "a rope over any number of points, which may go slack",
                          .equation = "pi = sum |r_i+1 - r_i| - L, s = <k pi + eta pi'>",
                          .source = "any textbook of mechanics",
                          .examples = {"points = [\"a@[0.3, 0.1, -0.2]\", "
                                       "\"ground@[0.1, 0.2, 2.0]\", "
                                       "\"b@[-0.4, 0.2, 0.1]\"]\n"
                                       "length = 1.5\n"
                                       "stiffness = 40.0\n"
                                       "damping = 0.3"},
                          .claims = {Claim::rigid_motion_invariant}},
                         RopeOverPoints::kParameters);

}  // namespace outside
