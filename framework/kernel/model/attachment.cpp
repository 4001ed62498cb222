// SPDX-License-Identifier: BSD-3-Clause
// Attachments: "NAME@LOCATOR" read and resolved, and evaluated.
#include "attachment.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "ancora/framework/value.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "model.hpp"
#include "near_points.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

/// Splits "name@rest"; both parts trimmed.
bool split_attachment(const std::string& text, std::string& name, std::string& rest) {
    const std::size_t at = text.find('@');
    if (at == std::string::npos) return false;
    const auto trim = [](std::string part) {
        const auto is_space = [](unsigned char c) {
            return std::isspace(c) != 0;
        };
        part.erase(part.begin(), std::find_if_not(part.begin(), part.end(), is_space));
        part.erase(std::find_if_not(part.rbegin(), part.rend(), is_space).base(), part.end());
        return part;
    };
    name = trim(text.substr(0, at));
    rest = trim(text.substr(at + 1));
    return !name.empty() && !rest.empty();
}

/// Reads what stands behind the '@'; false if it is none of the three forms.
bool read_locator(const std::string& text, Locator& out) {
    if (text.front() == '[') {
        const Value value = parse_value(text);
        const Array* array = value.as<Array>();
        if (array == nullptr || array->size() != 3) return false;
        for (std::size_t i = 0; i < 3; ++i) {
            if (const auto* x = (*array)[i].as<double>())
                out.xyz[i] = *x;
            else if (const auto* k = (*array)[i].as<std::int64_t>())
                out.xyz[i] = static_cast<double>(*k);
            else
                return false;
            if (!std::isfinite(out.xyz[i])) return false;
        }
        out.kind = Locator::Kind::coordinates;
        return true;
    }
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out.index);
    if (error == std::errc() && stop == end) {
        out.kind = Locator::Kind::index;
        return out.index >= 0;
    }
    const auto is_word = [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '-';
    };
    out.kind = Locator::Kind::name;
    out.name = text;
    return std::all_of(text.begin(), text.end(), is_word) &&
           std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

/// What to write where names or expressions stand among the coordinates: "[L, 0, 0]".
std::string with_braces(const std::string& body, const std::string& locator) {
    if (locator.front() != '[' || locator.back() != ']' ||
        locator.find_first_of("\"'{}") != std::string::npos)
        return {};
    std::string entries;
    int count = 0;
    bool has_expression = false;
    std::size_t begin = 1;
    int depth = 0;
    for (std::size_t at = 1; at < locator.size(); ++at) {
        const char c = locator[at];
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || (c == ']' && at + 1 < locator.size())) --depth;
        if (depth > 0 || (c != ',' && at + 1 < locator.size())) continue;
        std::string entry = locator.substr(begin, at - begin);
        entry.erase(0, entry.find_first_not_of(" \t"));
        entry.erase(entry.find_last_not_of(" \t") + 1);
        if (entry.empty() || entry.find_first_of("[]") != std::string::npos) return {};
        const Value value = parse_value(entry);
        const bool is_number = value.as<double>() != nullptr || value.as<std::int64_t>() != nullptr;
        has_expression |= !is_number;
        entries += (count++ > 0 ? ", " : "") + (is_number ? entry : "${" + entry + "}");
        begin = at + 1;
    }
    if (count != 3 || !has_expression) return {};
    return fmt::format(
        "values of [parameters] and expressions stand in braces in a text: \"{}@[{}]\"; else ",
        body,
        entries);
}

/// Lets the body of an attachment say what its locator refers to. Returns why there is no such
/// point, in the body's words.
std::optional<std::string> attach_to_body(const Model& model,
                                          const Locator& where,
                                          Attachment& out) {
    const BodyPart& part = model.bodies[out.body];
    out.locator = locator_text(where);
    calls::AttachmentTerms said;
    if (std::optional<std::string> why_not = part.attach(where, said)) return why_not;
    for (const auto& [component, coordinate, weight] : said.terms)
        if (weight != 0.0) out.terms.push_back({component, part.first + coordinate, weight});
    for (const auto& [component, value] : said.constants) out.constant[component] = value;
    out.is_nonlinear = said.is_nonlinear;
    out.id = said.id;
    for (const int coordinate : said.coordinates)
        out.coordinates.push_back(part.first + coordinate);
    return {};
}

