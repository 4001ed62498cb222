// SPDX-License-Identifier: BSD-3-Clause
// Forms that only MuJoCo's files have: replicas, meshes within the file, cords.
#include "ancora/framework/error.hpp"
#include "imported_model.hpp"

namespace ancora::testing {
namespace {

ImportedModel import_mjcf(const std::string& inside, bool is_lenient = false) {
    const TempFolder folder;
    folder.write("model.xml", "<mujoco>\n" + inside + "\n</mujoco>");
    const ImportedModel model = imported(folder, "model.xml", is_lenient);
    for (const auto& [name, text] : model.files) CHECK(name.ends_with(".obj"));
    return model;
}

void check_refused(const std::string& inside, const std::string& part) {
    CAPTURE(inside);
    try {
        import_mjcf(inside);
        FAIL("nothing was refused");
    } catch (const Error& error) {
        INFO(error.what());
        CHECK(std::string(error.what()).find(part) != std::string::npos);
    }
}

const Vector3d& set(Vector3d& to, const std::array<double, 3>& x) {
    return to = Vector3d(x[0], x[1], x[2]);
}

}  // namespace

TEST_SUITE("import: forms of MuJoCo") {
    TEST_CASE("replicas lie, are named and are driven as MuJoCo has it") {
        const ImportedModel model = import_mjcf(R"(<compiler angle="degree"/>
  <worldbody>
    <site name="post" pos="0 0 2"/>
    <replicate count="12" offset="0.1 0 0" euler="0 0 30" sep="-">
      <frame pos="1 0 0">
        <body name="arm" pos="0 0 1">
          <joint name="hinge" axis="0 1 0" damping="0.1"/>
          <inertial pos="0.2 0 0" mass="0.5" diaginertia="0.01 0.02 0.03"/>
          <site name="tip" pos="0.4 0 0"/>
          <replicate count="2" offset="0 0 0.1"><site name="bead"/></replicate>
        </body>
      </frame>
    </replicate>
  </worldbody>
  <tendon><spatial name="stay" stiffness="3"><site site="post"/><site site="tip"/></spatial></tendon>
  <actuator><motor name="drive" joint="hinge" gear="2" ctrlrange="0.3 1"/></actuator>)");
        CHECK(model.num_bodies == 12);
        CHECK(model.text.find("drive_07_control = 0.3") != std::string::npos);
        CHECK(model.text.find("name = \"stay-11\"") != std::string::npos);
        CHECK(model.text.find("name = \"bead1-11\"") != std::string::npos);
        const Simulation simulation = simulate(model.text);
        // Each offset along the axes of the replica before
        Vector3d corner = Vector3d::Zero();
        for (int i = 0; i < 12; ++i) {
            const std::string name = fmt::format("arm-{:02}", i);
            CAPTURE(name);
            const double angle = i * std::numbers::pi / 6.0;
            const Vector3d along(std::cos(angle), std::sin(angle), 0.0);
            const auto pose = simulation.pose(name);
            Vector3d p;
            CHECK((set(p, pose.position) - (corner + along + Vector3d::UnitZ())).norm() <=
                  tolerance(1e-14));
            const Eigen::Quaterniond turn(
                pose.quaternion[0], pose.quaternion[1], pose.quaternion[2], pose.quaternion[3]);
            CHECK((turn * Vector3d::UnitX() - along).norm() <= tolerance(1e-14));
            corner += 0.1 * along;
        }
    }

    TEST_CASE("a mesh within the file: by its faces, or the hull of its points") {
        // A solid octahedron weighs 4/3 a^3 and has 2/5 of that by a^2 / 2 about each axis
        const char* const kPoints =
            "2 0 0  -2 0 0  0 2 0  0 -2 0  0 0 2  0 0 -2  0.1 0.2 -0.3  1 1 0  0.5 0 0.5";
        const std::string body = R"(<worldbody><body name="b"><freejoint/>
  <geom type="mesh" mesh="m" density="3"/></body></worldbody>)";
        for (const char* const how :
             {"", R"( face="0 2 4  2 1 4  1 3 4  3 0 4  2 0 5  1 2 5  3 1 5  0 3 5")"}) {
            CAPTURE(how);
            const ImportedModel model = import_mjcf(
                fmt::format(R"(<asset><mesh name="m" scale="0.5 0.5 0.5" vertex="{}"{}/></asset>)",
                            kPoints,
                            how) +
                body);
            const double mass = 3.0 * 4.0 / 3.0;
            CHECK(model.text.find(fmt::format("\nmass = {:.1f}\n", mass)) != std::string::npos);
            CHECK(model.text.find(fmt::format("inertia = [{0}, {0}, {0}]", 0.2 * mass)) !=
                  std::string::npos);
            REQUIRE(model.files.size() == 1);
            CHECK(model.files[0].first == "model_m.obj");
            CHECK(model.text.find("mesh = \"model_m.obj\", scale = 0.5") != std::string::npos);
        }
        // Of a box with a dent only the hull has all its volume
        const std::string dented =
            R"(<asset><mesh name="m" vertex="0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0.5 0.5 0.5"
  face="0 2 1 0 3 2 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7 4 5 8 5 6 8 6 7 8 7 4 8"{}/></asset>)";
        const auto mass_of = [&](const char* how) {
            std::string text = dented;
            text.replace(text.find("{}"), 2, how);
            const std::string found = import_mjcf(text + body).text;
            return std::stod(found.substr(found.find("\nmass = ") + 8));
        };
        CHECK(mass_of("") == Near(3.0 * (1.0 - 1.0 / 6.0), 1e-12));
        CHECK(mass_of(" inertia=\"convex\"") == Near(3.0, 1e-12));

