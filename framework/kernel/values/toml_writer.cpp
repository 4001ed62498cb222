// SPDX-License-Identifier: BSD-3-Clause
// TOML text of values.
#include "toml_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

namespace ancora {

std::string toml_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out + '"';
}

std::string toml_number(double x) {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x > 0.0 ? "inf" : "-inf";
    std::string text = fmt::format("{}", x);  // the shortest that reads back the same
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string toml_numbers(std::span<const double> numbers) {
    std::string out = "[";
    for (std::size_t i = 0; i < numbers.size(); ++i)
        out += (i > 0 ? ", " : "") + toml_number(numbers[i]);
    return out + ']';
}

std::string toml_value(const Value& value) {
    return std::visit(
        [](const auto& x) -> std::string {
            using T = std::decay_t<decltype(x)>;
            if constexpr (std::is_same_v<T, Array>) {
                std::string out = "[";
                for (std::size_t i = 0; i < x.size(); ++i)
                    out += (i > 0 ? ", " : "") + toml_value(x[i]);
                return out + ']';
            } else if constexpr (std::is_same_v<T, Table>) {
                std::string out = "{";
                for (const Table::Entry& entry : x.entries())
                    out += fmt::format("{} {} = {}",
                                       out.size() > 1 ? "," : "",
                                       toml_key(entry.key),
                                       toml_value(entry.value));
                return out + " }";
            } else if constexpr (std::is_same_v<T, std::string>) {
                return toml_text(x);
            } else if constexpr (std::is_same_v<T, double>) {
                return toml_number(x);
            } else {
                return fmt::format("{}", x);
            }
        },
        value.data());
}

std::string toml_key(std::string_view key) {
    const bool is_bare = !key.empty() && std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
    return is_bare ? std::string(key) : toml_text(key);
}

}  // namespace ancora
