// SPDX-License-Identifier: BSD-3-Clause
// Many cases of one model: a study as values, its runs in one process per core, one row per case.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/column_take.hpp"
#include "ancora/framework/export.hpp"
#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

/// One thing that is varied: keys as after `--set`, and their values for each of its variants.
struct StudyFactor {
    std::vector<std::string> keys;
    std::vector<std::vector<std::string>> variants;  ///< per variant one TOML text per key
    Place place;                                     ///< of the keys in the study
};

/// What a row tells of a column of history.csv.
struct StudyColumn {
    using Take = ColumnTake;
    std::string name;  ///< of the table's column: "ball.z", "ball.z.max", "ball.z at 0.5"
    std::string column;
    Take take = Take::final;
    double time = 0.0;  ///< of `at` [s]
    Place place;        ///< in the study
};

/// How a job array is asked for.
struct SlurmSettings {
    int tasks = 10;
    std::string time = "01:00:00";
    std::string memory = "1G";
    std::vector<std::string> options;  ///< further lines, "--partition=long"
};

/// A study: a model, the parameters that are varied, and the values that are reported of each case.
class ANCORA_FRAMEWORK_EXPORT Study {
public:
    /// @throws Error (file) if a file cannot be read, (manifest) if the study is not valid
    static Study load(const std::filesystem::path& file);
    /// The same from text; paths are relative to the folder of `file`.
    static Study parse(std::string_view text, const std::filesystem::path& file);

    /// The product of all factors; the last one changes fastest.
    std::size_t num_cases() const;
    /// All keys, factor by factor.
    std::vector<std::string> keys() const;
    /// The texts of a case's values, one per key.
    std::vector<std::string> values(std::size_t index) const;
    /// The same as overrides, "KEY=VALUE".
    std::vector<std::string> overrides(std::size_t index) const;
    /// Where the study states an override of a case, `number` among overrides().
    const Place& place_of_override(std::size_t number) const;
    /// The first line of the table.
    std::string header() const;

    std::string name;
    std::filesystem::path file;
    std::filesystem::path model;
    std::string text;              ///< of the study
    std::string model_text;        ///< of the model's file
    std::vector<std::string> set;  ///< overrides of all cases
    Place set_place;               ///< of these in the study
    std::vector<StudyFactor> factors;
    std::vector<StudyColumn> measures;
    bool keep_runs = false;  ///< each case has a folder of results
    SlurmSettings slurm;
    std::string files;  ///< texts of other files that the study named
};

/// Runs one case and returns its row of the table, without the end of the line. What a case throws
/// is in its row. The same bytes whatever ran before.
///
/// @param stop asked before each step; true ends the case, and the row is empty
ANCORA_FRAMEWORK_EXPORT std::string run_case(const Study& study,
                                             std::size_t index,
                                             PluginRegistry& registry,
                                             const std::filesystem::path& runs_folder = {},
                                             const std::function<bool()>& stop = {});

struct SweepProgress {
    std::size_t done = 0;  ///< cases, those of earlier runs too
    std::size_t failed = 0;
    std::size_t total = 0;
};

struct SweepOptions {
    std::filesystem::path folder;
    int workers = 0;                  ///< processes; 0: one per core that this process may use
    bool resume = false;              ///< go on with what the folder holds of the same study
    std::size_t part = 0, parts = 1;  ///< only this share of the cases
    bool merge_only = false;          ///< write the table of what is there
    bool prepare_only = false;        ///< try the model and make the folder
    std::function<bool()> stop;
    std::function<void(const SweepProgress&)> progress;
};

struct SweepResult {
    SweepProgress cases;
    bool is_complete = false;  ///< all cases of all parts are done, and the table is written
    bool was_interrupted = false;
    std::filesystem::path table;  ///< cases.csv
    std::filesystem::path page;   ///< study.html, written with the table
};

/// Runs the cases of a study in processes of their own, forked from this one, which must have one
/// thread only. Rows are kept as they come, so that a sweep that was killed goes on; the table has
/// them in the order of the cases and is written when all are there.
/// @throws Error (file) if the folder cannot be used; what the model as it stands throws
ANCORA_FRAMEWORK_EXPORT SweepResult run_sweep(const Study& study,
                                              PluginRegistry& registry,
                                              const SweepOptions& options);

/// The script of a job array for Slurm that runs the study into `folder`, and of the job that
/// merges it. `program` is a word of the shell, `options` what stands behind, each with a space
/// before it.
struct SlurmScripts {
    std::string array, merge;
};
ANCORA_FRAMEWORK_EXPORT SlurmScripts slurm_scripts(const Study& study,
                                                   const std::filesystem::path& folder,
                                                   const std::string& program,
                                                   const std::string& options = {});

}  // namespace ancora
