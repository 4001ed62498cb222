// SPDX-License-Identifier: BSD-3-Clause
// Checks of what an object offers besides: facets, names, own bodies, efforts, attachments.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include <cxxabi.h>
#include <fmt/format.h>
#include <malloc.h>

#include "ancora/sdk/helpers/measure_function.hpp"
#include "bench.hpp"
#include "body_specimen.hpp"
#include "row_states.hpp"
#include "units.hpp"

namespace ancora::verify {
namespace {

// --- what facets lead to

/// A piece of memory that a facet leads to, and what it held when it was asked for.
struct Lead {
    std::string name;
    const void* at = nullptr;
    std::string bytes;
};

/// Follows what an object says, as far as it can be read without knowing more than the interfaces.
class Leads {
public:
    std::vector<Lead> all;

    void bytes(const std::string& name, const void* at, std::size_t count) {
        if (at == nullptr || count == 0) {
            all.push_back({name, nullptr, ""});
            return;
        }
        all.push_back({name, at, std::string(static_cast<const char*>(at), count)});
    }
    /// An interface: the table of its functions stands first.
    template <class Interface>
    void interface(const std::string& name, const Interface* at) {
        bytes(name, at, sizeof(void*));
    }
    template <class T>
    void span(const std::string& name, std::span<const T> values) {
        bytes(name, values.data(), values.size_bytes());
    }
    void text(const std::string& name, const char* text) {
        bytes(name, text, text != nullptr ? std::strlen(text) + 1 : 0);
    }
    void measure(const std::string& name, const Measure* measure) {
        bytes(name, measure, sizeof(Measure));
        if (measure != nullptr) text(name + "'s name", measure->name);
    }
    void joint(const Joint* joint) {
        bytes("joint", joint, sizeof(Joint));
        if (joint == nullptr) return;
        text("the kind of the joint", joint->kind);
        bytes("the body a of the joint", joint->a.body.data(), joint->a.body.size());
        bytes("the body b of the joint", joint->b.body.data(), joint->b.body.size());
        for (const Measure& each : joint->measures) measure("a measure of the joint", &each);
        span("on_b of the joint", joint->on_b);
    }
    void requests(std::span<const AttachmentRequest> requests) {
        span("attachments()", requests);
        for (const AttachmentRequest& request : requests)
            for (const char* part : {request.parameter, request.text, request.key, request.where})
                text("a text of attachments()", part);
    }
};

void follow(const BodyFacets& facets, Leads& out) {
    out.interface("scalar_rotation", facets.scalar_rotation);
    out.interface("names", facets.names);
    out.interface("drawing", facets.drawing);
    out.interface("signals", facets.signals);
    out.interface("notes", facets.notes);
}
void follow(const ConstraintFacets& facets, Leads& out) {
    out.joint(facets.joint);
    out.interface("tangents", facets.tangents);
    out.interface("signals", facets.signals);
    out.interface("own_body", facets.own_body);
    out.text("effort_unit", facets.effort_unit);
    out.interface("effort_factors", facets.effort_factors);
}
void follow(const ForceFacets& facets, Leads& out) {
    out.interface("tangent", facets.tangent);
    out.interface("signals", facets.signals);
    out.span("start_state", facets.start_state);
    out.measure("effort_on", facets.effort_on);
    out.span("reactions", facets.reactions);
    for (const char* name : facets.reactions) out.text("a name of reactions", name);
    out.interface("contact", facets.contact);
}
void follow(const IntegratorFacets& facets, Leads& out) {
    out.interface("dense_output", facets.dense_output);
    out.interface("outputs", facets.outputs);
}

/// The object behind the one of four pointers that is set.
template <class Function>
auto with_object(const Object& object, Function&& function) {
    if (object.body) return function(*object.body);
    if (object.constraint) return function(*object.constraint);
    if (object.force) return function(*object.force);
    return function(*object.integrator);
}

Leads leads_of(const Object& object) {
    Leads out;
    with_object(object, [&](const auto& it) {
        std::remove_cvref_t<decltype(facets_of(it))> facets;
        guard("facets", [&] {
            it.facets(facets);
        });
        follow(facets, out);
        return 0;
    });
    if (const RowSource* const rows = object.rows())
        guard("start_state", [&] {
            out.span("start_state()", rows->start_state());
        });
    guard("attachments", [&] {
        if (object.constraint) out.requests(object.constraint->attachments());
        if (object.force) out.requests(object.force->attachments());
    });
    return out;
}

/// Writes over what may have been given back: of the heap's small blocks and of the stack.
[[gnu::noinline]] void write_over_free_memory() {
    constexpr std::size_t kSmallest = 16, kLargest = 1040, kOfEach = 16;
    std::vector<std::unique_ptr<char[]>> blocks;
    for (std::size_t size = kSmallest; size <= kLargest; size += 16)
        for (std::size_t k = 0; k < kOfEach; ++k) {
            blocks.push_back(std::make_unique<char[]>(size - 8));
            std::memset(blocks.back().get(), 0x5a, size - 8);
        }
    constexpr std::size_t kStack = 1 << 14;
    volatile char room[kStack];
    for (volatile char& byte : room) byte = 0x5a;
}

/// The block of the heap in which an object is.
struct HeapBlock {
    const char* begin = nullptr;
    std::size_t size = 0;

