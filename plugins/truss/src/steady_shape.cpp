// SPDX-License-Identifier: BSD-3-Clause
// Minimises the potential of a network under weight and spin by a truncated Newton method.
#include "steady_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include <Eigen/Geometry>
#include <Eigen/SparseCholesky>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "material.hpp"
#include "text.hpp"

namespace ancora::truss {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Points = Eigen::Matrix3Xd;  // a column per node
using Sparse = Eigen::SparseMatrix<double>;

// Stiffness E A to which stiffer elements are softened, relative to the sum of the loads: soft
// enough to bend round corners and for forces free of rounding; each pass gains four digits.
constexpr double kStiffness = 1e4;
// The same at first for a net of ropes alone, and the share of a node's load that is left then: Pi
// has slope discontinuities where ropes go slack, the sharper the stiffer, and the descent goes
// from one to the next.
constexpr double kRopeStiffness = 1.0;
constexpr double kRopeStep = 10.0;
constexpr double kRopesPassed = 0.1;
// The same for forces far above the loads, of stiff elements that are held apart.
constexpr double kStiffest = 1e12;
// Strain by which a softened element may miss its law beside rounding.
constexpr double kFits = 1e-12;
// Unbalanced force, relative to the sum of the loads, at which to ask whether a shape is a minimum.
constexpr double kPassed = 1e-7;
// Unbalanced force of a shape that is accepted, relative to the largest force, beside rounding.
constexpr double kBalanced = 1e-10;
// Distance of the centre of mass of a free part from the axis that counts as none, relative to the
// size of the network.
constexpr double kOnAxis = 1e-9;
// Component of gravity normal to the axis that counts as none, relative.
constexpr double kAlongAxis = 1e-12;
// Curvature relative to that of the preconditioner below which Pi truly curves downward.
constexpr double kDownward = -1e-6;
// Smallest and largest added stiffness, and that of the start, relative to load over size.
constexpr double kSoftest = 1e-8, kStart = 1e-3, kHardest = 1e8;
// The farthest that a node may go in the search, relative to the size of the network.
constexpr double kFarthest = 1e4;
constexpr double kRounding = std::numeric_limits<double>::epsilon();
constexpr int kMaxIterations = 2000;
constexpr int kMaxGradients = 300;
constexpr int kMaxHalvings = 40;
constexpr int kMaxFalls = 20;
constexpr int kMaxPasses = 30;

std::string node_name(Index i) {
    return "node " + std::to_string(i);
}

// Largest length of a column.
double largest(const Points& p, Index* node = nullptr) {
    Index at = 0;
    const double square = p.colwise().squaredNorm().maxCoeff(&at);
    if (node != nullptr) *node = at;
    return std::sqrt(square);
}

double dot(const Points& a, const Points& b) {
    return a.cwiseProduct(b).sum();
}

// The parts of a network that elements hold together.
struct Parts {
    std::vector<Index> of_node;
    std::vector<bool> is_free;  // no node of the part is held
    std::vector<double> mass;
};

Parts find_parts(const Network& net, const std::vector<bool>& is_held, const VectorXd& node_mass) {
    const auto count = static_cast<std::size_t>(net.num_nodes());
    DisjointSets sets(count);
    for (const auto [a, b] : net.elements) sets.join(static_cast<int>(a), static_cast<int>(b));

    Parts parts;
    std::vector<Index> number(count, -1);
    for (std::size_t i = 0; i < count; ++i) {
        Index& part = number[sets.root(static_cast<int>(i))];
        if (part < 0) {
            part = static_cast<Index>(parts.mass.size());
            parts.mass.push_back(0.0);
            parts.is_free.push_back(true);
        }
        const auto k = static_cast<std::size_t>(part);
        parts.of_node.push_back(part);
        parts.mass[k] += node_mass[static_cast<Index>(i)];
        if (is_held[i]) parts.is_free[k] = false;
    }
    return parts;
}

// Pi of (2), its gradient and its curvature at one shape.
class Potential {
public:
    Potential(const Network& net, const SteadyLoad& load)
        : net_(net),
          load_(load),
          node_mass_(load.mass * VectorXd::Ones(net.num_nodes())),
          parts_(find_parts(net, load.is_held, node_mass_)),
          rate_(load.spin.omega.norm()),
          axis_(rate_ > 0.0 ? Vec3(load.spin.omega / rate_) : Vec3::Zero()),
          total_(load.rest_length.size()),
          offset_(load.rest_length.size()),
          stress_(load.rest_length.size()),
          arm_(3, net.num_elements()) {
        for (std::size_t e = 0; e < stress_.size(); ++e) {
            stress_[e] = law_of(e).prestress;
            is_tension_only_.push_back(is_tension_only(law_of(e)));
        }
    }

