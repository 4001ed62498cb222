// SPDX-License-Identifier: BSD-3-Clause
// Linkages as users write them, with hinges of two ball joints each, at any attitude.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <fmt/format.h>

#include "support/model.hpp"

namespace ancora::testing {

inline constexpr double kGravity = 9.81;  // m/s^2

inline std::string triple(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}

inline std::string integrator(const std::string& type,
                              double step,
                              double end,
                              double tolerance = 0.0) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return tolerance > 0.0 ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}

inline std::string with_gravity(const Vec3& direction) {
    return "[model]\ngravity = " + triple(kGravity * direction) + "\n";
}

/// A rod of 1 m and 1 kg between two points; its body axes are inertial axes at the start, turned.
struct Rod {
    std::string name;
    Vec3 from, to;
    Mat3 turn = Mat3::Identity();

    Vec3 centre() const { return 0.5 * (from + to); }
    std::string point(const Vec3& at) const {
        return name + "@" + triple(turn.transpose() * (at - centre()));
    }
    /// @param across, along moments of inertia about axes across the rod and its own [kg m^2]
    std::string text(const std::string& type, double across, double along) const {
        const Vec3 own = turn.transpose() * (to - from).normalized();
        Vec3 J = Vec3::Constant(across);
        Eigen::Index axis = 0;
        own.cwiseAbs().maxCoeff(&axis);
        J[axis] = along;
        const Eigen::Quaterniond p(turn);
        return fmt::format(
            "\n[[body]]\nname = \"{}\"\ntype = \"{}\"\nmass = 1.0\ninertia = {}\nposition = {}\n"
            "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n",
            name,
            type,
            triple(J),
            triple(centre()),
            p.w(),
            p.x(),
            p.y(),
            p.z());
    }
};

/// A hinge as two ball joints 0.2 m apart; five of its six rows are independent.
inline std::string hinge(
    const std::string& name, const Vec3& at, const Vec3& axis, const Rod* a, const Rod* b) {
    std::string text;
    for (const double side : {-0.1, 0.1}) {
        const Vec3 point = at + side * axis;
        text += fmt::format(
            "\n[[constraint]]\nname = \"{}{}\"\ntype = \"position\"\na = \"{}\"\nb = \"{}\"\n",
            name,
            side < 0.0 ? "a" : "b",
            a->point(point),
            b != nullptr ? b->point(point) : "ground@" + triple(point));
    }
    return text;
}

/// Bricard's mechanism, a benchmark of the IFToMM library of multibody problems: five rods of 1 m
/// and 1 kg and the ground are the sides of a closed hexagon of right angles on the edges of a
/// cube, with hinges across both rods that meet. Six bodies and six hinges leave no freedom by
/// Gruebler's count, and one in truth.
///
/// @param along moment of inertia about a rod's own axis [kg m^2]
inline std::string bricard(const std::string& type, double along, double across) {
    const std::array<Vec3, 6> corner{
        Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(0, 1, 1), Vec3(0, 0, 1), Vec3(1, 0, 1)};
    std::vector<Rod> rods;
    std::string text = with_gravity(-Vec3::UnitY());
    for (std::size_t i = 0; i < 5; ++i) {
        rods.push_back({fmt::format("rod{}", i), corner[i], corner[i + 1]});
        text += rods.back().text(type, across, along);
    }
    for (std::size_t i = 0; i < 6; ++i) {
        const Vec3 before = corner[i] - corner[(i + 5) % 6];
        const Vec3 behind = corner[(i + 1) % 6] - corner[i];
        const Rod* a = i == 0 ? &rods[0] : &rods[i - 1];
        const Rod* b = i == 0 || i == 5 ? nullptr : &rods[i];
        text += hinge(fmt::format("hinge{}", i), corner[i], before.cross(behind), a, b);
    }
    return text;
}
/// Bricard's loop on the edges of a cuboid: sides of which the squares of the first, third and
/// fifth add up to those of the others, as mobility asks for. Rods without thickness, of which the
/// hinges determine the spin.
struct ThinBricard {
    enum class Hinges { joints, balls_and_axes, two_balls };

    Vec3 edges = Vec3::Ones();
    Mat3 turn = Mat3::Identity();
    Vec3 down = -Vec3::UnitY();

