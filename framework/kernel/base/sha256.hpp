// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 of a file or a text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sha256_ctx;  // of Nettle

namespace ancora {

/// SHA-256 of bytes that come in pieces.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    void add(const void* bytes, std::size_t count);
    /// 64 hexadecimal digits; ends it.
    std::string text();

private:
    std::unique_ptr<sha256_ctx> context_;
};

/// SHA-256 of the file's bytes, 64 hexadecimal digits.
/// @throws std::system_error if it cannot be read
std::string sha256_of_file(const std::filesystem::path& file);

/// SHA-256 of the text's bytes, 64 hexadecimal digits.
std::string sha256_of_text(std::string_view text);

}  // namespace ancora
