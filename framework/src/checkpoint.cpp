// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: text of one line and a checksum, then the bytes.
#include "checkpoint.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "ancora/framework/version.hpp"
#include "expression_scope.hpp"
#include "file_writer.hpp"
#include "sha256.hpp"
#include "state_archive.hpp"
#include "toml_writer.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// First line of every checkpoint; its number is the format's.
constexpr std::string_view kMark = "Ancora checkpoint ";
constexpr int kFormat = 2;
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
    archive(checkpoint.outputs_passed);
    archive(checkpoint.frames);
    archive(checkpoint.wall_seconds);
    archive(checkpoint.resumed_at);
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
    throw Error(
        ErrorKind::file,
        fmt::format(
            "the checkpoint \"{}\" {}; run without --resume to begin anew", file.string(), why));
}

std::string short_value(const std::string& value) {
    constexpr std::size_t kLongest = 60;
    return value.size() <= kLongest ? value : value.substr(0, kLongest) + "...";
}

bool is_of_plugins(std::string_view key) {
    return key.starts_with("plugin ") || key == "kernel";
}

}  // namespace

Checkpoint::Identity identity_of(const Manifest& manifest, const Simulation& simulation) {
    Checkpoint::Identity out;
    const auto add = [&](std::string key, std::string value) {
        out.emplace_back(std::move(key), std::move(value));
    };
    const auto add_table = [&](const std::string& prefix, const Table& table) {
        for (const Table::Entry& entry : table.entries())
            add(prefix + toml_key(entry.key), toml_value(entry.value));
    };
    add("kernel", version());
    for (const Plugin* plugin : simulation.plugins())
        add("plugin " + plugin->name,
            fmt::format("{}, SHA-256 {}", plugin->version, plugin->sha256));
    for (const InputFile& input : simulation.input_files())
        add("content of " + input.key, "SHA-256 " + input.sha256);
    add("model.gravity", toml_numbers(manifest.model.gravity));
    add("model.project_start", manifest.model.project_start ? "true" : "false");
    if (manifest.scope)
        for (const ExpressionScope::Definition& parameter : manifest.scope->parameters()) {
            if (!parameter.was_used) continue;
            std::vector<double> values;
            for (const Quantity& x : parameter.values) values.push_back(x.value);
            add("parameters." + parameter.name,
                parameter.is_array ? toml_numbers(values) : toml_number(values.front()));
        }
    for (const auto* const objects : {&manifest.bodies, &manifest.constraints, &manifest.forces})
        for (const ObjectSpec& spec : *objects) {
            const std::string name = fmt::format("{}.{}.", to_text(spec.kind), spec.name);
            add(name + "type", spec.type);
            if (spec.scope) add(name + "for", spec.scope->indices_text());
            add_table(name, spec.parameters);
        }
    const IntegratorSettings& integrator = manifest.integrator;
    add("integrator.type", integrator.type);
    add("integrator.step", toml_number(integrator.step));
    add("integrator.end", toml_number(integrator.end));
    if (integrator.tolerance) add("integrator.tolerance", toml_number(*integrator.tolerance));
    if (const auto own = integrator.own.find(integrator.type); own != integrator.own.end())
        add_table(fmt::format("integrator.{}.", integrator.type), own->second);
    if (manifest.output.every) add("output.every", toml_number(*manifest.output.every));
    std::string points;
    for (const PlacedText& point : manifest.output.points)
        points += (points.empty() ? "" : ", ") + toml_text(point.text);
    add("output.points", fmt::format("[{}]", points));
    if (manifest.output.frames) add("output.frames", toml_number(*manifest.output.frames));
    add("output.states", manifest.output.states ? "true" : "false");
    add("output.forces", manifest.output.all_forces ? "all" : "reaction");
    return out;
}

void write_checkpoint(const fs::path& file, const Checkpoint& checkpoint) {
    StateWriter writer;
    transfer(writer, checkpoint);
    const std::vector<std::byte> bytes = writer.take();
    const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::string text = fmt::format("{}{}\n", kMark, kFormat);
    text += sha256_of_text(content);
    text += content;
    replace_file(file, text, kMark, "a checkpoint");
}

std::optional<Checkpoint> read_checkpoint(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error)) return std::nullopt;
    const std::string text = read_text_file(file, "the checkpoint", "", most_result_bytes());
    const std::string first = fmt::format("{}{}\n", kMark, kFormat);
    if (!text.starts_with(kMark)) refuse(file, "is no checkpoint");
    if (!text.starts_with(first)) refuse(file, "was written by another version");
    const std::string_view rest = std::string_view(text).substr(first.size());
    if (rest.size() < kChecksum ||
        rest.substr(0, kChecksum) != sha256_of_text(rest.substr(kChecksum)))
        refuse(file, "is damaged: its checksum does not fit, it may have been cut short");
    const std::string_view content = rest.substr(kChecksum);
    Checkpoint checkpoint;
    StateReader reader({reinterpret_cast<const std::byte*>(content.data()), content.size()});
    transfer(reader, checkpoint);
    return checkpoint;
}

void require_same_run(const Checkpoint& checkpoint,
                      const Checkpoint::Identity& here,
                      const fs::path& file) {
    const std::map<std::string, std::string> before(checkpoint.identity.begin(),
                                                    checkpoint.identity.end());
    const std::map<std::string, std::string> now(here.begin(), here.end());
    std::string text;
    std::size_t count = 0;
    bool in_plugins = false;
    const auto note = [&](const std::string& key, const std::string& was, const std::string& is) {
        in_plugins |= is_of_plugins(key);
        if (++count <= kMostDifferences)
            text += fmt::format("\n  {}: {} in the checkpoint, {} here", key, was, is);
    };
    for (const auto& [key, value] : before) {
        const auto found = now.find(key);
        if (found == now.end())
            note(key, short_value(value), "not given");
        else if (found->second != value)
            note(key, short_value(value), short_value(found->second));
    }
    for (const auto& [key, value] : now)
        if (!before.contains(key)) note(key, "not given", short_value(value));
    if (count == 0) return;
    if (count > kMostDifferences) text += fmt::format("\n  and {} more", count - kMostDifferences);
    throw Error(in_plugins ? ErrorKind::plugin : ErrorKind::manifest,
                fmt::format("the checkpoint \"{}\" is of another run; undo what differs, or run "
                            "without --resume to begin anew:{}",
                            file.string(),
                            text));
}

}  // namespace ancora
