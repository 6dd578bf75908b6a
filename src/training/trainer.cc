#include "training/trainer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/clock.h"
#include "kernels/target.h"
#include "tasks/metrics.h"

namespace fovea {

namespace {

constexpr std::size_t samples_shown = 4;
constexpr int journal_every = 50;  // updates

std::uint64_t hash_examples(std::uint64_t hash, std::span<const Example> examples) {
  for (const Example& example : examples) {
    for (const std::string* text : {&example.source, &example.target, &example.extra}) hash = hash_text(hash, *text);
  }
  return mix(hash, examples.size());
}

}  // namespace

Trainer::Trainer(const Config& config, TrainingData data, RunOptions options, Files& files, Observer& observer)
    : config_(config),
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
  const Traits select = find_mechanism(selects(), config_.model.attention.select).traits;
  if (config_.training.sampling > 0 && select.marginal) {
    throw usage_error(
        "training.sampling with attention.select = {}: all steps are taken at once; set it to 0, or choose another "
        "selection",
        config_.model.attention.select);
  }
  if (data_.training.empty()) throw data_error("no line to train on");
  if (data_.held_out.empty()) throw data_error("no line to validate on; give a second file with --dev");
  model_ = std::make_unique<Model>(config_, Transduce(config_, data_.training, data_.lexicon.get()));
  for (const Example& example : data_.training) {
    examples_.push_back(model_->task().encode(example));
    const Encoding& encoded = examples_.back();
    check_length(encoded.source, example);
    lengths_.push_back({encoded.source.size() + 1, static_cast<int>(encoded.target.size()) + 1});
  }
  if (config_.model.objective.supervised > 0 &&
      std::ranges::all_of(examples_, [](const Encoding& encoded) { return encoded.links.empty(); })) {
    throw data_error(
        "objective.supervised = {}, but no line to train on has an alignment; give links such as 0-0 1-2 in a third "
        "column, or set it to 0",
        config_.model.objective.supervised);
  }
  for (const Example& example : data_.held_out) {
    held_out_.push_back(model_->task().encode_source(example.source, example.extra));
    check_length(held_out_.back(), example);
  }
  data_hash_ = hash_examples(hash_examples(0, data_.training), data_.held_out);
  for (const auto& entries : model_->task().lexicon()) {
    for (const auto& [symbol, share] : entries)
      data_hash_ = mix(data_hash_, mix(static_cast<std::uint64_t>(symbol), std::bit_cast<std::uint32_t>(share)));
  }
  check_same_on_all_ranks();
  gradient_ = std::make_unique<GradientWorker>(*model_, examples_, workers_, ranks_);
  answering_ = std::make_unique<Answering>(*model_, workers_);
  optimizer_ = std::make_unique<Optimizer>(config_.training.optimizer, config_.training.momentum,
                                           static_cast<std::size_t>(model_->parameters().count()));
}

