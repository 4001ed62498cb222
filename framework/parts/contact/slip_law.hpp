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
        std::array<Slides, kMostSlides> by_stress{};
        /// It does not slide, and friction is less than it could be: |x| < f of project(), whose
        /// equation is slide = 0.
        bool is_held = false;
        double by_slide = 0.0;    ///< f / |x| of project(): how s follows x across it
        bool has_turned = false;  ///< it slips against its direction
    };
    /// At sliding velocity w and normal force N; along `direction` if given, else along w. [step]
    Linear linearise(const Contact& contact,
                     const double* w,
                     double N,
                     double t,
                     const double* direction = nullptr) const;

    /// Whether a step takes project(): of those that slide in several directions.
    bool is_projected(const Contact& contact) const;
    /// The law as a projection onto the disc of what friction can be, for a step of length h that
    /// slides by `slide`, from a stress s (theory, section 7.2):
    ///
    ///   x = s + slide / scale,    s_law = x where |x| < f(N, |w|),    f x / |x| elsewhere
    ///
    /// A solution s = s_law slides along s, or does not slide. Unlike w / |w|, x / |x| is known to
    /// the digits of s where w comes by zero, and Newton's method settles on it. [step]
    Linear project(const Contact& contact,
                   const double* s,
                   const double* slide,
                   double N,
                   double t,
                   double h,
                   double scale) const;

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