    const RowLaw& law_of(std::size_t e) const { return load_.laws[load_.laws.size() == 1 ? 0 : e]; }
    const Parts& parts() const { return parts_; }
    bool spins() const { return rate_ > 0.0; }
    const Vec3& axis() const { return axis_; }
    double node_mass(Index i) const { return node_mass_[i]; }

    // What the nodes have to bear where they are: weight and centrifugal force, 3 x n.
    Points loads(const Points& x) const {
        Points f = load_.gravity * node_mass_.transpose();
        if (spins()) f += rate_ * rate_ * spun(normal(x.colwise() - load_.spin.center));
        hold(f);
        return f;
    }

    // Rows softer than 1 / stiffness [N] are as they are; the others keep their stress and get
    // what is missing in delta.
    void soften(double stiffness) {
        for (std::size_t e = 0; e < total_.size(); ++e) {
            const RowLaw& law = law_of(e);
            total_[e] = std::fmax(law.compliance, 1.0 / (stiffness * load_.rest_length[e]));
            offset_[e] = law.compliance * law.prestress + (total_[e] - law.compliance) * stress_[e];
        }
    }

    // Takes the shape x and returns Pi, up to a constant.
    double take(const Points& x) {
        double energy = 0.0;
        gradient_.setZero(3, x.cols());
        for (std::size_t e = 0; e < total_.size(); ++e) {
            const auto [a, b] = net_.elements[e];
            const double L = load_.rest_length[e];
            const Vec3 d = x.col(b) - x.col(a);
            const double l = d.norm();
            const double strain = 0.5 * (l - L) * (l + L) / (L * L);
            double s = (strain + offset_[e]) / total_[e];
            if (is_tension_only_[e] != 0) s = std::fmax(s, 0.0);
            stress_[e] = s;
            energy += 0.5 * total_[e] * s * s;
            const Vec3 A = d / (L * L);
            arm_.col(static_cast<Index>(e)) = A;
            gradient_.col(b) += s * A;
            gradient_.col(a) -= s * A;
        }

        energy -= load_.gravity.dot(x * node_mass_);
        gradient_ -= load_.gravity * node_mass_.transpose();
        if (spins()) {
            const Points rho = normal(x.colwise() - load_.spin.center);
            const Points pull = rate_ * rate_ * spun(rho);
            energy -= 0.5 * dot(rho, pull);
            gradient_ -= pull;
        }
        hold(gradient_);
        return energy;
    }
    const Points& gradient() const { return gradient_; }

    // Second derivative of Pi times p, and `added` p.
    Points curvature(const Points& p, double added) const {
        Points out = added * p;
        for (std::size_t e = 0; e < total_.size(); ++e) {
            const auto [a, b] = net_.elements[e];
            const double L = load_.rest_length[e];
            const Vec3 d = p.col(b) - p.col(a);
            const auto A = arm_.col(static_cast<Index>(e));
            Vec3 f = stress_[e] / (L * L) * d;
            if (is_active(e)) f += A * (A.dot(d) / total_[e]);
            out.col(b) += f;
            out.col(a) -= f;
        }
        if (spins()) out -= rate_ * rate_ * spun(normal(p));
        hold(out);
        return out;
    }

