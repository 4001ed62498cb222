// SPDX-License-Identifier: BSD-3-Clause
// The model of an FMU: parameters until it is initialised, then steps.
#include "slave.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>

#include <dlfcn.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"

namespace ancora::fmu {
namespace {

namespace fs = std::filesystem;

// Times that importers have read or computed, beside what sums of them lose.
constexpr double kTimeSlack = 1e-6;  // of a step
// Steps to an end that nobody has named.
constexpr double kManySteps = 1e9;
constexpr std::size_t kMostVariables = 1'000'000;
// Constraints may be violated by so much of the model's size before states are projected, where the
// importer names no tolerance.
constexpr double kDriftTolerance = 1e-6;
// Relative step of central differences, near the third root of the rounding unit.
constexpr double kDifference = 6e-6;

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

std::string read_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(ErrorKind::file, fmt::format("cannot read \"{}\"", file.string()));
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> out(1);
    for (const char c : text) {
        if (c == at)
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

double number_of(const std::string& text, const fs::path& file) {
    double x = 0.0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || rest != text.data() + text.size() || !std::isfinite(x))
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" holds \"{}\" where a number belongs", file.string(), text));
    return x;
}

Description read_description(const fs::path& file) {
    const std::vector<std::string> lines = split(read_file(file), '\n');
    const auto damaged = [&](const char* what) {
        throw Error(ErrorKind::file, fmt::format("\"{}\" {}", file.string(), what));
    };
    if (lines.size() < 5 || lines[0] != "ancora fmu 2") damaged("is not of an FMU of Ancora");
    if (lines.size() > kMostVariables) damaged("is too long");
    Description out;
    out.token = lines[1];
    out.step = number_of(lines[2], file);
    if (!(out.step > 0.0)) damaged("has no step");
    const std::vector<std::string> sizes = split(lines[3], '\t');
    if (sizes.size() != 4) damaged("has no numbers of states and events");
    const double num_states = number_of(sizes[0], file), num_events = number_of(sizes[1], file);
    if (!(num_states >= 0.0 && num_states <= kMostVariables && num_events >= 0.0 &&
          num_events <= kMostVariables))
        damaged("has too many states");
    out.exchange.states.resize(static_cast<std::size_t>(num_states));
    out.exchange.num_events = static_cast<int>(num_events);
    out.exchange.has_works = number_of(sizes[2], file) != 0.0;
    out.is_for_steps = number_of(sizes[3], file) != 0.0;
    for (std::size_t i = 4; i < lines.size() && !lines[i].empty(); ++i) {
        const std::vector<std::string> cells = split(lines[i], '\t');
        if (cells.size() != 7) damaged("has a line that was cut");
        Variable& variable = out.variables.emplace_back();
        const double kind = number_of(cells[0], file), type = number_of(cells[1], file),
                     component = number_of(cells[4], file);
        if (!(kind >= 0.0 && kind <= 3.0 && type >= 0.0 && type <= 2.0 && component >= 0.0 &&
              component <= 2.0))
            damaged("has a variable of an unknown kind");
        variable.kind = static_cast<Variable::Kind>(static_cast<int>(kind));
        variable.type = static_cast<Variable::Type>(static_cast<int>(type));
        variable.name = plain_cell(cells[2]);
        variable.of = plain_cell(cells[3]);
        variable.component = static_cast<int>(component);
        variable.start = number_of(cells[5], file);
        variable.text = plain_cell(cells[6]);
    }
    // Forces, and parameters of three numbers, stand together.
    for (std::size_t i = 0; i < out.variables.size(); ++i) {
        const Variable& first = out.variables[i];
        if (first.name == first.of || first.component != 0) continue;
        for (std::size_t k = i; k < i + 3; ++k)
            if (k >= out.variables.size() || out.variables[k].of != first.of)
                damaged("has a vector that was cut");
    }
    return out;
}

std::string toml_quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out.append(1, '"');
}

