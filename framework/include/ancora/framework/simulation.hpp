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
#include <utility>
#include <vector>

#include "ancora/framework/analysis.hpp"
#include "ancora/framework/dynamics.hpp"
#include "ancora/framework/equation.hpp"
#include "ancora/framework/equilibrium.hpp"
#include "ancora/framework/events.hpp"
#include "ancora/framework/joint_space.hpp"
#include "ancora/framework/linear_model.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/scene.hpp"
#include "ancora/framework/statistics.hpp"
#include "ancora/framework/used_plugin.hpp"

namespace ancora {

class ContinuousModel;
class KernelAccess;
class KernelSystem;
class Stepping;

/// Receives warnings, each with its place in front if it has one. The kernel itself prints nothing.
using WarningSink = std::function<void(const std::string& message)>;

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
    /// Length of the grid steps, begin and end of the run [s].
    double step_size() const;
    double begin_time() const;
    double end_time() const;
    /// Whether the integrator chooses its steps itself; there is no grid of steps then.
    bool is_adaptive() const;
    /// Whether sample_at() takes a step of its own for each sample: exact, and as dear as a step.
    bool samples_by_steps() const;
    /// Number of grid steps to the end (0 without a grid), and how many steps are done.
    long num_steps() const;
    long steps_done() const;
    bool done() const;

    /// How many threads may work on large matrices at once, with the one that calls; 1 at first.
    /// It changes no number. The others start here and sleep between steps.
    /// @throws Error (usage) if it is not at least 1
    void set_threads(int num_threads);

    /// Takes one grid step, or one step of the integrator's choice.
    /// @throws Error (plugin, numerical); the state stays that of the last accepted step
    void step();

    /// Generalized coordinates and velocities; the spans are valid until the next step.
    std::span<const double> q() const;
    std::span<const double> v() const;
    /// Replaces the state at the present time, as a start: strains are computed afresh, the ledger
    /// begins anew, what objects keep besides begins as they say. What q() and v() have shown is
    /// taken as it is, here and in other simulations of the model: where the integrator meets
    /// velocity conditions in the middle of its steps, what these may leave at their ends counts as
    /// met.
    /// @throws Error (numerical) if constraints are not met
    void set_state(std::span<const double> q, std::span<const double> v);
    /// The same at another time of the run, which goes on from there: for what is given over time.
    /// Angles count their turns from within half a turn of the start.
    /// @throws Error (usage) if no step ends at `t`, or q and v are not all of a state at another
    ///         time, as where a controller has states of its own; save() has these
    void set_state(std::span<const double> q, std::span<const double> v, double t);

    /// Applies a force [N, inertial axes] to an attachment such as "box@[1, 0, 0]", from the
    /// present time until it is set anew; zero takes it away. It is an impressed force, part of Q;
    /// its work is recorded in work.external, its impulse with the momenta.
    /// @throws Error (manifest) if there is no such attachment, (usage) if an entry is not finite
    void apply_force(const std::string& attachment, const std::array<double, 3>& force);
    /// The same for a torque [N m, inertial axes] on a body: what it does to the angular momentum
    /// is exact, its work is that of the body's rotation.
    /// @throws Error (manifest) if there is no such body, or it has no orientation, such as a
    ///         particle; (usage) if an entry is not finite
    void apply_torque(const std::string& body, const std::array<double, 3>& torque);

    /// An input of an object with signals, such as "motor.voltage".
    struct Input {
        std::string name;
        std::string unit;
        bool is_set = false;  ///< by set_input()
    };
    std::vector<Input> inputs() const;
    /// Gives an input a value from the present time until it is set anew or released; then it is
    /// again what the model says.
    /// @throws Error (usage) if there is no such input, or the value is not finite
    void set_input(const std::string& name, double value);
    /// A number for the input, good for the life of the simulation.
    /// @throws Error (usage) if there is no such input
    int find_input(const std::string& name) const;
    /// The same for several inputs by such numbers at once. [step]
    /// @throws Error (usage) if a number is of no input, the sizes differ, or a value is not finite
    void set_inputs(std::span<const int> numbers, std::span<const double> values);
    void release_input(const std::string& name);

