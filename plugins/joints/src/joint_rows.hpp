// SPDX-License-Identifier: BSD-3-Clause
// Rows of joints: points that coincide, and sums of products of vectors that vanish.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/helpers/measure_function.hpp"

namespace ancora::joints {

/// w v_i . v_j of attachments i and j.
struct Product {
    int i, j;
    double w;
};

/// A constraint on attachments v_1, ..., v_k, points and directions, each linear in q:
///
///   v_b - v_a = 0                           three rows, linear                             (1)
///   sum w v_i . v_j + c = 0                 one row each, bilinear                         (2)
///   sum w v_i . v_j + c                     the same with elastic or viscous laws          (3)
///   sum k_m dm = 0                          one row: measures that keep a ratio            (4)
///
/// A of (1) to (3) at the midpoint of a step is their exact discrete derivative, and all are made
/// of invariants, so joints keep energy, momentum and angular momentum to round-off. (4) takes the
/// exact discrete gradients of its measures; whole turns of angles are state of the kernel.
/// b = -2 sum w v_i' . v_j' for (2).
class JointRows : public Constraint {
public:
    std::span<const RowBlock> row_blocks() const override { return blocks_; }
    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    std::span<const double> start_state() const override { return start_state_; }

protected:
    JointRows() = default;
    JointRows(const JointRows&) = delete;
    JointRows& operator=(const JointRows&) = delete;

    // --- [assembly] in this order: attachments, rows, finish()

    /// Index of a new attachment.
    int add(AttachmentRequest::Kind kind, std::string_view text, const char* key);
    int num_attachments() const { return static_cast<int>(requests_.list().size()); }
    void coincide(int a, int b);
    void vanish(std::vector<Product> row, double constant = 0.0) {
        add_row(std::move(row), constant, {});
    }
    void add_row(std::vector<Product> row, double constant, const RowLaw& law);
    /// v_b - v_a of two directions, three rows with the energy stiffness |v_b - v_a|^2 / 2.
    void tie_elastically(int a, int b, double stiffness);

    struct Coupled {
        MeasureFunction function;
        std::array<int, 3> attachments;
        double factor;
        double start;  ///< value at the start, to half a turn
    };
    void couple(const Coupled& measure) {
        couplings_.push_back(measure);
        start_state_.push_back(measure.start);
    }
    /// A dashpot on one measure, in place of (4).
    void damp(const Coupled& measure, double damping);
    void finish();

private:
    enum class Form { points, differences, products, coupling };
    Form form_of(int block) const { return forms_[block]; }

    void evaluate_products(const RowPoint& at, const RowValues& out) const;
    void evaluate_coupling(const RowPoint& at, const RowValues& out) const;

    struct Row {
        std::vector<Product> products;
        double constant;
        std::vector<double> K;         ///< second derivative, in their attachments: K (x) I_3
        std::vector<double> positive;  ///< its positive part
        std::vector<double> negative;  ///< that of -K
    };

    AttachmentTexts requests_;
    std::vector<std::array<int, 2>> points_;
    std::vector<Row> rows_;
    std::vector<Coupled> couplings_;
    std::vector<double> start_state_;  ///< values of the coupled measures at the start

    std::vector<Form> forms_;
    std::vector<RowBlock> blocks_;
    std::vector<std::int32_t> point_stencil_, all_stencil_;
    std::vector<std::int32_t> product_stencil_;  // of the attachments that rows_ are made of
    std::vector<int> place_;                     // of each attachment among these
    std::vector<RowLaw> laws_;                   // of rows (2) and (3)
    RowLaw tied_;
    std::vector<std::int32_t> difference_stencil_;
    std::vector<RowLaw> difference_laws_;
    RowLaw coupling_law_;
};

}  // namespace ancora::joints
