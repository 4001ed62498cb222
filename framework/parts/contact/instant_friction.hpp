// SPDX-License-Identifier: BSD-3-Clause
// Friction at a state: contact forces solved together with accelerations.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"
#include "contact_responses.hpp"
#include "contacts.hpp"
#include "continuous_face.hpp"
#include "slip_law.hpp"

namespace ancora {

/// Solves the laws of all contacts at a state together with the frictionless equation, from its
/// solution and its responses to forces along the sliding rows.
class InstantFriction {
public:
    InstantFriction(const Assembly& parts,
                    Contacts& contacts,
                    const RestIslands& islands,
                    SlipLaw& slip,
                    ContactResponses& responses);

    /// Friction at the state that the face was last solved for; adds its effect there. [step]
    /// @throws Error (numerical) for Painleve's paradox, unless modes are tentative
    void solve(ContinuousFace& face, const double* q, const double* v, double t, bool is_tentative);
    /// While modes are chosen, sliding that begins turns to the pull.
    void turn_to_pull(bool is_choosing) { is_choosing_ = is_choosing; }
    /// Stresses -C of the contacts' rows as last solved.
    const Eigen::VectorXd& stress() const { return s_; }
    void forget() { s_.setZero(); }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(s_);
        archive.require_finite(s_, "a force of friction");
    }

private:
    bool solve_laws(const ContactGroup& group, ContinuousFace& face, const double* v, double t);
    double begin_slip(const ContinuousFace& face,
                      const ContactGroup& group,
                      const Contact& contact,
                      const double* w,
                      double* direction) const;
    void add_turning(const ContactGroup& group,
                     const Contact& contact,
                     const SlipLaw::Linear& law,
                     double pull,
                     const double* d);

    const Assembly& parts_;
    Contacts& contacts_;
    const RestIslands& islands_;
    SlipLaw& slip_;
    ContactResponses& responses_;
    Eigen::VectorXd s_;  // of the contacts' rows
    Eigen::Vector3d& normal_response(std::size_t contact, Eigen::Index place) {
        return normal_response_[contact *
                                    static_cast<std::size_t>(responses_.groups().num_places()) +
                                static_cast<std::size_t>(place)];
    }
    Eigen::VectorXd x_, stress_;
    bool is_choosing_ = false;
    // d(normal force)/d s, per contact and place in its group
    std::vector<Eigen::Vector3d> normal_response_;
};

}  // namespace ancora
