// SPDX-License-Identifier: BSD-3-Clause
// Reads MJCF: what MuJoCo's compiler makes of it, as far as bodies can have it.
#include "mjcf_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "ancora/sdk/helpers/rigid_body.hpp"
#include "mass_properties.hpp"
#include "mesh_files.hpp"
#include "mjcf_defaults.hpp"
#include "reduction.hpp"
#include "surface.hpp"
#include "turns.hpp"

namespace ancora::robot {
namespace {

#define ANCORA_MJCF_ORIENTATION "pos quat axisangle xyaxes zaxis euler"

constexpr TagRule kMjcfMujoco{
    .attributes = "model",
    .children = "compiler option default asset worldbody equality tendon actuator keyframe include",
    .unused = "size visual statistic custom contact sensor extension"};
constexpr TagRule kMjcfCompiler{
    .attributes =
        "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate "
        "angle eulerseq meshdir assetdir inertiafromgeom inertiagrouprange",
    .unused = "lengthrange lrange",
    .silent =
        "fitaabb texturedir discardvisual convexhull usethread fusestatic exactmeshinertia "
        "alignfree saveinertial"};
constexpr TagRule kMjcfOption{
    .attributes = "timestep gravity density viscosity wind",
    .children = "flag",
    .silent =
        "apirate impratio tolerance ls_tolerance noslip_tolerance mpr_tolerance ccd_tolerance "
        "magnetic o_margin o_solref o_solimp o_friction integrator collision cone jacobian "
        "solver iterations ls_iterations noslip_iterations mpr_iterations ccd_iterations "
        "sdf_iterations sdf_initpoints actuatorgroupdisable sleep_tolerance"};
constexpr TagRule kMjcfFlag{
    .attributes = "gravity",
    .silent =
        "constraint equality frictionloss limit contact passive spring damper "
        "clampctrl warmstart filterparent actuation refsafe sensor midphase "
        "nativeccd eulerdamp autoreset override energy fwdinv invdiscrete "
        "multiccd island sleep"};
constexpr TagRule kMjcfBody{.attributes = "name childclass mocap gravcomp " ANCORA_MJCF_ORIENTATION,
                            .children = "inertial joint freejoint geom site body frame include",
                            .unused = "camera light",
                            .silent = "user"};
constexpr TagRule kMjcfFrame{.attributes = "name childclass " ANCORA_MJCF_ORIENTATION,
                             .children = kMjcfBody.children,
                             .unused = kMjcfBody.unused};
constexpr TagRule kMjcfInertial{.attributes =
                                    "mass diaginertia fullinertia " ANCORA_MJCF_ORIENTATION};
constexpr TagRule kMjcfJoint{
    .attributes =
        "name class type pos axis springdamper stiffness range limited actuatorfrcrange ref "
        "springref armature damping frictionloss",
    .silent =
        "group solreflimit solimplimit solreffriction solimpfriction margin user "
        "actuatorfrclimited actuatorgravcomp"};
constexpr TagRule kMjcfFreeJoint{.attributes = "name", .silent = "group align"};
constexpr TagRule kMjcfGeom{
    .attributes =
        "name class type size mass density shellinertia fromto mesh rgba group "
        "material " ANCORA_MJCF_ORIENTATION,
    .silent =
        "contype conaffinity condim priority friction solmix solref solimp margin gap hfield "
        "fitscale fluidshape fluidcoef user"};
constexpr TagRule kMjcfSite{.attributes = "name class fromto " ANCORA_MJCF_ORIENTATION,
                            .silent = "type size material rgba group user"};
constexpr TagRule kMjcfMesh{
    .attributes = "name class file scale refpos refquat",
    .silent =
        "content_type smoothnormal maxhullvert vertex normal texcoord face inertia builtin params"};
constexpr TagRule kMjcfActuator{
    .attributes =
        "name class ctrllimited forcelimited ctrlrange forcerange gear joint jointinparent "
        "tendon kp kv dampratio timeconst inheritrange dyntype gaintype biastype gainprm "
        "biasprm",
    .silent =
        "group actdim dynprm actlimited actrange lengthrange user actearly delay nsample interp"};
constexpr TagRule kMjcfEquality{
    .attributes =
        "name class active body1 body2 anchor site1 site2 relpose torquescale joint1 joint2 "
        "polycoef",
    .silent = "solref solimp"};
constexpr TagRule kMjcfTendon{
    .attributes = "name class stiffness damping springlength frictionloss armature",
    .children = "joint site",
    .silent =
        "group limited range actuatorfrclimited actuatorfrcrange solreflimit solimplimit "
        "solreffriction solimpfriction margin material width rgba user"};

constexpr int kNone = -2;
// A body in a body in a body ...
constexpr int kMostNestedBodies = 1000;

class MjcfReader {
public:
    MjcfReader(pugi::xml_node root, XmlSource& source)
        : root_(root), source_(source), findings_(source.findings()), defaults_(root, source) {}

    Robot read() {
        robot_.format = "MJCF";
        robot_.file = source_.file(root_);
        robot_.name = root_.attribute("model").value();
        robot_.step = 0.002;
        source_.account(root_, kMjcfMujoco);
        for (const pugi::xml_node node : sections("compiler")) read_compiler(node);
        for (const pugi::xml_node node : sections("option")) read_option(node);
        defaults_.read_classes();
        for (const pugi::xml_node node : sections("asset")) read_assets(node);
        for (const pugi::xml_node node : sections("worldbody")) {
            source_.account(
                node,
                {.attributes = "name", .children = kMjcfBody.children, .unused = "camera light"});
            read_content(node, kGround, Pose(), Pose(), "", 0);
        }
        if (robot_.links.empty()) findings_.damaged(source_.place(root_), "<mujoco> has no <body>");
        for (const pugi::xml_node node : sections("tendon")) read_tendons(node);
        for (const pugi::xml_node node : sections("equality")) read_equalities(node);
        for (const pugi::xml_node node : sections("actuator")) read_actuators(node);
        for (const pugi::xml_node node : sections("keyframe")) read_keyframe(node);
        finish_masses();
        for (const Joint& joint : robot_.joints)
            if (first_loop_.known() && joint.start != 0.0)
                findings_.no_counterpart(joint.place,
                                         fmt::format("joint \"{}\" has a ref, or is coupled with "
                                                     "an offset, and the model has closed "
                                                     "loops",
                                                     printable(joint.name)),
                                         "count its values from how the bodies lie");
        return std::move(robot_);
    }

private:
    std::vector<pugi::xml_node> sections(std::string_view name) {
        return defaults_.elements(root_, name);
    }

    // --- settings

