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
    if (lines.size() < 4 || lines[0] != "ancora fmu 1") damaged("is not of an FMU of Ancora");
    if (lines.size() > kMostVariables) damaged("is too long");
    Description out;
    out.token = lines[1];
    out.step = number_of(lines[2], file);
    if (!(out.step > 0.0)) damaged("has no step");
    for (std::size_t i = 3; i < lines.size() && !lines[i].empty(); ++i) {
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

std::uint64_t checksum(std::span<const std::byte> bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
    return hash;
}

constexpr std::uint64_t kMagic = 0x32304d46434e41;  // "ANCFM02"

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
    to.put(num_steps);
    to.put(static_cast<std::uint32_t>(stop.has_value()));
    to.put(stop.value_or(0.0));
    to.put(static_cast<std::uint64_t>(numbers.size()));
    for (const double x : numbers) to.put(x);
    for (const std::string& text : texts) to.put_bytes(text.data(), text.size());
    to.put_bytes(simulation.data(), simulation.size());
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
    if (!in.is_empty()) refuse("the bytes of the state are damaged");
    return out;
}

Slave::Slave(const fs::path& resources, Warn warn)
    : description_(read_description(resources / "variables.txt")),
      model_file_(resources / "model.toml"),
      model_(read_file(model_file_)),
      warn_(std::move(warn)) {
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
    simulation_.reset();
    now_ = {};
    for (const Variable& variable : description_.variables) {
        now_.numbers.push_back(variable.start);
        now_.texts.push_back(variable.text);
    }
    has_new_parameters_ = has_new_inputs_ = false;
}

void Slave::set_up(double start, std::optional<double> stop) {
    require({Phase::instantiated}, "the experiment's setup");
    if (!std::isfinite(start)) refuse("the start time is not finite");
    if (stop && !(*stop > start && std::isfinite(*stop)))
        refuse("the stop time is not behind the start");
    now_.is_set_up = true;
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
    now_.phase = Phase::steps;
}

void Slave::terminate() {
    require({Phase::steps, Phase::failed}, "the end");
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
    const Manifest manifest = Manifest::parse(model_, model_file_, overrides);
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
    require({Phase::instantiated, Phase::initialization, Phase::steps}, "a new value");
    if (index == description_.variables.size()) refuse("the time is not set, steps bring it");
    const Variable& of = variable(index, type, "a new value");
    if (!std::isfinite(value)) refuse(fmt::format("the value of \"{}\" is not finite", of.name));
    if (of.kind == Variable::Kind::output) refuse(fmt::format("\"{}\" is an output", of.name));
    if (of.kind == Variable::Kind::parameter) {
        if (now_.phase == Phase::steps)
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
    std::vector<int> handles;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        if (type == Variable::Type::real && variables[k] == description_.variables.size()) {
            to[k] = time();
            continue;
        }
        const Variable& of = variable(variables[k], type, "a value");
        if (of.kind != Variable::Kind::output) {
            to[k] = now_.numbers[variables[k]];
            continue;
        }
        places.push_back(k);
    }
    if (places.empty()) return;
    if (!simulation_) refuse("there are no outputs: the initialization failed");
    if (now_.phase == Phase::initialization) simulation();
    if (now_.phase == Phase::initialization || now_.phase == Phase::steps) apply_inputs();
    handles.reserve(places.size());
    for (const std::size_t k : places) handles.push_back(handles_[variables[k]]);
    std::vector<double> values(handles.size());
    simulation_->values(handles, values);
    for (std::size_t i = 0; i < places.size(); ++i) to[places[i]] = values[i];
}

const std::string& Slave::text(std::size_t index) const {
    if (now_.phase == Phase::instantiated) require({}, "a value");
    variable(index, Variable::Type::text, "a value");
    return now_.texts[index];
}

Slave::Step Slave::step(double time, double length) {
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
        while (static_cast<double>(simulation.steps_done()) < last) simulation.step();
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
    try {
        has_new_parameters_ |= !same;
        if (snapshot.simulation.empty()) {
            simulation_.reset();
            if (now_.phase != Phase::instantiated && now_.phase != Phase::error) {
                has_new_parameters_ = true;
                simulation();
            }
        } else {
            simulation().restore(snapshot.simulation);
        }
        has_new_inputs_ = true;
    } catch (...) {
        now_ = before;
        has_new_parameters_ = true;
        throw;
    }
}

}  // namespace ancora::fmu
