// SPDX-License-Identifier: BSD-3-Clause
// Lanczos with a shift, each product a solve with the factorised matrix of the implicit face.
#include "lowest_modes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "dense.hpp"

namespace ancora {
namespace {

constexpr double kShift = 1e-9;           // of the largest diagonal entry of K over M
constexpr double kConverged = 1e-10;      // of an eigenvalue
constexpr double kRoundedEnergy = 1e-14;  // of x.K x, of the sizes of its terms
constexpr double kRoundedShape = 1e-15;   // of its largest entry
// A shift above this many times what is looked for hides it, and is lowered.
constexpr double kHiding = 100.0;
constexpr int kMostFalls = 6;
constexpr double kLeastFall = 1e-6;  // of a shift, whose sixth digit is seen in what it hides
constexpr int kMostVectors = 600;
constexpr double kExhausted = 1e-12;
constexpr int kLookEvery = 10;

/// Lanczos' method for K^-1 B in the inner product of N, within the conditions, with K as it is
/// factorised, which is symmetric in it if N is B or K.
class Lanczos {
public:
    /// @param value  of an eigenvalue theta: those of lowest value are wanted, of largest theta
    template <class Value>
    Lanczos(ImplicitFace& face,
            const Eigen::SparseMatrix<double>& inner,
            const Eigen::SparseMatrix<double>& B,
            Value value)
        : face_(face), N_(inner), B_(B), value_(value), n_(inner.rows()) {
        zero_.setZero(face_.num_conditions());
        y_ = zero_;
    }

    /// Lowest values and shapes besides those in `known`, with N-norm 1: as many as are wanted, or
    /// those below `most`. Ends as well where all of them lie below `hidden`.
    LowestModes run(const LowestModes& known, int count, double most_wanted, double hidden) {
        Eigen::VectorXd x(n_), Mx;
        for (double& value : x) value = uniform_(random_);
        Mx = B_ * x;
        apply(Mx, x);  // within the conditions
        drop_rows(known, x);
        std::vector<Eigen::VectorXd> basis, weighted;  // v_j and N v_j
        std::vector<double> alpha, beta;
        const int most = static_cast<int>(std::min<Eigen::Index>(n_, kMostVectors));
        SymmetricEigen eigen;
        double first = 0.0;
        for (int j = 0; j < most; ++j) {
            Mx = N_ * x;
            const double length = std::sqrt(std::max(0.0, x.dot(Mx)));
            if (j == 0) first = length;
            if (!(length > kExhausted * first) || length == 0.0) break;
            if (j > 0) beta.push_back(length);
            basis.emplace_back(x / length);
            weighted.emplace_back(Mx / length);
            Mx = B_ * basis.back();
            apply(Mx, x);
            if (j == 0) first = std::sqrt(std::max(0.0, x.dot(N_ * x)));
            alpha.push_back(x.dot(weighted.back()));
            for (int turn = 0; turn < 2; ++turn) {
                for (std::size_t k = 0; k < basis.size(); ++k) x -= x.dot(weighted[k]) * basis[k];
                drop_rows(known, x);
            }
            const auto m = static_cast<Eigen::Index>(alpha.size());
            if (m < count || m % kLookEvery != 0) continue;
            solve(alpha, beta, eigen);
            const double next = std::sqrt(std::max(0.0, x.dot(N_ * x)));
            const double last = eigen.values()[m - std::min<Eigen::Index>(count, m)];
            if (last > 0.0 && value_(last) < hidden) break;
            // The largest theta, each within |beta_m y_m| of an eigenvalue.
            bool is_done = true;
            for (Eigen::Index k = 0; k < std::min<Eigen::Index>(count, m) && is_done; ++k) {
                const double theta = eigen.values()[m - 1 - k];
                const double error = next * std::abs(eigen.vectors()(m - 1, m - 1 - k));
                if (theta > 0.0 && value_(theta + error) >= most_wanted) break;
                is_done = error <= kConverged * std::abs(theta);
            }
            if (is_done) break;
        }
        LowestModes out;
        if (basis.empty()) return out;
        beta.resize(basis.size() - 1);
        solve(alpha, beta, eigen);
        std::vector<std::pair<double, Eigen::Index>> found;
        const double rounding = kExhausted * eigen.values().cwiseAbs().maxCoeff();
        for (Eigen::Index k = 0; k < eigen.values().size(); ++k)
            if (const double theta = eigen.values()[k]; std::abs(theta) > rounding)
                found.emplace_back(value_(theta), k);
        std::ranges::sort(found);
        found.resize(std::min(found.size(), static_cast<std::size_t>(count)));
        out.squares.resize(static_cast<Eigen::Index>(found.size()));
        out.shapes.setZero(n_, out.squares.size());
        for (Eigen::Index k = 0; k < out.squares.size(); ++k) {
            const auto& [square, column] = found[k];
            out.squares[k] = square;
            for (std::size_t j = 0; j < basis.size(); ++j)
                out.shapes.col(k) +=
                    eigen.vectors()(static_cast<Eigen::Index>(j), column) * basis[j];
        }
        return out;
    }

private:
    static void solve(const std::vector<double>& alpha,
                      const std::vector<double>& beta,
                      SymmetricEigen& eigen) {
        const auto m = static_cast<Eigen::Index>(alpha.size());
        const Eigen::VectorXd diagonal = Eigen::Map<const Eigen::VectorXd>(alpha.data(), m);
        const Eigen::VectorXd beside =
            Eigen::Map<const Eigen::VectorXd>(beta.data(), std::max<Eigen::Index>(m - 1, 0));
        eigen.compute_tridiagonal(diagonal, beside);
    }
    void apply(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
        x.resize(n_);
        face_.solve(Augmented::dynamics,
                    view(b),
                    view(zero_),
                    {x.data(), static_cast<std::size_t>(n_)},
                    {y_.data(), static_cast<std::size_t>(y_.size())});
    }
    void drop_rows(const LowestModes& known, Eigen::VectorXd& x) const {
        if (known.squares.size() == 0) return;
        const Eigen::VectorXd Nx = N_ * x;
        x -= known.shapes * (known.shapes.transpose() * Nx);
    }

