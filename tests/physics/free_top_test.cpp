// SPDX-License-Identifier: BSD-3-Clause
// The exactly rigid box of examples/tumbling_box against the exact motion of Euler's top.
#include <doctest/doctest.h>

#include "support/euler_top.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

// Sugano's Table 1: a box 3 x 2 x 1 m of 2700 kg/m^3.
const Vec3 kMoments(6750.0, 13500.0, 17550.0);  // kg m^2
const Vec3 kOmega(0.3, 0.5, 0.8);               // rad/s, body axes

// Angular velocity of this box in body axes, rad/s: Taylor series of order 30 of Euler's equations
// in steps of 0.01 s, computed once in 113-bit arithmetic and rounded.
struct Sample {
    double t;
    Vec3 omega;
};
const Sample kTable[] = {
    {1.0, {0.035348449362781, 0.606905250296010, 0.763615519811942}},
    {2.0, {-0.236860120440311, 0.543319774896272, 0.786302087123481}},
    {5.0, {-0.418720026211464, -0.369095361931432, 0.833484522317389}},
    {10.0, {0.498875607907583, 0.195356521381940, 0.861303749454175}},
    {100.0, {0.288915549920519, 0.508629275621088, 0.797380404578850}},
};

Mat3 skew(const Vec3& x) {
    return (Mat3() << 0.0, -x(2), x(1), x(2), 0.0, -x(0), -x(1), x(0), 0.0).finished();
}

// Fourth-order difference of f at t.
template <class F>
auto derivative(const F& f, double t) {
    constexpr double h = 1e-3;
    return ((8.0 * (f(t + h) - f(t - h)) - (f(t + 2.0 * h) - f(t - 2.0 * h))) / (12.0 * h)).eval();
}

// The reference itself.
TEST_SUITE("euler top") {
    TEST_CASE("angular velocity equals the tabulated values") {
        const EulerTop top(kMoments, kOmega);
        for (const Sample& sample : kTable) {
            CAPTURE(sample.t);
            for (int i = 0; i < 3; ++i)
                CHECK(top.omega(sample.t)(i) == near(sample.omega(i), 2e-14));
        }
    }

    TEST_CASE("Euler's equations and R' = R w^ hold, whichever axis the motion winds about") {
        const Mat3 R_0 = Eigen::AngleAxisd(0.7, Vec3(1.0, 2.0, -3.0).normalized()).matrix();
        const Vec3 moments[] = {{1.0, 2.0, 2.6}, {2.6, 1.0, 2.0}, {2.0, 2.6, 1.0}, {2.6, 2.0, 1.0}};
        const Vec3 starts[] = {{0.9, 0.3, -0.2}, {-0.2, 0.9, 0.3}, {0.2, -0.3, 0.9}};
        for (const Vec3& J : moments)
            for (const Vec3& omega_0 : starts) {
                CAPTURE(J.transpose());
                CAPTURE(omega_0.transpose());
                const EulerTop top(J, omega_0, R_0);
                CHECK((top.omega(0.0) - omega_0).norm() <= tolerance(1e-14));
                CHECK((top.attitude(0.0) - R_0).norm() <= tolerance(1e-14));
                for (const double t : {0.4, 3.0, 11.0}) {
                    const Vec3 w = top.omega(t);
                    const Vec3 dw = derivative(
                        [&](double s) {
                            return top.omega(s);
                        },
                        t);
                    const Vec3 Jw = J.cwiseProduct(w);
                    CHECK((J.cwiseProduct(dw) + w.cross(Jw)).norm() <= tolerance(1e-10));
                    const Mat3 R = top.attitude(t);
                    const Mat3 dR = derivative(
                        [&](double s) {
                            return top.attitude(s);
                        },
                        t);
                    CHECK((dR - R * skew(w)).norm() <= tolerance(1e-10));
                    CHECK((R * Jw - R_0 * J.cwiseProduct(omega_0)).norm() <= tolerance(1e-14));
                }
            }
    }
}

TEST_SUITE("free top") {
    TEST_CASE("the manifest's box has the moments of the exact solution") {
        const ModelAnalysis analysis = example("tumbling_box").analyse();
        CHECK(analysis.mass == near(16200.0, 1e-11));
        for (int i = 0; i < 3; ++i) CHECK(analysis.inertia[4 * i] == near(kMoments(i), 1e-11));
        CHECK(analysis.degrees_of_freedom == 6);
    }

    TEST_CASE("angular velocity at 1, 2, 5 and 10 s is Euler's to 5e-7, about z to 5e-8") {
        Simulation simulation = example("tumbling_box", {"integrator.step=1e-3"});
        const EulerTop top(kMoments, kOmega);
        for (const Sample& sample : kTable) {
            if (sample.t > 10.0) break;
            while (simulation.steps_done() < std::lround(1000.0 * sample.t)) simulation.step();
            CAPTURE(sample.t);
            const Vec3 w = omega(simulation, "box");
            CHECK(w(0) == near(sample.omega(0), 5e-7));
            CHECK(w(1) == near(sample.omega(1), 5e-7));
            CHECK(w(2) == near(sample.omega(2), 5e-8));
        }
        // The method's own error, 0.813 h^2
        const double error = angle_between(attitude(simulation, "box"), top.attitude(10.0));
        CHECK(error == near(0.813e-6, 0.001e-6));
    }

    TEST_CASE("every component of the angular velocity, and the attitude, converge with order 2") {
        const EulerTop top(kMoments, kOmega);
        const double steps[] = {1e-2, 1e-3};
        Vec3 omega_error[2];
        double angle[2];
        for (int i = 0; i < 2; ++i) {
            Simulation simulation = example("tumbling_box", {setting("integrator.step", steps[i])});
            run_to_end(simulation);
            omega_error[i] = (omega(simulation, "box") - top.omega(10.0)).cwiseAbs();
            angle[i] = angle_between(attitude(simulation, "box"), top.attitude(10.0));
        }
        const auto order = [&](double coarse, double fine) {
            return observed_order(steps[0], coarse, steps[1], fine);
        };
        for (int i = 0; i < 3; ++i) {
            CAPTURE(i);
            CHECK(order(omega_error[0](i), omega_error[1](i)) == near(2.0, 0.02));
        }
        CHECK(order(angle[0], angle[1]) == near(2.0, 0.02));
    }
}

}  // namespace
}  // namespace ancora::testing
