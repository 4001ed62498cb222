// SPDX-License-Identifier: BSD-3-Clause
// The law of a slipping contact in the equations: friction from the reaction it hears and its
// speed.
#pragma once

#include <Eigen/Core>

#include "assembly.hpp"
#include "contacts.hpp"
#include "independent_rows.hpp"
#include "rest_islands.hpp"
#include "small_solver.hpp"

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
            IndependentRows& independent);

    /// Magnitude of a constraint's reaction on its first attachment for stresses s of all rows, and
    /// the reaction itself. [step]
    double normal_force(const Contact& contact, const double* s, bool of_step, Eigen::Vector3d* f);

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
    IndependentRows& independent_;
    Eigen::VectorXd local_force_;
};

/// How the rest of the model answers to friction along each sliding row, and the small system of
/// all contacts. One for both faces, since n times the number of rows may be much.
struct ContactResponses {
    ContactResponses(const Assembly& parts, const Contacts& contacts);

    Eigen::MatrixXd x, s;      ///< per row, a column
    bool are_of_step = false;  ///< with the matrix in use
    SmallSolver small;
    bool has_no_solution = false;  ///< the coupled laws of the last solve, or several
};

}  // namespace ancora
