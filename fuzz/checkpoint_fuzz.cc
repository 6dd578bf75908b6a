// A checkpoint: any bytes as the file, and any text as the progress in it. The seeds are what save_checkpoint writes of
// the model below. The checksum is set right first.
#include "fuzz.h"
#include "training/checkpoint.h"

using namespace fovea;

namespace {

constexpr std::uint64_t data_hash = 1;

Config tiny_config() {
  Config config;
  for (const char* setting : {"encoder.size=2", "encoder.embedding=2", "attention.size=2", "decoder.size=2",
                              "decoder.embedding=2", "generator.size=2"}) {
    set_field(config, setting);
  }
  return config;
}

Model tiny_model(const Config& config) {
  const std::vector<Example> examples = {{"ab", "ba", "", 1}};
  return Model(config, Transduce(config, examples));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Config config = tiny_config();
  static Model model = tiny_model(config);
  static Optimizer optimizer({}, static_cast<std::size_t>(model.parameters().count()));
  const std::string_view bytes = as_text(data, size);
  const std::string sealed = seal(std::string(bytes));
  OneFile files(sealed);
  Progress progress;
  taken([&] { load_checkpoint(files, "fuzz", model, optimizer, progress, data_hash); });
  if (!taken([&] { progress = progress_from_json(std::string(bytes), "fuzz"); })) return 0;
  const std::string text = progress_to_json(progress);
  must(progress_to_json(progress_from_json(text, "again")) == text);
  return 0;
}
