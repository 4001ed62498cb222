// SPDX-License-Identifier: BSD-3-Clause
// What a run leaves beside its rows: the scene, frames of it, states; read by a reader of its own.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/framework/recorder.hpp"
#include "ancora/framework/run.hpp"
#include "ancora/framework/scene.hpp"
#include "support/model.hpp"
#include "support/near.hpp"
#include "support/process.hpp"

namespace ancora::testing {
namespace {

/// A matrix of an .npy file, as NumPy's documentation of the format says.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;

    explicit Matrix(const std::string& file) {
        REQUIRE(file.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
        const std::size_t length =
            static_cast<unsigned char>(file[8]) +
            256 * static_cast<std::size_t>(static_cast<unsigned char>(file[9]));
        REQUIRE((10 + length) % 64 == 0);
        const std::string header = file.substr(10, length);
        REQUIRE(header.back() == '\n');
        REQUIRE(header.find("'descr': '<f8'") != std::string::npos);
        REQUIRE(header.find("'fortran_order': False") != std::string::npos);
        std::istringstream shape(header.substr(header.find("'shape': (") + 10));
        char comma = 0;
        shape >> rows >> comma >> columns;
        REQUIRE(comma == ',');
        REQUIRE(file.size() >= 10 + length + rows * columns * sizeof(double));
        values.resize(rows * columns);
        std::memcpy(values.data(), file.data() + 10 + length, values.size() * sizeof(double));
    }
    double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

/// history.csv by column; no header cell of these models holds a comma.
std::map<std::string, std::vector<double>> table(const std::string& text) {
    std::istringstream lines(text);
    std::string line, cell;
    std::getline(lines, line);
    std::vector<std::string> names;
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
    std::map<std::string, std::vector<double>> out;
    while (std::getline(lines, line)) {
        std::istringstream cells(line);
        for (const std::string& name : names) {
            std::getline(cells, cell, ',');
            out[name].push_back(std::stod(cell));
        }
    }
    return out;
}

struct Results {
    TempFolder folder;
    Simulation simulation;

    explicit Results(const std::string& text) : simulation(model(text)) {
        Recorder recorder(folder / "out", simulation, Manifest::parse(text, "test.toml"));
        ancora::run(simulation, &recorder, {});
    }
    std::string read(const std::string& file) const { return folder.read("out/" + file); }
    Scene scene() const { return read_scene(read("scene.json")); }
    Matrix frames() const { return Matrix(read("frames.npy")); }
};

std::string integrator(const std::string& type, double step, double end) {
    return "[integrator]\ntype = \"" + type + "\"\nstep = " + std::to_string(step) +
           "\nend = " + std::to_string(end) + "\n";
}

const std::string kBox = R"(
[[body]]
name = "box"
type = "ancf_rigid_body"
size = [3.0, 2.0, 1.0]
density = 2700.0
penalty = inf
position = [0.5, 0.0, 0.0]
angular_velocity = [0.3, 0.5, 0.8]

[[constraint]]
name = "pin"
type = "position"
a = "box@[1.5, 0.0, 0.0]"
b = "ground@[2.0, 0.0, 0.0]"
[model]
project_start = true
gravity = [0.0, 0.0, -9.81]
)";

bool is_near(double frame, double row) {
    return std::abs(frame - row) <= 1e-13 * std::abs(row) + 1e-30;
}

TEST_SUITE("frames") {
    TEST_CASE("what is far from the origin moves by small ways") {
        const Results run(
            "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\n"
            "position = [7.0e6, -3.0, 2.0e6]\nvelocity = [0.001, 0.002, 0.0]\n" +
            integrator("emm", 0.01, 1.0));
        const Matrix frames = run.frames();
        REQUIRE(frames.rows > 50);
        const auto x = 2 + static_cast<std::size_t>(run.scene().bodies.at(0).first);
        for (std::size_t i = 0; i < frames.rows; ++i) {
            const double t = 0.01 * frames(i, 0);
            REQUIRE(frames(i, x) - 7.0e6 == near(0.001 * t, 1e-8));
            REQUIRE(frames(i, x + 1) + 3.0 == near(0.002 * t, 1e-14));
        }
    }

    TEST_CASE("poses and reactions are those of the rows") {
        for (const char* type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            const Results run(kBox + integrator(type, 0.01, 0.5) + "[output]\nevery = 0.02\n");
            const Scene scene = run.scene();
            const Matrix frames = run.frames();
            auto rows = table(run.read("history.csv"));
            REQUIRE(frames.columns == static_cast<std::size_t>(scene.num_values) + 2);
            REQUIRE(frames.rows == rows["t"].size());
            const SceneBody& box = scene.bodies.at(0);
            CHECK(box.name == "box");
            CHECK(std::get<Box>(box.shapes.at(0).shape).size[0] == near(3.0, 1e-14));
            const SceneMarker& pin = scene.constraints.at(0);
            CHECK(pin.points ==
                  std::vector<std::string>{"box@[1.5, 0.0, 0.0]", "ground@[2.0, 0.0, 0.0]"});
            const char* const kPose[] = {
                "x", "y", "z", "vx", "vy", "vz", "qw", "qx", "qy", "qz", "wx", "wy", "wz"};
            for (std::size_t i = 0; i < frames.rows; ++i) {
                CAPTURE(i);
                REQUIRE(frames(i, 0) == static_cast<double>(i));
                for (std::size_t k = 0; k < 13; ++k) {
                    // q and -q are one attitude
                    const bool is_quaternion = k >= 6 && k < 10;
                    const double value = frames(i, 2 + static_cast<std::size_t>(box.first) + k);
                    const double expected = rows[std::string("box.") + kPose[k]][i];
                    REQUIRE((is_near(value, expected) ||
                             (is_quaternion && is_near(-value, expected)) ||
                             std::abs(expected) < 1e-9));
                }
                for (std::size_t k = 0; k < 3; ++k) {
                    REQUIRE(is_near(frames(i, 2 + static_cast<std::size_t>(pin.force_at()) + k),
                                    rows[std::string("pin.force.") + "xyz"[k]][i]));
                    REQUIRE(frames(i, 5 + static_cast<std::size_t>(pin.first) + k) ==
                            (k == 0 ? 2.0F : 0.0F));
                }
            }
        }
    }

    // Two masses m at the ends of an element turn at rate w about its middle, at rest in the
    // turning frame: force m w^2 l / 2, and E A eps l / L of the same amount.
    TEST_CASE("the force and strain of an element that turns") {
        const double rate = 3.0, mass = 2.0, stiffness = 4000.0;
        // E A eps l / L = m w^2 l / 2 for the rest length 1
        const double strain = 0.5 * mass * rate * rate / stiffness;
        const double length = std::sqrt(1.0 + 2.0 * strain);
        std::ostringstream text;
        text.precision(17);
        text << "[[body]]\nname = \"rope\"\ntype = \"truss\"\nfrom = [" << -0.5 * length
             << ", 0.0, 0.0]\nto = [" << 0.5 * length
             << ", 0.0, 0.0]\nrest_length = 1.0\narea = 1.0\nyoung = " << stiffness
             << "\ndensity = 0.0\nnode_masses = [[0, " << mass << "], [1, " << mass
             << "]]\nspin = { axis = [0.0, 0.0, 1.0], rate = " << rate << " }\n";
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(type);
            const Results run(text.str() + integrator(type, 1e-3, 0.2));
            const Scene scene = run.scene();
            const SceneBody& rope = scene.bodies.at(0);
            REQUIRE(rope.lines == std::vector<std::array<std::int32_t, 2>>{{0, 1}});
            REQUIRE(rope.channels.size() == 2);
            CHECK(rope.channels[0].unit == "N");
            const Matrix frames = run.frames();
            REQUIRE(frames.rows == 201);
            for (std::size_t i = 0; i < frames.rows; ++i) {
                const double force = frames(i, 2 + static_cast<std::size_t>(rope.channel_at(0)));
                REQUIRE(force == near(0.5 * mass * rate * rate * length, 1e-5));
                REQUIRE(frames(i, 2 + static_cast<std::size_t>(rope.channel_at(1))) ==
                        near(strain, 1e-5 * strain));
                // node 1 on its circle
                const std::size_t node = 2 + static_cast<std::size_t>(rope.nodes_at()) + 3;
                REQUIRE(std::hypot(frames(i, node), frames(i, node + 1)) ==
                        near(0.5 * length, 1e-6));
                REQUIRE(std::hypot(frames(i, node + 6), frames(i, node + 7)) ==
                        near(0.5 * length * rate, 1e-5));
            }
        }
    }

