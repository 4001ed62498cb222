// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "joints".
#include "ancora/sdk/plugin.hpp"

#include "distance.hpp"
#include "joint_friction.hpp"
#include "joint_types.hpp"
#include "measure_row.hpp"
#include "motor.hpp"
#include "rope.hpp"
#include "stop.hpp"
#include "variable_spring.hpp"

namespace {

using namespace ancora::joints;

constexpr const char* kSource =
    "P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice-Hall, 1988; over a "
    "step O. Gonzalez, Physica D 132, 1999";

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<JointOf<Kind::fixed>>("fixed",
                                       {.doc = "two bodies are welded",
                                        .equation = "r_b - r_a = 0; a1.b2 = a2.b3 = a3.b1 = 0",
                                        .source = kSource,
                                        .examples = {"a = \"a\"\n"
                                                     "b = \"b\"\n"
                                                     "point = [0.2, 0.1, 0.3]",
                                                     "a = \"ground\"\n"
                                                     "b = \"b\"\n"
                                                     "point = [0.2, 0.1, 0.3]"}},
                                       kPointAlone),
    ancora::type<JointOf<Kind::revolute>>("revolute",
                                          {.doc = "a hinge: b turns about an axis of a",
                                           .equation = "r_b - r_a = 0; a3.b1 = a3.b2 = 0",
                                           .source = kSource,
                                           .examples = {"a = \"a\"\n"
                                                        "b = \"b\"\n"
                                                        "point = [0.2, 0.1, 0.3]\n"
                                                        "axis = [0.3, -0.5, 0.8]",
                                                        "a = \"ground\"\n"
                                                        "b = \"a\"\n"
                                                        "point = [0.2, 0.1, 0.3]\n"
                                                        "axis = [0.3, -0.5, 0.8]"}},
                                          kTurning),
    ancora::type<JointOf<Kind::prismatic>>(
        "prismatic",
        {.doc = "a slider: b moves along an axis of a",
         .equation = "r.a1 = r.a2 = 0; a1.b2 = a2.b3 = a3.b1 = 0",
         .source = kSource,
         .examples = {"a = \"a\"\n"
                      "b = \"b\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis = [0.3, -0.5, 0.8]",
                      "a = \"ground\"\n"
                      "b = \"a\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis = [0.3, -0.5, 0.8]"}},
        kSliding),
    ancora::type<JointOf<Kind::cylindrical>>("cylindrical",
                                             {.doc = "b turns about and moves along an axis of a",
                                              .equation = "r.a1 = r.a2 = 0; a3.b1 = a3.b2 = 0",
                                              .source = kSource,
                                              .examples = {"a = \"a\"\n"
                                                           "b = \"b\"\n"
                                                           "point = [0.2, 0.1, 0.3]\n"
                                                           "axis = [0.3, -0.5, 0.8]",
                                                           "a = \"ground\"\n"
                                                           "b = \"a\"\n"
                                                           "point = [0.2, 0.1, 0.3]\n"
                                                           "axis = [0.3, -0.5, 0.8]"}},
                                             kBoth),
    ancora::type<JointOf<Kind::spherical>>("spherical",
                                           {.doc = "a ball joint: two points coincide",
                                            .equation = "r_b - r_a = 0",
                                            .source = kSource,
                                            .examples = {"a = \"a\"\n"
                                                         "b = \"b\"\n"
                                                         "point = [0.2, 0.1, 0.3]",
                                                         "a = \"ground\"\n"
                                                         "b = \"b\"\n"
                                                         "point = [0.2, 0.1, 0.3]"}},
                                           kBall),
    ancora::type<JointOf<Kind::universal>>(
        "universal",
        {.doc = "a Hooke joint: two axes, one in each body, that cross at right angles",
         .equation = "r_b - r_a = 0; a3.b3 = 0",
         .source = kSource,
         .examples = {"a = \"a\"\n"
                      "b = \"b\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis_a = [0.0, 0.0, 1.0]\n"
                      "axis_b = [1.0, 0.0, 0.0]",
                      "a = \"ground\"\n"
                      "b = \"b\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis_a = [0.0, 0.0, 1.0]\n"
                      "axis_b = [1.0, 0.0, 0.0]"}},
        kCross),
    ancora::type<JointOf<Kind::constant_velocity>>(
        "constant_velocity",
        {.doc = "a homokinetic joint: turns about the axes are alike, at any angle between them",
         .equation = "r_b - r_a = 0; a1.b2 - a2.b1 = 0",
         .source = kSource,
         .examples = {"a = \"a\"\n"
                      "b = \"b\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis = [0.3, -0.5, 0.8]",
                      "a = \"ground\"\n"
                      "b = \"a\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis = [0.3, -0.5, 0.8]"}},
        kPlain),
    ancora::type<JointOf<Kind::planar>>("planar",
                                        {.doc = "b moves in a plane of a",
                                         .equation = "r.a3 = 0; a3.b1 = a3.b2 = 0",
                                         .source = kSource,
                                         .examples = {"a = \"a\"\n"
                                                      "b = \"b\"\n"
                                                      "point = [0.2, 0.1, 0.3]\n"
                                                      "axis = [0.3, -0.5, 0.8]",
                                                      "a = \"ground\"\n"
                                                      "b = \"a\"\n"
                                                      "point = [0.2, 0.1, 0.3]\n"
                                                      "axis = [0.3, -0.5, 0.8]"}},
                                        kPlain),
    ancora::type<JointOf<Kind::screw>>(
        "screw",
        {.doc = "b moves along an axis of a as it turns about it",
         .equation = "r.a1 = r.a2 = 0; a3.b1 = a3.b2 = 0; d(r.a3) = pitch/(2 pi) d(angle)",
         .source = kSource,
         .examples = {"a = \"a\"\n"
                      "b = \"b\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis = [0.3, -0.5, 0.8]\n"
                      "pitch = 0.05",
                      "a = \"ground\"\n"
                      "b = \"a\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis = [0.3, -0.5, 0.8]\n"
                      "pitch = -0.1"}},
        kScrewing),
    ancora::type<JointOf<Kind::in_line>>("in_line",
                                         {.doc = "a point of b moves on a line of a",
                                          .equation = "r.a1 = r.a2 = 0",
                                          .source = kSource,
                                          .examples = {"a = \"a\"\n"
                                                       "b = \"b\"\n"
                                                       "point = [0.2, 0.1, 0.3]\n"
                                                       "axis = [0.3, -0.5, 0.8]"}},
                                         kOnLine),
    ancora::type<JointOf<Kind::in_plane>>("in_plane",
                                          {.doc = "a point of b moves in a plane of a",
                                           .equation = "r.a3 = 0",
                                           .source = kSource,
                                           .examples = {"a = \"a\"\n"
                                                        "b = \"b\"\n"
                                                        "point = [0.2, 0.1, 0.3]\n"
                                                        "axis = [0.3, -0.5, 0.8]"}},
                                          kPlain),
    ancora::type<JointOf<Kind::parallel>>("parallel",
                                          {.doc = "two axes keep one direction",
                                           .equation = "a3.b1 = a3.b2 = 0",
                                           .source = kSource,
                                           .examples = {"a = \"a\"\n"
                                                        "b = \"b\"\n"
                                                        "axis = [0.3, -0.5, 0.8]"}},
                                          kAxisAlone),
    ancora::type<JointOf<Kind::perpendicular>>(
        "perpendicular",
        {.doc = "an axis of b stays at right angles to one of a",
         .equation = "a3.b3 = 0",
         .source = kSource,
         .examples = {"a = \"a\"\n"
                      "b = \"b\"\n"
                      "axis = [0.3, -0.5, 0.8]"}},
        kAxisAlone),
    ancora::type<JointOf<Kind::orientation>>("orientation",
                                             {.doc = "b does not turn against a",
                                              .equation = "a1.b2 = a2.b3 = a3.b1 = 0",
                                              .source = kSource,
                                              .examples = {"a = \"a\"\n"
                                                           "b = \"b\""}},
                                             kNoAxis),
    ancora::type<JointOf<Kind::revolute_spherical>>(
        "revolute_spherical",
        {.doc = "a massless link, hinged on a and with a ball joint on b",
         .equation = "r.r = L^2; r.a3 = 0",
         .source = kSource,
         .examples = {"a = \"a@[0.1, 0.0, 0.0]\"\n"
                      "b = \"b@[0.0, 0.3, 0.1]\"\n"
                      "axis = [0.3, -0.5, 0.8]"}},
        kLink),
    ancora::type<Distance>("distance",
                           {.doc = "two points keep their distance, as on a massless rod",
                            .equation = "(r.r - L^2) / (2 L) = 0",
                            .source = kSource,
                            .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                                         "b = \"b@[-0.4, 0.2, 0.1]\"",
                                         "a = \"a@[0.3, 0.1, -0.2]\"\n"
                                         "b = \"ground@[-0.4, 0.2, 0.1]\""}},
                           Distance::kParameters),
    ancora::type<JointOf<Kind::measure>>(
        "measure",
        {.doc = "where b lies as seen from a: values for laws, motors and results, without any tie",
         .equation = "displacement_x, _y, _z = r.a1, r.a2, r.a3; distance = |r|; angle of b1 about "
                     "a3; tilt of b3 "
                     "from a3",
         .source = kSource,
         .examples = {"a = \"a\"\n"
                      "b = \"b@[0.1, 0.2, 0.0]\"",
                      "a = \"ground\"\n"
                      "b = \"b\"\n"
                      "axis = [0.3, -0.5, 0.8]"}},
        kMeasured),
    ancora::type<JointOf<Kind::bushing>>(
        "bushing",
        {.doc = "an elastic bearing: springs and dampers along and about three axes",
         .equation = "force on b: -k_i x_i - c_i x_i' + preload_i, x_i = r.a_i; moment on b: that "
                     "of the energy U = sum_i w_i (1 - a_i.b_i) = (1 - cos angle) n.K n for an "
                     "angle about n, w_i = (K_j + K_k - K_i) / 2, about an axis -K_i sin(angle), "
                     "and -C_i w.b_i along b_i, w the angular velocity of b as seen from a",
         .source = kSource,
         .examples = {"a = \"a\"\n"
                      "b = \"b\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis = [0.3, -0.5, 0.8]\n"
                      "stiffness = [90.0, 120.0, 40.0]\n"
                      "torsion = [3.0, 2.0, 0.0]\n"
                      "damping = [0.4, 0.0, 0.3]\n"
                      "torsional_damping = [0.02, 0.0, 0.01]\n"
                      "preload = [0.0, 5.0, 0.0]",
                      "a = \"ground\"\n"
                      "b = \"a\"\n"
                      "point = [0.2, 0.1, 0.3]\n"
                      "axis = [0.3, -0.5, 0.8]\n"
                      "stiffness = [90.0, 0.0, 40.0]\n"
                      "damping = [0.0, 0.3, 0.0]"}},
        kBushing),
    ancora::type<SpringAlone>(
        "spring",
        {.doc = "a spring on a measure of a joint, or between two points",
         .equation = "effort = -k (m - free) + preload",
         .source = kSource,
         .examples = {"on = \"j.angle\"\n"
                      "stiffness = 2.0",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "stiffness = 120.0",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "stiffness = 120.0\n"
                      "free = 0.0",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "table = [[-0.2, -30.0], [0.0, 0.0], [0.1, 20.0], [0.4, 90.0]]\n"
                      "preload = 5.0"}},
        kSpringKeys),
    ancora::type<SpringDamper>(
        "spring_damper",
        {.doc = "a spring with a damper beside it",
         .equation = "effort = -k (m - free) - c m' + preload",
         .source = kSource,
         .examples = {"on = \"j.angle\"\ntable = [[-1.0, -2.0], [0.0, 0.0], [1.0, 3.0]]",
                      "on = \"j.angle\"\n"
                      "stiffness = 2.0\n"
                      "damping = 0.1",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "stiffness = 120.0\n"
                      "damping = 3.0\n"
                      "free = 0.7",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "stiffness = \"120*(1 + 0.5*sin(3*t))\"\n"
                      "damping = 3.0\n"
                      "preload = 2.0"}},
        kSpringDamperKeys),
    ancora::type<VariableSpring>(
        "variable_spring",
        {.doc = "a spring with a damper whose numbers are inputs: they change while it runs",
         .equation = "effort = -k (m - free) - c m'",
         .source = kSource,
         .examples = {"on = \"j.angle\"\n"
                      "stiffness = 2.0",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "stiffness = \"120*(1 + 0.5*sin(3*t))\"\n"
                      "free = \"0.7 + 0.1*sin(2*t)\"\n"
                      "damping = 3.0"}},
        kVariableSpringKeys),
    ancora::type<Rotor>(
        "rotor",
        {.doc = "a rotor that turns with a measure by a ratio: reflected inertia; with "
                "gyroscopic = true a base that turns feels its spin",
         .equation = "effort = -ratio^2 inertia m''; gyroscopic: effort = -ratio a . L', "
                     "moment on the base -L', L = inertia (omega + ratio m' a)",
         .source = kSource,
         .examples = {"on = \"j.angle\"\n"
                      "inertia = 0.01\n"
                      "ratio = 5.0",
                      "on = \"j.angle\"\n"
                      "inertia = 0.02\n"
                      "ratio = -4.0\n"
                      "gyroscopic = true",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "inertia = 0.3"}},
        kRotorKeys),
    ancora::type<Damper>("damper",
                         {.doc = "a viscous damper on a measure of a joint, or between two points",
                          .equation = "effort = -c m'",
                          .source = kSource,
                          .examples = {"on = \"j.angle\"\n"
                                       "damping = 0.2",
                                       "a = \"a@[0.3, 0.1, -0.2]\"\n"
                                       "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                                       "damping = 3.0"}},
                         kDamperKeys),
    ancora::type<Drive>(
        "drive",
        {.doc = "a measure over time; the effort that it takes is the reaction",
         .equation = "m = d(t)",
         .source = kSource,
         .examples = {"on = \"j.angle\"\nmotion = \"0.1*sin(t)\"",
                      "on = \"j.angle\"\n"
                      "rate = 0.3",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "rate = \"0.1*cos(2*t)\"",
                      "on = \"j.angle\"\n"
                      "motion = [[-10.0, 0.0], [0.0, 0.2], [10.0, 0.5], [20.0, 0.5]]\n"
                      "interpolation = \"rest\"\n"
                      "outside = \"hold\""}},
        kDriveKeys),
    ancora::type<Stop>(
        "stop",
        {.doc = "limits of a measure, met with restitution; of the distance of two points an upper "
                "one is a rope that only pulls",
         .equation = "lower <= m <= upper; at an impact p' = e p (Poisson)",
         .source = "Ch. Glocker, Set-Valued Force Laws, Springer, 2001",
         .examples = {"on = \"j.angle\"\n"
                      "lower = -0.4\n"
                      "upper = 0.9\n"
                      "restitution = 0.5",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "upper = 4.0"}},
        kStopKeys),
    ancora::type<Latch>("latch",
                        {.doc = "where a measure comes to it, it is caught and held, without "
                                "restitution, until a command opens it or its limit breaks it",
                         .equation = "m = at from there on; the impact loses u^2 / (2 W)",
                         .source = "Ch. Glocker, Set-Valued Force Laws, Springer, 2001",
                         .examples = {"on = \"j.angle\"\n"
                                      "at = 0.9\n"
                                      "breaks = 50.0\n"
                                      "open = \"t - 2\"",
                                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                                      "at = 4.0"}},
                        kLatchKeys),
    ancora::type<Rope>("rope",
                       {.doc = "a rope over any number of points, as over pulleys: it pulls, and "
                               "never pushes",
                        .equation = "sum |r_i+1 - r_i| <= L(t), or s = <k pi + c pi'>",
                        .source = kSource,
                        .examples = {"points = [\"a@[0.3, 0.1, -0.2]\", "
                                     "\"ground@[0.1, 0.2, 2.0]\", "
                                     "\"b@[-0.4, 0.2, 0.1]\"]\n"
                                     "length = 9.0\n"
                                     "restitution = 0.3",
                                     "points = [\"a@[0.3, 0.1, -0.2]\", "
                                     "\"ground@[0.1, 0.2, 2.0]\", "
                                     "\"b@[-0.4, 0.2, 0.1]\"]\n"
                                     "length = \"1.5 + 0.1*sin(3*t)\"\n"
                                     "stiffness = 40.0\n"
                                     "damping = 0.3",
                                     "points = [\"a@[0.3, 0.1, -0.2]\", "
                                     "\"b@[-0.4, 0.2, 0.1]\"]\n"
                                     "young = 3.0e3\n"
                                     "area = 0.01"}},
                       kRopeKeys),
    ancora::type<Coupler<Coupling::coupler>>("coupler",
                                             {.doc = "measures that keep a ratio",
                                              .equation = "sum k_i dm_i = 0",
                                              .source = kSource,
                                              .examples = {"on = [\"j.angle\"]\n"
                                                           "ratios = [2.0]"}},
                                             kCouplerKeys),
    ancora::type<Coupler<Coupling::gear>>(
        "gear",
        {.doc = "two wheels in mesh",
         .equation = "z1 dm1 + z2 dm2 = 0; internal: z1 dm1 - z2 dm2 = 0",
         .source = kSource,
         .examples = {"on = [\"j.angle\", \"k.displacement\"]\n"
                      "teeth = [20, 40]"}},
        kGearKeys),
    ancora::type<Coupler<Coupling::rack_pinion>>(
        "rack_pinion",
        {.doc = "a rack moved by a pinion",
         .equation = "dm2 - r dm1 = 0",
         .source = kSource,
         .examples = {"on = [\"j.angle\", \"k.displacement\"]\n"
                      "radius = 0.1"}},
        kRackKeys),
    ancora::type<Coupler<Coupling::belt>>(
        "belt",
        {.doc = "two pulleys with a belt that does not slip",
         .equation = "r1 dm1 - r2 dm2 = 0; crossed: r1 dm1 + r2 dm2 = 0",
         .source = kSource,
         .examples = {"on = [\"j.angle\", \"k.displacement\"]\n"
                      "radii = [0.1, 0.3]"}},
        kBeltKeys),
    ancora::type<Coupler<Coupling::differential>>(
        "differential",
        {.doc = "the two sides of a differential turn as much as its cage on average",
         .equation = "dm1 + dm2 - 2 dm3 = 0",
         .source = kSource,
         .examples = {"on = [\"j.angle\", \"k.displacement\", \"j.angle\"]"}},
        kDifferentialKeys),
    ancora::type<Motor>(
        "motor",
        {.doc = "a force or torque on a measure, over time or as a formula of the state",
         .equation = "effort = f(t, measures, coordinates)",
         .source = kSource,
         .examples = {"on = \"j.angle\"\n"
                      "effort = 0.4",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "effort = \"3*sin(t) - 0.5*a.vx\"\n"
                      "limit = 50.0",
                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "effort = 2.0"}},
        kMotorKeys),
    ancora::type<Servo>("servo",
                        {.doc = "a controller that follows a target",
                         .equation = "effort = kp e + kd e' + ki (integral of e), e = target - m",
                         .source = kSource,
                         .examples = {"on = \"j.angle\"\n"
                                      "target = 0.4\n"
                                      "kp = 3.0\n"
                                      "kd = 0.2",
                                      "a = \"a@[0.3, 0.1, -0.2]\"\n"
                                      "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                                      "target = \"0.9 + 0.1*sin(2*t)\"\n"
                                      "kp = 100.0\n"
                                      "kd = 5.0\n"
                                      "ki = 0.1"}},
                        kServoKeys),
    ancora::type<JointFriction>("joint_friction",
                                {.doc = "dry friction in a joint",
                                 .equation = "effort = -(F + mu N r + c |m'|) sign m'",
                                 .source = kSource,
                                 .examples = {"on = \"j\"\n"
                                              "mu = 0.2\n"
                                              "radius = 0.05",
                                              "on = \"j\"\n"
                                              "effort = 0.3"}},
                                JointFriction::kParameters),
};

}  // namespace

ANCORA_PLUGIN("joints", "0.1.0", kTypes)
