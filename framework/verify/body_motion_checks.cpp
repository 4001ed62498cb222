// SPDX-License-Identifier: BSD-3-Clause
// Checks of bodies that move: with space, against their potential, and where they are seen.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "ancora/sdk/helpers/stress_laws.hpp"
#include "body_specimen.hpp"

namespace ancora::verify {

namespace {

/// W of an elastic row that has its law alone.
double energy_of(const RowLaw& row, double pi) {
    return row.law != nullptr ? row.law->energy(row, pi)
                              : pi * (0.5 * pi / row.compliance + row.prestress);
}
/// W' of one.
double stress_of(const RowLaw& row, double pi) {
    return row.law != nullptr ? row.law->stress(row, pi, 0.0) : pi / row.compliance + row.prestress;
}

/// visit(law, number of the item, its first row) for the items of a block that have a law each.
template <class Visit>
void for_each_item_law(const RowBlock& block, const Visit& visit) {
    if (block.item_laws.empty()) return;
    for (int i = 0; i < block.num_items; ++i)
        guard("ItemLaw::potential", [&] {
            visit(block.law_of_item(i), i, Eigen::Index{i} * block.rows_per_item);
        });
}

/// W of a block's elastic rows.
double energy_of(const RowBlock& block, const Vector& pi) {
    double U = 0.0;
    for_each_item_law(block, [&](const ItemLaw& law, int item, Eigen::Index first) {
        const Vector own = pi.segment(first, block.rows_per_item);
        U += law.potential(item, view(own), {}, {});
    });
    if (!block.item_laws.empty()) return U;
    for (Eigen::Index i = 0; i < pi.size(); ++i) {
        const RowLaw& row = law(block, static_cast<std::size_t>(i));
        if (row.kind == RowKind::elastic) U += energy_of(row, pi(i));
    }
    return U;
}

/// W' of a block's elastic rows, and `others` of the rest.
Vector stress_of(const RowBlock& block, const Vector& pi, const Vector& others) {
    Vector s = others;
    for_each_item_law(block, [&](const ItemLaw& law, int item, Eigen::Index first) {
        const Vector own = pi.segment(first, block.rows_per_item);
        Vector stress = Vector::Zero(block.rows_per_item);
        law.potential(item, view(own), view(stress), {});
        s.segment(first, block.rows_per_item) = stress;
    });
    if (!block.item_laws.empty()) return s;
    for (Eigen::Index i = 0; i < pi.size(); ++i) {
        const RowLaw& row = law(block, static_cast<std::size_t>(i));
        if (row.kind == RowKind::elastic) s(i) = stress_of(row, pi(i));
    }
    return s;
}

/// The elastic part of its mean over a step.
double mean_stress_of(const RowLaw& row, double pi0, double pi1) {
    return row.law != nullptr ? row.law->mean(row, pi0, pi1 - pi0, 1.0).elastic
                              : 0.5 * (stress_of(row, pi0) + stress_of(row, pi1));
}

// --- rigid motions of space

/// The change of pi of all position rows for a change dq: A dq, with the size of its terms.
template <class Function>
void for_each_position_block(const BodySpecimen& specimen, Function&& function) {
    const RowPart part = row_parts(specimen.object()).front();
    const std::span<const RowBlock> blocks = specimen.body().row_blocks();
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const RowKind kind = law(blocks[k], 0).kind;
        if (num_rows(blocks[k]) == 0 || is_velocity_kind(kind) ||
            kind == RowKind::acceleration_constraint)
            continue;
        function(Block(specimen.object(), part, static_cast<int>(k), specimen.n()));
    }
}

// A coordinate that moves every point by the same is one of a position.
void require_translating(const BodySpecimen& specimen, const std::vector<NamedAttachment>& found) {
    const State start = specimen.start();
    const std::span<const Coordinate> coordinates = specimen.body().coordinates();
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
        if (coordinates[k].vector < 0 || coordinates[k].translates) continue;
        int points = 0;
        int moved = 0;
        for (const NamedAttachment& entry : found) {
            if (entry.attached.is_direction()) continue;
            ++points;
            moved += entry.attached.evaluate(start.q, start.v)
                         .J(coordinates[k].axis, static_cast<Eigen::Index>(k)) == 1.0;
        }
        if (points > 0 && moved == points)
            throw Failure(
                fmt::format("coordinate {} moves every point as it moves, but is said "
                            "not to translate",
                            k));
    }
}

