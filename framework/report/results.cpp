// SPDX-License-Identifier: BSD-3-Clause
// Readers of history.csv, scene.json and frames.npy.
#include "results.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "file_writer.hpp"
#include "result_files.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

/// Takes a cell of a header line from `at` on, quoted by RFC 4180 or not.
std::string take_cell(std::string_view text, std::size_t& at) {
    std::string cell;
    if (at < text.size() && text[at] == '"') {
        for (++at; at < text.size(); ++at) {
            if (text[at] == '"') {
                if (at + 1 >= text.size() || text[at + 1] != '"') break;
                ++at;
            }
            cell += text[at];
        }
        if (at < text.size()) ++at;
        return cell;
    }
    while (at < text.size() && text[at] != ',' && text[at] != '\n') cell += text[at++];
    return cell;
}

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

}  // namespace

// --- history

History::History(fs::path file) : file_(std::move(file)) {
    text_ = read_text_file(file_, "the results", "run the model first");
    const std::size_t last = text_.rfind('\n');
    text_.resize(last == std::string::npos ? 0 : last + 1);
    while (body_ < text_.size()) {
        columns_.push_back(take_cell(text_, body_));
        if (body_ >= text_.size() || text_[body_++] == '\n') break;
    }
    if (columns_.empty() || columns_[0] != "t")
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" has no column \"t\"; it is not the history of a run",
                                file_.string()));
    num_rows_ = static_cast<std::size_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(body_), text_.end(), '\n'));
}

std::size_t History::column(const std::string& name) const {
    const auto found = std::ranges::find(columns_, name);
    if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
    const std::string near = nearest_name(name, columns_);
    throw Error(
        ErrorKind::usage,
        near.empty()
            ? fmt::format(
                  "\"{}\" has no column \"{}\"; its first line names all", file_.string(), name)
            : fmt::format(
                  "\"{}\" has no column \"{}\"; did you mean \"{}\"?", file_.string(), name, near));
}

std::vector<std::vector<double>> History::read(std::span<const std::size_t> chosen,
                                               std::size_t stride) const {
    std::vector<int> place(columns_.size(), -1);
    for (std::size_t k = 0; k < chosen.size(); ++k) place[chosen[k]] = static_cast<int>(k);
    std::vector<std::vector<double>> out(chosen.size());
    for (std::vector<double>& list : out) list.reserve(num_rows_ / stride + 2);

    const char* at = text_.data() + body_;
    const char* const end = text_.data() + text_.size();
    for (std::size_t row = 0; row < num_rows_; ++row) {
        const char* const line = at;
        const bool is_wanted = row % stride == 0 || row + 1 == num_rows_;
        if (!is_wanted) {
            at = static_cast<const char*>(
                     std::memchr(at, '\n', static_cast<std::size_t>(end - at))) +
                 1;
            continue;
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const char separator = c + 1 < columns_.size() ? ',' : '\n';
            const auto refuse = [&] {
                throw Error(ErrorKind::file,
                            fmt::format("{}:{}:{}: a number is expected here",
                                        file_.string(),
                                        row + 2,
                                        at - line + 1));
            };
            if (place[c] >= 0) {
                double x = 0.0;
                const auto [next, error] = std::from_chars(at, end, x);
                if (error != std::errc()) refuse();
                out[static_cast<std::size_t>(place[c])].push_back(x);
                at = next;
            } else {
                while (at < end && *at != ',' && *at != '\n') ++at;
            }
            if (at >= end || *at != separator) refuse();
            ++at;
        }
    }
    // A column asked for twice.
    for (std::size_t k = 0; k < chosen.size(); ++k)
        if (const int first = place[chosen[k]]; first != static_cast<int>(k))
            out[k] = out[static_cast<std::size_t>(first)];
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
    if (middle == "lambda") return "";
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

    std::ifstream in(file, std::ios::binary);
    std::array<char, 10> magic{};
    if (!in.read(magic.data(), magic.size()) ||
        std::string_view(magic.data(), 8) != std::string_view("\x93NUMPY\x01\x00", 8))
        refuse_frames(file, "is no .npy file of version 1.0");
    const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(magic[i]));
    };
    std::string header(byte(8) + 256 * byte(9), ' ');
    in.read(header.data(), static_cast<std::streamsize>(header.size()));
    if (!in || header.find("'<f4'") == std::string::npos)
        refuse_frames(file, "holds no frames of a run");
    const std::uint64_t rows = number_behind(header, "'shape': (", file);
    out.width_ = static_cast<std::size_t>(
        number_behind(header.substr(header.find("'shape': (")), ",", file));
    if (out.width_ != static_cast<std::size_t>(out.scene_.num_values) + 2)
        refuse_frames(file,
                      fmt::format("has {} values in a frame, but the scene beside it {}",
                                  out.width_,
                                  out.scene_.num_values + 2));
    // The header never counts more than is there, unless the file was cut.
    const std::uintmax_t bytes = fs::file_size(file, error);
    const std::uintmax_t frame_bytes = out.width_ * sizeof(float);
    const std::uintmax_t held = (bytes - 10 - header.size()) / frame_bytes;
    if (error || rows > held)
        refuse_frames(
            file,
            fmt::format("was cut short: it says that it has {} frames and holds {}", rows, held));
    out.count_ = static_cast<std::size_t>(rows);
    out.data_.resize(out.count_ * out.width_);
    in.read(reinterpret_cast<char*>(out.data_.data()),
            static_cast<std::streamsize>(out.data_.size() * sizeof(float)));
    if (!in) refuse_frames(file, "cannot be read");
    return out;
}

// --- the folder

std::string read_summary(const fs::path& folder) {
    const fs::path file = folder / kSummaryFile;
    std::error_code error;
    if (!fs::exists(file, error)) return "";
    return read_text_file(file, "the summary");
}

void require_results(const fs::path& folder) {
    std::error_code error;
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
