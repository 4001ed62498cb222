// SPDX-License-Identifier: BSD-3-Clause
// [[generate]]: objects by the many.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ancora/sdk/formula/error.hpp"
#include "expression.hpp"
#include "expression_scope.hpp"
#include "interpolation.hpp"
#include "manifest_reader.hpp"
#include "place_note.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

// In one manifest; more is most likely a slip, and would fill the memory before it is noticed.
constexpr double kMostObjects = 1e6;
// Of these objects together: numbers, pieces of texts, arrays and tables.
constexpr double kMostValues = 1e8;

constexpr std::string_view kKinds[] = {"body", "constraint", "force"};

// One entry of `for`: from first, count of them, or a list of values or of names.
struct Index {
    std::string name;
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::vector<Quantity> values = {};
    std::vector<std::string> texts = {};

    ExpressionScope::Local at(std::int64_t k) const {
        const auto i = static_cast<std::size_t>(k);
        if (!texts.empty()) return {name, {{static_cast<double>(k), {}, {}}}, false, texts[i]};
        return {name,
                {values.empty() ? Quantity{static_cast<double>(first + k), {}, {}} : values[i]}};
    }
};

[[noreturn]] void refuse(const std::string& message, const Place& place) {
    throw Error(ErrorKind::manifest, "[[generate]]: " + message, place);
}

std::int64_t whole_number(const Value& value,
                          const std::string& label,
                          const ExpressionScope& scope) {
    double x = 0.0;
    if (const auto* const integer = value.as<std::int64_t>())
        x = static_cast<double>(*integer);
    else if (const auto* const number = value.as<double>())
        x = *number;
    else if (const auto* const text = value.as<std::string>())
        try {
            x = evaluate(*text, scope).value;
        } catch (const FormulaError& error) {
            refuse(fmt::format("for: {}: {}: {}", label, in_quotes(*text), error.what()),
                   value.place());
        }
    else
        refuse(fmt::format("for: {}: expected a whole number, got {}", label, in_words(value)),
               value.place());
    constexpr double kMostIndex = 1e15;
    if (!(std::abs(x) <= kMostIndex) || x != std::floor(x))
        refuse(fmt::format("for: {}: expected a whole number, got {}", label, number_text(x)),
               value.place());
    return static_cast<std::int64_t>(x);
}

void check_name(const char* key, const Table::Entry& entry, const ExpressionScope& scope) {
    if (const std::string problem = name_problem(entry.key); !problem.empty())
        refuse(fmt::format("{}: {}: {}", key, in_quotes(entry.key), problem), entry.place);
    if (scope.knows(entry.key))
        refuse(fmt::format("{}: {}: this is the name of a parameter{}; choose another",
                           key,
                           in_quotes(entry.key),
                           scope.indices_text().empty() ? "" : ", an index or another local name"),
               entry.place);
}

/// The value of a number or an expression; nothing if it has none.
std::optional<Quantity> value_of(const Value& value, const ExpressionScope& scope) {
    if (const auto* const whole = value.as<std::int64_t>())
        return Quantity{static_cast<double>(*whole), Knowledge::open, {}};
    if (const auto* const number = value.as<double>())
        return Quantity{*number, Knowledge::open, {}};
    const auto* const text = value.as<std::string>();
    if (text == nullptr) return std::nullopt;
    try {
        Quantity quantity = evaluate(*text, scope);
        // "2.5" is as good as 2.5
        if (quantity.knowledge == Knowledge::number) quantity.knowledge = Knowledge::open;
        return quantity;
    } catch (const FormulaError&) {
        return std::nullopt;
    }
}

Quantity number_of(const char* key,
                   const std::string& label,
                   const Value& value,
                   const ExpressionScope& scope) {
    if (const std::optional<Quantity> quantity = value_of(value, scope)) return *quantity;
    const auto* const text = value.as<std::string>();
    if (text == nullptr)
        refuse(fmt::format("{}: {}: expected a number or an expression in quotes, got {}",
                           key,
                           label,
                           in_words(value)),
               value.place());
    const std::string indices = scope.indices_text();
    try {
        evaluate(*text, scope);
    } catch (const FormulaError& error) {
        refuse(fmt::format("{}: {}: {}: {}{}",
                           key,
                           label,
                           in_quotes(*text),
                           error.what(),
                           indices.empty() ? "" : " (" + indices + ")"),
               value.place());
    }
    return {};
}

bool is_name(const Value& entry, const ExpressionScope& scope) {
    return entry.as<std::string>() != nullptr && !value_of(entry, scope);
}

bool are_names(const Array& array, const ExpressionScope& scope) {
    return std::ranges::all_of(array, [&](const Value& entry) {
        return is_name(entry, scope);
    });
}

