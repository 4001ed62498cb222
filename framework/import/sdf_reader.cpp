// SPDX-License-Identifier: BSD-3-Clause
// Reads SDF as libsdformat understands it, versions 1.4 to 1.12.
#include "sdf_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "mass_properties.hpp"
#include "mesh_files.hpp"
#include "names.hpp"
#include "reduction.hpp"
#include "sdf_frames.hpp"
#include "sdf_models.hpp"
#include "surface.hpp"
#include "turns.hpp"

namespace ancora::robot {
namespace {

constexpr TagRule kSdfPhysics{.attributes = "name type default",
                              .children = "max_step_size gravity",
                              .unused =
                                  "real_time_factor real_time_update_rate max_contacts ode "
                                  "bullet simbody dart dantzig"};
constexpr TagRule kSdfLink{
    .attributes = "name",
    .children = "pose inertial visual collision gravity kinematic velocity_decay",
    .unused =
        "sensor light self_collide enable_wind must_be_base_link projector audio_sink "
        "audio_source battery particle_emitter"};
constexpr TagRule kSdfInertial{
    .attributes = "auto",
    .children = "pose mass inertia density fluid_added_mass auto_inertia_params"};
constexpr TagRule kSdfInertia{.children = "ixx ixy ixz iyy iyz izz"};
constexpr TagRule kSdfVisual{.attributes = "name",
                             .children = "pose geometry material transparency visible",
                             .unused = "cast_shadows laser_retro meta plugin visibility_flags"};
constexpr TagRule kSdfCollision{.attributes = "name",
                                .children = "pose geometry density auto_inertia_params",
                                .unused = "surface laser_retro max_contacts"};
constexpr TagRule kSdfJoint{.attributes = "name type",
                            .children =
                                "pose parent child axis axis2 thread_pitch "
                                "screw_thread_pitch",
                            .unused = "physics sensor gearbox_ratio gearbox_reference_body"};
constexpr TagRule kSdfAxis{.children =
                               "xyz dynamics limit use_parent_model_frame mimic initial_position"};
constexpr TagRule kSdfDynamics{.children = "damping friction spring_stiffness spring_reference"};
constexpr TagRule kSdfLimit{.children = "lower upper effort velocity",
                            .unused = "stiffness dissipation"};

// Limits that Gazebo writes for none.
constexpr double kNoLimit = 1e15;
// How far from perpendicular two axes of a cross may be.
constexpr double kPerpendicular = 1e-9;

class SdfReader {
public:
    SdfReader(pugi::xml_node root, XmlSource& source)
        : root_(root),
          source_(source),
          findings_(source.findings()),
          frames_(source),
          models_(source, frames_) {}

    Robot read() {
        robot_.format = "SDF";
        robot_.file = source_.file(root_);
        robot_.gravity = {0.0, 0.0, -9.8};
        for (const pugi::xml_node world : root_.children("world")) read_world(world);
        models_.add_root(root_);
        if (models_.all().empty()) findings_.damaged(source_.place(root_), "<sdf> has no <model>");
        // Names first: poses refer to each other in any order
        for (const Model& model : models_.all()) read_links(model);
        if (robot_.links.empty() && !has_static_)
            findings_.damaged(source_.place(root_), "no <model> has a <link>");
        for (const Model& model : models_.all()) read_joints(model);
        for (const auto& [joint, axis] : mimics_) read_mimic(joint, axis);
        if (robot_.name.empty() && !models_.all().empty())
            robot_.name = models_.all().front().node.attribute("name").value();
        return std::move(robot_);
    }

private:
    using Model = SdfModels::Model;

    double text_number(pugi::xml_node node, double otherwise) const {
        if (!node) return otherwise;
        const auto found = source_.numbers(node, nullptr, 1);
        return found ? found->front() : otherwise;
    }
    Vec3 text_vector(pugi::xml_node node, const Vec3& otherwise) const {
        if (!node) return otherwise;
        const auto found = source_.numbers(node, nullptr, 3);
        return found ? Vec3((*found)[0], (*found)[1], (*found)[2]) : otherwise;
    }

    // --- worlds and models

