// SPDX-License-Identifier: BSD-3-Clause
// Reads a load, asks for the points and the axes that it acts on, and distributes it over them.
#include "point_load.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace ancora::point_load {
namespace {

std::string seconds(double t) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g s", t);
    return buffer;
}

/// A point, and not the name of what may be a group of them.
bool is_one_point(std::string_view at) {
    const std::size_t place = at.find('@');
    return place == std::string_view::npos || place + 1 == at.size() || at[place + 1] == '[' ||
           (at[place + 1] >= '0' && at[place + 1] <= '9');
}

/// Name of the body, or of its node, that the torque, or the axes, belong to.
std::string read_body(const Arguments& arguments) {
    std::string of_point;
    if (arguments.has("at")) {
        const std::string_view at = arguments.text("at");
        // "BODY@[x, y, z]" or "BODY@NODE", "BODY@NODE@[x, y, z]"
        const std::size_t last = at.rfind('@');
        const bool is_node =
            last != std::string_view::npos && last + 1 < at.size() && at[last + 1] != '[';
        of_point = is_node ? at : at.substr(0, last);
    }
    if (!arguments.has("body")) return of_point;
    const std::string body(arguments.text("body"));
    if (of_point.empty()) return body;
    if (body != of_point.substr(0, of_point.find('@')))
        arguments.fail("body",
                       "is \"" + body + "\", but the load acts at a point of \"" +
                           of_point.substr(0, of_point.find('@')) +
                           "\"; write two loads, one for each body");
    return of_point;
}

void check_places(const Arguments& arguments) {
    const bool has_force = arguments.has("force"), has_torque = arguments.has("torque");
    if (!has_force && !has_torque)
        arguments.fail("force", "neither a force nor a torque is given; give one or both");
    if (has_force && !arguments.has("at"))
        arguments.fail("at", "is missing; name the point on which the force acts");
    if (has_torque && !arguments.has("at") && !arguments.has("body"))
        arguments.fail("body", "is missing; name the body on which the torque acts");
}

/// Both words for axes of the body, which must not contradict each other.
bool read_follows(const Arguments& arguments) {
    const bool of_frame = arguments.text("frame") == "body";
    if (!arguments.given("follow")) return of_frame;
    const bool follows = arguments.boolean("follow");
    if (arguments.given("frame") && follows != of_frame)
        arguments.fail("follow",
                       "contradicts frame: follow = true says the same as frame = \"body\"; leave "
                       "one of them out");
    return follows;
}

TimeFunctionOptions read_options(const Arguments& arguments) {
    TimeFunctionOptions options;
    options.is_averaged = true;
    if (arguments.text("interpolation") == "spline") options.interpolation = Interpolation::spline;
    const std::string_view outside = arguments.text("outside");
    options.outside = outside == "hold"   ? Outside::hold
                      : outside == "zero" ? Outside::zero
                                          : Outside::refuse;
    return options;
}

}  // namespace

PointLoad::PointLoad(const Arguments& arguments)
    : has_force_(arguments.has("force")),
      has_torque_(arguments.has("torque")),
      has_signal_(arguments.has("factor")),
      work_(arguments.text("work") == "external" ? WorkKind::external : WorkKind::nonideal),
      follows_(read_follows(arguments)) {
    check_places(arguments);
    const std::string body = read_body(arguments);
    TimeFunctionOptions options = read_options(arguments);
    state_.allow_point(arguments.has("at") && has_force_);
    if (has_force_) force_ = read_load(arguments, "force", options);
    if (has_torque_) torque_ = read_load(arguments, "torque", options);
    options.components = {"factor"};
    if (arguments.has("table")) factor_ = TimeFunction(arguments, "table", options);
    for (const char* key : {"interpolation", "outside"})
        if (arguments.given(key) && !force_.over_time.is_table() && !torque_.over_time.is_table() &&
            !factor_.is_table())
            arguments.fail(key, "is about a table, and neither force nor torque is one");

    using Kind = AttachmentRequest::Kind;
    if (has_force_) {
        requests_.add(Kind::points, arguments.text("at"), "at");
        is_single_ = is_one_point(arguments.text("at"));
    }
    if (has_axes())
        for (const char* axis : {"@[1, 0, 0]", "@[0, 1, 0]", "@[0, 0, 1]"})
            requests_.add(Kind::direction, body + axis, arguments.given("body") ? "body" : "at");
    state_.finish(arguments, force_.formulas.empty() ? "torque" : "force", requests_);
    start_state_.resize(static_cast<std::size_t>(state_.num_state()));
    state_.start_state(start_state_);
}

