#include "training/trainer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/clock.h"
#include "kernels/instruction_set.h"
#include "tasks/ready_vectors.h"
#include "training/kept.h"

namespace fovea {

namespace {

constexpr int journal_every = 50;  // updates
constexpr const char* all_right = "every held-out line is right";

std::uint64_t hash_examples(std::uint64_t hash, std::span<const Example> examples) {
  for (const Example& example : examples) {
    for (const std::string* text : {&example.source, &example.target, &example.features, &example.alignment}) {
      hash = hash_text(hash, *text);
    }
    for (const std::string& other : example.others) hash = hash_text(hash, other);
  }
  return mix(hash, examples.size());
}

// While it lives, the model has the averaged weights, if there are any.
class AveragedWeights {
 public:
  AveragedWeights(Parameters& weights, std::span<Real> average) : weights_(weights), average_(average) { swap(); }
  ~AveragedWeights() { swap(); }
  AveragedWeights(const AveragedWeights&) = delete;
  AveragedWeights& operator=(const AveragedWeights&) = delete;

 private:
  void swap() {
    if (average_.empty()) return;
    std::ranges::swap_ranges(weights_.values(), average_);
    weights_.invalidate_packed();
  }

  Parameters& weights_;
  std::span<Real> average_;
};

}  // namespace

Trainer::Trainer(const Config& config, TrainingData data, RunOptions options, Files& files, Observer& observer)
    : config_(config),
      criterion_(config.training.metric),
      data_(std::move(data)),
      options_(std::move(options)),
      files_(files),
      observer_(observer),
      ranks_(*options_.ranks),
      workers_(options_.threads) {
  if (config_.training.validate_every.unit != Period::Unit::updates &&
      config_.training.validate_every.unit != Period::Unit::epochs) {
    throw usage_error(
        "training.validate_every is {}: a validation decides about the learning rate, so it must fall due after a "
        "number "
        "of updates (500u) or epochs (1e), or the same seed would not give the same model",
        to_string(config_.training.validate_every));
  }
  if (config_.training.decay == "cosine" && config_.training.decay_updates == 0) {
    throw usage_error("training.decay = cosine needs training.decay_updates: after how many the rate is zero");
  }
  const Traits select = selects().find(config_.model.attention.select).traits;
  if (config_.training.scheduled_sampling > 0 && select.marginal) {
    throw usage_error(
        "training.scheduled_sampling with attention.select = {}: all steps are taken at once; set it to 0, or choose "
        "another "
        "selection",
        config_.model.attention.select);
  }
  if (!task_kinds().find(config_.task).traits.reads && criterion_.metric()) {
    throw usage_error("task = {} with training.metric = {}: nothing is answered; set training.metric = {}",
                      config_.task, criterion_.name(), Criterion::loss_name);
  }
  if (config_.training.weight_decay > 0 && (config_.model.encoder.frozen || config_.model.decoder.frozen)) {
    throw usage_error("training.weight_decay with frozen vectors: they would shrink at every update; leave one out");
  }
  if (data_.training.empty()) throw data_error("no line to train on");
  if (data_.held_out.empty()) throw data_error("no line to validate on; give a second file with `dev`");
  const Beginning* beginning = data_.beginning.get();
  if (beginning) from_ = beginning->name;
  model_ = std::make_unique<Model>(config_, Task(config_, data_.training, data_.lexicon.get(),
                                                 beginning ? &beginning->model->task().learned() : nullptr));
  for (const Example& example : data_.training) {
    examples_.push_back(model_->task().encode(example));
    const Encoding& encoded = examples_.back();
    check_length(encoded.source, example.line);
    lengths_.push_back({encoded.source.positions(), model_->task().steps(encoded.target.size())});
  }
  if (config_.model.objective.supervised > 0 &&
      std::ranges::all_of(examples_, [](const Encoding& encoded) { return encoded.links.empty(); })) {
    throw data_error(
        "objective.supervised = {}, but no line to train on has an alignment; give links such as 0-0 1-2 in a column "
        "called alignment (`columns`) or in a file (`alignment_file`), or set it to 0",
        config_.model.objective.supervised);
  }
  for (const Example& example : data_.held_out) {
    check_length(model_->task().encode(example).source, example.line);
  }
  data_hash_ = hash_examples(hash_examples(0, data_.training), data_.held_out);
  for (const auto& entries : model_->task().lexicon()) {
    for (const auto& [symbol, share] : entries)
      data_hash_ = mix(data_hash_, mix(static_cast<std::uint64_t>(symbol), std::bit_cast<std::uint32_t>(share)));
  }
  for (const auto& [key, text] : model_->metadata()) {  // from files, maybe, that are not the same everywhere
    if (key.ends_with(".tokenizer")) data_hash_ = hash_text(data_hash_, text);
  }
  for (const Encoding& example : examples_) {
    for (const SourceData& source : example.source.sources) {
      for (const float value : source.rows) data_hash_ = mix(data_hash_, std::bit_cast<std::uint32_t>(value));
    }
  }
  check_same_on_all_ranks();
  gradient_ = std::make_unique<GradientWorker>(*model_, examples_, workers_, ranks_);
  held_out_ = std::make_unique<HeldOut>(*model_, data_.held_out, examples_, workers_);
  optimizer_ = std::make_unique<Optimizer>(config_.training, static_cast<std::size_t>(model_->parameters().count()));
}

void Trainer::check_length(const Reading& source, std::int64_t line) const {
  const int most = model_->task().max_source_symbols();
  if (most == 0 || source.size() <= most) return;
  throw data_error(
      "line {}: the source has {} symbols, but attention.score = {} knows {} positions (the stop symbol "
      "counted); set attention.positions higher, or leave longer lines out with `max_length`",
      line, source.size(), config_.model.attention.score, most + 1);
}

void Trainer::check_same_on_all_ranks() const {
  struct Hashes {
    std::uint64_t program, settings, data;
  };
  const std::vector<Hashes> all =
      ranks_.all_gather(Hashes{hash_text(hash_text(sizeof(Real), FOVEA_VERSION), kernels::instruction_set()),
                               hash_text(0, to_json(config_)), data_hash_});
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank].program != all[0].program) {
      throw usage_error(
          "rank {} has another version of fovea or another instruction set than rank 0, so their sums would not be "
          "the same; use machines of one kind (fovea bench names the instruction set)",
          rank);
    }
    if (all[rank].settings != all[0].settings) {
      throw usage_error("rank {} has other settings than rank 0; give every rank the same `config_file`", rank);
    }
    if (all[rank].data != all[0].data) {
      throw data_error("rank {} read other data than rank 0; every machine must have the same files", rank);
    }
  }
}