/// `let`: names of one round, each by the indices, the parameters and those before it.
void add_locals(const Table& table, ExpressionScope& scope) {
    const Table::Entry* const entry = table.find("let");
    if (entry == nullptr) return;
    const Table* const locals = entry->value.as<Table>();
    if (locals == nullptr)
        refuse(fmt::format("let: expected a table of names, as in {{x = \"i*d\"}}, got {}",
                           in_words(entry->value)),
               entry->value.place());
    for (const Table::Entry& local : locals->entries()) {
        check_name("let", local, scope);
        std::vector<Quantity> values;
        const Array* const array = local.value.as<Array>();
        std::vector<std::string> texts;
        const bool holds_names = array != nullptr && !array->empty() && are_names(*array, scope);
        if (array == nullptr)
            values.push_back(number_of("let", local.key, local.value, scope));
        else
            for (std::size_t i = 0; i < array->size(); ++i)
                if (holds_names) {
                    texts.push_back(*(*array)[i].as<std::string>());
                    values.push_back({static_cast<double>(i), {}, {}});
                } else {
                    values.push_back(
                        number_of("let", fmt::format("{}[{}]", local.key, i), (*array)[i], scope));
                }
        scope.add_local({local.key, std::move(values), array != nullptr, {}, std::move(texts)});
    }
}

/// Whether the two entries are whole numbers, a range from the first to the last. A number with a
/// point or a unit is a value.
bool is_range(const Array& array, const ExpressionScope& scope) {
    const auto is_bound = [&](const Value& entry) {
        if (entry.as<std::string>() == nullptr) return entry.as<double>() == nullptr;
        const std::optional<Quantity> x = value_of(entry, scope);
        return !x || (x->knowledge != Knowledge::unit && x->value == std::floor(x->value));
    };
    return array.size() == 2 && std::ranges::all_of(array, is_bound) && !are_names(array, scope);
}

void read_list(Index& index, const Array& array, const ExpressionScope& scope) {
    const bool holds_names = are_names(array, scope);
    const auto name = std::ranges::find_if(array, [&](const Value& entry) {
        return is_name(entry, scope);
    });
    if (!holds_names && name != array.end() && array.size() > 2) {
        const auto value = std::ranges::find_if(array, [&](const Value& entry) {
            return !is_name(entry, scope);
        });
        refuse(
            fmt::format("for: {}: a list holds values or names, here {} is a name and {} a value",
                        index.name,
                        in_words(*name),
                        in_words(*value)),
            value->place());
    }
    for (std::size_t i = 0; i < array.size(); ++i) {
        const std::string label = fmt::format("{}[{}]", index.name, i);
        if (!holds_names) {
            index.values.push_back(number_of("for", label, array[i], scope));
            continue;
        }
        const std::string& text = *array[i].as<std::string>();
        if (text.empty())
            refuse(fmt::format("for: {}: expected a name, got an empty text", label),
                   array[i].place());
        index.texts.push_back(text);
    }
    index.count = static_cast<std::int64_t>(array.size());
}

Index read_index(const Table::Entry& entry, const ExpressionScope& scope) {
    check_name("for", entry, scope);
    Index index;
    index.name = entry.key;
    std::int64_t last = 0;
    if (const Array* const range = entry.value.as<Array>()) {
        if (range->empty())
            refuse(fmt::format("for: {}: expected a count, [first, last], or a list of values or "
                               "names, got an empty array",
                               entry.key),
                   entry.value.place());
        if (!is_range(*range, scope)) {
            read_list(index, *range, scope);
            return index;
        }
        index.first = whole_number((*range)[0], entry.key + "[0]", scope);
        last = whole_number((*range)[1], entry.key + "[1]", scope);
    } else {
        const std::int64_t count = whole_number(entry.value, entry.key, scope);
        if (count < 0)
            refuse(fmt::format("for: {}: expected a count >= 0, got {}", entry.key, count),
                   entry.value.place());
        last = count - 1;
    }
    index.count = std::max<std::int64_t>(0, last - index.first + 1);
    return index;
}

std::vector<Index> read_indices(const Table& table,
                                const Place& place,
                                const ExpressionScope& scope) {
    const Table::Entry* const entry = table.find("for");
    if (entry == nullptr) refuse("missing key \"for\", as in for = {i = 10}", place);
    const Table* const indices = entry->value.as<Table>();
    if (indices == nullptr || indices->entries().empty())
        refuse(fmt::format("for: expected a table of indices, as in {{i = 10}}, got {}",
                           in_words(entry->value)),
               entry->value.place());
    std::vector<Index> out;
    for (const Table::Entry& index : indices->entries()) out.push_back(read_index(index, scope));
    return out;
}

// What is generated: an array of tables.
const Array* read_templates(const Table& table, std::string_view kind) {
    const Table::Entry* const entry = table.find(kind);
    if (entry == nullptr) return nullptr;
    const Array* const array = entry->value.as<Array>();
    const bool is_right = array != nullptr && std::ranges::all_of(*array, [](const Value& value) {
                              return value.as<Table>() != nullptr;
                          });
    if (!is_right)
        refuse(fmt::format("{} must be a list of tables, not {}; write [[generate.{}]]",
                           kind,
                           in_words(entry->value),
                           kind),
               entry->value.place());
    return array;
}

