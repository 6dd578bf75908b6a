// The task of turning one line into another: how lines become ids, and answers become text again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/pairs.h"
#include "data/unit.h"
#include "data/vocabulary.h"
#include "decoding/search.h"
#include "models/batch.h"
#include "tasks/config.h"
#include "tasks/output.h"

namespace fovea {

using Symbols = std::vector<std::int32_t>;

// An example as ids.
struct Encoding {
  Symbols source;
  Symbols target;
};

class Transduce {
 public:
  // Vocabularies from the training examples.
  Transduce(const Config& config, std::span<const Example> examples);
  Transduce(const Config& config, Vocabulary source, Vocabulary target);

  Symbols encode_source(std::string_view text) const { return encode(text, source_unit_, source_); }
  Symbols encode_target(std::string_view text) const { return encode(text, target_unit_, target_); }

  const Vocabulary& source() const { return source_; }
  const Vocabulary& target() const { return target_; }

  // Examples side by side. Reuses the batch's memory.
  void fill_batch(std::span<const Encoding* const> examples, Batch& batch) const;
  void fill_source(std::span<const std::span<const std::int32_t>> sources, Side& side) const;

  // What search needs to know of the target's symbols.
  SearchOptions search_options() const;
  // How long an answer may get.
  static int most_steps(std::size_t source_symbols) { return static_cast<int>(2 * source_symbols) + 50; }

  // Answers, best first, as text with what the model looked at.
  Output output(const std::string& source, std::span<const Answer> answers) const;
  std::string target_text(std::span<const std::int32_t> symbols) const;

 private:
  static Symbols encode(std::string_view text, const Unit& unit, const Vocabulary& vocabulary);

  Unit source_unit_;
  Unit target_unit_;
  Vocabulary source_;
  Vocabulary target_;
};

}  // namespace fovea
