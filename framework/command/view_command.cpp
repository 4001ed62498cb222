// SPDX-License-Identifier: BSD-3-Clause
// `ancora view`: a page that follows a run while it computes, and drives it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "ancora/framework/failed_call.hpp"
#include "ancora/framework/live_page.hpp"
#include "ancora/framework/report.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "interrupt.hpp"
#include "table.hpp"
#include "view_server.hpp"
#include "view_timeline.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;
using Wall = std::chrono::steady_clock;

constexpr auto kPicture = std::chrono::microseconds(16'667);  // between what is sent
constexpr auto kSlice = std::chrono::milliseconds(4);         // of steps without a look around
constexpr std::size_t kMostBacklog = 8'000'000;               // bytes
constexpr double kTimelineRecords = 1000.0;                   // of a run, at least

double seconds(Wall::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A finite number under a key.
std::optional<double> number_in(const Json& said, const char* key) {
    const auto found = said.find(key);
    if (found == said.end() || !found->is_number()) return std::nullopt;
    const double x = found->get<double>();
    return std::isfinite(x) ? std::optional(x) : std::nullopt;
}

std::string text_in(const Json& said, const char* key) {
    const auto found = said.find(key);
    return found != said.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::array<double, 3>> vector_in(const Json& said, const char* key) {
    const auto found = said.find(key);
    if (found == said.end() || !found->is_array() || found->size() != 3) return std::nullopt;
    std::array<double, 3> out{};
    for (std::size_t k = 0; k < 3; ++k) {
        if (!(*found)[k].is_number()) return std::nullopt;
        out[k] = (*found)[k].get<double>();
        if (!std::isfinite(out[k])) return std::nullopt;
    }
    return out;
}

double length(const std::array<double, 3>& x) {
    return std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/// How fast a run of this length is shown unless somebody chooses: in real time from a second to an
/// hour, else in about twelve seconds.
double fitting_pace(double run_length) {
    if (run_length >= 1.0 && run_length <= 3600.0) return 1.0;
    const double wanted = run_length / 12.0;
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    return power * (wanted >= 5.0 * power ? 5.0 : wanted >= 2.0 * power ? 2.0 : 1.0);
}

void open_in_browser(const std::string& address) {
    std::string program = "xdg-open", argument = address;
    char* const arguments[] = {program.data(), argument.data(), nullptr};
    pid_t child = 0;
    if (::posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
        write_warning("there is no xdg-open to start a browser with; open the address by hand");
}

/// A spring with a damper from a point of a body to where the pointer is. Over each step its force
/// is constant, so that the ledger has its work to the last bit.
struct Pull {
    std::string attachment;
    std::array<double, 3> target{};
    std::array<double, 3> force{};
    double stiffness = 0.0;  // [N/m]
    double damping = 0.0;    // [N s/m]
};

/// The model as it was given, with the parameters that the viewer has set.
class ModelFile {
public:
    explicit ModelFile(const Options& options) : options_(&options) {}

    Manifest load() const {
        std::vector<std::string> overrides = options_->overrides;
        for (const auto& [name, value] : set_)
            overrides.push_back(fmt::format("parameters.{}={}", name, value));
        return Manifest::load(options_->operand, overrides);
    }
    void set(const std::string& name, double value) {
        for (auto& one : set_)
            if (one.first == name) {
                one.second = value;
                return;
            }
        set_.emplace_back(name, value);
    }

private:
    const Options* options_;
    std::vector<std::pair<std::string, double>> set_;
};

class LiveRun {
public:
    LiveRun(const Options& options, PluginRegistry& registry)
        : options_(options),
          registry_(registry),
          file_(options),
          manifest_(file_.load()),
          simulation_(manifest_, registry, &write_warning),
          server_(options.port, [&](const std::string& connect) {
              return live_page(manifest_.model.name, connect);
          }) {
        simulation_.set_threads(options.threads);
        pace_ = fitting_pace(simulation_.end_time() - simulation_.begin_time());
        begin_timeline();
    }

    /// Until it is interrupted; returns the status of the command.
    int follow() {
        write_out(fmt::format("{}: {}\nCtrl-C ends it.\n", simulation_.name(), server_.address()));
        if (options_.open) open_in_browser(server_.address());
        const InterruptGuard guard;
        while (!InterruptGuard::is_asked_for()) {
            const auto events = server_.wait(patience());
            for (const ViewServer::Event& event : events) take(event);
            if (is_moving()) advance();
            show();
        }
        return status_;
    }

private:
    // --- what is said

    void take(const ViewServer::Event& event) {
        switch (event.kind) {
            case ViewServer::Event::Kind::joined:
                has_viewer_ = true;
                server_.address_to(event);
                send_model();
                timeline_.take_new();  // is in what follows
                for (std::string& part : timeline_.all()) server_.send_bytes(std::move(part));
                has_news_ = false;
                is_state_new_ = true;
                // It waits for the first viewer, so that nothing is missed.
                if (!was_seen_) run();
                was_seen_ = true;
                return;
            case ViewServer::Event::Kind::left:
                has_viewer_ = false;
                drop();
                return;
            case ViewServer::Event::Kind::said:
                break;
        }
        const Json said = Json::parse(event.text, nullptr, false);
        if (!said.is_object()) return tell("what the page has sent is no JSON object");
        try {
            obey(said);
        } catch (const Error& error) {
            tell(error.message());
        }
        is_state_new_ = true;
    }

    void obey(const Json& said) {
        const std::string what = text_in(said, "do");
        const std::string name = text_in(said, "name");
        const std::optional<double> value = number_in(said, "value");
        if (what == "run") return run();
        if (what == "pause") return stop();
        if (what == "step") return step_once();
        if (what == "restart") return restart();
        if (what == "drop") return drop();
        if (what == "pace" && value && *value >= 0.0) return set_pace(*value);
        if (what == "input" && value) return set_input(name, *value);
        if (what == "release") return release_input(name);
        if (what == "parameter" && value) return set_parameter(name, *value);
        if (what == "pull") return pull(said);
        tell("the page has asked for what there is not");
    }

    /// A line on the page.
    void tell(const std::string& text) {
        server_.send_text(text_of({{"kind", "told"}, {"text", text}}));
    }

    void send_model() {
        Json parameters = Json::array(), inputs = Json::array();
        for (const NumberParameter& one : number_parameters(manifest_))
            parameters.push_back({{"name", one.name}, {"value", one.value}, {"unit", one.unit}});
        for (const Simulation::Input& one : simulation_.inputs())
            inputs.push_back({{"name", one.name},
                              {"unit", one.unit},
                              {"value", value_of(one)},
                              {"set", one.is_set}});
        const Json head = {{"kind", "model"},
                           {"name", simulation_.name()},
                           {"begin", simulation_.begin_time()},
                           {"end", simulation_.end_time()},
                           {"extent", simulation_.extent()},
                           {"parameters", std::move(parameters)},
                           {"inputs", std::move(inputs)}};
        std::string text = text_of(head);
        text.pop_back();
        server_.send_text(text + ",\"model\":" + live_model(simulation_) + "}");
    }

    /// What it was set to; what the model says is seen where it is a column, too.
    Json value_of(const Simulation::Input& input) const {
        if (const auto found = set_.find(input.name); input.is_set && found != set_.end())
            return found->second;
        try {
            return simulation_.value(input.name);
        } catch (const Error&) {
            return nullptr;
        }
    }

    void send_state() {
        Json pulled = nullptr;
        if (pull_)
            pulled = {{"force", pull_->force},
                      {"stiffness", pull_->stiffness},
                      {"damping", pull_->damping}};
        server_.send_text(text_of({{"kind", "state"},
                                   {"running", is_running_},
                                   {"done", simulation_.done()},
                                   {"failed", failure_.empty() ? Json() : Json(failure_)},
                                   {"t", simulation_.time()},
                                   {"steps", simulation_.statistics().steps},
                                   {"pace", pace_},
                                   {"rate", is_moving() ? rate_ : 0.0},
                                   {"pull", std::move(pulled)}}));
        is_state_new_ = false;
        state_sent_ = Wall::now();
    }

    // --- the run

    bool is_moving() const { return is_running_ && !simulation_.done() && failure_.empty(); }

    void run() {
        is_running_ = true;
        anchor();
    }
    void stop() {
        is_running_ = false;
        if (simulation_.time() > recorded_) record(std::nullopt);
    }
    void set_pace(double pace) {
        pace_ = pace;
        anchor();
    }
    void anchor() {
        anchor_wall_ = Wall::now();
        anchor_time_ = simulation_.time();
        rate_wall_ = anchor_wall_;
        rate_time_ = anchor_time_;
    }

    void step_once() {
        stop();
        if (!simulation_.done() && failure_.empty()) step(true);
    }

    /// Back to the start, with the parameters that were set.
    void restart() {
        drop();
        failure_.clear();
        status_ = 0;
        simulation_.reset();
        begin_timeline();
        anchor();
    }

    /// How long to wait for the page before the next step.
    std::chrono::milliseconds patience() const {
        using std::chrono::milliseconds;
        if (!is_moving()) return milliseconds(is_state_new_ ? 0 : 50);
        if (pace_ == 0.0) return milliseconds(0);
        const double early = (simulation_.time() - due()) / pace_;
        return milliseconds(std::clamp(static_cast<int>(1e3 * early), 0, 16));
    }

    /// The time that the run has come to if it keeps pace.
    double due() const { return anchor_time_ + pace_ * seconds(Wall::now() - anchor_wall_); }

    void advance() {
        const auto end = Wall::now() + kSlice;
        do {
            if (pace_ > 0.0) {
                if (simulation_.time() > due()) break;
                // Time that was lost is not made up for.
                if (due() - simulation_.time() > 0.1 * pace_) {
                    anchor_wall_ = Wall::now();
                    anchor_time_ = simulation_.time();
                }
            }
            step(false);
        } while (is_moving() && Wall::now() < end);
        const auto now = Wall::now();
        if (const double passed = seconds(now - rate_wall_); passed > 0.5) {
            rate_ = (simulation_.time() - rate_time_) / passed;
            rate_wall_ = now;
            rate_time_ = simulation_.time();
        }
    }

    void step(bool is_recorded) {
        const double before = simulation_.time();
        try {
            apply_pull();
            simulation_.step();
            const double now = simulation_.time();
            // What lies inside long steps.
            if (simulation_.is_adaptive() && !simulation_.samples_by_steps())
                for (; next_record_ < now - 0.5 * record_every_; next_record_ += record_every_)
                    if (next_record_ > before) record(next_record_);
            if (is_recorded || now >= next_record_ - 0.5 * simulation_.step_size() ||
                simulation_.done() || Wall::now() >= next_picture_) {
                record(std::nullopt);
                while (next_record_ <= now) next_record_ += record_every_;
            }
        } catch (const Error&) {
            fail();
        }
    }

    /// Says it here and on the page; what was computed stays.
    void fail() {
        is_running_ = false;
        status_ = told(std::current_exception());
        try {
            throw;
        } catch (const Error& error) {
            failure_ = error.message();
        }
        try {
            if (simulation_.time() > recorded_) record(std::nullopt);
        } catch (const Error&) {  // the last state may be one that cannot be looked at
        }
        is_state_new_ = true;
    }

    void begin_timeline() {
        row_.resize(simulation_.column_names().size());
        frame_.resize(static_cast<std::size_t>(simulation_.scene().num_values));
        timeline_.begin(row_.size(), frame_.size());
        record_every_ = (simulation_.end_time() - simulation_.begin_time()) / kTimelineRecords;
        if (!simulation_.is_adaptive())
            record_every_ = std::max(record_every_, simulation_.step_size());
        next_record_ = simulation_.time() + record_every_;
        if (has_viewer_) server_.send_text(R"({"kind":"restart"})");
        record(std::nullopt);
        is_state_new_ = true;
    }

    /// The present state, or one inside the last step.
    void record(std::optional<double> t) {
        const Simulation::Samples samples{row_, frame_, {}};
        if (t)
            simulation_.sample_at(*t, samples);
        else
            simulation_.sample(samples);
        timeline_.add(row_, frame_);
        recorded_ = t.value_or(simulation_.time());
        has_news_ = true;
    }

    void show() {
        const auto now = Wall::now();
        if (now < next_picture_) return;
        next_picture_ = now + kPicture;
        if (has_viewer_ && has_news_ && server_.backlog() < kMostBacklog) {
            server_.send_bytes(timeline_.take_new());
            has_news_ = false;
        }
        if (!has_viewer_ && has_news_) timeline_.take_new();
        if (is_moving() && seconds(now - state_sent_) > 0.25) is_state_new_ = true;
        if (was_moving_ != is_moving()) is_state_new_ = true;
        was_moving_ = is_moving();
        if (has_viewer_ && is_state_new_) send_state();
    }

    // --- inputs and parameters

    void set_input(const std::string& name, double value) {
        simulation_.set_input(name, value);
        set_[name] = value;
        send_inputs();
    }
    void release_input(const std::string& name) {
        simulation_.release_input(name);
        send_inputs();
    }
    void send_inputs() {
        Json inputs = Json::array();
        for (const Simulation::Input& one : simulation_.inputs())
            inputs.push_back({{"name", one.name}, {"value", value_of(one)}, {"set", one.is_set}});
        server_.send_text(text_of({{"kind", "inputs"}, {"inputs", std::move(inputs)}}));
    }

    /// Goes on with the new value where it can, else begins anew with it.
    void set_parameter(const std::string& name, double value) {
        const std::vector<NumberParameter> known = number_parameters(manifest_);
        if (std::ranges::none_of(known, [&](const auto& one) {
                return one.name == name;
            }))
            return tell(fmt::format("there is no parameter \"{}\"", name));
        const ModelFile before = file_;
        file_.set(name, value);
        try {
            drop();
            Manifest manifest = file_.load();
            const bool goes_on = simulation_.steps_done() > 0 && failure_.empty();
            bool begins_anew = !goes_on;
            if (goes_on) try {
                    simulation_ = simulation_.changed(manifest, registry_, &write_warning);
                } catch (const Error& error) {
                    begins_anew = true;
                    tell(fmt::format("begun anew: {}", error.message()));
                }
            if (begins_anew) simulation_ = Simulation(manifest, registry_, &write_warning);
            manifest_ = std::move(manifest);
            simulation_.set_threads(options_.threads);
            send_model();
            if (begins_anew) {
                failure_.clear();
                status_ = 0;
                begin_timeline();
            }
            anchor();
        } catch (const Error& error) {
            file_ = before;
            tell(fmt::format("{} stays as it is: {}", name, error.message()));
            send_model();
        }
    }

    // --- pulling

    void pull(const Json& said) {
        const std::optional<std::array<double, 3>> target = vector_in(said, "target");
        if (!target) return tell("a pull needs a target");
        if (!said.contains("body")) {
            if (pull_) pull_->target = *target;
            return;
        }
        drop();
        const std::string body = text_in(said, "body");
        const auto& bodies = simulation_.scene().bodies;
        if (std::ranges::none_of(bodies, [&](const auto& one) {
                return one.name == body;
            }))
            return tell(fmt::format("there is no body \"{}\"", body));
        Pull begun;
        begun.target = *target;
        if (const std::optional<double> node = number_in(said, "node"); node && *node >= 0.0)
            begun.attachment = fmt::format("{}@{:.0f}", body, *node);
        else if (const auto point = vector_in(said, "point"))
            begun.attachment = fmt::format("{}@[{}]", body, fmt::join(*point, ","));
        else
            return tell("a pull needs a point or a node");
        const double strength = std::clamp(number_in(said, "strength").value_or(1.0), 1e-3, 1e3);
        set_spring(begun, strength);
        pull_ = std::move(begun);
    }

    /// As stiff as swings what hangs on it twice a second of the viewer's time, and as carries it
    /// at rest without going far; but not so stiff that steps are too long for it.
    void set_spring(Pull& pulled, double strength) {
        const double inverse_mass = inverse_mass_at(pulled.attachment);
        if (!(inverse_mass > 0.0)) throw Error(ErrorKind::usage, "what is fixed cannot be pulled");
        constexpr double kPerSecond = 4.0 * 3.14159265358979324;
        constexpr double kSag = 0.05;         // of the model's size
        constexpr double kMostPerStep = 0.3;  // rad
        constexpr double kDamping = 0.5;      // of critical
        const double pace = pace_ > 0.0 ? pace_ : rate_ > 0.0 ? rate_ : 1.0;
        const double sag =
            length(simulation_.scene().gravity) / (kSag * std::max(simulation_.extent(), 1e-300));
        double rate = std::max(kPerSecond / pace, std::sqrt(sag)) * std::sqrt(strength);
        rate = std::min(rate, kMostPerStep / simulation_.step_size());
        pulled.stiffness = rate * rate / inverse_mass;
        pulled.damping = 2.0 * kDamping * rate / inverse_mass;
    }

    /// How a point answers a force: the largest acceleration by 1 N, constraints included [1/kg].
    double inverse_mass_at(const std::string& attachment) {
        constexpr std::size_t kMostCoordinates = 600;  // the equation is one of dense matrices
        simulation_.point(attachment);                 // throws for what is not there
        try {
            if (simulation_.q().size() > kMostCoordinates) return 1.0 / simulation_.analyse().mass;
            const std::vector<double> jacobian = simulation_.point_jacobian(attachment);
            const std::vector<double> free = simulation_.dynamics().acceleration;
            double sum = 0.0;
            for (std::size_t k = 0; k < 3; ++k) {
                std::array<double, 3> unit{};
                unit[k] = 1.0;
                simulation_.apply_force(attachment, unit);
                const std::vector<double> pulled = simulation_.dynamics().acceleration;
                simulation_.apply_force(attachment, {});
                for (std::size_t row = 0; row < 3; ++row) {
                    double a = 0.0;
                    for (std::size_t c = 0; c < free.size(); ++c)
                        a += jacobian[row * free.size() + c] * (pulled[c] - free[c]);
                    sum += a * a;
                }
            }
            return std::sqrt(sum);
        } catch (const Error&) {
            simulation_.apply_force(attachment, {});
            return 1.0 / simulation_.analyse().mass;
        }
    }

    void apply_pull() {
        if (!pull_) return;
        const Simulation::PointState at = simulation_.point(pull_->attachment);
        for (std::size_t k = 0; k < 3; ++k)
            pull_->force[k] = pull_->stiffness * (pull_->target[k] - at.position[k]) -
                              pull_->damping * at.velocity[k];
        simulation_.apply_force(pull_->attachment, pull_->force);
    }

    void drop() {
        if (!pull_) return;
        simulation_.apply_force(pull_->attachment, {});
        pull_.reset();
        is_state_new_ = true;
    }

    const Options& options_;
    PluginRegistry& registry_;
    ModelFile file_;
    Manifest manifest_;
    Simulation simulation_;
    ViewServer server_;
    ViewTimeline timeline_;
    std::vector<double> row_, frame_;
    double record_every_ = 0.0, next_record_ = 0.0;  // [s] of the run
    double recorded_ = 0.0;                          // time of the last record
    bool has_news_ = false;                          // records not yet sent

    bool has_viewer_ = false, was_seen_ = false;
    bool is_running_ = false, was_moving_ = false;
    std::string failure_;
    int status_ = 0;

    double pace_ = 1.0;  // seconds of the run per second; 0: as fast as it can
    double rate_ = 0.0;  // what it comes to
    Wall::time_point anchor_wall_, rate_wall_, state_sent_, next_picture_;
    double anchor_time_ = 0.0, rate_time_ = 0.0;
    bool is_state_new_ = true;

    std::map<std::string, double> set_;  // inputs
    std::optional<Pull> pull_;
};

/// The report of a run that has been.
int view_results(const Options& options) {
    const std::filesystem::path folder = options.operand;
    ViewServer server(options.port, [&](const std::string&) {
        return report_page({&folder, 1});
    });
    write_out(fmt::format("{}: {}\nCtrl-C ends it.\n", folder.string(), server.address()));
    if (options.open) open_in_browser(server.address());
    const InterruptGuard guard;
    while (!InterruptGuard::is_asked_for()) server.wait(std::chrono::milliseconds(50));
    return 0;
}

}  // namespace

int view(const Options& options) {
    std::error_code error;
    if (std::filesystem::is_directory(options.operand, error)) return view_results(options);
    PluginRegistry registry;
    add_folders(registry, options);
    lock_if_asked(registry, options);
    LiveRun run(options, registry);
    return run.follow();
}

}  // namespace ancora::command
