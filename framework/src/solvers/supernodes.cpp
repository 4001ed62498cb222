// SPDX-License-Identifier: BSD-3-Clause
// Grouping of columns and the blocked triangular solves.
#include "supernodes.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace ancora {
namespace {

// Wider groups are cut: within a group's triangle columns go one by one, below it three by three.
constexpr int kMostColumns = 12;

// What follows is compiled for AVX2 as well and chosen at load. Lanes are independent sums or
// written out, and no product is fused with a sum, so every processor gives the same bytes.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define ANCORA_VECTORISE __attribute__((target_clones("avx2", "default")))
#else
#define ANCORA_VECTORISE
#endif
#define ANCORA_INLINE [[gnu::always_inline]] inline
#define ANCORA_INLINE_LAMBDA __attribute__((always_inline))

// Four lanes: one register of AVX2, two without. Left to itself the compiler puts the three columns
// of a product side by side instead of the lanes of each.
constexpr int kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

// Written so that GCC 12 converts four numbers at once.
template <class Scalar>
ANCORA_INLINE void load(const Scalar* from, Lanes& to) {
    to = Lanes{static_cast<double>(from[0]),
               static_cast<double>(from[1]),
               static_cast<double>(from[2]),
               static_cast<double>(from[3])};
}
ANCORA_INLINE void gather(const double* x, const int* rows, Lanes& to) {
    to = Lanes{x[rows[0]], x[rows[1]], x[rows[2]], x[rows[3]]};
}
ANCORA_INLINE void scatter(const Lanes& from, double* x, const int* rows) {
    for (int k = 0; k < kLanes; ++k) x[rows[k]] = from[k];
}

// x[rows] -= [block] c: the rows below a group, three columns at a time. What is gathered stays in
// registers: memory just written in other pieces has to be waited for.
template <class Scalar, class Width>
ANCORA_INLINE void subtract_below(
    double* x, const int* rows, const Scalar* block, int n, const double* c, Width width) {
    const std::ptrdiff_t stride = n;
    int i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        Lanes y, a0, a1, a2;
        gather(x, rows + i, y);
        const Scalar* column = block + i;
        int k = 0;
        for (; k + 2 < width; k += 3, column += 3 * stride) {
            load(column, a0);
            load(column + stride, a1);
            load(column + 2 * stride, a2);
            y -= a0 * c[k] + a1 * c[k + 1] + a2 * c[k + 2];
        }
        for (; k < width; ++k, column += stride) {
            load(column, a0);
            y -= a0 * c[k];
        }
        scatter(y, x, rows + i);
    }
    for (; i < n; ++i) {
        double y = x[rows[i]];
        const Scalar* column = block + i;
        int k = 0;
        for (; k + 2 < width; k += 3, column += 3 * stride)
            y -= static_cast<double>(column[0]) * c[k] +
                 static_cast<double>(column[stride]) * c[k + 1] +
                 static_cast<double>(column[2 * stride]) * c[k + 2];
        for (; k < width; ++k, column += stride) y -= static_cast<double>(*column) * c[k];
        x[rows[i]] = y;
    }
}

// out[k] = (x + k stride) . y for three columns, four partial sums each; y(i, lanes) reads four
// numbers of it, y(i) one.
template <class Scalar, class Read>
ANCORA_INLINE void dot_three(
    const Scalar* x, std::ptrdiff_t stride, const Read& y, int n, double* out) {
    const Scalar* x1 = x + stride;
    const Scalar* x2 = x1 + stride;
    Lanes sum0 = {};
    Lanes sum1 = {};
    Lanes sum2 = {};
    int i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        Lanes of_y, a0, a1, a2;
        y(i, of_y);
        load(x + i, a0);
        load(x1 + i, a1);
        load(x2 + i, a2);
        sum0 += a0 * of_y;
        sum1 += a1 * of_y;
        sum2 += a2 * of_y;
    }
    double first0 = sum0[0];
    double first1 = sum1[0];
    double first2 = sum2[0];
    for (; i < n; ++i) {
        const double of_y = y(i);
        first0 += static_cast<double>(x[i]) * of_y;
        first1 += static_cast<double>(x1[i]) * of_y;
        first2 += static_cast<double>(x2[i]) * of_y;
    }
    out[0] = (first0 + sum0[1]) + (sum0[2] + sum0[3]);
    out[1] = (first1 + sum1[1]) + (sum1[2] + sum1[3]);
    out[2] = (first2 + sum2[1]) + (sum2[2] + sum2[3]);
}

