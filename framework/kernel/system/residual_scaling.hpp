// SPDX-License-Identifier: BSD-3-Clause
// Scaling of the residuals of a step by the rounding-error bounds of their sums.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/step_equations.hpp"
#include "assembly.hpp"
#include "force_tangents.hpp"
#include "nonlinear_rows.hpp"
#include "step_parts.hpp"
#include "step_rows.hpp"

namespace ancora {

/// Each residual is divided by the rounding-error bound of *its own* sum. Sizes |q| and |dq| are
/// norms over a node (the coordinates of a point or director), so that the bounds do not depend on
/// the axes. The terms of a row are
///
///   |B| (|h v0| + |h^2/2 a|) + |tau| + |theta pi0| + |extra| + |gamma s|                 (1)
///
/// and |B| |q|: a small part of it, all of it where the row's increment is a difference of values
/// of pi. The terms of a node are
///
///   |M a| + |B|^T |s| + |F|                                                              (2)
///
/// a small part of the largest in its body, and (|G| + |T|) |q| once corrections are at the
/// rounding level of positions, G the geometric stiffness and T the tangent of forces. The forces
/// on a body without mass are carried by the bodies that it is connected to, so that the same small
/// part of their terms counts for it too. So the scaling is right at rest, in a drive, and for any
/// mass (theory (46) and (47)).
class ResidualScaling {
public:
    /// Lower bounds: constraint residuals below this part of the round-off of positions count as
    /// zero, and forces below this part of that of the body's largest force, since at rest all
    /// other terms vanish.
    static constexpr double kUnseenPart = 1e-4;

    ResidualScaling(const SystemData& of, const StepRows& rows, const StepParts& extra);

    /// Of the residual last evaluated. [step]
    /// @param slack [m] additional tolerance of each constraint residual, and of the displacement
    ///        of each node
    ScaledResidual measure(const StepTrial& trial, double slack);
    /// The largest of other residuals of motion, in the units of the last measure(); an estimate
    /// while the present step has not been measured. Zero before any measure. [step]
    double motion_in_units(const double* r);
    /// Those of the last measure().
    const TrialSizes& sizes() const { return sizes_; }

    /// The largest scaled residual.
    struct Worst {
        std::string name = "nothing";
        double left = 0.0;
        const char* unit = "m";
        const char* cause = nullptr;  ///< of it, if known
    };
    Worst worst(const StepTrial& trial);

    /// Writes or reads the units, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(allowed_);
        for (const double allowed : allowed_) archive.require(allowed >= 0.0, "a residual's unit");
    }
    /// Discards the units, after a discontinuity of the motion.
    void forget();

private:
    /// Of a range of rows or nodes.
    struct Found {
        double defect = 0.0;
        double positions = 0.0;
        int worst = -1;
    };
    static constexpr int kRange = 1 << 13;
    Found largest(int count, const auto& measure);
    void measure_sizes(const StepTrial& trial);
    void measure_rows(const StepTrial& trial, double slack, ScaledResidual& out);
    double rounding_of_positions(int k) const;
    void measure_motion(double h, double slack, ScaledResidual& out);
    void find_carriers();
    void measure_bodies();

    Assembly& parts_;
    const MotionState& state_;
    const Trial& trial_;
    const NonlinearRows& nonlinear_;
    const ForceTangents& forces_;
    const StepParts& extra_;
    TrialSizes sizes_;           // of each coordinate's node; terms of motion
    Eigen::VectorXd row_terms_;  // of the rows below
    struct ValuedRow {
        const BlockPart* part;
        int row;
    };
    std::vector<ValuedRow> valued_rows_;  // whose increment is a difference of values of pi
    std::vector<int> first_of_node_;      // of the coordinates that are measured together
    std::vector<int> body_of_node_;
    std::vector<double> body_terms_;
    /// Of a massless body's nodes: the bodies that they are connected to.
    struct Carried {
        int node = 0;
        std::vector<int> by;
    };
    struct MasslessBody {
        int body = 0;
        std::vector<Carried> nodes;
    };
    std::vector<MasslessBody> massless_bodies_;
    std::vector<double> node_terms_;  // lower bound of each node's terms
    Eigen::VectorXd allowed_;         // of each node, by the last measure
    std::vector<Found> found_;        // of each range
    bool is_shared_ = false;          // threads sum what rows do to motion by columns
    int worst_row_ = -1;
    int worst_node_ = -1;
};

}  // namespace ancora
