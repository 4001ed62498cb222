// SPDX-License-Identifier: BSD-3-Clause
// Functions of a C program as forces and constraints, analyses from C, and calls in any order.
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "c_handles.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

using namespace ancora;
using namespace ancora::testing;

namespace {

int pull(std::size_t num_points,
         double,
         const double* position,
         const double* velocity,
         double* force,
         void* user) {
    const double k = *static_cast<double*>(user);
    if (k < 0.0) return 3;
    for (std::size_t i = 0; i < 3 * num_points; ++i)
        force[i] = -k * position[i] - 0.1 * velocity[i];
    return 0;
}

int on_sphere(std::size_t, double, const double* r, double* phi, void*) {
    phi[0] = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1.0;
    return 0;
}

struct Meddler {
    ancora_session* session;
    ancora_simulation* simulation = nullptr;
    ancora_status stepped = ANCORA_OK, read = ANCORA_OK;
};
int meddle(std::size_t, double, const double*, const double*, double*, void* user) {
    auto& it = *static_cast<Meddler*>(user);
    if (it.simulation == nullptr) return 0;
    double x = 0.0;
    it.stepped = ancora_step(it.simulation);
    it.read = ancora_value(it.simulation, "ball.x", &x);
    ancora_simulation_free(it.simulation);  // does nothing
    return 0;
}

std::string ball_model(const char* more) {
    return std::string(
               "[model]\nname = \"ball\"\n[[body]]\nname = \"ball\"\ntype = \"particle\"\n"
               "mass = 2.0\nposition = [1.0, 0.0, 0.0]\nvelocity = [0.0, 1.0, 0.0]\n") +
           more + "[integrator]\ntype = \"emm\"\nstep = 1e-2\nend = 1.0\n";
}

}  // namespace

TEST_CASE("functions as forces and constraints, with the bits that C++ has") {
    const SessionHandle session = new_session();
    double k = 40.0;
    REQUIRE(ancora_session_add_force(session.get(), "pull", &pull, &k) == ANCORA_OK);
    REQUIRE(ancora_session_add_constraint(session.get(), "on_sphere", 1, 0, &on_sphere, nullptr) ==
            ANCORA_OK);
    const std::string text = ball_model(
        "[[force]]\nname = \"it\"\ntype = \"pull\"\nat = [\"ball@0\"]\n"
        "[[constraint]]\nname = \"bowl\"\ntype = \"on_sphere\"\nat = \"ball@0\"\n");
    const ModelHandle model = parsed(session, text);
    const SimulationHandle handle = simulation_of(session, model);
    REQUIRE(ancora_run(handle.get(), 1.0, nullptr, nullptr) == ANCORA_OK);

    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    registry.add(
        ForceFunction{"pull",
                      [&](const FunctionPoint& at, std::span<double> force) {
                          pull(1, at.t, at.position.data(), at.velocity.data(), force.data(), &k);
                      },
                      ""});
    registry.add(ConstraintFunction{"on_sphere",
                                    1,
                                    false,
                                    [](double t, std::span<const double> r, std::span<double> phi) {
                                        on_sphere(1, t, r.data(), phi.data(), nullptr);
                                    },
                                    ""});
    Simulation same(Manifest::parse(text, "test.toml"), registry);
    while (!same.done()) same.step();
    const Eigen::VectorXd q = state(handle.get(), &ancora_q);
    CHECK(std::memcmp(q.data(), same.q().data(), sizeof(double) * 3) == 0);
    CHECK(std::abs(q.norm() - 1.0) <= 1e-13);

    // failures are reported, and recoverable
    const SimulationHandle second = simulation_of(session, model);
    k = -1.0;
    CHECK(ancora_step(second.get()) == ANCORA_PLUGIN);
    CHECK(message(session).find("the function returned 3") != std::string::npos);
    k = 40.0;
    CHECK(ancora_step(second.get()) == ANCORA_OK);

    CHECK(ancora_session_add_force(session.get(), "pull", &pull, &k) == ANCORA_PLUGIN);
    CHECK(message(session).find("in use") != std::string::npos);
    CHECK(ancora_session_add_force(session.get(), "other", nullptr, &k) == ANCORA_USAGE);
    CHECK(ancora_session_add_force(session.get(), nullptr, &pull, &k) == ANCORA_USAGE);
    CHECK(ancora_session_add_constraint(session.get(), "none", 0, 0, &on_sphere, nullptr) ==
          ANCORA_USAGE);
    CHECK(ancora_session_add_constraint(
              session.get(), "many", std::size_t(1) << 40, 0, &on_sphere, nullptr) == ANCORA_USAGE);
}

