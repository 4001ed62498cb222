// SPDX-License-Identifier: BSD-3-Clause
// Construction, mass, start and strains of membranes.
#include "membrane.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::membrane {

Membrane::Membrane(const Arguments& arguments)
    : sheet_(build_sheet(arguments)),
      edges_(edges_of(sheet_)),
      thickness_(arguments.number("thickness")),
      density_(arguments.number("density")) {
    const std::int32_t num_nodes = sheet_.num_nodes();
    node_mass_ = nodes::read_node_masses(arguments, num_nodes);
    if (density_ == 0.0) {
        const auto light = std::ranges::find(node_mass_, 0.0);
        if (light != node_mass_.end())
            arguments.fail("density",
                           "without a density every node needs a mass in \"node_masses\"; node " +
                               std::to_string(light - node_mass_.begin()) + " has none");
    }
    const bool is_lumped = arguments.text("mass") == "lumped";
    own_ = is_lumped ? 1.0 / 3.0 : 1.0 / 6.0;
    shared_ = is_lumped ? 0.0 : 1.0 / 12.0;

    const Film::Numbers material = {
        arguments.number("young"), arguments.number("poisson"), arguments.boolean("tension_only")};
    const double damping = arguments.number("damping");
    for (const Triangle& t : sheet_.triangles) {
        const Vec3 d1 = sheet_.node_at_rest(t[1]) - sheet_.node_at_rest(t[0]);
        const Vec3 d2 = sheet_.node_at_rest(t[2]) - sheet_.node_at_rest(t[0]);
        const double L = d1.norm(), x = d1.dot(d2) / L, y = d1.cross(d2).norm() / L;
        const double alpha = 1.0 / L, beta = -x / (L * y), gamma = 1.0 / y;
        shapes_.push_back({{-alpha, alpha, 0.0}, {-beta - gamma, beta, gamma}});
        const double volume = 0.5 * L * y * thickness_;
        volume_.push_back(volume);
        // eta E' : E' = eta (pi_1'^2 + pi_2'^2 + pi_3'^2) / 2
        const RowLaw areal = {.kind = RowKind::elastic,
                              .compliance = 1.0 / (material.areal() * volume),
                              .viscosity = 0.5 * damping * volume};
        const RowLaw shear = {.kind = RowKind::elastic,
                              .compliance = 1.0 / (material.shear() * volume),
                              .viscosity = 0.5 * damping * volume};
        laws_.insert(laws_.end(), {areal, shear, shear});
        for (const std::int32_t node : t)
            stencil_.insert(stencil_.end(), {3 * node, 3 * node + 1, 3 * node + 2});
    }
    prestrain_ = arguments.number("prestress") / material.areal();
    film_.emplace(material, volume_);
    law_ = &*film_;

    v_ = nodes::read_start_motion(arguments).velocities(sheet_.x);
    for (std::int32_t i = 0; i < num_nodes; ++i) {
        for (std::int32_t axis = 0; axis < 3; ++axis) coordinates_.push_back({i, axis, true, 1.0});
        all_nodes_.push_back(i);
    }
    block_ = {.name = "strain",
              .num_items = sheet_.num_triangles(),
              .rows_per_item = 3,
              .scalars_per_item = 9,
              .stencil = stencil_,
              .laws = laws_,
              .degree = Degree::quadratic,
              .tangent = TangentForm::isotropic};
    // (1) of Film alone is diagonal: a film that takes compression has rows with laws of their own.
    if (material.tension_only) block_.item_laws = {&law_, 1};
}

void Membrane::start(std::span<double> q, std::span<double> v) const {
    std::ranges::copy(sheet_.x, q.begin());
    std::ranges::copy(v_, v.begin());
}

void Membrane::mass(MassSink& M) const {
    std::vector<double> diagonal = node_mass_;
    for (std::size_t k = 0; k < volume_.size(); ++k)
        for (const std::int32_t node : sheet_.triangles[k])
            diagonal[node] += own_ * density_ * volume_[k];
    for (int i = 0; i < sheet_.num_nodes(); ++i)
        for (int axis = 0; axis < 3; ++axis) M.add(3 * i + axis, 3 * i + axis, diagonal[i]);
    if (shared_ == 0.0 || density_ == 0.0) return;
    for (std::size_t k = 0; k < volume_.size(); ++k)
        for (std::size_t i = 0; i < 3; ++i) {
            const Triangle& t = sheet_.triangles[k];
            const auto [low, high] = std::minmax(t[i], t[(i + 1) % 3]);
            for (int axis = 0; axis < 3; ++axis)
                M.add(3 * high + axis, 3 * low + axis, shared_ * density_ * volume_[k]);
        }
}

const Group& Membrane::find_group(std::string_view name) const {
    return nodes::find_group(sheet_.groups, name, "membrane", "triangle", sheet_.num_nodes());
}

void Membrane::attach(const Locator& where, AttachmentSink& out) const {
    nodes::attach_node(where, out, "membrane", sheet_.num_nodes(), [&](std::string_view name) {
        return find_group(name);
    });
}

std::span<const std::int32_t> Membrane::group(std::string_view name) const {
    return name == "*" ? all_nodes_ : find_group(name).nodes;
}

