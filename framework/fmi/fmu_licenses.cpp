// SPDX-License-Identifier: BSD-3-Clause
// Gathers texts that lie beside the library which stands in every FMU.
#include "fmu_licenses.hpp"

#include <fmt/format.h>

#include "ancora/framework/version.hpp"
#include "file_writer.hpp"

namespace ancora::fmu {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;

/// What is compiled into the kernel, its plugins or the library of the FMU.
constexpr std::pair<const char*, const char*> kCompiledIn[] = {
    {"boost", "Boost"},
    {"eigen", "Eigen"},
    {"fmi", "header files of FMI"},
    {"nlohmann_json", "JSON for Modern C++"},
    {"spdlog", "spdlog"}};

}  // namespace

std::vector<std::pair<std::string, std::string>> license_files(
    const fs::path& folder, const std::vector<std::string>& libraries) {
    std::vector<std::pair<std::string, std::string>> out(1);
    const auto add = [&](const std::string& name) {
        out.emplace_back(
            name + ".txt",
            read_text_file(folder / (name + ".txt"), "the licence", "", kMostTextBytes));
    };
    std::string text = fmt::format(
        "Licences of what is in this FMU, beside the model, which is its author's.\n\n"
        "Ancora {}, its library and plugins of its own: ancora.txt\n\nCompiled into them:\n",
        version());
    add("ancora");
    for (const auto& [name, title] : kCompiledIn) {
        text += fmt::format("  {}: {}.txt\n", title, name);
        add(name);
    }
    if (!libraries.empty()) text += "\nLibraries beside them, each a file of its own:\n";
    for (const std::string& library : libraries) {
        const std::string name = library.substr(0, library.find(".so"));
        std::error_code ignored;
        if (!fs::is_regular_file(folder / (name + ".txt"), ignored)) {
            text += fmt::format(
                "  {}: not known to Ancora; ask whoever wrote the plugin that needs it\n", library);
            continue;
        }
        text += fmt::format("  {}: {}.txt\n", library, name);
        add(name);
    }
    out.front() = {"license.txt", std::move(text)};
    return out;
}

}  // namespace ancora::fmu
