// SPDX-License-Identifier: BSD-3-Clause
// The equations elsewhere on the way of a spin, beside those at the present.
#include "turn_invariance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "augmented_matrix.hpp"

namespace ancora {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// By how much slowest parts turn: no part of a full turn, nor in such a ratio to each other.
constexpr std::array kAngles = {1.0, 1.6180339887498949};
constexpr int kProbes = 3;
// What is relative to the sum of its terms: rounding, with room for the solution of reactions; and
// what differences in place of derivatives leave.
constexpr double kRoundedSum = 1e-10;
constexpr double kDifferenced = 1e-6;
// Forces beside stiffness times positions, from which springs are computed.
constexpr double kRoundedStrain = 1e-12;
constexpr double kRoundedForce = 1e-9;
constexpr double kOpenRow = 1e-9;
constexpr double kSlowest = 1e-9;  // beside the fastest: no spin at all
constexpr double kShare = 1e-6;    // of the model's size, for differences of an object's force

/// Where the spin leads, q -> G q + shift.
struct Flow {
    Sparse G;
    VectorXd shift;
};

/// exp(S t) and exp(N t) are 1 + sin(w t) / w S + (1 - cos(w t)) / w^2 S^2, and they commute.
Flow flow_of(const SteadySpin& spin, Index n, double t) {
    Flow out;
    out.G.resize(n, n);
    out.G.setIdentity();
    out.shift.setZero(n);
    if (spin.is_spinning) {
        const double w = spin.rate.norm(), sine = std::sin(w * t) / w,
                     versine = (1.0 - std::cos(w * t)) / (w * w);
        const Sparse square = spin.S * spin.S;
        out.G += sine * spin.S + versine * square;
        out.shift = t * spin.offset + versine * (spin.S * spin.offset) +
                    (t - sine) / (w * w) * (square * spin.offset);
    }
    if (spin.parts.empty()) return out;
    VectorXd sine = VectorXd::Zero(n), versine = sine;
    for (Index i = 0; i < n; ++i)
        if (const double w = spin.part_rate[i]; w > 0.0) {
            sine[i] = std::sin(w * t) / w;
            versine[i] = (1.0 - std::cos(w * t)) / (w * w);
        }
    Sparse own(n, n);
    own.setIdentity();
    own += spin.N * sine.asDiagonal();
    own += spin.N * spin.N * versine.asDiagonal();
    out.G = out.G * own;
    return out;
}

double slowest(const SteadySpin& spin) {
    const double fastest = spin.fastest();
    double out = fastest;
    const auto take = [&](double rate) {
        if (rate > kSlowest * fastest) out = std::min(out, rate);
    };
    if (spin.is_spinning) take(spin.rate.norm());
    for (const SteadySpin::Part& part : spin.parts) take(part.rate.norm());
    return out;
}

template <class T>
std::span<const T> span_of(const T* from, Index size) {
    return {from, static_cast<std::size_t>(size)};
}

/// Onto the motions that conditions leave, in the norm of displacements.
class Allowed {
public:
    Allowed(const LinearEquations& at, const VectorXd& reach)
        : weight_(reach.cwiseAbs2()), P_(at.P), n_(reach.size()) {
        SparseRows S(n_, n_);
        S.setIdentity();
        for (Index i = 0; i < n_; ++i) S.coeffRef(i, i) = weight_[i];
        S.makeCompressed();
        matrix_ = std::make_unique<AugmentedMatrix>(span_of(S.outerIndexPtr(), n_ + 1),
                                                    span_of(S.innerIndexPtr(), n_),
                                                    span_of(P_.outerIndexPtr(), P_.rows() + 1),
                                                    span_of(P_.innerIndexPtr(), P_.nonZeros()));
        is_factorised_ = matrix_->factorise(span_of(S.valuePtr(), n_),
                                            span_of(P_.valuePtr(), P_.nonZeros()),
                                            span_of(P_.valuePtr(), P_.nonZeros()),
                                            at.is_dropped);
        no_gaps_.setZero(P_.rows());
        multipliers_ = no_gaps_;
    }
    bool is_factorised() const { return is_factorised_; }
    /// The motion u with u.r the most for its size: W u = r + P^T y, P u = 0.
    VectorXd motion(const VectorXd& r) {
        VectorXd u(n_);
        matrix_->solve(view(r), view(no_gaps_), room(u), room(multipliers_));
        return u;
    }
    VectorXd nearest(const VectorXd& x) { return motion(weight_.cwiseProduct(x)); }
    /// Of a force, as one on unit displacements.
    double size(const VectorXd& u) const { return std::sqrt(u.dot(weight_.cwiseProduct(u))); }
    double size_of_force(const VectorXd& f) const {
        return std::sqrt(f.cwiseAbs2().cwiseQuotient(weight_).sum());
    }

private:
    static std::span<double> room(VectorXd& x) {
        return {x.data(), static_cast<std::size_t>(x.size())};
    }
    VectorXd weight_;
    SparseRows P_;
    Index n_;
    std::unique_ptr<AugmentedMatrix> matrix_;
    bool is_factorised_ = false;
    VectorXd no_gaps_, multipliers_;
};

/// (1) for one flow.
class Comparison {
public:
    Comparison(KernelSystem& system,
               const SteadySpin& spin,
               const LinearEquations& at,
               Allowed& allowed,
               const VectorXd& reach,
               const std::vector<char>& is_differenced,
               const Flow& flow)
        : system_(system),
          spin_(spin),
          at_(at),
          allowed_(allowed),
          reach_(reach),
          is_differenced_(is_differenced),
          G_(flow.G),
          Gt_(flow.G.transpose()),
          n_(flow.G.rows()) {
        q_ = Eigen::Map<const VectorXd>(system.q().data(), n_);
        v_ = Eigen::Map<const VectorXd>(system.v().data(), n_);
        q_there_ = G_ * q_ + flow.shift;
        // v - (S + N) q - offset does not turn: a drift of all.
        const Sparse T = spin.generator();
        v_there_ = v_ + T * (q_there_ - q_);
        there_ = linear_equations(system, q_there_, v_there_);
    }

