// SPDX-License-Identifier: BSD-3-Clause
// Rows on measures: faces, and the laws that read their parameters.
#include "measure_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

namespace ancora::joints {
namespace {

// Of a scaled row's tangent, which shapes the iteration alone.
constexpr double kMostScale = 1e3;

}  // namespace

// --- rows

void MeasureRow::act_on(const Acting& on, double c) {
    for (const AttachmentRequest& request : on.attachments()) requests_.add(request);
    terms_.push_back({on.function, 1.0, c, on.value});
}

void MeasureRow::add(const Arguments& arguments,
                     std::string_view text,
                     const char* key,
                     double factor) {
    const MeasureStart& start = arguments.measure(text, key);
    requests_.add(AttachmentRequest::Kind::measure, text, key);
    terms_.push_back({MeasureFunction(start.kind), factor, start.value, start.value});
}

void MeasureRow::finish(const char* row_name, const RowLaw& law) {
    law_ = law;
    std::int32_t n = 0;
    for (const Term& term : terms_) n += static_cast<std::int32_t>(term.function.num_scalars());
    if (has_own_coordinate_) ++n;
    for (std::int32_t i = 0; i < n; ++i) stencil_.push_back(i);
    block_.name = row_name;
    block_.num_items = 1;
    block_.rows_per_item = has_second_row_ ? 2 : 1;
    block_.scalars_per_item = n;
    block_.stencil = stencil_;
    laws_ = {law_, beside_};
    block_.laws = std::span(laws_).first(has_second_row_ ? 2 : 1);
    block_.degree = Degree::general;
    block_.tangent = TangentForm::full;
    block_.depends_on_time = is_driven_ || is_stiffening_;
    for (const Term& term : terms_) start_state_.push_back(term.start);
}

double MeasureRow::sum(const RowPoint& at) const {
    double pi = 0.0;
    std::size_t first = 0;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
        const auto& [function, factor, reference, start] = terms_[k];
        const double m = function.near(function.value(at.u.data() + first),
                                       at.state.empty() ? start : at.state[k]);
        pi += factor * (m - reference);
        first += function.num_scalars();
    }
    if (has_own_coordinate_) pi -= at.u[first];
    return pi;
}

void MeasureRow::evaluate(const RowPoint& at, double h, std::span<double> factors) const {
    const double t = at.t;
    factors[0] = h > 0.0 ? 0.5 * (scale(t).value + scale(t + h).value) : scale(t).value;
    if (factors.size() > 1) factors[1] = 1.0;
}

void MeasureRow::evaluate_stiffening(const RowPoint& at, const RowValues& out) const {
    const MeasureFunction& function = terms_[0].function;
    const std::size_t n = function.num_scalars();
    const StiffnessScale g = scale(at.t);
    const double x = sum(at);
    if (!out.pi.empty()) {
        out.pi[0] = g.value * x;
        if (has_second_row_) out.pi[1] = x;
    }
    if (!out.pi_t.empty()) {
        out.pi_t[0] = g.rate * x;
        if (has_second_row_) out.pi_t[1] = 0.0;
    }
    if (!out.A.empty()) {
        function.gradient(at.u.data(), out.A.data());
        if (has_second_row_) std::copy_n(out.A.data(), n, out.A.data() + n);
        for (std::size_t i = 0; i < n; ++i) out.A[i] *= g.value;
    }
    if (!out.b.empty()) {
        const double bias = function.bias(at.u.data(), at.du.data());
        const double rate = function.rate(at.u.data(), at.du.data());
        out.b[0] = g.value * bias - 2.0 * g.rate * rate - g.second * x;
        if (has_second_row_) out.b[1] = bias;
    }
}

void MeasureRow::step_stiffening(const RowStep& step, const RowStepValues& out) const {
    const auto& [function, factor, reference, start] = terms_[0];
    const std::size_t n = function.num_scalars();
    double* const D = out.B.data();
    function.step_gradient(step.u0.data(), step.mid.data(), step.u1.data(), D);
    const double before =
        function.near(function.value(step.u0.data()), step.state0.empty() ? start : step.state0[0]);
    const double change = function.dot(D, step.du.data());
    if (!step.state1.empty()) step.state1[0] = before + change;
    const double g0 = scale(step.t0).value, g1 = scale(step.t0 + step.h).value;
    if (has_second_row_) std::copy_n(D, n, D + n);
    for (std::size_t i = 0; i < n; ++i) D[i] *= 0.5 * (g0 + g1);
    // g1 x1 - g0 x0 = mean g (x1 - x0) + (g1 - g0) mean x
    out.tau[0] = (g1 - g0) * (before + 0.5 * change - reference);
    if (has_second_row_) out.tau[1] = 0.0;
}

