// SPDX-License-Identifier: BSD-3-Clause
// Start, mass, attachments, rows and outputs of elastic bodies.
#include "elastic_body.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "ancora/sdk/authoring/row_tangent.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/helpers/rigid_body.hpp"
#include "finite_elements.hpp"
#include "text.hpp"

namespace ancora::elastic {
namespace {

enum Block { kFrames, kModes, kShape, kInterfaces };

// Square of the spin over the lowest frequency from which stiffening by the spin would matter.
constexpr double kMostSpin = 0.01;

void put(double* A, std::ptrdiff_t at, const Vec3& value) {
    Eigen::Map<Vec3>(A + 3 * at) = value;
}
ReductionSettings read_settings(const Arguments& arguments) {
    return {static_cast<int>(arguments.integer("modes")), arguments.boolean("static_modes")};
}

Reduction read_reduction(const Arguments& arguments,
                         const FiniteElements& model,
                         const ReductionSettings& settings) {
    if (settings.modes == 0 && (!settings.with_static || model.interfaces.size() < 2))
        arguments.fail("modes",
                       "without vibrations only the static shapes of two interfaces and more "
                       "deform the body; give modes = 1 or more");
    Reduction out;
    try {
        out = reduce(model, settings);
    } catch (const std::domain_error& error) {
        arguments.fail("stiffness", error.what());
    }
    return out;
}

}  // namespace

ElasticBody::ElasticBody(const Arguments& arguments) {
    const FiniteElements model = read_finite_elements(arguments);
    const ReductionSettings settings = read_settings(arguments);
    reduction_ = read_reduction(arguments, model, settings);
    for (const Interface& interface : model.interfaces) groups_.push_back({interface.name, {}});
    num_interfaces_ = static_cast<std::int32_t>(groups_.size());
    for (const NamedNode& point : model.points) groups_.push_back({point.name, {}});
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(groups_.size()); ++k) {
        groups_[static_cast<std::size_t>(k)].nodes = {k};
        all_points_.push_back(k);
    }

    const int num = num_functions();
    const double size = reduction_.reach.head(reduction_.num_affine).maxCoeff();
    for (int i = 0; i < num + 4 + 3 * num_interfaces_; ++i) {
        const double reach = i == 0 ? 1.0 : i <= num ? reduction_.reach(i - 1) : size;
        for (std::int32_t axis = 0; axis < 3; ++axis)
            coordinates_.push_back({i, axis, i == 0, reach});
    }
    set_start(arguments);
    set_damping(arguments);
    set_rows(damping_);
    set_outputs();
    set_notes(model, settings);
}

double ElasticBody::unit(int a) const {
    return a < reduction_.num_affine
               ? reduction_.rho(reduction_.affine_axes[static_cast<std::size_t>(a)])
               : 1.0;
}

void ElasticBody::set_start(const Arguments& arguments) {
    rigid::MassProperties body;
    body.mass = reduction_.mass;
    body.center = reduction_.center;
    body.axes = reduction_.axes;
    const rigid::Start start = rigid::read_start(arguments, body);
    spin_squared_ = start.w.squaredNorm();
    const double spin = spin_squared_ / reduction_.lowest_squared;
    if (spin > kMostSpin)
        arguments.warn("angular_velocity",
                       "the square of the spin is " + text_of(spin) +
                           " of that of the lowest frequency" + lowest_of() +
                           ", and linear modes are not stiffened "
                           "by a spin: split the body into several, or take beams or shells");

    // Axes of the frame, z_a = E (e_a [affine] + sum of y_am e_m / unit)
    const Mat3 E = start.R * reduction_.axes;
    Eigen::VectorXd eta = Eigen::VectorXd::Zero(reduction_.num_modes());
    if (arguments.given("amplitudes")) {
        const std::span<const double> given = arguments.numbers("amplitudes");
        if (static_cast<Eigen::Index>(given.size()) > eta.size())
            arguments.fail("amplitudes",
                           "there are " + std::to_string(given.size()) + ", and the body has " +
                               std::to_string(eta.size()) + " modes");
        std::ranges::copy(given, eta.data());
    }
    const Eigen::VectorXd y = reduction_.Q.leftCols(eta.size()) * eta;
    q_.assign(coordinates_.size(), 0.0);
    v_.assign(coordinates_.size(), 0.0);
    const auto vector = [&](std::vector<double>& of, int first) {
        return Eigen::Map<Vec3>(of.data() + first);
    };
    const Vec3 w = start.R * start.w;
    vector(q_, 0) = start.x;
    vector(v_, 0) = start.v;
    for (int a = 0; a < num_functions(); ++a) {
        Vec3 z = y.segment<3>(3 * a) / unit(a);
        if (a < reduction_.num_affine)
            z += Vec3::Unit(reduction_.affine_axes[static_cast<std::size_t>(a)]);
        vector(q_, function(a)) = E * z;
        vector(v_, function(a)) = w.cross(Vec3(E * z));
    }
    const auto put_axes = [&](int first, const Mat3& axes) {
        for (int m = 0; m < 3; ++m) {
            vector(q_, first + 3 * m) = axes.col(m);
            vector(v_, first + 3 * m) = w.cross(Vec3(axes.col(m)));
        }
    };
    put_axes(frame(), E);
    for (int k = 0; k < num_interfaces_; ++k) {
        // (7): in the plane of the tangents, turned so that both lie alike
        const Vec3 a = tangent(2 * k, q_.data()), b = tangent(2 * k + 1, q_.data());
        const Vec3 n = a.cross(b).normalized(), u = a.normalized(), along = n.cross(u);
        const double angle = -std::atan2(b.dot(u), b.dot(along) + a.norm());
        Mat3 axes;
        axes.col(0) = std::cos(angle) * u + std::sin(angle) * along;
        axes.col(1) = n.cross(Vec3(axes.col(0)));
        axes.col(2) = n;
        put_axes(interface_frame(k), axes);
    }
}

