// SPDX-License-Identifier: BSD-3-Clause
// Double logarithmic axes with decades, a line for each column.
#include "convergence_picture.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "own_file.hpp"
#include "svg_file.hpp"

namespace ancora::command {
namespace {

constexpr double kWidth = 720.0, kHeight = 460.0, kLeft = 80.0, kTop = 40.0, kPlot = 420.0,
                 kDeep = 360.0;
constexpr std::size_t kMostCurvesNamed = 21;  // lines of the legend
constexpr const char* kMark = "<!-- ancora convergence -->";

/// From values to places: logarithms between whole decades.
struct Axis {
    double low, high;
    Axis(double least, double most)
        : low(std::floor(std::log10(least))), high(std::ceil(std::log10(most))) {
        if (high <= low) high = low + 1.0;
    }
    double part(double x) const { return (std::log10(x) - low) / (high - low); }
};

}  // namespace

void require_convergence_picture(const std::filesystem::path& file) {
    require_own_svg(file, kMark, "a convergence");
}

void write_convergence_picture(const std::filesystem::path& file,
                               const std::string& model,
                               bool by_tolerance,
                               const std::vector<double>& parameters,
                               const std::vector<ConvergenceCurve>& curves) {
    double least = std::numeric_limits<double>::infinity(), most = 0.0;
    for (const ConvergenceCurve& curve : curves)
        for (const double value : curve.differences)
            if (value > 0.0) {
                least = std::min(least, value);
                most = std::max(most, value);
            }
    if (!(most > 0.0)) least = most = 1.0;
    const Axis across(parameters.back(), parameters.front()), up(least, most);
    const auto x = [&](double value) {
        return kLeft + kPlot * across.part(value);
    };
    const auto y = [&](double value) {
        return kTop + kDeep * (1.0 - up.part(value));
    };
    std::ostringstream out;
    out << svg_head(kWidth, kHeight, kMark, model);
    const auto line = [&](double x1, double y1, double x2, double y2, const char* color) {
        out << fmt::format(
            "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\"/>\n",
            x1,
            y1,
            x2,
            y2,
            color);
    };
    const int every = std::max(1, static_cast<int>((up.high - up.low) / 10.0) + 1);
    for (int decade = static_cast<int>(up.low); decade <= static_cast<int>(up.high);
         decade += every) {
        const double at = y(std::pow(10.0, decade));
        line(kLeft, at, kLeft + kPlot, at, "#ddd");
        out << fmt::format("<text x=\"{}\" y=\"{:.2f}\" text-anchor=\"end\">1e{}</text>\n",
                           kLeft - 6.0,
                           at + 4.0,
                           decade);
    }
    for (const double parameter : parameters) {
        line(x(parameter), kTop, x(parameter), kTop + kDeep, "#eee");
        out << fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{:.3g}</text>\n",
                           x(parameter),
                           kTop + kDeep + 18.0,
                           parameter);
    }
    out << fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" "
        "stroke=\"black\"/>\n<text "
        "x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n<text x=\"16\" y=\"{}\" "
        "transform=\"rotate(-90 16 {})\" text-anchor=\"middle\">difference from the next finer "
        "run</text>\n",
        kLeft,
        kTop,
        kPlot,
        kDeep,
        kLeft + 0.5 * kPlot,
        kTop + kDeep + 40.0,
        by_tolerance ? "tolerance" : "step [s]",
        kTop + 0.5 * kDeep,
        kTop + 0.5 * kDeep);
    // The largest differences at the finest steps come first: these have colours and names, the
    // others stand behind them.
    std::vector<const ConvergenceCurve*> order;
    for (const ConvergenceCurve& curve : curves) order.push_back(&curve);
    const auto finest = [](const ConvergenceCurve* curve) {
        const auto last = std::find_if(
            curve->differences.rbegin(), curve->differences.rend(), [](double difference) {
                return difference > 0.0;
            });
        return last == curve->differences.rend() ? 0.0 : *last;
    };
    std::ranges::stable_sort(order, std::greater<>(), finest);
    const auto draw = [&](const ConvergenceCurve& curve, const char* color, double wide) {
        std::string points;
        for (std::size_t k = 0; k < curve.differences.size(); ++k)
            if (curve.differences[k] > 0.0)
                points += fmt::format("{:.2f},{:.2f} ", x(parameters[k]), y(curve.differences[k]));
        out << fmt::format(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
            points,
            color,
            wide);
    };
    const std::size_t num_named =
        order.size() > kMostCurvesNamed ? kMostCurvesNamed - 1 : order.size();
    for (std::size_t c = order.size(); c-- > num_named;) draw(*order[c], "#c9ced6", 0.8);
    for (std::size_t c = num_named; c-- > 0;)
        draw(*order[c], kCurveColors[c % kCurveColors.size()], 1.5);
    for (std::size_t c = 0; c < std::min(num_named + 1, order.size()); ++c) {
        const double row = kTop + 8.0 + 17.0 * static_cast<double>(c);
        const bool is_rest = c == num_named;
        line(kLeft + kPlot + 12.0,
             row,
             kLeft + kPlot + 30.0,
             row,
             is_rest ? "#c9ced6" : kCurveColors[c % kCurveColors.size()]);
        out << fmt::format("<text x=\"{}\" y=\"{:.2f}\">{}</text>\n",
                           kLeft + kPlot + 36.0,
                           row + 4.0,
                           is_rest ? fmt::format("{} with smaller ones", order.size() - num_named)
                                   : escaped_xml(order[c]->name));
    }
    out << "</svg>\n";
    write_file(file, out.str());
}

}  // namespace ancora::command
