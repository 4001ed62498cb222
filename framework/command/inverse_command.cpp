// SPDX-License-Identifier: BSD-3-Clause
// `ancora inverse`: what it takes to move a model as its drives say.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;

/// Columns without meaning for prescribed motion: works and balances, which accumulate over steps.
bool is_of_accounting(const std::string& column) {
    return column.starts_with("work.") || column.find("balance") != std::string::npos ||
           column.ends_with(".work");
}

std::string cell(const std::string& name) {
    if (name.find_first_of(",\"\n") == std::string::npos) return name;
    std::string out = "\"";
    for (const char c : name) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

void require_table(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return;
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    if (std::filesystem::is_regular_file(file) && line.starts_with("t,energy.kinetic")) return;
    throw Error(
        ErrorKind::file,
        fmt::format("\"{}\" is there and is no table of this kind; remove it, or name another "
                    "file",
                    file.string()));
}

}  // namespace

int inverse(const Options& options) {
    Manifest manifest = Manifest::load(options.operand, options.overrides);
    // Positions and velocities are those that drives prescribe, at the start as well, however far
    // from it the bodies stand in the file.
    if (manifest.model.project_start == ProjectStart::no)
        manifest.model.project_start = ProjectStart::drives;
    PluginRegistry registry;
    add_folders(registry, options);
    lock_if_asked(registry, options);
    if (options.out) require_table(*options.out);
    Simulation simulation(manifest, registry, &write_warning);
    simulation.set_threads(options.threads);
    simulation.require_prescribed();

    const std::vector<std::string> names = simulation.column_names();
    std::vector<std::size_t> chosen;
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (is_of_accounting(names[i])) continue;
        chosen.push_back(i);
        text += (text.empty() ? "" : ",") + cell(names[i]);
    }
    text += '\n';
    const double every = manifest.output.every.value_or(simulation.step_size());
    const double end = simulation.end_time();
    std::vector<double> row(names.size()), largest(names.size(), 0.0);
    Json rows = Json::array();
    const auto add = [&] {
        simulation.sample(row);
        std::vector<double> values;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const double value = row[chosen[i]];
            text += fmt::format("{}{:.17g}", i == 0 ? "" : ",", value);
            values.push_back(value);
            largest[chosen[i]] = std::max(largest[chosen[i]], std::abs(value));
        }
        text += '\n';
        if (options.json) rows.push_back(values);
    };
    simulation.follow_prescribed(simulation.begin_time());
    add();
    const double begin = simulation.begin_time();
    const auto count = static_cast<long>(std::ceil((end - begin) / every - 1e-9));
    // Between rows as well, so that turns are counted.
    for (long k = 1; k <= count; ++k) {
        const double to = std::min(end, begin + static_cast<double>(k) * every);
        const double from = simulation.time();
        const auto pieces =
            std::max(1L, std::lround(std::ceil((to - from) / simulation.step_size() - 1e-9)));
        for (long piece = 1; piece <= pieces; ++piece)
            simulation.follow_prescribed(from + (to - from) * static_cast<double>(piece) /
                                                    static_cast<double>(pieces));
        add();
    }
    if (options.out) {
        std::ofstream out(*options.out, std::ios::binary | std::ios::trunc);
        out << text;
        out.close();
        if (!out)
            throw Error(ErrorKind::file,
                        fmt::format("\"{}\" cannot be written", options.out->string()));
    }
    if (options.json) {
        std::vector<std::string> columns;
        for (const std::size_t i : chosen) columns.push_back(names[i]);
        write_out(Json({{"model", simulation.name()}, {"columns", columns}, {"rows", rows}})
                      .dump(2, ' ', false, Json::error_handler_t::replace) +
                  "\n");
    } else if (!options.quiet && !options.out) {
        write_out(text);
    } else if (!options.quiet) {
        write_out(fmt::format("{}: {} instants up to t = {:.6g} s in {}\n",
                              simulation.name(),
                              count + 1,
                              end,
                              options.out->string()));
    }
    return 0;
}

}  // namespace ancora::command
