// SPDX-License-Identifier: BSD-3-Clause
// Parameters from measured motion.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <unsupported/Eigen/LevenbergMarquardt>

#include "ancora/framework/gradient.hpp"
#include "ancora/framework/simulation.hpp"
#include "dense.hpp"
#include "measured_data.hpp"
#include "model_parameter.hpp"
#include "model_runs.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// Distance of neighbours, relative to the parameter's scale: a central difference errs by its
// square, which only turns the search.
constexpr double kDistance = 0x1p-10;
// Weights follow what is left of each column until they change by less than this.
constexpr double kSettled = 0.05;
constexpr int kMostPasses = 8;
// Of the spread of a column: what is left of perfect data weighs no more than this.
constexpr double kPerfect = 1e-10;
constexpr double kTolerance = 1e-10;  // of the sum of squares and of the parameters
// Of the largest eigenvalue of J^T J with columns of length 1: what the data do not tell.
constexpr double kUntold = 1e-12;
// What the linearised problem may promise at the values found, of the sum of squares: a search that
// has settled leaves 1e-10 of it, an error of 1e-6 in J 1e-12.
constexpr double kPromised = 1e-4;
// Of what is left of a column to its spread: so good a fit leaves no more to be promised.
constexpr double kGood = 1e-6;
// Of J: smooth differences at two distances differ by squares of these, at a jump by a half.
constexpr double kJump = 0.1;
constexpr double kAtBound = 1e-6;    // of the scale
constexpr double kFromBound = 1e-3;  // a start at a bound is moved inside by this

/// A parameter p by a number u without bounds, as users of MINPACK do:
///
///   lower and upper: p = lower + (upper - lower) (1 + sin u) / 2
///   one of them:     p = bound +- s (sqrt(1 + u^2) - 1)                                  (1)
///   none:            p = s u
class BoundedNumber {
public:
    BoundedNumber(const FitParameter& of, double scale)
        : lower_(of.lower), upper_(of.upper), scale_(scale) {}

    double value(double u) const {
        if (lower_ && upper_) return *lower_ + 0.5 * (*upper_ - *lower_) * (1.0 + std::sin(u));
        const double away = scale_ * (std::sqrt(1.0 + u * u) - 1.0);
        return lower_ ? *lower_ + away : upper_ ? *upper_ - away : scale_ * u;
    }
    double slope(double u) const {
        if (lower_ && upper_) return 0.5 * (*upper_ - *lower_) * std::cos(u);
        const double away = scale_ * u / std::sqrt(1.0 + u * u);
        return lower_ ? away : upper_ ? -away : scale_;
    }
    double inverse(double p) const {
        if (lower_ && upper_) {
            const double range = *upper_ - *lower_;
            p = std::clamp(p, *lower_ + kFromBound * range, *upper_ - kFromBound * range);
            return std::asin(2.0 * (p - *lower_) / range - 1.0);
        }
        if (!lower_ && !upper_) return p / scale_;
        const double away =
            std::max((lower_ ? p - *lower_ : *upper_ - p) / scale_, kFromBound) + 1.0;
        return std::sqrt(away * away - 1.0);
    }
    bool is_at_bound(double p) const {
        return (lower_ && p - *lower_ < kAtBound * scale_) ||
               (upper_ && *upper_ - p < kAtBound * scale_);
    }

private:
    std::optional<double> lower_, upper_;
    double scale_;
};

/// The differences r = w (model - data) and dr/du, of runs.
class Misfit : public Eigen::DenseFunctor<double> {
public:
    Misfit(ModelRuns& runs,
           const MeasuredData& data,
           const std::vector<ModelParameter>& parameters,
           const std::vector<BoundedNumber>& numbers,
           const std::vector<double>& scales)
        : DenseFunctor(static_cast<int>(parameters.size()), static_cast<int>(data.values.size())),
          runs_(runs),
          data_(data),
          parameters_(parameters),
          numbers_(numbers),
          scales_(scales),
          weights_(data.columns.size(), 1.0) {}

