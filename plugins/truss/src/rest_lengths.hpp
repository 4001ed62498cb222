// SPDX-License-Identifier: BSD-3-Clause
// Rest lengths that change over time: ropes that are hauled in or let out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/time_function.hpp"

namespace ancora::truss {

/// [assembly] True if `rest_length` is a formula, a table or a file, not numbers or "spin".
bool is_over_time(const Arguments& arguments);

/// Rest lengths L(t) of some elements, alike for those of one part.
///
/// With the energy U = 1/2 E A L eps^2 and L over time, the row of an elastic element is
///
///   pi = eps sqrt(L / L_0) = g |d|^2 - k,   g = 1 / (2 sqrt(L_0) L^(3/2)),
///                                           k = 1/2 sqrt(L / L_0)                        (1)
///
/// so that U = 1/2 E A L_0 pi^2 at every instant with a compliance that is constant; of a rigid
/// link g = 1 / (2 L_0^2), k = L^2 / (2 L_0^2). Over a step (theory, section 4.2)
///
///   B = 2 g_m d(mid)^T,   tau = (g_1 - g_0) D_m - (k_1 - k_0)                            (2)
///
/// with g_m = (g_0 + g_1) / 2 and D_m the mean of |d|^2 at both ends: B du + tau is the increment
/// of pi exactly, and the ledger records s tau, the work of hauling in.
class RestLengths {
public:
    /// g, k and their derivatives in time, or L alone, at an instant.
    struct At {
        double L = 0.0;
        double g = 0.0, g_t = 0.0, g_tt = 0.0;
        double k = 0.0, k_t = 0.0, k_tt = 0.0;
    };
    /// g_m and what (2) needs of tau beside |d|^2: tau = dg (D_m - L_0 L_1) + rest.
    struct Over {
        double g = 0.0, dg = 0.0, product = 0.0, rest = 0.0;
    };

    bool empty() const { return parts_.empty(); }
    /// [assembly] L = share times the function, for these elements.
    void add(TimeFunction length, double share, std::vector<std::int32_t> elements);
    /// [assembly] Writes L at t = 0 of the elements that change.
    /// @throws std::domain_error if it is not positive
    void put_start(std::span<double> L) const;
    /// [assembly] Number of the part of each element, -1 where L is constant; remembers L_0 and
    /// which links are rigid.
    void finish(std::span<const double> L, const std::vector<bool>& is_rigid);

    /// [step] L, g and k of an element; `rates`: also their derivatives.
    /// @throws std::domain_error where L is not positive
    At at(std::size_t element, double t, bool rates) const;
    Over over(std::size_t element, double t0, double h) const;
    /// [step] g, from the element's length and stress: for the iteration's matrix, which knows no
    /// time.
    double g_of(std::size_t element, double length, double s, double compliance) const;
    bool changes(std::size_t element) const { return !part_of_.empty() && part_of_[element] >= 0; }

private:
    struct Part {
        TimeFunction length;
        double share;
        std::vector<std::int32_t> elements;
    };
    double length_of(const Part& part, double t, double* rate, double* second) const;

    std::vector<Part> parts_;
    std::vector<std::int32_t> part_of_;
    std::vector<double> L_0_;
    std::vector<bool> is_rigid_;
};

}  // namespace ancora::truss
