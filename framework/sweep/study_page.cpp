// SPDX-License-Identifier: BSD-3-Clause
// Puts the rows of a table into the page.
#include "study_page.hpp"

#include <vector>

#include <fmt/format.h>

#include "case_run.hpp"
#include "file_writer.hpp"
#include "results.hpp"

namespace ancora {
namespace {

constexpr std::string_view kPageMark = "<!doctype html><!-- Ancora study -->";
constexpr std::string_view kTitleMark = "%TITLE%";
constexpr std::string_view kDataMark = "%DATA%";

/// The cells of a line of CSV.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const bool is_double = is_quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"';
        if (is_double) ++i;
        if (c == '"' && !is_double)
            is_quoted = !is_quoted;
        else if (c == ',' && !is_quoted)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

/// A text of JSON that ends no element of the page; what is no UTF-8 in it the browser replaces.
std::string json_text_of(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
            out += fmt::format("\\u{:04x}", byte);
        else
            out += c;
    }
    return out + '"';
}

std::string json_list_of(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const std::string& text : texts) {
        if (out.size() > 1) out += ',';
        out += json_text_of(text);
    }
    return out + ']';
}

/// SI units of the table's columns, where names of columns of history.csv tell them.
std::vector<std::string> units_of(const Study& study) {
    std::vector<std::string> out(1 + study.keys().size() + 4);
    out[out.size() - 2] = "s";  // t, before the steps
    for (const StudyColumn& measure : study.measures) {
        std::string unit = unit_of_column(measure.column);
        if (measure.take == ColumnTake::integral) unit += unit.empty() ? "s" : " s";
        out.push_back(std::move(unit));
    }
    out.emplace_back();  // the message
    return out;
}

std::string html_text_of(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '&':
                out += "&amp;";
                break;
            default:
                out += c;
        }
    return out;
}

}  // namespace

std::string study_page(const Study& study, const std::map<std::size_t, std::string>& rows) {
    const std::size_t status = 1 + study.keys().size();
    std::size_t failed = 0;
    std::string lines;
    for (const auto& [index, row] : rows) {
        const std::vector<std::string> cells = cells_of(row);
        failed += cells.size() > status && cells[status] != "0" ? 1 : 0;
        lines += (lines.empty() ? "\n" : ",\n") + json_list_of(cells);
    }
    const std::string data = fmt::format(
        "{{\"name\":{},\"model\":{},\"keys\":{},\"set\":{},\"runs\":{},\"failed\":{},\"total\":{},"
        "\"columns\":{},\n\"units\":{},\n\"rows\":[{}]}}",
        json_text_of(study.name),
        json_text_of(study.model.filename().string()),
        study.keys().size(),
        json_list_of(study.set),
        study.keep_runs,
        failed,
        study.num_cases(),
        json_list_of(cells_of(study.header())),
        json_list_of(units_of(study)),
        lines);
    std::string page(kStudyPage);
    // The data last: they may hold whatever they like.
    page.replace(page.find(kTitleMark), kTitleMark.size(), html_text_of(study.name));
    page.replace(page.rfind(kDataMark), kDataMark.size(), data);
    return page;
}

void write_study_page(const std::filesystem::path& file,
                      const Study& study,
                      const std::map<std::size_t, std::string>& rows) {
    replace_file(file, study_page(study, rows), kPageMark, "the page of a study");
}

}  // namespace ancora