TEST_CASE("a function that is a force calls nothing of its session") {
    const SessionHandle session = new_session();
    Meddler meddler{session.get()};
    REQUIRE(ancora_session_add_force(session.get(), "meddler", &meddle, &meddler) == ANCORA_OK);
    const ModelHandle model = parsed(
        session, ball_model("[[force]]\nname = \"it\"\ntype = \"meddler\"\nat = \"ball@0\"\n"));
    const SimulationHandle handle = simulation_of(session, model);
    meddler.simulation = handle.get();
    REQUIRE(ancora_step(handle.get()) == ANCORA_OK);
    CHECK(meddler.stepped == ANCORA_USAGE);
    CHECK(meddler.read == ANCORA_USAGE);
    double x = 0.0;
    CHECK(ancora_value(handle.get(), "ball.x", &x) == ANCORA_OK);
}

namespace {

/// A force in which the first thread waits.
struct Gate {
    std::atomic<bool> is_shut = false, is_inside = false;
};
int wait_at(std::size_t, double, const double*, const double*, double*, void* user) {
    Gate& gate = *static_cast<Gate*>(user);
    gate.is_inside = true;
    while (gate.is_shut) std::this_thread::yield();
    return 0;
}

}  // namespace

TEST_CASE("a call while another thread is inside one is refused by both their names") {
    const SessionHandle session = new_session();
    Gate gate;
    REQUIRE(ancora_session_add_force(session.get(), "gate", wait_at, &gate) == ANCORA_OK);
    const std::string text =
        "[[body]]\nname = \"ball\"\ntype = \"particle\"\nmass = 1\n"
        "[[force]]\nname = \"push\"\ntype = \"gate\"\nat = \"ball@0\"\n"
        "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n";
    ancora_model* made = nullptr;
    REQUIRE(ancora_model_parse(session.get(), text.data(), text.size(), nullptr, &made) ==
            ANCORA_OK);
    const ModelHandle model(made);
    ancora_simulation* begun = nullptr;
    REQUIRE(ancora_simulation_new(model.get(), &begun) == ANCORA_OK);
    const SimulationHandle simulation(begun);

    gate.is_shut = true;
    gate.is_inside = false;
    ancora_status stepped = ANCORA_INTERNAL;
    std::thread first([&] {
        stepped = ancora_step(simulation.get());
    });
    while (!gate.is_inside) std::this_thread::yield();
    double value = 0.0;
    const ancora_status refused = ancora_value(simulation.get(), "ball.x", &value);
    const std::string why = message(session);
    const SessionHandle other = new_session();  // which is free
    gate.is_shut = false;
    first.join();
    CHECK(refused == ANCORA_USAGE);
    CHECK(why.starts_with("ancora_value: another thread is inside ancora_step"));
    CHECK(stepped == ANCORA_OK);
    CHECK(ancora_value(simulation.get(), "ball.x", &value) == ANCORA_OK);
    CHECK(message(session).empty());
    CHECK(ancora_step(simulation.get()) == ANCORA_OK);
}

