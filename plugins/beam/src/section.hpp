// SPDX-License-Identifier: BSD-3-Clause
// Cross-sections of beams: stiffness and inertia from shapes, or as numbers.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/parameter.hpp"
#include "stations.hpp"

namespace ancora::beam {

/// What the stress of a section follows from, of those whose shape is given.
struct Fibres {
    bool is_known = false, is_round = false;
    double area = 0.0;                ///< [m^2]
    std::array<double, 2> inertia{};  ///< about axes 1 and 2 [m^4]
    std::array<double, 2> edge{};     ///< outermost along axes 1 and 2 [m]
    std::array<double, 2> torsion{};  ///< shear stress per torque at the middles of the sides
                                      ///< that lie at edge 1 and 2; everywhere if round [1/m^3]
    double torsion_at_corner = 0.0;   ///< [1/m^3]

    /// Stress of a pull N along the beam, mean over the section [Pa].
    double axial(double N) const { return N / area; }
    /// Of a bending moment about axes 1 and 2, at the outermost fibre [Pa].
    double bending(double M1, double M2) const;
    /// Largest of von Mises' stress at the fibres that are outermost; shear forces leave none
    /// there.
    double von_mises(double N, double M1, double M2, double T) const;
};

/// What an element has of its section, axes 1 and 2 across the beam and 3 along it.
struct Section {
    double EA = 0.0;                    ///< [N]; inf: inextensible
    std::array<double, 2> GA{};         ///< against shear along axes 1 and 2 [N]; inf: none
    std::array<double, 3> EI{};         ///< bending about axes 1 and 2, twisting about 3 [N m^2]
    double mass = 0.0;                  ///< per length [kg/m]
    std::array<double, 2> rotary{};     ///< rho times second moments about axes 1, 2 [kg m]
    std::array<double, 2> half_size{};  ///< along axes 1 and 2 [m]
    /// Of an I: thickness of its flanges and half that of its web [m]
    double flange = 0.0, half_web = 0.0;
    double hole = 0.0;  ///< of a tube: inner radius over the outer one
    bool is_round = false;
    Fibres fibres;
};

/// The outline of a section, see Sketch::outlines(): that of its shape. Of one in numbers that of
/// the rectangle, or of the circle if its moments of inertia are the same, with its mass and
/// inertia. [m]
std::vector<double> outline_of(const Section& section);

// --- schema

inline constexpr Parameter kSection[] = {
    parameter::text("shape", "shape that gives what is not given", "rectangle|circle|tube|I"),
    parameter::number("width", "m", "of a rectangle or an I, along axis 1").positive().sensitive(),
    parameter::number("height", "m", "of a rectangle or an I, along axis 2").positive().sensitive(),
    parameter::number("radius", "m", "outer radius of a circle or a tube").positive().sensitive(),
    parameter::number("thickness", "m", "of a tube's wall").positive().sensitive(),
    parameter::number("flange", "m", "thickness of an I's flanges").positive().sensitive(),
    parameter::number("web", "m", "thickness of an I's web").positive().sensitive(),
    parameter::number("area", "m^2", "area A").positive().sensitive(),
    parameter::vector("inertia", 2, "m^4", "second moments of area I about axes 1 and 2")
        .positive()
        .sensitive(),
    parameter::number("torsion", "m^4", "torsion constant J").positive().sensitive(),
    parameter::vector("shear_area", 2, "m^2", "k A along axes 1 and 2")
        .positive()
        .or_number()
        .sensitive(),
    parameter::number("EA", "N", "axial stiffness; inf: inextensible")
        .positive()
        .or_infinite()
        .sensitive(),
    parameter::vector("GA", 2, "N", "shear stiffness k G A along axes 1 and 2; inf: no shear")
        .positive()
        .or_infinite()
        .or_number()
        .sensitive(),
    parameter::vector("EI", 2, "N m^2", "bending stiffness about axes 1 and 2")
        .positive()
        .or_number()
        .sensitive(),
    parameter::number("GJ", "N m^2", "torsional stiffness").positive().sensitive(),
    parameter::number("mass", "kg/m", "mass per length").positive().sensitive(),
    parameter::vector("rotary", 2, "kg m", "moment of inertia per length about axes 1 and 2")
        .positive()
        .or_number()
        .sensitive(),
};

/// [assembly] Reads `section`, `end_section`, `stations` and the material of a beam.
class SectionReader {
public:
    SectionReader(const Arguments& arguments, const Stations& stations);
    /// The section between the parts a and b of the way, 0 to 1, of the mean of each number there.
    /// Refuses through Arguments::fail what is none.
    Section between(double a, double b) const;
    /// The section at the part s of the way, as it is seen from the element on its `side`, -1 or 1.
    Section at(double s, int side) const;
    bool varies() const { return !varying_.empty(); }

private:
    struct Given;
    Given read(const char* name) const;
    Section made_of(Given numbers) const;
    void taper();

    const Arguments& arguments_;
    /// Numbers, by their place in Given, that differ along the beam.
    std::vector<std::pair<std::size_t, AlongBeam>> varying_;
};

}  // namespace ancora::beam
