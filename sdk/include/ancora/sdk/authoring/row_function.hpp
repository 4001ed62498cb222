// SPDX-License-Identifier: BSD-3-Clause
// From a function of positions, directions and time to all that a row needs of it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "ancora/sdk/authoring/argument_list.hpp"
#include "ancora/sdk/authoring/differences.hpp"
#include "ancora/sdk/authoring/polynomial_degree.hpp"
#include "ancora/sdk/authoring/rigid_motion.hpp"
#include "ancora/sdk/derivative_source.hpp"
#include "ancora/sdk/numbers/gradient.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora {

/// What a function is, as far as its discrete formulation depends on it.
struct FunctionTraits {
    Degree degree = Degree::general;
    bool is_invariant = false;      ///< a rigid motion of all its arguments leaves it alone
    bool has_timed_tangent = true;  ///< its second derivatives may depend on time
    bool depends_on_time = true;
    /// Linear, and what depends on time is a term of its own: pi = A x + c(t).
    bool has_timed_constant = false;
};

namespace detail {

/// Results of an author's function: one number, an array of them, or a vector.
template <class T>
struct RowResult {
    static constexpr std::size_t kRows = 1;
    static constexpr const T& row(const T& x, std::size_t) { return x; }
};
template <class T, std::size_t N>
struct RowResult<std::array<T, N>> {
    static constexpr std::size_t kRows = N;
    static constexpr const T& row(const std::array<T, N>& x, std::size_t i) { return x[i]; }
};
template <class S>
struct RowResult<Vector3<S>> {
    static constexpr std::size_t kRows = 3;
    static constexpr const S& row(const Vector3<S>& x, std::size_t i) {
        return i == 0 ? x.x : i == 1 ? x.y : x.z;
    }
};

template <class T>
auto rows_of(const T& result) {
    std::array<double, RowResult<T>::kRows> out;
    for (std::size_t r = 0; r < out.size(); ++r)
        out[r] = static_cast<double>(RowResult<T>::row(result, r));
    return out;
}

/// How a function of the author wants to be called: not at all, or without or with the time.
enum class Call { no, plain, timed };
template <class Arguments, class Member, class S = double>
constexpr Call call_of() {
    return Arguments::template takes<Member, S, S>() ? Call::timed
           : Arguments::template takes<Member, S>()  ? Call::plain
                                                     : Call::no;
}
/// Of one that takes the arguments twice.
template <class Arguments, class Member, class S = double>
constexpr Call call_of_pair() {
    return Arguments::template takes_pair<Member, S, S>() ? Call::timed
           : Arguments::template takes_pair<Member, S>()  ? Call::plain
                                                          : Call::no;
}
template <class Arguments, Call kHow, class Member, class S>
[[gnu::always_inline]] inline auto call_once(const Member& member, const S* x, const S& t) {
    if constexpr (kHow == Call::timed)
        return Arguments::call(member, x, t);
    else
        return Arguments::call(member, x);
}
template <class Arguments, Call kHow, class Member, class S>
[[gnu::always_inline]] inline auto call_pair(const Member& member,
                                             const S* x,
                                             const S* y,
                                             const S& t) {
    if constexpr (kHow == Call::timed)
        return Arguments::call_pair(member, x, y, t);
    else
        return Arguments::call_pair(member, x, y);
}
/// Of what the author has a function for, or of what is derived from one.
constexpr DerivativeSource source_of(Call call, bool is_template) {
    return call != Call::no ? DerivativeSource::analytic
           : is_template    ? DerivativeSource::automatic
                            : DerivativeSource::finite_difference;
}

/// Members of an author's class as functions that can be asked what they take.
template <class Author>
struct JacobianOf {
    const Author& author;
    template <class... X, class A = Author>
    auto operator()(const X&... x) const -> decltype(std::declval<const A&>().jacobian(x...)) {
        return author.jacobian(x...);
    }
};
template <class Author>
struct BiasOf {
    const Author& author;
    template <class... X, class A = Author>
    auto operator()(const X&... x) const -> decltype(std::declval<const A&>().bias(x...)) {
        return author.bias(x...);
    }
};
template <class Author>
struct DiscreteJacobianOf {
    const Author& author;
    template <class... X, class A = Author>
    auto operator()(const X&... x) const
        -> decltype(std::declval<const A&>().discrete_jacobian(x...)) {
        return author.discrete_jacobian(x...);
    }
};

inline bool is_finite(double x) {
    return x - x == 0.0;
}

/// Between -1 and 1, of no pattern.
inline double some_number(std::size_t k) {
    return std::sin(1.0 + 2.399963 * static_cast<double>(k * k));
}
/// For evaluating what does not depend on time.
inline constexpr double kSomeTime = 0.7310585786300049;

/// Writes a Jacobian of the author's, one vector for each argument, as a row of scalars.
template <class Arguments, class Vectors>
void put_row(const Vectors& vectors, double* out) {
    for (std::size_t i = 0; i < Arguments::kCount; ++i) {
        const Vector3<double> v = vectors[i];
        out[Arguments::offset(i)] = v.x;
        if (Arguments::width(i) == 1) continue;
        out[Arguments::offset(i) + 1] = v.y;
        out[Arguments::offset(i) + 2] = v.z;
    }
}
/// One row, or an array of several.
template <class Arguments, std::size_t kRows, class Jacobian>
void put_rows(const Jacobian& jacobian, double* out) {
    if constexpr (requires { Vector3<double>(jacobian[0]); }) {
        static_assert(kRows == 1, "of several rows, return an array with one array for each");
        put_row<Arguments>(jacobian, out);
    } else {
        for (std::size_t r = 0; r < kRows; ++r)
            put_row<Arguments>(jacobian[r], out + r * Arguments::kWidth);
    }
}

}  // namespace detail

