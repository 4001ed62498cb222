// SPDX-License-Identifier: BSD-3-Clause
// Parameters of laws on measures, alone and inside a joint.
#pragma once

#include "ancora/sdk/parameter.hpp"

namespace ancora::joints {

inline constexpr Parameter kOn = parameter::measure(
    "on", "the measure that it acts on, such as \"elbow.angle\", or a joint that has one");
inline constexpr Parameter kWhich = parameter::text(
    "on", "which of the joint's measures, where it leaves several free, such as \"angle\"");
inline constexpr Parameter kEndA =
    parameter::point("a", "instead of a measure, two points: their distance; the first");
inline constexpr Parameter kEndB = parameter::point("b", "the second point");

inline constexpr Parameter kStiffness =
    parameter::number("stiffness",
                      "N/m or N m/rad",
                      "effort per change of the measure: a number, a formula of t, a table with "
                      "rows [t, stiffness], or a file with such rows; above zero")
        .or_text()
        .or_matrix(0, 2)
        .or_file()
        .sensitive();
inline constexpr Parameter kFree =
    parameter::number(
        "free", "m or rad", "value of the measure without effort; left out: that at the start")
        .sensitive();
inline constexpr Parameter kPreload =
    parameter::number(
        "preload",
        "N or N m",
        "effort at the free value: positive drives the measure up, that is, pushes points apart")
        .otherwise("0.0")
        .sensitive();
inline constexpr Parameter kDamping =
    parameter::number("damping", "N s/m or N m s/rad", "effort against the rate")
        .nonnegative()
        .sensitive();
inline constexpr Parameter kTable = parameter::matrix(
    "table",
    0,
    2,
    "m or rad, N or N m",
    "instead of stiffness, rows [change of the measure from its free value, effort against it]: "
    "straight between rows and beyond them");

inline constexpr Parameter kSpringDamperInside[] = {
    kStiffness, kTable, kFree, kPreload, kDamping, kWhich};
inline constexpr Parameter kDamperInside[] = {kDamping, kWhich};
inline constexpr Parameter kSpringKeys[] = {kOn, kEndA, kEndB, kStiffness, kTable, kFree, kPreload};
inline constexpr Parameter kSpringDamperKeys[] = {
    kOn, kEndA, kEndB, kStiffness, kTable, kFree, kPreload, kDamping};
inline constexpr Parameter kDamperKeys[] = {kOn, kEndA, kEndB, kDamping};

inline constexpr Parameter kEffort =
    parameter::make(
        "effort",
        "N or N m",
        "force or torque on the measure, positive drives it up: a number, a "
        "formula of t and of the state such as \"5 - 2*rate\" (value and rate of the "
        "measure itself, elbow.angle, elbow.angle_rate, box.x, box.vx, box.wz), a table "
        "with rows [t, effort], or a file with such rows",
        Shape::text)
        .or_number()
        .or_matrix(0, 2)
        .or_file()
        .reading(FormulaNames::measure)
        .sensitive();
inline constexpr Parameter kMostEffort =
    parameter::number("limit", "N or N m", "largest effort, either way").positive();
inline constexpr Parameter kWork =
    parameter::text("work",
                    "where its work is recorded: nonideal, as of friction, damping and drives "
                    "between bodies, or external, as of what is applied from outside",
                    "nonideal|external")
        .otherwise("\"nonideal\"");
inline constexpr Parameter kMotorInside[] = {kEffort, kMostEffort, kWork, kWhich};
inline constexpr Parameter kMotorKeys[] = {kOn, kEndA, kEndB, kEffort, kMostEffort, kWork};

inline constexpr Parameter kTarget =
    parameter::make("target",
                    "m or rad",
                    "value of the measure to follow: a number, a formula of t, a table "
                    "with rows [t, value], or a file with such rows",
                    Shape::text)
        .or_number()
        .or_matrix(0, 2)
        .or_file();
inline constexpr Parameter kServoInside[] = {
    kTarget,
    parameter::number("kp", "N/m or N m/rad", "effort per error")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    parameter::number("kd", "N s/m or N m s/rad", "effort per rate of the error")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    parameter::number("ki", "N/(m s) or N m/(rad s)", "effort per integral of the error")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    kMostEffort,
    kWhich,
};
inline constexpr Parameter kServoKeys[] = {
    kOn,
    kEndA,
    kEndB,
    kTarget,
    kServoInside[1],
    kServoInside[2],
    kServoInside[3],
    kMostEffort,
};

inline constexpr Parameter kMotion =
    parameter::make("motion",
                    "m or rad",
                    "value of the measure over time: a formula of t, a table with rows "
                    "[t, value], or a file with such rows",
                    Shape::text)
        .or_number()
        .or_matrix(0, 2)
        .or_file();
inline constexpr Parameter kRate =
    parameter::make("rate",
                    "m/s or rad/s",
                    "instead of motion, its rate: a number or a formula of t",
                    Shape::text)
        .or_number();
inline constexpr Parameter kInterpolation =
    parameter::text("interpolation",
                    "through the rows of a table: the natural cubic spline, the one that begins "
                    "and ends at rest, or cubic pieces that also stay between their rows",
                    "spline|rest|monotone")
        .otherwise("\"spline\"");
inline constexpr Parameter kOutside =
    parameter::text("outside",
                    "before the first and after the last row of a table: an error, or the value of "
                    "that row",
                    "refuse|hold")
        .otherwise("\"refuse\"");
inline constexpr Parameter kDriveInside[] = {kMotion, kRate, kInterpolation, kOutside, kWhich};
inline constexpr Parameter kDriveKeys[] = {
    kOn, kEndA, kEndB, kMotion, kRate, kInterpolation, kOutside};

inline constexpr Parameter kInertia =
    parameter::number("inertia",
                      "kg, kg m^2 or kg m^2",
                      "of the rotor about its axis [kg m^2]; on a displacement without ratio a "
                      "mass [kg]")
        .positive()
        .required()
        .sensitive();
inline constexpr Parameter kRatio =
    parameter::number(
        "ratio",
        "rad/m or rad/rad",
        "what the rotor turns by per change of the measure: it is felt as ratio^2 inertia")
        .otherwise("1.0")
        .sensitive();
inline constexpr Parameter kGyroscopic =
    parameter::boolean("gyroscopic",
                       "on an angle: with what a base that turns does to the rotor, and it to the "
                       "base; the rotor is then a ball of this inertia, which the base's own "
                       "inertia leaves out")
        .otherwise("false");
inline constexpr Parameter kRotorInside[] = {kInertia, kRatio, kGyroscopic, kWhich};
inline constexpr Parameter kRotorKeys[] = {kOn, kEndA, kEndB, kInertia, kRatio, kGyroscopic};

inline constexpr Parameter kFrictionInside[] = {
    parameter::number("mu", "-", "coefficient of friction").nonnegative().sensitive(),
    parameter::number("mu_static", "-", "that of sticking; left out: mu").nonnegative().sensitive(),
    parameter::number("radius", "m", "of the bearing, or of the ball: lever arm of friction")
        .positive()
        .sensitive(),
    parameter::number(
        "effort",
        "N or N m",
        "dry friction that is there whatever the load, of seals and gears; alone, or beside mu")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    parameter::number("viscous", "N s/m or N m s/rad", "effort against the rate while it slips")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
};
inline constexpr Parameter kFrictionKeys[] = {
    parameter::object("on", "the joint in which it acts").required(),
    kFrictionInside[0],
    kFrictionInside[1],
    kFrictionInside[2],
    kFrictionInside[3],
    kFrictionInside[4],
};

/// Laws inside a joint: each makes an object of its own, such as "elbow.motor".
inline constexpr Parameter kSpringLaw =
    parameter::number(
        "spring", "N/m or N m/rad", "stiffness, or a table: a law \"spring_damper\" inside")
        .or_table(kSpringDamperInside)
        .making("spring_damper", "stiffness")
        .sensitive();
inline constexpr Parameter kDampingLaw =
    parameter::number("damping", "N s/m or N m s/rad", "a law \"damper\" inside")
        .or_table(kDamperInside)
        .making("damper", "damping")
        .sensitive();
inline constexpr Parameter kMotorLaw =
    parameter::text("motor", "effort, or a table: a law \"motor\" inside")
        .or_number()
        .or_table(kMotorInside)
        .reading(FormulaNames::measure)
        .making("motor", "effort");
inline constexpr Parameter kServoLaw =
    parameter::table("servo", kServoInside, "a law \"servo\" inside").making("servo", "target");
inline constexpr Parameter kDriveLaw =
    parameter::text("drive", "motion, or a table: a law \"drive\" inside")
        .or_number()
        .or_table(kDriveInside)
        .making("drive", "motion");
inline constexpr Parameter kFrictionLaw =
    parameter::number("friction", "-", "mu, or a table: a law \"joint_friction\" inside")
        .or_table(kFrictionInside)
        .making("joint_friction", "mu")
        .sensitive();
inline constexpr Parameter kRotorLaw =
    parameter::number(
        "rotor", "kg, kg m^2 or kg m^2", "inertia, or a table: a law \"rotor\" inside")
        .or_table(kRotorInside)
        .making("rotor", "inertia")
        .sensitive();

inline constexpr Parameter kLimitsInside[] = {
    parameter::number("lower", "m or rad", "least value of the measure; left out: none"),
    parameter::number("upper", "m or rad", "largest value of the measure; left out: none"),
    parameter::number("restitution", "-", "impulse of expansion per impulse of compression, 0 to 1")
        .at_least(0.0)
        .at_most(1.0)
        .otherwise("0.0")
        .sensitive(),
    kWhich,
};
inline constexpr Parameter kStopKeys[] = {
    kOn, kEndA, kEndB, kLimitsInside[0], kLimitsInside[1], kLimitsInside[2]};
inline constexpr Parameter kLimitsLaw =
    parameter::table("limits", kLimitsInside, "stops: a constraint \"stop\" inside")
        .making("stop", "upper");

inline constexpr Parameter kLatchInside[] = {
    parameter::number(
        "at", "m or rad", "value of the measure at which it catches, from the side of the start")
        .required(),
    parameter::number("breaks",
                      "N or N m",
                      "force or torque, of either sign, at which it breaks for good; left out: it "
                      "holds whatever comes")
        .positive(),
    parameter::signal("open",
                      "",
                      "above 0.5 it is open, and holds nothing: a number, a formula of t, of the "
                      "state and of outputs, a table, or set by the embedding program"),
    kWhich,
};
inline constexpr Parameter kLatchKeys[] = {
    kOn, kEndA, kEndB, kLatchInside[0], kLatchInside[1], kLatchInside[2]};
inline constexpr Parameter kLatchLaw =
    parameter::table("latch", kLatchInside, "a constraint \"latch\" inside").making("latch", "at");

#define ANCORA_JOINT_LAWS                                                                         \
    ::ancora::joints::kSpringLaw, ::ancora::joints::kDampingLaw, ::ancora::joints::kMotorLaw,     \
        ::ancora::joints::kServoLaw, ::ancora::joints::kDriveLaw, ::ancora::joints::kFrictionLaw, \
        ::ancora::joints::kRotorLaw, ::ancora::joints::kLimitsLaw, ::ancora::joints::kLatchLaw

}  // namespace ancora::joints
