#include "training/held_out.h"

#include <algorithm>
#include <cmath>

#include "base/as_size.h"
#include "base/utf8.h"
#include "tasks/batching.h"
#include "tasks/metrics/edits.h"
#include "tasks/explaining.h"
#include "tasks/metrics/measurement.h"

namespace fovea {

namespace {

constexpr std::size_t samples_shown = 4, max_worst = 10, max_confusions = 20;
// Of longer ones the way from one to the other takes longer to find than it tells.
constexpr std::size_t max_compared = 1 << 16;  // bytes of both, multiplied
constexpr BatchSize loss_batch = {4000, true};

std::int64_t count_steps(const Task& task, std::span<const Encoding> examples) {
  std::int64_t count = 0;
  for (const Encoding& example : examples) count += task.steps(example.target.size());
  return count;
}

// Symbols the training data does not have count as if they stood there once.
double single_symbols_loss(const Task& task, std::span<const Encoding> training, std::span<const Encoding> held_out) {
  const int symbols = task.target().size();
  std::vector<double> counts(as_size(symbols), 0.0);
  const auto count_of = [&](std::int32_t symbol) -> double& {
    return counts[as_size(symbol < symbols ? symbol : Vocabulary::unknown)];
  };
  for (const Encoding& example : training) {
    for (const std::int32_t symbol : example.target) ++count_of(symbol);
  }
  count_of(Vocabulary::stop) = static_cast<double>(training.size());
  const double all = std::log(static_cast<double>(count_steps(task, training)));
  double loss = 0;
  for (const Encoding& example : held_out) {
    for (const std::int32_t symbol : example.target) loss += all - std::log(std::max(1.0, count_of(symbol)));
    if (!task.traits().one_step) loss += all - std::log(count_of(Vocabulary::stop));
  }
  return loss / static_cast<double>(count_steps(task, held_out));
}

}  // namespace

HeldOut::HeldOut(const Model& model, std::span<const Example> examples, std::vector<Encoding> encoded,
                 std::span<const Encoding> training, Workers& workers)
    : model_(model),
      encoded_(std::move(encoded)),
      questions_(model.task().traits().reads ? group_references(examples, model.task().target_tokenizer())
                                             : std::vector<Referenced>()),
      workers_(workers),
      answering_(model, workers) {
  samples_ = choose_samples(questions_, samples_shown);
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    const Referenced& question = questions_[i];
    sources_.push_back(model.task().encode_source(question.source, question.features, question.others,
                                                  {.folder = folder_of(question.file)},
                                                  std::ranges::find(samples_, i) != samples_.end()));
  }
  loss_of_single_symbols_ = single_symbols_loss(model.task(), training, encoded_);
  arenas_.resize(as_size(workers.count()));
}

std::string HeldOut::warning() const {
  std::int64_t count = 0;
  std::string first;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const std::string_view unknown = model_.task().unknown_feature(sources_[i]);
    if (unknown.empty() || count++ > 0) continue;
    first = fmt::format("line {}, \"{}\"", questions_[i].line, beginning(unknown));
  }
  if (count == 0) return {};
  return fmt::format("{} of {} held-out sources have features that no line to train on has (first: {})", count,
                     sources_.size(), first);
}

double HeldOut::loss(std::span<const Encoding> lines) {
  std::vector<Length> lengths;
  for (const Encoding& line : lines) {
    lengths.push_back({line.source.positions(), model_.task().steps(line.target.size())});
  }
  const BatchPlan plan = plan_batches(lengths, loss_batch, 0, 0);
  std::vector<double> sums(plan.size());
  workers_.run(static_cast<int>(plan.size()), [&](int task, int worker) {
    std::vector<const Encoding*> rows;
    Batch batch;
    for (const std::uint32_t example : plan[as_size(task)]) {
      rows.push_back(&lines[example]);
      batch.samples.push_back(example);
    }
    fill_batch(model_.task(), rows, batch);
    Pass pass(model_.parameters(), arenas_[as_size(worker)]);
    sums[as_size(task)] = static_cast<double>(*model_.network().loss(pass, batch).terms.front().value.data());
  });
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum / static_cast<double>(count_steps(model_.task(), lines));
}

