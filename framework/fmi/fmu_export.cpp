// SPDX-License-Identifier: BSD-3-Clause
// Makes an FMU: description, model, files that it names, libraries.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "ancora/framework/continuous_model.hpp"
#include "ancora/framework/event_steps.hpp"
#include "ancora/framework/fmu.hpp"
#include "ancora/framework/manifest_text.hpp"
#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/simulation.hpp"
#include "file_writer.hpp"
#include "fmu_description.hpp"
#include "fmu_licenses.hpp"
#include "fmu_variables.hpp"
#include "manifest_values.hpp"
#include "results.hpp"
#include "sha256.hpp"
#include "shared_objects.hpp"
#include "toml_writer.hpp"
#include "wording.hpp"
#include "zip_archive.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;
using fmu::Variable;

constexpr const char* kAdapter = "ancora/fmi/ancora_fmu.so";
constexpr const char* kLicenses = "ancora/fmi/licenses";
constexpr std::uint64_t kMostLibraryBytes = std::uint64_t{1} << 30;

/// Adds a parameter, or three for a vector.
void add_parameter(const Manifest& plain,
                   PluginRegistry& registry,
                   const std::string& key,
                   std::vector<Variable>& to) {
    Variable variable;
    variable.kind = Variable::Kind::parameter;
    variable.name = variable.of = key;
    const std::optional<Value> value = value_of(plain, key);
    if (!value)
        throw Error(
            ErrorKind::usage,
            fmt::format("--param: the model has no value of {}; write it into the model, and name "
                        "KIND.NAME.KEY as for --set, or model.gravity, integrator.step, "
                        "integrator.tolerance",
                        in_quotes(key)));
    std::vector<double> numbers;
    if (const auto number = number_in(*value)) {
        numbers.push_back(*number);
    } else if (const auto* const truth = value->as<bool>()) {
        variable.type = Variable::Type::boolean;
        numbers.push_back(*truth ? 1.0 : 0.0);
    } else if (const auto* const text = value->as<std::string>()) {
        variable.type = Variable::Type::text;
        variable.text = *text;
        numbers.push_back(0.0);
    } else if (const auto* const array = value->as<Array>();
               array != nullptr && array->size() == 3) {
        for (const Value& entry : *array)
            if (const auto component = number_in(entry)) numbers.push_back(*component);
        if (numbers.size() != 3) numbers.clear();
    }
    if (numbers.empty())
        throw Error(
            ErrorKind::usage,
            fmt::format("--param: {} is {}; a parameter of an FMU is a number, three numbers, a "
                        "truth value or a text",
                        in_quotes(key),
                        in_words(*value)));
    for (const double x : numbers)
        if (!std::isfinite(x))
            throw Error(ErrorKind::usage,
                        fmt::format("--param: {} is not finite, which no importer can read",
                                    in_quotes(key)));
    fmu::describe_key(variable, plain, registry);
    if (key == "integrator.step") {
        variable.unit = "s";
        variable.doc = "step of the model; communication steps are whole numbers of it";
    } else if (key == "integrator.tolerance") {
        variable.doc = "tolerance of the integrator";
    } else if (key == "model.gravity") {
        variable.unit = "m/s^2";
        variable.doc = "acceleration of gravity, inertial axes";
    }
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        variable.component = static_cast<int>(k);
        variable.start = numbers[k];
        if (numbers.size() == 3) variable.name = fmt::format("{}.{}", key, "xyz"[k]);
        to.push_back(variable);
    }
}

void add_input(const Simulation& simulation,
               const Manifest& plain,
               PluginRegistry& registry,
               const std::string& text,
               std::vector<Variable>& to) {
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
                          {},
                          "force on the point, inertial axes"});
        return;
    }
    std::vector<std::string> names;
    for (const Simulation::Input& input : simulation.inputs()) {
        names.push_back(input.name);
        if (input.name != name) continue;
        Variable& added = to.emplace_back(Variable{
            Variable::Kind::input, Variable::Type::real, name, name, 0, input.unit, start, {}, {}});
        fmu::describe_key(added, plain, registry);
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

void add_output(const Simulation& simulation,
                const Manifest& plain,
                const std::string& name,
                std::vector<Variable>& to) {
    simulation.find_column(name);  // throws if there is none
    std::string unit = unit_of_column(name);
    for (const auto& [column, own] : simulation.column_units())
        if (column == name) unit = own;
    to.push_back({Variable::Kind::output,
                  Variable::Type::real,
                  name,
                  name,
                  0,
                  unit,
                  0.0,
                  {},
                  fmu::doc_of_column(name, plain)});
}

std::string variables_text(const fmu::Description& description) {
    std::string text = fmt::format("ancora fmu 3\n{}\n{}\n{}\t{}\t{}\t{}\t{}\n",
                                   description.token,
                                   description.step,
                                   description.num_states(),
                                   description.exchange.num_events,
                                   description.exchange.has_works ? 1 : 0,
                                   description.is_for_steps ? 1 : 0,
                                   description.clocks.size());
    for (const Variable& variable : description.variables)
        text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                            static_cast<int>(variable.kind),
                            static_cast<int>(variable.type),
                            fmu::escaped_cell(variable.name),
                            fmu::escaped_cell(variable.of),
                            variable.component,
                            variable.start,
                            fmu::escaped_cell(variable.text));
    for (const fmu::Clock& clock : description.clocks)
        text += fmt::format("{}\t{}\n", fmu::escaped_cell(clock.name), fmu::escaped_cell(clock.of));
    return text;
}

