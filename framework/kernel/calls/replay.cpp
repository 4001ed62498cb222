// SPDX-License-Identifier: BSD-3-Clause
// Reading the record of a failed call, and the call made again.
#include <algorithm>
#include <deque>
#include <exception>
#include <map>

#include <fmt/format.h>

#include "ancora/framework/failed_call.hpp"
#include "bound_arguments.hpp"
#include "call_again.hpp"
#include "call_record.hpp"
#include "file_writer.hpp"
#include "guard.hpp"
#include "table_reader.hpp"
#include "toml_reader.hpp"
#include "traps_off.hpp"
#include "type_kind.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

/// What the file says.
struct Record {
    std::string message;
    std::string plugin, version, sha256;
    fs::path plugin_file;
    TypeKind kind = TypeKind::body;
    std::string name, type;
    Table parameters;
    std::array<double, 3> gravity{};
    double begin_time = 0.0, end_time = 0.0;
    Place place;
    std::map<std::string, RigidMotion> motions;
    std::map<std::string, FrameStart> frames;
    std::map<std::string, MeasureStart> measures;
    std::deque<std::string> texts;  // that frames refer to
    PluginCall call;
};

template <std::size_t N>
std::array<double, N> array_of(const TableReader& reader, const PlacedTable& in, const char* key) {
    const Value& value = reader.value(in, key);
    const std::vector<double> numbers = reader.numbers(value, key);
    if (numbers.size() != N)
        reader.refuse(fmt::format("{}: expected {} numbers, got {}", key, N, numbers.size()),
                      value.place());
    std::array<double, N> out;
    std::ranges::copy(numbers, out.begin());
    return out;
}

RigidMotion motion_of(const TableReader& reader, const PlacedTable& in) {
    return {array_of<3>(reader, in, "position"),
            array_of<3>(reader, in, "velocity"),
            array_of<9>(reader, in, "rotation"),
            array_of<3>(reader, in, "angular_velocity")};
}

/// What texts meant that name frames and measures.
void read_references(const TableReader& reader, const PlacedTable& root, Record& record) {
    const auto for_each = [&](const char* list, auto&& read) {
        if (root.table.find(list) == nullptr) return;
        for (const Value& entry :
             reader.as<Array>(reader.value(root, list), list, "tables [[...]]"))
            read(reader.table(entry, list));
    };
    for_each("frame", [&](const PlacedTable& in) {
        const auto keep = [&](const char* key) {
            return std::string_view(record.texts.emplace_back(reader.text(in, key)));
        };
        const auto is = [&](const char* key) {
            return reader.as<bool>(reader.value(in, key), key, "true or false");
        };
        record.frames[reader.text(in, "text")] = {keep("body"),
                                                  keep("point"),
                                                  is("names_point"),
                                                  is("names_axes"),
                                                  is("has_attitude"),
                                                  motion_of(reader, reader.table(in, "carrier")),
                                                  motion_of(reader, reader.table(in, "motion"))};
    });
    for_each("measure", [&](const PlacedTable& in) {
        const std::int64_t kind = reader.integer(in, "kind");
        if (kind < 0 || kind > static_cast<std::int64_t>(MeasureKind::between))
            reader.refuse("kind: there is no such measure", reader.value(in, "kind").place());
        record.measures[reader.text(in, "text")] = {
            static_cast<MeasureKind>(kind),
            reader.as<double>(reader.value(in, "value"), "value", "a number"),
            reader.as<double>(reader.value(in, "rate"), "rate", "a number")};
    });
}

TypeKind kind_of(const TableReader& reader, const PlacedTable& in) {
    const std::string& text = reader.text(in, "kind");
    for (const TypeKind kind : {TypeKind::body, TypeKind::constraint, TypeKind::force})
        if (text == to_text(kind)) return kind;
    reader.refuse("kind: expected \"body\", \"constraint\" or \"force\"",
                  reader.value(in, "kind").place());
}

/// The name of a call, one that an object of this kind has.
const std::string& call_name(const TableReader& reader, TypeKind kind, const PlacedTable& in) {
    const std::string& name = reader.text(in, "name");
    if (name != kFactory && !has_call(kind, name))
        reader.refuse(fmt::format("a {} has no call {}", to_text(kind), in_quotes(name)),
                      reader.value(in, "name").place());
    return name;
}

