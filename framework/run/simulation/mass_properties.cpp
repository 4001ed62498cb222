// SPDX-License-Identifier: BSD-3-Clause
// Mass, centre and inertia of a whole model.
#include "mass_properties.hpp"

#include <Eigen/Core>

namespace ancora {

MassProperties mass_properties(const Space& space,
                               const MassMatrix& mass,
                               std::span<const double> q) {
    MassProperties out;
    const auto n = static_cast<Eigen::Index>(q.size());
    Eigen::VectorXd Mq(n);
    mass.multiply(q.data(), Mq.data());
    Eigen::VectorXd field = Eigen::VectorXd::Zero(n);
    Eigen::VectorXd M_field(n);
    space.add_uniform({1.0, 0.0, 0.0}, field.data());
    mass.multiply(field.data(), M_field.data());
    out.mass = field.dot(M_field);
    const Momenta first = space.momenta(q.data(), Mq.data());
    for (std::size_t c = 0; c < 3; ++c)
        out.center[c] = out.mass > 0.0 ? first.linear[c] / out.mass : 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const Eigen::VectorXd rate = space.rotation(q.data(), axis);
        mass.multiply(rate.data(), M_field.data());
        const Momenta spin = space.momenta(q.data(), M_field.data());
        for (std::size_t c = 0; c < 3; ++c)
            out.inertia[3 * c + static_cast<std::size_t>(axis)] = spin.angular[c];
    }
    const auto& x = out.center;
    const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            out.inertia[3 * i + j] -= out.mass * ((i == j ? square : 0.0) - x[i] * x[j]);
    return out;
}

}  // namespace ancora
