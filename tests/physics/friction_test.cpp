// SPDX-License-Identifier: BSD-3-Clause
// Dry friction against closed solutions: stops, returns, curved slides, hoops, belts, Stribeck
// curves, bodies on bodies; what is refused.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <boost/math/quadrature/gauss.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

#ifdef ANCORA_TEST_SHORT
constexpr double kShare = 0.01;
#else
constexpr double kShare = 1.0;
#endif

constexpr double kGravity = 9.81;  // m/s^2
const std::vector<std::string> kIntegrators{"emm", "rk4", "dopri5"};

std::string integrator(const std::string& type, double step, double end, double tolerance = 1e-10) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return type == "dopri5" ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}
std::string triple(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}
std::string weight(const Vec3& gravity) {
    return "[model]\ngravity = " + triple(gravity) + "\n";
}
std::string particle(const std::string& name, double mass, const Vec3& x, const Vec3& v) {
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = {:.17g}\nposition = {}\n"
        "velocity = {}\n",
        name,
        mass,
        triple(x),
        triple(v));
}
std::string plane(const std::string& name, const std::string& point, const Vec3& normal) {
    return fmt::format(
        "\n[[constraint]]\nname = \"{}\"\ntype = \"point_on_plane\"\npoint = \"{}\"\nnormal = {}\n",
        name,
        point,
        triple(normal));
}
std::string friction(const std::string& on, const std::string& coefficients) {
    return fmt::format(
        "\n[[force]]\nname = \"rub_{0}\"\ntype = \"coulomb_friction\"\non = \"{0}\"\n{1}\n",
        on,
        coefficients);
}
std::string mu(double kinetic) {
    return fmt::format("mu_kinetic = {:.17g}", kinetic);
}
std::string mu(double at_rest, double kinetic) {
    return fmt::format("mu_static = {:.17g}\nmu_kinetic = {:.17g}", at_rest, kinetic);
}

/// Where a run first passes a friction's change of mode [s].
double time_of_event(const Simulation& simulation, std::size_t number) {
    const std::vector<ContactEvent> events = simulation.events();
    REQUIRE(number < events.size());
    return events[number].t;
}

/// A block of mass m on a plane that rises along x by a = 30 degrees, thrown upwards with v_0:
///
///   going up     s = v_0 t - d t^2 / 2,             d = g (sin a + mu cos a)
///   it stops at  t_s = v_0 / d,  s_s = v_0^2 / (2 d); for tan a <= mu it stays there
///   coming back  s = s_s - c (t - t_s)^2 / 2,       c = g (sin a - mu cos a)
struct Incline {
    explicit Incline(double coefficient) : mu(coefficient) {}

    static constexpr double kSpeed = 2.0, kMass = 2.5;
    static constexpr double kSin = 0.5, kCos = std::numbers::sqrt3 / 2.0;
    const double mu;
    const double d = kGravity * (kSin + mu * kCos), c = kGravity * (kSin - mu * kCos);
    const double stop = kSpeed / d, top = 0.5 * kSpeed * kSpeed / d;
    const double energy = 0.5 * kMass * kSpeed * kSpeed;

    double back() const { return stop + std::sqrt(2.0 * top / c); }
    double place(double t) const {
        if (t <= stop) return (kSpeed - 0.5 * d * t) * t;
        return c <= 0.0 ? top : top - 0.5 * c * (t - stop) * (t - stop);
    }
    double speed(double t) const {
        if (t <= stop) return kSpeed - d * t;
        return c <= 0.0 ? 0.0 : -c * (t - stop);
    }

    static Vec3 uphill() { return {kCos, 0.0, kSin}; }
    static Vec3 normal() { return {-kSin, 0.0, kCos}; }
    std::string block() const {
        return weight({0.0, 0.0, -kGravity}) +
               particle("block", kMass, Vec3::Zero(), kSpeed * uphill()) +
               plane("ramp", "block@0", normal()) + friction("ramp", testing::mu(mu));
    }
};

double along(const Simulation& simulation, const char* point = "block@0") {
    return Incline::uphill().dot(vec3(simulation.point(point).position));
}
double speed_along(const Simulation& simulation, const char* point = "block@0") {
    return Incline::uphill().dot(vec3(simulation.point(point).velocity));
}

/// Work of friction and the balance at the end of a run on the incline.
void check_books(const Simulation& simulation, const Incline& incline, double path) {
    const double lost = -incline.mu * incline.kMass * kGravity * incline.kCos * path;
    CHECK(column(simulation, "work.nonideal") == near(lost, 1e-12 * incline.energy));
    CHECK(column(simulation, "work.external") == 0.0);
    CHECK(simulation.statistics().energy.max_abs <= tolerance(1e-13 * incline.energy));
    CHECK(simulation.statistics().momentum.max_rel <= tolerance(1e-12));
}

TEST_SUITE("incline") {
    TEST_CASE("mu = 0.3: stops, slides back, and is at the start with 1.1245 m/s") {
        const Incline incline(0.3);
        CHECK(incline.stop == near(0.268322655, 1e-9));
        CHECK(incline.back() == near(0.745554652, 1e-9));
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            Simulation simulation = model(incline.block() + integrator(type, 1e-3, incline.back()));
            double worst = 0.0;
            while (!simulation.done()) {
                simulation.step();
                const double t = simulation.time();
                worst = std::max({worst,
                                  std::abs(along(simulation) - incline.place(t)),
                                  std::abs(speed_along(simulation) - incline.speed(t))});
            }
            CHECK(worst <= tolerance(1e-11));
            CHECK(speed_along(simulation) == near(-1.124495663, 1e-9));
            check_books(simulation, incline, 2.0 * incline.top);
            // It stops, and begins to slide at once.
            const std::vector<ContactEvent> events = simulation.events();
            REQUIRE(!events.empty());
            CHECK(events.back().t == near(incline.stop, 1e-12));
            CHECK_FALSE(events.back().sticks);
        }
    }

    TEST_CASE("mu = 0.6: stops for good, and after 1000 s not a bit has changed") {
        const Incline incline(0.6);
        CHECK(incline.stop == near(0.199951501, 1e-9));
        const struct {
            const char* type;
            double step;
        } runs[] = {{"emm", 1e-3}, {"rk4", 0.01}, {"dopri5", 1e-3}};
        for (const auto& run : runs) {
            CAPTURE(run.type);
            Simulation simulation =
                model(incline.block() + integrator(run.type, run.step, 1000.0 * kShare));
            while (simulation.time() <= 0.25) simulation.step();
            CHECK(along(simulation) == near(incline.top, 1e-13));
            const std::vector<double> there(simulation.q().begin(), simulation.q().end());
            run_to_end(simulation);
            CHECK(std::memcmp(simulation.q().data(), there.data(), 8 * there.size()) == 0);
            for (const double v : simulation.v()) CHECK(v == 0.0);
            check_books(simulation, incline, incline.top);
            const std::vector<ContactEvent> events = simulation.events();
            REQUIRE(events.size() == 1);
            CHECK(events[0].t == near(incline.stop, 1e-14));
            CHECK(events[0].sticks);
            CHECK(events[0].force == "rub_ramp");
        }
    }

    TEST_CASE("at rest at the start: stays for mu > tan(a), slides with its acceleration else") {
        for (const double coefficient : {0.2, 0.57, 0.58, 2.0}) {
            CAPTURE(coefficient);
            const Incline incline(coefficient);
            for (const std::string& type : kIntegrators) {
                CAPTURE(type);
                Simulation simulation = model(incline.block() + integrator(type, 0.01, 0.5),
                                              {"body.block.velocity=[0.0, 0.0, 0.0]"});
                run_to_end(simulation);
                const double expected = -0.125 * std::max(incline.c, 0.0);
                CHECK(along(simulation) == near(expected, 1e-13));
                if (incline.c < 0.0) CHECK(along(simulation) == 0.0);
            }
        }
    }

    // Static friction holds up to mu_s, kinetic decides how it moves.
    TEST_CASE("mu_s holds what mu_k would not stop") {
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            const Incline incline(0.3);
            const std::string text = weight({0.0, 0.0, -kGravity}) +
                                     particle("block", 1.0, Vec3::Zero(), Vec3::Zero()) +
                                     plane("ramp", "block@0", incline.normal()) +
                                     friction("ramp", mu(0.6, 0.3)) + integrator(type, 0.01, 2.0);
            Simulation held = model(text);
            run_to_end(held);
            CHECK(along(held) == 0.0);
            // Thrown up it stops, and mu_s holds it.
            Simulation thrown =
                model(text, {"body.block.velocity=" + triple(2.0 * incline.uphill())});
            run_to_end(thrown);
            CHECK(along(thrown) == near(incline.top, 1e-12));
            CHECK(speed_along(thrown) == 0.0);
        }
    }
}

