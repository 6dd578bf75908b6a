#include "inference/predictor.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "base/utf8.h"

namespace fovea {

namespace {

std::unique_ptr<Model> open(const std::filesystem::path& path, Precision precision) {
  Files files;
  std::unique_ptr<Model> model = load_model(files, path);
  if (precision == Precision::int8) model->parameters().use_int8();
  return model;
}

}  // namespace

// Lines that are answered together, in batches that any worker may take.
class Predictor::Group {
 public:
  template <class Line>
  Group(Predictor& predictor, std::span<const Line> lines, const PredictOptions& options)
      : predictor_(predictor), options_(options), predictions_(lines.size()), encoded_(lines.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      encode(lines[i], predictions_[i], encoded_[i]);
      sources_.push_back(&encoded_[i]);
    }
    batches_ = predictor.answering_.batches(sources_, options.answer);
  }

  std::span<const std::vector<std::size_t>> batches() const { return batches_; }
  // Whether a line is in any batch: there is nothing to ask about one without symbols.
  bool asks(std::size_t line) const { return !encoded_[line].empty(); }
  std::vector<Prediction>& predictions() { return predictions_; }

  void answer(std::span<const std::size_t> batch, int worker) {
    const auto answers = predictor_.answering_.answer_batch(batch, sources_, options_.answer, worker);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Output& output = predictions_[batch[i]].output;
      output =
          predictor_.model_->task().output(output.source_text, encoded_[batch[i]], answers[i], options_.dictionary);
    }
  }

 private:
  void encode(const std::string& line, Prediction& p, SourceIds& encoded) const {
    const bool sound = !find_invalid_utf8(line);
    const std::string text = sound ? line : repair_utf8(line);
    const auto cells = options_.columns.value_or(predictor_.model_->task().columns()).question(text);
    if (!cells) {
      p.status = text.empty() ? LineStatus::empty : LineStatus::too_few_columns;
      return;
    }
    encode(SourceText{std::string(cells->source), std::string(cells->features)}, p, encoded);
    if (!sound && p.status == LineStatus::answered) p.status = LineStatus::repaired;
  }

  void encode(const SourceText& source, Prediction& p, SourceIds& encoded) const {
    const Transduce& task = predictor_.model_->task();
    const std::int64_t most_characters =
        options_.max_length > 0 ? options_.max_length : predictor_.model_->config().max_length;
    p.status = source.text.empty()                               ? LineStatus::empty
               : count_characters(source.text) > most_characters ? LineStatus::too_long
                                                                 : LineStatus::answered;
    if (p.status != LineStatus::answered) return;
    encoded = task.encode_source(source.text, source.features);
    if (const int most = task.most_source_symbols(); most > 0 && encoded.size() > most) {
      encoded = {};
      p.status = LineStatus::too_long;
      return;
    }
    p.output.source_text = source.text;
    p.unknown_feature = task.unknown_feature(encoded);
  }

  Predictor& predictor_;
  PredictOptions options_;
  std::vector<Prediction> predictions_;
  std::vector<SourceIds> encoded_;
  std::vector<const SourceIds*> sources_;
  std::vector<std::vector<std::size_t>> batches_;
};

// The groups of a stream on their way: read one after the other, answered batch by batch across groups, so that no
// worker waits for the others at the end of one, and written in order by whoever completes the oldest.
class Predictor::Pipeline {
 public:
  Pipeline(Predictor& predictor, LineStream& stream, const PredictOptions& options)
      : predictor_(predictor), stream_(stream), options_(options) {}

  void run() {
    predictor_.workers_.run(predictor_.workers_.count(), [&](int, int worker) { work(worker); });
    if (read_failure_) std::rethrow_exception(read_failure_);
  }

 private:
  // What each worker does.
  void work(int worker) {
    std::unique_lock lock(mutex_);
    try {
      while (!failed_ && !(ended_ && running_.empty())) {
        if (wants_lines()) {
          read(lock);
        } else if (!waiting_.empty()) {
          answer(lock, worker);
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
    Running(Predictor& predictor, std::span<const std::string> lines, const PredictOptions& options)
        : group(predictor, lines, options), written(lines.size()), left(group.batches().size()) {}
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
    const auto workers = static_cast<std::size_t>(predictor_.workers_.count());
    if (reading_ || ended_ || running_.size() > most_ahead) return false;
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
      PredictOptions options = options_;
      options.answer.first_line += lines_read_;
      lines_read_ += std::ssize(lines);
      next = std::make_unique<Running>(predictor_, std::span<const std::string>(lines), options);
    }
    lock.lock();
    reading_ = false;
    ended_ = lines.empty();
    if (next) {
      for (const auto& batch : next->group.batches()) waiting_.push_back({next.get(), batch});
      running_.push_back(std::move(next));
      write_complete(lock);  // lines that are all empty
    }
    changed_.notify_all();
  }

  void answer(std::unique_lock<std::mutex>& lock, int worker) {
    const Batch batch = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    batch.of->group.answer(batch.lines, worker);
    for (const std::size_t i : batch.lines) {
      Prediction& prediction = batch.of->group.predictions()[i];
      batch.of->written[i].text = stream_.render(prediction);
      batch.of->written[i].finished = prediction.output.finished;
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
      line.unknown_feature = predictions[i].unknown_feature;
      if (!oldest.group.asks(i)) line.text = stream_.render(predictions[i]);
    }
    stream_.write(oldest.written);
  }

  static constexpr std::size_t most_ahead = 2;  // groups that are not written yet when another is read

  Predictor& predictor_;
  LineStream& stream_;
  const PredictOptions& options_;
  std::int64_t lines_read_ = 0;  // by whoever reads
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Running>> running_;  // oldest first
  std::deque<Batch> waiting_;
  bool reading_ = false;
  bool writing_ = false;
  bool ended_ = false;
  bool failed_ = false;
  std::exception_ptr read_failure_;
};

Predictor::Predictor(const std::filesystem::path& model, int threads, Precision precision)
    : model_(open(model, precision)), workers_(threads), answering_(*model_, workers_) {}

std::vector<Prediction> Predictor::answer(Group group) {
  const auto batches = group.batches();
  workers_.run(static_cast<int>(batches.size()), [&](int task, int worker) { group.answer(batches[task], worker); });
  return std::move(group.predictions());
}

std::vector<Prediction> Predictor::predict(std::span<const std::string> lines, const PredictOptions& options) {
  return answer(Group(*this, lines, options));
}

std::vector<Prediction> Predictor::predict(std::span<const SourceText> sources, const PredictOptions& options) {
  return answer(Group(*this, sources, options));
}

void Predictor::predict(LineStream& stream, const PredictOptions& options) { Pipeline(*this, stream, options).run(); }

}  // namespace fovea
