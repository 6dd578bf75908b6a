#include "decoding/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/as_size.h"
#include "decoding/attention_totals.h"
#include "decoding/continuations.h"
#include "decoding/hypotheses.h"
#include "decoding/writable.h"

namespace fovea {

namespace {

using namespace decoding;

class Search {
 public:
  Search(const Parameters& parameters, StepModel& model, const SearchOptions& options, const SearchSymbols& symbols,
         const Rules& rules, const SearchSources& sources, SearchArenas& arenas)
      : parameters_(parameters),
        model_(model),
        options_(options),
        symbols_(symbols),
        rules_(rules),
        sources_(sources),
        arenas_(arenas),
        needing_attention_(rules.needing_attention()),
        continuations_(options, symbols, rules, sources),
        drawn_(options.sample > 0),
        may_stop_(std::ranges::find(symbols.never, symbols.stop) == symbols.never.end()) {}

  std::vector<std::vector<Answer>> run();

 private:
  State start(Pass& pass);
  std::vector<ForcedWeights> forced_at(int step) const;
  void extend(Beam& beam, int column, const StepResult& result, int length);
  void end(Beam& beam, const Hypothesis& written, int length, bool stopped) const;
  bool done(const Beam& beam, int length) const;
  void add_to_tree(Beam& beam, const Candidate& candidate, float log_probability, int step, bool kept) const;
  int row(int hypothesis, int column) const { return hypothesis * columns_ + column; }
  std::vector<Answer> answers(const Beam& beam) const;
  void leave_only(std::vector<Beam>& beams, const std::vector<std::int32_t>& staying);

