// SPDX-License-Identifier: BSD-3-Clause
// Momenta, displacements and extents from the coordinates' vectors.
#include "space.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "compensated_sum.hpp"

namespace ancora {

Space::Space(const Model& model) : size_(model.num_coordinates) {
    for (const BodyPart& part : model.bodies) {
        const auto refuse = [&](int i, const char* what) {
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: coordinate {} {}", describe(part.object), i, what),
                        part.object.place);
        };
        // Numbers of vectors are those of the body: `known` gives the place in vectors_.
        std::map<int, std::size_t> known;
        const std::span<const Coordinate> coordinates = part.coordinates;
        for (int i = 0; i < part.count; ++i) {
            const Coordinate& c = coordinates[i];
            if (!(c.reach >= 0.0) || !std::isfinite(c.reach)) refuse(i, "has no valid reach");
            // The reach of a direction is the largest coordinate of matter along it:
            // r = x + xi_i e_i moves by reach times the change of e_i at most.
            if (!c.translates) largest_reach_ = std::max(largest_reach_, c.reach);
            // A scalar is a component of no vector. How a rotation of space
            // changes it the body alone knows.
            if (c.vector < 0) {
                if (turning_.empty() || turning_.back().part != &part)
                    turning_.push_back({&part, {}});
                turning_.back().scalars.push_back(i);
                Xi_.resize(std::max(Xi_.size(), 3 * static_cast<std::size_t>(part.count)));
                scalars_.emplace_back(part.first + i, c.reach);
                continue;
            }
            if (c.axis < 0 || c.axis > 2) refuse(i, "has an axis other than 0, 1, 2");
            const auto [it, is_new] = known.try_emplace(c.vector, vectors_.size());
            if (is_new) vectors_.push_back({{-1, -1, -1}, c.translates, c.reach});
            int& at = vectors_[it->second].at[c.axis];
            if (at >= 0) refuse(i, "repeats a component of its vector");
            at = part.first + i;
        }
    }
    find_runs();
}

/// Vectors that lie one behind the other, in the order of their components.
void Space::find_runs() {
    for (std::size_t v = 0; v < vectors_.size(); ++v) {
        // x, y, z of a vector in neighbouring coordinates
        const auto [x, y, z] = vectors_[v].at;
        if (x < 0 || y != x + 1 || z != x + 2) {
            scattered_.push_back(static_cast<int>(v));
            continue;
        }
        // Vectors of a run have one stride: a loop over them reads neither
        // indices nor the vectors' list.
        if (runs_.empty() || x != runs_.back().first + 3 * runs_.back().count)
            runs_.push_back({x, 0, static_cast<int>(reaches_.size())});
        ++runs_.back().count;
        reaches_.push_back(vectors_[v].reach);
    }
}

void Space::rotation_of(const Turning& body, const double* z) const {
    // Xi, three numbers per coordinate of the body: dq_i = Xi_i . dtheta (theory (22))
    const auto count = static_cast<std::size_t>(body.part->count);
    body.part->rotation({z + body.part->first, count}, {Xi_.data(), 3 * count});
}

Momenta Space::momenta(const double* z, const double* p) const {
    // P = sum of p_z over positions, L = sum of z x p_z over vectors (theory (22)).
    // Compensated, since balances compare momenta of large numbers to rounding.
    std::array<CompensatedSum, 3> linear;
    std::array<CompensatedSum, 3> angular;
    for (const Vector& vector : vectors_) {
        std::array<double, 3> r{};
        std::array<double, 3> f{};
        // The usual case, without a test of each component.
        if (vector.is_whole()) {
            const auto [x, y, of_z] = vector.at;
            r = {z[x], z[y], z[of_z]};
            f = {p[x], p[y], p[of_z]};
        } else {
            for (std::size_t c = 0; c < 3; ++c) {
                if (vector.at[c] < 0) continue;
                r[c] = z[vector.at[c]];
                f[c] = p[vector.at[c]];
            }
        }
        if (vector.translates)
            for (std::size_t c = 0; c < 3; ++c) linear[c] += f[c];
        // (r x f)_c = r_j f_k - r_k f_j with c, j, k cyclic
        for (std::size_t c = 0; c < 3; ++c) {
            const std::size_t j = (c + 1) % 3;
            const std::size_t k = (c + 2) % 3;
            angular[c] += r[j] * f[k];
            angular[c] += -r[k] * f[j];
        }
    }
    // L += Xi^T p over scalars
    for (const Turning& body : turning_) {
        rotation_of(body, z);
        for (const int i : body.scalars)
            for (std::size_t c = 0; c < 3; ++c)
                angular[c] += Xi_[3 * static_cast<std::size_t>(i) + c] * p[body.part->first + i];
    }
    Momenta out;
    for (std::size_t c = 0; c < 3; ++c) {
        out.linear[c] = linear[c].value();
        out.angular[c] = angular[c].value();
    }
    return out;
}

