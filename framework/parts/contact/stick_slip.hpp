// SPDX-License-Identifier: BSD-3-Clause
// The active set of friction: which contacts stick or slip, and when that changes.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "accelerations.hpp"
#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "contacts.hpp"
#include "energy_accounting.hpp"
#include "friction_defect.hpp"
#include "instant_friction.hpp"
#include "load_sharing.hpp"
#include "mode_events.hpp"
#include "rest_islands.hpp"
#include "slip_law.hpp"

namespace ancora {

/// The active set of friction: modes of contacts, frozen within a step, and their transitions. A
/// contact that sticks slips where its force exceeds its limit (LoadSharing); one that slips sticks
/// where its sliding velocity comes to zero: the complementarity conditions of Coulomb's law.
class StickSlip {
public:
    StickSlip(Assembly& parts,
              MotionState& state,
              const Trial& trial,
              Contacts& contacts,
              RestIslands& islands,
              SlipLaw& slip,
              ContactResponses& responses,
              InstantFriction& friction,
              LoadSharing& sharing,
              ModeEvents& events,
              Accelerations& accelerations,
              EnergyAccounting& accounting);

    /// Modes at the start: contacts that slide slip, the others tentatively stick.
    void start();
    /// The same where velocities have jumped, or constraints have opened or closed.
    void restart();
    /// Which contacts constraints lock at the present state.
    void find_locked();
    /// Checks modes that began at the start of the trial. @returns whether one has changed
    bool settle(const StepTrial& trial);

    /// Event functions of each contact: its margin to the limit, or its sliding velocity.
    void evaluate(const StepTrial& trial, std::span<double> g);
    void evaluate(double t, const double* q, const double* v, std::span<double> g);
    /// The same of one contact, whatever trials were before.
    StepPart::ModeEnd mode_end(const StepTrial& trial, int contact);
    /// Forces jump: sticking contacts are to be rechecked.
    void recheck();
    /// Contact `event` has come to its event at the present state.
    void pass(int event);
    /// The laws have no single solution at the present state.
    bool is_overrun() const { return is_overrun_; }
    /// Selects the modes that continue from the present state, by their accelerations and forces.
    void resolve();

    /// Records the work of friction over the step and updates the contacts' state; before the state
    /// moves.
    void record_step(const StepTrial& trial, const TrialSizes& sizes);
    /// After an accepted step of the discrete formulation, and of the continuous one.
    void note_step(double h);
    void advance();

    /// Finds the directions in which partly locked contacts that stick could slide, which turn
    /// with the motion.
    void follow_free();

    /// See System::max_smooth_step().
    double max_smooth_step(double h) const;

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(met_constraints_at_);
    }

private:
    bool is_below_limit(const Contact& contact, const StepTrial& trial);
    double stick_margin(
        const Contact& contact, const double* s, const double* shared, bool of_step, double t);
    StepPart::ModeEnd stick_end(const Contact& contact,
                                const StepTrial& trial,
                                const double* shared);
    double margin_at_end(const Contact& contact, const StepTrial& trial, const double* shared);
    bool stick_ends(const StepTrial& trial);
    bool comes_again(int event);
    bool tells_forces(const StepTrial& trial);
    void evaluate_end(const StepTrial& trial);
    double sliding_event(const Contact& contact, const double* v) const;
    void sliding_events(const double* v, std::span<double> g) const;
    void note_changes(double h);
    void follow_sliding();
    void choose_modes(double stopped);
    void rub_all_over();
    void find_free(Contact& contact) const;
    void stick_coupled(const Contact& stopped);
    bool has_stopped(Contact& contact);
    void stop_sliding();
    bool project_velocities();
    bool stick_reversed();

    Assembly& parts_;
    MotionState& state_;
    const Trial& trial_;
    Contacts& contacts_;
    RestIslands& islands_;
    SlipLaw& slip_;
    ContactResponses& responses_;
    InstantFriction& friction_;
    LoadSharing& sharing_;
    ModeEvents& events_;
    Accelerations& accelerations_;
    EnergyAccounting& accounting_;
    Eigen::VectorXd q_, v_;
    Eigen::VectorXd force_;             // of each row
    double met_constraints_at_ = -1.0;  // time at which velocities last met the constraints
    // The longest trial from the state at t0, and the largest acceleration by its forces.
    struct Told {
        double t0 = 0.0, h = 0.0, acceleration = 0.0;
    } told_;
    bool has_no_solution_ = false;  // the laws in the last trial
    bool is_overrun_ = false;       // and in any, however short
    struct Repeated {
        double t = -1.0;
        int count = 0;
    };
    std::vector<Repeated> repeated_;  // events of each contact at one instant
    Eigen::VectorXd held_margin_;     // of each contact, by the last trial that tells forces
};

}  // namespace ancora
