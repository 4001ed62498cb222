// SPDX-License-Identifier: BSD-3-Clause
// What all constraints that are written as one function share: their attachments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/argument_list.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/constraint.hpp"

namespace ancora {

namespace detail {

/// Copies arguments from where the kernel has them.
template <std::size_t kWidth>
void gather(std::span<const double> u,
            const std::array<std::int32_t, kWidth>& stencil,
            std::array<double, kWidth>& x) {
    for (std::size_t j = 0; j < kWidth; ++j) x[j] = u[static_cast<std::size_t>(stencil[j])];
}

}  // namespace detail

/// Base of HolonomicConstraint and NonholonomicConstraint.
template <class Author>
class WrittenConstraint : public Constraint {
protected:
    // A template, since the author's class is complete only where this is used.
    template <class A>
    using SchemaOf = ArgumentsOf<A>;

public:
    WrittenConstraint(const WrittenConstraint&) = delete;
    WrittenConstraint& operator=(const WrittenConstraint&) = delete;

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }

protected:
    /// [assembly] For a schema without coordinates.
    WrittenConstraint() {
        static_assert(SchemaOf<Author>::kNumCoordinates == 0,
                      "coordinates are read from the arguments: hand them to the base class");
        add_parameters();
    }
    /// [assembly] Reads the coordinates of the schema.
    explicit WrittenConstraint(const Arguments& arguments) {
        add_parameters();
        for (const char* key : SchemaOf<Author>::kCoordinates)
            requests_.add(AttachmentRequest::Kind::coordinate, arguments.text(key), key);
    }

    /// [assembly] Asks for the next of the arguments that a constant kArguments states.
    /// @param key  parameter that the text comes from, for the place of messages
    void ask(std::string_view text, const char* key) {
        static_assert(
            requires { Author::kArguments; }, "the schema names the arguments");
        using Kind = AttachmentRequest::Kind;
        constexpr std::size_t kCount = SchemaOf<Author>::kCount;
        const std::size_t next = requests_.list().size();
        if (next == kCount) throw std::logic_error("asks for more than kArguments states");
        constexpr Kind kKinds[] = {Kind::point, Kind::direction, Kind::coordinate};
        requests_.add(kKinds[static_cast<std::size_t>(Author::kArguments[next])], text, key);
    }

    const Author& author() const { return static_cast<const Author&>(*this); }

    template <class Row>
    static void gather(std::span<const double> u, Row& x) {
        detail::gather(u, SchemaOf<Author>::kStencil, x);
    }

private:
    void add_parameters() {
        for (const AttachmentRequest& request : SchemaOf<Author>::kAttachments)
            requests_.add(request);
    }

    AttachmentTexts requests_;
};

}  // namespace ancora
