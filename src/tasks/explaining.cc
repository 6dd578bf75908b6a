#include "tasks/explaining.h"

#include <algorithm>
#include <limits>

#include "base/utf8.h"

namespace fovea {

namespace {

std::string replacement(const Task& task, const StepExplanation& step, const std::vector<SourceToken>& tokens,
                        const Lexicon* dictionary) {
  if (step.looks.empty()) return task.target().text(Vocabulary::unknown);
  std::vector<double> weights;
  for (const SourceToken& token : tokens) {  // the stop symbol has no place in the text: no word
    weights.push_back(token.start < token.end ? 0 : -std::numeric_limits<double>::infinity());
  }
  for (const auto& look : step.looks) {
    for (std::size_t i = 0; i < std::min(weights.size(), look.weights.size()); ++i) {
      weights[i] += static_cast<double>(look.weights[i]);
    }
  }
  const std::string& word = tokens[static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin())].text;
  if (find_control(word)) return printable(word);
  if (!dictionary) return word;
  const auto entries = dictionary->of(word);
  const auto best = std::ranges::max_element(entries, {}, &Lexicon::Entry::probability);
  return best == entries.end() ? word : best->target;
}

// All positions of all sources, and behind each source the one that closes it.
std::vector<SourceToken> positions_of(const Task& task, const SourceText& text, const Reading& read) {
  std::vector<SourceToken> all;
  for (std::size_t s = 0; s < task.sources().size(); ++s) {
    const std::string_view cell = s == 0                    ? text.text
                                  : s <= text.others.size() ? std::string_view(text.others[s - 1])
                                                            : "";
    int end = 0;
    for (SourcePosition& position :
         task.sources()[s]->positions(cell, s < read.sources.size() ? read.sources[s] : SourceData())) {
      end = position.end;
      all.push_back({std::move(position.text), position.start, position.end});
      all.back().source = static_cast<int>(s);
    }
    all.push_back({task.target().text(Vocabulary::stop), end, end});
    all.back().source = static_cast<int>(s);
  }
  return all;
}

}  // namespace

Output make_output(const Task& task, const SourceText& text, const Reading& source, std::span<const Answer> answers,
                   const Lexicon* dictionary) {
  Output out;
  out.source_text = text.text;
  out.other_sources = text.others;
  out.features = source.features;
  out.source = positions_of(task, text, source);
  if (answers.empty()) return out;
  for (std::size_t i = 0; i < std::min(out.source.size(), answers[0].read.size()); ++i) {
    out.source[i].read = answers[0].read[i] != 0;
  }
  for (const Answer& answer : answers) {
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < answer.symbols.size(); ++i) {
      if (task.acts() && answer.symbols[i] == Vocabulary::step) continue;
      const bool replaced = answer.symbols[i] == Vocabulary::unknown && i < answer.steps.size();
      tokens.push_back(replaced ? replacement(task, answer.steps[i], out.source, dictionary)
                                : task.symbol_text(answer.symbols[i], source));
    }
    out.nbest.push_back({task.target_tokenizer().join(tokens), answer.score, answer.finished});
  }
  const Answer& best = answers[0];
  out.text = out.nbest[0].text;
  out.score = best.score;
  out.finished = best.finished;
  out.abstained = best.abstained;
  if (out.abstained) out.text.clear();
  for (std::size_t i = 0; i < best.steps.size(); ++i) {
    const StepExplanation& step = best.steps[i];
    OutputStep shown;
    shown.token = task.symbol_text(i < best.symbols.size() ? best.symbols[i] : Vocabulary::stop, source);
    shown.probability = step.probability;
    if (step.gate) shown.copy_gate = 1 - *step.gate;
    for (const auto& [symbol, probability] : step.alternatives) {
      shown.alternatives.push_back({task.symbol_text(symbol, source), probability});
    }
    for (const auto& look : step.looks) {
      if (!task.keeps_positions()) break;  // nothing to write beside the columns
      // The batch may be wider than this source.
      const auto real = static_cast<std::ptrdiff_t>(std::min(look.weights.size(), out.source.size()));
      shown.looks.push_back({{look.scores.begin(), look.scores.begin() + real},
                             {look.weights.begin(), look.weights.begin() + real},
                             look.context_norm});
      if (i == 0) out.maps.push_back({look.layer, look.head, "source"});
    }
    out.steps.push_back(std::move(shown));
  }
  if (out.steps.empty()) return out;
  const auto beyond = [](std::size_t all, std::size_t kept) { return all - std::min(all, kept); };
  out.left_out.steps =
      beyond(best.symbols.size() + (best.finished && !task.traits().one_step ? 1 : 0), out.steps.size());
  if (out.maps.empty()) return out;
  out.left_out.maps = beyond(best.maps, out.maps.size());
  out.left_out.positions = beyond(out.source.size(), out.steps[0].looks[0].weights.size());
  out.source.resize(out.source.size() - out.left_out.positions);
  return out;
}

}  // namespace fovea
