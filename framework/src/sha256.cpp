// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 of a file, through OpenSSL's libcrypto.
#include "sha256.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <openssl/evp.h>

namespace ancora {
namespace {

void require(int is_good) {
    if (is_good != 1) throw std::runtime_error("libcrypto cannot compute SHA-256");
}

}  // namespace

std::string sha256_of_file(const std::filesystem::path& file) {
    const auto unreadable = [&](int error) {
        return std::system_error(error, std::generic_category(), file.string());
    };
    const auto close = [](std::FILE* f) {
        std::fclose(f);
    };
    const std::unique_ptr<std::FILE, decltype(close)> in(std::fopen(file.c_str(), "rbe"), close);
    if (!in) throw unreadable(errno);

    const auto release = [](EVP_MD_CTX* c) {
        EVP_MD_CTX_free(c);
    };
    const std::unique_ptr<EVP_MD_CTX, decltype(release)> digest(EVP_MD_CTX_new(), release);
    require(digest ? 1 : 0);
    require(EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr));

    std::array<unsigned char, 1 << 16> chunk;
    while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), in.get()))
        require(EVP_DigestUpdate(digest.get(), chunk.data(), n));
    if (std::ferror(in.get())) throw unreadable(errno);

    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned size = 0;
    require(EVP_DigestFinal_ex(digest.get(), bytes.data(), &size));

    std::string text;
    for (unsigned i = 0; i < size; ++i) {
        constexpr const char* kDigits = "0123456789abcdef";
        text += kDigits[bytes[i] >> 4];
        text += kDigits[bytes[i] & 15];
    }
    return text;
}

}  // namespace ancora