/// A clock for each object that takes samples, and the outputs that change at these alone.
void add_clocks(Simulation& simulation, fmu::Description& to) {
    std::set<std::string> names;
    for (const Variable& variable : to.variables) names.insert(variable.name);
    const EventSteps steps(simulation);
    for (const EventSteps::Sampler& sampler : steps.samplers()) {
        for (Variable& variable : to.variables)
            if (variable.kind == Variable::Kind::output &&
                std::ranges::count(sampler.columns, variable.of) > 0)
                variable.clock = static_cast<int>(to.clocks.size());
        std::string name = sampler.name + ".clock";
        while (!names.insert(name).second) name += '_';
        to.clocks.push_back({name,
                             sampler.name,
                             fmt::format("samples of {}, every {:.9g} s from {:.9g} s behind the "
                                         "start on",
                                         sampler.name,
                                         sampler.period,
                                         sampler.first - simulation.begin_time())});
    }
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

const std::string* find_file(const std::vector<ArchivedFile>& files, std::string_view name) {
    const auto found = std::ranges::find(files, name, &ArchivedFile::name);
    return found == files.end() ? nullptr : &found->bytes;
}

/// Binaries of another platform, from an FMU that differs from this one in these and in the token,
/// which is a hash of them.
class OtherBinaries {
public:
    /// @param common  what every FMU of the model has, by the name inside
    OtherBinaries(std::map<std::string, std::string> common, std::string token, std::string own)
        : common_(std::move(common)), token_(std::move(token)), folders_{std::move(own)} {}

    void add_from(const fs::path& file, ZipArchive& to) {
        std::vector<ArchivedFile> files;
        try {
            files = read_archive(read_text_file(file, "the FMU", "", kMostArchiveBytes));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::file || error.place().known()) throw;
            throw Error(ErrorKind::file, fmt::format("\"{}\" {}", file.string(), error.message()));
        }
        require_same(files, file);
        std::set<std::string> found;
        for (const ArchivedFile& one : files) {
            if (!one.name.starts_with(kBinaries)) continue;
            const std::size_t end = one.name.find('/', kBinaries.size());
            if (end == std::string::npos) continue;
            const std::string folder = one.name.substr(0, end + 1);
            if (folders_.contains(folder))
                throw Error(
                    ErrorKind::usage,
                    fmt::format(
                        "\"{}\" has binaries of {} as well, which are there already; "
                        "take an FMU from another platform",
                        file.string(),
                        folder.substr(kBinaries.size(), folder.size() - kBinaries.size() - 1)));
            found.insert(folder);
            to.add(one.name, one.bytes, true);
        }
        folders_.merge(found);
    }

private:
    static constexpr std::string_view kBinaries = "binaries/";
    static constexpr std::size_t kMostArchiveBytes = std::size_t{1} << 32;

    void require_same(const std::vector<ArchivedFile>& files, const fs::path& file) const {
        const std::string* const variables = find_file(files, "resources/variables.txt");
        const std::size_t begin = variables == nullptr ? 0 : variables->find('\n') + 1;
        const std::string token =
            variables == nullptr ? ""
                                 : variables->substr(begin, variables->find('\n', begin) - begin);
        for (const auto& [name, text] : common_) {
            const std::string* const found = find_file(files, name);
            std::string other = found == nullptr ? "" : *found;
            if (const std::size_t at = token.empty() ? std::string::npos : other.find(token);
                at != std::string::npos)
                other.replace(at, token.size(), token_);
            if (found == nullptr || other != text)
                throw Error(
                    ErrorKind::usage,
                    fmt::format("\"{}\" is of another model, or made with other options: its "
                                "{} is not that of this one; make both from the same file, "
                                "with the same options and version of Ancora",
                                file.string(),
                                name));
        }
    }

    std::map<std::string, std::string> common_;
    std::string token_;
    std::set<std::string> folders_;
};

