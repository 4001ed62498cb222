// SPDX-License-Identifier: BSD-3-Clause
// Simulations of the C interface: steps, records, state.
#include <cmath>
#include <cstddef>
#include <exception>

#include <fmt/format.h>

#include "ancora/framework/run.hpp"
#include "c_calls.hpp"

using namespace ancora;

/// The simulation, for what may not happen inside a callback.
Simulation& ancora_simulation::steady(const char* call) {
    if (depth > 0) c::refuse(fmt::format("{}: not inside a callback of the same simulation", call));
    changed();
    return *simulation;
}

namespace {

/// One step, recorded if that is wanted.
void take_step(ancora_simulation& it) {
    Simulation& simulation = it.steady("step");
    try {
        simulation.step();
        if (it.recorder) it.recorder->record();
    } catch (...) {
        if (!it.recorder || simulation.done()) throw;
        const std::unique_ptr<Recorder> recorder = std::move(it.recorder);
        end_failed_run(recorder.get(), std::current_exception());
    }
}

/// A handle of a simulation of the model: `make` makes that with the session's plugins and
/// warnings.
template <class Make>
ancora_simulation* new_simulation(ancora_model& model, const Make& make) {
    auto made = std::make_unique<ancora_simulation>();
    made->session = model.session;
    made->manifest = model.read();
    c::Session& session = *model.session;
    WarningSink sink;
    if (session.on_warning != nullptr)
        sink = [callback = session.on_warning,
                user = session.warning_user](const std::string& message) {
            callback(message.c_str(), user);
        };
    made->simulation.emplace(make(made->manifest, session.registry, std::move(sink)));
    made->columns = made->simulation->column_names();
    made->num_coordinates = made->simulation->q().size();
    for (const Simulation::Input& input : made->simulation->inputs()) {
        made->inputs.push_back(input.name);
        made->input_units.push_back(input.unit);
    }
    return made.release();
}

}  // namespace

ancora_status ancora_simulation_new(ancora_model* model, ancora_simulation** simulation) {
    if (simulation != nullptr) *simulation = nullptr;
    return c::call(model, [&](ancora_model& it) {
        c::required(simulation, "simulation");
        *simulation = new_simulation(
            it, [](const Manifest& manifest, PluginRegistry& registry, WarningSink sink) {
                return Simulation(manifest, registry, std::move(sink));
            });
    });
}

void ancora_simulation_free(ancora_simulation* simulation) {
    if (simulation == nullptr || simulation->tag != c::Tag::simulation || simulation->depth > 0 ||
        simulation->session->in_function > 0)
        return;
    simulation->tag = c::Tag::none;
    delete simulation;
}

ancora_status ancora_reset(ancora_simulation* simulation) {
    return c::call(simulation, [&](ancora_simulation& it) {
        if (it.recorder) c::refuse("reset: the simulation is recorded; end the record first");
        it.steady("reset").reset();
    });
}

ancora_status ancora_changed(const ancora_simulation* simulation,
                             ancora_model* model,
                             ancora_simulation** changed) {
    if (changed != nullptr) *changed = nullptr;
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::required(changed, "changed");
        if (c::required(model, "model").tag != c::Tag::model)
            c::refuse("changed: this is no model");
        *changed = new_simulation(
            *model, [&](const Manifest& manifest, PluginRegistry& registry, WarningSink sink) {
                return it.simulation->changed(manifest, registry, std::move(sink));
            });
    });
}

ancora_status ancora_simulation_info(const ancora_simulation* simulation, ancora_info* info) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const Simulation& of = *it.simulation;
        ancora_info now{};
        now.time = of.time();
        now.step_size = of.step_size();
        now.end_time = of.end_time();
        now.num_steps = of.num_steps();
        now.steps_done = of.steps_done();
        now.num_coordinates = it.num_coordinates;
        now.is_adaptive = of.is_adaptive() ? 1 : 0;
        now.is_done = of.done() ? 1 : 0;
        now.begin_time = of.begin_time();
        c::put_struct(now, info, "info");
    });
}

ancora_status ancora_simulation_name(const ancora_simulation* simulation,
                                     char* text,
                                     size_t capacity,
                                     size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::put_text(it.simulation->name(), text, capacity, count);
    });
}

ancora_status ancora_step(ancora_simulation* simulation) {
    return c::call(simulation, take_step);
}

ancora_status ancora_set_threads(ancora_simulation* simulation, int32_t num_threads) {
    return c::call(simulation, [&](ancora_simulation& it) {
        it.simulation->set_threads(num_threads);
    });
}

ancora_status ancora_run(ancora_simulation* simulation,
                         double time,
                         ancora_step_callback callback,
                         void* user) {
    return c::call(simulation, [&](ancora_simulation& it) {
        if (std::isnan(time)) c::refuse("run: the time is not a number");
        // The grid's times are rounded: a step that ends at `time` is not followed by another one.
        const double slack = it.simulation->is_adaptive() ? 0.0 : 0.5 * it.simulation->step_size();
        while (!it.simulation->done() && it.simulation->time() + slack < time) {
            take_step(it);
            if (callback == nullptr) continue;
            ++it.depth;
            int stop = 0;
            try {
                stop = callback(&it, user);
            } catch (...) {
                --it.depth;
                throw;
            }
            --it.depth;
            it.session->message.clear();  // of calls in the callback
            if (stop != 0) throw c::Stopped{};
        }
    });
}

ancora_status ancora_record(ancora_simulation* simulation, const char* folder) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const std::filesystem::path path = c::text_of(folder, "folder");
        if (it.recorder) c::refuse("record: the simulation is recorded already");
        if (it.simulation->steps_done() > 0)
            c::refuse("record: to be called before the first step");
        RecorderOptions options;
        options.plugin_dirs = it.session->plugin_dirs;
        auto recorder = std::make_unique<Recorder>(path, it.steady("record"), it.manifest, options);
        recorder->start();
        it.recorder = std::move(recorder);
    });
}

