// SPDX-License-Identifier: BSD-3-Clause
#include "page_text.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "page_array.hpp"
#include "page_parts.hpp"
#include "sha256.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

std::string escaped_html(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

/// What a content policy says of an inline script or style.
std::string hash_source(std::string_view text) {
    const std::string digits = sha256_of_text(text);
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2)
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return "'sha256-" + base64(bytes) + "'";
}

/// Puts `parts` in the places that the template marks @NAME@.
std::string fill_in(std::string_view pattern,
                    const std::vector<std::pair<std::string_view, std::string_view>>& parts) {
    std::string out;
    std::size_t at = 0;
    while (true) {
        std::size_t next = std::string_view::npos;
        const std::pair<std::string_view, std::string_view>* found = nullptr;
        for (const auto& part : parts)
            if (const std::size_t place = pattern.find(part.first, at); place < next) {
                next = place;
                found = &part;
            }
        out += pattern.substr(at, next - at);
        if (found == nullptr) return out;
        out += found->second;
        at = next + found->first.size();
    }
}

/// JSON that no HTML parser takes for the end of its element.
std::string script_data(const Json& json) {
    std::string out;
    for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    return out;
}

}  // namespace

std::string page_of(const std::string& title, const Json& data, const std::string& connect) {
    static const std::string scripts = fmt::format("{} {} {}",
                                                   hash_source(page::kThree),
                                                   hash_source(page::kUplot),
                                                   hash_source(page::kScript));
    static const std::string style = hash_source(page::kStyle);
    // A page that is watched asks a script beside it whether it has been written anew.
    const std::string policy =
        fmt::format("default-src 'none'; script-src {}{}; style-src {}; img-src data: blob:",
                    scripts,
                    data.contains("watch") ? " file:" : "",
                    style);
    return fill_in(page::kTemplate,
                   {{"@TITLE@", escaped_html(title)},
                    {"@POLICY@", connect.empty() ? policy : policy + "; connect-src " + connect},
                    {"@STYLE@", page::kStyle},
                    {"@THREE@", page::kThree},
                    {"@UPLOT@", page::kUplot},
                    {"@SCRIPT@", page::kScript},
                    {"@DATA@", script_data(data)}});
}

}  // namespace ancora