    void read_world(pugi::xml_node world) {
        robot_.name = world.attribute("name").value();
        robot_.gravity = text_vector(world.child("gravity"), robot_.gravity);
        if (const pugi::xml_node physics = world.child("physics")) {
            source_.account(physics, kSdfPhysics);
            robot_.step = text_number(physics.child("max_step_size"), 1e-3);
            robot_.gravity = text_vector(physics.child("gravity"), robot_.gravity);
        }
        models_.add_world(world);
        for (const pugi::xml_node joint : world.children("joint"))
            findings_.no_counterpart(source_.place(joint),
                                     fmt::format("{} between models", in_words(joint)),
                                     "put both models into one");
    }

    /// Names as in the source, without that of the one model that there is.
    std::string name_of(const Model& model, pugi::xml_node node) const {
        const std::string whole = model.scope + node.attribute("name").value();
        const std::string& first = models_.all().front().scope;
        const bool is_one = std::ranges::all_of(models_.all(), [&](const Model& other) {
            return other.scope.starts_with(first);
        });
        return is_one ? whole.substr(first.size()) : whole;
    }

    // --- links

    void read_links(const Model& model) {
        if (model.is_static) {
            findings_.note("a static model is not part of this one", source_.place(model.node));
            has_static_ = true;
            for (const pugi::xml_node node : model.node.children("link"))
                links_[model.scope + node.attribute("name").value()] = kGround;
            return;
        }
        for (const pugi::xml_node node : model.node.children("link")) {
            source_.account(node, kSdfLink);
            const std::string whole = model.scope + node.attribute("name").value();
            Link link;
            link.name = name_of(model, node);
            link.place = source_.place(node);
            link.start = frames_.of(whole, node);
            links_[whole] = static_cast<int>(robot_.links.size());
            worlds_.push_back(link.start);
            if (node.child("gravity") && !source_.boolean(node.child("gravity"), nullptr, true))
                findings_.no_counterpart(link.place,
                                         fmt::format("{} without weight", in_words(node)),
                                         "delete <gravity>");
            if (node.child("kinematic") && source_.boolean(node.child("kinematic"), nullptr, false))
                findings_.no_counterpart(link.place,
                                         fmt::format("{} is kinematic", in_words(node)),
                                         "delete <kinematic>");
            for (const char* const kind : {"linear", "angular"})
                if (text_number(node.child("velocity_decay").child(kind), 0.0) != 0.0)
                    findings_.no_counterpart(source_.place(node.child("velocity_decay")),
                                             "<velocity_decay>",
                                             "delete it, and see the forces of type \"drag\"");
            read_shapes(node, model.scope, whole, link);
            read_inertial(node, model.scope, whole, link);
            robot_.links.push_back(std::move(link));
        }
    }

    /// The pose of a part of a link in that link.
    Pose in_link(pugi::xml_node node, const std::string& scope, const std::string& link) {
        return frames_.in_frame(node, scope, link, link);
    }

    void read_inertial(pugi::xml_node node,
                       const std::string& scope,
                       const std::string& whole,
                       Link& link) {
        const pugi::xml_node inertial = node.child("inertial");
        Inertial out;
        out.place = inertial ? source_.place(inertial) : link.place;
        if (!inertial) {
            // libsdformat's default
            out.mass = 1.0;
            out.inertia = Mat3::Identity();
            findings_.note("a link without <inertial> has 1 kg and 1 kg m^2, as SDF says",
                           link.place);
            link.inertial = out;
            return;
        }
        source_.account(inertial, kSdfInertial);
        if (inertial.child("fluid_added_mass"))
            findings_.no_counterpart(out.place, "<fluid_added_mass>", "delete it");
        if (source_.boolean(inertial, "auto", false))
            return weigh(node, inertial, scope, whole, link);
        out.mass = text_number(inertial.child("mass"), 1.0);
        if (out.mass < 0.0)
            source_.wrong(inertial.child("mass"), nullptr, "a mass is not negative");
        const pugi::xml_node inertia = inertial.child("inertia");
        if (inertia) source_.account(inertia, kSdfInertia);
        const auto entry = [&](const char* name, double otherwise) {
            return text_number(inertia.child(name), otherwise);
        };
        Mat3 J;
        const double xy = entry("ixy", 0.0), xz = entry("ixz", 0.0), yz = entry("iyz", 0.0);
        J << entry("ixx", 1.0), xy, xz, xy, entry("iyy", 1.0), yz, xz, yz, entry("izz", 1.0);
        const Pose at = in_link(inertial, scope, whole);
        out.center = at.x;
        out.inertia = at.R * J * at.R.transpose();
        link.inertial = out;
    }

