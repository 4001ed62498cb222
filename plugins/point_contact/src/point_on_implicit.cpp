// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the rows of surfaces and curves given by equations, and the rates of sliding on them.
#include "point_on_implicit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

namespace ancora::point_contact {
namespace {

constexpr AttachmentRequest kSurfaceAttachments[] = {{"point"}, {"origin"}};
// u = (r_p, r_o)
constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5};
constexpr std::size_t kScalars = 6;
constexpr RowLaw kSurfaceNormalLaw[] = {{.kind = RowKind::constraint}};
constexpr RowLaw kSurfaceSlidingLaw[] = {{.kind = RowKind::velocity_constraint}};

/// Right-handed: e1 x e2 = c.
struct Axes3 {
    Vec3 e1, e2, c;
};

/// Fixed in space; c has no special direction.
Axes3 axes_in_space() {
    const Vec3 c(0.48, 0.6, 0.64);
    const Vec3 e2 = Vec3(-c.y(), c.x(), 0.0).normalized();
    return {e2.cross(c), e2, c};
}

/// The axes turned the shortest way so that c becomes n; n = -c has none and takes a half turn.
Tangents turned(const Axes3& from, const Vec3& n) {
    const double w = 1.0 + from.c.dot(n);
    const Vec3 first = w > 0.0 ? Vec3(from.e1 - from.e1.dot(n) / w * (from.c + n)) : from.e1;
    // where w is small rounding has grown: orthonormal again
    const Vec3 t1 = (first - first.dot(n) * n).normalized();
    return {{t1, n.cross(t1)}, 2};
}

/// Their rates while n changes at the rate dn.
Tangents turning(const Axes3& from, const Vec3& n, const Vec3& dn) {
    const double w = 1.0 + from.c.dot(n);
    if (!(w > 0.0)) return {{Vec3::Zero(), Vec3::Zero()}, 2};
    const Vec3 sum = (from.c + n) / w;
    const Vec3 dsum = (dn - from.c.dot(dn) * sum) / w;
    const auto rate = [&](const Vec3& e) {
        return Vec3(-e.dot(dn) * sum - e.dot(n) * dsum);
    };
    return {{rate(from.e1), rate(from.e2)}, 2};
}

/// Rate of x / |x|.
Vec3 rate_of_unit(const Vec3& x, const Vec3& dx) {
    const double length = x.norm();
    const Vec3 unit = x / length;
    return (dx - unit.dot(dx) * unit) / length;
}

Vec3 rho_of(std::span<const double> u) {
    return vec3(u, 0) - vec3(u, 3);
}

void write_row(std::span<double> A, std::size_t k, const Vec3& x) {
    vec3(A, k * kScalars) = x;
    vec3(A, k * kScalars + 3) = -x;
}

/// Gradients at rho, checked.
std::array<Vec3, 2> gradients(std::span<const Implicit> functions, const Vec3& rho) {
    std::array<Vec3, 2> g;
    for (std::size_t k = 0; k < functions.size(); ++k) g[k] = functions[k].gradient(rho);
    check_normals(functions, std::span(g).first(functions.size()), rho);
    return g;
}

}  // namespace

ImplicitSliding::ImplicitSliding(std::span<const Implicit> functions) : functions_(functions) {
    if (functions.size() == 1)
        for (int k = 0; k < 3; ++k)
            if (functions[0].depends_on(k)) {
                // x, y, z: the axis before one that counts, then the one after it
                for (const int axis : {(k + 2) % 3, (k + 1) % 3})
                    if (free_axis_ < 0 && !functions[0].depends_on(axis)) free_axis_ = axis;
                break;
            }
    block_ = {.name = "sliding",
              .num_items = 1,
              .rows_per_item = static_cast<std::int32_t>(3 - functions.size()),
              .scalars_per_item = static_cast<std::int32_t>(kScalars),
              .stencil = kStencil,
              .laws = kSurfaceSlidingLaw,
              .degree = Degree::general,
              .tangent = TangentForm::none};
}

Tangents ImplicitSliding::at_instant(const Vec3& rho) const {
    const std::array<Vec3, 2> g = gradients(functions_, rho);
    if (functions_.size() == 2) return {{g[0].cross(g[1]).normalized(), Vec3::Zero()}, 1};
    const Vec3 n = g[0].normalized();
    if (free_axis_ < 0) return turned(axes_in_space(), n);
    const Vec3 e = Vec3::Unit(free_axis_);
    return {{e.cross(n), e}, 2};
}

