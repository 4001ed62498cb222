// SPDX-License-Identifier: BSD-3-Clause
// From the tables of a manifest file to a Manifest.
#include "manifest_reader.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/printable.hpp"
#include "body_look.hpp"
#include "bound_arguments.hpp"
#include "expression_scope.hpp"
#include "schema_expressions.hpp"
#include "toml_writer.hpp"
#include "trusted_file.hpp"
#include "type_kind.hpp"
#include "usual_words.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

using namespace parameter;

constexpr Parameter kGravityKeys[] = {
    text("type", "of a central body, U = -mu m / |r - center|", "central").required(),
    number("mu", "m^3/s^2", "its gravitational parameter G M").positive().required(),
    vector("center", 3, "m", "where it is, inertial axes").otherwise("[0, 0, 0]"),
};

constexpr Parameter kModelKeys[] = {
    text("name", "title of the model").otherwise("\"model\""),
    vector("gravity",
           3,
           "m/s^2",
           "acceleration of gravity; or the gravity of a central body on all bodies, which "
           "is a force \"gravity\"")
        .or_table(kGravityKeys)
        .otherwise("[0, 0, 0]"),
    make("plugins", "", "names of plugins to load", Shape::texts).otherwise("[]"),
    make("plugin_dirs", "", "folders of plugins", Shape::texts).otherwise("[]"),
    parameter::boolean(
        "project_start",
        "move a start that initial_violations onto the constraints, by no more than a tenth of "
        "the model's size and 20 degrees; \"far\": by whatever it takes")
        .or_text("far")
        .otherwise("false"),
    text("start",
         "\"given\": as the bodies say; \"equilibrium\": at rest, in a position of equilibrium "
         "that is looked for from there; \"steady_spin\": at rest in the frame that turns with "
         "the spin that the bodies' velocities are",
         "given|equilibrium|steady_spin")
        .otherwise("\"given\""),
    text("impacts",
         "contacts and stops that meet at one instant meet \"together\", or \"in_turn\": the one "
         "that closes fastest alone, until none closes, as in a row of steel balls",
         "together|in_turn")
        .otherwise("\"together\""),
};

constexpr Parameter kIntegratorKeys[] = {
    text("type", "name of the integrator, one of those that `ancora plugins` lists").required(),
    number("step", "s", "length of a step").positive().required(),
    number("begin", "s", "time at which the run begins, for tables and formulas too")
        .otherwise("0.0"),
    number("end", "s", "end of the run").required(),
    number("tolerance", "", "see the integrator").positive(),
};

constexpr Parameter kOutputKeys[] = {
    number("every", "s", "time between rows").positive(),
    number("checkpoint", "s", "wall time between checkpoints, for --resume; 0: none")
        .nonnegative()
        .otherwise("30.0"),
    number("frames",
           "s",
           "time between frames of the scene, which fall on rows, for reports and ParaView; 0: "
           "none; without it as many as rows, up to about 1000 and 50 MB")
        .nonnegative(),
    parameter::boolean("states", "write t, q and v of each row to states.npy").otherwise("false"),
    make("points", "", "extra columns", Shape::texts).otherwise("[]"),
    make(
        "columns",
        "",
        "columns of bodies, constraints, forces and joints to record, such as \"elbow.*\" (* and ? "
        "stand for any characters, and for one); without it all of them",
        Shape::texts),
    text("forces",
         "forces of constraints to record: the reaction, or also its ideal and nonideal part",
         "reaction|all")
        .otherwise("\"reaction\""),
};

constexpr Parameter kObjectKeys[] = {
    text("name", "unique").required(),
    text("type", "name of the type, one of those that `ancora plugins` lists").required(),
};

// A table of the manifest with its place; an empty one at the file if it is not there.
struct Section {
    Table table;
    Place place;
};

Section take_section(Table& root, std::string_view name, const Place& whole) {
    Table::Entry* const entry = root.find(name);
    if (!entry) return {{}, whole};
    return {std::move(std::get<Table>(entry->value.data())), entry->value.place()};
}

