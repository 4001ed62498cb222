// SPDX-License-Identifier: BSD-3-Clause
// What an object acts on, which says the units of its parameters.
#pragma once

namespace ancora {

/// The measure that an object acts on, where its parameters have a unit for either kind, as in
/// "N/m or N m/rad": the first is that of a displacement.
enum class ActsOn { unknown, displacement, angle };

}  // namespace ancora
