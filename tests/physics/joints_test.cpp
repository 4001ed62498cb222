// SPDX-License-Identifier: BSD-3-Clause
// Joints: motions against a second formulation and closed solutions, laws of conservation, what
// bearings bear.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
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

}  // namespace
}  // namespace ancora::testing
