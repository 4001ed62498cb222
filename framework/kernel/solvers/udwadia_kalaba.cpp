// SPDX-License-Identifier: BSD-3-Clause
// Checks, the solver's two solves, and the forces from them.
#include "ancora/framework/udwadia_kalaba.hpp"

#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ancora/framework/error.hpp"
#include "constrained_solver.hpp"
#include "traps_off.hpp"

namespace ancora {
namespace {

using MatrixIn = Eigen::Ref<const Eigen::MatrixXd>;
using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

// A row whose residual exceeds this part of its terms is inconsistent; round-off is 1e-10.
constexpr double kContradiction = 1e-9;
// M(i, j) and M(j, i) may differ by this part of the roots of their diagonals.
constexpr double kSymmetry = 1e-12;

[[noreturn]] void usage(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

void check_finite(const MatrixIn& x, const char* name) {
    for (Eigen::Index j = 0; j < x.cols(); ++j)
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            if (std::isfinite(x(i, j))) continue;
            if (x.cols() == 1) usage(fmt::format("{}({}) is not a finite number", name, i));
            usage(fmt::format("{}({}, {}) is not a finite number", name, i, j));
        }
}

void check(
    const MatrixIn& M, const MatrixIn& A, const VectorIn& b, const VectorIn& Q, const VectorIn& C) {
    const Eigen::Index n = M.rows();
    if (M.cols() != n)
        usage(fmt::format("the mass matrix is {} x {}; give a square one", n, M.cols()));
    if (A.cols() != n && A.rows() > 0)
        usage(fmt::format("A is {} x {} but M is {} x {}; write one column per coordinate",
                          A.rows(),
                          A.cols(),
                          n,
                          n));
    const auto check_length = [](const char* name, const VectorIn& x, Eigen::Index wanted) {
        if (x.size() != wanted)
            usage(fmt::format("{} has {} entries where {} are needed", name, x.size(), wanted));
    };
    check_length("b", b, A.rows());
    check_length("Q", Q, n);
    check_length("C", C, n);
    check_finite(M, "M");
    check_finite(A, "A");
    check_finite(b, "b");
    check_finite(Q, "Q");
    check_finite(C, "C");
    for (Eigen::Index j = 0; j < n; ++j)
        for (Eigen::Index i = j + 1; i < n; ++i) {
            // |M_ij| <= sqrt(M_ii M_jj) in a semidefinite matrix, so that is the scale of an entry.
            const double scale = std::sqrt(std::abs(M(i, i) * M(j, j)));
            if (std::abs(M(i, j) - M(j, i)) > kSymmetry * scale)
                usage(fmt::format("M({}, {}) = {} but M({}, {}) = {}; give a symmetric mass matrix",
                                  i,
                                  j,
                                  M(i, j),
                                  j,
                                  i,
                                  M(j, i)));
        }
}

/// The entries that are not zero, and their values in the pattern's order.
struct SystemEntries {
    SystemPattern pattern;
    std::vector<double> M, A;
};

SystemEntries entries_of(const MatrixIn& M, const MatrixIn& A) {
    // The lower triangle of M and the rows of A, compressed.
    SystemEntries out;
    out.pattern.num_coordinates = static_cast<int>(M.rows());
    out.pattern.first_of_body = {0};
    for (int i = 0; i < M.rows(); ++i)
        for (int j = 0; j <= i; ++j) {
            if (M(i, j) == 0.0) continue;
            out.pattern.mass.emplace_back(i, j);
            out.M.push_back(M(i, j));
        }
    out.pattern.row_start.push_back(0);
    for (int k = 0; k < A.rows(); ++k) {
        for (int i = 0; i < A.cols(); ++i) {
            if (A(k, i) == 0.0) continue;
            out.pattern.column.push_back(i);
            out.A.push_back(A(k, i));
        }
        out.pattern.row_start.push_back(static_cast<int>(out.A.size()));
    }
    return out;
}

std::span<const double> view(const VectorIn& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

std::span<double> view(Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

void check_unique(SolverStatus status, ConstrainedSolver& solver) {
    // Theory, section 2.3: [M; A] needs full column rank, and M alone must be semidefinite.
    if (status == SolverStatus::failed)
        throw Error(ErrorKind::numerical,
                    "the mass matrix is not positive semidefinite; check signs and units of its "
                    "entries");
    if (status == SolverStatus::good) return;
    throw Error(ErrorKind::numerical,
                fmt::format("the acceleration is not unique: neither mass nor a constraint acts on "
                            "a direction in which coordinate {} (counted from 0) takes part most; "
                            "give it a mass or a constraint",
                            solver.undetermined().coordinate));
}

void check_consistent(ConstrainedSolver& solver,
                      const VectorIn& Q,
                      const VectorIn& b,
                      const Eigen::VectorXd& a,
                      const std::vector<int>& nonunique) {
    // The least-squares residual of scaled rows is the part of b outside the range of A.
    const ConstrainedSolver::WorstRow worst = solver.worst_row(view(Q), view(b), view(a));
    if (worst.relative <= kContradiction) return;
    std::string others;
    if (nonunique.size() > 1)
        others = fmt::format("; rows that depend on each other: {}", fmt::join(nonunique, ", "));
    throw Error(ErrorKind::numerical,
                fmt::format("rows of A a = b contradict each other: the best a misses row {} "
                            "(counted from 0) by {:.2g} of its terms{}",
                            worst.row,
                            worst.relative,
                            others));
}

}  // namespace

ConstrainedMotion udwadia_kalaba(const MatrixIn& M,
                                 const MatrixIn& A,
                                 const VectorIn& b,
                                 const VectorIn& Q,
                                 const VectorIn& C,
                                 SolverPath path) {
    const TrapsOff traps_off;
    check(M, A, b, Q, C);
    const SystemEntries entries = entries_of(M, A);
    ConstrainedSolver solver(entries.pattern, path);
    check_unique(solver.factorise(entries.M, entries.A), solver);

    ConstrainedMotion out;
    const RankAnalysis rank = solver.rank(true);
    out.rank = rank.rank;
    out.redundant_rows = rank.redundant;
    out.nonunique_rows = solver.rows_without_unique_multiplier();
    out.smallest_kept = rank.smallest_kept;
    out.largest_dropped = rank.largest_dropped;
    out.is_rank_doubtful = rank.is_near_threshold;

    // M a_L = Q + A^T lambda_L, A a_L = b
    out.acceleration.setZero(M.rows());
    out.lambda_L.setZero(A.rows());
    bool is_solved = solver.solve(view(Q), view(b), view(out.acceleration), view(out.lambda_L));
    check_consistent(solver, Q, b, out.acceleration, out.nonunique_rows);

    // M a_C = C + A^T lambda_C, A a_C = 0
    Eigen::VectorXd a_C = Eigen::VectorXd::Zero(M.rows());
    out.lambda_C.setZero(A.rows());
    is_solved &= solver.solve(view(C), {}, view(a_C), view(out.lambda_C));
    if (!is_solved)
        throw Error(ErrorKind::numerical,
                    "the sparse path did not converge on this system; take SolverPath::dense");
    // Both are solutions of one linear system, so their sum has the right-hand side (Q + C, b).
    out.acceleration += a_C;

    // F_L = A^T lambda_L, theory (2); F_C = C + A^T lambda_C, theory (3). The reaction is
    // F_L + (F_C - C): what the constraints exert, with the part of C that they take up.
    out.F_L = A.transpose() * out.lambda_L;
    out.F_C = C + A.transpose() * out.lambda_C;
    out.reaction = A.transpose() * (out.lambda_L + out.lambda_C);
    return out;
}

}  // namespace ancora
