// SPDX-License-Identifier: BSD-3-Clause
#include "manifest_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "ancora/framework/printable.hpp"
#include "names.hpp"
#include "reduction.hpp"
#include "turns.hpp"

namespace ancora::robot {
namespace {

namespace fs = std::filesystem;

// Beside the largest entry of a vector or tensor: what a few roundings leave.
constexpr double kRounded = 1e-15;
// Of directions: rounding of a few products.
constexpr double kRounding = 4e-15;

/// With as few digits as tell it to rounding beside `scale`.
std::string text(double x, double scale) {
    if (std::abs(x) <= kRounded * scale && std::abs(x) < scale) return "0.0";
    std::string out = "0";
    for (int digits = 1; digits <= 17; ++digits) {
        const double near = std::strtod(fmt::format("{:.{}e}", x, digits - 1).c_str(), nullptr);
        out = fmt::format("{}", near);
        if (std::abs(near - x) <= kRounded * scale) break;
    }
    if (out.find_first_of(".e") == std::string::npos) out += ".0";
    return out;
}
std::string text(double x) {
    return x == 0.0 ? "0.0" : text(x, std::abs(x));
}

std::string text(const Vec3& x, double scale) {
    return fmt::format("[{}, {}, {}]", text(x(0), scale), text(x(1), scale), text(x(2), scale));
}
std::string text(const Vec3& x) {
    return text(x, x.cwiseAbs().maxCoeff());
}

/// In quotes, as TOML has it.
std::string in_toml(const std::string& string) {
    if (!is_utf8(string)) return in_toml(printable(string));
    std::string out = "\"";
    for (const char c : string) {
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            out += c;
    }
    return out + '"';
}

/// What may stand behind `#`.
std::string comment(const std::string& string) {
    return printable(string);
}

/// In an expression - is a minus.
std::string without_minus(std::string name) {
    std::ranges::replace(name, '-', '_');
    return name;
}

bool is_identity(const Mat3& R) {
    return (R - Mat3::Identity()).cwiseAbs().maxCoeff() <= kRounding;
}

/// Degrees where they are a whole number, else radians.
std::string angle_text(double angle) {
    const double degrees = angle * 180.0 / std::numbers::pi;
    const double whole = std::round(degrees);
    if (std::abs(degrees - whole) <= kRounding * 180.0)
        return fmt::format("\"{:g} deg\"", whole + 0.0);
    return text(angle);
}

bool is_nice(const Vec3& axis) {
    return (axis.cwiseAbs().maxCoeff() >= 1.0 - kRounding);
}

/// A direction along a coordinate axis without what rounding has left.
Vec3 clean(const Vec3& axis) {
    if (!is_nice(axis)) return axis;
    Vec3 out = Vec3::Zero();
    int largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    out(largest) = axis(largest) > 0.0 ? 1.0 : -1.0;
    return out;
}

/// The value of `orientation`.
std::string orientation_text(const Mat3& R) {
    const Eigen::AngleAxisd turn{Eigen::Quaterniond(R)};
    if (is_nice(turn.axis()))
        return fmt::format(
            "{{ axis = {}, angle = {} }}", text(clean(turn.axis())), angle_text(turn.angle()));
    if (is_nice(R.col(0)) || is_nice(R.col(2)))
        return fmt::format("{{ x = {}, z = {} }}", text(clean(R.col(0))), text(clean(R.col(2))));
    const double pitch = std::asin(std::clamp(-R(2, 0), -1.0, 1.0));
    const double yaw = std::atan2(R(1, 0), R(0, 0)), roll = std::atan2(R(2, 1), R(2, 2));
    // By angles where they tell it to rounding, as they do but near a pitch of 90 degrees
    const Mat3 again =
        detail::turn_about(2, yaw) * detail::turn_about(1, pitch) * detail::turn_about(0, roll);
    if ((again - R).cwiseAbs().maxCoeff() <= kRounding)
        return fmt::format("{{ sequence = \"zyx\", angles = [{}, {}, {}] }}",
                           angle_text(yaw),
                           angle_text(pitch),
                           angle_text(roll));
    return fmt::format("{{ x = {}, z = {} }}", text(Vec3(R.col(0))), text(Vec3(R.col(2))));
}

/// ", position = ..., orientation = ..." of what is not zero.
std::string pose_keys(const Pose& pose, bool by_axis) {
    std::string out;
    if (pose.x != Vec3::Zero()) out += fmt::format(", position = {}", text(pose.x));
    if (is_identity(pose.R)) return out;
    const Vec3 axis = clean(pose.R.col(2));
    if (by_axis && (frame_about(axis) - pose.R).cwiseAbs().maxCoeff() <= kRounding)
        return out + fmt::format(", axis = {}", text(axis));
    return out + fmt::format(", orientation = {}", orientation_text(pose.R));
}

const char* type_of(JointKind kind) {
    switch (kind) {
        case JointKind::fixed:
            return "fixed";
        case JointKind::revolute:
            return "revolute";
        case JointKind::prismatic:
            return "prismatic";
        case JointKind::cylindrical:
            return "cylindrical";
        case JointKind::spherical:
            return "spherical";
        case JointKind::universal:
            return "universal";
        case JointKind::planar:
            return "planar";
        case JointKind::screw:
            return "screw";
        case JointKind::free:
            break;
    }
    return "";
}

/// The axes of a cross in its child, seen from those in its parent at angles of zero.
Mat3 cross_of_child() {
    Mat3 R;
    R << Vec3::UnitZ(), -Vec3::UnitY(), Vec3::UnitX();
    return R;
}

class Writer {
public:
    Writer(const Robot& robot, const fs::path& manifest)
        : robot_(robot),
          folder_(manifest.parent_path()),
          home_(home_poses(robot)),
          own_meshes_(own_mesh_names(robot, manifest)) {
        // What a joint does not place lies where its body says, as must all bodies before it
        for (const Joint& joint : robot.joints)
            needs_positions_ |= joint.is_loop || joint.kind == JointKind::spherical ||
                                joint.kind == JointKind::planar;
        for (const Link& link : robot.links) links_.push_back(names_.unique(link.name, "link"));
        for (const Joint& joint : robot.joints)
            joints_.push_back(names_.unique(joint.name, "joint"));
        is_carried_.assign(robot.links.size(), false);
        for (const Joint& joint : robot.joints) {
            if (joint.is_loop || joint.child == kGround) continue;
            is_carried_[joint.child] = joint.parent != kGround;
        }
        find_carried();
        name_frames();
    }

