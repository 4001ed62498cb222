// SPDX-License-Identifier: BSD-3-Clause
// Reads the components and the motion of a position constraint and evaluates its rows.
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
    read_components(arguments);
    read_motion(arguments);
    block_ = {.name = "gap",
              .num_items = 1,
              .rows_per_item = num_rows_,
              .scalars_per_item = 6,
              .stencil = kStencil,
              .laws = kLaw,
              .degree = Degree::linear,
              .tangent = TangentForm::none,
              .depends_on_time = moves()};
}

void PositionConstraint::read_components(const Arguments& arguments) {
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
}

void PositionConstraint::read_motion(const Arguments& arguments) {
    if (!arguments.has("motion")) {
        for (const char* key : {"interpolation", "outside"})
            if (arguments.given(key))
                arguments.fail(key, "is about the table of a motion, and none is given");
        return;
    }
    const auto is_ground = [&](const char* key) {
        return arguments.text(key).starts_with("ground@");
    };
    if (!is_ground("a") && !is_ground("b"))
        arguments.fail("motion",
                       "moves a point of the ground, but neither a nor b is one; write "
                       "\"ground@[x, y, z]\" for the point that moves");
    sign_ = is_ground("b") ? -1.0 : 1.0;

    TimeFunctionOptions options;
    options.interpolation = arguments.text("interpolation") == "rest" ? Interpolation::rest
                            : arguments.text("interpolation") == "monotone"
                                ? Interpolation::monotone
                                : Interpolation::spline;
    options.outside = arguments.text("outside") == "hold" ? Outside::hold : Outside::refuse;
    motion_ = TimeFunction(arguments, "motion", options);
    for (const char* key : {"interpolation", "outside"})
        if (arguments.given(key) && !motion_.is_table())
            arguments.fail(key, "is about a table, and motion is none");
    if (options.outside == Outside::hold && options.interpolation == Interpolation::spline)
        arguments.fail("outside",
                       "\"hold\" would stop a motion that does not end at rest with a jump of its "
                       "velocity; set interpolation to \"rest\" or \"monotone\"");
}

std::span<const char* const> PositionConstraint::attachments() const {
    return kAttachments;
}

void PositionConstraint::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::array<double, 3> d{}, rate{}, second{};
    if (moves()) {
        const auto wanted = [](std::span<double> values, std::array<double, 3>& x) {
            return values.empty() ? std::span<double>{} : std::span<double>(x);
        };
        motion_.evaluate(at.t, wanted(out.pi, d), wanted(out.pi_t, rate), wanted(out.b, second));
    }
    for (std::int32_t row = 0; row < num_rows_; ++row) {
        const auto k = static_cast<std::size_t>(row);
        const auto axis = static_cast<std::size_t>(axes_[row]);
        if (!out.pi.empty()) out.pi[k] = at.u[axis] - at.u[axis + 3] + sign_ * d[axis];
        if (!out.pi_t.empty()) out.pi_t[k] = sign_ * rate[axis];
        if (!out.b.empty()) out.b[k] = -sign_ * second[axis];
    }
    write_jacobian(out.A);
}

void PositionConstraint::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    write_jacobian(out.B);
    if (!moves()) return;
    std::array<double, 3> change, work;
    motion_.increment(step.t0, step.h, change, work);
    for (std::int32_t row = 0; row < num_rows_; ++row)
        out.tau[static_cast<std::size_t>(row)] =
            sign_ * change[static_cast<std::size_t>(axes_[row])];
}

void PositionConstraint::write_jacobian(std::span<double> A) const {
    if (A.empty()) return;
    std::ranges::fill(A, 0.0);
    for (std::int32_t row = 0; row < num_rows_; ++row) {
        const auto first = 6 * static_cast<std::size_t>(row);
        const auto axis = static_cast<std::size_t>(axes_[row]);
        A[first + axis] = 1.0;
        A[first + axis + 3] = -1.0;
    }
}

}  // namespace ancora::position_constraint
