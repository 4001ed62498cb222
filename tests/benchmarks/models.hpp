// SPDX-License-Identifier: BSD-3-Clause
// Chains and nets of any size, built in code, for the benchmarks.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "ancora/framework/manifest.hpp"

namespace ancora::benchmark {

/// Under emm with step [s] for `steps` steps; no output points.
inline Manifest empty_model(double step, long steps) {
    Manifest manifest;
    manifest.integrator.type = "emm";
    manifest.integrator.step = step;
    manifest.integrator.end = step * static_cast<double>(steps);
    return manifest;
}

/// The box of Sugano's Table 1.
inline Manifest free_top(double step, long steps, double penalty) {
    Manifest manifest = empty_model(step, steps);
    manifest.add_body("box", "ancf_rigid_body")
        .set("size", {3.0, 2.0, 1.0})
        .set("density", 2700.0)
        .set("penalty", penalty)
        .set("angular_velocity", {0.3, 0.5, 0.8});
    return manifest;
}

/// N exactly rigid boxes in a row, the first hung from the ground, released from horizontal.
inline Manifest hanging_chain(int N, double step, long steps) {
    Manifest manifest = empty_model(step, steps);
    manifest.model.gravity = {0.0, 0.0, -9.81};
    for (int i = 0; i < N; ++i)
        manifest.add_body(fmt::format("link{}", i), "ancf_rigid_body")
            .set("size", {1.0, 0.2, 0.1})
            .set("density", 1000.0)
            .set("position", {i + 0.5, 0.0, 0.0});
    for (int i = 0; i < N; ++i)
        manifest.add_constraint(fmt::format("joint{}", i), "position")
            .set("a", fmt::format("link{}@[-0.5, 0, 0]", i))
            .set("b",
                 i == 0 ? std::string("ground@[0, 0, 0]") : fmt::format("link{}@[0.5, 0, 0]", i - 1));
    return manifest;
}

/// A square net of N x N nodes of spacing 0.25 m with half a kilogram on each corner, in steady
/// spin of 1 rad/s about its normal (examples/spinning_net at N = 60).
inline Manifest spinning_net(int N, double step, long steps) {
    Manifest manifest = empty_model(step, steps);
    const double half = 0.125 * (N - 1);
    Table grid;
    grid.set("counts", {static_cast<double>(N), static_cast<double>(N)})
        .set("spacing", {0.25, 0.25})
        .set("origin", {-half, -half, 0.0});
    Table spin;
    spin.set("axis", {0.0, 0.0, 1.0}).set("rate", 1.0);
    Array masses;
    for (const int node : {0, N - 1, N * (N - 1), N * N - 1})
        masses.push_back(Value({static_cast<double>(node), 0.5}));
    manifest.add_body("net", "truss")
        .set("grid", grid)
        .set("area", 1e-6)
        .set("young", 3e9)
        .set("density", 1420.0)
        .set("node_masses", masses)
        .set("spin", spin)
        .set("rest_length", "spin");
    return manifest;
}

}  // namespace ancora::benchmark
