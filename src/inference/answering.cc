#include "inference/answering.h"

#include <algorithm>
#include <functional>

#include "base/as_size.h"
#include "inference/explanation.h"
#include "models/ensemble.h"
#include "tasks/batching.h"
#include "tensor/share_products.h"

namespace fovea {

namespace {

// Of the maps of a batch: 8 bytes each, several times over on their way to be written.
constexpr std::size_t max_explained_cells = std::size_t(4) << 20;

}  // namespace

std::vector<std::vector<std::size_t>> batches_by_length(SourceList sources, int size, int workers,
                                                        std::span<const std::size_t> cells, std::size_t max_cells) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!sources[i]->empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return sources[i]->size(); });
  const auto most = as_size(size), sharing = as_size(workers);
  const std::size_t together = std::min(most, (order.size() + sharing - 1) / sharing);
  std::vector<std::vector<std::size_t>> batches;
  std::size_t sum = 0;  // of the last batch
  for (const std::size_t source : order) {
    const std::size_t more = cells.empty() ? 0 : cells[source];
    if (batches.empty() || batches.back().size() == together || sum + more > max_cells) {
      batches.emplace_back();
      sum = 0;
    }
    batches.back().push_back(source);
    sum += more;
  }
  return batches;
}

// What answering a batch needs.
struct Answering::Scratch {
  struct Member {  // of each model
    Arena sources;
    SearchArenas steps;
    SourceBatch side;
    std::optional<Pass> pass;
  };
  std::vector<Member> members;
  SearchArenas steps;
};

// A scratch of one's own, waited for if there is none.
class Answering::Lease {
 public:
  explicit Lease(Answering& answering) : answering_(answering) {
    std::unique_lock lock(answering.mutex_);
    answering.given_back_.wait(lock, [&] { return !answering.free_.empty(); });
    scratch_ = std::move(answering.free_.back());
    answering.free_.pop_back();
  }
  ~Lease() {
    const std::scoped_lock lock(answering_.mutex_);
    answering_.free_.push_back(std::move(scratch_));
    answering_.given_back_.notify_one();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Scratch& operator*() const { return *scratch_; }

 private:
  Answering& answering_;
  std::unique_ptr<Scratch> scratch_;
};

Answering::Answering(std::vector<const Model*> models, Workers& workers)
    : models_(std::move(models)), model_(*models_.front()), workers_(workers) {
  for (int i = 0; i < workers.count(); ++i) {
    free_.push_back(std::make_unique<Scratch>());
    free_.back()->members = std::vector<Scratch::Member>(models_.size());
  }
}

Answering::~Answering() = default;

Answering::Asked Answering::prepare(const AnswerOptions& options) const {
  if (const int nbest = options.search.nbest; nbest > options.search.beam) {
    throw usage_error("`nbest` {} needs `beam` {} or more", nbest, nbest);
  }
  const Task& task = model_.task();
  Asked asked = {options, task.search_symbols(), {}, check_explanation(options.search.explain, models_)};
  asked.rules = options.search.rules.make({asked.symbols.stop, [&](std::string_view text) -> std::optional<Symbols> {
                                             Symbols symbols = task.encode_target(text);
                                             if (std::ranges::find(symbols, Vocabulary::unknown) != symbols.end())
                                               return {};
                                             return symbols;
                                           }});
  if (const std::string_view rule = asked.rules.needing_attention(); !rule.empty()) check_positions(models_, rule);
  if (options.replace_unknown) check_replacing(models_, "replace_unknown");
  if (options.replace_unknown) std::erase(asked.symbols.never, Vocabulary::unknown);
  return asked;
}

std::vector<std::vector<std::size_t>> Answering::batches(SourceList sources, const AnswerOptions& options) const {
  if (options.search.alternatives == 0) return batches_by_length(sources, options.batch, workers_.count());
  const auto each = as_size(maps_of(model_)) * as_size(options.search.beam);
  std::vector<std::size_t> cells;  // of a map
  for (const Reading* source : sources) {
    const int steps = model_.task().max_steps(*source, options.search.max_output);
    cells.push_back(as_size(source->no_source ? steps : source->size()) * as_size(steps));
  }
  return batches_by_length(sources, options.batch, workers_.count(), cells, max_explained_cells / each);
}

std::vector<std::vector<Answer>> Answering::answer_batch(std::span<const std::size_t> batch, SourceList sources,
                                                         const Asked& asked, const GivenLines& given) {
  const Lease scratch(*this);
  return answer_rows(batch, sources, asked, given, *scratch);
}

std::unique_ptr<StepModel> Answering::begin(SourceList rows, Scratch& scratch) const {
  std::vector<Ensemble::Member> members;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    const Model& model = *models_[i];
    Scratch::Member& own = scratch.members[i];
    fill_source(model.task(), rows, own.side);
    own.pass.emplace(model.parameters(), own.sources);
    std::unique_ptr<StepModel> begun = model.network().begin(*own.pass, own.side);
    if (models_.size() == 1) return begun;
    members.push_back({&model.parameters(), std::move(begun), &own.steps.even, &own.steps.odd});
  }
  return std::make_unique<Ensemble>(std::move(members));
}

