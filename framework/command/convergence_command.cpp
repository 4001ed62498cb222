// SPDX-License-Identifier: BSD-3-Clause
// `ancora convergence`: how accurate a model's results are, from runs with finer and finer steps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/simulation.hpp"
#include "commands.hpp"
#include "convergence_picture.hpp"
#include "diagnostics.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRuns = 4;
constexpr std::size_t kMostColumns = 24;
constexpr int kInstants = 8;
constexpr double kFiner = 2.0;       // steps, from run to run
constexpr double kTighter = 10.0;    // tolerances
constexpr double kTolerance = 1e-6;  // of the first run where the model gives none
constexpr double kRounding = 1e-12;  // of a column's size: what differs by less is rounding
constexpr double kUsualOrderSpread = 0.25;

/// One run's values at the instants, column by column.
struct Sampled {
    double parameter = 0.0;  ///< step or tolerance
    std::vector<std::vector<double>> values;
};

/// What the runs say about one column.
struct Judged {
    std::string name;
    std::vector<double> differences;  ///< between neighbours, largest over the instants
    std::optional<double> order;      ///< observed with the last three runs
    std::optional<double> order_before;
    std::string remark;
    double value = 0.0;           ///< at the end, of the finest run
    double extrapolated = 0.0;    ///< at the end
    double error = 0.0;           ///< bar of the extrapolated value
    double error_of_first = 0.0;  ///< of the model's own run, largest over the instants
};

std::vector<std::string> chosen_columns(const Simulation& simulation, const Options& options) {
    const std::vector<std::string> all = simulation.column_names();
    std::vector<std::string> chosen;
    for (const std::string& name : options.columns) {
        if (std::ranges::find(all, name) == all.end())
            throw Error(ErrorKind::usage,
                        fmt::format("there is no column \"{}\"{}", name, did_you_mean(name, all)));
        chosen.push_back(name);
    }
    if (!chosen.empty()) return chosen;
    // Motion: what stands behind balances and constraints, but for reactions, which may be means.
    const std::vector<int> means = simulation.step_mean_columns();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string& name = all[i];
        const bool is_kept = name == "t" || name.starts_with("energy.balance") ||
                             name.find("balance") != std::string::npos ||
                             name.starts_with("constraint.") || name.starts_with("work.") ||
                             name.starts_with("momentum.") ||
                             name.starts_with("angular_momentum.") || name.starts_with("energy.");
        if (is_kept || std::ranges::find(means, static_cast<int>(i)) != means.end()) continue;
        chosen.push_back(name);
    }
    if (chosen.size() > kMostColumns) chosen.resize(kMostColumns);
    return chosen;
}

class Runs {
public:
    explicit Runs(const Options& options) : options_(options) {}

    const std::vector<std::string>& columns() const { return columns_; }
    bool by_tolerance() const { return by_tolerance_; }
    const std::vector<double>& instants() const { return instants_; }

    Sampled make(std::size_t run) {
        std::vector<std::string> overrides = options_.overrides;
        if (run > 0)
            overrides.push_back(fmt::format(
                "integrator.{}={:.17g}", by_tolerance_ ? "tolerance" : "step", parameter_of(run)));
        const Manifest manifest = Manifest::load(options_.operand, overrides);
        PluginRegistry registry;
        add_folders(registry, options_);
        if (run == 0) lock_if_asked(registry, options_);
        Simulation simulation(
            manifest, registry, run == 0 ? WarningSink(&write_warning) : WarningSink{});
        simulation.set_threads(options_.threads);
        if (run == 0) begin(simulation, manifest);
        spdlog::info("run {} of {}: {} {}",
                     run + 1,
                     kRuns,
                     by_tolerance_ ? "tolerance" : "step",
                     parameter_of(run));
        Sampled out;
        out.parameter = run == 0 ? first_ : parameter_of(run);
        out.values.assign(columns_.size(), {});
        std::vector<double> row(simulation.column_names().size());
        std::size_t next = 0;
        const auto take = [&] {
            for (std::size_t c = 0; c < columns_.size(); ++c)
                out.values[c].push_back(row[place_[c]]);
        };
        while (!simulation.done()) {
            simulation.step();
            const double rounding = 1e-9 * (simulation.end_time() - simulation.begin_time());
            for (; next < instants_.size(); ++next) {
                const double t = instants_[next];
                if (simulation.time() < t - rounding) break;
                if (simulation.is_adaptive() && simulation.time() > t + rounding)
                    simulation.sample_at(t, row);
                else
                    simulation.sample(row);
                take();
            }
        }
        return out;
    }

private:
    double parameter_of(std::size_t run) const {
        return first_ / std::pow(by_tolerance_ ? kTighter : kFiner, static_cast<double>(run));
    }

