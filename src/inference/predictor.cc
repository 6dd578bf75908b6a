#include "inference/predictor.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "base/as_size.h"
#include "base/json.h"
#include "base/utf8.h"
#include "models/generator.h"

namespace fovea {

namespace {

// Why two models cannot answer as one; empty: they can.
std::string_view apart(const Model& a, const Model& b) {
  const auto same = [](const Vocabulary& x, const Vocabulary& y) { return x.to_json() == y.to_json(); };
  const auto copies = [](const Model& model) {
    return generators().find(model.config().model.generator.kind).traits.copies;
  };
  const Config &config = a.config(), &other = b.config();
  if (config.target.tokenizer != other.target.tokenizer || !same(a.task().target(), b.task().target())) {
    return "they write other symbols";
  }
  const auto reads = [](const Model& model) {
    std::vector<std::map<std::string, std::string>> all;
    for (const SourcePtr& source : model.task().sources()) all.push_back(source->learned());
    return all;
  };
  const auto kinds = [](const Config& of) {
    std::vector<std::string> all;
    for (const SourceOptions* source : of.sources()) {
      all.push_back(fmt::format("{} {} {} {} {}", source->kind, source->tokenizer, source->normalise,
                                to_json(source->audio), to_json(source->image)));
    }
    return all;
  };
  if (kinds(config) != kinds(other) || reads(a) != reads(b)) return "they read other symbols";
  if (a.task().reads_features() != b.task().reads_features() ||
      (a.task().reads_features() && !same(a.task().features(), b.task().features()))) {
    return "they read other features";
  }
  if (config.task != other.task) return "they have other tasks";
  if (copies(a) != copies(b)) return "only one of them copies";
  if (a.task().acts() != b.task().acts()) return "only one of them writes actions";
  return "";
}

std::vector<std::unique_ptr<Model>> open(const std::vector<std::filesystem::path>& paths, Precision precision) {
  Files files;
  std::vector<std::unique_ptr<Model>> models;
  for (const std::filesystem::path& path : paths) {
    models.push_back(load_model(files, path));
    if (precision == Precision::int8) models.back()->parameters().use_int8();
    if (const std::string_view reason = apart(*models[0], *models.back()); !reason.empty()) {
      throw usage_error("{} and {} cannot answer as one: {}; take models trained on the same data", paths[0].string(),
                        path.string(), reason);
    }
  }
  return models;
}

std::vector<const Model*> pointers(const std::vector<std::unique_ptr<Model>>& models) {
  std::vector<const Model*> all;
  for (const auto& model : models) all.push_back(model.get());
  return all;
}

}  // namespace

// Lines that are answered together, in batches that any worker may take.
class Predictor::Group {
 public:
  // `first_line` is the number of its first line among all that `asked` is for.
  template <class Line>
  Group(Predictor& predictor, std::span<const Line> lines, const PredictOptions& options, const Answering::Asked& asked,
        std::int64_t first_line = 0)
      : predictor_(predictor),
        options_(options),
        asked_(asked),
        first_line_(first_line),
        predictions_(lines.size()),
        encoded_(lines.size()),
        texts_(lines.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i) encode(lines[i], i);
    for (const Encoding& encoded : encoded_) {
      sources_.push_back(&encoded.source);
      if (options.score) targets_.push_back(&encoded.target);
    }
    batches_ = predictor.answering_.batches(sources_, options.answer);
  }

  std::span<const std::vector<std::size_t>> batches() const { return batches_; }
  // Whether a line is in any batch: there is nothing to ask about one without symbols.
  bool asks(std::size_t line) const { return !encoded_[line].source.empty(); }
  std::vector<Prediction>& predictions() { return predictions_; }