void MeasureRow::evaluate(int, const RowPoint& at, const RowValues& out) const {
    if (is_stiffening_) return evaluate_stiffening(at, out);
    double d = 0.0, rate = 0.0, second = 0.0;
    if (is_driven_ && is_rate_row()) {
        if (!out.pi_t.empty() || !out.b.empty()) motion_.evaluate(at.t, {&rate, 1}, {&second, 1});
    } else if (is_driven_) {
        motion_.evaluate(at.t,
                         {&d, out.pi.empty() ? 0u : 1u},
                         {&rate, out.pi_t.empty() ? 0u : 1u},
                         {&second, out.b.empty() ? 0u : 1u});
    }
    if (!out.pi.empty()) out.pi[0] = is_rate_row() ? 0.0 : sum(at) - d;
    if (!out.pi_t.empty()) out.pi_t[0] = -rate;
    double b = second;
    std::size_t first = 0;
    for (const auto& [function, factor, reference, start] : terms_) {
        if (!out.A.empty()) {
            double* const A = out.A.data() + first;
            function.gradient(at.u.data() + first, A);
            for (std::size_t i = 0; i < function.num_scalars(); ++i) A[i] *= factor;
        }
        if (!out.b.empty()) b += factor * function.bias(at.u.data() + first, at.du.data() + first);
        first += function.num_scalars();
    }
    if (has_own_coordinate_ && !out.A.empty()) out.A[first] = -1.0;
    if (!out.b.empty()) out.b[0] = b;
}

void MeasureRow::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    if (is_stiffening_) return step_stiffening(step, out);
    std::size_t first = 0;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
        const auto& [function, factor, reference, start] = terms_[k];
        double* const B = out.B.data() + first;
        if (is_rate_row())
            function.gradient(step.mid.data() + first, B);
        else
            function.step_gradient(
                step.u0.data() + first, step.mid.data() + first, step.u1.data() + first, B);
        if (step.state1.size() > k)
            step.state1[k] = function.near(function.value(step.u0.data() + first), step.state0[k]) +
                             function.dot(B, step.du.data() + first);
        for (std::size_t i = 0; i < function.num_scalars(); ++i) B[i] *= factor;
        first += function.num_scalars();
    }
    if (has_own_coordinate_) out.B[first] = -1.0;
    if (out.tau.empty()) return;
    if (is_rate_row()) {
        double rate = 0.0;
        motion_.evaluate(step.t0 + 0.5 * step.h, {&rate, 1});
        out.tau[0] = -step.h * rate;
        return;
    }
    double d0 = 0.0, d1 = 0.0;
    motion_.evaluate(step.t0, {&d0, 1});
    motion_.evaluate(step.t0 + step.h, {&d1, 1});
    out.tau[0] = d0 - d1;
}

void MeasureRow::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    std::ranges::fill(G, 0.0);
    std::size_t first = 0;
    const std::size_t width = stencil_.size();
    double effort = at.s[0];
    if (is_stiffening_) {
        // The scale is not known here, but of lengths it follows from stress and measure
        const double x = terms_[0].function.value(at.mid.data()) - terms_[0].reference;
        const double k_x = x / law_.compliance;
        const bool is_length = !is_angle(terms_[0].function.kind()) && k_x != 0.0;
        effort *= is_length ? std::clamp(at.s[0] / k_x, 0.0, kMostScale) : 1.0;
        if (has_second_row_) effort += at.s[1];
    }
    for (const auto& [function, factor, reference, start] : terms_) {
        const std::size_t n = function.num_scalars();
        // Of a stretched link the whole is positive; of others the part is not worth its price
        const bool is_stretched = function.kind() == MeasureKind::distance && factor * effort > 0.0;
        if (!at.positive_part || is_stretched) {
            std::array<double, MeasureFunction::kMostScalars * MeasureFunction::kMostScalars> H{};
            function.add_hessian(at.mid.data() + first, factor * effort, H.data());
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j)
                    G[(first + i) * width + first + j] += H[i * n + j];
        }
        first += n;
    }
}

