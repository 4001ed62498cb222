// SPDX-License-Identifier: BSD-3-Clause
// The equations of a model at a state with their derivatives, for implicit integrators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ancora {

/// A sparse matrix by rows, owned by the kernel: row i has the entries row_start[i] up to
/// row_start[i + 1]. Its pattern never changes.
struct CompressedMatrix {
    std::span<const std::int32_t> row_start;
    std::span<const std::int32_t> column;
    std::span<const double> value;

    int num_rows() const { return static_cast<int>(row_start.size()) - 1; }
    /// y += c M x [step]
    void add_product(double c, std::span<const double> x, std::span<double> y) const {
        for (std::size_t i = 0; i + 1 < row_start.size(); ++i) {
            double sum = 0.0;
            for (auto e = static_cast<std::size_t>(row_start[i]), end = last(i); e < end; ++e)
                sum += value[e] * x[static_cast<std::size_t>(column[e])];
            y[i] += c * sum;
        }
    }
    /// y += c M^T x [step]
    void add_transposed_product(double c, std::span<const double> x, std::span<double> y) const {
        for (std::size_t i = 0; i + 1 < row_start.size(); ++i)
            for (auto e = static_cast<std::size_t>(row_start[i]), end = last(i); e < end; ++e)
                y[static_cast<std::size_t>(column[e])] += c * value[e] * x[i];
    }

private:
    std::size_t last(std::size_t i) const { return static_cast<std::size_t>(row_start[i + 1]); }
};

/// The level of a condition.
enum class RowLevel : std::int32_t {
    position,      ///< phi(q, t) = 0, and so A v + phi_t = 0
    velocity,      ///< psi(q, v, t) = 0
    acceleration,  ///< A a = b alone
};

/// The state at which the equations are evaluated.
struct ImplicitPoint {
    double t = 0.0;
    std::span<const double> q;       ///< n
    std::span<const double> v;       ///< n
    std::span<const double> lambda;  ///< m, multipliers
};

/// A matrix (3) that is kept factorised.
enum class Augmented : std::int32_t {
    dynamics,   ///< with all conditions
    positions,  ///< with those on positions; others on massless coordinates alone
};

/// S and the lower rows of (3).
struct AugmentedWeights {
    double mass = 1.0;       ///< of M
    double damping = 0.0;    ///< of D
    double stiffness = 0.0;  ///< of K + G
    double rate = 0.0;       ///< of A'

    bool operator==(const AugmentedWeights&) const = default;
};

/// The equations of motion of the whole model,
///
///   M(q, t) a = F(q, v, t) + A(q, t)^T lambda                                            (1)
///   phi(q, t) = 0,   psi(q, v, t) = 0,   A a = b                                         (2)
///
/// F has gravity, elastic and viscous rows, gyroscopic terms and the forces of all force objects;
/// conditions are the m rows of constraints and rigid bodies. For each condition on positions psi
/// is phi' = A v + phi_t. Where rows are redundant the kernel drops some: their multipliers stay as
/// they are, and they are met with the kept ones.
///
/// Derivatives of rows come from plugins (laws, evaluate_tangent), all others by finite
/// differences, object by object.
class ImplicitSystem {
public:
    virtual int num_coordinates() const = 0;               ///< n
    virtual int num_conditions() const = 0;                ///< m
    virtual std::span<const RowLevel> levels() const = 0;  ///< m

    /// [step] Accelerations and multipliers at a state that meets (2), after a discontinuity.
    /// Selects the independent conditions anew.
    /// @throws the kernel's numerical error where the acceleration is not unique
    virtual void accelerations(double t,
                               std::span<const double> q,
                               std::span<const double> v,
                               std::span<double> a,
                               std::span<double> lambda) = 0;

    /// [step] Continuous states x of objects (Signals) with x' = f(t, q, v, x): from here on each
    /// evaluation solves
    ///
    ///   x = base + weight f(t, q, v, x)                                                      (4)
    ///
    /// the form of an implicit formula for x at the end of a step; the forces in (1) are evaluated
    /// with this x, and their derivatives include its sensitivity. Weight zero sets x = base.
    /// `base` has the last entries of a state, see ContinuousState, and is copied.
    virtual void follow_own(std::span<const double> base, double weight) = 0;
    /// x at the last point; its rates are the last of quadrature_rates().
    virtual std::span<const double> own() const = 0;

    /// [step] Evaluates (1) and (2). The functions below return values of the last point.
    virtual void evaluate(const ImplicitPoint& at) = 0;
    virtual std::span<const double> force() const = 0;   ///< F, n
    virtual std::span<const double> gaps() const = 0;    ///< phi, zero for other levels, m
    virtual std::span<const double> rates() const = 0;   ///< psi, zero for accelerations, m
    virtual std::span<const double> biases() const = 0;  ///< b, m
    virtual CompressedMatrix mass() const = 0;           ///< M, both triangles
    virtual CompressedMatrix jacobian() const = 0;       ///< A

    /// [step] Derivatives at the last point; `a` are accelerations there.
    virtual void differentiate(std::span<const double> a) = 0;
    virtual CompressedMatrix stiffness() const = 0;  ///< K = d(M a - F) / dq
    virtual CompressedMatrix damping() const = 0;    ///< D = -d(F + A^T lambda) / dv
    virtual CompressedMatrix geometric() const = 0;  ///< G = -d(A^T lambda) / dq
    /// A' = dpsi / dq of conditions on positions, in the pattern of A; zero for others.
    virtual CompressedMatrix jacobian_rate() const = 0;

    /// [step] Factorises, at the last point and with the derivatives last taken,
    ///
    ///   S x - A^T y = r,   (A + rate A') x = g,   S = mass M + damping D + stiffness (K + G)   (3)
    ///
    /// @returns false if it is singular
    virtual bool factorise(Augmented which, const AugmentedWeights& weights) = 0;
    /// Whether `which` is factorised with these weights, at any point.
    virtual bool is_factorised(Augmented which, const AugmentedWeights& weights) const = 0;
    /// [step] Solves (3); an entry of y is zero where the condition is dropped or not part of the
    /// matrix.
    virtual void solve(Augmented which,
                       std::span<const double> r,
                       std::span<const double> g,
                       std::span<double> x,
                       std::span<double> y) = 0;

    /// [step] Rates of the ledger at the last point with its multipliers: the rates of x behind q
    /// and v, num_states - 2 n entries, see ContinuousState.
    virtual void quadrature_rates(std::span<double> w) = 0;
    [[deprecated("quadrature_rates")]] void book_rates(std::span<double> w) { quadrature_rates(w); }

    /// [step] Whether the dropped conditions are met at the last point, like those that they depend
    /// on.
    virtual bool are_dropped_met() const = 0;
    /// [step] Selects anew at the last point which conditions are dropped. The matrices (3) are
    /// then to be factorised anew.
    /// @returns whether the selection has changed
    virtual bool renew_choice() = 0;

    /// Counts one iteration of the step in progress, for the run's statistics.
    virtual void count_iteration() = 0;
    /// Refuses the step t -> t + h: throws a numerical error with the place of the largest entry of
    /// the last correction of q, and `advice`.
    [[noreturn]] virtual void no_convergence(double t,
                                             double h,
                                             std::span<const double> correction,
                                             std::string_view advice) = 0;

protected:
    ~ImplicitSystem() = default;
};

}  // namespace ancora