    /// Mass of a link from the solids of its collisions.
    void weigh(pugi::xml_node node,
               pugi::xml_node inertial,
               const std::string& scope,
               const std::string& whole,
               Link& link) {
        const double density = text_number(inertial.child("density"), 1000.0);
        Inertial sum;
        sum.place = source_.place(inertial);
        for (const pugi::xml_node collision : node.children("collision")) {
            Shape shape;
            const auto solid = read_geometry(collision, shape);
            if (!solid) continue;
            const double own = text_number(collision.child("density"), density);
            sum = together(sum, times(*solid, own), in_link(collision, scope, whole));
        }
        if (!(sum.mass > 0.0))
            return source_.wrong(
                inertial, nullptr, "auto = true, and no <collision> encloses a volume");
        link.inertial = sum;
    }

    void read_shapes(pugi::xml_node node,
                     const std::string& scope,
                     const std::string& whole,
                     Link& link) {
        for (const pugi::xml_node collision : node.children("collision")) {
            source_.account(collision, kSdfCollision);
            findings_.note("<collision> is not part of the model: bodies pass through each other",
                           source_.place(collision));
        }
        const auto add = [&](pugi::xml_node of) -> Shape* {
            Shape shape;
            shape.pose = in_link(of, scope, whole);
            looks_only_ = true;
            const bool is_shown = read_geometry(of, shape).has_value();
            looks_only_ = false;
            if (!is_shown) return nullptr;
            link.shapes.push_back(shape);
            return &link.shapes.back();
        };
        for (const pugi::xml_node visual : node.children("visual")) {
            source_.account(visual, kSdfVisual);
            Shape* const shape = add(visual);
            if (shape == nullptr) continue;
            const pugi::xml_node color = visual.child("material").child("diffuse");
            if (color)
                if (const auto rgba = source_.numbers(color, nullptr, 0);
                    rgba && rgba->size() >= 3) {
                    shape->color =
                        Vec3((*rgba)[0], (*rgba)[1], (*rgba)[2]).cwiseMax(0.0).cwiseMin(1.0);
                    if (rgba->size() > 3) shape->opacity = (*rgba)[3];
                }
            shape->opacity *=
                1.0 - std::clamp(text_number(visual.child("transparency"), 0.0), 0.0, 1.0);
        }
        if (node.child("visual")) return;
        for (const pugi::xml_node collision : node.children("collision")) add(collision);
    }

    /// The solid of density 1 in axes of the shape, and what it looks like; nothing after a
    /// finding.
    std::optional<Inertial> read_geometry(pugi::xml_node node, Shape& shape) {
        const pugi::xml_node geometry = node.child("geometry");
        const auto length = [&](pugi::xml_node of, const char* name) {
            const double x = text_number(of.child(name), of.child(name) ? 1.0 : -1.0);
            if (!(x > 0.0))
                source_.wrong(of, nullptr, fmt::format("<{}> is missing or not positive", name));
            return x > 0.0 ? x : 1.0;
        };
        for (const pugi::xml_node solid : geometry.children()) {
            const std::string tag = solid.name();
            if (tag == "box") {
                shape.size = text_vector(solid.child("size"), Vec3::Ones());
                if (!(shape.size.minCoeff() > 0.0))
                    source_.wrong(solid, nullptr, "edges are positive");
                return of_box(shape.size);
            }
            if (tag == "sphere") {
                shape.kind = Shape::Kind::sphere;
                shape.size(0) = length(solid, "radius");
                return of_ellipsoid(Vec3::Constant(shape.size(0)));
            }
            if (tag == "cylinder" || tag == "capsule") {
                const bool is_capsule = tag == "capsule";
                shape.kind = is_capsule ? Shape::Kind::capsule : Shape::Kind::cylinder;
                shape.size = {length(solid, "radius"), length(solid, "length"), 0.0};
                return is_capsule ? of_capsule(shape.size(0), shape.size(1))
                                  : of_cylinder(shape.size(0), shape.size(1));
            }
            if (tag == "ellipsoid") {
                const Vec3 radii = text_vector(solid.child("radii"), Vec3::Ones());
                if (!(radii.minCoeff() > 0.0)) source_.wrong(solid, nullptr, "radii are positive");
                findings_.note("an ellipsoid is shown as a sphere of its volume",
                               source_.place(solid));
                shape.kind = Shape::Kind::sphere;
                shape.size(0) = std::cbrt(radii.cwiseMax(1e-9).prod());
                return of_ellipsoid(radii);
            }
            if (tag == "mesh") return read_mesh(solid, shape);
            if (tag == "plane" || tag == "heightmap" || tag == "image" || tag == "empty" ||
                tag == "polyline" || tag == "cone") {
                findings_.note(fmt::format("<{}> is not shown", tag), source_.place(solid));
                return std::nullopt;
            }
            findings_.no_counterpart(source_.place(solid),
                                     fmt::format("{} in <geometry> is not known", in_words(solid)),
                                     "correct or delete it");
            return std::nullopt;
        }
        source_.wrong(node, nullptr, "<geometry> is missing or names no shape");
        return std::nullopt;
    }