    std::string write(std::span<const std::string> remarks) {
        head(remarks);
        parameters();
        for (std::size_t i = 0; i < robot_.links.size(); ++i) body(i);
        for (std::size_t j = 0; j < robot_.joints.size(); ++j) joint(j);
        for (const Coupler& coupler : robot_.couplers) this->coupler(coupler);
        for (const Line& line : robot_.lines) spring(line);
        for (const Cord& cord : robot_.cords) rope(cord);
        for (const Actuator& actuator : robot_.actuators) this->actuator(actuator);
        tail();
        return std::move(out_);
    }

private:
    void line(const std::string& string) { out_ += string + '\n'; }
    void line(const std::string& string, const std::string& remark) {
        constexpr std::size_t kColumn = 36;
        if (remark.empty()) return line(string);
        std::string padded = string;
        if (padded.size() < kColumn) padded.resize(kColumn, ' ');
        line(fmt::format("{} # {}", padded, comment(remark)));
    }

    /// What hangs on a body by a joint without rates, such as a ball, starts with it.
    void find_carried() {
        velocity_from_.assign(robot_.links.size(), -1);
        std::vector<const Joint*> carrier(robot_.links.size(), nullptr);
        for (const Joint& joint : robot_.joints)
            if (!joint.is_loop && joint.child != kGround) carrier[joint.child] = &joint;
        const auto moves = [&](int link) {
            for (; link != kGround; link = carrier[link] ? carrier[link]->parent : kGround) {
                const Link& at = robot_.links[link];
                if (at.velocity != Vec3::Zero() || at.spin != Vec3::Zero() ||
                    (carrier[link] != nullptr && carrier[link]->start_rate != 0.0))
                    return true;
            }
            return false;
        };
        for (std::size_t i = 0; i < carrier.size(); ++i)
            if (carrier[i] != nullptr &&
                (carrier[i]->kind == JointKind::spherical || carrier[i]->kind == JointKind::planar))
                if (moves(carrier[i]->parent)) velocity_from_[i] = carrier[i]->parent;
    }

