// SPDX-License-Identifier: BSD-3-Clause
// Bad: parameters that are called sensitive, and results do not change smoothly with them; and the
// right one beside them.
#include <cmath>

#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

/// A rod that gives way: s = k pi.
class ElasticRod : public Rod {
public:
    static constexpr Parameter kParameters[] = {
        Rod::kParameters[0],
        Rod::kParameters[1],
        Rod::kParameters[2],
        parameter::number("stiffness", "N/m^3", "stress by pi").positive().required().sensitive(),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "an elastic rod",
        .equation = "W = k pi^2 / 2, pi = (d . d - L^2) / 2",
        .source = "made for tests",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\nstiffness = 40.0"},
        .claims = {Claim::rigid_motion_invariant}};

    explicit ElasticRod(const Arguments& arguments)
        : ElasticRod(arguments, arguments.number("stiffness")) {}
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }

protected:
    ElasticRod(const Arguments& arguments, double stiffness) : Rod(arguments) {
        law_.compliance = 1.0 / stiffness;
        block_.laws = {&law_, 1};
    }

private:
    RowLaw law_ = {.kind = RowKind::elastic};
    RowBlock block_ = kBlock;
};

constexpr double kPlace = 40.0;  // the example's stiffness

/// Beyond a value it counts twice.
class Cornered final : public ElasticRod {
public:
    explicit Cornered(const Arguments& arguments)
        : ElasticRod(arguments,
                     arguments.number("stiffness") +
                         std::max(arguments.number("stiffness") - kPlace, 0.0)) {}
};

/// Whole numbers alone count.
class Rounded final : public ElasticRod {
public:
    explicit Rounded(const Arguments& arguments)
        : ElasticRod(arguments, std::floor(arguments.number("stiffness"))) {}
};

constexpr TypeDescriptor kTypes[] = {
    type<ElasticRod>("right_stiffness", ElasticRod::kDocs, ElasticRod::kParameters),
    type<Cornered>("cornered", ElasticRod::kDocs, ElasticRod::kParameters),
    type<Rounded>("rounded", ElasticRod::kDocs, ElasticRod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wrong_sensitive", "1.0.0", kTypes)