    /// Everything that the rest of the run depends on: state with its compensation words, carried
    /// strains, multipliers, the integrator's history, contacts, ledger, applied forces, and the
    /// matrix that is factorised. Restored, in this simulation or in another one of the same model
    /// and plugins, the run goes on with the same bits. Costs of plugins are not in it.
    std::vector<std::byte> save() const;
    /// @throws Error (usage) if the bytes are of another model, other plugins or another build,
    ///         with the difference; (file) if they are damaged. The simulation is then unchanged.
    void restore(std::span<const std::byte> saved);

    /// Back to the model's start, with the bits of a new simulation: states, inputs and forces that
    /// the program has set, the ledger and counts are as they were there. Quicker than a new
    /// simulation, which loads and assembles.
    void reset();
    /// A simulation that goes on from the present state with other parameters, or with plugins that
    /// were built anew: those of `manifest` and `registry`. This one stays as it is; in its place,
    /// `simulation = simulation.changed(manifest, registry)`. Objects, columns and the integrator
    /// with its step are the same; masses, stiffnesses, coefficients, sizes, loads, gravity,
    /// tolerance and the end of the run may differ. Works, contacts, events, and what the program
    /// has set go on; strains are computed afresh; the energy and momentum that the change brings
    /// or takes is recorded in work.external and with the external impulses. States that were
    /// saved before belong to the model as it was, and reset() goes to the start of the changed
    /// one.
    /// @throws Error as the constructor does; (usage) with the difference, if more is changed than
    ///         this; (numerical) if the present state does not meet the constraints of `manifest`
    Simulation changed(const Manifest& manifest,
                       PluginRegistry& registry,
                       WarningSink warn = {}) const;

    /// Position and velocity of an attachment such as "box@[1, 0, 0]".
    struct PointState {
        std::array<double, 3> position;
        std::array<double, 3> velocity;
    };
    PointState point(const std::string& attachment) const;
    /// Pose of a body; the "ground" stands still at the origin.
    /// @throws Error (usage) if there is no such body, or if it has no pose
    Pose pose(const std::string& body) const;
    /// Reaction of a constraint over the last step: the force on its first attachment [N], or the
    /// multipliers. Where no step has led to the present state it is that over the next one.
    /// @throws Error, FailedCall as step() if that step cannot be made
    std::vector<double> reaction(const std::string& constraint) const;

    /// Accelerations and forces at the present state, by the Udwadia-Kalaba equation, whatever the
    /// integrator.
    /// @throws Error (numerical) if the acceleration is not unique or constraints are inconsistent
    Dynamics dynamics() const;
    /// Looks for a position of equilibrium from the present state, and takes it, at rest.
    /// @throws Error (manifest) for what has no equilibrium by derivatives: dry friction, states of
    ///         objects; (usage) while apply_torque() acts, which has none either; (numerical) if
    ///         none is found. The state then stays
    Equilibrium find_equilibrium(const EquilibriumOptions& options = {});
    /// Small vibrations about the present state: at rest, or in steady spin.
    /// @throws Error (numerical) if the state is neither
    Modes modes(const ModesOptions& options = {});
    /// Linearised buckling of the present state of rest.
    /// @throws Error (numerical) if the state is none, bears no stress, or is held by nothing; or
    ///         where loads follow the motion, so that no potential tells
    Buckling buckling(const BucklingOptions& options = {});
    /// The same as modes() about spins of other rates; the state stays.
    /// @throws Error (usage) if nothing spins at the present state, or there are no rates;
    ///         (numerical) if some rate has no modes
    SpinRange modes_over_spins(const SpinRangeOptions& options);
    /// The model at rest as x' = A x + B u, y = C x + D u.
    /// @param inputs "BODY@POINT.x": a force; "JOINT.angle": an effort on a measure
    /// @param outputs columns of positions and velocities
    LinearModel linearize(const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs);

