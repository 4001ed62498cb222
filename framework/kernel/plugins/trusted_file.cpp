// SPDX-License-Identifier: BSD-3-Clause
// The way to a file, each step of it open and examined.
#include "trusted_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sys/auxv.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace ancora {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the system has it
constexpr std::size_t kMostNameBytes = 16384;
constexpr int kLook = O_PATH | O_NOFOLLOW | O_CLOEXEC;

std::string why_not_opened(int error) {
    return "cannot be opened: " + std::generic_category().message(error);
}

std::string mode_and_owner(const struct stat& s) {
    return fmt::format(
        "mode {:04o}, owner uid {}, group gid {}", s.st_mode & 07777u, s.st_uid, s.st_gid);
}

std::string or_allow() {
    return fmt::format(
        "or allow it with {} (in a program: PluginRegistry::allow_unchecked_folders)",
        kUncheckedOption);
}

bool is_ours(const struct stat& s) {
    return s.st_uid == 0 || s.st_uid == ::geteuid();
}

// --- groups

// Whether `group` is the one that a user has for himself, so that he can work with umask 002.
bool ask_whether_private(gid_t group) {
    std::vector<char> user_names(1024), group_names(1024);
    passwd user = {}, *found_user = nullptr;
    struct group own = {}, *found_group = nullptr;
    const auto ask = [](std::vector<char>& names, auto&& question) {
        while (question() == ERANGE && names.size() < kMostNameBytes)
            names.resize(2 * names.size());
    };
    ask(user_names, [&] {
        return ::getpwuid_r(::geteuid(), &user, user_names.data(), user_names.size(), &found_user);
    });
    ask(group_names, [&] {
        return ::getgrgid_r(group, &own, group_names.data(), group_names.size(), &found_group);
    });
    // a container that knows neither has no other users
    if (found_user == nullptr) return found_group == nullptr && group == ::getegid();
    if (found_group == nullptr || group != user.pw_gid ||
        std::string_view(own.gr_name) != user.pw_name)
        return false;
    for (char** member = own.gr_mem; *member != nullptr; ++member)
        if (std::string_view(*member) != user.pw_name) return false;
    return true;
}

// Asked once: where users are kept on a server, each answer takes a while.
bool is_private(gid_t group) {
    static std::mutex mutex;
    static std::map<std::pair<uid_t, gid_t>, bool> answers;
    const std::scoped_lock lock(mutex);
    const auto [at, is_new] = answers.try_emplace({::geteuid(), group});
    if (is_new) at->second = ask_whether_private(group);
    return at->second;
}

// A list of further users and groups shows as the bits of the group.
bool has_access_list(int descriptor) {
    const std::string path = fmt::format("/proc/self/fd/{}", descriptor);
    return ::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

bool others_may_write(const struct stat& s, int descriptor) {
    if ((s.st_mode & S_IWOTH) != 0) return true;
    if ((s.st_mode & S_IWGRP) == 0) return false;
    return has_access_list(descriptor) || (s.st_gid != 0 && !is_private(s.st_gid));
}

// --- the kernel's own folders

struct Identity {
    dev_t device;
    ino_t inode;
};

std::vector<Identity> kernel_folders() {
    std::vector<Identity> folders;
    fs::path folder = own_file().parent_path();
    while (!folder.empty()) {
        struct stat s = {};
        if (::stat(folder.c_str(), &s) == 0) folders.push_back({s.st_dev, s.st_ino});
        if (!folder.has_relative_path()) break;
        folder = folder.parent_path();
    }
    return folders;
}

bool holds_kernel(const struct stat& s) {
    static const std::vector<Identity> folders = kernel_folders();
    return std::ranges::any_of(folders, [&](const Identity& one) {
        return one.device == s.st_dev && one.inode == s.st_ino;
    });
}

}  // namespace

// --- the way

class WayToFile {
public:
    explicit WayToFile(bool allows_unchecked) : allows_unchecked_(allows_unchecked) {}

