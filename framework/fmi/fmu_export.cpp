// SPDX-License-Identifier: BSD-3-Clause
// Makes an FMU: description, model, files that it names, libraries.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ancora/framework/fmu.hpp"
#include "ancora/framework/manifest_text.hpp"
#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/simulation.hpp"
#include "ancora/framework/version.hpp"
#include "file_writer.hpp"
#include "fmu_variables.hpp"
#include "results.hpp"
#include "sha256.hpp"
#include "shared_objects.hpp"
#include "toml_writer.hpp"
#include "wording.hpp"
#include "xml_text.hpp"
#include "zip_archive.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;
using fmu::Variable;

constexpr const char* kAdapter = "ancora/fmi/ancora_fmu.so";
constexpr std::uint64_t kMostLibraryBytes = std::uint64_t{1} << 30;

std::string xml(std::string_view text) {
    return escaped_xml(text, ' ');
}

/// An identifier of C that the name leads to.
std::string identifier(const std::string& name) {
    std::string out;
    for (const char c : name) {
        const bool fits =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        out += fits ? c : '_';
    }
    if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "_");
    return out;
}

/// kg, m, s, A, rad of the units that columns and inputs have.
struct BaseUnit {
    int kg, m, s, A, rad;
};
const std::map<std::string, BaseUnit>& base_units() {
    static const std::map<std::string, BaseUnit> units = {
        {"s", {0, 0, 1, 0, 0}},         {"m", {0, 1, 0, 0, 0}},     {"m/s", {0, 1, -1, 0, 0}},
        {"m/s^2", {0, 1, -2, 0, 0}},    {"rad", {0, 0, 0, 0, 1}},   {"rad/s", {0, 0, -1, 0, 1}},
        {"kg", {1, 0, 0, 0, 0}},        {"N", {1, 1, -2, 0, 0}},    {"N m", {1, 2, -2, 0, 0}},
        {"J", {1, 2, -2, 0, 0}},        {"W", {1, 2, -3, 0, 0}},    {"Pa", {1, -1, -2, 0, 0}},
        {"V", {1, 2, -3, -1, 0}},       {"A", {0, 0, 0, 1, 0}},     {"kg m/s", {1, 1, -1, 0, 0}},
        {"kg m^2/s", {1, 2, -1, 0, 0}}, {"ohm", {1, 2, -3, -2, 0}}, {"m^3", {0, 3, 0, 0, 0}},
        {"m^3/s", {0, 3, -1, 0, 0}},
    };
    return units;
}

std::string unit_xml(const std::string& unit) {
    const auto found = base_units().find(unit);
    if (found == base_units().end()) return fmt::format("    <Unit name=\"{}\"/>\n", xml(unit));
    const BaseUnit& base = found->second;
    std::string text = fmt::format("    <Unit name=\"{}\"><BaseUnit", xml(unit));
    const std::pair<const char*, int> exponents[] = {
        {"kg", base.kg}, {"m", base.m}, {"s", base.s}, {"A", base.A}, {"rad", base.rad}};
    for (const auto& [name, exponent] : exponents)
        if (exponent != 0) text += fmt::format(" {}=\"{}\"", name, exponent);
    return text + "/></Unit>\n";
}

/// The value that the model has for a key as after --set.
const Value* value_of(const Manifest& manifest, const std::string& key) {
    const std::size_t first = key.find('.');
    if (first == std::string::npos) return nullptr;
    const std::string kind = key.substr(0, first);
    const std::string rest = key.substr(first + 1);
    const std::vector<ObjectSpec>* list = kind == "body" ? &manifest.bodies
                                          : kind == "constraint" || kind == "joint"
                                              ? &manifest.constraints
                                          : kind == "force" ? &manifest.forces
                                                            : nullptr;
    const std::size_t dot = rest.find('.');
    if (list == nullptr || dot == std::string::npos) return nullptr;
    const std::string name = rest.substr(0, dot), parameter = rest.substr(dot + 1);
    for (const ObjectSpec& object : *list)
        if (object.name == name)
            if (const Table::Entry* const entry = object.parameters.find(parameter))
                return &entry->value;
    return nullptr;
}

