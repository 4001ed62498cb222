// SPDX-License-Identifier: BSD-3-Clause
// Catenaries, and Newton's method from them, with a banded Cholesky factor.
#include "cable_rest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "cubic.hpp"

namespace ancora::beam {
namespace {

constexpr std::size_t kNode = 6;          // r, r'
constexpr std::size_t kBand = 2 * kNode;  // entries of a row up to its diagonal
constexpr double kPrecision = std::numeric_limits<double>::epsilon();
// Ends nearer to a plumb line than this part of the length are taken as so far from it: a catenary
// needs a width. Newton's method starts from it only.
constexpr double kLeastWidth = 1e-2;
// A cable is taken as taut, and straight at first, where its length is within this part of the way.
constexpr double kTaut = 1e-6;
constexpr int kMostIterations = 400;
constexpr int kMostDampings = 60;
// Unbalanced force that is none, of the weight, and in roundings.
constexpr double kBalanced = 1e-11, kRoundings = 64.0;

Vec3 position(const std::vector<double>& q, std::size_t node) {
    return Eigen::Map<const Vec3>(q.data() + kNode * node);
}
/// r and r' of a node of the start.
void place(std::vector<double>& q, std::size_t node, const Vec3& r, const Vec3& slope) {
    Eigen::Map<Vec3>(q.data() + kNode * node) = r;
    Eigen::Map<Vec3>(q.data() + kNode * node + 3) = slope;
}

/// x > 0 with sinh(x) / x = ratio > 1
double catenary_parameter(double ratio) {
    double low = 0.0, high = 1.0;
    while (std::sinh(high) < ratio * high) high *= 2.0;
    for (int i = 0; i < 100; ++i) {
        const double x = 0.5 * (low + high);
        (std::sinh(x) < ratio * x ? low : high) = x;
    }
    return 0.5 * (low + high);
}

/// The nodes from `first` to `last`, which are held, on the catenary of their length.
void hang_between(const HangingCable& cable,
                  std::vector<double>& q,
                  std::size_t first,
                  std::size_t last) {
    const Vec3 a = position(q, first), b = position(q, last);
    double length = 0.0;
    for (std::size_t k = first; k < last; ++k) length += cable.lengths[k];
    const double way = (b - a).norm();
    if (length <= way * (1.0 + kTaut)) {
        double s = 0.0;
        for (std::size_t i = first; i <= last; ++i) {
            place(q, i, a + s / length * (b - a), (b - a) / length);
            if (i < last) s += cable.lengths[i];
        }
        return;
    }
    if (!(cable.gravity.norm() > 0.0))
        throw NoRest("between nodes " + std::to_string(first) + " and " + std::to_string(last) +
                     " the cable is longer than the way, and without gravity it may lie anywhere; "
                     "list \"nodes\" along its shape");
    const Vec3 up = -cable.gravity.normalized();
    const double rise = up.dot(b - a);
    Vec3 across = b - a - rise * up;
    const double width = std::max(across.norm(), kLeastWidth * length);
    if (across.norm() < kLeastWidth * length) {
        Eigen::Index least = 0;
        up.cwiseAbs().minCoeff(&least);
        if (!(across.norm() > 0.0)) across = up.cross(Vec3::Unit(least));
    }
    across.normalize();
    // r = a + u across + c (cosh((u - u0) / c) - cosh(u0 / c)) up, c the scale, from one end to the
    // other
    const double chord = std::sqrt((length - rise) * (length + rise));
    const double scale = 0.5 * width / catenary_parameter(std::max(chord / width, 1.0 + kTaut));
    const double u0 = 0.5 * width - scale * std::atanh(rise / length);
    double s = 0.0;
    for (std::size_t i = first; i <= last; ++i) {
        const double climb = s / scale - std::sinh(u0 / scale);  // dz / du
        const double u = u0 + scale * std::asinh(climb);
        const double z = scale * (std::sqrt(1.0 + climb * climb) - std::cosh(u0 / scale));
        const Vec3 slope = (across + climb * up).normalized();
        const Vec3 at = i == first ? a : i == last ? b : Vec3(a + u * across + z * up);
        place(q, i, at, slope);
        if (i < last) s += cable.lengths[i];
    }
}

/// The nodes beyond `held`, up to either end, on its plumb line.
void hang_below(const HangingCable& cable,
                std::vector<double>& q,
                std::size_t held,
                bool is_before) {
    if (!(cable.gravity.norm() > 0.0)) return;
    const Vec3 down = cable.gravity.normalized();
    Vec3 r = position(q, held);
    for (std::size_t i = held; is_before ? i > 0 : i < cable.lengths.size();) {
        r += cable.lengths[is_before ? i - 1 : i] * down;
        i = is_before ? i - 1 : i + 1;
        place(q, i, r, is_before ? Vec3(-down) : down);
    }
}

/// Pi with its gradient and second derivatives; those of positions that are held are left out.
struct Potential {
    double value = 0.0;
    std::vector<double> gradient;
    std::vector<double> band;  ///< H(i, j) at i kBand + kBand - 1 - (i - j)
};

class Search {
public:
    explicit Search(const HangingCable& cable) : cable_(cable) {
        size_ = kNode * cable.node_mass.size();
        load_.assign(size_, 0.0);
        for (std::size_t i = 0; i < cable.node_mass.size(); ++i) {
            add_load(kNode * i, cable.node_mass[i]);
            weight_ += cable.node_mass[i] * cable.gravity.norm();
        }
        for (std::size_t k = 0; k < cable.lengths.size(); ++k) {
            const double l = cable.lengths[k], m = cable.mass * l;
            const std::array<double, 4> share = {0.5 * m, m * l / 12.0, 0.5 * m, -m * l / 12.0};
            for (std::size_t i = 0; i < 4; ++i) add_load(kNode * k + 3 * i, share[i]);
            weight_ += m * cable.gravity.norm();
        }
    }

