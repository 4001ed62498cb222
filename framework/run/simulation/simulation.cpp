// SPDX-License-Identifier: BSD-3-Clause
// The public face of a model in motion.
#include "ancora/framework/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/failed_call.hpp"
#include "ancora/framework/lock.hpp"
#include "ancora/framework/nearest_name.hpp"
#include "buckling.hpp"
#include "doubts.hpp"
#include "equation.hpp"
#include "expression_scope.hpp"
#include "inverse_kinematics.hpp"
#include "joint_space_equations.hpp"
#include "kernel_system.hpp"
#include "linear_ports.hpp"
#include "manifest_plugins.hpp"
#include "model.hpp"
#include "observables.hpp"
#include "pose.hpp"
#include "prescribed_motion.hpp"
#include "rest_search.hpp"
#include "row_rank.hpp"
#include "run_numbers.hpp"
#include "saved_state.hpp"
#include "scene_sampler.hpp"
#include "spin_range.hpp"
#include "start_projection.hpp"
#include "stepping.hpp"
#include "traps_off.hpp"

namespace ancora {
namespace {

/// A parameter that nothing uses is most likely one that a text lacks.
void warn_unused(const ExpressionScope& scope, const WarningSink& warn) {
    for (const ExpressionScope::Definition& parameter : scope.parameters())
        if (!parameter.was_used)
            warn(
                fmt::format("{}:{}:{}: [parameters]: {} is not used; a text takes its value "
                            "as ${{{}}}",
                            *parameter.place.file,
                            parameter.place.line,
                            parameter.place.column,
                            parameter.name,
                            parameter.name));
}

/// What plugins say of their objects.
void warn_of_objects(const Model& model, const WarningSink& warn) {
    for (const auto& [text, place] : model.warnings)
        warn(place.known() && place.line > 0
                 ? fmt::format("{}:{}:{}: {}", *place.file, place.line, place.column, text)
                 : text);
}

/// What a change of parameters leaves as it is.
void require_same(const std::vector<std::string>& before, const std::vector<std::string>& now) {
    const auto [there, here] = std::ranges::mismatch(before, now);
    if (there == before.end() && here == now.end()) return;
    throw Error(ErrorKind::usage,
                fmt::format("the changed model has {} where the one that runs has {}; objects, "
                            "their sizes, what they act on or hear, columns, the integrator and "
                            "its step stay as they are "
                            "through a run: make a new simulation instead",
                            here != now.end() ? *here : "nothing more",
                            there != before.end() ? *there : "nothing more"));
}

/// A model with the plugins it needs, held to the registry's lock if there is one.
template <class Impl>
std::unique_ptr<Impl> make(const Manifest& manifest, PluginRegistry& registry, WarningSink warn) {
    manifest.validate();
    std::optional<Manifest> storage;
    auto made = std::make_unique<Impl>(with_texts(manifest, storage), registry, std::move(warn));
    if (const Lock* const lock = registry.lock()) {
        lock->check(made->model.used_plugins);
        made->is_locked = true;
    }
    return made;
}

}  // namespace

struct Simulation::Impl {
    Impl(const Manifest& manifest, PluginRegistry& registry, WarningSink sink)
        : settings(manifest.integrator),
          warn(std::move(sink)),
          model(manifest, registry),
          system(model),
          observables(model, system, manifest.output),
          stepping(model, system, settings),
          rank(model, system, observables, warn, settings.step),
          saved_state(identity_of(model, system, manifest)),
          ties(ties_of(manifest)) {
        if (warn) warn_of_objects(model, warn);
        if (model.project_start != ProjectStart::no)
            projected = judge_projection(model, system, warn);
        rank.decide();
        if (manifest.model.start != ModelStart::given) start_at_rest(manifest);
        if (model.traits.face == Face::continuous)
            system.instant().check_accelerations();
        else if (model.num_coordinates <= RowRank::kMostBySolver)
            system.instant().check_consistency();
        system.instant().forget_solver();
        const StepSettings step_settings{settings.step, settings.tolerance.value_or(0.0)};
        if (!settings.is_outer)
            model.integrator.prepare(system, step_settings, [this](int count) {
                system.resize_history(count);
            });
        start = ArchiveWriter::written_by([this](ArchiveWriter& writer) {
            transfer(writer);
        });
    }

    /// Looks for rest from the bodies' start, and says what it took.
    void start_at_rest(const Manifest& manifest) {
        const bool spins = manifest.model.start == ModelStart::steady_spin;
        const char* const key = spins ? "start = \"steady_spin\"" : "start = \"equilibrium\"";
        try {
            EquilibriumOptions options;
            options.spinning = spins;
            const Equilibrium rest = find_rest(system, options);
            if (warn && !spins && rest.stability == Stability::unstable)
                warn(
                    fmt::format("{}: the position that was found is unstable; what moves away "
                                "first is {}",
                                key,
                                rest.unstable_part));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::numerical) throw;
            throw Error(ErrorKind::numerical,
                        fmt::format("{}: {}", key, error.message()),
                        manifest.model.start_place);
        }
        rank.decide();
    }

