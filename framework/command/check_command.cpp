// SPDX-License-Identifier: BSD-3-Clause
// `ancora check`: assembles a model and says what it is, without a time step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "ancora/framework/manifest_text.hpp"
#include "ancora/framework/simulation.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

/// Some of them, and how many more.
std::string words(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 12;
    const std::size_t shown = std::min(names.size(), kMost);
    std::string out = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
    if (shown < names.size()) out += fmt::format(" and {} more", names.size() - shown);
    return out;
}

using Json = nlohmann::ordered_json;

double total_energy(const ModelAnalysis& model) {
    return model.kinetic_energy + model.elastic_energy + model.gravity_energy;
}

std::array<double, 3> inertia_row(const ModelAnalysis& model, int i) {
    return {model.inertia[3 * i], model.inertia[3 * i + 1], model.inertia[3 * i + 2]};
}

void add_moved(TextTable& table, const char* label, const std::vector<MovedBody>& bodies) {
    constexpr double kDegrees = 57.29577951308232;
    for (const MovedBody& body : bodies) {
        table.add({label,
                   fmt::format("{}: moved {:.3g} m, turned {:.3g} deg",
                               body.name,
                               body.moved,
                               kDegrees * body.turned)});
        label = "";
    }
}

/// Joints as they stand, and what was moved to make them fit.
void add_mechanism(TextTable& table, const ModelAnalysis& model) {
    if (!model.joints.empty()) table.add_gap();
    const char* label = "joints";
    for (const JointState& joint : model.joints) {
        const auto& p = joint.point;
        const auto& d = joint.axis;
        std::string text = fmt::format("{} ({}): {} - {}, at [{:.4g}, {:.4g}, {:.4g}]",
                                       joint.name,
                                       joint.type,
                                       joint.a,
                                       joint.b,
                                       p[0],
                                       p[1],
                                       p[2]);
        if (d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0)
            text += fmt::format(", axis [{:.3g}, {:.3g}, {:.3g}]", d[0], d[1], d[2]);
        for (const JointState::Value& value : joint.values)
            text += fmt::format(", {} {:.4g} {}", value.name, value.value, value.unit);
        table.add({label, text});
        label = "";
    }
    add_moved(table, "placed by joints", model.placed);
    add_moved(table, "moved by project_start", model.projected);
    label = model.projected.empty() ? "moved by project_start" : "";
    for (const MovedMeasure& measure : model.projected_measures) {
        table.add({label,
                   fmt::format("{} from {:.6g} to {:.6g} {}",
                               measure.name,
                               measure.before,
                               measure.after,
                               measure.unit)});
        label = "";
    }
}

// Of the largest: forces, and components of one, below it are rounding.
constexpr double kNegligible = 1e-9;

std::string vector_text(const std::vector<double>& values, const char* unit) {
    double square = 0.0;
    for (const double x : values) square += x * x;
    const double size = std::sqrt(square);
    std::string out = quantity(size, unit);
    if (values.size() < 2) return out;
    out += " [";
    for (std::size_t i = 0; i < values.size(); ++i)
        out += fmt::format("{}{:.5g}",
                           i > 0 ? ", " : "",
                           std::abs(values[i]) > kNegligible * size ? values[i] : 0.0);
    return out + "]";
}

/// @param least  a part whose numbers are all below it is left out
std::string force_text(const ObjectForce& of, double least) {
    std::vector<std::string> parts;
    const auto add = [&](const std::vector<double>& values, const char* unit) {
        if (std::ranges::any_of(values, [least](double x) {
                return std::abs(x) > least;
            }))
            parts.push_back(vector_text(values, unit));
    };
    add(of.force, "N");
    add(of.moment, "N m");
    if (!of.multipliers.empty()) parts.push_back("multipliers " + vector_text(of.multipliers, ""));
    if (of.has_value) parts.push_back(quantity(of.value, of.unit));
    std::string out =
        fmt::format("{} ({}): {}", of.name, of.type, fmt::join(parts.begin(), parts.end(), ", "));
    if (of.num_lines > 1) out += fmt::format(" at line {}, the most of {}", of.line, of.num_lines);
    return out;
}