void Space::add_uniform(const std::array<double, 3>& w, double* x) const {
    // Positions follow a uniform translation, directions and scalars do not.
    for (const Vector& vector : vectors_)
        for (std::size_t c = 0; c < 3 && vector.translates; ++c)
            if (vector.at[c] >= 0) x[vector.at[c]] += w[c];
}

Eigen::VectorXd Space::rotation(const double* z, int axis) const {
    Eigen::VectorXd rate = Eigen::VectorXd::Zero(size_);
    const auto j = static_cast<std::size_t>((axis + 1) % 3);
    const auto k = static_cast<std::size_t>((axis + 2) % 3);
    for (const Vector& vector : vectors_) {  // e_i x z = e_k z_j - e_j z_k
        if (vector.at[k] >= 0 && vector.at[j] >= 0) {
            rate[vector.at[k]] = z[vector.at[j]];
            rate[vector.at[j]] = -z[vector.at[k]];
        }
    }
    // dq/dtheta along the axis: that column of Xi
    for (const Turning& body : turning_) {
        rotation_of(body, z);
        for (const int i : body.scalars)
            rate[body.part->first + i] =
                Xi_[3 * static_cast<std::size_t>(i) + static_cast<std::size_t>(axis)];
    }
    return rate;
}

double Space::largest_square(int count, const auto& range) const {
    // A maximum has no rounding: ranges may be taken in any order by any thread.
    return workers_ != nullptr ? workers_->largest(count, range) : range(0, count);
}

/// Of the vectors in runs from one to another: the largest square, no number if one of them is
/// none.
double Space::largest_in_runs(const double* dq, int begin, int end) const {
    double largest = 0.0;
    // std::max passes over what is no number, a sum does not.
    double sum = 0.0;
    // Range of vectors [begin, end) cut with each run
    for (const Run& run : runs_) {
        const int first = std::max(begin, run.first_vector);
        const int last = std::min(end, run.first_vector + run.count);
        const double* at = dq + run.first + 3 * std::ptrdiff_t{first - run.first_vector};
        for (int v = first; v < last; ++v, at += 3) {
            const double reach = reaches_[v];
            const double square = (at[0] * at[0] + at[1] * at[1] + at[2] * at[2]) * (reach * reach);
            sum += square;
            largest = std::max(largest, square);
        }
    }
    return std::isnan(sum) ? sum : largest;
}

double Space::displacement(const double* dq) const {
    // Squares first: one root for all vectors.
    double largest = largest_square(static_cast<int>(reaches_.size()), [&](int begin, int end) {
        return largest_in_runs(dq, begin, end);
    });
    double sum = largest;
    for (const int v : scattered_) {
        const Vector& vector = vectors_[v];
        double square = 0.0;
        for (const int i : vector.at)
            if (i >= 0) square += dq[i] * dq[i];
        square *= vector.reach * vector.reach;
        sum += square;
        largest = std::max(largest, square);
    }
    if (std::isnan(sum)) return sum;
    largest = std::sqrt(largest);
    // |dq_i| reach_i of scalars
    for (const auto& [i, reach] : scalars_) {
        if (std::isnan(dq[i])) return dq[i];
        largest = std::max(largest, std::abs(dq[i]) * reach);
    }
    return largest;
}

Eigen::VectorXd Space::reaches() const {
    // reach_i |dq_i| is a displacement of matter [m].
    Eigen::VectorXd reach = Eigen::VectorXd::Ones(size_);
    for (const Vector& vector : vectors_)
        for (const int i : vector.at)
            if (i >= 0) reach[i] = vector.reach;
    for (const auto& [i, of] : scalars_) reach[i] = of;
    return reach;
}

double Space::farthest(const double* q) const {
    // A bound of the distance of matter: position and largest reach add up.
    const double farthest =
        largest_square(static_cast<int>(vectors_.size()), [&](int begin, int end) {
            double here = 0.0;
            for (int v = begin; v < end; ++v) {
                const Vector& vector = vectors_[v];
                if (!vector.translates) continue;
                double square = 0.0;
                for (const int i : vector.at)
                    if (i >= 0) square += q[i] * q[i];
                // |z|^2 over positions
                here = std::max(here, square);
            }
            return here;
        });
    return std::sqrt(farthest) + largest_reach_;
}

double Space::extent(const double* q) const {
    // Sides of the box, along the axes, of all positions; at least the diameter of a body.
    constexpr double kInf = std::numeric_limits<double>::infinity();
    std::array<double, 3> low{kInf, kInf, kInf};
    std::array<double, 3> high{-kInf, -kInf, -kInf};
    for (const Vector& vector : vectors_) {
        if (!vector.translates) continue;
        for (std::size_t c = 0; c < 3; ++c) {
            if (vector.at[c] < 0) continue;
            low[c] = std::min(low[c], q[vector.at[c]]);
            high[c] = std::max(high[c], q[vector.at[c]]);
        }
    }
    // Matter lies on both sides of the point that the directions begin at.
    double extent = 2.0 * largest_reach_;
    for (std::size_t c = 0; c < 3; ++c) extent = std::max(extent, high[c] - low[c]);
    return extent > 0.0 ? extent : 1.0;
}

}  // namespace ancora
