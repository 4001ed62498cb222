// SPDX-License-Identifier: BSD-3-Clause
// An advisory lock on the folder itself, so that no file is left behind.
#include "folder_lock.hpp"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"

namespace ancora {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) return;  // what comes next will tell
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    ::close(std::exchange(descriptor_, -1));
    throw Error(ErrorKind::file,
                fmt::format("another run is writing into the output folder \"{}\"; wait for its "
                            "end or choose another folder",
                            folder.string()));
}

FolderLock::~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace ancora
