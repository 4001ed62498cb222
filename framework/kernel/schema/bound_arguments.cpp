// SPDX-License-Identifier: BSD-3-Clause
// Checks values against a schema and hands them out.
#include "bound_arguments.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "argument_files.hpp"
#include "formula_hints.hpp"
#include "mistakes.hpp"
#include "schema_words.hpp"
#include "table_file.hpp"
#include "units.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

bool is_number(const Value& value) {
    return value.as<double>() || value.as<std::int64_t>();
}

double to_number(const Value& value) {
    const std::int64_t* const integer = value.as<std::int64_t>();
    return integer ? static_cast<double>(*integer) : *value.as<double>();
}

bool is_in_range(const Parameter& p, double x) {
    const bool above = p.minimum_is_excluded ? x > p.minimum : x >= p.minimum;
    const bool below = p.maximum_is_excluded ? x < p.maximum : x <= p.maximum;
    return above && below;
}

// The only entry of the schema stands for any name.
bool has_free_names(std::span<const Parameter> schema) {
    return schema.size() == 1 && schema.front().name == std::string_view("*");
}

}  // namespace

BoundArguments::BoundArguments(std::string owner,
                               std::string name,
                               std::string type,
                               const Table& values,
                               Place place,
                               std::span<const Parameter> schema,
                               MotionOf motion,
                               ActsOn measure)
    : owner_(std::move(owner)),
      name_(std::move(name)),
      type_(std::move(type)),
      place_(std::move(place)),
      motion_(std::move(motion)),
      measure_(measure) {
    bind(values, schema);
}

BoundArguments::BoundArguments(const BoundArguments& outer,
                               std::string_view key,
                               const Table& values,
                               Place place,
                               std::span<const Parameter> schema)
    : owner_(outer.owner_),
      prefix_(fmt::format("{}{}.", outer.prefix_, key)),
      name_(outer.name_),
      type_(outer.type_),
      place_(std::move(place)),
      motion_(outer.motion_),
      measure_(outer.measure_) {
    bind(values, schema);
}

void BoundArguments::set_model(const std::array<double, 3>& gravity,
                               double begin_time,
                               double end_time) {
    gravity_ = gravity;
    begin_time_ = begin_time;
    end_time_ = end_time;
    for (Item& item : items_)
        if (const auto* const inner = std::get_if<std::unique_ptr<BoundArguments>>(&item.content))
            (*inner)->set_model(gravity, begin_time, end_time);
}

void BoundArguments::set_lookup(Lookup lookup) {
    for (Item& item : items_)
        if (const auto* const inner = std::get_if<std::unique_ptr<BoundArguments>>(&item.content))
            (*inner)->set_lookup(lookup);
    lookup_ = std::move(lookup);
}

BoundArguments::~BoundArguments() = default;
BoundArguments::BoundArguments(BoundArguments&&) noexcept = default;

// --- checking

void BoundArguments::bind(const Table& values, std::span<const Parameter> schema) {
    if (has_free_names(schema)) {
        bind_free_names(values, schema.front());
        return;
    }
    items_.resize(schema.size());
    for (std::size_t i = 0; i < schema.size(); ++i) {
        items_[i].parameter = &schema[i];
        items_[i].name = schema[i].name;
    }

    // what the manifest gives
    Mistakes mistakes;
    bool has_unknown = false;
    for (const Table::Entry& entry : values.entries())
        mistakes.gather([&] {
            Item* const item = find(entry.key);
            has_unknown |= item == nullptr;
            if (!item) refuse_key(entry, schema);
            item->given = true;
            item->place = entry.value.place().known() ? entry.value.place() : place_;
            bind(*item, entry.value);
        });

    // what it leaves out; what is missing may be there under another name
    for (Item& item : items_) {
        if (item.given) continue;
        const Parameter& p = *item.parameter;
        item.place = place_;
        if (p.is_required && !has_unknown)
            mistakes.gather([&] {
                throw Error(ErrorKind::manifest,
                            fmt::format("{}missing key {}", title(), described(p)),
                            place_);
            });
        if (p.default_value) bind_default(item);
    }
    mistakes.refuse();
}

