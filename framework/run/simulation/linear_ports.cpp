// SPDX-License-Identifier: BSD-3-Clause
// Names to forces on the coordinates, and to values of a state.
#include "linear_ports.hpp"

#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"

namespace ancora {
namespace {

/// "box@[1, 0, 0].vx": a point, a component, and whether it is a velocity.
struct PointName {
    Attachment at;
    int component = 0;
    bool is_velocity = false;
};

std::optional<PointName> find_point(const Model& model, const std::string& name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot + 1 >= name.size()) return {};
    std::string_view end = std::string_view(name).substr(dot + 1);
    PointName out;
    if (end.size() == 2 && end[0] == 'v') {
        out.is_velocity = true;
        end.remove_prefix(1);
    }
    if (end.size() != 1 || end[0] < 'x' || end[0] > 'z') return {};
    out.component = end[0] - 'x';
    std::string text = name.substr(0, dot);
    if (text.find('@') == std::string::npos) {
        if (model.body_names.find(text) < 0) return {};
        text += "@[0, 0, 0]";
    }
    out.at = attach(model, text, {}, false);
    return out;
}

int find_entry(const KernelSystem& system, const std::string& name) {
    const auto& entries = system.joints().entries();
    for (std::size_t k = 0; k < entries.size(); ++k)
        if (entries[k].name == name) return static_cast<int>(k);
    return -1;
}

[[noreturn]] void refuse(const KernelSystem& system,
                         const char* what,
                         const std::string& name,
                         const char* forms) {
    std::vector<std::string> names;
    for (const JointValues::Entry& entry : system.joints().entries()) names.push_back(entry.name);
    throw Error(ErrorKind::usage,
                fmt::format("linearize: there is no {} \"{}\"{}; {}",
                            what,
                            name,
                            did_you_mean(name, names),
                            forms));
}

}  // namespace

LinearPorts linear_ports(const Model& model,
                         KernelSystem& system,
                         const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs) {
    const int n = system.num_coordinates();
    LinearPorts out;
    out.forces.setZero(n, static_cast<Eigen::Index>(inputs.size()));
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(n);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        auto column = out.forces.col(static_cast<Eigen::Index>(k));
        // A force along a velocity: what that velocity is per unit of each coordinate's.
        const auto fill = [&](const auto& velocity) {
            for (int i = 0; i < n; ++i) {
                unit[i] = 1.0;
                column[i] = velocity(unit);
                unit[i] = 0.0;
            }
        };
        if (const int entry = find_entry(system, inputs[k]); entry >= 0) {
            fill([&](const Eigen::VectorXd& v) {
                return system.joints()
                    .read(static_cast<std::size_t>(entry), system.q().data(), v.data())
                    .rate;
            });
            continue;
        }
        const auto point = find_point(model, inputs[k]);
        if (!point || point->is_velocity)
            refuse(system,
                   "input",
                   inputs[k],
                   "an input is a force on a point, BODY.x or BODY@[1, 0, 0].z, or an effort on a "
                   "measure, JOINT.angle");
        fill([&](const Eigen::VectorXd& v) {
            std::array<double, 3> r, dr;
            evaluate_attachment(
                model.bodies, point->at, system.q().data(), v.data(), r.data(), dr.data());
            return dr[point->component];
        });
    }

    struct Look {
        std::optional<PointName> point;
        int entry = -1;
        bool is_rate = false;
    };
    std::vector<Look> found;
    for (const std::string& name : outputs) {
        Look output;
        output.entry = find_entry(system, name);
        constexpr std::string_view kRate = "_rate";
        if (output.entry < 0 && name.ends_with(kRate)) {
            output.entry = find_entry(system, name.substr(0, name.size() - kRate.size()));
            output.is_rate = true;
        }
        if (output.entry < 0) output.point = find_point(model, name);
        if (output.entry < 0 && !output.point)
            refuse(system,
                   "output",
                   name,
                   "an output is a point's position or velocity, BODY.x or BODY@[1, 0, 0].vz, or a "
                   "measure or its rate, JOINT.angle or JOINT.angle_rate");
        found.push_back(std::move(output));
    }
    out.outputs = [&model, &system, found](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
        std::vector<double> values;
        for (const Look& output : found) {
            if (output.point) {
                std::array<double, 3> r, dr;
                evaluate_attachment(
                    model.bodies, output.point->at, q.data(), v.data(), r.data(), dr.data());
                const auto c = static_cast<std::size_t>(output.point->component);
                values.push_back(output.point->is_velocity ? dr[c] : r[c]);
                continue;
            }
            const JointValues::Reading reading =
                system.joints().read(static_cast<std::size_t>(output.entry), q.data(), v.data());
            values.push_back(output.is_rate ? reading.rate : reading.value);
        }
        return values;
    };
    return out;
}

}  // namespace ancora
