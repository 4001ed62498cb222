// SPDX-License-Identifier: BSD-3-Clause
// Tyres: their formula in steady slip, the relaxation of slip, load and lift, a car that brakes and
// turns.
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <string>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "joint_law_models.hpp"

namespace ancora::testing {
namespace {

using Coefficients = std::map<std::string, double>;

constexpr double kRadius = 0.31, kStiffness = 2e5, kLoad = 4000.0;

Coefficients typical() {
    return {{"pCx1", 1.65},
            {"pDx1", 1.2},
            {"pKx1", 21.5},
            {"pCy1", 1.3},
            {"pDy1", 1.0},
            {"pKy1", -15.0},
            {"pKy2", 2.1},
            {"rBx1", 12.3},
            {"rBx2", 10.8},
            {"rCx1", 1.09},
            {"rBy1", 6.5},
            {"rBy2", 4.2},
            {"rCy1", 1.08}};
}

/// Every coefficient, each somewhat beside what it is for some tyre.
Coefficients all_of_them(std::mt19937& random) {
    std::uniform_real_distribution<double> near_one(0.8, 1.2);
    Coefficients of = typical();
    of.insert({{"pDx2", -0.04}, {"pDx3", 2.0},   {"pEx1", 0.34}, {"pEx2", 0.1},   {"pEx3", -0.02},
               {"pEx4", 0.05},  {"pKx2", -0.16}, {"pKx3", 0.25}, {"pHx1", -2e-3}, {"pHx2", 2e-3},
               {"pVx1", 1e-3},  {"pVx2", 2e-3},  {"rEx1", -0.4}, {"rEx2", 0.1},   {"rHx1", 7e-3},
               {"pDy2", -0.14}, {"pDy3", 3.0},   {"pEy1", -1.0}, {"pEy2", -0.5},  {"pEy3", -0.08},
               {"pEy4", -0.9},  {"pKy3", 0.4},   {"pHy1", 3e-3}, {"pHy2", -1e-3}, {"pHy3", 0.07},
               {"pVy1", 0.04},  {"pVy2", -0.02}, {"pVy3", -0.5}, {"pVy4", 0.04},  {"rBy3", -0.015},
               {"rEy1", 0.3},   {"rEy2", -0.1},  {"rHy1", 9e-3}, {"rHy2", 2e-3},  {"rVy1", 0.05},
               {"rVy2", -0.07}, {"rVy3", 0.5},   {"rVy4", 35.0}, {"rVy5", 1.9},   {"rVy6", -10.7}});
    for (auto& [name, value] : of) value *= near_one(random);
    return of;
}

/// Pacejka 2006, equations (4.E9) to (4.E67) without scaling factors, written from its list.
struct Expected {
    double Fx, Fy;
    Expected(Coefficients c, double kappa, double alpha, double gamma, double Fz) {
        const auto y = [](double x, double D, double C, double B, double E) {
            return D * std::sin(C * std::atan(B * x - E * (B * x - std::atan(B * x))));
        };
        const auto G = [](double x, double C, double B, double E) {
            return std::cos(C * std::atan(B * x - E * (B * x - std::atan(B * x))));
        };
        const double df = Fz / kLoad - 1.0, g2 = gamma * gamma;
        const double kx = kappa + c["pHx1"] + c["pHx2"] * df;
        const double mux = (c["pDx1"] + c["pDx2"] * df) * (1.0 - c["pDx3"] * g2);
        const double Ex = (c["pEx1"] + c["pEx2"] * df + c["pEx3"] * df * df) *
                          (kx < 0.0 ? 1.0 + c["pEx4"] : 1.0 - c["pEx4"]);
        const double BCD = Fz * (c["pKx1"] + c["pKx2"] * df) * std::exp(c["pKx3"] * df);
        const double Fx0 = y(kx, mux * Fz, c["pCx1"], BCD / (c["pCx1"] * mux * Fz), Ex) +
                           Fz * (c["pVx1"] + c["pVx2"] * df);
        const double ay = alpha + c["pHy1"] + c["pHy2"] * df + c["pHy3"] * gamma;
        const double muy = (c["pDy1"] + c["pDy2"] * df) * (1.0 - c["pDy3"] * g2);
        const double Ey = (c["pEy1"] + c["pEy2"] * df) *
                          (1.0 - (c["pEy3"] + c["pEy4"] * gamma) * (ay < 0.0 ? -1.0 : 1.0));
        const double K = c["pKy1"] * kLoad * std::sin(2.0 * std::atan(Fz / (c["pKy2"] * kLoad))) *
                         (1.0 - c["pKy3"] * std::abs(gamma));
        const double Fy0 = y(ay, muy * Fz, c["pCy1"], K / (c["pCy1"] * muy * Fz), Ey) +
                           Fz * (c["pVy1"] + c["pVy2"] * df + (c["pVy3"] + c["pVy4"] * df) * gamma);
        const double Bxa = c["rBx1"] * std::cos(std::atan(c["rBx2"] * kappa));
        const double Exa = c["rEx1"] + c["rEx2"] * df, sx = c["rHx1"];
        Fx = Fx0 * G(alpha + sx, c["rCx1"], Bxa, Exa) / G(sx, c["rCx1"], Bxa, Exa);
        const double Byk = c["rBy1"] * std::cos(std::atan(c["rBy2"] * (alpha - c["rBy3"])));
        const double Eyk = c["rEy1"] + c["rEy2"] * df, sy = c["rHy1"] + c["rHy2"] * df;
        const double DV = muy * Fz * (c["rVy1"] + c["rVy2"] * df + c["rVy3"] * gamma) *
                          std::cos(std::atan(c["rVy4"] * alpha));
        Fy = Fy0 * G(kappa + sy, c["rCy1"], Byk, Eyk) / G(sy, c["rCy1"], Byk, Eyk) +
             DV * std::sin(c["rVy5"] * std::atan(c["rVy6"] * kappa));
    }
};

std::string tyre(const std::string& name,
                 const std::string& body,
                 const Coefficients& of,
                 const std::string& more = "") {
    std::string keys = fmt::format("body = \"{}\"\nradius = {}\nstiffness = {}\nFz0 = {}\n{}",
                                   body,
                                   kRadius,
                                   kStiffness,
                                   kLoad,
                                   more);
    for (const auto& [key, value] : of) keys += fmt::format("\n{} = {:.17g}", key, value);
    return force(name, "tyre", keys);
}

/// A wheel led over the road at V, at slips and load that stay.
struct Rig {
    double V = 20.0, kappa = 0.0, alpha = 0.0, gamma = 0.0, Fz = kLoad;