    void minimise(std::vector<double>& q) {
        // Where a stiff cable bends sharply Pi falls along narrow valleys; softened it does not
        constexpr double kSoftened = 30.0, kStiffened = 4.0, kPassed = 1e-4;
        if (weight_ > 0.0)
            for (EA_ = kSoftened * weight_; EA_ < cable_.EA; EA_ *= kStiffened)
                descend(q, kPassed * weight_);
        EA_ = cable_.EA;
        const double left = descend(q, kBalanced * weight_ + kRoundings * rounding(q));
        // A step that rounding keeps from falling further
        constexpr double kNearly = 1e-6;
        if (left <= kNearly * weight_ + kRoundings * rounding(q)) return;
        throw NoRest("no shape of rest was found; the force left is " +
                     std::to_string(left / std::max(weight_, 1e-300)) +
                     " of the weight. Give a slack cable that bends sharply more \"elements\" or "
                     "some \"EI\", or list \"nodes\" along its shape");
    }

private:
    /// Newton's method down to an unbalanced force of `enough`, and on while each step halves it;
    /// or as far as it comes. That force.
    double descend(std::vector<double>& q, double enough) const {
        Potential at = evaluate(q, true);
        double damping = 0.0, force = out_of_balance(at);
        for (int iteration = 0; iteration < kMostIterations; ++iteration) {
            const double last = force;
            if (force == 0.0 || !step(q, at, damping)) break;
            force = out_of_balance(at);
            if (force <= enough && force > 0.5 * last) break;
        }
        return force;
    }
    /// Force that rounding of positions leaves in the shortest element.
    double rounding(const std::vector<double>& q) const {
        double size = 0.0;
        for (const double x : q) size = std::max(size, std::abs(x));
        return kPrecision * cable_.EA * (1.0 + size / *std::ranges::min_element(cable_.lengths));
    }
    void add_load(std::size_t at, double mass) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            load_[at + axis] += mass * cable_.gravity(static_cast<Eigen::Index>(axis));
    }
    bool is_fixed(std::size_t i) const { return i % kNode < 3 && cable_.is_held[i / kNode]; }

