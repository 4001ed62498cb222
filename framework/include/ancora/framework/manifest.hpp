// SPDX-License-Identifier: BSD-3-Clause
// The manifest: a model as text or as built in code, checked as far as it can be without plugins.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/value.hpp"
#include "ancora/sdk/plugin.hpp"

namespace ancora {

class ExpressionScope;

/// A text with its place in the manifest.
struct PlacedText {
    std::string text;
    Place place;
};

/// One body, constraint or force: name, type, and the parameters that its type's schema checks.
struct ObjectSpec {
    TypeKind kind = TypeKind::body;
    bool is_joint = false;  ///< a constraint that was written as [[joint]]
    std::string name;
    std::string type;
    Place place;       ///< of the object's table
    Place name_place;  ///< of the name's value
    Place type_place;  ///< of the type's value
    Table parameters;
    Array frames;                ///< of a body: tables of [[body.frame]], see frame_keys()
    std::optional<Value> shape;  ///< of a body: what it looks like, if given
    /// Names for expressions: of [parameters] and [[generate]]'s indices. Null for an object that
    /// was not generated: the manifest's own.
    std::shared_ptr<const ExpressionScope> scope;
    /// Whether texts still hold "${EXPRESSION}" as somebody wrote it, which is put in when the
    /// model is made; those of a manifest that was read have it put in already.
    bool has_interpolation = true;

    /// Sets a parameter, or the shape of a body; returns the object for chaining.
    ObjectSpec& set(std::string key, Value value) {
        if (kind == TypeKind::body && key == "shape")
            shape = std::move(value);
        else
            parameters.set(std::move(key), std::move(value));
        return *this;
    }
};

/// Whether a start that violates its constraints is projected onto them.
enum class ProjectStart {
    no,
    near,    ///< by no more than a tenth of the model's size and 20 degrees, else it is refused
    far,     ///< by whatever it takes
    drives,  ///< likewise, and without a warning: the start is where drives are
};

/// Where a run begins.
enum class ModelStart {
    given,        ///< as the bodies say
    equilibrium,  ///< at rest, see Equilibrium
    steady_spin,  ///< at rest in the frame that turns with the bodies' start
};

struct ModelSettings {
    std::string name = "model";
    std::array<double, 3> gravity{};      ///< [m/s^2]
    std::vector<PlacedText> plugins;      ///< names
    std::vector<PlacedText> plugin_dirs;  ///< relative to the manifest's folder
    ProjectStart project_start = ProjectStart::no;
    Place project_start_place;
    ModelStart start = ModelStart::given;
    Place start_place;
    bool has_impacts_in_turn = false;  ///< contacts that meet at one instant do so one by one
};

struct IntegratorSettings {
    std::string type;
    double step = 0.0;   ///< [s]
    double begin = 0.0;  ///< time at which the run begins, of tables and formulas as well [s]
    double end = 0.0;    ///< [s]
    std::optional<double> tolerance;
    /// No key: somebody else integrates x' = f(t, x), see ContinuousModel. The integrator takes no
    /// step; one of accelerations says how constraints are kept, else states are projected.
    bool is_outer = false;
    Place place;
    Place type_place;
    Place step_place;
    Place end_place;
    /// Keys of [integrator.TYPE] for every TYPE that the manifest has.
    std::map<std::string, Table> own;
    std::map<std::string, Place> own_places;
};

struct OutputSettings {
    std::optional<double> every;  ///< [s]; without it every step up to 1000, else end/1000
    double checkpoint = 30.0;     ///< wall time between checkpoints [s]; 0: none
    std::vector<PlacedText> points;
    /// Columns of objects, with `*` and `?` for any characters; without it all of them.
    std::optional<std::vector<PlacedText>> columns;
    std::optional<double> frames;  ///< [s] between frames; 0: none; without it as many as rows, up
                                   ///< to about 1000 and 50 MB
    bool states = false;           ///< t, q and v of each row, in states.npy
    bool all_forces = false;       ///< F_L and F_C - C of each constraint, beside the reaction
};

/// A model before plugins are looked at.
class ANCORA_FRAMEWORK_EXPORT Manifest {
public:
    /// Reads a file and applies `overrides`, each "TABLE.KEY=VALUE" as after --set.
    /// @throws Error (file) if it cannot be read, (manifest) if it is not valid
    static Manifest load(const std::filesystem::path& file,
                         std::span<const std::string> overrides = {});
    /// The same from text; `file` is used in messages and its folder for relative paths.
    static Manifest parse(std::string_view text,
                          const std::filesystem::path& file,
                          std::span<const std::string> overrides = {});

    /// Sets what a file has in [parameters], for the expressions of objects that are added in code,
    /// and for "${EXPRESSION}" in their texts and in output.points.
    /// @throws Error (manifest) if one cannot be computed
    void set_parameters(const Table& parameters);

    ObjectSpec& add_body(std::string name, std::string type);
    ObjectSpec& add_constraint(std::string name, std::string type);
    ObjectSpec& add_force(std::string name, std::string type);

    /// Names valid and unique over all tables, step and end in range.
    /// @throws Error (manifest)
    void validate() const;

    std::vector<std::string> overrides;            ///< that were applied
    std::filesystem::path file;                    ///< empty for a model built in code
    std::shared_ptr<const ExpressionScope> scope;  ///< names for expressions; may be null
    ModelSettings model;
    Array scenery;        ///< tables of [[shape]]: what stands on the ground, for looks alone
    Array ground_frames;  ///< tables of [[frame]]: frames of the ground, named "ground.NAME"
    std::vector<ObjectSpec> bodies;
    std::vector<ObjectSpec> constraints;
    std::vector<ObjectSpec> forces;
    IntegratorSettings integrator;
    OutputSettings output;
};

}  // namespace ancora
