// SPDX-License-Identifier: BSD-3-Clause
// Reads the material of a truss's elements and turns it into laws of rows.
#include "material.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "text.hpp"

namespace ancora::truss {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// What only elastic elements have: the first element that is rigid and has it is refused.
void refuse_on_rigid(const Arguments& arguments,
                     const char* key,
                     const Material& material,
                     const std::vector<double>& values) {
    for (std::size_t e = 0; e < values.size(); ++e)
        if (values[e] != 0.0 && material.is_rigid(e))
            arguments.fail(key,
                           "element " + std::to_string(e) +
                               " is a rigid link (\"young\" is inf), which has no strain; leave " +
                               quoted(key) + " out or make it 0 there");
}

}  // namespace

bool Material::is_rigid(std::size_t element) const {
    return !std::isfinite(young[element]);
}

std::vector<double> per_element(const Arguments& arguments,
                                std::string_view key,
                                std::int32_t num_elements) {
    const auto num = static_cast<std::size_t>(num_elements);
    if (arguments.shape(key) == Shape::boolean)
        return std::vector<double>(num, arguments.boolean(key) ? 1.0 : 0.0);
    if (arguments.shape(key) != Shape::vector)
        return std::vector<double>(num, arguments.number(key));
    const std::span<const double> values = arguments.numbers(key);
    if (values.size() != num)
        arguments.fail(key,
                       "there are " + std::to_string(values.size()) + " values for " +
                           std::to_string(num_elements) +
                           (num_elements == 1 ? " element" : " elements") +
                           "; write one value for all or one per element");
    return {values.begin(), values.end()};
}

Material read_material(const Arguments& arguments, std::int32_t num_elements) {
    Material material;
    material.young = per_element(arguments, "young", num_elements);
    material.density.assign(material.young.size(), 0.0);
    if (arguments.has("density"))
        material.density = per_element(arguments, "density", num_elements);
    else if (!arguments.given("node_masses"))
        arguments.fail("density", "a truss needs \"density\" (0 for a spring) or \"node_masses\"");
    material.area.assign(material.young.size(), 0.0);
    const auto is_heavy = [](double density) {
        return density > 0.0;
    };
    if (arguments.has("area"))
        material.area = per_element(arguments, "area", num_elements);
    else if (std::ranges::any_of(material.young,
                                 [](double E) {
                                     return std::isfinite(E);
                                 }) ||
             std::ranges::any_of(material.density, is_heavy))
        arguments.fail("area", "\"area\" is missing; only rigid links without density need none");
    material.damping = per_element(arguments, "damping", num_elements);
    material.prestress = per_element(arguments, "prestress", num_elements);
    material.tension_only = per_element(arguments, "tension_only", num_elements);
    material.breaking_strain.assign(material.young.size(), kNever);
    if (arguments.given("breaking_strain"))
        material.breaking_strain = per_element(arguments, "breaking_strain", num_elements);
    refuse_on_rigid(arguments, "damping", material, material.damping);
    refuse_on_rigid(arguments, "prestress", material, material.prestress);
    for (std::size_t e = 0; e < material.young.size(); ++e) {
        if (!material.is_rigid(e)) continue;
        const std::string link =
            "element " + std::to_string(e) + " is a rigid link (\"young\" is inf)";
        if (material.tension_only[e] != 0.0)
            arguments.fail("tension_only",
                           link +
                               ", and a rope that neither stretches nor pushes is not supported; "
                               "give it a finite \"young\"");
        if (material.breaking_strain[e] != kNever)
            arguments.fail("breaking_strain",
                           link +
                               ", which has no strain; give it a finite \"young\", or the "
                               "strain inf there");
    }

    const bool is_consistent = arguments.text("mass") == "consistent";
    material.own = is_consistent ? 1.0 / 3.0 : 1.0 / 2.0;
    material.shared = is_consistent ? 1.0 / 6.0 : 0.0;
    return material;
}

void refuse_broken_start(const Arguments& arguments,
                         const Material& material,
                         std::span<const double> distance,
                         std::span<const double> L) {
    for (std::size_t e = 0; e < L.size(); ++e) {
        const double strain = 0.5 * (distance[e] - L[e]) * (distance[e] + L[e]) / (L[e] * L[e]);
        if (strain > material.breaking_strain[e])
            arguments.fail("breaking_strain",
                           "element " + std::to_string(e) + " starts with the Green strain " +
                               text(strain) + " and breaks at " +
                               text(material.breaking_strain[e]));
    }
}

std::vector<RowLaw> row_laws(const Material& material,
                             std::span<const double> L,
                             std::deque<BreakingLaw>& breaking) {
    std::vector<RowLaw> laws;
    bool is_uniform = true;
    for (std::size_t e = 0; e < L.size(); ++e) {
        RowLaw law;
        if (!material.is_rigid(e)) {
            const double volume = material.area[e] * L[e];
            law.kind = RowKind::elastic;
            law.compliance = 1.0 / (material.young[e] * volume);
            law.viscosity = material.damping[e] * volume;
            law.prestress = material.prestress[e] * volume;
            const double limit = material.breaking_strain[e];
            const StressLaw* const unbroken = material.tension_only[e] != 0.0
                                                  ? static_cast<const StressLaw*>(&kSlackLaw)
                                                  : &kLineLaw;
            if (limit != kNever) {
                const bool is_like_last = !breaking.empty() && breaking.back().limit() == limit &&
                                          &breaking.back().unbroken() == unbroken;
                if (!is_like_last) breaking.emplace_back(limit, *unbroken);
                law.law = &breaking.back();
            } else if (unbroken == &kSlackLaw) {
                law.law = unbroken;
            }
        }
        const RowLaw& first = laws.empty() ? law : laws.front();
        is_uniform = is_uniform && law.kind == first.kind && law.compliance == first.compliance &&
                     law.viscosity == first.viscosity && law.prestress == first.prestress &&
                     law.law == first.law;
        laws.push_back(law);
    }
    if (is_uniform) laws.resize(1);
    return laws;
}

bool is_tension_only(const RowLaw& law) {
    const auto* const breaking = dynamic_cast<const BreakingLaw*>(law.law);
    return (breaking != nullptr ? &breaking->unbroken() : law.law) == &kSlackLaw;
}

double breaking_strain(const RowLaw& law) {
    return law.law != nullptr ? law.law->limit() : kNever;
}

}  // namespace ancora::truss
