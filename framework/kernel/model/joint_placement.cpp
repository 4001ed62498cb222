// SPDX-License-Identifier: BSD-3-Clause
// The tree of joints, walked from what stays to what is put somewhere by it.
#include "joint_placement.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <string>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/sdk/numbers/math.hpp"
#include "model.hpp"
#include "pose.hpp"
#include "references.hpp"

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
    Placement(Model& model, const Followers& followers)
        : model_(model), followers_(followers), count_(static_cast<int>(model.bodies.size())) {
        const auto size = static_cast<std::size_t>(count_);
        given_.resize(size);
        now_.resize(size);
        moved_.assign(size, false);
        known_.assign(size, false);
        edges_of_.resize(size + 1);
        is_collected_.assign(model.constraints.size(), false);
        link_of_.assign(size, -1);
        for (std::size_t k = 0; k < followers.links.size(); ++k)
            link_of_[followers.links[k].body] = static_cast<int>(k);
        num_unsettled_ = followers.links.size();
    }

    void run() {
        places_ = collect() || num_unsettled_ > 0;
        if (places_) place();
        if (model_.project_start == ProjectStart::no) check_starts();
    }

private:
    struct Edge {
        const ConstraintPart* part;
        int a, b;  // count_: the ground
    };

    void place() {
        for (int i = 0; i < count_; ++i)
            if (is_carried(i) && link_of_[i] < 0) read(i);
        walk(count_);
        for (;;) {
            commit();
            if (settle()) continue;
            const int root = next_root();
            if (root < 0) break;
            known_[root] = true;
            walk(root);
        }
        for (const LinkBody& link : followers_.links)
            if (!known_[link.body]) refuse_circle(link);
        std::ranges::sort(model_.placed_bodies, {}, &Model::PlacedBody::body);
    }

    Pos& now(int i) { return now_[i]; }
    Pos& given(int i) { return given_[i]; }
    const BodyPart& body(int i) const { return model_.bodies[i]; }
    bool is_carried(int i) const { return body(i).pose_kind != PoseKind::none; }
    bool stays(int i) const { return i < 0 || known_[i] || !is_carried(i); }

    void read(int i) { now(i) = given(i) = Pos(start_motion(model_, i)); }

    /// Writes where bodies are that have come to their places.
    void commit() {
        if (on_the_way_.empty()) return;
        for (const int i : on_the_way_) move(i);
        for (const int i : followers_.moved(on_the_way_))
            if (is_carried(i) && !moved_[i] && (link_of_[i] < 0 || known_[i])) read(i);
        on_the_way_.clear();
    }

    /// Puts the first link whose ends stay where they are between them. @returns whether there was
    /// one
    bool settle() {
        if (num_unsettled_ == 0) return false;
        for (const LinkBody& link : followers_.links) {
            if (known_[link.body] || !std::ranges::all_of(link.ends, [this](int end) {
                    return stays(end);
                }))
                continue;
            followers_.settle(link.body);
            --num_unsettled_;
            known_[link.body] = true;
            read(link.body);
            for (const int i : followers_.moved({&link.body, 1}))
                if (is_carried(i) && !moved_[i] && (link_of_[i] < 0 || known_[i])) read(i);
            collect();
            walk(link.body);
            return true;
        }
        return false;
    }

    /// The first body of those that hang together and are not placed: none that hangs on a link,
    /// unless all do.
    int next_root() {
        while (cursor_ < count_ &&
               (known_[cursor_] || !is_carried(cursor_) || link_of_[cursor_] >= 0))
            ++cursor_;
        if (cursor_ == count_) return -1;
        if (num_unsettled_ > 0)
            for (int i = cursor_; i < count_; ++i)
                if (!known_[i] && is_carried(i) && link_of_[i] < 0 && !hangs_on_link(i)) return i;
        return cursor_;
    }

    bool hangs_on_link(int root) const {
        std::vector<int> together{root};
        std::vector<bool> is_in(static_cast<std::size_t>(count_), false);
        is_in[root] = true;
        for (std::size_t k = 0; k < together.size(); ++k)
            for (const int e : edges_of_[together[k]])
                for (const int to : {edges_[e].a, edges_[e].b})
                    if (to < count_ && !is_in[to]) {
                        is_in[to] = true;
                        together.push_back(to);
                    }
        const auto has = [&](const std::vector<int>& bodies) {
            return std::ranges::any_of(bodies, [&](int i) {
                return i >= 0 && is_in[i];
            });
        };
        return std::ranges::any_of(followers_.links, [&](const LinkBody& link) {
            return !known_[link.body] && has(link.tied) && !has(link.ends);
        });
    }

    /// A start that is asked for where other joints, or links, say how bodies lie.
    void check_starts() const {
        for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
            const ConstraintPart& part = model_.constraints[c];
            if (part.joint == nullptr || !part.joint->is_placed) continue;
            if (const Place* const place = followers_.start_of(static_cast<int>(c)))
                check_start(part, static_cast<int>(c), *place);
        }
    }

    void check_start(const ConstraintPart& part, int c, const Place& place) const {
        constexpr double kTyped = 1e-6;
        const Joint& joint = *part.joint;
        const auto refuse = [&](const std::string& what) {
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: start: {}; the joint moves nothing there, since others "
                                    "have put its bodies where they are; leave start out, or say "
                                    "it of another joint of the loop",
                                    part.object.label,
                                    what),
                        place);
        };
        for (std::size_t k = 0; k < joint.measures.size(); ++k) {
            const double is = measure_start(model_, {c, static_cast<int>(k)}).value;
            const double asked = joint.measures[k].start;
            if (!(std::abs(is - asked) <= kTyped * (1.0 + std::abs(asked))))
                refuse(fmt::format(
                    "asks for {} = {:.6g}, and it is {:.6g}", joint.measures[k].name, asked, is));
        }
        const int a = index_of(joint.a.body), b = index_of(joint.b.body);
        if (a < 0 || b < 0 || !places_) return;
        const auto frame_now = [&](int i, const JointFrame& frame) {
            return (i == count_ ? Pos() : now_[i]) * of_frame(frame);
        };
        const Pos is = frame_now(a, joint.a).inverse() * frame_now(b, joint.b);
        const Pos asked(joint.placement);
        const auto differ = [](const Vec3& x, const Vec3& y) {
            return !((x - y).norm() <= kTyped * (1.0 + y.norm()));
        };
        // Gaps are the constraints' business
        if (differ(is.x, asked.x) || (is.R - asked.R).norm() > kTyped) return;
        if (differ(is.w, asked.w) || differ(is.v, asked.v))
            refuse("asks for rates that the bodies do not have");
    }

    [[noreturn]] void refuse_circle(const LinkBody& link) const {
        std::string others;
        for (const int end : link.ends)
            if (!stays(end))
                others +=
                    fmt::format("{}\"{}\"", others.empty() ? "" : " and ", body(end).object.name);
        const ObjectRef& object = body(link.body).object;
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: ends on {}, which itself begins or ends on it, over others "
                                "perhaps; give one of them its ends as numbers",
                                object.label,
                                others),
                    object.place);
    }

    int index_of(std::string_view name) const {
        return name == "ground" ? count_ : model_.body_names.find(std::string(name));
    }

    /// @returns whether some joint places a body
    bool collect() {
        bool any = false;
        for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
            const ConstraintPart& part = model_.constraints[c];
            // What ties nothing carries nothing
            if (is_collected_[c] || part.joint == nullptr || part.joint->freedom == kFree) continue;
            is_collected_[c] = true;
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
                on_the_way_.push_back(to);
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
    const Followers& followers_;
    int count_;
    std::vector<Edge> edges_;
    std::vector<std::vector<int>> edges_of_;
    std::vector<Pos> given_, now_;
    std::vector<bool> known_, moved_, is_collected_;
    std::vector<int> link_of_;  // its place among the links, -1: none
    std::size_t num_unsettled_ = 0;
    std::vector<int> on_the_way_;  // that have been moved, and not yet in the model
    int cursor_ = 0;
    bool places_ = false;  // whether anything is put anywhere
};

}  // namespace

void place_bodies(Model& model, const Followers& followers) {
    Placement(model, followers).run();
}

}  // namespace ancora