    void begin(const Simulation& simulation, const Manifest& manifest) {
        // Steps that are chosen follow the tolerance; of a given length they follow that.
        by_tolerance_ =
            simulation.samples_by_steps() ? has_error_control(manifest) : simulation.is_adaptive();
        first_ = by_tolerance_ ? manifest.integrator.tolerance.value_or(kTolerance)
                               : simulation.step_size();
        columns_ = chosen_columns(simulation, options_);
        const std::vector<std::string> all = simulation.column_names();
        for (const std::string& name : columns_)
            place_.push_back(static_cast<std::size_t>(std::ranges::find(all, name) - all.begin()));
        const double begin = simulation.begin_time();
        const double length = simulation.end_time() - begin;
        const long steps = simulation.num_steps();
        for (int k = 1; k <= kInstants; ++k) {
            double t = begin + length * k / kInstants;
            // On the coarsest grid, which the finer ones have too.
            if (steps > 0 && k < kInstants) {
                const long step = steps * k / kInstants;
                if (step == 0) continue;
                t = begin + static_cast<double>(step) * simulation.step_size();
            }
            if (instants_.empty() || t > instants_.back()) instants_.push_back(t);
        }
    }

    static bool has_error_control(const Manifest& manifest) {
        const auto own = manifest.integrator.own.find(manifest.integrator.type);
        if (own == manifest.integrator.own.end()) return false;
        const Table::Entry* const entry = own->second.find("error_control");
        const bool* const value = entry != nullptr ? entry->value.as<bool>() : nullptr;
        return value != nullptr && *value;
    }

    const Options& options_;
    bool by_tolerance_ = false;
    double first_ = 0.0;
    std::vector<std::string> columns_;
    std::vector<std::size_t> place_;
    std::vector<double> instants_;
};

/// A quaternion's sign and such apart: the plain difference.
double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
    double largest = 0.0;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
        largest = std::max(largest, std::abs(x[i] - y[i]));
    return largest;
}

Judged judge(const std::string& name,
             const std::vector<Sampled>& runs,
             std::size_t c,
             bool by_tolerance) {
    Judged out;
    out.name = name;
    double size = 0.0;
    for (const Sampled& run : runs)
        for (const double value : run.values[c]) size = std::max(size, std::abs(value));
    for (std::size_t k = 0; k + 1 < runs.size(); ++k)
        out.differences.push_back(largest_difference(runs[k].values[c], runs[k + 1].values[c]));
    const double factor = by_tolerance ? kTighter : kFiner;
    const auto order_of = [&](std::size_t k) -> std::optional<double> {
        const double coarse = out.differences[k], fine = out.differences[k + 1];
        if (coarse <= kRounding * size || fine <= kRounding * size) return {};
        return std::log(coarse / fine) / std::log(factor);
    };
    const std::size_t last = out.differences.size() - 1;
    out.value = runs.back().values[c].back();
    out.extrapolated = out.value;
    out.order = order_of(last - 1);
    if (last >= 2) out.order_before = order_of(last - 2);
    const double finest = out.differences[last];
    const double step = runs.back().values[c].back() - runs[runs.size() - 2].values[c].back();
    if (finest <= kRounding * size) {
        out.error = finest;
        out.remark = "rounding";
    } else if (!out.order && last >= 1 && out.differences[last - 1] <= kRounding * size) {
        out.error = finest;
        out.remark = "rounding";
    } else if (!out.order || *out.order < 0.3) {
        out.error = *std::ranges::max_element(out.differences);
        out.remark = "does not converge at these steps";
    } else {
        const double gain = std::pow(factor, *out.order) - 1.0;
        out.extrapolated = out.value + step / gain;
        // The difference again for what the order is not known of, more where it wanders.
        const double spread = out.order_before ? std::abs(*out.order - *out.order_before) : 1.0;
        out.error = finest / gain * std::min(1.0, std::max(0.1, spread / kUsualOrderSpread));
        if (spread > 1.0) out.remark = "the order is not settled";
        if (*out.order < 1.5 && !by_tolerance)
            out.remark = "an order below 2: events, stiff parts, or what jumps";
    }
    // The first run's error: its distance from the finest one and what that still errs by.
    out.error_of_first =
        largest_difference(runs.front().values[c], runs.back().values[c]) + out.error;
    return out;
}