void ElasticBody::set_rows(double damping) {
    const int num = num_functions(), n = reduction_.num_modes();
    for (int c = 0; c < 9 * (1 + num_interfaces_); ++c) frame_stencil_.push_back(frame() + c);
    for (int k = 0; k < num_interfaces_; ++k) {
        for (int c = 0; c < 3 * num; ++c) interface_stencil_.push_back(3 + c);
        for (int c = 0; c < 9; ++c) interface_stencil_.push_back(interface_frame(k) + c);
    }
    for (int c = 0; c < 3 * (num + 3); ++c) shape_stencil_.push_back(3 + c);
    for (int k = 0; k < n; ++k) {
        const double omega = std::sqrt(damped_.omega_squared(k));
        mode_laws_.push_back({.kind = RowKind::elastic,
                              .compliance = 1.0 / (reduction_.mass * omega * omega),
                              .viscosity = 2.0 * damping * reduction_.mass * omega});
    }
    blocks_ = {{.name = "axes of a frame",
                .num_items = 1 + num_interfaces_,
                .rows_per_item = 6,
                .scalars_per_item = 9,
                .stencil = frame_stencil_,
                .laws = {&constraint_, 1},
                .degree = Degree::quadratic,
                .tangent = TangentForm::isotropic},
               {.name = "mode",
                .num_items = 1,
                .rows_per_item = n,
                .scalars_per_item = 3 * (num + 3),
                .stencil = shape_stencil_,
                .laws = mode_laws_,
                .degree = Degree::quadratic,
                .tangent = TangentForm::isotropic},
               {.name = "shape",
                .num_items = 1,
                .rows_per_item = 3 * num - n,
                .scalars_per_item = 3 * (num + 3),
                .stencil = shape_stencil_,
                .laws = {&constraint_, 1},
                .degree = Degree::quadratic,
                .tangent = TangentForm::isotropic}};
    if (num_interfaces_ > 0)
        blocks_.push_back({.name = "axes of an interface",
                           .num_items = num_interfaces_,
                           .rows_per_item = 3,
                           .scalars_per_item = 3 * (num + 3),
                           .stencil = interface_stencil_,
                           .laws = {&constraint_, 1},
                           .degree = Degree::quadratic,
                           .tangent = TangentForm::isotropic});
}

void ElasticBody::start(std::span<double> q, std::span<double> v) const {
    std::ranges::copy(q_, q.begin());
    std::ranges::copy(v_, v.begin());
}

// (5)
void ElasticBody::mass(MassSink& M) const {
    for (int axis = 0; axis < 3; ++axis) M.add(axis, axis, reduction_.mass);
    for (int a = 0; a < num_functions(); ++a)
        for (int axis = 0; axis < 3; ++axis)
            M.add(function(a) + axis, function(a) + axis, reduction_.mass * unit(a) * unit(a));
}