    /// @param is_full  with what compression takes away from the stiffness
    Potential evaluate(const std::vector<double>& q, bool is_full) const {
        Potential out;
        out.gradient.assign(size_, 0.0);
        out.band.assign(size_ * kBand, 0.0);
        for (std::size_t i = 0; i < size_; ++i) {
            out.value -= load_[i] * q[i];
            out.gradient[i] -= load_[i];
        }
        for (std::size_t k = 0; k < cable_.lengths.size(); ++k) {
            const double l = cable_.lengths[k];
            const double* const u = q.data() + kNode * k;
            for (const LinePoint& point : kStretchPoints) {
                const CubicWeights w = slope_weights(point.x, l);
                const Vec3 slope = combine(w, u);
                const double norm = slope.norm();
                const double strain = 0.5 * (norm - 1.0) * (norm + 1.0);
                if (cable_.is_tension_only && strain < 0.0) continue;
                const double stiffness = point.weight * l * EA_;
                out.value += 0.5 * stiffness * strain * strain;
                add_gradient(out, k, w, stiffness * strain * slope);
                const double across = is_full ? strain : std::max(strain, 0.0);
                add_stiffness(
                    out, k, w, stiffness * (across * Mat3::Identity() + slope * slope.transpose()));
            }
            for (const LinePoint& point : kCurvePoints) {
                if (!(cable_.EI > 0.0)) break;
                const CubicWeights w = curve_weights(point.x, l);
                const Vec3 curve = combine(w, u);
                const double stiffness = point.weight * l * cable_.EI;
                out.value += 0.5 * stiffness * curve.squaredNorm();
                add_gradient(out, k, w, stiffness * curve);
                add_stiffness(out, k, w, stiffness * Mat3::Identity());
            }
        }
        return out;
    }
    static void add_gradient(Potential& out, std::size_t k, const CubicWeights& w, const Vec3& f) {
        for (std::size_t i = 0; i < 4; ++i)
            Eigen::Map<Vec3>(out.gradient.data() + kNode * k + 3 * i) += w[i] * f;
    }
    static void add_stiffness(Potential& out, std::size_t k, const CubicWeights& w, const Mat3& D) {
        for (std::size_t i = 0; i < kBand; ++i)
            for (std::size_t j = 0; j <= i; ++j)
                out.band[(kNode * k + i) * kBand + kBand - 1 - (i - j)] +=
                    w[i / 3] * w[j / 3] *
                    D(static_cast<Eigen::Index>(i % 3), static_cast<Eigen::Index>(j % 3));
    }

    /// Largest force on a node; of a slope, whose unit is the length of an element, by that length.
    double out_of_balance(const Potential& at) const {
        double out = 0.0;
        for (std::size_t i = 0; i < size_; ++i) {
            if (is_fixed(i)) continue;
            const double unit = i % kNode < 3 ? 1.0 : element_length(i);
            out = std::max(out, std::abs(at.gradient[i]) / unit);
        }
        return out;
    }

    /// A step along which Pi falls, from (H + damping D) dq = -gradient, D diagonal; false if there
    /// is none.
    bool step(std::vector<double>& q, Potential& at, double& damping) const {
        constexpr double kLeastDamping = 1e-8;
        bool is_full = true;
        for (int attempt = 0; attempt < kMostDampings; ++attempt) {
            std::vector<double> dq;
            const Potential* matrix = &at;
            Potential without;
            if (!is_full) {
                without = evaluate(q, false);
                matrix = &without;
            }
            if (!solve(*matrix, at.gradient, damping, dq)) {
                is_full = false;
                damping = std::max(10.0 * damping, kLeastDamping);
                continue;
            }
            double along = 0.0;
            for (std::size_t i = 0; i < size_; ++i) along += at.gradient[i] * dq[i];
            std::vector<double> next = q;
            for (std::size_t i = 0; i < size_; ++i) next[i] += dq[i];
            Potential there = evaluate(next, true);
            // At rounding of Pi the gradient decides
            const double rounding = 1e3 * kPrecision * (std::abs(at.value) + std::abs(there.value));
            const bool falls = there.value <= at.value + 1e-4 * along;
            const bool is_better = std::abs(there.value - at.value) <= rounding &&
                                   out_of_balance(there) < out_of_balance(at);
            if (falls || is_better) {
                q = std::move(next);
                at = std::move(there);
                damping = damping <= kLeastDamping ? 0.0 : 0.1 * damping;
                return true;
            }
            damping = std::max(10.0 * damping, kLeastDamping);
        }
        return false;
    }

