// SPDX-License-Identifier: BSD-3-Clause
// Seeds where columns count, sums over parameters.
#include "adjoint_sweep.hpp"

#include <algorithm>
#include <array>
#include <random>

#include <fmt/format.h>

namespace ancora {
namespace {

// Relative error of a derivative, of the sum of its terms' sizes.
constexpr double kError = 1e-10;
// Looks at which columns depend on parameters at a given state.
constexpr int kTries = 3;

/// Weights of a column's values at the ends of steps.
std::map<long, double> weights_of(const Objective& objective,
                                  const ColumnWatch::Place& place,
                                  std::span<const double> times,
                                  double step) {
    const long last = static_cast<long>(times.size()) - 1;
    std::map<long, double> out;
    switch (objective.take) {
        case ColumnTake::final:
            out[last] = 1.0;
            break;
        case ColumnTake::at: {
            // as ColumnWatch takes it
            long k = 0;
            while (k < last && times[static_cast<std::size_t>(k)] + 0.5 * step < objective.time)
                ++k;
            out[k] = 1.0;
            break;
        }
        case ColumnTake::maximum:
        case ColumnTake::minimum:
            out[place.step] = 1.0;
            break;
        case ColumnTake::largest:
            out[place.step] = place.sign;
            break;
        case ColumnTake::integral:
        case ColumnTake::mean: {
            const double over = objective.take == ColumnTake::mean ? times.back() - times[0] : 1.0;
            for (long k = 1; k <= last; ++k) {
                const auto u = static_cast<std::size_t>(k);
                const double half = 0.5 * (times[u] - times[u - 1]) / over;
                out[k] += half;
                out[k - 1] += half;
            }
            break;
        }
    }
    return out;
}

}  // namespace

AdjointSweep::AdjointSweep(const Subject& of, const AcceptedStep& first)
    : run_(of.run),
      simulation_(of.simulation),
      system_(KernelAccess::of(of.simulation)),
      here_(of.runs.make({})),
      derivative_(here_.system),
      num_parameters_(of.by.size()) {
    const StateColumns columns(simulation_);
    out_.of.resize(of.of.size());
    out_.by.resize(of.by.size());
    out_.entries.resize(of.of.size() * of.by.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < of.of.size(); ++i) {
        out_.of[i] = columns.obstacle(of.of[i].column);
        if (!out_.of[i].empty()) {
            out_.of[i] = fmt::format("{} is {}", of.of[i].column, out_.of[i]);
            continue;
        }
        const auto found = std::ranges::find(names, of.of[i].column);
        column_of_.push_back({i, static_cast<std::size_t>(found - names.begin())});
        if (found == names.end()) {
            names.push_back(of.of[i].column);
            places_.push_back(columns.place(of.of[i].column));
        }
        weights_.push_back(
            weights_of(of.of[i], of.places[i], run_.times(), simulation_.step_size()));
    }
    columns_.emplace(simulation_, names);
    settings_ = of.model({}).integrator;
    if (!column_of_.empty()) {
        parameters_.emplace(of.by,
                            of.runs,
                            settings_,
                            here_.simulation,
                            simulation_.extent(),
                            first,
                            places_,
                            columns_->with_energies(),
                            derivative_);
        out_.by = parameters_->faults;
    }
    const int n = system_.num_coordinates();
    const auto zero = [](Eigen::Index size) {
        return Eigen::VectorXd(Eigen::VectorXd::Zero(size));
    };
    costates_.assign(column_of_.size(), {zero(n), zero(n), zero(system_.parts().m), 0.0});
    value_.assign(column_of_.size() * of.by.size(), 0.0);
    size_ = value_;
}

AdjointGradient AdjointSweep::run() {
    if (!parameters_ || parameters_->groups.empty()) return std::move(out_);
    try {
        go(out_);
    } catch (const AdjointObstacle& obstacle) {
        out_.obstacle = obstacle.why;
        out_.has_jump = obstacle.is_jump;
        return std::move(out_);
    } catch (const Error& error) {
        out_.obstacle = error.message();
        return std::move(out_);
    }
    for (ParameterGroup& group : parameters_->groups)
        for (const ParameterGroup::Member& member : group.members())
            out_.by[member.number] = member.fault;
    for (std::size_t c = 0; c < column_of_.size(); ++c)
        for (std::size_t k = 0; k < num_parameters_; ++k) {
            Gradient::Entry& entry = out_.entries[column_of_[c].first * num_parameters_ + k];
            entry.value = value_[c * num_parameters_ + k];
            entry.error = kError * size_[c * num_parameters_ + k] + further_error(entry.value);
            entry.is_by_adjoint = true;
        }
    return std::move(out_);
}

double AdjointSweep::weight(std::size_t c, long step) const {
    const auto found = weights_[c].find(step);
    return found == weights_[c].end() ? 0.0 : found->second;
}

void AdjointSweep::note_seeds(long step) {
    for (std::size_t c = 0; c < weights_.size(); ++c)
        if (weight(c, step) != 0.0) {
            seeds_[step] = {columns_->take(), StepState::of(system_)};
            return;
        }
}

void AdjointSweep::look_at_columns(const Seeds& seeds, const std::vector<int>& unseen) {
    for (ParameterGroup& group : parameters_->groups) {
        if (column_looks_ >= kTries) break;
        group.look(seeds.at, places_, unseen, columns_->with_energies());
        if (group.is_in_columns() && group.members().size() > 1)
            throw AdjointObstacle{"parameters enter columns at some times only"};
    }
    ++column_looks_;
}

double& AdjointSweep::entry(Costate& of, int j) const {
    const int n = system_.num_coordinates();
    return j < n ? of.q[j] : j < 2 * n ? of.v[j - n] : of.pi[j - 2 * n];
}

void AdjointSweep::plant(std::size_t c, double w, const Seeds& seeds, Costate& to) const {
    for (const auto& [j, value] : seeds.of_columns[column_of_[c].second]) entry(to, j) += w * value;
}

void AdjointSweep::add_columns(std::size_t c,
                               double w,
                               const Seeds& seeds,
                               const std::vector<int>& unseen) {
    for (ParameterGroup& group : parameters_->groups) {
        const std::size_t place = places_[column_of_[c].second];
        if (!group.is_in_column(place)) continue;
        const double term = w * group.of_column(seeds.at, place, unseen, columns_->with_energies());
        add(c, group.members().front().number, term, std::abs(term));
    }
}

void AdjointSweep::look(const AcceptedStep& step) {
    std::mt19937 engine(++checks_);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    AcceptedStep other = step;
    const auto stir = [&](Eigen::VectorXd& x, double least) {
        const double size = 1e-3 * (largest_entry(x) + least);
        for (double& entry : x) entry += size * any(engine);
    };
    stir(other.before.q, 1.0);
    stir(other.before.v, 1.0);
    stir(other.before.pi, 1e-3);
    stir(other.a, 1.0);
    stir(other.s, 1.0);
    for (const AcceptedStep* at : {&step, &std::as_const(other)}) {
        here_.evaluate(*at);
        for (ParameterGroup& group : parameters_->groups) {
            const auto before = group.parts();
            const bool is_apart = group.look(*at, here_);
            if (!is_apart || (has_looked_ && group.parts() != before))
                throw AdjointObstacle{"a parameter enters the equations at some times only"};
        }
    }
    has_looked_ = true;
}

void AdjointSweep::look_at_idle(const AcceptedStep& step) {
    if (std::ranges::none_of(parameters_->groups, &ParameterGroup::is_idle)) return;
    here_.evaluate(step);
    for (ParameterGroup& group : parameters_->groups) {
        if (!group.is_idle()) continue;
        group.look(step, here_);
        if (!group.is_of_start())
            throw AdjointObstacle{"a parameter enters the equations at some times only"};
    }
}

void AdjointSweep::take_start() {
    for (std::size_t c = 0; c < column_of_.size(); ++c)
        for (ParameterGroup& group : parameters_->groups)
            for (const ParameterGroup::Member& member : group.members())
                for (const auto& [j, slope] : member.start) {
                    const double term = slope * entry(costates_[c], j);
                    add(c, member.number, term, std::abs(term));
                }
}

}  // namespace ancora