    explicit HeapBlock(const Object& object) {
        begin = with_object(object, [](const auto& it) {
            return static_cast<const char*>(dynamic_cast<const void*>(&it));
        });
        size = ::malloc_usable_size(const_cast<char*>(begin));
    }
    bool has(const void* at) const {
        return at != nullptr && std::less_equal<>()(begin, static_cast<const char*>(at)) &&
               std::less<>()(static_cast<const char*>(at), begin + size);
    }
};

/// @throws Failure if what was found is not there any more
void require_there(const std::vector<Lead>& leads, const char* when) {
    for (const Lead& lead : leads)
        if (lead.at != nullptr && std::memcmp(lead.at, lead.bytes.data(), lead.bytes.size()) != 0)
            throw Failure(fmt::format(
                "{} does not stay what it was {}: it lives as long as the object, so it is the "
                "object itself, a member of it, or constant",
                lead.name,
                when));
}

void require_same(const std::vector<Lead>& first,
                  const std::vector<Lead>& second,
                  const char* when) {
    for (std::size_t k = 0; k < std::max(first.size(), second.size()); ++k) {
        if (k < std::min(first.size(), second.size()) && first[k].name == second[k].name &&
            first[k].at == second[k].at && first[k].bytes == second[k].bytes)
            continue;
        throw Failure(
            fmt::format("{} is another {}: facets are configuration, the same whenever they are "
                        "asked for",
                        k < first.size() ? first[k].name : second[k].name,
                        when));
    }
}

void require_not_in(const HeapBlock& other, const std::vector<Lead>& leads) {
    for (const Lead& lead : leads)
        if (other.has(lead.at))
            throw Failure(
                fmt::format("{} leads into another object of the type, which may be gone before "
                            "this one",
                            lead.name));
}

void check_life(const Example& example) {
    const Object object = example.make();
    const Leads first = leads_of(object);
    write_over_free_memory();
    require_there(first.all, "when other memory was written");
    require_same(first.all, leads_of(object).all, "when it is asked for again");
    {
        const Object other = example.make();
        const HeapBlock its(other);
        require_not_in(its, first.all);
        require_there(first.all, "when another object was made");
        const Leads beside = leads_of(object);
        require_not_in(its, beside.all);
        require_same(first.all, beside.all, "beside another object");
        require_not_in(HeapBlock(object), leads_of(other).all);
    }
    write_over_free_memory();
    require_there(first.all, "when another object was gone");
    if (example.type().kind == TypeKind::integrator) return;
    const Bench bench(example);
    const Leads before = leads_of(bench.object);
    Random random(1);
    for (const StepCall& call : bench.calls) {
        Numbers in = inputs(call, random);
        try {
            static_cast<void>(results(call, bench.object, in, 0.0));
        } catch (const Failure&) {  // others ask for that
        }
    }
    require_same(before.all, leads_of(bench.object).all, "after calls");
}

// --- facets that are forgotten

/// Names of the classes that an object's class itself derives from, privately too, as the C++ ABI
/// has them. What a base class has more of, it names where it sees fit. Empty for a library without
/// type information.
std::set<std::string> bases_of(const Object& object) {
    const void* const whole = with_object(object, [](const auto& it) {
        return dynamic_cast<const void*>(&it);
    });
    // it stands before the table of functions, which an object begins with
    const auto* const table = *static_cast<void* const* const*>(whole);
    const auto* const type = static_cast<const std::type_info*>(table[-1]);
    std::set<std::string> names;
    if (type == nullptr) return names;
    if (const auto* many = dynamic_cast<const abi::__vmi_class_type_info*>(type))
        for (unsigned k = 0; k < many->__base_count; ++k)
            names.insert(many->__base_info[k].__base_type->name());
    return names;
}

/// Facets with a class of their own.
std::vector<std::pair<const std::type_info*, const char*>> facet_classes(TypeKind kind) {
    switch (kind) {
        case TypeKind::body:
            return {{&typeid(ScalarRotation), "scalar_rotation"},
                    {&typeid(BodyNames), "names"},
                    {&typeid(Drawing), "drawing"},
                    {&typeid(Signals), "signals"},
                    {&typeid(BodyNotes), "notes"}};
        case TypeKind::constraint:
            return {{&typeid(Signals), "signals"}, {&typeid(EffortFactors), "effort_factors"}};
        case TypeKind::force:
            return {{&typeid(ForceTangent), "tangent"},
                    {&typeid(Signals), "signals"},
                    {&typeid(ContactLaw), "contact"}};
        case TypeKind::integrator:
            return {{&typeid(DenseOutput), "dense_output"},
                    {&typeid(IntegratorOutputs), "outputs"}};
    }
    return {};
}

/// Of an example: facets that its class derives from, and those that it names.
void note_facets(const Object& object,
                 TypeKind kind,
                 std::set<std::string>& derived,
                 std::set<std::string>& named) {
    const std::set<std::string> bases = bases_of(object);
    for (const auto& [type, name] : facet_classes(kind))
        if (bases.contains(type->name())) derived.insert(name);
    for (const Lead& lead : leads_of(object).all)
        if (lead.at != nullptr) named.insert(lead.name);
}

// --- what they say

bool has_parameter(const TypeDescriptor& type, const char* name, Shape shape) {
    return std::ranges::any_of(
        std::span(type.parameters, static_cast<std::size_t>(type.num_parameters)),
        [&](const Parameter& p) {
            return std::string_view(p.name) == name && p.allows(shape);
        });
}

void require_measure(const Measure& measure, std::size_t num_attachments_there) {
    const auto kind = static_cast<int>(measure.kind);
    if (kind < 0 || kind > static_cast<int>(MeasureKind::between))
        throw Failure(fmt::format("effort_on is a measure of the kind {}", kind));
    for (int k = 0; k < num_attachments(measure.kind); ++k) {
        const std::int32_t i = measure.attachments[static_cast<std::size_t>(k)];
        if (i < 0 || static_cast<std::size_t>(i) >= num_attachments_there)
            throw Failure(fmt::format("effort_on is a measure of attachment {}, and there are {}",
                                      i,
                                      num_attachments_there));
    }
}

void require_outputs(std::span<const Output> outputs) {
    std::set<std::string_view> names;
    for (const Output& output : outputs) {
        if (output.name == nullptr || *output.name == '\0') throw Failure("an output has no name");
        if (!names.insert(output.name).second)
            throw Failure(fmt::format("two outputs are called \"{}\"", output.name));
        const std::string unit = output.unit != nullptr ? output.unit : "";
        if (!unit.empty() && unit != "-" && !dimension_of(unit))
            throw Failure(
                fmt::format("the output \"{}\" has the unit \"{}\", which the kernel cannot read",
                            output.name,
                            unit));
    }
}

void require_start(std::span<const double> start, const char* what) {
    for (std::size_t i = 0; i < start.size(); ++i)
        if (!std::isfinite(start[i]))
            throw Failure(fmt::format("{} is {} in entry {}", what, start[i], i));
}

void check_words(const Example& example) {
    const BoundArguments arguments = example.bind();
    const Object object = example.make(arguments);
    if (const RowSource* const rows = object.rows())
        require_start(rows->start_state(), "start_state()");
    if (const Signals* const signals = object.integrator ? nullptr : signals_of(object)) {
        require_outputs(signals->outputs());
        for (const char* const name : signals->inputs())
            if (name == nullptr || !has_parameter(example.type(), name, Shape::signal))
                throw Failure(
                    fmt::format("an input is called \"{}\", and no parameter of that name "
                                "takes a signal",
                                name != nullptr ? name : "null"));
    }
    if (object.force) {
        const ForceFacets facets = facets_of(*object.force);
        require_start(facets.start_state, "start_state");
        for (const char* const name : facets.reactions)
            if (name == nullptr || !has_parameter(example.type(), name, Shape::object))
                throw Failure(fmt::format(
                    "reactions names \"{}\", and no parameter of that name takes an object",
                    name != nullptr ? name : "null"));
        if (facets.effort_on != nullptr) {
            const Stage stage(example.type(), arguments, object);
            require_measure(*facets.effort_on, static_cast<std::size_t>(stage.num_scalars()) / 3);
        }
    }
    if (object.constraint) {
        const ConstraintFacets facets = facets_of(*object.constraint);
        const std::string unit = facets.effort_unit != nullptr ? facets.effort_unit : "";
        if (!unit.empty() && !dimension_of(unit))
            throw Failure(fmt::format("effort_unit is \"{}\", which the kernel cannot read", unit));
        if (facets.joint != nullptr && facets.own_body != nullptr)
            throw Failure(
                "it is a joint and brings a body along, which only other constraints may");
    }
}

/// Outputs of an integrator, from a history that is still zero.
void check_integrator_outputs(const Example& example) {
    const Object object = example.make();
    const IntegratorOutputs* const shown = facets_of(*object.integrator).outputs;
    if (shown == nullptr) return;
    const std::span<const Output> outputs = shown->outputs();
    require_outputs(outputs);
    if (outputs.empty()) return;
    constexpr std::size_t kHistory = 4096;  // more than it asks for, and all zero
    constexpr std::size_t kZone = 16;
    const Numbers history(kHistory, 0.0);
    const auto count = static_cast<std::size_t>(num_values(outputs));
    std::array<Numbers, 2> found;
    for (std::size_t k = 0; k < 2; ++k) {
        const double canary = k == 0 ? kCanary : kOtherCanary;
        Numbers room(count + 2 * kZone, canary);
        guard("evaluate_outputs", [&] {
            shown->evaluate_outputs(history, std::span(room).subspan(kZone, count));
        });
        for (std::size_t i = 0; i < room.size(); ++i) {
            const bool is_inside = i >= kZone && i < kZone + count;
            if (is_inside && same_bits(room[i], canary))
                throw Failure(fmt::format(
                    "evaluate_outputs leaves value {} of {} unwritten", i - kZone, count));
            if (!is_inside && !same_bits(room[i], canary))
                throw Failure(fmt::format("evaluate_outputs writes beside its {} values", count));
            if (is_inside && !std::isfinite(room[i]))
                throw Failure(
                    fmt::format("evaluate_outputs gives {} for value {} at the start, where the "
                                "history is zero",
                                room[i],
                                i - kZone));
        }
        found[k].assign(room.begin() + kZone, room.end() - kZone);
    }
    if (!same_bits(found[0], found[1]))
        throw Failure(
            "evaluate_outputs gives other values for the same history when it is asked again: what "
            "it shows is a function of the history alone");
}

void check_facets(Subject& subject) {
    const TypeKind kind = subject.type.kind;
    std::set<std::string> derived, named;
    for_each_example(subject, [&](const Example& example) {
        check_life(example);
        check_words(example);
        if (kind == TypeKind::integrator) check_integrator_outputs(example);
        note_facets(example.make(), kind, derived, named);
    });
    for (const std::string& name : derived)
        if (!named.contains(name))
            throw Failure(
                fmt::format("derives from the class of the facet {0} and does not name it in "
                            "facets(), with any "
                            "example: write out.{0} = this there, after facets() of the base class",
                            name));
}

// --- attachments of constraints and forces

void check_requests(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const Object object = example.make();
        const auto requests =
            object.force ? object.force->attachments() : object.constraint->attachments();
        if (requests.empty()) throw Skipped("it is attached to nothing");
        const std::span schema(example.type().parameters,
                               static_cast<std::size_t>(example.type().num_parameters));
        const auto find = [&](std::string_view name) -> const Parameter* {
            const auto at = std::ranges::find_if(schema, [&](const Parameter& p) {
                return p.name == name;
            });
            return at != schema.end() ? &*at : nullptr;
        };
        for (const AttachmentRequest& request : requests) {
            if (request.parameter != nullptr) {
                const Parameter* const p = find(request.parameter);
                if (p == nullptr)
                    throw Failure(
                        fmt::format("attachments() asks for the parameter \"{}\", which is not in "
                                    "the schema",
                                    request.parameter));
                if (!p->allows(Shape::point) && !p->allows(Shape::direction) &&
                    !p->allows(Shape::measure) && !p->allows(Shape::vector))
                    throw Failure(
                        fmt::format("attachments() asks for the parameter \"{}\", which takes {}",
                                    request.parameter,
                                    "neither a point nor a direction nor a measure"));
                continue;
            }
            if (request.text == nullptr || *request.text == '\0')
                throw Failure("attachments() asks for something by no parameter and no text");
            // "table.key", "list[2]": what stands first is the parameter
            const std::string key = request.key != nullptr ? request.key : "";
            const std::string first = key.substr(0, key.find_first_of(".["));
            if (!first.empty() && find(first) == nullptr && find("*") == nullptr)
                throw Failure(fmt::format(
                    "attachments() takes \"{}\" from the parameter \"{}\", which is not "
                    "in the schema, so that no message could say where it stands",
                    request.text,
                    key));
        }
    });
}

