// transduce: a source is turned into a target, symbol after symbol until the stop symbol.
#include "tasks/task_kind.h"

namespace fovea {

extern const TaskKind Task_transduce = {"transduce", "prod_t p(y_t | y_<t, x)",
                                        "turns the source into the target, symbol by symbol"};

}  // namespace fovea
