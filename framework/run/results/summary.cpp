// SPDX-License-Identifier: BSD-3-Clause
// Builds the nested document of summary.json and lays it out for people to read.
#include "summary.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include <Eigen/Core>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include "ancora/framework/lock.hpp"
#include "ancora/framework/version.hpp"
#include "ancora/sdk/version.hpp"
#include "shown_path.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

// Bodies with more coordinates than this have no place in the final state.
constexpr std::size_t kMaxCoordinates = 1000;

/// An object of many entries: Json looks for a key among all that are there.
class LargeObject {
public:
    void set(const std::string& key, Json value) {
        auto& entries = object_.get_ref<Json::object_t&>();
        const auto [place, is_new] = places_.try_emplace(key, std::ssize(entries));
        if (is_new)
            entries.emplace_back(key, std::move(value));
        else
            (entries.begin() + place->second)->second = std::move(value);
    }
    Json take() { return std::move(object_); }

private:
    Json object_ = Json::object();
    std::unordered_map<std::string, std::ptrdiff_t> places_;
};

Json json_of(const Value& value) {
    return std::visit(
        [](const auto& x) -> Json {
            using T = std::decay_t<decltype(x)>;
            if constexpr (std::is_same_v<T, Array>) {
                Json array = Json::array();
                for (const Value& entry : x) array.push_back(json_of(entry));
                return array;
            } else if constexpr (std::is_same_v<T, Table>) {
                Json object = Json::object();
                for (const Table::Entry& entry : x.entries())
                    object[entry.key] = json_of(entry.value);
                return object;
            } else {
                return x;
            }
        },
        value.data());
}

Json json_of(const BalanceMaximum& maximum) {
    return {{"max_abs", maximum.max_abs}, {"max_rel", maximum.max_rel}};
}

Json plugins(const Simulation& simulation, bool full_paths) {
    Json list = Json::array();
    for (const Plugin* plugin : simulation.plugins())
        list.push_back({{"name", plugin->name},
                        {"version", plugin->version},
                        {"file", full_paths ? plugin->file.string() : shown_path(plugin->file)},
                        {"sha256", plugin->sha256}});
    return list;
}

Json integrator(const Simulation& simulation, const IntegratorSettings& settings) {
    Json object = {{"type", settings.type},
                   {"step", simulation.step_size()},
                   {"begin", simulation.begin_time()},
                   {"end", simulation.end_time()},
                   {"tolerance", nullptr}};
    if (settings.tolerance) object["tolerance"] = *settings.tolerance;
    if (const auto own = settings.own.find(settings.type); own != settings.own.end())
        for (const Table::Entry& entry : own->second.entries())
            object[entry.key] = json_of(entry.value);
    return object;
}

/// What project_start moved.
Json projected(const RunStatistics& statistics) {
    LargeObject bodies, measures;
    for (const MovedBody& body : statistics.projected)
        bodies.set(body.name, {{"moved", body.moved}, {"turned", body.turned}});
    for (const MovedMeasure& measure : statistics.projected_measures)
        measures.set(measure.name, {{"before", measure.before}, {"after", measure.after}});
    return {{"bodies", bodies.take()}, {"measures", measures.take()}};
}

/// What stops and contacts did.
Json impacts(const RunStatistics& statistics) {
    const RunStatistics::Impacts& of = statistics.impacts;
    return {{"count", of.count},
            {"closed", of.closed},
            {"released", of.released},
            {"lowered", of.lowered},
            {"several_solutions", of.several},
            {"stepped_over", of.stepped_over},
            {"loss", of.loss},
            {"least_gap", of.least_gap},
            {"law", of.laws},
            {"order", of.is_in_turn ? "in_turn" : "together"}};
}

Json newton(const RunStatistics& statistics) {
    const double steps = static_cast<double>(std::max(statistics.steps, 1L));
    return {{"iterations", statistics.iterations},
            {"max_per_step", statistics.max_iterations},
            {"mean_per_step", static_cast<double>(statistics.iterations) / steps}};
}

