// SPDX-License-Identifier: BSD-3-Clause
// Checks of what a body looks like.
#include <algorithm>
#include <limits>
#include <vector>

#include "check.hpp"
#include "object.hpp"

namespace ancora::verify {
namespace {

constexpr int kDrawingSteps = 5;

/// The kernel refuses shapes, lines and values that cannot be, when it is asked for them.
void check_drawing(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        for (const std::string& integrator : example.integrators()) {
            RunSettings settings;
            settings.integrator = integrator;
            settings.end = kDrawingSteps * settings.step;
            Simulation simulation = example.simulate(settings);
            const Scene& scene = simulation.scene();
            if (std::ranges::all_of(scene.bodies, [](const SceneBody& body) {
                    return body.shapes.empty() && body.num_nodes == 0;
                }))
                throw Skipped("the body draws nothing of its own");
            std::vector<double> frame(static_cast<std::size_t>(scene.num_values));
            for (int k = 0; k <= kDrawingSteps; ++k) {
                // what is not written stays what it is
                std::ranges::fill(frame, std::numeric_limits<double>::quiet_NaN());
                simulation.sample({{}, frame, {}});
                if (!simulation.done()) simulation.step();
            }
        }
    });
}

constexpr Check kDrawingChecks[] = {
    {"drawing",
     kBodies,
     "shapes, nodes and lines of draw() are there, and draw_values() writes every value",
     check_drawing},
};

}  // namespace

std::span<const Check> drawing_checks() {
    return kDrawingChecks;
}

}  // namespace ancora::verify
