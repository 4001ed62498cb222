// SPDX-License-Identifier: BSD-3-Clause
// Checks of rows: derivatives against differences, and the identities of the discrete formulation.
#include <algorithm>
#include <cmath>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "differences.hpp"
#include "row_states.hpp"
#include "step_call.hpp"

namespace ancora::verify {
namespace {

Vector row_size(const Matrix& a, const Matrix& b, double more = 0.0) {
    const Vector size = a.cwiseAbs().rowwise().maxCoeff() + b.cwiseAbs().rowwise().maxCoeff();
    return size.array() + more;
}

bool any(const Block&) {
    return true;
}
bool has_positions(const Block& block) {
    return !block.is_velocity() && !block.is_acceleration();
}
bool is_unilateral(const Block& block, Eigen::Index row) {
    return law(block.shape(), static_cast<std::size_t>(row)).kind == RowKind::unilateral;
}
/// Whether the last of several rows presses nothing at any state: steps end where it closes, as
/// those of features do that are chosen anew there. What it is a function of is its own affair. A
/// Jacobian that has been forgotten is one that is not written, which check_outputs() finds.
bool has_guard(const Block& block, const Stage& stage, Random& random) {
    constexpr int kGuardLooks = 16;
    const Eigen::Index last = block.num_rows_of() - 1;
    if (last < 1 || !has_positions(block) || !is_unilateral(block, last)) return false;
    for (int k = 0; k < kGuardLooks; ++k) {
        const At at = random_state(stage, random);
        if (!block.evaluate(at.u, at.du, at.t).A.row(last).isZero(0.0)) return false;
    }
    return true;
}
/// What may not overlap is far from each other: no row presses.
bool is_far(const Block& block, const Matrix& A) {
    if (!A.isZero(0.0)) return false;
    for (Eigen::Index row = 0; row < A.rows(); ++row)
        if (!is_unilateral(block, row)) return false;
    return true;
}
constexpr const char* kNoRows = "the object has no rows";
constexpr const char* kNoPositions = "no row has a value pi";

// --- continuous formulation

void check_jacobian(Subject& subject) {
    for_each_block(
        subject,
        "no row of which A is a derivative",
        [](const Block& block) {
            return !block.is_acceleration();
        },
        [](const Block& block, const Stage& stage, Random& random) {
            const Vector none;
            const bool guards = has_guard(block, stage, random);
            for (int k = 0; k < kRowStates; ++k) {
                const At at = state_of(k, Placement::far, stage, random);
                double error = 0.0;
                const Block::Values values = block.evaluate(at.u, at.du, at.t);
                const Matrix& A = values.A;
                Matrix differences(A.rows(), A.cols());
                for (Eigen::Index j = 0; j < A.cols(); ++j)
                    differences.col(j) = derivative(error, [&](double h) -> Vector {
                        Vector x = block.is_velocity() ? at.du : at.u;
                        x(j) += h;
                        return block.is_velocity() ? block.rate(at.u, x, at.t)
                                                   : block.evaluate(x, at.du, at.t).pi;
                    });
                if (guards) differences.bottomRows(1).setZero();
                compare_rows(A,
                             differences,
                             row_size(A, differences, allowance(error)),
                             kDifference,
                             "A of " + block.where(),
                             block.is_velocity() ? "differences of psi in u' give"
                                                 : "differences of pi give");
                if (block.shape().degree == Degree::linear && !block.is_velocity()) {
                    const Matrix other =
                        block.evaluate(random_state(stage, random).u, at.du, at.t).A;
                    compare_rows(other,
                                 A,
                                 row_size(A, other),
                                 kRounding,
                                 "A of " + block.where() + ", said to be linear,",
                                 "at another state it was");
                }
            }
        });
}

void check_time_derivative(Subject& subject) {
    for_each_block(subject,
                   kNoPositions,
                   has_positions,
                   [](const Block& block, const Stage& stage, Random& random) {
                       for (int k = 0; k < kRowStates; ++k) {
                           const At at = random_state(stage, random);
                           double error = 0.0;
                           const Block::Values values = block.evaluate(at.u, at.du, at.t);
                           const Vector differences = derivative(error, [&](double h) -> Vector {
                               return block.evaluate(at.u, at.du, at.t + h).pi;
                           });
                           const Vector scale = values.pi.cwiseAbs() + values.pi_t.cwiseAbs() +
                                                differences.cwiseAbs() +
                                                values.A.cwiseAbs().rowwise().maxCoeff();
                           compare_rows(
                               values.pi_t,
                               differences,
                               scale.array() + allowance(error),
                               kDifference,
                               block.shape().depends_on_time
                                   ? "pi_t of " + block.where()
                                   : "pi_t of " + block.where() + ", said not to depend on time,",
                               "differences of pi in t give");
                       }
                   });
}

// d/dt (A u' + pi_t) = A u'' - b along the motion
void check_bias(Subject& subject) {
    for_each_block(
        subject,
        "no row of which b is a derivative",
        [](const Block& block) {
            return !block.is_acceleration();
        },
        [](const Block& block, const Stage& stage, Random& random) {
            for (int k = 0; k < kRowStates; ++k) {
                const At at = state_of(k, Placement::far, stage, random);
                double error = 0.0;
                const Block::Values values = block.evaluate(at.u, at.du, at.t);
                const Vector differences = derivative(error, [&](double h) -> Vector {
                    return block.rate(at.u_at(h), at.du_at(h), at.t + h);
                });
                const Vector expected = values.A * at.ddu - differences;
                const Vector scale = values.A.cwiseAbs() * at.ddu.cwiseAbs() +
                                     differences.cwiseAbs() + values.b.cwiseAbs() +
                                     values.A.cwiseAbs() * at.du.cwiseAbs();
                compare_rows(values.b,
                             expected,
                             scale.array() + allowance(error),
                             kDifference,
                             "b of " + block.where(),
                             "A u'' - d(A u' + pi_t)/dt along a motion is");
            }
        });
}

// --- discrete formulation

// An identity in steps says nothing of a pi that jumps: it holds across the jump as well. A jump
// stays however short the step about it becomes, and A is bounded on both sides of it. Where A
// grows without bound, at least as one over the root of the distance, the step goes through a
// singularity, such as a direction along the axis about which its angle is measured: pi has no
// value there, and no step that is solved leads through it.
void require_no_jump(const Block& block, const At& at, double h) {
    constexpr double kLongest = 0.02;    // [s]
    constexpr double kShortest = 1e-11;  // [s]; shorter ones end in the rounding errors of u
    constexpr double kFactor = 4.0;
    if (h > kLongest) return;
    const auto values = [&](double t) {
        return block.evaluate(at.u_at(t), at.du, at.t + t);
    };
    const auto change = [&](double t0, double t1) -> Vector {
        const Vector u1 = at.u_at(t1);
        const Block::StepValues step = block.evaluate_step(at.u_at(t0), u1, at.t + t0, t1 - t0);
        return block.evaluate(u1, at.du, at.t + t1, step.state1).pi - values(t0).pi;
    };
    const Block::Values start = values(0.0), end = values(h);
    const Vector du = (at.u_at(h) - at.u).cwiseAbs();
    const Vector whole = change(0.0, h);
    const Vector likely = (start.A.cwiseAbs() + end.A.cwiseAbs()) * du +
                          h * (start.pi_t.cwiseAbs() + end.pi_t.cwiseAbs());
    for (Eigen::Index i = 0; i < whole.size(); ++i) {
        if (std::abs(whole(i)) <= kFactor * likely(i) + kRounding * std::abs(start.pi(i))) continue;
        double t0 = 0.0, t1 = h, left = whole(i);
        while (t1 - t0 > kShortest) {
            const double middle = 0.5 * (t0 + t1);
            const double first = change(t0, middle)(i), second = change(middle, t1)(i);
            const bool is_in_first = std::abs(first) > std::abs(second);
            left = is_in_first ? first : second;
            (is_in_first ? t1 : t0) = middle;
        }
        if (std::abs(left) < 0.5 * std::abs(whole(i))) continue;
        const auto steepness = [i](const Block::Values& of) {
            return of.A.row(i).cwiseAbs().maxCoeff();
        };
        const double far = std::min(steepness(start), steepness(end));
        const double near = std::max(steepness(values(t0)), steepness(values(t1)));
        if (!(near <= std::sqrt(h / (t1 - t0)) * far)) continue;
        throw Failure(
            fmt::format("pi of {} jumps from {:.6g} to {:.6g} in row {} within {:.2g} s: an angle "
                        "that passes pi has to count its turns",
                        block.where(),
                        start.pi(i),
                        start.pi(i) + whole(i),
                        i,
                        h));
    }
}

// A dashpot has no energy for the identity to keep. Where its direction turns by more than a right
// angle, what pi changes by says nothing of the way that was damped: past a point, |d| is as
// before.
bool is_damped_around(const Block& block,
                      Eigen::Index row,
                      const Block::Values& start,
                      const Block::Values& end) {
    return law(block.shape(), static_cast<std::size_t>(row)).kind == RowKind::dashpot &&
           start.A.row(row).dot(end.A.row(row)) < 0.0;
}

void check_discrete_identity(Subject& subject) {
    for_each_block(
        subject,
        "no row has a discrete face",
        [](const Block& block) {
            // sliding rates may be taken across the discrete gradient of what holds the point
            return !block.is_acceleration() && !(block.is_tangential() && block.is_velocity());
        },
        [](const Block& block, const Stage& stage, Random& random) {
            const bool guards = has_guard(block, stage, random);
            for (int k = 0; k < 4 * kRowStates; ++k) {
                const At at = state_of(k, Placement::turned, stage, random);
                // from steps that change everything to steps that change the seventh digit
                double h = std::pow(10.0, -random.uniform(0.3, 6.0));
                // or that pass where an angle is pi
                if (k % 3 == 2) h = std::pow(10.0, -random.uniform(1.7, 3.0));
                const Vector u1 = at.u_at(h);
                const Vector du = u1 - at.u;
                const Block::StepValues step = block.evaluate_step(at.u, u1, at.t, h);
                const Vector change = step.B * du + step.tau;
                Vector expected;
                Vector scale = step.B.cwiseAbs() * (du.cwiseAbs() + 1e-3 * at.u.cwiseAbs()) +
                               step.tau.cwiseAbs();
                if (block.is_velocity()) {
                    expected = h * block.rate(at.u + 0.5 * du, du / h, at.t + 0.5 * h);
                    scale += expected.cwiseAbs();
                } else {
                    const Block::Values start = block.evaluate(at.u, at.du, at.t);
                    const Block::Values end = block.evaluate(u1, at.du, at.t + h, step.state1);
                    expected = end.pi - start.pi;
                    scale += start.pi.cwiseAbs() + end.pi.cwiseAbs();
                    for (Eigen::Index i = 0; i < expected.size(); ++i)
                        if (is_damped_around(block, i, start, end) ||
                            (guards && i + 1 == expected.size()))
                            expected(i) = change(i);
                    require_no_jump(block, at, h);
                }
                compare_rows(change,
                             expected,
                             scale,
                             kRounding,
                             fmt::format("B du + tau of {} over {:.2g} s", block.where(), h),
                             block.is_velocity() ? "h psi at the midpoint is"
                                                 : "pi(u1, t1) - pi(u0, t0) is");
            }
        });
}

// B -> A as steps shrink along a motion. The identity above says nothing of B across du.
void check_consistency(Subject& subject) {
    if (subject.type.kind == TypeKind::force) {
        check_force_consistency(subject);
        return;
    }
    for_each_block(
        subject,
        "no row has a discrete face",
        [](const Block& block) {
            return !block.is_acceleration();
        },
        [](const Block& block, const Stage& stage, Random& random) {
            for (int k = 0; k < kRowStates; ++k) {
                const At at = random_state(stage, random);
                Matrix A, B;
                const auto difference = [&](double h) -> Matrix {
                    const Vector u0 = at.u_at(-0.5 * h), u1 = at.u_at(0.5 * h), du = u1 - u0;
                    A = block.evaluate(u0 + 0.5 * du, du / h, at.t + 0.5 * h).A;
                    B = block.evaluate_step(u0, u1, at.t, h).B;
                    return (B - A).cwiseAbs();
                };
                Vector at_long = Vector::Zero(block.num_rows_of());
                for (const double h : kLongSteps)
                    at_long = at_long.cwiseMax(difference(h).rowwise().maxCoeff());
                const Matrix at_short = difference(kShortStep);
                const Vector size = row_size(A, B);
                for (Eigen::Index i = 0; i < at_short.rows(); ++i)
                    for (Eigen::Index j = 0; j < at_short.cols(); ++j)
                        if (!vanishes(at_long(i), at_short(i, j), size(i)))
                            throw Failure(fmt::format(
                                "B of {} is {:.9g} at row {}, scalar {} over a step of {:g} s, A "
                                "at its middle {:.9g}: the two must agree as steps shrink",
                                block.where(),
                                B(i, j),
                                i,
                                j,
                                kShortStep,
                                A(i, j)));
            }
        });
}

// On the first attachment the rows that slide are orthonormal and across the rows that hold.
void check_sliding(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BoundArguments arguments = example.bind();
        const Object object = example.make(arguments);
        const std::vector<RowPart> parts = row_parts(object);
        if (parts.size() < 2) throw Skipped("nothing slides on it");
        if (facets_of(*object.constraint).joint != nullptr)
            throw Skipped("what slides in a joint is a measure of it");
        const Stage stage(example.type(), arguments, object);
        skip_wrong_sizes(stage, object);
        const int n = stage.num_scalars();
        const Block sliding(object, parts[1], 0, n);
        Random random(subject.seed);
        for (int k = 0; k < kRowStates; ++k) {
            const At at = random_state(stage, random, 0.0);
            const Matrix all = sliding.evaluate(at.u, at.du, at.t).A;
            const int each = sliding.shape().rows_per_item, items = sliding.shape().num_items;
            for (int item = 0; item < items; ++item) {
                // Of many pairs the first attachment is the item's own.
                const int first =
                    sliding.shape()
                        .stencil[static_cast<std::size_t>(item * sliding.shape().scalars_per_item)];
                const Matrix T = all.block(item * each, first, each, 3);
                const Matrix product = T * T.transpose();
                compare_rows(product,
                             Matrix::Identity(T.rows(), T.rows()),
                             Vector::Ones(T.rows()),
                             1e-9,
                             "t_i . t_j of " + sliding.where(),
                             "orthonormal directions have");
                const auto count = static_cast<int>(object.constraint->row_blocks().size());
                int row = item;
                for (int b = 0; b < count; ++b) {
                    const Block block(object, parts[0], b, n);
                    Matrix A = block.evaluate(at.u, at.du, at.t).A.middleCols(first, 3);
                    // Of several rows that may open each slides by itself; they are counted over
                    // all blocks.
                    if (items > 1) {
                        const auto rows = static_cast<int>(A.rows());
                        row -= rows;
                        if (row < -rows || row >= 0) continue;
                        A = Matrix(A.row(row + rows));
                    }
                    compare_rows(Matrix(A * T.transpose()),
                                 Matrix::Zero(A.rows(), T.rows()),
                                 A.cwiseAbs().rowwise().sum(),
                                 1e-9,
                                 "A of " + block.where() + " along what slides",
                                 "tangential directions have");
                }
            }
        }
    });
}

