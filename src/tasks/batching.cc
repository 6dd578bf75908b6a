#include "tasks/batching.h"

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

namespace {

void fill_copy_map(const Task& task, std::span<const Reading* const> lines, SourceBatch& batch) {
  CopyMap& map = batch.copy_map;
  map.starts.assign(1, 0);
  map.symbols.clear();
  map.shares.clear();
  std::size_t unknown = 0;
  for (const Reading* line : lines) unknown = std::max(unknown, line->unknown.size());
  map.width = task.target().size() + static_cast<int>(unknown);
  const auto add = [&](std::int32_t symbol, float share) {
    map.symbols.push_back(symbol);
    map.shares.push_back(static_cast<Real>(share));
  };
  int positions = 0;
  for (const Reading* line : lines) positions = std::max(positions, line->positions());
  for (int i = 0; i < positions; ++i) {
    for (const Reading* line : lines) {
      const auto at = as_size(i);
      if (task.copies()) {
        if (at < line->copies.size()) add(line->copies[at], 1);
      } else if (const Symbols& symbols = line->sources[0].symbols; at == symbols.size()) {
        add(Vocabulary::stop, 1);  // one end stands for the other
      } else if (at < symbols.size() && !task.lexicon().empty()) {
        for (const auto& [symbol, share] : task.lexicon()[as_size(symbols[at])]) add(symbol, share);
      }
      map.starts.push_back(static_cast<std::int32_t>(map.symbols.size()));
    }
  }
}

void fill_features(std::span<const Reading* const> sources, FeatureIds& features) {
  features.batch = static_cast<int>(sources.size());
  features.length = 1;  // at least one, if only a pad
  for (const Reading* source : sources) {
    features.length = std::max(features.length, static_cast<int>(source->feature_symbols.size()));
  }
  const std::size_t cells = as_size(features.length) * sources.size();
  features.ids.assign(cells, Vocabulary::pad);
  features.real.assign(cells, 0);
  for (std::size_t b = 0; b < sources.size(); ++b) {
    for (std::size_t i = 0; i < sources[b]->feature_symbols.size(); ++i) {
      features.ids[i * sources.size() + b] = sources[b]->feature_symbols[i];
      features.real[i * sources.size() + b] = 1;
    }
  }
}

// Rows of numbers, each closed by a row of zeros.
void fill_rows(std::span<const SourceData* const> sources, int width, Side& side) {
  side.batch = static_cast<int>(sources.size());
  side.width = width;
  side.length = 0;
  for (const SourceData* source : sources) side.length = std::max(side.length, source->length + 1);
  const std::size_t cells = as_size(side.length) * sources.size(), size = as_size(width);
  side.ids.clear();
  side.segments.clear();
  side.real.assign(cells, 0);
  side.values.assign(cells * size, Real(0));
  for (std::size_t b = 0; b < sources.size(); ++b) {
    for (std::size_t i = 0; i <= as_size(sources[b]->length); ++i) {
      side.real[i * sources.size() + b] = 1;
      if (i == as_size(sources[b]->length)) break;
      const auto row = std::span(sources[b]->rows).subspan(i * size, size);
      std::ranges::copy(row, side.values.begin() + static_cast<std::ptrdiff_t>((i * sources.size() + b) * size));
    }
  }
}

void fill_side_of(const SourceShape& shape, std::span<const SourceData* const> sources, Side& side) {
  if (shape.width > 0) {
    fill_rows(sources, shape.width, side);
    return;
  }
  std::vector<std::span<const std::int32_t>> rows;
  for (const SourceData* source : sources) rows.emplace_back(source->symbols);
  fill_side(rows, {.pad = Vocabulary::pad, .last = Vocabulary::stop}, side);
  const bool sentences = std::ranges::any_of(sources, [](const SourceData* s) { return !s->segments.empty(); });
  side.segments.assign(sentences ? side.ids.size() : 0, 0);
  for (std::size_t b = 0; b < sources.size() && sentences; ++b) {
    const Symbols& segments = sources[b]->segments;
    const std::int32_t closing = segments.empty() ? 0 : segments.back() + 1;  // by itself
    for (std::size_t i = 0; i < as_size(side.length); ++i) {
      side.segments[i * sources.size() + b] = i < segments.size() ? segments[i] : closing;
    }
  }
}

// Each target symbol's links share its weight; the ends belong together.
void fill_alignment(std::span<const Encoding* const> examples, double smoothing, Batch& batch) {
  const int batch_size = batch.source.batch, positions = batch.source.positions();
  batch.alignment.assign(as_size(batch.targets.length) * batch_size * positions, Real(0));
  for (int b = 0; b < batch_size; ++b) {
    const Encoding& example = *examples[as_size(b)];
    const auto cell = [&](int step, int position) -> Real& {
      return batch.alignment[(as_size(step) * batch_size + b) * positions + position];
    };
    if (example.links.empty()) continue;
    std::vector<int> counts(example.target.size(), 0);
    for (const Link& link : example.links) ++counts[as_size(link.target)];
    for (const Link& link : example.links) {
      cell(link.target, link.source) = Real(1) / Real(counts[as_size(link.target)]);
    }
    for (std::size_t t = 0; t < counts.size() && smoothing > 0; ++t) {
      if (counts[t] == 0) continue;
      for (int i = 0; i < example.source.positions(); ++i) {
        Real& wanted = cell(static_cast<int>(t), i);
        wanted =
            static_cast<Real>((1 - smoothing) * static_cast<double>(wanted) + smoothing / example.source.positions());
      }
    }
    cell(static_cast<int>(example.target.size()), example.source.sources[0].length) = 1;
  }
}

}  // namespace

