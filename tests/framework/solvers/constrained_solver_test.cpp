// SPDX-License-Identifier: BSD-3-Clause
// The constrained solver against extended precision: both paths, any rank, any scale, islands,
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <random>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "constrained_systems.hpp"
#include "envelope_cholesky.hpp"
#include "support/dense.hpp"
#include "support/near.hpp"

// The sanitizers bring a malloc of their own, beside which ours cannot be.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCounts = false;
#else
constexpr bool kCounts = true;
#endif

namespace {
std::atomic<bool> is_counting{false};
std::atomic<long> num_allocations{0};

[[maybe_unused]] void note_allocation() {
    if (is_counting.load(std::memory_order_relaxed)) ++num_allocations;
}
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

[[gnu::visibility("default")]] void* malloc(std::size_t size) {
    note_allocation();
    return __libc_malloc(size);
}
[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) {
    note_allocation();
    return __libc_calloc(count, size);
}
[[gnu::visibility("default")]] void* realloc(void* old, std::size_t size) {
    note_allocation();
    return __libc_realloc(old, size);
}
[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) {
    note_allocation();
    return __libc_memalign(alignment, size);
}
[[gnu::visibility("default")]] int posix_memalign(void** out,
                                                  std::size_t alignment,
                                                  std::size_t size) {
    note_allocation();
    *out = __libc_memalign(alignment, size);
    return *out == nullptr ? ENOMEM : 0;
}
}
#endif

namespace ancora::testing {
namespace {

/// How far the paths' solutions are apart.
struct Gap {
    double x;
    double lambda;
};
Gap gap(const System& s) {
    const Solution dense = solve(s, SolverPath::dense);
    const Solution sparse = solve(s, SolverPath::sparse);
    CHECK(dense.status == SolverStatus::good);
    CHECK(sparse.status == SolverStatus::good);
    CHECK(dense.is_solved);
    CHECK(sparse.is_solved);
    return {distance(sparse.x, dense.x), distance(sparse.lambda, dense.lambda)};
}

struct Errors {
    double x = 0.0;
    double lambda = 0.0;
    double gap = 0.0;  // between the paths
};

/// Worst relative errors of both paths over random systems, and how far the paths are apart.
enum class Against { reference, each_other };
Errors errors_of(unsigned seed,
                 int trials,
                 int most_coordinates,
                 int most_massless,
                 double mass_condition,
                 double row_condition,
                 Against against = Against::reference) {
    Random random(seed);
    Errors out;
    if (!kCounts) trials /= 10;  // sanitizers make 50 digits slow
    for (int trial = 0; trial < trials; ++trial) {
        CAPTURE(trial);
        const int n = 2 + random.below(most_coordinates - 1);
        const int rank = 1 + random.below(n - 1);
        const int copies = random.below(5);
        const int massless = std::min(most_massless, rank);
        const System s = random_system(random,
                                       n,
                                       rank,
                                       copies,
                                       massless,
                                       std::pow(mass_condition, random.between(0.0, 1.0)),
                                       std::pow(row_condition, random.between(0.0, 1.0)));
        const bool has_reference = against == Against::reference;
        const Reference exact = has_reference ? reference(s, rank, massless > 0) : Reference{};
        const Solution dense = solve(s, SolverPath::dense);
        const Solution sparse = solve(s, SolverPath::sparse);
        for (const Solution& solution : {dense, sparse}) {
            CHECK(solution.status == SolverStatus::good);
            CHECK(solution.is_solved);
            CHECK(solution.rank == rank);
            CHECK(solution.worst_row < 1e-10);
            if (!has_reference) continue;
            out.x = std::max(out.x, distance(solution.x, exact.x));
            const VectorXd scaled = solution.lambda.cwiseProduct(exact.length);
            out.lambda = std::max(out.lambda, distance(scaled, exact.scaled_lambda));
        }
        out.gap = std::max(out.gap, distance(sparse.x, dense.x));
    }
    return out;
}

/// Sun, ring and carrier, and planets each in mesh with sun and ring: bodies of twelve coordinates
/// with six rows of their own, and rows of meshes whose pattern is that of three whole bodies and
/// whose entries are in one coordinate of each. Two meshes of a planet see one direction of it.
struct GearTrain {
    static constexpr int kOfBody = 12, kOwnRows = 6;