    /// Each joint has a frame of its name on both sides.
    void name_frames() {
        frames_.resize(robot_.links.size());
        Names none;
        for (const char* const component : {"x", "y", "z"}) none.reserve(component);
        std::vector<Names> names(robot_.links.size(), none);
        const auto add = [&](int link,
                             const std::string& name,
                             const Pose& pose,
                             const std::string& remark,
                             bool by_axis) {
            const std::string unique = names[link].unique(name, "frame");
            frames_[link].push_back({unique, pose, remark, by_axis});
            return unique;
        };
        for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
            const Joint& joint = robot_.joints[j];
            const bool needs_frames =
                joint.parent != kGround ||
                (joint.kind != JointKind::fixed && joint.kind != JointKind::universal);
            std::string a, b;
            if (needs_frames && joint.parent != kGround)
                a = add(joint.parent, joints_[j], joint.on_parent, "", true);
            // The second axis of a cross is the z axis of its other side
            Pose on_child = joint.on_child;
            if (joint.kind == JointKind::universal) on_child.R = on_child.R * cross_of_child();
            if (needs_frames && joint.child != kGround)
                b = add(joint.child, joints_[j], on_child, "", true);
            sides_.emplace_back(a, b);
        }
        for (std::size_t i = 0; i < robot_.links.size(); ++i)
            for (const Frame& frame : robot_.links[i].frames)
                add(static_cast<int>(i), frame.name, frame.pose, frame.remark, false);
    }

    void head(std::span<const std::string> remarks) {
        line(fmt::format("# {}, imported from {} ({}) by ancora import.",
                         comment(robot_.name.empty() ? "A robot" : robot_.name),
                         comment(robot_.file.filename().string()),
                         robot_.format));
        for (const std::string& remark : remarks) line("#   " + comment(remark));
        line("\n[model]");
        line(fmt::format("name = {}",
                         in_toml(robot_.name.empty() ? robot_.file.stem().string() : robot_.name)));
        line(fmt::format("gravity = {}", text(robot_.gravity)), robot_.gravity_remark);
    }

    void parameters() {
        if (robot_.actuators.empty()) return;
        line("");
        line("[parameters]", "what drives the actuators");
        for (const Actuator& actuator : robot_.actuators) {
            if (controls_.contains(actuator.control)) continue;
            const std::string& name = controls_[actuator.control] =
                control_names_.unique(without_minus(actuator.control), "control");
            line(fmt::format("{} = {}", name, text(actuator.start)), actuator.remark);
        }
    }

    // --- bodies

    void body(std::size_t i) {
        const Link& link = robot_.links[i];
        line("\n[[body]]");
        line(fmt::format("name = {}", in_toml(links_[i])),
             links_[i] == link.name ? "" : fmt::format("\"{}\" in the source", link.name));
        line("type = \"ancf_rigid_body\"");
        const Inertial inertial = link.inertial.value_or(Inertial());
        line(fmt::format("mass = {}", text(inertial.mass)), link.remark);
        if (inertial.center != Vec3::Zero())
            line(fmt::format("center_of_mass = {}", text(inertial.center)));
        line(fmt::format("inertia = {}", inertia_text(inertial.inertia)));
        if (!is_carried_[i] || needs_positions_) {
            const Pose& at = home_[i];
            if (at.x != Vec3::Zero()) line(fmt::format("position = {}", text(at.x)));
            if (!is_identity(at.R)) line(fmt::format("orientation = {}", orientation_text(at.R)));
        }
        if (velocity_from_[i] >= 0)
            line(fmt::format("velocity_from = {}", in_toml(links_[velocity_from_[i]])));
        if (link.velocity != Vec3::Zero()) line(fmt::format("velocity = {}", text(link.velocity)));
        if (link.spin != Vec3::Zero()) line(fmt::format("angular_velocity = {}", text(link.spin)));
        frames(i);
        shapes(link);
    }

    static std::string inertia_text(const Mat3& J) {
        const Vec3 diagonal = J.diagonal();
        const Mat3 rest = J - Mat3(diagonal.asDiagonal());
        const double largest = J.cwiseAbs().maxCoeff();
        if (rest.cwiseAbs().maxCoeff() <= kRounded * largest) return text(diagonal, largest);
        const Mat3 even = 0.5 * (J + J.transpose());
        const auto row = [&](int i) {
            return text(Vec3(even.row(i)), largest);
        };
        return fmt::format("[{}, {}, {}]", row(0), row(1), row(2));
    }

