// SPDX-License-Identifier: BSD-3-Clause
// Fills calls of the table from records.
#include "call_again.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "call_table.hpp"

namespace ancora {
namespace {

using calls::size_of;

void require_size(const PluginCall& record, const char* name, std::size_t size) {
    const std::size_t found = record.input(name).size();
    if (found != size)
        throw Error(
            ErrorKind::file,
            fmt::format(
                "the record has {} numbers in \"{}\", but the call takes {}", found, name, size));
}

/// Binds a call's inputs to those of a record, and its outputs to memory of its own.
class FromRecord {
public:
    explicit FromRecord(const PluginCall& record) : record_(record) {}

    template <class Setting>
    void setting(const char* key, Setting& value) {
        value = static_cast<Setting>(record_.setting(key));
    }
    template <class Place>
    void place(std::string_view, Place& place, const Place& of_shape) {
        place = of_shape;
    }
    void in(const char* key, std::span<const double>& x, std::size_t size) {
        require_size(record_, key, size);
        x = record_.input(key);
    }
    void in(const char* key, double& x) { x = record_.number(key); }
    void in_or_none(const char* key, std::span<const double>& x, std::size_t size) {
        if (!record_.input(key).empty()) in(key, x, size);
    }
    void remark(const char*, const double&) {}
    void out(const calls::Output& output, std::span<double>& x, std::size_t size) {
        if (size > 0) x = add(output, size);
    }
    void choice(const calls::Output& output, std::span<double>& x, std::size_t size) {
        if (record_.wants(output.name)) x = add(output, size);
    }
    template <std::size_t N>
    void out(const calls::Output& output, std::array<double, N>& x) {
        later(output, N, [&x](std::span<double> to) {
            std::ranges::copy(x, to.begin());
        });
    }
    void out(const calls::Output& output, double& x) {
        later(output, 1, [&x](std::span<double> to) {
            to[0] = x;
        });
    }
    void made(const calls::Output& output, std::size_t size, const auto&) { add(output, size); }
    void moved(const calls::Output& output,
               std::span<double>& state1,
               std::span<const double> state0) {
        if (state0.empty()) return;
        state1 = add(output, state0.size());
        std::ranges::copy(state0, state1.begin());
    }
    void room(std::span<double>& x, std::size_t size) { x = rooms_.emplace_back(size, 0.0); }

    /// After the call.
    std::vector<CallValues> take() {
        for (const auto& [output, copy] : later_) copy(outputs_[output].values);
        return std::move(outputs_);
    }

private:
    std::span<double> add(const calls::Output& output, std::size_t size) {
        outputs_.push_back({output.name,
                            std::max(static_cast<int>(output.columns), 1),
                            std::vector<double>(size, 0.0)});
        return outputs_.back().values;
    }
    void later(const calls::Output& output,
               std::size_t size,
               std::function<void(std::span<double>)> copy) {
        later_.emplace_back(outputs_.size(), std::move(copy));
        add(output, size);
    }