  void answer(std::span<const std::size_t> batch) {
    const Task& task = predictor_.model().task();
    const auto answers = predictor_.answering_.answer_batch(batch, sources_, asked_, {first_line_, targets_});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Prediction& prediction = predictions_[batch[i]];
      Reading& source = encoded_[batch[i]].source;
      const SourceText& text = texts_[batch[i]];
      prediction.output = make_output(task, text, source, answers[i], options_.dictionary);
      for (SourceData& data : source.sources) data.shown = {};  // the output has it
      // Not before: it is large, and answers are passed on one by one.
      if (options_.answer.search.explain.media) prediction.output.media = media_of(task, text, options_.open_files);
      if (options_.score) prediction.scored = score_of(task, source, answers[i][0], text.target);
    }
  }

 private:
  void encode(const std::string& line, std::size_t place) {
    Prediction& p = predictions_[place];
    const bool sound = !find_invalid_utf8(line);
    const std::string text = sound ? line : repair_utf8(line);
    const Columns columns = options_.columns.value_or(predictor_.model().task().columns());
    std::optional<Cells> cells;
    if (!options_.score) {
      cells = columns.question(text);
    } else if (count_columns(text) >= columns.needed()) {
      cells = columns.example(text);
    }
    if (!cells) {
      p.status = text.empty() ? LineStatus::empty : LineStatus::too_few_columns;
      return;
    }
    SourceText source = {
        std::string(cells->source), std::string(cells->features), {}, std::string(cells->target), options_.folder};
    for (const std::string_view other : cells->others) source.others.emplace_back(other);
    encode(std::move(source), place);
    if (!sound && p.status == LineStatus::answered) p.status = LineStatus::repaired;
  }

  void encode(SourceText given, std::size_t place) {
    Prediction& p = predictions_[place];
    Encoding& encoded = encoded_[place];
    SourceText& source = texts_[place] = std::move(given);
    const Task& task = predictor_.model().task();
    if (!options_.score && task.traits().reads) source.target.clear();  // nobody asks about it
    if (!options_.score) source.begun = source.target;
    predictor_.normalised_.apply(source);
    const std::int64_t max_characters =
        options_.max_length > 0 ? options_.max_length : predictor_.model().config().max_length;
    std::int64_t characters = std::max(count_characters(source.text), count_characters(source.target));
    for (const std::string& other : source.others) characters = std::max(characters, count_characters(other));
    const bool reads = task.traits().reads;
    p.status = reads && source.text.empty()  ? LineStatus::empty
               : characters > max_characters ? LineStatus::too_long
                                             : LineStatus::answered;
    if (p.status != LineStatus::answered) return;
    try {
      encode_cells(source, encoded);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::data) throw;
      encoded = {};
      p.status = LineStatus::unreadable;
      p.problem = e.what();
      return;
    }
    if (const int most = predictor_.max_source_symbols(); most > 0 && encoded.source.size() > most) {
      encoded = {};
      p.status = LineStatus::too_long;
      return;
    }
    p.output.source_text = source.text;
    p.output.other_sources = source.others;
    p.unknown_feature = task.unknown_feature(encoded.source);
  }

  void encode_cells(const SourceText& source, Encoding& encoded) const {
    const Task& task = predictor_.model().task();
    if (options_.score) {
      const Example example = {source.text, source.target, source.features, 0, {}, source.others};
      encoded = task.encode(example, named_files(source), true);
    } else {
      encoded.source = task.encode_source(source.text, source.features, source.others, named_files(source));
      if (!task.traits().reads) encoded.source.prefix = task.encode_target(source.target);
    }
  }

  NamedFiles named_files(const SourceText& source) const {
    return {.folder = source.folder, .open = options_.open_files};
  }

  Predictor& predictor_;
  const PredictOptions& options_;
  const Answering::Asked& asked_;
  std::int64_t first_line_;
  std::vector<Prediction> predictions_;
  std::vector<Encoding> encoded_;
  std::vector<SourceText> texts_;  // as the model wants them
  std::vector<const Reading*> sources_;
  std::vector<const Symbols*> targets_;  // likewise
  std::vector<std::vector<std::size_t>> batches_;
};

// The groups of a stream on their way: read one after the other, answered batch by batch across groups, so that no
// worker waits for the others at the end of one, and written in order by whoever completes the oldest. A batch that
// is alone, as a line typed by someone is, has all workers for its products.
class Predictor::Pipeline {
 public:
  Pipeline(Predictor& predictor, LineStream& stream, const PredictOptions& options)
      : predictor_(predictor), stream_(stream), options_(options), asked_(predictor.prepare(options)) {}

  void run() {
    std::unique_lock lock(mutex_);
    while (!over()) {
      if (running_.empty()) read(lock);
      lock.unlock();
      if (alone_) {
        predictor_.answering_.share(1, [&](int) {
          lock.lock();
          alone_ = false;
          answer(lock);
          lock.unlock();
        });
      } else {
        predictor_.answering_.share(predictor_.workers_.count(), [&](int) { work(); });
      }
      lock.lock();
    }
    if (read_failure_) std::rethrow_exception(read_failure_);
  }

 private:
  bool over() const { return ended_ && running_.empty(); }

