// SPDX-License-Identifier: BSD-3-Clause
// Construction, mass, start and row evaluation of trusses.
#include "truss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <Eigen/Geometry>
#include <Eigen/SparseCore>

#include "ancora/sdk/numbers/math.hpp"
#include "groups.hpp"
#include "relaxed_start.hpp"
#include "steady_spin.hpp"
#include "text.hpp"

namespace ancora::truss {
namespace {

// A node that nothing holds and that has no mass has no motion.
void refuse_loose_nodes(const Arguments& arguments,
                        const Network& net,
                        const std::vector<double>& node_mass) {
    std::vector<bool> is_joined(node_mass.size(), false);
    for (const auto [a, b] : net.elements) is_joined[a] = is_joined[b] = true;
    for (std::size_t i = 0; i < node_mass.size(); ++i)
        if (!is_joined[i] && node_mass[i] == 0.0)
            arguments.fail(arguments.given("nodes") ? "nodes" : "grid",
                           "node " + std::to_string(i) +
                               " has no element and no mass; join it, give it a mass in "
                               "\"node_masses\", or leave it out");
}

std::vector<double> spin_rest_lengths(const Arguments& arguments,
                                      const Network& net,
                                      const Material& material,
                                      std::span<const double> node_mass,
                                      const Spin& spin) {
    if (!arguments.given("spin"))
        arguments.fail("rest_length", "\"spin\" needs the key \"spin\" beside it");
    for (std::size_t e = 0; e < material.young.size(); ++e) {
        if (material.is_rigid(e))
            arguments.fail("rest_length",
                           "rigid links keep their length at any spin; leave \"rest_length\" out");
        if (material.prestress[e] != 0.0)
            arguments.fail("rest_length",
                           "\"spin\" and \"prestress\" both set the tension at the start; keep one "
                           "of them");
    }
    std::vector<double> L;
    try {
        L = rest_lengths_in_steady_spin(net, material, node_mass, spin);
    } catch (const NoSteadyShape& none) {
        arguments.fail("rest_length", none.what());
    }
    return L;
}

std::vector<double> read_rest_lengths(const Arguments& arguments,
                                      const Network& net,
                                      const Material& material,
                                      std::span<const double> node_mass,
                                      const Spin& spin) {
    if (!arguments.given("rest_length")) return net.distance_at_rest;
    if (is_over_time(arguments)) return net.distance_at_rest;  // set when that is read
    if (arguments.shape("rest_length") == Shape::text)
        return spin_rest_lengths(arguments, net, material, node_mass, spin);
    std::vector<double> L = per_element(arguments, "rest_length", net.num_elements());
    for (const double length : L)  // not in the schema, where it would bind the times of a table
        if (!(length > 0.0))
            arguments.fail("rest_length", "expected a value > 0 m, got " + text(length) + " m");
    if (net.is_rope && arguments.shape("rest_length") != Shape::vector)
        for (double& length : L) length /= static_cast<double>(L.size());
    return L;
}

/// Rest lengths over time need a law that scales with them.
void refuse_fixed_strains(const Arguments& arguments,
                          const Material& material,
                          const RestLengths& changing) {
    for (std::size_t e = 0; e < material.young.size(); ++e) {
        if (!changing.changes(e)) continue;
        const std::string which =
            "element " + std::to_string(e) + " has a rest length that changes over time; ";
        if (material.prestress[e] != 0.0)
            arguments.fail("prestress", which + "start it with a rest length that is too short");
        if (std::isfinite(material.breaking_strain[e]))
            arguments.fail("breaking_strain", which + "it cannot break as well; leave one of both");
    }
}

// The mass matrix without its factor I_3, nodes by nodes.
Eigen::SparseMatrix<double> node_by_node(const Truss& truss) {
    struct Sink final : MassSink {
        void add(int i, int j, double value) override {
            if (i % 3 != 0) return;
            entries.emplace_back(i / 3, j / 3, value);
            if (i != j) entries.emplace_back(j / 3, i / 3, value);
        }
        std::vector<Eigen::Triplet<double>> entries;
    } sink;
    truss.mass(sink);
    const auto num_nodes = static_cast<Eigen::Index>(truss.coordinates().size() / 3);
    Eigen::SparseMatrix<double> M(num_nodes, num_nodes);
    M.setFromTriplets(sink.entries.begin(), sink.entries.end());
    return M;
}

}  // namespace

Truss::Truss(const Arguments& arguments) : Truss(arguments, build_network(arguments)) {}

Truss::Truss(const Arguments& arguments, Network&& net)
    : Truss(GroupedArguments(arguments, net), std::move(net)) {}

Truss::Truss(const GroupedArguments& arguments, Network&& net)
    : net_(std::move(net)), material_(read_material(arguments, net_.num_elements())) {
    node_mass_ = nodes::read_node_masses(arguments, net_.num_nodes());
    refuse_loose_nodes(arguments, net_, node_mass_);

    const nodes::StartMotion& motion = net_.motion;
    // Between moving ends it is no shape of a steady spin
    const bool is_spinning = arguments.given("spin") || arguments.given("velocity_from");
    const Spin spin = is_spinning ? motion.spin : Spin{};
    rest_length_ = read_rest_lengths(arguments, net_, material_, node_mass_, spin);
    arguments.add_over_time(net_, changing_);
    try {
        changing_.put_start(rest_length_);
    } catch (const std::domain_error& error) {
        arguments.fail("rest_length", error.what());
    }
    std::vector<bool> is_rigid;
    for (std::size_t e = 0; e < rest_length_.size(); ++e) is_rigid.push_back(material_.is_rigid(e));
    changing_.finish(rest_length_, is_rigid);
    refuse_fixed_strains(arguments, material_, changing_);
    for (const double L : rest_length_) inv_L2_.push_back(1.0 / (L * L));

    for (std::int32_t i = 0; i < net_.num_nodes(); ++i)
        for (std::int32_t axis = 0; axis < 3; ++axis) coordinates_.push_back({i, axis, true, 1.0});
    for (std::int32_t i = 0; i < net_.num_nodes(); ++i) all_nodes_.push_back(i);
    for (const auto [a, b] : net_.elements)
        stencil_.insert(stencil_.end(), {3 * a, 3 * a + 1, 3 * a + 2, 3 * b, 3 * b + 1, 3 * b + 2});
    if (arguments.text("start") != "relaxed")
        refuse_broken_start(arguments, material_, net_.distance, rest_length_);
    laws_ = row_laws(material_, rest_length_, breaking_laws_);
    net_.x = start_positions(arguments, net_, rest_length_, laws_, node_by_node(*this), spin);

    v_ = motion.velocities(net_.x);

    block_ = {.name = "strain",
              .num_items = net_.num_elements(),
              .rows_per_item = 1,
              .scalars_per_item = 6,
              .stencil = stencil_,
              .laws = laws_,
              .degree = Degree::quadratic,
              .tangent = TangentForm::isotropic,
              .depends_on_time = !changing_.empty()};
}

void Truss::start(std::span<double> q, std::span<double> v) const {
    std::ranges::copy(net_.x, q.begin());
    std::ranges::copy(v_, v.begin());
}

void Truss::mass(MassSink& M) const {
    // Diagonal: point masses and the own shares of all elements at a node
    std::vector<double> diagonal = node_mass_;
    for (std::size_t e = 0; e < rest_length_.size(); ++e) {
        const double own = material_.own * material_.mass(e, rest_length_[e]);
        diagonal[net_.elements[e].a] += own;
        diagonal[net_.elements[e].b] += own;
    }
    for (int i = 0; i < net_.num_nodes(); ++i)
        for (int k = 0; k < 3; ++k) M.add(3 * i + k, 3 * i + k, diagonal[i]);

    // Coupling of the two nodes of an element
    if (material_.shared == 0.0) return;
    for (std::size_t e = 0; e < rest_length_.size(); ++e) {
        const auto [low, high] = std::minmax(net_.elements[e].a, net_.elements[e].b);
        const double shared = material_.shared * material_.mass(e, rest_length_[e]);
        if (shared == 0.0) continue;
        for (int k = 0; k < 3; ++k) M.add(3 * high + k, 3 * low + k, shared);
    }
}

void Truss::attach(const Locator& where, AttachmentSink& out) const {
    nodes::attach_node(where, out, "truss", net_.num_nodes(), [&](std::string_view name) {
        return find_group(net_, name);
    });
}

std::span<const std::int32_t> Truss::group(std::string_view name) const {
    return name == "*" ? all_nodes_ : find_group(net_, name).nodes;
}

PoseKind Truss::pose_kind() const {
    return net_.num_nodes() == 2 ? PoseKind::position : PoseKind::none;
}

void Truss::pose(std::span<const double> q, std::span<const double> v, Pose& out) const {
    std::copy_n(q.begin(), 3, out.position.begin());
    std::copy_n(v.begin(), 3, out.velocity.begin());
}

void Truss::draw(Sketch& out) const {
    std::vector<std::int32_t> ends;
    for (const auto [a, b] : net_.elements) ends.insert(ends.end(), {a, b});
    out.nodes(net_.num_nodes());
    out.lines(ends);
    out.channel("force", "N");
    out.channel("strain", "");
}

void Truss::draw_values(const SketchState& at, std::span<double> values) const {
    // s d / L^2 is the force on node a
    const std::size_t num = net_.elements.size();
    double* const strain = values.data() + num;
    if (!changing_.empty()) {
        for (std::size_t e = 0; e < num; ++e) {
            const auto [a, b] = net_.elements[e];
            const double l = (vec3(at.q, 3 * static_cast<std::size_t>(b)) -
                              vec3(at.q, 3 * static_cast<std::size_t>(a)))
                                 .norm();
            const RestLengths::At now = changing_.at(e, at.t, false);
            values[e] = 2.0 * at.s[e] * now.g * l;
            strain[e] = 0.5 * (l - now.L) * (l + now.L) / (now.L * now.L);
        }
        return;
    }
    write_strain(at.q.data(), strain);
    for (std::size_t e = 0; e < num; ++e)
        values[e] = at.s[e] * std::sqrt(1.0 + 2.0 * strain[e]) / rest_length_[e];
}

void Truss::evaluate(int, const RowPoint& at, const RowValues& out) const {
    if (!changing_.empty()) return evaluate_changing(at, out);
    if (!out.pi.empty()) write_strain(at.u.data(), out.pi.data());
    if (!out.A.empty()) write_jacobian(at.u.data(), out.A.data());
    if (!out.b.empty()) write_bias(at.du.data(), out.b.data());
    std::ranges::fill(out.pi_t, 0.0);
}

// pi = g |d|^2 - k, with g and k over time
void Truss::evaluate_changing(const RowPoint& at, const RowValues& out) const {
    const bool with_rates = !out.pi_t.empty() || !out.b.empty();
    for (std::size_t e = 0; e < net_.elements.size(); ++e) {
        const auto a = 3 * static_cast<std::size_t>(net_.elements[e].a);
        const auto b = 3 * static_cast<std::size_t>(net_.elements[e].b);
        const Vec3 d = vec3(at.u, b) - vec3(at.u, a);
        const RestLengths::At now = changing_.at(e, at.t, with_rates);
        const double l = d.norm();
        // k = g L^2: the difference of the lengths is exact
        if (!out.pi.empty()) out.pi[e] = now.g * (l - now.L) * (l + now.L);
        if (!out.A.empty())
            for (std::size_t i = 0; i < 3; ++i) {
                out.A[6 * e + 3 + i] = 2.0 * now.g * d(static_cast<int>(i));
                out.A[6 * e + i] = -out.A[6 * e + 3 + i];
            }
        if (!out.pi_t.empty()) out.pi_t[e] = now.g_t * l * l - now.k_t;
        if (out.b.empty()) continue;
        const Vec3 rate = vec3(at.du, b) - vec3(at.du, a);
        out.b[e] = now.k_tt - now.g_tt * l * l - 4.0 * now.g_t * d.dot(rate) -
                   2.0 * now.g * rate.squaredNorm();
    }
}

void Truss::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    if (!changing_.empty()) {
        for (std::size_t e = 0; e < net_.elements.size(); ++e) {
            const auto a = 3 * static_cast<std::size_t>(net_.elements[e].a);
            const auto b = 3 * static_cast<std::size_t>(net_.elements[e].b);
            const RestLengths::Over over = changing_.over(e, step.t0, step.h);
            const Vec3 d = vec3(step.mid, b) - vec3(step.mid, a);
            for (std::size_t i = 0; i < 3; ++i) {
                out.B[6 * e + 3 + i] = 2.0 * over.g * d(static_cast<int>(i));
                out.B[6 * e + i] = -out.B[6 * e + 3 + i];
            }
            const double mean = 0.5 * ((vec3(step.u0, b) - vec3(step.u0, a)).squaredNorm() +
                                       (vec3(step.u1, b) - vec3(step.u1, a)).squaredNorm());
            out.tau[e] = over.dg * (mean - over.product) + over.rest;
        }
        return;
    }
    // eps is quadratic: its Jacobian at the midpoint is the exact discrete one
    write_jacobian(step.mid.data(), out.B.data());
    std::ranges::fill(out.tau, 0.0);
}

