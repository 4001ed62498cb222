// SPDX-License-Identifier: BSD-3-Clause
// Contacts of points of nets and films with shapes of bodies.
#include <array>
#include <cmath>
#include <random>
#include <string>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

std::string contact(const std::string& name, const std::string& keys) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"contact\"\n{}\n", name, keys);
}

/// A free solid in any attitude, at the origin.
std::string solid(const std::string& shape, std::mt19937& random) {
    std::normal_distribution<double> normal;
    const Eigen::Quaterniond q =
        Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
            .normalized();
    const Vec3 spin(normal(random), normal(random), normal(random));
    return fmt::format(
        "\n[[body]]\nname = \"hub\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
        "inertia = [0.01, 0.012, 0.009]\npenalty = inf\nangular_velocity = {}\n"
        "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\nshape = {{ {} }}\n",
        triple(spin),
        q.w(),
        q.x(),
        q.y(),
        q.z(),
        shape);
}

/// A film of 4 by 4 nodes that is thrown on it.
std::string film(const std::string& type) {
    return fmt::format(
               "\n[[body]]\nname = \"sail\"\ntype = \"{}\"\n"
               "grid = {{ counts = [4, 4], spacing = [0.1, 0.1], origin = [-0.14, -0.16, 0.2] }}\n"
               "velocity = [0.1, 0.2, -2.0]\n",
               type) +
           (type == "membrane" ? "young = 1e6\npoisson = 0.3\nthickness = 1e-4\ndensity = 1000\n"
                                 "damping = 100\n"
            : type == "truss"  ? "young = 2e5\narea = 1e-4\ndensity = 700\n"
                               : "young = 1e7\npoisson = 0.3\nthickness = 2e-3\ndensity = 1000\n");
}

TEST_CASE("a film against a body is the contacts of all its nodes, with every balance") {
    const std::string shapes[] = {
        "sphere = 0.12",
        "box = [0.2, 0.15, 0.2]",
        "cylinder = { radius = 0.1, from = [0, 0, -0.1], to = [0, 0, 0.1] "
        "}",
        "capsule = { radius = 0.08, from = [0, -0.1, 0], to = [0, 0.1, 0] "
        "}"};
    const std::string types[] = {"membrane", "truss", "shell"};
    int num_impacts = 0;
    for (unsigned seed = 0; seed < 4; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const std::string& shape = shapes[seed % 4];
        const double radius = seed % 2 == 0 ? 0.0 : 0.01;
        const std::string law = fmt::format("restitution = {}\n", 0.25 * (seed % 3));
        const std::string start = weight(Vec3::Zero()) + solid(shape, random) +
                                  film(types[seed % 3]) + integrator("emm", 0.002, 0.06);
        const auto run = [&](const std::string& contacts) {
            Simulation simulation = model(start + contacts);
            run_to_end(simulation);
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.energy.max_rel <= rounding_bound(120.0));
            CHECK(statistics.momentum.max_rel <= rounding_bound(120.0));
            CHECK(statistics.angular_momentum.max_rel <= rounding_bound(120.0));
            CHECK(statistics.impacts.least_gap >= -tolerance(1e-12));
            num_impacts += static_cast<int>(statistics.impacts.count);
            return Vec3(column(simulation, "hub.x"),
                        column(simulation, "hub.y"),
                        column(simulation, "hub.z"));
        };
        std::string each;
        for (int k = 0; k < 16; ++k)
            each += contact(
                fmt::format("c{}", k),
                fmt::format("a = \"sail@{}\"\nb = \"hub\"\nradius = {}\n", k, radius) + law);
        const std::string radius_key =
            radius > 0.0 ? fmt::format("radius = {}\n", radius) : std::string();
        const Vec3 one = run(contact("all", "bodies = [\"sail\", \"hub\"]\n" + radius_key + law));
        const Vec3 many = run(each);
        CHECK((one - many).norm() <= tolerance(1e-9));
        if (seed > 1) continue;
        const Vec3 rough = run(
            contact("all", "bodies = [\"sail\", \"hub\"]\nfriction = 0.3\n" + radius_key + law));
        CHECK((one - rough).norm() > 1e-9);
        CHECK(one.norm() > 1e-5);
    }
    CHECK(num_impacts > 50);
}

