// SPDX-License-Identifier: BSD-3-Clause
// Where the derivatives of a type come from: exact, automatic or by differences.
#pragma once

#include <cstdint>

namespace ancora {

/// Where a derivative comes from, best first.
enum class DerivativeSource : std::int32_t {
    analytic,           ///< written by the author
    automatic,          ///< of the author's template, exact to rounding
    finite_difference,  ///< of the author's function of double
    none,               ///< not supplied
};

constexpr const char* name_of(DerivativeSource source) {
    switch (source) {
        case DerivativeSource::analytic:
            return "analytic";
        case DerivativeSource::automatic:
            return "automatic";
        case DerivativeSource::finite_difference:
            return "finite difference";
        case DerivativeSource::none:
            return "none";
    }
    return "";
}

/// The derivatives that a type has; one that writes its own rows has them all by hand.
struct DerivativeSources {
    DerivativeSource jacobian = DerivativeSource::analytic;           ///< A, and pi_t
    DerivativeSource bias = DerivativeSource::analytic;               ///< b
    DerivativeSource discrete_jacobian = DerivativeSource::analytic;  ///< B, and tau
    DerivativeSource tangent = DerivativeSource::analytic;            ///< G
};

/// Those of class T: what its constant expression T::derivatives() says, if it has one.
template <class T>
constexpr DerivativeSources derivative_sources() {
    if constexpr (requires { T::derivatives(); })
        return T::derivatives();
    else
        return {};
}

}  // namespace ancora