void check_translation(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BodySpecimen specimen(example);
        Random random(subject.seed);
        const std::vector<NamedAttachment> found = attachments(specimen, random);
        require_translating(specimen, found);
        for (int k = 0; k < kBodyStates; ++k) {
            const State at = specimen.random(random);
            const Vec3 c = random.vector();
            Vector dq = specimen.shift(c);
            // along axes in which nothing translates, the body stays
            Vec3 moved = Vec3::Zero();
            for (const Coordinate& coordinate : specimen.body().coordinates())
                if (coordinate.vector >= 0 && coordinate.translates)
                    moved(coordinate.axis) = c(coordinate.axis);
            for (const NamedAttachment& entry : found) {
                const Vec3 before = entry.attached.evaluate(at.q, at.v).r;
                const Vec3 after = entry.attached.evaluate(at.q + dq, at.v).r;
                const Vec3 expected = entry.attached.is_direction() ? Vec3(Vec3::Zero()) : moved;
                compare_rows(Vector(after - before),
                             Vector(expected),
                             Vector::Constant(3, before.norm() + after.norm() + c.norm()),
                             kRounding,
                             "the shift of " + entry.name +
                                 " when the coordinates that translate "
                                 "are moved",
                             "the body moves by");
            }
            for_each_position_block(specimen, [&](const Block& block) {
                const Vector pi = block.evaluate(at.q, at.v, 0.0).pi;
                const Block::Values after = block.evaluate(at.q + dq, at.v, 0.0);
                const Vector scale =
                    after.A.cwiseAbs() * (at.q.cwiseAbs() + dq.cwiseAbs()) + pi.cwiseAbs();
                compare_rows(after.pi,
                             pi,
                             scale,
                             kRounding,
                             "pi of " + block.where() + " after a translation",
                             "before it was");
            });
            // the energy of gravity is recorded with M at the start
            const State start = specimen.start();
            const Vector now = specimen.mass(at.q, at.v) * dq;
            const Vector then = specimen.mass(start.q, start.v) * dq;
            compare_rows(now,
                         then,
                         Vector::Constant(specimen.n(), then.cwiseAbs().maxCoeff() + 1e-300),
                         kRounding,
                         "M times a translation",
                         "at the start it was");
        }
    });
}

/// Axes about which all points and directions of a body turn with some change of its coordinates,
/// at any state: about these it can be turned as space is.
std::array<bool, 3> turnable_axes(const BodySpecimen& specimen,
                                  const std::vector<NamedAttachment>& found,
                                  Random random) {
    std::array<bool, 3> can_turn{};
    if (found.empty()) return can_turn;
    can_turn.fill(true);
    const auto rows = 3 * static_cast<Eigen::Index>(found.size());
    for (int k = 0; k < kBodyStates; ++k) {
        const State at = specimen.random(random);
        Matrix J(rows, specimen.n()), turned(rows, 3);
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto values = found[i].attached.evaluate(at.q, at.v);
            const auto first = 3 * static_cast<Eigen::Index>(i);
            J.middleRows<3>(first) = values.J;
            for (int axis = 0; axis < 3; ++axis)
                turned.block<3, 1>(first, axis) = Vec3::Unit(axis).cross(values.r);
        }
        const Matrix dq = J.completeOrthogonalDecomposition().solve(turned);
        const Matrix left = J * dq - turned;
        for (int axis = 0; axis < 3; ++axis)
            can_turn[axis] &= left.col(axis).norm() <= 1e-9 * (1.0 + turned.col(axis).norm());
    }
    return can_turn;
}

