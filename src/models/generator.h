// How symbols are chosen from what the decoder offers: from the vocabulary, or also from the source. A generator is one
// file in generators/ that defines an entry, and one line in generators.def.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "layers/linear.h"
#include "base/registry.h"
#include "models/batch.h"
#include "models/options.h"
#include "models/readout.h"

namespace fovea {

// What a generator is built for.
struct GeneratorSizes {
  int features = 0;
  int state = 0;
  int context = 0;    // 0: no attention
  int embedding = 0;  // of a target symbol, as the readout has it
  int memory = 0;
  int symbols = 0;
  ParameterId table;   // vectors of the target's symbols
  int table_size = 0;  // of one such vector
};

// The sources' side of it.
struct GeneratorSources {
  Memory memory;
  CopyMapView copy_map;     // what positions stand for
  Attention::Prepared own;  // for an attention of its own
  Tensor keys;              // whatever else it prepares: [positions, batch, any]
};

class Generator {
 public:
  Generator() = default;  // one that writes no symbol of the vocabulary
  Generator(Parameters& parameters, const GeneratorOptions& options, const GeneratorSizes& sizes);
  virtual ~Generator() = default;

  // [..., features] -> [..., symbols]
  Tensor logits(Pass& pass, Tensor features) const;

  virtual GeneratorSources prepare(Pass&, const Memory& memory, const CopyMapView& copy_map) const {
    return {memory, copy_map, {}, {}};
  }

  struct Written {
    Tensor log_probabilities;  // [steps, batch, width], width >= symbols where symbols of the source can be copied
    Tensor gate;               // [steps, batch, 1] the vocabulary's share; empty if it is all
    Tensor copying;            // [steps, batch, positions] the positions' shares
    Tensor vocabulary = {};    // [steps, batch, symbols] logits of the vocabulary's part; empty if it is all
    Tensor scores = {};        // [steps, batch, positions] that `copying` was made of, if it has scores of its own
  };
  virtual Written write(Pass& pass, const Readout& readout, const GeneratorSources& sources) const;
  // Whether write() is log_softmax(logits(features)) and nothing else.
  virtual bool plain() const { return false; }
  // Whether symbols may come from the vocabulary.
  virtual bool writes_vocabulary() const { return true; }

  // What a step reads of the choice before it, beside the symbol: [rows, feedback_size()]. `copying` [rows, positions]
  // is empty at the first step.
  virtual int feedback_size() const { return 0; }
  virtual Tensor feedback(Pass&, const GeneratorSources&, Tensor /*copying*/, Ids /*previous*/) const { return {}; }

 private:
  ParameterId weight_;  // [features, symbols], or the table, [symbols, features]
  ParameterId bias_;
  std::optional<Linear> narrow_;  // to the size of the table
  bool tied_ = false;
};

struct GeneratorTraits {
  bool reads_memory = true;  // looks at the source by itself; or only at what the decoder offers
  bool copies = false;       // copy_map are the source's own symbols
  bool copies_past = false;  // and without a source those that were read before
  bool lexicon = false;      // copy_map are what a lexicon says
  bool feeds_back = false;   // a step reads what the one before copied, a vector of the memory's size
  bool by_weights = false;   // spreads probability by the decoder's weights, unless it has an attention of its own
  bool may_attend = false;   // has one with generator.own_attention
};

struct GeneratorKind {
  std::string_view name;
  std::string_view formula;
  std::string_view paper;
  std::unique_ptr<Generator> (*make)(Parameters& parameters, const ModelOptions& options, const GeneratorSizes& sizes);
  GeneratorTraits traits = {};
};

const Registry<GeneratorKind>& generators();

template <class Made>
std::unique_ptr<Generator> made_generator(Parameters& parameters, const ModelOptions& options,
                                          const GeneratorSizes& sizes) {
  return std::make_unique<Made>(parameters, options, sizes);
}

// softmax over one more score, [steps, batch, 1], and the positions' scores. The one more stands first, so that no sum
// depends on how many pads there are.
struct SharedSoftmax {
  Tensor first;      // [steps, batch, 1]
  Tensor positions;  // [steps, batch, positions]
};
SharedSoftmax softmax_with(Pass& pass, Tensor first, Tensor scores, Mask mask);

}  // namespace fovea