Record read_record(const fs::path& file) {
    const TableReader reader("this is not a record of a failed call");
    const auto name = std::make_shared<const std::string>(file.string());
    Table document;
    try {
        document = read_toml(read_text_file(file, "the record of a failed call"), name);
    } catch (const Error& error) {
        throw Error(ErrorKind::file, error.message(), error.place());
    }
    const PlacedTable root{document, Place{name}};
    if (const std::int64_t format = reader.integer(root, "format"); format != kRecordFormat)
        reader.refuse(fmt::format("it has format {}, this version reads {}", format, kRecordFormat),
                      reader.value(root, "format").place());

    Record record;
    record.message = reader.text(root, "message");
    const PlacedTable plugin = reader.table(root, "plugin");
    record.plugin = reader.text(plugin, "name");
    record.version = reader.text(plugin, "version");
    record.sha256 = reader.text(plugin, "sha256");
    record.plugin_file = reader.text(plugin, "file");

    const PlacedTable object = reader.table(root, "object");
    record.kind = kind_of(reader, object);
    record.name = reader.text(object, "name");
    record.type = reader.text(object, "type");
    record.place = object.place;
    if (object.table.find("gravity") != nullptr)
        record.gravity = array_of<3>(reader, object, "gravity");
    for (const auto& [key, to] :
         {std::pair("begin_time", &record.begin_time), std::pair("end_time", &record.end_time)})
        if (object.table.find(key) != nullptr)
            *to = reader.as<double>(reader.value(object, key), key, "a number");
    record.parameters = reader.table(object, "parameters").table;
    if (root.table.find("motion") != nullptr)
        for (const Value& entry :
             reader.as<Array>(reader.value(root, "motion"), "motion", "tables [[motion]]")) {
            const PlacedTable motion = reader.table(entry, "motion");
            record.motions[reader.text(motion, "body")] = motion_of(reader, motion);
        }
    read_references(reader, root, record);

    const PlacedTable call = reader.table(root, "call");
    record.call.name = call_name(reader, record.kind, call);
    record.call.wanted = reader.texts(call, "outputs");
    record.call.locators = reader.texts(call, "attachments");
    for (const Table::Entry& entry : reader.table(call, "settings").table.entries())
        record.call.settings.emplace_back(
            entry.key, reader.as<std::int64_t>(entry.value, entry.key, "a whole number"));
    for (const Table::Entry& entry : reader.table(call, "inputs").table.entries())
        record.call.inputs.push_back({entry.key, 1, reader.numbers(entry.value, entry.key)});
    return record;
}

/// Owns what a factory made.
struct MadeObject {
    std::unique_ptr<Body> body;
    std::unique_ptr<Constraint> constraint;
    std::unique_ptr<NonidealForce> force;

    std::vector<CallValues> make(const PluginCall& call) const {
        return body         ? make_call(*body, call)
               : constraint ? make_call(*constraint, call)
                            : make_call(*force, call);
    }
};

MadeObject make_object(const ObjectRef& object, TypeKind kind, const BoundArguments& arguments) {
    MadeObject made;
    void* const thing = object.type->create(arguments);
    if (thing == nullptr) throw std::runtime_error("the factory returned nothing");
    if (kind == TypeKind::body)
        made.body.reset(static_cast<Body*>(thing));
    else if (kind == TypeKind::constraint)
        made.constraint.reset(static_cast<Constraint*>(thing));
    else
        made.force.reset(static_cast<NonidealForce*>(thing));
    return made;
}

const TypeDescriptor& type_of(const Plugin& plugin, const Record& record) {
    for (std::uint32_t i = 0; i < plugin.descriptor->num_types; ++i)
        if (plugin.descriptor->types[i].kind == record.kind &&
            plugin.descriptor->types[i].name == record.type)
            return plugin.descriptor->types[i];
    throw Error(ErrorKind::plugin,
                fmt::format("plugin \"{}\" {} ({}) has no {} type \"{}\"",
                            plugin.name,
                            plugin.version,
                            plugin.file.string(),
                            to_text(record.kind),
                            record.type),
                record.place);
}

