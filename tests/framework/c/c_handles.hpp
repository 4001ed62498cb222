// SPDX-License-Identifier: BSD-3-Clause
// Handles of the C interface that free themselves, and a model for its tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/ancora.h"

namespace ancora::testing {

struct Free {
    void operator()(ancora_session* it) const { ancora_session_free(it); }
    void operator()(ancora_model* it) const { ancora_model_free(it); }
    void operator()(ancora_simulation* it) const { ancora_simulation_free(it); }
};
using SessionHandle = std::unique_ptr<ancora_session, Free>;
using ModelHandle = std::unique_ptr<ancora_model, Free>;
using SimulationHandle = std::unique_ptr<ancora_simulation, Free>;

inline SessionHandle new_session() {
    ancora_session* session = nullptr;
    REQUIRE(ancora_session_new(&session) == ANCORA_OK);
    REQUIRE(ancora_session_add_plugin_folder(session, ANCORA_TEST_PLUGIN_DIR) == ANCORA_OK);
    return SessionHandle(session);
}

inline std::string message(const SessionHandle& session) {
    std::size_t count = 0;
    REQUIRE(ancora_session_message(session.get(), nullptr, 0, &count) == ANCORA_OK);
    std::string text(count + 1, '?');
    REQUIRE(ancora_session_message(session.get(), text.data(), text.size(), nullptr) == ANCORA_OK);
    text.resize(count);
    return text;
}

inline ModelHandle parsed(const SessionHandle& session, const std::string& text) {
    ancora_model* model = nullptr;
    const ancora_status status =
        ancora_model_parse(session.get(), text.data(), text.size(), "test.toml", &model);
    REQUIRE_MESSAGE(status == ANCORA_OK, message(session));
    return ModelHandle(model);
}

inline SimulationHandle simulation_of(const SessionHandle& session, const ModelHandle& model) {
    ancora_simulation* simulation = nullptr;
    const ancora_status status = ancora_simulation_new(model.get(), &simulation);
    REQUIRE_MESSAGE(status == ANCORA_OK, message(session));
    return SimulationHandle(simulation);
}

/// Two rods, a hinge and a ball, a motor with an input, and friction that depends on reactions.
inline constexpr const char* kArm = R"(
[model]
name = "arm"
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "upper"
type = "ancf_rigid_body"
size = [1.0, 0.1, 0.08]
density = 800.0
penalty = inf
position = [0.5, 0.0, 0.0]

[[body]]
name = "lower"
type = "ancf_rigid_body"
size = [0.6, 0.1, 0.08]
density = 800.0
penalty = inf
position = [1.3, 0.0, 0.0]

[[joint]]
name = "shoulder"
type = "revolute"
a = "ground"
b = "upper"
point = [0, 0, 0]
axis = [0, 1, 0]

[[joint]]
name = "elbow"
type = "spherical"
a = "upper"
b = "lower"
point = [1, 0, 0]

[[force]]
name = "motor"
type = "dc_motor"
on = "shoulder"
voltage = 0.0
resistance = 1.2
inductance = 0.004
constant = 0.05
ratio = 20.0

[integrator]
type = "emm"
step = 1e-3
end = 1.0
)";

inline Eigen::VectorXd vector(ancora_simulation* simulation, std::int32_t which) {
    std::size_t count = 0;
    REQUIRE(ancora_vector(simulation, which, nullptr, 0, &count) == ANCORA_OK);
    Eigen::VectorXd out(static_cast<Eigen::Index>(count));
    REQUIRE(ancora_vector(simulation, which, out.data(), count, nullptr) == ANCORA_OK);
    return out;
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
inline RowMajor matrix(ancora_simulation* simulation, std::int32_t which) {
    std::size_t rows = 0, columns = 0;
    REQUIRE(ancora_matrix(simulation, which, nullptr, 0, &rows, &columns) == ANCORA_OK);
    RowMajor out(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
    REQUIRE(ancora_matrix(simulation, which, out.data(), rows * columns, nullptr, nullptr) ==
            ANCORA_OK);
    return out;
}

inline Eigen::VectorXd state(ancora_simulation* simulation, decltype(&ancora_q) get) {
    std::size_t count = 0;
    REQUIRE(get(simulation, nullptr, 0, &count) == ANCORA_OK);
    Eigen::VectorXd out(static_cast<Eigen::Index>(count));
    REQUIRE(get(simulation, out.data(), count, nullptr) == ANCORA_OK);
    return out;
}

}  // namespace ancora::testing
