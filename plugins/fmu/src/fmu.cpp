// SPDX-License-Identifier: BSD-3-Clause
// Samples of an FMU, and its state as numbers.
#include "fmu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

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

}  // namespace

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

namespace {

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
    : Fmu(arguments,
          Use::steps,
          {arguments.has("period") ? arguments.number("period") : 0.0,
           arguments.begin_time() + arguments.number("offset")}) {
    find_clocks(arguments);
    if (description_.has_states) find_room(arguments);
}

Fmu::Fmu(const Arguments& arguments, Use use, const SampleTimes& times) : times_(times) {
    const std::filesystem::path file = arguments.path("file");
    if (const std::string why = distrust(file); !why.empty()) arguments.fail("file", why);
    of_file(arguments, "file", [&] {
        files_ = std::make_unique<Unpacked>(file);
        description_ = read_description(files_->folder() / "modelDescription.xml", use);
        slave_ =
            open_slave(files_->folder(), description_, std::string(arguments.object_name()), use);
    });
    const std::vector<Start> starts = read_parameters(arguments);
    read_inputs(arguments);
    read_outputs(arguments);
    add_starts(arguments, starts);
}

/// The numbers of a variable before anything was set; NaN where the FMU does not tell them.
std::vector<double>& Fmu::starts_of(const Element& element) {
    const auto [at, is_new] = own_starts_.try_emplace(element.variable);
    if (is_new) {
        const std::vector<double>& told = element.variable->starts;
        at->second =
            told.size() == element.num_all
                ? told
                : std::vector<double>(element.num_all, told.size() == 1 ? told.front() : NAN);
    }
    return at->second;
}

/// All elements of a variable go through a port together.
void Fmu::add(Values& to, const Element& element) {
    std::size_t offset = 0;
    const Variable& variable = *element.variable;
    for (const Port& port : to.ports) {
        if (port.name == variable.name) {
            to.places.push_back(offset + element.index);
            return;
        }
        offset += port.count;
    }
    const Port port{
        variable.type, variable.reference, element.num_all, variable.name, variable.clocks};
    slave_->require({port}, &to != &output_);
    to.ports.push_back(port);
    const std::vector<double>& starts = starts_of(element);
    to.numbers.insert(to.numbers.end(), starts.begin(), starts.end());
    to.places.push_back(offset + element.index);
}

/// Start values, and sizes of arrays, which other start values need to be known.
std::vector<Fmu::Start> Fmu::read_parameters(const Arguments& arguments) {
    std::vector<Start> given;
    if (!arguments.has("parameters")) return given;
    for (const bool are_sizes : {true, false})
        for (int i = 0; i < arguments.num_texts("parameters"); ++i) {
            const Named named = split(arguments.text("parameters", i));
            of_file(arguments, "parameters", [&] {
                const Element element = description_.find(named.name, Role::parameter);
                if ((element.variable->role == Role::structural) != are_sizes) return;
                const std::vector<double> values = numbers_in(named.rest);
                if (values.empty() || !std::ranges::all_of(values, [](double x) {
                        return std::isfinite(x);
                    }))
                    throw std::runtime_error("\"" + named.name +
                                             "\" is given no number; write \"NAME = 2.5\"" +
                                             (element.is_array ? ", or as many as it has" : ""));
                const std::size_t count = element.is_array ? element.num_all : 1;
                if (values.size() != count)
                    throw std::runtime_error("\"" + named.name + "\" is given " +
                                             std::to_string(values.size()) + " numbers, and has " +
                                             std::to_string(count));
                auto start = std::ranges::find(given, element.variable, &Start::variable);
                if (start == given.end()) start = given.insert(given.end(), {element.variable, {}});
                for (std::size_t k = 0; k < count; ++k) {
                    if (!start->elements.insert(element.index + k).second)
                        throw std::runtime_error("give \"" + named.name + "\" twice");
                    starts_of(element)[element.index + k] = values[k];
                }
                if (are_sizes && values.front() >= 0.0 && values.front() < 0x1p32)
                    description_.set_size(*element.variable,
                                          static_cast<std::size_t>(values.front()));
            });
        }
    return given;
}

/// Ports have all elements of an array, so that they are made when all are known.
void Fmu::add_starts(const Arguments& arguments, const std::vector<Start>& given) {
    for (const Start& start : given)
        of_file(arguments, "parameters", [&] {
            const Variable& variable = *start.variable;
            const std::vector<double>& all = own_starts_.at(start.variable);
            // Elements that are inputs have their places behind the numbers of the ports before.
            std::set<std::size_t> inputs;
            std::size_t offset = 0;
            for (const Port& port : input_.ports) {
                if (port.name == variable.name)
                    for (const std::size_t place : input_.places)
                        if (place >= offset && place < offset + port.count)
                            inputs.insert(place - offset);
                offset += port.count;
            }
            bool is_complete = true;
            for (std::size_t k = 0; k < all.size(); ++k) {
                if (inputs.contains(k) && start.elements.contains(k))
                    throw std::runtime_error("give \"" + variable.name +
                                             "\", which is an input here");
                if (!std::isnan(all[k])) continue;
                is_complete = false;
                if (!inputs.contains(k))
                    throw std::runtime_error("must give all elements of \"" + variable.name +
                                             "\": the FMU does not tell where they start");
            }
            // What is missing comes with the inputs.
            if (is_complete)
                add(variable.role == Role::structural ? sizes_ : starts_,
                    {&variable, 0, false, all.size()});
        });
}

void Fmu::read_inputs(const Arguments& arguments) {
    std::size_t count = 0;
    if (arguments.has("inputs")) {
        count = static_cast<std::size_t>(arguments.num_texts("inputs"));
        if (count > kMostInputs)
            arguments.fail("inputs", "are too many; there may be " + std::to_string(kMostInputs));
        for (std::size_t i = 0; i < count; ++i)
            of_file(arguments, "inputs", [&] {
                const std::string name(trimmed(arguments.text("inputs", static_cast<int>(i))));
                if (const Clock* const clock = description_.find_clock(name)) {
                    if (clock->kind != Clock::Kind::triggered)
                        throw std::runtime_error("name \"" + name +
                                                 "\", a clock that nothing outside lets tick");
                    if (std::ranges::count(triggered_, clock->reference, &Triggered::clock) > 0)
                        throw std::runtime_error("name \"" + name + "\" twice");
                    triggered_.push_back({clock->reference, i});
                    input_.places.push_back(kNoPlace);
                    return;
                }
                add(input_, description_.find(name, Role::input));
                if (std::ranges::count(input_.places, input_.places.back()) > 1)
                    throw std::runtime_error("name \"" + name + "\" twice");
            });
        // What of an array is no input here stays as it starts.
        for (std::size_t k = 0; k < input_.numbers.size(); ++k)
            if (std::isnan(input_.numbers[k]) && std::ranges::count(input_.places, k) == 0)
                arguments.fail("inputs",
                               "leave out elements of an array, and the FMU does not tell where "
                               "these start; name all");
    }
    for (std::size_t i = 0; i < kMostInputs; ++i) {
        const bool is_named = i < count;
        if (is_named && !arguments.has(kInputKeys[i]))
            arguments.fail(
                "inputs",
                std::string("names more inputs than are given; ") + kInputKeys[i] + " is missing");
        if (!is_named && arguments.has(kInputKeys[i]))
            arguments.fail(kInputKeys[i], "has no name in inputs");
        if (is_named) input_keys_.push_back(kInputKeys[i]);
    }
}

void Fmu::read_outputs(const Arguments& arguments) {
    for (int i = 0; i < arguments.num_texts("outputs"); ++i) {
        const Named named = split(arguments.text("outputs", i));
        if (!is_name(named.name))
            arguments.fail(
                "outputs",
                "\"" + named.name +
                    "\" cannot be the name of an output here; write \"NAME = " + named.rest + "\"");
        of_file(arguments, "outputs", [&] {
            if (const Clock* const clock = description_.find_clock(named.rest)) {
                counts_.push_back({clock->reference, output_.places.size()});
                output_.places.push_back(kNoPlace);
            } else {
                add(output_, description_.find(named.rest, Role::output));
            }
            if (std::ranges::count(names_, named.name) > 0)
                throw std::runtime_error("have two of the name \"" + named.name + "\"");
            Output output;
            output.name = names_.emplace_back(named.name).c_str();
            output.doc = "of the FMU";
            outputs_.push_back(output);
        });
    }
    if (outputs_.empty()) arguments.fail("outputs", "names none");
}

Slave::Given Fmu::with(std::span<const double> inputs) const {
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (input_.places[i] != kNoPlace) input_.numbers[input_.places[i]] = inputs[i];
    return input_.given();
}

void Fmu::make_room(std::size_t size) {
    if (size > kMostState)
        throw std::runtime_error("its state has " + std::to_string(size) + " bytes");
    room_ = (size + size / 2 + kSpare) / kBytesPerNumber;
}

int Fmu::num_discrete() const {
    return static_cast<int>(first_byte() + room_);
}

void Fmu::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    std::ranges::copy(at.own.z.subspan(kNumStates, y.size()), y.begin());
}

