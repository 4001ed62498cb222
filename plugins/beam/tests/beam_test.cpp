// SPDX-License-Identifier: BSD-3-Clause
// Tests of the body type `beam`: its law of bending, rows, mass, sections, curves and messages.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/sdk/body.hpp"
#include "ancora/sdk/testing/row_errors.hpp"
#include "bending_law.hpp"
#include "section.hpp"
#include "support/near.hpp"
#include "support/plugin_body.hpp"

namespace {

using ancora::Vec3;
using ancora::beam::BendingLaw;
using ancora::beam::Fibres;
using ancora::beam::Section;
using ancora::beam::SectionReader;
using ancora::beam::Stations;
using ancora::test::FakeArguments;
using ancora::testing::make;
using ancora::testing::Near;
using ancora::testing::refusal;
using ancora::testing::schema;
using ancora::testing::tolerance;

/// A material, without a place and a section.
FakeArguments material() {
    FakeArguments arguments = schema();
    arguments.set("young", 2e9).set("poisson", 0.3).set("density", 1500.0);
    return arguments;
}
FakeArguments straight() {
    FakeArguments arguments = material();
    arguments.set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 2.0, 2.0});
    arguments.set_table("section").set("shape", "rectangle").set("width", 0.2).set("height", 0.1);
    return arguments;
}
FakeArguments listed() {
    FakeArguments arguments = material();
    arguments.set_matrix("nodes", 3, {0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1});
    arguments.set_table("section").set("shape", "circle").set("radius", 0.05);
    return arguments;
}
Section section_of(const FakeArguments& arguments, double begin = 0.0, double end = 1.0) {
    return SectionReader(arguments, Stations(arguments)).between(begin, end);
}

/// All of a body's mass, along x, and about the origin.
struct Inertia final : ancora::MassSink {
    explicit Inertia(std::size_t n) : M(Eigen::MatrixXd::Zero(long(n), long(n))) {}
    void add(int i, int j, double value) override {
        M(i, j) += value;
        if (i != j) M(j, i) += value;
    }
    Eigen::MatrixXd M;
};
Inertia inertia_of(const ancora::Body& body) {
    Inertia out(body.coordinates().size());
    body.mass(out);
    return out;
}

}  // namespace

