// SPDX-License-Identifier: BSD-3-Clause
// Four numbers at once, for inner loops.
#pragma once

#include <cstring>

// A function with this is compiled for AVX2 as well and chosen at load. Lanes are independent sums
// or written out, and no product is fused with a sum, so every processor gives the same bytes.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define ANCORA_VECTORISE __attribute__((target_clones("avx2", "default")))
#else
#define ANCORA_VECTORISE
#endif
#define ANCORA_INLINE [[gnu::always_inline]] inline
// Before a loop over arrays that do not overlap, or only entry by entry.
#if defined(__GNUC__) && !defined(__clang__)
#define ANCORA_APART _Pragma("GCC ivdep")
#else
#define ANCORA_APART
#endif
#define ANCORA_INLINE_LAMBDA __attribute__((always_inline))

namespace ancora {

// One register of AVX2, two without. Left to itself the compiler puts the columns of a product
// side by side instead of the lanes of each.
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
ANCORA_INLINE void store(const Lanes& from, double* to) {
    std::memcpy(to, &from, sizeof(Lanes));
}
ANCORA_INLINE void gather(const double* x, const int* rows, Lanes& to) {
    to = Lanes{x[rows[0]], x[rows[1]], x[rows[2]], x[rows[3]]};
}
ANCORA_INLINE void scatter(const Lanes& from, double* x, const int* rows) {
    for (int k = 0; k < kLanes; ++k) x[rows[k]] = from[k];
}

}  // namespace ancora