// --- names of a body

void check_names(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BodySpecimen specimen(example);
        const BodyNames* const names = facets_of(specimen.body()).names;
        if (names == nullptr) throw Skipped("it has no names for points or coordinates");
        const auto coordinate = [&](const std::string& name) {
            int index = -1;
            guard("find_coordinate", [&] {
                index = names->find_coordinate(name);
            });
            if (index < -1 || index >= specimen.n())
                throw Failure(fmt::format(
                    "find_coordinate(\"{}\") is {} of {} coordinates", name, index, specimen.n()));
            return index;
        };
        std::vector<std::string> tried = {"theta",
                                          "phi",
                                          "psi",
                                          "rho",
                                          "alpha",
                                          "beta",
                                          "gamma",
                                          "delta",
                                          "angle",
                                          "turn",
                                          "slide",
                                          "length",
                                          "omega",
                                          "x1",
                                          "e0",
                                          "steer",
                                          "roll",
                                          "pitch"};
        for (char a = 'a'; a <= 'z'; ++a) {
            tried.emplace_back(1, a);
            for (char b = '0'; b <= 'z'; ++b)
                if (std::isalnum(static_cast<unsigned char>(b)) != 0) tried.push_back({a, b});
        }
        for (const std::string& name : tried) coordinate(name);
        for (const char* const name : {"no such coordinate", ""})
            if (coordinate(name) != -1)
                throw Failure(
                    fmt::format("find_coordinate(\"{}\") finds a coordinate: -1 says that there is "
                                "none",
                                name));

        const auto group = [&](const char* name, std::span<const std::int32_t>& points) {
            bool is_there = true;
            guard("group", [&] {
                try {
                    points = names->group(name);
                } catch (const std::invalid_argument&) {
                    is_there = false;
                }
            });
            return is_there;
        };
        std::span<const std::int32_t> points;
        if (group("no such group", points))
            throw Failure("group(\"no such group\") finds points; throw std::invalid_argument");
        if (!group("*", points)) return;
        const std::vector<std::int32_t> found(points.begin(), points.end());
        write_over_free_memory();
        if (!std::ranges::equal(found, points))
            throw Failure("the points of group(\"*\") do not live as long as the body");
        for (const std::int32_t index : found) {
            Locator where;
            where.kind = Locator::Kind::index;
            where.index = index;
            calls::AttachmentTerms said;
            try {
                specimen.body().attach(where, said);
            } catch (const std::invalid_argument& reason) {
                throw Failure(
                    fmt::format("group(\"*\") names the point {}, which attach() refuses: {}",
                                index,
                                reason.what()));
            }
        }
    });
}

