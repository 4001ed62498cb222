// SPDX-License-Identifier: BSD-3-Clause
// An instance of an FMU: the calls of FMI for co-simulation and for model exchange.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "description.hpp"

namespace ancora::fmu {

/// A variable that is set or got, with all its elements.
struct Port {
    Type type = Type::float64;
    unsigned reference = 0;
    std::size_t count = 1;
    std::string name;
    std::vector<unsigned> clocks = {};
};
using Ports = std::vector<Port>;
using References = std::vector<unsigned>;

/// One instance. Whatever fails throws std::runtime_error with what the FMU said.
class Slave {
public:
    virtual ~Slave() = default;
    Slave(const Slave&) = delete;
    Slave& operator=(const Slave&) = delete;

    /// Ports and the values of their elements, one behind the other.
    struct Given {
        const Ports& ports;
        std::span<const double> values;
    };
    /// What an instance is given before it begins: sizes of arrays, then start values.
    struct Setting {
        Given sizes, starts;
    };
    /// Begins anew at a time.
    void begin(double t, const Setting& setting, const Given& inputs);
    /// An instance that has not begun, for restore().
    void instantiate(const Setting& setting);

    /// Numbers as the type of each port has them. One that it does not have, such as 0.5 of a truth
    /// value, is refused with the name.
    void set(const Given& values);
    void get(const Ports& ports, std::span<double> values);
    /// @throws std::runtime_error if the library lacks what setting or getting these takes
    virtual void require(const Ports& ports, bool is_set) const = 0;

    /// Where a step has come to, and whether there is an event for the importer.
    struct Reached {
        double t = 0.0;
        bool has_event = false;
    };
    /// One that does not return early has come to `end`.
    virtual Reached step(double t, double end) = 0;

    // --- model exchange, and co-simulation with clocks: begin() leaves it in event mode

    /// What an update of discrete states says.
    struct Update {
        bool needs_another = false;
        bool has_next = false;
        double next = 0.0;  ///< time event
    };
    virtual void enter_events() = 0;
    virtual Update update() = 0;
    virtual void leave_events() = 0;  ///< to continuous time, or to steps
    /// In event mode: these tick, until the next update.
    virtual void tick(const References& clocks) = 0;
    /// Which of these output clocks tick at the event.
    virtual std::vector<bool> are_ticking(const References& clocks) = 0;
    /// The interval of a clock.
    struct Interval {
        enum class Told : std::int32_t { not_yet, unchanged, changed };
        Told told = Told::not_yet;
        double seconds = 0.0;
    };
    virtual Interval interval_of(unsigned clock) = 0;
    /// The same as it was said in the initialization, for clocks whose ticks the FMU chooses.
    virtual Interval first_interval_of(unsigned clock) = 0;
    virtual void set_point(double t, std::span<const double> x) = 0;
    virtual void get_states(std::span<double> x) = 0;
    virtual void derivatives(std::span<double> dx) = 0;
    virtual void indicators(std::span<double> g) = 0;
    /// Whether it asks for event mode.
    virtual bool complete_step() = 0;

    /// The state as bytes, and back.
    virtual std::vector<char> state() = 0;
    virtual void restore(std::span<const char> state) = 0;

protected:
    /// @param has_wide_truth  truth values are int
    explicit Slave(bool has_wide_truth) : has_wide_truth_(has_wide_truth) {}
    virtual void make_instance() = 0;
    virtual void configure(const Given& sizes) = 0;
    virtual void initialise(double t, const Given& inputs) = 0;
    /// Sets or gets ports of one type, `num_values` elements in all, as C has them.
    virtual void transfer(
        Type type, bool is_set, const References& of, void* values, std::size_t num_values) = 0;
    /// Throws unless the status is OK or a warning.
    void check(const std::string& call, int status);

    std::string said_;  ///< the last message of the FMU

private:
    bool has_wide_truth_;
};

/// Opens the library in an unpacked FMU.
std::unique_ptr<Slave> open_slave(const std::filesystem::path& folder,
                                  const Description& description,
                                  const std::string& name,
                                  Use use);

}  // namespace ancora::fmu
