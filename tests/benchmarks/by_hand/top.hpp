// SPDX-License-Identifier: BSD-3-Clause
// Free boxes, one after the other, by a loop that knows nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Geometry>

#include "loops/step.hpp"

namespace ancora::by_hand {

/// One step of a body with base vectors e, E the matrix of its rows' Jacobian B at the middle:
///
///   M a + B(e + dq / 2)^T s = 0,   B(e + dq / 2) dq = 0,   dq = h v + h^2 / 2 a         (1)
///
/// An iteration takes B from the last a, finds the s with which (1) holds for it, and from s the
/// next a. It shrinks errors by the square of the angle in a step.
class Tops {
public:
    Tops(const Vec& size, double density)
        : rows_(density * size.prod(), size), mass_(density * size.prod()), half_(0.5 * size) {}

    /// At rest but for its spin w [rad/s].
    void add(const Vec& position, const Vec& w) {
        Body body;
        body.r = position;
        for (int j = 0; j < 3; ++j) {
            body.e[j] = Vec::Unit(j);
            body.v[j] = w.cross(Vec::Unit(j));
        }
        bodies_.push_back(body);
    }

    void step(double h) {
        for (Body& body : bodies_) step(body, h);
        ++steps_;
    }

    long iterations() const { return iterations_ / static_cast<long>(bodies_.size()); }
    /// Bodies' centres and base vectors, one body after the other.
    void positions(std::vector<double>& q) const {
        q.clear();
        for (const Body& body : bodies_) {
            q.insert(q.end(), body.r.data(), body.r.data() + 3);
            for (const Vec& e : body.e) q.insert(q.end(), e.data(), e.data() + 3);
        }
    }
    double energy() const {
        Sum out = 0.0;
        for (const Body& body : bodies_) {
            out += 0.5 * mass_ * body.dr.squaredNorm();
            for (std::size_t j = 0; j < 3; ++j)
                out += 0.5 * rows_.moments[j] * body.v[j].squaredNorm();
        }
        return static_cast<double>(out);
    }
    double scale() const { return energy(); }

private:
    static constexpr std::size_t kUnknowns = 15;  // a_1, a_2, a_3, s
    struct Body {
        Vec r, dr = Vec::Zero();
        std::array<Vec, 3> e, v;
        std::array<double, kUnknowns> x{};
        Past<kUnknowns> past;
    };

    void step(Body& body, double h) {
        const double half = 0.5 * h, to_gap = 1.0 / half, k = half * h;
        double* const x = body.x.data();
        double* const s = x + 9;
        std::array<Vec, 3> a{vec(x), vec(x + 3), vec(x + 6)};
        bool is_solved = false;
        for (int i = 0; !is_solved; ++i) {
            std::array<Vec, 3> mid, mean, next;
            for (std::size_t j = 0; j < 3; ++j) {
                mid[j] = body.e[j] + half * (body.v[j] + half * a[j]);
                next[j].setZero();
            }
            rows_.push(mid, s, next);
            for (std::size_t j = 0; j < 3; ++j) mean[j] = to_gap * body.v[j] + next[j];
            std::array<double, 6> ds;
            rows_.stress(mid, mean, ds.data());
            rows_.push(mid, ds.data(), next);
            double largest = 0.0;
            for (std::size_t j = 0; j < 6; ++j) s[j] += ds[j];
            for (std::size_t j = 0; j < 3; ++j) {
                const double reach = half_[static_cast<Eigen::Index>(j)];
                largest = std::max(largest, reach * reach * (next[j] - a[j]).squaredNorm());
                a[j] = next[j];
            }
            ++iterations_;
            is_solved = convergence_.is_reached(i, k * std::sqrt(largest));
        }
        for (std::size_t j = 0; j < 3; ++j) {
            vec(x + 3 * j) = a[j];
            body.e[j] += h * (body.v[j] + half * a[j]);
            body.v[j] += h * a[j];
        }
        body.r += h * body.dr;
        body.past.predict(steps_, body.x);
    }

    RigidRows rows_;
    double mass_;
    Vec half_;
    std::vector<Body> bodies_;
    Convergence convergence_;
    long steps_ = 0;
    long iterations_ = 0;
};

}  // namespace ancora::by_hand
