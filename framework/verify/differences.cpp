// SPDX-License-Identifier: BSD-3-Clause
// Comparisons that name the first entry that is wrong.
#include "differences.hpp"

#include <cmath>

namespace ancora::verify {

void compare_rows(const Matrix& found,
                  const Matrix& expected,
                  const Vector& scale,
                  double tolerance,
                  const std::string& what,
                  const char* against) {
    for (Eigen::Index i = 0; i < found.rows(); ++i)
        for (Eigen::Index j = 0; j < found.cols(); ++j) {
            const double limit = tolerance * scale(i);
            if (!(std::abs(found(i, j) - expected(i, j)) <= limit))
                throw Failure(fmt::format("{} is {:.9g} at row {}, scalar {}; {} {:.9g}",
                                          what,
                                          found(i, j),
                                          i,
                                          j,
                                          against,
                                          expected(i, j)));
        }
}
void compare_rows(const Vector& found,
                  const Vector& expected,
                  const Vector& scale,
                  double tolerance,
                  const std::string& what,
                  const char* against) {
    for (Eigen::Index i = 0; i < found.size(); ++i)
        if (!(std::abs(found(i) - expected(i)) <= tolerance * scale(i)))
            throw Failure(fmt::format(
                "{} is {:.9g} at row {}; {} {:.9g}", what, found(i), i, against, expected(i)));
}

}  // namespace ancora::verify