Array take_array(Table& root, std::string_view name) {
    Table::Entry* const entry = root.find(name);
    return entry ? std::move(std::get<Array>(entry->value.data())) : Array{};
}

std::vector<PlacedText> placed_texts(const Table& table, std::string_view key) {
    std::vector<PlacedText> texts;
    if (const Table::Entry* const entry = table.find(key))
        for (const Value& value : *entry->value.as<Array>())
            texts.push_back({*value.as<std::string>(), value.place()});
    return texts;
}

// TOML gives keys below a header to that table.
void refuse_late_include(const std::string& owner, const Table& table) {
    const Table::Entry* const include = table.find("include");
    const Array* const files = include ? include->value.as<Array>() : nullptr;
    if (files != nullptr && !files->empty() && files->front().as<std::string>() &&
        files->front().as<std::string>()->ends_with(".toml"))
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: \"include\" belongs to the whole file; write it above the "
                                "first table",
                                owner),
                    include->place);
}

BoundArguments bind(const std::string& owner,
                    Section& section,
                    std::span<const Parameter> schema,
                    const ExpressionScope& scope) {
    refuse_late_include(owner, section.table);
    if (has_expressions(section.table, schema))
        compute_expressions(owner, section.table, schema, scope);
    return {owner, "", owner, section.table, section.place, schema};
}

// A model from anybody must not decide that his own code is to be trusted.
void refuse_trust(const Table& model) {
    const Table::Entry* const entry = model.find("unchecked_plugin_dirs");
    if (entry == nullptr) return;
    throw Error(ErrorKind::manifest,
                fmt::format("[model]: unchecked_plugin_dirs: a model cannot allow this for itself; "
                            "remove the key, and if you trust the folders, give the command the "
                            "option {} (in a program: PluginRegistry::allow_unchecked_folders)",
                            kUncheckedOption),
                entry->value.place());
}

/// The force that gravity = {type = "central", ...} stands for.
ObjectSpec gravity_force(const Arguments& gravity, const Place& place) {
    ObjectSpec force;
    force.kind = TypeKind::force;
    force.name = "gravity";
    force.type = fmt::format("{}_gravity", gravity.text("type"));
    force.has_interpolation = false;
    force.place = force.name_place = force.type_place = place;
    Array center;
    for (const double x : gravity.triple("center")) center.emplace_back(x, place);
    force.parameters.add({"mu", place, Value(gravity.number("mu"), place)});
    force.parameters.add({"center", place, Value(std::move(center), place)});
    force.parameters.add({"on", place, Value(std::string("*"), place)});
    return force;
}

/// @param forces  receives what stands for gravity, if it is not uniform
ModelSettings read_model(Section section,
                         const ExpressionScope& scope,
                         std::vector<ObjectSpec>& forces) {
    refuse_trust(section.table);
    const BoundArguments keys = bind("[model]", section, kModelKeys, scope);
    ModelSettings model;
    model.name = keys.text("name");
    if (keys.shape("gravity") == Shape::table)
        forces.push_back(gravity_force(keys.table("gravity"), keys.place_of("gravity")));
    else
        model.gravity = keys.triple("gravity");
    model.plugins = placed_texts(section.table, "plugins");
    model.plugin_dirs = placed_texts(section.table, "plugin_dirs");
    if (keys.shape("project_start") == Shape::text)
        model.project_start = ProjectStart::far;
    else if (keys.boolean("project_start"))
        model.project_start = ProjectStart::near;
    if (const Table::Entry* const entry = section.table.find("project_start"))
        model.project_start_place = entry->value.place();
    const std::string_view start = keys.text("start");
    if (start == "equilibrium") model.start = ModelStart::equilibrium;
    if (start == "steady_spin") model.start = ModelStart::steady_spin;
    if (const Table::Entry* const entry = section.table.find("start"))
        model.start_place = entry->value.place();
    model.has_impacts_in_turn = keys.text("impacts") == "in_turn";
    return model;
}