/// The box of a rigid block, 0.4 x 0.3 x 0.2 m, lying on the incline.
std::string rigid_block(const std::string& type, const Vec3& velocity, const std::string& more) {
    return fmt::format(
        "\n[[body]]\nname = \"block\"\ntype = \"{}\"\nmass = 2.5\n"
        "inertia = [0.0270833333, 0.0416666667, 0.0520833333]\n"
        "orientation = {{axis = [0.0, -1.0, 0.0], angle = {:.17g}}}\nvelocity = {}\n{}\n",
        type,
        std::numbers::pi / 6.0,
        triple(velocity),
        more);
}

struct Foot {
    const char* name;
    const char* at;
};
using Feet = std::vector<Foot>;
const Feet kThreeFeet{{"front", "[0.2, 0.0, -0.1]"},
                      {"left", "[-0.2, 0.15, -0.1]"},
                      {"right", "[-0.2, -0.15, -0.1]"}};
const Feet kFourFeet{{"front_left", "[0.2, 0.15, -0.1]"},
                     {"front_right", "[0.2, -0.15, -0.1]"},
                     {"left", "[-0.2, 0.15, -0.1]"},
                     {"right", "[-0.2, -0.15, -0.1]"}};

// Feet 0.1 m below the centre of mass: the load shifts between them, the sum stays. Those at the
// back lie symmetrically, so nothing turns it about the normal.
std::string on_feet(const Feet& feet, double coefficient) {
    const Vec3 origin = -0.1 * Incline::normal();
    std::string text = weight({0.0, 0.0, -kGravity}) +
                       rigid_block("ancf_rigid_body", Incline::kSpeed * Incline::uphill(), "");
    for (const Foot& foot : feet)
        text += plane(foot.name, fmt::format("block@{}", foot.at), Incline::normal()) +
                "origin = " + triple(origin) + "\n" + friction(foot.name, mu(coefficient));
    return text;
}

void slide_on_feet(const std::string& type, double coefficient, const Feet& feet = kThreeFeet) {
    CAPTURE(type);
    CAPTURE(coefficient);
    CAPTURE(feet.size());
    const Incline incline(coefficient);
    Simulation simulation = model(on_feet(feet, coefficient) + integrator(type, 1e-3, 0.7));
    double worst = 0.0;
    while (!simulation.done()) {
        simulation.step();
        const double t = simulation.time();
        worst = std::max({worst,
                          std::abs(along(simulation, "block@[0, 0, 0]") - incline.place(t)),
                          std::abs(speed_along(simulation, "block@[0, 0, 0]") - incline.speed(t))});
    }
    // dopri5 takes a contact as stopped below 1e-9 of its speed.
    CHECK(worst <= tolerance(type == "dopri5" ? 1e-8 : 1e-12));
    CHECK(simulation.statistics().energy.max_abs <= tolerance(1e-13 * incline.energy));
    if (incline.c < 0.0)
        for (const double v : simulation.v()) CHECK(v == 0.0);
}

TEST_SUITE("rigid block on the incline") {
    TEST_CASE("on three feet it moves as the particle does, stops with it and stays") {
        for (const double coefficient : {0.3, 0.6})
            for (const std::string& type : kIntegrators) slide_on_feet(type, coefficient);
    }

    // Moments about the centre of mass: the feet at +-0.2 m share the weight's part so that
    // friction, 0.1 m below, is balanced.
    TEST_CASE("friction shifts the load between the feet") {
        const Incline incline(0.3);
        const double normal = incline.kMass * kGravity * incline.kCos;
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            for (const double side : {1.0, -1.0}) {
                Simulation simulation =
                    model(on_feet(kThreeFeet, 0.3) + integrator(type, 1e-3, 0.1),
                          {"body.block.velocity=" + triple(2.0 * side * incline.uphill())});
                run_to_end(simulation);
                const double rub = -side * 0.3 * normal;  // uphill
                const double front = 0.5 * normal - 0.1 * rub / 0.4;
                const auto load = [&](const std::string& foot) {
                    return Incline::normal().dot(columns(simulation, foot + ".force"));
                };
                CHECK(load("front") == near(front, 1e-9 * normal));
                CHECK(load("left") == near(0.5 * (normal - front), 1e-9 * normal));
                CHECK(load("right") == near(0.5 * (normal - front), 1e-9 * normal));
            }
        }
    }

    // Which foot carries what is open then, but not their sum.
    TEST_CASE("on four feet it moves likewise, with a warning for each friction") {
        const auto warnings = [](const std::string& text) {
            std::vector<std::string> out;
            const Simulation simulation(
                Manifest::parse(text, "test.toml"), registry(), [&](const std::string& warning) {
                    if (warning.find("its normal force is not unique") != std::string::npos)
                        out.push_back(warning);
                });
            return out;
        };
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            slide_on_feet(type, 0.3, kFourFeet);
            slide_on_feet(type, 0.6, kFourFeet);
            const std::string end = integrator(type, 1e-3, 0.7);
            CHECK(warnings(on_feet(kThreeFeet, 0.3) + end).empty());
            const std::vector<std::string> four = warnings(on_feet(kFourFeet, 0.3) + end);
            REQUIRE(four.size() == 4);
            for (std::size_t i = 0; i < 4; ++i)
                CHECK(four[i].find(fmt::format(
                          "force \"rub_{}\": its normal force is not unique, since rows of its "
                          "constraint are redundant",
                          kFourFeet[i].name)) != std::string::npos);
            // What is redundant elsewhere does not matter to a contact.
            const std::string elsewhere = particle("other", 1.0, {5.0, 0.0, 0.0}, Vec3::Zero()) +
                                          plane("shelf", "other@0", Vec3::UnitZ()) +
                                          plane("again", "other@0", Vec3::UnitZ());
            CHECK(warnings(Incline(0.3).block() + elsewhere + end).empty());
        }
    }

    // Friction at the centre of mass does not turn the body: it tumbles on as if it were free.
    TEST_CASE("kept on the plane at its centre, it tumbles while it slides and while it sticks") {
        const std::string spin = "angular_velocity = [0.9, 2.0, -1.1]\n";
        for (const double coefficient : {0.3, 0.6}) {
            CAPTURE(coefficient);
            const Incline incline(coefficient);
            for (const std::string& type : kIntegrators) {
                CAPTURE(type);
                const std::string body =
                    rigid_block("ancf_rigid_body", incline.kSpeed * incline.uphill(), spin);
                Simulation simulation =
                    model(weight({0.0, 0.0, -kGravity}) + body +
                          plane("ramp", "block@[0, 0, 0]", incline.normal()) +
                          friction("ramp", mu(coefficient)) + integrator(type, 1e-3, 1.0));
                Simulation free = model(body + integrator(type, 1e-3, 1.0));
                double worst = 0.0;
                while (!simulation.done()) {
                    simulation.step();
                    worst = std::max(worst,
                                     std::abs(along(simulation, "block@[0, 0, 0]") -
                                              incline.place(simulation.time())));
                }
                CHECK(worst <= tolerance(1e-10));
                run_to_end(free);
                // The step at the stop is split; velocities at emm's step ends are off by h^2.
                CHECK((omega(simulation, "block") - omega(free, "block")).norm() <=
                      tolerance(type == "emm" ? 1e-6 : 1e-9));
            }
        }
    }

    TEST_CASE("stuck and tumbling for 100 s, its centre does not creep") {
        const Incline incline(0.6);
        Simulation simulation =
            model(weight({0.0, 0.0, -kGravity}) +
                  rigid_block("ancf_rigid_body",
                              incline.kSpeed * incline.uphill(),
                              "angular_velocity = [0.9, 2.0, -1.1]\n") +
                  plane("ramp", "block@[0, 0, 0]", incline.normal()) +
                  friction("ramp", mu(incline.mu)) + integrator("emm", 5e-3, 100.0));
        run_to_end(simulation);
        CHECK(along(simulation, "block@[0, 0, 0]") == near(incline.top, 1e-13));
    }
}

