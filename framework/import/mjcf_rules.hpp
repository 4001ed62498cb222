// SPDX-License-Identifier: BSD-3-Clause
// Which tags and attributes of MJCF are read, which act on nothing here, and which are refused.
#pragma once

#include "xml_source.hpp"

namespace ancora::robot {

#define ANCORA_MJCF_ORIENTATION "pos quat axisangle xyaxes zaxis euler"
// Told what they are where they stand
#define ANCORA_MJCF_REFUSED "attach composite flexcomp"

inline constexpr TagRule kMjcfMujoco{
    .attributes = "model",
    .children = "compiler option default asset worldbody equality tendon actuator keyframe include",
    .unused = "size visual statistic custom contact sensor extension"};
inline constexpr TagRule kMjcfCompiler{
    .attributes =
        "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate "
        "angle eulerseq meshdir assetdir inertiafromgeom inertiagrouprange",
    .unused = "lengthrange lrange",
    .silent =
        "fitaabb texturedir discardvisual convexhull usethread fusestatic exactmeshinertia "
        "alignfree saveinertial"};
inline constexpr TagRule kMjcfOption{
    .attributes = "timestep gravity density viscosity wind",
    .children = "flag",
    .silent =
        "apirate impratio tolerance ls_tolerance noslip_tolerance mpr_tolerance ccd_tolerance "
        "magnetic o_margin o_solref o_solimp o_friction integrator collision cone jacobian "
        "solver iterations ls_iterations noslip_iterations mpr_iterations ccd_iterations "
        "sdf_iterations sdf_initpoints actuatorgroupdisable sleep_tolerance"};
inline constexpr TagRule kMjcfFlag{
    .attributes = "gravity",
    .silent =
        "constraint equality frictionloss limit contact passive spring damper "
        "clampctrl warmstart filterparent actuation refsafe sensor midphase "
        "nativeccd eulerdamp autoreset override energy fwdinv invdiscrete "
        "multiccd island sleep"};
inline constexpr TagRule kMjcfBody{
    .attributes = "name childclass mocap gravcomp " ANCORA_MJCF_ORIENTATION,
    .children =
        "inertial joint freejoint geom site body frame replicate include " ANCORA_MJCF_REFUSED,
    .unused = "camera light",
    .silent = "user"};
inline constexpr TagRule kMjcfFrame{.attributes = "name childclass " ANCORA_MJCF_ORIENTATION,
                                    .children = kMjcfBody.children,
                                    .unused = kMjcfBody.unused};
inline constexpr TagRule kMjcfReplicate{.attributes = "count offset euler sep childclass",
                                        .children = kMjcfBody.children,
                                        .unused = kMjcfBody.unused};
inline constexpr TagRule kMjcfInertial{.attributes =
                                           "mass diaginertia fullinertia " ANCORA_MJCF_ORIENTATION};
inline constexpr TagRule kMjcfJoint{
    .attributes =
        "name class type pos axis springdamper stiffness range limited actuatorfrcrange ref "
        "springref armature damping frictionloss",
    .silent =
        "group solreflimit solimplimit solreffriction solimpfriction margin user "
        "actuatorfrclimited actuatorgravcomp"};
inline constexpr TagRule kMjcfFreeJoint{.attributes = "name", .silent = "group align"};
inline constexpr TagRule kMjcfGeom{
    .attributes =
        "name class type size mass density shellinertia fromto mesh rgba group "
        "material " ANCORA_MJCF_ORIENTATION,
    .silent =
        "contype conaffinity condim priority friction solmix solref solimp margin gap hfield "
        "fitscale fluidshape fluidcoef user"};
inline constexpr TagRule kMjcfSite{.attributes = "name class fromto " ANCORA_MJCF_ORIENTATION,
                                   .silent = "type size material rgba group user"};
inline constexpr TagRule kMjcfMesh{
    .attributes = "name class file scale refpos refquat vertex face inertia builtin",
    .children = "plugin",
    .silent = "content_type smoothnormal maxhullvert normal texcoord params material"};
inline constexpr TagRule kMjcfActuator{
    .attributes =
        "name class ctrllimited forcelimited ctrlrange forcerange gear joint jointinparent "
        "tendon kp kv dampratio timeconst inheritrange dyntype gaintype biastype gainprm "
        "biasprm",
    .silent =
        "group actdim dynprm actlimited actrange lengthrange user actearly delay nsample interp"};
inline constexpr TagRule kMjcfEquality{
    .attributes =
        "name class active body1 body2 anchor site1 site2 relpose torquescale joint1 joint2 "
        "polycoef",
    .silent = "solref solimp"};
inline constexpr TagRule kMjcfTendon{
    .attributes = "name class stiffness damping springlength frictionloss armature limited range",
    .children = "joint site",
    .silent =
        "group actuatorfrclimited actuatorfrcrange solreflimit solimplimit "
        "solreffriction solimpfriction margin material width rgba user"};

#undef ANCORA_MJCF_ORIENTATION
#undef ANCORA_MJCF_REFUSED

}  // namespace ancora::robot
