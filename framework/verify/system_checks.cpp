// SPDX-License-Identifier: BSD-3-Clause
// Checks in a small system: the ledger, several kernels in one process, libraries loaded twice.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "call_in_progress.hpp"
#include "differences.hpp"
#include "reference_systems.hpp"
#include "system_run.hpp"

namespace ancora::verify {
namespace {

namespace fs = std::filesystem;

constexpr int kSystemSteps = 40;

RunSettings settings_of(const std::string& integrator) {
    RunSettings settings;
    settings.integrator = integrator;
    settings.step = reference_step(integrator);
    settings.end = kSystemSteps * settings.step;
    settings.gravity = true;
    return settings;
}

/// Runs `check(example, integrator)` for each example and each integrator that can serve it.
template <class Function>
void for_each_run(Subject& subject, Function&& check) {
    for_each_example(subject, [&](const Example& example) {
        for (const std::string& integrator : example.integrators()) {
            const CallInProgress call("a run under " + integrator);
            try {
                check(example, integrator);
            } catch (const NotMade&) {
                throw;
            } catch (const Failure& failure) {
                throw Failure(fmt::format("under {}, {}", integrator, failure.what()));
            } catch (const Error& error) {
                throw Failure(fmt::format("under {}, {}", integrator, error.message()));
            }
        }
    });
}

/// Whether rows and forces are asked for their steps under this integrator.
bool is_discrete(const std::string& integrator) {
    return std::ranges::any_of(reference_integrators(), [&](const ReferenceIntegrator& one) {
        return one.type == integrator && one.is_discrete;
    });
}

/// Bound of round-off, or of the method's error, in the balance of energy, relative.
double balance_limit(const Subject& subject, const std::string& integrator) {
    const PluginType type = subject.registry.find_type(TypeKind::integrator, integrator);
    return type.type->claims.has(Claim::keeps_energy) ? 1e-11 : 1e-6;
}

/// Whether a step of rows that the SDK derives keeps momenta: for general pi it keeps energy only
/// (its correction along du is no invariant), and a type whose steps do better claims it.
bool has_general_step(const Example& example, const Object& object) {
    if (!object.constraint || example.type().claims.has(Claim::rigid_motion_invariant))
        return false;
    return std::ranges::any_of(object.constraint->row_blocks(), [](const RowBlock& block) {
        return block.degree == Degree::general;
    });
}

/// Whether it has conditions on velocities or accelerations, whose step is that of the middle.
bool has_rate_rows(const Example& example) {
    const Object object = example.make();
    return std::ranges::any_of(object.constraint->row_blocks(), [](const RowBlock& block) {
        return std::ranges::any_of(block.laws, [](const RowLaw& law) {
            return law.kind == RowKind::velocity_constraint ||
                   law.kind == RowKind::acceleration_constraint;
        });
    });
}

/// Whether the ledger can balance the object's momenta: not of coordinates without a place in
/// space, and for an integrator only those that it claims to conserve.
bool keeps_momenta(const Example& example, const std::string& integrator) {
    const BoundArguments arguments = example.bind();
    const Object object = example.make(arguments);
    // a body of fewer coordinates may be guided by something that it does not show
    if (object.body) return example.type().claims.has(Claim::rigid_motion_invariant);
    if (object.integrator) return false;
    if (object.force && facets_of(*object.force).contact != nullptr) return true;
    if (is_discrete(integrator) && has_general_step(example, object)) return false;
    return !Stage(example.type(), arguments, object).has_lone_scalars();
}

void check_ledger(Subject& subject) {
    for_each_run(subject, [&](const Example& example, const std::string& integrator) {
        Simulation simulation = example.simulate(settings_of(integrator));
        while (!simulation.done()) simulation.step();
        double left = simulation.statistics().energy.max_rel;
        // an integrator is held to its own claims
        const bool is_claimed = subject.type.kind != TypeKind::integrator ||
                                subject.type.claims.has(Claim::keeps_energy);
        const double limit = subject.type.kind == TypeKind::integrator
                                 ? is_claimed ? 1e-11 : 1e-2
                                 : balance_limit(subject, integrator);
        if (!(left <= limit) && !is_claimed) {
            // the error of a low-order method falls with the step, an error of the ledger does not
            RunSettings finer = settings_of(integrator);
            finer.step *= 0.25;
            Simulation again = example.simulate(finer);
            while (!again.done()) again.step();
            if (again.statistics().energy.max_rel <= 0.4 * left) left = 0.0;
        }
        if (!(left <= limit))
            throw Failure(
                fmt::format("energy less works is not kept: {:.3g} of it is left over "
                            "after {} steps",
                            left,
                            kSystemSteps));
        if (!keeps_momenta(example, integrator)) return;
        const RunStatistics& statistics = simulation.statistics();
        // rows have nothing that could take it but what they name; a force may mean the ground
        const char* const advice =
            subject.type.kind == TypeKind::constraint && is_discrete(integrator) &&
                    !has_rate_rows(example)
                ? "; rows that claim rigid_motion_invariant and are neither linear nor quadratic "
                  "need an evaluate_step of their own, corrected in what does not turn with space"
                : "; what acts against the ground, a medium or a field says so by "
                  "tied_to_inertial_frame in facets()";
        const auto require = [&](const BalanceMaximum& balance, const char* what) {
            if (!(balance.max_rel <= balance_limit(subject, integrator)))
                throw Failure(
                    fmt::format("{} less impulses is not kept: {:.3g} of it is left over after {} "
                                "steps{}",
                                what,
                                balance.max_rel,
                                kSystemSteps,
                                advice));
        };
        require(statistics.momentum, "momentum");
        require(statistics.angular_momentum, "angular momentum");
    });
}

void check_workless(Subject& subject) {
    for_each_run(subject, [&](const Example& example, const std::string& integrator) {
        const Object object = example.make();
        for (const RowBlock& block : object.constraint->row_blocks()) {
            if (block.depends_on_time) throw Skipped("time moves every example");
            for (const RowLaw& law : block.laws)
                if (law.viscosity != 0.0 || law.kind == RowKind::dashpot)
                    throw Skipped("every example dissipates");
        }
        Simulation simulation = example.simulate(settings_of(integrator));
        const SystemRow columns(simulation);
        const double before = columns.value(simulation, "energy.total");
        double scale = std::abs(columns.value(simulation, "energy.kinetic"));
        double drift = 0.0;
        double work = 0.0;
        while (!simulation.done()) {
            simulation.step();
            scale = std::max(scale, std::abs(columns.value(simulation, "energy.kinetic")));
            drift = std::max(drift, std::abs(columns.value(simulation, "energy.total") - before));
            work = std::max({work,
                             std::abs(columns.value(simulation, "work.external")),
                             std::abs(columns.value(simulation, "work.nonideal"))});
        }
        const double limit = 10.0 * balance_limit(subject, integrator) * scale;
        if (!(drift <= limit) || !(work <= limit))
            throw Failure(fmt::format(
                "ideal reactions do work: the energy changes by {:.3g} J of {:.3g}, and {:.3g} J "
                "are booked as work",
                drift,
                scale,
                work));
    });
}

void require_same(std::span<const double> a,
                  std::span<const double> b,
                  const char* when,
                  const char* what = "coordinate or velocity") {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i]))
            throw Failure(
                fmt::format("{} {} ends at {:.17g}, {} at {:.17g}", what, i, a[i], when, b[i]));
}

