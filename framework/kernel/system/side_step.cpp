// SPDX-License-Identifier: BSD-3-Clause
// Numbers without a pattern, by the golden section.
#include "side_step.hpp"

#include <cmath>

namespace ancora {

/// 2 frac(i phi) - 1 in [-1, 1), phi = (5^1/2 - 1) / 2: Weyl's sequence, evenly spread and without
/// a period, the same in every run.
double spread(Eigen::Index i) {
    constexpr double kGolden = 0.6180339887498949;
    const double x = kGolden * static_cast<double>(i + 1);
    return 2.0 * (x - std::floor(x)) - 1.0;
}

Eigen::VectorXd side_step(const Assembly& parts, const std::vector<int>& rows, double size) {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(parts.n);
    for (const int row : rows)
        for (const int i : parts.rows.columns(row)) out[i] = spread(i);
    // Scaled so that the matter that moves most moves by `size`.
    const double way = parts.space.displacement(out.data());
    if (way > 0.0) out *= size / way;
    return out;
}

}  // namespace ancora