fs::path own_folder() {
    Dl_info info;
    if (::dladdr(reinterpret_cast<const void*>(&open_libraries_beside), &info) == 0) return {};
    std::error_code error;
    const fs::path file = fs::canonical(info.dli_fname, error);
    return error ? fs::path() : file.parent_path();
}

/// Impacts, contacts that close, let go, stick or slip, elements that break.
long num_changes(const Simulation& simulation) {
    return static_cast<long>(simulation.events().size() + simulation.impacts().size() +
                             simulation.breaks().size());
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
    return hash;
}

constexpr std::uint64_t kMagic = 0x33304d46434e41;  // "ANCFM03"

class Writer {
public:
    template <class T>
    void put(const T& value) {
        const auto* const begin = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), begin, begin + sizeof value);
    }
    void put_bytes(const void* data, std::size_t size) {
        put(static_cast<std::uint64_t>(size));
        const auto* const begin = static_cast<const std::byte*>(data);
        bytes.insert(bytes.end(), begin, begin + size);
    }
    std::vector<std::byte> bytes;
};

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
    template <class T>
    T get() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::span<const std::byte> get_bytes() { return take(get<std::uint64_t>()); }
    std::string get_text() {
        const auto bytes = get_bytes();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    bool is_empty() const { return rest_.empty(); }

private:
    std::span<const std::byte> take(std::uint64_t size) {
        if (size > rest_.size()) refuse("the bytes of the state were cut");
        const auto out = rest_.first(size);
        rest_ = rest_.subspan(size);
        return out;
    }
    std::span<const std::byte> rest_;
};

}  // namespace

const char* name_of(Phase phase) {
    switch (phase) {
        case Phase::instantiated:
            return "instantiated";
        case Phase::initialization:
            return "initialization mode";
        case Phase::steps:
            return "step complete";
        case Phase::events:
            return "event mode";
        case Phase::continuous:
            return "continuous-time mode";
        case Phase::failed:
            return "step failed";
        case Phase::terminated:
            return "terminated";
        default:
            return "error";
    }
}

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

std::vector<std::byte> Snapshot::bytes(const std::string& token) const {
    Writer to;
    to.put(kMagic);
    to.put_bytes(token.data(), token.size());
    to.put(phase);
    to.put(static_cast<std::uint32_t>(is_set_up));
    to.put(start);
    to.put(tolerance);
    to.put(num_steps);
    to.put(static_cast<std::uint32_t>(stop.has_value()));
    to.put(stop.value_or(0.0));
    to.put(static_cast<std::uint64_t>(numbers.size()));
    for (const double x : numbers) to.put(x);
    for (const std::string& text : texts) to.put_bytes(text.data(), text.size());
    to.put_bytes(simulation.data(), simulation.size());
    to.put(static_cast<std::uint64_t>(outer.size()));
    for (const double x : outer) to.put(x);
    to.put(checksum(to.bytes));
    return std::move(to.bytes);
}

Snapshot Snapshot::from(std::span<const std::byte> bytes,
                        const std::string& token,
                        std::size_t num_variables) {
    if (bytes.size() < sizeof(std::uint64_t)) refuse("these bytes are no state");
    const auto body = bytes.first(bytes.size() - sizeof(std::uint64_t));
    if (Reader(bytes.last(sizeof(std::uint64_t))).get<std::uint64_t>() != checksum(body))
        refuse("the bytes of the state are damaged");
    Reader in(body);
    if (in.get<std::uint64_t>() != kMagic || in.get_text() != token)
        refuse("the state is of another FMU");
    Snapshot out;
    out.phase = in.get<Phase>();
    if (out.phase > Phase::error) refuse("the bytes of the state are damaged");
    out.is_set_up = in.get<std::uint32_t>() != 0;
    out.start = in.get<double>();
    out.tolerance = in.get<double>();
    if (!(out.tolerance >= 0.0)) refuse("the bytes of the state are damaged");
    out.num_steps = in.get<double>();
    if (!std::isfinite(out.start) || !(out.num_steps >= 0.0 && out.num_steps <= kManySteps))
        refuse("the bytes of the state are damaged");
    const bool has_stop = in.get<std::uint32_t>() != 0;
    const auto stop = in.get<double>();
    if (has_stop) out.stop = stop;
    if (in.get<std::uint64_t>() != num_variables) refuse("the state has other variables");
    for (std::size_t i = 0; i < num_variables; ++i) {
        out.numbers.push_back(in.get<double>());
        if (!std::isfinite(out.numbers.back())) refuse("the bytes of the state are damaged");
    }
    for (std::size_t i = 0; i < num_variables; ++i) out.texts.push_back(in.get_text());
    const auto simulation = in.get_bytes();
    out.simulation.assign(simulation.begin(), simulation.end());
    const auto num_outer = in.get<std::uint64_t>();
    if (num_outer > body.size()) refuse("the bytes of the state are damaged");
    for (std::uint64_t i = 0; i < num_outer; ++i) out.outer.push_back(in.get<double>());
    if (!in.is_empty()) refuse("the bytes of the state are damaged");
    return out;
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
    simulation_.reset();
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
    if (continuous_) continuous_->read_state(x_);
    now_.phase = use_ == Use::steps ? Phase::steps : Phase::events;
}

