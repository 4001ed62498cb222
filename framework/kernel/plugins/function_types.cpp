// SPDX-License-Identifier: BSD-3-Clause
// Functions of the program as objects of a model.
#include "function_types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/authoring/differences.hpp"

namespace ancora {
namespace {

constexpr int kMostRowsOfFunction = 1000;
// Displacement by which a force's answer is found [m]; in a step of h a rate of this / h.
constexpr double kMoveOfForce = 1e-7;

constexpr Parameter kAt =
    parameter::point("at", "the points that the function is of: one, or a list of several")
        .or_texts()
        .required();
constexpr Parameter kForceSchema[] = {
    kAt,
    parameter::text(
        "work", "the heading of the ledger under which its work is booked", "external|nonideal")
        .otherwise("\"external\"")};
constexpr Parameter kConstraintSchema[] = {kAt};

/// The points that "at" names.
class FunctionPoints {
public:
    explicit FunctionPoints(const Arguments& arguments) {
        const auto add = [&](std::string_view text) {
            texts_.add(AttachmentRequest::Kind::point, text, "at");
        };
        if (arguments.shape("at") == Shape::texts)
            for (int i = 0; i < arguments.num_texts("at"); ++i) add(arguments.text("at", i));
        else
            add(arguments.text("at"));
        if (texts_.list().empty()) arguments.fail("at", "names no point");
    }
    std::span<const AttachmentRequest> list() const { return texts_.list(); }
    std::size_t num_scalars() const { return 3 * texts_.list().size(); }

private:
    AttachmentTexts texts_;
};

class FunctionForce final : public NonidealForce, private ForceTangent {
public:
    FunctionForce(std::shared_ptr<const ForceFunction> function, const Arguments& arguments)
        : function_(std::move(function)),
          points_(arguments),
          work_(arguments.text("work") == "external" ? WorkKind::external : WorkKind::nonideal) {
        for (std::vector<double>* x : {&mid_, &rate_, &up_, &down_})
            x->resize(points_.num_scalars());
    }

    std::span<const AttachmentRequest> attachments() const override { return points_.list(); }
    WorkKind work() const override { return work_; }
    void facets(ForceFacets& out) const override {
        out.tangent = this;
        // Nobody knows what the function refers to; between bodies impulses sum to zero anyway.
        out.tied_to_inertial_frame = true;
    }

    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        std::ranges::fill(out.f, 0.0);
        function_->force({at.t, at.u, at.du}, out.f);
    }

    void differentiate_step(const RowStep& step,
                            std::span<const double> mean_velocity,
                            std::span<double> D) const override {
        const std::size_t k = points_.num_scalars();
        const double t = step.t0 + 0.5 * step.h;
        std::ranges::copy(step.mid, mid_.begin());
        std::ranges::copy(mean_velocity, rate_.begin());
        const auto moved = [&](std::size_t j, double by, std::vector<double>& force) {
            mid_[j] = step.mid[j] + 0.5 * by;
            rate_[j] = mean_velocity[j] + by / step.h;
            std::ranges::fill(force, 0.0);
            function_->force({t, mid_, rate_}, force);
            mid_[j] = step.mid[j];
            rate_[j] = mean_velocity[j];
        };
        for (std::size_t j = 0; j < k; ++j) {
            moved(j, kMoveOfForce, up_);
            moved(j, -kMoveOfForce, down_);
            for (std::size_t i = 0; i < k; ++i)
                D[i * k + j] = (up_[i] - down_[i]) / (2.0 * kMoveOfForce);
        }
    }

private:
    std::shared_ptr<const ForceFunction> function_;
    FunctionPoints points_;
    WorkKind work_;
    mutable std::vector<double> mid_, rate_, up_, down_;  // room of one call
};

class FunctionConstraint final : public Constraint {
public:
    FunctionConstraint(std::shared_ptr<const ConstraintFunction> function,
                       const Arguments& arguments)
        : function_(std::move(function)), points_(arguments) {
        const std::size_t k = points_.num_scalars();
        for (std::size_t i = 0; i < k; ++i) stencil_.push_back(static_cast<std::int32_t>(i));
        x_.resize(k);
        for (std::vector<double>& phi : phi_) phi.resize(function_->num_rows);
        block_.name = "phi";
        block_.num_items = 1;
        block_.rows_per_item = function_->num_rows;
        block_.scalars_per_item = static_cast<std::int32_t>(k);
        block_.stencil = stencil_;
        block_.laws = {&law_, 1};
        block_.tangent = TangentForm::none;
        block_.depends_on_time = function_->depends_on_time;
    }

    std::span<const AttachmentRequest> attachments() const override { return points_.list(); }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        std::ranges::copy(at.u, x_.begin());
        const std::size_t k = x_.size();
        if (!out.pi.empty()) value(at.t, out.pi);
        for (std::size_t j = 0; !out.A.empty() && j < k; ++j) {
            const double step = differences::kFirstStep * scale(j / 3, at.u);
            slope(
                step,
                [&](double by) {
                    x_[j] = at.u[j] + by;
                    return at.t;
                },
                [&](std::size_t row, double value) {
                    out.A[row * k + j] = value;
                });
            x_[j] = at.u[j];
        }
        if (!out.pi_t.empty()) {
            std::ranges::fill(out.pi_t, 0.0);
            if (function_->depends_on_time)
                slope(
                    differences::kFirstStep,
                    [&](double by) {
                        return at.t + by;
                    },
                    [&](std::size_t row, double value) {
                        out.pi_t[row] = value;
                    });
        }
        if (!out.b.empty()) bias(at, out.b);
    }

private:
    /// phi at x_.
    void value(double t, std::span<double> phi) const {
        std::ranges::fill(phi, 0.0);
        function_->phi(t, x_, phi);
    }

