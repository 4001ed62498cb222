// SPDX-License-Identifier: BSD-3-Clause
// Dry friction where bodies meet and part: impulses, rolling, blocks, and random ones.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"
#include "support/restored.hpp"

namespace ancora::testing {
namespace {

/// Columns NAME.(quantity)x and so on.
Vec3 column3(const Simulation& simulation, const std::string& name, const std::string& quantity) {
    const std::string start = name + "." + quantity;
    return {column(simulation, start + "x"),
            column(simulation, start + "y"),
            column(simulation, start + "z")};
}

std::string contact(const std::string& name, const std::string& keys) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"contact\"\n{}\n", name, keys);
}
std::string on_plane(const std::string& a,
                     double radius,
                     const Vec3& normal,
                     double e,
                     double coefficient,
                     const std::string& b = "ground") {
    return fmt::format(
        "a = \"{}\"\nb = \"{}\"\nradius = {:.17g}\nplane = {{ normal = {} }}\n"
        "restitution = {:.17g}\nfriction = {:.17g}",
        a,
        b,
        radius,
        triple(normal),
        e,
        coefficient);
}
/// A ball with the moment of inertia kappa m R^2.
std::string ball(const std::string& name,
                 double m,
                 double R,
                 double kappa,
                 const Vec3& x,
                 const Vec3& v,
                 const Vec3& omega = Vec3::Zero()) {
    return fmt::format(
        "\n[[body]]\nname = \"{0}\"\ntype = \"ancf_rigid_body\"\nmass = {1:.17g}\ninertia = "
        "[{2:.17g}, {2:.17g}, {2:.17g}]\npenalty = inf\nposition = {3}\nvelocity = {4}\n"
        "angular_velocity = {5}\n",
        name,
        m,
        kappa * m * R * R,
        triple(x),
        triple(v),
        triple(omega));
}
/// The corners of a box as points on a plane.
std::string box(const Vec3& size, double density, const std::string& more) {
    return fmt::format(
        "\n[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = {}\n"
        "density = {:.17g}\npenalty = inf\n{}\n",
        triple(size),
        density,
        more);
}
std::string corners(const Vec3& size, const Vec3& normal, double e, double coefficient) {
    std::string text;
    for (int k = 0; k < 8; ++k) {
        const Vec3 at{k % 2 == 0 ? -0.5 : 0.5, k / 2 % 2 == 0 ? -0.5 : 0.5, k < 4 ? -0.5 : 0.5};
        text +=
            contact(fmt::format("k{}", k),
                    on_plane("box@" + triple(at.cwiseProduct(size)), 0.0, normal, e, coefficient));
    }
    return text;
}

void check_balances(const Simulation& simulation, double steps) {
    const RunStatistics statistics = simulation.statistics();
    CHECK(statistics.energy.max_rel <= rounding_bound(steps));
    CHECK(statistics.momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.angular_momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-12));
    const double top = 1.0 + std::abs(column(simulation, "energy.total"));
    CHECK(column(simulation, "work.nonideal") <= 1e-12 * top);
    CHECK(column(simulation, "work.impacts") <= 1e-12 * top);
}

// --- one ball

TEST_CASE("a ball that meets the floor obliquely grips or slips in the impact") {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    constexpr double kRadius = 0.1;
    int num_gripping = 0;
    for (int run = 0; run < 24; ++run) {
        CAPTURE(run);
        const double e = uniform(random), mu = 0.6 * uniform(random);
        const double kappa = run % 2 == 0 ? 0.4 : 2.0 / 3.0;
        const double drop = 0.3 + uniform(random), angle = 6.0 * uniform(random);
        const Vec3 v = (1.0 + 3.0 * uniform(random)) * Vec3(std::cos(angle), std::sin(angle), 0.0);
        const std::string method = kIntegrators[static_cast<std::size_t>(run) % 3];
        CAPTURE(method);
        const double u = std::sqrt(2.0 * kGravity * drop), t = u / kGravity;
        Simulation simulation =
            model(weight({0.0, 0.0, -kGravity}) +
                  ball("ball", 2.0, kRadius, kappa, {0.0, 0.0, kRadius + drop}, v) +
                  contact("floor", on_plane("ball", kRadius, Vec3::UnitZ(), e, mu)) +
                  integrator(method, 0.01, 1.01 * t));
        run_to_end(simulation);
        // p_t = m |v_t| / (1 + 1 / kappa) stops the slide, if that is at most mu p_n.
        const double slide = v.norm(), press = mu * (1.0 + e) * u;
        const double stops = slide / (1.0 + 1.0 / kappa);
        const double loss = std::min(stops, press);
        num_gripping += stops <= press ? 1 : 0;
        const Vec3 after = (slide - loss) / slide * v;
        const Vec3 spin = loss / (kappa * kRadius * slide) * Vec3::UnitZ().cross(v);
        CHECK((column3(simulation, "ball", "v") - after).head<2>().norm() <= tolerance(1e-9));
        const double bound = method == "rk4" ? 1e-5 : 1e-7;
        CHECK((column3(simulation, "ball", "w") - spin).norm() <= tolerance(bound));
    }
    CHECK(num_gripping > 4);
    CHECK(num_gripping < 20);
}

