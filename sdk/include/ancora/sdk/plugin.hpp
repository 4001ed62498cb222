// SPDX-License-Identifier: BSD-3-Clause
// The plugin descriptor and the macro that exports it: the only symbol a plugin has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <type_traits>

#include "ancora/sdk/abi.hpp"
#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/derivative_source.hpp"
#include "ancora/sdk/integrator.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

enum class TypeKind : std::int32_t { body, constraint, force, integrator };

/// Promises that a type makes beyond its interface; `ancora verify` holds it to each.
enum class Claim : std::uint32_t {
    /// Constraints: pi(R r + c) = pi where all attachments are moved together, points by rotation
    /// and translation, directions by rotation; not asked of objects that are tied to the inertial
    /// frame. Bodies: kinetic and elastic energy do not change under a rotation of space.
    rigid_motion_invariant = 1u << 0,
    dissipative = 1u << 1,      ///< forces: the power is never positive
    frame_invariant = 1u << 2,  ///< forces: f(R r + c) = R f(r) where all attachments are moved
    /// Integrators: what a system without loads and friction keeps to rounding.
    keeps_energy = 1u << 3,
    keeps_momentum = 1u << 4,
    keeps_angular_momentum = 1u << 5,
};

/// A set of claims, written `{Claim::dissipative, Claim::frame_invariant}`.
struct Claims {
    constexpr Claims() = default;
    constexpr Claims(std::initializer_list<Claim> claims) {
        for (const Claim claim : claims) bits |= static_cast<std::uint32_t>(claim);
    }
    constexpr bool has(Claim claim) const {
        return (bits & static_cast<std::uint32_t>(claim)) != 0;
    }

    std::uint32_t bits = 0;
};

/// Example parameter sets, each the TOML text of an object's own keys, one per line: all that
/// stands below `name` and `type`. Tables are written inline. Other objects go by the names
/// that they have in the system which `ancora verify` builds around an example:
///
///   a, b     rigid bodies that know every point and direction, "a@[0.3, 0.0, -0.2]"
///   c        a constraint on which a point of `a` slides
///   ground   the ground
using Examples = std::array<const char*, 8>;

/// One type that a plugin offers. Plain data; the factory is the only code it leads to.
struct TypeDescriptor {
    TypeKind kind = TypeKind::body;
    const char* name = nullptr;  ///< as written after `type =` in a manifest
    const char* doc = "";        ///< one line
    const char* equation = "";   ///< the equations it stands for, plain text
    const char* source = "";     ///< paper or textbook
    const char* tolerance = "";  ///< integrators: the meaning of `tolerance`
    const Parameter* parameters = nullptr;
    std::int32_t num_parameters = 0;
    /// Returns a new object (Body*, Constraint*, NonidealForce* or Integrator* after `kind`), owned
    /// by the caller.
    void* (*create)(const Arguments& arguments) = nullptr;
    Examples examples{};  ///< the first null ends them
    Claims claims;
    std::int32_t order = 0;  ///< integrators: order of convergence; 0: not stated
    DerivativeSources
        derivatives{};  ///< bodies and constraints: where those of their rows come from
};

/// First bytes of every descriptor.
inline constexpr std::uint64_t kPluginMagic = 0x31304152'4f434e41;  // "ANCORA01"

/// What a plugin's single exported symbol `ancora_plugin_descriptor` holds. The fields up to the
/// fingerprint never move, so that any kernel can refuse any plugin in words.
struct PluginDescriptor {
    std::uint64_t magic = kPluginMagic;
    std::uint32_t size = 0;
    std::uint32_t sdk_version = 0;
    const AbiEntry* abi = nullptr;
    std::uint32_t num_abi = 0;
    std::uint32_t num_types = 0;
    const char* name = nullptr;
    const char* version = nullptr;
    const TypeDescriptor* types = nullptr;
};

namespace detail {

template <class T>
constexpr TypeKind kind_of() {
    if constexpr (std::is_base_of_v<Body, T>)
        return TypeKind::body;
    else if constexpr (std::is_base_of_v<Constraint, T>)
        return TypeKind::constraint;
    else if constexpr (std::is_base_of_v<NonidealForce, T>)
        return TypeKind::force;
    else {
        static_assert(std::is_base_of_v<Integrator, T>,
                      "T must derive from Body, Constraint, NonidealForce or Integrator");
        return TypeKind::integrator;
    }
}

template <class T>
void* create(const Arguments& arguments) {
    using Base = std::conditional_t<
        std::is_base_of_v<Body, T>,
        Body,
        std::conditional_t<
            std::is_base_of_v<Constraint, T>,
            Constraint,
            std::conditional_t<std::is_base_of_v<NonidealForce, T>, NonidealForce, Integrator>>>;
    return static_cast<Base*>(new T(arguments));
}

}  // namespace detail

