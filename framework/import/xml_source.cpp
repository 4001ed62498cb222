// SPDX-License-Identifier: BSD-3-Clause
#include "xml_source.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "read_file.hpp"

namespace ancora::robot {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        if (is_blank(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && !is_blank(text[end])) ++end;
        words.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

std::string in_words(pugi::xml_node node) {
    const char* const name = node.attribute("name").value();
    return *name != '\0' ? fmt::format("<{} name=\"{}\">", node.name(), printable(name))
                         : fmt::format("<{}>", printable(node.name()));
}

pugi::xml_node XmlSource::load(const std::filesystem::path& path) {
    auto file = std::make_unique<File>();
    file->path = path;
    file->name = std::make_shared<const std::string>(path.string());
    file->text = read_file(path, "the description");
    file->lines.push_back(0);
    for (std::size_t at = 0; at < file->text.size(); ++at)
        if (file->text[at] == '\n') file->lines.push_back(at + 1);
    const pugi::xml_parse_result result =
        file->document.load_buffer(file->text.data(), file->text.size(), pugi::parse_default);
    const auto damaged = [&](const std::string& message, std::ptrdiff_t offset) {
        throw Error(ErrorKind::manifest,
                    message,
                    place_in(*file, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0))));
    };
    const std::size_t first = file->text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first != std::string::npos && file->text[first] != '<')
        damaged(
            "this is no XML, as URDF, MJCF and SDF are; shapes alone (STL, OBJ, glTF) are named in "
            "a "
            "manifest, shape = { mesh = \"part.stl\" }, and other formats of CAD are saved as one "
            "of "
            "these first",
            static_cast<std::ptrdiff_t>(first));
    if (!result)
        damaged(fmt::format("the file is not well-formed XML: {}", result.description()),
                result.offset);
    const pugi::xml_node root = file->document.document_element();
    if (!root) damaged("the file has no element", 0);
    files_.push_back(std::move(file));
    return root;
}

pugi::xml_node XmlSource::root_of(const std::filesystem::path& path) const {
    for (const auto& file : files_)
        if (file->path == path) return file->document.document_element();
    return {};
}

const XmlSource::File* XmlSource::file_of(pugi::xml_node node) const {
    const pugi::xml_node root = node.root();
    for (const auto& file : files_)
        if (file->document == root) return file.get();
    return nullptr;
}

Place XmlSource::place_in(const File& file, std::size_t offset) {
    const auto line = std::ranges::upper_bound(file.lines, offset) - 1;
    return {file.name,
            static_cast<int>(line - file.lines.begin()) + 1,
            static_cast<int>(offset - *line) + 1};
}

Place XmlSource::place(pugi::xml_node node) const {
    const File* const file = file_of(node);
    if (file == nullptr) return {};
    const std::ptrdiff_t offset = node.offset_debug();
    if (offset < 0) return {file->name, 0, 0};
    // The place is that of the tag's name; the bracket stands before it.
    return place_in(*file, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset - 1, 0)));
}

std::filesystem::path XmlSource::file(pugi::xml_node node) const {
    const File* const file = file_of(node);
    return file != nullptr ? file->path : std::filesystem::path();
}

void XmlSource::account(pugi::xml_node node, const TagRule& rule) const {
    const auto attributes = words_of(rule.attributes), children = words_of(rule.children),
               unused = words_of(rule.unused), silent = words_of(rule.silent);
    for (const pugi::xml_attribute attribute : node.attributes()) {
        const std::string name = attribute.name();
        if (contains(attributes, name) || contains(silent, name) || name.starts_with("xmlns"))
            continue;
        findings_.no_counterpart(place(node),
                                 fmt::format("{}: attribute \"{}\" is not known here{}",
                                             in_words(node),
                                             printable(name),
                                             did_you_mean(name, attributes)),
                                 "correct or delete it");
    }
    for (const pugi::xml_node child : node.children()) {
        if (child.type() != pugi::node_element) continue;
        const std::string name = child.name();
        if (contains(children, name) || contains(children, "*")) continue;
        if (contains(unused, name)) {
            findings_.note(fmt::format("<{}> has no part in the motion", name), place(child));
            continue;
        }
        if (name.starts_with("xacro:")) {
            findings_.damaged(place(child),
                              fmt::format("<{}>: this is a source for xacro; expand it first: "
                                          "xacro FILE > robot.urdf",
                                          printable(name)));
            continue;
        }
        findings_.no_counterpart(place(child),
                                 fmt::format("{} in {} is not known{}",
                                             in_words(child),
                                             in_words(node),
                                             did_you_mean(name, children)),
                                 "correct or delete it");
    }
}

