// SPDX-License-Identifier: BSD-3-Clause
// Values of joints' measures: angles count their turns.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/helpers/measure_function.hpp"
#include "model.hpp"

namespace ancora {

/// Measures of all joints of a model, in their order.
class JointValues {
public:
    explicit JointValues(const Model& model);

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

    /// The first angle that turned so fast that its turns may be miscounted.
    struct TooFast {
        int entry = -1;  ///< -1: none
        double t = 0.0;
        double turned = 0.0;  ///< rate times step [rad]
    };
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
        archive.require(
            too_fast_.entry >= -1 && too_fast_.entry < static_cast<int>(entries_.size()),
            "a joint");
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

    std::vector<double> values_;
    TooFast too_fast_;
};

}  // namespace ancora