    TEST_CASE("which rows have a frame") {
        const std::string bead =
            "[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = 1.0\nvelocity = [1.0, 0.0, "
            "0.0]\n";
        const auto rows_of = [&](const std::string& output, double step, double end) {
            const Results run(bead + integrator("emm", step, end) + "[output]\n" + output);
            const Matrix frames = run.frames();
            std::vector<int> rows;
            for (std::size_t i = 0; i < frames.rows; ++i)
                rows.push_back(static_cast<int>(frames(i, 0)));
            return rows;
        };
        CHECK(rows_of("frames = 0.3\n", 0.1, 1.0) == std::vector<int>{0, 3, 6, 9, 10});
        CHECK(rows_of("frames = 0.01\nevery = 0.5\n", 0.1, 1.0) == std::vector<int>{0, 1, 2});
        CHECK(rows_of("frames = 0.7\n", 0.1, 1.0) == std::vector<int>{0, 7, 10});
        // Every third of 2501 rows, and the last.
        const std::vector<int> thinned = rows_of("every = 0.001\n", 0.001, 2.5);
        CHECK(thinned.size() == 835);
        CHECK(thinned[1] == 3);
        CHECK(thinned.back() == 2500);

        const Results none(bead + integrator("emm", 0.1, 1.0) + "[output]\nframes = 0\n");
        CHECK_FALSE(std::filesystem::exists(none.folder / "out/frames.npy"));
        CHECK_FALSE(std::filesystem::exists(none.folder / "out/scene.json"));
    }

