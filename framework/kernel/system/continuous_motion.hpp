// SPDX-License-Identifier: BSD-3-Clause
// The continuous formulation as an integrator uses it: derivatives, accepted states, projection.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "accelerations.hpp"
#include "accounts.hpp"
#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "step_parts.hpp"
#include "step_rows.hpp"

namespace ancora {

/// Integrates x = (q, v, w) with works and impulses w as quadratures, and projects accepted states
/// onto the constraints.
class ContinuousMotion {
public:
    ContinuousMotion(const SystemData& of,
                     StepRows& rows,
                     StepParts& extra,
                     Accounts& accounts,
                     Accelerations& accelerations);

    /// The quadratures behind q and v; then follow works of efforts on measures, and the continuous
    /// states of objects with signals.
    enum Book : int {
        kExternal,
        kNonideal,
        kImpulse,
        kAngularImpulse = kImpulse + 3,
        kQuadratures = 8
    };

    /// Tolerance of the projection, relative to the model's size or speed; a little above
    /// round-off.
    static constexpr double kProjected = 1e-14;
    /// Rounding level of positions, relative to the model's size: a velocity that moves matter by
    /// less counts as zero. Quantities relative to a speed need it near rest, where the speed may
    /// be zero or its square underflow.
    static constexpr double kUnseen = std::numeric_limits<double>::epsilon();

    int num_states() const {
        return 2 * parts_.n + kQuadratures + accounts_.energy.efforts.count() +
               parts_.signals.num_continuous();
    }
    void read_state(std::span<double> x) const;
    /// See ContinuousSystem::derivative(). [step]
    void derivative(double t, std::span<const double> x, std::span<double> dx);
    /// Rates of the quadratures behind q and v, at the state at which the continuous formulation
    /// was last evaluated and has its stresses. [step]
    void quadrature_rates(const double* q, const double* v, std::span<double> rates);
    /// See ContinuousSystem::quadrature_scales().
    std::span<const double> quadrature_scales() const { return quadrature_scales_; }
    /// See ContinuousSystem::accept_state(). [step]
    void accept(double t0, double t1, std::span<const double> x);
    /// See ContinuousSystem::constraint_error(). [step]
    bool constraint_error(double t, std::span<const double> x, std::span<double> error);
    /// Positions of a trial at x as accept() will have them, on the constraints; its own where it
    /// cannot be brought there. [step]
    const double* positions_on_constraints(double t, std::span<const double> x);
    /// Coordinate of a state that has diverged, or -1.
    int diverged(std::span<const double> x) const;
    /// The reason for which a trial state of the step has no accelerations, if one had none.
    const std::optional<Error>& trial_error() const { return trial_error_; }

    /// Makes x at t inside the last accepted step the present state, projected and with its
    /// balances, until leave_inside_step().
    void evaluate_inside_step(double t, std::span<const double> x);
    void leave_inside_step();
    double begin_of_step() const { return before_.t; }
    /// Allocates the memory for copies of a state, which a step does not.
    void make_room() { save(before_); }

    /// Sets the scales of quadratures in the error norm of the next step, such that relative errors
    /// of q, v and w count alike, with 1 J, 1 N s and 1 N m s as lower bounds: the energy E of the
    /// ledger, the momentum (2 m E)^1/2, and the moment of that at the largest distance of mass
    /// from the origin. Powers of two, so that scaling is exact.
    void scale_quadratures();
    /// The accepted state has changed otherwise than by a step.
    void forget_rank() { has_chosen_rank_ = false; }
    /// Projects a start that violates its constraints, as the manifest asks for.
    void project_start();
    /// Sets the own values that rows read to those at x. [step]
    void show_own_values(double t, std::span<const double> x);

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive.fixed(quadrature_scales_);
        archive.require_finite(quadrature_scales_, "a scale of the books");
        archive(evaluations);
        archive.require(evaluations >= 0, "a count");
        archive(projection_energy_jump_.t);
        archive(projection_energy_jump_.work);
        archive(projection_energy_jump_.scale);
        archive(jumps_in_energy_);
        for (const double x : {jumps_in_energy_.usual,
                               jumps_in_energy_.sudden,
                               jumps_in_energy_.sudden_at,
                               jumps_in_energy_.largest,
                               jumps_in_energy_.largest_at})
            archive.require(std::isfinite(x) && x >= 0.0, "a jump of the energy");
    }

    long evaluations = 0;  ///< of accelerations by the integrator

    /// The first step whose projection onto the constraints changed the energy by more than a step
    /// that resolves the motion would.
    struct ProjectionEnergyJump {
        double t = 0.0;
        double work = 0.0;   ///< [J]; 0: none
        double scale = 0.0;  ///< energy in play then [J]
    };
    const ProjectionEnergyJump& projection_energy_jump() const { return projection_energy_jump_; }

    /// The part of x with the continuous states of objects with signals.
    template <class T>
    std::span<T> own_states(std::span<T> x) const {
        return x.last(parts_.signals.num_continuous());
    }

    /// Jumps of the energy balance within single steps. The error of a step follows its order and
    /// changes little from step to step; a jump beyond that indicates a step that left the true
    /// motion.
    struct EnergyJumps {
        double usual = 0.0;                      ///< of late [J]
        double sudden = 0.0, sudden_at = 0.0;    ///< largest beyond what was usual [J, s]
        double largest = 0.0, largest_at = 0.0;  ///< of all [J, s]
    };
    const EnergyJumps& energy_jumps() const { return jumps_in_energy_; }
    /// Resets the records of projection and energy jumps.
    void forget_records() {
        projection_energy_jump_ = {};
        jumps_in_energy_ = {};
    }

private:
    void note_energy_jump();
    std::size_t first_effort() const {
        return static_cast<std::size_t>(2 * parts_.n + kQuadratures);
    }
    /// The state before and after the last step, for evaluate_inside_step() and its return.
    struct Snapshot {
        double t = 0.0;
        Eigen::VectorXd q, v, pi;
        Ledger ledger;
        Eigen::VectorXd efforts;
        std::vector<double> state;
        SignalSet::States own;
        std::vector<std::vector<std::byte>> parts;
        std::vector<char> broken;
        std::vector<double> quadrature_scales;
    };
    void save(Snapshot& to) const;
    void restore(const Snapshot& from);
    bool can_solve(const double* q, const double* v, double t, RankUse use);
    bool is_accepted_state(std::span<const double> x) const;
    void advance_to(double t0, double t1, std::span<const double> x);
    void take_state(double t1, std::span<const double> x);
    void record_own_values();
    static void add(const Momenta& rate, double* accounting);
    void record_flow(const double* q, const double* v, double* accounting);
    void project(double t, double way);

    Assembly& parts_;
    MotionState& state_;
    Trial& trial_;
    StepRows& rows_;
    StepParts& extra_;
    Accounts& accounts_;
    Accelerations& accelerations_;
    Eigen::VectorXd x_force_;
    bool has_chosen_rank_ = false;  // at the present accepted state
    std::optional<Error> trial_error_;
    Snapshot before_, after_;
    bool is_peeking_ = false;
    ProjectionEnergyJump projection_energy_jump_;
    EnergyJumps jumps_in_energy_;
    std::vector<double> quadrature_scales_;
};

}  // namespace ancora
