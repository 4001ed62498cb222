// SPDX-License-Identifier: BSD-3-Clause
// Attachments that an object makes from several parameters and asks for by text.
#pragma once

#include <array>
#include <charconv>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora {

/// "BODY@[x, y, z]" with the shortest digits that read back as the same doubles, whatever the
/// locale.
inline std::string attachment_text(std::string_view body, const Vec3& x) {
    std::string out(body);
    const char* before = "@[";
    for (const double component : x) {
        std::array<char, 32> digits;
        const auto end = std::to_chars(digits.begin(), digits.end(), component).ptr;
        out += before;
        out.append(digits.begin(), end);
        before = ", ";
    }
    return out + "]";
}

/// Requests and the texts that they point to, which stay where they are.
class AttachmentTexts {
public:
    AttachmentTexts() = default;
    AttachmentTexts(const AttachmentTexts&) = delete;
    AttachmentTexts& operator=(const AttachmentTexts&) = delete;

    /// [assembly]
    /// @param key  parameter that the text comes from, for the place of messages
    void add(AttachmentRequest::Kind kind, std::string_view text, const char* key) {
        requests_.push_back({.kind = kind, .text = texts_.emplace_back(text).c_str(), .key = key});
    }
    /// [assembly] One whose texts live elsewhere.
    void add(const AttachmentRequest& request) { requests_.push_back(request); }
    /// For attachments().
    std::span<const AttachmentRequest> list() const { return requests_; }

private:
    std::list<std::string> texts_;
    std::vector<AttachmentRequest> requests_;
};

}  // namespace ancora
