// SPDX-License-Identifier: BSD-3-Clause
#include "ancora/framework/continuous_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "kernel_system.hpp"
#include "stepping.hpp"
#include "traps_off.hpp"

namespace ancora {
namespace {

// Part of the model's step within which an event that is due counts as due now.
constexpr double kAtOnce = 1e-6;
constexpr int kMostAtOnce = 1000;  // events at one time

}  // namespace

ContinuousModel::ContinuousModel(Simulation& simulation, bool has_works)
    : simulation_(&simulation), has_works_(has_works) {
    const TrapsOff traps_off;
    const Model& model = system().parts().model;
    if (model.traits.face != Face::continuous)
        throw Error(ErrorKind::usage,
                    "ContinuousModel: the simulation steps by equations of its own; make it from a "
                    "manifest with integrator.is_outer",
                    model.integrator_object.place);
    const ContinuousState size = system().continuous()->size();
    n_ = size.num_coordinates;
    num_own_ = size.num_own;
    num_works_ = size.num_states - 2 * n_ - num_own_;
    is_armed_.assign(static_cast<std::size_t>(system().num_events()), 1);
    works_.assign(static_cast<std::size_t>(num_works_), 0.0);
    g_.assign(is_armed_.size(), 0.0);
    for (std::vector<double>* x : {&x_, &dx_, &trial_})
        x->assign(static_cast<std::size_t>(size.num_states), 0.0);
    begin_motion();
    taken_.resize(static_cast<std::size_t>(num_states()));
    read_state(taken_);
}

KernelSystem& ContinuousModel::system() const {
    return simulation_->kernel();
}

double ContinuousModel::time() const {
    return system().time();
}

std::vector<std::string> ContinuousModel::state_names() const {
    std::vector<std::string> out;
    // Some bodies are the kernel's own, such as rotors, whose names need not differ from others.
    for (const char* kind : {"q", "v"}) {
        std::set<std::string> names;
        for (const BodyPart& body : system().parts().model.bodies) {
            std::string name = body.object.name;
            if (!names.insert(name).second) name += fmt::format(".{}", body.first);
            for (int k = 0; k < body.count; ++k)
                out.push_back(fmt::format("{}.{}.{}", kind, name, k));
        }
    }
    for (int k = 0; k < num_own_; ++k) out.push_back(fmt::format("state.{}", k));
    for (int k = 0; has_works_ && k < num_works_; ++k) out.push_back(fmt::format("work.{}", k));
    return out;
}

/// The state as the kernel has it: works of the step alone, in front of the objects' states.
std::span<const double> ContinuousModel::whole(std::span<const double> x) {
    const auto own = x.begin() + 2 * n_;
    const auto works = std::copy(x.begin(), own, x_.begin());
    for (int k = 0; k < num_works_; ++k)
        works[k] = has_works_ ? own[num_own_ + k] - works_[static_cast<std::size_t>(k)] : 0.0;
    std::copy(own, own + num_own_, works + num_works_);
    return x_;
}

void ContinuousModel::read_state(std::span<double> x) const {
    std::vector<double> all(x_.size());
    system().continuous()->read_state(all);
    const auto own = std::copy_n(all.begin(), 2 * n_, x.begin());
    const auto behind = std::copy_n(all.end() - num_own_, num_own_, own);
    if (has_works_) std::ranges::copy(works_, behind);
}

/// Behind a break point the kernel is some roundings ahead of the caller.
double ContinuousModel::at_or_behind(double t) const {
    return std::max(t, system().time());
}

void ContinuousModel::derivative(double t, std::span<const double> x, std::span<double> dx) {
    const TrapsOff traps_off;
    system().continuous()->derivative(at_or_behind(t), whole(x), dx_);
    const auto own = std::copy_n(dx_.begin(), 2 * n_, dx.begin());
    const auto behind = std::copy_n(dx_.end() - num_own_, num_own_, own);
    if (has_works_) std::copy_n(dx_.begin() + 2 * n_, num_works_, behind);
    for (const double rate : dx)
        if (!std::isfinite(rate))
            throw Error(ErrorKind::numerical,
                        fmt::format("t = {:.9g} s: the state is far from any motion, and has no "
                                    "accelerations; shorter steps keep to it",
                                    t));
}

void ContinuousModel::event_functions(double t, std::span<const double> x, std::span<double> g) {
    const TrapsOff traps_off;
    if (is_armed_.empty()) return;
    system().continuous()->evaluate_events(at_or_behind(t), whole(x), g);
    for (std::size_t k = 0; k < g.size(); ++k)
        if (is_armed_[k] == 0 && !(g[k] > 0.0)) g[k] = std::numeric_limits<double>::min();
}

/// The shortest that is distinguishable.
double ContinuousModel::least_step() const {
    return std::max(kAtOnce * simulation_->step_size(),
                    16.0 * std::numeric_limits<double>::epsilon() * std::abs(system().time()));
}

bool ContinuousModel::is_at(double t, std::span<const double> x) const {
    return !(t > system().time()) && std::ranges::equal(x, taken_);
}

void ContinuousModel::accept(double t, std::span<const double> x) {
    KernelSystem& to = system();
    if (!(t > to.time())) return;
    to.begin_grid_step(simulation_->course().steps_done(), false);
    to.continuous()->accept_state(to.time(), t, whole(x));
    to.end_grid_step(t);
    simulation_->after_outer_step();
    // The grid is that of an integrator that takes no step.
    const double steps = (t - simulation_->begin_time()) / simulation_->step_size();
    simulation_->course().stand_after(
        std::min(static_cast<long>(std::floor(steps)), simulation_->num_steps()));
    if (has_works_) std::copy_n(x.begin() + 2 * n_ + num_own_, num_works_, works_.begin());
    taken_.assign(x.begin(), x.end());
}

/// Chooses independent constraints at the accepted state, for the stages of the steps that begin
/// there.
void ContinuousModel::begin_motion() {
    system().continuous()->read_state(x_);
    system().continuous()->derivative(system().time(), x_, dx_);
}

/// The lowest function below zero, or -1.
int ContinuousModel::first_due(std::span<const double> g) const {
    const auto lowest = std::ranges::min_element(g);
    return lowest != g.end() && *lowest < 0.0 ? static_cast<int>(lowest - g.begin()) : -1;
}

/// The event that follows at once from the accepted state, or -1: of what begins at zero the sign
/// is that of where it goes.
int ContinuousModel::next_due() {
    if (is_armed_.empty()) return -1;
    ContinuousSystem& model = *system().continuous();
    const double t = system().time();
    const double h = least_step();
    begin_motion();
    // The midpoint rule.
    for (const double part : {0.5, 1.0}) {
        model.read_state(trial_);
        for (std::size_t k = 0; k < trial_.size(); ++k) trial_[k] += part * h * dx_[k];
        if (part < 1.0) model.derivative(t + part * h, trial_, dx_);
    }
    model.evaluate_events(t + h, trial_, g_);
    return first_due(g_);
}

void ContinuousModel::arm() {
    if (is_armed_.empty()) return;
    system().continuous()->read_state(x_);
    system().continuous()->evaluate_events(system().time(), x_, g_);
    for (std::size_t k = 0; k < g_.size(); ++k) is_armed_[k] = g_[k] > 0.0 ? 1 : 0;
}

bool ContinuousModel::complete_step(double t, std::span<const double> x, double drift) {
    const TrapsOff traps_off;
    if (!(t > system().time())) return false;
    if (!is_armed_.empty()) {
        system().continuous()->evaluate_events(t, whole(x), g_);
        if (first_due(g_) >= 0) return true;
        for (std::size_t k = 0; k < g_.size(); ++k)
            if (g_[k] > 0.0) is_armed_[k] = 1;
    }
    accept(t, x);
    begin_motion();  // reads the state to x_
    const auto n = static_cast<std::size_t>(n_);
    std::vector<double> off(n);
    for (std::size_t k = 0; k < n; ++k) off[k] = x[k] - x_[k];
    return system().displacement(off) > drift * simulation_->extent();
}

void ContinuousModel::pass_events(double t, std::span<double> x) {
    const TrapsOff traps_off;
    KernelSystem& model = system();
    int due = -1;
    if (!is_armed_.empty() && t > model.time()) {
        model.continuous()->evaluate_events(t, whole(x), g_);
        due = first_due(g_);
    }
    accept(t, x);
    simulation_->course().pass_events_at(t);
    for (int count = 0;; ++count) {
        if (due < 0) due = next_due();
        if (due < 0) break;
        if (count == kMostAtOnce)
            throw Error(ErrorKind::numerical,
                        fmt::format("t = {:.9g} s: contacts stick and slip, or close and open, "
                                    "without end; check coefficients of friction and restitutions",
                                    t));
        model.pass_event(due);
        due = -1;
    }
    simulation_->after_outer_step();
    begin_motion();
    arm();
    read_state(x);
    taken_.assign(x.begin(), x.end());
}

double ContinuousModel::next_time_event() const {
    return simulation_->course().next_event();
}

void ContinuousModel::values(double t,
                             std::span<const double> x,
                             std::span<const int> columns,
                             std::span<double> to) {
    const TrapsOff traps_off;
    if (is_at(t, x)) return simulation_->values(columns, to);
    // Goes there and back; where another state of now is asked about, by the least of a step.
    KernelSystem& model = system();
    const bool projects = model.parts().model.traits.projects;
    const std::vector<std::byte> now = model.save();
    const std::vector<double> works = works_, taken = taken_;
    const long steps = simulation_->steps_done();
    const auto go_back = [&] {
        simulation_->course().set_projection(projects);
        model.restore(now);
        simulation_->course().stand_after(steps);
        works_ = works;
        taken_ = taken;
        simulation_->after_outer_step();
        begin_motion();
    };
    try {
        simulation_->course().set_projection(false);
        accept(t > model.time() ? t : model.time() + least_step(), x);
        simulation_->values(columns, to);
    } catch (...) {
        go_back();
        throw;
    }
    go_back();
}

std::vector<double> ContinuousModel::memory() const {
    std::vector<double> out{system().time()};
    out.insert(out.end(), is_armed_.begin(), is_armed_.end());
    out.insert(out.end(), works_.begin(), works_.end());
    out.insert(out.end(), taken_.begin(), taken_.end());
    return out;
}

void ContinuousModel::set_memory(std::span<const double> memory) {
    if (memory.size() != 1 + is_armed_.size() + works_.size() + taken_.size())
        throw Error(ErrorKind::usage, "the state is of another model");
    system().set_time(memory.front());  // free of the grid's rounding
    auto from = memory.begin() + 1;
    for (char& is_armed : is_armed_) is_armed = *from++ != 0.0 ? 1 : 0;
    for (std::vector<double>* to : {&works_, &taken_}) {
        std::copy_n(from, to->size(), to->begin());
        from += static_cast<std::ptrdiff_t>(to->size());
    }
    begin_motion();
}

}  // namespace ancora
