// SPDX-License-Identifier: BSD-3-Clause
// Chains and nets of any size, built in code, for the benchmarks.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <Eigen/Geometry>
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

/// Copies of that box, each with a spin of its own.
inline Manifest tops(int count, double step, long steps) {
    Manifest manifest = empty_model(step, steps);
    for (int i = 0; i < count; ++i) {
        const int row = i / 100;
        manifest.add_body(fmt::format("box{}", i), "ancf_rigid_body")
            .set("size", {3.0, 2.0, 1.0})
            .set("density", 2700.0)
            .set("position", {10.0 * (i % 100), 10.0 * row, 0.0})
            .set("angular_velocity", {0.3 + 0.1 * std::sin(i), 0.5 + 0.1 * std::cos(3.0 * i), 0.8});
    }
    return manifest;
}

/// Blocks that slide on a floor on four feet each, apart from each other: 4 N contacts, of which
/// one in four has a normal force that is shared.
inline Manifest blocks_on_feet(int N, double step, long steps) {
    Manifest manifest = empty_model(step, steps);
    manifest.model.gravity = {0.0, 0.0, -9.81};
    for (int i = 0; i < N; ++i) {
        manifest.add_body(fmt::format("block{}", i), "ancf_rigid_body")
            .set("size", {0.4, 0.3, 0.2})
            .set("density", 1000.0)
            .set("position", {0.0, static_cast<double>(i), 0.1})
            .set("velocity", {0.8 + 0.3 * std::sin(i), 0.1, 0.0});
        for (int k = 0; k < 4; ++k) {
            const std::string foot = fmt::format("foot{}_{}", i, k);
            manifest.add_constraint(foot, "point_on_plane")
                .set(
                    "point",
                    fmt::format(
                        "block{}@[{}, {}, -0.1]", i, k % 2 == 0 ? 0.2 : -0.2, k < 2 ? 0.15 : -0.15))
                .set("normal", {0.0, 0.0, 1.0});
            manifest.add_force("rub_" + foot, "coulomb_friction")
                .set("on", foot)
                .set("mu_kinetic", 0.3);
        }
    }
    return manifest;
}

/// Pendulums with friction in their joints, apart from each other.
inline Manifest rubbing_pendulums(int N, double step, long steps) {
    Manifest manifest = empty_model(step, steps);
    manifest.model.gravity = {0.0, 0.0, -9.81};
    for (int i = 0; i < N; ++i) {
        const std::string rod = fmt::format("rod{}", i), joint = fmt::format("joint{}", i);
        manifest.add_body(rod, "ancf_rigid_body")
            .set("size", {1.0, 0.05, 0.05})
            .set("density", 1000.0)
            .set("position", {0.5, static_cast<double>(i), 0.0});
        manifest.add_constraint(joint, "revolute")
            .set("a", "ground")
            .set("b", rod)
            .set("point", {0.0, static_cast<double>(i), 0.0})
            .set("axis", {0.0, 1.0, 0.0});
        manifest.add_force("rub_" + joint, "joint_friction")
            .set("on", joint)
            .set("mu", 0.1 + 0.1 * std::sin(i))
            .set("radius", 0.05);
    }
    return manifest;
}

/// A robot arm: links in a row, held by hinges about y and z in turn with motors that follow
/// targets (proportional and derivative).
inline Manifest robot_arm(int hinges, const char* integrator, double step, long steps) {
    Manifest manifest = empty_model(step, steps);
    manifest.integrator.type = integrator;
    manifest.model.gravity = {0.0, 0.0, -9.81};
    for (int i = 0; i < hinges; ++i) {
        manifest.add_body(fmt::format("link{}", i), "ancf_rigid_body")
            .set("size", {0.3, 0.08, 0.08})
            .set("density", 1000.0)
            .set("position", {0.3 * i + 0.15, 0.0, 0.0});
        manifest.add_constraint(fmt::format("hinge{}", i), "revolute")
            .set("a", i == 0 ? std::string("ground") : fmt::format("link{}", i - 1))
            .set("b", fmt::format("link{}", i))
            .set("point", {0.3 * i, 0.0, 0.0})
            .set("axis", {0.0, i % 2 == 1 ? 1.0 : 0.0, i % 2 == 0 ? 1.0 : 0.0})
            .set("motor",
                 fmt::format("{0}*({1}*sin({2}*t) - value) - {3}*rate",
                             100.0 * (hinges - i),
                             0.3 + 0.1 * (i % 3),
                             1.5 + 0.2 * (i % 4),
                             10.0 * (hinges - i)));
    }
    return manifest;
}

