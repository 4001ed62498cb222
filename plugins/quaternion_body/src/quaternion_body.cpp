// SPDX-License-Identifier: BSD-3-Clause
// Start, state-dependent mass, attachments, pose and norm of the rigid body in quaternions.
#include "quaternion_body.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <Eigen/Geometry>

namespace ancora::quaternion_body {
namespace {

using RowMajor7 = Eigen::Matrix<double, 7, 7, Eigen::RowMajor>;
template <int Columns>
using Rows3 = Eigen::Matrix<double, 3, Columns, Eigen::RowMajor>;

constexpr std::int32_t kCoordinates[] = {0, 1, 2, 3, 4, 5, 6};
constexpr std::span<const std::int32_t> kAll = kCoordinates;
constexpr std::span<const std::int32_t> kQuaternion = kAll.subspan(3);
constexpr RowLaw kNormLaw = {RowKind::constraint, 0.0, 0.0, 0.0};

// Relative to the largest moment of inertia: below it the rank of M is in doubt.
constexpr double kLeastInertia = 1e-10;

Eigen::Map<const Vec4> quaternion(std::span<const double> x) {
    return Eigen::Map<const Vec4>(x.data() + 3);
}

}  // namespace

QuaternionBody::QuaternionBody(const Arguments& arguments)
    : body_(rigid::read_mass_properties(arguments)), J_(body_.inertia()) {
    refuse_rod(arguments);

    // A change dp turns the body by 2 |dp|
    const double reach = 2.0 * body_.half_size.norm();
    for (int i = 0; i < 7; ++i) {
        Coordinate& c = coordinates_[i];
        c = i < 3 ? Coordinate{0, i, true, 1.0} : Coordinate{-1, 0, false, reach};
    }
    block_ = {.name = "norm of the quaternion",
              .num_items = 1,
              .rows_per_item = 1,
              .scalars_per_item = 4,
              .stencil = kQuaternion,
              .laws = {&kNormLaw, 1},
              .degree = Degree::quadratic,
              .tangent = TangentForm::full};

    const rigid::Start start = rigid::read_start(arguments, body_);
    Eigen::Map<Vec3>(q_.data()) = start.x;
    Eigen::Map<Vec3>(v_.data()) = start.v;

    // p' = 1/2 G^T w
    Eigen::Quaterniond rotation(start.R);
    rotation.normalize();
    if (rotation.w() < 0.0) rotation.coeffs() = -rotation.coeffs();
    const Vec4 p(rotation.w(), rotation.x(), rotation.y(), rotation.z());
    Eigen::Map<Vec4>(q_.data() + 3) = p;
    Eigen::Map<Vec4>(v_.data() + 3) = 0.5 * body_rates(p).transpose() * start.w;
}

void QuaternionBody::refuse_rod(const Arguments& arguments) const {
    if (J_.minCoeff() > kLeastInertia * J_.maxCoeff()) return;
    arguments.fail(arguments.given("size") ? "size" : "inertia",
                   "the body is a rod: a spin about its axis has no inertia, and the norm of a "
                   "quaternion does not determine it; give the rod a thickness, or use a body of "
                   "type \"ancf_rigid_body\"");
}

void QuaternionBody::start(std::span<double> q, std::span<double> v) const {
    std::ranges::copy(q_, q.begin());
    std::ranges::copy(v_, v.begin());
}

// M_pp = 4 G^T J G
Eigen::Matrix4d QuaternionBody::rotational_mass(const Vec4& p) const {
    const Mat34 G = principal_rates(p);
    const Mat34 JG = J_.asDiagonal() * G;
    const Eigen::Matrix4d M = 4.0 * G.transpose() * JG;
    return 0.5 * (M + M.transpose());
}

void QuaternionBody::mass(MassSink& M) const {
    for (int k = 0; k < 3; ++k) M.add(k, k, body_.mass);
    const Eigen::Matrix4d M_pp = rotational_mass(quaternion(q_));
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= i; ++j) M.add(3 + i, 3 + j, M_pp(i, j));
}

void QuaternionBody::evaluate_mass(const MassState& at, const MassValues& out) const {
    const Vec4 p = quaternion(at.q);
    if (!out.M.empty()) {
        Eigen::Map<RowMajor7> M(out.M.data());
        M.setZero();
        M.diagonal().head<3>().setConstant(body_.mass);
        M.bottomRightCorner<4, 4>() = rotational_mass(p);
    }
    if (out.force.empty()) return;

    // (5)
    const Vec4 dp = quaternion(at.v);
    const Vec3 L = J_.cwiseProduct(principal_rates(p) * dp);
    vec3(out.force).setZero();
    Eigen::Map<Vec4>(out.force.data() + 3) = -8.0 * principal_rates(dp).transpose() * L;
}

