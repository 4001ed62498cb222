// SPDX-License-Identifier: BSD-3-Clause
// Makes mechanisms from seeds, runs them, and judges what came of them.
#include "mechanisms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <utility>

#include <Eigen/Dense>
#include <fmt/format.h>

namespace ancora::testing {
namespace {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

constexpr double kGravity = 9.81;  // m/s^2
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int kGround = -1;

/// The same numbers on every platform, which the distributions of the standard library are not.
class Random {
public:
    explicit Random(std::uint64_t seed) : bits_(seed * 0x9e3779b97f4a7c15ULL + 1) {
        bits_.discard(16);
    }
    double uniform(double a, double b) {
        return a + (b - a) * (static_cast<double>(bits_() >> 11) * 0x1p-53);
    }
    double log_uniform(double a, double b) { return a * std::pow(b / a, uniform(0.0, 1.0)); }
    int integer(int a, int b) {
        return a + static_cast<int>(bits_() % static_cast<std::uint64_t>(b - a + 1));
    }
    bool chance(double p) { return uniform(0.0, 1.0) < p; }
    Vec3 direction() {
        for (;;) {
            const Vec3 x(uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0));
            if (x.norm() < 1.0 && x.norm() > 0.1) return x.normalized();
        }
    }
    Mat3 attitude() {
        return Eigen::AngleAxisd(uniform(0.0, 2.0 * std::numbers::pi), direction())
            .toRotationMatrix();
    }

private:
    std::mt19937_64 bits_;
};

std::string number(double x) {
    return fmt::format("{:.17g}", x);
}
std::string triple(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}
Mat3 frame_along(const Vec3& direction) {
    Mat3 frame;
    frame.col(0) = direction.normalized();
    frame.col(1) = frame.col(0).unitOrthogonal();
    frame.col(2) = frame.col(0).cross(frame.col(1));
    return frame;
}

/// A box of uniform density; lengths in units of the model's size until they are written.
struct Part {
    Vec3 centre;
    Mat3 frame;  // principal axes
    Vec3 dims;
    double mass = 1.0;
    Mat3 axes;  // body axes
    Vec3 reference;
    Vec3 v = Vec3::Zero(), w = Vec3::Zero();  // of the centre, and of turning
    double stiffness = kInf;                  // V alpha of its penalty [N m]

    int rod_axis() const {
        for (int i = 0; i < 3; ++i)
            if (dims((i + 1) % 3) == 0.0 && dims((i + 2) % 3) == 0.0) return i;
        return -1;
    }
    Vec3 velocity_at(const Vec3& p) const { return v + w.cross(p - centre); }
    void move_with(const Vec3& p, const Vec3& velocity, const Vec3& turn) {
        w = turn;
        v = velocity + turn.cross(centre - p);
    }
};

enum class Rigid { nothing, stiff_bodies, stiff_parts };

struct Spring {
    int a, b;
    Vec3 from, to;
    double k, damping, rest, density;  // N/m, N s/m, relative, kg/m^3
    bool is_stiff;
};

/// Writes parts and constraints down in the coordinates of a user who has never heard of the
/// model's: at any place and attitude, and of any size.
class Builder {
public:
    explicit Builder(std::uint64_t seed) : random(seed) {
        size = std::pow(10.0, random.integer(-1, 1) * (random.chance(0.5) ? 1.0 : 0.0));
        Q_ = random.chance(0.15) ? Mat3(Mat3::Identity()) : random.attitude();
        origin_ = random.chance(0.5) ? Vec3(Vec3::Zero())
                                     : Vec3(random.uniform(0.0, 3.0) * size * random.direction());
        period = std::sqrt(size / kGravity);
        has_gravity = random.chance(0.75);
        gravity_ = kGravity * random.direction();
        spread = std::array{1.0, 1e2, 1e4, 1e6}[static_cast<std::size_t>(random.integer(0, 3))];
        if (random.chance(0.05)) spread = 1e12;
        thin_ = random.uniform(0.0, 0.7);
        const int axes = random.integer(0, 2);
        axes_are_principal_ = axes == 0;
        axes_are_parallel_ = axes == 1;
        base_mass_ = random.log_uniform(0.1, 10.0);
        is_moving = random.chance(0.5);
    }

    Random random;
    double size = 1.0;    // [m]
    double period = 1.0;  // [s]
    double spread = 1.0;  // of masses, the heaviest to the lightest
    bool has_gravity = true, is_moving = false, projects_start = false;
    bool may_have_rods = false;  // without any inertia about their axes
    std::string shaking;         // of all joints on the ground
    bool has_drive = false;
    std::vector<Part> parts;
    std::vector<Spring> springs;

    int count() const { return static_cast<int>(parts.size()); }
    Part& part(int i) { return parts[static_cast<std::size_t>(i)]; }
    double rate() { return random.uniform(0.3, 2.0) / period; }

    int add(const Vec3& centre, const Mat3& frame, const Vec3& dims) {
        Part p;
        p.centre = centre;
        p.frame = frame;
        p.dims = dims;
        p.mass = base_mass_ * random.log_uniform(1.0 / std::sqrt(spread), std::sqrt(spread));
        p.axes = frame;
        p.reference = centre;
        if (p.rod_axis() < 0) {
            if (axes_are_parallel_)
                p.axes = Q_.transpose();
            else if (!axes_are_principal_)
                p.axes = random.attitude();
            if (random.chance(0.2)) p.reference += random.uniform(0.0, 0.5) * random.direction();
        }
        parts.push_back(p);
        return count() - 1;
    }
    /// A bar between two points: square, flat, thin, or of no thickness.
    int bar(const Vec3& from, const Vec3& to) {
        const double l = (to - from).norm();
        Vec3 dims(l, 0.1 * l, 0.1 * l);
        if (random.chance(thin_)) {
            switch (random.integer(0, may_have_rods ? 4 : 3)) {
                case 0:
                    dims = {l, 0.3 * l, 1e-3 * l};
                    break;
                case 1:
                    dims = {l, 1e-3 * l, 1e-3 * l};
                    break;
                case 2:
                    dims = {l, 0.3 * l, 0.0};
                    break;
                case 3:
                    dims = {l, 0.5 * l, 0.4 * l};
                    break;
                default:
                    dims = {l, 0.0, 0.0};
                    break;
            }
        }
        return add(0.5 * (from + to), frame_along(to - from), dims);
    }

