// SPDX-License-Identifier: BSD-3-Clause
// FMI 2.0 and 3.0, by the names and arguments of the standards (2.0.4, sections 2.1 and 4.2; 3.0.1,
// sections 2.2 and 4.2).
#include "slave.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include <dlfcn.h>

namespace ancora::fmu {
namespace {

constexpr int kWarning = 1, kDiscard = 2;

// --- numbers of a type

/// Calls f.operator()<T>() with the type that the functions have.
template <class F>
void with_type(Type type, bool has_wide_truth, const F& f) {
    switch (type) {
        case Type::float64:
            return f.template operator()<double>();
        case Type::float32:
            return f.template operator()<float>();
        case Type::int8:
            return f.template operator()<std::int8_t>();
        case Type::uint8:
            return f.template operator()<std::uint8_t>();
        case Type::int16:
            return f.template operator()<std::int16_t>();
        case Type::uint16:
            return f.template operator()<std::uint16_t>();
        case Type::int32:
            return f.template operator()<std::int32_t>();
        case Type::uint32:
            return f.template operator()<std::uint32_t>();
        case Type::int64:
            return f.template operator()<std::int64_t>();
        case Type::uint64:
            return f.template operator()<std::uint64_t>();
        case Type::boolean:
            return has_wide_truth ? f.template operator()<int>() : f.template operator()<bool>();
        case Type::other:
            break;
    }
    throw std::runtime_error("a variable is no number");
}

[[noreturn]] void refuse_value(const Port& port, double x, const char* takes) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    throw std::runtime_error("its \"" + port.name + "\" takes " + takes + ", and is given " + text);
}

// What formulas lose, so that 0.3/0.1 is 3.
constexpr double kRounding = 1e-9;

template <class T>
T converted(const Port& port, double x) {
    if (std::is_integral_v<T> &&
        std::abs(x - std::round(x)) <= kRounding * std::max(1.0, std::abs(x)))
        x = std::round(x);
    if (port.type == Type::boolean) {
        if (x != 0.0 && x != 1.0) refuse_value(port, x, "0 or 1, a truth value");
        return static_cast<T>(x != 0.0);
    }
    if constexpr (std::is_integral_v<T>) {
        if (x != std::floor(x)) refuse_value(port, x, "whole numbers");
        // Ends as powers of two, which are exact.
        const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
        if (!(x < end && x >= (std::is_signed_v<T> ? -end : 0.0)))
            refuse_value(port, x, "whole numbers of fewer digits");
    } else if (!std::isfinite(static_cast<T>(x))) {
        refuse_value(port, x, "numbers of single precision");
    }
    return static_cast<T>(x);
}

/// Whole numbers beyond 2^53 have no place in a signal.
template <class T>
double as_signal(const Port& port, T x) {
    if constexpr (std::is_integral_v<T> && std::numeric_limits<T>::digits > 53) {
        if (static_cast<double>(x) >= 0x1p53 || static_cast<double>(x) <= -0x1p53)
            throw std::runtime_error("its \"" + port.name + "\" is " + std::to_string(x) +
                                     ", more than a signal can hold exactly");
    }
    return static_cast<double>(x);
}

/// Calls f(first, last, offset, number of elements) for ports of one type that stand together.
template <class F>
void by_type(const Ports& ports, const F& f) {
    std::size_t offset = 0;
    for (std::size_t first = 0; first < ports.size();) {
        std::size_t last = first, count = 0;
        for (; last < ports.size() && ports[last].type == ports[first].type; ++last)
            count += ports[last].count;
        f(first, last, offset, count);
        offset += count;
        first = last;
    }
}

// --- the library

/// What differs between the versions in names alone.
struct Version {
    const char *prefix, *platform, *instantiate, *instantiate_exchange;
    const char* derivatives;                   ///< in the name of their call
    const char *state, *read;                  ///< parts of the names of calls for states
    bool has_wide_truth;                       ///< truth values are int
    std::array<const char*, kNumTypes> types;  ///< in the names of calls for values
};
constexpr Version kVersion2 = {
    "fmi2",
    "linux64",
    "Instantiate",
    "Instantiate",
    "Derivatives",
    "FMUstate",
    "DeSerialize",
    true,
    {"Real", "", "", "", "", "", "Integer", "", "", "", "Boolean"},
};
constexpr Version kVersion3 = {
    "fmi3",
    "x86_64-linux",
    "InstantiateCoSimulation",
    "InstantiateModelExchange",
    "ContinuousStateDerivatives",
    "FMUState",
    "Deserialize",
    false,
    {"Float64",
     "Float32",
     "Int8",
     "UInt8",
     "Int16",
     "UInt16",
     "Int32",
     "UInt32",
     "Int64",
     "UInt64",
     "Boolean"},
};

/// A library that stays open: what it started may still run.
class Library {
public:
    Library(const std::filesystem::path& file, const char* prefix) : prefix_(prefix) {
        handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) return;
        const char* const said = ::dlerror();
        throw std::runtime_error(std::string("its library cannot be loaded: ") +
                                 (said != nullptr ? said : "no reason given"));
    }
    std::string symbol(const std::string& name) const { return prefix_ + name; }
    void* find(const std::string& name, bool is_needed) const {
        void* const function = ::dlsym(handle_, symbol(name).c_str());
        if (function == nullptr && is_needed)
            throw std::runtime_error("its library has no " + symbol(name));
        return function;
    }

private:
    const char* prefix_;
    void* handle_ = nullptr;
};

