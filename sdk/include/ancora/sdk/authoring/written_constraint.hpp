// SPDX-License-Identifier: BSD-3-Clause
// What all constraints that are written as one function share: their attachments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/argument_list.hpp"
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

/// Coordinates of bodies that arguments name.
class CoordinateRequests {
public:
    template <std::size_t N>
    void read(const Arguments& arguments, const std::array<const char*, N>& keys) {
        for (const char* key : keys) texts_.emplace_back(arguments.text(key));
        for (std::size_t i = 0; i < N; ++i)
            requests_.push_back({AttachmentRequest::Kind::coordinate, texts_[i].c_str(), keys[i]});
    }
    std::span<const AttachmentRequest> list() const { return requests_; }

private:
    std::vector<std::string> texts_;
    std::vector<AttachmentRequest> requests_;
};

}  // namespace detail

/// Base of HolonomicConstraint and NonholonomicConstraint.
template <class Author>
class WrittenConstraint : public Constraint {
protected:
    // A template, since the author's class is complete only where this is used.
    template <class A>
    using SchemaOf = SchemaArguments<A::kParameters>;

public:
    WrittenConstraint(const WrittenConstraint&) = delete;
    WrittenConstraint& operator=(const WrittenConstraint&) = delete;

    std::span<const char* const> attachments() const override {
        return SchemaOf<Author>::kAttachments;
    }
    std::span<const AttachmentRequest> more_attachments() const override {
        return coordinates_.list();
    }

protected:
    /// [assembly] For a schema without coordinates.
    WrittenConstraint() {
        static_assert(SchemaOf<Author>::kNumCoordinates == 0,
                      "coordinates are read from the arguments: hand them to the base class");
    }
    /// [assembly] Reads the coordinates of the schema.
    explicit WrittenConstraint(const Arguments& arguments) {
        coordinates_.read(arguments, SchemaOf<Author>::kCoordinates);
    }

    const Author& author() const { return static_cast<const Author&>(*this); }

    template <class Row>
    static void gather(std::span<const double> u, Row& x) {
        detail::gather(u, SchemaOf<Author>::kStencil, x);
    }

private:
    detail::CoordinateRequests coordinates_;
};

}  // namespace ancora