/// The plugin of the record, from the registry's own folders. A record may be anybody's, so the
/// folder that it names is only said.
const Plugin& load_plugin(const Record& record, PluginRegistry& registry) {
    try {
        return registry.load(record.plugin, record.place);
    } catch (const Error& error) {
        const fs::path folder = record.plugin_file.parent_path();
        if (folder.empty() || is_searched(registry, folder)) throw;
        throw Error(error.kind(),
                    fmt::format("{}\n  in the run it was {}; a record's folder is searched only if "
                                "you name it, since what is there runs: --plugin-dir {}",
                                error.message(),
                                in_quotes(record.plugin_file.string()),
                                in_quotes(folder.string())),
                    error.place());
    }
}

/// Runs `function`, which calls the plugin; what it throws is put into words.
template <class Function>
std::string thrown_by(Function&& function) {
    const FpEnvironment environment = FpEnvironment::capture();
    std::string thrown;
    try {
        function();
    } catch (const Error&) {
        environment.restore();
        throw;
    } catch (const std::exception& error) {
        thrown = in_quotes(error.what());
    } catch (...) {
        thrown = "something that is not a std::exception";
    }
    environment.restore();
    return thrown;
}

/// Looks up what the record says of a text.
template <class T>
auto known_of(const std::map<std::string, T>& known, const char* what) {
    return [&known, what](const std::string& text, const Place& place) -> const T& {
        const auto found = known.find(text);
        if (found == known.end())
            throw Error(ErrorKind::file,
                        fmt::format("the record has no {} {}", what, in_quotes(text)),
                        place);
        return found->second;
    };
}

}  // namespace

bool is_searched(const PluginRegistry& registry, const fs::path& folder) {
    std::error_code ignored;
    return std::ranges::any_of(registry.folders(), [&](const fs::path& one) {
        return one == folder || fs::equivalent(one, folder, ignored);
    });
}

Replay replay_call(const fs::path& file, PluginRegistry& registry) {
    const TrapsOff traps_off;
    const Record record = read_record(file);
    const Plugin& plugin = load_plugin(record, registry);

    ObjectRef object;
    object.name = record.name;
    object.label = object_title(record.kind, record.name);
    object.plugin = &plugin;
    object.type = &type_of(plugin, record);
    object.place = record.place;
    BoundArguments arguments(
        object.label,
        object.name,
        record.type,
        record.parameters,
        record.place,
        {object.type->parameters, static_cast<std::size_t>(object.type->num_parameters)},
        known_of(record.motions, "motion of body"));
    arguments.set_lookup({known_of(record.frames, "frame"), known_of(record.measures, "measure")});
    arguments.set_model(record.gravity, record.begin_time, record.end_time);

    Replay replay;
    replay.object = describe(object);
    replay.call = record.call.name;
    if (record.call.name.starts_with("evaluate") && record.kind != TypeKind::force &&
        std::ranges::find(
            record.call.settings, "block", &std::pair<std::string, std::int64_t>::first) !=
            record.call.settings.end())
        replay.call += fmt::format(
            " of block {}{}",
            record.call.setting("block"),
            record.call.setting("of_tangents") != 0 ? " of its directions of sliding" : "");
    replay.failure = record.message;
    replay.inputs = record.call.inputs;
    replay.is_same_plugin = plugin.sha256 == record.sha256;
    replay.plugin_file = plugin.file;
    replay.recorded_file = record.plugin_file;

    MadeObject made;
    replay.thrown = thrown_by([&] {
        const CallScope scope(object, kFactory, nullptr);
        made = make_object(object, record.kind, arguments);
    });
    if (record.call.name != kFactory) {
        if (!replay.thrown.empty())
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: its factory threw {}, which it did not in the run",
                                    replay.object,
                                    replay.thrown),
                        record.place);
        replay.thrown = thrown_by([&] {
            const CallScope scope(object, record.call.name.c_str(), nullptr);
            replay.outputs = made.make(record.call);
        });
        replay.bad = bad_entries(replay.outputs);
    }
    replay.has_failed = !replay.thrown.empty() || !replay.bad.empty();
    return replay;
}

}  // namespace ancora
