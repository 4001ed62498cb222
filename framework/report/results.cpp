// SPDX-License-Identifier: BSD-3-Clause
// Readers of history.csv, scene.json and frames.npy.
#include "results.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "file_writer.hpp"
#include "result_files.hpp"
#include "shown_path.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// Whole numbers in single precision are no conversion's trouble up to here.
constexpr double kBeyondRows = 0x1p62;

[[noreturn]] void refuse_frames(const fs::path& file, const std::string& why) {
    throw Error(ErrorKind::file, fmt::format("\"{}\" {}", file.string(), why));
}

/// The number behind `key` in the header of an .npy file.
std::uint64_t number_behind(std::string_view header, std::string_view key, const fs::path& file) {
    std::size_t at = header.find(key);
    if (at == std::string_view::npos) refuse_frames(file, "holds no frames of a run");
    at += key.size();
    while (at < header.size() && header[at] == ' ') ++at;
    std::uint64_t out = 0;
    const auto [end, error] =
        std::from_chars(header.data() + at, header.data() + header.size(), out);
    if (error != std::errc()) refuse_frames(file, "holds no frames of a run");
    return out;
}

/// An .npy file, version 1.0: what its header says, and where its numbers begin.
struct FramesHeader {
    static constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};
    std::uint64_t rows = 0;
    std::uint64_t width = 0;
    std::size_t size = 0;    // of the header [bytes]
    bool is_single = false;  // precision, as runs wrote up to 0.3

    FramesHeader(std::string_view bytes, const fs::path& file) {
        if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + 2)
            refuse_frames(file, "is no .npy file of version 1.0");
        const auto byte = [&](std::size_t i) {
            return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
        };
        size = kMagic.size() + 2 + byte(8) + 256 * byte(9);
        if (bytes.size() < size) refuse_frames(file, "holds no frames of a run");
        const std::string_view header = bytes.substr(0, size);
        is_single = header.find("'<f4'") != std::string_view::npos;
        if (!is_single && header.find("'<f8'") == std::string_view::npos)
            refuse_frames(file, "holds no frames of a run");
        rows = number_behind(header, "'shape': (", file);
        width = number_behind(header.substr(header.find("'shape': (")), ",", file);
    }
};

}  // namespace

// --- history

History::History(fs::path file) : file_(std::move(file)) {
    text_ = read_text_file(file_, "the results", "; run the model first", most_result_bytes());
    const std::size_t last = text_.rfind('\n');
    text_.resize(last == std::string::npos ? 0 : last + 1);
    read_header();
    if (columns_.empty() || columns_[0] != "t")
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" has no column \"t\"; it is not the history of a run",
                                file_.string()));
    num_rows_ = static_cast<std::size_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(body_), text_.end(), '\n'));
    // A digit and a separator for each number; what is reserved for them below follows the file.
    if (num_rows_ > (text_.size() - body_) / (2 * columns_.size()))
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" is damaged: it has {} columns and {} rows, but not as many "
                                "numbers",
                                file_.string(),
                                columns_.size(),
                                num_rows_));
}

/// Names up to the first line break outside of quotes.
void History::read_header() {
    std::size_t& at = body_;
    while (at < text_.size()) {
        std::string name;
        if (text_[at] == '"') {
            const std::size_t begin = at++, begin_line = header_lines_;
            while (true) {
                if (at >= text_.size()) refuse_at(begin_line, begin, "a quote is not closed");
                if (text_[at] == '"') {
                    if (text_[at + 1] != '"') break;  // the text ends in a line break
                    ++at;
                }
                header_lines_ += text_[at] == '\n';
                name += text_[at++];
            }
            ++at;
            if (text_[at] != ',' && text_[at] != '\n')
                refuse_at(header_lines_, at, "a comma is expected after a name in quotes");
        } else {
            while (text_[at] != ',' && text_[at] != '\n') name += text_[at++];
        }
        columns_.push_back(std::move(name));
        if (text_[at++] == '\n') return;
    }
}

void History::refuse_at(std::size_t line, std::size_t at, const char* why) const {
    const std::size_t line_begin =
        at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;  // 0 if there is none
    throw Error(ErrorKind::file,
                fmt::format("{}:{}:{}: {}", file_.string(), line, at - line_begin + 1, why));
}

std::size_t History::column(const std::string& name) const {
    const auto found = std::ranges::find(columns_, name);
    if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
    const std::string meant = did_you_mean(name, columns_);
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" has no column \"{}\"{}",
                            file_.string(),
                            name,
                            meant.empty() ? "; its first line names all" : meant));
}

std::vector<std::vector<double>> History::read(std::span<const std::size_t> chosen,
                                               std::size_t stride) const {
    std::vector<int> place(columns_.size(), -1);
    for (std::size_t k = 0; k < chosen.size(); ++k) place[chosen[k]] = static_cast<int>(k);
    std::vector<std::vector<double>> out(chosen.size());
    for (std::size_t k = 0; k < chosen.size(); ++k)
        if (place[chosen[k]] == static_cast<int>(k)) out[k].reserve(num_rows_ / stride + 2);

    const char* at = text_.data() + body_;
    const char* const end = text_.data() + text_.size();
    for (std::size_t row = 0; row < num_rows_; ++row) {
        const bool is_wanted = row % stride == 0 || row + 1 == num_rows_;
        if (!is_wanted) {
            at = static_cast<const char*>(
                     std::memchr(at, '\n', static_cast<std::size_t>(end - at))) +
                 1;
            continue;
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const char separator = c + 1 < columns_.size() ? ',' : '\n';
            const auto refuse = [&](const char* why) {
                refuse_at(
                    header_lines_ + row + 1, static_cast<std::size_t>(at - text_.data()), why);
            };
            if (place[c] >= 0) {
                double x = 0.0;
                const auto [next, error] = std::from_chars(at, end, x);
                if (error != std::errc()) refuse("a number is expected here");
                if (!std::isfinite(x)) refuse("a finite number is expected here");
                out[place[c]].push_back(x);
                at = next;
            } else {
                while (at < end && *at != ',' && *at != '\n') ++at;
            }
            if (at >= end || *at != separator) refuse("a number is expected here");
            ++at;
        }
    }
    // A column asked for twice.
    for (std::size_t k = 0; k < chosen.size(); ++k)
        if (const int first = place[chosen[k]]; first != static_cast<int>(k)) out[k] = out[first];
    return out;
}