/// What "NODE@[x, y, z]" behind "BODY@" says.
struct InNode {
    int body = -1;
    Locator node;   ///< by its number
    Locator local;  ///< a direction in its axes, of any length
};

/// Reads that, with a node's name resolved to its number.
InNode read_in_node(const Model& model,
                    const std::string& text,
                    const std::string& body_name,
                    const std::string& node,
                    const std::string& local,
                    const Asker& asker) {
    InNode out;
    Locator xyz;
    if (!read_locator(node, out.node) || out.node.kind == Locator::Kind::coordinates ||
        !read_locator(local, xyz) || xyz.kind != Locator::Kind::coordinates)
        throw asker.error(fmt::format(
            "\"{}\" is not an attachment; what is given in the axes of a node is written "
            "\"BODY@NODE@[x, y, z]\"",
            text));
    out.body = model.body_index(body_name, asker);
    if (out.node.kind == Locator::Kind::name) {
        std::span<const std::int32_t> points;
        if (const auto why_not = model.bodies[out.body].group(node, points))
            throw asker.error(fmt::format("\"{}\": {}", text, *why_not));
        if (points.size() != 1)
            throw asker.error(
                fmt::format("\"{}\": group \"{}\" has {} nodes; axes are those of one",
                            text,
                            node,
                            points.size()));
        out.node = {};
        out.node.kind = Locator::Kind::index;
        out.node.index = points[0];
    }
    out.local = out.node;
    out.local.is_direction = true;
    out.local.xyz = xyz.xyz;
    return out;
}

/// The point or direction that it says.
Attachment attach_in_node(const Model& model,
                          const InNode& where,
                          const std::string& text,
                          const Asker& asker,
                          bool is_direction) {
    const double length = vec3(where.local.xyz).norm();
    Attachment out;
    out.is_point = !is_direction;
    out.is_direction = is_direction;
    out.text = text;
    out.body = where.body;
    const auto ask = [&](const Locator& locator, Attachment& of) {
        if (const auto why_not = attach_to_body(model, locator, of))
            throw asker.error(fmt::format("\"{}\": {}", text, *why_not));
        if (of.is_nonlinear)
            throw asker.error(fmt::format(
                "\"{}\": the node is no linear function of the body's coordinates, so that "
                "nothing is given in its axes",
                text));
    };
    if (is_direction) {
        Locator unit = where.local;
        if (!(length > 0.0))
            throw asker.error(fmt::format("\"{}\": the direction [0, 0, 0] points nowhere", text));
        for (double& x : unit.xyz) x /= length;
        ask(unit, out);
        return out;
    }
    ask(where.node, out);
    if (!(length > 0.0)) return out;
    Attachment offset;
    offset.body = where.body;
    ask(where.local, offset);
    out.terms.insert(out.terms.end(), offset.terms.begin(), offset.terms.end());
    for (std::size_t k = 0; k < 3; ++k) out.constant[k] += offset.constant[k];
    return out;
}

/// Coordinates that a body knows by name. It is asked for the short names and letters that people
/// use, since it answers but does not list.
std::string own_coordinates(const BodyPart& part) {
    std::vector<std::string> known;
    const auto ask = [&](const std::string& name) {
        const int found = part.find_coordinate(name);
        if (found >= 0 && found < part.count) known.push_back('"' + name + '"');
    };
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view kSecond = "0123456789abcdefghijklmnopqrstuvwxyz";
    for (const char c : kLetters)
        if (std::string name(1, c); name != "x" && name != "y" && name != "z") ask(name);
    for (const char c : kLetters)
        for (const char d : kSecond) ask({c, d});
    for (const char* const name :
         {"angle", "length", "alpha", "beta", "gamma", "theta", "phi", "psi"})
        ask(name);
    if (known.empty()) return {};
    constexpr std::size_t kMost = 20;
    const bool are_more = known.size() > kMost;
    known.resize(std::min(known.size(), kMost));
    return fmt::format(
        ", and it calls others {}{}", fmt::join(known, ", "), are_more ? ", ..." : "");
}

/// Whether a name alone is a point: of the ground, or of a body with a reference point.
bool has_reference_point(const Model& model, const std::string& name) {
    if (name == "ground") return true;
    Attachment point;
    point.body = model.body_names.find(name);
    Locator where;
    where.kind = Locator::Kind::coordinates;
    return point.body >= 0 && !attach_to_body(model, where, point);
}