/// Rows pi_k = f_k(arguments, t) and their derivatives, on the arguments' scalars x behind each
/// other. FunctionOf<Author> calls the author's function: with scalars of a template or, then by
/// differences, with double; t is its last argument if it takes one. Members of the author with
/// these names are used instead of a derivation:
///
///   jacobian(arguments, t)               d pi / d arguments: one vector for each argument (of a
///                                        scalar, its x) in an array; for several rows an array of
///                                        such arrays
///   bias(arguments, rates, t)            b, so that pi'' = A x'' - b: a number or an array
///   discrete_jacobian(arguments at the start, at the end, t)
///                                        B with B dx = pi(x1, t) - pi(x0, t), as jacobian
///
/// where t may be left out. All functions are [step] unless marked.
template <class Author, template <class> class FunctionOf, class Arguments>
class RowFunction {
    using Function = FunctionOf<Author>;

    using Call = detail::Call;
    static constexpr Call kCall = detail::call_of<Arguments, Function>();
    static constexpr Call kJacobian = detail::call_of<Arguments, detail::JacobianOf<Author>>();
    static constexpr Call kBias = detail::call_of_pair<Arguments, detail::BiasOf<Author>>();
    static constexpr Call kDiscrete =
        detail::call_of_pair<Arguments, detail::DiscreteJacobianOf<Author>>();
    static_assert(kCall != Call::no,
                  "the function must take, in the order of the schema, one Vector3<S> for each "
                  "point and direction, one S for each coordinate, and perhaps t, an S; and be "
                  "const");
    static_assert(!Arguments::template takes<Function, Gradient<1>, double>() ||
                      Arguments::template takes<Function, Gradient<1>, Gradient<1>>(),
                  "write t as const S&, not double: it carries derivatives, too");
    static_assert(
        kJacobian != Call::no || !requires { &Author::jacobian; },
        "jacobian() must take what the function takes, with doubles");
    static_assert(
        kBias != Call::no || !requires { &Author::bias; },
        "bias() must take what the function takes, then as many rates, and perhaps t");
    static_assert(
        kDiscrete != Call::no || !requires { &Author::discrete_jacobian; },
        "discrete_jacobian() must take the function's arguments twice, at the start and "
        "at the end, and perhaps t");

