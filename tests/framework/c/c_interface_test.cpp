// SPDX-License-Identifier: BSD-3-Clause
// The C interface: models, equations, inputs and states with the bits that C++ has; mistakes.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/framework/run.hpp"
#include "c_handles.hpp"
#include "c_program.h"
#include "support/dense.hpp"
#include "support/model.hpp"
#include "support/process.hpp"

using namespace ancora;
using namespace ancora::testing;

TEST_CASE("a model run from C, in two threads at once, gives the bytes that C++ gives") {
    const testing::TempFolder folder;
    for (const char* name : {"servo_drive", "crane"}) {
        CAPTURE(name);
        const std::string file =
            std::string(ANCORA_TEST_SOURCE_DIR) + "/examples/" + name + "/model.toml";
        const std::string from_c = (folder / (std::string(name) + "-c")).string();
        c_final at_end;
        REQUIRE(c_run_in_thread(ANCORA_TEST_PLUGIN_DIR, file.c_str(), from_c.c_str(), &at_end) ==
                0);

        const std::vector<std::string> overrides = {"integrator.end=0.5"};
        const Manifest manifest = Manifest::load(file, overrides);
        PluginRegistry registry;
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        Simulation simulation(manifest, registry);
        const std::string from_cpp = std::string(name) + "-cpp";
        Recorder recorder(folder / from_cpp, simulation, manifest);
        run(simulation, &recorder);

        REQUIRE(at_end.count == simulation.q().size());
        CHECK(std::memcmp(at_end.q, simulation.q().data(), at_end.count * sizeof(double)) == 0);
        CHECK(std::memcmp(at_end.v, simulation.v().data(), at_end.count * sizeof(double)) == 0);
        c_final_free(&at_end);
        const std::string history = folder.read(from_cpp + "/history.csv");
        CHECK(history.size() > 1000);
        CHECK(history == folder.read(std::string(name) + "-c/history.csv"));
        CHECK(history == folder.read(std::string(name) + "-c-main/history.csv"));
    }
}