    struct NamedFrame {
        std::string name;
        Pose pose;
        std::string remark;
        bool by_axis;
    };

    void frames(std::size_t i) {
        const auto& frames = frames_[i];
        if (frames.empty()) return;
        const auto entry = [](const NamedFrame& frame) {
            return fmt::format(
                "{{ name = {}{} }}", in_toml(frame.name), pose_keys(frame.pose, frame.by_axis));
        };
        if (frames.size() == 1)
            return line(fmt::format("frame = [{}]", entry(frames[0])), frames[0].remark);
        line("frame = [");
        for (const NamedFrame& frame : frames)
            line(fmt::format("    {},", entry(frame)), frame.remark);
        line("]");
    }

    void shapes(const Link& link) {
        if (link.shapes.empty()) return;
        if (link.shapes.size() == 1)
            return line(fmt::format("shape = {}", shape_text(link.shapes[0])));
        line("shape = [");
        for (const Shape& shape : link.shapes) line(fmt::format("    {},", shape_text(shape)));
        line("]");
    }

    std::string shape_text(const Shape& shape) const {
        std::string what;
        switch (shape.kind) {
            case Shape::Kind::box:
                what = fmt::format("box = {}", text(shape.size));
                break;
            case Shape::Kind::sphere:
                what = fmt::format("sphere = {}", text(shape.size(0)));
                break;
            case Shape::Kind::cylinder:
            case Shape::Kind::capsule: {
                // Between points, the placement within
                const Vec3 half = 0.5 * shape.size(1) * shape.pose.R.col(2);
                what = fmt::format("{} = {{ radius = {}, from = {}, to = {} }}",
                                   shape.kind == Shape::Kind::cylinder ? "cylinder" : "capsule",
                                   text(shape.size(0)),
                                   text(Vec3(shape.pose.x - half)),
                                   text(Vec3(shape.pose.x + half)));
                return fmt::format("{{ {}{} }}", what, color_keys(shape));
            }
            case Shape::Kind::mesh:
                what = fmt::format("mesh = {}", in_toml(mesh_of(shape)));
                if (shape.scale != Vec3::Ones())
                    what += shape.scale == Vec3::Constant(shape.scale(0))
                                ? fmt::format(", scale = {}", text(shape.scale(0)))
                                : fmt::format(", scale = {}", text(shape.scale));
                break;
        }
        return fmt::format("{{ {}{}{} }}", what, pose_keys(shape.pose, false), color_keys(shape));
    }

    static std::string color_keys(const Shape& shape) {
        std::string out;
        if (shape.color) {
            const auto byte = [&](int i) {
                return static_cast<int>(std::lround(255.0 * (*shape.color)(i)));
            };
            out += fmt::format(", color = \"#{:02x}{:02x}{:02x}\"", byte(0), byte(1), byte(2));
        }
        if (shape.opacity > 0.0 && shape.opacity < 1.0)
            out += fmt::format(", opacity = {}", text(shape.opacity));
        if (!(shape.opacity > 0.0)) out += ", hidden = true";
        return out;
    }

    std::string mesh_of(const Shape& shape) const {
        return shape.own >= 0 ? own_meshes_[shape.own] : mesh_path(shape.file);
    }
    std::string mesh_path(const fs::path& file) const {
        std::error_code ignored;
        const fs::path here = fs::absolute(folder_.empty() ? fs::path(".") : folder_, ignored);
        return fs::absolute(file, ignored)
            .lexically_normal()
            .lexically_proximate(here.lexically_normal())
            .generic_string();
    }

    // --- joints

    std::string side(int link, const std::string& frame, const Pose& pose) const {
        if (link == kGround) return fmt::format("ground@{}", text(pose.x));
        return frame.empty() ? links_[link] : fmt::format("{}.{}", links_[link], frame);
    }