Variable parameter_of(const Manifest& plain, const std::string& key) {
    Variable variable;
    variable.kind = Variable::Kind::parameter;
    variable.name = variable.of = key;
    if (key == "integrator.step" || key == "integrator.tolerance") {
        variable.start = key == "integrator.step" ? plain.integrator.step
                                                  : plain.integrator.tolerance.value_or(0.0);
        variable.unit = key == "integrator.step" ? "s" : "";
        return variable;
    }
    const Value* const value = value_of(plain, key);
    if (value == nullptr)
        throw Error(
            ErrorKind::usage,
            fmt::format("--param: the model has no value of {}; write it into the model, and name "
                        "KIND.NAME.KEY as for --set",
                        in_quotes(key)));
    if (const auto* const number = value->as<double>()) {
        variable.start = *number;
    } else if (const auto* const whole = value->as<std::int64_t>()) {
        variable.start = static_cast<double>(*whole);
    } else if (const auto* const truth = value->as<bool>()) {
        variable.type = Variable::Type::boolean;
        variable.start = *truth ? 1.0 : 0.0;
    } else if (const auto* const text = value->as<std::string>()) {
        variable.type = Variable::Type::text;
        variable.text = *text;
    } else {
        throw Error(
            ErrorKind::usage,
            fmt::format("--param: {} is {}; a parameter of an FMU is a number, a truth value or "
                        "a text",
                        in_quotes(key),
                        in_words(*value)));
    }
    if (variable.type == Variable::Type::real && !std::isfinite(variable.start))
        throw Error(
            ErrorKind::usage,
            fmt::format("--param: {} is not finite, which no importer can read", in_quotes(key)));
    return variable;
}

void add_input(const Simulation& simulation, const std::string& text, std::vector<Variable>& to) {
    // An attachment may hold no '='.
    const std::size_t equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    double start = 0.0;
    if (equals != std::string::npos) {
        const Value value = parse_value(text.substr(equals + 1));
        const auto* const number = value.as<double>();
        const auto* const whole = value.as<std::int64_t>();
        start = number != nullptr ? *number : whole != nullptr ? static_cast<double>(*whole) : NAN;
        if (!std::isfinite(start))
            throw Error(ErrorKind::usage,
                        fmt::format("--in {}: the start is no number", in_quotes(text)));
    }
    if (name.find('@') != std::string::npos) {
        simulation.point(name);  // throws if there is no such attachment
        for (int c = 0; c < 3; ++c)
            to.push_back({Variable::Kind::force,
                          Variable::Type::real,
                          fmt::format("{}.force.{}", name, "xyz"[c]),
                          name,
                          c,
                          "N",
                          0.0,
                          {}});
        return;
    }
    std::vector<std::string> names;
    for (const Simulation::Input& input : simulation.inputs()) {
        names.push_back(input.name);
        if (input.name != name) continue;
        to.push_back(
            {Variable::Kind::input, Variable::Type::real, name, name, 0, input.unit, start, {}});
        return;
    }
    throw Error(ErrorKind::usage,
                fmt::format("--in: there is no input {}{}",
                            in_quotes(name),
                            names.empty()
                                ? "; no object of the model has inputs. A point that is pushed is "
                                  "an input, too: \"bar@[0.5, 0, 0]\""
                                : did_you_mean(name, names)));
}

void add_output(const Simulation& simulation, const std::string& name, std::vector<Variable>& to) {
    simulation.find_column(name);  // throws if there is none
    std::string unit = unit_of_column(name);
    for (const auto& [column, own] : simulation.column_units())
        if (column == name) unit = own;
    to.push_back({Variable::Kind::output, Variable::Type::real, name, name, 0, unit, 0.0, {}});
}

