// SPDX-License-Identifier: BSD-3-Clause
// A check of the conformance kit: its name, what it asks, and how it answers.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora::verify {

struct Subject;

/// Thrown by a check that the plugin fails; the text is the one-line reason.
class Failure : public std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// The failure that leaves nothing to check: no object, or no system with it, could be made.
class NotMade : public Failure {
    using Failure::Failure;
};
/// Thrown by a check that does not apply; the text says why.
class Skipped : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Kinds of types that a check applies to, as bits.
constexpr unsigned bit(TypeKind kind) {
    return 1u << static_cast<unsigned>(kind);
}
inline constexpr unsigned kBodies = bit(TypeKind::body);
inline constexpr unsigned kConstraints = bit(TypeKind::constraint);
inline constexpr unsigned kForces = bit(TypeKind::force);
inline constexpr unsigned kIntegrators = bit(TypeKind::integrator);
inline constexpr unsigned kRows = kBodies | kConstraints;
inline constexpr unsigned kModels = kRows | kForces;
inline constexpr unsigned kEvery = kModels | kIntegrators;

struct Check {
    const char* name;
    unsigned kinds;
    const char* doc;                ///< what it asks, one line
    void (*run)(Subject& subject);  ///< returns if the plugin passes
    bool needs_object = true;       ///< is skipped where no object can be made
};

/// All checks, in the order in which they are made.
std::span<const Check> checks();
/// Name of the check that stands for opening the plugin at all.
inline constexpr const char* kLoad = "load";
/// Name of the check that makes objects, without which no other says anything.
inline constexpr const char* kExamples = "examples";
inline constexpr const char* kLoadDoc =
    "the library opens, is accepted, and leaves the process alone, see `environment`";

/// What every check gets: a type of an open plugin, and where randomness starts.
struct Subject {
    PluginRegistry& registry;
    const Plugin& plugin;
    const TypeDescriptor& type;
    std::uint64_t seed = 0;
    /// A check may leave a remark here that is shown although it passes.
    std::string remark;
    /// What was changed in the process by a check before, which has been put back.
    std::string earlier;

    /// Of the descriptor.
    std::vector<std::string> examples() const;
};

// The checks by file.
std::span<const Check> descriptor_checks();
std::span<const Check> output_checks();
std::span<const Check> hidden_state_checks();
std::span<const Check> environment_checks();
std::span<const Check> row_checks();
std::span<const Check> law_checks();
std::span<const Check> body_checks();
std::span<const Check> body_motion_checks();
std::span<const Check> drawing_checks();
std::span<const Check> event_checks();
std::span<const Check> joint_checks();
std::span<const Check> facet_checks();
std::span<const Check> force_checks();
std::span<const Check> gap_checks();
std::span<const Check> system_checks();
std::span<const Check> gradient_checks();
std::span<const Check> integrator_checks();
std::span<const Check> integrator_signal_checks();

// Parts of checks that serve several kinds.
void check_force_consistency(Subject& subject);
class Example;
/// Refuses facets that a kernel could not even read.
/// @throws Failure
void require_readable_facets(const Example& example);

}  // namespace ancora::verify
