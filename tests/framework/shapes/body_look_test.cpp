// SPDX-License-Identifier: BSD-3-Clause
// The key `shape`: what it may say, and the words in which a slip is refused.
#include "body_look.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>

#include <doctest/doctest.h>

#include "ancora/framework/manifest.hpp"
#include "expression_scope.hpp"
#include "support/near.hpp"
#include "support/process.hpp"

namespace ancora {
namespace {

using testing::near;
using testing::TempFolder;

const TempFolder& folder() {
    static const TempFolder temp;
    return temp;
}

/// Reads `shape` in line 4 of "model.toml".
BodyLook look(const std::string& shape, MeshFiles* files = nullptr) {
    const Manifest manifest =
        Manifest::parse("[[body]]\nname = \"arm\"\ntype = \"x\"\nshape = " + shape +
                            "\n[parameters]\nr = \"50 mm\"\nedges = [0.1, 0.2, 0.3]\n"
                            "[integrator]\ntype = \"x\"\nstep = 1\nend = 1\n",
                        folder() / "model.toml");
    const ObjectSpec& body = manifest.bodies.at(0);
    CHECK(body.parameters.find("shape") == nullptr);
    MeshFiles own;
    return read_look("body \"arm\"",
                     body.shape.value(),
                     body.place,
                     *manifest.scope,
                     files != nullptr ? *files : own);
}

/// The message, with its place in the manifest or file and without the folder.
std::string refusal(const std::string& shape) {
    try {
        look(shape);
    } catch (const Error& error) {
        std::string text = error.what();
        const std::string path = folder().path().string() + "/";
        for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path))
            text.erase(at, path.size());
        return text;
    }
    return "";
}

template <class Shape>
Shape only(const BodyLook& look) {
    REQUIRE(look.is_given);
    REQUIRE(look.solids.size() == 1);
    return std::get<Shape>(look.solids[0].shape);
}

const char* const kWedge =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

