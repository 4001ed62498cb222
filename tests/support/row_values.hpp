// SPDX-License-Identifier: BSD-3-Clause
// What a source of rows says, as vectors and full matrices.
#pragma once

#include <cmath>
#include <random>
#include <span>

#include <Eigen/Core>

#include "ancora/sdk/rows.hpp"

namespace ancora::testing {

using Eigen::MatrixXd;
using Eigen::VectorXd;

inline std::span<double> span(VectorXd& x) {
    return {x.data(), x.data() + x.size()};
}
inline std::span<const double> span(const VectorXd& x) {
    return {x.data(), x.data() + x.size()};
}

/// Rows of block 0, A on all of u.
struct Rows {
    VectorXd pi, b, pi_t;
    MatrixXd A;
};

inline MatrixXd spread(const RowBlock& block, const VectorXd& values, Eigen::Index width) {
    MatrixXd out = MatrixXd::Zero(block.rows_per_item, width);
    for (Eigen::Index k = 0; k < out.rows(); ++k)
        for (Eigen::Index j = 0; j < block.scalars_per_item; ++j)
            out(k, block.stencil[j]) += values(k * block.scalars_per_item + j);
    return out;
}

inline Rows evaluate(const RowSource& source, const VectorXd& u, const VectorXd& du) {
    const RowBlock& block = source.row_blocks()[0];
    Rows out;
    // what is not written shows
    out.pi = out.b = out.pi_t = VectorXd::Constant(block.rows_per_item, NAN);
    VectorXd A = VectorXd::Constant(block.rows_per_item * block.scalars_per_item, NAN);
    source.evaluate(
        0, {span(u), span(du), 0.0}, {span(out.pi), span(A), span(out.pi_t), span(out.b)});
    out.A = spread(block, A, u.size());
    return out;
}

/// B over a step of h.
inline MatrixXd discrete(const RowSource& source,
                         const VectorXd& u0,
                         const VectorXd& du,
                         double h) {
    const RowBlock& block = source.row_blocks()[0];
    VectorXd B = VectorXd::Constant(block.rows_per_item * block.scalars_per_item, NAN);
    VectorXd work0 = VectorXd::Zero(block.rows_per_item), work1 = work0;
    const VectorXd mid = u0 + 0.5 * du, u1 = u0 + du, rate = du / h;
    source.evaluate_step(0,
                         {span(u0), span(du), span(mid), span(u1), span(rate), 0.0, h, {}, {}},
                         {span(B), {}, span(work0), span(work1)});
    return spread(block, B, u0.size());
}

/// Random numbers between -1 and 1.
class Numbers {
public:
    explicit Numbers(unsigned seed) : engine_(seed) {}
    VectorXd vector(Eigen::Index size) {
        return VectorXd::NullaryExpr(size, [this] {
            return uniform_(engine_);
        });
    }

private:
    std::mt19937 engine_;
    std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

}  // namespace ancora::testing