    TEST_CASE("states have every row, in full") {
        const Results run(kBox + integrator("emm", 0.01, 0.5) +
                          "[output]\nevery = 0.1\nstates = true\n");
        const Matrix states(run.read("states.npy"));
        auto rows = table(run.read("history.csv"));
        const std::size_t n = run.simulation.q().size();
        REQUIRE(states.columns == 1 + 2 * n);
        REQUIRE(states.rows == rows["t"].size());
        for (std::size_t i = 0; i < states.rows; ++i) REQUIRE(states(i, 0) == rows["t"][i]);
        for (std::size_t k = 0; k < n; ++k) {
            CHECK(states(states.rows - 1, 1 + k) == run.simulation.q()[k]);
            CHECK(states(states.rows - 1, 1 + n + k) == run.simulation.v()[k]);
        }
        CHECK(run.scene().bodies.at(0).num_coordinates == static_cast<int>(n));
    }

    TEST_CASE("a body of mass and inertia is rods to where something acts, not a box") {
        const std::string body =
            "[[body]]\nname = \"arm\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\ninertia = [0.1, "
            "0.2, 0.25]\nposition = [1, 2, 3]\norientation = { axis = [1, 2, 3], angle = 0.7 }\n";
        const std::string loads =
            "[[force]]\nname = \"tip\"\ntype = \"point_load\"\nat = \"arm@[0.4, 0.0, "
            "0.3]\"\nforce = [0, 0, 1]\n"
            "[[force]]\nname = \"again\"\ntype = \"point_load\"\nat = \"arm@[0.4, 0.0, "
            "0.3]\"\nforce = [0, 0, 1]\n"
            "[[force]]\nname = \"root\"\ntype = \"point_load\"\nat = \"arm@[-1.0, 0.0, "
            "0.0]\"\nforce = [0, 0, 1]\n"
            "[[force]]\nname = \"middle\"\ntype = \"point_load\"\nat = \"arm@[0.0, 0.0, "
            "0.0]\"\nforce = [0, 0, 1]\n";
        const std::string end = integrator("emm", 0.01, 0.1);
        const auto shown = [&](const std::string& text) {
            return model(text + end).scene().bodies.at(0);
        };
        const SceneBody rods = shown(body + loads);
        CHECK(rods.is_skeleton);
        REQUIRE(rods.shapes.size() == 3);  // two rods, and a ball at the reference point
        const Capsule tip = std::get<Capsule>(rods.shapes[0].shape);
        CHECK(tip.from == std::array{0.0, 0.0, 0.0});
        CHECK(tip.to[0] == near(0.4, 1e-14));
        CHECK(tip.to[1] == near(0.0, 1e-14));
        CHECK(tip.to[2] == near(0.3, 1e-14));
        CHECK(tip.radius < 0.05);
        CHECK(std::get<Capsule>(rods.shapes[1].shape).to[0] == near(-1.0, 1e-14));
        CHECK(std::holds_alternative<Sphere>(rods.shapes[2].shape));

        CHECK(shown(body).shapes.empty());
        CHECK_FALSE(shown(body).is_hidden);
        const std::string box =
            "[[body]]\nname = \"arm\"\ntype = \"ancf_rigid_body\"\nsize = [3, 2, 1]\ndensity = "
            "1\n";
        CHECK(std::holds_alternative<Box>(shown(box + loads).shapes.at(0).shape));
        const SceneBody ball =
            shown(box + "shape = { sphere = \"5 cm\", opacity = 0.5 }\n" + loads);
        REQUIRE(ball.shapes.size() == 1);
        CHECK(std::get<Sphere>(ball.shapes[0].shape).radius == near(0.05, 1e-15));
        const SceneBody nothing = shown(body + "shape = \"none\"\n" + loads);
        CHECK(nothing.is_hidden);
        CHECK(nothing.shapes.empty());
    }

