// SPDX-License-Identifier: BSD-3-Clause
// The conditions that hold a rotor to its base and its angle.
#include "gyroscopic_rotor.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

namespace ancora::joints {
namespace {

using Pair = Eigen::Matrix<double, 3, 2>;
using Rows = Eigen::Matrix<double, 3, 12, Eigen::RowMajor>;
using Gradient = Eigen::Matrix<double, 1, 9>;

Eigen::Vector3d direction(const double* u, std::size_t i) {
    return Eigen::Map<const Eigen::Vector3d>(u + 3 * i);
}

Eigen::Matrix3d cross_of(const Eigen::Vector3d& x) {
    Eigen::Matrix3d out;
    out << 0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0;
    return out;
}

/// What (2) takes of the two directions.
struct Base {
    explicit Base(const double* u) {
        p << direction(u, 0), direction(u, 1);
        gram_inverse = (p.transpose() * p).inverse();
        reciprocal = p * gram_inverse;
        const Eigen::Vector3d normal = p.col(0).cross(p.col(1));
        length = normal.norm();
        axis = normal / length;
        N = Eigen::Matrix3d::Identity() - 0.5 * axis * axis.transpose();
    }

    Pair p, reciprocal;
    Eigen::Matrix2d gram_inverse;
    Eigen::Vector3d axis;
    double length;
    Eigen::Matrix3d N;
};

/// w' - omega - n m' a by the rates of all scalars.
void write_rows(const Base& base, const double* gradient, double ratio, double* A) {
    Eigen::Map<Rows> rows(A);
    rows.leftCols<9>().noalias() =
        (-ratio * base.axis).eval().lazyProduct(Eigen::Map<const Gradient>(gradient));
    for (int i = 0; i < 2; ++i)
        rows.middleCols<3>(3 * i) -= base.N * cross_of(base.reciprocal.col(i));
    rows.rightCols<3>().setIdentity();
}

}  // namespace

GyroscopicRotor::GyroscopicRotor(const MeasureFunction& angle, double inertia, double ratio)
    : angle_(angle), ratio_(ratio) {
    ball_.inertia = inertia;
    // As far as its angle is measured by what the joint turns
    for (Coordinate& coordinate : ball_.coordinates_) coordinate.reach = 1.0 / std::abs(ratio);
    for (std::size_t i = 0; i < kAngle; ++i) stencil_[i] = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < 3; ++i)
        stencil_[kAngle + i] = static_cast<std::int32_t>(kAngle + 3 * i);
    block_.name = "rotor";
    block_.num_items = 1;
    block_.rows_per_item = 3;
    block_.scalars_per_item = kWidth;
    block_.stencil = stencil_;
    block_.laws = {&law_, 1};
    block_.degree = Degree::general;
    block_.tangent = TangentForm::none;
}

void GyroscopicRotor::Ball::start(std::span<double> q, std::span<double> v) const {
    std::ranges::fill(q, 0.0);
    std::ranges::fill(v, 0.0);
}

void GyroscopicRotor::Ball::mass(MassSink& M) const {
    for (int i = 0; i < 3; ++i) M.add(i, i, inertia);
}

void GyroscopicRotor::Ball::rotation(std::span<const double>, std::span<double> Xi) const {
    for (std::size_t i = 0; i < 9; ++i) Xi[i] = i % 4 == 0 ? 1.0 : 0.0;
}

void GyroscopicRotor::evaluate(const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    if (out.A.empty() && out.b.empty()) return;
    const double* const u = at.u.data();
    const Base base(u);
    if (!out.A.empty()) {
        std::array<double, kAngle> gradient;
        angle_.gradient(u, gradient.data());
        write_rows(base, gradient.data(), ratio_, out.A.data());
    }
    if (out.b.empty()) return;

    // What rates make of N, p^i and a
    const double* const du = at.du.data();
    Pair dp;
    dp << direction(du, 0), direction(du, 1);
    const Eigen::Matrix2d dgram = dp.transpose() * base.p + base.p.transpose() * dp;
    const Pair dreciprocal = (dp - base.reciprocal * dgram) * base.gram_inverse;
    const Eigen::Vector3d dnormal = dp.col(0).cross(base.p.col(1)) + base.p.col(0).cross(dp.col(1));
    const Eigen::Vector3d daxis = (dnormal - base.axis * base.axis.dot(dnormal)) / base.length;
    Eigen::Vector3d turn = Eigen::Vector3d::Zero(), dturn = turn;
    for (int i = 0; i < 2; ++i) {
        turn += base.reciprocal.col(i).cross(dp.col(i));
        dturn += dreciprocal.col(i).cross(dp.col(i));
    }
    Eigen::Map<Eigen::Vector3d>(out.b.data()) =
        base.N * dturn - 0.5 * (daxis * base.axis.dot(turn) + base.axis * daxis.dot(turn)) +
        ratio_ * (angle_.rate(u, du) * daxis - angle_.bias(u, du) * base.axis);
}

/// As of all conditions on rates B is A in the middle.
void GyroscopicRotor::evaluate_step(const RowStep& step, const RowStepValues& out) const {
    std::array<double, kAngle> gradient;
    angle_.gradient(step.mid.data(), gradient.data());
    write_rows(Base(step.mid.data()), gradient.data(), ratio_, out.B.data());
    std::ranges::fill(out.tau, 0.0);
}

void GyroscopicRotor::evaluate(const RowPoint& at, double, std::span<double> factors) const {
    Eigen::Map<Eigen::Vector3d>(factors.data()) = -ratio_ * Base(at.u.data()).axis;
}

}  // namespace ancora::joints
