// SPDX-License-Identifier: BSD-3-Clause
// How the [step] functions of rows, bodies and forces are called.
#include "step_call.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>

#include <fmt/format.h>

#include "call_table.hpp"
#include "own_values.hpp"

namespace ancora::verify {
namespace {

constexpr double kLongestStep =
    0.3;  // [s], in which the motions go about as far as things are wide

using In = std::span<const double>;
using Out = std::span<double>;

/// Hands out consecutive parts of a span.
template <class T>
class Parts {
public:
    explicit Parts(std::span<T> all) : all_(all) {}
    std::span<T> take(std::size_t count) {
        const std::span<T> part = all_.subspan(at_, count);
        at_ += count;
        return part;
    }

private:
    std::span<T> all_;
    std::size_t at_ = 0;
};

/// Counts and names what a call of the kernel's table takes and gives.
class Layout {
public:
    std::size_t num_inputs = 0;
    std::size_t num_scratch = 0;
    struct Part {
        calls::Output output;
        std::size_t size;
    };
    std::vector<Part> outputs;

    std::size_t num_outputs() const {
        std::size_t count = 0;
        for (const Part& part : outputs) count += part.size;
        return count;
    }
    /// "A, row 0, column 3"
    std::string describe(std::size_t i) const {
        using calls::Entries;
        auto part = outputs.begin();
        for (; i >= part->size; ++part) i -= part->size;
        const auto& [output, size] = *part;
        switch (output.entries) {
            case Entries::one:
                return output.name;
            case Entries::rows:
                return fmt::format("{}, row {}", output.name, i);
            case Entries::matrix:
                return fmt::format(
                    "{}, row {}, column {}", output.name, i / output.columns, i % output.columns);
            case Entries::pairs:
                return fmt::format(
                    "{}({}, {})", output.name, i / output.columns, i % output.columns);
            case Entries::numbers:
            case Entries::components:
            case Entries::items:
                break;
        }
        return fmt::format("{}, entry {}", output.name, i);
    }

    void setting(const char*, const auto&) {}
    void place(std::string_view, const auto&, const auto&) {}
    // as long as it will be: outputs may depend on that
    void in(const char*, In& x, std::size_t size) {
        num_inputs += size;
        if (numbers_.size() < size) numbers_.resize(size);
        x = In(numbers_).first(size);
    }
    void in(const char*, double) { ++num_inputs; }
    void in_or_none(const char* key, In& x, std::size_t size) { in(key, x, size); }
    void remark(const char*, double) {}
    void out(const calls::Output& output, const Out&, std::size_t size) {
        outputs.push_back({output, size});
    }
    template <std::size_t N>
    void out(const calls::Output& output, const std::array<double, N>&) {
        outputs.push_back({output, N});
    }
    void out(const calls::Output& output, double) { outputs.push_back({output, 1}); }
    void choice(const calls::Output& output, const Out& x, std::size_t size) {
        out(output, x, size);
    }
    void made(const calls::Output&, std::size_t, const auto&) {}
    void moved(const calls::Output& output, const Out&, const In& state0) {
        outputs.push_back({output, state0.size()});
    }
    void room(const Out&, std::size_t size) { num_scratch += size; }

private:
    std::vector<double> numbers_;
};

/// Lays a call over two spans. What the outputs hold goes into those that a call has by reference,
/// so that an entry left alone shows.
class Bind {
public:
    Bind(In in, Out out, std::size_t num_outputs)
        : in_(in), out_(out.first(num_outputs)), room_(out.subspan(num_outputs)) {}