/// A function of the library; null if it is missing and not needed.
template <class Of>
struct Function {
    Function(const Library& library, std::string of, bool is_needed = true)
        : name(std::move(of)), call(reinterpret_cast<Of*>(library.find(name, is_needed))) {}
    std::string name;
    Of* call;
};

std::filesystem::path library_of(const std::filesystem::path& folder,
                                 const Description& description,
                                 const Version& version) {
    std::filesystem::path file =
        folder / "binaries" / version.platform / (description.identifier + ".so");
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
        throw std::runtime_error("it has no library for this machine, " +
                                 file.lexically_relative(folder).string());
    return file;
}

/// A path as a URI, RFC 3986.
std::string uri_of(const std::filesystem::path& path) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out = "file://";
    for (const char c : path.string()) {
        const auto byte = static_cast<unsigned char>(c);
        if (kPlain.find(c) != std::string_view::npos)
            out += c;
        else
            out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return out;
}

// --- what both versions do

/// The library with its instance, and the calls that differ in their names alone.
class OpenSlave : public Slave {
public:
    ~OpenSlave() override { forget(); }

    void require(const Ports& ports, bool is_set) const override {
        for (const Port& port : ports) function_of(port.type, is_set);
    }
    std::vector<char> state() override {
        const Kept kept(*this);
        run(get_state_, &kept.state);
        std::size_t size = 0;
        run(size_of_state_, kept.state, &size);
        std::vector<char> bytes(size);
        run(write_state_, kept.state, bytes.data(), size);
        return bytes;
    }
    void restore(std::span<const char> bytes) override {
        const Kept kept(*this);
        run(read_state_, bytes.data(), bytes.size(), &kept.state);
        run(set_state_, kept.state);
    }

    void enter_events() override { run(enter_events_); }
    void leave_events() override { run(leave_events_); }
    void set_point(double t, std::span<const double> x) override {
        run(set_time_, t);
        if (!x.empty()) run(set_x_, x.data(), x.size());
    }
    void get_states(std::span<double> x) override {
        if (!x.empty()) run(get_x_, x.data(), x.size());
    }
    void derivatives(std::span<double> dx) override {
        if (!dx.empty()) run(derivatives_, dx.data(), dx.size());
    }
    void indicators(std::span<double> g) override {
        if (!g.empty()) run(indicators_, g.data(), g.size());
    }

protected:
    using Instance = void*;
    using State = void*;
    /// A function of an instance, which returns a status.
    template <class... Arguments>
    using Call = Function<int(Instance, Arguments...)>;

