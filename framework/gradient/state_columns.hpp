// SPDX-License-Identifier: BSD-3-Clause
// Columns that follow from a state, and their derivatives by it.
#pragma once

#include <cstddef>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "ancora/framework/simulation.hpp"
#include "recorded_run.hpp"

namespace ancora {

/// Entries of a derivative by (q, v, pi), which follow each other.
using Entries = std::vector<std::pair<int, double>>;

/// Columns of a simulation that follow from its state: positions, velocities and strains.
class StateColumns {
public:
    explicit StateColumns(const Simulation& simulation);

    /// Why a column is none; empty: it is.
    std::string obstacle(const std::string& column) const;
    bool is_of_energy(const std::string& column) const;
    std::size_t place(const std::string& column) const;
    /// @param with_energies  those of the present state, which are else those accepted
    const std::vector<double>& sample(const Simulation& simulation, bool with_energies);

private:
    std::vector<std::string> names_;
    std::set<std::string> is_mean_;
    bool is_continuous_ = false;
    std::vector<std::size_t> energies_;  // kinetic, potential, total
    std::size_t momentum_ = 0, angular_momentum_ = 0;
    std::vector<double> row_;
};

/// Derivatives of some columns by q, v and pi at the present state of a run.
class ColumnDerivative {
public:
    ColumnDerivative(Simulation& simulation, std::span<const std::string> columns);

    bool with_energies() const { return with_energies_; }
    /// One list for each column.
    std::vector<Entries> take();

private:
    double& coordinate(int j);
    double distance(int j);
    Eigen::VectorXd pick();
    void find_others();
    bool moves(std::span<const int> among, const Eigen::VectorXd& here);

    Simulation& simulation_;
    KernelSystem& system_;
    StateColumns columns_;
    std::vector<std::size_t> at_;
    int n_ = 0, count_ = 0;
    bool with_energies_ = false;
    std::vector<int> known_;  // that columns depend on, rising
    std::mt19937 engine_;
};

}  // namespace ancora
