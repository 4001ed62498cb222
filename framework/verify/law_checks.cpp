// SPDX-License-Identifier: BSD-3-Clause
// Checks of laws of elastic rows that are no lines, of one row or of several together.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "ancora/sdk/helpers/stress_laws.hpp"
#include "differences.hpp"
#include "row_states.hpp"
#include "step_call.hpp"

namespace ancora::verify {
namespace {

/// s is W' at rest, and its mean over a step does the work W(pi1) - W(pi0).
void check_law(const RowLaw& row, double pi0, double pi1, const std::string& where) {
    double s = 0.0, W0 = 0.0, W1 = 0.0, error = 0.0, difference = 0.0;
    StressMean mean;
    guard("the law of " + where, [&] {
        s = row.law->stress(row, pi0, 0.0);
        W0 = row.law->energy(row, pi0);
        W1 = row.law->energy(row, pi1);
        mean = row.law->mean(row, pi0, pi1 - pi0, 1.0);
        difference = derivative(error, [&](double h) -> Vector {
            return Vector::Constant(1, row.law->energy(row, pi0 + h));
        })(0);
    });
    const double size = std::abs(s) + std::abs(difference);
    if (!(std::abs(s - difference) <= 10.0 * kDifference * size + allowance(error)))
        throw Failure(
            fmt::format("the law of {} has the stress {:.9g} at {:.6g}, and differences "
                        "of its energy give {:.9g}",
                        where,
                        s,
                        pi0,
                        difference));
    const double work = mean.elastic * (pi1 - pi0);
    if (!(std::abs(work - (W1 - W0)) <= kRounding * (std::abs(W0) + std::abs(W1))))
        throw Failure(
            fmt::format("over a step the law of {} does the work {:.9g}, and its energy "
                        "changes by {:.9g}",
                        where,
                        work,
                        W1 - W0));
}

// --- jumps

/// Where a function along a line jumps: bracketed to so much of the line.
struct Jump {
    double at = 0.0;
    double size = 0.0;  ///< what it changes by within the bracket
};

constexpr int kScan = 48;      // intervals in which a line is looked through
constexpr int kHalvings = 34;  // until an interval is 1e-12 of the line
constexpr std::size_t kMostJumps = 3;

/// The places where `change(from, to)`, which is what a function changes by less what its
/// derivative explains, is largest, each followed to where halving does not make it smaller.
template <class Change>
std::vector<Jump> jumps(const Change& change) {
    std::vector<Jump> found;
    for (int k = 0; k < kScan; ++k) {
        const double from = static_cast<double>(k) / kScan;
        found.push_back({from, change(from, from + 1.0 / kScan)});
    }
    std::ranges::sort(found, [](const Jump& a, const Jump& b) {
        return a.size > b.size;
    });
    found.resize(kMostJumps);
    for (Jump& jump : found) {
        double from = jump.at, width = 1.0 / kScan;
        for (int k = 0; k < kHalvings; ++k) {
            width *= 0.5;
            const double first = change(from, from + width);
            const double second = change(from + width, from + 2.0 * width);
            if (!(first >= second)) from += width;
            jump.size = std::max(first, second);
        }
        jump.at = from + 0.5 * width;
    }
    return found;
}

// What a jump must be, beside the values, to be none of a steep function.
constexpr double kJump = 1e-6;

void require_continuous(const std::vector<Jump>& found,
                        double size,
                        const char* what,
                        const std::string& where) {
    for (const Jump& jump : found)
        if (!(jump.size <= kJump * size))
            throw Failure(
                fmt::format("{} of {} jumps by {:.6g} along a change of strains: W must be "
                            "continuously differentiable",
                            what,
                            where,
                            jump.size));
}

/// W of one row is continuous.
void require_continuous(const RowLaw& row, double pi0, double pi1, const std::string& where) {
    double size = 0.0;
    const auto pi = [&](double theta) {
        return pi0 + theta * (pi1 - pi0);
    };
    const auto change = [&](double from, double to) {
        const double W0 = row.law->energy(row, pi(from)), W1 = row.law->energy(row, pi(to));
        size = std::max({size, std::abs(W0), std::abs(W1)});
        const double mean =
            0.5 * (row.law->stress(row, pi(from), 0.0) + row.law->stress(row, pi(to), 0.0));
        return std::abs(W1 - W0 - mean * (pi(to) - pi(from)));
    };
    guard("the law of " + where, [&] {
        const std::vector<Jump> found = jumps(change);
        require_continuous(found, size, "the energy", where);
    });
}

/// An item's law along a line of strains.
class AlongLine {
public:
    static constexpr double kSharp = 1e-3;  // of W'', for a jump

