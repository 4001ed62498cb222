// SPDX-License-Identifier: BSD-3-Clause
// Checks of what joints say of themselves: measures, freedom, and what belongs to which body.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "ancora/sdk/helpers/measure_function.hpp"
#include "differences.hpp"
#include "row_states.hpp"

namespace ancora::verify {
namespace {

constexpr double kSameStart = 1e-6;  // [m, rad]
constexpr double kIndependent = 1e-9;

/// Where a body is at the start.
struct BodyPose {
    Vec3 x = Vec3::Zero();
    Mat3 R = Mat3::Identity();
};

Mat3 matrix(const std::array<double, 9>& R) {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.data());
}

BodyPose body_pose(const RigidMotion& motion) {
    return {vec3(motion.position), matrix(motion.rotation)};
}

/// A joint of an example, with where its attachments are at the start.
class JointSpecimen {
public:
    explicit JointSpecimen(const Example& example)
        : arguments_(example.bind()),
          object_(example.make(arguments_)),
          stage_(example.type(), arguments_, object_) {
        if (facets_of(*object_.constraint).joint == nullptr) throw Skipped("it is no joint");
        skip_wrong_sizes(stage_, object_);
        body_a_ = find_body("a", joint().a.body);
        body_b_ = find_body("b", joint().b.body);
        if (body_a_ == body_b_) throw Failure("joint() names one body twice");
        place();
    }

    const Joint& joint() const { return *facets_of(*object_.constraint).joint; }
    const Stage& stage() const { return stage_; }
    const Object& object() const { return object_; }
    int body_b() const { return body_b_; }
    int num_attachments() const { return stage_.num_scalars() / 3; }
    const Vector& u() const { return u_; }
    /// Whether all attachments are where their texts say, so that u() is the start.
    bool is_known() const { return is_known_; }

private:
    static int find_body(const char* side, std::string_view name) {
        if (name == "ground") return -1;
        if (name == "a") return 0;
        if (name == "b") return 1;
        throw Failure(fmt::format(
            "joint().{}.body is \"{}\", which is none of the bodies that the example names",
            side,
            name));
    }
    BodyPose start_of(int body) const {
        return body < 0 ? BodyPose() : body_pose(motion_at_start(body == 0 ? "a" : "b"));
    }
    void place() {
        BodyPose poses[3] = {start_of(-1), start_of(0), start_of(1)};
        if (joint().is_placed) {
            // frame b from frame a, and the body from its frame
            const BodyPose& a = poses[body_a_ + 1];
            BodyPose& b = poses[body_b_ + 1];
            const Mat3 frame_a = a.R * matrix(joint().a.axes);
            const Vec3 origin =
                a.x + a.R * vec3(joint().a.point) + frame_a * vec3(joint().placement.position);
            b.R = frame_a * matrix(joint().placement.rotation) * matrix(joint().b.axes).transpose();
            b.x = origin - b.R * vec3(joint().b.point);
        }
        u_.setZero(stage_.num_scalars());
        for (int i = 0; i < num_attachments(); ++i) {
            const Stage::Place at = stage_.place_of(i);
            if (at.is_coordinate) continue;
            is_known_ &= at.is_given;
            const BodyPose& body = poses[at.body + 1];
            u_.segment<3>(3 * i) = body.R * at.local;
            if (!at.is_direction) u_.segment<3>(3 * i) += body.x;
        }
    }

    BoundArguments arguments_;
    Object object_;
    Stage stage_;
    int body_a_ = -1, body_b_ = -1;
    Vector u_;
    bool is_known_ = true;
};

/// Whether a measure of this kind wants a direction as its k-th attachment.
bool wants_direction(MeasureKind kind, int k) {
    return is_angle(kind) || (kind == MeasureKind::displacement && k == 2);
}

void check_measure(const JointSpecimen& specimen, const Measure& measure) {
    const int count = num_attachments(measure.kind);
    int bodies[3] = {};
    Vector u(3 * count);
    for (int k = 0; k < count; ++k) {
        const int i = measure.attachments[k];
        if (i < 0 || i >= specimen.num_attachments())
            throw Failure(fmt::format("measure \"{}\" names attachment {} of {}",
                                      measure.name,
                                      i,
                                      specimen.num_attachments()));
        const Stage::Place at = specimen.stage().place_of(i);
        if (at.is_coordinate || at.is_direction != wants_direction(measure.kind, k))
            throw Failure(
                fmt::format("measure \"{}\" has attachment {} as its number {}, which must be a {}",
                            measure.name,
                            i,
                            k,
                            wants_direction(measure.kind, k) ? "direction" : "point"));
        bodies[k] = at.body;
        u.segment<3>(3 * k) = specimen.u().segment<3>(3 * i);
    }
    // an angle is that of a direction about two of the other body
    const bool is_turn = measure.kind == MeasureKind::angle;
    if (bodies[0] == bodies[is_turn ? 2 : 1] || (is_turn && bodies[0] != bodies[1]))
        throw Failure(fmt::format(
            "measure \"{}\" is not one between two bodies: its attachments are of {}",
            measure.name,
            is_turn ? "the first body, the same, and the other for an angle" : "one body"));
    if (!std::isfinite(measure.start))
        throw Failure(fmt::format("measure \"{}\" starts at {}", measure.name, measure.start));
    if (!specimen.is_known()) return;
    const double value = MeasureFunction(measure.kind).value(u.data());
    double miss = value - measure.start;
    if (is_turn) {
        // whole turns are the joint's to say; where it does not place b, half a turn is near enough
        if (!specimen.joint().is_placed) return;
        miss = std::remainder(miss, 2.0 * std::numbers::pi);
    }
    if (!(std::abs(miss) <= kSameStart * (1.0 + std::abs(value))))
        throw Failure(
            fmt::format("measure \"{}\" is said to start at {:.6g} {}; where the bodies "
                        "are {} it is {:.6g}",
                        measure.name,
                        measure.start,
                        unit_of(measure.kind),
                        specimen.joint().is_placed ? "placed" : "put",
                        value));
}

/// A of all rows that hold something, at the start.
Matrix jacobian(const JointSpecimen& specimen) {
    const RowPart part = row_parts(specimen.object()).front();
    const std::span<const RowBlock> blocks = specimen.object().constraint->row_blocks();
    Matrix all(0, specimen.stage().num_scalars());
    const Vector du = Vector::Zero(specimen.stage().num_scalars());
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const Block block(
            specimen.object(), part, static_cast<int>(k), specimen.stage().num_scalars());
        if (block.num_rows_of() == 0) continue;
        const Matrix A = block.evaluate(specimen.u(), du, 0.0).A;
        for (Eigen::Index i = 0; i < A.rows(); ++i) {
            const RowKind kind = law(blocks[k], static_cast<std::size_t>(i)).kind;
            if (kind != RowKind::constraint && kind != RowKind::velocity_constraint &&
                kind != RowKind::acceleration_constraint)
                continue;
            all.conservativeResize(all.rows() + 1, Eigen::NoChange);
            all.row(all.rows() - 1) = A.row(i);
        }
    }
    return all;
}

