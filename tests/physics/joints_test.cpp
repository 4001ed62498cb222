// SPDX-License-Identifier: BSD-3-Clause
// Joints and laws on their measures: motions against a second formulation and closed solutions,
// laws of conservation, what bearings and drives bear.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/special_functions/ellint_1.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct Case {
    const char* type;
    const char* keys;
    std::vector<const char*> measures;
};

/// Every joint between two bodies of which the first hangs on a ball joint.
const std::vector<Case>& cases() {
    static const std::vector<Case> kAll = {
        {"fixed", "point = [0.2, 0.3, 0.1]", {}},
        {"revolute",
         "point = [0.2, 0.3, 0.1]\naxis = [0.3, -0.7, 0.5]\nstart = {angle = 0.7, angle_rate = "
         "2.0}",
         {"angle"}},
        {"prismatic",
         "point = [0.2, 0.3, 0.1]\naxis = [0.3, -0.7, 0.5]\n"
         "start = {displacement = 0.2, displacement_rate = 0.6}",
         {"displacement"}},
        {"cylindrical",
         "point = [0.2, 0.3, 0.1]\naxis = [0.3, -0.7, 0.5]\n"
         "start = {angle = 0.4, angle_rate = 1.0, displacement = 0.1, displacement_rate = -0.5}",
         {"angle", "displacement"}},
        {"spherical", "point = [0.2, 0.3, 0.1]", {}},
        {"universal",
         "point = [0.2, 0.3, 0.1]\naxis_a = [0.0, 0.0, 1.0]\naxis_b = [1.0, 0.0, 0.0]\n"
         "start = {angle_a = 0.3, angle_b = -0.4, angle_a_rate = 1.0, angle_b_rate = 0.5}",
         {"angle_a", "angle_b"}},
        {"constant_velocity", "point = [0.2, 0.3, 0.1]\naxis = [0.3, -0.7, 0.5]", {}},
        {"planar",
         "point = [0.2, 0.3, 0.1]\naxis = [0.3, -0.7, 0.5]",
         {"displacement_x", "displacement_y", "angle"}},
        {"screw",
         "point = [0.2, 0.3, 0.1]\naxis = [0.3, -0.7, 0.5]\npitch = 0.3\n"
         "start = {angle = 1.0, angle_rate = 2.0}",
         {"angle", "displacement"}},
        {"in_line", "point = [0.2, 0.3, 0.1]\naxis = [0.3, -0.7, 0.5]", {"displacement"}},
        {"in_plane", "point = [0.2, 0.3, 0.1]\naxis = [0.3, -0.7, 0.5]", {}},
        {"parallel", "axis = [0.3, -0.7, 0.5]", {}},
        {"perpendicular", "axis = [0.3, -0.7, 0.5]", {}},
        {"orientation", "", {}},
        {"measure",
         "axis = [0.3, -0.7, 0.5]",
         {"displacement_x", "displacement_y", "displacement_z", "distance", "angle", "tilt"}},
        {"bushing",
         "point = [0.2, 0.3, 0.1]\naxis = [0.3, -0.7, 0.5]\nstiffness = [300.0, 200.0, 400.0]\n"
         "torsion = [3.0, 2.0, 1.0]\ndamping = [1.0, 2.0, 0.0]\n"
         "torsional_damping = [0.02, 0.0, 0.01]\npreload = [5.0, 0.0, -3.0]",
         {"displacement_x", "displacement_y", "displacement_z"}},
    };
    return kAll;
}

std::string pair(const Case& one, const std::string& type) {
    return model_text() +
           body("first",
                type,
                "position = [0.3, 0.1, 0.2]\norientation = {axis = [1, 2, 3], angle = 0.8}\n"
                "angular_velocity = [0.3, 0.5, -0.2]") +
           body("second",
                type,
                "position = [-0.2, 0.4, 0.3]\norientation = {axis = [2, -1, 1], angle = -1.1}",
                1.5,
                "[0.05, 0.03, 0.04]") +
           constraint(
               "pin", "spherical", "a = \"ground\"\nb = \"first\"\npoint = [0.1, 0.0, 0.4]") +
           constraint(
               "joint", one.type, fmt::format("a = \"first\"\nb = \"second\"\n{}", one.keys));
}

