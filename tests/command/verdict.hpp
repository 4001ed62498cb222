// SPDX-License-Identifier: BSD-3-Clause
// What `ancora verify` says of a plugin, for tests of it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/process.hpp"

namespace ancora::testing {

using Json = nlohmann::json;
using Names = std::set<std::string>;

struct Verdict {
    int status = -1;
    Json report;

    /// Names of the checks of `type` that ended like this.
    Names checks(const std::string& type, const std::string& status_text) const {
        Names names;
        for (const Json& result : report["results"])
            if (result["type"] == type && result["status"] == status_text)
                names.insert(result["check"].get<std::string>());
        return names;
    }
    std::string reason(const std::string& type, const std::string& check) const {
        for (const Json& result : report["results"])
            if (result["type"] == type && result["check"] == check) return result["reason"];
        return "no such check";
    }
};

inline ProcessResult command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
    return run_process(arguments);
}

inline Verdict verify(const std::string& plugin, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"verify", plugin, "--json"});
    const ProcessResult result = command(options);
    Verdict verdict{result.status, Json::parse(result.out, nullptr, false)};
    CAPTURE(result.err);
    REQUIRE_FALSE(verdict.report.is_discarded());
    return verdict;
}

}  // namespace ancora::testing
