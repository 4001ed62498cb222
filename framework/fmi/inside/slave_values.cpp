// SPDX-License-Identifier: BSD-3-Clause
// Values of an instance's variables, and how they depend on each other.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "refusal.hpp"
#include "slave.hpp"

namespace ancora::fmu {
namespace {

// Relative step of central differences, near the third root of the rounding unit.
constexpr double kDifference = 6e-6;

}  // namespace

const Variable& Slave::variable(std::size_t index, Variable::Type type, const char* call) const {
    if (index >= description_.variables.size())
        refuse(fmt::format("{}: there is no variable {}", call, index));
    const Variable& variable = description_.variables[index];
    if (variable.type != type)
        refuse(fmt::format("{}: the variable \"{}\" is of another type", call, variable.name));
    return variable;
}

void Slave::set_number(std::size_t index, Variable::Type type, double value) {
    require({Phase::instantiated,
             Phase::initialization,
             Phase::steps,
             Phase::events,
             Phase::continuous},
            "a new value");
    if (index == description_.variables.size()) refuse("the time is not set, steps bring it");
    const Variable& of = variable(index, type, "a new value");
    if (!std::isfinite(value)) refuse(fmt::format("the value of \"{}\" is not finite", of.name));
    if (of.kind == Variable::Kind::output) refuse(fmt::format("\"{}\" is an output", of.name));
    if (of.kind == Variable::Kind::parameter) {
        if (now_.phase != Phase::instantiated && now_.phase != Phase::initialization)
            refuse(fmt::format("\"{}\" is a fixed parameter, and the initialization is over",
                               of.name));
        has_new_parameters_ = true;
        now_.num_steps = 0.0;
    } else {
        has_new_inputs_ = true;
    }
    now_.numbers[index] = value;
}

void Slave::set_text(std::size_t index, const std::string& value) {
    require({Phase::instantiated, Phase::initialization}, "a new value");
    variable(index, Variable::Type::text, "a new value");
    now_.texts[index] = value;
    has_new_parameters_ = true;
    now_.num_steps = 0.0;
}

void Slave::get_numbers(std::span<const unsigned> variables,
                        Variable::Type type,
                        std::span<double> to) {
    if (now_.phase == Phase::instantiated) require({}, "a value");
    std::vector<unsigned> outputs;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        if (type == Variable::Type::real && variables[k] == description_.variables.size()) {
            to[k] = time();
            continue;
        }
        const bool is_of_exchange = type == Variable::Type::real && continuous_ &&
                                    variables[k] >= description_.first_state();
        if (!is_of_exchange) {
            const Variable& of = variable(variables[k], type, "a value");
            if (of.kind != Variable::Kind::output) {
                to[k] = now_.numbers[variables[k]];
                continue;
            }
        }
        outputs.push_back(variables[k]);
        places.push_back(k);
    }
    if (places.empty()) return;
    if (!simulation_) refuse("there are no outputs: the initialization failed");
    if (now_.phase == Phase::initialization) simulation();
    if (now_.phase != Phase::terminated && now_.phase != Phase::failed) evaluate();
    std::vector<double> values(places.size());
    get_unknowns(outputs, values);
    for (std::size_t i = 0; i < places.size(); ++i) to[places[i]] = values[i];
}

/// Values of outputs alone.
void Slave::get_outputs(std::span<const unsigned> variables, std::span<double> to) {
    std::vector<int> handles;
    for (const unsigned k : variables) handles.push_back(handles_[k]);
    if (continuous_)
        continuous_->values(t_, x_, handles, to);
    else
        simulation_->values(handles, to);
}

const std::string& Slave::text(std::size_t index) const {
    if (now_.phase == Phase::instantiated) require({}, "a value");
    variable(index, Variable::Type::text, "a value");
    return now_.texts[index];
}

/// Values of outputs, states, derivatives and indicators at (t, x).
void Slave::get_unknowns(std::span<const unsigned> variables, std::span<double> to) {
    const std::size_t first = description_.first_state(), n = num_states();
    std::vector<double> dx, g, values;
    std::vector<unsigned> outputs;
    for (const unsigned k : variables)
        if (k < first) outputs.push_back(k);
    values.resize(outputs.size());
    if (!outputs.empty()) get_outputs(outputs, values);
    std::size_t output = 0;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (variables[i] < first) {
            to[i] = values[output++];
            continue;
        }
        const std::size_t k = variables[i] - first;
        if (k < n) {
            to[i] = x_[k];
        } else if (k < 2 * n) {
            if (dx.empty()) {
                dx.resize(n);
                continuous_->derivative(t_, x_, dx);
            }
            to[i] = dx[k - n];
        } else if (k < 2 * n + num_indicators()) {
            if (g.empty()) {
                g.resize(num_indicators());
                continuous_->event_functions(t_, x_, g);
            }
            to[i] = g[k - 2 * n];
        } else {
            refuse(fmt::format("a value: there is no variable {}", variables[i]));
        }
    }
}

void Slave::directional_derivative(std::span<const unsigned> unknowns,
                                   std::span<const unsigned> knowns,
                                   std::span<const double> seed,
                                   std::span<double> to) {
    require_exchange("a directional derivative");
    require({Phase::initialization, Phase::events, Phase::continuous}, "a directional derivative");
    simulation();
    evaluate();
    const std::size_t first = description_.first_state();
    for (const unsigned k : unknowns) {
        const bool is_output = k < description_.variables.size() &&
                               description_.variables[k].kind == Variable::Kind::output;
        if (!is_output && !(k >= first && k < first + 2 * num_states() + num_indicators()))
            refuse(fmt::format("variable {} is no unknown", k));
    }
    // The step is a part of what the known values are, or of 1.
    double largest = 0.0, size = 1.0;
    for (std::size_t i = 0; i < knowns.size(); ++i) {
        const unsigned k = knowns[i];
        const bool is_state = k >= first && k < first + num_states();
        const bool is_input = k < description_.variables.size() &&
                              (description_.variables[k].kind == Variable::Kind::input ||
                               description_.variables[k].kind == Variable::Kind::force);
        if (!is_state && !is_input) refuse(fmt::format("variable {} is no state and no input", k));
        if (!std::isfinite(seed[i])) refuse("a seed is not finite");
        if (seed[i] == 0.0) continue;
        largest = std::max(largest, std::abs(seed[i]));
        size = std::max(size, std::abs(is_state ? x_[k - first] : now_.numbers[k]));
    }
    std::ranges::fill(to, 0.0);
    if (largest == 0.0) return;
    const double h = kDifference * size / largest;
    const std::vector<double> x = x_, numbers = now_.numbers;
    const auto go = [&](double by) {
        x_ = x;
        now_.numbers = numbers;
        for (std::size_t i = 0; i < knowns.size(); ++i) {
            if (knowns[i] >= first)
                x_[knowns[i] - first] += by * seed[i];
            else
                now_.numbers[knowns[i]] += by * seed[i];
            has_new_inputs_ |= knowns[i] < first;
        }
        apply_inputs();
    };
    std::vector<double> behind(to.size());
    try {
        go(h);
        get_unknowns(unknowns, to);
        go(-h);
        get_unknowns(unknowns, behind);
    } catch (...) {
        go(0.0);
        throw;
    }
    go(0.0);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = (to[i] - behind[i]) / (2.0 * h);
}

}  // namespace ancora::fmu
