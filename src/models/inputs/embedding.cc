// embedding: a learned vector for each symbol, x_i = E s_i.
#include "models/input.h"

namespace fovea {

namespace {

class EmbeddingInput : public Input {
 public:
  EmbeddingInput(Parameters& parameters, const std::string& name, const EncoderOptions& options, SourceShape shape)
      : size_(options.embedding), table_(parameters, name, shape.symbols, size_, options.spread, options.frozen) {}

  InputVectors vectors(Pass&, const Side& source) const override {
    return InputVectors(table_, source.ids, {source.length, source.batch}).in_segments(source.segments);
  }
  int size() const override { return size_; }
  const SymbolVectors* table() const override { return &table_; }

 private:
  int size_;
  SymbolVectors table_;
};

}  // namespace

extern const InputKind Input_embedding = {"embedding", "x_i = E s_i", "Bengio 2003", SourceShape::Form::symbols,
                                          made_input<EmbeddingInput>};

}  // namespace fovea
