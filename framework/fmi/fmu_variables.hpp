// SPDX-License-Identifier: BSD-3-Clause
// The variables of an FMU, as its description and the library inside it both have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ancora::fmu {

/// A variable; its number in the list is its value reference.
struct Variable {
    enum class Kind { parameter, input, force, output };
    enum class Type { real, boolean, text };
    Kind kind = Kind::output;
    Type type = Type::real;
    std::string name;    ///< as others see it
    std::string of;      ///< key, input, attachment or column
    int component = 0;   ///< of a force, or of a parameter with three numbers: 0, 1, 2
    std::string unit;    ///< SI; may be empty
    double start = 0.0;  ///< of numbers and truth values
    std::string text;    ///< start of texts
    std::string doc;     ///< one line; may be empty
    int clock = -1;      ///< that an output changes at alone, among the clocks
};

/// A clock of FMI 3.0, which ticks at each sample of an object. It is a triggered output: the FMU
/// takes its samples by itself, and says at events which of them these are. A periodic input clock
/// would leave it to the importer to tick, and a controller would stand still in those that do not,
/// such as FMPy.
struct Clock {
    std::string name;  ///< as others see it
    std::string of;    ///< the object
    std::string doc;
};

/// Of an FMU for model exchange. Behind the variables and the time are, in this order, the states,
/// their derivatives and the event indicators.
struct Exchange {
    std::vector<std::string> states;  ///< names; none: not for model exchange
    int num_events = 0;
    bool has_works = false;  ///< whether works and impulses of the balances are states
};

/// What the library needs to know beside the model, in resources/variables.txt: a line for the
/// token, one for the step, one with the numbers of states, events and clocks, one per variable and
/// per clock, cells apart by tabs.
struct Description {
    std::string token;
    double step = 0.0;  ///< [s]
    std::vector<Variable> variables;
    Exchange exchange;
    std::vector<Clock> clocks;  ///< behind all else
    bool is_for_steps = true;   ///< for co-simulation
    std::size_t first_state() const { return variables.size() + 1; }
    std::size_t num_states() const { return exchange.states.size(); }
    std::size_t first_clock() const {
        return first_state() + 2 * num_states() + static_cast<std::size_t>(exchange.num_events);
    }
};

inline std::string escaped_cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\\\";
        else if (c == '\t')
            out += "\\t";
        else if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out;
}
inline std::string plain_cell(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        ++i;
        out += text[i] == 't' ? '\t' : text[i] == 'n' ? '\n' : text[i];
    }
    return out;
}

}  // namespace ancora::fmu
