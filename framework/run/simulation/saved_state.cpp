// SPDX-License-Identifier: BSD-3-Clause
// Saves, checks and restores.
#include "saved_state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "ancora/framework/version.hpp"
#include "model_identity.hpp"
#include "sha256.hpp"

namespace ancora {
namespace {

/// First bytes of a saved state; the last two digits are the format's number.
constexpr std::uint64_t kStateMagic = 0x34314554'41545341;  // "ASTATE14"

// Hexadecimal digits of a hash in words.
constexpr std::size_t kShortHash = 16;

using Checksum = std::array<char, 64>;  // hexadecimal digits of the SHA-256
/// Of what stands behind its own place.
Checksum checksum_of(std::span<const std::byte> saved) {
    const auto rest = saved.subspan(sizeof kStateMagic + sizeof(Checksum));
    const std::string digits =
        sha256_of_text({reinterpret_cast<const char*>(rest.data()), rest.size()});
    Checksum out{};
    std::ranges::copy(digits, out.begin());
    return out;
}

/// Of bytes that begin otherwise than a saved state of this version.
[[noreturn]] void refuse_format(std::uint64_t magic) {
    const auto text = std::bit_cast<std::array<char, sizeof magic>>(magic);
    const std::string_view begin(text.data(), text.size());
    constexpr std::size_t kDigits = 2;
    if (!begin.starts_with("ASTATE"))
        throw Error(ErrorKind::file, "these bytes are no saved state");
    const auto here = std::bit_cast<std::array<char, sizeof magic>>(kStateMagic);
    throw Error(
        ErrorKind::file,
        fmt::format("the saved state has format {}, from another version of Ancora, and "
                    "this one reads format {}: states are not carried over from version "
                    "to version; run the model from its start",
                    begin.substr(begin.size() - kDigits),
                    std::string_view(here.data(), here.size()).substr(here.size() - kDigits)));
}

}  // namespace

std::vector<std::string> layout_of(const Model& model, const KernelSystem& system, double step) {
    std::vector<std::string> lines;
    const auto add = [&](const char* kind, const ObjectRef& object, int size) {
        lines.push_back(fmt::format(
            "{} \"{}\" of type {}, {} numbers", kind, object.name, object.type->name, size));
    };
    for (const BodyPart& part : model.bodies) add("body", part.object, part.count);
    for (std::size_t c = 0; c < model.constraints.size(); ++c)
        add("constraint",
            model.constraints[c].object,
            system.parts().rows.owners[model.bodies.size() + c].num_rows);
    for (const ForcePart& part : model.forces) add("force", part.object, 0);
    lines.push_back(
        fmt::format("integrator {}, step {} s", model.integrator_object.type->name, step));
    return lines;
}

std::vector<std::string> ties_of(const Manifest& manifest) {
    std::unordered_set<std::string_view> names;
    for (const auto* const objects : {&manifest.bodies, &manifest.constraints, &manifest.forces})
        for (const ObjectSpec& spec : *objects) names.insert(spec.name);
    const auto names_one = [&](std::string_view text) {
        const auto is_of_name = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        };
        for (std::size_t end = 0; end < text.size();) {
            std::size_t begin = end;
            while (begin < text.size() && !is_of_name(text[begin])) ++begin;
            for (end = begin; end < text.size() && is_of_name(text[end]);) ++end;
            if (names.contains(text.substr(begin, end - begin))) return true;
        }
        return text.find('@') != std::string_view::npos;
    };
    std::vector<std::string> lines;
    for (const auto* const objects : {&manifest.constraints, &manifest.forces})
        for (const ObjectSpec& spec : *objects) {
            const auto add = [&](const std::string& key, const Value& value) {
                const std::string* const text = value.as<std::string>();
                if (text != nullptr && names_one(*text))
                    lines.push_back(fmt::format(
                        "{} \"{}\" with {} = \"{}\"", to_text(spec.kind), spec.name, key, *text));
            };
            for (const Table::Entry& entry : spec.parameters.entries()) {
                add(entry.key, entry.value);
                if (const Array* const list = entry.value.as<Array>())
                    for (const Value& value : *list) add(entry.key, value);
            }
        }
    return lines;
}

std::vector<std::string> identity_of(const Model& model,
                                     const KernelSystem& system,
                                     const Manifest& manifest) {
    std::vector<std::string> lines{fmt::format("Ancora {}", version())};
    for (std::string& line : layout_of(model, system, manifest.integrator.step))
        lines.push_back(std::move(line));
    for (const Plugin* plugin : model.plugins)
        lines.push_back(
            fmt::format("plugin {} {}, SHA-256 {}", plugin->name, plugin->version, plugin->sha256));
    // What these are made with, by hashes: a model may have millions of numbers.
    std::map<std::string, std::string> values;  // of each group
    for (const auto& [key, value] : model_identity(manifest, model.files)) {
        const std::size_t end = key.starts_with("model.") || key.starts_with("parameters.")
                                    ? key.size()
                                    : key.rfind('.');
        values[key.substr(0, end)] += key + '=' + value + '\n';
    }
    for (const auto& [group, text] : values)
        lines.push_back(fmt::format(
            "{} with the values {}", group, sha256_of_text(text).substr(0, kShortHash)));
    return lines;
}

std::vector<std::byte> SavedState::save(const Write& write) const {
    std::vector<std::byte> out = ArchiveWriter::written_by([&](ArchiveWriter& writer) {
        writer(kStateMagic);
        writer(Checksum{});
        writer(identity_.size());
        for (const std::string& line : identity_) writer(line);
        write(writer);
    });
    const Checksum checksum = checksum_of(out);
    std::ranges::copy(std::as_bytes(std::span(checksum)), out.begin() + sizeof kStateMagic);
    return out;
}

void SavedState::restore(std::span<const std::byte> saved,
                         const Write& write,
                         const Read& read) const {
    ArchiveReader reader(saved);
    std::uint64_t magic = 0;
    reader(magic);
    if (magic != kStateMagic) refuse_format(magic);
    Checksum checksum{};
    reader(checksum);
    if (checksum != checksum_of(saved))
        throw Error(ErrorKind::file,
                    "the saved state is damaged: its checksum does not fit; it may have been "
                    "cut short");
    check_identity(reader);
    const std::vector<std::byte> now = save(write);
    const auto go_back = [&] {
        ArchiveReader back(now);
        back(magic);
        back(checksum);
        check_identity(back);
        read(back);
    };
    try {
        read(reader);
        if (!reader.at_end()) ArchiveReader::refuse();
    } catch (const Error& error) {
        go_back();
        if (error.kind() == ErrorKind::file) throw;
        // Plugins, and places in the model, that cannot take what was read.
        throw Error(ErrorKind::file,
                    fmt::format("the saved state is damaged: {}", error.message()));
    } catch (...) {
        go_back();
        throw;
    }
}

void SavedState::check_identity(ArchiveReader& reader) const {
    const std::vector<std::string>& here = identity_;
    std::size_t count = 0;
    reader(count);
    for (std::size_t i = 0; i < std::max(count, here.size()); ++i) {
        std::string there = "nothing more";
        if (i < count) reader(there);
        const std::string mine = i < here.size() ? here[i] : "nothing more";
        if (there != mine)
            throw Error(ErrorKind::usage,
                        fmt::format("the saved state belongs to another model: it has {}, this "
                                    "model has {}",
                                    there,
                                    mine));
    }
}

}  // namespace ancora
