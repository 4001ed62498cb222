// SPDX-License-Identifier: BSD-3-Clause
// Faces of the rows of joints.
#include "joint_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>

namespace ancora::joints {
namespace {

Eigen::Map<const Vec3> vec(std::span<const double> u, int i) {
    return Eigen::Map<const Vec3>(u.data() + 3 * i);
}
Eigen::Map<Vec3> vec(std::span<double> u, std::size_t first) {
    return Eigen::Map<Vec3>(u.data() + first);
}

}  // namespace

int JointRows::add(AttachmentRequest::Kind kind, std::string_view text, const char* key) {
    requests_.add(kind, text, key);
    return num_attachments() - 1;
}

void JointRows::coincide(int a, int b) {
    points_.push_back({a, b});
}

void JointRows::add_row(std::vector<Product> row, double constant, const RowLaw& law) {
    rows_.push_back({std::move(row), constant, {}, {}, {}});
    laws_.push_back(law);
}

void JointRows::tie_elastically(int a, int b, double stiffness) {
    RowLaw law{.kind = RowKind::elastic};
    law.compliance = 1.0 / stiffness;
    for (int k = 0; k < 3; ++k) {
        for (const int i : {a, b}) difference_stencil_.push_back(3 * i + k);
        difference_laws_.push_back(law);
    }
}

void JointRows::damp(const Coupled& measure, double damping) {
    couple(measure);
    coupling_law_.kind = RowKind::dashpot;
    coupling_law_.viscosity = damping;
}

void JointRows::finish() {
    const int n = num_attachments();
    for (int i = 0; i < 3 * n; ++i) all_stencil_.push_back(i);
    for (const auto& [a, b] : points_)
        for (int k = 0; k < 3; ++k)
            for (const int i : {a, b}) point_stencil_.push_back(3 * i + k);
    // Rows of products on the attachments that occur in one: points seldom do.
    place_.assign(static_cast<std::size_t>(n), -1);
    for (const Row& row : rows_)
        for (const auto& [i, j, w] : row.products)
            for (const int attachment : {i, j}) {
                int& place = place_[static_cast<std::size_t>(attachment)];
                if (place >= 0) continue;
                place = static_cast<int>(product_stencil_.size() / 3);
                for (int k = 0; k < 3; ++k) product_stencil_.push_back(3 * attachment + k);
            }
    const auto size = static_cast<Eigen::Index>(product_stencil_.size() / 3);
    for (Row& row : rows_) {
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(size, size);
        for (const auto& [i, j, w] : row.products) {
            const int at_i = place_[static_cast<std::size_t>(i)];
            const int at_j = place_[static_cast<std::size_t>(j)];
            K(at_i, at_j) += w;
            K(at_j, at_i) += w;
        }
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of(K);
        const auto part = [&](double sign) -> Eigen::MatrixXd {
            return of.eigenvectors() * (sign * of.eigenvalues()).cwiseMax(0.0).asDiagonal() *
                   of.eigenvectors().transpose();
        };
        const auto keep = [](const Eigen::MatrixXd& from, std::vector<double>& to) {
            to.assign(from.data(), from.data() + from.size());
        };
        keep(K, row.K);
        keep(part(1.0), row.positive);
        keep(part(-1.0), row.negative);
    }
    const auto add_block = [&](Form form, RowBlock block) {
        block.laws = {&tied_, 1};
        forms_.push_back(form);
        blocks_.push_back(block);
    };
    if (!points_.empty()) {
        RowBlock block;
        block.name = "gap";
        block.num_items = static_cast<std::int32_t>(3 * points_.size());
        block.rows_per_item = 1;
        block.scalars_per_item = 2;
        block.stencil = point_stencil_;
        block.degree = Degree::linear;
        block.tangent = TangentForm::none;
        add_block(Form::points, block);
    }
    if (!difference_laws_.empty()) {
        RowBlock block;
        block.name = "turn";
        block.num_items = static_cast<std::int32_t>(difference_laws_.size());
        block.rows_per_item = 1;
        block.scalars_per_item = 2;
        block.stencil = difference_stencil_;
        block.degree = Degree::linear;
        block.tangent = TangentForm::none;
        add_block(Form::differences, block);
        blocks_.back().laws = difference_laws_;
    }
    RowBlock whole;
    whole.num_items = 1;
    whole.scalars_per_item = 3 * n;
    whole.stencil = all_stencil_;
    if (!rows_.empty()) {
        RowBlock axes = whole;
        axes.name = "axes";
        axes.rows_per_item = static_cast<std::int32_t>(rows_.size());
        axes.scalars_per_item = static_cast<std::int32_t>(product_stencil_.size());
        axes.stencil = product_stencil_;
        axes.degree = Degree::quadratic;
        axes.tangent = TangentForm::isotropic;
        add_block(Form::products, axes);
        blocks_.back().laws = laws_;
    }
    if (!couplings_.empty()) {
        whole.name = "ratio";
        whole.rows_per_item = 1;
        whole.degree = Degree::general;
        whole.tangent = TangentForm::full;
        add_block(Form::coupling, whole);
        blocks_.back().laws = {&coupling_law_, 1};
    }
}

void JointRows::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    switch (form_of(block)) {
        case Form::points:
        case Form::differences: {
            const std::vector<std::int32_t>& stencil =
                form_of(block) == Form::points ? point_stencil_ : difference_stencil_;
            for (std::size_t k = 0; k < stencil.size() / 2; ++k) {
                const auto a = static_cast<std::size_t>(stencil[2 * k]);
                const auto b = static_cast<std::size_t>(stencil[2 * k + 1]);
                if (!out.pi.empty()) out.pi[k] = at.u[b] - at.u[a];
                if (!out.A.empty()) {
                    out.A[2 * k] = -1.0;
                    out.A[2 * k + 1] = 1.0;
                }
            }
            std::ranges::fill(out.b, 0.0);
            break;
        }
        case Form::products:
            evaluate_products(at, out);
            break;
        case Form::coupling:
            evaluate_coupling(at, out);
            break;
    }
    std::ranges::fill(out.pi_t, 0.0);
}