TEST_CASE("M, A, b, Q and C are those of the equation that the accelerations solve") {
    const SessionHandle session = new_session();
    for (const char* type : {"emm", "rk4"}) {
        CAPTURE(type);
        const ModelHandle model = parsed(session, kArm);
        const std::string integrator = std::string("integrator.type=") + type;
        REQUIRE(ancora_model_set(model.get(), integrator.c_str()) == ANCORA_OK);
        const SimulationHandle handle = simulation_of(session, model);
        ancora_simulation* const it = handle.get();
        REQUIRE(ancora_set_input(it, "motor.voltage", 12.0) == ANCORA_OK);
        REQUIRE(ancora_run(it, 0.3, nullptr, nullptr) == ANCORA_OK);
        ancora_info info{};
        info.size = sizeof info;
        REQUIRE(ancora_simulation_info(it, &info) == ANCORA_OK);
        CHECK(info.steps_done == 300);
        CHECK(info.num_coordinates == 24);

        const RowMajor M = matrix(it, ANCORA_MASS);
        const RowMajor A = matrix(it, ANCORA_JACOBIAN);
        const Eigen::VectorXd a = vector(it, ANCORA_ACCELERATION);
        const Eigen::VectorXd b = vector(it, ANCORA_RIGHT_SIDE);
        const Eigen::VectorXd F_C = vector(it, ANCORA_NONIDEAL);
        const Eigen::VectorXd rest =
            vector(it, ANCORA_IMPRESSED) + vector(it, ANCORA_IDEAL) + F_C - M * a;
        CHECK(M.rows() == 24);
        CHECK(A.rows() == b.size());
        CHECK(A.rows() == 6 + 6 + 5 + 3);
        CHECK(M == RowMajor(M.transpose()));
        CHECK(rest.norm() < 1e-10 * (M * a).norm());
        CHECK((A * a - b).norm() < 1e-9 * (1.0 + b.norm()));
        // ideal forces are normal to what the constraints leave free
        const Eigen::VectorXd F_L = vector(it, ANCORA_IDEAL);
        const Eigen::VectorXd left =
            F_L - A.transpose() * by_eigen::least_squares(A.transpose(), F_L);
        CHECK(left.norm() < 1e-10 * F_L.norm());

        // kinetic energy by M is that of the ledger
        const Eigen::VectorXd v = state(it, &ancora_v);
        ancora_ledger ledger{};
        ledger.size = sizeof ledger;
        REQUIRE(ancora_ledger_now(it, &ledger) == ANCORA_OK);
        CHECK(0.5 * v.dot(M * v) == doctest::Approx(ledger.kinetic).epsilon(1e-13));
        CHECK(ledger.total == doctest::Approx(ledger.kinetic + ledger.potential).epsilon(1e-13));
        CHECK(std::abs(ledger.work_external) + std::abs(ledger.work_nonideal) > 1e-3);

        // compressed rows are the same numbers
        std::size_t rows = 0, count = 0;
        REQUIRE(ancora_matrix_entries(
                    it, ANCORA_JACOBIAN, nullptr, 0, nullptr, nullptr, 0, &rows, &count) ==
                ANCORA_OK);
        std::vector<std::int32_t> start(rows + 1), column(count);
        std::vector<double> value(count);
        REQUIRE(ancora_matrix_entries(it,
                                      ANCORA_JACOBIAN,
                                      start.data(),
                                      start.size(),
                                      column.data(),
                                      value.data(),
                                      count,
                                      nullptr,
                                      nullptr) == ANCORA_OK);
        RowMajor from_rows = RowMajor::Zero(A.rows(), A.cols());
        for (std::size_t i = 0; i < rows; ++i)
            for (int e = start[i]; e < start[i + 1]; ++e)
                from_rows(static_cast<Eigen::Index>(i), column[e]) = value[e];
        CHECK(from_rows == A);

        // a point's Jacobian gives its velocity
        const char* const tip = "lower@[0.3, 0.02, -0.01]";
        std::size_t entries = 0;
        REQUIRE(ancora_point_jacobian(it, tip, nullptr, 0, &entries) == ANCORA_OK);
        REQUIRE(entries == 3 * 24);
        RowMajor J(3, 24);
        REQUIRE(ancora_point_jacobian(it, tip, J.data(), entries, nullptr) == ANCORA_OK);
        Eigen::Vector3d position, velocity;
        REQUIRE(ancora_point(it, tip, position.data(), velocity.data()) == ANCORA_OK);
        CHECK((J * v - velocity).norm() < 1e-14 * (1.0 + velocity.norm()));
        // the body's coordinates are linear: r = J q
        CHECK((J * state(it, &ancora_q) - position).norm() < 1e-14);
    }
}

TEST_CASE("the Jacobian of a point that is nonlinear in q is its derivative") {
    const SessionHandle session = new_session();
    const ModelHandle model = parsed(session, R"(
[[body]]
name = "top"
type = "quaternion_body"
size = [3.0, 2.0, 1.0]
density = 100.0
angular_velocity = [0.3, 0.5, 0.8]
[integrator]
type = "rk4"
step = 1e-2
end = 1.0
)");
    const SimulationHandle handle = simulation_of(session, model);
    REQUIRE(ancora_run(handle.get(), 0.5, nullptr, nullptr) == ANCORA_OK);
    const Eigen::VectorXd v = state(handle.get(), &ancora_v);
    RowMajor J(3, v.size());
    const char* const corner = "top@[1.5, 1.0, 0.5]";
    REQUIRE(ancora_point_jacobian(
                handle.get(), corner, J.data(), static_cast<std::size_t>(J.size()), nullptr) ==
            ANCORA_OK);
    // r = x + R r', v = x' + R (w x r')
    double x[3], quaternion[4], rate[3], w[3];
    REQUIRE(ancora_pose(handle.get(), "top", x, quaternion, rate, w) == ANCORA_OK);
    const Eigen::Matrix3d R =
        Eigen::Quaterniond(quaternion[0], quaternion[1], quaternion[2], quaternion[3])
            .toRotationMatrix();
    const Eigen::Vector3d expected =
        Eigen::Vector3d(rate) + R * Eigen::Vector3d(w).cross(Eigen::Vector3d(1.5, 1.0, 0.5));
    CHECK((J * v - expected).norm() < 1e-12);
    CHECK(expected.norm() > 0.5);
}