void Slave::terminate() {
    require({Phase::steps, Phase::failed, Phase::events, Phase::continuous}, "the end");
    now_.phase = Phase::terminated;
}

/// A simulation of so many steps, with the parameters that there are.
Simulation Slave::make(double num_steps) {
    std::vector<std::string> overrides;
    double step = description_.step;
    for (std::size_t i = 0; i < description_.variables.size(); ++i) {
        const Variable& variable = description_.variables[i];
        if (variable.kind != Variable::Kind::parameter) continue;
        if (variable.of == "integrator.step") step = now_.numbers[i];
        const auto is_changed = [&](std::size_t k) {
            return now_.numbers[k] != description_.variables[k].start;
        };
        if (variable.name != variable.of) {
            // three numbers, one behind the other
            if (variable.component == 0 &&
                (is_changed(i) || is_changed(i + 1) || is_changed(i + 2)))
                overrides.push_back(fmt::format("{}=[{}, {}, {}]",
                                                variable.of,
                                                now_.numbers[i],
                                                now_.numbers.at(i + 1),
                                                now_.numbers.at(i + 2)));
        } else if (variable.type == Variable::Type::text) {
            if (now_.texts[i] != variable.text)
                overrides.push_back(variable.of + "=" + toml_quoted(now_.texts[i]));
        } else if (is_changed(i)) {
            overrides.push_back(variable.type == Variable::Type::boolean
                                    ? variable.of + (now_.numbers[i] != 0.0 ? "=true" : "=false")
                                    : fmt::format("{}={}", variable.of, now_.numbers[i]));
        }
    }
    overrides.push_back(fmt::format("integrator.begin={}", now_.start));
    overrides.push_back(fmt::format("integrator.end={}", now_.start + num_steps * step));
    Manifest manifest = Manifest::parse(model_, model_file_, overrides);
    manifest.integrator.is_outer = use_ == Use::exchange;
    held_warnings_.clear();
    holds_warnings_ = true;
    try {
        Simulation made(manifest, registry_, [this](const std::string& text) {
            if (holds_warnings_)
                held_warnings_.push_back(text);
            else
                warn_(text);
        });
        holds_warnings_ = false;
        return made;
    } catch (...) {
        holds_warnings_ = false;
        throw;
    }
}

