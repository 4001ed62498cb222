// SPDX-License-Identifier: BSD-3-Clause
// From a function of positions, rates and time to all that a velocity row needs of it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "ancora/sdk/authoring/row_function.hpp"

namespace ancora {

/// What a function of rates is, as far as the kernel asks.
struct RateTraits {
    bool is_homogeneous = false;  ///< psi = A(u) u', and nothing else
    bool is_constant = false;     ///< and A is the same for ever
};

/// Velocity rows psi_k = f_k(arguments, rates, t) on the arguments' scalars x and their rates dx:
///
///   A = d psi / d dx,   pi_t = psi - A dx,   b = -(d psi / dx dx + d psi / dt)             (1)
///
/// so that psi' = A x'' - b. Function and members of the author as for RowFunction:
///
///   jacobian(arguments, rates, t)   A
///   bias(arguments, rates, t)       b
///
/// where t may be left out. By differences both are good to about 1e-12, relative; A is exact where
/// psi is linear in the rates, but for rounding. All functions are [step] unless marked.
template <class Author, template <class> class FunctionOf, class Arguments>
class RateFunction {
    using Function = FunctionOf<Author>;
    using Call = detail::Call;
    static constexpr Call kCall = detail::call_of_pair<Arguments, Function>();
    static constexpr Call kJacobian = detail::call_of_pair<Arguments, detail::JacobianOf<Author>>();
    static constexpr Call kBias = detail::call_of_pair<Arguments, detail::BiasOf<Author>>();
    static_assert(kCall != Call::no,
                  "the function must take, in the order of the schema, one Vector3<S> for each "
                  "point and direction and one S for each coordinate, then as many rates, and "
                  "perhaps t, an S; and be const");
    static_assert(!Arguments::template takes_pair<Function, Gradient<1>, double>() ||
                      Arguments::template takes_pair<Function, Gradient<1>, Gradient<1>>(),
                  "write t as const S&, not double: it carries derivatives, too");
    static_assert(
        kJacobian != Call::no || !requires { &Author::jacobian; },
        "jacobian() must take what the function takes, with doubles");
    static_assert(
        kBias != Call::no || !requires { &Author::bias; },
        "bias() must take what the function takes, with doubles");

    template <class S>
    [[gnu::always_inline]] static auto call(const Author& author,
                                            const S* x,
                                            const S* dx,
                                            const S& t) {
        return detail::call_pair<Arguments, kCall>(Function{author}, x, dx, t);
    }
    template <class S>
    using Results = detail::RowResult<std::remove_cvref_t<decltype(call<S>(
        std::declval<const Author&>(), nullptr, nullptr, std::declval<const S&>()))>>;

public:
    static constexpr std::size_t kWidth = Arguments::kWidth;
    static constexpr std::size_t kRows = Results<double>::kRows;
    static constexpr bool kIsTemplate =
        detail::call_of_pair<Arguments, Function, Gradient<1>>() == kCall;
    using Row = std::array<double, kWidth>;
    using Rows = std::array<double, kRows>;

    static constexpr DerivativeSources sources() {
        constexpr DerivativeSource jacobian = detail::source_of(kJacobian, kIsTemplate);
        return {jacobian, detail::source_of(kBias, kIsTemplate), jacobian, DerivativeSource::none};
    }

    static Rows value(const Author& author, const double* x, const double* dx, double t) {
        return detail::rows_of(call<double>(author, x, dx, t));
    }

