// SPDX-License-Identifier: BSD-3-Clause
// Boxes about triangles, by the Flexible Collision Library.
#include "triangle_tree.hpp"

#include <algorithm>
#include <utility>

#include <fcl/geometry/bvh/BVH_model.h>

namespace ancora::contact {

using Box = fcl::AABB<double>;

struct TriangleTree::Boxes {
    fcl::BVHModel<Box> model;

    /// Of p from a box.
    double distance(int node, const Vec3& p) const {
        const Box& box = model.getBV(node).bv;
        return (box.min_ - p).cwiseMax(p - box.max_).cwiseMax(0.0).norm();
    }
    void near(int at, const Vec3& low, const Vec3& high, std::vector<int>& out) const {
        const fcl::BVNode<Box>& node = model.getBV(at);
        if ((node.bv.min_.array() > high.array()).any() ||
            (node.bv.max_.array() < low.array()).any())
            return;
        if (node.isLeaf()) {
            out.push_back(node.primitiveId());
            return;
        }
        near(node.leftChild(), low, high, out);
        near(node.rightChild(), low, high, out);
    }
    void nearest(int at, const Vec3& p, double& within, Ask ask, void* of) const {
        const fcl::BVNode<Box>& node = model.getBV(at);
        if (node.isLeaf()) {
            within = std::min(within, ask(of, node.primitiveId()));
            return;
        }
        std::pair<double, int> first(distance(node.leftChild(), p), node.leftChild());
        std::pair<double, int> second(distance(node.rightChild(), p), node.rightChild());
        if (second < first) std::swap(first, second);
        // What is as near may be another side of one edge.
        if (first.first <= within) nearest(first.second, p, within, ask, of);
        if (second.first <= within) nearest(second.second, p, within, ask, of);
    }
};

TriangleTree::TriangleTree(std::span<const Vec3> corners,
                           std::span<const std::array<int, 3>> triangles)
    : boxes_(std::make_unique<Boxes>()) {
    std::vector<fcl::Triangle> all;
    all.reserve(triangles.size());
    for (const std::array<int, 3>& t : triangles)
        all.emplace_back(static_cast<std::size_t>(t[0]),
                         static_cast<std::size_t>(t[1]),
                         static_cast<std::size_t>(t[2]));
    boxes_->model.beginModel(static_cast<int>(triangles.size()), static_cast<int>(corners.size()));
    boxes_->model.addSubModel(std::vector<Vec3>(corners.begin(), corners.end()), all);
    boxes_->model.endModel();
}

TriangleTree::~TriangleTree() = default;

void TriangleTree::near(const Vec3& low, const Vec3& high, std::vector<int>& out) const {
    out.clear();
    boxes_->near(0, low, high, out);
    std::ranges::sort(out);
}

void TriangleTree::nearest_by(const Vec3& p, double within, Ask ask, void* of) const {
    boxes_->nearest(0, p, within, ask, of);
}

}  // namespace ancora::contact
