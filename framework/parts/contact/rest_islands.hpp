// SPDX-License-Identifier: BSD-3-Clause
// Islands: connected bodies with frictional contacts; their largest speeds, and which of them rest.
#pragma once

#include <vector>

#include "assembly.hpp"
#include "contacts.hpp"
#include "continuous_face.hpp"

namespace ancora {

/// With friction, rest is exact: an island whose contacts all stick, and whose velocities and
/// accelerations are round-off, is held.
class RestIslands {
public:
    RestIslands(const Assembly& parts, const Contacts& contacts);

    int num() const { return num_islands_; }
    int of(const Contact& contact) const;
    bool has(int coordinate, int island) const { return island_of_[coordinate] == island; }

    /// Whether a coordinate belongs to any of them.
    bool have(int coordinate) const { return num_islands_ > 0 && island_of_[coordinate] >= 0; }

    /// Fastest coordinate of an island so far: the scale of its test of rest.
    double top_speed(int island) const { return top_speed_[island]; }
    void forget_speeds();
    void note_speeds(const Eigen::VectorXd& v);
    /// Fastest coordinate of an island now.
    double speed(int island, const Eigen::VectorXd& v) const;
    /// Whether an island this slow rests.
    bool is_still(int island, double speed) const;
    /// Largest acceleration that forces F alone would cause in an island.
    double force_acceleration(int island, const Eigen::VectorXd& F) const;
    /// The same of the impressed forces at the instant last assembled.
    double free_acceleration(int island, const ContinuousFace& face) const;

    /// Decides over a trial which islands are held; their part of dq becomes zero. [step]
    void hold(MotionState& state, Trial& trial);
    /// Sets accelerations of islands at rest to zero where forces balance up to rounding. [step]
    void rest_accelerations(const double* v,
                            double* a,
                            const ContinuousFace& face,
                            HeldCoordinates& held);
    /// Marks the coordinates of held islands.
    void mark(HeldCoordinates& held) const;

    /// Writes or reads speeds and what is held, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    void find_sticking();

    const Assembly& parts_;
    const Contacts& contacts_;
    std::vector<int> island_of_;  // of each coordinate, -1: none
    int num_islands_ = 0;
    std::vector<double> top_speed_;
    std::vector<char> is_held_;
};

}  // namespace ancora
