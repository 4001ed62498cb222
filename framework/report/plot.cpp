// SPDX-License-Identifier: BSD-3-Clause
// Writes a script for gnuplot and runs it.
#include "ancora/framework/plot.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/printable.hpp"
#include "file_writer.hpp"
#include "name_pattern.hpp"
#include "png_mark.hpp"
#include "result_files.hpp"
#include "results.hpp"
#include "summary_file.hpp"
#include "traps_off.hpp"

extern char** environ;

namespace ancora {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// More than a picture can show.
constexpr std::size_t kMostPoints = 5000;

constexpr int kWidth = 800;        // of a picture [px]
constexpr int kPanelHeight = 300;  // [px]

// Told apart also by those who see few colours: Okabe, Ito, Color Universal Design, 2008.
constexpr const char* kColours[] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442"};

/// A text as gnuplot reads it, without escapes.
std::string in_gnuplot(const std::string& text) {
    std::string out = "'";
    for (const char c : printable(text)) {
        if (c == '\'') out += '\'';
        out += c == '\n' || c == '\t' ? ' ' : c;
    }
    return out + "'";
}

std::string terminal_for(const fs::path& file, int panels) {
    const int height = kPanelHeight * panels + 60;
    const std::string ending = file.extension().string();
    if (ending == ".svg")
        return fmt::format(
            "svg size {},{} dynamic font 'Helvetica,13' background rgb 'white'", kWidth, height);
    if (ending == ".png")
        return fmt::format("pngcairo size {},{} font 'Sans,11'", 2 * kWidth, 2 * height) +
               " fontscale 2 linewidth 2";
    if (ending == ".pdf")
        return fmt::format(
            "pdfcairo size {:.2f}in,{:.2f}in font 'Sans,10'", kWidth / 100.0, height / 100.0);
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\": pictures end in .svg, .pdf or .png", file.string()));
}

/// The table of a run's folder, or the file itself, which may be that of `ancora inverse`.
fs::path table_of(const fs::path& results) {
    std::error_code error;
    if (fs::is_regular_file(results, error)) return results;
    require_results(results);
    return results / kHistoryFile;
}

/// Columns that names and patterns mean, in the order of the table, each once.
std::vector<std::string> columns_in(const History& history, const std::vector<std::string>& given) {
    std::vector<std::string> out;
    for (const std::string& pattern : given) {
        const std::size_t before = out.size();
        if (pattern.find_first_of("*?") == std::string::npos) {
            out.push_back(pattern);
            continue;
        }
        for (const std::string& name : history.columns())
            if (fits_pattern(pattern, name) && std::ranges::find(out, name) == out.end())
                out.push_back(name);
        if (out.size() == before)
            throw Error(ErrorKind::usage, fmt::format("no column fits \"{}\"", pattern));
    }
    return out;
}

/// Columns of one unit.
struct Panel {
    std::string unit;
    std::vector<std::size_t> columns;  // in the list of those that are drawn
};

std::vector<Panel> panels_of(const Json& summary, const std::vector<std::string>& columns) {
    std::vector<Panel> out;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const std::string unit = unit_of_column(summary, columns[k]);
        const auto known = std::ranges::find(out, unit, &Panel::unit);
        Panel& panel = known != out.end() ? *known : out.emplace_back(Panel{unit, {}});
        panel.columns.push_back(k);
    }
    return out;
}

std::string data_block(std::size_t run,
                       const std::vector<std::vector<double>>& values,
                       bool is_logarithmic) {
    std::string out = fmt::format("$run{} << END\n", run);
    for (std::size_t row = 0; row < values[0].size(); ++row) {
        for (std::size_t k = 0; k < values.size(); ++k) {
            const double x = values[k][row];
            const bool is_ordinate = k > 0;
            if (is_ordinate && is_logarithmic && x == 0.0)
                out += "NaN ";  // has no logarithm, so the line has a gap
            else
                out += fmt::format("{:.9g} ", is_ordinate && is_logarithmic ? std::abs(x) : x);
        }
        out += '\n';
    }
    return out + "END\n";
}

/// With this a picture ends that Ancora made, in a manner that its format allows.
std::string mark_for(const fs::path& file) {
    const std::string ending = file.extension().string();
    if (ending == ".svg") return "<!-- Ancora plot -->\n";
    if (ending == ".pdf") return "% Ancora plot\n";
    return png_end("Ancora plot");
}

/// A picture of gnuplot's with its mark.
std::string marked(std::string picture, const std::string& mark) {
    if (!mark.ends_with('\n')) return with_png_end(std::move(picture), mark);
    if (!picture.ends_with('\n')) picture += '\n';
    return picture + mark;
}

