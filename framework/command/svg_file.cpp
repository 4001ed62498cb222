// SPDX-License-Identifier: BSD-3-Clause
#include "svg_file.hpp"

#include <cmath>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "own_file.hpp"

namespace ancora::command {

std::string escaped_xml(const std::string& text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    return out;
}

std::vector<double> Ruler::ticks() const {
    const double raw = (high - low) / 5.0, decade = std::pow(10.0, std::floor(std::log10(raw)));
    double step = decade;
    for (const double round : {2.0, 5.0, 10.0})
        if (step < raw) step = round * decade;
    std::vector<double> out;
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1.0)
        out.push_back(k * step + 0.0);  // no -0
    return out;
}

void require_own_svg(const std::filesystem::path& file, const char* mark, const char* of) {
    if (file.extension() != ".svg")
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\": the picture of {} ends in .svg", file.string(), of));
    require_own(file,
                mark,
                fmt::format("is no picture of {}; remove it, or name another file", of).c_str());
}

std::string svg_head(double width, double height, const char* mark, const std::string& title) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n{2}\n<rect width=\"100%\" "
        "height=\"100%\" fill=\"white\"/>\n<text x=\"16\" y=\"24\" font-size=\"14\">{3}</text>\n",
        width,
        height,
        mark,
        escaped_xml(title));
}

}  // namespace ancora::command