// --- laws

void Spring::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    between_ ? between_->evaluate(block, at, out) : MeasureRow::evaluate(block, at, out);
}
void Spring::evaluate_step(int block, const RowStep& step, const RowStepValues& out) const {
    between_ ? between_->evaluate_step(block, step, out)
             : MeasureRow::evaluate_step(block, step, out);
}
void Spring::evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const {
    between_ ? between_->evaluate_tangent(block, at, G)
             : MeasureRow::evaluate_tangent(block, at, G);
}

Spring::Spring(const Arguments& arguments, double damping) {
    const Acting on(arguments, true);
    const double free = arguments.has("free") ? arguments.number("free") : on.value;
    if (on.function.kind() == MeasureKind::distance && arguments.has("free") && !(free >= 0.0))
        arguments.fail("free", "a length cannot be negative");
    act_on(on, free);
    const double preload = arguments.number("preload");
    // The energy of a length without preload or free value is smooth where it vanishes
    const bool is_smooth =
        on.is_distance() && free == 0.0 && preload == 0.0 && !arguments.has("table");
    if (!is_smooth) on.refuse_coincidence(arguments);
    RowLaw law{.kind = RowKind::elastic};
    if (arguments.has("table") == arguments.has("stiffness"))
        arguments.fail(arguments.has("table") ? "table" : "stiffness",
                       arguments.has("table") ? "is given beside stiffness; give one of them"
                                              : "is missing; give it, or a table");
    if (arguments.has("table")) {
        auto table = std::make_unique<Table>(arguments, preload);
        law.compliance = 1.0 / table->stiffest();
        law.law = table.get();
        table_ = std::move(table);
    } else if (arguments.shape("stiffness") != Shape::number) {
        stiffness_ = TimeFunction(arguments,
                                  "stiffness",
                                  {.components = {"stiffness"},
                                   .interpolation = Interpolation::monotone,
                                   .outside = Outside::hold});
        is_stiffening_ = true;
        double k = 0.0;
        stiffness_.evaluate(0.0, {&k, 1});
        if (!(k > 0.0)) arguments.fail("stiffness", "is not above zero at the start");
        law.compliance = 1.0 / k;
        if (is_smooth) {
            between_ = std::make_unique<PointSpring>(law.compliance, &stiffness_, damping);
            return;
        }
        has_second_row_ = damping > 0.0 || preload != 0.0;
        beside_.kind = RowKind::dashpot;
        beside_.viscosity = damping;
        if (preload != 0.0) {
            table_ = std::make_unique<Preload>(preload);
            beside_.kind = RowKind::elastic;
            beside_.compliance = law.compliance;
            beside_.law = table_.get();
        }
        finish("spring", law);
        return;
    } else {
        if (!(arguments.number("stiffness") > 0.0))
            arguments.fail("stiffness", "is not above zero");
        law.compliance = 1.0 / arguments.number("stiffness");
        if (is_smooth) {
            between_ = std::make_unique<PointSpring>(law.compliance, nullptr, damping);
            return;
        }
        law.prestress = -preload;
    }
    law.viscosity = damping;
    finish("spring", law);
}

Spring::Table::Table(const Arguments& arguments, double preload) {
    const std::span<const double> numbers = arguments.numbers("table");
    const auto rows = static_cast<std::size_t>(arguments.rows("table"));
    if (rows < 2) arguments.fail("table", "needs two rows or more");
    for (std::size_t k = 0; k < rows; ++k) {
        x_.push_back(numbers[2 * k]);
        stress_.push_back(numbers[2 * k + 1] - preload);
        if (k > 0 && !(x_[k] > x_[k - 1]))
            arguments.fail("table",
                           "row " + std::to_string(k + 1) + " does not lie behind the one before");
    }
    if (!(stiffest() > 0.0)) arguments.fail("table", "has the same effort in all its rows");
    energy_.assign(rows, 0.0);
    for (std::size_t k = 1; k < rows; ++k)
        energy_[k] = energy_[k - 1] + 0.5 * (stress_[k] + stress_[k - 1]) * (x_[k] - x_[k - 1]);
    // Zero where the measure has its free value
    const double at_free = potential(0.0).energy;
    for (double& energy : energy_) energy -= at_free;
}