/// A particle thrown across a slope of angle a with v_0. Let y be the angle between velocity and
/// fall line, w = tan(y / 2), k = mu cot(a): from v' = g sin(a) (cos y - k), v y' = -g sin(a) sin y
///
///   v = (v_0 / 2) (w^(k-1) + w^(k+1)),  w from 1 down
///   t = v_0 / (2 g sin a) [(1 - w^(k-1)) / (k - 1) + (1 - w^(k+1)) / (k + 1)]
///   down   = K [(1 - w^(2k-2)) / (2k - 2) - (1 - w^(2k+2)) / (2k + 2)],  K = v_0^2 / (4 g sin a)
///   across = 2 K [(1 - w^(2k-1)) / (2k - 1) + (1 - w^(2k+1)) / (2k + 1)]
///
/// For k > 1 it stops at w = 0, turned into the fall line; for k < 1 it slides on for ever.
struct AcrossTheSlope {
    explicit AcrossTheSlope(double coefficient)
        : mu(coefficient), k(mu * Incline::kCos / Incline::kSin) {}

    static constexpr double kSpeed = 2.0;
    const double mu, k;
    const double pull = kGravity * Incline::kSin;

    double time(double w) const {
        return 0.5 * kSpeed / pull *
               ((1.0 - std::pow(w, k - 1.0)) / (k - 1.0) +
                (1.0 - std::pow(w, k + 1.0)) / (k + 1.0));
    }
    Vec3 position(double w) const {
        const double K = 0.25 * kSpeed * kSpeed / pull;
        const double down = K * ((1.0 - std::pow(w, 2.0 * k - 2.0)) / (2.0 * k - 2.0) -
                                 (1.0 - std::pow(w, 2.0 * k + 2.0)) / (2.0 * k + 2.0));
        const double across = 2.0 * K *
                              ((1.0 - std::pow(w, 2.0 * k - 1.0)) / (2.0 * k - 1.0) +
                               (1.0 - std::pow(w, 2.0 * k + 1.0)) / (2.0 * k + 1.0));
        return Vec3(0.0, across, 0.0) - down * Incline::uphill();
    }
    Vec3 velocity(double w) const {
        const double v = 0.5 * kSpeed * (std::pow(w, k - 1.0) + std::pow(w, k + 1.0));
        const double cosine = (1.0 - w * w) / (1.0 + w * w), sine = 2.0 * w / (1.0 + w * w);
        return v * (Vec3(0.0, sine, 0.0) - cosine * Incline::uphill());
    }
    std::string text() const {
        return weight({0.0, 0.0, -kGravity}) +
               particle("block", 1.5, Vec3::Zero(), {0.0, kSpeed, 0.0}) +
               plane("ramp", "block@0", Incline::normal()) + friction("ramp", testing::mu(mu));
    }
    /// Error at the time that belongs to w, in `count` steps.
    double error(const std::string& type, int count, double w, double tol = 1e-10) const {
        const double end = time(w);
        Simulation simulation = model(text() + integrator(type, end / count, end, tol));
        run_to_end(simulation);
        const Simulation::PointState block = simulation.point("block@0");
        return (vec3(block.position) - position(w)).norm() +
               (vec3(block.velocity) - velocity(w)).norm();
    }
};

void stop_across(const std::string& type, double step) {
    CAPTURE(type);
    CAPTURE(step);
    const AcrossTheSlope slope(0.9);
    const double end = 2.0 * slope.time(0.0);
    Simulation simulation = model(slope.text() + integrator(type, step, end, 1e-11));
    run_to_end(simulation);
    const double h_2 = step * step;
    const double most = type == "emm" ? h_2 : type == "rk4" ? 100.0 * h_2 * h_2 : 1e-8;
    CHECK((vec3(simulation.point("block@0").position) - slope.position(0.0)).norm() <=
          tolerance(std::max(most, 1e-9)));
    for (const double v : simulation.v()) CHECK(v == 0.0);
    const std::vector<ContactEvent> events = simulation.events();
    REQUIRE(events.size() == 1);
    CHECK(events[0].sticks);
    CHECK(events[0].t == near(slope.time(0.0), std::max(most, 1e-9)));
}

// x = v_0^2 / (2 mu g) at v_0 / (mu g), in the direction of v_0.
void stop_on_floor(const std::string& type, double step, const Vec3& v_0) {
    CAPTURE(type);
    CAPTURE(step);
    CAPTURE(v_0.transpose());
    constexpr double kMu = 0.3;
    Simulation simulation =
        model(weight({0.0, 0.0, -kGravity}) + particle("block", 1.5, Vec3::Zero(), v_0) +
              plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", mu(kMu)) +
              integrator(type, step, 1.0));
    run_to_end(simulation);
    const Vec3 expected = 0.5 * v_0.norm() / (kMu * kGravity) * v_0;
    CHECK((vec3(simulation.point("block@0").position) - expected).norm() <= tolerance(1e-9));
    for (const double v : simulation.v()) CHECK(v == 0.0);
    CHECK(simulation.events().size() == 1);
    CHECK(time_of_event(simulation, 0) == near(v_0.norm() / (kMu * kGravity), 1e-9));
    CHECK(simulation.statistics().energy.max_rel <= tolerance(type == "emm" ? 1e-15 : 1e-9));
}
const Vec3 kThrows[] = {{2.0, 0.0, 0.0},
                        {1.7, 0.9, 0.0},
                        {0.3, -1.1, 0.0},
                        {1.0, 1.0, 0.0},
                        {-0.37, 0.21, 0.0},
                        {0.5369656901500078, -1.7612684569214618, 0.0},
                        {-1.7638769059468198, -1.0821343496765132, 0.0}};

