// SPDX-License-Identifier: BSD-3-Clause
// Objects that are signals alone: they act on nothing.
#pragma once

#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora::control {

/// A sensor or a controller: a force without attachments.
class Block : public NonidealForce, public Signals {
public:
    WorkKind work() const final { return WorkKind::nonideal; }
    void evaluate(const RowPoint&, std::span<const double>, const ForceValues&) const final {}
    void facets(ForceFacets& out) const override { out.signals = this; }
};

}  // namespace ancora::control
