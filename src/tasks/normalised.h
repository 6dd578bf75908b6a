// Lines as the settings of a model want them read: each cell of text brought into the form that was asked for. All that
// learns from lines, answers or measures them sees only such ones.
#pragma once

#include <vector>

#include "data/normalise.h"
#include "data/pairs.h"
#include "tasks/config.h"
#include "tasks/explaining.h"

namespace fovea {

class NormalisedCells {
 public:
  explicit NormalisedCells(const Config& config);

  void apply(Example& example) const;
  void apply(std::vector<Example>& examples) const;
  void apply(SourceText& source) const;
  std::string target(std::string_view text) const { return target_(text); }

 private:
  bool does_nothing() const;
  void apply(std::string& first, std::vector<std::string>& others, std::string& target) const;

  std::vector<Normaliser> sources_;
  Normaliser target_;
};

}  // namespace fovea
