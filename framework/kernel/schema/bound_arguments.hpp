// SPDX-License-Identifier: BSD-3-Clause
// Parameter values of one object, checked against its type's schema.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "acts_on.hpp"
#include "ancora/framework/export.hpp"
#include "ancora/framework/value.hpp"
#include "ancora/sdk/arguments.hpp"

namespace ancora {

/// The kernel's Arguments. The constructor checks everything; reading afterwards cannot fail on
/// account of the user, only on account of the reader (std::logic_error).
///
/// Messages read `OWNER: KEY: expected ..., got ...`; a key inside a table is written
/// `orientation.angle`, an entry of an array `size[1]`, counted from 0.
///
/// A table whose schema is one entry named "*" takes any names, and gives each a value of that
/// entry's kind. Its names are read as the texts of "*".
class ANCORA_FRAMEWORK_EXPORT BoundArguments final : public Arguments {
public:
    /// Finds the motion of the body that a key names; `place` is that of the value.
    using MotionOf = std::function<const RigidMotion&(const std::string& body, const Place& place)>;

    /// What texts of the model mean at its start, for Arguments::frame and ::measure; keys and
    /// places are for messages. What is returned lives as long as the model.
    struct Lookup {
        std::function<const FrameStart&(const std::string& text, const Place& place)> frame;
        std::function<const MeasureStart&(const std::string& text, const Place& place)> measure;
        /// Takes what Arguments::add_break_points adds.
        std::function<void(std::shared_ptr<const BreakPoints>)> break_points = {};
        /// Whether [parameters] have this name.
        std::function<bool(std::string_view name)> is_parameter = {};
        /// Takes what Arguments::warn says, with the object and the key in front.
        std::function<void(std::string text, const Place& place)> warning = {};
    };

    /// [assembly] Copies what it needs of `values`; `schema` must outlive it.
    ///
    /// @param owner  the object in messages: `body "box"`, `[integrator.emm]`
    /// @param name   the object's name
    /// @param type   its type's name, for messages about a wrong plugin
    /// @param place  of the object's table; for keys that are missing
    /// @param measure  what it acts on, which says the unit of columns of files
    /// @throws Error (manifest) if a value does not fit the schema; (plugin) if a default does not
    BoundArguments(std::string owner,
                   std::string name,
                   std::string type,
                   const Table& values,
                   Place place,
                   std::span<const Parameter> schema,
                   MotionOf motion = {},
                   ActsOn measure = ActsOn::unknown);
    /// The model's gravity [m/s^2], begin and end of the run [s]; zero unless set.
    void set_model(const std::array<double, 3>& gravity, double begin_time, double end_time);
    void set_lookup(Lookup lookup);
    ~BoundArguments();
    BoundArguments(BoundArguments&&) noexcept;
    BoundArguments& operator=(BoundArguments&&) = delete;

    /// True if the key's value, or whether there is one, has been asked for.
    bool was_read(std::string_view key) const;
    /// Keys that name files, with their paths; of tables inside too: "mesh.file".
    std::vector<std::pair<std::string, std::string>> files() const;
    /// The key's rows where they are columns of a file for whose values nothing tells a unit; else
    /// nothing.
    std::span<const double> columns_without_unit(std::string_view key) const;
    /// Place of the key's value; the object's own if the manifest does not give the key.
    Place place_of(std::string_view key) const;

