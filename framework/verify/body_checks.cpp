// SPDX-License-Identifier: BSD-3-Clause
// Checks of bodies at a state: start, mass, inertia forces, attachments.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "body_specimen.hpp"

namespace ancora::verify {

namespace {

// --- start and mass

void check_start(Subject& subject) {
    for_each_example(subject, [](const Example& example) {
        const BodySpecimen specimen(example);
        const auto n = static_cast<std::size_t>(specimen.n());
        std::array<std::vector<double>, 2> found;
        for (std::size_t k = 0; k < 2; ++k) {
            found[k].assign(2 * n, k == 0 ? -1.25e300 : 3.5e300);
            guard("start", [&] {
                specimen.body().start(std::span(found[k]).first(n), std::span(found[k]).last(n));
            });
        }
        for (std::size_t i = 0; i < 2 * n; ++i) {
            const char name = i < n ? 'q' : 'v';
            if (found[0][i] == -1.25e300 && found[1][i] == 3.5e300)
                throw Failure(fmt::format("start() does not write {}[{}]", name, i % n));
            if (!std::isfinite(found[0][i]))
                throw Failure(fmt::format("start() writes {} to {}[{}]", found[0][i], name, i % n));
            if (std::bit_cast<std::uint64_t>(found[0][i]) !=
                std::bit_cast<std::uint64_t>(found[1][i]))
                throw Failure(
                    fmt::format("start() writes another {}[{}] in its second call", name, i % n));
        }
    });
}

void require_semidefinite(const Matrix& M, const char* what) {
    const double size = M.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < M.rows(); ++i)
        for (Eigen::Index j = 0; j < i; ++j)
            if (!(std::abs(M(i, j) - M(j, i)) <= kRounding * size))
                throw Failure(
                    fmt::format("{} is not symmetric: M({}, {}) is {:.9g}, M({}, {}) is "
                                "{:.9g}",
                                what,
                                i,
                                j,
                                M(i, j),
                                j,
                                i,
                                M(j, i)));
    const double lowest =
        Eigen::SelfAdjointEigenSolver<Matrix>(M, Eigen::EigenvaluesOnly).eigenvalues()(0);
    if (!(lowest >= -kRounding * size))
        throw Failure(fmt::format(
            "{} is not positive semidefinite: its lowest eigenvalue is {:.6g}", what, lowest));
}

/// M of a body whose mass changes with time, and its rate, one after the other.
Vector timed_mass(const BodySpecimen& specimen, double t) {
    const auto n = static_cast<std::size_t>(specimen.n());
    std::vector<double> values(2 * n * n);
    guard("evaluate_mass", [&] {
        const std::span<double> all(values);
        specimen.body().evaluate_mass({.t = t}, {.M = all.first(n * n), .rate = all.last(n * n)});
    });
    return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// M at t = 0 is that of mass(); at others it has its pattern, keeps mass, and changes at its rate.
void check_timed_mass(const BodySpecimen& specimen, const Mass& pattern, Random& random) {
    const int n = specimen.n(), size = n * n;
    const auto square = [&](const Vector& values) -> Matrix {
        return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(
            values.data(), n, n);
    };
    const double largest = pattern.M.cwiseAbs().maxCoeff();
    compare_rows(square(timed_mass(specimen, 0.0).head(size)),
                 pattern.M,
                 Vector::Constant(n, largest),
                 kRounding,
                 "M by evaluate_mass at t = 0",
                 "mass() gave");
    for (int k = 0; k < kBodyStates; ++k) {
        const double t = random.uniform(0.0, 1.0);
        const Vector values = timed_mass(specimen, t);
        const Matrix M = square(values.head(size));
        require_semidefinite(M, "the mass matrix at a sampled time");
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                if (M(i, j) != 0.0 && pattern.is_given(i, j) == 0)
                    throw Failure(
                        fmt::format("M({}, {}) is {:.6g} at t = {:.3g} s, but mass() did "
                                    "not add it to the pattern",
                                    i,
                                    j,
                                    M(i, j),
                                    t));
                if (i == j && (M(i, i) > 0.0) != (pattern.M(i, i) > 0.0))
                    throw Failure(
                        fmt::format("M({}, {}) is {:.6g} at t = {:.3g} s and {:.6g} at "
                                    "the start; what has mass must keep some",
                                    i,
                                    i,
                                    M(i, i),
                                    t,
                                    pattern.M(i, i)));
            }
        double error = 0.0;
        const Vector expected = derivative(error, [&](double h) -> Vector {
            return timed_mass(specimen, t + h).head(size);
        });
        compare_rows(square(values.tail(size)),
                     square(expected),
                     Vector::Constant(n, largest + allowance(error)),
                     kDifference,
                     fmt::format("dM/dt by evaluate_mass at t = {:.3g} s", t),
                     "differences of M give");
    }
}

void check_mass(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BodySpecimen specimen(example);
        const Mass pattern(specimen.body(), specimen.n());
        require_semidefinite(pattern.M, "the mass matrix");
        if (specimen.body().mass_kind() == MassKind::of_time) {
            Random times(subject.seed);
            check_timed_mass(specimen, pattern, times);
        }
        if (specimen.body().mass_kind() != MassKind::of_state) return;
        const State start = specimen.start();
        const Matrix at_start = specimen.mass(start.q, start.v);
        compare_rows(at_start,
                     pattern.M,
                     Vector::Constant(specimen.n(), pattern.M.cwiseAbs().maxCoeff()),
                     kRounding,
                     "M by evaluate_mass at the start",
                     "mass() gave");
        Random random(subject.seed);
        for (int k = 0; k < kBodyStates; ++k) {
            const State at = specimen.random(random);
            const Matrix M = specimen.mass(at.q, at.v);
            require_semidefinite(M, "the mass matrix at a sampled state");
            for (Eigen::Index i = 0; i < M.rows(); ++i)
                for (Eigen::Index j = 0; j < M.cols(); ++j)
                    if (M(i, j) != 0.0 && pattern.is_given(i, j) == 0)
                        throw Failure(
                            fmt::format("M({}, {}) is {:.6g} at a sampled state, but "
                                        "mass() did not add it to the pattern",
                                        i,
                                        j,
                                        M(i, j)));
        }
    });
}

