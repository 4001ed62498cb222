// SPDX-License-Identifier: BSD-3-Clause
// Runs of Arnoldi's method, each beside what those before have locked.
#include "arnoldi.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Jacobi>

#include "ancora/framework/error.hpp"
#include "dense.hpp"

namespace ancora {
namespace {

using Eigen::Index;
using Complex = std::complex<double>;

constexpr double kRitzConverged = 1e-11;  // of an eigenvalue
// What is next to the eigenvalues that are wanted must be known so well to be none of them.
constexpr double kKnownToBeLess = 1e-2;
constexpr double kNothingLeft = 1e-13;
constexpr double kCopy = 4e-9;  // eigenvalues that differ by less are the same
constexpr Index kUsualVectors = 400;
constexpr Index kLookAfter = 10;
constexpr int kMostRuns = 100;

/// Orthonormal real columns that span the invariant subspace of H for these of its eigenvalues,
/// closed under conjugation: the Schur form is turned until they lead.
Eigen::MatrixXd invariant_basis(const Eigen::MatrixXd& H, const std::vector<Complex>& values) {
    auto [T, U] = complex_schur(H);
    const Index m = H.rows(), wanted = static_cast<Index>(values.size());
    std::vector<char> leads(static_cast<std::size_t>(m), 0);
    for (const Complex& value : values) {
        Index nearest = -1;
        for (Index k = 0; k < m; ++k)
            if (leads[k] == 0 &&
                (nearest < 0 || std::abs(T(k, k) - value) < std::abs(T(nearest, nearest) - value)))
                nearest = k;
        if (nearest >= 0) leads[nearest] = 1;
    }
    // Golub, Van Loan, Matrix Computations, 4th ed., section 7.6.2.
    Index first = 0;
    for (Index k = 0; k < m; ++k) {
        if (leads[k] == 0) continue;
        for (Index i = k - 1; i >= first; --i) {
            Eigen::JacobiRotation<Complex> turn;
            turn.makeGivens(T(i, i + 1), T(i + 1, i + 1) - T(i, i));
            T.applyOnTheLeft(i, i + 1, turn.adjoint());
            T.applyOnTheRight(i, i + 1, turn);
            U.applyOnTheRight(i, i + 1, turn);
            T(i + 1, i) = 0.0;
        }
        ++first;
    }
    Eigen::MatrixXd both(m, 2 * wanted);
    both << U.leftCols(wanted).real(), U.leftCols(wanted).imag();
    return RankRevealingQr(both).columns_of_Q(0, wanted);
}

class Arnoldi {
public:
    Arnoldi(const LinearOperator& apply,
            const Eigen::MatrixXd& known,
            double known_value,
            Index expected,
            const WantedModulus& wanted)
        : apply_(apply),
          wanted_(wanted),
          size_(known.rows()),
          expected_(expected),
          most_(std::min(size_, std::max(kUsualVectors, Index{4} * expected + 100))),
          locked_(known),
          images_(known_value * known),
          locked_values_(Eigen::VectorXcd::Constant(known.cols(), known_value)) {}

    Eigenpairs find() {
        for (int run = 0; run < kMostRuns; ++run)
            if (!lock_more()) return pairs();
        throw Error(
            ErrorKind::numerical,
            "modes: the eigenvalues of this model do not converge; ask for fewer (--count)");
    }

private:
    /// One run. @returns whether it found any that is wanted
    bool lock_more() {
        // Filled column by column: most runs end long before the last.
        Eigen::MatrixXd V(size_, most_ + 1), H(most_ + 1, most_);
        Eigen::VectorXd x(size_), image;
        for (double& value : x) value = uniform_(random_);
        apply_(x, image);  // to where the operator leads
        const double length = image.norm();
        remove_locked(image);
        if (!(image.norm() > kNothingLeft * length)) return false;
        V.col(0) = image.normalized();
        Index m = 0,
              look_at = std::max(kLookAfter, locked_.cols() < expected_ ? expected_ : Index{0});
        bool is_exhausted = false;
        while (m < most_ && !is_exhausted) {
            H.col(m).setZero();
            apply_(V.col(m), image);
            const double before = image.norm();
            for (int turn = 0; turn < 2; ++turn) {
                remove_locked(image);
                const Eigen::VectorXd part = V.leftCols(m + 1).transpose() * image;
                image.noalias() -= V.leftCols(m + 1) * part;
                H.col(m).head(m + 1) += part;
            }
            const double next = image.norm();
            is_exhausted = !(next > kNothingLeft * before);
            ++m;
            if (is_exhausted) break;
            H(m, m - 1) = next;
            V.col(m) = image / next;
            if (m < look_at) continue;
            look_at = m + std::max(kLookAfter, m / 5);
            if (const Look look = look_at_values(H.topLeftCorner(m, m), next); look.is_done)
                return lock(V, H, m, look.chosen);
        }
        const double next = is_exhausted ? 0.0 : H(m, m - 1);
        const Look look = look_at_values(H.topLeftCorner(m, m), next);
        if (look.chosen.empty() && !look.is_done)
            throw Error(ErrorKind::numerical,
                        "modes: the eigenvalues of this model do not converge; many of its motions "
                        "may be alike, or held by nothing, as equal parts that swing freely on one "
                        "axis: ask for fewer (--count), or for less of the model");
        return lock(V, H, m, look.chosen);
    }

