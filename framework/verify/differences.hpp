// SPDX-License-Identifier: BSD-3-Clause
// Differences, comparisons with a reason, and blocks of rows as functions of plain vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "own_values.hpp"
#include "step_call.hpp"

namespace ancora::verify {

/// Largest error of a derivative against differences, relative to the row; their own error is about
/// 1e-12 for smooth functions of lengths of order 1.
inline constexpr double kDifference = 2e-7;
inline constexpr double kSpacing = 2e-3;
/// Rounding-error bound of an identity, relative to its terms.
inline constexpr double kRounding = 1e-11;

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

inline std::span<const double> view(const Vector& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}
inline std::span<double> view(Vector& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

/// f' by central differences at three spacings, extrapolated twice: error O(h^6). `error` grows to
/// three times what extrapolations from neighbouring spacings, one more than is used, differ by.
/// That is far more than the error left of what is smooth, and covers it where a derivative of f
/// jumps between the points, as at the first row of a table: there spacings err as no power says.
template <class Function>
Vector derivative(double& error, Function&& f) {
    const auto difference = [&](double h) -> Vector {
        return (f(h) - f(-h)) / (2.0 * h);
    };
    const Vector coarse = difference(kSpacing);
    const Vector middle = difference(0.5 * kSpacing);
    const Vector fine = difference(0.25 * kSpacing);
    const Vector once = (4.0 * middle - coarse) / 3.0;
    const Vector again = (4.0 * fine - middle) / 3.0;
    const Vector twice = (16.0 * again - once) / 15.0;
    const Vector finest = difference(0.125 * kSpacing);
    const Vector last = (4.0 * finest - fine) / 3.0;
    // Beside a corner, as of a table, all of these may agree on the mean of both sides.
    const Vector here = f(0.0);
    const auto one_sided = [&](double h) -> Vector {
        return (4.0 * (f(0.5 * h) - here) - (f(h) - here)) / h;
    };
    const Vector apart = one_sided(0.25 * kSpacing) - one_sided(-0.25 * kSpacing);
    error = std::max({error,
                      3.0 * (again - once).cwiseAbs().maxCoeff(),
                      3.0 * (last - again).cwiseAbs().maxCoeff(),
                      apart.cwiseAbs().maxCoeff()});
    return twice;
}
/// What such an error adds to the scale of a comparison to kDifference.
inline double allowance(double error) {
    return error / kDifference;
}

/// Own values of a constraint with Signals, the same at all times: what rows do with them is a
/// function of the scalars all the same.
class OwnNumbers {
public:
    explicit OwnNumbers(const Object& object) {
        const Signals* const signals =
            object.constraint ? facets_of(*object.constraint).signals : nullptr;
        if (signals == nullptr) return;
        constexpr double kInput = 0.6;
        inputs_.assign(signals->inputs().size(), kInput);
        x_.resize(signals->num_continuous());
        z_.resize(signals->num_discrete());
        signals->start_values(x_, z_);
    }
    OwnValues values() const { return {inputs_, x_, z_}; }
    /// Other states from now on.
    void sample(const OwnSampler& own, Random& random) {
        if (x_.empty() && z_.empty()) return;
        own.sample_x(random, x_);
        own.sample_z(random, z_);
    }

private:
    std::vector<double> inputs_, x_, z_;
};

/// One block of one source, called with plain vectors.
class Block {
public:
    Block(const Object& object, const RowPart& part, int index, int num_scalars)
        : source_(*part.of(object)),
          index_(index),
          block_(source_.row_blocks()[index]),
          n_(num_scalars),
          own_(object),
          rows_(static_cast<int>(num_rows(block_))),
          is_tangential_(*part.title != '\0'),
          where_(fmt::format("{}block \"{}\"", part.title, block_.name)) {}

    const RowBlock& shape() const { return block_; }
    const std::string& where() const { return where_; }
    int num_rows_of() const { return rows_; }
    RowKind kind() const { return law(block_, 0).kind; }
    bool is_velocity() const { return is_velocity_kind(kind()); }
    /// Of what slides on a constraint.
    bool is_tangential() const { return is_tangential_; }
    bool is_acceleration() const { return kind() == RowKind::acceleration_constraint; }
    /// Own states of the object from now on.
    void sample_own(const OwnSampler& own, Random& random) const { own_.sample(own, random); }

    struct Values {
        Vector pi, pi_t, b;
        Matrix A;  // rows x n
    };
    /// Without a state: that at the start.
    Values evaluate(const Vector& u,
                    const Vector& du,
                    double t,
                    std::vector<double> state = {}) const {
        if (state.empty()) state = start_state();
        Values out{Vector::Zero(rows_), Vector::Zero(rows_), Vector::Zero(rows_), {}};
        std::vector<double> A(num_values(block_), 0.0);
        guard("evaluate, " + where_, [&] {
            source_.evaluate(index_,
                             {view(u), view(du), t, {}, state, own_.values()},
                             {view(out.pi),
                              A,
                              block_.depends_on_time ? view(out.pi_t) : std::span<double>(),
                              view(out.b)});
        });
        out.A = dense(A);
        return out;
    }
    /// psi = A u' + pi_t
    Vector rate(const Vector& u, const Vector& du, double t) const {
        const Values at = evaluate(u, du, t);
        return at.A * du + at.pi_t;
    }
    struct StepValues {
        Matrix B;
        Vector tau;
        std::vector<double> state1;
    };
    StepValues evaluate_step(const Vector& u0, const Vector& u1, double t0, double h) const {
        const Vector du = u1 - u0;
        const Vector mid = u0 + 0.5 * du;
        const Vector rate = du / h;
        const std::vector<double> state0 = start_state();
        std::vector<double> state1 = state0;
        RowStep step;
        step.u0 = view(u0);
        step.du = view(du);
        step.mid = view(mid);
        step.u1 = view(u1);
        step.rate = view(rate);
        step.t0 = t0;
        step.h = h;
        step.state0 = state0;
        step.state1 = state1;
        step.own = step.own0 = step.own1 = own_.values();
        std::vector<double> B(num_values(block_), 0.0), work0(num_rows(block_)),
            work1(num_rows(block_));
        Vector tau = Vector::Zero(rows_);
        guard("evaluate_step, " + where_, [&] {
            source_.evaluate_step(
                index_,
                step,
                {B, block_.depends_on_time ? view(tau) : std::span<double>(), work0, work1});
        });
        return {dense(B), tau, state1};
    }
    /// G of all items as one matrix, n x n.
    Matrix tangent(const Vector& mid, const Vector& s, bool positive_part) const {
        std::vector<double> G(num_tangent(block_), 0.0);
        guard("evaluate_tangent, " + where_, [&] {
            TangentPoint at{view(mid), view(s)};
            at.own = own_.values();
            at.positive_part = positive_part;
            source_.evaluate_tangent(index_, at, G);
        });
        Matrix out = Matrix::Zero(n_, n_);
        const int S = block_.scalars_per_item;
        const bool is_isotropic = block_.tangent == TangentForm::isotropic;
        const int m = is_isotropic ? S / 3 : S;
        for (int item = 0; item < block_.num_items; ++item) {
            const double* g = G.data() + static_cast<std::ptrdiff_t>(item) * m * m;
            const std::int32_t* stencil = block_.stencil.data() + item * S;
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < m; ++j)
                    for (int k = 0; k < (is_isotropic ? 3 : 1); ++k)
                        out(stencil[is_isotropic ? 3 * i + k : i],
                            stencil[is_isotropic ? 3 * j + k : j]) += g[i * m + j];
        }
        return out;
    }

private:
    std::vector<double> start_state() const {
        const std::span<const double> start = source_.start_state();
        std::vector<double> state(start.begin(), start.end());
        return state;
    }
    Matrix dense(const std::vector<double>& values) const {
        Matrix out = Matrix::Zero(rows_, n_);
        const int S = block_.scalars_per_item;
        for (int row = 0; row < rows_; ++row)
            for (int j = 0; j < S; ++j)
                out(row, block_.stencil[row / block_.rows_per_item * S + j]) += values[row * S + j];
        return out;
    }

    const RowSource& source_;
    int index_;
    const RowBlock& block_;
    int n_;
    mutable OwnNumbers own_;
    int rows_;
    bool is_tangential_;
    std::string where_;
};

/// What differs between the discrete formulation over long steps and one of 1e-4 s and the
/// continuous one at their middle: must vanish with the step, at least as fast as h. A margin of
/// three. Of several long ones the largest difference counts, since terms of different powers of h
/// may cancel at one.
inline constexpr double kLongStep = 1e-2;
inline constexpr double kLongSteps[] = {kLongStep, 0.5 * kLongStep, 0.2 * kLongStep};
inline constexpr double kShortStep = 1e-4;
inline bool vanishes(double at_long, double at_short, double size) {
    return at_short <= 3.0 * (kShortStep / kLongStep) * at_long + 1e-8 * size;
}

/// Refuses the first entry in which `found` and `expected` differ by more than `tolerance` times
/// the entry of `scale` for its row.
///
/// @param what     names `found` in the message
/// @param against  leads to the expected value in it: "differences of pi give"
/// @throws Failure
void compare_rows(const Matrix& found,
                  const Matrix& expected,
                  const Vector& scale,
                  double tolerance,
                  const std::string& what,
                  const char* against);
void compare_rows(const Vector& found,
                  const Vector& expected,
                  const Vector& scale,
                  double tolerance,
                  const std::string& what,
                  const char* against);

}  // namespace ancora::verify
