// SPDX-License-Identifier: BSD-3-Clause
// Dense matrices by columns, as fronts of a sparse factor have them: products, factors, solves.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace ancora::elastic::fronts {

/// Takes large pieces of memory in large pages: to get fresh small ones takes as long as a product.
template <class T>
struct LargePages {
    using value_type = T;
    LargePages() = default;
    template <class U>
    LargePages(const LargePages<U>&) {}

    T* allocate(std::size_t count) {
        constexpr std::size_t kPage = std::size_t{1} << 21;
        const std::size_t bytes = count * sizeof(T);
        const bool is_large = bytes >= 2 * kPage;
        void* const at = is_large ? std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage)
                                  : std::malloc(bytes);
        if (at == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
        if (is_large) ::madvise(at, bytes, MADV_HUGEPAGE);  // else as before
#endif
        return static_cast<T*>(at);
    }
    void deallocate(T* at, std::size_t) {
        std::free(at);
    }
    friend bool operator==(const LargePages&, const LargePages&) {
        return true;
    }
};
using Numbers = std::vector<double, LargePages<double>>;

// Every sum is taken in one order, whatever the processor's vectors: results do not depend on it.

/// C -= A B^T on and below the diagonal: C rows x columns, A rows x depth, B columns x depth, each
/// with its leading dimension. Row r of C is that of column r; above it nothing need be right.
void subtract_product(double* C,
                      std::size_t ldc,
                      const double* A,
                      std::size_t lda,
                      const double* B,
                      std::size_t ldb,
                      std::size_t rows,
                      std::size_t columns,
                      std::size_t depth);

/// Factorises the first `own` columns of a front of `size` rows, L L^T; false on a pivot that is
/// not above `least` times its `diagonal`.
bool factorise_columns(
    double* L, std::size_t size, std::size_t own, const double* diagonal, double least);

/// Right-hand sides w, `size` x count: the first `own` rows become L_11^-1 w_1, the others
/// w_2 - L_21 w_1.
void solve_forward(
    const double* L, std::size_t size, std::size_t own, double* w, std::size_t count);
/// The first `own` rows become L_11^-T (w_1 - L_21^T w_2).
void solve_backward(
    const double* L, std::size_t size, std::size_t own, double* w, std::size_t count);

}  // namespace ancora::elastic::fronts
