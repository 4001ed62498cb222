// SPDX-License-Identifier: BSD-3-Clause
// What a run's results depend on: derivatives by parameters, and parameters from measured motion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/column_take.hpp"
#include "ancora/framework/export.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

class Simulation;

/// A number of a run: the value of a column of history.csv at a time, or a functional of it.
struct ANCORA_FRAMEWORK_EXPORT Objective {
    std::string text;  ///< as it was written
    std::string column;
    ColumnTake take = ColumnTake::final;
    double time = 0.0;  ///< of `at` [s]

    /// "tip.x", "tip.x @ 2.0", "max(elbow.effort)", "min()", "largest()" of magnitudes,
    /// "integral()" over time, "mean()".
    /// @throws Error (usage)
    static Objective parse(std::string_view text);
};

/// Makes the model with overrides, as after --set, beside those that it has.
using ModelSource = std::function<Manifest(std::span<const std::string> overrides)>;

/// How derivatives are computed.
enum class GradientMethod {
    automatic,    ///< by the adjoint where it is to be had, else by differences
    adjoint,      ///< of the steps: exact for the run that was computed, in one run back
    differences,  ///< of runs with neighbouring values: of anything that runs
};

struct GradientOptions {
    int workers = 0;  ///< threads, a run each; 0: one per core that this process may use
    GradientMethod method = GradientMethod::automatic;
    /// Of the steps that the adjoint keeps; more are computed again from saved states.
    std::size_t most_bytes = std::size_t{256} << 20;
};

/// Derivatives of objectives of a run by parameters.
struct ANCORA_FRAMEWORK_EXPORT Gradient {
    struct Value {
        std::string text;          ///< of the objective
        std::string unit;          ///< SI; may be empty
        double value = 0.0;        ///< of the model as it stands
        std::optional<double> at;  ///< where a maximum, minimum or largest magnitude lies [s]
    };
    struct Parameter {
        std::string key;  ///< as after --set, with "[i]" for an entry of an array
        std::string unit;
        double value = 0.0;
    };
    struct Entry {
        double value = 0.0;  ///< d objective / d parameter; not a number where there is none
        double error = 0.0;  ///< estimated
        std::string remark;  ///< why there is none, or what to know
        bool is_by_adjoint = false;
    };
    std::string model;
    std::vector<Value> of;
    std::vector<Parameter> by;
    std::vector<Entry> entries;  ///< row by row, one row for each objective
    std::size_t runs = 0;        ///< that it took
    /// Why some entries, or all, are by differences though they might have been by the adjoint;
    /// empty: none are, or they were asked for.
    std::string why_differences;

    const Entry& entry(std::size_t objective, std::size_t parameter) const {
        return entries[objective * by.size() + parameter];
    }
    /// (p / J) dJ/dp: zero where that is no more than its error, nothing where J or p is zero.
    std::optional<double> relative(std::size_t objective, std::size_t parameter) const;
};

/// Differentiates objectives by parameters.
///
/// By the adjoint of the steps of a run, whatever the number of parameters: one solve with the
/// transposed matrix of each step, back from the end. It is to be had for steps of the discrete
/// formulation, over impacts without friction at order 2, and for columns that follow from
/// positions and velocities. Parameters enter by differences of each step's residual, so that any
/// number that makes a model may be one. Of fewer parameters than objectives the same derivatives
/// of the steps go forth with the run.
///
/// Else derivatives are central differences of runs with neighbouring values, extrapolated in the
/// squares of their distances (L. F. Richardson 1911, C. J. F. Ridders, Adv. Eng. Softw. 4 (1982)
/// 75), each with an estimate of its error. Steps that are solved to round-off leave nine digits
/// and more. Neighbours whose contacts, impacts or breaks come in another order are on another
/// branch of the motion: they are not used, and where none nearer agree, there is no derivative.
/// Where one side of a value is no model, differences are one-sided. An extreme value is followed
/// at the step at which the model as it stands has it.
///
/// @param of  at least one
/// @param by  keys as after --set, "parameters.length" or "body.boom.young"; "[i]" behind one is an
///            entry of an array, counted from 0; "body.boom" stands for all numbers that the model
///            gives to sensitive parameters of this object, "sensitive" for those of all objects
/// @throws Error (usage) for what names nothing or no number, or where the adjoint was asked for
///         and is not to be had; what the model as it stands throws
ANCORA_FRAMEWORK_EXPORT Gradient differentiate(const ModelSource& model,
                                               std::span<const Objective> of,
                                               std::span<const std::string> by,
                                               PluginRegistry& registry,
                                               const GradientOptions& options = {});

