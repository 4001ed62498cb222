// SPDX-License-Identifier: BSD-3-Clause
// Solves with a matrix of which the inverse of a similar one is to hand.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Core>

namespace ancora {

/// Generalised minimal residuals, preconditioned on the right by what may change from one product
/// to the next (FGMRES; Y. Saad, SIAM J. Sci. Comput. 14 (1993) 461).
class Krylov {
public:
    static constexpr int kMostProducts = 24;

    /// x with |b - K x| <= part |b|, as far as kMostProducts lead.
    /// @param multiply  multiply(z, w): w = K z
    /// @param precondition  precondition(v, z): z is about K^-1 v; @returns whether it is finite
    /// @returns |b - K x| / |b|, in the Euclidean norm; negative: not finite
    template <class Multiply, class Precondition>
    double solve(const Multiply& multiply,
                 const Precondition& precondition,
                 const Eigen::VectorXd& b,
                 double part,
                 Eigen::VectorXd& x) {
        const Eigen::Index n = b.size();
        const double size = b.norm();
        x.setZero(n);
        num_products = 0;
        if (size == 0.0) return 0.0;
        v_.resize(kMostProducts + 1);
        z_.resize(kMostProducts);
        v_[0] = b / size;
        g_[0] = size;
        int k = 0;
        double left = 1.0;
        while (k < kMostProducts && left > part) {
            if (!precondition(v_[k], z_[k])) return -1.0;
            Eigen::VectorXd& w = v_[k + 1];
            multiply(z_[k], w);
            ++num_products;
            // Arnoldi by modified Gram-Schmidt, and Givens rotations
            std::array<double, kMostProducts + 1>& h = H_[k];
            for (int i = 0; i <= k; ++i) {
                h[i] = v_[i].dot(w);
                w -= h[i] * v_[i];
            }
            const double next = w.norm();
            for (int i = 0; i < k; ++i) {
                const double upper = c_[i] * h[i] + s_[i] * h[i + 1];
                h[i + 1] = c_[i] * h[i + 1] - s_[i] * h[i];
                h[i] = upper;
            }
            const double length = std::hypot(h[k], next);
            if (!(length > 0.0) || !std::isfinite(length)) return -1.0;
            c_[k] = h[k] / length;
            s_[k] = next / length;
            h[k] = length;
            g_[k + 1] = -s_[k] * g_[k];
            g_[k] *= c_[k];
            left = std::abs(g_[k + 1]) / size;
            ++k;
            if (!(next > 0.0)) break;
            w /= next;
        }
        for (int i = k; i-- > 0;) {
            double y = g_[i];
            for (int j = i + 1; j < k; ++j) y -= H_[j][i] * y_[j];
            y_[i] = y / H_[i][i];
            x += y_[i] * z_[i];
        }
        return left;
    }

    int num_products = 0;  ///< of the last solve

private:
    std::vector<Eigen::VectorXd> v_, z_;
    std::array<std::array<double, kMostProducts + 1>, kMostProducts> H_{};  // by columns
    std::array<double, kMostProducts + 1> g_{};
    std::array<double, kMostProducts> c_{}, s_{}, y_{};
};

}  // namespace ancora