Json final_state(const Simulation& simulation) {
    LargeObject bodies;
    for (const Simulation::BodyState& body : simulation.body_states())
        if (body.q.size() <= kMaxCoordinates) bodies.set(body.name, {{"q", body.q}, {"v", body.v}});
    return {{"t", simulation.time()}, {"bodies", bodies.take()}};
}

/// Contacts that changed, elements that broke and singular positions passed, in the order of time.
Json events(const Simulation& simulation) {
    Json list = Json::array();
    for (const ContactEvent& event : simulation.events())
        list.push_back(
            {{"t", event.t}, {"force", event.force}, {"mode", event.sticks ? "stick" : "slip"}});
    for (const BreakEvent& event : simulation.breaks()) {
        if (event.item < 0)
            list.push_back({{"t", event.t},
                            {"constraint", event.object},
                            {"mode", "opened"},
                            {"energy", event.energy}});
        else
            list.push_back({{"t", event.t},
                            {"object", event.object},
                            {"item", event.item},
                            {"mode", "broken"},
                            {"energy", event.energy}});
    }
    for (const ImpactEvent& event : simulation.impacts()) {
        static constexpr const char* kModes[] = {"impact", "closed", "released", "broken"};
        Json entry = {{"t", event.t},
                      {"constraint", event.constraint},
                      {"bodies", event.bodies},
                      {"mode", kModes[static_cast<std::size_t>(event.kind)]}};
        if (event.kind == ImpactEvent::Kind::impact) {
            entry["impulse"] = event.impulse;
            entry["loss"] = event.loss;
        }
        list.push_back(std::move(entry));
    }
    for (const SingularPosition& position : simulation.singular_positions())
        list.push_back({{"t", position.t},
                        {"mode", position.continues ? "singular position" : "velocity jump"},
                        {"continues", position.continues}});
    std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) {
        return a["t"].get<double>() < b["t"].get<double>();
    });
    return list;
}

/// Files that the model is made of beside the manifest.
Json files(const Simulation& simulation, bool full_paths) {
    Json object = Json::object();
    for (const InputFile& file : simulation.input_files())
        object[file.key] = {{"file", full_paths ? file.path.string() : shown_path(file.path)},
                            {"sha256", file.sha256}};
    return object;
}

/// What the figures of time were measured on.
Json machine() {
    std::string processor;
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; processor.empty() && std::getline(info, line);)
        if (const std::size_t colon = line.find(": ");
            line.starts_with("model name") && colon != std::string::npos)
            processor = line.substr(colon + 2);
    utsname system{};
    const bool is_known = ::uname(&system) == 0;
    return {
        {"processor", processor.empty() ? Json() : Json(processor)},
        {"cores", std::thread::hardware_concurrency()},
        {"system",
         is_known ? Json(fmt::format("{} {}, {}", system.sysname, system.release, system.machine))
                  : Json()}};
}

/// What the kernel was made with.
Json build() {
#ifdef NDEBUG
    constexpr bool has_assertions = false;
#else
    constexpr bool has_assertions = true;
#endif
    return {
        {"compiler",
#ifdef __clang__
         "clang " __clang_version__
#else
         "GCC " __VERSION__
#endif
        },
        {"assertions", has_assertions},
        {"sdk", ANCORA_SDK_VERSION},
        {"eigen",
         fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)}};
}

Json units(const Simulation& simulation) {
    LargeObject object;
    for (const auto& [column, unit] : simulation.column_units()) object.set(column, unit);
    return object.take();
}

Json cost(const RunStatistics& statistics) {
    Json object = Json::object();
    for (const PluginCost& plugin : statistics.plugins)
        object[plugin.plugin] = {{"seconds", plugin.seconds}, {"calls", plugin.calls}};
    return object;
}

/// Takes absolute paths out of every text: a name, a parameter or a message may hold one.
void hide_folders(Json& value) {
    if (value.is_string()) value = without_folders(value.get<std::string>());
    if (!value.is_structured()) return;
    for (Json& entry : value) hide_folders(entry);
}