/// `file` decides on the format; the picture goes to standard output.
std::string script_for(std::span<const fs::path> folders,
                       const fs::path& file,
                       const PlotOptions& options) {
    const Json summary = read_summary(folders[0]);  // for units
    const std::vector<Panel> panels = panels_of(summary, options.columns);
    const std::vector<std::string> labels = run_labels(folders, options.full_paths);
    std::string out =
        fmt::format("set terminal {}\n", terminal_for(file, static_cast<int>(panels.size())));
    out += "set termoption noenhanced\n";
    for (std::size_t r = 0; r < folders.size(); ++r) {
        const History history(table_of(folders[r]));
        std::vector<std::size_t> chosen{history.column(options.over)};
        for (const std::string& name : options.columns) chosen.push_back(history.column(name));
        const std::size_t stride =
            std::max<std::size_t>(1, (history.num_rows() + kMostPoints - 1) / kMostPoints);
        const std::vector<std::vector<double>> values = history.read(chosen, stride);
        if (values[0].empty())
            throw Error(ErrorKind::file,
                        fmt::format("\"{}\" has no rows yet", table_of(folders[r]).string()));
        out += data_block(r, values, options.is_logarithmic);
    }
    out += fmt::format(
        "set multiplot layout {},1 margins char 14, char 3, char 4, char 2.5 "
        "spacing 0, char 5\nset grid lc rgb '#d0d0d0' lt 1 lw 0.5\nset key at graph 0, graph 1.03 "
        "left bottom "
        "horizontal reverse Left samplen 2 width 1\nset border lc rgb '#404040'\nset format y "
        "'%.4g'\n",
        panels.size());
    if (options.is_logarithmic) out += "set logscale y\nset format y '%.0e'\n";
    const std::string x_unit = unit_of_column(summary, options.over);
    for (std::size_t p = 0; p < panels.size(); ++p) {
        const Panel& panel = panels[p];
        out += p + 1 == panels.size()
                   ? fmt::format("set xlabel {}\n",
                                 in_gnuplot(options.over + (x_unit.empty() ? "" : " / " + x_unit)))
                   : "unset xlabel\n";
        out += fmt::format("set ylabel {}\n", in_gnuplot(panel.unit));
        std::string curves;
        for (std::size_t r = 0; r < folders.size(); ++r)
            for (std::size_t k = 0; k < panel.columns.size(); ++k) {
                const std::size_t column = panel.columns[k];
                std::string title = options.columns[column];
                if (options.is_logarithmic) title = "|" + title + "|";
                if (folders.size() > 1) title += "  (" + labels[r] + ")";
                curves +=
                    fmt::format("{}$run{} using 1:{} with lines lw 1.5 lc rgb '{}' dt {} title {}",
                                curves.empty() ? "plot " : ", ",
                                r,
                                column + 2,
                                kColours[column % std::size(kColours)],
                                r + 1,
                                in_gnuplot(title));
            }
        out += curves + "\n";
    }
    return out + "unset multiplot\n";
}

/// What gnuplot made of a script.
struct Drawn {
    int status = 0;
    std::string picture;
    std::string said;  ///< on standard error
};

std::string text_of(std::FILE* file) {
    std::string out;
    std::rewind(file);
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file))
        out.append(buffer, count);
    return out;
}

Drawn run_gnuplot(const std::string& script) {
    const auto fail = [](const char* what, int error) {
        throw Error(
            ErrorKind::file,
            fmt::format("cannot {} gnuplot, which draws the pictures: {}; install it (Debian: "
                        "apt-get install gnuplot-nox)",
                        what,
                        std::generic_category().message(error)));
    };
    // Files, not pipes, so that neither side waits for the other; without names, so that nothing
    // stays behind.
    using File = std::unique_ptr<std::FILE, decltype([](std::FILE* file) {
                                     std::fclose(file);
                                 })>;
    const File in(std::tmpfile()), out(std::tmpfile()), err(std::tmpfile());
    if (!in || !out || !err) fail("prepare a file for", errno);
    std::fwrite(script.data(), 1, script.size(), in.get());
    if (std::fflush(in.get()) != 0) fail("write a script for", errno);
    std::rewind(in.get());

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(in.get()), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(out.get()), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(err.get()), STDERR_FILENO);
    char name[] = "gnuplot";
    char* const arguments[] = {name, nullptr};
    pid_t child = 0;
    const int error = posix_spawnp(&child, name, &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) fail("run", error);
    Drawn drawing;
    while (::waitpid(child, &drawing.status, 0) < 0 && errno == EINTR) {
    }
    drawing.picture = text_of(out.get());
    drawing.said = text_of(err.get());
    return drawing;
}

}  // namespace

void plot_results(std::span<const fs::path> folders,
                  const fs::path& file,
                  const PlotOptions& options) {
    const TrapsOff traps_off;
    if (options.columns.empty())
        throw Error(ErrorKind::usage,
                    "no columns to draw; name some, for example --columns energy.balance,box.wx");
    const std::string mark = mark_for(file);
    constexpr std::string_view kKind = "a picture of a run";
    PlotOptions chosen = options;
    chosen.columns = columns_in(History(table_of(folders[0])), options.columns);
    const std::string script = script_for(folders, file, chosen);
    require_replaceable(file, mark, kKind, MarkAt::end);
    Drawn drawing = run_gnuplot(script);
    if (drawing.status != 0 || drawing.picture.empty())
        throw Error(ErrorKind::file,
                    fmt::format("gnuplot could not draw \"{}\"{}",
                                file.string(),
                                drawing.said.empty() ? "" : ":\n" + drawing.said));
    replace_file(file, marked(std::move(drawing.picture), mark), mark, kKind, MarkAt::end);
}

}  // namespace ancora