    std::vector<double>& weights() { return weights_; }

    int operator()(const Eigen::VectorXd& u, Eigen::VectorXd& r) {
        const std::vector<double> values = run_at(values_at(u));
        if (values.empty()) {
            // No model there: so far away that the step is taken back.
            r.setConstant(far_);
            return 0;
        }
        weigh(values, r);
        if (far_ == 0.0) far_ = 1e3 * (r.norm() + 1.0);
        return 0;
    }

    int df(const Eigen::VectorXd& u, Eigen::MatrixXd& J) {
        differentiate(values_at(u), kDistance, J);
        for (Eigen::Index k = 0; k < J.cols(); ++k) J.col(k) *= numbers_[k].slope(u[k]);
        return 0;
    }

    std::vector<double> values_at(const Eigen::VectorXd& u) const {
        std::vector<double> p;
        for (std::size_t k = 0; k < numbers_.size(); ++k)
            p.push_back(numbers_[k].value(u[static_cast<Eigen::Index>(k)]));
        return p;
    }
    /// As MeasuredData::values; empty if the run fails.
    std::vector<double> run_at(const std::vector<double>& p) {
        if (p == at_) return there_;
        const std::vector<RunResult> results = runs_.run({overrides_with(p)}, make_watch());
        at_ = p;
        there_ = results.front().values;
        failure_ = results.front().failure;
        return there_;
    }
    const std::string& failure() const { return failure_; }

    /// dr/dp, by differences of fourth order.
    /// @param jumps  whether r does within their distance: then one of them is half the other
    Eigen::MatrixXd jacobian(const std::vector<double>& p, bool& jumps) {
        Eigen::MatrixXd near, far;
        differentiate(p, kDistance, near);
        differentiate(p, 2.0 * kDistance, far);
        jumps = (near - far).norm() > kJump * near.norm();
        return near + (near - far) / 3.0;
    }

