// SPDX-License-Identifier: BSD-3-Clause
// Models that a seed makes, with what is differentiated by what, and both ways of differentiating
// compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora::testing {

/// Mechanisms of all sorts, beams, films, and hinges with friction; each by all of its sensitive
/// parameters, by gravity and by starts.
struct GradientCase {
    std::uint64_t seed = 0;
    std::string family;
    std::string text;  ///< with its integrator
    std::vector<std::string> of, by;
    double extent = 1.0;  ///< [m]
    bool is_impossible = false;
};
GradientCase make_gradient_case(std::uint64_t seed, const std::string& integrator = "emm");

/// What came of one.
struct GradientComparison {
    std::string obstacle;       ///< why there is nothing to compare; empty: there is
    int num_by_adjoint = 0;     ///< pairs of a number and a parameter, of those looked at
    int num_compared = 0;       ///< of which differences are known to seven digits
    int num_off = 0;            ///< that differ in the eighth, or by more than is unknown
    double worst = 0.0;         ///< relative difference of those compared
    std::string where, others;  ///< the worst; why some are not by the adjoint
};
/// @param most  parameters that runs are made with other values of, some of all
GradientComparison compare_gradients(const GradientCase& model,
                                     std::size_t most,
                                     PluginRegistry& registry);

}  // namespace ancora::testing