TEST_SUITE("joints") {
    TEST_CASE("each joint moves as quaternion bodies under accelerations do, at order two") {
        for (const Case& one : cases()) {
            CAPTURE(one.type);
            constexpr double kEnd = 0.2;
            const std::string start = "project_start = true\n";
            const auto with_start = [&](std::string text) {
                return text.insert(std::string("[model]\n").size(), start);
            };
            Simulation exact = model(with_start(pair(one, "quaternion_body")) +
                                     steps("dopri5", 1e-3, kEnd, 1e-11));
            run_to_end(exact);
            std::array<double, 2> error{};
            for (std::size_t i = 0; i < 2; ++i) {
                Simulation simulation = model(with_start(pair(one, "ancf_rigid_body")) +
                                              steps("emm", i == 0 ? 2e-3 : 1e-3, kEnd));
                run_to_end(simulation);
                check_balances(simulation);
                for (const char* name : {"first", "second"})
                    error[i] = std::max(
                        error[i],
                        (vec3(simulation.pose(name).position) - vec3(exact.pose(name).position))
                            .norm());
                for (const char* measure : one.measures)
                    for (const char* rate : {"", "_rate"}) {
                        const std::string name = fmt::format("joint.{}{}", measure, rate);
                        CAPTURE(name);
                        CHECK(std::abs(column(simulation, name) - column(exact, name)) <=
                              tolerance(i == 0 ? 8e-3 : 2e-3));
                    }
            }
            CHECK(error[1] <= tolerance(2e-4));
            CHECK(error[0] / error[1] == Near(4.0, 0.4));
        }
    }

    TEST_CASE("a pendulum on a hinge has the period of the elliptic integral") {
        // Point of suspension 0.5 m from the centre: J = 0.03 + 0.25
        const double amplitude = 1.2;
        const double J = 0.03 + 1.0 * 0.25;
        const double omega = std::sqrt(1.0 * 9.81 * 0.5 / J);
        const double period = 4.0 / omega * boost::math::ellint_1(std::sin(0.5 * amplitude));
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            Simulation simulation =
                model(model_text() + body("rod", "ancf_rigid_body", "position = [0.0, 0.0, -0.5]") +
                      constraint("hinge",
                                 "revolute",
                                 fmt::format("a = \"ground\"\nb = \"rod\"\npoint = [0, 0, 0]\n"
                                             "axis = [0, 1, 0]\nstart = {}",
                                             amplitude)) +
                      steps(integrator, period / 4000.0, period));
            run_to_end(simulation);
            CHECK(column(simulation, "hinge.angle") == Near(amplitude, tolerance(2e-6)));
        }
    }

    TEST_CASE("an angle counts its turns, also through saved states") {
        for (const char* integrator : {"emm", "rk4", "dopri5"}) {
            CAPTURE(integrator);
            const std::string text =
                model_text(false) + body("wheel", "ancf_rigid_body", "") +
                constraint("axle",
                           "revolute",
                           "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
                           "start = {angle = 0.5, angle_rate = 20.0}") +
                steps(integrator, 1e-2, 2.0, 1e-9);
            Simulation simulation = model(text);
            for (int i = 0; i < 50; ++i) simulation.step();
            const std::vector<std::byte> saved = simulation.save();
            Simulation other = model(text);
            other.restore(saved);
            run_to_end(other);
            CHECK(column(other, "axle.angle") == Near(40.5, tolerance(0.2)));
            run_to_end(simulation);
            CHECK(column(other, "axle.angle") == column(simulation, "axle.angle"));
        }
    }

    TEST_CASE("a Hooke joint has the ratio of speeds of its bend") {
        constexpr double kBend = 0.6;
        const Vec3 out(std::sin(kBend), 0.0, std::cos(kBend));
        // Shafts on hinges of the ground; the cross lies along y and along x
        const std::string text =
            model_text(false) + body("in", "ancf_rigid_body", "position = [0, 0, -0.5]") +
            body("out",
                 "ancf_rigid_body",
                 fmt::format(
                     "position = [{}, 0, {}]\norientation = {{axis = [0, 1, 0], angle = {}}}",
                     0.5 * out(0),
                     0.5 * out(2),
                     kBend)) +
            constraint("bearing_in",
                       "revolute",
                       "a = \"ground\"\nb = \"in\"\npoint = [0, 0, -0.5]\naxis = [0, 0, 1]\n"
                       "drive = \"0.7*t\"") +
            constraint("bearing_out",
                       "revolute",
                       fmt::format("a = \"ground\"\nb = \"out\"\npoint = [{}, 0, {}]\n"
                                   "axis = [{}, 0, {}]",
                                   0.5 * out(0),
                                   0.5 * out(2),
                                   out(0),
                                   out(2))) +
            constraint("cross",
                       "universal",
                       fmt::format("a = \"in\"\nb = \"out\"\npoint = [0, 0, 0]\n"
                                   "axis_a = [0, 1, 0]\naxis_b = [{}, 0, {}]",
                                   std::cos(kBend),
                                   -std::sin(kBend)));
        const std::string& moving = text;
        // The start turns already
        Simulation simulation =
            model("[model]\nproject_start = true\n" + moving.substr(moving.find("[[body]]")) +
                  steps("emm", 1e-3, 3.0));
        while (!simulation.done()) {
            simulation.step();
            const double in = column(simulation, "bearing_in.angle");
            const double turned = column(simulation, "bearing_out.angle");
            // The fork of the driving shaft lies along y, in the plane's normal
            const double expected = std::atan2(std::sin(in) / std::cos(kBend), std::cos(in));
            const double mirrored = std::atan2(std::sin(in) * std::cos(kBend), std::cos(in));
            const double off = std::min(std::abs(std::remainder(turned - expected, 2.0 * kPi)),
                                        std::abs(std::remainder(turned - mirrored, 2.0 * kPi)));
            REQUIRE(off <= tolerance(1e-12));
        }
        check_balances(simulation);
    }

    TEST_CASE("a screw descends with the acceleration of its pitch") {
        constexpr double kPitch = 0.05;
        const double lead = kPitch / (2.0 * kPi);
        const double acceleration = -9.81 / (1.0 + 0.04 / (1.0 * lead * lead));
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            const bool is_emm = integrator == std::string("emm");  // of order two
            Simulation simulation =
                model(model_text() + body("nut", "ancf_rigid_body", "") +
                      constraint("thread",
                                 "screw",
                                 fmt::format("a = \"ground\"\nb = \"nut\"\npoint = [0, 0, 0]\n"
                                             "axis = [0, 0, 1]\npitch = {}",
                                             kPitch)) +
                      steps(integrator, 1e-3, 4.0));
            run_to_end(simulation);
            CHECK(column(simulation, "thread.displacement") ==
                  Near(0.5 * acceleration * 16.0, tolerance(is_emm ? 2e-6 : 1e-9)));
            CHECK(column(simulation, "thread.angle") ==
                  Near(0.5 * acceleration * 16.0 / lead, tolerance(is_emm ? 2e-4 : 1e-6)));
            CHECK(column(simulation, "thread.angle") < -2.0 * kPi);
        }
    }

    TEST_CASE("a weld bears weight and moment of a beam, in axes of a") {
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            Simulation simulation = model(
                model_text() + body("beam", "ancf_rigid_body", "position = [0.5, 0, 0]", 2.0) +
                constraint("wall", "fixed", "a = \"ground\"\nb = \"beam\"\npoint = [0, 0, 0]") +
                steps(integrator, 1e-3, 1e-2));
            run_to_end(simulation);
            const Vec3 force = columns(simulation, "wall.on_b.force");
            const Vec3 moment = columns(simulation, "wall.on_b.moment");
            CHECK((force - Vec3(0.0, 0.0, 2.0 * 9.81)).norm() <= tolerance(1e-10));
            // About the joint point the weight turns the beam about +y
            CHECK((moment - Vec3(0.0, -2.0 * 9.81 * 0.5, 0.0)).norm() <= tolerance(1e-10));
        }
    }

    TEST_CASE(
        "two hinges of a door bear its weight between them, and say that they are redundant") {
        std::vector<std::string> warnings;
        const Manifest manifest = Manifest::parse(
            model_text() + body("door", "ancf_rigid_body", "position = [0.4, 0, 0]", 20.0) +
                constraint("low",
                           "revolute",
                           "a = \"ground\"\nb = \"door\"\npoint = [0, 0, -0.8]\naxis = [0, 0, 1]\n"
                           "start = {angle_rate = 1.0}") +
                constraint("high",
                           "revolute",
                           "a = \"ground\"\nb = \"door\"\npoint = [0, 0, 0.8]\naxis = [0, 0, 1]") +
                steps("emm", 1e-3, 0.3),
            "model.toml");
        Simulation simulation(manifest, registry(), [&](const std::string& text) {
            warnings.push_back(text);
        });
        run_to_end(simulation);
        check_balances(simulation);
        CHECK(column(simulation, "high.angle") == Near(0.3, tolerance(1e-6)));
        const Vec3 sum =
            columns(simulation, "low.on_b.force") + columns(simulation, "high.on_b.force");
        // Weight, and the pull towards the axis: in axes of the ground
        const double angle = 0.3 - 0.5e-3;
        const Vec3 pull = -20.0 * 0.4 * Vec3(std::cos(angle), std::sin(angle), 0.0);
        CHECK((sum - pull - Vec3(0.0, 0.0, 20.0 * 9.81)).norm() <= tolerance(1e-4));
        // Only along the axis and about it can nothing be shifted from hinge to hinge: along the
        // axis the two share the weight as they like, across it the moments are borne by either
        const std::vector<std::string> arbitrary = simulation.statistics().arbitrary_reactions;
        const auto is_arbitrary = [&](const std::string& name) {
            return std::ranges::find(arbitrary, name) != arbitrary.end();
        };
        for (const char* hinge : {"low", "high"}) {
            CAPTURE(hinge);
            for (const char* component : {"force.x", "force.y", "force.z", "moment.x", "moment.y"})
                CHECK(is_arbitrary(fmt::format("{}.on_b.{}", hinge, component)));
            CHECK(!is_arbitrary(fmt::format("{}.on_b.moment.z", hinge)));
        }
        REQUIRE(warnings.size() == 1);
        CHECK(warnings[0].find("5 of 16 constraint rows are redundant") != std::string::npos);
    }

    TEST_CASE("of a door on two ball joints only what they share along their line is arbitrary") {
        const std::string post =
            body("post", "ancf_rigid_body", "") +
            "[[body.frame]]\nname = \"low\"\nposition = [0, 0, -0.8]\n"
            "[[body.frame]]\nname = \"high\"\nposition = [0, 0, 0.8]\n" +
            constraint("foot", "fixed", "a = \"ground\"\nb = \"post\"\npoint = [0, 0, 0]");
        Simulation simulation = model(
            model_text() + post + body("door", "ancf_rigid_body", "position = [0.4, 0, 0]") +
            constraint("low", "spherical", "a = \"post.low\"\nb = \"door@[-0.4, 0, -0.8]\"") +
            constraint("high", "spherical", "a = \"post.high\"\nb = \"door@[-0.4, 0, 0.8]\"") +
            steps("emm", 1e-3, 0.1));
        std::vector<std::string> expected = {
            "low.force.z", "low.on_b.force.z", "high.force.z", "high.on_b.force.z"};
        std::vector<std::string> arbitrary = simulation.analyse().arbitrary_reactions;
        std::ranges::sort(expected);
        std::ranges::sort(arbitrary);
        CHECK(arbitrary == expected);
    }

    TEST_CASE("axes against each other, and a joint without a place, are refused") {
        const std::string frames =
            "[[body.frame]]\nname = \"up\"\naxis = [0, 0, 1]\n"
            "[[body.frame]]\nname = \"down\"\naxis = [0, 0, -1]\n";
        const auto refused = [&](const std::string& joint) -> std::string {
            try {
                model(model_text() + body("x", "ancf_rigid_body", "") + frames +
                      body("y", "ancf_rigid_body", "") + frames + joint + steps("emm", 1e-3, 0.1));
            } catch (const Error& error) {
                CHECK(error.kind() == ErrorKind::manifest);
                return error.message();
            }
            return "";
        };
        CHECK(refused(constraint("j", "parallel", "a = \"x.up\"\nb = \"y.down\"")) ==
              "constraint \"j\": b: has its axis against that of a, which the joint would hold as "
              "well; turn one of the frames by half a turn");
        CHECK(
            refused(constraint("j", "revolute", "a = \"x\"\nb = \"y\"\naxis = [0, 0, 1]")) ==
            "constraint \"j\": point: is missing: where is the joint? Give point = [x, y, z], or a "
            "frame or point of a body, such as a = \"arm.tip\" or \"arm@[1, 0, 0]\"");
        CHECK(refused(constraint("j", "revolute", "a = \"x.upp\"\nb = \"y\"")).find("upp") !=
              std::string::npos);
        CHECK(refused(constraint("j", "revolute", "a = \"x.up\"\nb = \"x.down\"")) ==
              "constraint \"j\": b: is the same as a: both are of one body");
    }

    TEST_CASE("a loop is closed nearby, by leave from afar, and never onto the back of a joint") {
        // A crank on the ground, a rod, and a slider of the ground along x that the rod's end
        // reaches
        const auto slider_crank = [](const char* project, double height) {
            return fmt::format("[model]\nproject_start = {}\n", project) +
                   body("crank", "ancf_rigid_body", "position = [0.15, 0, 0]") +
                   body("rod", "ancf_rigid_body", "position = [0.8, 0, 0]") +
                   body("slider",
                        "ancf_rigid_body",
                        fmt::format("position = [1.3, 0, {}]", height)) +
                   constraint("crank_pin",
                              "revolute",
                              "a = \"ground\"\nb = \"crank\"\npoint = [0, 0, 0]\n"
                              "axis = [0, 1, 0]\nstart = \"-40 deg\"") +
                   constraint("knee",
                              "revolute",
                              "a = \"crank@[0.15, 0, 0]\"\nb = \"rod@[-0.5, 0, 0]\"\n"
                              "axis = [0, 1, 0]\nstart = \"55 deg\"") +
                   constraint("guide",
                              "prismatic",
                              "a = \"ground@[0, 0, 0]\"\nb = \"slider@[0, 0, 0]\"\n"
                              "axis = [1, 0, 0]") +
                   constraint(
                       "wrist", "spherical", "a = \"rod@[0.5, 0, 0]\"\nb = \"slider@[0, 0, 0]\"") +
                   steps("emm", 1e-3, 0.01);
        };
        Simulation near = model(slider_crank("true", 0.0));
        const RunStatistics statistics = near.statistics();
        CHECK(!statistics.projected.empty());
        const auto moved = [&](const char* name) {
            const auto found =
                std::ranges::find(statistics.projected_measures, name, &MovedMeasure::name);
            REQUIRE(found != statistics.projected_measures.end());
            return *found;
        };
        CHECK(moved("knee.angle").before == Near(55.0 * kPi / 180.0, tolerance(1e-12)));
        CHECK(moved("knee.angle").after == Near(column(near, "knee.angle"), tolerance(1e-15)));
        // The crank's height and the rod's: 0.3 sin a = sin(b - a)
        const double a = -column(near, "crank_pin.angle");
        const double b = column(near, "knee.angle");
        CHECK(0.3 * std::sin(a) == Near(std::sin(b - a), tolerance(1e-12)));
        // Lifted, everything would have to turn much further
        CHECK_THROWS_WITH_AS(
            model(slider_crank("true", 0.6)), doctest::Contains("project_start = \"far\""), Error);
        Simulation far = model(slider_crank("\"far\"", 0.6));
        CHECK(column(far, "slider.z") == Near(0.0, tolerance(1e-12)));
    }

    TEST_CASE("a chain of frames lies and moves as its joints start") {
        std::string text = model_text(false);
        for (int i = 0; i < 3; ++i)
            text += body(fmt::format("link{}", i), "ancf_rigid_body", "") +
                    "[[body.frame]]\nname = \"in\"\nposition = [-0.5, 0, 0]\naxis = [0, 0, 1]\n"
                    "[[body.frame]]\nname = \"out\"\nposition = [0.5, 0, 0]\naxis = [0, 0, 1]\n";
        text +=
            constraint("j0",
                       "revolute",
                       "a = \"ground\"\nb = \"link0.in\"\nstart = {angle = 0.3, angle_rate = 1.0}");
        text += constraint(
            "j1",
            "revolute",
            "a = \"link0.out\"\nb = \"link1.in\"\nstart = {angle = 0.4, angle_rate = -2.0}");
        text += constraint(
            "j2",
            "revolute",
            "a = \"link1.out\"\nb = \"link2.in\"\nstart = {angle = -1.0, angle_rate = 0.5}");
        // The same with the joints turned round and out of order
        for (const bool is_mixed : {false, true}) {
            CAPTURE(is_mixed);
            std::string model_of = text;
            if (is_mixed) {
                const std::size_t at = model_of.find("[[constraint]]");
                model_of = model_of.substr(0, at) +
                           constraint("j2",
                                      "revolute",
                                      "a = \"link2.in\"\nb = \"link1.out\"\n"
                                      "start = {angle = 1.0, angle_rate = -0.5}") +
                           constraint("j0",
                                      "revolute",
                                      "a = \"ground\"\nb = \"link0.in\"\n"
                                      "start = {angle = 0.3, angle_rate = 1.0}") +
                           constraint("j1",
                                      "revolute",
                                      "a = \"link0.out\"\nb = \"link1.in\"\n"
                                      "start = {angle = 0.4, angle_rate = -2.0}");
            }
            Simulation simulation = model(model_of + steps("emm", 1e-3, 0.1));
            // The ground takes the point of the frame that is tied to it
            Vec3 at(-0.5, 0.0, 0.0);
            Vec3 rate = Vec3::Zero();
            double angle = 0.0, spin = 0.0;
            constexpr std::array<double, 3> kAngles = {0.3, 0.4, -1.0};
            constexpr std::array<double, 3> kRates = {1.0, -2.0, 0.5};
            for (std::size_t i = 0; i < 3; ++i) {
                angle += kAngles[i];
                spin += kRates[i];
                const Vec3 along(std::cos(angle), std::sin(angle), 0.0);
                const Vec3 across(-along(1), along(0), 0.0);
                const Pose pose = simulation.pose(fmt::format("link{}", i));
                CHECK((vec3(pose.position) - (at + 0.5 * along)).norm() <= tolerance(1e-14));
                CHECK((vec3(pose.velocity) - (rate + 0.5 * spin * across)).norm() <=
                      tolerance(1e-14));
                CHECK(std::abs(pose.angular_velocity[2] - spin) <= tolerance(1e-14));
                at += along;
                rate += spin * across;
            }
            CHECK(column(simulation, "j1.angle") == Near(0.4, tolerance(1e-14)));
            CHECK(column(simulation, "j1.angle_rate") == Near(-2.0, tolerance(1e-13)));
        }
    }
}

