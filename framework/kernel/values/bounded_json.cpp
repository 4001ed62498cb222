// SPDX-License-Identifier: BSD-3-Clause
// Measures a document before it is parsed, and takes values out of it.
#include "bounded_json.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "wording.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

/// Counts brackets, also where they do not match: the parser reports that.
void check_depth(std::string_view text) {
    int depth = 0;
    bool is_in_text = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_in_text) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                is_in_text = false;
        } else if (c == '"') {
            is_in_text = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kMostJsonDepth)
                throw std::invalid_argument(
                    fmt::format("arrays and objects stand more than {} deep in each other at byte "
                                "{}",
                                kMostJsonDepth,
                                i + 1));
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
}

}  // namespace

Json parse_json(std::string_view text) {
    check_depth(text);
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        throw std::invalid_argument(fmt::format("it is no JSON document, see byte {}", error.byte));
    } catch (const Json::exception&) {
        throw std::invalid_argument("it holds a number that is too large");
    }
}

std::string kind_of(const Json& value) {
    if (value.is_null()) return "null";
    if (value.is_boolean()) return "true or false";
    if (value.is_number()) return "a number";
    if (value.is_string()) return "a text";
    return value.is_array() ? "an array" : "an object";
}

JsonReader::JsonReader(const Json& object, std::string what)
    : object_(object), what_(std::move(what)) {
    if (!object_.is_object())
        throw std::invalid_argument(
            fmt::format("{} is {}, not an object", what_, kind_of(object_)));
}

const Json& JsonReader::at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(key, "is missing");
    return *found;
}

std::string JsonReader::text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) refuse(key, fmt::format("is {}, not a text", kind_of(value)));
    return value.get<std::string>();
}

bool JsonReader::boolean(const char* key) const {
    const Json& value = at(key);
    if (!value.is_boolean()) refuse(key, fmt::format("is {}, not true or false", kind_of(value)));
    return value.get<bool>();
}

std::int64_t JsonReader::whole(const char* key, std::int64_t low, std::int64_t high) const {
    return whole_of(at(key), key, low, high);
}

double JsonReader::number(const char* key) const {
    return number_of(at(key), key);
}

const Json& JsonReader::array(const char* key) const {
    const Json& value = at(key);
    if (!value.is_array()) refuse(key, fmt::format("is {}, not an array", kind_of(value)));
    return value;
}

std::int64_t JsonReader::whole_of(const Json& value,
                                  const char* key,
                                  std::int64_t low,
                                  std::int64_t high) const {
    if (!value.is_number_integer())
        refuse(key,
               value.is_number() ? "is no whole number"
                                 : fmt::format("is {}, not a whole number", kind_of(value)));
    // beyond the largest signed number, and so beyond `high`
    const bool is_beyond =
        value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(INT64_MAX);
    const std::int64_t x = is_beyond ? INT64_MAX : value.get<std::int64_t>();
    if (is_beyond || x < low || x > high)
        refuse(key, fmt::format("is {}, not from {} to {}", value.dump(), low, high));
    return x;
}

double JsonReader::number_of(const Json& value, const char* key) const {
    if (!value.is_number()) refuse(key, fmt::format("is {}, not a number", kind_of(value)));
    return value.get<double>();
}

void JsonReader::refuse(const std::string& key, const std::string& why) const {
    throw std::invalid_argument(fmt::format("{}: {} {}", what_, in_quotes(key), why));
}

}  // namespace ancora
