// SPDX-License-Identifier: BSD-3-Clause
// Rows that break irreversibly when they reach their limit.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"
#include "energy_accounting.hpp"

namespace ancora {

/// Which rows have broken, and when.
class Breaking {
public:
    Breaking(Assembly& parts, MotionState& state, EnergyAccounting& accounting)
        : parts_(parts), state_(state), accounting_(accounting) {}

    bool may_break() const { return parts_.laws.may_break(); }
    /// Least relative distance of the unbroken rows from their limits; 1 if none is left.
    double margin(const Eigen::VectorXd& pi) const;
    /// Breaks the row that has reached its limit, and others that have with it. Their elastic
    /// energy is recorded as lost.
    void break_rows();
    /// @throws Error (numerical) for a start at which a row is beyond its limit
    void check_start(const Eigen::VectorXd& pi) const;

    /// A row that broke, with the elastic energy that went with it; the first ten thousand.
    struct Break {
        double t;
        int row;
        double energy;
    };
    const std::vector<Break>& all() const { return breaks_; }
    void forget() { breaks_.clear(); }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive.list(breaks_, [&](auto& entry) {
            archive(entry.t);
            archive(entry.row);
            archive(entry.energy);
            archive.require(entry.row >= 0 && entry.row < parts_.m, "the row of an event");
        });
    }

private:
    Assembly& parts_;
    MotionState& state_;
    EnergyAccounting& accounting_;
    std::vector<Break> breaks_;
};

}  // namespace ancora