void ElasticBody::attach(const Locator& where, AttachmentSink& out) const {
    const auto num_points = static_cast<std::int64_t>(reduction_.values.rows());
    std::string known;
    for (const Group& group : groups_) known += (known.empty() ? "" : ", ") + group.name;
    known =
        known.empty() ? "; name some in \"interfaces\" or \"points\"" : "; this body has " + known;
    if (where.kind == Locator::Kind::coordinates)
        throw std::invalid_argument("points of an elastic body are its interfaces and named nodes" +
                                    known);
    std::int64_t k = where.index;
    if (where.kind == Locator::Kind::name) {
        const auto found = std::ranges::find(groups_, where.name, &Group::name);
        if (found == groups_.end())
            throw std::invalid_argument("there is no interface or point " +
                                        nodes::quoted(where.name) + known);
        k = found - groups_.begin();
    }
    if (k < 0 || k >= num_points)
        throw std::invalid_argument("there is no point " + std::to_string(k) +
                                    "; interfaces, points and nodes count from 0 in their order" +
                                    known);
    if (!where.is_direction) {
        for (int axis = 0; axis < 3; ++axis) out.weight(axis, axis, 1.0);
        for (int a = 0; a < num_functions(); ++a)
            for (int axis = 0; axis < 3; ++axis)
                out.weight(axis, function(a) + axis, reduction_.values(k, a));
        return;
    }
    if (k >= num_interfaces_)
        throw std::invalid_argument(
            "a single node has no axes; make it and its neighbours an interface");
    if (!(vec3(where.xyz).norm() > 0.0))
        throw std::invalid_argument(
            "a direction at an interface is written in its axes, \"BODY@NAME@[x, y, z]\"");
    // In axes of the model
    const Vec3 d = reduction_.interface_axes[static_cast<std::size_t>(k)].transpose() *
                   (reduction_.axes.transpose() * vec3(where.xyz));
    for (int i = 0; i < 3; ++i)
        for (int axis = 0; axis < 3; ++axis)
            out.weight(axis, interface_frame(static_cast<int>(k)) + 3 * i + axis, d(i));
}

std::span<const std::int32_t> ElasticBody::group(std::string_view name) const {
    if (name == "*") return all_points_;
    return nodes::find_group(
               groups_, name, "body", "finite element", static_cast<std::int32_t>(groups_.size()))
        .nodes;
}

void ElasticBody::draw(Sketch& out) const {
    out.nodes(static_cast<int>(reduction_.values.rows()));
    out.lines(reduction_.lines);
    out.triangles(reduction_.triangles);
    if (reduction_.stress.size() > 0) out.channel("von Mises stress", "Pa", ChannelPlace::nodes);
}

void ElasticBody::draw_values(const SketchState& at, std::span<double> values) const {
    const int n = reduction_.num_modes();
    Eigen::VectorXd eta(n);
    evaluate_modes(reduction_.Q,
                   0,
                   n,
                   {at.q, {}, at.t},
                   {{eta.data(), static_cast<std::size_t>(n)}, {}, {}, {}});
    const Eigen::VectorXd stress = reduction_.stress * eta;
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = von_mises(stress.segment<6>(6 * static_cast<Eigen::Index>(k)));
}

std::pair<int, int> ElasticBody::columns(int block) const {
    const int n = reduction_.num_modes();
    return block == kModes ? std::pair(0, n) : std::pair(n, 3 * num_functions() - n);
}

void ElasticBody::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    const int n = reduction_.num_modes();
    const RowPoint point{at.u, {}, at.t};
    evaluate_modes(reduction_.Q, 0, n, point, {y.first(static_cast<std::size_t>(n)), {}, {}, {}});
    double energy = 0.0;
    for (int k = 0; k < n; ++k)
        energy += 0.5 * reduction_.mass * reduction_.omega_squared(k) *
                  y[static_cast<std::size_t>(k)] * y[static_cast<std::size_t>(k)];
    y[static_cast<std::size_t>(n)] = energy;
}

void ElasticBody::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    if (block == kFrames) {
        evaluate_frames(at, out);
    } else if (block == kInterfaces) {
        evaluate_interfaces(at, out);
    } else {
        const auto [first, count] = columns(block);
        evaluate_modes(row_Q_, first, count, at, out);
    }
    std::ranges::fill(out.pi_t, 0.0);
}

