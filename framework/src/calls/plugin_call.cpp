// SPDX-License-Identifier: BSD-3-Clause
// Making a recorded call, by name.
#include "plugin_call.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <stdexcept>

#include <fmt/format.h>

#include "toml_writer.hpp"

namespace ancora {
namespace {

/// Collects the outputs of a call, each filled with zeros beforehand.
class Outputs {
public:
    std::span<double> add(const char* name, std::size_t count, int columns = 1) {
        all_.push_back({name, std::max(columns, 1), std::vector<double>(count, 0.0)});
        return all_.back().values;
    }
    std::span<double> add_if(bool is_wanted, const char* name, std::size_t count, int columns = 1) {
        return is_wanted ? add(name, count, columns) : std::span<double>{};
    }
    std::vector<CallValues> take() { return std::move(all_); }

private:
    std::vector<CallValues> all_;
};

std::size_t size_of(int n) {
    return static_cast<std::size_t>(n);
}

/// Sizes of a block of rows, as the kernel allots them.
struct BlockSizes {
    explicit BlockSizes(const RowBlock& block)
        : scalars(block.scalars_per_item),
          rows(size_of(block.num_items) * size_of(block.rows_per_item)),
          values(rows * size_of(scalars)),
          tangent_width(block.tangent == TangentForm::none        ? 0
                        : block.tangent == TangentForm::isotropic ? scalars / 3
                                                                  : scalars),
          tangent(size_of(block.num_items) * size_of(tangent_width) * size_of(tangent_width)) {}

