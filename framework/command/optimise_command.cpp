// SPDX-License-Identifier: BSD-3-Clause
// `ancora optimise`: the best case of a study, by the Python module and SciPy.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

/// Where the module lies beside this program, in a build tree or an installed one.
std::filesystem::path module_folder() {
    std::error_code failed;
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed);
    return own.parent_path().parent_path() / "lib/python3/dist-packages";
}

std::string interpreter() {
    if (const char* const named = std::getenv("ANCORA_PYTHON"); named != nullptr) return named;
    // The distribution's own first: another one on the path may lack NumPy.
    return std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

}  // namespace

int optimise(const Options& options) {
    const std::string python = interpreter();
    std::vector<std::string> words{python, "-m", "ancora", "optimise", options.operand};
    const auto add = [&words](const char* name, const std::string& value) {
        words.insert(words.end(), {name, value});
    };
    for (const std::string& one : options.overrides) add("--set", one);
    for (const std::filesystem::path& folder : options.plugin_dirs)
        add("--plugin-dir", folder.string());
    if (options.workers) add("--workers", std::to_string(*options.workers));
    if (options.out) add("--out", options.out->string());
    if (options.json) words.emplace_back("--json");
    if (options.quiet) words.emplace_back("--quiet");
    const std::filesystem::path folder = module_folder();
    if (std::filesystem::exists(folder / "ancora/__init__.py")) {
        const char* const before = std::getenv("PYTHONPATH");
        const std::string path =
            folder.string() + (before != nullptr ? ":" + std::string(before) : "");
        ::setenv("PYTHONPATH", path.c_str(), 1);
    }
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    give_back_output();
    ::execvp(python.c_str(), arguments.data());
    throw Error(ErrorKind::usage,
                fmt::format("optimise: \"{}\" cannot be started; it takes Python 3 with NumPy and "
                            "SciPy, on Debian python3-scipy (ANCORA_PYTHON names another one)",
                            python));
}

}  // namespace ancora::command
