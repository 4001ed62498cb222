// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "particle": the schema of its body type.
#include "ancora/sdk/plugin.hpp"

#include "particle.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kParticle[] = {
    p::number("mass",
              "kg",
              "mass, > 0; or an anisotropic mass [[xx, xy, xz], ...], symmetric and positive "
              "semidefinite, of which the coordinates' rows and columns count")
        .or_matrix(3, 3)
        .sensitive(),
    p::number(
        "mass_over_time",
        "kg",
        "instead of mass, one that changes, > 0: a formula of t such as \"50 - 2*t\", a table "
        "with rows [t, mass], or a file with such rows; before the first and after the last "
        "row it stays")
        .or_text()
        .or_matrix(0, 2)
        .or_file(),
    p::vector("position", 3, "m", "position, inertial axes").otherwise("[0.0, 0.0, 0.0]"),
    p::vector("velocity", 3, "m/s", "velocity, inertial axes").otherwise("[0.0, 0.0, 0.0]"),
    p::body("velocity_from", "instead of velocity: start as if carried rigidly by this body"),
    p::text("coordinates",
            "inertial axes along which it can move: letters of \"xyz\"; along the others it stays")
        .otherwise("\"xyz\""),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::particle::Particle>(
        "particle",
        {.doc = "point mass in one to three coordinates, with isotropic or anisotropic mass",
         .equation = "q = (r_k),  T = 1/2 q'.M q',  M = m I or a matrix\n"
                     "coordinates by name: x, y, z, those of them that it keeps",
         .source =
             "F. E. Udwadia, R. E. Kalaba, Y. Fan, Is analytical dynamics a theoretical or an "
             "experimental science?, Nonlinear Analysis 63 (2005) 692-698",
         .examples = {"mass = 1.5\n"
                      "position = [0.4, -0.3, 0.2]\n"
                      "velocity = [1.0, 0.5, -0.2]",
                      "mass = 2.0\n"
                      "position = [1.0, 0.0, 0.5]\n"
                      "coordinates = \"xz\"",
                      "mass = [[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 0.5]]\n"
                      "velocity = [0.0, 1.0, 0.0]",
                      "mass_over_time = \"0.5 + exp(-t)\"\n"
                      "velocity = [0.0, 1.0, 0.5]",
                      "mass_over_time = [[0.0, 2.0], [0.4, 1.5], [1.0, 1.2]]\n"
                      "position = [0.3, 0.0, 0.2]",
                      "mass = 1.0\n"
                      "position = [0.5, 0.2, 0.0]\n"
                      "velocity_from = \"a\""}},
        kParticle),
};

}  // namespace

ANCORA_PLUGIN("particle", "0.1.0", kTypes)
