// SPDX-License-Identifier: BSD-3-Clause
// The parameter schema: each parameter of a type declared once, for validation, help and reference.
#pragma once

#include <cstdint>
#include <limits>

namespace ancora {

/// What a parameter's value may look like in a manifest; several may be allowed at once.
enum class Shape : std::uint32_t {
    boolean = 1u << 0,
    integer = 1u << 1,
    number = 1u << 2,
    text = 1u << 3,
    vector = 1u << 4,     ///< flat array of numbers
    matrix = 1u << 5,     ///< array of arrays of numbers, all of one length
    texts = 1u << 6,      ///< array of strings
    table = 1u << 7,      ///< table with a schema of its own
    point = 1u << 8,      ///< an attachment: "box@[1, 0, 0]", "net@3", "ground@[x, y, z]"
    direction = 1u << 9,  ///< an attachment that names a direction
    body = 1u << 10,      ///< the name of another body
    object = 1u << 11,    ///< the name of any other object of the model
    file = 1u << 12,      ///< a file, relative to the folder of the manifest that names it
    frame = 1u << 13,     ///< a body, or a frame or point of it: "arm", "arm.tip", "ground"
    measure = 1u << 14,   ///< a measure of a joint: "elbow.angle"
    signal = 1u << 15,    ///< an input of Signals: its value over the run, which the kernel reads
};

/// Bare names that the formulas of a parameter read beside t; several may be read at once. The
/// kernel puts numbers of [parameters] in the place of all others.
enum class FormulaNames : std::uint8_t {
    none = 0,
    measure = 1u << 0,  ///< value and rate of the measure that it acts on
    point = 1u << 1,    ///< x, y, z, vx, vy, vz, wx, wy, wz of the point that it acts on
};

/// One parameter of a type: name, allowed shapes, unit, default or required, range, one-line doc.
///
/// Plain data so that a schema is a constant in the plugin's read-only memory. Write it with the
/// functions below: `number("density", "kg/m^3", "mass per volume").positive().required()`.
struct Parameter {
    const char* name = nullptr;
    const char* unit = "";
    const char* doc = "";
    std::uint32_t shapes = 0;
    bool is_required = false;
    FormulaNames formula_names = FormulaNames::none;
    const char* default_value = nullptr;  ///< as it would be written in a manifest; null: none
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
    bool minimum_is_excluded = false;
    bool maximum_is_excluded = false;
    bool may_be_infinite = false;
    bool is_sensitive = false;      ///< equations change smoothly with its numbers
    int length = 0;                 ///< entries of a vector; 0: any
    int columns = 0;                ///< entries of each row of a matrix; 0: any
    int rows = 0;                   ///< rows of a matrix; 0: any
    const char* choices = nullptr;  ///< allowed texts, separated by '|'; null: any
    const Parameter* children = nullptr;
    int num_children = 0;
    /// A law inside a joint: the value makes an object of this type, named OBJECT.KEY, whose "on"
    /// names this object, or one of its measures. A table has that object's parameters; any other
    /// value is that of its parameter `makes_key`. The type is found as any other.
    const char* makes = nullptr;
    const char* makes_key = nullptr;

    constexpr bool allows(Shape shape) const {
        return (shapes & static_cast<std::uint32_t>(shape)) != 0;
    }

