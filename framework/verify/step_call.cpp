// SPDX-License-Identifier: BSD-3-Clause
// How the [step] functions of rows, bodies and forces are called.
#include "step_call.hpp"

#include <algorithm>

#include <fmt/format.h>

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

std::string entry_of_rows(const char* what, const RowBlock& block, std::size_t i) {
    const auto scalars = static_cast<std::size_t>(block.scalars_per_item);
    return fmt::format("{}, row {}, column {}", what, i / scalars, i % scalars);
}

// --- rows

// in: u, du, t
void sample_point(const Stage& stage, Random& random, Out in) {
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    stage.motion(random).evaluate(0.0, in.subspan(0, n), in.subspan(n, n), {});
    in[2 * n] = random.uniform(0.0, 2.0);
}

// in: u0, du, mid, u1, rate, t0, h, state0
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

RowStep step_of(In in, std::size_t n, std::size_t num_state, Out state1) {
    Parts<const double> parts(in);
    RowStep step;
    step.u0 = parts.take(n);
    step.du = parts.take(n);
    step.mid = parts.take(n);
    step.u1 = parts.take(n);
    step.rate = parts.take(n);
    step.t0 = parts.take(1)[0];
    step.h = parts.take(1)[0];
    step.state0 = parts.take(num_state);
    step.state1 = state1;
    std::ranges::copy(step.state0, state1.begin());
    return step;
}

void add_row_calls(const Stage& stage,
                   const Object& object,
                   const RowPart& part,
                   std::vector<StepCall>& calls) {
    const RowSource& source = *part.of(object);
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    const auto num_state = static_cast<std::size_t>(source.num_state());
    const auto sample_at = [&stage](Random& random, Out in) {
        sample_point(stage, random, in);
    };
    const auto of = part.of;
    const std::span<const RowBlock> blocks = source.row_blocks();
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const RowBlock block = blocks[k];
        const int index = static_cast<int>(k);
        const std::size_t rows = num_rows(block);
        const std::size_t values = num_values(block);
        const std::size_t times = block.depends_on_time ? rows : 0;
        const std::string where = fmt::format("{}block \"{}\"", part.title, block.name);

        calls.push_back(
            {"evaluate, " + where,
             2 * n + 1,
             2 * rows + values + times,
             0,
             sample_at,
             [=](const Object& on, In in, Out out) {
                 Parts<double> outs(out);
                 RowValues results;
                 results.pi = outs.take(rows);
                 results.b = outs.take(rows);
                 results.pi_t = outs.take(times);
                 results.A = outs.take(values);
                 of(on)->evaluate(index, {in.subspan(0, n), in.subspan(n, n), in[2 * n]}, results);
             },
             [=](std::size_t i) {
                 if (i < rows) return fmt::format("pi, row {}", i);
                 if (i < 2 * rows) return fmt::format("b, row {}", i - rows);
                 if (i < 2 * rows + times) return fmt::format("pi_t, row {}", i - 2 * rows);
                 return entry_of_rows("A", block, i - 2 * rows - times);
             }});

        const bool has_discrete_face = law(block, 0).kind != RowKind::acceleration_constraint;
        if (has_discrete_face)
            calls.push_back({"evaluate_step, " + where,
                             5 * n + 2 + num_state,
                             values + times + num_state,
                             2 * rows,
                             [&stage](Random& random, Out in) {
                                 sample_step(stage, random, in);
                             },
                             [=](const Object& on, In in, Out out) {
                                 Parts<double> outs(out);
                                 RowStepValues results;
                                 results.B = outs.take(values);
                                 results.tau = outs.take(times);
                                 const RowStep step =
                                     step_of(in, n, num_state, outs.take(num_state));
                                 results.work0 = outs.take(rows);
                                 results.work1 = outs.take(rows);
                                 of(on)->evaluate_step(index, step, results);
                             },
                             [=](std::size_t i) {
                                 if (i < values) return entry_of_rows("B", block, i);
                                 if (i < values + times)
                                     return fmt::format("tau, row {}", i - values);
                                 return fmt::format("state {}", i - values - times);
                             }});

        if (num_tangent(block) == 0 || !has_discrete_face) continue;
        for (const bool positive_part : {false, true})
            calls.push_back({"evaluate_tangent, " + where,
                             n + rows,
                             num_tangent(block),
                             0,
                             [&stage, n](Random& random, Out in) {
                                 stage.motion(random).evaluate(0.0, in.subspan(0, n), {}, {});
                                 for (double& s : in.subspan(n)) s = random.uniform();
                             },
                             [=](const Object& on, In in, Out out) {
                                 of(on)->evaluate_tangent(
                                     index, in.subspan(0, n), in.subspan(n), positive_part, out);
                             },
                             [](std::size_t i) {
                                 return fmt::format("G, entry {}", i);
                             }});
    }
}

