// SPDX-License-Identifier: BSD-3-Clause
// A pseudo-random displacement off a singular position.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"

namespace ancora {

/// Entry i of a fixed pseudo-random sequence between -1 and 1.
double spread(Eigen::Index i);

/// In a singular position, such as that of a line which lies straight, rows that are inconsistent
/// to first order may be consistent near it. The sizes of displacements off it that are tried,
/// relative to the model's size.
inline constexpr double kSideSteps[] = {1e-3, 1e-2, 1e-1};

/// A displacement of the coordinates that these rows take part in, by `size` where it is largest
/// [m].
Eigen::VectorXd side_step(const Assembly& parts, const std::vector<int>& rows, double size);

}  // namespace ancora
