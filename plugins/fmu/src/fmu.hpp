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

/// A number for what an instance has been given so far; a whole one below 2^48, and not 0.
double history_after(double before, double t, std::span<const double> inputs);

/// Every T, at t_k, the FMU is brought from t_(k-1) to t_k with the inputs of then, is given those
/// of now, and shows its outputs, held until t_(k+1):
///
///   x(t_k) = step(x(t_(k-1)), u(t_(k-1)), T),   y_k = g(x(t_k), u(t_k))                    (1)
///
/// An FMU whose outputs do not depend on its inputs at the same instant so answers one period late,
/// as any sampled plant. Its state stands as bytes among the discrete states of this object, where
/// it can be got and written (canGetAndSetFMUstate, canSerializeFMUstate): a run is then restored,
/// and a step repeated, as ever. One that keeps its state to itself runs forward alone, and refuses
/// else.
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
    double next_time(double after, std::span<const double>) const override {
        return times_.next(after);
    }
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
    void find_times(const Arguments& arguments);
    void find_room(const Arguments& arguments);
    /// Begins in the mode that steps are taken in, without inputs that clocks hold back.
    void begin(double t, const Values& inputs) const;
    /// Event mode at a sample: clocks tick, and what hangs on them is given and got.
    void tick(double t, std::span<double> z) const;
    /// Updates discrete states until they rest; says when the next event in time is.
    Slave::Update settle() const;
    /// Room for a state of so many bytes at the start.
    void make_room(std::size_t size);
    Slave::Setting setting() const { return {sizes_.given(), starts_.given()}; }
    Slave::Given with(std::span<const double> inputs) const;
    /// The place of the state's bytes among the discrete states.
    virtual std::size_t first_byte() const { return kNumStates + outputs_.size(); }
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
    /// A clock ticks at the samples first, first + every, ...
    struct Ticks {
        unsigned clock;
        long first, every;
    };
    std::vector<Ticks> ticks_;
    std::size_t room_ = 0;          // for bytes of the state; 0: it keeps it to itself
    mutable double history_ = 0.0;  // of the instance, as z has it; 0: it has not begun
};

}  // namespace ancora::fmu