TEST_CASE("a model built from parts is the model that a file says") {
    const SessionHandle session = new_session();
    ancora_model* built = nullptr;
    REQUIRE(ancora_model_new(session.get(), &built) == ANCORA_OK);
    const ModelHandle model(built);
    REQUIRE(ancora_model_add(built, "body", "bar", "ancf_rigid_body") == ANCORA_OK);
    REQUIRE(ancora_model_add(built, "constraint", "pin", "position") == ANCORA_OK);
    for (const char* assignment : {"model.gravity=[0, 0, -9.81]",
                                   "body.bar.size=[1.0, 0.1, 0.1]",
                                   "body.bar.density=1000",
                                   "body.bar.position=[0.5, 0, 0]",
                                   "constraint.pin.a=bar@[-0.5, 0, 0]",
                                   "constraint.pin.b=ground@[0, 0, 0]",
                                   "integrator.type=emm",
                                   "integrator.step=1e-3",
                                   "integrator.end=1.0"})
        REQUIRE_MESSAGE(ancora_model_set(built, assignment) == ANCORA_OK, message(session));
    const SimulationHandle handle = simulation_of(session, model);
    REQUIRE(ancora_run(handle.get(), 2.0, nullptr, nullptr) == ANCORA_OK);
    // as examples/embed_minimal prints
    double x = 0.0;
    REQUIRE(ancora_value(handle.get(), "bar.x", &x) == ANCORA_OK);
    CHECK(x == doctest::Approx(-0.499986).epsilon(1e-6));
    std::size_t count = 0;
    double reaction[3];
    REQUIRE(ancora_reaction(handle.get(), "pin", reaction, 3, &count) == ANCORA_OK);
    CHECK(count == 3);
    CHECK(reaction[2] == doctest::Approx(24.720341).epsilon(1e-7));
    std::size_t length = 0;
    REQUIRE(ancora_model_text(built, nullptr, 0, &length) == ANCORA_OK);
    std::string text(length + 1, ' ');
    REQUIRE(ancora_model_text(built, text.data(), text.size(), nullptr) == ANCORA_OK);
    CHECK(text.find("name = \"pin\"") != std::string::npos);
}