std::vector<double> final_state(const Simulation& simulation) {
    std::vector<double> x(simulation.q().begin(), simulation.q().end());
    x.insert(x.end(), simulation.v().begin(), simulation.v().end());
    return x;
}

/// Outputs of the integrator itself.
std::vector<double> shown_by_integrator(const Simulation& simulation) {
    const std::vector<std::string> names = simulation.column_names();
    std::vector<double> row(names.size()), out;
    simulation.sample(row);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i].starts_with("integrator.")) out.push_back(row[i]);
    return out;
}

void check_two_kernels(Subject& subject) {
    for_each_run(subject, [&](const Example& example, const std::string& integrator) {
        const RunSettings settings = settings_of(integrator);
        Simulation alone = example.simulate(settings);
        while (!alone.done()) alone.step();
        const std::vector<double> expected = final_state(alone);

        // two at once, one of them ahead
        Simulation first = example.simulate(settings);
        Simulation second = example.simulate(settings);
        for (int k = 0; k < 5 && !second.done(); ++k) second.step();
        while (!first.done()) {
            first.step();
            if (!second.done()) second.step();
        }
        require_same(expected, final_state(first), "beside a second simulation");
        require_same(expected, final_state(second), "beside a first simulation");

        // two threads
        std::vector<double> found[2];
        std::string problem[2];
        const auto run = [&](std::size_t k, Simulation& simulation) {
            try {
                while (!simulation.done()) simulation.step();
                found[k] = final_state(simulation);
            } catch (const std::exception& error) {
                problem[k] = error.what();
            }
        };
        Simulation third = example.simulate(settings);
        Simulation fourth = example.simulate(settings);
        std::thread other(run, 1, std::ref(fourth));
        run(0, third);
        other.join();
        for (std::size_t k = 0; k < 2; ++k) {
            if (!problem[k].empty()) throw Failure("beside a second thread, " + problem[k]);
            require_same(expected, found[k], "beside a simulation in a second thread");
        }
    });
}