    int scalars;
    std::size_t rows;
    std::size_t values;
    int tangent_width;
    std::size_t tangent;
};

/// Refuses inputs of other sizes than the kernel's: a plugin reads them without asking. A record
/// may have been edited.
void require_inputs(const PluginCall& call,
                    std::initializer_list<const char*> names,
                    std::size_t size,
                    bool may_be_empty = false) {
    for (const char* name : names) {
        const std::size_t found = call.input(name).size();
        if (found != size && !(may_be_empty && found == 0))
            throw Error(ErrorKind::file,
                        fmt::format("the record has {} numbers in \"{}\", but the call takes {}",
                                    found,
                                    name,
                                    size));
    }
}

/// Largest scalar that rows read, and one more.
std::size_t num_scalars(const RowSource& rows) {
    std::size_t count = 0;
    for (const RowBlock& block : rows.row_blocks())
        for (const std::int32_t scalar : block.stencil)
            count = std::max(count, size_of(scalar) + 1);
    return count;
}

/// Of the inputs of one call that are all of one size, that size; at least what the rows read.
std::size_t size_of_inputs(const RowSource& rows, const PluginCall& call, const char* name) {
    const std::size_t least = num_scalars(rows);
    const std::size_t found = call.input(name).size();
    if (found < least) require_inputs(call, {name}, least);
    return found;
}

RowStep step_of(const PluginCall& call, std::vector<double>& state1) {
    const std::span<const double> state0 = call.input("state0");
    state1.assign(state0.begin(), state0.end());
    return {call.input("u0"),
            call.input("du"),
            call.input("mid"),
            call.input("u1"),
            call.input("rate"),
            call.number("t0"),
            call.number("h"),
            state0,
            state1,
            call.input("reactions")};
}

std::vector<CallValues> call_rows(const RowSource& rows, const PluginCall& call) {
    const int index = static_cast<int>(call.setting("block"));
    const std::span<const RowBlock> blocks = rows.row_blocks();
    if (index < 0 || size_of(index) >= blocks.size())
        throw std::out_of_range(
            fmt::format("there is no block {}, the object has {}", index, blocks.size()));
    const RowBlock& block = blocks[size_of(index)];
    const BlockSizes n(block);
    Outputs out;
    const auto num_state = size_of(rows.num_state());
    if (call.name == "evaluate") {
        require_inputs(call, {"du"}, size_of_inputs(rows, call, "u"), true);
        const std::span<double> pi = out.add_if(call.wants("pi"), "pi", n.rows);
        const std::span<double> A = out.add_if(call.wants("A"), "A", n.values, n.scalars);
        const std::span<double> pi_t = out.add_if(call.wants("pi_t"), "pi_t", n.rows);
        const std::span<double> b = out.add_if(call.wants("b"), "b", n.rows);
        rows.evaluate(
            index, {call.input("u"), call.input("du"), call.number("t")}, {pi, A, pi_t, b});
    } else if (call.name == "evaluate_step") {
        const std::size_t size = size_of_inputs(rows, call, "u0");
        require_inputs(call, {"du", "mid", "u1", "rate"}, size);
        require_inputs(call, {"state0"}, num_state);
        std::vector<double> state1;
        std::vector<double> work(2 * n.rows);
        RowStepValues values;
        values.B = out.add("B", n.values, n.scalars);
        values.tau = out.add_if(block.depends_on_time, "tau", n.rows);
        values.work0 = std::span(work).first(n.rows);
        values.work1 = std::span(work).last(n.rows);
        rows.evaluate_step(index, step_of(call, state1), values);
        if (!state1.empty()) std::ranges::copy(state1, out.add("state1", state1.size()).begin());
    } else {
        size_of_inputs(rows, call, "mid");
        require_inputs(call, {"s"}, n.rows);
        rows.evaluate_tangent(index,
                              call.input("mid"),
                              call.input("s"),
                              call.setting("positive_part") != 0,
                              out.add("G", n.tangent, n.tangent_width));
    }
    return out.take();
}

std::vector<CallValues> call_force(const NonidealForce& force, const PluginCall& call) {
    Outputs out;
    const std::size_t num_state = size_of(force.num_state());
    const std::size_t num_heard = 3 * force.listens_to().size();
    if (call.name == "slip") {
        if (force.contact() == nullptr) throw std::logic_error("the force has no contact law");
        const SlipForce f = force.contact()->slip(call.number("N"), call.number("speed"));
        out.add("force", 1)[0] = f.force;
        out.add("by_normal", 1)[0] = f.by_normal;
        out.add("by_speed", 1)[0] = f.by_speed;
    } else if (call.name == "stick_limit") {
        if (force.contact() == nullptr) throw std::logic_error("the force has no contact law");
        out.add("force", 1)[0] = force.contact()->stick_limit(call.number("N"));
    } else if (call.name == "evaluate_step") {
        require_inputs(call, {"du", "mid", "u1", "rate"}, call.input("u0").size());
        require_inputs(call, {"state0"}, num_state);
        require_inputs(call, {"reactions"}, num_heard);
        std::vector<double> state1;
        const RowStep step = step_of(call, state1);
        force.evaluate_step(step, call.input("rate"), {out.add("f", step.u0.size(), 3)});
        if (!state1.empty()) std::ranges::copy(state1, out.add("state1", state1.size()).begin());
    } else {
        const std::span<const double> u = call.input("u");
        require_inputs(call, {"du"}, u.size());
        require_inputs(call, {"state"}, num_state);
        require_inputs(call, {"reactions"}, num_heard);
        force.evaluate({u, call.input("du"), call.number("t"), call.input("reactions")},
                       call.input("state"),
                       {out.add("f", u.size(), 3)});
    }
    return out.take();
}

class DenseMass final : public MassSink {
public:
    DenseMass(std::span<double> M, int n) : M_(M), n_(n) {}
    void add(int i, int j, double value) override {
        if (i < 0 || j < 0 || i >= n_ || j >= n_)
            throw std::out_of_range(fmt::format("entry ({}, {}) of the mass matrix", i, j));
        M_[size_of(i) * size_of(n_) + size_of(j)] += value;
        if (i != j) M_[size_of(j) * size_of(n_) + size_of(i)] += value;
    }

private:
    std::span<double> M_;
    int n_;
};

/// Hears what an attachment is: c + W q, or which nonlinear one was meant.
class Attached final : public AttachmentSink {
public:
    explicit Attached(int n) : W(3 * size_of(n), 0.0), n_(n) {}
    void weight(int component, int coordinate, double weight) override {
        check(component, coordinate);
        W[size_of(component) * size_of(n_) + size_of(coordinate)] += weight;
    }
    void constant(int component, double value) override {
        check(component, 0);
        c[size_of(component)] = value;
    }
    void nonlinear(int its_id, std::span<const std::int32_t> coordinates) override {
        id = its_id;
        width = static_cast<int>(coordinates.size());
    }