std::vector<std::vector<Answer>> Answering::answer_rows(std::span<const std::size_t> batch, SourceList sources,
                                                        const Asked& asked, const GivenLines& given,
                                                        Scratch& scratch) const {
  const SearchOptions& options = asked.options.search;
  const int room = options.max_output > 0 ? 0 : asked.rules.room() + 1;
  std::vector<const Reading*> rows;
  std::vector<const Symbols*> wanted, prefixes;
  std::vector<int> max_steps, lengths;
  std::vector<std::int64_t> samples;
  for (const std::size_t index : batch) {
    rows.push_back(sources[index]);
    lengths.push_back(sources[index]->positions());
    max_steps.push_back(std::max(model_.task().max_steps(*sources[index], options.max_output), room));
    if (!model_.task().traits().reads) prefixes.push_back(&sources[index]->prefix);
    samples.push_back(asked.options.first_line + given.first_line + static_cast<std::int64_t>(index));
    if (given.targets.empty()) continue;
    wanted.push_back(given.targets[index]);
    max_steps.back() = static_cast<int>(wanted.back()->size()) + 1;
  }
  const std::vector<ForcedStep> forced = forced_steps(asked.edits, model_, lengths);
  const std::unique_ptr<StepModel> model = begin(rows, scratch);
  auto answers = search(model_.parameters(), *model, options, asked.symbols, asked.rules,
                        {max_steps, lengths, samples, wanted, prefixes, forced}, scratch.steps);
  if (options.explain.self_attention) add_encoder_maps(*model, rows, options.limits, answers);
  for (std::size_t b = 0; b < batch.size() && options.explain.saliency; ++b) {
    add_saliency(model_, *rows[b], answers[b][0]);
  }
  if (const Mask read = model->rationale(); options.alternatives > 0 && read.data) {
    for (std::size_t b = 0; b < batch.size(); ++b) {
      for (int i = 0; i < lengths[b]; ++i) {
        answers[b][0].read.push_back(read.data[as_size(i) * batch.size() + b]);
      }
    }
  }
  return answers;
}

void Answering::share(int tasks, const std::function<void(int)>& work) {
  const std::unique_lock workers(with_workers_, std::try_to_lock);
  const auto idle = [&] {  // no other thread answers
    const std::scoped_lock lock(mutex_);
    return free_.size() == as_size(workers_.count());
  };
  if (workers && tasks == 1 && workers_.count() > 1 && idle()) {
    const ShareProducts sharing(workers_);
    work(0);
  } else if (workers) {
    workers_.run(tasks, [&](int task, int) { work(task); });
  } else {
    for (int task = 0; task < tasks; ++task) work(task);
  }
}

void Answering::lend(const std::function<void(Workers&)>& work) {
  const std::lock_guard workers(with_workers_);
  work(workers_);
}

std::vector<std::vector<Answer>> Answering::answer(SourceList sources, const AnswerOptions& options) {
  std::vector<std::vector<Answer>> out(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i]->empty()) out[i] = {Answer{}};
  }
  const Asked asked = prepare(options);
  const auto together = batches(sources, options);
  share(static_cast<int>(together.size()), [&](int task) {
    const std::vector<std::size_t>& batch = together[as_size(task)];
    auto answers = answer_batch(batch, sources, asked);
    for (std::size_t i = 0; i < batch.size(); ++i) out[batch[i]] = std::move(answers[i]);
  });
  return out;
}

}  // namespace fovea