void Truss::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    // at.s / L^2 [1 -1; -1 1]
    const double floor = at.positive_part ? 0.0 : -std::numeric_limits<double>::infinity();
    const double* inv_L2 = inv_L2_.data();
    double* g = G.data();
    for (std::size_t e = 0; e < at.s.size(); ++e) {
        double k = std::max(at.s[e], floor) * *inv_L2++;
        if (changing_.changes(e)) {
            const auto [a, b] = net_.elements[e];
            const double l = (vec3(at.mid, 3 * static_cast<std::size_t>(b)) -
                              vec3(at.mid, 3 * static_cast<std::size_t>(a)))
                                 .norm();
            k = std::max(at.s[e], floor) * 2.0 *
                changing_.g_of(e, l, at.s[e], laws_[laws_.size() == 1 ? 0 : e].compliance);
        }
        g[0] = k;
        g[1] = -k;
        g[2] = -k;
        g[3] = k;
        g += 4;
    }
}

// eps = (l - L) (l + L) / (2 L^2): the difference of the lengths is exact, that of their squares
// would not be.
void Truss::write_strain(const double* u, double* pi) const {
    const std::size_t num = net_.elements.size();
    for (std::size_t e = 0; e < num; ++e) {
        const double* a = u + 3 * static_cast<std::ptrdiff_t>(net_.elements[e].a);
        const double* b = u + 3 * static_cast<std::ptrdiff_t>(net_.elements[e].b);
        const double l = Vec3(b[0] - a[0], b[1] - a[1], b[2] - a[2]).norm();
        const double L = rest_length_[e];
        pi[e] = 0.5 * (l - L) * (l + L) * inv_L2_[e];
    }
}

