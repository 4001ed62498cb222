// SPDX-License-Identifier: BSD-3-Clause
// Checks of integrators: order on exact solutions, what is kept, the heap.
#include <algorithm>
#include <cmath>
#include <functional>

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <fmt/format.h>

#include "allocation_probe.hpp"
#include "convergence.hpp"
#include "integrator_runs.hpp"
#include "random.hpp"
#include "reference_systems.hpp"
#include "system_run.hpp"

namespace ancora::verify {
namespace {

// --- systems with exact solutions

/// A system of the kit, and where its point is.
struct Problem {
    ReferenceSystem system;
    std::function<Vec3(double t)> exact;
};

/// A bead on a hoop, released from rest at an angle theta_0 from the lowest point:
///
///   sin(theta / 2) = k cd(w t, k),   k = sin(theta_0 / 2),   w^2 = g / l
Problem pendulum() {
    const ReferenceSystem system = reference_system("pendulum");
    const double g = system.number("g"), l = system.number("l"), angle = system.number("angle");
    const double k = std::sin(0.5 * angle), w = std::sqrt(g / l);
    return {system, [=](double t) {
                double cn = 0.0, dn = 0.0;
                boost::math::jacobi_elliptic(k, w * t, &cn, &dn);
                const double half = std::asin(k * cn / dn);
                return Vec3(l * std::sin(2.0 * half), 0.0, -l * std::cos(2.0 * half));
            }};
}

/// A free symmetric top. With body axes at the start along the inertial ones,
///
///   R = exp(t L / J_1) exp(t w_3 (J_1 - J_3) / J_1 e_3),   L = J w
Problem top() {
    const ReferenceSystem system = reference_system("top");
    const double J1 = system.number("J1"), J3 = system.number("J3");
    const Vec3 J(J1, J1, J3), w(system.number("w1"), system.number("w2"), system.number("w3"));
    const Vec3 L = J.cwiseProduct(w);
    const Vec3 xi(system.number("x"), system.number("y"), system.number("z"));
    return {system, [=](double t) {
                const Eigen::AngleAxisd precession(t * L.norm() / J(0), L.normalized());
                const Eigen::AngleAxisd spin(t * w(2) * (J(0) - J(2)) / J(0), Vec3::UnitZ());
                return Vec3(precession * (spin * xi));
            }};
}

/// Two masses on an elastic link that turns steadily, without any constraint:
///
///   m w^2 l / 2 = E A eps l / L,   eps = (l^2 - L^2) / (2 L^2)
Problem orbit() {
    const ReferenceSystem system = reference_system("orbit");
    const double EA = system.number("EA"), L = system.number("L"), m = system.number("m"),
                 w = system.number("w");
    const double l = L * std::sqrt(1.0 + m * w * w * L / EA);
    return {system, [=](double t) {
                return Vec3(0.5 * l * std::cos(w * t), 0.5 * l * std::sin(w * t), 0.0);
            }};
}

/// A free mass under a load that swings, the one problem with explicit time:
///
///   m x'' = F sin(w t),  m y'' = G cos(w t)
Problem driven() {
    const ReferenceSystem system = reference_system("driven");
    const double m = system.number("m"), w = system.number("w"), F = system.number("F"),
                 G = system.number("G");
    const Vec3 x0(system.number("x"), system.number("y"), system.number("z"));
    const Vec3 v0(system.number("vx"), system.number("vy"), system.number("vz"));
    return {system, [=](double t) {
                return Vec3(x0 + t * v0 +
                            Vec3(F / (m * w) * (t - std::sin(w * t) / w),
                                 G / (m * w * w) * (1.0 - std::cos(w * t)),
                                 0.0));
            }};
}

/// What to say where no system could be built.
std::string needed_types(const std::vector<ReferenceSystem>& systems) {
    std::string names;
    for (const ReferenceSystem& system : systems)
        names += (names.empty() ? "" : " or ") + system.types();
    return fmt::format("needs the types {}, which no plugin on the search path offers", names);
}

// --- order

Outcome solve(Subject& subject,
              const std::string& own,
              const Problem& problem,
              double step,
              double tolerance) {
    Simulation simulation(integrator_manifest(subject, own, problem.system, {step, tolerance}),
                          subject.registry);
    double squares = 0.0, last = 0.0;
    int rows = 0;
    while (!simulation.done()) {
        simulation.step();
        const auto at = simulation.point(problem.system.point).position;
        last = (Vec3(at[0], at[1], at[2]) - problem.exact(simulation.time())).norm();
        squares += last * last;
        ++rows;
    }
    return {std::sqrt(squares / rows), static_cast<double>(simulation.statistics().substeps), last};
}

using Refine = std::function<void(std::vector<Outcome>&)>;

void require_order(Subject& subject,
                   const Problem& problem,
                   std::vector<Outcome> runs,
                   bool is_adaptive,
                   const Refine& refine) {
    const bool may_refine = static_cast<bool>(refine);
    const std::string& name = problem.system.name;
    for (const Outcome& run : runs)
        if (!std::isfinite(run.error))
            throw Failure(fmt::format("the {} goes to {} in {} steps", name, run.error, run.steps));
    if (!(runs[1].last < 0.5))
        throw Failure(
            fmt::format("the {} ends {:.3g} m from the exact solution", name, runs[1].last));
    const Outcome &coarsest = runs.front(), &finest = runs.back();
    if (finest.error < kRoundingError && coarsest.error < kRoundingError) return;
    if (is_adaptive && finest.steps == coarsest.steps && finest.error > kRoundingError)
        throw Failure(
            fmt::format("the number of steps does not change with the tolerance: the {} takes {} "
                        "at {:g} and at {:g}, with an error of {:.3g} m",
                        name,
                        finest.steps,
                        kTolerances[0],
                        kTolerances[std::size(kTolerances) - 1],
                        finest.error));
    const std::vector<Outcome> told = telling(runs);
    // of one that is exact but for rounding there is nothing to say
    if (told.size() < 2) return;
    const double order = order_of(told);
    if (std::isnan(order)) return;
    if (may_refine && !(order >= subject.type.order - kOrderSlack)) {
        // an order is of small steps: where terms of the error cancel at large ones, it comes late
        refine(runs);
        require_order(subject, problem, std::move(runs), is_adaptive, nullptr);
        return;
    }
    if (!(order >= subject.type.order - kOrderSlack))
        throw Failure(
            fmt::format("the {} shows the order {:.2f} (errors along the way {}), {} is claimed",
                        name,
                        order,
                        text_of(told),
                        subject.type.order));
}

void check_order(Subject& subject) {
    if (subject.type.order == 0) throw Skipped("no order is claimed");
    std::string remark;
    for_each_example(subject, [&](const Example& example) {
        const bool is_adaptive = example.make().integrator->traits().is_adaptive;
        int solved = 0;
        for (const Problem& problem : {pendulum(), top(), orbit(), driven()}) {
            if (!problem.system.is_there(subject.registry)) continue;
            std::vector<Outcome> runs;
            try {
                if (is_adaptive)
                    for (const double tolerance : kTolerances)
                        runs.push_back(
                            solve(subject, example.text(), problem, kAdaptiveStep, tolerance));
                else
                    for (const double step : kSteps)
                        runs.push_back(solve(subject, example.text(), problem, step, 0.0));
            } catch (const Error& error) {
                // not every method serves every system
                if (error.kind() == ErrorKind::plugin) throw;
                remark = error.message();
                continue;
            }
            ++solved;
            require_order(subject, problem, runs, is_adaptive, [&](std::vector<Outcome>& finer) {
                for (int k = 0; k < kRefinements; ++k) {
                    const double factor = std::pow(is_adaptive ? 0.1 : 0.5, k + 1);
                    const double step = is_adaptive ? kAdaptiveStep : factor * kSteps[4];
                    const double tolerance = is_adaptive ? factor * kTolerances[4] : 0.0;
                    finer.push_back(solve(subject, example.text(), problem, step, tolerance));
                }
            });
        }
        if (solved == 0)
            throw Skipped(
                remark.empty()
                    ? needed_types(
                          {pendulum().system, top().system, orbit().system, driven().system})
                    : "no problem with an exact solution can be run: " + remark);
    });
}

// --- energy accounting

/// A mass that swings or is braked, and what the ledger must say of it.
struct RecordedProblem {
    ReferenceSystem system;
    double duration;
    const char* column;
    double work;
};

std::vector<RecordedProblem> recorded_problems() {
    constexpr double t = 0.2;
    std::vector<RecordedProblem> problems;
    {
        // the load's work is the kinetic energy that the exact motion gains
        const ReferenceSystem system = reference_system("driven");
        const double m = system.number("m"), w = system.number("w"), F = system.number("F"),
                     G = system.number("G");
        const Vec3 v0(system.number("vx"), system.number("vy"), system.number("vz"));
        const Vec3 v =
            v0 + Vec3(F / (m * w) * (1.0 - std::cos(w * t)), G / (m * w) * std::sin(w * t), 0.0);
        problems.push_back(
            {system, t, "work.external", 0.5 * m * (v.squaredNorm() - v0.squaredNorm())});
    }
    {
        // v = v_0 exp(-c t / m)
        const ReferenceSystem system = reference_system("braked");
        const double m = system.number("m"), c = system.number("c");
        const Vec3 v0(system.number("vx"), system.number("vy"), system.number("vz"));
        problems.push_back({system,
                            t,
                            "work.nonideal",
                            0.5 * m * v0.squaredNorm() * std::expm1(-2.0 * c * t / m)});
    }
    return problems;
}

void check_works(Subject& subject) {
    std::string remark;
    for_each_example(subject, [&](const Example& example) {
        int num_recorded = 0;
        for (const RecordedProblem& each : recorded_problems()) {
            if (!each.system.is_there(subject.registry)) continue;
            const std::string text = fmt::format(
                "{}[integrator]\ntype = \"{}\"\nstep = 1e-3\nend = {}\n"
                "[integrator.{}]\n{}\n",
                each.system.model,
                subject.type.name,
                each.duration,
                subject.type.name,
                example.text());
            double work = 0.0;
            RunStatistics statistics;
            try {
                Simulation simulation(Manifest::parse(text, each.system.name), subject.registry);
                while (!simulation.done()) simulation.step();
                work = SystemRow(simulation).value(simulation, each.column);
                statistics = simulation.statistics();
            } catch (const Error& error) {
                // not every method serves every system
                if (error.kind() == ErrorKind::plugin) throw;
                remark = error.message();
                continue;
            }
            ++num_recorded;
            // far above the error of a method of the first order, far below a work left out
            if (!(std::abs(work - each.work) <= 0.02 * std::abs(each.work)))
                throw Failure(fmt::format(
                    "the {} ends with {} = {:.6g} J, exactly it is {:.6g} J: the entries of x "
                    "behind q and v are states like them",
                    each.system.name,
                    each.column,
                    work,
                    each.work));
            const auto require = [&](const BalanceMaximum& balance, const char* what) {
                if (!(balance.max_rel <= 0.02))
                    throw Failure(
                        fmt::format("the {} leaves {:.3g} of its {} over that no impulse explains",
                                    each.system.name,
                                    balance.max_rel,
                                    what));
            };
            require(statistics.energy, "energy");
            require(statistics.momentum, "momentum");
            require(statistics.angular_momentum, "angular momentum");
        }
        if (num_recorded == 0)
            throw Skipped(remark.empty() ? needed_types({reference_system("driven"),
                                                         reference_system("braked")})
                                         : "no such problem can be run: " + remark);
    });
}

// --- what is kept

void check_conservation(Subject& subject) {
    const Claims& claims = subject.type.claims;
    const bool energy = claims.has(Claim::keeps_energy),
               momentum = claims.has(Claim::keeps_momentum),
               angular = claims.has(Claim::keeps_angular_momentum);
    if (!energy && !momentum && !angular) throw Skipped("nothing is claimed");
    for_each_example(subject, [&](const Example& example) {
        RunSettings settings;
        settings.integrator = subject.type.name;
        settings.step = 5e-3;
        settings.end = 1.0;
        Simulation simulation = example.simulate(settings);
        const SystemRow columns(simulation);
        const auto vector = [&](const std::string& name) {
            return Vec3(columns.value(simulation, name + ".x"),
                        columns.value(simulation, name + ".y"),
                        columns.value(simulation, name + ".z"));
        };
        const double E = columns.value(simulation, "energy.total");
        const Vec3 P = vector("momentum"), L = vector("angular_momentum");
        const double mass = simulation.analyse().mass;
        const double P_scale = std::sqrt(2.0 * mass * E);
        double dE = 0.0, dP = 0.0, dL = 0.0;
        while (!simulation.done()) {
            simulation.step();
            dE = std::max(dE, std::abs(columns.value(simulation, "energy.total") - E));
            dP = std::max(dP, (vector("momentum") - P).norm());
            dL = std::max(dL, (vector("angular_momentum") - L).norm());
        }
        const auto require = [](bool is_claimed, double change, double scale, const char* what) {
            if (is_claimed && !(change <= 1e-11 * scale))
                throw Failure(
                    fmt::format("{} is claimed to be kept and changes by {:.3g} of its "
                                "scale",
                                what,
                                change / scale));
        };
        require(energy, dE, E, "energy");
        require(momentum, dP, P_scale, "momentum");
        require(angular, dL, P_scale * 2.0, "angular momentum");
    });
}

// --- the heap

void check_step_allocation(Subject& subject) {
    if (!AllocationProbe::is_there())
        throw Skipped("allocations cannot be counted in this program");
    for_each_example(subject, [&](const Example& example) {
        RunSettings settings;
        settings.integrator = subject.type.name;
        settings.end = 0.03;
        Simulation simulation = example.simulate(settings);
        for (int k = 0; k < 3 && !simulation.done(); ++k) simulation.step();
        while (!simulation.done()) {
            AllocationProbe probe;
            simulation.step();
            // what the kernel's own factorisation allocates is not the integrator's
            const long count = probe.count_from(subject.plugin.file.string());
            if (count > 0)
                throw Failure(fmt::format(
                    "step() allocates ({} time{} in step {}); size buffers in prepare()",
                    count,
                    count == 1 ? "" : "s",
                    simulation.steps_done()));
        }
    });
}

constexpr Check kIntegratorChecks[] = {
    {"order",
     kIntegrators,
     "observed order on a pendulum, a free top, a turning link and a mass driven over time: error "
     "along the way, at four step sizes or tolerances above rounding",
     check_order},
    {"works",
     kIntegrators,
     "works and impulses of a driven and of a braked mass against exact ones",
     check_works},
    {"conservation",
     kIntegrators,
     "energy, momentum and angular momentum of two jointed bodies are kept as claimed",
     check_conservation},
    {"step_allocation",
     kIntegrators,
     "step() allocates nothing of its own after the first steps",
     check_step_allocation},
};

}  // namespace

std::span<const Check> integrator_checks() {
    return kIntegratorChecks;
}

}  // namespace ancora::verify
