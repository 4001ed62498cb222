// SPDX-License-Identifier: BSD-3-Clause
// A net of point masses and springs from a mesh file.
#include <ancora/mesh/mesh.hpp>
#include <ancora/sdk/authoring.hpp>

namespace {

using namespace ancora;

struct Stretch {
    double length;
    template <class S>
    S operator()(const Vector3<S>& a, const Vector3<S>& b) const {
        return distance(a, b) - length;
    }
};

class Springs final : public VectorBody {
public:
    static constexpr Parameter kParameters[] = {
        parameter::file("mesh", "nodes and lines, of Gmsh or VTK").required(),
        parameter::number("mass", "kg", "of each node").positive().required(),
        parameter::number("stiffness", "N/m", "of each line").positive().required(),
    };
    explicit Springs(const Arguments& arguments) {
        const mesh::Net net = mesh::read_net(arguments, "mesh");
        const auto node = [&](std::int32_t i) {
            return vec3(net.x, 3 * std::size_t(i));
        };
        for (std::int32_t i = 0; i < net.num_nodes(); ++i) {
            add_point(node(i), Vec3::Zero());
            add_mass(i, i, arguments.number("mass"));
        }
        for (const mesh::Line& line : net.lines) {
            const double length = (node(line.b) - node(line.a)).norm();
            add_strain(
                "stretch", {line.a, line.b}, Stretch{length}, stiff(arguments.number("stiffness")));
            add_line(line.a, line.b);
        }
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<Springs>("springs",
                  {.doc = "a net of point masses and springs from a mesh file",
                   .equation = "pi = |r_b - r_a| - L",
                   .source = "the SDK's guide"},
                  Springs::kParameters),
};

}  // namespace

ANCORA_PLUGIN("springs", "0.1.0", kTypes)
