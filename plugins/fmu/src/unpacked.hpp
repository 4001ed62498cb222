// SPDX-License-Identifier: BSD-3-Clause
// An FMU's archive, unpacked into a folder that nobody else can write to.
#pragma once

#include <filesystem>
#include <string>

namespace ancora::fmu {

/// Code from the archive will run, so it is taken as a plugin is: the file and the folders above it
/// must belong to root or to the user of the program, and nobody else may write to them (a folder
/// may have the sticky bit instead).
/// @returns what is wrong, empty if nothing
std::string distrust(const std::filesystem::path& file);

/// The files of a ZIP archive (PKWARE's APPNOTE 6.3: stored or deflated, up to 4 GiB) in a folder
/// of their own, which goes with the object.
class Unpacked {
public:
    /// @throws std::runtime_error if it is no archive, is damaged, or names files outside of it
    explicit Unpacked(const std::filesystem::path& archive);
    ~Unpacked();
    Unpacked(const Unpacked&) = delete;
    Unpacked& operator=(const Unpacked&) = delete;

    const std::filesystem::path& folder() const { return folder_; }

private:
    std::filesystem::path folder_;
};

}  // namespace ancora::fmu
