// SPDX-License-Identifier: BSD-3-Clause
// All that a plugin includes which writes functions and has them differentiated.
#pragma once

#include "ancora/sdk/force_law.hpp"
#include "ancora/sdk/holonomic_constraint.hpp"
#include "ancora/sdk/nonholonomic_constraint.hpp"
#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/vector3.hpp"
#include "ancora/sdk/vector_body.hpp"