    /// What holds a coordinate that nothing stretched holds, for as long as it moves: the weight on
    /// the length of an element, and a small part of EA where there is none.
    double stiffness_of_load(std::size_t i) const {
        constexpr double kSoft = 1e-6;
        const double l = element_length(i), load = std::max(weight_, kSoft * EA_);
        return i % kNode < 3 ? load / l : load * l;
    }
    double element_length(std::size_t i) const {
        return cable_.lengths[std::min(i / kNode, cable_.lengths.size() - 1)];
    }

    /// False where the matrix is not positive definite.
    bool solve(const Potential& at,
               const std::vector<double>& gradient,
               double damping,
               std::vector<double>& x) const {
        std::vector<double> L = at.band;
        const auto entry = [&](std::size_t i, std::size_t j) -> double& {
            return L[i * kBand + kBand - 1 - (i - j)];
        };
        x.assign(size_, 0.0);
        for (std::size_t i = 0; i < size_; ++i) {
            const std::size_t begin = i < kBand ? 0 : i - (kBand - 1);
            const double own = entry(i, i);
            entry(i, i) += damping * (own + stiffness_of_load(i));
            if (is_fixed(i)) {
                for (std::size_t j = begin; j < i; ++j) entry(i, j) = 0.0;
                entry(i, i) = 1.0;
                continue;
            }
            x[i] = -gradient[i];
            for (std::size_t j = begin; j <= i; ++j) {
                if (j < i && is_fixed(j)) {
                    entry(i, j) = 0.0;
                    continue;
                }
                const std::size_t from = std::max(begin, j < kBand ? 0 : j - (kBand - 1));
                double rest = entry(i, j);
                for (std::size_t k = from; k < j; ++k) rest -= entry(i, k) * entry(j, k);
                if (j < i) {
                    entry(i, j) = rest / entry(j, j);
                    x[i] -= entry(i, j) * x[j];
                } else {
                    constexpr double kLeastPivot = 1e-14;
                    if (!(rest > kLeastPivot * (own + stiffness_of_load(i)))) return false;
                    entry(i, i) = std::sqrt(rest);
                    x[i] /= entry(i, i);
                }
            }
        }
        for (std::size_t i = size_; i-- > 0;) {
            x[i] /= entry(i, i);
            for (std::size_t j = i < kBand ? 0 : i - (kBand - 1); j < i; ++j)
                x[j] -= entry(i, j) * x[i];
        }
        return true;
    }

    const HangingCable& cable_;
    std::size_t size_ = 0;
    std::vector<double> load_;  // M g on positions and slopes
    double weight_ = 0.0;
    double EA_ = 0.0;  // now
};

}  // namespace

std::vector<double> hanging_shape(const HangingCable& cable, const std::vector<double>& q) {
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < cable.is_held.size(); ++i)
        if (cable.is_held[i]) held.push_back(i);
    if (held.empty()) throw NoRest("nothing holds the cable; name a node in \"held\"");
    std::vector<double> out = q;
    for (std::size_t k = 0; k + 1 < held.size(); ++k)
        hang_between(cable, out, held[k], held[k + 1]);
    hang_below(cable, out, held.front(), true);
    hang_below(cable, out, held.back(), false);
    Search(cable).minimise(out);
    return out;
}

}  // namespace ancora::beam
