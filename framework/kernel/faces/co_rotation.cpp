// SPDX-License-Identifier: BSD-3-Clause
// Islands of vectors, the least-squares fit of their rotations, and corotated vectors.
#include "co_rotation.hpp"

#include <algorithm>
#include <cmath>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "state_archive.hpp"

namespace ancora {
namespace {

// A rotation is not used if the residual sum of squares of its fit is above this part.
constexpr double kUnexplained = 0.5;
// The same sum, relative, at round-off: nothing has moved.
constexpr double kStill = 1e-13;
// Threshold for an undetermined rotation, such as that of a straight line about itself, relative.
constexpr double kUndetermined = 1e-9;
// Longest rotation that one step of the fit makes [rad].
constexpr double kLongest = 1.0;

bool have_equal_laws(const RowLaw& a, const RowLaw& b) {
    return a.kind == b.kind && a.compliance == b.compliance && a.viscosity == b.viscosity &&
           a.law == nullptr && b.law == nullptr;
}

/// Whether the three rows from `row` on are components 0, 1, 2 of the same vectors.
bool is_triple(const RowSet& rows,
               int row,
               const std::vector<int>& axis_of,
               const std::vector<int>& vector_of) {
    const auto begin = [&](int r) {
        return rows.row_begin(r);
    };
    const int count = begin(row + 1) - begin(row);
    // Along one stencil, each on its axis, with one law: R of the island turns the three together.
    for (int c = 0; c < 3; ++c) {
        const int r = row + c;
        if (begin(r + 1) - begin(r) != count || rows.has_law_together(r)) return false;
        if (!have_equal_laws(rows.laws[row], rows.laws[r])) return false;
        for (int e = 0; e < count; ++e) {
            const auto i = static_cast<std::size_t>(rows.column_of(begin(r) + e));
            const auto i0 = static_cast<std::size_t>(rows.column_of(begin(row) + e));
            if (axis_of[i] != c || vector_of[i] != vector_of[i0]) return false;
        }
    }
    return count > 0;
}

}  // namespace

CoRotation::CoRotation(const Space& space,
                       const MassMatrix& mass,
                       const RowSet& rows,
                       int num_coordinates) {
    const auto n = static_cast<std::size_t>(num_coordinates);
    // Islands are vectors that a mass, a term of G or a row joins. K has no entry
    // between two islands, so that each may turn by an R of its own.
    DisjointSets sets(n);
    std::vector<int> vector_of(n, -1);
    std::vector<int> axis_of(n, -1);
    std::vector<char> is_refused(n, 0);  // scalars and vectors that lack a component
    for (std::size_t v = 0; v < space.vectors().size(); ++v) {
        const std::array<int, 3>& at = space.vectors()[v].at;
        const bool is_whole = std::ranges::all_of(at, [](int i) {
            return i >= 0;
        });
        int first = -1;
        for (std::size_t c = 0; c < 3; ++c) {
            if (at[c] < 0) continue;
            const auto i = static_cast<std::size_t>(at[c]);
            vector_of[i] = static_cast<int>(v);
            axis_of[i] = static_cast<int>(c);
            is_refused[i] = is_whole ? 0 : 1;
            if (first >= 0) sets.join(first, at[c]);
            first = at[c];
        }
    }
    // Scalars do not turn with space: an island with one stays as it is.
    for (std::size_t i = 0; i < n; ++i)
        if (vector_of[i] < 0) is_refused[i] = 1;
    for (const MassEntry& entry : mass.entries()) sets.join(entry.i, entry.j);
    rows.tangent_terms.for_each_term([&](const TangentTerm& term) {
        sets.join(term.i, term.j);
    });
    for (int row = 0; row < rows.num_rows(); ++row) {
        const int begin = rows.row_begin(row);
        const int end = rows.row_end(row);
        for (int e = begin + 1; e < end; ++e) sets.join(rows.column_of(begin), rows.column_of(e));
    }

    std::vector<int> island_of(n, -1);  // of a root
    std::vector<char> can_turn;
    for (std::size_t i = 0; i < n; ++i) {
        const auto root = static_cast<std::size_t>(sets.root(static_cast<int>(i)));
        if (island_of[root] < 0) {
            island_of[root] = static_cast<int>(can_turn.size());
            can_turn.push_back(1);
        }
        if (is_refused[i] != 0) can_turn[island_of[root]] = 0;
    }
    const auto island = [&](int i) {
        return static_cast<std::size_t>(island_of[sets.root(i)]);
    };
    std::vector<std::vector<Vector>> vectors(can_turn.size());
    std::vector<std::vector<int>> triples(can_turn.size());
    for (const Space::Vector& v : space.vectors()) {
        const int i = std::max({v.at[0], v.at[1], v.at[2]});
        if (i < 0 || can_turn[island(i)] == 0) continue;
        // With weights reach^2 the fit is one of displacements of matter [m^2].
        vectors[island(i)].push_back({v.at, v.translates, v.reach * v.reach});
    }
    // Of (1): R on rows that are the components of one vector equation,
    // 1 on all others, whose pi is invariant.
    for (const BlockPart& part : rows.blocks) {
        const int per_item = part.block->rows_per_item;
        for (int item = 0; item < part.num_rows; item += per_item)
            for (int r = 0; r + 2 < per_item; ++r) {
                const int row = part.first_row + item + r;
                if (!is_triple(rows, row, axis_of, vector_of)) continue;
                const int begin = rows.row_begin(row);
                triples[island(rows.column_of(begin))].push_back(row);
                r += 2;
            }
    }
    for (std::size_t k = 0; k < can_turn.size(); ++k) {
        if (can_turn[k] == 0) continue;
        Island to;
        to.first_vector = static_cast<int>(vectors_.size());
        to.first_triple = static_cast<int>(triples_.size());
        vectors_.insert(vectors_.end(), vectors[k].begin(), vectors[k].end());
        triples_.insert(triples_.end(), triples[k].begin(), triples[k].end());
        to.end_vector = static_cast<int>(vectors_.size());
        to.end_triple = static_cast<int>(triples_.size());
        for (const Vector& v : vectors[k])
            if (v.translates) to.weight += v.weight;
        islands_.push_back(to);
    }
    reference_.setZero(3 * static_cast<Eigen::Index>(vectors_.size()));
    reference_square_.assign(islands_.size(), 0.0);
    rotation_.assign(islands_.size(), Eigen::Quaterniond::Identity());
    R_.assign(islands_.size(), Eigen::Matrix3d::Identity());
    is_turned_.assign(islands_.size(), 0);
}

void CoRotation::set_reference(const Eigen::VectorXd& z) {
    has_reference_ = true;
    is_given_up_ = false;
    for (std::size_t k = 0; k < islands_.size(); ++k) {
        const Island& island = islands_[k];
        Eigen::Vector3d centre = Eigen::Vector3d::Zero();
        const auto vector = [&](int v) {
            const std::array<int, 3>& at = vectors_[v].at;
            return Eigen::Vector3d(z[at[0]], z[at[1]], z[at[2]]);
        };
        // Centre c = sum w z / sum w over positions: a translation has no part in the fit.
        for (int v = island.first_vector; v < island.end_vector; ++v)
            if (vectors_[v].translates) centre += vectors_[v].weight / island.weight * vector(v);
        double square = 0.0;
        // Positions as arms from c, directions as they are.
        for (int v = island.first_vector; v < island.end_vector; ++v) {
            const Vector& at = vectors_[v];
            const Eigen::Vector3d arm = at.translates ? (vector(v) - centre).eval() : vector(v);
            reference_.segment<3>(3 * v) = arm;
            square += at.weight * arm.squaredNorm();
        }
        reference_square_[k] = square;
        rotation_[k].setIdentity();
        R_[k].setIdentity();
        is_turned_[k] = 0;
    }
}

bool CoRotation::follow(const Eigen::VectorXd& z) {
    if (!has_reference_ || is_given_up_) return false;
    bool is_any = false;
    for (std::size_t k = 0; k < islands_.size(); ++k) {
        fit(k, z);
        is_any |= is_turned_[k] != 0;
    }
    return is_any;
}

void CoRotation::fit(std::size_t k, const Eigen::VectorXd& z) {
    const Island& island = islands_[k];
    // A = sum of w z z_ref^T; a centre subtracted from one side is enough.
    // sum w |z - R z_ref|^2 = sum w (|z|^2 + |z_ref|^2) - 2 tr(R^T A) is least for
    // the largest tr(R^T A) (Wahba, SIAM Rev. 7 (1965) 409).
    Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    double square = 0.0;
    const double* reference = reference_.data() + 3 * island.first_vector;
    // Seen from near it, since squares of large distances would cancel.
    Eigen::Vector3d origin = Eigen::Vector3d::Zero();
    for (int v = island.first_vector; v < island.end_vector; ++v) {
        const Vector& vector = vectors_[v];
        if (!vector.translates) continue;
        origin = {z[vector.at[0]], z[vector.at[1]], z[vector.at[2]]};
        break;
    }
    for (int v = island.first_vector; v < island.end_vector; ++v, reference += 3) {
        const Vector& vector = vectors_[v];
        Eigen::Vector3d now(z[vector.at[0]], z[vector.at[1]], z[vector.at[2]]);
        if (vector.translates) now -= origin;
        const Eigen::Vector3d weighted = vector.weight * now;
        for (int c = 0; c < 3; ++c) A.col(c) += reference[c] * weighted;
        square += now.dot(weighted);
        if (vector.translates) sum += weighted;
    }
    // sum w |z - c|^2 = sum w |z|^2 - |sum w z|^2 / sum w, over positions
    if (island.weight > 0.0) square -= sum.squaredNorm() / island.weight;

    // Newton's step towards the largest tr(R^T A), in P = A R^T.
    // tr((exp(w^) R)^T A) = tr P + g . w - w . H w / 2 + ..., with g = axial(P - P^T)
    // and H = tr(P) 1 - (P + P^T) / 2: the step is w = H^-1 g. A multiple of 1
    // keeps H regular where a direction of w changes nothing.
    const Eigen::Matrix3d P = A * R_[k].transpose();
    const double trace = P.trace();
    const Eigen::Vector3d g(P(2, 1) - P(1, 2), P(0, 2) - P(2, 0), P(1, 0) - P(0, 1));
    Eigen::Matrix3d H = -0.5 * (P + P.transpose());
    H.diagonal().array() += trace + kUndetermined * std::abs(trace);
    Eigen::Vector3d turn = H.inverse() * g;
    const double angle = turn.norm();
    is_turned_[k] = 0;
    if (!std::isfinite(angle)) return;
    if (angle > kLongest) turn *= kLongest / angle;
    // The quaternion (1, w / 2), normalised: the Cayley rotation of w, orthogonal for any w.
    rotation_[k] =
        Eigen::Quaterniond(1.0, 0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2]) * rotation_[k];
    rotation_[k].normalize();
    R_[k] = rotation_[k].toRotationMatrix();