void Trainer::check_length(const SourceIds& source, const Example& example) const {
  const int most = model_->task().most_source_symbols();
  if (most == 0 || source.size() <= most) return;
  throw data_error(
      "line {}: the source has {} symbols, but attention.score = {} knows {} positions (the stop symbol "
      "counted); set attention.positions higher, or leave longer lines out with --max-length",
      example.line, source.size(), config_.model.attention.score, most + 1);
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
      throw usage_error("rank {} has other settings than rank 0; give every rank the same --config file", rank);
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
    if (resumes) load_checkpoint(files_, options_.folder, *model_, *optimizer_, progress_, data_hash_);
    journal_ = std::make_unique<Journal>(files_, options_.folder / journal_file_name, progress_);
  }
  share_progress();
  ranks_.broadcast(std::as_writable_bytes(model_->parameters().values()));
  for (const Optimizer::Memory& memory : optimizer_->memories()) {
    ranks_.broadcast(std::as_writable_bytes(memory.values));
  }
  model_->parameters().invalidate_packed();
  seconds_before_ = progress_.seconds;
  plan_ = plan_batches(lengths_, config_.training.batch, static_cast<std::uint64_t>(config_.training.seed),
                       static_cast<std::uint64_t>(progress_.epoch));
  if (progress_.batch >= static_cast<std::int64_t>(plan_.size())) {
    throw model_error("{}: its progress lies beyond the data", (options_.folder / checkpoint_file_name).string());
  }
  if (const std::string text = Workers::shortage(options_.threads, workers_.count()); !text.empty()) {
    observer_.warned(text);
  }
  observer_.started({.training_lines = static_cast<std::int64_t>(examples_.size()),
                     .held_out_lines = static_cast<std::int64_t>(held_out_.size()),
                     .source_symbols = model_->task().source().size(),
                     .target_symbols = model_->task().target().size(),
                     .weights = model_->parameters().count(),
                     .updates_per_epoch = static_cast<std::int64_t>(plan_.size()),
                     .padding_share = plan_.padding_share(),
                     .resumed_from = progress_.update});
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
  const double sampling_ramp =
      t.sampling_warmup > 0 ? std::min(1.0, static_cast<double>(progress_.update) / t.sampling_warmup) : 1.0;
  const GradientResult result =
      gradient_->compute({.examples = batch,
                          .random = Random(seed, Purpose::dropout).at(static_cast<std::uint64_t>(progress_.update)),
                          .dropout = t.dropout,
                          .sampling = t.sampling * sampling_ramp,
                          .expected = progress_.expected,
                          .shards = t.shards});
  const double rate = learning_rate();
  ++progress_.update;
  rate_tokens_ += result.tokens;
  if (!std::isfinite(result.loss) || !std::isfinite(result.norm)) {
    ++progress_.skipped;
    if (++progress_.skipped_in_a_row >= t.most_skipped) {
      throw Error(
          ErrorKind::failure,
          fmt::format("{} updates in a row had no finite gradient (update {}, learning rate {:.3g}); start "
                      "over with --fresh --set training.learning_rate={:.2g}; the best model so far, if there is "
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
  progress_.expected = 0.9 * progress_.expected - 0.1 * result.likelihood / static_cast<double>(result.symbols);
  progress_.loss += result.likelihood;
  progress_.symbols += result.symbols;
  report_update(result, rate);
}

void Trainer::report_update(const GradientResult& result, double rate) {
  const double loss = result.likelihood / static_cast<double>(result.symbols);
  double& smoothed = progress_.smoothed_loss;
  smoothed = smoothed == 0 ? loss : 0.95 * smoothed + 0.05 * loss;
  const double elapsed = now() - rate_at_;
  if (elapsed > 0.5 || tokens_per_second_ == 0) {
    tokens_per_second_ = static_cast<double>(rate_tokens_) / std::max(elapsed, 1e-9);
    rate_at_ = now();
    rate_tokens_ = 0;
  }
  const double batches = static_cast<double>(plan_.size());
  const UpdateReport report = {
      .update = progress_.update,
      .epoch = static_cast<double>(progress_.epoch) + static_cast<double>(progress_.batch + 1) / batches,
      .seconds = seconds(),
      .loss = progress_.smoothed_loss,
      .tokens_per_second = tokens_per_second_,
      .learning_rate = rate,
      .gradient_norm = result.norm,
      .skipped = progress_.skipped,
      .terms = result.terms};
  if (journal_ && progress_.update % journal_every == 0) journal_->write(report);
  observer_.updated(report);
}

ValidationReport Trainer::answer_held_out() {
  std::vector<const SourceIds*> sources;
  for (const SourceIds& source : held_out_) sources.push_back(&source);
  const auto answers = answering_->answer(sources, {.stop_signal = options_.stop_signal});
  Metrics metrics;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    metrics.add(data_.held_out[i].target, model_->task().target_text(answers[i][0].symbols, held_out_[i]));
  }
  ValidationReport report;
  report.update = progress_.update;
  report.epoch =
      static_cast<double>(progress_.epoch) + static_cast<double>(progress_.batch) / static_cast<double>(plan_.size());
  report.seconds = seconds();
  report.training_loss = progress_.symbols ? progress_.loss / static_cast<double>(progress_.symbols) : 0;
  report.exact = metrics.exact();
  report.cer = metrics.cer();
  const std::size_t shown = std::min(samples_shown, held_out_.size());
  const auto explained =
      answering_->answer(std::span(sources).first(shown),
                         {.alternatives = 5, .stop_signal = options_.stop_signal, .limits = sample_limits});
  for (std::size_t i = 0; i < shown; ++i) {
    const Example& example = data_.held_out[i];
    const std::string line = model_->task().reads_features() ? example.source + "\t" + example.extra : example.source;
    report.samples.push_back({example.target, model_->task().output(line, held_out_[i], explained[i])});
  }
  return report;
}

// By rank 0; the others learn what came of it. A signal ends it, to be done again when the run goes on.
void Trainer::validate() {
  if (ranks_.first()) {
    save(Save::due);  // it may take long
    try {
      judge(answer_held_out());
    } catch (const SearchStopped&) {
    }
  }
  share_progress();
}

void Trainer::judge(ValidationReport report) {
  // Long before a line is all right fewer of its characters are wrong.
  report.best = report.exact > progress_.best || (report.exact == progress_.best && report.cer < progress_.best_cer);
  if (report.best) {
    progress_.best = report.exact;
    progress_.best_cer = report.cer;
    progress_.since_best = 0;
    best_model_ = encode_model(*model_);
  } else {
    ++progress_.since_best;
    if (config_.training.decay == "plateau") progress_.rate_factor /= 2;
  }
  report.patience_left = config_.training.patience - progress_.since_best;
  progress_.loss = 0;
  progress_.symbols = 0;
  if (report.exact >= 1) {
    progress_.finished = "every held-out line is right";
  } else if (report.patience_left <= 0) {
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
    journal_->flush();
    save_checkpoint(files_, options_.folder, *model_, *optimizer_, progress_, data_hash_);
  } catch (const Error& e) {
    if (which == Save::last) throw;
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
  // Stopped before the first validation: a model to look at, without a trace in the run itself.
  if (ranks_.first() && progress_.best < 0 && *ending == Ending::stopped) {
    save_model(files_, options_.folder, encode_model(*model_));
  }
  return *ending;
}

}  // namespace fovea