    std::vector<double> W;  ///< 3 x n
    std::array<double, 3> c{};
    int id = 0;
    int width = 0;

private:
    void check(int component, int coordinate) const {
        if (component < 0 || component > 2 || coordinate < 0 || coordinate >= n_)
            throw std::out_of_range(
                fmt::format("component {} or coordinate {} of an attachment does not exist",
                            component,
                            coordinate));
    }
    int n_;
};

std::vector<CallValues> call_start_state(const auto& object) {
    Outputs out;
    object.start_state(out.add("state", size_of(object.num_state())));
    return out.take();
}

std::vector<CallValues> call_body(const Body& body, const PluginCall& call) {
    const auto n = static_cast<int>(body.coordinates().size());
    Outputs out;
    for (const char* name : {"q", "v"})
        if (!call.input(name).empty()) require_inputs(call, {name}, size_of(n));
    if (call.name == "start") {
        const std::span<double> q = out.add("q", size_of(n));
        const std::span<double> v = out.add("v", size_of(n));
        body.start(q, v);
    } else if (call.name == "mass") {
        DenseMass M(out.add("M", size_of(n) * size_of(n), n), n);
        body.mass(M);
    } else if (call.name == "evaluate_mass") {
        const std::span<double> M = out.add("M", size_of(n) * size_of(n), n);
        const std::span<double> force = out.add("force", size_of(n));
        body.evaluate_mass(call.input("q"), call.input("v"), {M, force});
    } else if (call.name == "rotation") {
        body.rotation(call.input("q"), out.add("Xi", 3 * size_of(n), 3));
    } else if (call.name == "pose") {
        Pose pose;
        body.pose(call.input("q"), call.input("v"), pose);
        std::ranges::copy(pose.position, out.add("position", 3).begin());
        std::ranges::copy(pose.velocity, out.add("velocity", 3).begin());
        std::ranges::copy(pose.quaternion, out.add("quaternion", 4).begin());
        std::ranges::copy(pose.angular_velocity, out.add("angular_velocity", 3).begin());
    } else {
        Attached attached(n);
        for (const std::string& text : call.locators) {
            std::string name;
            body.attach(locator_of(text, name), attached);
        }
        if (call.name == "attach") {
            std::ranges::copy(attached.W, out.add("W", 3 * size_of(n), n).begin());
            std::ranges::copy(attached.c, out.add("c", 3).begin());
            return out.take();
        }
        AttachmentValues values;
        values.r = out.add("r", 3);
        values.J = out.add("J", 3 * size_of(attached.width), attached.width);
        values.bias = out.add_if(!call.input("v").empty(), "bias", 3);
        body.evaluate_attachment(attached.id, call.input("q"), call.input("v"), values);
    }
    return out.take();
}

}  // namespace

std::span<const double> PluginCall::input(std::string_view key) const {
    const auto found = std::ranges::find(inputs, key, &CallValues::name);
    return found == inputs.end() ? std::span<const double>{} : std::span(found->values);
}

double PluginCall::number(std::string_view key) const {
    const std::span<const double> x = input(key);
    return x.empty() ? 0.0 : x[0];
}

std::int64_t PluginCall::setting(std::string_view key) const {
    for (const auto& [name_of, value] : settings)
        if (name_of == key) return value;
    return 0;
}

bool PluginCall::wants(std::string_view output) const {
    return std::ranges::find(wanted, output) != wanted.end();
}

PluginCall capture_of(int block, bool of_tangents, const RowPoint& at, const RowValues& out) {
    return PluginCall("evaluate")
        .set("block", block)
        .set("of_tangents", of_tangents ? 1 : 0)
        .in("u", at.u)
        .in("du", at.du)
        .in("t", at.t)
        .want("pi", !out.pi.empty())
        .want("A", !out.A.empty())
        .want("pi_t", !out.pi_t.empty())
        .want("b", !out.b.empty());
}

PluginCall capture_of(int block, bool of_tangents, const RowStep& step) {
    return capture_of(step, step.rate).set("block", block).set("of_tangents", of_tangents ? 1 : 0);
}

PluginCall capture_of(const RowStep& step, std::span<const double> mean_velocity) {
    return PluginCall("evaluate_step")
        .in("u0", step.u0)
        .in("du", step.du)
        .in("mid", step.mid)
        .in("u1", step.u1)
        .in("rate", mean_velocity)
        .in("t0", step.t0)
        .in("h", step.h)
        .in("state0", step.state0)
        .in("reactions", step.reactions);
}

PluginCall capture_of(const RowPoint& at, std::span<const double> state) {
    return PluginCall("evaluate")
        .in("u", at.u)
        .in("du", at.du)
        .in("t", at.t)
        .in("state", state)
        .in("reactions", at.reactions);
}

std::string locator_text(const Locator& where) {
    const char* const head = where.is_direction ? "direction " : "point ";
    switch (where.kind) {
        case Locator::Kind::coordinates:
            return head + toml_numbers(where.xyz);
        case Locator::Kind::index:
            return fmt::format("{}{}", head, where.index);
        case Locator::Kind::name:
            return fmt::format("{}{}", head, where.name);
    }
    return head;
}

Locator locator_of(std::string_view text, std::string& name) {
    Locator out;
    out.is_direction = text.starts_with("direction ");
    name = text.substr(std::min(text.size(), text.find(' ') + 1));
    if (name.starts_with('[')) {
        const Value value = parse_value(name);
        const Array* const xyz = value.as<Array>();
        for (std::size_t i = 0; i < 3 && xyz != nullptr && i < xyz->size(); ++i)
            if (const auto* const x = (*xyz)[i].as<double>()) out.xyz[i] = *x;
    } else if (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos) {
        out.kind = Locator::Kind::index;
        out.index = std::stoll(name);
    } else {
        out.kind = Locator::Kind::name;
        out.name = name;
    }
    return out;
}

std::vector<CallValues> make_call(const PluginObject& object, const PluginCall& call) {
    const bool is_of_rows =
        call.name == "evaluate" || call.name == "evaluate_step" || call.name == "evaluate_tangent";
    if (call.name == "start_state") {
        if (object.force != nullptr) return call_start_state(*object.force);
        if (object.body != nullptr) return call_start_state(*object.body);
        return call_start_state(*object.constraint);
    }
    if (object.force != nullptr) return call_force(*object.force, call);
    if (object.body != nullptr)
        return is_of_rows ? call_rows(*object.body, call) : call_body(*object.body, call);
    const RowSource* const rows = call.setting("of_tangents") != 0
                                      ? object.constraint->tangents()
                                      : static_cast<const RowSource*>(object.constraint);
    if (rows == nullptr) throw std::logic_error("the constraint has no directions of sliding");
    return call_rows(*rows, call);
}

std::vector<std::string> bad_entries(const std::vector<CallValues>& outputs) {
    std::vector<std::string> bad;
    for (const CallValues& output : outputs)
        for (std::size_t i = 0; i < output.values.size(); ++i) {
            if (std::isfinite(output.values[i])) continue;
            const auto columns = size_of(output.columns);
            std::string where;
            if (columns > 1)
                where = fmt::format(" at row {}, column {}", i / columns, i % columns);
            else if (output.values.size() > 1)
                where = fmt::format(" at row {}", i);
            bad.push_back(fmt::format("{} is {}{}", output.name, output.values[i], where));
        }
    return bad;
}

}  // namespace ancora
