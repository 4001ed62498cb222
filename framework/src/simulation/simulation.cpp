// SPDX-License-Identifier: BSD-3-Clause
// The public face of a model in motion.
#include "ancora/framework/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "ancora/framework/lock.hpp"
#include "ancora/framework/version.hpp"
#include "expression_scope.hpp"
#include "joint_states.hpp"
#include "kernel_system.hpp"
#include "manifest_plugins.hpp"
#include "mass_properties.hpp"
#include "model.hpp"
#include "model_identity.hpp"
#include "observables.hpp"
#include "pose.hpp"
#include "rank_analysis.hpp"
#include "scene_sampler.hpp"
#include "sha256.hpp"
#include "state_archive.hpp"
#include "traps_off.hpp"

namespace ancora {
namespace {

/// First bytes of a saved state; the last two digits are the format's number.
constexpr std::uint64_t kStateMagic = 0x35304554'41545341;  // "ASTATE05"

// end / step within this of a whole number is that number of steps.
constexpr double kWholeSteps = 1e-9;

// Hexadecimal digits of a hash in words.
constexpr std::size_t kShortHash = 16;

// A balance beyond this, relative, is no rounding.
constexpr double kDoubtful = 1e-10;
// Slower than this part of the model's size in a second nothing counts as moving.
constexpr double kSlowest = 1e-6;

/// Larger models are analysed by their rows alone.
constexpr int kMostBySolver = 600;

long count_steps(double step, double end) {
    const double ratio = end / step;
    const double whole = std::round(ratio);
    if (whole > 0.0 && std::abs(ratio - whole) <= kWholeSteps * ratio)
        return static_cast<long>(whole);
    return static_cast<long>(std::ceil(ratio));
}

/// A parameter that nothing uses is most likely one that a text lacks.
void warn_unused(const ExpressionScope& scope, const WarningSink& warn) {
    for (const ExpressionScope::Definition& parameter : scope.parameters())
        if (!parameter.was_used)
            warn(
                fmt::format("{}:{}:{}: [parameters]: {} is not used; a text takes its value "
                            "as ${{{}}}",
                            *parameter.place.file,
                            parameter.place.line,
                            parameter.place.column,
                            parameter.name,
                            parameter.name));
}

}  // namespace

struct Simulation::Impl {
    Impl(const Manifest& manifest, PluginRegistry& registry, WarningSink sink)
        : settings(manifest.integrator),
          warn(std::move(sink)),
          model(manifest, registry),
          system(model),
          observables(model, system, manifest.output),
          num_steps(model.traits.is_adaptive ? 0 : count_steps(settings.step, settings.end)) {
        if (model.project_start != ProjectStart::no) judge_projection();
        decide_rank();
        if (model.traits.face == Face::continuous)
            system.instant().check_accelerations();
        else if (model.num_coordinates <= kMostBySolver)
            system.instant().check_consistency();
        const StepSettings step_settings{settings.step, settings.tolerance.value_or(0.0)};
        model.integrator.prepare(system, step_settings, [this](int count) {
            system.resize_history(count);
        });
        identity = identity_with(manifest);
    }

    /// Names of rows, not too many of them.
    std::string names_of(const std::vector<int>& rows) const {
        std::string names;
        const std::size_t shown = std::min<std::size_t>(rows.size(), 6);
        for (std::size_t i = 0; i < shown; ++i)
            names += (i > 0 ? "; " : "") + system.parts().rows.row_name(rows[i]);
        if (shown < rows.size()) names += fmt::format("; and {} more", rows.size() - shown);
        return names;
    }