    void setting(const char*, const auto&) {}
    template <class Place>
    void place(std::string_view, Place& place, const Place& of_shape) {
        place = of_shape;
    }
    void in(const char*, In& x, std::size_t size) { x = in_.take(size); }
    void in(const char*, double& x) { x = in_.take(1)[0]; }
    void in_or_none(const char*, In& x, std::size_t size) { x = in_.take(size); }
    void remark(const char*, double) {}
    void out(const calls::Output&, Out& x, std::size_t size) { x = out_.take(size); }
    template <std::size_t N>
    void out(const calls::Output&, std::array<double, N>& x) {
        std::ranges::copy(out_.take(N), x.begin());
    }
    void out(const calls::Output&, double& x) { x = out_.take(1)[0]; }
    void choice(const calls::Output&, Out& x, std::size_t size) { x = out_.take(size); }
    void made(const calls::Output&, std::size_t, const auto&) {}
    void moved(const calls::Output&, Out& state1, const In& state0) {
        state1 = out_.take(state0.size());
        std::ranges::copy(state0, state1.begin());
    }
    void room(Out& x, std::size_t size) { x = room_.take(size); }

private:
    Parts<const double> in_;
    Parts<double> out_;
    Parts<double> room_;
};

/// Lays a call over spans that lie apart, each between two zones.
class Fence {
public:
    Fence(In in, double zone) : in_(in), zone_(zone) {}

    void setting(const char*, const auto&) {}
    template <class Place>
    void place(std::string_view, Place& place, const Place& of_shape) {
        place = of_shape;
    }
    void in(const char* name, In& x, std::size_t size) {
        const In values = in_.take(size);
        const Out room = add(name, size, values);
        std::ranges::copy(values, room.begin());
        x = room;
    }
    void in(const char*, double& x) { x = in_.take(1)[0]; }
    void in_or_none(const char* name, In& x, std::size_t size) { in(name, x, size); }
    void remark(const char*, double) {}
    void out(const calls::Output& output, Out& x, std::size_t size) { x = add(output.name, size); }
    template <std::size_t N>
    void out(const calls::Output&, std::array<double, N>&) {}
    void out(const calls::Output&, double&) {}
    void choice(const calls::Output& output, Out& x, std::size_t size) { out(output, x, size); }
    void made(const calls::Output&, std::size_t, const auto&) {}
    void moved(const calls::Output& output, Out& state1, const In& state0) {
        state1 = add(output.name, state0.size());
        std::ranges::copy(state0, state1.begin());
    }
    void room(Out& x, std::size_t size) { x = add("the room given", size); }

    /// What was written that is no output.
    std::string problem() const {
        for (const Part& part : parts_) {
            const std::size_t size = part.room.size() - 2 * kZone;
            const char* const what = part.values.data() != nullptr ? "input" : "output";
            for (std::size_t k = 0; k < kZone; ++k)
                if (!is_same(part.room[kZone + size + k], zone_))
                    return fmt::format("wrote behind its {} {} of {} numbers, at entry {}",
                                       what,
                                       part.name,
                                       size,
                                       size + k);
            for (std::size_t k = 1; k <= kZone; ++k)
                if (!is_same(part.room[kZone - k], zone_))
                    return fmt::format("wrote before its {} {} of {} numbers, at entry -{}",
                                       what,
                                       part.name,
                                       size,
                                       k);
            for (std::size_t k = 0; k < part.values.size(); ++k)
                if (!is_same(part.room[kZone + k], part.values[k]))
                    return fmt::format("changed its inputs: {}[{}] was {:.17g} and is {:.17g}",
                                       part.name,
                                       k,
                                       part.values[k],
                                       part.room[kZone + k]);
        }
        return "";
    }

private:
    static constexpr std::size_t kZone = 128;
    struct Part {
        const char* name;
        In values;  // of an input
        std::vector<double> room;
    };
    static bool is_same(double a, double b) {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    }
    Out add(const char* name, std::size_t size, In values = {}) {
        Part& part =
            parts_.emplace_back(Part{name, values, std::vector<double>(size + 2 * kZone, zone_)});
        const Out inner = Out(part.room).subspan(kZone, size);
        std::ranges::fill(inner, 0.0);
        return inner;
    }

