// SPDX-License-Identifier: BSD-3-Clause
// The law of a slipping contact in the equations: friction as a function of reaction and speed.
#pragma once

#include <algorithm>

#include <Eigen/Core>

#include "assembly.hpp"
#include "constraint_selection.hpp"
#include "contacts.hpp"
#include "rest_islands.hpp"

namespace ancora {

/// Sliding in several directions that has slowed to this part of its speed within a step keeps the
/// step's direction.
inline constexpr double kSlow = 1e-6;

/// Forces of slipping contacts, linearised (theory (38)).
class SlipLaw {
public:
    SlipLaw(const Assembly& parts,
            const Contacts& contacts,
            const RestIslands& islands,
            ConstraintSelection& independent);

    /// Minimum-norm stresses of the model's rows, from which reactions follow: of s in a step,
    /// valid until the next call; at a state s already has minimum norm. [step]
    const double* shared(const double* s, bool of_step) {
        return of_step ? independent_.shared(s) : s;
    }
    /// Magnitude of a constraint's reaction on its first attachment for minimum-norm stresses, and
    /// the reaction itself; of a unilateral row how much it presses instead, in f_x, negative where
    /// it pulls. Both are linear in the stresses. [step]
    double normal_force(const Contact& contact,
                        const double* shared,
                        bool of_step,
                        Eigen::Vector3d* f);

    /// N for such an f.
    static double size(const Contact& contact, const Eigen::Vector3d& f) {
        return contact.gap < 0 ? f.norm() : f.x();
    }
    /// dN / df there; zero where a reaction that has no sign vanishes.
    static Eigen::Vector3d slope(const Contact& contact, const Eigen::Vector3d& f) {
        if (contact.gap >= 0) return Eigen::Vector3d::UnitX();
        const double N = f.norm();
        return N > 0.0 ? Eigen::Vector3d(f / N) : Eigen::Vector3d(Eigen::Vector3d::Zero());
    }

    /// Stress -C of a slipping contact, and its derivatives.
    struct Linear {
        Slides s{};
        Slides by_normal{};
        std::array<Slides, kMostSlides> by_rate{};
        bool has_turned = false;  ///< it slips against its direction
    };
    /// At sliding velocity w and normal force N; along `direction` if given, else along w. [step]
    Linear linearise(const Contact& contact,
                     const double* w,
                     double N,
                     double t,
                     const double* direction = nullptr) const;

    /// Forces of contacts, normal or along them, below this are rounding of the largest.
    double force_rounding(const double* s, const double* shared, bool of_step);
    /// Whether contacts slip, all on rows that may open, and all are pressed by stresses s of all
    /// rows: then these are a solution of the coupled laws, if maybe one of several.
    bool all_press(const double* s, bool of_step);

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
