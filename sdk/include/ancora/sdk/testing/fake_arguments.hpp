// SPDX-License-Identifier: BSD-3-Clause
// Arguments written in C++ instead of a manifest, for tests that make one object without the
// kernel.
#pragma once

#include <array>
#include <concepts>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/plugin.hpp"

namespace ancora::test {

/// A map from key to value with the defaults of a schema:
///
///   FakeArguments args(ancora_plugin_descriptor.types[0]);
///   args.set("area", 1e-4).set("from", {0.0, 0.0, 0.0}).set_matrix("nodes", 3, {...});
///   args.set_table("spin").set("axis", {0.0, 0.0, 1.0}).set("rate", 2.0);
///
/// Nothing is validated against the schema, which is the kernel's business; but asking for a key
/// that it does not have throws std::logic_error. fail() throws std::runtime_error("KEY: MESSAGE").
class FakeArguments final : public Arguments {
public:
    /// No schema: every key may be set and asked for, none has a default.
    FakeArguments() = default;
    explicit FakeArguments(const TypeDescriptor& type)
        : FakeArguments(std::span(type.parameters, static_cast<std::size_t>(type.num_parameters))) {
    }
    explicit FakeArguments(std::span<const Parameter> schema) : schema_(schema), has_schema_(true) {
        for (const Parameter& p : schema)
            if (p.default_value != nullptr) defaults_[p.name] = parsed(p.default_value);
    }

    FakeArguments& set(std::string_view key, bool value) { return put(key, value); }
    FakeArguments& set(std::string_view key, std::integral auto value) {
        return put(key, static_cast<std::int64_t>(value));
    }
    FakeArguments& set(std::string_view key, double value) { return put(key, value); }
    FakeArguments& set(std::string_view key, const char* value) {
        return put(key, std::string(value));
    }
    FakeArguments& set(std::string_view key, std::vector<double> value) {
        const int entries = static_cast<int>(value.size());
        return put(key, Numbers{std::move(value), entries, Shape::vector});
    }
    FakeArguments& set_matrix(std::string_view key, int columns, std::vector<double> value) {
        const int rows = static_cast<int>(value.size()) / columns;
        return put(key, Numbers{std::move(value), rows, Shape::matrix});
    }
    FakeArguments& set_texts(std::string_view key, std::vector<std::string> value) {
        return put(key, std::move(value));
    }
    /// The motion of the body that the key names.
    FakeArguments& set_motion(std::string_view key, const RigidMotion& value) {
        return put(key, value);
    }
    /// Sets an empty table and returns it.
    FakeArguments& set_table(std::string_view key) {
        auto inner = std::make_shared<FakeArguments>();
        if (const Parameter* p = declaration(key); p != nullptr && p->children != nullptr)
            inner = std::make_shared<FakeArguments>(
                std::span(p->children, static_cast<std::size_t>(p->num_children)));
        put(key, inner);
        return *inner;
    }
    FakeArguments& erase(std::string_view key) {
        given_.erase(std::string(key));
        return *this;
    }

    FakeArguments& set_gravity(const std::array<double, 3>& gravity) {
        gravity_ = gravity;
        return *this;
    }

    FakeArguments& set_end_time(double end) {
        end_time_ = end;
        return *this;
    }
    FakeArguments& set_begin_time(double begin) {
        begin_time_ = begin;
        return *this;
    }

    std::string_view object_name() const override { return "fake"; }
    std::array<double, 3> gravity() const override { return gravity_; }
    double begin_time() const override { return begin_time_; }
    double end_time() const override { return end_time_; }
    bool has(std::string_view key) const override { return find(key) != nullptr; }
    bool given(std::string_view key) const override {
        find(key);
        return given_.contains(std::string(key));
    }
    Shape shape(std::string_view key) const override {
        constexpr Shape shapes[] = {Shape::boolean,
                                    Shape::integer,
                                    Shape::number,
                                    Shape::text,
                                    Shape::vector,
                                    Shape::texts,
                                    Shape::body,
                                    Shape::table};
        const Value& value = at(key);
        if (const auto* text = std::get_if<std::string>(&value);
            text != nullptr && is_file(key, *text))
            return Shape::file;
        if (const Numbers* x = std::get_if<Numbers>(&value)) return x->shape;
        if (std::holds_alternative<std::int64_t>(value) && allows_only_numbers(key))
            return Shape::number;
        return shapes[value.index()];
    }

