// SPDX-License-Identifier: BSD-3-Clause
// Numbers of columns over a run: extremes, integrals, values at a time.
#pragma once

#include <string>
#include <vector>

#include "ancora/framework/column_take.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

/// Follows columns of a run, step by step.
class ColumnWatch {
public:
    struct Column {
        std::string name;
        ColumnTake take = ColumnTake::final;
        double time = 0.0;  ///< of `at` [s]
    };
    /// Where an extreme value lies.
    struct Place {
        long step = -1;     ///< the start is 0
        double time = 0.0;  ///< [s]
        double sign = 1.0;  ///< of the value there
    };

    /// Takes the present state as the start.
    /// @param pinned  of each column where its extreme value is taken; empty: where it lies
    /// @throws Error (usage) if there is no such column
    ColumnWatch(std::vector<Column> columns,
                const Simulation& simulation,
                std::vector<Place> pinned = {});

    /// [step]
    void after_step(const Simulation& simulation);
    /// One number for each column; not a number if the run did not come so far.
    const std::vector<double>& finish(const Simulation& simulation);
    /// Where the extreme values lie.
    const std::vector<Place>& places() const { return places_; }

private:
    void take(const Simulation& simulation, bool is_start);
    void take_extreme(std::size_t i, const Simulation& simulation, bool is_start);
    void take_at(std::size_t i, double time, const Simulation& simulation, bool is_start);

    std::vector<Column> columns_;
    std::vector<Place> pinned_, places_;
    std::vector<int> numbers_;
    std::vector<std::size_t> in_row_;
    std::vector<bool> is_mean_;
    bool follows_ = false;
    std::vector<double> row_, now_, last_, values_;
    double last_time_ = 0.0;
    long step_ = 0;
};

}  // namespace ancora