/// The simulation, made anew if parameters have changed.
Simulation& Slave::simulation() {
    if (simulation_ && !has_new_parameters_) return *simulation_;
    double step = description_.step;
    for (std::size_t i = 0; i < description_.variables.size(); ++i)
        if (description_.variables[i].of == "integrator.step") step = now_.numbers[i];
    continuous_.reset();
    simulation_.reset();
    too_many_steps_ = kManySteps;
    if (now_.num_steps > 0.0) {  // of a state
        simulation_.emplace(make(now_.num_steps));
    } else if (now_.stop) {
        // Whole steps, as many as the importer may ask for.
        const double rounding = std::numeric_limits<double>::epsilon() *
                                std::max(std::abs(*now_.stop), std::abs(now_.start)) / step;
        const double count = (*now_.stop - now_.start) / step - kTimeSlack - rounding;
        now_.num_steps = std::max(std::ceil(count), 1.0);
        simulation_.emplace(make(now_.num_steps));
    } else {
        try {
            simulation_.emplace(make(kManySteps));
            now_.num_steps = kManySteps;
        } catch (const Error& error) {
            // Tables may end where the model does; how far they reach is seen when it is asked for.
            if (error.kind() != ErrorKind::manifest) throw;
            const double end = Manifest::parse(model_, model_file_).integrator.end;
            const double num_steps =
                std::max(std::floor((end - now_.start) / step + kTimeSlack), 1.0);
            simulation_.emplace(make(num_steps));
            now_.num_steps = num_steps;
        }
    }
    for (const std::string& text : held_warnings_) warn_(text);
    handles_.clear();
    for (const Variable& variable : description_.variables)
        handles_.push_back(
            variable.kind == Variable::Kind::output ? simulation_->find_column(variable.of) : -1);
    has_new_parameters_ = false;
    has_new_inputs_ = true;
    if (use_ == Use::exchange) begin_exchange();
    return *simulation_;
}

/// Makes the simulation anew for more steps, at its state; false if the model's data end before.
/// Each time for twice as many, or for half of what is left up to where it was refused, so that it
/// happens seldom.
bool Slave::extend(double num_steps) {
    for (;;) {
        const double wanted = std::max(
            num_steps, std::min(2.0 * num_steps, std::floor(0.5 * (num_steps + too_many_steps_))));
        try {
            Simulation more = make(wanted);
            more.restore(simulation_->save());
            *simulation_ = std::move(more);
            now_.num_steps = wanted;
            has_new_inputs_ = true;
            return true;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::manifest) throw;
            too_many_steps_ = std::min(too_many_steps_, wanted);
            if (wanted > num_steps) continue;
            warn_(
                fmt::format("no stop time was given, and the model's data end: {}", error.what()));
            return false;
        }
    }
}

void Slave::apply_inputs() {
    if (!has_new_inputs_) return;
    Simulation& to = *simulation_;
    for (std::size_t i = 0; i < description_.variables.size(); ++i) {
        const Variable& variable = description_.variables[i];
        if (variable.kind == Variable::Kind::input) to.set_input(variable.of, now_.numbers[i]);
        // its three components stand one behind the other
        if (variable.kind == Variable::Kind::force && variable.component == 0)
            to.apply_force(variable.of,
                           {now_.numbers[i], now_.numbers.at(i + 1), now_.numbers.at(i + 2)});
    }
    has_new_inputs_ = false;
    if (continuous_) continuous_->refresh();
}

const Variable& Slave::variable(std::size_t index, Variable::Type type, const char* call) const {
    if (index >= description_.variables.size())
        refuse(fmt::format("{}: there is no variable {}", call, index));
    const Variable& variable = description_.variables[index];
    if (variable.type != type)
        refuse(fmt::format("{}: the variable \"{}\" is of another type", call, variable.name));
    return variable;
}

void Slave::set_number(std::size_t index, Variable::Type type, double value) {
    require({Phase::instantiated,
             Phase::initialization,
             Phase::steps,
             Phase::events,
             Phase::continuous},
            "a new value");
    if (index == description_.variables.size()) refuse("the time is not set, steps bring it");
    const Variable& of = variable(index, type, "a new value");
    if (!std::isfinite(value)) refuse(fmt::format("the value of \"{}\" is not finite", of.name));
    if (of.kind == Variable::Kind::output) refuse(fmt::format("\"{}\" is an output", of.name));
    if (of.kind == Variable::Kind::parameter) {
        if (now_.phase != Phase::instantiated && now_.phase != Phase::initialization)
            refuse(fmt::format("\"{}\" is a fixed parameter, and the initialization is over",
                               of.name));
        has_new_parameters_ = true;
        now_.num_steps = 0.0;
    } else {
        has_new_inputs_ = true;
    }
    now_.numbers[index] = value;
}

