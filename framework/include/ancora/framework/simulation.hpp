// SPDX-License-Identifier: BSD-3-Clause
// A model in motion: built from a manifest, stepped, observed.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/scene.hpp"

namespace ancora {

/// Receives warnings, each with its place in front if it has one. The kernel itself prints nothing.
using WarningSink = std::function<void(const std::string& message)>;

/// Maximum of a balance over every step, absolute and relative to its scale at the end.
struct BalanceMaximum {
    double max_abs = 0.0;
    double max_rel = 0.0;
};

/// What one plugin cost a run: its share of the step time, measured in one step of sixteen. The
/// integrator's share holds the kernel's services that it called.
struct PluginCost {
    std::string plugin;
    double seconds = 0.0;
    long calls = 0;
};

/// Statistics of a run so far.
struct RunStatistics {
    long steps = 0;     ///< grid steps
    long substeps = 0;  ///< accepted pieces of them
    long iterations = 0;
    long max_iterations = 0;  ///< in one accepted piece, with the retries that led to it
    long factorisations = 0;
    long evaluations = 0;  ///< of accelerations, by the integrator
    double factorise_seconds = 0.0;
    double assemble_seconds =
        0.0;                     ///< residuals and tangents of implicit steps, from sampled steps
    double solve_seconds = 0.0;  ///< solves with the factorised matrix, likewise
    double step_seconds = 0.0;   ///< wall time inside step()
    int redundant_rows = 0;  ///< constraint rows at the start that depend on others; if there are
                             ///< any, reactions are those of minimum norm
    BalanceMaximum energy;
    BalanceMaximum momentum;
    BalanceMaximum angular_momentum;
    BalanceMaximum constraint_position;
    BalanceMaximum constraint_velocity;
    BalanceMaximum constraint_strain;
    std::vector<PluginCost> plugins;
    /// Reasons not to take the run for right as it is, in words; settled at its end.
    std::vector<std::string> doubts;
};

/// What a constraint contributes to the Udwadia-Kalaba equation: on its first attachment, inertial
/// axes [N], or as multipliers if it reports those.
struct ConstraintForces {
    std::string name;
    std::vector<double> ideal;     ///< its part of F_L
    std::vector<double> nonideal;  ///< its part of F_C - C: what it takes up of C
    std::vector<double> reaction;  ///< the sum, F_L + F_C - C
};

/// A force object's C on its first attachment; for friction on the constraint's.
struct AppliedForce {
    std::string name;
    std::array<double, 3> force{};
};

/// The Udwadia-Kalaba equation at a state, n entries each (theory: Udwadia, Kalaba, Fan 2005, eqs.
/// 8 to 11):
///
///   M a = Q + F_L + F_C,   A a = b
struct Dynamics {
    std::vector<double> acceleration;  ///< a
    std::vector<double> Q;             ///< impressed: gravity, elastic and viscous rows, inertia
    std::vector<double> C;             ///< of all force objects, friction included
    std::vector<double> F_L;           ///< ideal constraint force
    std::vector<double> F_C;           ///< nonideal constraint force
    std::vector<ConstraintForces> constraints;
    std::vector<AppliedForce> forces;
};

/// A contact that began to stick or to slip.
struct ContactEvent {
    double t = 0.0;       ///< [s]
    std::string force;    ///< the friction's name
    bool sticks = false;  ///< else it slips
};

/// A position at which constraints depend on each other that do not elsewhere, and other motions
/// begin: a linkage of equal bars that is flat.
struct SingularPosition {
    double t = 0.0;         ///< end of the step in which it was passed [s]
    bool continues = true;  ///< the motion goes on smoothly; else velocities jump there
};

/// An element that broke.
struct BreakEvent {
    double t = 0.0;       ///< [s]
    std::string object;   ///< the body or constraint that it belongs to
    int item = 0;         ///< its number there
    double energy = 0.0;  ///< elastic energy that it held, lost with it [J]
};

/// A file that a parameter of the model names.
struct InputFile {
    std::string key;  ///< "body.net.mesh"
    std::filesystem::path path;
    std::string sha256;  ///< hexadecimal, of its bytes when the model was made
};

/// A plugin that a model names or takes types from.
struct UsedPlugin {
    const Plugin* plugin = nullptr;
    std::vector<const TypeDescriptor*> types;  ///< that the model takes from it; may be none
};

/// Numbers of a model at its present state, for `ancora check` and embedding programs.
struct ModelAnalysis {
    int num_bodies = 0;
    int num_constraints = 0;
    int num_forces = 0;
    int num_coordinates = 0;
    int num_rows = 0;             ///< all rows, elastic ones included
    int num_constraint_rows = 0;  ///< rows of constraints and of exactly rigid bodies
    int rank = 0;                 ///< of the constraint rows
    double rank_threshold = 0.0;  ///< relative to the largest pivot
    double smallest_kept = 0.0;   ///< relative pivot next above the threshold (0: no rows)
    double largest_dropped = 0.0;
    int degrees_of_freedom = 0;  ///< num_coordinates - rank
    /// Empty if accelerations are unique at this state, else why they are not.
    std::string undetermined;
    std::vector<std::string> redundant_rows;
    bool near_threshold = false;             ///< a relative pivot lies between 1e-14 and 1e-8
    double mass = 0.0;                       ///< [kg]
    std::array<double, 3> center_of_mass{};  ///< [m]
    std::array<double, 9> inertia{};         ///< about the centre of mass, inertial axes [kg m^2]
    double kinetic_energy = 0.0;
    double elastic_energy = 0.0;
    double gravity_energy = 0.0;
    std::array<double, 3> momentum{};
    std::array<double, 3> angular_momentum{};
};

/// A model built from a manifest with the plugins of a registry, and its motion.
///
/// The registry must outlive the simulation. One simulation is used by one thread at a time;
/// different simulations may run in different threads.
class ANCORA_FRAMEWORK_EXPORT Simulation {
public:
    /// [assembly] Loads the plugins that the manifest names, makes the objects, assembles the
    /// equations, and checks the start.
    /// @throws Error (manifest, plugin, numerical) as the contract of the command says
    Simulation(const Manifest& manifest, PluginRegistry& registry, WarningSink warn = {});
    ~Simulation();
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;