    Parts<const double> in_;
    double zone_;
    std::deque<Part> parts_;
};

/// Writes what a call has by reference, or elsewhere, to the outputs.
class Collect {
public:
    explicit Collect(Out out) : out_(out) {}
    void setting(const char*, const auto&) {}
    void place(std::string_view, const auto&, const auto&) {}
    void in(const char*, const auto&...) {}
    void in_or_none(const char*, const auto&, std::size_t) {}
    void remark(const char*, double) {}
    void out(const calls::Output&, const Out& x, std::size_t size) { take(x, size); }
    template <std::size_t N>
    void out(const calls::Output&, const std::array<double, N>& x) {
        std::ranges::copy(x, out_.take(N).begin());
    }
    void out(const calls::Output&, const double& x) { out_.take(1)[0] = x; }
    void choice(const calls::Output&, const Out& x, std::size_t size) { take(x, size); }
    void made(const calls::Output&, std::size_t, const auto&) {}
    void moved(const calls::Output&, const Out& state1, const In&) { take(state1, state1.size()); }
    void room(const Out&, std::size_t) {}

private:
    /// A span that lies elsewhere is copied.
    void take(const Out& x, std::size_t size) {
        const Out to = out_.take(size);
        if (to.data() != x.data()) std::ranges::copy(x, to.begin());
    }

