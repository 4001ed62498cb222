// SPDX-License-Identifier: BSD-3-Clause
// Rounding-error bounds of residuals.
#include "residual_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "lanes.hpp"

namespace ancora {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr double kAnything = std::numeric_limits<double>::max();  // before a node is measured
// Rounding-error bound of a sum, relative to the size of its terms: on average their roundings
// cancel. An increment is a difference of two values, each rounded by half of it.
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Forces that displace their node by less than this part of the model's size count as zero: without
// loads all forces are round-off.
constexpr double kNoForce = 1e-30;
constexpr int kNode = 3;  // coordinates of a point or director, at most

/// The larger one; NaN counts as larger than any number.
bool is_worse(double here, double than) {
    return here > than || std::isnan(here);
}

/// Calls visit(first, count) for the coordinates of a node; three are written out.
ANCORA_INLINE void with_node(const int* first_of_node, int node, const auto& visit) {
    const int first = first_of_node[node];
    const int count = first_of_node[node + 1] - first;
    if (count == kNode)
        visit(first, std::integral_constant<int, kNode>());
    else
        visit(first, count);
}

/// A residual in units of its bound.
double ratio(double left, double allowed) {
    // 0 / 0 counts as closed: a residual without terms is zero.
    return left == 0.0 ? 0.0 : left / allowed;
}

}  // namespace

void PartResidual::judge(int row, double left, double terms) {
    const double here = ratio(left, kEpsilon * terms + slack);
    if (here > ScaledResidual::kFarFromClosed) out.positions = kUnknown;
    if (!is_worse(here, out.rows)) return;
    out.rows = here;
    worst_row = row;
}

ResidualScaling::ResidualScaling(const SystemData& of, const StepRows& rows, const StepParts& extra)
    : parts_(of.parts),
      state_(of.state),
      trial_(of.trial),
      nonlinear_(rows.nonlinear),
      forces_(rows.tangent.forces),
      extra_(extra) {
    for (Eigen::VectorXd* x : {&sizes_.q, &sizes_.dq, &sizes_.terms}) x->setZero(parts_.n);
    row_terms_.setZero(parts_.m);
    // Nodes: triples of coordinates, points and directors; sizes are taken over a node, so that the
    // scaling does not depend on the directions of the inertial axes.
    for (const BodyPart& part : parts_.model.bodies)
        for (int i = part.first; i < part.first + part.count; i += kNode) {
            first_of_node_.push_back(i);
            body_of_node_.push_back(static_cast<int>(&part - parts_.model.bodies.data()));
        }
    first_of_node_.push_back(parts_.n);
    body_terms_.assign(parts_.model.bodies.size(), 0.0);
    // Of these B dq + tau = pi(q_1, t_1) - pi(q_0, t_0) is formed as that difference: its rounding
    // is that of the values, however short the step.
    for (const BlockPart& part : parts_.rows.blocks) {
        const bool is_difference =
            part.block->degree == Degree::general || part.block->depends_on_time;
        for (int k = part.first_row; is_difference && k < part.first_row + part.num_rows; ++k)
            if (parts_.laws.carries(k) || parts_.rows.is_unilateral(k))
                valued_rows_.push_back({&part, k});
    }
    const std::size_t longest = std::max(body_of_node_.size(), static_cast<std::size_t>(parts_.m));
    found_.resize(longest / kRange + 1);
    find_carriers();
}

/// Nodes of bodies without mass, and the bodies with mass that constraints tie them to.
void ResidualScaling::find_carriers() {
    const std::size_t num_nodes = body_of_node_.size();
    node_terms_.assign(num_nodes, 0.0);
    allowed_.setConstant(static_cast<Eigen::Index>(num_nodes), kAnything);
    std::vector<int> node_of(static_cast<std::size_t>(parts_.n));
    std::vector<bool> has_mass(body_terms_.size(), false);
    for (std::size_t node = 0; node < num_nodes; ++node)
        for (int i = first_of_node_[node]; i < first_of_node_[node + 1]; ++i) {
            node_of[i] = static_cast<int>(node);
            if (!parts_.mass.is_massless(i)) has_mass[body_of_node_[node]] = true;
        }
    std::vector<Carried*> carried(num_nodes, nullptr);
    for (std::size_t node = 0; node < num_nodes; ++node) {
        const int body = body_of_node_[node];
        if (has_mass[body]) continue;
        if (massless_bodies_.empty() || massless_bodies_.back().body != body)
            massless_bodies_.push_back({body, {}});
        massless_bodies_.back().nodes.push_back({static_cast<int>(node), {}});
    }
    for (MasslessBody& body : massless_bodies_)
        for (Carried& node : body.nodes) carried[node.node] = &node;
    // The massless nodes of each constraint row, with the bodies of its other coordinates that have
    // mass.
    for (int k = 0; k < parts_.m && !massless_bodies_.empty(); ++k) {
        if (!parts_.laws.is_constraint(k)) continue;
        for (const int e : parts_.rows.entries(k)) {
            const int i = parts_.rows.column_of(e);
            Carried* node = carried[node_of[i]];
            if (node == nullptr) continue;
            for (const int other : parts_.rows.entries(k)) {
                const int j = parts_.rows.column_of(other);
                const int body = body_of_node_[node_of[j]];
                if (has_mass[body] && std::ranges::find(node->by, body) == node->by.end())
                    node->by.push_back(body);
            }
        }
    }
}

