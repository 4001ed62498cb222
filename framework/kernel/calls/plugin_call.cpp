// SPDX-License-Identifier: BSD-3-Clause
// What a recorded call says, and its words.
#include "plugin_call.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "toml_reader.hpp"
#include "toml_writer.hpp"

namespace ancora {

std::span<const double> PluginCall::input(std::string_view key) const {
    const auto found = std::ranges::find(inputs, key, &CallValues::name);
    return found == inputs.end() ? std::span<const double>{} : std::span(found->values);
}

double PluginCall::number(std::string_view key) const {
    const std::span<const double> x = input(key);
    return x.empty() ? 0.0 : x[0];
}

std::int64_t PluginCall::setting(std::string_view key) const {
    for (const auto& [name_of, value] : settings)
        if (name_of == key) return value;
    return 0;
}

bool PluginCall::wants(std::string_view output) const {
    return std::ranges::find(wanted, output) != wanted.end();
}

std::string locator_text(const Locator& where) {
    const char* const head = where.is_direction ? "direction " : "point ";
    switch (where.kind) {
        case Locator::Kind::coordinates:
            return head + toml_numbers(where.xyz);
        case Locator::Kind::index:
            if (where.is_direction)
                return fmt::format("{}{}@{}", head, where.index, toml_numbers(where.xyz));
            return fmt::format("{}{}", head, where.index);
        case Locator::Kind::name:
            return fmt::format("{}{}", head, where.name);
    }
    return head;
}

Locator locator_of(std::string_view text) {
    Locator out;
    out.is_direction = text.starts_with("direction ");
    std::string_view name = text.substr(std::min(text.size(), text.find(' ') + 1));
    const std::size_t in_node = name.find('@');
    const std::string_view local =
        in_node == std::string_view::npos ? name : name.substr(in_node + 1);
    name = name.substr(0, in_node);
    if (local.starts_with('[')) {
        const Value value = parse_value(std::string(local));
        const Array* const xyz = value.as<Array>();
        for (std::size_t i = 0; i < 3 && xyz != nullptr && i < xyz->size(); ++i)
            if (const auto* const x = (*xyz)[i].as<double>()) out.xyz[i] = *x;
    }
    if (name.starts_with('[')) return out;
    if (!name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos) {
        out.kind = Locator::Kind::index;
        out.index = std::stoll(std::string(name));
    } else {
        out.kind = Locator::Kind::name;
        out.name = name;
    }
    return out;
}

Locator locator_of(const PluginCall& record) {
    if (record.locators.empty())
        throw Error(ErrorKind::file, "the record names no attachment, but the call takes one");
    return locator_of(record.locators.front());
}

std::vector<std::string> bad_entries(const std::vector<CallValues>& outputs) {
    std::vector<std::string> bad;
    for (const CallValues& output : outputs)
        for (std::size_t i = 0; i < output.values.size(); ++i) {
            if (std::isfinite(output.values[i])) continue;
            const auto columns = static_cast<std::size_t>(output.columns);
            std::string where;
            if (columns > 1)
                where = fmt::format(" at row {}, column {}", i / columns, i % columns);
            else if (output.values.size() > 1)
                where = fmt::format(" at row {}", i);
            bad.push_back(fmt::format("{} is {}{}", output.name, output.values[i], where));
        }
    return bad;
}

}  // namespace ancora
