// SPDX-License-Identifier: BSD-3-Clause
// Friction in a step: rows of the residual, and their low-rank update of its solve.
#pragma once

#include <span>

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "contact_responses.hpp"
#include "contacts.hpp"
#include "slip_law.hpp"
#include "step_operator.hpp"

namespace ancora {

/// Adds friction to the step's residual (theory, section 7.2),
///
///   stick:  T dq + drift + anchor = 0,    slip:  (s_law(N, w) - s) h^2 D / 2 = 0         (1)
///
/// with D the row's own mobility, so that a residual is a length. Its rows follow those of the
/// model; they are solved by block elimination (Schur complement) with the factorised matrix.
class StepFriction {
public:
    StepFriction(Assembly& parts,
                 const MotionState& state,
                 const Trial& trial,
                 Contacts& contacts,
                 SlipLaw& slip,
                 ContactResponses& responses,
                 StepOperator& inner);

    /// Adds (1) to the residual of the frictionless rows. [step]
    void evaluate(const StepTrial& trial, std::span<double> r_motion, std::span<double> r_rows);
    /// From here on laws are linear in evaluate(), those at the trial evaluated last; or no more.
    void hold_laws(bool on) { are_held_ = on; }
    /// Solves with the operator of the frictionless rows, then for the contacts' stresses
    /// in the small space of their rows. [step]
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds);
    /// (r_motion, r_rows) -= the contacts' part of the residual's derivative times (x, y). [step]
    void subtract_tangent(const double* x, const double* y, double* r_motion, double* r_rows);
    /// Scales a residual of the slip law, a force, to a length.
    double scale(int k, double h) const;
    /// How the force of a slipping contact follows its slide across the force, of 1 / scale.
    double by_slide(int contact) const { return laws_[contact].of_slip.by_slide; }
    /// It sticks, or slides no way in the trial.
    bool is_stuck(int contact) const {
        return contacts_.sticks(contacts_.all()[contact]) || laws_[contact].of_slip.is_held;
    }

private:
    Assembly& parts_;
    const MotionState& state_;
    const Trial& trial_;
    Contacts& contacts_;
    SlipLaw& slip_;
    ContactResponses& responses_;
    StepOperator& inner_;
    /// The law of a slipping contact at the trial.
    struct Linear {
        SlipLaw::Linear of_slip;
        Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< direction of its reaction
        double normal_of_correction = 0.0;                 ///< change of its size by a correction
        // Where it is the law.
        Eigen::Vector3d reaction = Eigen::Vector3d::Zero();
        Slides rate{}, stress{}, scale{};
    };
    void evaluate_held(int contact,
                       const double* shared,
                       const Slides& slide,
                       const Slides& rate,
                       const double* s,
                       std::span<double> r_rows);
    double unit_of_stuck(const ContactGroup& group) const;
    double largest_scale(const Contact& contact, double h) const;
    void find_normal_responses();
    void take_first_loads(const double* ds);
    void factorise();
    void find_normal_corrections(const double* ds);
    double change(int contact, int i, double normal, const Slides& slide) const;
    Eigen::Vector3d& normal_response(std::size_t contact, Eigen::Index place) {
        return normal_response_[contact *
                                    static_cast<std::size_t>(responses_.groups().num_places()) +
                                static_cast<std::size_t>(place)];
    }
    std::vector<Linear> laws_;                      // of each contact
    std::vector<Eigen::Vector3d> normal_response_;  // per contact and place in its group
    Eigen::VectorXd no_rows_;
    bool are_held_ = false;
};

}  // namespace ancora
