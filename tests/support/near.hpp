// SPDX-License-Identifier: BSD-3-Clause
// Comparison of numbers in tests, with a tolerance that is absolute and can be scaled from outside.
#pragma once

#include <cmath>
#include <cstdlib>
#include <ostream>

namespace ancora::testing {

/// The factor in the environment variable ANCORA_TEST_TOLERANCE, 1 without it. 0 makes every
/// comparison fail that is not exact, and so shows the true residuals.
inline double tolerance_scale() {
    static const double scale = [] {
        const char* text = std::getenv("ANCORA_TEST_TOLERANCE");
        return text == nullptr ? 1.0 : std::strtod(text, nullptr);
    }();
    return scale;
}

/// A bound for an error, scaled as above: CHECK(distance <= tolerance(1e-9)).
inline double tolerance(double bound) {
    return bound * tolerance_scale();
}

/// A value with an absolute tolerance: CHECK(x == near(1.5, 1e-9)). NaN is near nothing.
class Near {
public:
    Near(double value, double bound) : value_(value), tolerance_(tolerance(bound)) {}

    friend bool operator==(double x, const Near& y) {
        y.off_ = x - y.value_;
        return std::abs(y.off_) <= y.tolerance_;
    }
    friend std::ostream& operator<<(std::ostream& out, const Near& x) {
        const auto digits = out.precision(17);
        out << x.value_;
        out.precision(3);
        out << " +- " << x.tolerance_ << " (off by " << x.off_ << ')';
        out.precision(digits);
        return out;
    }

private:
    double value_;
    double tolerance_;
    mutable double off_ = 0.0;  // of the last comparison, for the message
};

inline Near near(double value, double bound) {
    return {value, bound};
}

}  // namespace ancora::testing