// --- own bodies

void check_own_body(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const Object object = example.make();
        const Body* const own = facets_of(*object.constraint).own_body;
        if (own == nullptr) throw Skipped("it brings no body along");
        const std::span<const Coordinate> coordinates = own->coordinates();
        const auto n = static_cast<int>(coordinates.size());
        for (int i = 0; i < n; ++i)
            if (const Coordinate& c = coordinates[static_cast<std::size_t>(i)];
                c.vector >= 0 || c.translates)
                throw Failure(
                    fmt::format("coordinate {} of its own body is said to be a component of a "
                                "vector: what nobody sees has no place in space, no weight and no "
                                "momentum, so its coordinates are scalars",
                                i));
        const Mass mass(*own, n);
        const double size = mass.M.cwiseAbs().maxCoeff();
        if (!(size > 0.0)) throw Failure("its own body has no mass");
        const double lowest =
            Eigen::SelfAdjointEigenSolver<Matrix>(mass.M, Eigen::EigenvaluesOnly).eigenvalues()(0);
        if (!(lowest >= -kRounding * size))
            throw Failure(
                fmt::format("the mass matrix of its own body has the eigenvalue {:.6g}", lowest));
        std::array<Vector, 2> start;
        for (Vector& x : start) {
            x.setConstant(2 * n, &x == &start[0] ? -1.25e300 : 3.5e300);
            guard("start, own body", [&] {
                own->start(view(x).first(static_cast<std::size_t>(n)),
                           view(x).last(static_cast<std::size_t>(n)));
            });
        }
        for (int i = 0; i < 2 * n; ++i)
            if (!std::isfinite(start[0](i)) || start[0](i) != start[1](i))
                throw Failure(fmt::format("start() of its own body gives {} and then {} in {}[{}]",
                                          start[0](i),
                                          start[1](i),
                                          i < n ? 'q' : 'v',
                                          i % n));
    });
}

