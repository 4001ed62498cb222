// SPDX-License-Identifier: BSD-3-Clause
// Damping, outputs and notes of elastic bodies.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>

#include "ancora/sdk/helpers/nodes.hpp"
#include "elastic_body.hpp"
#include "finite_elements.hpp"
#include "text.hpp"

namespace ancora::elastic {

std::string ElasticBody::lowest_of() const {
    if (reduction_.lowest_held_at < 0) return " of the free body";
    return " with " + groups_[static_cast<std::size_t>(reduction_.lowest_held_at)].name +
           " held, " + hertz(reduction_.lowest_squared) + " Hz";
}

/// Rows of the modes of the body that has the damping ratio, which are elastic rows like those of
/// the free body.
void ElasticBody::set_damping(const Arguments& arguments) {
    damping_ = arguments.number("damping");
    const int n = reduction_.num_modes();
    damped_ = {reduction_.omega_squared, Eigen::MatrixXd::Identity(n, n)};
    row_Q_ = reduction_.Q;
    if (!arguments.given("damping_held")) return;
    const std::string_view name = arguments.text("damping_held");
    for (std::int32_t k = 0; k < num_interfaces_; ++k)
        if (groups_[static_cast<std::size_t>(k)].name == name) damping_held_ = k;
    if (damping_held_ < 0) {
        std::string known;
        for (std::int32_t k = 0; k < num_interfaces_; ++k)
            known += (k > 0 ? ", " : "") + groups_[static_cast<std::size_t>(k)].name;
        arguments.fail(
            "damping_held",
            nodes::quoted(name) + " is no interface of this body" +
                (known.empty() ? "; name some in \"interfaces\"" : ", which has " + known));
    }
    damped_ = modes_held_at(reduction_, damping_held_);
    row_Q_.leftCols(n) = reduction_.Q.leftCols(n) * damped_.rows.transpose();
}

void ElasticBody::set_outputs() {
    const int n = reduction_.num_modes();
    texts_.reserve(2 * static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) {
        texts_.push_back("mode_" + std::to_string(k + 1));
        texts_.push_back(
            "amplitude of the mode of " +
            text_of(std::sqrt(reduction_.omega_squared(k)) / (2.0 * std::numbers::pi)) +
            " Hz: mean square displacement over the mass");
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k)
        outputs_.push_back({texts_[2 * k].c_str(), "m", texts_[2 * k + 1].c_str()});
    outputs_.push_back({"strain_energy", "J", "elastic energy of the modes"});
}

void ElasticBody::set_notes(const FiniteElements& model, const ReductionSettings& settings) {
    const auto list = [&](const Eigen::VectorXd& squares) {
        constexpr Eigen::Index kMost = 8;
        std::string out;
        for (Eigen::Index k = 0; k < std::min(kMost, squares.size()); ++k)
            out += (k > 0 ? ", " : "") + hertz(squares(k));
        if (squares.size() > kMost) out += ", ... " + hertz(squares(squares.size() - 1));
        return out + " Hz";
    };
    notes_ = std::to_string(model.num_nodes()) + " nodes reduced to " +
             std::to_string(reduction_.num_modes()) +
             " modes of the free body: " + list(reduction_.omega_squared) + '\n';
    const HeldVibrations& held = reduction_.held;
    if (held.omega_squared.size() > 0) {
        const auto percent = [&](int axis) {
            return text_of(100.0 * held.mass_shares(axis)) + " % along " + "xyz"[axis];
        };
        notes_ += std::to_string(held.omega_squared.size()) +
                  " vibrations with interfaces held: " + list(held.omega_squared) +
                  "; they carry " + percent(0) + ", " + percent(1) + ", " + percent(2) +
                  " of the mass\n";
        notes_ += "left out: vibrations above " +
                  hertz(held.omega_squared(held.omega_squared.size() - 1)) +
                  (settings.with_static
                       ? " Hz; interfaces' static shapes are whole\n"
                       : " Hz, and the static shapes of interfaces (static_modes = false)\n");
    } else if (num_interfaces_ == 0) {
        notes_ += "left out: vibrations above " +
                  hertz(reduction_.omega_squared(reduction_.num_modes() - 1)) +
                  " Hz, and what they would give way under forces at points\n";
    }
    for (int k = 0; k < num_interfaces_ && damping_ > 0.0; ++k) {
        const HeldMode mode = lowest_held_at(reduction_, k, damped_, damping_);
        notes_ += "damping ratio " + text_of(mode.ratio) + " of the lowest mode with " +
                  groups_[static_cast<std::size_t>(k)].name + " held, " +
                  hertz(mode.omega_squared) + " Hz";
        if (damping_held_ < 0)
            notes_ += "; \"damping\" is that of modes of the free body, see \"damping_held\"";
        notes_ += '\n';
    }
    if (spin_squared_ > 0.0)
        notes_ += "spin squared over the lowest frequency squared" + lowest_of() + ": " +
                  text_of(spin_squared_ / reduction_.lowest_squared) +
                  "; above 0.01 stiffening by the spin, which linear modes have not, matters\n";
    if (reduction_.stress.size() == 0)
        notes_ +=
            "no stress: its elements are not known, only K and M; give a mesh or tetrahedra\n";
}

}  // namespace ancora::elastic
