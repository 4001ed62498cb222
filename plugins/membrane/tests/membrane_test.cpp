// SPDX-License-Identifier: BSD-3-Clause
// Tests of the body type `membrane`: its material against the definition of the relaxed energy,
// rows, mass, grids, and messages.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/sdk/body.hpp"
#include "ancora/sdk/helpers/stress_laws.hpp"
#include "film.hpp"
#include "support/plugin_body.hpp"

namespace {

using ancora::membrane::Film;
using ancora::test::FakeArguments;
using ancora::testing::make;
using ancora::testing::refusal;
using ancora::testing::schema;
using Strain = std::array<double, 3>;

FakeArguments film() {
    FakeArguments arguments = schema();
    arguments.set("young", 3e9).set("poisson", 0.3).set("thickness", 1e-5).set("density", 1400.0);
    return arguments;
}

FakeArguments square() {
    FakeArguments arguments = film();
    arguments.set_matrix("nodes", 3, {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0})
        .set_matrix("triangles", 3, {0, 1, 2, 0, 2, 3});
    return arguments;
}

/// Energy of a film that takes compression, of the same numbers.
double taut_energy(double young, double nu, const Strain& e) {
    return 0.5 * young / (1.0 - nu * nu) *
           (e[0] * e[0] + e[1] * e[1] + 2.0 * nu * e[0] * e[1] + 0.5 * (1.0 - nu) * e[2] * e[2]);
}

/// Of strains (E_11, E_22, 2 E_12).
Strain rows_of(const Strain& e) {
    return {e[0] + e[1], e[0] - e[1], e[2]};
}

constexpr std::array<double, 1> kVolume = {1.0};

}  // namespace

