// SPDX-License-Identifier: BSD-3-Clause
// Copies that step side by side: each has the bytes of a run of its own.
#include "ancora/framework/batch.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/model.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

/// A bar that a spring with a moving free angle swings, and a weight that falls onto a stop beside.
const std::string kModel = R"toml([parameters]
load = 2.0
depth = -0.5
[model]
gravity = [0, 0, -9.81]
[[body]]
name = "bar"
type = "ancf_rigid_body"
size = [0.5, 0.05, 0.05]
density = 1000.0
penalty = inf
position = [0.25, 0, 0]
[[joint]]
name = "pin"
type = "revolute"
a = "ground"
b = "bar"
point = [0, 0, 0]
axis = [0, 1, 0]
damping = 0.05
[[force]]
name = "spring"
type = "variable_spring"
on = "pin.angle"
stiffness = 3.0
free = 0.0
[[body]]
name = "weight"
type = "particle"
mass = "load"
position = [1, 0, 0]
[[constraint]]
name = "ledge"
type = "contact"
a = "weight"
b = "ground"
radius = 0.0
plane = { normal = [0, 0, 1], point = [0, 0, "depth"] }
restitution = 0.6
[[force]]
name = "drag"
type = "point_load"
at = "weight@0"
force = ["0", "0", "sqrt(10.0*${load} - 20.0*t)"]
[integrator]
type = "emm"
step = 5e-3
end = 0.6
)toml";

ModelSource source(const std::string& text = kModel) {
    return [text](std::span<const std::string> overrides) {
        return Manifest::parse(text, "test.toml", overrides);
    };
}

const std::vector<std::string> kColumns{
    "pin.angle", "pin.angle_rate", "weight.z", "pin.force.x", "energy.balance"};

/// The columns of a run of its own after so many steps.
std::vector<double> single(const std::vector<std::string>& overrides,
                           std::span<const double> inputs,
                           long steps_each) {
    Simulation simulation(Manifest::parse(kModel, "test.toml", overrides), registry());
    for (const double value : inputs) {
        if (!simulation.done()) simulation.set_input("spring.free", value);
        for (long k = 0; k < steps_each && !simulation.done(); ++k) simulation.step();
    }
    std::vector<double> out;
    for (const std::string& name : kColumns) out.push_back(simulation.value(name));
    return out;
}

TEST_CASE("each copy has the bytes of a run of its own, with any number of threads") {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> part(0.0, 1.0);
    constexpr std::size_t kCopies = 7;
    constexpr long kEach = 12;
    for (const int workers : {1, 2, 5}) {
        CAPTURE(workers);
        BatchOptions options;
        options.copies = kCopies;
        options.workers = workers;
        options.keys = {"parameters.load", "joint.pin.damping", "body.bar.size[2]"};
        for (std::size_t k = 0; k < kCopies; ++k)
            options.values.insert(
                options.values.end(),
                {1.5 + part(random), 0.1 * part(random), 0.05 + 0.05 * part(random)});
        options.inputs = {"spring.free"};
        options.columns = kColumns;
        Batch batch(source(), registry(), options);
        std::vector<double> out(kCopies * kColumns.size());
        std::vector<std::vector<double>> given(kCopies);
        for (int round = 0; round < 4; ++round) {
            std::vector<double> inputs;
            for (std::size_t k = 0; k < kCopies; ++k) {
                inputs.push_back(2.0 * part(random) - 1.0);
                given[k].push_back(inputs.back());
            }
            batch.step(inputs, out, kEach);
        }
        for (std::size_t k = 0; k < kCopies; ++k) {
            CAPTURE(k);
            std::vector<std::string> overrides;
            overrides.push_back(setting("parameters.load", options.values[3 * k]));
            overrides.push_back(setting("joint.pin.damping", options.values[3 * k + 1]));
            overrides.push_back(
                fmt::format("body.bar.size=[0.5, 0.05, {:.17g}]", options.values[3 * k + 2]));
            const std::vector<double> alone = single(overrides, given[k], kEach);
            for (std::size_t c = 0; c < kColumns.size(); ++c) {
                CAPTURE(kColumns[c]);
                CHECK(out[k * kColumns.size() + c] == alone[c]);
            }
        }
        // And again from the start, some of them.
        std::vector<std::uint8_t> which(kCopies, 0);
        which[2] = which[5] = 1;
        batch.reset(which);
        const std::vector<double> before = out;
        batch.columns(out);
        for (std::size_t k = 0; k < kCopies; ++k)
            CHECK((out[k * kColumns.size() + 2] == 0.0) == (which[k] != 0));
        for (int round = 0; round < 4; ++round) {
            std::vector<double> inputs;
            for (std::size_t k = 0; k < kCopies; ++k)
                inputs.push_back(given[k][static_cast<std::size_t>(round)]);
            batch.step(inputs, out, kEach);
        }
        for (std::size_t c = 0; c < kColumns.size(); ++c)
            CHECK(out[2 * kColumns.size() + c] == before[2 * kColumns.size() + c]);
    }
}

