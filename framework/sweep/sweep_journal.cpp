// SPDX-License-Identifier: BSD-3-Clause
// Journals of a sweep, and its table.
#include "sweep_journal.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "file_writer.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "ancora sweep\n";
constexpr const char* kMarkFile = ".ancora-sweep";
constexpr std::string_view kJournal = "journal-";

/// FNV-1a: against lines that were cut or mixed up, not against ill will.
std::uint64_t checksum(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

[[noreturn]] void fail(const char* what, const fs::path& file, int error) {
    throw Error(
        ErrorKind::file,
        fmt::format(
            "cannot {} \"{}\": {}", what, file.string(), std::generic_category().message(error)));
}

bool is_journal(const fs::path& file) {
    return file.filename().string().starts_with(kJournal);
}

}  // namespace

SweepJournal::SweepJournal(const fs::path& file) : file_(file) {
    descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("make", file, errno);
}

SweepJournal::~SweepJournal() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void SweepJournal::add(std::string_view row) {
    const std::string line = fmt::format("{:016x} {}\n", checksum(row), row);
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t count = ::write(descriptor_, line.data() + written, line.size() - written);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("write", file_, errno);
        written += static_cast<std::size_t>(count);
    }
}

SweepFolder::SweepFolder(const Study& study, fs::path folder, const std::string& identity)
    : study_(study), folder_(std::move(folder)), identity_(std::string(kMark) + identity + "\n") {}

void SweepFolder::open(bool keeps_rows) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) fail("make the folder", folder_, error.value());
    const fs::path mark = folder_ / kMarkFile;
    if (!fs::exists(fs::symlink_status(mark))) {
        fs::directory_iterator entries(folder_, error);
        if (error) fail("read the folder", folder_, error.value());
        if (entries != fs::directory_iterator())
            throw Error(ErrorKind::file,
                        fmt::format("the folder \"{}\" is neither empty nor does it hold a sweep; "
                                    "choose another one by --out",
                                    folder_.string()));
    } else {
        const std::string there = read_text_file(mark, "the mark of the sweep");
        if (!there.starts_with(kMark))
            throw Error(ErrorKind::file,
                        fmt::format("\"{}\" is no mark of a sweep", mark.string()));
        if (keeps_rows && there != identity_)
            throw Error(ErrorKind::file,
                        fmt::format("the folder \"{}\" holds the cases of another study, model or "
                                    "version; without --resume they are removed, or choose another "
                                    "folder by --out",
                                    folder_.string()));
        if (!keeps_rows) {
            remove_journals();
            for (const fs::path& file : {table(), page()}) fs::remove(file, error);
        }
    }
    replace_file(mark, identity_, kMark, "the mark of a sweep");
}

std::map<std::size_t, std::string> SweepFolder::rows() const {
    std::map<std::size_t, std::string> rows;
    const std::size_t total = study_.num_cases();
    const auto add = [&](std::string_view row) {
        std::size_t index = 0;
        const auto [rest, error] = std::from_chars(row.data(), row.data() + row.size(), index);
        if (error == std::errc() && index < total && rest != row.data() + row.size() &&
            *rest == ',')
            rows.insert_or_assign(index, std::string(row));
    };
    const auto lines = [](std::string_view text, auto&& take) {
        std::size_t end = 0;
        for (std::size_t begin = 0; (end = text.find('\n', begin)) != std::string_view::npos;
             begin = end + 1)
            take(text.substr(begin, end - begin));
    };
    std::error_code error;
    // The table of a sweep that was finished has them all.
    if (fs::is_regular_file(fs::symlink_status(table()))) {
        const std::string text = read_text_file(table(), "the table", "", most_result_bytes());
        bool is_first = true, fits = true;
        lines(text, [&](std::string_view line) {
            if (is_first) fits = line == study_.header();
            if (!is_first && fits) add(line);
            is_first = false;
        });
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
        if (!is_journal(entry.path()) || !entry.is_regular_file() || entry.is_symlink()) continue;
        const std::string text =
            read_text_file(entry.path(), "the journal", "", most_result_bytes());
        lines(text, [&](std::string_view line) {
            std::uint64_t sum = 0;
            if (line.size() < 18 || line[16] != ' ') return;
            const auto [rest, bad] = std::from_chars(line.data(), line.data() + 16, sum, 16);
            if (bad != std::errc() || rest != line.data() + 16) return;
            line.remove_prefix(17);
            if (checksum(line) == sum) add(line);
        });
    }
    if (error) fail("read the folder", folder_, error.value());
    return rows;
}

fs::path SweepFolder::new_journal(std::size_t part, std::size_t number) const {
    for (std::size_t round = 0;; ++round) {
        const fs::path file = folder_ / fmt::format("{}{}-{}-{}", kJournal, part, number, round);
        if (!fs::exists(fs::symlink_status(file))) return file;
    }
}

void SweepFolder::write_table(const std::map<std::size_t, std::string>& rows) const {
    const std::string header = study_.header();
    std::string text = header + "\n";
    for (const auto& [index, row] : rows) text += row + "\n";
    replace_file(table(), text, "case", "the table of a sweep");
}

void SweepFolder::remove_journals() const {
    std::error_code ignored;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
        if (is_journal(entry.path())) files.push_back(entry.path());
    for (const fs::path& file : files) fs::remove(file, ignored);
}

}  // namespace ancora