    /// dr/dp, by differences to this distance, relative to the scales.
    void differentiate(const std::vector<double>& p, double relative, Eigen::MatrixXd& J) {
        std::vector<std::vector<std::string>> overrides;
        std::vector<std::array<double, 2>> at;
        for (std::size_t k = 0; k < p.size(); ++k) {
            const double distance = relative * scales_[k];
            at.push_back({p[k] + distance, p[k] - distance});
            for (const double value : at.back()) {
                std::vector<double> there = p;
                there[k] = value;
                overrides.push_back(overrides_with(there));
            }
        }
        const std::vector<RunResult> results = runs_.run(overrides, make_watch());
        J.resize(static_cast<Eigen::Index>(data_.values.size()),
                 static_cast<Eigen::Index>(p.size()));
        for (std::size_t k = 0; k < p.size(); ++k) {
            // One-sided where the other is no model.
            std::array<std::vector<double>, 2> values;
            for (std::size_t side = 0; side < 2; ++side) {
                const RunResult& result = results[2 * k + side];
                values[side] = result.values;
                if (!result.values.empty()) continue;
                values[side] = there_;
                at[k][side] = p[k];
            }
            if (at[k][0] == at[k][1])
                throw Error(ErrorKind::numerical,
                            fmt::format("{}: no run with a neighbouring value: {}",
                                        parameters_[k].key(),
                                        results[2 * k].failure));
            for (std::size_t i = 0; i < data_.values.size(); ++i)
                J(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
                    weights_[i % weights_.size()] * (values[0][i] - values[1][i]) /
                    (at[k][0] - at[k][1]);
        }
    }

    void weigh(const std::vector<double>& values, Eigen::VectorXd& r) const {
        r.resize(static_cast<Eigen::Index>(values.size()));
        for (std::size_t i = 0; i < values.size(); ++i)
            r[static_cast<Eigen::Index>(i)] =
                weights_[i % weights_.size()] * (values[i] - data_.values[i]);
    }

private:
    ModelRuns::MakeWatch make_watch() const {
        return [this](const Simulation& simulation) {
            return std::make_unique<DataWatch>(data_, simulation);
        };
    }
    std::vector<std::string> overrides_with(const std::vector<double>& p) const {
        std::vector<std::string> out;
        for (std::size_t k = 0; k < p.size(); ++k)
            out.push_back(parameters_[k].override_with(p[k]));
        return out;
    }

    ModelRuns& runs_;
    const MeasuredData& data_;
    const std::vector<ModelParameter>& parameters_;
    const std::vector<BoundedNumber>& numbers_;
    const std::vector<double>& scales_;
    std::vector<double> weights_;
    double far_ = 0.0;
    std::vector<double> at_, there_;
    std::string failure_;
};

/// Root mean square of each column's differences.
std::vector<double> rms_of(const std::vector<double>& values, const MeasuredData& data) {
    const std::size_t count = data.columns.size();
    std::vector<double> sum(count, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i)
        sum[i % count] += std::pow(values[i] - data.values[i], 2);
    for (double& x : sum) x = std::sqrt(x / static_cast<double>(data.t.size()));
    return sum;
}

/// Standard deviation of each column's data; 1 of a constant.
std::vector<double> spread_of(const MeasuredData& data) {
    const std::size_t count = data.columns.size();
    std::vector<double> mean(count, 0.0), square(count, 0.0);
    const auto rows = static_cast<double>(data.t.size());
    for (std::size_t i = 0; i < data.values.size(); ++i) mean[i % count] += data.values[i] / rows;
    for (std::size_t i = 0; i < data.values.size(); ++i)
        square[i % count] += std::pow(data.values[i] - mean[i % count], 2) / rows;
    for (double& x : square) x = x > 0.0 ? std::sqrt(x) : 1.0;
    return square;
}

/// C = (J^T J)^-1 |r|^2 / (m - n), and what the data do not tell.
void set_deviations(const Eigen::MatrixXd& J, double squares, Fit& out) {
    const Eigen::Index n = J.cols();
    Eigen::VectorXd length(n);
    Eigen::MatrixXd unit = J;
    for (Eigen::Index k = 0; k < n; ++k) {
        length[k] = J.col(k).norm();
        if (length[k] > 0.0) unit.col(k) /= length[k];
    }
    const SymmetricEigen eigen(unit.transpose() * unit);
    const double largest = eigen.values().maxCoeff();
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(n, n);
    std::vector<bool> is_untold(static_cast<std::size_t>(n), false);
    for (Eigen::Index j = 0; j < n; ++j) {
        const Eigen::VectorXd direction = eigen.vectors().col(j);
        if (eigen.values()[j] > kUntold * largest) {
            inverse += direction * direction.transpose() / eigen.values()[j];
            continue;
        }
        std::string names;
        for (Eigen::Index k = 0; k < n; ++k)
            if (std::abs(direction[k]) > 0.1) {
                is_untold[static_cast<std::size_t>(k)] = true;
                names += (names.empty() ? "" : ", ") + out.by[static_cast<std::size_t>(k)].key;
            }
        out.remark =
            fmt::format("the data do not tell {}: {}",
                        names.find(',') == std::string::npos ? "a parameter" : "parameters apart",
                        names);
    }
    const auto free = static_cast<double>(std::max<Eigen::Index>(1, J.rows() - n));
    out.correlation.assign(static_cast<std::size_t>(n * n), kUnknown);
    for (Eigen::Index a = 0; a < n; ++a) {
        if (is_untold[static_cast<std::size_t>(a)] || length[a] == 0.0) {
            out.by[static_cast<std::size_t>(a)].deviation = kUnknown;
            continue;
        }
        out.by[static_cast<std::size_t>(a)].deviation =
            std::sqrt(inverse(a, a) * squares / free) / length[a];
        for (Eigen::Index b = 0; b < n; ++b)
            if (!is_untold[static_cast<std::size_t>(b)] && length[b] > 0.0)
                out.correlation[static_cast<std::size_t>(a * n + b)] =
                    inverse(a, b) / std::sqrt(inverse(a, a) * inverse(b, b));
    }
}

/// The part |J (J^T J)^-1 J^T r|^2 / |r|^2 of the sum of squares that goes in the linearised
/// problem, by parameters that are at no bound.
double promised(const Eigen::MatrixXd& J, const Eigen::VectorXd& r, const Fit& fit) {
    Eigen::MatrixXd unit = J;
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
        const double length = unit.col(k).norm();
        unit.col(k) *=
            length > 0.0 && !fit.by[static_cast<std::size_t>(k)].is_at_bound ? 1.0 / length : 0.0;
    }
    const SymmetricEigen eigen(unit.transpose() * unit);
    const Eigen::VectorXd slope = unit.transpose() * r;
    double gain = 0.0;
    for (Eigen::Index j = 0; j < J.cols(); ++j)
        if (eigen.values()[j] > kUntold * std::max(1.0, eigen.values().maxCoeff()))
            gain += std::pow(eigen.vectors().col(j).dot(slope), 2) / eigen.values()[j];
    return r.squaredNorm() > 0.0 ? gain / r.squaredNorm() : 0.0;
}