    AlongLine(const ItemLaw& law, int item, const Vector& pi0, const Vector& pi1)
        : law_(law), item_(item), pi0_(pi0), dpi_(pi1 - pi0) {}

    struct Values {
        double W = 0.0;
        Vector s;
        Matrix D;
    };
    Values at(double theta) const {
        const Eigen::Index n = pi0_.size();
        Values out{0.0, Vector::Zero(n), Matrix::Zero(n, n)};
        const Vector pi = pi0_ + theta * dpi_;
        out.W = law_.potential(
            item_, view(pi), view(out.s), {out.D.data(), static_cast<std::size_t>(out.D.size())});
        return out;
    }
    /// W and W' are continuous, and W'' jumps where discontinuities() says, if it says anything.
    void require(const std::string& where) const {
        double W = 0.0, s = 0.0, D = 0.0;
        const auto energy = [&](double from, double to) {
            const Values a = at(from), b = at(to);
            W = std::max({W, std::abs(a.W), std::abs(b.W)});
            return std::abs(b.W - a.W - 0.5 * (to - from) * (a.s + b.s).dot(dpi_));
        };
        const auto stress = [&](double from, double to) {
            const Values a = at(from), b = at(to);
            s = std::max({s, a.s.cwiseAbs().maxCoeff(), b.s.cwiseAbs().maxCoeff()});
            const Vector explained = 0.5 * (to - from) * (a.D + b.D) * dpi_;
            return (b.s - a.s - explained).cwiseAbs().maxCoeff();
        };
        const auto stiffness = [&](double from, double to) {
            const Values a = at(from), b = at(to);
            D = std::max({D, a.D.cwiseAbs().maxCoeff(), b.D.cwiseAbs().maxCoeff()});
            return (b.D - a.D).cwiseAbs().maxCoeff();
        };
        std::vector<Jump> found = jumps(energy);
        require_continuous(found, W, "the energy of an item", where);
        found = jumps(stress);
        require_continuous(found, s, "the stress of an item", where);
        std::array<double, ItemLaw::kMostDiscontinuities> theta{};
        const std::size_t count =
            detail::discontinuities(law_, item_, view(pi0_), view(dpi_), theta);
        // without any the mean over a step is right, if no smooth function of its end
        if (count == 0) return;
        for (const Jump& jump : jumps(stiffness)) {
            if (jump.size <= kSharp * D) continue;
            const bool is_said = std::ranges::any_of(std::span(theta).first(count), [&](double x) {
                return std::abs(x - jump.at) <= kNear;
            });
            if (!is_said)
                throw Failure(fmt::format(
                    "the stiffness of an item of {} jumps at {:.6g} of a change of strains, and "
                    "ItemLaw::discontinuities gives {:.6g}{}",
                    where,
                    jump.at,
                    theta[0],
                    count > 1 ? " and others" : ""));
        }
    }

private:
    static constexpr double kNear = 1e-6;  // of the line

