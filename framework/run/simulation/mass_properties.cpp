// SPDX-License-Identifier: BSD-3-Clause
// Mass, centre and inertia of a whole model.
#include "mass_properties.hpp"

#include <algorithm>
#include <array>

#include <Eigen/Core>

namespace ancora {

MassProperties mass_properties(const Space& space,
                               const MassMatrix& mass,
                               std::span<const double> q) {
    MassProperties out;
    const auto n = static_cast<Eigen::Index>(q.size());
    Eigen::VectorXd Mq(n);
    mass.multiply(q.data(), Mq.data());
    Eigen::VectorXd M_field(n);
    const Momenta first = space.momenta(q.data(), Mq.data());
    std::array<double, 3> mass_along{};
    for (std::size_t c = 0; c < 3; ++c) {
        // a particle may lack some directions
        std::array<double, 3> axis{};
        axis[c] = 1.0;
        Eigen::VectorXd field = Eigen::VectorXd::Zero(n);
        space.add_uniform(axis, field.data());
        mass.multiply(field.data(), M_field.data());
        mass_along[c] = field.dot(M_field);
        out.center[c] = mass_along[c] > 0.0 ? first.linear[c] / mass_along[c] : 0.0;
        out.mass = std::max(out.mass, mass_along[c]);
    }
    for (int axis = 0; axis < 3; ++axis) {
        const Eigen::VectorXd rate = space.rotation(q.data(), axis);
        mass.multiply(rate.data(), M_field.data());
        const Momenta spin = space.momenta(q.data(), M_field.data());
        for (std::size_t c = 0; c < 3; ++c)
            out.inertia[3 * c + static_cast<std::size_t>(axis)] = spin.angular[c];
    }
    // to the centre: a turn about axis i moves it by x_k along j and by x_j along k
    const auto& x = out.center;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3;
        const std::size_t k = (i + 2) % 3;
        out.inertia[4 * i] -= mass_along[j] * x[k] * x[k] + mass_along[k] * x[j] * x[j];
        out.inertia[3 * i + j] += mass_along[k] * x[i] * x[j];
        out.inertia[3 * j + i] += mass_along[k] * x[i] * x[j];
    }
    return out;
}

}  // namespace ancora
