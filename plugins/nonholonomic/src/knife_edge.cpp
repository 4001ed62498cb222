// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the velocity across an edge.
#include "knife_edge.hpp"

#include <algorithm>
#include <cstdint>

#include <Eigen/Geometry>

#include "reading.hpp"

namespace ancora::nonholonomic {
namespace {

constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5};
constexpr RowLaw kLaw[] = {{.kind = RowKind::velocity_constraint}};
constexpr RowBlock kBlock[] = {{.name = "velocity across the edge",
                                .num_items = 1,
                                .rows_per_item = 1,
                                .scalars_per_item = 6,
                                .stencil = kStencil,
                                .laws = kLaw,
                                .degree = Degree::quadratic,
                                .tangent = TangentForm::none}};

}  // namespace

KnifeEdge::KnifeEdge(const Arguments& arguments) : n_(unit_vector(arguments, "normal")) {
    const std::string_view body = arguments.text("body");
    texts_ = {attachment_text(body, vec3(arguments.numbers("point"))),
              attachment_text(body, unit_vector(arguments, "direction"))};
    requests_ = {{{AttachmentRequest::Kind::point, texts_[0].c_str(), "body"},
                  {AttachmentRequest::Kind::direction, texts_[1].c_str(), "body"}}};
}

std::span<const RowBlock> KnifeEdge::row_blocks() const {
    return kBlock;
}

void KnifeEdge::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    if (!out.A.empty()) {
        vec3(out.A, 0) = n_.cross(vec3(at.u, 3));
        vec3(out.A, 3).setZero();
    }
    if (!out.b.empty()) out.b[0] = -n_.cross(vec3(at.du, 3)).dot(vec3(at.du, 0));
}

}  // namespace ancora::nonholonomic
