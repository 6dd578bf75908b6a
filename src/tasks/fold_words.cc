#include "tasks/fold_words.h"

#include <algorithm>
#include <span>

#include "data/tokenizer.h"

namespace fovea {

namespace {

struct Run {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Which pieces make each word. What `alone` names, the stop symbol, is a word by itself.
template <class Piece, class Text, class Alone>
std::vector<Run> find_words(const std::vector<Piece>& pieces, const Text& text, const Alone& alone) {
  const auto begins = [&](std::size_t i) { return text(pieces[i]).starts_with(word_mark); };
  bool any = false;
  for (std::size_t i = 0; i < pieces.size(); ++i) any = any || begins(i);
  std::vector<Run> words;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!any || i == 0 || begins(i) || alone(i)) words.push_back({i, i});
    words.back().end = i + 1;
  }
  return words;
}

// Of each source by itself; the position that closes it is a word of its own.
std::vector<Run> find_source_words(const std::vector<SourceToken>& positions) {
  std::vector<Run> all;
  for (std::size_t begin = 0; begin < positions.size();) {
    std::size_t end = begin;
    while (end < positions.size() && positions[end].source == positions[begin].source) ++end;
    const std::vector<SourceToken> own(positions.begin() + static_cast<std::ptrdiff_t>(begin),
                                       positions.begin() + static_cast<std::ptrdiff_t>(end));
    for (const Run& word : find_words(
             own, [](const SourceToken& token) { return std::string_view(token.text); },
             [&](std::size_t i) { return i + 1 == own.size() && own[i].start == own[i].end; })) {
      all.push_back({begin + word.begin, begin + word.end});
    }
    begin = end;
  }
  return all;
}

std::string without_mark(std::string_view text) {
  return std::string(text.starts_with(word_mark) ? text.substr(word_mark.size()) : text);
}

template <class Value, class Join>
std::vector<Value> fold(std::span<const Value> values, std::span<const Run> words, const Join& join) {
  std::vector<Value> folded;
  for (const Run& word : words) {
    if (word.end > values.size()) break;  // an explanation may have been cut
    Value all = values[word.begin];
    for (std::size_t i = word.begin + 1; i < word.end; ++i) all = join(all, values[i]);
    folded.push_back(all);
  }
  return folded;
}

SourceToken fold_source(std::span<const SourceToken> pieces) {
  SourceToken word = {"", pieces[0].start, pieces[0].end, false, pieces[0].source};
  word.named = pieces[0].named;
  // A mark that stands alone covers the spaces before the word, which are no part of it.
  if (pieces.size() > 1 && pieces[0].text == word_mark) word.start = pieces[1].start;
  for (const SourceToken& piece : pieces) {
    word.text += without_mark(piece.text);
    word.end = piece.end;
    word.read = word.read || piece.read;
  }
  return word;
}

void fold_positions(std::span<const Run> words, AttentionRow& look) {
  look.scores = fold<float>(look.scores, words, [](float a, float b) { return std::max(a, b); });
  look.weights = fold<float>(look.weights, words, [](float a, float b) { return a + b; });
}

void add(const std::vector<float>& from, float share, std::vector<float>& to) {
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) to[i] += share * from[i];
}

OutputStep fold_steps(std::span<const OutputStep> pieces) {
  OutputStep word = pieces[0];
  word.token = without_mark(word.token);
  if (pieces.size() == 1) {
    for (Alternative& other : word.alternatives) other.token = without_mark(other.token);
    return word;
  }
  const double share = 1.0 / static_cast<double>(pieces.size());
  for (AttentionRow& look : word.looks) {
    look.scores.assign(look.scores.size(), 0);
    look.weights.assign(look.weights.size(), 0);
    look.context_norm = 0;
  }
  word.saliency.assign(word.saliency.size(), 0);
  word.token.clear();
  word.probability = 1;
  if (word.copy_gate) word.copy_gate = 0;
  for (const OutputStep& piece : pieces) {
    word.token += without_mark(piece.token);
    word.probability *= piece.probability;
    if (word.copy_gate) *word.copy_gate += share * piece.copy_gate.value_or(0);
    add(piece.saliency, 1, word.saliency);  // log-probabilities are added, too
    for (std::size_t i = 0; i < std::min(word.looks.size(), piece.looks.size()); ++i) {
      add(piece.looks[i].scores, static_cast<float>(share), word.looks[i].scores);
      add(piece.looks[i].weights, static_cast<float>(share), word.looks[i].weights);
      word.looks[i].context_norm += share * piece.looks[i].context_norm;
    }
  }
  word.alternatives = {{word.token, word.probability}};  // the others are not words
  return word;
}

}  // namespace

Output fold_words(const Output& output) {
  Output folded = output;
  const std::vector<Run> source_words = find_source_words(output.source);
  const auto step_words = find_words(
      output.steps, [](const OutputStep& step) { return std::string_view(step.token); },
      [&](std::size_t i) { return i + 1 == output.steps.size() && output.finished && output.left_out.steps == 0; });
  folded.source.clear();
  for (const Run& word : source_words) {
    folded.source.push_back(fold_source(std::span(output.source).subspan(word.begin, word.end - word.begin)));
  }
  folded.steps.clear();
  for (const Run& word : step_words) {
    folded.steps.push_back(fold_steps(std::span(output.steps).subspan(word.begin, word.end - word.begin)));
    OutputStep& step = folded.steps.back();
    step.saliency = fold<float>(step.saliency, source_words, [](float a, float b) { return a + b; });
    for (AttentionRow& look : step.looks) {
      fold_positions(source_words, look);
      look.query.clear();
      look.context.clear();
    }
  }
  folded.pieces = {output.source, output.steps, std::move(folded.self_maps), std::move(folded.tree)};
  folded.self_maps.clear();
  folded.tree.reset();
  return folded;
}

void check_folds_words(const Config& config) {
  const auto folds = [](const std::string& tokenizer) { return tokenizer_kind(tokenizer).marks_words; };
  if (folds(config.source.tokenizer) || folds(config.target.tokenizer)) return;
  throw usage_error("`words`: this model reads by {} and writes by {}; only pieces are put together to words",
                    config.source.tokenizer, config.target.tokenizer);
}

}  // namespace fovea
