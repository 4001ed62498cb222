// SPDX-License-Identifier: BSD-3-Clause
// Constraints that open for good.
#pragma once

#include <vector>

#include "assembly.hpp"
#include "energy_accounting.hpp"

namespace ancora {

/// Takes the rows of constraints out of a motion at their releases (Release): from there on they
/// are nothing, with zero stress. Velocities are continuous, since the forces that end are finite;
/// the elastic energy of rows that had some is lost. Laws inside a joint that are rows go with it.
class Releases {
public:
    Releases(Assembly& parts, MotionState& state, EnergyAccounting& accounting);

    bool any() const { return !ties_.empty(); }
    /// Rows as the states of the releases say, and nothing else: at a start, or a state restored.
    /// @returns whether there are others than before
    bool follow();
    /// [step] The same at the present state of a motion, recorded with the energy that is lost.
    bool update();
    /// A constraint that has opened.
    struct Event {
        double t;
        int constraint;
        double energy;  ///< that was lost [J]
    };
    const std::vector<Event>& all() const { return events_; }
    /// Records those that are open from the start.
    void record_start();
    void forget() { events_.clear(); }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive.list(events_, [&](auto& event) {
            archive(event.t);
            archive(event.constraint);
            archive(event.energy);
            archive.require(
                event.constraint >= 0 &&
                    event.constraint < static_cast<int>(parts_.model.constraints.size()),
                "the constraint of an event");
        });
    }

private:
    /// A constraint that opens.
    struct Tie {
        int constraint;
        int signals;            ///< of its release, in the model
        std::vector<int> rows;  ///< its own and those of laws inside it
        bool is_open = false;
    };
    bool has_opened(const Tie& tie) const;
    void take_out();

    Assembly& parts_;
    MotionState& state_;
    EnergyAccounting& accounting_;
    std::vector<Tie> ties_;
    std::vector<Event> events_;
};

}  // namespace ancora
