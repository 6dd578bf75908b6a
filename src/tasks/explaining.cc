#include "tasks/explaining.h"

#include <algorithm>
#include <limits>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

namespace {

std::string replacement(const Task& task, const StepExplanation& step, const std::vector<SourceToken>& tokens,
                        const Lexicon* dictionary) {
  if (std::ranges::all_of(step.looks, &StepExplanation::Look::pointing)) {
    return task.target().text(Vocabulary::unknown);
  }
  std::vector<double> weights;
  for (const SourceToken& token : tokens) {  // the stop symbol has no place in the text: no word
    weights.push_back(token.start < token.end ? 0 : -std::numeric_limits<double>::infinity());
  }
  for (const auto& look : step.looks) {
    if (look.pointing) continue;
    for (std::size_t i = 0; i < std::min(weights.size(), look.weights.size()); ++i) {
      weights[i] += static_cast<double>(look.weights[i]);
    }
  }
  const std::string& word = tokens[as_size(std::ranges::max_element(weights) - weights.begin())].text;
  if (find_control(word)) return printable(word);
  if (!dictionary) return word;
  const auto entries = dictionary->of(word);
  const auto best = std::ranges::max_element(entries, {}, &Lexicon::Entry::probability);
  return best == entries.end() ? word : best->target;
}

std::string_view cell_of(const SourceText& text, std::size_t source) {
  return source == 0                    ? std::string_view(text.text)
         : source <= text.others.size() ? std::string_view(text.others[source - 1])
                                        : "";
}

// All positions of all sources, and behind each source the one that closes it.
std::vector<SourceToken> positions_of(const Task& task, const Reading& read) {
  std::vector<SourceToken> all;
  for (std::size_t s = 0; s < read.sources.size(); ++s) {
    const Symbols& sentences = read.sources[s].segments;
    const std::size_t first = all.size();
    int end = 0;
    for (const SourcePosition& position : read.sources[s].shown) {
      end = position.end;
      all.push_back({position.text, position.start, position.end});
      all.back().box = position.box;
      all.back().source = static_cast<int>(s);
      all.back().named = !task.sources()[s]->as_symbols();
    }
    all.push_back({task.target().text(Vocabulary::stop), end, end});
    all.back().source = static_cast<int>(s);
    for (std::size_t i = 0; i < sentences.size(); ++i) all[first + i].sentence = sentences[i];
  }
  return all;
}

// What a model without a source can point to: the start symbol and all it has written but the last.
std::vector<SourceToken> past_of(const Task& task, std::span<const std::string> written, bool finished) {
  std::vector<SourceToken> all = {{task.target().text(Vocabulary::start), 0, 0}};
  for (const std::string& token : written.first(written.size() - (finished || written.empty() ? 0 : 1))) {
    const int at = static_cast<int>(all.size());
    all.push_back({token, at, at + 1});
  }
  for (SourceToken& token : all) token.named = true;
  return all;
}

// As many as there are positions: a batch may be wider than a source, and of its past a model has read less.
std::vector<float> fitted(std::vector<float> values, std::size_t positions) {
  values.resize(positions, 0);
  return values;
}

// The steps of a decoder that attends to what it has written: a row each.
void add_decoder_maps(const Answer& best, std::vector<OwnMap>& maps) {
  if (best.steps.empty()) return;
  for (std::size_t m = 0; m < best.steps[0].self_looks.size(); ++m) {
    const auto& first = best.steps[0].self_looks[m];
    OwnMap& map = maps.emplace_back(OwnMap{"decoder", 0, first.layer, first.head, {}});
    for (const StepExplanation& step : best.steps) {
      if (m < step.self_looks.size()) map.weights.push_back(step.self_looks[m].weights);
      if (m < step.self_looks.size()) map.weights.back().resize(best.steps.size(), 0);  // what is not written yet
    }
  }
}

OutputTree tree_of(const Task& task, const SearchTree& tree, const Reading& source) {
  OutputTree out;
  out.left_out = tree.left_out;
  for (const TreeNode& node : tree.nodes) {
    out.nodes.push_back({node.parent, node.step, task.symbol_text(node.symbol, source), node.probability,
                         node.log_probability, node.kept});
  }
  return out;
}

}  // namespace

