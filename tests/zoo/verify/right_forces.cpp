// SPDX-License-Identifier: BSD-3-Clause
// Right forces that look unusual: slope discontinuities, stops, tables, states, signals, memory of
// the last answer.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ancora/sdk/authoring.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/signals.hpp"

namespace {

using namespace ancora;

constexpr Parameter kAt[] = {parameter::point("at", "where it acts").required()};
constexpr Parameter kBetween[] = {parameter::point("a", "one end").required(),
                                  parameter::point("b", "the other end").required()};

constexpr TypeDocs docs_of(const char* doc) {
    return {.doc = doc,
            .equation = "f = f(r, r', t)",
            .source = "made for tests",
            .examples = {"at = \"a@[0.3, 0.1, -0.2]\""}};
}
constexpr TypeDocs between(const char* doc) {
    return {.doc = doc,
            .equation = "f_a = -f_b = f(r_a - r_b) along their line",
            .source = "made for tests",
            .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\""}};
}

/// A force of position, velocity and time on one point, in the field of the inertial frame.
template <class Field>
class InField final : public ForceLaw<InField<Field>> {
public:
    static constexpr Parameter kParameters[] = {parameter::point("at", "where it acts").required()};
    explicit InField(const Arguments&) {}
    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        InField::ForceLaw::facets(out);
        out.tied_to_inertial_frame = true;
    }
    Vec3 force(const Vec3& r, const Vec3& v, double t) const { return Field::force(r, v, t); }
};

/// A bump stop: nothing above the floor, a stiff spring below, with a slope discontinuity between.
struct BumpStop {
    static Vec3 force(const Vec3& r, const Vec3&, double) {
        return {0.0, 0.0, r.z() < 0.0 ? -300.0 * r.z() : 0.0};
    }
};
/// Hunt and Crossley's: damping that begins at nothing.
struct HuntCrossley {
    static Vec3 force(const Vec3& r, const Vec3& v, double) {
        const double depth = r.z() < 0.0 ? -r.z() : 0.0;
        const double push = 400.0 * depth * std::sqrt(depth) * (1.0 - 0.3 * v.z());
        return {0.0, 0.0, push > 0.0 ? push : 0.0};
    }
};
/// A force that turns the velocity and does no work.
struct Lorentz {
    static Vec3 force(const Vec3&, const Vec3& v, double) { return Vec3(0.3, -0.2, 1.0).cross(v); }
};
/// A whirl, whose force has no potential.
struct Whirl {
    static Vec3 force(const Vec3& r, const Vec3&, double) {
        const double falls = std::exp(-0.1 * r.squaredNorm());
        return {-2.0 * r.y() * falls, 2.0 * r.x() * falls, 0.0};
    }
};
/// Regularised dry friction on a floor.
struct SmoothFriction {
    static Vec3 force(const Vec3&, const Vec3& v, double) {
        const double speed = std::hypot(v.x(), v.y(), 0.05);
        return {-1.5 * v.x() / speed, -1.5 * v.y() / speed, 0.0};
    }
};
/// Drag with a power that is no whole number.
struct PowerDrag {
    static Vec3 force(const Vec3&, const Vec3& v, double) {
        const double square = v.squaredNorm();
        return square > 0.0 ? Vec3(-0.4 * std::pow(square, 0.3) * v) : Vec3(0.0, 0.0, 0.0);
    }
};
/// Buoyancy of a small ball: a polynomial while it dips in, then all of it.
struct Buoyancy {
    static Vec3 force(const Vec3& r, const Vec3&, double) {
        const double wet = std::clamp(0.5 - r.z() / 0.4, 0.0, 1.0);
        return {0.0, 0.0, 20.0 * wet * wet * (3.0 - 2.0 * wet)};
    }
};
/// A pulse that is smooth and short.
struct Pulse {
    static Vec3 force(const Vec3&, const Vec3&, double t) {
        const double x = (t - 0.4) / 0.1;
        return {5.0 * std::exp(-x * x), 0.0, -2.0 * std::exp(-x * x)};
    }
};
/// A load that is switched on, with a jump in time.
struct Switched {
    static Vec3 force(const Vec3&, const Vec3&, double t) {
        return {t < 0.5 ? 0.0 : 3.0, 0.0, 0.0};
    }
};
/// A spring of the fifth power.
struct Quintic {
    static Vec3 force(const Vec3& r, const Vec3&, double) {
        const double square = r.squaredNorm();
        return -4.0 * square * square * r;
    }
};
/// A well with walls of atan().
struct Well {
    static Vec3 force(const Vec3& r, const Vec3& v, double) {
        return {-3.0 * std::atan(r.x()) - 0.1 * v.x(),
                -3.0 * std::atan(2.0 * r.y()),
                -std::tanh(r.z())};
    }
};
/// Zero: legal, if of little use.
struct Nothing {
    static Vec3 force(const Vec3&, const Vec3&, double) { return {0.0, 0.0, 0.0}; }
};
/// The last answer is kept per thread, and used again for the same question.
struct Remembers {
    static Vec3 force(const Vec3& r, const Vec3& v, double) {
        thread_local Vec3 r_last(0.0, 0.0, 0.0), v_last(0.0, 0.0, 0.0), f(0.0, 0.0, 0.0);
        if (r != r_last || v != v_last) {
            r_last = r;
            v_last = v;
            f = -2.0 * r - 0.3 * v.norm() * v;
        }
        return f;
    }
};
/// From a table of sines that the first call fills.
struct FromTable {
    static const std::array<double, 65>& table() {
        static const std::array<double, 65> values = [] {
            std::array<double, 65> out{};
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = std::sin(2.0 * std::numbers::pi * static_cast<double>(i) / 64.0);
            return out;
        }();
        return values;
    }
    static Vec3 force(const Vec3& r, const Vec3&, double) {
        const double at = 64.0 * (r.x() - std::floor(r.x()));
        const auto i = static_cast<std::size_t>(std::min(at, 63.0));
        const double part = at - static_cast<double>(i);
        return {2.0 * ((1.0 - part) * table()[i] + part * table()[i + 1]), 0.0, 0.0};
    }
};

