// A row of a matrix stored row after row.
#pragma once

#include <cstddef>
#include <span>

#include "base/as_size.h"
#include "base/real.h"

namespace fovea {

inline std::span<Real> row(Real* data, std::ptrdiff_t index, int size) { return {data + index * size, as_size(size)}; }

}  // namespace fovea