TEST_CASE("a copy that fails stays where it is and says why; the others end") {
    BatchOptions options;
    options.copies = 3;
    options.keys = {"parameters.load"};
    options.values = {2.0, 0.4, 1.9};  // the root of the drag is real up to load / 2
    options.columns = {"t", "weight.z"};
    Batch batch(source(), registry(), options);
    std::vector<double> out(6);
    batch.step({}, out, 1000);
    CHECK(batch.status(0) == Batch::Status::done);
    CHECK(batch.status(1) == Batch::Status::failed);
    CHECK(batch.status(2) == Batch::Status::done);
    CHECK(has(batch.failure(1), "drag"));
    CHECK(batch.failure(0) == "");
    CHECK(out[0] == doctest::Approx(0.6));
    CHECK(out[2] <= 0.2);
    CHECK(out[2] >= 0.19);
    const double z = out[3];
    batch.step({}, out, 5);
    CHECK(out[3] == z);
    batch.reset();
    CHECK(batch.status(1) == Batch::Status::runs);
    batch.step({}, out, 10);
    CHECK(out[2] == doctest::Approx(0.05));
}

TEST_CASE("what does not fit is refused, and no copy has moved") {
    BatchOptions options;
    options.copies = 2;
    options.inputs = {"spring.free"};
    options.columns = {"t"};
    const auto with = [&](auto&& change) {
        BatchOptions other = options;
        change(other);
        return refusal([&] {
            Batch(source(), registry(), other);
        });
    };
    CHECK(has(with([](BatchOptions& o) {
                  o.copies = 0;
              }),
              "1 to 1000000 copies"));
    CHECK(has(with([](BatchOptions& o) {
                  o.inputs = {"spring.fre"};
              }),
              "did you mean \"spring.free\""));
    CHECK(has(with([](BatchOptions& o) {
                  o.columns = {"pin.angel"};
              }),
              "did you mean \"pin.angle\""));
    CHECK(has(with([](BatchOptions& o) {
                  o.keys = {"parameters.load"};
              }),
              "0 values for 2 copies of 1 keys"));
    CHECK(has(with([](BatchOptions& o) {
                  o.keys = {"parameters.load"};
                  o.values = {1.0, -1.0};
              }),
              "copy 1: "));
    CHECK(has(with([](BatchOptions& o) {
                  o.keys = {"parameters.load"};
                  o.values = {1.0, std::numeric_limits<double>::infinity()};
              }),
              "copy 1: parameters.load is not finite"));
    std::string adaptive = kModel;
    adaptive.replace(adaptive.find("\"emm\""), 5, "\"dopri5\"");
    CHECK(has(refusal([&] {
                  Batch(source(adaptive), registry(), options);
              }),
              "chooses its steps"));
    Batch batch(source(), registry(), options);
    std::vector<double> out(2), few(1);
    const std::vector<double> bad{0.0, std::numeric_limits<double>::quiet_NaN()};
    CHECK(has(refusal([&] {
                  batch.step(bad, out);
              }),
              "copy 1: an input is not finite"));
    CHECK(has(refusal([&] {
                  batch.step(few, out);
              }),
              "1 values for 1 inputs of 2 copies"));
    CHECK(has(refusal([&] {
                  batch.step({}, few);
              }),
              "room for 1 values"));
    batch.columns(out);
    CHECK(out == std::vector<double>{0.0, 0.0});
}

}  // namespace
}  // namespace ancora::testing