/// Columns of works, or of balances that they are in.
bool is_of_works(const std::string& column) {
    return column.starts_with("work.") || column.ends_with(".work") ||
           column.find("balance") != std::string::npos;
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
    if (!options.for_cosimulation && !options.for_model_exchange)
        throw Error(ErrorKind::usage, "an FMU is for co-simulation, for model exchange, or both");
    std::optional<Simulation> exchange;
    if (options.for_model_exchange) try {
            Manifest outer = manifest;
            outer.integrator.is_outer = true;
            exchange.emplace(outer, registry);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::numerical) throw;
            throw Error(error.kind(),
                        "for model exchange, where the model has to give its accelerations: " +
                            error.message(),
                        error.place());
        }
    std::optional<Simulation> steps;
    if (options.for_cosimulation) steps.emplace(manifest, registry);
    const Simulation& simulation = steps ? *steps : *exchange;
    if (options.for_cosimulation && simulation.is_adaptive())
        throw Error(
            ErrorKind::manifest,
            fmt::format("the integrator \"{}\" chooses its steps, and meets no times of an "
                        "importer; an FMU for co-simulation needs one with fixed steps; for model "
                        "exchange (--type me) the importer integrates",
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
        add_parameter(plain, registry, key, description.variables);
    for (const std::string& name : options.inputs)
        add_input(simulation, plain, registry, name, description.variables);
    for (const std::string& name : options.outputs)
        add_output(simulation, plain, name, description.variables);
    std::set<std::string> names;
    for (const Variable& variable : description.variables)
        if (!names.insert(variable.name).second)
            throw Error(ErrorKind::usage,
                        fmt::format("{} is named twice", in_quotes(variable.name)));

    description.is_for_steps = options.for_cosimulation;
    if (exchange) {
        description.exchange.has_works = std::ranges::any_of(options.outputs, is_of_works);
        const ContinuousModel model_exchange(*exchange, description.exchange.has_works);
        description.exchange.states = model_exchange.state_names();
        description.exchange.num_events = model_exchange.num_events();
        if (description.exchange.states.empty())
            throw Error(ErrorKind::manifest,
                        "nothing moves in the model, so that it has no states");
    }

    if (options.version == 3) add_clocks(steps ? *steps : *exchange, description);

    const std::string name = fmu::identifier(simulation.name());
    const auto inner = libraries(simulation, name);
    Sha256 hash;
    const std::string variables = variables_text(description);
    hash.add(model.data(), model.size());
    hash.add(variables.data(), variables.size());
    for (const auto& [library, text] : inner) hash.add(text.data(), text.size());
    description.token = token_of(hash.text());

    std::map<std::string, std::string> common{
        {"modelDescription.xml",
         fmu::description_xml(options.version,
                              simulation.name(),
                              description,
                              simulation.begin_time(),
                              simulation.end_time())},
        {"resources/model.toml", model},
        {"resources/variables.txt", variables_text(description)}};
    for (const auto& [path, text] : files) common.emplace("resources/" + path, text);
    archive.add("modelDescription.xml", common.at("modelDescription.xml"));
    std::vector<std::string> others;
    for (const auto& [library, text] : inner)
        if (library.starts_with("lib") && !library.starts_with("libancora"))
            others.push_back(library);
    for (const auto& [file_name, text] :
         fmu::license_files(kernel_file().parent_path() / kLicenses, others))
        archive.add("documentation/licenses/" + file_name, text);
    archive.add("resources/model.toml", model);
    archive.add("resources/variables.txt", common.at("resources/variables.txt"));
    for (const auto& [path, text] : files) archive.add("resources/" + path, text);
#if defined(__x86_64__)
    const std::string binaries =
        options.version == 3 ? "binaries/x86_64-linux/" : "binaries/linux64/";
#else
    const std::string binaries = "binaries/aarch64-linux/";
#endif
    for (const auto& [library, text] : inner) archive.add(binaries + library, text, true);
    OtherBinaries others_binaries(std::move(common), description.token, binaries);
    for (const fs::path& other : options.others) others_binaries.add_from(other, archive);
    replace_file(file, archive.finish(), "PK\x03\x04", "an FMU");
}

}  // namespace ancora
