// Data looked over as `train` would read them, with the settings it would take.
#pragma once

#include <string>
#include <vector>

#include "runs/config_input.h"
#include "runs/training_input.h"
#include "tasks/data_check.h"
#include "tasks/defaults.h"

namespace fovea {

struct DataCheck {
  std::int64_t lines = 0;     // of the files to train on
  std::int64_t usable = 0;    // of those
  std::int64_t held_out = 0;  // 0: training takes a part
  std::vector<std::string> columns;
  std::string columns_reason;  // why these, if they were guessed
  LookedOver looked_over;
  std::string task;             // as asked for, or guessed
  std::vector<Choice> choices;  // settings that training would take for it, and for what the sources look like
};

// Throws a data_error only where not one line can be used.
DataCheck check_data(const TrainingInput& files, const ConfigInput& input);

std::string draw_check(const DataCheck& check);
std::string check_to_json(const DataCheck& check);

}  // namespace fovea
