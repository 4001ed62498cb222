// SPDX-License-Identifier: BSD-3-Clause
// Which of a type's parameters are arguments of its function, and how numbers become arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "ancora/sdk/numbers/vector3.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

/// What an argument of an author's function is: three scalars, or one.
enum class ArgumentKind : std::uint8_t { point, direction, scalar };

namespace parameter {

/// The name of a coordinate of a body: "box.x", "crank.theta". The function gets it as one scalar.
constexpr Parameter coordinate(const char* name, const char* doc) {
    return make(name, "coordinate", doc, Shape::text);
}

}  // namespace parameter

/// Arguments of an author's function, in order; their scalars lie behind each other.
template <ArgumentKind... kKinds>
struct ArgumentList {
    static constexpr std::size_t kCount = sizeof...(kKinds);
    static constexpr std::array<ArgumentKind, kCount> kKind = {kKinds...};
    using Indices = std::make_index_sequence<kCount>;

    static constexpr std::size_t width(std::size_t i) {
        return kKind[i] == ArgumentKind::scalar ? 1 : 3;
    }
    static constexpr std::size_t offset(std::size_t i) {
        std::size_t sum = 0;
        for (std::size_t j = 0; j < i; ++j) sum += width(j);
        return sum;
    }
    static constexpr std::size_t kWidth = offset(kCount);
    static constexpr bool kHasScalars = kWidth != 3 * kCount;

    /// Argument I made of the scalars at x.
    template <std::size_t I, class S>
    [[gnu::always_inline]] static constexpr auto argument(const S* x) {
        constexpr std::size_t at = offset(I);
        if constexpr (width(I) == 1)
            return x[at];
        else
            return Vector3<S>(x[at], x[at + 1], x[at + 2]);
    }

    /// function(arguments at x..., more...)
    template <class Function, class S, class... More>
    [[gnu::always_inline]] static constexpr decltype(auto) call(const Function& function,
                                                                const S* x,
                                                                const More&... more) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline))
            ->decltype(auto) {
            return function(argument<I>(x)..., more...);
        }
        (Indices{});
    }
    /// function(arguments at x..., arguments at y..., more...)
    template <class Function, class S, class... More>
    [[gnu::always_inline]] static constexpr decltype(auto) call_pair(const Function& function,
                                                                     const S* x,
                                                                     const S* y,
                                                                     const More&... more) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline))
            ->decltype(auto) {
            return function(argument<I>(x)..., argument<I>(y)..., more...);
        }
        (Indices{});
    }

    /// The arguments as types, for asking whether a function takes them.
    template <class S, std::size_t I>
    using Argument = decltype(argument<I>(static_cast<const S*>(nullptr)));

    template <class Function, class S, class... More>
    static constexpr bool takes() {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return requires(const Function& f, const Argument<S, I>&... x, const More&... more) {
                f(x..., more...);
            };
        }
        (Indices{});
    }
    template <class Function, class S, class... More>
    static constexpr bool takes_pair() {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return requires(const Function& f, const Argument<S, I>&... x, const More&... more) {
                f(x..., x..., more...);
            };
        }
        (Indices{});
    }
};

/// The arguments that a schema announces: its parameters that are points, directions or
/// coordinates, in its order. For the kernel all attachments come before all coordinates, each with
/// three scalars.
template <const auto& kSchema>
struct SchemaArguments {
    static constexpr bool is_attachment(const Parameter& p) {
        return p.allows(Shape::point) || p.allows(Shape::direction);
    }
    static constexpr bool is_coordinate(const Parameter& p) {
        return p.allows(Shape::text) && std::string_view(p.unit) == "coordinate";
    }

    static constexpr std::size_t kNumAttachments = [] {
        std::size_t n = 0;
        for (const Parameter& p : kSchema) n += is_attachment(p);
        return n;
    }();
    static constexpr std::size_t kNumCoordinates = [] {
        std::size_t n = 0;
        for (const Parameter& p : kSchema) n += is_coordinate(p);
        return n;
    }();
    static constexpr std::size_t kCount = kNumAttachments + kNumCoordinates;