    std::string text(Hinges hinges) const {
        const double a = edges[0], b = edges[1], c = edges[2];
        std::array<Vec3, 6> corner{Vec3(a, 0, 0),
                                   Vec3(a, b, 0),
                                   Vec3(0, b, 0),
                                   Vec3(0, b, c),
                                   Vec3(0, 0, c),
                                   Vec3(a, 0, c)};
        for (Vec3& at : corner) at = turn * at;
        std::vector<Rod> rods;
        std::string out = with_gravity(turn * down);
        for (std::size_t i = 0; i < 5; ++i) {
            rods.push_back({fmt::format("rod{}", i), corner[i], corner[i + 1], turn});
            out += rods.back().text(
                "ancf_rigid_body", (corner[i + 1] - corner[i]).squaredNorm() / 12.0, 0.0);
        }
        for (std::size_t i = 0; i < 6; ++i) {
            const Vec3 axis = (corner[i] - corner[(i + 5) % 6])
                                  .cross(corner[(i + 1) % 6] - corner[i])
                                  .normalized();
            const Rod& before = rods[i == 0 ? 0 : i - 1];
            const Rod* const behind = i == 0 || i == 5 ? nullptr : &rods[i];
            const std::string name = behind != nullptr ? behind->name : "ground";
            if (hinges == Hinges::two_balls)
                out += hinge(fmt::format("hinge{}", i), corner[i], axis, &before, behind);
            else if (hinges == Hinges::joints)
                out += fmt::format(
                    "\n[[joint]]\nname = \"hinge{}\"\ntype = \"revolute\"\na = \"{}\"\n"
                    "b = \"{}\"\npoint = {}\naxis = {}\n",
                    i,
                    before.name,
                    name,
                    triple(corner[i]),
                    triple(axis));
            else
                out += fmt::format(
                    "\n[[constraint]]\nname = \"ball{0}\"\ntype = \"position\"\na = \"{1}\"\n"
                    "b = \"{2}\"\n[[joint]]\nname = \"axis{0}\"\ntype = \"parallel\"\n"
                    "a = \"{3}\"\nb = \"{4}\"\naxis = {5}\n",
                    i,
                    before.point(corner[i]),
                    behind != nullptr ? behind->point(corner[i]) : "ground@" + triple(corner[i]),
                    before.name,
                    name,
                    triple(axis));
        }
        return out;
    }
};
// Square rods of 0.1 m, and rods without thickness.
inline constexpr double kThick = 0.01 / 6.0, kThickAcross = 1.0 / 12.0 + 0.01 / 12.0;
inline constexpr double kThinAcross = 1.0 / 12.0;

inline double distance(const Simulation& simulation, const std::string& body, const Vec3& from) {
    return (vec3(simulation.pose(body).position) - from).norm();
}

inline Mat3 random_attitude(std::mt19937& random) {
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
        .normalized()
        .toRotationMatrix();
}

/// Four hinged bars, the ground among them, in a plane of any attitude.
inline std::string four_bar(const std::string& type, const Mat3& R) {
    const Vec3 A(0, 0, 0), B(0.3, 1.0, 0), C(1.4, 1.3, 0), D(1.2, 0, 0);
    std::vector<Rod> rods;
    const Vec3 corner[] = {A, B, C, D};
    std::string text = with_gravity((R * Vec3(0.3, -1.0, 0.4)).normalized());
    for (std::size_t i = 0; i < 3; ++i) {
        // body axis 1 along the bar
        Mat3 turn;
        turn.col(0) = (corner[i + 1] - corner[i]).normalized();
        turn.col(2) = Vec3::UnitZ();
        turn.col(1) = turn.col(2).cross(turn.col(0));
        rods.push_back({fmt::format("bar{}", i), R * corner[i], R * corner[i + 1], R * turn});
        text += rods.back().text(type, 0.1, 0.002);
    }
    text += hinge("a", R * A, R.col(2), &rods[0], nullptr);
    text += hinge("b", R * B, R.col(2), &rods[0], &rods[1]);
    text += hinge("c", R * C, R.col(2), &rods[1], &rods[2]);
    text += hinge("d", R * D, R.col(2), &rods[2], nullptr);
    return text;
}

