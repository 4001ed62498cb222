// SPDX-License-Identifier: BSD-3-Clause
// Vectors of three numbers of any kind: double, or a number that carries derivatives.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <type_traits>
#include <utility>

#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/numbers/taylor.hpp"

namespace ancora {

// Names for functions that are written once for double and for numbers with derivatives: call
// them without a namespace. Without these, abs of a double may be the one for int.
using std::abs, std::min, std::max, std::sqrt, std::pow, std::exp, std::log;
using std::acos, std::asin, std::atan, std::atan2, std::cos, std::sin, std::tan;
using std::cosh, std::sinh, std::tanh;

/// A vector of three scalars. Vectors of different scalars mix, and mix with Eigen's: dot of a
/// Vector3<Dual<6>> and a Vec3 is a Dual<6>. A Vec3 becomes a Vector3 without a word, and a
/// Vector3<double> a Vec3. Functions of it are always inlined, since numbers with derivatives are
/// fast in registers only.
template <class S>
struct Vector3 {
    S x, y, z;

    Vector3() = default;
    constexpr Vector3(const S& x_, const S& y_, const S& z_) : x(x_), y(y_), z(z_) {}
    Vector3(const Vec3& v) : x(v[0]), y(v[1]), z(v[2]) {}
    constexpr Vector3(const std::array<double, 3>& v) : x(v[0]), y(v[1]), z(v[2]) {}