TEST_SUITE("sliding on a curve") {
    TEST_CASE("across a slope: emm has order 2, rk4 order 4, dopri5 follows its tolerance") {
        for (const double coefficient : {0.3, 0.9}) {
            CAPTURE(coefficient);
            const AcrossTheSlope slope(coefficient);
            const auto order = [&](const std::string& type) {
                return observed_order(
                    2.0, slope.error(type, 100, 0.3), 1.0, slope.error(type, 200, 0.3));
            };
            CHECK(order("emm") == near(2.0, 0.03));
            CHECK(order("rk4") == near(4.0, 0.1));
            for (const double tol : {1e-6, 1e-8, 1e-10}) {
                CAPTURE(tol);
                CHECK(slope.error("dopri5", 100, 0.3, tol) <= tolerance(30.0 * tol));
            }
        }
    }

    TEST_CASE("across a steep slope for its friction it stops where and when it must") {
        const AcrossTheSlope slope(0.9);
        CHECK(slope.time(0.0) ==
              near(slope.kSpeed * slope.k / (slope.pull * (slope.k * slope.k - 1.0)), 1e-14));
        for (const double step : {1e-2, 2e-3, 1e-3, 5e-4})
            for (const std::string& type : kIntegrators) stop_across(type, step);
    }

    TEST_CASE("thrown over a floor in any direction it stops in it") {
        for (const Vec3& v_0 : kThrows)
            for (const double step : {1e-2, 3e-3, 1e-3})
                for (const std::string& type : kIntegrators) stop_on_floor(type, step, v_0);
    }

    // v = v_0 - mu g t along v_0
    TEST_CASE("rows inside the step that ends in a stop are as good as others") {
        const Vec3 v_0(1.7, 0.9, 0.0);
        Simulation simulation =
            model(weight({0.0, 0.0, -kGravity}) + particle("block", 1.5, Vec3::Zero(), v_0) +
                  plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", mu(0.3)) +
                  integrator("dopri5", 1e-2, 1.0));
        const std::vector<std::string> names = simulation.column_names();
        std::vector<double> row(names.size());
        const auto at = [&](const char* name) {
            return row[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
        };
        double worst = 0.0;
        for (double before = 0.0; !simulation.done(); before = simulation.time()) {
            simulation.step();
            for (int i = 1; i < 10; ++i) {
                const double t = before + 0.1 * i * (simulation.time() - before);
                simulation.sample_at(t, row);
                const double speed = std::max(v_0.norm() - 0.3 * kGravity * t, 0.0);
                const Vec3 v(at("block.vx"), at("block.vy"), at("block.vz"));
                worst = std::max(worst, (v - speed * v_0.normalized()).norm());
            }
        }
        CHECK(worst <= tolerance(1e-8));
    }

    // N = m v^2 / R, so v' = -mu v^2 / R:  v = v_0 / (1 + mu v_0 t / R),
    // angle = log(1 + mu v_0 t / R) / mu.
    struct Hoop {
        static constexpr double kRadius = 0.7, kSpeed = 3.0, kMu = 0.4, kEnd = 2.0;
        std::string text() const {
            return weight(Vec3::Zero()) +
                   particle("bead", 1.5, {kRadius, 0.0, 0.0}, {0.0, kSpeed, 0.0}) +
                   fmt::format(
                       "\n[[constraint]]\nname = \"hoop\"\ntype = \"point_on_circle\"\n"
                       "point = \"bead@0\"\nnormal = [0.0, 0.0, 1.0]\nradius = {:.17g}\n",
                       kRadius) +
                   friction("hoop", mu(kMu));
        }
        double slowed(double t) const { return 1.0 + kMu * kSpeed * t / kRadius; }
        double error(const std::string& type, int count, double tol = 1e-10) const {
            Simulation simulation = model(text() + integrator(type, kEnd / count, kEnd, tol));
            run_to_end(simulation);
            const double angle = std::log(slowed(kEnd)) / kMu, speed = kSpeed / slowed(kEnd);
            const Vec3 x(std::cos(angle), std::sin(angle), 0.0);
            const Vec3 v(-std::sin(angle), std::cos(angle), 0.0);
            const Simulation::PointState bead = simulation.point("bead@0");
            return (vec3(bead.position) - kRadius * x).norm() +
                   (vec3(bead.velocity) - speed * v).norm();
        }
    };

    TEST_CASE("bead on a hoop: v = v0 / (1 + mu v0 t / R), emm order 2, rk4 order 4") {
        const Hoop hoop;
        const double e1 = hoop.error("emm", 200), e2 = hoop.error("emm", 400),
                     e3 = hoop.error("emm", 800);
        CHECK(observed_order(2.0, e1, 1.0, e2) == near(2.0, 0.05));
        CHECK(observed_order(2.0, e2, 1.0, e3) == near(2.0, 0.02));
        CHECK(observed_order(2.0, hoop.error("rk4", 200), 1.0, hoop.error("rk4", 400)) ==
              near(4.0, 0.1));
        for (const double tol : {1e-6, 1e-8, 1e-10}) {
            CAPTURE(tol);
            CHECK(hoop.error("dopri5", 100, tol) <= tolerance(30.0 * tol));
        }
    }
    // A block of 1 kg on a floor, pulled by a spring of 10 N/m whose end moves on a spiral: once it
    // slips, friction turns with a pull that turns, at first at no speed at all.
    TEST_CASE("pulled along a curve: breakaway without a jump, the same in both faces") {
        const std::string text =
            weight({0.0, 0.0, -kGravity}) + particle("block", 1.0, Vec3::Zero(), Vec3::Zero()) +
            particle("hand", 1.0, Vec3::UnitX(), Vec3::Zero()) +
            "\n[[constraint]]\nname = \"pull\"\ntype = \"general_constraint\"\n"
            "equation = [\"hand.x = (1 + 0.1*t^2)*cos(0.2*t^2)\", "
            "\"hand.y = (1 + 0.1*t^2)*sin(0.2*t^2)\", \"hand.z = 0\"]\n"
            "\n[[body]]\nname = \"spring\"\ntype = \"truss\"\nfrom = [0, 0, 0]\nto = [1, 0, 0]\n"
            "young = 1e3\narea = 1e-2\ndensity = 0.0\n"
            "\n[[constraint]]\nname = \"here\"\ntype = \"position\"\na = \"spring@0\"\n"
            "b = \"block@0\"\n"
            "\n[[constraint]]\nname = \"there\"\ntype = \"position\"\na = \"spring@1\"\n"
            "b = \"hand@0\"\n" +
            plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", mu(0.3));
        const auto end = [&](const std::string& type, double step, double tol) {
            Simulation simulation = model(text + integrator(type, step, 2.5, tol));
            run_to_end(simulation);
            CHECK(simulation.events().size() == 1);
            return vec3(simulation.point("block@0").position);
        };
        const Vec3 expected = end("dopri5", 1e-2, 1e-11);
        CHECK(expected.norm() > 0.4);
        CHECK((end("rk4", 1e-2, 0.0) - expected).norm() <= tolerance(1e-7));
        CHECK((end("rk4", 1e-3, 0.0) - expected).norm() <= tolerance(1e-8));
        const double coarse = (end("emm", 1e-2, 0.0) - expected).norm();
        const double fine = (end("emm", 5e-3, 0.0) - expected).norm();
        CHECK(observed_order(2.0, coarse, 1.0, fine) == near(2.0, 0.2));
    }

    TEST_CASE(
        "bead on a hoop: the balance closes to rounding under emm, what is lost is friction's") {
        const Hoop hoop;
        Simulation simulation = model(hoop.text() + integrator("emm", 0.01, hoop.kEnd));
        run_to_end(simulation);
        const double start = 0.75 * hoop.kSpeed * hoop.kSpeed;
        CHECK(simulation.statistics().energy.max_abs <= tolerance(1e-13 * start));
        CHECK(simulation.statistics().momentum.max_rel <= tolerance(1e-14));
        CHECK(simulation.statistics().angular_momentum.max_rel <= tolerance(1e-14));
        CHECK(column(simulation, "energy.total") - start ==
              near(column(simulation, "work.nonideal"), 1e-13 * start));
    }

    // A line has two normal rows; N is the length of their sum: m g across the line.
    TEST_CASE("bead on a level line: both components of the reaction press") {
        const Vec3 gravity(0.0, 3.0, -4.0);
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            const std::string text =
                weight(gravity) + particle("bead", 2.0, Vec3::Zero(), {1.5, 0.0, 0.0}) +
                "\n[[constraint]]\nname = \"wire\"\ntype = \"point_on_line\"\npoint = \"bead@0\"\n"
                "direction = [2.0, 0.0, 0.0]\n" +
                friction("wire", mu(0.2)) + integrator(type, 0.01, 3.0);
            Simulation simulation = model(text);
            run_to_end(simulation);
            // v' = -mu 5 m/s^2: 1.5 s, 1.125 m
            CHECK(simulation.point("bead@0").position[0] == near(1.125, 1e-13));
            CHECK(simulation.events().size() == 1);
            CHECK(time_of_event(simulation, 0) == near(1.5, 1e-13));
        }
    }
}

