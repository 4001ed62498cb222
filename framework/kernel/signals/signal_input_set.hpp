// SPDX-License-Identifier: BSD-3-Clause
// Values of all inputs, at a state and over a step.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "attachment_map.hpp"
#include "call_meter.hpp"
#include "model.hpp"
#include "signal_parts.hpp"

namespace ancora {

/// Evaluates inputs: functions of time, formulas of the state, and of other objects' outputs. An
/// input that an embedding program has set has that value until it is released.
class SignalInputSet {
public:
    SignalInputSet(const Model& model, CallMeter& meter);

    int count() const { return static_cast<int>(inputs_.size()); }
    const SignalInput& input(int index) const { return *inputs_[index].of; }
    /// First input of a part; part count(): behind all.
    int first_of(int part) const { return first_[part]; }
    std::span<const double> values_of(int part) const {
        const auto first = static_cast<std::size_t>(first_of(part));
        return std::span(values_).subspan(first,
                                          static_cast<std::size_t>(first_of(part + 1)) - first);
    }

    /// Reads time and state at a state, or over a step. [step]
    void read(const double* q, const double* v, double t);
    void read_step(const double* q0, const double* dq, double t0, double h);
    /// Values of a part's inputs from what was read and from the outputs of others. [step]
    ///
    /// @param outputs  all values of all parts, part by part from `first_output`
    void combine(int part, std::span<const double> outputs, std::span<const int> first_output);

    /// Number of scalars that an input reads, and the attachments that they are.
    std::size_t num_scalars(int index) const { return inputs_[index].num_u; }
    /// Moves scalar `k` of an input by `change` over the step last read, and reads it anew; turns
    /// stay. [step]
    void move(int index, std::size_t k, double change, double t0, double h);
    void move_back(int index, std::size_t k, double t0, double h);

    /// Number of values that an input is computed from: its variables, or one.
    std::size_t num_terms(int index) const {
        const Entry& entry = inputs_[index];
        return entry.is_set || entry.of->formula.empty() ? 1 : entry.of->variables.size();
    }
    /// combine() multiplies value `k` of input `index` by `factor`; of none for index -1.
    void lift(int index, std::size_t k, double factor) { lifted_ = {index, k, factor}; }

    /// Accepts the state at the end of the step last read: angles count turns.
    void accept_step() { std::swap(turns_, turns_next_); }
    /// The turns of angles as they are at the start.
    void begin();

    void set(int index, double value);
    void release(int index);
    bool is_set(int index) const { return inputs_[index].is_set; }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive.array(turns_.data(), static_cast<Eigen::Index>(turns_.size()));
        archive.require_finite(turns_, "an angle that is heard");
        for (Entry& entry : inputs_) {
            archive(entry.is_set);
            archive(entry.set_value);
            archive.require(std::isfinite(entry.set_value), "an input");
        }
    }

private:
    struct Entry {
        const SignalInput* of;
        AttachmentMap map;
        std::size_t first_u, num_u;
        std::size_t first_turn, num_turns;
        std::size_t first_variable;  ///< of the reader's, in read_
        bool is_set = false;
        double set_value = 0.0;
    };
    RowStep step_of(const Entry& entry, double t0, double h);
    void read_again(const Entry& entry, double t0, double h);

    std::vector<Entry> inputs_;
    std::vector<int> first_;
    double t_ = 0.0;  ///< at which formulas are evaluated
    std::vector<double> values_;
    std::vector<double> given_;  ///< of functions of time
    std::vector<double> read_;   ///< of the readers' variables
    std::vector<double> turns_, turns_next_;
    Eigen::VectorXd u0_, du_, mid_, u1_, rate_, q1_;
    std::array<double, 4> unmoved_{};
    struct {
        int input = -1;
        std::size_t term = 0;
        double factor = 1.0;
    } lifted_;
};

}  // namespace ancora
