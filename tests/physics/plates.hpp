// SPDX-License-Identifier: BSD-3-Clause
// Square plates of shell elements under their weight, supported or clamped.
#pragma once

#include <string>

#include <fmt/format.h>

namespace ancora::testing {

/// A square plate of n x n elements, a = 1, t = .01, D = 1, whose weight is 1e-3 D / a^3.
struct Plate {
    static constexpr double kNu = 0.3, kT = 0.01, kRho = 1.0 / kT, kWeight = 1e-3;
    explicit Plate(int count, const std::string& keys = "") : n(count) {
        text = fmt::format(
            "[model]\ngravity = [0, 0, {}]\n[[body]]\nname = \"plate\"\ntype = \"shell\"\ngrid = "
            "{{ counts = [{}, {}], spacing = [{:.17g}, {:.17g}] }}\nyoung = {:.17g}\npoisson = "
            "{}\nthickness = {}\ndensity = {}\n{}\n",
            -kWeight,
            n + 1,
            n + 1,
            1.0 / n,
            1.0 / n,
            12.0 * (1.0 - kNu * kNu) / (kT * kT * kT),
            kNu,
            kT,
            kRho,
            keys);
    }
    /// All of its rim on a line, or clamped.
    void support(bool is_clamped) {
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i <= n; ++i) {
                if (i > 0 && i < n && j > 0 && j < n) continue;
                const int k = j * (n + 1) + i;
                text += fmt::format(
                    "[[constraint]]\nname = \"s{0}\"\ntype = \"position\"\na = \"plate@{0}\"\nb = "
                    "\"ground@[{1:.17g}, {2:.17g}, 0]\"\n{3}\n",
                    k,
                    i * 1.0 / n,
                    j * 1.0 / n,
                    is_clamped || k == 0 ? ""
                    : k == n             ? "components = \"yz\""
                                         : "components = \"z\"");
                if (is_clamped)
                    text += fmt::format(
                        "[[constraint]]\nname = \"d{}\"\ntype = \"general_constraint\"\nequation "
                        "= [\"plate.director_{}_x = 0\", \"plate.director_{}_y = 0\"]\n",
                        k,
                        k,
                        k);
            }
    }
    int n;
    std::string text;
};

}  // namespace ancora::testing
