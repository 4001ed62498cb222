// SPDX-License-Identifier: BSD-3-Clause
// Meshes over planes.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "ancora/pairs/features.hpp"
#include "surface_features.hpp"
#include "surface_pair.hpp"

namespace ancora::contact {
namespace {

/// Corners of a mesh over a plane; the last row is the least of all.
class CornersOverPlane {
public:
    static constexpr bool kIsLinear = false, kTurns = true, kHasFeatures = true;
    explicit CornersOverPlane(std::shared_ptr<const Surface> a)
        : a_(std::move(a)), size_(2.0 * a_->reach()) {}

    int num_rows() const { return kSolidRows + 1; }
    double size() const { return size_; }
    bool is_quadratic(Feature) const { return true; }
    template <class S>
    S gap(int row, Feature code, const Relative<S>& z) const {
        if (row == kSolidRows || code == 0) return S(size_);
        return z.point(a_->corners[static_cast<std::size_t>(code - 1)]).z;
    }
    template <class S>
    Touch<S> touch(int, Feature code, const Relative<S>& z) const {
        const Vector3<S> x =
            code == 0 ? z.y : z.point(a_->corners[static_cast<std::size_t>(code - 1)]);
        return {x, Vector3<S>(Vec3(Vec3::UnitZ()))};
    }
    double value(int row, Feature code, const Relative<double>& z) const {
        if (row < kSolidRows) return gap(row, code, z);
        double least = std::numeric_limits<double>::infinity();
        for (const Vec3& corner : a_->corners) least = std::min(least, z.point(corner).z);
        return least;
    }
    void choose(const Relative<double>& z0,
                const Relative<double>& z,
                std::span<double> features) const {
        const Overlap overlap(value(kSolidRows, 0, z), size_);
        Candidates all;
        for (std::size_t k = 0; k < a_->corners.size(); ++k) {
            const Vec3 x = z.point(a_->corners[k]);
            if (x.z() > kNear * size_) continue;
            const auto code = static_cast<Feature>(k + 1);
            const bool is_bare = overlap.any() && x.z() < 0.0;
            if (is_bare && Vec3(z0.point(a_->corners[k])).z() < -overlap.touches()) continue;
            all.push_nearest({x.z(), is_bare ? -code : code, x, Vec3::UnitZ()});
        }
        choose_features(all, size_, features, overlap);
    }

private:
    std::shared_ptr<const Surface> a_;
    double size_;
};

}  // namespace

std::unique_ptr<PairGeometry> mesh_over_plane(std::shared_ptr<const Surface> a) {
    return make_geometry(CornersOverPlane(std::move(a)));
}

}  // namespace ancora::contact
