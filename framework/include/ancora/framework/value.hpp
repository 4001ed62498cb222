// SPDX-License-Identifier: BSD-3-Clause
// Manifest values that know their line and column.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ancora/framework/error.hpp"
#include "ancora/framework/export.hpp"

namespace ancora {

class Value;
using Array = std::vector<Value>;

/// Keys and values in the order of the file.
class ANCORA_FRAMEWORK_EXPORT Table {
public:
    struct Entry;

    Table();
    ~Table();
    Table(const Table&);
    Table(Table&&) noexcept;
    Table& operator=(const Table&);
    Table& operator=(Table&&) noexcept;

    const std::vector<Entry>& entries() const { return entries_; }
    std::vector<Entry>& entries() { return entries_; }
    const Entry* find(std::string_view key) const;
    Entry* find(std::string_view key);
    /// Sets a key, new or not; returns the table for chaining.
    Table& set(std::string key, Value value);
    void add(Entry entry);
    void erase(std::string_view key);

private:
    std::vector<Entry> entries_;
};

/// One TOML value: boolean, integer, floating-point number, string, array or table.
class ANCORA_FRAMEWORK_EXPORT Value {
public:
    using Data = std::variant<bool, std::int64_t, double, std::string, Array, Table>;

    Value() : data_(false) {}
    Value(Data data, Place place) : data_(std::move(data)), place_(std::move(place)) {}
    // Values made in code.
    Value(bool x) : data_(x) {}
    Value(int x) : data_(std::int64_t{x}) {}
    Value(std::int64_t x) : data_(x) {}
    Value(double x) : data_(x) {}
    Value(const char* x) : data_(std::string(x)) {}
    Value(std::string x) : data_(std::move(x)) {}
    Value(Array x) : data_(std::move(x)) {}
    Value(Table x) : data_(std::move(x)) {}
    /// An array of numbers.
    Value(std::initializer_list<double> numbers);

    const Data& data() const { return data_; }
    Data& data() { return data_; }
    const Place& place() const { return place_; }

    template <class T>
    const T* as() const {
        return std::get_if<T>(&data_);
    }

private:
    Data data_;
    Place place_;
};

struct Table::Entry {
    std::string key;
    Place place;
    Value value;
};

/// Reads one TOML value, as after `key =`; text that is no TOML value is taken as a string.
ANCORA_FRAMEWORK_EXPORT Value parse_value(std::string_view text);

}  // namespace ancora
