// SPDX-License-Identifier: BSD-3-Clause
// Bars of relative derivatives; data and fit over time.
#include "gradient_picture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "own_file.hpp"
#include "svg_file.hpp"

namespace ancora::command {
namespace {

constexpr const char* kGradientMark = "<!-- ancora gradient -->";
constexpr const char* kFitMark = "<!-- ancora fit -->";
constexpr double kWidth = 760.0, kNames = 250.0, kEdge = 90.0, kTitle = 48.0;

void put_text(std::ostream& out,
              double x,
              double y,
              const char* anchor,
              const std::string& text,
              const char* color = "black") {
    out << fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n",
                       x,
                       y,
                       anchor,
                       color,
                       escaped_xml(text));
}

void put_line(std::ostream& out, double x1, double y1, double x2, double y2, const char* color) {
    out << fmt::format(
        "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\"/>\n",
        x1,
        y1,
        x2,
        y2,
        color);
}

/// The ends of some values, a little apart.
Ruler ruler_of(double low, double high, double from, double to) {
    if (!(high > low)) {
        const double half = high != 0.0 ? 0.1 * std::abs(high) : 1.0;
        low -= half;
        high += half;
    }
    const double margin = 0.04 * (high - low);
    return {low - margin, high + margin, from, to};
}

/// Values over time between left and right, top and bottom.
class Panel {
public:
    Panel(std::ostream& out, const Ruler& across, const Ruler& up)
        : out_(out), across_(across), up_(up) {
        for (const double y : up.ticks()) {
            put_line(out, across.from, up.at(y), across.to, up.at(y), "#ddd");
            put_text(out, across.from - 6.0, up.at(y) + 4.0, "end", fmt::format("{:.4g}", y));
        }
        out << fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\"/>\n",
            across.from,
            up.to,
            across.to - across.from,
            up.from - up.to);
    }
    void line(const std::vector<double>& t, const std::vector<double>& y, const char* color) {
        std::string points;
        for (std::size_t i = 0; i < t.size(); ++i)
            points += fmt::format("{:.2f},{:.2f} ", across_.at(t[i]), up_.at(y[i]));
        out_ << fmt::format(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
            points,
            color);
    }
    void dots(const std::vector<double>& t, const std::vector<double>& y, const char* color) {
        for (std::size_t i = 0; i < t.size(); ++i)
            out_ << fmt::format(
                "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2\" fill=\"none\" stroke=\"{}\"/>\n",
                across_.at(t[i]),
                up_.at(y[i]),
                color);
    }

private:
    std::ostream& out_;
    Ruler across_, up_;
};

}  // namespace

void require_gradient_picture(const std::filesystem::path& file) {
    require_own_svg(file, kGradientMark, "a gradient");
}

void require_fit_picture(const std::filesystem::path& file) {
    require_own_svg(file, kFitMark, "a fit");
}