void Fmu::act(const SignalPoint& at, int crossing, std::span<double>, std::span<double> z) const {
    const auto inputs = at.own.inputs;
    if (z[kBegun] == 0.0) {
        with(inputs);
        begin(at.t, input_);
        z[kTime] = at.t;
        z[kHistory] = 0.0;
        for (std::size_t k = 0; k < triggered_.size(); ++k)
            z[whole_number(k)] = std::floor(inputs[triggered_[k].input]);
        note_first_intervals(at.t, z);
    } else {
        bring_to(z);
        history_ = 0.0;  // of no state, if the step fails
        go_to(at.t, z);
    }
    with(inputs);
    if (!has_events()) {
        slave_->set(input_.given());
        slave_->get(output_.ports, output_.numbers);
        for (std::size_t i = 0; i < outputs_.size(); ++i)
            z[kNumStates + i] = output_.numbers[output_.places[i]];
    } else {
        References due = tick_periodic(at.t, z);
        if (crossing != kTimeEvent && z[kBegun] != 0.0) {
            const Triggered& of = triggered_[static_cast<std::size_t>(crossing)];
            double& whole = z[whole_number(static_cast<std::size_t>(crossing))];
            // Up to the next whole number, or down.
            if (inputs[of.input] > whole + 0.5) {
                whole = std::max(whole + 1.0, std::floor(inputs[of.input]));
                due.push_back(of.clock);
            } else {
                whole = std::floor(inputs[of.input]);
            }
        }
        if (z[kBegun] != 0.0) slave_->enter_events();
        pass_event(at.t, std::move(due), true, z);
    }
    z[kBegun] = 1.0;
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
    slave_->instantiate(setting());
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