std::string description_xml(const std::string& model_name,
                            const fmu::Description& description,
                            double end) {
    std::set<std::string> units = {"s"};
    for (const Variable& variable : description.variables)
        if (!variable.unit.empty()) units.insert(variable.unit);
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"{}\" guid=\"{}\"\n"
        "    generationTool=\"Ancora {}\" variableNamingConvention=\"flat\" "
        "numberOfEventIndicators=\"0\">\n"
        "  <CoSimulation modelIdentifier=\"{}\" canHandleVariableCommunicationStepSize=\"true\"\n"
        "      canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\"\n"
        "      canSerializeFMUstate=\"true\"/>\n",
        xml(model_name),
        description.token,
        version(),
        identifier(model_name));
    text += "  <UnitDefinitions>\n";
    for (const std::string& unit : units) text += unit_xml(unit);
    text +=
        "  </UnitDefinitions>\n  <LogCategories>\n    <Category name=\"logStatusError\"/>\n"
        "    <Category name=\"logStatusWarning\"/>\n  </LogCategories>\n";
    text += fmt::format(
        "  <DefaultExperiment startTime=\"0\" stopTime=\"{}\" stepSize=\"{}\"/>\n  "
        "<ModelVariables>\n",
        end,
        description.step);
    std::string outputs;
    for (std::size_t i = 0; i < description.variables.size(); ++i) {
        const Variable& variable = description.variables[i];
        const bool is_output = variable.kind == Variable::Kind::output;
        const char* const causality = variable.kind == Variable::Kind::parameter ? "parameter"
                                      : is_output                                ? "output"
                                                                                 : "input";
        const char* const variability =
            variable.kind == Variable::Kind::parameter ? "fixed" : "continuous";
        const std::string unit =
            variable.unit.empty() ? "" : fmt::format(" unit=\"{}\"", xml(variable.unit));
        std::string type;
        if (is_output)
            type = fmt::format("<Real{}/>", unit);
        else if (variable.type == Variable::Type::real)
            type = fmt::format("<Real{} start=\"{}\"/>", unit, variable.start);
        else if (variable.type == Variable::Type::boolean)
            type = fmt::format("<Boolean start=\"{}\"/>", variable.start != 0.0 ? "true" : "false");
        else
            type = fmt::format("<String start=\"{}\"/>", xml(variable.text));
        text += fmt::format(
            "    <ScalarVariable name=\"{}\" valueReference=\"{}\" causality=\"{}\" "
            "variability=\"{}\"{}>{}</ScalarVariable>\n",
            xml(variable.name),
            i,
            causality,
            variable.type == Variable::Type::real ? variability : "fixed",
            is_output                                    ? " initial=\"calculated\""
            : variable.kind == Variable::Kind::parameter ? " initial=\"exact\""
                                                         : "",
            type);
        if (is_output) outputs += fmt::format("      <Unknown index=\"{}\"/>\n", i + 1);
    }
    text += fmt::format(
        "    <ScalarVariable name=\"time\" valueReference=\"{}\" causality=\"independent\" "
        "variability=\"continuous\"><Real unit=\"s\"/></ScalarVariable>\n  </ModelVariables>\n  "
        "<ModelStructure>\n",
        description.variables.size());
    if (!outputs.empty())
        text += "    <Outputs>\n" + outputs + "    </Outputs>\n    <InitialUnknowns>\n" + outputs +
                "    </InitialUnknowns>\n";
    return text + "  </ModelStructure>\n</fmiModelDescription>\n";
}

