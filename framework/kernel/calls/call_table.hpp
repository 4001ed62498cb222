// SPDX-License-Identifier: BSD-3-Clause
// The calls of plugins that a run may fail in: name, inputs and outputs of each, written once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ancora/sdk/body.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/signals.hpp"

/// Each struct is one virtual function with its arguments, and says in fields() what they are. The
/// guards record it from there when it fails and look for outputs that are not finite, the replay
/// fills it from a record and makes it again, `ancora verify` from sampled numbers. A visitor has
///
///   setting(key, int or bool)        what the call is about: a block, a variant
///   place(locator, id, shape)        an attachment, by its text
///   in(key, span or double, size)    an input
///   in_or_none(key, span, size)      the same, or empty
///   remark(key, double)              for the record alone
///   out(Output, span, size)          an output; one of size 0 is not there
///   choice(Output, span, size)       an output that a caller may leave out
///   out(Output, array or double)     an output by reference
///   made(Output, size, fill)         an output that the struct itself keeps
///   moved(Output, state1, state0)    a state that the call moves on
///   room(span, size)                 scratch of the plugin
///
/// How a virtual is added: README.md.
namespace ancora::calls {

/// How messages name an entry of an output.
enum class Entries {
    one,         ///< not at all
    rows,        ///< "row 2"
    matrix,      ///< "row 2, column 0"
    numbers,     ///< "entry 2"
    pairs,       ///< "entry (2, 0)" of a symmetric matrix, of which the lower triangle counts
    components,  ///< "component x"
    items,       ///< "element 3, row 2, column 0": one small square matrix after the other
};

/// What comes out of a call.
struct Output {
    const char* name;  ///< as in the SDK: "pi_t"
    const char* what;  ///< in messages: "a Jacobian"
    Entries entries = Entries::rows;
    std::size_t columns = 1;
    std::size_t per_item = 0;  ///< numbers of one of the items; 0: there is but one
};

inline std::size_t size_of(int n) {
    return static_cast<std::size_t>(n);
}

// --- what a plugin says to a sink, to be judged by who asked

/// Entries of a mass matrix, as given.
class MassEntries final : public MassSink {
public:
    struct Entry {
        int i, j;
        double value;
    };
    void add(int i, int j, double value) override { entries.push_back({i, j, value}); }

    /// n x n, row by row.
    /// @throws std::out_of_range
    void write(int n, std::span<double> M) const {
        for (const auto& [i, j, value] : entries) {
            if (i < 0 || j < 0 || i >= n || j >= n)
                throw std::out_of_range("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                                        ") of the mass matrix");
            M[size_of(i) * size_of(n) + size_of(j)] += value;
            if (i != j) M[size_of(j) * size_of(n) + size_of(i)] += value;
        }
    }

    std::vector<Entry> entries;
};

/// An attachment r = c + W q, or which nonlinear one is meant, as given.
class AttachmentTerms final : public AttachmentSink {
public:
    struct Term {
        int component, coordinate;
        double weight;
    };
    struct Constant {
        int component;
        double value;
    };
    void weight(int component, int coordinate, double weight) override {
        terms.push_back({component, coordinate, weight});
    }
    void constant(int component, double value) override { constants.push_back({component, value}); }
    void nonlinear(int its_id, std::span<const std::int32_t> its_coordinates) override {
        is_nonlinear = true;
        id = its_id;
        coordinates.insert(coordinates.end(), its_coordinates.begin(), its_coordinates.end());
    }

    /// Refuses components and coordinates that a body of n coordinates does not have.
    /// @throws std::out_of_range
    void require(int n) const {
        const auto check = [n](int component, int coordinate) {
            if (component < 0 || component > 2 || coordinate < 0 || coordinate >= n)
                throw std::out_of_range("component " + std::to_string(component) +
                                        " or coordinate " + std::to_string(coordinate) +
                                        " of an attachment does not exist");
        };
        for (const Term& term : terms) check(term.component, term.coordinate);
        for (const Constant& constant : constants) check(constant.component, 0);
        for (const int coordinate : coordinates) check(0, coordinate);
    }
    /// 3 x n, row by row, and c; require(n) before.
    void write(int n, std::span<double> W, std::span<double> c) const {
        for (const Term& term : terms)
            W[size_of(term.component) * size_of(n) + size_of(term.coordinate)] += term.weight;
        for (const Constant& constant : constants) c[size_of(constant.component)] = constant.value;
    }

