// SPDX-License-Identifier: BSD-3-Clause
// examples/box_with_truss against a solution in minimal coordinates by an explicit integration.
#include <array>
#include <cmath>

#include <Eigen/Dense>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <doctest/doctest.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

using Vec4 = Eigen::Vector4d;
using Mat9 = Eigen::Matrix<double, 9, 9>;
using Vec9 = Eigen::Matrix<double, 9, 1>;

/// A rigid box and an elastic bar that starts at its material point xi, in minimal coordinates: the
/// box's centre, quaternion, velocity and angular velocity, and the bar's free end. Nothing is
/// constrained, since the bar's other end is x + R xi by definition. In box axes, with a the
/// acceleration of the centre, b that of the tip, c = w x (w x xi):
///
///   M a          = f                                                                     (1)
///   J w' + w x J w = xi x f                                                              (2)
///   m/3 b + m/6 (a + w' x xi + c) = -n                                                   (3)
///   f = n - m/3 (a + w' x xi + c) - m/6 b                                                (4)
///   n = E A eps d / L,  eps = (d.d - L^2) / (2 L^2),  d = tip - root                      (5)
///
/// f is the force on the box, n the bar's tension, m = rho A L with the consistent mass matrix.
/// (1) to (4) are linear in (a, w', b) with constant coefficients.
class BoxWithBar {
public:
    struct Result {
        Vec3 omega;
        Mat3 attitude;
        Vec3 tip;
    };

    BoxWithBar() {
        const Mat3 I = Mat3::Identity();
        const Mat3 X =
            (Mat3() << 0.0, -xi_(2), xi_(1), xi_(2), 0.0, -xi_(0), -xi_(1), xi_(0), 0.0).finished();
        Mat9 K;
        K << (kMass + kBar / 3.0) * I, -kBar / 3.0 * X, kBar / 6.0 * I,                  //
            kBar / 3.0 * X, Mat3(J_.asDiagonal()) - kBar / 3.0 * X * X, kBar / 6.0 * X,  //
            kBar / 6.0 * I, -kBar / 6.0 * X, kBar / 3.0 * I;
        K_inverse_ = K.inverse();
    }

    /// The motion from the unstrained, rigidly spinning start until `end`, in steps of h [s].
    Result solve(double end, double h) const {
        State y{};
        y[3] = 1.0;
        const Vec3 tip = xi_ + Vec3(kLength, 0.0, 0.0);
        part<3>(y, 7) = tip;
        part<3>(y, 13) = omega_0_;
        part<3>(y, 16) = omega_0_.cross(tip);

        boost::numeric::odeint::runge_kutta_fehlberg78<State> stepper;
        const auto rate = [this](const State& state, State& out, double) {
            evaluate(state, out);
        };
        const long num_steps = std::lround(end / h);
        for (long k = 0; k < num_steps; ++k)
            stepper.do_step(rate, y, static_cast<double>(k) * h, h);

        return {part<3>(y, 13), rotation(y), part<3>(y, 7)};
    }

private:
    // x (3), quaternion w x y z (4), tip (3), x' (3), omega (3), tip' (3)
    using State = std::array<double, 19>;

    template <int n>
    static Eigen::Map<Eigen::Matrix<double, n, 1>> part(State& y, std::size_t first) {
        return Eigen::Map<Eigen::Matrix<double, n, 1>>(&y[first]);
    }

    static Mat3 rotation(const State& y) {
        return Eigen::Quaterniond(y[3], y[4], y[5], y[6]).normalized().toRotationMatrix();
    }

    void evaluate(const State& y, State& rate) const {
        const Eigen::Map<const Vec3> x(&y[0]), tip(&y[7]), dx(&y[10]), w(&y[13]), dtip(&y[16]);
        const Mat3 R = rotation(y);

        // (5) in box axes
        const Vec3 d = R.transpose() * (tip - x) - xi_;
        const double strain = (d.squaredNorm() - kLength * kLength) / (2.0 * kLength * kLength);
        const Vec3 n = kYoung * kArea * strain / kLength * d;

        // (1) to (4)
        const Vec3 c = w.cross(w.cross(xi_));
        const Vec3 f = n - kBar / 3.0 * c;
        Vec9 right;
        right << f, xi_.cross(f) - w.cross(J_.cwiseProduct(w)), -n - kBar / 6.0 * c;
        const Vec9 a = K_inverse_ * right;

        const Eigen::Quaterniond p(y[3], y[4], y[5], y[6]);
        const Eigen::Quaterniond dp = p * Eigen::Quaterniond(0.0, w(0), w(1), w(2));
        part<3>(rate, 0) = dx;
        part<4>(rate, 3) = 0.5 * Vec4(dp.w(), dp.x(), dp.y(), dp.z());
        part<3>(rate, 7) = dtip;
        part<3>(rate, 10) = R * a.head<3>();
        part<3>(rate, 13) = a.segment<3>(3);
        part<3>(rate, 16) = R * a.tail<3>();
    }

