#include "inference/looking.h"

#include <algorithm>
#include <numeric>

#include "base/as_size.h"
#include "tasks/batching.h"

namespace fovea {

namespace {

struct LookScratch {
  Arena arena;
  Batch batch;
};

void look_at(const Model& model, std::span<const Encoding* const> examples, LookScratch& scratch,
             std::span<Looked* const> out) {
  fill_batch(model.task(), examples, scratch.batch);
  Pass pass(model.parameters(), scratch.arena);
  const Tensor weights = model.network().look(pass, scratch.batch);
  if (!weights) return;
  const int rows = scratch.batch.source.batch;
  for (int b = 0; b < rows; ++b) {
    Looked& looked = *out[as_size(b)];
    looked.steps = model.task().steps(examples[as_size(b)]->target.size());
    looked.positions = examples[as_size(b)]->source.positions();
    for (int t = 0; t < looked.steps; ++t) {
      const Real* row = weights.data() + (std::ptrdiff_t(t) * rows + b) * weights.shape()[2];
      for (int i = 0; i < looked.positions; ++i) looked.weights.push_back(static_cast<float>(row[i]));
    }
  }
}

}  // namespace

std::vector<Looked> look(const Model& model, Workers& workers, std::span<const Encoding> examples, int batch) {
  if (model.task().acts()) return {};  // its steps are not those of the target
  if (!model.task().keeps_positions() || !model.task().traits().reads) return {};
  std::vector<std::size_t> order(examples.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const int most = model.task().max_source_symbols();
  std::erase_if(order, [&](std::size_t i) {
    return examples[i].source.empty() || (most > 0 && examples[i].source.size() > most);
  });
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
    return as_size(examples[i].source.size()) + examples[i].target.size();
  });
  std::vector<Looked> all(examples.size());
  std::vector<LookScratch> scratches(as_size(workers.count()));
  const auto size = as_size(batch);
  workers.run(static_cast<int>((order.size() + size - 1) / size), [&](int task, int worker) {
    std::vector<const Encoding*> rows;
    std::vector<Looked*> out;
    for (std::size_t i = as_size(task) * size; i < order.size() && rows.size() < size; ++i) {
      rows.push_back(&examples[order[i]]);
      out.push_back(&all[order[i]]);
    }
    look_at(model, rows, scratches[as_size(worker)], out);
  });
  if (std::ranges::all_of(all, [](const Looked& looked) { return looked.weights.empty(); })) return {};
  return all;
}

}  // namespace fovea
