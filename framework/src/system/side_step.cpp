// SPDX-License-Identifier: BSD-3-Clause
// Numbers without a pattern, by the golden section.
#include "side_step.hpp"

#include <cmath>

namespace ancora {

double spread(Eigen::Index i) {
    constexpr double kGolden = 0.6180339887498949;
    const double x = kGolden * static_cast<double>(i + 1);
    return 2.0 * (x - std::floor(x)) - 1.0;
}

Eigen::VectorXd side_step(const Assembly& parts, const std::vector<int>& rows, double size) {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(parts.n);
    for (const int row : rows)
        for (const int i : parts.rows.columns(row)) out[i] = spread(i);
    const double way = parts.space.displacement(out.data());
    if (way > 0.0) out *= size / way;
    return out;
}

}  // namespace ancora