    std::string at(int i, const Vec3& p) const {
        if (i == kGround) return "ground@" + triple(world(p));
        const Part& body = parts[static_cast<std::size_t>(i)];
        return fmt::format(
            "b{}@{}", i, triple(size * (body.axes.transpose() * (p - body.reference))));
    }
    std::string direction(int i, const Vec3& n) const {
        if (i == kGround) return triple(Q_ * n);
        return fmt::format(
            "b{}@{}", i, triple(parts[static_cast<std::size_t>(i)].axes.transpose() * n));
    }
    Vec3 world(const Vec3& p) const { return origin_ + size * (Q_ * p); }
    std::string name() { return fmt::format("c{}", num_constraints_++); }

    void ball(int a, int b, const Vec3& p) {
        const bool twice = random.chance(0.04);
        for (int i = 0; i < (twice ? 2 : 1); ++i) {
            if (a == kGround) std::swap(a, b);
            constraints_ += fmt::format(
                "\n[[constraint]]\nname = \"{}\"\ntype = \"position\"\na = \"{}\"\nb = \"{}\"\n{}",
                name(),
                at(a, p),
                at(b, p),
                b == kGround && !shaking.empty() ? "motion = " + shaking + "\n" : "");
        }
    }
    /// Balls on one line: two have one row too many, three four.
    void hinge(int a, int b, const Vec3& p, const Vec3& axis, int balls = 0) {
        if (balls == 0) balls = random.chance(0.25) ? 3 : 2;
        const double half = random.uniform(0.05, 0.3);
        for (int i = 0; i < balls; ++i) {
            const double side = 2.0 * i / (balls - 1) - 1.0;
            ball(a, b, p + (side * half) * axis);
        }
    }
    void weld(int a, int b, const Vec3& p) {
        const Mat3 F = random.attitude();
        for (int i = 0; i < 3; ++i) ball(a, b, p + 0.2 * F.col(i));
    }
    void on_line(int a, int b, const Vec3& p, const Vec3& d) {
        constraints_ += fmt::format(
            "\n[[constraint]]\nname = \"{}\"\ntype = \"point_on_line\"\npoint = \"{}\"\norigin = "
            "{}\n"
            "direction = {}\n",
            name(),
            at(a, p),
            b == kGround ? triple(world(p)) : '"' + at(b, p) + '"',
            b == kGround ? direction(b, d) : '"' + direction(b, d) + '"');
    }
    void on_plane(int a, int b, const Vec3& p, const Vec3& origin, const Vec3& n) {
        constraints_ += fmt::format(
            "\n[[constraint]]\nname = \"{}\"\ntype = \"point_on_plane\"\npoint = \"{}\"\norigin = "
            "{}\n"
            "normal = {}\n",
            name(),
            at(a, p),
            b == kGround ? triple(world(origin)) : '"' + at(b, origin) + '"',
            b == kGround ? direction(b, n) : '"' + direction(b, n) + '"');
    }
    void equation(const std::string& text) {
        constraints_ += fmt::format(
            "\n[[constraint]]\nname = \"{}\"\ntype = \"general_constraint\"\nequation = \"{}\"\n",
            name(),
            text);
    }
    std::string coordinate(int i, const Vec3& p, int c) const {
        if (i == kGround) return fmt::format("({:.17g})", world(p)(c));
        return at(i, p) + '.' + "xyz"[c];
    }
    /// Two points keep their distance, or it is prescribed.
    void distance(int a, int b, const Vec3& p, const Vec3& q, const std::string& change = "") {
        std::string sum;
        for (int c = 0; c < 3; ++c)
            sum += fmt::format(
                "{}({} - {})^2", c > 0 ? " + " : "", coordinate(a, p, c), coordinate(b, q, c));
        const double l = (world(p) - world(q)).norm();
        if (change.empty())
            equation(fmt::format("({})/{:.17g} = {:.17g}", sum, l, l));
        else if (random.chance(0.5))
            equation(fmt::format("sqrt({}) = {:.17g} + {}", sum, l, change));
        else
            equation(fmt::format("({})/{:.17g} = ({:.17g} + {})^2/{:.17g}", sum, l, l, change, l));
    }
    /// A bar without mass that does not stretch.
    void link(int a, int b, const Vec3& p, const Vec3& q) {
        const std::string name = fmt::format("l{}", num_links_++);
        trusses_ += fmt::format(
            "\n[[body]]\nname = \"{}\"\ntype = \"truss\"\nfrom = {}\nto = {}\nyoung = inf\ndensity "
            "= "
            "0.0\n",
            name,
            triple(world(p)),
            triple(world(q)));
        tie(a, p, name, 0);
        tie(b, q, name, 1);
    }
    void tie(int i, const Vec3& p, const std::string& truss, int node) {
        constraints_ += fmt::format(
            "\n[[constraint]]\nname = \"{}\"\ntype = \"position\"\na = \"{}\"\nb = \"{}@{}\"\n",
            name(),
            at(i, p),
            truss,
            node);
    }
    /// The angle of b's direction u about a's axis, from where it is now.
    void turn(int a, int b, const Vec3& axis, const std::string& angle) {
        const Vec3 u = axis.unitOrthogonal(), across = axis.cross(u);
        const auto component = [&](int i, const Vec3& n, int c) {
            if (i == kGround) return fmt::format("({:.17g})", (Q_ * n)(c));
            const Vec3 p = parts[static_cast<std::size_t>(i)].centre;
            return fmt::format(
                "({} - {})", coordinate(i, p + 0.5 * n, c), coordinate(i, p - 0.5 * n, c));
        };
        std::string text;
        for (int c = 0; c < 3; ++c)
            text += fmt::format("{}{}*({}*cos({}) - {}*sin({}))",
                                c > 0 ? " + " : "",
                                component(b, u, c),
                                component(a, across, c),
                                angle,
                                component(a, u, c),
                                angle);
        equation(text + " = 0");
        has_drive = true;
    }
    std::string swing(double amplitude) {
        const double w = random.uniform(0.5, 3.0) / period;
        return random.chance(0.5)
                   ? fmt::format("({:.17g}*(1 - cos({:.17g}*t)))", 0.5 * amplitude, w)
                   : fmt::format("({:.17g}*sin({:.17g}*t)^2)", amplitude, 0.5 * w);
    }
    /// All joints on the ground move alike; to be called before they are made.
    void shake() {
        has_drive = true;
        const Vec3 way = random.uniform(0.02, 0.2) * size * random.direction();
        const double w = random.uniform(0.5, 3.0) / period;
        shaking = "[";
        for (int c = 0; c < 3; ++c)
            shaking +=
                fmt::format("{}\"{:.17g}*(1 - cos({:.17g}*t))\"", c > 0 ? ", " : "", way(c), w);
        shaking += "]";
    }
    Vec3 point_in(int i) {
        const Part& p = part(i);
        Vec3 x = p.centre;
        for (int c = 0; c < 3; ++c) x += random.uniform(-0.5, 0.5) * p.dims(c) * p.frame.col(c);
        return x;
    }
    /// The whole as one rigid body, about any point.
    void turn_whole() {
        const Vec3 w = rate() * random.direction(), v = rate() * random.direction();
        for (Part& p : parts) p.move_with(Vec3::Zero(), v, w);
    }
    /// Any velocities, to be projected.
    void push_parts() {
        projects_start = true;
        const Vec3 w = rate() * random.direction(), v = rate() * random.direction();
        for (Part& p : parts)
            p.move_with(Vec3::Zero(),
                        v + 0.3 * rate() * random.direction(),
                        w + 0.3 * rate() * random.direction());
    }

