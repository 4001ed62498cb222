// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the velocity of a ball's contact point.
#include "rolling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/Geometry>

#include "reading.hpp"

namespace ancora::nonholonomic {
namespace {

constexpr std::size_t kScalars = 12;
constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
constexpr RowLaw kLaw[] = {{.kind = RowKind::velocity_constraint}};
constexpr RowBlock kBlock[] = {{.name = "velocity of the contact point",
                                .num_items = 1,
                                .rows_per_item = 2,
                                .scalars_per_item = kScalars,
                                .stencil = kStencil,
                                .laws = kLaw,
                                .degree = Degree::quadratic,
                                .tangent = TangentForm::none}};

// Two axes perpendicular to n: x and y for n = z. Zeros of n stay exact zeros.
std::array<Vec3, 2> across(const Vec3& n) {
    Eigen::Index largest = 0;
    n.cwiseAbs().maxCoeff(&largest);
    const Eigen::Index next = (largest + 1) % 3;
    const Eigen::Index after = (largest + 2) % 3;
    const Eigen::Index axis = std::abs(n(next)) < std::abs(n(after)) ? next : after;
    const Vec3 t2 = (Vec3::Unit(axis) - n(axis) * n).normalized();
    return {t2.cross(n), t2};
}

}  // namespace

Rolling::Rolling(const Arguments& arguments)
    : radius_(arguments.number("radius")), n_(unit_vector(arguments, "normal")), t_(across(n_)) {
    const std::string_view body = arguments.text("body");
    texts_[0] = attachment_text(body, vec3(arguments.numbers("center")));
    requests_[0] = {AttachmentRequest::Kind::point, texts_[0].c_str(), "body"};
    for (std::size_t i = 1; i < 4; ++i) {
        texts_[i] = attachment_text(body, Vec3::Unit(static_cast<Eigen::Index>(i) - 1));
        requests_[i] = {AttachmentRequest::Kind::direction, texts_[i].c_str(), "body"};
    }
}

std::span<const RowBlock> Rolling::row_blocks() const {
    return kBlock;
}

void Rolling::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    if (!out.A.empty())
        for (std::size_t k = 0; k < 2; ++k) {
            vec3(out.A, kScalars * k) = t_[k];
            for (std::size_t i = 3; i < kScalars; i += 3)
                vec3(out.A, kScalars * k + i) = -radius_ * n_.dot(vec3(at.u, i)) * t_[k];
        }
    if (out.b.empty()) return;
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 3; i < kScalars; i += 3) sum += n_.dot(vec3(at.du, i)) * vec3(at.du, i);
    for (std::size_t k = 0; k < 2; ++k) out.b[k] = radius_ * t_[k].dot(sum);
}

}  // namespace ancora::nonholonomic
