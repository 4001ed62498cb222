// SPDX-License-Identifier: BSD-3-Clause
// The simulation inside an instance: made with its parameters, for as many steps as are asked for.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "refusal.hpp"
#include "slave.hpp"

namespace ancora::fmu {
namespace {

std::string toml_quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out.append(1, '"');
}

}  // namespace

/// A simulation of so many steps, with the parameters that there are.
Simulation Slave::make(double num_steps) {
    std::vector<std::string> overrides;
    double step = description_.step;
    for (std::size_t i = 0; i < description_.variables.size(); ++i) {
        const Variable& variable = description_.variables[i];
        if (variable.kind != Variable::Kind::parameter) continue;
        if (variable.of == "integrator.step") step = now_.numbers[i];
        const auto is_changed = [&](std::size_t k) {
            return now_.numbers[k] != description_.variables[k].start;
        };
        if (variable.name != variable.of) {
            // three numbers, one behind the other
            if (variable.component == 0 &&
                (is_changed(i) || is_changed(i + 1) || is_changed(i + 2)))
                overrides.push_back(fmt::format("{}=[{}, {}, {}]",
                                                variable.of,
                                                now_.numbers[i],
                                                now_.numbers.at(i + 1),
                                                now_.numbers.at(i + 2)));
        } else if (variable.type == Variable::Type::text) {
            if (now_.texts[i] != variable.text)
                overrides.push_back(variable.of + "=" + toml_quoted(now_.texts[i]));
        } else if (is_changed(i)) {
            overrides.push_back(variable.type == Variable::Type::boolean
                                    ? variable.of + (now_.numbers[i] != 0.0 ? "=true" : "=false")
                                    : fmt::format("{}={}", variable.of, now_.numbers[i]));
        }
    }
    overrides.push_back(fmt::format("integrator.begin={}", now_.start));
    overrides.push_back(fmt::format("integrator.end={}", now_.start + num_steps * step));
    Manifest manifest = Manifest::parse(model_, model_file_, overrides);
    manifest.integrator.is_outer = use_ == Use::exchange;
    held_warnings_.clear();
    holds_warnings_ = true;
    try {
        Simulation made(manifest, registry_, [this](const std::string& text) {
            if (holds_warnings_)
                held_warnings_.push_back(text);
            else
                warn_(text);
        });
        holds_warnings_ = false;
        return made;
    } catch (...) {
        holds_warnings_ = false;
        throw;
    }
}

/// The simulation, made anew if parameters have changed.
Simulation& Slave::simulation() {
    if (simulation_ && !has_new_parameters_) return *simulation_;
    double step = description_.step;
    for (std::size_t i = 0; i < description_.variables.size(); ++i)
        if (description_.variables[i].of == "integrator.step") step = now_.numbers[i];
    continuous_.reset();
    events_.reset();
    simulation_.reset();
    too_many_steps_ = kManySteps;
    if (now_.num_steps > 0.0) {  // of a state
        simulation_.emplace(make(now_.num_steps));
    } else if (now_.stop) {
        // Whole steps, as many as the importer may ask for.
        const double rounding = std::numeric_limits<double>::epsilon() *
                                std::max(std::abs(*now_.stop), std::abs(now_.start)) / step;
        const double count = (*now_.stop - now_.start) / step - kTimeSlack - rounding;
        now_.num_steps = std::max(std::ceil(count), 1.0);
        simulation_.emplace(make(now_.num_steps));
    } else {
        try {
            simulation_.emplace(make(kManySteps));
            now_.num_steps = kManySteps;
        } catch (const Error& error) {
            // Tables may end where the model does; how far they reach is seen when it is asked for.
            if (error.kind() != ErrorKind::manifest) throw;
            const double end = Manifest::parse(model_, model_file_).integrator.end;
            const double num_steps =
                std::max(std::floor((end - now_.start) / step + kTimeSlack), 1.0);
            simulation_.emplace(make(num_steps));
            now_.num_steps = num_steps;
        }
    }
    for (const std::string& text : held_warnings_) warn_(text);
    handles_.clear();
    for (const Variable& variable : description_.variables)
        handles_.push_back(
            variable.kind == Variable::Kind::output ? simulation_->find_column(variable.of) : -1);
    has_new_parameters_ = false;
    has_new_inputs_ = true;
    events_.emplace(*simulation_);
    if (!std::ranges::equal(
            description_.clocks, events_->samplers(), {}, &Clock::of, &EventSteps::Sampler::name) &&
        !description_.clocks.empty())
        refuse("with these parameters other objects take samples than the description has clocks");
    if (use_ == Use::exchange) begin_exchange();
    return *simulation_;
}

/// Makes the simulation anew for more steps, at its state; false if the model's data end before.
/// Each time for twice as many, or for half of what is left up to where it was refused, so that it
/// happens seldom.
bool Slave::extend(double num_steps) {
    for (;;) {
        const double wanted = std::max(
            num_steps, std::min(2.0 * num_steps, std::floor(0.5 * (num_steps + too_many_steps_))));
        try {
            Simulation more = make(wanted);
            more.restore(simulation_->save());
            *simulation_ = std::move(more);
            now_.num_steps = wanted;
            has_new_inputs_ = true;
            return true;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::manifest) throw;
            too_many_steps_ = std::min(too_many_steps_, wanted);
            if (wanted > num_steps) continue;
            warn_(
                fmt::format("no stop time was given, and the model's data end: {}", error.what()));
            return false;
        }
    }
}

void Slave::apply_inputs() {
    if (!has_new_inputs_) return;
    Simulation& to = *simulation_;
    // The first samples are of the inputs that the initialization has come to.
    const bool samples =
        now_.phase == Phase::initialization &&
        std::ranges::any_of(description_.variables, [](const Variable& variable) {
            return variable.kind == Variable::Kind::input || variable.kind == Variable::Kind::force;
        });
    if (samples) events_->sample_anew();
    for (std::size_t i = 0; i < description_.variables.size(); ++i) {
        const Variable& variable = description_.variables[i];
        if (variable.kind == Variable::Kind::input) to.set_input(variable.of, now_.numbers[i]);
        // its three components stand one behind the other
        if (variable.kind == Variable::Kind::force && variable.component == 0)
            to.apply_force(variable.of,
                           {now_.numbers[i], now_.numbers.at(i + 1), now_.numbers.at(i + 2)});
    }
    if (samples) events_->pass();
    has_new_inputs_ = false;
    if (continuous_) continuous_->refresh();
}

}  // namespace ancora::fmu