void Membrane::draw(Sketch& out) const {
    out.nodes(sheet_.num_nodes());
    out.lines(edges_.ends);
    std::vector<std::int32_t> corners;
    for (const Triangle& t : sheet_.triangles) corners.insert(corners.end(), t.begin(), t.end());
    out.triangles(corners);
    out.channel("von Mises stress", "Pa", ChannelPlace::triangles);
    out.channel("principal stress", "Pa", ChannelPlace::triangles);
    out.channel("tension", "N/m", ChannelPlace::triangles);
    out.channel("state", "", ChannelPlace::triangles);
}

void Membrane::draw_values(const SketchState& at, std::span<double> values) const {
    const std::size_t num = volume_.size();
    for (std::size_t k = 0; k < num; ++k) {
        const double* s = at.s.data() + 3 * k;
        const double s11 = (s[0] + s[1]) / volume_[k], s22 = (s[0] - s[1]) / volume_[k],
                     s12 = s[2] / volume_[k];
        const double principal = largest_stress(s11, s22, s12);
        const auto [f1, f2] = frame(k, at.q.data());
        const double l1 = f1.squaredNorm(), l2 = f2.squaredNorm();
        const std::array<double, 3> pi = {
            0.5 * (l1 + l2) - 1.0 + prestrain_, 0.5 * (l1 - l2), f1.dot(f2)};
        values[k] = std::sqrt(s11 * s11 + s22 * s22 - s11 * s22 + 3.0 * s12 * s12);
        values[num + k] = principal;
        values[2 * num + k] = principal * thickness_;
        values[3 * num + k] = static_cast<double>(film_->state(pi));
    }
}

// (1)
Membrane::Frame Membrane::frame(std::size_t k, const double* u) const {
    const Triangle& t = sheet_.triangles[k];
    const Shape& shape = shapes_[k];
    const auto r = [&](std::size_t i) {
        return Eigen::Map<const Vec3>(u + 3 * static_cast<std::ptrdiff_t>(t[i]));
    };
    const Vec3 d1 = r(1) - r(0), d2 = r(2) - r(0);
    return {shape.a[1] * d1, shape.b[1] * d1 + shape.b[2] * d2};
}

void Membrane::evaluate(int, const RowPoint& at, const RowValues& out) const {
    for (std::size_t k = 0; k < volume_.size(); ++k) {
        const auto [f1, f2] = frame(k, at.u.data());
        if (!out.pi.empty()) {
            double* const pi = out.pi.data() + 3 * k;
            const double l1 = f1.norm(), l2 = f2.norm();
            const double E1 = 0.5 * (l1 - 1.0) * (l1 + 1.0), E2 = 0.5 * (l2 - 1.0) * (l2 + 1.0);
            pi[0] = E1 + E2 + prestrain_;
            pi[1] = E1 - E2;
            pi[2] = f1.dot(f2);
        }
        if (!out.A.empty()) {
            const auto& [a, b] = shapes_[k];
            double* const A = out.A.data() + 27 * k;
            for (int i = 0; i < 3; ++i)
                for (int axis = 0; axis < 3; ++axis) {
                    const auto node = static_cast<std::size_t>(i);
                    A[3 * i + axis] = a[node] * f1[axis] + b[node] * f2[axis];
                    A[9 + 3 * i + axis] = a[node] * f1[axis] - b[node] * f2[axis];
                    A[18 + 3 * i + axis] = a[node] * f2[axis] + b[node] * f1[axis];
                }
        }
        if (out.b.empty()) continue;
        const auto [g1, g2] = frame(k, at.du.data());
        double* const b = out.b.data() + 3 * k;
        b[0] = -g1.squaredNorm() - g2.squaredNorm();
        b[1] = -g1.squaredNorm() + g2.squaredNorm();
        b[2] = -2.0 * g1.dot(g2);
    }
    std::ranges::fill(out.pi_t, 0.0);
}

// sum_k s_k d2 pi_k / dr2 = a a^T s_11 + b b^T s_22 + (a b^T + b a^T) s_12
void Membrane::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    for (std::size_t k = 0; k < volume_.size(); ++k) {
        double s1 = at.s[3 * k] + at.s[3 * k + 1], s2 = at.s[3 * k] - at.s[3 * k + 1],
               s3 = at.s[3 * k + 2];
        if (at.positive_part) {
            // of [s1 s3; s3 s2], whose eigenvalues are m +- r
            const double m = 0.5 * (s1 + s2), half = 0.5 * (s1 - s2), r = std::hypot(half, s3);
            if (m + r <= 0.0) {
                s1 = s2 = s3 = 0.0;
            } else if (m - r < 0.0) {
                const double share = 0.5 * (m + r) / r;
                s1 = share * (r + half);
                s2 = share * (r - half);
                s3 *= share;
            }
        }
        const auto& [a, b] = shapes_[k];
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                G[9 * k + 3 * i + j] =
                    s1 * a[i] * a[j] + s2 * b[i] * b[j] + s3 * (a[i] * b[j] + b[i] * a[j]);
    }
}

}  // namespace ancora::membrane