    template <class S>
    [[gnu::always_inline]] static auto call(const Author& author, const S* x, const S& t) {
        return detail::call_once<Arguments, kCall>(Function{author}, x, t);
    }
    template <class S>
    static constexpr bool takes() {
        if constexpr (kCall == Call::timed)
            return Arguments::template takes<Function, S, S>();
        else
            return Arguments::template takes<Function, S>();
    }
    using Result = std::remove_cvref_t<decltype(call<double>(
        std::declval<const Author&>(), nullptr, std::declval<const double&>()))>;

    template <class S>
    using Results = detail::RowResult<std::remove_cvref_t<decltype(call<S>(
        std::declval<const Author&>(), nullptr, std::declval<const S&>()))>>;

public:
    static constexpr std::size_t kWidth = Arguments::kWidth;
    static constexpr std::size_t kRows = detail::RowResult<Result>::kRows;
    static constexpr bool kHasScalars = Arguments::kHasScalars;
    static constexpr bool kIsTimed = kCall == Call::timed;
    static constexpr bool kIsTemplate = takes<Gradient<1>>();
    using Row = std::array<double, kWidth>;
    using Rows = std::array<double, kRows>;

    static constexpr DerivativeSources sources() {
        constexpr Call discrete = kDiscrete != Call::no ? kDiscrete : kJacobian;
        return {detail::source_of(kJacobian, kIsTemplate),
                detail::source_of(kBias, kIsTemplate),
                detail::source_of(discrete, kIsTemplate),
                kIsTemplate ? DerivativeSource::automatic : DerivativeSource::none};
    }

    static Rows value(const Author& author, const double* x, double t) {
        return detail::rows_of(call<double>(author, x, t));
    }

    /// A, row by row; and pi, pi_t where wanted (not null).
    static void linearise(
        const Author& author, const double* x, double t, double* A, double* pi, double* pi_t) {
        if constexpr (kJacobian != Call::no) {
            detail::put_rows<Arguments, kRows>(
                detail::call_once<Arguments, kJacobian>(detail::JacobianOf<Author>{author}, x, t),
                A);
            if (pi != nullptr) put(value(author, x, t), pi);
        } else if constexpr (kIsTemplate) {
            differentiate(author, x, t, A, pi);
        } else {
            for (std::size_t i = 0; i < Arguments::kCount; ++i) difference(author, x, t, i, A);
            if (pi != nullptr) put(value(author, x, t), pi);
        }
        if (pi_t != nullptr) put(rate_of_time(author, x, t), pi_t);
    }

    /// b: minus the second derivative along x + dx tau, t + tau.
    static Rows bias(const Author& author, const double* x, const double* dx, double t) {
        Rows b;
        if constexpr (kBias != Call::no) {
            return detail::rows_of(
                detail::call_pair<Arguments, kBias>(detail::BiasOf<Author>{author}, x, dx, t));
        } else if constexpr (kIsTemplate) {
            const auto result = [&]<std::size_t... J>(std::index_sequence<J...>)
                __attribute__((always_inline)) {
                const Taylor2 along[] = {Taylor2(x[J], dx[J], 0.0)...};
                return call<Taylor2>(author, along, Taylor2(t, 1.0, 0.0));
            }
            (std::make_index_sequence<kWidth>{});
            for (std::size_t r = 0; r < kRows; ++r)
                b[r] = -Taylor2(Results<Taylor2>::row(result, r)).second;
        } else {
            b = differences::second<kRows>(
                [&](double tau) {
                    Row y;
                    for (std::size_t j = 0; j < kWidth; ++j) y[j] = x[j] + tau * dx[j];
                    return value(author, y.data(), t + tau);
                },
                differences::kSecondStep * differences::time_scale_of<Arguments>(x, dx, kIsTimed));
            for (double& entry : b) entry = -entry;
        }
        return b;
    }