    // The lower triangle of the curvature without what is negative, and `added` I.
    Sparse positive_curvature(double added) const {
        std::vector<Eigen::Triplet<double>> entries;
        entries.reserve(27 * total_.size() + 3 * load_.is_held.size());
        const auto put = [&](Index i, Index j, const Mat3& K) {
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    if (3 * i + r >= 3 * j + c)
                        entries.emplace_back(
                            static_cast<int>(3 * i + r), static_cast<int>(3 * j + c), K(r, c));
        };
        for (Index i = 0; i < net_.num_nodes(); ++i) put(i, i, added * Mat3::Identity());
        for (std::size_t e = 0; e < total_.size(); ++e) {
            const auto [low, high] = std::minmax(net_.elements[e].a, net_.elements[e].b);
            const double L = load_.rest_length[e];
            Mat3 K = std::fmax(stress_[e], 0.0) / (L * L) * Mat3::Identity();
            const auto A = arm_.col(static_cast<Index>(e));
            if (is_active(e)) K += A * (A.transpose() / total_[e]);
            const bool low_held = load_.is_held[low];
            const bool high_held = load_.is_held[high];
            if (!low_held) put(low, low, K);
            if (!high_held) put(high, high, K);
            put(high, low, low_held || high_held ? Mat3::Zero() : Mat3(-K));
        }
        Sparse P(3 * net_.num_nodes(), 3 * net_.num_nodes());
        P.setFromTriplets(entries.begin(), entries.end());
        return P;
    }

    // Largest tension or compression [N].
    double largest_force() const {
        double out = 0.0;
        for (std::size_t e = 0; e < total_.size(); ++e)
            out = std::fmax(out, std::abs(stress_[e]) * arm_.col(static_cast<Index>(e)).norm());
        return out;
    }
    // Strain and force [N] that rounding of positions of some `size` [m] makes.
    double strain_rounding(double size) const {
        double out = 0.0;
        for (const double L : load_.rest_length) out = std::fmax(out, kRounding * size / L);
        return out;
    }
    double force_rounding(double size) const {
        double out = 0.0;
        for (std::size_t e = 0; e < total_.size(); ++e)
            out = std::fmax(out,
                            kRounding * size / load_.rest_length[e] / total_[e] *
                                arm_.col(static_cast<Index>(e)).norm());
        return out;
    }
    // Largest strain by which an element misses its law, since it is softened.
    double largest_gap(Index* element = nullptr) const {
        double out = 0.0;
        for (std::size_t e = 0; e < total_.size(); ++e) {
            const RowLaw& law = law_of(e);
            const double delta = total_[e] - law.compliance;
            if (delta == 0.0) continue;
            const double before = (offset_[e] - law.compliance * law.prestress) / delta;
            const double gap = delta * std::abs(stress_[e] - before);
            if (gap > out && element != nullptr) *element = static_cast<Index>(e);
            out = std::fmax(out, gap);
        }
        return out;
    }

    void hold(Points& p) const {
        for (Index i = 0; i < p.cols(); ++i)
            if (load_.is_held[i]) p.col(i).setZero();
    }

private:
    // A slack element has no stiffness.
    bool is_active(std::size_t e) const { return is_tension_only_[e] == 0 || stress_[e] > 0.0; }

    Points normal(Points p) const {
        p -= axis_ * (axis_.transpose() * p);
        return p;
    }

    // M p, less what moves the centre of mass of a free part.
    Points spun(const Points& p) const {
        Points out = p * load_.mass;
        Points moment = Points::Zero(3, static_cast<Index>(parts_.mass.size()));
        for (Index i = 0; i < p.cols(); ++i) moment.col(part_of(i)) += node_mass_[i] * p.col(i);
        for (Index i = 0; i < p.cols(); ++i) {
            const auto k = static_cast<std::size_t>(part_of(i));
            if (parts_.is_free[k] && parts_.mass[k] > 0.0)
                out.col(i) -= node_mass_[i] / parts_.mass[k] * moment.col(part_of(i));
        }
        return out;
    }
    Index part_of(Index i) const { return parts_.of_node[i]; }

