// SPDX-License-Identifier: BSD-3-Clause
// `ancora plot` and `ancora paraview`: results as pictures, and as frames for another program.
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/paraview.hpp"
#include "ancora/framework/plot.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {

int plot(const Options& options) {
    if (!options.out)
        throw Error(ErrorKind::usage,
                    "\"ancora plot\" needs --out FILE, ending in .svg, .pdf or .png");
    PlotOptions plot_options;
    plot_options.columns = options.columns;
    if (options.over) plot_options.over = *options.over;
    plot_options.is_logarithmic = options.logarithmic;
    plot_options.full_paths = options.full_paths;
    plot_results(
        std::vector<std::filesystem::path>(options.operands.begin(), options.operands.end()),
        *options.out,
        plot_options);
    return 0;
}

int paraview(const Options& options) {
    const std::filesystem::path folder = options.operand;
    const std::size_t count = write_paraview(folder, options.every.value_or(1));
    if (!options.quiet)
        write_out(fmt::format("{} frames, to be opened in ParaView: {}\n",
                              count,
                              (folder / "paraview.pvd").string()));
    return 0;
}

}  // namespace ancora::command
