// SPDX-License-Identifier: BSD-3-Clause
// PNG files that say whose they are.
#pragma once

#include <string>
#include <string_view>

namespace ancora {

/// With this a PNG file ends that was made by `software`: a chunk of text, and the chunk that is
/// the end of every file.
std::string png_end(std::string_view software);

/// The picture with this end in place of its own.
std::string with_png_end(std::string picture, const std::string& end);

}  // namespace ancora