TEST_CASE("inputs, forces and callbacks act, and a saved state goes on with the same bits") {
    const SessionHandle session = new_session();
    const ModelHandle model = parsed(session, kArm);
    const SimulationHandle handle = simulation_of(session, model);
    ancora_simulation* const it = handle.get();

    std::size_t inputs = 0, voltage = 99;
    REQUIRE(ancora_num_inputs(it, &inputs) == ANCORA_OK);
    CHECK(inputs >= 1);
    REQUIRE(ancora_find_input(it, "motor.voltage", &voltage) == ANCORA_OK);
    char unit[8];
    REQUIRE(ancora_input_unit(it, voltage, unit, sizeof unit, nullptr) == ANCORA_OK);
    CHECK(std::string(unit) == "V");

    struct Control {
        std::size_t input;
        std::int32_t angle;
        int calls = 0;
        ancora_status inner = ANCORA_OK, inner_step = ANCORA_OK;
    } control{voltage, -1};
    REQUIRE(ancora_find_value(it, "shoulder.angle", &control.angle) == ANCORA_OK);
    const auto callback = [](ancora_simulation* of, void* user) {
        auto& mine = *static_cast<Control*>(user);
        double angle = 0.0;
        mine.inner = ancora_values(of, &mine.angle, 1, &angle);
        if (mine.inner == ANCORA_OK)
            mine.inner = ancora_set_input_at(of, mine.input, 100.0 * (0.0 - angle));
        const double push[3] = {0.0, 1.0, 0.0};
        if (mine.inner == ANCORA_OK) mine.inner = ancora_apply_force(of, "lower@[0.3, 0, 0]", push);
        mine.inner_step = ancora_step(of);
        return ++mine.calls == 200 ? 1 : 0;
    };
    CHECK(ancora_run(it, 1.0, callback, &control) == ANCORA_STOPPED);
    CHECK(message(session).empty());
    CHECK(control.calls == 200);
    CHECK(control.inner == ANCORA_OK);
    CHECK(control.inner_step == ANCORA_USAGE);
    double y = 0.0;
    REQUIRE(ancora_value(it, "lower.y", &y) == ANCORA_OK);
    CHECK(y > 1e-4);  // the push

    std::size_t size = 0;
    REQUIRE(ancora_save(it, nullptr, 0, &size) == ANCORA_OK);
    std::vector<unsigned char> bytes(size);
    REQUIRE(ancora_save(it, bytes.data(), size, nullptr) == ANCORA_OK);
    REQUIRE(ancora_run(it, 0.4, nullptr, nullptr) == ANCORA_OK);
    const Eigen::VectorXd q = state(it, &ancora_q);
    const SimulationHandle other = simulation_of(session, model);
    REQUIRE(ancora_restore(other.get(), bytes.data(), size) == ANCORA_OK);
    REQUIRE(ancora_run(other.get(), 0.4, nullptr, nullptr) == ANCORA_OK);
    CHECK(state(other.get(), &ancora_q) == q);
    REQUIRE(ancora_restore(it, bytes.data(), size) == ANCORA_OK);
    REQUIRE(ancora_run(it, 0.4, nullptr, nullptr) == ANCORA_OK);
    CHECK(state(it, &ancora_q) == q);

    // Back to the start, and on with other parameters.
    REQUIRE(ancora_reset(other.get()) == ANCORA_OK);
    double t = -1.0;
    REQUIRE(ancora_value(other.get(), "t", &t) == ANCORA_OK);
    CHECK(t == 0.0);
    REQUIRE(ancora_restore(other.get(), bytes.data(), size) == ANCORA_OK);
    REQUIRE(ancora_run(other.get(), 0.4, nullptr, nullptr) == ANCORA_OK);
    CHECK(state(other.get(), &ancora_q) == q);
    ModelHandle changed_model = parsed(session, kArm);
    REQUIRE(ancora_model_set(changed_model.get(), "model.gravity=[0.0, 0.0, -1.62]") == ANCORA_OK);
    ancora_simulation* made = nullptr;
    REQUIRE(ancora_changed(it, changed_model.get(), &made) == ANCORA_OK);
    const SimulationHandle changed(made);
    CHECK(state(made, &ancora_q) == q);
    REQUIRE(ancora_value(made, "t", &t) == ANCORA_OK);
    CHECK(t > 0.39);
    double works[2] = {0.0, 0.0};
    REQUIRE(ancora_value(it, "work.external", &works[0]) == ANCORA_OK);
    REQUIRE(ancora_value(made, "work.external", &works[1]) == ANCORA_OK);
    CHECK(std::abs(works[1] - works[0]) > 1e-3);
    double balance = 1.0;
    REQUIRE(ancora_value(made, "energy.balance", &balance) == ANCORA_OK);
    CHECK(std::abs(balance) < 1e-9);
    REQUIRE(ancora_model_set(changed_model.get(), "integrator.step=3e-3") == ANCORA_OK);
    ancora_simulation* none = made;
    CHECK(ancora_changed(it, changed_model.get(), &none) == ANCORA_USAGE);
    CHECK(none == nullptr);
    CHECK(message(session).find("step") != std::string::npos);
    CHECK(ancora_changed(it, nullptr, &none) == ANCORA_USAGE);

    // views need no copy, and are the state
    const double *view_q = nullptr, *view_v = nullptr;
    std::size_t n = 0;
    REQUIRE(ancora_state_view(it, &view_q, &view_v, &n) == ANCORA_OK);
    CHECK(Eigen::Map<const Eigen::VectorXd>(view_q, static_cast<Eigen::Index>(n)) == q);
    // and may be what a state is set to: at the start, where velocities fit to rounding
    const SimulationHandle fresh = simulation_of(session, model);
    REQUIRE(ancora_state_view(fresh.get(), &view_q, &view_v, &n) == ANCORA_OK);
    const Eigen::VectorXd start = state(fresh.get(), &ancora_q);
    CHECK_MESSAGE(ancora_set_state(fresh.get(), view_q, view_v, n) == ANCORA_OK, message(session));
    CHECK(state(fresh.get(), &ancora_q) == start);
}

