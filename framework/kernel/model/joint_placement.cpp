// SPDX-License-Identifier: BSD-3-Clause
// The tree of joints, walked from what stays to what is put somewhere by it.
#include "joint_placement.hpp"

#include <cmath>
#include <deque>
#include <span>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/sdk/numbers/math.hpp"
#include "model.hpp"
#include "pose.hpp"

namespace ancora {
namespace {

constexpr int kFree = 6;  // freedoms of what is tied to nothing

/// A rigid motion with its algebra.
struct Pos {
    Mat3 R = Mat3::Identity();
    Vec3 x = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();

    Pos() = default;
    explicit Pos(const RigidMotion& m)
        : R(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.rotation.data())),
          x(vec3(m.position)),
          v(vec3(m.velocity)),
          w(vec3(m.angular_velocity)) {}
    Pos(const Mat3& its_R, const Vec3& its_x) : R(its_R), x(its_x) {}

    /// A frame that is carried and moves in this one, seen from outside.
    Pos operator*(const Pos& in) const {
        Pos out;
        out.R = R * in.R;
        out.x = x + R * in.x;
        out.v = v + w.cross(R * in.x) + R * in.v;
        out.w = w + R * in.w;
        return out;
    }
    /// What undoes it: of a frame in another, that other as seen from the frame.
    Pos inverse() const {
        Pos out;
        out.R = R.transpose();
        out.x = -(out.R * x);
        out.w = -(out.R * w);
        out.v = -(out.R * (v - w.cross(x)));
        return out;
    }
};

Pos of_frame(const JointFrame& frame) {
    return {Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(frame.axes.data()),
            vec3(frame.point)};
}

class Placement {
public:
    explicit Placement(Model& model)
        : model_(model), count_(static_cast<int>(model.bodies.size())) {
        const auto size = static_cast<std::size_t>(count_);
        given_.resize(size);
        now_.resize(size);
        moved_.assign(size, false);
        known_.assign(size, false);
        edges_of_.resize(size + 1);
    }

    void run() {
        if (!collect()) return;
        for (int i = 0; i < count_; ++i)
            if (is_carried(i)) now(i) = given(i) = Pos(start_motion(model_, i));
        walk(count_);
        for (int i = 0; i < count_; ++i)
            if (is_carried(i) && !known_[i]) {
                known_[i] = true;
                walk(i);
            }
        for (int i = 0; i < count_; ++i)
            if (moved_[i]) move(i);
    }

private:
    struct Edge {
        const ConstraintPart* part;
        int a, b;  // count_: the ground
    };

    Pos& now(int i) { return now_[i]; }
    Pos& given(int i) { return given_[i]; }
    const BodyPart& body(int i) const { return model_.bodies[i]; }
    bool is_carried(int i) const { return body(i).pose_kind != PoseKind::none; }

    int index_of(std::string_view name) const {
        return name == "ground" ? count_ : model_.body_names.find(std::string(name));
    }

    /// @returns whether some joint places a body
    bool collect() {
        bool any = false;
        for (const ConstraintPart& part : model_.constraints) {
            // What ties nothing carries nothing
            if (part.joint == nullptr || part.joint->freedom == kFree) continue;
            const int a = index_of(part.joint->a.body);
            const int b = index_of(part.joint->b.body);
            if (a < 0 || b < 0) continue;
            if ((a < count_ && !is_carried(a)) || (b < count_ && !is_carried(b))) continue;
            any |= part.joint->is_placed;
            edges_.push_back({&part, a, b});
            edges_of_[a].push_back(static_cast<int>(edges_.size()) - 1);
            edges_of_[b].push_back(static_cast<int>(edges_.size()) - 1);
        }
        return any;
    }

