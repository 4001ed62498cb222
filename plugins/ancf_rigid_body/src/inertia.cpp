// SPDX-License-Identifier: BSD-3-Clause
// Mass properties from parameters, with a reason for every refusal.
#include "inertia.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include <Eigen/Jacobi>

namespace ancora::ancf {
namespace {

// Relative to the largest moment: what rounding leaves of a moment that should be zero.
constexpr double kMasslessMoment = 1e-12;
// Relative, generous to input with ten digits: asymmetry, and a moment below zero.
constexpr double kInputRounding = 1e-9;

std::string text(double number) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", number);
    return buffer;
}

// "size" with "density", or "mass" with "inertia"; never half of both.
bool is_box(const Arguments& arguments) {
    const bool has_box = arguments.given("size") || arguments.given("density");
    const bool has_tensor = arguments.given("mass") || arguments.given("inertia");
    const std::string choice =
        "give either \"size\" and \"density\" (a box) or \"mass\" and "
        "\"inertia\"";
    if (has_box && has_tensor)
        arguments.fail(arguments.given("mass") ? "mass" : "inertia",
                       "the mass is described twice; " + choice);
    if (!has_box && !has_tensor) arguments.fail("size", "the body has no mass; " + choice);
    for (const char* key : {has_box ? "size" : "mass", has_box ? "density" : "inertia"})
        if (!arguments.given(key))
            arguments.fail(key, '"' + std::string(key) + "\" is missing; " + choice);
    return has_box;
}

void read_box(const Arguments& arguments, MassProperties& body) {
    if (arguments.given("volume"))
        arguments.fail("volume", "a box has its volume from \"size\"; leave \"volume\" out");
    const Vec3 a = vec3(arguments.numbers("size"));
    body.volume = a.prod();
    body.mass = arguments.number("density") * body.volume;
    body.moments = body.mass / 12.0 * a.cwiseAbs2();
    body.half_size = 0.5 * a;
}

// The tensor about the centre of mass in body axes.
Mat3 read_tensor(const Arguments& arguments) {
    if (arguments.shape("inertia") != Shape::matrix)
        return Vec3(vec3(arguments.numbers("inertia"))).asDiagonal();
    const Mat3 J = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
        arguments.numbers("inertia").data());
    const double limit = kInputRounding * J.cwiseAbs().maxCoeff();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            if (std::abs(J(i, j) - J(j, i)) > limit)
                arguments.fail("inertia",
                               "the tensor is not symmetric: entry (" + std::to_string(j + 1) +
                                   ", " + std::to_string(i + 1) + ") is " + text(J(j, i)) +
                                   " and (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) +
                                   ") is " + text(J(i, j)));
    return 0.5 * (J + J.transpose());
}

// m_i = (J_j + J_k - J_i) / 2, none of them negative
Vec3 second_moments(const Arguments& arguments, const Vec3& J) {
    const double largest = J.cwiseAbs().maxCoeff();
    if (!(largest > 0.0))
        arguments.fail("inertia",
                       "the inertia is zero, so the body is a point and cannot turn; use a body of "
                       "type \"particle\"");
    const std::string refused = "no body has the principal moments of inertia " + text(J(0)) +
                                ", " + text(J(1)) + ", " + text(J(2)) + ": ";
    if (J.minCoeff() < -kInputRounding * largest)
        arguments.fail("inertia", refused + text(J.minCoeff()) + " is negative");
    Vec3 m;
    for (int i = 0; i < 3; ++i) {
        const double sum = J((i + 1) % 3) + J((i + 2) % 3);
        m(i) = 0.5 * (sum - J(i));
        if (m(i) < -kInputRounding * largest)
            arguments.fail("inertia",
                           refused + text(J(i)) + " is larger than the sum of the other two, " +
                               text(sum) + " (equal for a flat body)");
        if (m(i) < kMasslessMoment * largest) m(i) = 0.0;
    }
    return m;
}

void read_tensor_body(const Arguments& arguments, MassProperties& body) {
    body.mass = arguments.number("mass");
    Mat3 J = read_tensor(arguments);
    body.axes = diagonalise(J);
    body.moments = second_moments(arguments, J.diagonal());
    body.half_size = (3.0 / body.mass * body.moments).cwiseSqrt();
    body.volume =
        arguments.given("volume") ? arguments.number("volume") : 8.0 * body.half_size.prod();
}

}  // namespace

int MassProperties::rod_axis() const {
    int axis = -1;
    if ((moments.array() > 0.0).count() == 1) moments.maxCoeff(&axis);
    return axis;
}

MassProperties read_mass_properties(const Arguments& arguments) {
    MassProperties body;
    if (is_box(arguments))
        read_box(arguments, body);
    else
        read_tensor_body(arguments, body);
    body.center = vec3(arguments.numbers("center_of_mass"));
    return body;
}

Mat3 diagonalise(Mat3& J) {
    // Each rotation turns by at most 45 degrees and annuls one entry; convergence is quadratic
    Mat3 R = Mat3::Identity();
    const double limit = std::numeric_limits<double>::epsilon() * J.cwiseAbs().maxCoeff();
    for (int sweep = 0; sweep < 50; ++sweep) {
        bool is_diagonal = true;
        for (int p = 0; p < 3; ++p) {
            const int q = (p + 1) % 3;
            if (std::abs(J(p, q)) <= 0.01 * limit) continue;
            is_diagonal = false;
            Eigen::JacobiRotation<double> rotation;
            rotation.makeJacobi(J, p, q);
            J.applyOnTheLeft(p, q, rotation.adjoint());
            J.applyOnTheRight(p, q, rotation);
            R.applyOnTheRight(p, q, rotation);
        }
        if (is_diagonal) break;
    }
    return R;
}

}  // namespace ancora::ancf
