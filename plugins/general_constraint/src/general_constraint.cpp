// SPDX-License-Identifier: BSD-3-Clause
// Reads the equations of a general constraint and hands its rows on.
#include "general_constraint.hpp"

#include <cstddef>

#include "ancora/sdk/formula/error.hpp"
#include "ancora/sdk/helpers/formula_break_points.hpp"

namespace ancora::general_constraint {

GeneralConstraint::GeneralConstraint(const Arguments& arguments) {
    const Level level = arguments.text("level") == "velocity" ? Level::velocity : Level::position;
    const bool is_list = arguments.shape("equation") == Shape::texts;
    const int count = is_list ? arguments.num_texts("equation") : 1;
    if (count == 0) arguments.fail("equation", "found no equation, expected one or more");
    for (int i = 0; i < count; ++i) {
        const std::string text(is_list ? arguments.text("equation", i)
                                       : arguments.text("equation"));
        const std::string which =
            is_list ? "equation " + std::to_string(i + 1) + " of " + std::to_string(count) + ", "
                    : "";
        try {
            equations_.emplace_back(text, level, coordinates_);
            while (places_.size() < coordinates_.size()) {
                const auto position =
                    static_cast<std::size_t>(coordinates_[places_.size()].offset) + 1;
                places_.push_back(which + "position " + std::to_string(position) + "\n" +
                                  formula_excerpt(text, position));
            }
        } catch (const FormulaError& error) {
            arguments.fail("equation",
                           which + error.what() + "\n" + formula_excerpt(text, error.position()));
        }
    }
    // Now that no text and no equation moves any more.
    for (std::size_t i = 0; i < coordinates_.size(); ++i)
        requests_.push_back({.kind = AttachmentRequest::Kind::coordinate,
                             .text = coordinates_[i].text.c_str(),
                             .key = "equation",
                             .where = places_[i].c_str()});
    for (const Equation& equation : equations_) {
        add_break_points(arguments, equation.formula());
        blocks_.push_back(equation.block());
    }
}

void GeneralConstraint::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    equations_[block].evaluate(at, out);
}

void GeneralConstraint::evaluate_tangent(int block,
                                         const TangentPoint& at,
                                         std::span<double> G) const {
    equations_[block].evaluate_tangent(at.mid, at.s[0], at.positive_part, G);
}

}  // namespace ancora::general_constraint