    const Network& net_;
    const SteadyLoad& load_;
    VectorXd node_mass_;
    Parts parts_;
    double rate_;
    Vec3 axis_;
    std::vector<double> total_;   // c + delta
    std::vector<double> offset_;  // c s0 + delta s^
    std::vector<double> stress_;
    std::vector<char> is_tension_only_;
    Points arm_;  // (r_b - r_a) / L^2
    Points gradient_;
};

// Centres of mass of the parts, 3 x number of parts; the origin for a part without mass.
Points centers(const Potential& pi, const Points& x) {
    const Parts& parts = pi.parts();
    Points out = Points::Zero(3, static_cast<Index>(parts.mass.size()));
    for (Index i = 0; i < x.cols(); ++i) {
        const Index k = parts.of_node[i];
        const double mass = parts.mass[k];
        if (mass > 0.0) out.col(k) += pi.node_mass(i) / mass * x.col(i);
    }
    return out;
}

void refuse_what_cannot_rest(const SteadyLoad& load,
                             const Potential& pi,
                             const Points& x,
                             double size) {
    const double g = load.gravity.norm();
    if (pi.spins() && pi.axis().cross(load.gravity).norm() > kAlongAxis * g)
        throw NoSteadyShape(
            "no steady shape: gravity is not along the axis of the spin, so that the load of a "
            "node changes as it goes round; turn one of them");

    const Parts& parts = pi.parts();
    const Points center = centers(pi, x);
    for (Index i = 0; i < x.cols(); ++i) {
        const Index k = parts.of_node[i];
        const auto part = static_cast<std::size_t>(k);
        if (!parts.is_free[part] || parts.mass[part] == 0.0) continue;
        if (g > 0.0)
            throw NoSteadyShape("no steady shape: " + node_name(i) +
                                " and what hangs together with it has a weight, and nothing holds "
                                "it; name nodes in \"held\" that the model fixes");
        if (!pi.spins()) continue;
        const Vec3 arm = center.col(k) - load.spin.center;
        const double off = pi.axis().cross(arm).norm();
        if (off > kOnAxis * size)
            throw NoSteadyShape("no steady shape: nothing holds " + node_name(i) +
                                " and what hangs together with it, and its centre of mass is " +
                                text(off) +
                                " m off the axis of the spin; put \"center\" there, or name nodes "
                                "in \"held\" that the model carries round");
    }
}

// The search for a minimum of Pi.
class Search {
public:
    Search(Potential& pi, Points& x, double force, double size)
        : pi_(pi),
          x_(x),
          start_(x),
          force_(force),
          size_(size),
          added_(kStart * force / size),
          reach_(0.2 * size) {}

    // Lowers Pi until no force exceeds `wanted`, or only rounding is left.
    void descend(double wanted) {
        energy_ = pi_.take(x_);
        for (int k = 0;; ++k) {
            const double missing = largest(pi_.gradient());
            if (missing <= wanted) return;
            if (k == kMaxIterations) {
                if (missing <= accepted()) return;
                refuse("the search for it does not end");
            }
            if (largest(x_ - start_) > kFarthest * size_) refuse("nothing stops the nodes");
            set_preconditioner();
            const Points d = within_reach(direction(missing));
            if (!advance(d, missing)) {
                if (missing <= accepted()) return;
                added_ *= 100.0;
                reach_ *= 0.1;
                if (added_ > kHardest * force_ / size_) refuse("the search for it gets stuck");
            }
        }
    }

    // Lowers Pi until the shape is a minimum, as far as one can tell.
    void settle(double wanted) {
        descend(wanted);
        for (int k = 0; fall(); ++k) {
            if (k == kMaxFalls) refuse("what falls finds no rest");
            descend(wanted);
        }
    }

    // Force below which a shape is in balance.
    double accepted() const {
        return kBalanced * std::fmax(pi_.largest_force(), force_ / static_cast<double>(x_.cols())) +
               16.0 * pi_.force_rounding(size_);
    }

private:
    // Leaves a shape that is no minimum of Pi; false if it is one.
    bool fall() {
        set_preconditioner();
        // Any direction that is not special
        Points any(3, x_.cols());
        double number = 0.5;
        for (double& entry : any.reshaped()) {
            number = std::fmod(997.0 * number + 0.318309886, 1.0);
            entry = number - 0.5;
        }
        pi_.hold(any);
        Points down;
        static_cast<void>(conjugate_gradients(any, 1e-6, &down));
        if (down.size() == 0) return false;
        x_ += 1e-2 * size_ / largest(down) * down;
        energy_ = pi_.take(x_);
        added_ = std::fmax(added_, kStart * force_ / size_);
        return true;
    }

    void set_preconditioner() {
        const bool is_first = P_.size() == 0;
        P_ = pi_.positive_curvature(added_);
        if (is_first) ldlt_.analyzePattern(P_);
        ldlt_.factorize(P_);
    }