double Trainer::seconds() const { return seconds_before_ + now() - started_at_; }

void Trainer::start() {
  started_at_ = saved_at_ = rate_at_ = now();
  if (ranks_.first()) {
    const bool resumes = !options_.fresh && files_.exists(options_.folder / checkpoint_file_name);
    unsaved_ = !resumes;
    resumes ? resume() : begin();
    if (!resumes) forget_aside(files_, options_.folder);
    remove_kept_after(files_, options_.folder, resumes ? progress_.update : -1);
    journal_ = std::make_unique<Journal>(files_, options_.folder / journal_file_name, progress_);
  }
  data_.beginning.reset();  // its weights are as many again
  share_progress();
  ranks_.broadcast(std::as_writable_bytes(model_->parameters().values()));
  for (const Optimizer::Memory& memory : optimizer_->memories()) {
    ranks_.broadcast(std::as_writable_bytes(memory.values));
  }
  model_->parameters().invalidate_packed();
  seconds_before_ = progress_.seconds;
  first_update_ = progress_.update;
  plan_ = plan_batches(lengths_, config_.training.batch, static_cast<std::uint64_t>(config_.training.seed),
                       static_cast<std::uint64_t>(progress_.epoch));
  if (progress_.batch >= static_cast<std::int64_t>(plan_.size())) {
    throw model_error("{}: its progress lies beyond the data", (options_.folder / checkpoint_file_name).string());
  }
  if (const std::string text = Workers::shortage(options_.threads, workers_.count()); !text.empty()) {
    observer_.warned(text);
  }
  if (const std::string text = held_out_->warning(); !text.empty()) observer_.warned(text);
  observer_.started({.training_lines = static_cast<std::int64_t>(examples_.size()),
                     .held_out_lines = static_cast<std::int64_t>(data_.held_out.size()),
                     .source_symbols = model_->task().source().size(),
                     .target_symbols = model_->task().target().size(),
                     .weights = model_->parameters().count(),
                     .updates_per_epoch = static_cast<std::int64_t>(plan_.size()),
                     .padding_share = plan_.padding_share(),
                     .resumed_from = progress_.update});
}

// Of what is known of a symbol, a model's own vector is worth more than a ready one.
void Trainer::begin() {
  for (const std::string& text : take_ready_vectors(*model_)) observer_.noticed(text);
  if (data_.beginning) take_weights(*model_, *data_.beginning->model);
}