// --- efforts

/// f = effort dm/du at sampled states.
void check_effort_of_force(const Example& example, Random& random) {
    const BoundArguments arguments = example.bind();
    const Object object = example.make(arguments);
    const ForceFacets facets = facets_of(*object.force);
    if (facets.effort_on == nullptr) throw Skipped("it is no effort on a measure");
    const Stage stage(example.type(), arguments, object);
    const auto n = static_cast<std::size_t>(stage.num_scalars());
    require_measure(*facets.effort_on, n / 3);
    const MeasureFunction measure(facets.effort_on->kind);
    const std::vector<StepCall> calls = step_calls(stage, object);
    const auto call = std::ranges::find_if(calls, [](const StepCall& each) {
        return each.name == calls::EvaluateForce::kName;
    });
    for (int k = 0; k < kRowStates; ++k) {
        const Numbers in = inputs(*call, random);
        const Numbers f = results(*call, object, in, 0.0);
        std::array<double, MeasureFunction::kMostScalars> u{}, g{};
        const auto scalar = [&](std::size_t i) {
            return 3 * static_cast<std::size_t>(facets.effort_on->attachments[i / 3]) + i % 3;
        };
        for (std::size_t i = 0; i < measure.num_scalars(); ++i) u[i] = in[scalar(i)];
        measure.gradient(u.data(), g.data());
        Vector gradient = Vector::Zero(static_cast<Eigen::Index>(n)), force(gradient.size());
        for (std::size_t i = 0; i < measure.num_scalars(); ++i)
            gradient(static_cast<Eigen::Index>(scalar(i))) += g[i];
        for (std::size_t i = 0; i < n; ++i) force(static_cast<Eigen::Index>(i)) = f[i];
        const double square = gradient.squaredNorm();
        if (!(square > 0.0)) continue;
        const Vector beside = force - force.dot(gradient) / square * gradient;
        if (!(beside.norm() <= 1e-9 * force.norm()))
            throw Failure(fmt::format(
                "f has a part beside the gradient of the measure that it is said to be an effort "
                "on, {:.3g} N of {:.3g}: f = effort dm/du",
                beside.norm(),
                force.norm()));
    }
}