TEST_CASE(
    "a fresh simulation goes on from time and state of another, but for what is kept besides") {
    const SessionHandle session = new_session();
    const std::string text =
        "[model]\ngravity = [0, 0, -9.81]\n"
        "[[body]]\nname = \"rod\"\ntype = \"ancf_rigid_body\"\nsize = [1, 0.1, 0.1]\n"
        "density = 100\npenalty = inf\nposition = [0.5, 0, 0]\n"
        "[[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"ground\"\nb = \"rod\"\n"
        "point = [0, 0, 0]\naxis = [0, 1, 0]\n"
        "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"rod@[0.5, 0, 0]\"\n"
        "force = [\"3*sin(5*t)\", \"0\", \"0\"]\n"
        "[integrator]\ntype = \"emm\"\nstep = 2e-3\nend = 1.0\n";
    const ModelHandle model = parsed(session, text);
    const SimulationHandle run = simulation_of(session, model);
    const SimulationHandle fresh = simulation_of(session, model);
    REQUIRE(ancora_run(run.get(), 0.3, nullptr, nullptr) == ANCORA_OK);
    const Eigen::VectorXd q = state(run.get(), &ancora_q), v = state(run.get(), &ancora_v);
    const auto n = static_cast<std::size_t>(q.size());
    REQUIRE_MESSAGE(ancora_set_state_at(fresh.get(), 0.3, q.data(), v.data(), n) == ANCORA_OK,
                    message(session));
    for (ancora_simulation* const it : {run.get(), fresh.get()})
        REQUIRE(ancora_run(it, 0.4, nullptr, nullptr) == ANCORA_OK);
    CHECK((state(run.get(), &ancora_q) - state(fresh.get(), &ancora_q)).norm() <= 1e-11);
    CHECK((state(run.get(), &ancora_v) - state(fresh.get(), &ancora_v)).norm() <= 1e-8);

    CHECK(ancora_set_state_at(fresh.get(), 0.3001, q.data(), v.data(), n) == ANCORA_USAGE);
    CHECK(message(session).find("no end of a step") != std::string::npos);
    CHECK(ancora_set_state_at(fresh.get(), 1.1, q.data(), v.data(), n) == ANCORA_USAGE);
    CHECK(ancora_set_state_at(fresh.get(), std::nan(""), q.data(), v.data(), n) == ANCORA_USAGE);
    Eigen::VectorXd wrong = v;
    wrong[3] += 0.01;
    CHECK(ancora_set_state_at(fresh.get(), 0.3, q.data(), wrong.data(), n) == ANCORA_NUMERICAL);
    wrong[3] = std::nan("");
    CHECK(ancora_set_state_at(fresh.get(), 0.3, q.data(), wrong.data(), n) == ANCORA_USAGE);

    // whose current these do not tell
    const ModelHandle arm = parsed(session, kArm);
    const SimulationHandle motor = simulation_of(session, arm);
    const Eigen::VectorXd at = state(motor.get(), &ancora_q), rate = state(motor.get(), &ancora_v);
    CHECK(ancora_set_state_at(
              motor.get(), 0.1, at.data(), rate.data(), static_cast<std::size_t>(at.size())) ==
          ANCORA_USAGE);
    CHECK(message(session).find("motor") != std::string::npos);
    CHECK(message(session).find("restore()") != std::string::npos);
}

