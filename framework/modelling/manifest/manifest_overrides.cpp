// SPDX-License-Identifier: BSD-3-Clause
// --set TABLE.KEY=VALUE.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/printable.hpp"
#include "expression_scope.hpp"
#include "interpolation.hpp"
#include "manifest_reader.hpp"
#include "toml_reader.hpp"
#include "trimmed.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

constexpr std::string_view kForm = "TABLE.KEY=VALUE";

/// Spaces around names mean nothing.
std::vector<std::string> split_at_dots(std::string_view path) {
    std::vector<std::string> names;
    while (true) {
        const std::size_t dot = path.find('.');
        names.emplace_back(trimmed(path.substr(0, dot)));
        if (dot == std::string_view::npos) return names;
        path.remove_prefix(dot + 1);
    }
}

// One "PATH=VALUE".
struct Override {
    std::string text;
    std::vector<std::string> path;
    std::string_view value;
    Place place;
};

[[noreturn]] void refuse_form(std::string_view form, std::string_view text) {
    throw Error(ErrorKind::usage, fmt::format("--set takes {}, not {}", form, in_quotes(text)));
}

Override parse_override(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) refuse_form(kForm, text);
    if (!is_utf8(text)) refuse_form("text in UTF-8", text);
    Override to;
    to.text = text;
    to.path = split_at_dots(std::string_view(text).substr(0, equals));
    to.value = trimmed(std::string_view(text).substr(equals + 1));
    const bool has_gap = std::ranges::any_of(to.path, [](const std::string& name) {
        return name.empty();
    });
    if (has_gap || to.path.size() < 2) refuse_form(kForm, text);
    if (to.path.size() > kMostTomlDepth)
        refuse_form(fmt::format("{} with at most {} names", kForm, kMostTomlDepth), text);
    // in_quotes() shortens what is long
    const std::string shown = in_quotes(text);
    to.place.file =
        std::make_shared<const std::string>("--set " + shown.substr(1, shown.size() - 2));
    return to;
}

/// "force[1][2]": a name, and the entries of what it names.
struct NamedEntry {
    std::string name;
    std::vector<std::size_t> entries;
};

NamedEntry parse_entry(std::string_view text) {
    NamedEntry out;
    while (text.ends_with(']')) {
        const std::size_t open = text.rfind('[');
        if (open == std::string_view::npos || open == 0) break;
        const char* const last = text.data() + text.size() - 1;
        std::size_t index = 0;
        const auto [end, error] = std::from_chars(text.data() + open + 1, last, index);
        if (error != std::errc() || end != last) break;
        out.entries.insert(out.entries.begin(), index);
        text = trimmed(text.substr(0, open));
    }
    out.name = text;
    return out;
}

/// The value of a name in a table, or an entry of it.
Value& entry_of(Table& table, const NamedEntry& named, const Override& change) {
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::manifest, why, change.place);
    };
    Table::Entry* const entry = table.find(named.name);
    if (entry == nullptr)
        refuse(
            fmt::format("the model gives {0} no value that has entries; set all of it, "
                        "{0}=[...]",
                        named.name));
    Value* at = &entry->value;
    std::string path = named.name;
    for (const std::size_t i : named.entries) {
        Array* const array = std::get_if<Array>(&at->data());
        if (array == nullptr)
            refuse(fmt::format("{} is {}, it has no entries", in_quotes(path), in_words(*at)));
        if (i >= array->size())
            refuse(array->empty() ? fmt::format("{} is an empty array", in_quotes(path))
                                  : fmt::format("{0} has the entries {1}[0] to {1}[{2}]",
                                                in_quotes(path),
                                                path,
                                                array->size() - 1));
        path += fmt::format("[{}]", i);
        at = &(*array)[i];
    }
    return *at;
}

// The table `key` of `table`, made if it is not there.
Table& open_table(Table& table, const std::string& key, const Override& change) {
    const NamedEntry named = parse_entry(key);
    if (named.entries.empty() && table.find(key) == nullptr)
        table.add({key, change.place, Value(Table{}, change.place)});
    Value& value = entry_of(table, named, change);
    Table* const inner = std::get_if<Table>(&value.data());
    if (!inner)
        throw Error(ErrorKind::manifest,
                    fmt::format("{} is {}, not a table with keys", in_quotes(key), in_words(value)),
                    change.place);
    return *inner;
}

const std::string* name_of(const Value& object) {
    const Table::Entry* const name = object.as<Table>()->find("name");
    return name ? name->value.as<std::string>() : nullptr;
}