Output make_output(const Task& task, const SourceText& text, const Reading& source, std::span<const Answer> answers,
                   const Lexicon* dictionary) {
  Output out;
  out.source_text = text.text;
  out.other_sources = text.others;
  out.features = source.features;
  out.source = positions_of(task, source);
  if (answers.empty()) return out;
  for (std::size_t i = 0; i < std::min(out.source.size(), answers[0].read.size()); ++i) {
    out.source[i].read = answers[0].read[i] != 0;
  }
  for (const Answer& answer : answers) {
    std::vector<std::string> tokens;
    const std::vector<std::string> written = task.written(answer.symbols, source, text.target);
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (task.acts() && answer.symbols[i] == step_action) continue;
      const bool replaced = text.target.empty() && answer.symbols[i] == Vocabulary::unknown && i < answer.steps.size();
      tokens.push_back(replaced ? replacement(task, answer.steps[i], out.source, dictionary) : written[i]);
    }
    if (!text.begun.empty()) {
      const auto begun = static_cast<std::ptrdiff_t>(std::min(tokens.size(), source.prefix.size()));
      tokens.erase(tokens.begin(), tokens.begin() + begun);
      tokens.insert(tokens.begin(), printable(text.begun));
    }
    out.nbest.push_back({task.target_tokenizer().join(tokens), answer.score, answer.finished});
  }
  const Answer& best = answers[0];
  out.text = out.nbest[0].text;
  out.score = best.score;
  out.finished = best.finished;
  out.abstained = best.abstained;
  if (out.abstained) out.text.clear();
  const std::vector<std::string> written = task.written(best.symbols, source, text.target);
  std::size_t positions = 0;
  for (const StepExplanation& step : best.steps) {
    if (!step.looks.empty()) positions = std::max(positions, step.looks[0].weights.size());
  }
  if (positions > 0 && !task.traits().reads) out.source = past_of(task, written, best.finished);
  positions = std::min(positions, out.source.size());
  for (std::size_t i = 0; i < best.steps.size(); ++i) {
    const StepExplanation& step = best.steps[i];
    OutputStep shown;
    shown.token = i < written.size() ? written[i] : task.symbol_text(Vocabulary::stop, source);
    shown.probability = step.probability;
    if (step.gate) shown.copy_gate = 1 - *step.gate;
    for (const auto& [symbol, probability] : step.alternatives) {
      shown.alternatives.push_back({task.symbol_text(symbol, source), probability});
    }
    for (const auto& look : step.looks) {
      if (!task.shows_positions()) break;  // nothing to write beside the columns
      shown.looks.push_back({fitted(look.scores, positions), fitted(look.weights, positions), look.context_norm,
                             look.query, look.context});
      if (i > 0) continue;
      out.maps.push_back({look.layer, look.head, task.traits().reads ? "source" : "past"});
      out.maps.back().pointing = look.pointing;
    }
    shown.saliency = step.saliency;
    out.steps.push_back(std::move(shown));
  }
  for (const EncoderMap& map : best.encoder_maps) {
    out.self_maps.push_back({"encoder", map.source, map.layer, map.head, map.weights});
  }
  add_decoder_maps(best, out.self_maps);
  if (!best.tree.nodes.empty()) out.tree = tree_of(task, best.tree, source);
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

std::vector<SourceMedia> media_of(const Task& task, const SourceText& text, OpenFiles open) {
  std::vector<SourceMedia> all;
  for (std::size_t s = 0; s < task.sources().size(); ++s) {
    try {
      const SourceCell cell(cell_of(text, s), {.folder = text.folder, .open = open});
      for (Media& media : task.sources()[s]->media(cell)) all.push_back({std::move(media), static_cast<int>(s)});
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::data) throw;
    }
  }
  return all;
}

}  // namespace fovea