    std::string_view object_name() const override { return name_; }
    std::array<double, 3> gravity() const override { return gravity_; }
    double begin_time() const override { return begin_time_; }
    double end_time() const override { return end_time_; }
    bool has(std::string_view key) const override;
    bool given(std::string_view key) const override;
    Shape shape(std::string_view key) const override;
    bool boolean(std::string_view key) const override;
    std::int64_t integer(std::string_view key) const override;
    double number(std::string_view key) const override;
    std::string_view text(std::string_view key) const override;
    std::span<const double> numbers(std::string_view key) const override;
    int rows(std::string_view key) const override;
    int num_texts(std::string_view key) const override;
    std::string_view text(std::string_view key, int index) const override;
    std::string_view path(std::string_view key) const override;
    const Arguments& table(std::string_view key) const override;
    const RigidMotion& motion_of(std::string_view key) const override;
    const FrameStart& frame(std::string_view text, std::string_view key) const override;
    const MeasureStart& measure(std::string_view text, std::string_view key) const override;
    const MeasureStart* find_measure(std::string_view text) const override;
    void add_break_points(std::shared_ptr<const BreakPoints> points) const override;
    void warn(std::string_view key, std::string_view message) const override;
    /// A key that is not in the schema is allowed here and stands for the object as a whole.
    [[noreturn]] void fail(std::string_view key, std::string_view message) const override;
    [[noreturn]] void fail_in_file(std::string_view key,
                                   int line,
                                   int column,
                                   std::string_view message) const override;

private:
    /// OWNER: KEY: MESSAGE
    std::string worded(std::string_view key, std::string_view message) const;
    std::string named_parameter(std::string_view message) const;

    using Content = std::variant<std::monostate,  // neither given nor a default
                                 bool,
                                 std::int64_t,
                                 double,
                                 std::string,
                                 std::vector<double>,
                                 std::vector<std::string>,
                                 std::unique_ptr<BoundArguments>>;
    struct Item {
        const Parameter* parameter = nullptr;
        std::string name;  // its key; the parameter's name, save in a table of free names
        bool given = false;
        mutable bool was_read = false;
        Shape shape{};
        Place place;
        int rows = 0;
        std::string columns_of{};  // the file whose columns a matrix has, if that names one
        bool has_no_unit = false;  // told of the values in it
        Content content;
    };

    // The table of `key` in `outer`.
    BoundArguments(const BoundArguments& outer,
                   std::string_view key,
                   const Table& values,
                   Place place,
                   std::span<const Parameter> schema);

    void bind(const Table& values, std::span<const Parameter> schema);
    void bind(Item& item, const Value& value) const;
    void bind(Item& item, std::int64_t x, const Value& value) const;
    void bind(Item& item, double x, const Value& value) const;
    void bind(Item& item, const std::string& x, const Value& value) const;
    void bind(Item& item, const Array& x, const Value& value) const;
    void bind_booleans(Item& item, const Array& x, const Value& value) const;
    void bind_vector(Item& item, const Array& x, const Value& value) const;
    void bind_matrix(Item& item, const Array& x, const Value& value) const;
    void bind_texts(Item& item, const Array& x) const;
    void bind_columns(Item& item, const Table& x) const;
    void bind_free_names(const Table& values, const Parameter& parameter);
    void bind_default(Item& item) const;

    template <class Where>
    void append_numbers(const Item& item,
                        const Array& from,
                        const Where& where,
                        std::vector<double>& to) const;
    template <class Where>
    void check_number(const Item& item, double x, const Value& value, const Where& where) const;
    [[noreturn]] void refuse(const Item& item,
                             std::string_view where,
                             std::string_view expected,
                             const Value& value) const;
    [[noreturn]] void refuse_key(const Table::Entry& entry,
                                 std::span<const Parameter> schema) const;
    std::string title() const;

    Item* find(std::string_view key);
    const Item* find(std::string_view key) const;
    const Item& item(std::string_view key) const;
    template <class T>
    const T& content(std::string_view key, std::string_view wanted) const;
    [[noreturn]] void misused(std::string_view key, std::string_view how) const;

    std::string owner_;
    std::string prefix_;  // "orientation." inside the table of that key
    std::string name_;
    std::string type_;
    Place place_;
    MotionOf motion_;
    ActsOn measure_ = ActsOn::unknown;
    Lookup lookup_;
    std::array<double, 3> gravity_{};
    double begin_time_ = 0.0;
    double end_time_ = 0.0;
    std::vector<Item> items_;  // one per entry of the schema, in its order; or "*" and free names
    bool has_free_names_ = false;
};

}  // namespace ancora
