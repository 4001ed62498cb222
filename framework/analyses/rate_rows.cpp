// SPDX-License-Identifier: BSD-3-Clause
// Measures and attachments as rows on the velocities.
#include "rate_rows.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "attachment_map.hpp"

namespace ancora {

struct AttachmentRows::Map {
    Map(Assembly& parts, std::span<const Attachment> attachments)
        : map(parts.model, attachments, parts.meter) {}
    AttachmentMap map;
};

AttachmentRows::AttachmentRows(KernelSystem& system, std::vector<Attachment> attachments)
    : n_(system.num_coordinates()),
      attachments_(std::move(attachments)),
      map_(std::make_unique<Map>(system.parts(), attachments_)) {}

AttachmentRows::~AttachmentRows() = default;

void AttachmentRows::evaluate(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) {
    AttachmentMap& map = map_->map;
    q_ = q;
    t_ = t;
    u_.resize(map.num_scalars());
    du_.resize(map.num_scalars());
    map.evaluate(q.data(), v.data(), t, u_.data(), du_.data());
    D_.setZero(map.num_scalars(), n_);
    for (int k = 0; k < map.num_scalars(); ++k)
        for (const AttachmentMap::Entry& e : map.row(k))
            D_(k, e.coordinate) +=
                e.jacobian < 0 ? e.weight : map.jacobian()[static_cast<std::size_t>(e.jacobian)];
}

Eigen::VectorXd AttachmentRows::bias(const Eigen::VectorXd& v) {
    AttachmentMap& map = map_->map;
    Eigen::VectorXd out = Eigen::VectorXd::Zero(map.num_scalars());
    if (map.is_linear()) return out;
    Eigen::VectorXd u(map.num_scalars()), du(map.num_scalars());
    map.evaluate(q_.data(), v.data(), t_, u.data(), du.data());
    for (int k = 0; k < map.num_scalars(); ++k) out[k] = map.bias(k);
    return out;
}

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

Eigen::Vector3d third(const Eigen::VectorXd& u, int i) {
    return u.segment<3>(3 * i);
}

class MeasureRows final : public RateRows {
public:
    MeasureRows(KernelSystem& system, std::size_t entry)
        : system_(system),
          entry_(entry),
          function_(system.joints().entries()[entry].function),
          at_(system, system.joints().entries()[entry].attachments) {}

    void evaluate(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) override {
        at_.evaluate(q, v, t);
        v_ = v;
        gradient_.resize(static_cast<Eigen::Index>(function_.num_scalars()));
        function_.gradient(at_.u().data(), gradient_.data());
        J = gradient_.transpose() * at_.D();
        value.setConstant(1, system_.joints().read(entry_, q.data(), v.data()).value);
    }
    Eigen::VectorXd change(const Eigen::VectorXd& w) override {
        // m'' = g (D q'' + bias of the attachments) - b
        return along_motion(
            [this](const Eigen::VectorXd& x) -> Eigen::VectorXd {
                const Eigen::VectorXd du = at_.D() * x;
                return Eigen::VectorXd::Constant(
                    1, gradient_.dot(at_.bias(x)) - function_.bias(at_.u().data(), du.data()));
            },
            v_,
            w);
    }

private:
    const KernelSystem& system_;
    std::size_t entry_;
    MeasureFunction function_;
    AttachmentRows at_;
    Eigen::VectorXd gradient_, v_;
};

/// A point, or one component of it.
class PointRows final : public RateRows {
public:
    PointRows(KernelSystem& system, Attachment at, int component)
        : at_(system, {std::move(at)}), component_(component) {}

    void evaluate(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) override {
        at_.evaluate(q, v, t);
        v_ = v;
        J = taken(at_.D());
        value = taken(at_.u());
    }
    Eigen::VectorXd change(const Eigen::VectorXd& w) override {
        return along_motion(
            [this](const Eigen::VectorXd& x) -> Eigen::VectorXd {
                return taken(at_.bias(x));
            },
            v_,
            w);
    }

private:
    Eigen::MatrixXd taken(const Eigen::MatrixXd& x) const {
        return component_ < 0 ? x : Eigen::MatrixXd(x.row(component_));
    }
    AttachmentRows at_;
    int component_;
    Eigen::VectorXd v_;
};

/// The angular velocity of three orthonormal directions d_i that turn together: in body axes
/// w_i = (d_k . d_j' - d_j . d_k') / 2 with i, j, k in turn, in inertial ones sum d_i x d_i' / 2.
class TurnRows final : public RateRows {
public:
    /// @param component of the body's axes; -1: all three inertial ones
    TurnRows(KernelSystem& system, std::vector<Attachment> directions, int component)
        : at_(system, std::move(directions)), component_(component) {}

    void evaluate(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) override {
        at_.evaluate(q, v, t);
        v_ = v;
        J.resize(component_ < 0 ? 3 : 1, at_.D().cols());
        for (Eigen::Index c = 0; c < J.cols(); ++c) J.col(c) = turn(at_.u(), at_.D().col(c));
        value.setConstant(J.rows(), kNoValue);
    }
    Eigen::VectorXd change(const Eigen::VectorXd& w) override {
        const Eigen::VectorXd second = along_motion(
            [this](const Eigen::VectorXd& x) {
                return at_.bias(x);
            },
            v_,
            w);
        return turn(at_.du(), at_.D() * w) + turn(at_.u(), second);
    }

private:
    Eigen::VectorXd turn(const Eigen::VectorXd& d, const Eigen::VectorXd& rate) const {
        if (component_ >= 0) {
            const int j = (component_ + 1) % 3, k = (component_ + 2) % 3;
            return Eigen::VectorXd::Constant(
                1, 0.5 * (third(d, k).dot(third(rate, j)) - third(d, j).dot(third(rate, k))));
        }
        Eigen::Vector3d sum = Eigen::Vector3d::Zero();
        for (int i = 0; i < 3; ++i) {
            const Eigen::Vector3d a = third(d, i), b = third(rate, i);
            sum += 0.5 * Eigen::Vector3d(a[1] * b[2] - a[2] * b[1],
                                         a[2] * b[0] - a[0] * b[2],
                                         a[0] * b[1] - a[1] * b[0]);
        }
        return sum;
    }
    AttachmentRows at_;
    int component_;
    Eigen::VectorXd v_;
};

class FrameRows final : public RateRows {
public:
    FrameRows(std::unique_ptr<RateRows> point, std::unique_ptr<RateRows> turn)
        : parts_{std::move(point), std::move(turn)} {}

