// SPDX-License-Identifier: BSD-3-Clause
// When steps end since something that is given over time is not smooth there.
#pragma once

#include <vector>

#include "ancora/framework/manifest.hpp"
#include "model.hpp"

namespace ancora {

/// The break points of all objects of a model, one after the other as a run comes to them. What it
/// says depends on the times asked about alone, not on what was asked before.
class BreakSchedule {
public:
    BreakSchedule(const Model& model, const IntegratorSettings& settings);

    /// The first break point in (after, until], or infinity. [step]
    /// @throws Error (plugin) by the object's name where one throws, or says what cannot be
    double next(double after, double until);

    /// Whether some object has time in a formula: what is between its values nobody knows.
    bool is_sampled() const { return is_sampled_; }

private:
    double find(double after, double until) const;
    void look(double after, double until);

    const Model& model_;
    StepKind steps_;
    double spacing_;
    bool is_sampled_ = false;
    // All break points in (known_from_, known_to_].
    double known_from_, known_to_;
    std::vector<double> known_;
};

}  // namespace ancora
