// SPDX-License-Identifier: BSD-3-Clause
// Opens a file whose code is to be run, and examines who could have put it there.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <sys/stat.h>

#include "file_descriptor.hpp"

namespace ancora {

/// How users allow what the examination refuses, for messages.
inline constexpr const char* kUncheckedOption = "--unchecked-plugin-dirs";

/// A file that is open for reading, or why it is not.
struct TrustedFile {
    FileDescriptor descriptor;
    std::filesystem::path path;  ///< without links
    struct stat status = {};
    std::string problem;  ///< to be read after 'plugin "truss" (/path/truss.so) '; empty: none
};

/// Goes from the root to the file, folder by folder and link by link. Each folder is opened where
/// the last one was entered, and what is examined is what was opened: nothing that others do to
/// the path meanwhile brings in another file.
///
/// Refused is what somebody other than root and the user of this program could have put there:
///
///   the file, or its folder   belongs to another user, or others may write to it
///   a folder on the way       likewise, unless it has the sticky bit, as /tmp: in it only the
///                             owner of an entry may replace it
///   a link in such a folder   belongs to another user
///
/// "Others may write" is the mode's bit for all, and the one for the group unless the group is
/// root's, or the user's own with nobody else in it. Folders on the way that hold the running
/// kernel are not examined: whoever can write there could replace the kernel itself.
///
/// (OpenSSH examines the files of its users likewise: safe_path() and secure_permissions().)
///
/// @param allows_unchecked  opens it all the same
TrustedFile open_trusted(const std::filesystem::path& file, bool allows_unchecked);

class WayToFile;

/// Opens files one after the other: of those in one folder that come in a row only the first goes
/// the whole way. For a while that is short, since who may write to folders is not looked up again.
class TrustedFiles {
public:
    explicit TrustedFiles(bool allows_unchecked);
    ~TrustedFiles();
    TrustedFiles(const TrustedFiles&) = delete;
    TrustedFiles& operator=(const TrustedFiles&) = delete;

    /// As open_trusted().
    TrustedFile open(const std::filesystem::path& file);

private:
    bool allows_unchecked_;
    std::filesystem::path folder_;    // of the last file, as it was written
    std::unique_ptr<WayToFile> way_;  // that led there
};

/// The library or program that this code was linked into; empty if it has none.
std::filesystem::path own_file();

}  // namespace ancora