/// Writes one entry per line, but lists of numbers and texts on one line.
void write(const Json& value, const std::string& indent, std::string& text) {
    if (!value.is_structured() || value.empty()) {
        // A file name may be no UTF-8; the document is.
        text += value.dump(-1, ' ', false, Json::error_handler_t::replace);
        return;
    }
    const bool is_flat = value.is_array() && !value.front().is_structured();
    const std::string inner = indent + "  ";
    const std::string line_break = is_flat ? "" : "\n" + inner;
    text += value.is_object() ? '{' : '[';
    bool is_first = true;
    for (const auto& [key, entry] : value.items()) {
        if (!is_first) text += is_flat ? ", " : ",";
        is_first = false;
        text += line_break;
        if (value.is_object()) {
            write(key, inner, text);
            text += ": ";
        }
        write(entry, inner, text);
    }
    if (!is_flat) text += '\n' + indent;
    text += value.is_object() ? '}' : ']';
}

}  // namespace

bool is_complete(const std::string& text, const std::string& run_sha256) {
    // Not in their order: each of many bodies' names would be looked for among all before it.
    using Unordered = nlohmann::json;
    const Unordered summary = Unordered::parse(text, nullptr, false);
    return summary.is_object() && summary.value("exit_reason", Unordered()) == "completed" &&
           summary.value("run_sha256", Unordered()) == run_sha256;
}

std::string summary_text(const Simulation& simulation, const RunRecord& record) {
    const RunStatistics statistics = simulation.statistics();
    const auto path_text = [&](const std::filesystem::path& path) {
        return record.full_paths ? path.string() : shown_path(path);
    };
    Json document = {
        {"ancora", version()},
        {"model", simulation.name()},
        {"manifest", record.manifest.empty() ? Json() : Json(path_text(record.manifest))},
        {"exit_reason", record.exit_reason},
        {"run_sha256", record.run_sha256},
        {"build", build()},
        {"abi_sha256", abi_sha256()},
        {"machine", machine()},
        {"locked", simulation.is_locked()},
        {"plugins", plugins(simulation, record.full_paths)},
        {"integrator", integrator(simulation, record.integrator)},
        {"steps", statistics.steps},
        {"substeps", statistics.substeps},
        {"wall_seconds", record.wall_seconds},
        {"resumed_at", record.resumed_at},
        {"files", files(simulation, record.full_paths)},
        {"timings",
         {{"step_seconds", statistics.step_seconds},
          {"factorise_seconds", statistics.factorise_seconds},
          {"assemble_seconds", statistics.assemble_seconds},
          {"solve_seconds", statistics.solve_seconds}}},
        {"newton", newton(statistics)},
        {"factorisations", statistics.factorisations},
        {"evaluations", statistics.evaluations},
        {"redundant_rows", statistics.redundant_rows},
        {"reactions", statistics.redundant_rows == 0 ? "unique" : "of minimum norm"},
        {"arbitrary_reactions", statistics.arbitrary_reactions},
        {"projected", projected(statistics)},
        {"energy", {{"balance", json_of(statistics.energy)}}},
        {"momentum", {{"balance", json_of(statistics.momentum)}}},
        {"angular_momentum", {{"balance", json_of(statistics.angular_momentum)}}},
        {"constraint",
         {{"position", json_of(statistics.constraint_position)},
          {"velocity", json_of(statistics.constraint_velocity)},
          {"strain", json_of(statistics.constraint_strain)}}},
        {"events", events(simulation)},
        {"warnings", statistics.warnings},
        {"doubts", statistics.doubts},
        {"cost", cost(statistics)},
        {"units", units(simulation)},
        {"final_state", final_state(simulation)},
    };
    if (statistics.impacts.has_any) document["impacts"] = impacts(statistics);
    if (!record.full_paths) hide_folders(document);
    std::string text;
    write(document, "", text);
    text += '\n';
    return text;
}

}  // namespace ancora
