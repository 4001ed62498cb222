// SPDX-License-Identifier: BSD-3-Clause
// Dry friction where unilateral rows meet: the rows along which they slide.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"
#include "unilateral_rows.hpp"

namespace ancora {

/// Sliding rows of the unilateral rows that have a law of dry friction.
class ImpactFriction {
public:
    ImpactFriction(Assembly& parts, const UnilateralRows& rows);

    /// [step] Geometry at a state.
    void evaluate(const double* q, const double* v, double t);
    /// Sliding rows of unilateral row i: 0 without friction, else up to three.
    int num_rows(int i) const { return of_[static_cast<std::size_t>(i)].count; }
    /// T x, T v + what moves by itself, and y += c T^T of the k-th of them, at that state.
    double multiply(int i, int k, const double* x) const;
    double rate(int i, int k, const double* v) const { return multiply(i, k, v) + drift(i, k); }
    double drift(int i, int k) const;
    void add(int i, int k, double c, double* y) const;
    double mobility(int i, int k) const;
    /// Impulse along the contact per normal impulse: of stick where it does not slide.
    double coefficient(int i, double speed, bool slides) const;
    bool is_external(int i) const;
    /// Adds the force by an impulse p along it, on the first attachment, to those of all force
    /// objects, three entries each.
    void add_applied(int i, int k, double p, Eigen::VectorXd& applied) const;

private:
    struct Rows {
        const ForcePart* force = nullptr;
        int first = 0, count = 0;
    };
    Assembly& parts_;
    std::vector<Rows> of_;  // of each unilateral row
    RowSet rows_;
    RowSet::StateValues instant_;
    double t_ = 0.0;
};

}  // namespace ancora
