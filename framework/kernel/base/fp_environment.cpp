// SPDX-License-Identifier: BSD-3-Clause
// Words for a changed floating-point environment.
#include "fp_environment.hpp"

namespace ancora {

std::string FpEnvironment::changes() const {
    const FpEnvironment now = capture();
    const std::uint64_t changed = main_ ^ now.main_;
    std::string text;
    const auto say = [&](bool is_so, const char* what) {
        if (!is_so) return;
        if (!text.empty()) text += ", ";
        text += what;
    };

#if defined(__x86_64__)
    const unsigned changed_x87 = static_cast<unsigned>(x87_ ^ now.x87_);
    say((changed & 0x8040) != 0, "flush to zero");
    say((changed & 0x6000) != 0 || (changed_x87 & 0x0c00) != 0, "rounding");
    say((changed & 0x1f80) != 0 || (changed_x87 & 0x003f) != 0, "trapping of exceptions");
    say((changed_x87 & 0x0300) != 0, "precision of long double");
#elif defined(__aarch64__)
    say((changed & 0x0108'0003) != 0, "flush to zero");
    say((changed & 0x00c0'0000) != 0, "rounding");
    say((changed & 0x0000'9f00) != 0, "trapping of exceptions");
#else
    say(changed != 0, "rounding");
#endif
    if (text.empty() && differs()) text = "a setting of the processor";
    return text;
}

}  // namespace ancora