    std::string text(const Coefficients& of, const std::string& more = "") const {
        // Heading -alpha; the axle to its left, raised by gamma.
        const Mat3 heading = Eigen::AngleAxisd(-alpha, Vec3::UnitZ()).toRotationMatrix();
        const Mat3 attitude = heading * Eigen::AngleAxisd(gamma, Vec3::UnitX()).toRotationMatrix();
        const Eigen::Quaterniond q(attitude);
        const Vec3 a = attitude.col(1);
        const double z = (kRadius - Fz / kStiffness) * std::cos(gamma);
        const double rate = V * std::cos(alpha) * (1.0 + kappa) / kRadius;
        return model_text(false) +
               body("sled",
                    "ancf_rigid_body",
                    fmt::format("position = [0, 0, 1]\nvelocity = [{}, "
                                "0, 0]",
                                V)) +
               body("wheel",
                    "ancf_rigid_body",
                    fmt::format("position = [0, 0, {:.17g}]\nvelocity = [{}, 0, 0]\n"
                                "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n"
                                "angular_velocity = [0, {:.17g}, 0]",
                                z,
                                V,
                                q.w(),
                                q.x(),
                                q.y(),
                                q.z(),
                                rate)) +
               constraint("rail",
                          "prismatic",
                          fmt::format("a = \"ground\"\nb = \"sled\"\npoint = [0, 0, 1]\naxis = "
                                      "[1, 0, 0]\ndrive = {{ rate = {} }}",
                                      V)) +
               constraint("axle",
                          "revolute",
                          fmt::format("a = \"sled\"\nb = \"wheel\"\npoint = [0, 0, {:.17g}]\naxis "
                                      "= [{:.17g}, {:.17g}, {:.17g}]\ndrive = \"{:.17g}*t\"",
                                      z,
                                      a.x(),
                                      a.y(),
                                      a.z(),
                                      rate)) +
               tyre("tyre", "wheel", of, more);
    }
};

TEST_CASE("in steady slip the force is that of the formula, with any coefficients") {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i < 15; ++i) {
        const char* const method = kIntegrators[i % 3];
        CAPTURE(i);
        CAPTURE(method);
        const Coefficients of = i < 6 ? typical() : all_of_them(random);
        Rig rig{.V = 20.0 + 10.0 * uniform(random),
                .kappa = i % 4 == 0 ? 0.0 : 0.15 * uniform(random),
                .alpha = i % 4 == 1 ? 0.0 : 0.12 * uniform(random),
                .gamma = i % 2 == 0 ? 0.0 : 0.06 * uniform(random),
                .Fz = kLoad * (1.0 + 0.4 * uniform(random))};
        Simulation simulation = model(rig.text(of, "sigma_kappa = 0.15\nsigma_alpha = 0.2") +
                                      steps(method, 1e-3, 0.4, 1e-9));
        run_to_end(simulation);
        const Expected expected(of, rig.kappa, rig.alpha, rig.gamma, rig.Fz);
        CHECK(column(simulation, "tyre.kappa") == near(rig.kappa, 1e-6));
        CHECK(column(simulation, "tyre.alpha") == near(rig.alpha, 1e-6));
        CHECK(column(simulation, "tyre.gamma") == near(rig.gamma, 1e-6));
        CHECK(column(simulation, "tyre.Fz") == near(rig.Fz, 0.02));
        CHECK(column(simulation, "tyre.Fx") == near(expected.Fx, 0.1));
        CHECK(column(simulation, "tyre.Fy") == near(expected.Fy, 0.1));
        // Of the force on the wheel, inertial axes
        const double c = std::cos(rig.alpha), s = std::sin(rig.alpha);
        CHECK(column(simulation, "tyre.force.x") == near(c * expected.Fx + s * expected.Fy, 1.0));
        CHECK(column(simulation, "tyre.force.y") == near(-s * expected.Fx + c * expected.Fy, 1.0));
    }
}

TEST_CASE("slip builds up over the relaxation length: 1 - exp(-V t / sigma)") {
    for (const char* const method : kIntegrators) {
        CAPTURE(method);
        const Rig rig{.V = 15.0, .kappa = -0.03, .alpha = 0.05};
        const double t = 0.04, along = 0.35, across = 0.6;
        Simulation simulation = model(
            rig.text(typical(), fmt::format("sigma_kappa = {}\nsigma_alpha = {}", along, across)) +
            steps(method, 1e-3, t, 1e-11));
        run_to_end(simulation);
        const double way = rig.V * std::cos(rig.alpha) * t, small = is_emm(method) ? 2e-6 : 1e-7;
        CHECK(column(simulation, "tyre.kappa") ==
              near(rig.kappa * (1.0 - std::exp(-way / along)), small));
        CHECK(std::tan(column(simulation, "tyre.alpha")) ==
              near(std::tan(rig.alpha) * (1.0 - std::exp(-way / across)), small));
    }
}

/// A car on four tyres: mass on the axles as b : a.
struct Car {
    static constexpr double kMass = 1200.0, kWheel = 20.0, kSpin = 1.0, kFront = 1.1, kRear = 1.5;
    static constexpr double kHigh = 0.25;  // of the centre above the axles
    static constexpr double kTotal = kMass + 4.0 * kWheel, kBase = kFront + kRear;

