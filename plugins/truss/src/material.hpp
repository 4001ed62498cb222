// SPDX-License-Identifier: BSD-3-Clause
// What the elements of a truss are made of, and the laws of their rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/stress_laws.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora::truss {

/// What elements are made of, one entry per element, and how their mass is spread over their nodes.
///
/// The axial stress, conjugate to the Green strain eps, is
///
///   sigma = E eps + damping eps' + prestress                                             (1)
///
/// and the axial force sigma A l / L at length l; nothing if the element is slack or broken.
struct Material {
    std::vector<double> area;             ///< A [m^2]
    std::vector<double> young;            ///< E [Pa]; inf: rigid
    std::vector<double> density;          ///< rho [kg/m^3]
    std::vector<double> damping;          ///< [Pa s]
    std::vector<double> prestress;        ///< [Pa]
    std::vector<double> tension_only;     ///< 1: slack where E eps + prestress < 0
    std::vector<double> breaking_strain;  ///< Green strain above which it breaks, or inf
    double own = 0.0;     ///< share of an element's mass in M(a, a): 1/3 consistent, 1/2 lumped
    double shared = 0.0;  ///< the same in M(a, b): 1/6 consistent, 0 lumped

    bool is_rigid(std::size_t element) const;
    double stiffness(std::size_t element) const { return young[element] * area[element]; }
    double mass(std::size_t element, double rest_length) const {
        return density[element] * area[element] * rest_length;
    }
};

/// [assembly] The value that `key` gives each of `num_elements` elements: one for all, or a list;
/// true and false are 1 and 0. Refuses through Arguments::fail a list of another length.
std::vector<double> per_element(const Arguments& arguments,
                                std::string_view key,
                                std::int32_t num_elements);

/// [assembly] Refuses elements that would start beyond the strain at which they break.
void refuse_broken_start(const Arguments& arguments,
                         const Material& material,
                         std::span<const double> distance,
                         std::span<const double> L);

/// [assembly] Refuses through Arguments::fail what is missing or makes no sense together.
Material read_material(const Arguments& arguments, std::int32_t num_elements);

/// [assembly] Laws of the elements' rows for rest lengths L: elastic with compliance 1 / (E A L),
/// viscosity, prestress and a law of its own where it goes slack or breaks, or a constraint; one
/// law where all rows have the same.
/// @param breaking  owns what rows that break refer to, for their life
std::vector<RowLaw> row_laws(const Material& material,
                             std::span<const double> L,
                             std::deque<BreakingLaw>& breaking);

/// What the law of a row says.
bool is_tension_only(const RowLaw& law);
double breaking_strain(const RowLaw& law);

}  // namespace ancora::truss
