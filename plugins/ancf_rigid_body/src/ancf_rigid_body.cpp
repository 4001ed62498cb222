// SPDX-License-Identifier: BSD-3-Clause
// Start, mass, attachments, pose and strain rows of the rigid body in absolute nodal coordinates.
#include "ancf_rigid_body.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "attitude.hpp"
#include "relaxed_start.hpp"

namespace ancora::ancf {
namespace {

constexpr std::array<std::int32_t, 9> kDirectors = {3, 4, 5, 6, 7, 8, 9, 10, 11};
constexpr RowLaw kRodSpinLaw = {RowKind::gauge, 0.0, 0.0, 0.0};

// Relative, rounding of what a user types: spin about the axis of a rod.
constexpr double kSpinRounding = 1e-9;

// Volume that weights a finite penalty [m^3].
double read_volume(const Arguments& arguments, const rigid::MassProperties& body) {
    if (!arguments.given("volume")) return body.volume;
    if (arguments.given("size"))
        arguments.fail("volume", "a box has its volume from \"size\"; leave \"volume\" out");
    return arguments.number("volume");
}

// Stiffness V alpha of every strain [N m]; infinite for an exactly rigid body.
double read_stiffness(const Arguments& arguments, double volume) {
    const double alpha = arguments.number("penalty");
    if (std::isinf(alpha)) return alpha;
    if (!(volume > 0.0))
        arguments.fail("penalty",
                       "a finite penalty is weighted with the volume, and a flat body or a rod has "
                       "none; give \"volume\", or penalty = inf");
    return alpha * volume;
}

double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A row of three vectors.
void put(double* A, const double* a, const double* b, const double* c) {
    for (int k = 0; k < 3; ++k) A[k] = a[k];
    for (int k = 0; k < 3; ++k) A[3 + k] = b[k];
    for (int k = 0; k < 3; ++k) A[6 + k] = c[k];
}

// (3)
void write_strain(const double* e, double* pi) {
    pi[0] = 0.5 * (dot(e, e) - 1.0);
    pi[1] = 0.5 * (dot(e + 3, e + 3) - 1.0);
    pi[2] = 0.5 * (dot(e + 6, e + 6) - 1.0);
    pi[3] = dot(e, e + 3);
    pi[4] = dot(e + 3, e + 6);
    pi[5] = dot(e + 6, e);
}

// d eps / d(e_1, e_2, e_3), 6 x 9
void write_jacobian(const double* directors, double* A) {
    // Copied: the compiler cannot know that A and u do not overlap
    double e[9];
    std::copy_n(directors, 9, e);
    const double* e1 = e;
    const double* e2 = e + 3;
    const double* e3 = e + 6;
    constexpr double o[3] = {};
    put(A, e1, o, o);
    put(A + 9, o, e2, o);
    put(A + 18, o, o, e3);
    put(A + 27, e2, e1, o);
    put(A + 36, o, e3, e2);
    put(A + 45, e3, o, e1);
}

// eps'' = A u'' - b
void write_bias(const double* de, double* b) {
    b[0] = -dot(de, de);
    b[1] = -dot(de + 3, de + 3);
    b[2] = -dot(de + 6, de + 6);
    b[3] = -2.0 * dot(de, de + 3);
    b[4] = -2.0 * dot(de + 3, de + 6);
    b[5] = -2.0 * dot(de + 6, de);
}

}  // namespace

AncfRigidBody::AncfRigidBody(const Arguments& arguments)
    : body_(rigid::read_mass_properties(arguments)), rod_axis_(body_.rod_axis()) {
    const double stiffness = read_stiffness(arguments, read_volume(arguments, body_));
    set_coordinates();
    set_rows(stiffness);
    set_start(arguments, stiffness);
}

void AncfRigidBody::set_coordinates() {
    const double largest = body_.half_size.maxCoeff();
    for (int i = 0; i < 4; ++i) {
        double reach = 1.0;
        // A director without mass moves no matter, but its convergence still counts
        if (i > 0) reach = body_.half_size(i - 1) > 0.0 ? body_.half_size(i - 1) : largest;
        for (int axis = 0; axis < 3; ++axis) coordinates_[3 * i + axis] = {i, axis, i == 0, reach};
    }
}

void AncfRigidBody::set_rows(double stiffness) {
    if (std::isfinite(stiffness)) strain_law_ = {RowKind::elastic, 1.0 / stiffness, 0.0, 0.0};
    blocks_[0] = {.name = "strain",
                  .num_items = 1,
                  .rows_per_item = 6,
                  .scalars_per_item = 9,
                  .stencil = kDirectors,
                  .laws = {&strain_law_, 1},
                  .degree = Degree::quadratic,
                  .tangent = TangentForm::isotropic};
    if (rod_axis_ < 0) return;

    // The directors e_j, e_k across the rod
    for (std::int32_t c = 0; c < 3; ++c) {
        rod_stencil_[c] = 3 + 3 * ((rod_axis_ + 1) % 3) + c;
        rod_stencil_[3 + c] = 3 + 3 * ((rod_axis_ + 2) % 3) + c;
    }
    blocks_[1] = {.name = "spin about the rod's axis",
                  .num_items = 1,
                  .rows_per_item = 1,
                  .scalars_per_item = 6,
                  .stencil = rod_stencil_,
                  .laws = {&kRodSpinLaw, 1},
                  .degree = Degree::quadratic,
                  .tangent = TangentForm::none};
}

void AncfRigidBody::set_start(const Arguments& arguments, double stiffness) {
    // From here on in principal axes: R_0 = R R_p, w_p = R_p^T w
    const rigid::Start start = rigid::read_start(arguments, body_);
    const Mat3 R_0 = start.R * body_.axes;
    StretchedSpin spin = {Mat3::Identity(), body_.axes.transpose() * start.w};

    if (rod_axis_ >= 0) {
        if (std::abs(spin.w(rod_axis_)) > kSpinRounding * start.w.norm())
            arguments.fail("angular_velocity",
                           "the body is a rod and has no inertia about its axis, so it cannot spin "
                           "about it; take that component out, or give the rod a thickness");
        spin.w(rod_axis_) = 0.0;
    }
    if (arguments.text("start") == "relaxed" && std::isfinite(stiffness)) {
        const auto relaxed = relaxed_spin(body_.moments, stiffness, spin.w);
        if (!relaxed)
            arguments.fail("start",
                           "there is no relaxed start: at this angular velocity the spin strains "
                           "the body by more than 0.25; use a larger \"penalty\"");
        spin = *relaxed;
    }

    Eigen::Map<Vec3>(q_.data()) = start.x;
    Eigen::Map<Vec3>(v_.data()) = start.v;

    // [e_1 e_2 e_3] = R_0 U and its rate R_0 w^ U
    Eigen::Map<Mat3>(q_.data() + 3) = R_0 * spin.U;
    Eigen::Map<Mat3>(v_.data() + 3) = R_0 * (skew(spin.w) * spin.U);
}

void AncfRigidBody::start(std::span<double> q, std::span<double> v) const {
    std::ranges::copy(q_, q.begin());
    std::ranges::copy(v_, v.begin());
}

void AncfRigidBody::mass(MassSink& M) const {
    for (int k = 0; k < 3; ++k) M.add(k, k, body_.mass);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) M.add(3 + 3 * i + k, 3 + 3 * i + k, body_.moments(i));
}