    std::string difference(const std::vector<VectorXd>& probes) {
        if (std::string out = of_masses(probes); !out.empty()) return out;
        if (std::string out = of_conditions(probes); !out.empty()) return out;
        if (std::string out = of_forces(); !out.empty()) return out;
        for (const bool by_rate : {false, true})
            if (std::string out = of_derivatives(probes, by_rate); !out.empty()) return out;
        return {};
    }

private:
    VectorXd moved(const Sparse& A, const VectorXd& x) const { return Gt_ * (A * (G_ * x)); }
    VectorXd sizes_moved(const Sparse& A, const VectorXd& x) const {
        return Gt_.cwiseAbs() * (A.cwiseAbs() * (G_.cwiseAbs() * x.cwiseAbs()));
    }

    std::string of_masses(const std::vector<VectorXd>& probes) {
        for (const VectorXd& x : probes) {
            const VectorXd r = moved(there_.M, x) - at_.M * x;
            const VectorXd noise =
                kRoundedSum * (sizes_moved(there_.M, x) + at_.M.cwiseAbs() * x.cwiseAbs());
            if (allowed_.size(allowed_.motion(r)) <= allowed_.size_of_force(noise)) continue;
            const BodyPart* most = nullptr;
            double largest = -1.0;
            for (const BodyPart& body : system_.parts().model.bodies)
                if (const double off = r.segment(body.first, body.count).norm(); off > largest) {
                    largest = off;
                    most = &body;
                }
            const bool is_part = std::ranges::any_of(spin_.parts, [&](const auto& part) {
                return &system_.parts().model.bodies[part.body] == most;
            });
            return fmt::format("{} {}",
                               most->object.label,
                               is_part ? "is not alike all round the axis that it spins about"
                                       : "has another inertia once it has turned");
        }
        return {};
    }

    std::string of_conditions(const std::vector<VectorXd>& probes) {
        for (const VectorXd& x : probes) {
            const VectorXd gap = there_.P * (G_ * x);
            const double way = x.cwiseProduct(reach_).cwiseAbs().maxCoeff();
            const VectorXd size = way * (there_.P.cwiseAbs() * reach_.cwiseInverse());
            for (Index k = 0; k < gap.size(); ++k)
                if (std::abs(gap[k]) > kOpenRow * size[k])
                    return fmt::format("{} holds other motions once it has turned",
                                       system_.parts().rows.row_name(there_.position_rows[k]));
        }
        return {};
    }

    std::string of_forces() {
        const VectorXd Ma = there_.M * (G_ * at_.acceleration);
        const VectorXd r = Gt_ * (there_.force - Ma);
        const VectorXd noise =
            Gt_.cwiseAbs() * (kRoundedForce * (there_.force.cwiseAbs() + Ma.cwiseAbs()) +
                              kRoundedStrain * (there_.K.cwiseAbs() * q_there_.cwiseAbs()));
        const VectorXd u = allowed_.motion(r);
        if (allowed_.size(u) <= allowed_.size_of_force(noise)) return {};
        std::vector<double> by = shares(q_there_, v_there_, there_, G_ * u);
        const std::vector<double> here = shares(q_, v_, at_, u);
        for (std::size_t k = 0; k < by.size(); ++k) by[k] -= here[k];
        return named(by, "acts otherwise");
    }

