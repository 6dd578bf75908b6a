// Ranks started by mpirun; only in a build with MPI.
#pragma once

#include <memory>

#include "base/ranks.h"

namespace fovea {

std::unique_ptr<Ranks> join_mpi_ranks();

}  // namespace fovea
