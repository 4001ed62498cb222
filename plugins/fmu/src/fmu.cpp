// SPDX-License-Identifier: BSD-3-Clause
// Samples of an FMU, and its state as numbers.
#include "fmu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace ancora::fmu {
namespace {

constexpr std::size_t kBytesPerNumber = 6;  // whole numbers below 2^48, which are finite and exact
constexpr std::size_t kMostState = std::size_t{1} << 22;
// A state may grow beyond that of the start.
constexpr std::size_t kSpare = 1024;

constexpr std::array<const char*, Fmu::kMostInputs> kInputKeys = {"u1",
                                                                  "u2",
                                                                  "u3",
                                                                  "u4",
                                                                  "u5",
                                                                  "u6",
                                                                  "u7",
                                                                  "u8",
                                                                  "u9",
                                                                  "u10",
                                                                  "u11",
                                                                  "u12",
                                                                  "u13",
                                                                  "u14",
                                                                  "u15",
                                                                  "u16"};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// "name = variable", or both in one.
struct Named {
    std::string name, rest;
};
Named split(std::string_view text) {
    const std::size_t at = text.find('=');
    if (at == std::string_view::npos)
        return {std::string(trimmed(text)), std::string(trimmed(text))};
    return {std::string(trimmed(text.substr(0, at))), std::string(trimmed(text.substr(at + 1)))};
}

bool is_name(std::string_view text) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9');
    });
}

/// A number for what an instance has been given so far; a whole one below 2^48, and not 0.
double history_after(double before, double t, std::span<const double> inputs) {
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    const auto add = [&hash](double x) {
        std::array<unsigned char, sizeof x> bytes;
        std::memcpy(bytes.data(), &x, sizeof x);
        for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
    };
    add(before);
    add(t);
    for (const double x : inputs) add(x);
    return static_cast<double>((hash >> 16) | 1u);
}

template <class Work>
void of_file(const Arguments& arguments, const char* key, const Work& work) {
    try {
        work();
    } catch (const std::runtime_error& error) {
        arguments.fail(key, error.what());
    }
}

}  // namespace

Fmu::Fmu(const Arguments& arguments)
    : times_{arguments.number("period"), arguments.number("offset")} {
    const std::filesystem::path file = arguments.path("file");
    if (const std::string why = distrust(file); !why.empty()) arguments.fail("file", why);
    of_file(arguments, "file", [&] {
        files_ = std::make_unique<Unpacked>(file);
        description_ = read_description(files_->folder() / "modelDescription.xml");
        slave_ = open_slave(files_->folder(), description_, std::string(arguments.object_name()));
    });
    read_names(arguments);
    read_parameters(arguments);
    if (description_.has_states) find_room(arguments);
}

void Fmu::read_names(const Arguments& arguments) {
    if (arguments.has("inputs")) {
        const int count = arguments.num_texts("inputs");
        if (count > static_cast<int>(kMostInputs))
            arguments.fail("inputs", "are too many; there may be " + std::to_string(kMostInputs));
        for (int i = 0; i < count; ++i)
            of_file(arguments, "inputs", [&] {
                const std::string name(trimmed(arguments.text("inputs", i)));
                const auto reference = description_.find(name, Role::input).reference;
                if (std::ranges::count(input_references_, reference) > 0)
                    throw std::runtime_error("name \"" + name + "\" twice");
                input_references_.push_back(reference);
            });
    }
    for (std::size_t i = 0; i < kMostInputs; ++i) {
        const bool is_named = i < input_references_.size();
        if (is_named && !arguments.has(kInputKeys[i]))
            arguments.fail(
                "inputs",
                std::string("names more inputs than are given; ") + kInputKeys[i] + " is missing");
        if (!is_named && arguments.has(kInputKeys[i]))
            arguments.fail(kInputKeys[i], "has no name in inputs");
        if (is_named) input_keys_.push_back(kInputKeys[i]);
    }
    for (int i = 0; i < arguments.num_texts("outputs"); ++i) {
        const Named named = split(arguments.text("outputs", i));
        if (!is_name(named.name))
            arguments.fail(
                "outputs",
                "\"" + named.name +
                    "\" cannot be the name of an output here; write \"NAME = " + named.rest + "\"");
        of_file(arguments, "outputs", [&] {
            const Variable& variable = description_.find(named.rest, Role::output);
            if (std::ranges::count(names_, named.name) > 0)
                throw std::runtime_error("have two of the name \"" + named.name + "\"");
            output_references_.push_back(variable.reference);
            Output output;
            output.name = names_.emplace_back(named.name).c_str();
            output.doc = "of the FMU, held between samples";
            outputs_.push_back(output);
        });
    }
    if (outputs_.empty()) arguments.fail("outputs", "names none");
}