TEST_CASE("points that are tied to a body do not meet it, and check says so") {
    std::mt19937 random(3);
    const auto notes = [](const std::string& text) {
        std::string out;
        for (const BodyNote& note : model(text).analyse().notes)
            if (note.body == "all") out += note.text;
        return out;
    };
    const std::string start = "[model]\nproject_start = true\n" + solid("sphere = 0.1", random) +
                              film("membrane") + integrator("emm", 0.01, 1.0);
    const auto tie = [](const std::string& point, const std::string& more) {
        return fmt::format(
            "\n[[constraint]]\nname = \"tie\"\ntype = \"distance\"\na = \"sail@{}\"\n"
            "b = \"hub@[0, 0, 0.1]\"\n{}",
            point,
            more);
    };
    const auto all = [](const std::string& bodies) {
        return contact("all", "bodies = " + bodies + "\nwith = \"hub\"");
    };
    CHECK(notes(start + all("\"sail\"")) ==
          "16 pairs of 1 shape and 16 points of 2 bodies may meet");
    CHECK(notes(start + all("\"sail@rim\"")) ==
          "12 pairs of 1 shape and 12 points of 2 bodies may meet");
    CHECK(notes(start + all("[\"sail@corner_1\", \"sail@3\", \"sail@5\"]")) ==
          "2 pairs of 1 shape and 2 points of 2 bodies may meet");
    const std::string without =
        "15 pairs of 1 shape and 16 points of 2 bodies may meet; 1 left out, since constraints "
        "join them: \"tie\"";
    CHECK(notes(start + all("\"sail@*\"") + tie("3", "")) == without);
    CHECK(notes(start + all("\"sail@*\"") + tie("corner_1", "")) == without);
    // It opens, and may meet the body from then on.
    CHECK(notes(start + all("\"sail@*\"") + tie("3", "release = 0.5")) ==
          "16 pairs of 1 shape and 16 points of 2 bodies may meet");
    CHECK(notes(start + all("\"sail@*\"") +
                contact("own", "a = \"sail@3\"\nb = \"hub\"\nrestitution = 1.0")) ==
          "15 pairs of 1 shape and 16 points of 2 bodies may meet; 1 left to more particular "
          "contacts: \"own\"");
}

/// A net falls on a fixed plane and a fixed box: every node comes to rest where it must.
TEST_CASE("a net lies on planes and on shapes of the ground") {
    std::mt19937 random(1);
    Simulation simulation =
        model(weight({0.0, 0.0, -kGravity}) + film("truss") +
                  "\n[[shape]]\nbox = [0.3, 2, 0.2]\nposition = [0.2, 0, 0]\n" +
                  contact("all", "bodies = [\"sail\", \"ground\"]\nplanes = [[0, 0, 1, 0]]\n") +
                  integrator("emm", 0.005, 0.4),
              {"body.sail.velocity=[0.0, 0.0, 0.0]"});
    run_to_end(simulation);
    CHECK(simulation.statistics().energy.max_rel <= rounding_bound(80.0));
    for (int k = 0; k < 16; ++k) {
        CAPTURE(k);
        const std::array<double, 3> x = simulation.point(fmt::format("sail@{}", k)).position;
        CHECK(x[2] >= -tolerance(1e-12));
        if (x[0] > 0.051 && x[0] < 0.349) CHECK(x[2] >= 0.1 - tolerance(1e-12));
    }
}

TEST_CASE("what is wrong with points of contacts is said in words") {
    const auto check = [](const std::string& keys, const std::string& part) {
        std::mt19937 random(1);
        const std::string text = refusal([&] {
            model(weight(Vec3::Zero()) + solid("sphere = 0.1, material = \"steel\"", random) +
                  film("truss") +
                  "\n[[body]]\nname = \"net\"\ntype = \"truss\"\n"
                  "grid = { counts = [2, 2], spacing = [1, 1], origin = [0, 0, 9] }\n"
                  "young = 1\narea = 1\ndensity = 1\n" +
                  contact("all", keys) + integrator("emm", 0.01, 1.0));
        });
        CAPTURE(text);
        CHECK(has(text, part));
    };
    check("bodies = [\"sail@edge\", \"hub\"]", "edge");
    check("bodies = [\"sial@rim\", \"hub\"]", "sail");
    check("bodies = [\"sail@99\", \"hub\"]", "99");
    check("bodies = \"sail\"", "no pair");
    check("bodies = [\"sail\", \"net\"]", "are points, which never meet: give them a `radius`");
    check("bodies = [\"sail\", \"hub\"]\nmaterials = \"steel\"", "a point has none");
    check("bodies = [\"sail\", \"hub\"]\nradius = 0.2", "overlap by 0.0");
}

}  // namespace
}  // namespace ancora::testing
