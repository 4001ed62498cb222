// SPDX-License-Identifier: BSD-3-Clause
// Requirements of an integrator of the discrete formulation on a model.
#include "discrete_face.hpp"

#include <string>

#include <fmt/format.h>

namespace ancora {

namespace {

void refuse_accelerations(const GuardedRows& rows,
                          const ObjectRef& object,
                          const std::string& needs) {
    for (const RowBlock& block : rows.blocks())
        for (const RowLaw& law : block.laws)
            if (law.kind == RowKind::acceleration_constraint)
                throw Error(ErrorKind::manifest,
                            fmt::format("{} (type {}) is given at acceleration level only: {}",
                                        object.label,
                                        object.type->name,
                                        needs),
                            object.place);
}

}  // namespace

void check_discrete_face(const Model& model) {
    const std::string needs = fmt::format(
        "{} steps on the discrete face and cannot serve it; choose an integrator that works on "
        "accelerations",
        model.integrator_object.label);
    for (const BodyPart& part : model.bodies)
        if (part.mass_kind == MassKind::of_state)
            throw Error(ErrorKind::manifest,
                        fmt::format("{} (type {}) has a mass matrix that depends on its state: "
                                    "{}, or a body with a constant mass matrix",
                                    part.object.label,
                                    part.object.type->name,
                                    needs),
                        part.object.place);
    const auto refuse_nonlinear = [&](const auto& part) {
        for (const Attachment& at : part.attachments)
            if (at.is_nonlinear)
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: \"{}\" is not a linear function of the "
                                        "coordinates of its body: {}",
                                        part.object.label,
                                        at.text,
                                        needs),
                            part.object.place);
    };
    for (const ForcePart& part : model.forces) refuse_nonlinear(part);
    for (const ConstraintPart& part : model.constraints) {
        refuse_nonlinear(part);
        refuse_accelerations(part.rows(), part.object, needs);
    }
    for (const BodyPart& part : model.bodies) refuse_accelerations(part.rows(), part.object, needs);
}

}  // namespace ancora
