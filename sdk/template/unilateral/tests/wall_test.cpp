// SPDX-License-Identifier: BSD-3-Clause
// The gap against geometry, and what is derived from it against differences; the motion is what
// model.toml is for.
#include <cmath>
#include <memory>
#include <vector>

#include <ancora/sdk/plugin.hpp>
#include <ancora/sdk/testing/fake_arguments.hpp>
#include <ancora/sdk/testing/row_errors.hpp>
#include <doctest/doctest.h>

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

std::unique_ptr<ancora::Constraint> make_wall(double restitution) {
    ancora::test::FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("point", "ball@0")
        .set("origin", "box@[0, 0, 0]")
        .set("normal", "box@[0, 0, 1]")
        .set("restitution", restitution);
    return std::unique_ptr<ancora::Constraint>(
        static_cast<ancora::Constraint*>(ancora_plugin_descriptor.types[0].create(arguments)));
}

// The point, the origin, the normal.
const std::vector<double> kU = {1.0, 2.0, 3.0, 0.5, -1.0, 2.5, 0.6, 0.0, 0.8};
const std::vector<double> kDu = {0.25, -0.5, 1.0, 2.0, 0.125, -0.75, 0.1, -0.2, 0.3};

}  // namespace

TEST_SUITE("wall") {
    TEST_CASE("the gap is the distance from the plane, with a sign") {
        double gap[1];
        make_wall(0.5)->evaluate(0, {kU, {}, 0.0}, {gap, {}, {}, {}});
        CHECK(gap[0] == doctest::Approx(0.6 * 0.5 + 0.8 * 0.5).epsilon(1e-15));
    }

    TEST_CASE("the row is unilateral and has the restitution, which is 0 to 1") {
        const ancora::RowLaw law = make_wall(0.5)->row_blocks()[0].laws[0];
        CHECK(law.kind == ancora::RowKind::unilateral);
        CHECK(law.restitution == 0.5);
        CHECK_THROWS(make_wall(1.5));
        CHECK_THROWS(make_wall(-0.1));
    }

    TEST_CASE("the rows are the derivatives of the gap, and exact over a step of any size") {
        const ancora::test::RowErrors errors =
            ancora::test::row_errors(*make_wall(0.5), 0, kU, kDu);
        CHECK(errors.jacobian <= 1e-11);
        CHECK(errors.bias <= 1e-9);
        CHECK(errors.tangent <= 1e-11);
        CHECK(errors.discrete <= 4e-15);
    }

    // So that the least gap within a step is known in closed form.
    TEST_CASE("the gap is quadratic in point, origin and normal") {
        CHECK(make_wall(0.5)->row_blocks()[0].degree == ancora::Degree::quadratic);
    }
}