void Trainer::resume() {
  load_checkpoint(files_, options_.folder, *model_, *optimizer_, progress_, data_hash_, from_);
  restore_best(files_, options_.folder);
  if (progress_.finished != all_right && !patience_is_over()) progress_.finished.clear();
}

// What rank 0 has read or decided.
void Trainer::share_progress() {
  if (ranks_.count() == 1) return;
  std::string text = progress_to_json(progress_);
  ranks_.broadcast(text);
  progress_ = progress_from_json(text, "rank 0");
}

double Trainer::learning_rate() const {
  const TrainingOptions& t = config_.training;
  const double update = static_cast<double>(progress_.update + 1);
  double rate = t.learning_rate * progress_.rate_factor;
  if (update < t.warmup) rate *= update / t.warmup;
  if (t.decay == "cosine") {
    rate *= (1 + std::cos(std::numbers::pi * std::min(1.0, (update - 1) / t.decay_updates))) / 2;
  }
  if (t.decay == "inverse_sqrt") {
    const double from = std::max(1, t.warmup);
    if (update > from) rate *= std::sqrt(from / update);
  }
  return rate;
}

// One update; one whose gradient is not finite changes nothing and is counted.
void Trainer::train_batch(std::span<const std::uint32_t> batch) {
  const TrainingOptions& t = config_.training;
  const auto seed = static_cast<std::uint64_t>(t.seed);
  const double sampling_ramp = t.scheduled_sampling_warmup > 0
                                   ? std::min(1.0, static_cast<double>(progress_.update) / t.scheduled_sampling_warmup)
                                   : 1.0;
  const GradientResult result =
      gradient_->compute({.examples = batch,
                          .random = Random(seed, Purpose::dropout).at(static_cast<std::uint64_t>(progress_.update)),
                          .dropout = t.dropout,
                          .scheduled_sampling = t.scheduled_sampling * sampling_ramp,
                          .expected = progress_.expected,
                          .shards = t.shards});
  const double rate = learning_rate();
  ++progress_.update;
  rate_tokens_ += result.tokens;
  if (!std::isfinite(result.loss) || !std::isfinite(result.norm)) {
    ++progress_.skipped;
    if (++progress_.skipped_in_a_row >= t.most_skipped) {
      throw Error(ErrorKind::failure,
                  fmt::format("{} updates in a row had no finite gradient (update {}, learning rate {:.3g}); start "
                              "over with `fresh` and training.learning_rate={:.2g}; the best model so far, if there is "
                              "one, stays in {}",
                              progress_.skipped_in_a_row, progress_.update, rate, t.learning_rate / 3,
                              options_.folder.string()));
    }
    observer_.warned(fmt::format("update {} skipped: its gradient is not finite", progress_.update));
    return;
  }
  progress_.skipped_in_a_row = 0;
  const double factor = t.clip > 0 && result.norm > t.clip ? t.clip / result.norm : 1.0;
  const Optimizer::Step step = {progress_.update - progress_.skipped, rate, factor};
  const std::span<Real> weights = model_->parameters().values();
  gradient_->for_each_piece([&](std::size_t start, std::size_t count) {
    optimizer_->apply(step, start, gradient_->gradient().subspan(start, count), weights);
  });
  model_->parameters().refresh_packed(workers_);
  progress_.expected = 0.9 * progress_.expected - 0.1 * result.nll / static_cast<double>(result.symbols);
  progress_.loss += result.nll;
  progress_.symbols += result.symbols;
  report_update(result, rate);
}

void Trainer::report_update(const GradientResult& result, double rate) {
  const double loss = result.nll / static_cast<double>(result.symbols);
  double& smoothed = progress_.smoothed_loss;
  smoothed = smoothed == 0 ? loss : 0.95 * smoothed + 0.05 * loss;
  const double elapsed = now() - rate_at_;
  if (elapsed > 0.5 || tokens_per_second_ == 0) {
    tokens_per_second_ = static_cast<double>(rate_tokens_) / std::max(elapsed, 1e-9);
    rate_at_ = now();
    rate_tokens_ = 0;
  }
  const double batches = static_cast<double>(plan_.size());
  UpdateReport report = {
      .update = progress_.update,
      .epoch = static_cast<double>(progress_.epoch) + static_cast<double>(progress_.batch + 1) / batches,
      .seconds = seconds(),
      .training_loss = progress_.smoothed_loss,
      .tokens_per_second = tokens_per_second_,
      .learning_rate = rate,
      .gradient_norm = result.norm,
      .skipped = progress_.skipped,
      .terms = result.terms};
  estimate_end(report);
  if (journal_ && progress_.update % journal_every == 0) journal_->write(report);
  observer_.updated(report);
}

