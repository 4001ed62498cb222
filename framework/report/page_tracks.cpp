// SPDX-License-Identifier: BSD-3-Clause
#include "page_tracks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "page_array.hpp"
#include "page_scene.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

/// `width` values from `first` of every chosen frame.
Track track_of(const Frames& frames,
               std::span<const std::size_t> chosen,
               std::size_t first,
               std::size_t width) {
    Track out{chosen.size(), width, {}};
    out.values.reserve(chosen.size() * width);
    for (const std::size_t f : chosen) {
        const std::span<const double> values = frames.values(f).subspan(first, width);
        out.values.insert(out.values.end(), values.begin(), values.end());
    }
    return out;
}

struct Bounds {
    std::array<double, 3> low, high;
    Bounds() {
        low.fill(std::numeric_limits<double>::infinity());
        high.fill(-std::numeric_limits<double>::infinity());
    }
    void add(const Track& points, double margin) {
        for (std::size_t i = 0; i < points.values.size(); ++i) {
            const double x = points.values[i];
            low[i % 3] = std::min(low[i % 3], x - margin);
            high[i % 3] = std::max(high[i % 3], x + margin);
        }
    }
    /// Some space around nothing.
    void close() {
        for (std::size_t k = 0; k < 3; ++k)
            if (low[k] > high[k]) low[k] = high[k] = 0.0;
    }
};

double norm(const std::array<double, 3>& x) {
    return std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/// How far a shape reaches from the reference point.
struct Reach {
    double operator()(const Box& box) const { return norm(box.center) + 0.5 * norm(box.size); }
    double operator()(const Sphere& sphere) const { return norm(sphere.center) + sphere.radius; }
    double operator()(const auto& round) const {
        return std::max(norm(round.from), norm(round.to)) + round.radius;
    }
    double operator()(const MeshShape& shape) const {
        double reach = 0.0;
        for (const auto& p : meshes[shape.mesh].points)
            reach = std::max(
                reach, norm({shape.scale[0] * p[0], shape.scale[1] * p[1], shape.scale[2] * p[2]}));
        return norm(shape.center) + reach;
    }
    const std::vector<TriangleMesh>& meshes;
};

double reach_of(const SceneBody& body, const std::vector<TriangleMesh>& meshes) {
    double reach = 0.0;
    for (const SceneSolid& solid : body.shapes)
        reach = std::max(reach, std::visit(Reach{meshes}, solid.shape));
    return reach;
}

/// The largest extent of all bodies at one time, by some of the frames.
double machine_size(const Frames& frames, std::span<const std::size_t> chosen) {
    constexpr std::size_t kFrames = 24;
    const std::size_t step = std::max<std::size_t>(1, chosen.size() / kFrames);
    double size = 0.0;
    for (std::size_t k = 0; k < chosen.size(); k += step) {
        Bounds bounds;
        for (const SceneBody& body : frames.scene().bodies) {
            if (body.name == "ground") continue;
            const auto add = [&](int first, int width, double margin) {
                bounds.add(track_of(frames,
                                    chosen.subspan(k, 1),
                                    static_cast<std::size_t>(first),
                                    static_cast<std::size_t>(width)),
                           margin);
            };
            if (body.pose != PoseKind::none)
                add(body.first, 3, reach_of(body, frames.scene().meshes));
            if (body.num_nodes > 0) add(body.nodes_at(), 3 * body.num_nodes, 0.0);
        }
        bounds.close();
        size = std::max(size,
                        norm({bounds.high[0] - bounds.low[0],
                              bounds.high[1] - bounds.low[1],
                              bounds.high[2] - bounds.low[2]}));
    }
    return size;
}

Json body_json(const Frames& frames,
               std::span<const std::size_t> chosen,
               const SceneBody& body,
               double coarsest,
               Bounds& bounds) {
    Json out = page_body(body);
    const auto at = [](int index) {
        return static_cast<std::size_t>(index);
    };
    if (body.pose != PoseKind::none) {
        const Track position = track_of(frames, chosen, at(body.first), 3);
        bounds.add(position, reach_of(body, frames.scene().meshes));
        out["position"] = page_track(position, 3, coarsest);
    }
    if (body.pose == PoseKind::attitude)
        out["quaternion"] = page_track(track_of(frames, chosen, at(body.first) + 6, 4), 4);
    if (body.num_nodes == 0) return out;
    const Track nodes = track_of(frames, chosen, at(body.nodes_at()), 3 * at(body.num_nodes));
    bounds.add(nodes, 0.0);
    out["nodes"] = page_track(nodes, 3, coarsest);
    for (std::size_t c = 0; c < body.channels.size(); ++c) {
        const int channel = static_cast<int>(c);
        if (body.channels[c].of == ChannelPlace::curves) {
            out["curves"] = page_track(
                track_of(
                    frames, chosen, at(body.channel_at(channel)), at(body.channel_size(channel))),
                kCurveNumbers);
            continue;
        }
        out["channels"].push_back(
            {{"name", body.channels[c].name},
             {"unit", body.channels[c].unit},
             {"of", page_place(body.channels[c].of)},
             {"data",
              page_colours(track_of(
                  frames, chosen, at(body.channel_at(channel)), at(body.channel_size(channel))))}});
    }
    return out;
}

Json marker_json(const Frames& frames,
                 std::span<const std::size_t> chosen,
                 const SceneMarker& marker,
                 double coarsest,
                 Bounds& bounds) {
    Json out = page_marker(marker);
    if (!marker.points.empty()) {
        const Track points = track_of(
            frames, chosen, static_cast<std::size_t>(marker.first), 3 * marker.points.size());
        bounds.add(points, 0.0);
        out["positions"] = page_track(points, 3, coarsest);
    }
    if (marker.has_force)
        out["force"] =
            page_track(track_of(frames, chosen, static_cast<std::size_t>(marker.force_at()), 3), 3);
    if (marker.has_torque)
        out["torque"] = page_track(
            track_of(frames, chosen, static_cast<std::size_t>(marker.torque_at()), 3), 3);
    if (marker.opens)
        out["holds"] =
            page_track(track_of(frames, chosen, static_cast<std::size_t>(marker.holds_at()), 1), 1);
    return out;
}

}  // namespace