void XmlSource::wrong(pugi::xml_node node,
                      const char* attribute,
                      const std::string& message) const {
    findings_.damaged(place(node),
                      attribute != nullptr
                          ? fmt::format("{}: {}: {}", in_words(node), attribute, message)
                          : fmt::format("{}: {}", in_words(node), message));
}

std::string XmlSource::required(pugi::xml_node node, const char* attribute) const {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found || *found.value() == '\0') {
        findings_.damaged(
            place(node),
            fmt::format("<{}>: the attribute \"{}\" is missing", node.name(), attribute));
        return {};
    }
    return found.value();
}

std::optional<std::vector<double>> XmlSource::numbers(pugi::xml_node node,
                                                      const char* attribute,
                                                      std::size_t count) const {
    if (!node) return std::nullopt;
    if (attribute != nullptr && !node.attribute(attribute)) return std::nullopt;
    const std::vector<std::string> words =
        words_of(attribute != nullptr ? node.attribute(attribute).value() : node.child_value());
    std::vector<double> out;
    for (const std::string& word : words) {
        const char* begin = word.data();
        const char* const end = begin + word.size();
        if (*begin == '+') ++begin;
        double number = 0.0;
        const auto [rest, error] = std::from_chars(begin, end, number);
        if (error != std::errc() || rest != end || !std::isfinite(number)) {
            wrong(node,
                  attribute,
                  fmt::format("\"{}\" is not a finite number{}",
                              printable(word),
                              word.starts_with("${") ? "; expand the file with xacro first" : ""));
            return std::nullopt;
        }
        out.push_back(number);
    }
    if (count > 0 && out.size() != count) {
        wrong(
            node,
            attribute,
            fmt::format("expected {} number{}, got {}", count, count == 1 ? "" : "s", out.size()));
        return std::nullopt;
    }
    return out;
}

double XmlSource::number(pugi::xml_node node, const char* attribute, double otherwise) const {
    return number(node, attribute).value_or(otherwise);
}

std::optional<double> XmlSource::number(pugi::xml_node node, const char* attribute) const {
    const auto found = numbers(node, attribute, 1);
    return found ? std::optional(found->front()) : std::nullopt;
}

Vec3 XmlSource::vector(pugi::xml_node node, const char* attribute, const Vec3& otherwise) const {
    const auto found = numbers(node, attribute, 3);
    return found ? Vec3((*found)[0], (*found)[1], (*found)[2]) : otherwise;
}

bool XmlSource::boolean(pugi::xml_node node, const char* attribute, bool otherwise) const {
    if (!node || (attribute != nullptr && !node.attribute(attribute))) return otherwise;
    const auto words =
        words_of(attribute != nullptr ? node.attribute(attribute).value() : node.child_value());
    const std::string text = words.empty() ? "" : words.front();
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    wrong(node, attribute, fmt::format("expected true or false, got \"{}\"", printable(text)));
    return otherwise;
}

std::string text_of(pugi::xml_node node) {
    constexpr const char* kBlanks = " \t\r\n";
    std::string out = node.child_value();
    out.erase(0, std::min(out.find_first_not_of(kBlanks), out.size()));
    out.erase(out.find_last_not_of(kBlanks) + 1);
    return out;
}

}  // namespace ancora::robot