void check_inertia_force(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BodySpecimen specimen(example);
        if (specimen.body().mass_kind() != MassKind::of_state)
            throw Skipped("the mass is constant");
        Random random(subject.seed);
        for (int k = 0; k < kBodyStates; ++k) {
            const State at = specimen.random(random);
            double error = 0.0;
            Vector force;
            specimen.mass(at.q, at.v, &force);
            Vector expected(specimen.n());
            for (int j = 0; j < specimen.n(); ++j)
                expected(j) = derivative(error, [&](double h) -> Vector {
                    Vector q = at.q;
                    q(j) += h;
                    return Vector::Constant(1, specimen.kinetic_energy(q, at.v));
                })(0);
            expected -= derivative(error, [&](double h) -> Vector {
                return specimen.mass(at.q + h * at.v, at.v) * at.v;
            });
            const double size = force.cwiseAbs().maxCoeff() + expected.cwiseAbs().maxCoeff();
            compare_rows(force,
                         expected,
                         Vector::Constant(specimen.n(), size + allowance(error) + 1e-12),
                         kDifference,
                         "the force of evaluate_mass",
                         "differences of T and M v give");
        }
    });
}

// --- attachments

void check_attachments(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BodySpecimen specimen(example);
        Random random(subject.seed);
        const std::vector<NamedAttachment> found = attachments(specimen, random);
        if (found.empty())
            throw Failure("the body answers no point [x, y, z], no direction and no node");
        for (const NamedAttachment& entry : found)
            for (int k = 0; k < kBodyStates; ++k) {
                const State at = specimen.random(random);
                double error = 0.0;
                const Attached& attached = entry.attached;
                const auto values = attached.evaluate(at.q, at.v);
                if (!values.J.allFinite() || !values.r.allFinite() || !values.bias.allFinite())
                    throw Failure(fmt::format("{} is not finite", entry.name));
                if (!attached.is_nonlinear()) break;
                Matrix differences(3, specimen.n());
                for (int j = 0; j < specimen.n(); ++j)
                    differences.col(j) = derivative(error, [&](double h) -> Vector {
                        Vector q = at.q;
                        q(j) += h;
                        return attached.evaluate(q, at.v).r;
                    });
                const double size =
                    values.J.cwiseAbs().maxCoeff() + differences.cwiseAbs().maxCoeff();
                compare_rows(values.J,
                             differences,
                             Vector::Constant(3, size + allowance(error)),
                             kDifference,
                             "J of " + entry.name,
                             "differences of r give");
                // r'' = J q'' + bias
                const Vector acceleration = derivative(error, [&](double h) -> Vector {
                    Vector q(specimen.n()), v(specimen.n());
                    at.motion.evaluate(h, view(q), view(v), {});
                    return attached.evaluate(q, v).J * v;
                });
                const Vector bias = acceleration - values.J * at.a;
                const double scale = acceleration.norm() + values.J.norm() * at.a.norm();
                compare_rows(Vector(values.bias),
                             bias,
                             Vector::Constant(3, scale + allowance(error)),
                             kDifference,
                             "the bias of " + entry.name,
                             "d(J v)/dt - J a along a motion is");
            }
        // what the body does not have
        const auto require_refusal = [&](const Locator& where, const char* what) {
            try {
                static_cast<void>(Attached(specimen, where));
            } catch (const std::invalid_argument&) {
                return;
            } catch (const Failure&) {
                throw;
            } catch (const std::exception& error) {
                throw Failure(fmt::format(
                    "{} is refused by \"{}\"; throw std::invalid_argument", what, error.what()));
            }
            throw Failure(fmt::format("attach() accepts {}", what));
        };
        Locator where;
        where.kind = Locator::Kind::index;
        for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{1} << 40}) {
            where.index = index;
            require_refusal(where, fmt::format("node {}", index).c_str());
        }
        where.kind = Locator::Kind::name;
        where.name = "no such point";
        require_refusal(where, "the name \"no such point\"");
    });
}

constexpr Check kBodyChecks[] = {
    {"start", kBodies, "start() writes every coordinate and velocity, finite", check_start},
    {"mass",
     kBodies,
     "M is symmetric, positive semidefinite, and in its pattern; over time it changes at its rate",
     check_mass},
    {"inertia_force",
     kBodies,
     "the force of evaluate_mass against differences of T and M v",
     check_inertia_force},
    {"attachments",
     kBodies,
     "J and bias of points and directions against differences; unknown ones are refused",
     check_attachments},
};

}  // namespace

std::span<const Check> body_checks() {
    return kBodyChecks;
}

}  // namespace ancora::verify