TEST_CASE("rest, modes and linear models, as C++ has them") {
    const SessionHandle session = new_session();
    // A motor with a current has no rest by derivatives.
    const ModelHandle driven = parsed(session, kArm);
    const SimulationHandle with_motor = simulation_of(session, driven);
    CHECK(ancora_find_equilibrium(with_motor.get(), 0, nullptr) == ANCORA_MODEL);
    CHECK(message(session).find("motor") != std::string::npos);

    std::string arm = kArm;
    const std::size_t motor = arm.find("[[force]]");
    arm.erase(motor, arm.find("[integrator]") - motor);
    const ModelHandle model = parsed(session, arm);
    const SimulationHandle handle = simulation_of(session, model);
    ancora_simulation* const it = handle.get();
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    Simulation same(Manifest::parse(arm, "test.toml"), registry);

    std::size_t count = 7;
    char text[64] = "#";
    CHECK(ancora_unstable_part(it, text, sizeof text, nullptr) == ANCORA_USAGE);
    CHECK(ancora_mode_shape(it, 0, nullptr, 0, &count) == ANCORA_USAGE);
    CHECK(ancora_linear_matrix(it, ANCORA_LINEAR_A, nullptr, 0, &count, nullptr) == ANCORA_USAGE);
    CHECK(count == 7);
    ancora_equilibrium rest{};
    CHECK(ancora_find_equilibrium(it, 0, &rest) == ANCORA_USAGE);  // its size is not said
    rest.size = sizeof rest;
    const ancora_status found = ancora_find_equilibrium(it, 0, &rest);
    REQUIRE_MESSAGE(found == ANCORA_OK, message(session));
    const Equilibrium expected = same.find_equilibrium();
    CHECK(rest.degrees_of_freedom == expected.degrees_of_freedom);
    CHECK(rest.degrees_of_freedom == 4);
    CHECK(rest.stability == static_cast<std::int32_t>(expected.stability));
    CHECK(rest.num_neutral == expected.num_neutral);
    CHECK(rest.moved == expected.moved);
    CHECK(rest.newton_steps == expected.newton_steps);
    CHECK(ancora_unstable_part(it, text, sizeof text, &count) == ANCORA_OK);
    CHECK(std::string(text).empty());
    const Eigen::VectorXd q = state(it, &ancora_q);
    CHECK(std::memcmp(q.data(), same.q().data(), sizeof(double) * 24) == 0);

    ancora_modes modes{};
    modes.size = sizeof modes;
    REQUIRE(ancora_find_modes(it, 0, &modes) == ANCORA_OK);
    const Modes all = same.modes();
    REQUIRE(modes.count == all.modes.size());
    CHECK(modes.degrees_of_freedom == all.degrees_of_freedom);
    CHECK(modes.is_complete == 1);
    CHECK(modes.is_spinning == 0);
    for (std::size_t k = 0; k < modes.count; ++k) {
        ancora_mode mode{};
        mode.size = sizeof mode;
        REQUIRE(ancora_mode_values(it, k, &mode) == ANCORA_OK);
        CHECK(mode.frequency == all.modes[k].frequency);
        CHECK(mode.damping == all.modes[k].damping);
        CHECK(mode.eigenvalue[0] == all.modes[k].eigenvalue.real());
        CHECK(mode.eigenvalue[1] == all.modes[k].eigenvalue.imag());
        double shape[48] = {};
        REQUIRE(ancora_mode_shape(it, k, shape, 48, &count) == ANCORA_OK);
        CHECK(count == 48);
        CHECK(shape[46] == all.modes[k].shape[23].real());
        CHECK(shape[47] == all.modes[k].shape[23].imag());
        double energies[2] = {};
        REQUIRE(ancora_mode_energies(it, k, energies, 2, &count) == ANCORA_OK);
        CHECK(count == 2);
        CHECK(energies[0] == all.modes[k].bodies[0].energy);
        CHECK(energies[1] == all.modes[k].bodies[1].energy);
    }
    ancora_mode none{};
    none.size = sizeof none;
    CHECK(ancora_mode_values(it, modes.count, &none) == ANCORA_USAGE);

    const char* const inputs[] = {"shoulder.angle", "lower@[0.3, 0, 0].x"};
    const char* const outputs[] = {"shoulder.angle", "lower.vz", "shoulder.angle_rate"};
    REQUIRE(ancora_linearize(it, inputs, 2, outputs, 3) == ANCORA_OK);
    const LinearModel linear =
        same.linearize({inputs[0], inputs[1]}, {outputs[0], outputs[1], outputs[2]});
    const std::pair<std::int32_t, const std::vector<double>*> parts[] = {
        {ANCORA_LINEAR_A, &linear.A},
        {ANCORA_LINEAR_B, &linear.B},
        {ANCORA_LINEAR_C, &linear.C},
        {ANCORA_LINEAR_D, &linear.D},
        {ANCORA_LINEAR_T, &linear.T},
        {ANCORA_LINEAR_REST, &linear.at}};
    for (const auto& [which, values] : parts) {
        CAPTURE(which);
        std::size_t rows = 0, columns = 0;
        REQUIRE(ancora_linear_matrix(it, which, nullptr, 0, &rows, &columns) == ANCORA_OK);
        REQUIRE(rows * columns == values->size());
        std::vector<double> out(rows * columns);
        REQUIRE(ancora_linear_matrix(it, which, out.data(), out.size(), nullptr, nullptr) ==
                ANCORA_OK);
        CHECK(out == *values);
    }
    CHECK(ancora_linear_matrix(it, 6, nullptr, 0, nullptr, nullptr) == ANCORA_USAGE);
    const char* const nothing[] = {"lower.q"};
    CHECK(ancora_linearize(it, inputs, 2, nothing, 1) == ANCORA_USAGE);
    CHECK(ancora_linearize(it, nullptr, 2, outputs, 3) == ANCORA_USAGE);

    CHECK(ancora_joint_matrix(it, ANCORA_JOINT_M, nullptr, 0, nullptr, nullptr) == ANCORA_USAGE);
    const char* const of[] = {"lower", "lower@[0.3, 0, 0]", "shoulder.angle"};
    REQUIRE(ancora_joint_space(it, nullptr, 0, of, 3) == ANCORA_OK);
    const JointSpace joints = same.joint_space({}, {of[0], of[1], of[2]});
    const std::pair<std::int32_t, const std::vector<double>*> joint_parts[] = {
        {ANCORA_JOINT_M, &joints.M},
        {ANCORA_JOINT_C, &joints.C},
        {ANCORA_JOINT_BIAS, &joints.bias},
        {ANCORA_JOINT_T, &joints.T}};
    for (const auto& [which, values] : joint_parts) {
        CAPTURE(which);
        std::size_t rows = 0, columns = 0;
        REQUIRE(ancora_joint_matrix(it, which, nullptr, 0, &rows, &columns) == ANCORA_OK);
        REQUIRE(rows * columns == values->size());
        std::vector<double> out(rows * columns);
        REQUIRE(ancora_joint_matrix(it, which, out.data(), out.size(), nullptr, nullptr) ==
                ANCORA_OK);
        CHECK(out == *values);
    }
    std::size_t rows = 0, columns = 0;
    REQUIRE(ancora_joint_matrix(it, ANCORA_JOINT_J, nullptr, 0, &rows, &columns) == ANCORA_OK);
    CHECK(rows == 6 + 3 + 1);
    CHECK(columns == joints.coordinates.size());
    CHECK(ancora_joint_matrix(it, 8, nullptr, 0, nullptr, nullptr) == ANCORA_USAGE);
    char names[200] = {};
    REQUIRE(ancora_joint_names(it, names, sizeof names, nullptr) == ANCORA_OK);
    CHECK(std::string(names).starts_with(joints.coordinates[0].name));
    REQUIRE(ancora_joint_remarks(it, names, sizeof names, nullptr) == ANCORA_OK);

    const char* const wanted[] = {"shoulder.angle"};
    const std::size_t counts[] = {1};
    const double values[] = {0.25};
    ancora_placement placement{};
    CHECK(ancora_inverse_kinematics(it, wanted, counts, 1, values, &placement) == ANCORA_USAGE);
    placement.size = sizeof placement;
    CHECK(ancora_inverse_kinematics(it, wanted, counts, 1, nullptr, &placement) == ANCORA_USAGE);
    REQUIRE(ancora_inverse_kinematics(it, wanted, counts, 1, values, &placement) == ANCORA_OK);
    CHECK(placement.is_reached == 1);
    const KinematicTarget target{"shoulder.angle", {0.25}};
    const InverseKinematics placed = same.inverse_kinematics({&target, 1});
    CHECK(placement.iterations == placed.iterations);
    CHECK(placement.num_free == placed.num_free);
    CHECK(same.value("shoulder.angle") == doctest::Approx(0.25).epsilon(1e-10));

    const double torque[3] = {0.0, 0.5, 0.0};
    CHECK(ancora_apply_torque(it, "nobody", torque) == ANCORA_MODEL);
    CHECK(ancora_apply_torque(it, "lower", nullptr) == ANCORA_USAGE);
    REQUIRE(ancora_apply_torque(it, "lower", torque) == ANCORA_OK);
    CHECK(ancora_find_modes(it, 0, nullptr) == ANCORA_USAGE);
    CHECK(message(session).find("torque") != std::string::npos);
    same.apply_torque("lower", {0.0, 0.5, 0.0});
    for (int i = 0; i < 50; ++i) {
        REQUIRE(ancora_step(it) == ANCORA_OK);
        same.step();
    }
    const Eigen::VectorXd moved = state(it, &ancora_q);
    CHECK(std::memcmp(moved.data(), same.q().data(), sizeof(double) * 24) == 0);
    CHECK((moved - q).norm() > 1e-4);
}

