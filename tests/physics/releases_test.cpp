// SPDX-License-Identifier: BSD-3-Clause
// Constraints that open for good: against closed forms, one at a time, in order, many at once and
// redundant; against another integrator over a generated family; and messages.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"

using namespace ancora;
using ancora::testing::failure_of;
using ancora::testing::Run;

namespace {

std::string head(const char* gravity = "[0, 0, -9.81]") {
    return fmt::format(
        "[model]\ngravity = {}\nplugins = [\"particle\", \"ancf_rigid_body\", \"joints\", "
        "\"position_constraint\", \"emm\", \"explicit_integrators\"]\n",
        gravity);
}
std::string mass(const char* name, const char* position, const char* velocity = "[0, 0, 0]") {
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = 2.0\nposition = {}\nvelocity = "
        "{}\n",
        name,
        position,
        velocity);
}
std::string tie(const char* name, const char* type, const std::string& more) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"{}\"\n{}\n", name, type, more);
}
std::string integrator(const char* type, double step, double end) {
    return fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
}
const std::string kOnRod = "a = \"m@[0,0,0]\"\nb = \"ground@[0,0,0]\"\n";

double energy_error(const Run& run) {
    return run.simulation.statistics().energy.max_rel;
}

}  // namespace

TEST_SUITE("releases") {
    // A mass on a circle of radius 1 at 2 rad/s, let go at t0: from there it goes straight on at
    // 2 m/s, to the distance sqrt(1 + 4 (t - t0)^2).
    TEST_CASE("a mass let go leaves along the tangent, at the time to the last bit") {
        for (const char* const type : {"emm", "rk4", "dopri5"})
            for (const double t0 : {0.3, 0.4321, 0.5}) {
                Run run(head("[0, 0, 0]") + mass("m", "[1, 0, 0]", "[0, 2, 0]") +
                        tie("rod", "distance", kOnRod + fmt::format("release = {}", t0)) +
                        integrator(type, 0.01, 1.0));
                run.to_end();
                const double r = std::hypot(run.column("m.x"), run.column("m.y"));
                CHECK(std::abs(r - std::sqrt(1.0 + 4.0 * (1.0 - t0) * (1.0 - t0))) <=
                      (std::string(type) == "emm" ? 3e-4 : 1e-8));
                CHECK(std::abs(std::hypot(run.column("m.vx"), run.column("m.vy")) - 2.0) <= 1e-8);
                REQUIRE(run.simulation.breaks().size() == 1);
                CHECK(run.simulation.breaks()[0].object == "rod");
                CHECK(std::abs(run.simulation.breaks()[0].t - t0) <= 1e-15);
                CHECK(run.column("rod.released") == 1.0);
            }
    }

    // Energy gives the speed at the height where it is let go; emm keeps it exactly, and goes on
    // exactly in free fall: the total energy is that of the start, the horizontal speed constant.
    TEST_CASE("a condition is met where the event lies") {
        for (const char* const type : {"emm", "rk4", "dopri5"})
            for (const char* const when : {"m.z < -0.7", "-0.7 > m.z", "m.z < -0.7 and t > 0.1"}) {
                Run run(head() + mass("m", "[1, 0, 0]") +
                        tie("rod",
                            "distance",
                            kOnRod + fmt::format("release = {{ when = \"{}\" }}", when)) +
                        integrator(type, 0.01, 0.6));
                while (run.column("rod.released") == 0.0) run.steps(1);
                // back in free fall from the end of the step to the event
                const double dt = run.simulation.time() - run.simulation.breaks()[0].t;
                const double v = run.column("m.vz") + 9.81 * dt;
                const double z = run.column("m.z") - v * dt + 0.5 * 9.81 * dt * dt;
                CHECK(std::abs(z + 0.7) <= 1e-9);
                run.to_end();
                CHECK(run.simulation.breaks().size() == 1);
            }
    }

    // From rest, on three equal rods: it hangs until the last is gone, and falls.
    TEST_CASE("redundant ties bear until the last has opened") {
        for (const char* const type : {"emm", "rk4", "dopri5"}) {
            std::string text = head() + mass("m", "[0, 0, -1]");
            for (const char* const name : {"a", "b", "c"})
                text +=
                    tie(name,
                        "distance",
                        kOnRod + (name[0] == 'a'   ? "release = 0.1"
                                  : name[0] == 'b' ? "release = { after = \"a\" }"
                                                   : "release = { after = \"b\", delay = 0.133 }"));
            Run run(text + integrator(type, 0.01, 0.5));
            while (run.simulation.time() < 0.225) run.steps(1);
            CHECK(std::abs(run.column("m.z") + 1.0) <= 1e-15);
            run.to_end();
            const double fall = 0.5 * 9.81 * (0.5 - 0.233) * (0.5 - 0.233);
            CHECK(std::abs(run.column("m.z") + 1.0 + fall) <= 1e-12);
            REQUIRE(run.simulation.breaks().size() == 3);
            for (const BreakEvent& event : run.simulation.breaks())
                CHECK(std::abs(event.t - (event.object == "c" ? 0.233 : 0.1)) <= 1e-14);
        }
    }

    TEST_CASE("the energy of a spring that is let go is lost, and recorded") {
        for (const char* const type : {"emm", "rk4"}) {
            Run run(head("[0, 0, 0]") + mass("m", "[1.5, 0, 0]") +
                    tie("spring",
                        "spring_damper",
                        kOnRod + "stiffness = 80.0\nfree = 1.0\nrelease = 0.1") +
                    integrator(type, 0.001, 0.3));
            run.to_end();
            REQUIRE(run.simulation.breaks().size() == 1);
            const double w = std::sqrt(80.0 / 2.0), x = 0.5 * std::cos(0.1 * w);
            CHECK(std::abs(run.simulation.breaks()[0].energy - 0.5 * 80.0 * x * x) <= 2e-4);
            CHECK(std::abs(run.column("work.nonideal") + run.simulation.breaks()[0].energy) <=
                  1e-12);
            CHECK(energy_error(run) <= 1e-10);
        }
    }

    TEST_CASE("a joint goes with the laws inside it, a drive leaves its velocities") {
        // A rod on a driven hinge, let go while it turns at 3 rad/s: it goes on turning, its
        // centre moves on straight at 1.5 m/s.
        const std::string rod =
            "\n[[body]]\nname = \"m\"\ntype = \"ancf_rigid_body\"\npenalty = inf\nmass = 1.0\n"
            "inertia = [0.01, 0.1, 0.1]\nposition = [0.5, 0, 0]\n";
        Run run(head("[0, 0, 0]") + rod +
                "\n[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"ground\"\nb = \"m\"\n"
                "point = [0, 0, 0]\naxis = [0, 0, 1]\nstart = { angle_rate = 3.0 }\n"
                "drive = \"3*t\"\nspring = { stiffness = 5.0 }\nrelease = 0.25\n" +
                integrator("emm", 0.005, 1.0));
        run.to_end();
        CHECK(std::abs(run.column("m.wz") - 3.0) <= 1e-12);
        CHECK(std::abs(std::hypot(run.column("m.vx"), run.column("m.vy")) - 1.5) <= 1e-4);
        CHECK(std::abs(run.simulation.breaks()[0].energy - 0.5 * 5.0 * 0.75 * 0.75) <= 1e-12);
        CHECK(energy_error(run) <= 1e-13);
    }

    // A block that a tie holds on an incline slides with g (sin - mu cos) from the instant at which
    // it is let go; a ball that two ties hold falls and bounces.
    TEST_CASE("what rubs and what meets goes on as another system") {
        const double fall = 9.81 * (0.5 - 0.3 * std::sqrt(0.75));
        for (const char* const type : {"emm", "rk4", "dopri5"}) {
            std::string text = head();
            text.replace(
                text.find("\"emm\""), 5, "\"point_contact\", \"coulomb_friction\", \"emm\"");
            Run run(text + mass("m", "[0, 0, 0]") +
                    tie("ramp",
                        "point_on_plane",
                        "point = \"m@[0,0,0]\"\nnormal = [-0.5, 0.0, 0.8660254037844386]\n"
                        "release = { after = \"hook\", delay = 0.3 }") +
                    "\n[[force]]\nname = \"rub\"\ntype = \"coulomb_friction\"\non = \"ramp\"\n"
                    "mu_kinetic = 0.3\n" +
                    tie("hook",
                        "position",
                        "a = \"m@[0,0,0]\"\nb = \"ground@[0,0,0]\"\nrelease = 0.1") +
                    integrator(type, 0.002, 0.5));
            while (run.simulation.time() < 0.3) run.steps(1);
            const double t = run.simulation.time() - 0.1;
            CHECK(std::abs(run.column("m.z") + 0.25 * fall * t * t) <= 1e-12);
            const std::vector<std::byte> saved = run.simulation.save();
            run.to_end();
            const double s = 0.5 * fall * 0.09 + fall * 0.3 * 0.1;
            CHECK(std::abs(run.column("m.z") + 0.5 * s + 0.5 * 9.81 * 0.01) <= 1e-12);
            const double z = run.column("m.z");
            run.simulation.restore(saved);
            run.to_end();
            CHECK(run.column("m.z") == z);
        }
        for (const char* const type : {"emm", "rk4"}) {
            std::string text = head();
            text.replace(text.find("\"emm\""), 5, "\"contact\", \"emm\"");
            const std::string hook = "a = \"m@[0,0,0]\"\nb = \"ground@[0,0,1]\"\nrelease = 0.3";
            Run run(text + mass("m", "[0, 0, 1]") +
                    tie("floor",
                        "contact",
                        "a = \"m\"\nb = \"ground\"\nradius = 0.0\nplane = { normal = [0, 0, 1] }\n"
                        "restitution = 0.5") +
                    tie("one", "position", hook) + tie("two", "position", hook) +
                    integrator(type, 0.002, 1.0));
            run.to_end();
            const double meets = std::sqrt(2.0 / 9.81), since = 1.0 - 0.3 - meets;
            const double rise = 0.5 * 9.81 * meets * since - 0.5 * 9.81 * since * since;
            CHECK(std::abs(run.column("m.z") - rise) <= 1e-12);
        }
    }

    // Chains and nets of masses with rods, springs, dampers and fixed points, some of them double,
    // that open at times, on conditions and after each other: what is kept is kept to round-off,
    // and dopri5, which knows nothing of discrete steps, comes to the same place.
    TEST_CASE("random ties that open keep the balances, and agree with another method") {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        int opened = 0;
        for (int k = 0; k < 16; ++k) {
            std::string text = head(), before;
            const int count = 2 + k % 3;
            const double together = 0.05 + 0.2 * uniform(random);
            int ties = 0;
            for (int i = 0; i < count; ++i)
                text +=
                    mass(fmt::format("m{}", i).c_str(),
                         fmt::format("[{}, {}, {}]", i, uniform(random), uniform(random)).c_str());
            for (int i = 0; i < count; ++i) {
                const int doubles = 1 + static_cast<int>(3.0 * uniform(random));
                const double kind = uniform(random);
                for (int j = 0; j < doubles; ++j) {
                    const std::string ends = fmt::format(
                        "a = \"m{}@[0,0,0]\"\nb = \"{}\"\n",
                        i,
                        i == 0 ? "ground@[-1, 0, 0.5]" : fmt::format("m{}@[0,0,0]", i - 1));
                    const double way = uniform(random);
                    const std::string name = fmt::format("c{}", ties++);
                    const std::string when =
                        way < 0.4   ? fmt::format("release = {}\n", together)
                        : way < 0.6 ? fmt::format("release = {{ when = \"m{}.vz < -0.8\" }}\n", i)
                        : way < 0.8 && !before.empty()
                            ? fmt::format("release = {{ after = \"{}\", delay = 0.03 }}\n", before)
                            : "";
                    if (!when.empty()) before = name;
                    text += kind < 0.6 ? tie(name.c_str(), "distance", ends + when)
                                       : tie(name.c_str(),
                                             "spring_damper",
                                             ends + "stiffness = 300.0\ndamping = 1.5\n" + when);
                }
            }
            Run run(text + integrator("emm", 0.002, 0.5));
            run.to_end();
            CHECK(energy_error(run) <= 2e-14);
            Run other(text + integrator("dopri5", 0.002, 0.5));
            other.to_end();
            CHECK(run.simulation.breaks().size() == other.simulation.breaks().size());
            opened += static_cast<int>(run.simulation.breaks().size());
            for (int i = 0; i < count; ++i)
                for (const char* const axis : {"x", "y", "z"}) {
                    const std::string column = fmt::format("m{}.{}", i, axis);
                    CHECK(std::abs(run.column(column) - other.column(column)) <= 2e-3);
                }
        }
        CHECK(opened > 20);
    }

    TEST_CASE("a restored run repeats every bit, before and behind an opening") {
        const std::string text =
            head() + mass("m", "[1, 0, 0]") +
            tie("a", "distance", kOnRod + "release = { when = \"m.z < -0.5\", delay = 0.05 }") +
            tie("b", "distance", kOnRod + "release = 0.2") + integrator("emm", 0.01, 0.6);
        for (const int at : {5, 25, 40, 50}) {
            Run run(text);
            run.steps(at);
            const std::vector<std::byte> saved = run.simulation.save();
            run.to_end();
            const double z = run.column("m.z"), x = run.column("m.x");
            Run other(text);
            other.simulation.restore(saved);
            other.to_end();
            CHECK(other.column("m.z") == z);
            run.simulation.restore(saved);  // back over the opening
            run.to_end();
            CHECK(run.column("m.z") == z);
            CHECK(run.column("m.x") == x);
        }
    }

    // An ideal rod has no inertia about its axis: the hinge determines that spin, and behind it a
    // gauge row. A node without mass that nothing determines any more has no motion.
    TEST_CASE("what has no inertia goes on, or is refused") {
        const auto rod = [](const char* type) {
            return head("[0, -9.81, 0]") +
                   "\n[[body]]\nname = \"m\"\ntype = \"ancf_rigid_body\"\npenalty = inf\nmass = "
                   "1.0\n"
                   "inertia = [0, 0.1, 0.1]\nposition = [0.5, 0, 0]\n" +
                   tie("hinge",
                       "revolute",
                       "a = \"ground\"\nb = \"m\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
                       "release = 0.25") +
                   integrator(type, 0.002, 0.6);
        };
        Run run(rod("emm")), other(rod("rk4"));
        run.to_end();
        other.to_end();
        for (const char* const column : {"m.x", "m.y", "m.wz"})
            CHECK(std::abs(run.column(column) - other.column(column)) <= 2e-5);
        CHECK(energy_error(run) <= 1e-14);

        std::string text = head();
        text.replace(text.find("\"emm\""), 5, "\"truss\", \"emm\"");
        for (const char* const type : {"emm", "rk4"}) {
            const auto failure = failure_of(
                text +
                "\n[[body]]\nname = \"r\"\ntype = \"truss\"\nnodes = [[0, 0, 0], [1, 0, 0]]\n"
                "elements = [[0, 1]]\nyoung = inf\ndensity = 0\nnode_masses = [[1, 1.0]]\n" +
                tie("hook", "position", "a = \"r@0\"\nb = \"ground@[0, 0, 0]\"\nrelease = 0.1") +
                integrator(type, 0.01, 0.3));
            CHECK(failure.message.find("has no mass") != std::string::npos);
        }
    }

    TEST_CASE("a program opens by the input of the condition") {
        Run run(head() + mass("m", "[0, 0, -1]") +
                tie("rod", "distance", kOnRod + "release = { when = \"m.z < -5\" }") +
                integrator("emm", 0.01, 0.5));
        run.steps(20);
        CHECK(run.column("m.z") == -1.0);
        run.simulation.set_input("rod.when", 1.0);
        run.to_end();
        CHECK(std::abs(run.column("m.z") + 1.0 + 0.5 * 9.81 * 0.09) <= 1e-12);
        CHECK(std::abs(run.simulation.breaks().at(0).t - 0.2) <= 1e-14);
    }

    TEST_CASE("mistakes are named") {
        const auto says = [](const std::string& release, const char* part) {
            const auto failure =
                failure_of(head() + mass("m", "[1, 0, 0]") +
                           tie("rod", "distance", kOnRod + release) + integrator("emm", 0.01, 0.1));
            CAPTURE(failure.message);
            CHECK(failure.happened);
            CHECK(failure.message.find(part) != std::string::npos);
        };
        says("release = {}", "release: at: expected one of the keys");
        says("release = { when = \"m.z\" }", "expected a condition, such as");
        says("release = { at = 1.0, delay = 1.0 }", "there is neither");
        says("release = { after = \"x\" }", "there is no constraint \"x\" with a release");
        says("release = { after = \"rod\" }", "in a circle");
        says("release = { when = \"t > 1\", after = \"rod\" }", "keep one of them");
        says("release = { wen = \"t > 1\" }", "did you mean");
        says("release = { when = \"n.z > 1\" }", "n");
        says("release = \"soon\"", "soon");
        const auto stop = failure_of(head() + mass("m", "[1, 0, 0]") +
                                     tie("rope", "stop", kOnRod + "upper = 2.0\nrelease = 0.1") +
                                     integrator("emm", 0.01, 0.1));
        CHECK(stop.message.find("opens and closes by itself") != std::string::npos);
    }
}
