// SPDX-License-Identifier: BSD-3-Clause
// Compares what a row source says with differences of its own rows, for an author's test.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "ancora/sdk/rows.hpp"

namespace ancora::test {

/// Largest errors of a block, absolute, in the units of what they are errors of. The differences
/// themselves err by about 1e-11 where u, du and the rows are of order one; `discrete` does not.
struct RowErrors {
    double jacobian = 0.0;  ///< A against differences of pi; of psi by the rates in velocity rows
    double time = 0.0;      ///< pi_t against differences of pi
    double bias = 0.0;      ///< b against differences along the motion u + tau du
    double discrete = 0.0;  ///< B du + tau against the change of pi, or h psi
    double tangent = 0.0;   ///< G against differences of A^T s with s = 1, where it is supplied
};

namespace detail {

/// Calls one block with room for its results.
class RowProbe {
public:
    using Numbers = std::vector<double>;

    RowProbe(const RowSource& source, int block)
        : source_(source),
          index_(block),
          block_(source.row_blocks()[static_cast<std::size_t>(block)]),
          rows_(std::size_t(block_.num_items) * std::size_t(block_.rows_per_item)),
          scalars_(std::size_t(block_.scalars_per_item)),
          is_velocity_(is_velocity_kind(block_.laws[0].kind)) {}

    const RowBlock& block() const { return block_; }
    bool is_velocity() const { return is_velocity_; }
    std::size_t rows() const { return rows_; }

    /// pi, or psi = A u' + pi_t.
    Numbers value(const Numbers& u, const Numbers& du, double t) const {
        Numbers out(rows_, kUnwritten);
        if (!is_velocity_) {
            source_.evaluate(index_, {u, du, t}, {out, {}, {}, {}});
            return out;
        }
        Numbers A(rows_ * scalars_, kUnwritten);
        source_.evaluate(index_, {u, du, t}, {{}, A, out, {}});
        for (std::size_t row = 0; row < rows_; ++row) out[row] += times(A, row, du);
        return out;
    }
    Numbers A(const Numbers& u, const Numbers& du, double t) const {
        Numbers out(rows_ * scalars_, kUnwritten);
        source_.evaluate(index_, {u, du, t}, {{}, out, {}, {}});
        return out;
    }
    Numbers b(const Numbers& u, const Numbers& du, double t) const {
        Numbers out(rows_, kUnwritten);
        source_.evaluate(index_, {u, du, t}, {{}, {}, {}, out});
        return out;
    }
    Numbers pi_t(const Numbers& u, const Numbers& du, double t) const {
        Numbers out(rows_, kUnwritten);
        source_.evaluate(index_, {u, du, t}, {{}, {}, out, {}});
        return out;
    }
    /// B du + tau of a step.
    Numbers increment(const Numbers& u, const Numbers& du, double t, double h) const {
        Numbers mid(u), u1(u), rate(du), B(rows_ * scalars_, kUnwritten), work0(rows_),
            work1(rows_), out(rows_, 0.0);
        for (std::size_t j = 0; j < u.size(); ++j) {
            mid[j] += 0.5 * du[j];
            u1[j] += du[j];
            rate[j] /= h;
        }
        RowStep step;
        step.u0 = u;
        step.du = du;
        step.mid = mid;
        step.u1 = u1;
        step.rate = rate;
        step.t0 = t;
        step.h = h;
        RowStepValues values;
        values.B = B;
        if (block_.depends_on_time) values.tau = out;
        values.work0 = work0;
        values.work1 = work1;
        source_.evaluate_step(index_, step, values);
        for (std::size_t row = 0; row < rows_; ++row) out[row] += times(B, row, du);
        return out;
    }
    /// G of one item with all s = 1, dense.
    Numbers tangent(const Numbers& u, std::size_t item) const {
        const bool isotropic = block_.tangent == TangentForm::isotropic;
        const std::size_t n = isotropic ? scalars_ / 3 : scalars_;
        Numbers K(std::size_t(block_.num_items) * n * n, kUnwritten);
        const Numbers s(rows_, 1.0);
        source_.evaluate_tangent(index_, {.mid = u, .s = s}, K);
        Numbers G(scalars_ * scalars_, 0.0);
        for (std::size_t i = 0; i < scalars_; ++i)
            for (std::size_t j = 0; j < scalars_; ++j) {
                if (isotropic && i % 3 != j % 3) continue;
                G[i * scalars_ + j] = K[item * n * n + (isotropic ? i / 3 * n + j / 3 : i * n + j)];
            }
        return G;
    }
    std::size_t scalars() const { return scalars_; }
    std::size_t column(std::size_t row, std::size_t j) const {
        const std::size_t item = row / std::size_t(block_.rows_per_item);
        return std::size_t(block_.stencil[item * scalars_ + j]);
    }

private:
    static constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();

    double times(const Numbers& entries, std::size_t row, const Numbers& x) const {
        double sum = 0.0;
        for (std::size_t j = 0; j < scalars_; ++j)
            sum += entries[row * scalars_ + j] * x[column(row, j)];
        return sum;
    }

