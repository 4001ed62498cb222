// SPDX-License-Identifier: BSD-3-Clause
// Calls of Body.
#include "guarded_body.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ancora {

GuardedBody::GuardedBody(ObjectRef its_object, std::shared_ptr<const Body> body)
    : object(std::move(its_object)), body_(std::move(body)) {
    call_plugin(object, "coordinates, pose_kind or mass_kind", [&] {
        coordinates = body_->coordinates();
        pose_kind = body_->pose_kind();
        mass_kind = body_->mass_kind();
    });
    facets_ = facets_of(object, *body_);
    count = static_cast<int>(coordinates.size());
}

void GuardedBody::start(std::span<double> q, std::span<double> v) const {
    call_plugin(
        object,
        calls::Start::kName,
        [&] {
            body_->start(q, v);
        },
        [] {
            return record_of(calls::Start{});
        });
    for (std::size_t i = 0; i < q.size(); ++i)
        if (!std::isfinite(q[i]) || !std::isfinite(v[i]))
            refuse_call(object,
                        record_of(calls::Start{}),
                        fmt::format("its start is not finite in coordinate {}", i));
}

std::vector<calls::MassEntries::Entry> GuardedBody::mass() const {
    calls::Mass call;
    const auto record = [] {
        return PluginCall(calls::Mass::kName);
    };
    call_plugin(
        object,
        calls::Mass::kName,
        [&] {
            call.make(*body_);
        },
        record);
    for (const auto& [i, j, value] : call.out.entries) {
        const auto refuse = [&](const std::string& what) {
            refuse_call(object, record(), "its mass matrix is wrong: " + what);
        };
        if (i < 0 || i >= count || j < 0 || j >= count)
            refuse(fmt::format("entry ({}, {}) is outside its {} coordinates", i, j, count));
        if (!std::isfinite(value)) refuse(fmt::format("entry ({}, {}) is not finite", i, j));
    }
    return std::move(call.out.entries);
}

void GuardedBody::evaluate_mass(CallMeter& meter,
                                const MassState& at,
                                const MassValues& out) const {
    const calls::EvaluateMass call{at, out};
    meter.call(
        object,
        calls::EvaluateMass::kName,
        at.t,
        [&] {
            call.make(*body_);
        },
        [&] {
            return record_of(call);
        });
    require_finite(object, call, {count, mass_kind}, &at.t);
}

// [step], and called so often that the floating-point environment is left to the metered calls.
void GuardedBody::rotation(std::span<const double> q, std::span<double> Xi) const {
    if (facets_.scalar_rotation == nullptr) {
        std::ranges::fill(Xi, 0.0);
        return;
    }
    const calls::Rotation call{q, Xi};
    try {
        call.make(*facets_.scalar_rotation);
    } catch (...) {
        rethrow_captured(object, calls::Rotation::kName, nullptr, [&] {
            return record_of(call);
        });
    }
    require_finite(object, call, {count}, nullptr);
}

void GuardedBody::turn(const std::array<double, 9>& R,
                       std::span<double> q,
                       std::span<double> v) const {
    if (facets_.scalar_rotation == nullptr) {
        if (std::ranges::none_of(coordinates, [](const Coordinate& c) {
                return c.vector < 0;
            }))
            return;
        throw Error(ErrorKind::plugin,
                    describe(object) +
                        ": does not say how its scalar coordinates turn with space "
                        "(facet scalar_rotation), so no joint can place it",
                    object.place);
    }
    call_plugin(object, "turn", [&] {
        facets_.scalar_rotation->turn(R, q, v);
    });
    for (std::size_t i = 0; i < q.size(); ++i)
        if (!std::isfinite(q[i]) || !std::isfinite(v[i]))
            refuse_nonfinite(
                object, "turn", "a coordinate", nullptr, fmt::format("coordinate {}", i));
}

