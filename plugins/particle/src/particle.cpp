// SPDX-License-Identifier: BSD-3-Clause
// Axes, mass and attachments of the point mass.
#include "particle.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include <Eigen/Eigenvalues>

#include "ancora/sdk/helpers/rigid_body.hpp"

namespace ancora::particle {
namespace {

constexpr std::string_view kLetters = "xyz";
// Relative to the largest entry, generous to input with ten digits.
constexpr double kInputRounding = 1e-9;

std::string text(double number) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", number);
    return buffer;
}

std::string entry(const Mat3& M, int i, int j) {
    return "entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ") is " +
           text(M(i, j));
}

}  // namespace

Particle::Particle(const Arguments& arguments)
    : r_0_(vec3(arguments.numbers("position"))), v_0_(vec3(arguments.numbers("velocity"))) {
    if (arguments.given("velocity_from"))
        v_0_ = rigid::carried_velocity(arguments, r_0_, {"velocity"});
    set_axes(arguments);
    set_mass(arguments);
}

void Particle::set_axes(const Arguments& arguments) {
    const std::string_view kept = arguments.text("coordinates");
    if (kept.empty())
        arguments.fail("coordinates", "no coordinate is named; write some letters of \"xyz\"");
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const std::string letter(1, kept[k]);
        if (kLetters.find(letter) == std::string_view::npos)
            arguments.fail("coordinates",
                           "\"" + letter + "\" is no coordinate; write some letters of \"xyz\"");
        if (kept.substr(0, k).find(letter) != std::string_view::npos)
            arguments.fail("coordinates", "coordinate \"" + letter + "\" is named twice");
    }
    for (int k = 0; k < 3; ++k) {
        const char letter = kLetters[static_cast<std::size_t>(k)];
        if (kept.find(letter) != std::string_view::npos)
            coordinates_[static_cast<std::size_t>(n_++)] = {0, k, true, 1.0};
        else if (v_0_(k) != 0.0)
            arguments.fail(arguments.given("velocity_from") ? "velocity_from" : "velocity",
                           "the particle moves along " + std::string(kept) + " only, but its " +
                               letter + " component is " + text(v_0_(k)) + "; make it 0, or add " +
                               letter + " to \"coordinates\"");
    }
}

void Particle::set_mass(const Arguments& arguments) {
    if (arguments.shape("mass") != Shape::matrix) {
        const double m = arguments.number("mass");
        if (!(m > 0.0)) arguments.fail("mass", "the mass is " + text(m) + " and must be > 0");
        M_.diagonal().head(n_).setConstant(m);
        return;
    }
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> given(
        arguments.numbers("mass").data());
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < n_; ++j) M_(i, j) = given(axis(i), axis(j));

    const double largest = M_.cwiseAbs().maxCoeff();
    for (int i = 0; i < n_; ++i)
        for (int j = i + 1; j < n_; ++j)
            if (!(std::abs(M_(i, j) - M_(j, i)) <= kInputRounding * largest))
                arguments.fail("mass",
                               "the matrix is not symmetric: " + entry(given, axis(i), axis(j)) +
                                   " and " + entry(given, axis(j), axis(i)));
    M_ = (0.5 * (M_ + M_.transpose())).eval();

    const Eigen::MatrixXd kept = M_.topLeftCorner(n_, n_);
    const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(kept).eigenvalues()(0);
    if (least < -kInputRounding * largest)
        arguments.fail("mass",
                       "the matrix has the negative eigenvalue " + text(least) +
                           ", so some velocity would have negative kinetic energy");
    if (!(largest > 0.0)) arguments.fail("mass", "the mass is zero along every coordinate");
}

void Particle::start(std::span<double> q, std::span<double> v) const {
    for (int i = 0; i < n_; ++i) {
        q[static_cast<std::size_t>(i)] = r_0_(axis(i));
        v[static_cast<std::size_t>(i)] = v_0_(axis(i));
    }
}

void Particle::mass(MassSink& M) const {
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j <= i; ++j)
            if (i == j || M_(i, j) != 0.0) M.add(i, j, M_(i, j));
}

void Particle::attach(const Locator& where, AttachmentSink& out) const {
    if (where.is_direction)
        throw std::invalid_argument(
            "a particle has no axes, so no direction is fixed in it; write the direction as "
            "ground@[x, y, z]");
    if (where.kind == Locator::Kind::name)
        throw std::invalid_argument("a particle has no named points; write @[0, 0, 0] or @0");
    const bool is_here =
        where.kind == Locator::Kind::index ? where.index == 0 : vec3(where.xyz) == Vec3::Zero();
    if (!is_here)
        throw std::invalid_argument("a particle is a single point; write @[0, 0, 0] or @0");

    Vec3 c = r_0_;
    for (int i = 0; i < n_; ++i) {
        out.weight(axis(i), i, 1.0);
        c(axis(i)) = 0.0;
    }
    for (int k = 0; k < 3; ++k)
        if (c(k) != 0.0) out.constant(k, c(k));
}

void Particle::pose(std::span<const double> q, std::span<const double> v, Pose& out) const {
    vec3(out.position) = r_0_;
    vec3(out.velocity).setZero();
    for (int i = 0; i < n_; ++i) {
        vec3(out.position)(axis(i)) = q[static_cast<std::size_t>(i)];
        vec3(out.velocity)(axis(i)) = v[static_cast<std::size_t>(i)];
    }
}

}  // namespace ancora::particle