// --- bodies

/// Collects which coordinates a nonlinear attachment reads.
class NonlinearSink final : public AttachmentSink {
public:
    void weight(int, int, double) override {}
    void constant(int, double) override {}
    void nonlinear(int id, std::span<const std::int32_t> coordinates) override {
        id_ = id;
        count_ = coordinates.size();
    }
    int id_ = -1;
    std::size_t count_ = 0;
};

void add_body_calls(const Stage& stage, const Object& object, std::vector<StepCall>& calls) {
    const Body& body = *object.body;
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    const auto sample = [&stage](Random& random, Out in) {
        sample_point(stage, random, in);
    };
    if (!body.has_constant_mass())
        calls.push_back({"evaluate_mass",
                         2 * n + 1,
                         n * n + n,
                         0,
                         sample,
                         [n](const Object& on, In in, Out out) {
                             on.body->evaluate_mass(in.subspan(0, n),
                                                    in.subspan(n, n),
                                                    {out.subspan(0, n * n), out.subspan(n * n)});
                         },
                         [n](std::size_t i) {
                             return i < n * n ? fmt::format("M({}, {})", i / n, i % n)
                                              : fmt::format("force, entry {}", i - n * n);
                         }});
    for (const bool is_direction : {false, true}) {
        NonlinearSink sink;
        Locator where;
        where.is_direction = is_direction;
        where.xyz = {0.48, -0.6, 0.64};
        try {
            body.attach(where, sink);
        } catch (const std::invalid_argument&) {
            continue;
        }
        if (sink.id_ < 0) continue;
        const int id = sink.id_;
        const std::size_t count = sink.count_;
        calls.push_back(
            {fmt::format("evaluate_attachment, {}", is_direction ? "direction" : "point"),
             2 * n + 1,
             6 + 3 * count,
             0,
             sample,
             [=](const Object& on, In in, Out out) {
                 on.body->evaluate_attachment(
                     id,
                     in.subspan(0, n),
                     in.subspan(n, n),
                     {out.subspan(0, 3), out.subspan(6), out.subspan(3, 3)});
             },
             [](std::size_t i) {
                 return i < 3   ? fmt::format("r, entry {}", i)
                        : i < 6 ? fmt::format("bias, entry {}", i - 3)
                                : fmt::format("J, entry {}", i - 6);
             }});
    }
    const PoseKind pose = body.pose_kind();
    if (pose != PoseKind::none) {
        const bool has_attitude = pose == PoseKind::attitude;
        calls.push_back({"pose",
                         2 * n + 1,
                         has_attitude ? 13u : 6u,
                         0,
                         sample,
                         [=](const Object& on, In in, Out out) {
                             Pose result;
                             Parts<double> outs(out);
                             // what `out` holds goes in, so that an entry left alone shows
                             const Out x = outs.take(3), v = outs.take(3);
                             std::ranges::copy(x, result.position.begin());
                             std::ranges::copy(v, result.velocity.begin());
                             if (has_attitude) {
                                 std::ranges::copy(out.subspan(6, 4), result.quaternion.begin());
                                 std::ranges::copy(out.subspan(10, 3),
                                                   result.angular_velocity.begin());
                             }
                             on.body->pose(in.subspan(0, n), in.subspan(n, n), result);
                             std::ranges::copy(result.position, x.begin());
                             std::ranges::copy(result.velocity, v.begin());
                             if (!has_attitude) return;
                             std::ranges::copy(result.quaternion, out.begin() + 6);
                             std::ranges::copy(result.angular_velocity, out.begin() + 10);
                         },
                         [](std::size_t i) {
                             return i < 3    ? fmt::format("position, entry {}", i)
                                    : i < 6  ? fmt::format("velocity, entry {}", i - 3)
                                    : i < 10 ? fmt::format("quaternion, entry {}", i - 6)
                                             : fmt::format("angular velocity, entry {}", i - 10);
                         }});
    }
}