PotentialLaw::Potential Spring::Table::potential(double x) const {
    const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
    const auto k = static_cast<std::size_t>(above - x_.begin()) - 1;
    const double slope = (stress_[k + 1] - stress_[k]) / (x_[k + 1] - x_[k]);
    const double way = x - x_[k];
    return {energy_[k] + way * (stress_[k] + 0.5 * slope * way), stress_[k] + slope * way, slope};
}

double Spring::Table::stiffest() const {
    double out = 0.0;
    for (std::size_t k = 1; k < x_.size(); ++k)
        out = std::max(out, std::abs((stress_[k] - stress_[k - 1]) / (x_[k] - x_[k - 1])));
    return out;
}

void Damper::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    MeasureRow::evaluate(block, at, out);
    if (has_line_ && !out.A.empty()) LineOfTwo::gradient(at.u, at.du, out.A.data());
}

void Damper::evaluate_step(int block, const RowStep& step, const RowStepValues& out) const {
    MeasureRow::evaluate_step(block, step, out);
    if (has_line_) LineOfTwo::step_gradient(step, out.B.data());
}

namespace {

/// What of the kinetic energy J (n m' + w)^2 / 2 of a rotor on a base that turns by w about its
/// axis is not in n^2 J m'^2 / 2.
void warn_of_base(const Arguments& arguments, double ratio) {
    // Of the reflected inertia: less than that of a rotor and its gear is seldom known
    constexpr double kFelt = 0.02;
    const std::string_view base = arguments.measure_of("on").base;
    if (base.empty() || base == "ground" || kFelt * std::abs(ratio) >= 1.0) return;
    char size[40], part[40];
    std::snprintf(size, sizeof size, "%.3g", std::abs(ratio * arguments.number("inertia")));
    std::snprintf(part, sizeof part, "%.2g", 100.0 / std::abs(ratio));
    arguments.warn("on",
                   "is an angle seen from \"" + std::string(base) +
                       "\": where that turns itself, the coupling of " + size +
                       " kg m^2 (ratio times inertia) between it and the rotor, " + part +
                       " % of the reflected inertia, is left out, and so is the rotor's gyroscopic "
                       "moment; where they count, say gyroscopic = true");
}

}  // namespace

Rotor::Rotor(const Arguments& arguments) {
    const Acting on(arguments);
    act_on(on, on.value);
    const double ratio = arguments.number("ratio");
    if (ratio == 0.0) arguments.fail("ratio", "is zero, so that the rotor would not turn");
    if (arguments.boolean("gyroscopic")) {
        if (on.function.kind() != MeasureKind::angle)
            arguments.fail("gyroscopic", "needs an angle about an axis that some base carries");
        carried_ =
            std::make_unique<GyroscopicRotor>(on.function, arguments.number("inertia"), ratio);
        return;
    }
    if (is_angle(on.function.kind())) warn_of_base(arguments, ratio);
    turning_.inertia = ratio * ratio * arguments.number("inertia");
    turning_.rate = on.rate;
    has_own_coordinate_ = true;
    finish("rotor", {.kind = RowKind::constraint});
}

void Rotor::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    carried_ ? carried_->evaluate(at, out) : MeasureRow::evaluate(block, at, out);
}
void Rotor::evaluate_step(int block, const RowStep& step, const RowStepValues& out) const {
    carried_ ? carried_->evaluate_step(step, out) : MeasureRow::evaluate_step(block, step, out);
}
void Rotor::evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const {
    if (carried_)
        std::ranges::fill(G, 0.0);
    else
        MeasureRow::evaluate_tangent(block, at, G);
}

Damper::Damper(const Arguments& arguments) {
    const Acting on(arguments, true);
    act_on(on, on.value);
    has_line_ = on.is_distance();
    if (!arguments.has("damping")) arguments.fail("damping", "is missing");
    finish("damper", {.kind = RowKind::dashpot, .viscosity = arguments.number("damping")});
}

Drive::Drive(const Arguments& arguments) {
    const Acting on(arguments);
    const bool by_rate = arguments.has("rate");
    if (arguments.has("motion") == by_rate)
        arguments.fail(by_rate ? "rate" : "motion",
                       by_rate ? "is given beside motion; give one of them"
                               : "is missing; give it, or a rate");
    act_on(on, 0.0);
    is_driven_ = true;
    const char* const key = by_rate ? "rate" : "motion";
    motion_ = read_motion(arguments, key, {key});
    finish("drive", {.kind = by_rate ? RowKind::velocity_constraint : RowKind::constraint});
}

