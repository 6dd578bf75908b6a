// convolutional: L1 = relu(conv(K, K1)), L2 = conv(L1, K2) * W q, e = conv(L2 / |L2|, K3): looks for patterns, such as
// "the word after Mr.", rather than for single positions. Windows reach `reach` positions to each side.
// Allamanis, Peng & Sutton 2016, "A convolutional attention network for extreme summarization of source code".
#include "attention/attention.h"

namespace fovea {

namespace {

class Convolutional : public Score {
 public:
  Convolutional(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : width_(2 * sizes.options.reach + 1),
        query_(parameters, name + ".query", sizes.query, sizes.hidden),
        first_(parameters, name + ".first", width_ * sizes.memory, sizes.hidden),
        second_(parameters, name + ".second", width_ * sizes.hidden, sizes.hidden),
        last_(parameters, name + ".last", width_ * sizes.hidden, 1),
        strength_(parameters.add(name + ".strength", {1, 1}, Initial::constant(first_strength))) {}

  Tensor keys(Pass& pass, const Memory& memory) const override {
    if (memory.mask.causal >= 0) {
      throw usage_error(
          "the score convolutional reads the positions after a key too, which a causal mask hides; choose another "
          "self_attention.score");
    }
    const Tensor l1 = relu(first_(pass, windows(memory.values, width_, memory.mask)));
    return second_(pass, windows(l1, width_, memory.mask));
  }

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    const int queries = question.queries.shape()[0];
    const Mask pairs = pair_mask(pass, question.memory.mask, queries);
    const Tensor l2 = unit_sequences(broadcast_multiply(query_(pass, question.queries), keys), pairs);
    const Tensor scores = last_(pass, windows(l2, width_, pairs));  // [positions, queries * batch, 1]
    return from_pairs(linear(scores, pass(strength_)), queries);
  }

 private:
  // Entries of a matrix of norm one are small: without a head start the softmax would stay nearly flat for long.
  static constexpr double first_strength = 5;
  int width_;
  Linear query_;
  Linear first_;
  Linear second_;
  Linear last_;
  ParameterId strength_;
};

}  // namespace

extern const Mechanism<Score> Score_convolutional = {"convolutional",
                                                     "conv(L2 / |L2|), L2 = conv(relu(conv(K))) * W q",
                                                     "Allamanis 2016",
                                                     made<Score, Convolutional>,
                                                     {.mixes_keys = true}};

}  // namespace fovea
