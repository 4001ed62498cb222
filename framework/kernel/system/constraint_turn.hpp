// SPDX-License-Identifier: BSD-3-Clause
// The rotation of constraint normals within a step, in the metric of the kinetic energy.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "constrained_solver.hpp"

namespace ancora {

/// Rows B of the middle of a step and A1 of its end differ along the step's motion by
///
///   r = (A1 - B) dq,   x = the least M x.x with B x = r,   w h = 2 |x| / |dq|,   |y|^2 = y.M y (1)
///
/// On a circle x points to its centre, and w h / 2 is the tangent of half the angle: a step turns
/// the velocity by 2 atan(w h / 2), which is w h to second order as long as that is below one. On
/// any other motion it measures the curvature of the constraints along dq, which a step does not
/// resolve beyond that angle: of a body that rotates, or of the path of a heavy mass that a light
/// one gives way to.
///
/// Since A a keeps the motion on the constraints, (h^2 / 2) a contains -x: where it is far less
/// than dq the test is skipped.
class ConstraintTurn {
public:
    /// A step of second order turns by 2 atan(0.5) where the motion turns by this [rad]: 7 % less.
    static constexpr double kResolved = 1.0;

    ConstraintTurn(Assembly& parts, const Trial& trial);

    /// [assembly] Makes its solver; without one no step is tested.
    void prepare();
    /// To be called before a step is accepted, when the state at its end is known. [step]
    void look(const StepTrial& trial);

    /// The first step that turned further than it resolves.
    struct Unresolved {
        double t = 0.0;        ///< end of the first of these steps [s]
        double h = 0.0;        ///< its length [s]; 0: there is none
        double largest = 0.0;  ///< turn in one of them [rad]
        int thrown = -1;       ///< coordinate that went farthest in the largest
    };
    const Unresolved& unresolved() const { return unresolved_; }
    /// The state has changed otherwise than by a step.
    void forget() { unresolved_ = {}; }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(unresolved_.t);
        archive(unresolved_.h);
        archive(unresolved_.largest);
        archive(unresolved_.thrown);
        archive.require(unresolved_.thrown >= -1 && unresolved_.thrown < parts_.n, "a coordinate");
    }

private:
    double turned(const StepTrial& trial, double dq_M_dq);

    Assembly& parts_;
    const Trial& trial_;
    std::vector<int> blocks_;  // of constraints and rigid bodies
    std::vector<int> row_;     // in the row set, of each condition
    std::vector<int> entry_;   // their entries in the row set's Jacobian
    std::unique_ptr<ConstrainedSolver> solver_;
    std::vector<double> M_, A_of_conditions_;  // values of its pattern
    std::vector<int> lent_to_;                 // entries of M for coordinates without mass
    double lent_mass_ = 0.0;
    Unresolved unresolved_;
    Eigen::VectorXd A_, A1_, pi_t_, v_, r_, x_, Mx_;
};

}  // namespace ancora
