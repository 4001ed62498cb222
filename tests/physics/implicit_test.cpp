// SPDX-License-Identifier: BSD-3-Clause
// The generalized-alpha method on whole models: order against closed solutions and dopri5, damping,
// what the ledger says of it, rows of every kind, saved runs, and what it refuses.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "linkages.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

std::string with_rho(const std::string& integrator, double rho) {
    return integrator +
           fmt::format("[integrator.generalized_alpha]\nspectral_radius = {:.17g}\n", rho);
}
std::string alpha(double step, double end, double rho = 0.8) {
    return with_rho(integrator("generalized_alpha", step, end), rho);
}

PluginRegistry& with_zoo() {
    static PluginRegistry plugins;
    static const bool once =
        (plugins.add_folder(ANCORA_TEST_PLUGIN_DIR), plugins.add_folder(ANCORA_TEST_ZOO_DIR), true);
    static_cast<void>(once);
    return plugins;
}

/// Where a run ends: coordinates, velocities and the reaction of a constraint.
struct End {
    Eigen::VectorXd q, v, reaction;
    double gap = 0.0, rate = 0.0;
    RunStatistics statistics;
};

End end_of(Simulation simulation, const std::string& constraint = "") {
    run_to_end(simulation);
    const auto vector = [](std::span<const double> x) {
        return Eigen::VectorXd(
            Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    End end;
    end.q = vector(simulation.q());
    end.v = vector(simulation.v());
    if (!constraint.empty()) end.reaction = vector(simulation.reaction(constraint));
    end.gap = column(simulation, "constraint.position");
    end.rate = column(simulation, "constraint.velocity");
    end.statistics = simulation.statistics();
    return end;
}

/// Observed orders in q, v and the reaction, between two steps, against dopri5.
void check_order(const std::string& text,
                 double step,
                 double end,
                 const std::string& constraint,
                 double rho = 0.8) {
    const End exact = end_of(model(text + integrator("dopri5", 1e-3, end, 1e-12)), constraint);
    const End coarse = end_of(model(text + alpha(step, end, rho)), constraint);
    const End fine = end_of(model(text + alpha(0.5 * step, end, rho)), constraint);
    const auto order = [](const Eigen::VectorXd& of_exact,
                          const Eigen::VectorXd& of_coarse,
                          const Eigen::VectorXd& of_fine) {
        return std::log2((of_coarse - of_exact).norm() / (of_fine - of_exact).norm());
    };
    CHECK((coarse.q - exact.q).norm() < 0.1 * exact.q.norm());
    CHECK((fine.q - exact.q).norm() > 1e-9 * exact.q.norm());
    CHECK(order(exact.q, coarse.q, fine.q) == near(2.0, 0.2));
    CHECK(order(exact.v, coarse.v, fine.v) == near(2.0, 0.2));
    CHECK(order(exact.reaction, coarse.reaction, fine.reaction) == near(2.0, 0.25));
    // Positions and velocities obey the constraints, without any projection.
    CHECK(fine.gap <= tolerance(1e-12));
    CHECK(fine.rate <= tolerance(1e-11));
}

std::string body_text(const std::string& name,
                      const std::string& type,
                      const Vec3& at,
                      const Vec3& w) {
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"{}\"\nmass = 1.3\ninertia = [0.05, 0.1, 0.12]\n"
        "position = {}\nangular_velocity = {}\n",
        name,
        type,
        triple(at),
        triple(w));
}

/// Two bodies on ball joints, in space.
std::string double_pendulum(const std::string& type) {
    return with_gravity(-Vec3::UnitZ()) + body_text("one", type, {0.5, 0.0, 0.0}, {0.4, 0.0, 0.0}) +
           body_text("two", type, {1.5, 0.0, 0.0}, {-0.3, 0.0, 0.0}) +
           "\n[[constraint]]\nname = \"top\"\ntype = \"position\"\na = \"one@[-0.5, 0, 0]\"\n"
           "b = \"ground@[0, 0, 0]\"\n"
           "\n[[constraint]]\nname = \"elbow\"\ntype = \"position\"\na = \"two@[-0.5, 0, 0]\"\n"
           "b = \"one@[0.5, 0, 0]\"\n";
}

/// Masses on a line between walls, with springs from 40 N/m to 4e8 N/m: linear and stiff.
std::string stiff_line() {
    std::string text = "[model]\n";
    for (int i = 0; i < 4; ++i)
        text += fmt::format(
            "[[body]]\nname = \"m{}\"\ntype = \"particle\"\nmass = {}\nposition = [{}, 0, 0]\n"
            "velocity = [{}, 0, 0]\ncoordinates = \"x\"\n",
            i,
            1.0 + 0.3 * i,
            i + 1,
            0.2 * (i - 1));
    const double stiffness[] = {40.0, 4e8, 3e3, 2e5};
    for (int i = 0; i < 4; ++i)
        text += fmt::format(
            "[[force]]\nname = \"s{}\"\ntype = \"spring\"\na = \"{}\"\nb = \"m{}@0\"\n"
            "stiffness = {}\n",
            i,
            i == 0 ? std::string("ground@[0, 0, 0]") : fmt::format("m{}@0", i - 1),
            i,
            stiffness[i]);
    return text;
}

std::string message_of(const std::string& text, ErrorKind kind) {
    try {
        Simulation simulation = model(text);
        run_to_end(simulation);
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        return error.message();
    }
    return "nothing thrown";
}

TEST_SUITE("generalized_alpha") {
    TEST_CASE("two bodies on ball joints: order 2 in q, v and reactions") {
        SUBCASE("twelve coordinates") {
            check_order(double_pendulum("ancf_rigid_body"), 0.01, 1.0, "elbow");
        }
        SUBCASE("without numerical damping") {
            check_order(double_pendulum("ancf_rigid_body"), 0.01, 1.0, "elbow", 1.0);
        }
    }

    // Mass and attachments depend on the state, which emm refuses.
    TEST_CASE("two bodies with quaternions on ball joints: the motion of others, to order 2") {
        const auto run = [](const std::string& text) {
            Simulation simulation = model(text);
            run_to_end(simulation);
            Eigen::VectorXd out(15);
            const auto pose_one = simulation.pose("one"), pose_two = simulation.pose("two");
            out << vec3(pose_one.position), vec3(pose_two.position), vec3(pose_one.velocity),
                vec3(pose_two.velocity),
                Eigen::Map<const Eigen::Vector3d>(simulation.reaction("elbow").data());
            return out;
        };
        const Eigen::VectorXd exact =
            run(double_pendulum("ancf_rigid_body") + integrator("dopri5", 1e-3, 1.0, 1e-12));
        const Eigen::VectorXd coarse = run(double_pendulum("quaternion_body") + alpha(0.01, 1.0));
        const Eigen::VectorXd fine = run(double_pendulum("quaternion_body") + alpha(0.005, 1.0));
        for (const int first : {0, 6, 12}) {
            const int count = first == 12 ? 3 : 6;
            const double error = (fine - exact).segment(first, count).norm();
            CHECK(error < 0.02 * exact.segment(first, count).norm());
            CHECK(std::log2((coarse - exact).segment(first, count).norm() / error) ==
                  near(2.0, 0.2));
        }
    }

    // Hinges of two ball joints each: 24 rows of which 17 are independent.
    TEST_CASE("a spatial four-bar with redundant rows: order 2, constraints are met") {
        std::mt19937 random(3);
        const std::string text = four_bar("ancf_rigid_body", random_attitude(random));
        const End exact = end_of(model(text + integrator("dopri5", 1e-3, 1.0, 1e-12)));
        const End coarse = end_of(model(text + alpha(0.01, 1.0)));
        const End fine = end_of(model(text + alpha(0.005, 1.0)));
        const double order = std::log2((coarse.q - exact.q).norm() / (fine.q - exact.q).norm());
        CHECK(order == near(2.0, 0.2));
        CHECK(fine.gap <= tolerance(1e-11));
        CHECK(fine.rate <= tolerance(1e-10));
    }

    TEST_CASE("a door on two ball joints swings like a pendulum") {
        std::mt19937 random(5);
        for (const char* type : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(type);
            const Door door{random_attitude(random)};
            const auto error = [&](double step) {
                Simulation simulation = model(door.text(type) + alpha(step, 2.0));
                run_to_end(simulation);
                return (vec3(simulation.pose("door").position) - door.centre_from_rest(2.0)).norm();
            };
            const double fine = error(0.005);
            CHECK(fine < 1e-3);
            CHECK(std::log2(error(0.01) / fine) == near(2.0, 0.2));
        }
    }

    TEST_CASE("a knife edge, a rolling condition: order 2 against dopri5") {
        const auto run = [](const std::string& type, double step, double tol) {
            return end_of(example("knife_edge_on_slope",
                                  {"integrator.type=" + type,
                                   setting("integrator.step", step),
                                   setting("integrator.tolerance", tol),
                                   "integrator.end=2.0"}));
        };
        const End exact = run("dopri5", 1e-3, 1e-12);
        const End coarse = run("generalized_alpha", 0.02, 1e-12);
        const End fine = run("generalized_alpha", 0.01, 1e-12);
        CHECK((coarse.q - exact.q).norm() < 0.1);
        const double order = std::log2((coarse.q - exact.q).norm() / (fine.q - exact.q).norm());
        CHECK(order == near(2.0, 0.2));
        CHECK(fine.rate <= tolerance(1e-11));
    }

    TEST_CASE("a shaken pivot: conditions with explicit time") {
        const auto run = [](const std::string& type, double step, double tol) {
            return end_of(example("driven_pendulum",
                                  {"integrator.type=" + type,
                                   setting("integrator.step", step),
                                   setting("integrator.tolerance", tol),
                                   "body.bar.velocity=[0.4, 0.0, 0.0]",
                                   "body.bar.angular_velocity=[0.0, 2.0, 0.0]",
                                   "integrator.end=0.2"}));
        };
        const End exact = run("dopri5", 1e-4, 1e-12);
        const End coarse = run("generalized_alpha", 4e-4, 1e-13);
        const End fine = run("generalized_alpha", 2e-4, 1e-13);
        const double order = std::log2((coarse.q - exact.q).norm() / (fine.q - exact.q).norm());
        CHECK(order == near(2.0, 0.25));
        CHECK(fine.gap <= tolerance(1e-12));
    }

    TEST_CASE("elastic parts, springs and drag: order 2 against dopri5") {
        const std::string text =
            with_gravity(-Vec3::UnitZ()) +
            "[[body]]\nname = \"rope\"\ntype = \"truss\"\nnodes = [[0, 0, 0], [0.5, 0, 0], "
            "[1, 0, 0.1]]\nelements = [[0, 1], [1, 2]]\nyoung = 3e2\narea = 1.0\ndensity = 0.5\n"
            "damping = 1e-3\n"
            "[[constraint]]\nname = \"hook\"\ntype = \"position\"\na = \"rope@0\"\n"
            "b = \"ground@[0, 0, 0]\"\n"
            "[[force]]\nname = \"air\"\ntype = \"drag\"\nat = \"rope@2\"\nlinear = 0.3\n"
            "quadratic = 0.2\n"
            "[[force]]\nname = \"spring\"\ntype = \"spring_damper\"\na = \"rope@1\"\n"
            "b = \"ground@[0.3, 0.2, -0.5]\"\nstiffness = 40.0\ndamping = 0.5\n";
        check_order(text, 1e-3, 0.3, "hook");
    }

    TEST_CASE("a chain of ten boxes: emm and generalized-alpha come together as h^2") {
        const auto run = [](const std::string& type, double step) {
            return end_of(example("hanging_chain",
                                  {"integrator.type=" + type,
                                   setting("integrator.step", step),
                                   "integrator.end=1.0"}));
        };
        const auto apart = [&](double step) {
            return (run("emm", step).q - run("generalized_alpha", step).q).norm();
        };
        const double coarse = apart(8e-3), fine = apart(4e-3);
        CHECK(fine < 0.05);
        CHECK(std::log2(coarse / fine) == near(2.0, 0.3));
    }

    // At Omega = h w >> 1 a step leaves rho_inf of the vibration, in units of its terms.
    TEST_CASE("a vibration that steps do not resolve falls by rho_inf in each") {
        for (const double rho : {0.3, 0.5, 0.8}) {
            CAPTURE(rho);
            constexpr double kStep = 0.01;
            const std::string text =
                "[model]\n[[body]]\nname = \"m\"\ntype = \"particle\"\nmass = 1.0\n"
                "position = [1.0, 0, 0]\nvelocity = [1.0, 0, 0]\ncoordinates = \"x\"\n"
                "[[force]]\nname = \"s\"\ntype = \"spring\"\na = \"ground@[0, 0, 0]\"\n"
                "b = \"m@0\"\nstiffness = 1e10\n";  // w = 1e5/s, Omega = 1000
            Simulation simulation = model(text + alpha(kStep, 1.0, rho));
            for (int i = 0; i < 8; ++i) simulation.step();
            // double and triple roots: growth by powers of the steps fades late
            std::vector<double> speed;
            for (int i = 0; i < 12; ++i) {
                simulation.step();
                speed.push_back(std::abs(simulation.v()[0]));
            }
            const double factor = std::pow(speed.back() / speed.front(), 1.0 / 11.0);
            CHECK(factor < rho + 0.15);
            CHECK(factor > rho - 0.15);
        }
    }

    // Energy itself swings with the slowest vibration, of 2.2 s, by the order of h^2: its largest
    // value within one falls from one to the next.
    TEST_CASE("a stiff linear system loses energy, and the balance says so") {
        for (const double rho : {0.0, 0.5, 0.8}) {
            CAPTURE(rho);
            Simulation simulation = model(stiff_line() + alpha(0.02, 13.2, rho));
            for (int i = 0; i < 110; ++i) simulation.step();
            const double first = column(simulation, "energy.total");
            double last = 2.0 * first;
            while (!simulation.done()) {
                double largest = 0.0;
                for (int i = 0; i < 110 && !simulation.done(); ++i) {
                    simulation.step();
                    largest = std::max(largest, column(simulation, "energy.total"));
                }
                CHECK(largest < last);
                last = largest;
                // Nothing works here but the method.
                CHECK(column(simulation, "work.nonideal") == 0.0);
                CHECK(column(simulation, "energy.balance") < 0.0);
            }
            CHECK(last < first);
            CHECK(last > 0.3 * first);  // the slow vibration is left
        }
    }

    TEST_CASE("momentum that loads bring is booked to rounding") {
        const std::string text =
            with_gravity(-Vec3::UnitZ()) +
            body_text("one", "ancf_rigid_body", {0.0, 0.0, 0.0}, {0.4, 3.0, 0.2}) +
            "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"one@[0.1, 0.2, 0]\"\n"
            "force = [\"3*sin(7*t)\", \"1\", \"2*cos(5*t)\"]\n";
        Simulation simulation = model(text + alpha(0.01, 1.0));
        run_to_end(simulation);
        CHECK(simulation.statistics().momentum.max_rel <= tolerance(1e-13));
        CHECK(simulation.statistics().energy.max_rel <= 1e-2);
        CHECK(simulation.statistics().energy.max_abs > 0.0);
    }

    TEST_CASE("a saved run goes on with the same bits") {
        std::mt19937 random(3);
        const std::string text = four_bar("ancf_rigid_body", random_attitude(random));
        Simulation whole = model(text + alpha(0.01, 0.6));
        Simulation first = model(text + alpha(0.01, 0.6));
        for (int i = 0; i < 23; ++i) {
            whole.step();
            first.step();
        }
        const std::vector<std::byte> saved = first.save();
        Simulation second = model(text + alpha(0.01, 0.6));
        second.restore(saved);
        run_to_end(whole);
        run_to_end(second);
        const auto same = [](std::span<const double> a, std::span<const double> b) {
            return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
        };
        CHECK(same(whole.q(), second.q()));
        CHECK(same(whole.v(), second.v()));
        CHECK(column(whole, "energy.balance") == column(second, "energy.balance"));
        CHECK(whole.statistics().factorisations == second.statistics().factorisations);
    }

    // A winch hauls a viscous rope in, a drive turns the arm that it hangs from; the same where the
    // tables go on behind the end of the run, with what they end with.
    TEST_CASE("tables may end where the run does, whatever the step") {
        const auto text = [](double end, bool goes_on, bool has_drive) {
            const auto table = [&](double from, double to) {
                return fmt::format("[[0, {}], [{:.17g}, {}]{}]",
                                   from,
                                   end,
                                   to,
                                   goes_on ? fmt::format(", [{:.17g}, {}]", 2.0 * end, to) : "");
            };
            return with_gravity(-Vec3::UnitZ()) +
                   body_text("arm", "ancf_rigid_body", {0.5, 0.0, 0.0}, {0.0, 0.0, 0.0}) +
                   "[[joint]]\nname = \"pivot\"\ntype = \"revolute\"\na = \"ground\"\nb = \"arm\"\n"
                   "point = [0, 0, 0]\naxis = [0, 1, 0]\n" +
                   (has_drive ? "drive = {motion = " + table(0.0, 0.3) +
                                    ", interpolation = \"monotone\"}\n"
                              : "damping = 3.0\n") +
                   "[[body]]\nname = \"rope\"\ntype = \"truss\"\nfrom = [1, 0, 0]\n"
                   "to = [1, 0, -1]\nelements = 2\nyoung = 1e6\narea = 1e-4\ndensity = 7800\n"
                   "damping = 1e3\ninterpolation = \"monotone\"\nrest_length = " +
                   table(1.0, 0.9) +
                   "\n[[constraint]]\nname = \"hook\"\ntype = \"position\"\n"
                   "a = \"arm@[0.5, 0, 0]\"\nb = \"rope@from\"\n";
        };
        for (const bool has_drive : {false, true})
            for (const double end : {3e-6, 0.05, 0.7})
                for (const double parts : {1.0, 3.0, 7.5, 20.0, 123.4}) {
                    CAPTURE(has_drive);
                    CAPTURE(end);
                    CAPTURE(parts);
                    if (end / parts > 0.03) continue;
                    const End here =
                        end_of(model(text(end, false, has_drive) + alpha(end / parts, end)));
                    const End there =
                        end_of(model(text(end, true, has_drive) + alpha(end / parts, end)));
                    CHECK((here.q - there.q).norm() <= tolerance(1e-10));
                    // A row that is passed rounds the end of a step, and speeds go to 0.3 / end.
                    CHECK((here.v - there.v).norm() <= tolerance(1e-8 + 1e-13 * 0.3 / end));
                }
    }

    TEST_CASE("a matrix serves many steps") {
        const End end = end_of(model(double_pendulum("ancf_rigid_body") + alpha(1e-3, 0.5)));
        CHECK(end.statistics.factorisations < 200);
        CHECK(end.statistics.iterations < 6 * 500);
    }

    TEST_CASE("what it does not serve is refused with its name and the way out") {
        const std::string friction =
            "[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"box\"\ntype = \"particle\"\n"
            "mass = 1.0\n[[constraint]]\nname = \"floor\"\ntype = \"point_on_plane\"\n"
            "point = \"box@0\"\nnormal = [0, 0, 1]\n[[force]]\nname = \"grip\"\n"
            "type = \"coulomb_friction\"\non = \"floor\"\nmu_static = 0.4\nmu_kinetic = 0.3\n";
        const std::string message = message_of(friction + alpha(1e-3, 0.1), ErrorKind::manifest);
        CHECK(message.find("force \"grip\" (type coulomb_friction) is dry friction") !=
              std::string::npos);
        CHECK(message.find("generalized_alpha") != std::string::npos);
        CHECK(message.find("choose an integrator on the discrete face") != std::string::npos);
    }

    // A step in which the links are straight has a solution only for shorter ones.
    TEST_CASE("no convergence names a coordinate") {
        const std::string text = double_pendulum("ancf_rigid_body") + alpha(10.0, 10.0) +
                                 "max_iterations = 1\nmax_halvings = 0\n";
        const std::string message = message_of(text, ErrorKind::numerical);
        CHECK(message.find("the iteration does not converge; its last correction is largest in") !=
              std::string::npos);
        CHECK(message.find("take a shorter step") != std::string::npos);
    }
}

// The energy in play, and with it the scale of works, grows by a factor of 1000.
TEST_SUITE("works kept from step to step") {
    TEST_CASE("a method of two steps books works to its order, with fixed steps and its own") {
        const std::string text =
            "[model]\n[[body]]\nname = \"m\"\ntype = \"particle\"\nmass = 1.0\n"
            "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"m@0\"\n"
            "force = [40.0, 0.0, 0.0]\n";
        const auto error = [&](const std::string& type, double step) {
            Simulation simulation{
                Manifest::parse(text + integrator(type, step, 1.0), "test.toml", {}), with_zoo()};
            run_to_end(simulation);
            return std::abs(column(simulation, "work.external") - 800.0);
        };
        for (const char* type : {"two_step", "two_step_by_choice"}) {
            CAPTURE(type);
            const double coarse = error(type, 0.02), fine = error(type, 0.01);
            CHECK(coarse < 2.0);
            CHECK(std::log2(coarse / fine) == near(2.0, 0.2));
        }
    }
}

}  // namespace
}  // namespace ancora::testing