void write_gradient_picture(const std::filesystem::path& file, const Gradient& gradient) {
    constexpr double kBar = 20.0, kGap = 44.0;
    const double panel = kBar * static_cast<double>(gradient.by.size()) + kGap;
    const double height = kTitle + panel * static_cast<double>(gradient.of.size());
    std::ostringstream out;
    out << svg_head(kWidth, height, kGradientMark, gradient.model + ": change in % for + 1 %");
    for (std::size_t i = 0; i < gradient.of.size(); ++i) {
        const double top = kTitle + panel * static_cast<double>(i);
        put_text(out, 16.0, top, "start", gradient.of[i].text);
        std::vector<double> relative;
        double most = 0.0;
        for (std::size_t k = 0; k < gradient.by.size(); ++k) {
            relative.push_back(gradient.relative(i, k).value_or(NAN));
            if (std::isfinite(relative.back())) most = std::max(most, std::abs(relative.back()));
        }
        if (!(most > 0.0)) most = 1.0;
        std::vector<std::size_t> order(gradient.by.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto size = [&](std::size_t k) {
            return std::isfinite(relative[k]) ? std::abs(relative[k]) : -1.0;
        };
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            return size(a) > size(b);
        });
        const Ruler across{-most, most, kNames, kWidth - kEdge};
        for (std::size_t row = 0; row < order.size(); ++row) {
            const std::size_t k = order[row];
            const double y = top + 10.0 + kBar * static_cast<double>(row);
            put_text(out, kNames - 8.0, y + 12.0, "end", gradient.by[k].key);
            if (!std::isfinite(relative[k])) {
                const double value = gradient.entry(i, k).value;
                put_text(out,
                         across.at(0.0) + 6.0,
                         y + 12.0,
                         "start",
                         std::isfinite(value) ? fmt::format("derivative {:.4g}", value) : "none",
                         "#666");
                continue;
            }
            const double x = across.at(relative[k]), zero = across.at(0.0);
            out << fmt::format(
                "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/>\n",
                std::min(x, zero),
                y + 1.0,
                std::abs(x - zero),
                kBar - 5.0,
                relative[k] < 0.0 ? kCurveColors[3] : kCurveColors[0]);
            put_text(out,
                     kWidth - kEdge + 8.0,
                     y + 12.0,
                     "start",
                     fmt::format("{:+.4g} %", relative[k]));
        }
        put_line(out,
                 across.at(0.0),
                 top + 8.0,
                 across.at(0.0),
                 top + 8.0 + kBar * static_cast<double>(order.size()),
                 "black");
    }
    out << "</svg>\n";
    write_file(file, out.str());
}

void write_fit_picture(const std::filesystem::path& file,
                       const MeasuredData& data,
                       const Fit& fit) {
    constexpr double kUpper = 170.0, kLower = 60.0, kBetween = 14.0, kBelow = 46.0;
    constexpr double kPanel = kUpper + kLower + kBetween + kBelow;
    const std::size_t count = data.columns.size();
    std::ostringstream out;
    out << svg_head(kWidth,
                    kTitle + kPanel * static_cast<double>(count),
                    kFitMark,
                    fit.model + ": measured (dots), fitted (line), and what is left");
    for (std::size_t c = 0; c < count; ++c) {
        std::vector<double> measured, fitted, left;
        for (std::size_t i = c; i < data.values.size(); i += count) {
            measured.push_back(data.values[i]);
            fitted.push_back(fit.fitted[i]);
            left.push_back(data.values[i] - fit.fitted[i]);
        }
        const double top = kTitle + kPanel * static_cast<double>(c);
        const Ruler across{data.t.front(), data.t.back(), kEdge, kWidth - 20.0};
        const auto ends = [](const std::vector<double>& a, const std::vector<double>& b) {
            return std::array{std::min(*std::ranges::min_element(a), *std::ranges::min_element(b)),
                              std::max(*std::ranges::max_element(a), *std::ranges::max_element(b))};
        };
        const auto [low, high] = ends(measured, fitted);
        const auto [low_left, high_left] = ends(left, left);
        put_text(out,
                 kEdge,
                 top - 6.0,
                 "start",
                 fit.columns[c].unit.empty()
                     ? data.columns[c]
                     : fmt::format("{} [{}]", data.columns[c], fit.columns[c].unit));
        Panel values(out, across, ruler_of(low, high, top + kUpper, top));
        values.dots(data.t, measured, kCurveColors[7]);
        values.line(data.t, fitted, kCurveColors[0]);
        const double bottom = top + kUpper + kBetween + kLower;
        Panel rest(out, across, ruler_of(low_left, high_left, bottom, bottom - kLower));
        rest.dots(data.t, left, kCurveColors[3]);
        for (const double t : across.ticks())
            put_text(out, across.at(t), bottom + 16.0, "middle", fmt::format("{:.6g}", t));
    }
    put_text(out,
             0.5 * (kEdge + kWidth),
             kTitle + kPanel * static_cast<double>(count) - 8.0,
             "middle",
             "t [s]");
    out << "</svg>\n";
    write_file(file, out.str());
}

}  // namespace ancora::command
