// SPDX-License-Identifier: BSD-3-Clause
// Checks of what a type says of itself, and of what its factory accepts and refuses.
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "ancora/framework/schema_text.hpp"
#include "object.hpp"
#include "units.hpp"

namespace ancora::verify {
namespace {

std::span<const Parameter> schema_of(const TypeDescriptor& type) {
    return {type.parameters, static_cast<std::size_t>(type.num_parameters)};
}

// --- texts

void require_docs(std::span<const Parameter> schema, const std::string& prefix) {
    for (const Parameter& p : schema) {
        if (*p.doc == '\0')
            throw Failure(fmt::format("parameter \"{}{}\" has no doc", prefix, p.name));
        if (p.num_children > 0)
            require_docs({p.children, static_cast<std::size_t>(p.num_children)},
                         prefix + p.name + ".");
    }
}

double sample_number(const Parameter& p) {
    if (std::isfinite(p.minimum) && std::isfinite(p.maximum)) return 0.5 * (p.minimum + p.maximum);
    if (std::isfinite(p.minimum)) return p.minimum + 1.0;
    if (std::isfinite(p.maximum)) return p.maximum - 1.0;
    return 1.0;
}

void require_free_name(const Subject& subject) {
    for (const ListedPlugin& plugin : subject.registry.list()) {
        if (plugin.name == subject.plugin.name || plugin.name.empty()) continue;
        for (const auto& [kind, name] : plugin.types)
            if (kind == subject.type.kind && name == subject.type.name)
                throw Failure(fmt::format(
                    "the plugin \"{}\" ({}) offers a {} type \"{}\" too: a model that names it "
                    "would be refused; choose another name",
                    plugin.name,
                    plugin.file.string(),
                    ancora::to_text(kind),
                    name));
    }
}

/// Units that the kernel cannot read: it would let a model write any unit there.
void require_units(std::span<const Parameter> schema, const std::string& prefix) {
    for (const Parameter& p : schema) {
        if (p.num_children > 0)
            require_units({p.children, static_cast<std::size_t>(p.num_children)},
                          prefix + p.name + ".");
        const std::string unit = p.unit;
        // the last marks a coordinate, see parameter::coordinate
        if (unit.empty() || unit == "-" || unit == "coordinate") continue;
        // "N/m or N m/rad", "rad, m"
        const bool has_several =
            unit.find(" or ") != std::string::npos || unit.find(',') != std::string::npos;
        if (!has_several && !dimension_of(unit))
            throw Failure(fmt::format(
                "\"{}{}\" has the unit \"{}\", which the kernel cannot read, so that it would take "
                "any unit there; write it as in a model: \"N s/m\", \"kg/(m s^2)\", \"rad\"",
                prefix,
                p.name,
                unit));
    }
}

/// One that no example could name, since no machine is sure to have it.
bool needs_a_file(const TypeDescriptor& type) {
    return std::ranges::any_of(schema_of(type), [](const Parameter& p) {
        return p.is_required && p.shapes == static_cast<std::uint32_t>(Shape::file);
    });
}

void check_descriptor(Subject& subject) {
    const TypeDescriptor& type = subject.type;
    const auto require = [](const char* text, const char* what) {
        if (*text == '\0') throw Failure(fmt::format("the type has no {}", what));
    };
    require(type.doc, "doc");
    require(type.equation, "equation");
    require(type.source, "source");
    const bool is_integrator = type.kind == TypeKind::integrator;
    if (is_integrator) require(type.tolerance, "text on what `tolerance` means to it");
    require_docs(schema_of(type), "");
    const bool needs_file = needs_a_file(type);
    if (subject.examples().empty() && !needs_file)
        throw Failure(
            "the type has no example, so nothing else can be checked; write one in `examples`");

    const auto refuse = [&](Claim claim, const char* text, unsigned kinds) {
        if (type.claims.has(claim) && (bit(type.kind) & kinds) == 0)
            throw Failure(
                fmt::format("{} \"{}\" claims {}", ancora::to_text(type.kind), type.name, text));
    };
    refuse(Claim::rigid_motion_invariant, "invariance under rigid motions", kRows);
    refuse(Claim::dissipative, "that it dissipates", kForces);
    refuse(Claim::frame_invariant, "frame invariance", kForces);
    refuse(Claim::keeps_energy, "to keep energy", kIntegrators);
    refuse(Claim::keeps_momentum, "to keep momentum", kIntegrators);
    refuse(Claim::keeps_angular_momentum, "to keep angular momentum", kIntegrators);
    if (!is_integrator && type.order != 0)
        throw Failure(fmt::format("claims the order {}, which only integrators have", type.order));
    require_free_name(subject);
    require_units(schema_of(type), "");
    if (subject.examples().empty())
        throw Skipped(
            "the description is in order; the type needs a file and brings no example, so "
            "that nothing else can be checked");
}

// --- what the factory accepts

Array numbers(std::size_t count, double value) {
    Array out;
    for (std::size_t k = 0; k < count; ++k) out.emplace_back(value);
    return out;
}

/// Values that the schema allows for a parameter, one or two of each shape; none for a text that
/// only the type knows how to read.
std::vector<Value> sample_values(const Parameter& p) {
    std::vector<Value> values;
    if (p.default_value != nullptr) values.push_back(parse_value(p.default_value));
    if (p.allows(Shape::boolean)) {
        values.emplace_back(true);
        values.emplace_back(false);
    }
    if (p.allows(Shape::integer))
        values.emplace_back(static_cast<std::int64_t>(std::llround(sample_number(p))));
    if (p.allows(Shape::number)) values.emplace_back(sample_number(p));
    if (p.may_be_infinite) values.emplace_back(std::numeric_limits<double>::infinity());
    if (p.allows(Shape::vector) && p.allows(Shape::boolean)) {
        Array list;
        list.emplace_back(true);
        values.emplace_back(std::move(list));
    } else if (p.allows(Shape::vector)) {
        const auto count = static_cast<std::size_t>(p.length > 0 ? p.length : 1);
        values.emplace_back(numbers(count, sample_number(p)));
        Array unit = numbers(count, 0.0);
        unit[0] = Value(1.0);
        if (!(p.minimum > 0.0)) values.emplace_back(std::move(unit));
    }
    if (p.allows(Shape::matrix)) {
        const auto rows = static_cast<std::size_t>(p.rows > 0 ? p.rows : 1);
        const auto columns = static_cast<std::size_t>(p.columns > 0 ? p.columns : 1);
        Array identity;
        Array counted;
        for (std::size_t i = 0; i < rows; ++i) {
            Array row = numbers(columns, 0.0);
            row[i % columns] = Value(1.0);
            identity.emplace_back(std::move(row));
            Array count;
            for (std::size_t j = 0; j < columns; ++j)
                count.emplace_back(static_cast<double>(i * columns + j));
            counted.emplace_back(std::move(count));
        }
        values.emplace_back(std::move(identity));
        values.emplace_back(std::move(counted));
    }
    if (p.allows(Shape::text) && p.choices != nullptr) {
        std::string choice;
        for (const char* c = p.choices;; ++c) {
            if (*c != '|' && *c != '\0') {
                choice += *c;
                continue;
            }
            values.emplace_back(choice);
            choice.clear();
            if (*c == '\0') break;
        }
    }
    if (p.allows(Shape::point)) values.emplace_back("a@[0.1, 0.2, 0.3]");
    if (p.allows(Shape::direction)) values.emplace_back("a@[1, 0, 0]");
    if (p.allows(Shape::body)) values.emplace_back("a");
    if (p.allows(Shape::object)) values.emplace_back("c");
    if (p.allows(Shape::frame)) values.emplace_back("b");
    if (p.allows(Shape::measure)) values.emplace_back("j.angle");
    if (p.allows(Shape::table)) {
        Table table;
        bool is_complete = true;  // false: it needs a file, or a text that only the type knows
        for (int k = 0; k < p.num_children; ++k) {
            const Parameter& child = p.children[k];
            const std::vector<Value> inner = sample_values(child);
            if (!child.is_required) continue;
            if (inner.empty())
                is_complete = false;
            else
                table.set(child.name, inner.back());
        }
        if (is_complete) values.emplace_back(std::move(table));
    }
    return values;
}

/// Whether the factory takes the example with `changes`; what it throws besides is a Failure. Adds
/// the keys that it asks for to `read`.
bool accepts(const Example& example,
             const Table& changes,
             std::set<std::string_view>* read = nullptr) {
    try {
        const BoundArguments arguments = example.bind(changes);
        const auto note = [&] {
            for (const Parameter& p : schema_of(example.type()))
                if (read != nullptr && arguments.was_read(p.name)) read->insert(p.name);
        };
        try {
            static_cast<void>(example.make(arguments));
        } catch (...) {
            note();
            throw;
        }
        note();
        return true;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::manifest) throw Failure(error.message());
        return false;
    }
}

/// Whether the kernel reads the parameter, to resolve what it names.
bool is_resolved_by_kernel(const Parameter& p) {
    return p.allows(Shape::point) || p.allows(Shape::direction) || p.allows(Shape::object) ||
           p.allows(Shape::signal) || p.makes != nullptr;
}

void check_examples(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        if (subject.type.kind == TypeKind::integrator) {
            static_cast<void>(example.make());
            return;
        }
        require_readable_facets(example);
        const Object once = example.make();
        const Object twice = example.make();
        for (const std::string& integrator : example.integrators()) {
            RunSettings settings;
            settings.integrator = integrator;
            const Simulation simulation = example.simulate(settings);
            static_cast<void>(simulation.analyse());
        }
    });
}

