// SPDX-License-Identifier: BSD-3-Clause
// All that an instance is, as a value and as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ancora::fmu {

/// Where an instance is in the standard's state machine.
enum class Phase : std::uint32_t {
    instantiated,
    initialization,
    steps,       ///< a step is complete
    events,      ///< event mode
    continuous,  ///< continuous-time mode of model exchange
    failed,      ///< a step failed, and the state is that before it
    terminated,
    error,
};
const char* name_of(Phase phase);

/// All that an instance is.
struct Snapshot {
    Phase phase = Phase::instantiated;
    bool is_set_up = false;
    double start = 0.0;                 ///< time at which the run begins [s]
    std::optional<double> stop;         ///< [s]
    double tolerance = 0.0;             ///< of the importer, relative; 0: not known
    double num_steps = 0.0;             ///< that the simulation is made for; 0: not decided
    std::vector<double> numbers;        ///< of every variable but outputs
    std::vector<std::string> texts;     ///< of every variable
    std::vector<std::byte> simulation;  ///< empty if there is none
    std::vector<double> outer;          ///< of model exchange: t, x, what the model keeps besides

    std::vector<std::byte> bytes(const std::string& token) const;
    /// @throws Error (usage) if the bytes are damaged or of another FMU
    static Snapshot from(std::span<const std::byte> bytes,
                         const std::string& token,
                         std::size_t num_variables);
};

}  // namespace ancora::fmu