    std::vector<Term> terms;
    std::vector<Constant> constants;
    bool is_nonlinear = false;
    int id = 0;
    std::vector<std::int32_t> coordinates;
};

// --- own values

/// Numbers that an object with Signals has of each kind.
struct OwnShape {
    std::size_t inputs = 0, x = 0, z = 0;

    bool empty() const { return inputs + x + z == 0; }
};

struct OwnNames {
    const char *inputs = "inputs", *x = "x", *z = "z";
};

void own_fields(auto& own, const OwnShape& n, auto&& visit, const OwnNames& names = {}) {
    if (n.empty() && own.inputs.empty() && own.x.empty() && own.z.empty()) return;
    visit.in(names.inputs, own.inputs, n.inputs);
    visit.in(names.x, own.x, n.x);
    visit.in(names.z, own.z, n.z);
}

// --- rows

/// Sizes of a block of rows.
struct RowShape {
    RowShape() = default;
    /// @param its_scalars  of the source's local scalars u
    RowShape(const RowBlock& block, std::size_t its_scalars, int num_state)
        : scalars(its_scalars),
          state(size_of(num_state)),
          rows(size_of(block.num_items) * size_of(block.rows_per_item)),
          columns(size_of(block.scalars_per_item)),
          rates(rows),
          times(block.depends_on_time ? rows : 0),
          tangent_columns(block.tangent == TangentForm::none        ? 0
                          : block.tangent == TangentForm::isotropic ? columns / 3
                                                                    : columns),
          tangent(size_of(block.num_items) * tangent_columns * tangent_columns),
          has_items(block.num_items > 1) {}

    std::size_t scalars = 0, state = 0;
    std::size_t rows = 0, columns = 0;
    std::size_t rates = 0;  ///< rows of pi_t
    std::size_t times = 0;  ///< rows of tau
    std::size_t tangent_columns = 0, tangent = 0;
    bool has_items = false;
    OwnShape own{};
};

/// RowSource::evaluate
struct Evaluate {
    static constexpr const char* kName = "evaluate";
    using Shape = RowShape;
    int block = 0;
    bool of_tangents = false;
    RowPoint at;
    RowValues out;

    void make(const RowSource& on) const { on.evaluate(block, at, out); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.setting("block", self.block);
        visit.setting("of_tangents", self.of_tangents);
        visit.in("u", self.at.u, n.scalars);
        visit.in_or_none("du", self.at.du, n.scalars);
        visit.in("t", self.at.t);
        if (n.state > 0 || !self.at.state.empty())
            visit.in_or_none("state", self.at.state, n.state);
        own_fields(self.at.own, n.own, visit);
        visit.choice({"pi", "a value"}, self.out.pi, n.rows);
        visit.choice(
            {"A", "a Jacobian", Entries::matrix, n.columns}, self.out.A, n.rows * n.columns);
        visit.choice({"pi_t", "a time derivative"}, self.out.pi_t, n.rates);
        visit.choice({"b", "a bias"}, self.out.b, n.rows);
    }
};

void step_fields(
    auto& step, std::size_t n, std::size_t state, std::size_t reactions, auto&& visit) {
    visit.in("u0", step.u0, n);
    visit.in("du", step.du, n);
    visit.in("mid", step.mid, n);
    visit.in("u1", step.u1, n);
    visit.in("rate", step.rate, n);
    visit.in("t0", step.t0);
    visit.in("h", step.h);
    visit.in("state0", step.state0, state);
    visit.in("reactions", step.reactions, reactions);
}

/// RowSource::evaluate_step
struct EvaluateStep {
    static constexpr const char* kName = "evaluate_step";
    using Shape = RowShape;
    int block = 0;
    bool of_tangents = false;
    RowStep step;
    RowStepValues out;

    void make(const RowSource& on) const { on.evaluate_step(block, step, out); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.setting("block", self.block);
        visit.setting("of_tangents", self.of_tangents);
        step_fields(self.step, n.scalars, n.state, 0, visit);
        own_fields(self.step.own, n.own, visit);
        own_fields(self.step.own0, n.own, visit, {"inputs0", "x0", "z0"});
        own_fields(self.step.own1, n.own, visit, {"inputs1", "x1", "z1"});
        visit.out({"B", "a Jacobian", Entries::matrix, n.columns}, self.out.B, n.rows * n.columns);
        visit.out({"tau", "a time increment"}, self.out.tau, n.times);
        visit.moved({"state1", "a state", Entries::numbers}, self.step.state1, self.step.state0);
        visit.room(self.out.work0, n.rows);
        visit.room(self.out.work1, n.rows);
    }
};

/// RowSource::evaluate_tangent
struct EvaluateTangent {
    static constexpr const char* kName = "evaluate_tangent";
    using Shape = RowShape;
    int block = 0;
    bool of_tangents = false;
    TangentPoint at;
    std::span<double> G;

