// SPDX-License-Identifier: BSD-3-Clause
// Which columns follow from a state, and on which coordinates they depend.
#include "state_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace ancora {
namespace {

// Differences of columns, relative to the size of a coordinate.
constexpr double kMoveOfColumn = 0x1p-11;

}  // namespace

StateColumns::StateColumns(const Simulation& simulation) : names_(simulation.column_names()) {
    for (const int column : simulation.step_mean_columns()) is_mean_.insert(names_[column]);
    row_.resize(names_.size());
    is_continuous_ = KernelAccess::of(simulation).parts().model.traits.face == Face::continuous;
    for (std::size_t k = 0; k < names_.size() && names_[k] != "energy.balance"; ++k)
        if (names_[k].starts_with("energy.")) energies_.push_back(k);
    const auto vector = [&](const std::string& name) {
        return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    };
    momentum_ = vector("momentum.x");
    angular_momentum_ = vector("angular_momentum.x");
}

std::string StateColumns::obstacle(const std::string& column) const {
    const auto ends = [&](std::string_view with) {
        return column.ends_with(with);
    };
    if (std::ranges::find(names_, column) == names_.end()) return "no such column";
    // Those of accelerations are not of a state alone, and strains are none of it there.
    if (is_continuous_) {
        if (is_of_energy(column)) return "an energy or a momentum of a run by accelerations";
        for (const char* const of : {".force.", ".torque.", ".moment.", ".effort", ".lambda."})
            if (column.find(of) != std::string::npos) return "a force at an instant";
    }
    if (is_of_energy(column)) return {};
    if (is_mean_.contains(column)) return "a mean over steps";
    const std::string_view first = std::string_view(column).substr(0, column.find('.'));
    for (const std::string_view of :
         {"t", "energy", "work", "momentum", "angular_momentum", "constraint", "integrator"})
        if (first == of) return "more than a state has";
    if (ends(".work") || ends(".gap") || ends(".impulse") || ends(".loss"))
        return "more than a state has";
    return {};
}

bool StateColumns::is_of_energy(const std::string& column) const {
    const std::size_t at = place(column);
    return std::ranges::find(energies_, at) != energies_.end() ||
           (at >= momentum_ && at < momentum_ + 3) ||
           (at >= angular_momentum_ && at < angular_momentum_ + 3);
}

std::size_t StateColumns::place(const std::string& column) const {
    return static_cast<std::size_t>(std::ranges::find(names_, column) - names_.begin());
}

const std::vector<double>& StateColumns::sample(const Simulation& simulation, bool with_energies) {
    simulation.sample({row_, {}, {}, false});
    if (!with_energies) return row_;
    const EnergyAccounting::Snapshot now = KernelAccess::of(simulation).energies();
    const double potential = now.elastic + now.gravity;
    const std::array<double, 3> energies{now.kinetic, potential, now.kinetic + potential};
    for (std::size_t k = 0; k < energies_.size(); ++k) row_[energies_[k]] = energies[k];
    std::ranges::copy(now.momenta.linear, &row_[momentum_]);
    std::ranges::copy(now.momenta.angular, &row_[angular_momentum_]);
    return row_;
}

ColumnDerivative::ColumnDerivative(Simulation& simulation, std::span<const std::string> columns)
    : simulation_(simulation),
      system_(KernelAccess::of(simulation)),
      columns_(simulation),
      engine_(1) {
    for (const std::string& name : columns) {
        at_.push_back(columns_.place(name));
        with_energies_ |= columns_.is_of_energy(name);
    }
    n_ = system_.num_coordinates();
    count_ = 2 * n_ + (with_energies_ ? system_.parts().m : 0);
}

std::vector<Entries> ColumnDerivative::take() {
    std::vector<Entries> out(at_.size());
    find_others();
    for (const int j : known_) {
        double& x = coordinate(j);
        const double kept = x;
        const double d = distance(j);
        const auto move = [&](double by) {
            x = kept + by * d;
            return pick();
        };
        const Eigen::VectorXd up = move(1.0), down = move(-1.0);
        const Eigen::VectorXd more = move(2.0), less = move(-2.0);
        x = kept;
        for (std::size_t c = 0; c < at_.size(); ++c) {
            const auto at = static_cast<Eigen::Index>(c);
            const double value = (8.0 * (up[at] - down[at]) - (more[at] - less[at])) / (12.0 * d);
            if (value != 0.0) out[c].emplace_back(j, value);
        }
    }
    pick();  // what sampling keeps is that of this state
    return out;
}

double& ColumnDerivative::coordinate(int j) {
    MotionState& state = system_.step_data().state;
    return j < n_ ? state.q[j] : j < 2 * n_ ? state.v[j - n_] : state.pi[j - 2 * n_];
}

double ColumnDerivative::distance(int j) {
    const bool is_velocity = j >= n_ && j < 2 * n_;
    return kMoveOfColumn * std::max(std::abs(coordinate(j)), is_velocity ? 1.0 : 1e-3);
}

Eigen::VectorXd ColumnDerivative::pick() {
    const std::vector<double>& row = columns_.sample(simulation_, with_energies_);
    Eigen::VectorXd out(static_cast<Eigen::Index>(at_.size()));
    for (std::size_t c = 0; c < at_.size(); ++c) out[static_cast<Eigen::Index>(c)] = row[at_[c]];
    return out;
}

/// Coordinates that columns depend on and that are not known to be such, by halves of those that
/// move columns together.
void ColumnDerivative::find_others() {
    std::vector<int> others;
    for (int j = 0; j < count_; ++j)
        if (!std::ranges::binary_search(known_, j)) others.push_back(j);
    const Eigen::VectorXd here = pick();
    std::vector<int> found;
    const auto search = [&](const auto& again, std::span<const int> among) -> void {
        if (among.empty() || !moves(among, here)) return;
        if (among.size() == 1) {
            found.push_back(among.front());
            return;
        }
        const std::size_t half = among.size() / 2;
        again(again, among.first(half));
        again(again, among.subspan(half));
    };
    search(search, others);
    known_.insert(known_.end(), found.begin(), found.end());
    std::ranges::sort(known_);
}

bool ColumnDerivative::moves(std::span<const int> among, const Eigen::VectorXd& here) {
    std::uniform_real_distribution<double> any(0.5, 1.0);
    std::vector<double> kept;
    for (const int j : among) {
        kept.push_back(coordinate(j));
        coordinate(j) += any(engine_) * distance(j);
    }
    const bool out = pick() != here;
    for (std::size_t i = 0; i < among.size(); ++i) coordinate(among[i]) = kept[i];
    return out;
}

}  // namespace ancora
