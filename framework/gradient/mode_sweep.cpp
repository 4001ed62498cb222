// SPDX-License-Identifier: BSD-3-Clause
// Corrections and ends of modes, in the order in which a sweep back meets them.
#include "mode_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace ancora {
namespace {

// Velocities that differ by no more than rounding.
constexpr double kSameRate = 1e-13;

}  // namespace

ModeSweep::ModeSweep(KernelSystem& system, std::size_t num_costates, AddNumbers add_numbers)
    : system_(system),
      add_numbers_(std::move(add_numbers)),
      has_modes_(system.num_rows() > system.parts().m),
      lasts_(num_costates),
      besides_(num_costates),
      by_length_(num_costates, 0.0) {}

bool ModeSweep::is_corrected(const StepState& end, const StepState& next, double h) const {
    if (!has_modes_ || !system_.impulse().rows().empty()) return false;
    double off = 0.0, size = system_.state().extent / std::abs(h);
    for (int i = 0; i < system_.num_coordinates(); ++i) {
        if (system_.parts().mass.is_massless(i)) continue;
        off = std::max(off, std::abs(end.v[i] - next.v[i]));
        size = std::max({size, std::abs(end.v[i]), std::abs(next.v[i])});
    }
    return off > kSameRate * size;
}

void ModeSweep::correct(const StepState& end,
                        const StepState& next,
                        double h,
                        bool is_stop,
                        std::vector<Costate>& costates) {
    if (!correction_) correction_.emplace(system_);
    correction_->take(end, next, h, is_stop ? event_ : -1);
    for (std::size_t c = 0; c < costates.size(); ++c) {
        correction_->pull_back(costates[c]);
        add_numbers_(
            c,
            [this](
                KernelSystem& system, Eigen::VectorXd& of_coordinates, Eigen::VectorXd& of_rows) {
                correction_->evaluate(system, of_coordinates, of_rows);
            });
    }
}

bool ModeSweep::pass(const PassedEvent& event, const AcceptedStep& step, bool is_at_end) {
    const std::vector<int> changed = changed_modes(system_, step.before, event.behind);
    if (changed.size() != 1)
        throw AdjointObstacle{
            fmt::format("t = {:.6g} s: several begin to stick or to slip at once", event.before.t)};
    if (!end_) end_.emplace(system_);
    event_ = changed.front();
    end_->take(step, event_);
    if (end_->is_zero() == is_at_end)
        throw AdjointObstacle{fmt::format(
            "t = {:.6g} s: friction changes at the end of a step, or by no margin of its own",
            event.before.t)};
    return !is_at_end;
}

void ModeSweep::begin(const AcceptedStep& step) {
    if (!has_modes_) return;
    for (std::size_t c = 0; c < lasts_.size(); ++c) {
        besides_[c].reset();
        const Last last = std::exchange(lasts_[c], {});
        by_length_[c] = last.by_length;
        if (last.weight == 0.0) continue;
        if (!of_last_) of_last_.emplace(system_);
        add(c, of_last_->mean_of(step, last.event, last.value, last.weight));
        add_numbers_(
            c,
            [&](KernelSystem& system, Eigen::VectorXd& of_coordinates, Eigen::VectorXd& of_rows) {
                of_coordinates.setZero(system.num_coordinates());
                of_last_->evaluate_mean(system, step, last.event, last.weight, of_rows);
            });
    }
}

void ModeSweep::take_end(std::size_t c, double sigma, Costate& of) {
    if (end_->is_mean()) {
        add(c, end_->of_step(-sigma));
        lasts_[c] = {
            event_, end_->last(), -sigma * end_->by_last(), -sigma * end_->by_last_length()};
    } else {
        of.q -= sigma * end_->gap().q;
        of.v -= sigma * end_->gap().v;
        of.t -= sigma * end_->gap().t;
    }
    add_numbers_(
        c, [&](KernelSystem& system, Eigen::VectorXd& of_coordinates, Eigen::VectorXd& of_rows) {
            of_coordinates.setZero(system.num_coordinates());
            end_->evaluate(system, -sigma, of_rows);
        });
}

void ModeSweep::add(std::size_t c, StepFunction more) {
    std::optional<StepFunction>& of = besides_[c];
    if (!of) {
        of = std::move(more);
        return;
    }
    of->dq += more.dq;
    of->q += more.q;
    of->s += more.s;
    of->value = [first = std::move(of->value), second = std::move(more.value)](
                    KernelSystem& system, const StepTrial& trial) {
        return first(system, trial) + second(system, trial);
    };
}

}  // namespace ancora