PointLoad::Load PointLoad::read_load(const Arguments& arguments,
                                     const char* key,
                                     const TimeFunctionOptions& options) {
    Load load;
    constexpr int kComponents = 3;
    if (arguments.shape(key) == Shape::texts && arguments.num_texts(key) == kComponents) {
        const std::size_t known = state_.num_variables();
        for (int i = 0; i < kComponents; ++i) {
            const std::string text(arguments.text(key, i));
            try {
                load.formulas.push_back(Formula::parse(text, state_));
                load.texts.push_back(text);
            } catch (const FormulaError& error) {
                arguments.fail(key,
                               "formula of " + options.components[i] + ", " + error.what() + "\n" +
                                   formula_excerpt(text, error.position()));
            }
        }
        const auto note = [&] {
            for (const Formula& formula : load.formulas) add_break_points(arguments, formula);
        };
        if (state_.num_variables() > known) return note(), load;
        const bool reads_known = std::ranges::any_of(load.formulas, [](const Formula& formula) {
            return formula.num_variables() > 0;
        });
        if (reads_known) return note(), load;
        load = {};  // of time alone
    }
    load.over_time = TimeFunction(arguments, key, options);
    return load;
}

StateReader::Layout PointLoad::layout(std::size_t point, std::size_t size) const {
    const std::size_t first = num_points(size);
    return {point, follows_ ? first : StateReader::kNone, first + (has_axes() ? kAxes : 0)};
}

Vec3 PointLoad::formulas_of(const Load& load,
                            double t,
                            const Variables& x,
                            std::array<Variables, 3>* slopes) const {
    Vec3 out;
    std::array<double, static_cast<std::size_t>(2 * Formula::kMaxSize)> work;
    for (std::size_t i = 0; i < 3; ++i) {
        const Formula& formula = load.formulas[i];
        double by_t = 0.0;
        double& value = out(static_cast<int>(i));
        value = slopes == nullptr ? formula.evaluate<double>(x, t, work)
                                  : formula.gradient<double>(x, t, work, (*slopes)[i], by_t);
        if (!std::isfinite(value))
            throw std::domain_error(std::string("the formula of ") + "xyz"[i] + ", \"" +
                                    load.texts[i] + "\", has no finite value at t = " + seconds(t));
        if (slopes != nullptr)
            for (double& slope : (*slopes)[i])
                if (!std::isfinite(slope)) slope = 0.0;  // slope discontinuity: no tangent
    }
    return out;
}

template <class Call>
Vec3 PointLoad::value_of(const Load& load, double t, const Variables& x, Call call) const {
    if (!load.formulas.empty()) return formulas_of(load, t, x, nullptr);
    Vec3 value = Vec3::Zero();
    if (load.over_time.num_components() > 0)
        call(load.over_time, std::span<double>(value.data(), 3));
    return value;
}

void PointLoad::evaluate(const RowPoint& at,
                         std::span<const double> state,
                         const ForceValues& out) const {
    const auto now = [&](const TimeFunction& function, std::span<double> value) {
        function.evaluate(at.t, value);
    };
    double factor = 1.0;
    if (factor_.num_components() > 0) now(factor_, {&factor, 1});
    factor = factor_with(factor, at.own);
    Variables x{};
    const auto read = [&](std::size_t point) {
        if (state_.reads()) state_.read(at, state, layout(point, at.u.size()), x);
    };
    read(0);
    const Vec3 T = factor * value_of(torque_, at.t, x, now);
    const Vec3 F = factor * value_of(force_, at.t, x, now);
    const auto force = [&](std::size_t point) -> Vec3 {
        if (point == 0 || force_.formulas.empty()) return F;
        read(point);
        return factor * value_of(force_, at.t, x, now);
    };
    apply(force, T, at.u, out.f);
}

void PointLoad::evaluate_step(const RowStep& step,
                              std::span<const double>,
                              const ForceValues& out) const {
    const auto mean = [&](const TimeFunction& function, std::span<double> value) {
        function.mean(step.t0, step.h, value);
    };
    const double t = step.t0 + 0.5 * step.h;
    double factor = 1.0;
    if (factor_.num_components() > 0) mean(factor_, {&factor, 1});
    factor = factor_with(factor, step.own);
    Variables x{};
    const auto read = [&](std::size_t point) {
        if (state_.reads()) state_.read_step(step, layout(point, step.u0.size()), x);
    };
    read(0);
    const Vec3 T = factor * value_of(torque_, t, x, mean);
    const Vec3 F = factor * value_of(force_, t, x, mean);
    const auto force = [&](std::size_t point) -> Vec3 {
        if (point == 0 || force_.formulas.empty()) return F;
        read(point);
        return factor * value_of(force_, t, x, mean);
    };
    apply(force, T, step.mid, out.f);
}

