// SPDX-License-Identifier: BSD-3-Clause
// Tests of the force type `drag`: its law, its power and its messages.
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string_view>

#include <doctest/doctest.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using Triple = std::array<double, 3>;
using ancora::test::FakeArguments;

FakeArguments on_bead() {
    FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("at", "bead@0");
    return arguments;
}
std::unique_ptr<ancora::NonidealForce> make(const FakeArguments& arguments) {
    return std::unique_ptr<ancora::NonidealForce>(
        static_cast<ancora::NonidealForce*>(ancora_plugin_descriptor.types[0].create(arguments)));
}
Triple force(const ancora::NonidealForce& drag, const Triple& velocity) {
    const Triple u = {4.0, -7.0, 2.0};
    Triple f = {9.0, 9.0, 9.0};
    drag.evaluate({u, velocity, 0.3}, {}, {f});
    return f;
}
doctest::Approx near(double x) {
    return doctest::Approx(x).scale(0.0).epsilon(1e-15);
}

}  // namespace

TEST_SUITE("drag") {
    TEST_CASE("its work is nonideal, its impulse is the medium's") {
        const auto drag = make(on_bead().set("quadratic", 2.0));
        REQUIRE(drag->attachments().size() == 1);
        CHECK(std::string_view(drag->attachments()[0].text) == "bead@0");
        CHECK(std::string_view(drag->attachments()[0].key) == "at");
        CHECK(facets_of(*drag).contact == nullptr);
        CHECK(drag->work() == ancora::WorkKind::nonideal);
        CHECK(facets_of(*drag).tied_to_inertial_frame);
        CHECK(facets_of(*drag).start_state.empty());
    }

    // |w| = 7
    TEST_CASE("it grows with the first and the second power of the velocity, against it") {
        const Triple v = {2.0, -3.0, 6.0};
        CHECK(force(*make(on_bead().set("linear", 0.5)), v) == Triple{-1.0, 1.5, -3.0});
        CHECK(force(*make(on_bead().set("quadratic", 2.0)), v) == Triple{-28.0, 42.0, -84.0});
        const auto both = make(on_bead().set("linear", 0.5).set("quadratic", 2.0));
        CHECK(force(*both, v) == Triple{-29.0, 43.5, -87.0});
        CHECK(force(*both, {}) == Triple{});
    }

    TEST_CASE("area, coefficient and density make the quadratic coefficient") {
        const auto drag = make(on_bead()
                                   .set("area", 0.5)
                                   .set("coefficient", 1.25)
                                   .set("density", 1.2)
                                   .set("linear", 3.0));
        CHECK(force(*drag, {2.0, 0.0, 0.0})[0] == near(-(0.5 * 1.2 * 1.25 * 0.5 * 4.0 + 6.0)));
    }

    TEST_CASE("in a wind it is the velocity against the wind that counts") {
        const auto still = make(on_bead().set("linear", 0.5).set("quadratic", 2.0));
        const auto wind = make(on_bead()
                                   .set("linear", 0.5)
                                   .set("quadratic", 2.0)
                                   .set("medium_velocity", {1.0, 2.0, -0.5}));
        CHECK(force(*wind, {3.0, -1.0, 5.5}) == force(*still, {2.0, -3.0, 6.0}));
        CHECK(force(*wind, {1.0, 2.0, -0.5}) == Triple{});
        CHECK(force(*wind, {})[1] > 0.0);
    }

    TEST_CASE("of several points each has its own") {
        FakeArguments arguments(ancora_plugin_descriptor.types[0]);
        arguments.set_texts("at", {"net@0", "net@3"}).set("quadratic", 2.0);
        const auto drag = make(arguments);
        REQUIRE(drag->attachments().size() == 2);
        CHECK(std::string_view(drag->attachments()[1].text) == "net@3");
        const std::array<double, 6> u{}, du = {2.0, -3.0, 6.0, 0.0, 0.5, 0.0};
        std::array<double, 6> f{};
        drag->evaluate({u, du, 0.0}, {}, {f});
        CHECK(f == std::array<double, 6>{-28.0, 42.0, -84.0, 0.0, -0.5, 0.0});
    }

    TEST_CASE("its power against the medium is never positive, at an instant and over a step") {
        const Triple wind = {0.7, -1.1, 0.4};
        const auto drag = make(on_bead()
                                   .set("linear", 0.3)
                                   .set("quadratic", 1.7)
                                   .set("medium_velocity", {wind[0], wind[1], wind[2]}));
        std::mt19937 random(7);
        std::uniform_real_distribution<double> uniform(-3.0, 3.0);
        for (int k = 0; k < 200; ++k) {
            constexpr double h = 0.25;  // s
            Triple v, du;
            for (std::size_t i = 0; i < 3; ++i) du[i] = h * (v[i] = uniform(random));
            ancora::RowStep step;
            step.du = du;
            step.mid = du;
            step.rate = v;
            step.h = h;
            Triple at_instant = force(*drag, v), over_step{};
            drag->evaluate_step(step, v, {over_step});
            double power = 0.0;
            for (std::size_t i = 0; i < 3; ++i) power += at_instant[i] * (v[i] - wind[i]);
            CHECK(power <= 0.0);
            CHECK(over_step == at_instant);
        }
    }

    TEST_CASE("coefficients that make no sense, and no point, are refused in words") {
        CHECK_THROWS_WITH(make(on_bead()),
                          "quadratic: no coefficient of drag is given; give quadratic, or area, "
                          "coefficient and density, or linear");
        CHECK_THROWS_WITH(make(on_bead().set("area", 1.0).set("density", 1.2)),
                          "coefficient: is missing; area, coefficient and density make the "
                          "quadratic coefficient together");
        CHECK_THROWS_WITH(
            make(on_bead()
                     .set("area", 1.0)
                     .set("density", 1.2)
                     .set("coefficient", 1.0)
                     .set("quadratic", 1.0)),
            "quadratic: states again what area, coefficient and density make; give the one or "
            "the other");
        FakeArguments nowhere(ancora_plugin_descriptor.types[0]);
        nowhere.set_texts("at", {}).set("linear", 1.0);
        CHECK_THROWS_WITH(make(nowhere), "at: found no point, expected one or more");
    }
}
