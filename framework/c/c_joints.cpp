// SPDX-License-Identifier: BSD-3-Clause
// Joint space and inverse kinematics of the C interface.
#include <fmt/format.h>

#include "c_calls.hpp"

using namespace ancora;

namespace {

const JointSpace& joints_of(const ancora_simulation& it) {
    if (!it.joints)
        c::refuse("there are no equations of joints yet; call ancora_joint_space() first");
    return *it.joints;
}

struct JointPart {
    std::vector<double> values;
    std::size_t rows;
};

JointPart joint_part(const JointSpace& of, int32_t which) {
    const std::size_t r = of.coordinates.size();
    JointPart out{{}, r};
    switch (which) {
        case ANCORA_JOINT_M:
            out.values = of.M;
            return out;
        case ANCORA_JOINT_C:
            out.values = of.C;
            return out;
        case ANCORA_JOINT_BIAS:
            out.values = of.bias;
            return out;
        case ANCORA_JOINT_T:
            return {of.T, static_cast<std::size_t>(of.num_coordinates)};
        case ANCORA_JOINT_J:
        case ANCORA_JOINT_J_BIAS:
            out.rows = 0;
            for (const JointSpace::Point& point : of.points) {
                const auto& part = which == ANCORA_JOINT_J ? point.J : point.bias;
                out.values.insert(out.values.end(), part.begin(), part.end());
                out.rows += static_cast<std::size_t>(point.rows);
            }
            return out;
        case ANCORA_JOINT_VALUES:
        case ANCORA_JOINT_RATES:
            for (const JointSpace::Coordinate& one : of.coordinates)
                out.values.push_back(which == ANCORA_JOINT_VALUES ? one.value : one.rate);
            return out;
        default:
            c::refuse(fmt::format("there is no matrix {} of joints", which));
    }
}

}  // namespace

ancora_status ancora_joint_space(ancora_simulation* simulation,
                                 const char* const* by,
                                 size_t num_by,
                                 const char* const* of,
                                 size_t num_of) {
    return c::call(simulation, [&](ancora_simulation& it) {
        it.joints = it.simulation->joint_space(c::texts_of(by, num_by, "by"),
                                               c::texts_of(of, num_of, "of"));
    });
}

ancora_status ancora_joint_matrix(const ancora_simulation* simulation,
                                  int32_t which,
                                  double* values,
                                  size_t capacity,
                                  size_t* rows,
                                  size_t* columns) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const JointPart part = joint_part(joints_of(it), which);
        c::put(rows, part.rows);
        const bool is_column = which == ANCORA_JOINT_BIAS || which >= ANCORA_JOINT_J_BIAS;
        c::put(columns, is_column ? 1 : joints_of(it).coordinates.size());
        c::put_all(std::span<const double>(part.values), values, capacity, nullptr);
    });
}

ancora_status ancora_joint_names(const ancora_simulation* simulation,
                                 char* text,
                                 size_t capacity,
                                 size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        std::string names;
        for (const JointSpace::Coordinate& one : joints_of(it).coordinates)
            names += (names.empty() ? "" : "\n") + one.name;
        c::put_text(names, text, capacity, count);
    });
}

ancora_status ancora_joint_remarks(const ancora_simulation* simulation,
                                   char* text,
                                   size_t capacity,
                                   size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const std::vector<std::string> remarks = joints_of(it).remarks();
        c::put_text(fmt::format("{}", fmt::join(remarks, "\n")), text, capacity, count);
    });
}

ancora_status ancora_inverse_kinematics(ancora_simulation* simulation,
                                        const char* const* of,
                                        const size_t* counts,
                                        size_t num_of,
                                        const double* values,
                                        ancora_placement* placement) {
    return c::call(simulation, [&](ancora_simulation& it) {
        if (placement != nullptr) c::size_of_struct(placement, "placement");
        std::vector<KinematicTarget> targets;
        std::size_t first = 0;
        for (const std::string& name : c::texts_of(of, num_of, "of")) {
            const std::size_t size = (&c::required(counts, "counts"))[targets.size()];
            const double* const from = &c::required(values, "values") + first;
            targets.push_back({name, {from, from + size}});
            first += size;
        }
        const InverseKinematics found = it.steady("inverse_kinematics").inverse_kinematics(targets);
        if (placement == nullptr) return;
        ancora_placement now{};
        now.is_reached = found.is_reached ? 1 : 0;
        now.iterations = found.iterations;
        now.num_free = found.num_free;
        now.num_at_limits = static_cast<int32_t>(found.at_limits.size());
        now.distance = found.distance;
        now.angle = found.angle;
        c::put_struct(now, placement, "placement");
    });
}
