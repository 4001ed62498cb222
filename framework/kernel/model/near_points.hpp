// SPDX-License-Identifier: BSD-3-Clause
// What a text may have meant that names no point and no frame.
#pragma once

#include <string>

namespace ancora {

class Model;

/// `; did you mean "link@to"?` behind a text "link.to" that is no frame, or the nearest frames.
std::string point_or_frame_near(const Model& model, const std::string& text);

}  // namespace ancora
