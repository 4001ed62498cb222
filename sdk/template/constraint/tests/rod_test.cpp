// SPDX-License-Identifier: BSD-3-Clause
// phi against geometry, and what is derived from it against differences; the motion
// is what model.toml is for.
#include <cmath>
#include <memory>
#include <vector>

#include <ancora/sdk/plugin.hpp>
#include <ancora/sdk/testing/fake_arguments.hpp>
#include <ancora/sdk/testing/row_errors.hpp>
#include <doctest/doctest.h>

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

std::unique_ptr<ancora::Constraint> make_rod(double length) {
    ancora::test::FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("a", "box@[1, 0, 0]").set("b", "ground@[0, 0, 0]").set("length", length);
    return std::unique_ptr<ancora::Constraint>(
        static_cast<ancora::Constraint*>(ancora_plugin_descriptor.types[0].create(arguments)));
}

double phi_at(const ancora::Constraint& constraint, const std::vector<double>& u) {
    double phi[1];
    constraint.evaluate(0, {u, {}, 0.0}, {phi, {}, {}, {}});
    return phi[0];
}

// The ends of kU are sqrt(0.25 + 9 + 0.25) m apart.
const std::vector<double> kU = {1.0, 2.0, 3.0, 0.5, -1.0, 2.5};
const std::vector<double> kDu = {0.25, -0.5, 1.0, 2.0, 0.125, -0.75};

}  // namespace

TEST_SUITE("rod") {
    TEST_CASE("phi vanishes at the length L, and is the change of length to first order") {
        const double l = std::sqrt(9.5);
        CHECK(std::abs(phi_at(*make_rod(l), kU)) <= 1e-15);
        CHECK(phi_at(*make_rod(l - 1e-6), kU) == doctest::Approx(1e-6).scale(0).epsilon(1e-6));
    }

    TEST_CASE("the rows are the derivatives of phi, and exact over a step of any size") {
        const ancora::test::RowErrors errors = ancora::test::row_errors(*make_rod(2.0), 0, kU, kDu);
        CHECK(errors.jacobian <= 1e-11);
        CHECK(errors.bias <= 1e-9);
        CHECK(errors.tangent <= 1e-11);
        CHECK(errors.discrete <= 4e-15);
    }

    // What momentum and angular momentum are kept by.
    TEST_CASE("phi is quadratic, and a rigid motion leaves it alone") {
        CHECK(make_rod(2.0)->row_blocks()[0].degree == ancora::Degree::quadratic);
        const std::vector<double> turned = {-2.0 + 5.0, 1.0, 3.0, 1.0 + 5.0, 0.5, 2.5};
        CHECK(std::abs(phi_at(*make_rod(2.0), turned) - phi_at(*make_rod(2.0), kU)) <= 1e-15);
    }
}