    std::optional<Inertial> read_mesh(pugi::xml_node node, Shape& shape) {
        source_.account(node,
                        {.attributes = "optimization",
                         .children = "uri scale",
                         .unused = "submesh convex_decomposition"});
        shape.kind = Shape::Kind::mesh;
        shape.scale = text_vector(node.child("scale"), Vec3::Ones());
        const std::string uri = text_of(node.child("uri"));
        if (uri.empty()) {
            source_.wrong(node, nullptr, "<uri> is missing");
            return std::nullopt;
        }
        if (!can_be_shown(uri)) {
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("mesh \"{}\": only STL, OBJ and glTF are read", printable(uri)),
                "convert it");
            return std::nullopt;
        }
        const auto found =
            find_mesh(uri, source_.file(node).parent_path(), source_.place(node), findings_);
        if (!found) return std::nullopt;
        shape.file = *found;
        if (looks_only_) return Inertial();
        try {
            return of_mesh(read_surface_file(*found), shape.scale);
        } catch (const Error& error) {
            findings_.damaged(error.place(), error.message());
            return std::nullopt;
        }
    }

    // --- joints

    /// The link that a name leads to, through frames that are attached to it.
    int link_of(pugi::xml_node joint, const char* side, const std::string& scope) {
        const pugi::xml_node node = joint.child(side);
        const std::string name = text_of(node);
        if (name.empty()) {
            source_.wrong(joint, nullptr, fmt::format("<{}> is missing", side));
            return kNone;
        }
        if (name == "world") return kGround;
        const std::string whole = models_.attached_to(frames_.resolve(scope, name));
        const auto found = links_.find(whole);
        if (found != links_.end()) return found->second;
        std::vector<std::string> names;
        for (const auto& [known, number] : links_)
            names.push_back(known.starts_with(scope) ? known.substr(scope.size()) : known);
        findings_.damaged(source_.place(node),
                          fmt::format("{}: there is no link \"{}\"{}",
                                      in_words(joint),
                                      printable(name),
                                      did_you_mean(name, names)));
        return kNone;
    }

    Pose world_of(int link) const { return link < 0 ? Pose() : worlds_[link]; }

    void read_joints(const Model& model) {
        if (model.is_static) return;
        for (const pugi::xml_node node : model.node.children("joint")) read_joint(node, model);
    }

