// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a glTF file: accessors into views of buffers, in the file or beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "gltf_document.hpp"
#include "gltf_file.hpp"

namespace ancora::gltf {

/// Values of an accessor, whose places are checked once.
struct Values {
    Bytes bytes;  ///< from the first
    std::size_t count = 0;
    std::size_t stride = 0;
    int type = 0;  ///< of a component, as the specification numbers them
    bool is_normalized = false;

    std::uint32_t index(std::size_t i) const;
    Eigen::Vector3d point(std::size_t i) const;

private:
    template <class T>
    T raw(std::size_t at) const;
    double number(std::size_t at) const;
};

/// Reads buffers when they are first asked for.
class Buffers {
public:
    /// @param inner  the buffer that the file holds behind its document
    Buffers(const Document& document,
            std::optional<Bytes> inner,
            const ReadNeighbour& read_neighbour);

    /// @param shape  "SCALAR", numbers of points, or "VEC3", positions
    Values values(std::size_t accessor, const std::string& shape);

private:
    Bytes buffer(std::size_t index);
    std::string read_buffer(const std::string& uri) const;

    const Document& document_;
    std::optional<Bytes> inner_;
    const ReadNeighbour& read_neighbour_;
    std::vector<std::optional<std::string>> buffers_;  // that are not in the file's own part
};

}  // namespace ancora::gltf
