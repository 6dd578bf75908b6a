#include "tasks/average.h"

#include "cli/commands.h"
#include "cli/overwriting.h"
#include "training/kept.h"

namespace fovea {

int AverageCommand::run() const {
  check_file(output, model_file);
  Files files;
  if (last > 0 && models.size() != 1) throw usage_error("--last takes the models of one run; give one folder");
  const auto paths = last > 0 ? last_kept_models(files, models[0], last)
                              : std::vector<std::filesystem::path>(models.begin(), models.end());
  const std::unique_ptr<Model> mean = average_models(files, paths);
  files.write_atomically(output, encode_safetensors({mean->metadata(), mean->arrays()}));
  return 0;
}

}  // namespace fovea