/// The names of frames that may have been meant by "arm.tpi", and of those there are.
std::string frames_near(const Model& model, const std::string& text) {
    std::vector<std::string> names = model.frames.names();
    return names.empty() ? "" : hint(text, names, "frames");
}

/// Of "BODY.NAME" where there is the body and none of its frames has that name.
void refuse_missing_frame(const Model& model, const std::string& text, const Asker& asker) {
    const std::size_t dot = text.find('.');
    const std::string body = text.substr(0, dot), name = text.substr(dot + 1);
    if (model.body_names.find(body) < 0 ||
        point_or_frame_near(model, text).find('@') != std::string::npos)
        return;
    throw asker.error(fmt::format(
        "body \"{0}\" has no frame \"{1}\"{2}; name one with [[body.frame]], or write a point: "
        "\"{0}@[x, y, z]\"",
        body,
        name,
        frames_near(model, text)));
}

}  // namespace

std::string point_or_frame_near(const Model& model, const std::string& text) {
    const std::size_t dot = text.rfind('.');
    const int body = dot == std::string::npos ? -1 : model.body_names.find(text.substr(0, dot));
    const std::string rest = body < 0 ? "" : text.substr(dot + 1);
    Locator where;  // which shows the text
    if (!rest.empty() && read_locator(rest, where)) {
        Attachment point;
        point.body = body;
        if (!attach_to_body(model, where, point))
            return fmt::format("; did you mean \"{}@{}\"?", text.substr(0, dot), rest);
    }
    return frames_near(model, text);
}

Error Asker::error(const std::string& message) const {
    std::string text = label.empty() ? "" : label + ": ";
    if (!key.empty()) text += key + ": ";
    text += message;
    if (!where.empty()) text += ", " + where;
    return Error(ErrorKind::manifest, text, place);
}

void evaluate_attachment(const std::vector<BodyPart>& bodies,
                         const Attachment& at,
                         const double* q,
                         const double* v,
                         double* r,
                         double* rate) {
    if (!at.is_nonlinear) {
        at.map(q, true, r);
        if (v != nullptr) at.map(v, false, rate);
        return;
    }
    const BodyPart& part = bodies[at.body];
    const auto count = static_cast<std::size_t>(part.count);
    const std::size_t width = at.coordinates.size();
    std::vector<double> J(3 * width);
    const std::span<const double> own(q + part.first, count);
    part.evaluate_attachment(
        nullptr, nullptr, {at.id, at.locator, at.text}, own, {}, {{r, 3}, J, {}});
    for (std::size_t c = 0; v != nullptr && c < 3; ++c) {
        rate[c] = 0.0;
        for (std::size_t j = 0; j < width; ++j) rate[c] += J[c * width + j] * v[at.coordinates[j]];
    }
}

Attachment attach(const Model& model,
                  const std::string& text,
                  const Asker& asker,
                  bool is_direction) {
    Attachment out;
    out.is_point = !is_direction;
    out.is_direction = is_direction;
    out.text = text;
    if (const FrameNames::Named* const named = model.frames.find(text)) {
        const std::string& owner = named->body == FrameNames::kGround
                                       ? std::string("ground")
                                       : model.bodies[named->body].object.name;
        const std::array<double, 9>& R = named->frame.axes;
        const std::array<double, 3> z{R[2], R[5], R[8]};
        Attachment at =
            attach(model,
                   attachment_text(owner, vec3(is_direction ? z : named->frame.position)),
                   asker,
                   is_direction);
        at.text = text;
        return at;
    }
    std::string body_name;
    std::string rest;
    Locator where;
    where.is_direction = is_direction;
    const bool is_split = split_attachment(text, body_name, rest);
    std::string node, local;
    if (is_split && body_name != "ground" && split_attachment(rest, node, local))
        return attach_in_node(model,
                              read_in_node(model, text, body_name, node, local, asker),
                              text,
                              asker,
                              is_direction);
    if (!is_split && !is_direction && has_reference_point(model, text))
        return attach(model, text + "@[0, 0, 0]", asker, false);
    if (!is_split && text.find('.') != std::string::npos) refuse_missing_frame(model, text, asker);
    if (!is_split || !read_locator(rest, where))
        throw asker.error(fmt::format(
            "\"{}\" is not an attachment; {}{}write \"BODY@[x, y, z]\" for a material {}, "
            "\"BODY@3\" for a node, \"BODY.FRAME\" for a frame that it names, or "
            "\"ground@[x, y, z]\"{}",
            text,
            is_split ? with_braces(body_name, rest) : "",
            !is_direction && model.body_names.find(text) >= 0
                ? fmt::format("the body has no reference point, as \"{}@0\" is one; ", text)
                : "",
            is_direction ? "direction" : "point",
            is_split || is_direction ? frames_near(model, text)
                                     : point_or_frame_near(model, text)));
    if (body_name == "ground") {
        if (where.kind != Locator::Kind::coordinates)
            throw asker.error(
                fmt::format("\"{}\": a point of the ground is written \"ground@[x, y, z]\"", text));
        out.constant = where.xyz;
        if (!is_direction) return out;
        const double length = vec3(where.xyz).norm();
        if (!(length > 0.0))
            throw asker.error(fmt::format("\"{}\": the direction [0, 0, 0] points nowhere", text));
        for (double& x : out.constant) x /= length;
        return out;
    }
    if (is_direction && where.kind == Locator::Kind::coordinates) {
        const double length = vec3(where.xyz).norm();
        if (length > 0.0)
            for (double& x : where.xyz) x /= length;
    }
    out.body = model.body_index(body_name, asker);
    if (const auto why_not = attach_to_body(model, where, out))
        throw asker.error(fmt::format("\"{}\": {}", text, *why_not));
    return out;
}

