// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a function of many variables, some of them moved together.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace ancora {

/// dF / dx = (8 (F(x + d) - F(x - d)) - (F(x + 2 d) - F(x - 2 d))) / 12 d, with an error of order
/// d^4, for variables of which no two enter the same output.
class CentralDifferences {
public:
    explicit CentralDifferences(int num_outputs = 0)
        : near_(num_outputs), far_(num_outputs), below_(num_outputs) {}

    /// The variables, and the distance d of each.
    template <class Distance>
    void begin(const std::vector<int>& which, const Eigen::VectorXd& x, const Distance& distance) {
        kept_.clear();
        by_.clear();
        for (const int j : which) {
            kept_.push_back(x[j]);
            by_.push_back(distance(j));
        }
    }
    /// Distances become `part` of what they are.
    void come_closer(double part) {
        for (double& by : by_) by *= part;
    }
    /// Evaluates F at the four places; x is left at the last. [step]
    /// @param evaluate  writes F at x: evaluate(F)
    template <class Evaluate>
    void evaluate(const std::vector<int>& which, Eigen::VectorXd& x, const Evaluate& evaluate) {
        const auto move = [&](double by, Eigen::VectorXd& F) {
            for (std::size_t c = 0; c < which.size(); ++c) x[which[c]] = kept_[c] + by * by_[c];
            evaluate(F);
        };
        move(1.0, near_);
        move(-1.0, below_);
        near_ -= below_;
        move(2.0, far_);
        move(-2.0, below_);
        far_ -= below_;
    }
    /// The variable back where it was.
    void put_back(std::size_t c, double& x) const { x = kept_[c]; }
    /// Of output i by the c-th variable.
    double slope(std::size_t c, int i) const {
        return 1.0 / (12.0 * by_[c]) * (8.0 * near_[i] - far_[i]);
    }

    const Eigen::VectorXd& near() const { return near_; }    ///< F(x + d) - F(x - d)
    const Eigen::VectorXd& far() const { return far_; }      ///< F(x + 2 d) - F(x - 2 d)
    const Eigen::VectorXd& below() const { return below_; }  ///< F(x - 2 d)

private:
    Eigen::VectorXd near_, far_, below_;
    std::vector<double> kept_, by_;
};

}  // namespace ancora
