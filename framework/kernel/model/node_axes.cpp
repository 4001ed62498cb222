// SPDX-License-Identifier: BSD-3-Clause
// Finds the axes of nodes by their texts.
#include "node_axes.hpp"

#include <Eigen/Core>

#include "ancora/sdk/numbers/math.hpp"
#include "model.hpp"

namespace ancora {

std::optional<NodeAxes> node_axes(const Model& model, const std::string& text, const Asker& asker) {
    const std::size_t body = text.find('@');
    if (body == std::string::npos || text.compare(0, body, "ground") == 0) return {};
    NodeAxes out;
    out.name = text.substr(0, text.find('@', body + 1));
    if (out.name.find('[', body) != std::string::npos) return {};  // in axes of the body
    constexpr const char* kAxes[] = {"@[1, 0, 0]", "@[0, 1, 0]", "@[0, 0, 1]"};
    try {
        out.origin = attach(model, out.name, asker, false);
        for (std::size_t k = 0; k < 3; ++k)
            out.axes[k] = attach(model, out.name + kAxes[k], asker, true);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::manifest) throw;
        return {};  // it has no axes
    }
    return out;
}

RigidMotion start_motion(const Model& model, const NodeAxes& node) {
    RigidMotion motion;
    const auto evaluate = [&](const Attachment& at, double* r, double* rate) {
        evaluate_attachment(model.bodies, at, model.start_q.data(), model.start_v.data(), r, rate);
    };
    evaluate(node.origin, motion.position.data(), motion.velocity.data());
    Mat3 R, dR;
    for (std::size_t k = 0; k < 3; ++k) evaluate(node.axes[k], R.data() + 3 * k, dR.data() + 3 * k);
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(motion.rotation.data()) = R;
    // R' R^T = w^
    const Mat3 w = dR * R.transpose();
    vec3(motion.angular_velocity) =
        0.5 * Vec3(w(2, 1) - w(1, 2), w(0, 2) - w(2, 0), w(1, 0) - w(0, 1));
    return motion;
}

}  // namespace ancora