    static constexpr bool is_object(const Parameter& p) { return p.allows(Shape::object); }
    static constexpr std::size_t kNumObjects = [] {
        std::size_t n = 0;
        for (const Parameter& p : kSchema) n += is_object(p);
        return n;
    }();

    /// Names of the parameters of one sort.
    template <std::size_t kSize>
    static constexpr std::array<const char*, kSize> names(
        bool (*is_of_the_sort)(const Parameter&)) {
        std::array<const char*, kSize> out{};
        std::size_t n = 0;
        for (const Parameter& p : kSchema)
            if (is_of_the_sort(p)) out[n++] = p.name;
        return out;
    }
    static constexpr auto kAttachments = [] {
        std::array<AttachmentRequest, kNumAttachments> out{};
        std::size_t n = 0;
        for (const Parameter& p : kSchema)
            if (is_attachment(p)) out[n++].parameter = p.name;
        return out;
    }();
    static constexpr auto kCoordinates = names<kNumCoordinates>(&is_coordinate);
    static constexpr auto kObjects = names<kNumObjects>(&is_object);

    static constexpr std::array<ArgumentKind, kCount> kKind = [] {
        std::array<ArgumentKind, kCount> out{};
        std::size_t n = 0;
        for (const Parameter& p : kSchema) {
            if (is_attachment(p))
                out[n++] = p.allows(Shape::point) ? ArgumentKind::point : ArgumentKind::direction;
            else if (is_coordinate(p))
                out[n++] = ArgumentKind::scalar;
        }
        return out;
    }();
    using List = decltype([]<std::size_t... I>(std::index_sequence<I...>) {
        return ArgumentList<kKind[I]...>();
    }(std::make_index_sequence<kCount>{}));

    /// Where the arguments' scalars stand in the kernel's u.
    static constexpr std::array<std::int32_t, List::kWidth> kStencil = [] {
        std::array<std::int32_t, List::kWidth> out{};
        std::int32_t attachment = 0;
        std::int32_t coordinate = kNumAttachments;
        std::size_t n = 0;
        for (const ArgumentKind kind : kKind) {
            const std::int32_t first =
                3 * (kind == ArgumentKind::scalar ? coordinate++ : attachment++);
            const std::int32_t width = kind == ArgumentKind::scalar ? 1 : 3;
            for (std::int32_t k = 0; k < width; ++k) out[n++] = first + k;
        }
        return out;
    }();
};

/// The arguments of a class that makes its attachments from several parameters and says in a
/// constant kKinds what they are; it asks for them by text, in that order.
template <const auto& kKinds>
struct StatedArguments {
    static constexpr std::size_t kNumCoordinates = 0;
    static constexpr std::size_t kCount = std::size(kKinds);
    static constexpr std::array<AttachmentRequest, 0> kAttachments{};
    static constexpr std::array<const char*, 0> kCoordinates{};
    using List = decltype([]<std::size_t... I>(std::index_sequence<I...>) {
        return ArgumentList<kKinds[I]...>();
    }(std::make_index_sequence<kCount>{}));
    static constexpr std::array<std::int32_t, List::kWidth> kStencil = [] {
        std::array<std::int32_t, List::kWidth> out{};
        std::size_t n = 0;
        for (std::size_t i = 0; i < kCount; ++i)
            for (std::size_t k = 0; k < List::width(i); ++k)
                out[n++] = static_cast<std::int32_t>(3 * i + k);
        return out;
    }();
};

namespace detail {

template <class Author>
struct ArgumentsOf {
    using Type = SchemaArguments<Author::kParameters>;
};
template <class Author>
requires requires {
    Author::kArguments;
}
struct ArgumentsOf<Author> {
    using Type = StatedArguments<Author::kArguments>;
};

}  // namespace detail

/// The arguments of an author's function: what its constant kArguments says, or else its schema.
template <class Author>
using ArgumentsOf = typename detail::ArgumentsOf<Author>::Type;

}  // namespace ancora
