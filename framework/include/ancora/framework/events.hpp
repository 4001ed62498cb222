// SPDX-License-Identifier: BSD-3-Clause
// What happened in a run at an instant: contacts, impacts, singular positions, breaks.
#pragma once

#include <string>
#include <vector>

namespace ancora {

/// A contact that began to stick or to slip.
struct ContactEvent {
    double t = 0.0;       ///< [s]
    std::string force;    ///< the friction's name
    bool sticks = false;  ///< else it slips
};

/// A position at which constraints depend on each other that do not elsewhere, and other motions
/// begin: a linkage of equal bars that is flat.
struct SingularPosition {
    double t = 0.0;         ///< end of the step in which it was passed [s]
    bool continues = true;  ///< the motion goes on smoothly; else velocities jump there
};

/// An element that broke, or a constraint that opened for good by its release.
struct BreakEvent {
    double t = 0.0;       ///< [s]
    std::string object;   ///< the body or constraint that it belongs to
    int item = 0;         ///< its number there; -1: the constraint as a whole, which opened
    double energy = 0.0;  ///< elastic energy that it held, lost with it [J]
};

/// A stop, a contact or a latch that met, went on in touch, let go, or (a latch) broke.
struct ImpactEvent {
    enum class Kind { impact, closed, released, broken };
    double t = 0.0;          ///< [s]
    std::string constraint;  ///< its name
    Kind kind = Kind::impact;
    double impulse = 0.0;             ///< of an impact [N s]
    double loss = 0.0;                ///< energy that it lost [J]
    std::vector<std::string> bodies;  ///< that it acts on, without the ground
};

}  // namespace ancora
