// SPDX-License-Identifier: BSD-3-Clause
// A folder of results in which one file holds any bytes: read as the report reads it, and, if all
// is accepted, made into a page and files for ParaView. An input's first letter chooses the file.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/paraview.hpp"
#include "ancora/framework/report.hpp"
#include "result_files.hpp"
#include "results.hpp"
#include "summary_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace ancora;

constexpr std::string_view kHistory =
    "t,energy.total,\"box@[1.5, 0.0, 0.0].x\"\n0,1,2\n0.1,1,2.5\n0.2,1,3\n";
constexpr std::string_view kScene =
    R"({"format":1,"gravity":[0,0,-9.81],"values":37,"bodies":[{"name":"box","type":"b","first":0,)"
    R"("coordinates":[0,12],"pose":"attitude","shapes":[{"kind":"box","size":[1,1,1],)"
    R"("center":[0,0,0],"quaternion":[1,0,0,0]},{"kind":"sphere","radius":1,"center":[0,0,0]},)"
    R"({"kind":"cylinder","radius":1,"from":[0,0,0],"to":[0,0,1]}],"nodes":0,"channels":[],)"
    R"("lines":[]},{"name":"net","type":"n","first":13,"coordinates":[12,9],"pose":"none",)"
    R"("shapes":[],"nodes":2,"channels":[{"name":"force","unit":"N"}],"lines":[[0,1]]}],)"
    R"("constraints":[{"name":"hook","type":"p","first":26,"points":["box@[0, 0, 0]"],)"
    R"("has_force":true}],"forces":[{"name":"load","type":"l","first":32,"points":[],)"
    R"("has_force":true}]})";
constexpr std::string_view kSummary =
    R"({"ancora":"0.1","model":"m","exit_reason":"completed","steps":2,"plugins":[{"name":"a",)"
    R"("version":"1","sha256":"00"}],"events":[{"t":0.1,"mode":"stick"}],"cost":{"a":{"seconds":1,)"
    R"("calls":2}},"energy":{"balance":{"max_abs":0,"max_rel":0}},"final_state":{"t":0.2}})";

std::string frames() {
    constexpr std::size_t kWidth = 39;
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 39), }";
    header.resize(117, ' ');
    std::string out("\x93NUMPY\x01\x00\x76\x00", 10);
    out += header + '\n';
    for (std::size_t i = 0; i < 2 * kWidth; ++i) {
        const float x = i % kWidth == 0 ? static_cast<float>(i / kWidth) : 0.5F;
        out.append(reinterpret_cast<const char*>(&x), sizeof x);
    }
    return out;
}

/// The folder, with whole files; it goes away with the program.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "ancora-fuzz-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        path_ = name;
        for (const auto& [file, text] : files_) write(file, text);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }
    void write(const std::string& file, std::string_view text) const {
        fs::remove(path_ / file);  // some file systems write one that is cut to the disk at once
        std::ofstream(path_ / file, std::ios::binary) << text;
    }
    /// One file changed, the one before whole again.
    void damage(const std::string& file, std::string_view text) {
        if (!damaged_.empty() && damaged_ != file) write(damaged_, files_.at(damaged_));
        damaged_ = file;
        write(file, text);
    }

private:
    const std::map<std::string, std::string> files_ = {{kHistoryFile, std::string(kHistory)},
                                                       {kSceneFile, std::string(kScene)},
                                                       {kFramesFile, frames()},
                                                       {kSummaryFile, std::string(kSummary)}};
    fs::path path_;
    std::string damaged_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Folder folder;
    if (size == 0) return 0;
    constexpr const char* kFiles[] = {kHistoryFile, kSceneFile, kFramesFile, kSummaryFile};
    folder.damage(kFiles[data[0] % 4], {reinterpret_cast<const char*>(data) + 1, size - 1});
    try {
        const History history(folder.path() / kHistoryFile);
        std::vector<std::size_t> all(history.columns().size());
        for (std::size_t c = 0; c < all.size(); ++c) all[c] = c;
        history.read(all);
        for (const std::string& name : history.columns()) unit_of_column(name);
        read_summary(folder.path());
        Frames::open(folder.path());
        report_page({&folder.path(), 1});
        write_paraview(folder.path());
    } catch (const Error&) {
    }
    return 0;
}