void check_schema(Subject& subject) {
    const std::vector<std::string> texts = subject.examples();
    if (texts.empty()) throw Skipped("the type has no example");
    std::set<std::string_view> read;
    bool is_any_made = false;
    for (const std::string& text : texts) {
        try {
            is_any_made |= accepts(Example(subject, text), {});
        } catch (const Error&) {  // it is not TOML, or nothing that the schema allows
        }
    }
    if (!is_any_made)
        throw Skipped(fmt::format("no object can be made, see the check {}", kExamples));
    for (const Parameter& p : schema_of(subject.type)) {
        const std::vector<Value> samples = sample_values(p);
        bool was_accepted = samples.empty();  // a text that only the type knows how to read
        for (const std::string& text : texts) {
            const Example example(subject, text);
            const bool is_in_example = example.bind().given(p.name);
            was_accepted |= is_in_example;
            for (const Value& value : samples) {
                Table changes;
                changes.set(p.name, value);
                try {
                    was_accepted |= accepts(example, changes, &read);
                } catch (const Failure& failure) {
                    throw Failure(fmt::format("with \"{}\" set: {}", p.name, failure.what()));
                }
            }
        }
        if (!was_accepted)
            throw Failure(fmt::format(
                "no value of \"{}\" that its schema allows was accepted with any example ({}); "
                "give it in an example, or take it out of the schema",
                p.name,
                shape_text(p)));
    }
    for (const std::string& text : texts) accepts(Example(subject, text), {}, &read);
    for (const Parameter& p : schema_of(subject.type))
        if (!is_resolved_by_kernel(p) && !read.contains(p.name))
            throw Failure(
                fmt::format("the factory never reads \"{}\", with any example or value; "
                            "use it, or take it out of the schema",
                            p.name));
}

