// SPDX-License-Identifier: BSD-3-Clause
// Efforts over instants and steps.
#include "motor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ancora::joints {
namespace {

/// Keeps an effort within +- limit; its slopes vanish beyond.
double within(double effort, double limit, bool& is_at_limit) {
    is_at_limit = std::abs(effort) > limit;
    return is_at_limit ? std::copysign(limit, effort) : effort;
}

}  // namespace

Effort::Effort(const Arguments& arguments) {
    const Acting on(arguments);
    for (const AttachmentRequest& request : on.attachments()) requests_.add(request);
    on_ = on.function;
    start_ = on.value;
    measure_.kind = on_.kind();
    measure_.attachments = {0, 1, 2};
    measure_.start = start_;
    start_state_.push_back(start_);
}

void Effort::evaluate(const RowPoint& at,
                      std::span<const double> state,
                      const ForceValues& out) const {
    const double* const u = at.u.data();
    const Reading own{on_.near(on_.value(u), state.empty() ? start_ : state[0]),
                      on_.rate(u, at.du.data())};
    Variables read;
    reader_.read(at, state.empty() ? state : state.subspan(1), layout(), read);
    const auto others = static_cast<std::size_t>(1 + reader_.num_state());
    const double e =
        effort({own, read, at.t, 0.0, state.empty() ? state : state.subspan(others), {}}, nullptr);
    std::ranges::fill(out.f, 0.0);
    on_.gradient(u, out.f.data());
    for (std::size_t i = 0; i < on_.num_scalars(); ++i) out.f[i] *= e;
}

RowStep Effort::without_own_state(const RowStep& step) const {
    RowStep out = step;
    if (!step.state0.empty()) out.state0 = step.state0.subspan(1);
    if (!step.state1.empty()) out.state1 = step.state1.subspan(1);
    return out;
}

/// Mean effort of a step; D: the discrete gradient of the measure that it acts on.
double Effort::effort_over(const RowStep& step, Gradient& D, Slopes* slopes) const {
    on_.step_gradient(step.u0.data(), step.mid.data(), step.u1.data(), D.data());
    const double change = on_.dot(D.data(), step.du.data());
    const double before =
        on_.near(on_.value(step.u0.data()), step.state0.empty() ? start_ : step.state0[0]);
    if (!step.state1.empty()) step.state1[0] = before + change;
    Variables read;
    reader_.read_step(without_own_state(step), layout(), read);
    const auto others = static_cast<std::size_t>(1 + reader_.num_state());
    return effort({{before + 0.5 * change, change / step.h},
                   read,
                   step.t0,
                   step.h,
                   step.state0.empty() ? step.state0 : step.state0.subspan(others),
                   step.state1.empty() ? step.state1 : step.state1.subspan(others)},
                  slopes);
}

void Effort::evaluate_step(const RowStep& step,
                           std::span<const double>,
                           const ForceValues& out) const {
    Gradient D;
    const double e = effort_over(step, D, nullptr);
    std::ranges::fill(out.f, 0.0);
    for (std::size_t i = 0; i < on_.num_scalars(); ++i) out.f[i] = e * D[i];
}

void Effort::differentiate_step(const RowStep& step,
                                std::span<const double>,
                                std::span<double> out) const {
    Gradient D;
    Slopes slopes;
    std::fill_n(slopes.read.begin(), reader_.num_variables(), 0.0);
    RowStep dry = step;
    dry.state1 = {};
    const double e = effort_over(dry, D, &slopes);
    // The change of a measure has the gradient at the end of the step by du: half of it goes into
    // the mean value, and 1 / h into the rate
    const std::size_t n = on_.num_scalars();
    const std::size_t width = n + reader_.num_scalars();
    std::array<double, kMostScalars> by_du;
    std::fill_n(by_du.begin(), width, 0.0);
    on_.gradient(step.u1.data(), by_du.data());
    const double factor = 0.5 * slopes.own.value + slopes.own.rate / step.h;
    for (std::size_t i = 0; i < n; ++i) by_du[i] *= factor;
    reader_.pull(without_own_state(dry), layout(), slopes.read, std::span(by_du).first(width));
    std::ranges::fill(out, 0.0);
    std::array<double, MeasureFunction::kMostScalars * MeasureFunction::kMostScalars> H{};
    on_.add_step_hessian(step.u0.data(), step.du.data(), e, H.data());
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < width; ++j) out[i * width + j] = D[i] * by_du[j];
        for (std::size_t j = 0; j < n; ++j) out[i * width + j] += H[i * n + j];
    }
}

// --- motor

/// Names in a motor's formula: "value" and "rate" of its own measure, and those of the reader.
class Motor::Scope final : public FormulaScope {
public:
    Scope(StateReader& reader, std::vector<Variable>& variables)
        : reader_(reader), variables_(variables) {}

    int find(const FormulaName& name) override {
        const bool is_own = name.component.empty() && name.place.empty();
        if (is_own && name.object == "value")
            return number({name.is_rate ? Variable::Of::rate : Variable::Of::value});
        if (is_own && name.object == "rate" && !name.is_rate) return number({Variable::Of::rate});
        const int index = reader_.find(name);
        return index < 0 ? index : number({Variable::Of::state, static_cast<std::size_t>(index)});
    }
    std::string expected() const override {
        return "the \"value\" and \"rate\" of its own measure, " + reader_.expected();
    }

private:
    int number(const Variable& variable) {
        for (std::size_t i = 0; i < variables_.size(); ++i)
            if (variables_[i].of == variable.of && variables_[i].index == variable.index)
                return static_cast<int>(i);
        variables_.push_back(variable);
        return static_cast<int>(variables_.size()) - 1;
    }

