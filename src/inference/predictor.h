// An opened model: lines in, answers out, each with what the model looked at.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inference/answering.h"
#include "inference/scoring.h"
#include "tasks/explaining.h"
#include "tasks/normalised.h"

namespace fovea {

struct PredictOptions {
  AnswerOptions answer = {};
  std::optional<Columns> columns = {};  // of lines; none: those the model was trained on
  std::int64_t max_length = 0;          // characters; a longer source is not answered; 0: as the model's config has it
  const Lexicon* dictionary = nullptr;  // for unknown symbols that are replaced
  bool score = false;                   // lines have targets, which are scored instead of looking for answers
  std::string folder = {};              // of the file that lines stand in, where the files are that they name
  OpenFiles open_files = OpenFiles::any;  // that lines name; a line whose file is not opened is unreadable
};

// What became of a line before the model saw it.
enum class LineStatus { answered, empty, repaired, too_long, too_few_columns, unreadable };
inline constexpr std::size_t line_statuses = 6;

struct Prediction {
  Output output;  // of a line that was too long, empty or without all columns: no text
  LineStatus status = LineStatus::answered;
  std::string problem = {};           // why it is unreadable
  std::string unknown_feature = {};   // the first of its features that the training data had not; empty: all are known
  std::optional<Scored> scored = {};  // its target, if it was to be and could be
};

// What the weights of products are: as trained, or rounded to 8 bits, which is faster and nearly as exact.
enum class Precision { full, int8 };

// Lines that come one after the other, and where their answers go.
class LineStream {
 public:
  virtual ~LineStream() = default;
  // The next lines, at least one; none at the end. By one thread at a time, like ready() and write().
  virtual std::vector<std::string> read() = 0;
  // Whether read() would have lines at once.
  virtual bool ready() = 0;
  // How an answer is written. By several threads at once.
  virtual std::string render(const Prediction& prediction) const = 0;
  // What was read is answered: in order. By one thread at a time, maybe while another reads.
  struct Written {
    std::string text = {};
    LineStatus status = LineStatus::answered;
    bool finished = true;
    bool abstained = false;
    std::string problem = {};
    std::string unknown_feature = {};
    std::optional<Scored> scored = {};
  };
  virtual void write(std::span<const Written> lines) = 0;
};

// Many threads may use one at once, each with options of its own; the answers are the same as alone.
class Predictor {
 public:
  // MODEL may be the folder of a run or the file itself. Throws a model_error.
  Predictor(const std::filesystem::path& model, int threads, Precision precision = Precision::full)
      : Predictor(std::vector{model}, threads, precision) {}
  // Several answer as one (models/ensemble.h). Throws a usage_error unless all read sources alike and write the same
  // symbols.
  Predictor(const std::vector<std::filesystem::path>& models, int threads, Precision precision = Precision::full);

  // Of models in memory.
  Predictor(std::vector<std::unique_ptr<Model>> models, int threads);

  // One prediction for each line, in order; with `score`, each line's target scored. Bytes that are not UTF-8 are read
  // as U+FFFD. A line's answer does not depend on the others.
  std::vector<Prediction> predict(std::span<const std::string> lines, const PredictOptions& options);
  std::vector<Prediction> predict(std::span<const SourceText> sources, const PredictOptions& options);

  // The same for a stream, with all workers busy: each reads, answers or writes, whatever is to be done. What has been
  // read is answered before more is waited for.
  void predict(LineStream& stream, const PredictOptions& options);

  const Model& model() const { return *models_.front(); }
  int threads() const { return workers_.count(); }
  // Its threads for other work, as soon as no call has them; `work` must not ask for answers.
  void lend_workers(const std::function<void(Workers&)>& work) { answering_.lend(work); }

 private:
  class Group;
  template <class Line>
  std::vector<Prediction> answer(std::span<const Line> lines, const PredictOptions& options);
  class Pipeline;
  Answering::Asked prepare(const PredictOptions& options) const;
  int max_source_symbols() const;  // that all models can read; 0: any number

  std::vector<std::unique_ptr<Model>> models_;
  NormalisedCells normalised_;
  Workers workers_;
  Answering answering_;
};

}  // namespace fovea
