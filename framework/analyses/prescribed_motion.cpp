// SPDX-License-Identifier: BSD-3-Clause
// A guess along the motion, projected onto constraints that leave one answer.
#include "prescribed_motion.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace ancora {

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
    if (freedoms > 0)
        throw Error(
            ErrorKind::numerical,
            fmt::format("the model has {} degree{} of freedom that nothing prescribes; inverse "
                        "dynamics needs a `drive` on every free measure (`ancora check` lists "
                        "the measures)",
                        freedoms,
                        freedoms == 1 ? "" : "s"));
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