TEST_CASE("a ball that is laid on the floor with a speed slides, then rolls with 5/7 of it") {
    constexpr double kRadius = 0.2, kMass = 3.0, kMu = 0.15, kSpeed = 2.0;
    for (const std::string& method : kIntegrators)
        for (const double angle : {0.0, 0.7, 2.5}) {
            CAPTURE(method);
            CAPTURE(angle);
            const Vec3 along{std::cos(angle), std::sin(angle), 0.0};
            Simulation simulation =
                model(weight({0.0, 0.0, -kGravity}) +
                      ball("ball", kMass, kRadius, 0.4, {0.0, 0.0, kRadius}, kSpeed * along) +
                      contact("floor", on_plane("ball", kRadius, Vec3::UnitZ(), 0.5, kMu)) +
                      integrator(method, 0.01, 1.5));
            run_to_end(simulation);
            const double rolls = 2.0 * kSpeed / (7.0 * kMu * kGravity);
            const double bound = method == "rk4" ? 1e-6 : 1e-8;
            CHECK(time_of_event(simulation, 0) == near(rolls, bound));
            const double way = kSpeed * rolls - 0.5 * kMu * kGravity * rolls * rolls +
                               5.0 / 7.0 * kSpeed * (1.5 - rolls);
            const Vec3 x(column(simulation, "ball.x"), column(simulation, "ball.y"), 0.0);
            CHECK((x - way * along).norm() <= tolerance(2e-5));
            CHECK((column3(simulation, "ball", "v") - 5.0 / 7.0 * kSpeed * along).norm() <=
                  tolerance(bound));
            CHECK(column(simulation, "work.nonideal") ==
                  near(-kMass * kSpeed * kSpeed / 7.0, method == "dopri5" ? 1e-6 : 1e-4));
            if (method == "emm") check_balances(simulation, 150.0);
        }
}

TEST_CASE("a ball on a slope rolls where friction is large enough, and slides where it is not") {
    constexpr double kRadius = 0.1;
    for (const double slope : {0.2, 0.6})
        for (const double mu : {0.05, 0.1, 0.3}) {
            CAPTURE(slope);
            CAPTURE(mu);
            const Vec3 normal{-std::sin(slope), 0.0, std::cos(slope)};
            const Vec3 down{-std::cos(slope), 0.0, -std::sin(slope)};
            Simulation simulation =
                model(weight({0.0, 0.0, -kGravity}) +
                      ball("ball", 1.0, kRadius, 0.4, kRadius * normal, Vec3::Zero()) +
                      contact("floor", on_plane("ball", kRadius, normal, 0.0, mu)) +
                      integrator("emm", 0.005, 1.0));
            run_to_end(simulation);
            const bool rolls = std::tan(slope) <= 3.5 * mu;
            const double a = rolls ? 5.0 / 7.0 * kGravity * std::sin(slope)
                                   : kGravity * (std::sin(slope) - mu * std::cos(slope));
            const double spin =
                rolls ? a / kRadius : 2.5 * mu * kGravity * std::cos(slope) / kRadius;
            CHECK(column3(simulation, "ball", "v").dot(down) == near(a, 2e-3 * a));
            CHECK(std::abs(column(simulation, "ball.wy")) == near(spin, 2e-3 * spin));
            check_balances(simulation, 200.0);
        }
}