/// A pair of opposite forces along the line of two points, of length and its rate.
template <class Law>
class Between final : public ForceLaw<Between<Law>> {
public:
    static constexpr Parameter kParameters[] = {parameter::point("a", "one end").required(),
                                                parameter::point("b", "the other end").required()};
    explicit Between(const Arguments&) {}
    WorkKind work() const override { return WorkKind::nonideal; }
    Vec3 force(const Vec3& a, const Vec3& b, const Vec3& a_rate, const Vec3& b_rate) const {
        const Vec3 d = a - b;
        const double length = d.norm();
        if (!(length > 0.0)) return {0.0, 0.0, 0.0};
        return Law::effort(length, d.dot(a_rate - b_rate) / length) / length * d;
    }
};
/// Lennard and Jones's, with its poles cut off smoothly.
struct LennardJones {
    static double effort(double l, double) {
        const double s = 0.04 / (l * l + 0.04), s3 = s * s * s;
        return 6.0 * (2.0 * s3 * s3 - s3) * l;
    }
};
/// A rope: it pulls and never pushes.
struct Rope {
    static double effort(double l, double) { return l > 0.8 ? -60.0 * (l - 0.8) : 0.0; }
};
/// A shock absorber that is harder one way.
struct ShockAbsorber {
    static double effort(double, double rate) { return rate > 0.0 ? -8.0 * rate : -2.0 * rate; }
};
/// A muscle: a bell over the length, falling with the rate.
struct Muscle {
    static double effort(double l, double rate) {
        const double x = (l - 0.7) / 0.4;
        return -5.0 * std::exp(-x * x) / (1.0 + std::exp(4.0 * rate));
    }
};
struct Duffing {
    static double effort(double l, double rate) {
        const double x = l - 0.7;
        return -10.0 * x - 40.0 * x * x * x - 0.1 * rate;
    }
};

/// With a state of its own, that no force reads: an odometer.
class Odometer final : public ForceLaw<Odometer>, public Signals {
public:
    static constexpr Parameter kParameters[] = {parameter::point("at", "where it acts").required()};
    explicit Odometer(const Arguments&) {}
    WorkKind work() const override { return WorkKind::external; }
    void facets(ForceFacets& out) const override {
        ForceLaw::facets(out);
        out.tied_to_inertial_frame = true;
    }
    Vec3 force(const Vec3&, const Vec3&, const OwnValues&) const { return {0.0, 0.0, 0.0}; }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        y[0] = at.own.x[0];
    }
    int num_continuous() const override { return 1; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        dx[0] = std::hypot(at.du[0], at.du[1], at.du[2]);
    }