    void make(const RowSource& on) const { on.evaluate_tangent(block, at, G); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.setting("block", self.block);
        visit.setting("of_tangents", self.of_tangents);
        visit.setting("positive_part", self.at.positive_part);
        visit.in("mid", self.at.mid, n.scalars);
        visit.in("s", self.at.s, n.rows);
        visit.in("t", self.at.t);
        if (n.state > 0 || !self.at.state.empty())
            visit.in_or_none("state", self.at.state, n.state);
        own_fields(self.at.own, n.own, visit);
        visit.out({"G",
                   "a tangent",
                   Entries::items,
                   n.tangent_columns,
                   n.has_items ? n.tangent_columns * n.tangent_columns : 0},
                  self.G,
                  n.tangent);
    }
};

// --- bodies

struct BodyShape {
    int n = 0;  ///< coordinates
    MassKind mass = MassKind::constant;
    std::size_t coordinates() const { return size_of(n); }
};

/// Body::start
struct Start {
    static constexpr const char* kName = "start";
    using Shape = BodyShape;
    std::span<double> q, v;

    void make(const Body& on) const { on.start(q, v); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.out({"q", "a coordinate", Entries::numbers}, self.q, n.coordinates());
        visit.out({"v", "a velocity", Entries::numbers}, self.v, n.coordinates());
    }
};

/// Body::mass
struct Mass {
    static constexpr const char* kName = "mass";
    using Shape = BodyShape;
    MassEntries out;

    void make(const Body& on) { on.mass(out); }
    static void fields(auto& self, const Shape& shape, auto&& visit) {
        const std::size_t n = shape.coordinates();
        visit.made({"M", "a mass", Entries::pairs, n}, n * n, [&](std::span<double> M) {
            self.out.write(shape.n, M);
        });
    }
};

/// Body::evaluate_mass
struct EvaluateMass {
    static constexpr const char* kName = "evaluate_mass";
    using Shape = BodyShape;
    MassState at;
    MassValues out;

    void make(const Body& on) const { on.evaluate_mass(at, out); }
    static void fields(auto& self, const Shape& shape, auto&& visit) {
        const std::size_t n = shape.coordinates();
        const bool is_timed = shape.mass == MassKind::of_time;
        if (!is_timed) {
            visit.in("q", self.at.q, n);
            visit.in("v", self.at.v, n);
        }
        visit.in("t", self.at.t);
        visit.out({"M", "a mass", Entries::pairs, n}, self.out.M, n * n);
        if (is_timed)
            visit.out({"rate", "a rate of the mass", Entries::pairs, n}, self.out.rate, n * n);
        else
            visit.out({"force", "a force", Entries::numbers}, self.out.force, n);
    }
};

/// ScalarRotation::rotation
struct Rotation {
    static constexpr const char* kName = "rotation";
    using Shape = BodyShape;
    std::span<const double> q;
    std::span<double> Xi;

    void make(const Body& on) const {
        if (const ScalarRotation* const scalars = facets_of(on).scalar_rotation)
            make(*scalars);
        else
            for (double& x : Xi) x = 0.0;
    }
    void make(const ScalarRotation& on) const { on.rotation(q, Xi); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.in("q", self.q, n.coordinates());
        visit.out({"Xi", "an entry", Entries::matrix, 3}, self.Xi, 3 * n.coordinates());
    }
};

/// Body::attach
struct Attach {
    static constexpr const char* kName = "attach";
    struct Shape {
        int n = 0;
        Locator where{};
    };
    std::string_view locator;  ///< see locator_text()
    Locator where;
    AttachmentTerms out;

