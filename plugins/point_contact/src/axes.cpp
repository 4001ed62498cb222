// SPDX-License-Identifier: BSD-3-Clause
// Reads a direction and completes it to axes.
#include "axes.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include <Eigen/Geometry>

namespace ancora::point_contact {
namespace {

constexpr std::string_view kSpace = " \t\n\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Reads "NAME@[x, y, z]"; false if it has another form.
bool read_carried(std::string_view text, std::string& name, Vec3& direction) {
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos) return false;
    name = trimmed(text.substr(0, at));
    std::string_view rest = trimmed(text.substr(at + 1));
    if (name.empty() || !rest.starts_with('[') || !rest.ends_with(']')) return false;
    rest = rest.substr(1, rest.size() - 2);
    for (int k = 0; k < 3; ++k) {
        const std::size_t comma = rest.find(',');
        if ((comma == std::string_view::npos) != (k == 2)) return false;
        std::string_view number = trimmed(rest.substr(0, comma));
        if (number.starts_with('+')) number.remove_prefix(1);
        const char* const end = number.data() + number.size();
        const auto [stop, error] = std::from_chars(number.data(), end, direction(k));
        if (error != std::errc() || stop != end || !std::isfinite(direction(k))) return false;
        if (k < 2) rest.remove_prefix(comma + 1);
    }
    return true;
}

// The shortest text that reads back as the same double, whatever the locale.
std::string carried_text(const std::string& name, const Vec3& direction) {
    std::string out = name + "@[";
    for (int k = 0; k < 3; ++k) {
        std::array<char, 32> digits;
        const auto end = std::to_chars(digits.begin(), digits.end(), direction(k)).ptr;
        if (k > 0) out += ", ";
        out.append(digits.begin(), end);
    }
    return out + "]";
}

}  // namespace

Axes::Axes(const Arguments& arguments, const char* origin, const char* key)
    : attachments_{{{"point"}, {origin}}} {
    if (arguments.shape(key) == Shape::vector) {
        n_ = vec3(arguments.numbers(key));
    } else {
        const std::string text(arguments.text(key));
        if (!read_carried(text, body_, n_))
            arguments.fail(key,
                           "\"" + text +
                               "\" does not give components, from which the directions "
                               "perpendicular to it are found; write \"BODY@[x, y, z]\", or "
                               "[x, y, z] for a direction fixed in space");
        if (body_ == "ground") body_.clear();
    }
    const double length = n_.stableNorm();
    if (!(length > 0.0)) arguments.fail(key, "the direction [0, 0, 0] points nowhere");
    n_ /= length;

    // t2: of the two axes that follow the largest component of n, the more perpendicular one
    Eigen::Index largest = 0;
    n_.cwiseAbs().maxCoeff(&largest);
    const Eigen::Index next = (largest + 1) % 3;
    const Eigen::Index after = (largest + 2) % 3;
    const Eigen::Index axis = std::abs(n_(next)) < std::abs(n_(after)) ? next : after;
    t2_ = (Vec3::Unit(axis) - n_(axis) * n_).normalized();
    t1_ = t2_.cross(n_);

    if (on_ground()) return;
    texts_ = {carried_text(body_, t1_), carried_text(body_, t2_)};
    using Kind = AttachmentRequest::Kind;
    attachments_[2] = {key};
    for (std::size_t k = 0; k < 2; ++k)
        attachments_[3 + k] = {.kind = Kind::direction, .text = texts_[k].c_str(), .key = key};
}

}  // namespace ancora::point_contact
