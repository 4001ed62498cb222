// SPDX-License-Identifier: BSD-3-Clause
// Grouping of columns and the blocked triangular solves.
#include "supernodes.hpp"

#include <algorithm>
#include <cstddef>

namespace ancora {
namespace {

// Wider groups are cut: within a group's triangle columns go one by one, below it three by three.
constexpr int kMostColumns = 12;

// The four kernels below are compiled for AVX2 as well and chosen at load. Lanes are independent
// sums or written out, and no product is fused with a sum, so every processor gives the same bytes.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define ANCORA_VECTORISE __attribute__((target_clones("avx2", "default")))
#else
#define ANCORA_VECTORISE
#endif

// y -= [x, x + stride, x + 2 stride] c: three columns in one pass over y.
template <class Scalar>
[[gnu::always_inline]] inline void subtract_three_columns(
    double* y, const Scalar* x, std::ptrdiff_t stride, const double* c, int n) {
    const Scalar* x1 = x + stride;
    const Scalar* x2 = x1 + stride;
    for (int i = 0; i < n; ++i)
        y[i] -= static_cast<double>(x[i]) * c[0] + static_cast<double>(x1[i]) * c[1] +
                static_cast<double>(x2[i]) * c[2];
}

// out[k] = (x + k stride) . y for three columns, four partial sums each.
template <class Scalar>
[[gnu::always_inline]] inline void dot_three_columns(
    const Scalar* x, std::ptrdiff_t stride, const double* y, int n, double* out) {
    const Scalar* x1 = x + stride;
    const Scalar* x2 = x1 + stride;
    double sum0[4] = {};
    double sum1[4] = {};
    double sum2[4] = {};
    int i = 0;
    for (; i + 3 < n; i += 4)
        for (int k = 0; k < 4; ++k) {
            sum0[k] += static_cast<double>(x[i + k]) * y[i + k];
            sum1[k] += static_cast<double>(x1[i + k]) * y[i + k];
            sum2[k] += static_cast<double>(x2[i + k]) * y[i + k];
        }
    for (; i < n; ++i) {
        sum0[0] += static_cast<double>(x[i]) * y[i];
        sum1[0] += static_cast<double>(x1[i]) * y[i];
        sum2[0] += static_cast<double>(x2[i]) * y[i];
    }
    out[0] = (sum0[0] + sum0[1]) + (sum0[2] + sum0[3]);
    out[1] = (sum1[0] + sum1[1]) + (sum1[2] + sum1[3]);
    out[2] = (sum2[0] + sum2[1]) + (sum2[2] + sum2[3]);
}

ANCORA_VECTORISE void subtract_three(
    double* y, const double* x, std::ptrdiff_t stride, const double* c, int n) {
    subtract_three_columns(y, x, stride, c, n);
}
ANCORA_VECTORISE void subtract_three(
    double* y, const float* x, std::ptrdiff_t stride, const double* c, int n) {
    subtract_three_columns(y, x, stride, c, n);
}
ANCORA_VECTORISE void dot_three(
    const double* x, std::ptrdiff_t stride, const double* y, int n, double* out) {
    dot_three_columns(x, stride, y, n, out);
}
ANCORA_VECTORISE void dot_three(
    const float* x, std::ptrdiff_t stride, const double* y, int n, double* out) {
    dot_three_columns(x, stride, y, n, out);
}

// y -= x c
template <class Scalar>
void subtract(double* y, const Scalar* x, double c, int n) {
    for (int i = 0; i < n; ++i) y[i] -= static_cast<double>(x[i]) * c;
}

template <class Scalar>
double two_sums(const Scalar* x, const double* y, int n) {
    double even = 0.0;
    double odd = 0.0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        even += static_cast<double>(x[i]) * y[i];
        odd += static_cast<double>(x[i + 1]) * y[i + 1];
    }
    if (i < n) even += static_cast<double>(x[i]) * y[i];
    return even + odd;
}

}  // namespace

