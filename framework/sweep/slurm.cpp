// SPDX-License-Identifier: BSD-3-Clause
// Scripts of a job array for Slurm.
#include <algorithm>

#include <fmt/format.h>

#include "ancora/framework/sweep.hpp"

namespace ancora {
namespace {

/// A text as one word of the shell.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string head(const Study& study, const std::filesystem::path& folder, const char* job) {
    std::string name;
    for (const char c : study.name)
        name +=
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? c : '-';
    std::string text = fmt::format(
        "#!/bin/sh\n"
        "#SBATCH --job-name=ancora-{}{}\n"
        "#SBATCH --time={}\n"
        "#SBATCH --mem={}\n"
        "#SBATCH --requeue\n"
        "#SBATCH --open-mode=append\n"
        "#SBATCH --output={}/slurm-%A_%a.log\n",
        name,
        job,
        study.slurm.time,
        study.slurm.memory,
        std::filesystem::absolute(folder).string());
    for (const std::string& option : study.slurm.options)
        text += fmt::format("#SBATCH {}\n", option);
    return text;
}

}  // namespace

SlurmScripts slurm_scripts(const Study& study,
                           const std::filesystem::path& folder,
                           const std::string& program,
                           const std::string& options) {
    const std::string file = quoted(std::filesystem::absolute(study.file).string());
    const std::string out = quoted(std::filesystem::absolute(folder).string());
    const auto tasks = std::min(static_cast<std::size_t>(study.slurm.tasks), study.num_cases());
    SlurmScripts scripts;
    scripts.array =
        head(study, folder, "") +
        fmt::format(
            "#SBATCH --array=0-{}\n"
            "#SBATCH --signal=B:TERM@60\n\n"
            "# A share of the cases. One that is preempted, or whose time is up, ends with 130 "
            "after the\n"
            "# case that it is at, and is queued again; it goes on where it was.\n"
            "{} sweep {} --out {}{} --part \"$SLURM_ARRAY_TASK_ID/{}\" --quiet \\\n"
            "    --workers \"${{SLURM_CPUS_PER_TASK:-1}}\" &\n"
            "child=$!\n"
            "trap 'kill -TERM $child' TERM\n"
            "wait $child; status=$?\n"
            "# wait ends with the signal, too; then the program is given the time to end\n"
            "[ $status -gt 128 ] && [ $status -ne 130 ] && {{ wait $child; status=$?; }}\n"
            "[ $status -eq 130 ] && scontrol requeue "
            "\"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"\n"
            "exit $status\n",
            tasks - 1,
            program,
            file,
            out,
            options,
            tasks);
    scripts.merge =
        head(study, folder, "-merge") +
        fmt::format("\n{} sweep {} --out {}{} --merge --quiet\n", program, file, out, options);
    return scripts;
}

}  // namespace ancora
