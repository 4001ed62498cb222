// SPDX-License-Identifier: BSD-3-Clause
// All that a plugin includes which writes functions and has them differentiated.
#pragma once

#include "ancora/sdk/authoring/force_law.hpp"
#include "ancora/sdk/authoring/holonomic_constraint.hpp"
#include "ancora/sdk/authoring/nonholonomic_constraint.hpp"
#include "ancora/sdk/authoring/unilateral_constraint.hpp"
#include "ancora/sdk/authoring/vector_body.hpp"
#include "ancora/sdk/numbers/vector3.hpp"
#include "ancora/sdk/plugin.hpp"
