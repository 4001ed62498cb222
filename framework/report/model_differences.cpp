// SPDX-License-Identifier: BSD-3-Clause
// Compares manifests value by value; objects by their names.
#include "model_differences.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "file_writer.hpp"
#include "result_files.hpp"
#include "toml_reader.hpp"
#include "toml_writer.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A line of a manifest that lies with results, for each --set that was applied.
constexpr std::string_view kAppliedMark = "# Applied: --set ";
// More are no help; the last entry then says how many there are.
constexpr std::size_t kMostDifferences = 200;
// A longer value, such as a table over time, is cut.
constexpr std::size_t kLongestValue = 120;

struct Settings {
    std::string applied;  // what was set on the command line
    std::vector<std::pair<std::string, std::string>> values;
    std::unordered_map<std::string, std::string> by_key;

    void add(std::string key, std::string value) {
        if (by_key.emplace(key, value).second)
            values.emplace_back(std::move(key), std::move(value));
    }
};

/// The name by which an object of a list is found again: its own, or its number.
std::string name_of(const Value& object, std::size_t i) {
    if (const Table* const table = object.as<Table>())
        if (const Table::Entry* const name = table->find("name"))
            if (const auto* const text = name->value.as<std::string>()) return *text;
    return fmt::format("{}", i);
}

void flatten(const std::string& key, const Value& value, Settings& to) {
    const std::string dot = key.empty() ? "" : ".";
    if (const Table* const table = value.as<Table>()) {
        for (const Table::Entry& entry : table->entries())
            flatten(key + dot + entry.key, entry.value, to);
        return;
    }
    const Array* const array = value.as<Array>();
    const bool is_list =
        array != nullptr && !array->empty() && std::ranges::all_of(*array, [](const Value& entry) {
            return entry.as<Table>() != nullptr;
        });
    if (!is_list) {
        to.add(key, toml_value(value));
        return;
    }
    for (std::size_t i = 0; i < array->size(); ++i)
        flatten(key + dot + name_of((*array)[i], i), (*array)[i], to);
}

std::optional<Settings> settings_of(const fs::path& folder) {
    const fs::path file = folder / kModelFile;
    std::error_code error;
    if (!fs::exists(file, error)) return std::nullopt;
    const std::string text = read_text_file(file, "the manifest of the results");
    Settings out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = std::string_view(text).substr(at, end - at);
        if (line.starts_with(kAppliedMark))
            out.applied +=
                (out.applied.empty() ? "" : ", ") + std::string(line.substr(kAppliedMark.size()));
        at = end + 1;
    }
    flatten("", read_toml(text, std::make_shared<const std::string>(file.string())), out);
    return out;
}

std::string shortened(const std::string& text) {
    if (text.size() <= kLongestValue) return text;
    std::size_t end = kLongestValue;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // of UTF-8
    return text.substr(0, end) + "...";
}

}  // namespace

Json model_differences(const fs::path& first, const fs::path& second) {
    const std::optional<Settings> a = settings_of(first), b = settings_of(second);
    if (!a || !b) return nullptr;
    Json out = Json::array();
    std::size_t count = 0;
    const auto compare =
        [&](const std::string& key, const std::string& in_first, const std::string& in_second) {
            if (in_first == in_second || ++count > kMostDifferences) return;
            out.push_back(
                {{"key", key}, {"first", shortened(in_first)}, {"second", shortened(in_second)}});
        };
    compare("--set", a->applied, b->applied);
    const auto value_of = [](const Settings& settings, const std::string& key) {
        const auto found = settings.by_key.find(key);
        return found == settings.by_key.end() ? std::string() : found->second;
    };
    for (const auto& [key, value] : a->values) compare(key, value, value_of(*b, key));
    for (const auto& [key, value] : b->values)
        if (!a->by_key.contains(key)) compare(key, "", value);
    if (count > kMostDifferences)
        out.push_back({{"key", fmt::format("and {} more values", count - kMostDifferences)},
                       {"first", ""},
                       {"second", ""}});
    return out;
}

}  // namespace ancora
