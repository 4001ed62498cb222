// SPDX-License-Identifier: BSD-3-Clause
// The life of an instance: from one mode to the next, and states that are kept.
#include "slave.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <dlfcn.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "description_file.hpp"
#include "refusal.hpp"

namespace ancora::fmu {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
    Dl_info info;
    if (::dladdr(reinterpret_cast<const void*>(&open_libraries_beside), &info) == 0) return {};
    std::error_code error;
    const fs::path file = fs::canonical(info.dli_fname, error);
    return error ? fs::path() : file.parent_path();
}

}  // namespace

void open_libraries_beside() {
    const fs::path folder = own_folder();
    std::error_code error;
    // Only in an FMU: elsewhere plugins find what they were linked with.
    if (!fs::is_directory(folder / "ancora/plugins", error)) return;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("lib") && name.find(".so") != std::string::npos)
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        // What the process has under this name is what plugins will find.
        if (::dlopen(file.filename().c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr) continue;
        ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
}

Slave::Slave(const fs::path& resources, Use use, Warn warn)
    : description_(read_description(resources / "variables.txt")),
      use_(use),
      model_file_(resources / "model.toml"),
      model_(read_file(model_file_)),
      warn_(std::move(warn)) {
    if (use == Use::exchange ? num_states() == 0 : !description_.is_for_steps)
        refuse(use == Use::exchange ? "this FMU is for co-simulation, not for model exchange"
                                    : "this FMU is for model exchange, not for co-simulation");
    open_libraries_beside();
    // Whoever could exchange plugins in an FMU could exchange this library as well.
    registry_.allow_unchecked_folders(true);
    const fs::path plugins = own_folder() / "ancora/plugins";
    std::error_code error;
    if (fs::is_directory(plugins, error)) registry_.add_folder(plugins);
    reset();
}

void Slave::require(std::initializer_list<Phase> phases, const char* call) const {
    if (std::ranges::find(phases, now_.phase) == phases.end())
        refuse(fmt::format("{} is not allowed in the state \"{}\"", call, name_of(now_.phase)));
}

void Slave::reset() {
    continuous_.reset();
    events_.reset();
    simulation_.reset();
    before_.reset();
    ticks_.clear();
    now_ = {};
    for (const Variable& variable : description_.variables) {
        now_.numbers.push_back(variable.start);
        now_.texts.push_back(variable.text);
    }
    has_new_parameters_ = has_new_inputs_ = false;
}

void Slave::set_up(double start, std::optional<double> stop, double tolerance) {
    require({Phase::instantiated}, "the experiment's setup");
    if (!std::isfinite(start)) refuse("the start time is not finite");
    if (stop && !(*stop > start && std::isfinite(*stop)))
        refuse("the stop time is not behind the start");
    if (!(tolerance >= 0.0 && std::isfinite(tolerance))) refuse("the tolerance is no number");
    now_.is_set_up = true;
    now_.tolerance = tolerance;
    now_.start = start;
    now_.stop = stop;
}

void Slave::enter_initialization() {
    require({Phase::instantiated}, "the entry into initialization");
    now_.phase = Phase::initialization;
    has_new_parameters_ = true;
    simulation();
}

void Slave::leave_initialization() {
    require({Phase::initialization}, "the exit from initialization");
    simulation();
    apply_inputs();
    // In event mode the first samples are still to be taken.
    if (use_ != Use::steps) events_->sample_anew();
    if (continuous_) continuous_->read_state(x_);
    now_.phase = use_ == Use::steps ? Phase::steps : Phase::events;
    if (use_ != Use::steps) begin_events();
}

void Slave::terminate() {
    require({Phase::steps, Phase::failed, Phase::events, Phase::continuous}, "the end");
    now_.phase = Phase::terminated;
}

/// Samples that have been taken at an event whose mode goes on can be taken otherwise.
Snapshot Slave::snapshot() const {
    Snapshot out = now_;
    // What changes parameters makes the simulation anew.
    if (!simulation_ || has_new_parameters_) return out;
    Kept kept = before_ ? *before_ : keep();
    out.simulation = std::move(kept.simulation);
    out.outer = std::move(kept.outer);
    return out;
}

Slave::Kept Slave::keep() const {
    Kept out{simulation_->save(), {}};
    if (!continuous_) return out;
    out.outer.assign(1, t_);
    out.outer.insert(out.outer.end(), x_.begin(), x_.end());
    const std::vector<double> memory = continuous_->memory();
    out.outer.insert(out.outer.end(), memory.begin(), memory.end());
    return out;
}

void Slave::put_back(const Kept& kept) {
    simulation_->restore(kept.simulation);
    has_new_inputs_ = true;
    if (!continuous_) return;
    if (kept.outer.size() < 1 + x_.size()) refuse("the state is of another model");
    t_ = kept.outer.front();
    std::copy_n(kept.outer.begin() + 1, x_.size(), x_.begin());
    continuous_->set_memory(std::span(kept.outer).subspan(1 + x_.size()));
}

void Slave::restore(const Snapshot& snapshot) {
    bool same = snapshot.num_steps == now_.num_steps && snapshot.start == now_.start;
    for (std::size_t i = 0; i < description_.variables.size(); ++i)
        if (description_.variables[i].kind == Variable::Kind::parameter)
            same &= snapshot.numbers[i] == now_.numbers[i] && snapshot.texts[i] == now_.texts[i];
    const Snapshot before = std::move(now_);
    now_ = snapshot;
    now_.simulation.clear();
    now_.outer.clear();
    try {
        has_new_parameters_ |= !same;
        if (snapshot.simulation.empty()) {
            simulation_.reset();
            if (now_.phase != Phase::instantiated && now_.phase != Phase::error) {
                has_new_parameters_ = true;
                simulation();
            }
        } else {
            if (!snapshot.outer.empty() != is_for_exchange())
                refuse("the state is that of an instance for another use");
            simulation();
            put_back({snapshot.simulation, snapshot.outer});
        }
        has_new_inputs_ = true;
        before_.reset();
        ticks_.clear();
        if (now_.phase == Phase::events) begin_events();
    } catch (...) {
        now_ = before;
        has_new_parameters_ = true;
        throw;
    }
}

}  // namespace ancora::fmu