        const auto mesh = [&](const std::string& keys) {
            return "<asset><mesh name=\"m\" " + keys + "/></asset>" + body;
        };
        check_refused(mesh(R"(vertex="0 0 0 1 0 0 0 1 0 1 1 0")"), "all points lie in a plane");
        check_refused(mesh(R"(vertex="0 0 0 1 0 0 0 1 0 0 0")"),
                      "model.xml:2:8: error: <mesh name=\"m\">: vertex: expected three numbers");
        check_refused(mesh(fmt::format(R"(vertex="{}" face="0 1 9")", kPoints)),
                      "three numbers of points, 0 to 8");
        check_refused(mesh(R"(builtin="torus" params="1 2")"), "triangles that MuJoCo makes");
        check_refused(mesh(fmt::format(R"(vertex="{}" inertia="shell")", kPoints)), "shell");
    }

    TEST_CASE("cords hold a bob at their length, and give by their spring") {
        const std::string world = R"(<worldbody><site name="a" pos="0 0 2"/>
  <site name="pulley" pos="0.3 0 2"/>
  <body name="bob" pos="0 0 1.5"><freejoint/><site name="x" pos="0 0 0.05"/>
    <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody>)";
        const auto tendon = [&](const std::string& keys, const std::string& sites) {
            return world + "<tendon><spatial " + keys + ">" + sites + "</spatial></tendon>";
        };
        const std::string two = R"(<site site="a"/><site site="x"/>)";
        Simulation held = simulate(import_mjcf(tendon(R"(range="0 0.6")", two)).text);
        while (!held.done()) held.step();
        CHECK(held.value("bob.z") == Near(2.0 - 0.6 - 0.05, tolerance(1e-12)));

        // Slack of 0.35 m, then a spring: 2 a = k (l - 0.35) - m g
        const ImportedModel model =
            import_mjcf(tendon(R"(springlength="0 0.35" stiffness="500")", two));
        CHECK(simulate(model.text).dynamics().acceleration[2] ==
              Near(0.5 * 500.0 * (0.45 - 0.35) - 9.81, tolerance(1e-11)));

        // Over a pulley
        const std::string three = R"(<site site="a"/><site site="pulley"/><site site="x"/>)";
        Simulation long_way = simulate(import_mjcf(tendon(R"(range="0 1.2")", three)).text);
        while (!long_way.done()) {
            long_way.step();
            const auto pose = long_way.pose("bob");
            Vector3d end;
            set(end, pose.position);
            end += Eigen::Quaterniond(pose.quaternion[0],
                                      pose.quaternion[1],
                                      pose.quaternion[2],
                                      pose.quaternion[3]) *
                   Vector3d(0, 0, 0.05);
            CHECK((end - Vector3d(0.3, 0, 2)).norm() <= 0.9 + tolerance(1e-12));
        }
        check_refused(tendon(R"(range="0.1 0.6")", two), "a least length of a tendon");
        check_refused(tendon(R"(stiffness="5")", three), "a spring or damper over 3 sites");
        check_refused(tendon("", R"(<site site="a"/>)"), "fewer than two sites");
    }

    TEST_CASE("what hangs on a ball starts with what carries it") {
        const ImportedModel model = import_mjcf(R"(<worldbody><body name="bus"><freejoint/>
  <inertial pos="0 0 0" mass="3" diaginertia="1 2 3"/>
  <body name="arm" pos="0 0 1"><joint name="turn" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="bob" pos="2 0 0"><joint type="ball"/><inertial pos="0.5 0 0" mass="1" diaginertia="1 1 1"/>
  </body></body></body></worldbody>
  <keyframe><key qpos="0 0 0 1 0 0 0 0 1 0 0 0" qvel="1 2 3 0 0.5 0 0.7 0 0 0"/></keyframe>)");
        const Simulation simulation = simulate(model.text);
        // v + w x r; the arm turns by 0.7 about z beside the bus
        CHECK(simulation.value("bob.vx") == Near(1.0 + 0.5 * 1.0, tolerance(1e-14)));
        CHECK(simulation.value("bob.vy") == Near(2.0 + 0.7 * 2.0, tolerance(1e-14)));
        CHECK(simulation.value("bob.vz") == Near(3.0 - 0.5 * 2.0, tolerance(1e-14)));
    }

    TEST_CASE("a weld without torques holds a point") {
        // A physical pendulum: z'' of its middle is m g l^2 / (J + m l^2)
        const ImportedModel model = import_mjcf(R"(<worldbody>
  <body name="rod" pos="0 0 2"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body>
  </worldbody><equality><weld body1="world" body2="rod" anchor="0.5 0 0" torquescale="0"/></equality>)");
        const double J = 0.1 + 2.0 * 0.25;
        CHECK(simulate(model.text).dynamics().acceleration[2] ==
              Near(-2.0 * 9.81 * 0.25 / J, tolerance(1e-11)));
    }

    TEST_CASE("counts, names and parts of other models") {
        const auto replicate = [](const std::string& count) {
            return fmt::format(
                "<worldbody><replicate count=\"{}\"><replicate count=\"{}\">"
                "<body><freejoint/><geom size=\"1\"/></body>"
                "</replicate></replicate></worldbody>",
                count,
                count);
        };
        for (const char* const count : {"-1", "1.5", "1e9", "nan"})
            check_refused(replicate(count), "count: ");
        check_refused(replicate("1000"), "makes more than 100000 elements");
        check_refused("<worldbody><flexcomp name=\"cloth\"/></worldbody>",
                      "<flexcomp name=\"cloth\">: a soft body");
        check_refused("<worldbody><attach model=\"arm\" body=\"b\" prefix=\"_\"/></worldbody>",
                      "a part of another model");
        check_refused("<worldbody><body><freejoint/></body></worldbody>", "has no mass");
        // Names that mean something else in a manifest
        for (const char* const name : {"x", "t", "energy", "ground"}) {
            CAPTURE(name);
            const ImportedModel model = import_mjcf(fmt::format(
                R"(<worldbody><body name="{0}"><joint name="{0}"/><geom size="1"/><site name="{0}"/>
  </body></worldbody><actuator><motor name="{0}" joint="{0}"/></actuator>)",
                name));
            CHECK(simulate(model.text).time() == 0.0);
        }
    }
}

}  // namespace ancora::testing