TEST_SUITE("laws on measures") {
    TEST_CASE("a torsion spring swings with its period, and a damper takes what it should") {
        const double J = 0.04, k = 3.0;
        const double omega = std::sqrt(k / J);
        for (const char* integrator : {"emm", "dopri5"}) {
            CAPTURE(integrator);
            Simulation simulation =
                model(model_text(false) + body("wheel", "ancf_rigid_body", "") +
                      constraint("axle",
                                 "revolute",
                                 "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n"
                                 "axis = [0, 0, 1]\nstart = 7.0\n"
                                 "spring = {stiffness = 3.0, free = 6.5, damping = 0.02}") +
                      steps(integrator, 1e-4, 1.0, 1e-10));
            run_to_end(simulation);
            const double decay = 0.02 / (2.0 * J);
            const double damped = std::sqrt(omega * omega - decay * decay);
            const double x =
                0.5 * std::exp(-decay) * (std::cos(damped) + decay / damped * std::sin(damped));
            CHECK(column(simulation, "axle.angle") - 6.5 == Near(x, tolerance(3e-7)));
            if (integrator == std::string("emm")) check_balances(simulation);
        }
    }

    TEST_CASE("a stiff spring-damper in a spinning linkage keeps the balances") {
        const std::string text =
            model_text(false) + body("x", "ancf_rigid_body", "angular_velocity = [0.3, 2.0, 5.0]") +
            body("y",
                 "ancf_rigid_body",
                 "position = [1.0, 0.2, 0.1]\nangular_velocity = [1, 0, 3]") +
            constraint("ball", "spherical", "a = \"x\"\nb = \"y\"\npoint = [0.5, 0.1, 0.0]") +
            force("strut",
                  "spring_damper",
                  "a = \"x@[0.1, 0.3, 0.0]\"\nb = \"y@[-0.2, 0.2, 0.1]\"\n"
                  "stiffness = \"1e6 N/m\"\ndamping = \"500 N*s/m\"\npreload = 100.0");
        Simulation simulation = model("[model]\nproject_start = true\n" +
                                      text.substr(text.find("[[body]]")) + steps("emm", 1e-3, 1.0));
        run_to_end(simulation);
        const RunStatistics statistics = simulation.statistics();
        CHECK(statistics.energy.max_rel <= tolerance(1e-11));
        CHECK(statistics.angular_momentum.max_rel <= tolerance(1e-12));
    }

    TEST_CASE("torques that drives need are those of Newton and Euler, and move the same arm") {
        // Two links in the plane, angles about +y, which let the links sink
        const auto arm = [](const std::string& first, const std::string& second) {
            const std::string frames =
                "[[body.frame]]\nname = \"in\"\nposition = [{}, 0, 0]\naxis = [0, 1, 0]\n";
            return model_text() +
                   body("upper",
                        "ancf_rigid_body",
                        "position = [0.5, 0, 0]",
                        2.0,
                        "[0.02, 0.3, 0.3]") +
                   body("lower",
                        "ancf_rigid_body",
                        "position = [1.4, 0, 0]",
                        1.0,
                        "[0.01, 0.1, 0.1]") +
                   constraint(
                       "shoulder",
                       "revolute",
                       "a = \"ground\"\nb = \"upper\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n" +
                           first) +
                   constraint(
                       "elbow",
                       "revolute",
                       "a = \"upper\"\nb = \"lower\"\npoint = [1, 0, 0]\naxis = [0, 1, 0]\n" +
                           second);
        };
        struct Motion {
            double q, v, a;
        };
        const auto motions = [](double t) {
            const auto of = [t](double size, double w) {
                // size sin^2(w t)
                return Motion{size * std::sin(w * t) * std::sin(w * t),
                              size * w * std::sin(2.0 * w * t),
                              2.0 * size * w * w * std::cos(2.0 * w * t)};
            };
            return std::pair(of(0.5, 2.0), of(0.3, 3.0));
        };
        const auto torques = [&](double t) {
            const auto [s, e] = motions(t);
            const double g = 9.81, c1 = 0.5, c2 = 0.4, l = 1.0;
            const double M11 =
                0.3 + 0.1 + 2.0 * c1 * c1 + (l * l + c2 * c2 + 2.0 * l * c2 * std::cos(e.q));
            const double M12 = 0.1 + c2 * c2 + l * c2 * std::cos(e.q);
            const double M22 = 0.1 + c2 * c2;
            const double h = -l * c2 * std::sin(e.q);
            return std::pair(M11 * s.a + M12 * e.a + h * (2.0 * s.v * e.v + e.v * e.v) -
                                 (2.0 * c1 + l) * g * std::cos(s.q) - c2 * g * std::cos(s.q + e.q),
                             M12 * s.a + M22 * e.a - h * s.v * s.v - c2 * g * std::cos(s.q + e.q));
        };
        Simulation driven = model(arm("drive = \"0.5*sin(2*t)^2\"", "drive = \"0.3*sin(3*t)^2\"") +
                                  steps("rk4", 1e-3, 0.5));
        std::string first = "motor = {effort = [", second = first;
        while (!driven.done()) {
            driven.step();
            const auto [tau1, tau2] = torques(driven.time());
            CHECK(column(driven, "shoulder.drive.effort") == Near(tau1, tolerance(1e-10)));
            CHECK(column(driven, "elbow.drive.effort") == Near(tau2, tolerance(1e-10)));
        }
        // Fed back as tables: straight pieces of 1 ms, and the method's error
        for (int i = 0; i <= 500; ++i) {
            const auto [tau1, tau2] = torques(1e-3 * i);
            first += fmt::format("[{}, {}], ", 1e-3 * i, tau1);
            second += fmt::format("[{}, {}], ", 1e-3 * i, tau2);
        }
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            Simulation fed = model(arm(first + "]}", second + "]}") + steps(integrator, 1e-3, 0.5));
            run_to_end(fed);
            const auto [s, e] = motions(0.5);
            CHECK(column(fed, "shoulder.angle") == Near(s.q, tolerance(2e-5)));
            CHECK(column(fed, "elbow.angle") == Near(e.q, tolerance(5e-5)));
            if (integrator == std::string("emm")) {
                check_balances(fed);
                const double work =
                    column(fed, "shoulder.motor.work") + column(fed, "elbow.motor.work");
                CHECK(work == Near(column(fed, "work.nonideal"), tolerance(1e-12)));
            }
        }
    }

    TEST_CASE("gears reflect inertia by the square of their ratio") {
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            Simulation simulation = model(
                model_text(false) + body("small", "ancf_rigid_body", "") +
                body("large", "ancf_rigid_body", "position = [0.3, 0, 0]", 4.0, "[1, 1, 2]") +
                constraint("p",
                           "revolute",
                           "a = \"ground\"\nb = \"small\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
                           "motor = \"0.5 N*m\"") +
                constraint("q",
                           "revolute",
                           "a = \"ground\"\nb = \"large\"\npoint = [0.3, 0, 0]\naxis = [0, 0, 1]") +
                constraint("mesh", "gear", "on = [\"p.angle\", \"q.angle\"]\nteeth = [20, 60]") +
                steps(integrator, 1e-3, 3.0));
            run_to_end(simulation);
            const double J = 0.04 + 2.0 / 9.0;
            const bool is_emm = integrator == std::string("emm");
            CHECK(column(simulation, "p.angle") ==
                  Near(0.5 * 0.5 / J * 9.0, tolerance(is_emm ? 1e-5 : 1e-10)));
            CHECK(column(simulation, "q.angle") ==
                  Near(-column(simulation, "p.angle") / 3.0, tolerance(1e-12)));
            if (integrator == std::string("emm")) check_balances(simulation);
        }
    }

    TEST_CASE("a wheel stops in its bearing at the closed time, and stays") {
        // N = m g: the torque mu N r is constant
        const double mu = 0.2, radius = 0.05, J = 0.04, rate = 3.0;
        const double torque = mu * 1.0 * 9.81 * radius;
        const double stop = J * rate / torque;
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            Simulation simulation =
                model(model_text() + body("wheel", "ancf_rigid_body", "") +
                      constraint("axle",
                                 "revolute",
                                 fmt::format("a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n"
                                             "axis = [0, 0, 1]\nstart = {{angle_rate = {}}}\n"
                                             "friction = {{mu = {}, radius = {}}}",
                                             rate,
                                             mu,
                                             radius)) +
                      steps(integrator, 1e-3, 1.5 * stop));
            run_to_end(simulation);
            CHECK(column(simulation, "axle.angle") == Near(0.5 * rate * stop, tolerance(1e-8)));
            CHECK(std::abs(column(simulation, "axle.angle_rate")) <= tolerance(1e-12));
            REQUIRE(simulation.events().size() == 1);
            CHECK(simulation.events()[0].t == Near(stop, tolerance(1e-6)));
        }
    }

    // May fail: to stick is a row that others contain there, and rounding decides on its force.
    TEST_CASE("friction in joints that cannot move leaves a locked mechanism alone, and says so") {
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            std::vector<std::string> warnings;
            Simulation simulation(
                Manifest::parse(
                    model_text() +
                        body("b",
                             "ancf_rigid_body",
                             "position = [0.662, 0.643, -0.607]\norientation = {axis = "
                             "[-0.51, -0.032, 0.505], angle = -1.8250161651913963}",
                             0.01) +
                        "[[joint]]\nname = \"j0\"\ntype = \"fixed\"\na = \"ground\"\nb = \"b\"\n"
                        "point = [-0.533, -0.032, 0.4]\n"
                        "[[joint]]\nname = \"j1\"\ntype = \"revolute\"\na = \"ground\"\nb = "
                        "\"b\"\npoint = [-0.772, -0.481, 0.885]\naxis = [0.879, 0.155, 0.018]\n"
                        "friction = {mu = 1.5, radius = 0.1}\n"
                        "[[joint]]\nname = \"j2\"\ntype = \"screw\"\na = \"ground\"\nb = \"b\"\n"
                        "point = [0.67, 0.542, 0.911]\naxis = [-0.256, -0.184, 0.874]\npitch = "
                        "0.1\n"
                        "friction = {mu = 0.2, radius = 0.05}\n"
                        "[[joint]]\nname = \"j3\"\ntype = \"cylindrical\"\na = \"ground\"\nb = "
                        "\"b\"\npoint = [0.585, -0.533, -0.51]\naxis = [0.402, -0.971, 0.909]\n" +
                        fmt::format("[integrator]\ntype = \"{}\"\nstep = 2e-3\nend = 0.02\n",
                                    integrator),
                    "model.toml"),
                registry(),
                [&](const std::string& warning) {
                    warnings.push_back(warning);
                });
            const Vec3 start = vec3(simulation.pose("b").position);
            run_to_end(simulation);
            CHECK((vec3(simulation.pose("b").position) - start).norm() <= tolerance(1e-15));
            CHECK(simulation.statistics().substeps == simulation.statistics().steps);
            for (const char* force : {"j1.friction", "j2.friction"})
                CHECK(std::ranges::count(warnings,
                                         fmt::format("force \"{}\": what it acts on cannot slide, "
                                                     "since constraints hold it; its force is not "
                                                     "determined and is left out",
                                                     force)) == 1);
        }
    }

    TEST_CASE("a slider on a slope slides with what friction leaves, or sticks") {
        constexpr double kSlope = 0.5;
        for (const char* integrator : {"emm", "rk4"})
            for (const double mu : {0.2, 0.6}) {  // tan 0.5 = 0.546
                CAPTURE(integrator);
                CAPTURE(mu);
                Simulation simulation = model(
                    model_text() + body("block", "ancf_rigid_body", "") +
                    constraint("rail",
                               "prismatic",
                               fmt::format("a = \"ground\"\nb = \"block\"\npoint = [0, 0, 0]\n"
                                           "axis = [{}, 0, {}]\nfriction = {}",
                                           std::cos(kSlope),
                                           -std::sin(kSlope),
                                           mu)) +
                    steps(integrator, 1e-3, 1.0));
                run_to_end(simulation);
                const double acceleration =
                    mu > std::tan(kSlope) ? 0.0 : 9.81 * (std::sin(kSlope) - mu * std::cos(kSlope));
                CHECK(column(simulation, "rail.displacement") ==
                      Near(0.5 * acceleration, tolerance(1e-9)));
            }
    }

    TEST_CASE("a screw locks itself where friction bears the pitch, and descends where not") {
        // The weight W presses on the radius r: it turns by W lead, friction holds mu W r
        constexpr double kRadius = 0.02, kMu = 0.1;
        const double limit = 2.0 * kPi * kMu * kRadius;  // pitch at which it lets go
        for (const char* integrator : {"emm", "rk4"})
            for (const double pitch : {0.98 * limit, 1.1 * limit}) {
                CAPTURE(integrator);
                CAPTURE(pitch);
                Simulation simulation =
                    model(model_text() + body("nut", "ancf_rigid_body", "") +
                          constraint("thread",
                                     "screw",
                                     fmt::format("a = \"ground\"\nb = \"nut\"\npoint = [0, 0, 0]\n"
                                                 "axis = [0, 0, 1]\npitch = {}\n"
                                                 "friction = {{mu = {}, radius = {}}}",
                                                 pitch,
                                                 kMu,
                                                 kRadius)) +
                          steps(integrator, 1e-3, 0.5));
                run_to_end(simulation);
                const double angle = column(simulation, "thread.angle");
                if (pitch < limit)
                    CHECK(std::abs(angle) <= tolerance(1e-12));
                else
                    CHECK(angle < -1e-3);
            }
    }

    TEST_CASE("a formula may read as many coordinates as it has room for") {
        // Points of a body at rest beside the wheel: their x add up to a constant torque
        std::string effort = "0.01*axle.angle_rate";
        double sum = 0.0;
        for (int i = 0; i < 60; ++i) {
            effort += fmt::format(" + rest@[{}, 0, 0].x", 0.01 * i);
            sum += 0.01 * i;
        }
        const auto text = [&](const std::string& motor) {
            return model_text(false) + body("wheel", "ancf_rigid_body", "", 1.0, "[2, 2, 4]") +
                   body("rest", "ancf_rigid_body", "") +
                   constraint("axle",
                              "revolute",
                              "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
                              "motor = \"" +
                                  motor + "\"") +
                   steps("emm", 1e-3, 0.3);
        };
        Simulation many = model(text(effort));
        Simulation few = model(text(fmt::format("0.01*axle.angle_rate + {}", sum)));
        run_to_end(many);
        run_to_end(few);
        CHECK(column(many, "axle.angle") == Near(column(few, "axle.angle"), tolerance(1e-12)));
        CHECK(column(many, "axle.angle") > 0.1);
    }

    TEST_CASE("parameters that say nothing of a law are refused") {
        const auto refused = [](const std::string& type, const std::string& law) -> std::string {
            try {
                model(
                    model_text() + body("x", "ancf_rigid_body", "") +
                    constraint(
                        "j",
                        type,
                        "a = \"ground\"\nb = \"x\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n" + law) +
                    steps("emm", 1e-3, 0.1));
            } catch (const Error& error) {
                CHECK(error.kind() == ErrorKind::manifest);
                return error.message();
            }
            return "";
        };
        CHECK(
            refused("prismatic", "friction = {mu = 0.1, radius = 0.1}") ==
            "force \"j.friction\": radius: is for joints that turn; what slides has friction mu N");
        CHECK(
            refused("revolute", "friction = 0.1") ==
            "force \"j.friction\": radius: is missing: on an angle, friction acts on the radius of "
            "the bearing");
        CHECK(refused("revolute", "drive = {motion = \"0*t\", interpolation = \"rest\"}") ==
              "force \"j.drive\": interpolation: is about a table, and motion is none");
        CHECK(refused("revolute", "drive = {motion = [[0, 0], [0.05, 0.1]], outside = \"hold\"}")
                  .starts_with("force \"j.drive\": outside: \"hold\" would stop a motion"));
    }

    TEST_CASE("a servo holds and follows, within its limit") {
        Simulation simulation = model(
            model_text() + body("rod", "ancf_rigid_body", "position = [0.5, 0, 0]") +
            constraint("hinge",
                       "revolute",
                       "a = \"ground\"\nb = \"rod\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n"
                       "servo = {target = 0.4, kp = 200.0, kd = 20.0, ki = 300.0, limit = 50.0}") +
            steps("emm", 1e-3, 6.0));
        double most = 0.0;
        while (!simulation.done()) {
            simulation.step();
            most = std::max(most, std::abs(column(simulation, "hinge.servo.effort")));
        }
        CHECK(most <= 50.0 * (1.0 + 1e-12));
        CHECK(most > 30.0);
        // The integral takes the weight
        CHECK(column(simulation, "hinge.angle") == Near(0.4, tolerance(1e-4)));
        CHECK(column(simulation, "hinge.servo.effort") ==
              Near(-9.81 * 0.5 * std::cos(0.4), tolerance(1e-2)));
        check_balances(simulation);
    }
}

}  // namespace
}  // namespace ancora::testing
