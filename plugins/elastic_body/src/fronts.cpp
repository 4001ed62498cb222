// SPDX-License-Identifier: BSD-3-Clause
// Register tiles over packed blocks.
//
// Source: K. Goto, R. A. van de Geijn, Anatomy of high-performance matrix multiplication, ACM
// Trans. Math. Softw. 34 (2008).
#include "fronts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace ancora::elastic::fronts {
namespace {

// Eight numbers, in one register or several.
constexpr std::size_t kLanes = 8;
using Lanes [[gnu::vector_size(64)]] = double;

// Blocks of A and B that stay in the second and the first cache.
constexpr std::size_t kDepth = 256, kBlockRows = 192, kBlockColumns = 3072;
// Columns of a panel, which is factorised column by column, and rows that pass it together.
constexpr std::size_t kPanel = 32, kPanelRows = 64;
// Right-hand sides that go together.
constexpr std::size_t kTogether = 6;

[[gnu::always_inline]] inline void load(Lanes& x, const double* from) {
    std::memcpy(&x, from, sizeof x);
}
[[gnu::always_inline]] inline void store(double* to, const Lanes& x) {
    std::memcpy(to, &x, sizeof x);
}

/// `height` rows of each column, padded with zeros: tile after tile, in each column after column.
void pack(const double* from,
          std::size_t ld,
          std::size_t rows,
          std::size_t columns,
          std::size_t height,
          std::vector<double>& to) {
    const std::size_t tiles = (rows + height - 1) / height;
    to.resize(tiles * height * columns);
    for (std::size_t t = 0; t < tiles; ++t) {
        double* out = to.data() + t * height * columns;
        const std::size_t count = std::min(height, rows - t * height);
        for (std::size_t k = 0; k < columns; ++k, out += height) {
            std::copy_n(from + t * height + k * ld, count, out);
            std::fill(out + count, out + height, 0.0);
        }
    }
}

/// C -= A B^T of a tile: A is kLanes V rows high, B `width` columns.
template <std::size_t V, std::size_t width>
[[gnu::always_inline]] inline void subtract_tile(double* C,
                                                 std::size_t ldc,
                                                 const double* A,
                                                 const double* B,
                                                 std::size_t rows,
                                                 std::size_t columns,
                                                 std::size_t depth) {
    Lanes sum[width][V] = {};
    for (std::size_t k = 0; k < depth; ++k, A += kLanes * V, B += width) {
        Lanes a[V];
        for (std::size_t v = 0; v < V; ++v) load(a[v], A + kLanes * v);
        for (std::size_t j = 0; j < width; ++j)
            for (std::size_t v = 0; v < V; ++v) sum[j][v] += a[v] * B[j];
    }
    if (rows == kLanes * V && columns == width) {
        for (std::size_t j = 0; j < width; ++j)
            for (std::size_t v = 0; v < V; ++v) {
                double* const c = C + j * ldc + kLanes * v;
                Lanes x;
                load(x, c);
                x -= sum[j][v];
                store(c, x);
            }
        return;
    }
    double part[kLanes * V];
    for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t v = 0; v < V; ++v) store(part + kLanes * v, sum[j][v]);
        for (std::size_t i = 0; i < rows; ++i) C[j * ldc + i] -= part[i];
    }
}

struct Product {
    double* C;
    std::size_t ldc;
    const double* A;  // packed
    const double* B;
    std::size_t rows, columns, depth;
    std::size_t first_row, first_column;  // of C in the whole
};

/// Tiles of a block that reach below the diagonal.
template <std::size_t V, std::size_t width>
[[gnu::always_inline]] inline void subtract_block(const Product& p) {
    constexpr std::size_t kHeight = kLanes * V;
    for (std::size_t j = 0; j < p.columns; j += width)
        for (std::size_t i = 0; i < p.rows; i += kHeight) {
            const std::size_t rows = std::min(kHeight, p.rows - i);
            if (p.first_row + i + rows <= p.first_column + j) continue;
            subtract_tile<V, width>(p.C + i + j * p.ldc,
                                    p.ldc,
                                    p.A + i * p.depth,
                                    p.B + j * p.depth,
                                    rows,
                                    std::min(width, p.columns - j),
                                    p.depth);
        }
}

/// x_i -= sum of x_k L_ik, then over the pivot, for rows that pass a panel; k, i < count.
[[gnu::always_inline]] inline void pass_panel(
    double* x, std::size_t ld, std::size_t rows, const double* L, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
        double* __restrict to = x + j * ld;
        for (std::size_t k = 0; k < j; ++k) {
            const double* __restrict from = x + k * ld;
            const double factor = L[j + k * ld];
            for (std::size_t i = 0; i < rows; ++i) to[i] -= factor * from[i];
        }
        const double pivot = L[j + j * ld];
        for (std::size_t i = 0; i < rows; ++i) to[i] /= pivot;
    }
}

