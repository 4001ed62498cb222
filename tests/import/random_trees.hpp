// SPDX-License-Identifier: BSD-3-Clause
// Random trees, and the same tree as URDF, MJCF and SDF.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include <fmt/format.h>

#include "reference_tree.hpp"

namespace ancora::testing {

class RandomTrees {
public:
    explicit RandomTrees(unsigned seed) : random_(seed) {}

    double number(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random_);
    }
    int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool chance(double p) { return number(0.0, 1.0) < p; }
    Vector3d vector(double size) {
        return {number(-size, size), number(-size, size), number(-size, size)};
    }
    Matrix3d rotation() {
        // Often that of a drawing, else any
        if (chance(0.3)) return Matrix3d::Identity();
        const double quarter = 0.5 * std::numbers::pi;
        if (chance(0.4))
            return Eigen::AngleAxisd(whole(-1, 2) * quarter, Vector3d::Unit(whole(0, 2)))
                .toRotationMatrix();
        return Eigen::Quaterniond(number(-1, 1), number(-1, 1), number(-1, 1), number(-1, 1))
            .normalized()
            .toRotationMatrix();
    }
    Vector3d axis() {
        if (chance(0.6)) return Vector3d::Unit(whole(0, 2)) * (chance(0.5) ? 1.0 : -1.0);
        Vector3d x = vector(1.0);
        x(whole(0, 2)) = 1.0;
        return x;
    }
    /// A tensor that a body may have: of eight points of mass.
    void weigh(TreeBody& body) {
        body.mass = number(0.2, 5.0);
        body.center = vector(0.2);
        Matrix3d P = Matrix3d::Zero();
        for (int k = 0; k < 8; ++k) {
            const Vector3d r = vector(0.2);
            P += body.mass / 8.0 * r * r.transpose();
        }
        body.inertia = P.trace() * Matrix3d::Identity() - P;
    }

    /// @param with_connectors  also links without mass between joints, as MJCF has them where a
    /// body
    ///                         has several joints
    ReferenceTree tree(bool with_connectors) {
        ReferenceTree tree;
        const int count = whole(3, 8);
        bool behind_connector = false;
        for (int i = 0; i < count; ++i) {
            TreeBody body;
            body.name = fmt::format("link_{}", i);
            body.joint_name = fmt::format("joint_{}", i);
            body.parent = i == 0 ? -1 : behind_connector ? i - 1 : whole(std::max(0, i - 3), i - 1);
            // What follows a connector is all that it carries
            while (body.parent > 0 && !behind_connector && tree.bodies[body.parent].mass == 0.0)
                --body.parent;
            body.joint = i == 0 || (!behind_connector && chance(0.15)) ? TreeBody::Joint::fixed
                         : chance(0.75)                                ? TreeBody::Joint::hinge
                                                                       : TreeBody::Joint::slide;
            if (!behind_connector) {
                body.R_home = rotation();
                body.p_home = vector(0.4);
            }
            if (i == 0) {
                body.R_home = Matrix3d::Identity();
                body.p_home = Vector3d::Zero();
            }
            body.axis = axis();
            if (behind_connector)  // across the joint before
                body.axis = tree.bodies.back().axis.unitOrthogonal() + 0.3 * vector(1.0);
            if (body.joint != TreeBody::Joint::fixed) {
                body.q = number(-1.0, 1.0);
                body.v = number(-2.0, 2.0);
                if (chance(0.4)) body.damping = number(0.0, 1.0);
                if (chance(0.3)) body.friction = number(0.0, 0.5);
            }
            const bool is_connector = with_connectors && i > 0 && i + 1 < count &&
                                      !behind_connector && chance(0.4) &&
                                      body.joint != TreeBody::Joint::fixed;
            if (!is_connector) weigh(body);
            behind_connector = is_connector;
            tree.bodies.push_back(body);
        }
        return tree;
    }

private:
    std::mt19937 random_;
};

inline std::string words(const Vector3d& x) {
    return fmt::format("{} {} {}", x(0), x(1), x(2));
}
/// Roll, pitch, yaw: R = Rz Ry Rx.
inline Vector3d roll_pitch_yaw(const Matrix3d& R) {
    const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
    if (std::hypot(R(0, 0), R(1, 0)) > 1e-6)
        return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
    // Upright: yaw alone
    return {0.0, pitch, std::atan2(-R(0, 1), R(1, 1))};
}

