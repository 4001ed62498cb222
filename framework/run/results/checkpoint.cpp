// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: text of one line and a checksum, then the bytes.
#include "checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "ancora/framework/version.hpp"
#include "sha256.hpp"
#include "state_archive.hpp"
#include "toml_writer.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// First line of every checkpoint; its number is the format's.
constexpr std::string_view kCheckpointMark = "Ancora checkpoint ";
constexpr int kFormat = 4;
constexpr std::size_t kChecksum = 64;  // hexadecimal digits
constexpr std::size_t kMostDifferences = 8;

template <class Archive, class C>
void transfer(Archive& archive, C& checkpoint) {
    std::size_t count = checkpoint.identity.size();
    archive(count);
    if constexpr (Archive::kReads) {
        for (std::size_t i = 0; i < count; ++i) {
            std::pair<std::string, std::string> entry;
            archive(entry.first);
            archive(entry.second);
            checkpoint.identity.push_back(std::move(entry));
        }
    } else {
        for (const auto& [key, value] : checkpoint.identity) {
            archive(key);
            archive(value);
        }
    }
    archive(checkpoint.state);
    archive(checkpoint.history_size);
    archive(checkpoint.last_row_step);
    archive(checkpoint.is_before_row);
    archive(checkpoint.outputs_passed);
    archive(checkpoint.frames);
    archive(checkpoint.wall_seconds);
    archive(checkpoint.resumed_at);
}

[[noreturn]] void refuse_checkpoint(const fs::path& file, const std::string& why) {
    throw Error(
        ErrorKind::file,
        fmt::format(
            "the checkpoint \"{}\" {}; run without --resume to begin anew", file.string(), why));
}

std::string short_value(const std::string& value) {
    constexpr std::size_t kLongest = 60;
    return value.size() <= kLongest ? value : value.substr(0, kLongest) + "...";
}

constexpr const char* kEnd = "integrator.end";
constexpr const char* kEvery = "output.every";

/// Whether it is the end of the run, and later here.
bool is_later_end(const std::string& key, const std::string& before, const std::string& here) {
    return key == kEnd && std::strtod(here.c_str(), nullptr) > std::strtod(before.c_str(), nullptr);
}

bool is_of_plugins(std::string_view key) {
    return key.starts_with("plugin ") || key == "kernel";
}

}  // namespace

Identity identity_of(const Manifest& manifest, const Simulation& simulation, double every) {
    Identity out = model_identity(manifest, simulation.input_files());
    const auto add = [&](std::string key, std::string value) {
        out.emplace_back(std::move(key), std::move(value));
    };
    add("kernel", version());
    for (const Plugin* plugin : simulation.plugins())
        add("plugin " + plugin->name,
            fmt::format("{}, SHA-256 {}", plugin->version, plugin->sha256));
    if (manifest.integrator.begin != 0.0)
        add("integrator.begin", toml_number(manifest.integrator.begin));
    add(kEnd, toml_number(manifest.integrator.end));
    add(kEvery, every > 0.0 ? toml_number(every) : "every step");
    const auto list = [](const std::vector<PlacedText>& texts) {
        std::string joined;
        for (const PlacedText& each : texts)
            joined += (joined.empty() ? "" : ", ") + toml_text(each.text);
        return fmt::format("[{}]", joined);
    };
    add("output.points", list(manifest.output.points));
    if (manifest.output.columns) add("output.columns", list(*manifest.output.columns));
    if (manifest.output.frames) add("output.frames", toml_number(*manifest.output.frames));
    add("output.states", manifest.output.states ? "true" : "false");
    add("output.forces", manifest.output.all_forces ? "all" : "reaction");
    return out;
}

void write_checkpoint(const FileAt& file, const Checkpoint& checkpoint) {
    const std::string first = fmt::format("{}{}\n", kCheckpointMark, kFormat);
    std::vector<std::byte> bytes = ArchiveWriter::written_by([&](ArchiveWriter& writer) {
        writer.plain(first);
        writer.plain(std::string(kChecksum, '0'));
        transfer(writer, checkpoint);
    });
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string checksum = sha256_of_text(text.substr(first.size() + kChecksum));
    std::memcpy(bytes.data() + first.size(), checksum.data(), kChecksum);
    replace_file(file, text, kCheckpointMark, "a checkpoint");
}

