#include "tasks/answering.h"

#include <algorithm>

namespace fovea {

Answering::Answering(const Model& model, Workers& workers)
    : model_(model), workers_(workers), memories_(static_cast<std::size_t>(workers.count())) {}

void Answering::answer_batch(std::span<const std::size_t> batch, std::span<const SourceIds* const> sources,
                             const SearchOptions& options, std::int64_t first_line, Memory& memory,
                             std::vector<std::vector<Answer>>& out) const {
  std::vector<const SourceIds*> rows;
  std::vector<int> most_steps, lengths;
  std::vector<std::int64_t> samples;
  for (const std::size_t index : batch) {
    rows.push_back(sources[index]);
    lengths.push_back(sources[index]->size() + 1);
    most_steps.push_back(Transduce::most_steps(sources[index]->symbols.size()));
    samples.push_back(first_line + static_cast<std::int64_t>(index));
  }
  model_.task().fill_source(rows, memory.side);
  Pass pass(model_.parameters(), memory.sources);
  const std::unique_ptr<StepModel> asked = model_.transducer().begin(pass, memory.side);
  auto answers = search(model_.parameters(), *asked, options, most_steps, memory.steps, lengths, samples);
  if (options.alternatives > 0 && model_.transducer().has_rationale()) {
    const Mask mask = model_.transducer().rationale(pass, memory.side);
    for (std::size_t b = 0; b < batch.size(); ++b) {
      for (int i = 0; i < lengths[b]; ++i) {
        answers[b][0].read.push_back(mask.data[static_cast<std::size_t>(i) * batch.size() + b]);
      }
    }
  }
  for (std::size_t i = 0; i < batch.size(); ++i) out[batch[i]] = std::move(answers[i]);
}

std::vector<std::vector<Answer>> Answering::answer(std::span<const SourceIds* const> sources,
                                                   const AnswerOptions& options) {
  if (options.coverage_penalty > 0 && !keeps_positions(model_.config().model.encoder)) {
    throw usage_error("--coverage-penalty: the columns of encoder.kind = {} are not the source's symbols",
                      model_.config().model.encoder.kind);
  }
  SearchOptions search_options = model_.task().search_options();
  search_options.beam = options.beam;
  search_options.nbest = options.nbest;
  search_options.length_power = options.length_power;
  search_options.alternatives = options.alternatives;
  search_options.coverage_penalty = options.coverage_penalty;
  search_options.sampling_temperature = options.sampling_temperature;
  search_options.seed = options.seed;
  if (options.write_unknown) std::erase(search_options.never, Vocabulary::unknown);

  std::vector<std::vector<Answer>> out(sources.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i]->empty()) {
      out[i] = {Answer{}};
    } else {
      order.push_back(i);
    }
  }
  // Longest first: little padding, and the work is spread evenly to the end.
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return sources[i]->size(); });
  const std::size_t size = static_cast<std::size_t>(options.batch);
  const int batches = static_cast<int>((order.size() + size - 1) / size);
  workers_.run(batches, [&](int task, int worker) {
    const std::size_t start = static_cast<std::size_t>(task) * size;
    const std::size_t count = std::min(size, order.size() - start);
    answer_batch(std::span(order).subspan(start, count), sources, search_options, options.first_line,
                 memories_[static_cast<std::size_t>(worker)], out);
  });
  return out;
}

}  // namespace fovea