/// Keys of all numbers that a model gives to parameters which types call sensitive, of one object,
/// "body.boom", or of all: "sensitive".
/// @throws Error (usage) where there are none
ANCORA_FRAMEWORK_EXPORT std::vector<std::string> sensitive_parameters(const ModelSource& model,
                                                                      const std::string& object,
                                                                      PluginRegistry& registry);

/// What a symmetry of space asks of the adjoint of a run. With L = (L_q, L_v) the derivatives of
/// any function of the end by the state at an instant, sum L_q over what translates and sum (q x
/// L_q + v x L_v) over all vectors are the same at each instant, if the motion from a start that is
/// shifted or turned is the motion, shifted or turned.
struct AdjointInvariance {
    /// Largest changes of the two over the run, in their largest terms.
    double translation = 0.0, rotation = 0.0;
    std::string obstacle;  ///< why there is no adjoint, or coordinates do not turn; empty: there is
};
/// Tries it with a function at random. No differences of runs are taken.
/// @param run  at its begin; is at its end afterwards
/// @param other  another one of the same model
/// @throws what a step of the run throws
ANCORA_FRAMEWORK_EXPORT AdjointInvariance adjoint_invariance(Simulation& run,
                                                             Simulation& other,
                                                             std::uint64_t seed);

/// A parameter that is fitted.
struct ANCORA_FRAMEWORK_EXPORT FitParameter {
    std::string key;
    std::optional<double> lower, upper;

    /// "KEY" or "KEY=LOWER:UPPER", either of which may be left out.
    /// @throws Error (usage)
    static FitParameter parse(std::string_view text);
};

/// Measured columns over time.
struct MeasuredData {
    std::vector<double> t;             ///< ascending [s]
    std::vector<std::string> columns;  ///< of history.csv
    std::vector<double> values;        ///< row by row, one row for each time; not a number: missing
};

/// Parameters with which a model's motion is nearest to what was measured.
struct Fit {
    struct Parameter {
        std::string key;
        std::string unit;
        double start = 0.0;
        double value = 0.0;
        double deviation = 0.0;  ///< standard deviation; not a number: the data do not tell
        bool is_at_bound = false;
    };
    struct Column {
        std::string name;
        std::string unit;
        double rms = 0.0;        ///< of what is left
        double rms_start = 0.0;  ///< with the model as it stands
        std::size_t count = 0;   ///< of values
    };
    std::string model;
    std::vector<Parameter> by;
    std::vector<Column> columns;
    std::vector<double> correlation;  ///< of the parameters' errors, row by row
    std::vector<double> fitted;       ///< as MeasuredData::values, of the model with these values
    bool has_converged = false;
    std::string remark;  ///< empty, or what to know
    std::size_t runs = 0;
};

/// Least squares of the differences to measured columns, each weighted by the root mean square of
/// what is left of it, by the Levenberg-Marquardt method of MINPACK (J. J. More, Numerical
/// Analysis, Lecture Notes in Mathematics 630 (1978) 105) with derivatives from neighbouring runs.
/// Deviations and correlations are those of the linearised problem with independent errors.
/// @throws Error (usage) for what names nothing or no number, or has too few data; (numerical) if
///         no run with the start values is possible
ANCORA_FRAMEWORK_EXPORT Fit fit(const ModelSource& model,
                                const MeasuredData& data,
                                std::span<const FitParameter> by,
                                PluginRegistry& registry,
                                const GradientOptions& options = {});

/// Reads measured columns from a text file as tables of manifests are read: a heading names the
/// columns, with units behind names or in a row of their own; "t" or "time" is the time.
/// @param columns  that are wanted; empty: all
/// @throws Error (file, manifest) with line and column
ANCORA_FRAMEWORK_EXPORT MeasuredData read_measured(const std::filesystem::path& file,
                                                   std::span<const std::string> columns = {});

}  // namespace ancora
