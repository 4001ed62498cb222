// SPDX-License-Identifier: BSD-3-Clause
// `ancora gradient`: what a run's results depend on.
#include <algorithm>
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

constexpr const char* kAdjoint = "adjoint";
constexpr const char* kDifferences = "differences";

const char* method_of(const Gradient& gradient) {
    const auto adjoint = std::ranges::count_if(gradient.entries, &Gradient::Entry::is_by_adjoint);
    if (adjoint == 0) return kDifferences;
    return static_cast<std::size_t>(adjoint) == gradient.entries.size() ? kAdjoint : "both";
}

Json to_json(const Gradient& gradient) {
    Json of = Json::array(), by = Json::array(), values = Json::array(), errors = Json::array(),
         relative = Json::array(), methods = Json::array(), remarks = Json::array();
    for (const Gradient::Value& value : gradient.of) {
        Json one = {{"name", value.text}, {"unit", value.unit}, {"value", value.value}};
        if (value.at) one["time"] = *value.at;
        of.push_back(std::move(one));
    }
    for (const Gradient::Parameter& parameter : gradient.by)
        by.push_back(
            {{"key", parameter.key}, {"unit", parameter.unit}, {"value", parameter.value}});
    for (std::size_t i = 0; i < gradient.of.size(); ++i) {
        Json row = Json::array(), errors_of_row = Json::array(), relative_of_row = Json::array(),
             methods_of_row = Json::array();
        for (std::size_t k = 0; k < gradient.by.size(); ++k) {
            const Gradient::Entry& entry = gradient.entry(i, k);
            row.push_back(entry.value);
            errors_of_row.push_back(entry.error);
            methods_of_row.push_back(entry.is_by_adjoint ? kAdjoint : kDifferences);
            relative_of_row.push_back(gradient.relative(i, k).value_or(NAN));
            if (!entry.remark.empty())
                remarks.push_back({{"of", gradient.of[i].text},
                                   {"by", gradient.by[k].key},
                                   {"remark", entry.remark}});
        }
        values.push_back(std::move(row));
        errors.push_back(std::move(errors_of_row));
        relative.push_back(std::move(relative_of_row));
        methods.push_back(std::move(methods_of_row));
    }
    Json out = {{"model", gradient.model}, {"method", method_of(gradient)}};
    if (!gradient.why_differences.empty()) out["why_differences"] = gradient.why_differences;
    out.update({{"runs", gradient.runs},
                {"of", of},
                {"by", by},
                {"gradient", values},
                {"error", errors},
                {"relative", relative},
                {"methods", methods},
                {"remarks", remarks}});
    return out;
}

std::string unit_text(const std::string& of, const std::string& by) {
    const auto named = [](const std::string& unit) {
        return unit.empty() || unit == "-" ? std::string("1") : unit;
    };
    if (named(by) == "1") return named(of) == "1" ? "" : of;
    return by.find_first_of(" /") == std::string::npos ? fmt::format("{}/{}", named(of), by)
                                                       : fmt::format("{}/({})", named(of), by);
}

std::string to_text(const Gradient& gradient) {
    std::string out;
    for (std::size_t i = 0; i < gradient.of.size(); ++i) {
        const Gradient::Value& value = gradient.of[i];
        out += fmt::format("{} = {}{}\n\n",
                           value.text,
                           quantity(value.value, value.unit),
                           value.at ? fmt::format(", at t = {:.6g} s", *value.at) : "");
        TextTable table;
        table.add({"by", "value", "derivative", "+-", "", "change by 1 %", ""});
        for (std::size_t k = 0; k < gradient.by.size(); ++k) {
            const Gradient::Parameter& parameter = gradient.by[k];
            const Gradient::Entry& entry = gradient.entry(i, k);
            const auto relative = gradient.relative(i, k);
            const bool is_there = std::isfinite(entry.value);
            table.add({parameter.key,
                       quantity(parameter.value, parameter.unit == "-" ? "" : parameter.unit),
                       !is_there                              ? std::string("none")
                       : std::abs(entry.value) <= entry.error ? std::string("0")
                                                              : fmt::format("{:.12g}", entry.value),
                       is_there ? fmt::format("{:.0e}", entry.error) : "",
                       is_there ? unit_text(value.unit, parameter.unit) : "",
                       is_there && relative && std::abs(entry.value) > entry.error
                           ? fmt::format("{:+.4g} %", *relative)
                           : "",
                       entry.remark});
        }
        out += table.text() + (i + 1 < gradient.of.size() ? "\n" : "");
    }
    const std::string method = method_of(gradient);
    out += method == kAdjoint ? "\nby the adjoint of the steps"
           : method == kDifferences
               ? "\nby differences of runs"
               : "\nby the adjoint of the steps, and where that is not to be had by differences of "
                 "runs";
    if (!gradient.why_differences.empty()) out += fmt::format(" ({})", gradient.why_differences);
    return out +
           fmt::format(
               "; {} run{} of {}\n", gradient.runs, gradient.runs == 1 ? "" : "s", gradient.model);
}

}  // namespace

int gradient(const Options& options) {
    std::vector<Objective> of;
    for (const std::string& text : options.of) of.push_back(Objective::parse(text));
    if (of.empty() || options.by.empty())
        throw Error(ErrorKind::usage,
                    "\"ancora gradient\" needs --of, numbers of the run, and --by, keys of the "
                    "model; as in --of \"max(ball.z)\" --by body.ball.velocity[2]");
    if (options.out) require_gradient_picture(*options.out);
    PluginRegistry registry;
    add_folders(registry, options);
    lock_if_asked(registry, options);
    const ModelSource model = [&](std::span<const std::string> more) {
        std::vector<std::string> overrides = options.overrides;
        overrides.insert(overrides.end(), more.begin(), more.end());
        return Manifest::load(options.operand, overrides);
    };
    const GradientMethod method = !options.method               ? GradientMethod::automatic
                                  : *options.method == kAdjoint ? GradientMethod::adjoint
                                                                : GradientMethod::differences;
    const Gradient found =
        differentiate(model,
                      of,
                      options.by,
                      registry,
                      {.workers = static_cast<int>(options.workers.value_or(0)), .method = method});
    if (options.out) write_gradient_picture(*options.out, found);
    if (options.json)
        write_out(to_json(found).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    else if (!options.quiet)
        write_out(to_text(found));
    return 0;
}

}  // namespace ancora::command
