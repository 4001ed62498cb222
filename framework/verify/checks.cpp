// SPDX-License-Identifier: BSD-3-Clause
// The list of all checks.
#include "check.hpp"

namespace ancora::verify {

std::span<const Check> checks() {
    static const std::vector<Check> all = [] {
        std::vector<Check> list;
        for (const auto part : {descriptor_checks(),
                                facet_checks(),
                                output_checks(),
                                environment_checks(),
                                hidden_state_checks(),
                                row_checks(),
                                gap_checks(),
                                law_checks(),
                                body_checks(),
                                body_motion_checks(),
                                drawing_checks(),
                                force_checks(),
                                joint_checks(),
                                event_checks(),
                                integrator_checks(),
                                integrator_signal_checks(),
                                system_checks(),
                                gradient_checks()})
            list.insert(list.end(), part.begin(), part.end());
        return list;
    }();
    return all;
}

}  // namespace ancora::verify