OutputSettings read_output(Section section, const ExpressionScope& scope) {
    const BoundArguments keys = bind("[output]", section, kOutputKeys, scope);
    OutputSettings output;
    if (keys.has("every")) output.every = keys.number("every");
    output.checkpoint = keys.number("checkpoint");
    output.points = placed_texts(section.table, "points");
    std::unordered_set<std::string_view> names;
    for (const PlacedText& point : output.points) {
        // Names of columns: history.csv is read line by line.
        if (escaped(point.text) != point.text)
            throw Error(ErrorKind::manifest,
                        fmt::format("[output]: points: {} holds a control character or a line "
                                    "break",
                                    in_quotes(point.text)),
                        point.place);
        if (!names.insert(point.text).second)
            throw Error(ErrorKind::manifest,
                        fmt::format("[output]: points: {} is there twice", in_quotes(point.text)),
                        point.place);
    }
    if (keys.has("columns")) output.columns = placed_texts(section.table, "columns");
    if (keys.has("frames")) output.frames = keys.number("frames");
    output.states = keys.boolean("states");
    output.all_forces = keys.text("forces") == "all";
    return output;
}

// A key that [integrator] does not know is most likely one of its type's.
void check_integrator_keys(const Table& common) {
    std::vector<std::string> names;
    for (const Parameter& p : kIntegratorKeys) names.emplace_back(p.name);
    for (const Table::Entry& entry : common.entries()) {
        const bool is_known = std::ranges::find(names, entry.key) != names.end();
        if (is_known || !nearest_name(entry.key, names).empty()) continue;
        const Table::Entry* const type = common.find("type");
        const std::string* const type_name = type ? type->value.as<std::string>() : nullptr;
        const bool is_plain = entry.value.as<Table>() == nullptr;
        throw Error(ErrorKind::manifest,
                    fmt::format("[integrator]: unknown key {}{}; keys of one type alone go into "
                                "[integrator.{}]{}",
                                in_quotes(entry.key),
                                hint(entry.key, names, "valid keys"),
                                type_name ? escaped(*type_name) : "TYPE",
                                is_plain ? fmt::format(": below it write {} = {}",
                                                       toml_key(entry.key),
                                                       printable(toml_value(entry.value)))
                                         : ""),
                    entry.place);
    }
}

IntegratorSettings read_integrator(const Section& section, const ExpressionScope& scope) {
    IntegratorSettings integrator;
    Section common{{}, section.place};
    for (const Table::Entry& entry : section.table.entries()) {
        const bool is_common = std::ranges::any_of(kIntegratorKeys, [&](const Parameter& p) {
            return entry.key == p.name;
        });
        const Table* const own = entry.value.as<Table>();
        if (own && !is_common) {
            integrator.own.emplace(entry.key, *own);
            integrator.own_places.emplace(entry.key, entry.value.place());
        } else {
            common.table.add(entry);
        }
    }
    refuse_late_include("[integrator]", common.table);
    check_integrator_keys(common.table);
    for (const auto& [type, own] : integrator.own)
        for (const Parameter& p : kIntegratorKeys)
            if (const Table::Entry* const entry = own.find(p.name);
                entry != nullptr && p.is_required && common.table.find(p.name) == nullptr)
                throw Error(ErrorKind::manifest,
                            fmt::format("[integrator]: \"{}\" stands below [integrator.{}], where "
                                        "it is one of that type's own keys; write it above that "
                                        "header",
                                        p.name,
                                        escaped(type)),
                            entry->place);

    const BoundArguments keys = bind("[integrator]", common, kIntegratorKeys, scope);
    integrator.type = keys.text("type");
    integrator.step = keys.number("step");
    integrator.begin = keys.number("begin");
    integrator.end = keys.number("end");
    if (keys.has("tolerance")) integrator.tolerance = keys.number("tolerance");
    integrator.place = section.place;
    integrator.type_place = keys.place_of("type");
    integrator.end_place = keys.place_of("end");
    integrator.step_place = keys.place_of("step");
    return integrator;
}