TEST_CASE("any order of calls with any arguments leaves the process whole") {
    std::mt19937 random(11);
    const auto pick = [&](int count) {
        return std::uniform_int_distribution<int>(0, count - 1)(random);
    };
    const SessionHandle session = new_session();
    const ModelHandle model = parsed(session, kArm);
    SimulationHandle handle = simulation_of(session, model);
    std::vector<unsigned char> bytes;
    std::vector<double> buffer(600);
    const char* const names[] = {"upper",
                                 "motor.voltage",
                                 "",
                                 "shoulder.angle",
                                 "lower@[0, 0, 0]",
                                 "@",
                                 "t",
                                 "\xff\xfe",
                                 "upper@[1e999, 0, 0]",
                                 "ground",
                                 "shoulder",
                                 nullptr,
                                 "upper@[",
                                 "lower.x"};
    int good = 0;
    for (int i = 0; i < 4000; ++i) {
        ancora_simulation* const it = handle.get();
        const char* const name = names[pick(std::size(names))];
        const std::size_t capacity = static_cast<std::size_t>(pick(600));
        const double number = std::array{
            0.0, 1.0, -3.0, std::nan(""), 1e300, 12.0}[static_cast<std::size_t>(pick(6))];
        std::size_t count = 0;
        double out[4];
        ancora_status status = ANCORA_OK;
        switch (pick(20)) {
            case 0:
                status = ancora_step(it);
                break;
            case 1:
                status = ancora_value(it, name, out);
                break;
            case 2:
                status = ancora_set_input(it, name, number);
                break;
            case 3: {
                const double force[3] = {number, 0.0, 1.0};
                status = ancora_apply_force(it, name, force);
                break;
            }
            case 4:
                status = ancora_point(it, name, out, nullptr);
                break;
            case 5:
                status = ancora_pose(it, name, nullptr, out, nullptr, nullptr);
                break;
            case 6:
                status = ancora_reaction(it, name, buffer.data(), capacity, &count);
                break;
            case 7:
                status = ancora_vector(it, pick(8) - 1, buffer.data(), capacity, &count);
                break;
            case 8:
                status = ancora_matrix(it, pick(4) - 1, buffer.data(), capacity, &count, nullptr);
                break;
            case 9:
                status = ancora_point_jacobian(it, name, buffer.data(), capacity, &count);
                break;
            case 10:
                bytes.resize(30000);
                status = ancora_save(it, bytes.data(), bytes.size(), &count);
                bytes.resize(status == ANCORA_OK ? count : 0);
                break;
            case 11:
                if (!bytes.empty() && pick(2) == 0)
                    bytes[pick(static_cast<int>(bytes.size()))] ^= 0x10;
                status = ancora_restore(it, bytes.data(), bytes.size());
                break;
            case 12:
                status = ancora_q(it, buffer.data(), capacity, &count);
                break;
            case 13:
                status = ancora_release_input(it, name);
                break;
            case 14:
                status = ancora_run(it, number * 1e-3, nullptr, nullptr);
                break;
            case 15:
                status = ancora_sample(it, buffer.data(), capacity, &count);
                break;
            case 16:
                status = ancora_set_state(it, buffer.data(), buffer.data() + 24, capacity % 26);
                break;
            case 17:
                status = ancora_reset(it);
                break;
            case 18: {
                ancora_simulation* changed = nullptr;
                status = ancora_changed(it, model.get(), &changed);
                if (status == ANCORA_OK && pick(2) == 0)
                    handle.reset(changed);
                else
                    ancora_simulation_free(changed);
                break;
            }
            default:
                if (pick(20) == 0) handle = simulation_of(session, model);
                continue;
        }
        good += status == ANCORA_OK ? 1 : 0;
        CHECK(status >= ANCORA_OK);
        CHECK(status <= ANCORA_BUFFER);
        CHECK(status != ANCORA_INTERNAL);
        CHECK((status == ANCORA_OK) == message(session).empty());
    }
    CHECK(good > 300);
}

