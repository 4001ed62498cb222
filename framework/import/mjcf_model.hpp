// SPDX-License-Identifier: BSD-3-Clause
// The reader of an MJCF file; its parts stand in files of their own.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "findings.hpp"
#include "mjcf_defaults.hpp"
#include "robot.hpp"
#include "xml_source.hpp"

namespace ancora::robot {

/// What MuJoCo's compiler makes of a file, as far as bodies can have it.
class MjcfReader {
public:
    MjcfReader(pugi::xml_node root, XmlSource& source)
        : root_(root), source_(source), findings_(source.findings()), defaults_(root, source) {}

    Robot read();

private:
    static constexpr int kNone = -2;  ///< no joint, link or tendon of a name

    std::vector<pugi::xml_node> sections(std::string_view name);

    // --- settings

    void read_compiler(pugi::xml_node node);
    void read_option(pugi::xml_node node);

    // --- poses

    double angle(double x) const { return in_degrees_ ? x * std::numbers::pi / 180.0 : x; }
    std::optional<Mat3> euler(pugi::xml_node node, double factor = 1.0) const;
    Mat3 quaternion(pugi::xml_node node, const char* attribute, std::span<const double> q) const;
    Mat3 orientation(pugi::xml_node node) const;
    /// The shortest turn of z to a direction.
    static Mat3 along(const Vec3& z);
    Pose pose(pugi::xml_node node) const;

    // --- meshes

    struct Mesh {
        std::filesystem::path file;
        int own = -1;  ///< of Robot::meshes, where the description holds the triangles
        Vec3 scale = Vec3::Ones();
        Pose reference;
        std::string mass_by;               ///< how MuJoCo weighs it: "convex", "shell"
        std::optional<Inertial> inertial;  ///< of density 1, as the file lies
    };

    void read_assets(pugi::xml_node node);
    void read_mesh(pugi::xml_node node);
    /// Triangles in the description itself, or the hull of its points.
    std::optional<TriangleMesh> own_triangles(pugi::xml_node node) const;
    /// As seen by a geom: the reference of the asset is where the file's origin is taken to be.
    std::optional<Inertial> inertial_of(pugi::xml_node geom, Mesh& mesh);
    std::optional<Inertial> mesh_geom(pugi::xml_node node, Shape& shape);

    // --- bodies

    /// What stands in a body, also by frames in it and as often as it is replicated.
    struct Item {
        pugi::xml_node node;
        Pose in_body;
        std::string surrounding;  ///< class
        std::string suffix = {};  ///< of its names

        std::string name() const { return node.attribute("name").value() + suffix; }
    };

    /// All in an element. `place` has its frame in the body, its class, and what follows names.
    void collect(const Item& place, std::vector<Item>& out, int depth);
    void replicate(const Item& place, std::vector<Item>& out, int depth);
    /// The names of replicas, for what ties and drives them.
    void note_replica(const Item& item);
    /// Calls for each of the replicas that an element names, or once.
    template <typename Function>
    void for_each_replica(pugi::xml_node node, const Function& function);
    /// A name as it stands for the replica that for_each_replica is at.
    std::string replica_name(pugi::xml_node node) const;
    /// @param world  where the body lies at the start
    void read_content(const Item& body, int link, const Pose& world, int depth);
    void read_body(const Item& item, int parent, const Pose& parent_world, int depth);
    void fix(int child, int parent, const Pose& at, const std::string& name);

    // --- joints

    void read_joint(const Item& item, int child, int parent, const Pose& at);
    double damping_of(pugi::xml_node node) const;
    void read_axis(
        pugi::xml_node node, const Item& item, const Vec3& point, const Pose& at, Joint& joint);
    void read_laws(pugi::xml_node node, Joint& joint);
    bool is_limited(pugi::xml_node node, const char* attribute, bool has_range) const;

    // --- shapes and mass

    struct Masses {
        Inertial sum;
        bool is_any = false;
    };

