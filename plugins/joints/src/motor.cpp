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
    keys_.assign(on.attachments().begin(), on.attachments().end());
    measures_.push_back({on.function, on.value});
    measure_.kind = on.function.kind();
    measure_.attachments = {0, 1, 2};
    measure_.start = on.value;
}

int Effort::read_measure(const Arguments& arguments, std::string_view text, const char* key) {
    if (num_coordinates_ > 0) throw std::logic_error("measures are read before coordinates");
    if (measures_.size() == kMostMeasures)
        arguments.fail(key,
                       "reads more than " + std::to_string(kMostMeasures - 1) +
                           " measures besides the one that it acts on");
    const MeasureStart& start = arguments.measure(text, key);
    requests_.add(AttachmentRequest::Kind::measure, text, key);
    measures_.push_back({MeasureFunction(start.kind), start.value});
    return static_cast<int>(measures_.size()) - 1;
}

int Effort::read_coordinate(std::string_view text, const char* key) {
    requests_.add(AttachmentRequest::Kind::coordinate, text, key);
    return static_cast<int>(num_coordinates_++);
}

std::size_t Effort::num_scalars() const {
    std::size_t n = 3 * num_coordinates_;
    for (const Measured& measure : measures_) n += measure.function.num_scalars();
    return n;
}

int Effort::num_state() const {
    return static_cast<int>(measures_.size()) + num_own_state();
}

void Effort::start_state(std::span<double> state) const {
    std::ranges::fill(state, 0.0);
    for (std::size_t k = 0; k < measures_.size(); ++k) state[k] = measures_[k].start;
}

void Effort::evaluate(const RowPoint& at,
                      std::span<const double> state,
                      const ForceValues& out) const {
    std::array<Reading, kMostMeasures> read{};
    std::array<Reading, Formula::kMaxVariables> coordinates{};
    std::size_t first = 0;
    for (std::size_t k = 0; k < measures_.size(); ++k) {
        const MeasureFunction& function = measures_[k].function;
        const double* const u = at.u.data() + first;
        read[k].value =
            function.near(function.value(u), state.empty() ? measures_[k].start : state[k]);
        read[k].rate = function.rate(u, at.du.data() + first);
        first += function.num_scalars();
    }
    for (std::size_t k = 0; k < num_coordinates_; ++k, first += 3)
        coordinates[k] = {at.u[first], at.du[first]};
    const Sensed sensed{std::span(read).first(measures_.size()),
                        std::span(coordinates).first(num_coordinates_),
                        at.t,
                        0.0,
                        state.empty() ? state : state.subspan(measures_.size()),
                        {}};
    const double e = effort(sensed, nullptr);
    std::ranges::fill(out.f, 0.0);
    const MeasureFunction& on = measures_[0].function;
    on.gradient(at.u.data(), out.f.data());
    for (std::size_t i = 0; i < on.num_scalars(); ++i) out.f[i] *= e;
}

/// Mean effort of a step; D: discrete gradients of all measures, one behind the other.
double Effort::effort_over(const RowStep& step, std::span<double> D, const Slopes* slopes) const {
    std::array<Reading, kMostMeasures> read{};
    std::array<Reading, Formula::kMaxVariables> coordinates{};
    std::size_t first = 0;
    for (std::size_t k = 0; k < measures_.size(); ++k) {
        const MeasureFunction& function = measures_[k].function;
        double* const own = D.data() + first;
        function.step_gradient(
            step.u0.data() + first, step.mid.data() + first, step.u1.data() + first, own);
        const double change = function.dot(own, step.du.data() + first);
        const double before =
            function.near(function.value(step.u0.data() + first),
                          step.state0.empty() ? measures_[k].start : step.state0[k]);
        read[k] = {before + 0.5 * change, change / step.h};
        if (!step.state1.empty()) step.state1[k] = before + change;
        first += function.num_scalars();
    }
    for (std::size_t k = 0; k < num_coordinates_; ++k, first += 3)
        coordinates[k] = {step.mid[first], step.du[first] / step.h};
    const std::size_t own = measures_.size();
    return effort({std::span(read).first(measures_.size()),
                   std::span(coordinates).first(num_coordinates_),
                   step.t0,
                   step.h,
                   step.state0.empty() ? step.state0 : step.state0.subspan(own),
                   step.state1.empty() ? step.state1 : step.state1.subspan(own)},
                  slopes);
}

