// SPDX-License-Identifier: BSD-3-Clause
// Closed loops and hinges of two ball joints, whose rows depend on each other on the constraints
// and not beside them, under the explicit integrators; and what these refuse.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <Eigen/Dense>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2
constexpr const char* kBodies[] = {"ancf_rigid_body", "quaternion_body"};

std::string triple(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}

std::string integrator(const std::string& type, double step, double end, double tolerance = 0.0) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return tolerance > 0.0 ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}

std::string with_gravity(const Vec3& direction) {
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
std::string hinge(
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
std::string bricard(const std::string& type, double along, double across) {
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
// Square rods of 0.1 m, and rods without thickness.
constexpr double kThick = 0.01 / 6.0, kThickAcross = 1.0 / 12.0 + 0.01 / 12.0;
constexpr double kThinAcross = 1.0 / 12.0;

double distance(const Simulation& simulation, const std::string& body, const Vec3& from) {
    return (vec3(simulation.pose(body).position) - from).norm();
}

Mat3 random_attitude(std::mt19937& random) {
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
        .normalized()
        .toRotationMatrix();
}

/// What a run is refused with.
std::string refusal(Simulation& simulation) {
    try {
        run_to_end(simulation);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::numerical);
        return error.what();
    }
    return "nothing";
}

std::vector<double> row_of(const Simulation& simulation) {
    std::vector<double> row(simulation.column_names().size());
    simulation.sample(row);
    return row;
}

TEST_SUITE("closed loops under explicit integrators") {
    // Centre of rod 2 after 10 s, from runs of `dopri5` at 1e-12 with both types of body, whose
    // equations have nothing in common but the joints; they agree to 5e-11 m. Without thickness, at
    // 1e-11, which rk4 at 1e-4 s meets to 1e-10 m.
    const Vec3 kThickEnd(-0.25511732801, -0.46185335787, -0.12499251420);
    const Vec3 kThinEnd(-0.26434995664, -0.41337127292, -0.15096523654);

    TEST_CASE("Bricard's loop has one freedom, and keeps its rank inside the steps of rk4") {
        for (const char* type : kBodies)
            for (const double step : {1e-3, 2.5e-3}) {
                CAPTURE(type);
                CAPTURE(step);
                Simulation simulation =
                    model(bricard(type, kThick, kThickAcross) + integrator("rk4", step, 10.0));
                run_to_end(simulation);
                const double rounding = step < 2e-3 ? 1e-8 : 1e-6;
                CHECK(distance(simulation, "rod2", kThickEnd) <= tolerance(rounding));
                CHECK(simulation.statistics().constraint_position.max_abs <= tolerance(1e-12));
            }
    }
    TEST_CASE("Bricard's loop: dopri5 chooses its steps by the motion, not by redundant rows") {
        for (const char* type : kBodies) {
            CAPTURE(type);
            Simulation simulation =
                model(bricard(type, kThick, kThickAcross) + integrator("dopri5", 1e-3, 10.0, 1e-8));
            run_to_end(simulation);
            CHECK(distance(simulation, "rod2", kThickEnd) <= tolerance(1e-6));
            CHECK(simulation.statistics().steps < 1000);
            CHECK(simulation.statistics().evaluations < 8000);
        }
    }
    TEST_CASE("Bricard's loop of rods without thickness: the hinges determine their spin") {
        const std::string text = bricard("ancf_rigid_body", 0.0, kThinAcross);
        for (const auto& [type, step, most] :
             {std::tuple("rk4", 2.5e-3, 1e-6), std::tuple("dopri5", 1e-3, 1e-6)}) {
            CAPTURE(type);
            Simulation simulation =
                model(text + integrator(type, step, 10.0, type[0] == 'd' ? 1e-8 : 0.0));
            run_to_end(simulation);
            CHECK(distance(simulation, "rod2", kThinEnd) <= tolerance(most));
        }
        // emm errs by its own second order
        Simulation simulation = model(text + integrator("emm", 5e-3, 10.0));
        run_to_end(simulation);
        CHECK(distance(simulation, "rod2", kThinEnd) <= tolerance(2e-2));
        CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-10));
    }
    TEST_CASE(
        "a rod hung up by balls on its axis keeps its convention, one that is hinged does not") {
        for (const bool is_hinged : {true, false}) {
            CAPTURE(is_hinged);
            const Rod rod{"rod", {0, 0, 0}, {1, 0, 0}};
            std::string text =
                with_gravity(-Vec3::UnitZ()) + rod.text("ancf_rigid_body", kThinAcross, 0.0);
            text += is_hinged ? hinge("pin", rod.from, Vec3::UnitY(), &rod, nullptr)
                              : "\n[[constraint]]\nname = \"pin\"\ntype = \"position\"\na = "
                                "\"rod@[-0.5, 0.0, 0.0]\"\nb = \"ground@[0.0, 0.0, 0.0]\"\n";
            Simulation simulation = model(text + integrator("rk4", 1e-3, 0.5));
            run_to_end(simulation);
            // m l^2 / 3 theta'' = m g l / 2 cos(theta)
            const double rate = omega(simulation, "rod").norm();
            const double fall = -2.0 * simulation.pose("rod").position[2];
            CHECK(rate * rate == near(3.0 * kGravity * fall, 1e-9));
        }
    }

    TEST_CASE("a door on two ball joints swings like a pendulum at any attitude") {
        std::mt19937 random(7);
        for (int i = 0; i < 4; ++i) {
            const Mat3 R = random_attitude(random);
            // Exact: theta'' = -(m g l / I) sin(theta) about the hinge's axis, from rest.
            constexpr double l = 0.5, m = 3.0;
            const Vec3 J(0.9, 1.2, 0.3);
            const Vec3 axis = R.col(2), g(0, 0, -kGravity);
            const Vec3 pull = g - g.dot(axis) * axis;
            const Vec3 down = pull.normalized();
            const double start = std::atan2(axis.dot(down.cross(R.col(0))), down.dot(R.col(0)));
            const double w = std::sqrt(m * l * pull.norm() / (J(2) + m * l * l));
            const double k = std::sin(0.5 * std::abs(start));
            const double end = 2.0;
            const double angle =
                (start < 0.0 ? -2.0 : 2.0) *
                std::asin(k * boost::math::jacobi_sn(k, w * end + boost::math::ellint_1(k)));
            const Vec3 expected = l * (std::cos(angle) * down + std::sin(angle) * axis.cross(down));
            for (const char* type : kBodies)
                for (const char* method : {"rk4", "dopri5"}) {
                    CAPTURE(i);
                    CAPTURE(type);
                    CAPTURE(method);
                    const Eigen::Quaterniond p(R);
                    std::string text = with_gravity(-Vec3::UnitZ()) +
                                       fmt::format(
                                           "\n[[body]]\nname = \"door\"\ntype = \"{}\"\nmass = {}\n"
                                           "inertia = {}\nposition = {}\norientation = [{:.17g}, "
                                           "{:.17g}, {:.17g}, {:.17g}]\n",
                                           type,
                                           m,
                                           triple(J),
                                           triple(l * R.col(0)),
                                           p.w(),
                                           p.x(),
                                           p.y(),
                                           p.z());
                    for (const double at : {-0.9, 0.9})
                        text += fmt::format(
                            "\n[[constraint]]\nname = \"ball{}\"\ntype = \"position\"\na = "
                            "\"door@{}\"\nb = \"ground@{}\"\n",
                            at < 0.0 ? "a" : "b",
                            triple(Vec3(-l, 0.0, at)),
                            triple(at * R.col(2)));
                    Simulation simulation =
                        model(text + integrator(method, 2e-3, end, method[0] == 'd' ? 1e-10 : 0.0));
                    run_to_end(simulation);
                    CHECK(distance(simulation, "door", expected) <= tolerance(1e-8));
                }
        }
    }

    /// Four hinged bars, the ground among them, in a plane of any attitude.
    std::string four_bar(const std::string& type, const Mat3& R) {
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

    TEST_CASE("four-bar linkages at any attitude: both bodies and both methods agree") {
        std::mt19937 random(11);
        for (int i = 0; i < 3; ++i) {
            const Mat3 R = random_attitude(random);
            std::vector<Vec3> ends;
            for (const char* type : kBodies)
                for (const char* method : {"rk4", "dopri5"}) {
                    CAPTURE(i);
                    CAPTURE(type);
                    CAPTURE(method);
                    Simulation simulation =
                        model(four_bar(type, R) +
                              integrator(method, 5e-4, 2.0, method[0] == 'd' ? 1e-10 : 0.0));
                    run_to_end(simulation);
                    // In the frame of the linkage all attitudes move alike.
                    ends.push_back(R.transpose() * vec3(simulation.pose("bar1").position));
                    CHECK((ends.back() - ends.front()).norm() <= tolerance(1e-7));
                    CHECK(std::abs(ends.back().z()) <= tolerance(1e-12));
                    CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-7));
                }
        }
    }

    TEST_CASE("chain of hinges across each other: both bodies agree") {
        std::vector<Vec3> ends;
        for (const char* type : kBodies)
            for (const char* method : {"rk4", "dopri5"}) {
                CAPTURE(type);
                CAPTURE(method);
                std::vector<Rod> rods;
                rods.reserve(6);
                std::string text = with_gravity(-Vec3::UnitZ());
                for (int i = 0; i < 6; ++i) {
                    rods.push_back({fmt::format("link{}", i), Vec3(i, 0, 0), Vec3(i + 1, 0, 0)});
                    text += rods.back().text(type, 0.1, 0.02);
                    const Vec3 axis = i % 2 == 0 ? Vec3(Vec3::UnitY()) : Vec3(0.0, 0.6, 0.8);
                    text += hinge(fmt::format("hinge{}", i),
                                  Vec3(i, 0, 0),
                                  axis,
                                  &rods.back(),
                                  i == 0 ? nullptr : &rods[static_cast<std::size_t>(i) - 1]);
                }
                Simulation simulation =
                    model(text + integrator(method, 1e-3, 1.0, method[0] == 'd' ? 1e-10 : 0.0));
                run_to_end(simulation);
                ends.push_back(vec3(simulation.pose("link5").position));
                CHECK((ends.back() - ends.front()).norm() <= tolerance(1e-7));
            }
    }

    TEST_CASE("a table on four smooth feet slides down a slope of any attitude without turning") {
        std::mt19937 random(3);
        for (const char* type : kBodies)
            for (const char* method : {"rk4", "dopri5"}) {
                CAPTURE(type);
                CAPTURE(method);
                const Mat3 R = random_attitude(random);
                const Eigen::Quaterniond p(R);
                const Vec3 g = kGravity * (R * Vec3(0.3, 0.2, -1.0)).normalized();
                std::string text =
                    "[model]\ngravity = " + triple(g) +
                    fmt::format(
                        "\n\n[[body]]\nname = \"table\"\ntype = \"{}\"\nmass = 20.0\n"
                        "inertia = [1.5, 2.5, 3.0]\norientation = [{:.17g}, {:.17g}, "
                        "{:.17g}, {:.17g}]\n",
                        type,
                        p.w(),
                        p.x(),
                        p.y(),
                        p.z());
                for (int foot = 0; foot < 4; ++foot) {
                    const Vec3 at(foot % 2 == 0 ? 0.6 : -0.6, foot < 2 ? 0.4 : -0.4, -0.7);
                    text += fmt::format(
                        "\n[[constraint]]\nname = \"foot{}\"\ntype = \"point_on_plane\"\n"
                        "point = \"table@{}\"\nnormal = {}\norigin = {}\n",
                        foot,
                        triple(at),
                        triple(R.col(2)),
                        triple(R * at));
                }
                Simulation simulation =
                    model(text + integrator(method, 1e-2, 1.0, method[0] == 'd' ? 1e-10 : 0.0));
                run_to_end(simulation);
                const Vec3 along = g - g.dot(R.col(2)) * R.col(2);
                CHECK(distance(simulation, "table", 0.5 * along) <= tolerance(1e-12));
                CHECK(angle_between(attitude(simulation, "table"), R) <= tolerance(1e-12));
            }
    }
}