    void read_joint(pugi::xml_node node, const Model& model) {
        source_.account(node, kSdfJoint);
        const std::string whole = model.scope + node.attribute("name").value();
        Joint joint;
        joint.name = name_of(model, node);
        joint.place = source_.place(node);
        joint.parent = link_of(node, "parent", model.scope);
        joint.child = link_of(node, "child", model.scope);
        const std::string type = source_.required(node, "type");
        if (joint.parent == kNone || joint.child == kNone || type.empty()) return;
        if (joint.parent == joint.child) return source_.wrong(node, nullptr, "both links are one");
        // The ground carries; the measure stays what it is by an axis that is turned round
        const bool is_turned = joint.child == kGround;
        if (is_turned) std::swap(joint.parent, joint.child);
        joint.is_loop = carried_.contains(joint.child);
        carried_.insert(joint.child);
        const Pose here = frames_.of(whole, node);
        const auto place = [&](Joint& to, const Mat3& axes) {
            const Pose at = here * Pose{axes, Vec3::Zero()};
            to.on_parent = world_of(to.parent).inverse() * at;
            to.on_child = world_of(to.child).inverse() * at;
        };
        const std::map<std::string, JointKind> kinds = {{"revolute", JointKind::revolute},
                                                        {"continuous", JointKind::revolute},
                                                        {"prismatic", JointKind::prismatic},
                                                        {"screw", JointKind::screw},
                                                        {"ball", JointKind::spherical},
                                                        {"fixed", JointKind::fixed}};
        const double sign = is_turned ? -1.0 : 1.0;
        if (type == "universal" || type == "revolute2") {
            if (!is_turned) return read_cross(node, model, joint, here);
            return findings_.no_counterpart(
                joint.place,
                fmt::format("{}: a cross whose child is the world", in_words(node)),
                "exchange parent and child, and both axes");
        }
        const auto kind = kinds.find(type);
        if (kind == kinds.end()) {
            if (type == "gearbox")
                return findings_.no_counterpart(joint.place,
                                                fmt::format("{}: a gearbox", in_words(node)),
                                                "see the constraint \"gear\"");
            std::vector<std::string> types{"universal", "revolute2", "gearbox"};
            for (const auto& [known, of] : kinds) types.push_back(known);
            return source_.wrong(node, "type", no_such_type(type, types));
        }
        joint.kind = kind->second;
        const bool has_axis = joint.kind != JointKind::spherical && joint.kind != JointKind::fixed;
        place(joint,
              has_axis ? frame_about(sign * axis_of(node, "axis", model, here))
                       : Mat3(Mat3::Identity()));
        if (has_axis) read_laws(node.child("axis"), type, joint);
        if (joint.kind == JointKind::screw) read_pitch(node, joint);
        joints_[whole] = static_cast<int>(robot_.joints.size());
        if (const pugi::xml_node mimic = node.child("axis").child("mimic"))
            mimics_.emplace_back(joints_[whole], mimic);
        robot_.joints.push_back(std::move(joint));
    }

    /// A cross of two axes, or where laws act on them or they are not perpendicular two hinges with
    /// a link between that has no mass.
    void read_cross(pugi::xml_node node, const Model& model, Joint joint, const Pose& here) {
        const Vec3 first = axis_of(node, "axis", model, here).normalized();
        const Vec3 second = axis_of(node, "axis2", model, here).normalized();
        Joint one = joint, two = joint;
        one.kind = two.kind = JointKind::revolute;
        read_laws(node.child("axis"), "revolute", one);
        read_laws(node.child("axis2"), "revolute", two);
        const auto has_laws = [](const Joint& of) {
            return of.damping != 0.0 || of.friction != 0.0 || of.spring;
        };
        const auto place = [&](Joint& to, const Mat3& axes) {
            to.on_parent = world_of(to.parent).inverse() * here * Pose{axes, Vec3::Zero()};
            to.on_child = world_of(to.child).inverse() * here * Pose{axes, Vec3::Zero()};
        };
        if (std::abs(first.dot(second)) <= kPerpendicular && !has_laws(one) && !has_laws(two)) {
            joint.kind = JointKind::universal;
            Mat3 axes;
            axes << second, first.cross(second), first;
            place(joint, axes);
            robot_.joints.push_back(joint);
            return;
        }
        Link cross;
        cross.name = joint.name + "_cross";
        cross.place = joint.place;
        cross.start = here;
        const int between = static_cast<int>(robot_.links.size());
        robot_.links.push_back(cross);
        worlds_.push_back(here);
        one.child = two.parent = between;
        two.name += "_2";
        place(one, frame_about(first));
        place(two, frame_about(second));
        robot_.joints.push_back(one);
        robot_.joints.push_back(two);
    }

    /// In axes of the joint.
    Vec3 axis_of(pugi::xml_node joint, const char* tag, const Model& model, const Pose& here) {
        const pugi::xml_node node = joint.child(tag);
        if (!node) {
            source_.wrong(joint, nullptr, fmt::format("<{}> is missing", tag));
            return Vec3::UnitZ();
        }
        source_.account(node, kSdfAxis);
        const pugi::xml_node xyz = node.child("xyz");
        Vec3 axis = text_vector(xyz, Vec3::UnitZ());
        if (!(axis.norm() > 0.0)) {
            source_.wrong(xyz, nullptr, "an axis has a length");
            axis = Vec3::UnitZ();
        }
        std::string base = xyz.attribute("expressed_in").value();
        // Until SDF 1.6
        if (source_.boolean(node.child("use_parent_model_frame"), nullptr, false))
            base = "__model__";
        if (base.empty()) return axis;
        return here.R.transpose() * frames_.of(frames_.resolve(model.scope, base), node).R * axis;
    }

