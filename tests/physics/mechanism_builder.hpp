// SPDX-License-Identifier: BSD-3-Clause
// Parts, ties and springs of a mechanism that a seed makes, and how they are written down.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "mechanisms.hpp"

namespace ancora::testing::mechanisms {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

inline constexpr double kGravity = 9.81;  // m/s^2
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr int kGround = -1;

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

std::string number(double x);
std::string triple(const Vec3& x);
/// Right-handed, its first axis along a direction.
Mat3 frame_along(const Vec3& direction);

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

/// Writes parts and constraints down in coordinates independent of the model's: at any place and
/// attitude, and of any size.
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
    Part& part(int i) { return parts[i]; }
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
        const Part& body = parts[i];
        return fmt::format(
            "b{}@{}", i, triple(size * (body.axes.transpose() * (p - body.reference))));
    }
    std::string direction(int i, const Vec3& n) const {
        if (i == kGround) return triple(Q_ * n);
        return fmt::format("b{}@{}", i, triple(parts[i].axes.transpose() * n));
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
            const Vec3 p = parts[i].centre;
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

/// Uniform in its logarithm.
int size_of(Random& random, int least, int most);

}  // namespace ancora::testing::mechanisms