/// "floor, spring and 3 more bear nothing": forces from `first` on.
std::string idle_text(const std::vector<ObjectForce>& forces, std::size_t first) {
    constexpr std::size_t kMostNames = 6;
    const std::size_t count = forces.size() - first, shown = std::min(count, kMostNames);
    std::string names;
    for (std::size_t i = 0; i < shown; ++i)
        names += fmt::format("{}{}",
                             i == 0                             ? ""
                             : i + 1 == shown && shown == count ? " and "
                                                                : ", ",
                             forces[first + i].name);
    if (shown < count) names += fmt::format(" and {} more", count - shown);
    return fmt::format("{} {} nothing", names, count == 1 ? "bears" : "bear");
}

/// What objects bear and apply, the largest first.
void add_forces(TextTable& table, const ModelAnalysis& model) {
    constexpr std::size_t kMost = 12;
    if (model.forces.empty()) return;
    table.add_gap();
    const double least = kNegligible * model.forces.front().size;
    const auto num_bearing =
        static_cast<std::size_t>(std::ranges::count_if(model.forces, [&](const ObjectForce& of) {
            return of.size > least;
        }));
    const char* label = "forces at the start";
    const auto add = [&](std::string text) {
        table.add({label, std::move(text)});
        label = "";
    };
    const std::size_t shown = std::min(kMost, num_bearing);
    for (std::size_t i = 0; i < shown; ++i) add(force_text(model.forces[i], least));
    if (shown < num_bearing)
        add(fmt::format("and {} more, of {} at most",
                        num_bearing - shown,
                        quantity(model.forces[shown].size, "N")));
    if (num_bearing < model.forces.size()) add(idle_text(model.forces, num_bearing));
    const bool has_joints =
        std::ranges::any_of(std::span(model.forces).first(shown), [&](const ObjectForce& of) {
            return std::ranges::any_of(model.joints, [&](const JointState& joint) {
                return joint.name == of.name;
            });
        });
    if (has_joints) add("of joints: on b, in the joint's axes of a");
}

/// How bodies are accelerated, the largest first.
void add_accelerations(TextTable& table, const ModelAnalysis& model) {
    constexpr std::size_t kMost = 12;
    constexpr double kRounding = 1e-8;  // of differences
    double linear = 0.0, angular = 0.0;
    for (const BodyAcceleration& of : model.accelerations)
        for (std::size_t i = 0; i < 3; ++i) {
            linear = std::max(linear, std::abs(of.linear[i]));
            angular = std::max(angular, std::abs(of.angular[i]));
        }
    const auto rounded = [](std::array<double, 3> x, double scale) {
        for (double& one : x)
            if (std::abs(one) <= kRounding * std::max(scale, 1.0)) one = 0.0;
        return std::vector<double>(x.begin(), x.end());
    };
    const char* label = "accelerations at the start";
    std::size_t shown = 0, num_resting = 0;
    for (const BodyAcceleration& of : model.accelerations) {
        const std::vector<double> a = rounded(of.linear, linear), w = rounded(of.angular, angular);
        const auto is_zero = [](const std::vector<double>& x) {
            return std::ranges::all_of(x, [](double one) {
                return one == 0.0;
            });
        };
        if (is_zero(a) && is_zero(w)) {
            ++num_resting;
            continue;
        }
        if (++shown > kMost) continue;
        std::string text = fmt::format("{}: {}", of.name, vector_text(a, "m/s^2"));
        if (!is_zero(w)) text += ", " + vector_text(w, "rad/s^2");
        if (shown == 1) table.add_gap();
        table.add({label, std::move(text)});
        label = "";
    }
    if (shown > kMost) table.add({"", fmt::format("and {} more", shown - kMost)});
    if (shown > 0 && num_resting > 0) table.add({"", fmt::format("{} none", num_resting)});
}

/// What bodies say of themselves.
void add_notes(TextTable& table, const ModelAnalysis& model) {
    const std::string* last = nullptr;
    for (const BodyNote& note : model.notes) {
        const bool is_next = last == nullptr || *last != note.body;
        if (is_next) table.add_gap();
        table.add({is_next ? note.body : "", note.text});
        last = &note.body;
    }
}