    Points preconditioned(const Points& r) const {
        Points out(3, r.cols());
        out.reshaped() = ldlt_.solve(VectorXd(r.reshaped()));
        return out;
    }

    // Solves K p = r to the relative accuracy `wanted`; stops where K is not positive. `down`
    // receives the direction in which Pi truly curves downward, if one is met.
    Points conjugate_gradients(Points r, double wanted, Points* down) const {
        Points out = Points::Zero(3, r.cols());
        Points z = preconditioned(r), p = z;
        double rz = dot(r, z);
        const double enough = wanted * wanted * rz;
        for (int k = 0; k < kMaxGradients && rz > enough; ++k) {
            const Points Kp = pi_.curvature(p, added_);
            const double pKp = dot(p, Kp);
            if (down != nullptr) {
                const VectorXd flat = p.reshaped();
                const VectorXd Pp = P_.selfadjointView<Eigen::Lower>() * flat;
                if (pKp < kDownward * flat.dot(Pp)) {
                    *down = p;
                    return out;
                }
            }
            if (!(pKp > 0.0)) return k == 0 ? p : Points(out + p);
            const double alpha = rz / pKp;
            out += alpha * p;
            r -= alpha * Kp;
            z = preconditioned(r);
            const double next = dot(r, z);
            p = z + next / rz * p;
            rz = next;
        }
        return out;
    }

    Points direction(double missing) const {
        const double wanted = std::fmax(1e-12, std::fmin(0.1, missing / force_));
        return conjugate_gradients(-pi_.gradient(), wanted, nullptr);
    }

    Points within_reach(Points d) const {
        const double length = largest(d);
        if (length > reach_) d *= reach_ / length;
        return d;
    }

    // Goes along d as far as Pi falls; false if it does not fall at all.
    bool advance(const Points& d, double missing) {
        const Points from = x_;
        const double slope = dot(pi_.gradient(), d);
        const double drop = -slope - 0.5 * dot(d, pi_.curvature(d, 0.0));
        const double noise = 1e-13 * (std::abs(energy_) + force_ * size_);
        const bool is_limited = largest(d) >= 0.999 * reach_;
        for (double share = 1.0; share > std::ldexp(1.0, -kMaxHalvings); share *= 0.5) {
            x_ = from + share * d;
            const double next = pi_.take(x_);
            // Where Pi is rounding, its derivative decides
            const bool is_small = std::abs(slope) < noise;
            const bool falls = next <= energy_ + 1e-4 * share * slope;
            if (!(is_small ? largest(pi_.gradient()) < 0.9 * missing : falls)) {
                if (is_small) break;
                continue;
            }
            const double gain = drop > 0.0 ? (energy_ - next) / drop : 1.0;
            if (share == 1.0 && (is_small || gain > 0.5)) {
                added_ = std::fmax(0.1 * added_, kSoftest * force_ / size_);
                if (is_limited) reach_ *= 2.0;
            } else if (share < 0.25) {
                added_ = std::fmin(4.0 * added_, force_ / size_);
            }
            energy_ = next;
            return true;
        }
        x_ = from;
        energy_ = pi_.take(x_);
        return false;
    }

    [[noreturn]] void refuse(const std::string& reason) const {
        Index worst = 0, farthest = 0;
        const double missing = largest(pi_.gradient(), &worst);
        const double moved = largest(x_ - start_, &farthest);
        throw NoSteadyShape("no steady shape found: " + reason + "; " + text(missing) +
                            " N are unbalanced at " + node_name(worst) + ", and " +
                            node_name(farthest) + " has moved most, by " + text(moved) +
                            " m; check loads and stiffness, or start from a shape nearer to it");
    }