    // The residual sums of squares with R and with R = 1, as above.
    const double squares = square + reference_square_[k];
    const double with = squares - 2.0 * R_[k].cwiseProduct(A).sum();
    const double without = squares - 2.0 * A.trace();
    is_turned_[k] = without > kStill * squares && with < kUnexplained * without ? 1 : 0;
}

template <bool kTransposed>
void CoRotation::turn(std::span<double> motion, std::span<double> rows) const {
    // x := R x or R^T x on vectors of motion and on triples of rows
    for (std::size_t k = 0; k < islands_.size(); ++k) {
        if (is_turned_[k] == 0) continue;
        const Island& island = islands_[k];
        const Eigen::Matrix3d R = kTransposed ? Eigen::Matrix3d(R_[k].transpose()) : R_[k];
        for (int v = island.first_vector; v < island.end_vector; ++v) {
            const std::array<int, 3>& at = vectors_[v].at;
            double* x = motion.data();
            const Eigen::Vector3d turned = R * Eigen::Vector3d(x[at[0]], x[at[1]], x[at[2]]);
            for (std::size_t c = 0; c < 3; ++c) x[at[c]] = turned[static_cast<Eigen::Index>(c)];
        }
        for (int t = island.first_triple; t < island.end_triple; ++t) {
            Eigen::Map<Eigen::Vector3d> row(rows.data() + triples_[t]);
            row = (R * row).eval();
        }
    }
}

void CoRotation::into_reference(std::span<double> motion, std::span<double> rows) const {
    turn<true>(motion, rows);
}
void CoRotation::out_of_reference(std::span<double> motion, std::span<double> rows) const {
    turn<false>(motion, rows);
}

template <class Archive>
void CoRotation::transfer(Archive& archive) {
    archive(has_reference_);
    archive(is_given_up_);
    archive(reference_);
    archive.array(reference_square_.data(), static_cast<Eigen::Index>(reference_square_.size()));
    // R follows from its quaternion, so that it is orthogonal for any data read.
    for (std::size_t k = 0; k < islands_.size(); ++k) {
        archive.array(rotation_[k].coeffs().data(), 4);
        if constexpr (Archive::kReads) R_[k] = rotation_[k].toRotationMatrix();
    }
}
template void CoRotation::transfer(ArchiveWriter&);
template void CoRotation::transfer(ArchiveReader&);

}  // namespace ancora
