// SPDX-License-Identifier: BSD-3-Clause
// Simulations for tests: from the manifests of examples/ or from text, with the plugins built here.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora::testing {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Overrides = std::vector<std::string>;

inline PluginRegistry& registry() {
    static PluginRegistry plugins;
    static const bool once = (plugins.add_folder(ANCORA_TEST_PLUGIN_DIR), true);
    static_cast<void>(once);
    return plugins;
}

/// examples/NAME/model.toml with overrides as after --set.
inline Manifest example_manifest(const std::string& name, const Overrides& overrides = {}) {
    return Manifest::load(std::string(ANCORA_TEST_SOURCE_DIR) + "/examples/" + name + "/model.toml",
                          overrides);
}
inline Simulation example(const std::string& name, const Overrides& overrides = {}) {
    return {example_manifest(name, overrides), registry()};
}
inline Simulation model(const std::string& text, const Overrides& overrides = {}) {
    return {Manifest::parse(text, "test.toml", overrides), registry()};
}

inline Simulation& run_to_end(Simulation& simulation) {
    while (!simulation.done()) simulation.step();
    return simulation;
}

/// "KEY=VALUE" with all digits.
inline std::string setting(const std::string& key, double value) {
    char text[40];
    std::snprintf(text, sizeof text, "=%.17g", value);
    return key + text;
}

inline Vec3 vec3(const std::array<double, 3>& x) {
    return {x[0], x[1], x[2]};
}
inline Vec3 omega(const Simulation& simulation, const std::string& body) {
    return vec3(simulation.pose(body).angular_velocity);
}
inline Mat3 attitude(const Simulation& simulation, const std::string& body) {
    const auto p = simulation.pose(body).quaternion;
    return Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix();
}
/// Angle of the rotation between two attitudes [rad], without loss of digits where it is small.
inline double angle_between(const Mat3& a, const Mat3& b) {
    return 2.0 * std::asin(std::min(1.0, (a - b).norm() / std::sqrt(8.0)));
}

/// One column of history.csv now.
inline double column(const Simulation& simulation, const std::string& name) {
    const std::vector<std::string> names = simulation.column_names();
    std::vector<double> row(names.size());
    simulation.sample(row);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return row[i];
    throw std::invalid_argument("no column " + name);
}
/// Three columns NAME.x, NAME.y, NAME.z.
inline Vec3 columns(const Simulation& simulation, const std::string& name) {
    return {column(simulation, name + ".x"),
            column(simulation, name + ".y"),
            column(simulation, name + ".z")};
}

/// Rounding-error bound of a conserved quantity after N steps, relative.
inline double rounding_bound(double num_steps) {
    return 1e-15 + 3e-16 * std::sqrt(num_steps);
}

/// Observed order of convergence from errors at two step sizes.
inline double observed_order(double coarse_step,
                             double coarse_error,
                             double fine_step,
                             double fine_error) {
    return std::log(coarse_error / fine_error) / std::log(coarse_step / fine_step);
}

}  // namespace ancora::testing