void Supernodes::analyse(const Eigen::SparseMatrix<double>& L) {
    groups_.clear();
    rows_.clear();
    const int n = static_cast<int>(L.outerSize());
    const int* outer = L.outerIndexPtr();
    const int* inner = L.innerIndexPtr();
    const auto count = [&](int j) {
        return outer[j + 1] - outer[j];
    };
    const auto last_of_group = [&](int first) {
        int last = first;
        while (last + 1 < n && last + 1 - first < kMostColumns &&
               count(last) == count(last + 1) + 1 && inner[outer[last]] == last + 1)
            ++last;
        return last;
    };
    // Counted first: growing step by step would allocate more often the larger L is.
    std::size_t num_groups = 0;
    std::size_t num_rows = 0;
    for (int j = 0; j < n; ++num_groups) {
        const int last = last_of_group(j);
        num_rows += static_cast<std::size_t>(count(last));
        j = last + 1;
    }
    groups_.reserve(num_groups);
    rows_.reserve(num_rows);

    long values = 0;
    int most_rows = 0;
    for (int j = 0; j < n;) {
        const int last = last_of_group(j);
        Group group;
        group.first = j;
        group.width = last + 1 - j;
        group.num_rows = count(last);
        group.rows = static_cast<int>(rows_.size());
        rows_.insert(rows_.end(), inner + outer[last], inner + outer[last + 1]);
        group.triangle = values;
        values += static_cast<long>(group.width) * group.width;
        group.block = values;
        values += static_cast<long>(group.width) * group.num_rows;
        most_rows = std::max(most_rows, group.num_rows);
        groups_.push_back(group);
        j = last + 1;
    }
    num_values_ = values;
    // Both, so that no later switch between them allocates.
    double_.reserve(static_cast<std::size_t>(values));
    single_.reserve(static_cast<std::size_t>(values));
    inverse_D_.setZero(n);
    gathered_.setZero(most_rows);
}

void Supernodes::copy(const Eigen::SparseMatrix<double>& L,
                      const Eigen::VectorXd& D,
                      bool in_single) {
    in_single_ = in_single;
    if (in_single)
        copy_values(L, single_);
    else
        copy_values(L, double_);
    inverse_D_ = D.cwiseInverse();
}

template <class Scalar>
void Supernodes::copy_values(const Eigen::SparseMatrix<double>& L, std::vector<Scalar>& to) const {
    to.resize(static_cast<std::size_t>(num_values_));
    const int* outer = L.outerIndexPtr();
    const double* value = L.valuePtr();
    const auto convert = [](const double* from, long count, Scalar* out) {
        for (long i = 0; i < count; ++i) out[i] = static_cast<Scalar>(from[i]);
    };
    for (const Group& group : groups_)
        for (int c = 0; c < group.width; ++c) {
            const double* from = value + outer[group.first + c];
            const int inside = group.width - 1 - c;
            // Both the column below the diagonal and, mirrored, its entries by rows: each of the
            // two solves then runs along memory without waiting for a sum.
            Scalar* triangle = to.data() + group.triangle;
            convert(from, inside, triangle + c * group.width + c + 1);
            for (int row = c + 1; row < group.width; ++row)
                triangle[row * group.width + c] = triangle[c * group.width + row];
            convert(from + inside,
                    group.num_rows,
                    to.data() + group.block + static_cast<long>(c) * group.num_rows);
        }
}

void Supernodes::solve(double* x) {
    if (in_single_)
        solve_with(single_.data(), x);
    else
        solve_with(double_.data(), x);
}

template <class Scalar>
void Supernodes::solve_with(const Scalar* values, double* x) {
    double* t = gathered_.data();
    // L y = r
    for (const Group& group : groups_) {
        double* own = x + group.first;
        const int* rows = rows_.data() + group.rows;
        const Scalar* triangle = values + group.triangle;
        const Scalar* block = values + group.block;
        for (int c = 0; c + 1 < group.width; ++c)
            subtract(own + c + 1, triangle + c * group.width + c + 1, own[c], group.width - 1 - c);
        if (group.width == 1) {
            for (int i = 0; i < group.num_rows; ++i) x[rows[i]] -= block[i] * own[0];
            continue;
        }
        for (int i = 0; i < group.num_rows; ++i) t[i] = x[rows[i]];
        const std::ptrdiff_t stride = group.num_rows;
        int c = 0;
        for (; c + 2 < group.width; c += 3)
            subtract_three(t, block + c * stride, stride, own + c, group.num_rows);
        for (; c < group.width; ++c) subtract(t, block + c * stride, own[c], group.num_rows);
        for (int i = 0; i < group.num_rows; ++i) x[rows[i]] = t[i];
    }
    // D L^T x = y
    for (std::size_t g = groups_.size(); g-- > 0;) {
        const Group& group = groups_[g];
        double* own = x + group.first;
        const int* rows = rows_.data() + group.rows;
        const Scalar* triangle = values + group.triangle;
        const Scalar* block = values + group.block;
        for (int i = 0; i < group.num_rows; ++i) t[i] = x[rows[i]];
        const std::ptrdiff_t stride = group.num_rows;
        for (int c = 0; c < group.width; ++c) own[c] *= inverse_D_[group.first + c];
        int c = 0;
        for (; c + 2 < group.width; c += 3) {
            double below[3];
            dot_three(block + c * stride, stride, t, group.num_rows, below);
            for (int k = 0; k < 3; ++k) own[c + k] -= below[k];
        }
        for (; c < group.width; ++c) own[c] -= two_sums(block + c * stride, t, group.num_rows);
        for (c = group.width - 1; c > 0; --c) subtract(own, triangle + c * group.width, own[c], c);
    }
}

}  // namespace ancora
