// SPDX-License-Identifier: BSD-3-Clause
// Events of forces with modes: begin of sticking and of slipping.
#pragma once

#include <vector>

namespace ancora {

/// The first ten thousand changes of mode of a run.
class ModeEvents {
public:
    struct Event {
        double t;
        int force;  ///< index in the model
        bool sticks;
    };
    const std::vector<Event>& all() const { return events_; }

    /// Records that a force goes on in a mode from t.
    void record(int force, bool sticks, double t) {
        if (!is_moving_) return;  // the start is no event
        // A mode that was left at the instant at which it began is no event.
        for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
            if (event->t < t) break;
            if (event->force != force) continue;
            event->sticks = sticks;
            return;
        }
        if (events_.size() < kMost) events_.push_back({t, force, sticks});
    }
    void forget() { events_.clear(); }
    /// A step has been accepted.
    void note_step() { is_moving_ = true; }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive, int num_forces) {
        archive(is_moving_);
        archive.list(events_, [&](auto& event) {
            archive(event.t);
            archive(event.force);
            archive(event.sticks);
            archive.require(event.force >= 0 && event.force < num_forces, "the force of an event");
        });
    }

private:
    static constexpr std::size_t kMost = 10'000;

    std::vector<Event> events_;
    bool is_moving_ = false;
};

}  // namespace ancora