void check_wrong_parameters(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const auto require_refusal = [&](const std::string& what, const Table& changes) {
            if (accepts(example, changes)) throw Failure(fmt::format("{} was accepted", what));
        };
        Table unknown;
        unknown.set("no_such_key_here", 1.0);
        require_refusal("an unknown key", unknown);
        for (const Parameter& p : schema_of(subject.type)) {
            Table changes;
            if (!p.allows(Shape::number) && !p.allows(Shape::integer) && !p.allows(Shape::vector) &&
                !p.allows(Shape::matrix)) {
                changes.set(p.name, 1.5);
                require_refusal(fmt::format("a number for \"{}\"", p.name), changes);
                continue;
            }
            if (p.allows(Shape::number) || p.allows(Shape::integer)) {
                changes.set(p.name, std::numeric_limits<double>::quiet_NaN());
                require_refusal(fmt::format("NaN for \"{}\"", p.name), changes);
                if (std::isfinite(p.minimum)) {
                    changes.set(p.name, p.minimum - 1.0);
                    require_refusal(fmt::format("\"{}\" below its range", p.name), changes);
                }
                if (std::isfinite(p.maximum)) {
                    changes.set(p.name, p.maximum + 1.0);
                    require_refusal(fmt::format("\"{}\" above its range", p.name), changes);
                }
            }
            if (p.allows(Shape::vector) && p.length > 0) {
                changes.set(p.name, numbers(static_cast<std::size_t>(p.length) + 1, 1.0));
                require_refusal(fmt::format("\"{}\" with an entry too many", p.name), changes);
            }
        }
    });
}

constexpr Check kDescriptorChecks[] = {
    {"descriptor",
     kEvery,
     "doc, equation, source, docs of parameters and an example are there; claims fit the kind, "
     "units "
     "can be written, and no other plugin has the name",
     check_descriptor},
    {kExamples,
     kEvery,
     "each example makes an object, and a system around it",
     check_examples,
     false},
    {"schema",
     kEvery,
     "the factory reads and accepts every parameter that is declared and asks for no other",
     check_schema,
     false},
    {"wrong_parameters",
     kEvery,
     "unknown keys, wrong shapes and values out of range are refused",
     check_wrong_parameters},
};

}  // namespace

std::span<const Check> descriptor_checks() {
    return kDescriptorChecks;
}

}  // namespace ancora::verify
