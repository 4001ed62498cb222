// SPDX-License-Identifier: BSD-3-Clause
// Checks of integrators: order on exact solutions, what is kept, the heap.
#include <cmath>
#include <functional>

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <fmt/format.h>

#include "allocation_probe.hpp"
#include "random.hpp"
#include "system_run.hpp"

namespace ancora::verify {
namespace {

// --- problems with exact solutions

/// A model without its [integrator], a point of it, and where that point is.
struct Problem {
    const char* name;
    std::vector<std::pair<TypeKind, std::string>> types;  ///< that the model is made of
    std::string model;
    std::string point;
    double end;
    std::function<Vec3(double t)> exact;
};

/// A bead on a hoop, released from rest at 2 rad from the lowest point:
///
///   sin(theta / 2) = k cd(w t, k),   k = sin(theta_0 / 2),   w^2 = g / l
Problem pendulum() {
    const double g = 9.81, l = 0.8, angle = 2.0;
    const double k = std::sin(0.5 * angle), w = std::sqrt(g / l);
    return {"pendulum",
            {{TypeKind::body, "particle"}, {TypeKind::constraint, "point_on_circle"}},
            fmt::format("[model]\ngravity = [0.0, 0.0, -9.81]\n"
                        "[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = 1.3\n"
                        "position = [{:.17g}, 0.0, {:.17g}]\n"
                        "[[constraint]]\nname = \"hoop\"\ntype = \"point_on_circle\"\n"
                        "point = \"bead@[0, 0, 0]\"\nnormal = [0.0, 1.0, 0.0]\nradius = {}\n",
                        l * std::sin(angle),
                        -l * std::cos(angle),
                        l),
            "bead@[0, 0, 0]",
            0.8,
            [=](double t) {
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
    const Vec3 J(0.4, 0.4, 0.7), w(0.5, -0.3, 2.0);
    const Vec3 L = J.cwiseProduct(w), xi(0.3, 0.5, -0.2);
    return {"free top",
            {{TypeKind::body, "ancf_rigid_body"}},
            "[model]\n[[body]]\nname = \"top\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\n"
            "inertia = [0.4, 0.4, 0.7]\nangular_velocity = [0.5, -0.3, 2.0]\n",
            "top@[0.3, 0.5, -0.2]",
            1.0,
            [=](double t) {
                const Eigen::AngleAxisd precession(t * L.norm() / J(0), L.normalized());
                const Eigen::AngleAxisd spin(t * w(2) * (J(0) - J(2)) / J(0), Vec3::UnitZ());
                return Vec3(precession * (spin * xi));
            }};
}

/// Two masses on an elastic link that turns steadily, without any constraint:
///
///   m w^2 l / 2 = E A eps l / L,   eps = (l^2 - L^2) / (2 L^2)
Problem orbit() {
    const double E_A = 20.0, L = 1.0, m = 1.5, w = 1.7;
    const double l = L * std::sqrt(1.0 + m * w * w * L / E_A);
    return {"turning link",
            {{TypeKind::body, "truss"}},
            fmt::format("[model]\n[[body]]\nname = \"link\"\ntype = \"truss\"\n"
                        "from = [{0:.17g}, 0.0, 0.0]\nto = [{1:.17g}, 0.0, 0.0]\n"
                        "young = {2}\narea = 1.0\ndensity = 0.0\nrest_length = {3}\n"
                        "node_masses = [[0, {4}], [1, {4}]]\n"
                        "spin = {{ axis = [0.0, 0.0, 1.0], rate = {5} }}\n",
                        0.5 * l,
                        -0.5 * l,
                        E_A,
                        L,
                        m,
                        w),
            "link@0",
            1.0,
            [=](double t) {
                return Vec3(0.5 * l * std::cos(w * t), 0.5 * l * std::sin(w * t), 0.0);
            }};
}

/// A free mass under a load that swings, the one problem with explicit time:
///
///   m x'' = F sin(w t),  m y'' = G cos(w t)
Problem driven() {
    const double m = 1.3, w = 7.0, F = 4.0, G = -3.0;
    const Vec3 x0(0.1, -0.2, 0.3), v0(0.4, 0.1, -0.2);
    return {"driven mass",
            {{TypeKind::body, "particle"}, {TypeKind::force, "point_load"}},
            fmt::format("[model]\n[[body]]\nname = \"mass\"\ntype = \"particle\"\nmass = {}\n"
                        "position = [0.1, -0.2, 0.3]\nvelocity = [0.4, 0.1, -0.2]\n"
                        "[[force]]\nname = \"load\"\ntype = \"point_load\"\n"
                        "at = \"mass@[0, 0, 0]\"\n"
                        "force = [\"{}*sin({}*t)\", \"{}*cos({}*t)\", \"0\"]\n",
                        m,
                        F,
                        w,
                        G,
                        w),
            "mass@[0, 0, 0]",
            1.0,
            [=](double t) {
                return Vec3(x0 + t * v0 +
                            Vec3(F / (m * w) * (t - std::sin(w * t) / w),
                                 G / (m * w * w) * (1.0 - std::cos(w * t)),
                                 0.0));
            }};
}

// --- order

struct Outcome {
    double error = 0.0;
    double steps = 0.0;
};

Outcome solve(Subject& subject,
              const std::string& own,
              const Problem& problem,
              double step,
              double tolerance) {
    const std::string type = subject.type.name;
    const std::string text = fmt::format(
        "{}[integrator]\ntype = \"{}\"\nstep = {}\nend = {}\n{}"
        "[integrator.{}]\n{}\n",
        problem.model,
        type,
        step,
        problem.end,
        tolerance > 0.0 ? fmt::format("tolerance = {}\n", tolerance) : "",
        type,
        own);
    Simulation simulation(Manifest::parse(text, problem.name), subject.registry);
    while (!simulation.done()) simulation.step();
    const auto at = simulation.point(problem.point).position;
    return {(Vec3(at[0], at[1], at[2]) - problem.exact(simulation.time())).norm(),
            static_cast<double>(simulation.statistics().substeps)};
}

bool are_there(Subject& subject, const Problem& problem) {
    for (const auto& [kind, name] : problem.types) {
        try {
            subject.registry.find_type(kind, name);
        } catch (const Error&) {
            return false;
        }
    }
    return true;
}

// Errors below this are rounding, and tell nothing of an order.
constexpr double kRoundingError = 3e-13;
constexpr double kOrderSlack = 0.35;

void check_order(Subject& subject) {
    if (subject.type.order == 0) throw Skipped("no order is claimed");
    std::string remark;
    for_each_example(subject, [&](const Example& example) {
        const bool is_adaptive = example.make().integrator->traits().is_adaptive;
        int solved = 0;
        for (const Problem& problem : {pendulum(), top(), orbit(), driven()}) {
            if (!are_there(subject, problem)) continue;
            Outcome coarse, fine;
            try {
                if (is_adaptive) {
                    coarse = solve(subject, example.text(), problem, 0.02, 1e-6);
                    fine = solve(subject, example.text(), problem, 0.02, 1e-9);
                } else {
                    coarse = solve(subject, example.text(), problem, 0.02, 0.0);
                    fine = solve(subject, example.text(), problem, 0.01, 0.0);
                }
            } catch (const Error& error) {
                // not every method serves every system
                if (error.kind() == ErrorKind::plugin) throw;
                remark = error.message();
                continue;
            }
            ++solved;
            if (!(coarse.error < 0.5))
                throw Failure(fmt::format(
                    "the {} ends {:.3g} m from the exact solution", problem.name, coarse.error));
            if (fine.error < kRoundingError) continue;
            if (is_adaptive && fine.steps == coarse.steps)
                throw Failure(fmt::format(
                    "the number of steps does not change with the tolerance: the {} takes {} at "
                    "1e-6 and at 1e-9, with an error of {:.3g} m",
                    problem.name,
                    fine.steps,
                    fine.error));
            const double order =
                std::log(coarse.error / fine.error) / std::log(fine.steps / coarse.steps);
            if (!(order >= subject.type.order - kOrderSlack))
                throw Failure(
                    fmt::format("the {} shows the order {:.2f} (errors {:.3g} and {:.3g} "
                                "in {} and {} steps), {} is claimed",
                                problem.name,
                                order,
                                coarse.error,
                                fine.error,
                                coarse.steps,
                                fine.steps,
                                subject.type.order));
        }
        if (solved == 0)
            throw Skipped(
                remark.empty()
                    ? "needs the types particle and point_on_circle or point_load, "
                      "ancf_rigid_body or truss, which no plugin on the search path offers"
                    : "no problem with an exact solution can be run: " + remark);
    });
}

// --- the books

/// A mass that swings and is braked, and what the ledger must say of it.
struct BookedProblem {
    Problem problem;
    double duration;
    const char* column;
    double work;
};

std::vector<BookedProblem> booked_problems() {
    std::vector<BookedProblem> problems;
    // the load's work is the kinetic energy that the exact motion gains
    const double m = 1.3, w = 7.0, F = 4.0, G = -3.0, t = 0.2;
    const Vec3 v0(0.4, 0.1, -0.2);
    const Vec3 v =
        v0 + Vec3(F / (m * w) * (1.0 - std::cos(w * t)), G / (m * w) * std::sin(w * t), 0.0);
    problems.push_back(
        {driven(), t, "work.external", 0.5 * m * (v.squaredNorm() - v0.squaredNorm())});
    // v = v_0 exp(-c t / m)
    const double c = 2.0;
    problems.push_back(
        {{"braked mass",
          {{TypeKind::body, "particle"}, {TypeKind::force, "drag"}},
          fmt::format("[model]\n[[body]]\nname = \"mass\"\ntype = \"particle\"\nmass = {}\n"
                      "velocity = [0.4, 0.1, -0.2]\n"
                      "[[force]]\nname = \"medium\"\ntype = \"drag\"\n"
                      "at = \"mass@[0, 0, 0]\"\nlinear = {}\n",
                      m,
                      c),
          "mass@[0, 0, 0]",
          t,
          {}},
         t,
         "work.nonideal",
         0.5 * m * v0.squaredNorm() * std::expm1(-2.0 * c * t / m)});
    return problems;
}

void check_works(Subject& subject) {
    std::string remark;
    for_each_example(subject, [&](const Example& example) {
        int booked = 0;
        for (const BookedProblem& each : booked_problems()) {
            if (!are_there(subject, each.problem)) continue;
            const std::string text = fmt::format(
                "{}[integrator]\ntype = \"{}\"\nstep = 1e-3\nend = {}\n"
                "[integrator.{}]\n{}\n",
                each.problem.model,
                subject.type.name,
                each.duration,
                subject.type.name,
                example.text());
            double work = 0.0;
            RunStatistics statistics;
            try {
                Simulation simulation(Manifest::parse(text, each.problem.name), subject.registry);
                while (!simulation.done()) simulation.step();
                work = SystemRow(simulation).value(simulation, each.column);
                statistics = simulation.statistics();
            } catch (const Error& error) {
                // not every method serves every system
                if (error.kind() == ErrorKind::plugin) throw;
                remark = error.message();
                continue;
            }
            ++booked;
            // far above the error of a method of the first order, far below a work left out
            if (!(std::abs(work - each.work) <= 0.02 * std::abs(each.work)))
                throw Failure(fmt::format(
                    "the {} ends with {} = {:.6g} J, exactly it is {:.6g} J: the entries of x "
                    "behind q and v are states like them",
                    each.problem.name,
                    each.column,
                    work,
                    each.work));
            const auto require = [&](const BalanceMaximum& balance, const char* what) {
                if (!(balance.max_rel <= 0.02))
                    throw Failure(
                        fmt::format("the {} leaves {:.3g} of its {} over that no impulse explains",
                                    each.problem.name,
                                    balance.max_rel,
                                    what));
            };
            require(statistics.energy, "energy");
            require(statistics.momentum, "momentum");
            require(statistics.angular_momentum, "angular momentum");
        }
        if (booked == 0)
            throw Skipped(remark.empty() ? "needs the types particle and point_load or drag, which "
                                           "no plugin on the search path offers"
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
     "observed order on a pendulum, a free top, a turning link and a mass driven over time",
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
