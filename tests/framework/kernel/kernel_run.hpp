// SPDX-License-Identifier: BSD-3-Clause
// A run by the rooms of the kernel, without the public class Simulation.
#pragma once

#include <string_view>
#include <utility>

#include <Eigen/Core>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "kernel_system.hpp"
#include "model.hpp"
#include "stepping.hpp"

inline constexpr std::string_view kBlockOnIncline = R"(
    [model]
    gravity = [0.0, 0.0, -9.81]
    [[body]]
    name = "block"
    type = "particle"
    mass = 2.5
    velocity = [1.7320508075688772, 0.0, 1.0]
    [[constraint]]
    name = "ramp"
    type = "point_on_plane"
    point = "block@[0, 0, 0]"
    normal = [-0.5, 0.0, 0.8660254037844386]
    [[force]]
    name = "rubbing"
    type = "coulomb_friction"
    on = "ramp"
    mu_kinetic = 0.3
    [integrator]
    type = "emm"
    step = 1.0e-3
    end = 1.0)";

/// From a model file's text, whose constraint rows are independent, to the end of its run.
struct KernelRun {
    explicit KernelRun(std::string_view text)
        : manifest(read(text, registry)),
          model(manifest, registry),
          system(model),
          stepping(model, system, manifest.integrator) {
        system.set_redundant(false);
        const ancora::StepSettings settings{manifest.integrator.step, 0.0};
        model.integrator.prepare(system, settings, [this](int count) {
            system.resize_history(count);
        });
    }

    bool step() {
        if (stepping.done()) return false;
        stepping.step();
        return true;
    }
    void finish() {
        while (step()) {
        }
    }
    /// Linear and angular momentum of the state, about the origin.
    std::pair<Eigen::Vector3d, Eigen::Vector3d> momenta() {
        Eigen::VectorXd p(system.q().size());
        system.parts().mass.multiply(system.v().data(), p.data());
        const ancora::Momenta now = system.parts().space.momenta(system.q().data(), p.data());
        return {Eigen::Vector3d(now.linear.data()), Eigen::Vector3d(now.angular.data())};
    }

    ancora::PluginRegistry registry;
    ancora::Manifest manifest;
    ancora::Model model;
    ancora::KernelSystem system;
    ancora::Stepping stepping;

private:
    static ancora::Manifest read(std::string_view text, ancora::PluginRegistry& registry) {
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        return ancora::Manifest::parse(text, "model.toml");
    }
};