double bound_of(std::string_view text, const std::string& whole) {
    double x = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x))
        throw Error(ErrorKind::usage,
                    fmt::format("{}: {} is no number; write KEY or KEY=LOWER:UPPER",
                                in_quotes(whole),
                                in_quotes(std::string(text))));
    return x;
}

std::string why_stuck(bool jumps, double promised) {
    std::string out =
        jumps ? "values at the times of the data jump where parameters change a little"
              : fmt::format(
                    "no step of the search lowers what is left, of whose squares slopes "
                    "promise {:.2g} %: values at the times of the data jump",
                    100.0 * promised);
    return out +
           ", as velocities do where an impact passes a time; standard deviations do not know "
           "that. "
           "Fit places, leave out data beside impacts, or begin nearer";
}

void require_data(const MeasuredData& data, std::size_t num_parameters) {
    if (data.columns.empty() || data.t.size() * data.columns.size() != data.values.size())
        throw Error(ErrorKind::usage, "measured data need a column, and a value for each time");
    for (const double x : data.values)
        if (!std::isfinite(x))
            throw Error(ErrorKind::usage, "measured data hold a value that is not finite");
    if (data.values.size() <= num_parameters)
        throw Error(ErrorKind::usage,
                    fmt::format("{} measured values are too few for {} parameters",
                                data.values.size(),
                                num_parameters));
}

}  // namespace

FitParameter FitParameter::parse(std::string_view text) {
    FitParameter out;
    const std::string whole(text);
    const std::size_t equals = whole.find('=');
    out.key = whole.substr(0, equals);
    if (equals != std::string::npos) {
        const std::string_view bounds = text.substr(equals + 1);
        const std::size_t colon = bounds.find(':');
        if (colon == std::string_view::npos)
            throw Error(ErrorKind::usage,
                        fmt::format("{}: write KEY or KEY=LOWER:UPPER", in_quotes(whole)));
        if (colon > 0) out.lower = bound_of(bounds.substr(0, colon), whole);
        if (colon + 1 < bounds.size()) out.upper = bound_of(bounds.substr(colon + 1), whole);
        if (out.lower && out.upper && !(*out.lower < *out.upper))
            throw Error(
                ErrorKind::usage,
                fmt::format("{}: the lower bound is not below the upper one", in_quotes(whole)));
    }
    return out;
}