  const Parameters& parameters_;
  StepModel& model_;
  const SearchOptions& options_;
  const SearchSymbols& symbols_;
  const Rules& rules_;
  const SearchSources& sources_;
  SearchArenas& arenas_;
  std::string_view needing_attention_;  // which option does; empty: none
  Continuations continuations_;
  bool drawn_;  // rather than searched for
  bool may_stop_;
  std::size_t maps_ = 0;                // of the model, once a step is explained
  int columns_ = 0;                     // sources still in the batch
  std::vector<std::int32_t> origin_;    // [beam, columns] which row of the last step each row goes on from
  std::vector<std::int32_t> previous_;  // [beam, columns] the symbol it wrote
};

// No living hypothesis can still enter the list.
bool Search::done(const Beam& beam, int length) const {
  double best = impossible;
  for (const Hypothesis& h : beam.alive) best = std::max(best, h.log_probability);
  if (best == impossible) return true;
  if (static_cast<int>(beam.finished.size()) < options_.beam) return false;
  if (options_.beam == 1) return true;
  return rules_.best_score(best, std::max(beam.max_steps, length)) <= beam.finished.back().score;
}

void Search::add_to_tree(Beam& beam, const Candidate& candidate, float log_probability, int step, bool kept) const {
  const int before = beam.alive[candidate.hypothesis].node;
  const int number = static_cast<int>(beam.tree.nodes.size());
  if (beam.tree.nodes.size() < max_tree_nodes && beam.tree.left_out == 0) {
    beam.tree.nodes.push_back({before < 0 ? -1 : beam.in_tree[as_size(before)], step, candidate.symbol,
                               std::exp(static_cast<double>(log_probability)), candidate.log_probability, kept});
  } else {
    ++beam.tree.left_out;
  }
  if (kept) beam.in_tree.push_back(number);
}

// `length` symbols have been written once this step is done, the stop symbol counted.
void Search::extend(Beam& beam, int column, const StepResult& result, int length) {
  std::vector<Hypothesis> next(as_size(options_.beam));
  std::vector<bool> stopped(beam.alive.size()), would_go_on(beam.alive.size());
  // For the stop symbol, if it may be written. It ends what would end here by itself; what would rather go on is cut,
  // as greedy search cuts it.
  const bool last = length == beam.max_steps;
  int living = 0;
  for (const Candidate& c : continuations_.of(beam, {column, columns_}, result.log_probabilities, length - 1)) {
    const bool stops = c.symbol == symbols_.stop || symbols_.one_step;
    const int from = row(c.hypothesis, column);
    const Real log_p =
        result.log_probabilities.data()[std::ptrdiff_t(from) * result.log_probabilities.shape().last() + c.symbol];
    if (!stops) would_go_on[as_size(c.hypothesis)] = true;
    const bool goes_on =
        last && may_stop_ ? stops && !would_go_on[as_size(c.hypothesis)] : stops || living < options_.beam;
    if (options_.explain.tree) add_to_tree(beam, c, static_cast<float>(log_p), length - 1, goes_on);
    if (!goes_on) continue;
    Hypothesis extended = {c.log_probability, static_cast<int>(beam.nodes.size()), beam.alive[c.hypothesis].attention};
    beam.nodes.push_back({beam.alive[c.hypothesis].node, c.symbol, static_cast<float>(log_p)});
    if (options_.alternatives > 0) {
      maps_ = result.pointing.size() + result.looks.size();
      const bool kept = as_size(length) <= options_.limits.steps;
      beam.explanations.push_back(kept ? explain_step(result, from, c.symbol, options_, symbols_.never)
                                       : StepExplanation());
    }
    if (!needing_attention_.empty()) add_attention(result, from, needing_attention_, extended.attention);
    if (stops) {
      stopped[as_size(c.hypothesis)] = true;
      end(beam, extended, length, true);
    } else {
      const int place = drawn_ ? c.hypothesis : living;  // draws keep theirs: it says which random numbers are next
      origin_[row(place, column)] = from;
      previous_[row(place, column)] = c.symbol;
      next[place] = std::move(extended);
      ++living;
    }
    if (options_.beam == 1) break;  // greedy: the best symbol, be it the stop symbol
  }
  for (std::size_t h = 0; h < stopped.size() && last && may_stop_; ++h) {
    if (!stopped[h] && beam.alive[h].log_probability != impossible) end(beam, beam.alive[h], length - 1, false);
  }
  for (const Hypothesis& written : next) {
    if (last && !may_stop_ && written.log_probability != impossible) end(beam, written, length, false);
  }
  beam.alive = std::move(next);
}

// One that has stopped, or for which no room is left.
void Search::end(Beam& beam, const Hypothesis& hypothesis, int length, bool stopped) const {
  const std::vector<std::int32_t> symbols = beam.written(hypothesis.node, symbols_);
  const Written answer = {symbols, hypothesis.log_probability, std::max(1, length), hypothesis.attention};
  beam.finish({rules_.score(answer), hypothesis.node, stopped, hypothesis.log_probability, rules_.abstain(answer)},
              options_.beam);
}

std::vector<Answer> Search::answers(const Beam& beam) const {
  std::vector<Answer> out;
  for (const Beam::Finished& finished : beam.finished) {
    if (static_cast<int>(out.size()) == options_.nbest) break;
    Answer answer;
    answer.score = finished.score;
    answer.finished = finished.stopped;
    answer.log_probability = finished.log_probability;
    answer.abstained = finished.abstained;
    for (int node = finished.node; node >= 0; node = beam.nodes[node].parent) {
      if (beam.nodes[node].symbol != symbols_.stop) answer.symbols.push_back(beam.nodes[node].symbol);
      answer.step_log_probabilities.push_back(beam.nodes[node].log_probability);
      if (!beam.explanations.empty()) answer.steps.push_back(beam.explanations[node]);
    }
    std::ranges::reverse(answer.symbols);
    std::ranges::reverse(answer.step_log_probabilities);
    std::ranges::reverse(answer.steps);
    answer.steps.resize(std::min(answer.steps.size(), options_.limits.steps));
    keep_cells(answer.steps, options_.limits);
    answer.maps = maps_;
    out.push_back(std::move(answer));
  }
  if (!out.empty()) out[0].tree = beam.tree;
  if (out.empty()) {  // a model that gives no symbol any chance
    Answer none;
    none.score = none.log_probability = impossible;
    none.finished = false;
    none.abstained = rules_.abstain({{}, impossible, 1});
    out.push_back(std::move(none));
  }
  return out;
}

// Rows of sources that are done leave the batch.
void Search::leave_only(std::vector<Beam>& beams, const std::vector<std::int32_t>& staying) {
  const int left = static_cast<int>(staying.size());
  std::vector<std::int32_t> origin, previous;
  for (int h = 0; h < options_.beam; ++h) {
    for (const std::int32_t column : staying) {
      origin.push_back(origin_[row(h, column)]);
      previous.push_back(previous_[row(h, column)]);
    }
  }
  origin_ = std::move(origin);
  previous_ = std::move(previous);
  for (int i = 0; i < left; ++i) {
    if (i != staying[i]) beams[i] = std::move(beams[staying[i]]);
  }
  beams.resize(staying.size());
  columns_ = left;
  if (left > 0) model_.keep(staying);
}

// The first step of a search has one hypothesis a source, later ones `beam`; draws are `beam` from the first.
State Search::start(Pass& pass) {
  State first = model_.start(pass);
  previous_.assign(as_size(drawn_ ? options_.beam : 1) * columns_, symbols_.start);
  if (!drawn_) return first;
  for (int h = 0; h < options_.beam; ++h) {
    for (int column = 0; column < columns_; ++column) origin_.push_back(column);
  }
  return first.rows(pass, origin_);
}

std::vector<ForcedWeights> Search::forced_at(int step) const {
  std::vector<ForcedWeights> forced;
  for (const ForcedStep& at : sources_.forced) {
    if (at.step == step) forced.push_back(at.weights);
  }
  return forced;
}

std::vector<std::vector<Answer>> Search::run() {
  columns_ = model_.sources();
  std::vector<std::vector<Answer>> out(as_size(columns_));
  std::vector<Beam> beams(as_size(columns_));
  for (int s = 0; s < columns_; ++s) {
    check(sources_.max_steps[s] >= 1, "search needs room for at least one symbol");
    beams[s].source = s;
    beams[s].max_steps = sources_.max_steps[s];
    if (drawn_) beams[s].sample = sources_.samples[s];
    const AttentionTotals none(needing_attention_.empty() ? 0 : as_size(sources_.lengths[s]), 0.0);
    beams[s].alive.assign(as_size(drawn_ ? options_.beam : 1), {0.0, -1, none});
  }
  State state;
  for (int length = 1; columns_ > 0; ++length) {
    if (options_.stop_signal && *options_.stop_signal != 0) throw SearchStopped{};
    Pass pass(parameters_, length % 2 ? arenas_.odd : arenas_.even);
    Drawing drawing = {Random(static_cast<std::uint64_t>(options_.seed), Purpose::sampling), {}};
    std::vector<std::int64_t> drawn_for;
    if (drawn_) {
      for (const Beam& beam : beams) drawn_for.push_back(beam.sample);
      drawing.samples = drawn_for;
      pass.draw(drawing);
    }
    const std::vector<ForcedWeights> forced = forced_at(length - 1);
    pass.force(forced);
    const State now = length == 1 ? start(pass) : state.rows(pass, origin_);
    const StepResult result = model_.step(pass, now, previous_);
    // Places without a hypothesis go on from the first row of their source.
    origin_.resize(as_size(options_.beam) * columns_);
    for (std::size_t i = 0; i < origin_.size(); ++i) origin_[i] = static_cast<std::int32_t>(i) % columns_;
    previous_.assign(origin_.size(), symbols_.stop);
    std::vector<std::int32_t> staying;
    for (int column = 0; column < columns_; ++column) {
      extend(beams[column], column, result, length);
      Beam& beam = beams[column];
      if (length >= beam.max_steps || done(beam, length)) {
        out[beam.source] = answers(beam);
        beam.alive.assign(as_size(options_.beam), {});
      } else {
        staying.push_back(column);
      }
    }
    // Moving the rest together costs a copy of their memory: only when it saves a quarter of the work.
    if (4 * static_cast<int>(staying.size()) <= 3 * columns_) leave_only(beams, staying);
    state = result.state;
  }
  return out;
}

}  // namespace

std::vector<std::vector<Answer>> search(const Parameters& parameters, StepModel& model, const SearchOptions& options,
                                        const SearchSymbols& symbols, const Rules& rules, const SearchSources& sources,
                                        SearchArenas& arenas) {
  check(options.beam >= 1 && options.nbest >= 1 && options.nbest <= options.beam,
        "a beam of {} with the {} best: wanted is 1 <= nbest <= beam", options.beam, options.nbest);
  check(options.sample >= 0 && std::isfinite(options.sample), "sample {}: wanted is 0 or more", options.sample);
  const auto one_each = [&](std::size_t count, const char* what) {
    check(static_cast<int>(count) == model.sources(), "{} {} for {} sources", count, what, model.sources());
  };
  one_each(sources.max_steps.size(), "limits");
  if (!rules.needing_attention().empty()) one_each(sources.lengths.size(), "lengths");
  if (options.sample > 0) one_each(sources.samples.size(), "samples");
  if (!sources.targets.empty()) {
    one_each(sources.targets.size(), "targets");
    check(options.beam == 1 && options.sample == 0, "targets are given: there is nothing to search for or to draw");
  }
  return Search(parameters, model, options, symbols, rules, sources, arenas).run();
}

}  // namespace fovea
