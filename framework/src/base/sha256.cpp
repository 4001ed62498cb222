// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 through OpenSSL's libcrypto.
#include "sha256.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include <openssl/evp.h>

namespace ancora {
namespace {

void require(int is_good) {
    if (is_good != 1) throw std::runtime_error("libcrypto cannot compute SHA-256");
}

EVP_MD_CTX* context_of(const std::shared_ptr<void>& context) {
    return static_cast<EVP_MD_CTX*>(context.get());
}

}  // namespace

Sha256::Sha256()
    : context_(EVP_MD_CTX_new(), [](EVP_MD_CTX* context) {
          EVP_MD_CTX_free(context);
      }) {
    require(context_ ? 1 : 0);
    require(EVP_DigestInit_ex(context_of(context_), EVP_sha256(), nullptr));
}

void Sha256::add(const void* bytes, std::size_t count) {
    require(EVP_DigestUpdate(context_of(context_), bytes, count));
}

std::string Sha256::text() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context_of(context_), bytes.data(), &size));
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
        constexpr const char* kDigits = "0123456789abcdef";
        text += kDigits[bytes[i] >> 4];
        text += kDigits[bytes[i] & 15];
    }
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
