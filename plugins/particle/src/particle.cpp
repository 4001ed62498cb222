// SPDX-License-Identifier: BSD-3-Clause
// Axes, mass and attachments of the point mass.
#include "particle.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
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
        const char letter = kLetters[k];
        if (kept.find(letter) != std::string_view::npos)
            coordinates_[n_++] = {0, k, true, 1.0};
        else if (v_0_(k) != 0.0)
            arguments.fail(arguments.given("velocity_from") ? "velocity_from" : "velocity",
                           "the particle moves along " + std::string(kept) + " only, but its " +
                               letter + " component is " + text(v_0_(k)) + "; make it 0, or add " +
                               letter + " to \"coordinates\"");
    }
}

void Particle::set_mass_over_time(const Arguments& arguments) {
    if (arguments.has("mass"))
        arguments.fail("mass_over_time", "is given beside mass; give one of them");
    m_ = TimeFunction(
        arguments, "mass_over_time", {.components = {"mass"}, .outside = Outside::hold});
    const auto require_positive = [&](double t) {
        double m = 0.0;
        m_.evaluate(t, {&m, 1});
        if (!(m > 0.0))
            arguments.fail(
                "mass_over_time",
                "the mass is " + text(m) + " kg at t = " + text(t) + " s and must stay above 0");
    };
    require_positive(0.0);
    for (const double t : m_.times()) require_positive(t);
    double rate = 0.0;
    M_.diagonal().head(n_).setConstant(mass_at(0.0, rate));
}

void Particle::set_mass(const Arguments& arguments) {
    if (arguments.has("mass_over_time")) return set_mass_over_time(arguments);
    if (!arguments.has("mass"))
        arguments.fail("mass", "is missing; give mass, or mass_over_time for one that changes");
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
        q[i] = r_0_(axis(i));
        v[i] = v_0_(axis(i));
    }
}

void Particle::mass(MassSink& M) const {
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j <= i; ++j)
            if (i == j || M_(i, j) != 0.0) M.add(i, j, M_(i, j));
}

double Particle::mass_at(double t, double& rate) const {
    double m = 0.0;
    m_.evaluate(t, {&m, 1}, {&rate, 1});
    if (!(m > 0.0))
        throw std::domain_error("mass_over_time is " + text(m) + " kg at t = " + text(t) +
                                " s; the mass must stay above 0");
    return m;
}

void Particle::evaluate_mass(const MassState& at, const MassValues& out) const {
    double rate = 0.0;
    const double m = mass_at(at.t, rate);
    std::ranges::fill(out.M, 0.0);
    std::ranges::fill(out.rate, 0.0);
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t i = 0; i < n; ++i) {
        out.M[i * n + i] = m;
        out.rate[i * n + i] = rate;
    }
}

void Particle::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    y[0] = mass_at(at.t, y[1]);
    if (!m_.is_table()) return;
    const std::span<const double> times = m_.times();
    const auto past = static_cast<std::size_t>(at.own.z[0]);
    y[1] = 0.0;
    if (past == 0 || past >= times.size()) return;
    // Within the piece, of which a step that ends at its last row still is.
    const double last = std::nextafter(times[past], -std::numeric_limits<double>::infinity());
    double m = 0.0;
    m_.evaluate(std::clamp(at.t, times[past - 1], last), {&m, 1}, {&y[1], 1});
}

double Particle::next_time(double after, std::span<const double>) const {
    const std::span<const double> times = m_.times();
    const auto next = std::ranges::upper_bound(times, after);
    return next == times.end() ? std::numeric_limits<double>::infinity() : *next;
}

void Particle::act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const {
    const std::span<const double> times = m_.times();
    z[0] = static_cast<double>(std::ranges::upper_bound(times, at.t) - times.begin());
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
        vec3(out.position)(axis(i)) = q[i];
        vec3(out.velocity)(axis(i)) = v[i];
    }
}

}  // namespace ancora::particle