    struct Look {
        bool is_done = false;
        std::vector<Complex> chosen;  // wanted, and converged
    };
    Look look_at_values(const Eigen::MatrixXd& H, double next) const {
        const auto [values, vectors] = eigen_of(H);
        const Index m = H.rows();
        Eigen::VectorXcd all(locked_values_.size() + m);
        all << locked_values_, values;
        // What is locked may be enough: then only what is larger still, not copies of the last.
        const double beyond = wanted_(locked_values_);
        const double least = std::max(wanted_(all), (1.0 + kCopy) * beyond);
        Look out;
        out.is_done = least > 0.0 || next == 0.0;
        const double nothing = kNothingLeft * all.cwiseAbs().maxCoeff();
        Index beside = -1;  // largest of those that are not wanted
        for (Index k = 0; k < m; ++k) {
            const double size = std::abs(values[k]);
            if (size <= nothing) continue;
            if (size < least) {
                if (beside < 0 || size > std::abs(values[beside])) beside = k;
                continue;
            }
            if (next * std::abs(vectors(m - 1, k)) <= kRitzConverged * size)
                out.chosen.push_back(values[k]);
            else
                out.is_done = false;
        }
        if (beside >= 0 &&
            next * std::abs(vectors(m - 1, beside)) > kKnownToBeLess * std::abs(values[beside]))
            out.is_done = false;
        return out;
    }

    bool lock(const Eigen::MatrixXd& V,
              const Eigen::MatrixXd& H,
              Index m,
              const std::vector<Complex>& chosen) {
        if (chosen.empty()) return false;
        const Eigen::MatrixXd more = V.leftCols(m) * invariant_basis(H.topLeftCorner(m, m), chosen);
        const Index before = locked_.cols(), after = before + more.cols();
        locked_.conservativeResize(size_, after);
        images_.conservativeResize(size_, after);
        locked_.rightCols(more.cols()) = more;
        Eigen::VectorXd image;
        for (Index k = before; k < after; ++k) {
            apply_(locked_.col(k), image);
            images_.col(k) = image;
        }
        locked_values_ = eigenvalues_of(locked_.transpose() * images_);
        return after < size_;
    }

    Eigenpairs pairs() const {
        Eigenpairs out;
        if (locked_.cols() == 0) return out;
        const ComplexEigen eigen = eigen_of(locked_.transpose() * images_);
        out.values = eigen.values;
        out.vectors = images_ * eigen.vectors;
        for (Index k = 0; k < out.values.size(); ++k) out.vectors.col(k) /= out.values[k];
        return out;
    }

    void remove_locked(Eigen::VectorXd& x) const {
        if (locked_.cols() == 0) return;
        const Eigen::VectorXd part = locked_.transpose() * x;
        x.noalias() -= locked_ * part;
    }

    const LinearOperator& apply_;
    const WantedModulus& wanted_;
    Index size_, expected_, most_;
    Eigen::MatrixXd locked_, images_;  // orthonormal columns, and what the operator makes of them
    Eigen::VectorXcd locked_values_;
    std::mt19937 random_{1};  // the same in every run
    std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

}  // namespace

Eigenpairs largest_eigenvalues(const LinearOperator& apply,
                               const Eigen::MatrixXd& known,
                               double known_value,
                               Eigen::Index expected,
                               const WantedModulus& wanted) {
    return Arnoldi(apply, known, known_value, expected, wanted).find();
}

}  // namespace ancora
