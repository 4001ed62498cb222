// SPDX-License-Identifier: BSD-3-Clause
// `ancora replay`: makes a failed call of a plugin again and shows what goes in and what comes out.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "ancora/framework/failed_call.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

constexpr int kFailsAgain = 4;
// Entries of one input or output that are shown.
constexpr std::size_t kMostShown = 60;

void add(TextTable& table, const CallValues& values) {
    std::string name = values.name;
    // Vectors in threes, as the components of attachments come.
    const std::size_t columns =
        values.columns > 1 ? static_cast<std::size_t>(values.columns) : std::size_t{3};
    const std::size_t shown = std::min(values.values.size(), kMostShown);
    if (values.values.empty()) table.add({name, "none"});
    for (std::size_t first = 0; first < shown; first += columns) {
        std::string row;
        bool is_bad = false;
        for (std::size_t i = first; i < std::min(first + columns, shown); ++i) {
            row += fmt::format("{}{}", row.empty() ? "" : "  ", values.values[i]);
            is_bad |= !std::isfinite(values.values[i]);
        }
        if (is_bad)
            table.add({name, row, "<- not finite"});
        else
            table.add({name, row});
        name = "";
    }
    if (shown < values.values.size())
        table.add({"", fmt::format("and {} more", values.values.size() - shown)});
}

std::string values_section(const char* title, const std::vector<CallValues>& values) {
    if (values.empty()) return "";
    TextTable table;
    for (const CallValues& one : values) add(table, one);
    return fmt::format("{}\n{}\n", title, table.text());
}

std::string verdict(const Replay& replay) {
    if (!replay.thrown.empty()) return fmt::format("it fails again: it threw {}\n", replay.thrown);
    if (replay.bad.empty()) return "it does not fail this time: every output is finite\n";
    std::string text = "it fails again:\n";
    const std::size_t shown = std::min(replay.bad.size(), kMostShown);
    for (std::size_t i = 0; i < shown; ++i) text += fmt::format("  {}\n", replay.bad[i]);
    if (shown < replay.bad.size())
        text += fmt::format("  and {} more\n", replay.bad.size() - shown);
    return text;
}

}  // namespace

int replay(const Options& options) {
    PluginRegistry registry;
    add_folders(registry, options);
    const Replay replay = replay_call(options.operand, registry);
    if (!replay.is_same_plugin)
        write_warning(fmt::format(
            "the plugin, \"{}\", is another one than that which failed in the run, \"{}\"",
            replay.plugin_file.string(),
            replay.recorded_file.string()));
    write_out(fmt::format("{}: {}\nin the run: {}\n\n{}{}{}",
                          replay.object,
                          replay.call,
                          replay.failure,
                          values_section("inputs", replay.inputs),
                          values_section("outputs", replay.outputs),
                          verdict(replay)));
    return replay.has_failed ? kFailsAgain : 0;
}

}  // namespace ancora::command
