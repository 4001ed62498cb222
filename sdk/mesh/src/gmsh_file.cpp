// SPDX-License-Identifier: BSD-3-Clause
// Reads files of Gmsh, formats 4.1 and 2.2, as text and as bytes.
//
// Source: "MSH file format" and "Legacy formats", sections of the Gmsh Reference Manual,
// https://gmsh.info/doc/texinfo.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <set>

#include "ancora/mesh/gmsh.hpp"
#include "ancora/mesh/mesh.hpp"
#include "cursor.hpp"

namespace ancora::mesh {
namespace {

using DimTag = std::pair<int, std::int64_t>;  ///< dimension and number of an entity or group

/// Of Gmsh's types 1 to 31: dimension, nodes.
constexpr std::array<std::array<int, 2>, 32> kTypes = {
    {{0, 0},  {1, 2},  {2, 3},  {2, 4},  {3, 4}, {3, 8}, {3, 6},  {3, 5},  {1, 3},  {2, 6}, {2, 9},
     {3, 10}, {3, 27}, {3, 18}, {3, 14}, {0, 1}, {2, 8}, {3, 20}, {3, 15}, {3, 13}, {2, 9}, {2, 10},
     {2, 12}, {2, 15}, {2, 15}, {2, 21}, {1, 4}, {1, 5}, {1, 6},  {3, 20}, {3, 35}, {3, 56}}};

bool is_known(int type) {
    return type > 0 && type < static_cast<int>(kTypes.size());
}
int dimension_of(int type) {
    return is_known(type) ? kTypes[static_cast<std::size_t>(type)][0] : 3;
}
std::size_t num_nodes(int type) {
    return is_known(type) ? static_cast<std::size_t>(kTypes[static_cast<std::size_t>(type)][1]) : 0;
}

class FileReader {
public:
    FileReader(std::string_view file, const TakesGmshElements& takes) : in_(file), takes_(takes) {}

    GmshFile read() {
        read_format();
        try {
            read_sections();
        } catch (const MeshError& error) {
            // Bytes are on no line: the place is that of the format.
            if (!is_binary_) throw;
            throw MeshError(
                version_at_,
                std::string(error.what()) + ", at byte " + std::to_string(error.offset));
        }
        return std::move(out_);
    }

private:
    void read_format() {
        if (in_.word("$MeshFormat") != "$MeshFormat")
            in_.fail("a Gmsh mesh begins with \"$MeshFormat\"");
        const std::string version(in_.word("the version"));
        version_at_ = in_.offset();
        is_old_ = version == "2.2" || version == "2.1";
        if (!is_old_ && version != "4.1")
            in_.fail("this is version " + Cursor::shown(version) +
                     " of the format, but 4.1 or 2.2 is needed: save the mesh with "
                     "Mesh.MshFileVersion = 4.1");
        is_binary_ = in_.whole("the file type", 0, 1) == 1;
        const std::int64_t size = in_.whole("the size of numbers", 1);
        if (is_binary_) {
            if (size != 8)
                in_.fail("numbers have " + std::to_string(size) + " bytes, but 8 are needed");
            in_.line();
            const std::int32_t one = in_.raw<std::int32_t>("the number 1");
            if (one != 1 && one != 1 << 24) in_.fail("expected the number 1 as four bytes");
            in_.swap_bytes(one != 1);
        }
        if (in_.word("$EndMeshFormat") != "$EndMeshFormat") in_.fail("expected $EndMeshFormat");
    }

    void read_sections() {
        bool has_nodes = false, has_elements = false;
        while (!in_.at_end()) {
            const std::string section(in_.word("a section"));
            if (section.front() != '$')
                in_.fail("expected a section such as \"$Nodes\", found " + Cursor::shown(section));
            const std::string name = section.substr(1);
            const auto once = [&](bool& is_there) {
                if (is_there) in_.fail("there is a second " + section);
                is_there = true;
            };
            if (name == "PhysicalNames") {
                read_physical_names();
            } else if (name == "Entities" && !is_old_) {
                begin_bytes();
                read_entities();
            } else if (name == "Nodes") {
                once(has_nodes);
                if (is_old_)
                    read_old_nodes();
                else
                    read_nodes();
            } else if (name == "Elements") {
                if (!has_nodes) in_.fail("$Elements stands before $Nodes");
                once(has_elements);
                if (is_old_)
                    read_old_elements();
                else
                    read_elements();
            } else if (name == "PartitionedEntities") {
                in_.fail("the mesh is partitioned; save it as a whole");
            } else if (name == "ParametricNodes") {
                in_.fail("nodes carry parameters; save the mesh with Mesh.SaveParametric = 0");
            } else {
                if (!in_.skip_past("$End" + name)) in_.fail(section + " has no $End" + name);
                continue;
            }
            if (in_.word("$End" + name) != "$End" + name)
                in_.fail("expected \"$End" + name + "\"; a count above is too small");
        }
        if (!has_nodes || !has_elements)
            throw MeshError(0,
                            std::string("the file has no ") + (has_nodes ? "$Elements" : "$Nodes") +
                                "; it is cut short");
    }

