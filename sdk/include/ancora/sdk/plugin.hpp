// SPDX-License-Identifier: BSD-3-Clause
// The plugin descriptor and the macro that exports it: the only symbol a plugin has.
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>

#include "ancora/sdk/abi.hpp"
#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/integrator.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

enum class TypeKind : std::int32_t { body, constraint, force, integrator };

/// One type that a plugin offers. Plain data; the factory is the only code it leads to.
struct TypeDescriptor {
    TypeKind kind = TypeKind::body;
    const char* name = nullptr;  ///< as written after `type =` in a manifest
    const char* doc = "";        ///< one line
    const char* equation = "";   ///< the equations it stands for, plain text
    const char* source = "";     ///< paper or book
    const char* tolerance = "";  ///< integrators: what `tolerance` means to it
    const Parameter* parameters = nullptr;
    std::int32_t num_parameters = 0;
    /// Returns a new object (Body*, Constraint*, NonidealForce* or Integrator* after `kind`), owned
    /// by the caller.
    void* (*create)(const Arguments& arguments) = nullptr;
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

/// Texts of a type, for `ancora describe` and the reference.
struct TypeDocs {
    const char* doc = "";
    const char* equation = "";
    const char* source = "";
    const char* tolerance = "";  ///< integrators only
};

/// Describes class T, which is made by T(const Arguments&).
template <class T, int N>
constexpr TypeDescriptor type(const char* name,
                              const TypeDocs& docs,
                              const Parameter (&schema)[N]) {
    return {detail::kind_of<T>(),
            name,
            docs.doc,
            docs.equation,
            docs.source,
            docs.tolerance,
            schema,
            N,
            &detail::create<T>};
}

/// The same for a class without parameters.
template <class T>
constexpr TypeDescriptor type(const char* name, const TypeDocs& docs) {
    return {detail::kind_of<T>(),
            name,
            docs.doc,
            docs.equation,
            docs.source,
            docs.tolerance,
            nullptr,
            0,
            &detail::create<T>};
}

}  // namespace ancora

/// Exports a plugin: ANCORA_PLUGIN("truss", "1.2.0", kTypes), with kTypes a constant array of
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
    }