// --- forces

void add_force_calls(const Stage& stage, const Object& object, std::vector<StepCall>& calls) {
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    const auto num_state = static_cast<std::size_t>(object.force->num_state());
    const std::size_t num_heard = 3 * object.force->listens_to().size();
    if (object.force->contact() != nullptr) {
        calls.push_back(
            {"slip and stick_limit",
             2,
             4,
             0,
             [](Random& random, Out in) {
                 in[0] = random.uniform(0.0, 100.0);
                 in[1] = random.uniform(0.0, 3.0);
             },
             [](const Object& on, In in, Out out) {
                 const ContactLaw* contact = on.force->contact();
                 const SlipForce slip = contact->slip(in[0], in[1]);
                 out[0] = slip.force;
                 out[1] = slip.by_normal;
                 out[2] = slip.by_speed;
                 out[3] = contact->stick_limit(in[0]);
             },
             [](std::size_t i) {
                 constexpr const char* kNames[] = {"force", "by_normal", "by_speed", "stick_limit"};
                 return std::string(kNames[i]);
             }});
        return;
    }
    const auto describe = [n](std::size_t i) {
        return i < n ? fmt::format("f, entry {}", i) : fmt::format("state {}", i - n);
    };
    calls.push_back(
        {"evaluate",
         2 * n + 1 + num_state + num_heard,
         n,
         0,
         [&stage, n](Random& random, Out in) {
             sample_point(stage, random, in);
             for (double& x : in.subspan(2 * n + 1)) x = random.uniform(0.0, 0.1);
         },
         [=](const Object& on, In in, Out out) {
             const In behind = in.subspan(2 * n + 1);
             on.force->evaluate(
                 {in.subspan(0, n), in.subspan(n, n), in[2 * n], behind.subspan(num_state)},
                 behind.subspan(0, num_state),
                 {out});
         },
         describe});
    calls.push_back({"evaluate_step",
                     5 * n + 2 + num_state + num_heard,
                     n + num_state,
                     0,
                     [&stage](Random& random, Out in) {
                         sample_step(stage, random, in);
                     },
                     [=](const Object& on, In in, Out out) {
                         RowStep step = step_of(in, n, num_state, out.subspan(n));
                         step.reactions = in.subspan(5 * n + 2 + num_state);
                         on.force->evaluate_step(step, step.rate, {out.subspan(0, n)});
                     },
                     describe});
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
    const auto S = static_cast<std::size_t>(block.scalars_per_item);
    const auto items = static_cast<std::size_t>(block.num_items);
    switch (block.tangent) {
        case TangentForm::none:
            return 0;
        case TangentForm::isotropic:
            return items * (S / 3) * (S / 3);
        case TangentForm::full:
            return items * S * S;
    }
    return 0;
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
    if (object.constraint && object.constraint->tangents() != nullptr)
        parts.push_back({"tangents, ", [](const Object& on) {
                             return on.constraint->tangents();
                         }});
    return parts;
}

void require_sizes(const RowSource& source, const char* title, int num_scalars) {
    for (const RowBlock& block : source.row_blocks())
        check_block(block, num_scalars, fmt::format("{}block \"{}\"", title, block.name));
    if (source.num_state() < 0) throw Failure(fmt::format("num_state() is {}", source.num_state()));
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
    for (const RowPart& part : row_parts(object)) add_row_calls(stage, object, part, calls);
    if (object.body) add_body_calls(stage, object, calls);
    if (object.force) add_force_calls(stage, object, calls);
    return calls;
}

}  // namespace ancora::verify
