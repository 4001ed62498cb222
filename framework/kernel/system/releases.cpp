// SPDX-License-Identifier: BSD-3-Clause
// Rows of constraints that have opened.
#include "releases.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ancora {

Releases::Releases(Assembly& parts, MotionState& state, EnergyAccounting& accounting)
    : parts_(parts), state_(state), accounting_(accounting) {
    const Model& model = parts.model;
    for (std::size_t i = 0; i < model.signals.size(); ++i) {
        if (model.signals[i].of != SignalPart::Of::release) continue;
        Tie tie{model.signals[i].index, static_cast<int>(i), {}};
        for (const RowOwner& owner : parts.rows.owners) {
            if (owner.constraint < 0) continue;
            const ConstraintPart& part = model.constraints[owner.constraint];
            if (owner.constraint != tie.constraint && part.inside != tie.constraint) continue;
            for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k) {
                if (parts.laws.together().holds(k))
                    throw Error(ErrorKind::manifest,
                                fmt::format("{}: release: its rows have one law together, and "
                                            "cannot be taken out; leave it out",
                                            part.object.label),
                                part.object.place);
                if (parts.rows.is_unilateral(k))
                    throw Error(ErrorKind::manifest,
                                fmt::format("{}: what opens and closes by itself cannot be "
                                            "released; leave \"release\" or the stop out",
                                            part.object.label),
                                part.object.place);
                tie.rows.push_back(k);
            }
        }
        ties_.push_back(std::move(tie));
    }
}

bool Releases::has_opened(const Tie& tie) const {
    return Release::has_opened(parts_.signals.discrete_of_part(tie.signals));
}

void Releases::take_out() {
    std::vector<int> rows;
    for (const Tie& tie : ties_)
        if (tie.is_open) rows.insert(rows.end(), tie.rows.begin(), tie.rows.end());
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    parts_.rows.release(rows);
}

bool Releases::follow() {
    bool has_changed = false;
    for (Tie& tie : ties_) {
        const bool is_open = has_opened(tie);
        has_changed = has_changed || is_open != tie.is_open;
        tie.is_open = is_open;
    }
    if (has_changed) take_out();
    return has_changed;
}

void Releases::record_start() {
    for (const Tie& tie : ties_)
        if (tie.is_open) events_.push_back({state_.t, tie.constraint, 0.0});
}

bool Releases::update() {
    bool has_changed = false;
    for (Tie& tie : ties_) {
        if (tie.is_open || !has_opened(tie)) continue;
        has_changed = tie.is_open = true;
        // W_k is lost; pi and s of a row that is gone are zero.
        double energy = 0.0;
        for (const int k : tie.rows) {
            energy += parts_.laws.energy(k, state_.pi[k]);
            state_.pi[k] = state_.s[k] = state_.lag[k] = 0.0;
        }
        accounting_.ledger.record_nonideal(-energy);
        events_.push_back({state_.t, tie.constraint, energy});
    }
    if (!has_changed) return false;
    take_out();
    accounting_.close();
    return true;
}

}  // namespace ancora