inline std::string urdf(const ReferenceTree& tree, RandomTrees& random) {
    std::string out = "<?xml version=\"1.0\"?>\n<robot name=\"fuzz\">\n";
    for (const TreeBody& b : tree.bodies) {
        out += fmt::format("  <link name=\"{}\">\n", b.name);
        if (b.mass > 0.0) {
            // In axes of its own
            const Matrix3d R = random.rotation();
            const Matrix3d J = R.transpose() * b.inertia * R;
            out += fmt::format(
                "    <inertial>\n      <origin xyz=\"{}\" rpy=\"{}\"/>\n      <mass "
                "value=\"{}\"/>\n"
                "      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" "
                "izz=\"{}\"/>\n"
                "    </inertial>\n",
                words(b.center),
                words(roll_pitch_yaw(R)),
                b.mass,
                J(0, 0),
                J(0, 1),
                J(0, 2),
                J(1, 1),
                J(1, 2),
                J(2, 2));
        }
        out += "  </link>\n";
    }
    for (const TreeBody& b : tree.bodies) {
        if (b.parent < 0) continue;
        const char* const type = b.joint == TreeBody::Joint::fixed   ? "fixed"
                                 : b.joint == TreeBody::Joint::slide ? "prismatic"
                                 : b.is_limited()                    ? "revolute"
                                                                     : "continuous";
        out += fmt::format(
            "  <joint name=\"{}\" type=\"{}\">\n    <parent link=\"{}\"/>\n    <child "
            "link=\"{}\"/>\n"
            "    <origin xyz=\"{}\" rpy=\"{}\"/>\n",
            b.joint_name,
            type,
            tree.bodies[b.parent].name,
            b.name,
            words(b.p_home),
            words(roll_pitch_yaw(b.R_home)));
        if (b.joint != TreeBody::Joint::fixed) {
            out += fmt::format("    <axis xyz=\"{}\"/>\n", words(b.axis));
            out += fmt::format(
                "    <dynamics damping=\"{}\" friction=\"{}\"/>\n", b.damping, b.friction);
        }
        if (b.joint == TreeBody::Joint::slide || b.is_limited())
            out +=
                fmt::format("    <limit lower=\"{}\" upper=\"{}\" effort=\"10\" velocity=\"1\"/>\n",
                            b.is_limited() ? b.lower : -2.0,
                            b.is_limited() ? b.upper : 2.0);
        out += "  </joint>\n";
    }
    return out + "</robot>\n";
}

/// Bodies in each other; a link without mass becomes a further joint of the one that follows.
class MjcfText {
public:
    MjcfText(const ReferenceTree& tree, RandomTrees& random) : tree_(tree), random_(random) {}

    std::string text() {
        out_ = "<mujoco model=\"fuzz\">\n  <compiler angle=\"radian\"/>\n  <worldbody>\n";
        for (int i = 0; i < static_cast<int>(tree_.bodies.size()); ++i)
            if (tree_.bodies[i].parent < 0) body(i);
        return out_ + "  </worldbody>\n</mujoco>\n";
    }

private:
    static std::string quat(const Matrix3d& R) {
        const Eigen::Quaterniond q(R);
        return fmt::format("{} {} {} {}", q.w(), q.x(), q.y(), q.z());
    }
    std::string orientation(const Matrix3d& R) {
        switch (random_.whole(0, 3)) {
            case 0:
                return fmt::format("quat=\"{}\"", quat(R));
            case 1:
                return fmt::format("xyaxes=\"{} {}\"", words(R.col(0)), words(R.col(1)));
            case 2: {
                const Eigen::AngleAxisd turn(R);
                return fmt::format("axisangle=\"{} {}\"", words(turn.axis()), turn.angle());
            }
            default: {
                // Each about the axes as turned: Rx Ry Rz is the transpose of Rz Ry Rx of the
                // inverse
                const Vector3d back = roll_pitch_yaw(R.transpose());
                return fmt::format("euler=\"{} {} {}\"", -back(0), -back(1), -back(2));
            }
        }
    }
    std::string joint(const TreeBody& b) const {
        return fmt::format(
            "<joint name=\"{}\" type=\"{}\" axis=\"{}\" damping=\"{}\" frictionloss=\"{}\" "
            "armature=\"{}\" stiffness=\"{}\" springref=\"{}\"{}/>\n",
            b.joint_name,
            b.joint == TreeBody::Joint::hinge ? "hinge" : "slide",
            words(b.axis),
            b.damping,
            b.friction,
            b.armature,
            b.stiffness,
            b.free,
            b.is_limited() ? fmt::format(" range=\"{} {}\"", b.lower, b.upper) : "");
    }
    void body(int i) {
        const int first = i;
        std::string joints;
        if (tree_.bodies[i].joint != TreeBody::Joint::fixed) joints += joint(tree_.bodies[i]);
        while (tree_.bodies[i].mass == 0.0) joints += joint(tree_.bodies[++i]);
        const TreeBody& at = tree_.bodies[first];
        const TreeBody& b = tree_.bodies[i];
        out_ += fmt::format(
            "<body name=\"{}\" pos=\"{}\" {}>\n", b.name, words(at.p_home), orientation(at.R_home));
        out_ += joints;
        const Matrix3d& J = b.inertia;
        out_ +=
            fmt::format("<inertial pos=\"{}\" mass=\"{}\" fullinertia=\"{} {} {} {} {} {}\"/>\n",
                        words(b.center),
                        b.mass,
                        J(0, 0),
                        J(1, 1),
                        J(2, 2),
                        J(0, 1),
                        J(0, 2),
                        J(1, 2));
        for (int k = 0; k < static_cast<int>(tree_.bodies.size()); ++k)
            if (tree_.bodies[k].parent == i) body(k);
        out_ += "</body>\n";
    }