    constexpr Parameter required() const {
        Parameter p = *this;
        p.is_required = true;
        return p;
    }
    /// `value` is TOML text: "1.0", "[0.0, 0.0, 0.0]", "\"xyz\"".
    constexpr Parameter otherwise(const char* value) const {
        Parameter p = *this;
        p.default_value = value;
        return p;
    }
    /// Every number of the value is > 0.
    constexpr Parameter positive() const { return above(0.0); }
    /// Every number of the value is >= 0.
    constexpr Parameter nonnegative() const { return at_least(0.0); }
    constexpr Parameter above(double low) const {
        Parameter p = at_least(low);
        p.minimum_is_excluded = true;
        return p;
    }
    constexpr Parameter at_least(double low) const {
        Parameter p = *this;
        p.minimum = low;
        return p;
    }
    constexpr Parameter below(double high) const {
        Parameter p = at_most(high);
        p.maximum_is_excluded = true;
        return p;
    }
    constexpr Parameter at_most(double high) const {
        Parameter p = *this;
        p.maximum = high;
        return p;
    }
    /// Numbers may be `inf`.
    constexpr Parameter or_infinite() const {
        Parameter p = *this;
        p.may_be_infinite = true;
        return p;
    }
    /// The equations change smoothly with each number of the value, in number and shape not at all:
    /// derivatives by it exist. `ancora gradient` offers it, `ancora verify` tries it.
    constexpr Parameter sensitive() const {
        Parameter p = *this;
        p.is_sensitive = true;
        return p;
    }
    constexpr Parameter reading(FormulaNames names) const {
        Parameter p = *this;
        p.formula_names = names;
        return p;
    }
    constexpr Parameter or_number() const { return with(Shape::number); }
    constexpr Parameter or_text(const char* allowed = nullptr) const {
        Parameter p = with(Shape::text);
        p.choices = allowed;
        return p;
    }
    constexpr Parameter or_vector(int entries = 0) const {
        Parameter p = with(Shape::vector);
        p.length = entries;
        return p;
    }
    constexpr Parameter or_matrix(int num_rows, int num_columns) const {
        Parameter p = with(Shape::matrix);
        p.rows = num_rows;
        p.columns = num_columns;
        return p;
    }
    template <int N>
    constexpr Parameter or_table(const Parameter (&schema)[N]) const {
        Parameter p = with(Shape::table);
        p.children = schema;
        p.num_children = N;
        return p;
    }
    /// A law inside a joint, see `makes`.
    constexpr Parameter making(const char* type, const char* key) const {
        Parameter p = *this;
        p.makes = type;
        p.makes_key = key;
        return p;
    }
    constexpr Parameter or_texts() const { return with(Shape::texts); }
    constexpr Parameter or_file() const { return with(Shape::file); }
    constexpr Parameter with(Shape shape) const {
        Parameter p = *this;
        p.shapes |= static_cast<std::uint32_t>(shape);
        return p;
    }
};

/// Writers of schemas; see Parameter.
namespace parameter {

constexpr Parameter make(const char* name, const char* unit, const char* doc, Shape shape) {
    Parameter p;
    p.name = name;
    p.unit = unit;
    p.doc = doc;
    p.shapes = static_cast<std::uint32_t>(shape);
    return p;
}
constexpr Parameter boolean(const char* name, const char* doc) {
    return make(name, "", doc, Shape::boolean);
}
constexpr Parameter integer(const char* name, const char* doc) {
    return make(name, "", doc, Shape::integer);
}
constexpr Parameter number(const char* name, const char* unit, const char* doc) {
    return make(name, unit, doc, Shape::number);
}
/// `allowed`: texts separated by '|', or null for any text.
constexpr Parameter text(const char* name, const char* doc, const char* allowed = nullptr) {
    Parameter p = make(name, "", doc, Shape::text);
    p.choices = allowed;
    return p;
}
/// `entries` 0: any number of entries.
constexpr Parameter vector(const char* name, int entries, const char* unit, const char* doc) {
    Parameter p = make(name, unit, doc, Shape::vector);
    p.length = entries;
    return p;
}
/// `num_rows` or `num_columns` 0: any.
constexpr Parameter matrix(
    const char* name, int num_rows, int num_columns, const char* unit, const char* doc) {
    Parameter p = make(name, unit, doc, Shape::matrix);
    p.rows = num_rows;
    p.columns = num_columns;
    return p;
}
template <int N>
constexpr Parameter table(const char* name, const Parameter (&schema)[N], const char* doc) {
    return make(name, "", doc, Shape::table).or_table(schema);
}
/// A material point of a body or of the ground.
constexpr Parameter point(const char* name, const char* doc) {
    return make(name, "", doc, Shape::point);
}
/// A direction fixed in a body or in the ground.
constexpr Parameter direction(const char* name, const char* doc) {
    return make(name, "", doc, Shape::direction);
}
/// Another body, whose rigid motion at the start the factory may ask for.
constexpr Parameter body(const char* name, const char* doc) {
    return make(name, "", doc, Shape::body);
}

/// A frame of a body or of the ground: see Arguments::frame_of.
constexpr Parameter frame(const char* name, const char* doc) {
    return make(name, "", doc, Shape::frame);
}
/// A measure of a joint: see Arguments::measure_of. Named by attachments(), it stands for as many
/// attachments as it is a function of.
constexpr Parameter measure(const char* name, const char* doc) {
    return make(name, "", doc, Shape::measure);
}

/// An input, see Signals::inputs(): a number, a formula of t, of measures such as "elbow.angle", of
/// values of bodies and of outputs of other objects, a table with rows [t, value], or a file with
/// such a table. The kernel reads it; an embedding program may set it.
constexpr Parameter signal(const char* name, const char* unit, const char* doc) {
    return make(name, unit, doc, Shape::signal).or_number().or_text().or_matrix(0, 2).or_file();
}

/// Any other object of the model, by its name.
constexpr Parameter object(const char* name, const char* doc) {
    return make(name, "", doc, Shape::object);
}

/// A file that exists and can be read; Arguments::path says where it is.
constexpr Parameter file(const char* name, const char* doc) {
    return make(name, "", doc, Shape::file);
}

}  // namespace parameter
}  // namespace ancora