TEST_SUITE("bodies of any mass") {
    // Masses from 1e-12 to 1e12 kg hung on each other in a tree, whose rows are independent.
    TEST_CASE(
        "a tree of very light and very heavy bodies has neither contradictions nor redundancy") {
        for (const char* type : kBodies)
            for (const unsigned seed : {1U, 2U}) {
                CAPTURE(type);
                CAPTURE(seed);
                std::mt19937 random(seed);
                std::uniform_real_distribution<double> place(-3.0, 3.0), exponent(-12.0, 12.0);
                std::string text = with_gravity(-Vec3::UnitZ());
                std::vector<Vec3> at;
                for (unsigned i = 0; i < 7; ++i) {
                    const double m = std::pow(10.0, exponent(random));
                    at.emplace_back(place(random), place(random), place(random));
                    const unsigned parent = i == 0 ? 0 : random() % i;
                    const Vec3 other = i == 0 ? Vec3(Vec3::Zero()) : at[parent];
                    const Vec3 joint = 0.5 * (at[i] + other);
                    text += fmt::format(
                        "\n[[body]]\nname = \"b{}\"\ntype = \"{}\"\nmass = {:.17g}\ninertia = "
                        "{}\nposition = {}\n\n[[constraint]]\nname = \"j{}\"\ntype = "
                        "\"position\"\na = \"b{}@{}\"\nb = \"{}@{}\"\n",
                        i,
                        type,
                        m,
                        triple(m * Vec3(0.02, 0.03, 0.04)),
                        triple(at[i]),
                        i,
                        i,
                        triple(joint - at[i]),
                        i == 0 ? "ground" : fmt::format("b{}", parent),
                        triple(joint - other));
                }
                Simulation simulation = model(text + integrator("rk4", 1e-3, 0.2));
                CHECK(simulation.analyse().redundant_rows.empty());
                run_to_end(simulation);
                CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-10));
                CHECK(simulation.statistics().constraint_position.max_abs <= tolerance(1e-12));
            }
    }
}

