// SPDX-License-Identifier: BSD-3-Clause
// The shapes of bodies that meet, and which pairs of them a contact is about.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors.hpp"

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
class ContactShapes {
public:
    /// @param model with its joints, and the places of all bodies
    ContactShapes(Model& model, const Manifest& manifest, const std::vector<Actor>& actors);

    /// @param storage  holds the parameters where they differ from those given
    const Table& with_shapes(const Actor& actor, const Table& parameters, Table& storage);

private:
    /// One shape of a body, or of the ground.
    struct Solid {
        int body;
        const SceneSolid* solid;
        std::string material;
    };
    /// A contact of many.
    struct Group {
        const Actor* actor = nullptr;
        std::vector<std::string> materials;
        std::vector<int> members;              ///< bodies, kGround
        std::vector<int> solids;               ///< of all, ascending
        std::vector<int> sides, matches;       ///< of each: 1 the first, 2 the second, 3 both
        std::vector<std::pair<int, int>> own;  ///< places among its solids
        std::vector<std::pair<int, int>> apart;
        std::set<std::string> joints, others;  ///< that leave pairs out
        long num_joined = 0, num_others = 0;
        bool has_planes = false;
    };
    using Pair = std::pair<int, int>;
    static constexpr int kGround = -1;
    static Pair pair_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

    void read_solids();
    void read_joints();
    void read_pairs();
    Group read_group(const Actor& actor) const;
    std::vector<int> bodies_of(const Actor& actor, const char* key) const;
    void share_pairs();
    void warn_of_materials();
    void note(const Group& group);
    std::string name_of(int body) const;
    int body_of(const Actor& actor, const char* key) const;
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
    std::map<Pair, std::string> named_;   ///< bodies that a contact of two is about
    std::vector<Group> groups_;
};

}  // namespace ancora