std::string to_text(const Simulation& simulation, const ModelAnalysis& model) {
    TextTable table;
    const auto add_count = [&](const char* name, int count) {
        table.add({name, fmt::format("{}", count)});
    };
    add_count("bodies", model.num_bodies);
    add_count("joints", model.num_joints);
    add_count("constraints", model.num_constraints);
    add_count("forces", model.num_forces);
    table.add_gap();
    table.add({"total mass", quantity(model.mass, "kg")});
    table.add({"centre of mass", quantity(model.center_of_mass, "m")});
    table.add({"inertia", quantity(inertia_row(model, 0), "kg m^2")});
    table.add({"  about the centre of mass,", quantity(inertia_row(model, 1), "kg m^2")});
    table.add({"  inertial axes", quantity(inertia_row(model, 2), "kg m^2")});
    table.add_gap();
    table.add({"initial energy", quantity(total_energy(model), "J")});
    table.add({"  kinetic", quantity(model.kinetic_energy, "J")});
    table.add({"  elastic, central gravity", quantity(model.elastic_energy, "J")});
    table.add({"  gravity, zero at the origin", quantity(model.gravity_energy, "J")});
    table.add({"momentum", quantity(model.momentum, "kg m/s")});
    table.add({"angular momentum", quantity(model.angular_momentum, "kg m^2/s")});
    table.add_gap();
    add_count("coordinates", model.num_coordinates);
    add_count("rows, elastic ones included", model.num_rows);
    add_count("constraint rows", model.num_constraint_rows);
    add_count("rank", model.rank);
    if (model.num_constraint_rows > 0)
        table.add({"  threshold",
                   fmt::format("{:.1e} of the largest pivot; smallest kept {:.1e}, "
                               "largest dropped {:.1e}",
                               model.rank_threshold,
                               model.smallest_kept,
                               model.largest_dropped)});
    add_count("redundant rows", model.num_constraint_rows - model.rank);
    for (const std::string& row : model.redundant_rows) table.add({"", row});
    if (!model.arbitrary_reactions.empty())
        table.add({"  reactions not unique", words(model.arbitrary_reactions)});
    add_count("degrees of freedom", model.degrees_of_freedom);
    if (model.gruebler > -1000)
        table.add(
            {"  by Gruebler",
             fmt::format("{}{}",
                         model.gruebler,
                         model.gruebler < model.degrees_of_freedom ? ", as if no row were redundant"
                         : model.gruebler > model.degrees_of_freedom
                             ? ", of the joints alone, without drives and the like"
                             : "")});
    table.add({"accelerations", model.undetermined.empty() ? "unique" : model.undetermined});
    add_mechanism(table, model);
    add_forces(table, model);
    add_accelerations(table, model);
    add_notes(table, model);
    table.add_gap();
    const char* label = "plugins";
    for (const Plugin* plugin : simulation.plugins()) {
        table.add(
            {label,
             fmt::format("{} {} ({})", plugin->name, plugin->version, plugin->file.string())});
        label = "";
    }
    return fmt::format("{}: at the start\n\n{}", simulation.name(), table.text());
}

/// As many as a person or a program reads; the number of the others stands beside them.
constexpr std::size_t kMostForces = 100;

Json forces_json(const ModelAnalysis& model) {
    Json out = Json::array();
    for (std::size_t i = 0; i < std::min(kMostForces, model.forces.size()); ++i) {
        const ObjectForce& of = model.forces[i];
        Json entry{{"name", of.name}, {"type", of.type}};
        if (!of.force.empty()) entry["force"] = of.force;
        if (!of.moment.empty()) entry["moment"] = of.moment;
        if (!of.multipliers.empty()) entry["multipliers"] = of.multipliers;
        if (of.has_value) {
            entry["value"] = of.value;
            entry["unit"] = of.unit;
        }
        if (of.num_lines > 0) {
            entry["line"] = of.line;
            entry["lines"] = of.num_lines;
        }
        out.push_back(std::move(entry));
    }
    return out;
}

Json accelerations_json(const ModelAnalysis& model) {
    Json out = Json::array();
    for (std::size_t i = 0; i < std::min(kMostForces, model.accelerations.size()); ++i) {
        const BodyAcceleration& of = model.accelerations[i];
        out.push_back({{"name", of.name}, {"linear", of.linear}, {"angular", of.angular}});
    }
    return out;
}