    const ReferenceTree& tree_;
    RandomTrees& random_;
    std::string out_;
};

/// Poses by frames, relative to other links, in degrees; axes in the joint or in the model.
inline std::string sdf(const ReferenceTree& tree, RandomTrees& random) {
    std::string out =
        "<?xml version=\"1.0\"?>\n<sdf version=\"1.9\">\n<world name=\"w\">\n"
        "<gravity>0 0 -9.81</gravity>\n<model name=\"fuzz\">\n";
    std::vector<Matrix3d> home;
    const auto pose = [&](const Vector3d& p, const Matrix3d& R, const std::string& keys) {
        if (random.chance(0.3)) {
            const Eigen::Quaterniond q(R);
            return fmt::format("<pose rotation_format=\"quat_xyzw\"{}>{} {} {} {} {}</pose>",
                               keys,
                               words(p),
                               q.x(),
                               q.y(),
                               q.z(),
                               q.w());
        }
        const Vector3d angles = roll_pitch_yaw(R);
        if (random.chance(0.3))
            return fmt::format("<pose degrees=\"true\"{}>{} {}</pose>",
                               keys,
                               words(p),
                               words(angles * (180.0 / std::numbers::pi)));
        return fmt::format("<pose{}>{} {}</pose>", keys, words(p), words(angles));
    };
    for (const TreeBody& b : tree.bodies) {
        const std::string parent = b.parent < 0 ? "__model__" : tree.bodies[b.parent].name;
        home.push_back((b.parent < 0 ? Matrix3d(Matrix3d::Identity()) : home[b.parent]) * b.R_home);
        std::string base = parent;
        Vector3d p = b.p_home;
        Matrix3d R = b.R_home;
        if (random.chance(0.5)) {
            // By a frame on the way
            const Matrix3d R_1 = random.rotation();
            const Vector3d p_1 = random.vector(0.3);
            base = b.name + "_frame";
            out += fmt::format("<frame name=\"{}\" attached_to=\"{}\">{}</frame>\n",
                               base,
                               parent,
                               pose(p_1, R_1, ""));
            R = R_1.transpose() * R;
            p = R_1.transpose() * (p - p_1);
        }
        out += fmt::format(
            "<link name=\"{}\">{}\n", b.name, pose(p, R, fmt::format(" relative_to=\"{}\"", base)));
        const Matrix3d A = random.rotation();
        const Matrix3d J = A.transpose() * b.inertia * A;
        out += fmt::format(
            "<inertial>{}<mass>{}</mass><inertia><ixx>{}</ixx><ixy>{}</ixy><ixz>{}</ixz>"
            "<iyy>{}</iyy><iyz>{}</iyz><izz>{}</izz></inertia></inertial></link>\n",
            pose(b.center, A, ""),
            b.mass,
            J(0, 0),
            J(0, 1),
            J(0, 2),
            J(1, 1),
            J(1, 2),
            J(2, 2));
    }
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
        const TreeBody& b = tree.bodies[i];
        const char* const type = b.joint == TreeBody::Joint::fixed   ? "fixed"
                                 : b.joint == TreeBody::Joint::hinge ? "revolute"
                                                                     : "prismatic";
        // The joint's own frame, at the child's origin
        const Matrix3d R = random.rotation();
        const Vector3d axis = b.axis.normalized();
        const bool in_model = random.chance(0.4);
        out +=
            fmt::format("<joint name=\"{}\" type=\"{}\">{}<parent>{}</parent><child>{}</child>\n",
                        b.joint_name,
                        type,
                        pose(Vector3d::Zero(), R, ""),
                        b.parent < 0 ? "world" : tree.bodies[b.parent].name,
                        b.name);
        if (b.joint != TreeBody::Joint::fixed)
            out += fmt::format(
                "<axis><xyz{}>{}</xyz><dynamics><damping>{}</damping><friction>{}</friction>"
                "<spring_stiffness>{}</spring_stiffness><spring_reference>{}</spring_reference>"
                "</dynamics><limit><lower>{}</lower><upper>{}</upper></limit></axis>\n",
                in_model ? " expressed_in=\"__model__\"" : "",
                words(in_model ? Vector3d(home[i] * axis) : Vector3d(R.transpose() * axis)),
                b.damping,
                b.friction,
                b.stiffness,
                b.free,
                b.lower,
                b.upper);
        out += "</joint>\n";
    }
    return out + "</model>\n</world>\n</sdf>\n";
}

}  // namespace ancora::testing