/// The description by FMI 3.0, in which the time is a variable.
std::string description_xml_3(const std::string& model_name,
                              const fmu::Description& description,
                              double end) {
    std::set<std::string> units = {"s"};
    for (const Variable& variable : description.variables)
        if (!variable.unit.empty()) units.insert(variable.unit);
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"{}\" instantiationToken=\"{}\"\n"
        "    generationTool=\"Ancora {}\" variableNamingConvention=\"flat\">\n"
        "  <CoSimulation modelIdentifier=\"{}\" canHandleVariableCommunicationStepSize=\"true\"\n"
        "      canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
        "fixedInternalStepSize=\"{}\"/>\n  <UnitDefinitions>\n",
        xml(model_name),
        description.token,
        version(),
        identifier(model_name),
        description.step);
    for (const std::string& unit : units) text += unit_xml(unit);
    text += fmt::format(
        "  </UnitDefinitions>\n  <LogCategories>\n    <Category name=\"logStatusError\"/>\n"
        "    <Category name=\"logStatusWarning\"/>\n  </LogCategories>\n"
        "  <DefaultExperiment startTime=\"0\" stopTime=\"{}\" stepSize=\"{}\"/>\n  "
        "<ModelVariables>\n",
        end,
        description.step);
    std::string structure;
    for (std::size_t i = 0; i < description.variables.size(); ++i) {
        const Variable& variable = description.variables[i];
        const bool is_output = variable.kind == Variable::Kind::output;
        const std::string head =
            fmt::format("name=\"{}\" valueReference=\"{}\" causality=\"{}\" variability=\"{}\"",
                        xml(variable.name),
                        i,
                        variable.kind == Variable::Kind::parameter ? "parameter"
                        : is_output                                ? "output"
                                                                   : "input",
                        variable.kind == Variable::Kind::parameter ? "fixed" : "continuous");
        const std::string unit =
            variable.unit.empty() ? "" : fmt::format(" unit=\"{}\"", xml(variable.unit));
        if (is_output) {
            text += fmt::format("    <Float64 {} initial=\"calculated\"{}/>\n", head, unit);
            structure += fmt::format("    <Output valueReference=\"{}\"/>\n", i);
        } else if (variable.type == Variable::Type::real) {
            text += fmt::format("    <Float64 {}{} start=\"{}\"/>\n", head, unit, variable.start);
        } else if (variable.type == Variable::Type::boolean) {
            text += fmt::format(
                "    <Boolean {} start=\"{}\"/>\n", head, variable.start != 0.0 ? "true" : "false");
        } else {
            text += fmt::format(
                "    <String {}><Start value=\"{}\"/></String>\n", head, xml(variable.text));
        }
    }
    text += fmt::format(
        "    <Float64 name=\"time\" valueReference=\"{}\" causality=\"independent\" "
        "variability=\"continuous\" unit=\"s\"/>\n",
        description.variables.size());
    std::string unknowns = structure;
    for (std::size_t at = 0; (at = unknowns.find("<Output ", at)) != std::string::npos;)
        unknowns.replace(at, 8, "<InitialUnknown ");
    return text + "  </ModelVariables>\n  <ModelStructure>\n" + structure + unknowns +
           "  </ModelStructure>\n</fmiModelDescription>\n";
}

std::string variables_text(const fmu::Description& description) {
    std::string text = fmt::format("ancora fmu 1\n{}\n{}\n", description.token, description.step);
    for (const Variable& variable : description.variables)
        text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                            static_cast<int>(variable.kind),
                            static_cast<int>(variable.type),
                            fmu::escaped_cell(variable.name),
                            fmu::escaped_cell(variable.of),
                            variable.component,
                            variable.start,
                            fmu::escaped_cell(variable.text));
    return text;
}

/// 8-4-4-4-12 digits of a hash, in braces as others write it.
std::string token_of(const std::string& hash) {
    return fmt::format("{{{}-{}-{}-{}-{}}}",
                       hash.substr(0, 8),
                       hash.substr(8, 4),
                       hash.substr(12, 4),
                       hash.substr(16, 4),
                       hash.substr(20, 12));
}

/// The adapter, the kernel, plugins, and what these need, by their names in the folder of binaries.
std::map<std::string, std::string> libraries(const Simulation& simulation,
                                             const std::string& model_identifier) {
    const fs::path kernel = kernel_file();
    const fs::path adapter = kernel.parent_path() / kAdapter;
    std::error_code error;
    if (kernel.empty() || !fs::is_regular_file(adapter, error))
        throw Error(
            ErrorKind::file,
            fmt::format("the library that stands in an FMU is missing: \"{}\"; the kernel "
                        "that runs must be the shared library of an installation or a build",
                        adapter.string()));
    const auto bytes = [](const fs::path& file) {
        return read_text_file(file, "the library", "", kMostLibraryBytes);
    };
    std::map<std::string, std::string> out;
    out.emplace(model_identifier + ".so", bytes(adapter));
    for (const UsedPlugin& used : simulation.used_plugins())
        if (used.plugin->sha256.empty())
            throw Error(ErrorKind::plugin,
                        fmt::format("plugin \"{}\" ({}) has no file that an FMU could bring along",
                                    used.plugin->name,
                                    used.plugin->file.string()));
    for (const UsedPlugin& used : simulation.used_plugins())
        out.emplace(fmt::format("ancora/plugins/{}.so", used.plugin->name),
                    bytes(used.plugin->file));
    const std::map<std::string, fs::path> loaded = loaded_libraries();
    std::vector<std::string> open;
    for (const auto& [name, text] : out)
        for (std::string& needed : needed_by(text)) open.push_back(std::move(needed));
    while (!open.empty()) {
        const std::string name = std::move(open.back());
        open.pop_back();
        if (is_of_system(name) || out.contains(name)) continue;
        const auto found = loaded.find(name);
        const fs::path file = name.starts_with("libancora_framework.so") ? kernel
                              : found != loaded.end()                    ? found->second
                                                                         : fs::path();
        if (file.empty())
            throw Error(
                ErrorKind::file,
                fmt::format("the library \"{}\" is needed in the FMU and is not loaded here",
                            name));
        std::string text = bytes(file);
        for (std::string& needed : needed_by(text)) open.push_back(std::move(needed));
        out.emplace(name, std::move(text));
    }
    return out;
}

}  // namespace