    /// B and tau (null: no explicit time) of a step with change dx from x0 at t0 to x1 at t0 + h.
    ///
    /// A function of degree one or two has its A at the midpoint. A general one has
    ///
    ///   B = A + (pi1 - pi0 - A dx) D / (D . dx)                                            (1)
    ///
    /// row by row, with the mean of A over the step and D = dx (Gonzalez). If it is invariant, the
    /// mean is that over the change of shape alone (RigidSplit), and D the direction of that
    /// change. Both vanish on rigid motions, so the reaction of B has no resultant and no moment;
    /// nothing is missing where the shape does not change, and B is smooth there. Where the miss is
    /// no more than rounding of what it is the difference of, the mean stays: dividing would make
    /// noise of it, and the iteration would not settle.
    static void step(const Author& author,
                     const FunctionTraits& traits,
                     const double* x0,
                     const double* dx,
                     const double* mid,
                     const double* x1,
                     double t0,
                     double h,
                     double* B,
                     double* tau) {
        const double middle = t0 + 0.5 * h;
        if constexpr (kDiscrete != Call::no) {
            detail::put_rows<Arguments, kRows>(
                detail::call_pair<Arguments, kDiscrete>(
                    detail::DiscreteJacobianOf<Author>{author}, x0, x1, middle),
                B);
        } else {
            constexpr bool is_exact = sources().jacobian != DerivativeSource::finite_difference;
            if (is_exact && traits.degree != Degree::general)
                linearise(author, mid, middle, B, nullptr, nullptr);
            else if (traits.is_invariant)
                step_of_shape(author, x0, dx, mid, x1, middle, B);
            else
                step_along(author, x0, dx, mid, x1, middle, B);
        }
        if (tau == nullptr) return;
        if (traits.has_timed_constant) {
            // c(t0 + h) - c(t0), without what positions would round away
            constexpr Row kOrigin{};
            const Rows after = value(author, kOrigin.data(), t0 + h);
            const Rows before = value(author, kOrigin.data(), t0);
            for (std::size_t r = 0; r < kRows; ++r) tau[r] = after[r] - before[r];
            return;
        }
        const Rows before = value(author, x0, t0);
        const Rows after = value(author, x1, t0 + h);
        for (std::size_t r = 0; r < kRows; ++r)
            tau[r] = (after[r] - before[r]) - increment(B + r * kWidth, dx);
    }

    /// sum_r s_r d2 pi_r / dx2, kWidth x kWidth, of a template.
    static void tangent(
        const Author& author, const double* x, double t, const double* s, double* G) {
        static_assert(kIsTemplate);
        using S = Hessian<static_cast<int>(kWidth)>;
        std::array<S, kWidth> variables;
        for (std::size_t j = 0; j < kWidth; ++j) variables[j] = S(x[j], j);
        const auto result = call<S>(author, variables.data(), S(t));
        std::fill_n(G, kWidth * kWidth, 0.0);
        for (std::size_t r = 0; r < kRows; ++r) {
            const S row = Results<S>::row(result, r);
            if (row.is_linear) continue;
            for (std::size_t i = 0, k = 0; i < kWidth; ++i)
                for (std::size_t j = 0; j <= i; ++j, ++k) G[i * kWidth + j] += s[r] * row.dd[k];
        }
        for (std::size_t i = 0; i < kWidth; ++i)
            for (std::size_t j = 0; j < i; ++j) G[j * kWidth + i] = G[i * kWidth + j];
    }

    /// [assembly] What the function is. The degree is counted, by putting numbers through it that
    /// count; whether it is invariant is tried, on a few configurations of several sizes. Both
    /// err on the safe side: a function that compares, or that has no value there, is taken for
    /// general and not invariant.
    static FunctionTraits examine(const Author& author) {
        FunctionTraits traits;
        bool branches = false;
        if constexpr (kIsTemplate) {
            std::array<PolynomialDegree, kWidth> variables;
            for (std::size_t j = 0; j < kWidth; ++j)
                variables[j] = PolynomialDegree::variable(detail::some_number(j), branches);
            const auto result = call<PolynomialDegree>(
                author, variables.data(), PolynomialDegree::parameter(detail::kSomeTime, branches));
            int highest = 0;
            int timed = -1;
            for (std::size_t r = 0; r < kRows; ++r) {
                const PolynomialDegree row = Results<PolynomialDegree>::row(result, r);
                highest = std::max(highest, row.highest);
                timed = std::max(timed, row.timed);
            }
            if (branches) return traits;
            traits.degree = highest <= 1   ? Degree::linear
                            : highest == 2 ? Degree::quadratic
                                           : Degree::general;
            traits.has_timed_tangent = timed >= 2;
            traits.depends_on_time = timed >= 0;
            traits.has_timed_constant = highest <= 1 && timed == 0;
        }
        try {
            traits.is_invariant = is_found_invariant(author);
        } catch (const std::domain_error&) {
            // It has no value there, as a table that ends before that time
        }
        return traits;
    }

private:
    static void put(const Rows& rows, double* out) { std::copy_n(rows.data(), kRows, out); }