// (3): squares halved
void ElasticBody::evaluate_frames(const RowPoint& at, const RowValues& out) const {
    for (int k = 0; k < 1 + num_interfaces_; ++k) {
        const int first = frame() + 9 * k;
        const auto row = static_cast<std::size_t>(6 * k);
        const Mat3 e = Eigen::Map<const Mat3>(at.u.data() + first);
        if (!out.pi.empty())
            for (std::size_t i = 0; i < 3; ++i) {
                const auto column = static_cast<Eigen::Index>(i);
                const double l = e.col(column).norm();
                out.pi[row + i] = 0.5 * (l - 1.0) * (l + 1.0);
                out.pi[row + 3 + i] = e.col(column).dot(e.col((column + 1) % 3));
            }
        if (!out.A.empty()) {
            double* const A = out.A.data() + 9 * row;
            std::fill_n(A, 54, 0.0);
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3;
                put(A + 9 * i, i, e.col(i));
                put(A + 27 + 9 * i, i, e.col(j));
                put(A + 27 + 9 * i, j, e.col(i));
            }
        }
        if (out.b.empty()) continue;
        const Mat3 de = Eigen::Map<const Mat3>(at.du.data() + first);
        for (std::size_t i = 0; i < 3; ++i) {
            const auto column = static_cast<Eigen::Index>(i);
            out.b[row + i] = -de.col(column).squaredNorm();
            out.b[row + 3 + i] = -2.0 * de.col(column).dot(de.col((column + 1) % 3));
        }
    }
}

Vec3 ElasticBody::tangent(int row, const double* u) const {
    Vec3 out = Vec3::Zero();
    for (int a = 0; a < num_functions(); ++a)
        out += reduction_.tangents(row, a) * Eigen::Map<const Vec3>(u + function(a));
    return out;
}

// (7)
void ElasticBody::evaluate_interfaces(const RowPoint& at, const RowValues& out) const {
    const int num = num_functions();
    for (int k = 0; k < num_interfaces_; ++k) {
        const auto row = static_cast<std::size_t>(3 * k);
        const auto products = [&](const double* u, double scale, double* to) {
            const Mat3 f = Eigen::Map<const Mat3>(u + interface_frame(k));
            const Vec3 t1 = tangent(2 * k, u), t2 = tangent(2 * k + 1, u);
            to[0] = scale * f.col(2).dot(t1);
            to[1] = scale * f.col(2).dot(t2);
            to[2] = scale * (f.col(0).dot(t2) - f.col(1).dot(t1));
        };
        if (!out.pi.empty()) products(at.u.data(), 1.0, out.pi.data() + row);
        if (!out.b.empty()) products(at.du.data(), -2.0, out.b.data() + row);
        if (out.A.empty()) continue;
        const std::ptrdiff_t width = 3 * (num + 3);
        double* const A = out.A.data() + width * static_cast<std::ptrdiff_t>(row);
        std::fill_n(A, 3 * width, 0.0);
        const Mat3 f = Eigen::Map<const Mat3>(at.u.data() + interface_frame(k));
        const Vec3 t1 = tangent(2 * k, at.u.data()), t2 = tangent(2 * k + 1, at.u.data());
        for (int a = 0; a < num; ++a) {
            const double c1 = reduction_.tangents(2 * k, a), c2 = reduction_.tangents(2 * k + 1, a);
            put(A, a, c1 * f.col(2));
            put(A + width, a, c2 * f.col(2));
            put(A + 2 * width, a, c2 * f.col(0) - c1 * f.col(1));
        }
        put(A, num + 2, t1);
        put(A + width, num + 2, t2);
        put(A + 2 * width, num, t2);
        put(A + 2 * width, num + 1, -t1);
    }
}

// (4): sum over a, m of Q y
void ElasticBody::evaluate_modes(const Eigen::MatrixXd& Q_of,
                                 int first,
                                 int count,
                                 const RowPoint& at,
                                 const RowValues& out) const {
    const int num = num_functions();
    const Mat3 e = Eigen::Map<const Mat3>(at.u.data() + frame());
    const auto z = [&](const double* u, int a) {
        return Eigen::Map<const Vec3>(u + function(a));
    };
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.A, 0.0);
    std::ranges::fill(out.b, 0.0);
    const std::ptrdiff_t width = 3 * (num + 3);
    for (int a = 0; a < num; ++a) {
        const double rho = unit(a);
        const Vec3 za = z(at.u.data(), a);
        Vec3 y = rho * (e.transpose() * za);
        if (a < reduction_.num_affine)
            y(reduction_.affine_axes[static_cast<std::size_t>(a)]) -= rho;
        Vec3 rate = Vec3::Zero();
        if (!out.b.empty())
            rate =
                -2.0 * rho *
                (Eigen::Map<const Mat3>(at.du.data() + frame()).transpose() * z(at.du.data(), a));
        for (int k = 0; k < count; ++k) {
            const Vec3 Q = Q_of.block<3, 1>(3 * a, first + k);
            const auto row = static_cast<std::size_t>(k);
            if (!out.pi.empty()) out.pi[row] += Q.dot(y);
            if (!out.b.empty()) out.b[row] += Q.dot(rate);
            if (out.A.empty()) continue;
            double* const A = out.A.data() + width * k;
            put(A, a, rho * (e * Q));
            for (int m = 0; m < 3; ++m) Eigen::Map<Vec3>(A + 3 * (num + m)) += rho * Q(m) * za;
        }
    }
}