std::optional<std::string> GuardedBody::attach(const Locator& where,
                                               calls::AttachmentTerms& out) const {
    const auto record = [&] {
        return record_of(calls::Attach{locator_text(where), where, {}});
    };
    std::optional<std::string> why_not;
    call_plugin(
        object,
        calls::Attach::kName,
        [&] {
            try {
                body_->attach(where, out);
            } catch (const std::invalid_argument& reason) {
                why_not = reason.what();
                return;
            }
            out.require(count);
        },
        record);
    if (why_not) return why_not;
    const auto check = [&](double x, const char* what, int component) {
        if (std::isfinite(x)) return;
        const PluginCall inputs = record();
        refuse_nonfinite(object,
                         calls::Attach::kName,
                         what,
                         nullptr,
                         fmt::format("component {}", component),
                         &inputs);
    };
    for (const auto& term : out.terms) check(term.weight, "a weight", term.component);
    for (const auto& constant : out.constants)
        check(constant.value, "a constant", constant.component);
    return std::nullopt;
}

std::optional<std::string> GuardedBody::group(std::string_view name,
                                              std::span<const std::int32_t>& points) const {
    if (facets_.names == nullptr) return "has no groups of points";
    std::optional<std::string> why_not;
    call_plugin(object, "group", [&] {
        try {
            points = facets_.names->group(name);
        } catch (const std::invalid_argument& reason) {
            why_not = reason.what();
        }
    });
    return why_not;
}

int GuardedBody::find_coordinate(std::string_view name) const {
    if (facets_.names == nullptr) return -1;
    int index = -1;
    call_plugin(object, "find_coordinate", [&] {
        index = facets_.names->find_coordinate(name);
    });
    return index;
}

void GuardedBody::evaluate_attachment(CallMeter* meter,
                                      const double* t,
                                      const AttachmentId& which,
                                      std::span<const double> q,
                                      std::span<const double> v,
                                      const AttachmentValues& out) const {
    const calls::EvaluateAttachment call{which.locator, which.id, q, v, out};
    const auto make = [&] {
        call.make(*body_);
    };
    const auto record = [&] {
        return record_of(call);
    };
    if (meter != nullptr)
        meter->call(object, calls::EvaluateAttachment::kName, *t, make, record);
    else
        call_plugin(object, calls::EvaluateAttachment::kName, make, record);
    require_finite(object, call, {q.size(), out.J.size() / 3, which.id}, t, [&] {
        return fmt::format("attachment \"{}\", ", which.text);
    });
}

Pose GuardedBody::pose(std::span<const double> q,
                       std::span<const double> v,
                       const double* t) const {
    calls::PoseOf call{q, v, {}};
    call_plugin(
        object,
        calls::PoseOf::kName,
        [&] {
            call.make(*body_);
        },
        [&] {
            return record_of(call);
        },
        t);
    require_finite(object, call, {}, t);
    if (pose_kind == PoseKind::attitude) {
        constexpr double kUnit = 1e-6;
        double square = 0.0;
        for (const double x : call.out.quaternion) square += x * x;
        if (!(std::abs(square - 1.0) <= kUnit))
            refuse_call(object,
                        record_of(call),
                        fmt::format("its pose has a quaternion of length {:.6g}; an attitude has "
                                    "one of length 1",
                                    std::sqrt(square)));
    }
    return call.out;
}

void GuardedBody::draw(Sketch& out) const {
    if (facets_.drawing == nullptr) return;
    call_plugin(object, "draw", [&] {
        facets_.drawing->draw(out);
    });
}

std::string GuardedBody::notes() const {
    std::string out;
    if (facets_.notes == nullptr) return out;
    call_plugin(object, "notes", [&] {
        out = facets_.notes->notes();
    });
    return out;
}

void GuardedBody::draw_values(const SketchState& at, std::span<double> values) const {
    call_plugin(object, "draw_values", [&] {
        facets_.drawing->draw_values(at, values);
    });
    for (const double x : values)
        if (!std::isfinite(x)) refuse_nonfinite(object, "draw_values", "a value", &at.t);
}

}  // namespace ancora
