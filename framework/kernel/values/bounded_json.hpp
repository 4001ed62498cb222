// SPDX-License-Identifier: BSD-3-Clause
// JSON from files that may be damaged: refused in words, however it is nested.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ancora {

/// Most arrays and objects that may stand one in another: what handles a document calls itself for
/// each of them.
constexpr int kMostJsonDepth = 100;

/// Parses a document.
/// @throws std::invalid_argument that says what is wrong and at which byte
nlohmann::ordered_json parse_json(std::string_view text);

/// What a value is, in words: "a text", "an array".
std::string kind_of(const nlohmann::ordered_json& value);

/// Entries of an object, each of one kind.
/// @throws std::invalid_argument that names the key
class JsonReader {
public:
    using Json = nlohmann::ordered_json;

    /// `what` is the object in messages: `body "box"`.
    JsonReader(const Json& object, std::string what);

    const Json& at(const char* key) const;
    std::string text(const char* key) const;
    bool boolean(const char* key) const;
    /// A whole number from `low` to `high`.
    std::int64_t whole(const char* key, std::int64_t low, std::int64_t high) const;
    /// A finite number.
    double number(const char* key) const;
    const Json& array(const char* key) const;
    template <std::size_t N>
    std::array<double, N> numbers(const char* key) const {
        const Json& list = array(key);
        if (list.size() != N) refuse(key, "has not " + std::to_string(N) + " entries");
        std::array<double, N> out{};
        for (std::size_t i = 0; i < N; ++i) out[i] = number_of(list[i], key);
        return out;
    }
    /// A whole number among the entries of `key`.
    std::int64_t whole_of(const Json& value,
                          const char* key,
                          std::int64_t low,
                          std::int64_t high) const;

    [[noreturn]] void refuse(const std::string& key, const std::string& why) const;

private:
    double number_of(const Json& value, const char* key) const;

    const Json& object_;
    std::string what_;
};

}  // namespace ancora