    const ItemLaw& law_;
    int item_;
    const Vector& pi0_;
    Vector dpi_;
};

/// Whether W'' jumps, at a place that discontinuities() names, within what differences at pi reach.
bool is_near_kink(const ItemLaw& law, int item, const Vector& pi) {
    constexpr double kBeside = 1e-6;
    std::array<double, ItemLaw::kMostDiscontinuities> theta{};
    for (Eigen::Index j = 0; j < pi.size(); ++j) {
        Vector begin = pi, end = pi;
        begin(j) -= kSpacing;
        end(j) += kSpacing;
        const Vector way = end - begin;
        const std::size_t count = detail::discontinuities(law, item, view(begin), view(way), theta);
        const AlongLine line(law, item, begin, end);
        for (const double x : std::span(theta).first(count)) {
            const Matrix before = line.at(x - kBeside).D, behind = line.at(x + kBeside).D;
            if ((behind - before).cwiseAbs().maxCoeff() >
                AlongLine::kSharp * before.cwiseAbs().maxCoeff())
                return true;
        }
    }
    return false;
}

/// Of rows that have a law together: W' and W'' are what differences give, W'' is symmetric, W and
/// W' do not jump, and slope discontinuities are where W'' jumps, in order.
void check_item_law(
    const ItemLaw& law, int item, const Vector& pi0, const Vector& pi1, const std::string& where) {
    guard("ItemLaw::discontinuities of " + where, [&] {
        std::array<double, ItemLaw::kMostDiscontinuities> theta{};
        const Vector dpi = pi1 - pi0;
        detail::discontinuities(law, item, view(pi0), view(dpi), theta);
        AlongLine(law, item, pi0, pi1).require(where);
    });
    const Eigen::Index n = pi0.size();
    // Differences must not straddle a slope discontinuity; where all places are near one there are
    // none.
    constexpr int kPlaces = 8;
    Vector pi = pi0;
    bool is_near = true;
    for (int k = 0; k < kPlaces && is_near; ++k) {
        pi = pi0 + static_cast<double>(k) / kPlaces * (pi1 - pi0);
        is_near = is_near_kink(law, item, pi);
    }
    if (is_near) return;
    Vector s = Vector::Zero(n), slope(n);
    Matrix D = Matrix::Zero(n, n), differences(n, n);
    double error = 0.0, error_of_stress = 0.0;
    guard("ItemLaw::potential of " + where, [&] {
        law.potential(item, view(pi), view(s), {D.data(), static_cast<std::size_t>(D.size())});
        for (Eigen::Index j = 0; j < n; ++j) {
            const auto at = [&](double h) {
                Vector x = pi;
                x(j) += h;
                return x;
            };
            slope(j) = derivative(error, [&](double h) -> Vector {
                return Vector::Constant(1, law.potential(item, view(at(h)), {}, {}));
            })(0);
            differences.col(j) = derivative(error_of_stress, [&](double h) -> Vector {
                Vector stress = Vector::Zero(n);
                law.potential(item, view(at(h)), view(stress), {});
                return stress;
            });
        }
    });
    compare_rows(s,
                 slope,
                 Vector::Constant(
                     n, s.cwiseAbs().maxCoeff() + slope.cwiseAbs().maxCoeff() + allowance(error)),
                 10.0 * kDifference,
                 "the stress of an item of " + where,
                 "differences of its energy give");
    const double size = D.cwiseAbs().maxCoeff() + differences.cwiseAbs().maxCoeff();
    compare_rows(D,
                 differences,
                 Vector::Constant(n, size + allowance(error_of_stress)),
                 10.0 * kDifference,
                 "the stiffness of an item of " + where,
                 "differences of its stress give");
    if (!((D - D.transpose()).cwiseAbs().maxCoeff() <= kRounding * size))
        throw Failure("the stiffness of an item of " + where + " is not symmetric");
}

void check_laws(Subject& subject) {
    for_each_block(
        subject,
        "no row has a law that is no line",
        [](const Block& block) {
            return !block.shape().item_laws.empty() ||
                   std::ranges::any_of(block.shape().laws, [](const RowLaw& row) {
                       return row.law != nullptr;
                   });
        },
        [](const Block& block, const Stage& stage, Random& random) {
            const RowBlock& shape = block.shape();
            Vector last;  // of the state before: a long way from it
            for (int k = 0; k < kRowStates; ++k) {
                const At at = random_state(stage, random);
                const Vector pi0 = block.evaluate(at.u, at.du, at.t).pi;
                const Vector pi1 = block.evaluate(at.u_at(0.1), at.du, at.t).pi;
                for (std::size_t i = 0; i < num_rows(shape); ++i) {
                    const RowLaw& row = law(shape, i);
                    const auto j = static_cast<Eigen::Index>(i);
                    if (row.law == nullptr) continue;
                    check_law(row, pi0(j), pi1(j), block.where());
                    require_continuous(
                        row, last.size() > 0 ? last(j) : pi1(j), pi0(j), block.where());
                }
                for (int item = 0; !shape.item_laws.empty() && item < shape.num_items; ++item)
                    check_item_law(shape.law_of_item(item),
                                   item,
                                   pi0.segment(item * shape.rows_per_item, shape.rows_per_item),
                                   pi1.segment(item * shape.rows_per_item, shape.rows_per_item),
                                   block.where());
                for (int item = 0;
                     !shape.item_laws.empty() && last.size() > 0 && item < shape.num_items;
                     ++item) {
                    const Vector from =
                        last.segment(item * shape.rows_per_item, shape.rows_per_item);
                    const Vector to = pi0.segment(item * shape.rows_per_item, shape.rows_per_item);
                    guard("the law of " + block.where(), [&] {
                        AlongLine(shape.law_of_item(item), item, from, to).require(block.where());
                    });
                }
                last = pi0;
            }
        });
}

constexpr Check kLawChecks[] = {
    {"laws",
     kRows,
     "stresses of laws of one row or several against differences of their energies, and the work "
     "of their means; energies do not jump, and stiffnesses only where discontinuities() says",
     check_laws},
};

}  // namespace

std::span<const Check> law_checks() {
    return kLawChecks;
}

}  // namespace ancora::verify
