#include "tasks/task_kind.h"

namespace fovea {

#define TASK(name) extern const TaskKind Task_##name;
#include "tasks/kinds/tasks.def"
#undef TASK

const Registry<TaskKind>& task_kinds() {
  static const Registry<TaskKind> list("task", {
#define TASK(name) &Task_##name,
#include "tasks/kinds/tasks.def"
#undef TASK
                                               });
  return list;
}

}  // namespace fovea
