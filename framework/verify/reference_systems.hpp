// SPDX-License-Identifier: BSD-3-Clause
// The systems that the kit builds around examples, read from reference_systems.toml.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"

namespace ancora::verify {

/// An integrator that examples run under.
struct ReferenceIntegrator {
    std::string type;
    bool is_discrete = false;
    double step = 0.0;
};
std::vector<ReferenceIntegrator> reference_integrators();
/// Step under an integrator, of the kit or not [s].
double reference_step(const std::string& integrator);

/// A body that examples refer to, "a" or "b".
struct ReferenceBody {
    std::array<double, 3> at;
    std::array<double, 3> axis;
    std::string model;  ///< with {at} and {axis}

    /// Its text where it starts at another place.
    std::string placed(const std::array<double, 3>& at, const std::array<double, 3>& axis) const;
};
ReferenceBody reference_body(const std::string& name);
/// Names of the constraints that examples refer to, and their texts.
std::vector<std::string> reference_constraints();
std::string reference_constraint(const std::string& name);
/// What integrators advance: the joint of a and b, or a body without any constraint.
std::string reference_joint();
std::string reference_free_body();

/// A system whose motion is known.
struct ReferenceSystem {
    std::string name;  ///< in messages
    std::map<std::string, double> numbers;
    std::string model;  ///< without [integrator]; the numbers put in
    std::string point;
    double end = 0.0;

    double number(const std::string& key) const { return numbers.at(key); }
    /// The types that it is made of: "particle and point_on_circle".
    std::string types() const;
    /// Whether plugins on the search path have them.
    bool is_there(PluginRegistry& registry) const;
};
ReferenceSystem reference_system(const std::string& key);

/// Opens the plugins that systems of the kit need, those that are there.
void load_reference_types(PluginRegistry& registry);

}  // namespace ancora::verify