void fill_source(const Task& task, std::span<const Reading* const> lines, SourceBatch& batch) {
  const auto sources = task.sources();
  batch.others.resize(sources.empty() ? 0 : sources.size() - 1);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    std::vector<const SourceData*> column;
    for (const Reading* line : lines) column.push_back(&line->sources[s]);
    fill_side_of(sources[s]->shape(), column, s == 0 ? batch : batch.others[s - 1]);
  }
  batch.batch = static_cast<int>(lines.size());  // also where there is no source
  if (!sources.empty() && (task.copies() || task.looks_up())) fill_copy_map(task, lines, batch);
  if (task.reads_features()) fill_features(lines, batch.features);
}

void fill_batch(const Task& task, std::span<const Encoding* const> examples, Batch& batch) {
  std::vector<const Reading*> sources;
  std::vector<std::span<const std::int32_t>> targets;
  for (const Encoding* example : examples) {
    sources.push_back(&example->source);
    targets.emplace_back(example->target);
  }
  fill_source(task, sources, batch.source);
  const Frame opened = {.pad = Vocabulary::pad, .first = Vocabulary::start};
  const Frame closed = {.pad = Vocabulary::pad, .last = Vocabulary::stop};
  if (task.traits().one_step) {
    fill_side(std::vector<std::span<const std::int32_t>>(targets.size()), opened, batch.previous);
    fill_side(targets, {.pad = Vocabulary::pad}, batch.targets);
    return;
  }
  fill_side(targets, opened, batch.previous);
  fill_side(targets, closed, batch.targets);
  if (const auto* taught = task.objective().asked(&ObjectiveTraits::needs_links)) {
    fill_alignment(examples, taught->link_smoothing(), batch);
  }
  if (task.objective().asked(&ObjectiveTraits::both_directions)) {
    std::vector<std::span<const std::int32_t>> rows;
    for (const Reading* source : sources) rows.emplace_back(source->sources[0].symbols);
    fill_side(targets, closed, batch.reverse_source);
    fill_side(rows, opened, batch.reverse_previous);
    fill_side(rows, closed, batch.reverse_targets);
  }
}

}  // namespace fovea
