// SPDX-License-Identifier: BSD-3-Clause
// Dry friction where unilateral rows meet: the rows along which they slide, and the impulses.
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

private:
    struct Rows {
        const ForcePart* force = nullptr;
        int first = 0, count = 0;
    };
    Assembly& parts_;
    std::vector<Rows> of_;  // of each unilateral row
    RowSet rows_;
    RowSet::StateValues instant_;
    std::vector<double> no_state_;
    double t_ = 0.0;
};

/// The rows along which one contact slides, among those of an impact, and its coefficient.
struct FrictionCone {
    int normal = 0;
    int first = 0, count = 0;
    double mu = 0.0;
};

/// Solves, for u = W p + q whose first rows are normal to contacts, and the others tangential,
///
///   0 <= p_n - given  _|_  u_n >= 0                                                      (1)
///   |p_t| <= mu p_n,   p_t = -mu p_n u_t / |u_t| where u_t is not zero                   (2)
///
/// with W symmetric and positive semidefinite, by sweeps over the contacts and Newton's iteration
/// on projections: p_t is that of p_t - r u_t onto the disc (2), for any r > 0.
///
/// Sources: M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Engrg.
/// 177 (1999); P. Alart, A. Curnier, ibid. 92 (1991), for Newton's iteration.
/// @returns what is left of (1) and (2) in units of u
double solve_friction(const Eigen::MatrixXd& W,
                      const Eigen::VectorXd& q,
                      const Eigen::VectorXd& given,
                      const std::vector<FrictionCone>& cones,
                      Eigen::VectorXd& p);

}  // namespace ancora