Json to_json(const Simulation& simulation, const ModelAnalysis& model) {
    Json plugins = Json::array(), notes = Json::array();
    for (const BodyNote& note : model.notes)
        notes.push_back({{"body", note.body}, {"text", note.text}});
    for (const Plugin* plugin : simulation.plugins())
        plugins.push_back({{"name", plugin->name},
                           {"version", plugin->version},
                           {"file", plugin->file.string()},
                           {"sha256", plugin->sha256}});
    return {
        {"model", simulation.name()},
        {"bodies", model.num_bodies},
        {"joints", model.num_joints},
        {"constraints", model.num_constraints},
        {"forces", model.num_forces},
        {"mass", model.mass},
        {"center_of_mass", model.center_of_mass},
        {"inertia", {inertia_row(model, 0), inertia_row(model, 1), inertia_row(model, 2)}},
        {"energy",
         {{"kinetic", model.kinetic_energy},
          {"elastic", model.elastic_energy},
          {"gravity", model.gravity_energy},
          {"total", total_energy(model)}}},
        {"momentum", model.momentum},
        {"angular_momentum", model.angular_momentum},
        {"coordinates", model.num_coordinates},
        {"rows", model.num_rows},
        {"constraint_rows", model.num_constraint_rows},
        {"rank", model.rank},
        {"rank_threshold", model.rank_threshold},
        {"smallest_kept", model.smallest_kept},
        {"largest_dropped", model.largest_dropped},
        {"near_threshold", model.near_threshold},
        {"redundant_rows", model.redundant_rows},
        {"arbitrary_reactions", model.arbitrary_reactions},
        {"degrees_of_freedom", model.degrees_of_freedom},
        {"accelerations", model.undetermined.empty() ? "unique" : model.undetermined},
        {"present_accelerations", accelerations_json(model)},
        {"present_forces", forces_json(model)},
        {"smaller_forces", model.forces.size() - std::min(kMostForces, model.forces.size())},
        {"notes", std::move(notes)},
        {"plugins", std::move(plugins)},
    };
}

/// Says what is allowed and most likely not meant.
void warn_of_slips(const Manifest& manifest, const ModelAnalysis& model) {
    constexpr std::size_t kMost = 10;
    for (std::size_t i = 0; i < std::min(kMost, model.implausible.size()); ++i)
        write_warning(model.implausible[i]);
    if (model.implausible.size() > kMost)
        write_warning(fmt::format("and {} more of these", model.implausible.size() - kMost));
    const IntegratorSettings& run = manifest.integrator;
    if (manifest.output.every && *manifest.output.every > run.end - run.begin)
        write_warning(fmt::format(
            "[output]: every = {:g} s is longer than the run, {:g} s: there are rows of "
            "its begin and its end alone; take a shorter \"every\"",
            *manifest.output.every,
            run.end - run.begin));
    if (model.chooses_steps) return;
    if (run.end - run.begin < run.step)
        write_warning(
            fmt::format("[integrator]: the run takes {:g} s, less than a step of {:g} s: it "
                        "is one short step; give a later end, or a shorter step",
                        run.end - run.begin,
                        run.step));
    if (manifest.output.every && *manifest.output.every < run.step)
        write_warning(
            fmt::format("[output]: every = {:g} s is less than a step of {:g} s, and rows "
                        "stand at the ends of steps: take shorter steps, or a longer "
                        "\"every\"",
                        *manifest.output.every,
                        run.step));
}

}  // namespace

int check(const Options& options) {
    const Manifest manifest = Manifest::load(options.operand, options.overrides);
    PluginRegistry registry;
    add_folders(registry, options);
    lock_if_asked(registry, options);
    if (options.print) {
        write_out(expanded_text(manifest, registry));
        return 0;
    }
    const Simulation simulation(manifest, registry, &write_warning);
    spdlog::info("assembled \"{}\": {} coordinates", simulation.name(), simulation.q().size());

    const ModelAnalysis model = simulation.analyse();
    if (model.near_threshold)
        write_warning(
            fmt::format("the rank of the constraint rows is a close call: {} was decided with the "
                        "threshold {:.1e}, but a relative pivot lies between 1e-14 and 1e-8",
                        model.rank,
                        model.rank_threshold));
    warn_of_slips(manifest, model);
    if (options.json)
        write_out(to_json(simulation, model).dump(2, ' ', false, Json::error_handler_t::replace) +
                  "\n");
    else
        write_out(to_text(simulation, model));
    return 0;
}

}  // namespace ancora::command