void attach_points(const Model& model,
                   const std::string& text,
                   const Asker& asker,
                   std::vector<Attachment>& to) {
    std::string body_name;
    std::string group;
    const bool is_split = split_attachment(text, body_name, group);
    Locator where;
    const bool is_group =
        is_split && body_name != "ground" &&
        (group == "*" || (read_locator(group, where) && where.kind == Locator::Kind::name));
    if (!is_group) {
        to.push_back(attach(model, text, asker, false));
        return;
    }
    const int body = model.body_index(body_name, asker);
    const BodyPart& part = model.bodies[body];
    std::span<const std::int32_t> points;
    const std::optional<std::string> why_no_group = part.group(group, points);
    if (why_no_group) {
        std::string said = fmt::format("\"{}\": {}", text, *why_no_group);
        if (group == "*") throw asker.error(said);
        // A single point may have a name too.
        Attachment point;
        point.text = text;
        point.body = body;
        const auto why_no_point = attach_to_body(model, where, point);
        if (!why_no_point) {
            to.push_back(std::move(point));
            return;
        }
        if (*why_no_point != *why_no_group) said += "; as the name of a point: " + *why_no_point;
        throw asker.error(said);
    }
    to.reserve(to.size() + points.size());
    for (const std::int32_t index : points)
        to.push_back(attach(model, fmt::format("{}@{}", body_name, index), asker, false));
}

Attachment attach_coordinate(const Model& model, const std::string& text, const Asker& asker) {
    const std::size_t dot = text.rfind('.');
    const std::string object = text.substr(0, dot);
    const std::string component_name = dot == std::string::npos ? "" : text.substr(dot + 1);
    const bool names_point = object.find('@') != std::string::npos;
    const int body = model.body_index(object.substr(0, object.find('@')), asker);
    const BodyPart& part = model.bodies[body];
    Attachment out;
    out.is_point = false;
    out.body = body;
    out.text = text;
    if (component_name == "x" || component_name == "y" || component_name == "z") {
        const int component = component_name[0] - 'x';
        Attachment point =
            attach(model, names_point ? object : object + "@[0, 0, 0]", asker, false);
        if (point.is_nonlinear) {
            point.is_point = false;
            point.text = text;
            point.component = component;
            return point;
        }
        out.constant[0] = point.constant[component];
        for (const Attachment::Term& term : point.terms)
            if (term.component == component) out.terms.push_back({0, term.coordinate, term.weight});
        return out;
    }
    const int coordinate = names_point ? -1 : part.find_coordinate(component_name);
    if (coordinate < 0 || coordinate >= part.count)
        throw asker.error(fmt::format(
            "{} (type {}) has no coordinate \"{}\"; \"x\", \"y\" and \"z\" are those of its {}{}",
            part.object.label,
            part.object.type->name,
            component_name,
            names_point ? "points" : "reference point",
            names_point ? "" : own_coordinates(part)));
    out.terms.push_back({0, part.first + coordinate, 1.0});
    return out;
}

}  // namespace ancora