    void read_compiler(pugi::xml_node node) {
        source_.account(node, kMjcfCompiler);
        const std::string angle =
            node.attribute("angle").as_string(in_degrees_ ? "degree" : "radian");
        if (angle != "degree" && angle != "radian")
            source_.wrong(node, "angle", "expected degree or radian");
        in_degrees_ = angle == "degree";
        if (std::string_view(node.attribute("coordinate").as_string("local")) != "local")
            findings_.no_counterpart(
                source_.place(node),
                "coordinates in the global frame",
                "save the file once by a MuJoCo older than 2.3.4, which writes local ones");
        sequence_ = node.attribute("eulerseq").as_string(sequence_.c_str());
        if (sequence_.size() != 3 || sequence_.find_first_not_of("xyzXYZ") != std::string::npos) {
            source_.wrong(node, "eulerseq", "expected three of x, y, z, X, Y, Z");
            sequence_ = "xyz";
        }
        autolimits_ = source_.boolean(node, "autolimits", autolimits_);
        balance_ = source_.boolean(node, "balanceinertia", balance_);
        strip_ = source_.boolean(node, "strippath", strip_);
        least_mass_ = source_.number(node, "boundmass", least_mass_);
        least_inertia_ = source_.number(node, "boundinertia", least_inertia_);
        total_mass_ = source_.number(node, "settotalmass", total_mass_);
        if (const auto groups = source_.numbers(node, "inertiagrouprange", 2)) {
            first_group_ = (*groups)[0];
            last_group_ = (*groups)[1];
        }
        if (const auto from = node.attribute("inertiafromgeom")) from_geoms_ = from.value();
        if (const auto folder = node.attribute("assetdir")) mesh_folder_ = folder.value();
        if (const auto folder = node.attribute("meshdir")) mesh_folder_ = folder.value();
    }

    void read_option(pugi::xml_node node) {
        source_.account(node, kMjcfOption);
        robot_.step = source_.number(node, "timestep", *robot_.step);
        robot_.gravity = source_.vector(node, "gravity", robot_.gravity);
        for (const char* const medium : {"density", "viscosity"})
            if (source_.number(node, medium, 0.0) != 0.0)
                findings_.no_counterpart(
                    source_.place(node),
                    fmt::format("<option> {}: a medium that bodies move in", medium),
                    "delete it, and see the forces of type \"drag\"");
        const pugi::xml_node flag = node.child("flag");
        if (!flag) return;
        source_.account(flag, kMjcfFlag);
        if (std::string_view(flag.attribute("gravity").value()) == "disable")
            robot_.gravity = Vec3::Zero();
    }

    // --- poses

    double angle(double x) const { return in_degrees_ ? x * std::numbers::pi / 180.0 : x; }

    std::optional<Mat3> euler(pugi::xml_node node) const {
        const auto angles = source_.numbers(node, "euler", 3);
        if (!angles) return std::nullopt;
        Mat3 R = Mat3::Identity();
        for (int i = 0; i < 3; ++i) {
            const bool turns_along = sequence_[i] >= 'a';
            const Mat3 turn =
                turn_about_axis(sequence_[i] - (turns_along ? 'x' : 'X'), angle((*angles)[i]));
            R = turns_along ? Mat3(R * turn) : Mat3(turn * R);
        }
        return R;
    }

    Mat3 quaternion(pugi::xml_node node, const char* attribute, std::span<const double> q) const {
        const Eigen::Quaterniond quaternion(q[0], q[1], q[2], q[3]);
        if (quaternion.norm() > 0.0) return quaternion.normalized().toRotationMatrix();
        source_.wrong(node, attribute, "a quaternion has a length");
        return Mat3::Identity();
    }

    Mat3 orientation(pugi::xml_node node) const {
        if (const auto q = source_.numbers(node, "quat", 4)) return quaternion(node, "quat", *q);
        if (const auto a = source_.numbers(node, "axisangle", 4)) {
            const Vec3 axis((*a)[0], (*a)[1], (*a)[2]);
            if (axis.norm() > 0.0)
                return Eigen::AngleAxisd(meant_angle(angle((*a)[3])), axis.normalized())
                    .toRotationMatrix();
            source_.wrong(node, "axisangle", "an axis has a length");
        }
        if (const auto a = source_.numbers(node, "xyaxes", 6)) {
            const Vec3 x = Vec3((*a)[0], (*a)[1], (*a)[2]), y((*a)[3], (*a)[4], (*a)[5]);
            Mat3 R;
            R.col(0) = x.normalized();
            R.col(1) = (y - R.col(0) * R.col(0).dot(y)).normalized();
            R.col(2) = R.col(0).cross(R.col(1));
            if (R.allFinite() && x.cross(y).norm() > 0.0) return R;
            source_.wrong(node, "xyaxes", "two axes have lengths and are not parallel");
        }
        if (const auto z = source_.numbers(node, "zaxis", 3))
            return along(Vec3((*z)[0], (*z)[1], (*z)[2]));
        return euler(node).value_or(Mat3::Identity());
    }
    /// The shortest turn of z to a direction.
    static Mat3 along(const Vec3& z) {
        return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), z).toRotationMatrix();
    }
    Pose pose(pugi::xml_node node) const {
        return {orientation(node), source_.vector(node, "pos", Vec3::Zero())};
    }

    // --- meshes

    struct Mesh {
        std::filesystem::path file;
        Vec3 scale = Vec3::Ones();
        Pose reference;
        std::optional<Inertial> inertial;  ///< of density 1, as the file lies
    };

    void read_assets(pugi::xml_node node) {
        source_.account(
            node, {.children = "mesh include", .unused = "texture material hfield skin model"});
        for (const pugi::xml_node asset : defaults_.elements(node)) {
            const std::string_view tag = asset.name();
            if (tag == "material") {
                if (const auto rgba = source_.numbers(asset, "rgba", 4))
                    materials_[asset.attribute("name").value()] = *rgba;
            }
            if (tag != "mesh") continue;
            defaults_.complete(asset, "", "mesh");
            source_.account(asset, kMjcfMesh);
            const std::string file = source_.required(asset, "file");
            if (file.empty()) continue;
            std::string name = asset.attribute("name").value();
            if (name.empty()) name = std::filesystem::path(file).stem().string();
            std::filesystem::path path = file;
            if (strip_) path = path.filename();
            path = mesh_folder_ / path;
            Mesh& mesh = meshes_[name];
            mesh.scale = source_.vector(asset, "scale", Vec3::Ones());
            mesh.reference.x = source_.vector(asset, "refpos", Vec3::Zero());
            if (const auto q = source_.numbers(asset, "refquat", 4))
                mesh.reference.R = quaternion(asset, "refquat", *q);
            if (!can_be_shown(path)) {
                findings_.no_counterpart(
                    source_.place(asset),
                    fmt::format("mesh \"{}\": only STL, OBJ and glTF are read", printable(file)),
                    "convert it");
                continue;
            }
            const auto found = find_mesh(
                path.string(), robot_.file.parent_path(), source_.place(asset), findings_);
            if (found) mesh.file = *found;
        }
    }

