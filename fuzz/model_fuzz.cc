// A model file: the container, which must come back the same after being written again, then the model in it, which
// must answer a line. The checksum is set right first, or nothing behind it would be reached.
#include "fuzz.h"
#include "inference/answering.h"
#include "tasks/explaining.h"
#include "tasks/model.h"

using namespace fovea;

namespace {

// Any finite weights are allowed, so any answer is right that is one line.
void answer(const Model& model) {
  static Workers workers(1);
  const Reading source = model.task().encode_source("ab ba");
  if (const int most = model.task().max_source_symbols(); most > 0 && source.size() > most) return;
  const Reading* const sources[] = {&source};
  const auto answers = Answering(model, workers).answer(sources, {.search = {.beam = 2, .alternatives = 2}});
  must(answers.size() == 1);
  must(!find_control(make_output(model.task(), {"ab ba"}, source, answers[0]).text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = seal(std::string(as_text(data, size)));
  TensorFile file;
  if (!taken([&] { file = decode_safetensors(bytes, "fuzz"); })) return 0;
  must(decode_safetensors(encode_safetensors(file), "again") == file);
  std::unique_ptr<Model> model;
  if (!taken([&] { model = Model::decode(ByteSource::of(bytes), "fuzz"); })) return 0;
  must(model->arrays().size() == file.arrays.size());
  answer(*model);
  return 0;
}
