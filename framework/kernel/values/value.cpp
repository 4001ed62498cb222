// SPDX-License-Identifier: BSD-3-Clause
// Tables and values of a manifest.
#include "ancora/framework/value.hpp"

#include <algorithm>
#include <utility>

#include "toml_reader.hpp"
#include "traps_off.hpp"

namespace ancora {

// Here, where an entry is a complete type.
Table::Table() = default;
Table::~Table() = default;
Table::Table(const Table&) = default;
Table::Table(Table&&) noexcept = default;
Table& Table::operator=(const Table&) = default;
Table& Table::operator=(Table&&) noexcept = default;

const Table::Entry* Table::find(std::string_view key) const {
    const auto entry = std::ranges::find(entries_, key, &Entry::key);
    return entry == entries_.end() ? nullptr : &*entry;
}

Table::Entry* Table::find(std::string_view key) {
    return const_cast<Entry*>(std::as_const(*this).find(key));
}

Table& Table::set(std::string key, Value value) {
    Place place = value.place();
    if (Entry* const entry = find(key)) {
        entry->place = std::move(place);
        entry->value = std::move(value);
    } else {
        add({std::move(key), std::move(place), std::move(value)});
    }
    return *this;
}

void Table::add(Entry entry) {
    entries_.push_back(std::move(entry));
}

void Table::erase(std::string_view key) {
    std::erase_if(entries_, [key](const Entry& entry) {
        return entry.key == key;
    });
}

Value::Value(std::initializer_list<double> numbers)
    : data_(Array(numbers.begin(), numbers.end())) {}

Value parse_value(std::string_view text) {
    const TrapsOff traps_off;
    return read_toml_value(text, {});
}

}  // namespace ancora