    // --- numbers, as text or bytes

    /// What follows the line of a section's name is bytes.
    void begin_bytes() {
        if (is_binary_) in_.line();
    }
    std::int64_t whole(std::string_view what,
                       std::int64_t low,
                       std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
        return is_binary_ ? in_.raw_whole<std::int32_t>(what, low, high)
                          : in_.whole(what, low, high);
    }
    std::int64_t whole_on_line(std::string_view what,
                               std::int64_t low,
                               std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
        return is_binary_ ? in_.raw_whole<std::int32_t>(what, low, high)
                          : in_.whole_on_line(what, low, high);
    }
    /// Those that have eight bytes.
    std::int64_t long_whole(std::string_view what, std::int64_t low) {
        return is_binary_ ? in_.raw_whole<std::int64_t>(what, low) : in_.whole(what, low);
    }
    std::int64_t long_on_line(std::string_view what, std::int64_t low) {
        return is_binary_ ? in_.raw_whole<std::int64_t>(what, low) : in_.whole_on_line(what, low);
    }
    std::size_t count(std::string_view what) {
        return is_binary_ ? in_.raw_count(what) : in_.count(what);
    }
    double number(std::string_view what) {
        return is_binary_ ? in_.raw_number(what) : in_.number(what);
    }
    double number_on_line(std::string_view what) {
        return is_binary_ ? in_.raw_number(what) : in_.number_on_line(what);
    }
    void end_line(std::string_view after) {
        if (!is_binary_) in_.end_line(after);
    }

    // dimension, number, "name"; text in any file
    void read_physical_names() {
        const std::size_t n = in_.count("the number of names");
        for (std::size_t k = 0; k < n; ++k) {
            const int dim = static_cast<int>(in_.whole("a group's dimension", 0, 3));
            const std::int64_t tag = in_.whole_on_line("a group's number", 0);
            std::string_view name = in_.line();
            const std::size_t first = name.find('"'), last = name.rfind('"');
            if (first == last) in_.fail("expected a group's name in quotes");
            out_.names[{dim, tag}] = name.substr(first + 1, last - first - 1);
        }
    }

    void read_entities() {
        const std::array<std::size_t, 4> counts = {count("the number of points"),
                                                   count("the number of curves"),
                                                   count("the number of surfaces"),
                                                   count("the number of volumes")};
        for (int dim = 0; dim < 4; ++dim)
            for (std::size_t k = 0; k < counts[static_cast<std::size_t>(dim)]; ++k) {
                const std::int64_t tag = whole("an entity's number", 0);
                // A point's position, or the corners of a box
                for (int i = 0; i < (dim == 0 ? 3 : 6); ++i) number("an entity's extent");
                std::vector<std::string>& groups = groups_of_[{dim, tag}];
                const std::size_t num_groups = count("the number of an entity's groups");
                for (std::size_t g = 0; g < num_groups; ++g)
                    groups.push_back(group_name(dim, whole("a group's number", -kMostNodes)));
                if (dim == 0) continue;
                const std::size_t num_bounds = count("the number of an entity's bounds");
                for (std::size_t b = 0; b < num_bounds; ++b)
                    whole("an entity's bound", std::numeric_limits<std::int64_t>::min());
            }
    }

    // A minus tells the orientation.
    std::string group_name(int dim, std::int64_t tag) const {
        const auto named = out_.names.find({dim, std::abs(tag)});
        if (named != out_.names.end()) return named->second;
        constexpr std::array kinds = {"point_", "curve_", "surface_", "volume_"};
        return kinds[static_cast<std::size_t>(dim)] + std::to_string(std::abs(tag));
    }

    // Header of $Nodes and $Elements: blocks and what they hold together.
    std::pair<std::size_t, std::size_t> read_header(const std::string& what) {
        begin_bytes();
        const std::size_t blocks = count("the number of blocks");
        const std::size_t total = count("the number of " + what);
        total_place_ = in_.offset();
        long_whole("the smallest number", 0);
        long_whole("the largest number", 0);
        return {blocks, total};
    }

    void check_total(const std::string& what, std::size_t found, std::size_t total) const {
        if (found != total)
            throw MeshError(total_place_,
                            "the section announces " + std::to_string(total) + " " + what +
                                ", but its blocks hold " + std::to_string(found));
    }

