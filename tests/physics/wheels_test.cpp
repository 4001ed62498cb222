// SPDX-License-Identifier: BSD-3-Clause
// Wheels that roll without slip: the disc on an incline and on its circle, at any attitude.
#include <cmath>
#include <random>
#include <string>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "joint_law_models.hpp"

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
