// SPDX-License-Identifier: BSD-3-Clause
// Objects from examples, and the standard system that examples refer to.
#include "object.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "ancora/sdk/numbers/math.hpp"
#include "call_in_progress.hpp"
#include "fp_environment.hpp"
#include "random.hpp"
#include "reference_systems.hpp"

namespace ancora::verify {
namespace {

constexpr const char* kName = "subject";

constexpr int kPlacements = 60;  // tried until the example can be assembled

/// One of the two bodies that hold whatever is fastened to them; `placement` says where they start.
std::string standard_body(const char* name, int placement) {
    const ReferenceBody body = reference_body(name);
    if (placement == 0) return body.placed(body.at, body.axis);
    const int which = std::string_view(name) == "a" ? 0 : 1;
    Random random(static_cast<std::uint64_t>(2 * placement + which));
    const Vec3 x = random.vector(1.2);
    const Vec3 axis = random.vector();
    return body.placed({x(0), x(1), x(2)}, {axis(0), axis(1), axis(2)});
}

bool names(const std::string& text, const char* object) {
    return text.find(fmt::format("\"{}\"", object)) != std::string::npos ||
           text.find(fmt::format("\"{}@", object)) != std::string::npos ||
           text.find(fmt::format("{}.", object)) != std::string::npos;
}

const RigidMotion& motion_of_standard_body(const std::string&, const Place&) {
    static constexpr RigidMotion kMotion = {.position = {0.1, 0.2, 0.3},
                                            .velocity = {0.3, -0.1, 0.2},
                                            .rotation = {0.8, -0.6, 0.0, 0.6, 0.8, 0.0, 0, 0, 1},
                                            .angular_velocity = {0.4, -0.3, 0.6}};
    return kMotion;
}

/// Frames and points of the standard bodies and of the ground.
const FrameStart& standard_frame(const std::string& text) {
    static const std::string kBodies[] = {"a", "b", "ground"};
    thread_local std::deque<std::pair<std::string, FrameStart>> known;
    for (const auto& [name, frame] : known)
        if (name == text) return frame;
    auto& [name, frame] = known.emplace_back(text, FrameStart{});
    const std::size_t mark = text.find('@');
    frame.names_point = mark != std::string::npos;
    frame.has_attitude = true;
    for (const std::string& body : kBodies)
        if (text.substr(0, mark) == body) frame.body = body;
    if (frame.body != "ground") frame.carrier = motion_at_start(std::string(frame.body));
    frame.motion = frame.carrier;
    if (frame.names_point) {
        const Value where = parse_value(text.substr(mark + 1));
        Vec3 local = Vec3::Zero();
        if (const Array* const entries = where.as<Array>(); entries != nullptr)
            for (std::size_t k = 0; k < 3 && k < entries->size(); ++k)
                if (const double* const x = (*entries)[k].as<double>())
                    local(static_cast<int>(k)) = *x;
        const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(
            frame.carrier.rotation.data());
        vec3(frame.motion.position) += R * local;
    }
    static thread_local std::deque<std::string> texts;
    frame.point =
        texts.emplace_back(frame.names_point ? text : text.substr(0, mark) + "@[0, 0, 0]");
    return frame;
}

/// By the end of its name: an angle, a displacement, or of a joint by its own name an angle.
const MeasureStart& standard_measure(const std::string& text) {
    static const MeasureStart kAngle = {MeasureKind::angle, 0.3};
    static const MeasureStart kWay = {MeasureKind::displacement, 0.2};
    return text.ends_with("displacement") ? kWay : kAngle;
}

/// What the kernel makes of `on`: here one point of the body.
void complete_matter(std::span<const Parameter> schema, Table& values) {
    for (const std::string_view key : {"on", "points", "masses"})
        if (std::ranges::none_of(schema, [key](const Parameter& p) {
                return p.name == key;
            }))
            return;
    if (values.find("on") == nullptr || values.find("points") != nullptr) return;
    values.set("points", Value(Array{Value("a@[0.3, 0.1, -0.2]")}));
    values.set("masses", Value(Array{Value(1.0)}));
}

}  // namespace

RigidMotion motion_at_start(const std::string& body) {
    RigidMotion motion = motion_of_standard_body(body, {});
    if (body == "b") motion.position = {0.9, -0.4, 0.5};
    return motion;
}

std::vector<std::string> Subject::examples() const {
    std::vector<std::string> texts;
    for (const char* text : type.examples) {
        if (text == nullptr) break;
        texts.emplace_back(text);
    }
    return texts;
}

Example::Example(Subject& subject, std::string text) : subject_(subject), text_(std::move(text)) {
    RunSettings settings;
    settings.integrator =
        type().kind == TypeKind::integrator ? type().name : reference_integrators().front().type;
    const Manifest manifest = system(settings);
    switch (type().kind) {
        case TypeKind::integrator: {
            const auto own = manifest.integrator.own.find(type().name);
            if (own != manifest.integrator.own.end()) parameters_ = own->second;
            return;
        }
        case TypeKind::body:
            parameters_ = manifest.bodies.back().parameters;
            return;
        case TypeKind::constraint:
            parameters_ = manifest.constraints.back().parameters;
            return;
        case TypeKind::force:
            parameters_ = manifest.forces.back().parameters;
            return;
    }
}

Manifest Example::system(const RunSettings& settings, int placement) const {
    const TypeDescriptor& t = type();
    const bool is_integrator = t.kind == TypeKind::integrator;
    const bool is_free = is_integrator && !takes_constraints_;
    const bool has_bodies = t.kind != TypeKind::body && !is_free;
    std::string text = "[model]\nproject_start = \"far\"\n";
    if (settings.gravity) text += "gravity = [0.0, 0.0, -9.81]\n";
    if (has_bodies || names(text_, "a") || names(text_, "c")) text += standard_body("a", placement);
    if (has_bodies || names(text_, "b")) text += standard_body("b", placement);
    for (const std::string& constraint : reference_constraints())
        if (names(text_, constraint.c_str())) text += reference_constraint(constraint);
    if (is_free)
        text += reference_free_body();
    else if (is_integrator)
        text += reference_joint();
    else
        text += fmt::format("[[{}]]\nname = \"{}\"\ntype = \"{}\"\n{}\n",
                            ancora::to_text(t.kind),
                            kName,
                            t.name,
                            text_);
    text += fmt::format("[integrator]\ntype = \"{}\"\nstep = {}\nend = {}\n",
                        settings.integrator,
                        settings.step,
                        settings.end);
    if (is_integrator && settings.integrator == t.name)
        text += fmt::format("[integrator.{}]\n{}\n", t.name, text_);
    return Manifest::parse(text, "example");
}

BoundArguments Example::bind(const Table& changes) const {
    Table values = parameters_;
    for (const Table::Entry& entry : changes.entries()) values.set(entry.key, entry.value);
    const std::span<const Parameter> schema(type().parameters,
                                            static_cast<std::size_t>(type().num_parameters));
    complete_matter(schema, values);
    BoundArguments arguments(
        "the example", kName, type().name, values, {}, schema, motion_of_standard_body);
    arguments.set_lookup({[](const std::string& text, const Place&) -> const FrameStart& {
                              return standard_frame(text);
                          },
                          [](const std::string& text, const Place&) -> const MeasureStart& {
                              return standard_measure(text);
                          }});
    return arguments;
}

Object Example::make(const BoundArguments& arguments) const {
    void* made = nullptr;
    const FpEnvironment environment = FpEnvironment::capture();
    const CallInProgress call("its factory");
    try {
        made = type().create(arguments);
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        throw NotMade(
            fmt::format("its factory threw \"{}\"; refuse parameters through "
                        "Arguments::fail, which names the key",
                        error.what()));
    } catch (...) {
        throw NotMade("its factory threw something that is not a std::exception");
    }
    const bool differs = environment.differs();
    environment.restore();
    if (made == nullptr) throw NotMade("its factory returned nothing");
    Object object;
    switch (type().kind) {
        case TypeKind::body:
            object.body.reset(static_cast<Body*>(made));
            break;
        case TypeKind::constraint:
            object.constraint.reset(static_cast<Constraint*>(made));
            break;
        case TypeKind::force:
            object.force.reset(static_cast<NonidealForce*>(made));
            break;
        case TypeKind::integrator:
            object.integrator.reset(static_cast<Integrator*>(made));
            break;
    }
    if (differs) throw Failure("its factory changed the floating-point environment");
    return object;
}

std::string Example::key() const {
    return fmt::format("{}.{}", ancora::to_text(type().kind), kName);
}

bool Example::is_free(const Object& object) const {
    if (object.constraint && facets_of(*object.constraint).tied_to_inertial_frame) return false;
    if (object.force && facets_of(*object.force).tied_to_inertial_frame) return false;
    const std::vector<std::string> others = reference_constraints();
    return text_.find("ground") == std::string::npos &&
           std::ranges::none_of(others, [&](const std::string& other) {
               return names(text_, other.c_str());
           });
}

Simulation Example::simulate(const RunSettings& settings) const {
    const Manifest manifest = system(settings, placement_);
    const auto require = [&](TypeKind kind, const std::string& name) {
        if (kind == type().kind && name == type().name) return;
        try {
            subject_.registry.find_type(kind, name);
        } catch (const Error&) {
            throw Skipped(
                fmt::format("needs the {} type \"{}\", which no plugin on the search "
                            "path offers",
                            ancora::to_text(kind),
                            name));
        }
    };
    for (const ObjectSpec& spec : manifest.bodies) require(spec.kind, spec.type);
    for (const ObjectSpec& spec : manifest.constraints) require(spec.kind, spec.type);
    require(TypeKind::integrator, manifest.integrator.type);
    if (type().kind == TypeKind::integrator && takes_constraints_) {
        try {
            Simulation(manifest, subject_.registry).step();
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::plugin) throw;
            takes_constraints_ = false;
            return simulate(settings);
        }
    }
    std::optional<Error> first;
    for (int k = placement_; k < kPlacements; ++k) {
        try {
            Simulation simulation(system(settings, k), subject_.registry);
            placement_ = k;
            return simulation;
        } catch (const Error& error) {
            // where the bodies start is the kit's choice: an example may need others
            if (!first || error.kind() != ErrorKind::numerical) first = error;
            if (error.kind() != ErrorKind::numerical) break;
        }
    }
    throw NotMade(first->message());
}

std::vector<std::string> Example::integrators() const {
    if (type().kind == TypeKind::integrator) return {type().name};
    const Object object = make();
    bool has_discrete_face = !object.body || object.body->mass_kind() != MassKind::of_state;
    if (const RowSource* rows = object.rows())
        for (const RowBlock& block : rows->row_blocks())
            for (const RowLaw& law : block.laws)
                has_discrete_face &= law.kind != RowKind::acceleration_constraint;
    std::vector<std::string> out;
    for (const ReferenceIntegrator& integrator : reference_integrators())
        if (has_discrete_face || !integrator.is_discrete) out.push_back(integrator.type);
    return out;
}

}  // namespace ancora::verify
