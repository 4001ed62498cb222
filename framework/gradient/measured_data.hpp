// SPDX-License-Identifier: BSD-3-Clause
// A run's columns at the times of measured data.
#pragma once

#include <memory>
#include <vector>

#include "ancora/framework/gradient.hpp"
#include "model_runs.hpp"

namespace ancora {

/// Values of a run's columns at given times: those of history.csv at step ends, interpolated by
/// cubics between them, on the side of impacts on which a time is; or as the integrator
/// interpolates where it chooses its steps.
class DataWatch final : public RunWatch {
public:
    /// @param data  must outlive it
    /// @throws Error (usage) if there is no such column, or a time is not in the run
    DataWatch(const MeasuredData& data, const Simulation& simulation);
    void after_step(const Simulation& simulation) override;
    /// As MeasuredData::values.
    std::vector<double> finish(const Simulation& simulation) override;

private:
    void keep(const Simulation& simulation);
    double of_rows(std::size_t column, double t) const;
    double on_its_side(std::size_t column, double t) const;
    double through_nearest(std::size_t column, double t, std::size_t first, std::size_t end) const;

    const MeasuredData& data_;
    bool is_adaptive_;
    std::vector<int> numbers_;
    std::vector<std::size_t> in_row_;
    std::vector<char> is_mean_, is_place_;
    std::vector<double> row_, now_;
    std::vector<double> times_, kept_;  // of step ends; row by row
    std::vector<double> jumps_;         // times of impacts
    std::size_t next_ = 0;
    std::vector<double> values_;
};

}  // namespace ancora