std::optional<HeldOut::Exchanged> HeldOut::exchange_sources() {
  if (!model_.task().traits().reads || encoded_.size() < 2) return {};
  std::vector<Encoding> exchanged;
  for (std::size_t i = 0; i < encoded_.size(); ++i) {
    // Half of all lines away: neighbours are often alike.
    Encoding line = {encoded_[(i + encoded_.size() / 2) % encoded_.size()].source, encoded_[i].target};
    for (std::int32_t& symbol : line.target) {
      if (symbol >= model_.task().target().size()) symbol = Vocabulary::unknown;  // of its own source
    }
    exchanged.push_back(std::move(line));
  }
  return Exchanged{loss(encoded_), loss(exchanged)};
}

// A question as a line of its columns.
std::string HeldOut::line_of(const Referenced& question) const {
  Cells cells = {question.source, {}, question.features, {}};
  cells.others.assign(question.others.begin(), question.others.end());
  return model_.task().columns().question_line(cells);
}

// The worst so far, and what was taken for what.
void HeldOut::note_error(const Referenced& question, const std::string& text, ValidationReport& report,
                         Confusions& confusions) const {
  const std::string target = nearest_reference(question.references, text);
  if (target == text) return;
  if (target.size() * text.size() <= max_compared) {
    const Tokenizer& tokenizer = model_.task().target_tokenizer();
    confusions.add(edit_path(tokenizer.symbols(target), tokenizer.symbols(text)));
  }
  WrongAnswer wrong = {question.source, target, text, edit_distance(target, text), line_of(question)};
  auto& worst = report.worst;
  const auto place = std::ranges::find_if(worst, [&](const WrongAnswer& w) { return w.edits < wrong.edits; });
  if (place == worst.end() && worst.size() == max_worst) return;
  worst.insert(place, std::move(wrong));
  worst.resize(std::min(worst.size(), max_worst));
}

void HeldOut::answer(const std::atomic<int>* stop_signal, ValidationReport& report) {
  std::vector<const Reading*> plain, explained;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (std::ranges::find(samples_, i) == samples_.end()) plain.push_back(&sources_[i]);
  }
  for (const std::size_t i : samples_) explained.push_back(&sources_[i]);
  const auto samples = answering_.answer(
      explained, {.search = {.alternatives = 5, .limits = sample_limits, .stop_signal = stop_signal}});
  const auto answers = answering_.answer(plain, {.search = {.stop_signal = stop_signal}});
  Measurement measured({}, &model_.task().target_tokenizer());
  Confusions confusions;
  auto next = answers.begin();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto sample = std::ranges::find(samples_, i);
    const std::vector<Answer>& found = sample == samples_.end() ? *next++ : samples[sample - samples_.begin()];
    const std::string text = model_.task().target_text(found[0].symbols, sources_[i]);
    measured.add({.references = questions_[i].references, .text = text, .finished = found[0].finished});
    note_error(questions_[i], text, report, confusions);
  }
  report.confusions = confusions.top(max_confusions);
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    const Referenced& question = questions_[samples_[s]];
    Output output =
        make_output(model_.task(), {question.source, question.features, question.others, {}, question.folder()},
                    *explained[s], samples[s]);
    const std::string target = nearest_reference(question.references, output.text);
    report.samples.push_back({target, std::move(output), line_of(question)});
  }
  report.metrics = measured.values();
  report.unfinished = measured.unfinished();
  report.all_right = measured.all_right();
}

ValidationReport HeldOut::validate(const std::atomic<int>* stop_signal) {
  ValidationReport report;
  report.held_out_loss = loss(encoded_);
  if (!model_.task().traits().reads) return report;  // nothing is asked
  answer(stop_signal, report);
  return report;
}

}  // namespace fovea
