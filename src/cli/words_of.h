// Of commands that show words where a model knows pieces of them.
#pragma once

#include "tasks/model.h"

namespace fovea {

inline void check_words(const Model& model) {
  const Config& config = model.config();
  if (tokenizer_kind(config.source.tokenizer).marks_words || tokenizer_kind(config.target.tokenizer).marks_words)
    return;
  throw usage_error("--words: this model reads by {} and writes by {}; only pieces are put together to words",
                    config.source.tokenizer, config.target.tokenizer);
}

}  // namespace fovea
