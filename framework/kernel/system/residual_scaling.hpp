// SPDX-License-Identifier: BSD-3-Clause
// How far a trial is from solving the step: residuals against what rounding leaves of their terms.
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

/// Sizes of q and dq are those of nodes, a point's or director's coordinates together, so that the
/// axes do not count. Each residual is compared with what rounding leaves of *its own* terms: of a
/// row
///
///   |B| (|h v0| + |h^2/2 a|) + |tau| + |theta pi0| + |extra| + |gamma s|                 (1)
///
/// and |B| |q|, a small part of it besides and all of it where its increment is a difference of
/// values of pi; of a node
///
///   |M a| + |B|^T |s| + |F|                                                              (2)
///
/// a small part of the largest in its body, and (|G| + |T|) |q| once corrections leave positions
/// roundings to move by, G the geometric stiffness and T the tangent of forces. A body without mass
/// has no motion of its own: what its nodes are tied to takes their forces up, with roundings of
/// its own terms, so that the same small part of those counts there too. So the measure is right at
/// rest, in a drive, and for any mass (theory (46) and (47)).
class ResidualScaling {
public:
    /// Below this part of the roundings of positions no gap is looked at, and below this part of
    /// those of a body's largest force no force: at rest nothing else tells them from nothing.
    static constexpr double kUnseenPart = 1e-4;

    ResidualScaling(const SystemData& of, const StepRows& rows, const StepParts& extra);

    /// Of the residual last evaluated. [step]
    /// @param slack [m] what each gap may be besides, and each node be moved by
    ScaledResidual measure(const StepTrial& trial, double slack);
    /// The largest of other residuals of motion, in the units of the last measure(): what is known
    /// of them while the step has not been measured. Zero before any measure. [step]
    double motion_in_units(const double* r);
    /// Those of the last measure().
    const TrialSizes& sizes() const { return sizes_; }

    /// The residual that is furthest from what rounding leaves of its terms.
    struct Worst {
        std::string name = "nothing";
        double left = 0.0;
        const char* unit = "m";
        const char* cause = nullptr;  ///< where it is known
    };
    Worst worst(const StepTrial& trial);

    /// Writes or reads the units, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(allowed_);
        for (const double allowed : allowed_) archive.require(allowed >= 0.0, "a residual's unit");
    }
    /// The units are those of another motion.
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
    /// Of a massless body's nodes: the bodies that they are tied to.
    struct Carried {
        int node = 0;
        std::vector<int> by;
    };
    struct MasslessBody {
        int body = 0;
        std::vector<Carried> nodes;
    };
    std::vector<MasslessBody> massless_bodies_;
    std::vector<double> node_terms_;  // the least that counts of each node's terms
    Eigen::VectorXd allowed_;         // of each node, by the last measure
    std::vector<Found> found_;        // of each range
    bool is_shared_ = false;          // threads sum what rows do to motion by columns
    int worst_row_ = -1;
    int worst_node_ = -1;
};

}  // namespace ancora