// The names of the objects of one kind, in the order of the file.
std::vector<std::string> names_of(const Table& root, std::string_view kind) {
    std::vector<std::string> names;
    if (const Table::Entry* const entry = root.find(kind))
        for (const Value& object : *entry->value.as<Array>())
            if (const std::string* const name = name_of(object)) names.push_back(*name);
    return names;
}

[[noreturn]] void refuse_object(const Table& root,
                                const std::string& kind,
                                const std::string& name,
                                const Place& place) {
    std::string help;
    for (const char* const other : {"body", "constraint", "force"}) {
        const std::vector<std::string> names = names_of(root, other);
        if (std::ranges::find(names, name) != names.end())
            help = fmt::format("; {} is a {}", in_quotes(name), other);
    }
    if (help.empty()) help = hint(name, names_of(root, list_of(kind)), "there are");
    throw Error(ErrorKind::manifest, fmt::format("no {} {}{}", kind, in_quotes(name), help), place);
}

Table& open_object(Table& root, const Override& change) {
    const std::string& kind = change.path[0];
    const std::string& name = change.path[1];
    if (change.path.size() < 3) refuse_form(kind + ".NAME.KEY=VALUE", change.text);
    if (Table::Entry* const entry = root.find(list_of(kind))) {
        for (Value& object : std::get<Array>(entry->value.data())) {
            const std::string* const found = name_of(object);
            if (found && *found == name) return std::get<Table>(object.data());
        }
    }
    refuse_object(root, kind, name, change.place);
}

// A parameter that is not there is a slip: nothing could use it.
void require_parameter(const Table& root, const Override& change) {
    if (change.path.size() != 2) refuse_form("parameters.NAME=VALUE", change.text);
    const std::string name = parse_entry(change.path[1]).name;
    std::vector<std::string> names;
    if (const Table::Entry* const entry = root.find("parameters"))
        for (const Table::Entry& parameter : entry->value.as<Table>()->entries())
            names.push_back(parameter.key);
    if (std::ranges::find(names, name) == names.end())
        throw Error(
            ErrorKind::manifest,
            fmt::format("no parameter {}{}", in_quotes(name), hint(name, names, "there are")),
            change.place);
}

}  // namespace

bool is_about_parameters(const std::string& override_text) {
    return trimmed(override_text).starts_with("parameters") &&
           split_at_dots(std::string_view(override_text).substr(0, override_text.find('=')))
                   .front() == "parameters";
}

void apply_override(Table& root, const std::string& override_text, const ExpressionScope& scope) {
    const Override change = parse_override(override_text);
    const std::string& head = change.path.front();
    const TableForm form = table_form(head);
    if (form == TableForm::unknown)
        throw Error(ErrorKind::manifest, unknown_table(head), change.place);
    if (head == "parameters") require_parameter(root, change);
    if (head == "generate")
        throw Error(ErrorKind::manifest,
                    "[[generate]] has no names to set values by; set parameters that it uses, or "
                    "the objects that it makes",
                    change.place);
    if (head == "shape")
        throw Error(ErrorKind::manifest,
                    "[[shape]] has no names to set values by; set parameters that it uses",
                    change.place);

    const bool is_list = form == TableForm::list;
    Table* table = is_list ? &open_object(root, change) : &open_table(root, head, change);
    for (std::size_t i = is_list ? 2 : 1; i + 1 < change.path.size(); ++i)
        table = &open_table(*table, change.path[i], change);
    Value value = read_toml_value(change.value, change.place);
    if (value.as<std::string>() && (change.value.starts_with('[') || change.value.starts_with('{')))
        throw Error(ErrorKind::manifest,
                    fmt::format("{} is no array and no table: a bracket, a comma or a number is "
                                "not as TOML has it; a text that begins so stands in quotes",
                                in_quotes(change.value)),
                    change.place);
    if (head != "parameters") interpolate(value, scope);
    const NamedEntry named = parse_entry(change.path.back());
    if (named.entries.empty()) {
        table->set(named.name, std::move(value));
        return;
    }
    // Without gravity the model has that of zeros.
    if (head == "model" && change.path.size() == 2 && named.name == "gravity" &&
        table->find(named.name) == nullptr)
        table->add({named.name, change.place, Value(Array{0.0, 0.0, 0.0}, change.place)});
    entry_of(*table, named, change) = std::move(value);
}

}  // namespace ancora