    /// A start that was moved far is no longer the one that was written.
    void judge_projection() {
        constexpr double kFar = 0.1;      // of the model's size
        constexpr double kTurned = 0.35;  // 20 degrees
        constexpr double kTold = 0.05;    // of these, what is worth a warning
        constexpr double kDegrees = 57.29577951308232;
        const double extent = system.state().extent;
        const auto share = [&](const MovedBody& body) {
            return std::max(body.moved / (kFar * extent), body.turned / kTurned);
        };
        projected = moved_bodies(model, system.q(), extent);
        projected_measures = moved_measures(model, system);
        if (const ConstraintPart* const part = turned_over(model, system.q()))
            throw Error(ErrorKind::numerical,
                        fmt::format("project_start would meet {} with its axes against each other, "
                                    "which its rows hold as well; start nearer to how the bodies "
                                    "are to lie",
                                    part->object.label),
                        part->object.place);
        const auto worst = std::ranges::max_element(projected, {}, share);
        if (worst == projected.end() || share(*worst) <= kTold) return;
        std::string what = fmt::format("body \"{}\" by {:.3g} m and turned it by {:.3g} degrees",
                                       worst->name,
                                       worst->moved,
                                       kDegrees * worst->turned);
        const auto change = [](const MovedMeasure& measure) {
            return std::abs(measure.after - measure.before);
        };
        const auto joint = std::ranges::max_element(projected_measures, {}, change);
        if (joint != projected_measures.end())
            what += fmt::format(", {} from {:.4g} to {:.4g} {}",
                                joint->name,
                                joint->before,
                                joint->after,
                                joint->unit);
        if (share(*worst) > 1.0 && model.project_start == ProjectStart::near)
            throw Error(ErrorKind::numerical,
                        fmt::format("inconsistent start: to meet the constraints project_start "
                                    "moved {}; that is more than a tenth of the model's size or 20 "
                                    "degrees, and may be another position than the one that is "
                                    "meant. Start nearer, or allow it with project_start = \"far\"",
                                    what),
                        model.project_start_place);
        if (warn)
            warn(fmt::format(
                "project_start moved {} to meet the constraints{}; `ancora check` lists "
                "how far each body and joint went",
                what,
                projected.size() > 1 ? fmt::format(", and {} more", projected.size() - 1) : ""));
    }

    void warn_redundant() {
        std::vector<int> idle, dependent;
        for (const int row : rank.redundant)
            (acts_on_nothing(row) ? idle : dependent).push_back(row);
        if (!idle.empty())
            warn(
                fmt::format("{} of {} constraint rows act on nothing, since no coordinate moves "
                            "along them: {}; they may be left out",
                            idle.size(),
                            rank.num_rows,
                            names_of(idle)));
        if (!dependent.empty())
            warn(
                fmt::format("{} of {} constraint rows are redundant: {}; forces there are those of "
                            "least norm",
                            dependent.size(),
                            rank.num_rows,
                            names_of(dependent)));
    }

    void warn_idle_friction() {
        for (const ForcePart& part : model.forces) {
            if (part.contact == nullptr) continue;
            const RowOwner& owner =
                system.parts()
                    .rows.owners[model.bodies.size() + static_cast<std::size_t>(part.constraint)];
            bool is_idle = owner.num_rows > 0;
            for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k)
                is_idle = is_idle && acts_on_nothing(k);
            if (is_idle)
                warn(
                    fmt::format("{}: its normal force is zero, since its constraint acts on "
                                "nothing: the coordinate across it is missing",
                                part.object.label));
        }
    }

    /// Whether a row is zero at the state at which the rank was decided.
    bool acts_on_nothing(int row) const {
        const std::vector<int>& start = system.parts().rows.row_start;
        for (int e = start[static_cast<std::size_t>(row)];
             e < start[static_cast<std::size_t>(row) + 1];
             ++e)
            if (rank_rows.A[e] != 0.0) return false;
        return true;
    }

    SceneSampler& sampler() {
        if (!scene) scene = std::make_unique<SceneSampler>(model);
        return *scene;
    }

    void sample(const Samples& to) {
        const auto require = [](const char* what, std::size_t got, std::size_t wanted) {
            if (got != 0 && got != wanted)
                throw Error(
                    ErrorKind::usage,
                    fmt::format("sample: the {} has {} entries, it takes {}", what, got, wanted));
        };
        const std::span<const double> q = system.q();
        const std::span<const double> v = system.v();
        require("row", to.row.size(), observables.names().size());
        require("state", to.state.size(), 1 + q.size() + v.size());
        if (model.traits.face == Face::continuous) system.instant().update_reactions();
        if (!to.row.empty()) observables.sample(to.row);
        if (!to.frame.empty()) {
            require(
                "frame", to.frame.size(), static_cast<std::size_t>(sampler().scene().num_values));
            sampler().sample(system, to.frame);
        }
        if (to.state.empty()) return;
        to.state[0] = system.time();
        std::ranges::copy(v, std::ranges::copy(q, to.state.begin() + 1).out);
    }

    void step() {
        if (done()) throw Error(ErrorKind::usage, "the simulation has reached its end");
        was_restored = false;
        if (model.traits.is_adaptive)
            step_freely();
        else
            step_on_grid();
        if (done()) warn_at_end();
    }