    void walk(int root) {
        std::deque<int> waiting{root};
        const auto pos_now = [&](int i) {
            return i == count_ ? Pos() : now(i);
        };
        const auto pos_given = [&](int i) {
            return i == count_ ? Pos() : given(i);
        };
        while (!waiting.empty()) {
            const int from = waiting.front();
            waiting.pop_front();
            for (const int e : edges_of_[from]) {
                const auto& [part, a, b] = edges_[e];
                const int to = a == from ? b : a;
                if (to == count_ || known_[to]) continue;
                known_[to] = true;
                waiting.push_back(to);
                const bool from_moved = from < count_ && moved_[from];
                const Joint& joint = *part->joint;
                if (joint.is_placed) {
                    const Pos a_to_b =
                        of_frame(joint.a) * Pos(joint.placement) * of_frame(joint.b).inverse();
                    now(to) = pos_now(from) * (a == from ? a_to_b : a_to_b.inverse());
                } else if (from_moved) {
                    now(to) = pos_now(from) * (pos_given(from).inverse() * given(to));
                } else {
                    continue;
                }
                moved_[to] = true;
            }
        }
    }

    /// Moves what has the motion given(i) to now(i).
    void move(int i) {
        const BodyPart& part = body(i);
        const Pos& from = given(i);
        const Pos& to = now(i);
        const Mat3 R = to.R * from.R.transpose();
        model_.placed_bodies.push_back({i, (to.x - from.x).norm(), Eigen::AngleAxisd(R).angle()});
        const auto first = static_cast<std::size_t>(part.first);
        const auto count = static_cast<std::size_t>(part.count);
        const std::span<double> q = std::span(model_.start_q).subspan(first, count);
        const std::span<double> v = std::span(model_.start_v).subspan(first, count);
        std::array<double, 9> turn;
        Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(turn.data()) = R;
        part.turn(turn, q, v);
        // Scalars take the rest of the angular velocity by their rotation field
        const Vec3 spin = to.w - R * from.w;
        std::vector<double> Xi_room(3 * count, 0.0);
        const std::span<double> Xi(Xi_room);
        bool has_scalars = false;
        std::vector<std::array<int, 3>> vectors;
        for (std::size_t k = 0; k < count; ++k) {
            const Coordinate& c = part.coordinates[k];
            if (c.vector < 0) {
                has_scalars = true;
                continue;
            }
            if (vectors.size() <= static_cast<std::size_t>(c.vector))
                vectors.resize(static_cast<std::size_t>(c.vector) + 1, {-1, -1, -1});
            vectors[c.vector][c.axis] = static_cast<int>(k);
        }
        if (has_scalars) {
            part.rotation(q, Xi);
            for (std::size_t k = 0; k < count; ++k)
                if (part.coordinates[k].vector < 0) v[k] += vec3(Xi, 3 * k).dot(spin);
        }
        for (const std::array<int, 3>& at : vectors) {
            Vec3 z = Vec3::Zero(), dz = Vec3::Zero();
            bool translates = false;
            for (int axis = 0; axis < 3; ++axis) {
                const int k = at[axis];
                if (k < 0) continue;
                z(axis) = q[k];
                dz(axis) = v[k];
                translates = part.coordinates[k].translates;
            }
            const Vec3 arm = translates ? Vec3(z - from.x) : z;
            const Vec3 rest = dz - from.w.cross(arm) - (translates ? from.v : Vec3(Vec3::Zero()));
            const Vec3 arm1 = R * arm;
            const Vec3 z1 = translates ? Vec3(to.x + arm1) : arm1;
            const Vec3 dz1 = to.w.cross(arm1) + R * rest + (translates ? to.v : Vec3(Vec3::Zero()));
            for (int axis = 0; axis < 3; ++axis) {
                const int k = at[axis];
                if (k < 0) {
                    constexpr double kOff = 1e-12;
                    if (std::abs(z1(axis) - z(axis)) > kOff * (1.0 + z1.norm()))
                        throw Error(ErrorKind::manifest,
                                    fmt::format("{} lacks a coordinate along which a joint would "
                                                "place it",
                                                part.object.label),
                                    part.object.place);
                    continue;
                }
                q[k] = z1(axis);
                v[k] = dz1(axis);
            }
        }
    }

    Model& model_;
    int count_;
    std::vector<Edge> edges_;
    std::vector<std::vector<int>> edges_of_;
    std::vector<Pos> given_, now_;
    std::vector<bool> known_, moved_;
};

}  // namespace

void place_bodies(Model& model) {
    Placement(model).run();
}

}  // namespace ancora
