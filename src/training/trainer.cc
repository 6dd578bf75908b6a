#include "training/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/as_size.h"
#include "base/clock.h"
#include "tasks/ready_vectors.h"
#include "training/kept.h"

namespace fovea {

namespace {

constexpr int journal_every = 50;  // updates

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
      data_(std::move(data)),
      options_(std::move(options)),
      files_(files),
      observer_(observer),
      ranks_(*options_.ranks),
      workers_(options_.threads) {
  check_training(config_);
  check_data(data_);
  const Beginning* beginning = data_.beginning.get();
  if (beginning) from_ = beginning->name;
  model_ = std::make_unique<Model>(config_, Task(config_, data_.training, data_.lexicon.get(),
                                                 beginning ? &beginning->model->task().learned() : nullptr));
  lines_ = encode_lines(*model_, data_);
  check_same_on_all_ranks(ranks_, config_, lines_.hash);
  gradient_ = std::make_unique<GradientWorker>(*model_, lines_.examples, workers_, ranks_);
  held_out_ = std::make_unique<HeldOut>(*model_, data_.held_out, std::move(lines_.held_out), lines_.examples, workers_);
  judge_ = std::make_unique<Judge>(config_.training, held_out_->loss_of_single_symbols());
  optimizer_ = std::make_unique<Optimizer>(config_.training, as_size(model_->parameters().count()));
}

double Trainer::seconds() const { return seconds_before_ + now() - started_at_; }

void Trainer::start() {
  started_at_ = saved_at_ = rate_at_ = now();
  if (ranks_.first()) {
    const bool goes_on = resumes(files_, options_.folder, options_.fresh);
    unsaved_ = !goes_on;
    goes_on ? resume() : begin();
    if (!goes_on) forget_aside(files_, options_.folder);
    remove_kept_after(files_, options_.folder, goes_on ? progress_.update : -1);
    journal_ = std::make_unique<Journal>(files_, options_.folder / journal_file_name, progress_);
  }
  data_.beginning.reset();  // its weights are as many again
  share_progress();
  ranks_.broadcast(std::as_writable_bytes(model_->parameters().values()));
  for (const Optimizer::Slot& slot : optimizer_->slots()) {
    ranks_.broadcast(std::as_writable_bytes(slot.values));
  }
  model_->parameters().invalidate_packed();
  seconds_before_ = progress_.seconds;
  first_update_ = progress_.update;
  plan_ = plan_batches(lines_.lengths, config_.training.batch, static_cast<std::uint64_t>(config_.training.seed),
                       static_cast<std::uint64_t>(progress_.epoch));
  if (progress_.batch >= static_cast<std::int64_t>(plan_.size())) {
    throw model_error("{}: its progress lies beyond the data", (options_.folder / checkpoint_file_name).string());
  }
  if (const std::string text = Workers::shortage(options_.threads, workers_.count()); !text.empty()) {
    observer_.warned(text);
  }
  for (const std::string& text : {lines_.warning(), held_out_->warning()}) {
    if (!text.empty()) observer_.warned(text);
  }
  observer_.started({.training_lines = static_cast<std::int64_t>(lines_.examples.size()),
                     .held_out_lines = static_cast<std::int64_t>(data_.held_out.size()),
                     .source_symbols = model_->task().source().size(),
                     .target_symbols = model_->task().target().size(),
                     .weights = model_->parameters().count(),
                     .updates_per_epoch = static_cast<std::int64_t>(plan_.size()),
                     .padding_share = plan_.padding_share(),
                     .resumed_from = progress_.update,
                     .metric = config_.training.metric,
                     .best = progress_.validations > 0 ? std::optional(progress_.best) : std::nullopt,
                     .patience_left = judge_->patience_left(progress_),
                     .one_step = model_->task().traits().one_step});
}

// Of what is known of a symbol, a model's own vector is worth more than a ready one.
void Trainer::begin() {
  for (const std::string& text : take_ready_vectors(*model_)) observer_.noticed(text);
  if (data_.beginning) take_weights(*model_, *data_.beginning->model);
}

void Trainer::resume() {
  load_checkpoint(files_, options_.folder, *model_, *optimizer_, progress_, lines_.hash, from_);
  restore_best(files_, options_.folder);
  judge_->reconsider(progress_);
}

// What rank 0 has read or decided.
void Trainer::share_progress() {
  if (ranks_.count() == 1) return;
  std::string text = progress_to_json(progress_);
  ranks_.broadcast(text);
  progress_ = progress_from_json(text, "rank 0");
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
  const double rate = judge_->learning_rate(progress_);
  ++progress_.update;
  rate_tokens_ += result.tokens;
  if (!std::isfinite(result.loss) || !std::isfinite(result.norm)) {
    ++progress_.skipped;
    if (++progress_.skipped_in_a_row >= t.max_skipped) {
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

// What the model makes of the held-out part, and the model itself if it is the best so far.
std::pair<ValidationReport, ModelFiles> Trainer::look_at_held_out() {
  const AveragedWeights averaged(model_->parameters(), optimizer_->average());
  ValidationReport report = held_out_->validate(options_.stop_signal);
  report.update = progress_.update;
  report.epoch =
      static_cast<double>(progress_.epoch) + static_cast<double>(progress_.batch) / static_cast<double>(plan_.size());
  report.seconds = seconds();
  report.training_loss = progress_.symbols ? progress_.loss / static_cast<double>(progress_.symbols) : 0;
  judge_->compare(report, progress_);
  return {report, report.best || options_.keep > 0 ? encode_model(*model_) : ModelFiles()};
}

std::optional<HeldOut::Exchanged> Trainer::exchange_sources() {
  const AveragedWeights averaged(model_->parameters(), optimizer_->average());
  return held_out_->exchange_sources();
}

// By rank 0; the others learn what came of it. A signal ends it, to be done again when the run goes on.
void Trainer::validate() {
  if (ranks_.first()) {
    save(Save::due);  // it may take long
    try {
      auto [report, model] = look_at_held_out();
      if (options_.keep > 0) kept_[progress_.update] = model;
      if (report.best) best_model_ = std::move(model);
      take_in(std::move(report));
    } catch (const SearchStopped&) {
    }
  }
  share_progress();
}

// Before a run stops as asked: what was learned since the last validation is not thrown away. It leaves no trace in the
// run: when that goes on, it has the best model it had.
Ending Trainer::validate_aside() {
  const bool done = progress_.validations > 0 && progress_.symbols == 0;  // nothing has changed since the last one
  if (!ranks_.first() || done) return Ending::stopped;
  try {
    auto [report, model] = look_at_held_out();
    report.aside = true;
    report.patience_left = judge_->patience_left(progress_);
    journal_->write(report);
    if (report.best && progress_.validations > 0) set_best_aside(files_, options_.folder, model);
    if (report.best) save_model(files_, options_.folder, model);
    if (report.best) aside_loss_ = report.held_out_loss;
    observer_.validated(report);
    return Ending::stopped;
  } catch (const SearchStopped&) {
    return Ending::interrupted;
  }
}

void Trainer::take_in(ValidationReport report) {
  judge_->judge(report, progress_);
  unsaved_ = true;
  journal_->write(report);
  observer_.measured(report);
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
    save_checkpoint(files_, options_.folder, *model_, *optimizer_, progress_, lines_.hash, from_);
  } catch (const Error& e) {
    if (which == Save::last) throw;
    while (kept_.size() > as_size(options_.keep)) kept_.erase(kept_.begin());
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
    train_batch(plan_[as_size(progress_.batch)]);
    unsaved_ = true;
    if (++progress_.batch == static_cast<std::int64_t>(plan_.size())) {
      progress_.batch = 0;
      ++progress_.epoch;
      plan_ = plan_batches(lines_.lengths, config_.training.batch, static_cast<std::uint64_t>(config_.training.seed),
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
  return *ending == Ending::stopped ? validate_aside() : *ending;
}

}  // namespace fovea
