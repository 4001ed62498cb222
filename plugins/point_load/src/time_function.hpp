// SPDX-License-Identifier: BSD-3-Clause
// A vector that is given over time: constant, from a table, or by formulas.
#pragma once

#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/formula.hpp"
#include "ancora/sdk/math.hpp"

namespace ancora::point_load {

/// What a table says where it has no rows.
enum class Outside { refuse, hold, zero };

/// Three components over time. In a table, on the piece of length L from row k to row k + 1 with
/// B = (t - t_k) / L, A = 1 - B:
///
///   linear   y = A y_k + B y_k+1                                                         (1)
///   spline   y = (1) + ((A^3 - A) m_k + (B^3 - B) m_k+1) L^2 / 6                         (2)
///
/// m are the second derivatives of the natural cubic spline: (2) has continuous first derivatives,
/// and m = 0 in the first and the last row. Configuration, const after construction.
class TimeFunction {
public:
    /// Zero for ever.
    TimeFunction() = default;
    /// [assembly] Reads a vector of 3, rows [t, x, y, z], or three formulas of t from `key`;
    /// refuses through Arguments::fail times that do not increase, with the row, and what is no
    /// formula, with the place in its text.
    TimeFunction(const Arguments& arguments, const char* key, bool is_spline, Outside outside);

    bool is_table() const { return !times_.empty(); }

    /// [step] The value at an instant.
    /// @throws std::domain_error where a table has no rows, with Outside::refuse
    Vec3 at(double t) const;
    /// [step] What acts over a step from t0 to t0 + h: of a table its mean, exactly; of formulas
    /// the value at the midpoint.
    /// @throws std::domain_error likewise
    Vec3 mean(double t0, double h) const;

private:
    void read_table(const Arguments& arguments, bool is_spline);
    void read_formulas(const Arguments& arguments);
    void make_spline();
    void require_rows(double t0, double t1) const;
    std::size_t piece(double t) const;
    Vec3 value(std::size_t piece, double t) const;

    std::string key_;
    Vec3 constant_ = Vec3::Zero();
    std::vector<double> times_;  ///< of a table's rows, increasing; empty: no table
    std::vector<Vec3> values_;
    std::vector<Vec3> curvatures_;  ///< m of (2); empty: linear
    Outside outside_ = Outside::refuse;
    std::vector<Formula> formulas_;  ///< three or none
};

}  // namespace ancora::point_load
