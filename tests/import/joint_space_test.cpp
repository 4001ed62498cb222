// SPDX-License-Identifier: BSD-3-Clause
// Random trees in the coordinates of their joints, beside recursive Newton-Euler; and placed by
// joints and by frames.
#include <cmath>
#include <limits>

#include "imported_model.hpp"
#include "random_trees.hpp"

namespace ancora::testing {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows matrix(const std::vector<double>& values, std::size_t rows, std::size_t columns) {
    return Eigen::Map<const Rows>(
        values.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
}

std::string coordinate_of(const TreeBody& body) {
    return body.joint_name + (body.joint == TreeBody::Joint::hinge ? ".angle" : ".displacement");
}

/// Of the bodies whose joints move, in the order of the coordinates.
std::vector<int> joints_of(const ReferenceTree& tree, const JointSpace& space) {
    std::vector<int> out;
    for (const JointSpace::Coordinate& one : space.coordinates)
        for (int i = 0; i < tree.size(); ++i)
            if (coordinate_of(tree.bodies[i]) == one.name) out.push_back(i);
    return out;
}

ReferenceTree moving_tree(RandomTrees& random, bool with_connectors) {
    while (true) {
        ReferenceTree tree = random.tree(with_connectors);
        if (std::ranges::any_of(tree.bodies, [](const TreeBody& body) {
                return body.joint != TreeBody::Joint::fixed && body.mass > 0.0;
            }))
            return tree;
    }
}

/// The last body that a joint moves: others may be one with their parents.
int last_of(const ReferenceTree& tree) {
    int out = tree.size() - 1;
    while (tree.bodies[out].joint == TreeBody::Joint::fixed || tree.bodies[out].mass == 0.0) --out;
    return out;
}

/// Christoffel's symbols times the rates, by central differences of the reference's mass matrix.
MatrixXd coriolis(const ReferenceTree& tree) {
    constexpr double kStep = 1e-4;
    const int n = tree.size();
    std::vector<MatrixXd> by;
    for (int k = 0; k < n; ++k) {
        ReferenceTree up = tree, down = tree;
        up.bodies[k].q += kStep;
        down.bodies[k].q -= kStep;
        by.push_back((up.mass_matrix() - down.mass_matrix()) / (2.0 * kStep));
    }
    MatrixXd out = MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k)
                out(i, j) += 0.5 * (by[k](i, j) + by[j](i, k) - by[i](j, k)) * tree.bodies[k].v;
    return out;
}

void compare_equations(const Simulation& simulation, const ReferenceTree& tree, double relative) {
    const std::string& last = tree.bodies[last_of(tree)].name;
    const JointSpace space = simulation.joint_space({}, {last, last + "@[0.1, -0.2, 0.3]"});
    const std::vector<int> joint = joints_of(tree, space);
    const std::size_t r = space.coordinates.size();
    REQUIRE(joint.size() == r);
    const auto moving = std::ranges::count_if(tree.bodies, [](const TreeBody& body) {
        return body.joint != TreeBody::Joint::fixed;
    });
    CHECK(static_cast<std::ptrdiff_t>(r) == moving);

    const VectorXd rest = VectorXd::Zero(tree.size());
    const VectorXd h = tree.efforts(rest, true, true), turning = tree.efforts(rest, true, false);
    const MatrixXd M = tree.mass_matrix(), C = coriolis(tree);
    const double largest = M.cwiseAbs().maxCoeff(), most = 1.0 + h.cwiseAbs().maxCoeff();
    const Rows own_M = matrix(space.M, r, r), own_C = matrix(space.C, r, r);
    for (std::size_t a = 0; a < r; ++a) {
        const TreeBody& body = tree.bodies[joint[a]];
        const JointSpace::Coordinate& coordinate = space.coordinates[a];
        CAPTURE(coordinate.name);
        CHECK(coordinate.value == Near(body.q, tolerance(1e-12)));
        CHECK(coordinate.rate == Near(body.v, tolerance(1e-11)));
        const double own = body.damping * body.v + body.stiffness * (body.q - body.free);
        CHECK(space.bias[a] == Near(h(joint[a]) + own, tolerance(relative * most)));
        double along = 0.0;
        for (std::size_t b = 0; b < r; ++b) {
            const auto i = static_cast<Eigen::Index>(a), k = static_cast<Eigen::Index>(b);
            CHECK(own_M(i, k) == Near(M(joint[a], joint[b]), tolerance(relative * largest)));
            CHECK(own_C(i, k) == Near(C(joint[a], joint[b]), tolerance(1e-6 * most)));
            along += own_C(i, k) * space.coordinates[b].rate;
        }
        CHECK(along == Near(turning(joint[a]), tolerance(relative * most)));
    }

    // Velocities of the last body by unit rates of one joint each; accelerations by the rates.
    const Vector3d arm(0.1, -0.2, 0.3);
    for (std::size_t a = 0; a < r; ++a) {
        ReferenceTree alone = tree;
        for (TreeBody& body : alone.bodies) body.v = 0.0;
        alone.bodies[joint[a]].v = 1.0;
        const auto at = alone.kinematics(rest, true, false)[last_of(tree)];
        VectorXd expected(9);
        expected << at.v, at.w, at.v + at.w.cross(at.R * arm);
        for (Eigen::Index i = 0; i < 9; ++i) {
            CAPTURE(i);
            const auto& point = space.points[i < 6 ? 0 : 1];
            CHECK(point.J[static_cast<std::size_t>(i % 6) * r + a] ==
                  Near(expected(i), tolerance(1e-11)));
        }
    }
    const auto at = tree.kinematics(rest, true, false)[last_of(tree)];
    const Vector3d x = at.R * arm;
    VectorXd expected(9);
    expected << at.a, at.alpha, at.a + at.alpha.cross(x) + at.w.cross(at.w.cross(x));
    const double fastest = 1.0 + expected.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < 9; ++i)
        CHECK(space.points[i < 6 ? 0 : 1].bias[static_cast<std::size_t>(i % 6)] ==
              Near(expected(i), tolerance(1e-10 * fastest)));
}

}  // namespace

