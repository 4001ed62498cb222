// SPDX-License-Identifier: BSD-3-Clause
// Rest, vibrations and linear models of the C interface.
#include <algorithm>
#include <complex>

#include <fmt/format.h>

#include "c_calls.hpp"

using namespace ancora;

namespace {

int32_t number_of(Stability stability) {
    switch (stability) {
        case Stability::stable:
            return ANCORA_STABLE;
        case Stability::neutral:
            return ANCORA_NEUTRAL;
        case Stability::unstable:
            break;
    }
    return ANCORA_UNSTABLE;
}

const Mode& mode_of(const ancora_simulation& it, size_t mode) {
    if (!it.modes) c::refuse("there are no modes yet; call ancora_find_modes() first");
    const std::vector<Mode>& all = it.modes->modes;
    if (mode >= all.size())
        c::refuse(fmt::format("there is no mode {}; there are {}", mode, all.size()));
    return all[mode];
}

struct MatrixView {
    const std::vector<double>& values;
    size_t rows, columns;
};
MatrixView linear_part(const LinearModel& of, int32_t which) {
    const auto x = static_cast<size_t>(of.num_states), u = static_cast<size_t>(of.num_inputs),
               y = static_cast<size_t>(of.num_outputs), n = static_cast<size_t>(of.num_coordinates);
    switch (which) {
        case ANCORA_LINEAR_A:
            return {of.A, x, x};
        case ANCORA_LINEAR_B:
            return {of.B, x, u};
        case ANCORA_LINEAR_C:
            return {of.C, y, x};
        case ANCORA_LINEAR_D:
            return {of.D, y, u};
        case ANCORA_LINEAR_T:
            return {of.T, n, x / 2};
        case ANCORA_LINEAR_REST:
            return {of.at, y, 1};
        default:
            c::refuse(fmt::format("there is no matrix {} of a linear model", which));
    }
}

}  // namespace

ancora_status ancora_find_equilibrium(ancora_simulation* simulation,
                                      int options,
                                      ancora_equilibrium* result) {
    return c::call(simulation, [&](ancora_simulation& it) {
        // Results that cannot be returned are not computed.
        if (result != nullptr) c::size_of_struct(result, "result");
        if ((options & ~(ANCORA_NEAREST | ANCORA_SPINNING)) != 0)
            c::refuse(fmt::format("there are no options {} of an equilibrium", options));
        EquilibriumOptions wanted;
        wanted.nearest = (options & ANCORA_NEAREST) != 0;
        wanted.spinning = (options & ANCORA_SPINNING) != 0;
        it.rest = it.steady("find_equilibrium").find_equilibrium(wanted);
        if (result == nullptr) return;
        ancora_equilibrium now{};
        now.stability = number_of(it.rest->stability);
        now.degrees_of_freedom = it.rest->degrees_of_freedom;
        now.num_unstable = it.rest->num_unstable;
        now.num_neutral = it.rest->num_neutral;
        now.is_counted = it.rest->is_counted ? 1 : 0;
        now.num_left = it.rest->num_left;
        now.descent_steps = it.rest->descent_steps;
        now.newton_steps = it.rest->newton_steps;
        now.residual = it.rest->residual;
        now.moved = it.rest->moved;
        std::ranges::copy(it.rest->spin, now.spin);
        now.acceleration = it.rest->acceleration;
        now.lasts = it.rest->lasts ? 1 : 0;
        c::put_struct(now, result, "result");
    });
}

ancora_status ancora_unstable_part(const ancora_simulation* simulation,
                                   char* text,
                                   size_t capacity,
                                   size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        if (!it.rest)
            c::refuse("no position of rest was found yet; call ancora_find_equilibrium() first");
        c::put_text(it.rest->unstable_part, text, capacity, count);
    });
}

ancora_status ancora_find_modes(ancora_simulation* simulation, size_t most, ancora_modes* modes) {
    return c::call(simulation, [&](ancora_simulation& it) {
        if (modes != nullptr) c::size_of_struct(modes, "modes");
        const size_t n = it.simulation->q().size();
        it.modes = it.steady("find_modes").modes({static_cast<int>(std::min(most, n))});
        if (modes == nullptr) return;
        ancora_modes now{};
        now.count = it.modes->modes.size();
        now.degrees_of_freedom = it.modes->degrees_of_freedom;
        now.is_complete = it.modes->is_complete ? 1 : 0;
        now.is_spinning = it.modes->is_spinning ? 1 : 0;
        std::ranges::copy(it.modes->spin, now.spin);
        c::put_struct(now, modes, "modes");
    });
}

ancora_status ancora_mode_values(const ancora_simulation* simulation,
                                 size_t mode,
                                 ancora_mode* values) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const Mode& of = mode_of(it, mode);
        ancora_mode now{};
        now.eigenvalue[0] = of.eigenvalue.real();
        now.eigenvalue[1] = of.eigenvalue.imag();
        now.frequency = of.frequency;
        now.damping = of.damping;
        c::put_struct(now, values, "values");
    });
}

ancora_status ancora_mode_shape(const ancora_simulation* simulation,
                                size_t mode,
                                double* values,
                                size_t capacity,
                                size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        std::vector<double> numbers;
        for (const std::complex<double>& x : mode_of(it, mode).shape) {
            numbers.push_back(x.real());
            numbers.push_back(x.imag());
        }
        c::put_all(std::span<const double>(numbers), values, capacity, count);
    });
}

ancora_status ancora_mode_energies(const ancora_simulation* simulation,
                                   size_t mode,
                                   double* values,
                                   size_t capacity,
                                   size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const Mode& of = mode_of(it, mode);
        std::vector<double> energies;
        for (const Simulation::BodyState& body : it.simulation->body_states()) {
            const auto part = std::ranges::find(of.bodies, body.name, &Mode::Part::name);
            energies.push_back(part == of.bodies.end() ? 0.0 : part->energy);
        }
        c::put_all(std::span<const double>(energies), values, capacity, count);
    });
}

ancora_status ancora_linearize(ancora_simulation* simulation,
                               const char* const* inputs,
                               size_t num_inputs,
                               const char* const* outputs,
                               size_t num_outputs) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const std::vector<std::string> in = c::texts_of(inputs, num_inputs, "inputs");
        const std::vector<std::string> out = c::texts_of(outputs, num_outputs, "outputs");
        it.linear = it.steady("linearize").linearize(in, out);
    });
}

ancora_status ancora_linear_matrix(const ancora_simulation* simulation,
                                   int32_t which,
                                   double* values,
                                   size_t capacity,
                                   size_t* rows,
                                   size_t* columns) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        if (!it.linear) c::refuse("there is no linear model yet; call ancora_linearize() first");
        const MatrixView of = linear_part(*it.linear, which);
        c::put(rows, of.rows);
        c::put(columns, of.columns);
        c::put_all(std::span<const double>(of.values), values, capacity, nullptr);
    });
}