TEST_SUITE("beam") {
    TEST_CASE("angles of the law are those of the turn, and its derivatives are differences") {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        const auto axis = [&] {
            return Vec3(Vec3(uniform(random), uniform(random), uniform(random)).normalized());
        };
        // Within and across the ends of the series, of the arcsine and of its continuation
        for (const double most : {1e-3, 0.1, 0.6, 0.96, 1.5})
            for (const double most_0 : {0.0, 1e-3, 0.1, 0.6})
                for (int n = 0; n < 20; ++n) {
                    const Vec3 e = axis(), e_0 = axis();
                    const double x = most * (0.5 + 0.5 * uniform(random));
                    const double x_0 = most_0 * (0.5 + 0.5 * uniform(random));
                    const Vec3 k_0 = x_0 * e_0, pi = x * e - k_0;
                    if (x < BendingLaw::kMostSine)
                        CHECK(
                            (BendingLaw::angles(k_0, pi) - std::asin(x) * e + std::asin(x_0) * e_0)
                                .norm() <= tolerance(1e-14));
                    const BendingLaw law({{Vec3(3.0, 2.0, 1.0), k_0}});
                    Vec3 stress;
                    Eigen::Matrix3d stiffness;
                    law.potential(0, {pi.data(), 3}, {stress.data(), 3}, {stiffness.data(), 9});
                    constexpr double kStep = 1e-5;
                    for (int i = 0; i < 3; ++i) {
                        const Vec3 more = pi + kStep * Vec3::Unit(i),
                                   less = pi - kStep * Vec3::Unit(i);
                        if (((k_0 + more).norm() - BendingLaw::kMostSine) *
                                ((k_0 + less).norm() - BendingLaw::kMostSine) <
                            0.0)
                            continue;
                        Vec3 up, down;
                        const double difference =
                            law.potential(0, {more.data(), 3}, {up.data(), 3}, {}) -
                            law.potential(0, {less.data(), 3}, {down.data(), 3}, {});
                        CHECK(stress(i) == ancora::testing::Near(difference / (2.0 * kStep), 2e-6));
                        CHECK((stiffness.col(i) - (up - down) / (2.0 * kStep)).norm() <=
                              tolerance(2e-5));
                    }
                }
    }

    // theta - theta_0 = J pi + ..., to roundings of pi and not of theta
    TEST_CASE("small angles from a curved start lose no digits") {
        std::mt19937 random(4);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        for (const double x_0 : {0.01, 0.3, 0.8})
            for (int n = 0; n < 50; ++n) {
                const Vec3 k_0 =
                    x_0 * Vec3(uniform(random), uniform(random), uniform(random)).normalized();
                // Of second order in pi, as differences at 1e-4 and 1e-8 tell
                const Vec3 pi(uniform(random), uniform(random), uniform(random));
                const auto second = [&](double size) {
                    const Vec3 plus = BendingLaw::angles(k_0, size * pi),
                               minus = BendingLaw::angles(k_0, -size * pi);
                    return Vec3((plus + minus) / (size * size));
                };
                CHECK((second(1e-4) - second(1e-8)).norm() <= tolerance(1e-4));
            }
    }

    TEST_CASE("rows, rates and tangents are those of the differences") {
        FakeArguments curved = material();
        curved.set("from", {1.0, 0.0, 0.0}).set("elements", 3).set("twist", 0.7);
        curved.set_table("arc")
            .set("center", {0.0, 0.0, 0.0})
            .set("axis", {0.0, 0.3, 1.0})
            .set("angle", 1.5);
        curved.set_table("section").set("shape", "circle").set("radius", 0.05);
        FakeArguments sharp = listed();
        sharp.set("corners", "sharp");
        for (const FakeArguments& arguments : {straight(), curved, sharp}) {
            const auto body = make(arguments);
            const std::size_t n = body->coordinates().size();
            std::vector<double> q(n), v(n);
            body->start(q, v);
            std::mt19937 random(5);
            std::uniform_real_distribution<double> uniform(-0.3, 0.3);
            for (double& x : q) x += uniform(random);
            for (double& x : v) x = uniform(random);
            for (int block = 0; block < 3; ++block) {
                CAPTURE(block);
                const auto errors = ancora::test::row_errors(*body, block, q, v);
                CHECK(errors.jacobian <= tolerance(1e-8));
                CHECK(errors.bias <= tolerance(1e-7));
                CHECK(errors.discrete <= tolerance(1e-13));
                CHECK(errors.tangent <= tolerance(1e-8));
            }
        }
    }

    TEST_CASE("a beam starts without strain, with orthonormal axes, 3 along it") {
        FakeArguments twisted = straight();
        twisted.set("twist", 2.0).set("up", {0.0, 1.0, 0.0});
        FakeArguments sharp = listed();
        sharp.set("corners", "sharp");
        for (const FakeArguments& arguments : {straight(), twisted, sharp}) {
            const auto body = make(arguments);
            const std::size_t n = body->coordinates().size();
            std::vector<double> q(n), v(n);
            body->start(q, v);
            for (int block = 0; block < 2; ++block) {
                const ancora::RowBlock& rows = body->row_blocks()[std::size_t(block)];
                std::vector<double> pi(std::size_t(rows.num_items * rows.rows_per_item));
                body->evaluate(block, {q, v}, {pi, {}, {}, {}});
                for (const double x : pi) CHECK(std::abs(x) <= tolerance(1e-15));
            }
        }
        const auto body = make(twisted);
        std::vector<double> q(body->coordinates().size()), v(q.size());
        body->start(q, v);
        const Vec3 along(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0);
        const Vec3 d2(q[6], q[7], q[8]), last(q[q.size() - 6], q[q.size() - 5], q[q.size() - 4]);
        CHECK(Vec3(q[9], q[10], q[11]).dot(along) == ancora::testing::Near(1.0, 1e-15));
        CHECK(d2.dot(Vec3::UnitY()) > 0.0);
        CHECK(std::atan2(d2.cross(last).dot(along), d2.dot(last)) ==
              ancora::testing::Near(2.0, 1e-14));
    }

    // m L along and across, and about the start rho A L^3 / 3 + rho I L across, rho (I_1 + I_2) L
    // about the axis: linear shapes give the first exactly.
    TEST_CASE("mass and moments of inertia of a straight beam are those of the solid") {
        FakeArguments arguments = straight();
        arguments.set("elements", 7).set_matrix("node_masses", 2, {7, 0.5});
        const auto body = make(arguments);
        const std::size_t n = body->coordinates().size();
        const Inertia inertia = inertia_of(*body);
        std::vector<double> q(n), v(n);
        body->start(q, v);
        constexpr double kLength = 3.0, kArea = 0.02, kDensity = 1500.0;
        Eigen::VectorXd along = Eigen::VectorXd::Zero(long(n));
        for (std::size_t i = 0; i < n; ++i)
            if (body->coordinates()[i].translates && body->coordinates()[i].axis == 0)
                along(long(i)) = 1.0;
        CHECK(along.dot(inertia.M * along) ==
              ancora::testing::Near(kDensity * kArea * kLength + 0.5, 1e-12));
        const auto about = [&](const Vec3& w) {
            Eigen::VectorXd rate(n);
            for (std::size_t i = 0; i < n; i += 3)
                rate.segment<3>(long(i)) = w.cross(Vec3(q[i], q[i + 1], q[i + 2]));
            return rate.dot(inertia.M * rate);
        };
        const Vec3 e(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0), d1(q[3], q[4], q[5]);
        const double I1 = 0.2 * std::pow(0.1, 3) / 12.0, I2 = 0.1 * std::pow(0.2, 3) / 12.0;
        CHECK(about(e) == ancora::testing::Near(kDensity * kLength * (I1 + I2), 1e-12));
        CHECK(
            about(d1) ==
            ancora::testing::Near(
                kDensity * (kArea * std::pow(kLength, 3) / 3.0 + kLength * I1) + 0.5 * 9.0, 1e-10));
        // Nothing moves with d_3
        for (std::size_t i = 9; i < n; i += 12) CHECK(inertia.M(long(i), long(i)) == 0.0);
    }

    // The axes of elements in line differ by rounding; d_3 of the nodes between them is to have no
    // mass and not 1e-34 of it, wherever the legs of a frame point.
    TEST_CASE("nodes in line have no mass along, in legs of any direction") {
        std::mt19937 random(8);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        constexpr int kLegs = 20, kEach = 7;
        std::vector<double> nodes;
        Vec3 corner(uniform(random), uniform(random), uniform(random));
        for (int leg = 0; leg < kLegs; ++leg) {
            const Vec3 to = corner + Vec3(uniform(random), uniform(random), uniform(random));
            for (int i = 0; i < kEach; ++i) {
                const Vec3 x = corner + (to - corner) * i / kEach;
                nodes.insert(nodes.end(), x.data(), x.data() + 3);
            }
            corner = to;
        }
        FakeArguments arguments = material();
        arguments.set_matrix("nodes", 3, nodes).set("corners", "sharp");
        arguments.set_table("section").set("shape", "circle").set("radius", 0.05);
        const auto body = make(arguments);
        const Inertia inertia = inertia_of(*body);
        for (int node = 0; node < kLegs * kEach; ++node) {
            CAPTURE(node);
            const double along = inertia.M(12 * node + 9, 12 * node + 9);
            // The last leg ends one element early.
            if (node % kEach != 0 || node == 0) CHECK(along == 0.0);
            // Real corners turn by far more than that.
            if (node % kEach == 0 && node > 0)
                CHECK(along > 1e-3 * inertia.M(12 * node + 3, 12 * node + 3));
        }
    }

    // The cubic is exact for a rigid rod: m L, m L^3 / 3 about an end, and nothing about its axis
    TEST_CASE("mass and moments of inertia of a straight cable are those of a rod") {
        const ancora::TypeDescriptor& type = ancora_plugin_descriptor.types[1];
        FakeArguments arguments(type);
        arguments.set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 2.0, 2.0}).set("elements", 4);
        arguments.set("EA", 1e4).set("EI", 3.0).set("mass", 0.5).set("length", 2.9);
        const std::unique_ptr<ancora::Body> body(
            static_cast<ancora::Body*>(type.create(arguments)));
        const std::size_t n = body->coordinates().size();
        const Inertia inertia = inertia_of(*body);
        std::vector<double> q(n), v(n);
        body->start(q, v);
        Eigen::VectorXd along = Eigen::VectorXd::Zero(long(n));
        for (std::size_t i = 0; i < n; i += 6) along(long(i)) = 1.0;
        CHECK(along.dot(inertia.M * along) == ancora::testing::Near(0.5 * 2.9, 1e-14));
        const auto about = [&](const Vec3& w) {
            Eigen::VectorXd rate(n);
            for (std::size_t i = 0; i < n; i += 3)
                rate.segment<3>(long(i)) = w.cross(Vec3(q[i], q[i + 1], q[i + 2]));
            return rate.dot(inertia.M * rate);
        };
        CHECK(about(Vec3(2.0, -1.0, 0.0).normalized()) ==
              ancora::testing::Near(0.5 * 2.9 * 9.0 / 3.0, 1e-13));
        CHECK(std::abs(about(Vec3(1.0, 2.0, 2.0))) <= tolerance(1e-14));
        for (int block = 0; block < 2; ++block) {
            std::mt19937 random(6);
            std::uniform_real_distribution<double> uniform(-0.3, 0.3);
            std::vector<double> x = q, dx(n);
            for (double& value : x) value += uniform(random);
            for (double& value : dx) value = uniform(random);
            const auto errors = ancora::test::row_errors(*body, block, x, dx);
            CHECK(errors.jacobian <= tolerance(1e-8));
            CHECK(errors.bias <= tolerance(1e-7));
            CHECK(errors.discrete <= tolerance(1e-12));
            CHECK(errors.tangent <= tolerance(1e-8));
        }
    }

    TEST_CASE("shapes have the numbers of handbooks") {
        // Torsion of a square and of a 2:1 and a 10:1 rectangle (Timoshenko and Goodier, table 7)
        for (const auto& [ratio, k] : {std::pair{1.0, 0.1406}, {2.0, 0.229}, {10.0, 0.312}}) {
            FakeArguments arguments = material();
            arguments.set_table("section")
                .set("shape", "rectangle")
                .set("width", ratio)
                .set("height", 1.0);
            const double G = 2e9 / 2.6;
            CHECK(section_of(arguments).EI[2] / (G * ratio) == ancora::testing::Near(k, 6e-4));
        }
        FakeArguments tube = material();
        tube.set_table("section").set("shape", "tube").set("radius", 0.1).set("thickness", 0.02);
        const double second = std::numbers::pi / 4.0 * (1e-4 - std::pow(0.08, 4));
        CHECK(section_of(tube).EI[0] == ancora::testing::Near(2e9 * second, 1e-6));
        CHECK(section_of(tube).EI[2] == ancora::testing::Near(2e9 / 2.6 * 2.0 * second, 1e-6));
        // The more of a tube is wall, the nearer it is to a circle
        FakeArguments full = material(), circle = material();
        full.set_table("section").set("shape", "tube").set("radius", 0.1).set("thickness", 0.1);
        circle.set_table("section").set("shape", "circle").set("radius", 0.1);
        CHECK(section_of(full).GA == section_of(circle).GA);
        // IPE 300 without its fillets: A 51.7 cm^2, I 7999 and 603 cm^4
        FakeArguments I = material();
        I.set_table("section")
            .set("shape", "I")
            .set("width", 0.15)
            .set("height", 0.3)
            .set("flange", 0.0107)
            .set("web", 0.0071);
        const Section ipe = section_of(I);
        CHECK(ipe.EA / 2e9 == ancora::testing::Near(51.88e-4, 0.01e-4));
        CHECK(ipe.EI[0] / 2e9 == ancora::testing::Near(7999e-8, 10e-8));
        CHECK(ipe.EI[1] / 2e9 == ancora::testing::Near(602.7e-8, 1e-8));
        // Tapered: in the middle the width is the mean
        FakeArguments taper = straight();
        taper.set_table("end_section")
            .set("shape", "rectangle")
            .set("width", 0.1)
            .set("height", 0.1);
        CHECK(section_of(taper, 0.4, 0.6).EA == ancora::testing::Near(2e9 * 0.15 * 0.1, 1e-6));
        // Between stations: mean numbers; what they leave open is that of the section
        FakeArguments varied = straight();
        varied.set_table("stations")
            .set("at", {0.0, 0.5, 0.5, 1.0})
            .set("width", {0.2, 0.4, 0.1, 0.3});
        CHECK(section_of(varied).EA == Near(2e9 * 0.25 * 0.1, 1e-6));
        CHECK(section_of(varied, 0.25, 0.5).EA == Near(2e9 * 0.35 * 0.1, 1e-6));
        CHECK(section_of(varied, 0.4, 0.7).EA ==
              Near(2e9 * (0.1 * 0.38 + 0.2 * 0.14) / 0.3 * 0.1, 1e-6));
        FakeArguments rigid = straight();
        rigid.set_texts("rigid", {"shear", "axial"});
        CHECK(std::isinf(section_of(rigid).EA));
        CHECK(std::isinf(section_of(rigid).GA[1]));
    }

    // tau = T / (c a b^2) in the middle of the long sides, and f times that in those of the short
    // ones: W. C. Young, R. G. Budynas, Roark's Formulas; S. P. Timoshenko, J. N. Goodier, section
    // 109
    TEST_CASE("shear stress of a twisted rectangle, bending of corners and of circles") {
        struct Row {
            double ratio, c, f;
        };
        for (const Row& row : {Row{1.0, 0.208, 1.0},
                               Row{1.5, 0.231, 0.858},
                               Row{2.0, 0.246, 0.796},
                               Row{3.0, 0.267, 0.753},
                               Row{4.0, 0.282, 0.745},
                               Row{10.0, 0.312, 0.743}})
            for (const bool is_high : {false, true}) {
                CAPTURE(row.ratio);
                const double b = 0.03, a = row.ratio * b;
                FakeArguments arguments = schema();
                arguments.set("young", 1e9).set("poisson", 0.3).set("density", 1000.0);
                arguments.set_table("section")
                    .set("shape", "rectangle")
                    .set("width", is_high ? b : a)
                    .set("height", is_high ? a : b);
                const Fibres fibres = section_of(arguments).fibres;
                const double tau = 1.0 / (row.c * a * b * b);
                // The long sides lie at the edge of the short axis
                const std::size_t at_long = is_high ? 0 : 1;
                CHECK(fibres.torsion[at_long] == Near(tau, 3e-3 * tau));
                CHECK(fibres.torsion[1 - at_long] == Near(row.f * tau, 3e-3 * tau));
                CHECK(fibres.von_mises(0.0, 0.0, 0.0, 2.0) ==
                      Near(2.0 * std::sqrt(3.0) * tau, 8e-3 * tau));
                // M c / I about both axes meet in a corner
                const double w = is_high ? b : a, h = is_high ? a : b;
                const double corner = 6.0 * 3.0 / (w * h * h) + 6.0 * 4.0 / (h * w * w);
                CHECK(fibres.bending(3.0, -4.0) == Near(corner, 1e-12 * corner));
                CHECK(fibres.von_mises(-5.0, 3.0, -4.0, 0.0) ==
                      Near(corner + 5.0 / (w * h), 1e-12 * corner));
            }
        FakeArguments arguments = schema();
        arguments.set("young", 1e9).set("poisson", 0.3).set("density", 1000.0);
        arguments.set_table("section").set("shape", "circle").set("radius", 0.02);
        const Fibres round = section_of(arguments).fibres;
        const double W = std::numbers::pi * std::pow(0.02, 3) / 4.0;
        CHECK(round.bending(3.0, -4.0) == Near(5.0 / W, 1e-12 / W));
        CHECK(round.von_mises(0.0, 0.0, 0.0, 2.0) == Near(std::sqrt(3.0) / W, 1e-12 / W));
    }

    TEST_CASE("what is no beam is refused, and says why") {
        const auto says = [](const FakeArguments& arguments, const char* part) {
            const std::string text = refusal(arguments);
            CAPTURE(text);
            CHECK(text.find(part) != std::string::npos);
        };
        FakeArguments nowhere = material();
        nowhere.set_table("section").set("shape", "circle").set("radius", 0.05);
        says(nowhere, "where does the beam lie?");
        says(straight().set("to", {0.0, 0.0, 0.0}), "a beam has a length");
        says(straight().set("elements", 0), "one element or more");
        says(straight().set("up", {1.0, 2.0, 2.0}), "along the beam");
        says(straight().set_matrix("nodes", 3, {0, 0, 0, 1, 0, 0}), "keep one of them");
        says(listed().set_matrix("nodes", 3, {0, 0, 0}), "two nodes or more; these are 1");
        says(listed().set_matrix("nodes", 3, {0, 0, 0, 1, 0, 0, 1, 0, 0}),
             "nodes 1 and 2 lie at one place");
        says(listed().set_matrix("nodes", 3, {0, 0, 0, 1, 0, 0, 0.5, 0.1, 0}),
             "turns by 169 degrees at node 1");
        says(listed().set_matrix("elements", 2, {0, 1, 1, 4, 2, 3}), "the nodes are 0 to 3");
        says(listed().set_matrix("elements", 2, {0, 1, 1, 2}), "node 3 belongs to no element");
        says(listed().set_matrix("elements", 2, {0, 1, 1, 1, 2, 3}),
             "element 1 joins node 1 to itself");
        says(listed().set_matrix("elements", 2, {0, 1, 1, 2, 2, 3, 1, 0}),
             "element 3 joins the same nodes as element 0: 1 and 0");
        says(listed().set("corners", "sharp").set("twist", 0.1), "sharp corners");
        says(straight().set_texts("rigid", {"bending"}), "take a rigid body");
        FakeArguments thick = material();
        thick.set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 0.0, 0.0});
        thick.set_table("section").set("shape", "tube").set("radius", 0.1).set("thickness", 0.2);
        says(thick, "more than the radius, 0.1 m");
        FakeArguments bare = schema();
        bare.set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 0.0, 0.0});
        bare.set_table("section").set("shape", "circle").set("radius", 0.1);
        says(bare, "the axial stiffness needs it");
        FakeArguments numbers = material();
        numbers.set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 0.0, 0.0});
        numbers.set_table("section").set("area", 0.1);
        says(numbers, "the stiffness against shear needs it; give it, a \"shape\", or \"GA\"");
        says(straight().set("shear_modulus", 1e9), "keep one of them");
        const auto with_stations = [](FakeArguments arguments,
                                      const std::vector<double>& at,
                                      const std::vector<double>& mass) {
            arguments.set_table("stations").set("at", at).set("mass", mass);
            return arguments;
        };
        says(with_stations(straight(), {0.0, 0.5}, {1.0, 2.0}), "up to 1, the last one");
        says(with_stations(straight(), {0.0, 0.6, 0.5, 1.0}, {1.0, 2.0, 3.0, 4.0}), "goes from 0");
        says(with_stations(straight(), {0.0, 1.0}, {1.0, 2.0, 3.0}),
             "has 3 numbers, for the 2 stations");
        says(with_stations(
                 listed().set_matrix("elements", 2, {0, 1, 1, 2, 2, 3}), {0.0, 1.0}, {1.0, 2.0}),
             "a list of elements");
        FakeArguments twice = straight().set("twist", 0.1);
        twice.set_table("stations").set("at", {0.0, 1.0}).set("twist", {0.0, 0.1});
        says(twice, "is given by \"stations\", too");
        FakeArguments none = material();
        none.set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 0.0, 0.0});
        says(none, "what does the beam's cross-section look like?");
        says(with_stations(none, {0.0, 1.0}, {1.0, 2.0}), "\"area\" is missing");
    }
}
