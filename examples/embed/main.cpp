// SPDX-License-Identifier: BSD-3-Clause
// A larger tool with a loop and a log of its own: two kernels step side by side, a controller
// pushes between the steps, a look ahead is taken back, and a model that fails is dropped.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ancora/framework/simulation.hpp>

namespace {

/// The tool's own log; the kernel writes nothing by itself.
void log(const char* source, const std::string& message) {
    std::printf("[%s] %s\n", source, message.c_str());
}

std::string format(const char* text, double a, double b = 0.0) {
    char line[120];
    std::snprintf(line, sizeof line, text, a, b);
    return line;
}

/// A kernel with its own set of plugins, and a model in it.
class Plant {
public:
    Plant(std::string name, const ancora::Manifest& manifest) : name_(std::move(name)) {
        simulation_.emplace(manifest, registry_, [this](const std::string& warning) {
            log(name_.c_str(), "warning: " + warning);
        });
        std::string plugins;
        for (const ancora::Plugin* plugin : registry_.plugins()) plugins += " " + plugin->name;
        log(name_.c_str(), "plugins:" + plugins);
    }
    ancora::Simulation& operator*() { return *simulation_; }
    ancora::Simulation* operator->() { return &*simulation_; }

    /// Steps until `time`. @returns false if the model failed; it keeps its last good state
    bool advance(double time) {
        try {
            while (!simulation_->done() && simulation_->time() < time - 1e-9) simulation_->step();
            return true;
        } catch (const ancora::Error& error) {
            log(name_.c_str(), "failed: " + error.message());
            return false;
        }
    }

private:
    std::string name_;
    ancora::PluginRegistry registry_;  // must outlive the simulation
    std::optional<ancora::Simulation> simulation_;
};

constexpr double kFrame = 0.01;  // s, of the loop
constexpr double kMass = 100.0;  // kg

/// A spacecraft as a box, built in code.
ancora::Manifest spacecraft() {
    ancora::Manifest manifest;
    manifest.model.name = "spacecraft";
    manifest.add_body("craft", "ancf_rigid_body")
        .set("mass", kMass)
        .set("inertia", {10.0, 12.0, 15.0})
        .set("position", {1.0, 0.0, 0.0})
        .set("angular_velocity", {0.02, 0.5, 0.01});
    manifest.integrator.type = "emm";
    manifest.integrator.step = kFrame;
    manifest.integrator.end = 2.0;
    return manifest;
}

/// A stiff rod under an explicit integrator with far too long a step: it runs away.
ancora::Manifest hopeless() {
    ancora::Manifest manifest;
    manifest.add_body("rod", "truss")
        .set("from", {0.0, 0.0, 0.0})
        .set("to", {1.0, 0.0, 0.0})
        .set("young", 2e11)
        .set("area", 1e-4)
        .set("density", 7800.0)
        .set("velocity", {0.0, 1.0, 0.0})
        .set("rest_length", 0.999);
    manifest.integrator.type = "rk4";
    manifest.integrator.step = kFrame;
    manifest.integrator.end = 2.0;
    return manifest;
}

/// A controller that holds the craft at the origin along x, k in N/m and c in N s/m, and what it
/// must do by hand: the force is constant over a frame, so that
///
///   v' = v + h F / m,   x' = x + h v + h^2 F / (2 m),   F = -k x - c v
struct Controller {
    double k = 400.0, c = 250.0;
    double x = 1.0, v = 0.0;  // the recursion's own state

    double force(double at, double speed) const { return -k * at - c * speed; }
    void recur() {
        const double a = force(x, v) / kMass;
        x += kFrame * v + 0.5 * kFrame * kFrame * a;
        v += kFrame * a;
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: embed MODEL.toml\n");
        return 2;
    }
    try {
        Plant craft("craft", spacecraft());
        Plant pendulum("pendulum", ancora::Manifest::load(argv[1]));
        auto rod = std::make_unique<Plant>("rod", hopeless());

        Controller controller;
        std::vector<std::byte> saved;
        double forecast = 0.0, worst = 0.0, slowest = 0.0;
        for (int frame = 1; frame <= 200; ++frame) {
            const auto begin = std::chrono::steady_clock::now();
            const double time = kFrame * frame;

            // The craft is pushed from outside, as a thruster or another solver would.
            const auto at = craft->point("craft@[0, 0, 0]");
            craft->apply_force("craft@[0, 0, 0]",
                               {controller.force(at.position[0], at.velocity[0]), 0.0, 0.0});
            controller.recur();
            if (!craft.advance(time)) return 1;
            worst = std::max(worst,
                             std::abs(craft->point("craft@[0, 0, 0]").position[0] - controller.x));

            // A model that fails is dropped; the others go on.
            if (rod && !rod->advance(time)) rod.reset();

            if (!pendulum.advance(time)) return 1;
            if (frame == 50) {
                log("pendulum", format("reaction of the pin at 0.5 s: %.6f N", [&] {
                        const std::vector<double> f = pendulum->reaction("pin");
                        return std::hypot(f[0], f[1], f[2]);
                    }()));
                // Look one second ahead, then take it back.
                saved = pendulum->save();
                pendulum.advance(time + 1.0);
                forecast = pendulum->point("bar@[0, 0, -0.5]").position[0];
                pendulum->restore(saved);
            }
            if (frame == 150) {
                const double now = pendulum->point("bar@[0, 0, -0.5]").position[0];
                log("pendulum",
                    now == forecast
                        ? format("tip at 1.5 s, as forecast to the bit: x = %.9f m", now)
                        : format("tip at 1.5 s: x = %.9f m, forecast %.9f m", now, forecast));
            }
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
            slowest = std::max(slowest, taken.count());
        }
        log("craft",
            format(
                "x = %.9f m after 2 s, off its recursion by %.0e m at most", controller.x, worst));
        log("craft",
            format("energy balance %.0e, angular momentum balance %.0e (relative)",
                   craft->statistics().energy.max_rel,
                   craft->statistics().angular_momentum.max_rel));
        log("loop",
            slowest < kFrame ? "200 frames of 10 ms, every one in time"
                             : "200 frames of 10 ms, some late");
        return worst < 1e-12 ? 0 : 1;
    } catch (const ancora::Error& error) {
        log("loop", error.what());
        return static_cast<int>(error.kind());
    }
}