TEST_CASE("mistakes are statuses with a message, and change nothing") {
    const SessionHandle session = new_session();
    ancora_model* model = nullptr;
    CHECK(ancora_model_load(session.get(), "/nowhere/model.toml", &model) == ANCORA_FILE);
    CHECK(model == nullptr);
    CHECK(message(session).find("/nowhere/model.toml") != std::string::npos);

    const std::string wrong = "[[body]]\nname = \"a\"\ntyp = 3\n";
    CHECK(ancora_model_parse(session.get(), wrong.data(), wrong.size(), "w.toml", &model) ==
          ANCORA_MODEL);
    CHECK(message(session).find("w.toml:") == 0);

    const ModelHandle good = parsed(session, kArm);
    CHECK(message(session).empty());
    CHECK(ancora_model_set(good.get(), "body.uper.density=1") == ANCORA_MODEL);
    CHECK(message(session).find("upper") != std::string::npos);
    CHECK(ancora_model_set(good.get(), "nonsense") == ANCORA_USAGE);
    // A key that the type does not have is reported at once, with the nearest, and nothing is
    // changed.
    CHECK(ancora_model_set(good.get(), "body.upper.densty=1") == ANCORA_MODEL);
    CHECK_MESSAGE(message(session).find("unknown key \"densty\"") != std::string::npos,
                  message(session));
    CHECK_MESSAGE(message(session).find("\"density\"") != std::string::npos, message(session));
    CHECK(ancora_model_add(good.get(), "thing", "x", "y") == ANCORA_USAGE);
    CHECK(ancora_model_add(good.get(), "body", "a\"\n[[force]]", "particle") == ANCORA_MODEL);
    // none of it stays
    const SimulationHandle handle = simulation_of(session, good);
    ancora_simulation* const it = handle.get();

    CHECK(ancora_set_input(it, "motor.volt", 1.0) == ANCORA_USAGE);
    CHECK(message(session).find("motor.voltage") != std::string::npos);
    CHECK(ancora_set_input(it, "motor.voltage", std::nan("")) == ANCORA_USAGE);
    CHECK(ancora_set_input_at(it, 1000, 1.0) == ANCORA_USAGE);
    double x = 7.0;
    CHECK(ancora_value(it, "elbow.angel", &x) == ANCORA_USAGE);
    CHECK(x == 7.0);
    const std::int32_t handles[] = {-1};
    CHECK(ancora_values(it, handles, 1, &x) == ANCORA_USAGE);
    CHECK(ancora_values(it, handles, std::numeric_limits<std::size_t>::max(), &x) == ANCORA_USAGE);
    CHECK(ancora_run(it, std::nan(""), nullptr, nullptr) == ANCORA_USAGE);
    CHECK(ancora_record_finish(it) == ANCORA_USAGE);
    const double q[24] = {};
    CHECK(ancora_set_state(it, q, q, 23) == ANCORA_USAGE);
    CHECK(ancora_set_state(it, q, nullptr, 24) == ANCORA_USAGE);
    CHECK(ancora_set_state(it, q, q, 24) == ANCORA_NUMERICAL);  // no frame has such axes
    CHECK(ancora_apply_force(it, "nobody@[0, 0, 0]", q) == ANCORA_MODEL);
    CHECK(ancora_restore(it, q, sizeof q) != ANCORA_OK);
    CHECK(ancora_restore(it, nullptr, 8) == ANCORA_USAGE);
    CHECK(ancora_pose(it, "nobody", nullptr, nullptr, nullptr, nullptr) == ANCORA_USAGE);
    CHECK(ancora_point_jacobian(it, "upper@[0, 0]", nullptr, 0, nullptr) == ANCORA_MODEL);
    CHECK(ancora_vector(it, 99, nullptr, 0, nullptr) == ANCORA_USAGE);
    CHECK(ancora_matrix(it, -1, nullptr, 0, nullptr, nullptr) == ANCORA_USAGE);
    ancora_info info{};
    CHECK(ancora_simulation_info(it, &info) == ANCORA_USAGE);  // its size is not said
    // what an older header knows of a structure is what it gets
    info.size = offsetof(ancora_info, end_time);
    info.end_time = -3.0;
    CHECK(ancora_simulation_info(it, &info) == ANCORA_OK);
    CHECK(info.step_size == 1e-3);
    CHECK(info.end_time == -3.0);

    // short buffers
    double short_buffer[3] = {7.0, 7.0, 7.0};
    std::size_t count = 0;
    CHECK(ancora_q(it, short_buffer, 3, &count) == ANCORA_BUFFER);
    CHECK(count == 24);
    CHECK(short_buffer[0] == 7.0);
    char text[3] = "##";
    CHECK(ancora_simulation_name(it, text, sizeof text, &count) == ANCORA_BUFFER);
    CHECK(std::string(text) == "##");
    CHECK(count == 3);
    char enough[4];
    CHECK(ancora_simulation_name(it, enough, sizeof enough, &count) == ANCORA_OK);
    CHECK(std::string(enough) == "arm");

    // no handle, or one of something else
    CHECK(ancora_step(nullptr) == ANCORA_USAGE);
    CHECK(ancora_step(reinterpret_cast<ancora_simulation*>(good.get())) == ANCORA_USAGE);
    CHECK(ancora_session_new(nullptr) == ANCORA_USAGE);
    CHECK(ancora_model_load(session.get(), nullptr, &model) == ANCORA_USAGE);
    CHECK(ancora_model_load(session.get(), "x", nullptr) == ANCORA_USAGE);
    ancora_session_free(nullptr);
    ancora_model_free(nullptr);
    ancora_simulation_free(nullptr);

    CHECK(ancora_set_threads(it, 0) == ANCORA_USAGE);
    CHECK(ancora_set_threads(it, 2) == ANCORA_OK);

    // beyond the end
    REQUIRE(ancora_run(it, 1e9, nullptr, nullptr) == ANCORA_OK);
    CHECK(ancora_step(it) == ANCORA_USAGE);
    CHECK(message(session).find("end") != std::string::npos);
}