    TrustedFile go(const fs::path& file);
    /// A file in the folder of the one that go() has opened, unless that was or this is a link.
    std::optional<TrustedFile> go_on(const std::string& name);

private:
    struct Folder {
        FileDescriptor descriptor;
        struct stat status = {};
        std::string name;  ///< of the root empty
    };

    std::string path() const;
    std::string enter(FileDescriptor descriptor, const struct stat& s, std::string name);
    std::string follow(const FileDescriptor& link,
                       const struct stat& s,
                       const std::string& name,
                       std::deque<std::string>& rest);
    std::string open_file(const std::string& name, TrustedFile& out) const;
    std::string find_distrust(const struct stat& s,
                              int descriptor,
                              const std::string& what,
                              const std::string& path) const;

    bool allows_unchecked_;
    int links_ = 0;
    bool is_beside_ = false;       // where the last file of go() was named
    std::vector<Folder> folders_;  // from the root on
};

std::string WayToFile::path() const {
    std::string text;
    for (std::size_t i = 1; i < folders_.size(); ++i) text += "/" + folders_[i].name;
    return text.empty() ? "/" : text;
}

std::string WayToFile::find_distrust(const struct stat& s,
                                     int descriptor,
                                     const std::string& what,
                                     const std::string& path) const {
    if (allows_unchecked_) return {};
    if (!is_ours(s))
        return fmt::format(
            "is refused: the {} \"{}\" belongs neither to root nor to the user of this program, "
            "uid {} ({}); change its owner with chown, {}",
            what,
            path,
            ::geteuid(),
            mode_and_owner(s),
            or_allow());
    if (!S_ISLNK(s.st_mode) && others_may_write(s, descriptor))
        return fmt::format(
            "is refused: others may write to the {0} \"{1}\" ({2}); mend it with chmod go-w "
            "\"{1}\", {3}",
            what,
            path,
            mode_and_owner(s),
            or_allow());
    return {};
}

std::string WayToFile::enter(FileDescriptor descriptor, const struct stat& s, std::string name) {
    const int number = descriptor.number();
    folders_.push_back({std::move(descriptor), s, std::move(name)});
    if (holds_kernel(s)) return {};
    if ((s.st_mode & S_ISVTX) != 0 && is_ours(s)) return {};
    return find_distrust(s, number, "folder", path());
}

std::string WayToFile::follow(const FileDescriptor& link,
                              const struct stat& s,
                              const std::string& name,
                              std::deque<std::string>& rest) {
    if (++links_ > kMostLinks) return why_not_opened(ELOOP);
    // In a folder that only its owner writes to, a link is his, whoever made it.
    const Folder& in = folders_.back();
    if (others_may_write(in.status, in.descriptor.number()) && !holds_kernel(in.status)) {
        std::string problem = find_distrust(s, link.number(), "link", path() + "/" + name);
        if (!problem.empty()) return problem;
    }
    std::array<char, PATH_MAX> target;
    const ssize_t size = ::readlinkat(link.number(), "", target.data(), target.size());
    if (size < 0) return why_not_opened(errno);
    const fs::path to(std::string(target.data(), static_cast<std::size_t>(size)));
    if (to.is_absolute()) folders_.resize(1);
    std::vector<std::string> parts;
    for (const fs::path& part : to.relative_path()) parts.push_back(part.string());
    rest.insert(rest.begin(), parts.begin(), parts.end());
    return {};
}

