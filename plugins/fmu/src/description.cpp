// SPDX-License-Identifier: BSD-3-Clause
// The elements of FMI 2.0 and 3.0 that running one takes.
#include "description.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <pugixml.hpp>

namespace ancora::fmu {
namespace {

constexpr const char* kFile = "modelDescription.xml";
constexpr std::size_t kMostElements = std::size_t{1} << 24;
constexpr std::size_t kMostNamed = 20;  // in a message

[[noreturn]] void refuse(const std::string& what) {
    throw std::runtime_error(what);
}

constexpr std::pair<std::string_view, Role> kRoles[] = {{"input", Role::input},
                                                        {"output", Role::output},
                                                        {"parameter", Role::parameter},
                                                        {"structuralParameter", Role::structural},
                                                        {"independent", Role::independent}};
Role role_of(std::string_view causality) {
    for (const auto& [word, role] : kRoles)
        if (causality == word) return role;
    return Role::local;  // calculated parameters, too
}

constexpr std::pair<std::string_view, Type> kTypes2[] = {{"Real", Type::float64},
                                                         {"Integer", Type::int32},
                                                         {"Enumeration", Type::int32},
                                                         {"Boolean", Type::boolean}};
constexpr std::pair<std::string_view, Type> kTypes3[] = {{"Float64", Type::float64},
                                                         {"Float32", Type::float32},
                                                         {"Int8", Type::int8},
                                                         {"UInt8", Type::uint8},
                                                         {"Int16", Type::int16},
                                                         {"UInt16", Type::uint16},
                                                         {"Int32", Type::int32},
                                                         {"UInt32", Type::uint32},
                                                         {"Int64", Type::int64},
                                                         {"UInt64", Type::uint64},
                                                         {"Enumeration", Type::int64},
                                                         {"Boolean", Type::boolean}};
template <std::size_t N>
Type type_in(const std::pair<std::string_view, Type> (&types)[N], std::string_view word) {
    for (const auto& [name, type] : types)
        if (word == name) return type;
    return Type::other;
}

/// An identifier is a part of a path.
void require_identifier(const std::string& text) {
    const auto is_fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    if (text.empty() || !std::ranges::all_of(text, is_fine))
        refuse("its modelIdentifier \"" + text + "\" is none");
}

Variable read_variable(const pugi::xml_node& node, bool is_second) {
    Variable out;
    out.name = node.attribute("name").value();
    out.reference = node.attribute("valueReference").as_uint();
    out.role = role_of(node.attribute("causality").value());
    out.is_constant = std::string_view(node.attribute("variability").value()) == "constant";
    pugi::xml_node typed = node;
    if (is_second) {
        // Beside the type there may be annotations.
        for (typed = node.first_child(); typed; typed = typed.next_sibling())
            if (out.type = type_in(kTypes2, typed.name()); out.type != Type::other) break;
    } else {
        out.type = type_in(kTypes3, node.name());
        for (const pugi::xml_node dimension : node.children("Dimension")) {
            const pugi::xml_attribute fixed = dimension.attribute("start");
            const auto value =
                fixed ? fixed.as_ullong() : dimension.attribute("valueReference").as_ullong();
            out.dimensions.push_back({static_cast<std::size_t>(value), !fixed});
        }
    }
    const std::string_view variability = node.attribute("variability").value();
    out.is_continuous = (out.type == Type::float64 || out.type == Type::float32) &&
                        (variability.empty() || variability == "continuous");
    if (out.type != Type::other) out.starts = numbers_in(typed.attribute("start").value());
    for (const double clock : numbers_in(node.attribute("clocks").value()))
        if (clock >= 0.0 && clock < 0x1p32) out.clocks.push_back(static_cast<unsigned>(clock));
    return out;
}

/// A clock; local ones tick for the FMU alone.
void read_clock(const pugi::xml_node& node, std::vector<Clock>& to) {
    const std::string_view kind = node.attribute("intervalVariability").value();
    const std::string_view causality = node.attribute("causality").value();
    if (causality != "input" && causality != "output") return;
    Clock out;
    out.name = node.attribute("name").value();
    out.reference = node.attribute("valueReference").as_uint();
    out.kind = causality == "output" ? Clock::Kind::output
               : kind == "triggered" ? Clock::Kind::triggered
               : kind == "countdown" ? Clock::Kind::countdown
               : kind == "changing"  ? Clock::Kind::changing
                                     : Clock::Kind::periodic;
    if (out.kind != Clock::Kind::periodic) {
        to.push_back(out);
        return;
    }
    const double resolution = node.attribute("resolution").as_double();
    const auto seconds = [&](const char* decimal, const char* counter) {
        return node.attribute(decimal) ? node.attribute(decimal).as_double()
               : resolution > 0.0      ? node.attribute(counter).as_double() / resolution
                                       : 0.0;
    };
    const bool is_told = kind == "constant" || kind == "fixed";
    if (is_told) out.interval = seconds("intervalDecimal", "intervalCounter");
    out.shift = seconds("shiftDecimal", "shiftCounter");
    if (out.interval < 0.0 || out.shift < 0.0 || (is_told && !(out.interval > 0.0)))
        refuse("its clock \"" + out.name + "\" has no interval above zero");
    to.push_back(out);
}

bool is_like(const Variable& variable, Role like) {
    switch (like) {
        case Role::input:
            return variable.role == Role::input;
        case Role::output:
            return variable.role != Role::structural;  // whatever can be read
        default:
            // Variables that can be set before initialisation have a start value.
            return !variable.is_constant && variable.role != Role::independent &&
                   (variable.role == Role::parameter || variable.role == Role::structural ||
                    variable.role == Role::input || !variable.starts.empty());
    }
}

const char* word(Role like) {
    return like == Role::input ? "input" : like == Role::output ? "output" : "parameter";
}

}  // namespace

std::vector<double> numbers_in(std::string_view text) {
    std::vector<double> out;
    const auto is_apart = [](char c) {
        return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r';
    };
    for (std::size_t at = 0; at < text.size();) {
        if (is_apart(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && !is_apart(text[end])) ++end;
        std::string_view word = text.substr(at, end - at);
        if (word.starts_with('+')) word.remove_prefix(1);
        double x = word == "true" ? 1.0 : 0.0;
        const bool is_truth = word == "true" || word == "false";
        const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), x);
        if (!is_truth && (error != std::errc() || rest != word.data() + word.size())) return {};
        out.push_back(x);
        at = end;
    }
    return out;
}

