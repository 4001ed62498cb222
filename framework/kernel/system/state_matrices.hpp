// SPDX-License-Identifier: BSD-3-Clause
// The matrices of the equations linearised at a state, in one pattern.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "accelerations.hpp"
#include "assembly.hpp"
#include "coloured_differences.hpp"
#include "model_conditions.hpp"

namespace ancora {

/// Of the residual M a - F(t, q, v) - A^T lambda at a state the derivatives
///
///   K = -dF/dq + d(M a)/dq,   D = -dF/dv,   G = -d(A^T lambda)/dq,   A' = dA/dt + (dA/dq) v (1)
///
/// M, K, D and G share one pattern, n x n; A' has that of the conditions. Laws of rows and stated
/// curvatures are exact; force objects, masses that depend on the state and rows whose curvature
/// nobody states are differenced, columns that share no row together.
class StateMatrices {
public:
    /// [assembly]
    /// @param may_turn whether turn() shall be of use
    StateMatrices(Assembly& parts,
                  const MotionState& state,
                  Accelerations& accelerations,
                  const ModelConditions& conditions,
                  bool may_turn);

    std::span<const std::int32_t> start() const { return start_; }
    std::span<const std::int32_t> column() const { return column_; }

    /// Of the state that the mass was last updated at; again only where it varies.
    void follow_mass();
    /// (1) at the state that the face was last evaluated for, with its stresses. q and v are
    /// changed and put back.
    void differentiate(double t, Eigen::VectorXd& q, Eigen::VectorXd& v, std::span<const double> a);

    /// See ImplicitFace.
    void turn(const Eigen::Matrix3d& S) { S_squared_ = S * S; }
    void predict_stress(std::span<const double> dq);
    void leave_out_stress() {
        predicted_.setZero(parts_.m);
        has_prediction_ = true;
    }
    void forget_prediction() { has_prediction_ = false; }
    bool has_differences() const {
        return !differenced_forces_.by.empty() || !differenced_conditions_.by.empty();
    }

    std::vector<double> mass, stiffness, damping, geometric;  ///< M, K, D, G
    std::vector<double> jacobian_rate;                        ///< A'

private:
    /// The state at which derivatives are taken.
    struct At {
        double t;
        Eigen::VectorXd &q, &v;  ///< changed by differences, and put back
    };
    /// A product of two entries of the rows' Jacobian, and where it goes.
    struct Outer {
        int place, e1, e2;
    };
    /// Objects that are differentiated by finite differences, and the places of the entries.
    struct Differenced {
        std::vector<std::vector<int>> objects;
        std::vector<int> blocks;  ///< of rows
        bool has_rates = false;   ///< depends on velocities
        ColouredDifferences by;
        std::vector<int> place;
    };
    bool is_condition(int row) const {
        return ModelConditions::holds(parts_.rows, parts_.laws, row);
    }
    const RowSet::StateValues& instant() const { return accelerations_.face().instant(); }
    void choose_what_is_differenced();
    void lay_out();
    int place(int i, int j) const;
    template <class Visit>
    void for_turned(Visit&& visit) const;
    void evaluate_laws_together();
    void add_row_laws();
    void add_curvature(const At& at);
    void add_curvature_of(bool conditions, const At& at, std::vector<double>& to);
    void differentiate_jacobian(const At& at);
    void sum_forces(const At& at, const double* q, const double* v, Eigen::VectorXd& F);
    void add_rows(const Differenced& from,
                  bool conditions,
                  const At& at,
                  const double* q,
                  const double* v,
                  Eigen::VectorXd& F);
    template <class Sum>
    void add_differences(Differenced& of,
                         const At& at,
                         const Sum& sum,
                         std::vector<double>& stiffness);

    Assembly& parts_;
    const MotionState& state_;
    Accelerations& accelerations_;
    const ModelConditions& conditions_;
    bool may_turn_;

    std::vector<std::int32_t> start_, column_;
    std::vector<std::pair<int, int>> mass_place_;  // of each entry of the lower triangle
    struct LawRow {
        int row;
        std::size_t first, end;  // of its products
        bool has_rate = false;   // K has its A', which is not in the differences
    };
    std::vector<LawRow> law_rows_;
    Eigen::VectorXd by_rate_;  // ds/dpi' of rows at the last point, zero for conditions
    Eigen::VectorXd DA_;       // of rows that have a law together, laid out like A
    std::array<double, ItemLaw::kMostRows * ItemLaw::kMostRows> slopes_{};
    std::vector<Outer> products_;
    struct Curvature {
        int from, place, mirror;  ///< mirror: -1 on the diagonal
        double weight;
    };
    std::vector<Curvature> curvature_;
    /// An entry of M S S: one of M times one of S S.
    struct Turned {
        std::size_t mass;
        int place, axis, along;
    };
    std::vector<Turned> turned_;
    Eigen::Matrix3d S_squared_ = Eigen::Matrix3d::Zero();
    bool has_curved_elastic_ = false;
    bool has_curved_conditions_ = false;
    Differenced differenced_forces_;      // force objects, masses, elastic rows
    Differenced differenced_conditions_;  // A^T lambda
    bool differences_masses_ = false;
    std::vector<int> rate_blocks_;  // of conditions on positions and viscous rows, with a Jacobian
                                    // that changes

    Eigen::VectorXd predicted_;  // stresses of elastic rows, by which they bend
    bool has_prediction_ = false;
    bool is_mass_filled_ = false;

    // Workspace.
    Eigen::VectorXd a_, base_, changed_, field_, Mx_, stress_, A_changed_, pi_t_changed_,
        q_changed_, Mfield_, tangent_;
    std::vector<double> difference_value_;
};

}  // namespace ancora