void check_effort_factors(const Example& example, Random& random) {
    const BoundArguments arguments = example.bind();
    const Object object = example.make(arguments);
    const EffortFactors* const factors = facets_of(*object.constraint).effort_factors;
    if (factors == nullptr) throw Skipped("its rows count as they are");
    const Stage stage(example.type(), arguments, object);
    skip_wrong_sizes(stage, object);
    std::size_t rows = 0;
    for (const RowBlock& block : object.constraint->row_blocks()) rows += num_rows(block);
    const OwnNumbers own(object);
    for (int k = 0; k < kRowStates; ++k) {
        const At at = random_state(stage, random);
        const double h = k % 2 == 0 ? 0.0 : 1e-3;
        std::array<Numbers, 2> found;
        for (std::size_t i = 0; i < 2; ++i) {
            found[i].assign(rows, i == 0 ? kCanary : kOtherCanary);
            RowPoint point{view(at.u), {}, at.t};
            point.own = own.values();
            guard("evaluate of effort_factors", [&] {
                factors->evaluate(point, h, found[i]);
            });
        }
        for (std::size_t i = 0; i < rows; ++i)
            if (!std::isfinite(found[0][i]) || !same_bits(found[0][i], found[1][i]))
                throw Failure(fmt::format(
                    "effort_factors gives {} and then {} for row {} of {}: one finite number each",
                    found[0][i],
                    found[1][i],
                    i,
                    rows));
    }
}

