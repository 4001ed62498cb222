// SPDX-License-Identifier: BSD-3-Clause
// A mesh from any bytes, by the reader that its first bytes ask for, with and without edges.
#include <cstdint>
#include <string_view>

#include "ancora/mesh/mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ancora::mesh;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const bool with_edges : {false, true}) {
        try {
            Mesh mesh(with_edges);
            read_mesh(text, mesh);
            mesh.net();
        } catch (const MeshError&) {
        }
    }
    return 0;
}