    void add_springs();
    void soften_parts();
    std::string text(Rigid what, const std::string& type, double stiffer = 1.0) const;
    Mechanism finish(std::uint64_t seed, const std::string& family);

private:
    Mat3 Q_;
    Vec3 origin_, gravity_;
    double thin_ = 0.0, base_mass_ = 1.0;
    bool axes_are_principal_ = false, axes_are_parallel_ = false;
    int num_constraints_ = 0, num_links_ = 0;
    std::string constraints_, trusses_;
    double softest_ = kInf;  // of stiff parts: frequency times period

    double total_mass() const {
        double sum = 0.0;
        for (const Part& p : parts) sum += p.mass;
        return sum;
    }
};

/// Springs between any two parts. Soft ones swing as slowly as the mechanism; stiff ones bear its
/// weight and give way by 1e-6 of its size and less.
void Builder::add_springs() {
    const int wanted = random.chance(0.5) ? 0 : random.integer(1, 3);
    for (int i = 0; i < wanted; ++i) {
        const int a = random.integer(0, count() - 1);
        int b = random.integer(-1, count() - 1);
        if (b == a) b = kGround;
        Spring s{};
        s.a = a;
        s.b = b;
        s.from = point_in(a);
        s.to = b == kGround ? Vec3(s.from + random.uniform(0.5, 1.5) * random.direction())
                            : point_in(b);
        if ((s.to - s.from).norm() < 0.2) continue;
        // Between parts that move, a stiff spring would be stretched and swing out of all sight.
        s.is_stiff = !is_moving && !has_drive && random.chance(0.5);
        s.rest = 1.0;
        if (s.is_stiff) {
            const double w = random.log_uniform(1e3, 3e4);
            softest_ = std::min(softest_, w);
            s.k = total_mass() * std::pow(w / period, 2);
        } else {
            // The frequency of the lighter end, were it free
            double mass = part(a).mass;
            if (b != kGround) mass = std::min(mass, part(b).mass);
            s.k = mass * std::pow(random.log_uniform(0.3, 4.0) / period, 2);
            if (random.chance(0.5)) s.damping = random.uniform(0.0, 0.5) * s.k * period;
            if (random.chance(0.5)) s.rest = random.uniform(0.8, 1.2);
        }
        springs.push_back(s);
    }
}

/// Some bodies are rigid by a penalty only.
void Builder::soften_parts() {
    if (projects_start || !random.chance(0.2)) return;
    for (Part& p : parts) {
        if (p.rod_axis() >= 0 || !random.chance(0.5)) continue;
        const double w = random.log_uniform(1e3, 3e4);
        softest_ = std::min(softest_, w);
        p.stiffness = total_mass() * std::pow(size * w / period, 2);
    }
}

std::string Builder::text(Rigid what, const std::string& type, double stiffer) const {
    std::string out = "[model]\n";
    if (has_gravity) out += "gravity = " + triple(gravity_) + "\n";
    if (projects_start) out += "project_start = true\n";
    for (int i = 0; i < count(); ++i) {
        const Part& p = parts[static_cast<std::size_t>(i)];
        const Vec3 square = (size * p.dims).cwiseAbs2();
        const Vec3 J = p.mass / 12.0 * (Vec3::Constant(square.sum()) - square);
        const Mat3 to_body = p.axes.transpose() * p.frame;
        const Eigen::Quaterniond attitude(Q_ * p.axes);
        Vec3 w = p.w;
        if (const int axis = p.rod_axis(); axis >= 0)
            w -= w.dot(p.frame.col(axis)) * p.frame.col(axis);
        out += fmt::format(
            "\n[[body]]\nname = \"b{}\"\ntype = \"{}\"\nmass = {:.17g}\n", i, type, p.mass);
        if (to_body.isIdentity(0.0) || p.axes == p.frame) {
            out += "inertia = " + triple(J) + "\n";
        } else {
            const Mat3 tensor = to_body * J.asDiagonal() * to_body.transpose();
            const Mat3 even = 0.5 * (tensor + tensor.transpose());
            out += fmt::format("inertia = [{}, {}, {}]\n",
                               triple(even.row(0).transpose()),
                               triple(even.row(1).transpose()),
                               triple(even.row(2).transpose()));
        }
        const Vec3 centre = size * (p.axes.transpose() * (p.centre - p.reference));
        if (!centre.isZero(0.0)) out += "center_of_mass = " + triple(centre) + "\n";
        out += fmt::format("position = {}\norientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n",
                           triple(world(p.reference)),
                           attitude.w(),
                           attitude.x(),
                           attitude.y(),
                           attitude.z());
        const Vec3 v = p.v + w.cross(p.reference - p.centre);
        if (!v.isZero(0.0)) out += "velocity = " + triple(size * (Q_ * v)) + "\n";
        if (!w.isZero(0.0)) out += "angular_velocity = " + triple(p.axes.transpose() * w) + "\n";
        if (std::isfinite(p.stiffness) && what == Rigid::nothing)
            out += fmt::format("volume = {:.17g}\npenalty = {:.17g}\n",
                               p.mass / 1000.0,
                               stiffer * p.stiffness / (p.mass / 1000.0));
    }
    out += trusses_;
    std::string ties;
    for (std::size_t i = 0; i < springs.size(); ++i) {
        const Spring& s = springs[i];
        constexpr double area = 1e-4;
        const double l = s.rest * (world(s.to) - world(s.from)).norm();
        const bool is_rigid = s.is_stiff && what == Rigid::stiff_parts;
        out += fmt::format(
            "\n[[body]]\nname = \"s{}\"\ntype = \"truss\"\nfrom = {}\nto = {}\ndensity = 0.0\narea "
            "= "
            "{}\nyoung = {}\n",
            i,
            triple(world(s.from)),
            triple(world(s.to)),
            area,
            is_rigid ? "inf" : number((s.is_stiff ? stiffer : 1.0) * s.k * l / area));
        if (s.rest != 1.0) out += fmt::format("rest_length = {:.17g}\n", l);
        if (s.damping > 0.0) out += fmt::format("damping = {:.17g}\n", s.damping * l / area);
        for (int node = 0; node < 2; ++node)
            ties += fmt::format(
                "\n[[constraint]]\nname = \"s{}_{}\"\ntype = \"position\"\na = \"{}\"\nb = "
                "\"s{}@{}\"\n",
                i,
                node,
                node == 0 ? at(s.a, s.from) : at(s.b, s.to),
                i,
                node);
    }
    return out + constraints_ + ties;
}

Mechanism Builder::finish(std::uint64_t seed, const std::string& family) {
    Mechanism m;
    m.seed = seed;
    m.family = family;
    m.num_bodies = count();
    m.size = size;
    bool has_rods = false, has_flat = false, has_soft = false;
    for (int i = 0; i < count(); ++i) {
        const Part& p = part(i);
        const int axis = p.rod_axis();
        has_rods |= axis >= 0;
        has_flat |= axis < 0 && p.dims.minCoeff() <= 2e-3 * p.dims.maxCoeff();
        has_soft |= std::isfinite(p.stiffness);
        m.extent = std::max({m.extent, world(p.centre).norm(), world(p.centre).norm()});
        for (int c = 0; c < 3; ++c) {
            if (axis >= 0 && c != axis) continue;
            m.probes.push_back(at(i, p.centre + 0.5 * p.frame.col(c)));
        }
    }
    const bool has_stiff_spring = std::ranges::any_of(springs, &Spring::is_stiff);
    const bool has_stiff = has_soft || has_stiff_spring;
    const bool is_other = !has_rods && !projects_start && random.chance(0.3);
    m.text = text(Rigid::nothing, "ancf_rigid_body");
    m.reference = text(Rigid::stiff_parts, is_other ? "quaternion_body" : "ancf_rigid_body");
    m.step = period / 20.0;
    m.end = m.step * random.integer(5, 10);
    if (has_stiff) m.stiffer = text(Rigid::nothing, "ancf_rigid_body", kStiffer);
    if (has_stiff_spring) m.elastic = text(Rigid::stiff_bodies, "ancf_rigid_body");
    if (has_stiff) m.yield = 100.0 * size / (softest_ * softest_);
    m.traits = fmt::format("{} bodies{}{}{}{}{}{}{}{}{}",
                           count(),
                           spread > 1e6   ? ", masses 1e12"
                           : spread > 1e4 ? ", masses 1e6"
                                          : "",
                           has_gravity ? ", gravity" : "",
                           is_moving ? ", moving" : "",
                           has_drive ? ", driven" : "",
                           has_flat ? ", flat" : "",
                           has_rods ? ", rods" : "",
                           springs.empty() ? "" : ", springs",
                           has_stiff ? ", stiff" : "",
                           is_other ? ", quaternions" : "");
    return m;
}

int size_of(Random& random, int least, int most) {
    return static_cast<int>(std::lround(random.log_uniform(least, most)));
}

// --- families

/// Adds `wanted` bodies, each joined to one that is there.
void grow_tree(Builder& b, int wanted, bool from_ground) {
    Random& random = b.random;
    const bool may_have_rods = b.may_have_rods;
    const int first = b.count();
    for (int i = 0; i < wanted; ++i) {
        int parent = b.count() - 1;
        if (b.count() > 1 && random.chance(0.4)) parent = random.integer(0, b.count() - 1);
        if (b.count() == 0) parent = from_ground ? kGround : -2;
        const Vec3 p = parent < 0 ? Vec3(Vec3::Zero())
                                  : Vec3(b.part(parent).centre + random.uniform(-0.5, 0.5) *
                                                                     b.part(parent).dims(0) *
                                                                     b.part(parent).frame.col(0));
        const int joint = parent == -2 ? 0 : random.integer(0, 9);
        Vec3 begin = p;
        if (joint == 8 || joint == 9) begin += random.uniform(0.3, 1.0) * random.direction();
        const Vec3 d = random.direction();
        // Where hinges of a parent must bear torques about its axis, it needs inertia.
        b.may_have_rods = false;
        const int child = b.bar(begin, begin + random.uniform(0.4, 1.2) * d);
        b.may_have_rods = may_have_rods;
        Vec3 w = Vec3::Zero(), v = Vec3::Zero();
        if (parent >= 0) {
            w = b.part(parent).w;
            v = b.part(parent).velocity_at(begin);
        } else if (parent == -2 && b.is_moving) {
            w = b.rate() * random.direction();
            v = b.rate() * random.direction();
        }
        const Vec3 axis = random.chance(0.5) ? Vec3(d.unitOrthogonal()) : random.direction();
        const double rate = b.is_moving ? b.rate() : 0.0;
        if (parent != -2) switch (joint) {
                case 0:
                case 1:
                case 2:
                    b.ball(child, parent, p);
                    w += rate * random.direction();
                    break;
                case 3:
                case 4:
                case 5: {
                    const int kind = random.integer(0, 3);
                    if (kind == 0) {  // a ball, and a line through it
                        b.ball(child, parent, p);
                        b.on_line(child, parent, p + 0.3 * axis, axis);
                    } else {
                        b.hinge(child, parent, p, axis);
                    }
                    if (random.chance(0.2)) {
                        const std::string angle = b.swing(random.uniform(0.1, 1.0));
                        b.turn(parent, child, axis, angle);
                        if (random.chance(0.2)) b.turn(parent, child, axis, angle);
                    } else {
                        w += rate * axis;
                    }
                    break;
                }
                case 6:  // slides, or is welded
                    if (random.chance(0.5)) {
                        b.weld(child, parent, p);
                    } else {
                        const int points = random.integer(1, 3);
                        for (int k = 0; k < points; ++k)
                            b.on_line(child, parent, p + 0.2 * k * axis, axis);
                    }
                    break;
                case 7: {
                    const Mat3 F = frame_along(axis);
                    const int feet = random.integer(1, 4);
                    for (int k = 0; k < feet; ++k)
                        b.on_plane(child,
                                   parent,
                                   p + 0.3 * std::cos(1.5 * k) * F.col(1) +
                                       0.3 * std::sin(1.5 * k) * F.col(2),
                                   p,
                                   axis);
                    break;
                }
                case 8:
                    b.distance(child, parent, begin, p);
                    break;
                default:
                    b.link(child, parent, begin, p);
                    break;
            }
        b.part(child).move_with(begin, v, w);
    }
    static_cast<void>(first);
}

std::string tree(Builder& b) {
    const bool from_ground = b.random.chance(0.7);
    if (from_ground && b.random.chance(0.2)) b.shake();
    grow_tree(b, size_of(b.random, 2, 30), from_ground);
    return from_ground ? "tree" : "free tree";
}

/// Bars without thickness among others, on balls at their ends.
std::string rope_of_rods(Builder& b) {
    b.may_have_rods = true;
    const int n = size_of(b.random, 2, 30);
    const bool is_free = b.random.chance(0.3);
    if (!is_free && b.random.chance(0.3)) b.shake();
    Vec3 p = Vec3::Zero(), v = Vec3::Zero();
    for (int i = 0; i < n; ++i) {
        const Vec3 d = b.random.uniform(0.5, 1.0) * b.random.direction();
        const int bar = b.bar(p, p + d);
        if (i > 0 || !is_free) b.ball(bar, i == 0 ? kGround : bar - 1, p);
        Vec3 w = Vec3::Zero();
        if (b.is_moving) w = b.rate() * d.cross(b.random.direction()).normalized();
        b.part(bar).move_with(p, v, w);
        p += d;
        v = b.part(bar).velocity_at(p);
    }
    return "rope of rods";
}

/// What closed loops have in common: on the ground from rest or pushed, or free and turning.
void start_loop(Builder& b, bool is_free) {
    if (!b.is_moving) return;
    if (is_free)
        b.turn_whole();
    else if (!b.has_drive)
        b.push_parts();
}

/// A polygon of bars with a hinge in every corner, the axes parallel.
std::string planar_loop(Builder& b) {
    b.may_have_rods = true;
    const bool is_free = b.random.chance(0.3);
    const int corners = size_of(b.random, is_free ? 4 : 4, is_free ? 12 : 16);
    if (!is_free && b.random.chance(0.15)) b.shake();
    std::vector<Vec3> corner;
    for (int i = 0; i < corners; ++i) {
        const double angle = 2.0 * std::numbers::pi * (i + b.random.uniform(-0.25, 0.25)) / corners;
        const double r = b.random.uniform(0.7, 1.3) * corners / 6.0;
        corner.emplace_back(r * std::cos(angle), r * std::sin(angle), 0.0);
    }
    const auto at = [&](int i) {
        return corner[static_cast<std::size_t>(i % corners)];
    };
    const int bars = is_free ? corners : corners - 1;
    for (int i = 0; i < bars; ++i) b.bar(at(i), at(i + 1));
    const double balls = b.random.chance(0.3) ? 0.3 : 0.0;
    for (int i = 0; i < corners; ++i) {
        const int left = i == 0 ? (is_free ? bars - 1 : kGround) : i - 1;
        const int right = i == corners - 1 && !is_free ? kGround : i;
        if (i > 0 && b.random.chance(balls))
            b.ball(left, right, at(i));
        else
            b.hinge(left, right, at(i), Vec3::UnitZ());
    }
    if (!is_free && b.shaking.empty() && b.random.chance(0.25))
        b.turn(kGround, 0, Vec3::UnitZ(), b.swing(0.1));
    start_loop(b, is_free);
    return "planar loop";
}

/// Crank, rod and a piston on a line of the ground.
std::string slider_crank(Builder& b) {
    b.may_have_rods = true;
    const double angle = b.random.uniform(0.5, 2.5);
    const Vec3 pin(0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.0);
    const Vec3 wrist(pin.x() + std::sqrt(1.44 - pin.y() * pin.y()), 0.0, 0.0);
    const int crank = b.bar(Vec3::Zero(), pin), rod = b.bar(pin, wrist);
    const int piston = b.add(wrist, Mat3::Identity(), Vec3(0.3, 0.3, 0.3));
    b.hinge(crank, kGround, Vec3::Zero(), Vec3::UnitZ());
    b.hinge(rod, crank, pin, Vec3::UnitZ());
    if (b.random.chance(0.5))
        b.hinge(rod, piston, wrist, Vec3::UnitZ());
    else
        b.ball(rod, piston, wrist);
    const int guides = b.random.integer(2, 4);
    for (int i = 0; i < guides; ++i)
        b.on_line(piston, kGround, wrist + (0.1 * i) * Vec3::UnitX(), Vec3::UnitX());
    if (b.random.chance(0.5))
        b.on_plane(piston, kGround, wrist + 0.1 * Vec3::UnitZ(), wrist, Vec3::UnitY());
    if (b.random.chance(0.3)) b.turn(kGround, crank, Vec3::UnitZ(), b.swing(1.0));
    start_loop(b, false);
    return "slider crank";
}

/// Corners anywhere, hinges of any direction and balls, with at least one freedom left.
std::string spatial_loop(Builder& b) {
    const bool is_free = b.random.chance(0.3);
    const int corners = size_of(b.random, 4, 20);
    std::vector<Vec3> corner;
    for (int i = 0; i < corners; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / corners;
        const double r = b.random.uniform(0.8, 1.2) * corners / 6.0;
        corner.emplace_back(r * std::cos(angle), r * std::sin(angle), b.random.uniform(-0.6, 0.6));
    }
    const int bars = is_free ? corners : corners - 1;
    const auto at = [&](int i) {
        return corner[static_cast<std::size_t>(i % corners)];
    };
    for (int i = 0; i < bars; ++i) b.bar(at(i), at(i + 1));
    const int freedoms = b.random.integer(7, 9);
    const int balls = std::max(b.random.integer(0, 1), (freedoms - corners + 1) / 2);
    std::vector<bool> is_ball(static_cast<std::size_t>(corners), false);
    for (int i = 0; i < balls;) {
        const auto k = static_cast<std::size_t>(b.random.integer(0, corners - 1));
        if (is_ball[k]) continue;
        is_ball[k] = true;
        ++i;
    }
    for (int i = 0; i < corners; ++i) {
        const int left = i == 0 ? (is_free ? bars - 1 : kGround) : i - 1;
        const int right = i == corners - 1 && !is_free ? kGround : i;
        if (is_ball[static_cast<std::size_t>(i)])
            b.ball(left, right, at(i));
        else
            b.hinge(left, right, at(i), b.random.direction());
    }
    start_loop(b, is_free);
    return "spatial loop";
}

std::string bricard_loop(Builder& b) {
    b.may_have_rods = true;
    const std::array<Vec3, 6> corner{
        Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(0, 1, 1), Vec3(0, 0, 1), Vec3(1, 0, 1)};
    const bool is_free = b.random.chance(0.4);
    const auto at = [&](int i) {
        return corner[static_cast<std::size_t>(i % 6)];
    };
    const int bars = is_free ? 6 : 5;
    for (int i = 0; i < bars; ++i) b.bar(at(i), at(i + 1));
    for (int i = 0; i < 6; ++i) {
        const int left = i == 0 ? (is_free ? 5 : kGround) : i - 1;
        const int right = i == 5 && !is_free ? kGround : i;
        b.hinge(left, right, at(i), (at(i) - at(i + 5)).cross(at(i + 1) - at(i)));
    }
    start_loop(b, is_free);
    return "Bricard's loop";
}

/// Bennett's four hinges, which no count of freedoms lets move: sides a, b, a, b with twists
/// alpha, beta between the axes and sin(alpha)/a = sin(beta)/b.
std::string bennett_loop(Builder& b) {
    b.may_have_rods = true;
    const double alpha = b.random.uniform(0.5, 1.0), beta = b.random.uniform(1.2, 1.9);
    const std::array<double, 2> twist{alpha, beta};
    const std::array<double, 2> side{1.0, std::sin(beta) / std::sin(alpha)};
    const double theta = b.random.uniform(0.6, 2.2);
    const double ratio = std::sin(0.5 * (beta + alpha)) / std::sin(0.5 * (beta - alpha));
    std::array<Vec3, 5> corner;
    std::array<Vec3, 5> axis;
    double best = kInf;
    for (const double sign : {1.0, -1.0}) {
        const double other = 2.0 * std::atan(sign * ratio / std::tan(0.5 * theta));
        const std::array<double, 4> angle{theta, other, -theta, -other};
        std::array<Vec3, 5> p;
        std::array<Vec3, 5> z;
        Vec3 at = Vec3::Zero();
        Mat3 R = Mat3::Identity();
        for (std::size_t i = 0; i < 4; ++i) {
            p[i] = at;
            z[i] = R.col(2);
            R = R * Eigen::AngleAxisd(angle[i], Vec3::UnitZ()).toRotationMatrix();
            at += side[i % 2] * R.col(0);
            R = R * Eigen::AngleAxisd(twist[i % 2], Vec3::UnitX()).toRotationMatrix();
        }
        p[4] = at;
        z[4] = R.col(2);
        const double open = (p[4] - p[0]).norm() + (z[4] - z[0]).norm();
        if (open >= best) continue;
        best = open;
        corner = p;
        axis = z;
    }
    if (best > 1e-12) throw std::logic_error("Bennett's loop is open");
    const bool is_free = b.random.chance(0.4);
    const int bars = is_free ? 4 : 3;
    const auto at = [&](int i) {
        return corner[static_cast<std::size_t>(i % 4)];
    };
    for (int i = 0; i < bars; ++i) b.bar(at(i), at(i + 1));
    for (int i = 0; i < 4; ++i) {
        const int left = i == 0 ? (is_free ? 3 : kGround) : i - 1;
        const int right = i == 3 && !is_free ? kGround : i;
        b.hinge(left, right, at(i), axis[static_cast<std::size_t>(i)]);
    }
    start_loop(b, is_free);
    return "Bennett's loop";
}

/// Crossed bars, cell by cell; each cell's loop of parallel axes has rows that say the same.
std::string scissors(Builder& b) {
    b.may_have_rods = true;
    const int cells = size_of(b.random, 2, 12);
    const double width = b.random.uniform(0.4, 1.2), height = b.random.uniform(0.5, 1.2);
    const bool is_free = b.random.chance(0.3);
    if (!is_free && b.random.chance(0.2)) b.shake();
    const auto low = [&](int i) {
        return Vec3(i * width, 0.0, 0.0);
    };
    const auto high = [&](int i) {
        return Vec3(i * width, height, 0.0);
    };
    for (int i = 0; i < cells; ++i) {
        const int up = b.bar(low(i), high(i + 1)), down = b.bar(high(i), low(i + 1));
        b.hinge(up, down, 0.5 * (low(i) + high(i + 1)), Vec3::UnitZ());
        if (i == 0) continue;
        b.hinge(up, down - 2, low(i), Vec3::UnitZ());
        b.hinge(down, up - 2, high(i), Vec3::UnitZ());
    }
    if (!is_free) {
        b.hinge(0, kGround, low(0), Vec3::UnitZ());
        if (b.shaking.empty() && b.random.chance(0.6)) {
            b.on_line(1, kGround, high(0), Vec3::UnitY());
            if (b.random.chance(0.3)) b.turn(kGround, 0, Vec3::UnitZ(), b.swing(0.1));
        }
    }
    start_loop(b, is_free);
    return "scissors";
}

/// Storeys of beams on two and more parallel cranks.
std::string parallel_cranks(Builder& b) {
    b.may_have_rods = true;
    const int storeys = b.random.integer(1, 3), cranks = b.random.integer(2, 6);
    const double spacing = b.random.uniform(0.4, 1.0);
    if (b.random.chance(0.2)) b.shake();
    int below = kGround;
    Vec3 foot = Vec3::Zero();
    for (int s = 0; s < storeys; ++s) {
        const double angle = b.random.uniform(0.6, 2.5);
        const Vec3 up(std::cos(angle), std::sin(angle), 0.0), along = spacing * Vec3::UnitX();
        const int beam = b.bar(foot + up, foot + up + (cranks - 1) * along);
        for (int i = 0; i < cranks; ++i) {
            const Vec3 p = foot + i * along;
            const int crank = b.bar(p, p + up);
            b.hinge(crank, below, p, Vec3::UnitZ());
            b.hinge(crank, beam, p + up, Vec3::UnitZ());
            if (i == 0 && b.shaking.empty() && b.random.chance(0.25))
                b.turn(below, crank, Vec3::UnitZ(), b.swing(0.3));
        }
        below = beam;
        foot += up;
    }
    start_loop(b, false);
    return "parallel cranks";
}

/// Doors on two to four balls on a line, one on the other.
std::string doors(Builder& b) {
    const int n = b.random.integer(1, 6);
    if (b.random.chance(0.2)) b.shake();
    Vec3 edge = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();
    for (int i = 0; i < n + 1; ++i) {
        const double angle = b.random.uniform(-1.5, 1.5);
        const Vec3 across(std::cos(angle), std::sin(angle), 0.0);
        Mat3 frame;
        frame << across, Vec3::UnitZ().cross(across), Vec3::UnitZ();
        const int door =
            b.add(edge + 0.4 * across, frame, Vec3(0.8, b.random.chance(0.5) ? 0.04 : 0.0, 2.0));
        const int balls = b.random.integer(2, 4);
        for (int k = 0; k < balls; ++k)
            b.ball(door, door - 1, edge + (1.8 * k / (balls - 1) - 0.9) * Vec3::UnitZ());
        if (b.random.chance(0.15))
            b.turn(door - 1, door, Vec3::UnitZ(), b.swing(1.0));
        else if (b.is_moving)
            w += b.rate() * Vec3::UnitZ();
        b.part(door).move_with(edge, v, w);
        edge += 0.8 * across;
        v = b.part(door).velocity_at(edge);
    }
    return "doors";
}

/// Three to six feet on a plane of the ground or of a plate, and what hangs on it.
std::string table(Builder& b) {
    const bool is_on_plate = b.random.chance(0.3);
    const int feet = b.random.integer(3, 6);
    if (is_on_plate) b.add(Vec3(0, 0, -0.05), Mat3::Identity(), Vec3(3.0, 3.0, 0.1));
    const int top = b.add(Vec3(0, 0, 0.7), Mat3::Identity(), Vec3(1.2, 0.8, 0.1));
    const int below = is_on_plate ? 0 : kGround;
    for (int k = 0; k < feet; ++k) {
        const double angle = 2.0 * std::numbers::pi * (k + b.random.uniform(-0.2, 0.2)) / feet;
        b.on_plane(top,
                   below,
                   Vec3(0.6 * std::cos(angle), 0.4 * std::sin(angle), 0.0),
                   Vec3(b.random.uniform(-1.0, 1.0), b.random.uniform(-1.0, 1.0), 0.0),
                   Vec3::UnitZ());
    }
    if (b.is_moving) {
        if (is_on_plate) b.turn_whole();
        const Vec3 p = b.part(top).centre;
        const Vec3 n = Vec3::UnitZ();
        const Vec3 slide = b.rate() * n.cross(b.random.direction());
        b.part(top).move_with(p, b.part(top).velocity_at(p) + slide, b.part(top).w + b.rate() * n);
    }
    if (b.random.chance(0.6) || !is_on_plate) {
        const int more = size_of(b.random, 1, 10);
        grow_tree(b, more, false);
    }
    return "table";
}

/// A platform on two to six legs: bars on balls, links, and lengths that are prescribed.
std::string platform(Builder& b) {
    const int top = b.add(Vec3(0.1, 0.0, 1.0), Mat3::Identity(), Vec3(1.2, 1.0, 0.2));
    const int legs = b.random.integer(2, 6);
    for (int k = 0; k < legs; ++k) {
        const double turned = (k % 2 == 0 ? 0.3 : -0.3) + b.random.uniform(-0.1, 0.1);
        const double angle = 2.0 * std::numbers::pi * k / legs;
        const Vec3 foot(1.2 * std::cos(angle + turned), 1.2 * std::sin(angle + turned), 0.0);
        const Vec3 head(0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.9);
        switch (b.random.integer(0, 3)) {
            case 0: {
                const int leg = b.bar(foot, head);
                b.ball(leg, kGround, foot);
                b.ball(leg, top, head);
                break;
            }
            case 1:
                b.link(kGround, top, foot, head);
                break;
            case 2:
                b.distance(top, kGround, head, foot);
                break;
            default:
                b.distance(top, kGround, head, foot, b.swing(0.1 * b.size));
                b.has_drive = true;
                break;
        }
    }
    if (b.count() < 2 || b.random.chance(0.3)) grow_tree(b, b.random.integer(1, 5), false);
    if (b.is_moving) b.is_moving = false;
    for (Part& p : b.parts) p.v = p.w = Vec3::Zero();
    return "platform";
}

/// Drives that their joints do not let happen.
std::string impossible(Builder& b) {
    b.may_have_rods = false;
    b.is_moving = false;
    switch (b.random.integer(0, 2)) {
        case 0: {  // both ends of a chain's bar are held, and one is pulled along it
            const Vec3 d = b.random.direction();
            const int bar = b.bar(Vec3::Zero(), d);
            b.ball(bar, kGround, Vec3::Zero());
            b.shaking = "[";
            for (int c = 0; c < 3; ++c)
                b.shaking += fmt::format("{}\"{:.17g}*(1 - cos(3*t))\"",
                                         c > 0 ? ", " : "",
                                         0.3 * (b.world(d) - b.world(Vec3::Zero()))(c));
            b.shaking += "]";
            b.ball(bar, kGround, d);
            b.shaking.clear();
            break;
        }
        case 1: {  // a hinge with two drives
            const Vec3 axis = b.random.direction();
            const int bar = b.bar(Vec3::Zero(), axis.unitOrthogonal());
            b.hinge(bar, kGround, Vec3::Zero(), axis);
            b.turn(kGround, bar, axis, fmt::format("(1 - cos({}*t))", 2.0 / b.period));
            b.turn(kGround, bar, axis, fmt::format("(1 - cos({}*t))", 3.0 / b.period));
            break;
        }
        default: {  // two parallel cranks that are to turn differently
            const Vec3 up(0.6, 0.8, 0.0);
            const int beam = b.bar(up, up + Vec3::UnitX());
            for (int i = 0; i < 2; ++i) {
                const Vec3 p = i * Vec3::UnitX();
                const int crank = b.bar(p, p + up);
                b.hinge(crank, kGround, p, Vec3::UnitZ());
                b.hinge(crank, beam, p + up, Vec3::UnitZ());
                b.turn(kGround,
                       crank,
                       Vec3::UnitZ(),
                       fmt::format("({}*(1 - cos({}*t)))", i == 0 ? 0.5 : -0.5, 2.0 / b.period));
            }
            break;
        }
    }
    b.is_moving = false;
    grow_tree(b, b.random.integer(1, 5), true);
    return "impossible";
}

}  // namespace

std::string with_integrator(const std::string& text,
                            const std::string& type,
                            double step,
                            double end) {
    return text + fmt::format("\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n{}",
                              type,
                              step,
                              end,
                              type == "dopri5" ? "tolerance = 1e-9\n" : "");
}

Mechanism make_mechanism(std::uint64_t seed) {
    Builder b(seed);
    static constexpr std::string (*kFamilies[])(Builder&) = {tree,
                                                             tree,
                                                             tree,
                                                             rope_of_rods,
                                                             planar_loop,
                                                             planar_loop,
                                                             slider_crank,
                                                             spatial_loop,
                                                             spatial_loop,
                                                             bricard_loop,
                                                             bennett_loop,
                                                             scissors,
                                                             parallel_cranks,
                                                             doors,
                                                             table,
                                                             platform};
    if (b.random.chance(0.02)) {
        const std::string family = impossible(b);
        Mechanism m = b.finish(seed, family);
        m.is_impossible = true;
        return m;
    }
    const std::string family =
        kFamilies[b.random.integer(0, static_cast<int>(std::size(kFamilies)) - 1)](b);
    b.add_springs();
    b.soften_parts();
    return b.finish(seed, family);
}

}  // namespace ancora::testing
