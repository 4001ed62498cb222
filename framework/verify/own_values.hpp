// SPDX-License-Identifier: BSD-3-Clause
// Own values of an object with Signals as checks sample them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "motion.hpp"

namespace ancora::verify {

/// Null for objects without.
const Signals* signals_of(const Object& object);

/// Samples x at zero, at its start, and at numbers of both signs and many magnitudes; z among what
/// the object itself came to, at its start and by acting; inputs, whose meaning is not known, as
/// small positive numbers.
///
/// An object may refuse a state by an exception that says why. Kinds of x that it refuses are left
/// out, as far as a try shows.
class OwnSampler {
public:
    OwnSampler() = default;
    OwnSampler(const Stage& stage, const Object& object);

    std::size_t num_inputs() const { return num_inputs_; }
    std::size_t num_x() const { return start_.size(); }
    std::size_t num_z() const { return z_.empty() ? 0 : z_.front().size(); }
    std::size_t size() const { return num_inputs() + num_x() + num_z(); }

    void sample_inputs(Random& random, std::span<double> inputs) const;
    void sample_x(Random& random, std::span<double> x) const;
    void sample_z(Random& random, std::span<double> z) const;
    /// All three, one behind the other.
    void sample(Random& random, std::span<double> own) const;

private:
    /// Of one number x.
    enum class Kind { start, zero, positive, negative };
    double number(Kind kind, std::size_t i, Random& random) const;

    std::size_t num_inputs_ = 0;
    std::vector<double> start_;  ///< of x
    std::vector<Kind> kinds_;    ///< that the object takes
    double most_power_[2] = {};  ///< of magnitudes of negative and positive numbers
    std::vector<std::vector<double>> z_;
};

}  // namespace ancora::verify