void check_rigid_motion(Subject& subject) {
    if (!subject.type.claims.has(Claim::rigid_motion_invariant)) throw Skipped("not claimed");
    for_each_example(subject, [&](const Example& example) {
        const BoundArguments arguments = example.bind();
        const Object object = example.make(arguments);
        if (facets_of(*object.constraint).tied_to_inertial_frame)
            throw Skipped("every example is tied to the inertial frame");
        const Stage stage(example.type(), arguments, object);
        skip_wrong_sizes(stage, object);
        Random random(subject.seed);
        const RowPart part = row_parts(object).front();
        const auto count = static_cast<int>(part.of(object)->row_blocks().size());
        for (int index = 0; index < count; ++index) {
            const Block block(object, part, index, stage.num_scalars());
            if (!has_positions(block)) continue;
            for (int k = 0; k < kRowStates; ++k) {
                const At at = random_state(stage, random);
                const Mat3 R = random.rotation();
                const Vec3 c = random.vector();
                Vector moved = at.u;
                if (!stage.move(R, c, {moved.data(), at.size()}))
                    throw Failure(
                        "claims invariance under rigid motions, but reads coordinates "
                        "that stand alone");
                const Vector pi = block.evaluate(at.u, at.du, at.t).pi;
                const Vector after = block.evaluate(moved, at.du, at.t).pi;
                const Matrix A = block.evaluate(at.u, at.du, at.t).A;
                const Vector scale = pi.cwiseAbs() + A.cwiseAbs().rowwise().sum();
                compare_rows(after,
                             pi,
                             scale,
                             kRounding,
                             "pi of " + block.where() + " after a rigid motion",
                             "before it was");

                // momentum and angular momentum in a step: B annihilates rigid motions
                const Vector u1 = at.u_at(0.2);
                const Block::StepValues step = block.evaluate_step(at.u, u1, at.t, 0.2);
                const Vector mid = at.u + 0.5 * (u1 - at.u);
                Vector turn(mid.size());
                stage.spin(c, {mid.data(), at.size()}, {turn.data(), at.size()});
                compare_rows(Vector(step.B * turn),
                             Vector::Zero(turn.size() ? step.B.rows() : 0),
                             Vector(step.B.cwiseAbs() * turn.cwiseAbs()),
                             kRounding,
                             "B (w x r) of " + block.where() + " at the midpoint",
                             "an invariant row has");
                Vector shift = mid;
                stage.move(Mat3::Identity(), c, {shift.data(), at.size()});
                shift -= mid;
                compare_rows(Vector(step.B * shift),
                             Vector::Zero(step.B.rows()),
                             Vector(step.B.cwiseAbs() * (shift.cwiseAbs() + mid.cwiseAbs())),
                             kRounding,
                             "B c of " + block.where() + " for a translation",
                             "an invariant row has");
            }
        }
    });
}