// The first item, "*", holds the names as texts.
void BoundArguments::bind_free_names(const Table& values, const Parameter& parameter) {
    has_free_names_ = true;
    std::vector<std::string> names;
    items_.resize(1 + values.entries().size());
    for (Item& item : items_) item.parameter = &parameter;
    for (std::size_t i = 0; i < values.entries().size(); ++i) {
        const Table::Entry& entry = values.entries()[i];
        Item& item = items_[i + 1];
        item.name = entry.key;
        item.given = true;
        item.place = entry.value.place().known() ? entry.value.place() : place_;
        if (item.name == parameter.name)
            throw Error(ErrorKind::manifest, title() + "\"*\" is no name", item.place);
        bind(item, entry.value);
        names.push_back(entry.key);
    }
    items_.front().name = parameter.name;
    items_.front().place = place_;
    items_.front().shape = Shape::texts;
    items_.front().content = std::move(names);
}

void BoundArguments::bind_default(Item& item) const {
    const Parameter& p = *item.parameter;
    try {
        bind(item, parse_value(p.default_value));
        if (const auto* const inner = std::get_if<std::unique_ptr<BoundArguments>>(&item.content))
            for (Item& x : (*inner)->items_) x.given = false;
    } catch (const Error& error) {
        throw Error(ErrorKind::plugin,
                    fmt::format("type {}: the default {} of {} does not fit its own schema ({})",
                                in_quotes(type_),
                                p.default_value,
                                in_quotes(prefix_ + p.name),
                                error.message()),
                    place_);
    }
}

void BoundArguments::bind(Item& item, const Value& value) const {
    const Parameter& p = *item.parameter;
    if (const auto* const integer = value.as<std::int64_t>()) {
        bind(item, *integer, value);
    } else if (const auto* const number = value.as<double>()) {
        bind(item, *number, value);
    } else if (const auto* const text = value.as<std::string>()) {
        bind(item, *text, value);
    } else if (const auto* const array = value.as<Array>()) {
        bind(item, *array, value);
    } else if (const auto* const boolean = value.as<bool>(); boolean && p.allows(Shape::boolean)) {
        item.content = *boolean;
        item.shape = Shape::boolean;
    } else if (const auto* const table = value.as<Table>(); table && p.allows(Shape::table)) {
        const std::span schema(p.children, static_cast<std::size_t>(p.num_children));
        item.content = std::unique_ptr<BoundArguments>(
            new BoundArguments(*this, item.name, *table, item.place, schema));
        item.shape = Shape::table;
    } else if (table && p.allows(Shape::matrix) && names_columns(*table)) {
        bind_columns(item, *table);
    } else {
        refuse(item, "", expected_value(p), value);
    }
}

void BoundArguments::bind(Item& item, std::int64_t x, const Value& value) const {
    const Parameter& p = *item.parameter;
    if (p.allows(Shape::number)) {
        bind(item, static_cast<double>(x), value);
    } else if (p.allows(Shape::integer)) {
        check_number(item, static_cast<double>(x), value, [] {
            return std::string();
        });
        item.content = x;
        item.shape = Shape::integer;
    } else {
        refuse(item, "", expected_value(p), value);
    }
}

void BoundArguments::bind(Item& item, double x, const Value& value) const {
    if (!item.parameter->allows(Shape::number))
        refuse(item, "", expected_value(*item.parameter), value);
    check_number(item, x, value, [] {
        return std::string();
    });
    item.content = x;
    item.shape = Shape::number;
}

void BoundArguments::bind(Item& item, const std::string& x, const Value& value) const {
    const Parameter& p = *item.parameter;
    const auto shapes = {Shape::text,
                         Shape::point,
                         Shape::direction,
                         Shape::body,
                         Shape::object,
                         Shape::file,
                         Shape::frame,
                         Shape::measure};
    const auto shape = std::ranges::find_if(shapes, [&](Shape candidate) {
        return p.allows(candidate) &&
               (candidate != Shape::text ||
                (is_choice(p, x) && !(p.allows(Shape::file) && looks_like_file(x))));
    });
    if (shape == shapes.end()) refuse(item, "", expected_value(p), value);
    item.shape = *shape;
    item.content = x;
    if (*shape != Shape::file) return;
    // Relative names begin at the folder of the file in which the value stands, those of --set at
    // the one in which the object stands.
    const Place where = value.place().known() ? value.place() : item.place;
    item.content = find_file({fmt::format("{}: {}{}", owner_, prefix_, item.name),
                              x,
                              where,
                              where.line > 0 ? where : place_,
                              p.allows(Shape::texts),
                              // a table over time has its first column for that
                              p.length > 0 ? p.length : std::max(0, p.columns - 1)});
}

