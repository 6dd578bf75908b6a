// classify: the target is one of the labels of the training data, whatever characters it has. The decoder takes one
// step.
#include "tasks/task_kind.h"

namespace fovea {

extern const TaskKind Task_classify = {
    "classify", "p(label | x)", "names the label of the source", {.one_step = true}, "whole"};

}  // namespace fovea
