// SPDX-License-Identifier: BSD-3-Clause
// Linear axes with round numbers, a line for each mode and one for the spin itself.
#include "campbell_picture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include "own_file.hpp"
#include "svg_file.hpp"

namespace ancora::command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTableStart = "spin_rate,mode1.";
constexpr const char* kPictureMark = "<!-- ancora campbell -->";
constexpr std::size_t kMostNamed = 20;

constexpr const char* kForeign =
    "was not written by `ancora modes`; remove it, or name another folder";

std::string table_of(const std::vector<double>& rates, const std::vector<CampbellCurve>& curves) {
    std::ostringstream out;
    out << "spin_rate";
    for (std::size_t k = 1; k <= curves.size(); ++k)
        out << fmt::format(",mode{0}.frequency,mode{0}.damping_ratio,mode{0}.whirl", k);
    out << "\n";
    for (std::size_t i = 0; i < rates.size(); ++i) {
        out << fmt::format("{:.17g}", rates[i]);
        for (const CampbellCurve& curve : curves)
            for (const double x : {curve.frequency[i], curve.damping[i], curve.whirl[i]})
                out << (std::isnan(x) ? "," : fmt::format(",{:.17g}", x));
        out << "\n";
    }
    return out.str();
}

}  // namespace

void require_campbell(const fs::path& folder) {
    require_own(folder / "campbell.csv", kTableStart, kForeign);
    require_own(folder / "campbell.svg", kPictureMark, kForeign);
}

void write_campbell(const fs::path& folder,
                    const std::string& model,
                    bool is_turning,
                    const std::vector<double>& rates,
                    const std::vector<CampbellCurve>& curves) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    write_file(folder / "campbell.csv", table_of(rates, curves));

    double highest = 0.0;
    for (const CampbellCurve& curve : curves)
        for (const double f : curve.frequency)
            if (f > highest) highest = f;
    if (highest == 0.0) highest = 1.0;
    constexpr double kRight = 560.0, kBottom = 420.0, kEdge = 80.0, kHead = 40.0;
    const Ruler across{
        *std::ranges::min_element(rates), *std::ranges::max_element(rates), kEdge, kRight};
    const Ruler up{0.0, 1.05 * highest, kBottom, kHead};
    std::ostringstream out;
    out << svg_head(820.0, 480.0, kPictureMark, model);
    const auto line =
        [&](double x1, double y1, double x2, double y2, const char* color, const char* more) {
            out << fmt::format(
                "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" "
                "stroke=\"{}\"{}/>\n",
                x1,
                y1,
                x2,
                y2,
                color,
                more);
        };
    for (const double f : up.ticks()) {
        line(kEdge, up.at(f), kRight, up.at(f), "#ddd", "");
        out << fmt::format("<text x=\"{}\" y=\"{:.2f}\" text-anchor=\"end\">{:.6g}</text>\n",
                           kEdge - 6.0,
                           up.at(f) + 4.0,
                           f);
    }
    for (const double rate : across.ticks()) {
        line(across.at(rate), kHead, across.at(rate), kBottom, "#eee", "");
        out << fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{:.6g}</text>\n",
                           across.at(rate),
                           kBottom + 18.0,
                           rate);
    }
    // The spin's own frequency, as far as it is in the picture.
    if (!is_turning)
        for (const double end : {across.low, across.high}) {
            const double most = 2.0 * std::numbers::pi * up.high,
                         to = std::clamp(end, std::min(-most, 0.0), most);
            line(across.at(std::clamp(0.0, across.low, across.high)),
                 up.at(std::abs(std::clamp(0.0, across.low, across.high)) /
                       (2.0 * std::numbers::pi)),
                 across.at(to),
                 up.at(std::abs(to) / (2.0 * std::numbers::pi)),
                 "#666",
                 " stroke-dasharray=\"5,4\"");
        }
    out << fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\"/>\n"
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">spin [rad/s]{}</text>\n"
        "<text x=\"16\" y=\"{}\" transform=\"rotate(-90 16 {})\" "
        "text-anchor=\"middle\">frequency [Hz]</text>\n",
        kEdge,
        kHead,
        kRight - kEdge,
        kBottom - kHead,
        0.5 * (kEdge + kRight),
        kBottom + 40.0,
        is_turning ? ", frequencies in axes that turn with it" : "",
        0.5 * (kHead + kBottom),
        0.5 * (kHead + kBottom));
    for (std::size_t k = 0; k < curves.size(); ++k) {
        const char* const color = kCurveColors[k % kCurveColors.size()];
        std::string points;
        const auto draw = [&] {
            if (!points.empty())
                out << fmt::format(
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
                    "stroke-width=\"1.5\"/>\n",
                    points,
                    color);
            points.clear();
        };
        for (std::size_t i = 0; i < rates.size(); ++i)
            if (std::isnan(curves[k].frequency[i]))
                draw();
            else
                points += fmt::format(
                    "{:.2f},{:.2f} ", across.at(rates[i]), up.at(curves[k].frequency[i]));
        draw();
        if (k >= kMostNamed) continue;
        const double row = kHead + 8.0 + 17.0 * static_cast<double>(k);
        line(kRight + 12.0, row, kRight + 30.0, row, color, "");
        out << fmt::format("<text x=\"{}\" y=\"{:.2f}\">{}</text>\n",
                           kRight + 36.0,
                           row + 4.0,
                           escaped_xml(curves[k].name));
    }
    out << "</svg>\n";
    write_file(folder / "campbell.svg", out.str());
}

}  // namespace ancora::command
