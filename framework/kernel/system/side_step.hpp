// SPDX-License-Identifier: BSD-3-Clause
// A step without a pattern off a singular position.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"

namespace ancora {

/// Of numbers without a pattern between -1 and 1 the one at i, always the same.
double spread(Eigen::Index i);

/// In a singular position, such as that of a line which lies straight, rows that contradict each
/// other to first order may yet be met together beside it. The sizes of steps off it that are
/// tried, of the model's size.
inline constexpr double kSideSteps[] = {1e-3, 1e-2, 1e-1};

/// A displacement of the coordinates that these rows take part in, by `size` where it is largest
/// [m].
Eigen::VectorXd side_step(const Assembly& parts, const std::vector<int>& rows, double size);

}  // namespace ancora
