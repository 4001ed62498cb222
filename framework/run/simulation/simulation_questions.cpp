// SPDX-License-Identifier: BSD-3-Clause
// The public face of a model in motion: what it is asked.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/lock.hpp"
#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/simulation.hpp"
#include "buckling.hpp"
#include "equation.hpp"
#include "inverse_kinematics.hpp"
#include "joint_space_equations.hpp"
#include "linear_ports.hpp"
#include "pose.hpp"
#include "prescribed_motion.hpp"
#include "rest_search.hpp"
#include "row_bodies.hpp"
#include "run_numbers.hpp"
#include "simulation_impl.hpp"
#include "spin_range.hpp"
#include "traps_off.hpp"

namespace ancora {
namespace {

/// A torque in space on a body has a stiffness that is not even symmetric.
void require_no_torque(const char* call, const KernelSystem& system) {
    const std::string bodies = system.parts().forces.loads().bodies_with_torque();
    if (!bodies.empty())
        throw Error(ErrorKind::usage,
                    fmt::format("{} needs derivatives of all forces, and those of the torque that "
                                "the program applies on {} are not known: take it away, or let a "
                                "force of the model apply it",
                                call,
                                bodies));
}

}  // namespace

Simulation::PointState Simulation::point(const std::string& attachment) const {
    const TrapsOff traps_off;
    const Attachment at = attach(impl_->model, attachment, {}, false);
    PointState out{};
    evaluate_attachment(impl_->model.bodies,
                        at,
                        impl_->system.q().data(),
                        impl_->system.v().data(),
                        out.position.data(),
                        out.velocity.data());
    return out;
}

Pose Simulation::pose(const std::string& body) const {
    const TrapsOff traps_off;
    if (body == "ground") return {};
    const Model& model = impl_->model;
    const int i = model.body_names.find(body);
    if (i < 0) throw Error(ErrorKind::usage, no_such_body(body, names_of(model.bodies)));
    const BodyPart& part = model.bodies[i];
    if (part.pose_kind == PoseKind::none)
        throw Error(ErrorKind::usage, fmt::format("body \"{}\" has no pose", body));
    const auto first = static_cast<std::size_t>(part.first);
    const auto count = static_cast<std::size_t>(part.count);
    const double t = time();
    return part.pose(
        impl_->system.q().subspan(first, count), impl_->system.v().subspan(first, count), &t);
}

std::vector<double> Simulation::reaction(const std::string& constraint) const {
    const TrapsOff traps_off;
    const Model& model = impl_->model;
    const int found = model.constraint_names.find(constraint);
    if (found < 0)
        throw Error(ErrorKind::usage,
                    fmt::format("there is no constraint \"{}\"{}",
                                constraint,
                                did_you_mean(constraint, names_of(model.constraints))));
    impl_->update_reactions();
    const auto c = static_cast<std::size_t>(found);
    const auto& start = impl_->system.reactions().start();
    const std::span<const double> all = impl_->system.reactions().mean();
    return {all.begin() + start[c], all.begin() + start[c + 1]};
}

Dynamics Simulation::dynamics() const {
    const TrapsOff traps_off;
    return impl_->system.instant().dynamics();
}

Equation Simulation::equation() const {
    const TrapsOff traps_off;
    return equation_of(impl_->system);
}

std::vector<double> Simulation::point_jacobian(const std::string& attachment) const {
    const TrapsOff traps_off;
    return jacobian_of(impl_->system, attach(impl_->model, attachment, {}, false));
}

std::vector<SingularPosition> Simulation::singular_positions() const {
    std::vector<SingularPosition> out;
    for (const SingularPositions::Passed& position : impl_->system.singular_positions().all())
        out.push_back({position.t, position.continues});
    return out;
}

Equilibrium Simulation::find_equilibrium(const EquilibriumOptions& options) {
    const TrapsOff traps_off;
    require_no_torque("find_equilibrium", impl_->system);
    Equilibrium found = find_rest(impl_->system, options);
    impl_->rank.decide();
    impl_->observables.restart();
    return found;
}

Modes Simulation::modes(const ModesOptions& options) {
    const TrapsOff traps_off;
    require_no_torque("modes", impl_->system);
    return find_modes(impl_->system, options);
}

Buckling Simulation::buckling(const BucklingOptions& options) {
    const TrapsOff traps_off;
    require_no_torque("buckling", impl_->system);
    return find_buckling(impl_->system, options);
}

SpinRange Simulation::modes_over_spins(const SpinRangeOptions& options) {
    const TrapsOff traps_off;
    require_no_torque("modes", impl_->system);
    return find_modes_over_spins(impl_->system, options);
}

LinearModel Simulation::linearize(const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& outputs) {
    const TrapsOff traps_off;
    require_no_torque("linearize", impl_->system);
    LinearModel model =
        linear_model(impl_->system, linear_ports(impl_->model, impl_->system, inputs, outputs));
    model.inputs = inputs;
    model.outputs = outputs;
    return model;
}

JointSpace Simulation::joint_space(const std::vector<std::string>& by,
                                   const std::vector<std::string>& of) const {
    const TrapsOff traps_off;
    return joint_space_of(impl_->system, by, of);
}

InverseKinematics Simulation::inverse_kinematics(std::span<const KinematicTarget> targets) {
    const TrapsOff traps_off;
    const Placement place = ancora::place(impl_->system, targets);
    const auto view = [](const Eigen::VectorXd& x) {
        return std::span<const double>(x.data(), static_cast<std::size_t>(x.size()));
    };
    impl_->set_state(view(place.q), view(place.v), std::nullopt);
    return place.found;
}

void Simulation::require_prescribed() const {
    const TrapsOff traps_off;
    require_no_freedom(impl_->system);
}

void Simulation::follow_prescribed(double t) {
    const TrapsOff traps_off;
    ancora::follow_prescribed(impl_->system, t);
}

std::vector<ContactEvent> Simulation::events() const {
    std::vector<ContactEvent> out;
    for (const ModeEvents::Event& event : impl_->system.mode_events().all())
        out.push_back({event.t, impl_->model.forces[event.force].object.name, event.sticks});
    return out;
}

std::vector<ImpactEvent> Simulation::impacts() const {
    const RowSet& rows = impl_->system.parts().rows;
    std::vector<ImpactEvent> out;
    for (const ImpactRecords::Event& event : impl_->system.impacts().all()) {
        const auto owner = std::ranges::find_if(rows.owners, [&](const RowOwner& of) {
            return event.row < of.first_row + of.num_rows;
        });
        std::vector<std::string> bodies;
        for (const int body : bodies_of_rows(impl_->model, rows, event.row, event.row + 1))
            bodies.push_back(impl_->model.bodies[static_cast<std::size_t>(body)].object.name);
        out.push_back({event.t,
                       owner->object->name,
                       static_cast<ImpactEvent::Kind>(event.what),
                       event.impulse,
                       event.loss,
                       std::move(bodies)});
    }
    return out;
}

std::vector<BreakEvent> Simulation::breaks() const {
    const RowSet& rows = impl_->system.parts().rows;
    std::vector<BreakEvent> out;
    for (const Breaking::Break& broken : impl_->system.breaking().all()) {
        const auto block = std::ranges::find_if(rows.blocks, [&](const BlockPart& part) {
            return broken.row < part.first_row + part.num_rows;
        });
        const RowOwner& owner = rows.owners[block->owner];
        out.push_back({broken.t,
                       owner.object->name,
                       (broken.row - block->first_row) / block->block->rows_per_item,
                       broken.energy});
    }
    for (const Releases::Event& event : impl_->system.releases().all())
        out.push_back(
            {event.t, impl_->model.constraints[event.constraint].object.name, -1, event.energy});
    return out;
}

std::vector<std::string> Simulation::column_names() const {
    const TrapsOff traps_off;
    return impl_->observables.names();
}
std::vector<std::pair<std::string, std::string>> Simulation::column_units() const {
    const TrapsOff traps_off;
    return impl_->observables.own_units();
}
double Simulation::value(const std::string& column) const {
    const TrapsOff traps_off;
    if (impl_->model.traits.face == Face::continuous ||
        impl_->observables.is_step_mean(impl_->observables.find(column)))
        impl_->update_reactions();
    return impl_->observables.value(column);
}
int Simulation::find_column(const std::string& column) const {
    return impl_->observables.find(column);
}
void Simulation::values(std::span<const int> columns, std::span<double> to) const {
    const TrapsOff traps_off;
    const int count = impl_->observables.num_all();
    if (columns.size() != to.size())
        throw Error(
            ErrorKind::usage,
            fmt::format("values: {} columns and room for {} values", columns.size(), to.size()));
    for (const int column : columns)
        if (column < 0 || column >= count)
            throw Error(ErrorKind::usage,
                        fmt::format("values: {} is the number of no column", column));
    if (impl_->model.traits.face == Face::continuous ||
        std::ranges::any_of(columns, [&](int column) {
            return impl_->observables.is_step_mean(column);
        }))
        impl_->update_reactions();
    impl_->observables.values(columns, to);
}

void Simulation::sample(std::span<double> row) const {
    const TrapsOff traps_off;
    if (row.empty()) throw Error(ErrorKind::usage, "sample: the row has no entries");
    impl_->sample({row, {}, {}});
}
void Simulation::sample(const Samples& to) const {
    const TrapsOff traps_off;
    impl_->sample(to);
}
double Simulation::extent() const {
    return impl_->system.state().extent;
}
void Simulation::sample_frame_moved(std::span<const double> dq, std::span<double> frame) const {
    const TrapsOff traps_off;
    const std::size_t n = impl_->system.q().size();
    if (dq.size() != n)
        throw Error(ErrorKind::usage,
                    fmt::format("sample_frame_moved: the displacements have {} entries, there are "
                                "{} coordinates",
                                dq.size(),
                                n));
    if (frame.size() != static_cast<std::size_t>(scene().num_values))
        throw Error(ErrorKind::usage,
                    fmt::format("sample_frame_moved: the frame has {} entries, it takes {}",
                                frame.size(),
                                scene().num_values));
    const std::vector<double> present(impl_->system.q().begin(), impl_->system.q().end());
    std::vector<double> moved = present;
    for (std::size_t i = 0; i < n; ++i) moved[i] += dq[i];
    impl_->system.show_at(moved);
    try {
        if (impl_->model.traits.face == Face::continuous) impl_->update_reactions();
        impl_->sampler().sample(impl_->system, frame);
    } catch (...) {
        impl_->system.show_at(present);
        throw;
    }
    impl_->system.show_at(present);
}
void Simulation::sample_at(double t, const Samples& to) const {
    const TrapsOff traps_off;
    KernelSystem& system = impl_->system;
    const Model& model = impl_->model;
    if (!model.traits.is_adaptive || impl_->stepping.steps_done() == 0 || impl_->was_restored ||
        t < system.motion().begin_of_step() || t > system.time())
        throw Error(ErrorKind::usage,
                    fmt::format("sample_at: t = {:.9g} s is not inside the last step of an "
                                "integrator that chooses its steps",
                                t));
    if (model.traits.face == Face::discrete) {
        impl_->sample_by_step(t, to);
        return;
    }
    std::vector<double> x(static_cast<std::size_t>(system.continuous()->size().num_states));
    model.integrator.interpolate(t, x);
    system.motion().evaluate_inside_step(t, x);
    try {
        sample(to);
    } catch (...) {
        system.motion().leave_inside_step();
        throw;
    }
    system.motion().leave_inside_step();
}
std::vector<int> Simulation::step_mean_columns() const {
    return impl_->observables.step_means();
}
const Scene& Simulation::scene() const {
    const TrapsOff traps_off;
    return impl_->sampler().scene();
}
const std::vector<int>& Simulation::step_mean_values() const {
    return impl_->sampler().step_means();
}
long Simulation::work_done() const {
    const KernelSystem& system = impl_->system;
    return impl_->model.traits.face == Face::continuous ? system.motion().evaluations
                                                        : system.counts().iterations;
}

RunStatistics Simulation::statistics() const {
    const TrapsOff traps_off;
    RunStatistics out = statistics_of(impl_->model, impl_->system, impl_->stepping);
    out.redundant_rows = impl_->rank.num_redundant();
    out.projected = impl_->projected.bodies;
    out.projected_measures = impl_->projected.measures;
    out.arbitrary_reactions = impl_->rank.arbitrary();
    return out;
}

ModelAnalysis Simulation::analyse() const {
    const TrapsOff traps_off;
    ModelAnalysis out =
        analysis_of(impl_->model, impl_->system, impl_->sampler().scene(), impl_->rank);
    out.projected = impl_->projected.bodies;
    out.projected_measures = impl_->projected.measures;
    return out;
}

std::vector<const Plugin*> Simulation::plugins() const {
    return impl_->model.plugins;
}

std::vector<InputFile> Simulation::input_files() const {
    return impl_->model.files;
}

std::vector<UsedPlugin> Simulation::used_plugins() const {
    return impl_->model.used_plugins;
}

bool Simulation::is_locked() const {
    return impl_->is_locked;
}

std::vector<Simulation::BodyState> Simulation::body_states() const {
    std::vector<BodyState> out;
    for (const BodyPart& part : impl_->model.bodies) {
        if (part.is_inner) continue;
        const auto first = static_cast<std::size_t>(part.first);
        const auto count = static_cast<std::size_t>(part.count);
        out.push_back({part.object.name, q().subspan(first, count), v().subspan(first, count)});
    }
    return out;
}

Lock Lock::of(const Simulation& simulation) {
    return of(simulation.used_plugins());
}

void Lock::check(const Simulation& simulation) const {
    check(simulation.used_plugins());
}

}  // namespace ancora
