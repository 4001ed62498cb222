// SPDX-License-Identifier: BSD-3-Clause
// The tangent G = sum_k s_k d2 pi_k / dx2 of an author's function, and its positive part.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "ancora/sdk/authoring/row_function.hpp"

namespace ancora {

namespace detail {

/// Whether sign G is positive semidefinite, but for rounding: it has a Cholesky factor.
template <std::size_t n>
bool is_nonnegative(const double* G, double sign) {
    constexpr double kRounding = 1e-13;
    double scale = 0.0;
    for (std::size_t i = 0; i < n; ++i) scale = std::max(scale, std::abs(G[i * n + i]));
    std::array<std::array<double, n>, n> L;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = sign * G[i * n + j] + (i == j ? kRounding * scale : 0.0);
            for (std::size_t k = 0; k < j; ++k) rest -= L[i][k] * L[j][k];
            if (i == j) {
                if (!(rest > 0.0)) return false;
                L[i][i] = std::sqrt(rest);
            } else {
                L[i][j] = rest / L[j][j];
            }
        }
    return true;
}

}  // namespace detail

/// [step] Replaces a symmetric matrix by its positive semidefinite part, with Jacobi's rotations:
/// for the few rows and columns of an item, and light to compile.
template <std::size_t n>
void keep_positive_part(double* G) {
    if (detail::is_nonnegative<n>(G, 1.0)) return;
    if (detail::is_nonnegative<n>(G, -1.0)) {
        std::fill_n(G, n * n, 0.0);
        return;
    }
    using Matrix = std::array<std::array<double, n>, n>;
    Matrix A, V{};
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) A[i][j] = G[i * n + j];
        V[i][i] = 1.0;
    }
    constexpr double kSquareOfRounding = 1e-30;
    constexpr int kMaxSweeps = 30;  // five are usual
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        double beside = 0.0, whole = 0.0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                whole += A[i][j] * A[i][j];
                if (i != j) beside += A[i][j] * A[i][j];
            }
        if (!(beside > kSquareOfRounding * whole)) break;
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                if (A[p][q] == 0.0) continue;
                // The rotation of axes p and q that makes A_pq vanish: t = tan of the angle
                const double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
                const double t =
                    std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
                const double c = 1.0 / std::sqrt(t * t + 1.0);
                const double s = t * c;
                const auto turn = [c, s](double& x, double& y) {
                    const double old = x;
                    x = c * old - s * y;
                    y = s * old + c * y;
                };
                for (std::size_t k = 0; k < n; ++k) turn(A[k][p], A[k][q]);
                for (std::size_t k = 0; k < n; ++k) turn(A[p][k], A[q][k]);
                for (std::size_t k = 0; k < n; ++k) turn(V[k][p], V[k][q]);
            }
    }
    std::fill_n(G, n * n, 0.0);
    for (std::size_t m = 0; m < n; ++m) {
        if (!(A[m][m] > 0.0)) continue;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) G[i * n + j] += A[m][m] * V[i][m] * V[j][m];
    }
}

/// The tangent of one item's rows. Where the function is quadratic its second derivatives are
/// constants, which are found once with their positive parts; a K with G = K (x) I_3 is then found
/// as well. Elsewhere they are derived at each call. `Function` is a RowFunction.
class RowTangent {
public:
    /// [assembly]
    template <class Function, class Author>
    void prepare(const Author& author, const FunctionTraits& traits) {
        form_ = TangentForm::none;
        constants_.clear();
        if constexpr (Function::kIsTemplate) {
            if (traits.degree == Degree::linear || traits.has_timed_tangent) return;
            form_ = TangentForm::full;
            if (traits.degree != Degree::quadratic) return;
            try {
                split_constants<Function>(author);
            } catch (const std::domain_error&) {
                constants_.clear();
            }
        }
    }

    TangentForm form() const { return form_; }
    /// [assembly] To derive it at each call.
    void make_full() {
        form_ = TangentForm::full;
        constants_.clear();
    }