void ElasticBody::evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const {
    if (block == kFrames) {
        for (std::size_t k = 0; k < 1 + groups_.size() && 9 * k < G.size(); ++k) {
            double* const K = G.data() + 9 * k;
            const double* const s = at.s.data() + 6 * k;
            for (std::size_t i = 0; i < 3; ++i) {
                const std::size_t j = (i + 1) % 3;
                K[4 * i] = s[i];
                K[3 * i + j] = K[3 * j + i] = s[3 + i];
            }
            if (at.positive_part) keep_positive_part<3>(K);
        }
        return;
    }
    const int num = num_functions();
    const auto size = static_cast<std::size_t>((num + 3) * (num + 3));
    const auto stresses = [&](std::span<double> of) {
        return Eigen::Map<Eigen::MatrixXd>(of.data(), num + 3, num + 3).rightCols<3>().topRows(num);
    };
    if (block == kInterfaces) {
        for (int k = 0; k < num_interfaces_; ++k) {
            const double* const s = at.s.data() + 3 * k;
            const auto c1 = reduction_.tangents.row(2 * k).transpose(),
                       c2 = reduction_.tangents.row(2 * k + 1).transpose();
            const std::span<double> of = G.subspan(static_cast<std::size_t>(k) * size, size);
            auto S = stresses(of);
            S.col(0) = s[2] * c2;
            S.col(1) = -s[2] * c1;
            S.col(2) = s[0] * c1 + s[1] * c2;
            finish_tangent(at.positive_part, of);
        }
        return;
    }
    const auto [first, count] = columns(block);
    const Eigen::Map<const Eigen::VectorXd> s(at.s.data(), count);
    auto S = stresses(G);
    for (int a = 0; a < num; ++a)
        for (int m = 0; m < 3; ++m)
            S(a, m) = unit(a) * row_Q_.row(3 * a + m).segment(first, count).dot(s);
    finish_tangent(at.positive_part, G);
}

// [0 S; S^T 0], or [c (S S^T)^1/2 S; S^T (S^T S)^1/2 / c] / 2, which is not less than that or zero
// for any c. The z_a have the mass of the body and the vectors its moment of inertia: c lets both
// bear the same share.
void ElasticBody::finish_tangent(bool positive_part, std::span<double> G) const {
    const Eigen::Index num = num_functions();
    Eigen::Map<Eigen::MatrixXd> K(G.data(), num + 3, num + 3);
    const auto S = K.rightCols<3>().topRows(num);
    K.topLeftCorner(num, num).setZero();
    K.bottomRightCorner<3, 3>().setZero();
    K.bottomRows<3>().leftCols(num) = S.transpose();
    if (!positive_part) return;
    Mat3 square = Mat3::Zero();
    for (Eigen::Index a = 0; a < num; ++a) square += Vec3(S.row(a)) * Vec3(S.row(a)).transpose();
    const Mat3 V = rigid::diagonalise(square);
    const Vec3 values = square.diagonal().cwiseMax(0.0);
    constexpr double kRounding = 1e-12;
    const Vec3 root = values.cwiseSqrt();
    Vec3 inverse;
    for (int m = 0; m < 3; ++m)
        inverse(m) = values(m) > kRounding * values.maxCoeff() ? 1.0 / root(m) : 0.0;
    const Mat3 H = V * root.asDiagonal() * V.transpose();
    const Mat3 H_inverse = V * inverse.asDiagonal() * V.transpose();
    const Vec3 rho_squared = reduction_.rho.cwiseAbs2();
    const double c = 1.0 / std::sqrt(rho_squared.sum() - rho_squared.maxCoeff());
    for (Eigen::Index a = 0; a < num; ++a)
        for (Eigen::Index b = 0; b <= a; ++b)
            K(a, b) = K(b, a) = 0.5 * c * Vec3(S.row(a)).dot(H_inverse * Vec3(S.row(b)));
    K.rightCols<3>().topRows(num) *= 0.5;
    K.bottomRows<3>().leftCols(num) *= 0.5;
    K.bottomRightCorner<3, 3>() = 0.5 / c * H;
}

}  // namespace ancora::elastic
