// SPDX-License-Identifier: BSD-3-Clause
// Reads the names of an equation and evaluates its row.
#include "equation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include <Eigen/Eigenvalues>

namespace ancora::general_constraint {
namespace {

constexpr RowLaw kPositionLaw[] = {{.kind = RowKind::constraint}};
constexpr RowLaw kVelocityLaw[] = {{.kind = RowKind::velocity_constraint}};

constexpr int kMaxVariables = Formula::kMaxVariables;
/// Largest tangent whose positive part is computed in a step, in memory of fixed size.
constexpr int kMaxSplit = 12;
/// Where second derivatives are taken of a phi whose explicit time does not enter them [s]; not
/// where a coefficient such as 1/t is likely to have no value.
constexpr double kSomeTime = 0.7310585786300049;

bool is_finite(double x) {
    return std::isfinite(x);
}

using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxSplit, kMaxSplit>;

/// Replaces a symmetric matrix by its positive semidefinite part.
template <class Matrix>
void keep_positive_part(Matrix& G) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(G);
    G.setZero();
    for (Eigen::Index k = 0; k < G.rows(); ++k)
        if (const double value = solver.eigenvalues()[k]; value > 0.0)
            for (Eigen::Index j = 0; j < G.cols(); ++j)
                G.col(j) += value * solver.eigenvectors()(j, k) * solver.eigenvectors().col(k);
}

}  // namespace

/// Numbers the coordinates and rates of one equation as they turn up.
class Equation::Scope final : public FormulaScope {
public:
    Scope(Level level, std::vector<NamedCoordinate>& coordinates, std::vector<Variable>& variables)
        : level_(level), coordinates_(coordinates), variables_(variables) {}

    int find(const FormulaName& name) override {
        if (name.component.empty()) return -1;
        if (name.object == "ground")
            throw std::invalid_argument("found \"" + name.text() +
                                        "\", but the ground does not move; write the number");
        FormulaName coordinate = name;
        const std::string& component = name.component;
        const bool is_velocity = component == "vx" || component == "vy" || component == "vz";
        if (is_velocity) coordinate.component = component.substr(1);
        const std::string& axis = coordinate.component;
        if (!name.place.empty() && axis != "x" && axis != "y" && axis != "z")
            throw std::invalid_argument("found \"" + name.text() +
                                        "\", expected x, y, z, vx, vy or vz of a point");
        if (is_velocity && name.is_rate)
            throw std::invalid_argument("found \"der(" + name.text() + ")\", but \"" + name.text() +
                                        "\" is a rate already");
        const bool is_rate = is_velocity || name.is_rate;
        if (is_rate && level_ == Level::position)
            throw std::invalid_argument(
                "found the rate \"" + (name.is_rate ? "der(" + name.text() + ")" : name.text()) +
                "\" in an equation on coordinates; write level = \"velocity\"");
        return number(coordinate.text(), name.offset, is_rate);
    }

    std::string expected() const override { return "a coordinate such as \"box.x\""; }

private:
    int number(const std::string& coordinate, int offset, bool is_rate) {
        const auto known = std::ranges::find(coordinates_, coordinate, &NamedCoordinate::text);
        const auto scalar = static_cast<std::int32_t>(3 * (known - coordinates_.begin()));
        if (known == coordinates_.end()) coordinates_.push_back({coordinate, offset});
        for (std::size_t i = 0; i < variables_.size(); ++i)
            if (variables_[i].scalar == scalar && variables_[i].is_rate == is_rate)
                return static_cast<int>(i);
        variables_.push_back({scalar, is_rate});
        return static_cast<int>(variables_.size()) - 1;
    }

    Level level_;
    std::vector<NamedCoordinate>& coordinates_;
    std::vector<Variable>& variables_;
};

Equation::Equation(std::string_view text, Level level, std::vector<NamedCoordinate>& coordinates)
    : level_(level), formula_([&] {
          Scope scope(level, coordinates, variables_);
          return Formula::parse_equation(text, scope);
      }()) {
    const auto is_column = [&](int i) {
        return variables_[i].is_rate == (level == Level::velocity);
    };
    for (int i = 0; i < static_cast<int>(formula_.num_variables()); ++i) {
        if (!is_column(i) || !formula_.depends_on(i)) continue;
        columns_.push_back(i);
        stencil_.push_back(variables_[i].scalar);
    }
    if (columns_.empty() && level == Level::position)
        throw FormulaError(1, "the equation holds no coordinate; write one such as \"box.x\"");
    if (columns_.empty())
        throw FormulaError(1,
                           "the equation holds no rate; write one such as \"box.vx\" or "
                           "\"der(box.x)\", or level = \"position\"");

    const FormulaDegree degree = formula_.degree();
    degree_ = degree.highest <= 1   ? Degree::linear
              : degree.highest == 2 ? Degree::quadratic
                                    : Degree::general;
    if (level == Level::velocity) {
        // Only rows A u' with the same A for ever are linear to the kernel.
        depends_on_time_ = !formula_.degree(is_column).is_homogeneous_linear();
        if (degree.timed > 0) degree_ = Degree::general;
        return;
    }
    depends_on_time_ = degree.timed >= 0;
    // The kernel does not say at which time it wants a tangent.
    if (degree.highest > 1 && degree.timed < 2) tangent_ = TangentForm::full;
    if (degree_ == Degree::quadratic && tangent_ == TangentForm::full) split_constant_hessian();
}