    std::string of_derivatives(const std::vector<VectorXd>& probes, bool by_rate) {
        const Sparse& here = by_rate ? at_.D : at_.K;
        const Sparse& there = by_rate ? there_.D : there_.K;
        for (const VectorXd& x : probes) {
            const VectorXd r = moved(there, x) - here * x;
            // Of forces that are differentiated by differences, between coordinates that those
            // have.
            VectorXd differenced = VectorXd::Zero(n_);
            for (Index k = 0; k < n_; ++k)
                if (is_differenced_[k] != 0) differenced[k] = 1.0;
            const VectorXd those = differenced.cwiseProduct(x);
            VectorXd noise =
                kRoundedSum * (sizes_moved(there, x) + here.cwiseAbs() * x.cwiseAbs()) +
                kDifferenced * differenced.cwiseProduct(VectorXd(
                                   sizes_moved(there, those) + here.cwiseAbs() * those.cwiseAbs()));
            // Beside those of inertia, w M and w^2 M, they are nothing.
            noise += kRoundedSum * spin_.fastest() * (by_rate ? 1.0 : spin_.fastest()) *
                     (sizes_moved(there_.M, x) + at_.M.cwiseAbs() * x.cwiseAbs());
            const VectorXd u = allowed_.motion(r);
            if (allowed_.size(u) <= allowed_.size_of_force(noise)) continue;
            const std::vector<double> far =
                slopes(q_there_, v_there_, there_, G_ * u, G_ * x, by_rate);
            std::vector<double> by = slopes(q_, v_, at_, u, x, by_rate);
            for (std::size_t k = 0; k < by.size(); ++k) by[k] -= far[k];
            return named(
                by, by_rate ? "damps other motions otherwise" : "resists displacements otherwise");
        }
        return {};
    }

    /// What objects do on a motion at a state; their reactions as they are there.
    std::vector<double> shares(const VectorXd& q,
                               const VectorXd& v,
                               const LinearEquations& at,
                               const VectorXd& y) {
        ImplicitFace& face = system_.linearisable();
        face.evaluate({system_.time(), view(q), view(v), view(at.lambda)});
        std::vector<double> out;
        objects_.clear();
        for (const ImplicitFace::Share& share : face.shares(y)) {
            out.push_back(share.power);
            objects_.push_back(share.object);
        }
        return out;
    }
    /// Their derivatives along x.
    std::vector<double> slopes(const VectorXd& q,
                               const VectorXd& v,
                               const LinearEquations& at,
                               const VectorXd& y,
                               const VectorXd& x,
                               bool by_rate) {
        const double way = system_.parts().space.displacement(x.data());
        const double step = kShare * system_.state().extent / std::max(way, 1e-300) *
                            (by_rate ? std::max(1.0, spin_.fastest()) : 1.0);
        const auto value = [&](double c) {
            return by_rate ? shares(q, v + c * x, at, y) : shares(q + c * x, v, at, y);
        };
        std::vector<double> out = value(step);
        const std::vector<double> down = value(-step);
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = (out[k] - down[k]) / (2.0 * step);
        return out;
    }
    std::string named(const std::vector<double>& by, const char* how) const {
        const auto most = std::ranges::max_element(by, {}, [](double x) {
            return std::abs(x);
        });
        if (most == by.end()) return fmt::format("the model {} once it has turned", how);
        const ObjectRef* const object = objects_[most - by.begin()];
        if (object == nullptr) return "gravity acts across the axis of the spin";
        return fmt::format(
            "{} (type {}) {} once the model has turned", object->label, object->type->name, how);
    }

    KernelSystem& system_;
    const SteadySpin& spin_;
    const LinearEquations& at_;
    Allowed& allowed_;
    const VectorXd& reach_;
    const std::vector<char>& is_differenced_;
    const Sparse& G_;
    Sparse Gt_;
    Index n_;
    VectorXd q_, v_, q_there_, v_there_;
    LinearEquations there_;
    std::vector<const ObjectRef*> objects_;
};

}  // namespace

std::string what_does_not_turn(KernelSystem& system,
                               const SteadySpin& spin,
                               const LinearEquations& at) {
    if (!spin.is_moving()) return {};
    const Assembly& parts = system.parts();
    const Index n = at.M.rows();
    VectorXd reach = parts.space.reaches();
    for (double& one : reach)
        if (!(one > 0.0)) one = 1.0;
    Allowed allowed(at, reach);
    if (!allowed.is_factorised())
        throw Error(ErrorKind::numerical,
                    "whether the model turns along with its spin cannot be told: its conditions "
                    "cannot be factorised at this state");
    std::vector<char> is_differenced(static_cast<std::size_t>(n), 0);
    for (int part = 0; part < parts.forces.num_parts(); ++part) {
        const AttachmentMap& map = parts.forces.map(part);
        for (int scalar = 0; scalar < map.num_scalars(); ++scalar)
            for (const AttachmentMap::Entry& entry : map.row(scalar))
                is_differenced[entry.coordinate] = 1;
    }
    for (const BodyPart& body : parts.model.bodies)
        if (body.mass_kind == MassKind::of_state)
            std::fill_n(is_differenced.begin() + body.first, body.count, char{1});

    std::mt19937_64 random(20260101);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<VectorXd> probes;
    for (int k = 0; k < kProbes; ++k) {
        VectorXd x(n);
        for (Index i = 0; i < n; ++i) x[i] = uniform(random) / reach[i];
        probes.push_back(allowed.nearest(x));
    }
    std::string out;
    for (const double angle : kAngles) {
        const Flow flow = flow_of(spin, n, angle / slowest(spin));
        try {
            out = Comparison(system, spin, at, allowed, reach, is_differenced, flow)
                      .difference(probes);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::numerical) throw;
            out = fmt::format("once the model has turned, {}", error.message());
        }
        if (!out.empty()) break;
    }
    linear_equations(system);  // what is kept from solve to solve is that of the present again
    return out;
}

}  // namespace ancora