/// Plugins that are shipped, and the linear spring of the tests.
PluginRegistry& registry_with_spring() {
    static PluginRegistry plugins;
    static const bool once =
        (plugins.add_folder(ANCORA_TEST_PLUGIN_DIR), plugins.add_folder(ANCORA_TEST_ZOO_DIR), true);
    static_cast<void>(once);
    return plugins;
}

/// A mass on a spring on a moving belt, m = k = N = 1, mu_s = 0.4, mu_k = 0.2, belt u = 0.1:
///
///   stick   x' = u from x = 0 until k x = mu_s N:  T_1 = 0.4 / u
///   slip    x = 0.2 + 0.2 cos(s) + u sin(s), s = t - T_1, until x' = u again:
///           u (1 - cos s) = -0.2 sin s, tan(s / 2) = -2:  T_2 = 2 pi - 2 atan 2, and x = 0 there
struct Belt {
    static constexpr double kSpeed = 0.1;
    const double stick = 0.4 / kSpeed;
    const double slip = 2.0 * std::numbers::pi - 2.0 * std::atan(2.0);
    const double period = stick + slip;

    double place(double t) const {
        const double s = std::fmod(t, period) - stick;
        return s < 0.0 ? kSpeed * (s + stick) : 0.2 + 0.2 * std::cos(s) + kSpeed * std::sin(s);
    }
    Simulation run(const std::string& type,
                   double step,
                   double end,
                   double tol = 1e-10,
                   const std::string& coordinates = "xyz") const {
        const std::string text =
            weight({0.0, 0.0, -1.0}) + particle("block", 1.0, Vec3::Zero(), {kSpeed, 0.0, 0.0}) +
            "coordinates = \"" + coordinates + "\"\n" + plane("belt", "block@0", Vec3::UnitZ()) +
            friction("belt", mu(0.4, 0.2) + "\nsurface_velocity = [0.1, 0.0, 0.0]") +
            "\n[[constraint]]\nname = \"spring\"\ntype = \"test_spring\"\na = \"block@0\"\n"
            "b = \"ground@[0, 0, 0]\"\nlaw = \"elastic\"\ncompliance = 1.0\n" +
            integrator(type, step, end, tol);
        return {Manifest::parse(text, "belt.toml"), registry_with_spring()};
    }
};

/// Thrown across a belt: friction is along the sliding velocity w = v_0 - u, whose direction stays,
/// so that it goes with the belt after |w| / (mu g), displaced from it by w |w| / (2 mu g).
void cross_belt(const std::string& type, double step) {
    CAPTURE(type);
    CAPTURE(step);
    constexpr double kMu = 0.25, kEnd = 2.0, m = 3.0;
    const Vec3 u(0.3, 1.2, 0.0), v_0(1.0, -0.4, 0.0), w = v_0 - u;
    Simulation simulation =
        model(weight({0.0, 0.0, -kGravity}) + particle("block", m, Vec3::Zero(), v_0) +
              plane("belt", "block@0", Vec3::UnitZ()) +
              friction("belt", mu(kMu) + "\nsurface_velocity = " + triple(u)) +
              integrator(type, step, kEnd));
    run_to_end(simulation);
    const Simulation::PointState block = simulation.point("block@0");
    const Vec3 expected = kEnd * u + 0.5 * w.norm() / (kMu * kGravity) * w;
    CHECK((vec3(block.position) - expected).norm() <= tolerance(1e-10));
    CHECK((vec3(block.velocity) - u).norm() <= tolerance(1e-13));
    CHECK(simulation.events().size() == 1);
    CHECK(time_of_event(simulation, 0) == near(w.norm() / (kMu * kGravity), 1e-9));
    // Friction takes the energy of sliding, the drive pays the rest.
    const double lost = 0.5 * m * w.squaredNorm();
    const double gained = 0.5 * m * (u.squaredNorm() - v_0.squaredNorm());
    CHECK(column(simulation, "work.nonideal") == near(-lost, 1e-9));
    CHECK(column(simulation, "work.external") == near(gained + lost, 1e-9));
    CHECK(simulation.statistics().energy.max_rel <= tolerance(type == "emm" ? 1e-14 : 1e-9));
}

/// A block on a rough floor, pulled by a spring whose other end moves with u. Seen from that end it
/// is on a belt: x = u t - (what it is there).
void pull_by_spring(const std::string& type, double step) {
    CAPTURE(type);
    const Belt belt;
    const std::string text =
        weight({0.0, 0.0, -1.0}) + particle("block", 1.0, Vec3::Zero(), Vec3::Zero()) +
        plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", mu(0.4, 0.2)) +
        particle("hand", 1.0, Vec3::Zero(), {0.1, 0.0, 0.0}) + "coordinates = \"x\"\n" +
        "\n[[constraint]]\nname = \"pull\"\ntype = \"general_constraint\"\n"
        "equation = \"hand.x = 0.1*t\"\n"
        "\n[[constraint]]\nname = \"spring\"\ntype = \"test_spring\"\n"
        "a = \"block@0\"\nb = \"hand@0\"\nlaw = \"elastic\"\ncompliance = 1.0\n" +
        integrator(type, step, 2.2 * belt.period, 1e-11);
    Simulation simulation(Manifest::parse(text, "pull.toml"), registry_with_spring());
    const double most = type == "emm" ? step * step : 1e-8;
    double worst = 0.0, crept = 0.0;
    while (!simulation.done()) {
        simulation.step();
        const double t = simulation.time();
        const double x = simulation.point("block@0").position[0];
        if (t < belt.stick) crept = std::max(crept, std::abs(x));
        worst = std::max(worst, std::abs(x - (0.1 * t - belt.place(t))));
    }
    CHECK(crept <= tolerance(1e-15));
    CHECK(worst <= tolerance(most));
    const std::vector<ContactEvent> events = simulation.events();
    REQUIRE(events.size() == 4);
    CHECK(events[0].t == near(belt.stick, most));
    CHECK(events[1].t == near(belt.period, most));
    CHECK(events[2].t == near(belt.period + belt.stick, most));
    CHECK(events[3].t == near(2.0 * belt.period, most));
    CHECK(simulation.statistics().energy.max_abs <= tolerance(type == "emm" ? 1e-13 : 1e-9));
}

