// SPDX-License-Identifier: BSD-3-Clause
// Rates that are linear in the velocities, by name: of measures, points and bodies, and how their
// rows change along the motion.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "kernel_system.hpp"

namespace ancora {

/// w -> f_2(v, w), the symmetric bilinear form of an f(v) = f_2(v, v) + 2 f_1(v) + f_0, plus
/// f_1(w): what a total derivative along v leaves,
///
///   (f(v + s w) - f(v - s w)) / (4 s),   s = |v| / |w|                                    (1)
///
/// exact for any s, and with the least rounding at this one.
template <class Function>
auto along_motion(const Function& f, const Eigen::VectorXd& v, const Eigen::VectorXd& w) {
    const double size = w.norm();
    const double s = size > 0.0 ? (v.norm() > 0.0 ? v.norm() : 1.0) / size : 1.0;
    const Eigen::VectorXd up = v + s * w, down = v - s * w;
    auto out = f(up);
    out -= f(down);
    out /= 4.0 * s;
    return out;
}

/// Scalars of attachments at a state: values, rates, Jacobian.
class AttachmentRows {
public:
    AttachmentRows(KernelSystem& system, std::vector<Attachment> attachments);
    ~AttachmentRows();

    void evaluate(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t);
    const Eigen::VectorXd& u() const { return u_; }
    const Eigen::VectorXd& du() const { return du_; }
    /// du/dq, scalars x n.
    const Eigen::MatrixXd& D() const { return D_; }
    /// d2u/dt2 at q'' = 0, at other velocities of the state last evaluated.
    Eigen::VectorXd bias(const Eigen::VectorXd& v);

private:
    struct Map;
    int n_;
    std::vector<Attachment> attachments_;
    std::unique_ptr<Map> map_;
    Eigen::VectorXd q_, u_, du_;
    double t_ = 0.0;
    Eigen::MatrixXd D_;
};

/// Rates J q' and their changes at the system's state; some have a value that they are the rate of.
class RateRows {
public:
    virtual ~RateRows() = default;
    virtual void evaluate(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) = 0;
    int rows() const { return static_cast<int>(J.rows()); }
    /// J' w, with J' the change of J along the motion; rows().
    virtual Eigen::VectorXd change(const Eigen::VectorXd& w) = 0;

    Eigen::MatrixXd J;      ///< rows x n
    Eigen::VectorXd value;  ///< rows; not numbers where there is none
};

/// What a name stands for, in the order of the functions below; empty if it is none of them.
enum class RateKind { measure, component, angular_component, point, frame, orientation };
struct RateName {
    RateKind kind;
    std::string unit;
    std::unique_ptr<RateRows> rows;
    int body = -1;  ///< of a frame or an orientation
    /// Columns: the axes of the frame in those of the body.
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
};
/// "elbow.angle"; "hand.x", "hand@[0, 0, 1].z"; "hand.wx", body axes; "hand@[0, 0, 1]", 3 rows;
/// "hand" or its frame "hand.tip", 6 rows, the velocity of that point and the angular velocity,
/// inertial axes; "hand.orientation", the latter alone.
/// @throws Error (manifest, usage) for an attachment that cannot be, (usage) for what is nothing
///         like them
RateName find_rates(KernelSystem& system, const std::string& name, const char* call);

/// Whether it has a frame of three directions.
bool has_frame(const BodyPart& body);

}  // namespace ancora
