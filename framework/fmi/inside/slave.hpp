// SPDX-License-Identifier: BSD-3-Clause
// A model inside an FMU, without the words of one version of the standard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/simulation.hpp"
#include "fmu_variables.hpp"

namespace ancora::fmu {

/// Where an instance is in the standard's state machine.
enum class Phase : std::uint32_t {
    instantiated,
    initialization,
    steps,   ///< a step is complete
    failed,  ///< a step failed, and the state is that before it
    terminated,
    error,
};
const char* name_of(Phase phase);

/// All that an instance is.
struct Snapshot {
    Phase phase = Phase::instantiated;
    bool is_set_up = false;
    std::optional<double> stop;
    std::vector<double> numbers;        ///< of every variable but outputs
    std::vector<std::string> texts;     ///< of every variable
    std::vector<std::byte> simulation;  ///< empty if there is none

    std::vector<std::byte> bytes(const std::string& token) const;
    /// @throws Error (usage) if the bytes are damaged or of another FMU
    static Snapshot from(std::span<const std::byte> bytes,
                         const std::string& token,
                         std::size_t num_variables);
};

/// One instance. What is asked of it at the wrong time is an Error (usage), as is everything else
/// that goes wrong.
class Slave {
public:
    using Warn = std::function<void(const std::string&)>;
    /// @param resources  folder of the model; @throws Error if it is not that of an FMU of Ancora
    Slave(const std::filesystem::path& resources, Warn warn);

    const Description& description() const { return description_; }
    Phase phase() const { return now_.phase; }
    void fail() { now_.phase = Phase::error; }
    double time() const { return simulation_ ? simulation_->time() : 0.0; }

    /// Whether a time [s] at which the run is to end is known.
    void set_up(double start, std::optional<double> stop);
    void enter_initialization();
    void leave_initialization();
    void terminate();
    void reset();

    void set_number(std::size_t variable, Variable::Type type, double value);
    void set_text(std::size_t variable, const std::string& value);
    void get_numbers(std::span<const unsigned> variables,
                     Variable::Type type,
                     std::span<double> to);
    const std::string& text(std::size_t variable) const;

    enum class Step { complete, discarded };
    /// From `time` over `length`, a whole number of the model's steps. A numerical failure in it is
    /// told to `warn` and discards what is left of the step.
    Step step(double time, double length);

    Snapshot snapshot() const;
    void restore(const Snapshot& snapshot);

private:
    const Variable& variable(std::size_t index, Variable::Type type, const char* call) const;
    void require(std::initializer_list<Phase> phases, const char* call) const;
    Simulation& simulation();
    void apply_inputs();

    Description description_;
    std::filesystem::path model_file_;
    std::string model_;
    Warn warn_;
    PluginRegistry registry_;
    Snapshot now_;  // without the simulation's bytes
    std::optional<Simulation> simulation_;
    bool has_new_parameters_ = false;
    bool has_new_inputs_ = false;
    std::vector<int> handles_;
};

/// Files that lie beside this library in an FMU, which the loader would not find for plugins.
void open_libraries_beside();

}  // namespace ancora::fmu
