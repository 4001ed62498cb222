// SPDX-License-Identifier: BSD-3-Clause
// The parameters of an object, bound to its schema and to the rest of the model.
#include "argument_binder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ancora/sdk/formula/error.hpp"
#include "escaped.hpp"
#include "expression.hpp"
#include "manifest_plugins.hpp"
#include "schema_words.hpp"
#include "sha256.hpp"
#include "toml_writer.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

// [Pa] Jelly has some hundred, and no solid more than 1.2e12: a smaller number was meant in GPa.
constexpr double kSoftest = 1.2e3;

/// Notes a stiffness of a material that none has.
void note_soft(const Parameter& p,
               const Value& value,
               const std::string& key,
               std::vector<Model::Warning>& to) {
    const bool is_modulus = p.unit == std::string_view("Pa") && p.minimum == 0.0;
    if (!is_modulus) return;
    const auto* const whole = value.as<std::int64_t>();
    const auto* const number = value.as<double>();
    const double x = whole != nullptr    ? static_cast<double>(*whole)
                     : number != nullptr ? *number
                                         : 0.0;
    if (x > 0.0 && x < kSoftest)
        to.push_back({fmt::format("{}: {:g} is {:g} Pa, which is softer than jelly: write \"{:g} "
                                  "GPa\" if that is meant",
                                  key,
                                  x,
                                  x,
                                  x),
                      value.place()});
}

/// What a number or an expression without unit is; nothing else has a value.
using ValueOf = std::function<std::optional<double>(const Value&)>;

bool is_of_angle(const Parameter& p, ActsOn measure) {
    const std::vector<std::string_view> units = unit_alternatives(p.unit, measure);
    return units.size() == 1 && units.front() == "rad";
}

constexpr double kTurn = 2.0 * std::numbers::pi;

/// Notes columns of files without a unit that go beyond a turn, likewise.
void note_plain_columns(const BoundArguments& arguments,
                        std::span<const Parameter> schema,
                        const std::string& prefix,
                        ActsOn measure,
                        std::vector<Model::Warning>& to) {
    for (const Parameter& p : schema) {
        if (p.columns != 2 || !is_of_angle(p, measure)) continue;
        const std::span<const double> numbers = arguments.columns_without_unit(p.name);
        for (std::size_t i = 1; i < numbers.size(); i += 2) {
            const double x = numbers[i];
            if (!(std::abs(x) > kTurn)) continue;
            to.push_back({fmt::format("{}{}: the file has no unit for it, so that {:g} is {:g} "
                                      "rad, {:.3g} turns: write unit = \"deg\" beside the file if "
                                      "degrees are meant, else unit = \"rad\"",
                                      prefix,
                                      p.name,
                                      x,
                                      x,
                                      x / kTurn),
                          arguments.place_of(p.name)});
            break;
        }
    }
}

/// Notes numbers beyond a turn that stand where angles are wanted, degrees most likely, and
/// moduli in GPa.
void note_plain_numbers(const Table& values,
                        std::span<const Parameter> schema,
                        const std::string& prefix,
                        ActsOn measure,
                        const ValueOf& value_of,
                        std::vector<Model::Warning>& to) {
    for (const Table::Entry& entry : values.entries()) {
        const auto found = std::ranges::find_if(schema, [&](const Parameter& p) {
            return entry.key == p.name;
        });
        if (found == schema.end()) continue;
        const auto look = [&](const Value& value) {
            const std::optional<double> plain = value_of(value);
            if (!plain) return;
            const double x = *plain;
            if (!(std::abs(x) > kTurn) || std::isinf(x)) return;
            const auto* const text = value.as<std::string>();
            to.push_back({fmt::format("{}{}: {} is {:g} rad, {:.3g} turns: write \"{} deg\" if "
                                      "degrees are meant",
                                      prefix,
                                      entry.key,
                                      text != nullptr ? in_quotes(*text) : fmt::format("{:g}", x),
                                      x,
                                      x / kTurn,
                                      text != nullptr ? fmt::format("({})", escaped(*text))
                                                      : fmt::format("{:g}", x)),
                          value.place()});
        };
        if (const Table* const table = entry.value.as<Table>())
            note_plain_numbers(*table,
                               {found->children, static_cast<std::size_t>(found->num_children)},
                               fmt::format("{}{}.", prefix, entry.key),
                               measure,
                               value_of,
                               to);
        note_soft(*found, entry.value, prefix + entry.key, to);
        if (!is_of_angle(*found, measure)) continue;
        look(entry.value);
        const Array* const array = entry.value.as<Array>();
        if (array == nullptr) continue;
        std::ranges::for_each(*array, look);
        // Rows over time: one of them is enough.
        const std::size_t before = to.size();
        for (const Value& value : *array) {
            const Array* const row = found->columns == 2 ? value.as<Array>() : nullptr;
            if (row != nullptr && row->size() == 2) look((*row)[1]);
            if (to.size() > before) break;
        }
    }
}

/// The kind of measure that `key`, a measure or a joint, names; a mistake in it is found where it
/// is read.
ActsOn kind_named(const Model& model, const std::string& text, const Parameter& key) {
    if (key.allows(Shape::object)) {
        // Friction in a joint: on what the joint leaves free, if that is of one kind
        const int c = model.constraint_names.find(text);
        const Joint* const joint = c < 0 ? nullptr : model.constraints[c].joint;
        if (joint == nullptr || joint->measures.empty()) return ActsOn::unknown;
        const bool is_first = is_angle(joint->measures.front().kind);
        for (const Measure& measure : joint->measures)
            if (is_angle(measure.kind) != is_first) return ActsOn::unknown;
        return is_first ? ActsOn::angle : ActsOn::displacement;
    }
    try {
        const MeasureRef at = find_measure(model, text, {});
        const Joint& joint = *model.constraints[at.constraint].joint;
        return is_angle(joint.measures[at.index].kind) ? ActsOn::angle : ActsOn::displacement;
    } catch (const Error&) {
        return ActsOn::unknown;
    }
}

