// SPDX-License-Identifier: BSD-3-Clause
// Reads TOML that a program wrote: every key has one type, and a slip is an error with its place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/value.hpp"
#include "wording.hpp"

namespace ancora {

/// A table and where it stands.
struct PlacedTable {
    const Table& table;
    Place place;
};

/// Takes values out of tables. What does not fit is an Error (file), headed by `what`.
class TableReader {
public:
    explicit TableReader(std::string what) : what_(std::move(what)) {}

    const Value& value(const PlacedTable& in, std::string_view key) const {
        const Table::Entry* const entry = in.table.find(key);
        if (entry == nullptr) refuse(fmt::format("\"{}\" is missing", key), in.place);
        return entry->value;
    }

    const std::string& text(const PlacedTable& in, std::string_view key) const {
        return as<std::string>(value(in, key), key, "a text");
    }
    std::int64_t integer(const PlacedTable& in, std::string_view key) const {
        return as<std::int64_t>(value(in, key), key, "a whole number");
    }
    PlacedTable table(const PlacedTable& in, std::string_view key) const {
        return table(value(in, key), key);
    }
    PlacedTable table(const Value& value, std::string_view key) const {
        return {as<Table>(value, key, "a table"), value.place()};
    }
    std::vector<std::string> texts(const PlacedTable& in, std::string_view key) const {
        std::vector<std::string> out;
        for (const Value& entry : as<Array>(value(in, key), key, "an array of texts"))
            out.push_back(as<std::string>(entry, key, "an array of texts"));
        return out;
    }
    std::vector<double> numbers(const Value& value, std::string_view key) const {
        std::vector<double> out;
        for (const Value& entry : as<Array>(value, key, "an array of numbers")) {
            if (const auto* const whole = entry.as<std::int64_t>())
                out.push_back(static_cast<double>(*whole));
            else
                out.push_back(as<double>(entry, key, "an array of numbers"));
        }
        return out;
    }

    /// No key but these.
    void only(const PlacedTable& in, std::initializer_list<std::string_view> keys) const {
        for (const Table::Entry& entry : in.table.entries())
            if (std::ranges::find(keys, entry.key) == keys.end())
                refuse(fmt::format("unknown key {}", in_quotes(entry.key)), entry.place);
    }

    template <class T>
    const T& as(const Value& value, std::string_view key, const char* expected) const {
        const T* const data = value.as<T>();
        if (data == nullptr)
            refuse(fmt::format("{}: expected {}, got {}", key, expected, in_words(value)),
                   value.place());
        return *data;
    }

    [[noreturn]] void refuse(const std::string& message, const Place& place) const {
        throw Error(ErrorKind::file, fmt::format("{}: {}", what_, message), place);
    }

private:
    std::string what_;
};

}  // namespace ancora