    Parts<double> out_;
};

using Sample = std::function<void(Random&, Out)>;

/// A call of the kernel's table as a StepCall.
///
/// @param call    with its settings
/// @param of      gives what is called of an object
/// @param sample  writes the inputs, in the order of the table
template <class Call, class Of>
StepCall step_call(const std::string& name,
                   const Call& call,
                   const typename Call::Shape& shape,
                   Of of,
                   Sample sample) {
    Layout layout;
    Call counted = call;
    Call::fields(counted, shape, layout);
    const std::size_t num_outputs = layout.num_outputs();
    return {name,
            layout.num_inputs,
            num_outputs,
            layout.num_scratch,
            std::move(sample),
            [=](const Object& on, In in, Out out) {
                Call made = call;
                Call::fields(made, shape, Bind(in, out, num_outputs));
                made.make(*of(on));
                Call::fields(made, shape, Collect(out.first(num_outputs)));
            },
            [=](const Object& on, In in, Out out, double zone) {
                Call made = call;
                Fence fence(in, zone);
                Call::fields(made, shape, fence);
                made.make(*of(on));
                Call::fields(made, shape, Collect(out.first(num_outputs)));
                return fence.problem();
            },
            [layout](std::size_t i) {
                return layout.describe(i);
            }};
}

// --- own values

calls::OwnShape own_shape(const Signals& signals) {
    return {signals.inputs().size(),
            static_cast<std::size_t>(signals.num_continuous()),
            static_cast<std::size_t>(signals.num_discrete())};
}

// --- rows

// in: u, du, t
void sample_point(const Stage& stage, Random& random, Out in) {
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    stage.motion(random).evaluate(0.0, in.subspan(0, n), in.subspan(n, n), {});
    in[2 * n] = random.uniform(0.0, 2.0);
}

// in: u0, du, mid, u1, rate, t0, h, and states and reactions up to the end
void sample_step(const Stage& stage, Random& random, Out in) {
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    Parts<double> parts(in);
    const Out u0 = parts.take(n), du = parts.take(n), mid = parts.take(n), u1 = parts.take(n),
              rate = parts.take(n);
    const double t0 = random.uniform(0.0, 2.0);
    // now and then nothing moves: the discrete derivative is then the derivative
    const double h = random.uniform(1e-4, kLongestStep);
    const bool rests = random.uniform() > 0.8;
    const Motion motion = stage.motion(random);
    motion.evaluate(0.0, u0, {}, {});
    motion.evaluate(rests ? 0.0 : h, u1, {}, {});
    for (std::size_t i = 0; i < n; ++i) {
        du[i] = u1[i] - u0[i];
        mid[i] = u0[i] + 0.5 * du[i];
        rate[i] = du[i] / h;
    }
    in[5 * n] = t0;
    in[5 * n + 1] = h;
    for (double& x : in.subspan(5 * n + 2)) x = random.uniform(0.0, 0.1);
}

// in: at its end the own values in the middle, at the begin and at the end of a step
void sample_own_step(const OwnSampler& own, Random& random, Out in) {
    Parts<double> parts(in.last(3 * own.size()));
    const Out middle = parts.take(own.size()), begin = parts.take(own.size()),
              end = parts.take(own.size());
    own.sample(random, begin);
    own.sample(random, end);
    // z changes between steps alone
    std::ranges::copy(begin.last(own.num_z()), end.last(own.num_z()).begin());
    for (std::size_t i = 0; i < middle.size(); ++i) middle[i] = 0.5 * (begin[i] + end[i]);
}

void add_row_calls(const Stage& stage,
                   const Object& object,
                   const RowPart& part,
                   const OwnSampler& own,
                   std::vector<StepCall>& calls) {
    const RowSource& source = *part.of(object);
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    const std::span<const RowBlock> blocks = source.row_blocks();
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const RowBlock& block = blocks[k];
        const int index = static_cast<int>(k);
        calls::RowShape shape(block, n, source.start_state().size());
        shape.rates = shape.times;
        const Signals* const signals =
            object.constraint ? facets_of(*object.constraint).signals : nullptr;
        if (*part.title == '\0' && signals != nullptr) shape.own = own_shape(*signals);
        const bool has_own = !shape.own.empty();
        const auto sample_own = [has_own, own](Random& random, Out in) {
            if (has_own) own.sample(random, in.last(own.size()));
        };
        const std::string where = fmt::format("{}block \"{}\"", part.title, block.name);

        calls.push_back(step_call("evaluate, " + where,
                                  calls::Evaluate{index, false, {}, {}},
                                  shape,
                                  part.of,
                                  [&stage, sample_own](Random& random, Out in) {
                                      sample_point(stage, random, in);
                                      sample_own(random, in);
                                  }));
        if (law(block, 0).kind == RowKind::acceleration_constraint) continue;
        calls.push_back(step_call("evaluate_step, " + where,
                                  calls::EvaluateStep{index, false, {}, {}},
                                  shape,
                                  part.of,
                                  [&stage, has_own, own](Random& random, Out in) {
                                      sample_step(stage, random, in);
                                      if (has_own) sample_own_step(own, random, in);
                                  }));
        if (shape.tangent == 0) continue;
        for (const bool positive_part : {false, true})
            calls.push_back(
                step_call("evaluate_tangent, " + where,
                          calls::EvaluateTangent{
                              index, false, TangentPoint{.positive_part = positive_part}, {}},
                          shape,
                          part.of,
                          [&stage, n, sample_own](Random& random, Out in) {
                              stage.motion(random).evaluate(0.0, in.subspan(0, n), {}, {});
                              for (double& x : in.subspan(n)) x = random.uniform();
                              sample_own(random, in);
                          }));
    }
}

// --- bodies

void add_body_calls(const Stage& stage, const Object& object, std::vector<StepCall>& calls) {
    const Body& body = *object.body;
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    const auto of = [](const Object& on) {
        return on.body.get();
    };
    // q, v
    const auto sample = [&stage, n](Random& random, Out in) {
        std::vector<double> point(2 * n + 1);
        sample_point(stage, random, point);
        std::copy_n(point.begin(), 2 * n, in.begin());
    };
    // t alone, or q, v, t
    const MassKind mass = body.mass_kind();
    if (mass != MassKind::constant)
        calls.push_back(step_call(calls::EvaluateMass::kName,
                                  calls::EvaluateMass(),
                                  {stage.num_scalars(), mass},
                                  of,
                                  [&stage, mass](Random& random, Out in) {
                                      if (mass == MassKind::of_state)
                                          sample_point(stage, random, in);
                                      else
                                          in[0] = random.uniform(0.0, 1.0);
                                  }));
    for (const bool is_direction : {false, true}) {
        calls::AttachmentTerms said;
        Locator where;
        where.is_direction = is_direction;
        where.xyz = {0.48, -0.6, 0.64};
        try {
            body.attach(where, said);
        } catch (const std::invalid_argument&) {
            continue;
        }
        if (!said.is_nonlinear) continue;
        calls.push_back(
            step_call(fmt::format("evaluate_attachment, {}", is_direction ? "direction" : "point"),
                      calls::EvaluateAttachment(),
                      {n, said.coordinates.size(), said.id},
                      of,
                      sample));
    }
    if (body.pose_kind() != PoseKind::none)
        calls.push_back(step_call(calls::PoseOf::kName,
                                  calls::PoseOf(),
                                  {n, body.pose_kind() == PoseKind::attitude},
                                  of,
                                  sample));
}

// --- signals

void add_signal_calls(const Stage& stage,
                      const Object& object,
                      const OwnSampler& own,
                      std::vector<StepCall>& calls) {
    const Signals* const signals = signals_of(object);
    if (signals == nullptr) return;
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    const calls::SignalShape shape{n,
                                   own_shape(*signals),
                                   static_cast<std::size_t>(num_values(signals->outputs())),
                                   static_cast<std::size_t>(signals->num_crossings())};
    const auto sample = [&stage, n, own](Random& random, Out in) {
        if (n > 0)
            sample_point(stage, random, in);
        else
            in[0] = random.uniform(0.0, 2.0);
        own.sample(random, in.subspan(2 * n + 1));
    };
    if (shape.outputs > 0)
        calls.push_back(step_call(
            calls::EvaluateOutputs::kName, calls::EvaluateOutputs(), shape, signals_of, sample));
    if (shape.own.x > 0)
        calls.push_back(step_call(
            calls::Differentiate::kName, calls::Differentiate(), shape, signals_of, sample));
    if (shape.crossings > 0)
        calls.push_back(step_call(calls::EvaluateCrossings::kName,
                                  calls::EvaluateCrossings(),
                                  shape,
                                  signals_of,
                                  sample));
}

// --- forces

void add_force_calls(const Stage& stage,
                     const Object& object,
                     const OwnSampler& own,
                     std::vector<StepCall>& calls) {
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    const ForceFacets facets = facets_of(*object.force);
    if (facets.contact != nullptr) {
        const auto of = [](const Object& on) {
            return facets_of(*on.force).contact;
        };
        // N, and the speed
        const auto sample = [](Random& random, Out in) {
            in[0] = random.uniform(0.0, 100.0);
            if (in.size() > 1) in[1] = random.uniform(0.0, 3.0);
        };
        calls.push_back(step_call(calls::Slip::kName, calls::Slip(), {}, of, sample));
        calls.push_back(step_call(calls::StickLimit::kName, calls::StickLimit(), {}, of, sample));
        return;
    }
    const calls::ForceShape shape{
        n,
        facets.start_state.size(),
        3 * facets.reactions.size(),
        facets.signals != nullptr ? own_shape(*facets.signals) : calls::OwnShape{}};
    const auto of = [](const Object& on) {
        return on.force.get();
    };
    const auto over_step = [&stage, own](Random& random, Out in) {
        sample_step(stage, random, in);
        own.sample(random, in.last(own.size()));
    };
    calls.push_back(step_call(calls::EvaluateForce::kName,
                              calls::EvaluateForce(),
                              shape,
                              of,
                              [&stage, n, own](Random& random, Out in) {
                                  sample_point(stage, random, in);
                                  for (double& x : in.subspan(2 * n + 1))
                                      x = random.uniform(0.0, 0.1);
                                  own.sample(random, in.last(own.size()));
                              }));
    calls.push_back(step_call(
        calls::EvaluateForceStep::kName, calls::EvaluateForceStep(), shape, of, over_step));
    if (facets.tangent != nullptr)
        calls.push_back(step_call(
            calls::DifferentiateStep::kName, calls::DifferentiateStep(), shape, of, over_step));
}

// --- sizes

void check_block(const RowBlock& block, int num_scalars, const std::string& where) {
    const auto fail = [&](const std::string& text) {
        throw Failure(fmt::format("{}: {}", where, text));
    };
    if (block.num_items < 0 || block.rows_per_item <= 0 || block.scalars_per_item <= 0)
        fail(fmt::format("{} items of {} rows on {} scalars",
                         block.num_items,
                         block.rows_per_item,
                         block.scalars_per_item));
    const std::size_t stencil = static_cast<std::size_t>(block.num_items) *
                                static_cast<std::size_t>(block.scalars_per_item);
    if (block.stencil.size() != stencil)
        fail(fmt::format("the stencil has {} entries, {} items of {} scalars need {}",
                         block.stencil.size(),
                         block.num_items,
                         block.scalars_per_item,
                         stencil));
    for (const std::int32_t i : block.stencil)
        if (i < 0 || i >= num_scalars)
            fail(fmt::format("the stencil names scalar {} of {}", i, num_scalars));
    if (block.laws.size() != 1 &&
        block.laws.size() != static_cast<std::size_t>(block.rows_per_item) &&
        block.laws.size() != num_rows(block))
        fail(fmt::format("{} laws for {} rows; give one, one per row of an item, or one per row",
                         block.laws.size(),
                         num_rows(block)));
    const std::size_t together = block.item_laws.size();
    if (together > 1 && together != static_cast<std::size_t>(block.num_items))
        fail(fmt::format(
            "{} laws of {} items; give one, or one per item", together, block.num_items));
    if (together > 0 && block.rows_per_item > ItemLaw::kMostRows)
        fail(fmt::format("{} rows have a law together, at most {} may",
                         block.rows_per_item,
                         ItemLaw::kMostRows));
    for (const ItemLaw* const law : block.item_laws)
        if (law == nullptr) fail("a law of an item is missing");
    for (const RowLaw& law : block.laws)
        if (together > 0 &&
            (law.kind != RowKind::elastic || law.law != nullptr || law.prestress != 0.0))
            fail(
                "rows that have a law together are elastic, without prestress or a law of their "
                "own");
    if (block.tangent == TangentForm::isotropic && block.scalars_per_item % 3 != 0)
        fail("an isotropic tangent needs scalars in triples");
    for (const RowLaw& law : block.laws) {
        if (law.kind == RowKind::elastic && !(law.compliance > 0.0))
            fail(fmt::format("an elastic row with the compliance {}", law.compliance));
        if (!(law.viscosity >= 0.0)) fail(fmt::format("the viscosity {}", law.viscosity));
    }
}

}  // namespace

