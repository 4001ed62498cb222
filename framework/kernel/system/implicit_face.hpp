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
#include "continuous_motion.hpp"
#include "state_matrices.hpp"

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
    int num_conditions() const override { return static_cast<int>(conditions_.count()); }
    std::span<const RowLevel> levels() const override { return conditions_.levels; }
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
    int row(int condition) const { return conditions_.rows[condition]; }
    /// Of a condition that opens: whether it is open, and the gap of one that is.
    bool is_open(int condition) const {
        return parts_.laws[row(condition)].kind == RowKind::unilateral;
    }
    double open_gap(int condition) { return instant().pi[row(condition)]; }
    /// Whether it is redundant, so that it is dropped.
    bool is_dropped(int condition) const { return is_dropped_[condition] != 0; }
    std::span<const double> biases() const override { return view(bias_); }
    CompressedMatrix mass() const override { return in_pattern(matrices_.mass); }
    CompressedMatrix jacobian() const override {
        return {conditions_.start, conditions_.column, A_};
    }
    void differentiate(std::span<const double> a) override;
    CompressedMatrix stiffness() const override { return in_pattern(matrices_.stiffness); }
    CompressedMatrix damping() const override { return in_pattern(matrices_.damping); }
    CompressedMatrix geometric() const override { return in_pattern(matrices_.geometric); }
    CompressedMatrix jacobian_rate() const override {
        return {conditions_.start, conditions_.column, matrices_.jacobian_rate};
    }
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
    void turn(const Eigen::Matrix3d& S) { matrices_.turn(S); }
    /// The next derivatives take the geometric stiffness of elastic rows with a linear law from the
    /// stress predicted to first order by a motion dq from the last point, instead of the stress at
    /// its end (mixed integration points). The latter is mostly the second-order stretch of a stiff
    /// row, which the next iteration removes; with it Newton's method takes only short steps.
    /// Forces are unchanged, and with them the solution. Source: D. Magisano, L. Leonetti, G.
    /// Garcea, How to improve efficiency and robustness of the Newton method in geometrically
    /// non-linear structural problem discretized via displacement-based finite elements, Comput.
    /// Methods Appl. Mech. Eng. 313 (2017) 986.
    void predict_stress(std::span<const double> dq) { matrices_.predict_stress(dq); }
    /// The next derivatives are those of the same laws without stress in elastic rows: of the
    /// material alone, with conditions apart in geometric() as ever.
    void leave_out_stress() { matrices_.leave_out_stress(); }
    /// Whether parts of the derivatives are differences, with their errors.
    bool has_differences() const { return matrices_.has_differences(); }
    /// Derivatives are evaluated with the forces from here on.
    void forget_prediction() { matrices_.forget_prediction(); }
    /// Discards all that was kept, after a discontinuity of the motion.
    void forget();
    /// Writes or reads what a step may find made by those before, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

    long factorisations = 0;  ///< of systems with all conditions
    long iterations = 0;      ///< since they were last taken

private:
    struct Kept {
        std::optional<AugmentedMatrix> matrix;
        AugmentedWeights weights;
    };
    bool is_open(std::size_t condition) const { return is_open(static_cast<int>(condition)); }
    static std::size_t index(Augmented which) { return which == Augmented::dynamics ? 0 : 1; }
    CompressedMatrix in_pattern(const std::vector<double>& values) const {
        return {matrices_.start(), matrices_.column(), values};
    }
    void choose_dropped();
    const RowSet::StateValues& instant() { return accelerations_.face().instant(); }

    Assembly& parts_;
    const MotionState& state_;
    Accelerations& accelerations_;
    ContinuousMotion& motion_;
    bool is_redundant_;
    ModelConditions conditions_;
    StateMatrices matrices_;

    // The last point.
    double t_ = 0.0;
    Eigen::VectorXd q_, v_, lambda_;
    bool is_evaluated_ = false;
    std::vector<double> own_, own_rate_;
    bool has_followed_ = false;
    Eigen::VectorXd force_, gap_, rate_, bias_;
    std::vector<double> A_, lower_, S_;
    Eigen::VectorXd x_, closed_lambda_, q_room_, v_room_, lambda_room_;  // workspace

    std::vector<char> is_dropped_, was_open_;  // as they were chosen
    std::vector<char> is_no_position_;         // not asked for where positions are corrected
    std::vector<char> mask_;
    Eigen::VectorXd gap_at_choice_;
    std::array<Kept, 2> kept_;
};

}  // namespace ancora