void check_row_tangent(Subject& subject) {
    for_each_block(
        subject,
        "no block supplies a tangent",
        [](const Block& block) {
            return num_tangent(block.shape()) > 0 && has_positions(block);
        },
        [](const Block& block, const Stage& stage, Random& random) {
            for (int k = 0; k < kRowStates; ++k) {
                const At at = random_state(stage, random);
                double error = 0.0;
                Vector s(block.num_rows_of());
                for (double& x : s) x = random.uniform();
                // A tangent is not told the time; where the geometry of elastic rows moves with it,
                // the stress that they have says what it is
                if (block.shape().depends_on_time) {
                    const Vector pi = block.evaluate(at.u, at.du, at.t).pi;
                    for (Eigen::Index row = 0; row < s.size(); ++row) {
                        const RowLaw& of = law(block.shape(), static_cast<std::size_t>(row));
                        if (of.kind == RowKind::elastic && of.law == nullptr)
                            s(row) = pi(row) / of.compliance;
                    }
                }
                const Matrix G = block.tangent(at.u, s, false);
                Matrix differences(G.rows(), G.cols());
                for (Eigen::Index j = 0; j < G.cols(); ++j)
                    differences.col(j) = derivative(error, [&](double h) -> Vector {
                        Vector x = at.u;
                        x(j) += h;
                        return block.evaluate(x, at.du, at.t).A.transpose() * s;
                    });
                const double size =
                    G.cwiseAbs().maxCoeff() + differences.cwiseAbs().maxCoeff() + 1e-12;
                compare_rows(G,
                             differences,
                             Vector::Constant(G.rows(), size + allowance(error)),
                             kDifference,
                             "G of " + block.where(),
                             "differences of A^T s give");
                const Matrix positive = block.tangent(at.u, s, true);
                const double asymmetry = (positive - positive.transpose()).cwiseAbs().maxCoeff();
                const double lowest =
                    Eigen::SelfAdjointEigenSolver<Matrix>(positive, Eigen::EigenvaluesOnly)
                        .eigenvalues()(0);
                if (!(asymmetry <= kRounding * size) || !(lowest >= -1e-9 * size))
                    throw Failure(
                        fmt::format("the positive part of G of {} has the eigenvalue "
                                    "{:.3g} and the asymmetry {:.3g}",
                                    block.where(),
                                    lowest,
                                    asymmetry));
            }
        });
}

