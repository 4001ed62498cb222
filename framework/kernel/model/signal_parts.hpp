// SPDX-License-Identifier: BSD-3-Clause
// Objects with signals, and what their inputs say.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ancora/sdk/formula/formula.hpp"
#include "ancora/sdk/helpers/state_reader.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
#include "attachment.hpp"
#include "bound_arguments.hpp"
#include "guarded_signals.hpp"

namespace ancora {

class Model;

/// An output of another object that an input reads.
struct OutputRead {
    int part = 0;   ///< in Model::signals
    int value = 0;  ///< among that part's values
};

/// What a parameter of Shape::signal says: a function of time, or a formula.
struct SignalInput {
    std::string name;  ///< "motor.voltage"
    std::string unit;
    Place place;
    TimeFunction given;                   ///< without formula
    std::vector<Formula> formula;         ///< one or none
    StateReader reader;                   ///< of the formula's names that are no outputs
    std::vector<Attachment> attachments;  ///< that the reader reads
    /// A variable of the formula: one of the reader's, or one of `outputs_read`.
    struct Variable {
        bool is_output = false;
        int index = 0;
    };
    std::vector<Variable> variables;
    std::vector<OutputRead> outputs_read;
};

/// An object with signals.
struct SignalPart {
    /// `release`: when a constraint opens, see Release.
    enum class Of { body, constraint, force, release };
    Of of = Of::force;
    int index = 0;  ///< among the model's bodies, constraints or forces; of the constraint
    std::string name;
    std::string label;
    Place place;
    GuardedSignals signals;
    GuardedSignals::Facts facts;
    std::vector<std::unique_ptr<SignalInput>> inputs;
    int num_values = 0;  ///< of its outputs together

    /// Whether rows may read its own values: it is a constraint that has some.
    bool is_read_by_rows() const {
        return of == Of::constraint &&
               (!inputs.empty() || facts.num_continuous > 0 || facts.num_discrete > 0);
    }
    /// Number of the first value of output `name`; -1 if there is none or if it is a vector.
    int find_output(std::string_view output) const;
};

/// Reads the inputs of the parts, once all objects are there.
///
/// @param arguments  of each part, in their order
/// @param attach     the attachment or attachments that a request asks for, added to the list
using AttachRequest = std::function<void(
    const AttachmentRequest& request, const Asker& asker, std::vector<Attachment>& to)>;
void read_inputs(std::vector<SignalPart>& parts,
                 const std::vector<BoundArguments>& arguments,
                 const AttachRequest& attach);

}  // namespace ancora