TEST_SUITE("membrane") {
    // min over e >= 0 and n of w(E + e n n): wrinkles take away compression and nothing else. The
    // least over e is explicit; over the angle it is looked for.
    TEST_CASE("the relaxed energy is the least over all wrinkles") {
        constexpr double kYoung = 2.0;
        std::mt19937 random(7);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        std::array<int, 3> seen{};
        for (const double nu : {0.0, 0.3, 0.5}) {
            const Film law({kYoung, nu, true}, kVolume);
            for (int k = 0; k < 300; ++k) {
                const Strain e = {uniform(random), uniform(random), 2.0 * uniform(random)};
                const auto added = [&](double c, double s, double size) {
                    return taut_energy(
                        kYoung,
                        nu,
                        {e[0] + size * c * c, e[1] + size * s * s, e[2] + 2.0 * size * c * s});
                };
                // With one direction of wrinkles; a slack film loses all of E
                const auto least_at = [&](double angle) {
                    const double c = std::cos(angle), s = std::sin(angle);
                    // A parabola in `size`
                    const double w0 = added(c, s, 0.0), w1 = added(c, s, 1.0),
                                 w2 = added(c, s, 2.0);
                    const double curve = w2 - 2.0 * w1 + w0, slope = w1 - w0 - 0.5 * curve;
                    return added(c, s, std::max(-slope / curve, 0.0));
                };
                double best = 0.0;
                for (double width = std::numbers::pi; width > 1e-7; width *= 0.1) {
                    const double middle = best;
                    for (int i = -100; i <= 100; ++i) {
                        const double angle = middle + 0.005 * width * i;
                        if (least_at(angle) < least_at(best)) best = angle;
                    }
                }
                const double least = least_at(best);
                const double w = law.potential(0, rows_of(e), {}, {});
                const Film::State state = law.state(rows_of(e));
                ++seen[static_cast<std::size_t>(state)];
                if (state == Film::State::slack)
                    CHECK(w == 0.0);
                else
                    CHECK(std::abs(w - least) <= 1e-12);
            }
        }
        for (const int count : seen) CHECK(count > 40);
    }

    TEST_CASE("stress is what differences of the energy give, and it is continuous") {
        const Film law({2.0, 0.3, true}, kVolume);
        std::mt19937 random(11);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        for (int k = 0; k < 200; ++k) {
            const Strain e = {uniform(random), uniform(random), 2.0 * uniform(random)};
            Strain s{};
            law.potential(0, e, s, {});
            for (std::size_t i = 0; i < 3; ++i) {
                constexpr double kStep = 1e-6;
                Strain more = e, less = e;
                more[i] += kStep;
                less[i] -= kStep;
                const double slope =
                    (law.potential(0, more, {}, {}) - law.potential(0, less, {}, {})) /
                    (2.0 * kStep);
                CHECK(std::abs(s[i] - slope) <= 1e-5);
            }
            // No compression in any direction
            const double least = s[0] - std::hypot(s[1], s[2]);
            CHECK(least >= -1e-14);
        }
    }

    // Against a fine midpoint rule. Where the principal axes stay, W' is linear between slope
    // discontinuities and the mean exact; where wrinkles turn within a large step, it is Gauss'
    // formula, and only its work is exact.
    TEST_CASE("the mean over a step crosses every change of state exactly and smoothly") {
        const Film law({2.0, 0.3, true}, kVolume);
        std::array<ancora::RowLaw, 3> rows;
        for (ancora::RowLaw& row : rows)
            row = {.kind = ancora::RowKind::elastic, .compliance = 0.5};
        std::mt19937 random(13);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        std::array<int, 5> counts{};
        for (int k = 0; k < 200; ++k) {
            Strain from, by;
            for (std::size_t i = 0; i < 3; ++i) {
                from[i] = uniform(random);
                by[i] = 2.0 * uniform(random);
            }
            const bool is_turning = k % 2 == 0;
            if (!is_turning) from[2] = by[2] = 0.0;
            const auto mean = [&](const Strain& dpi, std::span<double> D) {
                std::array<ancora::StressMean, 3> out;
                ancora::mean_over_step(law, 0, rows, from, dpi, out, D);
                return Strain{out[0].elastic, out[1].elastic, out[2].elastic};
            };
            std::array<double, 9> D{};
            const Strain s = mean(by, D);
            Strain fine{};
            constexpr int kSubsteps = 4000;
            for (int i = 0; i < kSubsteps; ++i) {
                Strain at, stress;
                for (std::size_t j = 0; j < 3; ++j) at[j] = from[j] + by[j] * (i + 0.5) / kSubsteps;
                law.potential(0, at, stress, {});
                for (std::size_t j = 0; j < 3; ++j) fine[j] += stress[j] / kSubsteps;
            }
            for (std::size_t j = 0; j < 3; ++j)
                CHECK(std::abs(s[j] - fine[j]) <= (is_turning ? 1e-4 : 1e-6));
            for (std::size_t j = 0; j < 3; ++j) {
                constexpr double kStep = 1e-5;
                Strain more = by, less = by;
                more[j] += kStep;
                less[j] -= kStep;
                std::array<double, 9> none{};
                const Strain a = mean(more, none), b = mean(less, none);
                for (std::size_t i = 0; i < 3; ++i)
                    CHECK(std::abs(D[3 * i + j] - (a[i] - b[i]) / (2.0 * kStep)) <= 1e-3);
            }
            std::array<double, ancora::ItemLaw::kMostDiscontinuities> theta{};
            ++counts[law.discontinuities(0, from, by, theta)];
        }
        for (std::size_t k = 0; k < 3; ++k) CHECK(counts[k] > 10);
    }

    // A step that ends a little further may begin to cross a slack state on its way: the mean
    // must not jump there, or an iteration that ends beside it goes to and fro.
    TEST_CASE("the mean over a step is continuous in the step's end") {
        const Film law({2.0, 0.3, true}, kVolume);
        std::array<ancora::RowLaw, 3> rows;
        for (ancora::RowLaw& row : rows)
            row = {.kind = ancora::RowKind::elastic, .compliance = 0.5};
        std::mt19937 random(17);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        double worst = 0.0;
        for (int k = 0; k < 300; ++k) {
            Strain from, by, end;
            for (std::size_t i = 0; i < 3; ++i) {
                from[i] = 0.5 * uniform(random);
                by[i] = 2.0 * uniform(random);
                end[i] = by[i] + 0.3 * uniform(random);
            }
            constexpr int kEnds = 200;
            std::array<double, 9> D{}, last_D{};
            std::array<ancora::StressMean, 3> mean, last;
            Strain at = by;
            ancora::mean_over_step(law, 0, rows, from, at, last, last_D);
            for (int j = 1; j <= kEnds; ++j) {
                for (std::size_t i = 0; i < 3; ++i) at[i] = by[i] + (end[i] - by[i]) * j / kEnds;
                ancora::mean_over_step(law, 0, rows, from, at, mean, D);
                for (std::size_t i = 0; i < 3; ++i) {
                    double explained = 0.0;
                    for (std::size_t c = 0; c < 3; ++c)
                        explained +=
                            0.5 * (D[3 * i + c] + last_D[3 * i + c]) * (end[c] - by[c]) / kEnds;
                    worst =
                        std::max(worst, std::abs(mean[i].elastic - last[i].elastic - explained));
                }
                last = mean;
                last_D = D;
            }
        }
        // With Gauss' formula across such a place jumps of 4.5e-3
        CHECK(worst <= 5e-5);
    }

    // In a sheared panel that wrinkles, the shear is carried by tension at 45 degrees alone.
    TEST_CASE("a sheared panel has half the stiffness of one that does not wrinkle (Wagner)") {
        const Strain shear = {0.0, 0.0, 1e-3};
        Strain taut{}, wrinkled{};
        Film({70e9, 0.0, false}, kVolume).potential(0, shear, taut, {});
        Film({70e9, 0.0, true}, kVolume).potential(0, shear, wrinkled, {});
        CHECK(std::abs(taut[2] - 35e6) <= 1.0);
        CHECK(std::abs(wrinkled[2] - 17.5e6) <= 1.0);
        CHECK(std::abs(wrinkled[0] - 17.5e6) <= 1.0);
    }

    TEST_CASE("mass: that of the film, the same in all directions, consistent or lumped") {
        for (const char* kind : {"consistent", "lumped"}) {
            const auto body = make(square().set("mass", kind));
            struct Sum final : ancora::MassSink {
                void add(int i, int j, double value) override {
                    total[i % 3] += i == j ? value : 2.0 * value;
                    CHECK(i >= j);
                }
                std::array<double, 3> total{};
            } sum;
            body->mass(sum);
            for (const double m : sum.total) CHECK(std::abs(m - 1400.0 * 1e-5) <= 1e-15);
        }
    }

    TEST_CASE("a grid: two triangles a cell, corners and sides as groups") {
        FakeArguments arguments = film();
        arguments.set_table("grid").set("counts", {4, 3}).set("spacing", {0.5, 0.25});
        const auto body = make(arguments);
        CHECK(body->coordinates().size() == 36);
        CHECK(body->row_blocks()[0].num_items == 12);
        CHECK(facets_of(*body).names->group("*").size() == 12);
        CHECK(facets_of(*body).names->group("rim").size() == 10);
        CHECK(facets_of(*body).names->group("first_0").size() == 3);
        CHECK(facets_of(*body).names->group("first_1")[0] == 3);
        CHECK(facets_of(*body).names->group("second_1").size() == 4);
        CHECK(facets_of(*body).names->group("corner_2")[0] == 8);
        CHECK_THROWS(facets_of(*body).names->group("sides"));
    }

    std::vector<double> strains_at_start(const ancora::Body& body) {
        std::vector<double> q(body.coordinates().size()), v(q.size());
        std::vector<double> pi(3 * static_cast<std::size_t>(body.row_blocks()[0].num_items));
        body.start(q, v);
        body.evaluate(0, {q, {}, 0.0}, {pi, {}, {}, {}});
        return pi;
    }
    double mass_of(const ancora::Body& body) {
        struct Sum final : ancora::MassSink {
            void add(int i, int j, double value) override {
                if (i % 3 == 0) total += i == j ? value : 2.0 * value;
            }
            double total = 0.0;
        } sum;
        body.mass(sum);
        return sum.total;
    }

    // r = F X + c of all nodes: E = (F^T F - 1) / 2 in the axes of the rest shape, whose invariants
    // are the same in any axes
    TEST_CASE("strains at the start are those of the map from the rest shape") {
        std::mt19937 random(17);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        for (int k = 0; k < 50; ++k) {
            Eigen::Matrix<double, 3, 2> F;
            for (int i = 0; i < 6; ++i) F(i) = uniform(random);
            FakeArguments arguments = film();
            arguments.set_table("grid").set("counts", {3, 2}).set("spacing", {0.5, 0.25});
            std::vector<double> start;
            for (int j = 0; j < 2; ++j)
                for (int i = 0; i < 3; ++i) {
                    const Eigen::Vector3d x = F * Eigen::Vector2d(0.5 * i, 0.25 * j);
                    start.insert(start.end(), x.data(), x.data() + 3);
                }
            FakeArguments folded = film();
            folded.set_matrix("nodes", 3, start)
                .set_matrix("triangles", 3, {0, 1, 4, 0, 4, 3, 1, 2, 4, 2, 5, 4});
            folded.set_table("rest")
                .set_table("grid")
                .set("counts", {3, 2})
                .set("spacing", {0.5, 0.25});
            const auto body = make(folded);
            const Eigen::Matrix2d E = 0.5 * (F.transpose() * F - Eigen::Matrix2d::Identity());
            const std::vector<double> pi = strains_at_start(*body);
            for (std::size_t t = 0; t < pi.size(); t += 3) {
                const double E11 = 0.5 * (pi[t] + pi[t + 1]), E22 = 0.5 * (pi[t] - pi[t + 1]);
                CHECK(std::abs(pi[t] - E.trace()) <= 1e-13);
                CHECK(std::abs(E11 * E22 - 0.25 * pi[t + 2] * pi[t + 2] - E.determinant()) <=
                      1e-13);
            }
            // Mass is that of the sheet at rest
            CHECK(std::abs(mass_of(*body) - 1400.0 * 1e-5 * 0.25) <= 1e-17);
        }
    }

    TEST_CASE("folded sheets are as long everywhere as they are flat") {
        std::mt19937 random(19);
        std::uniform_real_distribution<double> uniform(0.05, 1.0);
        for (int k = 0; k < 60; ++k) {
            const bool is_petals = k % 2 == 0;
            FakeArguments arguments = film();
            ancora::test::FakeArguments& fold = arguments.set_table("fold");
            const double side = 2.0 + uniform(random), hole = uniform(random);
            const int strips = 1 + k % 5;
            if (is_petals)
                fold.set("pattern", "petals")
                    .set("side", side)
                    .set("hole", hole)
                    .set("strips", strips);
            else
                fold.set("pattern", "miura")
                    .set("counts", {1.0 + k % 4, 1.0 + k % 3})
                    .set("sides", {uniform(random), uniform(random)})
                    .set("angle", 1.5 * uniform(random))
                    .set("tilt", 1.5 * uniform(random));
            fold.set("directions", {0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
            const auto body = make(arguments);
            for (const double e : strains_at_start(*body)) CHECK(std::abs(e) <= 1e-11);
            if (!is_petals) continue;
            const double area = side * side - hole * hole;
            CHECK(std::abs(mass_of(*body) / (1400.0 * 1e-5 * area) - 1.0) <= 1e-12);
            // All nodes lie on four half planes or before the hole, corners of the square at
            // R + (side - hole) / 2
            std::vector<double> q(body->coordinates().size()), v(q.size());
            body->start(q, v);
            const auto names = facets_of(*body).names;
            for (const char* corner : {"corner_0", "corner_1", "corner_2", "corner_3"}) {
                const auto i = 3 * static_cast<std::size_t>(names->group(corner)[0]);
                const double reach = std::sqrt(0.5) * hole + 0.5 * (side - hole);
                CHECK(std::abs(std::hypot(q[i + 1], q[i + 2]) - reach) <= 1e-14);
                CHECK(std::abs(std::abs(q[i + 1]) - std::abs(q[i + 2])) <= 1e-14);
            }
            CHECK(names->group("rim").size() == static_cast<std::size_t>(8 * (strips + 1)));
            CHECK(names->group("hole").size() == 8);
        }
    }

    TEST_CASE("what is no membrane is refused, and says why") {
        const auto says = [](const FakeArguments& arguments, const char* part) {
            const std::string text = refusal(arguments);
            CAPTURE(text);
            CHECK(text.find(part) != std::string::npos);
        };
        says(film(), "needs \"nodes\" and \"triangles\", or \"grid\", or \"mesh\"");
        says(square().set_matrix("triangles", 3, {0, 1, 4}), "the nodes are 0 to 3");
        says(square().set_matrix("triangles", 3, {0, 1, 2}), "node 3 is of no triangle");
        says(square().set_matrix("triangles", 3, {0, 1, 2, 0, 2, 3, 3, 2, 0}), "given twice");
        says(square().set_matrix("triangles", 3, {0, 1, 1, 0, 2, 3}), "has no area");
        says(square().set("density", 0.0), "needs a mass");
        FakeArguments thin = film();
        thin.set_table("grid").set("counts", {4, 1}).set("spacing", {0.5, 0.25});
        says(thin, "two nodes along each direction");
        FakeArguments both = square();
        both.set_table("grid").set("counts", {4, 2}).set("spacing", {0.5, 0.25});
        says(both, "keep one of them");
        FakeArguments other = square();
        other.set_table("rest").set_matrix("nodes", 3, {0, 0, 0, 1, 0, 0, 1, 1, 0});
        says(other, "the rest shape has 3 nodes, the start has 4");
        other.set_table("rest").set_table("grid").set("counts", {2, 2}).set("spacing", {1, 1});
        says(other, "face 0 joins nodes 0, 1, 3 at rest, and 0, 1, 2 at the start");
        other.set_table("rest").set_matrix("nodes", 3, {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0});
        says(other, "rest: triangle 0 of nodes 0, 1, 2 has no area at rest");
        FakeArguments fold = film();
        ancora::test::FakeArguments& keys = fold.set_table("fold");
        keys.set("pattern", "petals").set("side", 1.0).set("hole", 1.0);
        says(fold, "needs the key \"strips\"");
        keys.set("strips", 2);
        says(fold, "the hole must be smaller than the square");
        keys.set("hole", 0.2).set("tilt", 0.1);
        says(fold, "is no key of the pattern \"petals\"");
        FakeArguments pleats = film();
        pleats.set_table("fold")
            .set("pattern", "miura")
            .set("counts", {2, 2})
            .set("sides", {1.0, 1.0})
            .set("angle", 0.5 * std::numbers::pi)
            .set("tilt", 0.5 * std::numbers::pi);
        says(pleats, "cannot be tilted by a quarter turn");
    }
}
