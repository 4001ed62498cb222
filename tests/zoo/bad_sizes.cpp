// SPDX-License-Identifier: BSD-3-Clause
// Bad: the constraint z = 0 with row blocks or a joint that do not fit, one mistake per type.
#include "test_plane.hpp"

namespace {

using namespace ancora;

/// Three scalars per item, but a stencil of two.
class ShortStencil final : public zoo::TestPlane {
public:
    explicit ShortStencil(const Arguments& arguments) : TestPlane(arguments) {
        block_.stencil = block_.stencil.first(2);
    }
};

/// One attachment has the scalars 0, 1, 2.
class IndexOutOfRange final : public zoo::TestPlane {
public:
    explicit IndexOutOfRange(const Arguments& arguments) : TestPlane(arguments) {
        block_.stencil = kBeyond;
    }

private:
    static constexpr std::array<std::int32_t, 3> kBeyond = {0, 1, 3};
};

/// Two laws for one row.
class TooManyLaws final : public zoo::TestPlane {
public:
    explicit TooManyLaws(const Arguments& arguments) : TestPlane(arguments) {
        block_.laws = kTwoLaws;
    }

private:
    static constexpr std::array<RowLaw, 2> kTwoLaws = {};
};

/// A measure of two attachments, of which there is one.
class MeasureOutOfRange final : public zoo::TestPlane {
public:
    explicit MeasureOutOfRange(const Arguments& arguments) : TestPlane(arguments) {
        joint_.a.body = "ground";
        joint_.b.body = "m";
        joint_.b.has_axes = false;
        joint_.measures = kMeasures;
        joint_.on_b = kOnB;
    }
    void facets(ConstraintFacets& out) const override { out.joint = &joint_; }

private:
    static constexpr std::array<Measure, 1> kMeasures = {
        {{"height", MeasureKind::distance, {0, 1, 0}, 0.0}}};
    static constexpr std::array<std::int32_t, 1> kOnB = {0};
    Joint joint_;
};

constexpr TypeDescriptor kTypes[] = {
    type<ShortStencil>("short_stencil", {"z = 0"}, zoo::TestPlane::kParameters),
    type<IndexOutOfRange>("index_out_of_range", {"z = 0"}, zoo::TestPlane::kParameters),
    type<MeasureOutOfRange>("measure_out_of_range", {"z = 0"}, zoo::TestPlane::kParameters),
    type<TooManyLaws>("too_many_laws", {"z = 0"}, zoo::TestPlane::kParameters),
};

}  // namespace

ANCORA_PLUGIN("bad_sizes", "1.0.0", kTypes)
