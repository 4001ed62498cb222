// SPDX-License-Identifier: BSD-3-Clause
// The objects of a model that have signals, noted while they are made.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "model.hpp"

namespace ancora {

/// Objects that have signals; their inputs are read when all objects are there.
class SignalCollector {
public:
    explicit SignalCollector(Model& model) : model_(model) {}

    void note_body(std::size_t index, BoundArguments arguments);
    void note_constraint(std::size_t index, BoundArguments arguments);
    void note_force(std::size_t index, BoundArguments arguments);
    /// When a constraint opens; those of all constraints are known by read().
    void note_release(std::size_t index, BoundArguments keys);

    /// Writes Model::signals, bodies behind the others; the model's parts do not move any more.
    void read();

private:
    template <class Part>
    void note(SignalPart::Of of, std::size_t index, const Part& part, BoundArguments arguments);
    void add(SignalPart::Of of,
             std::size_t index,
             const ObjectRef& object,
             const GuardedSignals& signals,
             BoundArguments arguments);
    void check_order() const;

    Model& model_;
    std::map<std::size_t, BoundArguments> body_arguments_;
    std::vector<BoundArguments> arguments_;  // of the model's signals
};

}  // namespace ancora