    SceneSampler& sampler() {
        if (!scene) scene = std::make_unique<SceneSampler>(model);
        return *scene;
    }

    void sample(const Samples& to) {
        const auto require = [](const char* what, std::size_t got, std::size_t wanted) {
            if (got != 0 && got != wanted)
                throw Error(
                    ErrorKind::usage,
                    fmt::format("sample: the {} has {} entries, it takes {}", what, got, wanted));
        };
        const std::span<const double> q = system.q();
        const std::span<const double> v = system.v();
        require("row", to.row.size(), observables.names().size());
        require("state", to.state.size(), 1 + q.size() + v.size());
        if (model.traits.face == Face::continuous) {
            update_reactions();
        } else if (to.of_first_step) {
            // A row has other values too, and a step that fails says why when it is taken.
            try {
                update_reactions();
            } catch (const Error&) {
            }
        }
        if (!to.row.empty()) observables.sample(to.row);
        if (!to.frame.empty()) {
            require(
                "frame", to.frame.size(), static_cast<std::size_t>(sampler().scene().num_values));
            sampler().sample(system, to.frame);
        }
        if (to.state.empty()) return;
        to.state[0] = system.time();
        std::ranges::copy(v, std::ranges::copy(q, to.state.begin() + 1).out);
    }

    void step() {
        if (stepping.done()) throw Error(ErrorKind::usage, "the simulation has reached its end");
        was_restored = false;
        leave_state();
        try {
            stepping.step();
        } catch (const FailedCall&) {
            // A value that is not finite may have been long in coming
            const std::string grown = warn ? system.grown_energy(true) : std::string{};
            if (!grown.empty()) warn(grown);
            throw;
        }
        if (stepping.done()) warn_at_end(model, system, warn);
    }

    /// A step of its own from the begin of the last one: it keeps what steps keep.
    void sample_by_step(double t, const Samples& to) {
        const std::vector<std::byte> end = system.save();
        const std::vector<std::byte> begin = system.saved();
        const auto go_back = [&] {
            system.restore(end);
            system.set_saved(begin);
        };
        try {
            if (begin.empty()) throw Error(ErrorKind::usage, "sample_at: there is no step");
            system.restore(begin);
            stepping.reach(t);
            sample(to);
        } catch (...) {
            go_back();
            throw;
        }
        go_back();
    }

    /// Makes reactions those of the present state, or means over the step that ended there. Before
    /// the first step they are those of the first, which is made to see them and taken back.
    void update_reactions() {
        if (model.traits.face == Face::continuous) {
            system.instant().update_reactions();
        } else if (!system.reactions().has_mean() &&
                   (system.reactions().start().back() > 0 || !model.forces.empty())) {
            system.show_reactions(means_of_next_step());
        }
    }

    Reactions::Means means_of_next_step() {
        const std::vector<std::byte> now = ArchiveWriter::written_by([this](ArchiveWriter& writer) {
            transfer(writer);
        });
        const std::vector<std::byte> begin = system.saved();
        const auto go_back = [&] {
            ArchiveReader reader(now);
            transfer(reader);
            system.set_saved(begin);
        };
        try {
            // At the end of a run, to which a program has set another state, there is no next one
            if (stepping.done())
                system.instant().update_reactions();
            else
                stepping.step();
        } catch (...) {
            go_back();
            throw;
        }
        Reactions::Means means = system.reactions().means();
        go_back();
        return means;
    }

    /// Loads or inputs have changed.
    void after_change() { system.hide_reactions(); }

