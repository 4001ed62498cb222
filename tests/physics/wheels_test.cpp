// SPDX-License-Identifier: BSD-3-Clause
// Wheels that roll without slip: the disc on an incline and on its circle, at any attitude.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "joint_law_models.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

std::string numbers(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x.x(), x.y(), x.z());
}

/// A disc of 3 kg and 0.4 m with the inertia A across and C along its axle, y of the body, on a
/// plane whose axes are the columns of `plane`, z its normal.
struct Disc {
    static constexpr double kMass = 3.0, kRadius = 0.4, kAcross = 0.13, kAlong = 0.25;

    static std::string text(const Mat3& plane,
                            const Vec3& center,
                            const Mat3& attitude,
                            const Vec3& velocity,
                            const Vec3& omega,
                            const Vec3& gravity,
                            const char* type) {
        const Eigen::Quaterniond q(Mat3(plane * attitude));
        const Vec3 of_body = attitude.transpose() * omega;
        return fmt::format("[model]\ngravity = {}\n", numbers(plane * gravity)) +
               body("disc",
                    type,
                    fmt::format("position = {}\nvelocity = {}\norientation = [{:.17g}, {:.17g}, "
                                "{:.17g}, {:.17g}]\nangular_velocity = {}",
                                numbers(plane * center),
                                numbers(plane * velocity),
                                q.w(),
                                q.x(),
                                q.y(),
                                q.z(),
                                numbers(of_body)),
                    kMass,
                    fmt::format("[{0}, {1}, {0}]", kAcross, kAlong)) +
               constraint("road",
                          "wheel",
                          fmt::format("body = \"disc\"\nradius = {}\nnormal = {}",
                                      kRadius,
                                      numbers(plane.col(2))));
    }
};

Mat3 any_attitude(std::mt19937& random) {
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
        .normalized()
        .toRotationMatrix();
}

TEST_CASE("an upright disc rolls down an incline at g sin(alpha) / (1 + C / (m R^2))") {
    std::mt19937 random(1);
    for (const char* const type : kIntegrators)
        for (int i = 0; i < 3; ++i) {
            CAPTURE(type);
            CAPTURE(i);
            const Mat3 plane = i == 0 ? Mat3(Mat3::Identity()) : any_attitude(random);
            const double alpha = 0.3, t = 0.5;
            const Vec3 gravity(kG * std::sin(alpha), 0.0, -kG * std::cos(alpha));
            Simulation simulation = model(Disc::text(plane,
                                                     Vec3(0, 0, Disc::kRadius),
                                                     Mat3::Identity(),
                                                     Vec3::Zero(),
                                                     Vec3::Zero(),
                                                     gravity,
                                                     "ancf_rigid_body") +
                                          steps(type, 2e-3, t));
            run_to_end(simulation);
            const double a =
                gravity.x() / (1.0 + Disc::kAlong / (Disc::kMass * Disc::kRadius * Disc::kRadius));
            const Vec3 x = plane.transpose() * vec3(simulation.pose("disc").position);
            CHECK(x.x() == near(0.5 * a * t * t, is_emm(type) ? 1e-5 : 1e-9));
            CHECK(x.y() == near(0.0, 1e-12));
            CHECK(x.z() == near(Disc::kRadius, 1e-12));
            if (is_emm(type)) check_balances(simulation);
        }
}

TEST_CASE("a leaning disc rolls on its circle for ever") {
    // With s = a . n, w^2 = 1 - s^2 and the rate W about the normal, the moment of the road's force
    // about the center turns the angular momentum where
    //   (C + m R^2) w_a W = A W^2 s - m g R s / w
    // for the spin w_a about the axle; the center moves at R w_a on a circle of radius R w_a / W.
    std::mt19937 random(2);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int i = 0; i < 9; ++i) {
        const char* const method = kIntegrators[i % 3];
        const char* const type =
            i % 2 == 0 || is_emm(method) ? "ancf_rigid_body" : "quaternion_body";
        CAPTURE(method);
        CAPTURE(i);
        const Mat3 plane = any_attitude(random);
        const double s = (i % 2 == 0 ? 1.0 : -1.0) * (0.1 + 0.5 * uniform(random));
        const double w = std::sqrt(1.0 - s * s), rate = 0.5 + 2.0 * uniform(random), t = 1.0;
        const double R = Disc::kRadius, m = Disc::kMass;
        const double spin = s * (Disc::kAcross * rate * rate - m * kG * R / w) /
                            ((Disc::kAlong + m * R * R) * rate);
        const Mat3 attitude = Eigen::AngleAxisd(std::asin(s), Vec3::UnitX()).toRotationMatrix();
        const Vec3 a = attitude.col(1);
        const Vec3 omega = rate * (Vec3::UnitZ() - s * a) + spin * a;
        Simulation simulation = model(Disc::text(plane,
                                                 Vec3(0, 0, R * w),
                                                 attitude,
                                                 Vec3(R * spin, 0, 0),
                                                 omega,
                                                 Vec3(0, 0, -kG),
                                                 type) +
                                      steps(method, 1e-3, t));
        run_to_end(simulation);
        const double of_circle = R * spin / rate, small = is_emm(method) ? 2e-4 : 1e-8;
        const Vec3 x = plane.transpose() * vec3(simulation.pose("disc").position);
        CHECK(x.x() == near(of_circle * std::sin(rate * t), small));
        CHECK(x.y() == near(of_circle * (1.0 - std::cos(rate * t)), small));
        CHECK(x.z() == near(R * w, small));
        if (is_emm(method)) check_balances(simulation);
    }
}