void BoundArguments::bind(Item& item, const Array& x, const Value& value) const {
    const Parameter& p = *item.parameter;

    // the first entry decides what the array is meant to be
    const bool is_empty = x.empty();
    const bool numbers = !is_empty && is_number(x.front());
    const bool arrays = !is_empty && x.front().as<Array>();
    const bool texts = !is_empty && x.front().as<std::string>();
    if (is_list_of_booleans(p))
        bind_booleans(item, x, value);
    else if (p.allows(Shape::vector) && (numbers || (is_empty && p.length == 0)))
        bind_vector(item, x, value);
    else if (p.allows(Shape::matrix) && (arrays || (is_empty && p.rows == 0)))
        bind_matrix(item, x, value);
    else if (p.allows(Shape::texts) && (texts || is_empty))
        bind_texts(item, x);
    else
        refuse(item, "", expected_value(p), value);
}

// True and false are 1 and 0 in a list.
void BoundArguments::bind_booleans(Item& item, const Array& x, const Value& value) const {
    const Parameter& p = *item.parameter;
    if (p.length != 0 && x.size() != static_cast<std::size_t>(p.length))
        refuse(item, "", expected_value(p), value);
    std::vector<double> numbers;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool* const entry = x[i].as<bool>();
        if (!entry) refuse(item, fmt::format("[{}]", i), "true or false", x[i]);
        numbers.push_back(*entry ? 1.0 : 0.0);
    }
    item.rows = static_cast<int>(x.size());
    item.content = std::move(numbers);
    item.shape = Shape::vector;
}

void BoundArguments::bind_vector(Item& item, const Array& x, const Value& value) const {
    const Parameter& p = *item.parameter;
    if (p.length != 0 && x.size() != static_cast<std::size_t>(p.length))
        refuse(item, "", expected_value(p), value);

    std::vector<double> numbers;
    numbers.reserve(x.size());
    append_numbers(
        item,
        x,
        [](std::size_t i) {
            return fmt::format("[{}]", i);
        },
        numbers);
    item.rows = static_cast<int>(x.size());
    item.content = std::move(numbers);
    item.shape = Shape::vector;
}

void BoundArguments::bind_matrix(Item& item, const Array& x, const Value& value) const {
    const Parameter& p = *item.parameter;
    if (p.rows != 0 && x.size() != static_cast<std::size_t>(p.rows))
        refuse(item, "", expected_value(p), value);

    // the first row decides the number of columns where the schema leaves it open
    const std::size_t columns = p.columns != 0 ? static_cast<std::size_t>(p.columns)
                                : x.empty()    ? 0
                                               : x.front().as<Array>()->size();
    std::vector<double> numbers;
    numbers.reserve(x.size() * columns);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Array* const row = x[i].as<Array>();
        if (!row || row->size() != columns || columns == 0)
            refuse(item, fmt::format("[{}]", i), array_of_numbers(columns), x[i]);
        append_numbers(
            item,
            *row,
            [i](std::size_t j) {
                return fmt::format("[{}][{}]", i, j);
            },
            numbers);
    }
    item.rows = static_cast<int>(x.size());
    item.content = std::move(numbers);
    item.shape = Shape::matrix;
}

// { file = "traj.csv", column = "q3" } in place of rows.
namespace {

/// Columns in units of their own have the dimension of the parameter, the first of two or more that
/// of the time where one value would do.
void check_columns(const std::string& label,
                   const Parameter& p,
                   const TableFile& read,
                   ActsOn measure,
                   const Place& where) {
    const bool is_over_time = p.columns == 2 && (p.allows(Shape::number) || p.allows(Shape::text) ||
                                                 p.allows(Shape::signal));
    for (std::size_t k = 0; k < read.units.size(); ++k) {
        const std::string& unit = read.units[k];
        const std::optional<Dimension> dimension = dimension_of(unit);
        const std::string_view own = unit_of_column(p, k);
        const bool has_own = own != p.unit;
        if (!dimension || unit == "1" || (k == 0 && !is_over_time && !has_own)) continue;
        std::vector<std::string_view> wanted{"s"};
        if (k > 0 || has_own) wanted = unit_alternatives(own, measure);
        if (std::ranges::any_of(wanted, [&](std::string_view one) {
                const std::optional<Dimension> fits = dimension_of(one);
                return !fits || *fits == *dimension;
            }))
            continue;
        const std::string column =
            k < read.names.size() ? in_quotes(read.names[k]) : fmt::format("{}", k + 1);
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: column {} of {}: expected {}{}, got {}",
                                label,
                                column,
                                in_quotes(read.path),
                                fmt::join(wanted, " or "),
                                k > 0 || has_own ? why_unit(own, measure) : "",
                                unit),
                    where);
    }
}

}  // namespace