void AncfRigidBody::attach(const Locator& where, AttachmentSink& out) const {
    // r = x + xi_i e_i; a direction d = d_i e_i
    const Vec3 xyz = rigid::read_locator(where, body_);
    const Vec3 xi = where.is_direction ? Vec3(body_.axes.transpose() * xyz) : principal_point(xyz);
    if (!where.is_direction)
        for (int k = 0; k < 3; ++k) out.weight(k, k, 1.0);
    for (int i = 0; i < 3; ++i)
        if (xi(i) != 0.0)
            for (int k = 0; k < 3; ++k) out.weight(k, 3 + 3 * i + k, xi(i));
}

void AncfRigidBody::pose(std::span<const double> q, std::span<const double> v, Pose& out) const {
    const Eigen::Map<const Mat3> E(q.data() + 3);
    const Eigen::Map<const Mat3> dE(v.data() + 3);
    const Vec3 xi = principal_point(Vec3::Zero());
    vec3(out.position) = vec3(q) + E * xi;
    vec3(out.velocity) = vec3(v) + dE * xi;

    const Polar frame = polar_decomposition(E);
    vec3(out.angular_velocity) = body_.axes * angular_velocity(frame, dE);
    const Mat3 R = frame.R * body_.axes.transpose();
    Eigen::Quaterniond p(R);
    p.normalize();
    if (p.w() < 0.0) p.coeffs() = -p.coeffs();
    out.quaternion = {p.w(), p.x(), p.y(), p.z()};
}

std::span<const RowBlock> AncfRigidBody::row_blocks() const {
    return std::span(blocks_).first(rod_axis_ < 0 ? 1 : 2);
}

void AncfRigidBody::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    if (block == 1) return evaluate_rod_spin(at, out);
    if (!out.pi.empty()) write_strain(at.u.data() + 3, out.pi.data());
    if (!out.A.empty()) write_jacobian(at.u.data() + 3, out.A.data());
    if (!out.b.empty()) write_bias(at.du.data() + 3, out.b.data());
    std::ranges::fill(out.pi_t, 0.0);
}

void AncfRigidBody::evaluate_rod_spin(const RowPoint& at, const RowValues& out) const {
    // A u' = (e_k.e_j' - e_j.e_k') / 2 = w_i = 0, so that the row's stress is the torque about the
    // axis; its derivative has no bias, since e_k'.e_j' - e_j'.e_k' = 0
    if (!out.A.empty()) {
        const double* e_j = at.u.data() + rod_stencil_[0];
        const double* e_k = at.u.data() + rod_stencil_[3];
        for (std::size_t c = 0; c < 3; ++c) {
            out.A[c] = 0.5 * e_k[c];
            out.A[3 + c] = -0.5 * e_j[c];
        }
    }
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    std::ranges::fill(out.b, 0.0);
}

void AncfRigidBody::evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const {
    if (block == 1) return;  // TangentForm::none

    // sum of s_k d2 eps_k: K_ii = s_i, and each shear stands off the diagonal
    Mat3 K;
    K << at.s[0], at.s[3], at.s[5],  //
        at.s[3], at.s[1], at.s[4],   //
        at.s[5], at.s[4], at.s[2];
    if (at.positive_part) {
        const auto eigen = Eigen::SelfAdjointEigenSolver<Mat3>().computeDirect(K);
        const Mat3& Q = eigen.eigenvectors();
        K = Q * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * Q.transpose();
    }
    Eigen::Map<Mat3>(G.data()) = K;
}

}  // namespace ancora::ancf
