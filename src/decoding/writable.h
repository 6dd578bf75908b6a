// Which symbols can be written at all. What a source cannot copy has a place among the symbols of its batch and a
// log-probability of log 1e-30 there: it is neither written, drawn nor shown, so that an answer does not depend on what
// its neighbours can copy.
#pragma once

#include "base/real.h"

namespace fovea {

inline constexpr Real least_writable = Real(-66.7);  // 1e-29

// Not for what is no number either.
constexpr bool writable(Real log_probability) { return log_probability > least_writable; }

}  // namespace fovea
