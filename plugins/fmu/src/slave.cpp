// SPDX-License-Identifier: BSD-3-Clause
// FMI 2.0 and 3.0, by the names and arguments of the standards (2.0.4, sections 2.1 and 4.2; 3.0.1,
// sections 2.2 and 4.2).
#include "slave.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <dlfcn.h>

namespace ancora::fmu {
namespace {

constexpr int kWarning = 1, kDiscard = 2;

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
    template <class Function>
    void find(const char* name, Function& function, bool is_needed = true) const {
        const std::string symbol = prefix_ + std::string(name);
        function = reinterpret_cast<Function>(::dlsym(handle_, symbol.c_str()));
        if (function == nullptr && is_needed)
            throw std::runtime_error("its library has no " + symbol);
    }

private:
    const char* prefix_;
    void* handle_ = nullptr;
};

std::filesystem::path library_of(const std::filesystem::path& folder,
                                 const Description& description) {
    const std::filesystem::path file = folder / "binaries" /
                                       (description.version == 2 ? "linux64" : "x86_64-linux") /
                                       (description.identifier + ".so");
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

// --- FMI 2.0

class Slave2 final : public Slave {
    using Instance = void*;
    using State = void*;
    struct Callbacks {
        void (*logger)(void*, const char*, int, const char*, const char*, ...);
        void* (*allocate)(std::size_t, std::size_t);
        void (*release)(void*);
        void (*step_finished)(void*, int);
        void* environment;
    };

public:
    Slave2(const std::filesystem::path& folder, const Description& description, std::string name)
        : library_(library_of(folder, description), "fmi2"),
          token_(description.token),
          name_(std::move(name)),
          resources_(uri_of(folder / "resources")),
          callbacks_{&log, &std::calloc, &std::free, nullptr, this} {
        library_.find("Instantiate", instantiate_);
        library_.find("FreeInstance", free_);
        library_.find("SetupExperiment", setup_);
        library_.find("EnterInitializationMode", enter_);
        library_.find("ExitInitializationMode", exit_);
        library_.find("SetReal", set_);
        library_.find("GetReal", get_);
        library_.find("DoStep", step_);
        const bool is_needed = description.has_states;
        library_.find("GetFMUstate", get_state_, is_needed);
        library_.find("SetFMUstate", set_state_, is_needed);
        library_.find("FreeFMUstate", free_state_, is_needed);
        library_.find("SerializedFMUstateSize", size_of_state_, is_needed);
        library_.find("SerializeFMUstate", write_state_, is_needed);
        library_.find("DeSerializeFMUstate", read_state_, is_needed);
    }
    ~Slave2() override { forget(); }

    void instantiate() override {
        forget();
        constexpr int kCoSimulation = 1;
        said_.clear();
        instance_ = instantiate_(
            name_.c_str(), kCoSimulation, token_.c_str(), resources_.c_str(), &callbacks_, 0, 1);
        check("Instantiate", instance_ != nullptr ? 0 : kDiscard);
    }
    void set(const Given& given) override {
        if (given.values.empty()) return;
        check("SetReal",
              set_(instance_, given.references.data(), given.values.size(), given.values.data()));
    }
    void get(const References& references, std::span<double> values) override {
        if (values.empty()) return;
        check("GetReal", get_(instance_, references.data(), values.size(), values.data()));
    }
    void step(double t, double h) override { check("DoStep", step_(instance_, t, h, 1)); }
    std::vector<char> state() override {
        const Kept kept(*this);
        check("GetFMUstate", get_state_(instance_, &kept.state));
        std::size_t size = 0;
        check("SerializedFMUstateSize", size_of_state_(instance_, kept.state, &size));
        std::vector<char> bytes(size);
        check("SerializeFMUstate", write_state_(instance_, kept.state, bytes.data(), size));
        return bytes;
    }
    void restore(std::span<const char> bytes) override {
        const Kept kept(*this);
        check("DeSerializeFMUstate",
              read_state_(instance_, bytes.data(), bytes.size(), &kept.state));
        check("SetFMUstate", set_state_(instance_, kept.state));
    }

private:
    struct Kept {
        explicit Kept(Slave2& of) : slave(of) {}
        ~Kept() {
            if (state != nullptr) slave.free_state_(slave.instance_, &state);
        }
        Kept(const Kept&) = delete;
        Kept& operator=(const Kept&) = delete;
        Slave2& slave;
        mutable State state = nullptr;
    };

    void initialise(double t, const Given& inputs) override {
        check("SetupExperiment", setup_(instance_, 0, 0.0, t, 0, 0.0));
        check("EnterInitializationMode", enter_(instance_));
        set(inputs);
        check("ExitInitializationMode", exit_(instance_));
    }
    void forget() {
        if (instance_ != nullptr) free_(instance_);
        instance_ = nullptr;
    }
    static void log(
        void* environment, const char*, int status, const char*, const char* message, ...) {
        if (environment == nullptr || message == nullptr || status < kWarning) return;
        char text[1024];
        std::va_list arguments;
        va_start(arguments, message);
        std::vsnprintf(text, sizeof text, message, arguments);
        va_end(arguments);
        static_cast<Slave2*>(environment)->said_ = text;
    }

    Library library_;
    std::string token_, name_, resources_;
    Callbacks callbacks_;
    Instance instance_ = nullptr;
    Instance (*instantiate_)(
        const char*, int, const char*, const char*, const Callbacks*, int, int) = nullptr;
    void (*free_)(Instance) = nullptr;
    int (*setup_)(Instance, int, double, double, int, double) = nullptr;
    int (*enter_)(Instance) = nullptr;
    int (*exit_)(Instance) = nullptr;
    int (*set_)(Instance, const unsigned*, std::size_t, const double*) = nullptr;
    int (*get_)(Instance, const unsigned*, std::size_t, double*) = nullptr;
    int (*step_)(Instance, double, double, int) = nullptr;
    int (*get_state_)(Instance, State*) = nullptr;
    int (*set_state_)(Instance, State) = nullptr;
    int (*free_state_)(Instance, State*) = nullptr;
    int (*size_of_state_)(Instance, State, std::size_t*) = nullptr;
    int (*write_state_)(Instance, State, char*, std::size_t) = nullptr;
    int (*read_state_)(Instance, const char*, std::size_t, State*) = nullptr;
};

// --- FMI 3.0

class Slave3 final : public Slave {
    using Instance = void*;
    using State = void*;
    using Log = void (*)(void*, int, const char*, const char*);

public:
    Slave3(const std::filesystem::path& folder, const Description& description, std::string name)
        : library_(library_of(folder, description), "fmi3"),
          token_(description.token),
          name_(std::move(name)),
          resources_((folder / "resources").string() + '/') {
        library_.find("InstantiateCoSimulation", instantiate_);
        library_.find("FreeInstance", free_);
        library_.find("EnterInitializationMode", enter_);
        library_.find("ExitInitializationMode", exit_);
        library_.find("SetFloat64", set_);
        library_.find("GetFloat64", get_);
        library_.find("DoStep", step_);
        const bool is_needed = description.has_states;
        library_.find("GetFMUState", get_state_, is_needed);
        library_.find("SetFMUState", set_state_, is_needed);
        library_.find("FreeFMUState", free_state_, is_needed);
        library_.find("SerializedFMUStateSize", size_of_state_, is_needed);
        library_.find("SerializeFMUState", write_state_, is_needed);
        library_.find("DeserializeFMUState", read_state_, is_needed);
    }
    ~Slave3() override { forget(); }

    void instantiate() override {
        forget();
        said_.clear();
        instance_ = instantiate_(name_.c_str(),
                                 token_.c_str(),
                                 resources_.c_str(),
                                 false,
                                 true,
                                 false,
                                 false,
                                 nullptr,
                                 0,
                                 this,
                                 &log,
                                 nullptr);
        check("InstantiateCoSimulation", instance_ != nullptr ? 0 : kDiscard);
    }
    void set(const Given& given) override {
        const std::size_t count = given.values.size();
        if (count == 0) return;
        check("SetFloat64",
              set_(instance_, given.references.data(), count, given.values.data(), count));
    }
    void get(const References& references, std::span<double> values) override {
        const std::size_t count = values.size();
        if (count == 0) return;
        check("GetFloat64", get_(instance_, references.data(), count, values.data(), count));
    }
    void step(double t, double h) override {
        bool has_event = false, ends = false, is_early = false;
        double reached = t;
        check("DoStep", step_(instance_, t, h, true, &has_event, &ends, &is_early, &reached));
        if (ends) throw std::runtime_error("it ended its simulation");
    }
    std::vector<char> state() override {
        const Kept kept(*this);
        check("GetFMUState", get_state_(instance_, &kept.state));
        std::size_t size = 0;
        check("SerializedFMUStateSize", size_of_state_(instance_, kept.state, &size));
        std::vector<char> bytes(size);
        check("SerializeFMUState", write_state_(instance_, kept.state, bytes.data(), size));
        return bytes;
    }
    void restore(std::span<const char> bytes) override {
        const Kept kept(*this);
        check("DeserializeFMUState",
              read_state_(instance_, bytes.data(), bytes.size(), &kept.state));
        check("SetFMUState", set_state_(instance_, kept.state));
    }

private:
    struct Kept {
        explicit Kept(Slave3& of) : slave(of) {}
        ~Kept() {
            if (state != nullptr) slave.free_state_(slave.instance_, &state);
        }
        Kept(const Kept&) = delete;
        Kept& operator=(const Kept&) = delete;
        Slave3& slave;
        mutable State state = nullptr;
    };

    void initialise(double t, const Given& inputs) override {
        check("EnterInitializationMode", enter_(instance_, false, 0.0, t, false, 0.0));
        set(inputs);
        check("ExitInitializationMode", exit_(instance_));
    }
    void forget() {
        if (instance_ != nullptr) free_(instance_);
        instance_ = nullptr;
    }
    static void log(void* environment, int status, const char*, const char* message) {
        if (environment == nullptr || message == nullptr || status < kWarning) return;
        static_cast<Slave3*>(environment)->said_ = message;
    }

    Library library_;
    std::string token_, name_, resources_;
    Instance instance_ = nullptr;
    Instance (*instantiate_)(const char*,
                             const char*,
                             const char*,
                             bool,
                             bool,
                             bool,
                             bool,
                             const unsigned*,
                             std::size_t,
                             void*,
                             Log,
                             void*) = nullptr;
    void (*free_)(Instance) = nullptr;
    int (*enter_)(Instance, bool, double, double, bool, double) = nullptr;
    int (*exit_)(Instance) = nullptr;
    int (*set_)(Instance, const unsigned*, std::size_t, const double*, std::size_t) = nullptr;
    int (*get_)(Instance, const unsigned*, std::size_t, double*, std::size_t) = nullptr;
    int (*step_)(Instance, double, double, bool, bool*, bool*, bool*, double*) = nullptr;
    int (*get_state_)(Instance, State*) = nullptr;
    int (*set_state_)(Instance, State) = nullptr;
    int (*free_state_)(Instance, State*) = nullptr;
    int (*size_of_state_)(Instance, State, std::size_t*) = nullptr;
    int (*write_state_)(Instance, State, char*, std::size_t) = nullptr;
    int (*read_state_)(Instance, const char*, std::size_t, State*) = nullptr;
};

}  // namespace

void Slave::begin(double t, const Given& parameters, const Given& inputs) {
    instantiate();
    set(parameters);
    initialise(t, inputs);
}

void Slave::check(const char* call, int status) {
    if (status <= kWarning) return;
    constexpr const char* kWords[] = {"", "", "discard", "error", "fatal", "pending"};
    const char* const word = status <= 5 ? kWords[status] : "an unknown status";
    throw std::runtime_error(std::string("its ") + call + " returned " + word +
                             (said_.empty() ? "" : ": " + said_));
}

std::unique_ptr<Slave> open_slave(const std::filesystem::path& folder,
                                  const Description& description,
                                  const std::string& name) {
    if (description.version == 2) return std::make_unique<Slave2>(folder, description, name);
    return std::make_unique<Slave3>(folder, description, name);
}

}  // namespace ancora::fmu
