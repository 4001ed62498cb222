// SPDX-License-Identifier: BSD-3-Clause
// What tests of rigid bodies share: states, random bodies, free motion.
#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "support/plugin_body.hpp"

namespace ancora::testing {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline bool near(double x, double y, double tolerance) {
    return std::abs(x - y) <= tolerance;
}
template <class X, class Y>
double gap(const X& x, const Y& y) {
    return (x - y).cwiseAbs().maxCoeff();
}

inline std::span<double> view(Vector& x) {
    return {x.data(), x.data() + x.size()};
}
inline std::span<const double> view(const Vector& x) {
    return {x.data(), x.data() + x.size()};
}
inline std::span<double> view(RowMajor& x) {
    return {x.data(), x.data() + x.size()};
}
inline std::vector<double> list(const Vec3& x) {
    return {x(0), x(1), x(2)};
}
inline std::vector<double> list(const Mat3& X) {
    const RowMajor rows = X;
    return {rows.data(), rows.data() + 9};
}

/// The box of the quaternion element's source, Table 1, and of Euler's top: 3 x 2 x 1 m.
inline FakeArguments box_arguments() {
    FakeArguments arguments = schema();
    arguments.set("size", {3.0, 2.0, 1.0}).set("density", 2700.0);
    arguments.set("angular_velocity", {0.3, 0.5, 0.8});
    return arguments;
}

/// Of a body of n coordinates.
template <int n>
struct StateOf {
    Vector q = Vector::Zero(n);
    Vector v = Vector::Zero(n);
};
template <int n>
StateOf<n> start_of(const Body& body) {
    StateOf<n> state;
    body.start(view(state.q), view(state.v));
    return state;
}
template <int n>
Pose pose(const Body& body, const StateOf<n>& state) {
    Pose out;
    body.pose(view(state.q), view(state.v), out);
    return out;
}

template <int n>
class RandomOf {
public:
    double number() { return uniform_(engine_); }
    Vec3 vector() { return {number(), number(), number()}; }
    Mat3 matrix() {
        Mat3 X;
        X << vector(), vector(), vector();
        return X;
    }
    Eigen::Quaterniond quaternion() {
        return Eigen::Quaterniond(number(), number(), number(), number()).normalized();
    }
    /// Any q and v: base vectors need not be orthonormal, nor quaternions of unit norm.
    StateOf<n> state() {
        StateOf<n> s;
        for (int i = 0; i < n; ++i) s.q(i) = number(), s.v(i) = number();
        return s;
    }

private:
    std::mt19937 engine_{20240611};
    std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

/// Any place, attitude and motion; the mass M and the inertia J are those of eight random point
/// masses about their centre, physical by construction.
template <int n>
FakeArguments random_body(RandomOf<n>& random, double& M, Mat3& J) {
    J.setZero();
    M = 0.0;
    for (int k = 0; k < 8; ++k) {
        const Vec3 r = random.vector();
        const double m = 1.5 + random.number();
        M += 2.0 * m;
        J += 2.0 * m * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    const Eigen::Quaterniond p = random.quaternion();
    FakeArguments arguments = schema();
    arguments.set("mass", M).set_matrix("inertia", 3, list(J));
    arguments.set("center_of_mass", list(random.vector()));
    arguments.set("position", list(random.vector())).set("velocity", list(random.vector()));
    arguments.set("orientation", {p.w(), p.x(), p.y(), p.z()});
    arguments.set("angular_velocity", list(random.vector()));
    return arguments;
}
/// The k-th of attitudes near half a turn, where the trace of R does not tell the axis.
template <int n>
void turn_by_half(FakeArguments& arguments, int k, RandomOf<n>& random) {
    const double angle = std::numbers::pi + std::pow(10.0, -(k % 17)) * random.number();
    arguments.set_table("orientation")
        .set("axis", list(k % 3 == 0 ? Vec3(Vec3::Unit(k % 9 / 3)) : random.vector()))
        .set("angle", angle);
}

/// One step of the classical Runge-Kutta method for q'' = acceleration(q, q').
template <int n, class Acceleration>
StateOf<n> runge_kutta_step(const StateOf<n>& s, double h, const Acceleration& acceleration) {
    const Vector a1 = acceleration(s);
    const StateOf<n> s2{s.q + h / 2 * s.v, s.v + h / 2 * a1};
    const Vector a2 = acceleration(s2);
    const StateOf<n> s3{s.q + h / 2 * s2.v, s.v + h / 2 * a2};
    const Vector a3 = acceleration(s3);
    const StateOf<n> s4{s.q + h * s3.v, s.v + h * a3};
    const Vector a4 = acceleration(s4);
    return {s.q + h / 6 * (s.v + 2 * s2.v + 2 * s3.v + s4.v),
            s.v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)};
}

}  // namespace ancora::testing
