// SPDX-License-Identifier: BSD-3-Clause
// A number of a model by its key.
#include "model_parameter.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "ancora/framework/manifest_text.hpp"
#include "ancora/framework/nearest_name.hpp"
#include "expression_scope.hpp"
#include "manifest_values.hpp"
#include "results.hpp"
#include "toml_writer.hpp"
#include "wording.hpp"

namespace ancora {

ModelParameter::ModelParameter(const std::string& key,
                               const Manifest& model,
                               const Manifest& plain,
                               PluginRegistry& registry)
    : key_(key), path_(key) {
    if (key.ends_with(']')) {
        const std::size_t open = key.rfind('[');
        std::size_t index = 0;
        const char* const last = key.data() + key.size() - 1;
        const auto [end, error] = open == std::string::npos
                                      ? std::from_chars_result{last, std::errc::invalid_argument}
                                      : std::from_chars(key.data() + open + 1, last, index);
        if (error != std::errc() || end != last)
            refuse("in brackets stands the number of an entry, counted from 0");
        index_ = index;
        path_ = key.substr(0, open);
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
            if (one.columns > 0)
                refuse("it has rows; give the number that is to change a name of its own");
            const Quantity& first = one.values.front();
            if (first.knowledge == Knowledge::unit && !first.dimension.is_none())
                unit_ = unit_in_text_ = to_text(first.dimension);
            if (one.is_array) {
                for (const Quantity& entry : one.values) array_.push_back(entry.value);
                if (!index_ || *index_ >= array_.size())
                    refuse(fmt::format(
                        "it is an array; write {}[0] to {}[{}]", path_, path_, array_.size() - 1));
                entry_ = *index_;
            } else {
                if (index_) refuse("it is one number and has no entries");
                scalar_ = first.value;
            }
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
    take(*value);
}

void ModelParameter::take(const Value& value) {
    if (const std::optional<double> number = number_in(value)) {
        if (index_) refuse("it is one number and has no entries");
        scalar_ = *number;
        return;
    }
    const Array* const array = value.as<Array>();
    if (array == nullptr)
        refuse(
            fmt::format("it is {}, not a number; where a formula or a table stands, name the "
                        "parameters that it uses",
                        in_words(value)));
    for (const Value& entry : *array) {
        const std::optional<double> number = number_in(entry);
        if (!number) refuse("it is an array of other things than numbers");
        array_.push_back(*number);
    }
    if (array_.empty()) refuse("it is an empty array");
    if (!index_ || *index_ >= array_.size())
        refuse(
            fmt::format("it is an array; write {}[0] to {}[{}]", path_, path_, array_.size() - 1));
    entry_ = *index_;
}

double ModelParameter::scale(double extent) const {
    if (value() != 0.0) return std::abs(value());
    // Of an entry the array's size; else a unit of it.
    double largest = 0.0;
    for (const double x : array_) largest = std::max(largest, std::abs(x));
    if (largest > 0.0) return largest;
    return unit_ == "m" && extent > 0.0 ? extent : 1.0;
}

std::string ModelParameter::override_with(double value) const {
    const auto text = [&](double x) {
        return unit_in_text_.empty() ? toml_number(x)
                                     : fmt::format("\"{:.17g} {}\"", x, unit_in_text_);
    };
    if (array_.empty()) return path_ + "=" + text(value);
    std::string out = path_ + "=[";
    for (std::size_t i = 0; i < array_.size(); ++i) {
        if (i > 0) out += ", ";
        out += text(i == entry_ ? value : array_[i]);
    }
    return out + "]";
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

}  // namespace ancora
