// SPDX-License-Identifier: BSD-3-Clause
// Singular positions: where rows become dependent on the way, and other motions begin.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "rank_analysis.hpp"
#include "row_volume.hpp"

namespace ancora {

/// Looks for them within trials, and remembers those that were passed. Between accepted states it
/// is seen that one was passed by a sign: with unit rows C of two states, those that steps keep,
/// one of the eigenvalues of
///
///   C_0^+ C_1                                                                            (1)
///
/// is negative, and 1 if nothing moves, where the rows' least singular value has changed its sign
/// on the way. That is asked where the volume that the rows span is small enough to have come to
/// zero since it was looked at last, at its fastest rate of late per way that matter moves.
class SingularPositions {
public:
    SingularPositions(Assembly& parts, const MotionState& state);

    /// See System::nears_singular_position().
    bool nears(const StepTrial& trial);
    /// See System::record_singular_position().
    void record(double t0, double t1, bool continues);
    /// The rows that steps keep have been chosen. [assembly]
    void prepare();
    /// The state has been accepted. [step]
    void follow();

    /// One that was passed; the first ten thousand.
    struct Passed {
        double t;
        bool continues;  ///< the motion; else velocities jump there
    };
    const std::vector<Passed>& all() const { return all_; }
    /// The coordinate whose velocity changed most in the first step behind which the motion did not
    /// continue; -1: there was none, or integrators of the continuous face made it.
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
    bool comes_to_nothing_ = false;  // the independence looked at last
    double until_ = -1.0;            // end of the piece that the last jump was in
    int jumped_ = -1;
    Eigen::VectorXd q_;
    RowSet::RowValues instant_;

    bool is_watching_ = false;
    /// The last state that was looked at, of those that are not singular.
    struct Look {
        int looks = 0;  ///< since the rows were chosen
        double t = 0.0;
        double volume = 0.0;   ///< in units of that at the first look
        double fastest = 0.0;  ///< rate of it by way
        double due = 0.0;      ///< way from here to the next look, see turned()
        double unit = 0.0;     ///< logarithm of the volume at the first look
        Eigen::VectorXd q, A;
    };
    Look last_;
    bool is_laid_out_ = false;
    std::vector<int> laid_out_for_;  // rows left out
    RowVolume volume_;
};

}  // namespace ancora
