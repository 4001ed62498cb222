// SPDX-License-Identifier: BSD-3-Clause
// `ancora equilibrium`, `modes` and `linearize`: what a model does besides moving.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/mode_frames.hpp"
#include "ancora/framework/simulation.hpp"
#include "campbell_picture.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "json_text.hpp"
#include "loaded_model.hpp"
#include "matrix_files.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRowsShown = 40;

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
    Json reactions = Json::object(), wrenches = Json::object();
    for (const ConstraintForces& constraint : rest.forces.constraints) {
        reactions[constraint.name] = constraint.reaction;
        if (constraint.on_b.empty()) continue;
        const auto middle = constraint.on_b.begin() + 3;
        wrenches[constraint.name] = {
            {"force", std::vector<double>(constraint.on_b.begin(), middle)},
            {"moment", std::vector<double>(middle, constraint.on_b.end())}};
    }
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
                {"on_b", std::move(wrenches)},
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
        if (constraint.on_b.empty()) continue;
        const auto moment = std::span(constraint.on_b).last<3>();
        table.add({fmt::format("{}.on_b.moment", constraint.name),
                   quantity(std::array{moment[0], moment[1], moment[2]}, "N m")});
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
    if (options.at && *options.at < simulation.begin_time())
        throw Error(ErrorKind::usage,
                    fmt::format("option \"--at\": the run begins at {:.9g} s, behind {:.9g} s",
                                simulation.begin_time(),
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

/// Writes the lowest modes into folders of their own.
/// @param value  of one, as text: "3.2 Hz"
/// @returns how many
template <class Value>
std::size_t write_frames(const Simulation& simulation,
                         const std::vector<const Mode*>& modes,
                         const Options& options,
                         const Value& value) {
    constexpr std::size_t kMostWritten = 20;
    std::size_t count = modes.size();
    if (!options.count) count = std::min(count, kMostWritten);
    std::error_code failed;
    std::filesystem::create_directories(*options.dir, failed);
    const auto folder_of = [&](std::size_t k) {
        return *options.dir / fmt::format("mode_{:02}", k + 1);
    };
    for (std::size_t k = 0; k < count; ++k) {
        ModeFramesOptions how;
        how.model = fmt::format("{}, mode {}: {}", simulation.name(), k + 1, value(k));
        write_mode_frames(simulation, *modes[k], folder_of(k), how);
    }
    // Of a call that had more.
    for (std::size_t k = count; remove_mode_frames(folder_of(k)); ++k) {
    }
    return count;
}

/// The shape of a mode, and how bodies and joints move in it.
Json motion_json(const Mode& mode) {
    Json bodies = Json::object();
    for (const Mode::Part& part : mode.bodies) {
        Json entry = {{"energy", part.energy}};
        if (part.has_pose) {
            for (const auto& x : part.displacement)
                entry["displacement"].push_back(complex_json(x));
            for (const auto& x : part.rotation) entry["rotation"].push_back(complex_json(x));
        }
        bodies[part.name] = std::move(entry);
    }
    Json measures = Json::object();
    for (const Mode::Measure& measure : mode.measures)
        measures[measure.name] = complex_json(measure.amplitude);
    Json shape = Json::array();
    for (const auto& x : mode.shape) shape.push_back(complex_json(x));
    return {{"bodies", std::move(bodies)},
            {"measures", std::move(measures)},
            {"shape", std::move(shape)}};
}

ModesOptions modes_options(const Options& options) {
    ModesOptions out;
    out.count = static_cast<int>(options.count.value_or(0));
    if (options.axes) out.axes = *options.axes == "fixed" ? ModeAxes::fixed : ModeAxes::turning;
    return out;
}

/// "about a spin of [0, 0, 30] rad/s, ...".
std::string about_spin(const Modes& found) {
    std::string parts;
    for (const Modes::SpinningPart& part : found.parts)
        parts += fmt::format(
            "{}{} at {}", parts.empty() ? "" : ", ", part.name, quantity(part.rate, "rad/s"));
    if (found.is_spinning)
        return fmt::format("about a spin of {}, in the frame that turns with it{}",
                           quantity(found.spin, "rad/s"),
                           parts.empty() ? "" : ", in which these spin: " + parts);
    return fmt::format("about a spin of {}, in axes at rest", parts);
}

const char* whirl_word(double whirl) {
    constexpr double kRound = 0.1;  // less is to and fro
    return whirl > kRound ? "forward" : whirl < -kRound ? "backward" : "";
}

/// Rates at which the spin meets a frequency, where unbalance or a turning load excites it.
std::vector<double> critical_rates(const SpinRange& range, const CampbellCurve& curve) {
    std::vector<double> out;
    double last = 0.0;
    for (std::size_t i = 0; i < range.rates.size(); ++i) {
        const double above = 2.0 * std::numbers::pi * curve.frequency[i] - std::abs(range.rates[i]);
        if (i > 0 && last * above < 0.0)
            out.push_back(range.rates[i - 1] +
                          (range.rates[i] - range.rates[i - 1]) * last / (last - above));
        last = above;
    }
    return out;
}

int modes_over_spins(Simulation& simulation, const Options& options) {
    SpinRangeOptions how;
    how.modes = modes_options(options);
    how.finds_steady = options.spinning;
    const auto [first, last, count] = *options.spin_range;
    for (std::uint64_t i = 0; i < count; ++i)
        how.rates.push_back(first + (last - first) * static_cast<double>(i) /
                                        static_cast<double>(count - 1));
    if (options.dir) require_campbell(*options.dir);
    const SpinRange range = simulation.modes_over_spins(how);
    const bool is_turning = std::ranges::any_of(range.modes, &Modes::is_spinning);

    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    std::vector<CampbellCurve> curves;
    for (const std::vector<int>& branch : range.branches) {
        CampbellCurve curve;
        std::size_t middle = 0;
        for (std::size_t i = 0; i < branch.size(); ++i) {
            const Mode* const mode = branch[i] < 0 ? nullptr : &range.modes[i].modes[branch[i]];
            curve.frequency.push_back(mode != nullptr ? mode->frequency : kNone);
            curve.damping.push_back(mode != nullptr ? mode->damping : kNone);
            curve.whirl.push_back(mode != nullptr ? mode->whirl : kNone);
            curve.eigenvalue.push_back(mode != nullptr ? mode->eigenvalue
                                                       : std::complex<double>(kNone, kNone));
            if (mode != nullptr) middle = i;
        }
        const Mode& shown = range.modes[middle].modes[branch[middle]];
        curve.name = fmt::format("{} {}", moves_most(shown), whirl_word(shown.whirl));
        curves.push_back(std::move(curve));
    }
    if (options.dir)
        write_campbell(*options.dir, simulation.name(), is_turning, range.rates, curves);
    if (options.json) {
        Json list = Json::array();
        for (const CampbellCurve& curve : curves) {
            Json eigenvalues = Json::array();
            for (const auto& value : curve.eigenvalue) eigenvalues.push_back(complex_json(value));
            list.push_back({{"name", curve.name},
                            {"frequency", curve.frequency},
                            {"damping_ratio", curve.damping},
                            {"whirl", curve.whirl},
                            {"eigenvalue", std::move(eigenvalues)},
                            {"critical_rates", critical_rates(range, curve)}});
        }
        write_out(json_text({{"model", simulation.name()},
                             {"axes", is_turning ? "turning" : "fixed"},
                             {"rates", range.rates},
                             {"modes", std::move(list)}}));
        return 0;
    }
    if (options.quiet) return 0;
    constexpr std::size_t kMostCurves = 8;
    TextTable table;
    std::vector<std::string> cells{"spin, rad/s"};
    for (std::size_t k = 0; k < curves.size() && k < kMostCurves; ++k)
        cells.push_back(fmt::format("{}, Hz", k + 1));
    table.add(cells);
    const std::size_t every = 1 + (range.rates.size() - 1) / kMostRowsShown;
    for (std::size_t i = 0; i < range.rates.size(); i += every) {
        cells = {fmt::format("{:.6g}", range.rates[i])};
        for (std::size_t k = 0; k < curves.size() && k < kMostCurves; ++k) {
            const CampbellCurve& curve = curves[k];
            cells.push_back(std::isnan(curve.frequency[i])
                                ? ""
                                : fmt::format("{:.6g}{}",
                                              curve.frequency[i],
                                              curve.eigenvalue[i].real() > 0.0 ? " unstable" : ""));
        }
        table.add(cells);
    }
    table.add_gap();
    for (std::size_t k = 0; k < curves.size() && k < kMostCurves; ++k)
        table.add({fmt::format("{}", k + 1), curves[k].name});
    std::string critical;
    if (!is_turning)
        for (const CampbellCurve& curve : curves)
            for (const double rate : critical_rates(range, curve))
                critical += fmt::format("{}{:.6g}", critical.empty() ? "" : ", ", rate);
    write_out(fmt::format(
        "{}: modes over spins, in axes {}\n\n{}{}{}",
        simulation.name(),
        is_turning ? "that turn with it" : "at rest",
        table.text(),
        critical.empty() ? "" : fmt::format("\nthe spin meets a frequency at {} rad/s\n", critical),
        options.dir ? fmt::format("\ncampbell.csv and campbell.svg in {}\n", options.dir->string())
                    : ""));
    return 0;
}

}  // namespace

int equilibrium(const Options& options) {
    LoadedModel model(options);
    Simulation& simulation = *model.simulation;
    EquilibriumOptions wanted;
    wanted.nearest = options.nearest;
    wanted.spinning = options.spinning;
    const Equilibrium rest = simulation.find_equilibrium(wanted);
    if (options.json)
        write_out(json_text(json_of(simulation, rest)));
    else if (!options.quiet)
        write_out(text_of(simulation, rest));
    return 0;
}

namespace {

int buckling(Simulation& simulation, const Options& options) {
    if (options.spinning || options.spin_range || options.axes)
        throw Error(ErrorKind::usage,
                    "--buckling is of a state of rest; leave out --spinning, --spin-range and "
                    "--axes");
    if (options.at) go_there(simulation, options);
    simulation.find_equilibrium({.nearest = true});
    BucklingOptions how;
    if (options.count) how.count = static_cast<int>(*options.count);
    const Buckling found = simulation.buckling(how);
    std::vector<const Mode*> motions;
    for (const Buckling::Shape& shape : found.shapes) motions.push_back(&shape.motion);
    const std::size_t num_written =
        options.dir
            ? write_frames(simulation,
                           motions,
                           options,
                           [&](std::size_t k) {
                               return fmt::format("load factor {:.6g}", found.shapes[k].factor);
                           })
            : 0;
    if (options.json) {
        Json list = Json::array();
        for (const Buckling::Shape& shape : found.shapes) {
            Json entry = motion_json(shape.motion);
            entry["factor"] = shape.factor;
            list.push_back(std::move(entry));
        }
        Json out = {{"model", simulation.name()},
                    {"time", simulation.time()},
                    {"degrees_of_freedom", found.degrees_of_freedom},
                    {"written", num_written},
                    {"buckling", std::move(list)}};
        if (found.reverse_factor < 0.0) out["reverse_factor"] = found.reverse_factor;
        write_out(json_text(out));
        return 0;
    }
    if (options.quiet) return 0;
    TextTable table;
    table.add({"", "load factor", "moves most"});
    for (std::size_t k = 0; k < found.shapes.size(); ++k)
        table.add({fmt::format("{}", k + 1),
                   fmt::format("{:.9g}", found.shapes[k].factor),
                   moves_most(found.shapes[k].motion)});
    write_out(fmt::format(
        "{}: buckling about rest, {} of freedom\n\n{}{}",
        simulation.name(),
        counted(found.degrees_of_freedom, "degree"),
        found.shapes.empty() ? "no multiple of its stresses makes it unstable\n" : table.text(),
        found.reverse_factor < 0.0
            ? fmt::format("\nunder the reverse of its loads: {:.9g}\n", found.reverse_factor)
            : ""));
    if (num_written > 0)
        write_out(fmt::format("\n{} of them in {}; `ancora report {}` shows the first\n",
                              num_written,
                              options.dir->string(),
                              (*options.dir / "mode_01").string()));
    return 0;
}

}  // namespace

int modes(const Options& options) {
    LoadedModel model(options);
    Simulation& simulation = *model.simulation;
    if (options.buckling) return buckling(simulation, options);
    if (options.spin_range) {
        Options way = options;
        way.spinning = false;  // at each rate
        go_there(simulation, way);
        return modes_over_spins(simulation, options);
    }
    go_there(simulation, options);
    const Modes found = simulation.modes(modes_options(options));
    std::vector<const Mode*> all;
    for (const Mode& mode : found.modes) all.push_back(&mode);
    const std::size_t num_written =
        options.dir ? write_frames(simulation,
                                   all,
                                   options,
                                   [&](std::size_t k) {
                                       return fmt::format("{:.6g} Hz", all[k]->frequency);
                                   })
                    : 0;
    if (options.json) {
        Json list = Json::array();
        for (const Mode& mode : found.modes) {
            Json entry = motion_json(mode);
            entry["eigenvalue"] = complex_json(mode.eigenvalue);
            entry["frequency"] = mode.frequency;
            entry["damping_ratio"] = mode.damping;
            entry["whirl"] = mode.whirl;
            list.push_back(std::move(entry));
        }
        Json parts = Json::object();
        for (const Modes::SpinningPart& part : found.parts) parts[part.name] = part.rate;
        write_out(json_text({{"model", simulation.name()},
                             {"time", simulation.time()},
                             {"degrees_of_freedom", found.degrees_of_freedom},
                             {"spin", found.spin},
                             {"spinning_parts", std::move(parts)},
                             {"complete", found.is_complete},
                             {"written", num_written},
                             {"modes", std::move(list)}}));
        return 0;
    }
    if (options.quiet) return 0;
    const bool spins = found.is_spinning || !found.parts.empty();
    TextTable table;
    std::vector<std::string> head{
        "", "frequency, Hz", "eigenvalue, 1/s", "damping ratio", "moves most"};
    if (spins) head.emplace_back("whirl");
    table.add(head);
    for (std::size_t k = 0; k < found.modes.size() && k < kMostRowsShown; ++k) {
        const Mode& mode = found.modes[k];
        std::vector<std::string> cells{fmt::format("{}", k + 1),
                                       fmt::format("{:.9g}", mode.frequency),
                                       fmt::format("{:.6g} {} {:.9g} i",
                                                   mode.eigenvalue.real(),
                                                   mode.eigenvalue.imag() == 0.0 ? "+" : "+-",
                                                   std::abs(mode.eigenvalue.imag())),
                                       mode.eigenvalue.real() > 0.0 ? std::string("unstable")
                                       : mode.eigenvalue == 0.0
                                           ? std::string("free motion")
                                           : fmt::format("{:.4g}", std::abs(mode.damping)),
                                       moves_most(mode)};
        if (spins) cells.emplace_back(whirl_word(mode.whirl));
        table.add(cells);
    }
    std::string about =
        options.at_rest ? "about rest" : fmt::format("at t = {:.6g} s", simulation.time());
    if (spins) about = about_spin(found);
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
    LoadedModel model(options);
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
        write_out(json_text({{"model", simulation.name()},
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