TEST_CASE("a ball in a bowl swings as a pendulum of 7/5 the length") {
    constexpr double kRadius = 0.1, kBowl = 1.1, kStart = 0.5;
    const double length = 1.4 * (kBowl - kRadius);
    // A quarter of the period 4 K(sin(start / 2)) sqrt(length / g)
    const double quarter =
        std::comp_ellint_1(std::sin(0.5 * kStart)) * std::sqrt(length / kGravity);
    for (const double turn : {0.0, 1.2}) {
        CAPTURE(turn);
        const Vec3 out{std::cos(turn), std::sin(turn), 0.0};
        const Vec3 x =
            (kBowl - kRadius) * (std::sin(kStart) * out - std::cos(kStart) * Vec3::UnitZ());
        Simulation simulation =
            model(weight({0.0, 0.0, -kGravity}) + ball("ball", 1.0, kRadius, 0.4, x, Vec3::Zero()) +
                  contact("bowl",
                          fmt::format(
                              "a = \"ball\"\nb = \"ground\"\nradius = {}\nradius_b = {}\ninside = "
                              "true\nfriction = 0.8",
                              kRadius,
                              kBowl)) +
                  integrator("emm", quarter / 400.0, quarter));
        run_to_end(simulation);
        CHECK(column3(simulation, "ball", "").dot(out) == near(0.0, 2e-5));
        const double drop = (kBowl - kRadius) * (1.0 - std::cos(kStart));
        CHECK(column3(simulation, "ball", "v").norm() ==
              near(std::sqrt(10.0 / 7.0 * kGravity * drop), 2e-5));
        CHECK(column(simulation, "work.nonideal") == near(0.0, 1e-9));
        check_balances(simulation, 400.0);
    }
}

// --- the impulse

/// Two rods of mass and length 1 that hang on each other, whose tip meets the floor.
TEST_CASE("Kane's pendulum loses energy where it meets the floor with friction") {
    const auto rod = [](const std::string& name,
                        double angle,
                        const Vec3& top,
                        double rate,
                        const Vec3& top_rate) {
        const Vec3 along{std::sin(angle), 0.0, -std::cos(angle)};
        const Vec3 across{std::cos(angle), 0.0, std::sin(angle)};
        return fmt::format(
            "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
            "inertia = [{:.17g}, {:.17g}, 1e-3]\npenalty = inf\nposition = {}\n"
            "orientation = {{ axis = [0, -1, 0], angle = {:.17g} }}\nvelocity = {}\n"
            "angular_velocity = [0, {:.17g}, 0]\n",
            name,
            1.0 / 12.0,
            1.0 / 12.0,
            triple(top + 0.5 * along),
            angle,
            triple(top_rate + 0.5 * rate * across),
            -rate);
    };
    constexpr double kDegree = std::numbers::pi / 180.0;
    const double a = 20.0 * kDegree, b = 30.0 * kDegree;
    const Vec3 knee{std::sin(a), 0.0, -std::cos(a)};
    const Vec3 knee_rate = -0.1 * Vec3(std::cos(a), 0.0, std::sin(a));
    const double floor = -std::cos(a) - std::cos(b);
    Simulation simulation = model(
        weight(Vec3::Zero()) + rod("upper", a, Vec3::Zero(), -0.1, Vec3::Zero()) +
        rod("lower", b, knee, -0.2, knee_rate) +
        "\n[[joint]]\nname = \"hip\"\ntype = \"revolute\"\na = \"ground\"\nb = \"upper\"\npoint = "
        "[0, 0, 0]\naxis = [0, 1, 0]\n" +
        fmt::format("\n[[joint]]\nname = \"knee\"\ntype = \"revolute\"\na = \"upper\"\nb = "
                    "\"lower\"\npoint = {}\naxis = [0, 1, 0]\n",
                    triple(knee)) +
        contact("floor",
                fmt::format("a = \"lower@[0, 0, -0.5]\"\nb = \"ground\"\nplane = {{ point = [0, 0, "
                            "{:.17g}], normal = [0, 0, 1] }}\nrestitution = 0.5\nfriction = 0.7",
                            floor)) +
        integrator("emm", 1e-4, 1e-3));
    CHECK(column(simulation, "energy.kinetic") == near(0.0231814109, 1e-9));
    run_to_end(simulation);
    // Poisson's law: theory, section 8.1.
    CHECK(column(simulation, "work.impacts") == near(-1.119780e-2, 1e-7));
    CHECK(simulation.statistics().impacts.lowered == 0);
}