std::size_t num_tangent(const RowBlock& block) {
    return calls::RowShape(block, 0, 0).tangent;
}

const RowLaw& law(const RowBlock& block, std::size_t row) {
    if (block.laws.size() == num_rows(block)) return block.laws[row];
    if (block.laws.size() == static_cast<std::size_t>(block.rows_per_item))
        return block.laws[row % static_cast<std::size_t>(block.rows_per_item)];
    return block.laws[0];
}

std::vector<RowPart> row_parts(const Object& object) {
    std::vector<RowPart> parts;
    if (object.rows() == nullptr) return parts;
    parts.push_back({"", [](const Object& on) {
                         return on.rows();
                     }});
    if (object.constraint && facets_of(*object.constraint).tangents != nullptr)
        parts.push_back({"tangents, ", [](const Object& on) {
                             return facets_of(*on.constraint).tangents;
                         }});
    return parts;
}

void require_sizes(const RowSource& source, const char* title, int num_scalars) {
    for (const RowBlock& block : source.row_blocks())
        check_block(block, num_scalars, fmt::format("{}block \"{}\"", title, block.name));
}

void skip_wrong_sizes(const Stage& stage, const Object& object) {
    try {
        for (const RowPart& part : row_parts(object))
            require_sizes(*part.of(object), part.title, stage.num_scalars());
    } catch (const Failure&) {
        throw Skipped("sizes do not fit each other, see the check sizes");
    }
}

std::vector<StepCall> step_calls(const Stage& stage, const Object& object) {
    std::vector<StepCall> calls;
    const OwnSampler own(stage, object);
    for (const RowPart& part : row_parts(object)) add_row_calls(stage, object, part, own, calls);
    if (object.body) add_body_calls(stage, object, calls);
    if (object.force) add_force_calls(stage, object, own, calls);
    add_signal_calls(stage, object, own, calls);
    return calls;
}

}  // namespace ancora::verify