    void joint(std::size_t j) {
        const Joint& joint = robot_.joints[j];
        const std::string unit = joint.kind == JointKind::prismatic ? "m" : "rad";
        line("\n[[joint]]");
        line(fmt::format("name = {}", in_toml(joints_[j])),
             joints_[j] == joint.name ? "" : fmt::format("\"{}\" in the source", joint.name));
        line(fmt::format("type = \"{}\"", type_of(joint.kind)), joint.remark);
        line(fmt::format("a = {}", in_toml(side(joint.parent, sides_[j].first, joint.on_parent))));
        line(fmt::format("b = {}", in_toml(side(joint.child, sides_[j].second, joint.on_child))));
        if (joint.kind == JointKind::screw)
            line(fmt::format("pitch = {}", text(joint.pitch)), "m per turn");
        const std::string measure = measure_of(joint.kind);
        if (!measure.empty() && !joint.is_loop) {
            const std::string value =
                unit == "m" || joint.start == 0.0 ? text(joint.start) : angle_text(joint.start);
            const std::string remark = value.front() == '"' ? "" : unit;
            if (joint.start_rate != 0.0)
                line(fmt::format("start = {{ {0} = {1}, {0}_rate = {2} }}",
                                 measure,
                                 value,
                                 text(joint.start_rate)));
            else
                line(fmt::format("start = {}", value), remark);
        }
        if (joint.kind == JointKind::universal && joint.parent == kGround) {
            line(fmt::format("axis_a = {}", text(clean(joint.on_parent.R.col(2)))));
            line(fmt::format("axis_b = {}", text(clean(joint.on_parent.R.col(0)))));
        }
        if (joint.kind == JointKind::universal && !joint.is_loop)
            line("start = { angle_a = 0.0, angle_b = 0.0 }", "rad");
        limits(joint, unit);
        if (joint.spring)
            line(fmt::format("spring = {{ stiffness = {}, free = {} }}",
                             text(joint.spring->stiffness),
                             unit == "m" || joint.spring->free == 0.0
                                 ? text(joint.spring->free)
                                 : angle_text(joint.spring->free)));
        if (joint.damping != 0.0) line(fmt::format("damping = {}", text(joint.damping)));
        if (joint.friction != 0.0)
            line(fmt::format("friction = {{ effort = {} }}", text(joint.friction)),
                 "dry, whatever the load");
        if (joint.held) line(fmt::format("drive = {}", text(*joint.held)));
        if (joint.armature != 0.0) line(fmt::format("rotor = {}", text(joint.armature)));
        if (joint.ball_damping != Vec3::Zero()) damped_ball(j);
    }

    /// A ball joint has no laws inside: a bushing that only damps stands beside it.
    void damped_ball(std::size_t j) {
        const Joint& joint = robot_.joints[j];
        line("\n[[joint]]");
        line(fmt::format("name = {}", in_toml(names_.unique(joints_[j] + "_damping", "joint"))));
        line("type = \"bushing\"", "damping alone, beside " + joints_[j]);
        line(fmt::format("a = {}", in_toml(side(joint.parent, sides_[j].first, joint.on_parent))));
        line(fmt::format("b = {}", in_toml(side(joint.child, sides_[j].second, joint.on_child))));
        line("stiffness = [0.0, 0.0, 0.0]");
        line(fmt::format("torsional_damping = {}", text(joint.ball_damping)));
    }

    /// Stops; what they cannot be for this joint stays a comment.
    void limits(const Joint& joint, const std::string& unit) {
        const Limits& limits = joint.limits;
        std::string keys;
        const auto add = [&](const char* key, double value) {
            if (std::isfinite(value))
                keys += fmt::format("{}{} = {}",
                                    keys.empty() ? "" : ", ",
                                    key,
                                    unit == "m" || value == 0.0 ? text(value) : angle_text(value));
        };
        add("lower", limits.lower);
        add("upper", limits.upper);
        if (!keys.empty())
            line(fmt::format("{}limits = {{ {} }}", limits.is_remark ? "# " : "", keys));
        std::string most;
        if (std::isfinite(limits.effort) && limits.effort > 0.0)
            most += fmt::format("effort {:g} {}", limits.effort, unit == "m" ? "N" : "N m");
        if (std::isfinite(limits.rate) && limits.rate > 0.0)
            most += fmt::format("{}rate {:g} {}/s", most.empty() ? "" : ", ", limits.rate, unit);
        if (!most.empty()) line(fmt::format("# at most: {}", most));
    }

    // --- what acts

    void coupler(const Coupler& coupler) {
        std::string on, ratios;
        for (const Coupler::Term& term : coupler.terms) {
            on += fmt::format("{}\"{}.{}\"",
                              on.empty() ? "" : ", ",
                              joints_[term.joint],
                              measure_of(robot_.joints[term.joint].kind));
            ratios += fmt::format("{}{}", ratios.empty() ? "" : ", ", text(term.factor));
        }
        line("\n[[joint]]");
        line(fmt::format("name = {}", in_toml(names_.unique(coupler.name, "coupler"))));
        line("type = \"coupler\"", coupler.remark);
        line(fmt::format("on = [{}]", on));
        line(fmt::format("ratios = [{}]", ratios));
    }

