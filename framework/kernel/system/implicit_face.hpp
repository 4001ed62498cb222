// SPDX-License-Identifier: BSD-3-Clause
// The equations at a state with their derivatives, as implicit integrators see them (linearised
// formulation).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "accelerations.hpp"
#include "ancora/sdk/implicit_system.hpp"
#include "assembly.hpp"
#include "augmented_matrix.hpp"
#include "coloured_differences.hpp"
#include "continuous_motion.hpp"

namespace ancora {

/// Evaluates through the continuous formulation, and differentiates
///
///   K = sum_k A_k^T (ds_k/dpi A_k + ds_k/dpi' A_k') + G_elastic + differences,
///   D = sum_k A_k^T (ds_k/dpi') A_k + differences                                        (1)
///
/// with the laws of elastic rows and dashpots, and the second derivatives of rows where plugins
/// give them. Finite differences, many columns at once, are used for forces, bodies whose mass
/// depends on their state, and rows without second derivatives: of conditions on velocities, and on
/// attachments that are not linear in the coordinates. A' is the rate of A along the motion.
///
/// Unilateral rows are conditions on positions, which are dropped while they are open.
class ImplicitFace final : public ImplicitSystem {
public:
    /// [assembly]
    /// @param is_redundant whether conditions depend on each other at the start
    /// @param may_turn whether turn() shall be of use
    ImplicitFace(Assembly& parts,
                 const MotionState& state,
                 Accelerations& accelerations,
                 ContinuousMotion& motion,
                 bool is_redundant,
                 bool may_turn = false);

    /// What whoever asks for derivatives can do besides.
    struct Use {
        bool follows_own = false;     ///< carries continuous states of objects, by follow_own()
        bool locates_events = false;  ///< steps end at events
    };
    /// @throws Error (manifest) for objects without a derivative
    static void require_differentiable(const Assembly& parts, bool is_redundant, Use use);
    /// @throws Error (manifest) for constraints that open during a run
    static void refuse_releases(const Model& model);

    int num_coordinates() const override { return parts_.n; }
    int num_conditions() const override { return static_cast<int>(levels_.size()); }
    std::span<const RowLevel> levels() const override { return levels_; }
    void accelerations(double t,
                       std::span<const double> q,
                       std::span<const double> v,
                       std::span<double> a,
                       std::span<double> lambda) override;
    void follow_own(std::span<const double> base, double weight) override;
    std::span<const double> own() const override { return own_; }
    /// Whether there are continuous states of objects that nobody carries, by follow_own().
    bool leaves_own() const { return !own_.empty() && !has_followed_; }
    void evaluate(const ImplicitPoint& at) override;
    std::span<const double> force() const override { return view(force_); }
    std::span<const double> gaps() const override { return view(gap_); }
    std::span<const double> rates() const override { return view(rate_); }
    /// Of a condition, in the row set.
    int row(int condition) const { return rows_[condition]; }
    /// Of a condition that opens: whether it is open, and the gap of one that is.
    bool is_open(int condition) const {
        return parts_.laws[rows_[static_cast<std::size_t>(condition)]].kind == RowKind::unilateral;
    }
    double open_gap(int condition) { return instant().pi[row(condition)]; }
    /// Whether it is redundant, so that it is dropped.
    bool is_dropped(int condition) const { return is_dropped_[condition] != 0; }
    std::span<const double> biases() const override { return view(bias_); }
    CompressedMatrix mass() const override { return in_pattern(mass_); }
    CompressedMatrix jacobian() const override { return {A_start_, A_column_, A_}; }
    void differentiate(std::span<const double> a) override;
    CompressedMatrix stiffness() const override { return in_pattern(stiffness_); }
    CompressedMatrix damping() const override { return in_pattern(damping_); }
    CompressedMatrix geometric() const override { return in_pattern(geometric_); }
    CompressedMatrix jacobian_rate() const override { return {A_start_, A_column_, A_rate_}; }
    bool factorise(Augmented which, const AugmentedWeights& weights) override;
    bool is_factorised(Augmented which, const AugmentedWeights& weights) const override {
        const Kept& kept = kept_[index(which)];
        return kept.matrix->is_factorised() && kept.weights == weights;
    }
    void solve(Augmented which,
               std::span<const double> r,
               std::span<const double> g,
               std::span<double> x,
               std::span<double> y) override;
    void quadrature_rates(std::span<double> w) override;
    bool are_dropped_met() const override;
    bool renew_choice() override;
    void count_iteration() override { ++iterations; }
    [[noreturn]] void no_convergence(double t,
                                     double h,
                                     std::span<const double> correction,
                                     std::string_view advice) override;

    /// Power of an object on given velocities at the point last evaluated.
    struct Share {
        const ObjectRef* object;  ///< null: gravity
        double power;             ///< [W]
    };
    /// One for each object that has rows or is a force, with reactions as they were given there;
    /// their sum is y.(F + A^T lambda) but for the inertia of bodies whose mass varies. [assembly]
    std::vector<Share> shares(const Eigen::VectorXd& y);