    TEST_CASE("a shape needs a body that can move it, and is no part of what a motion depends on") {
        const std::string rope =
            "[[body]]\nname = \"rope\"\ntype = \"truss\"\nnodes = [[0, 0, 0], [1, 0, 0], "
            "[2, 0, 0]]\nelements = [[0, 1], [1, 2]]\narea = 1e-4\ndensity = 1000\nyoung = 1e9\n";
        const std::string end = integrator("emm", 0.01, 0.1);
        CHECK_THROWS_WITH_AS(
            model(rope + "shape = { sphere = 1 }\n" + end),
            doctest::Contains("body \"rope\" (type truss) has no reference point that a shape "
                              "could move with; write shape = \"none\" to hide it"),
            Error);
        CHECK(model(rope + "shape = \"none\"\n" + end).scene().bodies.at(0).is_hidden);

        Simulation red = model(kBox + end, {"body.box.shape={sphere = 1, color = \"red\"}"});
        Simulation blue = model(kBox + end, {"body.box.shape={sphere = 2, color = \"blue\"}"});
        red.step();
        blue.restore(red.save());
        CHECK(blue.time() == red.time());
    }

    TEST_CASE(
        "joints and springs stand in the scene, an effort on an angle is a torque about the axis") {
        const Results run(R"(
[[body]]
name = "arm"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.1, 0.2, 0.2]
position = [0.5, 0.0, 0.0]
[[body.frame]]
name = "tip"
position = [0.5, 0.0, 0.0]
[[constraint]]
name = "hinge"
type = "revolute"
a = "ground"
b = "arm"
point = [0.0, 0.0, 0.0]
axis = [0.0, 2.0, 0.0]
motor = "3*t"
[[force]]
name = "coil"
type = "spring"
a = "arm@[0.5, 0.0, 0.0]"
b = "ground@[1.0, 0.0, 1.0]"
stiffness = 10.0
)" + integrator("emm", 0.01, 0.5));
        const Scene scene = run.scene();
        REQUIRE(scene.joints.size() == 1);
        const SceneJoint& hinge = scene.joints[0];
        CHECK(hinge.name == "hinge");
        CHECK(hinge.kind == "revolute");
        CHECK(hinge.a.body == -1);
        CHECK(hinge.b.body == 0);
        CHECK(hinge.b.position[0] == near(-0.5, 1e-15));
        CHECK(hinge.axes_a.at(0)[1] == near(1.0, 1e-15));
        REQUIRE(scene.springs.size() == 1);
        CHECK(scene.springs[0].a.position[0] == near(0.5, 1e-14));
        CHECK(scene.springs[0].b.position == std::array{1.0, 0.0, 1.0});
        CHECK(scene.bodies.at(0).frames.at(0).name == "tip");
        CHECK(scene.bodies[0].is_skeleton);

        const auto motor = std::ranges::find(scene.forces, "hinge.motor", &SceneMarker::name);
        REQUIRE(motor != scene.forces.end());
        CHECK(motor->has_torque);
        CHECK_FALSE(motor->has_force);
        const Matrix frames = run.frames();
        auto rows = table(run.read("history.csv"));
        REQUIRE(frames.rows == rows["t"].size());
        for (std::size_t i = 0; i < frames.rows; ++i) {
            const auto at = 2 + static_cast<std::size_t>(motor->torque_at());
            CHECK(std::abs(frames(i, at)) < 1e-6F);
            CHECK(is_near(frames(i, at + 1), rows["hinge.motor.effort"][i]));
        }
    }

