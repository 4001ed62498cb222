// SPDX-License-Identifier: BSD-3-Clause
// The force type `exchange_fmu`: an FMU for model exchange, whose states the integrator carries.
#pragma once

#include <span>
#include <vector>

#include "fmu.hpp"

namespace ancora::fmu {

/// The FMU gives derivatives, outputs and event indicators,
///
///   x' = f(t, x, u, m),   y = g(t, x, u, m),   z = e(t, x, u, m)                          (1)
///
/// the model's integrator the rest. x are continuous states of this object. m, what the FMU keeps
/// besides, changes at events alone; it stands as bytes among the discrete states, as that of Fmu.
/// An event is where an indicator changes its sign, and at the times that the FMU names.
///
/// Indicator k has the crossing function s_k e_k + d_k, s_k the sign behind the last event and d_k
/// a hysteresis, so that the FMU finds its indicator on the far side.
///
/// Source: Functional Mock-up Interface, 2.0.4 (2022), chapter 3, and 3.0.1 (2023), chapter 3.
class ExchangeFmu final : public Fmu {
public:
    explicit ExchangeFmu(const Arguments& arguments);

    bool outputs_read_inputs() const override { return true; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;
    int num_continuous() const override { return static_cast<int>(description_.num_states); }
    int num_discrete() const override;
    void differentiate(const SignalPoint& at, std::span<double> dx) const override;
    double next_time(double after, std::span<const double> z) const override;
    int num_crossings() const override { return static_cast<int>(description_.num_indicators); }
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override;
    void act(const SignalPoint& at,
             int crossing,
             std::span<double> x,
             std::span<double> z) const override;

private:
    /// z: those of Fmu, then whether there is a time event and when, then sign and scale of each
    /// indicator, then the bytes of the state.
    std::size_t first_event() const { return kNumStates; }
    std::size_t first_sign() const { return first_event() + 2; }
    std::size_t first_byte() const override {
        return first_sign() + 2 * description_.num_indicators;
    }
    void choose_inputs();
    void go_to(const SignalPoint& at) const;
    void set_inputs(std::span<const double> inputs) const;
    void settle(std::span<double> z) const;
    void note_signs(std::span<double> z) const;
    void note_history(const SignalPoint& at, std::span<double> z) const;

    mutable double settled_ = 0.0;  // history behind the last event
    bool is_sampled_;
    mutable Values continuous_;       // inputs that may change between events
    std::vector<std::size_t> which_;  // of these, the number among all inputs
    mutable std::vector<double> indicators_;
};

}  // namespace ancora::fmu
