// SPDX-License-Identifier: BSD-3-Clause
// What the plugins of a model contribute to its equations, assembled once.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "call_meter.hpp"
#include "force_set.hpp"
#include "mass_matrix.hpp"
#include "model.hpp"
#include "row_laws.hpp"
#include "row_set.hpp"
#include "rows_by_column.hpp"
#include "signal_set.hpp"
#include "space.hpp"
#include "workers.hpp"

namespace ancora {

/// Rows, masses and forces of a model with n coordinates and m rows, and what follows from these
/// alone. Solvers, steps and energy accounting read from here; the state is not here.
struct Assembly {
    /// [assembly] The model must outlive it.
    explicit Assembly(const Model& model);
    Assembly(const Assembly&) = delete;
    Assembly& operator=(const Assembly&) = delete;

    const Model& model;
    CallMeter meter;
    Workers workers;  ///< for what is large, see use_threads()
    int n;
    RowSet rows;
    int m;
    Space space;
    MassMatrix mass;
    RowLaws laws;
    SignalSet signals;
    ForceSet forces;

    Eigen::VectorXd inverse_mass;   ///< 1 / M_ii, zero where there is none
    Eigen::VectorXd gravity_field;  ///< acceleration of the coordinates
    Eigen::VectorXd gravity_force;  ///< on the coordinates, of the mass last asked for
    bool has_gravity = false;
    bool has_external = false;           ///< some force or constraint acts from outside
    std::vector<int> constraint_blocks;  ///< of constraints, with rows pi = 0
    std::vector<int> moving_blocks;      ///< whose Jacobian is not constant
    std::vector<int> timed_rows;         ///< constraint rows with explicit time
    RowsByColumn columns;  ///< of the rows' Jacobian, where threads sum by them; else empty

    /// How many may work on large matrices and long loops; no number depends on it.
    void use_threads(int count);
    /// Owner of the rows of the model's constraint c.
    const RowOwner& owner_of_constraint(std::size_t c) const {
        return rows.owners[model.bodies.size() + c];
    }
    /// The mass at a state, and the weight that goes with it. [step]
    void update_mass(const double* q, const double* v, double t);
    /// Mass and weight of a step, where some mass changes with time: MassMatrix::hold(). [step]
    void hold_mass(double t0, double h);
    /// The bodies' start, n entries each.
    void read_start(double* q, double* v) const;
    /// All mass, of the direction in which bodies have most [kg].
    double total_mass() const;
    /// Throws the plugin error of the first value of the step last evaluated that is not finite, if
    /// a plugin returned one.
    void attribute_nonfinite(double t) const;
};

/// Coordinates that are exactly at rest: the round-off of a trial does not move them, and the
/// forces on them are in balance by definition.
class HeldCoordinates {
public:
    explicit HeldCoordinates(int n) : is_held_(n, 0) {}

    bool any() const { return is_any_; }
    bool has(int i) const { return is_any_ && is_held_[i] != 0; }
    /// Whether a row acts on such coordinates.
    bool has_row(const CompressedRows& rows, int k) const {
        return is_any_ && has(rows.column_of(rows.row_begin(k)));
    }
    void clear() {
        if (is_any_) std::fill(is_held_.begin(), is_held_.end(), char{0});
        is_any_ = false;
    }
    void add(int i) {
        is_held_[i] = 1;
        is_any_ = true;
    }

private:
    std::vector<char> is_held_;
    bool is_any_ = false;
};

/// The state of a motion: q, v and the quantities that are carried from step to step.
struct MotionState {
    explicit MotionState(const Assembly& parts);

    double t = 0.0;
    /// q, v with their compensation of round-off (compensated summation); the last step's mean
    /// acceleration.
    Eigen::VectorXd q, q_low, v, v_low, a;
    Eigen::VectorXd s;            ///< stresses of the last step, of rows and then of parts
    Eigen::VectorXd pi;           ///< carried, of all rows
    Eigen::VectorXd lag;          ///< of timed rows: residual that the next step corrects
    std::vector<double> plugin;   ///< state of plugins, owned by the kernel
    std::vector<double> history;  ///< the integrator's
    HeldCoordinates held;         ///< by parts, see StepPart
    double extent = 1.0;          ///< of the model at its start [m]
    double farthest = 0.0;        ///< distance of mass from the origin so far [m]

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);
};

/// The step in progress: the arguments and the results of its last trial.
struct Trial {
    explicit Trial(const Assembly& parts);

    double h = 0.0;
    Eigen::VectorXd dq;          ///< h v0 + h^2/2 a
    Eigen::VectorXd mid;         ///< q0 + dq/2
    Eigen::VectorXd Bdq;         ///< of rows
    Eigen::VectorXd Ma;          ///< M a
    Eigen::VectorXd F;           ///< all forces on the coordinates but those of rows
    const double* s = nullptr;   ///< stresses of the trial
    std::vector<double> plugin;  ///< state of plugins at its end
    std::span<const double> r_motion, r_rows;
    /// Workspace for the state at its end.
    Eigen::VectorXd q_next, q_low_next, v_next, v_low_next;
    bool correction_at_rounding_level =
        false;  ///< the last correction is at the rounding level of positions
};

/// The data that the parts of a system share: the equations, the state, and the step in progress.
struct SystemData {
    Assembly& parts;
    MotionState& state;
    Trial& trial;
};

inline std::span<const double> view(const Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace ancora
