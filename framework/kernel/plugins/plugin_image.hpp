// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a library in memory, where nobody can change them any more.
#pragma once

#include <filesystem>
#include <string>

#include <sys/stat.h>

#include "file_descriptor.hpp"

namespace ancora {

/// A copy of a file, sealed, and what is known of these very bytes.
///
/// A library is hashed, checked and run from such a copy. The loader maps a file page by page when
/// code first touches it, so that bytes which are written into the file later, or while it is
/// hashed, would run unseen; and a file that is cut short would end the program with SIGBUS.
struct PluginImage {
    FileDescriptor descriptor;
    struct stat status = {};  ///< of the file that was copied
    std::string sha256;
    bool is_file = false;  ///< no copy: the process may not write as much (ulimit -f)
    std::string problem;   ///< why there is none; to be read after 'plugin "truss" (FILE) '
};

/// Copies an open file. Waits, for a second at most, while it is being written.
/// @param name  what the copy is called in the list of the process's mappings
PluginImage read_image(int descriptor, const std::string& name);

/// Of an image that is the file itself: why it is not what was hashed any more; else empty. To be
/// asked when the library is loaded.
std::string changed_since(const PluginImage& image);

/// A path by which the loader may open the copy. Each is another text, since the loader takes a
/// name that it has seen for the library that it opened by it.
std::string loader_path(const PluginImage& image);

}  // namespace ancora