    // Sugano's Table 2
    static constexpr double kMass = 16200.0;                  // kg, box 3 x 2 x 1 m
    static constexpr double kArea = 1e-4;                     // m^2
    static constexpr double kLength = 0.8;                    // m
    static constexpr double kYoung = 70e9;                    // Pa
    static constexpr double kBar = 2700.0 * kArea * kLength;  // kg
    const Vec3 J_{6750.0, 13500.0, 17550.0};                  // kg m^2
    const Vec3 xi_{1.5, 0.0, 0.0};                            // m
    const Vec3 omega_0_{0.3, 0.5, 0.8};                       // rad/s
    Mat9 K_inverse_;
};

// The axial mode, 1.1e4 rad/s, is resolved by these steps.
#ifdef ANCORA_TEST_SHORT
constexpr double kExplicitStep = 4e-5;
#else
constexpr double kExplicitStep = 2e-5;
#endif

const BoxWithBar::Result& exact() {
    static const BoxWithBar::Result result = BoxWithBar().solve(10.0, kExplicitStep);
    return result;
}

struct Errors {
    double omega = 0.0;     // rad/s
    double attitude = 0.0;  // rad
    double tip = 0.0;       // m
};
Errors errors_at_end(double step) {
    Simulation simulation = example("box_with_truss", {setting("integrator.step", step)});
    run_to_end(simulation);
    return {(omega(simulation, "box") - exact().omega).norm(),
            angle_between(attitude(simulation, "box"), exact().attitude),
            (vec3(simulation.point("boom@1").position) - exact().tip).norm()};
}

TEST_SUITE("box with truss") {
    // Reference values at 10 s, computed outside this project.
    TEST_CASE("the solution in minimal coordinates equals the tabulated one") {
        const Vec3 omega_10(0.498863866664, 0.195375226311, 0.861307948301);
        const Vec3 tip_10(-2.071777987051, 0.722954588309, 0.603145227825);
        CHECK((exact().omega - omega_10).norm() <= tolerance(2e-11));
        CHECK((exact().tip - tip_10).norm() <= tolerance(2e-11));
    }

    TEST_CASE("angular velocity, attitude and tip are right to 2e-6 at 1e-3 s") {
        const Errors errors = errors_at_end(1e-3);
        CHECK(errors.omega <= tolerance(2e-6));
        CHECK(errors.attitude <= tolerance(2e-6));
        CHECK(errors.tip <= tolerance(2e-6));
    }

    TEST_CASE("angular velocity, attitude and tip converge with order 2") {
        const Errors coarse = errors_at_end(1e-2), fine = errors_at_end(1e-3);
        const auto order = [](double a, double b) {
            return observed_order(1e-2, a, 1e-3, b);
        };
        CHECK(order(coarse.omega, fine.omega) == near(2.0, 0.05));
        CHECK(order(coarse.attitude, fine.attitude) == near(2.0, 0.05));
        CHECK(order(coarse.tip, fine.tip) == near(2.0, 0.05));
    }

    // The two together are one free system.
    TEST_CASE("root and tip of the boom stay at the box, at the length of the bar") {
        Simulation simulation = example("box_with_truss");
        double gap = 0.0, stretch = 0.0;
        while (!simulation.done()) {
            simulation.step();
            const Vec3 root = vec3(simulation.point("boom@0").position);
            const Vec3 tip = vec3(simulation.point("boom@1").position);
            const Vec3 face = vec3(simulation.point("box@[1.5, 0, 0]").position);
            gap = std::max(gap, (root - face).norm());
            stretch = std::max(stretch, std::abs((tip - root).norm() - 0.8));
        }
        CHECK(gap <= tolerance(1e-14));
        // Static stretch of the spin, rho L^2 w^2 (xi + ...) / E, is below 1e-7 m
        CHECK(stretch <= tolerance(2e-7));
    }
}

}  // namespace
}  // namespace ancora::testing