/// Stresses of a block over a step, as far as its own law says, and what constraints miss.
Vector mean_stress_of(const RowBlock& block, const Vector& pi0, const Vector& pi1) {
    Vector s = 0.5 * (pi0 + pi1);
    const auto n = static_cast<std::size_t>(block.rows_per_item);
    for_each_item_law(block, [&](const ItemLaw& item_law, int item, Eigen::Index first) {
        std::vector<RowLaw> rows;
        for (std::size_t i = 0; i < n; ++i)
            rows.push_back(law(block, static_cast<std::size_t>(first) + i));
        std::vector<StressMean> means(n);
        std::vector<double> D(n * n);
        const Vector begin = pi0.segment(first, block.rows_per_item);
        const Vector change = pi1.segment(first, block.rows_per_item) - begin;
        mean_over_step(item_law, item, rows, view(begin), view(change), means, D);
        for (std::size_t i = 0; i < n; ++i)
            s(first + static_cast<Eigen::Index>(i)) = means[i].elastic;
    });
    if (!block.item_laws.empty()) return s;
    for (Eigen::Index i = 0; i < s.size(); ++i) {
        const RowLaw& row = law(block, static_cast<std::size_t>(i));
        if (row.kind == RowKind::elastic) s(i) = mean_stress_of(row, pi0(i), pi1(i));
    }
    return s;
}

// Angular momentum in a step: what the stresses of a block do along a turn about its middle.
void require_invariant_step(
    const BodySpecimen& specimen, const Block& block, const State& at, const Vec3& w, double h) {
    Vector q1(specimen.n()), turn;
    at.motion.evaluate(h, view(q1), {}, {});
    if (!specimen.spin(w, 0.5 * (at.q + q1), turn)) return;
    const Block::StepValues step = block.evaluate_step(at.q, q1, 0.0, h);
    const Vector s = mean_stress_of(block.shape(),
                                    block.evaluate(at.q, at.v, 0.0).pi,
                                    block.evaluate(q1, at.v, h, step.state1).pi);
    const double change = s.dot(step.B * turn);
    const double scale = s.cwiseAbs().dot(step.B.cwiseAbs() * turn.cwiseAbs());
    if (!(std::abs(change) <= 10.0 * kRounding * scale))
        throw Failure(
            fmt::format("over a step of {:g} s the mean stresses of {} have the moment {:.3g} of "
                        "their terms about an axis, and invariance is claimed: B (w x r) at the "
                        "midpoint must vanish, as SDK's derived steps of general rows do not see "
                        "to",
                        h,
                        block.where(),
                        std::abs(change) / scale));
}