TEST_CASE("a step that fails is told with its place, and what was recorded is kept") {
    const testing::TempFolder folder;
    const SessionHandle session = new_session();
    REQUIRE(ancora_session_add_plugin_folder(session.get(), ANCORA_TEST_ZOO_DIR) == ANCORA_OK);
    const ModelHandle model = parsed(session, R"toml(
[[body]]
name = "mass"
type = "particle"
mass = 1.0
velocity = [1, 0, 0]
[[force]]
name = "push"
type = "point_load"
at = "mass@0"
force = ["1/(t - 0.05)", "0", "0"]
[integrator]
type = "rk4"
step = 0.01
end = 1.0
)toml");
    const SimulationHandle handle = simulation_of(session, model);
    const std::string results = (folder / "results").string();
    REQUIRE(ancora_record(handle.get(), results.c_str()) == ANCORA_OK);
    const ancora_status status = ancora_run(handle.get(), 1.0, nullptr, nullptr);
    CHECK(status == ANCORA_NUMERICAL);
    CHECK(message(session).find("push") != std::string::npos);
    CHECK(folder.read("results/summary.json").find("exit") != std::string::npos);
    // the state is that of the last step, and may be read
    double x = 0.0;
    CHECK(ancora_value(handle.get(), "t", &x) == ANCORA_OK);
    CHECK(x > 0.03);
    CHECK(x < 0.06);
}
