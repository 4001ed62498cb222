// SPDX-License-Identifier: BSD-3-Clause
// The exact motion of a free rigid body about its centre of mass.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <Eigen/Dense>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>

namespace ancora::testing {

/// Euler's top, in principal axes:
///
///   J w' + w x J w = 0,   R' = R w^                                                        (1)
///   w_a = A dn u,  w_b = B sn u,  w_c = C cn u,  u = p t + u_0                             (2)
///   R = S Rz(f) [c_1 c_2 c_3]^T,   c_3 = J w / L,   c_2 = i_a x c_3 / |i_a x c_3|          (3)
///   f' = L (2 T - J_a w_a^2) / (L^2 - J_a^2 w_a^2)                                         (4)
///
/// Terms:
///   J, w     principal moments [kg m^2], angular velocity in body axes [rad/s]
///   R        attitude, body to inertial axes
///   a, b, c  the axis that w winds about (that of the largest moment if L^2 > 2 T J_b, else of the
///            smallest), the axis of the middle moment, and the remaining one
///   L, T     angular momentum and kinetic energy, both constant
///   c_k      a frame in body axes with the angular momentum as its third axis, which turns about
///            it at the rate (4); S is constant
/// Everything is closed except the quadrature of (4), whose integrand is smooth and periodic: good
/// to a few units of 1e-15 times the angle turned. Not covered: w on the separatrix or parallel to
/// a principal axis, and moments that are zero or all equal.
///
/// Source: L. D. Landau, E. M. Lifshitz, Mechanics, 3rd ed., section 37.
class EulerTop {
public:
    using Vec3 = Eigen::Vector3d;
    using Mat3 = Eigen::Matrix3d;

    EulerTop(const Vec3& moments, const Vec3& omega_0, const Mat3& R_0 = Mat3::Identity())
        : J_(moments) {
        const Vec3 momentum = J_.cwiseProduct(omega_0);
        L_ = momentum.norm();
        T2_ = omega_0.dot(momentum);

        std::array<int, 3> order{0, 1, 2};
        std::sort(order.begin(), order.end(), [&](int i, int j) {
            return J_(i) < J_(j);
        });
        const bool winds_about_largest = L_ * L_ > T2_ * J_(order[1]);
        a_ = winds_about_largest ? order[2] : order[0];
        b_ = order[1];
        c_ = winds_about_largest ? order[0] : order[2];
        const double Ja = J_(a_), Jb = J_(b_), Jc = J_(c_);

        // Amplitudes from the two constants; signs such that p > 0
        const double parity = (b_ - a_ + 3) % 3 == 1 ? 1.0 : -1.0;
        const double rest = T2_ * Ja - L_ * L_;
        A_ = std::copysign(std::sqrt((L_ * L_ - T2_ * Jc) / (Ja * (Ja - Jc))), omega_0(a_));
        C_ = std::sqrt(rest / (Jc * (Ja - Jc)));
        B_ = std::copysign(std::sqrt(rest / (Jb * (Ja - Jb))), parity * (Jc - Ja) * A_);
        if (!(std::abs(B_) > 0.0 && C_ > 0.0))
            throw std::invalid_argument("EulerTop: omega is parallel to a principal axis");
        p_ = parity * (Jc - Ja) * A_ * C_ / (Jb * B_);
        k_ = std::sqrt(Jb * B_ * B_ * (Jb - Jc) / (Ja * A_ * A_ * (Ja - Jc)));
        u_0_ = boost::math::ellint_1(k_, std::atan2(omega_0(b_) / B_, omega_0(c_) / C_));

        S_ = R_0 * frame(omega_0);
    }

    Vec3 omega(double t) const {
        double cn = 0.0, dn = 0.0;
        const double sn = boost::math::jacobi_elliptic(k_, p_ * t + u_0_, &cn, &dn);
        Vec3 omega;
        omega(a_) = A_ * dn;
        omega(b_) = B_ * sn;
        omega(c_) = C_ * cn;
        return omega;
    }

    Mat3 attitude(double t) const {
        const Eigen::AngleAxisd turned(precession(t), Vec3::UnitZ());
        return S_ * turned.toRotationMatrix() * frame(omega(t)).transpose();
    }

private:
    /// [c_1 c_2 c_3] of (3).
    Mat3 frame(const Vec3& omega) const {
        Mat3 c;
        c.col(2) = J_.cwiseProduct(omega) / L_;
        c.col(1) = Vec3::Unit(a_).cross(c.col(2)).normalized();
        c.col(0) = c.col(1).cross(c.col(2));
        return c;
    }

    /// f(t), (4) integrated piecewise.
    double precession(double t) const {
        const auto rate = [this](double time) {
            const double w = omega(time)(a_);
            return L_ * (T2_ - J_(a_) * w * w) / (L_ * L_ - J_(a_) * J_(a_) * w * w);
        };
        const int num_pieces = 1 + static_cast<int>(2.0 * p_ * t);
        double f = 0.0;
        for (int i = 0; i < num_pieces; ++i)
            f += boost::math::quadrature::gauss<double, 20>::integrate(
                rate, t * i / num_pieces, t * (i + 1) / num_pieces);
        return f;
    }

    Vec3 J_;
    double L_ = 0.0, T2_ = 0.0;
    int a_ = 0, b_ = 0, c_ = 0;
    double A_ = 0.0, B_ = 0.0, C_ = 0.0;
    double p_ = 0.0, k_ = 0.0, u_0_ = 0.0;
    Mat3 S_;
};

}  // namespace ancora::testing