ScaledResidual ResidualScaling::measure(const StepTrial& trial, double slack) {
    const Stopwatch watch(parts_.meter.is_sampling(), parts_.meter.spent.assemble);
    // The order: sizes of nodes, then rows, which use them and add |B|^T |s| to the terms of
    // motion, then parts, which add theirs, then motion, whose terms are then all there.
    ScaledResidual out;
    is_shared_ = !parts_.columns.empty();
    measure_sizes(trial);
    measure_rows(trial, slack, out);
    PartResidual of_parts{sizes_, slack, out, worst_row_};
    extra_.for_each([&](StepPart& part) {
        part.measure(trial, of_parts);
    });
    measure_motion(trial.h, slack, out);
    return out;
}

/// Computes the sizes |q| and |dq| of nodes, the terms |M a| of (2), and the terms of (1) for rows
/// whose increment is a difference of values.
void ResidualScaling::measure_sizes(const StepTrial& trial) {
    const double h = trial.h;
    const double half = 0.5 * h * h;
    const double unseen = kUnseenPart * state_.extent;
    const double* const a = trial.a.data();
    const double* const v = state_.v.data();
    const double* const mid = trial_.mid.data();
    const double* const Ma = trial_.Ma.data();
    const double* const F = trial_.F.data();
    const double* const mass = parts_.mass.diagonals();
    double* const terms = sizes_.terms.data();
    double* const size_q = sizes_.q.data();
    double* const size_dq = sizes_.dq.data();
    const int* const first_of_node = first_of_node_.data();
    //   |q| = max_i |mid_i|
    //   |dq| = max_i (|h v_i| + |h^2/2 a_i|) + kUnseenPart max(|q|, extent)
    //   terms_i = |(M a)_i| + M_ii |a_i| + |F_i|
    // (M a)_i may be small by cancellation of its own terms, hence M_ii |a_i|.
    const auto measure_node = [=](int first, auto count) ANCORA_INLINE_LAMBDA {
        double length = 0.0;
        double size = 0.0;
        for (int i = first; i < first + count; ++i) {
            const double size_a = std::abs(a[i]);
            length = std::max(length, std::abs(mid[i]));
            size = std::max(size, std::abs(h * v[i]) + half * size_a);
            terms[i] = std::abs(Ma[i]) + mass[i] * size_a + std::abs(F[i]);
        }
        size += std::max(kUnseenPart * length, unseen);
        for (int i = first; i < first + count; ++i) {
            size_q[i] = length;
            size_dq[i] = size;
        }
    };
    parts_.workers.split(static_cast<int>(body_of_node_.size()), [=](int begin, int end) {
        for (int node = begin; node < end; ++node) with_node(first_of_node, node, measure_node);
    });
    for (const auto& [part, k] : valued_rows_)
        row_terms_[k] = parts_.rows.laws[k].kind == RowKind::unilateral
                            ? 0.0
                            : parts_.rows.size_of_value(*part, k);
}

/// Calls measure(begin, end) for ranges of [0, count) that are the same for any number of threads.
/// @returns the largest, the first of equal ones
ResidualScaling::Found ResidualScaling::largest(int count, const auto& measure) {
    const int pieces = (count + kRange - 1) / kRange;
    const auto measure_piece = [&](int p) {
        found_[p] = measure(p * kRange, std::min(count, (p + 1) * kRange));
    };
    if (is_shared_) {
        parts_.workers.for_each(pieces, [&](int p, int) {
            measure_piece(p);
        });
    } else {
        for (int p = 0; p < pieces; ++p) measure_piece(p);
    }
    Found out;
    for (int p = 0; p < pieces; ++p) {
        const Found& here = found_[p];
        out.positions = std::max(out.positions, here.positions);
        if (!is_worse(here.defect, out.defect)) continue;
        out.defect = here.defect;
        out.worst = here.worst;
    }
    return out;
}

