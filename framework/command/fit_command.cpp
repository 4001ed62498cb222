// SPDX-License-Identifier: BSD-3-Clause
// `ancora fit`: parameters from measured motion.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/gradient.hpp"
#include "commands.hpp"
#include "gradient_picture.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Fit& fit) {
    Json by = Json::array(), columns = Json::array(), correlation = Json::array();
    const std::size_t n = fit.by.size();
    for (const Fit::Parameter& one : fit.by)
        by.push_back({{"key", one.key},
                      {"unit", one.unit},
                      {"start", one.start},
                      {"value", one.value},
                      {"standard_deviation", one.deviation},
                      {"at_bound", one.is_at_bound}});
    for (const Fit::Column& one : fit.columns)
        columns.push_back({{"name", one.name},
                           {"unit", one.unit},
                           {"values", one.count},
                           {"rms_start", one.rms_start},
                           {"rms", one.rms}});
    for (std::size_t a = 0; a < n; ++a) {
        Json row = Json::array();
        for (std::size_t b = 0; b < n; ++b) row.push_back(fit.correlation[a * n + b]);
        correlation.push_back(std::move(row));
    }
    return {{"model", fit.model},
            {"converged", fit.has_converged},
            {"runs", fit.runs},
            {"by", by},
            {"columns", columns},
            {"correlation", correlation},
            {"remark", fit.remark}};
}

std::string to_text(const Fit& fit) {
    TextTable parameters;
    parameters.add({"parameter", "start", "fitted", "+- (standard deviation)", ""});
    for (const Fit::Parameter& one : fit.by) {
        const std::string unit = one.unit == "-" ? "" : one.unit;
        parameters.add({one.key,
                        quantity(one.start, unit),
                        fmt::format("{:.10g}{}{}", one.value, unit.empty() ? "" : " ", unit),
                        std::isfinite(one.deviation) ? fmt::format("{:.2g}", one.deviation)
                                                     : "the data do not tell",
                        one.is_at_bound ? "at its bound" : ""});
    }
    TextTable columns;
    columns.add({"column", "values", "left at the start (rms)", "left (rms)"});
    for (const Fit::Column& one : fit.columns)
        columns.add({one.name,
                     fmt::format("{}", one.count),
                     quantity(one.rms_start, one.unit),
                     quantity(one.rms, one.unit)});
    std::string out = parameters.text() + "\n" + columns.text();
    const std::size_t n = fit.by.size();
    if (n > 1) {
        TextTable correlation;
        std::vector<std::string> head{"correlation"};
        for (const Fit::Parameter& one : fit.by) head.push_back(one.key);
        correlation.add(std::move(head));
        for (std::size_t a = 0; a < n; ++a) {
            std::vector<std::string> row{fit.by[a].key};
            for (std::size_t b = 0; b <= a; ++b)
                row.push_back(std::isfinite(fit.correlation[a * n + b])
                                  ? fmt::format("{:.3f}", fit.correlation[a * n + b])
                                  : "-");
            correlation.add(std::move(row));
        }
        out += "\n" + correlation.text();
    }
    if (!fit.remark.empty()) out += "\n" + fit.remark + "\n";
    return out + fmt::format("\n{} runs of {}\n", fit.runs, fit.model);
}

}  // namespace

int fit_model(const Options& options) {
    std::vector<FitParameter> by;
    for (const std::string& text : options.by) by.push_back(FitParameter::parse(text));
    if (by.empty())
        throw Error(ErrorKind::usage,
                    "\"ancora fit\" needs --by, keys of the model that are fitted");
    if (options.out) require_fit_picture(*options.out);
    const MeasuredData data = read_measured(options.operands[1], options.columns);
    PluginRegistry registry;
    add_folders(registry, options);
    lock_if_asked(registry, options);
    const ModelSource model = [&](std::span<const std::string> more) {
        std::vector<std::string> overrides = options.overrides;
        overrides.insert(overrides.end(), more.begin(), more.end());
        return Manifest::load(options.operands[0], overrides);
    };
    const Fit found =
        fit(model, data, by, registry, {.workers = static_cast<int>(options.workers.value_or(0))});
    if (options.out) write_fit_picture(*options.out, data, found);
    if (options.json)
        write_out(to_json(found).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    else if (!options.quiet)
        write_out(to_text(found));
    if (!found.has_converged)
        throw Error(ErrorKind::numerical, "the fit did not converge: " + found.remark);
    return 0;
}

}  // namespace ancora::command
