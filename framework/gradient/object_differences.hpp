// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of rows and forces over a step, object by object, by their own local scalars.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "central_differences.hpp"
#include "kernel_system.hpp"
#include "recorded_run.hpp"

namespace ancora {

/// Entries (i, j) of a matrix and their values, which add.
using Triplets = std::vector<Eigen::Triplet<double>>;

/// Local scalars u = c + W q of an object over a step u0 -> u0 + du, which may be moved.
class LocalScalars {
public:
    LocalScalars(Assembly& parts, std::span<const Attachment> attachments);
    /// A body's: its coordinates.
    LocalScalars(int first, int count);

    int count() const { return static_cast<int>(entries_.size()); }
    void read(const double* q0, const double* dq, double t0);
    RowStep step(double t0, double h);

    struct Entry {
        int coordinate;
        double weight;
    };
    std::span<const Entry> entries(int scalar) const { return entries_[scalar]; }
    bool moves(int scalar) const { return !entries_[scalar].empty(); }

    /// First scalars of the points, as opposed to directions and single coordinates.
    std::span<const int> points() const { return points_; }
    bool is_of_point(int scalar) const { return is_of_point_[scalar] != 0; }
    void shift_points(const std::array<double, 3>& by);
    /// Largest distance of a point to the first, over the step.
    double reach() const;

    Eigen::VectorXd u0, du;

private:
    std::optional<AttachmentMap> map_;
    int first_ = 0;
    std::vector<std::vector<Entry>> entries_;
    std::vector<int> points_;
    std::vector<char> is_of_point_;
    Eigen::VectorXd mid_, u1_, rate_;
};

/// Derivatives by du and u0 of functions F(u0, du) of an object, whose outputs belong to items that
/// see some of the scalars each, by differences of fourth order:
///
///   F'(x) e_j = (8 (F(x + d e_j) - F(x - d e_j)) - (F(x + 2 d e_j) - F(x - 2 d e_j))) / (12 d) (1)
///
/// Scalars that no item has in common are moved together (Curtis, Powell, Reid, J. Inst. Math.
/// Appl. 13 (1974) 117). Where nothing changes if all points move alike, as between bodies, the
/// derivatives by one of them are those by the others, and places are taken relative to it, so that
/// differences lose no digits to those far from the origin.
class ObjectDifferences {
public:
    /// @param stencil  of all items, one behind the other
    ObjectDifferences(LocalScalars scalars, std::vector<int> stencil, int scalars_per_item);

    LocalScalars scalars;

    /// Whether outputs stay where all points move alike: to be asked before differentiate().
    /// @param evaluate  writes the outputs of `scalars` as they are
    template <class Evaluate>
    void look_for_invariance(const Evaluate& evaluate, double extent) {
        if (!is_shiftable_) return;
        evaluate(here_);
        scalars.shift_points({0.31 * extent, -0.27 * extent, 0.43 * extent});
        evaluate(shifted_);
        const double size = here_.size() > 0 ? here_.lpNorm<Eigen::Infinity>() : 0.0;
        is_invariant_ = size > 0.0 && (here_ - shifted_).lpNorm<Eigen::Infinity>() <= kSame * size;
    }