// Finds `naem = "box"` before it is passed on as a parameter and "name" is reported as missing.
void check_for_slips(const std::string& owner, const Table& table) {
    for (const char* const key : {"name", "type"}) {
        if (table.find(key)) continue;
        const std::vector<std::string> wanted{key};
        for (const Table::Entry& entry : table.entries())
            if (const std::string meant = did_you_mean(entry.key, wanted); !meant.empty())
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: unknown key {}{}", owner, in_quotes(entry.key), meant),
                            entry.place);
    }
}

void check_list(const Table::Entry& entry, std::string_view within = "");

// Of a table that was written as [[joint]]; no key that anybody would write.
constexpr std::string_view kJointMark = "\x01joint";

ObjectSpec read_object(TypeKind kind, Table table, const Place& place) {
    const bool is_joint = table.find(kJointMark) != nullptr;
    table.erase(kJointMark);
    const std::string heading = is_joint ? "joint" : to_text(kind);
    // what every object has, apart from what its type's schema will check
    Table common;
    for (const char* const key : {"name", "type"})
        if (const Table::Entry* const entry = table.find(key)) common.add(*entry);
    const Table::Entry* const name = common.find("name");
    const std::string* const name_text = name ? name->value.as<std::string>() : nullptr;
    const std::string owner = name_text ? fmt::format("{} {}", heading, in_quotes(*name_text))
                                        : fmt::format("[[{}]]", heading);
    check_for_slips(owner, table);
    refuse_late_include(owner, table);
    const BoundArguments keys(owner, "", "[[" + heading + "]]", common, place, kObjectKeys);

    ObjectSpec object;
    object.kind = kind;
    object.is_joint = is_joint;
    object.has_interpolation = false;
    object.name = keys.text("name");
    object.type = keys.text("type");
    object.place = place;
    object.name_place = keys.place_of("name");
    object.type_place = keys.place_of("type");
    table.erase("name");
    table.erase("type");
    if (Table::Entry* const frames = table.find("frame"); frames && kind == TypeKind::body) {
        check_list(*frames, "body.");
        object.frames = std::move(std::get<Array>(frames->value.data()));
        table.erase("frame");
    }
    if (const Table::Entry* const shape = table.find(kShapeKey);
        shape != nullptr && kind == TypeKind::body) {
        object.shape = shape->value;
        table.erase(kShapeKey);
    }
    object.parameters = std::move(table);
    return object;
}

std::vector<ObjectSpec> read_objects(ManifestTables& tables, TypeKind kind, Mistakes& mistakes) {
    std::vector<ObjectSpec> objects;
    Array tables_of_kind = take_array(tables.root, to_text(kind));
    std::vector<std::shared_ptr<const ExpressionScope>>& scopes =
        tables.generated[std::string(to_text(kind))];
    const std::size_t num_written = tables_of_kind.size() - scopes.size();
    for (std::size_t i = 0; i < tables_of_kind.size(); ++i)
        mistakes.gather([&] {
            Value& value = tables_of_kind[i];
            objects.push_back(
                read_object(kind, std::move(std::get<Table>(value.data())), value.place()));
            if (i >= num_written) objects.back().scope = std::move(scopes[i - num_written]);
        });
    return objects;
}

/// [[shape]] and [[frame]]: what belongs to the ground, with `body = "ground"` or without.
Array read_ground(Table& root, std::string_view heading, Mistakes& mistakes) {
    Array out;
    for (Value& value : take_array(root, heading))
        mistakes.gather([&] {
            Table& table = std::get<Table>(value.data());
            if (const Table::Entry* const body = table.find("body")) {
                const auto* const name = body->value.as<std::string>();
                if (name == nullptr || *name != "ground")
                    throw Error(ErrorKind::manifest,
                                fmt::format("[[{}]]: body: expected \"ground\", got {}; that of a "
                                            "body stands in it: {}",
                                            heading,
                                            in_words(body->value),
                                            heading == "shape" ? "shape = { ... }"
                                                               : "[[body.frame]] below the body"),
                                body->value.place());
                table.erase("body");
            }
            out.push_back(std::move(value));
        });
    return out;
}

// --- the outline

