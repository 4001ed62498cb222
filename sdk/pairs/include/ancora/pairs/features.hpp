// SPDX-License-Identifier: BSD-3-Clause
// Features of a pair of shapes that are near, and which of them have rows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>

#include "ancora/pairs/relative.hpp"

namespace ancora::contact {

/// Lengths relative to the size of a pair.
inline constexpr double kTouches = 1e-9;      // a feature that is this near keeps its row
inline constexpr double kWithin = 1e-13;      // of its borders
inline constexpr double kSamePlace = 1e-11;   // where two features are one contact,
inline constexpr double kSameNormal = 4e-15;  // and the cosine between their normals, from 1
inline constexpr double kParallel = 1e-7;     // edges, by the sine between them
inline constexpr double kSupports = 1e-9;     // an edge of a face across the normal
inline constexpr double kNear = 0.05;         // features that get a row before they touch

struct Candidate {
    double gap;
    Feature code;  ///< below zero: bare
    Vec3 x, n;
};

/// Where shapes overlap by `depth` features that separate them by no less than twice that are what
/// they meet with: none is deeper where they are pushed apart the shortest way.
class Overlap {
public:
    Overlap(double separation, double size)
        : depth_(separation < -kWithin * size ? -separation : 0.0), size_(size) {}
    bool any() const { return depth_ > 0.0; }
    /// A way that is apart by less separates nothing.
    double least_apart() const { return -2.0 * depth_ - kTouches * size_; }
    double touches() const { return kTouches * size_; }

private:
    double depth_, size_;
};

/// As many as there may be at once, without memory of its own.
class Candidates {
public:
    static constexpr std::size_t kMost = 160;

    void push_back(const Candidate& candidate) {
        if (size_ < all_.size()) all_[size_++] = candidate;
    }
    /// Where there is no room, instead of the farthest one if that is farther.
    void push_nearest(const Candidate& candidate) {
        if (size_ < all_.size()) {
            push_back(candidate);
            return;
        }
        const auto farthest = std::ranges::max_element(all_, {}, &Candidate::gap);
        if (candidate.gap < farthest->gap) *farthest = candidate;
    }
    /// Whether one of them is bare.
    bool any_bare() const {
        return std::any_of(all_.begin(),
                           all_.begin() + static_cast<std::ptrdiff_t>(size_),
                           [](const Candidate& candidate) {
                               return candidate.code < 0;
                           });
    }
    bool has(Feature code) const {
        return std::any_of(all_.begin(),
                           all_.begin() + static_cast<std::ptrdiff_t>(size_),
                           [code](const Candidate& candidate) {
                               return std::abs(candidate.code) == code;
                           });
    }
    auto begin() { return all_.begin(); }
    auto end() { return all_.begin() + static_cast<std::ptrdiff_t>(size_); }

private:
    std::array<Candidate, kMost> all_;
    std::size_t size_ = 0;
};

/// Which candidates have rows from here on: those that touch keep theirs, where shapes overlap all
/// that there are, then the nearest ones.
/// @param is_same whether two numbers are of one feature, of which the candidate's is the newer one
template <class IsSame = std::equal_to<Feature>>
void choose_features(Candidates& all,
                     double size,
                     std::span<double> features,
                     const Overlap& overlap,
                     const IsSame& is_same = {}) {
    // By gaps; what touches in the order of features.
    const auto rank = [size](const Candidate& candidate) {
        return std::abs(candidate.gap) <= kTouches * size ? 0.0 : candidate.gap;
    };
    for (auto next = all.begin(); next != all.end(); ++next)
        for (auto at = next; at != all.begin() && rank(*at) < rank(*(at - 1)); --at)
            std::iter_swap(at, at - 1);
    Candidates chosen;
    for (double& feature : features) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const Candidate& candidate) {
            return is_same(std::abs(candidate.code), static_cast<Feature>(std::abs(feature)));
        });
        const bool stays = feature != 0.0 && found != all.end() &&
                           (overlap.any() || std::abs(found->gap) <= kTouches * size) &&
                           std::none_of(chosen.begin(), chosen.end(), [&](const Candidate& other) {
                               return other.code == found->code;
                           });
        if (!stays) {
            feature = 0.0;
            continue;
        }
        feature = found->code;
        chosen.push_back(*found);
    }
    for (const Candidate& candidate : all) {
        if (candidate.gap > kNear * size) break;
        const bool is_there =
            std::any_of(chosen.begin(), chosen.end(), [&](const Candidate& other) {
                if (other.code == candidate.code) return true;
                const Vec3 between = other.x - candidate.x;
                return other.gap <= candidate.gap + kWithin * size &&
                       candidate.gap <= other.gap + kSamePlace * size &&
                       (between - other.n * other.n.dot(between)).norm() <= kSamePlace * size &&
                       other.n.dot(candidate.n) >= 1.0 - kSameNormal;
            });
        if (is_there) continue;
        const auto free = std::ranges::find(features, 0.0);
        if (free == features.end()) break;
        *free = candidate.code;
        chosen.push_back(candidate);
    }
}

}  // namespace ancora::contact
