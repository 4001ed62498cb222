// SPDX-License-Identifier: BSD-3-Clause
// `ancora verify`: the conformance kit on one plugin, as a table or as JSON.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "commands.hpp"
#include "table.hpp"
#include "verify/kit.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;
using verify::Status;

std::filesystem::path kit_folder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / ANCORA_VERIFY_FROM_BIN;
}

/// The kit's library, opened once and never closed.
const verify::Kit& kit() {
    static const verify::Kit* const opened = [] {
        const std::filesystem::path file = kit_folder() / "kit.so";
        void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        const void* const symbol =
            library != nullptr ? dlsym(library, verify::kKitSymbol) : nullptr;
        if (symbol == nullptr)
            throw Error(
                ErrorKind::file,
                fmt::format("the conformance kit cannot be opened: {}; a tree that was built "
                            "in part has it by `cmake --build build/release`",
                            dlerror()));
        return static_cast<const verify::Kit*>(symbol);
    }();
    return *opened;
}

std::string kinds_text(unsigned kinds) {
    if (kinds == verify::kEvery) return "all";
    std::string text;
    for (const TypeKind kind :
         {TypeKind::body, TypeKind::constraint, TypeKind::force, TypeKind::integrator})
        if ((kinds & verify::bit(kind)) != 0)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", to_text(kind));
    return text;
}

std::string list_text(bool markdown) {
    TextTable table;
    std::string text = "| check | types | what it asks |\n| --- | --- | --- |\n";
    const auto add = [&](const std::string& name, const std::string& kinds, const char* doc) {
        table.add({name, kinds, doc});
        text += fmt::format("| `{}` | {} | {} |\n", name, kinds, doc);
    };
    add(verify::kLoad, "all", verify::kLoadDoc);
    for (const verify::Check& check : kit().checks())
        add(check.name, kinds_text(check.kinds), check.doc);
    return markdown ? text : table.text();
}

void require_check(const std::string& name) {
    std::vector<std::string> names = {verify::kLoad};
    for (const verify::Check& check : kit().checks()) names.emplace_back(check.name);
    if (std::ranges::find(names, name) != names.end()) return;
    throw Error(ErrorKind::usage,
                fmt::format("unknown check \"{}\"{} (\"ancora verify --list\" lists the checks)",
                            name,
                            did_you_mean(name, names)));
}

/// What stands where the plugin's name or file was given: nothing is opened for it here.
std::string operand_of(const Options& options) {
    const std::filesystem::path path(options.operand);
    // a file of the current folder is distinguished from a name by its ending
    if (path.extension() == ".so" && !path.has_parent_path())
        return (std::filesystem::path(".") / path).string();
    return options.operand;
}

int count(const verify::Report& report, Status status) {
    return static_cast<int>(std::ranges::count(report.results, status, &verify::Result::status));
}

std::string to_text(const verify::Report& report,
                    const verify::Settings& settings,
                    double seconds) {
    TextTable table;
    for (const verify::Result& result : report.results) {
        std::vector<std::string> cells = {
            result.type.empty() ? "-" : result.type, result.check, verify::to_text(result.status)};
        if (!result.reason.empty()) cells.push_back(result.reason);
        table.add(std::move(cells));
    }
    const std::string title =
        report.name.empty()
            ? fmt::format("plugin \"{}\"", settings.plugin)
            : fmt::format("plugin {} {} ({})", report.name, report.version, report.file);
    return fmt::format("{}, seed {}\n\n{}\n{}: {} passed, {} failed, {} skipped in {}\n",
                       title,
                       settings.seed,
                       table.text(),
                       report.passed() ? "passed" : "FAILED",
                       count(report, Status::passed),
                       count(report, Status::failed),
                       count(report, Status::skipped),
                       duration(seconds));
}

Json to_json(const verify::Report& report, const verify::Settings& settings, double seconds) {
    Json results = Json::array();
    for (const verify::Result& result : report.results)
        results.push_back({{"kind", result.kind},
                           {"type", result.type},
                           {"check", result.check},
                           {"status", verify::to_text(result.status)},
                           {"reason", result.reason},
                           {"seconds", result.seconds}});
    return {{"plugin", {{"name", report.name}, {"version", report.version}, {"file", report.file}}},
            {"seed", settings.seed},
            {"passed", report.passed()},
            {"counts",
             {{"pass", count(report, Status::passed)},
              {"FAIL", count(report, Status::failed)},
              {"skipped", count(report, Status::skipped)}}},
            {"seconds", seconds},
            {"results", std::move(results)}};
}

}  // namespace

int verify_plugin(const Options& options) {
    if (options.list) {
        write_out(list_text(options.markdown));
        return 0;
    }
    if (options.markdown) throw Error(ErrorKind::usage, "\"--markdown\" goes with \"--list\"");
    verify::Settings settings;
    settings.plugin = operand_of(options);
    settings.plugin_dirs = options.plugin_dirs;
    settings.unchecked_plugin_dirs = options.unchecked_plugin_dirs;
    settings.seed = options.seed.value_or(verify::kDefaultSeed);
    settings.check = options.check;
    if (!settings.check.empty()) require_check(settings.check);
    if (options.time_limit) settings.seconds = *options.time_limit;
    if (options.memory_limit) settings.memory = *options.memory_limit;
    settings.probe = kit_folder() / "malloc_probe.so";

    const auto start = std::chrono::steady_clock::now();
    const verify::Report report = kit().verify(settings);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.json)
        write_out(
            to_json(report, settings, seconds).dump(2, ' ', false, Json::error_handler_t::replace) +
            "\n");
    else
        write_out(to_text(report, settings, seconds));
    return report.passed() ? 0 : static_cast<int>(ErrorKind::plugin);
}

static_assert(std::string_view(kVerifyInChild) == verify::kChildCommand);

int verify_in_child(const std::vector<std::string>& arguments) {
    return kit().run_child(arguments);
}

}  // namespace ancora::command
