// SPDX-License-Identifier: BSD-3-Clause
// How the coordinates of a model lie in space: vectors, translation, rotation, reach.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "model.hpp"
#include "workers.hpp"

namespace ancora {

/// Sums of p and of z x p.
struct Momenta {
    std::array<double, 3> linear{};
    std::array<double, 3> angular{};
};

/// The vectors that a model's coordinates are components of, and the scalars beside them. The model
/// must outlive it.
class Space {
public:
    struct Vector {
        std::array<int, 3> at{-1, -1, -1};  ///< coordinates of its components, -1: none
        bool translates = false;
        double reach = 1.0;
        bool is_whole() const { return at[0] >= 0 && at[1] >= 0 && at[2] >= 0; }
    };

    explicit Space(const Model& model);

    /// Threads that share the long loops.
    void use_workers(Workers* workers) { workers_ = workers; }

    const std::vector<Vector>& vectors() const { return vectors_; }

    /// P = sum of p over translating vectors, L = sum of z x p over vectors and of Xi(z)^T p over
    /// scalars, about the origin; p = M v gives momentum, p = a generalized force gives force and
    /// torque. Compensated sums.
    Momenta momenta(const double* z, const double* p) const;

    /// Whether momenta() calls bodies for their rotation.
    bool asks_bodies() const { return !turning_.empty(); }

    /// Adds w to the translating coordinates: a uniform field.
    void add_uniform(const std::array<double, 3>& w, double* x) const;

    /// Velocities of a unit rotation of space about inertial axis 0, 1 or 2: e x z for all vectors.
    Eigen::VectorXd rotation(const double* z, int axis) const;

    /// Largest |change| times reach over the vectors [m].
    double displacement(const double* dq) const;

    /// Displacement of matter per unit of each coordinate.
    Eigen::VectorXd reaches() const;

    /// Largest distance from the origin of a position, with its body's reach [m].
    double farthest(const double* q) const;
    /// Extent of the positions, at least the largest body [m].
    double extent(const double* q) const;

private:
    /// A body with scalars, whose rotation it must be asked for.
    struct Turning {
        const BodyPart* part;
        std::vector<int> scalars;  // in the body
    };
    /// Whole vectors one behind the other.
    struct Run {
        int first;  // coordinate
        int count;
        int first_vector;  // in reaches_
    };
    void find_runs();
    double largest_square(int count, const auto& range) const;
    double largest_in_runs(const double* dq, int begin, int end) const;
    void rotation_of(const Turning& body, const double* z) const;

    std::vector<Vector> vectors_;
    std::vector<Run> runs_;
    std::vector<double> reaches_;  // of the vectors in runs
    std::vector<int> scattered_;   // those that are in none
    std::vector<Turning> turning_;
    mutable std::vector<double> Xi_;  // workspace for the largest of them
    Workers* workers_ = nullptr;
    int size_ = 0;
    std::vector<std::pair<int, double>> scalars_;
    double largest_reach_ = 0.0;
};

}  // namespace ancora
