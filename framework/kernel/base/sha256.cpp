// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 through Nettle.
#include "sha256.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <system_error>

#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

namespace ancora {

Sha256::Sha256() : context_(std::make_unique<sha256_ctx>()) {
    sha256_init(context_.get());
}
Sha256::~Sha256() = default;

void Sha256::add(const void* bytes, std::size_t count) {
    sha256_update(context_.get(), count, static_cast<const std::uint8_t*>(bytes));
}

std::string Sha256::text() {
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> bytes;
#if NETTLE_VERSION_MAJOR >= 4
    sha256_digest(context_.get(), bytes.data());
#else
    sha256_digest(context_.get(), bytes.size(), bytes.data());
#endif
    std::string text(BASE16_ENCODE_LENGTH(bytes.size()), '\0');
    base16_encode_update(text.data(), bytes.size(), bytes.data());
    return text;
}

std::string sha256_of_file(const std::filesystem::path& file) {
    const auto unreadable = [&](int error) {
        return std::system_error(error, std::generic_category(), file.string());
    };
    const auto close = [](std::FILE* f) {
        std::fclose(f);
    };
    const std::unique_ptr<std::FILE, decltype(close)> in(std::fopen(file.c_str(), "rbe"), close);
    if (!in) throw unreadable(errno);

    Sha256 digest;
    std::array<unsigned char, 1 << 16> chunk;
    while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), in.get()))
        digest.add(chunk.data(), n);
    if (std::ferror(in.get())) throw unreadable(errno);
    return digest.text();
}

std::string sha256_of_text(std::string_view text) {
    Sha256 digest;
    digest.add(text.data(), text.size());
    return digest.text();
}

}  // namespace ancora
