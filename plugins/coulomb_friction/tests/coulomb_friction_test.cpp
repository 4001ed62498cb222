// SPDX-License-Identifier: BSD-3-Clause
// Tests of the force type `coulomb_friction`: its law, its derivatives and its messages.
#include <array>
#include <cmath>
#include <memory>
#include <string_view>

#include <doctest/doctest.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using ancora::test::FakeArguments;

FakeArguments on_ramp() {
    FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("on", "ramp");
    return arguments;
}

std::unique_ptr<ancora::NonidealForce> make(const FakeArguments& arguments) {
    return std::unique_ptr<ancora::NonidealForce>(
        static_cast<ancora::NonidealForce*>(ancora_plugin_descriptor.types[0].create(arguments)));
}

doctest::Approx near(double x, double tolerance) {
    return doctest::Approx(x).scale(0.0).epsilon(tolerance);
}

}  // namespace

TEST_SUITE("coulomb friction") {
    TEST_CASE("it acts through its contact law alone") {
        const auto friction = make(on_ramp().set("mu_kinetic", 0.3));
        REQUIRE(facets_of(*friction).contact != nullptr);
        CHECK(std::string_view(facets_of(*friction).contact->constraint()) == "on");
        CHECK(friction->attachments().empty());
        CHECK(friction->work() == ancora::WorkKind::nonideal);
        CHECK(facets_of(*friction).start_state.empty());
        std::array<double, 3> f = {1.0, 2.0, 3.0};
        friction->evaluate({{}, {}, 0.0}, {}, {f});
        CHECK(f == std::array<double, 3>{});
    }

    TEST_CASE("one coefficient serves for rest and for slip") {
        for (const char* key : {"mu_static", "mu_kinetic"}) {
            const auto friction = make(on_ramp().set(key, 0.25));
            const ancora::ContactLaw& law = *facets_of(*friction).contact;
            CHECK(law.stick_limit(8.0) == 2.0);
            CHECK(law.slip(8.0, 0.0).force == 2.0);
            CHECK(law.slip(8.0, 5.0).force == 2.0);
            CHECK(law.surface_velocity() == std::array<double, 3>{});
        }
    }

    TEST_CASE("without a Stribeck velocity the force falls from mu_s N to mu_k N at once") {
        const auto friction = make(on_ramp().set("mu_static", 0.5).set("mu_kinetic", 0.25));
        CHECK(facets_of(*friction).contact->stick_limit(8.0) == 4.0);
        CHECK(facets_of(*friction).contact->slip(8.0, 0.0).force == 2.0);
        CHECK(facets_of(*friction).contact->slip(0.0, 1.0).force == 0.0);
        CHECK(facets_of(*friction).contact->stick_limit(0.0) == 0.0);
    }

    // mu(v_s) = mu_k + (mu_s - mu_k) / e
    TEST_CASE("with it the force falls from mu_s N, and by 1/e of the excess at v_s") {
        const auto friction = make(
            on_ramp().set("mu_static", 0.5).set("mu_kinetic", 0.25).set("stribeck_velocity", 0.1));
        const ancora::ContactLaw& law = *facets_of(*friction).contact;
        CHECK(law.slip(8.0, 0.0).force == law.stick_limit(8.0));
        CHECK(law.slip(8.0, 0.1).force == near(8.0 * (0.25 + 0.25 * std::exp(-1.0)), 1e-15));
        CHECK(law.slip(8.0, 10.0).force == 2.0);
    }

    TEST_CASE("the viscous part adds c |w|, also without a normal force") {
        const auto friction = make(on_ramp().set("mu_kinetic", 0.25).set("viscous", 3.0));
        CHECK(facets_of(*friction).contact->slip(0.0, 2.0).force == 6.0);
        CHECK(facets_of(*friction).contact->slip(8.0, 2.0).force == 8.0);
    }

    // Central differences of a smooth law: error of order step^2 (v / v_s)^3.
    TEST_CASE("the derivatives agree with differences of the force") {
        const auto friction = make(on_ramp()
                                       .set("mu_static", 0.6)
                                       .set("mu_kinetic", 0.2)
                                       .set("viscous", 1.5)
                                       .set("stribeck_velocity", 0.3));
        const ancora::ContactLaw& law = *facets_of(*friction).contact;
        constexpr double kStep = 1e-5;
        for (const double N : {0.5, 7.0})
            for (const double v : {0.05, 0.2, 0.5, 2.0}) {
                const ancora::SlipForce here = law.slip(N, v);
                const double by_normal =
                    (law.slip(N + kStep, v).force - law.slip(N - kStep, v).force) / (2.0 * kStep);
                const double by_speed =
                    (law.slip(N, v + kStep).force - law.slip(N, v - kStep).force) / (2.0 * kStep);
                CHECK(here.by_normal == near(by_normal, 1e-9));
                CHECK(here.by_speed == near(by_speed, 1e-7));
            }
    }

    TEST_CASE("the surface's velocity is handed on") {
        const auto belt =
            make(on_ramp().set("mu_kinetic", 0.3).set("surface_velocity", {0.5, 0.0, -1.0}));
        CHECK(facets_of(*belt).contact->surface_velocity() ==
              std::array<double, 3>{0.5, 0.0, -1.0});
    }

    TEST_CASE("coefficients that make no sense are refused in words") {
        CHECK_THROWS_WITH(make(on_ramp()),
                          "mu_kinetic: no coefficient of friction is given; give mu_static, "
                          "mu_kinetic or both");
        CHECK_THROWS_WITH(make(on_ramp().set("mu_static", 0.2).set("mu_kinetic", 0.3)),
                          "mu_static: is smaller than mu_kinetic; what rests would be harder to "
                          "hold than to move, so give mu_static >= mu_kinetic");
    }
}
