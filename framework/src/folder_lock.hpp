// SPDX-License-Identifier: BSD-3-Clause
// Keeps two runs from writing into one folder.
#pragma once

#include <filesystem>
#include <utility>

namespace ancora {

/// The sole right to write into a folder, as long as it lives; the system gives it back when the
/// process ends, however it ends.
class FolderLock {
public:
    FolderLock() = default;
    /// @throws Error (file) if another run has it. File systems that know no locks are trusted.
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    FolderLock& operator=(FolderLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

private:
    int descriptor_ = -1;
};

}  // namespace ancora
