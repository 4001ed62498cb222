// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: rows that have a law together.
#include "test_laws.hpp"

namespace {

using namespace ancora;

constexpr TypeDescriptor kTypes[] = {
    type<zoo::Bushing>("l_bushing",
                       {.doc = "a bushing whose directions act on each other",
                        .equation = "W = 1/2 pi.D pi + k/4 |pi|^4 + c/2 <pi.n>^2, pi = a - b",
                        .source = "tests/zoo/test_laws.hpp",
                        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\n"
                                     "stiffness = [30.0, 50.0, 20.0, 10.0, -5.0, 8.0]\n"
                                     "quartic = 7.0\none_sided = 4.0\ndamping = 0.3"}},
                       zoo::Bushing::kParameters),
    type<zoo::BushingByRows>(
        "l_bushing_by_rows",
        {.doc = "a linear bushing in its principal directions",
         .equation = "pi = V^T (a - b)",
         .source = "tests/zoo/test_laws.hpp",
         .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\n"
                      "stiffness = [30.0, 50.0, 20.0, 10.0, -5.0, 8.0]"}},
        zoo::BushingByRows::kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_laws", "1.0.0", kTypes)