template <class Force>
void PointLoad::apply(Force force,
                      const Vec3& T_given,
                      std::span<const double> u,
                      std::span<double> f) const {
    const std::size_t first = num_points(u.size());
    Mat3 axes = Mat3::Zero();  // columns d_i
    if (has_axes()) axes = Eigen::Map<const Mat3>(u.data() + first);
    for (std::size_t i = 0; i < first; i += 3) {
        const Vec3 F = force(i);
        Eigen::Map<Vec3>(f.data() + i) = follows_ ? Vec3(axes * F) : F;
    }
    std::ranges::fill(f.subspan(first), 0.0);
    if (!has_axes()) return;
    const Vec3 T = follows_ ? Vec3(axes * T_given) : T_given;

    // a of (3). Axes that are all parallel, as the mean of a half turn's are, cannot bear every
    // torque; a step so long has no better meaning than what orthonormal axes would get.
    const Mat3 D = axes * axes.transpose();
    const double trace = D.trace();
    const Mat3 K = trace * Mat3::Identity() - D;
    constexpr double kParallel = 1e-12;
    Mat3 inverse;
    bool is_regular = false;
    double determinant = 0.0;
    K.computeInverseAndDetWithCheck(
        inverse, determinant, is_regular, kParallel * trace * trace * trace);
    Vec3 a = 0.5 * T;
    if (is_regular) a = inverse * T;
    for (int i = 0; i < 3; ++i) Eigen::Map<Vec3>(f.data() + first + 3 * i) = a.cross(axes.col(i));
}

void PointLoad::differentiate_step(const RowStep& step,
                                   std::span<const double>,
                                   std::span<double> D) const {
    const std::size_t k = step.u0.size();
    const StateReader::Layout where = layout(0, k);
    const double t = step.t0 + 0.5 * step.h;
    const auto mean = [&](const TimeFunction& function, std::span<double> value) {
        function.mean(step.t0, step.h, value);
    };
    double factor = 1.0;
    if (factor_.num_components() > 0) mean(factor_, {&factor, 1});
    factor = factor_with(factor, step.own);
    RowStep dry = step;
    dry.state1 = {};
    Variables x{};
    state_.read_step(dry, where, x);
    std::ranges::fill(D, 0.0);

    // What a unit of each component does, times how that component answers
    std::array<double, kMostScalars> unit, by_du;
    const auto add = [&](const Load& load, bool is_force) {
        Vec3 value = factor * value_of(load, t, x, mean);
        if (load.formulas.empty()) return value;
        std::array<Variables, 3> slopes{};
        formulas_of(load, t, x, &slopes);
        for (std::size_t c = 0; c < 3; ++c) {
            const Vec3 e = factor * Vec3::Unit(static_cast<int>(c));
            const Vec3 F = is_force ? e : Vec3(Vec3::Zero()), T = is_force ? Vec3(Vec3::Zero()) : e;
            apply(
                [&](std::size_t) {
                    return F;
                },
                T,
                step.mid,
                std::span(unit).first(k));
            std::ranges::fill(by_du, 0.0);
            state_.pull(dry, where, slopes[c], by_du);
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j < k; ++j) D[i * k + j] += unit[i] * by_du[j];
        }
        return value;
    };
    const Vec3 F = add(force_, true);
    const Vec3 T = add(torque_, false);
    if (!has_axes()) return;

    // How the load turns with the axes, by central differences
    constexpr double kStep = 6e-6;
    const std::size_t first = num_points(k);
    std::array<double, kMostScalars> u, up, down;
    std::ranges::copy(step.mid, u.begin());
    const auto force = [&](std::size_t) {
        return F;
    };
    for (std::size_t j = first; j < first + kAxes; ++j) {
        const double at = u[j];
        u[j] = at + kStep;
        apply(force, T, std::span(u).first(k), std::span(up).first(k));
        u[j] = at - kStep;
        apply(force, T, std::span(u).first(k), std::span(down).first(k));
        u[j] = at;
        for (std::size_t i = 0; i < k; ++i) D[i * k + j] += 0.5 * (up[i] - down[i]) / (2.0 * kStep);
    }
}

}  // namespace ancora::point_load
