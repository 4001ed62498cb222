// SPDX-License-Identifier: BSD-3-Clause
// The shapes of bodies that meet, and which pairs of them a contact is about.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors.hpp"
#include "attachment.hpp"

namespace ancora {

/// Whether a type is a contact: it has frames `a` and `b` with tables `shape` and `shape_b`, and
/// the parameters `bodies`, `solids` and `apart` for many.
bool takes_shapes(const TypeDescriptor& type);

/// Puts shapes of bodies into the parameters of contacts:
///
/// - of a contact of two, `shape` and `shape_b` where the manifest names a body and nothing of its
///   shape: what the body's own key `shape` says, or the solid that it is drawn as;
/// - of a contact of many, `solids`, all shapes of its bodies, and `apart`, the pairs of them that
///   are not its own: those of bodies that a joint joins, and those that another contact names more
///   particularly: as `a` and `b`, or by their materials.
///
/// Of bodies without a shape, such as nets and films, a contact of many takes points, "sail@rim",
/// and all where it names the body alone, but for those that are tied to what they would meet.
class ContactShapes {
public:
    /// @param model with its joints, and the places of all bodies
    ContactShapes(Model& model, const Manifest& manifest, const std::vector<Actor>& actors);

    /// @param storage  holds the parameters where they differ from those given
    const Table& with_shapes(const Actor& actor, const Table& parameters, Table& storage);

private:
    /// One shape of a body, or of the ground, or a point of a body without one.
    struct Solid {
        int body;
        const SceneSolid* solid;  ///< null: a point
        std::string material;
        std::string point;  ///< as the text of an attachment
    };
    /// What meets: a body with all its shapes, or a point of one.
    struct End {
        int body;
        std::string point;
        auto operator<=>(const End&) const = default;
    };
    /// Bodies and places of points among all solids, ascending.
    struct Selection {
        std::vector<int> bodies, points;
        bool has(int place, const Solid& solid) const;
    };
    /// A contact of many.
    struct Group {
        const Actor* actor = nullptr;
        std::vector<std::string> materials;
        std::vector<int> members;              ///< bodies, kGround
        std::vector<int> solids;               ///< of all, ascending
        std::vector<std::string> names;        ///< of bodies and points
        std::vector<int> name_of;              ///< each solid's among these
        std::vector<int> sides, matches;       ///< of each: 1 the first, 2 the second, 3 both
        std::vector<std::pair<int, int>> own;  ///< places among its solids
        std::vector<std::pair<int, int>> apart;
        std::set<std::string> joints, others;  ///< that leave pairs out
        long num_joined = 0, num_others = 0, num_points = 0;
        bool has_planes = false;
    };
    using Pair = std::pair<int, int>;
    static constexpr int kGround = -1;
    static Pair pair_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }
    static std::pair<End, End> pair_of(const End& a, const End& b) {
        return {std::min(a, b), std::max(a, b)};
    }

    void read_solids();
    void read_joints();
    void read_pairs();
    void read_ties();
    Group read_group(const Actor& actor);
    Selection select(const Actor& actor, const char* key);
    bool has_shape(int body) const;
    void add_points(int body,
                    const std::string& text,
                    const Actor& actor,
                    const char* key,
                    const Place& place,
                    Selection& to);
    std::vector<std::string> points_of(const std::string& text, const Asker& asker) const;
    const std::string* joint_of(const Solid& a, const Solid& b) const;
    void share_pairs();
    void warn_of_materials();
    void note(const Group& group);
    std::string name_of(int body) const;
    int body_of(const Actor& actor, const char* key) const;
    End end_of(const Actor& actor, const char* key) const;
    const Table& with_solids(const Group& group, const Table& parameters, Table& storage) const;
    std::vector<std::array<double, 3>> scaled_points(const MeshShape& mesh) const;
    void add_own_shape(const Actor& actor,
                       const char* key,
                       const char* shape,
                       const char* radius,
                       const Table& parameters,
                       Table& storage) const;

    Model& model_;
    const Manifest& manifest_;
    const std::vector<Actor>& actors_;
    std::deque<SceneSolid> drawn_;  ///< that bodies draw of themselves, such as a box of their size
    std::vector<Solid> solids_;
    std::map<Pair, std::string> joined_;  ///< bodies, with the joint
    /// What a contact of two is about, and points that another constraint ties.
    std::map<std::pair<End, End>, std::string> named_, tied_;
    std::vector<Group> groups_;
};

}  // namespace ancora