/// Scales rows by (1), and adds their terms to (2).
void ResidualScaling::measure_rows(const StepTrial& trial, double slack, ScaledResidual& out) {
    const double* s = trial.s.data();
    const double* B = parts_.rows.B.data();
    double* terms_of_motion = sizes_.terms.data();
    if (is_shared_)
        parts_.workers.split(parts_.n, [&](int begin, int end) {
            for (int i = begin; i < end; ++i)
                parts_.columns.for_entries(i, [&](int e, int k) {
                    terms_of_motion[i] += std::abs(B[e]) * std::abs(s[k]);
                });
        });
    const RowSet& rows = parts_.rows;
    const RowLaws& laws = parts_.laws;
    const double* const size_dq = sizes_.dq.data();
    const double* const row_terms = row_terms_.data();
    const double* const tau = rows.tau.data();
    const double* const theta = laws.theta().data();
    const double* const extra = laws.extra().data();
    const double* const gamma = laws.gamma().data();
    const double* const pi = state_.pi.data();
    const double* const r = trial_.r_rows.data();
    const bool is_alone = !is_shared_;
    const bool has_nonlinear = laws.has_nonlinear();
    const Found found = largest(parts_.m, [&](int begin, int end) {
        Found here;
        rows.for_used(begin, end, [&](int k) {
            // terms = values + |tau| + |B| |dq| + |theta pi_0| + |extra| + gamma |s|; allowed is
            //   u terms + slack sum_i |B_i|,
            // the latter the change of the residual by a displacement of each coordinate by
            // `slack`.
            const double sk = std::abs(s[k]);
            double terms = row_terms[k] + std::abs(tau[k]);
            double reach = 0.0;
            rows.for_entries(k, [&](int e, int i) ANCORA_INLINE_LAMBDA {
                const double entry = std::abs(B[e]);
                terms += entry * size_dq[i];
                reach += entry;
                if (is_alone) terms_of_motion[i] += entry * sk;
            });
            if (has_nonlinear && laws.is_nonlinear(k))
                terms += nonlinear_.terms(k, s[k]);
            else
                terms += std::abs(theta[k] * pi[k]) + std::abs(extra[k]) + gamma[k] * sk;
            const double left = std::abs(r[k]);
            const double allowed = kEpsilon * terms + slack * reach;
            if (left > ScaledResidual::kFarFromClosed * allowed)
                here.positions = std::max(here.positions, ratio(left, rounding_of_positions(k)));
            // left / allowed > defect, without a division for the rows that are not worse.
            if (!is_worse(left, here.defect * allowed)) return;
            here.defect = ratio(left, allowed);
            here.worst = k;
        });
        return here;
    });
    out.positions = found.positions;
    out.rows = found.defect;
    worst_row_ = found.worst;
}

/// Rounding-error bound of a row due to positions, u (|B| |q| + values): no correction of rounded
/// positions removes such a residual.
double ResidualScaling::rounding_of_positions(int k) const {
    double terms = row_terms_[k];
    parts_.rows.for_entries(k, [&](int e, int i) {
        terms += std::abs(parts_.rows.B[e]) * sizes_.q[i];
    });
    return kEpsilon * terms;
}

/// (2)
void ResidualScaling::measure_motion(double h, double slack, ScaledResidual& out) {
    if (trial_.correction_at_rounding_level) {
        // G dq / 2 with dq at the round-off of q: not to be balanced by stresses. K holds the
        // entries of G, each of which stands for both sides of a symmetric matrix.
        const double* size_q = sizes_.q.data();
        double* terms = sizes_.terms.data();
        const RowSet& rows = parts_.rows;
        rows.tangent_terms.for_each_side(
            rows.K.data(),
            parts_.workers,
            [=](double weight, double entry, int to, int from) ANCORA_INLINE_LAMBDA {
                terms[to] += 0.5 * std::abs(weight * entry) * size_q[from];
            });
        forces_.add_sizes(1.0, sizes_.q.data(), sizes_.terms.data());
    }
    measure_bodies();
    // A displacement d over a step corresponds to the force 2 M d / h^2.
    const double inertia = (slack + kNoForce * state_.extent) * 2.0 / (h * h);
    const auto num_nodes = static_cast<int>(body_of_node_.size());
    const double* const r = trial_.r_motion.data();
    const double* const terms_of = sizes_.terms.data();
    const double* const mass_of = parts_.mass.diagonals();
    const double* const terms_of_node = node_terms_.data();
    double* const allowed_of = allowed_.data();
    const Found found = largest(num_nodes, [&](int begin, int end) {
        Found here;
        // left = max_i |r_i| against u max_i terms_i + (2 M / h^2) slack; allowed_ stays as the
        // unit in which motion_in_units() measures until the next call.
        for (int node = begin; node < end; ++node) {
            double left = 0.0;
            double terms = terms_of_node[node];
            double mass = 0.0;
            double nothing = 0.0;  // or no number, which a maximum forgets
            with_node(first_of_node_.data(), node, [&](int first, auto count) ANCORA_INLINE_LAMBDA {
                for (int i = first; i < first + count; ++i) {
                    left = std::max(left, std::abs(r[i]));
                    terms = std::max(terms, terms_of[i]);
                    mass = std::max(mass, mass_of[i]);
                    nothing += 0.0 * (r[i] + terms_of[i]);
                }
            });
            left += nothing;
            const double allowed = kEpsilon * terms + inertia * mass;
            allowed_of[node] = allowed;
            if (!is_worse(left, here.defect * allowed)) continue;
            here.defect = ratio(left, allowed);
            here.worst = node;
        }
        return here;
    });
    out.motion = found.defect;
    worst_node_ = found.worst;
}