void Slave::set_text(std::size_t index, const std::string& value) {
    require({Phase::instantiated, Phase::initialization}, "a new value");
    variable(index, Variable::Type::text, "a new value");
    now_.texts[index] = value;
    has_new_parameters_ = true;
    now_.num_steps = 0.0;
}

void Slave::get_numbers(std::span<const unsigned> variables,
                        Variable::Type type,
                        std::span<double> to) {
    if (now_.phase == Phase::instantiated) require({}, "a value");
    std::vector<unsigned> outputs;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        if (type == Variable::Type::real && variables[k] == description_.variables.size()) {
            to[k] = time();
            continue;
        }
        const bool is_of_exchange = type == Variable::Type::real && continuous_ &&
                                    variables[k] >= description_.first_state();
        if (!is_of_exchange) {
            const Variable& of = variable(variables[k], type, "a value");
            if (of.kind != Variable::Kind::output) {
                to[k] = now_.numbers[variables[k]];
                continue;
            }
        }
        outputs.push_back(variables[k]);
        places.push_back(k);
    }
    if (places.empty()) return;
    if (!simulation_) refuse("there are no outputs: the initialization failed");
    if (now_.phase == Phase::initialization) simulation();
    if (now_.phase != Phase::terminated && now_.phase != Phase::failed) apply_inputs();
    std::vector<double> values(places.size());
    get_unknowns(outputs, values);
    for (std::size_t i = 0; i < places.size(); ++i) to[places[i]] = values[i];
}

/// Values of outputs alone.
void Slave::get_outputs(std::span<const unsigned> variables, std::span<double> to) {
    std::vector<int> handles;
    for (const unsigned k : variables) handles.push_back(handles_[k]);
    if (continuous_)
        continuous_->values(t_, x_, handles, to);
    else
        simulation_->values(handles, to);
}

const std::string& Slave::text(std::size_t index) const {
    if (now_.phase == Phase::instantiated) require({}, "a value");
    variable(index, Variable::Type::text, "a value");
    return now_.texts[index];
}

Slave::Step Slave::step(double time, double length, bool may_return) {
    require({Phase::steps}, "a step");
    Simulation& simulation = *simulation_;
    const double h = simulation.step_size();
    const auto done = static_cast<double>(simulation.steps_done());
    // A sum of steps is rounded once a step. Beyond half a step it would be another step.
    const double rounding = 0.5 * std::numeric_limits<double>::epsilon() * (done + 1.0) *
                            std::max(std::abs(time), std::abs(this->time()));
    const double slack = std::min(kTimeSlack * h + rounding, 0.5 * h);
    if (!std::isfinite(time) || std::abs(time - this->time()) > slack)
        refuse(fmt::format("the step begins at {} s, the instance is at {} s", time, this->time()));
    const double count = std::round(length / h);
    if (!std::isfinite(length) || count < 1.0 || std::abs(length - count * h) > slack)
        refuse(fmt::format(
            "a communication step of {} s is no whole number of steps of the model, {} s; "
            "step otherwise, or export with --param integrator.step and set that",
            length,
            h));
    const double last = done + count;
    if (last > static_cast<double>(simulation.num_steps())) {
        if (now_.stop)
            refuse(fmt::format("a step to {} s goes beyond the stop time", time + length));
        if (!extend(last)) {
            now_.phase = Phase::failed;
            return Step::discarded;
        }
    }
    apply_inputs();
    try {
        const long before = may_return ? num_changes(simulation) : 0;
        while (static_cast<double>(simulation.steps_done()) < last) {
            simulation.step();
            if (may_return && num_changes(simulation) != before) return Step::event;
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::numerical) throw;
        now_.phase = Phase::failed;
        warn_(error.what());
        return Step::discarded;
    }
    return Step::complete;
}

