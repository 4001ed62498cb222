// SPDX-License-Identifier: BSD-3-Clause
// Reads an equation in x, y and z, and evaluates it with its derivatives.
#include "implicit.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/QR>

namespace ancora::point_contact {
namespace {

// A gradient of this length, where it is of unit length elsewhere, has vanished; so has a sine.
constexpr double kVanished = 1e-12;
// Newton's method ends in a root of higher order with a gradient of about this part of |H rho|.
constexpr double kHigherOrder = 1e-10;

/// x, y and z, and nothing else.
class PointScope final : public FormulaScope {
public:
    int find(const FormulaName& name) override {
        if (name.is_rate)
            throw std::invalid_argument("found \"der(" + name.text() +
                                        ")\", but the equation is one on coordinates");
        if (!name.component.empty())
            throw std::invalid_argument("found \"" + name.text() +
                                        "\", expected x, y or z, the coordinates of the point");
        if (name.object.size() != 1) return -1;
        const char axis = name.object.front();
        return axis >= 'x' && axis <= 'z' ? axis - 'x' : -1;
    }
    std::string expected() const override { return "x, y, z"; }
    std::vector<std::string> known_names() const override { return {"x", "y", "z"}; }
};

/// Position of the name "t", counted from 1.
std::size_t position_of_time(std::string_view text) {
    const auto is_word = [&](std::size_t i) {
        return i < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == 't' && !is_word(i + 1) && (i == 0 || !is_word(i - 1))) return i + 1;
    return 1;
}

std::string place_text(const Vec3& rho) {
    // what is rounding beside the rest is zero
    const Vec3 shown = (rho.array().abs() < 1e-9 * rho.norm()).select(0.0, rho);
    char text[96];
    std::snprintf(text, sizeof text, "(%.6g, %.6g, %.6g)", shown.x(), shown.y(), shown.z());
    return text;
}

/// What is wrong with gradients g, in units of `size` each; empty if nothing is.
std::string missing_normal(std::span<const Implicit> functions,
                           std::span<const Vec3> g,
                           std::span<const double> size,
                           double least,
                           const Vec3& rho) {
    for (std::size_t k = 0; k < g.size(); ++k)
        if (g[k].norm() <= least * size[k])
            return "\"" + functions[k].text() + "\" has no gradient at " + place_text(rho) +
                   " and so no normal there; keep the point away, or write an equation whose sides "
                   "cross where they are equal";
    if (g.size() == 2 && g[0].cross(g[1]).norm() <= least * g[0].norm() * g[1].norm())
        return "the surfaces \"" + functions[0].text() + "\" and \"" + functions[1].text() +
               "\" touch at " + place_text(rho) +
               " and have no curve in common there; write two surfaces that cross";
    return {};
}

/// A point at which all functions vanish, by Gauss-Newton steps from somewhere.
bool find_point(std::span<const Implicit> functions, Vec3& rho) {
    constexpr int kSteps = 80;
    const auto m = static_cast<Eigen::Index>(functions.size());
    Eigen::MatrixXd G(m, 3);
    Eigen::VectorXd phi(m);
    for (const double size : {1.0, 0.1, 10.0, 1e-2, 100.0, 1e-3, 1e3}) {
        rho = size * Vec3(0.61, 0.53, 0.71);
        for (int step = 0; step < kSteps; ++step) {
            for (Eigen::Index k = 0; k < m; ++k) {
                const Implicit& function = functions[k];
                phi[k] = function.value(rho);
                G.row(k) = function.gradient(rho);
            }
            if (!phi.allFinite() || !G.allFinite()) break;
            const Vec3 change = G.completeOrthogonalDecomposition().solve(phi);
            rho -= change;
            // where the gradient alone vanishes nothing is met
            if (change.norm() <= 1e-14 * rho.norm()) return phi.isZero(0.0) || !G.isZero(0.0);
        }
    }
    return false;
}

}  // namespace

Implicit::Implicit(std::string_view text)
    : text_(text), formula_([&] {
          PointScope scope;
          return Formula::parse_equation(text, scope);
      }()) {
    if (formula_.num_variables() == 0)
        throw FormulaError(1, "the equation holds no coordinate; write x, y or z");
    const FormulaDegree degree = formula_.degree();
    if (degree.timed >= 0)
        throw FormulaError(position_of_time(text),
                           "found \"t\", but the surface has one shape for ever; let a body carry "
                           "its origin, or take general_constraint");
    degree_ = degree.highest <= 1   ? Degree::linear
              : degree.highest == 2 ? Degree::quadratic
                                    : Degree::general;
}

double Implicit::value(const Vec3& rho) const {
    std::array<double, Formula::kMaxSize> work;
    return inverse_scale_ * formula_.evaluate<double>(std::span(rho.data(), 3), 0.0, work);
}

Vec3 Implicit::gradient(const Vec3& rho) const {
    std::array<double, 2 * Formula::kMaxSize> work;
    std::array<double, 3> by_x{};
    double by_t = 0.0;
    formula_.gradient<double>(std::span(rho.data(), 3), 0.0, work, by_x, by_t);
    return inverse_scale_ * vec3(by_x);
}

Mat3 Implicit::hessian(const Vec3& rho) const {
    std::array<double, 9> H;
    formula_.hessian(std::span(rho.data(), 3), 0.0, H);
    const auto n = static_cast<Eigen::Index>(formula_.num_variables());
    Mat3 out = Mat3::Zero();
    out.topLeftCorner(n, n) = inverse_scale_ * Eigen::Map<const Eigen::MatrixXd>(H.data(), n, n);
    return out;
}

double Implicit::second_rate(const Vec3& rho, const Vec3& drho) const {
    const Taylor2 along = formula_.along(std::span(rho.data(), 3), std::span(drho.data(), 3), 0.0);
    return inverse_scale_ * along.second;
}

Vec3 Implicit::discrete_gradient(const Vec3& rho, const Vec3& d) const {
    Vec3 g = gradient(rho + 0.5 * d);
    const double square = d.squaredNorm();
    if (degree_ != Degree::general || !(square > 0.0)) return g;
    const double miss = (value(rho + d) - value(rho)) - g.dot(d);
    g += miss / square * d;
    return g;
}

void normalise(std::span<Implicit> functions) {
    Vec3 rho;
    if (!find_point(functions, rho)) return;
    std::array<Vec3, 2> g;
    std::array<double, 2> size{};
    for (std::size_t k = 0; k < functions.size(); ++k) {
        g[k] = functions[k].gradient(rho);
        size[k] = functions[k].hessian(rho).norm() * rho.norm();
    }
    const std::string fault = missing_normal(functions,
                                             std::span(g).first(functions.size()),
                                             std::span(size).first(functions.size()),
                                             kHigherOrder,
                                             rho);
    if (!fault.empty()) throw std::invalid_argument(fault);
    for (std::size_t k = 0; k < functions.size(); ++k) functions[k].scale_by(g[k].norm());
}

void check_normals(std::span<const Implicit> functions, std::span<const Vec3> g, const Vec3& rho) {
    static constexpr std::array<double, 2> kUnit{1.0, 1.0};
    const std::string fault = missing_normal(functions, g, kUnit, kVanished, rho);
    if (!fault.empty()) throw std::domain_error(fault);
}

}  // namespace ancora::point_contact
