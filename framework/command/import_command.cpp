// SPDX-License-Identifier: BSD-3-Clause
// `ancora import`: robots that others have described, as models.
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "import.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

namespace fs = std::filesystem;

/// Puts a model where no file is yet: what stands there may have been changed by hand.
void write_model(const fs::path& file, const std::string& text) {
    const auto refuse = [&](const std::string& reason) {
        throw Error(
            ErrorKind::file, reason, {std::make_shared<const std::string>(file.string()), 0, 0});
    };
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(file, ignored)))
        refuse(
            "there is such a file already, and it may have been changed; delete it, or choose "
            "another by "
            "--out FILE");
    std::ofstream out(file, std::ios::binary);
    if (!out) refuse("cannot write the model: the folder is missing or may not be written to");
    out << text;
    out.close();
    if (out) return;
    fs::remove(file, ignored);
    refuse("cannot write the model: the disk may be full");
}

}  // namespace

int import_robot(const Options& options) {
    const fs::path file = options.operand;
    const fs::path model = options.out ? *options.out : fs::path(file.stem().string() + ".toml");
    const ImportedModel imported =
        import_model(file, {.manifest = model, .is_lenient = options.lenient});
    write_model(model, imported.text);
    if (options.quiet) return 0;
    std::string text = fmt::format("model in {}: {} bodies, {} joints\n",
                                   model.string(),
                                   imported.num_bodies,
                                   imported.num_joints);
    const auto list = [&](const char* title, const std::vector<std::string>& entries) {
        if (entries.empty()) return;
        text += fmt::format("\n{}\n", title);
        for (const std::string& entry : entries) text += fmt::format("  {}\n", entry);
    };
    list("not in the model", imported.notes);
    list("left out for want of a counterpart", imported.left_out);
    write_out(text);
    return 0;
}

}  // namespace ancora::command