void BoundArguments::bind_columns(Item& item, const Table& x) const {
    const Parameter& p = *item.parameter;
    const Table::Entry* const file = x.find("file");
    const Place where = file->value.place().known() ? file->value.place() : item.place;
    const std::string label = fmt::format("{}: {}{}", owner_, prefix_, item.name);
    TableFile read = read_table_file(label, x, where, where.line > 0 ? where : place_, p.columns);
    check_columns(label, p, read, measure_, where);
    for (const double number : read.numbers)
        if (!is_in_range(p, number))
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: expected {}, got {} in {}",
                                    label,
                                    expected_range(p),
                                    number,
                                    in_quotes(read.path)),
                        where);
    item.has_no_unit =
        std::ranges::none_of(read.units | std::views::drop(1), [](const std::string& unit) {
            return !unit.empty();
        });
    item.rows = read.rows;
    item.columns_of = std::move(read.path);
    item.content = std::move(read.numbers);
    item.shape = Shape::matrix;
}

void BoundArguments::bind_texts(Item& item, const Array& x) const {
    std::vector<std::string> texts;
    texts.reserve(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::string* const text = x[i].as<std::string>();
        if (!text || !is_choice(*item.parameter, *text))
            refuse(item, fmt::format("[{}]", i), expected_text(*item.parameter), x[i]);
        texts.push_back(*text);
    }
    item.content = std::move(texts);
    item.shape = Shape::texts;
}

template <class Where>
void BoundArguments::append_numbers(const Item& item,
                                    const Array& from,
                                    const Where& where,
                                    std::vector<double>& to) const {
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (!is_number(from[i])) refuse(item, where(i), "a number", from[i]);
        const double x = to_number(from[i]);
        check_number(item, x, from[i], [&] {
            return where(i);
        });
        to.push_back(x);
    }
}

// `where` is called only for a message: it builds a string.
template <class Where>
void BoundArguments::check_number(const Item& item,
                                  double x,
                                  const Value& value,
                                  const Where& where) const {
    const Parameter& p = *item.parameter;
    if (std::isnan(x)) refuse(item, where(), "a number", value);
    if (!is_in_range(p, x)) refuse(item, where(), expected_range(p), value);
    if (std::isinf(x) && !p.may_be_infinite) refuse(item, where(), "a finite number", value);
}

void BoundArguments::refuse(const Item& item,
                            std::string_view where,
                            std::string_view expected,
                            const Value& value) const {
    const Parameter& p = *item.parameter;
    std::string got = in_words(value);
    if (is_number(value)) got += unit_behind(p);
    if (const std::string* const text = value.as<std::string>()) got += hint_at_choice(p, *text);
    if (where.empty()) got += hint_at_form(p, value);
    throw Error(
        ErrorKind::manifest,
        fmt::format(
            "{}: {}{}{}: expected {}, got {}", owner_, prefix_, item.name, where, expected, got),
        value.place().known() ? value.place() : item.place);
}

void BoundArguments::refuse_key(const Table::Entry& entry,
                                std::span<const Parameter> schema) const {
    std::vector<std::string> keys;
    for (const Parameter& p : schema) keys.emplace_back(p.name);
    std::string help =
        keys.empty() ? "; there are none to give" : hint(entry.key, keys, "valid keys");
    if (entry.key == "column")
        help = "; a column is that of a file: { file = \"...\", column = \"...\" }" + help;
    throw Error(ErrorKind::manifest,
                fmt::format("{}unknown key {}{}", title(), in_quotes(entry.key), help),
                entry.place.known() ? entry.place : place_);
}

// `body "box": ` or `body "box": orientation: `
std::string BoundArguments::title() const {
    if (prefix_.empty()) return owner_ + ": ";
    return fmt::format("{}: {}: ", owner_, prefix_.substr(0, prefix_.size() - 1));
}