// When the run may end, at the pace of this process's part of it.
void Trainer::estimate_end(UpdateReport& report) const {
  const TrainingOptions& t = config_.training;
  const double epoch_updates = static_cast<double>(plan_.size());
  const auto updates_of = [&](Period period) {
    return static_cast<double>(period.count) * (period.unit == Period::Unit::epochs ? epoch_updates : 1.0);
  };
  const double pace =
      (now() - started_at_) / static_cast<double>(std::max<std::int64_t>(progress_.update - first_update_, 1));
  const Period limit = options_.stop_after;
  const double done = static_cast<double>(progress_.update);
  if (limit.unit == Period::Unit::seconds) {
    report.seconds_left = std::max(0.0, static_cast<double>(limit.count) - seconds());
    report.until = "stop-after";
  } else if (limit.unit != Period::Unit::none) {
    report.seconds_left = std::max(0.0, updates_of(limit) - done) * pace;
    report.until = "stop-after";
  }
  const double since = static_cast<double>(progress_.update - progress_.best_update);
  const double patience = std::max(t.patience * updates_of(t.validate_every), static_cast<double>(t.patience_updates));
  const double patience_left = std::max(0.0, patience - since) * pace;
  if (report.until.empty() || patience_left < report.seconds_left) {
    report.seconds_left = patience_left;
    report.until = "patience";
  }
}

double Trainer::score(const ValidationReport& report) const {
  const std::optional<double> found = criterion_.find(report.metrics, report.held_out_loss);
  check(found.has_value(), "{} was not measured", criterion_.name());
  return *found;
}

// What the model makes of the held-out part, and the model itself if it is the best so far.
std::pair<ValidationReport, ModelFiles> Trainer::look_at_held_out() {
  const AveragedWeights averaged(model_->parameters(), optimizer_->average());
  ValidationReport report = held_out_->validate(options_.stop_signal);
  report.update = progress_.update;
  report.epoch =
      static_cast<double>(progress_.epoch) + static_cast<double>(progress_.batch) / static_cast<double>(plan_.size());
  report.seconds = seconds();
  report.training_loss = progress_.symbols ? progress_.loss / static_cast<double>(progress_.symbols) : 0;
  // Long before a line is all right its symbols are more likely.
  const double found = score(report);
  report.metric = criterion_.name();
  report.best = progress_.validations == 0 || criterion_.better(found, progress_.best) ||
                (found == progress_.best && report.held_out_loss < progress_.best_loss);
  return {report, report.best || options_.keep > 0 ? encode_model(*model_) : ModelFiles()};
}

// By rank 0; the others learn what came of it. A signal ends it, to be done again when the run goes on.
void Trainer::validate() {
  if (ranks_.first()) {
    save(Save::due);  // it may take long
    try {
      auto [report, model] = look_at_held_out();
      if (options_.keep > 0) kept_[progress_.update] = model;
      if (report.best) best_model_ = std::move(model);
      judge(std::move(report));
    } catch (const SearchStopped&) {
    }
  }
  share_progress();
}

// Before a run stops as asked: what was learned since the last validation is not thrown away. It leaves no trace in the
// run: when that goes on, it has the best model it had.
void Trainer::validate_aside() {
  const bool done = progress_.validations > 0 && progress_.symbols == 0;  // nothing has changed since the last one
  if (!ranks_.first() || done) return;
  try {
    auto [report, model] = look_at_held_out();
    report.aside = true;
    report.patience_left = patience_left();
    journal_->write(report);
    if (report.best && progress_.validations > 0) set_best_aside(files_, options_.folder, model);
    if (report.best) save_model(files_, options_.folder, model);
    observer_.validated(report);
  } catch (const SearchStopped&) {
  }
}

bool Trainer::has_left_single_symbols() const {
  constexpr double clearly = 0.95;
  return progress_.validations > 0 && progress_.best_loss < clearly * held_out_->loss_of_single_symbols();
}

int Trainer::patience_left() const { return std::max(0, config_.training.patience - progress_.since_best); }

bool Trainer::patience_is_over() const {
  return patience_left() == 0 && progress_.update - progress_.best_update >= config_.training.patience_updates;
}

