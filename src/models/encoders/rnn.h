// A stack of recurrent layers over learned embeddings, reading in one direction or both: h_i = [forward_i ;
// backward_i]. Schuster & Paliwal 1997; as in Bahdanau 2015.
#pragma once

#include <vector>

#include "attention/mechanism.h"
#include "layers/cell.h"
#include "layers/embedding.h"
#include "models/batch.h"
#include "models/options.h"

namespace fovea {

// What an encoder made of the source.
struct Encoded {
  Memory memory;               // one column for each position
  std::vector<Tensor> last_h;  // of the top layer, in each direction: [batch, size]
  std::vector<Tensor> last_c;  // empty for a GRU
};

class RnnEncoder {
 public:
  RnnEncoder(Parameters& parameters, const EncoderOptions& options, int symbols);

  Encoded encode(Pass& pass, const Side& source) const;

  int memory_size() const { return directions_ * size_; }

 private:
  int size_;
  int directions_;
  Embedding embedding_;
  std::vector<Cell> cells_;  // layer by layer, forward then backward
};

}  // namespace fovea