Description read_description(const std::filesystem::path& file, Use use) {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_file(file.c_str());
    if (!parsed) refuse(std::string("its ") + kFile + " cannot be read: " + parsed.description());
    const pugi::xml_node root = document.child("fmiModelDescription");
    if (!root) refuse(std::string("its ") + kFile + " describes no FMU");

    Description out;
    const std::string version = root.attribute("fmiVersion").value();
    if (version != "2.0" && !version.starts_with("3.0"))
        refuse("it is of FMI version \"" + version + "\"; 2.0 and 3.0 are run");
    out.version = version[0] - '0';
    const bool is_second = out.version == 2;
    out.token = root.attribute(is_second ? "guid" : "instantiationToken").value();
    const bool is_exchange = use == Use::exchange;
    const pugi::xml_node slave = root.child(is_exchange ? "ModelExchange" : "CoSimulation");
    if (!slave && root.child("ScheduledExecution") && !root.child("CoSimulation") &&
        !root.child("ModelExchange"))
        refuse(
            "it is for scheduled execution alone, whose tasks a system with priorities starts; "
            "FMUs for co-simulation or model exchange are run");
    if (!slave)
        refuse(is_exchange ? "it is not for model exchange; type = \"fmu\" with a period runs it"
                           : "it is not for co-simulation, and has no solver of its own; type = "
                             "\"exchange_fmu\" integrates it");
    if (slave.attribute("needsExecutionTool").as_bool())
        refuse("it needs the tool that wrote it to run");
    out.identifier = slave.attribute("modelIdentifier").value();
    require_identifier(out.identifier);
    out.has_states =
        slave.attribute(is_second ? "canGetAndSetFMUstate" : "canGetAndSetFMUState").as_bool() &&
        slave.attribute(is_second ? "canSerializeFMUstate" : "canSerializeFMUState").as_bool();
    out.step_size = root.child("DefaultExperiment").attribute("stepSize").as_double();
    for (const pugi::xml_node node : root.child("ModelVariables").children()) {
        if (node.type() != pugi::node_element) continue;
        out.variables.push_back(read_variable(node, is_second));
        if (!is_second && std::string_view(node.name()) == "Clock") read_clock(node, out.clocks);
    }
    if (!is_exchange && !slave.attribute("hasEventMode").as_bool())
        out.clocks.clear();  // it lets them tick itself
    if (is_exchange) {
        // Its output clocks tick at its own events.
        const auto ticked = std::ranges::find_if(out.clocks, [](const Clock& clock) {
            return clock.kind != Clock::Kind::output;
        });
        if (ticked != out.clocks.end())
            refuse("it has the clock \"" + ticked->name +
                   "\", which ticks in co-simulation alone here; type = \"fmu\" runs that");
        out.clocks.clear();
    }
    if (is_exchange) {
        const pugi::xml_node structure = root.child("ModelStructure");
        const auto count_of = [&](const pugi::xml_node& list, const char* name) {
            std::size_t count = 0;
            for (const pugi::xml_node node : list.children(name)) {
                const auto reference = node.attribute("valueReference").as_uint();
                const auto at = std::ranges::find(out.variables, reference, &Variable::reference);
                std::size_t elements = 1;
                if (!is_second && at != out.variables.end())
                    for (const Variable::Dimension& size : at->dimensions)
                        elements *= out.size_of(size);
                count += elements;
            }
            return count;
        };
        out.num_states = is_second ? count_of(structure.child("Derivatives"), "Unknown")
                                   : count_of(structure, "ContinuousStateDerivative");
        out.num_indicators = is_second ? root.attribute("numberOfEventIndicators").as_uint()
                                       : count_of(structure, "EventIndicator");
        out.needs_completed_steps =
            is_second ? !slave.attribute("completedIntegratorStepNotNeeded").as_bool()
                      : slave.attribute("needsCompletedIntegratorStep").as_bool();
        if (out.num_states > kMostElements || out.num_indicators > kMostElements)
            refuse("it has too many states or event indicators");
    }
    return out;
}