/// What a law acts on: the measure that "on" names, or the distance of two points.
ActsOn acts_on(const Model& model, const Table& parameters, std::span<const Parameter> schema) {
    const auto key = std::ranges::find(schema, std::string_view("on"), &Parameter::name);
    if (key == schema.end()) return ActsOn::unknown;
    if (const Table::Entry* const on = parameters.find("on")) {
        const auto* const text = on->value.as<std::string>();
        return text != nullptr ? kind_named(model, *text, *key) : ActsOn::unknown;
    }
    return parameters.find("a") != nullptr ? ActsOn::displacement : ActsOn::unknown;
}

}  // namespace

ArgumentBinder::ArgumentBinder(Model& model,
                               const Manifest& manifest,
                               MotionOf motion_of,
                               FrameOf frame_of)
    : model_(model),
      manifest_(manifest),
      motion_of_(std::move(motion_of)),
      frame_of_(std::move(frame_of)) {}

BoundArguments ArgumentBinder::bind(const ObjectRef& object,
                                    const Table& parameters,
                                    const ExpressionScope* scope) const {
    const std::span<const Parameter> schema(object.type->parameters,
                                            static_cast<std::size_t>(object.type->num_parameters));
    const ActsOn measure = acts_on(model_, parameters, schema);
    const auto plain_value = [&](const Value& value) -> std::optional<double> {
        if (const auto* const whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
        if (const auto* const number = value.as<double>()) return *number;
        const auto* const text = value.as<std::string>();
        if (text == nullptr) return std::nullopt;
        try {
            const Quantity x = evaluate(*text, symbols_of(manifest_, scope));
            if (x.knowledge != Knowledge::unit) return x.value;
        } catch (const FormulaError&) {
        }
        return std::nullopt;
    };
    note_plain_numbers(
        parameters, schema, object.label + ": ", measure, plain_value, model_.plain_angles);
    Table storage;
    const Table& numbers =
        with_numbers(manifest_, scope, object.label, parameters, schema, storage, measure);
    const auto motion = [this, record = object.record](const std::string& body,
                                                       const Place& place) -> const RigidMotion& {
        const RigidMotion& found = motion_of_(body, place);
        record->motions.emplace_back(body, found);
        return found;
    };
    BoundArguments arguments(object.label,
                             object.name,
                             object.type->name,
                             numbers,
                             object.place,
                             schema,
                             motion,
                             measure);
    note_plain_columns(arguments, schema, object.label + ": ", measure, model_.plain_angles);
    set_lookups(object, scope, arguments);
    arguments.set_model(model_.gravity, manifest_.integrator.begin, manifest_.integrator.end);
    Table recorded = numbers;
    write_whole_paths(recorded, arguments);
    for (const auto& [key, path] : arguments.files())
        model_.files.push_back(
            {fmt::format("{}.{}.{}", to_text(object.type->kind), object.name, key),
             path,
             sha256_of_file(path)});
    for (const Table::Entry& entry : recorded.entries())
        object.record->parameters +=
            fmt::format("{} = {}\n", toml_key(entry.key), toml_value(entry.value));
    object.record->gravity = model_.gravity;
    object.record->begin_time = manifest_.integrator.begin;
    object.record->end_time = manifest_.integrator.end;
    return arguments;
}

void ArgumentBinder::set_lookups(const ObjectRef& object,
                                 const ExpressionScope* scope,
                                 BoundArguments& arguments) const {
    arguments.set_lookup(
        {[this,
          record = object.record,
          label = object.label,
          is_body = object.type->kind == TypeKind::body](const std::string& text,
                                                         const Place& place) -> const FrameStart& {
             const Asker asker{label, place, {}, {}};
             return record->frames
                 .emplace_back(text,
                               is_body ? frame_of_(text, asker)
                                       : frame_start(model_, text, asker, model_.texts))
                 .second;
         },
         [this, record = object.record, label = object.label](
             const std::string& text, const Place& place) -> const MeasureStart& {
             const MeasureRef ref = find_measure(model_, text, {label, place, {}, {}});
             return record->measures.emplace_back(text, measure_start(model_, ref)).second;
         },
         [this, object](std::shared_ptr<const BreakPoints> points) {
             model_.break_points.push_back({object, std::move(points)});
         },
         [symbols = &symbols_of(manifest_, scope)](std::string_view name) {
             return symbols->knows(name);
         },
         [this](std::string text, const Place& place) {
             const bool is_said = std::ranges::find(model_.warnings, text, &Model::Warning::text) !=
                                  model_.warnings.end();
             if (!is_said) model_.warnings.push_back({std::move(text), place});
         }});
}

BoundArguments ArgumentBinder::bind_release(const ObjectRef& object,
                                            const Table::Entry& release,
                                            const ExpressionScope* scope) const {
    Table keys, storage;
    if (const Table* const table = release.value.as<Table>())
        keys = *table;
    else
        keys.add({"at", release.place, release.value});
    const std::string label = object.label + ": " + kReleaseKey;
    const Table& numbers = with_numbers(manifest_, scope, label, keys, release_keys(), storage);
    BoundArguments arguments(
        label, object.name, kReleaseKey, numbers, release.value.place(), release_keys());
    set_lookups(object, scope, arguments);
    arguments.set_model(model_.gravity, manifest_.integrator.begin, manifest_.integrator.end);
    return arguments;
}

}  // namespace ancora
