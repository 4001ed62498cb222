// SPDX-License-Identifier: BSD-3-Clause
// Values of joints' measures, with angles counted over full turns; rotation of bodies in a step.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/helpers/measure_function.hpp"
#include "model.hpp"
#include "space.hpp"

namespace ancora {

/// Measures of all joints of a model, in their order.
class JointValues {
public:
    JointValues(const Model& model, const Space& space);

    struct Entry {
        std::string name;  ///< "elbow.angle"
        MeasureFunction function;
        double start;
        std::vector<Attachment> attachments;
    };
    const std::vector<Entry>& entries() const { return entries_; }

    /// Values at a start, and at an accepted state, less than half a turn from the one before.
    void begin(const double* q);
    void follow(const double* q, const double* v, double t, double h);
    /// The same after a step of the discrete formulation, which is of second order: in it a body at
    /// the rate w turns by 2 atan(w h / 2), less than w h by the part (w h)^2 / 12.
    void follow_step(const double* q, const double* v, double t, double h);

    /// The first angle that turned so fast that its turns may be miscounted, or the first body
    /// whose rotation in a step is too large for an accurate angle.
    struct TooFast {
        int entry = -1;  ///< -1: none; from the number of entries on: a body
        double t = 0.0;
        double turned = 0.0;  ///< rate times step [rad]
    };
    /// The body that turned too fast, or null.
    const BodyPart* body_too_fast() const;
    const TooFast& too_fast() const { return too_fast_; }
    struct Reading {
        double value = 0.0;
        double rate = 0.0;
    };
    /// At a state less than half a turn from the accepted one.
    Reading read(std::size_t entry, const double* q, const double* v) const;

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive.array(values_.data(), static_cast<Eigen::Index>(values_.size()));
        archive.require_finite(values_, "a measure of a joint");
        archive(too_fast_.entry);
        archive.require(too_fast_.entry >= -1 && static_cast<std::size_t>(too_fast_.entry + 1) <=
                                                     entries_.size() + model_.bodies.size(),
                        "a joint or a body");
        archive(too_fast_.t);
        archive(too_fast_.turned);
    }

private:
    using Scalars = std::array<double, MeasureFunction::kMostScalars>;
    void gather(
        const Entry& entry, const double* q, const double* v, Scalars& u, Scalars& du) const;

    const Model& model_;
    std::vector<Entry> entries_;
    void take(const double* q);

    /// Three base vectors of a body.
    struct Triad {
        int body;
        std::array<Space::Vector, 3> vectors;
    };
    std::vector<Triad> triads_;
    std::vector<double> values_;
    TooFast too_fast_;
};

}  // namespace ancora