    void warn_at_end() {
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
        for (const std::string& doubt : doubts()) warn(doubt);
    }

    /// A run that ends without an error is taken for right: what speaks against it must not pass
    /// without a word.
    std::vector<std::string> doubts() const {
        std::vector<std::string> out;
        if (const std::string text = doubt_of_balances(); !text.empty()) out.push_back(text);
        const std::vector<SingularPositions::Passed>& passed = system.singular_positions().all();
        const auto jumps = std::ranges::find(passed, false, &SingularPositions::Passed::continues);
        if (jumps != passed.end())
            out.push_back(
                fmt::format("velocities jump at t = {:.6g} s: the steps do not resolve the motion "
                            "there, or constraints depend on each other, other motions begin, and "
                            "no step was found that continues the motion; compare with shorter "
                            "steps",
                            jumps->t));
        if (const ContinuousMotion::Displaced& at = system.motion().displaced(); at.work != 0.0)
            out.push_back(fmt::format(
                "to meet the constraints at t = {:.6g} s the energy was changed by {:.3g} J, of "
                "{:.3g} "
                "J in play, within one step: the steps do not resolve the motion there, or "
                "constraints depend on each other and it went on by another one; compare with "
                "shorter steps or another integrator",
                at.t,
                at.work,
                at.scale));
        if (const JointValues::TooFast& joint = system.joints().too_fast(); joint.entry >= 0)
            out.push_back(
                fmt::format("{} turns at a rate of {:.2g} rad a step at t = {:.6g} s: turns are "
                            "counted only below half of one a step, and the steps do not resolve "
                            "the motion; take shorter ones",
                            system.joints().entries()[static_cast<std::size_t>(joint.entry)].name,
                            joint.turned,
                            joint.t));
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

    /// What the integrator claims to keep and has not kept, or nothing.
    std::string doubt_of_balances() const {
        if (!model.integrator_object.type->claims.has(Claim::keeps_energy)) return {};
        const Ledger& ledger = system.ledger();
        // At rest energies are rounding, and so are balances beside them.
        const double slow = kSlowest * system.state().extent;
        const double energy =
            std::max(ledger.energy_scale(), 0.5 * system.books().total_mass() * slow * slow);
        const double momentum = std::sqrt(2.0 * system.books().total_mass() * energy);
        const std::pair<const char*, double> balances[] = {
            {"energy", ledger.worst_energy() / energy},
            {"momentum", ledger.worst_momentum() / momentum},
            {"angular momentum",
             ledger.worst_angular_momentum() / (momentum * system.state().farthest)}};
        std::string open;
        for (const auto& [name, relative] : balances)
            if (relative > kDoubtful)
                open += fmt::format("{}{} by {:.1e}", open.empty() ? "" : ", ", name, relative);
        if (open.empty()) return {};
        return fmt::format(
            "the balances of this run do not close ({} of what is in play, more "
            "than {:.0e}): a tolerance above its default, very stiff elements on "
            "light bodies, or a formula that has no exact discrete form; compare "
            "with a shorter step before you trust it",
            open,
            kDoubtful);
    }

    bool done() const {
        return model.traits.is_adaptive ? system.time() >= settings.end : steps_done >= num_steps;
    }

    void step_freely() {
        const double t0 = system.time();
        system.begin_grid_step(steps_done, false);
        integrate(t0, settings.end - t0);
        if (!(system.time() > t0))
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: step returned without a step at t = {:.9g} s",
                                    describe(model.integrator_object),
                                    t0),
                        model.integrator_object.place);
        // The end is met exactly.
        const double left = settings.end - system.time();
        system.end_grid_step(left <= kWholeSteps * (system.time() - t0) ? settings.end
                                                                        : system.time());
        ++steps_done;
    }

    void step_on_grid() {
        // Grid times are k step, not sums of steps; a step that failed on its way goes on from
        // there.
        const bool is_last = steps_done + 1 == num_steps;
        const double begin_time = static_cast<double>(steps_done) * settings.step;
        const double end_time =
            is_last ? settings.end : static_cast<double>(steps_done + 1) * settings.step;
        const double t0 = system.time();
        const double rest = end_time - t0;
        const double rounding = kWholeSteps * settings.step;
        const bool goes_on = t0 - begin_time > rounding;
        const bool is_whole =
            std::abs(rest - settings.step) <= rounding ||
            (is_last && std::abs(rest - settings.step) <= kWholeSteps * settings.end);
        system.begin_grid_step(steps_done, goes_on);
        integrate(t0, is_whole ? settings.step : rest);
        if (const double missing = end_time - system.time(); std::abs(missing) > rounding)
            throw Error(
                ErrorKind::plugin,
                fmt::format("{}: step from t = {:.9g} s returned at t = {:.9g} s instead of "
                            "{:.9g} s; it must accept steps that lead exactly there",
                            describe(model.integrator_object),
                            t0,
                            system.time(),
                            end_time),
                model.integrator_object.place);
        system.end_grid_step(end_time);
        ++steps_done;
    }

    /// One call of the integrator, guarded and metered.
    void integrate(double t0, double h) {
        const double taken = model.integrator.step(system.parts().meter, system, t0, h);
        if (system.parts().meter.is_sampling()) system.parts().meter.spent.step += taken;
        seconds += taken;
    }

    /// Rank of the constraint rows at the present state, and what follows from it for the solver.
    void decide_rank() {
        rank = analyse_rank_now();
        system.set_redundant(rank.rank < rank.num_rows);
        arbitrary = arbitrary_reactions(rank);
        if (model.traits.face == Face::discrete) system.plan_matrix(settings.step);
        if (!warn) return;
        for (const std::string& contact : system.instant().locked_contacts())
            warn(fmt::format(
                "{}: what it acts on cannot slide, since constraints hold it; its force "
                "is not determined and is left out",
                contact));
        if (rank.rank == rank.num_rows) return;
        warn_redundant();
        warn_idle_friction();
        for (const std::string& contact : system.instant().ambiguous_contacts())
            warn(
                fmt::format("{}: its normal force is not unique, since rows of its constraint are "
                            "redundant; friction follows the reactions of least norm",
                            contact));
    }

    /// Reactions, by their columns, that redundancy makes arbitrary at the state of this rank.
    std::vector<std::string> arbitrary_reactions(const RankAnalysis& of) {
        std::vector<std::string> out;
        if (of.rank == of.num_rows) return out;
        constexpr int kSamples = 2;  // one might vanish by chance
        const std::vector<bool> answers = system.reactions().answers_to(forceless_stresses(
            system.parts().rows, rank_rows.A, system.parts().mass, of.redundant, kSamples));
        for (std::size_t i = 0; i < answers.size(); ++i)
            if (answers[i]) out.push_back(observables.reactions()[i]);
        return out;
    }

    /// By the accelerations' own solver, or where they are not unique (a step may hold massless
    /// parts by stiffness) or the model is large, by the rows alone.
    RankAnalysis analyse_rank_now() {
        system.parts().rows.evaluate(
            system.q().data(), system.v().data(), system.time(), rank_rows);
        if (model.traits.face == Face::continuous || model.num_coordinates <= kMostBySolver) {
            try {
                return system.instant().rank();
            } catch (const Error&) {
                if (model.traits.face == Face::continuous) throw;
            }
        }
        return analyse_rank(system.parts().rows, rank_rows.A, system.parts().mass);
    }

    std::vector<InputFile> input_files() const { return model.files; }

    /// What a saved state must have in common with the model that takes it, one item a line.
    std::vector<std::string> identity_with(const Manifest& manifest) const {
        std::vector<std::string> lines{fmt::format("Ancora {}", version())};
        const auto add = [&](const char* kind, const ObjectRef& object, int size) {
            lines.push_back(fmt::format(
                "{} \"{}\" of type {}, {} numbers", kind, object.name, object.type->name, size));
        };
        for (const BodyPart& part : model.bodies) add("body", part.object, part.count);
        for (std::size_t c = 0; c < model.constraints.size(); ++c)
            add("constraint",
                model.constraints[c].object,
                system.parts().rows.owners[model.bodies.size() + c].num_rows);
        for (const ForcePart& part : model.forces) add("force", part.object, 0);
        lines.push_back(fmt::format(
            "integrator {}, step {} s", model.integrator_object.type->name, settings.step));
        for (const Plugin* plugin : model.plugins)
            lines.push_back(fmt::format(
                "plugin {} {}, SHA-256 {}", plugin->name, plugin->version, plugin->sha256));
        // What these are made with, by hashes: a model may have millions of numbers.
        std::map<std::string, std::string> values;  // of each group
        for (const auto& [key, value] : model_identity(manifest, model.files)) {
            const std::size_t end = key.starts_with("model.") || key.starts_with("parameters.")
                                        ? key.size()
                                        : key.rfind('.');
            values[key.substr(0, end)] += key + '=' + value + '\n';
        }
        for (const auto& [group, text] : values)
            lines.push_back(fmt::format(
                "{} with the values {}", group, sha256_of_text(text).substr(0, kShortHash)));
        return lines;
    }

    /// A run that ended here had the end for its time, which may differ from that of the grid by
    /// rounding; one that goes on has the grid's.
    void take_grid_time() {
        const double on_grid = static_cast<double>(steps_done) * settings.step;
        if (model.traits.is_adaptive || steps_done >= num_steps) return;
        if (std::abs(system.time() - on_grid) <= kWholeSteps * on_grid) system.set_time(on_grid);
    }

    /// Whether the state stands where so many steps lead, or on the way to the next.
    bool fits_grid() const {
        if (model.traits.is_adaptive) return system.time() >= 0.0;
        const double h = settings.step;
        const double done = std::min(static_cast<double>(steps_done) * h, settings.end);
        return system.time() >= done - kWholeSteps * h && system.time() <= done + h;
    }

    template <class Archive>
    void transfer(Archive& archive) {
        archive(steps_done);
        archive(seconds);
        archive.require(steps_done >= 0 && (model.traits.is_adaptive || steps_done <= num_steps),
                        "steps beyond the end of this run");
        archive.require(std::isfinite(seconds), "its time of computing");
        system.transfer(archive);
        if constexpr (Archive::kReads) take_grid_time();
        archive.require(fits_grid(), "its time");
        observables.transfer(archive);
    }

    /// Magic number, checksum of the rest, identity, state.
    std::vector<std::byte> save() {
        StateWriter writer;
        writer(kStateMagic);
        writer(Checksum{});
        writer(identity.size());
        for (const std::string& line : identity) writer(line);
        transfer(writer);
        std::vector<std::byte> out = writer.take();
        const Checksum checksum = checksum_of(out);
        std::ranges::copy(std::as_bytes(std::span(checksum)), out.begin() + sizeof kStateMagic);
        return out;
    }

    using Checksum = std::array<char, 64>;  // hexadecimal digits of the SHA-256
    /// Of what stands behind its own place.
    static Checksum checksum_of(std::span<const std::byte> saved) {
        const auto rest = saved.subspan(sizeof kStateMagic + sizeof(Checksum));
        const std::string digits =
            sha256_of_text({reinterpret_cast<const char*>(rest.data()), rest.size()});
        Checksum out{};
        std::ranges::copy(digits, out.begin());
        return out;
    }

    void restore(std::span<const std::byte> saved) {
        StateReader reader(saved);
        std::uint64_t magic = 0;
        reader(magic);
        if (magic != kStateMagic)
            throw Error(ErrorKind::file, "these bytes are not a saved state of this version");
        Checksum checksum{};
        reader(checksum);
        if (checksum != checksum_of(saved))
            throw Error(ErrorKind::file,
                        "the saved state is damaged: its checksum does not fit; it may have been "
                        "cut short");
        check_identity(reader);
        const std::vector<std::byte> now = save();
        const auto go_back = [&] {
            StateReader back(now);
            back(magic);
            back(checksum);
            check_identity(back);
            transfer(back);
        };
        try {
            transfer(reader);
            if (!reader.at_end()) StateReader::refuse();
        } catch (const Error& error) {
            go_back();
            if (error.kind() == ErrorKind::file) throw;
            // Plugins, and places in the model, that cannot take what was read.
            throw Error(ErrorKind::file,
                        fmt::format("the saved state is damaged: {}", error.message()));
        } catch (...) {
            go_back();
            throw;
        }
        was_restored = true;
    }

    void check_identity(StateReader& reader) const {
        const std::vector<std::string>& here = identity;
        std::size_t count = 0;
        reader(count);
        for (std::size_t i = 0; i < std::max(count, here.size()); ++i) {
            std::string there = "nothing more";
            if (i < count) reader(there);
            const std::string mine = i < here.size() ? here[i] : "nothing more";
            if (there != mine)
                throw Error(ErrorKind::usage,
                            fmt::format("the saved state belongs to another model: it has {}, this "
                                        "model has {}",
                                        there,
                                        mine));
        }
    }

    IntegratorSettings settings;
    std::vector<std::string> identity;
    WarningSink warn;
    Model model;
    KernelSystem system;
    Observables observables;
    std::vector<MovedBody> projected;  // onto the constraints, at the start
    std::vector<MovedMeasure> projected_measures;
    std::unique_ptr<SceneSampler> scene;  // made when first asked for
    RankAnalysis rank;
    std::vector<std::string> arbitrary;  // reactions at the start, by their columns
    RowSet::Instant rank_rows;           // of the state at which the rank was decided
    long num_steps;
    bool is_locked = false;
    long steps_done = 0;
    double seconds = 0.0;
    bool was_restored = false;  // and no step since: there is nothing to interpolate in
};

