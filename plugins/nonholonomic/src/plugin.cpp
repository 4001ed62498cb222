// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "nonholonomic".
#include "knife_edge.hpp"
#include "rolling.hpp"
#include "wheel.hpp"

namespace {

constexpr const char* kSource = "Neimark and Fufaev, Dynamics of Nonholonomic Systems, AMS, 1972";

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::nonholonomic::KnifeEdge>(
        "knife_edge",
        {.doc = "a point of a body does not move across an edge: a skate, a sled, a thin wheel",
         .equation = "psi = (n x d) . r_p' = 0",
         .source = kSource,
         .examples = {"body = \"a\"\n"
                      "direction = [1.0, 0.2, 0.0]",
                      "body = \"a\"\n"
                      "point = [0.3, 0.1, -0.2]\n"
                      "direction = [1.0, 0.0, 0.0]\n"
                      "normal = [0.1, -0.2, 1.0]"}},
        ancora::nonholonomic::KnifeEdge::kParameters),
    ancora::type<ancora::nonholonomic::Rolling>(
        "rolling",
        {.doc = "a ball rolls on a plane without slipping",
         .equation = "psi_k = t_k . (r_c' - R sum_i (e_i . n) e_i') = 0, k = 1, 2",
         .source = kSource,
         .examples = {"body = \"a\"\n"
                      "radius = 0.4",
                      "body = \"a\"\n"
                      "center = [0.1, 0.0, -0.2]\n"
                      "radius = 0.5\n"
                      "normal = [0.1, -0.2, 1.0]"}},
        ancora::nonholonomic::Rolling::kParameters),
    ancora::type<ancora::nonholonomic::Wheel>(
        "wheel",
        {.doc = "a thin disc rolls on a plane without slipping, at any tilt",
         .equation = "n . (r_c - p) = R (1 - (a . n)^2)^1/2; psi_k = t_k . (r_c' + w x d) = 0",
         .source = kSource,
         .examples = {"body = \"a\"\n"
                      "radius = 0.4",
                      "body = \"a\"\n"
                      "center = [0.1, 0.0, -0.2]\n"
                      "axis = [0.3, 0.8, 0.1]\n"
                      "radius = 0.5\n"
                      "point = [0.0, 0.1, -1.0]\n"
                      "normal = [0.1, -0.2, 1.0]"}},
        ancora::nonholonomic::Wheel::kParameters),
};

}  // namespace

ANCORA_PLUGIN("nonholonomic", "0.1.0", kTypes)
