#include "models/outputs/generate.h"

namespace fovea {

Generate::Generate(Parameters& parameters, const OutputOptions& options, int state, int context, int embedding,
                   int symbols)
    : state_(parameters, "output.state", state, options.size) {
  const int in = state + context + embedding;
  if (context > 0)
    context_ = parameters.add("output.context", {context, options.size}, Initial::glorot(in, options.size));
  embedding_ = parameters.add("output.embedding", {embedding, options.size}, Initial::glorot(in, options.size));
  choice_ = Linear(parameters, "output.choice", options.size, symbols);
}

Tensor Generate::logits(Pass& pass, const Readout& readout) const {
  const Tensor from_state = state_(pass, readout.state);
  const Tensor all =
      readout.context
          ? add_products(from_state, {{readout.context, pass(context_)}, {readout.embedding, pass(embedding_)}})
          : add_products(from_state, {{readout.embedding, pass(embedding_)}});
  return choice_(pass, tanh(all));
}

}  // namespace fovea
