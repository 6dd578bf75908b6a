// What makes vectors of a source, one for each of its positions. An input is one file in inputs/ that defines an entry,
// and one line in inputs.def.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/registry.h"
#include "data/source.h"
#include "layers/symbol_vectors.h"
#include "models/batch.h"
#include "models/options.h"

namespace fovea {

// Vectors on their way into an encoder: [positions, batch, size], or still the symbols they are the vectors of, for
// layers that make of each symbol once what they would make of it wherever it stands.
class InputVectors {
 public:
  // Values are dropped at `place`.
  InputVectors(Tensor values, std::string_view place) : values_(values), place_(place) {}
  InputVectors(const SymbolVectors& table, Ids ids, Shape leading) : table_(&table), ids_(ids), leading_(leading) {}

  Tensor values(Pass& pass) const { return table_ ? (*table_)(pass, ids_, leading_) : values_; }
  // The same with some of them dropped in training.
  Tensor dropped(Pass& pass) const {
    return table_ ? table_->dropped(pass, ids_, leading_) : pass.drop(values_, place_);
  }

  // Which sentence each position is of, [positions, batch]; none: all are one.
  InputVectors& in_segments(Ids segments) {
    segments_ = segments;
    return *this;
  }
  Ids segments() const { return segments_; }

  bool symbols() const { return table_ != nullptr; }
  Ids ids() const { return ids_; }

 private:
  Tensor values_;
  std::string_view place_;
  const SymbolVectors* table_ = nullptr;
  Ids ids_;
  Shape leading_;
  Ids segments_ = {};
};

class Input {
 public:
  virtual ~Input() = default;
  virtual InputVectors vectors(Pass& pass, const Side& source) const = 0;
  virtual int size() const = 0;
  // The vectors of symbols; null: the source has none.
  virtual const SymbolVectors* table() const { return nullptr; }
};

struct InputKind {
  std::string_view name;
  std::string_view formula;
  std::string_view paper;
  SourceShape::Form reads = SourceShape::Form::symbols;
  // Its weights are called `name`.
  std::unique_ptr<Input> (*make)(Parameters& parameters, const std::string& name, const EncoderOptions& options,
                                 SourceShape shape);
};
const Registry<InputKind>& inputs();

// The input that suits the source.
std::unique_ptr<Input> make_input(Parameters& parameters, const std::string& name, const EncoderOptions& options,
                                  SourceShape shape);

template <class Made>
std::unique_ptr<Input> made_input(Parameters& parameters, const std::string& name, const EncoderOptions& options,
                                  SourceShape shape) {
  return std::make_unique<Made>(parameters, name, options, shape);
}

}  // namespace fovea