    ImplicitFace& face_;
    const Eigen::SparseMatrix<double>&N_, &B_;
    std::function<double(double)> value_;
    Eigen::Index n_;
    Eigen::VectorXd zero_, y_;
    std::mt19937 random_{1};  // the same in every run
    std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

/// Both together, ascending.
LowestModes joined(const LowestModes& a, const LowestModes& b) {
    std::vector<std::pair<double, Eigen::Index>> order;
    for (Eigen::Index k = 0; k < a.squares.size(); ++k) order.emplace_back(a.squares[k], k);
    for (Eigen::Index k = 0; k < b.squares.size(); ++k)
        order.emplace_back(b.squares[k], a.squares.size() + k);
    std::ranges::sort(order);
    LowestModes out;
    out.squares.resize(static_cast<Eigen::Index>(order.size()));
    out.shapes.resize(a.shapes.rows() > 0 ? a.shapes.rows() : b.shapes.rows(), out.squares.size());
    for (Eigen::Index k = 0; k < out.squares.size(); ++k) {
        const auto& [square, from] = order[k];
        out.squares[k] = square;
        out.shapes.col(k) =
            from < a.squares.size() ? a.shapes.col(from) : b.shapes.col(from - a.squares.size());
    }
    return out;
}

/// One run finds each eigenvalue once; further ones, beside what is known, find those that are
/// there more than once, until none of them is among the lowest.
/// @param rounding of a value
/// @param hidden values below which none is known beside the others
LowestModes all_runs(Lanczos& lanczos, int count, double rounding, double hidden) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    LowestModes known = lanczos.run({}, count, kAny, hidden);
    if (known.squares.size() >= count && known.squares[0] > -hidden &&
        known.squares[count - 1] < hidden)
        return known;
    for (int run = 1; run < count; ++run) {
        const bool are_enough = known.squares.size() >= count;
        const double last = are_enough ? known.squares[count - 1] : kAny;
        const double below =
            are_enough ? last - std::max(kConverged * std::abs(last), rounding) : kAny;
        LowestModes more = lanczos.run(known, count, below, hidden);
        const auto num_more = std::ranges::count_if(more.squares, [&](double square) {
            return square < below;
        });
        if (num_more == 0) break;
        more.squares.conservativeResize(num_more);
        more.shapes.conservativeResize(Eigen::NoChange, num_more);
        known = joined(known, more);
    }
    const auto wanted = std::min<Eigen::Index>(count, known.squares.size());
    LowestModes out;
    out.squares = known.squares.head(wanted);
    out.shapes = known.shapes.leftCols(wanted);
    return out;
}

}  // namespace

Eigen::VectorXd squares_of(const LinearEquations& equations, const Eigen::MatrixXd& shapes) {
    const Eigen::SparseMatrix<double> sizes = equations.K.cwiseAbs();
    Eigen::VectorXd out = Eigen::VectorXd::Zero(shapes.cols());
    for (Eigen::Index k = 0; k < shapes.cols(); ++k) {
        const Eigen::VectorXd x = shapes.col(k), size = x.cwiseAbs();
        const double energy = x.dot(equations.K * x);
        const Eigen::VectorXd rounding =
            Eigen::VectorXd::Constant(x.size(), kRoundedShape * size.maxCoeff());
        if (std::abs(energy) >
            kRoundedEnergy * size.dot(sizes * size) + rounding.dot(sizes * rounding))
            out[k] = energy / x.dot(equations.M * x);
    }
    return out;
}

LowestModes lowest_modes(KernelSystem& system, const LinearEquations& equations, int count) {
    ImplicitFace& face = system.linearisable();
    const Eigen::SparseMatrix<double>& M = equations.M;
    double largest = 0.0;
    for (Eigen::Index i = 0; i < M.rows(); ++i)
        if (const double m = M.coeff(i, i); m > 0.0)
            largest = std::max(largest, std::abs(equations.K.coeff(i, i)) / m);
    if (largest == 0.0) largest = 1.0;
    // What has little mass, as the turns of slender beams, makes the largest entry say nothing of
    // the lowest modes: the shift follows these down.
    constexpr double kNothing = -std::numeric_limits<double>::infinity();
    LowestModes out;
    double shift = kShift * largest, last = 0.0;
    for (int num_falls = 0;; ++num_falls) {
        bool is_last = num_falls == kMostFalls;
        if (!face.factorise(Augmented::dynamics, {shift, 0.0, 1.0, 0.0})) {
            // Back to the one before, for modes that have converged.
            is_last = true;
            shift = last;
            if (!(last > 0.0) || !face.factorise(Augmented::dynamics, {shift, 0.0, 1.0, 0.0}))
                throw Error(ErrorKind::numerical,
                            "the stiffness of the model at this state cannot be factorised "
                            "together with its conditions; it may be neither stable nor free to "
                            "move there");
        }
        last = shift;
        Lanczos lanczos(face, M, M, [shift](double theta) {
            return 1.0 / theta - shift;
        });
        out = all_runs(lanczos, count, kConverged * shift, is_last ? kNothing : shift / kHiding);
        const Eigen::VectorXd by_shift = out.squares;
        out.squares = squares_of(equations, out.shapes);
        double lowest = std::numeric_limits<double>::infinity();
        for (Eigen::Index k = 0; k < by_shift.size(); ++k)
            if (out.squares[k] != 0.0) lowest = std::min(lowest, std::abs(by_shift[k]));
        if (is_last || lowest >= shift / kHiding) break;
        shift = std::max(lowest, kLeastFall * shift);
    }
    return joined(out, {});
}

LowestModes lowest_values(KernelSystem& system,
                          const Eigen::SparseMatrix<double>& K,
                          const Eigen::SparseMatrix<double>& S,
                          int count) {
    ImplicitFace& face = system.linearisable();
    const Eigen::SparseMatrix<double> B = -S;
    if (!face.factorise(Augmented::dynamics, {0.0, 0.0, 1.0, 0.0}))
        throw Error(ErrorKind::numerical,
                    "buckling: something may move that neither stiffness nor stress holds in this "
                    "state; tie it");
    Lanczos lanczos(face, K, B, [](double theta) {
        return -theta;
    });
    return all_runs(lanczos, count, 0.0, -std::numeric_limits<double>::infinity());
}

}  // namespace ancora
