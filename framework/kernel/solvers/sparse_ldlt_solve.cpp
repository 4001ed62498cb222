// SPDX-License-Identifier: BSD-3-Clause
// The triangular solves.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <utility>

#include "lanes.hpp"
#include "sparse_ldlt.hpp"

namespace ancora {
namespace {

// Wider panels are taken in pieces: within a piece's triangle columns go one by one, below it three
// by three.
constexpr int kPieceColumns = 12;

// x[rows] -= [block] c: the rows below a piece, three columns at a time. What is gathered stays in
// registers: memory just written in other pieces has to be waited for.
template <class Scalar, class Width>
ANCORA_INLINE void subtract_below(double* x,
                                  const int* rows,
                                  const Scalar* block,
                                  std::ptrdiff_t stride,
                                  int n,
                                  const double* c,
                                  Width width) {
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
/// Whether the first n numbers are zero, whose part of a solve is zero then.
ANCORA_INLINE bool are_zero(const double* x, int n) {
    int i = 0;
    while (i < n && x[i] == 0.0) ++i;
    return i == n;
}
ANCORA_INLINE bool are_zero(const Gathered& x, int n) {
    int i = 0;
    while (i < n && x(i) == 0.0) ++i;
    return i == n;
}
struct Contiguous {
    const double* x;
    ANCORA_INLINE void operator()(int i, Lanes& to) const { load(x + i, to); }
    ANCORA_INLINE double operator()(int i) const { return x[i]; }
};

/// x . y in two partial sums, whose additions need not wait for each other. The order of
/// additions is written out, so that compilers and processors have no choice of it.
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

/// A piece's own entries in registers, with room behind the last.
template <int kWidth>
struct Own {
    static constexpr int kCount = (kWidth + kLanes - 1) / kLanes;
    Lanes of[kCount];

    ANCORA_INLINE explicit Own(const double* x) {
        for (int l = 0; l < kCount; ++l)
            for (int k = 0; k < kLanes; ++k)
                of[l][k] = l * kLanes + k < kWidth ? x[l * kLanes + k] : 0.0;
    }
    ANCORA_INLINE double get(int c) const { return of[c / kLanes][c % kLanes]; }
    // What a column of the triangle takes from them. Entries that are solved for already are
    // spoiled, so that they have to be read before; the room behind takes what stands there.
    template <class Scalar>
    ANCORA_INLINE void subtract(const Scalar* column, double x, int first, int end) {
        for (int l = first; l < end; ++l) {
            Lanes a;
            load(column + l * kLanes, a);
            of[l] -= a * x;
        }
    }
};

// c := the triangle of a piece, by columns, solved with own.
template <class Scalar, int kWidth>
ANCORA_INLINE void solve_triangle(const double* own,
                                  const Scalar* triangle,
                                  std::ptrdiff_t stride,
                                  std::integral_constant<int, kWidth>,
                                  double* c) {
    Own<kWidth> y(own);
    for (int k = 0; k < kWidth; ++k) {
        c[k] = y.get(k);
        y.subtract(triangle + k * stride, c[k], (k + 1) / kLanes, y.kCount);
    }
}
// The same with its transpose, from the last.
template <class Scalar, int kWidth>
ANCORA_INLINE void solve_transposed(double* own,
                                    const Scalar* triangle,
                                    std::ptrdiff_t stride,
                                    std::integral_constant<int, kWidth>) {
    Own<kWidth> y(own);
    for (int k = kWidth - 1; k >= 0; --k) {
        own[k] = y.get(k);
        y.subtract(triangle + k * stride, own[k], 0, (k + kLanes - 1) / kLanes);
    }
}

// A piece's width as a constant: what follows is then written out.
template <class Solve>
ANCORA_INLINE void with_width(int width, const Solve& solve) {
    const auto of = [&solve]<int... kLess>(int wanted, std::integer_sequence<int, kLess...>)
        ANCORA_INLINE_LAMBDA {
        ((wanted == kLess + 1 && (solve(std::integral_constant<int, kLess + 1>()), true)) || ...);
    };
    of(width, std::make_integer_sequence<int, kPieceColumns>());
}

}  // namespace

void SparseLdlt::add_pieces(int s) {
    const int width = supernodes_.width(s);
    const int height = supernodes_.height(s);
    // L of a piece is [T; R]: T unit lower triangular, width x width, R the rows below,
    // among them those of later pieces of the same supernode.
    for (int first = 0; first < width; first += kPieceColumns) {
        const int columns = std::min(kPieceColumns, width - first);
        Piece piece;
        piece.first = supernodes_.first_column(s) + first;
        piece.width = columns;
        piece.num_rows = height - first - columns;
        piece.stride = height;
        piece.rows = supernodes_.rows(s).data() + first + columns;
        piece.down = piece.rows;
        piece.triangle = supernodes_.panel(s) + static_cast<long>(first) * height + first;
        pieces_.push_back(piece);
    }
}

void SparseLdlt::lay_out_pieces() {
    pieces_.clear();
    down_rows_.clear();
    stages_ = {};
    // The sequence of pieces is parts, subtrees of the separator, top: columns are updated
    // by columns earlier in it alone.
    if (parts_.parts.empty()) {
        first_above_ = 0;
        for (const int s : parts_.separator) add_pieces(s);
        return;
    }
    std::vector<std::vector<int>> parts, subtrees;
    for (const FactorParts::Range& part : parts_.parts) {
        parts.emplace_back(static_cast<std::size_t>(part.end - part.first));
        std::iota(parts.back().begin(), parts.back().end(), part.first);
    }
    std::size_t above = 0;
    std::vector<int> top;
    for (const FactorParts::Range& subtree : parts_.subtrees) {
        const auto begin = static_cast<std::size_t>(subtree.first);
        const auto end = static_cast<std::size_t>(subtree.end);
        for (; above < begin; ++above) top.push_back(parts_.separator[above]);
        subtrees.emplace_back();
        for (; above < end; ++above) subtrees.back().push_back(parts_.separator[above]);
    }
    for (; above < parts_.separator.size(); ++above) top.push_back(parts_.separator[above]);

    const auto columns_of = [&](const std::vector<int>& supernodes) {
        std::vector<int> columns;
        for (const int s : supernodes)
            for (int c = supernodes_.first_column(s); c < supernodes_.first_column(s + 1); ++c)
                columns.push_back(c);
        return columns;
    };
    // work_ is x, n entries, and behind it the reached entries of the parts and then of the
    // subtrees.
    work_.assign(supernodes_.first_column(supernodes_.size()), 0.0);
    lay_out_stage(stages_[0], parts, columns_of(parts_.separator));
    lay_out_stage(stages_[1], subtrees, columns_of(top));
    const int* rows = down_rows_.data();
    for (Piece& piece : pieces_) {
        piece.down = rows;
        rows += piece.num_rows;
    }
    first_above_ = static_cast<int>(pieces_.size());
    for (const int s : top) add_pieces(s);
}

/// Each group has its own entries for contributions of columns above, of those columns alone that
/// it reaches: a subtree reaches few columns of the separator.
void SparseLdlt::lay_out_stage(Stage& stage,
                               const std::vector<std::vector<int>>& groups,
                               const std::vector<int>& above) {
    if (groups.empty()) return;
    const int n = supernodes_.first_column(supernodes_.size());
    std::vector<char> is_above(static_cast<std::size_t>(n), 0);
    for (const int column : above) is_above[column] = 1;
    std::vector<int> place(is_above.size(), -1);  // of each column that the group reaches, in work_
    stage.workspace = work_.size();
    stage.first_piece.push_back(static_cast<int>(pieces_.size()));
    stage.first_reached.push_back(0);
    // A group changes its own entries of x in place, and those above by way
    // of entries of its own: groups never write to the same number, so that
    // threads need no locks and sums have a fixed order.
    for (const std::vector<int>& group : groups) {
        for (const int s : group) add_pieces(s);
        for (auto g = static_cast<std::size_t>(stage.first_piece.back()); g < pieces_.size(); ++g) {
            const Piece& piece = pieces_[g];
            for (int i = 0; i < piece.num_rows; ++i) {
                const auto row = static_cast<std::size_t>(piece.rows[i]);
                if (is_above[row] != 0 && place[row] < 0) {
                    place[row] = static_cast<int>(stage.workspace + stage.reached.size());
                    stage.reached.push_back(piece.rows[i]);
                }
                down_rows_.push_back(is_above[row] != 0 ? place[row] : piece.rows[i]);
            }
        }
        // Only what was reached is reset: a group costs what it touches, not n.
        for (std::size_t r = stage.first_reached.back(); r < stage.reached.size(); ++r)
            place[stage.reached[r]] = -1;
        stage.first_piece.push_back(static_cast<int>(pieces_.size()));
        stage.first_reached.push_back(stage.reached.size());
    }
    work_.resize(stage.workspace + stage.reached.size(), 0.0);
}

// L y = r
template <class Scalar>
ANCORA_INLINE void SparseLdlt::solve_down(const Scalar* values,
                                          int begin,
                                          int end,
                                          double* x) const {
    for (int g = begin; g < end; ++g) {
        const Piece& piece = pieces_[g];
        with_width(piece.width, [&](auto width) ANCORA_INLINE_LAMBDA {
            // c = T^-1 x_own, x_own = c, x_rows -= R c
            double* own = x + piece.first;
            if (are_zero(own, width)) return;  // below as well: a unit force acts on few trees
            const Scalar* triangle = values + piece.triangle;
            double c[kPieceColumns];
            solve_triangle(own, triangle, piece.stride, width, c);
            for (int k = 0; k < width; ++k) own[k] = c[k];
            subtract_below(x, piece.down, triangle + width, piece.stride, piece.num_rows, c, width);
        });
    }
}

// D L^T x = y
template <class Scalar>
ANCORA_INLINE void SparseLdlt::solve_up(
    const Scalar* values, int begin, int end, double* x, double* t) const {
    const double* inverse_D = inverse_D_.data();
    for (int g = end - 1; g >= begin; --g) {
        const Piece& piece = pieces_[g];
        const int* rows = piece.rows;
        const int n = piece.num_rows;
        const std::ptrdiff_t stride = piece.stride;
        double* own = x + piece.first;
        with_width(piece.width, [&](auto width) ANCORA_INLINE_LAMBDA {
            if (are_zero(own, width) && are_zero(Gathered{x, rows}, n)) return;
            const Scalar* triangle = values + piece.triangle;
            const Scalar* block = triangle + width;
            // x_own = T^-T (D^-1 x_own - R^T x_rows)
            for (int c = 0; c < width; ++c) own[c] *= inverse_D[piece.first + c];
            double below[3];
            int c = 0;
            // A narrow piece reads x_rows where it is. A wider one copies it first,
            // which pays from the second group of three columns on.
            if (width <= 3) {
                const Gathered y{x, rows};
                for (; c + 2 < width; c += 3) {
                    dot_three(block, stride, y, n, below);
                    for (int k = 0; k < 3; ++k) own[k] -= below[k];
                }
                for (; c < width; ++c) own[c] -= two_sums(block + c * stride, y, n);
            } else {
                for (int i = 0; i < n; ++i) t[i] = x[rows[i]];
                const Contiguous y{t};
                for (; c + 2 < width; c += 3) {
                    dot_three(block + c * stride, stride, y, n, below);
                    for (int k = 0; k < 3; ++k) own[c + k] -= below[k];
                }
                for (; c < width; ++c) own[c] -= two_sums(block + c * stride, y, n);
            }
            solve_transposed(own, triangle, stride, width);
        });
    }
}

ANCORA_VECTORISE void SparseLdlt::down(const float* values, int begin, int end, double* x) const {
    solve_down(values, begin, end, x);
}
ANCORA_VECTORISE void SparseLdlt::down(const double* values, int begin, int end, double* x) const {
    solve_down(values, begin, end, x);
}
ANCORA_VECTORISE void SparseLdlt::up(
    const float* values, int begin, int end, double* x, double* gathered) const {
    solve_up(values, begin, end, x, gathered);
}
ANCORA_VECTORISE void SparseLdlt::up(
    const double* values, int begin, int end, double* x, double* gathered) const {
    solve_up(values, begin, end, x, gathered);
}

template <class Scalar>
void SparseLdlt::stage_down(const Stage& stage, const Scalar* values) {
    double* const work = work_.data();
    double* const taken = work + stage.workspace;
    for_each_of(stage.size(), [&](int i, int) {
        const auto p = static_cast<std::size_t>(i);
        std::fill(taken + stage.first_reached[p], taken + stage.first_reached[p + 1], 0.0);
        down(values, stage.first_piece[p], stage.first_piece[p + 1], work);
    });
    // Group after group: of each column the terms of its sum keep their order.
    for (std::size_t r = 0; r < stage.reached.size(); ++r) work[stage.reached[r]] += taken[r];
}

template <class Scalar>
void SparseLdlt::stage_up(const Stage& stage, const Scalar* values) {
    // Columns above a group are solved for already, and a group writes to its own columns alone.
    for_each_of(stage.size(), [&](int i, int k) {
        const auto p = static_cast<std::size_t>(i);
        up(values,
           stage.first_piece[p],
           stage.first_piece[p + 1],
           work_.data(),
           scratch_[k].gathered.data());
    });
}

template <class Scalar>
void SparseLdlt::solve_with(const Scalar* values, double* x) {
    const auto end = static_cast<int>(pieces_.size());
    double* const gathered = scratch_.front().gathered.data();
    if (parts_.parts.empty()) {
        down(values, 0, end, x);
        up(values, 0, end, x, gathered);
        return;
    }
    // L y = r from the subtrees up to the root, then D L^T x = y from the root down.
    std::copy_n(x, D_.size(), work_.data());
    stage_down(stages_[0], values);
    stage_down(stages_[1], values);
    down(values, first_above_, end, work_.data());
    up(values, first_above_, end, work_.data(), gathered);
    stage_up(stages_[1], values);
    stage_up(stages_[0], values);
    std::copy_n(work_.data(), D_.size(), x);
}

ANCORA_VECTORISE void SparseLdlt::solve_side_by_side(double* x) const {
    // A lane is a right-hand side: an entry of L is loaded once for all,
    // and no sum runs across lanes.
    const auto read = [x](int i, Lanes& to) ANCORA_INLINE_LAMBDA {
        load(x + kLanes * std::ptrdiff_t(i), to);
    };
    const auto write = [x](const Lanes& from, int i) ANCORA_INLINE_LAMBDA {
        store(from, x + kLanes * std::ptrdiff_t(i));
    };
    // L y = r, piece by piece
    for (const Piece& piece : pieces_) {
        const double* triangle = values_.data() + piece.triangle;
        Lanes own[kPieceColumns];
        for (int c = 0; c < piece.width; ++c) {
            read(piece.first + c, own[c]);
            for (int k = 0; k < c; ++k)
                own[c] -= triangle[k * std::ptrdiff_t(piece.stride) + c] * own[k];
            write(own[c], piece.first + c);
        }
        const double* row = triangle + piece.width;
        for (int i = 0; i < piece.num_rows; ++i, ++row) {
            Lanes y;
            read(piece.rows[i], y);
            for (int k = 0; k < piece.width; ++k)
                y -= row[k * std::ptrdiff_t(piece.stride)] * own[k];
            write(y, piece.rows[i]);
        }
    }
    // D L^T x = y, from the last piece
    for (std::size_t g = pieces_.size(); g-- > 0;) {
        const Piece& piece = pieces_[g];
        const double* triangle = values_.data() + piece.triangle;
        Lanes own[kPieceColumns];
        for (int c = 0; c < piece.width; ++c) {
            read(piece.first + c, own[c]);
            own[c] *= inverse_D_[piece.first + c];
        }
        const double* row = triangle + piece.width;
        for (int i = 0; i < piece.num_rows; ++i, ++row) {
            Lanes y;
            read(piece.rows[i], y);
            for (int k = 0; k < piece.width; ++k)
                own[k] -= row[k * std::ptrdiff_t(piece.stride)] * y;
        }
        for (int c = piece.width - 1; c >= 0; --c) {
            for (int k = c + 1; k < piece.width; ++k)
                own[c] -= triangle[c * std::ptrdiff_t(piece.stride) + k] * own[k];
            write(own[c], piece.first + c);
        }
    }
}

void SparseLdlt::solve(double* x) {
    make_scratch();
    if (in_single_)
        solve_with(single_.data(), x);
    else
        solve_with(values_.data(), x);
}

}  // namespace ancora