// `within`: "body." for a list in each body.
void check_list(const Table::Entry& entry, std::string_view within) {
    const Array* const array = entry.value.as<Array>();
    const std::string form =
        fmt::format("write [[{}{}]] above each {}", within, entry.key, entry.key);
    if (!array)
        throw Error(ErrorKind::manifest,
                    fmt::format("{} must be a list of tables, not {}; {}",
                                in_quotes(entry.key),
                                in_words(entry.value),
                                form),
                    entry.value.place());
    for (const Value& value : *array)
        if (!value.as<Table>())
            throw Error(ErrorKind::manifest,
                        fmt::format("{} must be a list of tables, but holds {}; {}",
                                    in_quotes(entry.key),
                                    in_words(value),
                                    form),
                        value.place());
}

void check_single(const Table::Entry& entry) {
    if (!entry.value.as<Table>())
        throw Error(ErrorKind::manifest,
                    fmt::format("{} must be one table, not {}; write [{}]",
                                in_quotes(entry.key),
                                in_words(entry.value),
                                entry.key),
                    entry.value.place());
}

[[noreturn]] void refuse_entry(const Table::Entry& entry) {
    const Array* const array = entry.value.as<Array>();
    const bool is_list = array && !array->empty() && array->front().as<Table>();
    const bool is_table = is_list || entry.value.as<Table>();
    const std::string meant = did_you_mean(entry.key, std::vector<std::string>{"include"});
    throw Error(ErrorKind::manifest,
                is_table ? unknown_table(entry.key)
                         : fmt::format("key {} stands outside every table{}",
                                       in_quotes(entry.key),
                                       meant.empty() ? "; write it below the header of its table, "
                                                       "such as [model]"
                                                     : meant),
                entry.place);
}

}  // namespace

std::span<const Parameter> model_keys() {
    return kModelKeys;
}
std::span<const Parameter> integrator_keys() {
    return kIntegratorKeys;
}
std::span<const Parameter> output_keys() {
    return kOutputKeys;
}
std::span<const Parameter> object_keys() {
    return kObjectKeys;
}

TableForm table_form(std::string_view name) {
    for (const char* const single : {"model", "integrator", "output", "parameters"})
        if (name == single) return TableForm::single;
    for (const char* const list :
         {"body", "constraint", "joint", "force", "generate", "shape", "frame"})
        if (name == list) return TableForm::list;
    return TableForm::unknown;
}

std::string_view list_of(std::string_view heading) {
    return heading == "joint" ? "constraint" : heading;
}

namespace {

/// Moves [[joint]] of a table to its [[constraint]], if both are lists of tables.
void name_joints_of(Table& table) {
    Table::Entry* const joint = table.find("joint");
    Array* const joints = joint ? std::get_if<Array>(&joint->value.data()) : nullptr;
    const auto are_tables = [](const Array& array) {
        return std::ranges::all_of(array, [](const Value& value) {
            return value.as<Table>() != nullptr;
        });
    };
    if (joints == nullptr || !are_tables(*joints)) return;
    Table::Entry* const constraint = table.find("constraint");
    Array* const constraints = constraint ? std::get_if<Array>(&constraint->value.data()) : nullptr;
    if (constraint != nullptr && (constraints == nullptr || !are_tables(*constraints))) return;
    for (Value& value : *joints)
        std::get<Table>(value.data()).add({std::string(kJointMark), value.place(), true});
    if (constraints == nullptr) {
        joint->key = "constraint";
        return;
    }
    Array both;
    both.reserve(joints->size() + constraints->size());
    std::ranges::merge(
        std::move(*constraints),
        std::move(*joints),
        std::back_inserter(both),
        {},
        [](const Value& value) {
            return std::pair(value.place().line, value.place().column);
        },
        [](const Value& value) {
            return std::pair(value.place().line, value.place().column);
        });
    *constraints = std::move(both);
    table.erase("joint");
}

}  // namespace

void name_joints(Table& root) {
    name_joints_of(root);
    Table::Entry* const generate = root.find("generate");
    if (generate == nullptr) return;
    for (Value& block : std::get<Array>(generate->value.data()))
        name_joints_of(std::get<Table>(block.data()));
}

