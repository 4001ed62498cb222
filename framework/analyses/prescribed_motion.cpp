// SPDX-License-Identifier: BSD-3-Clause
// A guess along the motion, projected onto constraints that leave one answer.
#include "prescribed_motion.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rank_analysis.hpp"

namespace ancora {
namespace {

/// Measures of joints that some velocity without change of the constraints changes, the first few.
std::vector<std::string> free_measures(KernelSystem& system) {
    constexpr std::size_t kMostNames = 6;
    constexpr double kHeld = 1e-9;  // of the largest rate
    const SystemData data = system.step_data();
    const Assembly& parts = data.parts;
    // v without a pattern, less the least change that brings A v to zero
    RowSet::StateValues at;
    data.parts.rows.evaluate(data.state.q.data(), data.state.v.data(), system.time(), at);
    Eigen::VectorXd v(parts.n), rates = Eigen::VectorXd::Zero(parts.m);
    for (int i = 0; i < parts.n; ++i) v[i] = std::cos(1.7 * static_cast<double>(i + 1));
    for (int k = 0; k < parts.m; ++k)
        if (parts.laws.is_constraint(k)) rates[k] = parts.rows.multiply(at.A.data(), k, v.data());
    v -= close_gaps(parts.rows, at.A, parts.mass, rates).displacement;
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(parts.n);
    std::vector<std::pair<double, std::string>> found;
    double most = 0.0;
    std::size_t entry = 0;
    for (const ConstraintPart& part : parts.model.constraints) {
        if (part.joint == nullptr) continue;
        for (const Measure& measure : part.joint->measures) {
            const auto rate_of = [&](const Eigen::VectorXd& speed) {
                return system.joints().read(entry, data.state.q.data(), speed.data()).rate;
            };
            found.emplace_back(std::abs(rate_of(v) - rate_of(rest)),
                               fmt::format("{}.{}", part.object.name, measure.name));
            most = std::max(most, found.back().first);
            ++entry;
        }
    }
    std::vector<std::string> out;
    for (const auto& [rate, name] : found)
        if (rate > kHeld * most && out.size() < kMostNames) out.push_back(name);
    return out;
}

}  // namespace

void require_no_freedom(KernelSystem& system) {
    for (const SignalPart& part : system.parts().model.signals)
        if (part.facts.num_continuous > 0 || part.facts.num_discrete > 0)
            throw Error(
                ErrorKind::manifest,
                fmt::format("{} has {}, which only integration follows; "
                            "inverse dynamics needs forces that are functions of the motion",
                            part.label,
                            part.facts.num_continuous > 0 ? "states of its own"
                                                          : "values that it holds between samples"),
                part.place);
    const RankAnalysis rank = system.instant().rank();
    const int freedoms = system.num_coordinates() - rank.rank;
    if (freedoms <= 0) return;
    const std::vector<std::string> free = free_measures(system);
    throw Error(
        ErrorKind::numerical,
        fmt::format(
            "the model has {} degree{} of freedom that nothing prescribes{}; inverse "
            "dynamics needs a `drive` on every free measure (`ancora check` lists "
            "the measures)",
            freedoms,
            freedoms == 1 ? "" : "s",
            free.empty()
                ? ""
                : fmt::format(" ({}{})", free.size() == 1 ? "" : "among ", fmt::join(free, ", "))));
}

void follow_prescribed(KernelSystem& system, double t) {
    const double h = t - system.time();
    if (h > 0.0) {
        const std::vector<double> a = system.instant().dynamics().acceleration;
        const auto n = static_cast<std::size_t>(system.num_coordinates());
        std::vector<double> x(static_cast<std::size_t>(system.continuous()->size().num_states));
        system.continuous()->read_state(x);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] += h * (x[n + i] + 0.5 * h * a[i]);
            x[n + i] += h * a[i];
        }
        system.continuous()->accept_state(system.time(), t, x);
    }
    system.instant().update_reactions();
}

}  // namespace ancora