    /// [step] `x`: the arguments' scalars at the midpoint.
    template <class Function, class Author>
    void evaluate(const Author& author,
                  const double* x,
                  std::span<const double> s,
                  bool positive_part,
                  std::span<double> G) const {
        if constexpr (Function::kIsTemplate) {
            if (form_ == TangentForm::none) return;
            if (!constants_.empty()) return add_constants(s, positive_part, G);
            try {
                Function::tangent(author, x, detail::kSomeTime, s.data(), G.data());
            } catch (const std::domain_error&) {
                // It has no value at that time; what shapes the iteration alone may be left out
                std::ranges::fill(G, 0.0);
                return;
            }
            if (!std::ranges::all_of(G, detail::is_finite))
                std::ranges::fill(G, 0.0);
            else if (positive_part)
                keep_positive_part<Function::kWidth>(G.data());
        }
    }

private:
    /// H and its positive part, one after the other for each row.
    template <class Function, class Author>
    void split_constants(const Author& author) {
        constexpr std::size_t kWidth = Function::kWidth;
        using Matrix = std::array<double, kWidth * kWidth>;
        const std::array<double, kWidth> origin{};
        std::array<Matrix, Function::kRows> H;
        bool is_isotropic = !Function::kHasScalars;
        for (std::size_t r = 0; r < Function::kRows; ++r) {
            typename Function::Rows s{};
            s[r] = 1.0;
            Function::tangent(author, origin.data(), detail::kSomeTime, s.data(), H[r].data());
            if (!std::ranges::all_of(H[r], detail::is_finite)) return;
            is_isotropic = is_isotropic && is_isotropic_matrix<kWidth>(H[r].data());
        }
        if constexpr (!Function::kHasScalars) {
            if (is_isotropic) {
                constexpr std::size_t kVectors = kWidth / 3;
                form_ = TangentForm::isotropic;
                for (const Matrix& full : H) {
                    std::array<double, kVectors * kVectors> K;
                    for (std::size_t i = 0; i < kVectors; ++i)
                        for (std::size_t j = 0; j < kVectors; ++j)
                            K[i * kVectors + j] = full[3 * i * kWidth + 3 * j];
                    keep<kVectors>(K);
                }
                return;
            }
        }
        for (Matrix& full : H) keep<kWidth>(full);
    }
    template <std::size_t kSize>
    void keep(std::array<double, kSize * kSize>& K) {
        constants_.insert(constants_.end(), K.begin(), K.end());
        keep_positive_part<kSize>(K.data());
        constants_.insert(constants_.end(), K.begin(), K.end());
    }
    /// Whether every 3 x 3 block is a multiple of the identity.
    template <std::size_t kWidth>
    static bool is_isotropic_matrix(const double* H) {
        for (std::size_t i = 0; i < kWidth; ++i)
            for (std::size_t j = 0; j < kWidth; ++j) {
                const double expected = i % 3 == j % 3 ? H[i / 3 * 3 * kWidth + j / 3 * 3] : 0.0;
                if (H[i * kWidth + j] != expected) return false;
            }
        return true;
    }

    /// The positive part of each row by itself: s H+ or, for s < 0, s (H - H+). Their sum is not
    /// less than the positive part of the sum.
    void add_constants(std::span<const double> s, bool positive_part, std::span<double> G) const {
        const std::size_t size = G.size();
        std::ranges::fill(G, 0.0);
        for (std::size_t r = 0; r < s.size(); ++r) {
            const double* H = constants_.data() + 2 * r * size;
            const double* positive = H + size;
            for (std::size_t k = 0; k < size; ++k)
                G[k] += s[r] * (!positive_part ? H[k]
                                : s[r] > 0.0   ? positive[k]
                                               : H[k] - positive[k]);
        }
    }

    TangentForm form_ = TangentForm::none;
    std::vector<double> constants_;
};

}  // namespace ancora
