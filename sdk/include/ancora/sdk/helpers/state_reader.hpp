// SPDX-License-Identifier: BSD-3-Clause
// Names in formulas of the state: coordinates, velocities, turning rates, measures of joints.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/formula/formula.hpp"
#include "ancora/sdk/helpers/measure_function.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora {

/// What formulas of the state may name besides t, and its values at instants and over steps:
///
///   x, y, z           position of the point that is acted on, inertial axes [m]
///   vx, vy, vz        its velocity, in the axes of the load [m/s]
///   box.x, box.vx     of a body's reference point; box@[1, 0, 0].x, net@3.vz of other points
///   hub.wx            angular velocity of a body with axes, in these [rad/s]
///   elbow.angle       a measure of a joint, turns counted, elbow.angle_rate its rate
///   der(box.x)        another way to write the rate of a value
///
/// What is named becomes attachments behind those of the object itself, on which no force acts.
/// The scope of several formulas at once: variables count through all of them.
class StateReader final : public FormulaScope {
public:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    static constexpr std::size_t kMostScalars = 9 * Formula::kMaxVariables;

    /// Where in u the object has its point, the body's axes (kNone: none, velocities in inertial
    /// axes) and what is read.
    struct Layout {
        std::size_t point = 0;
        std::size_t axes = kNone;
        std::size_t sensed = 0;
    };

    // --- [assembly]

    /// @param has_point  bare names such as "vx" have a meaning
    void allow_point(bool has_point) { has_point_ = has_point; }
    int find(const FormulaName& name) override {
        if (name.component.empty()) return own(name);
        const std::string& c = name.component;
        if (name.place.empty() && c.size() == 2 && c[0] == 'w' && axis_of(c[1]) >= 0) {
            if (name.is_rate)
                throw std::invalid_argument("the rate of an angular velocity is not known here");
            return number(Kind::spin, name.object, axis_of(c[1]), false);
        }
        const bool is_velocity = c.size() == 2 && c[0] == 'v' && axis_of(c[1]) >= 0;
        if (is_velocity || (c.size() == 1 && axis_of(c[0]) >= 0)) {
            if (is_velocity && name.is_rate)
                throw std::invalid_argument("the rate of a velocity is not known here");
            std::string text = name.object;
            if (!name.place.empty()) text += "@" + name.place;
            text += '.';
            text += c.back();
            return number(Kind::coordinate, text, 0, is_velocity || name.is_rate);
        }
        if (!name.place.empty()) return -1;
        constexpr std::string_view kSuffix = "_rate";
        const bool is_rate = c.size() > kSuffix.size() && c.ends_with(kSuffix);
        return number(Kind::measure,
                      name.object + "." + (is_rate ? c.substr(0, c.size() - kSuffix.size()) : c),
                      0,
                      is_rate || name.is_rate);
    }
    std::string expected() const override {
        return std::string("the time \"t\", ") +
               (has_point_ ? "the point's own \"x\" or \"vx\", " : "") +
               "a body's \"box.x\", \"box.vx\" or \"box.wz\", or a measure such as "
               "\"elbow.angle\" or its rate \"elbow.angle_rate\"";
    }

    /// True if a formula named anything but t.
    bool reads() const { return !variables_.empty(); }
    /// Asks for what was named, behind what `to` already asks for.
    /// @param to  AttachmentTexts, or what has add(kind, text, key) as that
    template <class Requests>
    void finish(const Arguments& arguments, const char* key, Requests& to) {
        using Request = AttachmentRequest::Kind;
        for (Source& source : sources_) {
            source.first = num_scalars_;
            switch (source.kind) {
                case Kind::coordinate:
                    to.add(Request::coordinate, source.text, key);
                    num_scalars_ += 3;
                    break;
                case Kind::spin:
                    for (const int axis : {(source.axis + 1) % 3, (source.axis + 2) % 3})
                        to.add(Request::direction,
                               source.text + (axis == 0   ? "@[1, 0, 0]"
                                              : axis == 1 ? "@[0, 1, 0]"
                                                          : "@[0, 0, 1]"),
                               key);
                    num_scalars_ += 6;
                    break;
                default:
                    const MeasureStart& start = arguments.measure(source.text, key);
                    source.function = MeasureFunction(start.kind);
                    source.start = start.value;
                    source.state = num_state_++;
                    to.add(Request::measure, source.text, key);
                    num_scalars_ += source.function.num_scalars();
            }
        }
    }

