// SPDX-License-Identifier: BSD-3-Clause
// Faces that a point sees give way to those from the point to their rim.
#include "convex_hull.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::robot {
namespace {

// Beside the extent: what lies nearer to a face lies in it. Far above the rounding of a distance,
// far below that of the points, which are in single precision.
constexpr double kInFace = 1e-12;

class Hull {
public:
    explicit Hull(std::span<const std::array<float, 3>> points) {
        for (const auto& p : points) points_.emplace_back(p[0], p[1], p[2]);
    }

    TriangleMesh triangles() {
        TriangleMesh out;
        if (!begin()) return out;
        for (std::size_t i = 0; i < faces_.size(); ++i)
            while (faces_[i].is_there && !faces_[i].outside.empty()) add_farthest(i);
        std::unordered_map<int, int> numbers;
        for (const Face& face : faces_) {
            if (!face.is_there) continue;
            std::array<std::int32_t, 3> triangle{};
            for (int k = 0; k < 3; ++k) {
                const auto [at, is_new] =
                    numbers.emplace(face.corners[k], static_cast<int>(out.points.size()));
                const Vec3& x = points_[face.corners[k]];
                if (is_new)
                    out.points.push_back({static_cast<float>(x(0)),
                                          static_cast<float>(x(1)),
                                          static_cast<float>(x(2))});
                triangle[k] = at->second;
            }
            out.triangles.push_back(triangle);
        }
        return out;
    }

private:
    struct Face {
        std::array<int, 3> corners;
        Vec3 normal;
        std::vector<int> outside;  ///< points that see this face; each sees one of the list only
        bool is_there = true;
    };

    double height(const Face& face, int point) const {
        return face.normal.dot(points_[point] - points_[face.corners[0]]);
    }

    static std::uint64_t edge(int from, int to) {
        return static_cast<std::uint64_t>(from) << 32U | static_cast<std::uint32_t>(to);
    }

    void add_face(int a, int b, int c) {
        Face face{{a, b, c}, (points_[b] - points_[a]).cross(points_[c] - points_[a]), {}};
        const double length = face.normal.norm();
        if (length > 0.0) face.normal /= length;
        for (int k = 0; k < 3; ++k)
            face_of_[edge(face.corners[k], face.corners[(k + 1) % 3])] = faces_.size();
        faces_.push_back(std::move(face));
    }

    /// Gives each point to a face from `first` on that it sees.
    void assign(std::span<const int> points, std::size_t first) {
        for (const int p : points)
            for (std::size_t i = first; i < faces_.size(); ++i)
                if (height(faces_[i], p) > in_face_) {
                    faces_[i].outside.push_back(p);
                    break;
                }
    }

    template <typename Measure>
    int farthest(const Measure& measure) const {
        int best = 0;
        double most = -1.0;
        for (std::size_t i = 0; i < points_.size(); ++i)
            if (const double x = measure(points_[i]); x > most) {
                most = x;
                best = static_cast<int>(i);
            }
        return best;
    }

    /// A tetrahedron of points far from each other; false if there is none.
    bool begin() {
        if (points_.size() < 4) return false;
        const Vec3 origin = points_[0];
        const int a = farthest([&](const Vec3& x) {
            return (x - origin).norm();
        });
        const int b = farthest([&](const Vec3& x) {
            return (x - points_[a]).norm();
        });
        const Vec3 along = points_[b] - points_[a];
        in_face_ = kInFace * along.norm();
        const int c = farthest([&](const Vec3& x) {
            return (x - points_[a]).cross(along).norm();
        });
        const Vec3 normal = along.cross(points_[c] - points_[a]).normalized();
        const int d = farthest([&](const Vec3& x) {
            return std::abs(normal.dot(x - points_[a]));
        });
        const double over = normal.dot(points_[d] - points_[a]);
        if (!(std::abs(over) > in_face_)) return false;
        const int e = over < 0.0 ? b : c, f = over < 0.0 ? c : b;
        add_face(a, e, f);
        add_face(a, d, e);
        add_face(e, d, f);
        add_face(f, d, a);
        std::vector<int> all(points_.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
        assign(all, 0);
        return true;
    }

    /// In the place of all faces that a point sees come those to their rim.
    void add_farthest(std::size_t seen_first) {
        const auto& outside = faces_[seen_first].outside;
        const int top = *std::ranges::max_element(outside, {}, [&](int p) {
            return height(faces_[seen_first], p);
        });
        std::vector<std::size_t> seen = {seen_first};
        std::vector<std::pair<int, int>> rim;
        std::vector<int> homeless;
        faces_[seen_first].is_there = false;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            for (int k = 0; k < 3; ++k) {
                const int from = faces_[seen[i]].corners[k],
                          to = faces_[seen[i]].corners[(k + 1) % 3];
                const std::size_t other = face_of_.at(edge(to, from));
                if (!faces_[other].is_there) continue;
                if (height(faces_[other], top) > in_face_) {
                    faces_[other].is_there = false;
                    seen.push_back(other);
                } else {
                    rim.emplace_back(from, to);
                }
            }
            auto& points = faces_[seen[i]].outside;
            homeless.insert(homeless.end(), points.begin(), points.end());
            points.clear();
        }
        const std::size_t first = faces_.size();
        for (const auto& [from, to] : rim) add_face(from, to, top);
        assign(homeless, first);
    }

    std::vector<Vec3> points_;
    std::vector<Face> faces_;
    std::unordered_map<std::uint64_t, std::size_t> face_of_;  ///< by its edges, as it turns
    double in_face_ = 0.0;
};

}  // namespace

TriangleMesh convex_hull(std::span<const std::array<float, 3>> points) {
    return Hull(points).triangles();
}

}  // namespace ancora::robot