    bool boolean(std::string_view key) const override { return get<bool>(key); }
    std::int64_t integer(std::string_view key) const override { return get<std::int64_t>(key); }
    double number(std::string_view key) const override {
        if (const std::int64_t* whole = std::get_if<std::int64_t>(&at(key)))
            return static_cast<double>(*whole);
        return get<double>(key);
    }
    std::string_view text(std::string_view key) const override { return get<std::string>(key); }
    std::string_view path(std::string_view key) const override { return get<std::string>(key); }
    std::span<const double> numbers(std::string_view key) const override {
        return get<Numbers>(key).values;
    }
    int rows(std::string_view key) const override { return get<Numbers>(key).rows; }
    int num_texts(std::string_view key) const override {
        if (has_free_names() && key == "*") return static_cast<int>(given_.size());
        return static_cast<int>(get<Texts>(key).size());
    }
    std::string_view text(std::string_view key, int index) const override {
        if (has_free_names() && key == "*") return std::next(given_.begin(), index)->first;
        return get<Texts>(key).at(static_cast<std::size_t>(index));
    }
    const Arguments& table(std::string_view key) const override { return *get<Table>(key); }
    const RigidMotion& motion_of(std::string_view key) const override {
        return get<RigidMotion>(key);
    }
    [[noreturn]] void fail(std::string_view key, std::string_view message) const override {
        throw std::runtime_error(std::string(key) + ": " + std::string(message));
    }
    /// Throws std::runtime_error("KEY:LINE:COLUMN: MESSAGE").
    [[noreturn]] void fail_in_file(std::string_view key,
                                   int line,
                                   int column,
                                   std::string_view message) const override {
        throw std::runtime_error(std::string(key) + ':' + std::to_string(line) + ':' +
                                 std::to_string(column) + ": " + std::string(message));
    }

private:
    struct Numbers {
        std::vector<double> values;
        int rows = 0;
        Shape shape = Shape::vector;
    };
    using Texts = std::vector<std::string>;
    using Table = std::shared_ptr<FakeArguments>;
    using Value =
        std::variant<bool, std::int64_t, double, std::string, Numbers, Texts, RigidMotion, Table>;

    FakeArguments& put(std::string_view key, Value value) {
        given_[std::string(key)] = std::move(value);
        return *this;
    }

    const Parameter* declaration(std::string_view key) const {
        for (const Parameter& p : schema_)
            if (key == p.name || has_free_names()) return &p;
        return nullptr;
    }
    /// The schema's one entry "*" stands for any name.
    bool has_free_names() const {
        return schema_.size() == 1 && schema_.front().name == std::string_view("*");
    }
    /// A whole number given to a `number` parameter counts as a number.
    bool allows_only_numbers(std::string_view key) const {
        const Parameter* p = declaration(key);
        return p == nullptr || !p->allows(Shape::integer);
    }

    /// A text given to a parameter that takes files, and no texts, names one.
    /// A text that is none of the choices names a file, where one may stand.
    bool is_file(std::string_view key, std::string_view text) const {
        const Parameter* p = declaration(key);
        if (p == nullptr || !p->allows(Shape::file)) return false;
        if (!p->allows(Shape::text)) return true;
        if (p->choices == nullptr) return false;
        const std::string all = std::string("|") + p->choices + '|';
        return all.find('|' + std::string(text) + '|') == std::string::npos;
    }

    /// The value, its default, or null.
    const Value* find(std::string_view key) const {
        if (has_schema_ && declaration(key) == nullptr)
            throw std::logic_error("key \"" + std::string(key) + "\" is not in the schema");
        if (const auto at = given_.find(std::string(key)); at != given_.end()) return &at->second;
        if (const auto at = defaults_.find(std::string(key)); at != defaults_.end())
            return &at->second;
        return nullptr;
    }
    const Value& at(std::string_view key) const {
        if (const Value* value = find(key)) return *value;
        throw std::logic_error("key \"" + std::string(key) + "\" has no value");
    }
    template <class T>
    const T& get(std::string_view key) const {
        if (const T* value = std::get_if<T>(&at(key))) return *value;
        throw std::logic_error("key \"" + std::string(key) + "\" has another shape");
    }

    /// Value of a default as the schema writes it: a boolean, number, text, vector or matrix.
    static Value parsed(std::string_view toml) {
        if (toml == "true" || toml == "false") return toml == "true";
        if (toml.starts_with('"')) return std::string(toml.substr(1, toml.size() - 2));
        Numbers out;
        int brackets = 0;
        const std::string text(toml);
        for (const char* c = text.c_str(); *c != '\0';) {
            char* end = nullptr;
            const double x = std::strtod(c, &end);
            if (end != c) out.values.push_back(x);
            brackets += *c == '[';
            c = end != c ? end : c + 1;
        }
        if (brackets == 0) return scalar(text);
        out.shape = brackets > 1 ? Shape::matrix : Shape::vector;
        out.rows = brackets > 1 ? brackets - 1 : static_cast<int>(out.values.size());
        return out;
    }
    static Value scalar(const std::string& text) {
        if (text.find_first_not_of("+-0123456789_") == std::string::npos)
            return static_cast<std::int64_t>(std::strtoll(text.c_str(), nullptr, 10));
        return std::strtod(text.c_str(), nullptr);
    }

    std::span<const Parameter> schema_;
    bool has_schema_ = false;
    std::array<double, 3> gravity_{};
    double begin_time_ = 0.0;
    double end_time_ = 1.0;
    std::map<std::string, Value> given_;
    std::map<std::string, Value> defaults_;
};

}  // namespace ancora::test