    /// Adds M S S to the stiffness from here on: the centrifugal term of a frame that rotates with
    /// S.
    void turn(const Eigen::Matrix3d& S) { S_squared_ = S * S; }
    /// The next derivatives take the geometric stiffness of elastic rows with a linear law from the
    /// stress predicted to first order by a motion dq from the last point, instead of the stress at
    /// its end (mixed integration points). The latter is mostly the second-order stretch of a stiff
    /// row, which the next iteration removes; with it Newton's method takes only short steps.
    /// Forces are unchanged, and with them the solution. Source: D. Magisano, L. Leonetti, G.
    /// Garcea, How to improve efficiency and robustness of the Newton method in geometrically
    /// non-linear structural problem discretized via displacement-based finite elements, Comput.
    /// Methods Appl. Mech. Eng. 313 (2017) 986.
    void predict_stress(std::span<const double> dq);
    /// The next derivatives are those of the same laws without stress in elastic rows: of the
    /// material alone, with conditions apart in geometric() as ever.
    void leave_out_stress() {
        predicted_.setZero(parts_.m);
        has_prediction_ = true;
    }
    /// Whether parts of the derivatives are differences, with their errors.
    bool has_differences() const {
        return !differenced_forces_.by.empty() || !differenced_conditions_.by.empty();
    }
    /// Derivatives are evaluated with the forces from here on.
    void forget_prediction() { has_prediction_ = false; }
    /// Discards all that was kept, after a discontinuity of the motion.
    void forget();
    /// Writes or reads what a step may find made by those before, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

    long factorisations = 0;  ///< of systems with all conditions
    long iterations = 0;      ///< since they were last taken

private:
    /// A product of two entries of the rows' Jacobian, and where it goes.
    struct Outer {
        int place, e1, e2;
    };
    struct Kept {
        std::optional<AugmentedMatrix> matrix;
        AugmentedWeights weights;
    };
    bool is_condition(int row) const {
        return parts_.laws.is_constraint(row) || parts_.rows.is_unilateral(row);
    }
    bool is_open(std::size_t condition) const { return is_open(static_cast<int>(condition)); }
    static std::size_t index(Augmented which) { return which == Augmented::dynamics ? 0 : 1; }
    CompressedMatrix in_pattern(const std::vector<double>& values) const {
        return {start_, column_, values};
    }
    /// Objects that are differentiated by finite differences, and the places of the entries.
    struct Differenced {
        std::vector<std::vector<int>> objects;
        std::vector<int> blocks;  ///< of rows
        bool has_rates = false;   ///< depends on velocities
        ColouredDifferences by;
        std::vector<int> place;
    };
    void choose_what_is_differenced();
    void lay_out();
    int place(int i, int j) const;
    void fill_mass();
    template <class Visit>
    void for_turned(Visit&& visit) const;
    void evaluate_laws_together();
    void add_row_laws();
    void add_curvature();
    void add_curvature_of(bool conditions, std::vector<double>& to);
    void differentiate_jacobian();
    void sum_forces(const double* q, const double* v, Eigen::VectorXd& F);
    void add_rows(const Differenced& from,
                  bool conditions,
                  const double* q,
                  const double* v,
                  Eigen::VectorXd& F);
    template <class Sum>
    void add_differences(Differenced& of, const Sum& sum, std::vector<double>& stiffness);
    void choose_dropped();
    const RowSet::StateValues& instant() { return accelerations_.face().instant(); }

    Assembly& parts_;
    const MotionState& state_;
    Accelerations& accelerations_;
    ContinuousMotion& motion_;
    bool is_redundant_, may_turn_;
    std::vector<RowLevel> levels_;
    std::vector<int> rows_;     // of the conditions in the row set
    std::vector<int> entries_;  // of theirs in its Jacobian

    // Patterns: of M, K, D, G and S, and of A.
    std::vector<std::int32_t> start_, column_;
    std::vector<std::int32_t> A_start_, A_column_;
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

    // The last point.
    double t_ = 0.0;
    Eigen::VectorXd q_, v_, lambda_, a_;
    bool is_evaluated_ = false;
    Eigen::VectorXd predicted_;  // stresses of elastic rows, by which they bend
    bool has_prediction_ = false;
    std::vector<double> own_, own_rate_;
    bool has_followed_ = false;
    bool is_mass_filled_ = false;
    Eigen::VectorXd force_, gap_, rate_, bias_;
    std::vector<double> mass_, stiffness_, damping_, geometric_, A_, A_rate_, lower_, S_;

    // Workspace.
    Eigen::VectorXd base_, changed_, field_, Mx_, stress_, A_changed_, pi_t_changed_, q_changed_,
        Mfield_, lambda_room_, closed_lambda_, tangent_;
    std::vector<double> difference_value_;

    std::vector<char> is_dropped_, was_open_;  // as they were chosen
    std::vector<char> is_no_position_;         // not asked for where positions are corrected
    std::vector<char> mask_;
    Eigen::VectorXd gap_at_choice_;
    std::array<Kept, 2> kept_;
};

}  // namespace ancora
