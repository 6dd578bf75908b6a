// language_model: lines without a source. Each symbol is learned from those before it, and a line is answered by going
// on with it.
#include "tasks/task_kind.h"

namespace fovea {

extern const TaskKind Task_language_model = {
    "language_model", "prod_t p(y_t | y_<t)", "goes on with a text; there is no source", {.reads = false}, {}, "loss"};

}  // namespace fovea
