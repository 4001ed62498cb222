// SPDX-License-Identifier: BSD-3-Clause
// The validated parameter values that a factory receives.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ancora/sdk/break_points.hpp"
#include "ancora/sdk/measure.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

/// Motion of a rigid frame at one instant, inertial axes.
struct RigidMotion {
    std::array<double, 3> position{};                           ///< reference point [m]
    std::array<double, 3> velocity{};                           ///< of the reference point [m/s]
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< body to inertial, row by row
    std::array<double, 3> angular_velocity{};                   ///< inertial axes [rad/s]
};

/// What a text of Shape::frame or Shape::point means at the start: "ground", "arm", "arm.tip",
/// "arm@[1, 0, 0]", "net@3".
struct FrameStart {
    std::string_view body;      ///< "ground" for the inertial frame
    std::string_view point;     ///< its origin, as the text of an attachment
    bool names_point = false;   ///< the text says where the origin is, not the body alone
    bool names_axes = false;    ///< the frame has axes of its own
    bool has_attitude = false;  ///< false: the body has points alone, no directions
    RigidMotion carrier;        ///< of the body's own frame; of the ground's: at rest in the origin
    RigidMotion motion;         ///< of the frame meant; without attitude its axes are inertial
};

/// Values of one object's parameters, checked against the type's schema by the kernel: keys exist
/// in the schema, shapes, lengths, ranges and choices fit, NaN never occurs, infinity only where
/// the schema allows it. Lives only during the factory's call: copy what you keep.
///
/// Asking for a key that is not in the schema, or in a shape that the value does not have, is a
/// mistake of the plugin and throws std::logic_error.
class Arguments {
public:
    /// Name of the object that is being made.
    virtual std::string_view object_name() const = 0;
    /// Uniform acceleration of gravity in the model, inertial axes [m/s^2].
    virtual std::array<double, 3> gravity() const = 0;
    /// Times at which the run begins and ends [s]. What is given over time must reach from the one
    /// to the other.
    virtual double begin_time() const = 0;
    virtual double end_time() const = 0;

    /// True if the manifest gives the key or the schema has a default for it.
    virtual bool has(std::string_view key) const = 0;
    /// True if the manifest itself gives the key.
    virtual bool given(std::string_view key) const = 0;
    /// The shape that the value has. A whole number counts as `number` where that is allowed.
    virtual Shape shape(std::string_view key) const = 0;

    virtual bool boolean(std::string_view key) const = 0;
    virtual std::int64_t integer(std::string_view key) const = 0;
    virtual double number(std::string_view key) const = 0;
    virtual std::string_view text(std::string_view key) const = 0;
    /// Numbers of a vector, or of a matrix row by row.
    virtual std::span<const double> numbers(std::string_view key) const = 0;
    /// Rows of a matrix; for a vector its number of entries.
    virtual int rows(std::string_view key) const = 0;
    virtual int num_texts(std::string_view key) const = 0;
    virtual std::string_view text(std::string_view key, int index) const = 0;
    /// Where the file is that the key names: a path that this process can open.
    virtual std::string_view path(std::string_view key) const = 0;
    virtual const Arguments& table(std::string_view key) const = 0;
    /// Start of the body that the key names.
    virtual const RigidMotion& motion_of(std::string_view key) const = 0;

    /// What a text means that names a frame or a point; `key` is the parameter that it comes from.
    virtual const FrameStart& frame(std::string_view text, std::string_view key) const {
        static_cast<void>(key);
        throw std::logic_error("asks for the frame \"" + std::string(text) +
                               "\", but none is known here");
    }
    /// The same of a text that names a measure, such as "elbow.angle", or "elbow" for a joint that
    /// has one measure, or one freedom.
    virtual const MeasureStart& measure(std::string_view text, std::string_view key) const {
        static_cast<void>(key);
        throw std::logic_error("asks for the measure \"" + std::string(text) +
                               "\", but none is known here");
    }
    /// Null if no such measure is known.
    virtual const MeasureStart* find_measure(std::string_view text) const {
        static_cast<void>(text);
        return nullptr;
    }
    const FrameStart& frame_of(std::string_view key) const { return frame(text(key), key); }
    const MeasureStart& measure_of(std::string_view key) const { return measure(text(key), key); }

    /// Refuses the value of `key`: throws a manifest error at the key's place in the file (at the
    /// object's own place if the key is not given). The message starts in lower case and has no
    /// full stop at its end.
    [[noreturn]] virtual void fail(std::string_view key, std::string_view message) const = 0;

    /// Refuses what stands in the file that `key` names: throws a manifest error at a place in that
    /// file, line and column counted from 1; 0: the file, or the line, as a whole.
    [[noreturn]] virtual void fail_in_file(std::string_view key,
                                           int line,
                                           int column,
                                           std::string_view message) const = 0;

    /// The object has something given over time that is not smooth there: steps end at such times.
    virtual void add_break_points(std::shared_ptr<const BreakPoints> points) const {
        static_cast<void>(points);
    }

    /// [assembly] Something about the value of `key` that is allowed and may not be meant: `check`,
    /// `run` and the summary show it with the object's name and the key's place (the object's own
    /// if the key is not given). Written like a message of fail(). Once for each text.
    virtual void warn(std::string_view key, std::string_view message) const {
        static_cast<void>(key);
        static_cast<void>(message);
    }

    /// Three numbers as an array.
    std::array<double, 3> triple(std::string_view key) const {
        const std::span<const double> x = numbers(key);
        return {x[0], x[1], x[2]};
    }

protected:
    ~Arguments() = default;
};

}  // namespace ancora
