// SPDX-License-Identifier: BSD-3-Clause
// Events at one instant: all that cross act, in every combination.
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kOffsets[] = {0.0, 1e-16, 1e-12};

std::string particle(const std::string& name, double x, double y, double speed) {
    return fmt::format(
        "[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = 1.0\nposition = [{:.17g}, {}, 0]\n"
        "velocity = [{:.17g}, 0, 0]\n",
        name,
        x,
        y,
        speed);
}

std::string relay(const std::string& name, const std::string& input, double on_at, double off_at) {
    return force(
        name,
        "relay",
        fmt::format("input = \"{}\"\non_at = {:.17g}\noff_at = {:.17g}", input, on_at, off_at));
}

std::string falling_relay(const std::string& name, const std::string& input, double off_at) {
    return relay(name, input, off_at + 100.0, off_at) + "starts_on = true\n";
}

/// Objects of which each does something at t = 1, and a relay that sees it.
class Instant {
public:
    explicit Instant(unsigned seed) : random_(seed) {
        objects_ = particle("free", 0.0, -1.0, 0.0);
        const int count = 2 + pick(5);
        for (int i = 0; i < count; ++i) add(pick(6), fmt::format("{}", i));
        // Hears all others: what they do puts its input beyond its bound
        std::string sum;
        for (const std::string& name : relays_) sum += fmt::format("+ {}.switched", name);
        add_relay(relay("all", sum.substr(2), static_cast<double>(relays_.size()) - 0.5, -1.0),
                  "all");
    }

    std::string text() const {
        // A rope's far end gets the velocity of what it hangs on
        return model_text() + "project_start = true\n" + objects_;
    }
    const std::vector<std::string>& relays() const { return relays_; }

private:
    int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
    double offset() { return kOffsets[pick(3)]; }

    void add_relay(const std::string& text, const std::string& name) {
        objects_ += text;
        relays_.push_back(name);
    }

    void add(int kind, const std::string& i) {
        const double y = static_cast<double>(relays_.size());
        const std::string name = "r" + i;
        switch (kind) {
            case 0:  // a position
                objects_ += particle("p" + i, -1.0, y, 2.0);
                add_relay(relay(name, "p" + i + ".x", 1.0 + offset(), -100.0), name);
                break;
            case 1:  // on its way back
                objects_ += particle("p" + i, 3.0, y, -2.0);
                add_relay(falling_relay(name, "p" + i + ".x", 1.0 - offset()), name);
                break;
            case 2:  // time itself
                add_relay(relay(name, "1*t", 1.0 + offset(), -100.0), name);
                break;
            case 3:  // the sample of a controller, whose command jumps over the bound
                objects_ += force("pid" + i,
                                  "sampled_pid",
                                  "reference = \"1*t\"\nmeasured = 0.0\nperiod = 0.25\nkp = 1.0");
                add_relay(relay(name, "pid" + i + ".command", 0.9, -100.0), name);
                break;
            case 4:  // a block that stops by friction
                objects_ +=
                    particle("b" + i, 0.0, y, 0.3 * 9.81) +
                    constraint("floor" + i,
                               "point_on_plane",
                               "point = \"b" + i + "@[0, 0, 0]\"\nnormal = [0, 0, 1]") +
                    force(
                        "rub" + i, "coulomb_friction", "on = \"floor" + i + "\"\nmu_kinetic = 0.3");
                add_relay(falling_relay(name, "b" + i + ".vx", offset()), name);
                break;
            default:  // a rope that breaks, without a force worth the name
                objects_ +=
                    particle("w" + i, 0.0, y, 2.0) +
                    constraint("plane" + i,
                               "point_on_plane",
                               "point = \"w" + i + "@[0, 0, 0]\"\nnormal = [0, 0, 1]") +
                    fmt::format(
                        "[[body]]\nname = \"rope{0}\"\ntype = \"truss\"\n"
                        "from = [-1, {1}, 0]\nto = [0, {1}, 0]\narea = 1e-6\n"
                        "density = 1e-6\nyoung = 1e-3\nmass = \"lumped\"\n"
                        "breaking_strain = 4.0\n",
                        i,
                        y) +
                    constraint("hook" + i,
                               "position",
                               fmt::format("a = \"rope{0}@1\"\nb = \"w{0}@0\"", i)) +
                    constraint("nail" + i,
                               "position",
                               fmt::format("a = \"rope{0}@0\"\nb = \"ground@[-1, {1}, 0]\"", i, y));
                // Green's strain 4 at three times the length
                add_relay(relay(name, "w" + i + ".x", 2.0 + offset(), -100.0), name);
                ++num_ropes_;
                break;
        }
    }

    std::mt19937 random_;
    std::string objects_;
    std::vector<std::string> relays_;

public:
    std::size_t num_ropes_ = 0;
};