// A row such as phi^2 has a Jacobian everywhere but where it is satisfied.
void check_rank_on_constraint(const Block& block, const Stage& stage, Random& random) {
    Vector anywhere = Vector::Zero(block.num_rows_of()), satisfied = anywhere;
    int found = 0;
    for (int k = 0; k < kRowStates; ++k) {
        const At at = random_state(stage, random);
        Vector u;
        if (!find_satisfied(block, at, u)) continue;
        ++found;
        const auto largest = [&](const Vector& x) -> Vector {
            return block.evaluate(x, at.du, at.t).A.cwiseAbs().rowwise().maxCoeff();
        };
        anywhere = anywhere.cwiseMax(largest(at.u));
        satisfied = satisfied.cwiseMax(largest(u));
    }
    for (Eigen::Index i = 0; found > 0 && i < anywhere.size(); ++i)
        if (anywhere(i) > 0.0 && !(satisfied(i) > 1e-6 * anywhere(i)))
            throw Failure(
                fmt::format("A of {} is zero at row {} wherever the rows are satisfied: they hold "
                            "nothing there (is pi a square?)",
                            block.where(),
                            i));
}

void check_rank(Subject& subject) {
    std::string only_far;
    bool holds = false;
    for_each_block(subject, kNoRows, any, [&](const Block& block, const Stage& stage, Random& r) {
        Eigen::Index lowest = block.num_rows_of();
        bool is_always_far = true;
        for (int k = 0; k < kRowStates; ++k) {
            const At at = random_state(stage, r);
            const Matrix A = block.evaluate(at.u, at.du, at.t).A;
            Eigen::ColPivHouseholderQR<Matrix> qr(A.rows(), A.cols());
            qr.setThreshold(1e-10);
            qr.compute(A);
            lowest = std::min(lowest, qr.rank());
            is_always_far = is_always_far && is_far(block, A);
        }
        // Another example has what is near.
        if (is_always_far) {
            only_far = block.where();
            return;
        }
        holds = true;
        if (lowest == 0)
            throw Failure(fmt::format("A of {} is zero: the rows hold nothing", block.where()));
        if (has_positions(block) && block.kind() == RowKind::constraint)
            check_rank_on_constraint(block, stage, r);
        if (lowest < block.num_rows_of())
            subject.remark = fmt::format(
                "{} has rank {} with {} rows", block.where(), lowest, block.num_rows_of());
    });
    if (!holds && !only_far.empty())
        throw Failure(fmt::format("A of {} is zero: the rows hold nothing", only_far));
}

constexpr Check kRowChecks[] = {
    {"jacobian", kRows, "A against differences of pi, or of psi in u'", check_jacobian},
    {"time_derivative", kRows, "pi_t against differences in t", check_time_derivative},
    {"bias", kRows, "b against differences along a motion", check_bias},
    {"discrete_identity",
     kRows,
     "B du + tau = pi(u1, t1) - pi(u0, t0) to rounding, and pi does not jump (angles through pi)",
     check_discrete_identity},
    {"consistency",
     kModels,
     "B and f over short steps against A and f at their middle",
     check_consistency},
    {"sliding",
     kConstraints,
     "directions of sliding are orthonormal and across the rows that hold",
     check_sliding},
    {"rigid_motion",
     kConstraints,
     "pi does not change under a rigid motion, and B annihilates one (if claimed)",
     check_rigid_motion},
    {"tangent",
     kRows,
     "G against differences of A^T s; its positive part is one",
     check_row_tangent},
    {"rank",
     kRows,
     "A is not zero at sampled states, and neither zero nor NaN where the rows are satisfied",
     check_rank},
};

}  // namespace

std::span<const Check> row_checks() {
    return kRowChecks;
}

}  // namespace ancora::verify
