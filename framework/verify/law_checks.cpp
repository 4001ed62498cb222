// SPDX-License-Identifier: BSD-3-Clause
// Checks of laws of elastic rows that are no lines, of one row or of several together.
#include <algorithm>
#include <array>
#include <cmath>

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

/// Of rows that have a law together: W' and W'' are what differences give, W'' is symmetric, and
/// slope discontinuities come in order.
void check_item_law(
    const ItemLaw& law, int item, const Vector& pi, const Vector& pi1, const std::string& where) {
    const Eigen::Index n = pi.size();
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
    guard("ItemLaw::kinks of " + where, [&] {
        std::array<double, ItemLaw::kMostKinks> theta{};
        const Vector dpi = pi1 - pi;
        detail::kinks(law, item, view(pi), view(dpi), theta);
    });
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
            for (int k = 0; k < kRowStates; ++k) {
                const At at = random_state(stage, random);
                const Vector pi0 = block.evaluate(at.u, at.du, at.t).pi;
                const Vector pi1 = block.evaluate(at.u_at(0.1), at.du, at.t).pi;
                for (std::size_t i = 0; i < num_rows(shape); ++i) {
                    const RowLaw& row = law(shape, i);
                    const auto j = static_cast<Eigen::Index>(i);
                    if (row.law != nullptr) check_law(row, pi0(j), pi1(j), block.where());
                }
                for (int item = 0; !shape.item_laws.empty() && item < shape.num_items; ++item)
                    check_item_law(shape.law_of_item(item),
                                   item,
                                   pi0.segment(item * shape.rows_per_item, shape.rows_per_item),
                                   pi1.segment(item * shape.rows_per_item, shape.rows_per_item),
                                   block.where());
            }
        });
}

constexpr Check kLawChecks[] = {
    {"laws",
     kRows,
     "stresses of laws of one row or several against differences of their energies, and the work "
     "of their means",
     check_laws},
};

}  // namespace

std::span<const Check> law_checks() {
    return kLawChecks;
}

}  // namespace ancora::verify