RowBlock Equation::block() const {
    RowBlock block;
    block.name = "equation";
    block.num_items = 1;
    block.rows_per_item = 1;
    block.scalars_per_item = static_cast<std::int32_t>(stencil_.size());
    block.stencil = stencil_;
    block.laws = level_ == Level::position ? kPositionLaw : kVelocityLaw;
    block.degree = degree_;
    block.tangent = tangent_;
    block.depends_on_time = depends_on_time_;
    return block;
}

void Equation::evaluate(const RowPoint& at, const RowValues& out) const {
    if (level_ == Level::position)
        evaluate_position(at, out);
    else
        evaluate_velocity(at, out);
}

void Equation::evaluate_position(const RowPoint& at, const RowValues& out) const {
    std::array<double, kMaxVariables> x;
    std::array<double, kMaxVariables> by_x;
    std::array<double, 2 * Formula::kMaxSize> work;
    double by_t = 0.0;
    double phi = 0.0;
    const auto gather = [&](std::span<const double> from, std::array<double, kMaxVariables>& to) {
        for (std::size_t i = 0; i < variables_.size(); ++i) to[i] = from[variables_[i].scalar];
    };
    gather(at.u, x);
    if (out.A.empty() && out.pi_t.empty()) {
        if (!out.pi.empty()) phi = formula_.evaluate<double>(x, at.t, work);
    } else {
        phi = formula_.gradient<double>(x, at.t, work, by_x, by_t);
    }
    if (!out.pi.empty()) out.pi[0] = phi;
    for (std::size_t j = 0; j < out.A.size(); ++j) out.A[j] = by_x[columns_[j]];
    if (!out.pi_t.empty()) out.pi_t[0] = by_t;
    if (out.b.empty()) return;
    // phi'' along u'' = 0 is what A u'' leaves.
    std::array<double, kMaxVariables> v;
    gather(at.du, v);
    out.b[0] = -formula_.along(x, v, at.t).second;
}

void Equation::evaluate_velocity(const RowPoint& at, const RowValues& out) const {
    std::array<double, kMaxVariables> x;
    std::array<double, kMaxVariables> by_x;
    std::array<double, 2 * Formula::kMaxSize> work;
    double by_t = 0.0;
    for (std::size_t i = 0; i < variables_.size(); ++i)
        x[i] = (variables_[i].is_rate ? at.du : at.u)[variables_[i].scalar];
    const double psi = formula_.gradient<double>(x, at.t, work, by_x, by_t);

    if (!out.pi.empty()) out.pi[0] = 0.0;
    for (std::size_t j = 0; j < out.A.size(); ++j) out.A[j] = by_x[columns_[j]];
    if (!out.pi_t.empty()) {
        double rest = psi;
        for (const std::int32_t i : columns_) rest -= by_x[i] * x[i];
        out.pi_t[0] = depends_on_time_ ? rest : 0.0;
    }
    if (out.b.empty()) return;
    double change = by_t;
    for (std::size_t i = 0; i < formula_.num_variables(); ++i)
        if (!variables_[i].is_rate) change += by_x[i] * at.du[variables_[i].scalar];
    out.b[0] = -change;
}

void Equation::split_constant_hessian() {
    const std::size_t n = columns_.size();
    const std::size_t width = formula_.num_variables();
    std::vector<double> H(width * width);
    const std::vector<double> x(width, 0.0);
    formula_.hessian(x, kSomeTime, H);
    if (!std::ranges::all_of(H, is_finite)) return;
    for (const std::int32_t i : columns_)
        for (const std::int32_t j : columns_)
            hessian_.push_back(
                H[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(j)]);
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::MatrixXd positive = Eigen::Map<Eigen::MatrixXd>(hessian_.data(), size, size);
    keep_positive_part(positive);
    positive_hessian_.assign(positive.data(), positive.data() + positive.size());
}

void Equation::evaluate_tangent(std::span<const double> mid,
                                double s,
                                bool positive_part,
                                std::span<double> G) const {
    if (tangent_ == TangentForm::none) return;
    if (!hessian_.empty()) {
        // The positive part of s H is s H+ or, for s < 0, s (H - H+).
        for (std::size_t i = 0; i < G.size(); ++i)
            G[i] = s * (!positive_part ? hessian_[i]
                        : s > 0.0      ? positive_hessian_[i]
                                       : hessian_[i] - positive_hessian_[i]);
        return;
    }
    const std::size_t n = columns_.size();
    if (positive_part && n > kMaxSplit) {
        std::ranges::fill(G, 0.0);
        return;
    }
    const std::size_t width = formula_.num_variables();
    std::array<double, kMaxVariables> x;
    std::array<double, static_cast<std::size_t>(kMaxVariables) * kMaxVariables> H;
    for (std::size_t i = 0; i < variables_.size(); ++i) x[i] = mid[variables_[i].scalar];
    formula_.hessian(x, kSomeTime, H);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            G[i * n + j] = s * H[static_cast<std::size_t>(columns_[i]) * width +
                                 static_cast<std::size_t>(columns_[j])];
    if (!std::ranges::all_of(G, is_finite)) {
        std::ranges::fill(G, 0.0);
        return;
    }
    if (!positive_part) return;
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::Map<Eigen::MatrixXd> result(G.data(), size, size);
    Small part = result;
    keep_positive_part(part);
    result = part;
}

}  // namespace ancora::general_constraint
