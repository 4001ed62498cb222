// SPDX-License-Identifier: BSD-3-Clause
// The only symbol of the kit's library.
#include "kit.hpp"

#include <boost/config.hpp>

extern "C" BOOST_SYMBOL_EXPORT const ancora::verify::Kit ancora_verify_kit;
const ancora::verify::Kit ancora_verify_kit{
    ancora::verify::checks, ancora::verify::verify, ancora::verify::run_child};
