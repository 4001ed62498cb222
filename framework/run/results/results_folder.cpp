// SPDX-License-Identifier: BSD-3-Clause
// Reads, checks and follows the list of files; an advisory lock on the folder itself, so that no
// file is left behind.
#include "results_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/failed_call.hpp"
#include "result_files.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// First line of every list; its number is the format's.
constexpr std::string_view kListMark = "Ancora results ";
constexpr std::string_view kFirstLine = "Ancora results 1\n";
constexpr std::string_view kExplanation =
    "# Files that Ancora made in this folder. The next run into it removes these, and what is "
    "left\n"
    "# of them (FILE.NUMBER.new) if a run was killed, and nothing else.\n";
constexpr std::size_t kMostListBytes = std::size_t{1} << 28;  // of a list

std::string system_text(int error) {
    return std::generic_category().message(error);
}

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorKind::file, message);
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return c >= '0' && c <= '9';
    });
}

/// "checkpoint.bin.4711.new": what replace_file() may leave if the process is killed.
bool is_unfinished(std::string_view name) {
    for (const std::string_view file :
         {kModelFile, kCheckpointFile, kSummaryFile, kListFile, kFailedCallFile})
        if (name.size() > file.size() + 5 && name.starts_with(file) && name[file.size()] == '.' &&
            name.ends_with(".new") &&
            is_number(name.substr(file.size() + 1, name.size() - file.size() - 5)))
            return true;
    return false;
}

/// The mark of what is made of results, and of the model, at whose name others write their own;
/// empty for what else a run writes itself.
std::string_view mark_of(std::string_view name) {
    if (name == kModelFile) return kModelMark;
    if (name == kReportFile) return kReportMark;
    if (name == kReportStampFile) return kReportStampMark;
    if (name == kParaviewList) return kParaviewListMark;
    if (name.ends_with(".vtp")) return kParaviewFrameMark;
    return {};
}

bool is_in_paraview(std::string_view name) {
    return name.starts_with(kParaviewFolder) && name.find('/') != std::string_view::npos;
}

/// Whether it is a name that Ancora gives: a list that names others was not written by it.
bool is_known(std::string_view name) {
    for (const std::string_view file : {kHistoryFile,
                                        kSummaryFile,
                                        kModelFile,
                                        kCheckpointFile,
                                        kFailedCallFile,
                                        kSceneFile,
                                        kFramesFile,
                                        kStatesFile,
                                        kReportFile,
                                        kReportStampFile,
                                        kParaviewList,
                                        kParaviewFolder})
        if (name == file) return true;
    const std::string folder = std::string(kParaviewFolder) + '/';
    if (!name.starts_with(folder) || !name.ends_with(".vtp")) return false;
    const std::string_view rest = name.substr(folder.size(), name.size() - folder.size() - 4);
    const std::size_t bar = rest.rfind('_');
    return bar != std::string_view::npos && is_number(rest.substr(bar + 1)) &&
           std::ranges::find(kParaviewParts, rest.substr(0, bar)) != kParaviewParts.end();
}

/// What stands at a name, itself and not where it leads.
enum class Kind { nothing, file, folder, link, other };
Kind kind_of(int folder, const char* name) {
    struct stat found {};
    if (::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return Kind::nothing;
    if (S_ISREG(found.st_mode)) return Kind::file;
    if (S_ISDIR(found.st_mode)) return Kind::folder;
    return S_ISLNK(found.st_mode) ? Kind::link : Kind::other;
}

std::vector<std::string> entries_of(int folder) {
    std::vector<std::string> out;
    const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const open = own < 0 ? nullptr : ::fdopendir(own);
    if (open == nullptr) {
        if (own >= 0) ::close(own);
        return out;
    }
    while (const dirent* const entry = ::readdir(open))
        if (const std::string_view name = entry->d_name; name != "." && name != "..")
            out.emplace_back(name);
    ::closedir(open);
    return out;
}

int open_subfolder(int folder, const char* name) {
    return ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

}  // namespace

// --- opening

ResultsFolder::ResultsFolder(const fs::path& folder)
    : path_(folder), descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    std::error_code ignored;
    absolute_ = fs::absolute(folder, ignored);
}

ResultsFolder ResultsFolder::for_run(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        refuse(fmt::format(
            "cannot make the output folder \"{}\": {}", folder.string(), error.message()));
    ResultsFolder out(folder);
    if (!out.has_folder())
        refuse(fmt::format(
            "cannot open the output folder \"{}\": {}", folder.string(), system_text(errno)));
    out.lock();
    out.read_list();
    return out;
}

ResultsFolder ResultsFolder::for_resume(const fs::path& folder) {
    ResultsFolder out(folder);
    if (!out.has_folder()) return out;
    out.lock();
    out.read_list();
    return out;
}