/// Entries of a vector at some rows.
struct Gathered {
    const double* x;
    const int* rows;
    ANCORA_INLINE void operator()(int i, Lanes& to) const { gather(x, rows + i, to); }
    ANCORA_INLINE double operator()(int i) const { return x[rows[i]]; }
};
struct Contiguous {
    const double* x;
    ANCORA_INLINE void operator()(int i, Lanes& to) const { load(x + i, to); }
    ANCORA_INLINE double operator()(int i) const { return x[i]; }
};

template <class Scalar, class Read>
ANCORA_INLINE double two_sums(const Scalar* x, const Read& y, int n) {
    double even = 0.0;
    double odd = 0.0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        even += static_cast<double>(x[i]) * y(i);
        odd += static_cast<double>(x[i + 1]) * y(i + 1);
    }
    if (i < n) even += static_cast<double>(x[i]) * y(i);
    return even + odd;
}

// own := the triangle of a group, by columns, solved with own.
template <class Scalar, class Width>
ANCORA_INLINE void solve_triangle(double* own, const Scalar* triangle, Width width) {
    for (int c = 0; c + 1 < width; ++c)
        for (int row = c + 1; row < width; ++row)
            own[row] -= static_cast<double>(triangle[c * width + row]) * own[c];
}
// The same with its transpose, from the last.
template <class Scalar, class Width>
ANCORA_INLINE void solve_transposed(double* own, const Scalar* triangle, Width width) {
    for (int c = width - 1; c > 0; --c)
        for (int row = 0; row < c; ++row)
            own[row] -= static_cast<double>(triangle[c * width + row]) * own[c];
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

// A group's width as a constant, where it is one that points and rigid bodies have: what follows
// is then written out.
template <class Solve>
ANCORA_INLINE void with_width(int width, const Solve& solve) {
    switch (width) {
        case 1:
            return solve(std::integral_constant<int, 1>());
        case 3:
            return solve(std::integral_constant<int, 3>());
        case 6:
            return solve(std::integral_constant<int, 6>());
        case 12:
            return solve(std::integral_constant<int, 12>());
        default:
            return solve(width);
    }
}

// L y = r
template <class Scalar>
ANCORA_INLINE void Supernodes::solve_down(const Scalar* values, double* x) const {
    for (const Group& group : groups_)
        with_width(group.width, [&](auto width) ANCORA_INLINE_LAMBDA {
            double* own = x + group.first;
            solve_triangle(own, values + group.triangle, width);
            double c[kMostColumns];
            for (int k = 0; k < width; ++k) c[k] = own[k];
            subtract_below(
                x, rows_.data() + group.rows, values + group.block, group.num_rows, c, width);
        });
}

// D L^T x = y
template <class Scalar>
ANCORA_INLINE void Supernodes::solve_up(const Scalar* values, double* x) {
    double* t = gathered_.data();
    const double* inverse_D = inverse_D_.data();
    for (std::size_t g = groups_.size(); g-- > 0;) {
        const Group& group = groups_[g];
        const int* rows = rows_.data() + group.rows;
        const Scalar* block = values + group.block;
        const int n = group.num_rows;
        double* own = x + group.first;
        with_width(group.width, [&](auto width) ANCORA_INLINE_LAMBDA {
            for (int c = 0; c < width; ++c) own[c] *= inverse_D[group.first + c];
            double below[3];
            int c = 0;
            if (width <= 3) {
                const Gathered y{x, rows};
                for (; c + 2 < width; c += 3) {
                    dot_three(block, n, y, n, below);
                    for (int k = 0; k < 3; ++k) own[k] -= below[k];
                }
                for (; c < width; ++c) own[c] -= two_sums(block + std::ptrdiff_t(c) * n, y, n);
            } else {
                for (int i = 0; i < n; ++i) t[i] = x[rows[i]];
                const Contiguous y{t};
                for (; c + 2 < width; c += 3) {
                    dot_three(block + std::ptrdiff_t(c) * n, n, y, n, below);
                    for (int k = 0; k < 3; ++k) own[c + k] -= below[k];
                }
                for (; c < width; ++c) own[c] -= two_sums(block + std::ptrdiff_t(c) * n, y, n);
            }
            solve_transposed(own, values + group.triangle, width);
        });
    }
}

ANCORA_VECTORISE void Supernodes::solve_with(const float* values, double* x) {
    solve_down(values, x);
    solve_up(values, x);
}
ANCORA_VECTORISE void Supernodes::solve_with(const double* values, double* x) {
    solve_down(values, x);
    solve_up(values, x);
}

void Supernodes::solve(double* x) {
    if (in_single_)
        solve_with(single_.data(), x);
    else
        solve_with(double_.data(), x);
}

}  // namespace ancora
