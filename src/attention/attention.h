// Attention composed of its axes. It knows neither the model it serves nor what the steps are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attention/mechanism.h"
#include "base/options.h"

namespace fovea {

struct AttentionOptions {
  std::string score = "additive";
  std::vector<std::string> bias;
  std::string select = "softmax";
  std::string read = "sum";
  int size = 128;

  void fields(FieldVisitor& visit);
};

class Attention {
 public:
  Attention(Parameters& parameters, const std::string& name, const AttentionOptions& options, int query_size,
            int memory_size);

  struct Prepared {
    Memory memory;
    Tensor keys;
  };
  Prepared prepare(Pass& pass, const Memory& memory) const;

  struct Attended {
    Tensor scores;   // [queries, batch, positions]
    Tensor weights;  // [queries, batch, positions]
    Tensor context;  // [queries, batch, context_size()]
    History history;
  };
  Attended attend(Pass& pass, Tensor queries, const Prepared& prepared, const History& history) const;

  int context_size() const { return context_size_; }
  // Whether any axis looks at the history; if none does it is not kept.
  bool has_history() const { return !biases_.empty(); }

 private:
  std::unique_ptr<Score> score_;
  std::vector<std::unique_ptr<Bias>> biases_;
  std::unique_ptr<Select> select_;
  std::unique_ptr<Read> read_;
  int context_size_;
};

}  // namespace fovea