void check_rotation(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BodySpecimen specimen(example);
        Random random(subject.seed);
        const std::vector<NamedAttachment> found = attachments(specimen, random);
        const bool is_invariant = subject.type.claims.has(Claim::rigid_motion_invariant);
        Vector dq;
        // Of a planar body: about the normal of its plane.
        std::array<bool, 3> is_asked{};
        for (Eigen::Index axis = 0; axis < 3; ++axis)
            is_asked[static_cast<std::size_t>(axis)] =
                specimen.spin(Vec3::Unit(axis), specimen.start().q, dq);
        if (std::ranges::count(is_asked, true) == 0)
            throw Skipped("a vector of the coordinates lacks components about every axis");
        const bool has_scalars =
            std::ranges::any_of(specimen.body().coordinates(), [](const Coordinate& c) {
                return c.vector < 0;
            });
        if (has_scalars && !is_invariant) {
            const std::array<bool, 3> can_turn = turnable_axes(specimen, found, random);
            for (std::size_t axis = 0; axis < 3; ++axis) is_asked[axis] &= can_turn[axis];
        }
        if (std::ranges::count(is_asked, true) == 0)
            throw Skipped("its scalar coordinates cannot turn as space does");
        const bool has_invariant_step =
            is_invariant && !has_scalars && specimen.body().mass_kind() != MassKind::of_state;
        for (int k = 0; k < kBodyStates; ++k) {
            const State at = specimen.random(random);
            double error = 0.0;
            for (const NamedAttachment& entry : found) {
                const auto values = entry.attached.evaluate(at.q, at.v);
                for (int axis = 0; axis < 3; ++axis) {
                    if (!is_asked[axis]) continue;
                    const Vec3 e = Vec3::Unit(axis);
                    specimen.spin(e, at.q, dq);
                    compare_rows(Vector(values.J * dq),
                                 Vector(e.cross(values.r)),
                                 Vector::Constant(3, values.r.norm() + values.J.norm() * dq.norm()),
                                 1e-9,
                                 fmt::format("the change of {} under a rotation of space about {}",
                                             entry.name,
                                             "xyz"[axis]),
                                 "e x r is");
                }
            }
            Vec3 w = random.vector();
            for (Eigen::Index axis = 0; axis < 3; ++axis)
                if (!is_asked[static_cast<std::size_t>(axis)]) w(axis) = 0.0;
            specimen.spin(w, at.q, dq);
            if (!is_invariant) continue;
            for_each_position_block(specimen, [&](const Block& block) {
                // U, and the norm of what constraints miss, stay; single rows need not
                const Block::Values values = block.evaluate(at.q, at.v, 0.0);
                const Vector s = stress_of(block.shape(), values.pi, values.pi);
                const double change = s.dot(values.A * dq);
                const double scale = s.cwiseAbs().dot(values.A.cwiseAbs() * dq.cwiseAbs());
                if (!(std::abs(change) <= 1e-9 * scale))
                    throw Failure(
                        fmt::format("the energy of {} changes at the rate {:.6g} under a "
                                    "rotation of space, and is claimed not to",
                                    block.where(),
                                    change));
                if (!has_invariant_step) return;
                for (const double h : {0.3, 0.02})
                    require_invariant_step(specimen, block, at, w, h);
            });
            // v turns with q: dv = d(dq)/dt
            const Vector dv = derivative(error, [&](double h) -> Vector {
                Vector turn;
                specimen.spin(w, at.q + h * at.v, turn);
                return turn;
            });
            const double change = derivative(error, [&](double h) -> Vector {
                return Vector::Constant(1, specimen.kinetic_energy(at.q + h * dq, at.v + h * dv));
            })(0);
            const double T = specimen.kinetic_energy(at.q, at.v);
            if (!(std::abs(change) <= kDifference * T * (1.0 + w.norm()) + error))
                throw Failure(
                    fmt::format("the kinetic energy {:.6g} changes at the rate {:.6g} "
                                "under a rotation of space, and is claimed not to",
                                T,
                                change));
        }
    });
}

// --- potential and pose

void check_potential(Subject& subject) {
    bool found = false;
    for_each_example(subject, [&](const Example& example) {
        const BodySpecimen specimen(example);
        Random random(subject.seed);
        for_each_position_block(specimen, [&](const Block& block) {
            if (block.kind() != RowKind::elastic) return;
            found = true;
            const auto energy = [&](const Vector& pi) {
                return energy_of(block.shape(), pi);
            };
            const auto stress = [&](const Vector& pi) {
                return stress_of(block.shape(), pi, Vector::Zero(pi.size()));
            };
            for (int k = 0; k < kBodyStates; ++k) {
                const State at = specimen.random(random);
                double error = 0.0;
                const Block::Values values = block.evaluate(at.q, at.v, 0.0);
                const Vector force = values.A.transpose() * stress(values.pi);
                Vector differences(specimen.n());
                for (int j = 0; j < specimen.n(); ++j)
                    differences(j) = derivative(error, [&](double h) -> Vector {
                        Vector q = at.q;
                        q(j) += h;
                        return Vector::Constant(1, energy(block.evaluate(q, at.v, 0.0).pi));
                    })(0);
                const double size = force.cwiseAbs().maxCoeff() + differences.cwiseAbs().maxCoeff();
                compare_rows(force,
                             differences,
                             Vector::Constant(specimen.n(), size + allowance(error)),
                             10.0 * kDifference,
                             "the elastic force A^T s of " + block.where(),
                             "differences of U give");
                // Their means over steps are the kernel's
                if (!block.shape().item_laws.empty()) continue;
                // discrete gradient: mean stress times B dq is the change of U
                Vector q1(specimen.n());
                at.motion.evaluate(0.1, view(q1), {}, {});
                const Block::StepValues step = block.evaluate_step(at.q, q1, 0.0, 0.1);
                const Vector pi1 = block.evaluate(q1, at.v, 0.1).pi;
                double work = 0.0;
                const Vector increment = step.B * (q1 - at.q) + step.tau;
                for (Eigen::Index i = 0; i < increment.size(); ++i) {
                    const RowLaw& row = law(block.shape(), static_cast<std::size_t>(i));
                    if (row.kind == RowKind::elastic)
                        work += mean_stress_of(row, values.pi(i), pi1(i)) * increment(i);
                }
                const double U0 = energy(values.pi), U1 = energy(pi1);
                if (!(std::abs(work - (U1 - U0)) <= kRounding * (std::abs(U0) + std::abs(U1))))
                    throw Failure(
                        fmt::format("over a step the mean stress of {} does the work "
                                    "{:.9g}, and U changes by {:.9g}",
                                    block.where(),
                                    work,
                                    U1 - U0));
            }
        });
    });
    if (!found) throw Skipped("no row is elastic");
}