TEST_SUITE("shape of a body") {
    TEST_CASE("each kind, with units, expressions and names of arrays") {
        const Box box = only<Box>(look("{box = \"edges\", center = [0, 0, \"40 mm\"]}"));
        CHECK(box.size == std::array{0.1, 0.2, 0.3});
        CHECK(box.center == std::array{0.0, 0.0, 0.04});
        CHECK(only<Sphere>(look("{sphere = \"2*r\"}")).radius == near(0.1, 1e-16));
        const Cylinder cylinder =
            only<Cylinder>(look("{cylinder = {radius = \"r\", from = [0, 0, 0], to = [0, 0, 1]}}"));
        CHECK(cylinder.radius == near(0.05, 1e-16));
        CHECK(cylinder.to == std::array{0.0, 0.0, 1.0});
        for (const char* kind : {"capsule", "rod"})
            CHECK(only<Capsule>(look("{" + std::string(kind) +
                                     " = {radius = 0.1, from = [0, 0, 0], to = [1, 0, 0]}}"))
                      .to[0] == 1.0);
    }

    TEST_CASE("position and orientation move the shape in the body") {
        const Capsule rod = only<Capsule>(
            look("{rod = {radius = 0.1, from = [1, 0, 0], to = [2, 0, 0]}, position = [0, 0, 3], "
                 "orientation = {axis = [0, 0, 2], angle = \"90 deg\"}}"));
        CHECK(rod.from[0] == near(0.0, 1e-15));
        CHECK(rod.from[1] == near(1.0, 1e-15));
        CHECK(rod.from[2] == 3.0);
        CHECK(rod.to[1] == near(2.0, 1e-15));
        const Box box =
            only<Box>(look("{box = [1, 1, 1], orientation = {axis = [1, 0, 0], angle = 1}}"));
        CHECK(box.quaternion[0] == near(std::cos(0.5), 1e-15));
        CHECK(box.quaternion[1] == near(std::sin(0.5), 1e-15));
    }

    TEST_CASE("several shapes, colours by name or number, opacity, hidden ones and none") {
        const BodyLook many = look(
            "[{sphere = 1, color = \"steelblue\"}, {sphere = 2, color = \"#48b\", opacity = 0.5}, "
            "{sphere = 3, color = [1, 0, 0.5]}, {sphere = 4, hidden = true}, {sphere = 5}]");
        REQUIRE(many.solids.size() == 4);
        CHECK((*many.solids[0].color)[0] == near(70.0 / 255.0, 1e-15));
        CHECK((*many.solids[1].color)[2] == near(187.0 / 255.0, 1e-15));
        CHECK(many.solids[1].opacity == 0.5);
        CHECK(many.solids[2].color == std::array{1.0, 0.0, 0.5});
        CHECK_FALSE(many.solids[3].color.has_value());
        for (const char* nothing : {"\"none\"", "{sphere = 1, hidden = true}"}) {
            CHECK(look(nothing).is_given);
            CHECK(look(nothing).solids.empty());
        }
    }

    TEST_CASE("a mesh is read once, however many bodies show it") {
        folder().write("parts/wedge.OBJ", kWedge);
        MeshFiles files;
        const MeshShape a = only<MeshShape>(look("{mesh = \"parts/wedge.OBJ\"}", &files));
        const MeshShape b =
            only<MeshShape>(look("{mesh = \"./parts/wedge.OBJ\", scale = 0.001}", &files));
        CHECK(a.mesh == b.mesh);
        CHECK(a.scale == std::array{1.0, 1.0, 1.0});
        CHECK(b.scale == std::array{0.001, 0.001, 0.001});
        REQUIRE(files.meshes.size() == 1);
        CHECK(files.meshes[0].name == "wedge.OBJ");
        CHECK(files.meshes[0].triangles.size() == 4);
        CHECK(only<MeshShape>(look("{mesh = \"parts/wedge.OBJ\", scale = [1, -2, 3]}")).scale[1] ==
              -2.0);
        CHECK(only<MeshShape>(look("{mesh = \"parts/wedge.OBJ\", scale = [1, 2, 3]}")).scale[2] ==
              3.0);
    }

    TEST_CASE("glTF: the file of numbers beside it is read once and noted") {
        const std::string seeds = ANCORA_TEST_SOURCE_DIR "/tests/fuzz/seeds/surface/";
        for (const char* name : {"parts.gltf", "parts.bin"}) {
            std::ifstream file(seeds + name, std::ios::binary);
            REQUIRE(file);
            folder().write(std::string("parts/") + name,
                           std::string{std::istreambuf_iterator<char>(file), {}});
        }
        MeshFiles files;
        const BodyLook both = look(
            "[{mesh = \"parts/parts.gltf\"}, {mesh = \"parts/parts.gltf\", scale = 2}]", &files);
        CHECK(both.solids.size() == 2);
        REQUIRE(files.meshes.size() == 1);
        CHECK(files.meshes[0].triangles.size() == 16);
        CHECK(files.keys == std::vector<std::string>{"shape[0].mesh"});
        REQUIRE(files.neighbours.size() == 1);
        CHECK(files.neighbours[0].key == "shape[0].mesh: parts.bin");
        CHECK(files.neighbours[0].path.filename() == "parts.bin");
    }

    TEST_CASE("slips are refused with their place and what to write") {
        const std::string at = "model.toml:4:9: error: body \"arm\": shape: ";
        CHECK(refusal("3") ==
              at + "expected a table such as {box = [0.1, 0.1, 0.2]}, an array of such tables or "
                   "\"none\", got 3");
        CHECK(refusal("\"noen\"").find("got \"noen\"; did you mean \"none\"?") !=
              std::string::npos);
        CHECK(refusal("[]").find("got an empty array") != std::string::npos);
        CHECK(refusal("[{sphere = 1}, 2]") ==
              "model.toml:4:24: error: body \"arm\": shape[1]: expected a table such as {box = "
              "[0.1, 0.1, 0.2]}, or one of the other kinds, got 2");
        CHECK(refusal("{}") == at + "what shape it is is missing; give \"box\", \"sphere\", "
                                    "\"cylinder\", \"capsule\", \"rod\" or \"mesh\"");
        CHECK(refusal("{spere = 1}") ==
              "model.toml:4:10: error: body \"arm\": shape: unknown key \"spere\"; did you mean "
              "\"sphere\"?");
        CHECK(refusal("{sphere = 1, box = [1, 1, 1]}")
                  .find("the shape is a box already; write an "
                        "array of tables for a body of several "
                        "shapes") != std::string::npos);
        CHECK(refusal("{sphere = 0}").find("shape.sphere: expected a value > 0 m, got 0") !=
              std::string::npos);
        CHECK(refusal("{sphere = \"2 kg\"}").find("shape.sphere: expected m, got kg") !=
              std::string::npos);
        CHECK(refusal("{box = [1, 2]}")
                  .find("shape.box: expected an array of 3 numbers, got an array of 2 numbers") !=
              std::string::npos);
        CHECK(refusal("{cylinder = {radius = 1, from = [0, 0, 0]}}")
                  .find("shape.cylinder: missing key \"to\"") != std::string::npos);
        CHECK(refusal("{rod = {radius = 1, from = [1, 0, 0], to = [1, 0, 0]}}")
                  .find("shape.rod.to: both ends of the axis are one point") != std::string::npos);
        CHECK(refusal("{sphere = 1, opacity = 1.5}").find("shape.opacity: expected a value") !=
              std::string::npos);
        CHECK(refusal("{sphere = 1, color = \"stelblue\"}") ==
              "model.toml:4:30: error: body \"arm\": shape.color: there is no color \"stelblue\"; "
              "did you mean \"steelblue\"?");
        CHECK(refusal("{sphere = 1, color = \"#12345\"}").find("write six hexadecimal digits") !=
              std::string::npos);
        CHECK(refusal("{sphere = 1, center = [0, 0, 0], position = [0, 0, 0]}")
                  .find("\"position\" says this already; give one of them") != std::string::npos);
        CHECK(refusal("{mesh = \"parts/wedge.OBJ\", scale = [1, 0, 1]}")
                  .find("scale: is zero, which leaves nothing of the mesh") != std::string::npos);
        CHECK(refusal("{sphere = 1, scale = 2}").find("only a mesh is scaled") !=
              std::string::npos);
        CHECK(refusal("{sphere = 1, orientation = [1, 1, 0, 0]}").find("has norm 1.4142") !=
              std::string::npos);
    }

    TEST_CASE("a mesh that is missing, of another kind or damaged is named with what is wrong") {
        folder().write("part.fbx", "{}");
        folder().write("empty.gltf", "{}");
        folder().write("alone.gltf",
                       R"({"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
                           "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
                           "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3,
                                          "type": "VEC3"}],
                           "bufferViews": [{"buffer": 0, "byteLength": 36}],
                           "buffers": [{"byteLength": 36, "uri": "alone%20of%20it.bin"}]})");
        folder().write("short.stl", std::string(90, 'x'));
        folder().write("bad.obj", "v 0 0 0\nv 1 0 zero\n");
        CHECK(refusal("{mesh = \"gone.stl\"}") ==
              "model.toml:4:17: error: body \"arm\": shape.mesh: \"gone.stl\" does not exist; a "
              "relative path begins at the manifest's folder");
        CHECK(refusal("{mesh = \"part.fbx\"}") ==
              "model.toml:4:17: error: body \"arm\": shape.mesh: \"part.fbx\" is no .stl, .obj, "
              ".glb or .gltf file; other formats are not read, convert it");
        CHECK(refusal("{mesh = \"empty.gltf\"}") ==
              "model.toml:4:17: error: body \"arm\": shape.mesh: \"empty.gltf\" is damaged: it: "
              "\"asset\" is missing");
        CHECK(refusal("{mesh = \"alone.gltf\"}") ==
              "model.toml:4:17: error: body \"arm\": shape.mesh: \"alone.gltf\" keeps its numbers "
              "in \"alone of it.bin\", which is not beside it");
        CHECK(refusal("{mesh = \"short.stl\"}")
                  .find("\"short.stl\" is damaged: it says that it "
                        "holds") != std::string::npos);
        CHECK(refusal("{mesh = \"bad.obj\"}") ==
              "bad.obj:2:7: error: body \"arm\": shape.mesh: v: expected a number, got \"zero\"");
    }

    TEST_CASE("the expanded value has numbers and whole paths, and reads as the same shape") {
        folder().write("wedge.obj", kWedge);
        const Manifest manifest = Manifest::parse(
            "[[body]]\nname = \"arm\"\ntype = \"x\"\nshape = [{mesh = \"wedge.obj\", scale = "
            "\"1/1000\"}, {sphere = \"40 mm\"}]\n[integrator]\ntype = \"x\"\nstep = 1\nend = 1\n",
            folder() / "model.toml");
        const ObjectSpec& body = manifest.bodies.at(0);
        const Value value =
            expanded_shape("body \"arm\"", *body.shape, body.place, *manifest.scope);
        const Table& mesh = *value.as<Array>()->at(0).as<Table>();
        CHECK(*mesh.find("mesh")->value.as<std::string>() == (folder() / "wedge.obj").string());
        CHECK(*mesh.find("scale")->value.as<double>() == near(1e-3, 1e-18));
        CHECK(*value.as<Array>()->at(1).as<Table>()->find("sphere")->value.as<double>() ==
              near(0.04, 1e-17));
    }
}

}  // namespace
}  // namespace ancora
