// SPDX-License-Identifier: BSD-3-Clause
// Reads the equations of a general constraint and hands its rows on.
#include "general_constraint.hpp"

#include <cstddef>

#include "ancora/sdk/formula_error.hpp"

namespace ancora::general_constraint {

GeneralConstraint::GeneralConstraint(const Arguments& arguments) {
    const Level level = arguments.text("level") == "velocity" ? Level::velocity : Level::position;
    const bool is_list = arguments.shape("equation") == Shape::texts;
    const int count = is_list ? arguments.num_texts("equation") : 1;
    if (count == 0) arguments.fail("equation", "found no equation, expected one or more");
    for (int i = 0; i < count; ++i) {
        const std::string text(is_list ? arguments.text("equation", i)
                                       : arguments.text("equation"));
        try {
            equations_.emplace_back(text, level, coordinates_);
        } catch (const FormulaError& error) {
            const std::string which = is_list ? "equation " + std::to_string(i + 1) + " of " +
                                                    std::to_string(count) + ", "
                                              : "";
            arguments.fail("equation",
                           which + error.what() + "\n" + formula_excerpt(text, error.position()));
        }
    }
    // Now that no text and no equation moves any more.
    for (const std::string& coordinate : coordinates_)
        requests_.push_back({AttachmentRequest::Kind::coordinate, coordinate.c_str(), "equation"});
    for (const Equation& equation : equations_) blocks_.push_back(equation.block());
}

void GeneralConstraint::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    equations_[static_cast<std::size_t>(block)].evaluate(at, out);
}

void GeneralConstraint::evaluate_tangent(int block,
                                         std::span<const double> mid,
                                         std::span<const double> s,
                                         bool positive_part,
                                         std::span<double> G) const {
    equations_[static_cast<std::size_t>(block)].evaluate_tangent(mid, s[0], positive_part, G);
}

}  // namespace ancora::general_constraint