void check_keys(const Table& table) {
    static const std::vector<std::string> kKeys{
        "for", "let", "body", "joint", "constraint", "force"};
    // What was not put among the constraints is no list of tables.
    read_templates(table, "joint");
    for (const Table::Entry& entry : table.entries())
        if (std::ranges::find(kKeys, entry.key) == kKeys.end())
            refuse(
                fmt::format(
                    "unknown key {}{}", in_quotes(entry.key), hint(entry.key, kKeys, "valid keys")),
                entry.place);
}

// A copy whose places say which object it belongs to.
class NotedCopy {
public:
    explicit NotedCopy(std::string note) : note_(std::move(note)) {}

    Value value(const Value& from) {
        Place place = this->place(from.place());
        if (const Array* const array = from.as<Array>()) {
            Array to;
            to.reserve(array->size());
            for (const Value& entry : *array) to.push_back(value(entry));
            return {std::move(to), std::move(place)};
        }
        if (const Table* const table = from.as<Table>()) {
            Table to;
            for (const Table::Entry& entry : table->entries())
                to.add({entry.key, this->place(entry.place), value(entry.value)});
            return {std::move(to), std::move(place)};
        }
        return {from.data(), std::move(place)};
    }

private:
    Place place(const Place& from) {
        if (!from.known()) return from;
        if (file_ == nullptr || file_.get() != from.file.get()) file_ = with_note(from.file, note_);
        return {file_, from.line, from.column};
    }

    std::string note_;
    std::shared_ptr<const std::string> file_;
};

/// Values in a value, itself included; a long text counts as several.
double count_values(const Value& value) {
    constexpr double kTextOfValue = 64.0;  // bytes
    double count = 1.0;
    if (const auto* const text = value.as<std::string>())
        count += static_cast<double>(text->size()) / kTextOfValue;
    if (const Array* const array = value.as<Array>())
        for (const Value& entry : *array) count += count_values(entry);
    if (const Table* const table = value.as<Table>())
        for (const Table::Entry& entry : table->entries()) count += count_values(entry.value);
    return count;
}

class Generator {
public:
    Generator(ManifestTables& tables) : tables_(tables) {}

    void generate(const Value& block) {
        const Table& table = *block.as<Table>();
        check_keys(table);
        const std::vector<Index> indices = read_indices(table, block.place(), *tables_.scope);
        double per_round = 0.0, values_per_round = 0.0;
        std::array<const Array*, std::size(kKinds)> templates{};
        for (std::size_t k = 0; k < templates.size(); ++k) {
            templates[k] = read_templates(table, kKinds[k]);
            if (templates[k] == nullptr) continue;
            per_round += static_cast<double>(templates[k]->size());
            for (const Value& object : *templates[k]) values_per_round += count_values(object);
        }
        if (per_round == 0.0)
            refuse(
                "nothing to generate; write [[generate.body]], [[generate.joint]], "
                "[[generate.constraint]] or [[generate.force]] below it",
                block.place());
        double rounds = 1.0;
        for (const Index& index : indices) rounds *= static_cast<double>(index.count);
        num_objects_ += rounds * per_round;
        if (num_objects_ > kMostObjects || rounds > kMostObjects)
            refuse(fmt::format("this makes {:.10g} objects, expected at most {:g}",
                               num_objects_,
                               kMostObjects),
                   block.place());
        num_values_ += rounds * values_per_round;
        if (num_values_ > kMostValues)
            refuse(fmt::format("this makes objects of {:.0f} values, expected at most {:g}",
                               num_values_,
                               kMostValues),
                   block.place());

        for (auto round = static_cast<std::int64_t>(0); round < static_cast<std::int64_t>(rounds);
             ++round) {
            std::vector<ExpressionScope::Local> values;
            std::int64_t rest = round;
            for (const Index& index : indices) {
                values.push_back(index.at(rest % index.count));
                rest /= index.count;
            }
            const auto scope = std::make_shared<ExpressionScope>(tables_.scope, std::move(values));
            add_locals(table, *scope);
            NotedCopy copy(scope->indices_text());
            for (std::size_t k = 0; k < templates.size(); ++k)
                if (templates[k] != nullptr)
                    for (const Value& object : *templates[k])
                        add(std::string(kKinds[k]), copy.value(object), scope);
        }
    }

private:
    void add(const std::string& kind,
             Value object,
             const std::shared_ptr<const ExpressionScope>& scope) {
        interpolate(object, *scope);
        Table::Entry* entry = tables_.root.find(kind);
        if (entry == nullptr) {
            tables_.root.add({kind, object.place(), Value(Array{}, object.place())});
            entry = tables_.root.find(kind);
        }
        std::get<Array>(entry->value.data()).push_back(std::move(object));
        tables_.generated[kind].push_back(scope);
    }

    ManifestTables& tables_;
    double num_objects_ = 0.0;
    double num_values_ = 0.0;
};

}  // namespace

void generate_objects(ManifestTables& tables, Mistakes& mistakes) {
    Table::Entry* const entry = tables.root.find("generate");
    if (entry == nullptr) return;
    const Array blocks = std::move(std::get<Array>(entry->value.data()));
    tables.root.erase("generate");
    Generator generator(tables);
    for (const Value& block : blocks)
        mistakes.gather([&] {
            generator.generate(block);
        });
}

}  // namespace ancora