    Potential& pi_;
    Points& x_;
    Points start_;
    double force_;  // sum of the loads [N]
    double size_;   // of the network [m]
    double added_;  // stiffness added to the curvature [N/m]
    double reach_;  // farthest that a node goes in one step [m]
    double energy_ = 0.0;
    Sparse P_;  // preconditioner, lower triangle
    Eigen::SimplicialLDLT<Sparse> ldlt_;
};

// Sum of the loads and the largest prestress [N]; the largest force at the start if there are none.
double scale_of_forces(const SteadyLoad& load, Potential& pi, const Points& x) {
    double force = pi.loads(x).colwise().norm().sum();
    for (std::size_t e = 0; e < load.rest_length.size(); ++e)
        force = std::fmax(force, std::abs(pi.law_of(e).prestress) / load.rest_length[e]);
    if (force > 0.0) return force;
    // Forces of rigid links have any scale
    const bool is_rigid = std::ranges::any_of(load.laws, [](const RowLaw& law) {
        return law.compliance == 0.0;
    });
    pi.soften(is_rigid ? 1.0 : std::numeric_limits<double>::infinity());
    static_cast<void>(pi.take(x));
    return pi.largest_force();
}

void refuse_misfits(const Network& net,
                    const SteadyLoad& load,
                    const Potential& pi,
                    const Points& x,
                    double allowed) {
    Index worst = 0;
    const double gap = pi.largest_gap(&worst);
    const auto element = [&](Index e) {
        const auto [a, b] = net.elements[e];
        return "element " + std::to_string(e) + " from node " + std::to_string(a) + " to " +
               std::to_string(b);
    };
    if (gap > allowed)
        throw NoSteadyShape("no steady shape: " + element(worst) +
                            " cannot keep its length; its strain would be " + text(gap) +
                            "; check the lengths of the elements and where nodes are held");
    for (std::size_t e = 0; e < load.rest_length.size(); ++e) {
        const RowLaw& law = pi.law_of(e);
        const double L = load.rest_length[e];
        const double l = (x.col(net.elements[e].b) - x.col(net.elements[e].a)).norm();
        const double strain = 0.5 * (l - L) * (l + L) / (L * L);
        if (strain > breaking_strain(law))
            throw NoSteadyShape("no steady shape: " + element(static_cast<Index>(e)) +
                                " breaks; the strain there would be " + text(strain) +
                                " and may be " + text(breaking_strain(law)));
    }
}

}  // namespace

std::vector<double> steady_shape(const Network& net, const SteadyLoad& load) {
    Points x = Eigen::Map<const Points>(net.x.data(), 3, net.num_nodes());
    const Points start = x;
    double size = (x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm();
    for (const double L : load.rest_length) size = std::fmax(size, L);

    Potential pi(net, load);
    refuse_what_cannot_rest(load, pi, x, size);
    const double force = scale_of_forces(load, pi, x);
    if (!(force > 0.0)) return net.x;

    Search search(pi, x, force, size);
    const bool may_fall =
        !pi.spins() || std::ranges::find(pi.parts().is_free, true) == pi.parts().is_free.end();
    // Of ropes that do not spin Pi is convex, so that no way down leads elsewhere.
    const bool is_convex = !pi.spins() && std::ranges::all_of(load.laws, [](const RowLaw& law) {
        return is_tension_only(law);
    });
    for (double soft = kRopeStiffness; is_convex && soft < kStiffness; soft *= kRopeStep) {
        pi.soften(soft * force);
        search.descend(kRopesPassed * force / static_cast<double>(x.cols()));
    }
    double gap = std::numeric_limits<double>::infinity();
    double stiffness = kStiffness * force;
    for (int pass = 0; pass < kMaxPasses; ++pass) {
        pi.soften(stiffness);
        if (pass == 0 && may_fall) search.settle(kPassed * force);
        search.descend(0.0);
        const double before = gap;
        gap = pi.largest_gap();
        const bool is_slow = gap > 0.1 * before;
        if (gap == 0.0 || (is_slow && gap < kFits + pi.strain_rounding(size))) break;
        if (is_slow) stiffness *= 10.0;
        if (stiffness > kStiffest * force) break;
    }
    refuse_misfits(net, load, pi, x, kFits + 16.0 * pi.strain_rounding(size));

    // Free parts keep their centres of mass
    const Points drift = centers(pi, x) - centers(pi, start);
    for (Index i = 0; i < x.cols(); ++i) {
        const Index k = pi.parts().of_node[i];
        if (pi.parts().is_free[k]) x.col(i) -= drift.col(k);
    }
    return {x.data(), x.data() + x.size()};
}

}  // namespace ancora::truss