// d eps / d (r_a, r_b) = (-d, d) / L^2
void Truss::write_jacobian(const double* u, double* A) const {
    const std::size_t num = net_.elements.size();
    const Element* element = net_.elements.data();
    const double* inv_L2 = inv_L2_.data();
    for (std::size_t e = 0; e < num; ++e) {
        const double* a = u + 3 * static_cast<std::ptrdiff_t>(element[e].a);
        const double* b = u + 3 * static_cast<std::ptrdiff_t>(element[e].b);
        const double x = (b[0] - a[0]) * inv_L2[e];
        const double y = (b[1] - a[1]) * inv_L2[e];
        const double z = (b[2] - a[2]) * inv_L2[e];
        A[0] = -x;
        A[1] = -y;
        A[2] = -z;
        A[3] = x;
        A[4] = y;
        A[5] = z;
        A += 6;
    }
}

// eps'' = d . d'' / L^2 + |d'|^2 / L^2, so b = -|d'|^2 / L^2
void Truss::write_bias(const double* du, double* b) const {
    const std::size_t num = net_.elements.size();
    for (std::size_t e = 0; e < num; ++e) {
        const double* va = du + 3 * static_cast<std::ptrdiff_t>(net_.elements[e].a);
        const double* vb = du + 3 * static_cast<std::ptrdiff_t>(net_.elements[e].b);
        const double x = vb[0] - va[0];
        const double y = vb[1] - va[1];
        const double z = vb[2] - va[2];
        b[e] = -(x * x + y * y + z * z) * inv_L2_[e];
    }
}

}  // namespace ancora::truss