Fit fit(const ModelSource& model,
        const MeasuredData& data,
        std::span<const FitParameter> by,
        PluginRegistry& registry,
        const GradientOptions& options) {
    if (by.empty()) throw Error(ErrorKind::usage, "a fit needs a parameter at least");
    require_data(data, by.size());
    ModelRuns runs(model, registry, options.workers);
    Simulation simulation = runs.make({});
    std::vector<std::string> keys;
    for (const FitParameter& one : by) keys.push_back(one.key);
    const std::vector<ModelParameter> parameters = find_parameters(model, keys, registry);

    Fit out;
    out.model = simulation.name();
    std::vector<double> scales;
    std::vector<BoundedNumber> numbers;
    Eigen::VectorXd u(static_cast<Eigen::Index>(by.size()));
    for (std::size_t k = 0; k < by.size(); ++k) {
        const double start = parameters[k].value();
        if ((by[k].lower && start < *by[k].lower) || (by[k].upper && start > *by[k].upper))
            throw Error(
                ErrorKind::usage,
                fmt::format("{0}: the model's value {1} is not between the bounds, and the search "
                            "begins there; give others, or another start: --set {0}=VALUE",
                            keys[k],
                            start));
        out.by.push_back({keys[k], parameters[k].unit(), start, start, kUnknown, false});
        scales.push_back(parameters[k].scale(simulation.extent()));
        numbers.emplace_back(by[k], scales.back());
        u[static_cast<Eigen::Index>(k)] = numbers.back().inverse(start);
    }
    // What the model as it stands does, or why it cannot.
    DataWatch watch(data, simulation);
    const std::vector<double> rms_start = rms_of(runs.run(simulation, watch).values, data);

    Misfit misfit(runs, data, parameters, numbers, scales);
    const std::vector<double> spread = spread_of(data);
    for (std::size_t c = 0; c < spread.size(); ++c) misfit.weights()[c] = 1.0 / spread[c];
    std::vector<double> values, rms;
    for (int pass = 0; pass < kMostPasses; ++pass) {
        Eigen::LevenbergMarquardt<Misfit> search(misfit);
        search.setFtol(kTolerance);
        search.setXtol(kTolerance);
        const Eigen::LevenbergMarquardtSpace::Status status = search.minimize(u);
        out.has_converged = status != Eigen::LevenbergMarquardtSpace::TooManyFunctionEvaluation &&
                            status != Eigen::LevenbergMarquardtSpace::ImproperInputParameters;
        values = misfit.run_at(misfit.values_at(u));
        if (values.empty())
            throw Error(ErrorKind::numerical,
                        fmt::format("no run with the values found: {}", misfit.failure()));
        // Each column by what is left of it: the likeliest values where errors are normal.
        rms = rms_of(values, data);
        double change = 0.0;
        for (std::size_t c = 0; c < spread.size(); ++c) {
            const double weight = 1.0 / std::max(rms[c], kPerfect * spread[c]);
            change = std::max(change, std::abs(std::log(weight / misfit.weights()[c])));
            misfit.weights()[c] = weight;
        }
        if (spread.size() == 1 || change < kSettled) break;
    }
    const std::vector<double> found = misfit.values_at(u);
    for (std::size_t k = 0; k < by.size(); ++k) {
        out.by[k].value = found[k];
        out.by[k].is_at_bound = numbers[k].is_at_bound(found[k]);
    }
    bool jumps = false;
    const Eigen::MatrixXd J = misfit.jacobian(found, jumps);
    Eigen::VectorXd r;
    misfit.weigh(values, r);
    set_deviations(J, r.squaredNorm(), out);
    bool is_good = true;
    for (std::size_t c = 0; c < spread.size(); ++c) is_good &= rms[c] <= kGood * spread[c];
    const double more = is_good ? 0.0 : promised(J, r, out);
    if (out.remark.empty() && (jumps || more > kPromised)) out.remark = why_stuck(jumps, more);
    for (std::size_t c = 0; c < data.columns.size(); ++c)
        out.columns.push_back({data.columns[c],
                               unit_of({data.columns[c], data.columns[c]}, simulation),
                               rms[c],
                               rms_start[c],
                               data.t.size()});
    if (!out.has_converged && out.remark.empty())
        out.remark = "the search was given up; begin nearer, or give bounds";
    out.fitted = std::move(values);
    out.runs = runs.count;
    return out;
}

}  // namespace ancora