ResultsFolder ResultsFolder::for_views(const fs::path& folder) {
    ResultsFolder out(folder);
    if (!out.has_folder())
        refuse(
            fmt::format("cannot open the folder \"{}\": {}", folder.string(), system_text(errno)));
    out.read_list();
    return out;
}

ResultsFolder::~ResultsFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

ResultsFolder& ResultsFolder::operator=(ResultsFolder&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(absolute_, other.absolute_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(has_list_, other.has_list_);
    std::swap(has_cut_line_, other.has_cut_line_);
    std::swap(names_, other.names_);
    std::swap(list_, other.list_);
    return *this;
}

void ResultsFolder::lock() {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    refuse(
        fmt::format("another run is writing into the output folder \"{}\"; wait for its end or "
                    "choose another folder",
                    path_.string()));
}

void ResultsFolder::unlock() {
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_UN);
}

// --- the list

void ResultsFolder::read_list() {
    const int file =
        ::openat(descriptor_, kListFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat found {};
    const bool is_file = file >= 0 && ::fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
                         static_cast<std::size_t>(found.st_size) <= kMostListBytes;
    std::string text;
    if (is_file) {
        char buffer[4096];
        while (true) {
            const ssize_t count = ::read(file, buffer, sizeof buffer);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            text.append(buffer, static_cast<std::size_t>(count));
        }
    }
    if (file >= 0) ::close(file);
    has_list_ = is_file && text.starts_with(kFirstLine);
    if (!has_list_) return;
    has_cut_line_ = !text.ends_with('\n');
    // A line that was cut short names nothing: its file was to be made after it.
    for (std::size_t begin = kFirstLine.size(), end = 0;
         (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
        const std::string name = text.substr(begin, end - begin);
        if (name.empty() || name.starts_with('#')) continue;
        if (!is_known(name))
            refuse(
                fmt::format("\"{}\" is damaged: it lists \"{}\", which no run makes; delete the "
                            "folder if you do not need it, or choose another one",
                            (path_ / kListFile).string(),
                            name));
        names_.insert(name);
    }
    list_ = std::move(text);
}

void ResultsFolder::add(std::span<const std::string> files) {
    if (!has_list_) return;
    std::string lines;
    for (const std::string& name : files)
        if (names_.insert(name).second) lines += name + '\n';
    if (lines.empty()) return;
    list_.clear();
    const int file = ::openat(descriptor_, kListFile, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (std::exchange(has_cut_line_, false)) lines.insert(0, 1, '\n');
    int error = file < 0 ? errno : 0;
    std::string_view rest = lines;
    while (error == 0 && !rest.empty()) {
        const ssize_t count = ::write(file, rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0)
            error = count < 0 ? errno : ENOSPC;
        else
            rest.remove_prefix(static_cast<std::size_t>(count));
    }
    if (file >= 0 && ::close(file) != 0 && error == 0 && errno != EINTR) error = errno;
    if (error != 0)
        refuse(fmt::format(
            "cannot write \"{}\": {}", (path_ / kListFile).string(), system_text(error)));
}

/// A run that was killed as it wrote its list left nothing else.
bool ResultsFolder::holds_nothing() const {
    return std::ranges::all_of(entries_of(descriptor_), [](const std::string& name) {
        return name.starts_with(kListFile) && is_unfinished(name);
    });
}

void ResultsFolder::require_results() const {
    if (has_list_) return;
    const auto is_there = [&](const char* name) {
        return kind_of(descriptor_, name) != Kind::nothing;
    };
    for (const char* name : {kHistoryFile, kSummaryFile, kCheckpointFile})
        if (is_there(name))
            refuse(
                fmt::format("the output folder \"{}\" holds \"{}\" but no \"{}\", which says what "
                            "a run made there, so it is left alone: another program or an older "
                            "version of Ancora wrote it; delete the folder if you do not need it, "
                            "or choose another one with --out",
                            path_.string(),
                            name,
                            kListFile));
    refuse(
        fmt::format("the output folder \"{}\" holds files but no earlier results, so it is left "
                    "alone; choose another folder or empty it",
                    path_.string()));
}

void ResultsFolder::require_own(const std::string& name) const {
    require_results();
    require_removable(name);
    if (!lists(name) && kind_of(descriptor_, name.c_str()) != Kind::nothing) refuse_foreign(name);
}

// --- replacing results

void ResultsFolder::refuse_foreign(const std::string& name) const {
    refuse(fmt::format(
        "the output folder \"{}\" holds \"{}\", which no run made, so it is left alone; "
        "move it away, or choose another folder with --out",
        path_.string(),
        name));
}

/// Refuses a name at which no file of a run stands, but a link or a folder.
void ResultsFolder::require_removable(const std::string& name) const {
    const bool in_paraview = is_in_paraview(name);
    const char* const itself = in_paraview ? kParaviewFolder : name.c_str();
    const bool is_folder = name == kParaviewFolder || in_paraview;
    const Kind kind = kind_of(descriptor_, itself);
    if (kind == Kind::nothing || kind == (is_folder ? Kind::folder : Kind::file)) return;
    refuse(
        fmt::format("cannot replace \"{}\": it is {}, not the {} that a run made, so it is left "
                    "alone; move it away, or choose another folder with --out",
                    (path_ / itself).string(),
                    kind == Kind::link ? "a link" : "something else",
                    is_folder ? "folder" : "file"));
}

void ResultsFolder::remove(const std::string& name) {
    if (!lists(name)) return;
    require_removable(name);
    const auto fail = [&] {
        if (errno != ENOENT)
            refuse(fmt::format(
                "cannot replace \"{}\": {}", (path_ / name).string(), system_text(errno)));
    };
    if (name == kParaviewFolder) {
        ::unlinkat(descriptor_, kParaviewFolder, AT_REMOVEDIR);  // if it is empty
        return;
    }
    const std::string_view mark = mark_of(name);
    if (!is_in_paraview(name)) {
        if (!mark.empty() && !has_mark(at(name), mark)) return;  // put there by somebody else
        if (::unlinkat(descriptor_, name.c_str(), 0) != 0) fail();
        return;
    }
    const int folder = open_subfolder(descriptor_, kParaviewFolder);
    if (folder < 0) return;
    const FileAt file(folder, path_ / name);
    const bool is_own = has_mark(file, mark);
    const bool is_gone = !is_own || ::unlinkat(folder, file.name.c_str(), 0) == 0;
    const int error = errno;
    ::close(folder);
    errno = error;
    if (!is_gone) fail();
}

void ResultsFolder::remove_unfinished() {
    for (const std::string& name : entries_of(descriptor_))
        if (is_unfinished(name) && kind_of(descriptor_, name.c_str()) == Kind::file)
            ::unlinkat(descriptor_, name.c_str(), 0);
}

void ResultsFolder::begin(std::span<const std::string> files) {
    if (!holds_nothing()) require_results();
    for (const std::string& name : names_) require_removable(name);
    for (const std::string& name : files) {
        if (kind_of(descriptor_, name.c_str()) == Kind::nothing) continue;
        const std::string_view mark = mark_of(name);
        if (!lists(name) || (!mark.empty() && !has_mark(at(name), mark))) refuse_foreign(name);
    }

    remove_unfinished();
    // The folder of frames after the files in it; last the list, so that a run that is killed here
    // leaves a folder that is known.
    for (const std::string& name : names_)
        if (name != kParaviewFolder) remove(name);
    remove(kParaviewFolder);

    std::string text(kFirstLine);
    text += kExplanation;
    for (const std::string& name : files) text += name + '\n';
    // A list that says it already stands as safely as a new one would.
    if (text != list_) replace_file(at(kListFile), text, kListMark, "a list of results");
    list_.clear();
    has_list_ = true;
    names_ = {files.begin(), files.end()};
}

void ResultsFolder::discard() {
    begin({});
    ::unlinkat(descriptor_, kListFile, 0);
    has_list_ = false;
    ::rmdir(absolute_.c_str());
}

void ResultsFolder::require_in_place() const {
    struct stat mine {
    }, there{};
    if (::fstat(descriptor_, &mine) == 0 && ::stat(absolute_.c_str(), &there) == 0 &&
        mine.st_dev == there.st_dev && mine.st_ino == there.st_ino)
        return;
    std::error_code error;
    const std::string now =
        fs::read_symlink(fmt::format("/proc/self/fd/{}", descriptor_), error).string();
    const bool is_known = !error && !now.ends_with(" (deleted)");
    refuse(fmt::format("the output folder \"{}\" was {} while the run wrote into it; {}",
                       path_.string(),
                       is_known ? "moved or exchanged" : "deleted",
                       is_known ? fmt::format("what was computed is in \"{}\"", now)
                                : "what was computed is lost"));
}

// --- a folder in it

SubFolder::SubFolder(const FileAt& folder) : path_(folder.path) {
    const bool is_made = ::mkdirat(folder.folder, folder.name.c_str(), 0777) == 0;
    const int error = errno;
    descriptor_ = open_subfolder(folder.folder, folder.name.c_str());
    if (descriptor_ >= 0) return;
    const bool is_link = kind_of(folder.folder, folder.name.c_str()) == Kind::link;
    refuse(fmt::format("cannot make the folder \"{}\": {}",
                       path_.string(),
                       is_link   ? "this is a link, and nothing is written through links"
                       : is_made ? system_text(errno)
                                 : system_text(error)));
}

SubFolder::~SubFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace ancora
