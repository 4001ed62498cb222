// SPDX-License-Identifier: BSD-3-Clause
// Inputs from time, state and outputs.
#include "signal_input_set.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ancora {

SignalInputSet::SignalInputSet(const Model& model, CallMeter& meter) {
    std::size_t u = 0, turns = 0, variables = 0;
    for (const SignalPart& part : model.signals) {
        first_.push_back(static_cast<int>(inputs_.size()));
        for (const auto& input : part.inputs) {
            AttachmentMap map(model, input->attachments, meter);
            const auto num_u = static_cast<std::size_t>(map.num_scalars());
            const auto num_turns = static_cast<std::size_t>(input->reader.num_state());
            inputs_.push_back({input.get(), std::move(map), u, num_u, turns, num_turns, variables});
            u += num_u;
            turns += num_turns;
            variables += input->reader.num_variables();
        }
    }
    first_.push_back(static_cast<int>(inputs_.size()));
    values_.assign(inputs_.size(), 0.0);
    given_.assign(inputs_.size(), 0.0);
    read_.assign(variables, 0.0);
    turns_.assign(turns, 0.0);
    turns_next_ = turns_;
    for (Eigen::VectorXd* x : {&u0_, &du_, &mid_, &u1_, &rate_})
        x->setZero(static_cast<Eigen::Index>(u));
    q1_.setZero(model.num_coordinates);
}

void SignalInputSet::begin() {
    for (const Entry& entry : inputs_)
        entry.of->reader.start_state(std::span(turns_).subspan(entry.first_turn, entry.num_turns));
    turns_next_ = turns_;
}

void SignalInputSet::read(const double* q, const double* v, double t) {
    t_ = t;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        Entry& entry = inputs_[i];
        if (entry.is_set) continue;
        if (entry.of->formula.empty()) {
            entry.of->given.evaluate(t, std::span(given_).subspan(i, 1));
            continue;
        }
        if (entry.num_u == 0) continue;
        double* const u = u0_.data() + entry.first_u;
        double* const du = du_.data() + entry.first_u;
        entry.map.evaluate(q, v, t, u, du);
        const RowPoint at{{u, entry.num_u}, {du, entry.num_u}, t};
        entry.of->reader.read(
            at,
            std::span<const double>(turns_).subspan(entry.first_turn, entry.num_turns),
            {},
            std::span(read_).subspan(entry.first_variable, entry.of->reader.num_variables()));
    }
}

RowStep SignalInputSet::step_of(const Entry& entry, double t0, double h) {
    const auto part = [&](const Eigen::VectorXd& x) {
        return std::span<const double>(x.data() + entry.first_u, entry.num_u);
    };
    RowStep step;
    step.u0 = part(u0_);
    step.du = part(du_);
    step.mid = part(mid_);
    step.u1 = part(u1_);
    step.rate = part(rate_);
    step.t0 = t0;
    step.h = h;
    step.state0 = std::span<const double>(turns_).subspan(entry.first_turn, entry.num_turns);
    step.state1 = std::span(turns_next_).subspan(entry.first_turn, entry.num_turns);
    return step;
}

void SignalInputSet::read_step(const double* q0, const double* dq, double t0, double h) {
    t_ = t0 + 0.5 * h;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        Entry& entry = inputs_[i];
        if (entry.of->formula.empty()) {
            entry.of->given.mean(t0, h, std::span(given_).subspan(i, 1));
            continue;
        }
        if (entry.num_u == 0) continue;
        double* const u0 = u0_.data() + entry.first_u;
        double* const du = du_.data() + entry.first_u;
        entry.map.evaluate(q0, nullptr, t0, u0, nullptr);
        if (entry.map.is_linear()) {
            entry.map.increment(dq, du);
        } else {
            for (Eigen::Index k = 0; k < q1_.size(); ++k) q1_[k] = q0[k] + dq[k];
            entry.map.evaluate(q1_.data(), nullptr, t0 + h, du, nullptr);
            for (std::size_t k = 0; k < entry.num_u; ++k) du[k] -= u0[k];
        }
        for (std::size_t k = entry.first_u; k < entry.first_u + entry.num_u; ++k) {
            const auto j = static_cast<Eigen::Index>(k);
            mid_[j] = u0_[j] + 0.5 * du_[j];
            u1_[j] = u0_[j] + du_[j];
            rate_[j] = du_[j] / h;
        }
        // also of an input that is set: it may be released, and turns are counted
        entry.of->reader.read_step(
            step_of(entry, t0, h),
            {},
            std::span(read_).subspan(entry.first_variable, entry.of->reader.num_variables()));
    }
}

void SignalInputSet::move(int index, std::size_t k, double change, double t0, double h) {
    const Entry& entry = inputs_[index];
    const auto j = static_cast<Eigen::Index>(entry.first_u + k);
    unmoved_ = {du_[j], mid_[j], u1_[j], rate_[j]};
    du_[j] += change;
    mid_[j] += 0.5 * change;
    u1_[j] += change;
    rate_[j] += change / h;
    read_again(entry, t0, h);
}

void SignalInputSet::move_back(int index, std::size_t k, double t0, double h) {
    const Entry& entry = inputs_[index];
    const auto j = static_cast<Eigen::Index>(entry.first_u + k);
    du_[j] = unmoved_[0];
    mid_[j] = unmoved_[1];
    u1_[j] = unmoved_[2];
    rate_[j] = unmoved_[3];
    read_again(entry, t0, h);
}

void SignalInputSet::read_again(const Entry& entry, double t0, double h) {
    RowStep step = step_of(entry, t0, h);
    step.state1 = {};
    entry.of->reader.read_step(
        step, {}, std::span(read_).subspan(entry.first_variable, entry.of->reader.num_variables()));
}

void SignalInputSet::combine(int part,
                             std::span<const double> outputs,
                             std::span<const int> first_output) {
    for (auto i = static_cast<std::size_t>(first_of(part));
         i < static_cast<std::size_t>(first_of(part + 1));
         ++i) {
        const Entry& entry = inputs_[i];
        const SignalInput& of = *entry.of;
        const bool is_lifted = static_cast<int>(i) == lifted_.input;
        if (entry.is_set || of.formula.empty()) {
            values_[i] = entry.is_set ? entry.set_value : given_[i];
            if (is_lifted) values_[i] *= lifted_.factor;
            continue;
        }
        std::array<double, Formula::kMaxVariables> x{};
        for (std::size_t k = 0; k < of.variables.size(); ++k) {
            const SignalInput::Variable& variable = of.variables[k];
            const auto index = static_cast<std::size_t>(variable.index);
            if (!variable.is_output) {
                x[k] = read_[entry.first_variable + index];
                continue;
            }
            const OutputRead& source = of.outputs_read[index];
            x[k] = outputs[first_output[source.part] + source.value];
        }
        if (is_lifted) x[lifted_.term] *= lifted_.factor;
        std::array<double, static_cast<std::size_t>(Formula::kMaxSize)> work;
        values_[i] = of.formula[0].evaluate<double>(x, t_, work);
        if (!std::isfinite(values_[i]))
            throw Error(
                ErrorKind::numerical,
                fmt::format(
                    "t = {:.9g} s: the formula of {} has no finite value there", t_, of.name),
                of.place);
    }
}

void SignalInputSet::set(int index, double value) {
    Entry& entry = inputs_[index];
    entry.is_set = true;
    entry.set_value = value;
}

void SignalInputSet::release(int index) {
    Entry& entry = inputs_[index];
    entry.is_set = false;
    entry.set_value = 0.0;
}

}  // namespace ancora
