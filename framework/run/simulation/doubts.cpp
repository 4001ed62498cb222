// SPDX-License-Identifier: BSD-3-Clause
// Judges balances, jumps and turns of a run.
#include "doubts.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <fmt/format.h>

namespace ancora {
namespace {

// A balance beyond this, relative, is no rounding.
constexpr double kDoubtful = 1e-10;
// Slower than this part of the model's size in a second nothing counts as moving.
constexpr double kSlowest = 1e-6;
// Of the extent, what positions are rounded by over a run.
constexpr double kRounding = 1e-15;
// So many roundings of the energy are no open balance.
constexpr double kRoundings = 4.0;
// A part this much lighter than the heaviest is thrown about by it.
constexpr double kLight = 1e-2;
// What the energy balance may jump by in a step, of the energy in play: at all, and where it is far
// more than in the steps before.
constexpr double kLargeJump = 0.1;
constexpr double kSuddenJump = 1e-3;
// Steps of higher order follow what vibrates by no more than this angle in each [rad].
constexpr double kResolved = 3.0;

/// What the integrator claims to keep and has not kept, or nothing.
std::string doubt_of_balances(const Model& model, const KernelSystem& system) {
    if (!model.integrator_object.type->claims.has(Claim::keeps_energy)) return {};
    const Ledger& ledger = system.ledger();
    const double mass = system.accounting().total_mass();
    const auto open_of = [&](double energy, const EnergyAccounting::Roundings& rounding) {
        const double momentum = std::sqrt(2.0 * mass * energy);
        const auto relative_to = [](double in_play, double rounded) {
            return std::max(in_play, kRoundings / kDoubtful * rounded);
        };
        const std::pair<const char*, double> balances[] = {
            {"energy", ledger.worst_energy() / relative_to(energy, rounding.energy)},
            {"momentum", ledger.worst_momentum() / relative_to(momentum, rounding.momentum)},
            {"angular momentum",
             ledger.worst_angular_momentum() /
                 relative_to(momentum * system.state().farthest, rounding.angular_momentum)}};
        std::string open;
        for (const auto& [name, relative] : balances)
            if (relative > kDoubtful)
                open += fmt::format("{}{} by {:.1e}", open.empty() ? "" : ", ", name, relative);
        return open;
    };
    // At rest energies are rounding, and so are balances beside them.
    const double slow = kSlowest * system.state().extent;
    // Weights are balanced by reactions, at positions that are rounded.
    const double g = Eigen::Map<const Eigen::Vector3d>(model.gravity.data()).norm();
    const double at_rest = kRounding / kDoubtful * mass * g * system.state().extent;
    const double energy = std::max({ledger.energy_scale(), 0.5 * mass * slow * slow, at_rest});
    std::string open = open_of(energy, {});
    // The dearer look: at what stresses, stiffness and loads make of roundings.
    if (!open.empty()) open = open_of(energy, system.accounting().balance_roundings());
    if (open.empty()) return {};
    return fmt::format(
        "the balances of this run do not close ({} of what is in play, more "
        "than {:.0e}): a tolerance above its default, very stiff elements on "
        "light bodies, or a formula that has no exact discrete form; compare "
        "with a shorter step before you trust it",
        open,
        kDoubtful);
}

/// What is too stiff for the order that steps claim, or nothing.
std::string doubt_of_order(const KernelSystem& system) {
    if (system.projected() == nullptr) return {};
    const VelocityProjection::Stiff& stiff = system.projected()->stiff();
    if (stiff.row < 0 || stiff.h * stiff.frequency <= kResolved) return {};
    return fmt::format(
        "{} may vibrate at up to {:.3g} rad/s, which steps of {:.3g} s do not resolve (h times "
        "that "
        "is {:.2g}, more than {:.2g}): where it does vibrate the order of the path falls to 2; "
        "take shorter steps, make it rigid, or take order = 2",
        system.parts().rows.row_name(stiff.row),
        stiff.frequency,
        stiff.h,
        stiff.h * stiff.frequency,
        kResolved);
}

/// The body of a coordinate; null: none.
const BodyPart* body_of(const Model& model, int coordinate) {
    const auto at = std::ranges::find_if(model.bodies, [&](const BodyPart& part) {
        return coordinate >= part.first && coordinate < part.first + part.count;
    });
    return at == model.bodies.end() ? nullptr : &*at;
}

std::string most_of(const BodyPart* body) {
    return body != nullptr ? ", most of all of " + body->object.label : std::string();
}

/// What helps where steps do not resolve how a body moves; nothing unless it is a light one.
std::string advice_on_light(const Model& model, const KernelSystem& system, const BodyPart* body) {
    const auto mass_of = [&system](const BodyPart& part) {
        double mass = 0.0;
        for (const Space::Vector& vector : system.parts().space.vectors())
            for (const int i : vector.at)
                if (vector.translates && i >= part.first && i < part.first + part.count)
                    mass = std::max(mass, system.parts().mass.diagonal(i));
        return mass;
    };
    double heaviest = 0.0;
    for (const BodyPart& part : model.bodies) heaviest = std::max(heaviest, mass_of(part));
    const double ratio = body != nullptr && heaviest > 0.0 ? mass_of(*body) / heaviest : 1.0;
    const double energy = system.ledger().energy_scale();
    if (ratio >= kLight || !(energy > 0.0)) return {};
    // All energy is in the light part while the heavy one goes that share of the model's size.
    const double speed = std::sqrt(2.0 * energy / system.accounting().total_mass());
    const double whip = ratio * system.state().extent / speed;
    return fmt::format(
        "it has {:.2g} of the mass of the heaviest part, which "
        "throws it about in some {:.1g} s (the model's size over its speed, times that "
        "ratio); fixed steps help only if they are far shorter than this. Take an integrator that "
        "chooses its steps by error control (error_control = true with order = 4, where its type "
        "has these keys), or leave the part out if its mass means nothing",
        ratio,
        whip);
}

/// What turns further within a step than that resolves, or nothing.
std::string doubt_of_turns(const Model& model, const KernelSystem& system) {
    const ConstraintTurn::Unresolved& turn = system.constraint_turn().unresolved();
    if (turn.h == 0.0) return {};
    const BodyPart* const most = body_of(model, turn.thrown);
    const std::string on_light = advice_on_light(model, system, most);
    return fmt::format(
        "constraints turn the motion by up to {:.2g} rad within a step, first within that of "
        "{:.3g} s which ends at t = {:.6g} s{}, and a step resolves {:.2g}: {}",
        turn.largest,
        turn.h,
        turn.t,
        most_of(most),
        ConstraintTurn::kResolved,
        !on_light.empty() ? on_light
                          : "take shorter steps, or an integrator that chooses them by error "
                            "control");
}

/// Where velocities jump, of which body most, and what helps; or nothing.
std::string doubt_of_jumps(const Model& model, const KernelSystem& system) {
    const std::vector<SingularPositions::Passed>& passed = system.singular_positions().all();
    const auto jumps = std::ranges::find(passed, false, &SingularPositions::Passed::continues);
    if (jumps == passed.end()) return {};
    const BodyPart* const most = body_of(model, system.singular_positions().jumped());
    const std::string on_light = advice_on_light(model, system, most);
    return fmt::format(
        "velocities jump at t = {:.6g} s{}: {}",
        jumps->t,
        most_of(most),
        !on_light.empty()
            ? on_light
            : "the steps do not resolve the motion there, or constraints depend on each other, "
              "other motions begin, and no step was found that continues the motion; compare "
              "with shorter steps");
}

/// A step whose energy balance jumps by more than its order leaves, or nothing.
std::string doubt_of_steps(const KernelSystem& system) {
    const ContinuousMotion::EnergyJumps& jumps = system.motion().energy_jumps();
    const double scale = system.ledger().energy_scale();
    const bool is_large = jumps.largest > kLargeJump * scale;
    const double jump = is_large ? jumps.largest : jumps.sudden;
    if (!is_large && !(jump > kSuddenJump * scale)) return {};
    // At rest both are rounding
    if (jump <= kRoundings * system.accounting().energy_rounding(ContinuousMotion::kProjected *
                                                                 system.state().extent))
        return {};
    return fmt::format(
        "the energy balance jumps by {:.3g} J, of {:.3g} J in play, within the step that ends at "
        "t = {:.6g} s{}: the steps do not resolve the motion there, or constraints depend on each "
        "other and it went on by another one; compare with shorter steps or another integrator",
        jump,
        scale,
        is_large ? jumps.largest_at : jumps.sudden_at,
        is_large ? "" : ", far more than in the steps before");
}

}  // namespace

std::vector<std::string> doubts_of(const Model& model, const KernelSystem& system) {
    std::vector<std::string> out;
    if (const std::string text = doubt_of_balances(model, system); !text.empty())
        out.push_back(text);
    if (const std::string text = system.grown_energy(false); !text.empty()) out.push_back(text);
    if (const std::string text = doubt_of_turns(model, system); !text.empty()) out.push_back(text);
    if (const std::string text = doubt_of_jumps(model, system); !text.empty()) out.push_back(text);
    if (const ContinuousMotion::ProjectionEnergyJump& at = system.motion().projection_energy_jump();
        at.work != 0.0)
        out.push_back(fmt::format(
            "to meet the constraints at t = {:.6g} s the energy was changed by {:.3g} J, of "
            "{:.3g} "
            "J in play, within one step: the steps do not resolve the motion there, or "
            "constraints depend on each other and it went on by another one; compare with "
            "shorter steps or another integrator",
            at.t,
            at.work,
            at.scale));
    if (const std::string text = doubt_of_steps(system); !text.empty()) out.push_back(text);
    const JointValues::TooFast& joint = system.joints().too_fast();
    if (const BodyPart* const body = system.joints().body_too_fast())
        out.push_back(fmt::format(
            "{} turns at {:.3g} rad a step at t = {:.6g} s, of which a step of second "
            "order makes {:.3g} rad, {:.2g} % less: the steps do not resolve the motion; take "
            "shorter ones",
            body->object.label,
            joint.turned,
            joint.t,
            2.0 * std::atan(0.5 * joint.turned),
            100.0 * (1.0 - 2.0 * std::atan(0.5 * joint.turned) / joint.turned)));
    else if (joint.entry >= 0)
        out.push_back(
            fmt::format("{} turns at a rate of {:.2g} rad a step at t = {:.6g} s: turns are "
                        "counted only below half of one a step, and the steps do not resolve "
                        "the motion; take shorter ones",
                        system.joints().entries()[joint.entry].name,
                        joint.turned,
                        joint.t));
    if (const std::string text = doubt_of_order(system); !text.empty()) out.push_back(text);
    if (const KernelSystem::Limited& step = system.limited(); step.h > 0.0)
        for (const Model::ObjectBreakPoints& of : model.break_points)
            if (of.points->is_sampled()) {
                out.push_back(fmt::format(
                    "the step of {:.3g} s that ends at t = {:.6g} s was as long as it may be where "
                    "nothing is said: what a formula of time, first that of {}, does within less "
                    "may have been stepped over; set max_step to what it is to see",
                    step.h,
                    step.t,
                    of.object.label));
                break;
            }
    if (const JumpSearch::Unresolved& ramp = system.jumps().unresolved(); ramp.row >= 0)
        out.push_back(fmt::format(
            "what {} prescribes goes {:.3g} within less than the step of {:.3g} s that ends "
            "at t = {:.6g} s: the steps do not resolve it, and velocities and forces there "
            "follow the length of the step; take shorter steps, or let it take several",
            system.parts().rows.row_name(ramp.row),
            ramp.size,
            ramp.h,
            ramp.t));
    return out;
}

void warn_at_end(const Model& model, const KernelSystem& system, const WarningSink& warn) {
    if (!warn) return;
    const std::vector<SingularPositions::Passed>& passed = system.singular_positions().all();
    const auto smooth = std::ranges::count_if(passed, &SingularPositions::Passed::continues);
    if (smooth > 0)
        warn(fmt::format(
            "the run passed {} in which constraints depend on each other and other "
            "motions begin, first at t = {:.6g} s; it followed the one that "
            "continues the motion",
            smooth == 1 ? "a singular position" : fmt::format("{} singular positions", smooth),
            std::ranges::find_if(passed, &SingularPositions::Passed::continues)->t));
    for (const std::string& doubt : doubts_of(model, system)) warn(doubt);
}

}  // namespace ancora
