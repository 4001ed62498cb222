// SPDX-License-Identifier: BSD-3-Clause
// The `ancora` program: finds the command, runs it, turns errors into messages and exit statuses.
#include <array>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "ancora/framework/crash_guard.hpp"
#include "ancora/framework/error.hpp"
#include "ancora/framework/failed_call.hpp"
#include "ancora/framework/printable.hpp"
#include "ancora/framework/version.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "options.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

constexpr std::array kCommands = {
    Command{"run",
            "MODEL.toml",
            "simulate a model and write its results",
            kOut | kSet | kPluginDir | kJson | kQuiet | kLocked | kResume | kFullPaths,
            &run},
    Command{"check",
            "MODEL.toml",
            "load, assemble and analyse a model; no time step",
            kSet | kPluginDir | kJson | kLocked | kPrint,
            &check},
    Command{"sweep",
            "STUDY.toml",
            "run many cases of a model and write a table of them",
            kSweep | kPluginDir | kJson | kQuiet | kResume,
            &sweep},
    Command{"fmu",
            "MODEL.toml",
            "write a model as an FMU, which other simulators run",
            kFmu | kSet | kPluginDir | kQuiet,
            &fmu},
    Command{"import",
            "FILE",
            "make a model of a robot that others have described: URDF, MJCF, SDF",
            kImport | kQuiet,
            &import_robot},
    Command{"lock",
            "MODEL.toml",
            "write down which plugins a model is run with, for --locked",
            kOutFile | kSet | kPluginDir,
            &lock},
    Command{
        "plugins", nullptr, "list the plugins found and their types", kPluginDir | kJson, &plugins},
    Command{"describe",
            "TYPE",
            "explain a type, or with --all every type: equation, parameters, source",
            kPluginDir | kJson | kMarkdown | kAll,
            &describe},
    Command{"schema",
            nullptr,
            "write a JSON Schema of model files with all types found, for editors",
            kPluginDir,
            &schema},
    Command{"replay",
            "FILE",
            "make a call again that failed in a run, from the failed_call.toml that it left",
            kPluginDir,
            &replay},
    Command{"view",
            "MODEL.toml",
            "follow a run in a browser while it computes, and drive it; or show results, of DIR",
            kView | kSet | kPluginDir | kLocked,
            &view},
    Command{"report",
            "DIR [OTHER]",
            "make one self-contained HTML page from a run's results, or from two runs'",
            kReportFile | kColumns | kQuiet | kFullPaths,
            &report},
    Command{"plot",
            "DIR [OTHER]",
            "draw columns of a run's results, or of two runs', as a picture",
            kPicture | kColumns | kFullPaths,
            &plot},
    Command{"video",
            "DIR FILE",
            "draw a run's motion as a video, .mp4 or .webm, or as pictures, .png",
            kVideo | kQuiet,
            &video},
    Command{"paraview",
            "DIR",
            "write the frames of a run's results as files that ParaView opens",
            kEvery | kQuiet,
            &paraview},
    Command{"convergence",
            "MODEL.toml",
            "run a model with finer and finer steps: observed orders, extrapolated values, errors",
            kCurves | kSet | kPluginDir | kJson | kQuiet | kLocked,
            &convergence},
    Command{"equilibrium",
            "MODEL.toml",
            "find a position in which the model stays at rest, and say whether it is stable",
            kNearest | kSpinning | kSet | kPluginDir | kJson | kQuiet | kLocked,
            &equilibrium},
    Command{"modes",
            "MODEL.toml",
            "eigenfrequencies, damping and shapes about rest or steady spin",
            kAtRest | kSpinning | kCount | kSpinRange | kModeFrames | kSet | kPluginDir | kJson |
                kQuiet | kLocked,
            &modes},
    Command{"linearize",
            "MODEL.toml",
            "the model about rest as x' = A x + B u, y = C x + D u",
            kPorts | kAtRest | kSet | kPluginDir | kJson | kQuiet | kLocked,
            &linearize},
    Command{"joint-space",
            "MODEL.toml",
            "a mechanism in the coordinates of its joints, M p'' + bias = tau, and Jacobians",
            kJointSpace | kAtRest | kSet | kPluginDir | kJson | kQuiet | kLocked,
            &joint_space},
    Command{"inverse",
            "MODEL.toml",
            "efforts and reactions of prescribed motion over time, without integration",
            kTable | kSet | kPluginDir | kJson | kQuiet | kLocked,
            &inverse},
    Command{"inverse-kinematics",
            "MODEL.toml",
            "values of joints at which points and frames are where they are wanted",
            kPlacement | kAtRest | kSet | kPluginDir | kJson | kQuiet | kLocked,
            &inverse_kinematics},
    Command{"gradient",
            "MODEL.toml",
            "derivatives of a run's results by parameters and starts",
            kGradient | kSet | kPluginDir | kJson | kQuiet | kLocked,
            &gradient},
    Command{"fit",
            "MODEL.toml DATA.csv",
            "find parameters from measured motion, with their standard deviations",
            kFit | kSet | kPluginDir | kJson | kQuiet | kLocked,
            &fit_model},
    Command{"optimise",
            "STUDY.toml",
            "find the best case of a study within bounds and limits, by SciPy",
            kOptimise | kSet | kPluginDir | kJson | kQuiet,
            &optimise},
    Command{"verify",
            "PLUGIN",
            "check a plugin, a name or a file, against what the SDK asks of it",
            kPluginDir | kJson | kMarkdown | kVerify,
            &verify_plugin},
    Command{"new",
            "KIND NAME",
            "write a plugin of one's own, KIND one of constraint, body, force, integrator",
            kDir | kPluginDir,
            &new_plugin},
    Command{"completion",
            "SHELL",
            "write a script that lets a shell complete commands: bash, zsh or fish",
            0,
            &completion},
};

}  // namespace