/// The ratio of rates of a block that rocks on its edges is 1 - 1.5 sin^2 alpha (G. W. Housner,
/// Bull. Seism. Soc. Am. 53, 1963), if friction holds the edge.
TEST_CASE("a rocking block keeps Housner's part of its rate") {
    for (const double alpha : {0.2, 0.3}) {
        CAPTURE(alpha);
        const double width = 2.0 * std::sin(alpha), height = 2.0 * std::cos(alpha);
        const Vec3 size{width, 0.8, height};
        constexpr double kTilt = 0.02;
        // It stands on the edge x = width / 2, tilted about y.
        const double up = alpha - kTilt;
        const Vec3 middle{0.5 * width - std::sin(up), 0.0, std::cos(up)};
        Simulation simulation =
            model(weight({0.0, 0.0, -kGravity}) +
                  box(size,
                      100.0,
                      fmt::format("position = {}\norientation = {{ axis = [0, 1, 0], angle = "
                                  "{:.17g} }}",
                                  triple(middle),
                                  kTilt)) +
                  corners(size, Vec3::UnitZ(), 0.0, 0.5) + integrator("emm", 1e-3, 0.4));
        double before = 0.0, after = 0.0;
        for (int k = 0; k < 400 && simulation.statistics().impacts.count == 0; ++k) {
            before = std::abs(column(simulation, "box.wy"));
            simulation.step();
        }
        REQUIRE(simulation.statistics().impacts.count > 0);
        const double loss = simulation.statistics().impacts.loss;
        after = column(simulation, "energy.kinetic");
        // T ~ w^2 about either edge: (w+ / w-)^2 = 1 - loss / T-
        const double ratio = std::sqrt(after / (after + loss));
        const double sine = std::sin(alpha);
        CHECK(before > 0.1);
        CHECK(ratio == near(1.0 - 1.5 * sine * sine, 2e-3));
        run_to_end(simulation);
        check_balances(simulation, 1000.0);
    }
}

// --- a block on its corners

TEST_CASE("a block that slides on its four corners stops where it has to, and stays there") {
    const Vec3 size{0.4, 0.3, 0.2};
    for (const double slope : {0.0, 0.3})
        for (const std::string method : {"emm", "rk4"}) {
            CAPTURE(slope);
            CAPTURE(method);
            const double mu = 0.5, speed = 1.0;
            const Vec3 normal{-std::sin(slope), 0.0, std::cos(slope)};
            const Vec3 up{std::cos(slope), 0.0, std::sin(slope)};
            Simulation simulation =
                model(weight({0.0, 0.0, -kGravity}) +
                      box(size,
                          1000.0,
                          fmt::format("position = {}\norientation = {{ axis = [0, -1, 0], angle = "
                                      "{:.17g} }}\nvelocity = {}",
                                      triple(0.1 * normal),
                                      slope,
                                      triple(speed * up))) +
                      corners(size, normal, 0.3, mu) + integrator(method, 2e-3, 1.0));
            run_to_end(simulation);
            const double d = kGravity * (mu * std::cos(slope) + std::sin(slope));
            const Vec3 x = column3(simulation, "box", "");
            CHECK(x.dot(up) == near(0.5 * speed * speed / d, 1e-9));
            CHECK(column3(simulation, "box", "v").norm() == 0.0);
            CHECK(x.dot(normal) == near(0.1, 1e-13));
            if (method == "emm") check_balances(simulation, 500.0);
        }
}