void Fmu::read_parameters(const Arguments& arguments) {
    if (!arguments.has("parameters")) return;
    for (int i = 0; i < arguments.num_texts("parameters"); ++i) {
        const Named named = split(arguments.text("parameters", i));
        char* end = nullptr;
        const double value = std::strtod(named.rest.c_str(), &end);
        if (named.rest.empty() || *end != '\0' || !std::isfinite(value))
            arguments.fail("parameters",
                           "\"" + named.name + "\" is given no number; write \"NAME = 2.5\"");
        of_file(arguments, "parameters", [&] {
            const auto reference = description_.find(named.name, Role::parameter).reference;
            if (std::ranges::count(parameter_references_, reference) > 0)
                throw std::runtime_error("give \"" + named.name + "\" twice");
            parameter_references_.push_back(reference);
        });
        parameter_values_.push_back(value);
    }
}

/// How large its state is after a first step, of its own length: a period may hold many of them.
/// Inputs are still unknown.
void Fmu::find_room(const Arguments& arguments) {
    of_file(arguments, "file", [&] {
        slave_->begin(times_.offset, parameters(), {References(), {}});
        std::size_t size = slave_->state().size();
        const double own = description_.step_size;
        slave_->step(times_.offset, own > 0.0 ? std::min(own, times_.period) : times_.period);
        size = std::max(size, slave_->state().size());
        if (size > kMostState)
            throw std::runtime_error("its state has " + std::to_string(size) + " bytes");
        room_ = (size + size / 2 + kSpare) / kBytesPerNumber;
    });
}

int Fmu::num_discrete() const {
    return static_cast<int>(first_byte() + room_);
}

void Fmu::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    std::ranges::copy(at.own.z.subspan(kNumStates, y.size()), y.begin());
}

void Fmu::act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const {
    const auto inputs = at.own.inputs;
    if (z[kBegun] == 0.0) {
        slave_->begin(at.t, parameters(), with(inputs));
        z[kHistory] = 0.0;
    } else {
        bring_to(z);
        history_ = 0.0;  // of no state, if the step fails
        slave_->step(z[kTime], at.t - z[kTime]);
    }
    slave_->set(with(inputs));
    slave_->get(output_references_, z.subspan(kNumStates, outputs_.size()));
    z[kBegun] = 1.0;
    z[kTime] = at.t;
    z[kHistory] = history_after(z[kHistory], at.t, inputs);
    if (room_ > 0) keep_state(z);
    history_ = z[kHistory];
}

/// The instance as it was when z was written.
void Fmu::bring_to(std::span<const double> z) const {
    if (history_ == z[kHistory]) return;
    if (room_ == 0)
        throw std::runtime_error(
            "its FMU keeps its state to itself (no canGetAndSetFMUstate, canSerializeFMUstate), so "
            "that it runs forward alone; what was saved of it cannot be restored");
    const double written = z[kSize];
    if (!(written >= 0.0) || written > static_cast<double>(room_ * kBytesPerNumber))
        throw std::runtime_error("the state of its FMU is damaged");
    std::vector<char> bytes(static_cast<std::size_t>(written));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto number = static_cast<std::uint64_t>(
            std::clamp(z[first_byte() + i / kBytesPerNumber], 0.0, 0x1p48 - 1.0));
        bytes[i] = static_cast<char>(number >> 8 * (i % kBytesPerNumber) & 0xff);
    }
    slave_->instantiate();
    slave_->set(parameters());
    slave_->restore(bytes);
}

void Fmu::keep_state(std::span<double> z) const {
    const std::vector<char> bytes = slave_->state();
    if (bytes.size() > room_ * kBytesPerNumber)
        throw std::runtime_error("the state of its FMU has grown to " +
                                 std::to_string(bytes.size()) + " bytes; there is room for " +
                                 std::to_string(room_ * kBytesPerNumber));
    z[kSize] = static_cast<double>(bytes.size());
    std::vector<std::uint64_t> numbers(room_, 0);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        numbers[i / kBytesPerNumber] |= std::uint64_t{static_cast<unsigned char>(bytes[i])}
                                        << 8 * (i % kBytesPerNumber);
    for (std::size_t i = 0; i < room_; ++i) z[first_byte() + i] = static_cast<double>(numbers[i]);
}

}  // namespace ancora::fmu
