// SPDX-License-Identifier: BSD-3-Clause
// `ancora joint-space` and `inverse-kinematics`: a mechanism in the coordinates of its joints.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "json_text.hpp"
#include "loaded_model.hpp"
#include "matrix_files.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 8;  // columns of a matrix
constexpr double kRounding = 1e-13;

/// Stepped to --at or brought to rest.
struct PlacedModel : LoadedModel {
    explicit PlacedModel(const Options& options) : LoadedModel(options) {
        if (options.at_rest) simulation->find_equilibrium();
        while (options.at && simulation->time() < *options.at && !simulation->done())
            simulation->step();
    }
};

Json to_json(const Simulation& simulation, const JointSpace& space) {
    const int r = static_cast<int>(space.coordinates.size());
    Json coordinates = Json::array(), points = Json::array();
    for (const JointSpace::Coordinate& one : space.coordinates) {
        Json entry = {{"name", one.name}, {"unit", one.unit}};
        if (!std::isnan(one.value)) entry["value"] = one.value;
        entry["rate"] = one.rate;
        coordinates.push_back(std::move(entry));
    }
    for (const JointSpace::Point& point : space.points)
        points.push_back({{"name", point.name},
                          {"J", matrix_json(point.J, point.rows, r)},
                          {"bias", point.bias}});
    return {{"model", simulation.name()},
            {"time", simulation.time()},
            {"coordinates", coordinates},
            {"M", matrix_json(space.M, r, r)},
            {"C", matrix_json(space.C, r, r)},
            {"bias", space.bias},
            {"points", points},
            {"following", space.following},
            {"fixed", space.fixed},
            {"conditions", space.num_conditions},
            {"redundant", space.num_redundant},
            {"omitted", space.omitted}};
}

std::string to_text(const Simulation& simulation, const JointSpace& space) {
    const std::size_t r = space.coordinates.size();
    TextTable table;
    std::vector<std::string> head{"coordinate", "value", "rate", "bias"};
    const bool shows_mass = r <= kMostShown;
    if (shows_mass)
        for (std::size_t k = 0; k < r; ++k) head.push_back(k == 0 ? "M" : "");
    table.add(head);
    for (std::size_t i = 0; i < r; ++i) {
        const JointSpace::Coordinate& one = space.coordinates[i];
        std::vector<std::string> row{one.name,
                                     std::isnan(one.value) ? "" : quantity(one.value, one.unit),
                                     quantity(one.rate, one.unit + "/s"),
                                     quantity(space.bias[i], one.unit == "rad" ? "N m" : "N")};
        for (std::size_t k = 0; shows_mass && k < r; ++k)
            row.push_back(fmt::format("{:.6g}", space.M[i * r + k]));
        table.add(std::move(row));
    }
    std::string out = fmt::format("{} at t = {:.6g} s: M p'' + bias = tau, {} coordinate{}\n\n{}",
                                  simulation.name(),
                                  simulation.time(),
                                  r,
                                  r == 1 ? "" : "s",
                                  table.text());
    if (r == 0) out = fmt::format("{}: nothing is free to move\n", simulation.name());
    for (const JointSpace::Point& point : space.points) {
        if (r == 0) break;
        // What is rounding of zero is shown as that.
        double largest = 0.0;
        for (const double x : point.J) largest = std::max(largest, std::abs(x));
        const auto shown = [largest](double x) {
            return fmt::format("{:.6g}", std::abs(x) > kRounding * largest ? x : 0.0);
        };
        TextTable jacobian;
        for (int i = 0; i < point.rows; ++i) {
            std::vector<std::string> row{i == 0 ? "J of " + point.name : ""};
            for (std::size_t k = 0; k < r && k < kMostShown; ++k)
                row.push_back(shown(point.J[static_cast<std::size_t>(i) * r + k]));
            if (r > kMostShown) row.emplace_back("...");
            jacobian.add(std::move(row));
        }
        out += "\n" + jacobian.text();
    }
    for (const std::string& remark : space.remarks()) out += "\n" + remark + "\n";
    return out;
}

}  // namespace

