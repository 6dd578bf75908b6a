// locate: the target is the number of a position of the source, counted from 1. The decoder takes one step; a generator
// that copies points to the position, any other chooses among the numbers it has seen.
#include "tasks/task_kind.h"

namespace fovea {

extern const TaskKind Task_locate = {"locate",
                                     "p(position | x)",
                                     "says which position of the source it is, counted from 1",
                                     {.one_step = true, .positions = true},
                                     "whole"};

}  // namespace fovea
