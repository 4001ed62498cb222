// SPDX-License-Identifier: BSD-3-Clause
// Collects the numbers of a run.
#include "run_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "doubts.hpp"
#include "joint_states.hpp"
#include "mass_properties.hpp"
#include "plausibility.hpp"
#include "present_forces.hpp"

namespace ancora {
namespace {

std::string laws_of_impacts(const RowSet& rows) {
    std::set<std::string_view> names;
    for (const int k : rows.unilateral()) {
        constexpr std::string_view kNames[] = {"poisson", "newton", "energetic"};
        names.insert(kNames[static_cast<int>(rows.laws[k].impact)]);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

RunStatistics statistics_of(const Model& model,
                            const KernelSystem& system,
                            const Stepping& stepping) {
    const Ledger& ledger = system.ledger();
    RunStatistics out;
    out.steps = stepping.steps_done();
    out.substeps = system.counts().substeps;
    out.iterations = system.counts().iterations;
    out.max_iterations = system.counts().max_iterations;
    out.factorisations = system.factorisations();
    out.factorise_seconds = system.solver().factorise_seconds;
    out.evaluations = system.motion().evaluations;
    const ImpactRecords::Counts& impacts = system.impacts().counts();
    out.impacts = {!system.parts().rows.unilateral().empty(),
                   impacts.impacts,
                   impacts.closed,
                   impacts.released,
                   impacts.lowered,
                   impacts.several,
                   impacts.stepped_over,
                   impacts.loss,
                   impacts.least_gap,
                   laws_of_impacts(system.parts().rows),
                   model.has_impacts_in_turn};
    out.step_seconds = stepping.seconds();
    // Factorisations are rare and timed always; the others have their share of what they leave.
    const CallMeter::Seconds& sampled = system.parts().meter.spent;
    if (const double rest = sampled.step - sampled.factorise; rest > 0.0) {
        const double scale = std::max(0.0, out.step_seconds - out.factorise_seconds) / rest;
        out.assemble_seconds = scale * sampled.assemble;
        out.solve_seconds = scale * sampled.solve;
    }
    // Relative to the scales of theory, section 8.
    const auto relative = [](double worst, double scale) {
        return BalanceMaximum{worst, worst == 0.0 || !(scale > 0.0) ? 0.0 : worst / scale};
    };
    const double energy = ledger.energy_scale();
    const double momentum = std::sqrt(2.0 * system.accounting().total_mass() * energy);
    out.energy = relative(ledger.worst_energy(), energy);
    out.momentum = relative(ledger.worst_momentum(), momentum);
    out.angular_momentum =
        relative(ledger.worst_angular_momentum(), momentum * system.state().farthest);
    const Violation& worst = system.violations().worst();
    const double speed = momentum > 0.0 ? 2.0 * energy / momentum : 0.0;
    out.constraint_position = relative(worst.position, system.state().extent);
    out.constraint_velocity = relative(worst.velocity, speed);
    out.constraint_strain = {worst.strain, worst.strain};
    const std::vector<CallMeter::Account> accounts =
        system.parts().meter.accounts(stepping.seconds());
    for (std::size_t i = 0; i < accounts.size(); ++i)
        out.plugins.push_back({model.plugins[i]->name, accounts[i].seconds, accounts[i].calls});
    for (const Model::Warning& warning : model.warnings) out.warnings.push_back(warning.text);
    out.doubts = doubts_of(model, system);
    return out;
}

ModelAnalysis analysis_of(const Model& model,
                          KernelSystem& system,
                          const Scene& scene,
                          RowRank& row_rank) {
    ModelAnalysis out;
    out.num_bodies = static_cast<int>(std::ranges::count(model.bodies, false, &BodyPart::is_inner));
    for (const ConstraintPart& part : model.constraints) {
        const std::string& label = part.object.label;
        ++(label.starts_with("joint ")   ? out.num_joints
           : label.starts_with("force ") ? out.num_forces
                                         : out.num_constraints);
    }
    out.num_forces += static_cast<int>(model.forces.size());
    out.num_coordinates = system.num_coordinates();
    out.num_rows = system.num_rows();

    const RankAnalysis rank = row_rank.analyse();
    out.arbitrary_reactions = row_rank.arbitrary_reactions(rank);
    std::optional<Dynamics> dynamics;
    try {
        dynamics = system.instant().dynamics();
    } catch (const Error& error) {
        out.undetermined = error.message();
    }
    if (dynamics) {
        out.forces = present_forces(model, system, scene, *dynamics);
        out.accelerations = present_accelerations(model, system, *dynamics);
    }
    out.num_constraint_rows = rank.num_rows;
    out.rank = rank.rank;
    out.rank_threshold = rank.threshold;
    out.smallest_kept = rank.smallest_kept;
    out.largest_dropped = rank.largest_dropped;
    out.near_threshold = rank.is_near_threshold;
    out.degrees_of_freedom = out.num_coordinates - rank.rank;
    for (const int row : rank.redundant)
        out.redundant_rows.push_back(system.parts().rows.row_name(row) +
                                     (row_rank.acts_on_nothing(row) ? " (acts on nothing)" : ""));

    for (const auto& [text, place] : implausible_parts(model))
        out.implausible.push_back(
            place.known() && place.line > 0
                ? fmt::format("{}:{}:{}: {}", *place.file, place.line, place.column, text)
                : text);
    for (const BodyPart& part : model.bodies) {
        std::istringstream lines(part.notes());
        for (std::string line; std::getline(lines, line);)
            if (!line.empty()) out.notes.push_back({part.object.name, line});
    }
    for (const Model::ContactNote& note : model.contact_notes)
        out.notes.push_back({note.contact, note.text});
    out.chooses_steps = model.traits.is_adaptive;
    describe_joints(model, system, out);
    const MassProperties of_all =
        mass_properties(system.parts().space, system.parts().mass, system.q());
    out.mass = of_all.mass;
    out.center_of_mass = of_all.center;
    out.inertia = of_all.inertia;

    const Balances& now = system.ledger().now();
    out.kinetic_energy = now.kinetic;
    out.elastic_energy = now.elastic;
    out.gravity_energy = now.gravity;
    out.momentum = now.momenta.linear;
    out.angular_momentum = now.momenta.angular;
    return out;
}

}  // namespace ancora
