// SPDX-License-Identifier: BSD-3-Clause
// The forces on attachments of a model, over a step and at a state.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "attachment_map.hpp"
#include "call_meter.hpp"
#include "host_loads.hpp"
#include "model.hpp"
#include "row_set.hpp"
#include "signal_set.hpp"

namespace ancora {

/// Calls every force that acts on attachments (dry friction is not among them, see Contacts) and
/// keeps the values returned, so that works and impulses come from the very forces that moved
/// bodies.
class ForceSet {
public:
    /// @param first_state of the forces in the kernel's state of all plugin objects
    /// @param signals     inputs and states of forces; evaluated here before the forces are
    ForceSet(const Model& model, CallMeter& meter, int first_state, SignalSet& signals);

    bool empty() const { return parts_.empty(); }
    bool has_state() const { return num_state_ > 0; }
    /// Entries of plugin state that the forces have together.
    int num_state() const { return num_state_; }
    void start_state(std::span<double> state) const;

    /// Discrete formulation, over a step: adds the mean forces to F. [step]
    void evaluate_step(const double* q0,
                       const double* dq,
                       double t0,
                       double h,
                       std::span<const double> state0,
                       std::span<double> state1,
                       double* F);
    /// Continuous formulation, at a state: adds the forces to F. [step]
    void evaluate(
        const double* q, const double* v, double t, std::span<const double> state, double* F);

    /// True if some force depends on reactions of constraints.
    bool depends_on_reactions() const { return !reaction_constraints_.empty(); }
    /// Change of the reactions between two rounds of the fixed-point iteration.
    struct ReactionChange {
        double change = 0.0;  ///< largest change of a component [N]
        double size = 0.0;    ///< largest component [N]
    };
    /// Gives the forces the reactions that they depend on, from the stresses of all rows over the
    /// step, or at the state, at which the rows were last evaluated. [step]
    ReactionChange update_reactions(const RowSet& rows, const double* s, bool of_step);
    /// Entries of the reactions: three per constraint that a force depends on.
    int num_reactions() const { return static_cast<int>(reactions_.size()); }
    /// The reactions of these stresses, num_reactions() numbers; linear in s. [step]
    void read_reactions(const RowSet& rows, const double* s, bool of_step, double* out);
    /// dF / d reactions, n x num_reactions(), of the step last evaluated, by differences. [step]
    void differentiate_by_reactions(Eigen::MatrixXd& by_reactions);
    /// Indices of the forces with a tangent.
    std::vector<int> parts_with_tangent() const;
    /// Variables of the derivative of one of them: its attachments, and behind them those that its
    /// own values depend on.
    const AttachmentMap& tangent_map(int part) const {
        const Part& of = parts_[part];
        return of.answered ? of.answered->map : of.map;
    }
    int num_parts() const { return static_cast<int>(parts_.size()); }
    const AttachmentMap& map(int part) const { return parts_[part].map; }
    const ObjectRef& object(int part) const { return parts_[part].force->object; }
    /// Adds one of the forces to F, as last evaluated.
    void add(int part, double* F) const {
        const Part& of = parts_[part];
        of.map.scatter(f_.data() + of.u_first, F);
    }
    /// d f / d du of one of them at the step last evaluated, scalars x scalars. [step]
    void differentiate_by_increments(int part, Eigen::MatrixXd& D);
    /// Relaxation: R = R_before + part (R_new - R_before), with the reactions before and after the
    /// last update_reactions(). [step]
    void relax(double part);
    /// Sets all reactions to zero. [step]
    void forget_reactions();
    /// Relaxation factor by Aitken's delta-squared rule for vectors (Irons and Tuck, Int. J. Numer.
    /// Methods Eng. 1 (1969) 275), from the changes by the last two calls of update_reactions().
    /// [step]
    double aitken_factor(double last_part) const;
    /// The forces that depend on reactions, for messages.
    struct ReactionDependents {
        std::string names;
        Place place;
    };
    ReactionDependents reaction_dependents() const;

