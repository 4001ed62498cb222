// SPDX-License-Identifier: BSD-3-Clause
// The point mass: its coordinates, mass, attachments and messages.
#include "particle.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "support/plugin_body.hpp"

namespace {

using ancora::Body;
using ancora::Locator;
using ancora::Mat3;
using ancora::Vec3;
using ancora::test::FakeArguments;
using ancora::testing::make;
using ancora::testing::refusal;
using ancora::testing::schema;
using Matrix = Eigen::MatrixXd;
using Numbers = std::vector<double>;

FakeArguments point_mass(const char* coordinates = "xyz") {
    FakeArguments arguments = schema();
    arguments.set("mass", 2.0).set("position", {1.0, -2.0, 3.0});
    arguments.set("coordinates", coordinates);
    return arguments;
}

struct State {
    Numbers q, v;
};
State start(const Body& body) {
    State state{Numbers(body.coordinates().size()), Numbers(body.coordinates().size())};
    body.start(state.q, state.v);
    return state;
}

struct DenseMass final : ancora::MassSink {
    explicit DenseMass(const Body& body) {
        const auto n = static_cast<Eigen::Index>(body.coordinates().size());
        M = Matrix::Zero(n, n);
        body.mass(*this);
    }
    Matrix M;
    int num_entries = 0;
    void add(int i, int j, double value) override {
        CHECK(i >= j);
        M(i, j) += value;
        if (i != j) M(j, i) += value;
        ++num_entries;
    }
};

struct DenseAttachment final : ancora::AttachmentSink {
    Matrix W = Matrix::Zero(3, 3);
    Vec3 c = Vec3::Zero();
    void weight(int component, int coordinate, double weight) override {
        W(component, coordinate) += weight;
    }
    void constant(int component, double value) override { c(component) = value; }
    void nonlinear(int, std::span<const std::int32_t>) override { FAIL("nonlinear"); }
};

constexpr double kAnisotropic[] = {2.0, 0.5, 0.0, 0.5, 3.0, -1.0, 0.0, -1.0, 4.0};

}  // namespace

