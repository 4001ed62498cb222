// SPDX-License-Identifier: BSD-3-Clause
// The constraints and forces of a manifest, those inside joints among them.
#pragma once

#include <deque>
#include <vector>

#include "object_types.hpp"

namespace ancora {

/// A constraint or force, as the manifest has it or as a law inside a joint.
struct Actor {
    const ObjectSpec* spec;
    ObjectRef object;
    const Table* parameters;
    const Table::Entry* release = nullptr;  ///< of a constraint that opens, see kReleaseKey
    bool is_joint = false;
};

/// All constraints and forces with their types, laws inside joints behind their joint.
class Actors {
public:
    /// Names the model's constraints, and makes room for them.
    Actors(Model& model, const Manifest& manifest, ObjectTypes& types);

    const std::vector<Actor>& list() const { return list_; }

private:
    /// @param makes  the key of a joint that makes it; null: none
    void add(const ObjectSpec& spec, ObjectTypes& types, const Parameter* makes = nullptr);

    std::vector<Actor> list_;
    std::deque<ObjectSpec> inner_laws_;
    std::deque<Table> own_parameters_;  // without laws inside and what is the kernel's
};

}  // namespace ancora
