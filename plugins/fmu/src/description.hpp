// SPDX-License-Identifier: BSD-3-Clause
// What an FMU says of itself: modelDescription.xml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ancora::fmu {

enum class Role : std::int32_t { input, output, parameter, structural, local, independent };

/// As the functions have it: an Enumeration is a whole number.
enum class Type : std::int32_t {
    float64,
    float32,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    boolean,
    other,  ///< texts, bytes and clocks, which are no numbers
};
constexpr int kNumTypes = static_cast<int>(Type::other);

struct Variable {
    std::string name;
    unsigned reference = 0;
    Role role = Role::local;
    Type type = Type::other;
    bool is_constant = false;
    bool is_continuous = false;  ///< it may change between events
    std::vector<double> starts;  ///< as many as it has elements, or one for all; none: not told
    /// Sizes of an array, or references of the parameters that are these sizes; none of a scalar.
    struct Dimension {
        std::size_t size = 0;
        bool is_parameter = false;
    };
    std::vector<Dimension> dimensions;
    std::vector<unsigned> clocks;  ///< it has its values at their ticks alone
};

/// A clock by 3.0.
struct Clock {
    enum class Kind : std::int32_t {
        periodic,   ///< an input that ticks at t_0 + shift + k interval, t_0 being the start
        changing,   ///< an input; at each tick the FMU says when the next one is
        countdown,  ///< an input; at any event the FMU may say when it ticks
        triggered,  ///< an input that something outside lets tick
        output,     ///< ticks at events of the FMU
    };
    Kind kind = Kind::periodic;
    std::string name;
    unsigned reference = 0;
    double interval = 0.0;  ///< [s]; 0: the instance tells it
    double shift = 0.0;     ///< [s]
};

/// A number of the FMU: a variable, or one element of an array.
struct Element {
    const Variable* variable = nullptr;
    std::size_t index = 0;    ///< in the array, row by row
    bool is_array = false;    ///< the name is that of an array, all of it
    std::size_t num_all = 1;  ///< elements of the variable
};

/// What an FMU is run for: it brings a solver, or the importer integrates.
enum class Use : std::int32_t { steps, exchange };

struct Description {
    int version = 2;            ///< of the standard: 2 or 3
    std::string token;          ///< guid, or instantiationToken
    std::string identifier;     ///< of its library
    bool has_states = false;    ///< they can be got, set and written as bytes
    std::vector<Clock> clocks;  ///< none where it is run without event mode
    // Of model exchange
    std::size_t num_states = 0, num_indicators = 0;
    bool needs_completed_steps = false;
    double step_size = 0.0;  ///< of its default experiment [s]; 0: not told
    std::deque<Variable> variables;

    /// What has this name: "torque", or of an array "y[2]" or "A[1, 3]", from 1 on.
    /// @throws std::runtime_error with the variables that there are, or with what is wrong
    Element find(std::string_view name, Role like) const;
    /// The clock of this name, or null.
    const Clock* find_clock(std::string_view name) const;
    /// Sets the size that a structural parameter is.
    void set_size(const Variable& parameter, std::size_t size);
    /// A size of an array, by the structural parameter that it may be.
    std::size_t size_of(const Variable::Dimension& dimension) const;
};

/// Numbers and truth values, apart by spaces or commas; none if anything else is among them.
std::vector<double> numbers_in(std::string_view text);

/// @throws std::runtime_error if it is none that can be run
Description read_description(const std::filesystem::path& file, Use use);

}  // namespace ancora::fmu
