#include "tasks/average.h"

#include "cli/commands.h"
#include "cli/overwriting.h"

namespace fovea {

int AverageCommand::run() const {
  check_file(output, model_file);
  Files files;
  const std::unique_ptr<Model> mean = average_models(files, {models.begin(), models.end()});
  files.write_atomically(output, encode_safetensors({mean->metadata(), mean->arrays()}));
  return 0;
}

}  // namespace fovea
