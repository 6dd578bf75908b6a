// The one float type of the engine: float, or double in the build that checks gradients.
#pragma once

namespace fovea {

#ifdef FOVEA_DOUBLE
using Real = double;
#else
using Real = float;
#endif

}  // namespace fovea