/// The same for a block on feet, 0.1 m below its centre of mass: m = 2 kg, k = 10 N/m, mu_s = 0.5
/// and g = 10 m/s^2 give 10 s. Between events it goes as a particle, with half its mu_s once it
/// slips: seen from the hand, x'' = -k/m x + mu_k g with x = mu_s m g / k, x' = u at the slip.
void pull_on_feet(const std::string& type, const Feet& feet) {
    CAPTURE(type);
    CAPTURE(feet.size());
    constexpr double m = 2.0, g = 10.0, k = 10.0, u = 0.1, mu_s = 0.5, mu_k = 0.25;
    std::string text =
        weight({0.0, 0.0, -g}) +
        "\n[[body]]\nname = \"block\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\n"
        "inertia = [0.027, 0.041, 0.052]\n" +
        particle("hand", 1.0, Vec3::Zero(), {u, 0.0, 0.0}) + "coordinates = \"x\"\n" +
        "\n[[constraint]]\nname = \"pull\"\ntype = \"general_constraint\"\n"
        "equation = \"hand.x = 0.1*t\"\n"
        "\n[[constraint]]\nname = \"spring\"\ntype = \"test_spring\"\n"
        "a = \"block@[0, 0, 0]\"\nb = \"hand@0\"\nlaw = \"elastic\"\ncompliance = 0.1\n";
    for (const Foot& foot : feet)
        text += plane(foot.name, fmt::format("block@{}", foot.at), Vec3::UnitZ()) +
                "origin = [0.0, 0.0, -0.1]\n" + friction(foot.name, mu(mu_s, mu_k));
    const double slips = mu_s * m * g / (k * u);
    // x - mu_k m g / k = A cos + B sin; it stops when x' = u again, and B = u / w.
    const double w = std::sqrt(k / m), A = (mu_s - mu_k) * m * g / k;
    const double stops = slips + (2.0 * std::numbers::pi - 2.0 * std::atan(A * w / u)) / w;
    Simulation simulation(
        Manifest::parse(text + integrator(type, 2e-3, stops + 0.3, 1e-10), "feet.toml"),
        registry_with_spring());
    double crept = 0.0;
    while (!simulation.done()) {
        simulation.step();
        if (simulation.time() < slips - 1e-2)
            crept = std::max(crept, vec3(simulation.point("block@[0, 0, 0]").position).norm());
    }
    CHECK(crept <= tolerance(1e-14));
    const std::vector<ContactEvent> events = simulation.events();
    REQUIRE(events.size() == 2 * feet.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        CAPTURE(i);
        const bool sticks = i >= feet.size();
        CHECK(events[i].sticks == sticks);
        CHECK(events[i].t == near(sticks ? stops : slips, 2e-5));
    }
    CHECK((vec3(simulation.point("block@[0, 0, 0]").velocity)).norm() <= tolerance(1e-14));
}

TEST_SUITE("belt") {
    TEST_CASE("stick and slip alternate with the exact period") {
        const Belt belt;
        CHECK(belt.period == near(8.068887871591, 1e-12));
        constexpr int kPeriods = 5;
        for (const std::string coordinates : {"xyz", "xz"})
            for (const std::string& type : kIntegrators) {
                CAPTURE(coordinates);
                CAPTURE(type);
                // emm turns the phase of the slip by some h^2 / 24 of it.
                const double most = type == "emm" ? 5e-6 : 1e-8;
                Simulation simulation =
                    belt.run(type, 1e-3, (kPeriods + 0.2) * belt.period, 1e-11, coordinates);
                double worst = 0.0;
                while (!simulation.done()) {
                    simulation.step();
                    worst = std::max(worst,
                                     std::abs(simulation.point("block@0").position[0] -
                                              belt.place(simulation.time())));
                }
                CHECK(worst <= tolerance(most));
                const std::vector<ContactEvent> events = simulation.events();
                REQUIRE(events.size() == 2 * kPeriods);
                for (int i = 0; i < 2 * kPeriods; ++i) {
                    CAPTURE(i);
                    const double t = i / 2 * belt.period + (i % 2 == 0 ? belt.stick : belt.period);
                    const ContactEvent& event = events[static_cast<std::size_t>(i)];
                    CHECK(event.sticks == (i % 2 == 1));
                    CHECK(event.t == near(t, most));
                }
                CHECK(simulation.statistics().energy.max_abs <=
                      tolerance(type == "emm" ? 1e-13 : 1e-9));
            }
    }
    TEST_CASE("emm meets the belt's motion with second order, events included") {
        const Belt belt;
        const auto error = [&](int steps) {
            const double end = 2.9 * belt.period;
            Simulation simulation = belt.run("emm", end / steps, end);
            run_to_end(simulation);
            return std::abs(simulation.point("block@0").position[0] - belt.place(end));
        };
        CHECK(observed_order(2.0, error(1000), 1.0, error(2000)) == near(2.0, 0.1));
    }

    TEST_CASE("thrown across a belt, what slides keeps its direction on the belt") {
        for (const std::string& type : kIntegrators)
            for (const double step : {1e-2, 3e-3, 1e-3}) cross_belt(type, step);
    }

    TEST_CASE("pulled by a spring whose end moves away, a block stays until mu_s N, then jumps") {
        for (const std::string& type : kIntegrators) pull_by_spring(type, 1e-3);
        // At 1e-3 s the limit is reached at the end of a step, here inside one.
        pull_by_spring("emm", 1.3e-3);
    }

    // Each foot has a limit of its own, but together they hold mu_s m g whatever their loads.
    TEST_CASE("feet share what they hold: pulled at its centre a block slips on all at once") {
        for (const Feet& feet : {kThreeFeet, kFourFeet})
            for (const std::string& type : kIntegrators) pull_on_feet(type, feet);
    }

    // Put down at rest it is dragged, v = mu g t, until it goes with the belt. The drive pays m
    // u^2, half of it becomes motion, half is lost.
    TEST_CASE("what is put on a running belt is dragged along and then carried") {
        constexpr double u = 1.2, coefficient = 0.25, mass = 3.0;
        const double meet = u / (coefficient * kGravity);
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            const std::string text =
                weight({0.0, 0.0, -kGravity}) +
                particle("block", mass, Vec3::Zero(), Vec3::Zero()) +
                plane("belt", "block@0", Vec3::UnitZ()) +
                friction("belt", mu(coefficient) + "\nsurface_velocity = [0.0, 1.2, 0.0]") +
                integrator(type, 0.01, 2.0);
            Simulation simulation = model(text);
            run_to_end(simulation);
            const Simulation::PointState block = simulation.point("block@0");
            CHECK(block.position[1] == near(u * (2.0 - 0.5 * meet), 1e-12));
            CHECK(block.velocity[1] == near(u, 1e-14));
            CHECK(block.position[0] == 0.0);
            CHECK(time_of_event(simulation, 0) == near(meet, 1e-12));
            CHECK(column(simulation, "work.external") == near(mass * u * u, 1e-11));
            CHECK(column(simulation, "work.nonideal") == near(-0.5 * mass * u * u, 1e-11));
            CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-13));
        }
    }
}

/// A particle of m = 2 kg slows down on a level floor with v' = -r(v); t and x at rest are
/// integrals over v.
struct Floor {
    double mu_s, mu_k, v_s, viscous;  // v_s = 0: no Stribeck curve
    static constexpr double kMass = 2.0, kSpeed = 3.0;