    /// As seen by a geom: the reference of the asset is where the file's origin is taken to be.
    std::optional<Inertial> inertial_of(pugi::xml_node geom, Mesh& mesh) {
        if (mesh.file.empty()) return std::nullopt;
        if (!mesh.inertial) {
            mesh.inertial = Inertial();
            try {
                mesh.inertial = of_mesh(read_surface_file(mesh.file), mesh.scale);
                if (!(mesh.inertial->mass > 0.0))
                    source_.wrong(geom,
                                  "mesh",
                                  "encloses no volume, so that it has no mass; give an <inertial>");
            } catch (const Error& error) {
                findings_.damaged(error.place().known() ? error.place() : source_.place(geom),
                                  error.message());
            }
        }
        return mesh.inertial;
    }

    // --- bodies

    /// What stands in a body, also by frames in it.
    struct Item {
        pugi::xml_node node;
        Pose in_body;
        std::string surrounding;
    };

    void collect(pugi::xml_node node,
                 const Pose& in_body,
                 const std::string& surrounding,
                 std::vector<Item>& out,
                 int depth) {
        if (depth > kMostNestedBodies)
            return source_.wrong(node, nullptr, "frames are nested too deeply");
        for (const pugi::xml_node child : defaults_.elements(node)) {
            if (std::string_view(child.name()) != "frame") {
                out.push_back({child, in_body, surrounding});
                continue;
            }
            source_.account(child, kMjcfFrame);
            const std::string inner = child.attribute("childclass").value();
            collect(
                child, in_body * pose(child), inner.empty() ? surrounding : inner, out, depth + 1);
        }
    }

    /// @param world  where the body lies at the start
    void read_content(pugi::xml_node node,
                      int link,
                      const Pose& world,
                      const Pose& in_body,
                      const std::string& surrounding,
                      int depth) {
        std::vector<Item> items;
        collect(node, in_body, surrounding, items, 0);
        Masses masses;
        for (const Item& item : items) {
            const std::string_view tag = item.node.name();
            if (tag == "geom")
                read_geom(item, link, masses);
            else if (tag == "site")
                read_site(item, link, world);
        }
        if (link != kGround) weigh(node, link, items, masses);
        for (const Item& item : items)
            if (std::string_view(item.node.name()) == "body")
                read_body(item, link, world, depth + 1);
    }

    void read_body(const Item& item, int parent, const Pose& parent_world, int depth) {
        const pugi::xml_node node = item.node;
        if (depth > kMostNestedBodies)
            return source_.wrong(node, nullptr, "bodies are nested too deeply");
        source_.account(node, kMjcfBody);
        if (source_.number(node, "gravcomp", 0.0) != 0.0)
            findings_.no_counterpart(
                source_.place(node), fmt::format("{}: gravcomp", in_words(node)), "delete it");
        const std::string inner = node.attribute("childclass").value();
        const std::string surrounding = inner.empty() ? item.surrounding : inner;
        std::string name = node.attribute("name").value();
        if (name.empty()) name = fmt::format("body_{}", robot_.links.size() + 1);
        const Pose in_parent = item.in_body * pose(node);
        const Pose world = parent_world * in_parent;

        std::vector<Item> items, joints;
        collect(node, Pose(), surrounding, items, 0);
        for (const Item& entry : items) {
            const std::string_view tag = entry.node.name();
            if (tag == "joint" || tag == "freejoint") joints.push_back(entry);
        }
        // Each joint but the last carries a link of its own, which has no mass
        int carrier = parent;
        Pose at = in_parent;
        for (std::size_t j = 0; j < std::max<std::size_t>(joints.size(), 1); ++j) {
            const bool is_last = j + 1 >= joints.size();
            Link link;
            link.name = is_last ? name : fmt::format("{}_{}", name, j + 1);
            link.place = source_.place(node);
            const int child = static_cast<int>(robot_.links.size());
            robot_.links.push_back(link);
            if (joints.empty())
                fix(child, carrier, at, name);
            else
                read_joint(joints[j], child, carrier, at);
            carrier = child;
            at = Pose();
        }
        const int link = carrier;
        worlds_[link] = world;
        if (!bodies_.emplace(name, link).second && *node.attribute("name").value() != '\0')
            source_.wrong(node, "name", "another body has it");
        read_content(node, link, world, Pose(), surrounding, depth);
    }

    void fix(int child, int parent, const Pose& at, const std::string& name) {
        Joint joint;
        joint.name = name + "_fixed";
        joint.place = robot_.links[child].place;
        joint.parent = parent;
        joint.child = child;
        joint.on_parent = at;
        robot_.joints.push_back(joint);
    }

    // --- joints

    void read_joint(const Item& item, int child, int parent, const Pose& at) {
        const pugi::xml_node node = item.node;
        const bool is_free = std::string_view(node.name()) == "freejoint";
        if (!is_free) defaults_.complete(node, item.surrounding, "joint");
        source_.account(node, is_free ? kMjcfFreeJoint : kMjcfJoint);
        const std::string type = is_free ? "free" : node.attribute("type").as_string("hinge");
        Joint joint;
        joint.name = node.attribute("name").value();
        if (joint.name.empty()) joint.name = fmt::format("{}_joint", robot_.links[child].name);
        joint.place = source_.place(node);
        joint.parent = parent;
        joint.child = child;
        const int number = static_cast<int>(robot_.joints.size());
        if (!joints_.emplace(joint.name, number).second)
            source_.wrong(node, "name", "another joint has it");

        const Vec3 point =
            item.in_body.x + item.in_body.R * source_.vector(node, "pos", Vec3::Zero());
        if (type == "free") {
            joint.kind = JointKind::free;
            joint.on_parent = at;
        } else if (type == "ball") {
            joint.kind = JointKind::spherical;
            joint.on_child.x = point;
            joint.on_parent = at * joint.on_child;
            joint.ball_damping = Vec3::Constant(damping_of(node));
            if (source_.number(node, "stiffness", 0.0) != 0.0)
                findings_.no_counterpart(joint.place,
                                         fmt::format("{}: stiffness of a ball", in_words(node)),
                                         "delete it, and see the constraint \"bushing\"");
            if (source_.number(node, "frictionloss", 0.0) != 0.0)
                findings_.no_counterpart(joint.place,
                                         fmt::format("{}: frictionloss of a ball", in_words(node)),
                                         "delete it");
            if (const double armature = source_.number(node, "armature", 0.0); armature != 0.0)
                findings_.no_counterpart(joint.place,
                                         fmt::format("{}: armature of a ball", in_words(node)),
                                         "add it to the inertia of the body");
            if (const auto range = source_.numbers(node, "range", 2))
                findings_.note("<joint> range of a ball: a ball has no limits here", joint.place);
        } else if (type == "hinge" || type == "slide") {
            joint.kind = type == "hinge" ? JointKind::revolute : JointKind::prismatic;
            read_axis(node, item, point, at, joint);
            read_laws(node, joint);
        } else {
            source_.wrong(
                node,
                "type",
                fmt::format("there is no type \"{}\"{}",
                            printable(type),
                            did_you_mean(
                                type, std::vector<std::string>{"hinge", "slide", "ball", "free"})));
        }
        slots_.push_back({number, type == "free" ? 7 : type == "ball" ? 4 : 1});
        robot_.joints.push_back(std::move(joint));
    }

