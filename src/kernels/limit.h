// The physical limit of a core: fused multiply-adds on registers alone, which no product can outrun.
#pragma once

#include "base/real.h"

namespace fovea::kernels {

struct MultiplyAdds {
  double operations = 0;  // two for each lane of each multiply-add
  Real sum = 0;           // what they made: without it a compiler could leave them out
};

MultiplyAdds multiply_add_registers(int rounds);

}  // namespace fovea::kernels
