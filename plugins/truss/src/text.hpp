// SPDX-License-Identifier: BSD-3-Clause
// Pieces of messages: numbers, quoted names and ranges of node numbers as text.
#pragma once

#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::truss {

using nodes::node_range;
using nodes::quoted;
using nodes::text;

}  // namespace ancora::truss