    /// Calls take(item, number of an output of the item, scalar, dF / d(scalar)).
    /// @param x  of `scalars`: du or u0
    /// @param evaluate  writes the outputs of `scalars`, outputs_per_item for each item
    template <class Evaluate, class Take>
    void differentiate(Eigen::VectorXd& x,
                       int outputs_per_item,
                       double extent,
                       const Evaluate& evaluate,
                       const Take& take) {
        const double reach = is_invariant_ ? scalars.reach() : 0.0;
        for (const std::vector<int>& colour : colours_) {
            if (is_invariant_ && is_pinned_[colour.front()] != 0) continue;
            begin(colour, x, reach, extent);
            for (int closer = 0;; ++closer) {
                differences_.evaluate(colour, x, evaluate);
                if (closer == kCloser || is_smooth(colour, outputs_per_item)) break;
                differences_.come_closer(kCloserBy);
            }
            for (std::size_t c = 0; c < colour.size(); ++c) {
                const int j = colour[c];
                differences_.put_back(c, x[j]);
                const int pinned = is_invariant_ && scalars.is_of_point(j) ? pinned_of(j) : -1;
                for (const int item : items_[j])
                    for (int i = 0; i < outputs_per_item; ++i) {
                        const double value = differences_.slope(c, item * outputs_per_item + i);
                        take(item, i, j, value);
                        if (pinned >= 0) take(item, i, pinned, -value);
                    }
            }
        }
    }
    /// Brings the first point to the origin where that changes nothing.
    void center() {
        if (!is_invariant_) return;
        const int p = scalars.points().front();
        scalars.shift_points({-scalars.u0[p], -scalars.u0[p + 1], -scalars.u0[p + 2]});
    }
    int num_items() const { return num_items_; }
    int scalars_per_item() const { return scalars_per_item_; }
    int scalar(int item, int number) const { return stencil_[item * scalars_per_item_ + number]; }

private:
    static constexpr double kSame = 1e-11;  // relative: no change of outputs
    // Nearer ones are tried where slopes at one and two distances differ by more than a part.
    static constexpr int kCloser = 3;
    static constexpr double kCloserBy = 0x1p-4;
    void begin(const std::vector<int>& colour,
               const Eigen::VectorXd& x,
               double reach,
               double extent);
    bool is_smooth(const std::vector<int>& colour, int outputs_per_item) const;
    int pinned_of(int scalar) const;

    std::vector<int> stencil_;
    int scalars_per_item_, num_items_;
    std::vector<std::vector<int>> items_;    // that see a scalar
    std::vector<std::vector<int>> colours_;  // those of the pinned point apart
    std::vector<int> pinned_;                // scalars of the first point; empty: there is none
    std::vector<char> is_pinned_;
    bool is_shiftable_ = false;  // there are several points
    bool is_invariant_ = false;
    Eigen::VectorXd here_, shifted_;
    CentralDifferences differences_;
};

/// B^T s of blocks of rows, and increments of velocity rows.
class RowDifferences {
public:
    /// @param is_wanted  of each block
    RowDifferences(KernelSystem& system, std::span<const char> is_wanted);
    bool empty() const { return parts_.empty(); }
    /// Looks at a step, and at others like it, which the system then is not at any more.
    void look(const AcceptedStep& step, const Eigen::VectorXd& dq);
    void differentiate(const AcceptedStep& step,
                       const Eigen::VectorXd& q,
                       const Eigen::VectorXd& dq,
                       const Eigen::VectorXd& s,
                       Triplets& by_dq,
                       Triplets& by_q,
                       Triplets& rows_dq,
                       Triplets& rows_q);

private:
    struct Part {
        int block;
        bool has_velocity;
        ObjectDifferences differences;
    };
    void evaluate(Part& part, const AcceptedStep& step, const double* s, Eigen::VectorXd& out);

    SystemData data_;
    double extent_;
    std::vector<Part> parts_;
    std::vector<double> plugin_, B_, tau_, work0_, work1_;
};

/// Forces without inputs and states of their own, on attachments that are linear in q.
class ForceDifferences {
public:
    explicit ForceDifferences(KernelSystem& system);
    bool empty() const { return parts_.empty(); }
    /// Whether it differentiates part `part` of the forces.
    bool has(int part) const { return has_[part] != 0; }
    void look(const AcceptedStep& step, const Eigen::VectorXd& dq);
    void differentiate(const AcceptedStep& step,
                       const Eigen::VectorXd& q,
                       const Eigen::VectorXd& dq,
                       Triplets& by_dq,
                       Triplets& by_q);

private:
    struct Part {
        const ForcePart* force;
        ObjectDifferences differences;
    };
    void evaluate(Part& part, const AcceptedStep& step, Eigen::VectorXd& out);

    SystemData data_;
    double extent_;
    std::vector<Part> parts_;
    std::vector<char> has_;  // of each part of the forces
};

}  // namespace ancora
