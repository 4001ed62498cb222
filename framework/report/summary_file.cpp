// SPDX-License-Identifier: BSD-3-Clause
// Checks the kinds of the entries that the page reads; others it shows whatever they are.
#include "summary_file.hpp"

#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "bounded_json.hpp"
#include "file_writer.hpp"
#include "result_files.hpp"
#include "results.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

enum class Kind { text, number, array, object };

constexpr const char* kKindNames[] = {"a text", "a number", "an array", "an object"};

struct Expected {
    const char* key;
    Kind kind;
};

constexpr Expected kRoot[] = {
    {"ancora", Kind::text},
    {"model", Kind::text},
    {"exit_reason", Kind::text},
    {"integrator", Kind::object},
    {"plugins", Kind::array},
    {"steps", Kind::number},
    {"wall_seconds", Kind::number},
    {"newton", Kind::object},
    {"factorisations", Kind::number},
    {"evaluations", Kind::number},
    {"energy", Kind::object},
    {"momentum", Kind::object},
    {"angular_momentum", Kind::object},
    {"constraint", Kind::object},
    {"events", Kind::array},
    {"doubts", Kind::array},
    {"cost", Kind::object},
    {"units", Kind::object},
    {"final_state", Kind::object},
};
constexpr Expected kPlugin[] = {
    {"name", Kind::text}, {"version", Kind::text}, {"sha256", Kind::text}};
constexpr Expected kEvent[] = {{"t", Kind::number}, {"mode", Kind::text}};
constexpr Expected kCost[] = {{"seconds", Kind::number}, {"calls", Kind::number}};
constexpr Expected kFinalState[] = {{"t", Kind::number}};
constexpr Expected kIntegrator[] = {{"end", Kind::number}};

bool is_of(const Json& value, Kind kind) {
    switch (kind) {
        case Kind::text:
            return value.is_string();
        case Kind::number:
            return value.is_number();
        case Kind::array:
            return value.is_array();
        case Kind::object:
            return value.is_object();
    }
    return false;
}

[[noreturn]] void refuse(const std::string& name, const Json& value, Kind kind) {
    throw std::invalid_argument(fmt::format(
        "{} is {}, not {}", name, kind_of(value), kKindNames[static_cast<std::size_t>(kind)]));
}

/// Entries may be missing: earlier versions wrote fewer. null stands for a number that is not
/// finite.
template <std::size_t N>
void check(const Json& object, const std::string& name, const Expected (&expected)[N]) {
    if (!object.is_object()) refuse(name, object, Kind::object);
    for (const Expected& entry : expected)
        if (const auto found = object.find(entry.key);
            found != object.end() && !found->is_null() && !is_of(*found, entry.kind))
            refuse(name == "it" ? fmt::format("\"{}\"", entry.key)
                                : fmt::format("\"{}\" of {}", entry.key, name),
                   *found,
                   entry.kind);
}

void check_summary(const Json& summary) {
    check(summary, "it", kRoot);
    const auto each = [&](const char* key, const auto& expected) {
        const auto list = summary.find(key);
        if (list == summary.end()) return;
        for (const Json& entry : *list)
            check(entry, fmt::format("an entry of \"{}\"", key), expected);
    };
    each("plugins", kPlugin);
    each("events", kEvent);
    each("cost", kCost);
    if (const auto units = summary.find("units"); units != summary.end() && !units->is_null())
        for (const auto& [column, unit] : units->items())
            if (!unit.is_string())
                refuse(fmt::format("the unit of {}", in_quotes(column)), unit, Kind::text);
    for (const auto& [key, expected] :
         {std::pair{"final_state", &kFinalState}, std::pair{"integrator", &kIntegrator}})
        if (const auto found = summary.find(key); found != summary.end() && !found->is_null())
            check(*found, fmt::format("\"{}\"", key), *expected);
}

}  // namespace

Json read_summary(const fs::path& folder) {
    const fs::path file = folder / kSummaryFile;
    std::error_code error;
    if (!fs::exists(file, error)) return nullptr;
    const std::string text = read_text_file(file, "the summary");
    try {
        Json summary = parse_json(text);
        check_summary(summary);
        return summary;
    } catch (const std::invalid_argument& damage) {
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" is damaged: {}", file.string(), damage.what()));
    }
}

std::string unit_of_column(const Json& summary, const std::string& name) {
    if (const auto units = summary.find("units"); units != summary.end() && units->is_object())
        if (const auto unit = units->find(name); unit != units->end())
            return unit->get<std::string>();
    return unit_of_column(name);
}

}  // namespace ancora