Snapshot Slave::snapshot() const {
    Snapshot out = now_;
    // What changes parameters makes the simulation anew.
    if (simulation_ && !has_new_parameters_) out.simulation = simulation_->save();
    if (continuous_ && !out.simulation.empty()) {
        out.outer.assign(1, t_);
        out.outer.insert(out.outer.end(), x_.begin(), x_.end());
        const std::vector<double> memory = continuous_->memory();
        out.outer.insert(out.outer.end(), memory.begin(), memory.end());
    }
    return out;
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
            simulation().restore(snapshot.simulation);
            if (continuous_) {
                if (snapshot.outer.size() < 1 + x_.size()) refuse("the state is of another model");
                t_ = snapshot.outer.front();
                std::copy_n(snapshot.outer.begin() + 1, x_.size(), x_.begin());
                continuous_->set_memory(std::span(snapshot.outer).subspan(1 + x_.size()));
            }
        }
        has_new_inputs_ = true;
    } catch (...) {
        now_ = before;
        has_new_parameters_ = true;
        throw;
    }
}

// --- event mode

void Slave::enter_events() {
    require({use_ == Use::exchange ? Phase::continuous : Phase::steps},
            "the entry into event mode");
    if (use_ == Use::steps) refuse("this instance was made without event mode");
    now_.phase = Phase::events;
}

Slave::Update Slave::update() {
    require({Phase::events}, "an update of discrete states");
    simulation();
    apply_inputs();
    Update out;
    if (!continuous_) {
        out.next_event = std::numeric_limits<double>::infinity();
        return out;
    }
    const std::vector<double> before = x_;
    continuous_->pass_events(t_, x_);
    out.has_changed = x_ != before;
    out.next_event = continuous_->next_time_event();
    return out;
}

void Slave::leave_events() {
    require({Phase::events}, "the end of event mode");
    now_.phase = use_ == Use::exchange ? Phase::continuous : Phase::steps;
}

// --- model exchange

void Slave::begin_exchange() {
    continuous_.emplace(*simulation_, description_.exchange.has_works);
    if (static_cast<std::size_t>(continuous_->num_states()) != num_states() ||
        continuous_->num_events() != description_.exchange.num_events)
        refuse(fmt::format(
            "with these parameters the model has {} states and {} event indicators, and "
            "the description {} and {}",
            continuous_->num_states(),
            continuous_->num_events(),
            num_states(),
            description_.exchange.num_events));
    x_.assign(num_states(), 0.0);
    continuous_->read_state(x_);
    t_ = now_.start;
}

void Slave::require_exchange(const char* call) const {
    if (use_ != Use::exchange) refuse(fmt::format("{} is of model exchange", call));
}

std::size_t Slave::num_indicators() const {
    return static_cast<std::size_t>(description_.exchange.num_events);
}

void Slave::set_time(double t) {
    require_exchange("a new time");
    require({Phase::events, Phase::continuous}, "a new time");
    if (!std::isfinite(t)) refuse("the time is not finite");
    t_ = t;
}

void Slave::get_states(std::span<double> x) const {
    require_exchange("the continuous states");
    if (!continuous_) refuse("there are no states before the initialization");
    if (x.size() != x_.size()) refuse(fmt::format("there are {} states", x_.size()));
    std::ranges::copy(x_, x.begin());
}

void Slave::set_states(std::span<const double> x) {
    require_exchange("new states");
    require({Phase::continuous}, "new states");
    if (x.size() != x_.size()) refuse(fmt::format("there are {} states", x_.size()));
    for (const double value : x)
        if (!std::isfinite(value)) refuse("a state is not finite");
    std::ranges::copy(x, x_.begin());
}

void Slave::derivatives(std::span<double> dx) {
    require_exchange("the derivatives");
    require({Phase::initialization, Phase::events, Phase::continuous}, "the derivatives");
    if (dx.size() != x_.size()) refuse(fmt::format("there are {} states", x_.size()));
    simulation();
    apply_inputs();
    continuous_->derivative(t_, x_, dx);
}

void Slave::indicators(std::span<double> g) {
    require_exchange("the event indicators");
    require({Phase::initialization, Phase::events, Phase::continuous}, "the event indicators");
    if (g.size() != num_indicators())
        refuse(fmt::format("there are {} event indicators", num_indicators()));
    simulation();
    apply_inputs();
    continuous_->event_functions(t_, x_, g);
}

