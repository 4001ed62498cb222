// SPDX-License-Identifier: BSD-3-Clause
// A description imported and loaded, and its motion beside that of a reference.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/dynamics.hpp"
#include "ancora/framework/simulation.hpp"
#include "import.hpp"
#include "reference_tree.hpp"
#include "support/near.hpp"
#include "support/process.hpp"

namespace ancora::testing {

/// The manifest of a description in the folder.
inline ImportedModel imported(const TempFolder& folder,
                              const std::string& name,
                              bool is_lenient = false) {
    return import_model(folder / name,
                        {.manifest = folder / "model.toml", .is_lenient = is_lenient});
}

inline PluginRegistry& plugins() {
    static PluginRegistry registry;
    static const bool once = (registry.add_folder(ANCORA_TEST_PLUGIN_DIR), true);
    static_cast<void>(once);
    return registry;
}

inline Simulation simulate(const std::string& text,
                           const std::vector<std::string>& overrides = {}) {
    INFO(text);
    return Simulation(Manifest::parse(text, "model.toml", overrides), plugins());
}

/// Joints of the tree at their values and rates.
inline std::vector<std::string> starts(const ReferenceTree& tree) {
    std::vector<std::string> out;
    for (const TreeBody& b : tree.bodies) {
        if (b.joint == TreeBody::Joint::fixed) continue;
        const char* const measure = b.joint == TreeBody::Joint::hinge ? "angle" : "displacement";
        out.push_back(fmt::format(
            "joint.{0}.start={{{1}={2}, {1}_rate={3}}}", b.joint_name, measure, b.q, b.v));
    }
    return out;
}

/// Poses, accelerations of matter and energies of bodies whose names both have.
///
/// @param relative  of the largest acceleration
inline void compare(const Simulation& simulation, const ReferenceTree& tree, double relative) {
    const std::vector<ReferenceTree::Motion> expected = tree.motion();
    double largest = 1.0;
    for (const auto& m : expected)
        largest = std::max({largest, m.a.norm(), m.alpha.norm(), m.w.squaredNorm()});
    std::map<std::string, const ReferenceTree::Motion*> by_name;
    for (std::size_t i = 0; i < tree.bodies.size(); ++i)
        by_name[tree.bodies[i].name] = &expected[i];

    const Dynamics dynamics = simulation.dynamics();
    std::size_t first = 0;
    int compared = 0;
    for (const auto& [name, q, v] : simulation.body_states()) {
        const double* const acceleration = dynamics.acceleration.data() + first;
        first += q.size();
        const auto found = by_name.find(name);
        if (found == by_name.end()) continue;
        CAPTURE(name);
        const ReferenceTree::Motion& m = *found->second;
        const auto pose = simulation.pose(name);
        const Vector3d p(pose.position[0], pose.position[1], pose.position[2]);
        const Eigen::Quaterniond turn(
            pose.quaternion[0], pose.quaternion[1], pose.quaternion[2], pose.quaternion[3]);
        CHECK((p - m.p).norm() <= tolerance(1e-12));
        CHECK((turn.toRotationMatrix() - m.R).norm() <= tolerance(1e-12));
        // Four vectors of the body: its centre of mass from the origin, and three directions
        REQUIRE(q.size() == 12);
        for (int k = 0; k < 4; ++k) {
            const Eigen::Map<const Vector3d> x(q.data() + 3 * k), a(acceleration + 3 * k);
            const Vector3d arm = k == 0 ? Vector3d(x - m.p) : Vector3d(x);
            const Vector3d wanted = (k == 0 ? m.a : Vector3d(Vector3d::Zero())) +
                                    m.alpha.cross(arm) + m.w.cross(m.w.cross(arm));
            CHECK((a - wanted).norm() <= tolerance(relative * largest));
        }
        ++compared;
    }
    CHECK(compared > 0);
    const double kinetic = tree.kinetic_energy();
    CHECK(simulation.value("energy.kinetic") ==
          Near(kinetic, tolerance(relative * (1.0 + kinetic))));
}

}  // namespace ancora::testing