// examples/bicycle against the linear equations of J. P. Meijaard, J. M. Papadopoulos, A. Ruina,
// A. L. Schwab, Linearized dynamics equations for the balance and steer of a bicycle: a benchmark
// and review, Proc. R. Soc. A 463 (2007) 1955, appendix 1: of q = (roll, steer),
//   M q'' + v C1 q' + (g K0 + v^2 K2) q = 0
TEST_CASE(
    "a bicycle steers and falls as the benchmark says, below, within and above stable speeds") {
    Eigen::Matrix2d M, K0, K2, C1;
    M << 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686;
    K0 << -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618;
    K2 << 0.0, 76.59734589573222, 0.0, 2.65431523794604;
    C1 << 0.0, 33.86641391492494, -0.85035641456978, 1.68540397397560;
    constexpr double kPush = 1e-4, kEnd = 1.0;
    using State = Eigen::Vector4d;
    for (const double v : {3.0, 5.0, 8.0}) {
        CAPTURE(v);
        const auto rate = [&](const State& x) {
            const Eigen::Vector2d force =
                -v * C1 * x.tail<2>() - (9.81 * K0 + v * v * K2) * x.head<2>();
            return (State() << x.tail<2>(), M.inverse() * force).finished();
        };
        State exact(0.0, 0.0, kPush, 0.0);
        constexpr int kSteps = 4000;
        constexpr double h = kEnd / kSteps;
        for (int i = 0; i < kSteps; ++i) {
            const State k1 = rate(exact), k2 = rate(exact + 0.5 * h * k1),
                        k3 = rate(exact + 0.5 * h * k2), k4 = rate(exact + h * k3);
            exact += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        const auto motion = [&](const char* type, double step) {
            Simulation simulation(
                Manifest::load(std::string(ANCORA_TEST_SOURCE_DIR) + "/examples/bicycle/model.toml",
                               std::vector<std::string>{fmt::format("parameters.speed={}", v),
                                                        fmt::format("parameters.push={}", kPush),
                                                        fmt::format("integrator.type={}", type),
                                                        fmt::format("integrator.step={}", step),
                                                        fmt::format("integrator.end={}", kEnd)}),
                registry());
            const RunStatistics statistics = run_to_end(simulation).statistics();
            CHECK(statistics.energy.max_rel <= (is_emm(type) ? 1e-14 : 1e-9));
            return Eigen::Vector2d(2.0 * column(simulation, "frame.qx"),
                                   column(simulation, "steer.angle"));
        };
        const double size = exact.head<2>().norm();
        CHECK((motion("dopri5", 1e-3) - exact.head<2>()).norm() <= tolerance(1e-6 * size));
        const Eigen::Vector2d coarse = motion("emm", 4e-3), fine = motion("emm", 2e-3);
        CHECK(((4.0 * fine - coarse) / 3.0 - exact.head<2>()).norm() <= tolerance(2e-5 * size));
        CHECK((fine - exact.head<2>()).norm() <= tolerance(5e-3 * size));
    }
}

TEST_CASE("what is wrong with a wheel is said in words") {
    const std::string one = model_text() + body("disc", "ancf_rigid_body", "");
    const auto has = [](const std::string& text, const std::string& part) {
        INFO(text);
        return text.find(part) != std::string::npos;
    };
    const auto wheel = [&](const std::string& keys) {
        return refused(one + constraint("road", "wheel", "body = \"disc\"\n" + keys));
    };
    CHECK(has(wheel("radius = 0.4\naxis = [0, 0, 2]"), "lies flat"));
    CHECK(has(wheel("radius = 0.4\naxis = [0, 0, 0]"), "points nowhere"));
    CHECK(has(wheel("radius = 0"), "radius"));
    CHECK(has(wheel(""), "radius"));
}

}  // namespace
}  // namespace ancora::testing
