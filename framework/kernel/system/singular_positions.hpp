// SPDX-License-Identifier: BSD-3-Clause
// Singular positions: where constraint rows become dependent and motions bifurcate.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "rank_analysis.hpp"
#include "row_volume.hpp"

namespace ancora {

/// Detects them within trials, and records those that were passed. Between accepted states the
/// passage shows as a sign: with C the kept rows at unit length of two states, one of the
/// eigenvalues of
///
///   C_0^+ C_1                                                                            (1)
///
/// is negative (all are 1 without motion) where the rows' least singular value has changed its sign
/// between them. This is tested where the volume that the rows span is small enough to have reached
/// zero since the last test, at its fastest recent rate per distance that matter moves.
class SingularPositions {
public:
    SingularPositions(Assembly& parts, const MotionState& state);

    /// See System::nears_singular_position().
    bool nears(const StepTrial& trial);
    /// See System::record_singular_position().
    void record(double t0, double t1, bool continues);
    /// The rows of steps have been selected. [assembly]
    void prepare();
    /// The state has been accepted. [step]
    void follow();

    /// One that was passed; the first ten thousand.
    struct Passed {
        double t;
        bool continues;  ///< the motion; else velocities jump there
    };
    const std::vector<Passed>& all() const { return all_; }
    /// The coordinate whose velocity changed most in the first step after which the motion did not
    /// continue; -1: there was none, or it was a step of the continuous formulation.
    int jumped() const { return jumped_; }
    void forget();

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive.list(all_, [&](auto& position) {
            archive(position.t);
            archive(position.continues);
        });
        archive(until_);
        archive(jumped_);
        archive.require(jumped_ >= -1 && jumped_ < parts_.n, "a coordinate");
        if (!is_watching_) return;
        archive(last_.looks);
        archive.require(last_.looks >= 0, "a count");
        for (double* x : {&last_.t, &last_.volume, &last_.fastest, &last_.due, &last_.unit})
            archive(*x);
        archive(last_.q);
        archive(last_.A);
        archive(laid_out_for_);
        if constexpr (Archive::kReads) is_laid_out_ = false;
    }

private:
    bool looks_singular(const StepTrial& trial);
    void add(const Passed& position);
    double turned() const;
    void look(double way);
    void begin_at_present();
    void lay_out(const std::vector<int>& dropped);
    std::vector<int> dropped_rows();
    int num_passed(const std::vector<int>& dropped) const;
    double least_place();
    void go_to(double part);
    bool vanish_together(double part);
    double volume();

    Assembly& parts_;
    const MotionState& state_;
    std::vector<Passed> all_;
    bool comes_to_nothing_ = false;  // the independence evaluated last
    double until_ = -1.0;            // end of the substep with the last jump
    int jumped_ = -1;
    Eigen::VectorXd q_;
    RowSet::StateValues instant_;

    bool is_watching_ = false;
    /// The last state tested that was not singular.
    struct Look {
        int looks = 0;  ///< since the rows were selected
        double t = 0.0;
        double volume = 0.0;   ///< in units of that at the first test
        double fastest = 0.0;  ///< largest rate per distance
        double due = 0.0;      ///< distance from here to the next test, see turned()
        double unit = 0.0;     ///< logarithm of the volume at the first test
        Eigen::VectorXd q, A;
    };
    Look last_;
    bool is_laid_out_ = false;
    std::vector<int> laid_out_for_;  // dropped rows
    RowVolume volume_;
};

}  // namespace ancora