    void read_nodes() {
        const auto [num_blocks, total] = read_header("nodes");
        std::vector<Place> places;
        for (std::size_t b = 0; b < num_blocks; ++b) {
            const auto dim = whole("a block's dimension", 0, 3);
            whole_on_line("a block's entity", 0);
            const bool is_parametric = whole_on_line("0 or 1", 0, 1) == 1;
            const std::size_t n = count("the number of nodes in a block");
            end_line("the head of a block of nodes");
            for (std::size_t k = 0; k < n; ++k) {
                out_.tags.push_back(long_whole("a node's number", 1));
                places.push_back({out_.tags.back(), in_.offset()});
                end_line("a node's number");
            }
            for (std::size_t k = 0; k < n; ++k) {
                read_position();
                for (int u = 0; is_parametric && u < dim; ++u) number_on_line("a node's parameter");
                end_line("a node's position");
            }
        }
        check_total("nodes", out_.tags.size(), total);
        sort_nodes(places);
    }

    void read_old_nodes() {
        const std::size_t n = in_.count("the number of nodes");
        begin_bytes();
        std::vector<Place> places;
        for (std::size_t k = 0; k < n; ++k) {
            out_.tags.push_back(whole("a node's number", 1));
            places.push_back({out_.tags.back(), in_.offset()});
            read_position(true);
            end_line("a node's position");
        }
        sort_nodes(places);
    }

    void read_position(bool is_on_line = false) {
        out_.x.push_back(is_on_line ? number_on_line("a node's x") : number("a node's x"));
        out_.x.push_back(number_on_line("a node's y"));
        out_.x.push_back(number_on_line("a node's z"));
    }

    using Place = std::pair<std::int64_t, std::size_t>;    ///< a node's tag, where it stands
    using Number = std::pair<std::int64_t, std::int32_t>;  ///< a node's tag and number from 0

    void sort_nodes(std::vector<Place>& places) {
        std::ranges::sort(places);
        const auto twice = std::ranges::adjacent_find(places, {}, &Place::first);
        if (twice != places.end())
            throw MeshError(twice[1].second,
                            "node " + std::to_string(twice->first) + " stands there twice");
        for (std::size_t i = 0; i < out_.tags.size(); ++i)
            numbers_.push_back({out_.tags[i], static_cast<std::int32_t>(i)});
        std::ranges::sort(numbers_);
    }

    std::int32_t number_of(std::int64_t tag) const {
        const auto at = std::ranges::lower_bound(numbers_, tag, {}, &Number::first);
        if (at == numbers_.end() || at->first != tag)
            in_.fail("there is no node " + std::to_string(tag) + " in $Nodes");
        return at->second;
    }

    bool takes(int dimension, int type) const {
        std::string refusal;
        const bool is_taken = takes_(dimension, type, refusal);
        if (!refusal.empty()) in_.fail(refusal);
        if (num_nodes(type) == 0 && (is_taken || is_binary_))
            in_.fail("elements of type " + std::to_string(type) + " are not known");
        return is_taken;
    }

    void read_elements() {
        const auto [num_blocks, total] = read_header("elements");
        std::size_t found = 0;
        for (std::size_t b = 0; b < num_blocks; ++b) {
            const int dim = static_cast<int>(whole("a block's dimension", 0, 3));
            const std::int64_t tag = whole_on_line("a block's entity", 0);
            const int type = static_cast<int>(whole_on_line("an element type", 1, 1000));
            const bool is_taken = takes(dim, type);
            const std::size_t n = count("the number of elements in a block");
            end_line("the head of a block of elements");
            GmshBlock block{dim, type, {}, num_nodes(type), {}, {}};
            if (const auto groups = groups_of_.find({dim, tag}); groups != groups_of_.end())
                block.groups = groups->second;
            for (std::size_t k = 0; k < n; ++k) {
                long_whole("an element's number", 0);
                block.offsets.push_back(in_.offset());
                if (!is_taken && !is_binary_) {
                    in_.line();
                    continue;
                }
                for (std::size_t i = 0; i < block.nodes_each; ++i) {
                    const std::int64_t node = long_on_line("a node's number", 0);
                    if (is_taken) block.nodes.push_back(number_of(node));
                }
                end_line("an element's nodes");
            }
            found += n;
            if (is_taken) out_.blocks.push_back(std::move(block));
        }
        check_total("elements", found, total);
    }

    // --- format 2.2

    /// An element as often as the file lists it.
    struct Listed {
        int type = 0;
        std::int64_t entity = 0;
        std::set<std::int64_t> groups;
        std::size_t first = 0, offset = 0;  ///< its nodes in nodes_, and in the file
    };