    void make(const Body& on) { on.attach(where, out); }
    static void fields(auto& self, const Shape& shape, auto&& visit) {
        visit.place(self.locator, self.where, shape.where);
        const std::size_t n = size_of(shape.n);
        std::array<double, 3> c{};
        visit.made({"W", "a weight", Entries::components, n}, 3 * n, [&](std::span<double> W) {
            self.out.require(shape.n);
            self.out.write(shape.n, W, c);
        });
        visit.made({"c", "a constant", Entries::components}, 3, [&](std::span<double> to) {
            std::vector<double> W(3 * n);
            self.out.write(shape.n, W, to);
        });
    }
};

/// Body::evaluate_attachment
struct EvaluateAttachment {
    static constexpr const char* kName = "evaluate_attachment";
    struct Shape {
        std::size_t coordinates = 0;  ///< of the body
        std::size_t width = 0;        ///< those that the attachment depends on
        int id = 0;
    };
    std::string_view locator;
    int id = 0;
    std::span<const double> q, v;
    AttachmentValues out;

    void make(const Body& on) const { on.evaluate_attachment(id, q, v, out); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.place(self.locator, self.id, n.id);
        visit.in("q", self.q, n.coordinates);
        visit.in_or_none("v", self.v, n.coordinates);
        visit.out({"r", "a position", Entries::components}, self.out.r, 3);
        visit.out({"J", "a Jacobian", Entries::matrix, n.width}, self.out.J, 3 * n.width);
        visit.out({"bias", "a bias", Entries::components}, self.out.bias, self.v.empty() ? 0u : 3u);
    }
};

/// Body::pose
struct PoseOf {
    static constexpr const char* kName = "pose";
    struct Shape {
        std::size_t coordinates = 0;
        bool has_attitude = true;
    };
    std::span<const double> q, v;
    Pose out;

    void make(const Body& on) { on.pose(q, v, out); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.in("q", self.q, n.coordinates);
        visit.in("v", self.v, n.coordinates);
        visit.out({"position", "a position", Entries::numbers}, self.out.position);
        visit.out({"velocity", "a velocity", Entries::numbers}, self.out.velocity);
        if (!n.has_attitude) return;
        visit.out({"quaternion", "a quaternion", Entries::numbers}, self.out.quaternion);
        visit.out({"angular_velocity", "an angular velocity", Entries::numbers},
                  self.out.angular_velocity);
    }
};

// --- signals

struct SignalShape {
    std::size_t scalars = 0;
    OwnShape own{};
    std::size_t outputs = 0;  ///< numbers
    std::size_t crossings = 0;
};

void signal_fields(auto& at, const SignalShape& n, auto&& visit) {
    visit.in("u", at.u, n.scalars);
    visit.in("du", at.du, n.scalars);
    visit.in("t", at.t);
    own_fields(at.own, n.own, visit);
}

/// Signals::evaluate_outputs
struct EvaluateOutputs {
    static constexpr const char* kName = "evaluate_outputs";
    using Shape = SignalShape;
    SignalPoint at;
    std::span<double> y;

    void make(const Signals& on) const { on.evaluate_outputs(at, y); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        signal_fields(self.at, n, visit);
        visit.out({"y", "an output", Entries::numbers}, self.y, n.outputs);
    }
};

/// Signals::differentiate
struct Differentiate {
    static constexpr const char* kName = "differentiate";
    using Shape = SignalShape;
    SignalPoint at;
    std::span<double> dx;

    void make(const Signals& on) const { on.differentiate(at, dx); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        signal_fields(self.at, n, visit);
        visit.out({"dx", "a rate of a state", Entries::numbers}, self.dx, n.own.x);
    }
};

/// Signals::evaluate_crossings
struct EvaluateCrossings {
    static constexpr const char* kName = "evaluate_crossings";
    using Shape = SignalShape;
    SignalPoint at;
    std::span<double> g;

    void make(const Signals& on) const { on.evaluate_crossings(at, g); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        signal_fields(self.at, n, visit);
        visit.out({"g", "a crossing function", Entries::numbers}, self.g, n.crossings);
    }
};

/// Signals::act
struct Act {
    static constexpr const char* kName = "act";
    using Shape = SignalShape;
    int crossing = Signals::kTimeEvent;
    SignalPoint at;
    std::span<double> x1, z1;

    void make(const Signals& on) const { on.act(at, crossing, x1, z1); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.setting("crossing", self.crossing);
        signal_fields(self.at, n, visit);
        visit.moved({"x1", "a state", Entries::numbers}, self.x1, self.at.own.x);
        visit.moved({"z1", "a discrete state", Entries::numbers}, self.z1, self.at.own.z);
    }
};

/// Signals::next_time, which may be infinite, but not NaN or in the past.
struct NextTime {
    static constexpr const char* kName = "next_time";
    using Shape = SignalShape;
    double after = 0.0;
    std::span<const double> z;
    double time = 0.0;