void write_fmu(const Manifest& manifest,
               PluginRegistry& registry,
               const fs::path& file,
               const FmuOptions& options) {
    if (options.version != 2 && options.version != 3)
        throw Error(
            ErrorKind::usage,
            fmt::format("there are FMUs by FMI 2.0 and 3.0, and none by {}", options.version));
    require_replaceable(file, "PK\x03\x04", "an FMU");
    const Simulation simulation(manifest, registry);
    if (simulation.is_adaptive())
        throw Error(ErrorKind::manifest,
                    fmt::format("the integrator \"{}\" chooses its steps, and meets no times of an "
                                "importer; an FMU needs one with fixed steps",
                                manifest.integrator.type),
                    manifest.integrator.type_place);

    Manifest inside = manifest;
    inside.model.plugin_dirs.clear();
    std::string model = expanded_text(inside, registry);
    ZipArchive archive;
    std::vector<std::pair<std::string, std::string>> files;
    for (const InputFile& input : simulation.input_files()) {
        const std::string name =
            fmt::format("files/{}-{}", files.size(), input.path.filename().string());
        const std::string there = toml_text(input.path.string());
        for (std::size_t at = model.find(there); at != std::string::npos;
             at = model.find(there, at)) {
            model.replace(at, there.size(), toml_text(name));
            at += name.size();
        }
        files.emplace_back(
            name, read_text_file(input.path, "a file of the model", "", kMostLibraryBytes));
    }

    fmu::Description description;
    description.step = simulation.step_size();
    const Manifest plain = Manifest::parse(model, "model.toml");
    for (const std::string& key : options.parameters)
        description.variables.push_back(parameter_of(plain, key));
    for (const std::string& name : options.inputs)
        add_input(simulation, name, description.variables);
    for (const std::string& name : options.outputs)
        add_output(simulation, name, description.variables);
    std::set<std::string> names;
    for (const Variable& variable : description.variables)
        if (!names.insert(variable.name).second)
            throw Error(ErrorKind::usage,
                        fmt::format("{} is named twice", in_quotes(variable.name)));

    const std::string name = identifier(simulation.name());
    const auto inner = libraries(simulation, name);
    Sha256 hash;
    const std::string variables = variables_text(description);
    hash.add(model.data(), model.size());
    hash.add(variables.data(), variables.size());
    for (const auto& [library, text] : inner) hash.add(text.data(), text.size());
    description.token = token_of(hash.text());

    archive.add("modelDescription.xml",
                options.version == 3
                    ? description_xml_3(simulation.name(), description, simulation.end_time())
                    : description_xml(simulation.name(), description, simulation.end_time()));
    archive.add("resources/model.toml", model);
    archive.add("resources/variables.txt", variables_text(description));
    for (const auto& [path, text] : files) archive.add("resources/" + path, text);
#if defined(__x86_64__)
    const std::string binaries =
        options.version == 3 ? "binaries/x86_64-linux/" : "binaries/linux64/";
#else
    const std::string binaries = "binaries/aarch64-linux/";
#endif
    for (const auto& [library, text] : inner) archive.add(binaries + library, text, true);
    replace_file(file, archive.finish(), "PK\x03\x04", "an FMU");
}

}  // namespace ancora