    void read_old_elements() {
        const std::size_t total = in_.count("the number of elements");
        begin_bytes();
        std::vector<Listed> listed;
        if (!is_binary_) {
            for (std::size_t k = 0; k < total; ++k) {
                in_.whole("an element's number", 0);
                const int type = static_cast<int>(in_.whole_on_line("an element type", 1, 1000));
                const bool is_taken = takes(dimension_of(type), type);
                const std::int64_t num_tags = in_.whole_on_line("the number of tags", 0, 1000);
                read_old_element(type, num_tags, is_taken, listed);
            }
        } else {
            std::size_t found = 0;
            while (found < total) {
                const int type = static_cast<int>(whole("an element type", 1, 1000));
                const bool is_taken = takes(dimension_of(type), type);
                const std::int64_t n = whole("the number of elements that follow", 1);
                const std::int64_t num_tags = whole("the number of tags", 0, 1000);
                for (std::int64_t k = 0; k < n; ++k, ++found) {
                    whole("an element's number", 0);
                    read_old_element(type, num_tags, is_taken, listed);
                }
            }
            if (found != total)
                in_.fail("the section announces " + std::to_string(total) +
                         " elements, but its blocks hold " + std::to_string(found));
        }
        unite(listed);
        for (const Listed& element : listed) {
            const bool is_like_last = &element != &listed.front() &&
                                      (&element)[-1].type == element.type &&
                                      (&element)[-1].groups == element.groups;
            if (!is_like_last) {
                const int dim = dimension_of(element.type);
                out_.blocks.push_back({dim, element.type, {}, num_nodes(element.type), {}, {}});
                for (const std::int64_t group : element.groups)
                    out_.blocks.back().groups.push_back(group_name(dim, group));
            }
            GmshBlock& block = out_.blocks.back();
            block.offsets.push_back(element.offset);
            const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(element.first);
            block.nodes.insert(
                block.nodes.end(), begin, begin + static_cast<std::ptrdiff_t>(block.nodes_each));
        }
    }

    // tags: a group, the entity, partitions
    void read_old_element(int type,
                          std::int64_t num_tags,
                          bool is_taken,
                          std::vector<Listed>& listed) {
        Listed element;
        element.type = type;
        for (std::int64_t i = 0; i < num_tags; ++i) {
            const std::int64_t tag =
                whole_on_line("a tag", std::numeric_limits<std::int64_t>::min());
            if (i == 0 && tag != 0 && std::abs(tag) <= kMostNodes)
                element.groups.insert(std::abs(tag));
            if (i == 1) element.entity = tag;
        }
        element.offset = in_.offset();
        element.first = nodes_.size();
        if (!is_taken && !is_binary_) {
            in_.line();
            return;
        }
        for (std::size_t i = 0; i < num_nodes(type); ++i) {
            const std::int64_t node = whole_on_line("a node's number", 0);
            if (i == 0) element.offset = in_.offset();
            if (is_taken) nodes_.push_back(number_of(node));
        }
        end_line("an element's nodes");
        if (is_taken) listed.push_back(std::move(element));
    }

    /// What stands there for several groups becomes one element.
    void unite(std::vector<Listed>& listed) const {
        std::map<std::pair<int, std::int64_t>, std::set<std::int64_t>> groups_of;
        for (const Listed& element : listed)
            groups_of[{element.type, element.entity}].insert(element.groups.begin(),
                                                             element.groups.end());
        std::map<std::vector<std::int32_t>, Listed*> known;
        std::size_t kept = 0;
        for (Listed& element : listed) {
            Listed* same = nullptr;
            if (groups_of[{element.type, element.entity}].size() > 1) {
                const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(element.first);
                std::vector<std::int32_t> key(
                    begin, begin + static_cast<std::ptrdiff_t>(num_nodes(element.type)));
                key.push_back(element.type);
                const auto [found, is_new] = known.try_emplace(std::move(key), &listed[kept]);
                if (!is_new) same = found->second;
            }
            // The same element twice in one group is a mistake, and is left for others to find.
            if (same != nullptr && !element.groups.empty() &&
                same->groups.insert(*element.groups.begin()).second)
                continue;
            if (&listed[kept] != &element) listed[kept] = std::move(element);
            ++kept;
        }
        listed.resize(kept);
    }

    Cursor in_;
    const TakesGmshElements& takes_;
    GmshFile out_;
    bool is_old_ = false, is_binary_ = false;
    std::size_t version_at_ = 0;
    std::map<DimTag, std::vector<std::string>> groups_of_;  ///< of entities
    std::vector<Number> numbers_;                           ///< by tag
    std::size_t total_place_ = 0;                           ///< of the header's number
    std::vector<std::int32_t> nodes_;                       ///< of listed elements
};

}  // namespace

GmshFile read_gmsh_file(std::string_view file, const TakesGmshElements& takes) {
    return FileReader(file, takes).read();
}

}  // namespace ancora::mesh
