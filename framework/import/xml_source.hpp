// SPDX-License-Identifier: BSD-3-Clause
// XML with places: elements whose tags, attributes and numbers are accounted for.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "ancora/framework/error.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "findings.hpp"

namespace ancora::robot {

/// Words that may stand in an element, separated by blanks. A trailing `*` in a list of children
/// stands for any.
struct TagRule {
    const char* attributes = "";
    const char* children = "";
    /// Children that have no part in the motion: a note reports it.
    const char* unused = "";
    /// Likewise attributes, without a note.
    const char* silent = "";
};

/// Files of one description: the one that was named and those that it includes.
class XmlSource {
public:
    explicit XmlSource(Findings& findings) : findings_(findings) {}
    XmlSource(const XmlSource&) = delete;
    XmlSource& operator=(const XmlSource&) = delete;

    /// The first element of a file.
    /// @throws Error (file) if it cannot be read, (manifest) if it is not XML
    pugi::xml_node load(const std::filesystem::path& file);

    /// That of a file which has been loaded.
    pugi::xml_node root_of(const std::filesystem::path& file) const;

    Place place(pugi::xml_node node) const;
    /// The file that an element stands in.
    std::filesystem::path file(pugi::xml_node node) const;

    Findings& findings() const { return findings_; }

    /// Refuses attributes and children that the rule does not name.
    void account(pugi::xml_node node, const TagRule& rule) const;
    /// Says that `attribute` of an element is wrong.
    void wrong(pugi::xml_node node, const char* attribute, const std::string& message) const;

    /// An attribute that must be there; empty after a mistake.
    std::string required(pugi::xml_node node, const char* attribute) const;
    /// Numbers of an attribute or, without a name, of the element's text. `count` of them; 0: any.
    /// Nothing if it is not there, or after a mistake.
    std::optional<std::vector<double>> numbers(pugi::xml_node node,
                                               const char* attribute,
                                               std::size_t count) const;
    double number(pugi::xml_node node, const char* attribute, double otherwise) const;
    std::optional<double> number(pugi::xml_node node, const char* attribute) const;
    Vec3 vector(pugi::xml_node node, const char* attribute, const Vec3& otherwise) const;
    bool boolean(pugi::xml_node node, const char* attribute, bool otherwise) const;

private:
    struct File {
        std::filesystem::path path;
        std::shared_ptr<const std::string> name;
        std::string text;
        std::vector<std::size_t> lines;  ///< where they begin
        pugi::xml_document document;
    };
    const File* file_of(pugi::xml_node node) const;
    static Place place_in(const File& file, std::size_t offset);

    Findings& findings_;
    std::vector<std::unique_ptr<File>> files_;
};

/// "<joint name="elbow">", for messages.
std::string in_words(pugi::xml_node node);

/// An element's text, without blanks at its ends.
std::string text_of(pugi::xml_node node);

/// The words of a text.
std::vector<std::string> words_of(std::string_view text);

}  // namespace ancora::robot