std::span<const Command> commands() {
    return kCommands;
}

namespace {

/// Where the inputs of a call that failed are put that is no part of a run's results: beside the
/// file or into the folder that was asked for. Whoever can ask for one and did not gets no file.
struct RecordPlace {
    std::optional<std::filesystem::path> file = kFailedCallFile;
    std::string advice;  ///< if there is none: what keeps them
};
RecordPlace record_place;

RecordPlace place_of_record(const Invocation& invocation) {
    const std::string_view command = invocation.command->name;
    const Options& options = invocation.options;
    const auto optional = [](const std::optional<std::filesystem::path>& folder,
                             const char* option) -> RecordPlace {
        if (folder) return {*folder / kFailedCallFile, {}};
        return {{}, fmt::format("the inputs of the call are not kept; \"{}\" keeps them", option)};
    };
    if (command == "inverse")
        return optional(options.out ? std::optional(options.out->parent_path()) : std::nullopt,
                        "--out FILE");
    if (command == "linearize" || command == "joint-space")
        return optional(options.dir, "--dir DIR");
    return {};
}

/// The message of a line of the log, without what a terminal would obey.
class PrintableMessage final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message,
                const std::tm&,
                spdlog::memory_buf_t& to) override {
        const std::string text = printable({message.payload.data(), message.payload.size()});
        to.append(text.data(), text.data() + text.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<PrintableMessage>();
    }
};

int execute(const std::vector<std::string>& arguments) {
    if (!arguments.empty() && arguments.front() == kVerifyInChild) {
        // what the kernel would log is not to count as said by a plugin
        spdlog::set_level(spdlog::level::off);
        return verify_in_child({arguments.begin() + 1, arguments.end()});
    }

    const Invocation invocation = parse(kCommands, arguments);
    if (invocation.version) {
        write_out(fmt::format("ancora {}\n", version()));
        return 0;
    }
    if (invocation.command == nullptr) {
        write_out(help(kCommands));
        return 0;
    }
    if (invocation.options.help) {
        write_out(help(*invocation.command));
        return 0;
    }

    record_place = place_of_record(invocation);
    spdlog::set_default_logger(spdlog::stderr_logger_st("ancora"));
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<PrintableMessage>('*').set_pattern("%H:%M:%S.%e %*");
    spdlog::set_formatter(std::move(formatter));
    spdlog::set_level(invocation.options.verbose ? spdlog::level::info : spdlog::level::off);
    spdlog::info("ancora {}, {}", version(), invocation.command->name);
    return invocation.command->execute(invocation.options);
}

}  // namespace
int told(const std::exception_ptr& failure) {
    try {
        try {
            std::rethrow_exception(failure);
        } catch (const FailedCall& failed) {
            // A run that has begun has put it among its results.
            if (!failed.file().empty()) throw;
            if (record_place.file) throw failed.written_to(*record_place.file);
            throw FailedCall(fmt::format("{}\n  {}", failed.message(), record_place.advice),
                             failed.place(),
                             failed.capture());
        }
    } catch (const Error& error) {
        write_error(error);
        return static_cast<int>(error.kind());
    } catch (const std::bad_alloc&) {
        std::fputs(
            "error: there is not enough memory for this; make the model or its output smaller, or "
            "give the process more\n",
            stderr);
        return static_cast<int>(ErrorKind::numerical);
    } catch (const std::exception& error) {
        write_note(fmt::format("internal error: {}", error.what()));
    } catch (...) {
        std::fputs("internal error: unknown exception\n", stderr);
    }
    return static_cast<int>(ErrorKind::internal);
}

}  // namespace ancora::command

int main(int argc, char** argv) {
    // A full disk or a closed pipe is then an error of the write, with a message and a status.
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    ancora::command::claim_output();
    const ancora::CrashGuard guard([](const std::exception_ptr& failure) {
        return ancora::command::told(failure);
    });
    try {
        return ancora::command::execute({argv + 1, argv + argc});
    } catch (...) {
        return ancora::command::told(std::current_exception());
    }
}
