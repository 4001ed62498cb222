// SPDX-License-Identifier: BSD-3-Clause
// Energy and momentum accounting: works and impulses of accepted steps, energies and momenta of
// states.
#pragma once

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "effort_works.hpp"
#include "energy_growth.hpp"
#include "ledger.hpp"
#include "step_parts.hpp"

namespace ancora {

/// Keeps the ledger from the forces that moved the bodies.
class EnergyAccounting {
public:
    EnergyAccounting(Assembly& parts,
                     MotionState& state,
                     const Trial& trial,
                     const StepParts& extra);

    /// Records works and impulses of a step, before the state is updated. [step]
    void record(const StepTrial& trial);
    /// Records the momentum and energy of matter that leaves or comes, of mass that changes with
    /// time: half of it at either end of the step that is held, (q0, v0) and (q1, v1). [step]
    void record_flow(const double* q0, const double* v0, const double* q1, const double* v1);
    /// Records an instantaneous change of velocities; `before`: the energy before it.
    void record_velocity_change(const Eigen::VectorXd& v_before, double before);
    /// Begins at the present state, or takes its energies and momenta and computes the balances.
    void begin();
    void close();
    /// Energies and momenta of the present state, gravity's against the origin.
    struct Snapshot {
        double kinetic = 0.0;
        double elastic = 0.0;
        double gravity = 0.0;
        Momenta momenta;
    };
    Snapshot snapshot();
    /// Continues from the snapshot of a system with other parameters: the difference of energies
    /// and momenta is recorded as external, at once.
    void continue_from(const Snapshot& before);

    /// Kinetic, elastic and gravity energy of a state. [step]
    double total_energy(const double* q, const double* v, double t);
    /// Rounding-error bound of that energy due to round-off of the present positions [J]: heights
    /// of weights and strains of stressed or stiff rows. Evaluates all rows.
    /// @param more displacement of matter besides round-off [m]
    double energy_rounding(double more = 0.0) const;
    /// Rounding-error bounds of the balances, due to positions and to the forces in equilibrium
    /// since t = 0: weights, loads, and the stresses that carry them. Of the discrete formulation,
    /// at the present state.
    struct Roundings {
        double energy = 0.0;            ///< [J]
        double momentum = 0.0;          ///< [kg m/s]
        double angular_momentum = 0.0;  ///< [kg m^2/s]
    };
    Roundings balance_roundings() const;
    /// Energy of the rows that read own values.
    double own_energy(const Eigen::VectorXd& pi) const;
    /// M v of the state last evaluated.
    const Eigen::VectorXd& momentum() const { return momentum_; }
    /// All mass [kg].
    double total_mass() const { return total_mass_; }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(ledger);
        efforts.transfer(archive);
        growth.transfer(archive);
    }

    Ledger ledger;
    EffortWorks efforts;
    EnergyGrowth growth;

private:
    double elastic_energy() const;

    Assembly& parts_;
    MotionState& state_;
    const Trial& trial_;
    const StepParts& extra_;
    Eigen::VectorXd external_, momentum_, change_, pi_;
    double total_mass_ = 0.0;
};

}  // namespace ancora
