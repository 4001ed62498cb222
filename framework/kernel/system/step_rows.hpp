// SPDX-License-Identifier: BSD-3-Clause
// The rows of a step, and its matrix.
#pragma once

#include "assembly.hpp"
#include "constraint_selection.hpp"
#include "constraint_turn.hpp"
#include "factored_step.hpp"
#include "jump_search.hpp"
#include "massless.hpp"
#include "nonlinear_rows.hpp"
#include "selection_update.hpp"
#include "singular_positions.hpp"
#include "step_tangent.hpp"

namespace ancora {

/// The selection of rows of a step, their nonlinear laws, and the matrix made of them.
struct StepRows {
    explicit StepRows(const SystemData& of)
        : independent(of.parts.rows, of.parts.laws, of.parts.mass),
          nonlinear(of.parts, of.state, of.trial),
          jumps(of.parts.rows, of.parts.laws),
          massless(of.parts.mass, of.parts.rows, of.parts.space, of.parts.n),
          singular(of.parts, of.state),
          turn(of.parts, of.trial),
          tangent(of.parts, of.state, of.trial, nonlinear),
          matrix(of.parts, of.trial, nonlinear, tangent),
          choice(of, independent, tangent, matrix) {}

    ConstraintSelection independent;
    NonlinearRows nonlinear;
    JumpSearch jumps;
    Massless massless;
    SingularPositions singular;
    ConstraintTurn turn;
    StepTangent tangent;
    FactoredStep matrix;
    SelectionUpdate choice;
};

}  // namespace ancora