std::string unit_of_column(const std::string& name) {
    if (name == "t") return "s";
    const auto begins = [&](const char* text) {
        return name.starts_with(text);
    };
    if (begins("energy.") || begins("work.")) return "J";
    if (begins("momentum.")) return "kg m/s";
    if (begins("angular_momentum.")) return "kg m^2/s";
    if (begins("constraint.")) return "";
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return "";
    const std::string last = name.substr(dot + 1);
    const std::size_t before = name.rfind('.', dot - 1);
    const std::string middle =
        before == std::string::npos ? "" : name.substr(before + 1, dot - before - 1);
    if (middle == "force" || middle == "ideal" || middle == "nonideal")
        return last.size() == 1 && last >= "x" && last <= "z" ? "N" : "";
    if (middle == "moment" || middle == "torque")
        return last.size() == 1 && last >= "x" && last <= "z" ? "N m" : "";
    if (middle == "lambda") return "";
    // measures of joints and their rates
    const bool is_rate = last.ends_with("_rate");
    if (last.starts_with("angle")) return is_rate ? "rad/s" : "rad";
    if (last.starts_with("displacement") || last.starts_with("distance"))
        return is_rate ? "m/s" : "m";
    if (last == "work") return "J";
    if (last == "x" || last == "y" || last == "z") return "m";
    if (last == "vx" || last == "vy" || last == "vz") return "m/s";
    if (last == "wx" || last == "wy" || last == "wz") return "rad/s";
    return "";
}

// --- frames

std::optional<Frames> Frames::open(const fs::path& folder) {
    const fs::path file = folder / kFramesFile;
    std::error_code error;
    if (!fs::exists(file, error)) return std::nullopt;
    Frames out;
    try {
        out.scene_ = read_scene(read_text_file(folder / kSceneFile, "the scene"));
    } catch (const Error& refusal) {
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\": {}", (folder / kSceneFile).string(), refusal.message()));
    }

    const std::string bytes = read_text_file(file, "the frames", "", most_result_bytes());
    const FramesHeader header(bytes, file);
    out.width_ = static_cast<std::size_t>(out.scene_.num_values) + 2;
    if (header.width != out.width_)
        refuse_frames(
            file,
            fmt::format(
                "has {} values in a frame, but the scene beside it {}", header.width, out.width_));
    // The header never counts more than is there, unless the file was cut.
    const std::size_t each = header.is_single ? sizeof(float) : sizeof(double);
    const std::size_t held = (bytes.size() - header.size) / (out.width_ * each);
    if (header.rows > held)
        refuse_frames(
            file,
            fmt::format(
                "was cut short: it says that it has {} frames and holds {}", header.rows, held));
    out.count_ = static_cast<std::size_t>(header.rows);
    out.data_.resize(out.count_ * out.width_);
    const char* at = bytes.data() + header.size;
    if (header.is_single) {
        std::vector<float> single(out.data_.size());
        if (!single.empty()) std::memcpy(single.data(), at, single.size() * each);
        std::ranges::copy(single, out.data_.begin());
    } else if (!out.data_.empty()) {
        std::memcpy(out.data_.data(), at, out.data_.size() * each);
    }
    out.check_values(file);
    return out;
}

void Frames::check_values(const fs::path& file) const {
    const auto bad = std::ranges::find_if_not(data_, [](double x) {
        return std::isfinite(x);
    });
    const auto refuse = [&](std::size_t frame, const char* why) {
        refuse_frames(file, fmt::format("is damaged: frame {} {}", frame, why));
    };
    if (bad != data_.end())
        refuse(static_cast<std::size_t>(bad - data_.begin()) / width_,
               "holds a value that is not finite");
    for (std::size_t f = 0; f < count_; ++f)
        if (const double row = data_[f * width_];
            row < 0.0 || row != std::floor(row) || row >= kBeyondRows)
            refuse(f, "does not belong to a row of history.csv");
}

// --- the folder
std::vector<std::string> run_labels(std::span<const fs::path> folders, bool full_paths) {
    std::vector<std::string> out;
    for (const fs::path& folder : folders) {
        std::string label = full_paths ? folder.string() : shown_path(folder);
        if (std::ranges::find(out, label) != out.end())
            label += fmt::format(" ({})", out.size() + 1);
        out.push_back(std::move(label));
    }
    return out;
}

void require_results(const fs::path& folder) {
    std::error_code error;
    if (fs::is_regular_file(folder, error))
        throw Error(
            ErrorKind::file,
            fmt::format("\"{}\" is a file, expected a folder that `ancora run` has written; "
                        "`ancora plot` draws columns of a file too",
                        folder.string()));
    if (!fs::is_directory(folder, error))
        throw Error(ErrorKind::file,
                    fmt::format("there is no folder \"{}\"; name one that `ancora run` has "
                                "written",
                                folder.string()));
    if (!fs::exists(folder / kHistoryFile, error))
        throw Error(ErrorKind::file,
                    fmt::format("the folder \"{}\" holds no results: there is no history.csv in "
                                "it; name one that `ancora run` has written",
                                folder.string()));
}

}  // namespace ancora