TEST_SUITE("events at one instant") {
    TEST_CASE("relays whose inputs come to their bounds together all switch") {
        for (const char* integrator : {"emm", "rk4", "dopri5"})
            for (const double offset : kOffsets)
                for (const double step : {0.03, 0.05}) {
                    CAPTURE(integrator);
                    CAPTURE(offset);
                    CAPTURE(step);
                    std::string text = model_text(false);
                    for (int i = 0; i < 3; ++i)
                        text += particle(fmt::format("p{}", i), 0.0, i, 1.0) +
                                relay(fmt::format("r{}", i),
                                      fmt::format("p{}.x", i),
                                      1.0 + i * offset,
                                      -100.0);
                    Simulation run = model(text + steps(integrator, step, 2.0));
                    run_to_end(run);
                    for (int i = 0; i < 3; ++i)
                        CHECK(run.value(fmt::format("r{}.switched", i)) == 1.0);
                }
    }

    TEST_CASE("whatever happens at an instant, each relay that sees it switches once") {
        for (unsigned seed = 1; seed <= 100; ++seed)
            for (const char* integrator : {"emm", "rk4", "dopri5"}) {
                CAPTURE(seed);
                CAPTURE(integrator);
                const Instant instant(seed);
                // whose steps meet the instant, and do not
                const double step = seed % 2 == 0 ? 0.05 : 0.03;
                Simulation run = model(instant.text() + steps(integrator, step, 1.5, 1e-9));
                run_to_end(run);
                for (const std::string& name : instant.relays()) {
                    CAPTURE(name);
                    CHECK(run.value(name + ".switched") == 1.0);
                }
                CHECK(run.breaks().size() == instant.num_ropes_);
            }
    }

    TEST_CASE("a satellite's wings are both latched where they are open, exactly symmetric") {
        // Each wing turns freely up to 180 degrees, where a relay makes a stiff damped spring hold
        const auto wing = [](const std::string& name, double side) {
            return body(name,
                        "ancf_rigid_body",
                        fmt::format("position = [{}, 0, 0]\nvelocity = [0, {}, 0]\n"
                                    "angular_velocity = [0, 0, {}]",
                                    1.5 * side,
                                    0.25 * M_PI,
                                    0.5 * M_PI * side)) +
                   constraint(name + "_hinge",
                              "revolute",
                              fmt::format("a = \"hub\"\nb = \"{}\"\npoint = [{}, 0, 0]\n"
                                          "axis = [0, 0, {}]",
                                          name,
                                          side,
                                          side)) +
                   force(name + "_stop",
                         "relay",
                         fmt::format("input = \"{}_hinge.angle\"\non_at = {:.17g}\n"
                                     "off_at = -100.0",
                                     name,
                                     M_PI)) +
                   constraint(name + "_latch",
                              "variable_spring",
                              fmt::format("on = \"{0}_hinge.angle\"\nfree = {1:.17g}\n"
                                          "stiffness = \"1e3*{0}_stop.value\"\n"
                                          "damping = \"30*{0}_stop.value\"",
                                          name,
                                          M_PI));
        };
        const std::string text = model_text(false) +
                                 body("hub", "ancf_rigid_body", "", 1e3, "[1e3, 1e3, 1e3]") +
                                 wing("left", -1.0) + wing("right", 1.0);
        for (const char* integrator : {"emm", "rk4", "dopri5"}) {
            CAPTURE(integrator);
            Simulation run = model(text + steps(integrator, 5e-3, 6.0, 1e-9));
            run_to_end(run);
            for (const char* name : {"left", "right"}) {
                CAPTURE(name);
                CHECK(run.value(std::string(name) + "_stop.switched") == 1.0);
                CHECK(run.value(std::string(name) + "_hinge.angle") == Near(M_PI, tolerance(1e-2)));
            }
        }
    }

    TEST_CASE(
        "relays that hear each other act one after the other, at one instant and at the start") {
        for (const char* integrator : {"emm", "rk4", "dopri5"})
            for (const double begin : {0.5, -0.1}) {
                CAPTURE(integrator);
                CAPTURE(begin);
                std::string text = model_text(false) + particle("p", 0.0, 0.0, 1.0) +
                                   relay("r0", "p.x", begin, -9.0);
                for (int i = 1; i < 5; ++i)
                    text +=
                        relay(fmt::format("r{}", i), fmt::format("1*r{}.value", i - 1), 0.5, -9.0);
                Simulation run = model(text + steps(integrator, 0.03, 0.6));
                while (!run.done() && run.time() < begin) run.step();
                for (int i = 0; i < 5; ++i) CHECK(run.value(fmt::format("r{}.switched", i)) == 1.0);
            }
    }

    TEST_CASE("a bound that an input set by the program has passed counts, also when restored") {
        const std::string text = model_text(false) + particle("p", 0.0, 0.0, 1.0) +
                                 force("r", "relay", "input = 0.0\non_at = 0.5\noff_at = -0.5") +
                                 steps("emm", 0.03, 1.0);
        Simulation run = model(text);
        run.step();
        run.set_input("r.input", 1.0);
        const std::vector<std::byte> saved = run.save();
        run.step();
        CHECK(run.value("r.switched") == 1.0);
        run.set_input("r.input", -1.0);
        run.step();
        CHECK(run.value("r.switched") == 2.0);
        Simulation other = model(text);
        other.restore(saved);
        other.step();
        CHECK(other.value("r.switched") == 1.0);
    }

    TEST_CASE("an input that comes to its bound and stays there has come to it") {
        // x = min(t, 1): the bound is met at the end of a step, and nothing passes it
        for (const char* integrator : {"emm", "rk4", "dopri5"}) {
            CAPTURE(integrator);
            Simulation run =
                model(model_text(false) + particle("p", 0.0, 0.0, 1.0) +
                      relay("r", "min(t, 1.0)", 1.0, -9.0) + steps(integrator, 0.25, 2.0));
            run_to_end(run);
            CHECK(run.value("r.switched") == 1.0);
        }
    }
}

}  // namespace
}  // namespace ancora::testing
