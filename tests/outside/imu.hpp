// SPDX-License-Identifier: BSD-3-Clause
// The force type `imu`: accelerometer and gyroscope with a lag and sampled outputs, and no force.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <ancora/sdk/authoring.hpp>

namespace outside {

using namespace ancora;

/// At a point r of a body with axes e_1, e_2, e_3, with a first-order lag T:
///
///   x_a' = (r' - x_a) / T,   f_i = e_i.(x_a' - g)       accelerometer, by a filtered rate      (1)
///   x_w' = (w - x_w) / T,    w_i = e_k.e_j'             gyroscope, (i, j, k) cyclic            (2)
///
/// Outputs hold the values of the last sample.
class Imu final : public ForceLaw<Imu>, public Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "where it is mounted").required(),
        parameter::direction("x", "its first axis").required(),
        parameter::direction("y", "its second axis").required(),
        parameter::direction("z", "its third axis").required(),
        parameter::number("lag", "s", "T").positive().required(),
        parameter::number("period", "s", "between samples").positive().required(),
    };

    explicit Imu(const Arguments& arguments)
        : gravity_(arguments.gravity()),
          lag_(arguments.number("lag")),
          samples_{arguments.number("period"), arguments.begin_time()} {}

    WorkKind work() const override { return WorkKind::nonideal; }
    std::array<Vec3, 4> force() const {
        return {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    }

    int num_continuous() const override { return 6; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        for (std::size_t i = 0; i < 3; ++i) {
            dx[i] = (at.du[i] - at.own.x[i]) / lag_;
            dx[3 + i] = (rate(at, i) - at.own.x[3 + i]) / lag_;
        }
    }
    int num_discrete() const override { return 6; }
    double next_time(double after, std::span<const double>) const override {
        return samples_.next(after);
    }
    void act(const SignalPoint& at, int, std::span<double> x, std::span<double> z) const override {
        for (std::size_t i = 0; i < 3; ++i) {
            z[i] = 0.0;
            for (std::size_t k = 0; k < 3; ++k)
                z[i] += at.u[3 + 3 * i + k] * ((at.du[k] - x[k]) / lag_ - gravity_[k]);
            z[3 + i] = x[3 + i];
        }
    }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        std::ranges::copy(at.own.z, y.begin());
    }

private:
    static constexpr std::array<Output, 6> kOutputs{{
        {"f1", "m/s^2", "specific force along x"},
        {"f2", "m/s^2", "specific force along y"},
        {"f3", "m/s^2", "specific force along z"},
        {"w1", "rad/s", "angular velocity about x"},
        {"w2", "rad/s", "angular velocity about y"},
        {"w3", "rad/s", "angular velocity about z"},
    }};

    static double rate(const SignalPoint& at, std::size_t i) {
        const std::size_t j = 3 + 3 * ((i + 1) % 3), k = 3 + 3 * ((i + 2) % 3);
        return at.u[k] * at.du[j] + at.u[k + 1] * at.du[j + 1] + at.u[k + 2] * at.du[j + 2];
    }

    std::array<double, 3> gravity_;
    double lag_;
    SampleTimes samples_;
};

constexpr TypeDescriptor kImu =
    type<Imu>("imu",
              {.doc = "accelerometer and gyroscope on a body",
               .equation = "x_a' = (r' - x_a) / T, x_w' = (w - x_w) / T",
               .source = "any textbook of inertial navigation",
               .examples = {"at = \"a@[0.3, 0.1, -0.2]\"\n"
                            "x = \"a@[1.0, 0.0, 0.0]\"\n"
                            "y = \"a@[0.0, 1.0, 0.0]\"\n"
                            "z = \"a@[0.0, 0.0, 1.0]\"\n"
                            "lag = 0.05\n"
                            "period = 0.02"},
               .claims = {Claim::dissipative, Claim::frame_invariant}},
              Imu::kParameters);

}  // namespace outside