void Effort::evaluate_step(const RowStep& step,
                           std::span<const double>,
                           const ForceValues& out) const {
    std::array<double, kMostScalars> D;
    const double e = effort_over(step, D, nullptr);
    std::ranges::fill(out.f, 0.0);
    for (std::size_t i = 0; i < measures_[0].function.num_scalars(); ++i) out.f[i] = e * D[i];
}

void Effort::differentiate_step(const RowStep& step,
                                std::span<const double>,
                                std::span<double> out) const {
    std::array<double, kMostScalars> D;
    std::array<Reading, kMostMeasures> by_measure{};
    std::array<Reading, Formula::kMaxVariables> by_coordinate{};
    const Slopes slopes{std::span(by_measure).first(measures_.size()),
                        std::span(by_coordinate).first(num_coordinates_)};
    RowStep dry = step;
    dry.state1 = {};
    const double e = effort_over(dry, D, &slopes);
    // The change of a measure has the gradient at the end of the step by du: half of it goes into
    // the mean value, and 1 / h into the rate
    std::array<double, kMostScalars> by_u{};
    std::size_t first = 0;
    for (std::size_t k = 0; k < measures_.size(); ++k) {
        const MeasureFunction& function = measures_[k].function;
        function.gradient(step.u1.data() + first, by_u.data() + first);
        const double factor = 0.5 * by_measure[k].value + by_measure[k].rate / step.h;
        for (std::size_t i = 0; i < function.num_scalars(); ++i, ++first) by_u[first] *= factor;
    }
    for (std::size_t k = 0; k < num_coordinates_; ++k, first += 3)
        by_u[first] = 0.5 * by_coordinate[k].value + by_coordinate[k].rate / step.h;
    std::ranges::fill(out, 0.0);
    const std::size_t width = num_scalars();
    const MeasureFunction& on = measures_[0].function;
    const std::size_t n = on.num_scalars();
    std::array<double, MeasureFunction::kMostScalars * MeasureFunction::kMostScalars> H{};
    on.add_step_hessian(step.u0.data(), step.du.data(), e, H.data());
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < width; ++j) out[i * width + j] = D[i] * by_u[j];
        for (std::size_t j = 0; j < n; ++j) out[i * width + j] += H[i * n + j];
    }
}

// --- motor

/// Names in a motor's formula: "elbow.angle", "elbow.angle_rate", "box.x", "box.vx", and der() of
/// values.
class Motor::Scope final : public FormulaScope {
public:
    int find(const FormulaName& name) override {
        const bool is_plain =
            name.place.empty() && name.component.size() == 1 &&
            std::string_view("xyz").find(name.component) != std::string_view::npos;
        const bool is_velocity =
            name.component.size() == 2 && name.component[0] == 'v' &&
            std::string_view("xyz").find(name.component[1]) != std::string_view::npos;
        if (name.component.empty()) return -1;
        if (is_plain || is_velocity || !name.place.empty()) {
            std::string text = name.object;
            if (!name.place.empty()) text += "@" + name.place;
            text += "." + (is_velocity ? name.component.substr(1) : name.component);
            return number(false, text, is_velocity || name.is_rate);
        }
        std::string measure = name.component;
        bool is_rate = name.is_rate;
        constexpr std::string_view kRateSuffix = "_rate";
        if (measure.size() > kRateSuffix.size() && measure.ends_with(kRateSuffix)) {
            measure.resize(measure.size() - kRateSuffix.size());
            is_rate = true;
        }
        return number(true, name.object + "." + measure, is_rate);
    }
    std::string expected() const override {
        return "the time \"t\", a measure such as \"elbow.angle\" or its rate "
               "\"elbow.angle_rate\", or a coordinate such as \"box.x\" or its rate \"box.vx\"";
    }

