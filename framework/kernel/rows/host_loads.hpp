// SPDX-License-Identifier: BSD-3-Clause
// Forces and torques that an embedding program applies between steps.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "attachment_map.hpp"
#include "call_meter.hpp"
#include "model.hpp"

namespace ancora {

/// Forces F on points and torques T on bodies, inertial axes, constant until they are set anew.
/// They are impressed forces: part of Q, their work and impulse external. A torque acts on the
/// body's axes d_i as directions in space,
///
///   f_i = a x d_i,   (tr D I - D) a = T,   D = sum_i d_i d_i^T                          (1)
///
/// so that sum_i d_i x f_i = T, also with the axes of the middle of a step, which are a little
/// shorter than 1: it adds T h to the angular momentum, exactly.
class HostLoads {
public:
    HostLoads(const Model& model, CallMeter& meter) : model_(model), meter_(meter) {}

    bool empty() const { return loads_.empty(); }
    /// Sets the force on an attachment such as "box@[1, 0, 0]"; zero takes it away. [assembly]
    /// @throws Error (manifest) if there is no such attachment
    void set(const std::string& text, const std::array<double, 3>& force);
    /// Sets the torque on a body; zero takes it away. [assembly]
    /// @throws Error (manifest) if there is no such body, or it has no directions
    void set_torque(const std::string& body, const std::array<double, 3>& torque);
    /// Bodies on which torques act; their tangents with respect to rotations are not derived.
    std::string bodies_with_torque() const;
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
            std::array<double, 3> given{};
            bool is_torque = false;
            if constexpr (!Archive::kReads) {
                at = loads_[i]->text;
                given = loads_[i]->given;
                is_torque = loads_[i]->is_torque;
            }
            archive(at);
            archive(is_torque);
            archive(given);
            archive.require_finite(given, "an applied force");
            if constexpr (Archive::kReads) is_torque ? set_torque(at, given) : set(at, given);
        }
    }

private:
    static constexpr std::size_t kMostScalars = 9;  // of three axes
    struct Load {
        Load(std::string name,
             bool turns,
             std::vector<Attachment> attachments,
             const Model& model,
             CallMeter& meter)
            : text(std::move(name)),
              is_torque(turns),
              at(std::move(attachments)),
              map(model, at, meter) {}
        std::string text;  // the attachment, or the body
        bool is_torque;
        std::vector<Attachment> at;  // a point, or three axes
        AttachmentMap map;
        std::array<double, 3> given{};          // force or torque
        std::array<double, kMostScalars> f{};   // on the attachments
        std::array<double, kMostScalars> du{};  // their increments or rates

        void evaluate_force(const double* u);
    };
    template <class Attach>
    void set(const std::string& text,
             bool is_torque,
             const std::array<double, 3>& given,
             const Attach& attach);

    const Model& model_;
    CallMeter& meter_;
    std::vector<std::unique_ptr<Load>> loads_;
    std::vector<double> q1_;
};

}  // namespace ancora