/// Four-bars in a row, a benchmark of the IFToMM library of multibody problems: n + 1 upright rods
/// hinged to the ground, n rods across between their tops, all of 1 m and 1 kg, pushed at 1 m/s.
/// Flat, n more freedoms open; all uprights stay parallel on the smooth motion.
///
/// @param R attitude: the rods turn about axis 2, upright is axis 3
/// @param along moment of inertia of each rod about its own axis [kg m^2]
inline std::string row_of_four_bars(int n, const Mat3& R, double along = 1e-3) {
    const auto point = [](const Vec3& x) {
        return fmt::format("@{}", triple(x));
    };
    const Eigen::Quaterniond p(R);
    std::string text = with_gravity(-R.col(2));
    const auto body = [&](const std::string& name, const Vec3& at, const Vec3& J, double spin) {
        const Vec3 velocity = at(2) * R.col(0);
        text += fmt::format(
            "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\ninertia = {}\n"
            "position = {}\norientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\nvelocity = {}\n"
            "angular_velocity = [0.0, {}, 0.0]\n",
            name,
            triple(J),
            triple(R * at),
            p.w(),
            p.x(),
            p.y(),
            p.z(),
            triple(velocity),
            spin);
    };
    const auto join = [&](const std::string& a, const Vec3& at, const std::string& b, Vec3 to) {
        for (const double side : {-0.1, 0.1}) {
            const Vec3 offset(0, side, 0);
            const bool is_ground = b == "ground";
            text += fmt::format(
                "\n[[constraint]]\nname = \"{}_{}_{}\"\ntype = \"position\"\na = \"{}{}\"\n"
                "b = \"{}{}\"\n",
                a,
                b,
                side < 0.0 ? 'a' : 'b',
                a,
                point(at + offset),
                b,
                point(is_ground ? Vec3(R * (to + offset)) : Vec3(to + offset)));
        }
    };
    for (int i = 0; i <= n; ++i)
        body(fmt::format("up{}", i), Vec3(i, 0, 0.5), Vec3(1 / 12.0, 1 / 12.0, along), 1.0);
    for (int i = 0; i < n; ++i)
        body(fmt::format("across{}", i), Vec3(i + 0.5, 0, 1), Vec3(along, 1 / 12.0, 1 / 12.0), 0.0);
    for (int i = 0; i <= n; ++i)
        join(fmt::format("up{}", i), Vec3(0, 0, -0.5), "ground", Vec3(i, 0, 0));
    for (int i = 0; i < n; ++i) {
        const std::string across = fmt::format("across{}", i);
        join(fmt::format("up{}", i), Vec3(0, 0, 0.5), across, Vec3(-0.5, 0, 0));
        join(across, Vec3(0.5, 0, 0), fmt::format("up{}", i + 1), Vec3(0, 0, 0.5));
    }
    return text;
}

/// Direction of its uprights: one pendulum over the top, theta'' = k sin(theta), whose half angle
/// from below is an amplitude am(w t / 2 - K).
inline Vec3 upright_of_four_bars(int n, double t, const Mat3& R) {
    const double k = kGravity * (0.5 * (n + 1) + n) / ((n + 1) / 3.0 + n);
    const double fastest = std::sqrt(1.0 + 4.0 * k);
    const double modulus = 2.0 * std::sqrt(k) / fastest;
    double cn = 0.0, dn = 0.0;
    const double sn = boost::math::jacobi_elliptic(
        modulus, 0.5 * fastest * t - boost::math::ellint_1(modulus), &cn, &dn);
    return R * Vec3(-2.0 * sn * cn, 0.0, 2.0 * sn * sn - 1.0);
}

/// A locomotive's wheels, coupled by one rod with a pin on the crank of each: flat twice a turn,
/// when rod and cranks are in one line. Driven at one rate, the rod goes round in a circle and does
/// not turn.
struct CoupledWheels {
    int count;          ///< 1 m apart along axis 1, turning about axis 2
    double crank;       ///< [m]
    double start;       ///< angle of the cranks
    double rate;        ///< [rad/s]
    const char* hinge;  ///< of axles
    const char* pin;    ///< type of the joints on cranks