/// What a type says of itself, for `ancora describe`, the reference and `ancora verify`.
struct TypeDocs {
    const char* doc = "";
    const char* equation = "";
    const char* source = "";
    const char* tolerance = "";  ///< integrators only
    Examples examples{};         ///< at least one, so that the type can be verified
    Claims claims{};
    std::int32_t order = 0;  ///< integrators only
};

namespace detail {

template <class T>
constexpr TypeDescriptor describe(const char* name, const TypeDocs& docs) {
    return {.kind = detail::kind_of<T>(),
            .name = name,
            .doc = docs.doc,
            .equation = docs.equation,
            .source = docs.source,
            .tolerance = docs.tolerance,
            .create = &detail::create<T>,
            .examples = docs.examples,
            .claims = docs.claims,
            .order = docs.order,
            .derivatives = derivative_sources<T>()};
}

}  // namespace detail

/// Describes class T, which is made by T(const Arguments&) and has no parameters.
template <class T>
constexpr TypeDescriptor type(const char* name, const TypeDocs& docs) {
    static_assert(
        !requires { T::kParameters; },
        "the class has parameters: hand T::kParameters on as the third argument");
    return detail::describe<T>(name, docs);
}

/// The same for a class with parameters.
template <class T, int N>
constexpr TypeDescriptor type(const char* name,
                              const TypeDocs& docs,
                              const Parameter (&schema)[N]) {
    TypeDescriptor described = detail::describe<T>(name, docs);
    described.parameters = schema;
    described.num_parameters = N;
    return described;
}

namespace detail {

/// What a plugin offers, as text in an ELF note of its file, a line each. The kernel finds the type
/// that a model names there, and opens no other library for it: opening runs code.
///
///     plugin truss
///     version 1.2.0
///     sdk 5
///     body truss
template <std::size_t N>
struct PluginNote {
    std::uint32_t name_size = 7;
    std::uint32_t text_size = N;
    std::uint32_t kind = 1;  ///< the form of the text
    char name[8] = "Ancora";
    char text[(N + 3) / 4 * 4]{};
};

/// Calls `put` with each piece of the text.
template <class Types, class Put>
constexpr void spell_note(const char* name, const char* version, const Types& types, Put put) {
    constexpr const char* kKinds[] = {"body ", "constraint ", "force ", "integrator "};
    for (const char* piece : {"plugin ", name, "\nversion ", version}) put(piece);
    put("\nsdk " ANCORA_TEXT(ANCORA_SDK_VERSION) "\n");
    for (const TypeDescriptor& type : types)
        for (const char* piece : {kKinds[static_cast<int>(type.kind)], type.name, "\n"}) put(piece);
}

template <class Types>
constexpr std::size_t note_size(const char* name, const char* version, const Types& types) {
    std::size_t size = 0;
    spell_note(name, version, types, [&size](const char* piece) {
        while (*piece++ != '\0') ++size;
    });
    return size;
}

template <std::size_t N, class Types>
constexpr PluginNote<N> note(const char* name, const char* version, const Types& types) {
    PluginNote<N> out;
    char* to = out.text;
    spell_note(name, version, types, [&to](const char* piece) {
        while (*piece != '\0') *to++ = *piece++;
    });
    return out;
}

}  // namespace detail

}  // namespace ancora

/// Exports a plugin: ANCORA_PLUGIN("truss", "1.2.0", kTypes), with kTypes a constexpr array of
/// TypeDescriptor. Stands once in a plugin, outside every namespace.
#define ANCORA_PLUGIN(plugin_name, plugin_version, type_array)                                     \
    extern "C" {                                                                                   \
    [[gnu::visibility("default")]] extern const ancora::PluginDescriptor ancora_plugin_descriptor; \
    constinit const ancora::PluginDescriptor ancora_plugin_descriptor = {                          \
        ancora::kPluginMagic,                                                                      \
        sizeof(ancora::PluginDescriptor),                                                          \
        ANCORA_SDK_VERSION,                                                                        \
        ancora::kAbiFingerprint.data(),                                                            \
        static_cast<std::uint32_t>(ancora::kAbiFingerprint.size()),                                \
        static_cast<std::uint32_t>(std::size(type_array)),                                         \
        plugin_name,                                                                               \
        plugin_version,                                                                            \
        type_array};                                                                               \
    }                                                                                              \
    [[gnu::section(".note.ancora"),                                                                \
      gnu::used,                                                                                   \
      gnu::aligned(4)]] static constexpr auto ancora_plugin_note =                                 \
        ancora::detail::note<ancora::detail::note_size(plugin_name, plugin_version, type_array)>(  \
            plugin_name, plugin_version, type_array);