    double damping_of(pugi::xml_node node) const {
        const double damping = source_.number(node, "damping", 0.0);
        if (damping < 0.0) source_.wrong(node, "damping", "is negative: it would drive the joint");
        return std::max(damping, 0.0);
    }

    void read_axis(
        pugi::xml_node node, const Item& item, const Vec3& point, const Pose& at, Joint& joint) {
        Vec3 axis = item.in_body.R * source_.vector(node, "axis", Vec3::UnitZ());
        if (!(axis.norm() > 0.0)) {
            source_.wrong(node, "axis", "an axis has a length");
            axis = Vec3::UnitZ();
        }
        const Pose here{frame_about(axis), point};
        joint.on_parent = at * here;
        joint.on_child = here;
        // The measure is `ref` as the bodies lie in the file
        const bool turns = joint.kind == JointKind::revolute;
        const double ref = source_.number(node, "ref", 0.0);
        joint.start = turns ? angle(ref) : ref;
        if (turns)
            joint.on_child.R = here.R * turn_about_axis(2, joint.start);
        else
            joint.on_child.x = point + joint.start * here.R.col(2);
    }

    void read_laws(pugi::xml_node node, Joint& joint) {
        const bool turns = joint.kind == JointKind::revolute;
        const auto in_units = [&](double x) {
            return turns ? angle(x) : x;
        };
        joint.damping = damping_of(node);
        joint.friction = source_.number(node, "frictionloss", 0.0);
        joint.armature = source_.number(node, "armature", 0.0);
        if (joint.armature < 0.0) source_.wrong(node, "armature", "is negative");
        if (const double k = source_.number(node, "stiffness", 0.0); k != 0.0)
            joint.spring = Spring{k, in_units(source_.number(node, "springref", 0.0))};
        if (const auto pair = source_.numbers(node, "springdamper", 2);
            pair && ((*pair)[0] != 0.0 || (*pair)[1] != 0.0))
            findings_.no_counterpart(
                joint.place,
                fmt::format("{}: springdamper, which MuJoCo makes of the model's inertia",
                            in_words(node)),
                "write stiffness and damping");
        const auto range = source_.numbers(node, "range", 2);
        if (is_limited(node, "limited", range.has_value()) && range) {
            joint.limits.lower = in_units((*range)[0]);
            joint.limits.upper = in_units((*range)[1]);
        }
        if (const auto effort = source_.numbers(node, "actuatorfrcrange", 2))
            joint.limits.effort = std::max(std::abs((*effort)[0]), std::abs((*effort)[1]));
    }

    bool is_limited(pugi::xml_node node, const char* attribute, bool has_range) const {
        const std::string text = node.attribute(attribute).as_string("auto");
        return text == "auto" ? autolimits_ && has_range : source_.boolean(node, attribute, false);
    }

    // --- shapes and mass

    struct Masses {
        Inertial sum;
        bool is_any = false;
    };

    void read_geom(const Item& item, int link, Masses& masses) {
        const pugi::xml_node node = item.node;
        defaults_.complete(node, item.surrounding, "geom");
        source_.account(node, kMjcfGeom);
        const std::string type = node.attribute("type").as_string("sphere");
        if (type == "plane" || type == "hfield") {
            findings_.note(fmt::format("a geom of type {} is not part of the model", type),
                           source_.place(node));
            return;
        }
        Shape shape;
        shape.pose = item.in_body * pose(node);
        std::optional<Inertial> solid =
            type == "mesh" ? mesh_geom(node, shape) : primitive(node, item, type, shape);
        if (link == kGround) {
            findings_.note("geoms of the world are not shown", source_.place(node));
            return;
        }
        findings_.note("<geom> is mass and looks: bodies pass through each other",
                       source_.place(node));
        look(node, shape);
        const double group = source_.number(node, "group", 0.0);
        if (shape.kind != Shape::Kind::mesh || !shape.file.empty()) {
            // Groups from 3 on are hidden in MuJoCo's viewer, as hulls for contacts are
            shapes_of_[link].push_back({shape, group >= 3.0});
        }
        if (!solid || group < first_group_ || group > last_group_) return;
        Inertial inertial = *solid;
        if (const auto mass = source_.number(node, "mass")) {
            if (*mass < 0.0) source_.wrong(node, "mass", "is negative");
            inertial = inertial.mass > 0.0 ? times(inertial, *mass / inertial.mass) : inertial;
        } else {
            const double density = source_.number(node, "density", 1000.0);
            if (density < 0.0) source_.wrong(node, "density", "is negative");
            inertial = times(inertial, density);
        }
        if (source_.boolean(node, "shellinertia", false) && inertial.mass > 0.0)
            findings_.no_counterpart(source_.place(node),
                                     "shellinertia: mass on the surface",
                                     "give the body an <inertial>");
        masses.sum = masses.is_any ? together(masses.sum, inertial, shape.pose)
                                   : together({}, inertial, shape.pose);
        masses.is_any = true;
    }

    void look(pugi::xml_node node, Shape& shape) const {
        auto rgba = source_.numbers(node, "rgba", 4);
        if (const auto material = materials_.find(node.attribute("material").value());
            material != materials_.end() && !rgba)
            rgba = material->second;
        if (!rgba) return;
        shape.color = Vec3((*rgba)[0], (*rgba)[1], (*rgba)[2]).cwiseMax(0.0).cwiseMin(1.0);
        shape.opacity = (*rgba)[3];
    }

    std::optional<Inertial> mesh_geom(pugi::xml_node node, Shape& shape) {
        shape.kind = Shape::Kind::mesh;
        const std::string name = source_.required(node, "mesh");
        if (name.empty()) return std::nullopt;
        const auto found = meshes_.find(name);
        if (found == meshes_.end()) {
            std::vector<std::string> names;
            for (const auto& [known, mesh] : meshes_) names.push_back(known);
            source_.wrong(node,
                          "mesh",
                          fmt::format("there is no mesh \"{}\" in <asset>{}",
                                      printable(name),
                                      did_you_mean(name, names)));
            return std::nullopt;
        }
        Mesh& mesh = found->second;
        shape.file = mesh.file;
        shape.scale = mesh.scale;
        shape.pose = shape.pose * mesh.reference.inverse();
        // Most meshes are looks alone, without mass: their volume counts for nothing
        const bool has_mass =
            source_.number(node, "mass", 1.0) > 0.0 && source_.number(node, "density", 1.0) > 0.0;
        return has_mass && needs_geoms(node) ? inertial_of(node, mesh) : std::nullopt;
    }