std::optional<Checkpoint> read_checkpoint(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error)) return std::nullopt;
    const std::string text = read_text_file(file, "the checkpoint", "", most_result_bytes());
    const std::string first = fmt::format("{}{}\n", kCheckpointMark, kFormat);
    if (!text.starts_with(kCheckpointMark)) refuse_checkpoint(file, "is no checkpoint");
    if (!text.starts_with(first)) refuse_checkpoint(file, "was written by another version");
    const std::string_view rest = std::string_view(text).substr(first.size());
    if (rest.size() < kChecksum ||
        rest.substr(0, kChecksum) != sha256_of_text(rest.substr(kChecksum)))
        refuse_checkpoint(file,
                          "is damaged: its checksum does not fit, it may have been cut short");
    const std::string_view content = rest.substr(kChecksum);
    Checkpoint checkpoint;
    ArchiveReader reader({reinterpret_cast<const std::byte*>(content.data()), content.size()});
    try {
        transfer(reader, checkpoint);
    } catch (const Error&) {
        refuse_checkpoint(file, "is damaged: its lengths do not fit");
    }
    if (!reader.at_end()) refuse_checkpoint(file, "is damaged: it is too long");
    return checkpoint;
}

namespace {

/// What differs between a checkpoint and a run.
struct Differences {
    std::string text;
    std::size_t count = 0;
    bool in_plugins = false;
};

Differences differences(const Checkpoint& checkpoint, const Identity& here) {
    Differences out;
    const std::map<std::string, std::string> before(checkpoint.identity.begin(),
                                                    checkpoint.identity.end());
    const std::map<std::string, std::string> now(here.begin(), here.end());
    const auto note = [&](const std::string& key, const std::string& was, const std::string& is) {
        out.in_plugins |= is_of_plugins(key);
        if (++out.count <= kMostDifferences)
            out.text += fmt::format("\n  {}: {} in the checkpoint, {} here", key, was, is);
    };
    for (const auto& [key, value] : before) {
        const auto found = now.find(key);
        if (found == now.end())
            note(key, short_value(value), "not given");
        else if (found->second != value && !is_later_end(key, value, found->second))
            note(key, short_value(value), short_value(found->second));
    }
    for (const auto& [key, value] : now)
        if (!before.contains(key)) note(key, "not given", short_value(value));
    return out;
}

}  // namespace

bool is_meant_to_go_on(const Checkpoint& checkpoint, const Identity& here) {
    // Without `every` the time between rows follows from the end, and is refused in words.
    Identity but_for_rows = here;
    for (auto& [key, value] : but_for_rows)
        for (const auto& [its_key, its_value] : checkpoint.identity)
            if (key == kEvery && its_key == kEvery) value = its_value;
    return differences(checkpoint, but_for_rows).count == 0;
}

void require_same_run(const Checkpoint& checkpoint, const Identity& here, const fs::path& file) {
    auto [text, count, in_plugins] = differences(checkpoint, here);
    if (count == 0) return;
    if (count > kMostDifferences) text += fmt::format("\n  and {} more", count - kMostDifferences);
    throw Error(in_plugins ? ErrorKind::plugin : ErrorKind::manifest,
                fmt::format("the checkpoint \"{}\" is of another run; undo what differs, or run "
                            "without --resume to begin anew:{}",
                            file.string(),
                            text));
}

void refuse_damaged(const fs::path& file, const char* what) {
    refuse_checkpoint(file, fmt::format("is damaged: {} cannot be", what));
}

void require_sound(const Checkpoint& checkpoint,
                   const Simulation& simulation,
                   const std::array<double, 2>& outputs_passed,
                   const fs::path& file) {
    const auto require = [&](bool holds, const char* what) {
        if (!holds) refuse_damaged(file, what);
    };
    const FrameRecorder::Progress& frames = checkpoint.frames;
    const auto is_among = [](std::int64_t x, std::int64_t most) {
        return x >= 0 && x <= most;
    };
    require(is_among(checkpoint.last_row_step, simulation.steps_done()), "its last row");
    const double fewest = checkpoint.is_before_row ? 0.0 : outputs_passed[0];
    require(checkpoint.outputs_passed >= fewest && checkpoint.outputs_passed <= outputs_passed[1],
            "its number of output times");
    require(frames.frames <= frames.rows && (frames.states == 0 || frames.states == frames.rows),
            "its number of frames");
    require(is_among(frames.steps, simulation.steps_done()) &&
                is_among(frames.work, simulation.work_done()) &&
                std::isfinite(frames.frames_passed),
            "its last frame");
    require(std::isfinite(checkpoint.wall_seconds) && checkpoint.wall_seconds >= 0.0,
            "its wall time");
    for (const double t : checkpoint.resumed_at)
        require(t >= simulation.begin_time() && t <= simulation.time(), "a time of resumption");
}

}  // namespace ancora