    OpenSlave(const std::filesystem::path& folder,
              const Description& description,
              std::string name,
              const Version& version,
              Use use)
        : Slave(version.has_wide_truth),
          version_(version),
          is_exchange_(use == Use::exchange),
          ticks_(!description.clocks.empty()),
          library_(library_of(folder, description, version), version.prefix),
          has_states_(description.has_states),
          token_(description.token),
          name_(std::move(name)) {
        for (std::size_t i = 0; i < kNumTypes; ++i)
            for (const bool is_set : {false, true})
                if (*version.types[i] != '\0')
                    typed_[is_set][i] = library_.find(called(static_cast<Type>(i), is_set), false);
    }

    template <class... Parameters, class... Arguments>
    void run(const Call<Parameters...>& of, Arguments... arguments) {
        if (of.call == nullptr)
            throw std::runtime_error("its library has no " + library_.symbol(of.name));
        check(of.name, of.call(instance_, arguments...));
    }
    /// A function for values, whose arguments a version has.
    template <class... Arguments>
    void run_typed(Type type, bool is_set, Arguments... arguments) {
        using Typed = int (*)(Instance, Arguments...);
        check(called(type, is_set),
              reinterpret_cast<Typed>(function_of(type, is_set))(instance_, arguments...));
    }

    const char* instantiate_name() const {
        return is_exchange_ ? version_.instantiate_exchange : version_.instantiate;
    }
    [[noreturn]] static void refuse_end() { throw std::runtime_error("it ended its simulation"); }

    const Version& version_;
    bool is_exchange_, ticks_;
    Library library_;
    bool has_states_;
    std::string token_, name_;
    Instance instance_ = nullptr;
    Function<void(Instance)> free_{library_, "FreeInstance"};
    Call<> exit_{library_, "ExitInitializationMode"};

private:
    Call<> enter_events_{library_, "EnterEventMode", is_exchange_ || ticks_};
    Call<> leave_events_{
        library_, ticks_ ? "EnterStepMode" : "EnterContinuousTimeMode", is_exchange_ || ticks_};
    Call<double> set_time_{library_, "SetTime", is_exchange_};
    Call<const double*, std::size_t> set_x_{library_, "SetContinuousStates", is_exchange_};
    Call<double*, std::size_t> get_x_{library_, "GetContinuousStates", is_exchange_};
    Call<double*, std::size_t> derivatives_{
        library_, std::string("Get") + version_.derivatives, is_exchange_};
    Call<double*, std::size_t> indicators_{library_, "GetEventIndicators", is_exchange_};

    struct Kept {
        explicit Kept(OpenSlave& of) : slave(of) {}
        ~Kept() {
            if (state != nullptr) slave.free_state_.call(slave.instance_, &state);
        }
        Kept(const Kept&) = delete;
        Kept& operator=(const Kept&) = delete;
        OpenSlave& slave;
        mutable State state = nullptr;
    };

    virtual Instance instantiated() = 0;
    void make_instance() override {
        forget();
        said_.clear();
        instance_ = instantiated();
        check(instantiate_name(), instance_ != nullptr ? 0 : kDiscard);
    }
    void forget() {
        if (instance_ != nullptr) free_.call(instance_);
        instance_ = nullptr;
    }
    std::string called(Type type, bool is_set) const {
        return (is_set ? "Set" : "Get") +
               std::string(version_.types[static_cast<std::size_t>(type)]);
    }
    void* function_of(Type type, bool is_set) const {
        void* const function = typed_[is_set][static_cast<std::size_t>(type)];
        if (function == nullptr)
            throw std::runtime_error("its library has no " + library_.symbol(called(type, is_set)));
        return function;
    }

