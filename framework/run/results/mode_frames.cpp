// SPDX-License-Identifier: BSD-3-Clause
// A mode, written as the results of a run.
#include "ancora/framework/mode_frames.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <fstream>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/version.hpp"
#include "frame_recorder.hpp"
#include "history_writer.hpp"
#include "result_files.hpp"
#include "results_folder.hpp"

namespace ancora {
namespace {

// How far one that does not swing decays or grows.
constexpr double kLifetimes = 3.0;

/// e^(lambda t) at a part of the period, undamped.
std::complex<double> motion_at(const Mode& mode, double part) {
    const double swing = mode.eigenvalue.imag(), decay = mode.eigenvalue.real();
    if (swing != 0.0) return std::polar(1.0, 2.0 * std::numbers::pi * part);
    return decay > 0.0 ? std::exp(kLifetimes * (part - 1.0)) : std::exp(-kLifetimes * part);
}

// Beyond it bodies that are shown by linear displacements grow [rad].
constexpr double kLargestTurn = 0.3;

struct Column {
    std::string name;
    double rest;
    std::complex<double> amplitude;
};

std::vector<Column> columns_of(const Simulation& simulation, const Mode& mode) {
    std::vector<Column> out;
    for (const Mode::Part& part : mode.bodies) {
        if (!part.has_pose) continue;
        const Pose at = simulation.pose(part.name);
        for (std::size_t k = 0; k < 3; ++k)
            out.push_back(
                {fmt::format("{}.{}", part.name, "xyz"[k]), at.position[k], part.displacement[k]});
    }
    for (const Mode::Measure& measure : mode.measures)
        out.push_back({measure.name, simulation.value(measure.name), measure.amplitude});
    return out;
}

std::string summary_of(const Simulation& simulation,
                       const Mode& mode,
                       const ModeFramesOptions& options) {
    using Json = nlohmann::ordered_json;
    Json units = Json::object();
    for (const auto& [column, unit] : simulation.column_units()) units[column] = unit;
    const Json summary = {{"ancora", version()},
                          {"model", options.model.empty() ? simulation.name() : options.model},
                          {"exit_reason", "completed"},
                          {"mode",
                           {{"frequency", mode.frequency},
                            {"damping_ratio", mode.damping},
                            {"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}}}},
                          {"units", std::move(units)},
                          {"final_state", {{"t", options.seconds}}}};
    return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void write_mode_frames(const Simulation& simulation,
                       const Mode& mode,
                       const std::filesystem::path& folder_path,
                       const ModeFramesOptions& options) {
    double turn = 0.0;  // of a body, where matter moves by 1 m
    for (const Mode::Part& part : mode.bodies)
        for (const std::complex<double>& x : part.rotation) turn = std::max(turn, std::abs(x));
    double scale = options.largest_part * simulation.extent();
    if (turn * scale > kLargestTurn) scale = kLargestTurn / turn;
    const std::vector<Column> columns = columns_of(simulation, mode);
    std::vector<std::string> names = {"t"};
    for (const Column& column : columns) names.push_back(column.name);

    OutputSettings output;
    output.frames = options.seconds / options.num_frames;
    FrameRecorder frames(simulation, output, options.num_frames + 1.0);
    ResultsFolder folder = ResultsFolder::for_run(folder_path);
    std::vector<std::string> files = frames.files();
    files.insert(files.end(), {kHistoryFile, kSummaryFile});
    folder.begin(files);
    frames.start(folder);
    HistoryWriter history(folder.at(kHistoryFile), names);

    std::vector<double> row(names.size()), dq(mode.shape.size());
    for (int k = 0; k <= options.num_frames; ++k) {
        const double part = static_cast<double>(k) / options.num_frames;
        const std::complex<double> z = scale * motion_at(mode, part);
        row[0] = part * options.seconds;
        for (std::size_t c = 0; c < columns.size(); ++c)
            row[c + 1] = columns[c].rest + (columns[c].amplitude * z).real();
        for (std::size_t i = 0; i < dq.size(); ++i) dq[i] = (mode.shape[i] * z).real();
        history.write_row(row);
        const std::span<double> frame = frames.frame_of_row(row[0], true);
        simulation.sample_frame_moved(dq, frame);
        frames.write();
    }
    history.close();
    frames.close();
    FileWriter summary(folder.at(kSummaryFile));
    summary.append(summary_of(simulation, mode, options));
    summary.close();
}

bool remove_mode_frames(const std::filesystem::path& folder_path) {
    ResultsFolder folder = ResultsFolder::for_resume(folder_path);
    if (!folder.has_folder() || !folder.has_list() || !folder.lists(kSummaryFile)) return false;
    std::ifstream file(folder_path / kSummaryFile);
    const auto summary = nlohmann::json::parse(file, nullptr, false);
    if (!summary.is_object() || !summary.contains("mode")) return false;
    folder.discard();
    return true;
}

}  // namespace ancora
