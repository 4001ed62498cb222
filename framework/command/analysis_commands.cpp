// SPDX-License-Identifier: BSD-3-Clause
// `ancora equilibrium`, `modes` and `linearize`: what a model does besides moving.
#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/mode_frames.hpp"
#include "ancora/framework/simulation.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "matrix_files.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRowsShown = 40;

std::string written(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// A model from the command line.
struct Loaded {
    explicit Loaded(const Options& options)
        : manifest(Manifest::load(options.operand, options.overrides)) {
        add_folders(registry, options);
        lock_if_asked(registry, options);
        simulation.emplace(manifest, registry, &write_warning);
        simulation->set_threads(options.threads);
    }
    Manifest manifest;
    PluginRegistry registry;
    std::optional<Simulation> simulation;
};

const char* word(Stability stability) {
    switch (stability) {
        case Stability::stable:
            return "stable";
        case Stability::neutral:
            return "neutral";
        case Stability::unstable:
            break;
    }
    return "unstable";
}

std::string words_of(const std::vector<double>& values) {
    std::string text;
    for (const double value : values)
        text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
    return "[" + text + "]";
}

/// "1 input", "2 inputs".
std::string counted(int count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Json complex_json(const std::complex<double>& x) {
    return {x.real(), x.imag()};
}

Json json_of(Simulation& simulation, const Equilibrium& rest) {
    Json bodies = Json::object();
    for (const Simulation::BodyState& body : simulation.body_states())
        bodies[body.name] = std::vector<double>(body.q.begin(), body.q.end());
    Json reactions = Json::object();
    for (const ConstraintForces& constraint : rest.forces.constraints)
        reactions[constraint.name] = constraint.reaction;
    Json forces = Json::object();
    for (const AppliedForce& force : rest.forces.forces)
        forces[force.name] = {{"force", force.force}, {"torque", force.torque}};
    Json out = {{"model", simulation.name()},
                {"spin", rest.spin},
                {"stability", word(rest.stability)},
                {"degrees_of_freedom", rest.degrees_of_freedom},
                {"unstable_directions", rest.num_unstable},
                {"neutral_directions", rest.num_neutral},
                {"all_directions_counted", rest.is_counted},
                {"residual", rest.residual},
                {"moved", rest.moved},
                {"acceleration", rest.acceleration},
                {"lasts", rest.lasts},
                {"descent_steps", rest.descent_steps},
                {"newton_steps", rest.newton_steps},
                {"unstable_positions_left", rest.num_left},
                {"bodies", std::move(bodies)},
                {"reactions", std::move(reactions)},
                {"forces", std::move(forces)}};
    if (!rest.unstable_part.empty()) out["moves_away_first"] = rest.unstable_part;
    return out;
}

std::string text_of(Simulation& simulation, const Equilibrium& rest) {
    TextTable table;
    std::string how;
    if (rest.descent_steps > 0)
        how = fmt::format("{} steps of damped descent, ", rest.descent_steps);
    how += fmt::format("{} of Newton's method", rest.newton_steps);
    if (rest.num_left > 0)
        how += fmt::format(", {} unstable position{} left on the way",
                           rest.num_left,
                           rest.num_left == 1 ? "" : "s");
    table.add({"found by", how});
    std::string stability = word(rest.stability);
    if (rest.num_unstable > 0)
        stability += fmt::format(", {} of {} directions lower the energy; {} moves away first",
                                 rest.num_unstable,
                                 rest.degrees_of_freedom,
                                 rest.unstable_part);
    else if (rest.num_neutral > 0)
        stability += fmt::format(
            ", {} of {} directions change nothing", rest.num_neutral, rest.degrees_of_freedom);
    if (!rest.is_counted) stability += " (the lowest were looked at)";
    const bool spins = rest.spin != std::array<double, 3>{};
    if (spins && rest.stability == Stability::unstable)
        stability +=
            "; gyroscopic forces may hold it all the same, `ancora modes --spinning` tells";
    if (spins) table.add({"spin", quantity(rest.spin, "rad/s")});
    table.add({spins ? "in its frame rest is" : "rest is", stability});
    if (!rest.lasts)
        table.add({"rest lasts",
                   fmt::format("not: a drive or load that changes with time accelerates matter by "
                               "{} there",
                               quantity(rest.acceleration, "m/s^2"))});
    table.add({"farthest move", quantity(rest.moved, "m")});
    table.add({"force left", fmt::format("{:.1e} of the largest", rest.residual)});
    table.add_gap();
    std::size_t shown = 0;
    for (const Simulation::BodyState& body : simulation.body_states()) {
        if (++shown > kMostRowsShown) break;
        std::string at;
        try {
            const Pose pose = simulation.pose(body.name);
            at = fmt::format("at {}", quantity(pose.position, "m"));
        } catch (const Error&) {
            at = fmt::format("{} coordinates", body.q.size());
        }
        table.add({fmt::format("body {}", body.name), at});
    }
    table.add_gap();
    shown = 0;
    for (const ConstraintForces& constraint : rest.forces.constraints) {
        if (constraint.reaction.empty() || ++shown > kMostRowsShown) continue;
        table.add({fmt::format("reaction of {}", constraint.name), words_of(constraint.reaction)});
    }
    shown = 0;
    for (const AppliedForce& force : rest.forces.forces) {
        if (++shown > kMostRowsShown) break;
        table.add({fmt::format("force of {}", force.name), quantity(force.force, "N")});
    }
    return fmt::format(
        "{}: {}\n\n{}", simulation.name(), spins ? "steady spin" : "rest", table.text());
}

/// Runs to the time that --at names, or to rest.
void go_there(Simulation& simulation, const Options& options) {
    if (options.at_rest) {
        simulation.find_equilibrium();
        return;
    }
    if (options.at && *options.at > simulation.end_time())
        throw Error(ErrorKind::usage,
                    fmt::format("option \"--at\": the run ends at {:.9g} s, before {:.9g} s; "
                                "--set integrator.end={:.9g} prolongs it",
                                simulation.end_time(),
                                *options.at,
                                *options.at));
    while (options.at && simulation.time() < *options.at && !simulation.done()) simulation.step();
    if (!options.spinning) return;
    EquilibriumOptions wanted;
    wanted.spinning = true;
    simulation.find_equilibrium(wanted);
}

std::string moves_most(const Mode& mode) {
    const Mode::Part* most = nullptr;
    for (const Mode::Part& part : mode.bodies)
        if (most == nullptr || part.energy > most->energy) most = &part;
    std::string text;
    if (most != nullptr) text = fmt::format("{} ({:.0f} %)", most->name, 100.0 * most->energy);
    const Mode::Measure* joint = nullptr;
    for (const Mode::Measure& measure : mode.measures)
        if (joint == nullptr || std::abs(measure.amplitude) > std::abs(joint->amplitude))
            joint = &measure;
    if (joint != nullptr && std::abs(joint->amplitude) > 0.0)
        text += fmt::format(
            "{}{} {:.3g}", text.empty() ? "" : ", ", joint->name, std::abs(joint->amplitude));
    return text;
}

Json matrix_json(const std::vector<double>& x, int rows, int columns) {
    Json out = Json::array();
    for (int i = 0; i < rows; ++i)
        out.push_back(std::vector<double>(x.begin() + i * columns, x.begin() + (i + 1) * columns));
    return out;
}

/// Writes the lowest modes into folders of their own.
/// @returns how many
std::size_t write_frames(const Simulation& simulation, const Modes& found, const Options& options) {
    constexpr std::size_t kMostWritten = 20;
    std::size_t count = found.modes.size();
    if (!options.count) count = std::min(count, kMostWritten);
    std::error_code failed;
    std::filesystem::create_directories(*options.dir, failed);
    const auto folder_of = [&](std::size_t k) {
        return *options.dir / fmt::format("mode_{:02}", k + 1);
    };
    for (std::size_t k = 0; k < count; ++k) {
        ModeFramesOptions how;
        how.model = fmt::format(
            "{}, mode {}: {:.6g} Hz", simulation.name(), k + 1, found.modes[k].frequency);
        write_mode_frames(simulation, found.modes[k], folder_of(k), how);
    }
    // Of a call that had more.
    for (std::size_t k = count; remove_mode_frames(folder_of(k)); ++k) {
    }
    return count;
}

}  // namespace

int equilibrium(const Options& options) {
    Loaded model(options);
    Simulation& simulation = *model.simulation;
    EquilibriumOptions wanted;
    wanted.nearest = options.nearest;
    wanted.spinning = options.spinning;
    const Equilibrium rest = simulation.find_equilibrium(wanted);
    if (options.json)
        write_out(written(json_of(simulation, rest)));
    else if (!options.quiet)
        write_out(text_of(simulation, rest));
    return 0;
}

int modes(const Options& options) {
    Loaded model(options);
    Simulation& simulation = *model.simulation;
    go_there(simulation, options);
    const Modes found = simulation.modes({static_cast<int>(options.count.value_or(0))});
    const std::size_t num_written = options.dir ? write_frames(simulation, found, options) : 0;
    if (options.json) {
        Json list = Json::array();
        for (const Mode& mode : found.modes) {
            Json bodies = Json::object();
            for (const Mode::Part& part : mode.bodies) {
                Json entry = {{"energy", part.energy}};
                if (part.has_pose) {
                    for (const auto& x : part.displacement)
                        entry["displacement"].push_back(complex_json(x));
                    for (const auto& x : part.rotation)
                        entry["rotation"].push_back(complex_json(x));
                }
                bodies[part.name] = std::move(entry);
            }
            Json measures = Json::object();
            for (const Mode::Measure& measure : mode.measures)
                measures[measure.name] = complex_json(measure.amplitude);
            Json shape = Json::array();
            for (const auto& x : mode.shape) shape.push_back(complex_json(x));
            list.push_back({{"eigenvalue", complex_json(mode.eigenvalue)},
                            {"frequency", mode.frequency},
                            {"damping_ratio", mode.damping},
                            {"bodies", std::move(bodies)},
                            {"measures", std::move(measures)},
                            {"shape", std::move(shape)}});
        }
        write_out(written({{"model", simulation.name()},
                           {"time", simulation.time()},
                           {"degrees_of_freedom", found.degrees_of_freedom},
                           {"spin", found.spin},
                           {"complete", found.is_complete},
                           {"written", num_written},
                           {"modes", std::move(list)}}));
        return 0;
    }
    if (options.quiet) return 0;
    TextTable table;
    table.add({"", "frequency, Hz", "eigenvalue, 1/s", "damping ratio", "moves most"});
    for (std::size_t k = 0; k < found.modes.size() && k < kMostRowsShown; ++k) {
        const Mode& mode = found.modes[k];
        table.add({fmt::format("{}", k + 1),
                   fmt::format("{:.9g}", mode.frequency),
                   fmt::format("{:.6g} {} {:.9g} i",
                               mode.eigenvalue.real(),
                               mode.eigenvalue.imag() == 0.0 ? "+" : "+-",
                               std::abs(mode.eigenvalue.imag())),
                   mode.eigenvalue.real() > 0.0 ? std::string("unstable")
                                                : fmt::format("{:.4g}", std::abs(mode.damping)),
                   moves_most(mode)});
    }
    std::string about =
        options.at_rest ? "about rest" : fmt::format("at t = {:.6g} s", simulation.time());
    if (found.is_spinning)
        about = fmt::format("about a spin of {}, in the frame that turns with it",
                            quantity(found.spin, "rad/s"));
    write_out(fmt::format("{}: modes {}, {} of freedom{}\n\n{}",
                          simulation.name(),
                          about,
                          counted(found.degrees_of_freedom, "degree"),
                          found.is_complete ? "" : ", the lowest",
                          table.text()));
    if (num_written > 0)
        write_out(fmt::format("\n{} of them in {}; `ancora report {}` shows the first\n",
                              num_written,
                              options.dir->string(),
                              (*options.dir / "mode_01").string()));
    return 0;
}

int linearize(const Options& options) {
    if (options.outputs.empty())
        throw Error(ErrorKind::usage,
                    "\"ancora linearize\" needs --out COLUMNS, such as elbow.angle,tip.x");
    Loaded model(options);
    Simulation& simulation = *model.simulation;
    // A record of a call that fails goes there, too.
    if (options.dir) {
        std::error_code failed;
        std::filesystem::create_directories(*options.dir, failed);
    }
    go_there(simulation, options);
    const LinearModel found = simulation.linearize(options.inputs, options.outputs);
    const int x = found.num_states, u = found.num_inputs, y = found.num_outputs;
    if (options.dir) {
        const int n = found.num_coordinates;
        const std::vector<NamedMatrix> matrices = {
            {"A", found.A, x, x},
            {"B", found.B, x, u},
            {"C", found.C, y, x},
            {"D", found.D, y, u},
            {"T", found.T, n, n > 0 ? static_cast<int>(found.T.size()) / n : 0},
        };
        for (const NamedMatrix& matrix : matrices) write_npy(*options.dir, matrix);
        write_mat(*options.dir / "linear_model.mat",
                  matrices,
                  {{"inputs", found.inputs}, {"outputs", found.outputs}});
    }
    if (options.json)
        write_out(written({{"model", simulation.name()},
                           {"inputs", found.inputs},
                           {"outputs", found.outputs},
                           {"outputs_at_rest", found.at},
                           {"A", matrix_json(found.A, x, x)},
                           {"B", matrix_json(found.B, x, u)},
                           {"C", matrix_json(found.C, y, x)},
                           {"D", matrix_json(found.D, y, u)}}));
    else if (!options.quiet)
        write_out(fmt::format(
            "{}: {}, {}, {}{}\n",
            simulation.name(),
            counted(x, "state"),
            counted(u, "input"),
            counted(y, "output"),
            options.dir
                ? fmt::format("; A.npy, B.npy, C.npy, D.npy, T.npy and linear_model.mat in {}",
                              options.dir->string())
                : "; --json or --dir DIR writes the matrices"));
    return 0;
}

}  // namespace ancora::command