    std::array<std::array<void*, kNumTypes>, 2> typed_{};  // those that get, those that set
    const std::string word_ = version_.state;
    Call<State*> get_state_{library_, "Get" + word_, has_states_};
    Call<State> set_state_{library_, "Set" + word_, has_states_};
    Call<State*> free_state_{library_, "Free" + word_, has_states_};
    Call<State, std::size_t*> size_of_state_{library_, "Serialized" + word_ + "Size", has_states_};
    Call<State, char*, std::size_t> write_state_{library_, "Serialize" + word_, has_states_};
    Call<const char*, std::size_t, State*> read_state_{
        library_, version_.read + word_, has_states_};
};

// --- FMI 2.0

class Slave2 final : public OpenSlave {
    struct Callbacks {
        void (*logger)(void*, const char*, int, const char*, const char*, ...);
        void* (*allocate)(std::size_t, std::size_t);
        void (*release)(void*);
        void (*step_finished)(void*, int);
        void* environment;
    };

public:
    Slave2(const std::filesystem::path& folder,
           const Description& description,
           std::string name,
           Use use)
        : OpenSlave(folder, description, std::move(name), kVersion2, use),
          resources_(uri_of(folder / "resources")) {}

    Reached step(double t, double end) override {
        const int status = step_.call(instance_, t, end - t, 1);
        constexpr int kTerminated = 3;
        int has_ended = 0;
        if (status == kDiscard && truth_of_.call != nullptr &&
            truth_of_.call(instance_, kTerminated, &has_ended) <= kWarning && has_ended != 0)
            throw std::runtime_error("it ended its simulation" +
                                     (said_.empty() ? std::string() : ": " + said_));
        check(step_.name, status);
        return {end, false};
    }
    Update update() override {
        EventInfo info{};
        run(update_, &info);
        if (info.ends != 0) refuse_end();
        return {info.needs_another != 0, info.has_next != 0, info.next};
    }
    bool complete_step() override {
        int enters = 0, ends = 0;
        run(complete_, 1, &enters, &ends);
        if (ends != 0) refuse_end();
        return enters != 0;
    }
    void tick(const References&) override {}  // 2.0 has no clocks
    std::vector<bool> are_ticking(const References& clocks) override {
        return std::vector<bool>(clocks.size());
    }
    Interval interval_of(unsigned) override { return {}; }
    Interval first_interval_of(unsigned) override { return {}; }

private:
    struct EventInfo {
        int needs_another, ends, has_new_nominals, has_new_states, has_next;
        double next;
    };

    Instance instantiated() override {
        const int kind = is_exchange_ ? 0 : 1;
        return instantiate_.call(
            name_.c_str(), kind, token_.c_str(), resources_.c_str(), &callbacks_, 0, 1);
    }
    void configure(const Given&) override {}  // by 2.0 arrays have no sizes to set
    void initialise(double t, const Given& inputs) override {
        run(setup_, 0, 0.0, t, 0, 0.0);
        run(enter_);
        set(inputs);
        run(exit_);
    }
    void transfer(
        Type type, bool is_set, const References& of, void* values, std::size_t) override {
        run_typed(type, is_set, of.data(), of.size(), values);
    }
    static void log(
        void* environment, const char*, int status, const char*, const char* message, ...) {
        if (environment == nullptr || message == nullptr || status < kWarning) return;
        char text[1024];
        std::va_list arguments;
        va_start(arguments, message);
        // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): the standard's way
        std::vsnprintf(text, sizeof text, message, arguments);
        va_end(arguments);
        static_cast<Slave2*>(environment)->said_ = text;
    }

    std::string resources_;
    Callbacks callbacks_{&log, &std::calloc, &std::free, nullptr, this};
    Function<Instance(const char*, int, const char*, const char*, const Callbacks*, int, int)>
        instantiate_{library_, instantiate_name()};
    Call<int, double, double, int, double> setup_{library_, "SetupExperiment"};
    Call<> enter_{library_, "EnterInitializationMode"};
    Call<double, double, int> step_{library_, "DoStep", !is_exchange_};
    Call<EventInfo*> update_{library_, "NewDiscreteStates", is_exchange_};
    Call<int, int*, int*> complete_{library_, "CompletedIntegratorStep", is_exchange_};
    Call<int, int*> truth_of_{library_, "GetBooleanStatus", false};
};