    std::string point(int link, const Vec3& x) const {
        return in_toml(fmt::format("{}@{}", link == kGround ? "ground" : links_[link], text(x)));
    }
    void ends(const Line& between) {
        line(fmt::format("a = {}", point(between.a, between.on_a)));
        line(fmt::format("b = {}", point(between.b, between.on_b)));
    }

    void spring(const Line& between) {
        if (between.stiffness == 0.0 && between.damping == 0.0) return;
        line("\n[[force]]");
        line(fmt::format("name = {}", in_toml(names_.unique(between.name, "spring"))));
        line(between.stiffness != 0.0 ? "type = \"spring_damper\"" : "type = \"damper\"");
        ends(between);
        if (between.stiffness != 0.0) {
            line(fmt::format("stiffness = {}", text(between.stiffness)));
            if (between.free) line(fmt::format("free = {}", text(*between.free)));
        }
        if (between.damping != 0.0) line(fmt::format("damping = {}", text(between.damping)));
    }

    void rope(const Cord& cord) {
        line("\n[[constraint]]");
        line(fmt::format("name = {}", in_toml(names_.unique(cord.name, "rope"))));
        line("type = \"rope\"");
        std::string points;
        for (const auto& [link, x] : cord.points)
            points += (points.empty() ? "" : ", ") + point(link, x);
        line(fmt::format("points = [{}]", points));
        line(fmt::format("length = {}", text(cord.length)));
        if (cord.stiffness != 0.0) line(fmt::format("stiffness = {}", text(cord.stiffness)));
    }

    void actuator(const Actuator& actuator) {
        std::string formula;
        for (const char c : actuator.effort)
            formula += c == '@' ? controls_.at(actuator.control) : std::string(1, c);
        line("\n[[force]]");
        line(fmt::format("name = {}", in_toml(names_.unique(actuator.name, "actuator"))));
        line(fmt::format("type = \"{}\"",
                         actuator.kind == Actuator::Kind::motor ? "motor" : "servo"));
        if (actuator.line >= 0)
            ends(robot_.lines[actuator.line]);
        else
            line(fmt::format("on = \"{}.{}\"",
                             joints_[actuator.joint],
                             measure_of(robot_.joints[actuator.joint].kind)));
        if (actuator.kind == Actuator::Kind::servo) {
            line(fmt::format("target = {}", in_toml(formula)));
            line(fmt::format("kp = {}", text(actuator.kp)));
            if (actuator.kd != 0.0) line(fmt::format("kd = {}", text(actuator.kd)));
        } else {
            line(fmt::format("effort = {}", in_toml(formula)));
        }
        if (std::isfinite(actuator.limit)) line(fmt::format("limit = {}", text(actuator.limit)));
    }

    void tail() {
        line("\n[integrator]");
        line("type = \"emm\"");
        line(fmt::format("step = {}", text(robot_.step.value_or(1e-3))), "s");
        line("end = 1.0");
        line("\n[output]");
        line("every = 0.01");
    }

    const Robot& robot_;
    fs::path folder_;
    std::vector<Pose> home_;
    std::vector<std::string> own_meshes_;  ///< their files
    Names names_, control_names_;
    std::vector<std::string> links_, joints_;
    std::map<std::string, std::string> controls_;  ///< parameters by the controls' names
    std::vector<bool> is_carried_;
    std::vector<int> velocity_from_;  ///< the body that carries one along at the start, or -1
    std::vector<std::vector<NamedFrame>> frames_;
    std::vector<std::pair<std::string, std::string>> sides_;
    bool needs_positions_ = false;
    std::string out_;
};

}  // namespace

std::vector<std::string> own_mesh_names(const Robot& robot, const fs::path& manifest) {
    Names names;
    std::vector<std::string> out;
    for (const OwnMesh& mesh : robot.meshes)
        out.push_back(
            fmt::format("{}_{}.obj", manifest.stem().string(), names.unique(mesh.name, "mesh")));
    return out;
}

std::string manifest_text(const Robot& robot,
                          const fs::path& manifest,
                          std::span<const std::string> remarks) {
    return Writer(robot, manifest).write(remarks);
}

}  // namespace ancora::robot
