// SPDX-License-Identifier: BSD-3-Clause
// Whole numbers in files, lowest byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ancora {

/// Of four bytes, which must be there.
inline std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
    std::uint32_t x = 0;
    for (std::size_t k = 0; k < 4; ++k)
        x |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
    return x;
}

}  // namespace ancora