    GearTrain(int planets, std::mt19937& random) : num_planets(planets) {
        std::uniform_real_distribution<double> mass(0.1, 10.0);
        const int num_bodies = 3 + num_planets;
        SystemPattern& pattern = system.pattern;
        pattern.num_coordinates = num_bodies * kOfBody;
        for (int b = 0; b < num_bodies; ++b) {
            pattern.first_of_body.push_back(b * kOfBody);
            for (int i = b * kOfBody; i < (b + 1) * kOfBody; ++i) {
                pattern.mass.emplace_back(i, i);
                system.M.push_back(mass(random));
            }
        }
        pattern.row_start = {0};
        const auto add_bodies = [&](std::initializer_list<int> bodies) {
            for (const int b : bodies)
                for (int i = 0; i < kOfBody; ++i) pattern.column.push_back(b * kOfBody + i);
            pattern.row_start.push_back(static_cast<int>(pattern.column.size()));
        };
        for (int b = 0; b < num_bodies; ++b)
            for (int k = 0; k < kOwnRows; ++k) add_bodies({b});
        for (int p = 0; p < num_planets; ++p)
            for (const int wheel : {kSun, kRing}) add_bodies({wheel, kCarrier, 3 + p});
        system.A.assign(pattern.column.size(), 0.0);
        for (int k = 0; k < 3; ++k) teeth[k] = std::uniform_int_distribution(12, 90)(random);
        turn(random);
    }

    /// Entries, forces and right-hand sides of another position; the meshes stay as they are.
    void turn(std::mt19937& random) {
        std::uniform_real_distribution<double> entry(-1.0, 1.0);
        std::size_t e = 0;
        for (int k = 0; k < (3 + num_planets) * kOwnRows; ++k)
            for (int i = 0; i < kOfBody; ++i) system.A[e++] = i == 0 ? 0.0 : entry(random);
        // z (w - w_carrier) +- z_planet w_planet = r
        for (int p = 0; p < num_planets; ++p)
            for (const int wheel : {kSun, kRing}) {
                system.A[e] = teeth[wheel];
                system.A[e + kOfBody] = -teeth[wheel];
                system.A[e + 2 * kOfBody] = wheel == kSun ? teeth[2] : -teeth[2];
                e += 3 * kOfBody;
            }
        system.f = VectorXd::NullaryExpr(system.n(), [&] {
            return entry(random);
        });
        system.r = VectorXd::Zero(system.m());
        for (int k = 0; k < (3 + num_planets) * kOwnRows; ++k) system.r[k] = entry(random);
    }

