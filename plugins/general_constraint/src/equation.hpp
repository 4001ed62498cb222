// SPDX-License-Identifier: BSD-3-Clause
// One equation of a general constraint: its formula, and the row that follows from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/formula/formula.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora::general_constraint {

enum class Level { position, velocity };

/// A coordinate that equations name, "box.x", and where the first of them does.
struct NamedCoordinate {
    std::string text;
    int offset = 0;  ///< in the equation [bytes]
};

/// phi(u, t) = 0 at position level, psi(u, u', t) = 0 at velocity level, in those of the
/// constraint's scalars u and rates u' that the formula names.
class Equation {
public:
    /// [assembly] Reads the text. `coordinates` are those that the constraint has asked for, as
    /// "box.x"; new ones are added at the end. Coordinate k is scalar 3 k of u.
    /// @throws FormulaError if the text is no equation of this level
    Equation(std::string_view text, Level level, std::vector<NamedCoordinate>& coordinates);

    const Formula& formula() const { return formula_; }
    /// [assembly] The row's block; refers to this object.
    RowBlock block() const;

    /// [step] See RowSource.
    void evaluate(const RowPoint& at, const RowValues& out) const;
    void evaluate_tangent(std::span<const double> mid,
                          double s,
                          bool positive_part,
                          std::span<double> G) const;

private:
    /// What a variable of the formula is.
    struct Variable {
        std::int32_t scalar = 0;  ///< entry of u
        bool is_rate = false;     ///< it is that entry of u'
    };
    class Scope;

    void evaluate_position(const RowPoint& at, const RowValues& out) const;
    void evaluate_velocity(const RowPoint& at, const RowValues& out) const;
    void split_constant_hessian();

    Level level_;
    std::vector<Variable> variables_;
    Formula formula_;
    std::vector<std::int32_t> columns_;  ///< variables that A is about, in the order of the stencil
    std::vector<std::int32_t> stencil_;
    Degree degree_ = Degree::general;
    TangentForm tangent_ = TangentForm::none;
    bool depends_on_time_ = false;
    /// Hessian where it is constant, and its positive part; else empty.
    std::vector<double> hessian_;
    std::vector<double> positive_hessian_;
};

}  // namespace ancora::general_constraint