TEST_CASE("derivatives, fits and copies from C, and what is refused") {
    const SessionHandle session = new_session();
    const ModelHandle model = parsed(session, ball_model(""));
    std::size_t count = 0;
    CHECK(ancora_gradient_values(model.get(), 0, nullptr, 0, &count) == ANCORA_USAGE);
    CHECK(message(session).find("call ancora_gradient() first") != std::string::npos);
    CHECK(ancora_fit_values(model.get(), 0, nullptr, 0, &count) == ANCORA_USAGE);

    // y = v t, x = 1
    const char* const of[] = {"ball.y", "ball.x"};
    const char* const by[] = {"body.ball.velocity[1]"};
    REQUIRE(ancora_gradient(model.get(), of, 2, by, 1, 1) == ANCORA_OK);
    double derivatives[2] = {};
    REQUIRE(ancora_gradient_values(
                model.get(), ANCORA_GRADIENT_DERIVATIVES, derivatives, 2, &count) == ANCORA_OK);
    CHECK(count == 2);
    CHECK(derivatives[0] == near(1.0, 1e-9));
    CHECK(derivatives[1] == near(0.0, 1e-9));
    CHECK(ancora_gradient_values(model.get(), 9, derivatives, 2, nullptr) == ANCORA_USAGE);
    CHECK(ancora_gradient_remark(model.get(), 2, 0, nullptr, 0, &count) == ANCORA_USAGE);
    char key[40] = {};
    REQUIRE(ancora_gradient_key(model.get(), 0, key, sizeof key, &count) == ANCORA_OK);
    CHECK(std::string(key) == by[0]);
    CHECK(ancora_gradient_key(model.get(), 1, key, sizeof key, &count) == ANCORA_USAGE);
    const char* const ball[] = {"body.ball"};
    REQUIRE(ancora_gradient(model.get(), of, 2, ball, 1, 1) == ANCORA_OK);
    REQUIRE(ancora_gradient_key(model.get(), 0, key, sizeof key, &count) == ANCORA_OK);
    CHECK(std::string(key) == "body.ball.mass");

    const double t[] = {0.2, 0.6, 1.0}, y[] = {0.3, 0.9, 1.5}, back[] = {0.2, 0.2, 1.0};
    REQUIRE(ancora_fit(model.get(), t, 3, of, 1, y, by, 1, 1) == ANCORA_OK);
    double value = 0.0;
    REQUIRE(ancora_fit_values(model.get(), ANCORA_FIT_PARAMETERS, &value, 1, nullptr) == ANCORA_OK);
    CHECK(value == near(1.5, 1e-8));
    CHECK(ancora_fit(model.get(), back, 3, of, 1, y, by, 1, 1) == ANCORA_USAGE);
    CHECK(message(session).find("do not ascend") != std::string::npos);

    ancora_batch* batch = nullptr;
    const auto make = [&](std::size_t copies, const double* values) {
        return ancora_batch_new(model.get(), copies, by, 1, values, nullptr, 0, of, 1, 1, &batch);
    };
    // Refused before the values are read, of which there are not so many.
    CHECK(make(SIZE_MAX, y) == ANCORA_USAGE);
    CHECK(batch == nullptr);
    CHECK(make(0, y) == ANCORA_USAGE);
    REQUIRE(make(3, y) == ANCORA_OK);
    double ends[3] = {};
    REQUIRE(ancora_batch_step(batch, nullptr, 1000, ends) == ANCORA_OK);
    std::int32_t status[3] = {};
    REQUIRE(ancora_batch_status(batch, status) == ANCORA_OK);
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(ends[k] == near(y[k], 1e-12));
        CHECK(status[k] == ANCORA_COPY_DONE);
    }
    CHECK(ancora_batch_failure(batch, 3, nullptr, 0, &count) == ANCORA_USAGE);
    REQUIRE(ancora_batch_reset(batch, nullptr) == ANCORA_OK);
    REQUIRE(ancora_batch_columns(batch, ends) == ANCORA_OK);
    CHECK(ends[2] == 0.0);
    ancora_batch_free(batch);
}
