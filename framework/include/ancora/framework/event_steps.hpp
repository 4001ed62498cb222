// SPDX-License-Identifier: BSD-3-Clause
// Steps that end at events, for programs that have a part in what happens there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

/// Steps of a simulation up to the next event: a sample, a break point of what is given over time,
/// an impact, a change of a contact, a switch, a break. Samples and break points are then due: the
/// state is that before them, until pass(). The motion is that of Simulation::step(), to the bit
/// where the events are samples and break points, else to the rounding of the pieces' lengths.
///
/// To be made at the begin of a run; for one that an importer integrates, samples alone.
class ANCORA_FRAMEWORK_EXPORT EventSteps {
public:
    /// @param simulation  at the begin of its run; must outlive this
    explicit EventSteps(Simulation& simulation);

    /// An object that acts at equal distances of time, such as a sampled controller.
    struct Sampler {
        std::string name;
        double first = 0.0, period = 0.0;  ///< [s]
        std::vector<std::string> columns;  ///< whose values change at its samples alone
    };
    const std::vector<Sampler>& samplers() const { return samplers_; }
    /// Whether one acts at t, which has not been passed. [step]
    bool is_due(std::size_t sampler, double t) const;
    /// Whether anything is due at t. [step]
    bool is_due(double t) const;
    /// At the begin: samples that were taken as the simulation was made are due once more.
    void sample_anew();

    /// Takes a step of the grid, or what is left of one: to its end, or up to the first event if it
    /// may stop there. What was due is passed first. [step]
    /// @returns whether an event has happened or is due at the time reached; without may_stop only
    ///          whether one is due
    /// @throws Error (usage) at the end of the run, or if the integrator chooses its steps
    bool step(bool may_stop);
    /// Time of the next sample, or of what else acts at times; infinity if there is none.
    double next_sample() const;
    /// Passes what is due.
    void pass();

private:
    Simulation* simulation_;
    std::vector<Sampler> samplers_;
    std::vector<int> parts_;  // of samplers, among the model's signals
};

}  // namespace ancora