/// Its rows hold as many motions of b as it does not leave free.
void check_freedom(const JointSpecimen& specimen, const Matrix& A) {
    Matrix motions = Matrix::Zero(specimen.u().size(), 6);
    for (int i = 0; i < specimen.num_attachments(); ++i) {
        const Stage::Place at = specimen.stage().place_of(i);
        if (at.is_coordinate || at.body != specimen.body_b()) continue;
        const Vec3 r = specimen.u().segment<3>(3 * i);
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 e = Vec3::Unit(axis);
            if (!at.is_direction) motions.block<3, 1>(3 * i, axis) = e;
            motions.block<3, 1>(3 * i, 3 + axis) = e.cross(r);
        }
    }
    const Matrix rates = A * motions;
    Eigen::Index rank = 0;
    if (rates.rows() > 0 && rates.cwiseAbs().maxCoeff() > 0.0) {
        Eigen::ColPivHouseholderQR<Matrix> qr(rates.rows(), rates.cols());
        qr.setThreshold(kIndependent);
        rank = qr.compute(rates).rank();
    }
    if (specimen.joint().freedom != 6 - rank)
        throw Failure(
            fmt::format("joint() says that {} of six relative motions are free; its rows hold {}, "
                        "which leaves {}",
                        specimen.joint().freedom,
                        rank,
                        6 - rank));
}

void check_sides(const JointSpecimen& specimen, const Matrix& A) {
    const Joint& joint = specimen.joint();
    const auto is_there = [&](int i) {
        return i >= 0 && i < specimen.num_attachments();
    };
    for (const std::int32_t i : joint.on_b)
        if (!is_there(i) || specimen.stage().place_of(i).body != specimen.body_b())
            throw Failure(fmt::format(
                "on_b names attachment {}, which is not of \"{}\": the wrench on b is the sum of "
                "reactions on what belongs to it",
                i,
                joint.b.body));
    for (int i = 0; i < specimen.num_attachments(); ++i) {
        const bool is_on_b = specimen.stage().place_of(i).body == specimen.body_b();
        const bool is_pulled = A.rows() > 0 && A.middleCols<3>(3 * i).cwiseAbs().maxCoeff() > 0.0;
        if (is_on_b && is_pulled && std::ranges::find(joint.on_b, i) == joint.on_b.end())
            throw Failure(
                fmt::format("on_b leaves out attachment {}, which is of \"{}\" and bears a part of "
                            "the reaction",
                            i,
                            joint.b.body));
    }
    if (joint.point < 0) return;
    if (!is_there(joint.point) || specimen.stage().place_of(joint.point).is_direction ||
        specimen.stage().place_of(joint.point).body != specimen.body_b())
        throw Failure(fmt::format("the joint point of b, attachment {}, is no point of \"{}\"",
                                  joint.point,
                                  joint.b.body));
}

void check_joint(Subject& subject) {
    for_each_example(subject, [](const Example& example) {
        const JointSpecimen specimen(example);
        for (const Measure& measure : specimen.joint().measures) check_measure(specimen, measure);
        const Matrix A = jacobian(specimen);
        check_sides(specimen, A);
        check_freedom(specimen, A);
    });
}

constexpr Check kJointChecks[] = {
    {"joint",
     kConstraints,
     "measures of a joint are of the right attachments and start where they are said to, freedom "
     "is what its rows leave, and on_b is what belongs to b",
     check_joint},
};

}  // namespace

std::span<const Check> joint_checks() {
    return kJointChecks;
}

}  // namespace ancora::verify
