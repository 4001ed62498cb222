// SPDX-License-Identifier: BSD-3-Clause
// Dense matrices by columns, as fronts of a sparse factor have them: products, factors, solves.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace ancora::elastic::fronts {

/// Numbers that are zero at first, in large pages: to get fresh small ones takes as long as a
/// product with them.
class Numbers {
public:
    Numbers() = default;
    explicit Numbers(std::size_t count) : size_(count) {
        if (count == 0) return;
        void* const at = ::mmap(nullptr,
                                count * sizeof(double),
                                PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS,
                                -1,
                                0);
        if (at == MAP_FAILED) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
        ::madvise(at, count * sizeof(double), MADV_HUGEPAGE);  // else as before
#endif
        data_ = static_cast<double*>(at);
    }
    Numbers(Numbers&& other) noexcept {
        swap(other);
    }
    Numbers& operator=(Numbers&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Numbers() {
        if (data_ != nullptr) ::munmap(data_, size_ * sizeof(double));
    }

    std::size_t size() const {
        return size_;
    }
    double* data() {
        return data_;
    }
    const double* data() const {
        return data_;
    }

private:
    void swap(Numbers& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    double* data_ = nullptr;
    std::size_t size_ = 0;
};

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
