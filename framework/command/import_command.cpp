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

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
    throw Error(
        ErrorKind::file, reason, {std::make_shared<const std::string>(file.string()), 0, 0});
}

/// What stands there may have been changed by hand.
void ask_for_room(const fs::path& file) {
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(file, ignored)))
        refuse(file,
               "there is such a file already, and it may have been changed; delete it, or choose "
               "another by --out FILE");
}

void put_file(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    if (!out)
        refuse(file, "cannot write the model: the folder is missing or may not be written to");
    out << text;
    out.close();
    if (out) return;
    std::error_code ignored;
    fs::remove(file, ignored);
    refuse(file, "cannot write the model: the disk may be full");
}

}  // namespace

int import_robot(const Options& options) {
    const fs::path file = options.operand;
    const fs::path model = options.out ? *options.out : fs::path(file.stem().string() + ".toml");
    const ImportedModel imported =
        import_model(file, {.manifest = model, .is_lenient = options.lenient});
    ask_for_room(model);
    for (const auto& [name, content] : imported.files) ask_for_room(model.parent_path() / name);
    for (const auto& [name, content] : imported.files)
        put_file(model.parent_path() / name, content);
    put_file(model, imported.text);
    if (options.quiet) return 0;
    std::string text = fmt::format("model in {}: {} bodies, {} joints\n",
                                   model.string(),
                                   imported.num_bodies,
                                   imported.num_joints);
    for (const auto& [name, content] : imported.files)
        text += fmt::format("triangles in {}\n", (model.parent_path() / name).string());
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