std::string order_text(const Judged& column) {
    return column.order ? fmt::format("{:.2f}", *column.order) : "-";
}

std::string to_text(const std::string& name,
                    const Runs& runs,
                    const std::vector<Sampled>& sampled,
                    const std::vector<Judged>& columns) {
    TextTable table;
    table.add({"column", "order", "at the end, extrapolated", "+-", "error of the first run", ""});
    for (const Judged& column : columns)
        table.add({column.name,
                   order_text(column),
                   fmt::format("{:.12g}", column.extrapolated),
                   fmt::format("{:.1e}", column.error),
                   fmt::format("{:.1e}", column.error_of_first),
                   column.remark});
    std::string parameters;
    for (const Sampled& run : sampled)
        parameters += fmt::format("{}{:.6g}", parameters.empty() ? "" : ", ", run.parameter);
    return fmt::format("{}: runs with {} {}\n\n{}",
                       name,
                       runs.by_tolerance() ? "tolerances" : "steps of [s]",
                       parameters,
                       table.text());
}

Json to_json(const std::string& name,
             const Runs& runs,
             const std::vector<Sampled>& sampled,
             const std::vector<Judged>& columns) {
    Json parameters = Json::array();
    for (const Sampled& run : sampled) parameters.push_back(run.parameter);
    Json list = Json::array();
    for (const Judged& column : columns)
        list.push_back({{"name", column.name},
                        {"order", column.order ? Json(*column.order) : Json(nullptr)},
                        {"value", column.value},
                        {"extrapolated", column.extrapolated},
                        {"error", column.error},
                        {"error_of_first_run", column.error_of_first},
                        {"differences", column.differences},
                        {"remark", column.remark}});
    return {{"model", name},
            {"by", runs.by_tolerance() ? "tolerance" : "step"},
            {"parameters", parameters},
            {"instants", runs.instants()},
            {"columns", list}};
}

}  // namespace

int convergence(const Options& options) {
    if (options.out) require_convergence_picture(*options.out);
    Runs runs(options);
    std::vector<Sampled> sampled;
    for (std::size_t k = 0; k < kRuns; ++k) sampled.push_back(runs.make(k));
    std::vector<Judged> columns;
    for (std::size_t c = 0; c < runs.columns().size(); ++c)
        columns.push_back(judge(runs.columns()[c], sampled, c, runs.by_tolerance()));
    const std::string name = Manifest::load(options.operand, options.overrides).model.name;
    if (options.out) {
        std::vector<ConvergenceCurve> curves;
        for (const Judged& column : columns) curves.push_back({column.name, column.differences});
        std::vector<double> parameters;
        for (const Sampled& run : sampled) parameters.push_back(run.parameter);
        write_convergence_picture(*options.out, name, runs.by_tolerance(), parameters, curves);
    }
    if (options.json)
        write_out(to_json(name, runs, sampled, columns)
                      .dump(2, ' ', false, Json::error_handler_t::replace) +
                  "\n");
    else if (!options.quiet)
        write_out(to_text(name, runs, sampled, columns));
    return 0;
}

}  // namespace ancora::command