    /// Equations of motion of a mechanism in the coordinates of its joints at the present state,
    /// M p'' + bias = tau.
    /// @param by "JOINT.angle", or of a body that floats "BODY.x", "BODY.wx"; empty: measures in
    ///        their order, then bodies that float, each that does not follow from those before it
    /// @param of "BODY@[1, 0, 0]", "BODY", "JOINT.angle": whose Jacobians are wanted
    /// @throws Error (usage) for names of nothing, or where `by` are too few or depend on each
    ///         other; (numerical) where bodies deform, whose motions no such coordinates tell
    JointSpace joint_space(const std::vector<std::string>& by = {},
                           const std::vector<std::string>& of = {}) const;
    /// Goes to the place nearest to the targets that the constraints allow, at rest but for what is
    /// given over time; the place nearest to the present one where targets leave a choice. Stops
    /// and contacts are not passed.
    /// @throws Error (usage) for targets of nothing, (numerical) if constraints cannot be met. The
    ///         state then stays
    InverseKinematics inverse_kinematics(std::span<const KinematicTarget> targets);

    /// Inverse dynamics of a model whose constraints leave it no freedom.
    /// @throws Error (numerical) if they leave some, (manifest) where objects have states of their
    ///         own
    void require_prescribed() const;
    /// Goes to t, not before the present time, by the constraints alone: positions and velocities
    /// are theirs, accelerations and reactions follow. Nothing is integrated.
    /// @throws Error (numerical) if constraints cannot be met
    void follow_prescribed(double t);

    /// M, A and b at the present state, for programs that go on with them.
    Equation equation() const;
    /// dr/dq of an attachment such as "box@[1, 0, 0]" at the present state: 3 x n, row by row.
    /// @throws Error (manifest) if there is no such attachment
    std::vector<double> point_jacobian(const std::string& attachment) const;
    /// Contacts that began to stick or to slip so far, also from one slip to the opposite one; the
    /// first ten thousand.
    std::vector<ContactEvent> events() const;
    /// Impacts of stops and contacts so far, and when they closed and let go; the first ten
    /// thousand.
    std::vector<ImpactEvent> impacts() const;
    /// Singular positions that the integrator noticed to have passed, the first ten thousand.
    std::vector<SingularPosition> singular_positions() const;
    /// Elements that broke so far, the first ten thousand. They stay broken for good, whatever
    /// set_state() sets; restore() brings back the whole state.
    std::vector<BreakEvent> breaks() const;

    /// Columns of history.csv, and their values now (reactions as reaction() has them).
    std::vector<std::string> column_names() const;
    /// SI units of the columns whose names do not tell them: efforts ("N" or "N m", by what they
    /// act on) and measures of joints with their rates.
    std::vector<std::pair<std::string, std::string>> column_units() const;
    void sample(std::span<double> row) const;
    /// Value now of a column, also of one that `columns` of [output] leaves out: "motor.current".
    /// @throws Error (usage) if there is no such column
    double value(const std::string& column) const;
    /// A number for the column, good for the life of the simulation.
    /// @throws Error (usage) if there is no such column
    int find_column(const std::string& column) const;
    /// Values now of columns by such numbers, computed together; as many as there are columns.
    /// @throws Error (usage) if a number is of no column, or the sizes differ
    void values(std::span<const int> columns, std::span<double> to) const;
    /// What can be sampled; a span that is empty is not wanted.
    struct Samples {
        std::span<double> row;    ///< the columns of history.csv
        std::span<double> frame;  ///< the scene's values
        std::span<double> state;  ///< t, q, v
        /// Where no step has led to the present state means over steps are those of the next one,
        /// which is made for that and taken back; false: they are zero.
        bool of_first_step = true;
    };
    void sample(const Samples& to) const;
    /// The same at a time inside the last step, for an integrator that chooses its steps:
    /// interpolated, then projected onto the constraints.
    void sample_at(double t, const Samples& to) const;
    void sample_at(double t, std::span<double> row) const { sample_at(t, {row, {}, {}}); }
    /// Size of the model at its start [m].
    double extent() const;
    /// A frame of the model moved by a small `dq` from its present positions, which stay: what a
    /// mode looks like.
    /// @throws Error (usage) if the sizes are others
    void sample_frame_moved(std::span<const double> dq, std::span<double> frame) const;
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
    friend class ContinuousModel;
    friend class KernelAccess;
    KernelSystem& kernel() const;
    Stepping& course() const;
    /// The state has changed, by steps of somebody else.
    void after_outer_step();

    struct Impl;
    explicit Simulation(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace ancora