    /// The length on which phi may change with a point, as authoring/differences.hpp has it.
    double scale(std::size_t point, std::span<const double> u) const {
        double apart = 0.0, size = 0.0;
        for (std::size_t j = 0; j < u.size(); ++j)
            apart = std::max(apart, std::abs(u[j] - u[j % 3]));
        for (std::size_t c = 0; c < 3; ++c) size = std::max(size, std::abs(u[3 * point + c]));
        return differences::power_of_two(apart > 0.0 ? apart : size);
    }

    /// First derivatives along what `move` does, which returns the time.
    template <class Move, class Put>
    void slope(double step, const Move& move, const Put& put) const {
        for (std::size_t i = 0; i < 4; ++i) value(move(kPlaces[i] * step), phi_[i]);
        for (std::size_t row = 0; row < phi_[0].size(); ++row)
            put(row,
                (8.0 * (phi_[2][row] - phi_[1][row]) - (phi_[3][row] - phi_[0][row])) /
                    (12.0 * step));
    }

    /// Minus the second derivatives along u + u' tau, t + tau.
    void bias(const RowPoint& at, std::span<double> b) const {
        double rate = function_->depends_on_time ? 1.0 : 0.0;
        for (std::size_t j = 0; j < x_.size(); ++j)
            rate = std::max(rate, std::abs(at.du[j]) / scale(j / 3, at.u));
        const double step = differences::kSecondStep / differences::power_of_two(rate);
        for (std::size_t i = 0; i <= 4; ++i) {
            const double tau = i < 4 ? kPlaces[i] * step : 0.0;
            for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = at.u[j] + tau * at.du[j];
            value(at.t + tau, phi_[i]);
        }
        for (std::size_t row = 0; row < b.size(); ++row) {
            const double m = phi_[4][row];
            b[row] = -(16.0 * ((phi_[2][row] - m) + (phi_[1][row] - m)) -
                       ((phi_[3][row] - m) + (phi_[0][row] - m))) /
                     (12.0 * step * step);
        }
    }

    static constexpr std::array<double, 4> kPlaces{-2.0, -1.0, 1.0, 2.0};

    std::shared_ptr<const ConstraintFunction> function_;
    FunctionPoints points_;
    std::vector<std::int32_t> stencil_;
    RowLaw law_;
    RowBlock block_;
    // Room of one call.
    mutable std::vector<double> x_;
    mutable std::array<std::vector<double>, 5> phi_;
};

/// A type that Plugin::make makes objects of.
void* not_by_itself(const Arguments&) {
    throw std::logic_error("is a function of a program, and only that program can make it");
}

template <class Function>
void require_whole(const Function& function, bool is_callable) {
    if (!is_callable)
        throw Error(ErrorKind::usage,
                    fmt::format("type \"{}\": there is no function", function.type));
}

std::unique_ptr<ProgramPlugin> function_plugin(const std::string& name,
                                               const std::string& doc,
                                               TypeKind kind,
                                               std::span<const Parameter> schema,
                                               std::function<void*(const Arguments&)> make) {
    auto out = std::make_unique<ProgramPlugin>();
    out->name = name;
    out->doc = doc.empty() ? "a function of the program" : doc;
    out->type.kind = kind;
    out->type.name = out->name.c_str();
    out->type.doc = out->doc.c_str();
    out->type.parameters = schema.data();
    out->type.num_parameters = static_cast<std::int32_t>(schema.size());
    out->type.create = &not_by_itself;
    out->descriptor.size = sizeof(PluginDescriptor);
    out->descriptor.sdk_version = ANCORA_SDK_VERSION;
    out->descriptor.abi = kAbiFingerprint.data();
    out->descriptor.num_abi = static_cast<std::uint32_t>(kAbiFingerprint.size());
    out->descriptor.num_types = 1;
    out->descriptor.name = out->name.c_str();
    out->descriptor.version = "1";
    out->descriptor.types = &out->type;
    out->plugin = {name, "1", kThisProgram, {}, &out->descriptor, std::move(make)};
    return out;
}

}  // namespace

std::unique_ptr<ProgramPlugin> plugin_of(const PluginDescriptor& descriptor) {
    auto out = std::make_unique<ProgramPlugin>();
    out->plugin = {descriptor.name, descriptor.version, kThisProgram, {}, &descriptor, {}};
    return out;
}

std::unique_ptr<ProgramPlugin> plugin_of(ForceFunction function) {
    require_whole(function, static_cast<bool>(function.force));
    const auto shared = std::make_shared<const ForceFunction>(std::move(function));
    return function_plugin(
        shared->type,
        shared->doc,
        TypeKind::force,
        kForceSchema,
        [shared](const Arguments& arguments) -> void* {
            return static_cast<NonidealForce*>(new FunctionForce(shared, arguments));
        });
}

std::unique_ptr<ProgramPlugin> plugin_of(ConstraintFunction function) {
    require_whole(function, static_cast<bool>(function.phi));
    if (function.num_rows < 1 || function.num_rows > kMostRowsOfFunction)
        throw Error(ErrorKind::usage,
                    fmt::format("type \"{}\": {} rows; there may be 1 to {}",
                                function.type,
                                function.num_rows,
                                kMostRowsOfFunction));
    const auto shared = std::make_shared<const ConstraintFunction>(std::move(function));
    return function_plugin(
        shared->type,
        shared->doc,
        TypeKind::constraint,
        kConstraintSchema,
        [shared](const Arguments& arguments) -> void* {
            return static_cast<Constraint*>(new FunctionConstraint(shared, arguments));
        });
}

}  // namespace ancora