// --- reading

BoundArguments::Item* BoundArguments::find(std::string_view key) {
    return const_cast<Item*>(std::as_const(*this).find(key));
}

const BoundArguments::Item* BoundArguments::find(std::string_view key) const {
    const auto item = std::ranges::find_if(items_, [key](const Item& candidate) {
        return key == candidate.name;
    });
    return item == items_.end() ? nullptr : &*item;
}

const BoundArguments::Item& BoundArguments::item(std::string_view key) const {
    const Item* const found = find(key);
    if (!found) misused(key, "which is not in its schema");
    found->was_read = true;
    return *found;
}

template <class T>
const T& BoundArguments::content(std::string_view key, std::string_view wanted) const {
    const Item& found = item(key);
    if (found.content.index() == 0)
        misused(key, "which has no value and no default; ask has() first");
    const T* const x = std::get_if<T>(&found.content);
    if (!x)
        misused(key, fmt::format("as {}, but its value is {}", wanted, shape_name(found.shape)));
    return *x;
}

void BoundArguments::misused(std::string_view key, std::string_view how) const {
    const std::string_view comma = how.starts_with("as ") ? "" : ",";
    throw std::logic_error(fmt::format("type {} asks for {}{} {}",
                                       in_quotes(type_),
                                       in_quotes(prefix_ + std::string(key)),
                                       comma,
                                       how));
}

std::span<const double> BoundArguments::columns_without_unit(std::string_view key) const {
    const Item* const found = find(key);
    if (found == nullptr || found->columns_of.empty() || !found->has_no_unit) return {};
    return std::get<std::vector<double>>(found->content);
}

Place BoundArguments::place_of(std::string_view key) const {
    const Item* const found = find(key);
    return found ? found->place : place_;
}

std::vector<std::pair<std::string, std::string>> BoundArguments::files() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const Item& item : items_) {
        if (const auto* const inner = std::get_if<std::unique_ptr<BoundArguments>>(&item.content))
            std::ranges::copy((*inner)->files(), std::back_inserter(out));
        else if (const auto* const path = std::get_if<std::string>(&item.content);
                 path && item.shape == Shape::file)
            out.emplace_back(prefix_ + item.name, *path);
        else if (!item.columns_of.empty())
            out.emplace_back(prefix_ + item.name + ".file", item.columns_of);
    }
    return out;
}

bool BoundArguments::was_read(std::string_view key) const {
    const Item* const found = find(key);
    return found && found->was_read;
}

bool BoundArguments::has(std::string_view key) const {
    if (has_free_names_ && !find(key)) return false;
    return item(key).content.index() != 0;
}

bool BoundArguments::given(std::string_view key) const {
    if (has_free_names_ && !find(key)) return false;
    return item(key).given;
}

Shape BoundArguments::shape(std::string_view key) const {
    const Item& found = item(key);
    if (found.content.index() == 0)
        misused(key, "which has no value and no default; ask has() first");
    return found.shape;
}

bool BoundArguments::boolean(std::string_view key) const {
    return content<bool>(key, "a boolean");
}

std::int64_t BoundArguments::integer(std::string_view key) const {
    return content<std::int64_t>(key, "an integer");
}

double BoundArguments::number(std::string_view key) const {
    return content<double>(key, "a number");
}

std::string_view BoundArguments::text(std::string_view key) const {
    return content<std::string>(key, "a text");
}

std::span<const double> BoundArguments::numbers(std::string_view key) const {
    return content<std::vector<double>>(key, "a vector or matrix");
}

int BoundArguments::rows(std::string_view key) const {
    content<std::vector<double>>(key, "a vector or matrix");
    return item(key).rows;
}

int BoundArguments::num_texts(std::string_view key) const {
    return static_cast<int>(content<std::vector<std::string>>(key, "an array of texts").size());
}

std::string_view BoundArguments::text(std::string_view key, int index) const {
    const auto& texts = content<std::vector<std::string>>(key, "an array of texts");
    if (index < 0 || static_cast<std::size_t>(index) >= texts.size())
        misused(key, fmt::format("entry {} of {}", index, texts.size()));
    return texts[index];
}

