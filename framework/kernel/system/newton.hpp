// SPDX-License-Identifier: BSD-3-Clause
// Newton's method on the equations of one step.
#pragma once

#include <span>
#include <vector>

#include "ancora/sdk/step_equations.hpp"
#include "ancora/sdk/system.hpp"
#include "convergence.hpp"
#include "factor_reuse.hpp"
#include "projection_multipliers.hpp"
#include "workers.hpp"

namespace ancora {

/// Modified Newton iteration of a step. Each iteration solves
///
///   K (ddq, ds) = (r_motion, r_rows),   a <- a - (2 / h^2) ddq,   s <- s - ds            (1)
///
/// with the matrix K of this iteration, of an earlier one or of an earlier step: FactorReuse
/// decides how old it may be, Convergence when the iteration ends. A trial that does not converge
/// begins anew with a new matrix in every iteration (full Newton), in the fallback sequence of
/// tangents: positive definite, then with the full geometric stiffness, then consistent. With a
/// projection around the step its multipliers mu are corrected besides, whenever the step's own
/// iteration has converged.
class Newton {
public:
    Newton(StepEquations& equations, Workers& workers) : equations_(equations), workers_(workers) {}

    /// [assembly] Allocates.
    void resize(int num_coordinates, int num_rows, int num_multipliers);

    /// See System::solve_step().
    /// @param projection null for steps without
    StepReport solve(const StepGuess& guess, const StepOptions& options, ProjectedEnds* projection);

    /// Restores a trial to its initial guess, as when the last solve() began.
    void return_to(const StepGuess& guess) const;
    /// After the step was accepted.
    void note_accepted(double h) { reuse_.weigh(h, equations_.cost()); }
    /// Discards what was kept of earlier steps, after a discontinuity of the motion.
    void forget() { reuse_.forget(); }

    /// Writes or reads what later steps depend on, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        reuse_.transfer(archive);
    }

private:
    enum class Age { any, fresh };
    bool iterate(const StepGuess& guess,
                 const StepOptions& options,
                 ProjectedEnds* projection,
                 Tangent tangent,
                 Age age);
    void correct(const StepGuess& guess);

    StepEquations& equations_;
    Workers& workers_;
    FactorReuse reuse_;
    ProjectionMultipliers multipliers_;
    double first_correction_ = 0.0;
    bool is_far_from_closed_ = false;
    std::vector<double> guess_a_, guess_s_, guess_mu_;
    std::vector<double> r_motion_, r_rows_, ddq_, ds_;
};

}  // namespace ancora