void JointRows::evaluate_products(const RowPoint& at, const RowValues& out) const {
    const std::size_t width = product_stencil_.size();
    const auto at_row = [&](std::size_t r, int attachment) {
        const int place = place_[static_cast<std::size_t>(attachment)];
        return vec(out.A, r * width + static_cast<std::size_t>(3 * place));
    };
    std::ranges::fill(out.A, 0.0);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        double pi = rows_[r].constant;
        double b = 0.0;
        for (const auto& [i, j, w] : rows_[r].products) {
            if (!out.pi.empty()) pi += w * vec(at.u, i).dot(vec(at.u, j));
            if (!out.A.empty()) {
                at_row(r, i) += w * vec(at.u, j);
                at_row(r, j) += w * vec(at.u, i);
            }
            if (!out.b.empty()) b -= 2.0 * w * vec(at.du, i).dot(vec(at.du, j));
        }
        if (!out.pi.empty()) out.pi[r] = pi;
        if (!out.b.empty()) out.b[r] = b;
    }
}

void JointRows::evaluate_coupling(const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.A, 0.0);
    double pi = 0.0, b = 0.0;
    for (std::size_t k = 0; k < couplings_.size(); ++k) {
        const auto& [function, attachments, factor, start] = couplings_[k];
        std::array<double, MeasureFunction::kMostScalars> u, du, g;
        for (std::size_t i = 0; i < function.num_scalars(); ++i) {
            const auto from = static_cast<std::size_t>(3 * attachments[i / 3]) + i % 3;
            u[i] = at.u[from];
            du[i] = at.du.empty() ? 0.0 : at.du[from];
        }
        if (!out.pi.empty())
            pi += factor *
                  (function.near(function.value(u.data()), at.state.empty() ? start : at.state[k]) -
                   start);
        if (!out.A.empty()) {
            function.gradient(u.data(), g.data());
            for (std::size_t i = 0; i < function.num_scalars(); ++i)
                out.A[static_cast<std::size_t>(3 * attachments[i / 3]) + i % 3] += factor * g[i];
        }
        if (!out.b.empty()) b += factor * function.bias(u.data(), du.data());
    }
    if (!out.pi.empty()) out.pi[0] = pi;
    if (!out.b.empty()) out.b[0] = b;
}

void JointRows::evaluate_step(int block, const RowStep& step, const RowStepValues& out) const {
    if (form_of(block) != Form::coupling) {
        evaluate(block, {step.mid, step.rate, step.t0 + 0.5 * step.h}, {{}, out.B, {}, {}});
        return;
    }
    std::ranges::fill(out.B, 0.0);
    for (std::size_t k = 0; k < couplings_.size(); ++k) {
        const auto& [function, attachments, factor, start] = couplings_[k];
        std::array<double, MeasureFunction::kMostScalars> u0, du, mid, u1, D;
        for (std::size_t i = 0; i < function.num_scalars(); ++i) {
            const auto from = static_cast<std::size_t>(3 * attachments[i / 3]) + i % 3;
            u0[i] = step.u0[from];
            du[i] = step.du[from];
            mid[i] = step.mid[from];
            u1[i] = step.u1[from];
        }
        function.step_gradient(u0.data(), mid.data(), u1.data(), D.data());
        for (std::size_t i = 0; i < function.num_scalars(); ++i)
            out.B[static_cast<std::size_t>(3 * attachments[i / 3]) + i % 3] += factor * D[i];
        if (step.state1.size() > k)
            step.state1[k] = function.near(function.value(u0.data()), step.state0[k]) +
                             function.dot(D.data(), du.data());
    }
}

void JointRows::evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const {
    std::ranges::fill(G, 0.0);
    if (form_of(block) == Form::products) {
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const std::vector<double>& K = !at.positive_part ? rows_[r].K
                                           : at.s[r] > 0.0   ? rows_[r].positive
                                                             : rows_[r].negative;
            const double factor = at.positive_part ? std::abs(at.s[r]) : at.s[r];
            for (std::size_t i = 0; i < K.size(); ++i) G[i] += factor * K[i];
        }
        return;
    }
    if (form_of(block) != Form::coupling || at.positive_part) return;
    const auto width = static_cast<std::size_t>(3 * num_attachments());
    for (const auto& [function, attachments, factor, start] : couplings_) {
        const std::size_t n = function.num_scalars();
        std::array<double, MeasureFunction::kMostScalars> u;
        std::array<double, MeasureFunction::kMostScalars * MeasureFunction::kMostScalars> H{};
        const auto place = [&attachments = attachments](std::size_t i) {
            return static_cast<std::size_t>(3 * attachments[i / 3]) + i % 3;
        };
        for (std::size_t i = 0; i < n; ++i) u[i] = at.mid[place(i)];
        function.add_hessian(u.data(), factor * at.s[0], H.data());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) G[place(i) * width + place(j)] += H[i * n + j];
    }
}

}  // namespace ancora::joints
