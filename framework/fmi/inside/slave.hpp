// SPDX-License-Identifier: BSD-3-Clause
// A model inside an FMU, without the words of one version of the standard.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/continuous_model.hpp"
#include "ancora/framework/event_steps.hpp"
#include "ancora/framework/simulation.hpp"
#include "fmu_variables.hpp"
#include "snapshot.hpp"

namespace ancora::fmu {

/// One instance. What is asked of it at the wrong time is an Error (usage), as is everything else
/// that goes wrong.
class Slave {
public:
    using Warn = std::function<void(const std::string&)>;
    enum class Use {
        steps,        ///< co-simulation
        event_steps,  ///< co-simulation with event mode and early returns
        exchange,     ///< model exchange
    };
    /// @param resources  folder of the model
    /// @throws Error if it is not that of an FMU of Ancora, or not one for this use
    Slave(const std::filesystem::path& resources, Use use, Warn warn);

    const Description& description() const { return description_; }
    bool is_for_exchange() const { return use_ == Use::exchange; }
    Phase phase() const { return now_.phase; }
    bool is_set_up() const { return now_.is_set_up; }
    void fail() { now_.phase = Phase::error; }
    /// The model's, which is the importer's [s].
    double time() const {
        return continuous_ ? t_ : simulation_ ? simulation_->time() : now_.start;
    }

    /// @param start  time at which the run begins [s]
    /// @param stop   time beyond which no step goes [s], if one is known
    /// @param tolerance  of the importer's integrator, relative; 0: not known
    void set_up(double start, std::optional<double> stop, double tolerance);
    void enter_initialization();
    void leave_initialization();
    void terminate();
    void reset();

    void set_number(std::size_t variable, Variable::Type type, double value);
    void set_text(std::size_t variable, const std::string& value);
    /// The variable behind the last one is the time.
    void get_numbers(std::span<const unsigned> variables,
                     Variable::Type type,
                     std::span<double> to);
    const std::string& text(std::size_t variable) const;

    enum class Step {
        complete,
        discarded,
        event,  ///< complete, and event mode has something to do at its end
        early,  ///< ended before, at an event
    };
    /// From `time` over `length`, to the end of a step of the model, or with event mode to the time
    /// of its next event. A numerical failure in it goes to `warn` and discards what is left of
    /// the step; so does the end of the model's data where no stop time is known.
    /// @param may_return  with event mode: whether it may end early, at any event
    Step step(double time, double length, bool may_return = false);

    // Event mode, of both uses that have one.

    void enter_events();
    struct Update {
        bool has_changed = false;  ///< states of model exchange
        double next_event = 0.0;   ///< its time [s]; infinity if there is none
    };
    /// Whether a clock ticks at the present event, by its value reference.
    bool is_ticking(std::size_t variable) const;
    /// Refuses what clocks of this kind do not have.
    [[noreturn]] void refuse_clock(std::size_t variable, const char* why) const;
    /// Passes what is due at the present time.
    Update update();
    /// On to steps, or to continuous time.
    void leave_events();

    // Model exchange.

    void set_time(double t);
    std::size_t num_states() const { return description_.num_states(); }
    std::size_t num_indicators() const;
    void get_states(std::span<double> x) const;
    void set_states(std::span<const double> x);
    /// Each throws Error (numerical) where there are none.
    void derivatives(std::span<double> dx);
    void indicators(std::span<double> g);
    /// Whether an event is due, or the constraints are violated beyond the tolerance.
    bool complete_step();
    /// Derivatives of `unknowns` in the direction `seed` of `knowns`, by central differences.
    void directional_derivative(std::span<const unsigned> unknowns,
                                std::span<const unsigned> knowns,
                                std::span<const double> seed,
                                std::span<double> to);

    Snapshot snapshot() const;
    void restore(const Snapshot& snapshot);

private:
    const Variable& variable(std::size_t index, Variable::Type type, const char* call) const;
    void require(std::initializer_list<Phase> phases, const char* call) const;
    Simulation& simulation();
    Simulation make(double num_steps);
    bool extend(double num_steps);
    void apply_inputs();
    [[noreturn]] void refuse_length(double time, double length, double first) const;
    void evaluate();
    void begin_events();
    void pass_events();
    void require_clock(std::size_t variable) const;
    void begin_exchange();
    void require_exchange(const char* call) const;
    void get_outputs(std::span<const unsigned> variables, std::span<double> to);
    void get_unknowns(std::span<const unsigned> variables, std::span<double> to);

    /// What the run depends on besides the variables.
    struct Kept {
        std::vector<std::byte> simulation;
        std::vector<double> outer;
    };
    Kept keep() const;
    void put_back(const Kept& kept);

    Description description_;
    Use use_;
    std::filesystem::path model_file_;
    std::string model_;
    Warn warn_;
    bool holds_warnings_ = false;  // of a simulation that may not come about
    std::vector<std::string> held_warnings_;
    PluginRegistry registry_;
    Snapshot now_;  // without the simulation's bytes
    std::optional<Simulation> simulation_;
    std::optional<EventSteps> events_;
    std::vector<char> ticks_;                    // samplers that are due at the present event
    std::optional<Kept> before_;                 // these samples, where they have been taken
    std::optional<ContinuousModel> continuous_;  // of model exchange
    double t_ = 0.0;                             // where the importer is
    std::vector<double> x_;
    bool has_new_parameters_ = false;
    bool has_new_inputs_ = false;
    double too_many_steps_ = 0.0;  // beyond what the model's data reach for
    std::vector<int> handles_;
};

/// Files that lie beside this library in an FMU, which the loader would not find for plugins.
void open_libraries_beside();

}  // namespace ancora::fmu