CouplerRow::CouplerRow(Coupling kind, const Arguments& arguments) {
    const int count = arguments.num_texts("on");
    std::vector<double> ratios;
    const auto expect = [&](int number, const char* what) {
        if (count != number)
            arguments.fail("on", "names " + std::to_string(count) + " measures, expected " + what);
    };
    switch (kind) {
        case Coupling::coupler: {
            if (count < 1) arguments.fail("on", "names no measure");
            const std::span<const double> given = arguments.numbers("ratios");
            if (given.size() != static_cast<std::size_t>(count))
                arguments.fail("ratios",
                               "has " + std::to_string(given.size()) + " numbers for " +
                                   std::to_string(count) + " measures");
            ratios.assign(given.begin(), given.end());
            for (const double k : ratios)
                if (k == 0.0) arguments.fail("ratios", "has a zero; leave that measure out");
            break;
        }
        case Coupling::gear: {
            expect(2, "two angles");
            const std::span<const double> teeth = arguments.numbers("teeth");
            ratios = {teeth[0], arguments.boolean("internal") ? -teeth[1] : teeth[1]};
            break;
        }
        case Coupling::rack_pinion:
            expect(2, "an angle and a displacement");
            ratios = {-arguments.number("radius"), 1.0};
            break;
        case Coupling::belt: {
            expect(2, "two angles");
            const std::span<const double> radii = arguments.numbers("radii");
            ratios = {radii[0], arguments.boolean("crossed") ? radii[1] : -radii[1]};
            break;
        }
        case Coupling::differential:
            expect(3, "three angles: the two sides and the cage");
            ratios = {1.0, 1.0, -2.0};
            break;
    }
    bool are_angles = true;
    for (int i = 0; i < count; ++i) {
        add(arguments, arguments.text("on", i), "on", ratios[i]);
        are_angles &= is_angle(arguments.measure(arguments.text("on", i), "on").kind);
    }
    // The sum of ratio times change is a length where radii or lengths are in it
    unit_ = kind == Coupling::belt || !are_angles ? "N" : "N m";
    RowLaw law{.kind = RowKind::constraint};
    const bool has_teeth = kind != Coupling::belt && kind != Coupling::differential;
    if (has_teeth && arguments.has("backlash")) {
        half_play_ = 0.5 * arguments.number("backlash") * std::abs(ratios.back());
        law = {.kind = RowKind::unilateral, .restitution = arguments.number("restitution")};
        has_second_row_ = true;
        beside_ = law;
    } else if (has_teeth && arguments.number("restitution") != 0.0) {
        arguments.fail("restitution", "is that of sides that meet; without backlash none do");
    }
    finish(half_play_ > 0.0 ? "side" : "ratio", law);
}

void CouplerRow::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    MeasureRow::evaluate(block, at, out);
    if (!(half_play_ > 0.0)) return;
    if (!out.pi.empty()) {
        const double x = out.pi[0];
        out.pi[0] = half_play_ + x;
        out.pi[1] = half_play_ - x;
    }
    const std::size_t n = out.A.size() / 2;
    for (std::size_t i = 0; i < n; ++i) out.A[n + i] = -out.A[i];
    if (!out.b.empty()) out.b[1] = -out.b[0];
    std::ranges::fill(out.pi_t, 0.0);
}

void CouplerRow::evaluate_step(int block, const RowStep& step, const RowStepValues& out) const {
    MeasureRow::evaluate_step(block, step, out);
    if (!(half_play_ > 0.0)) return;
    const std::size_t n = out.B.size() / 2;
    for (std::size_t i = 0; i < n; ++i) out.B[n + i] = -out.B[i];
}

void CouplerRow::evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const {
    if (!(half_play_ > 0.0)) return MeasureRow::evaluate_tangent(block, at, G);
    const double effort = at.s[0] - at.s[1];
    TangentPoint of_both = at;
    of_both.s = {&effort, 1};
    MeasureRow::evaluate_tangent(block, of_both, G);
}

}  // namespace ancora::joints
