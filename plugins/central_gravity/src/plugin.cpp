// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "central_gravity".
#include "ancora/sdk/plugin.hpp"

#include "attraction.hpp"
#include "central_gravity.hpp"

namespace {

// No claim of frame invariance: the centre stays where it is.
constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::central_gravity::CentralGravity>(
        "central_gravity",
        {.doc = "attraction of bodies by a centre, with the gravity gradient over each of them",
         .equation = "U = -sum mu m_i / |r_i - c| over points of matter",
         .source = "R. H. Battin, An Introduction to the Mathematics and Methods of Astrodynamics, "
                   "AIAA, 1999, section 8.2",
         .examples = {"mu = 20.0\n"
                      "center = [4.0, -3.0, 2.0]\n"
                      "points = [\"a@[0.3, 0.1, -0.2]\", \"b@[0.1, 0.0, 0.2]\"]\n"
                      "masses = [1.0, 2.5]",
                      "mu = 20.0\n"
                      "center = [4.0, -3.0, 2.0]\n"
                      "on = [\"a\"]"}},
        ancora::central_gravity::CentralGravity::kParameters),
    ancora::type<ancora::central_gravity::Attraction>(
        "attraction",
        {.doc = "points that attract or repel each other, all with all: gravity, Coulomb's force",
         .equation = "U = -sum_(i<j) k m_i m_j / |r_i - r_j|",
         .source = "J. D. Jackson, Classical Electrodynamics, 3rd ed., Wiley, 1999, section 1.11",
         .examples = {"points = [\"a@[0.3, 0.1, -0.2]\", \"b@[0.1, 0.0, 0.2]\"]\n"
                      "weights = [1.0, 2.5]\n"
                      "constant = 3.0",
                      "points = [\"a@[0.3, 0.1, -0.2]\", \"b@[0.1, 0.0, 0.2]\", "
                      "\"ground@[4.0, 1.0, 2.0]\"]\n"
                      "weights = [1.0, 2.5, -1.0]\n"
                      "constant = -2.0"}},
        ancora::central_gravity::Attraction::kParameters),
};

}  // namespace

ANCORA_PLUGIN("central_gravity", "0.1.0", kTypes)