void Trainer::judge(ValidationReport report) {
  const TrainingOptions& t = config_.training;
  ++progress_.validations;
  if (report.best) {
    progress_.metric = criterion_.name();
    progress_.best = score(report);
    progress_.best_loss = report.held_out_loss;
    progress_.best_update = progress_.update;
    progress_.since_best = 0;
  } else {
    ++progress_.since_best;
    const bool long_enough = progress_.since_best % t.decay_after == 0;
    if (t.decay == "plateau" && long_enough && has_left_single_symbols()) progress_.rate_factor /= 2;
  }
  report.patience_left = patience_left();
  progress_.loss = 0;
  progress_.symbols = 0;
  if (report.all_right) {
    progress_.finished = all_right;
  } else if (patience_is_over()) {
    progress_.finished = fmt::format("{} validations brought nothing better", progress_.since_best);
  }
  progress_.validating = false;
  unsaved_ = true;
  journal_->write(report);
  save(Save::due);
  observer_.validated(report);
}

// The best model and the journal before the checkpoint that knows of them. If the disk is full, it may not be at the
// next save.
void Trainer::save(Save which) {
  if (!ranks_.first() || !unsaved_) return;
  progress_.seconds = seconds();
  saved_at_ = now();
  try {
    save_model(files_, options_.folder, best_model_);
    best_model_.clear();
    for (const auto& [update, model] : kept_) keep_model(files_, options_.folder, update, model);
    if (!kept_.empty()) remove_older_kept(files_, options_.folder, options_.keep);
    kept_.clear();
    journal_->flush();
    save_checkpoint(files_, options_.folder, *model_, *optimizer_, progress_, data_hash_, from_);
  } catch (const Error& e) {
    if (which == Save::last) throw;
    while (kept_.size() > static_cast<std::size_t>(options_.keep)) kept_.erase(kept_.begin());
    return observer_.warned(fmt::format("{}; training goes on, and saving is tried again later", e.what()));
  }
  unsaved_ = false;
  observer_.saved((options_.folder / checkpoint_file_name).string(), progress_.update);
}

bool Trainer::due(Period period) const {
  switch (period.unit) {
    case Period::Unit::updates:
      return progress_.update % period.count == 0;
    case Period::Unit::epochs:
      return progress_.batch == 0 && progress_.epoch % period.count == 0;
    case Period::Unit::seconds:
      return now() - saved_at_ >= static_cast<double>(period.count);
    case Period::Unit::none:
      return false;
  }
  return false;
}

bool Trainer::reached(Period limit) const {
  switch (limit.unit) {
    case Period::Unit::updates:
      return progress_.update >= limit.count;
    case Period::Unit::epochs:
      return progress_.epoch >= limit.count;
    case Period::Unit::seconds:
      return seconds() >= static_cast<double>(limit.count);
    case Period::Unit::none:
      return false;
  }
  return false;
}

// Signals and clocks are each rank's own: one that wants to stop stops all, after the same update.
std::optional<Ending> Trainer::reason_to_stop() {
  if (!progress_.finished.empty()) return Ending::finished;
  struct Wishes {
    bool interrupted, stopped;
  };
  const bool interrupted = options_.stop_signal && options_.stop_signal->load() != 0;
  const std::vector<Wishes> all = ranks_.all_gather(Wishes{interrupted, reached(options_.stop_after)});
  if (std::ranges::any_of(all, &Wishes::interrupted)) return Ending::interrupted;
  if (std::ranges::any_of(all, &Wishes::stopped)) return Ending::stopped;
  return {};
}

Ending Trainer::run() {
  start();
  if (progress_.validating) validate();
  std::optional<Ending> ending = reason_to_stop();
  while (!ending) {
    train_batch(plan_[static_cast<std::size_t>(progress_.batch)]);
    unsaved_ = true;
    if (++progress_.batch == static_cast<std::int64_t>(plan_.size())) {
      progress_.batch = 0;
      ++progress_.epoch;
      plan_ = plan_batches(lengths_, config_.training.batch, static_cast<std::uint64_t>(config_.training.seed),
                           static_cast<std::uint64_t>(progress_.epoch));
    }
    progress_.validating = due(config_.training.validate_every);
    if (progress_.validating) {
      validate();
    } else if (due(options_.save_every) && progress_.skipped_in_a_row == 0) {
      save(Save::due);
    }
    ending = reason_to_stop();
  }
  save(Save::last);
  if (*ending == Ending::stopped) validate_aside();
  return *ending;
}

}  // namespace fovea