    /// Work over the step, or power, of the forces last evaluated, by heading.
    struct Work {
        double external = 0.0;
        double nonideal = 0.0;
    };
    Work work() const;
    /// Adds the forces that come from outside to F, as last evaluated.
    void add_external(double* F) const;
    /// Throws the plugin error of the first force of the last evaluation that is not finite.
    void refuse_nonfinite_force(const char* call, double t) const;

    /// Loads that an embedding program applies; included in the calls above except evaluate(),
    /// which leaves them to evaluate_loads().
    HostLoads& loads() { return loads_; }
    const HostLoads& loads() const { return loads_; }
    void evaluate_loads(const double* q, const double* v, double t, double* F) {
        loads_.evaluate(q, v, t, F);
    }

    /// Resultants of force `index` of the model, as last evaluated; zero for dry friction. The
    /// force is that on its first attachment, or on all points of the parameter that names it. The
    /// torque is the sum of d x f over the directions d of the first body that it takes directions
    /// of, in the middle of a step (theory: moments on directors): a pure torque, which needs no
    /// point.
    struct Applied {
        Eigen::Vector3d force = Eigen::Vector3d::Zero();
        Eigen::Vector3d torque = Eigen::Vector3d::Zero();
    };
    Applied applied(int index) const;
    /// Effort of force `index`, one on a measure, as last evaluated; over a step or at an instant.
    double effort(int index) const;
    /// Its work over the step, or its power, as last evaluated; 0 for dry friction.
    double work(int index) const;

private:
    struct Part {
        const ForcePart* force;
        int index;  ///< among the model's forces
        AttachmentMap map;
        int u_first;
        int u_count;
        std::size_t state_first;
        std::size_t state_count;
        std::size_t heard_first;  ///< of its entries in reactions_
        bool has_tangent;
        std::vector<int> points, directions;  ///< first scalars of those that applied() sums over
        /// Of a force with inputs or states of its own: the variables of its tangent.
        struct Answered {
            Answered(const Model& model, std::vector<Attachment> all, CallMeter& meter)
                : attachments(std::move(all)), map(model, attachments, meter) {}
            std::vector<Attachment> attachments;
            AttachmentMap map;
        };
        std::unique_ptr<Answered> answered{};
    };
    void differentiate_answers(const Part& part, Eigen::MatrixXd& D);
    void evaluate_moved(const Part& part, std::size_t scalar, double change, std::span<double> f);
    std::span<const double> reactions_of(const Part& part) const {
        return {reactions_.data() + 3 * part.heard_first, 3 * part.force->reactions.size()};
    }

    /// Arguments of the last evaluation, for the record of a call that was at fault.
    struct Last {
        double t = 0.0;
        double h = 0.0;
        std::span<const double> state;
    };
    RowStep last_step(const Part& part) const;
    PluginCall last_call(const Part& part, std::string_view call) const;

    CallMeter& meter_;
    SignalSet& signals_;
    HostLoads loads_;
    Last last_;
    std::vector<Part> parts_;
    std::vector<int> part_of_force_;
    int num_state_ = 0;
    std::vector<int> reaction_constraints_;  // that forces depend on, in the order of the forces
    Eigen::VectorXd reactions_;              // on their first attachments, three entries each
    Eigen::VectorXd step_, last_step_;       // changes by the last two updates
    Eigen::VectorXd before_;                 // reactions before the last one
    Eigen::VectorXd f_up_, f_down_;          // forces at changed reactions
    std::vector<double> state_room_;         // workspace for their states
    std::vector<double> tangent_;            // of one force, by rows
    std::vector<double> answer_up_, answer_down_, answer_state_;
    Eigen::VectorXd local_;  // a constraint's force on all of its scalars
    Eigen::VectorXd u0_, mid_, u1_, f_;
    Eigen::VectorXd du_;    // conjugate to f: increments over a step, rates at a state
    Eigen::VectorXd rate_;  // mean rates of a step
    Eigen::VectorXd q1_;
};

}  // namespace ancora