    void read_laws(pugi::xml_node axis, const std::string& type, Joint& joint) {
        const pugi::xml_node dynamics = axis.child("dynamics"), limit = axis.child("limit");
        if (dynamics) {
            source_.account(dynamics, kSdfDynamics);
            joint.damping = text_number(dynamics.child("damping"), 0.0);
            joint.friction = text_number(dynamics.child("friction"), 0.0);
            for (const char* const key : {"damping", "friction", "spring_stiffness"})
                if (text_number(dynamics.child(key), 0.0) < 0.0)
                    source_.wrong(
                        dynamics.child(key), nullptr, "is negative: it would drive the joint");
            if (const double k = text_number(dynamics.child("spring_stiffness"), 0.0); k > 0.0)
                joint.spring = Spring{k, text_number(dynamics.child("spring_reference"), 0.0)};
        }
        if (!limit) return;
        source_.account(limit, kSdfLimit);
        const auto bound = [&](const char* name) {
            const double x =
                text_number(limit.child(name), std::numeric_limits<double>::infinity());
            return std::abs(x) < kNoLimit ? std::optional(x) : std::nullopt;
        };
        if (type != "continuous") {
            if (const auto x = bound("lower")) joint.limits.lower = *x;
            if (const auto x = bound("upper")) joint.limits.upper = *x;
            if (joint.limits.lower > joint.limits.upper)
                source_.wrong(limit, nullptr, "<lower> is above <upper>");
        }
        if (const auto x = bound("effort"); x && *x > 0.0) joint.limits.effort = *x;
        if (const auto x = bound("velocity"); x && *x > 0.0) joint.limits.rate = *x;
    }

    void read_pitch(pugi::xml_node node, Joint& joint) {
        if (const pugi::xml_node pitch = node.child("screw_thread_pitch")) {
            joint.pitch = text_number(pitch, 1.0);
        } else {
            // The older key counts radians per metre, the other way round
            const double turns = text_number(node.child("thread_pitch"), 1.0);
            joint.pitch = -2.0 * std::numbers::pi / turns;
        }
        if (!(std::abs(joint.pitch) > 0.0) || !std::isfinite(joint.pitch))
            source_.wrong(node, nullptr, "a screw has a pitch");
    }

    void read_mimic(int joint, pugi::xml_node node) {
        const std::string leader = source_.required(node, "joint");
        source_.account(node,
                        {.attributes = "joint axis", .children = "multiplier offset reference"});
        const std::string& own = robot_.joints[joint].name;
        int found = kNone;
        std::vector<std::string> names;
        // The leader is named as in the joint's own model.
        std::string scope;
        for (const auto& [whole, number] : joints_)
            if (number == joint && whole.find("::") != std::string::npos)
                scope = whole.substr(0, whole.rfind("::") + 2);
        for (const auto& [whole, number] : joints_) {
            if (number == joint) continue;
            names.push_back(robot_.joints[number].name);
            if (whole == scope + leader) found = number;
        }
        if (found == kNone)
            return source_.wrong(node,
                                 "joint",
                                 fmt::format("there is no other joint \"{}\"{}",
                                             printable(leader),
                                             did_you_mean(leader, names)));
        const double k = text_number(node.child("multiplier"), 1.0);
        robot_.couplers.push_back({own + "_mimic",
                                   {{found, k}, {joint, -1.0}},
                                   fmt::format("{} follows {}", own, leader)});
        robot_.joints[joint].start =
            text_number(node.child("offset"), 0.0) +
            k * (robot_.joints[found].start - text_number(node.child("reference"), 0.0));
    }

    static constexpr int kNone = -2;

    pugi::xml_node root_;
    XmlSource& source_;
    Findings& findings_;
    SdfFrames frames_;
    SdfModels models_;
    Robot robot_;
    std::map<std::string, int> links_, joints_;
    std::vector<Pose> worlds_;
    std::set<int> carried_;
    std::vector<std::pair<int, pugi::xml_node>> mimics_;
    bool has_static_ = false, looks_only_ = false;
};

}  // namespace

Robot read_sdf(pugi::xml_node root, XmlSource& source) {
    return SdfReader(root, source).read();
}

}  // namespace ancora::robot
