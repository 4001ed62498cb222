// SPDX-License-Identifier: BSD-3-Clause
// The command line as a value: which command, on what, with which options.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ancora::command {

/// Everything that may stand on the command line; a command accepts only some of it.
struct Options {
    std::string operand;                ///< model file or type name
    std::vector<std::string> operands;  ///< all of them, for a command with several
    std::optional<std::filesystem::path> out;
    std::vector<std::string> overrides;
    std::vector<std::filesystem::path> plugin_dirs;
    bool unchecked_plugin_dirs = false;  ///< also those that others may write to
    int threads = 1;                     ///< upper limit
    bool json = false;
    bool markdown = false;
    bool all = false;  ///< every type instead of the operand
    std::optional<std::uint64_t> seed;
    std::string check;                          ///< of verify: this one only
    std::optional<double> time_limit;           ///< [s]
    std::optional<std::uint64_t> memory_limit;  ///< [MiB]
    bool list = false;                          ///< the checks, instead of the operand
    bool locked = false;                        ///< refuse what the lock does not have
    std::optional<std::filesystem::path> lock;  ///< its file, if not beside the model
    std::optional<std::filesystem::path> dir;   ///< where a command makes its files or folders
    bool with_state = false;                    ///< of new: a force with states of its own
    bool unilateral = false;                    ///< of new: a constraint that opens and closes
    std::vector<std::string> columns;           ///< of history.csv
    std::optional<std::string> over;            ///< of plot: the column along the abscissa
    bool logarithmic = false;                   ///< of plot
    std::optional<std::size_t> every;           ///< of paraview: one frame of so many
    std::optional<double> from, to;             ///< of video: times [s]
    std::optional<double> speed, rate;          ///< of video: run seconds, pictures per second
    int width = 1280, height = 720;             ///< of video [px]
    std::optional<std::array<double, 2>> eye;   ///< of video: azimuth, elevation [rad]
    bool dark = false;                          ///< of video
    std::optional<std::string> colour;          ///< of video: by which numbers of bodies
    std::vector<std::string> without;           ///< of video: what is not drawn
    bool nearest = false;                       ///< of equilibrium
    bool at_rest = false;                       ///< of modes, linearize
    bool spinning = false;                      ///< of equilibrium, modes
    bool buckling = false;                      ///< of modes
    std::optional<double> at;                   ///< the time at which [s]
    std::optional<std::uint64_t> count;         ///< of modes
    /// Of modes: rates from the first to the last [rad/s].
    struct SpinRates {
        double first, last;
        std::uint64_t count;
    };
    std::optional<SpinRates> spin_range;
    std::optional<std::string> axes;  ///< of modes: fixed or turning
    bool full_paths = false;          ///< in what is made to be sent
    bool watch = false;               ///< of report: write it anew as results change
    bool resume = false;
    std::vector<std::string> inputs, outputs;                  ///< of linearize and fmu
    std::vector<std::string> parameters;                       ///< of fmu
    std::optional<std::filesystem::path> file;                 ///< of fmu
    int fmi_version = 2;                                       ///< of fmu
    bool for_cosimulation = true, for_model_exchange = false;  ///< of fmu
    std::vector<std::filesystem::path> other_fmus;             ///< of fmu
    std::vector<std::string> of, by;                           ///< of gradient, fit, joint-space
    std::vector<std::string> targets;                          ///< of inverse-kinematics
    std::optional<std::string> method;                         ///< of gradient
    std::optional<std::size_t> workers;  ///< of sweep: processes; of gradient, fit: threads
    std::size_t part = 0, parts = 1;     ///< of sweep: the share of the cases
    bool merge = false;                  ///< of sweep: the table alone
    bool slurm = false;                  ///< of sweep: as a job array
    bool no_submit = false;              ///< of sweep: write its scripts alone
    bool lenient = false;                ///< of import: leave out what has no counterpart
    unsigned short port = 0;             ///< of view; 0: one that is free
    bool open = false;                   ///< of view: start a browser
    bool print = false;                  ///< the model instead of what it is
    bool quiet = false;
    bool verbose = false;
    bool help = false;
};

/// Options that only some commands have; bits of Command::options.
using OptionSets = std::uint64_t;
enum OptionSet : OptionSets {
    kOut = 1ull << 0,
    kSet = 1ull << 1,
    kPluginDir = 1ull << 2,
    kJson = 1ull << 3,
    kQuiet = 1ull << 4,
    kMarkdown = 1ull << 5,
    kAll = 1ull << 6,
    kVerify = 1ull << 7,
    kLocked = 1ull << 8,
    kOutFile = 1ull << 9,
    kDir = 1ull << 10,
    kResume = 1ull << 11,
    kPrint = 1ull << 12,
    kReportFile = 1ull << 13,
    kPicture = 1ull << 14,
    kColumns = 1ull << 15,
    kEvery = 1ull << 16,
    kFullPaths = 1ull << 17,
    kNearest = 1ull << 18,
    kAtRest = 1ull << 19,
    kCount = 1ull << 20,
    kPorts = 1ull << 21,
    kCurves = 1ull << 22,
    kTable = 1ull << 23,
    kSweep = 1ull << 24,
    kFmu = 1ull << 25,
    kSpinning = 1ull << 26,
    kModeFrames = 1ull << 27,
    kSpinRange = 1ull << 28,
    kImport = 1ull << 29,
    kGradient = 1ull << 30,
    kFit = 1ull << 31,
    kView = 1ull << 32,
    kVideo = 1ull << 33,
    kJointSpace = 1ull << 34,
    kPlacement = 1ull << 35,
    kOptimise = 1ull << 36,
};

/// One command of `ancora`.
struct Command {
    const char* name;
    const char* operand;  ///< how help names it, a word for each, in brackets if it may be left
                          ///< out; null: the command takes none
    const char* doc;
    OptionSets options;
    int (*execute)(const Options& options);
};

/// What the arguments ask for; no command means the program's own help or version.
struct Invocation {
    const Command* command = nullptr;
    bool version = false;
    Options options;
};

/// @throws Error (usage)
Invocation parse(std::span<const Command> commands, const std::vector<std::string>& arguments);

/// One option, as help has it.
struct OptionText {
    std::string name;   ///< without "--"
    std::string value;  ///< how help names its value; empty: it takes none
    std::string doc;
    bool is_repeatable = false;
};

/// The options of a command, common ones included; those that may stand before a command; and the
/// names, with "--", of all that take a value.
std::vector<OptionText> option_texts(const Command& command);
std::vector<OptionText> common_option_texts();
std::vector<std::string> options_with_values(std::span<const Command> commands);

/// What --help prints: of the program, of one command.
std::string help(std::span<const Command> commands);
std::string help(const Command& command);

}  // namespace ancora::command