void check_restart(Subject& subject) {
    for_each_run(subject, [&](const Example& example, const std::string& integrator) {
        const RunSettings settings = settings_of(integrator);
        Simulation whole = example.simulate(settings);
        for (int k = 0; k < kSystemSteps / 2 && !whole.done(); ++k) whole.step();
        const std::vector<std::byte> saved = whole.save();
        const std::vector<double> shown = shown_by_integrator(whole);
        while (!whole.done()) whole.step();
        const std::vector<double> expected = final_state(whole);

        // by objects that have not seen the first half, and by those that have seen the second
        Simulation fresh = example.simulate(settings);
        fresh.restore(saved);
        require_same(shown, shown_by_integrator(fresh), "restored half-way", "an output");
        while (!fresh.done()) fresh.step();
        require_same(expected, final_state(fresh), "restored half-way in another simulation");
        whole.restore(saved);
        while (!whole.done()) whole.step();
        require_same(expected, final_state(whole), "taken back to half-way");
    });
}

/// A folder with a copy of the plugin, which goes away with the object.
class CopiedPlugin {
public:
    explicit CopiedPlugin(const Plugin& plugin) {
        std::string name = (fs::temp_directory_path() / "ancora-verify-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw Skipped("no folder for a copy of the file");
        folder_ = name;
        file_ = folder_ / plugin.file.filename();
        fs::copy_file(plugin.file, file_);
    }
    ~CopiedPlugin() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    CopiedPlugin(const CopiedPlugin&) = delete;

    const fs::path& file() const { return file_; }

private:
    fs::path folder_;
    fs::path file_;
};

void check_reload(Subject& subject) {
    const CopiedPlugin copy(subject.plugin);
    for_each_run(subject, [&](const Example& example, const std::string& integrator) {
        // who asks is of no matter to the library
        if (integrator != example.integrators().front()) return;
        const RunSettings settings = settings_of(integrator);
        Simulation simulation = example.simulate(settings);
        while (!simulation.done()) simulation.step();
        const std::vector<double> expected = final_state(simulation);

        // one that is half-way while a second kernel with a second library comes and goes
        Simulation survivor = example.simulate(settings);
        for (int k = 0; k < kSystemSteps / 2 && !survivor.done(); ++k) survivor.step();
        {
            PluginRegistry registry;
            for (const fs::path& folder : subject.registry.folders()) registry.add_folder(folder);
            const Plugin& second = registry.load_file(copy.file());
            const TypeDescriptor* type = nullptr;
            for (const TypeDescriptor& each :
                 std::span(second.descriptor->types, second.descriptor->num_types))
                if (each.kind == subject.type.kind &&
                    std::string_view(each.name) == subject.type.name)
                    type = &each;
            if (type == nullptr) throw Failure("the library loaded twice lacks the type");
            Subject other{registry, second, *type, subject.seed, {}, {}};
            const Example same(other, example.text());
            Simulation beside = same.simulate(settings);
            while (!beside.done()) beside.step();
            require_same(expected, final_state(beside), "made by the library loaded twice");
        }
        while (!survivor.done()) survivor.step();
        require_same(expected, final_state(survivor), "after a second kernel came and went");
    });
}

constexpr Check kSystemChecks[] = {
    {"workless",
     kConstraints,
     "ideal reactions do no work in a small system, in both faces",
     check_workless},
    {"ledger",
     kEvery,
     "energy less works, and momenta less impulses, are kept in a small system",
     check_ledger},
    {"two_kernels",
     kEvery,
     "two simulations, by turns and in two threads, give the bytes of one alone",
     check_two_kernels},
    {"restart", kEvery, "a state saved half-way and restored gives the same bytes", check_restart},
    {"reload",
     kEvery,
     "the library may be loaded twice, and objects outlive a second kernel",
     check_reload},
};

}  // namespace

std::span<const Check> system_checks() {
    return kSystemChecks;
}

}  // namespace ancora::verify