TEST_SUITE("what explicit integrators refuse") {
    TEST_CASE("a step that leaves the constraints by a part of its way is refused, and advises") {
        // 40 rad/s in steps of 0.1 s: most of a turn.
        Simulation simulation = model(
            "[[body]]\nname = \"bob\"\ntype = \"particle\"\nmass = 1.0\nposition = [1.0, 0.0, "
            "0.0]\nvelocity = [0.0, 40.0, 0.0]\n\n[[constraint]]\nname = \"hoop\"\ntype = "
            "\"point_on_circle\"\npoint = \"bob@0\"\nnormal = [0.0, 0.0, 1.0]\nradius = 1.0\n" +
            integrator("rk4", 0.1, 1.0));
        const std::vector<double> before = row_of(simulation);
        const std::string text = refusal(simulation);
        CAPTURE(text);
        CHECK(text.find("to meet the constraints at its end") != std::string::npos);
        CHECK(text.find("take a shorter one") != std::string::npos);
        // Nothing of the refused step is left in the state: x, v, energies and reactions.
        CHECK(simulation.time() == 0.0);
        CHECK(row_of(simulation) == before);
    }

    TEST_CASE("dopri5 does not lengthen the step after one that was refused") {
        for (const double first : {0.2, 0.35, 0.5, 0.8, 1.3}) {
            CAPTURE(first);
            Simulation simulation = model(
                "[model]\ngravity = [0.0, 0.0, -9.81]\n\n[[body]]\nname = \"bob\"\ntype = "
                "\"particle\"\nmass = 1.0\nposition = [1.0, 0.0, 0.0]\n\n[[constraint]]\nname = "
                "\"hoop\"\ntype = \"point_on_circle\"\npoint = \"bob@0\"\nnormal = [0.0, 1.0, "
                "0.0]\nradius = 1.0\n" +
                integrator("dopri5", first, 5.0, 1e-8));
            simulation.step();
            const double length = simulation.time();
            CHECK(length < first);
            simulation.step();
            CHECK(simulation.time() - length <= length * (1.0 + 1e-12));
        }
    }

    // A point without mass that a velocity row alone carries: its place is no condition, and is
    // left alone where positions are projected.
    TEST_CASE("a massless node that only a velocity row carries is projected like any other") {
        for (const char* method : {"rk4", "dopri5"}) {
            CAPTURE(method);
            Simulation simulation = model(
                "[model]\ngravity = [0.0, 0.0, -9.81]\n\n[[body]]\nname = \"bob\"\ntype = "
                "\"particle\"\nmass = 2.0\nposition = [1.0, 0.0, 0.0]\n\n[[body]]\nname = "
                "\"tape\"\ntype = \"truss\"\nfrom = [3.0, 0.0, 1.0]\nto = [3.0, 0.0, 0.0]\n"
                "young = 1.0\narea = 1e-12\ndensity = 0.0\n\n[[constraint]]\nname = \"root\"\n"
                "type = \"position\"\na = \"tape@0\"\nb = \"ground@[3.0, 0.0, 1.0]\"\n\n"
                "[[constraint]]\nname = \"hoop\"\ntype = \"point_on_circle\"\npoint = \"bob@0\"\n"
                "normal = [0.0, 1.0, 0.0]\nradius = 1.0\n\n[[constraint]]\nname = \"follow\"\n"
                "type = \"general_constraint\"\nlevel = \"velocity\"\nequation = [\"tape@1.vx = "
                "bob.vx\", \"tape@1.vy = bob.vy\", \"tape@1.vz = bob.vz\"]\n" +
                integrator(method, 1e-3, 0.5, method[0] == 'd' ? 1e-10 : 0.0));
            run_to_end(simulation);
            const Vec3 apart = vec3(simulation.point("tape@1").position) -
                               vec3(simulation.point("bob@0").position);
            CHECK((apart - Vec3(2.0, 0.0, 0.0)).norm() <= tolerance(1e-9));
            CHECK(simulation.statistics().constraint_position.max_abs <= tolerance(1e-12));
        }
    }
}

}  // namespace
}  // namespace ancora::testing