    double slowing(double v) const {
        const double mu =
            mu_k + (v_s > 0.0 ? (mu_s - mu_k) * std::exp(-(v / v_s) * (v / v_s)) : 0.0);
        return mu * kGravity + viscous * v / kMass;
    }
    template <class F>
    double integrate(const F& f) const {
        constexpr int kPieces = 64;
        double sum = 0.0;
        for (int i = 0; i < kPieces; ++i)
            sum += boost::math::quadrature::gauss<double, 20>::integrate(
                f, kSpeed * i / kPieces, kSpeed * (i + 1) / kPieces);
        return sum;
    }
    double stop() const {
        return integrate([this](double v) {
            return 1.0 / slowing(v);
        });
    }
    double path() const {
        return integrate([this](double v) {
            return v / slowing(v);
        });
    }
    Simulation run(const std::string& type, double step, double end, double tol) const {
        std::string law = mu(mu_s, mu_k) + fmt::format("\nviscous = {:.17g}", viscous);
        if (v_s > 0.0) law += fmt::format("\nstribeck_velocity = {:.17g}", v_s);
        return model(weight({0.0, 0.0, -kGravity}) +
                     particle("block", kMass, Vec3::Zero(), {kSpeed, 0.0, 0.0}) +
                     plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", law) +
                     integrator(type, step, end, tol));
    }
};

TEST_SUITE("laws of slip") {
    TEST_CASE("Stribeck and viscous parts stop a particle where and when the integrals say") {
        const Floor floors[] = {
            {0.3, 0.3, 0.0, 0.0},
            {0.3, 0.3, 0.0, 1.5},
            {0.6, 0.2, 0.4, 0.0},
            {0.5, 0.25, 0.8, 2.0},
        };
        for (const Floor& floor : floors) {
            CAPTURE(floor.v_s);
            CAPTURE(floor.viscous);
            const double stop = floor.stop(), path = floor.path();
            for (const std::string& type : kIntegrators) {
                CAPTURE(type);
                Simulation simulation = floor.run(type, 1e-3, 1.5 * stop, 1e-11);
                run_to_end(simulation);
                const double most = type == "emm" ? 2e-6 : 1e-9;
                CHECK(simulation.point("block@0").position[0] == near(path, most));
                CHECK(simulation.events().size() == 1);
                CHECK(time_of_event(simulation, 0) == near(stop, most));
                for (const double v : simulation.v()) CHECK(v == 0.0);
            }
            if (floor.v_s == 0.0 && floor.viscous == 0.0) continue;
            const auto error = [&](double step) {
                Simulation simulation = floor.run("emm", step, 1.5 * stop, 0.0);
                run_to_end(simulation);
                return std::abs(simulation.point("block@0").position[0] - path);
            };
            CHECK(observed_order(2.0, error(4e-3), 1.0, error(2e-3)) == near(2.0, 0.1));
        }
    }
    // v = (v_0 + m mu g / c) exp(-c t / m) - m mu g / c
    TEST_CASE("the integrals agree with the closed solution for the viscous part") {
        const Floor floor{0.3, 0.3, 0.0, 1.5};
        const double limit = floor.kMass * 0.3 * kGravity / floor.viscous;
        const double rate = floor.viscous / floor.kMass;
        const double stop = std::log(1.0 + floor.kSpeed / limit) / rate;
        CHECK(floor.stop() == near(stop, 1e-14));
        CHECK(floor.path() == near(floor.kSpeed / rate - limit * stop, 1e-14));
    }
}

TEST_SUITE("friction between bodies") {
    // A block of m on a sled of M on ice, thrown with v_0: they meet at u = m v_0 / (m + M) after
    // t = v_0 / (mu g (1 + m / M)), and go on together; the block has slid v_0 t / 2 on the sled.
    TEST_CASE("a block on a sled: momentum is kept, both end with the same velocity") {
        constexpr double m = 2.0, M = 5.0, v_0 = 3.0, coefficient = 0.3;
        const double meet = v_0 / (coefficient * kGravity * (1.0 + m / M));
        const double common = m * v_0 / (m + M);
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            Simulation simulation = model(
                weight({0.0, 0.0, -kGravity}) + particle("sled", M, Vec3::Zero(), Vec3::Zero()) +
                particle("block", m, Vec3::Zero(), {v_0, 0.0, 0.0}) +
                plane("ice", "sled@0", Vec3::UnitZ()) + plane("deck", "block@0", Vec3::UnitZ()) +
                "origin = \"sled@0\"\n" + friction("deck", mu(coefficient)) +
                integrator(type, 0.01, 2.0));
            run_to_end(simulation);
            const Simulation::PointState sled = simulation.point("sled@0");
            const Simulation::PointState block = simulation.point("block@0");
            CHECK(sled.velocity[0] == near(common, 1e-13));
            CHECK(block.velocity[0] == near(common, 1e-13));
            CHECK(block.position[0] - sled.position[0] == near(0.5 * v_0 * meet, 1e-13));
            CHECK(sled.position[0] == near(common * (2.0 - 0.5 * meet), 1e-12));
            CHECK(time_of_event(simulation, 0) == near(meet, 1e-12));
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.energy.max_rel <= tolerance(1e-13));
            CHECK(statistics.momentum.max_rel <= tolerance(1e-13));
            CHECK(statistics.angular_momentum.max_rel <= tolerance(1e-13));
            // The block presses on the sled, and both on the ice.
            CHECK(column(simulation, "deck.force.z") == near(m * kGravity, 1e-10));
            CHECK(column(simulation, "ice.force.z") == near((m + M) * kGravity, 1e-10));
        }
    }
}

/// A rod that drags one end P over a rough plane, at the angle a to it, in the plane y = 0. The
/// centre of mass is at l (cos a, sin a) from P, J about y:
///
///   W_NN = 1/m + l^2 cos^2(a) / J,   W_NT = -l^2 sin(a) cos(a) / J
///
/// P slides to -x: friction mu N points to +x and its normal effect W_NT mu N pushes P into the
/// plane; for mu |W_NT| > W_NN the normal force has no solution or several. To +x it helps.
std::string dragged_rod(double coefficient, double speed) {
    const double a = std::atan(2.0), l = 1.0;
    return weight({0.0, 0.0, -kGravity}) +
           fmt::format(
               "\n[[body]]\nname = \"rod\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
               "inertia = [0.01, 0.333333333333333333, 0.333333333333333333]\n"
               "position = [{:.17g}, 0.0, {:.17g}]\n"
               "orientation = {{axis = [0.0, -1.0, 0.0], angle = {:.17g}}}\n"
               "velocity = [{:.17g}, 0.0, 0.0]\n",
               l * std::cos(a),
               l * std::sin(a),
               a,
               speed) +
           plane("floor", "rod@[-1.0, 0.0, 0.0]", Vec3::UnitZ()) +
           friction("floor", mu(coefficient));
}
std::string error_text(const std::string& text, ErrorKind kind) {
    try {
        Simulation simulation = model(text);
        run_to_end(simulation);
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        return error.what();
    }
    return "no error";
}

