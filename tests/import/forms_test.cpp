// SPDX-License-Identifier: BSD-3-Clause
// Robots and machines in the forms that public files have, beside closed forms or recursive
// Newton-Euler.
#include <functional>
#include <numbers>

#include "imported_model.hpp"

namespace ancora::testing {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kG = 9.81;

/// The first of the files, imported; the others lie beside it.
ImportedModel import_files(const std::vector<std::pair<std::string, std::string>>& files,
                           bool is_lenient = false) {
    const TempFolder folder;
    for (const auto& [name, text] : files) {
        std::filesystem::create_directories((folder.path() / name).parent_path());
        folder.write(name, text);
    }
    return imported(folder, files.front().first, is_lenient);
}

bool has_note(const ImportedModel& model, const std::string& part) {
    return std::ranges::any_of(model.notes, [&](const std::string& note) {
        return note.find(part) != std::string::npos;
    });
}

void check_contains(const std::string& text, const std::string& part) {
    INFO(text);
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
}

/// Runs to the end; what is conserved is.
void run(Simulation& simulation) {
    while (!simulation.done()) simulation.step();
    const RunStatistics statistics = simulation.statistics();
    CHECK(statistics.energy.max_rel <= tolerance(1e-13));
}

/// Acceleration of the origin of a body of this name.
TreeBody at(const std::string& name, const std::string& joint, int parent) {
    TreeBody body;
    body.name = name;
    body.joint_name = joint;
    body.parent = parent;
    return body;
}

/// Mass and moments of a solid of revolution about z, of density 1, by slices.
void revolve(TreeBody& body,
             double density,
             const std::function<double(double)>& radius,
             double from,
             double to) {
    constexpr int kSlices = 4000;
    const double h = (to - from) / kSlices;
    double mass = 0.0, along = 0.0, across = 0.0;
    for (int i = 0; i <= kSlices; ++i) {
        const double z = from + i * h;
        const double weight = h / 3.0 * (i == 0 || i == kSlices ? 1.0 : i % 2 == 1 ? 4.0 : 2.0);
        const double r2 = std::pow(radius(z), 2);
        mass += weight * kPi * r2;
        along += weight * kPi * r2 * r2 / 2.0;
        across += weight * kPi * (r2 * r2 / 4.0 + r2 * z * z);
    }
    body.mass = density * mass;
    body.inertia = density * Vector3d(across, across, along).asDiagonal();
}

/// A capsule along `direction` with its middle at the centre.
void make_capsule(
    TreeBody& body, double r, const Vector3d& from, const Vector3d& to, double density = 1000.0) {
    const double half = 0.5 * (to - from).norm();
    // By three smooth pieces: Simpson's rule is exact in each
    TreeBody middle, cap;
    revolve(
        middle,
        density,
        [&](double) {
            return r;
        },
        -half,
        half);
    revolve(
        cap,
        density,
        [&](double z) {
            return std::sqrt(std::max(0.0, r * r - (z - half) * (z - half)));
        },
        half,
        half + r);
    body.mass = middle.mass + 2.0 * cap.mass;
    const Matrix3d J = middle.inertia + 2.0 * cap.inertia;
    const Matrix3d R =
        Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), to - from).toRotationMatrix();
    body.inertia = R * J * R.transpose();
    body.center = 0.5 * (from + to);
}

}  // namespace