    /// Goes on where a simulation with other parameters stands.
    void continue_from(const Impl& before) {
        require_same(layout_of(before.model, before.system, before.settings.step),
                     layout_of(model, system, settings.step));
        require_same(before.ties, ties);
        require_same(before.observables.names(), observables.names());
        system.use_threads(before.system.parts().workers.size());
        try {
            stepping.continue_from(before.stepping);
            rank.decide();
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::numerical) throw;
            throw Error(ErrorKind::numerical,
                        "the present state does not fit the parameters as they would be: " +
                            error.message(),
                        error.place());
        }
        observables.continue_from(before.observables);
        was_restored = true;
    }

    /// Before another state takes the place of the present one.
    void leave_state() {
        if (std::exchange(is_reported, false)) system.note_reported();
    }

    void reset() {
        leave_state();
        ArchiveReader reader(start);
        transfer(reader);
        was_restored = true;
    }

    void set_state(std::span<const double> q, std::span<const double> v, std::optional<double> t) {
        const auto n = static_cast<std::size_t>(system.num_coordinates());
        if (q.size() != n || v.size() != n)
            throw Error(
                ErrorKind::usage,
                fmt::format("set_state: q has {} and v {} entries, the model has {} coordinates",
                            q.size(),
                            v.size(),
                            n));
        for (std::size_t i = 0; i < n; ++i)
            if (!std::isfinite(q[i]) || !std::isfinite(v[i]))
                throw Error(ErrorKind::usage,
                            fmt::format("set_state: entry {} of {} is not finite",
                                        i,
                                        std::isfinite(q[i]) ? "v" : "q"));
        double at = t.value_or(system.time());
        const long steps = t ? stepping.steps_to(at) : stepping.steps_done();
        if (at != system.time()) require_whole_state(at);
        system.take_state(q, v, at, settings.step);
        stepping.stand_after(steps);
        rank.decide();
        observables.restart();
    }

    /// At another time what objects keep besides positions and velocities is not that of now.
    void require_whole_state(double t) const {
        std::vector<std::string> names = system.parts().signals.names_with_states();
        const bool may_break = system.breaking().may_break();
        if (names.empty() && !may_break) return;
        const std::string what = names.empty()
                                     ? "which of its elements have broken"
                                     : fmt::format("what {} keep{} besides, or when {} act{}",
                                                   fmt::join(names, ", "),
                                                   names.size() == 1 ? "s" : "",
                                                   names.size() == 1 ? "it" : "they",
                                                   names.size() == 1 ? "s" : "");
        throw Error(ErrorKind::usage,
                    fmt::format("set_state: at t = {:.9g} s, which is not the present time, "
                                "positions and velocities do not tell {}; save() of the simulation "
                                "that was there has it all, for restore()",
                                t,
                                what));
    }

    template <class Archive>
    void transfer(Archive& archive) {
        stepping.transfer(archive);
        observables.transfer(archive);
    }

    std::vector<std::byte> save() {
        return saved_state.save([this](ArchiveWriter& writer) {
            transfer(writer);
        });
    }

    void restore(std::span<const std::byte> saved) {
        leave_state();
        saved_state.restore(
            saved,
            [this](ArchiveWriter& writer) {
                transfer(writer);
            },
            [this](ArchiveReader& reader) {
                transfer(reader);
            });
        was_restored = true;
    }

    IntegratorSettings settings;
    WarningSink warn;
    Model model;
    KernelSystem system;
    Observables observables;
    Stepping stepping;
    RowRank rank;
    SavedState saved_state;
    std::vector<std::string> ties;
    StartProjection projected;
    std::unique_ptr<SceneSampler> scene;  // made when first asked for
    std::vector<std::byte> start;         // what reset() goes back to
    bool is_locked = false;
    bool is_reported = false;   // q or v of the present state, which the program may set again
    bool was_restored = false;  // or changed, and no step since: nothing to interpolate in
};

Simulation::Simulation(const Manifest& manifest, PluginRegistry& registry, WarningSink warn) {
    const TrapsOff traps_off;
    impl_ = make<Impl>(manifest, registry, warn);
    if (warn && manifest.scope) warn_unused(*manifest.scope, warn);
}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const std::string& Simulation::name() const {
    return impl_->model.name;
}
double Simulation::time() const {
    return impl_->system.time();
}
double Simulation::step_size() const {
    return impl_->settings.step;
}
double Simulation::begin_time() const {
    return impl_->settings.begin;
}
double Simulation::end_time() const {
    return impl_->settings.end;
}
long Simulation::num_steps() const {
    const TrapsOff traps_off;
    return impl_->stepping.num_steps();
}
long Simulation::steps_done() const {
    return impl_->stepping.steps_done();
}
bool Simulation::is_adaptive() const {
    return impl_->model.traits.is_adaptive;
}
bool Simulation::samples_by_steps() const {
    return is_adaptive() && impl_->model.traits.face == Face::discrete;
}
bool Simulation::done() const {
    const TrapsOff traps_off;
    return impl_->stepping.done();
}
void Simulation::step() {
    const TrapsOff traps_off;
    impl_->step();
}
std::span<const double> Simulation::q() const {
    impl_->is_reported = true;
    return impl_->system.q();
}
std::span<const double> Simulation::v() const {
    impl_->is_reported = true;
    return impl_->system.v();
}

void Simulation::set_threads(int num_threads) {
    if (num_threads < 1)
        throw Error(ErrorKind::usage,
                    fmt::format("set_threads: {}; there must be one at least", num_threads));
    const TrapsOff traps_off;  // threads begin with the settings of the one that starts them
    impl_->system.use_threads(num_threads);
}

