// SPDX-License-Identifier: BSD-3-Clause
// The document of a glTF file: lists of entries that refer to each other by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "bounded_json.hpp"

namespace ancora::gltf {

using Json = nlohmann::ordered_json;
using Bytes = std::string_view;

// Numbers of bytes and entries beyond this are refused before they are multiplied.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

/// @throws SurfaceError
[[noreturn]] void damaged(const std::string& why);

/// The document, and the buffer that a binary file holds behind it.
struct Parts {
    Bytes text;
    std::optional<Bytes> buffer;
};

Parts parts_of(Bytes bytes);

/// Its entries, in words for messages: "accessor 3".
class Document {
public:
    explicit Document(Bytes text);

    const Json& root() const { return json_; }
    std::size_t count(const char* list) const;
    JsonReader entry(const char* list, const char* name, std::size_t index) const;
    /// The entry of `list` that `key` names; refused if there is none.
    std::size_t index(const JsonReader& of, const char* key, const char* list) const;

    /// @throws SurfaceError if its version or an extension that it requires is not known
    void require_readable() const;

private:
    Json json_;
    JsonReader root_;
};

/// The whole number of a key that may be missing.
std::int64_t whole_or(const JsonReader& of,
                      const Json& json,
                      const char* key,
                      std::int64_t low,
                      std::int64_t high,
                      std::int64_t otherwise);

}  // namespace ancora::gltf