    [[gnu::always_inline]] static void differentiate(
        const Author& author, const double* x, double t, double* A, double* pi) {
        using S = Gradient<static_cast<int>(kWidth)>;
        const auto result = [&]<std::size_t... J>(std::index_sequence<J...>)
            __attribute__((always_inline)) {
            const S variables[] = {S(x[J], J)...};
            return call<S>(author, variables, S(t));
        }
        (std::make_index_sequence<kWidth>{});
        for (std::size_t r = 0; r < kRows; ++r) {
            const S row = Results<S>::row(result, r);
            for (std::size_t j = 0; j < kWidth; ++j) A[r * kWidth + j] = row.d(j);
            if (pi != nullptr) pi[r] = row.value;
        }
    }

    /// The columns of argument i, by differences.
    static void difference(
        const Author& author, const double* x, double t, std::size_t i, double* A) {
        const double h = differences::kFirstStep * differences::scale_of<Arguments>(i, x);
        Row y;
        std::copy_n(x, kWidth, y.data());
        for (std::size_t j = Arguments::offset(i); j < Arguments::offset(i + 1); ++j) {
            const Rows column = differences::first<kRows>(
                [&](double step) {
                    y[j] = x[j] + step;
                    return value(author, y.data(), t);
                },
                h);
            y[j] = x[j];
            for (std::size_t r = 0; r < kRows; ++r) A[r * kWidth + j] = column[r];
        }
    }

    static Rows rate_of_time(const Author& author, const double* x, double t) {
        Rows out{};
        if constexpr (kIsTimed && kIsTemplate) {
            using S = Gradient<1>;
            std::array<S, kWidth> still;
            for (std::size_t j = 0; j < kWidth; ++j) still[j] = S(x[j]);
            const auto result = call<S>(author, still.data(), S(t, 0));
            for (std::size_t r = 0; r < kRows; ++r) out[r] = S(Results<S>::row(result, r)).d(0);
        } else if constexpr (kIsTimed) {
            out = differences::first<kRows>(
                [&](double tau) {
                    return value(author, x, t + tau);
                },
                differences::kFirstStep);
        }
        return out;
    }

    static double increment(const double* row, const double* dx) {
        double sum = 0.0;
        for (std::size_t j = 0; j < kWidth; ++j) sum += row[j] * dx[j];
        return sum;
    }