    std::size_t num_scalars() const { return num_scalars_; }
    std::size_t num_variables() const { return variables_.size(); }
    /// The turns of angles that are read are state of the object.
    int num_state() const { return num_state_; }
    void start_state(std::span<double> state) const {
        for (const Source& source : sources_)
            if (source.kind == Kind::measure)
                state[static_cast<std::size_t>(source.state)] = source.start;
    }

    // --- [step]

    /// Values of all variables at an instant.
    void read(const RowPoint& at,
              std::span<const double> state,
              const Layout& where,
              std::span<double> x) const {
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            const Variable& of = variables_[i];
            x[i] = is_own(of.kind) ? own_value(of, where, at.u.data(), at.du.data())
                                   : sensed_value(of, sources_[of.source], at, state, where.sensed);
        }
    }

    /// Means of all variables over a step; writes the state at its end.
    void read_step(const RowStep& step, const Layout& where, std::span<double> x) const {
        if (!step.state1.empty())
            for (const Source& source : sources_)
                if (source.kind == Kind::measure) static_cast<void>(follow(source, step, where));
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            const Variable& of = variables_[i];
            if (is_own(of.kind)) {
                x[i] = own_value(of, where, step.mid.data(), step.rate.data());
                continue;
            }
            const Source& source = sources_[of.source];
            if (source.kind == Kind::measure) {
                const auto [before, change] = follow(source, step, where);
                x[i] = of.is_rate ? change / step.h : before + 0.5 * change;
            } else {
                x[i] = sensed_value(of, source, {step.mid, step.rate, step.t0}, {}, where.sensed);
            }
        }
    }

    /// by_du += sum_i by_x[i] dx_i / d(du), of what read_step() gives.
    void pull(const RowStep& step,
              const Layout& where,
              std::span<const double> by_x,
              std::span<double> by_du) const {
        const double by_rate = 1.0 / step.h;
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            const Variable& of = variables_[i];
            const double slope = by_x[i];
            if (slope == 0.0) continue;
            if (of.kind == Kind::own_position) {
                by_du[where.point + of.axis] += 0.5 * slope;
                continue;
            }
            if (of.kind == Kind::own_velocity) {
                pull_velocity(of.axis, slope, step, where, by_du);
                continue;
            }
            const Source& source = sources_[of.source];
            const std::size_t first = where.sensed + source.first;
            if (source.kind == Kind::coordinate) {
                by_du[first] += slope * (of.is_rate ? by_rate : 0.5);
            } else if (source.kind == Kind::measure) {
                std::array<double, MeasureFunction::kMostScalars> g;
                source.function.gradient(step.u1.data() + first, g.data());
                const double factor = slope * (of.is_rate ? by_rate : 0.5);
                for (std::size_t j = 0; j < source.function.num_scalars(); ++j)
                    by_du[first + j] += factor * g[j];
            } else {
                for (std::size_t j = 0; j < 3; ++j) {
                    const std::size_t a = first + j, b = first + 3 + j;
                    by_du[a] += 0.5 * slope * (by_rate * step.mid[b] - 0.5 * step.rate[b]);
                    by_du[b] += 0.5 * slope * (0.5 * step.rate[a] - by_rate * step.mid[a]);
                }
            }
        }
    }

