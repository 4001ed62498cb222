// SPDX-License-Identifier: BSD-3-Clause
// The law of a slipping contact in the equations: friction as a function of reaction and speed.
#pragma once

#include <Eigen/Core>

#include "assembly.hpp"
#include "constraint_selection.hpp"
#include "contacts.hpp"
#include "rest_islands.hpp"

namespace ancora {

/// A slide in several directions that has come down to this part of its speed within a step keeps
/// the step's direction.
inline constexpr double kSlow = 1e-6;

/// What slipping contacts bear, linearised (theory (38)).
class SlipLaw {
public:
    SlipLaw(const Assembly& parts,
            const Contacts& contacts,
            const RestIslands& islands,
            ConstraintSelection& independent);

    /// Stresses of the model's rows as dependent ones share them, which reactions are those of:
    /// of s in a step, valid until the next call; at an instant s is shared already. [step]
    const double* shared(const double* s, bool of_step) {
        return of_step ? independent_.shared(s) : s;
    }
    /// Magnitude of a constraint's reaction on its first attachment for stresses as they are
    /// shared, and the reaction itself. [step]
    double normal_force(const Contact& contact,
                        const double* shared,
                        bool of_step,
                        Eigen::Vector3d* f);

    /// Stress -C of a slipping contact, and its derivatives.
    struct Linear {
        Slides s{};
        Slides by_normal{};
        std::array<Slides, kMostSlides> by_rate{};
        bool has_turned = false;  ///< it slips against its direction
    };
    /// At sliding velocity w and normal force N; along `direction` if that is given, else as the
    /// contact slides. [step]
    Linear linearise(const Contact& contact,
                     const double* w,
                     double N,
                     double t,
                     const double* direction = nullptr) const;

    /// Throws the error of coupled laws without a single solution (Painleve's paradox).
    [[noreturn]] void refuse_paradox(double t) const;

private:
    const Assembly& parts_;
    const Contacts& contacts_;
    const RestIslands& islands_;
    ConstraintSelection& independent_;
    Eigen::VectorXd local_force_;
};

}  // namespace ancora