    struct Named {
        bool is_measure;
        std::string text;
        bool is_rate;
    };
    std::vector<Named> names;

private:
    int number(bool is_measure, const std::string& text, bool is_rate) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i].is_measure == is_measure && names[i].text == text &&
                names[i].is_rate == is_rate)
                return static_cast<int>(i);
        names.push_back({is_measure, text, is_rate});
        return static_cast<int>(names.size()) - 1;
    }
};

Motor::Motor(const Arguments& arguments)
    : Effort(arguments),
      limit_(arguments.has("limit") ? arguments.number("limit")
                                    : std::numeric_limits<double>::infinity()) {
    if (!arguments.has("effort")) arguments.fail("effort", "is missing");
    if (arguments.shape("effort") != Shape::text) {
        given_ = TimeFunction(arguments, "effort", {.components = {"effort"}});
        return;
    }
    const std::string text(arguments.text("effort"));
    Scope scope;
    try {
        formula_.push_back(Formula::parse(text, scope));
    } catch (const FormulaError& error) {
        arguments.fail("effort",
                       std::string(error.what()) + "\n" + formula_excerpt(text, error.position()));
    }
    // Measures first, as they stand in u; each once, whatever of it is read
    variables_.resize(scope.names.size());
    for (const bool of_measures : {true, false})
        for (std::size_t i = 0; i < scope.names.size(); ++i) {
            const auto& [is_measure, name, is_rate] = scope.names[i];
            if (is_measure != of_measures) continue;
            int index = -1;
            for (std::size_t j = 0; j < i; ++j)
                if (scope.names[j].is_measure == is_measure && scope.names[j].text == name)
                    index = variables_[j].index;
            if (index < 0)
                index = is_measure ? read_measure(arguments, name, "effort")
                                   : read_coordinate(name, "effort");
            variables_[i] = {is_measure, index, is_rate};
        }
}

double Motor::effort(const Sensed& at, const Slopes* slopes) const {
    double e = 0.0;
    bool is_at_limit = false;
    if (formula_.empty()) {
        if (at.h > 0.0)
            given_.mean(at.t, at.h, {&e, 1});
        else
            given_.evaluate(at.t, {&e, 1});
        return within(e, limit_, is_at_limit);
    }
    std::array<double, Formula::kMaxVariables> x{}, by_x{};
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const auto& [is_measure, index, is_rate] = variables_[i];
        const Reading& read =
            (is_measure ? at.measures : at.coordinates)[static_cast<std::size_t>(index)];
        x[i] = is_rate ? read.rate : read.value;
    }
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
        const auto& [is_measure, index, is_rate] = variables_[i];
        Reading& to =
            (is_measure ? slopes->measures : slopes->coordinates)[static_cast<std::size_t>(index)];
        if (!std::isfinite(by_x[i])) continue;
        (is_rate ? to.rate : to.value) += by_x[i];
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
}

double Servo::effort(const Sensed& at, const Slopes* slopes) const {
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
    const double error = target - at.measures[0].value;
    const double integral = ki_ > 0.0 && !at.state0.empty() ? at.state0[0] : 0.0;
    const double mean_integral = integral + 0.5 * at.h * error;
    bool is_at_limit = false;
    const double e = within(kp_ * error + kd_ * (rate - at.measures[0].rate) + ki_ * mean_integral,
                            limit_,
                            is_at_limit);
    if (!at.state1.empty()) at.state1[0] = is_at_limit ? integral : integral + at.h * error;
    if (slopes != nullptr && !is_at_limit) {
        slopes->measures[0].value = -kp_ - 0.5 * at.h * ki_;
        slopes->measures[0].rate = -kd_;
    }
    return e;
}

}  // namespace ancora::joints