    StateReader& reader_;
    std::vector<Variable>& variables_;
};

Motor::Motor(const Arguments& arguments)
    : Effort(arguments),
      limit_(arguments.has("limit") ? arguments.number("limit")
                                    : std::numeric_limits<double>::infinity()),
      work_(arguments.text("work") == "external" ? WorkKind::external : WorkKind::nonideal) {
    if (!arguments.has("effort")) arguments.fail("effort", "is missing");
    if (arguments.shape("effort") != Shape::text) {
        given_ = TimeFunction(arguments, "effort", {.components = {"effort"}, .is_averaged = true});
        return;
    }
    const std::string text(arguments.text("effort"));
    Scope scope(reader_, variables_);
    try {
        formula_.push_back(Formula::parse(text, scope));
    } catch (const FormulaError& error) {
        arguments.fail("effort",
                       std::string(error.what()) + "\n" + formula_excerpt(text, error.position()));
    }
    add_break_points(arguments, formula_.front());
    reader_.finish(arguments, "effort", requests_);
    start_state_.resize(static_cast<std::size_t>(1 + reader_.num_state()));
    reader_.start_state(std::span(start_state_).subspan(1));
}

double Motor::effort(const Sensed& at, Slopes* slopes) const {
    double e = 0.0;
    bool is_at_limit = false;
    if (formula_.empty()) {
        if (at.h > 0.0)
            given_.mean(at.t, at.h, {&e, 1});
        else
            given_.evaluate(at.t, {&e, 1});
        return within(e, limit_, is_at_limit);
    }
    Variables x, by_x;
    for (std::size_t i = 0; i < variables_.size(); ++i)
        x[i] = variables_[i].of == Variable::Of::value  ? at.own.value
               : variables_[i].of == Variable::Of::rate ? at.own.rate
                                                        : at.read[variables_[i].index];
    const double t = at.t + 0.5 * at.h;
    std::array<double, static_cast<std::size_t>(2 * Formula::kMaxSize)> work;
    if (slopes == nullptr) {
        e = formula_[0].evaluate<double>(x, t, work);
        if (!std::isfinite(e))
            throw std::domain_error(
                "the formula of effort has no finite value at t = " + std::to_string(t) + " s");
        return within(e, limit_, is_at_limit);
    }
    double by_t = 0.0;
    e = formula_[0].gradient<double>(x, t, work, by_x, by_t);
    e = within(e, limit_, is_at_limit);
    if (is_at_limit) return e;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        if (!std::isfinite(by_x[i])) continue;
        const Variable& of = variables_[i];
        (of.of == Variable::Of::value  ? slopes->own.value
         : of.of == Variable::Of::rate ? slopes->own.rate
                                       : slopes->read[of.index]) += by_x[i];
    }
    return e;
}

// --- servo

Servo::Servo(const Arguments& arguments)
    : Effort(arguments),
      kp_(arguments.number("kp")),
      kd_(arguments.number("kd")),
      ki_(arguments.number("ki")),
      limit_(arguments.has("limit") ? arguments.number("limit")
                                    : std::numeric_limits<double>::infinity()) {
    if (!arguments.has("target"))
        arguments.fail("target", "is missing: what is the servo to follow?");
    target_ = TimeFunction(arguments,
                           "target",
                           {.components = {"target"},
                            .interpolation = Interpolation::spline,
                            .outside = Outside::hold});
    if (kp_ == 0.0 && kd_ == 0.0 && ki_ == 0.0)
        arguments.fail("kp", "is zero as are kd and ki, so that the servo does nothing");
    if (ki_ > 0.0) start_state_.push_back(0.0);
}

double Servo::effort(const Sensed& at, Slopes* slopes) const {
    double target = 0.0, rate = 0.0;
    if (at.h > 0.0) {
        // Over a step: mean error, and the mean rate of the target as that of the measure
        double begin = 0.0, end = 0.0;
        target_.evaluate(at.t, {&begin, 1});
        target_.evaluate(at.t + at.h, {&end, 1});
        target = 0.5 * (begin + end);
        rate = (end - begin) / at.h;
    } else {
        target_.evaluate(at.t, {&target, 1}, kd_ > 0.0 ? std::span(&rate, 1) : std::span<double>());
    }
    const double error = target - at.own.value;
    const double integral = ki_ > 0.0 && !at.state0.empty() ? at.state0[0] : 0.0;
    const double mean_integral = integral + 0.5 * at.h * error;
    bool is_at_limit = false;
    const double e =
        within(kp_ * error + kd_ * (rate - at.own.rate) + ki_ * mean_integral, limit_, is_at_limit);
    // At the limit the integral rests, unless it goes back from there
    const bool rests = is_at_limit && error * e > 0.0;
    if (!at.state1.empty()) at.state1[0] = rests ? integral : integral + at.h * error;
    if (slopes != nullptr && !is_at_limit) {
        slopes->own.value = -kp_ - 0.5 * at.h * ki_;
        slopes->own.rate = -kd_;
    }
    return e;
}

}  // namespace ancora::joints