private:
    static constexpr std::array<Output, 1> kOutputs{{{"way", "m", "of the point"}}};
};

/// Maxwell's element: a spring behind a damper, by the state of the spring.
class Maxwell final : public ForceLaw<Maxwell>, public Signals {
public:
    static constexpr Parameter kParameters[] = {parameter::point("at", "where it acts").required()};
    explicit Maxwell(const Arguments&) {}
    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        ForceLaw::facets(out);
        out.tied_to_inertial_frame = true;
    }
    Vec3 force(const Vec3&, const Vec3&, const OwnValues& own) const {
        return {-30.0 * own.x[0], -30.0 * own.x[1], -30.0 * own.x[2]};
    }
    int num_continuous() const override { return 3; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        for (std::size_t i = 0; i < 3; ++i) dx[i] = at.du[i] - 6.0 * at.own.x[i];
    }
};

/// Acts every 0.05 s: holds what it saw.
class Sampled final : public ForceLaw<Sampled>, public Signals {
public:
    static constexpr Parameter kParameters[] = {parameter::point("at", "where it acts").required()};
    explicit Sampled(const Arguments&) {}
    WorkKind work() const override { return WorkKind::external; }
    void facets(ForceFacets& out) const override {
        ForceLaw::facets(out);
        out.tied_to_inertial_frame = true;
    }
    Vec3 force(const Vec3&, const Vec3&, const OwnValues& own) const {
        return {-2.0 * own.z[0], -2.0 * own.z[1], -2.0 * own.z[2]};
    }
    int num_discrete() const override { return 3; }
    double next_time(double after, std::span<const double>) const override {
        return SampleTimes{0.05, 0.0}.next(after);
    }
    void act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const override {
        std::copy_n(at.u.begin(), 3, z.begin());
    }
};

template <class Field>
constexpr TypeDescriptor field(const char* name, const char* doc) {
    return type<InField<Field>>(name, docs_of(doc), kAt);
}
template <class Law>
constexpr TypeDescriptor pair(const char* name, const char* doc) {
    return type<Between<Law>>(name, between(doc), kBetween);
}

constexpr TypeDescriptor kTypes[] = {
    field<BumpStop>("right_bump_stop", "a stop with a kink"),
    field<HuntCrossley>("right_hunt_crossley", "contact with damping that begins at nothing"),
    field<Lorentz>("right_lorentz", "a force across the velocity"),
    field<Whirl>("right_whirl", "a force without a potential"),
    field<SmoothFriction>("right_smooth_friction", "regularised dry friction"),
    field<PowerDrag>("right_power_drag", "drag with an odd power"),
    field<Buoyancy>("right_buoyancy", "a small ball in water"),
    field<Pulse>("right_pulse", "a short pulse"),
    field<Switched>("right_switched", "a load that is switched on"),
    field<Quintic>("right_quintic", "a spring of the fifth power"),
    field<Well>("right_well", "a well with soft walls"),
    field<Nothing>("right_nothing", "no force"),
    field<Remembers>("right_remembers", "keeps the last answer of a thread"),
    field<FromTable>("right_from_table", "interpolates a table of its own"),
    pair<LennardJones>("right_lennard_jones", "two particles"),
    pair<Rope>("right_rope", "pulls and never pushes"),
    pair<ShockAbsorber>("right_shock_absorber", "harder one way"),
    pair<Muscle>("right_muscle", "a bell over the length"),
    pair<Duffing>("right_duffing", "a spring that hardens"),
    type<Odometer>("right_odometer", docs_of("counts the way"), kAt),
    type<Maxwell>("right_maxwell", docs_of("a spring behind a damper"), kAt),
    type<Sampled>("right_sampled", docs_of("holds what it saw"), kAt),
};

}  // namespace

ANCORA_PLUGIN(ANCORA_TEST_PLUGIN_NAME, "1.0.0", kTypes)