void ResidualScaling::forget() {
    allowed_.setConstant(kAnything);
}

double ResidualScaling::motion_in_units(const double* r) {
    const auto num_nodes = static_cast<int>(body_of_node_.size());
    const double* const allowed = allowed_.data();
    // max over nodes of |r| / allowed; 0 times a value is 0, or no number where the value is none,
    // which std::max would drop.
    const Found found = largest(num_nodes, [&](int begin, int end) {
        Found here;
        for (int node = begin; node < end; ++node) {
            double left = 0.0;
            double nothing = 0.0 * allowed[node];
            with_node(first_of_node_.data(), node, [&](int first, auto count) ANCORA_INLINE_LAMBDA {
                for (int i = first; i < first + count; ++i) {
                    left = std::max(left, std::abs(r[i]));
                    nothing += 0.0 * r[i];
                }
            });
            left += nothing;
            if (is_worse(left, here.defect * allowed[node]))
                here.defect = ratio(left, allowed[node]);
        }
        return here;
    });
    return found.defect;
}

/// The small part of a body's largest terms that is a lower bound for each of its nodes; for a body
/// without mass that of the bodies that carry the node's force, the least of them, or the bound of
/// its other nodes.
void ResidualScaling::measure_bodies() {
    for (std::size_t body = 0; body < parts_.model.bodies.size(); ++body) {
        const BodyPart& part = parts_.model.bodies[body];
        body_terms_[body] =
            part.count > 0 ? kUnseenPart * sizes_.terms.segment(part.first, part.count).maxCoeff()
                           : 0.0;
    }
    for (std::size_t node = 0; node < node_terms_.size(); ++node)
        node_terms_[node] = body_terms_[body_of_node_[node]];
    for (const MasslessBody& body : massless_bodies_) {
        double others = std::numeric_limits<double>::infinity();
        for (const Carried& node : body.nodes) {
            if (node.by.empty()) continue;
            double least = std::numeric_limits<double>::infinity();
            for (const int carrier : node.by) least = std::min(least, body_terms_[carrier]);
            double& terms = node_terms_[node.node];
            terms = std::max(terms, least);
            others = std::min(others, terms);
        }
        for (const Carried& node : body.nodes)
            if (node.by.empty() && std::isfinite(others)) node_terms_[node.node] = others;
    }
}

ResidualScaling::Worst ResidualScaling::worst(const StepTrial& trial) {
    const ScaledResidual found = measure(trial, 0.0);
    // Measured again without slack, so that the residual named is the largest in units of
    // round-off.
    Worst out;
    if (worst_row_ < 0 && worst_node_ < 0) return out;
    if (worst_row_ >= parts_.m) {
        const StepPart::OpenRow row = extra_.describe_row(worst_row_);
        out.name = row.name;
        out.cause = row.cause;
        out.left = trial_.r_rows[worst_row_];
    } else if (found.rows >= found.motion) {
        out.name = parts_.rows.row_name(worst_row_);
        out.left = trial_.r_rows[worst_row_];
    } else {
        out.unit = "N";
        int worst = first_of_node_[worst_node_];
        for (int i = worst; i < first_of_node_[static_cast<std::size_t>(worst_node_) + 1]; ++i)
            if (std::abs(trial_.r_motion[i]) > std::abs(trial_.r_motion[worst])) worst = i;
        const auto body = static_cast<std::size_t>(body_of_node_[worst_node_]);
        const BodyPart& part = parts_.model.bodies[body];
        out.name = part.object.label + ", equation of motion of " + coordinate_name(part, worst);
        out.left = trial_.r_motion[worst];
    }
    out.left = std::abs(out.left);
    return out;
}

}  // namespace ancora
