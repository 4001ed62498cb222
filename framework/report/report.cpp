// SPDX-License-Identifier: BSD-3-Clause
// Collects what a page shows, within its size, and fills in the template.
#include "ancora/framework/report.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "ancora/framework/version.hpp"
#include "file_writer.hpp"
#include "model_differences.hpp"
#include "page_array.hpp"
#include "page_text.hpp"
#include "page_tracks.hpp"
#include "result_files.hpp"
#include "results.hpp"
#include "results_folder.hpp"
#include "sha256.hpp"
#include "shown_path.hpp"
#include "summary_file.hpp"
#include "traps_off.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// More than a plot can show.
constexpr std::size_t kMostRows = 10'000;
// Numbers of columns that are not asked for.
constexpr std::size_t kMostColumnValues = 1'000'000;

// --- history

bool is_of_model(const std::string& column) {
    for (const char* begin : {"energy.", "work.", "momentum.", "angular_momentum.", "constraint."})
        if (column.starts_with(begin)) return true;
    return column == "t";
}

/// Columns of the model, then those that are asked for, or else as many as fit.
std::vector<std::size_t> choose_columns(const History& history,
                                        const ReportOptions& options,
                                        std::size_t num_rows,
                                        Json& notes) {
    std::vector<std::size_t> out;
    const std::vector<std::string>& names = history.columns();
    for (std::size_t c = 0; c < names.size(); ++c)
        if (is_of_model(names[c])) out.push_back(c);
    if (!options.columns.empty()) {
        for (const std::string& name : options.columns)
            if (const std::size_t c = history.column(name); std::ranges::find(out, c) == out.end())
                out.push_back(c);
        return out;
    }
    const std::size_t most =
        std::max(out.size(), kMostColumnValues / std::max<std::size_t>(num_rows, 1));
    for (std::size_t c = 0; c < names.size() && out.size() < most; ++c)
        if (!is_of_model(names[c])) out.push_back(c);
    if (out.size() < names.size())
        notes.push_back(fmt::format("{} of {} columns are in this page; choose others by --columns",
                                    out.size(),
                                    names.size()));
    return out;
}

Json history_json(const History& history,
                  const Json& summary,
                  const ReportOptions& options,
                  Json& notes) {
    const std::size_t rows = history.num_rows();
    const std::size_t stride = std::max<std::size_t>(1, (rows + kMostRows - 1) / kMostRows);
    if (stride > 1)
        notes.push_back(fmt::format("plots show one row of {}: {} of them", stride, rows / stride));
    const std::vector<std::size_t> chosen = choose_columns(history, options, rows / stride, notes);
    const std::vector<std::vector<double>> read = history.read(chosen, stride);

    Json columns = Json::array();
    std::vector<float> values;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const std::string& name = history.columns()[chosen[k]];
        columns.push_back({{"name", name}, {"unit", unit_of_column(summary, name)}});
        if (k == 0) continue;
        for (const double x : read[k]) values.push_back(static_cast<float>(x));
    }
    return {{"columns", std::move(columns)},
            {"t", page_array(read[0])},
            {"values", page_array(values, chosen.size() - 1, read[0].size())}};
}

// --- runs

/// Takes absolute paths out of every text of a summary, which may be one that was written with
/// them.
void hide_folders(Json& value) {
    if (value.is_string()) value = without_folders(value.get<std::string>());
    if (!value.is_structured()) return;
    for (Json& entry : value) hide_folders(entry);
}

/// One folder, read once; its frames may be thinned more and more.
struct Run {
    Run(const fs::path& results, std::string name, bool full_paths)
        : folder(results), label(std::move(name)), history(checked(results)) {
        frames = Frames::open(folder);
        if (frames && frames->count() == 0) frames.reset();
        summary = read_summary(folder);
        if (!full_paths) hide_folders(summary);
    }

    static fs::path checked(const fs::path& folder) {
        require_results(folder);
        return folder / kHistoryFile;
    }

    Json json(const ReportOptions& options, std::size_t stride) const {
        std::error_code error;
        const bool has_checkpoint = fs::exists(folder / kCheckpointFile, error);
        Json notes = Json::array();
        Json plots = history_json(history, summary, options, notes);
        if (!frames)
            notes.push_back("this run has no frames, so there is no scene; see output.frames");
        else if (stride > 1)
            notes.push_back(fmt::format("the scene shows one frame of {}", stride));
        if (summary.is_null())
            notes.push_back("the run has not come to an end: it goes on, or it was killed");
        Json scene;
        if (frames) {
            std::vector<std::size_t> chosen;
            for (std::size_t f = 0; f < frames->count(); ++f)
                if ((f % stride == 0 || f + 1 == frames->count()) &&
                    frames->row(f) < history.num_rows())
                    chosen.push_back(f);
            scene = page_scene(*frames, times_of(history), chosen);
        }
        return {{"label", label},
                {"summary", summary},
                {"checkpoint", has_checkpoint},
                {"notes", std::move(notes)},
                {"history", std::move(plots)},
                {"scene", std::move(scene)}};
    }

    fs::path folder;
    std::string label;
    History history;
    std::optional<Frames> frames;
    Json summary;  // null if there is none
};

/// What a page that is watched compares: a script beside it, and what that says now.
struct Watch {
    std::string script, stamp;
};