    static std::string text(double speed, double steer, const std::string& motor) {
        const double z = kRadius - kTotal * kG / (4.0 * kStiffness);
        std::string text =
            model_text() +
            body("car",
                 "ancf_rigid_body",
                 fmt::format("position = [0, 0, {}]\nvelocity = [{}, 0, 0]", z + kHigh, speed),
                 kMass,
                 "[400, 1500, 1700]");
        int k = 0;
        for (const double x : {kFront, -kRear})
            for (const double y : {0.75, -0.75}) {
                const double turn = x > 0.0 ? steer : 0.0;
                const std::string name = fmt::format("w{}", k++);
                text += body(name,
                             "ancf_rigid_body",
                             fmt::format("position = [{}, {}, {}]\nvelocity = [{}, 0, 0]\n"
                                         "orientation = {{ axis = [0, 0, 1], angle = {} }}\n"
                                         "angular_velocity = [0, {}, 0]",
                                         x,
                                         y,
                                         z,
                                         speed,
                                         turn,
                                         speed / kRadius),
                             kWheel,
                             fmt::format("[0.6, {}, 0.6]", kSpin));
                text += constraint("j" + name,
                                   "revolute",
                                   fmt::format("a = \"car\"\nb = \"{}\"\npoint = [{}, {}, {}]\n"
                                               "axis = [{}, {}, 0]\n{}",
                                               name,
                                               x,
                                               y,
                                               z,
                                               -std::sin(turn),
                                               std::cos(turn),
                                               motor));
                text += tyre("t" + name, name, typical(), "damping = 6000");
            }
        return text;
    }
};

TEST_CASE("a car that brakes: its deceleration and the load that goes to the front") {
    const double torque = 400.0;
    for (const char* const method : {"emm", "rk4"}) {
        CAPTURE(method);
        Simulation simulation =
            model(Car::text(30.0, 0.0, fmt::format("motor = \"-if(t < 0.5, 0, {})\"", torque)) +
                  steps(method, 2e-3, 2.0));
        while (simulation.time() < 1.9 - 1e-9) simulation.step();
        const double v0 = column(simulation, "car.vx"), t0 = simulation.time();
        std::array<double, 4> Fx{}, Fz{};
        for (std::size_t k = 0; k < 4; ++k) {
            Fx[k] = column(simulation, fmt::format("tw{}.Fx", k));
            Fz[k] = column(simulation, fmt::format("tw{}.Fz", k));
        }
        run_to_end(simulation);
        const double a = -(column(simulation, "car.vx") - v0) / (simulation.time() - t0);
        // 4 T = m a r + 4 J a / R, but for slips of a hundredth
        const double r = kRadius - Car::kTotal * kG / (4.0 * kStiffness);
        CHECK(a == near(4.0 * torque / (Car::kTotal * r + 4.0 * Car::kSpin / kRadius), 0.1));
        CHECK(Fx[0] + Fx[1] + Fx[2] + Fx[3] == near(-Car::kTotal * a, 10.0));
        CHECK(Fz[0] + Fz[1] + Fz[2] + Fz[3] == near(Car::kTotal * kG, 10.0));
        // About the road below the middle: weights, and what slows down above it
        const double rest = Car::kMass * kG * Car::kRear + 2.0 * Car::kWheel * kG * Car::kBase;
        const double slowed = Car::kMass * a * (r + Car::kHigh) + 4.0 * Car::kWheel * a * r;
        const double spin = 4.0 * Car::kSpin * a / kRadius;
        CHECK((Fz[0] + Fz[1]) * Car::kBase == near(rest + slowed + spin, 60.0));
        if (is_emm(method)) {
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.energy.max_rel <= 1e-11);
            CHECK(column(simulation, "work.nonideal") < 0.0);
        }
    }
}

