// SPDX-License-Identifier: BSD-3-Clause
// `ancora sweep`: many cases of a model, here or as a job array.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "ancora/framework/sweep.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t sweep_interrupted = 0;

/// Ends a sweep behind the steps that are under way; the second signal ends it at once.
class SweepInterrupts {
public:
    SweepInterrupts() {
        struct sigaction action = {};
        action.sa_handler = [](int) {
            if (sweep_interrupted != 0) ::_exit(kInterrupted);
            sweep_interrupted = 1;
        };
        for (std::size_t k = 0; k < std::size(kSignals); ++k)
            sigaction(kSignals[k], &action, &previous_[k]);
    }
    ~SweepInterrupts() {
        for (std::size_t k = 0; k < std::size(kSignals); ++k)
            sigaction(kSignals[k], &previous_[k], nullptr);
    }
    SweepInterrupts(const SweepInterrupts&) = delete;
    SweepInterrupts& operator=(const SweepInterrupts&) = delete;

private:
    static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction previous_[std::size(kSignals)] = {};
};

/// One word of the shell.
std::string shell_word(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// The folders of plugins that it was given, by whole paths.
std::string plugin_options(const Options& options) {
    std::string text;
    for (const fs::path& folder : options.plugin_dirs)
        text += " --plugin-dir " + shell_word(fs::absolute(folder).string());
    if (options.unchecked_plugin_dirs) text += " --unchecked-plugin-dirs";
    return text;
}

void write_script(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) throw Error(ErrorKind::file, fmt::format("cannot write \"{}\"", file.string()));
}

/// The number of the job, as `sbatch --parsable` prints it.
std::string submit(const std::string& arguments) {
    const std::string call = "sbatch --parsable " + arguments;
    std::FILE* const pipe = ::popen(call.c_str(), "re");
    if (pipe == nullptr) throw Error(ErrorKind::file, "sbatch cannot be started");
    std::string text;
    char buffer[256];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
    const int status = ::pclose(pipe);
    const std::string job = text.substr(0, text.find_first_of(";\n"));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || job.empty())
        throw Error(ErrorKind::file,
                    "sbatch did not take the job (its message stands above); the scripts are "
                    "written, and can be submitted by hand");
    return job;
}

int sweep_by_slurm(const Study& study, const fs::path& folder, const Options& options) {
    const SlurmScripts scripts =
        slurm_scripts(study,
                      folder,
                      shell_word(fs::read_symlink("/proc/self/exe").string()),
                      plugin_options(options));
    const fs::path array = folder / "slurm-array.sh", merge = folder / "slurm-merge.sh";
    write_script(array, scripts.array);
    write_script(merge, scripts.merge);
    if (options.no_submit) {
        if (!options.quiet)
            write_out(fmt::format("scripts in {} and {}\n", array.string(), merge.string()));
        return 0;
    }
    const std::string job = submit(shell_word(array.string()));
    const std::string last = submit(
        fmt::format("--dependency=afterok:{} {}", shell_word(job), shell_word(merge.string())));
    if (!options.quiet)
        write_out(fmt::format("job array {}, merged by job {}; the table will be {}\n",
                              job,
                              last,
                              (folder / "cases.csv").string()));
    return 0;
}

/// How far it is, on standard error; nothing in a pipe.
class CaseCounter {
public:
    explicit CaseCounter(bool wanted) : is_shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}
    ~CaseCounter() {
        if (is_drawn_) std::fputs("\r\033[K", stderr);
    }
    CaseCounter(const CaseCounter&) = delete;
    CaseCounter& operator=(const CaseCounter&) = delete;

    void update(const SweepProgress& cases) {
        if (!is_shown_ || (is_drawn_ && cases.done == last_)) return;
        is_drawn_ = true;
        last_ = cases.done;
        std::fputs(
            fmt::format("\r{} of {} cases, {} failed\033[K", cases.done, cases.total, cases.failed)
                .c_str(),
            stderr);
        std::fflush(stderr);
    }

private:
    bool is_shown_;
    bool is_drawn_ = false;
    std::size_t last_ = 0;
};

}  // namespace

int sweep(const Options& options) {
    const Study study = Study::load(options.operand);
    PluginRegistry registry;
    add_folders(registry, options);

    SweepOptions sweep_options;
    sweep_options.folder =
        options.out ? *options.out : fs::path("results") / fs::path(options.operand).stem();
    sweep_options.workers = static_cast<int>(options.workers.value_or(0));
    sweep_options.resume = options.resume;
    sweep_options.part = options.part;
    sweep_options.parts = options.parts;
    sweep_options.merge_only = options.merge;
    sweep_options.prepare_only = options.slurm;
    const SweepInterrupts guard;
    sweep_options.stop = [] {
        return sweep_interrupted != 0;
    };
    SweepResult result;
    {
        CaseCounter counter(!options.quiet);
        sweep_options.progress = [&](const SweepProgress& cases) {
            counter.update(cases);
        };
        result = run_sweep(study, registry, sweep_options);
    }
    if (options.slurm) return sweep_by_slurm(study, sweep_options.folder, options);

    const SweepProgress& cases = result.cases;
    if (options.json) {
        const nlohmann::ordered_json json = {{"study", study.name},
                                             {"cases", cases.total},
                                             {"done", cases.done},
                                             {"failed", cases.failed},
                                             {"complete", result.is_complete},
                                             {"table", result.table.string()},
                                             {"page", result.page.string()}};
        write_out(json.dump(2) + "\n");
    } else if (!options.quiet) {
        write_out(fmt::format("{}: {} of {} cases, {} failed\n{}",
                              study.name,
                              cases.done,
                              cases.total,
                              cases.failed,
                              result.is_complete ? fmt::format("table in {}, page in {}\n",
                                                               result.table.string(),
                                                               result.page.string())
                                                 : std::string()));
    }
    if (result.was_interrupted) {
        write_note(
            fmt::format("interrupted; {} of {} cases are in \"{}\", and --resume goes on from "
                        "there",
                        cases.done,
                        cases.total,
                        sweep_options.folder.string()));
        return kInterrupted;
    }
    if (options.merge && !result.is_complete)
        throw Error(ErrorKind::file,
                    fmt::format("{} of {} cases are missing in \"{}\"; run the parts that have not "
                                "ended again",
                                cases.total - cases.done,
                                cases.total,
                                sweep_options.folder.string()));
    return 0;
}

}  // namespace ancora::command