Pose pose_of(const BodySpecimen& specimen, const Vector& q, const Vector& v) {
    Pose pose;
    guard("pose", [&] {
        specimen.body().pose(view(q), view(v), pose);
    });
    return pose;
}

/// Position and attitude as numbers: x, and R column by column.
Vector place_of(const Pose& pose) {
    Vector out(12);
    out.head<3>() = Vec3(pose.position[0], pose.position[1], pose.position[2]);
    const Eigen::Quaterniond p(
        pose.quaternion[0], pose.quaternion[1], pose.quaternion[2], pose.quaternion[3]);
    const Mat3 R = p.toRotationMatrix();
    for (int k = 0; k < 3; ++k) out.segment<3>(3 + 3 * k) = R.col(k);
    return out;
}

// Velocities are what differences of places give: of the position along any motion, of the attitude
// along one that turns the body as a whole, which keeps what ties its coordinates together.
void check_pose_rates(const BodySpecimen& specimen, std::uint64_t seed) {
    Random random(seed);
    const State start = specimen.start();
    const auto rates = [&](const Vector& q, const Vector& v, double& error) {
        return derivative(error, [&](double h) -> Vector {
            return place_of(pose_of(specimen, q + h * v, v));
        });
    };
    for (int k = 0; k < kBodyStates; ++k) {
        const State at = specimen.random(random);
        const Pose pose = pose_of(specimen, at.q, at.v);
        double error = 0.0;
        const Vector found = Vector(Eigen::Map<const Vec3>(pose.velocity.data()));
        const Vector expected = rates(at.q, at.v, error).head<3>();
        compare_rows(found,
                     expected,
                     Vector::Constant(3, expected.norm() + at.v.norm() + allowance(error)),
                     kDifference,
                     "the velocity of the pose",
                     "differences of its position give");
    }
    if (specimen.body().pose_kind() != PoseKind::attitude) return;
    const Pose there = pose_of(specimen, start.q, start.v);
    const Eigen::Quaterniond p(
        there.quaternion[0], there.quaternion[1], there.quaternion[2], there.quaternion[3]);
    const Mat3 R = p.toRotationMatrix();
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3 e = Vec3::Unit(axis);
        Vector v;
        if (!specimen.spin(e, start.q, v) || v.isZero()) return;
        const Pose pose = pose_of(specimen, start.q, v);
        double error = 0.0;
        const Vector rate = rates(start.q, v, error);
        Mat3 dR;
        for (int k = 0; k < 3; ++k) dR.col(k) = rate.segment<3>(3 + 3 * k);
        const Mat3 W = R.transpose() * dR;
        const Vec3 expected(
            0.5 * (W(2, 1) - W(1, 2)), 0.5 * (W(0, 2) - W(2, 0)), 0.5 * (W(1, 0) - W(0, 1)));
        compare_rows(
            Vector(Eigen::Map<const Vec3>(pose.angular_velocity.data())),
            Vector(expected),
            Vector::Constant(3, 1.0 + allowance(error)),
            kDifference,
            fmt::format("the angular velocity of the pose in a turn about {}", "xyz"[axis]),
            "differences of its attitude give");
    }
}

