// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "quaternion_body": the schema of its body type.
#include "ancora/sdk/plugin.hpp"

#include "ancora/sdk/rigid_body.hpp"
#include "quaternion_body.hpp"

namespace {

constexpr auto kQuaternionBody =
    ancora::rigid::join(ancora::rigid::kMassParameters, ancora::rigid::kStartParameters);

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::quaternion_body::QuaternionBody>(
        "quaternion_body",
        {.doc = "rigid body in the conventional way: a centre of mass and a unit quaternion; not "
                "for emm",
         .equation = "q = (x, p),  p.p = 1,  T = 1/2 M x'.x' + 1/2 w.J w,  w = 2 G(p) p',  "
                     "G(p) = [-u, w I - u^] for p = (w, u)",
         .source = "P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice Hall, "
                   "1988, ch. 6; F. E. Udwadia, P. Phohomsiri, Explicit equations of motion for "
                   "constrained mechanical systems with singular mass matrices, Proc. R. Soc. A "
                   "462 (2006) 2097-2117"},
        kQuaternionBody.entries),
};

}  // namespace

ANCORA_PLUGIN("quaternion_body", "0.1.0", kTypes)