void ImplicitSliding::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    const Vec3 rho = rho_of(at.u);
    if (!out.A.empty()) {
        const Tangents tangents = at_instant(rho);
        for (std::size_t i = 0; i < tangents.count; ++i) write_row(out.A, i, tangents.t[i]);
    }
    if (out.b.empty()) return;

    const Vec3 drho = rho_of(at.du);
    const std::array<Vec3, 2> g = gradients(functions_, rho);
    const Vec3 dg = functions_[0].hessian(rho) * drho;
    if (functions_.size() == 2) {
        const Vec3 dg2 = functions_[1].hessian(rho) * drho;
        out.b[0] = -rate_of_unit(g[0].cross(g[1]), dg.cross(g[1]) + g[0].cross(dg2)).dot(drho);
        return;
    }
    const Vec3 dn = rate_of_unit(g[0], dg);
    if (free_axis_ < 0) {
        const Tangents rate = turning(axes_in_space(), g[0].normalized(), dn);
        for (std::size_t i = 0; i < 2; ++i) out.b[i] = -rate.t[i].dot(drho);
        return;
    }
    out.b[0] = -Vec3::Unit(free_axis_).cross(dn).dot(drho);
    out.b[1] = 0.0;
}

void ImplicitSliding::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    const Vec3 rho = rho_of(step.u0);
    const Vec3 d = rho_of(step.du);
    std::array<Vec3, 2> g;
    for (std::size_t k = 0; k < functions_.size(); ++k)
        g[k] = functions_[k].discrete_gradient(rho, d);
    check_normals(functions_, std::span(g).first(functions_.size()), rho + 0.5 * d);
    if (functions_.size() == 2) {
        write_row(out.B, 0, g[0].cross(g[1]).normalized());
        return;
    }
    const Vec3 n = g[0].normalized();
    const Tangents begin = at_instant(rho);
    const Tangents mid = turned({begin.t[0], begin.t[1], begin.t[0].cross(begin.t[1])}, n);
    for (std::size_t i = 0; i < 2; ++i) write_row(out.B, i, mid.t[i]);
}

std::vector<Implicit> PointOnImplicit::read(const Arguments& arguments,
                                            const char* key,
                                            int count) {
    const bool is_list = arguments.shape(key) == Shape::texts;
    const int found = is_list ? arguments.num_texts(key) : 1;
    if (found != count)
        arguments.fail(key,
                       "expected " + std::to_string(count) +
                           " equations, for a curve is where two surfaces cross; found " +
                           std::to_string(found));
    std::vector<Implicit> functions;
    for (int i = 0; i < count; ++i) {
        const std::string text(is_list ? arguments.text(key, i) : arguments.text(key));
        try {
            functions.emplace_back(text);
        } catch (const FormulaError& error) {
            const std::string which = is_list ? "equation " + std::to_string(i + 1) + " of " +
                                                    std::to_string(count) + ", "
                                              : "";
            arguments.fail(key,
                           which + error.what() + "\n" + formula_excerpt(text, error.position()));
        }
    }
    try {
        normalise(functions);
    } catch (const std::invalid_argument& error) {
        arguments.fail(key, error.what());
    }
    return functions;
}

PointOnImplicit::PointOnImplicit(const Arguments& arguments, const char* key, int count)
    : functions_(read(arguments, key, count)), sliding_(functions_) {
    Degree degree = Degree::linear;
    for (const Implicit& function : functions_) degree = std::max(degree, function.degree());
    block_ = {.name = "gap",
              .num_items = 1,
              .rows_per_item = count,
              .scalars_per_item = static_cast<std::int32_t>(kScalars),
              .stencil = kStencil,
              .laws = kSurfaceNormalLaw,
              .degree = degree,
              .tangent = degree == Degree::linear ? TangentForm::none : TangentForm::full};
}

std::span<const AttachmentRequest> PointOnImplicit::attachments() const {
    return kSurfaceAttachments;
}

void PointOnImplicit::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi_t, 0.0);
    const Vec3 rho = rho_of(at.u);
    if (!out.A.empty()) {
        const std::array<Vec3, 2> g = gradients(functions_, rho);
        for (std::size_t k = 0; k < functions_.size(); ++k) write_row(out.A, k, g[k]);
    }
    for (std::size_t k = 0; k < functions_.size(); ++k) {
        if (!out.pi.empty()) out.pi[k] = functions_[k].value(rho);
        if (!out.b.empty()) out.b[k] = -functions_[k].second_rate(rho, rho_of(at.du));
    }
}

void PointOnImplicit::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    const Vec3 rho = rho_of(step.u0);
    const Vec3 d = rho_of(step.du);
    std::array<Vec3, 2> g;
    for (std::size_t k = 0; k < functions_.size(); ++k) {
        g[k] = functions_[k].discrete_gradient(rho, d);
        write_row(out.B, k, g[k]);
    }
    check_normals(functions_, std::span(g).first(functions_.size()), rho + 0.5 * d);
}

void PointOnImplicit::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    // K on rho; (1 -1; -1 1) (x) K on (r_p, r_o)
    Mat3 K = Mat3::Zero();
    for (std::size_t k = 0; k < functions_.size(); ++k)
        K += at.s[k] * functions_[k].hessian(rho_of(at.mid));
    if (!K.allFinite()) K.setZero();
    if (at.positive_part) {
        const Eigen::SelfAdjointEigenSolver<Mat3> eigen(K);
        K = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
            eigen.eigenvectors().transpose();
    }
    Eigen::Map<Eigen::Matrix<double, 6, 6>> all(G.data());
    all << K, -K, -K, K;
}

}  // namespace ancora::point_contact
