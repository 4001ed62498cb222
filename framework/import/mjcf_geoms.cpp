// SPDX-License-Identifier: BSD-3-Clause
// Shapes of an MJCF file, and the mass that follows from them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "ancora/sdk/helpers/rigid_body.hpp"
#include "mass_properties.hpp"
#include "mjcf_model.hpp"
#include "mjcf_rules.hpp"
#include "reduction.hpp"

namespace ancora::robot {

void MjcfReader::read_geom(const Item& item, int link, Masses& masses) {
    const pugi::xml_node node = item.node;
    defaults_.complete(node, item.surrounding, "geom");
    source_.account(node, kMjcfGeom);
    const std::string type = node.attribute("type").as_string("sphere");
    if (type == "plane" || type == "hfield") {
        findings_.note(fmt::format("a geom of type {} is not part of the model", type),
                       source_.place(node));
        return;
    }
    Shape shape;
    shape.pose = item.in_body * pose(node);
    std::optional<Inertial> solid =
        type == "mesh" ? mesh_geom(node, shape) : primitive(node, item, type, shape);
    if (link == kGround) {
        findings_.note("geoms of the world are not shown", source_.place(node));
        return;
    }
    findings_.note("<geom> is mass and looks: bodies pass through each other", source_.place(node));
    look(node, shape);
    const double group = source_.number(node, "group", 0.0);
    if (shape.kind != Shape::Kind::mesh || shape.own >= 0 || !shape.file.empty()) {
        // Groups from 3 on are hidden in MuJoCo's viewer, as hulls for contacts are
        shapes_of_[link].push_back({shape, group >= 3.0});
    }
    if (!solid || group < first_group_ || group > last_group_) return;
    Inertial inertial = *solid;
    if (const auto mass = source_.number(node, "mass")) {
        if (*mass < 0.0) source_.wrong(node, "mass", "is negative");
        inertial = inertial.mass > 0.0 ? times(inertial, *mass / inertial.mass) : inertial;
    } else {
        const double density = source_.number(node, "density", 1000.0);
        if (density < 0.0) source_.wrong(node, "density", "is negative");
        inertial = times(inertial, density);
    }
    if (source_.boolean(node, "shellinertia", false) && inertial.mass > 0.0)
        findings_.no_counterpart(source_.place(node),
                                 "shellinertia: mass on the surface",
                                 "give the body an <inertial>");
    masses.sum = masses.is_any ? together(masses.sum, inertial, shape.pose)
                               : together({}, inertial, shape.pose);
    masses.is_any = true;
}

void MjcfReader::look(pugi::xml_node node, Shape& shape) const {
    auto rgba = source_.numbers(node, "rgba", 4);
    if (const auto material = materials_.find(node.attribute("material").value());
        material != materials_.end() && !rgba)
        rgba = material->second;
    if (!rgba) return;
    shape.color = Vec3((*rgba)[0], (*rgba)[1], (*rgba)[2]).cwiseMax(0.0).cwiseMin(1.0);
    shape.opacity = (*rgba)[3];
}

std::optional<Inertial> MjcfReader::primitive(pugi::xml_node node,
                                              const Item& item,
                                              const std::string& type,
                                              Shape& shape) {
    if (node.attribute("mesh")) {
        findings_.no_counterpart(
            source_.place(node),
            fmt::format("{}: a {} that is fitted to a mesh", in_words(node), printable(type)),
            "write its size");
        return std::nullopt;
    }
    std::vector<double> size = source_.numbers(node, "size", 0).value_or(std::vector<double>());
    const bool is_long =
        type == "capsule" || type == "cylinder" || type == "box" || type == "ellipsoid";
    double half_length = -1.0;
    if (const auto ends = source_.numbers(node, "fromto", 6); ends && is_long) {
        const Vec3 from((*ends)[0], (*ends)[1], (*ends)[2]), to((*ends)[3], (*ends)[4], (*ends)[5]);
        if (!(from != to)) {
            source_.wrong(node, "fromto", "both ends are one point");
            return std::nullopt;
        }
        half_length = 0.5 * (to - from).norm();
        shape.pose = item.in_body * Pose{along(from - to), 0.5 * (from + to)};
    }
    const std::size_t wanted = type == "sphere" || half_length > 0.0     ? 1
                               : type == "capsule" || type == "cylinder" ? 2
                                                                         : 3;
    const std::vector<std::string> types = {
        "sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh", "plane", "hfield"};
    if (std::ranges::find(types, type) == types.end()) {
        findings_.no_counterpart(
            source_.place(node),
            fmt::format("a geom of type \"{}\"{}", printable(type), did_you_mean(type, types)),
            "correct or delete it");
        return std::nullopt;
    }
    if (size.size() < wanted ||
        !(*std::min_element(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(wanted)) >
          0.0)) {
        source_.wrong(
            node,
            "size",
            fmt::format("a {} has {} positive number{}", type, wanted, wanted == 1 ? "" : "s"));
        return std::nullopt;
    }
    size.resize(3, 0.0);
    if (half_length > 0.0) {
        if (type == "capsule" || type == "cylinder")
            size[1] = half_length;
        else
            size = {size[0], size[0], half_length};
    }
    const Vec3 a(size[0], size[1], size[2]);
    if (type == "sphere") {
        shape.kind = Shape::Kind::sphere;
        shape.size(0) = a(0);
        return of_ellipsoid(Vec3::Constant(a(0)));
    }
    if (type == "box") {
        shape.kind = Shape::Kind::box;
        shape.size = 2.0 * a;
        return of_box(2.0 * a);
    }
    if (type == "ellipsoid") {
        findings_.note("an ellipsoid is shown as a sphere of its volume", source_.place(node));
        shape.kind = Shape::Kind::sphere;
        shape.size(0) = std::cbrt(a.prod());
        return of_ellipsoid(a);
    }
    shape.kind = type == "capsule" ? Shape::Kind::capsule : Shape::Kind::cylinder;
    shape.size = {a(0), 2.0 * a(1), 0.0};
    return type == "capsule" ? of_capsule(a(0), 2.0 * a(1)) : of_cylinder(a(0), 2.0 * a(1));
}

bool MjcfReader::needs_geoms(pugi::xml_node geom) const {
    if (from_geoms_ != "auto") return from_geoms_ != "false";
    for (pugi::xml_node at = geom.parent(); at; at = at.parent())
        if (std::string_view(at.name()) == "body") return !at.child("inertial");
    return true;
}

void MjcfReader::weigh(pugi::xml_node body,
                       int number,
                       const std::vector<Item>& items,
                       const Masses& masses) {
    Link& link = robot_.links[number];
    if (const auto shapes = shapes_of_.find(number); shapes != shapes_of_.end()) {
        const bool all_hidden = std::ranges::all_of(shapes->second, [](const auto& entry) {
            return entry.second;
        });
        for (auto& [shape, is_hidden] : shapes->second)
            if (!is_hidden || all_hidden) link.shapes.push_back(shape);
    }
    for (const Item& item : items)
        if (std::string_view(item.node.name()) == "inertial" && from_geoms_ != "true") {
            read_inertial(item, link);
            return;
        }
    if (masses.is_any && masses.sum.mass > 0.0 && from_geoms_ != "false") {
        link.inertial = masses.sum;
        link.inertial->place = source_.place(body);
    }
}

void MjcfReader::read_inertial(const Item& item, Link& link) {
    const pugi::xml_node node = item.node;
    source_.account(node, kMjcfInertial);
    source_.required(node, "mass");
    source_.required(node, "pos");
    Inertial inertial;
    inertial.place = source_.place(node);
    inertial.mass = source_.number(node, "mass", 0.0);
    if (inertial.mass < 0.0) source_.wrong(node, "mass", "is negative");
    Mat3 J = Mat3::Zero();
    if (const auto full = source_.numbers(node, "fullinertia", 6)) {
        const auto& x = *full;
        J << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
    } else {
        J = Mat3(source_.vector(node, "diaginertia", Vec3::Zero()).asDiagonal());
    }
    const Pose at = item.in_body * pose(node);
    inertial.center = at.x;
    inertial.inertia = at.R * J * at.R.transpose();
    link.inertial = inertial;
}

void MjcfReader::finish_masses() {
    double total = 0.0;
    for (Link& link : robot_.links) {
        if (!link.inertial) continue;
        Inertial& inertial = *link.inertial;
        inertial.mass = std::max(inertial.mass, least_mass_);
        Mat3 J = inertial.inertia;
        const Mat3 axes = rigid::diagonalise(J);
        Vec3 moments = J.diagonal();
        const bool is_low = moments.minCoeff() < least_inertia_;
        moments = moments.cwiseMax(least_inertia_);
        const bool is_odd = balance_ && (2.0 * moments.maxCoeff() > moments.sum());
        if (is_odd) moments.setConstant(moments.mean());
        if (is_low || is_odd) inertial.inertia = axes * moments.asDiagonal() * axes.transpose();
        total += inertial.mass;
    }
    if (!(total_mass_ > 0.0) || !(total > 0.0)) return;
    for (Link& link : robot_.links)
        if (link.inertial) {
            const Place place = link.inertial->place;
            link.inertial = times(*link.inertial, total_mass_ / total);
            link.inertial->place = place;
        }
}

}  // namespace ancora::robot
