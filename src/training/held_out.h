// What a model makes of the lines it is not trained on.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/batches.h"
#include "inference/answering.h"
#include "tasks/references.h"
#include "training/observer.h"

namespace fovea {

class HeldOut {
 public:
  // `encoded` are the examples as numbers.
  HeldOut(const Model& model, std::span<const Example> examples, std::vector<Encoding> encoded,
          std::span<const Encoding> training, Workers& workers);

  // What is odd about them; empty: nothing.
  std::string warning() const;

  // Losses, metrics and samples; not what only the run knows. Throws SearchStopped when the signal comes.
  ValidationReport validate(const std::atomic<int>* stop_signal);

  // Losses of all lines as they are, and of all with one another's sources: where both are alike, sources are not
  // heeded. Nothing of lines without a source, or of one alone.
  struct Exchanged {
    double own = 0;
    double others = 0;
  };
  std::optional<Exchanged> exchange_sources();

  // The loss of one who knows how frequent symbols are in the training data and nothing else.
  double loss_of_single_symbols() const { return loss_of_single_symbols_; }

 private:
  double loss(std::span<const Encoding> lines);  // nats per target symbol, stop symbols counted
  void answer(const std::atomic<int>* stop_signal, ValidationReport& report);
  std::string line_of(const Referenced& question) const;
  void note_error(const Referenced& question, const std::string& text, ValidationReport& report,
                  Confusions& confusions) const;

  const Model& model_;
  std::vector<Encoding> encoded_;  // of every line
  std::vector<Referenced> questions_;
  std::vector<std::size_t> samples_;  // of them, which are shown
  std::vector<Reading> sources_;      // of each question
  double loss_of_single_symbols_;
  Workers& workers_;
  Answering answering_;
  std::vector<Arena> arenas_;  // of each worker
};

}  // namespace fovea
