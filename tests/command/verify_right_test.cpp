// SPDX-License-Identifier: BSD-3-Clause
// `ancora verify`: what is right is accused of nothing, all that Ancora ships above all. A program
// of its own, so that no other test has to wait for both.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "verdict.hpp"

using ancora::testing::Json;
using ancora::testing::Names;
using ancora::testing::Verdict;
using ancora::testing::verify;

TEST_SUITE("verify") {
    TEST_CASE("all plugins that are shipped pass") {
        for (const auto& entry : std::filesystem::directory_iterator(ANCORA_TEST_PLUGIN_DIR)) {
            if (entry.path().extension() != ".so") continue;
            const Verdict verdict = verify(entry.path().stem().string());
            CAPTURE(entry.path().stem().string());
            for (const Json& result : verdict.report["results"])
                if (result["status"] == "FAIL")
                    FAIL_CHECK(fmt::format("{} {}: {}",
                                           result["type"].get<std::string>(),
                                           result["check"].get<std::string>(),
                                           result["reason"].get<std::string>()));
            CHECK(verdict.status == 0);
            CHECK(verdict.report["passed"] == true);
        }
    }

    TEST_CASE("right forces that look unusual are accused of nothing") {
        // By unusual builds what depends on the build: memory, types without information, numbers.
        const std::vector<std::string> of_builds = {"outputs", "hidden_state", "facets", "ledger"};
        int builds = 0;
        for (const char* build : {"", "_lto", "_cxx23", "_no_rtti", "_small", "_clang"}) {
            const std::string plugin = std::string("right_forces").append(build);
            const std::string file = fmt::format("{}/verify/{}.so", ANCORA_TEST_ZOO_DIR, plugin);
            CAPTURE(plugin);
            // There need not be another compiler.
            if (plugin == "right_forces_clang" && !std::filesystem::exists(file)) continue;
            std::vector<Verdict> verdicts;
            if (*build == '\0')
                verdicts.push_back(verify(file));
            else
                for (const std::string& check : of_builds)
                    verdicts.push_back(verify(file, {"--check", check}));
            int count = 0;
            Names types;
            for (const Verdict& verdict : verdicts)
                for (const Json& result : verdict.report["results"]) {
                    const std::string type = result["type"].is_string() ? result["type"] : "";
                    CAPTURE(type);
                    CAPTURE(result["check"].get<std::string>());
                    CAPTURE(result["reason"].get<std::string>());
                    CHECK(result["status"] != "FAIL");
                    types.insert(type);
                    ++count;
                }
            CHECK(types.size() >= 22);
            CHECK(count >= (*build == '\0' ? 300 : 80));
            ++builds;
        }
        CHECK(builds >= 5);
    }
}
