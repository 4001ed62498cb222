// SPDX-License-Identifier: BSD-3-Clause
// Bad: takes memory until there is none. Apart from the others, since nothing limits it under a
// sanitizer.
#include <memory>
#include <vector>

#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

class EatsMemory final : public Rod {
public:
    using Rod::Rod;
    void evaluate_tangent(int, const TangentPoint&, std::span<double>) const override {
        // not written to, which would only cost time
        for (std::vector<std::unique_ptr<char[]>> all;;)
            all.push_back(std::make_unique_for_overwrite<char[]>(std::size_t{64} << 20));
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<EatsMemory>("eats_memory", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("eats_memory", "1.0.0", kTypes)
