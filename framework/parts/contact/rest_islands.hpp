// SPDX-License-Identifier: BSD-3-Clause
// Islands: connected bodies with frictional contacts; their largest speeds, and which of them rest.
#pragma once

#include <algorithm>
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

    int num() const { return static_cast<int>(islands_.size()); }
    int of(const Contact& contact) const { return of_contact_[&contact - contacts_.all().data()]; }
    /// Contacts of an island, by their places in Contacts::all().
    const std::vector<int>& contacts(int island) const { return islands_[island].contacts; }
    /// Other contacts of the same island that stick.
    bool has_sticking_beside(const Contact& contact) const;

    /// Whether a coordinate belongs to any of them.
    bool have(int coordinate) const { return island_of_[coordinate] >= 0; }

    /// Fastest coordinate of an island so far: the scale of its test of rest.
    double top_speed(int island) const { return top_speed_[island]; }
    void forget_speeds();
    void note_speeds(const Eigen::VectorXd& v);
    /// Sets velocities to zero exactly where an island with contacts that stick moves by rounding
    /// alone.
    void stop_still(Eigen::VectorXd& v) const;
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
    struct Island {
        std::vector<int> coordinates, contacts;
    };
    void find_sticking();
    double speed(int island, const double* v) const;
    bool is_still(int island, double speed) const;
    /// The largest of size(i) over the coordinates of an island.
    template <class Size>
    double largest(int island, const Size& size) const {
        double out = 0.0;
        for (const int i : islands_[island].coordinates) out = std::max(out, size(i));
        return out;
    }

    const Assembly& parts_;
    const Contacts& contacts_;
    std::vector<int> island_of_;   // of each coordinate, -1: none
    std::vector<int> of_contact_;  // of each contact
    std::vector<Island> islands_;
    std::vector<double> top_speed_;
    std::vector<char> is_held_;
};

}  // namespace ancora
