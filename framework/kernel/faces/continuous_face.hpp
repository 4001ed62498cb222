// SPDX-License-Identifier: BSD-3-Clause
// Accelerations and constraint forces of the whole model at a state.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "constrained_solver.hpp"
#include "force_set.hpp"
#include "mass_matrix.hpp"
#include "row_laws.hpp"
#include "row_set.hpp"
#include "space.hpp"

namespace ancora {

/// The Udwadia-Kalaba equation of a model,
///
///   M q'' = Q + F_L + F_C,   A q'' = b                                                   (1)
///
/// with A and b of all constraint rows (of constraints and of rigid bodies), Q of gravity, elastic
/// and viscous rows and inertia, C of the force objects (theory (1) to (3)).
class ContinuousFace {
public:
    ContinuousFace(const Model& model,
                   RowSet& rows,
                   MassMatrix& mass,
                   const Space& space,
                   const RowLaws& laws,
                   ForceSet& forces,
                   CallMeter& meter);

    /// Baumgarte's rate [1/s], 0 for none.
    void set_baumgarte(double rate) { baumgarte_ = rate; }

    /// Evaluates M, A, pi, Q and C at a state, without factorising: for callers with a solver of
    /// their own. [step]
    void evaluate(const double* q, const double* v, double t, std::span<const double> state);
    /// The same with b, and factorises. [step]
    /// @param use RankUse::choose at the start of a step, RankUse::keep inside (theory,
    /// section 6)
    void assemble(const double* q,
                  const double* v,
                  double t,
                  std::span<const double> state,
                  RankUse use = RankUse::decide);
    void use_workers(Workers* workers) { solver_->use_workers(workers); }
    /// The next step's rank is not that of the last choice.
    void forget_choices() { solver_->forget_choices(); }
    /// Whether stresses inside a step must be those of minimum norm: for forces that depend on
    /// them.
    void want_least(bool is_wanted) { solver_->want_least(is_wanted); }
    /// Solves (1). [step]
    /// @throws Error (numerical) if the large sparse system cannot be solved
    void solve();
    /// Evaluates C anew at the state last assembled, with the reactions that forces were last given
    /// (ForceSet::update_reactions). [step]
    void update_forces(const double* q, const double* v, std::span<const double> state);
    /// Adds c times a response (see respond) to the solution.
    void add_response(double c, const double* x, const double* mu);
    /// Throws the numerical error of the rows that the last solution violates, if there are any.
    void refuse_inconsistent() const;
    /// M x = f + A^T mu, A x = 0 at the state last assembled. [step]
    void respond(std::span<const double> f, std::span<double> x, std::span<double> mu);

    /// Upper bound, by the diagonal of M, of the acceleration that impressed forces alone would
    /// cause: the scale of its round-off.
    double free_acceleration(int i) const {
        const double m = mass_.diagonal(i);
        return m > 0.0 ? std::abs(f_[i]) / m : 0.0;
    }
    const Eigen::VectorXd& acceleration() const { return a_; }
    /// Per constraint row in use, see constraint_rows().
    const Eigen::VectorXd& multipliers() const { return lambda_; }
    const std::vector<int>& constraint_rows() const { return chosen_; }
    const Eigen::VectorXd& Q() const { return Q_; }
    const Eigen::VectorXd& C() const { return C_; }
    const RowSet::StateValues& instant() const { return instant_; }
    /// Stress of every row: -lambda of constraint rows, the law's of others.
    const Eigen::VectorXd& stress() const { return s_; }
    /// Makes these the multipliers of the state last evaluated: stresses follow.
    void take_multipliers(std::span<const double> lambda);
    /// The rows' A in the order of constraint_rows(), as entries of the row set's Jacobian.
    const std::vector<int>& row_start() const { return row_start_; }
    const std::vector<int>& entries() const { return entry_; }
    /// pi' of a row at the state last evaluated, or psi.
    double rate(int k) const { return rate_[k]; }
    /// A_k v of a row at the state last assembled.
    double motion_along(int k) const { return rate_[k] - instant_.pi_t[k]; }
    /// The part of it that coordinates [first, end) have at velocities v.
    double motion_along(int k, int first, int end, const double* v) const {
        return rows_.multiply(instant_.A.data(), k, first, end, v);
    }
    /// Writes multipliers (per row in use) to a vector of all rows' stresses.
    void write_stress(Eigen::Ref<const Eigen::VectorXd> lambda, Eigen::VectorXd& s) const;

    /// Power under each heading of the ledger at the state last solved.
    ForceSet::Work power() const;
    /// Forces from outside: gravity, loads, ground reactions. [step]
    void external_force(Eigen::VectorXd& F) const;

    /// Multipliers of the impressed force alone and of C alone, per row in use: F_L = A^T lambda_L,
    /// F_C = C + A^T lambda_C.
    void split(std::span<const double> C, Eigen::VectorXd& lambda_L, Eigen::VectorXd& lambda_C);
    /// A^T lambda.
    Eigen::VectorXd constraint_force(const Eigen::VectorXd& lambda) const;

    enum class Projected { position, velocity };
    struct Projection {
        bool has_moved = false;
        double first = 0.0,
               left = 0.0;  ///< largest residual of positions, or of rates, before and after
        int row = -1;       ///< with the largest residual left
    };
    /// Projects q onto pi = 0, or v onto psi = 0, in the norm of M, up to round-off, by a few
    /// Newton steps; from far by more, damped ones. The rank is the one chosen last, as long as all
    /// residuals vanish with it.
    Projection project(
        Projected what, double* q, double* v, double t, double tolerance, bool from_far = false);

    ConstrainedSolver& solver() { return *solver_; }

private:
    /// Sets of rows whose rank is kept apart.
    enum RowSetKept { kAll, kPositions, kRates };
    SolverStatus factorise(RankUse use, int set);
    void require(SolverStatus status);
    void choose_for_projection();
    void take_rows(Projected what, bool with_massless_rates = false);
    double gap_of(int k) const;
    int parallel_row(int k) const;
    double rate_of(std::size_t c, const double* v) const;
    [[noreturn]] void refuse_undetermined();
    [[noreturn]] void refuse_failed_solve() const;

    const Model& model_;
    RowSet& rows_;
    MassMatrix& mass_;
    const RowLaws& laws_;
    ForceSet& forces_;
    CallMeter& meter_;
    std::unique_ptr<ConstrainedSolver> solver_;
    double baumgarte_ = 0.0;
    double t_ = 0.0;
    bool has_factorised_ = false;
    // When positions were projected with the present factors, if they were. [s]
    double corrected_at_ = std::numeric_limits<double>::quiet_NaN();
    bool has_mixed_rows_ = false;  // not only conditions on positions

    std::vector<int> chosen_;        // constraint rows
    std::vector<int> working_rows_;  // whose forces may work besides what energies take up
    std::vector<int> row_start_;     // their pattern
    std::vector<int> entry_;         // their entries in the row set's Jacobian
    std::vector<double> A_;
    RowSet::StateValues instant_;
    Eigen::VectorXd field_, gravity_, Q_, C_, f_, b_, a_, lambda_, s_, rate_;
    Eigen::VectorXd correction_, mu_, work_, zero_;
    bool has_gravity_ = false;
};

}  // namespace ancora
