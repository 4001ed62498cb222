// SPDX-License-Identifier: BSD-3-Clause
// Reads the components of a position constraint and evaluates its rows.
#include "position_constraint.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace ancora::position_constraint {
namespace {

constexpr const char* kAttachments[] = {"a", "b"};
constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5};
constexpr RowLaw kLaw[] = {{.kind = RowKind::constraint}};

}  // namespace

PositionConstraint::PositionConstraint(const Arguments& arguments) {
    constexpr std::string_view kLetters = "xyz";
    const std::string_view components = arguments.text("components");
    if (components.empty())
        arguments.fail("components", "no component is named; write some letters of \"xyz\"");
    for (std::size_t k = 0; k < components.size(); ++k) {
        const std::string letter(1, components[k]);
        const std::size_t axis = kLetters.find(letter);
        if (axis == std::string_view::npos)
            arguments.fail("components",
                           "\"" + letter + "\" is no component; write some letters of \"xyz\"");
        if (components.substr(0, k).find(letter) != std::string_view::npos)
            arguments.fail("components", "component \"" + letter + "\" is named twice");
        axes_[k] = static_cast<std::int32_t>(axis);
    }
    num_rows_ = static_cast<std::int32_t>(components.size());
    block_ = {.name = "gap",
              .num_items = 1,
              .rows_per_item = num_rows_,
              .scalars_per_item = 6,
              .stencil = kStencil,
              .laws = kLaw,
              .degree = Degree::linear,
              .tangent = TangentForm::none};
}

std::span<const char* const> PositionConstraint::attachments() const {
    return kAttachments;
}

void PositionConstraint::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.A, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    std::ranges::fill(out.b, 0.0);
    for (std::int32_t row = 0; row < num_rows_; ++row) {
        const auto k = static_cast<std::size_t>(row);
        const auto axis = static_cast<std::size_t>(axes_[row]);
        if (!out.pi.empty()) out.pi[k] = at.u[axis] - at.u[axis + 3];
        if (out.A.empty()) continue;
        out.A[6 * k + axis] = 1.0;
        out.A[6 * k + axis + 3] = -1.0;
    }
}

}  // namespace ancora::position_constraint
