// SPDX-License-Identifier: BSD-3-Clause
// Points of the unit cube that fill it evenly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ancora {

/// Most dimensions and points of a plan.
constexpr std::size_t kMostPlanDimensions = 1000;
constexpr std::size_t kMostCases = 10'000'000;

/// A Latin hypercube: in each dimension every one of `count` equal intervals has one point. The
/// same seed gives the same points on every machine.
std::vector<std::vector<double>> latin_hypercube(std::size_t count,
                                                 std::size_t dimensions,
                                                 std::uint64_t seed);

/// The first `count` points of Sobol's sequence behind the origin, with the direction numbers of
/// Joe and Kuo; a seed other than 0 shifts them all, modulo one.
std::vector<std::vector<double>> sobol(std::size_t count,
                                       std::size_t dimensions,
                                       std::uint64_t seed);

}  // namespace ancora
