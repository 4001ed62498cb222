// SPDX-License-Identifier: BSD-3-Clause
// A number of a model by its key.
#include "model_parameter.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/manifest_text.hpp"
#include "ancora/framework/nearest_name.hpp"
#include "expression_scope.hpp"
#include "manifest_values.hpp"
#include "results.hpp"
#include "toml_writer.hpp"
#include "wording.hpp"

namespace ancora {

namespace {

/// The largest number of an array, of rows that in the column of the entry.
double largest_beside(const Array& array, std::span<const std::size_t> entry) {
    double largest = 0.0;
    for (std::size_t i = 0; i < array.size(); ++i) {
        const std::optional<double> number = number_in(array[i]);
        const Array* const row = array[i].as<Array>();
        double here = number ? std::abs(*number) : 0.0;
        if (row != nullptr && entry.size() == 2)
            here =
                entry[1] < row->size() ? std::abs(number_in((*row)[entry[1]]).value_or(0.0)) : 0.0;
        else if (row != nullptr && entry.size() > 2 && i == entry[0])
            here = largest_beside(*row, entry.subspan(1));
        largest = std::max(largest, here);
    }
    return largest;
}

/// "[0]" or "[3]" of an array, "[0][0]" or "[3][1]" of one of rows: its first or its last entry.
std::string entry_of(const Array& array, bool is_last) {
    const std::size_t at = is_last ? array.size() - 1 : 0;
    const Array* const inner = array[at].as<Array>();
    return fmt::format("[{}]", at) +
           (inner != nullptr && !inner->empty() ? entry_of(*inner, is_last) : "");
}

}  // namespace

ModelParameter::ModelParameter(const std::string& key,
                               const Manifest& model,
                               const Manifest& plain,
                               PluginRegistry& registry)
    : key_(key), path_(key) {
    while (path_.ends_with(']')) {
        const std::size_t open = path_.rfind('[');
        std::size_t index = 0;
        const char* const last = path_.data() + path_.size() - 1;
        const auto [end, error] = open == std::string::npos
                                      ? std::from_chars_result{last, std::errc::invalid_argument}
                                      : std::from_chars(path_.data() + open + 1, last, index);
        if (error != std::errc() || end != last)
            refuse("in brackets stands the number of an entry, counted from 0");
        entry_.insert(entry_.begin(), index);
        path_.resize(open);
    }
    if (path_.starts_with("integrator.") || path_.starts_with("output."))
        refuse(
            "the integrator's and the output's settings are no parameters of the motion; the "
            "effect of the step is what \"ancora convergence\" shows");
    if (path_.starts_with("parameters."))
        find_in_parameters(model);
    else
        find_in_objects(plain, registry);
    if (!std::isfinite(value())) refuse(fmt::format("its value is {}", value()));
}

void ModelParameter::refuse(const std::string& why) const {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", key_, why));
}

void ModelParameter::find_in_parameters(const Manifest& model) {
    const std::string name = path_.substr(path_.find('.') + 1);
    std::vector<std::string> names;
    if (model.scope != nullptr)
        for (const ExpressionScope::Definition& one : model.scope->parameters()) {
            names.push_back(one.name);
            if (one.name != name) continue;
            const Quantity& first = one.values.front();
            const auto unit_in = [](const Quantity& entry) -> std::string {
                const bool has_unit =
                    entry.knowledge == Knowledge::unit && !entry.dimension.is_none();
                return has_unit ? to_text(entry.dimension) : "";
            };
            const auto given = [&](const Quantity& entry) -> Value {
                const std::string unit = unit_in(entry);
                if (unit.empty()) return entry.value;
                return fmt::format("{:.17g} {}", entry.value, unit);
            };
            if (!one.is_array) {
                unit_ = unit_in_text_ = unit_in(first);
                take(first.value);
                return;
            }
            // Columns may have units of their own
            const std::size_t columns = std::max<std::size_t>(1, one.columns);
            const auto whole = [&](const auto& value_of_entry) {
                Array rows;
                for (std::size_t i = 0; i < one.values.size(); ++i) {
                    if (one.columns == 0) {
                        rows.emplace_back(value_of_entry(one.values[i]));
                        continue;
                    }
                    if (i % columns == 0) rows.emplace_back(Array{});
                    std::get<Array>(rows.back().data()).push_back(value_of_entry(one.values[i]));
                }
                return Value(std::move(rows));
            };
            take(whole([](const Quantity& entry) -> Value {
                return entry.value;
            }));
            const std::size_t at = one.columns == 0 ? entry_[0] : entry_[0] * columns + entry_[1];
            unit_ = unit_in_text_ = unit_in(one.values[at]);
            whole_ = whole(given);
            return;
        }
    refuse(
        fmt::format("there is no parameter {}{}", in_quotes(name), hint(name, names, "there are")));
}

void ModelParameter::find_in_objects(const Manifest& plain, PluginRegistry& registry) {
    const Parameter* const schema = schema_of(plain, path_, registry);
    if (schema != nullptr) unit_ = schema->unit;
    if (path_ == "model.gravity") unit_ = "m/s^2";
    std::optional<Value> value = value_of(plain, path_);
    if (!value && schema != nullptr && schema->default_value != nullptr)
        value = parse_value(schema->default_value);
    if (!value) refuse(why_no_value(plain, path_, registry));
    take(*std::move(value));
}

void ModelParameter::take(Value value) {
    const Value* at = &value;
    std::string path = path_;
    for (std::size_t depth = 0;; ++depth) {
        if (const std::optional<double> number = number_in(*at)) {
            if (depth < entry_.size())
                refuse(depth == 0 ? "it is one number and has no entries"
                                  : fmt::format("{} is one number and has no entries", path));
            value_ = *number;
            break;
        }
        const Array* const array = at->as<Array>();
        if (array == nullptr)
            refuse(
                fmt::format("{} is {}, not a number; where a formula or a table stands, name "
                            "the parameters that it uses",
                            depth == 0 ? "it" : path,
                            in_words(*at)));
        if (array->empty()) refuse(fmt::format("{} is an empty array", depth == 0 ? "it" : path));
        if (depth == entry_.size() || entry_[depth] >= array->size())
            refuse(fmt::format("it is an array; write {0}{1} to {0}{2}",
                               path,
                               entry_of(*array, false),
                               entry_of(*array, true)));
        path += fmt::format("[{}]", entry_[depth]);
        at = &(*array)[entry_[depth]];
    }
    if (const Array* const array = value.as<Array>()) largest_ = largest_beside(*array, entry_);
    whole_ = std::move(value);
}

double ModelParameter::scale(double extent) const {
    if (value_ != 0.0) return std::abs(value_);
    // Of an entry the array's size; else a unit of it.
    if (largest_ > 0.0) return largest_;
    return unit_ == "m" && extent > 0.0 ? extent : 1.0;
}

std::string ModelParameter::override_with(double value) const {
    Value whole = whole_;
    Value* at = &whole;
    for (const std::size_t i : entry_) at = &std::get<Array>(at->data())[i];
    *at = unit_in_text_.empty() ? Value(value)
                                : Value(fmt::format("{:.17g} {}", value, unit_in_text_));
    return path_ + "=" + toml_value(whole);
}

std::vector<ModelParameter> find_parameters(const ModelSource& model,
                                            std::span<const std::string> keys,
                                            PluginRegistry& registry) {
    const Manifest here = model({});
    const Manifest plain = Manifest::parse(expanded_text(here, registry), here.file);
    std::vector<ModelParameter> out;
    for (const std::string& key : keys) {
        if (std::ranges::find(out, key, &ModelParameter::key) != out.end())
            throw Error(ErrorKind::usage, fmt::format("{} is named twice", key));
        out.emplace_back(key, here, plain, registry);
    }
    return out;
}

std::vector<std::string> with_sensitive(const ModelSource& model,
                                        std::span<const std::string> keys,
                                        PluginRegistry& registry) {
    constexpr std::string_view kAll = "sensitive";
    std::vector<std::string> out;
    std::optional<Manifest> plain;
    for (const std::string& key : keys) {
        const auto dots = std::ranges::count(key, '.');
        const bool is_object =
            dots == 1 && (key.starts_with("body.") || key.starts_with("constraint.") ||
                          key.starts_with("joint.") || key.starts_with("force."));
        if (key != kAll && !is_object) {
            // One that an object stands for already; twice by itself is refused later.
            if (std::ranges::find(out, key) == out.end() || std::ranges::count(keys, key) > 1)
                out.push_back(key);
            continue;
        }
        if (!plain) {
            const Manifest here = model({});
            plain = Manifest::parse(expanded_text(here, registry), here.file);
        }
        const std::vector<std::string> found =
            sensitive_keys(*plain, is_object ? std::string_view(key) : "", registry);
        if (found.empty())
            throw Error(
                ErrorKind::usage,
                fmt::format("{}: {}",
                            key,
                            is_object && !has_object(*plain, key)
                                ? why_no_value(*plain, key, registry)
                                : "no number is given to a parameter that its type calls "
                                  "sensitive; `ancora describe TYPE` shows which are, any other "
                                  "number goes by KIND.NAME.KEY"));
        for (const std::string& one : found)
            if (std::ranges::find(out, one) == out.end()) out.push_back(one);
    }
    return out;
}

std::vector<std::string> sensitive_parameters(const ModelSource& model,
                                              const std::string& object,
                                              PluginRegistry& registry) {
    return with_sensitive(model, std::span(&object, 1), registry);
}

std::string unit_of(const Objective& objective, const Simulation& simulation) {
    std::string unit = unit_of_column(objective.column);
    for (const auto& [column, own] : simulation.column_units())
        if (column == objective.column) unit = own;
    if (objective.take != ColumnTake::integral) return unit;
    return unit.empty() ? "s" : unit + " s";
}

bool is_of_places(const std::string& unit) {
    return unit.find_first_of("sNJWAV") == std::string::npos;
}

}  // namespace ancora
