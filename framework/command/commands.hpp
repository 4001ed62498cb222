// SPDX-License-Identifier: BSD-3-Clause
// The commands of `ancora`; each returns the exit status and throws Error.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/plugin_registry.hpp"
#include "options.hpp"

namespace ancora::command {

/// Says what went wrong, and returns the status of the process.
int told(const std::exception_ptr& failure);

inline constexpr int kInterrupted = 130;
inline constexpr const char* kVerifyInChild = "verify-in-child";

int run(const Options& options);
int check(const Options& options);
int lock(const Options& options);
int sweep(const Options& options);
int fmu(const Options& options);
int import_robot(const Options& options);
int plugins(const Options& options);
int describe(const Options& options);
int replay(const Options& options);
int report(const Options& options);
int view(const Options& options);
int plot(const Options& options);
int paraview(const Options& options);
int video(const Options& options);
int verify_plugin(const Options& options);
int new_plugin(const Options& options);
int schema(const Options& options);
int completion(const Options& options);
int convergence(const Options& options);
int equilibrium(const Options& options);
int modes(const Options& options);
int linearize(const Options& options);
int joint_space(const Options& options);
int inverse(const Options& options);
int inverse_kinematics(const Options& options);
int gradient(const Options& options);
int fit_model(const Options& options);
int optimise(const Options& options);

/// All of them, in the order of help.
std::span<const Command> commands();

/// Gives the registry the folders of the command line, and says whether it is to examine them.
void add_folders(PluginRegistry& registry, const Options& options);

/// Holds the registry to the lock of the model, if the command line asks for that.
void lock_if_asked(PluginRegistry& registry, const Options& options);

/// The hidden command with which `verify` starts itself as a child, see verify/runner.hpp.
int verify_in_child(const std::vector<std::string>& arguments);

}  // namespace ancora::command