    void make(const Signals& on) { time = on.next_time(after, z); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.remark("after", self.after);
        visit.in("z", self.z, n.own.z);
    }
};

// --- forces

struct ForceShape {
    std::size_t scalars = 0, state = 0;
    std::size_t reactions = 0;  ///< numbers of the reactions that it depends on
    OwnShape own{};
};

/// NonidealForce::evaluate
struct EvaluateForce {
    static constexpr const char* kName = "evaluate";
    using Shape = ForceShape;
    RowPoint at;
    std::span<const double> state;
    ForceValues out;

    void make(const NonidealForce& on) const { on.evaluate(at, state, out); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        visit.in("u", self.at.u, n.scalars);
        visit.in("du", self.at.du, n.scalars);
        visit.in("t", self.at.t);
        visit.in("state", self.state, n.state);
        visit.in("reactions", self.at.reactions, n.reactions);
        own_fields(self.at.own, n.own, visit);
        visit.out({"f", "a force", Entries::rows, 3}, self.out.f, n.scalars);
    }
};

/// NonidealForce::evaluate_step; the mean velocity is step.rate.
struct EvaluateForceStep {
    static constexpr const char* kName = "evaluate_step";
    using Shape = ForceShape;
    RowStep step;
    ForceValues out;

    void make(const NonidealForce& on) const { on.evaluate_step(step, step.rate, out); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        step_fields(self.step, n.scalars, n.state, n.reactions, visit);
        own_fields(self.step.own, n.own, visit);
        visit.out({"f", "a force", Entries::rows, 3}, self.out.f, n.scalars);
        visit.moved({"state1", "a state", Entries::numbers}, self.step.state1, self.step.state0);
    }
};

/// ForceTangent::differentiate_step
struct DifferentiateStep {
    static constexpr const char* kName = "differentiate_step";
    using Shape = ForceShape;
    RowStep step;
    std::span<double> D;

    void make(const NonidealForce& on) const {
        const ForceTangent* const tangent = facets_of(on).tangent;
        if (tangent == nullptr) throw std::logic_error("the force has no tangent");
        make(*tangent);
    }
    void make(const ForceTangent& on) const { on.differentiate_step(step, step.rate, D); }
    static void fields(auto& self, const Shape& n, auto&& visit) {
        step_fields(self.step, n.scalars, n.state, n.reactions, visit);
        own_fields(self.step.own, n.own, visit);
        visit.out({"D", "a derivative", Entries::matrix, n.scalars}, self.D, n.scalars * n.scalars);
    }
};

// --- laws of dry friction

struct LawShape {};

/// ContactLaw::slip
struct Slip {
    static constexpr const char* kName = "slip";
    using Shape = LawShape;
    double N = 0.0, speed = 0.0, t = 0.0;
    SlipForce out;

    void make(const ContactLaw& on) { out = on.slip(N, speed); }
    static void fields(auto& self, const Shape&, auto&& visit) {
        visit.in("N", self.N);
        visit.in("speed", self.speed);
        visit.remark("t", self.t);
        visit.out({"force", "a force", Entries::one}, self.out.force);
        visit.out({"by_normal", "a derivative by the normal force", Entries::one},
                  self.out.by_normal);
        visit.out({"by_speed", "a derivative by the speed", Entries::one}, self.out.by_speed);
    }
};

/// ContactLaw::stick_limit
struct StickLimit {
    static constexpr const char* kName = "stick_limit";
    using Shape = LawShape;
    double N = 0.0, t = 0.0;
    double force = 0.0;

    void make(const ContactLaw& on) { force = on.stick_limit(N); }
    static void fields(auto& self, const Shape&, auto&& visit) {
        visit.in("N", self.N);
        visit.remark("t", self.t);
        visit.out({"force", "a force", Entries::one}, self.force);
    }
};

// --- the table

template <class... Call>
struct List {};

using OfRows = List<Evaluate, EvaluateStep, EvaluateTangent>;
using OfBody = List<Start,
                    Mass,
                    EvaluateMass,
                    Rotation,
                    Attach,
                    EvaluateAttachment,
                    PoseOf>;  // and rows
using OfForce = List<EvaluateForce, EvaluateForceStep, DifferentiateStep>;
using OfContactLaw = List<Slip, StickLimit>;
using OfSignals =
    List<EvaluateOutputs, Differentiate, EvaluateCrossings, Act>;  // of any kind of object

}  // namespace ancora::calls
