// SPDX-License-Identifier: BSD-3-Clause
// The error of a failed call, and its record as text.
#include "ancora/framework/failed_call.hpp"

#include <fmt/format.h>

#include "call_record.hpp"
#include "file_writer.hpp"
#include "object_ref.hpp"
#include "plugin_call.hpp"
#include "table_reader.hpp"
#include "toml_reader.hpp"
#include "toml_writer.hpp"
#include "type_kind.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

/// " --plugin-dir FOLDER" if a replay would not find the plugin of this record without.
std::string plugin_dir_option(const std::string& capture) {
    try {
        const TableReader reader("");
        const Table document = read_toml(capture, std::make_shared<const std::string>());
        const PlacedTable plugin = reader.table(PlacedTable{document, Place{}}, "plugin");
        const fs::path folder = fs::path(reader.text(plugin, "file")).parent_path();
        return is_searched(PluginRegistry(), folder) ? "" : " --plugin-dir " + folder.string();
    } catch (const Error&) {
        return "";  // no record of ours
    }
}

}  // namespace

FailedCall::FailedCall(const std::string& message, Place place, std::string capture)
    : Error(ErrorKind::plugin, message, std::move(place)),
      capture_(std::make_shared<const std::string>(std::move(capture))) {}

FailedCall FailedCall::written_to(const fs::path& file) const {
    std::string note;
    bool is_written = true;
    try {
        replace_file(file, *capture_, kRecordMark, "a record of a failed call");
        note = fmt::format(
            "the inputs of the call are in \"{}\"; \"ancora replay {}{}\" makes it again",
            file.string(),
            file.string(),
            plugin_dir_option(*capture_));
    } catch (const Error& error) {
        is_written = false;
        note = fmt::format("the inputs of the call are lost: {}", error.message());
    }
    FailedCall out(fmt::format("{}\n  {}", message(), note), place(), *capture_);
    if (is_written) out.file_ = file;
    return out;
}

namespace {

std::string lines_of(const RigidMotion& motion) {
    return fmt::format("position = {}\nvelocity = {}\nrotation = {}\nangular_velocity = {}\n",
                       toml_numbers(motion.position),
                       toml_numbers(motion.velocity),
                       toml_numbers(motion.rotation),
                       toml_numbers(motion.angular_velocity));
}

}  // namespace

std::string failed_call_text(const ObjectRef& object,
                             const PluginCall& call,
                             const std::string& message) {
    std::string out = fmt::format(
        "{} \"ancora replay FILE\" makes it again\n# with the same inputs.\nformat = {}\n"
        "message = {}\n\n",
        kRecordMark,
        kRecordFormat,
        toml_text(message));
    const Plugin& plugin = *object.plugin;
    out += fmt::format("[plugin]\nname = {}\nversion = {}\nsha256 = {}\nfile = {}\n\n",
                       toml_text(plugin.name),
                       toml_text(plugin.version),
                       toml_text(plugin.sha256),
                       toml_text(plugin.file.string()));
    out += fmt::format("[object]\nkind = {}\nname = {}\ntype = {}\n",
                       toml_text(to_text(object.type->kind)),
                       toml_text(object.name),
                       toml_text(object.type->name));
    if (object.place.known())
        out += fmt::format(
            "place = {}\n",
            toml_text(fmt::format(
                "{}:{}:{}", *object.place.file, object.place.line, object.place.column)));
    if (object.record != nullptr)
        out += fmt::format("gravity = {}\nbegin_time = {}\nend_time = {}\n",
                           toml_numbers(object.record->gravity),
                           toml_number(object.record->begin_time),
                           toml_number(object.record->end_time));
    out += "\n[object.parameters]\n";
    if (object.record != nullptr) {
        out += object.record->parameters;
        for (const auto& [body, motion] : object.record->motions)
            out += fmt::format("\n[[motion]]\nbody = {}\n{}", toml_text(body), lines_of(motion));
        for (const auto& [text, frame] : object.record->frames)
            out += fmt::format(
                "\n[[frame]]\ntext = {}\nbody = {}\npoint = {}\nnames_point = {}\n"
                "names_axes = {}\nhas_attitude = {}\n[frame.carrier]\n{}[frame.motion]\n{}",
                toml_text(text),
                toml_text(std::string(frame.body)),
                toml_text(std::string(frame.point)),
                frame.names_point,
                frame.names_axes,
                frame.has_attitude,
                lines_of(frame.carrier),
                lines_of(frame.motion));
        for (const auto& [text, measure] : object.record->measures)
            out += fmt::format("\n[[measure]]\ntext = {}\nkind = {}\nvalue = {}\nrate = {}\n",
                               toml_text(text),
                               static_cast<int>(measure.kind),
                               toml_number(measure.value),
                               toml_number(measure.rate));
    }
    const auto list = [](const std::vector<std::string>& texts) {
        std::string all;
        for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + toml_text(text);
        return all;
    };
    out +=
        fmt::format("\n[call]\nname = {}\noutputs = [{}]\nattachments = [{}]\n\n[call.settings]\n",
                    toml_text(call.name),
                    list(call.wanted),
                    list(call.locators));
    for (const auto& [key, value] : call.settings) out += fmt::format("{} = {}\n", key, value);
    out += "\n[call.inputs]\n";
    for (const CallValues& input : call.inputs)
        out += fmt::format("{} = {}\n", input.name, toml_numbers(input.values));
    return out;
}

}  // namespace ancora