    void evaluate(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) override {
        J.resize(6, q.size());
        value.resize(6);
        for (int i = 0; i < 2; ++i) {
            RateRows& part = *parts_[static_cast<std::size_t>(i)];
            part.evaluate(q, v, t);
            J.middleRows<3>(3 * i) = part.J;
            value.segment<3>(3 * i) = part.value;
        }
    }
    Eigen::VectorXd change(const Eigen::VectorXd& w) override {
        Eigen::VectorXd out(6);
        out << parts_[0]->change(w), parts_[1]->change(w);
        return out;
    }

private:
    std::array<std::unique_ptr<RateRows>, 2> parts_;
};

std::unique_ptr<RateRows> turn_of(KernelSystem& system, const std::string& body, int component) {
    std::vector<Attachment> directions;
    for (const char* const axis : {"@[1, 0, 0]", "@[0, 1, 0]", "@[0, 0, 1]"})
        directions.push_back(attach(system.parts().model, body + axis, {}, true));
    return std::make_unique<TurnRows>(system, std::move(directions), component);
}

[[noreturn]] void refuse_rate_name(KernelSystem& system,
                                   const std::string& name,
                                   const char* call) {
    std::vector<std::string> names = names_of(system.parts().model.bodies);
    for (const JointValues::Entry& entry : system.joints().entries()) names.push_back(entry.name);
    std::string near = did_you_mean(name, names);
    if (near.empty()) near = did_you_mean(name.substr(0, name.rfind('.')), names);
    throw Error(ErrorKind::usage,
                fmt::format("{}: there is no \"{}\"{}; it may be a measure JOINT.angle, a body "
                            "BODY, a point BODY@[1, 0, 0], or a component BODY.x or BODY.wx",
                            call,
                            name,
                            near));
}

}  // namespace

bool has_frame(const BodyPart& body) {
    return !body.is_inner && body.pose_kind == PoseKind::attitude;
}

RateName find_rates(KernelSystem& system, const std::string& name, const char* call) {
    const Model& model = system.parts().model;
    const auto& entries = system.joints().entries();
    for (std::size_t k = 0; k < entries.size(); ++k)
        if (entries[k].name == name)
            return {RateKind::measure,
                    unit_of(entries[k].function.kind()),
                    std::make_unique<MeasureRows>(system, k)};
    const auto point = [&](Attachment at, int component = -1) {
        return std::make_unique<PointRows>(system, std::move(at), component);
    };
    const auto point_of = [&](const std::string& of) {
        return attach(model, model.body_names.find(of) >= 0 ? of + "@[0, 0, 0]" : of, {}, false);
    };
    // A body or a frame that it names; of neither: no body.
    const auto frame_of = [&](const std::string& of) {
        RateName out{RateKind::frame, "m", nullptr};
        out.body = model.body_names.find(of);
        if (const FrameNames::Named* const named = model.frames.find(of); named != nullptr) {
            out.body = named->body;
            for (int i = 0; i < 9; ++i)
                out.axes(i / 3, i % 3) = named->frame.axes[static_cast<std::size_t>(i)];
        }
        if (out.body >= 0 && !has_frame(model.bodies[static_cast<std::size_t>(out.body)]))
            throw Error(ErrorKind::usage,
                        fmt::format("{}: \"{}\": {} does not turn as one, so that it has points "
                                    "alone, \"{}@...\"",
                                    call,
                                    name,
                                    model.bodies[static_cast<std::size_t>(out.body)].object.label,
                                    of));
        return out;
    };
    const auto turn = [&](const RateName& of, int component) {
        return turn_of(
            system, model.bodies[static_cast<std::size_t>(of.body)].object.name, component);
    };
    if (RateName out = frame_of(name); out.body >= 0) {
        out.rows = std::make_unique<FrameRows>(point(point_of(name)), turn(out, -1));
        return out;
    }
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) {
        const std::string of = name.substr(0, dot), end = name.substr(dot + 1);
        const bool is_turn = end.size() == 2 && end[0] == 'w';
        const int axis =
            !end.empty() && end.back() >= 'x' && end.back() <= 'z' && (is_turn || end.size() == 1)
                ? end.back() - 'x'
                : -1;
        if (axis >= 0 && !is_turn &&
            (of.find('@') != std::string::npos || model.body_names.find(of) >= 0 ||
             model.frames.find(of)))
            return {RateKind::component, "m", point(point_of(of), axis)};
        if (end == "orientation" || (is_turn && axis >= 0))
            if (RateName out = frame_of(of); out.body >= 0) {
                out.kind = is_turn ? RateKind::angular_component : RateKind::orientation;
                out.unit = "rad";
                out.rows = turn(out, axis);
                return out;
            }
    }
    if (name.find('@') != std::string::npos) return {RateKind::point, "m", point(point_of(name))};
    refuse_rate_name(system, name, call);
}

}  // namespace ancora