void Simulation::set_state(std::span<const double> q, std::span<const double> v) {
    const TrapsOff traps_off;
    impl_->set_state(q, v, std::nullopt);
}

void Simulation::set_state(std::span<const double> q, std::span<const double> v, double t) {
    const TrapsOff traps_off;
    impl_->set_state(q, v, t);
}

namespace {

void require_finite_load(const char* call, const std::string& at, const std::array<double, 3>& x) {
    for (const double component : x)
        if (!std::isfinite(component))
            throw Error(ErrorKind::usage,
                        fmt::format("{} on \"{}\": a component is not finite", call, at));
}

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

void Simulation::apply_force(const std::string& attachment, const std::array<double, 3>& force) {
    const TrapsOff traps_off;
    require_finite_load("apply_force", attachment, force);
    impl_->system.apply_force(attachment, force);
    impl_->after_change();
}

void Simulation::apply_torque(const std::string& body, const std::array<double, 3>& torque) {
    const TrapsOff traps_off;
    require_finite_load("apply_torque", body, torque);
    impl_->system.apply_torque(body, torque);
    impl_->after_change();
}

namespace {

/// Index of an input by its name.
int index_of(const SignalInputSet& inputs, const std::string& name) {
    std::vector<std::string> names;
    for (int i = 0; i < inputs.count(); ++i) {
        if (inputs.input(i).name == name) return i;
        names.push_back(inputs.input(i).name);
    }
    throw Error(ErrorKind::usage,
                fmt::format("there is no input \"{}\"{}",
                            name,
                            names.empty() ? "; no object of the model has inputs"
                                          : did_you_mean(name, names)));
}

}  // namespace

std::vector<Simulation::Input> Simulation::inputs() const {
    const SignalInputSet& inputs = impl_->system.parts().signals.inputs();
    std::vector<Input> out;
    for (int i = 0; i < inputs.count(); ++i)
        out.push_back({inputs.input(i).name, inputs.input(i).unit, inputs.is_set(i)});
    return out;
}

void Simulation::set_input(const std::string& name, double value) {
    const TrapsOff traps_off;
    SignalInputSet& inputs = impl_->system.parts().signals.inputs();
    const int index = index_of(inputs, name);
    set_inputs({&index, 1}, {&value, 1});
}

int Simulation::find_input(const std::string& name) const {
    return index_of(impl_->system.parts().signals.inputs(), name);
}

void Simulation::set_inputs(std::span<const int> numbers, std::span<const double> values) {
    const TrapsOff traps_off;
    SignalInputSet& inputs = impl_->system.parts().signals.inputs();
    if (numbers.size() != values.size())
        throw Error(ErrorKind::usage,
                    fmt::format("{} values for {} inputs", values.size(), numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] < 0 || numbers[i] >= inputs.count())
            throw Error(ErrorKind::usage, fmt::format("there is no input {}", numbers[i]));
        if (!std::isfinite(values[i]))
            throw Error(ErrorKind::usage,
                        fmt::format("set_input \"{}\": the value is not finite",
                                    inputs.input(numbers[i]).name));
    }
    if (numbers.empty()) return;
    for (std::size_t i = 0; i < numbers.size(); ++i) inputs.set(numbers[i], values[i]);
    impl_->system.discontinuities().after_signals();
    impl_->after_change();
}

void Simulation::release_input(const std::string& name) {
    const TrapsOff traps_off;
    SignalInputSet& inputs = impl_->system.parts().signals.inputs();
    inputs.release(index_of(inputs, name));
    impl_->system.discontinuities().after_signals();
    impl_->after_change();
}

KernelSystem& Simulation::kernel() const {
    return impl_->system;
}
Stepping& Simulation::course() const {
    return impl_->stepping;
}
void Simulation::after_outer_step() {
    impl_->after_change();
}

std::vector<std::byte> Simulation::save() const {
    const TrapsOff traps_off;
    return impl_->save();
}
void Simulation::restore(std::span<const std::byte> saved) {
    const TrapsOff traps_off;
    impl_->restore(saved);
}

void Simulation::reset() {
    const TrapsOff traps_off;
    impl_->reset();
}
Simulation Simulation::changed(const Manifest& manifest,
                               PluginRegistry& registry,
                               WarningSink warn) const {
    const TrapsOff traps_off;
    // What there would be to say of its start is not of this state.
    std::unique_ptr<Impl> made = make<Impl>(manifest, registry, {});
    made->warn = std::move(warn);
    made->continue_from(*impl_);
    return Simulation(std::move(made));
}

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
        out.push_back({event.t,
                       owner->object->name,
                       static_cast<ImpactEvent::Kind>(event.what),
                       event.impulse,
                       event.loss});
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
