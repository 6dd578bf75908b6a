// A layer of a Transformer: parts that each add to what they read, x + part(norm(x)) or norm(x + part(x)).
// Vaswani et al. 2017; norms before the parts: Xiong et al. 2020.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "models/source_attention.h"
#include "layers/norm.h"

namespace fovea {

struct TransformerSizes {
  int layers = 1;  // of which this is one
  int size = 0;
  int feed_forward = 0;
  bool norm_first = true;
  bool causal = false;        // its steps do not see what comes after them
  EncodedSizes encoded = {};  // what a second attention looks at; without a memory there is none
};

class TransformerLayer {
 public:
  // `cross_attention` is the attention to the memory, if there is one.
  TransformerLayer(Parameters& parameters, const std::string& name, const AttentionOptions& self_attention,
                   const AttentionOptions& cross_attention, const TransformerSizes& sizes, std::string_view join = {});

  const Attention& self_attention() const { return self_attention_; }
  const SourceAttention& cross_attention() const { return *cross_attention_; }

  struct Made {
    Tensor x;
    Attention::Attended looked;  // at the memory
    Tensor self_weights;         // [steps, batch * heads, positions] of the self-attention
  };
  // x [steps, batch, size] stands at `when` and sees itself, or, of a sequence that is made step by step, what
  // `with_past` makes of it: keys and values are all that is needed of earlier steps. `memory` is prepared by
  // cross_attention(), which is that of layer `layer`.
  using WithPast = std::function<Attention::Prepared(Attention::Prepared)>;
  Made operator()(Pass& pass, Tensor x, Mask mask, When when, SourceAttention::Prepared memory,
                  const WithPast& with_past = {}, int layer = -1) const;

 private:
  Tensor before(Pass& pass, const LayerNorm& norm, Tensor x) const { return norm_first_ ? norm(pass, x) : x; }
  Tensor after(Pass& pass, const LayerNorm& norm, Tensor x, Tensor part, const char* place) const;

  std::string name_;
  bool norm_first_;
  Attention self_attention_;
  LayerNorm self_attention_norm_;
  std::optional<SourceAttention> cross_attention_;
  std::optional<LayerNorm> cross_attention_norm_;
  Linear wide_;
  Linear narrow_;
  LayerNorm forward_norm_;
};

}  // namespace fovea