private:
    enum class Kind { own_position, own_velocity, coordinate, spin, measure };
    struct Variable {
        Kind kind;
        std::size_t axis;    ///< of own values
        std::size_t source;  ///< of others
        bool is_rate;
    };
    struct Source {
        Kind kind;
        std::string text;
        int axis;  ///< of a spin
        std::size_t first = 0;
        MeasureFunction function{};
        double start = 0.0;
        int state = 0;
    };
    struct Change {
        double before, change;
    };

    static int axis_of(char c) { return c >= 'x' && c <= 'z' ? c - 'x' : -1; }
    static bool is_own(Kind kind) {
        return kind == Kind::own_position || kind == Kind::own_velocity;
    }

    int own(const FormulaName& name) {
        const std::string& c = name.object;
        const bool is_velocity = c.size() == 2 && c[0] == 'v';
        if (!has_point_ || (c.size() != 1 && !is_velocity) || axis_of(c.back()) < 0) return -1;
        if (is_velocity && name.is_rate)
            throw std::invalid_argument("the rate of a velocity is not known here");
        const Kind kind = is_velocity || name.is_rate ? Kind::own_velocity : Kind::own_position;
        return add({kind, static_cast<std::size_t>(axis_of(c.back())), 0, false});
    }
    int number(Kind kind, const std::string& text, int axis, bool is_rate) {
        std::size_t source = 0;
        while (source < sources_.size() &&
               !(sources_[source].kind == kind && sources_[source].text == text &&
                 sources_[source].axis == axis))
            ++source;
        if (source == sources_.size()) sources_.push_back({kind, text, axis});
        return add({kind, 0, source, is_rate});
    }
    int add(const Variable& variable) {
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            const Variable& known = variables_[i];
            if (known.kind == variable.kind && known.axis == variable.axis &&
                known.source == variable.source && known.is_rate == variable.is_rate)
                return static_cast<int>(i);
        }
        variables_.push_back(variable);
        return static_cast<int>(variables_.size()) - 1;
    }

    static double own_value(const Variable& of,
                            const Layout& where,
                            const double* u,
                            const double* du) {
        if (of.kind == Kind::own_position) return u[where.point + of.axis];
        if (where.axes == kNone) return du[where.point + of.axis];
        double sum = 0.0;
        for (std::size_t j = 0; j < 3; ++j)
            sum += u[where.axes + 3 * of.axis + j] * du[where.point + j];
        return sum;
    }
    static double sensed_value(const Variable& of,
                               const Source& source,
                               const RowPoint& at,
                               std::span<const double> state,
                               std::size_t sensed) {
        const double* const u = at.u.data() + sensed + source.first;
        const double* const du = at.du.data() + sensed + source.first;
        if (source.kind == Kind::coordinate) return of.is_rate ? du[0] : u[0];
        if (source.kind == Kind::measure) {
            if (of.is_rate) return source.function.rate(u, du);
            const double near =
                state.empty() ? source.start : state[static_cast<std::size_t>(source.state)];
            return source.function.near(source.function.value(u), near);
        }
        // w_k = (d_j . d_i' - d_i . d_j') / 2 of i, j, k in cyclic order
        double sum = 0.0;
        for (std::size_t j = 0; j < 3; ++j) sum += u[3 + j] * du[j] - u[j] * du[3 + j];
        return 0.5 * sum;
    }
    static Change follow(const Source& source, const RowStep& step, const Layout& where) {
        const std::size_t first = where.sensed + source.first;
        const MeasureFunction& function = source.function;
        std::array<double, MeasureFunction::kMostScalars> D;
        function.step_gradient(
            step.u0.data() + first, step.mid.data() + first, step.u1.data() + first, D.data());
        const double change = function.dot(D.data(), step.du.data() + first);
        const auto k = static_cast<std::size_t>(source.state);
        const double before = function.near(function.value(step.u0.data() + first),
                                            step.state0.empty() ? source.start : step.state0[k]);
        if (!step.state1.empty()) step.state1[k] = before + change;
        return {before, change};
    }
    static void pull_velocity(std::size_t axis,
                              double slope,
                              const RowStep& step,
                              const Layout& where,
                              std::span<double> by_du) {
        if (where.axes == kNone) {
            by_du[where.point + axis] += slope / step.h;
            return;
        }
        for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t d = where.axes + 3 * axis + j;
            by_du[where.point + j] += slope * step.mid[d] / step.h;
            by_du[d] += 0.5 * slope * step.rate[where.point + j];
        }
    }

    bool has_point_ = false;
    std::vector<Variable> variables_;
    std::vector<Source> sources_;
    std::size_t num_scalars_ = 0;
    int num_state_ = 0;
};

}  // namespace ancora