TEST_SUITE("import: forms of public files") {
    TEST_CASE("a planar walker: three joints of a torso, classes in classes, degrees, capsules") {
        const ImportedModel model = import_files({{"walker.xml", R"(<mujoco model="walker">
  <compiler angle="degree" inertiafromgeom="true"/>
  <option timestep="0.002"/>
  <default>
    <joint limited="true" armature="0.01" damping="0.5"/>
    <geom condim="3" friction="0.9" density="900"/>
    <default class="leg">
      <joint damping="0.1"/>
      <default class="foot"><geom density="500"/></default>
    </default>
  </default>
  <worldbody>
    <light directional="true" pos="0 0 3"/>
    <geom name="floor" type="plane" size="40 40 1" conaffinity="1"/>
    <body name="torso" pos="0 0 1.25">
      <camera name="track" mode="trackcom" pos="0 -3 1"/>
      <joint name="rootx" type="slide" axis="1 0 0" limited="false" armature="0" damping="0"/>
      <joint name="rootz" type="slide" axis="0 0 1" limited="false" armature="0" damping="0"/>
      <joint name="rooty" type="hinge" axis="0 1 0" limited="false" armature="0" damping="0"/>
      <geom name="torso" type="capsule" fromto="0 0 0.25 0 0 -0.25" size="0.05"/>
      <body name="thigh" pos="0 0 -0.25" childclass="leg">
        <joint name="hip" axis="0 -1 0" range="-150 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.45" size="0.05"/>
        <body name="foot" pos="0 0 -0.45" euler="0 90 0" childclass="foot">
          <joint name="ankle" axis="0 -1 0" range="-45 45" damping="0.3"/>
          <geom type="capsule" fromto="0 0 0 0.1 0.05 0.2" size="0.06"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>)"}});
        ReferenceTree tree;
        const auto add = [&](const std::string& name,
                             const std::string& joint,
                             int parent,
                             bool slides,
                             const Vector3d& axis,
                             double q,
                             double v) -> TreeBody& {
            TreeBody body = at(name, joint, parent);
            body.joint = slides ? TreeBody::Joint::slide : TreeBody::Joint::hinge;
            body.axis = axis;
            body.q = q;
            body.v = v;
            return tree.bodies.emplace_back(body);
        };
        add("torso_1", "rootx", -1, true, {1, 0, 0}, 0.1, 0.3).p_home = {0, 0, 1.25};
        add("torso_2", "rootz", 0, true, {0, 0, 1}, -0.2, 0.5);
        make_capsule(add("torso", "rooty", 1, false, {0, 1, 0}, 0.3, -0.7),
                     0.05,
                     {0, 0, 0.25},
                     {0, 0, -0.25},
                     900.0);
        TreeBody& thigh = add("thigh", "hip", 2, false, {0, -1, 0}, -0.5, 1.1);
        thigh.p_home = {0, 0, -0.25};
        thigh.damping = 0.1;
        thigh.armature = 0.01;
        make_capsule(thigh, 0.05, {0, 0, 0}, {0, 0, -0.45}, 900.0);
        TreeBody& foot = add("foot", "ankle", 3, false, {0, -1, 0}, -0.4, 2.0);
        foot.p_home = {0, 0, -0.45};
        foot.R_home = Eigen::AngleAxisd(kPi / 2.0, Vector3d::UnitY()).toRotationMatrix();
        foot.damping = 0.3;
        foot.armature = 0.01;
        make_capsule(foot, 0.06, {0, 0, 0}, {0.1, 0.05, 0.2}, 500.0);
        compare(simulate(model.text, starts(tree)), tree, 1e-7);
        check_contains(model.text, "\nlimits = { lower = \"-150 deg\", upper = 0.0 }");
        check_contains(model.text, "step = 0.002");
        CHECK(has_note(model, "<light> has no part in the motion"));
        CHECK(has_note(model, "type plane"));
    }

    TEST_CASE("an arm with actuators of all kinds moves by their laws, and from its keyframe") {
        const ImportedModel model = import_files({{"arm.xml", R"(<mujoco model="arm">
  <compiler angle="radian" autolimits="true"/>
  <default>
    <motor ctrlrange="-1 1"/>
    <default class="servo"><position kp="30" kv="2" forcerange="-50 50"/></default>
  </default>
  <worldbody>
    <body name="a"><joint name="ja" axis="0 1 0"/><inertial pos="0 0 -0.2" mass="2" diaginertia="0.03 0.03 0.01"/>
      <body name="b" pos="0 0 -0.4"><joint name="jb" axis="0 1 0"/><inertial pos="0.1 0 -0.1" mass="1.5" diaginertia="0.02 0.02 0.01"/>
        <body name="c" pos="0 0.1 -0.3"><joint name="jc" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="0.7" diaginertia="0.002 0.002 0.001"/>
          <body name="d" pos="0.2 0 0"><joint name="jd" axis="1 0 0"/><inertial pos="0 0.05 0" mass="0.4" diaginertia="0.001 0.002 0.002"/>
            <body name="e" pos="0.1 0 0"><joint name="je" axis="0 0 1"/><inertial pos="0 0.05 0" mass="0.3" diaginertia="0.001 0.002 0.002"/></body>
          </body></body></body></body>
  </worldbody>
  <actuator>
    <motor name="ma" joint="ja" gear="20"/>
    <position name="mb" joint="jb" class="servo" gear="2"/>
    <velocity name="mc" joint="jc" kv="15"/>
    <general name="md" joint="jd" gainprm="3" biastype="affine" biasprm="0.5 -2 -0.1" gear="1.5"/>
    <damper name="me" joint="je" kv="0.6" ctrlrange="0 2"/>
    <position name="mf" joint="ja" kp="12" forcerange="-1 4"/>
  </actuator>
  <keyframe><key name="home" qpos="0.3 -0.5 0.05 0.7 0.2" qvel="1 -2 0.3 4 -1" ctrl="0.8 0.6 -0.4 0.9 1.5 0.9"/></keyframe>
</mujoco>)"}});
        ReferenceTree tree;
        const double q[] = {0.3, -0.5, 0.05, 0.7, 0.2}, v[] = {1, -2, 0.3, 4, -1};
        const Vector3d axes[] = {{0, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 0, 1}};
        const Vector3d places[] = {
            {0, 0, 0}, {0, 0, -0.4}, {0, 0.1, -0.3}, {0.2, 0, 0}, {0.1, 0, 0}};
        const Vector3d centers[] = {
            {0, 0, -0.2}, {0.1, 0, -0.1}, {0, 0, 0}, {0, 0.05, 0}, {0, 0.05, 0}};
        const double masses[] = {2, 1.5, 0.7, 0.4, 0.3};
        const Vector3d moments[] = {{0.03, 0.03, 0.01},
                                    {0.02, 0.02, 0.01},
                                    {0.002, 0.002, 0.001},
                                    {0.001, 0.002, 0.002},
                                    {0.001, 0.002, 0.002}};
        const double efforts[] = {20 * 0.8 + std::clamp(12 * (0.9 - 0.3), -1.0, 4.0),
                                  2 * std::min(50.0, 30 * (0.6 - 2 * -0.5) - 2 * 2 * -2),
                                  15 * (-0.4 - 0.3),
                                  1.5 * (3 * 0.9 + 0.5 - 2 * 1.5 * 0.7 - 0.1 * 1.5 * 4),
                                  -0.6 * -1 * 1.5};
        for (int i = 0; i < 5; ++i) {
            TreeBody body = at(std::string(1, static_cast<char>('a' + i)),
                               std::string("j") + static_cast<char>('a' + i),
                               i - 1);
            body.joint = i == 2 ? TreeBody::Joint::slide : TreeBody::Joint::hinge;
            body.axis = axes[i];
            body.p_home = places[i];
            body.q = q[i];
            body.v = v[i];
            body.mass = masses[i];
            body.center = centers[i];
            body.inertia = moments[i].asDiagonal();
            body.effort = efforts[i];
            tree.bodies.push_back(body);
        }
        compare(simulate(model.text), tree, 1e-10);
        check_contains(model.text, "ma_control = 0.8");
        check_contains(model.text, "# -1 to 1");
        CHECK(has_note(model, "the start is keyframe \"home\""));
    }

    TEST_CASE("a free robot begins where its keyframe says, with its velocities") {
        const ImportedModel model = import_files({{"dog.xml", R"(<mujoco model="dog">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body name="trunk" pos="0 0 0.445" childclass="">
      <freejoint/>
      <inertial pos="0.02 0 0.01" quat="0.7071067811865476 0 0.7071067811865476 0" mass="6.9" diaginertia="0.1 0.09 0.03"/>
      <site name="imu" pos="-0.02 0 0"/>
      <body name="leg" pos="0.19 0.05 0"><joint name="hip" axis="1 0 0" range="-0.8 0.8"/><inertial pos="0 0.05 -0.1" mass="0.7" diaginertia="5e-4 8e-4 5e-4"/></body>
    </body>
  </worldbody>
  <keyframe><key name="home" qpos="0.1 0.2 0.3 0.5 0.5 0.5 0.5 0.4" qvel="1 2 3 0.1 0.2 0.3 -0.6"/></keyframe>
</mujoco>)"}});
        Simulation simulation = simulate(model.text, {"integrator.end=0.2"});
        const auto pose = simulation.pose("trunk");
        CHECK(pose.position == std::array{0.1, 0.2, 0.3});
        for (const double x : pose.quaternion) CHECK(x == Near(0.5, 1e-15));
        CHECK(simulation.value("trunk.vx") == Near(1.0, 1e-14));
        CHECK(simulation.value("trunk.vz") == Near(3.0, 1e-14));
        CHECK(simulation.value("trunk.wy") == Near(0.2, 1e-14));
        CHECK(simulation.value("hip.angle") == Near(0.4, 1e-14));
        CHECK(simulation.value("hip.angle_rate") == Near(-0.6, 1e-13));
        // The leg is carried along
        CHECK(simulation.value("leg.vx") == Near(1.0 + 0.3 * 0.19 + 0.1 * 0.05, 0.5));
        run(simulation);
    }

    TEST_CASE("a ball joint with damping, in an included file and by frames") {
        const ImportedModel model = import_files(
            {{"main.xml", R"(<mujoco model="ball"><compiler angle="degree" eulerseq="XYZ"/>
  <worldbody><include file="bob.xml"/></worldbody></mujoco>)"},
             {"bob.xml", R"(<mujocoinclude>
  <frame pos="0.3 0 1" euler="20 30 40"><body name="bob" pos="0 0 0.2" euler="-10 15 5">
    <joint name="ball" type="ball" damping="0.7"/>
    <inertial pos="0.1 -0.2 0.3" mass="1.7" fullinertia="0.03 0.04 0.05 0.001 -0.002 0.003"/>
    <site name="tip" pos="0 0 0.5"/></body></frame></mujocoinclude>)"}});
        Simulation simulation =
            simulate(model.text, {"body.bob.angular_velocity=[0.5, -1.0, 2.0]"});
        const auto turn = [](int axis, double degrees) {
            return Eigen::AngleAxisd(degrees * kPi / 180.0, Vector3d::Unit(axis))
                .toRotationMatrix();
        };
        // Upper case: about axes that stay
        const Matrix3d F = turn(2, 40) * turn(1, 30) * turn(0, 20);
        const Matrix3d R = F * turn(2, 5) * turn(1, 15) * turn(0, -10);
        const auto pose = simulation.pose("bob");
        const Eigen::Quaterniond q(
            pose.quaternion[0], pose.quaternion[1], pose.quaternion[2], pose.quaternion[3]);
        CHECK((q.toRotationMatrix() - R).norm() <= tolerance(1e-13));
        const Vector3d p = Vector3d(0.3, 0, 1) + F * Vector3d(0, 0, 0.2);
        for (int i = 0; i < 3; ++i) CHECK(pose.position[i] == Near(p(i), 1e-14));
        // J a = c x m g - w x J w - d w about the ball, axes of the body
        const Vector3d c(0.1, -0.2, 0.3), w(0.5, -1.0, 2.0);
        Matrix3d J;
        J << 0.03, 0.001, -0.002, 0.001, 0.04, 0.003, -0.002, 0.003, 0.05;
        J += 1.7 * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
        const Vector3d a = J.inverse() * (c.cross(R.transpose() * Vector3d(0, 0, -1.7 * kG)) -
                                          w.cross(J * w) - 0.7 * w);
        const Dynamics dynamics = simulation.dynamics();
        const Vector3d x = R * c;
        const Vector3d wanted = (R * a).cross(x) + (R * w).cross((R * w).cross(x));
        for (int i = 0; i < 3; ++i)
            CHECK(dynamics.acceleration[i] == Near(wanted(i), tolerance(1e-11)));
        check_contains(model.text, "name = \"tip\"");
    }

    TEST_CASE("models of other files, twice, each by its name and at its place") {
        const std::string bob = R"(<sdf version="1.9"><model name="bob">
  <pose>9 9 9 0 0 0</pose>
  <link name="ball"><pose>0 0 0.5 0 0 0</pose><inertial><mass>2</mass><inertia>
    <ixx>0.1</ixx><iyy>0.2</iyy><izz>0.3</izz></inertia></inertial></link>
</model></sdf>)";
        const ImportedModel model =
            import_files({{"yard.sdf", R"(<sdf version="1.9"><world name="yard">
  <include><uri>model://bob</uri><name>left</name><pose>1 2 3 0 0 1.5707963267948966</pose></include>
  <include><uri>bob/other.sdf</uri><name>right</name><pose relative_to="left">1 0 0 0 0 0</pose></include>
  <model name="arm"><link name="hub"/><include><uri>bob</uri><pose>0 0 7 0 0 0</pose></include></model>
</world></sdf>)"},
                          {"bob/model.config",
                           "<model><sdf version=\"1.4\">old.sdf</sdf><sdf "
                           "version=\"1.9\">other.sdf</sdf></model>"},
                          {"bob/other.sdf", bob}});
        Simulation simulation = simulate(model.text);
        const auto place = [&](const std::string& name) {
            return simulation.pose(name).position;
        };
        const auto check = [](const std::array<double, 3>& x, const Vector3d& at) {
            for (int i = 0; i < 3; ++i) CHECK(x[i] == Near(at(i), 1e-14));
        };
        // Names have :: in the file and are written so that a manifest can have them.
        std::vector<std::string> names;
        for (const SceneBody& body : simulation.scene().bodies) names.push_back(body.name);
        REQUIRE(names.size() == 4);
        std::ranges::sort(names);
        check(place(names[0]), {0, 0, 7.5});
        check(place(names[1]), {0, 0, 0});
        check(place(names[2]), {1, 2, 3.5});
        check(place(names[3]), {1, 3, 3.5});
    }

    TEST_CASE("a parallelogram is closed by connect") {
        // Cranks are rods of 1 m, the coupler of 0.5 m moves in parallel
        const ImportedModel model = import_files({{"bar.xml", R"(<mujoco model="bar">
  <worldbody>
    <body name="left"><joint name="jl" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="1.2" diaginertia="0.1 0.1 1e-3"/>
      <body name="coupler" pos="0 0 -1"><joint name="jm" axis="0 1 0"/><inertial pos="0.25 0 0" mass="3" diaginertia="0.01 0.06 0.06"/></body></body>
    <body name="right" pos="0.5 0 0"><joint name="jr" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="1.2" diaginertia="0.1 0.1 1e-3"/></body>
  </worldbody>
  <equality><connect body1="coupler" body2="right" anchor="0.5 0 0" solref="0.02 1"/></equality>
</mujoco>)"}});
        // A side wind in place of a start that would have to close the loop
        Simulation simulation =
            simulate(model.text, {"model.gravity=[3.0, 0.0, -9.81]", "integrator.end=0.5"});
        const double J = 2.0 * (0.1 + 1.2 * 0.25) + 3.0;
        const double wind = 3.0 * (2.0 * 1.2 * 0.5 + 3.0);
        const Dynamics dynamics = simulation.dynamics();
        // The left rod's middle: x'' = -0.5 angle'', about y
        CHECK(dynamics.acceleration[0] == Near(0.5 * wind / J, tolerance(1e-10)));
        run(simulation);
        CHECK(simulation.value("jl.angle") == Near(simulation.value("jr.angle"), tolerance(1e-12)));
        CHECK(simulation.value("jm.angle") ==
              Near(-simulation.value("jr.angle"), tolerance(1e-12)));
        CHECK(std::abs(simulation.value("jl.angle")) > 0.1);
    }

    TEST_CASE("couplings, what is held, springs along tendons, reference values") {
        const ImportedModel model = import_files({{"m.xml", R"(<mujoco model="m">
  <compiler angle="degree"/>
  <worldbody>
    <site name="hook" pos="2 0 1"/>
    <body name="a"><joint name="ja" axis="0 0 1" ref="10" stiffness="4" springref="40"/><inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.3"/></body>
    <body name="b" pos="1 0 0"><joint name="jb" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.3 0.3 0.5"/></body>
    <body name="c" pos="2 0 0"><joint name="jc" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="2" diaginertia="0.3 0.3 0.5"/><site name="eye"/></body>
    <body name="d" pos="3 0 0"><joint name="jd" axis="0 1 0"/><inertial pos="0.1 0 0" mass="2" diaginertia="0.3 0.3 0.5"/></body>
  </worldbody>
  <tendon><spatial name="rope" stiffness="50" damping="3" springlength="0.8"><site site="hook"/><site site="eye"/></spatial></tendon>
  <equality>
    <joint name="gear" joint1="jb" joint2="ja" polycoef="0.2 -3 0 0 0"/>
    <joint joint1="jd" polycoef="0.4 0 0 0 0"/>
  </equality>
</mujoco>)"}});
        Simulation simulation = simulate(model.text);
        CHECK(simulation.value("ja.angle") == Near(10 * kPi / 180, 1e-14));
        CHECK(simulation.value("jb.angle") == Near(0.2, 1e-14));
        CHECK(simulation.value("jd.angle") == Near(0.4, 1e-14));
        // The body is as it stands in the file where its joint is at its reference
        CHECK(simulation.pose("a").quaternion[0] == Near(1.0, 1e-14));
        // (0.3 + 9 0.5) a = k (40 - 10 degrees); the first body's first base vector turns by it
        const double turn = 4.0 * 30.0 * kPi / 180.0 / (0.3 + 9.0 * 0.5);
        const Dynamics dynamics = simulation.dynamics();
        const auto bodies = simulation.body_states();
        REQUIRE(bodies[0].name == "a");
        const Eigen::Map<const Vector3d> e(bodies[0].q.data() + 3),
            a(dynamics.acceleration.data() + 3);
        CHECK((a - Vector3d(0, 0, turn).cross(Vector3d(e))).norm() <= tolerance(1e-10));
        // The slide hangs on a spring of 1 m that is 0.8 m long without force
        CHECK(dynamics.acceleration[24 + 2] == Near(50.0 * 0.2 / 2.0 - kG, tolerance(1e-11)));
        for (int i = 36; i < 48; ++i) CHECK(std::abs(dynamics.acceleration[i]) <= tolerance(1e-10));
        run(simulation);
        CHECK(simulation.value("jb.angle") - 0.2 ==
              Near(-3.0 * (simulation.value("ja.angle") - 10 * kPi / 180), tolerance(1e-12)));
    }

    TEST_CASE("a gripper: mirrored meshes of a package, fingers that mimic, what Gazebo adds") {
        const std::string stl =
            "solid s\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 100 0 0\nvertex 0 50 "
            "0\nendloop\nendfacet\nendsolid s\n";
        const ImportedModel model =
            import_files({{"hand_description/urdf/hand.urdf", R"(<?xml version="1.0"?>
<robot name="hand" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <link name="world"/>
  <link name="palm"><inertial><mass value="0.5"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial></link>
  <joint name="mount" type="fixed"><parent link="world"/><child link="palm"/><origin xyz="0 0 1"/></joint>
  <link name="left"><inertial><mass value="0.3"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
    <visual name="v"><geometry><mesh filename="package://hand_description/meshes/finger.stl" scale="0.001 0.001 0.001"/></geometry></visual></link>
  <link name="right"><inertial><mass value="0.2"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
    <visual><geometry><mesh filename="package://hand_description/meshes/finger.dae"/></geometry></visual>
    <collision><geometry><mesh filename="package://hand_description/meshes/finger.stl" scale="0.001 -0.001 0.001"/></geometry></collision></link>
  <link name="pad"><inertial><mass value="0.01"/><inertia ixx="1e-6" ixy="0" ixz="0" iyy="1e-6" iyz="0" izz="1e-6"/></inertial></link>
  <joint name="left_slide" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 0 1"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/></joint>
  <joint name="right_slide" type="prismatic"><parent link="palm"/><child link="right"/><origin xyz="0 0.1 0"/><axis xyz="0 0 1"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
    <mimic joint="left_slide" multiplier="-1" offset="0.02"/></joint>
  <joint name="glue" type="fixed"><parent link="right"/><child link="pad"/><origin xyz="0 0 0.05"/></joint>
  <gazebo reference="glue"><preserveFixedJoint>true</preserveFixedJoint></gazebo>
  <gazebo reference="left"><mu1>0.9</mu1><material>Gazebo/Grey</material></gazebo>
  <gazebo><plugin name="control" filename="lib.so"/></gazebo>
</robot>)"},
                          {"hand_description/meshes/finger.stl", stl}});
        check_contains(model.text, "mesh = \"hand_description/meshes/finger.stl\", scale = 0.001");
        check_contains(model.text, "scale = [0.001, -0.001, 0.001]");
        CHECK(has_note(model, "that of <collision> is shown"));
        CHECK(model.num_bodies == 4);
        // Without the pictures: the files are gone
        const auto made = [&](std::vector<std::string> overrides) {
            overrides.insert(overrides.end(), {"body.left.shape=none", "body.right.shape=none"});
            return simulate(model.text, overrides);
        };
        // The heavier finger rests on its stop
        for (const double a : made({}).dynamics().acceleration)
            CHECK(std::abs(a) <= tolerance(1e-12));
        Simulation simulation = made({"joint.left_slide.limits={lower=-9.0}"});
        CHECK(simulation.value("right_slide.displacement") == Near(0.02, 1e-15));
        CHECK(simulation.value("pad.z") == Near(1.07, 1e-14));
        // As over a pulley: (0.3 - 0.21) g over the sum of masses
        const Dynamics dynamics = simulation.dynamics();
        CHECK(dynamics.acceleration[12 + 2] == Near(-kG * 0.09 / 0.51, tolerance(1e-11)));
        CHECK(dynamics.acceleration[24 + 2] == Near(kG * 0.09 / 0.51, tolerance(1e-11)));
        run(simulation);
    }

    TEST_CASE("a vehicle: a base without mass is the ground, wheels turn") {
        const ImportedModel model = import_files({{"car.urdf", R"(<robot name="car">
  <link name="base_footprint"/>
  <link name="base_link"><inertial><mass value="5"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="base_joint" type="fixed"><parent link="base_footprint"/><child link="base_link"/><origin xyz="0 0 0.1"/></joint>
  <link name="wheel.left"><inertial><origin rpy="1.5707963267949 0 0"/><mass value="0.4"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="2e-3"/></inertial></link>
  <joint name="wheel.left" type="continuous"><parent link="base_link"/><child link="wheel.left"/><origin xyz="0 0.2 0"/><axis xyz="0 1 0"/><dynamics damping="0.02"/></joint>
  <link name="camera"/><joint name="camera_joint" type="fixed"><parent link="base_link"/><child link="camera"/><origin xyz="0.2 0 0.1"/></joint>
</robot>)"}});
        check_contains(model.text,
                       "name = \"wheel_left\"                  # \"wheel.left\" in the source");
        check_contains(model.text, "name = \"wheel_left_joint\"");
        check_contains(model.text, "{ name = \"camera\", position = [0.2, 0.0, 0.1] }");
        Simulation simulation = simulate(
            model.text,
            {"joint.wheel_left_joint.start={angle=0.0, angle_rate=3.0}", "integrator.end=0.5"});
        run(simulation);
        // J w' = -c w, J about the axis is 2e-3
        CHECK(simulation.value("wheel_left_joint.angle_rate") ==
              Near(3.0 * std::exp(-0.02 / 2e-3 * 0.5), tolerance(1e-4)));
        CHECK(simulation.value("base_link.z") == Near(0.1, 1e-15));
    }

    TEST_CASE("SDF: a screw, a cross, models in models, axes in the model's frame") {
        const ImportedModel model = import_files({{"m.sdf", R"(<sdf version="1.6">
<model name="m"><pose>0 0 2 0 0 1.5707963267949</pose>
  <link name="nut"><pose>0.5 0 0 0 0 0</pose><inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.04</izz></inertia></inertial></link>
  <joint name="thread" type="screw"><parent>world</parent><child>nut</child><axis><xyz>0 0 1</xyz></axis><thread_pitch>-10</thread_pitch></joint>
  <model name="cross"><pose>3 0 0 0 0 0</pose>
    <link name="bob"><inertial><pose>0.1 0.05 -0.4 0 0 0</pose><mass>1.5</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.01</izz></inertia></inertial></link>
    <joint name="u" type="universal"><parent>world</parent><child>bob</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
    <link name="arm"><pose>0 1 0 0.5 0 0</pose><inertial><pose>0 0 -0.3 0 0 0</pose><mass>1.5</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.01</izz></inertia></inertial></link>
    <joint name="old" type="revolute2"><parent>world</parent><child>arm</child>
      <axis><xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame><dynamics><damping>0.2</damping></dynamics></axis>
      <axis2><xyz>0 1 0.2</xyz></axis2></joint>
  </model>
</model></sdf>)"}});
        Simulation simulation = simulate(model.text);
        const Dynamics dynamics = simulation.dynamics();
        const double lead = 1.0 / 10.0;  // metres per radian
        CHECK(dynamics.acceleration[2] ==
              Near(-2.0 * 9.8 / (2.0 + 0.04 / (lead * lead)), tolerance(1e-11)));
        ReferenceTree tree;
        tree.gravity = {0, 0, -9.8};
        const Matrix3d M = Eigen::AngleAxisd(kPi / 2, Vector3d::UnitZ()).toRotationMatrix();
        const auto add =
            [&](const std::string& name, int parent, const Vector3d& axis) -> TreeBody& {
            TreeBody body = at(name, "", parent);
            body.joint = TreeBody::Joint::hinge;
            body.axis = axis;
            return tree.bodies.emplace_back(body);
        };
        const auto weigh = [](TreeBody& body, const Vector3d& center) {
            body.mass = 1.5;
            body.center = center;
            body.inertia = Vector3d(0.02, 0.03, 0.01).asDiagonal();
        };
        TreeBody& first = add("", -1, {1, 0, 0});
        first.R_home = M;
        first.p_home = Vector3d(0, 3, 2);
        weigh(add("cross_bob", 0, {0, 1, 0}), {0.1, 0.05, -0.4});
        TreeBody& second = add("old_cross", -1, {});
        second.R_home = M * Eigen::AngleAxisd(0.5, Vector3d::UnitX()).toRotationMatrix();
        second.p_home = Vector3d(-1, 3, 2);
        second.axis = Vector3d::UnitX();
        second.damping = 0.2;
        weigh(add("cross_arm", 2, {0, 1, 0.2}), {0, 0, -0.3});
        compare(simulation, tree, 1e-7);
        run(simulation);
        CHECK(simulation.value("thread.displacement") ==
              Near(lead * simulation.value("thread.angle"), tolerance(1e-12)));
    }

    TEST_CASE("mass of meshes: a box of triangles, mirrored, and with its own reference") {
        const auto corner = [](int i) {
            return fmt::format(
                "v {} {} {}\n", i & 1 ? 0.4 : 0.1, i & 2 ? 0.3 : -0.1, i & 4 ? 0.6 : 0.5);
        };
        std::string obj;
        for (int i = 0; i < 8; ++i) obj += corner(i);
        obj += "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
        for (const bool is_mirrored : {false, true}) {
            CAPTURE(is_mirrored);
            const double s = is_mirrored ? -2.0 : 2.0;
            const ImportedModel model = import_files(
                {{"m.xml",
                  fmt::format(R"(<mujoco model="m"><compiler angle="radian" meshdir="assets"/>
  <asset><mesh name="box" file="box.obj" scale="{} 1 1" refpos="0 0 0.5"/></asset>
  <worldbody><body name="b"><joint name="j" axis="0 1 0"/><geom type="mesh" mesh="box" pos="0 0 -1" density="800"/></body></worldbody>
</mujoco>)",
                              s)},
                 {"assets/box.obj", obj}});
            ReferenceTree tree;
            TreeBody body = at("b", "j", -1);
            body.joint = TreeBody::Joint::hinge;
            body.axis = {0, 1, 0};
            body.v = 2.0;
            const Vector3d edges(0.6, 0.4, 0.1);
            body.mass = 800.0 * edges.prod();
            body.center = {s * 0.25, 0.1, 0.55 - 0.5 - 1.0};
            const Vector3d squares = body.mass / 12.0 * edges.cwiseAbs2();
            body.inertia =
                Vector3d(squares(1) + squares(2), squares(0) + squares(2), squares(0) + squares(1))
                    .asDiagonal();
            tree.bodies.push_back(body);
            // Points of files are floats
            compare(simulate(model.text, {starts(tree)[0], "body.b.shape=none"}), tree, 1e-6);
            CHECK(simulate(model.text, {"body.b.shape=none"}).value("energy.potential") ==
                  Near(body.mass * kG * body.center(2), tolerance(2e-4)));
        }
    }

    TEST_CASE("solids by density: ellipsoid, cylinder, box, several of them, fitted totals") {
        const ImportedModel model = import_files(
            {{"m.xml", R"(<mujoco model="m"><compiler angle="radian" settotalmass="10"/>
  <worldbody><body name="b"><joint name="j" axis="1 0 0"/>
    <geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 0.5 0"/>
    <geom type="cylinder" size="0.1 0.3" pos="0 0 -0.4" mass="7"/>
    <geom type="box" size="0.1 0.2 0.05" density="2000" group="3"/></body></worldbody></mujoco>)"}});
        TreeBody cylinder;
        revolve(
            cylinder,
            1.0,
            [](double) {
                return 0.1;
            },
            -0.3,
            0.3);
        const double of_cylinder = cylinder.inertia(0, 0) * 7.0 / cylinder.mass;
        const double ellipsoid = 1000.0 * 4.0 / 3.0 * kPi * 0.1 * 0.2 * 0.3,
                     box = 2000.0 * 0.2 * 0.4 * 0.1;
        const double scale = 10.0 / (ellipsoid + 7.0 + box);
        const double J = scale * (ellipsoid * ((0.04 + 0.09) / 5.0 + 0.25) + of_cylinder +
                                  7.0 * 0.16 + box * (0.16 + 0.01) / 12.0);
        Simulation simulation = simulate(model.text, {"joint.j.start={angle=0.0, angle_rate=1.0}"});
        CHECK(simulation.value("energy.kinetic") == Near(0.5 * J, tolerance(1e-9)));
        check_contains(model.text, "mass = 10.0");
    }

    TEST_CASE("what floats and what slides on a plane falls as far as it may") {
        const ImportedModel model = import_files({{"m.urdf", R"(<robot name="m">
  <link name="odom"/>
  <link name="free"><inertial><origin xyz="0.1 0 0"/><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="f" type="floating"><parent link="odom"/><child link="free"/><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/></joint>
  <link name="puck"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="p" type="planar"><parent link="odom"/><child link="puck"/><origin xyz="0 0 1" rpy="0.3 0 0"/><axis xyz="0 0 1"/></joint>
</robot>)"}});
        Simulation simulation = simulate(model.text);
        const Dynamics dynamics = simulation.dynamics();
        CHECK(dynamics.acceleration[2] == Near(-kG, tolerance(1e-12)));
        CHECK(simulation.value("free.y") == Near(2.0, 1e-15));
        CHECK(simulation.pose("free").quaternion[3] == Near(std::sqrt(0.5), 1e-15));
        // Down a slope of 0.3 rad
        CHECK(dynamics.acceleration[12 + 1] ==
              Near(-kG * std::sin(0.3) * std::cos(0.3), tolerance(1e-11)));
        CHECK(dynamics.acceleration[12 + 2] ==
              Near(-kG * std::sin(0.3) * std::sin(0.3), tolerance(1e-11)));
        run(simulation);
    }

    // A joint whose link carries no mass is none: its actuators and couplings must not fall to
    // another joint.
    TEST_CASE("what drives or follows a joint without anything on it drives nothing else") {
        const ImportedModel model =
            import_files({{"m.xml", R"(<mujoco model="m"><compiler angle="radian"/>
  <worldbody>
    <body name="a"><joint name="ja" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
    <body name="b" pos="1 0 0"><joint name="jb" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
      <body name="empty"><joint name="je" axis="0 1 0"/><geom size="0.1" mass="0"/></body></body>
  </worldbody>
  <equality><joint joint1="jb" joint2="ja" polycoef="0 -2 0 0 0"/></equality>
  <actuator><motor name="of_nothing" joint="je" gear="100"/><motor name="lift" joint="jb" gear="5"/></actuator>
  <keyframe><key ctrl="1 0.7"/></keyframe>
</mujoco>)"}},
                         true);
        CHECK(model.text.find("of_nothing") == std::string::npos);
        CHECK(std::ranges::any_of(model.notes, [](const std::string& note) {
            return note.find("what drives joints that carry no mass is left out") !=
                   std::string::npos;
        }));
        // b moves by -2 of a: (m_b + m_a / 4) x'' = 3.5 - m_b g + m_a g / 2
        Simulation simulation = simulate(model.text);
        const Dynamics dynamics = simulation.dynamics();
        REQUIRE(simulation.body_states().size() == 2);
        CHECK(dynamics.acceleration[12 + 2] ==
              Near((0.7 * 5 - 2 * kG + kG / 2) / 2.25, tolerance(1e-11)));
        run(simulation);
    }

    TEST_CASE("URDF of Bullet: a ball joint, no limits, an axis that is not used") {
        const auto robot = [](const char* limits) {
            return fmt::format(R"(<robot name="r">
  <link name="base"/>
  <link name="a"><inertial><origin xyz="0 0 -1"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="b"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="c"><inertial><origin xyz="0 0 -1"/><mass value="4"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="ball" type="spherical"><parent link="base"/><child link="a"/><axis xyz="0 0 0"/></joint>
  <joint name="weld" type="fixed"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 0"/></joint>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="c"/><axis xyz="1 0 0"/>{}</joint>
</robot>)",
                               limits);
        };
        const ImportedModel model =
            import_files({{"r.urdf", robot("<limit lower=\"1\" upper=\"-1\"/>")}}, true);
        CHECK(model.text.find("limits =") == std::string::npos);
        REQUIRE(model.left_out.size() == 1);
        check_contains(model.left_out[0], "lower is above upper");
        Simulation simulation = simulate(model.text);
        CHECK(simulation.body_states().size() == 2);  // a and b are one
        run(simulation);
        CHECK_THROWS(import_files({{"r.urdf", robot("<limit lower=\"1\" upper=\"-1\"/>")}}));
    }

    TEST_CASE("welds, motors on sums of joints, static bodies of the world") {
        const ImportedModel model =
            import_files({{"m.xml", R"(<mujoco model="m"><compiler angle="radian"/>
  <worldbody>
    <body name="table" pos="0 0 -1"><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>
      <body name="a"><joint name="ja" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body>
    <body name="b" pos="1 0 0"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body>
    <body name="c" pos="2 0 0"><joint name="jc" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="4" diaginertia="1 1 1"/></body>
  </worldbody>
  <tendon><fixed name="sum"><joint joint="ja" coef="2"/><joint joint="jc" coef="-3"/></fixed></tendon>
  <equality><weld body1="a" body2="b"/></equality>
  <actuator><motor name="m" tendon="sum" gear="5"/></actuator>
  <keyframe><key ctrl="0.7"/></keyframe>
</mujoco>)"}});
        Simulation simulation = simulate(model.text);
        const Dynamics dynamics = simulation.dynamics();
        REQUIRE(simulation.body_states().size() == 4);
        CHECK(dynamics.acceleration[12 + 2] == Near((0.7 * 5 * 2 - 3 * kG) / 3, tolerance(1e-11)));
        CHECK(dynamics.acceleration[24 + 2] == Near((0.7 * 5 * 2 - 3 * kG) / 3, tolerance(1e-11)));
        CHECK(dynamics.acceleration[36 + 2] == Near((-0.7 * 5 * 3 - 4 * kG) / 4, tolerance(1e-11)));
        check_contains(model.text, "m_control = 0.7");
        run(simulation);
    }

    TEST_CASE("SDF: mass by density, a loop of joints, a joint that mimics, what is static") {
        const ImportedModel model = import_files({{"m.sdf", R"(<sdf version="1.11"><world name="w">
<gravity>3 0 -9.81</gravity><physics name="p" type="ode"><max_step_size>0.002</max_step_size></physics>
<model name="floor"><static>true</static><link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
<model name="m">
  <link name="left"><inertial><pose>0 0 -0.5 0 0 0</pose><mass>1.2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.001</izz></inertia></inertial></link>
  <link name="coupler"><pose>0 0 -1 0 0 0</pose><inertial><pose>0.25 0 0 0 0 0</pose><mass>3</mass><inertia><ixx>0.01</ixx><iyy>0.06</iyy><izz>0.06</izz></inertia></inertial></link>
  <link name="right"><pose>0.5 0 0 0 0 0</pose><inertial><pose>0 0 -0.5 0 0 0</pose><mass>1.2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.001</izz></inertia></inertial></link>
  <joint name="jl" type="revolute"><parent>world</parent><child>left</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="jm" type="revolute"><parent>left</parent><child>coupler</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="jr" type="revolute"><parent>world</parent><child>right</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="close" type="ball"><pose>0.5 0 0 0 0 0</pose><parent>right</parent><child>coupler</child></joint>
  <link name="rod"><pose>5 0 0 0 0 0</pose><inertial auto="true"><density>500</density></inertial>
    <collision name="c"><pose>0 0 -0.3 0 0 0</pose><geometry><cylinder><radius>0.1</radius><length>0.6</length></cylinder></geometry></collision></link>
  <joint name="jrod" type="continuous"><parent>world</parent><child>rod</child><axis><xyz>1 0 0</xyz></axis></joint>
  <link name="wheel"><pose>6 0 0 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>0.5</ixx><iyy>0.4</iyy><izz>0.4</izz></inertia></inertial></link>
  <joint name="jw" type="continuous"><parent>world</parent><child>wheel</child><axis><xyz>1 0 0</xyz><mimic joint="jrod"><multiplier>-2</multiplier><offset>0.1</offset><reference>0</reference></mimic></axis></joint>
</model></world></sdf>)"}});
        CHECK(has_note(model, "a static model"));
        Simulation simulation = simulate(model.text, {"integrator.end=0.3"});
        const Dynamics dynamics = simulation.dynamics();
        const double J = 2.0 * (0.1 + 1.2 * 0.25) + 3.0, wind = 3.0 * (2.0 * 1.2 * 0.5 + 3.0);
        CHECK(dynamics.acceleration[0] == Near(0.5 * wind / J, tolerance(1e-10)));
        CHECK(simulation.value("m_jw.angle") == Near(0.1, 1e-14));
        check_contains(model.text, "step = 0.002");
        const double m = 500.0 * kPi * 0.01 * 0.6;
        check_contains(model.text, fmt::format("mass = {:.15g}", m));
        run(simulation);
        CHECK(simulation.value("m_jl.angle") ==
              Near(simulation.value("m_jr.angle"), tolerance(1e-12)));
        CHECK(simulation.value("m_jw.angle") - 0.1 ==
              Near(-2.0 * simulation.value("m_jrod.angle"), tolerance(1e-12)));
    }
}

}  // namespace ancora::testing
