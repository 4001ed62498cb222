// SPDX-License-Identifier: BSD-3-Clause
// Warnings about the results of a run that ended without an error.
#pragma once

#include <string>
#include <vector>

#include "ancora/framework/simulation.hpp"
#include "kernel_system.hpp"
#include "model.hpp"

namespace ancora {

/// A run that ends without an error is taken for right: what speaks against it must not pass
/// without a word.
std::vector<std::string> doubts_of(const Model& model, const KernelSystem& system);

/// These, and singular positions that were passed along the motion that goes on.
void warn_at_end(const Model& model, const KernelSystem& system, const WarningSink& warn);

}  // namespace ancora