std::vector<double> times_of(const History& history) {
    const std::size_t time_column = 0;
    return history.read({&time_column, 1})[0];
}

Json page_scene(const Frames& frames,
                std::span<const double> t,
                std::span<const std::size_t> chosen) {
    std::vector<double> times;
    std::vector<float> iterations;
    for (const std::size_t f : chosen) {
        times.push_back(t[frames.row(f)]);
        iterations.push_back(static_cast<float>(frames.iterations(f)));
    }

    const Scene& scene = frames.scene();
    // What travels far beyond its size is looked at from near.
    constexpr double kOfSize = 1.0 / 2000.0;
    const double size = machine_size(frames, chosen);
    const double coarsest = size > 0.0 ? kOfSize * size : std::numeric_limits<double>::infinity();
    Bounds bounds;
    Json bodies = Json::array(), constraints = Json::array(), forces = Json::array();
    for (const SceneBody& body : scene.bodies)
        bodies.push_back(body_json(frames, chosen, body, coarsest, bounds));
    for (const SceneMarker& marker : scene.constraints)
        constraints.push_back(marker_json(frames, chosen, marker, coarsest, bounds));
    for (const SceneMarker& marker : scene.forces)
        forces.push_back(marker_json(frames, chosen, marker, coarsest, bounds));
    bounds.close();
    Json out = {{"times", page_array(times)},
                {"min", bounds.low},
                {"max", bounds.high},
                {"bodies", std::move(bodies)},
                {"constraints", std::move(constraints)},
                {"forces", std::move(forces)},
                {"iterations", page_array(iterations, iterations.size(), 1)}};
    add_still_parts(out, scene);
    return out;
}

}  // namespace ancora
