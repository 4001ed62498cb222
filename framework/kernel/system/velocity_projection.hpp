// SPDX-License-Identifier: BSD-3-Clause
// Velocity projection around steps of the discrete formulation, and steps that can be undone.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/step_projection.hpp"
#include "assembly.hpp"
#include "constrained_solver.hpp"
#include "energy_accounting.hpp"
#include "massless.hpp"
#include "projection_multipliers.hpp"
#include "step_parts.hpp"
#include "velocity_impulse.hpp"

namespace ancora {

/// Theory (62), (63): see StepProjection. Between begin() and the end of the step the state's
/// velocity is v0+; accepted are v1, and the ledger gets momentum and work of the two impulses.
///
/// Coordinates without mass take no impulse: at either end mu is the one next to it that does not
/// act on them, Massless (1). That is a function of the end's position alone, so that the projected
/// step is its own adjoint still; their velocities follow from the rows after the step.
class VelocityProjection final : public StepProjection, public ProjectedEnds {
public:
    /// @param save, restore  save and restore all that a run depends on
    VelocityProjection(Assembly& parts,
                       MotionState& state,
                       const StepParts& extra,
                       std::function<void()> save,
                       std::function<void()> restore,
                       std::function<void(std::span<double>)> evaluate_events);

    void require(bool goes_back) const override;

    int num_conditions() const override { return static_cast<int>(row_.size()); }
    void begin() override;
    void start_from(std::span<const double> mu, std::span<double> change) override;
    double look_at_end(const StepTrial& trial, std::span<double> correction) override;
    double displacement(std::span<const double> dq) const override {
        return parts_.space.displacement(dq.data());
    }
    void abandon() override;
    void save() override { save_(); }
    void restore() override { restore_(); }
    void evaluate_events(std::span<double> g) override { evaluate_events_(g); }
    void note_length(double h) override;

    bool is_under_way() const { return is_under_way_; }
    /// Of the step under way: mu, a and b, and v0.
    const Eigen::VectorXd& multipliers() const { return mu_; }
    double start_factor() const { return start_.factor; }
    double end_factor() const { return end_.factor; }
    const Eigen::VectorXd& velocity_before() const { return v0_; }
    const Eigen::VectorXd& velocity_before_low() const { return v0_low_; }
    /// v1- becomes v1. [step]
    void finish(Eigen::VectorXd& v, Eigen::VectorXd& v_low);
    /// Records the impulses of both ends, from q0 to q1. [step]
    void record(Ledger& ledger, const Eigen::VectorXd& q0, const Eigen::VectorXd& q1);

    /// The elastic row that vibrates fastest, and how far steps are from resolving it.
    struct Stiff {
        int row = -1;
        double frequency = 0.0;  ///< [rad/s], an upper bound
        double h = 0.0;          ///< longest step with an order above 2 [s]
    };
    const Stiff& stiff() const { return stiff_; }

private:
    /// A, its products with mu, and the prescribed rates, at one end of a step.
    struct End {
        std::vector<double> A;      // of the conditions
        Eigen::VectorXd A_of_rows;  // of all rows, where something has no mass
        std::unique_ptr<Massless> massless;
        Eigen::VectorXd pi_t;      // of the conditions
        Eigen::VectorXd mu;        // that does not act on what has no mass
        Eigen::VectorXd force;     // A^T mu
        Eigen::VectorXd velocity;  // M^-1 A^T mu
        double energy = 0.0;       // mu^T A M^-1 A^T mu
        double factor = 1.0;       // a, b
    };
    bool evaluate(const double* q, const double* v, double t, End& end);
    void push(End& end);
    void spare_massless(const End& end, Eigen::VectorXd& mu);
    [[noreturn]] void refuse_massless(int coordinate) const;
    void transposed(const End& end, const Eigen::VectorXd& mu, Eigen::VectorXd& force) const;
    double rate(const End& end, std::size_t c, const double* v) const;
    void find_stiffest();
    double compliance_of(int k) const;
    void add_ground_force(const End& end, double factor, Eigen::VectorXd& force) const;

    Assembly& parts_;
    MotionState& state_;
    const StepParts& extra_;
    std::function<void()> save_, restore_;
    std::function<void(std::span<double>)> evaluate_events_;
    std::vector<int> row_;        // of each condition in the row set
    std::vector<int> row_start_;  // pattern of the conditions
    std::vector<int> entry_;      // their entries in the row set's Jacobian
    std::vector<int> column_;
    std::vector<int> blocks_;
    std::vector<char> is_tied_to_ground_;  // per condition
    std::unique_ptr<ConstrainedSolver> solver_, mass_;
    std::vector<int> massless_;  // coordinates
    bool has_looked_at_massless_ = false;

    bool is_under_way_ = false;
    int looks_ = 0;           // at the end of this step
    bool was_clear_ = false;  // all conditions were active and clearly independent there
    Eigen::VectorXd v0_, v0_low_, mu_, start_rate_;
    End start_, end_;
    Eigen::VectorXd A_, pi_t_;  // of all rows
    std::vector<double> mu_of_rows_;
    Eigen::VectorXd q1_, v1_, v1_now_, rate_, left_, lambda_, x_, force_, delta_, pushed_;
    Stiff stiff_;
    bool has_looked_for_stiff_ = false;
};

}  // namespace ancora
