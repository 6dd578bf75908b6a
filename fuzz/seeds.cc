// Files as this program writes them, for the fuzzers to begin with: seeds that were kept would be refused at the first
// setting that has changed since. The folder given gets one folder for each fuzzer.
#include <fmt/core.h>

#include "base/as_size.h"
#include "base/files.h"
#include "base/safetensors.h"
#include "runs/presets.h"
#include "tiny.h"
#include "training/checkpoint.h"

using namespace fovea;

namespace {

struct Seed {
  const char* name;
  std::vector<std::string> settings;
};

const std::vector<Seed> models = {
    {"bahdanau", {}},
    {"luong_gru", {"decoder.style=luong", "encoder.cell=gru", "decoder.cell=gru"}},
    {"plain", {"decoder.style=plain"}},
    {"transformer", {"encoder.kind=transformer", "decoder.kind=transformer", "attention.score=scaled_dot"}},
    {"copynet", {"generator.kind=copynet"}},
    {"pointer_generator", {"generator.kind=pointer_generator"}},
    {"location", {"attention.score=location"}},
    {"sparsemax", {"attention.select=sparsemax", "attention.bias=coverage", "encoder.layers=2"}},
    {"actions", {"attention.select=actions"}},
    {"words", {"source.tokenizer=word", "target.tokenizer=word"}},
    {"pieces", {"source.tokenizer=pieces:9", "target.tokenizer=bytes"}},
};

void write(const std::filesystem::path& folder, const char* fuzzer, std::string_view name, std::string_view bytes) {
  Files files;
  files.make_directories(folder / fuzzer);
  files.write_atomically(folder / fuzzer / name, bytes);
}

void write_checkpoint(const std::filesystem::path& folder) {
  const Config config = tiny_config();
  const Model model = tiny_model(config);
  Optimizer optimizer({}, as_size(model.parameters().count()));
  Files files;
  files.make_directories(folder / "checkpoint");
  save_checkpoint(files, folder / "checkpoint", model, optimizer, Progress(), tiny_data_hash);
  write(folder, "checkpoint", "progress", progress_to_json(Progress()));
}

}  // namespace

int main(int count, char** words) try {
  if (count != 2) throw usage_error("usage: seeds FOLDER");
  const std::filesystem::path folder = words[1];
  for (const Seed& seed : models) {
    const Model model = tiny_model(tiny_config(seed.settings));
    const std::string bytes = encode_safetensors({model.metadata(), model.arrays()});
    Model::decode(ByteSource::of(bytes), seed.name);  // a seed that is refused would show the fuzzer nothing
    write(folder, "model", seed.name, bytes);
  }
  write_checkpoint(folder);
  for (const Preset& preset : presets()) write(folder, "toml", preset.name, preset.toml);
  write(folder, "toml", "config", to_toml(Config()));
  write(folder, "toml", "json", to_json(Config()));
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "seeds: {}\n", e.what());
  return 1;
}