/// w_i -= sum over k of L_ik x_k, few right-hand sides.
template <std::size_t sides>
[[gnu::always_inline]] inline void subtract_columns(const double* L,
                                                    std::size_t size,
                                                    std::size_t rows,
                                                    std::size_t columns,
                                                    const double* x,
                                                    double* w) {
    std::size_t i = 0;
    for (; i + kLanes <= rows; i += kLanes) {
        Lanes sum[sides];
        for (std::size_t c = 0; c < sides; ++c) load(sum[c], w + c * size + i);
        for (std::size_t k = 0; k < columns; ++k) {
            Lanes a;
            load(a, L + i + k * size);
            for (std::size_t c = 0; c < sides; ++c) sum[c] -= a * x[c * size + k];
        }
        for (std::size_t c = 0; c < sides; ++c) store(w + c * size + i, sum[c]);
    }
    for (; i < rows; ++i)
        for (std::size_t c = 0; c < sides; ++c)
            for (std::size_t k = 0; k < columns; ++k)
                w[c * size + i] -= L[i + k * size] * x[c * size + k];
}

/// x_k -= sum over i of L_ik w_i, few right-hand sides, `kAtOnce` columns at a time.
constexpr std::size_t kAtOnce = 4;
template <std::size_t sides, std::size_t columns>
[[gnu::always_inline]] inline void subtract_dots(
    const double* L, std::size_t size, std::size_t rows, const double* w, double* x) {
    Lanes sum[columns][sides] = {};
    std::size_t i = 0;
    for (; i + kLanes <= rows; i += kLanes) {
        Lanes b[sides];
        for (std::size_t c = 0; c < sides; ++c) load(b[c], w + c * size + i);
        for (std::size_t k = 0; k < columns; ++k) {
            Lanes a;
            load(a, L + i + k * size);
            for (std::size_t c = 0; c < sides; ++c) sum[k][c] += a * b[c];
        }
    }
    for (std::size_t k = 0; k < columns; ++k)
        for (std::size_t c = 0; c < sides; ++c) {
            double total = 0.0;
            for (std::size_t v = 0; v < kLanes; ++v) total += sum[k][c][v];
            for (std::size_t r = i; r < rows; ++r) total += L[r + k * size] * w[c * size + r];
            x[c * size + k] -= total;
        }
}

template <std::size_t sides>
[[gnu::always_inline]] inline void forward(const double* L,
                                           std::size_t size,
                                           std::size_t own,
                                           double* w) {
    for (std::size_t first = 0; first < own; first += kPanel) {
        const std::size_t count = std::min(kPanel, own - first);
        for (std::size_t j = first; j < first + count; ++j) {
            const double* const column = L + j * size;
            for (std::size_t c = 0; c < sides; ++c) {
                double* const to = w + c * size;
                const double value = to[j] /= column[j];
                for (std::size_t i = j + 1; i < first + count; ++i) to[i] -= column[i] * value;
            }
        }
        const std::size_t next = first + count;
        subtract_columns<sides>(
            L + first * size + next, size, size - next, count, w + first, w + next);
    }
}

template <std::size_t sides>
[[gnu::always_inline]] inline void backward(const double* L,
                                            std::size_t size,
                                            std::size_t own,
                                            double* w) {
    for (std::size_t end = own; end > 0;) {
        const std::size_t first = (end - 1) / kPanel * kPanel;
        std::size_t j = first;
        for (; j + kAtOnce <= end; j += kAtOnce)
            subtract_dots<sides, kAtOnce>(L + j * size + end, size, size - end, w + end, w + j);
        for (; j < end; ++j)
            subtract_dots<sides, 1>(L + j * size + end, size, size - end, w + end, w + j);
        for (j = end; j-- > first;)
            for (std::size_t c = 0; c < sides; ++c) {
                double* const of = w + c * size;
                for (std::size_t i = j + 1; i < end; ++i) of[j] -= L[i + j * size] * of[i];
                of[j] /= L[j + j * size];
            }
        end = first;
    }
}

// --- for vectors of 512, 256 and 128 bits: as many sums as there are registers

struct Kernels {
    std::size_t height, width;  // of a tile
    void (*block)(const Product&);
    void (*panel)(double*, std::size_t, std::size_t, const double*, std::size_t);
    void (*forward_one)(const double*, std::size_t, std::size_t, double*);
    void (*forward_few)(const double*, std::size_t, std::size_t, double*);
    void (*backward_one)(const double*, std::size_t, std::size_t, double*);
    void (*backward_few)(const double*, std::size_t, std::size_t, double*);
};

