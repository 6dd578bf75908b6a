// generate: every symbol comes from the vocabulary: p = softmax(V t + b), t what the decoder offers.
#include "models/output.h"

namespace fovea {

namespace {

class Generate : public OutputLayer {
 public:
  Generate(Parameters& parameters, const ModelOptions& options, const OutputSizes& sizes)
      : OutputLayer(parameters, options.output, sizes) {}
  bool plain() const override { return true; }
};

}  // namespace

extern const OutputKind Output_generate = {"generate", "softmax(V t + b)", "Sutskever 2014", made_output<Generate>};

}  // namespace fovea
