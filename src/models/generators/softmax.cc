// softmax: every symbol comes from the vocabulary: p = softmax(V t + b), t what the decoder offers.
#include "models/generator.h"

namespace fovea {

namespace {

class Softmax : public Generator {
 public:
  Softmax(Parameters& parameters, const ModelOptions& options, const GeneratorSizes& sizes)
      : Generator(parameters, options.generator, sizes) {}
  bool plain() const override { return true; }
};

}  // namespace

extern const GeneratorKind Generator_softmax = {
    "softmax", "softmax(V t + b)", "Sutskever 2014", made_generator<Softmax>, {.reads_memory = false}};

}  // namespace fovea
