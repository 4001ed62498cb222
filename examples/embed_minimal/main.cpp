// SPDX-License-Identifier: BSD-3-Clause
// A pendulum built in code, or any model from a file, stepped by a program of one's own.
#include <cstdio>

#include <ancora/framework/simulation.hpp>

namespace {

// A bar of 1 m hangs by its end from the origin and is let go from horizontal.
ancora::Manifest pendulum() {
    ancora::Manifest manifest;
    manifest.model.gravity = {0.0, 0.0, -9.81};
    manifest.add_body("bar", "ancf_rigid_body")
        .set("size", {1.0, 0.1, 0.1})
        .set("density", 1000.0)
        .set("position", {0.5, 0.0, 0.0});
    manifest.add_constraint("pin", "position")
        .set("a", "bar@[-0.5, 0, 0]")
        .set("b", "ground@[0, 0, 0]");
    manifest.integrator.type = "emm";
    manifest.integrator.step = 1e-3;
    manifest.integrator.end = 1.0;
    return manifest;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const ancora::Manifest manifest = argc > 1 ? ancora::Manifest::load(argv[1]) : pendulum();
        ancora::PluginRegistry registry;  // must outlive the simulation
        ancora::Simulation simulation(manifest, registry);
        while (!simulation.done()) simulation.step();

        for (const auto& [name, q, v] : simulation.body_states())
            std::printf("%s: q_0 = %.6f m, v_0 = %.6f m/s\n", name.c_str(), q[0], v[0]);
        for (const ancora::ObjectSpec& constraint : manifest.constraints)
            for (const double x : simulation.reaction(constraint.name))
                std::printf("%s: reaction %.6f N\n", constraint.name.c_str(), x);
        std::printf("t = %g s, energy balance %.1e (relative)\n",
                    simulation.time(),
                    simulation.statistics().energy.max_rel);
        return 0;
    } catch (const ancora::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.kind());
    }
}
