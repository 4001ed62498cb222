// SPDX-License-Identifier: BSD-3-Clause
// The force type `fmu`: an FMU as a sampled controller, or any other part of a loop.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/parameter.hpp"
#include "slave.hpp"
#include "unpacked.hpp"

namespace ancora::fmu {

/// Of the time: what is no later is now. Three periods of 0.1 s are 0.3 s.
constexpr double kSameTime = 1e-12;

/// A number for what an instance has been given so far; a whole one below 2^48, and not 0.
double history_after(double before, double t, std::span<const double> inputs);

/// Every T, at t_k, the FMU is brought from t_(k-1) to t_k with the inputs of then, is given those
/// of now, and shows its outputs, held until t_(k+1):
///
///   x(t_k) = step(x(t_(k-1)), u(t_(k-1)), T),   y_k = g(x(t_k), u(t_k))                    (1)
///
/// An FMU whose outputs do not depend on its inputs at the same instant so answers one period late,
/// as any sampled plant. With clocks it acts at their ticks, too, in event mode. Its state stands
/// as bytes among the discrete states of this object, where it can be got and written
/// (canGetAndSetFMUstate, canSerializeFMUstate): a run is then restored, and a step repeated, as
/// ever. One that keeps its state to itself runs forward alone, and refuses else.
///
/// Source: Functional Mock-up Interface for Co-Simulation, 2.0.4 (2022) and 3.0.1 (2023).
class Fmu : public NonidealForce, public Signals {
public:
    static constexpr std::size_t kMostInputs = 16;

    explicit Fmu(const Arguments& arguments);
    virtual ~Fmu() = default;

    WorkKind work() const override { return WorkKind::nonideal; }
    void evaluate(const RowPoint&, std::span<const double>, const ForceValues&) const override {}
    void facets(ForceFacets& out) const override { out.signals = this; }

    std::span<const char* const> inputs() const override { return input_keys_; }
    std::span<const Output> outputs() const override { return outputs_; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;
    int num_discrete() const override;
    double next_time(double after, std::span<const double> z) const override;
    int num_crossings() const override { return static_cast<int>(triggered_.size()); }
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override;
    void act(const SignalPoint& at,
             int crossing,
             std::span<double> x,
             std::span<double> z) const override;

protected:
    /// Opens it and reads its variables; the room for its state is still to be found.
    Fmu(const Arguments& arguments, Use use, const SampleTimes& times);

    /// z: these, the outputs, the bytes of the state, six to a number.
    enum State : int { kBegun, kTime, kHistory, kSize, kNumStates };

    /// Ports with the values of all their elements, which begin with those of the description.
    struct Values {
        Ports ports;
        std::vector<double> numbers;
        std::vector<std::size_t> places;  ///< of what is named, in numbers

        Slave::Given given() const { return {ports, numbers}; }
    };

    /// A variable, and which of its elements are given.
    struct Start {
        const Variable* variable;
        std::set<std::size_t> elements;
    };
    std::vector<Start> read_parameters(const Arguments& arguments);
    void add_starts(const Arguments& arguments, const std::vector<Start>& given);
    void read_inputs(const Arguments& arguments);
    void read_outputs(const Arguments& arguments);
    void add(Values& to, const Element& element);
    std::vector<double>& starts_of(const Element& element);
    void find_clocks(const Arguments& arguments);
    void find_room(const Arguments& arguments);
    /// Begins in the mode that steps are taken in, without inputs that clocks hold back.
    void begin(double t, const Values& inputs) const;
    /// Steps to t but for rounding, with events on the way. z[kTime] is where the FMU stands.
    void go_to(double t, std::span<double> z) const;
    /// The next tick of a periodic clock.
    double periodic_tick(std::size_t k, std::span<const double> z) const;
    /// Periodic clocks that are due at t, each for one tick, which is counted.
    References tick_periodic(double t, std::span<double> z) const;
    /// Event mode at t: clocks tick, and what hangs on them is given and got.
    /// @param due    clocks that tick, besides those whose ticks the FMU chooses
    /// @param gives  inputs, too
    void pass_event(double t, References due, bool gives, std::span<double> z) const;
    void note_first_intervals(double t, std::span<double> z) const;
    void note_intervals(double t, const References& ticked, std::span<double> z) const;
    bool has_events() const { return !description_.clocks.empty(); }
    /// Updates discrete states until they rest; says when the next event in time is.
    Slave::Update settle() const;
    /// Room for a state of so many bytes at the start.
    void make_room(std::size_t size);
    Slave::Setting setting() const { return {sizes_.given(), starts_.given()}; }
    Slave::Given with(std::span<const double> inputs) const;
    /// z of clocks: the next event in time, the ticks of clocks whose ticks the FMU chooses, the
    /// whole numbers that signals of triggered clocks have come to, how often each periodic clock
    /// has ticked.
    std::size_t next_event() const { return kNumStates + outputs_.size(); }
    std::size_t next_tick(std::size_t k) const { return next_event() + 1 + k; }
    std::size_t whole_number(std::size_t k) const { return next_tick(chosen_.size()) + k; }
    std::size_t num_ticks(std::size_t k) const { return whole_number(triggered_.size()) + k; }
    /// The place of the state's bytes among the discrete states.
    virtual std::size_t first_byte() const { return num_ticks(periodic_.size()); }
    void bring_to(std::span<const double> z) const;
    void keep_state(std::span<double> z) const;

    SampleTimes times_;
    Description description_;
    std::unique_ptr<Unpacked> files_;
    std::unique_ptr<Slave> slave_;
    std::deque<std::string> names_;  // of outputs, and their units
    std::vector<const char*> input_keys_;
    std::vector<Output> outputs_;
    std::map<const Variable*, std::vector<double>> own_starts_;  // of variables that are named
    Values sizes_, starts_;
    mutable Values input_, output_;  // with the numbers of the last sample
    /// Of input clocks: those of one interval with their times, those whose ticks the FMU chooses.
    struct Periodic {
        unsigned clock;
        SampleTimes times;
    };
    std::vector<Periodic> periodic_;
    std::vector<Clock> chosen_;
    /// Those that the signal of an input lets tick.
    struct Triggered {
        unsigned clock;
        std::size_t input;
    };
    std::vector<Triggered> triggered_;
    References output_clocks_;
    /// Outputs that count ticks, and of which clock.
    struct Count {
        unsigned clock;
        std::size_t output;
    };
    std::vector<Count> counts_;
    static constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);  // of clocks
    std::size_t room_ = 0;          // for bytes of the state; 0: it keeps it to itself
    mutable double history_ = 0.0;  // of the instance, as z has it; 0: it has not begun
};

}  // namespace ancora::fmu