/// Joints between links of length 1 m, the first hung from the ground.
inline void hang_links(Manifest& manifest, int N) {
    for (int i = 0; i < N; ++i)
        manifest.add_constraint(fmt::format("joint{}", i), "position")
            .set("a", fmt::format("link{}@[-0.5, 0, 0]", i))
            .set("b",
                 i == 0 ? std::string("ground@[0, 0, 0]")
                        : fmt::format("link{}@[0.5, 0, 0]", i - 1));
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
    hang_links(manifest, N);
    return manifest;
}

/// The same chain bent and in motion: each link is turned about an axis of its own by up to a
/// radian and spins at about 1 rad/s, so that no entry of A that a joint or a base vector makes is
/// zero by chance.
inline Manifest bent_chain(int N, double step, long steps) {
    Manifest manifest = empty_model(step, steps);
    manifest.model.gravity = {0.0, 0.0, -9.81};
    Eigen::Vector3d joint = Eigen::Vector3d::Zero();
    Eigen::Vector3d joint_velocity = Eigen::Vector3d::Zero();
    for (int i = 0; i < N; ++i) {
        const Eigen::Vector3d axis(std::sin(1.0 + i), std::cos(2.0 * i), std::sin(0.7 * i + 0.4));
        const Eigen::Quaterniond turn(
            Eigen::AngleAxisd(0.8 + 0.2 * std::sin(3.0 * i), axis.normalized()));
        const Eigen::Vector3d omega(std::cos(1.3 * i), std::sin(2.1 * i + 1.0), std::cos(0.9 * i));
        const Eigen::Vector3d half = 0.5 * (turn * Eigen::Vector3d::UnitX());
        const Eigen::Vector3d half_velocity = (turn * omega).cross(half);
        const Eigen::Vector3d center = joint + half;
        const Eigen::Vector3d velocity = joint_velocity + half_velocity;
        manifest.add_body(fmt::format("link{}", i), "ancf_rigid_body")
            .set("size", {1.0, 0.2, 0.1})
            .set("density", 1000.0)
            .set("position", {center.x(), center.y(), center.z()})
            .set("orientation", {turn.w(), turn.x(), turn.y(), turn.z()})
            .set("velocity", {velocity.x(), velocity.y(), velocity.z()})
            .set("angular_velocity", {omega.x(), omega.y(), omega.z()});
        joint += 2.0 * half;
        joint_velocity += 2.0 * half_velocity;
    }
    hang_links(manifest, N);
    return manifest;
}

/// A square net of N x N nodes of spacing 0.25 m with half a kilogram on each corner, in steady
/// spin of 1 rad/s about its normal (examples/spinning_net at N = 60); on request with both
/// diagonals of every cell.
inline Manifest spinning_net(int N, double step, long steps, bool has_diagonals = false) {
    Manifest manifest = empty_model(step, steps);
    const double half = 0.125 * (N - 1);
    Table grid;
    grid.set("counts", {static_cast<double>(N), static_cast<double>(N)})
        .set("spacing", {0.25, 0.25})
        .set("origin", {-half, -half, 0.0});
    if (has_diagonals) grid.set("diagonals", true);
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

/// A square film of N x N nodes of spacing 0.25 m, 7.5 um thick, that is spun at 1 rad/s without
/// any tension at first: waves run through it, and where it cannot be compressed it wrinkles all
/// over.
inline Manifest spun_film(int N, bool tension_only, double step, long steps) {
    Manifest manifest = empty_model(step, steps);
    const double half = 0.125 * (N - 1);
    Table grid, spin;
    grid.set("counts", {static_cast<double>(N), static_cast<double>(N)})
        .set("spacing", {0.25, 0.25})
        .set("origin", {-half, -half, 0.0});
    spin.set("axis", {0.0, 0.0, 1.0}).set("rate", 1.0);
    manifest.add_body("film", "membrane")
        .set("grid", grid)
        .set("young", 3.2e9)
        .set("poisson", 0.34)
        .set("thickness", 7.5e-6)
        .set("density", 1420.0)
        .set("tension_only", tension_only)
        .set("spin", spin);
    return manifest;
}

/// A soft beam of 2 m in N elements, hung by one end and let go from horizontal.
inline Manifest swinging_beam(int N, double step, long steps) {
    Manifest manifest = empty_model(step, steps);
    manifest.model.gravity = {0.0, 0.0, -9.81};
    Table section;
    section.set("shape", "rectangle").set("width", 0.01).set("height", 0.02);
    manifest.add_body("beam", "beam")
        .set("from", {0.0, 0.0, 0.0})
        .set("to", {2.0, 0.0, 0.0})
        .set("elements", N)
        .set("section", section)
        .set("young", 1e8)
        .set("poisson", 0.3)
        .set("density", 1000.0);
    manifest.add_constraint("hinge", "position")
        .set("a", "beam@start")
        .set("b", "ground@[0, 0, 0]");
    return manifest;
}

}  // namespace ancora::benchmark