TEST_SUITE("import: joint space") {
    TEST_CASE("M, C, bias and Jacobians of random trees") {
        RandomTrees random(5);
        for (int number = 0; number < 24; ++number) {
            CAPTURE(number);
            ReferenceTree tree = moving_tree(random, number % 4 == 3);
            for (TreeBody& body : tree.bodies) {
                if (body.joint == TreeBody::Joint::fixed || number % 2 == 0) continue;
                body.armature = random.number(0.0, 0.2);
                body.stiffness = random.number(0.0, 5.0);
                body.free = random.number(-1.0, 1.0);
            }
            const std::string text = MjcfText(tree, random).text();
            CAPTURE(text);
            const TempFolder folder;
            folder.write("tree.xml", text);
            const Simulation simulation = simulate(imported(folder, "tree.xml").text, starts(tree));
            const std::vector<std::byte> before = simulation.save();
            // A connector has a billionth of what it carries.
            compare_equations(simulation, tree, number % 4 == 3 ? 1e-6 : 1e-11);
            CHECK(simulation.save() == before);
        }
    }

    TEST_CASE("random trees go to values of their joints, and their last body to a pose") {
        RandomTrees random(6);
        int reached = 0, tried = 0;
        for (int number = 0; number < 20; ++number) {
            CAPTURE(number);
            const ReferenceTree tree = moving_tree(random, false);
            const std::string text = MjcfText(tree, random).text();
            CAPTURE(text);
            const TempFolder folder;
            folder.write("tree.xml", text);
            Simulation simulation = simulate(imported(folder, "tree.xml").text, starts(tree));
            ReferenceTree there = tree;
            std::vector<KinematicTarget> joints;
            for (TreeBody& body : there.bodies) {
                body.v = 0.0;
                if (body.joint == TreeBody::Joint::fixed) continue;
                body.q += random.number(-1.0, 1.0);
                joints.push_back({coordinate_of(body), {body.q}});
            }
            const auto expected =
                there.kinematics(VectorXd::Zero(there.size()), false, false)[last_of(tree)];
            const Eigen::Quaterniond turn(expected.R);
            const std::string& last = tree.bodies[last_of(tree)].name;
            const auto check_pose = [&] {
                const auto pose = simulation.pose(last);
                const Vector3d p(pose.position[0], pose.position[1], pose.position[2]);
                const Eigen::Quaterniond R(
                    pose.quaternion[0], pose.quaternion[1], pose.quaternion[2], pose.quaternion[3]);
                CHECK((p - expected.p).norm() <= tolerance(1e-9));
                CHECK((R.toRotationMatrix() - expected.R).norm() <= tolerance(1e-9));
            };
            // By its pose, from where it is; then by all joints.
            const std::vector<KinematicTarget> frame{
                {last, {expected.p(0), expected.p(1), expected.p(2)}},
                {last + ".orientation", {turn.w(), turn.x(), turn.y(), turn.z()}}};
            ++tried;
            const InverseKinematics by_frame = simulation.inverse_kinematics(frame);
            if (by_frame.is_reached) {
                ++reached;
                check_pose();
            }
            const InverseKinematics by_joints = simulation.inverse_kinematics(joints);
            CHECK(by_joints.is_reached);
            CHECK(by_joints.num_free == 0);
            check_pose();
            for (const KinematicTarget& joint : joints)
                CHECK(std::remainder(simulation.value(joint.of) - joint.value[0],
                                     joint.of.ends_with("angle")
                                         ? 2.0 * std::numbers::pi
                                         : std::numeric_limits<double>::max()) ==
                      Near(0.0, tolerance(1e-10)));
            for (const double v : simulation.v()) CHECK(v == 0.0);
        }
        // Where the way is long some end at another minimum.
        CHECK(reached >= 3 * tried / 4);
    }
}

}  // namespace ancora::testing