    enum : int { kSun, kRing, kCarrier };
    int num_planets;
    double teeth[3] = {};  // of sun, ring and planets
    System system;
};

}  // namespace

TEST_SUITE("constrained solver") {
    TEST_CASE("random systems of any rank against 50 digits") {
        const Errors mild = errors_of(21, 150, 12, 0, 1e2, 1e2);
        CHECK(mild.x <= tolerance(1e-14));
        CHECK(mild.lambda <= tolerance(1e-13));
        CHECK(mild.gap <= tolerance(1e-14));
        const Errors hard = errors_of(22, 150, 12, 0, 1e4, 1e4);
        CHECK(hard.x <= tolerance(1e-14));
        CHECK(hard.lambda <= tolerance(1e-9));
        CHECK(hard.gap <= tolerance(1e-14));
        MESSAGE("errors: mild ", mild.x, " ", mild.lambda, ", hard ", hard.x, " ", hard.lambda);
    }

    TEST_CASE("larger random systems against 50 digits") {
        const Errors hard = errors_of(23, 10, 24, 0, 1e4, 1e4);
        CHECK(hard.x <= tolerance(1e-13));
        CHECK(hard.gap <= tolerance(1e-13));
    }

    TEST_CASE("both paths find the same of random systems of up to 60 coordinates") {
        CHECK(errors_of(23, 60, 60, 0, 1e4, 1e4, Against::each_other).gap <= tolerance(1e-13));
    }

    TEST_CASE("random systems with a singular mass matrix against 50 digits") {
        const Errors mild = errors_of(24, 100, 12, 2, 1e2, 1e2);
        CHECK(mild.x <= tolerance(1e-13));
        CHECK(mild.lambda <= tolerance(1e-12));
        CHECK(mild.gap <= tolerance(1e-13));
        const Errors hard = errors_of(25, 100, 12, 4, 1e4, 1e4);
        CHECK(hard.x <= tolerance(1e-12));
        CHECK(hard.gap <= tolerance(1e-12));
        MESSAGE("errors: mild ", mild.x, " ", mild.lambda, ", hard ", hard.x, " ", hard.lambda);
    }

    TEST_CASE(
        "rows that were chosen are solved for as all are, by a way of their own where clear") {
        Random random(41);
        int num_clear = 0, num_doubtful = 0;
        for (int trial = 0; trial < 120; ++trial) {
            CAPTURE(trial);
            const int n = 4 + random.below(20), rank = 1 + random.below(n / 2);
            const double condition = trial % 3 == 0 ? 1e6 : 1e2;
            const System s = random_system(random, n, rank, 0, trial % 2, 1e2, condition);
            const Solution all = solve(s, SolverPath::dense);
            if (all.status != SolverStatus::good) continue;
            ConstrainedSolver solver(s.pattern, SolverPath::dense);
            for (const RankUse use : {RankUse::choose, RankUse::keep}) {
                VectorXd x = VectorXd::Zero(n), lambda = VectorXd::Zero(s.m());
                REQUIRE(solver.factorise(s.M, s.A, true, use) == SolverStatus::good);
                (solver.is_clear() ? num_clear : num_doubtful) += 1;
                CHECK(solver.num_dropped(0) == 0);
                CHECK(solver.solve(view(s.f), view(s.r), view(x), view(lambda)));
                CHECK(distance(x, all.x) <= tolerance(1e-12));
                CHECK(solver.solve(view(s.f), view(s.r), view(x), view(lambda), Refinement::none));
                CHECK(distance(x, all.x) <= tolerance(1e-6));
                CHECK(solver.rank().rank == all.rank);
            }
        }
        CHECK(num_clear > 100);
        CHECK(num_doubtful > 10);
    }

    TEST_CASE("rows that are chosen take one factor, and one correction of a solution") {
        std::mt19937 random(31);
        for (int sample = 0; sample < 60; ++sample) {
            const int num_planets = 2 + sample % 5;
            CAPTURE(sample);
            GearTrain train(num_planets, random);
            const System& s = train.system;
            ConstrainedSolver solver(s.pattern, SolverPath::sparse);
            REQUIRE(solver.factorise(s.M, s.A, true, RankUse::choose) == SolverStatus::good);
            // Sun and ring are tied by each planet, and once would do.
            CHECK(solver.num_dropped(0) == num_planets - 1);
            for (const RankUse use : {RankUse::keep, RankUse::choose, RankUse::keep}) {
                train.turn(random);
                const Solution expected = solve(s, SolverPath::dense);
                REQUIRE(expected.rank == s.m() - (num_planets - 1));
                const SolverIsland::Counts before = solver.counts();
                REQUIRE(solver.factorise(s.M, s.A, false, use) == SolverStatus::good);
                const SolverIsland::Counts factorised = solver.counts();
                // A choice looks at all rows, and then at those that it keeps.
                CHECK(factorised.factorisations - before.factorisations ==
                      (use == RankUse::keep ? 1 : 2));
                VectorXd x = VectorXd::Zero(s.n()), lambda = VectorXd::Zero(s.m());
                CHECK(solver.solve(view(s.f), view(s.r), view(x), view(lambda)));
                CHECK(solver.counts().solves - factorised.solves == 2);
                CHECK(solver.num_fallbacks() == 0);
                CHECK(distance(x, expected.x) <= tolerance(1e-12));
            }
        }
    }

    TEST_CASE("a mass is singular also where a diagonal entry is small by chance") {
        // Of rank one but for rounding, which is a millionth of the second diagonal entry.
        MatrixXd M(2, 2), A(1, 2);
        M << 1.0, 1e-5, 1e-5, 1e-10 - 2e-16;
        A << 0.0, 1.0;
        System s = full_system(M, A);
        s.f << 3.0, 0.0;
        for (const SolverPath path : kPaths) {
            const Solution found = solve(s, path);
            REQUIRE(found.status == SolverStatus::good);
            CHECK(found.is_solved);
            CHECK(found.x[0] == Near(3.0, 1e-12));
            CHECK(found.x[1] == Near(0.0, 1e-12));
        }
    }

    // Each column is all but the last one's direction, so that the fourth, which depends on them,
    // does so with numbers of 1/e^2: its pivot is 0, and comes out with a million roundings.
    TEST_CASE("a mass of poor columns is semidefinite whatever rounding makes of its last pivot") {
        std::mt19937 random(12);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> decade(-3.3, -2.0);
        const std::vector<double> usual(4, 1.0);
        int negative = 0;
        for (int k = 0; k < 300; ++k) {
            const double e = std::pow(10.0, decade(random));
            Eigen::Matrix3d basis;
            for (double& x : basis.reshaped()) x = normal(random);
            const Eigen::Matrix3d Q = by_eigen::orthonormal_columns(basis);
            Eigen::Matrix<double, 3, 4> v;
            v << Q.col(0), Q.col(0) + e * Q.col(1), Q.col(1) + e * Q.col(2), Q.col(2);
            const auto is_factorised = [&](double less) {
                EnvelopeCholesky M = EnvelopeCholesky::full(4);
                M.clear();
                for (int i = 0; i < 4; ++i)
                    for (int j = 0; j <= i; ++j)
                        M.add(i, j, v.col(i).dot(v.col(j)) - (i == 3 && j == 3 ? less : 0.0));
                return M.factorise(usual.data(), 1e-8);
            };
            CAPTURE(e);
            CHECK(is_factorised(0.0));
            // Ten times what rounding can make
            const double sum = 2.0 * (2.0 + 1.0 / e + 1.0 / (e * e));
            const double clear = std::max(1e-5, 10.0 * 2.3e-16 * sum * sum);
            if (clear < 0.5) {
                CHECK_FALSE(is_factorised(clear));
                ++negative;
            }
        }
        CHECK(negative > 200);
    }
    TEST_CASE("rows that contradict each other are met in the least-squares sense of scaled rows") {
        Random random(26);
        for (int trial = 0; trial < 60; ++trial) {
            const int n = 3 + random.below(8);
            const int rank = 1 + random.below(n - 1);
            System s = random_system(random, n, rank, 3, 0, 10.0, 10.0);
            const Reference consistent = reference(s, rank, false);
            for (int k = 0; k < s.m(); ++k) s.r[k] += random.normal() * consistent.length[k];
            const Reference exact = reference(s, rank, false);
            for (const SolverPath path : kPaths) {
                const Solution out = solve(s, path);
                CHECK(out.is_solved);
                CHECK(distance(out.x, exact.x) <= tolerance(1e-12));
                // what is left of the contradiction, 1e-16, is divided by delta on the sparse path
                CHECK(distance(out.lambda.cwiseProduct(exact.length), exact.scaled_lambda) <=
                      tolerance(path == SolverPath::dense ? 1e-12 : 1e-6));
                CHECK(out.worst_row > 1e-6);
            }
        }
    }

    TEST_CASE(
        "chains, rings and bodies without some inertia: both paths agree to the last digits") {
        const Vector3d solid(0.1, 0.15, 0.2), plate(0.1, 0.15, 0.0), rod(0.1, 0.0, 0.0);
        for (const int count : {1, 2, 3, 10, 20}) {
            CAPTURE(count);
            for (const bool is_hinged : {false, true})
                for (const Vector3d& inertia : {solid, plate, rod}) {
                    CAPTURE(is_hinged);
                    CAPTURE(inertia.transpose());
                    const Gap apart = gap(chain(count, is_hinged, inertia));
                    CHECK(apart.x <= tolerance(1e-14));
                    CHECK(apart.lambda <= tolerance(1e-13));
                }
            if (count < 3) continue;
            const Gap apart = gap(ring(count));
            CHECK(apart.x <= tolerance(1e-14));
            CHECK(apart.lambda <= tolerance(1e-11));
        }
    }

    // Masses of neighbours differ by 1e8, and rows by as much.
    TEST_CASE("light bodies between heavy ones") {
        Bodies bodies;
        for (int k = 0; k < 12; ++k) {
            const double scale = k % 2 == 0 ? 1.0 : 1e-8;
            bodies.add(Vector3d(k, 0.3 * k, 0.0),
                       turned(k, Vector3d(1.0, 2.0, 3.0)),
                       2.0 * scale,
                       scale * Vector3d(0.1, 0.15, k % 3 == 0 ? 0.0 : 0.2));
            bodies.point(k - 1, k, Vector3d(k - 0.5, 0.3 * k, 0.1));
        }
        System s = bodies.system(13);
        Random random(14);
        for (int k = 0; k < s.m(); ++k) {
            const double scale = std::ldexp(1.0, random.below(27) - 13);
            s.r[k] *= scale;
            for (int e = s.pattern.row_start[std::size_t(k)];
                 e < s.pattern.row_start[std::size_t(k) + 1];
                 ++e)
                s.A[std::size_t(e)] *= scale;
        }
        CHECK(gap(s).x <= tolerance(1e-13));
    }

    // A flat body makes the mass singular; of a thin one beside it, lighter by 1e12, the thickness
    // still counts.
    TEST_CASE("a thin body of five micrograms on four tons that are flat, against 50 digits") {
        for (int trial = 0; trial < 10; ++trial) {
            CAPTURE(trial);
            const double thickness = std::pow(10.0, -8 - trial);  // squared [m^2]
            Bodies bodies;
            bodies.add(Vector3d::Zero(),
                       turned(1.0 + trial, Vector3d(1.0, 2.0, 3.0)),
                       4e3,
                       4e3 * Vector3d(0.1, 0.15, 0.0));
            bodies.point(-1, 0, Vector3d(0.1 * trial, 0.2, -0.3));
            bodies.add(Vector3d(0.5, 0.1, 0.0),
                       turned(2.0 * trial, Vector3d(3.0, -1.0, 2.0)),
                       5e-9,
                       5e-9 * Vector3d(5e-4, 5e-5, thickness));
            bodies.point(0, 1, Vector3d(0.4, 0.1, 0.05));
            const System s = bodies.system(40 + static_cast<unsigned>(trial));
            const VectorXd exact = reference(s, s.m(), true).x;
            for (const SolverPath path : kPaths) {
                const Solution found = solve(s, path);
                REQUIRE(found.status == SolverStatus::good);
                CHECK(found.is_solved);
                for (const int first : {0, 12}) {
                    CAPTURE(first);
                    const double size = exact.segment(first, 12).norm();
                    CHECK((found.x - exact).segment(first, 12).norm() <= tolerance(1e-9) * size);
                }
            }
        }
    }

    // f = A^T lambda in whole numbers, which the rows take up; nothing given moves nothing.
    TEST_CASE("forces that the rows take up move nothing") {
        MatrixXd A(3, 5);
        A << 1, 2, 0, -1, 3, 0, 1, 4, 2, -2, 1, 3, 4, 1, 1;
        System s = full_system(Eigen::VectorXd::LinSpaced(5, 1.0, 5.0).asDiagonal(), A);
        for (const SolverPath path : kPaths) {
            s.f = A.transpose() * Vector3d(4.0, -7.0, 2.0);
            const Solution held = solve(s, path);
            CHECK(held.is_solved);
            CHECK(held.x.norm() <= tolerance(1e-16) * s.f.norm());
            CHECK(held.worst_row < 1e-10);
            s.f.setZero();
            const Solution still = solve(s, path);
            CHECK(still.is_solved);
            CHECK(still.x.norm() == 0.0);
            CHECK(still.lambda.norm() == 0.0);
            CHECK(still.worst_row == 0.0);
        }
    }

    TEST_CASE("long chains and rings converge on the sparse path and meet their rows") {
        for (const System& s : {chain(1000, false), chain(1000, true), ring(200)}) {
            const Solution out = solve(s, SolverPath::automatic);
            CHECK(out.is_solved);
            CHECK(out.worst_row <= tolerance(1e-14));
        }
    }

    TEST_CASE("rank, redundant rows and rows without a unique multiplier") {
        for (const int count : {4, 40, 120}) {  // the last is analysed by the sparse path's own way
            CAPTURE(count);
            const System s = ring(count);
            for (const SolverPath path : kPaths) {
                if (path == SolverPath::dense && count > 40) continue;
                ConstrainedSolver solver(s.pattern, path);
                REQUIRE(solver.factorise(s.M, s.A) == SolverStatus::good);
                const RankAnalysis rank = solver.rank(true);
                CHECK(rank.num_rows == s.m());
                CHECK(rank.rank == s.m() - 3);
                CHECK(rank.largest_dropped < 1e-13);
                CHECK(rank.smallest_kept > 1e-6);
                CHECK(!rank.is_near_threshold);
                CHECK(rank.redundant == std::vector<int>{s.m() - 3, s.m() - 2, s.m() - 1});
                // the out-of-plane force and the moments about two axes of every hinge
                const std::vector<int> shared = solver.rows_without_unique_multiplier();
                CHECK(shared.size() >= std::size_t(3 * count));
                CHECK(shared.back() == s.m() - 1);
            }
        }
    }

    TEST_CASE("the last of dependent rows are the redundant ones; rows of zeros are too") {
        MatrixXd A(6, 4);
        A << 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 1, 0, -3, -6, 0, 0, 0, 0, 0, 5, 2, 5, 1, 0;
        const System s = full_system(MatrixXd::Identity(4, 4), A);
        for (const SolverPath path : kPaths) {
            ConstrainedSolver solver(s.pattern, path);
            REQUIRE(solver.factorise(s.M, s.A) == SolverStatus::good);
            CHECK(solver.rank().rank == 3);
            CHECK(solver.rank(true).redundant == std::vector<int>{0, 3, 5});
            CHECK(solver.rows_without_unique_multiplier() == std::vector<int>{0, 1, 2, 3, 5});
        }
    }

    // Two unit rows at a small angle: the second pivot is its sine.
    TEST_CASE("the rank threshold is 1e-10, with a warning around it") {
        for (const double sine : {1e-7, 1e-9, 1e-12, 1e-15}) {
            CAPTURE(sine);
            MatrixXd A(2, 3);
            A << 1.0, 0.0, 0.0, 1.0, sine, 0.0;
            const System s = full_system(MatrixXd::Identity(3, 3), A);
            ConstrainedSolver solver(s.pattern, SolverPath::dense);
            solver.factorise(s.M, s.A);
            const RankAnalysis rank = solver.rank();
            CHECK(rank.threshold == 1e-10);
            CHECK(rank.rank == (sine > 1e-10 ? 2 : 1));
            CHECK(rank.is_near_threshold == (sine > 1e-14 && sine < 1e-8));
            CHECK((sine > 1e-10 ? rank.smallest_kept : rank.largest_dropped) ==
                  near(sine, 1e-6 * sine));
        }
    }

    TEST_CASE("what neither mass nor rows determine is reported with its direction") {
        // a rod that hangs on a point of its axis may spin
        Bodies bodies;
        const Matrix3d axes = turned(1.0, Vector3d(1.0, 2.0, 3.0));
        bodies.add(Vector3d::Zero(), axes, 2.0, {0.1, 0.0, 0.0});
        bodies.point(-1, 0, 0.7 * axes.col(0));
        bodies.add(Vector3d(5.0, 0.0, 0.0), Matrix3d::Identity());
        const System s = bodies.system(15);
        VectorXd spin = VectorXd::Zero(24);
        spin.segment<3>(6) = axes.col(2);
        spin.segment<3>(9) = -axes.col(1);
        spin.normalize();
        for (const SolverPath path : kPaths) {
            ConstrainedSolver solver(s.pattern, path);
            CHECK(solver.factorise(s.M, s.A) == SolverStatus::undetermined);
            const ConstrainedSolver::Undetermined free = solver.undetermined();
            CHECK(std::abs(free.direction.dot(spin)) == near(1.0, 1e-12));
            Eigen::Index largest = 0;
            spin.cwiseAbs().maxCoeff(&largest);
            CHECK(free.coordinate == largest);
        }
        System lone = full_system(MatrixXd::Zero(2, 2), MatrixXd::Zero(0, 2));
        lone.pattern.mass = {{0, 0}};
        lone.M = {1.0};
        ConstrainedSolver solver(lone.pattern);
        CHECK(solver.factorise(lone.M, lone.A) == SolverStatus::undetermined);
        CHECK(solver.undetermined().coordinate == 1);
        CHECK(solver.undetermined().direction == Eigen::Vector2d(0.0, 1.0));
    }

    TEST_CASE("values that are not finite or masses that are negative fail") {
        const System s = chain(2, false);
        for (const SolverPath path : kPaths) {
            ConstrainedSolver solver(s.pattern, path);
            System bad = s;
            bad.A[5] = std::nan("");
            CHECK(solver.factorise(bad.M, bad.A) == SolverStatus::failed);
            bad = s;
            bad.M[3] = std::nan("");
            CHECK(solver.factorise(bad.M, bad.A) == SolverStatus::failed);
            bad.M[3] = -1.0;
            CHECK(solver.factorise(bad.M, bad.A) == SolverStatus::failed);
            CHECK(solver.factorise(s.M, s.A) == SolverStatus::good);
        }
    }

    TEST_CASE("islands are solved on their own, to the same bytes") {
        const System one = chain(2, false);
        const System other = ring(4);
        // the second system's coordinates behind the first's, with free masses between
        const int shift = one.n() + 2;
        System both = one;
        both.pattern.num_coordinates = shift + other.n();
        for (const int i : {one.n(), one.n() + 1}) {
            both.pattern.first_of_body.push_back(i);
            both.pattern.mass.emplace_back(i, i);
            both.M.push_back(4.0);
        }
        for (const int first : other.pattern.first_of_body)
            both.pattern.first_of_body.push_back(shift + first);
        for (std::size_t k = 0; k < other.M.size(); ++k) {
            const auto [i, j] = other.pattern.mass[k];
            both.pattern.mass.emplace_back(shift + i, shift + j);
            both.M.push_back(other.M[k]);
        }
        for (std::size_t e = 0; e < other.A.size(); ++e) {
            both.pattern.column.push_back(shift + other.pattern.column[e]);
            both.A.push_back(other.A[e]);
        }
        const int entries = one.pattern.row_start.back();
        for (std::size_t k = 1; k < other.pattern.row_start.size(); ++k)
            both.pattern.row_start.push_back(entries + other.pattern.row_start[k]);
        both.f.resize(both.n());
        both.f << one.f, 2.0, 6.0, other.f;
        both.r.resize(both.m());
        both.r << one.r, other.r;
        for (const SolverPath path : kPaths) {
            ConstrainedSolver solver(both.pattern, path);
            CHECK(solver.num_islands() == 4);
            CHECK(solver.island_of(0) == 0);
            CHECK(solver.island_of(one.n() - 1) == 0);
            CHECK(solver.island_of(one.n()) == 1);
            CHECK(solver.island_of(one.n() + 1) == 2);
            CHECK(solver.island_of(shift) == 3);
            CHECK(solver.island_of(both.n() - 1) == 3);
            const Solution out = solve(both, path);
            CHECK(out.x.head(one.n()) == solve(one, path).x);
            CHECK(out.x.segment<2>(one.n()) == Eigen::Vector2d(0.5, 1.5));
            CHECK(out.x.tail(other.n()) == solve(other, path).x);
            CHECK(out.lambda.tail(other.m()) == solve(other, path).lambda);
            // A force on one of them is solved for there alone.
            REQUIRE(solver.factorise(both.M, both.A) == SolverStatus::good);
            Eigen::VectorXd x = Eigen::VectorXd::Ones(both.n());
            Eigen::VectorXd lambda = Eigen::VectorXd::Ones(both.m());
            const auto count = [&](const Eigen::VectorXd& f) {
                const long before = solver.counts().solves;
                REQUIRE(solver.solve(view(f), {}, view(x), view(lambda)));
                return solver.counts().solves - before;
            };
            const long of_all = count(both.f);
            const Eigen::VectorXd whole = x;
            Eigen::VectorXd f = both.f;
            f.tail(other.n()).setZero();
            const long of_first = count(f);
            CHECK(x.head(one.n()) == whole.head(one.n()));
            CHECK(x.tail(other.n()).isZero(0.0));
            CHECK(lambda.tail(other.m()).isZero(0.0));
            CHECK(of_first + count(both.f - f) == of_all);
        }
    }

    TEST_CASE("empty spans are zeros, and an unchanged mass need not be given again") {
        const System s = ring(5);
        for (const SolverPath path : kPaths) {
            ConstrainedSolver solver(s.pattern, path);
            solver.factorise(s.M, s.A);
            VectorXd x(s.n()), y(s.n()), lambda(s.m());
            const VectorXd no_f = VectorXd::Zero(s.n());
            const VectorXd no_r = VectorXd::Zero(s.m());
            CHECK(solver.solve(view(s.f), {}, view(x), view(lambda)));
            CHECK(solver.solve(view(s.f), view(no_r), view(y), {}));
            CHECK(x == y);
            CHECK(solver.solve({}, view(s.r), view(x), {}));
            CHECK(solver.solve(view(no_f), view(s.r), view(y), {}));
            CHECK(x == y);
            solver.factorise({}, s.A, false);
            CHECK(solver.solve({}, view(s.r), view(y), {}));
            CHECK(x == y);
        }
    }

    TEST_CASE("no call but the first allocates on the dense path" * doctest::skip(!kCounts)) {
        Random random(31);
        const System with_full_mass = random_system(random, 20, 9, 3, 0, 1e2, 1e2);
        const System with_singular_mass = random_system(random, 20, 9, 3, 3, 1e2, 1e2);
        for (const System& s : {chain(4, true), ring(5), with_full_mass, with_singular_mass}) {
            ConstrainedSolver solver(s.pattern, SolverPath::dense);
            VectorXd x(s.n()), lambda(s.m());
            solver.factorise(s.M, s.A);
            num_allocations = 0;
            is_counting = true;
            for (int k = 0; k < 3; ++k) {
                solver.factorise(s.M, s.A, k == 0);
                solver.solve(view(s.f), view(s.r), view(x), view(lambda));
                (void)solver.rank();
                (void)solver.worst_row(view(s.f), view(s.r), view(x));
            }
            is_counting = false;
            CHECK(num_allocations == 0);
        }
    }

    TEST_CASE("solves allocate on neither path, factorisations the same for any size" *
              doctest::skip(!kCounts)) {
        long few = 0;
        for (const int count : {10, 100, 1000}) {
            const System s = chain(count, false);
            ConstrainedSolver solver(s.pattern, SolverPath::sparse);
            VectorXd x(s.n()), lambda(s.m());
            solver.factorise(s.M, s.A);
            num_allocations = 0;
            is_counting = true;
            solver.solve(view(s.f), view(s.r), view(x), view(lambda));
            const long in_solve = num_allocations;
            solver.factorise(s.M, s.A, false);
            is_counting = false;
            CHECK(in_solve == 0);
            if (few == 0) few = num_allocations;
            CHECK(num_allocations <= few);
        }
    }
}

}  // namespace ancora::testing