TEST_SUITE("friction near its limit") {
    /// Beads on half a drum, linked by rigid rods of equal length, pulled at both ends along the
    /// tangents of the next rods. Each bead that sticks at its limit raises the tension by the
    /// factor (cos d + mu sin d) / (cos d - mu sin d), d half the angle between rods (Euler's
    /// rope).
    struct Drum {
        static constexpr int kBeads = 25;
        static constexpr double R = 0.5, kMu = 0.3, slack = 10.0;
        static double half_angle() { return 0.5 * std::numbers::pi / (kBeads - 1); }
        static double capstan() {
            const double c = std::cos(half_angle()), s = kMu * std::sin(half_angle());
            return std::pow((c + s) / (c - s), kBeads);
        }
        /// @param part of the pull beyond the slack side's at which the rope slips
        static std::string text(double part) {
            std::string text;
            const auto at = [](int i) {
                const double angle = 2.0 * half_angle() * i;
                return Vec3(R * std::cos(angle), R * std::sin(angle), 0.0);
            };
            for (int i = 0; i < kBeads; ++i) {
                const std::string bead = fmt::format("b{}", i);
                text += particle(bead, 0.01, at(i), Vec3::Zero());
                text += fmt::format(
                    "\n[[constraint]]\nname = \"c{0}\"\ntype = \"point_on_circle\"\n"
                    "point = \"b{0}@0\"\ncenter = [0, 0, 0]\nnormal = [0, 0, 1]\n"
                    "radius = {1:.17g}\n",
                    i,
                    R);
                text += friction(fmt::format("c{}", i), mu(kMu));
                if (i == 0) continue;
                const double length = (at(i) - at(i - 1)).norm();
                text += fmt::format(
                    "\n[[constraint]]\nname = \"rod{0}\"\ntype = \"general_constraint\"\n"
                    "equation = \"((b{0}.x - b{1}.x)^2 + (b{0}.y - b{1}.y)^2 + "
                    "(b{0}.z - b{1}.z)^2)/{2:.17g} = {3:.17g}\"\n",
                    i,
                    i - 1,
                    2.0 * length,
                    0.5 * length);
            }
            const auto pull = [&](int bead, double angle, double force) {
                text += fmt::format(
                    "\n[[force]]\nname = \"pull{0}\"\ntype = \"constant_force\"\n"
                    "at = \"b{0}@0\"\nforce = {1}\n",
                    bead,
                    triple(force * Vec3(-std::sin(angle), std::cos(angle), 0.0)));
            };
            pull(0, -half_angle(), -slack);
            pull(kBeads - 1,
                 std::numbers::pi + half_angle(),
                 slack * (1.0 + part * (capstan() - 1.0)));
            return text;
        }
    };
    TEST_CASE("beads on a drum stick up to Euler's pull and slip beyond it") {
        for (const double step : {1e-4, 1e-3, 1e-2})
            for (const double part : {0.5, 0.9, 0.95, 0.99, 1.05}) {
                CAPTURE(step);
                CAPTURE(part);
                Simulation simulation =
                    model(Drum::text(part) + integrator("emm", step, 20.0 * step));
                run_to_end(simulation);
                double fastest = 0.0;
                for (const Simulation::BodyState& body : simulation.body_states())
                    for (const double v : body.v) fastest = std::max(fastest, std::abs(v));
                if (part < 1.0) {
                    CHECK(fastest == 0.0);
                    CHECK(simulation.events().empty());
                } else if (step < 5e-3) {
                    CHECK(fastest > step);
                }
            }
    }
    // Without rolling resistance: slips for 2 v / (7 mu g), then rolls at 5/7 v.
    TEST_CASE("a ball slides and then rolls, on a light point that its velocity alone carries") {
        const double v = 1.0, R = 0.1, m = 2.0, coefficient = 0.3;
        const auto row = [&](char axis) {
            std::string text = fmt::format("c.v{0} = ball.v{0}", axis);
            for (const char* e : {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"})
                text += fmt::format(
                    " - {1}*(ball@{2}.z - ball.z)*(ball@{2}.v{0} - ball.v{0})", axis, R, e);
            return text;
        };
        for (const double light : {1e-3, 1e-6, 1e-12})
            for (const double step : {1e-3, 2.5e-3, 5e-3, 1e-2}) {
                CAPTURE(light);
                CAPTURE(step);
                Simulation simulation =
                    model(weight({0.0, 0.0, -kGravity}) +
                          fmt::format("\n[[body]]\nname = \"ball\"\ntype = \"ancf_rigid_body\"\n"
                                      "mass = {0}\ninertia = [{1}, {1}, {1}]\n"
                                      "position = [0.0, 0.0, {2}]\nvelocity = [{3}, 0.0, 0.0]\n",
                                      m,
                                      0.4 * m * R * R,
                                      R,
                                      v) +
                          particle("c", light, Vec3::Zero(), {v, 0.0, 0.0}) +
                          fmt::format("\n[[constraint]]\nname = \"carry\"\n"
                                      "type = \"general_constraint\"\nlevel = \"velocity\"\n"
                                      "equation = [\"{}\", \"{}\", \"{}\"]\n",
                                      row('x'),
                                      row('y'),
                                      row('z')) +
                          plane("floor", "c@0", Vec3::UnitZ()) +
                          friction("floor", mu(coefficient)) + integrator("emm", step, 0.5));
                run_to_end(simulation);
                const std::vector<ContactEvent> events = simulation.events();
                REQUIRE(events.size() == 1);
                CHECK(events[0].sticks);
                const double stop = 2.0 * v / (7.0 * coefficient * kGravity);
                CHECK(std::abs(events[0].t - stop) <= tolerance(2.0 * step * step + light));
                CHECK(std::abs(simulation.body_states()[0].v[0] - 5.0 / 7.0 * v) <=
                      tolerance(10.0 * step * step + light));
            }
    }
}

TEST_SUITE("refused") {
    // mu (l^2 sin a cos a / J) > 1/m + l^2 cos^2 a / J: with J = m l^2 / 3 and tan a = 2 the limit
    // is mu = 4/3, the smallest for a rod.
    TEST_CASE("Painleve's rod is refused where its law has no solution, else it moves") {
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            const std::string end = integrator(type, 1e-3, 0.02);
            const std::string refusal =
                error_text(dragged_rod(1.4, -2.0) + end, ErrorKind::numerical);
            CHECK(refusal != "no error");
            if (type != "emm") CHECK(refusal.find("force \"rub_floor\"") != std::string::npos);
            CHECK(refusal.find("Painleve's paradox") != std::string::npos);
            CHECK(error_text(dragged_rod(1.4, 2.0) + end, ErrorKind::numerical) == "no error");
            CHECK(error_text(dragged_rod(1.25, -2.0) + end, ErrorKind::numerical) == "no error");
        }
    }

    const std::string kBlock = Incline(0.3).block();
    TEST_CASE("friction on a constraint that does not exist names the nearest") {
        const std::string text = kBlock + friction("rampe", mu(0.1)) + integrator("emm", 0.01, 1.0);
        const std::string message = error_text(text, ErrorKind::manifest);
        CHECK(message.find("test.toml:") == 0);
        CHECK(message.find("there is no constraint \"rampe\"; did you mean \"ramp\"?") !=
              std::string::npos);
    }
    TEST_CASE("friction on a joint that nothing slides on") {
        const std::string text =
            particle("block", 1.0, Vec3::Zero(), Vec3::Zero()) +
            "\n[[constraint]]\nname = \"pin\"\ntype = \"position\"\na = \"block@0\"\n"
            "b = \"ground@[0, 0, 0]\"\n" +
            friction("pin", mu(0.1)) + integrator("emm", 0.01, 1.0);
        const std::string message = error_text(text, ErrorKind::manifest);
        CHECK(message.find("nothing slides on constraint \"pin\" (type position); friction needs a "
                           "constraint with tangential directions") != std::string::npos);
    }
    TEST_CASE("two frictions on one constraint") {
        const std::string text =
            kBlock + "\n[[force]]\nname = \"again\"\ntype = \"coulomb_friction\"\non = \"ramp\"\n" +
            mu(0.1) + integrator("emm", 0.01, 1.0);
        CHECK(error_text(text, ErrorKind::manifest)
                  .find("has friction already, by force \"rub_ramp\"") != std::string::npos);
    }
}

}  // namespace
}  // namespace ancora::testing