#define ANCORA_FRONT_KERNELS(name, target_, V, width_)                                         \
    struct name {                                                                              \
        target_ static void block(const Product& p) { subtract_block<V, width_>(p); }          \
        target_ static void panel(                                                             \
            double* x, std::size_t ld, std::size_t rows, const double* L, std::size_t count) { \
            pass_panel(x, ld, rows, L, count);                                                 \
        }                                                                                      \
        target_ static void forward_one(const double* L,                                       \
                                        std::size_t size,                                      \
                                        std::size_t own,                                       \
                                        double* w) {                                           \
            forward<1>(L, size, own, w);                                                       \
        }                                                                                      \
        target_ static void forward_few(const double* L,                                       \
                                        std::size_t size,                                      \
                                        std::size_t own,                                       \
                                        double* w) {                                           \
            forward<kTogether>(L, size, own, w);                                               \
        }                                                                                      \
        target_ static void backward_one(const double* L,                                      \
                                         std::size_t size,                                     \
                                         std::size_t own,                                      \
                                         double* w) {                                          \
            backward<1>(L, size, own, w);                                                      \
        }                                                                                      \
        target_ static void backward_few(const double* L,                                      \
                                         std::size_t size,                                     \
                                         std::size_t own,                                      \
                                         double* w) {                                          \
            backward<kTogether>(L, size, own, w);                                              \
        }                                                                                      \
        static constexpr Kernels kAll = {kLanes * V,                                           \
                                         width_,                                               \
                                         block,                                                \
                                         panel,                                                \
                                         forward_one,                                          \
                                         forward_few,                                          \
                                         backward_one,                                         \
                                         backward_few};                                        \
    }

#if defined(__x86_64__)
ANCORA_FRONT_KERNELS(Wide, [[gnu::target("avx512f")]], 3, 8);
ANCORA_FRONT_KERNELS(Middle, [[gnu::target("avx2")]], 1, 6);
#endif
ANCORA_FRONT_KERNELS(Plain, , 1, 2);

const Kernels& kernels() {
    static const Kernels& all = []() -> const Kernels& {
#if defined(__x86_64__)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f")) return Wide::kAll;
        if (__builtin_cpu_supports("avx2")) return Middle::kAll;
#endif
        return Plain::kAll;
    }();
    return all;
}

/// A panel's own square column by column, then what is below it.
bool factorise_panel(double* L,
                     std::size_t size,
                     std::size_t rows,
                     std::size_t count,
                     const double* diagonal,
                     double least) {
    for (std::size_t j = 0; j < count; ++j) {
        double* const column = L + j * size;
        for (std::size_t k = 0; k < j; ++k) {
            const double* const other = L + k * size;
            for (std::size_t i = j; i < count; ++i) column[i] -= other[j] * other[i];
        }
        if (!(column[j] > least * diagonal[j])) return false;
        const double pivot = std::sqrt(column[j]);
        for (std::size_t i = j; i < count; ++i) column[i] /= pivot;
        column[j] = pivot;
    }
    for (std::size_t first = count; first < rows; first += kPanelRows)
        kernels().panel(L + first, size, std::min(kPanelRows, rows - first), L, count);
    return true;
}

/// `own` columns of `rows` rows, `size` apart.
bool factorise_part(double* L,
                    std::size_t size,
                    std::size_t rows,
                    std::size_t own,
                    const double* diagonal,
                    double least) {
    if (own <= kPanel) return factorise_panel(L, size, rows, own, diagonal, least);
    // Halves of whole panels: products as deep as can be
    const std::size_t half = (own / 2 + kPanel - 1) / kPanel * kPanel;
    if (!factorise_part(L, size, rows, half, diagonal, least)) return false;
    double* const rest = L + half * size + half;
    subtract_product(rest, size, L + half, size, L + half, size, rows - half, own - half, half);
    return factorise_part(rest, size, rows - half, own - half, diagonal + half, least);
}

}  // namespace

void subtract_product(double* C,
                      std::size_t ldc,
                      const double* A,
                      std::size_t lda,
                      const double* B,
                      std::size_t ldb,
                      std::size_t rows,
                      std::size_t columns,
                      std::size_t depth) {
    const Kernels& with = kernels();
    static thread_local std::vector<double> a, b;
    for (std::size_t j = 0; j < columns; j += kBlockColumns) {
        const std::size_t width = std::min(kBlockColumns, columns - j);
        for (std::size_t k = 0; k < depth; k += kDepth) {
            const std::size_t deep = std::min(kDepth, depth - k);
            pack(B + j + k * ldb, ldb, width, deep, with.width, b);
            for (std::size_t i = 0; i < rows; i += kBlockRows) {
                const std::size_t high = std::min(kBlockRows, rows - i);
                if (i + high <= j) continue;
                pack(A + i + k * lda, lda, high, deep, with.height, a);
                with.block({C + i + j * ldc,
                            ldc,
                            a.data(),
                            b.data(),
                            high,
                            std::min(width, i + high - j),
                            deep,
                            i,
                            j});
            }
        }
    }
}

bool factorise_columns(
    double* L, std::size_t size, std::size_t own, const double* diagonal, double least) {
    return factorise_part(L, size, size, own, diagonal, least);
}

void solve_forward(
    const double* L, std::size_t size, std::size_t own, double* w, std::size_t count) {
    std::size_t c = 0;
    for (; c + kTogether <= count; c += kTogether)
        kernels().forward_few(L, size, own, w + c * size);
    for (; c < count; ++c) kernels().forward_one(L, size, own, w + c * size);
}

void solve_backward(
    const double* L, std::size_t size, std::size_t own, double* w, std::size_t count) {
    std::size_t c = 0;
    for (; c + kTogether <= count; c += kTogether)
        kernels().backward_few(L, size, own, w + c * size);
    for (; c < count; ++c) kernels().backward_one(L, size, own, w + c * size);
}

}  // namespace ancora::elastic::fronts
