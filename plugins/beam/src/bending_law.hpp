// SPDX-License-Identifier: BSD-3-Clause
// The law of bending and twisting: exact in the angle between the ends of an element.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/stress_law.hpp"

namespace ancora::beam {

/// Energy of elements whose ends are turned against each other by the angle phi about n, from the
/// three strains pi = k - k_0, k = n sin(phi), k_0 that without stress:
///
///   theta = k asin(x) / x = n phi,   x = |k|                                             (1)
///   W = 1/2 (theta - theta_0) . D (theta - theta_0)                                      (2)
///
/// Linear in k the moment would end at phi = 45 degrees, and bending beyond would find a wrong
/// equilibrium; (1) is exact to 90 degrees. From x = kMostSine on asin is continued as a straight
/// line, since iterations pass there; a state that is accepted there is refused. theta - theta_0 is
/// found from pi without loss of digits, so that small vibrations of a curved beam keep energy as
/// those of a straight one do.
class BendingLaw final : public ItemLaw {
public:
    struct Item {
        Vec3 D;                               ///< stiffnesses EI_1 / l, EI_2 / l, GJ / l [N m]
        Vec3 k_0;                             ///< k without stress
        std::array<std::int32_t, 2> nodes{};  ///< for messages
    };
    static constexpr double kMostSine = 0.97;

    explicit BendingLaw(std::vector<Item> items) : items_(std::move(items)) {}

    /// The energy alone is asked for of accepted states only: begin and end of a step, a state of
    /// rest. @throws std::domain_error from x = kMostSine on
    double potential(int item,
                     std::span<const double> pi,
                     std::span<double> stress,
                     std::span<double> stiffness) const override;

    /// theta - theta_0 for k = k_0 + pi
    static Vec3 angles(const Vec3& k_0, const Vec3& pi);
    const Item& item(std::size_t i) const { return items_[i]; }

private:
    static void require_turn(const Item& of, double x);
    std::vector<Item> items_;
};

}  // namespace ancora::beam