std::string_view BoundArguments::path(std::string_view key) const {
    const std::string& path = content<std::string>(key, "a file");
    if (const Shape shape = item(key).shape; shape != Shape::file)
        misused(key, fmt::format("as a file, but its value is {}", shape_name(shape)));
    return path;
}

void BoundArguments::add_break_points(std::shared_ptr<const BreakPoints> points) const {
    if (lookup_.break_points) lookup_.break_points(std::move(points));
}

const Arguments& BoundArguments::table(std::string_view key) const {
    return *content<std::unique_ptr<BoundArguments>>(key, "a table");
}

const RigidMotion& BoundArguments::motion_of(std::string_view key) const {
    const std::string& body = content<std::string>(key, "a body");
    const Shape shape = item(key).shape;
    if (shape != Shape::body)
        misused(key, fmt::format("as a body, but its value is {}", shape_name(shape)));
    if (!motion_) misused(key, "as a body, but motions are not known here");
    return motion_(body, place_of(key));
}

const FrameStart& BoundArguments::frame(std::string_view text, std::string_view key) const {
    if (!lookup_.frame) misused(key, "as a frame, but frames are not known here");
    return lookup_.frame(std::string(text), place_of(key));
}

const MeasureStart& BoundArguments::measure(std::string_view text, std::string_view key) const {
    if (!lookup_.measure) misused(key, "as a measure, but measures are not known here");
    return lookup_.measure(std::string(text), place_of(key));
}

const MeasureStart* BoundArguments::find_measure(std::string_view text) const {
    if (!lookup_.measure) return nullptr;
    try {
        return &lookup_.measure(std::string(text), place_);
    } catch (const Error&) {
        return nullptr;
    }
}

void BoundArguments::warn(std::string_view key, std::string_view message) const {
    if (lookup_.warning) lookup_.warning(worded(key, message), place_of(key));
}

std::string BoundArguments::worded(std::string_view key, std::string_view message) const {
    const std::string path = prefix_ + std::string(key);
    return path.empty()  ? fmt::format("{}: {}", owner_, message)
           : key.empty() ? title() + std::string(message)
                         : fmt::format("{}: {}: {}", owner_, path, message);
}

void BoundArguments::fail(std::string_view key, std::string_view message) const {
    throw Error(ErrorKind::manifest,
                worded(key, with_formula_hint(named_parameter(message))),
                place_of(key));
}

/// A formula's unknown name may be a parameter, of which the type does not know.
std::string BoundArguments::named_parameter(std::string_view message) const {
    constexpr std::string_view kFound = "found \"", kExpected = "\", expected ";
    const std::size_t begin = message.find(kFound) + kFound.size();
    const std::size_t end = message.find(kExpected);
    if (message.find(kFound) == std::string_view::npos || end == std::string_view::npos ||
        end < begin || !lookup_.is_parameter)
        return std::string(message);
    const std::string_view name = message.substr(begin, end - begin);
    if (!lookup_.is_parameter(name)) {
        // "K" for k
        for (const bool is_upper : {false, true}) {
            std::string other(name);
            for (char& c : other) {
                const auto byte = static_cast<unsigned char>(c);
                c = static_cast<char>(is_upper ? std::toupper(byte) : std::tolower(byte));
            }
            if (!lookup_.is_parameter(other)) continue;
            std::string out(message);
            return out.insert(std::min(out.find('\n'), out.size()),
                              fmt::format("; did you mean the parameter \"{}\"?", other));
        }
        return std::string(message);
    }
    const std::size_t excerpt = std::min(message.find('\n'), message.size());
    return fmt::format("{}\", which is a parameter: write ${{{}}}{}",
                       message.substr(0, end),
                       name,
                       message.substr(excerpt));
}

void BoundArguments::fail_in_file(std::string_view key,
                                  int line,
                                  int column,
                                  std::string_view message) const {
    // Where rows may stand, columns of a file with others may be named
    const bool has_others = item(key).parameter->allows(Shape::matrix) &&
                            message.find(" columns, expected ") != std::string_view::npos;
    throw Error(ErrorKind::manifest,
                fmt::format("{}: {}{}: {}{}",
                            owner_,
                            prefix_,
                            key,
                            message,
                            has_others ? "; of a file with others name those that are meant: "
                                         "{ file = \"...\", column = \"...\" }"
                                       : ""),
                {std::make_shared<const std::string>(path(key)), line, column});
}

}  // namespace ancora