void check_effort(Subject& subject) {
    Random random(subject.seed);
    for_each_example(subject, [&](const Example& example) {
        if (subject.type.kind == TypeKind::force)
            check_effort_of_force(example, random);
        else
            check_effort_factors(example, random);
    });
}

}  // namespace

void require_readable_facets(const Example& example) {
    const Object object = example.make();
    const Leads leads = leads_of(object);
    write_over_free_memory();
    require_there(leads.all, "when other memory was written");
    if (!object.force) return;
    for (const char* const name : facets_of(*object.force).reactions)
        if (name == nullptr) throw Failure("reactions has a name that is null");
}

namespace {

constexpr Check kFacetChecks[] = {
    {"facets",
     kEvery,
     "what facets(), attachments() and start_state() lead to lives as long as the object, is its "
     "own, stays the same, and names what is there; a class that derives from a facet names it",
     check_facets},
    {"attachments",
     kConstraints | kForces,
     "attachments are asked for by parameters of the schema, or by texts whose parameter is there",
     check_requests},
    {"names",
     kBodies,
     "names of coordinates and groups stand for what is there, and others for nothing",
     check_names},
    {"own_body",
     kConstraints,
     "the body that a constraint brings along has scalars alone, mass, and a finite start",
     check_own_body},
    {"effort",
     kConstraints | kForces,
     "a force that is an effort on a measure acts along its gradient; factors of efforts are "
     "finite",
     check_effort},
};

}  // namespace

std::span<const Check> facet_checks() {
    return kFacetChecks;
}

}  // namespace ancora::verify
