// SPDX-License-Identifier: BSD-3-Clause
// Corotational reuse: rotations under which a factorisation made at one attitude serves at another.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "mass_matrix.hpp"
#include "row_set.hpp"
#include "space.hpp"

namespace ancora {

/// An island (coordinates that rows or masses connect) that has rotated rigidly by R since the
/// factorisation has the step matrix
///
///   K = T K_ref T^T,   T = diag(R on each vector of coordinates, R or 1 on the rows)      (1)
///
/// exactly where masses couple vectors with equal components, strains are built from dot products,
/// and a constraint on a vector's inertial components holds all three; M and the elastic part are
/// then those of the reference but for changes of strain and stress. K^-1 r = T K_ref^-1 T^T r
/// (theory (33)).
///
/// R is fitted to the vectors of each island, in the sense of least squares, by one Newton step a
/// call from the last fit. An island is corotated only where a rotation explains its motion. As
/// with any old factorisation (modified Newton), (1) affects the convergence of an iteration and
/// not its result.
class CoRotation {
public:
    CoRotation(const Space& space, const MassMatrix& mass, const RowSet& rows, int num_coordinates);

    /// A factorisation has been made with the vectors z.
    void set_reference(const Eigen::VectorXd& z);
    /// [step] Fits the rotations to the vectors z. @returns whether any island is turned
    bool follow(const Eigen::VectorXd& z);
    /// [step] The present rotations have not improved convergence; none until the next reference.
    void give_up() { is_given_up_ = true; }

    /// [step] T^T on the equations of motion and the rows.
    void into_reference(std::span<double> motion, std::span<double> rows) const;
    /// [step] T likewise.
    void out_of_reference(std::span<double> motion, std::span<double> rows) const;

    /// Writes or reads reference and rotations, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    /// Coordinates of one vector; `weight` in the fit.
    struct Vector {
        std::array<int, 3> at{};
        bool translates = false;
        double weight = 1.0;
    };
    struct Island {
        int first_vector = 0;
        int end_vector = 0;
        int first_triple = 0;  // rows that are the components of a vector, three each
        int end_triple = 0;
        double weight = 0.0;  // of the translating vectors together
    };
    void fit(std::size_t island, const Eigen::VectorXd& z);
    template <bool kTransposed>
    void turn(std::span<double> motion, std::span<double> rows) const;

    std::vector<Vector> vectors_;  // by island
    std::vector<int> triples_;     // first row of each, by island
    std::vector<Island> islands_;
    Eigen::VectorXd reference_;             // three entries per vector, about the island's centre
    std::vector<double> reference_square_;  // weighted, per island
    std::vector<Eigen::Quaterniond> rotation_;
    std::vector<Eigen::Matrix3d> R_;
    std::vector<char> is_turned_;
    bool has_reference_ = false;
    bool is_given_up_ = false;
};

}  // namespace ancora