bool Slave::complete_step() {
    require_exchange("a completed integrator step");
    require({Phase::continuous}, "a completed integrator step");
    apply_inputs();
    return continuous_->complete_step(
        t_, x_, now_.tolerance > 0.0 ? now_.tolerance : kDriftTolerance);
}

/// Values of outputs, states, derivatives and indicators at (t, x).
void Slave::get_unknowns(std::span<const unsigned> variables, std::span<double> to) {
    const std::size_t first = description_.first_state(), n = num_states();
    std::vector<double> dx, g, values;
    std::vector<unsigned> outputs;
    for (const unsigned k : variables)
        if (k < first) outputs.push_back(k);
    values.resize(outputs.size());
    if (!outputs.empty()) get_outputs(outputs, values);
    std::size_t output = 0;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (variables[i] < first) {
            to[i] = values[output++];
            continue;
        }
        const std::size_t k = variables[i] - first;
        if (k < n) {
            to[i] = x_[k];
        } else if (k < 2 * n) {
            if (dx.empty()) {
                dx.resize(n);
                continuous_->derivative(t_, x_, dx);
            }
            to[i] = dx[k - n];
        } else if (k < 2 * n + num_indicators()) {
            if (g.empty()) {
                g.resize(num_indicators());
                continuous_->event_functions(t_, x_, g);
            }
            to[i] = g[k - 2 * n];
        } else {
            refuse(fmt::format("a value: there is no variable {}", variables[i]));
        }
    }
}

void Slave::directional_derivative(std::span<const unsigned> unknowns,
                                   std::span<const unsigned> knowns,
                                   std::span<const double> seed,
                                   std::span<double> to) {
    require_exchange("a directional derivative");
    require({Phase::initialization, Phase::events, Phase::continuous}, "a directional derivative");
    simulation();
    apply_inputs();
    const std::size_t first = description_.first_state();
    for (const unsigned k : unknowns) {
        const bool is_output = k < description_.variables.size() &&
                               description_.variables[k].kind == Variable::Kind::output;
        if (!is_output && !(k >= first && k < first + 2 * num_states() + num_indicators()))
            refuse(fmt::format("variable {} is no unknown", k));
    }
    // The step is a part of what the known values are, or of 1.
    double largest = 0.0, size = 1.0;
    for (std::size_t i = 0; i < knowns.size(); ++i) {
        const unsigned k = knowns[i];
        const bool is_state = k >= first && k < first + num_states();
        const bool is_input = k < description_.variables.size() &&
                              (description_.variables[k].kind == Variable::Kind::input ||
                               description_.variables[k].kind == Variable::Kind::force);
        if (!is_state && !is_input) refuse(fmt::format("variable {} is no state and no input", k));
        if (!std::isfinite(seed[i])) refuse("a seed is not finite");
        if (seed[i] == 0.0) continue;
        largest = std::max(largest, std::abs(seed[i]));
        size = std::max(size, std::abs(is_state ? x_[k - first] : now_.numbers[k]));
    }
    std::ranges::fill(to, 0.0);
    if (largest == 0.0) return;
    const double h = kDifference * size / largest;
    const std::vector<double> x = x_, numbers = now_.numbers;
    const auto go = [&](double by) {
        x_ = x;
        now_.numbers = numbers;
        for (std::size_t i = 0; i < knowns.size(); ++i) {
            if (knowns[i] >= first)
                x_[knowns[i] - first] += by * seed[i];
            else
                now_.numbers[knowns[i]] += by * seed[i];
            has_new_inputs_ |= knowns[i] < first;
        }
        apply_inputs();
    };
    std::vector<double> behind(to.size());
    try {
        go(h);
        get_unknowns(unknowns, to);
        go(-h);
        get_unknowns(unknowns, behind);
    } catch (...) {
        go(0.0);
        throw;
    }
    go(0.0);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = (to[i] - behind[i]) / (2.0 * h);
}

}  // namespace ancora::fmu
