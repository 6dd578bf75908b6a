#include "models/input.h"

#include <algorithm>

namespace fovea {

#define INPUT(name) extern const InputKind Input_##name;
#include "models/inputs/inputs.def"
#undef INPUT

const Registry<InputKind>& inputs() {
  static const Registry<InputKind> list("input", {
#define INPUT(name) &Input_##name,
#include "models/inputs/inputs.def"
#undef INPUT
                                                 });
  return list;
}

std::unique_ptr<Input> make_input(Parameters& parameters, const std::string& name, const EncoderOptions& options,
                                  SourceShape shape) {
  const auto suits = [&](const InputKind* kind) { return kind->reads == shape.form; };
  return (*std::ranges::find_if(inputs(), suits))->make(parameters, name, options, shape);
}

}  // namespace fovea