    /// A, row by row, and pi_t where wanted (not null).
    static void linearise(const Author& author,
                          const double* x,
                          const double* dx,
                          double t,
                          double* A,
                          double* pi_t) {
        Rows psi;
        if constexpr (kJacobian != Call::no) {
            detail::put_rows<Arguments, kRows>(detail::call_pair<Arguments, kJacobian>(
                                                   detail::JacobianOf<Author>{author}, x, dx, t),
                                               A);
            if (pi_t != nullptr) psi = value(author, x, dx, t);
        } else if constexpr (kIsTemplate) {
            using S = Gradient<static_cast<int>(kWidth)>;
            const auto result = [&]<std::size_t... J>(std::index_sequence<J...>)
                __attribute__((always_inline)) {
                const S still[] = {S(x[J])...};
                const S rates[] = {S(dx[J], J)...};
                return call<S>(author, still, rates, S(t));
            }
            (std::make_index_sequence<kWidth>{});
            for (std::size_t r = 0; r < kRows; ++r) {
                const S row = Results<S>::row(result, r);
                for (std::size_t j = 0; j < kWidth; ++j) A[r * kWidth + j] = row.d(j);
                psi[r] = row.value;
            }
        } else {
            difference(author, x, dx, t, A);
            if (pi_t != nullptr) psi = value(author, x, dx, t);
        }
        if (pi_t == nullptr) return;
        for (std::size_t r = 0; r < kRows; ++r) {
            pi_t[r] = psi[r];
            for (std::size_t j = 0; j < kWidth; ++j) pi_t[r] -= A[r * kWidth + j] * dx[j];
        }
    }

    /// b: minus the derivative along x + dx tau, t + tau with the rates held.
    static Rows bias(const Author& author, const double* x, const double* dx, double t) {
        Rows b;
        if constexpr (kBias != Call::no) {
            return detail::rows_of(
                detail::call_pair<Arguments, kBias>(detail::BiasOf<Author>{author}, x, dx, t));
        } else if constexpr (kIsTemplate) {
            using S = Gradient<1>;
            std::array<S, kWidth> along, rates;
            for (std::size_t j = 0; j < kWidth; ++j) {
                along[j] = S(x[j]) + S(0.0, 0) * dx[j];
                rates[j] = S(dx[j]);
            }
            const auto result = call<S>(author, along.data(), rates.data(), S(t, 0));
            for (std::size_t r = 0; r < kRows; ++r) b[r] = -S(Results<S>::row(result, r)).d(0);
        } else {
            const double h = differences::kFirstStep *
                             differences::time_scale_of<Arguments>(x, dx, kCall == Call::timed);
            b = differences::first<kRows>(
                [&](double tau) {
                    Row y;
                    for (std::size_t j = 0; j < kWidth; ++j) y[j] = x[j] + tau * dx[j];
                    return value(author, y.data(), dx, t + tau);
                },
                h);
            for (double& entry : b) entry = -entry;
        }
        return b;
    }

    /// [assembly] What the function is, found by putting numbers through it that count degrees. A
    /// function of double, or one that compares, is taken for neither.
    static RateTraits examine(const Author& author) {
        RateTraits traits;
        if constexpr (kIsTemplate) {
            using S = PolynomialDegree;
            bool branches = false;
            std::array<S, kWidth> still, rates;
            for (std::size_t j = 0; j < kWidth; ++j) {
                still[j] = S::parameter(detail::some_number(j), branches);
                rates[j] = S::variable(detail::some_number(j + kWidth), branches);
            }
            const auto result = call<S>(
                author, still.data(), rates.data(), S::parameter(detail::kSomeTime, branches));
            traits = {true, true};
            for (std::size_t r = 0; r < kRows; ++r) {
                const S row = Results<S>::row(result, r);
                traits.is_homogeneous =
                    traits.is_homogeneous && row.lowest >= 1 && row.highest <= 1;
                traits.is_constant = traits.is_constant && row.timed < 1;
            }
            if (branches) traits = {};
            traits.is_constant = traits.is_constant && traits.is_homogeneous;
        }
        return traits;
    }

private:
    static void difference(
        const Author& author, const double* x, const double* dx, double t, double* A) {
        for (std::size_t i = 0; i < Arguments::kCount; ++i) {
            double size = 0.0;
            for (std::size_t j = Arguments::offset(i); j < Arguments::offset(i + 1); ++j)
                size = std::max(size, std::abs(dx[j]));
            const double h = differences::kFirstStep * differences::power_of_two(size);
            for (std::size_t j = Arguments::offset(i); j < Arguments::offset(i + 1); ++j) {
                const Rows column = differences::first<kRows>(
                    [&](double step) {
                        Row w;
                        std::copy_n(dx, kWidth, w.data());
                        w[j] += step;
                        return value(author, x, w.data(), t);
                    },
                    h);
                for (std::size_t r = 0; r < kRows; ++r) A[r * kWidth + j] = column[r];
            }
        }
    }
};

}  // namespace ancora