std::size_t Description::size_of(const Variable::Dimension& dimension) const {
    if (!dimension.is_parameter) return dimension.size;
    for (const Variable& variable : variables)
        if (variable.reference == dimension.size && variable.role == Role::structural &&
            variable.starts.size() == 1 && variable.starts[0] >= 0.0 &&
            variable.starts[0] <= static_cast<double>(kMostElements))
            return static_cast<std::size_t>(variable.starts[0]);
    refuse("it has an array whose size it does not tell");
}

const Clock* Description::find_clock(std::string_view name) const {
    const auto at = std::ranges::find(clocks, name, &Clock::name);
    return at != clocks.end() ? &*at : nullptr;
}

void Description::set_size(const Variable& parameter, std::size_t size) {
    for (Variable& variable : variables)
        if (&variable == &parameter) variable.starts = {static_cast<double>(size)};
}

Element Description::find(std::string_view name, Role like) const {
    const auto named = [&](std::string_view text) -> const Variable* {
        const auto at = std::ranges::find(variables, text, &Variable::name);
        return at != variables.end() ? &*at : nullptr;
    };
    // A name may itself end with an index, as those of scalars by FMI 2.0 do.
    const Variable* variable = named(name);
    std::string_view indices;
    if (const std::size_t open = name.rfind('[');
        variable == nullptr && open != std::string_view::npos && name.ends_with(']')) {
        variable = named(name.substr(0, open));
        indices = name.substr(open + 1, name.size() - open - 2);
    }
    const std::string told = '"' + std::string(name) + '"';
    if (variable == nullptr || !is_like(*variable, like)) {
        std::string known;
        std::size_t count = 0, others = 0;
        for (const Variable& each : variables) {
            if (!is_like(each, like) || each.type == Type::other) continue;
            if ((like == Role::output && each.role != Role::output) || ++count > kMostNamed)
                ++others;
            else
                known += (known.empty() ? "\"" : ", \"") + each.name + '"';
        }
        if (others > 0) known += (known.empty() ? "" : ", and ") + std::to_string(others) + " more";
        refuse(std::string("it has no ") + word(like) + " " + told + "; " +
               (known.empty() ? std::string("there are none") : "there are " + known));
    }
    if (variable->type == Type::other)
        refuse(std::string("its ") + word(like) + " " + told + " is no number");

    Element out{variable, 0, false, 1};
    std::vector<std::size_t> sizes;
    std::string shape;
    for (const Variable::Dimension& dimension : variable->dimensions) {
        sizes.push_back(size_of(dimension));
        shape += (shape.empty() ? "" : " x ") + std::to_string(sizes.back());
        if (sizes.back() > kMostElements) refuse(told + " is too large an array");
        out.num_all *= sizes.back();
        if (out.num_all > kMostElements) refuse(told + " is too large an array");
    }
    if (indices.empty()) {
        out.is_array = !sizes.empty();
        if (out.is_array && like != Role::parameter)
            refuse(told + " is an array of " + shape + " numbers; name one, from 1 on, as \"" +
                   std::string(name) + (sizes.size() == 1 ? "[1]\"" : "[1, 1]\""));
        return out;
    }
    std::size_t k = 0;
    for (std::size_t at = 0; at <= indices.size(); ++k) {
        const std::size_t comma = std::min(indices.find(',', at), indices.size());
        std::string_view digits = indices.substr(at, comma - at);
        while (digits.starts_with(' ')) digits.remove_prefix(1);
        while (digits.ends_with(' ')) digits.remove_suffix(1);
        std::size_t i = 0;
        const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), i);
        if (error != std::errc() || rest != digits.data() + digits.size() || k >= sizes.size() ||
            i < 1 || i > sizes[k])
            refuse(told + " is no element: \"" + variable->name + "\" is " +
                   (sizes.empty() ? std::string("a single number")
                                  : "an array of " + shape + ", which are counted from 1 on"));
        out.index = out.index * sizes[k] + (i - 1);
        at = comma + 1;
    }
    if (k != sizes.size())
        refuse(told + " has " + std::to_string(k) + " of the indices of an array of " + shape);
    return out;
}

}  // namespace ancora::fmu