    void read_geom(const Item& item, int link, Masses& masses);
    void look(pugi::xml_node node, Shape& shape) const;
    std::optional<Inertial> primitive(pugi::xml_node node,
                                      const Item& item,
                                      const std::string& type,
                                      Shape& shape);
    bool needs_geoms(pugi::xml_node geom) const;
    void weigh(pugi::xml_node body,
               int number,
               const std::vector<Item>& items,
               const Masses& masses);
    void read_inertial(const Item& item, Link& link);
    /// Settings of the compiler that act on all bodies.
    void finish_masses();

    // --- sites and what ties them

    struct Site {
        int link;
        Pose pose;
        Pose world;
    };

    void read_site(const Item& item, int link, const Pose& world);
    const Site* site_named(pugi::xml_node node, const char* attribute) const;
    int named(pugi::xml_node node,
              const char* attribute,
              const std::map<std::string, int>& among,
              const char* what) const;

    struct Tendon {
        std::vector<Coupler::Term> terms;
        int line = -1;
        int num_points = 0;  ///< of a spatial one
    };

    void read_tendons(pugi::xml_node section);
    void read_tendon(pugi::xml_node node, bool is_spatial);
    void read_fixed(pugi::xml_node node, Tendon& tendon);
    void read_spatial(pugi::xml_node node, Tendon& tendon);
    /// Its largest length, if it has one.
    std::optional<double> longest(pugi::xml_node node) const;

    // --- equalities

    void read_equalities(pugi::xml_node section);
    void tie_joints(pugi::xml_node node);
    bool measure_missing(pugi::xml_node node, int joint) const;
    void close_loop(pugi::xml_node node, bool is_weld);

    // --- actuators

    void read_actuators(pugi::xml_node section);
    void read_actuator_of(pugi::xml_node node);
    void read_actuator(pugi::xml_node node, const std::string& tag);
    void add_actuator(Actuator actuator,
                      const std::string& tag,
                      double gain,
                      const std::array<double, 3>& b,
                      double gear,
                      const std::optional<std::pair<double, double>>& forces);

    // --- start

    void read_keyframe(pugi::xml_node section);

    pugi::xml_node root_;
    XmlSource& source_;
    Findings& findings_;
    MjcfDefaults defaults_;
    Robot robot_;

    bool in_degrees_ = true, autolimits_ = true, balance_ = false, strip_ = false;
    std::string sequence_ = "xyz", from_geoms_ = "auto";
    std::filesystem::path mesh_folder_;
    double least_mass_ = 0.0, least_inertia_ = 0.0, total_mass_ = -1.0;
    double first_group_ = 0.0, last_group_ = 5.0;

    std::map<std::string, Mesh> meshes_;
    std::map<std::string, std::vector<double>> materials_;
    std::map<std::string, int> bodies_, joints_;
    std::map<int, Pose> worlds_;
    std::map<int, std::vector<std::pair<Shape, bool>>> shapes_of_;  ///< and whether it is hidden
    std::map<std::string, std::vector<std::string>> replicas_;      ///< suffixes by names
    std::string replica_;                                           ///< of for_each_replica
    int num_replicas_ = 0;
    std::map<std::string, Site> sites_;
    std::map<std::string, Tendon> tendons_;
    std::vector<std::pair<int, int>> slots_;  ///< joints and how many numbers of qpos they have
    std::vector<int> controls_;  ///< the first actuator of each control; kNone: left out
    Place first_loop_;
};

template <typename Function>
void MjcfReader::for_each_replica(pugi::xml_node node, const Function& function) {
    std::vector<std::string> suffixes;
    const auto look = [&](pugi::xml_node element) {
        for (const pugi::xml_attribute attribute : element.attributes()) {
            const std::string value = attribute.value();
            const auto found = replicas_.find(value);
            const bool is_single = joints_.contains(value) || bodies_.contains(value) ||
                                   sites_.contains(value) || tendons_.contains(value);
            if (found != replicas_.end() && !is_single &&
                std::string_view("name") != attribute.name() &&
                found->second.size() > suffixes.size())
                suffixes = found->second;
        }
    };
    look(node);
    for (const pugi::xml_node child : node.children()) look(child);
    if (suffixes.empty()) return function();
    for (const std::string& suffix : suffixes) {
        replica_ = suffix;
        function();
    }
    replica_.clear();
}

}  // namespace ancora::robot