std::string report_page(std::span<const fs::path> folders,
                        const ReportOptions& options,
                        const Watch* watch) {
    const TrapsOff traps_off;
    if (folders.empty() || folders.size() > 2)
        throw Error(ErrorKind::usage,
                    fmt::format("a report is of one run or of two, not of {}", folders.size()));
    const std::vector<std::string> labels = run_labels(folders, options.full_paths);
    std::vector<Run> runs;
    for (std::size_t r = 0; r < folders.size(); ++r)
        runs.emplace_back(folders[r], labels[r], options.full_paths);

    std::string title = "Ancora: " + labels[0];
    if (runs[0].summary.contains("model") && !runs[0].summary["model"].is_null())
        title = runs[0].summary["model"];
    Json differences;
    if (folders.size() == 2) differences = model_differences(folders[0], folders[1]);
    if (!options.full_paths) hide_folders(differences);
    for (std::size_t stride = 1;; stride *= 2) {
        Json data = {
            {"format", kPageFormat},
            {"generator", "Ancora " + std::string(version())},
            {"made", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
            {"differences", differences},
            {"runs", Json::array()}};
        if (watch != nullptr) data["watch"] = {{"script", watch->script}, {"stamp", watch->stamp}};
        std::size_t frames = 0;
        for (const Run& run : runs) {
            data["runs"].push_back(run.json(options, stride));
            if (run.frames) frames = std::max(frames, run.frames->count());
        }
        std::string page = page_of(title, data);
        if (page.size() <= options.most_bytes || stride >= frames) return page;
    }
}

constexpr std::string_view kKind = "a report";

/// The page, and what stands beside it, as a file of its own or with the results that it shows.
class PageFile {
public:
    PageFile(std::span<const fs::path> folders, const fs::path& file) : file_(file) {
        // A report in the folder of its results goes with them when they are replaced.
        std::error_code ignored;
        if (!folders.empty() && file.filename() == kReportFile &&
            fs::equivalent(file.has_parent_path() ? file.parent_path() : ".", folders[0], ignored))
            results_ = ResultsFolder::for_views(folders[0]);
        require_replaceable(at(""), kReportMark, kKind);
    }

    void write(std::string_view page) { replace("", page, kReportMark); }
    void write_stamp(std::string_view stamp) {
        replace(".js", fmt::format("{}\"{}\");\n", kReportStampMark, stamp), kReportStampMark);
    }
    void remove_stamp() {
        std::error_code ignored;
        if (results_)
            results_->remove(name(".js"));
        else if (has_mark(at(".js"), kReportStampMark))
            fs::remove(at(".js").path, ignored);
    }
    std::string name(std::string_view ending) const {
        return file_.filename().string() + std::string(ending);
    }

private:
    FileAt at(std::string_view ending) const {
        if (results_) return results_->at(name(ending));
        fs::path path = file_;
        path += std::string(ending);
        return {path};
    }
    void replace(std::string_view ending, std::string_view text, std::string_view mark) {
        if (results_) results_->add(name(ending));
        replace_file(at(ending), text, mark, kKind);
    }

    fs::path file_;
    std::optional<ResultsFolder> results_;
};

/// Names, sizes and times of what lies in the folders.
std::string signature_of(std::span<const fs::path> folders, const PageFile& page) {
    std::set<std::string> entries;
    for (const fs::path& folder : folders) {
        std::error_code error;
        for (fs::directory_iterator it(folder, error), end; !error && it != end;
             it.increment(error)) {
            const std::string name = it->path().filename().string();
            std::error_code ignored;
            // The list of the folder changes with the page.
            if (!name.starts_with(page.name("")) && name.front() != '.' &&
                it->is_regular_file(ignored))
                entries.insert(
                    fmt::format("{}/{} {} {}",
                                folder.string(),
                                name,
                                it->file_size(ignored),
                                it->last_write_time(ignored).time_since_epoch().count()));
        }
    }
    return fmt::format("{}", fmt::join(entries, "\n"));
}

}  // namespace

std::string report_page(std::span<const fs::path> folders, const ReportOptions& options) {
    return report_page(folders, options, nullptr);
}

void write_report(std::span<const fs::path> folders,
                  const fs::path& file,
                  const ReportOptions& options) {
    PageFile page(folders, file);
    page.write(report_page(folders, options));
}

void watch_report(std::span<const fs::path> folders,
                  const fs::path& file,
                  const ReportOptions& options,
                  const std::function<bool()>& ends,
                  const std::function<void()>& written) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kLook = std::chrono::milliseconds(200);
    // Of the time that a page takes: others want the processor, too.
    constexpr int kPause = 4;
    std::string seen;
    auto next = Clock::now();
    for (long count = 0; !ends(); std::this_thread::sleep_for(kLook)) {
        if (Clock::now() < next) continue;
        const auto begin = Clock::now();
        try {
            PageFile page(folders, file);
            const std::string now = signature_of(folders, page);
            if (count > 0 && now == seen) continue;
            const std::string stamp = sha256_of_text(now).substr(0, 16);
            const Watch watch{page.name(".js"), stamp};
            // First, since the stamp tells open pages to load it.
            page.write(report_page(folders, options, &watch));
            page.write_stamp(stamp);
            seen = now;
            if (written) written();
            ++count;
        } catch (const Error& error) {
            // A run may be about to replace its results.
            if (count == 0 || error.kind() != ErrorKind::file) throw;
        }
        next = Clock::now() + kPause * (Clock::now() - begin);
    }
    // Open pages load the last one when the stamp is gone.
    PageFile page(folders, file);
    try {
        page.write(report_page(folders, options));
    } catch (...) {
        page.remove_stamp();
        throw;
    }
    page.remove_stamp();
}

}  // namespace ancora