    operator Vec3() const requires std::same_as<S, double> { return {x, y, z}; }
};

/// The scalar that a product of an A and a B is.
template <class A, class B>
using Product = decltype(std::declval<const A&>() * std::declval<const B&>());

template <class A, class B>
[[gnu::always_inline]] constexpr auto operator+(const Vector3<A>& a, const Vector3<B>& b) {
    return Vector3<Product<A, B>>(a.x + b.x, a.y + b.y, a.z + b.z);
}
template <class A, class B>
[[gnu::always_inline]] constexpr auto operator-(const Vector3<A>& a, const Vector3<B>& b) {
    return Vector3<Product<A, B>>(a.x - b.x, a.y - b.y, a.z - b.z);
}
template <class S>
[[gnu::always_inline]] constexpr Vector3<S> operator-(const Vector3<S>& a) {
    return {-a.x, -a.y, -a.z};
}
template <class A, class B>
requires requires(A a, B b) {
    a* b;
}
[[gnu::always_inline]] constexpr auto operator*(const A& s, const Vector3<B>& a) {
    return Vector3<Product<A, B>>(s * a.x, s * a.y, s * a.z);
}
template <class A, class B>
requires requires(A a, B b) {
    a* b;
}
[[gnu::always_inline]] constexpr auto operator*(const Vector3<A>& a, const B& s) {
    return s * a;
}
template <class A, class B>
requires requires(A a, B b) {
    a / b;
}
[[gnu::always_inline]] constexpr auto operator/(const Vector3<A>& a, const B& s) {
    return Vector3<Product<A, B>>(a.x / s, a.y / s, a.z / s);
}

/// A vector of Eigen's, such as a constant kept as Vec3, or an expression of them.
template <class E>
concept EigenVector = std::derived_from<E, Eigen::MatrixBase<E>> && E::ColsAtCompileTime == 1 &&
                      E::RowsAtCompileTime == 3;

template <class A, EigenVector E>
[[gnu::always_inline]] inline auto operator+(const Vector3<A>& a, const E& b) {
    return a + Vector3<double>(Vec3(b));
}
template <class A, EigenVector E>
[[gnu::always_inline]] inline auto operator+(const E& a, const Vector3<A>& b) {
    return Vector3<double>(Vec3(a)) + b;
}
template <class A, EigenVector E>
[[gnu::always_inline]] inline auto operator-(const Vector3<A>& a, const E& b) {
    return a - Vector3<double>(Vec3(b));
}
template <class A, EigenVector E>
[[gnu::always_inline]] inline auto operator-(const E& a, const Vector3<A>& b) {
    return Vector3<double>(Vec3(a)) - b;
}
/// A number with derivatives and a constant vector; numbers alone are Eigen's business.
template <class S, EigenVector E>
requires(!std::is_arithmetic_v<S> &&
         requires(S s) {
             s* s;
             s + 1.0;
         } &&
         !std::derived_from<S, Eigen::EigenBase<S>>) [[gnu::always_inline]] inline Vector3<S>
operator*(const S& s, const E& a) {
    return s * Vector3<double>(Vec3(a));
}
template <class S, EigenVector E>
requires(!std::is_arithmetic_v<S> &&
         requires(S s) {
             s* s;
             s + 1.0;
         } &&
         !std::derived_from<S, Eigen::EigenBase<S>>) [[gnu::always_inline]] inline Vector3<S>
operator*(const E& a, const S& s) {
    return s * Vector3<double>(Vec3(a));
}

template <class A, class B>
[[gnu::always_inline]] constexpr auto dot(const Vector3<A>& a, const Vector3<B>& b) {
    // In the order in which Eigen adds, so that Vec3 and Vector3 agree to the last bit
    return a.x * b.x + (a.y * b.y + a.z * b.z);
}
template <class A, class B>
[[gnu::always_inline]] constexpr auto cross(const Vector3<A>& a, const Vector3<B>& b) {
    return Vector3<Product<A, B>>(
        a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/// a . (b x c)
template <class A, class B, class C>
[[gnu::always_inline]] constexpr auto triple(const Vector3<A>& a,
                                             const Vector3<B>& b,
                                             const Vector3<C>& c) {
    return dot(a, cross(b, c));
}
template <class S>
[[gnu::always_inline]] constexpr S squared_norm(const Vector3<S>& a) {
    return dot(a, a);
}
template <class S>
[[gnu::always_inline]] inline S norm(const Vector3<S>& a) {
    return sqrt(dot(a, a));
}
template <class A, class B>
[[gnu::always_inline]] inline auto distance(const Vector3<A>& a, const Vector3<B>& b) {
    return norm(a - b);
}
template <class S>
[[gnu::always_inline]] inline Vector3<S> normalized(const Vector3<S>& a) {
    return a / norm(a);
}

namespace detail {

template <class S>
[[gnu::always_inline]] inline const Vector3<S>& own_vector(const Vector3<S>& a) {
    return a;
}
template <EigenVector E>
[[gnu::always_inline]] inline Vector3<double> own_vector(const E& a) {
    return Vec3(a);
}
template <class V>
inline constexpr bool kIsVector = EigenVector<V>;
template <class S>
inline constexpr bool kIsVector<Vector3<S>> = true;
/// Vectors of which at least one is Eigen's.
template <class... V>
concept MixedVectors = (kIsVector<V> && ...) && (EigenVector<V> || ...);

}  // namespace detail

// The same where some of the vectors are Eigen's.
template <class A, class B>
requires detail::MixedVectors<A, B>
[[gnu::always_inline]] inline auto dot(const A& a, const B& b) {
    return dot(detail::own_vector(a), detail::own_vector(b));
}
template <class A, class B>
requires detail::MixedVectors<A, B>
[[gnu::always_inline]] inline auto cross(const A& a, const B& b) {
    return cross(detail::own_vector(a), detail::own_vector(b));
}
template <class A, class B, class C>
requires detail::MixedVectors<A, B, C>
[[gnu::always_inline]] inline auto triple(const A& a, const B& b, const C& c) {
    return triple(detail::own_vector(a), detail::own_vector(b), detail::own_vector(c));
}
template <class A, class B>
requires detail::MixedVectors<A, B>
[[gnu::always_inline]] inline auto distance(const A& a, const B& b) {
    return distance(detail::own_vector(a), detail::own_vector(b));
}
template <EigenVector E>
[[gnu::always_inline]] inline double norm(const E& a) {
    return norm(detail::own_vector(a));
}
template <EigenVector E>
[[gnu::always_inline]] inline double squared_norm(const E& a) {
    return squared_norm(detail::own_vector(a));
}
template <EigenVector E>
[[gnu::always_inline]] inline Vector3<double> normalized(const E& a) {
    return normalized(detail::own_vector(a));
}

}  // namespace ancora
