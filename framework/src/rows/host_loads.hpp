// SPDX-License-Identifier: BSD-3-Clause
// Forces that an embedding program applies between steps.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "attachment_map.hpp"
#include "call_meter.hpp"
#include "model.hpp"

namespace ancora {

/// Forces on points, inertial axes, constant until they are set anew. They are impressed forces:
/// part of Q, their work and impulse external.
class HostLoads {
public:
    HostLoads(const Model& model, CallMeter& meter) : model_(model), meter_(meter) {}

    bool empty() const { return loads_.empty(); }
    /// Sets the force on an attachment such as "box@[1, 0, 0]"; zero takes it away. [assembly]
    /// @throws Error (manifest) if there is no such attachment
    void set(const std::string& text, const std::array<double, 3>& force);
    void clear() { loads_.clear(); }

    /// Mean forces over a step: adds them to F. [step]
    void evaluate_step(const double* q0, const double* dq, double t0, double h, double* F);
    /// Forces at an instant: adds them to F. [step]
    void evaluate(const double* q, const double* v, double t, double* F);
    /// Work over the step, or power, as last evaluated.
    double work() const;
    /// Adds the forces to F, as last evaluated.
    void add_to(double* F) const;

    /// Writes or reads them, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        std::size_t count = loads_.size();
        archive(count);
        if constexpr (Archive::kReads) loads_.clear();
        for (std::size_t i = 0; i < count; ++i) {
            std::string at;
            std::array<double, 3> force{};
            if constexpr (!Archive::kReads) {
                at = loads_[i]->at.text;
                force = loads_[i]->force;
            }
            archive(at);
            archive(force);
            archive.require_finite(force, "an applied force");
            if constexpr (Archive::kReads) set(at, force);
        }
    }

private:
    struct Load {
        Load(Attachment attachment, const Model& model, CallMeter& meter)
            : at(std::move(attachment)), map(model, {&at, 1}, meter) {}
        Attachment at;
        AttachmentMap map;
        std::array<double, 3> force{};
        std::array<double, 3> du{};  // increment or rate of the point
    };

    const Model& model_;
    CallMeter& meter_;
    std::vector<std::unique_ptr<Load>> loads_;
    std::vector<double> q1_;
};

}  // namespace ancora