    /// The mean of A over the step from m - y/2 to m + y/2, by Gauss' formula with three points:
    /// times y it misses the change of pi by the seventh power of y, and so by less than rounding
    /// where dividing by y would make noise of it.
    static void mean_gradient(
        const Author& author, const double* m, const double* y, double t, double* B) {
        constexpr double kPoint = 0.38729833462074170;  // sqrt(3 / 5) / 2 from the middle
        constexpr double kWeight = 5.0 / 18.0;
        Row left, right;
        for (std::size_t j = 0; j < kWidth; ++j) {
            left[j] = m[j] - kPoint * y[j];
            right[j] = m[j] + kPoint * y[j];
        }
        std::array<double, kRows * kWidth> A_left, A_right;
        linearise(author, left.data(), t, A_left.data(), nullptr, nullptr);
        linearise(author, right.data(), t, A_right.data(), nullptr, nullptr);
        linearise(author, m, t, B, nullptr, nullptr);
        for (std::size_t k = 0; k < kRows * kWidth; ++k)
            B[k] += kWeight * ((A_left[k] - B[k]) + (A_right[k] - B[k]));
    }
    static void step_along(const Author& author,
                           const double* x0,
                           const double* dx,
                           const double* mid,
                           const double* x1,
                           double t,
                           double* B) {
        mean_gradient(author, mid, dx, t, B);
        correct(author, x0, dx, x1, t, dx, increment(dx, dx), B);
    }
    static void step_of_shape(const Author& author,
                              const double* x0,
                              const double* dx,
                              const double* mid,
                              const double* x1,
                              double t,
                              double* B) {
        if constexpr (!kHasScalars) {
            const RigidSplit<Arguments> split(mid, dx);
            mean_gradient(author, split.middle().data(), split.stretch().data(), t, B);
            for (std::size_t r = 0; r < kRows; ++r) split.pull_back(B + r * kWidth);
            correct(author, x0, dx, x1, t, split.direction().data(), split.along(), B);
        } else {
            step_along(author, x0, dx, mid, x1, t, B);
        }
    }
    /// (1) on the rows in B; `along` is D . dx, 0 if there is no direction.
    static void correct(const Author& author,
                        const double* x0,
                        const double* dx,
                        const double* x1,
                        double t,
                        const double* D,
                        double along,
                        double* B) {
        if (!(along > 0.0)) return;
        const Rows before = value(author, x0, t);
        const Rows after = value(author, x1, t);
        for (std::size_t r = 0; r < kRows; ++r) {
            double* row = B + r * kWidth;
            double miss = (after[r] - before[r]) - increment(row, dx);
            double terms = std::abs(before[r]) + std::abs(after[r]);
            for (std::size_t j = 0; j < kWidth; ++j)
                terms += std::abs(row[j]) * (std::abs(x0[j]) + std::abs(x1[j]));
            miss = beyond_rounding(miss, terms);
            if (miss == 0.0) continue;
            for (std::size_t j = 0; j < kWidth; ++j) row[j] += miss / along * D[j];
        }
    }

    static bool is_found_invariant(const Author& author) {
        if constexpr (Arguments::kHasScalars) {
            return false;
        } else {
            constexpr int kTrials = 3;
            constexpr double kSizes[] = {1.0, 0.1, 10.0, 0.01, 100.0, 1e-3, 1e3, 1e-4, 1e4};
            constexpr double kTolerance =
                sources().jacobian == DerivativeSource::finite_difference ? 1e-6 : 1e-10;
            int trials = 0;
            std::size_t seed = 0;
            for (const double size : kSizes) {
                for (int k = 0; k < 2 && trials < kTrials; ++k) {
                    Row x;
                    for (std::size_t j = 0; j < kWidth; ++j)
                        x[j] = (Arguments::kKind[j / 3] == ArgumentKind::point ? size : 1.0) *
                               detail::some_number(++seed);
                    std::array<double, kRows * kWidth> A;
                    linearise(author, x.data(), detail::kSomeTime, A.data(), nullptr, nullptr);
                    if (!std::all_of(A.begin(), A.end(), detail::is_finite)) continue;
                    ++trials;
                    for (std::size_t r = 0; r < kRows; ++r)
                        if (!annihilates_rigid_motion(A.data() + r * kWidth, x, kTolerance))
                            return false;
                }
            }
            return trials == kTrials;
        }
    }
    static bool annihilates_rigid_motion(const double* row, const Row& x, double tolerance) {
        double sum[6] = {};
        double terms[6] = {};
        const auto add = [&](std::size_t mode, double term) {
            sum[mode] += term;
            terms[mode] += std::abs(term);
        };
        for (std::size_t j = 0; j < kWidth; j += 3)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t l = (k + 1) % 3;
                const std::size_t m = (k + 2) % 3;
                if (Arguments::kKind[j / 3] == ArgumentKind::point) add(k, row[j + k]);
                add(3 + k, x[j + l] * row[j + m]);
                add(3 + k, -x[j + m] * row[j + l]);
            }
        for (std::size_t mode = 0; mode < 6; ++mode)
            if (!(std::abs(sum[mode]) <= tolerance * terms[mode])) return false;
        return true;
    }
};

}  // namespace ancora
