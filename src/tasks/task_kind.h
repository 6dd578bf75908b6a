// What is asked of a model. A task is one file in kinds/ that defines an entry, and one line in kinds/tasks.def.
#pragma once

#include <string_view>

#include "base/registry.h"

namespace fovea {

struct TaskTraits {
  bool reads = true;       // there are sources; without, targets are learned by themselves
  bool one_step = false;   // an answer is one symbol, and no stop symbol follows
  bool positions = false;  // that symbol is a position of the source, counted from 1
};

struct TaskKind {
  std::string_view name;
  std::string_view formula;
  std::string_view description;
  TaskTraits traits = {};
  std::string_view target_tokenizer = {};  // the only one that suits it; empty: any
  std::string_view metric = {};            // that suits it; empty: by the data
};

const Registry<TaskKind>& task_kinds();

}  // namespace fovea
