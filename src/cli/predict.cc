#include <array>
#include <optional>
#include <fmt/core.h>

#include "base/streams.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/columns_for.h"
#include "cli/complaint.h"
#include "cli/out.h"
#include "cli/words_of.h"
#include "data/lines.h"
#include "inference/predictor.h"
#include "show/json.h"
#include "tasks/fold_words.h"

namespace fovea {

namespace {

constexpr int alternatives_explained = 5;

// Lines are answered in groups: large ones from a file, whatever is there from a pipe, so that a person or program that
// sends one line gets its answer at once.
constexpr std::size_t most_lines = 4096;
// Explanations grow with the square of a line's length; so much is enough to keep all threads busy.
constexpr std::size_t most_explained_squares = std::size_t(1) << 16;
constexpr std::size_t most_line_bytes = std::size_t(1) << 30;

class Counter {
 public:
  void count(const LineStream::Written& written, std::int64_t line) {
    fates_[static_cast<std::size_t>(written.status)].count(line);
    if (!written.finished) unfinished_.count(line);
    if (!written.unknown_feature.empty() && unknown_features_.count(line)) unknown_feature_ = written.unknown_feature;
  }
  // `file` is how its lines are named.
  void report(const std::string& file, const Columns& columns, std::int64_t max_length) const {
    const auto of = [&](LineStatus status) { return fates_[static_cast<std::size_t>(status)]; };
    of(LineStatus::repaired).warn(file, "not UTF-8: bad bytes were read as U+FFFD");
    of(LineStatus::too_few_columns)
        .warn(file, fmt::format("without all that this model reads ({}): answered with an empty line",
                                columns.question_form()));
    of(LineStatus::too_long)
        .warn(file, fmt::format("longer than {} characters (--max-length), or than the model knows positions: answered "
                                "with an empty line",
                                max_length));
    unknown_features_.warn(file, fmt::format("with features that no line of the training data had (such as \"{}\")",
                                             beginning(unknown_feature_)));
    unfinished_.warn(file, "whose answer is unfinished: it was cut at its greatest length, which --max-output sets");
  }

 private:
  class Seen {
   public:
    bool count(std::int64_t line) {  // whether it is the first
      if (lines_++ == 0) first_ = line;
      return lines_ == 1;
    }
    void warn(const std::string& file, const std::string& what) const {
      if (lines_ == 0) return;
      say(fmt::format("warning: {} line{} (first: {}:{}) {}\n", lines_, lines_ == 1 ? "" : "s", file, first_, what));
    }

   private:
    std::int64_t lines_ = 0;
    std::int64_t first_ = 0;
  };
  std::array<Seen, 5> fates_;
  Seen unfinished_;
  Seen unknown_features_;
  std::string unknown_feature_;
};

class Lines : public LineStream {
 public:
  explicit Lines(const PredictCommand& command) : command_(command), reader_(command.file, most_line_bytes) {}

  std::vector<std::string> read() override {
    std::vector<std::string> lines;
    std::string line;
    std::size_t squares = 0;
    while (reader_.next(line)) {
      squares += line.size() * line.size();
      lines.push_back(std::move(line));
      if (lines.size() >= most_lines || !reader_.ready()) break;
      if (command_.json && squares >= most_explained_squares) break;
    }
    return lines;
  }
  bool ready() override { return reader_.ready(); }

  std::string render(const Prediction& p) const override {
    if (command_.json) return output_to_json(command_.words ? fold_words(p.output) : p.output) + "\n";
    if (command_.nbest == 1) return p.output.text + "\n";
    std::string line;
    for (const Hypothesis& h : p.output.nbest) {
      line += fmt::format("{}{}\t{:.6g}", line.empty() ? "" : "\t", h.text, h.score);
    }
    return line + "\n";
  }

  void write(std::span<const Written> lines) override {
    for (const Written& line : lines) {
      counter_.count(line, ++written_);
      write_out(line.text);
    }
    flush_out();
  }

  void report(const Columns& columns, std::int64_t max_length) const {
    counter_.report(reader_.name(), columns, max_length);
  }

 private:
  const PredictCommand& command_;
  LineReader reader_;
  Counter counter_;
  std::int64_t written_ = 0;
};

}  // namespace

int PredictCommand::run() const {
  if (nbest > beam) throw usage_error("--nbest {} needs --beam {} or more", nbest, nbest);
  if (!dictionary.empty() && !replace_unknown) throw usage_error("--dictionary belongs to --replace-unknown");
  if (words && !json) throw usage_error("--words belongs to --json");
  std::optional<Lexicon> entries;
  if (!dictionary.empty()) entries.emplace(dictionary);
  const int explained = json ? alternatives_explained : replace_unknown ? 1 : 0;
  const int asked = threads > 0 ? threads : Workers::default_count();
  Predictor predictor(model, asked, int8 ? Precision::int8 : Precision::full);
  complain_of_threads(asked, predictor.threads());
  if (words) check_words(predictor.model());
  PredictOptions options = {.answer = {.beam = beam,
                                       .nbest = nbest,
                                       .max_output = max_output,
                                       .length_power = length_power,
                                       .batch = batch,
                                       .alternatives = explained,
                                       .coverage_penalty = coverage_penalty,
                                       .sampling_temperature = temperature,
                                       .seed = static_cast<std::uint64_t>(seed),
                                       .write_unknown = replace_unknown},
                            .columns = columns_for(predictor.model(), columns),
                            .max_length = max_length > 0 ? max_length : predictor.model().config().max_length,
                            .dictionary = entries ? &*entries : nullptr};
  Lines lines(*this);
  predictor.predict(lines, options);
  lines.report(*options.columns, options.max_length);
  return 0;
}

}  // namespace fovea