    const std::string& name() const;
    double time() const;
    /// Length of the grid steps and end of the run [s].
    double step_size() const;
    double end_time() const;
    /// Whether the integrator chooses its steps itself; there is no grid of steps then.
    bool is_adaptive() const;
    /// Number of grid steps to the end (0 without a grid), and how many steps are done.
    long num_steps() const;
    long steps_done() const;
    bool done() const;

    /// Takes one grid step, or one step of the integrator's choice.
    /// @throws Error (plugin, numerical); the state stays that of the last accepted step
    void step();

    /// Generalized coordinates and velocities; the spans are valid until the next step.
    std::span<const double> q() const;
    std::span<const double> v() const;
    /// Replaces the state at the present time, as a start: strains are computed afresh, the ledger
    /// begins anew.
    /// @throws Error (numerical) if constraints are not met
    void set_state(std::span<const double> q, std::span<const double> v);

    /// Applies a force [N, inertial axes] to an attachment such as "box@[1, 0, 0]", from the
    /// present time until it is set anew; zero takes it away. It is an impressed force, part of Q;
    /// its work is booked in work.external, its impulse with the momenta.
    /// @throws Error (manifest) if there is no such attachment, (usage) if an entry is not finite
    void apply_force(const std::string& attachment, const std::array<double, 3>& force);

    /// Everything that the rest of the run depends on: state with its compensation words, carried
    /// strains, multipliers, the integrator's history, contacts, ledger, applied forces, and the
    /// matrix that is factorised. Restored, in this simulation or in another one of the same model
    /// and plugins, the run goes on with the same bits. Costs of plugins are not in it.
    std::vector<std::byte> save() const;
    /// @throws Error (usage) if the bytes are of another model, other plugins or another build,
    ///         with the difference; (file) if they are damaged. The simulation is then unchanged.
    void restore(std::span<const std::byte> saved);

    /// Position and velocity of an attachment such as "box@[1, 0, 0]".
    struct PointState {
        std::array<double, 3> position;
        std::array<double, 3> velocity;
    };
    PointState point(const std::string& attachment) const;
    /// Pose of a body.
    /// @throws Error (usage) if there is no such body
    Pose pose(const std::string& body) const;
    /// Reaction of a constraint over the last step: the force on its first attachment [N], or the
    /// multipliers.
    std::vector<double> reaction(const std::string& constraint) const;

    /// Accelerations and forces at the present state, by the Udwadia-Kalaba equation, whatever the
    /// integrator.
    /// @throws Error (numerical) if the acceleration is not unique or constraints are inconsistent
    Dynamics dynamics() const;
    /// Contacts that began to stick or to slip so far, also from one slip to the opposite one; the
    /// first ten thousand.
    std::vector<ContactEvent> events() const;
    /// Singular positions that the integrator noticed to have passed, the first ten thousand.
    std::vector<SingularPosition> singular_positions() const;
    /// Elements that broke so far, the first ten thousand. They stay broken for good, whatever
    /// set_state() sets; restore() brings back the whole state.
    std::vector<BreakEvent> breaks() const;

    /// Columns of history.csv, and their values now (reactions are zero before the first
    /// step).
    std::vector<std::string> column_names() const;
    void sample(std::span<double> row) const;
    /// What can be sampled; a span that is empty is not wanted.
    struct Samples {
        std::span<double> row;    ///< the columns of history.csv
        std::span<double> frame;  ///< the scene's values
        std::span<double> state;  ///< t, q, v
    };
    void sample(const Samples& to) const;
    /// The same at a time inside the last step, for an integrator that chooses its steps:
    /// interpolated, then projected onto the constraints.
    void sample_at(double t, const Samples& to) const;
    void sample_at(double t, std::span<double> row) const { sample_at(t, {row, {}, {}}); }
    /// Where the columns stand that hold a mean over the step that ended now (reactions).
    std::vector<int> step_mean_columns() const;
    /// What the model looks like, and what a frame's values are.
    /// @throws Error (plugin) if a body draws what it does not have
    const Scene& scene() const;
    /// Values of a frame that are such means: forces, and what lines show.
    const std::vector<int>& step_mean_values() const;
    /// Newton iterations so far, or for an explicit method evaluations of accelerations.
    long work_done() const;

    RunStatistics statistics() const;
    ModelAnalysis analyse() const;
    /// Plugins in use, in the order of loading.
    std::vector<const Plugin*> plugins() const;
    /// The same with the types in use, and with plugins that the manifest only names.
    std::vector<UsedPlugin> used_plugins() const;
    /// Files that the model's parameters name, such as meshes and tables.
    std::vector<InputFile> input_files() const;
    /// Whether the registry held it to a lock.
    bool is_locked() const;
    /// The final state by object: body name to its coordinates and velocities.
    struct BodyState {
        std::string name;
        std::span<const double> q;
        std::span<const double> v;
    };
    std::vector<BodyState> body_states() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ancora