// --- FMI 3.0

class Slave3 final : public OpenSlave {
    using Log = void (*)(void*, int, const char*, const char*);

public:
    Slave3(const std::filesystem::path& folder,
           const Description& description,
           std::string name,
           Use use)
        : OpenSlave(folder, description, std::move(name), kVersion3, use),
          resources_((folder / "resources").string() + '/') {
        for (const Clock& clock : description.clocks)
            if (clock.kind == Clock::Kind::changing || clock.kind == Clock::Kind::countdown)
                chosen_.push_back(clock.reference);
    }

    Reached step(double t, double end) override {
        bool has_event = false, ends = false, is_early = false;
        double reached = end;
        run(step_, t, end - t, true, &has_event, &ends, &is_early, &reached);
        if (ends) refuse_end();
        if (!std::isfinite(reached) || reached < t)
            throw std::runtime_error("its fmi3DoStep has gone back in time");
        return {is_early ? reached : end, has_event};
    }
    Update update() override {
        Update out;
        bool ends = false, has_new_nominals = false, has_new_states = false;
        run(update_,
            &out.needs_another,
            &ends,
            &has_new_nominals,
            &has_new_states,
            &out.has_next,
            &out.next);
        if (ends) refuse_end();
        return out;
    }
    bool complete_step() override {
        bool enters = false, ends = false;
        run(complete_, true, &enters, &ends);
        if (ends) refuse_end();
        return enters;
    }
    void tick(const References& clocks) override {
        const auto active = std::make_unique<bool[]>(clocks.size());
        std::fill_n(active.get(), clocks.size(), true);
        run(set_clock_, clocks.data(), clocks.size(), active.get());
    }
    std::vector<bool> are_ticking(const References& clocks) override {
        const auto active = std::make_unique<bool[]>(clocks.size());
        run(get_clock_, clocks.data(), clocks.size(), active.get());
        return std::vector<bool>(active.get(), active.get() + clocks.size());
    }
    Interval interval_of(unsigned clock) override {
        Interval out;
        int told = 0;
        run(interval_, &clock, std::size_t{1}, &out.seconds, &told);
        out.told = static_cast<Interval::Told>(told);
        return out;
    }
    Interval first_interval_of(unsigned clock) override { return first_.at(clock); }

private:
    Instance instantiated() override {
        const char *const name = name_.c_str(), *const token = token_.c_str();
        if (is_exchange_)
            return exchange_.call(name, token, resources_.c_str(), false, true, this, &log);
        return instantiate_.call(name,
                                 token,
                                 resources_.c_str(),
                                 false,
                                 true,
                                 ticks_,
                                 ticks_,
                                 nullptr,
                                 0,
                                 this,
                                 &log,
                                 nullptr);
    }
    void configure(const Given& sizes) override {
        if (sizes.ports.empty()) return;
        if (enter_configuration_.call == nullptr || exit_configuration_.call == nullptr)
            throw std::runtime_error("its library has no fmi3EnterConfigurationMode");
        run(enter_configuration_);
        set(sizes);
        run(exit_configuration_);
    }
    void initialise(double t, const Given& inputs) override {
        run(enter_, false, 0.0, t, false, 0.0);
        set(inputs);
        for (const unsigned clock : chosen_) first_[clock] = interval_of(clock);
        run(exit_);
    }
    void transfer(Type type,
                  bool is_set,
                  const References& of,
                  void* values,
                  std::size_t num_values) override {
        run_typed(type, is_set, of.data(), of.size(), values, num_values);
    }
    static void log(void* environment, int status, const char*, const char* message) {
        if (environment == nullptr || message == nullptr || status < kWarning) return;
        static_cast<Slave3*>(environment)->said_ = message;
    }