TEST_CASE("a car that turns slowly does so as the bicycle model says") {
    // r = v steer / (L + K v^2), K = m / L (b / C_f - a / C_r) of an understeering car
    const double speed = 14.0, steer = 0.01;
    Simulation simulation = model(Car::text(speed, steer, "") + steps("emm", 4e-3, 4.0));
    run_to_end(simulation);
    Coefficients of = typical();
    const auto stiffness = [&](double load) {
        return -2.0 * of["pKy1"] * kLoad * std::sin(2.0 * std::atan(load / (of["pKy2"] * kLoad)));
    };
    const double front = (Car::kMass * Car::kRear / Car::kBase + 2.0 * Car::kWheel) * kG,
                 rear = (Car::kMass * Car::kFront / Car::kBase + 2.0 * Car::kWheel) * kG;
    const double v = std::hypot(column(simulation, "car.vx"), column(simulation, "car.vy"));
    const double K = front / kG / stiffness(0.5 * front) - rear / kG / stiffness(0.5 * rear);
    const double expected = v * steer / (Car::kBase + K * v * v);
    CHECK(column(simulation, "car.wz") == near(expected, 0.01 * expected));
    CHECK(v == near(speed, 0.1));
}

TEST_CASE("a wheel that is let fall bounces off the road and never sticks to it") {
    for (const char* const method : kIntegrators) {
        CAPTURE(method);
        const double height = 0.2;
        Simulation simulation = model(model_text() +
                                      body("wheel",
                                           "ancf_rigid_body",
                                           fmt::format("position = [0, 0, {}]", kRadius + height),
                                           15.0) +
                                      tyre("tyre", "wheel", typical()) +
                                      steps(method, 2e-4, 0.6, is_emm(method) ? 1e-12 : 1e-9));
        double least = 0.0, most = 0.0;
        const double start = column(simulation, "energy.total");
        while (!simulation.done()) {
            simulation.step();
            const double load = column(simulation, "tyre.Fz");
            least = std::min(least, load);
            most = std::max(most, load);
        }
        CHECK(least == 0.0);
        CHECK(column(simulation, "tyre.Fz") == 0.0);
        // F = c rho where c rho^2 / 2 = m g (h + rho)
        const double weight = 15.0 * kG;
        const double peak = weight + std::sqrt(weight * (weight + 2.0 * height * kStiffness));
        if (std::string(method) != "dopri5") CHECK(most == near(peak, 2e-3 * peak));
        // Without damping all of the energy comes back.
        CHECK(column(simulation, "energy.total") == near(start, is_emm(method) ? 0.02 : 1e-3));
        if (is_emm(method)) check_balances(simulation);
    }
}

TEST_CASE("what is wrong with a tyre is said in words") {
    const auto has = [](const std::string& text, const std::string& part) {
        INFO(text);
        return text.find(part) != std::string::npos;
    };
    const auto with = [](const std::string& key, double value) {
        Coefficients of = typical();
        of[key] = value;
        return refused(model_text() + body("wheel", "ancf_rigid_body", "") +
                       tyre("tyre", "wheel", of));
    };
    CHECK(has(with("pKy1", 15.0), "turn the sign round"));
    CHECK(has(with("pDx1", 0.0), "not above zero"));
    CHECK(has(with("pCx3", 1.0), "pCx3"));
    Coefficients of = typical();
    of.erase("pKx1");
    CHECK(has(
        refused(model_text() + body("wheel", "ancf_rigid_body", "") + tyre("tyre", "wheel", of)),
        "pKx1"));
}

}  // namespace
}  // namespace ancora::testing
