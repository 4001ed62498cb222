// SPDX-License-Identifier: BSD-3-Clause
// What a law acts on: a measure by its name, or the distance of two points.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/helpers/measure_function.hpp"

namespace ancora::joints {

/// Reads "on", or "a" and "b".
class Acting {
public:
    /// [assembly] Refuses points that coincide, whose distance has no direction, unless the law
    /// needs none there.
    explicit Acting(const Arguments& arguments, bool may_coincide = false) {
        const bool is_measure = arguments.has("on");
        const bool is_points = arguments.has("a") || arguments.has("b");
        if (is_measure == is_points)
            arguments.fail(is_measure ? "on" : "",
                           is_measure ? "is given beside points; give one of them"
                                      : "acts on nothing: give on = \"JOINT.MEASURE\", or two "
                                        "points a and b whose distance it acts on");
        if (is_measure) {
            const MeasureStart& start = arguments.measure_of("on");
            function = MeasureFunction(start.kind);
            value = start.value;
            rate = start.rate;
            attachments_[0] = {"on"};
            count_ = 1;
            if (!may_coincide) refuse_coincidence(arguments);
            return;
        }
        for (const char* key : {"a", "b"})
            if (!arguments.has(key))
                arguments.fail(key, "is missing: the distance of two points needs both");
        function = MeasureFunction(MeasureKind::distance);
        std::array<double, MeasureFunction::kMostScalars> u{}, du{};
        std::size_t i = 0;
        std::string_view carrier;
        for (const char* key : {"a", "b"}) {
            const FrameStart& point = arguments.frame_of(key);
            if (i > 0 && point.has_attitude && point.body == carrier)
                arguments.warn("b",
                               "is a point of the same body as a: if that is rigid, their distance "
                               "does not change, and the law does nothing");
            carrier = point.body;
            for (std::size_t k = 0; k < 3; ++k, ++i) {
                u[i] = point.motion.position[k];
                du[i] = point.motion.velocity[k];
            }
        }
        value = function.value(u.data());
        rate = function.rate(u.data(), du.data());
        attachments_ = {{{"a"}, {"b"}}};
        count_ = 2;
        if (!may_coincide) refuse_coincidence(arguments);
    }

    /// [assembly] Of a law that needs a direction at the start.
    void refuse_coincidence(const Arguments& arguments) const {
        if (!is_distance() || value > 0.0) return;
        const char* const why =
            "so that their distance has no direction; of laws on it a damper needs none, nor does "
            "a spring with a stiffness, free = 0 and no preload";
        if (count_ == 1)
            arguments.fail("on",
                           std::string("is the distance of two points that coincide, ") + why);
        arguments.fail("b", std::string("is at the same point as a, ") + why);
    }
    bool is_distance() const { return function.kind() == MeasureKind::distance; }

    std::span<const AttachmentRequest> attachments() const { return {attachments_.data(), count_}; }

    MeasureFunction function;
    double value = 0.0;  ///< at the start
    double rate = 0.0;

private:
    std::array<AttachmentRequest, 2> attachments_{};
    std::size_t count_ = 0;
};

}  // namespace ancora::joints
