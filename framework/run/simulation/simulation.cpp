// SPDX-License-Identifier: BSD-3-Clause
// The public face of a model in motion: start, steps, states, loads and inputs.
#include "ancora/framework/simulation.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "expression_scope.hpp"
#include "simulation_impl.hpp"
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

}  // namespace

Simulation::Simulation(const Manifest& manifest, PluginRegistry& registry, WarningSink warn) {
    const TrapsOff traps_off;
    impl_ = Impl::make(manifest, registry, warn);
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
    std::unique_ptr<Impl> made = Impl::make(manifest, registry, {});
    made->warn = std::move(warn);
    made->continue_from(*impl_);
    return Simulation(std::move(made));
}

}  // namespace ancora