TEST_SUITE("particle") {
    TEST_CASE("a point mass has three translating coordinates and the mass m I") {
        const auto body = make(point_mass().set("velocity", {0.5, 0.25, -1.0}));
        CHECK(body->coordinates().size() == 3);
        for (int k = 0; k < 3; ++k) {
            const auto& c = body->coordinates()[k];
            CHECK(c.vector == 0);
            CHECK(c.axis == k);
            CHECK(c.translates);
            CHECK(c.reach == 1.0);
        }
        CHECK(start(*body).q == Numbers{1.0, -2.0, 3.0});
        CHECK(start(*body).v == Numbers{0.5, 0.25, -1.0});
        const DenseMass mass(*body);
        CHECK(mass.M == 2.0 * Mat3::Identity());
        CHECK(mass.num_entries == 3);
        CHECK(body->mass_kind() == ancora::MassKind::constant);
        CHECK(body->row_blocks().empty());
        CHECK(body->pose_kind() == ancora::PoseKind::position);
    }

    // At q = r - c the point is at r; the dropped components are those of the start for every q.
    TEST_CASE("dropped coordinates are constants of the point and of the pose") {
        const Vec3 position(1.0, -2.0, 3.0);
        for (const char* kept : {"x", "y", "z", "xy", "zx", "yz", "zyx"}) {
            CAPTURE(kept);
            const std::string letters(kept);
            const auto body = make(point_mass(kept));
            REQUIRE(body->coordinates().size() == letters.size());

            DenseAttachment at;
            body->attach({}, at);
            const std::size_t n = letters.size();
            const Numbers q{0.25, 0.5, 0.75}, v{4.0, 5.0, 6.0};
            ancora::Pose pose;
            body->pose(std::span(q).first(n), std::span(v).first(n), pose);
            const Vec3 r = at.c + at.W * Vec3(0.25, 0.5, 0.75);
            CHECK(r == Vec3(ancora::vec3(pose.position)));
            CHECK(Vec3(at.W * Vec3(4.0, 5.0, 6.0)) == Vec3(ancora::vec3(pose.velocity)));

            int i = 0;
            for (int k = 0; k < 3; ++k) {
                const bool is_kept = letters.find("xyz"[k]) != std::string::npos;
                CHECK(r(k) == (is_kept ? q[i] : position(k)));
                if (!is_kept) continue;
                CHECK(start(*body).q[i] == position(k));
                CHECK(body->coordinates()[i++].axis == k);
            }
        }
    }

    TEST_CASE("an anisotropic mass is taken along the kept coordinates") {
        const Numbers entries(std::begin(kAnisotropic), std::end(kAnisotropic));
        const Matrix full = Eigen::Map<const Mat3>(kAnisotropic);
        CHECK(DenseMass(*make(point_mass().set_matrix("mass", 3, entries))).M == full);

        const DenseMass xz(*make(point_mass("zx").set_matrix("mass", 3, entries)));
        CHECK(xz.M == Matrix(Eigen::Vector2d(2.0, 4.0).asDiagonal()));
        const DenseMass yz(*make(point_mass("yz").set_matrix("mass", 3, entries)));
        CHECK(yz.M == full.bottomRightCorner(2, 2));

        // What concerns dropped coordinates alone is not looked at
        Numbers odd = entries;
        odd[2] = 99.0;
        odd[8] = -1.0;
        CHECK(DenseMass(*make(point_mass("xy").set_matrix("mass", 3, odd))).M ==
              full.topLeftCorner(2, 2));
    }

    TEST_CASE("a mass that is singular along one direction is accepted") {
        // Null vector (1, 1, 0) / sqrt(2), in numbers that leave rounding in the eigenvalue
        const Numbers plane = {0.1, -0.1, 0.0, -0.1, 0.1, 0.0, 0.0, 0.0, 0.7};
        CHECK((DenseMass(*make(point_mass().set_matrix("mass", 3, plane))).M * Vec3(1.0, 1.0, 0.0))
                  .isZero(0.0));
        const Numbers axis = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
        const DenseMass mass(*make(point_mass().set_matrix("mass", 3, axis)));
        CHECK(mass.M(1, 1) == 0.0);
        CHECK(mass.num_entries == 3);
    }

    TEST_CASE("its only point is itself, as [0, 0, 0] or as node 0") {
        using Kind = Locator::Kind;
        const auto body = make(point_mass());
        const auto attach = [&](const Locator& where) {
            DenseAttachment sink;
            body->attach(where, sink);
            CHECK(sink.W == Mat3::Identity());
            CHECK(sink.c == Vec3::Zero());
        };
        attach({Kind::coordinates, false, {}, 0, ""});
        attach({Kind::index, false, {}, 0, ""});
        CHECK_THROWS_WITH_AS(attach({Kind::coordinates, false, {0.0, 0.1, 0.0}, 0, ""}),
                             "a particle is a single point; write @[0, 0, 0] or @0",
                             std::invalid_argument);
        CHECK_THROWS_WITH_AS(attach({Kind::index, false, {}, 1, ""}),
                             "a particle is a single point; write @[0, 0, 0] or @0",
                             std::invalid_argument);
        CHECK_THROWS_WITH_AS(attach({Kind::name, false, {}, 0, "tip"}),
                             "a particle has no named points; write @[0, 0, 0] or @0",
                             std::invalid_argument);
        CHECK_THROWS_WITH_AS(attach({Kind::coordinates, true, {1.0, 0.0, 0.0}, 0, ""}),
                             "a particle has no axes, so no direction is fixed in it; write the "
                             "direction as ground@[x, y, z]",
                             std::invalid_argument);
    }

    TEST_CASE("what is no particle is refused with the reason") {
        const auto matrix = [](Numbers entries) {
            return refusal(point_mass().set_matrix("mass", 3, std::move(entries)));
        };
        CHECK(refusal(point_mass().set("mass", -2.0)) == "mass: the mass is -2 and must be > 0");
        CHECK(refusal(point_mass().set("mass", 0.0)) == "mass: the mass is 0 and must be > 0");
        CHECK(matrix({1, 0, 0, 0, 1, 0.5, 0, 0.25, 1}) ==
              "mass: the matrix is not symmetric: entry (2, 3) is 0.5 and entry (3, 2) is 0.25");
        CHECK(matrix({1, 2, 0, 2, 1, 0, 0, 0, 1}) ==
              "mass: the matrix has the negative eigenvalue -1, so some velocity would have "
              "negative kinetic energy");
        CHECK(matrix({0, 0, 0, 0, 0, 0, 0, 0, 0}) ==
              "mass: the mass is zero along every coordinate");
        CHECK(refusal(point_mass("")) ==
              "coordinates: no coordinate is named; write some letters of \"xyz\"");
        CHECK(refusal(point_mass("xw")) ==
              "coordinates: \"w\" is no coordinate; write some letters of \"xyz\"");
        CHECK(refusal(point_mass("xyx")) == "coordinates: coordinate \"x\" is named twice");
        CHECK(refusal(point_mass("xy").set("velocity", {1.0, 0.0, 0.5})) ==
              "velocity: the particle moves along xy only, but its z component is 0.5; make it 0, "
              "or add z to \"coordinates\"");
        CHECK(refusal(point_mass("xy").set("velocity", {1.0, 0.5, 0.0})) == "");
    }
}
