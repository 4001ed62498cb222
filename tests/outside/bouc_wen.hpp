// SPDX-License-Identifier: BSD-3-Clause
// The force type `bouc_wen`: a hysteretic damper, whose memory is a state of its own.
#pragma once

#include <array>
#include <cmath>
#include <span>

#include <ancora/sdk/authoring.hpp>

namespace outside {

using namespace ancora;

/// With n = (r_a - r_b) / |r_a - r_b|, x = |r_a - r_b| - L and w = x', the force on a is (1):
///
///   f = -k (alpha x + (1 - alpha) z) n                                                     (1)
///   z' = w - (beta sign(w z) + gamma) |z|^m w                                              (2)
class BoucWen final : public ForceLaw<BoucWen>, public Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the end on which the force is reported").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("length", "m", "L, free length").nonnegative().required(),
        parameter::number("stiffness", "N/m", "k").positive().required(),
        parameter::number("alpha", "-", "elastic share of the stiffness")
            .at_least(0.0)
            .at_most(1.0)
            .required(),
        parameter::number("beta", "-", "of loading, at 1 m").nonnegative().required(),
        parameter::number("gamma", "-", "of unloading, at 1 m").otherwise("0.0"),
        parameter::number("exponent", "-", "m").at_least(1.0).otherwise("1.0"),
    };

    explicit BoucWen(const Arguments& arguments)
        : length_(arguments.number("length")),
          stiffness_(arguments.number("stiffness")),
          alpha_(arguments.number("alpha")),
          beta_(arguments.number("beta")),
          gamma_(arguments.number("gamma")),
          exponent_(arguments.number("exponent")) {}

    WorkKind work() const override { return WorkKind::nonideal; }

    Vec3 force(const Vec3& a, const Vec3& b, const OwnValues& own) const {
        const double l = (a - b).norm();
        return -stiffness_ * (alpha_ * (l - length_) + (1.0 - alpha_) * own.x[0]) / l * (a - b);
    }

    int num_continuous() const override { return 1; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        const Vec3 line = end(at.u, 0) - end(at.u, 3);
        const double w = line.normalized().dot(end(at.du, 0) - end(at.du, 3)), z = at.own.x[0];
        const double sign = w * z > 0.0 ? 1.0 : -1.0;
        dx[0] = w - (beta_ * sign + gamma_) * std::pow(std::abs(z), exponent_) * w;
    }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        y[0] = at.own.x[0];
    }

private:
    static constexpr std::array<Output, 1> kOutputs{{{"hysteresis", "m", "z"}}};

    static Vec3 end(std::span<const double> u, std::size_t i) { return {u[i], u[i + 1], u[i + 2]}; }

    double length_, stiffness_, alpha_, beta_, gamma_, exponent_;
};

constexpr TypeDescriptor kBoucWen =
    type<BoucWen>("bouc_wen",
                  {.doc = "a hysteretic damper between two points",
                   .equation = "f = -k (alpha x + (1 - alpha) z) n, "
                               "z' = x' - (beta sign(x' z) + gamma) |z|^m x'",
                   .source = "Y. K. Wen, J. Eng. Mech. Div. ASCE 102 (1976) 249-263",
                   .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                                "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                                "length = 1.0\n"
                                "stiffness = 40.0\n"
                                "alpha = 0.2\n"
                                "beta = 0.6\n"
                                "gamma = 0.3"},
                   .claims = {Claim::frame_invariant}},
                  BoucWen::kParameters);

}  // namespace outside
