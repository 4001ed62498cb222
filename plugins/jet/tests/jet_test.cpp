// SPDX-License-Identifier: BSD-3-Clause
// Tests of the force type `jet`: its forces, its derivative, its messages.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using ancora::NonidealForce;
using ancora::test::FakeArguments;
using Numbers = std::vector<double>;

FakeArguments nozzle() {
    FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("at", "stage@[0, 0, -1]").set("velocity", {0.5, 0.0, -3.0});
    return arguments;
}
std::unique_ptr<NonidealForce> make(const FakeArguments& arguments) {
    return std::unique_ptr<NonidealForce>(
        static_cast<NonidealForce*>(ancora_plugin_descriptor.types[0].create(arguments)));
}
std::string refusal(const FakeArguments& arguments) {
    try {
        make(arguments);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}
Numbers forces(const NonidealForce& jet, const Numbers& u, const Numbers& du, double flow) {
    const std::array<double, 1> inputs{flow};
    Numbers f(u.size(), 7.0);
    ancora::RowPoint at{u, du, 0.3, {}, {}, {}};
    at.own.inputs = inputs;
    jet.evaluate(at, {}, {f});
    return f;
}

// nozzle, tank, and the axes of a body that is turned by a quarter about x
const Numbers kPlaces{1.0, 2.0, 3.0, 1.0, 2.5, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0};
const Numbers kRates{0.3, -0.2, 0.5, 0.1, 0.4, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};

}  // namespace

TEST_SUITE("jet") {
    TEST_CASE("it asks for its points and for the axes that its velocity is given in") {
        const auto texts = [](const NonidealForce& jet) {
            std::vector<std::string> out;
            for (const auto& request : jet.attachments()) out.emplace_back(request.text);
            return out;
        };
        using Texts = std::vector<std::string>;
        CHECK(texts(*make(nozzle().set("frame", "inertial"))) == Texts{"stage@[0, 0, -1]"});
        CHECK(texts(*make(nozzle().set("from", "tank@0"))) == Texts{"stage@[0, 0, -1]",
                                                                    "tank@0",
                                                                    "stage@[1, 0, 0]",
                                                                    "stage@[0, 1, 0]",
                                                                    "stage@[0, 0, 1]"});
        const auto jet = make(nozzle());
        CHECK(jet->work() == ancora::WorkKind::external);
        REQUIRE(facets_of(*jet).signals != nullptr);
        CHECK(facets_of(*jet).signals->inputs().size() == 1);
    }

    // -w u, with u in axes of the body: x' = x, y' = z, z' = -y of space.
    TEST_CASE("thrust is the flow times the velocity of what leaves, against it") {
        const auto inertial = make(nozzle().set("frame", "inertial"));
        CHECK(forces(*inertial, {1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, 2.0) == Numbers{-1.0, 0.0, 6.0});
        Numbers u = kPlaces, du = kRates;
        u.erase(u.begin() + 3, u.begin() + 6);
        du.erase(du.begin() + 3, du.begin() + 6);
        const Numbers f = forces(*make(nozzle()), u, du, 2.0);
        CHECK(Numbers(f.begin(), f.begin() + 3) == Numbers{-1.0, -6.0, 0.0});
        CHECK(std::all_of(f.begin() + 3, f.end(), [](double x) {
            return x == 0.0;
        }));
    }

    // Of a boost of the whole nothing may be seen; of a spin, half of 2 w (r_P' - r_T') each.
    TEST_CASE("the way from the tank takes a force at either end") {
        const auto jet = make(nozzle().set("from", "tank@0").set("velocity", {0.0, 0.0, 0.0}));
        const Numbers f = forces(*jet, kPlaces, kRates, 2.0);
        for (const std::size_t first : {std::size_t{0}, std::size_t{3}}) {
            CHECK(f[first] == doctest::Approx(-0.4).epsilon(1e-15));
            CHECK(f[first + 1] == doctest::Approx(1.2).epsilon(1e-15));
            CHECK(f[first + 2] == 0.0);
        }
        Numbers boosted = kRates;
        for (std::size_t i = 0; i < 6; ++i) boosted[i] += 8.0;
        const Numbers g = forces(*jet, kPlaces, boosted, 2.0);
        for (std::size_t i = 0; i < g.size(); ++i)
            CHECK(g[i] == doctest::Approx(f[i]).epsilon(1e-14));
    }

    TEST_CASE("its derivative is that of the mean force by displacements") {
        const auto jet = make(nozzle().set("from", "tank@0"));
        constexpr double h = 0.02, flow = 1.7;
        const std::array<double, 1> inputs{flow};
        const std::size_t k = kPlaces.size();
        const auto step_force = [&](const Numbers& du) {
            Numbers mid(k), rate(k);
            for (std::size_t i = 0; i < k; ++i) {
                mid[i] = kPlaces[i] + 0.5 * du[i];
                rate[i] = du[i] / h;
            }
            return forces(*jet, mid, rate, flow);
        };
        Numbers du(k);
        for (std::size_t i = 0; i < k; ++i) du[i] = 0.01 * std::sin(1.0 + double(i));
        ancora::RowStep step;
        step.u0 = kPlaces;
        step.du = du;
        step.h = h;
        step.own.inputs = inputs;
        Numbers D(k * k, 9.0);
        REQUIRE((facets_of(*jet).tangent != nullptr));
        facets_of(*jet).tangent->differentiate_step(step, du, D);
        for (std::size_t j = 0; j < k; ++j) {
            Numbers up = du, down = du;
            up[j] += 1e-4;
            down[j] -= 1e-4;
            const Numbers f = step_force(up), g = step_force(down);
            for (std::size_t i = 0; i < k; ++i)
                CHECK(D[i * k + j] == doctest::Approx((f[i] - g[i]) / 2e-4).epsilon(1e-9));
        }
    }

    TEST_CASE("a jet on the ground is refused") {
        CHECK(refusal(nozzle().set("at", "ground@[0, 0, 0]")) ==
              "at: is a point of the ground, which no jet can drive; name one of a body");
        CHECK(refusal(nozzle().set("from", "ground@[0, 0, 0]")) ==
              "from: is a point of the ground; name the point of the tank");
    }
}