    TEST_CASE("the torque of a load stands at its point, or else at the body's reference point") {
        const std::string loads = R"(
[[body]]
name = "box"
type = "ancf_rigid_body"
size = [3.0, 2.0, 1.0]
density = 1.0
penalty = inf
position = [0.5, 0.25, 0.0]
[[force]]
name = "twist"
type = "point_load"
body = "box"
torque = ["2*t", "0", "3"]
[[force]]
name = "both"
type = "point_load"
at = "box@[1.5, 0.0, 0.0]"
force = [0.0, 4.0, 0.0]
torque = [0.0, 0.5, 0.0]
frame = "body"
[[force]]
name = "push"
type = "point_load"
at = "box@[1.5, 0.0, 0.0]"
force = [0.0, 0.0, 1.0]
)";
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(type);
            const Results run(loads + integrator(type, 0.01, 0.3));
            const Scene scene = run.scene();
            REQUIRE(scene.forces.size() == 3);
            const SceneMarker &twist = scene.forces[0], &both = scene.forces[1];
            CHECK_FALSE(twist.has_force);
            CHECK(twist.has_torque);
            CHECK(twist.points == std::vector<std::string>{"box@[0, 0, 0]"});
            CHECK(both.has_force);
            CHECK(both.has_torque);
            CHECK_FALSE(scene.forces[2].has_torque);
            const Matrix frames = run.frames();
            auto rows = table(run.read("history.csv"));
            REQUIRE(frames.rows == rows["t"].size());
            const auto at = [](int column) {
                return 2 + static_cast<std::size_t>(column);
            };
            for (std::size_t i = 0; i < frames.rows; ++i) {
                std::size_t k = 0;
                for (const char* axis : {"x", "y", "z"}) {
                    CHECK(is_near(frames(i, at(twist.first) + k),
                                  rows[std::string("box.") + axis][i]));
                    for (const SceneMarker* load : {&twist, &both})
                        CHECK(is_near(frames(i, at(load->torque_at()) + k),
                                      rows[load->name + ".torque." + axis][i]));
                    ++k;
                }
            }
            CHECK(std::abs(frames(frames.rows - 1, at(twist.torque_at()) + 2) - 3.0F) < 1e-5F);
        }
    }

    TEST_CASE("shapes, meshes, joints, springs and frames survive the scene's text") {
        Simulation simulation = model(kBox + integrator("emm", 0.01, 0.1));
        Scene scene = simulation.scene();
        scene.meshes = {{"part.stl", {{0.1F, 0, 0}, {1, 0, 0}, {0, 1.0F / 3.0F, 0}}, {{0, 1, 2}}}};
        SceneBody& box = scene.bodies.at(0);
        box.shapes = {{Capsule{0.5, {0, 0, 0}, {1, 2, 3}}, std::array{0.25, 0.5, 0.75}, 0.5},
                      {MeshShape{0, {1, 2, 3}, {4, 5, 6}, {0, 1, 0, 0}}}};
        box.frames = {{"tip", {1, 2, 3}, {0, 0, 1, 0}}};
        scene.joints = {{"elbow", "universal", {-1, {1, 2, 3}}, {0, {4, 5, 6}}, {{1, 0, 0}}, {}}};
        scene.springs = {{"coil", {0, {1, 2, 3}}, {-1, {4, 5, 6}}}};
        const Scene read = read_scene(scene_text(scene));
        CHECK(scene_text(read) == scene_text(scene));
        CHECK(read.meshes.at(0).points == scene.meshes[0].points);  // to the bit
        CHECK(read.meshes[0].triangles == scene.meshes[0].triangles);
        const SceneSolid& capsule = read.bodies.at(0).shapes.at(0);
        CHECK(std::get<Capsule>(capsule.shape).to == std::array{1.0, 2.0, 3.0});
        CHECK(capsule.color == std::array{0.25, 0.5, 0.75});
        CHECK(capsule.opacity == 0.5);
        CHECK_FALSE(read.bodies[0].shapes.at(1).color.has_value());
        CHECK(read.joints.at(0).axes_a.size() == 1);
        CHECK(read.springs.at(0).b.body == -1);
    }

    TEST_CASE("a scene survives its text, damaged ones are refused") {
        const Simulation simulation = example("box_with_truss");
        const std::string text = scene_text(simulation.scene());
        CHECK(scene_text(read_scene(text)) == text);
        for (const char* wrong : {"", "[]", "{}", "{\"format\": 2}", "nothing"})
            CHECK_THROWS_WITH_AS(read_scene(wrong), doctest::Contains("this is no scene"), Error);
        std::string far = text;
        far.replace(far.find("\"values\":"), 11, "\"values\":1,");
        CHECK_THROWS_AS(read_scene(far), Error);
    }
}

}  // namespace
}  // namespace ancora::testing