    const PluginCall& record_;
    std::vector<CallValues> outputs_;
    std::vector<std::pair<std::size_t, std::function<void(std::span<double>)>>> later_;
    std::vector<std::vector<double>> rooms_;
};

/// Fills what a call keeps itself into the outputs, in their order.
class OwnOutputs {
public:
    explicit OwnOutputs(std::vector<CallValues>& to) : to_(to) {}
    void setting(const char*, const auto&) {}
    void place(std::string_view, const auto&, const auto&) {}
    void in(const char*, const auto&...) {}
    void in_or_none(const char*, const auto&, std::size_t) {}
    void remark(const char*, double) {}
    void out(const calls::Output&, const auto&...) {}
    void choice(const calls::Output&, const auto&, std::size_t) {}
    void made(const calls::Output& output, std::size_t, const auto& fill) {
        fill(std::ranges::find(to_, output.name, &CallValues::name)->values);
    }
    void moved(const calls::Output&, const auto&, const auto&) {}
    void room(const auto&, std::size_t) {}

private:
    std::vector<CallValues>& to_;
};

// --- the sizes that an object asks for

/// Of the local scalars of rows: as many as the record has, and no fewer than the rows read.
calls::RowShape shape_of(std::type_identity<calls::RowShape>,
                         const RowSource& rows,
                         const PluginCall& record) {
    const int index = static_cast<int>(record.setting("block"));
    const std::span<const RowBlock> blocks = rows.row_blocks();
    if (index < 0 || size_of(index) >= blocks.size())
        throw std::out_of_range(
            fmt::format("there is no block {}, the object has {}", index, blocks.size()));
    std::size_t least = 0;
    for (const RowBlock& block : blocks)
        for (const std::int32_t scalar : block.stencil)
            least = std::max(least, size_of(scalar) + 1);
    const char* const name = record.name == calls::Evaluate::kName       ? "u"
                             : record.name == calls::EvaluateStep::kName ? "u0"
                                                                         : "mid";
    const std::size_t found = record.input(name).size();
    if (found < least) require_size(record, name, least);
    calls::RowShape shape(blocks[size_of(index)], found, rows.start_state().size());
    shape.own = {record.input("inputs").size(), record.input("x").size(), record.input("z").size()};
    return shape;
}

calls::BodyShape shape_of(std::type_identity<calls::BodyShape>,
                          const Body& body,
                          const PluginCall&) {
    return {static_cast<int>(body.coordinates().size()), body.mass_kind()};
}

calls::PoseOf::Shape shape_of(std::type_identity<calls::PoseOf::Shape>,
                              const Body& body,
                              const PluginCall&) {
    return {body.coordinates().size(), true};
}

calls::Attach::Shape shape_of(std::type_identity<calls::Attach::Shape>,
                              const Body& body,
                              const PluginCall& record) {
    return {static_cast<int>(body.coordinates().size()), locator_of(record)};
}

calls::EvaluateAttachment::Shape shape_of(std::type_identity<calls::EvaluateAttachment::Shape>,
                                          const Body& body,
                                          const PluginCall& record) {
    calls::AttachmentTerms meant;
    body.attach(locator_of(record), meant);
    return {body.coordinates().size(), meant.coordinates.size(), meant.id};
}

calls::OwnShape own_shape(const Signals& signals) {
    return {signals.inputs().size(),
            size_of(signals.num_continuous()),
            size_of(signals.num_discrete())};
}

calls::ForceShape shape_of(std::type_identity<calls::ForceShape>,
                           const NonidealForce& force,
                           const PluginCall& record) {
    const char* const name = record.name == calls::EvaluateForce::kName ? "u" : "u0";
    const ForceFacets facets = facets_of(force);
    return {record.input(name).size(),
            facets.start_state.size(),
            3 * facets.reactions.size(),
            facets.signals != nullptr ? own_shape(*facets.signals) : calls::OwnShape{}};
}

/// Of the local scalars of an object: as many as the record has.
calls::SignalShape shape_of(std::type_identity<calls::SignalShape>,
                            const Signals& signals,
                            const PluginCall& record) {
    return {record.input("u").size(),
            own_shape(signals),
            size_of(num_values(signals.outputs())),
            size_of(signals.num_crossings())};
}

calls::LawShape shape_of(std::type_identity<calls::LawShape>,
                         const ContactLaw&,
                         const PluginCall&) {
    return {};
}

// --- the table

template <class Call>
std::vector<CallValues> make(const auto& on, const PluginCall& record) {
    const typename Call::Shape shape =
        shape_of(std::type_identity<typename Call::Shape>(), on, record);
    Call call;
    FromRecord bind(record);
    Call::fields(call, shape, bind);
    call.make(on);
    std::vector<CallValues> outputs = bind.take();
    Call::fields(call, shape, OwnOutputs(outputs));
    return outputs;
}

/// Makes the call if it is one of the list.
template <class... Call>
bool made(calls::List<Call...>,
          const auto& on,
          const PluginCall& record,
          std::vector<CallValues>& outputs) {
    return ((record.name == Call::kName && (outputs = make<Call>(on, record), true)) || ...);
}

template <class... Call>
bool holds(calls::List<Call...>, std::string_view name) {
    return ((name == Call::kName) || ...);
}

bool made_by_signals(const auto& object,
                     const PluginCall& record,
                     std::vector<CallValues>& outputs) {
    const Signals* const signals = facets_of(object).signals;
    return signals != nullptr && made(calls::OfSignals(), *signals, record, outputs);
}

[[noreturn]] void refuse(const PluginCall& record) {
    throw std::logic_error(fmt::format("there is no call \"{}\"", record.name));
}

}  // namespace

bool has_call(TypeKind kind, std::string_view name) {
    if (kind != TypeKind::integrator && holds(calls::OfSignals(), name)) return true;
    switch (kind) {
        case TypeKind::body:
            return holds(calls::OfBody(), name) || holds(calls::OfRows(), name);
        case TypeKind::constraint:
            return holds(calls::OfRows(), name);
        case TypeKind::force:
            return holds(calls::OfForce(), name) || holds(calls::OfContactLaw(), name);
        case TypeKind::integrator:
            return false;
    }
    return false;
}

std::vector<CallValues> make_call(const RowSource& rows, const PluginCall& call) {
    std::vector<CallValues> outputs;
    if (!made(calls::OfRows(), rows, call, outputs)) refuse(call);
    return outputs;
}

std::vector<CallValues> make_call(const Body& body, const PluginCall& call) {
    std::vector<CallValues> outputs;
    if (made_by_signals(body, call, outputs)) return outputs;
    if (!made(calls::OfBody(), body, call, outputs))
        return make_call(static_cast<const RowSource&>(body), call);
    return outputs;
}

std::vector<CallValues> make_call(const Constraint& constraint, const PluginCall& call) {
    std::vector<CallValues> outputs;
    if (made_by_signals(constraint, call, outputs)) return outputs;
    if (call.setting("of_tangents") == 0)
        return make_call(static_cast<const RowSource&>(constraint), call);
    const RowSource* const rows = facets_of(constraint).tangents;
    if (rows == nullptr) throw std::logic_error("the constraint has no directions of sliding");
    return make_call(*rows, call);
}

std::vector<CallValues> make_call(const NonidealForce& force, const PluginCall& call) {
    std::vector<CallValues> outputs;
    if (made_by_signals(force, call, outputs)) return outputs;
    if (made(calls::OfForce(), force, call, outputs)) return outputs;
    const ContactLaw* const law = facets_of(force).contact;
    if (law == nullptr) throw std::logic_error("the force has no contact law");
    if (!made(calls::OfContactLaw(), *law, call, outputs)) refuse(call);
    return outputs;
}

}  // namespace ancora
