// SPDX-License-Identifier: BSD-3-Clause
#include "option_table.hpp"

namespace ancora::command {
namespace {

constexpr OptionRow flag(OptionSets of, const char* name, bool Options::*to, const char* doc) {
    return {of, name, doc, to, false};
}
constexpr OptionRow text(OptionSets of, const char* name, const char* doc) {
    return {of, name, doc, nullptr, false};
}
constexpr OptionRow texts(OptionSets of, const char* name, const char* doc) {
    return {of, name, doc, nullptr, true};
}

constexpr OptionRow kRows[] = {
    text(kOut,
         "out DIR",
         "folder for the results (default: results/STEM, STEM being the model file's name without "
         "its extension); an existing folder is replaced only if it holds earlier results"),
    text(kOutFile,
         "out FILE",
         "the lock to write (default: STEM.lock.toml beside the model file STEM.toml); an existing "
         "file is replaced only if it is a lock"),
    texts(kFmu,
          "in A,B,...",
          "inputs of objects, as motor.voltage or motor.voltage=12 with a start, and points that "
          "are pushed, as bar@[0.5, 0, 0]; may be repeated"),
    texts(kFmu, "out A,B,...", "columns of history.csv that are outputs; may be repeated"),
    texts(kFmu,
          "param A,B,...",
          "keys as for --set that are parameters, as body.bar.density; may be repeated"),
    text(kFmu, "fmi 2|3", "the version of the standard, FMI 2.0 or 3.0 (default: 2)"),
    text(kFmu,
         "type cs|me|both",
         "what the FMU is for: co-simulation, where it makes its steps itself, model exchange, "
         "where the importer integrates its accelerations, or both (default: cs)"),
    texts(kFmu,
          "with FMU",
          "an FMU of the same model, with the same options, that was written on another platform, "
          "whose binaries go into this one too; may be repeated"),
    text(kFmu,
         "file FILE",
         "the FMU to write (default: STEM.fmu, STEM being the model file's name without its "
         "extension); an existing file is replaced only if it is an archive"),
    text(kImport,
         "out FILE",
         "the model to write (default: STEM.toml, STEM being the name of FILE without its "
         "extension); a file that exists is left alone"),
    flag(kImport,
         "lenient",
         &Options::lenient,
         "leave out what has no counterpart, with a list, instead of refusing it"),
    text(kSweep,
         "out DIR",
         "folder for the table and what belongs to it (default: results/STEM, STEM being the "
         "study's name without its extension)"),
    text(kSweep, "workers N", "processes that run cases (default: one per core)"),
    text(kSweep, "part I/N", "run only every N-th case, from I = 0 on; the parts share the folder"),
    flag(kSweep,
         "merge",
         &Options::merge,
         "run nothing: write the table of what the parts have left"),
    flag(kSweep,
         "slurm",
         &Options::slurm,
         "run as a job array of Slurm: write its scripts into the folder and submit them"),
    flag(kSweep, "no-submit", &Options::no_submit, "with --slurm: write the scripts only"),
    text(kReportFile,
         "out FILE",
         "the page to write (default: report.html in DIR); an existing file is replaced only if it "
         "is a page"),
    flag(kReportFile,
         "watch",
         &Options::watch,
         "write the page anew whenever the results change, until Ctrl-C; an open page loads itself "
         "again"),
    text(kPicture,
         "out FILE",
         "the picture to write; its ending decides on the format: .svg, .pdf or .png"),
    text(kPicture, "over COLUMN", "the column along the abscissa (default: t)"),
    flag(kPicture, "log", &Options::logarithmic, "magnitudes on a logarithmic scale"),
    texts(kColumns | kPicture,
          "columns A,B,...",
          "columns of history.csv to draw, those of one unit in one panel; may be repeated"),
    texts(kColumns,
          "columns A,B,...",
          "columns of history.csv to have in the page, beside those of the whole model; may be "
          "repeated (default: as many as fit)"),
    text(kCurves, "out FILE", "a picture of the differences between runs, ending in .svg"),
    texts(kCurves,
          "columns A,B,...",
          "columns of history.csv to judge; may be repeated (default: positions, velocities and "
          "measures, the first two dozen)"),
    texts(
        kGradient,
        "of A,B,...",
        "numbers of the run: a column of history.csv at its end or at a time, \"tip.x @ 2.0\", or "
        "max(tip.x), min(), largest() of magnitudes, integral(), mean(); may be repeated"),
    texts(kGradient,
          "by A,B,...",
          "keys as for --set whose effect is asked for, as body.boom.density, parameters.length or "
          "body.ball.velocity[2]; may be repeated"),
    text(
        kGradient,
        "method M",
        "adjoint: of the steps of the run, in one run back; differences: of runs with neighbouring "
        "values (default: the adjoint where it is to be had)"),
    text(kGradient, "out FILE", "a picture of the relative derivatives, ending in .svg"),
    texts(kFit,
          "by A,B,...",
          "keys as for --set that are fitted, with bounds or without: body.boom.density, "
          "parameters.length=0.1:2; may be repeated"),
    texts(
        kFit, "columns A,B,...", "columns of the data that count; may be repeated (default: all)"),
    text(kFit, "out FILE", "a picture of data and fit, ending in .svg"),
    text(kOptimise, "out FILE", "a picture of the search, ending in .svg"),
    text(kOptimise, "workers N", "threads, a run each (default: one per core)"),
    text(kGradient, "workers N", "threads, a run each (default: one per core)"),
    text(kFit, "workers N", "threads, a run each (default: one per core)"),
    text(kTable,
         "out FILE",
         "the table to write, as history.csv is written; an existing file is replaced only if it "
         "is such a table (default: to standard output)"),
    flag(kNearest,
         "nearest",
         &Options::nearest,
         "take the position of equilibrium next to the start, stable or not, by Newton's method "
         "alone"),
    flag(kSpinning,
         "spinning",
         &Options::spinning,
         "look for rest in the frame that turns with the spin that the bodies' velocities are, and "
         "take that"),
    flag(kAtRest,
         "at-rest",
         &Options::at_rest,
         "look for a position of equilibrium first, and take that"),
    text(kAtRest,
         "at T",
         "step the model first, to the end of the first step at T or behind it [s] (default: the "
         "start)"),
    text(kCount, "count N", "only the lowest N (default: all of a small model, 20 of a large one)"),
    flag(kSpinRange,
         "buckling",
         &Options::buckling,
         "linearised buckling of the nearest position of equilibrium instead: the factors of its "
         "stresses, those of loads, weight and prestress together, at which it is not the only one "
         "any more, and their shapes, the lowest 5 or as many as --count says"),
    text(kSpinRange,
         "axes WHICH",
         "of what spins: fixed, modes in axes at rest, for parts that are alike all round; "
         "turning, in axes that turn with the spin (default: turning where all turns along, else "
         "those that serve)"),
    text(kSpinRange,
         "spin-range A:B:N",
         "modes at N rates of the spin from A to B [rad/s] instead of the present one, as in "
         "Campbell's diagram: the start's velocities in proportion; with --dir DIR it is in "
         "campbell.csv and campbell.svg there"),
    text(kModeFrames,
         "dir DIR",
         "folder for folders mode_01, mode_02, ..., of which `ancora report` shows each mode "
         "moving; the 20 lowest, or as many as --count says"),
    texts(kPorts,
          "in A,B,...",
          "inputs: a force on a point, BODY.x or BODY@[1, 0, 0].z; an effort on a measure, "
          "JOINT.angle; may be repeated"),
    texts(kPorts,
          "out A,B,...",
          "outputs: a point's position or velocity, BODY.x or BODY@[1, 0, 0].vz; a measure or its "
          "rate, JOINT.angle_rate; may be repeated"),
    text(kPorts, "dir DIR", "folder for A.npy, B.npy, C.npy, D.npy"),
    texts(kJointSpace,
          "by A,B,...",
          "the coordinates: measures, JOINT.angle, or of a body that floats BODY.x and BODY.wx; "
          "may be repeated (default: measures in their order, then bodies, each that does not "
          "follow from those before it)"),
    texts(kJointSpace,
          "of A,B,...",
          "whose Jacobians are wanted: a point, BODY@[1, 0, 0], a body or its frame, BODY or "
          "BODY.FRAME, a measure; may be repeated"),
    text(kJointSpace, "dir DIR", "folder for M.npy, C.npy, bias.npy, T.npy, J.npy"),
    texts(kPlacement,
          "to TARGET",
          "where something is to be: \"hand@[0, 0, 0.1] = [0.3, 0, 0.5]\" [m], \"hand.x = 0.3\", "
          "\"hand.orientation = [1, 0, 0, 0]\", a quaternion, \"elbow.angle = 0.4\" [rad]; may be "
          "repeated"),
    text(kView, "port N", "the port to listen on, of 127.0.0.1 alone (default: one that is free)"),
    flag(kView, "open", &Options::open, "open the page in a browser, by xdg-open"),
    text(kVideo, "from T", "where the video begins in the run [s] (default: the first frame)"),
    text(kVideo, "to T", "where it ends [s] (default: the last frame)"),
    text(kVideo,
         "speed X",
         "seconds of the run per second of the video (default: 1 if that takes 4 to 40 seconds, "
         "else what takes about 12)"),
    text(kVideo,
         "fps N",
         "pictures per second (default: a rate near 30 at which each falls on a frame of the run)"),
    text(kVideo, "size WxH", "width and height in pixels (default: 1280x720)"),
    text(kVideo,
         "view A,E",
         "where the eye is [deg]: the azimuth about the vertical, from x towards y if z is up, and "
         "the elevation, as in -90,0 for a look along y (default: obliquely from above)"),
    text(kVideo,
         "colour NAME",
         "the numbers that colour bodies, by their name in the report's list, as \"bending "
         "moment\", or none (default: the first of that list)"),
    text(kVideo,
         "without LIST",
         "what is left out of grid, joints, points, forces, by names between commas, as in "
         "forces,points"),
    flag(kVideo, "dark", &Options::dark, "light on a dark ground"),
    text(kEvery, "every N", "write one frame of N, and the last (default: 1)"),
    text(kDir, "dir DIR", "folder in which the folder NAME is made (default: the current one)"),
    flag(kDir,
         "with-state",
         &Options::with_state,
         "of a force: one that has inputs, states and outputs of its own"),
    flag(kDir,
         "unilateral",
         &Options::unilateral,
         "of a constraint: a gap that opens and closes, with impacts"),
    flag(kLocked,
         "locked",
         &Options::locked,
         "refuse a kernel or plugin that differs from those of the lock, the file STEM.lock.toml "
         "beside the model file STEM.toml"),
    text(kLocked, "lock FILE", "the lock to be held to, if it is another file; implies --locked"),
    texts(kSet,
          "set TABLE.KEY=VALUE",
          "override a value of the model file, for example integrator.step=1e-3 or "
          "body.box.penalty=1e10; may be repeated"),
    texts(kPluginDir, "plugin-dir DIR", "folder to search for plugins first; may be repeated"),
    flag(kPluginDir,
         "unchecked-plugin-dirs",
         &Options::unchecked_plugin_dirs,
         "take plugins also from folders that others may write to, those that the model file names "
         "among them"),
    flag(kJson,
         "json",
         &Options::json,
         "write one JSON document to standard output and nothing else"),
    flag(kAll, "all", &Options::all, "every type that is found, instead of one"),
    flag(kVerify, "list", &Options::list, "list the checks, instead of making them"),
    text(kVerify, "check NAME", "make this check only"),
    text(kVerify,
         "seed N",
         "where random states and steps start; the same seed repeats a failure (default: 1)"),
    text(kVerify,
         "time-limit SECONDS",
         "processor time that one check may take; ten times as much by the clock (default: 10)"),
    text(kVerify, "memory-limit MIB", "address space that the checks may use (default: 1024)"),
    flag(kFullPaths,
         "full-paths",
         &Options::full_paths,
         "keep whole paths in what is written; without it only their last names stand there, so "
         "that it can be sent"),
    flag(kResume | kSweep,
         "resume",
         &Options::resume,
         "keep the cases that the folder has of this study, and run those that are missing"),
    flag(kResume,
         "resume",
         &Options::resume,
         "go on from the checkpoint in the folder of results, or from the start if there is none"),
    flag(kPrint,
         "print",
         &Options::print,
         "write the model as one file of plain numbers to standard output and nothing else: "
         "included files merged, expressions computed, objects generated, --set applied"),
    flag(kMarkdown, "markdown", &Options::markdown, "write Markdown, as for a reference page"),
    flag(kQuiet, "quiet", &Options::quiet, "write nothing to standard output"),
    text(kCommon,
         "threads N",
         "upper limit of threads (default: 1); the numbers are the same to the last bit with any. "
         "Large matrices and long loops over rows are worked on by several"),
    flag(kCommon, "verbose", &Options::verbose, "say on standard error what is being done"),
    flag(kCommon, "help,h", &Options::help, "show this help"),
};

}  // namespace

std::span<const OptionRow> option_table() {
    return kRows;
}

}  // namespace ancora::command