// What iterations count as moved must not be less than what moves.
void check_reach(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BodySpecimen specimen(example);
        Random random(subject.seed);
        const State start = specimen.start();
        const std::span<const Coordinate> coordinates = specimen.body().coordinates();
        bool found = false;
        for (const NamedAttachment& entry : attachments(specimen, random)) {
            // the reference point and nodes are matter for sure
            if (entry.attached.is_direction() || entry.is_sampled) continue;
            found = true;
            const Matrix J = entry.attached.evaluate(start.q, start.v).J;
            for (Eigen::Index i = 0; i < J.cols(); ++i) {
                const double reach = coordinates[i].reach;
                if (!(J.col(i).norm() <= kReach * reach))
                    throw Failure(
                        fmt::format("{} moves by {:.6g} m per unit of coordinate {}, whose reach "
                                    "is {:.6g} m: steps would be taken for converged too early",
                                    entry.name,
                                    J.col(i).norm(),
                                    i,
                                    reach));
            }
        }
        if (!found) throw Skipped("the body has no point [0, 0, 0] and no nodes");
    });
}

void check_pose(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BodySpecimen specimen(example);
        const PoseKind kind = specimen.body().pose_kind();
        if (kind == PoseKind::none) throw Skipped("the body has no pose");
        const State at = specimen.start();
        Pose pose;
        guard("pose", [&] {
            specimen.body().pose(view(at.q), view(at.v), pose);
        });
        const Vec3 x(pose.position[0], pose.position[1], pose.position[2]);
        const Vec3 v(pose.velocity[0], pose.velocity[1], pose.velocity[2]);
        const Eigen::Quaterniond p(
            pose.quaternion[0], pose.quaternion[1], pose.quaternion[2], pose.quaternion[3]);
        const Vec3 w(pose.angular_velocity[0], pose.angular_velocity[1], pose.angular_velocity[2]);
        if (!(std::abs(p.norm() - 1.0) <= 1e-12))
            throw Failure(fmt::format("the quaternion has the norm {:.12g}", p.norm()));
        const Mat3 R = p.toRotationMatrix();

        check_pose_rates(specimen, subject.seed);
        Random random(subject.seed);
        const int count = kind == PoseKind::attitude ? 8 : 1;
        for (int k = 0; k < count; ++k) {
            const Vec3 xi = k == 0 ? Vec3(Vec3::Zero()) : random.vector();
            Locator where;
            where.xyz = {xi(0), xi(1), xi(2)};
            std::optional<Attached> attached;
            try {
                attached.emplace(specimen, where);
            } catch (const std::invalid_argument&) {
                throw Skipped("the body has no point [x, y, z] to compare with");
            }
            const auto values = attached->evaluate(at.q, at.v);
            const Vec3 r = x + R * xi;
            const Vec3 rate = v + R * w.cross(xi);
            const std::string point = fmt::format("[{:.3g}, {:.3g}, {:.3g}]", xi(0), xi(1), xi(2));
            compare_rows(Vector(values.r),
                         Vector(r),
                         Vector::Constant(3, r.norm() + xi.norm() + 1e-3),
                         1e-9,
                         "the point " + point + " at the start",
                         "position and attitude of the pose give");
            compare_rows(Vector(values.J * at.v),
                         Vector(rate),
                         Vector::Constant(3, rate.norm() + v.norm() + w.norm() + 1e-3),
                         1e-9,
                         "the velocity of the point " + point + " at the start",
                         "velocity and angular velocity of the pose give");
        }
    });
}

constexpr Check kBodyMotionChecks[] = {
    {"translation",
     kBodies,
     "coordinates that translate move every point and no direction, and strain nothing",
     check_translation},
    {"rotation",
     kBodies,
     "a rotation of space turns points and directions, by scalar coordinates too where they can; T "
     "and strains stay, at an instant and over a step (if claimed)",
     check_rotation},
    {"potential",
     kBodies,
     "elastic forces are the gradient of U, and its discrete gradient over a step",
     check_potential},
    {"pose",
     kBodies,
     "position and attitude agree with the points of the body, and velocities with differences",
     check_pose},
    {"reach",
     kBodies,
     "no coordinate moves the reference point or a node by three times its reach",
     check_reach},
};

}  // namespace

std::span<const Check> body_motion_checks() {
    return kBodyMotionChecks;
}

}  // namespace ancora::verify
