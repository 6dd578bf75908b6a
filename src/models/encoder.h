// What reads a source: vectors in, one column for each position out. An encoder is one file in encoders/ that defines
// an entry, and one line in encoders.def.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attention/mechanism.h"
#include "layers/cell.h"
#include "base/registry.h"
#include "models/input.h"
#include "models/options.h"
#include "models/step_model.h"

namespace fovea {

// What an encoder made of the source.
struct Encoded {
  Memory memory;                // one column for each position, of all sources
  std::vector<CellState> last;  // of each layer; c is empty for a GRU; an encoder without states gives its mean column
  Tensor line_features = {};    // [batch, size]; empty: the model reads none
  Tensor summary = {};          // [rows, batch, positions] what each row of a structured summary looks at; else empty
  std::vector<Memory> parts = {};       // of each source, where several are attended to one by one
  std::vector<SelfMap> self_maps = {};  // in prediction, of encoders that attend to themselves
  // Of an encoder whose columns are made of several positions: for each position which column it is in and how much it
  // weighs there, [positions, batch]; else empty.
  Ids column_of = {};
  Tensor share_of = {};
};

// What decoders have to know of that.
struct EncodedSizes {
  int memory = 0;      // of a column; 0: there is no source
  int state = 0;       // of a last state
  bool has_c = false;  // it has
  int memories = 1;    // that are attended to, each by an attention of its own
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  // `mask` says which positions are read: those that are real, or fewer.
  virtual Encoded encode(Pass& pass, const InputVectors& x, Mask mask) const = 0;
  virtual int memory_size() const = 0;
  // Sizes of the last states.
  virtual int state_size() const { return memory_size(); }
  virtual bool has_c() const { return false; }
};

// The attention within an encoder or a decoder, to itself, and what its settings are called.
struct InnerAttention {
  std::string_view name = {};
  AttentionOptions ModelOptions::* options = nullptr;  // none: there is no such attention
};
inline constexpr InnerAttention self_attention = {"self_attention", &ModelOptions::self_attention};
inline constexpr InnerAttention intra_attention = {"intra_attention", &ModelOptions::intra_attention};

struct EncoderKind {
  std::string_view name;
  std::string_view formula;
  std::string_view paper;
  std::unique_ptr<Encoder> (*make)(Parameters& parameters, const ModelOptions& options, const Input& input);
  // Whether column i is about symbol i; null: always.
  bool (*keeps_positions)(const EncoderOptions& options) = nullptr;
  bool summarizes = false;  // its columns are rows of a summary, and Encoded has what each of them looks at
  // Columns are made of several positions, and it says of which: weights can be shown for all positions
  // (Encoded::share_of).
  bool tells_shares = false;
  InnerAttention inner = {};
  bool starts_unsteadily = false;  // it wants a learning rate that rises at first
  bool scales_vectors = false;     // it multiplies what it reads by sqrt(size)
};

const Registry<EncoderKind>& encoders();
std::unique_ptr<Encoder> make_encoder(Parameters& parameters, const ModelOptions& options, const Input& input);

template <class Made>
std::unique_ptr<Encoder> made_encoder(Parameters& parameters, const ModelOptions& options, const Input& input) {
  return std::make_unique<Made>(parameters, options, input);
}

// Whether column i is about symbol i.
bool keeps_positions(const EncoderOptions& options);
// Whether there are weights for all symbols to show.
bool shows_positions(const EncoderOptions& options);

// The last state of an encoder that has none: the mean of its columns.
inline std::vector<CellState> mean_state(const Memory& memory) {
  return {{masked_mean(memory.values, memory.mask), {}}};
}

}  // namespace fovea
