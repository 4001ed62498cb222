// SPDX-License-Identifier: BSD-3-Clause
// What texts mean that refer to frames, points and measures, at the start of a model.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "attachment.hpp"
#include "manifest_plugins.hpp"

namespace ancora {

/// The frames that bodies and the ground name, by "BODY.FRAME".
class FrameNames {
public:
    static constexpr int kGround = -1;  ///< instead of a body

    void add(int body, const std::string& body_name, BodyFrame frame);

    struct Named {
        int body;
        BodyFrame frame;
    };
    /// Null if there is none.
    const Named* find(const std::string& text) const;
    /// Of all, in their order.
    std::vector<std::string> names() const { return {order_.begin(), order_.end()}; }
    /// Of one body, in their order.
    std::vector<const Named*> of_body(int body) const;

private:
    std::map<std::string, Named, std::less<>> frames_;
    std::deque<std::string> order_;
};

/// A measure of a joint of the model.
struct MeasureRef {
    int constraint = -1;
    int index = 0;  ///< among the joint's measures
};

/// "arm", "arm.tip", "arm@[1, 0, 0]", "net@3", "ground": at the start of the model as it stands.
/// The texts in it live in `texts`.
FrameStart frame_start(const Model& model,
                       const std::string& text,
                       const Asker& asker,
                       std::deque<std::string>& texts);

/// "elbow.angle", or "elbow" for a joint of one measure or of one freedom: its first.
MeasureRef find_measure(const Model& model, const std::string& text, const Asker& asker);

/// The attachments that a measure is a function of.
std::vector<Attachment> attachments_of(const Model& model, const MeasureRef& ref);

MeasureStart measure_start(const Model& model, const MeasureRef& ref);

}  // namespace ancora