// The last step: the folder is now one that has a plugin in it.
std::string WayToFile::open_file(const std::string& name, TrustedFile& out) const {
    const Folder& folder = folders_.back();
    std::string problem =
        find_distrust(folder.status, folder.descriptor.number(), "folder", path());
    if (!problem.empty()) return problem;
    // what is a pipe by now must not wait for a writer
    out.descriptor =
        FileDescriptor(::openat(folder.descriptor.number(),
                                name.c_str(),
                                O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!out.descriptor || ::fstat(out.descriptor.number(), &out.status) != 0)
        return why_not_opened(errno);
    if (!S_ISREG(out.status.st_mode)) return "is not a file";
    out.path = fs::path(path()) / name;
    return find_distrust(out.status, out.descriptor.number(), "file", out.path.string());
}

TrustedFile WayToFile::go(const fs::path& file) {
    TrustedFile out;
    const auto refuse = [&out](std::string problem) -> TrustedFile& {
        out.descriptor = {};
        out.problem = std::move(problem);
        return out;
    };
    const fs::path whole = fs::absolute(file);
    std::deque<std::string> rest;
    for (const fs::path& part : whole.relative_path()) rest.push_back(part.string());

    is_beside_ = true;
    FileDescriptor root(::open("/", kLook | O_DIRECTORY));
    struct stat s = {};
    if (!root || ::fstat(root.number(), &s) != 0) return std::move(refuse(why_not_opened(errno)));
    std::string problem = enter(std::move(root), s, "");
    while (problem.empty() && !rest.empty()) {
        const std::string name = std::move(rest.front());
        rest.pop_front();
        if (name.empty() || name == ".") continue;
        if (name == "..") {
            if (folders_.size() > 1) folders_.pop_back();
            continue;
        }
        FileDescriptor next(::openat(folders_.back().descriptor.number(), name.c_str(), kLook));
        if (!next || ::fstat(next.number(), &s) != 0) {
            problem = why_not_opened(errno);
        } else if (S_ISLNK(s.st_mode)) {
            is_beside_ &= !rest.empty();
            problem = follow(next, s, name, rest);
        } else if (S_ISDIR(s.st_mode)) {
            problem = enter(std::move(next), s, name);
        } else if (!rest.empty()) {
            problem = why_not_opened(ENOTDIR);
        } else if (!S_ISREG(s.st_mode)) {
            problem = "is not a file";
        } else {
            problem = open_file(name, out);
        }
    }
    if (problem.empty() && !out.descriptor) problem = "is not a file";
    if (!problem.empty()) return std::move(refuse(std::move(problem)));
    return out;
}

std::optional<TrustedFile> WayToFile::go_on(const std::string& name) {
    struct stat s = {};
    const FileDescriptor found(::openat(folders_.back().descriptor.number(), name.c_str(), kLook));
    if (!is_beside_ || !found || ::fstat(found.number(), &s) != 0 || !S_ISREG(s.st_mode)) return {};
    TrustedFile out;
    std::string problem = open_file(name, out);
    if (!problem.empty()) return {};
    return out;
}

TrustedFile open_trusted(const fs::path& file, bool allows_unchecked) {
    return WayToFile(allows_unchecked).go(file);
}

TrustedFiles::TrustedFiles(bool allows_unchecked) : allows_unchecked_(allows_unchecked) {}

TrustedFiles::~TrustedFiles() = default;

TrustedFile TrustedFiles::open(const fs::path& file) {
    if (way_ && file.has_filename() && file.parent_path() == folder_)
        if (std::optional<TrustedFile> found = way_->go_on(file.filename().string()))
            return std::move(*found);
    way_ = std::make_unique<WayToFile>(allows_unchecked_);
    TrustedFile out = way_->go(file);
    folder_ = file.parent_path();
    if (!out.problem.empty()) way_.reset();
    return out;
}

fs::path own_file() {
    Dl_info own = {};
    if (::dladdr(reinterpret_cast<const void*>(&own_file), &own) == 0) return {};

    // For the program itself dladdr gives argv[0], which may be anything.
    Dl_info program = {};
    const auto header = static_cast<std::uintptr_t>(::getauxval(AT_PHDR));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives it as a number
    const bool is_program = ::dladdr(reinterpret_cast<const void*>(header), &program) != 0 &&
                            program.dli_fbase == own.dli_fbase;
    std::error_code failed;
    return fs::canonical(is_program ? "/proc/self/exe" : own.dli_fname, failed);
}

}  // namespace ancora