Simulation::Simulation(const Manifest& manifest, PluginRegistry& registry, WarningSink warn) {
    const TrapsOff traps_off;
    manifest.validate();
    std::optional<Manifest> storage;
    impl_ = std::make_unique<Impl>(with_texts(manifest, storage), registry, warn);
    if (warn && manifest.scope) warn_unused(*manifest.scope, warn);
    if (const Lock* const lock = registry.lock()) {
        lock->check(*this);
        impl_->is_locked = true;
    }
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const std::string& Simulation::name() const {
    return impl_->model.name;
}
double Simulation::time() const {
    return impl_->system.time();
}
double Simulation::step_size() const {
    return impl_->settings.step;
}
double Simulation::end_time() const {
    return impl_->settings.end;
}
long Simulation::num_steps() const {
    const TrapsOff traps_off;
    return impl_->num_steps;
}
long Simulation::steps_done() const {
    return impl_->steps_done;
}
bool Simulation::is_adaptive() const {
    return impl_->model.traits.is_adaptive;
}
bool Simulation::done() const {
    const TrapsOff traps_off;
    return impl_->done();
}
void Simulation::step() {
    const TrapsOff traps_off;
    impl_->step();
}
std::span<const double> Simulation::q() const {
    return impl_->system.q();
}
std::span<const double> Simulation::v() const {
    return impl_->system.v();
}

void Simulation::set_state(std::span<const double> q, std::span<const double> v) {
    const TrapsOff traps_off;
    const auto n = static_cast<std::size_t>(impl_->system.num_coordinates());
    if (q.size() != n || v.size() != n)
        throw Error(
            ErrorKind::usage,
            fmt::format("set_state: q has {} and v {} entries, the model has {} coordinates",
                        q.size(),
                        v.size(),
                        n));
    for (std::size_t i = 0; i < n; ++i)
        if (!std::isfinite(q[i]) || !std::isfinite(v[i]))
            throw Error(
                ErrorKind::usage,
                fmt::format(
                    "set_state: entry {} of {} is not finite", i, std::isfinite(q[i]) ? "v" : "q"));
    impl_->system.set_state(q, v, impl_->system.time());
    impl_->decide_rank();
    impl_->observables.restart();
}

void Simulation::apply_force(const std::string& attachment, const std::array<double, 3>& force) {
    const TrapsOff traps_off;
    for (const double f : force)
        if (!std::isfinite(f))
            throw Error(
                ErrorKind::usage,
                fmt::format("apply_force on \"{}\": a component is not finite", attachment));
    impl_->system.apply_force(attachment, force);
}

std::vector<std::byte> Simulation::save() const {
    const TrapsOff traps_off;
    return impl_->save();
}
void Simulation::restore(std::span<const std::byte> saved) {
    const TrapsOff traps_off;
    impl_->restore(saved);
}

Simulation::PointState Simulation::point(const std::string& attachment) const {
    const TrapsOff traps_off;
    const Attachment at = attach(impl_->model, attachment, {}, false);
    PointState out{};
    evaluate_attachment(
        impl_->model.bodies, at, q().data(), v().data(), out.position.data(), out.velocity.data());
    return out;
}

Pose Simulation::pose(const std::string& body) const {
    const TrapsOff traps_off;
    if (body == "ground") return {};
    const Model& model = impl_->model;
    const int i = model.body_names.find(body);
    if (i < 0) throw Error(ErrorKind::usage, no_such_body(body, names_of(model.bodies)));
    const BodyPart& part = model.bodies[static_cast<std::size_t>(i)];
    if (part.pose_kind == PoseKind::none)
        throw Error(ErrorKind::usage, fmt::format("body \"{}\" has no pose", body));
    const auto first = static_cast<std::size_t>(part.first);
    const auto count = static_cast<std::size_t>(part.count);
    const double t = time();
    return part.pose(q().subspan(first, count), v().subspan(first, count), &t);
}

std::vector<double> Simulation::reaction(const std::string& constraint) const {
    const TrapsOff traps_off;
    const Model& model = impl_->model;
    const int found = model.constraint_names.find(constraint);
    if (found < 0)
        throw Error(ErrorKind::usage,
                    fmt::format("there is no constraint \"{}\"{}",
                                constraint,
                                did_you_mean(constraint, names_of(model.constraints))));
    if (model.traits.face == Face::continuous) impl_->system.instant().update_reactions();
    const auto c = static_cast<std::size_t>(found);
    const auto& start = impl_->system.reactions().start();
    const std::span<const double> all = impl_->system.reactions().mean();
    return {all.begin() + start[c], all.begin() + start[c + 1]};
}

Dynamics Simulation::dynamics() const {
    const TrapsOff traps_off;
    return impl_->system.instant().dynamics();
}

std::vector<SingularPosition> Simulation::singular_positions() const {
    std::vector<SingularPosition> out;
    for (const SingularPositions::Passed& position : impl_->system.singular_positions().all())
        out.push_back({position.t, position.continues});
    return out;
}

std::vector<ContactEvent> Simulation::events() const {
    std::vector<ContactEvent> out;
    for (const ContactEvents::Event& event : impl_->system.contact_events().all())
        out.push_back({event.t,
                       impl_->model.forces[static_cast<std::size_t>(event.force)].object.name,
                       event.sticks});
    return out;
}

std::vector<BreakEvent> Simulation::breaks() const {
    const RowSet& rows = impl_->system.parts().rows;
    std::vector<BreakEvent> out;
    for (const Breaking::Break& broken : impl_->system.breaking().all()) {
        const auto block = std::ranges::find_if(rows.blocks, [&](const BlockPart& part) {
            return broken.row < part.first_row + part.num_rows;
        });
        const RowOwner& owner = rows.owners[static_cast<std::size_t>(block->owner)];
        out.push_back({broken.t,
                       owner.object->name,
                       (broken.row - block->first_row) / block->block->rows_per_item,
                       broken.energy});
    }
    return out;
}

std::vector<std::string> Simulation::column_names() const {
    const TrapsOff traps_off;
    return impl_->observables.names();
}
std::vector<std::pair<std::string, std::string>> Simulation::column_units() const {
    const TrapsOff traps_off;
    return impl_->observables.own_units();
}
void Simulation::sample(std::span<double> row) const {
    const TrapsOff traps_off;
    if (row.empty()) throw Error(ErrorKind::usage, "sample: the row has no entries");
    impl_->sample({row, {}, {}});
}
void Simulation::sample(const Samples& to) const {
    const TrapsOff traps_off;
    impl_->sample(to);
}
void Simulation::sample_at(double t, const Samples& to) const {
    const TrapsOff traps_off;
    KernelSystem& system = impl_->system;
    const Model& model = impl_->model;
    if (!model.traits.is_adaptive || impl_->steps_done == 0 || impl_->was_restored ||
        t < system.motion().begin_of_step() || t > system.time())
        throw Error(ErrorKind::usage,
                    fmt::format("sample_at: t = {:.9g} s is not inside the last step of an "
                                "integrator that chooses its steps",
                                t));
    std::vector<double> x(static_cast<std::size_t>(system.continuous().num_states));
    model.integrator.interpolate(t, x);
    system.motion().peek(t, x);
    try {
        sample(to);
    } catch (...) {
        system.motion().unpeek();
        throw;
    }
    system.motion().unpeek();
}
std::vector<int> Simulation::step_mean_columns() const {
    return impl_->observables.step_means();
}
const Scene& Simulation::scene() const {
    const TrapsOff traps_off;
    return impl_->sampler().scene();
}
const std::vector<int>& Simulation::step_mean_values() const {
    return impl_->sampler().step_means();
}
long Simulation::work_done() const {
    const KernelSystem& system = impl_->system;
    return impl_->model.traits.face == Face::continuous ? system.motion().evaluations
                                                        : system.counts().iterations;
}

RunStatistics Simulation::statistics() const {
    const TrapsOff traps_off;
    const KernelSystem& system = impl_->system;
    const Ledger& ledger = system.ledger();
    RunStatistics out;
    out.steps = impl_->steps_done;
    out.substeps = system.counts().substeps;
    out.iterations = system.counts().iterations;
    out.max_iterations = system.counts().max_iterations;
    out.factorisations = system.solver().factorisations;
    out.factorise_seconds = system.solver().factorise_seconds;
    out.evaluations = system.motion().evaluations;
    out.step_seconds = impl_->seconds;
    // Factorisations are rare and timed always; the others have their share of what they leave.
    const CallMeter::Seconds& sampled = system.parts().meter.spent;
    if (const double rest = sampled.step - sampled.factorise; rest > 0.0) {
        const double scale = std::max(0.0, out.step_seconds - out.factorise_seconds) / rest;
        out.assemble_seconds = scale * sampled.assemble;
        out.solve_seconds = scale * sampled.solve;
    }
    out.redundant_rows = impl_->rank.num_rows - impl_->rank.rank;
    out.projected = impl_->projected;
    out.projected_measures = impl_->projected_measures;
    out.arbitrary_reactions = impl_->arbitrary;
    // Relative to the scales of theory, section 8.
    const auto relative = [](double worst, double scale) {
        return BalanceMaximum{worst, worst == 0.0 || !(scale > 0.0) ? 0.0 : worst / scale};
    };
    const double energy = ledger.energy_scale();
    const double momentum = std::sqrt(2.0 * system.books().total_mass() * energy);
    out.energy = relative(ledger.worst_energy(), energy);
    out.momentum = relative(ledger.worst_momentum(), momentum);
    out.angular_momentum =
        relative(ledger.worst_angular_momentum(), momentum * system.state().farthest);
    const Violation& worst = system.violations().worst();
    const double speed = momentum > 0.0 ? 2.0 * energy / momentum : 0.0;
    out.constraint_position = relative(worst.position, system.state().extent);
    out.constraint_velocity = relative(worst.velocity, speed);
    out.constraint_strain = {worst.strain, worst.strain};
    const std::vector<CallMeter::Account> accounts = system.parts().meter.accounts(impl_->seconds);
    for (std::size_t i = 0; i < accounts.size(); ++i)
        out.plugins.push_back(
            {impl_->model.plugins[i]->name, accounts[i].seconds, accounts[i].calls});
    out.doubts = impl_->doubts();
    return out;
}

ModelAnalysis Simulation::analyse() const {
    const TrapsOff traps_off;
    KernelSystem& system = impl_->system;
    const Model& model = impl_->model;
    ModelAnalysis out;
    out.num_bodies = static_cast<int>(std::ranges::count(model.bodies, false, &BodyPart::is_inner));
    out.num_constraints = static_cast<int>(model.constraints.size());
    out.num_forces = static_cast<int>(model.forces.size());
    out.num_coordinates = system.num_coordinates();
    out.num_rows = system.num_rows();

    const RankAnalysis rank = impl_->analyse_rank_now();
    out.arbitrary_reactions = impl_->arbitrary_reactions(rank);
    try {
        system.instant().dynamics();
    } catch (const Error& error) {
        out.undetermined = error.message();
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
                                     (impl_->acts_on_nothing(row) ? " (acts on nothing)" : ""));

    describe_joints(model, system, out);
    out.projected = impl_->projected;
    out.projected_measures = impl_->projected_measures;

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

std::vector<const Plugin*> Simulation::plugins() const {
    return impl_->model.plugins;
}

std::vector<InputFile> Simulation::input_files() const {
    return impl_->input_files();
}

std::vector<UsedPlugin> Simulation::used_plugins() const {
    return impl_->model.used_plugins;
}

bool Simulation::is_locked() const {
    return impl_->is_locked;
}

std::vector<Simulation::BodyState> Simulation::body_states() const {
    std::vector<BodyState> out;
    for (const BodyPart& part : impl_->model.bodies) {
        if (part.is_inner) continue;
        const auto first = static_cast<std::size_t>(part.first);
        const auto count = static_cast<std::size_t>(part.count);
        out.push_back({part.object.name, q().subspan(first, count), v().subspan(first, count)});
    }
    return out;
}

Lock Lock::of(const Simulation& simulation) {
    return of(simulation.used_plugins());
}

void Lock::check(const Simulation& simulation) const {
    check(simulation.used_plugins());
}

}  // namespace ancora