ancora_status ancora_record_finish(ancora_simulation* simulation) {
    return c::call(simulation, [&](ancora_simulation& it) {
        if (!it.recorder) c::refuse("record_finish: the simulation is not recorded");
        const bool is_done = it.steady("record_finish").done();
        const std::unique_ptr<Recorder> recorder = std::move(it.recorder);
        recorder->finish(is_done ? "completed" : "interrupted");
    });
}

ancora_status ancora_q(const ancora_simulation* simulation,
                       double* q,
                       size_t capacity,
                       size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::put_all(it.simulation->q(), q, capacity, count);
    });
}

ancora_status ancora_v(const ancora_simulation* simulation,
                       double* v,
                       size_t capacity,
                       size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::put_all(it.simulation->v(), v, capacity, count);
    });
}

ancora_status ancora_state_view(const ancora_simulation* simulation,
                                const double** q,
                                const double** v,
                                size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::put(q, it.simulation->q().data());
        c::put(v, it.simulation->v().data());
        c::put(count, it.simulation->q().size());
    });
}

namespace {

/// @param set receives the simulation, q and v
template <class Set>
ancora_status put_state(
    ancora_simulation* simulation, const double* q, const double* v, size_t count, const Set& set) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const std::size_t n = it.simulation->q().size();
        if (count != n)
            c::refuse(fmt::format("set_state: {} entries each, the model has {}", count, n));
        if (n == 0) return;
        // They may be the simulation's own.
        const std::vector<double> to_q(&c::required(q, "q"), q + n);
        const std::vector<double> to_v(&c::required(v, "v"), v + n);
        set(it.steady("set_state"), to_q, to_v);
    });
}

}  // namespace

ancora_status ancora_set_state(ancora_simulation* simulation,
                               const double* q,
                               const double* v,
                               size_t count) {
    return put_state(simulation, q, v, count, [](auto& it, const auto& to_q, const auto& to_v) {
        it.set_state(to_q, to_v);
    });
}

ancora_status ancora_set_state_at(
    ancora_simulation* simulation, double t, const double* q, const double* v, size_t count) {
    return put_state(simulation, q, v, count, [t](auto& it, const auto& to_q, const auto& to_v) {
        it.set_state(to_q, to_v, t);
    });
}

ancora_status ancora_save(ancora_simulation* simulation,
                          void* bytes,
                          size_t capacity,
                          size_t* count) {
    return c::call(simulation, [&](ancora_simulation& it) {
        if (it.saved.empty()) it.saved = it.simulation->save();
        c::put_all(
            std::span<const std::byte>(it.saved), static_cast<std::byte*>(bytes), capacity, count);
    });
}

ancora_status ancora_restore(ancora_simulation* simulation, const void* bytes, size_t count) {
    return c::call(simulation, [&](ancora_simulation& it) {
        if (it.recorder) c::refuse("restore: not while the simulation is recorded");
        // The caller's may be those that are forgotten here.
        const auto* const first = static_cast<const std::byte*>(bytes);
        if (count > 0) c::required(first, "bytes");
        const std::vector<std::byte> copy(first, first + count);
        it.steady("restore").restore(copy);
    });
}

ancora_status ancora_statistics_now(const ancora_simulation* simulation,
                                    ancora_statistics* statistics) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const RunStatistics of = it.simulation->statistics();
        ancora_statistics now{};
        now.steps = of.steps;
        now.substeps = of.substeps;
        now.iterations = of.iterations;
        now.factorisations = of.factorisations;
        now.evaluations = of.evaluations;
        now.step_seconds = of.step_seconds;
        now.energy_max_abs = of.energy.max_abs;
        now.energy_max_rel = of.energy.max_rel;
        now.momentum_max_abs = of.momentum.max_abs;
        now.momentum_max_rel = of.momentum.max_rel;
        now.angular_momentum_max_abs = of.angular_momentum.max_abs;
        now.angular_momentum_max_rel = of.angular_momentum.max_rel;
        c::put_struct(now, statistics, "statistics");
    });
}

ancora_status ancora_ledger_now(ancora_simulation* simulation, ancora_ledger* ledger) {
    return c::call(simulation, [&](ancora_simulation& it) {
        std::vector<double> row(it.columns.size());
        it.simulation->sample(row);
        const auto at = [&](const std::string& name) {
            const auto found = std::ranges::find(it.columns, name);
            if (found == it.columns.end()) throw std::logic_error("there is no column " + name);
            return row[found - it.columns.begin()];
        };
        const auto vector_at = [&](const std::string& name, double* to) {
            to[0] = at(name + ".x");
            to[1] = at(name + ".y");
            to[2] = at(name + ".z");
        };
        ancora_ledger now{};
        now.kinetic = at("energy.kinetic");
        now.potential = at("energy.potential");
        now.total = at("energy.total");
        now.work_external = at("work.external");
        now.work_nonideal = at("work.nonideal");
        now.work_projection = at("work.projection");
        now.balance = at("energy.balance");
        vector_at("momentum", now.momentum);
        vector_at("momentum.balance", now.momentum_balance);
        vector_at("angular_momentum", now.angular_momentum);
        vector_at("angular_momentum.balance", now.angular_momentum_balance);
        now.constraint_position = at("constraint.position");
        now.constraint_velocity = at("constraint.velocity");
        now.constraint_strain = at("constraint.strain");
        c::put_struct(now, ledger, "ledger");
    });
}
