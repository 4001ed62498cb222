// SPDX-License-Identifier: BSD-3-Clause
// The integrator type `dopri5`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/event_locator.hpp"
#include "ancora/sdk/integrator.hpp"

namespace ancora::explicit_integrators {

/// The method of Dormand and Prince, order 5 with an embedded formula of order 4 that controls the
/// step, on x = (q, v, w): with the error estimate e of a step,
///
///   max_i |e_i| / (tol + tol max(|x_i|, h |x_i'|)) <= 1                                  (1)
///
/// With err the left side of (1) the next step is 0.9 err^-0.17 err_last^0.04 times as long, within
/// 0.2 and 5, which damps what a controller without memory overshoots by; a step that was refused
/// before it was accepted is not followed by a longer one.
///
/// Where motion is prescribed, what projection would move a trial's end by counts like e: stages
/// see the accelerations of the motion alone. No step is longer than `max_step`, so that what a
/// formula of time does is seen where nothing else moves; steps end at break points in any case.
///
/// Works and impulses w of the ledger choose the step like q and v, measured by the model's energy
/// and momentum: power that comes and goes faster than the motion shows would else be missed.
///
/// In a singular position, where rows become dependent and motions bifurcate, no step is short
/// enough: the shorter, the closer to it do stages come, and the round-off of the rows there
/// determines their result. A step across it is taken instead, of a length with a small error, and
/// the position is recorded; where none is found and steps become very short, that is recorded too.
///
/// Inside a step the state is known to fourth order by the method's own interpolation, for output.
///
/// Source: J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26; dense output as in
/// Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.6.
class Dopri5 final : public Integrator, private DenseOutput, private IntegratorOutputs {
public:
    explicit Dopri5(const Arguments& arguments);

    IntegratorTraits traits() const override { return traits_; }
    void prepare(const System& system, const StepSettings& settings) override;
    int num_history(const System&) const override { return kHistory; }
    void step(System& system, double t0, double h) override;
    void facets(IntegratorFacets& out) const override {
        out.dense_output = this;
        out.outputs = this;
    }
    void interpolate(double t, std::span<double> x) const override;
    std::span<const Output> outputs() const override {
        return std::span(kOutputs).first(shows_steps_ ? kOutputs.size() : 0);
    }
    void evaluate_outputs(std::span<const double> history, std::span<double> y) const override;

private:
    using State = std::vector<double>;
    /// What the next step starts from: its length, the error of the last one, and how long steps
    /// were of late.
    enum History : int { kNext, kLastError, kUsual, kHistory };
    static constexpr std::array<Output, 2> kOutputs{
        {{"next_step", "s", "length of the step to come, as the error of the last one asks for"},
         {"error", "", "of the last step in units of the tolerance, at least 1e-4"}}};

    /// Criterion (1) in the form that Odeint asks for.
    class ErrorChecker {
    public:
        explicit ErrorChecker(double tolerance) : tolerance_(tolerance) {}
        /// Entries behind q and v are measured by these.
        void measure_books_by(std::span<const double> scales) { scales_ = scales; }
        template <class Algebra>
        double error(
            Algebra&, const State& x_old, const State& dx_old, State& x_err, double dt) const {
            double worst = 0.0;
            const std::size_t first_book = x_err.size() - scales_.size();
            for (std::size_t i = 0; i < x_err.size(); ++i) {
                const double scale = i < first_book ? 1.0 : scales_[i - first_book];
                const double size = std::max(std::abs(x_old[i]), std::abs(dt * dx_old[i])) / scale;
                const double e = std::abs(x_err[i]) / scale / (tolerance_ * (1.0 + size));
                if (!(e <= worst)) worst = e;  // NaN wins
            }
            return worst;
        }
        double tolerance() const { return tolerance_; }
        /// A relative error in units of the tolerance.
        double in_tolerances(double error) const { return error / tolerance_; }

    private:
        double tolerance_ = 0.0;
        std::span<const double> scales_;
    };
    template <class Trial>
    double control(System& system, double t0, double h, const Trial& trial, bool& is_across);
    template <class Trial>
    double length_across(
        System& system, double t0, double length, double h, double error, const Trial& trial);
    double error_of(System& system, double t0, double h);
    bool is_uniform(double h) const;
    bool nears_singular(System& system, double t0, double h) const;
    bool is_led_astray(System& system, double t0, double h, double length);

    using Stepper = boost::numeric::odeint::runge_kutta_dopri5<State>;

    IntegratorTraits traits_;
    bool shows_steps_;
    std::size_t n_ = 0;
    double first_step_ = 0.0;
    double max_step_ = 0.0;
    bool is_max_given_;
    mutable Stepper stepper_;  // keeps the stages of the last step; Odeint's accessor is not const
    ErrorChecker checker_{0.0};
    EventLocator events_;
    State x0_, dx0_, x1_, dx1_, error_, off_;
    double t0_ = 0.0, t1_ = 0.0;
};

}  // namespace ancora::explicit_integrators
