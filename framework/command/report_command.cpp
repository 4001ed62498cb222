// SPDX-License-Identifier: BSD-3-Clause
// `ancora report`: one page from the results of a run, or of two.
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/report.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "table.hpp"

namespace ancora::command {

int report(const Options& options) {
    const std::vector<std::filesystem::path> folders(options.operands.begin(),
                                                     options.operands.end());
    const std::filesystem::path file = options.out ? *options.out : folders.front() / "report.html";
    ReportOptions report_options;
    report_options.columns = options.columns;
    report_options.full_paths = options.full_paths;
    if (options.watch) {
        const InterruptGuard guard;
        bool is_first = true;
        watch_report(folders, file, report_options, InterruptGuard::is_asked_for, [&] {
            if (std::exchange(is_first, false) && !options.quiet)
                write_out(
                    fmt::format("report in {}, written anew as results change; Ctrl-C ends "
                                "this\n",
                                file.string()));
        });
        return 0;
    }
    write_report(folders, file, report_options);
    if (!options.quiet) write_out(fmt::format("report in {}\n", file.string()));
    return 0;
}

}  // namespace ancora::command
