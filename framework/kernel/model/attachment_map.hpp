// SPDX-License-Identifier: BSD-3-Clause
// The local scalars u of an object as functions of q, and forces on them back to q.
#pragma once

#include <span>
#include <vector>

#include "call_meter.hpp"
#include "model.hpp"

namespace ancora {

/// u = (r_1, ..., r_k) of a list of attachments: three scalars each, linear in q or evaluated by
/// their body. Keeps Jacobian and bias of the nonlinear ones at the state last evaluated.
class AttachmentMap {
public:
    /// `attachments` must outlive the map.
    AttachmentMap(const Model& model, std::span<const Attachment> attachments, CallMeter& meter);

    int num_scalars() const { return 3 * static_cast<int>(attachments_.size()); }
    bool is_linear() const { return nonlinear_.empty(); }

    /// u at q; du = du/dt at (q, v) where v and du are not null.
    void evaluate(const double* q, const double* v, double t, double* u, double* du);
    /// du = W dq; for linear maps only.
    void increment(const double* dq, double* du) const;
    /// F += (du/dq)^T f at the state last evaluated.
    void scatter(const double* f, double* F) const;

    /// (du/dq, du_j/dq_i) entries of the nonlinear attachments: one after the other, 3 x k each.
    const std::vector<double>& jacobian() const { return jacobian_; }
    /// du/dt = (du/dq) v, d2u/dt2 = (du/dq) a + bias; zero for linear attachments.
    double bias(int scalar) const { return bias_.empty() ? 0.0 : bias_[scalar]; }

    /// One entry of du/dq: constant, or an entry of jacobian().
    struct Entry {
        int coordinate;
        double weight;
        int jacobian;  ///< -1: constant
    };
    /// Entries of the row of local scalar `scalar`.
    std::vector<Entry> row(int scalar) const;

private:
    struct Nonlinear {
        std::size_t attachment;
        std::size_t first;  // of its Jacobian
    };
    /// A vector times a weight, of coordinates one behind the other.
    struct Vector {
        int first;
        double weight;
    };
    /// Of an attachment that is a sum of such vectors, as points and directions of bodies are.
    struct Sum {
        std::size_t attachment;
        std::size_t begin, end;  // in vectors_
    };
    bool add_sum(std::size_t attachment);
    /// Calls visit(attachment, W x without the constant) for each that is linear.
    template <class Visit>
    void map(const double* x, const Visit& visit) const;
    void evaluate_nonlinear(
        const Nonlinear& item, const double* q, const double* v, double t, double* u, double* du);

    const Model& model_;
    std::span<const Attachment> attachments_;
    CallMeter& meter_;
    std::vector<Vector> vectors_;
    std::vector<Sum> sums_;
    std::vector<std::size_t> others_;  // attachments that are linear otherwise
    std::vector<Nonlinear> nonlinear_;
    std::vector<double> jacobian_;
    std::vector<double> bias_;
};

}  // namespace ancora