TEST_CASE("boxes that are thrown come to rest on a face, and stay there") {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int run = 0; run < 6; ++run) {
        CAPTURE(run);
        const Vec3 size{0.3 + 0.1 * uniform(random), 0.3 + 0.1 * uniform(random), 0.2};
        const auto any = [&] {
            return Vec3(uniform(random), uniform(random), uniform(random));
        };
        const std::string more = fmt::format(
            "position = [0, 0, 0.8]\nvelocity = {}\nangular_velocity = {}\norientation = {{ axis = "
            "{}, angle = {:.17g} }}",
            triple(2.0 * any()),
            triple(4.0 * any()),
            triple(any()),
            3.0 * uniform(random));
        Simulation simulation = model(weight({0.0, 0.0, -kGravity}) + box(size, 800.0, more) +
                                      corners(size, Vec3::UnitZ(), 0.1 * run, 0.2 + 0.1 * run) +
                                      integrator("emm", 2e-3, 3.0));
        run_to_end(simulation);
        check_balances(simulation, 3000.0);
        CHECK(column3(simulation, "box", "v").norm() <= tolerance(1e-9));
        const double height = column(simulation, "box.z");
        double nearest = 1.0;
        for (const double side : size) nearest = std::min(nearest, std::abs(height - 0.5 * side));
        CHECK(nearest <= tolerance(1e-11));
    }
}

// --- several bodies

TEST_CASE("balls on a floor, on each other, and on a plank that tips keep all balances") {
    std::mt19937 random(8);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int run = 0; run < 12; ++run) {
        CAPTURE(run);
        const double e = 0.3 * (run % 4), mu = 0.1 + 0.2 * (run % 3);
        const auto any = [&](double size) {
            return Vec3(size * uniform(random), size * uniform(random), size * uniform(random));
        };
        std::string text = weight({0.0, 0.0, -kGravity});
        if (run % 2 == 0) {
            text += ball("low", 4.0, 0.1, 0.4, {0.0, 0.0, 0.1}, Vec3::Zero()) +
                    ball("high", 2.0, 0.08, 0.4, Vec3(0, 0, 0.7) + any(0.06), any(0.5), any(20.0)) +
                    contact("pair",
                            fmt::format("a = \"high\"\nb = \"low\"\nradius = 0.08\nradius_b = 0.1\n"
                                        "restitution = {}\nfriction = {}",
                                        e,
                                        mu)) +
                    contact("under", on_plane("low", 0.1, Vec3::UnitZ(), e, mu)) +
                    contact("below", on_plane("high", 0.08, Vec3::UnitZ(), e, mu));
        } else {
            text +=
                "\n[[body]]\nname = \"plank\"\ntype = \"ancf_rigid_body\"\nsize = [2, 0.5, "
                "0.05]\ndensity = 500\npenalty = inf\n"
                "[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"ground\"\nb = "
                "\"plank\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n" +
                ball("ball", 4.0, 0.1, 0.4, Vec3(0.0, 0.0, 0.3) + any(0.1), any(1.0), any(5.0)) +
                contact("top",
                        fmt::format("a = \"ball\"\nb = \"plank\"\nradius = 0.1\nplane = {{ "
                                    "normal = [0, 0, 1], point = [0, 0, 0.025] }}\n"
                                    "restitution = {}\nfriction = {}",
                                    e,
                                    mu));
        }
        Simulation simulation = model(text + integrator("emm", 2e-3, 1.2));
        run_to_end(simulation);
        check_balances(simulation, 1500.0);
    }
}

TEST_CASE("forces over steps with impacts and friction are the change of momentum") {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int run = 0; run < 8; ++run) {
        CAPTURE(run);
        const double m = 0.5 + uniform(random), h = 0.01;
        const Vec3 v(4.0 * uniform(random), -3.0 * uniform(random), -2.0 * uniform(random));
        Simulation simulation = model(
            weight({0.0, 0.0, -kGravity}) + particle("p", m, {0.0, 0.0, 0.1 * uniform(random)}, v) +
            fmt::format("\n[[constraint]]\nname = \"floor\"\ntype = \"contact\"\na = \"p\"\nb = "
                        "\"ground\"\nplane = {{ normal = [0, 0, 1] }}\nrestitution = {:.3f}\n"
                        "friction = {:.3f}\n",
                        0.8 * uniform(random),
                        0.5 * uniform(random)) +
            integrator("emm", h, 0.6));
        Vec3 impulse = Vec3::Zero();
        while (!simulation.done()) {
            simulation.step();
            impulse +=
                h * (columns(simulation, "floor.force") +
                     columns(simulation, "floor.friction.force") - m * kGravity * Vec3::UnitZ());
        }
        const Vec3 end(
            column(simulation, "p.vx"), column(simulation, "p.vy"), column(simulation, "p.vz"));
        CHECK((impulse - m * (end - v)).norm() < tolerance(1e-12));
    }
}

}  // namespace
}  // namespace ancora::testing