    std::optional<Inertial> primitive(pugi::xml_node node,
                                      const Item& item,
                                      const std::string& type,
                                      Shape& shape) {
        if (node.attribute("mesh")) {
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: a {} that is fitted to a mesh", in_words(node), printable(type)),
                "write its size");
            return std::nullopt;
        }
        std::vector<double> size = source_.numbers(node, "size", 0).value_or(std::vector<double>());
        const bool is_long =
            type == "capsule" || type == "cylinder" || type == "box" || type == "ellipsoid";
        double half_length = -1.0;
        if (const auto ends = source_.numbers(node, "fromto", 6); ends && is_long) {
            const Vec3 from((*ends)[0], (*ends)[1], (*ends)[2]),
                to((*ends)[3], (*ends)[4], (*ends)[5]);
            if (!(from != to)) {
                source_.wrong(node, "fromto", "both ends are one point");
                return std::nullopt;
            }
            half_length = 0.5 * (to - from).norm();
            shape.pose = item.in_body * Pose{along(from - to), 0.5 * (from + to)};
        }
        const std::size_t wanted = type == "sphere" || half_length > 0.0     ? 1
                                   : type == "capsule" || type == "cylinder" ? 2
                                                                             : 3;
        const std::vector<std::string> types = {
            "sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh", "plane", "hfield"};
        if (std::ranges::find(types, type) == types.end()) {
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("a geom of type \"{}\"{}", printable(type), did_you_mean(type, types)),
                "correct or delete it");
            return std::nullopt;
        }
        if (size.size() < wanted ||
            !(*std::min_element(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(wanted)) >
              0.0)) {
            source_.wrong(
                node,
                "size",
                fmt::format("a {} has {} positive number{}", type, wanted, wanted == 1 ? "" : "s"));
            return std::nullopt;
        }
        size.resize(3, 0.0);
        if (half_length > 0.0) {
            if (type == "capsule" || type == "cylinder")
                size[1] = half_length;
            else
                size = {size[0], size[0], half_length};
        }
        const Vec3 a(size[0], size[1], size[2]);
        if (type == "sphere") {
            shape.kind = Shape::Kind::sphere;
            shape.size(0) = a(0);
            return of_ellipsoid(Vec3::Constant(a(0)));
        }
        if (type == "box") {
            shape.kind = Shape::Kind::box;
            shape.size = 2.0 * a;
            return of_box(2.0 * a);
        }
        if (type == "ellipsoid") {
            findings_.note("an ellipsoid is shown as a sphere of its volume", source_.place(node));
            shape.kind = Shape::Kind::sphere;
            shape.size(0) = std::cbrt(a.prod());
            return of_ellipsoid(a);
        }
        shape.kind = type == "capsule" ? Shape::Kind::capsule : Shape::Kind::cylinder;
        shape.size = {a(0), 2.0 * a(1), 0.0};
        return type == "capsule" ? of_capsule(a(0), 2.0 * a(1)) : of_cylinder(a(0), 2.0 * a(1));
    }

    bool needs_geoms(pugi::xml_node geom) const {
        if (from_geoms_ != "auto") return from_geoms_ != "false";
        for (pugi::xml_node at = geom.parent(); at; at = at.parent())
            if (std::string_view(at.name()) == "body") return !at.child("inertial");
        return true;
    }

    void weigh(pugi::xml_node body,
               int number,
               const std::vector<Item>& items,
               const Masses& masses) {
        Link& link = robot_.links[number];
        if (const auto shapes = shapes_of_.find(number); shapes != shapes_of_.end()) {
            const bool all_hidden = std::ranges::all_of(shapes->second, [](const auto& entry) {
                return entry.second;
            });
            for (auto& [shape, is_hidden] : shapes->second)
                if (!is_hidden || all_hidden) link.shapes.push_back(shape);
        }
        for (const Item& item : items)
            if (std::string_view(item.node.name()) == "inertial" && from_geoms_ != "true") {
                read_inertial(item, link);
                return;
            }
        if (masses.is_any && masses.sum.mass > 0.0 && from_geoms_ != "false") {
            link.inertial = masses.sum;
            link.inertial->place = source_.place(body);
        }
    }

    void read_inertial(const Item& item, Link& link) {
        const pugi::xml_node node = item.node;
        source_.account(node, kMjcfInertial);
        source_.required(node, "mass");
        source_.required(node, "pos");
        Inertial inertial;
        inertial.place = source_.place(node);
        inertial.mass = source_.number(node, "mass", 0.0);
        if (inertial.mass < 0.0) source_.wrong(node, "mass", "is negative");
        Mat3 J = Mat3::Zero();
        if (const auto full = source_.numbers(node, "fullinertia", 6)) {
            const auto& x = *full;
            J << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
        } else {
            J = Mat3(source_.vector(node, "diaginertia", Vec3::Zero()).asDiagonal());
        }
        const Pose at = item.in_body * pose(node);
        inertial.center = at.x;
        inertial.inertia = at.R * J * at.R.transpose();
        link.inertial = inertial;
    }

    /// Settings of the compiler that act on all bodies.
    void finish_masses() {
        double total = 0.0;
        for (Link& link : robot_.links) {
            if (!link.inertial) continue;
            Inertial& inertial = *link.inertial;
            inertial.mass = std::max(inertial.mass, least_mass_);
            Mat3 J = inertial.inertia;
            const Mat3 axes = rigid::diagonalise(J);
            Vec3 moments = J.diagonal();
            const bool is_low = moments.minCoeff() < least_inertia_;
            moments = moments.cwiseMax(least_inertia_);
            const bool is_odd = balance_ && (2.0 * moments.maxCoeff() > moments.sum());
            if (is_odd) moments.setConstant(moments.mean());
            if (is_low || is_odd) inertial.inertia = axes * moments.asDiagonal() * axes.transpose();
            total += inertial.mass;
        }
        if (!(total_mass_ > 0.0) || !(total > 0.0)) return;
        for (Link& link : robot_.links)
            if (link.inertial) {
                const Place place = link.inertial->place;
                link.inertial = times(*link.inertial, total_mass_ / total);
                link.inertial->place = place;
            }
    }

    // --- sites and what ties them

    struct Site {
        int link;
        Pose pose;
        Pose world;
    };

    void read_site(const Item& item, int link, const Pose& world) {
        const pugi::xml_node node = item.node;
        defaults_.complete(node, item.surrounding, "site");
        source_.account(node, kMjcfSite);
        Pose at = item.in_body * pose(node);
        if (const auto ends = source_.numbers(node, "fromto", 6)) {
            const Vec3 from((*ends)[0], (*ends)[1], (*ends)[2]),
                to((*ends)[3], (*ends)[4], (*ends)[5]);
            at = item.in_body * Pose{along(from - to), 0.5 * (from + to)};
        }
        const std::string name = node.attribute("name").value();
        if (name.empty()) return;
        sites_[name] = {link, at, world * at};
        if (link != kGround) robot_.links[link].frames.push_back({name, at, "site"});
    }

    const Site* site_named(pugi::xml_node node, const char* attribute) const {
        const std::string name = source_.required(node, attribute);
        const auto found = sites_.find(name);
        if (found != sites_.end()) return &found->second;
        std::vector<std::string> names;
        for (const auto& [known, site] : sites_) names.push_back(known);
        if (!name.empty())
            source_.wrong(
                node,
                attribute,
                fmt::format(
                    "there is no site \"{}\"{}", printable(name), did_you_mean(name, names)));
        return nullptr;
    }

    int named(pugi::xml_node node,
              const char* attribute,
              const std::map<std::string, int>& among,
              const char* what) const {
        const std::string name = source_.required(node, attribute);
        if (name.empty()) return kNone;
        const auto found = among.find(name);
        if (found != among.end()) return found->second;
        std::vector<std::string> names;
        for (const auto& [known, number] : among) names.push_back(known);
        source_.wrong(
            node,
            attribute,
            fmt::format(
                "there is no {} \"{}\"{}", what, printable(name), did_you_mean(name, names)));
        return kNone;
    }

    struct Tendon {
        std::vector<Coupler::Term> terms;
        int line = -1;
    };

    void read_tendons(pugi::xml_node section) {
        for (const pugi::xml_node node : defaults_.elements(section)) {
            const std::string_view tag = node.name();
            if (tag != "fixed" && tag != "spatial") {
                findings_.no_counterpart(source_.place(node),
                                         fmt::format("{} in <tendon>", in_words(node)),
                                         "delete it");
                continue;
            }
            defaults_.complete(node, "", "tendon");
            if (tag == "spatial" && (node.child("geom") || node.child("pulley"))) {
                findings_.no_counterpart(
                    source_.place(node),
                    fmt::format("{}: a tendon that wraps or has pulleys", in_words(node)),
                    "delete it");
                continue;
            }
            source_.account(node, kMjcfTendon);
            if (source_.number(node, "frictionloss", 0.0) != 0.0 ||
                source_.number(node, "armature", 0.0) != 0.0)
                findings_.no_counterpart(
                    source_.place(node),
                    fmt::format("{}: frictionloss or armature of a tendon", in_words(node)),
                    "delete it");
            Tendon tendon;
            if (tag == "fixed")
                read_fixed(node, tendon);
            else
                read_spatial(node, tendon);
            tendons_[node.attribute("name").value()] = tendon;
        }
    }

    void read_fixed(pugi::xml_node node, Tendon& tendon) {
        for (const char* const law : {"stiffness", "damping"})
            if (source_.number(node, law, 0.0) != 0.0)
                findings_.no_counterpart(
                    source_.place(node),
                    fmt::format("{}: {} of a sum of joints", in_words(node), law),
                    "delete it");
        for (const pugi::xml_node term : node.children("joint")) {
            const int joint = named(term, "joint", joints_, "joint");
            if (joint != kNone) tendon.terms.push_back({joint, source_.number(term, "coef", 0.0)});
        }
    }

    void read_spatial(pugi::xml_node node, Tendon& tendon) {
        std::vector<const Site*> sites;
        for (const pugi::xml_node site : node.children("site"))
            sites.push_back(site_named(site, "site"));
        if (std::ranges::find(sites, nullptr) != sites.end()) return;
        if (sites.size() != 2) {
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: a tendon over {} sites", in_words(node), sites.size()),
                "split it into tendons between two sites, or delete it");
            return;
        }
        Line line;
        line.name = node.attribute("name").as_string("tendon");
        line.place = source_.place(node);
        line.a = sites[0]->link;
        line.b = sites[1]->link;
        line.on_a = sites[0]->pose.x;
        line.on_b = sites[1]->pose.x;
        line.stiffness = source_.number(node, "stiffness", 0.0);
        line.damping = source_.number(node, "damping", 0.0);
        const auto free =
            source_.numbers(node, "springlength", 0).value_or(std::vector<double>{-1.0});
        if (free.size() > 1 && free[0] != free[1])
            findings_.no_counterpart(line.place,
                                     fmt::format("{}: a spring with a dead band", in_words(node)),
                                     "write one springlength");
        // As the file has it, whatever the start
        line.free = !free.empty() && free[0] >= 0.0
                        ? free[0]
                        : (sites[1]->world.x - sites[0]->world.x).norm();
        tendon.line = static_cast<int>(robot_.lines.size());
        robot_.lines.push_back(line);
    }

    // --- equalities

    void read_equalities(pugi::xml_node section) {
        for (const pugi::xml_node node : defaults_.elements(section)) {
            const std::string tag = node.name();
            if (tag != "connect" && tag != "weld" && tag != "joint") {
                findings_.no_counterpart(source_.place(node),
                                         fmt::format("{} in <equality>", in_words(node)),
                                         "delete it");
                continue;
            }
            defaults_.complete(node, "", "equality");
            source_.account(node, kMjcfEquality);
            if (!source_.boolean(node, "active", true)) {
                findings_.note("an equality that is not active", source_.place(node));
                continue;
            }
            if (tag == "joint")
                tie_joints(node);
            else
                close_loop(node, tag == "weld");
        }
    }

    void tie_joints(pugi::xml_node node) {
        const int first = named(node, "joint1", joints_, "joint");
        if (first == kNone || measure_missing(node, first)) return;
        std::vector<double> c =
            source_.numbers(node, "polycoef", 0).value_or(std::vector<double>{0.0, 1.0});
        c.resize(5, 0.0);
        Joint& joint = robot_.joints[first];
        if (!node.attribute("joint2")) {
            joint.held = joint.start + c[0];
            joint.start = *joint.held;
            return;
        }
        const int second = named(node, "joint2", joints_, "joint");
        if (second == kNone || measure_missing(node, second)) return;
        if (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0)
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: a coupling that is not linear", in_words(node)),
                "keep the first two numbers of polycoef, or see the constraint "
                "\"general_constraint\"");
        std::string name = node.attribute("name").value();
        if (name.empty()) name = joint.name + "_coupling";
        robot_.couplers.push_back(
            {name,
             {{second, c[1]}, {first, -1.0}},
             fmt::format("{} follows {}", joint.name, robot_.joints[second].name)});
        joint.start += c[0];
    }

    bool measure_missing(pugi::xml_node node, int joint) const {
        if (*measure_of(robot_.joints[joint].kind) != '\0') return false;
        source_.wrong(node,
                      nullptr,
                      fmt::format("joint \"{}\" is no hinge and no slide",
                                  printable(robot_.joints[joint].name)));
        return true;
    }

    void close_loop(pugi::xml_node node, bool is_weld) {
        Joint joint;
        joint.place = source_.place(node);
        joint.is_loop = true;
        joint.kind = is_weld ? JointKind::fixed : JointKind::spherical;
        joint.name = node.attribute("name").value();
        if (joint.name.empty())
            joint.name = fmt::format("{}_{}", is_weld ? "weld" : "connect", robot_.joints.size());
        if (node.attribute("site1") || node.attribute("site2")) {
            const Site* const first = site_named(node, "site1");
            const Site* const second = site_named(node, "site2");
            if (first == nullptr || second == nullptr) return;
            joint.parent = first->link;
            joint.child = second->link;
            joint.on_parent = first->pose;
            joint.on_child = second->pose;
        } else {
            const auto body = [&](const char* attribute) {
                return std::string_view(node.attribute(attribute).value()) == "world"
                           ? kGround
                           : named(node, attribute, bodies_, "body");
            };
            joint.parent = body("body1");
            joint.child = node.attribute("body2") ? body("body2") : kGround;
            if (joint.parent == kNone || joint.child == kNone) return;
            const Pose second_in_first = worlds_[joint.parent].inverse() *
                                         (joint.child == kGround ? Pose() : worlds_[joint.child]);
            if (is_weld) {
                joint.on_parent = second_in_first;
                if (const auto pose = source_.numbers(node, "relpose", 7)) {
                    const std::span<const double> q = std::span(*pose).subspan(3);
                    if (std::ranges::any_of(q, [](double x) {
                            return x != 0.0;
                        })) {
                        joint.on_parent.x = Vec3((*pose)[0], (*pose)[1], (*pose)[2]);
                        joint.on_parent.R = quaternion(node, "relpose", q);
                    }
                }
            } else {
                source_.required(node, "anchor");
                joint.on_parent.x = source_.vector(node, "anchor", Vec3::Zero());
                joint.on_child = second_in_first.inverse() * joint.on_parent;
            }
        }
        if (joint.parent == joint.child)
            return source_.wrong(node, nullptr, "ties a body to itself");
        // The ground stands first, as elsewhere
        if (joint.child == kGround) {
            std::swap(joint.parent, joint.child);
            std::swap(joint.on_parent, joint.on_child);
        }
        robot_.joints.push_back(joint);
        first_loop_ = first_loop_.known() ? first_loop_ : joint.place;
    }

    // --- actuators

    void read_actuators(pugi::xml_node section) {
        for (const pugi::xml_node node : defaults_.elements(section)) {
            const std::string tag = node.name();
            const std::vector<std::string> known = {
                "general", "motor", "position", "velocity", "damper"};
            if (std::ranges::find(known, tag) == known.end()) {
                findings_.no_counterpart(
                    source_.place(node),
                    fmt::format("{}: an actuator of this kind", in_words(node)),
                    "write a motor or position in its place");
                continue;
            }
            defaults_.complete(node, "", tag.c_str());
            defaults_.complete(node, "", "general");
            if (node.attribute("site") || node.attribute("cranksite") || node.attribute("body")) {
                findings_.no_counterpart(
                    source_.place(node),
                    fmt::format("{}: an actuator on a site, crank or body", in_words(node)),
                    "let it act on a joint");
                continue;
            }
            source_.account(node, kMjcfActuator);
            read_actuator(node, tag);
        }
    }

    void read_actuator(pugi::xml_node node, const std::string& tag) {
        // force = gain u + b0 + b1 l + b2 l', l = gear times the measure
        double gain = 1.0;
        std::array<double, 3> b{};
        const double kp = source_.number(node, "kp", 1.0);
        const double kv =
            source_.number(node, "kv", tag == "velocity" || tag == "damper" ? 1.0 : 0.0);
        if (tag == "position") {
            gain = kp;
            b = {0.0, -kp, -kv};
        } else if (tag == "damper") {
            gain = kv;
        } else if (tag == "velocity") {
            gain = kv;
            b = {0.0, 0.0, -kv};
        } else if (tag == "general") {
            const auto gains =
                source_.numbers(node, "gainprm", 0).value_or(std::vector<double>{1.0});
            gain = gains.empty() ? 1.0 : gains[0];
            const std::string bias = node.attribute("biastype").as_string("none");
            if (bias == "affine") {
                const auto given =
                    source_.numbers(node, "biasprm", 0).value_or(std::vector<double>());
                for (std::size_t i = 0; i < std::min<std::size_t>(given.size(), 3); ++i)
                    b[i] = given[i];
            }
            const bool is_known =
                (bias == "none" || bias == "affine") &&
                std::string_view(node.attribute("gaintype").as_string("fixed")) == "fixed" &&
                std::string_view(node.attribute("dyntype").as_string("none")) == "none";
            if (!is_known)
                return findings_.no_counterpart(
                    source_.place(node),
                    fmt::format("{}: an actuator with dynamics, or a gain that is not fixed",
                                in_words(node)),
                    "write a motor or position in its place");
        }
        if (source_.number(node, "dampratio", 0.0) != 0.0)
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: dampratio, which MuJoCo makes of the model's inertia",
                            in_words(node)),
                "write kv");
        if (source_.number(node, "timeconst", 0.0) != 0.0)
            findings_.no_counterpart(source_.place(node),
                                     fmt::format("{}: a filter of the control", in_words(node)),
                                     "delete timeconst");
        const auto gears = source_.numbers(node, "gear", 0).value_or(std::vector<double>{1.0});
        const double gear = gears.empty() ? 1.0 : gears[0];

        Actuator actuator;
        actuator.name = node.attribute("name").value();
        const auto controls = source_.numbers(node, "ctrlrange", 2);
        if (is_limited(node, "ctrllimited", controls.has_value()) && controls) {
            actuator.remark = fmt::format("{:g} to {:g}", (*controls)[0], (*controls)[1]);
            actuator.start = std::clamp(0.0,
                                        std::min((*controls)[0], (*controls)[1]),
                                        std::max((*controls)[0], (*controls)[1]));
        }
        std::optional<std::pair<double, double>> forces;
        const auto range = source_.numbers(node, "forcerange", 2);
        if (is_limited(node, "forcelimited", range.has_value()) && range)
            forces = {(*range)[0], (*range)[1]};

        std::vector<Coupler::Term> terms;
        int line = -1;
        if (const auto tendon = node.attribute("tendon")) {
            const auto found = tendons_.find(tendon.value());
            if (found == tendons_.end())
                return source_.wrong(
                    node,
                    "tendon",
                    fmt::format("there is no tendon \"{}\"", printable(tendon.value())));
            terms = found->second.terms;
            line = found->second.line;
            if (line < 0 && terms.size() > 1 && (b[1] != 0.0 || b[2] != 0.0))
                return findings_.no_counterpart(
                    source_.place(node),
                    fmt::format("{}: a controller of a sum of joints", in_words(node)),
                    "let it act on a joint");
        } else {
            const char* const key = node.attribute("jointinparent") ? "jointinparent" : "joint";
            const int joint = named(node, key, joints_, "joint");
            if (joint == kNone) return;
            if (*measure_of(robot_.joints[joint].kind) == '\0')
                return findings_.no_counterpart(
                    source_.place(node),
                    fmt::format("{}: an actuator of a ball or free joint", in_words(node)),
                    "see the force \"point_load\"");
            terms = {{joint, 1.0}};
        }
        if (actuator.name.empty())
            actuator.name = fmt::format(
                "{}_{}", terms.empty() ? "line" : robot_.joints[terms[0].joint].name, tag);
        actuator.control = actuator.name + "_control";
        controls_.push_back(static_cast<int>(robot_.actuators.size()));
        if (line >= 0) {
            actuator.line = line;
            add_actuator(actuator, tag, gain, b, gear, forces);
        }
        for (const Coupler::Term& term : terms) {
            actuator.joint = term.joint;
            add_actuator(actuator, tag, gain, b, gear * term.factor, forces);
        }
    }

    void add_actuator(Actuator actuator,
                      const std::string& tag,
                      double gain,
                      const std::array<double, 3>& b,
                      double gear,
                      const std::optional<std::pair<double, double>>& forces) {
        const bool is_even = !forces || forces->first == -forces->second;
        if (forces && is_even) actuator.limit = std::abs(gear) * forces->second;
        // kp (u - l) - kv l' is a servo on u / gear
        if (tag == "position" && is_even && gear != 0.0) {
            actuator.kind = Actuator::Kind::servo;
            actuator.effort = gear == 1.0 ? "${@}" : fmt::format("${{@/{}}}", gear);
            actuator.kp = gain * gear * gear;
            actuator.kd = -b[2] * gear * gear;
        } else if (tag == "damper") {
            actuator.effort = fmt::format("-${{{}*@}}*rate", gear * gear * gain);
        } else {
            const double k = gear * gain;
            actuator.effort = k == 1.0 ? "${@}" : fmt::format("${{{}*@}}", k);
            const auto add = [&](double factor, const char* what) {
                if (factor != 0.0)
                    actuator.effort +=
                        fmt::format(" {} {}{}", factor < 0.0 ? '-' : '+', std::abs(factor), what);
            };
            add(gear * b[0], "");
            add(gear * gear * b[1], "*value");
            add(gear * gear * b[2], "*rate");
        }
        if (!is_even) {
            const double low = gear * forces->first, high = gear * forces->second;
            actuator.effort = fmt::format(
                "min(max({}, {}), {})", actuator.effort, std::min(low, high), std::max(low, high));
        }
        robot_.actuators.push_back(actuator);
    }
    // --- start

    void read_keyframe(pugi::xml_node section) {
        source_.account(section, {.children = "key include"});
        const std::vector<pugi::xml_node> keys = defaults_.elements(section, "key");
        if (keys.empty()) return;
        const pugi::xml_node key = keys.front();
        source_.account(key,
                        {.attributes = "name qpos qvel ctrl", .silent = "time act mpos mquat"});
        findings_.note(fmt::format("the start is keyframe \"{}\"{}",
                                   printable(key.attribute("name").value()),
                                   keys.size() > 1 ? "; others are not kept" : ""),
                       source_.place(key));
        std::size_t num_q = 0, num_v = 0;
        for (const auto& [joint, count] : slots_) {
            num_q += static_cast<std::size_t>(count);
            num_v += static_cast<std::size_t>(count == 7 ? 6 : count == 4 ? 3 : 1);
        }
        const auto q = source_.numbers(key, "qpos", num_q), v = source_.numbers(key, "qvel", num_v);
        if (q && first_loop_.known())
            findings_.no_counterpart(source_.place(key),
                                     "a keyframe of a model with closed loops",
                                     "delete it: the start is that of the file");
        std::size_t at_q = 0, at_v = 0;
        for (const auto& [number, count] : slots_) {
            Joint& joint = robot_.joints[number];
            Link& link = robot_.links[joint.child];
            const auto vec = [](const std::vector<double>& x, std::size_t i) {
                return Vec3(x[i], x[i + 1], x[i + 2]);
            };
            if (q && !first_loop_.known()) {
                if (count == 1) joint.start = (*q)[at_q];
                if (count == 7)
                    joint.on_parent = {quaternion(key, "qpos", std::span(*q).subspan(at_q + 3)),
                                       vec(*q, at_q)};
                if (count == 4)
                    joint.on_child.R =
                        quaternion(key, "qpos", std::span(*q).subspan(at_q)).transpose();
            }
            if (v) {
                if (count == 1) joint.start_rate = (*v)[at_v];
                if (count == 7) {
                    link.velocity = vec(*v, at_v);
                    link.spin = vec(*v, at_v + 3);
                }
                if (count == 4 && vec(*v, at_v) != Vec3::Zero())
                    findings_.no_counterpart(
                        source_.place(key), "a spin of a ball at the start", "delete it from qvel");
            }
            at_q += static_cast<std::size_t>(count);
            at_v += static_cast<std::size_t>(count == 7 ? 6 : count == 4 ? 3 : 1);
        }
        if (const auto u = source_.numbers(key, "ctrl", controls_.size()))
            for (Actuator& actuator : robot_.actuators)
                for (std::size_t i = 0; i < controls_.size(); ++i)
                    if (robot_.actuators[controls_[i]].control == actuator.control)
                        actuator.start = (*u)[i];
    }

    pugi::xml_node root_;
    XmlSource& source_;
    Findings& findings_;
    MjcfDefaults defaults_;
    Robot robot_;

    bool in_degrees_ = true, autolimits_ = true, balance_ = false, strip_ = false;
    std::string sequence_ = "xyz", from_geoms_ = "auto";
    std::filesystem::path mesh_folder_;
    double least_mass_ = 0.0, least_inertia_ = 0.0, total_mass_ = -1.0;
    double first_group_ = 0.0, last_group_ = 5.0;

    std::map<std::string, Mesh> meshes_;
    std::map<std::string, std::vector<double>> materials_;
    std::map<std::string, int> bodies_, joints_;
    std::map<int, Pose> worlds_;
    std::map<int, std::vector<std::pair<Shape, bool>>> shapes_of_;  ///< and whether it is hidden
    std::map<std::string, Site> sites_;
    std::map<std::string, Tendon> tendons_;
    std::vector<std::pair<int, int>> slots_;  ///< joints and how many numbers of qpos they have
    std::vector<int> controls_;               ///< the first actuator of each control
    Place first_loop_;
};

}  // namespace

Robot read_mjcf(pugi::xml_node root, XmlSource& source) {
    return MjcfReader(root, source).read();
}

}  // namespace ancora::robot
