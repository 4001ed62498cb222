// SPDX-License-Identifier: BSD-3-Clause
// Reads sheets and laminates.
#include "material.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::shell {
namespace {

using nodes::text;

// Relative to the diagonals.
constexpr double kSymmetry = 1e-9;
constexpr double kDefinite = 1e-12;

Material isotropic(const Arguments& arguments) {
    for (const char* key : {"young", "poisson", "thickness", "density"})
        if (!arguments.given(key))
            arguments.fail(key,
                           std::string("is missing: a shell needs \"young\", \"poisson\", "
                                       "\"thickness\" and \"density\", or \"laminate\""));
    const double E = arguments.number("young"), nu = arguments.number("poisson");
    const double t = arguments.number("thickness"), rho = arguments.number("density");
    Mat3 plane;
    plane << 1.0, nu, 0.0, nu, 1.0, 0.0, 0.0, 0.0, 0.5 * (1.0 - nu);
    plane *= E / (1.0 - nu * nu);
    Material out;
    out.C.topLeftCorner<3, 3>() = t * plane;
    out.C.bottomRightCorner<3, 3>() = t * t * t / 12.0 * plane;
    out.shear.setConstant(5.0 / 6.0 * t * E / (2.0 * (1.0 + nu)));
    out.mass = rho * t;
    out.rotary = rho * t * t * t / 12.0;
    out.thickness = t;
    out.is_sheet = true;
    return out;
}

Material laminate(const Arguments& arguments) {
    for (const char* key : {"young", "poisson", "thickness", "density"})
        if (arguments.given(key))
            arguments.fail(key, "and \"laminate\" both describe the material; keep one of them");
    const Arguments& table = arguments.table("laminate");
    Material out;
    out.C =
        Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(table.numbers("ABD").data());
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < i; ++j)
            if (!(std::abs(out.C(i, j) - out.C(j, i)) <=
                  kSymmetry * std::sqrt(std::abs(out.C(i, i) * out.C(j, j)))))
                table.fail("ABD",
                           "is not symmetric: entry (" + std::to_string(i + 1) + ", " +
                               std::to_string(j + 1) + ") is " + text(out.C(i, j)) +
                               " and its mirror " + text(out.C(j, i)));
    out.C = (0.5 * (out.C + out.C.transpose())).eval();
    // Positive definite in units of its diagonal
    const Eigen::Matrix<double, 6, 1> diagonal = out.C.diagonal();
    bool is_definite = diagonal.minCoeff() > 0.0;
    if (is_definite) {
        const Eigen::Matrix<double, 6, 1> scale = diagonal.cwiseSqrt().cwiseInverse();
        Eigen::MatrixXd A = scale.asDiagonal() * out.C * scale.asDiagonal(), V(6, 6);
        diagonalise(A, V);
        is_definite = A.diagonal().minCoeff() > kDefinite;
    }
    if (!is_definite)
        table.fail("ABD", "is not positive definite, so that the laminate would bend by itself");
    out.shear = Eigen::Map<const Eigen::Vector2d>(table.numbers("shear").data());
    out.mass = table.number("mass");
    const double trace_A = out.C.topLeftCorner<2, 2>().trace(),
                 trace_D = out.C.block<2, 2>(3, 3).trace();
    out.thickness = std::sqrt(12.0 * trace_D / trace_A);
    out.rotary = table.has("rotary") ? table.number("rotary")
                                     : out.mass * out.thickness * out.thickness / 12.0;
    out.axis = vec3(table.numbers("axis"));
    out.has_axis = true;
    if (!(out.axis.norm() > 0.0)) table.fail("axis", "has length zero");
    return out;
}

}  // namespace

Material read_material(const Arguments& arguments) {
    return arguments.given("laminate") ? laminate(arguments) : isotropic(arguments);
}

void diagonalise(Eigen::Ref<Eigen::MatrixXd> A, Eigen::Ref<Eigen::MatrixXd> V) {
    const Eigen::Index n = A.rows();
    V.setIdentity();
    constexpr int kMaxSweeps = 40;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        bool is_done = true;
        for (Eigen::Index p = 0; p < n; ++p)
            for (Eigen::Index q = p + 1; q < n; ++q) {
                if (std::abs(A(p, q)) <= 1e-17 * std::sqrt(std::abs(A(p, p) * A(q, q))) + 1e-300)
                    continue;
                is_done = false;
                const double theta = (A(q, q) - A(p, p)) / (2.0 * A(p, q));
                const double t =
                    std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
                const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
                const auto turn = [c, s](double& x, double& y) {
                    const double old = x;
                    x = c * old - s * y;
                    y = s * old + c * y;
                };
                for (Eigen::Index k = 0; k < n; ++k) turn(A(k, p), A(k, q));
                for (Eigen::Index k = 0; k < n; ++k) turn(A(p, k), A(q, k));
                for (Eigen::Index k = 0; k < n; ++k) turn(V(k, p), V(k, q));
            }
        if (is_done) break;
    }
}

}  // namespace ancora::shell