int joint_space(const Options& options) {
    PlacedModel model(options);
    Simulation& simulation = *model.simulation;
    if (options.dir) {
        std::error_code failed;
        std::filesystem::create_directories(*options.dir, failed);
    }
    const JointSpace space = simulation.joint_space(options.by, options.of);
    const int r = static_cast<int>(space.coordinates.size());
    if (options.dir) {
        std::vector<NamedMatrix> matrices = {
            {"M", space.M, r, r},
            {"C", space.C, r, r},
            {"bias", space.bias, r, 1},
            {"T", space.T, space.num_coordinates, r},
        };
        std::vector<double> J, J_bias;
        std::vector<std::string> names, points;
        int rows = 0;
        for (const JointSpace::Point& point : space.points) {
            J.insert(J.end(), point.J.begin(), point.J.end());
            J_bias.insert(J_bias.end(), point.bias.begin(), point.bias.end());
            rows += point.rows;
            points.push_back(point.name);
        }
        if (rows > 0) {
            matrices.push_back({"J", J, rows, r});
            matrices.push_back({"J_bias", J_bias, rows, 1});
        }
        for (const JointSpace::Coordinate& one : space.coordinates) names.push_back(one.name);
        for (const NamedMatrix& matrix : matrices) write_npy(*options.dir, matrix);
        write_mat(*options.dir / "joint_space.mat",
                  matrices,
                  {{"coordinates", names}, {"points", points}});
    }
    if (options.json)
        write_out(json_text(to_json(simulation, space)));
    else if (!options.quiet)
        write_out(to_text(simulation, space));
    return 0;
}

int inverse_kinematics(const Options& options) {
    if (options.targets.empty())
        throw Error(ErrorKind::usage,
                    "\"ancora inverse-kinematics\" needs --to TARGET, such as \"hand@[0, 0, 0.1] = "
                    "[0.3, 0, 0.5]\"");
    std::vector<KinematicTarget> targets;
    for (const std::string& text : options.targets) targets.push_back(KinematicTarget::parse(text));
    PlacedModel model(options);
    Simulation& simulation = *model.simulation;
    const InverseKinematics found = simulation.inverse_kinematics(targets);
    TextTable table;
    table.add({"measure", "value", ""});
    Json values = Json::object();
    for (const auto& [column, unit] : simulation.column_units()) {
        if (unit != "rad" && unit != "m") continue;
        const double value = simulation.value(column);
        values[column] = value;
        table.add(
            {column,
             quantity(value, unit),
             unit == "rad" ? fmt::format("{:.6g} deg", value * 180.0 / std::numbers::pi) : ""});
    }
    if (options.json) {
        Json bodies = Json::object();
        for (const Simulation::BodyState& body : simulation.body_states())
            bodies[body.name] = std::vector<double>(body.q.begin(), body.q.end());
        write_out(json_text({{"model", simulation.name()},
                             {"reached", found.is_reached},
                             {"distance", found.distance},
                             {"angle", found.angle},
                             {"iterations", found.iterations},
                             {"free", found.num_free},
                             {"at_limits", found.at_limits},
                             {"measures", values},
                             {"bodies", bodies}}));
    } else if (!options.quiet) {
        std::string out =
            fmt::format("{}: {}\n\n{}",
                        simulation.name(),
                        found.is_reached ? fmt::format("placed, {} iterations", found.iterations)
                                         : "the nearest place",
                        table.text());
        if (found.num_free > 0)
            out += fmt::format(
                "\n{} degree{} of freedom left: of many places this is one near the start\n",
                found.num_free,
                found.num_free == 1 ? "" : "s");
        if (!found.at_limits.empty())
            out += fmt::format("\nheld by {}\n", fmt::join(found.at_limits, ", "));
        write_out(out);
    }
    if (!found.is_reached)
        throw Error(
            ErrorKind::numerical,
            fmt::format("the targets are not reached from this start: {:.3g} m and {:.3g} "
                        "rad are left{}; they may be out of reach, or contradict each "
                        "other, or need a start that is nearer",
                        found.distance,
                        found.angle,
                        found.at_limits.empty()
                            ? ""
                            : fmt::format(", held by {}", fmt::join(found.at_limits, ", "))));
    return 0;
}

}  // namespace ancora::command