/// Tables in braces that stand below a header belong to that, which knows none of them.
void check_place_of_tables(const Table::Entry& within) {
    const Table* const table = within.value.as<Table>();
    if (table == nullptr) return;
    for (const Table::Entry& entry : table->entries()) {
        const TableForm form = table_form(entry.key);
        const Array* const list = entry.value.as<Array>();
        const bool is_list = form == TableForm::list && list != nullptr && !list->empty() &&
                             list->front().as<Table>() != nullptr;
        const bool is_single = form == TableForm::single && entry.value.as<Table>() != nullptr;
        if (!is_list && !is_single) continue;
        throw Error(ErrorKind::manifest,
                    fmt::format("[{0}]: {1} stands below the header [{0}] and so in that table; "
                                "move it above all headers, or write {2}{1}{3} with a key in each "
                                "line",
                                within.key,
                                entry.key,
                                is_list ? "[[" : "[",
                                is_list ? "]]" : "]"),
                    entry.place);
    }
}

std::string unknown_table(std::string_view name) {
    const std::vector<std::string> names{"parameters",
                                         "model",
                                         "body",
                                         "joint",
                                         "constraint",
                                         "force",
                                         "shape",
                                         "frame",
                                         "generate",
                                         "integrator",
                                         "output"};
    const std::string_view usual = usual_word(name, names);
    if (usual.empty())
        return fmt::format(
            "unknown table {}{}", in_quotes(name), hint(name, names, "valid tables"));
    const bool is_single = table_form(usual) == TableForm::single;
    return fmt::format("unknown table {}; write {}{}{}{}",
                       in_quotes(name),
                       is_single ? "[" : "[[",
                       usual,
                       is_single ? "]" : "]]",
                       usual == "force" || usual == "joint" ? " with its \"type\"" : "");
}

void check_outline(Table& root, Mistakes& mistakes) {
    std::vector<std::string> wrong;
    for (const Table::Entry& entry : root.entries()) {
        if (entry.key == "include") continue;  // see join_includes()
        const bool is_right = mistakes.gather([&] {
            switch (table_form(entry.key)) {
                case TableForm::single:
                    check_single(entry);
                    check_place_of_tables(entry);
                    break;
                case TableForm::list:
                    check_list(entry);
                    break;
                case TableForm::unknown:
                    refuse_entry(entry);
            }
        });
        if (!is_right) wrong.push_back(entry.key);
    }
    for (const std::string& key : wrong) root.erase(key);
}

Manifest read_manifest(ManifestTables tables, const Place& whole, Mistakes& mistakes) {
    Table& root = tables.root;
    const ExpressionScope& scope = *tables.scope;
    Manifest manifest;
    manifest.scope = tables.scope;
    std::vector<ObjectSpec> gravity;
    mistakes.gather([&] {
        manifest.model = read_model(take_section(root, "model", whole), scope, gravity);
    });
    manifest.bodies = read_objects(tables, TypeKind::body, mistakes);
    manifest.constraints = read_objects(tables, TypeKind::constraint, mistakes);
    manifest.forces = read_objects(tables, TypeKind::force, mistakes);
    std::ranges::move(gravity, std::back_inserter(manifest.forces));
    manifest.scenery = read_ground(root, "shape", mistakes);
    manifest.ground_frames = read_ground(root, "frame", mistakes);
    // It may be missing because of a mistake that has been reported.
    const bool has_integrator = root.find("integrator") != nullptr;
    if (!has_integrator && mistakes.empty())
        throw Error(ErrorKind::manifest,
                    "missing table [integrator]; write one with the keys type, step and end",
                    whole);
    if (has_integrator)
        mistakes.gather([&] {
            manifest.integrator = read_integrator(take_section(root, "integrator", whole), scope);
        });
    mistakes.gather([&] {
        manifest.output = read_output(take_section(root, "output", whole), scope);
    });
    return manifest;
}

}  // namespace ancora
