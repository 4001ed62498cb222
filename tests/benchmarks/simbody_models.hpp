// SPDX-License-Identifier: BSD-3-Clause
// The models of rivals.cpp as a user of Simbody would build them. Its headers need C++17, so that
// nothing of Ancora is included beside them.
#pragma once

#include <memory>

namespace ancora::benchmark {

/// A model in Simbody with steps of fixed length, by the cheapest of its integrators of at least
/// the second order.
class SimbodyModel {
public:
    static constexpr const char* kIntegrator = "VerletIntegrator";

    /// Free boxes, tops() in models.hpp; the top alone is the first of them without its variation.
    static SimbodyModel tops(int count, double h);
    /// hanging_chain() there. Joints are ball joints of a tree, so that there are no constraints.
    static SimbodyModel chain(int count, double h);

    SimbodyModel(SimbodyModel&&) noexcept;
    ~SimbodyModel();

    void advance(long steps);

private:
    struct Impl;
    explicit SimbodyModel(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace ancora::benchmark