  // What each worker does.
  void work() {
    std::unique_lock lock(mutex_);
    try {
      while (!failed_ && !alone_ && !over()) {
        if (wants_lines()) {
          read(lock);
        } else if (!waiting_.empty()) {
          answer(lock);
        } else {
          changed_.wait(lock);
        }
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

  struct Running {
    Running(Predictor& predictor, std::span<const std::string> lines, const PredictOptions& options,
            const Answering::Asked& asked, std::int64_t first_line)
        : group(predictor, lines, options, asked, first_line), written(lines.size()), left(group.batches().size()) {}
    Group group;
    std::vector<LineStream::Written> written;
    std::size_t left;  // batches
  };
  struct Batch {
    Running* of;
    std::span<const std::size_t> lines;
  };

  // More is read before all is taken, but only what is there: what has been read must not wait for what has not.
  bool wants_lines() {
    const auto workers = as_size(predictor_.workers_.count());
    if (reading_ || ended_ || running_.size() > max_ahead) return false;
    return waiting_.empty() || (waiting_.size() < workers && stream_.ready());
  }

  void read(std::unique_lock<std::mutex>& lock) {
    reading_ = true;
    lock.unlock();
    std::vector<std::string> lines;
    try {
      lines = stream_.read();
    } catch (...) {  // what came before it is still answered
      read_failure_ = std::current_exception();
    }
    std::unique_ptr<Running> next;
    if (!lines.empty()) {
      next = std::make_unique<Running>(predictor_, std::span<const std::string>(lines), options_, asked_, lines_read_);
      lines_read_ += std::ssize(lines);
    }
    lock.lock();
    reading_ = false;
    ended_ = lines.empty();
    if (next) {
      for (const auto& batch : next->group.batches()) waiting_.push_back({next.get(), batch});
      running_.push_back(std::move(next));
      write_complete(lock);  // lines that are all empty
      alone_ = !reading_ && running_.size() == 1 && waiting_.size() == 1 && !stream_.ready();
    }
    changed_.notify_all();
  }

  void answer(std::unique_lock<std::mutex>& lock) {
    const Batch batch = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    batch.of->group.answer(batch.lines);
    for (const std::size_t i : batch.lines) {
      Prediction& prediction = batch.of->group.predictions()[i];
      batch.of->written[i].text = stream_.render(prediction);
      batch.of->written[i].finished = prediction.output.finished;
      batch.of->written[i].abstained = prediction.output.abstained;
      batch.of->written[i].scored = std::move(prediction.scored);
      prediction.output = {};  // an explanation is large
    }
    lock.lock();
    --batch.of->left;
    write_complete(lock);
  }

  // The oldest groups, as far as they are answered.
  void write_complete(std::unique_lock<std::mutex>& lock) {
    while (!writing_ && !running_.empty() && running_.front()->left == 0) {
      writing_ = true;
      Running& oldest = *running_.front();
      lock.unlock();
      write(oldest);
      lock.lock();
      running_.pop_front();
      writing_ = false;
      changed_.notify_all();
    }
  }

  void write(Running& oldest) {
    const auto& predictions = oldest.group.predictions();
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      LineStream::Written& line = oldest.written[i];
      line.status = predictions[i].status;
      line.problem = predictions[i].problem;
      line.unknown_feature = predictions[i].unknown_feature;
      if (!oldest.group.asks(i)) line.text = stream_.render(predictions[i]);
    }
    stream_.write(oldest.written);
  }

  static constexpr std::size_t max_ahead = 2;  // groups that are not written yet when another is read

  Predictor& predictor_;
  LineStream& stream_;
  const PredictOptions& options_;
  const Answering::Asked asked_;
  std::int64_t lines_read_ = 0;  // by whoever reads
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Running>> running_;  // oldest first
  std::deque<Batch> waiting_;
  bool reading_ = false;
  bool writing_ = false;
  bool alone_ = false;  // one batch is all there is
  bool ended_ = false;
  bool failed_ = false;
  std::exception_ptr read_failure_;
};

Predictor::Predictor(const std::vector<std::filesystem::path>& models, int threads, Precision precision)
    : Predictor(open(models, precision), threads) {}

Predictor::Predictor(std::vector<std::unique_ptr<Model>> models, int threads)
    : models_(std::move(models)),
      normalised_(models_.front()->config()),
      workers_(threads),
      answering_(pointers(models_), workers_) {}

int Predictor::max_source_symbols() const {
  int least = 0;
  for (const auto& model : models_) {
    const int most = model->task().max_source_symbols();
    if (most > 0 && (least == 0 || most < least)) least = most;
  }
  return least;
}

Answering::Asked Predictor::prepare(const PredictOptions& options) const {
  if (options.score && model().task().acts()) {
    throw usage_error(
        "attention.select = actions: only training knows by which steps a target is reached, so that "
        "it cannot be scored; take a model with another selection");
  }
  Answering::Asked asked = answering_.prepare(options.answer);
  if (options.score) asked.options.search.beam = asked.options.search.nbest = 1;
  if (options.score) asked.options.search.sample = 0;
  return asked;
}

template <class Line>
std::vector<Prediction> Predictor::answer(std::span<const Line> lines, const PredictOptions& options) {
  const Answering::Asked asked = prepare(options);
  Group group(*this, lines, options, asked);
  const auto batches = group.batches();
  answering_.share(static_cast<int>(batches.size()), [&](int task) { group.answer(batches[task]); });
  return std::move(group.predictions());
}

std::vector<Prediction> Predictor::predict(std::span<const std::string> lines, const PredictOptions& options) {
  return answer(lines, options);
}

std::vector<Prediction> Predictor::predict(std::span<const SourceText> sources, const PredictOptions& options) {
  return answer(sources, options);
}

void Predictor::predict(LineStream& stream, const PredictOptions& options) { Pipeline(*this, stream, options).run(); }

}  // namespace fovea