    std::string resources_;
    using Text = const char*;
    Function<Instance(
        Text, Text, Text, bool, bool, bool, bool, const unsigned*, std::size_t, void*, Log, void*)>
        instantiate_{library_, version_.instantiate, !is_exchange_};
    Function<Instance(Text, Text, Text, bool, bool, void*, Log)> exchange_{
        library_, version_.instantiate_exchange, is_exchange_};
    Call<bool, double, double, bool, double> enter_{library_, "EnterInitializationMode"};
    Call<> enter_configuration_{library_, "EnterConfigurationMode", false};
    Call<> exit_configuration_{library_, "ExitConfigurationMode", false};
    Call<double, double, bool, bool*, bool*, bool*, double*> step_{
        library_, "DoStep", !is_exchange_};
    Call<bool*, bool*, bool*, bool*, bool*, double*> update_{
        library_, "UpdateDiscreteStates", is_exchange_ || ticks_};
    References chosen_;  // clocks whose ticks the FMU chooses
    std::map<unsigned, Interval> first_;
    Call<const unsigned*, std::size_t, const bool*> set_clock_{library_, "SetClock", false};
    Call<const unsigned*, std::size_t, bool*> get_clock_{library_, "GetClock", false};
    Call<const unsigned*, std::size_t, double*, int*> interval_{
        library_, "GetIntervalDecimal", false};
    Call<bool, bool*, bool*> complete_{library_, "CompletedIntegratorStep", is_exchange_};
};

References references_of(const Ports& ports, std::size_t first, std::size_t last) {
    References out;
    for (std::size_t i = first; i < last; ++i) out.push_back(ports[i].reference);
    return out;
}

}  // namespace

void Slave::instantiate(const Setting& setting) {
    make_instance();
    configure(setting.sizes);
    set(setting.starts);
}

void Slave::begin(double t, const Setting& setting, const Given& inputs) {
    instantiate(setting);
    initialise(t, inputs);
}

void Slave::set(const Given& given) {
    const Ports& ports = given.ports;
    by_type(ports, [&](std::size_t first, std::size_t last, std::size_t at, std::size_t count) {
        with_type(ports[first].type, has_wide_truth_, [&]<class T>() {
            const auto values = std::make_unique<T[]>(count);  // a vector of bool is no array
            std::size_t k = 0;
            for (std::size_t i = first; i < last; ++i)
                for (std::size_t end = k + ports[i].count; k < end; ++k)
                    values[k] = converted<T>(ports[i], given.values[at + k]);
            transfer(
                ports[first].type, true, references_of(ports, first, last), values.get(), count);
        });
    });
}

void Slave::get(const Ports& ports, std::span<double> to) {
    by_type(ports, [&](std::size_t first, std::size_t last, std::size_t at, std::size_t count) {
        with_type(ports[first].type, has_wide_truth_, [&]<class T>() {
            const auto values = std::make_unique<T[]>(count);
            transfer(
                ports[first].type, false, references_of(ports, first, last), values.get(), count);
            std::size_t k = 0;
            for (std::size_t i = first; i < last; ++i)
                for (std::size_t end = k + ports[i].count; k < end; ++k)
                    to[at + k] = as_signal(ports[i], values[k]);
        });
    });
}

void Slave::check(const std::string& call, int status) {
    if (status <= kWarning) return;
    constexpr const char* kWords[] = {"", "", "discard", "error", "fatal", "pending"};
    const char* const word = status <= 5 ? kWords[status] : "an unknown status";
    throw std::runtime_error("its " + call + " returned " + word +
                             (said_.empty() ? "" : ": " + said_));
}

std::unique_ptr<Slave> open_slave(const std::filesystem::path& folder,
                                  const Description& description,
                                  const std::string& name,
                                  Use use) {
    if (description.version == 2) return std::make_unique<Slave2>(folder, description, name, use);
    return std::make_unique<Slave3>(folder, description, name, use);
}

}  // namespace ancora::fmu