void QuaternionBody::rotation(std::span<const double> q, std::span<double> Xi) const {
    Eigen::Map<Eigen::Matrix<double, 7, 3, Eigen::RowMajor>> out(Xi.data());
    out.topRows<3>().setZero();
    out.bottomRows<4>() = space_rotation(quaternion(q));
}

void QuaternionBody::turn(const std::array<double, 9>& R,
                          std::span<double> q,
                          std::span<double> v) const {
    // The quaternion of R before p, and before p'
    const Eigen::Quaterniond r(
        Mat3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.data())));
    for (const std::span<double> x : {q, v}) {
        const Eigen::Quaterniond turned = r * Eigen::Quaterniond(x[3], x[4], x[5], x[6]);
        x[3] = turned.w();
        x[4] = turned.x();
        x[5] = turned.y();
        x[6] = turned.z();
    }
}

void QuaternionBody::attach(const Locator& where, AttachmentSink& out) const {
    Attached item = {rigid::read_locator(where, body_), where.is_direction};
    if (!item.is_direction) item.xi -= body_.center;
    if (item.xi == Vec3::Zero()) {
        for (int k = 0; k < 3; ++k) out.weight(k, k, 1.0);
        return;
    }
    const auto same = [&](const Attached& other) {
        return other.is_direction == item.is_direction && other.xi == item.xi;
    };
    const auto known = std::ranges::find_if(attached_, same);
    const auto id = static_cast<int>(known - attached_.begin());
    if (known == attached_.end()) attached_.push_back(item);
    out.nonlinear(id, item.is_direction ? kQuaternion : kAll);
}

void QuaternionBody::evaluate_attachment(int id,
                                         std::span<const double> q,
                                         std::span<const double> v,
                                         const AttachmentValues& out) const {
    const auto& [xi, is_direction] = attached_.at(id);
    const Vec4 p = quaternion(q);

    // r = x + R(p) xi; a direction without x
    if (!out.r.empty()) {
        vec3(out.r) = rotate(p, xi);
        if (!is_direction) vec3(out.r) += vec3(q);
    }
    if (!out.J.empty()) {
        const Mat34 dR = rotate_gradient(p, xi);
        if (is_direction)
            Eigen::Map<Rows3<4>>(out.J.data()) = dR;
        else
            Eigen::Map<Rows3<7>>(out.J.data()) << Mat3::Identity(), dR;
    }
    // R is quadratic in p, so the second derivative along p' is 2 R(p')
    if (!out.bias.empty()) vec3(out.bias) = 2.0 * rotate(quaternion(v), xi);
}

int QuaternionBody::find_coordinate(std::string_view name) const {
    constexpr std::string_view names[] = {"qw", "qx", "qy", "qz"};
    const auto* const found = std::ranges::find(names, name);
    return found == std::end(names) ? -1 : 3 + static_cast<int>(found - names);
}

void QuaternionBody::pose(std::span<const double> q, std::span<const double> v, Pose& out) const {
    const double norm = quaternion(q).norm();
    if (!(norm > 0.0))
        throw std::domain_error(
            "the quaternion has length zero and is no attitude; use a shorter step");
    Vec4 p = quaternion(q) / norm;
    if (p(0) < 0.0) p = -p;
    Eigen::Map<Vec4>(out.quaternion.data()) = p;

    // p^' = p'/|p| but for a part along p^, which G annuls; |p| and the sign cancel in w
    const Vec3 w = 2.0 / (norm * norm) * body_rates(quaternion(q)) * quaternion(v);
    vec3(out.angular_velocity) = w;

    // The reference point is at -c from the centre of mass
    vec3(out.position) = vec3(q) - rotate(p, body_.center);
    vec3(out.velocity) = vec3(v) - rotate(p, w.cross(body_.center));
}

void QuaternionBody::evaluate(int, const RowPoint& at, const RowValues& out) const {
    const Vec4 p = quaternion(at.u);
    if (!out.pi.empty()) out.pi[0] = 0.5 * (p.squaredNorm() - 1.0);
    if (!out.A.empty()) Eigen::Map<Vec4>(out.A.data()) = p;
    if (!out.b.empty()) out.b[0] = -quaternion(at.du).squaredNorm();
    std::ranges::fill(out.pi_t, 0.0);
}

void QuaternionBody::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    const double stress = at.positive_part ? std::max(at.s[0], 0.0) : at.s[0];
    Eigen::Map<Eigen::Matrix4d>(G.data()) = stress * Eigen::Matrix4d::Identity();
}

}  // namespace ancora::quaternion_body