    const RowSource& source_;
    int index_;
    const RowBlock& block_;
    std::size_t rows_, scalars_;
    bool is_velocity_;
};

/// First and second derivative at 0 of a function with vector values, to fourth order.
template <class Function>
std::array<std::vector<double>, 2> derivatives_of(const Function& f) {
    constexpr double h = 0x1p-9;
    const auto a = f(-2 * h), b = f(-h), m = f(0.0), c = f(h), d = f(2 * h);
    std::array<std::vector<double>, 2> out = {m, m};
    for (std::size_t i = 0; i < m.size(); ++i) {
        out[0][i] = (8 * (c[i] - b[i]) - (d[i] - a[i])) / (12 * h);
        out[1][i] = (16 * (c[i] - 2 * m[i] + b[i]) - (d[i] - 2 * m[i] + a[i])) / (12 * h * h);
    }
    return out;
}

/// Raises `largest` to |a - b|; NaN counts as infinitely wrong.
inline void raise(double& largest, double a, double b) {
    const double off = std::abs(a - b);
    if (!(off <= largest)) largest = off == off ? off : std::numeric_limits<double>::infinity();
}

}  // namespace detail

/// Evaluates block `block` at u with rates du, and over a step of length h from u by du.
inline RowErrors row_errors(const RowSource& source,
                            int block,
                            const std::vector<double>& u,
                            const std::vector<double>& du,
                            double t = 0.0,
                            double h = 0.1) {
    using Numbers = std::vector<double>;
    const detail::RowProbe rows(source, block);
    const auto along = [](const Numbers& from, const Numbers& by, double x) {
        Numbers out(from);
        for (std::size_t j = 0; j < from.size(); ++j) out[j] += x * by[j];
        return out;
    };
    const auto unit = [&](std::size_t j) {
        Numbers out(u.size(), 0.0);
        out[j] = 1.0;
        return out;
    };
    RowErrors errors;
    const std::size_t S = rows.scalars();
    const Numbers A = rows.A(u, du, t);

    for (std::size_t k = 0; k < u.size(); ++k) {
        const auto by_u = detail::derivatives_of([&](double x) {
            return rows.is_velocity() ? rows.value(u, along(du, unit(k), x), t)
                                      : rows.value(along(u, unit(k), x), du, t);
        });
        for (std::size_t row = 0; row < rows.rows(); ++row) {
            double entry = 0.0;
            for (std::size_t j = 0; j < S; ++j)
                if (rows.column(row, j) == k) entry += A[row * S + j];
            detail::raise(errors.jacobian, entry, by_u[0][row]);
        }
    }

    // Along the motion with u'' = 0: pi'' = -b, psi' = -b
    const auto by_motion = detail::derivatives_of([&](double tau) {
        return rows.value(along(u, du, tau), du, t + tau);
    });
    const Numbers b = rows.b(u, du, t);
    for (std::size_t row = 0; row < rows.rows(); ++row)
        detail::raise(errors.bias, b[row], -by_motion[rows.is_velocity() ? 0 : 1][row]);

    const Numbers increment = rows.increment(u, du, t, h);
    if (rows.is_velocity()) {
        Numbers rate(du);
        for (double& x : rate) x /= h;
        const Numbers psi = rows.value(along(u, du, 0.5), rate, t + 0.5 * h);
        for (std::size_t row = 0; row < rows.rows(); ++row)
            detail::raise(errors.discrete, increment[row], h * psi[row]);
        return errors;
    }
    const Numbers before = rows.value(u, du, t);
    const Numbers after = rows.value(along(u, du, 1.0), du, t + h);
    for (std::size_t row = 0; row < rows.rows(); ++row)
        detail::raise(errors.discrete, increment[row], after[row] - before[row]);

    const Numbers pi_t = rows.pi_t(u, du, t);
    const auto by_time = detail::derivatives_of([&](double tau) {
        return rows.value(u, du, t + tau);
    });
    for (std::size_t row = 0; row < rows.rows(); ++row)
        detail::raise(errors.time, pi_t[row], by_time[0][row]);

    if (rows.block().tangent == TangentForm::none) return errors;
    const auto per_item = std::size_t(rows.block().rows_per_item);
    for (std::size_t item = 0; item < std::size_t(rows.block().num_items); ++item) {
        const Numbers G = rows.tangent(u, item);
        for (std::size_t j = 0; j < S; ++j) {
            const Numbers by_u = detail::derivatives_of([&](double x) {
                return rows.A(along(u, unit(rows.column(item * per_item, j)), x), du, t);
            })[0];
            for (std::size_t i = 0; i < S; ++i) {
                double sum = 0.0;
                for (std::size_t r = 0; r < per_item; ++r)
                    sum += by_u[(item * per_item + r) * S + i];
                detail::raise(errors.tangent, G[i * S + j], sum);
            }
        }
    }
    return errors;
}

}  // namespace ancora::test
