// SPDX-License-Identifier: BSD-3-Clause
// Values of the C interface: columns, points, poses, inputs, forces.
#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "c_calls.hpp"
#include "results.hpp"

using namespace ancora;

namespace {

/// The entry of a list by its number.
const std::string& entry(const std::vector<std::string>& list, size_t index, const char* what) {
    if (index >= list.size())
        c::refuse(fmt::format("there is no {} {}; there are {}", what, index, list.size()));
    return list[index];
}

size_t find_named_input(const ancora_simulation& it, const std::string& name) {
    const auto found = std::ranges::find(it.inputs, name);
    if (found == it.inputs.end())
        c::refuse(fmt::format("there is no input \"{}\"{}",
                              name,
                              it.inputs.empty() ? "; no object of the model has inputs"
                                                : did_you_mean(name, it.inputs)));
    return static_cast<size_t>(found - it.inputs.begin());
}

template <class Array>
void put_array(const Array& values, double* to) {
    if (to != nullptr) std::ranges::copy(values, to);
}

}  // namespace

ancora_status ancora_num_bodies(const ancora_simulation* simulation, size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::required(count, "count") = it.simulation->body_states().size();
    });
}

ancora_status ancora_body_name(
    const ancora_simulation* simulation, size_t body, char* text, size_t capacity, size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const std::vector<Simulation::BodyState> bodies = it.simulation->body_states();
        if (body >= bodies.size())
            c::refuse(fmt::format("there is no body {}; there are {}", body, bodies.size()));
        c::put_text(bodies[body].name, text, capacity, count);
    });
}

ancora_status ancora_body_range(const ancora_simulation* simulation,
                                size_t body,
                                size_t* first,
                                size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const std::vector<Simulation::BodyState> bodies = it.simulation->body_states();
        if (body >= bodies.size())
            c::refuse(fmt::format("there is no body {}; there are {}", body, bodies.size()));
        c::put(first, static_cast<size_t>(bodies[body].q.data() - it.simulation->q().data()));
        c::put(count, bodies[body].q.size());
    });
}

ancora_status ancora_apply_force(ancora_simulation* simulation,
                                 const char* attachment,
                                 const double force[3]) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const std::string at = c::text_of(attachment, "attachment");
        c::required(force, "force");
        it.changed();
        it.simulation->apply_force(at, {force[0], force[1], force[2]});
    });
}

ancora_status ancora_apply_torque(ancora_simulation* simulation,
                                  const char* body,
                                  const double torque[3]) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const std::string name = c::text_of(body, "body");
        c::required(torque, "torque");
        it.changed();
        it.simulation->apply_torque(name, {torque[0], torque[1], torque[2]});
    });
}

ancora_status ancora_num_inputs(const ancora_simulation* simulation, size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::required(count, "count") = it.inputs.size();
    });
}

ancora_status ancora_input_name(
    const ancora_simulation* simulation, size_t input, char* text, size_t capacity, size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::put_text(entry(it.inputs, input, "input"), text, capacity, count);
    });
}

ancora_status ancora_input_unit(
    const ancora_simulation* simulation, size_t input, char* text, size_t capacity, size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::put_text(entry(it.input_units, input, "input"), text, capacity, count);
    });
}

ancora_status ancora_find_input(const ancora_simulation* simulation,
                                const char* name,
                                size_t* input) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::required(input, "input");
        *input = find_named_input(it, c::text_of(name, "name"));
    });
}

ancora_status ancora_set_input(ancora_simulation* simulation, const char* name, double value) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const std::string input = c::text_of(name, "name");
        it.changed();
        it.simulation->set_input(input, value);
    });
}

ancora_status ancora_set_input_at(ancora_simulation* simulation, size_t input, double value) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const std::string& name = entry(it.inputs, input, "input");
        it.changed();
        it.simulation->set_input(name, value);
    });
}

ancora_status ancora_release_input(ancora_simulation* simulation, const char* name) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const std::string input = c::text_of(name, "name");
        it.changed();
        it.simulation->release_input(input);
    });
}

ancora_status ancora_num_columns(const ancora_simulation* simulation, size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::required(count, "count") = it.columns.size();
    });
}

ancora_status ancora_column_name(const ancora_simulation* simulation,
                                 size_t column,
                                 char* text,
                                 size_t capacity,
                                 size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::put_text(entry(it.columns, column, "column"), text, capacity, count);
    });
}

ancora_status ancora_column_unit(const ancora_simulation* simulation,
                                 size_t column,
                                 char* text,
                                 size_t capacity,
                                 size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const std::string& name = entry(it.columns, column, "column");
        std::string unit;
        for (const auto& [of, own] : it.simulation->column_units())
            if (of == name) unit = own;
        if (unit.empty()) unit = unit_of_column(name);
        c::put_text(unit, text, capacity, count);
    });
}

ancora_status ancora_sample(ancora_simulation* simulation,
                            double* row,
                            size_t capacity,
                            size_t* count) {
    return c::call(simulation, [&](ancora_simulation& it) {
        c::put(count, it.columns.size());
        if (capacity == 0) return;
        if (capacity < it.columns.size()) throw c::BufferTooSmall{capacity, it.columns.size()};
        it.simulation->sample(std::span<double>(&c::required(row, "row"), it.columns.size()));
    });
}

ancora_status ancora_value(ancora_simulation* simulation, const char* column, double* value) {
    return c::call(simulation, [&](ancora_simulation& it) {
        c::required(value, "value");
        *value = it.simulation->value(c::text_of(column, "column"));
    });
}

ancora_status ancora_find_value(const ancora_simulation* simulation,
                                const char* column,
                                int32_t* handle) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        c::required(handle, "handle");
        *handle = it.simulation->find_column(c::text_of(column, "column"));
    });
}

ancora_status ancora_values(ancora_simulation* simulation,
                            const int32_t* handles,
                            size_t count,
                            double* values) {
    return c::call(simulation, [&](ancora_simulation& it) {
        if (count == 0) return;
        // More would be a count that went wrong, and addresses that are not the caller's.
        if (count > (std::size_t{1} << 24)) c::refuse(fmt::format("{} values at once", count));
        it.simulation->values({&c::required(handles, "handles"), count},
                              {&c::required(values, "values"), count});
    });
}

ancora_status ancora_point(const ancora_simulation* simulation,
                           const char* attachment,
                           double position[3],
                           double velocity[3]) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const Simulation::PointState at =
            it.simulation->point(c::text_of(attachment, "attachment"));
        put_array(at.position, position);
        put_array(at.velocity, velocity);
    });
}

ancora_status ancora_pose(const ancora_simulation* simulation,
                          const char* body,
                          double position[3],
                          double quaternion[4],
                          double velocity[3],
                          double angular_velocity[3]) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const Pose pose = it.simulation->pose(c::text_of(body, "body"));
        put_array(pose.position, position);
        put_array(pose.quaternion, quaternion);
        put_array(pose.velocity, velocity);
        put_array(pose.angular_velocity, angular_velocity);
    });
}

ancora_status ancora_reaction(ancora_simulation* simulation,
                              const char* constraint,
                              double* values,
                              size_t capacity,
                              size_t* count) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const std::vector<double> reaction =
            it.simulation->reaction(c::text_of(constraint, "constraint"));
        c::put_all(std::span<const double>(reaction), values, capacity, count);
    });
}
