// The columns of the lines that a model is given.
#pragma once

#include <string>

#include "data/columns.h"
#include "tasks/model.h"

namespace fovea {

// As `text` names them; as the model was trained if it is empty. A usage_error if the model reads something else:
// not to be called inside a braced list, where g++ 12 would destroy members that were never made.
inline Columns columns_for(const Model& model, const std::string& text) {
  if (text.empty()) return model.task().columns();
  Columns columns = Columns::parse(text);
  model.task().check_columns(columns);
  return columns;
}

}  // namespace fovea