    std::string text() const {
        const double middle = 0.5 * (count - 1);
        const Vec3 r = from_axle(0.0);
        std::string text = with_gravity(-Vec3::UnitZ());
        const auto body = [&](const std::string& name, double mass, const Vec3& at, double spin) {
            const Vec3 v = spin == 0.0 ? Vec3(rate * r(2), 0.0, -rate * r(0)) : Vec3(Vec3::Zero());
            text += fmt::format(
                "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {}\n"
                "inertia = [0.4, 0.7, 0.5]\nposition = {}\nvelocity = {}\n"
                "angular_velocity = [0.0, {:.17g}, 0.0]\n",
                name,
                mass,
                triple(at),
                triple(v),
                spin);
        };
        const auto joint = [&](const std::string& name,
                               const std::string& type,
                               const std::string& a,
                               const std::string& b,
                               const Vec3& at) {
            text += fmt::format(
                "\n[[constraint]]\nname = \"{}\"\ntype = \"{}\"\na = \"{}\"\nb = \"{}\"\n"
                "point = {}\n",
                name,
                type,
                a,
                b,
                triple(at));
            if (type != "spherical") text += "axis = [0.0, 1.0, 0.0]\n";
        };
        for (int i = 0; i < count; ++i)
            body(fmt::format("wheel{}", i), 5.0, i * Vec3::UnitX(), rate);
        body("rod", 2.0, middle * Vec3::UnitX() + r, 0.0);
        for (int i = 0; i < count; ++i) {
            const std::string wheel = fmt::format("wheel{}", i);
            joint(fmt::format("axle{}", i),
                  i == 0 ? "revolute" : hinge,
                  "ground",
                  wheel,
                  i * Vec3::UnitX());
            joint(fmt::format("pin{}", i), pin, wheel, "rod", i * Vec3::UnitX() + r);
        }
        return text + fmt::format(
                          "\n[[constraint]]\nname = \"motor\"\ntype = \"drive\"\n"
                          "on = \"axle0.angle\"\nmotion = \"{:.17g}*t\"\n",
                          rate);
    }
    /// Of a pin, from its wheel's axle.
    Vec3 from_axle(double t) const {
        const double angle = start + rate * t;
        return crank * Vec3(std::cos(angle), 0.0, -std::sin(angle));
    }
    Vec3 rod(double t) const { return 0.5 * (count - 1) * Vec3::UnitX() + from_axle(t); }
};

/// A door on two ball joints 1.8 m apart on body axis 3 of attitude R; its centre is on body
/// axis 1.
struct Door {
    Mat3 R;
    static constexpr double l = 0.5, m = 3.0;

    std::string text(const std::string& type, double spin = 0.0) const {
        const Eigen::Quaterniond p(R);
        const Vec3 velocity = spin * l * R.col(1);
        std::string text = with_gravity(-Vec3::UnitZ()) +
                           fmt::format(
                               "\n[[body]]\nname = \"door\"\ntype = \"{}\"\nmass = {}\n"
                               "inertia = {}\nposition = {}\norientation = [{:.17g}, {:.17g}, "
                               "{:.17g}, {:.17g}]\nangular_velocity = [0.0, 0.0, {:.17g}]\n"
                               "velocity = {}\n",
                               type,
                               m,
                               triple(J()),
                               triple(l * R.col(0)),
                               p.w(),
                               p.x(),
                               p.y(),
                               p.z(),
                               spin,
                               triple(velocity));
        for (const double at : {-0.9, 0.9})
            text += fmt::format(
                "\n[[constraint]]\nname = \"ball{}\"\ntype = \"position\"\na = \"door@{}\"\n"
                "b = \"ground@{}\"\n",
                at < 0.0 ? "a" : "b",
                triple(Vec3(-l, 0.0, at)),
                triple(at * R.col(2)));
        return text;
    }
    static Vec3 J() { return {0.9, 1.2, 0.3}; }

    /// theta'' = -(m g l / I) sin(theta) about the hinge's axis, let go at rest.
    Vec3 centre_from_rest(double t) const {
        const Vec3 axis = R.col(2), g(0, 0, -kGravity);
        const Vec3 pull = g - g.dot(axis) * axis;
        const Vec3 down = pull.normalized();
        const double start = std::atan2(axis.dot(down.cross(R.col(0))), down.dot(R.col(0)));
        const double w = std::sqrt(m * l * pull.norm() / (J()(2) + m * l * l));
        const double k = std::sin(0.5 * std::abs(start));
        const double angle =
            (start < 0.0 ? -2.0 : 2.0) *
            std::asin(k * boost::math::jacobi_sn(k, w * t + boost::math::ellint_1(k)));
        return l * (std::cos(angle) * down + std::sin(angle) * axis.cross(down));
    }
};

}  // namespace ancora::testing
