// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a beam's section that are given at stations along it.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora::beam {

/// A number along a beam: straight lines between stations. Two stations at one place are a step.
class AlongBeam {
public:
    AlongBeam(std::vector<double> at, std::vector<double> values)
        : at_(std::move(at)), values_(std::move(values)) {}
    /// At the part s of the way, 0 to 1; at a step what follows it.
    double at(double s) const;
    /// The same, at a step what comes before it.
    double before(double s) const;
    /// Over the way from a to b, a < b.
    double mean(double a, double b) const;

private:
    double integral(double s) const;
    double on(std::size_t piece, double s) const;

    std::vector<double> at_, values_;
};

inline constexpr Parameter kStations[] = {
    parameter::vector("at", 0, "-", "part of the way along the beam: 0, ..., 1; twice: a step")
        .at_least(0.0)
        .at_most(1.0)
        .required(),
    parameter::vector("width", 0, "m", "of a rectangle or an I, along axis 1").positive(),
    parameter::vector("height", 0, "m", "of a rectangle or an I, along axis 2").positive(),
    parameter::vector("radius", 0, "m", "outer radius of a circle or a tube").positive(),
    parameter::vector("thickness", 0, "m", "of a tube's wall").positive(),
    parameter::vector("flange", 0, "m", "thickness of an I's flanges").positive(),
    parameter::vector("web", 0, "m", "thickness of an I's web").positive(),
    parameter::vector("area", 0, "m^2", "area A").positive(),
    parameter::vector("inertia_1", 0, "m^4", "second moment of area about axis 1").positive(),
    parameter::vector("inertia_2", 0, "m^4", "second moment of area about axis 2").positive(),
    parameter::vector("torsion", 0, "m^4", "torsion constant J").positive(),
    parameter::vector("shear_area_1", 0, "m^2", "k A along axis 1").positive(),
    parameter::vector("shear_area_2", 0, "m^2", "k A along axis 2").positive(),
    parameter::vector("EA", 0, "N", "axial stiffness").positive(),
    parameter::vector("GA_1", 0, "N", "shear stiffness along axis 1").positive(),
    parameter::vector("GA_2", 0, "N", "shear stiffness along axis 2").positive(),
    parameter::vector("EI_1", 0, "N m^2", "bending stiffness about axis 1").positive(),
    parameter::vector("EI_2", 0, "N m^2", "bending stiffness about axis 2").positive(),
    parameter::vector("GJ", 0, "N m^2", "torsional stiffness").positive(),
    parameter::vector("mass", 0, "kg/m", "mass per length").positive(),
    parameter::vector("rotary_1", 0, "kg m", "moment of inertia per length about axis 1")
        .positive(),
    parameter::vector("rotary_2", 0, "kg m", "moment of inertia per length about axis 2")
        .positive(),
    parameter::vector("twist", 0, "rad", "angle by which the section is turned about the beam"),
};

/// [assembly] What `stations` give, a table of lists or a file with a heading.
class Stations {
public:
    explicit Stations(const Arguments& arguments);
    bool empty() const { return columns_.empty(); }
    /// Null if the stations do not give it.
    const AlongBeam* find(std::string_view name) const;

private:
    using Column = std::pair<std::string_view, AlongBeam>;
    void read_lists(const Arguments& table);
    void read_file(const Arguments& arguments);

    std::vector<Column> columns_;
};

}  // namespace ancora::beam
