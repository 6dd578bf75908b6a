// A checkpoint: any bytes as the file, and any text as the progress in it. The model they are read into is the one
// that the seeds (seeds.cc) are of. The checksum is set right first.
#include "base/as_size.h"
#include "fuzz.h"
#include "tiny.h"
#include "training/checkpoint.h"

using namespace fovea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Config config = tiny_config();
  static Model model = tiny_model(config);
  static Optimizer optimizer({}, as_size(model.parameters().count()));
  const std::string_view bytes = as_text(data, size);
  const std::string sealed = seal(std::string(bytes));
  OneFile files(sealed);
  Progress progress;
  taken([&] { load_checkpoint(files, "fuzz", model, optimizer, progress, tiny_data_hash); });
  if (!taken([&] { progress = progress_from_json(std::string(bytes), "fuzz"); })) return 0;
  const std::string text = progress_to_json(progress);
  must(progress_to_json(progress_from_json(text, "again")) == text);
  return 0;
}
